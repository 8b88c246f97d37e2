//! SHA-256 digests of artefacts, for users to compare, and of kernels' sources together with their machine code.

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;

/// A SHA-256 digest, written as 64 hexadecimal digits.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

impl Digest {
    /// Returns the digest of the bytes of a file.
    pub fn of_bytes(bytes: &[u8]) -> Digest {
        Digest(Sha256::digest(bytes).into())
    }

    /// Returns the digest of a kernel's source and of the machine code compiled from it. The length of the source is
    /// hashed first, so that distinct pairs have distinct preimages.
    pub fn of_kernel(text: &str, code: &[u8]) -> Digest {
        let length = (text.len() as u64).to_le_bytes();
        let digest = Sha256::new().chain_update(length).chain_update(text).chain_update(code);
        Digest(digest.finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Digest {
    type Err = String;

    fn from_str(text: &str) -> Result<Digest, String> {
        let wrong = || "a SHA-256 digest has 64 hexadecimal digits".to_owned();
        let (pairs, []) = text.as_bytes().as_chunks::<2>() else { return Err(wrong()) };
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
        let byte = |&[high, low]: &[u8; 2]| Some(digit(high)? << 4 | digit(low)?);
        let bytes: Option<Vec<u8>> = pairs.iter().map(byte).collect();
        bytes.and_then(|bytes| bytes.try_into().ok()).map(Digest).ok_or_else(wrong)
    }
}

impl TryFrom<String> for Digest {
    type Error = String;

    fn try_from(text: String) -> Result<Digest, String> {
        text.parse()
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_match_fips_180_vectors() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Digest::of_bytes(b"abc").to_string(), abc);
        assert_eq!(abc.to_uppercase().parse(), Ok(Digest::of_bytes(b"abc")));
        assert!(
            ["", "ba78", &abc[1..], &format!("{abc}00"), &abc.replace('b', "g")]
                .iter()
                .all(|t| t.parse::<Digest>().is_err())
        );
    }

    #[test]
    fn source_and_code_are_delimited() {
        assert_ne!(Digest::of_kernel("ab", b"c"), Digest::of_kernel("a", b"bc"));
    }
}

//! Serialised form of a checkpoint: a safetensors file with a metadata entry in its header.
//!
//! The metadata entry contains the checksum, the length of the file in bytes, and the training progress as JSON:
//!
//! ```text
//! { "__metadata__": { "partita": "xxh3:0123456789abcdef length:00000000000012345678 {\"step\": 120, ...}" }, ... }
//! ```
//!
//! The checksum is XXH3 of the entire file with the checksum digits set to `0`, so every bit of the file is covered.

use super::{Checkpoint, Progress};
use crate::io::{all_tensors, to_bytes};
use partita_ir::diag::{Code, Diagnostic};
use safetensors::tensor::SafeTensors;
use std::ops::Range;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Key of the metadata entry of a checkpoint in the safetensors header.
const METADATA_KEY: &str = "partita";
/// First bytes of the header, which follow the header's length in eight bytes.
const HEADER_START: &str = "{\"__metadata__\":{\"partita\":\"xxh3:";
/// Byte range of the checksum digits in the file.
const CHECKSUM_DIGITS: Range<usize> = 8 + HEADER_START.len()..8 + HEADER_START.len() + 16;
/// Byte range of the digits of the file's length.
const LENGTH_DIGITS: Range<usize> = CHECKSUM_DIGITS.end + " length:".len()..CHECKSUM_DIGITS.end + " length:".len() + 20;

/// Serialises a checkpoint to the content of a file.
pub(super) fn to_file(checkpoint: &Checkpoint) -> Result<Vec<u8>, String> {
    let progress = serde_json::to_string(&checkpoint.progress).map_err(|e| e.to_string())?;
    let metadata = format!("xxh3:{:016x} length:{:020} {progress}", 0, 0);
    let tensors = checkpoint.tensors.iter().map(|(name, tensor)| (name.clone(), tensor));
    let mut bytes = to_bytes(tensors, Some((METADATA_KEY, metadata))).map_err(|e| e.to_string())?;
    let length = format!("{:020}", bytes.len());
    bytes.get_mut(LENGTH_DIGITS).ok_or("the header has no room for a length")?.copy_from_slice(length.as_bytes());
    let sum = format!("{:016x}", xxh3_64(&bytes));
    bytes.get_mut(CHECKSUM_DIGITS).ok_or("the header has no room for a checksum")?.copy_from_slice(sum.as_bytes());
    Ok(bytes)
}

/// Parses the content of a checkpoint file and verifies its length and checksum. `path` is used in messages only.
///
/// # Errors
/// `K001` for a file that is truncated, damaged or not a checkpoint, `F002` for an unsupported format.
pub(super) fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Checkpoint, Diagnostic> {
    let named = path.display();
    let truncated = |expected: Option<u64>| {
        let note = match expected {
            Some(expected) => format!("it has {} bytes of the {expected} that were written", bytes.len()),
            None => format!("it has {} bytes, fewer than a header", bytes.len()),
        };
        Diagnostic::new(Code::K001, format!("checkpoint `{named}` is truncated")).note(note)
    };
    let (Some(sum), Some(length)) = (bytes.get(CHECKSUM_DIGITS), bytes.get(LENGTH_DIGITS)) else {
        return Err(truncated(None));
    };
    if bytes[8..CHECKSUM_DIGITS.start] != *HEADER_START.as_bytes() {
        let title = format!("`{named}` is not a checkpoint, or its header is damaged");
        return Err(Diagnostic::new(Code::K001, title));
    }
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(length) = number(length).filter(|&length| (bytes.len() as u64) < length) {
        return Err(truncated(Some(length)));
    }
    let mut with_zero_checksum = bytes.to_vec();
    with_zero_checksum[CHECKSUM_DIGITS].fill(b'0');
    let found = format!("{:016x}", xxh3_64(&with_zero_checksum));
    if found.as_bytes() != sum {
        let title = format!("checkpoint `{named}` is damaged: its checksum does not match");
        let recorded = String::from_utf8_lossy(sum).into_owned();
        return Err(Diagnostic::new(Code::K001, title)
            .note(format!("the recorded checksum is {recorded}, the checksum of its bytes {found}")));
    }
    let unreadable = |why: String| {
        // With a matching checksum, the file is intact: another version of the program wrote it.
        Diagnostic::new(Code::F002, format!("checkpoint `{named}` has an unsupported format")).note(why)
    };
    let file = SafeTensors::deserialize(bytes).map_err(|e| unreadable(e.to_string()))?;
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| unreadable(e.to_string()))?;
    let metadata = header.metadata().as_ref().and_then(|texts| texts.get(METADATA_KEY)).map_or("", String::as_str);
    let progress = metadata.splitn(3, ' ').nth(2).unwrap_or_default();
    let progress: Progress = serde_json::from_str(progress).map_err(|e| unreadable(e.to_string()))?;
    Ok(Checkpoint { progress, tensors: all_tensors(&file)? })
}

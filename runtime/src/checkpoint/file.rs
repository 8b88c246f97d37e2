//! The form of a checkpoint in bytes: a safetensors file with one remark in its header.
//!
//! ```text
//! { "__metadata__": { "partita": "xxh3:0123456789abcdef length:00000000000012345678 {\"step\": 120, ...}" }, ... }
//! ```
//!
//! The checksum is XXH3 of the whole file with its own digits set to `0`, so that no bit of the file goes unseen.

use super::{Checkpoint, Progress};
use crate::io::{all_tensors, to_bytes};
use partita_ir::diag::{Code, Diagnostic};
use safetensors::tensor::SafeTensors;
use std::ops::Range;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// The name of the remark.
const REMARK: &str = "partita";
/// How the header begins, behind the eight bytes of its length.
const HEAD: &str = "{\"__metadata__\":{\"partita\":\"xxh3:";
/// Where the digits of the checksum stand.
const SUM: Range<usize> = 8 + HEAD.len()..8 + HEAD.len() + 16;
/// Where the digits of the length stand.
const LENGTH: Range<usize> = SUM.end + " length:".len()..SUM.end + " length:".len() + 20;

/// The file.
pub(super) fn to_file(checkpoint: &Checkpoint) -> Result<Vec<u8>, String> {
    let progress = serde_json::to_string(&checkpoint.progress).map_err(|e| e.to_string())?;
    let remark = format!("xxh3:{:016x} length:{:020} {progress}", 0, 0);
    let tensors = checkpoint.tensors.iter().map(|(name, tensor)| (name.clone(), tensor));
    let mut bytes = to_bytes(tensors, Some((REMARK, remark))).map_err(|e| e.to_string())?;
    let length = format!("{:020}", bytes.len());
    bytes.get_mut(LENGTH).ok_or("the header has no room for a length")?.copy_from_slice(length.as_bytes());
    let sum = format!("{:016x}", xxh3_64(&bytes));
    bytes.get_mut(SUM).ok_or("the header has no room for a checksum")?.copy_from_slice(sum.as_bytes());
    Ok(bytes)
}

/// What a file says, if it is the file that was written.
pub(super) fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Checkpoint, Diagnostic> {
    let named = path.display();
    let truncated = |expected: Option<u64>| {
        let note = match expected {
            Some(expected) => format!("it has {} bytes of the {expected} that were written", bytes.len()),
            None => format!("it has {} bytes, which is not even a header", bytes.len()),
        };
        Diagnostic::new(Code::K001, format!("checkpoint `{named}` is truncated")).note(note)
    };
    let (Some(sum), Some(length)) = (bytes.get(SUM), bytes.get(LENGTH)) else { return Err(truncated(None)) };
    if bytes[8..SUM.start] != *HEAD.as_bytes() {
        let title = format!("`{named}` is no checkpoint, or its header is damaged");
        return Err(Diagnostic::new(Code::K001, title));
    }
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(length) = number(length).filter(|&length| (bytes.len() as u64) < length) {
        return Err(truncated(Some(length)));
    }
    let mut unsummed = bytes.to_vec();
    unsummed[SUM].fill(b'0');
    let found = format!("{:016x}", xxh3_64(&unsummed));
    if found.as_bytes() != sum {
        let title = format!("checkpoint `{named}` is damaged: its checksum does not match");
        let said = String::from_utf8_lossy(sum).into_owned();
        return Err(Diagnostic::new(Code::K001, title).note(format!("it says {said}, its bytes give {found}")));
    }
    let unreadable = |why: String| {
        // The checksum is right: another version of the program wrote it.
        Diagnostic::new(Code::F002, format!("checkpoint `{named}` is of a form that is not known")).note(why)
    };
    let file = SafeTensors::deserialize(bytes).map_err(|e| unreadable(e.to_string()))?;
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| unreadable(e.to_string()))?;
    let remark = header.metadata().as_ref().and_then(|texts| texts.get(REMARK)).map_or("", String::as_str);
    let progress = remark.splitn(3, ' ').nth(2).unwrap_or_default();
    let progress: Progress = serde_json::from_str(progress).map_err(|e| unreadable(e.to_string()))?;
    Ok(Checkpoint { progress, tensors: all_tensors(&file)? })
}

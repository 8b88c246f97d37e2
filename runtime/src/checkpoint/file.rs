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
use crate::io::{file_dtype, to_bytes};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::input_file;
use safetensors::tensor::Metadata;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Bytes that are read at a time to verify a file.
const READ_BYTES: usize = 1 << 20;

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
    let metadata = metadata(&checkpoint.progress, 0)?;
    let tensors = checkpoint.tensors.iter().map(|(name, tensor)| (name.clone(), tensor));
    let mut bytes = to_bytes(tensors, Some(metadata)).map_err(|e| e.to_string())?;
    let length = format!("{:020}", bytes.len());
    bytes.get_mut(LENGTH_DIGITS).ok_or("the header has no room for a length")?.copy_from_slice(length.as_bytes());
    let sum = xxh3_64(&bytes);
    patch_checksum(&mut bytes, sum)?;
    Ok(bytes)
}

/// Writes the checksum of a file into its header.
pub(super) fn patch_checksum(header: &mut [u8], sum: u64) -> Result<(), String> {
    let digits = header.get_mut(CHECKSUM_DIGITS).ok_or("the header has no room for a checksum")?;
    digits.copy_from_slice(format!("{sum:016x}").as_bytes());
    Ok(())
}

/// Returns the metadata entry of a file with the given number of bytes; the checksum is `0`.
pub(super) fn metadata(progress: &Progress, bytes: u64) -> Result<(&'static str, String), String> {
    let progress = serde_json::to_string(progress).map_err(|e| e.to_string())?;
    Ok((METADATA_KEY, format!("xxh3:{:016x} length:{bytes:020} {progress}", 0)))
}

/// Verifies length and checksum of a checkpoint file, without storing its contents.
///
/// # Errors
/// `C001` for an unreadable file, `K001` for one that is truncated, damaged or not a checkpoint.
pub(super) fn verify(path: &Path) -> Result<(), Diagnostic> {
    let named = path.display();
    let refused = |e: io::Error| Diagnostic::io_error("read", path, &e);
    let mut file = input_file::open(path)?;
    let bytes = file.metadata().map_err(refused)?.len();
    let truncated = |expected: Option<u64>| {
        let note = match expected {
            Some(expected) => format!("it has {bytes} bytes of the {expected} that were written"),
            None => format!("it has {bytes} bytes, fewer than a header"),
        };
        Diagnostic::new(Code::K001, format!("checkpoint `{named}` is truncated")).note(note)
    };
    if bytes < LENGTH_DIGITS.end as u64 {
        return Err(truncated(None));
    }
    let mut head = vec![0; LENGTH_DIGITS.end];
    file.read_exact(&mut head).map_err(refused)?;
    if head[8..CHECKSUM_DIGITS.start] != *HEADER_START.as_bytes() {
        let title = format!("`{named}` is not a checkpoint, or its header is damaged");
        return Err(Diagnostic::new(Code::K001, title));
    }
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(length) = number(&head[LENGTH_DIGITS]).filter(|&length| bytes < length) {
        return Err(truncated(Some(length)));
    }
    let recorded = String::from_utf8_lossy(&head[CHECKSUM_DIGITS]).into_owned();
    head[CHECKSUM_DIGITS].fill(b'0');
    let mut hasher = Xxh3::new();
    hasher.update(&head);
    let mut buffer = vec![0; READ_BYTES];
    loop {
        match file.read(&mut buffer).map_err(refused)? {
            0 => break,
            read => hasher.update(&buffer[..read]),
        }
    }
    let found = format!("{:016x}", hasher.digest());
    if found != recorded {
        let title = format!("checkpoint `{named}` is damaged: its checksum does not match");
        return Err(Diagnostic::new(Code::K001, title)
            .note(format!("the recorded checksum is {recorded}, the checksum of its bytes {found}")));
    }
    Ok(())
}

/// Contents of a checkpoint file, without the elements of its tensors.
pub(super) struct FileContents {
    pub(super) progress: Progress,
    /// Name, type and position in the file of each tensor, sorted by name.
    pub(super) tensors: Vec<(String, Type, u64)>,
    /// Number of bytes of the file.
    pub(super) bytes: u64,
}

/// Reads the header of a checkpoint file, which has been verified.
///
/// # Errors
/// `C001` for an unreadable file, `F002` for an unsupported format.
pub(super) fn read_header(path: &Path) -> Result<FileContents, Diagnostic> {
    // With a matching checksum, the file is intact: another version of the program wrote it.
    let unreadable = |why: String| {
        Diagnostic::new(Code::F002, format!("checkpoint `{}` has an unsupported format", path.display())).note(why)
    };
    let (contents, metadata) = read_tensors_header(path, &unreadable)?;
    let progress = metadata.splitn(3, ' ').nth(2).unwrap_or_default();
    let progress: Progress = serde_json::from_str(progress).map_err(|e| unreadable(e.to_string()))?;
    Ok(FileContents { progress, ..contents })
}

/// Reads the header of a safetensors file. Returns the contents at the beginning of training, and the metadata entry of
/// a checkpoint, if there is one.
///
/// # Errors
/// `C001` for an unreadable file, `F002` for an unsupported element type, `unreadable` for another format.
pub(super) fn read_tensors_header(
    path: &Path,
    unreadable: &dyn Fn(String) -> Diagnostic,
) -> Result<(FileContents, String), Diagnostic> {
    let refused = |e: io::Error| Diagnostic::io_error("read", path, &e);
    let mut file = input_file::open(path)?;
    let bytes = file.metadata().map_err(refused)?.len();
    let mut header = Vec::new();
    (&mut file).take(8).read_to_end(&mut header).map_err(refused)?;
    let Ok(length) = <[u8; 8]>::try_from(&header[..]) else {
        return Err(unreadable(format!("it has {bytes} bytes, fewer than a header")));
    };
    let header_bytes = u64::from_le_bytes(length).saturating_add(8).min(bytes);
    file.take(header_bytes - 8).read_to_end(&mut header).map_err(refused)?;
    let parsed: Metadata = serde_json::from_slice(&header[8..]).map_err(|e| unreadable(e.to_string()))?;
    if header_bytes + parsed.data_len() as u64 != bytes {
        return Err(unreadable(format!("it has {bytes} bytes, its header describes {}", parsed.data_len())));
    }
    let metadata = parsed.metadata().as_ref().and_then(|texts| texts.get(METADATA_KEY)).cloned().unwrap_or_default();
    let mut tensors = Vec::new();
    for (name, info) in parsed.tensors() {
        let unsupported = || Diagnostic::new(Code::F002, format!("`{name}` has an unsupported element type"));
        let dtype = DType::ALL.into_iter().find(|&d| file_dtype(d) == info.dtype).ok_or_else(unsupported)?;
        let ty = Type { dtype, shape: Shape::from(&info.shape[..]) };
        tensors.push((name, ty, header_bytes + info.data_offsets.0 as u64));
    }
    tensors.sort_by(|a, b| a.0.cmp(&b.0));
    Ok((FileContents { progress: Progress::default(), tensors, bytes }, metadata))
}

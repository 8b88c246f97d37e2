//! Zip files of contiguous entries with a checksum of the entire file.
//!
//! The zip's comment ends in a checksum: XXH3 of all bytes before the 16 digits of the checksum. Any flipped bit of the
//! file is detected.

use partita_ir::diag::{Code, Diagnostic};
use std::io::{Cursor, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;
use zip::read::ZipArchive;
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

/// Prefix of the zip's comment; the 16 hexadecimal digits of the checksum follow.
const COMMENT_PREFIX: &str = "partita xxh3:";

/// Length of the zip's comment, in bytes.
const COMMENT_BYTES: usize = COMMENT_PREFIX.len() + 16;

/// Maximum number of entries of an archive.
const MAX_ENTRIES: usize = 1 << 16;

/// Maximum total size of compressed entries after decompression, in bytes. The size of uncompressed entries is bounded
/// by the length of the archive.
const MAX_INFLATED_BYTES: u64 = 512 << 20;

/// An entry of an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// True if the entry is not compressed. Entries with tensors are not, since tensors do not compress well.
    pub(super) is_stored: bool,
}

/// Returns the XXH3 checksum of some bytes as 16 hexadecimal digits.
pub(super) fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

/// Returns the bytes of an archive with these entries, including its checksum.
///
/// # Errors
/// The error of the zip writer.
pub(super) fn pack(entries: &[Entry]) -> Result<Vec<u8>, zip::result::ZipError> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for Entry { name, bytes, is_stored } in entries {
        let method = if *is_stored { CompressionMethod::Stored } else { CompressionMethod::Deflated };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .last_modified_time(DateTime::DEFAULT)
            .unix_permissions(0o644)
            .large_file(bytes.len() as u64 >= u64::from(u32::MAX));
        zip.start_file(name.as_str(), options)?;
        zip.write_all(bytes)?;
    }
    zip.set_comment(format!("{COMMENT_PREFIX}{:016x}", 0))?;
    let mut file = zip.finish()?.into_inner();
    seal(&mut file);
    Ok(file)
}

/// Overwrites the last 16 bytes of an archive with the checksum of the bytes before them. Has no effect on shorter
/// files.
pub(super) fn seal(file: &mut [u8]) {
    let Some(start) = file.len().checked_sub(16) else { return };
    let sum = checksum(&file[..start]);
    file[start..].copy_from_slice(sum.as_bytes());
}

/// The path of an archive, for messages.
pub(super) struct ArchivePath<'p>(pub(super) &'p Path);

impl ArchivePath<'_> {
    /// Returns an `A001` diagnostic for a file that is damaged, or that is not an artefact; `what` completes the title.
    pub(super) fn damaged(&self, what: &str) -> Diagnostic {
        Diagnostic::new(Code::A001, format!("`{}` {what}", self.0.display()))
    }

    /// Returns an `A004` diagnostic for a file with a valid checksum and invalid contents; `what` is its note.
    pub(super) fn inconsistent(&self, what: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Code::A004, format!("`{}` is inconsistent", self.0.display())).note(what)
    }
}

/// An archive with a valid checksum and contiguous entries.
pub(super) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    path: ArchivePath<'b>,
    length: u64,
}

impl<'b> Archive<'b> {
    /// Opens the archive in these bytes; `path` is for messages.
    ///
    /// # Errors
    /// `A001` if the bytes are not an artefact or the checksum does not match, `A004` if the entries are not contiguous
    /// or not plain files.
    pub(super) fn open(path: &'b Path, bytes: &'b [u8]) -> Result<Archive<'b>, Diagnostic> {
        let label = ArchivePath(path);
        if !bytes.starts_with(b"PK") {
            return Err(label.damaged("is not an artefact").note("an artefact is a zip file"));
        }
        let comment = bytes.len().checked_sub(COMMENT_BYTES).map(|start| &bytes[start..]);
        let Some(sum) = comment.and_then(|comment| comment.strip_prefix(COMMENT_PREFIX.as_bytes())) else {
            return Err(label.damaged("is truncated or not an artefact").note("it does not end in a checksum"));
        };
        let computed = checksum(&bytes[..bytes.len() - 16]);
        if computed.as_bytes() != sum {
            let stored = String::from_utf8_lossy(sum).into_owned();
            let note = format!("stored checksum {stored}, computed checksum {computed}");
            return Err(label.damaged("is damaged: its checksum does not match").note(note));
        }
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|e| label.inconsistent(e.to_string()))?;
        let mut archive = Archive { zip, path: label, length: bytes.len() as u64 };
        archive.check()?;
        Ok(archive)
    }

    /// Rejects overlapping entries, gaps, unsafe names, links, encryption, unknown compression methods and sizes beyond
    /// [`MAX_INFLATED_BYTES`], none of which [`pack`] writes.
    fn check(&mut self) -> Result<(), Diagnostic> {
        let count = self.zip.len();
        if count > MAX_ENTRIES {
            return Err(self.path.inconsistent(format!("it has {count} entries")));
        }
        self.zip.validate_header_consistency().map_err(|e| self.path.inconsistent(e.to_string()))?;
        if self.zip.offset() != 0 || self.zip.comment().len() != COMMENT_BYTES {
            return Err(self.path.inconsistent("there are bytes before or after its entries"));
        }
        let (mut end, mut left) = (0u64, MAX_INFLATED_BYTES);
        for index in 0..count {
            let entry = self.zip.by_index_raw(index).map_err(|e| self.path.inconsistent(e.to_string()))?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            let wrong = |what: &str| self.path.inconsistent(format!("its entry `{}` {what}", name.escape_default()));
            if !is_safe_path(&name) {
                return Err(wrong("has a name that is not a plain relative path"));
            }
            if !entry.is_file() || entry.is_symlink() || entry.encrypted() {
                return Err(wrong("is not a plain file"));
            }
            let start = entry.data_start().ok_or_else(|| wrong("has no data"))?;
            let stop = start.checked_add(entry.compressed_size()).filter(|&stop| stop <= self.length);
            if entry.header_start() != end {
                return Err(wrong("does not start at the end of the previous one"));
            }
            end = stop.ok_or_else(|| wrong("ends after the end of the file"))?;
            let size = entry.size();
            let is_possible = match entry.compression() {
                CompressionMethod::Stored => size == entry.compressed_size(),
                CompressionMethod::Deflated => size <= left,
                _ => return Err(wrong("has an unknown compression method")),
            };
            if !is_possible {
                return Err(wrong(&format!("declares an invalid size of {size} bytes")));
            }
            if entry.compression() == CompressionMethod::Deflated {
                left -= size;
            }
        }
        if self.zip.central_directory_start() != end {
            return Err(self.path.inconsistent("there are bytes between its entries and its directory"));
        }
        Ok(())
    }

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.zip.len()
    }

    /// Returns the path of the archive, for messages.
    pub(super) fn path(&self) -> &ArchivePath<'b> {
        &self.path
    }

    /// Returns the name of an entry and its declared uncompressed size in bytes.
    pub(super) fn entry(&mut self, index: usize) -> Result<(String, u64), Diagnostic> {
        let entry = self.zip.by_index_raw(index).map_err(|e| self.path.inconsistent(e.to_string()))?;
        Ok((String::from_utf8_lossy(entry.name_raw()).into_owned(), entry.size()))
    }

    /// Returns the contents of an entry. Decompresses at most one byte more than the declared size.
    ///
    /// # Errors
    /// `A004` if the entry cannot be decompressed, or its size is not the declared one.
    pub(super) fn read(&mut self, index: usize) -> Result<Vec<u8>, Diagnostic> {
        let (name, size) = self.entry(index)?;
        let entry = self.zip.by_index(index).map_err(|e| self.path.inconsistent(e.to_string()))?;
        let mut bytes = Vec::new();
        let wrong = |what: &str| self.path.inconsistent(format!("its entry `{name}` {what}"));
        entry
            .take(size.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|e| wrong(&format!("cannot be read: {e}")))?;
        if bytes.len() as u64 != size {
            return Err(wrong(&format!("declares {size} bytes, but has a different size")));
        }
        Ok(bytes)
    }
}

/// Returns true if a name is a relative path of at most 256 letters, digits, `.`, `_`, `-` and `/`, without empty, `.`
/// and `..` components.
fn is_safe_path(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    name.len() <= 256 && name.chars().all(is_letter) && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

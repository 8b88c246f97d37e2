//! Entries in a zip, one behind the other and nothing between them, with a checksum of the whole file at its end.
//!
//! The checksum is the zip's comment: XXH3 of all bytes in front of it, so that no bit of the file goes unseen.

use partita_ir::diag::{Code, Diagnostic};
use std::io::{Cursor, Read, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;
use zip::read::ZipArchive;
use zip::write::{SimpleFileOptions, ZipWriter};
use zip::{CompressionMethod, DateTime};

/// How the comment begins; digits follow.
const SUM: &str = "partita xxh3:";

/// Bytes of the comment.
const COMMENT: usize = SUM.len() + 16;

/// Files have at most so many entries.
const MAX_ENTRIES: usize = 1 << 16;

/// What is compressed has at most so many bytes in all. The rest is no longer than the file.
const MAX_COMPRESSED: u64 = 512 << 20;

/// What one entry is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    /// Whether it is stored as it is: numbers, which do not get shorter.
    pub(super) is_stored: bool,
}

/// The checksum of bytes, as digits.
pub(super) fn checksum(bytes: &[u8]) -> String {
    format!("{:016x}", xxh3_64(bytes))
}

/// The file.
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
    zip.set_comment(format!("{SUM}{:016x}", 0))?;
    let mut file = zip.finish()?.into_inner();
    seal(&mut file);
    Ok(file)
}

/// Puts the checksum at the end of a file that has a comment.
pub(super) fn seal(file: &mut [u8]) {
    let Some(start) = file.len().checked_sub(16) else { return };
    let sum = checksum(&file[..start]);
    file[start..].copy_from_slice(sum.as_bytes());
}

/// What the file is called in messages.
pub(super) struct Named<'p>(pub(super) &'p Path);

impl Named<'_> {
    /// A file that is not what was written.
    pub(super) fn damaged(&self, what: &str) -> Diagnostic {
        Diagnostic::new(Code::A001, format!("`{}` {what}", self.0.display()))
    }

    /// A file that nobody would write.
    pub(super) fn wrong(&self, what: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Code::A004, format!("`{}` contradicts itself", self.0.display())).note(what)
    }
}

/// A file whose checksum is right and whose entries lie side by side.
pub(super) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    named: Named<'b>,
    length: u64,
}

impl<'b> Archive<'b> {
    /// The archive that these bytes are.
    pub(super) fn open(path: &'b Path, bytes: &'b [u8]) -> Result<Archive<'b>, Diagnostic> {
        let named = Named(path);
        if !bytes.starts_with(b"PK") {
            return Err(named.damaged("is no artefact").note("an artefact is a zip file"));
        }
        let comment = bytes.len().checked_sub(COMMENT).map(|start| &bytes[start..]);
        let Some(sum) = comment.and_then(|comment| comment.strip_prefix(SUM.as_bytes())) else {
            return Err(named.damaged("is truncated, or no artefact").note("it does not end in a checksum"));
        };
        let found = checksum(&bytes[..bytes.len() - 16]);
        if found.as_bytes() != sum {
            let said = String::from_utf8_lossy(sum).into_owned();
            let note = format!("it says {said}, its bytes give {found}");
            return Err(named.damaged("is damaged: its checksum does not match").note(note));
        }
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|e| named.wrong(e.to_string()))?;
        let mut archive = Archive { zip, named, length: bytes.len() as u64 };
        archive.check()?;
        Ok(archive)
    }

    /// Refuses what this version does not write: entries that overlap, gaps, names twice, links, encryption.
    fn check(&mut self) -> Result<(), Diagnostic> {
        let count = self.zip.len();
        if count > MAX_ENTRIES {
            return Err(self.named.wrong(format!("it has {count} entries")));
        }
        self.zip.validate_header_consistency().map_err(|e| self.named.wrong(e.to_string()))?;
        if self.zip.offset() != 0 || self.zip.comment().len() != COMMENT {
            return Err(self.named.wrong("something stands around its entries"));
        }
        let (mut end, mut left) = (0u64, MAX_COMPRESSED);
        for index in 0..count {
            let entry = self.zip.by_index_raw(index).map_err(|e| self.named.wrong(e.to_string()))?;
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            let wrong = |what: &str| self.named.wrong(format!("its entry `{}` {what}", name.escape_default()));
            if !is_plain(&name) {
                return Err(wrong("has a name that leads elsewhere"));
            }
            if !entry.is_file() || entry.is_symlink() || entry.encrypted() {
                return Err(wrong("is no plain file"));
            }
            let start = entry.data_start().ok_or_else(|| wrong("has no data"))?;
            let stop = start.checked_add(entry.compressed_size()).filter(|&stop| stop <= self.length);
            if entry.header_start() != end {
                return Err(wrong("does not begin where the one before ends"));
            }
            end = stop.ok_or_else(|| wrong("ends behind the file"))?;
            let size = entry.size();
            let is_possible = match entry.compression() {
                CompressionMethod::Stored => size == entry.compressed_size(),
                CompressionMethod::Deflated => size <= left,
                _ => return Err(wrong("is compressed in a way that is not known")),
            };
            if !is_possible {
                return Err(wrong(&format!("is said to have {size} bytes")));
            }
            if entry.compression() == CompressionMethod::Deflated {
                left -= size;
            }
        }
        if self.zip.central_directory_start() != end {
            return Err(self.named.wrong("something stands between its entries"));
        }
        Ok(())
    }

    /// How many entries there are.
    pub(super) fn len(&self) -> usize {
        self.zip.len()
    }

    /// What the file is called in messages.
    pub(super) fn named(&self) -> &Named<'b> {
        &self.named
    }

    /// The name of an entry, and how many bytes it is said to have.
    pub(super) fn entry(&mut self, index: usize) -> Result<(String, u64), Diagnostic> {
        let entry = self.zip.by_index_raw(index).map_err(|e| self.named.wrong(e.to_string()))?;
        Ok((String::from_utf8_lossy(entry.name_raw()).into_owned(), entry.size()))
    }

    /// What an entry holds: as many bytes as it is said to have, and no more is ever decompressed.
    pub(super) fn read(&mut self, index: usize) -> Result<Vec<u8>, Diagnostic> {
        let (name, size) = self.entry(index)?;
        let entry = self.zip.by_index(index).map_err(|e| self.named.wrong(e.to_string()))?;
        let mut bytes = Vec::new();
        let wrong = |what: &str| self.named.wrong(format!("its entry `{name}` {what}"));
        entry
            .take(size.saturating_add(1))
            .read_to_end(&mut bytes)
            .map_err(|e| wrong(&format!("cannot be read: {e}")))?;
        if bytes.len() as u64 != size {
            return Err(wrong(&format!("is said to have {size} bytes, and has others")));
        }
        Ok(bytes)
    }
}

/// Whether a name is a relative path that stays where it is.
fn is_plain(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "._-/".contains(c);
    name.len() <= 256 && name.chars().all(is_letter) && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

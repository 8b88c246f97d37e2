//! Manifest of a sharded checkpoint: training progress, files, and the extents and checksums of all shards.
//!
//! The manifest is JSON. Its first field is the XXH3 checksum of the text with the digits of the checksum set to `0`.

use super::Progress;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::input_file::read_text;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::path::{Component, Path};
use xxhash_rust::xxh3::xxh3_64;

/// Name of the manifest in the folder of a checkpoint.
pub const MANIFEST_FILE: &str = "manifest.json";

/// Version of the format.
const VERSION: u32 = 1;

const START: &str = "{\"checksum\":\"xxh3:";
const CHECKSUM_DIGITS: Range<usize> = START.len()..START.len() + 16;

/// Contents of a manifest.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    checksum: String,
    version: u32,
    pub(super) progress: Progress,
    pub(super) files: Vec<FileEntry>,
    pub(super) tensors: Vec<TensorEntry>,
}

/// File of a checkpoint.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct FileEntry {
    pub(super) name: String,
    /// Number of bytes.
    pub(super) bytes: u64,
    /// Number of bytes before the first tensor.
    pub(super) header_bytes: u64,
    /// XXH3 checksum of these bytes.
    pub(super) header_checksum: String,
}

/// Tensor of a checkpoint.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct TensorEntry {
    pub(super) name: String,
    pub(super) dtype: String,
    pub(super) shape: Vec<usize>,
    pub(super) shards: Vec<ShardEntry>,
}

/// Shard of a tensor.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct ShardEntry {
    /// Index of the file.
    pub(super) file: usize,
    /// Global index of the first element.
    pub(super) start: Vec<usize>,
    /// Number of elements in each dimension.
    pub(super) shape: Vec<usize>,
    /// Position of the first byte in the file.
    pub(super) offset: u64,
    /// Checksum of the elements (module `sums`).
    pub(super) checksum: String,
}

/// Formats a checksum.
pub(super) fn hex(number: u64) -> String {
    format!("{number:016x}")
}

/// Parses a checksum.
pub(super) fn from_hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

impl Manifest {
    pub(super) fn new(progress: Progress, files: Vec<FileEntry>, tensors: Vec<TensorEntry>) -> Manifest {
        Manifest { checksum: format!("xxh3:{}", hex(0)), version: VERSION, progress, files, tensors }
    }

    /// Returns the contents of the file.
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, String> {
        let mut bytes = serde_json::to_vec(self).map_err(|e| e.to_string())?;
        let sum = hex(xxh3_64(&bytes));
        bytes.get_mut(CHECKSUM_DIGITS).ok_or("the manifest has no checksum")?.copy_from_slice(sum.as_bytes());
        Ok(bytes)
    }

    /// Reads the manifest of the checkpoint in a folder.
    ///
    /// # Errors
    /// `K001` for a missing or damaged manifest, `F002` for one of another version.
    pub(super) fn read(folder: &Path) -> Result<Manifest, Diagnostic> {
        let (path, named) = (folder.join(MANIFEST_FILE), folder.display());
        if !path.exists() {
            let title = format!("checkpoint `{named}` is incomplete: it has no `{MANIFEST_FILE}`");
            return Err(Diagnostic::new(Code::K001, title).note("the manifest is written last, after all shards"));
        }
        let damaged = |why: String| {
            Diagnostic::new(Code::K001, format!("checkpoint `{named}` is damaged: `{MANIFEST_FILE}` {why}"))
        };
        // A manifest that is not text is damaged; other errors are those of the operating system.
        let text =
            read_text(&path).map_err(|e| if e.code == Code::F002 { damaged("is not text".into()) } else { e })?;
        let mut bytes = text.into_bytes();
        let recorded = bytes.get(CHECKSUM_DIGITS).map(|digits| String::from_utf8_lossy(digits).into_owned());
        let recorded = recorded.filter(|_| bytes.starts_with(START.as_bytes()));
        let recorded = recorded.ok_or_else(|| damaged("does not start with a checksum".into()))?;
        bytes[CHECKSUM_DIGITS].fill(b'0');
        let found = hex(xxh3_64(&bytes));
        if found != recorded {
            let note = format!("the recorded checksum is {recorded}, the checksum of its bytes {found}");
            return Err(damaged("does not match its checksum".into()).note(note));
        }
        let unsupported = |why: String| {
            // With a matching checksum, the file is intact: another version of the program wrote it.
            Diagnostic::new(Code::F002, format!("checkpoint `{named}` has an unsupported format")).note(why)
        };
        let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|e| unsupported(e.to_string()))?;
        if manifest.version != VERSION {
            return Err(unsupported(format!("its version is {}, this program reads {VERSION}", manifest.version)));
        }
        let is_name = |name: &str| {
            let mut parts = Path::new(name).components();
            matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None))
        };
        match manifest.files.iter().find(|file| !is_name(&file.name)) {
            Some(file) => Err(unsupported(format!("`{}` is not the name of a file", file.name))),
            None => Ok(manifest),
        }
    }
}

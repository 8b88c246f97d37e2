//! Zip archives of exported programs.
//!
//! Entries are read one at a time, and only those that the import needs. The declared size of an entry is compared with
//! the expected size before its content is read, and the content of all entries is limited like the size of the file.
//! Names of entries are keys; no path of the file system is derived from them.

use partita_ir::diag::{Code, Diagnostic};
use partita_ir::input_file::{self, FileLimit};
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use zip::ZipArchive;
use zip::read::{ArchiveOffset, Config};

/// Maximum size of an entry with JSON, in bytes. Graphs of 100 layers have about 20 MB.
const MAX_JSON_BYTES: u64 = 256 << 20;

/// Suffix of the name of an entry with an exported program.
const MODEL_SUFFIX: &str = ".json";

/// Entry with the exported program in archives of PyTorch before 2.8.
const OLD_MODEL: &str = "serialized_exported_program.json";

/// Source of the bytes of an archive.
trait Bytes: Read + Seek + Send {}

impl<T: Read + Seek + Send> Bytes for T {}

/// An opened archive.
pub struct Archive {
    zip: ZipArchive<Box<dyn Bytes>>,
    /// Path of the archive, for messages.
    path: PathBuf,
    /// Folder that contains all entries, with a slash; empty if there is none.
    root: String,
    /// Bytes of all entries that were read.
    read_bytes: u64,
}

impl Archive {
    /// Opens the archive at a path.
    ///
    /// # Errors
    /// Returns `C001` if the file cannot be read, `F002` if it is not an archive, `T004` if it is too long.
    pub fn open(path: &Path) -> Result<Archive, Diagnostic> {
        let file = input_file::open(path)?;
        let length = file.metadata().map_err(|e| Diagnostic::io_error("read", path, &e))?.len();
        FileLimit::EXPORTED.check(path, length)?;
        Archive::new(Box::new(BufReader::new(file)), path)
    }

    /// Opens an archive in memory; `path` is its name in messages.
    ///
    /// # Errors
    /// Returns `F002` if the bytes are not an archive.
    pub fn from_bytes(bytes: Vec<u8>, path: &Path) -> Result<Archive, Diagnostic> {
        Archive::new(Box::new(Cursor::new(bytes)), path)
    }

    fn new(bytes: Box<dyn Bytes>, path: &Path) -> Result<Archive, Diagnostic> {
        // PyTorch stores whole archives as entries, so that an offset is not guessed from what looks like a header.
        let config = Config { archive_offset: ArchiveOffset::Known(0) };
        let zip = ZipArchive::with_config(config, bytes).map_err(|e| {
            let title = format!("`{}` is truncated, or not an exported PyTorch program", path.display());
            Diagnostic::new(Code::F002, title)
                .note(format!("it is not a zip file: {e}"))
                .help("write it with `torch.export.save(torch.export.export(model, args), \"model.pt2\")`")
        })?;
        Ok(Archive { zip, path: path.to_owned(), root: String::new(), read_bytes: 0 })
    }

    /// Returns an `F002` diagnostic for a damaged archive; `what` follows its path.
    pub fn damaged(&self, what: impl std::fmt::Display) -> Diagnostic {
        Diagnostic::new(Code::F002, format!("`{}` {what}", self.path.display()))
    }

    /// Reads the exported program, and remembers the folder around it.
    ///
    /// # Errors
    /// Returns `F002` if there is no exported program or several, `F003` for archives of PyTorch before 2.8 and of
    /// machines that store the highest byte of a number first, and those of [`Archive::read`].
    pub fn read_program(&mut self) -> Result<Vec<u8>, Diagnostic> {
        let models: Vec<(String, String)> = self
            .zip
            .file_names()
            .flatten()
            .filter_map(|name| {
                let (root, model) = name.split_once("models/")?;
                let is_root = root.is_empty() || root.find('/') == root.len().checked_sub(1);
                let is_model = model.ends_with(MODEL_SUFFIX) && !model.contains('/');
                (is_root && is_model).then(|| (root.to_owned(), name.clone().into_owned()))
            })
            .collect();
        let (root, name) = match &models[..] {
            [one] => one.clone(),
            [] => return Err(self.no_program()),
            several => {
                let names: Vec<&str> = several.iter().map(|(_, name)| name.as_str()).collect();
                let error = self.damaged(format!("contains {} exported programs, not 1", several.len()));
                return Err(error
                    .note(format!("they are {}", names.join(", ")))
                    .help("save each program to a file of its own"));
            }
        };
        self.root = root;
        let byte_order = format!("{}byteorder", self.root);
        if self.zip.index_for_name(&byte_order).is_some() && self.read_text(&byte_order)?.trim() != "little" {
            let title = format!("the weights of `{}` are not little-endian", self.path.display());
            return Err(Diagnostic::new(Code::F003, title).help("save the program on a little-endian machine"));
        }
        self.read_entry(&name, MAX_JSON_BYTES)
    }

    /// Builds the error for an archive without an exported program.
    fn no_program(&self) -> Diagnostic {
        let names: Vec<_> = self.zip.file_names().flatten().collect();
        let resave =
            "save it again with PyTorch 2.9 or later: `torch.export.save(torch.export.load(OLD), \"new.pt2\")`";
        if names.iter().any(|name| name == OLD_MODEL || name.ends_with(&format!("/{OLD_MODEL}"))) {
            let title =
                format!("`{}` was saved by PyTorch 2.7 or earlier, whose format is not read", self.path.display());
            return Diagnostic::new(Code::F003, title).help(resave);
        }
        if names.iter().any(|name| name.contains("data/aotinductor/")) {
            return self.damaged("contains compiled code, not an exported program").help(
                "save the program before it is compiled: `torch.export.save(torch.export.export(model, args), PATH)`",
            );
        }
        self.damaged("contains no exported program")
            .note("an exported program is an entry `models/NAME.json`")
            .help("write it with `torch.export.save(torch.export.export(model, args), \"model.pt2\")`")
    }

    /// Reads an entry with JSON, below the folder of the program; `None` if there is no such entry.
    ///
    /// # Errors
    /// The errors of [`Archive::read`].
    pub fn read_json(&mut self, name: &str) -> Result<Option<Vec<u8>>, Diagnostic> {
        let name = format!("{}{name}", self.root);
        match self.zip.index_for_name(&name) {
            Some(_) => self.read_entry(&name, MAX_JSON_BYTES).map(Some),
            None => Ok(None),
        }
    }

    /// Reads an entry below the folder of the program, of at most `limit` bytes.
    ///
    /// # Errors
    /// Returns `F002` if there is no such entry, or if it is damaged; `T004` if it is longer than the limit, or if the
    /// entries that were read exceed the limit of files or the memory of this machine.
    pub fn read(&mut self, name: &str, limit: u64) -> Result<Vec<u8>, Diagnostic> {
        let name = format!("{}{name}", self.root);
        self.read_entry(&name, limit)
    }

    fn read_text(&mut self, name: &str) -> Result<String, Diagnostic> {
        let bytes = self.read_entry(name, 1 << 10)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn read_entry(&mut self, name: &str, limit: u64) -> Result<Vec<u8>, Diagnostic> {
        let path = self.path.display().to_string();
        let damaged = |why: &dyn std::fmt::Display| {
            Diagnostic::new(Code::F002, format!("entry `{name}` of `{path}` is damaged")).note(why.to_string())
        };
        if self.zip.index_for_name(name).is_none() {
            return Err(self.damaged(format!("lacks the entry `{name}`")));
        }
        let mut entry = self.zip.by_name(name).map_err(|e| damaged(&e))?;
        let size = entry.size();
        if size > limit {
            return Err(Diagnostic::new(Code::T004, format!("entry `{name}` of `{path}` is too long"))
                .note(format!("it has {size} bytes, more than {limit}")));
        }
        self.read_bytes = self.read_bytes.saturating_add(size);
        FileLimit::EXPORTED.check(&self.path, self.read_bytes)?;
        let mut bytes = Vec::new();
        entry.by_ref().take(size).read_to_end(&mut bytes).map_err(|e| damaged(&e))?;
        // The end of the entry checks its checksum.
        let rest = entry.read(&mut [0]).map_err(|e| damaged(&e))?;
        if bytes.len() as u64 != size || rest > 0 {
            return Err(damaged(&format!("it has {} bytes, but states {size}", bytes.len())));
        }
        Ok(bytes)
    }
}

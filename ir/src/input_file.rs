//! Input files: the only module that opens files whose paths come from users, plans or models.
//!
//! Only regular files are read. Opening a FIFO blocks until another process writes to it, reading a device may never
//! end, and opening some devices has side effects. Therefore the metadata of the path is checked first, the file is
//! opened in non-blocking mode, and the metadata of the opened file is checked again, since the path may have been
//! replaced in between. `/dev/stdin` is read like standard input.
//!
//! Each format has a maximum file size ([`FileLimit`]). The size of the file is checked before the content is read.

use crate::diag::{Code, Diagnostic};
use crate::units;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Maximum file size of one format. A file larger than the memory of the machine is rejected as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileLimit {
    /// Maximum size in bytes.
    pub bytes: u64,
    /// Name of the format in messages.
    pub format: &'static str,
    /// Suggestion for files that exceed the limit; may be empty.
    pub help: &'static str,
}

impl FileLimit {
    /// Program text, plans, machine descriptions, text data sets and sweep results.
    pub const TEXT: FileLimit = FileLimit { bytes: 1 << 30, format: "text", help: "" };
    /// `.onnx`: a protobuf message cannot exceed 2 GiB.
    pub const ONNX: FileLimit = FileLimit { bytes: 1 << 31, format: "ONNX", help: "save its weights as external data" };
    /// `.pt2`: exported PyTorch programs, which contain weights.
    pub const EXPORTED: FileLimit = FileLimit { bytes: 64 << 30, format: "exported PyTorch", help: "" };
    /// `.safetensors`: inputs, data sets and checkpoints. Parameters of a model with 5 billion parameters and its Adam
    /// state in `f32` take 56 GiB.
    pub const TENSORS: FileLimit =
        FileLimit { bytes: 64 << 30, format: "safetensors", help: "split it into several files" };
    /// `.partita`: compiled models, which may contain weights.
    pub const ARTEFACT: FileLimit = FileLimit {
        bytes: 64 << 30,
        format: "Partita",
        help: "compile without `--weights` and give them as an input file: `--input FILE.safetensors`",
    };

    /// Checks that a file of `length` bytes is within the limit and within the memory of the machine.
    ///
    /// # Errors
    /// `T004`
    pub fn check(self, path: &Path, length: u64) -> Result<(), Diagnostic> {
        let memory = physical_memory();
        if length > memory {
            let title = format!("`{}` is longer than the memory of this machine", path.display());
            return Err(Diagnostic::new(Code::T004, title)
                .note(format!("it has {length} bytes, the machine has {memory} bytes of memory")));
        }
        if length <= self.bytes {
            return Ok(());
        }
        let title = format!("`{}` is longer than {}", path.display(), units::format_bytes(self.bytes));
        let error = Diagnostic::new(Code::T004, title)
            .note(format!("it has {length} bytes; a {} file may have {}", self.format, self.bytes));
        Err(if self.help.is_empty() { error } else { error.help(self.help) })
    }
}

/// Opens a regular file for reading.
///
/// # Errors
/// `C001` if the file does not exist, is a FIFO, device, socket or directory, or cannot be opened.
pub fn open(path: &Path) -> Result<File, Diagnostic> {
    open_regular(path).map(|(file, _)| file)
}

/// Reads a regular file, or standard input if the path is `/dev/stdin`.
///
/// # Errors
/// `T004` if the file is larger than the limit, otherwise those of [`open`].
pub fn read(path: &Path, limit: FileLimit) -> Result<Vec<u8>, Diagnostic> {
    if is_standard_input(path) {
        return read_at_most(io::stdin().lock(), path, limit);
    }
    let (file, metadata) = open_regular(path)?;
    limit.check(path, metadata.len())?;
    read_at_most(file, path, limit)
}

/// Reads a UTF-8 text file.
///
/// # Errors
/// `F002` if the file is not UTF-8, otherwise those of [`read`].
pub fn read_text(path: &Path) -> Result<String, Diagnostic> {
    text(path, read(path, FileLimit::TEXT)?)
}

/// Reads standard input as text. Messages call it `-`.
///
/// # Errors
/// The errors of [`read_text`].
pub fn read_standard_input() -> Result<String, Diagnostic> {
    let name = Path::new("-");
    text(name, read_at_most(io::stdin().lock(), name, FileLimit::TEXT)?)
}

/// Rejects files that are not regular. For callers that open files for reading and writing.
///
/// # Errors
/// An error that names the kind of the file.
pub fn expect_regular(metadata: &Metadata) -> io::Result<()> {
    match special_file_kind(metadata.file_type()) {
        None => Ok(()),
        Some("a directory") => Err(io::ErrorKind::IsADirectory.into()),
        Some(kind) => Err(io::Error::other(format!("it is {kind}, not a regular file"))),
    }
}

/// Opens a regular file and returns it with its metadata.
fn open_regular(path: &Path) -> Result<(File, Metadata), Diagnostic> {
    let refused = |e: io::Error| {
        let error = Diagnostic::io_error("read", path, &e);
        match e.kind() {
            io::ErrorKind::Other => error.help("save its content to a file and name that"),
            _ => error,
        }
    };
    let checked = || {
        expect_regular(&path.metadata()?)?;
        let file = nonblocking_options().open(path)?;
        let metadata = file.metadata()?;
        expect_regular(&metadata)?;
        Ok((file, metadata))
    };
    checked().map_err(refused)
}

/// Returns options for reading that do not block on a FIFO that replaced the regular file after the first check.
fn nonblocking_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    options
}

/// Returns the kind of a file that is not regular, or `None` for a regular file.
fn special_file_kind(kind: FileType) -> Option<&'static str> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kinds = [
            (kind.is_fifo(), "a named pipe"),
            (kind.is_socket(), "a socket"),
            (kind.is_char_device(), "a character device"),
            (kind.is_block_device(), "a block device"),
        ];
        if let Some((_, name)) = kinds.into_iter().find(|(is_kind, _)| *is_kind) {
            return Some(name);
        }
    }
    match (kind.is_file(), kind.is_dir()) {
        (true, _) => None,
        (_, true) => Some("a directory"),
        _ => Some("a special file"),
    }
}

/// Returns true if the path is the operating system's name for standard input.
fn is_standard_input(path: &Path) -> bool {
    cfg!(unix) && path == Path::new("/dev/stdin")
}

/// Reads to the end of the file, but at most one byte beyond the limit: the file may have grown since its metadata was
/// read.
fn read_at_most(from: impl Read, path: &Path, limit: FileLimit) -> Result<Vec<u8>, Diagnostic> {
    let mut bytes = Vec::new();
    let read = from.take(limit.bytes.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|e| Diagnostic::io_error("read", path, &e))?;
    limit.check(path, bytes.len() as u64)?;
    Ok(bytes)
}

/// Decodes UTF-8.
fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Diagnostic> {
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = 1 + e.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count();
        Diagnostic::new(Code::F002, format!("`{}` is not text", path.display()))
            .note(format!("byte {at}, on line {line}, is not UTF-8"))
    })
}

/// Returns the physical memory of this machine in bytes; `u64::MAX` if unknown.
fn physical_memory() -> u64 {
    #[cfg(target_os = "linux")]
    {
        let system = rustix::system::sysinfo();
        // The field's width differs between platforms.
        #[allow(clippy::useless_conversion, reason = "`totalram` has 32 bits on some platforms")]
        u64::from(system.totalram).saturating_mul(u64::from(system.mem_unit))
    }
    #[cfg(not(target_os = "linux"))]
    u64::MAX
}

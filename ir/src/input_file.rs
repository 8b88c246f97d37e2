//! Input files: the one module that opens files whose paths come from users, plans or models.
//!
//! Only regular files are read. Opening a FIFO blocks until somebody writes to it, reading a device may never end, and
//! opening some devices has side effects. So the metadata of the path is checked first, the file is opened without
//! blocking, and the metadata of the opened file is checked again, since the path may name something else by then.
//! `/dev/stdin` is read like standard input.
//!
//! Each format has a longest accepted file ([`Limit`]). The length of the file is compared with it before the content
//! is read.

use crate::diag::{Code, Diagnostic};
use crate::units;
use std::fs::{File, FileType, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// The longest accepted file of one format. A file longer than the memory of the machine is rejected as well.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    /// Bytes.
    pub bytes: u64,
    /// The format, as messages call it.
    pub format: &'static str,
    /// A way around the limit, if there is one.
    pub help: &'static str,
}

impl Limit {
    /// Program text, plans, machines, data sets in text, results of sweeps.
    pub const TEXT: Limit = Limit { bytes: 1 << 30, format: "text", help: "" };
    /// `.onnx`: a protobuf message cannot be longer.
    pub const ONNX: Limit = Limit { bytes: 1 << 31, format: "ONNX", help: "save its weights as external data" };
    /// `.safetensors`: inputs, data sets and checkpoints. A model of 5 billion parameters with the state of Adam in
    /// `f32` has 56 GiB.
    pub const TENSORS: Limit = Limit { bytes: 64 << 30, format: "safetensors", help: "split it into several files" };
    /// `.partita`: compiled models, which may hold weights.
    pub const ARTEFACT: Limit = Limit {
        bytes: 64 << 30,
        format: "Partita",
        help: "compile without `--weights` and give them as an input file: `--input FILE.safetensors`",
    };

    /// Rejects a file of that length.
    ///
    /// # Errors
    /// `T004`
    fn check(self, path: &Path, length: u64) -> Result<(), Diagnostic> {
        let memory = memory();
        if length > memory {
            let title = format!("`{}` is longer than the memory of this machine", path.display());
            return Err(Diagnostic::new(Code::T004, title)
                .note(format!("it has {length} bytes, the machine has {memory} bytes of memory")));
        }
        if length <= self.bytes {
            return Ok(());
        }
        let title = format!("`{}` is longer than {}", path.display(), units::bytes(self.bytes));
        let error = Diagnostic::new(Code::T004, title)
            .note(format!("it has {length} bytes; a {} file may have {}", self.format, self.bytes));
        Err(if self.help.is_empty() { error } else { error.help(self.help) })
    }
}

/// Opens a regular file for reading.
///
/// # Errors
/// `C001` when there is none, when it is a FIFO, device, socket or directory, or when the operating system refuses.
pub fn open(path: &Path) -> Result<File, Diagnostic> {
    opened(path).map(|(file, _)| file)
}

/// Reads a regular file, or standard input where the path is `/dev/stdin`.
///
/// # Errors
/// `T004` when it is longer than the limit, else as [`open`].
pub fn read(path: &Path, limit: Limit) -> Result<Vec<u8>, Diagnostic> {
    if is_standard_input(path) {
        return read_at_most(io::stdin().lock(), path, limit);
    }
    let (file, metadata) = opened(path)?;
    limit.check(path, metadata.len())?;
    read_at_most(file, path, limit)
}

/// Reads a text file.
///
/// # Errors
/// `F002` when it is not UTF-8, else as [`read`].
pub fn read_text(path: &Path) -> Result<String, Diagnostic> {
    text(path, read(path, Limit::TEXT)?)
}

/// Reads standard input as text; its name in messages is `-`.
///
/// # Errors
/// As [`read_text`].
pub fn read_standard_input() -> Result<String, Diagnostic> {
    let name = Path::new("-");
    text(name, read_at_most(io::stdin().lock(), name, Limit::TEXT)?)
}

/// Rejects what is not a regular file, for files that are opened for reading and writing.
///
/// # Errors
/// The kind of the file, in words.
pub fn expect_regular(metadata: &Metadata) -> io::Result<()> {
    match special(metadata.file_type()) {
        None => Ok(()),
        Some("a directory") => Err(io::ErrorKind::IsADirectory.into()),
        Some(kind) => Err(io::Error::other(format!("it is {kind}, not a regular file"))),
    }
}

/// Opens a regular file, and returns its metadata.
fn opened(path: &Path) -> Result<(File, Metadata), Diagnostic> {
    let refused = |e: io::Error| {
        let error = Diagnostic::of_file("read", path, &e);
        match e.kind() {
            io::ErrorKind::Other => error.help("save its content to a file and name that"),
            _ => error,
        }
    };
    let checked = || {
        expect_regular(&path.metadata()?)?;
        let file = without_blocking().open(path)?;
        let metadata = file.metadata()?;
        expect_regular(&metadata)?;
        Ok((file, metadata))
    };
    checked().map_err(refused)
}

/// Options that open a FIFO at once, which replaced a regular file since its metadata was read.
fn without_blocking() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    options
}

/// The kind of a file that is not regular.
fn special(kind: FileType) -> Option<&'static str> {
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

/// Whether the path is the name that the operating system has for standard input.
fn is_standard_input(path: &Path) -> bool {
    cfg!(unix) && path == Path::new("/dev/stdin")
}

/// Reads to the end, which may be farther away than the metadata said.
fn read_at_most(from: impl Read, path: &Path, limit: Limit) -> Result<Vec<u8>, Diagnostic> {
    let mut bytes = Vec::new();
    let read = from.take(limit.bytes.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|e| Diagnostic::of_file("read", path, &e))?;
    limit.check(path, bytes.len() as u64)?;
    Ok(bytes)
}

/// The text that the bytes of a file encode.
fn text(path: &Path, bytes: Vec<u8>) -> Result<String, Diagnostic> {
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        let line = 1 + e.as_bytes()[..at].iter().filter(|&&b| b == b'\n').count();
        Diagnostic::new(Code::F002, format!("`{}` is not text", path.display()))
            .note(format!("byte {at}, on line {line}, is not UTF-8"))
    })
}

/// Bytes of memory of this machine, if the operating system says.
fn memory() -> u64 {
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

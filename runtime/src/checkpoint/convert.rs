//! Verification of saved checkpoints, and conversion between their forms.

use super::disk::{SystemDisk, create_folder, write_atomically, write_content_atomically};
use super::file;
use super::manifest::{MANIFEST_FILE, hex};
use super::saved::{SavedCheckpoint, SavedFile};
use super::sharded::{FileShard, ShardFile, manifest};
use super::sums::ElementSum;
use super::tensor_file::{TensorFile, stored_bytes};
use crate::extent::Extent;
use crate::io::stored_dtype;
use crate::source::SLAB_ELEMENTS;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Name of the index of a model in several files, as Hugging Face libraries write it.
const INDEX_FILE: &str = "model.safetensors.index.json";

/// Result of the verification of a file.
#[derive(Clone, Debug)]
pub struct FileStatus {
    /// Name of the file.
    pub name: String,
    /// Number of bytes when it was written.
    pub bytes: u64,
    /// The error, if the file is missing or damaged.
    pub error: Option<Diagnostic>,
}

/// Verifies all files of a checkpoint.
pub fn file_states(saved: &SavedCheckpoint) -> Vec<FileStatus> {
    let status = |(number, file): (usize, &SavedFile)| {
        let error = verify_file(saved, number, file).err();
        FileStatus { name: file.name.clone(), bytes: file.bytes, error }
    };
    saved.files().iter().enumerate().map(status).collect()
}

impl SavedCheckpoint {
    /// Verifies all files.
    ///
    /// # Errors
    /// `C001` and `K001`.
    pub fn verify_all(&self) -> Result<(), Diagnostic> {
        self.files().iter().enumerate().try_for_each(|(number, file)| verify_file(self, number, file))
    }
}

fn verify_file(saved: &SavedCheckpoint, number: usize, file: &SavedFile) -> Result<(), Diagnostic> {
    // The form with one file was verified when it was opened.
    let Some((header_bytes, checksum)) = &file.header else { return Ok(()) };
    let tensors = saved.tensors().iter();
    let shards = tensors.flat_map(|(name, tensor)| tensor.shards.iter().map(move |shard| (name, tensor, shard)));
    let shards: Vec<_> = shards.filter(|(.., shard)| shard.file == number).collect();
    let mut header = Vec::new();
    let opened = saved.open_file(file, shards.first().map_or("", |(name, ..)| name))?;
    opened
        .take(*header_bytes)
        .read_to_end(&mut header)
        .map_err(|e| Diagnostic::io_error("read", &saved.path().join(&file.name), &e))?;
    if hex(xxh3_64(&header)) != *checksum {
        let (checkpoint, name) = (saved.path().display(), &file.name);
        let title = format!("checkpoint `{checkpoint}` is damaged: the header of `{name}` has changed");
        return Err(Diagnostic::new(Code::K001, title).note("its checksum does not match"));
    }
    for (name, tensor, shard) in shards {
        let mut sum = ElementSum::default();
        for part in shard.extent.slabs(SLAB_ELEMENTS) {
            saved.read_part((name, tensor), shard, &part, &mut sum)?;
        }
        if shard.checksum.is_some_and(|checksum| checksum != sum.sum) {
            return Err(saved.damaged_shard(name, shard));
        }
    }
    Ok(())
}

/// Result of [`merge`].
#[derive(Clone, Debug)]
pub enum MergeTarget {
    /// One file, in the form that one process writes.
    File(PathBuf),
    /// A folder with files of at most `max_bytes` bytes of tensors, or with a single tensor, and their index.
    Folder {
        /// Path of the folder.
        path: PathBuf,
        /// Maximum number of bytes.
        max_bytes: u64,
    },
}

/// Writes a checkpoint with global tensors. Both forms are checkpoints, from which training resumes.
///
/// # Errors
/// `K001` for a damaged checkpoint, `K004` when the result cannot be written; it is then absent.
pub fn merge(saved: &SavedCheckpoint, target: &MergeTarget) -> Result<(), Diagnostic> {
    saved.verify_all()?;
    match target {
        MergeTarget::File(path) => merge_to_file(saved, path),
        MergeTarget::Folder { path, max_bytes } => {
            let mut groups: Vec<Vec<FileShard>> = vec![Vec::new()];
            let mut bytes = 0;
            for (name, tensor) in saved.tensors() {
                let more = stored_bytes(&tensor.ty);
                if bytes + more > *max_bytes && groups.last().is_some_and(|group| !group.is_empty()) {
                    groups.push(Vec::new());
                    bytes = 0;
                }
                bytes += more;
                let extent = Extent::full(&tensor.ty.shape);
                let shard = FileShard { name: name.clone(), ty: tensor.ty.clone(), extent };
                if let Some(group) = groups.last_mut() {
                    group.push(shard);
                }
            }
            let count = groups.len();
            let name = |i: usize| format!("model-{:05}-of-{count:05}.safetensors", i + 1);
            let files = groups.into_iter().enumerate().map(|(i, shards)| ShardFile::new(name(i), shards));
            write_folder(saved, path, files.collect::<Result<_, _>>(), true)
        }
    }
}

/// Writes a checkpoint as a sharded one for `count` processes: a file for each, with a block of rows of every tensor.
///
/// # Errors
/// `K001` for a damaged checkpoint, `K004` when the result cannot be written; it is then absent.
pub fn split(saved: &SavedCheckpoint, path: &Path, count: usize) -> Result<(), Diagnostic> {
    saved.verify_all()?;
    let shards = |process: usize| {
        let tensors = saved.tensors().iter().filter(move |(_, tensor)| process == 0 || tensor.ty.shape.rank() > 0);
        let shards = tensors.map(move |(name, tensor)| {
            let extent = Extent::of_rows(&tensor.ty.shape, process, count);
            let extent = if tensor.ty.shape.rank() == 0 { Extent::full(&tensor.ty.shape) } else { extent };
            FileShard { name: name.clone(), ty: tensor.ty.clone(), extent }
        });
        // A tensor without elements is an empty shard of the first process.
        shards.filter(|shard| !shard.extent.is_empty() || process == 0).collect::<Vec<_>>()
    };
    let name = |process: usize| format!("rank-{process:05}-of-{count:05}.safetensors");
    let files = (0..count).map(|process| (name(process), shards(process))).filter(|(_, shards)| !shards.is_empty());
    let files = files.map(|(name, shards)| ShardFile::new(name, shards)).collect::<Result<_, _>>();
    write_folder(saved, path, files, false)
}

/// Writes the files of a sharded checkpoint to a new folder, and then their index, if `has_index`, and the manifest.
fn write_folder(
    saved: &SavedCheckpoint,
    path: &Path,
    files: Result<Vec<ShardFile>, String>,
    has_index: bool,
) -> Result<(), Diagnostic> {
    let failed = |path: &Path, error: WriteError| error.into_diagnostic(path);
    let files = files.map_err(|why| failed(path, WriteError::Output(io::Error::other(why))))?;
    if path.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        let title = format!("cannot write checkpoint `{}`: the folder is not empty", path.display());
        return Err(Diagnostic::new(Code::K004, title).help("name a new folder: `--output DIR`"));
    }
    create_folder(&SystemDisk, path).map_err(|e| failed(path, WriteError::Output(e)))?;
    let write = || {
        let mut sums = Vec::with_capacity(files.len());
        for file in &files {
            let mut of_file = vec![0; file.shards.len()];
            let at = path.join(&file.name);
            write_tensors(&at, &mut |out| {
                out(&file.layout.header)?;
                for &i in &file.layout.order {
                    of_file[i] = copy_extent(saved, &file.shards[i].name, &file.shards[i].extent, out)?;
                }
                Ok(())
            })
            .map_err(|e| failed(&at, e))?;
            sums.push(of_file);
        }
        if has_index {
            let at = path.join(INDEX_FILE);
            let index = serde_json::to_vec_pretty(&index(saved, &files)).map_err(io::Error::from);
            index
                .and_then(|bytes| write_atomically(&SystemDisk, &at, &bytes))
                .map_err(|e| failed(&at, WriteError::Output(e)))?;
        }
        let at = path.join(MANIFEST_FILE);
        let bytes = manifest(saved.progress(), &files, &sums).to_bytes().map_err(io::Error::other);
        bytes
            .and_then(|bytes| write_atomically(&SystemDisk, &at, &bytes))
            .map_err(|e| failed(&at, WriteError::Output(e)))
    };
    write().inspect_err(|_: &Diagnostic| {
        let names = files.iter().map(|file| file.name.as_str()).chain([INDEX_FILE, MANIFEST_FILE]);
        names.for_each(|name| drop(fs::remove_file(path.join(name))));
        let _ = fs::remove_dir(path);
    })
}

/// Returns the index of a model in several files.
fn index(saved: &SavedCheckpoint, files: &[ShardFile]) -> serde_json::Value {
    let total: u64 = saved.tensors().values().map(|tensor| stored_bytes(&tensor.ty)).sum();
    let names = files.iter().flat_map(|file| file.shards.iter().map(move |shard| (&shard.name, &file.name)));
    let map: std::collections::BTreeMap<&String, &String> = names.collect();
    serde_json::json!({ "metadata": { "total_size": total }, "weight_map": map })
}

fn merge_to_file(saved: &SavedCheckpoint, path: &Path) -> Result<(), Diagnostic> {
    let failed = |error: WriteError| error.into_diagnostic(path);
    let tensors: Vec<(&str, Type)> = saved.tensors().iter().map(|(name, t)| (name.as_str(), t.ty.clone())).collect();
    // The metadata contains the length of the file, in a fixed number of digits.
    let layout = |bytes: u64| TensorFile::new(&tensors, &[file::metadata(saved.progress(), bytes)?]);
    let layout = layout(0).and_then(|file| layout(file.bytes));
    let mut layout = layout.map_err(|why| failed(WriteError::Output(io::Error::other(why))))?;
    let copy_all = |layout: &TensorFile, out: &mut Sink<'_>| {
        out(&layout.header)?;
        layout.order.iter().try_for_each(|&i| {
            let extent = Extent::full(&tensors[i].1.shape);
            copy_extent(saved, tensors[i].0, &extent, out).map(|_| ())
        })
    };
    let mut hasher = Xxh3::new();
    let hash = &mut |bytes: &[u8]| {
        hasher.update(bytes);
        Ok(())
    };
    copy_all(&layout, hash).map_err(failed)?;
    file::patch_checksum(&mut layout.header, hasher.digest())
        .map_err(|why| failed(WriteError::Output(io::Error::other(why))))?;
    write_tensors(path, &mut |out| copy_all(&layout, out)).map_err(failed)
}

/// Destination of bytes.
type Sink<'s> = dyn FnMut(&[u8]) -> io::Result<()> + 's;

/// Error while a checkpoint is copied.
enum WriteError {
    /// The checkpoint cannot be read.
    Input(Box<Diagnostic>),
    /// The copy cannot be written.
    Output(io::Error),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> WriteError {
        WriteError::Output(error)
    }
}

impl WriteError {
    fn into_diagnostic(self, path: &Path) -> Diagnostic {
        match self {
            WriteError::Input(error) => *error,
            WriteError::Output(error) => {
                let full = error.kind() == io::ErrorKind::StorageFull;
                let why = if full { "the disk is full".to_owned() } else { error.to_string() };
                Diagnostic::new(Code::K004, format!("cannot write `{}`: {why}", path.display()))
            }
        }
    }
}

/// Writes a file from a function that may fail to read its input.
fn write_tensors(
    path: &Path,
    content: &mut dyn FnMut(&mut Sink<'_>) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    let mut input_error = None;
    let written = write_content_atomically(&SystemDisk, path, &mut |out: &mut dyn Write| {
        content(&mut |bytes| out.write_all(bytes)).map_err(|error| match error {
            WriteError::Output(error) => error,
            WriteError::Input(error) => {
                input_error = Some(error);
                io::Error::other("the input cannot be read")
            }
        })
    });
    match input_error {
        Some(error) => Err(WriteError::Input(error)),
        None => Ok(written?),
    }
}

/// Copies an extent of a tensor of a verified checkpoint, and returns its checksum as a shard.
fn copy_extent(saved: &SavedCheckpoint, name: &str, extent: &Extent, out: &mut Sink<'_>) -> Result<u64, WriteError> {
    let Some(tensor) = saved.tensors().get(name) else { return Ok(0) };
    let width = stored_dtype(tensor.ty.dtype).bytes() as usize;
    let mut sum = ElementSum::default();
    for slab in extent.slabs(SLAB_ELEMENTS) {
        let bytes = saved.read_slab((name, tensor), &slab).map_err(|error| WriteError::Input(Box::new(error)))?;
        sum.add(sum.count, &bytes, width);
        out(&bytes)?;
    }
    Ok(sum.sum)
}

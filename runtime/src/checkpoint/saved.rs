//! Reading of checkpoints by extent: each process reads the elements that its devices need.

use super::manifest::{MANIFEST_FILE, Manifest, TensorEntry, from_hex};
use super::sums::ElementSum;
use super::{Checkpoint, Progress, check_param_types, file, folder};
use crate::box_copy::{Index, copy_box_bytes, for_each_run};
use crate::extent::Extent;
use crate::io::stored_dtype;
use crate::processes::Processes;
use crate::source::read_global;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::input_file::{self, FileLimit};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Checkpoint on disk, in one file or sharded. Tensors are read on demand.
#[derive(Debug)]
pub struct SavedCheckpoint {
    path: PathBuf,
    progress: Progress,
    is_sharded: bool,
    files: Vec<SavedFile>,
    tensors: IndexMap<String, SavedTensor>,
    bytes_read: AtomicU64,
}

/// File of a checkpoint.
#[derive(Debug)]
pub struct SavedFile {
    /// Name in the folder of the checkpoint.
    pub name: String,
    /// Number of bytes when it was written.
    pub bytes: u64,
    path: PathBuf,
    /// Number of bytes before the first tensor, and their checksum.
    pub(super) header: Option<(u64, String)>,
    /// Opened on first use.
    open: Mutex<Option<File>>,
}

/// Tensor of a checkpoint.
#[derive(Clone, PartialEq, Debug)]
pub struct SavedTensor {
    /// Global type.
    pub ty: Type,
    /// Disjoint shards that contain all elements.
    pub shards: Vec<SavedShard>,
}

/// Shard of a tensor in a file.
#[derive(Clone, PartialEq, Debug)]
pub struct SavedShard {
    /// Index of the file.
    pub file: usize,
    /// Elements of the shard.
    pub extent: Extent,
    /// Position of the first byte in the file.
    offset: u64,
    /// Checksum of the elements; absent in the form with one checksum for the file.
    pub(super) checksum: Option<u64>,
}

impl SavedCheckpoint {
    /// Opens the checkpoint at a path, a file or the folder of a sharded checkpoint. The checksum of a file is verified
    /// at once, those of shards when they are read.
    ///
    /// # Errors
    /// `C001` when it cannot be read, `K001` when it is damaged or incomplete, `F002` when its format is not supported.
    pub fn open(path: &Path) -> Result<SavedCheckpoint, Diagnostic> {
        SavedCheckpoint::open_on(path, None)
    }

    /// [`SavedCheckpoint::open`] on several processes, of which the first verifies the checksum of a file.
    ///
    /// # Errors
    /// Same as [`SavedCheckpoint::open`], on every process.
    pub fn open_on(path: &Path, processes: Option<&Processes>) -> Result<SavedCheckpoint, Diagnostic> {
        if path.is_dir() {
            return SavedCheckpoint::from_manifest(path, Manifest::read(path)?);
        }
        check_length(path)?;
        if processes.is_none_or(|processes| processes.index() == 0) {
            file::verify(path)?;
        }
        if let Some(processes) = processes {
            // A process that fails makes the others fail; without a failure, the file is intact.
            processes.all_gather_after_work(&[])?;
        }
        Ok(SavedCheckpoint::from_file(path, file::read_header(path)?))
    }

    /// Opens the tensors of a sharded checkpoint, or of any safetensors file, which may have no checksum.
    ///
    /// # Errors
    /// `C001` when it cannot be read, `F002` when it is not a complete safetensors file, `K001` for a damaged manifest.
    pub fn open_tensors(path: &Path) -> Result<SavedCheckpoint, Diagnostic> {
        if path.join(MANIFEST_FILE).exists() {
            return SavedCheckpoint::open(path);
        }
        check_length(path)?;
        let unreadable = |why: String| {
            let title = format!("`{}` is truncated, or not a safetensors file", path.display());
            Diagnostic::new(Code::F002, title).note(why)
        };
        Ok(SavedCheckpoint::from_file(path, file::read_tensors_header(path, &unreadable)?.0))
    }

    fn from_file(path: &Path, contents: file::FileContents) -> SavedCheckpoint {
        let file::FileContents { progress, tensors, bytes } = contents;
        let tensor = |(name, ty, offset): (String, Type, u64)| {
            let shard = SavedShard { file: 0, extent: Extent::full(&ty.shape), offset, checksum: None };
            (name, SavedTensor { ty, shards: vec![shard] })
        };
        let name = path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned());
        let only = SavedFile { name, bytes, path: path.to_owned(), header: None, open: Mutex::new(None) };
        SavedCheckpoint {
            path: path.to_owned(),
            progress,
            is_sharded: false,
            files: vec![only],
            tensors: tensors.into_iter().map(tensor).collect(),
            bytes_read: AtomicU64::new(0),
        }
    }

    /// Opens the checkpoint at a path, or the newest one if the path is a folder of checkpoints; `None` for a folder
    /// without checkpoints.
    ///
    /// # Errors
    /// Same as [`SavedCheckpoint::open`]. For a damaged checkpoint, the help names the newest undamaged one.
    pub fn find(path: &Path, processes: Option<&Processes>) -> Result<Option<SavedCheckpoint>, Diagnostic> {
        let Some(path) = folder::resolve(path) else { return Ok(None) };
        let opened = SavedCheckpoint::open_on(&path, processes);
        opened.map(Some).map_err(|error| folder::with_undamaged(error, &path))
    }

    fn from_manifest(path: &Path, manifest: Manifest) -> Result<SavedCheckpoint, Diagnostic> {
        let unsupported = |why: String| {
            Diagnostic::new(Code::F002, format!("checkpoint `{}` has an unsupported format", path.display())).note(why)
        };
        let files = manifest.files.into_iter().map(|file| SavedFile {
            path: path.join(&file.name),
            name: file.name,
            bytes: file.bytes,
            header: Some((file.header_bytes, file.header_checksum)),
            open: Mutex::new(None),
        });
        let files: Vec<SavedFile> = files.collect();
        let tensors = manifest.tensors.into_iter().map(|entry| {
            let name = entry.name.clone();
            match saved_tensor(entry, &files) {
                Some(tensor) => Ok((name, tensor)),
                None => Err(unsupported(format!("the shards of `{name}` are not a division of it"))),
            }
        });
        let tensors = tensors.collect::<Result<_, _>>()?;
        let (path, progress) = (path.to_owned(), manifest.progress);
        Ok(SavedCheckpoint { path, progress, is_sharded: true, files, tensors, bytes_read: AtomicU64::new(0) })
    }

    /// Path of the file, or of the folder of a sharded checkpoint.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Position in the training run.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// True for the form with a manifest and several files.
    pub fn is_sharded(&self) -> bool {
        self.is_sharded
    }

    /// Files, whose positions shards refer to.
    pub fn files(&self) -> &[SavedFile] {
        &self.files
    }

    /// Tensors by name.
    pub fn tensors(&self) -> &IndexMap<String, SavedTensor> {
        &self.tensors
    }

    /// Number of bytes of tensors that were read.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    /// Reads all tensors and verifies all checksums.
    ///
    /// # Errors
    /// `C001` and `K001`.
    pub fn read_all(&self) -> Result<Checkpoint, Diagnostic> {
        let source = super::CheckpointSource::new(self, None);
        let read = |name: &String| Ok((name.clone(), read_global(&source, name, None)?));
        let tensors = self.tensors.keys().map(read).collect::<Result<_, Diagnostic>>()?;
        source.verify()?;
        Ok(Checkpoint { progress: self.progress.clone(), tensors })
    }

    /// Checks that the checkpoint contains exactly the given parameters with the given types.
    ///
    /// # Errors
    /// `K002` with the names that differ.
    pub fn check_params<'m>(&'m self, params: impl Iterator<Item = (&'m str, &'m Type)>) -> Result<(), Diagnostic> {
        let own = self.tensors.iter().map(|(name, tensor)| (name.as_str(), &tensor.ty));
        check_param_types(&self.path, &self.progress.model, own, params)
    }

    /// Reads the elements of `part` of a shard, in the form of the file, and adds them to `sum`. `part` should be
    /// small.
    pub(super) fn read_part(
        &self,
        (name, tensor): (&str, &SavedTensor),
        shard: &SavedShard,
        part: &Extent,
        sum: &mut ElementSum,
    ) -> Result<Vec<u8>, Diagnostic> {
        let file = &self.files[shard.file];
        let mut opened = file.open.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = match &mut *opened {
            Some(opened) => opened,
            none => none.insert(self.open_file(file, name)?),
        };
        let width = stored_dtype(tensor.ty.dtype).bytes() as usize;
        let mut bytes = vec![0; part.count() * width];
        let mut rest = &mut bytes[..];
        let (shape, start) = (shard.extent.shape(), part.start_in(&shard.extent));
        for_each_run(&shape, &start, &part.len, |offset, len| {
            let (run, after) = std::mem::take(&mut rest).split_at_mut(len * width);
            opened.seek(SeekFrom::Start(shard.offset + (offset * width) as u64))?;
            opened.read_exact(run)?;
            sum.add(offset as u64, run, width);
            rest = after;
            Ok(())
        })
        .map_err(|e: std::io::Error| Diagnostic::io_error("read", &file.path, &e))?;
        self.bytes_read.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(bytes)
    }

    /// Reads a small extent of a tensor, in the form of files.
    pub(super) fn read_slab(&self, (name, tensor): (&str, &SavedTensor), slab: &Extent) -> Result<Vec<u8>, Diagnostic> {
        let width = stored_dtype(tensor.ty.dtype).bytes() as usize;
        let (mut bytes, shape) = (vec![0; slab.count() * width], slab.shape());
        for shard in &tensor.shards {
            let Some(part) = shard.extent.intersection(slab) else { continue };
            let read = self.read_part((name, tensor), shard, &part, &mut ElementSum::default())?;
            let (origin, at) = (Index::from_elem(0, part.len.len()), part.start_in(slab));
            copy_box_bytes((&read, &part.shape(), &origin), (&mut bytes, &shape, &at), &part.len, width);
        }
        Ok(bytes)
    }

    /// Opens a file that has a shard of `tensor`.
    pub(super) fn open_file(&self, file: &SavedFile, tensor: &str) -> Result<File, Diagnostic> {
        let (checkpoint, name) = (self.path.display(), &file.name);
        if !file.path.exists() {
            let title = format!("checkpoint `{checkpoint}` is damaged: its file `{name}` is missing");
            return Err(Diagnostic::new(Code::K001, title).note(format!("the file has a shard of `{tensor}`")));
        }
        let opened = input_file::open(&file.path)?;
        let bytes = opened.metadata().map_err(|e| Diagnostic::io_error("read", &file.path, &e))?.len();
        if bytes != file.bytes {
            let title = format!("checkpoint `{checkpoint}` is damaged: its file `{name}` has another length");
            return Err(Diagnostic::new(Code::K001, title)
                .note(format!("it has {bytes} bytes, {} were written", file.bytes))
                .note(format!("the file has a shard of `{tensor}`")));
        }
        Ok(opened)
    }

    /// Returns the error for a shard whose checksum does not match.
    pub(super) fn damaged_shard(&self, tensor: &str, shard: &SavedShard) -> Diagnostic {
        let (checkpoint, file) = (self.path.display(), &self.files[shard.file].name);
        let title = format!("checkpoint `{checkpoint}` is damaged: the shard of `{tensor}` in `{file}` has changed");
        let Extent { start, len } = &shard.extent;
        Diagnostic::new(Code::K001, title)
            .note(format!("the shard has shape {len:?} and starts at index {start:?}; its checksum does not match"))
    }
}

/// Returns the tensor of an entry; `None` if its shards are not a division of it, or are not inside their files.
fn saved_tensor(entry: TensorEntry, files: &[SavedFile]) -> Option<SavedTensor> {
    let dtype = DType::ALL.into_iter().find(|dtype| dtype.name() == entry.dtype)?;
    let shape = Shape::from(&entry.shape[..]);
    let total = shape.checked_count()?;
    let mut shards = Vec::with_capacity(entry.shards.len());
    let mut count = 0usize;
    for shard in entry.shards {
        let extent = Extent { start: Index::from_slice(&shard.start), len: Index::from_slice(&shard.shape) };
        let is_inside = extent.start.len() == shape.rank()
            && extent.len.len() == shape.rank()
            && (0..shape.rank()).all(|d| extent.start[d].checked_add(extent.len[d]).is_some_and(|end| end <= shape[d]));
        let bytes = (extent.shape().checked_count()? as u64).checked_mul(stored_dtype(dtype).bytes())?;
        let end = shard.offset.checked_add(bytes)?;
        if !is_inside || files.get(shard.file).is_none_or(|file| end > file.bytes) {
            return None;
        }
        count = count.checked_add(extent.count())?;
        let checksum = Some(from_hex(&shard.checksum)?);
        shards.push(SavedShard { file: shard.file, extent, offset: shard.offset, checksum });
    }
    (count == total).then_some(SavedTensor { ty: Type { shape, dtype }, shards })
}

/// Rejects a regular file that is too long. Opening rejects everything else.
///
/// # Errors
/// `T004` with the limit.
fn check_length(path: &Path) -> Result<(), Diagnostic> {
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => FileLimit::TENSORS.check(path, metadata.len()),
        Ok(_) | Err(_) => Ok(()),
    }
}

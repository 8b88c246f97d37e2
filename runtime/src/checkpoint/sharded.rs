//! Writing of sharded checkpoints.
//!
//! Every process computes the division of all shards among files. A shard with replicas is written by one of its
//! processes. Each process writes its files and waits until they are on stable storage; then the first process renames
//! the manifest into place. A process that cannot write makes all of them remove their files. When a process is lost,
//! the files stay, because the first process may have completed the checkpoint; the next run removes an incomplete one.

use super::Progress;
use super::disk::{Disk, create_folder, write_atomically};
use super::manifest::{FileEntry, MANIFEST_FILE, Manifest, ShardEntry, TensorEntry, hex};
use super::sums::ElementSum;
use super::tensor_file::{TensorFile, encode, stored_bytes};
use crate::extent::Extent;
use crate::io::stored_dtype;
use crate::processes::Processes;
use crate::state::{ShardData, State, StateShard, StateTensor};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use std::fs;
use std::io::{self, Write};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Metadata entries with which `torch.distributed.checkpoint` reads the shards of a folder (`HuggingFaceStorageReader`
/// in `torch/distributed/checkpoint/hf_storage.py`).
const TORCH_VERSION: (&str, &str) = ("DCP_VERSION", "1.0");
const TORCH_SHARDING: &str = "DCP_SHARDING_INFO";
const TORCH_OFFSETS: &str = "saved_offsets";

/// Shard of a tensor that a file contains.
pub(super) struct FileShard {
    /// Name of the tensor.
    pub(super) name: String,
    /// Global type of the tensor.
    pub(super) ty: Type,
    pub(super) extent: Extent,
}

/// File of a sharded checkpoint, laid out.
pub(super) struct ShardFile {
    pub(super) name: String,
    pub(super) shards: Vec<FileShard>,
    pub(super) layout: TensorFile,
}

impl ShardFile {
    pub(super) fn new(name: String, shards: Vec<FileShard>) -> Result<ShardFile, String> {
        let tensors = shards.iter().map(|shard| {
            let ty = Type { shape: shard.extent.shape(), dtype: shard.ty.dtype };
            (shard.name.as_str(), ty)
        });
        let tensors: Vec<(&str, Type)> = tensors.collect();
        let offsets = shards.iter().map(|shard| {
            let offsets = serde_json::json!({ TORCH_OFFSETS: shard.extent.start.to_vec() });
            (shard.name.clone(), offsets)
        });
        let offsets: serde_json::Map<String, serde_json::Value> = offsets.collect();
        let sharding = serde_json::to_string(&offsets).map_err(|e| e.to_string())?;
        let metadata =
            [(TORCH_VERSION.0, TORCH_VERSION.1.to_owned()), (TORCH_SHARDING, sharding), ("format", "pt".into())];
        let layout = TensorFile::new(&tensors, &metadata)?;
        Ok(ShardFile { name, shards, layout })
    }

    /// Returns the entry of the file in the manifest.
    pub(super) fn entry(&self) -> FileEntry {
        FileEntry {
            name: self.name.clone(),
            bytes: self.layout.bytes,
            header_bytes: self.layout.header.len() as u64,
            header_checksum: hex(xxh3_64(&self.layout.header)),
        }
    }

    /// Returns the entry of a shard in the manifest. `file` is the index of the file.
    pub(super) fn shard_entry(&self, file: usize, shard: usize, sum: u64) -> ShardEntry {
        let (offset, Extent { start, len }) = (self.layout.offsets[shard], &self.shards[shard].extent);
        ShardEntry { file, start: start.to_vec(), shape: len.to_vec(), offset, checksum: hex(sum) }
    }
}

/// Returns the manifest of files whose shards have the given checksums, by file and shard.
pub(super) fn manifest(progress: &Progress, files: &[ShardFile], sums: &[Vec<u64>]) -> Manifest {
    let mut tensors: indexmap::IndexMap<&str, TensorEntry> = indexmap::IndexMap::new();
    for (number, (file, sums)) in files.iter().zip(sums).enumerate() {
        for (i, (shard, &sum)) in file.shards.iter().zip(sums).enumerate() {
            let entry = || TensorEntry {
                name: shard.name.clone(),
                dtype: shard.ty.dtype.name().to_owned(),
                shape: shard.ty.shape.to_vec(),
                shards: Vec::new(),
            };
            tensors.entry(&shard.name).or_insert_with(entry).shards.push(file.shard_entry(number, i, sum));
        }
    }
    let mut tensors: Vec<TensorEntry> = tensors.into_values().collect();
    tensors.sort_by(|a, b| a.name.cmp(&b.name));
    Manifest::new(progress.clone(), files.iter().map(ShardFile::entry).collect(), tensors)
}

/// Destination of a sharded checkpoint.
pub(super) struct Save<'s> {
    /// Folder of the checkpoint.
    pub(super) path: &'s Path,
    pub(super) disk: &'s dyn Disk,
    /// True in the process that writes the manifest.
    pub(super) is_first: bool,
    /// Returns the error for a file of a number of bytes that cannot be written.
    pub(super) refused: &'s dyn Fn(&Path, u64, &io::Error) -> Diagnostic,
}

/// Writes the state of all processes.
pub(super) fn save(at: &Save<'_>, progress: &Progress, state: &State) -> Result<(), Diagnostic> {
    let processes = state.processes.as_deref();
    let (own, count) = processes.map_or((0, 1), |processes| (processes.index(), processes.count()));
    let rank = if processes.is_some() { format!("rank {own} ") } else { String::new() };
    let refused = |path: &Path, bytes: u64, error: &io::Error| {
        let mut refused = (at.refused)(path, bytes, error);
        refused.title = format!("{rank}{}", refused.title);
        refused
    };
    let invalid =
        |why: String| Diagnostic::new(Code::K004, format!("cannot write checkpoint `{}`", at.path.display())).note(why);
    let (files, positions) = divide(state, count).map_err(invalid)?;
    let prepared = || {
        if at.is_first {
            let prepared = remove_sharded(at.path).and_then(|()| create_folder(at.disk, at.path));
            prepared.map_err(|e| {
                let _ = fs::remove_dir(at.path);
                refused(at.path, 0, &e)
            })?;
        }
        Ok(Vec::new())
    };
    all_succeed(processes, prepared()).map_err(Failure::into_error)?;
    let written = || {
        let own_sums = sums(state, own)?;
        for (_, file) in files.iter().filter(|(process, _)| *process == own) {
            let path = at.path.join(&file.name);
            let content =
                &mut |out: &mut dyn Write| file.layout.write(out, |i, out| write_shard(state, &file.shards[i], out));
            at.disk.write(&path, content).map_err(|e| refused(&path, file.layout.bytes, &e))?;
        }
        at.disk.sync_folder(at.path).map_err(|e| refused(at.path, 0, &e))?;
        Ok(own_sums.iter().flat_map(|sum| sum.to_le_bytes()).collect())
    };
    let all = all_succeed(processes, written()).map_err(|failure| {
        if let Failure::Reported(_) = failure {
            for (_, file) in files.iter().filter(|(process, _)| *process == own) {
                let _ = fs::remove_file(at.path.join(&file.name));
            }
            // The processes remove their files concurrently; the last one removes the folder.
            let _ = fs::remove_dir(at.path);
        }
        failure.into_error()
    })?;
    let committed = || {
        let sums = combine_sums(state, &all)?;
        if !at.is_first {
            return Ok(Vec::new());
        }
        for (process, file) in &files {
            let path = at.path.join(&file.name);
            if !path.metadata().is_ok_and(|found| found.len() == file.layout.bytes) {
                let title = format!("rank {process} has written `{}`, which rank 0 does not see", path.display());
                return Err(
                    Diagnostic::new(Code::K004, title).help("save to a folder that all hosts share: `--save DIR`")
                );
            }
        }
        let files: Vec<ShardFile> = files.into_iter().map(|(_, file)| file).collect();
        let sums: Vec<Vec<u64>> = positions
            .iter()
            .map(|shards| shards.iter().map(|&(tensor, shard)| sums[tensor][shard]).collect())
            .collect();
        let bytes = manifest(progress, &files, &sums).to_bytes().map_err(invalid)?;
        let path = at.path.join(MANIFEST_FILE);
        write_atomically(at.disk, &path, &bytes)
            .and_then(|()| at.disk.sync_folder(at.path.parent().unwrap_or(at.path)))
            .map_err(|e| refused(&path, bytes.len() as u64, &e))?;
        Ok(Vec::new())
    };
    let result = all_succeed(processes, committed());
    if let (Err(Failure::Reported(_)), true) = (&result, at.is_first) {
        let _ = remove_sharded(at.path);
    }
    result.map(|_| ()).map_err(Failure::into_error)
}

/// Position of each shard of a file: number of the tensor and of the shard.
type Positions = Vec<(usize, usize)>;

/// Files with the process that writes each, and the positions of their shards.
type Division = (Vec<(usize, ShardFile)>, Vec<Positions>);

/// Divides the shards among files: returns the process that writes each file, and the position of its shards. Shards of
/// a tensor in the same process are in different files, since the names in a file are unique.
fn divide(state: &State, count: usize) -> Result<Division, String> {
    let mut bytes_of = vec![0; count];
    let mut writers: Vec<Vec<usize>> = Vec::with_capacity(state.tensors.len());
    let size = |tensor: &StateTensor, shard: &StateShard| {
        stored_bytes(&Type { shape: shard.extent.shape(), dtype: tensor.ty.dtype })
    };
    for tensor in state.tensors.values() {
        let mut of_tensor = Vec::with_capacity(tensor.shards.len());
        for shard in &tensor.shards {
            let least_loaded = shard.processes.iter().copied().min_by_key(|&process| bytes_of[process]).unwrap_or(0);
            bytes_of[least_loaded] += size(tensor, shard);
            of_tensor.push(least_loaded);
        }
        writers.push(of_tensor);
    }
    let mut files: std::collections::BTreeMap<(usize, usize), (Vec<FileShard>, Positions)> = Default::default();
    for (number, ((name, tensor), writers)) in state.tensors.iter().zip(&writers).enumerate() {
        let mut in_process = vec![0; count];
        for (i, (shard, &writer)) in tensor.shards.iter().zip(writers).enumerate() {
            let (shards, positions) = files.entry((writer, in_process[writer])).or_default();
            in_process[writer] += 1;
            shards.push(FileShard { name: name.clone(), ty: tensor.ty.clone(), extent: shard.extent.clone() });
            positions.push((number, i));
        }
    }
    let mut all = Vec::with_capacity(files.len());
    let mut all_positions = Vec::with_capacity(files.len());
    for ((process, number), (shards, positions)) in files {
        let suffix = if number == 0 { String::new() } else { format!(".{number}") };
        let name = format!("rank-{process:05}-of-{count:05}{suffix}.safetensors");
        all.push((process, ShardFile::new(name, shards)?));
        all_positions.push(positions);
    }
    Ok((all, all_positions))
}

/// Writes the elements of a shard that this process stores.
fn write_shard(state: &State, shard: &FileShard, out: &mut dyn Write) -> io::Result<()> {
    let stored = state.tensors.get(&shard.name);
    let stored = stored.and_then(|tensor| tensor.shards.iter().find(|stored| stored.extent == shard.extent));
    let data =
        stored.and_then(|stored| stored.replicas.first()).ok_or_else(|| io::Error::other("a shard is missing"))?;
    let dtype = shard.ty.dtype;
    data.for_each_slab(&shard.extent, dtype, |part, bytes| out.write_all(&encode(bytes, part, dtype)))
}

/// Returns the checksum of each shard that this process stores, in the order of the state.
///
/// # Errors
/// `R003` when replicas in this process differ.
fn sums(state: &State, own: usize) -> Result<Vec<u64>, Diagnostic> {
    let mut sums = Vec::new();
    for (name, tensor) in &state.tensors {
        for shard in tensor.shards.iter().filter(|shard| shard.processes.contains(&own)) {
            let mut of_replicas = shard.replicas.iter().map(|data| sum_of(data, &shard.extent, tensor.ty.dtype));
            let first = of_replicas.next().unwrap_or_default();
            if of_replicas.any(|other| other != first) {
                return Err(different_replicas(name, tensor, shard));
            }
            sums.push(first);
        }
    }
    Ok(sums)
}

/// Returns the checksum of a shard in memory.
fn sum_of(data: &ShardData, extent: &Extent, dtype: DType) -> u64 {
    let (mut sum, width) = (ElementSum::default(), stored_dtype(dtype).bytes() as usize);
    let added: Result<(), io::Error> = data.for_each_slab(extent, dtype, |part, bytes| {
        sum.add(sum.count, &encode(bytes, part, dtype), width);
        Ok(())
    });
    debug_assert!(added.is_ok(), "the closure does not fail");
    sum.sum
}

/// Returns the checksum of each shard, by tensor and shard, from those that each process has computed.
///
/// # Errors
/// `R003` when replicas in different processes differ.
fn combine_sums(state: &State, all: &[Vec<u8>]) -> Result<Vec<Vec<u64>>, Diagnostic> {
    let words = |bytes: &Vec<u8>| bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect::<Vec<_>>();
    let mut words: Vec<_> = all.iter().map(|bytes| words(bytes).into_iter()).collect();
    let mut combined = Vec::with_capacity(state.tensors.len());
    for (name, tensor) in &state.tensors {
        let mut of_tensor = Vec::with_capacity(tensor.shards.len());
        for shard in &tensor.shards {
            let mut sums =
                shard.processes.iter().filter_map(|&process| words.get_mut(process)?.next()).collect::<Vec<_>>();
            sums.dedup();
            match sums[..] {
                [sum] => of_tensor.push(sum),
                _ => return Err(different_replicas(name, tensor, shard)),
            }
        }
        combined.push(of_tensor);
    }
    Ok(combined)
}

fn different_replicas(name: &str, tensor: &StateTensor, shard: &StateShard) -> Diagnostic {
    let Extent { start, len } = &shard.extent;
    Diagnostic::new(Code::R003, format!("replicas of the same shard of `{name}` differ"))
        .note(format!("the shard of {} has shape {len:?} and starts at index {start:?}", tensor.ty))
}

/// Reason why a phase of saving failed.
enum Failure {
    /// A process cannot write. No process continues with the next phase.
    Reported(Diagnostic),
    /// A process was lost. Others may have continued, and the checkpoint may be complete.
    Lost(Diagnostic),
}

impl Failure {
    fn into_error(self) -> Diagnostic {
        match self {
            Failure::Reported(error) | Failure::Lost(error) => error,
        }
    }
}

/// Returns the bytes of all processes, or the error of the first process that failed, on all processes.
fn all_succeed(processes: Option<&Processes>, own: Result<Vec<u8>, Diagnostic>) -> Result<Vec<Vec<u8>>, Failure> {
    let Some(processes) = processes else { return own.map(|bytes| vec![bytes]).map_err(Failure::Reported) };
    const FAILED: u8 = 0;
    const SUCCEEDED: u8 = 1;
    let message = match &own {
        Ok(bytes) => [&[SUCCEEDED], &bytes[..]].concat(),
        Err(error) => {
            let helps: Vec<&str> = error.helps.iter().map(|help| help.text.as_str()).collect();
            let texts = serde_json::json!([error.code.to_string(), error.title, error.notes, helps]);
            [&[FAILED], texts.to_string().as_bytes()].concat()
        }
    };
    let all = match processes.all_gather_after_work(&message) {
        Ok(all) => all,
        Err(lost) => return Err(own.err().map_or(Failure::Lost(lost), Failure::Reported)),
    };
    if let Some(failed) = all.iter().position(|bytes| bytes.first() != Some(&SUCCEEDED)) {
        // All processes learn of the error before the first one ends, which makes the others fail.
        let _ = processes.all_gather_after_work(&[]);
        return Err(Failure::Reported(own.err().unwrap_or_else(|| error_of(failed, &all[failed]))));
    }
    Ok(all.into_iter().map(|bytes| bytes[1..].to_vec()).collect())
}

/// Returns the error that a process has sent.
fn error_of(process: usize, message: &[u8]) -> Diagnostic {
    type Texts = (String, String, Vec<String>, Vec<String>);
    let texts: Option<Texts> = message.get(1..).and_then(|bytes| serde_json::from_slice(bytes).ok());
    let Some((code, title, notes, helps)) = texts else {
        return Diagnostic::new(Code::R005, format!("rank {process} cannot save the checkpoint"));
    };
    let code = if code == Code::R003.to_string() { Code::R003 } else { Code::K004 };
    let error = notes.into_iter().fold(Diagnostic::new(code, title), Diagnostic::note);
    helps.into_iter().fold(error, Diagnostic::help)
}

/// Removes the checkpoint in a folder, if there is one: first its manifest, so that it is never taken for complete.
/// Other files are left.
pub(super) fn remove_sharded(path: &Path) -> io::Result<()> {
    let ignore_missing = |result: io::Result<()>| match result {
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    ignore_missing(fs::remove_file(path.join(MANIFEST_FILE)))?;
    let entries = match fs::read_dir(path) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    let mut others = false;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_own = name.starts_with("rank-") && name.ends_with(".safetensors") || name.starts_with(MANIFEST_FILE);
        match is_own {
            true => ignore_missing(fs::remove_file(entry.path()))?,
            false => others = true,
        }
    }
    if others { Ok(()) } else { ignore_missing(fs::remove_dir(path)) }
}

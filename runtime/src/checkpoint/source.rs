//! A checkpoint as the source of a run's state, with verification of the shards that all processes read together.

use super::folder::with_undamaged;
use super::saved::SavedCheckpoint;
use super::sums::ElementSum;
use super::tensor_file::decode;
use crate::processes::Processes;
use crate::source::{Destination, SLAB_ELEMENTS, TensorSource, Wanted, missing};
use indexmap::{IndexMap, IndexSet};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::Type;
use std::sync::{Arc, Mutex, PoisonError};

/// Source of the tensors of a checkpoint.
pub struct CheckpointSource<'c> {
    saved: &'c SavedCheckpoint,
    processes: Option<Arc<Processes>>,
    /// Sums of the elements that this process has read, by tensor and shard.
    sums: Mutex<IndexMap<String, Vec<ElementSum>>>,
}

impl<'c> CheckpointSource<'c> {
    /// Creates a source for this process or for several.
    pub fn new(saved: &'c SavedCheckpoint, processes: Option<Arc<Processes>>) -> CheckpointSource<'c> {
        CheckpointSource { saved, processes, sums: Mutex::default() }
    }

    /// Verifies the checksums of all shards that the processes have read completely, together. Must be called by all
    /// processes.
    ///
    /// # Errors
    /// `K001` with the tensor and the file of a damaged shard; the help names the newest undamaged checkpoint.
    pub fn verify(&self) -> Result<(), Diagnostic> {
        let own = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sums = Vec::new();
        for (name, tensor) in self.saved.tensors() {
            let own = own.get(name);
            sums.extend(
                (0..tensor.shards.len()).map(|i| own.and_then(|sums| sums.get(i)).copied().unwrap_or_default()),
            );
        }
        if let Some(processes) = &self.processes {
            let bytes: Vec<u8> = sums.iter().flat_map(|sum| [sum.sum, sum.count]).flat_map(u64::to_le_bytes).collect();
            let all = processes.all_gather_after_work(&bytes)?;
            sums.fill(ElementSum::default());
            for bytes in &all {
                let words: Vec<u64> = bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
                for (sum, pair) in sums.iter_mut().zip(words.chunks_exact(2)) {
                    *sum = sum.plus(ElementSum { sum: pair[0], count: pair[1] });
                }
            }
        }
        let mut sums = sums.into_iter();
        for (name, tensor) in self.saved.tensors() {
            for (shard, sum) in tensor.shards.iter().zip(&mut sums) {
                let is_complete = sum.count == shard.extent.count() as u64;
                if is_complete && shard.checksum.is_some_and(|checksum| checksum != sum.sum) {
                    let error = self.saved.damaged_shard(name, shard);
                    let Some(processes) = &self.processes else {
                        return Err(with_undamaged(error, self.saved.path()));
                    };
                    // All processes fail. One of them looks for another checkpoint; the others wait, since launchers
                    // end all processes with one.
                    let is_first = processes.index() == 0;
                    let error = if is_first { with_undamaged(error, self.saved.path()) } else { error };
                    let _ = processes.all_gather_after_work(&[]);
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}

impl TensorSource for CheckpointSource<'_> {
    fn ty(&self, name: &str) -> Option<Type> {
        self.saved.tensors().get(name).map(|tensor| tensor.ty.clone())
    }

    fn names(&self) -> Vec<String> {
        self.saved.tensors().keys().cloned().collect()
    }

    fn read(&self, wanted: &Wanted<'_>, to: &mut [Destination<'_>]) -> Result<(), Diagnostic> {
        let tensor = self.saved.tensors().get(wanted.name).ok_or_else(|| missing(wanted.name))?;
        let mut all = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first_request = !all.contains_key(wanted.name);
        let sums =
            all.entry(wanted.name.to_owned()).or_insert_with(|| vec![ElementSum::default(); tensor.shards.len()]);
        // An extent that several processes read is counted by the first of them, in the first request for the tensor.
        let counted_elsewhere: IndexSet<_> = wanted.extents.iter().take(wanted.process).flatten().collect();
        for to in to {
            let is_counted = is_first_request && !counted_elsewhere.contains(&to.extent);
            for (shard, sum) in tensor.shards.iter().zip(&mut *sums) {
                let Some(common) = shard.extent.intersection(&to.extent) else { continue };
                for part in common.slabs(SLAB_ELEMENTS) {
                    let mut ignored = ElementSum::default();
                    let sum = if is_counted { &mut *sum } else { &mut ignored };
                    let bytes = self.saved.read_part((wanted.name, tensor), shard, &part, sum);
                    let bytes = bytes.map_err(|error| with_undamaged(error, self.saved.path()))?;
                    to.write(&part, &decode(&bytes, &part, tensor.ty.dtype));
                }
            }
        }
        Ok(())
    }
}

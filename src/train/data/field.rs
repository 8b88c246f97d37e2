//! Fields of a data set, in memory or in a file. From a file, only the samples of a batch are read.

use super::{divide_floats, gather_rows};
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;
use partita_runtime::cache::Fingerprint;
use partita_runtime::checkpoint::{CheckpointSource, SavedCheckpoint};
use partita_runtime::extent::Extent;
use partita_runtime::processes::Processes;
use partita_runtime::source::{SLAB_ELEMENTS, read_extent};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// Field of a data set: a tensor whose first dimension is the sample.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    /// Type of all samples together.
    pub(crate) ty: Type,
    samples: Samples,
    /// Divisor of floating-point samples that are read from a file.
    divisor: Option<f64>,
    /// Smallest and largest integer, computed on first use.
    bounds: Arc<OnceLock<(i64, i64)>>,
}

#[derive(Clone, Debug)]
enum Samples {
    InMemory(Arc<Tensor>),
    /// Tensor of the given name in a safetensors file.
    InFile(Arc<SavedCheckpoint>, String),
}

impl Field {
    pub(crate) fn in_memory(tensor: Tensor) -> Field {
        let ty = tensor.ty.clone();
        Field { ty, samples: Samples::InMemory(Arc::new(tensor)), divisor: None, bounds: Arc::default() }
    }

    pub(crate) fn in_file(file: Arc<SavedCheckpoint>, name: &str, ty: Type) -> Field {
        Field { ty, samples: Samples::InFile(file, name.to_owned()), divisor: None, bounds: Arc::default() }
    }

    /// Returns the number of samples.
    pub(crate) fn len(&self) -> usize {
        self.ty.shape.first().copied().unwrap_or(0)
    }

    /// Returns the samples with the given ids.
    ///
    /// # Errors
    /// Errors of the file.
    pub(crate) fn rows(&self, ids: &[usize]) -> Result<Tensor, Diagnostic> {
        let mut ty = self.ty.clone();
        ty.shape[0] = ids.len();
        match &self.samples {
            Samples::InMemory(tensor) => Ok(gather_rows(tensor, ids, &ty)),
            Samples::InFile(file, name) => {
                let source = CheckpointSource::new(file, None);
                let mut bytes = Vec::with_capacity(ty.bytes() as usize);
                for &id in ids {
                    let mut extent = Extent::full(&self.ty.shape);
                    (extent.start[0], extent.len[0]) = (id, 1);
                    bytes.extend(read_extent(&source, name, &extent)?.to_bytes());
                }
                let tensor = Tensor::from_bytes(ty, &bytes);
                Ok(self.divisor.map_or(tensor.clone(), |by| divide_floats(tensor, by)))
            }
        }
    }

    /// Returns the field with floating-point samples divided by a number.
    pub(crate) fn scaled(mut self, by: f64) -> Field {
        match &self.samples {
            Samples::InMemory(tensor) => Field::in_memory(divide_floats(Tensor::clone(tensor), by)),
            Samples::InFile(..) => {
                self.divisor = Some(by).filter(|_| self.ty.dtype.is_float());
                self
            }
        }
    }

    /// Returns the field in another element type. Samples in a file are converted when they are read.
    pub(crate) fn cast(&self, dtype: DType, cast: impl Fn(&Tensor, DType) -> Tensor) -> Field {
        match &self.samples {
            Samples::InMemory(tensor) => Field::in_memory(cast(tensor, dtype)),
            Samples::InFile(..) => self.clone(),
        }
    }

    /// Calls `on_rows` with the samples with the given ids, some at a time.
    fn for_each_rows(&self, ids: &[usize], mut on_rows: impl FnMut(&Tensor)) -> Result<(), Diagnostic> {
        let each = (self.ty.shape.count() / self.len().max(1)).max(1);
        ids.chunks((SLAB_ELEMENTS / each).max(1)).try_for_each(|ids| {
            on_rows(&self.rows(ids)?);
            Ok(())
        })
    }

    /// Returns the ids among `ids` that this process reads in order to combine a result with the other processes.
    fn share<'i>(&self, ids: &'i [usize], processes: Option<&Processes>) -> &'i [usize] {
        match (&self.samples, processes) {
            (Samples::InFile(..), Some(processes)) => {
                let start = |process: usize| process * ids.len() / processes.count();
                let Range { start, end } = start(processes.index())..start(processes.index() + 1);
                &ids[start..end]
            }
            _ => ids,
        }
    }

    /// Returns the largest magnitude of some samples. Processes divide samples in a file.
    ///
    /// # Errors
    /// Errors of the file and of other processes.
    pub(crate) fn largest(&self, ids: &[usize], processes: Option<&Processes>) -> Result<f64, Diagnostic> {
        let mut largest = 0f64;
        self.for_each_rows(self.share(ids, processes), |rows| {
            largest = rows.scalars().map(|x| x.to_f64().abs()).fold(largest, f64::max);
        })?;
        let all = self.combine(largest.to_le_bytes(), processes)?;
        Ok(all.into_iter().map(f64::from_le_bytes).fold(largest, f64::max))
    }

    /// Returns the smallest and the largest integer of all samples and zero. Processes divide samples in a file.
    ///
    /// # Errors
    /// Errors of the file and of other processes.
    pub(crate) fn bounds(&self, processes: Option<&Processes>) -> Result<(i64, i64), Diagnostic> {
        if let Some(bounds) = self.bounds.get() {
            return Ok(*bounds);
        }
        let ids: Vec<usize> = (0..self.len()).collect();
        let (mut least, mut most) = (0, 0);
        self.for_each_rows(self.share(&ids, processes), |rows| {
            (least, most) = rows.scalars().map(|x| x.to_i64()).fold((least, most), |(a, b), x| (a.min(x), b.max(x)));
        })?;
        for other in self.combine(least.to_le_bytes(), processes)? {
            least = least.min(i64::from_le_bytes(other));
        }
        for other in self.combine(most.to_le_bytes(), processes)? {
            most = most.max(i64::from_le_bytes(other));
        }
        Ok(*self.bounds.get_or_init(|| (least, most)))
    }

    /// Returns the results of all processes for samples in a file, and only that of this process otherwise.
    fn combine(&self, own: [u8; 8], processes: Option<&Processes>) -> Result<Vec<[u8; 8]>, Diagnostic> {
        match (&self.samples, processes) {
            (Samples::InFile(..), Some(processes)) => {
                let all = processes.all_gather_after_work(&own)?;
                Ok(all.into_iter().filter_map(|bytes| bytes.try_into().ok()).collect())
            }
            _ => Ok(vec![own]),
        }
    }

    /// Returns the fingerprint of all samples, chained to the fingerprint `before`. The first process reads a file for
    /// all.
    ///
    /// # Errors
    /// Errors of the file and of other processes.
    pub(crate) fn fingerprint(&self, before: u64, processes: Option<&Processes>) -> Result<u64, Diagnostic> {
        let is_reader = matches!(self.samples, Samples::InMemory(_)) || processes.is_none_or(|p| p.index() == 0);
        let mut fingerprint = Fingerprint::new(before);
        if is_reader {
            let ids: Vec<usize> = (0..self.len()).collect();
            self.for_each_rows(&ids, |rows| fingerprint.add(&rows.to_bytes()))?;
        }
        let own = fingerprint.finish();
        Ok(self.combine(own.to_le_bytes(), processes)?.first().map_or(own, |&first| u64::from_le_bytes(first)))
    }

    /// Returns the number of bytes of the file, if the samples are in one.
    pub(crate) fn file_bytes(&self) -> Option<u64> {
        match &self.samples {
            Samples::InMemory(_) => None,
            Samples::InFile(file, _) => file.files().first().map(|file| file.bytes),
        }
    }
}

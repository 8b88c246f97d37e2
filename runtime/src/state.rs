//! State that processes store together: each tensor as shards, of which a process has those of its devices.

use crate::box_copy::Index;
use crate::extent::Extent;
use crate::memory::Buffer;
use crate::processes::Processes;
use crate::source::{Destination, SLAB_ELEMENTS, TensorSource, Wanted, missing, read_extents};
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::tensor::Tensor;
use std::sync::Arc;

/// Global tensor, divided into shards.
#[derive(Clone)]
pub struct StateTensor {
    /// Global type.
    pub ty: Type,
    /// Disjoint shards that contain all elements, in the same order on all processes. A tensor without elements has one
    /// shard.
    pub shards: Vec<StateShard>,
}

/// Shard of a tensor, stored by one or several processes.
#[derive(Clone)]
pub struct StateShard {
    /// Elements of the shard.
    pub extent: Extent,
    /// Processes that store the shard, in ascending order.
    pub processes: Vec<usize>,
    /// Replicas in this process.
    pub replicas: Vec<ShardData>,
}

/// Memory of a shard.
#[derive(Clone)]
pub struct ShardData {
    buffer: Arc<Buffer>,
    /// Shape of the buffer, which may be padded.
    shape: Shape,
}

impl ShardData {
    /// Describes a buffer that starts with the first element of a shard.
    pub(crate) fn new(buffer: Arc<Buffer>, shape: Shape) -> ShardData {
        ShardData { buffer, shape }
    }

    /// Returns true if both are the same memory.
    pub(crate) fn is_same(&self, other: &ShardData) -> bool {
        Arc::ptr_eq(&self.buffer, &other.buffer)
    }

    /// Copies the elements of `part` of a shard with extent `shard` to a destination.
    fn copy(&self, shard: &Extent, part: &Extent, to: &mut Destination<'_>) {
        to.write_from(part, self.buffer.as_slice(), &self.shape, &part.start_in(shard));
    }

    /// Calls `on_bytes` with the elements of a shard in row-major order, without padding, one slab at a time.
    ///
    /// # Errors
    /// The first error of `on_bytes`.
    pub(crate) fn for_each_slab<E>(
        &self,
        shard: &Extent,
        dtype: DType,
        mut on_bytes: impl FnMut(&Extent, &[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let width = dtype.bytes() as usize;
        if self.shape == shard.shape() {
            // Without padding, every slab is contiguous in the buffer.
            let mut rest = self.buffer.as_slice();
            for part in shard.slabs(SLAB_ELEMENTS) {
                let (bytes, after) = rest.split_at(part.count() * width);
                on_bytes(&part, bytes)?;
                rest = after;
            }
            return Ok(());
        }
        for part in shard.slabs(SLAB_ELEMENTS) {
            let mut bytes = vec![0; part.count() * width];
            let mut to = Destination { shape: part.shape(), extent: part.clone(), dtype, bytes: &mut bytes };
            self.copy(shard, &part, &mut to);
            on_bytes(&part, &bytes)?;
        }
        Ok(())
    }
}

impl StateTensor {
    /// Reads a tensor in blocks of rows, one for each process. For tensors that no device reads.
    ///
    /// # Errors
    /// Errors of the source.
    pub fn read_rows(
        source: &dyn TensorSource,
        name: &str,
        ty: &Type,
        processes: Option<&Processes>,
    ) -> Result<StateTensor, Diagnostic> {
        let (index, count) = processes.map_or((0, 1), |processes| (processes.index(), processes.count()));
        let extents: Vec<Vec<Extent>> = (0..count).map(|process| rows_of(&ty.shape, process, count)).collect();
        let own: Vec<Arc<Buffer>> =
            read_extents(source, (name, ty), &extents, index)?.into_iter().map(Arc::new).collect();
        let shards = extents.into_iter().enumerate().flat_map(|(process, extents)| {
            let own = if process == index { &own[..] } else { &[] };
            let shard = |(i, extent): (usize, Extent)| {
                let replicas = own.get(i).map(|buffer| ShardData::new(buffer.clone(), extent.shape()));
                StateShard { extent, processes: vec![process], replicas: replicas.into_iter().collect() }
            };
            extents.into_iter().enumerate().map(shard).collect::<Vec<_>>()
        });
        Ok(StateTensor { ty: ty.clone(), shards: shards.collect() })
    }

    /// Returns the global tensor, if this process has all shards.
    pub(crate) fn to_tensor(&self) -> Option<Tensor> {
        let mut bytes = vec![0; self.ty.bytes() as usize];
        let (extent, shape) = (Extent::full(&self.ty.shape), self.ty.shape.clone());
        let mut to = Destination { extent, shape, dtype: self.ty.dtype, bytes: &mut bytes };
        for shard in &self.shards {
            shard.replicas.first()?.copy(&shard.extent, &shard.extent, &mut to);
        }
        Some(Tensor::from_bytes(self.ty.clone(), &bytes))
    }

    /// Returns true if all elements that this process stores are finite.
    pub fn is_finite(&self) -> bool {
        let dtype = self.ty.dtype;
        let replicas = self.shards.iter().flat_map(|shard| shard.replicas.first().map(|data| (&shard.extent, data)));
        !dtype.is_float()
            || replicas.into_iter().all(|(extent, data)| {
                let is_finite = |part: &Extent, bytes: &[u8]| {
                    let slab = Tensor::from_bytes(Type { shape: part.shape(), dtype }, bytes);
                    let finite = slab.scalars().all(|x| x.to_f64().is_finite());
                    finite.then_some(()).ok_or(())
                };
                data.for_each_slab(extent, dtype, is_finite).is_ok()
            })
    }
}

/// Returns the block of rows of a process, if it has elements. A tensor that cannot be divided, a scalar or one without
/// elements, belongs to the first process.
fn rows_of(shape: &Shape, process: usize, count: usize) -> Vec<Extent> {
    if shape.rank() == 0 || shape.contains(&0) {
        return if process == 0 { vec![Extent::full(shape)] } else { Vec::new() };
    }
    let rows = Extent::of_rows(shape, process, count);
    if rows.is_empty() { Vec::new() } else { vec![rows] }
}

/// State that processes store together, by name.
pub struct State {
    /// Tensors, in the same order on all processes.
    pub tensors: IndexMap<String, StateTensor>,
    /// Processes that store the state, if there are several.
    pub processes: Option<Arc<Processes>>,
}

impl State {
    /// Returns the number of this process.
    fn process(&self) -> usize {
        self.processes.as_ref().map_or(0, |processes| processes.index())
    }

    /// Returns the process that supplies a shard to another process.
    fn supplier(shard: &StateShard, to: usize) -> usize {
        if shard.processes.contains(&to) { to } else { shard.processes.first().copied().unwrap_or(to) }
    }
}

impl TensorSource for State {
    fn ty(&self, name: &str) -> Option<Type> {
        self.tensors.get(name).map(|tensor| tensor.ty.clone())
    }

    fn names(&self) -> Vec<String> {
        self.tensors.keys().cloned().collect()
    }

    /// Processes exchange the common elements of stored shards and wanted extents.
    fn read(&self, wanted: &Wanted<'_>, to: &mut [Destination<'_>]) -> Result<(), Diagnostic> {
        let tensor = self.tensors.get(wanted.name).ok_or_else(|| missing(wanted.name))?;
        let (own, dtype) = (self.process(), tensor.ty.dtype);
        let width = dtype.bytes() as usize;
        for to in &mut *to {
            for shard in tensor.shards.iter().filter(|shard| State::supplier(shard, own) == own) {
                if let (Some(data), Some(part)) = (shard.replicas.first(), shard.extent.intersection(&to.extent)) {
                    data.copy(&shard.extent, &part, to);
                }
            }
        }
        let Some(processes) = &self.processes else { return Ok(()) };
        let mut outgoing = vec![Vec::new(); processes.count()];
        for (process, extents) in wanted.extents.iter().enumerate().filter(|(process, _)| *process != own) {
            for extent in extents {
                for shard in tensor.shards.iter().filter(|shard| State::supplier(shard, process) == own) {
                    let (Some(data), Some(part)) = (shard.replicas.first(), shard.extent.intersection(extent)) else {
                        continue;
                    };
                    let bytes: &mut Vec<u8> = &mut outgoing[process];
                    let start = bytes.len();
                    bytes.resize(start + part.count() * width, 0);
                    let shape = part.shape();
                    let mut to = Destination { extent: part.clone(), shape, dtype, bytes: &mut bytes[start..] };
                    data.copy(&shard.extent, &part, &mut to);
                }
            }
        }
        let incoming = processes.exchange(outgoing)?;
        let mut positions = vec![0; incoming.len()];
        for to in to {
            for shard in tensor.shards.iter().filter(|shard| State::supplier(shard, own) != own) {
                let Some(part) = shard.extent.intersection(&to.extent) else { continue };
                let from = State::supplier(shard, own);
                let end = positions[from] + part.count() * width;
                let bytes = incoming[from].get(positions[from]..end).ok_or_else(|| {
                    let title = format!("rank {from} did not send its shard of `{}`", wanted.name);
                    Diagnostic::new(Code::R005, title)
                })?;
                to.write_from(&part, bytes, &part.shape(), &Index::from_elem(0, part.len.len()));
                positions[from] = end;
            }
        }
        Ok(())
    }
}

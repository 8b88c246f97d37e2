//! Sources of tensors from which processes read the extents that they need: memory, files, generated values, or the
//! shards of other processes.

use crate::box_copy::{Index, copy_box_bytes};
use crate::extent::Extent;
use crate::memory::Buffer;
use crate::processes::Processes;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::tensor::Tensor;

/// Number of elements that are converted at a time, so that conversions need little memory.
pub const SLAB_ELEMENTS: usize = 1 << 20;

/// Source of named global tensors.
///
/// All processes of a run call [`TensorSource::read`] in the same order, also those that want no element.
pub trait TensorSource {
    /// Returns the type of a tensor; `None` if the source does not have the tensor.
    fn ty(&self, name: &str) -> Option<Type>;

    /// Returns the names of all tensors, in an order that is the same for all processes.
    fn names(&self) -> Vec<String>;

    /// Fills the destinations, one for each extent that this process wants.
    ///
    /// # Errors
    /// Errors of files and of other processes.
    fn read(&self, wanted: &Wanted<'_>, to: &mut [Destination<'_>]) -> Result<(), Diagnostic>;
}

/// Request for extents of a tensor.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'w> {
    /// Name of the tensor.
    pub name: &'w str,
    /// Global type of the tensor, which is that of the source.
    pub ty: &'w Type,
    /// Extents that each process wants, without duplicates.
    pub extents: &'w [Vec<Extent>],
    /// Number of this process.
    pub process: usize,
}

/// Buffer that receives an extent. The extent begins at the first element of the buffer.
#[derive(Debug)]
pub struct Destination<'d> {
    /// Extent of the global tensor.
    pub extent: Extent,
    /// Shape of the buffer, which may be padded.
    pub shape: Shape,
    /// Element type.
    pub dtype: DType,
    /// Memory of the buffer, in the storage width of the type.
    pub bytes: &'d mut [u8],
}

impl Destination<'_> {
    /// Writes elements of the extent `part`, which the destination contains, from bytes without padding.
    pub fn write(&mut self, part: &Extent, bytes: &[u8]) {
        self.write_from(part, bytes, &part.shape(), &Index::from_elem(0, part.len.len()));
    }

    /// Writes elements of the extent `part` from a buffer of shape `shape`, in which they start at index `at`.
    pub(crate) fn write_from(&mut self, part: &Extent, bytes: &[u8], shape: &Shape, at: &[usize]) {
        let start = part.start_in(&self.extent);
        let width = self.dtype.bytes() as usize;
        copy_box_bytes((bytes, shape, at), (self.bytes, &self.shape, &start), &part.len, width);
    }

    /// Fills the destination from tensors, computed for one slab at a time.
    ///
    /// # Errors
    /// The first error of `slab`.
    pub fn fill(&mut self, mut slab: impl FnMut(&Extent) -> Result<Tensor, Diagnostic>) -> Result<(), Diagnostic> {
        for part in self.extent.clone().slabs(SLAB_ELEMENTS) {
            self.write(&part, &slab(&part)?.to_bytes());
        }
        Ok(())
    }
}

/// Tensors in memory.
#[derive(Clone, Debug)]
pub struct TensorsInMemory<'t>(pub &'t IndexMap<String, Tensor>);

impl TensorSource for TensorsInMemory<'_> {
    fn ty(&self, name: &str) -> Option<Type> {
        self.0.get(name).map(|tensor| tensor.ty.clone())
    }

    fn names(&self) -> Vec<String> {
        self.0.keys().cloned().collect()
    }

    fn read(&self, wanted: &Wanted<'_>, to: &mut [Destination<'_>]) -> Result<(), Diagnostic> {
        let tensor = self.0.get(wanted.name).ok_or_else(|| missing(wanted.name))?;
        to.iter_mut().try_for_each(|to| to.fill(|extent| Ok(box_of(tensor, extent))))
    }
}

/// Returns the error for a tensor that a source does not have.
pub fn missing(name: &str) -> Diagnostic {
    Diagnostic::new(Code::R001, format!("`{name}` is missing"))
}

/// Returns the elements of an extent of a global tensor.
pub fn box_of(tensor: &Tensor, extent: &Extent) -> Tensor {
    let mut out = Tensor::zeros(Type { shape: extent.shape(), dtype: tensor.ty.dtype });
    let origin = Index::from_elem(0, extent.len.len());
    crate::box_copy::copy_box(tensor, &extent.start, &mut out, &origin, &extent.len);
    out
}

/// Reads extents for each process: `extents[process]`. Returns those of this process, without padding.
///
/// # Errors
/// Errors of the source.
pub fn read_extents(
    source: &dyn TensorSource,
    (name, ty): (&str, &Type),
    extents: &[Vec<Extent>],
    process: usize,
) -> Result<Vec<Buffer>, Diagnostic> {
    let own = extents.get(process).map_or(&[][..], Vec::as_slice);
    let width = ty.dtype.bytes() as usize;
    let mut buffers: Vec<Buffer> = own.iter().map(|extent| Buffer::zeroed(extent.count() * width)).collect();
    let destination = |(extent, buffer): (&Extent, _)| {
        let bytes = Buffer::as_mut_slice(buffer);
        Destination { extent: extent.clone(), shape: extent.shape(), dtype: ty.dtype, bytes }
    };
    let mut to: Vec<Destination<'_>> = own.iter().zip(&mut buffers).map(destination).collect();
    source.read(&Wanted { name, ty, extents, process }, &mut to)?;
    Ok(buffers)
}

/// Reads an extent of a tensor in this process only.
///
/// # Errors
/// `R001` for a tensor that the source does not have, and errors of the source.
pub fn read_extent(source: &dyn TensorSource, name: &str, extent: &Extent) -> Result<Tensor, Diagnostic> {
    let ty = source.ty(name).ok_or_else(|| missing(name))?;
    let buffers = read_extents(source, (name, &ty), &[vec![extent.clone()]], 0)?;
    let bytes = buffers.first().map_or(&[][..], Buffer::as_slice);
    Ok(Tensor::from_bytes(Type { shape: extent.shape(), dtype: ty.dtype }, bytes))
}

/// Reads a global tensor on every process.
///
/// # Errors
/// `R001` for a tensor that the source does not have, and errors of the source.
pub fn read_global(source: &dyn TensorSource, name: &str, processes: Option<&Processes>) -> Result<Tensor, Diagnostic> {
    let ty = source.ty(name).ok_or_else(|| missing(name))?;
    let (index, count) = processes.map_or((0, 1), |processes| (processes.index(), processes.count()));
    let buffers = read_extents(source, (name, &ty), &vec![vec![Extent::full(&ty.shape)]; count], index)?;
    let bytes = buffers.first().map_or(&[][..], Buffer::as_slice);
    Ok(Tensor::from_bytes(ty, bytes))
}

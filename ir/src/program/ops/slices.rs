//! Dimension numbers and index arithmetic shared by `gather` and `scatter`.

use crate::dtype::{Shape, Type};
use crate::numeric::kernel;
use crate::numeric::strided::{View, read};
use crate::program::ops::check;
use crate::syntax::attr::Dims;
use crate::tensor::Tensor;

/// Dimension numbers of a gather or a scatter. The slice tensor, which contains all slices, is the result of a gather
/// or the updates of a scatter.
pub(crate) struct Slices<'a> {
    /// Dimensions of the slice tensor that index elements within a slice; the others come from the indices.
    pub window: &'a Dims,
    /// Operand dimensions of slice size 1 that the slice tensor omits.
    pub dropped: &'a Dims,
    /// Operand batch dimensions, each of which corresponds to one of `index_batch`.
    pub operand_batch: &'a Dims,
    /// Batch dimensions of the indices.
    pub index_batch: &'a Dims,
    /// Operand dimension addressed by each component of an index vector.
    pub map: &'a Dims,
    /// Dimension of the indices that contains the index vectors.
    pub vector_dim: usize,
}

impl Slices<'_> {
    /// Checks the dimension numbers against the types of operand and indices.
    pub(crate) fn check(&self, operand: &Type, indices: &Type) -> Result<(), String> {
        let both = |a: &Dims, b: &Dims| -> Dims { a.iter().chain(b).copied().collect() };
        check::distinct_dims(&both(self.dropped, self.operand_batch), operand)?;
        check::distinct_dims(&both(self.map, self.operand_batch), operand)?;
        if !indices.dtype.is_int() {
            return Err(format!("indices must be integers, not {indices}"));
        }
        if self.vector_dim > indices.shape.rank() {
            return Err(format!("index vectors cannot be along dimension {} of {indices}", self.vector_dim));
        }
        let components = self.components(&indices.shape);
        if components != self.map.len() {
            let (has, maps) = (check::plural(components, "component"), self.map.len());
            return Err(format!("index vectors of {indices} have {has}, but {maps} are mapped"));
        }
        check::distinct_dims(self.index_batch, indices)?;
        if self.index_batch.contains(&self.vector_dim) {
            return Err(format!("dimension {} of the indices is batch and holds the vectors", self.vector_dim));
        }
        if self.index_batch.len() != self.operand_batch.len() {
            let operand = check::plural(self.operand_batch.len(), "dimension");
            return Err(format!(
                "{operand} of the operand cannot run along with {} of the indices",
                self.index_batch.len()
            ));
        }
        for (&o, &i) in self.operand_batch.iter().zip(self.index_batch) {
            let (a, b) = (operand.shape[o], indices.shape[i]);
            if a != b {
                return Err(format!(
                    "dimension {o} of {operand} cannot run along with {i} of {indices}: {a} is not {b}"
                ));
            }
        }
        let inside = self.slice_dims(operand.shape.rank()).count();
        let rank = self.index_dims(indices.shape.rank()).count() + inside;
        if self.window.len() != inside {
            return Err(format!("slices have {}, not {}", check::plural(inside, "dimension"), self.window.len()));
        }
        if let Some(d) = self.window.iter().find(|&&d| d >= rank) {
            return Err(format!("dimension {d} of {rank} cannot run over the slice"));
        }
        if self.window.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err("dimensions that run over the slice must be in order".into());
        }
        Ok(())
    }

    /// Returns the length of an index vector.
    pub(crate) fn components(&self, indices: &Shape) -> usize {
        indices.get(self.vector_dim).copied().unwrap_or(1)
    }

    /// Returns the operand dimensions that the slice tensor contains, in order.
    pub(crate) fn slice_dims(&self, rank: usize) -> impl Iterator<Item = usize> + '_ {
        (0..rank).filter(|d| !self.dropped.contains(d) && !self.operand_batch.contains(d))
    }

    /// Returns the index dimensions except the one that contains the index vectors, in order.
    pub(crate) fn index_dims(&self, rank: usize) -> impl Iterator<Item = usize> + use<> {
        let vector = self.vector_dim;
        (0..rank).filter(move |&d| d != vector)
    }

    /// Returns the dimensions of the slice tensor that correspond to the indices, in order.
    pub(crate) fn outer_dims(&self, rank: usize) -> impl Iterator<Item = usize> + '_ {
        (0..rank).filter(|d| !self.window.contains(d))
    }

    /// Returns the view of the slice tensor with the dimensions of the indices first and those of the slice last.
    pub(crate) fn slices_view(&self, slice_tensor: &Shape) -> View {
        let order: Dims = self.outer_dims(slice_tensor.rank()).chain(self.window.iter().copied()).collect();
        View::row_major(slice_tensor).permuted(&order)
    }

    /// Returns the start of each slice: one coordinate for each dimension of the operand, slice by slice.
    pub(crate) fn starts(&self, operand: &Shape, indices: &Tensor) -> Result<Vec<i64>, String> {
        let shape = indices.shape();
        let outer: Dims = self.index_dims(shape.rank()).collect();
        let mut order = outer.clone();
        order.extend((self.vector_dim < shape.rank()).then_some(self.vector_dim));
        let vectors = read(kernel::ints(indices)?, &View::row_major(shape).permuted(&order));
        let sizes: Shape = outer.iter().map(|&d| shape[d]).collect();
        let (strides, components, rank) = (sizes.strides(), self.components(shape), operand.rank());
        let mut starts = vec![0; sizes.count() * rank];
        if rank == 0 {
            return Ok(starts);
        }
        for (slice, start) in starts.chunks_exact_mut(rank).enumerate() {
            for (component, &d) in self.map.iter().enumerate() {
                let index = vectors[slice * components + component];
                // A `u64` index above `i64::MAX` is out of range in every dimension.
                let huge = indices.ty.dtype == crate::dtype::DType::U64 && index < 0;
                start[d] = if huge { i64::MAX } else { index };
            }
            for (d, i) in self.operand_batch.iter().zip(self.index_batch) {
                let at = outer.iter().position(|o| o == i).unwrap_or_default();
                start[*d] = (slice / strides[at] % sizes[at]) as i64;
            }
        }
        Ok(starts)
    }
}

//! Builder methods for data movement, shared by the importers.

use super::Builder;
use crate::arena::ValueId;
use crate::dtype::{DType, Shape, Type};
use crate::program::ops::{BinaryOp, Concatenate, Gather, Iota, Reverse, Slice, Transpose};
use crate::syntax::attr::Dims;

impl Builder<'_> {
    /// Appends a broadcast of `x` to `shape`, as in numpy: dimensions of size 1 are repeated, and leading dimensions
    /// are added. Returns `x` if it has this shape already.
    pub fn expand(&mut self, x: ValueId, shape: &Shape) -> ValueId {
        let from = self.ty(x).shape;
        if from == *shape {
            return x;
        }
        let dims: Vec<usize> = (shape.rank() - from.rank()..shape.rank()).collect();
        self.broadcast(x, &dims, shape.clone())
    }

    /// Appends a transpose of `x`: dimension `i` of the result is dimension `perm[i]` of `x`. Returns `x` if `perm` is
    /// the identity.
    pub fn transpose(&mut self, x: ValueId, perm: Dims) -> ValueId {
        if perm.iter().enumerate().all(|(i, &d)| i == d) {
            return x;
        }
        let ty = self.ty(x);
        let shape: Shape = perm.iter().map(|&d| ty.shape[d]).collect();
        self.op("transpose", Transpose { perm }, &[x], Type::new(ty.dtype, shape))
    }

    /// Appends a transpose of `x` that exchanges two dimensions.
    pub fn swap_dims(&mut self, x: ValueId, a: usize, b: usize) -> ValueId {
        let mut perm: Dims = (0..self.ty(x).shape.rank()).collect();
        perm.swap(a, b);
        self.transpose(x, perm)
    }

    /// Appends a reshape of `x` with a new dimension `dim` of size 1.
    pub fn unsqueeze(&mut self, x: ValueId, dim: usize) -> ValueId {
        let mut shape = self.ty(x).shape;
        shape.0.insert(dim, 1);
        self.reshape(x, shape)
    }

    /// Appends a reversal of the element order along `dims`. Returns `x` if `dims` is empty.
    pub fn reverse(&mut self, x: ValueId, dims: Dims) -> ValueId {
        if dims.is_empty() {
            return x;
        }
        let ty = self.ty(x);
        self.op("reverse", Reverse { dims }, &[x], ty)
    }

    /// Appends the slice `start..end` of dimension `dim` of `x`; other dimensions are complete.
    pub fn slice_dim(&mut self, x: ValueId, dim: usize, start: usize, end: usize) -> ValueId {
        let mut ty = self.ty(x);
        let mut from: Dims = Dims::from_elem(0, ty.shape.rank());
        let mut limit = Dims::from_slice(&ty.shape);
        (from[dim], limit[dim], ty.shape[dim]) = (start, end, end - start);
        self.op("slice", Slice { start: from, limit, stride: Dims::new() }, &[x], ty)
    }

    /// Appends the concatenation of `parts` along `dim`. `parts` must not be empty. Operands of size 0 along `dim` are
    /// skipped, and a single remaining operand is returned as is.
    pub fn concatenate(&mut self, parts: &[ValueId], dim: usize) -> ValueId {
        let filled: Vec<ValueId> = parts.iter().copied().filter(|&p| self.ty(p).shape[dim] > 0).collect();
        match filled[..] {
            [] => parts[0],
            [one] => one,
            [first, ..] => {
                let mut ty = self.ty(first);
                ty.shape[dim] = filled.iter().map(|&p| self.ty(p).shape[dim]).fold(0, usize::saturating_add);
                self.op("concatenate", Concatenate { dim }, &filled, ty)
            }
        }
    }

    /// Appends a gather of slices of `x` at `indices` along `dim`, as numpy's `take` with clamped indices. The
    /// dimensions of `indices` replace dimension `dim`.
    pub fn take(&mut self, x: ValueId, indices: ValueId, dim: usize) -> ValueId {
        let ty = self.ty(x);
        self.take_from(x, ty, indices, dim)
    }

    /// Appends [`Builder::take`] on this device's shard of `x`.
    pub fn take_local(&mut self, x: ValueId, indices: ValueId, dim: usize) -> ValueId {
        let ty = self.program.values[x].local_type();
        self.take_from(x, ty, indices, dim)
    }

    fn take_from(&mut self, x: ValueId, ty: Type, indices: ValueId, dim: usize) -> ValueId {
        let at = self.ty(indices).shape;
        let shape: Shape = ty.shape[..dim].iter().chain(at.iter()).chain(&ty.shape[dim + 1..]).copied().collect();
        let mut slice_sizes = Dims::from_slice(&ty.shape);
        slice_sizes[dim] = 1;
        let gather = Gather {
            offset_dims: (0..dim).chain(dim + at.rank()..shape.rank()).collect(),
            collapsed_dims: Dims::from_elem(dim, 1),
            index_map: Dims::from_elem(dim, 1),
            index_vector_dim: at.rank(),
            slice_sizes,
            operand_batch_dims: Dims::new(),
            index_batch_dims: Dims::new(),
            fill: false,
        };
        self.op("take", gather, &[x, indices], Type::new(ty.dtype, shape))
    }

    /// Appends overlapping slices of dimension `dim`: `count` slices of `length` elements, whose starts are `step`
    /// elements apart. The dimension becomes two: `[.., count, length, ..]`.
    pub fn overlapping_slices(&mut self, x: ValueId, dim: usize, [count, length]: [usize; 2], step: usize) -> ValueId {
        let ty = Type::new(DType::I64, [count, length]);
        let slice = self.op("slice", Iota { dim: 0 }, &[], ty.clone());
        let start = self.binary_scalar(BinaryOp::Mul, slice, step as f64);
        let offset = self.op("offset", Iota { dim: 1 }, &[], ty);
        let positions = self.binary(BinaryOp::Add, start, offset);
        self.take(x, positions, dim)
    }

    /// Appends a gather of elements of `x` along `dim` with one index for each element of the result, as numpy's
    /// `take_along_axis` with clamped indices. The result has the shape of `indices`.
    pub fn take_along(&mut self, x: ValueId, indices: ValueId, dim: usize) -> ValueId {
        let ty = Type { shape: self.ty(indices).shape, dtype: self.ty(x).dtype };
        let rank = ty.shape.rank();
        let others: Dims = (0..rank).filter(|&d| d != dim).collect();
        let gather = Gather {
            offset_dims: Dims::new(),
            collapsed_dims: Dims::from_elem(dim, 1),
            operand_batch_dims: others.clone(),
            index_batch_dims: others,
            index_map: Dims::from_elem(dim, 1),
            index_vector_dim: rank,
            slice_sizes: Dims::from_elem(1, rank),
            fill: false,
        };
        self.op("gather", gather, &[x, indices], ty)
    }

    /// Appends the conversion of the weight of a transposed convolution with `groups` groups to the weight of a
    /// convolution: from shape `[groups * in, out, ..]` to `[groups * out, in, ..]`.
    pub fn regroup_conv_weight(&mut self, weight: ValueId, groups: usize) -> ValueId {
        let shape = self.ty(weight).shape;
        let (features, space) = (shape[0] / groups, &shape[2..]);
        let split: Shape = [groups, features, shape[1]].iter().chain(space).copied().collect();
        let weight = self.reshape(weight, split);
        let perm = [0, 2, 1].into_iter().chain(3..shape.rank() + 1).collect();
        let weight = self.transpose(weight, perm);
        let joined: Shape = [groups * shape[1], features].iter().chain(space).copied().collect();
        self.reshape(weight, joined)
    }
}

//! Cutting tensors into the pieces of a group and joining them, by copying boxes.

use crate::group::Group;
use partita_ir::dtype::{Shape, Type};
use partita_ir::tensor::{Data, Tensor};
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// An index or extent in every dimension.
pub(crate) type Index = SmallVec<[usize; 4]>;

/// Copies a box of `extent` elements from index `from_at` of one tensor to index `to_at` of another of the same dtype.
/// The box must lie inside both.
pub(crate) fn copy(from: &Tensor, from_at: &[usize], to: &mut Tensor, to_at: &[usize], extent: &[usize]) {
    let rows = Rows::new(&from.ty.shape, from_at, &to.ty.shape, to_at, extent);
    match (&from.data, &mut to.data) {
        (Data::F64(a), Data::F64(b)) => rows.copy(a, b),
        (Data::F32(a), Data::F32(b)) => rows.copy(a, b),
        (Data::Int(a), Data::Int(b)) => rows.copy(a, b),
        // Tensors of one dtype are stored alike.
        _ => debug_assert!(false, "copies {} to {}", from.ty, to.ty),
    }
}

/// The contiguous rows of a box in two buffers.
struct Rows {
    /// Elements of a row.
    len: usize,
    /// Extent of the dimensions that number the rows, with the strides of both buffers.
    outer: SmallVec<[(usize, usize, usize); 4]>,
    from: usize,
    to: usize,
    count: usize,
}

impl Rows {
    fn new(from: &Shape, from_at: &[usize], to: &Shape, to_at: &[usize], extent: &[usize]) -> Rows {
        let (from_strides, to_strides) = (from.strides(), to.strides());
        let offset = |at: &[usize], strides: &[usize]| at.iter().zip(strides).map(|(i, s)| i * s).sum();
        let mut rows = Rows {
            len: 1,
            outer: SmallVec::new(),
            from: offset(from_at, &from_strides),
            to: offset(to_at, &to_strides),
            count: usize::from(!extent.contains(&0)),
        };
        // Dimensions that the box covers in both buffers make rows longer; the one above them is the last to do so.
        let covered = |d: &usize| extent[*d] == from[*d] && extent[*d] == to[*d];
        let whole = (0..extent.len()).rev().take_while(covered).count();
        let inner = extent.len().saturating_sub(whole + 1);
        rows.len = extent[inner..].iter().product();
        for d in 0..inner {
            rows.outer.push((extent[d], from_strides[d], to_strides[d]));
            rows.count *= extent[d];
        }
        rows
    }

    fn copy<T: Copy>(&self, from: &[T], to: &mut [T]) {
        let (mut a, mut b) = (self.from, self.to);
        let mut index: Index = SmallVec::from_elem(0, self.outer.len());
        for _ in 0..self.count {
            to[b..b + self.len].copy_from_slice(&from[a..a + self.len]);
            for (i, &(extent, from_stride, to_stride)) in index.iter_mut().zip(&self.outer).rev() {
                *i += 1;
                a += from_stride;
                b += to_stride;
                if *i < extent {
                    break;
                }
                a -= from_stride * extent;
                b -= to_stride * extent;
                *i = 0;
            }
        }
    }
}

/// A range of the elements in row-major order, as a tensor of one dimension.
pub(crate) fn flat(value: &Tensor, range: Range<usize>) -> Tensor {
    let ty = Type::new(value.ty.dtype, [range.len()]);
    let data = match &value.data {
        Data::F64(v) => Data::F64(v[range].to_vec()),
        Data::F32(v) => Data::F32(v[range].to_vec()),
        Data::Int(v) => Data::Int(v[range].to_vec()),
    };
    Tensor { ty, data }
}

/// The elements of all parts, one after the other.
pub(crate) fn concat(parts: &[Arc<Tensor>]) -> Result<Data, String> {
    let first = parts.first().ok_or("nobody takes part")?;
    let count = parts.iter().map(|p| p.ty.shape.count()).sum();
    let mut all = Tensor::zeros(Type::new(first.ty.dtype, [count]));
    let mut at = 0;
    for part in parts {
        let n = part.ty.shape.count();
        copy(part, &[0], &mut all, &[at], &[n]);
        at += n;
    }
    Ok(all.data)
}

/// `ty` with another size in one dimension.
pub(crate) fn resized(ty: &Type, dim: usize, size: usize) -> Type {
    let mut ty = ty.clone();
    ty.shape[dim] = size;
    ty
}

/// The piece of dimension `dim` that the member at `position` gets, padded with zeros.
pub(crate) fn cut(value: &Tensor, dim: usize, group: &Group, position: usize) -> Tensor {
    let piece = group.piece(value.ty.shape[dim], position);
    let mut out = Tensor::zeros(resized(&value.ty, dim, piece.padded));
    let mut at: Index = SmallVec::from_elem(0, value.ty.shape.rank());
    let mut extent: Index = value.ty.shape.0.clone();
    extent[dim] = piece.len;
    let zero = at.clone();
    at[dim] = piece.start;
    copy(value, &at, &mut out, &zero, &extent);
    out
}

/// The members' pieces of dimension `dim`, one after the other, `size` elements in all.
pub(crate) fn join(pieces: &[Arc<Tensor>], dim: usize, size: usize, group: &Group) -> Result<Tensor, String> {
    assemble(pieces, dim, size, group, None)
}

/// What this member gets when every member cuts its value along `to`, and the pieces are pieces of `from`, which has
/// `size` elements in the result.
pub(crate) fn exchange(
    values: &[Arc<Tensor>],
    from: usize,
    size: usize,
    to: usize,
    group: &Group,
) -> Result<Tensor, String> {
    assemble(values, from, size, group, Some(to))
}

/// Puts the members' values one after the other along `dim`; of each only this member's piece of dimension `cut`.
fn assemble(
    values: &[Arc<Tensor>],
    dim: usize,
    size: usize,
    group: &Group,
    cut: Option<usize>,
) -> Result<Tensor, String> {
    let first = values.first().ok_or("nobody takes part")?;
    let mut ty = resized(&first.ty, dim, size);
    let mut from_at: Index = SmallVec::from_elem(0, ty.shape.rank());
    let mut to_at = from_at.clone();
    let mut extent = ty.shape.0.clone();
    if let Some(to) = cut {
        let mine = group.piece(ty.shape[to], group.position());
        (ty.shape[to], from_at[to], extent[to]) = (mine.padded, mine.start, mine.len);
    }
    let mut out = Tensor::zeros(ty);
    for (member, value) in values.iter().enumerate() {
        let piece = group.piece(size, member);
        if value.ty.shape[dim] != piece.padded {
            let (rank, has) = (group.members()[member], value.ty.shape[dim]);
            return Err(format!(
                "device {rank} holds {has} elements of dimension {dim}, but a piece of {size} has {}",
                piece.padded
            ));
        }
        (to_at[dim], extent[dim]) = (piece.start, piece.len);
        copy(value, &from_at, &mut out, &to_at, &extent);
    }
    Ok(out)
}

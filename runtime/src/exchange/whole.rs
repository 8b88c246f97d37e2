//! What exchanges should give: whole tensors cut, combined and joined.

use crate::group::Group;
use crate::pieces::{Index, copy};
use partita_ir::dtype::Type;
use partita_ir::tensor::Tensor;
use smallvec::SmallVec;
use std::sync::Arc;

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

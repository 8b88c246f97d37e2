//! Reference implementation of collectives: global tensors are sharded, reduced and concatenated.

use crate::box_copy::{Index, copy_box};
use crate::group::Group;
use partita_ir::dtype::Type;
use partita_ir::tensor::Tensor;
use smallvec::SmallVec;
use std::sync::Arc;

/// Returns `ty` with another size in one dimension.
pub(crate) fn resized(ty: &Type, dim: usize, size: usize) -> Type {
    let mut ty = ty.clone();
    ty.shape[dim] = size;
    ty
}

/// Returns the shard of dimension `dim` of the member at `position`, padded with zeros.
pub(crate) fn shard(value: &Tensor, dim: usize, group: &Group, position: usize) -> Tensor {
    let shard = group.shard(value.ty.shape[dim], position);
    let mut out = Tensor::zeros(resized(&value.ty, dim, shard.padded));
    let mut at: Index = SmallVec::from_elem(0, value.ty.shape.rank());
    let mut extent: Index = value.ty.shape.0.clone();
    extent[dim] = shard.len;
    let zero = at.clone();
    at[dim] = shard.start;
    copy_box(value, &at, &mut out, &zero, &extent);
    out
}

/// Concatenates the members' shards of dimension `dim`, which has `size` elements in the result.
pub(crate) fn all_gather(shards: &[Arc<Tensor>], dim: usize, size: usize, group: &Group) -> Result<Tensor, String> {
    assemble(shards, dim, size, group, None)
}

/// Returns this member's result of an `all_to_all`: every member splits its value along `to`, and the shards are
/// concatenated along `from`, which has `size` elements in the result.
pub(crate) fn all_to_all(
    values: &[Arc<Tensor>],
    from: usize,
    size: usize,
    to: usize,
    group: &Group,
) -> Result<Tensor, String> {
    assemble(values, from, size, group, Some(to))
}

/// Concatenates the members' values along `dim`, restricted to this member's shard of dimension `cut`.
fn assemble(
    values: &[Arc<Tensor>],
    dim: usize,
    size: usize,
    group: &Group,
    cut: Option<usize>,
) -> Result<Tensor, String> {
    let first = values.first().ok_or("the group has no members")?;
    let mut ty = resized(&first.ty, dim, size);
    let mut from_at: Index = SmallVec::from_elem(0, ty.shape.rank());
    let mut to_at = from_at.clone();
    let mut extent = ty.shape.0.clone();
    if let Some(to) = cut {
        let mine = group.shard(ty.shape[to], group.position());
        (ty.shape[to], from_at[to], extent[to]) = (mine.padded, mine.start, mine.len);
    }
    let mut out = Tensor::zeros(ty);
    for (member, value) in values.iter().enumerate() {
        let shard = group.shard(size, member);
        if value.ty.shape[dim] != shard.padded {
            let (rank, has) = (group.members()[member], value.ty.shape[dim]);
            return Err(format!(
                "device {rank} has size {has} in dimension {dim}, but a shard of {size} elements has size {}",
                shard.padded
            ));
        }
        (to_at[dim], extent[dim]) = (shard.start, shard.len);
        copy_box(value, &from_at, &mut out, &to_at, &extent);
    }
    Ok(out)
}

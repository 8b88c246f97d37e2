//! Sharding of global tensors by layout, and reassembly.

use crate::box_copy::{Index, copy_box};
use crate::combine::combine;
use crate::extent::Extent;
use crate::group::Group;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::layout::{Layout, Monoid, local_shape};
use partita_ir::mesh::DeviceMesh;
use partita_ir::program::Value;
use partita_ir::tensor::{Data, Scalar, Tensor};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// Returns the shard of each device, by rank. Padding is zero, and devices with identical shards share a tensor. For a
/// partial layout, the first device along the partial axes has the value, and the others have the identity of the
/// reduction.
pub fn shard(tensor: &Tensor, layout: Option<&Layout>, mesh: &DeviceMesh) -> Vec<Arc<Tensor>> {
    shards_of(tensor, layout, mesh, 0..mesh.device_count())
}

/// Returns the shards of some devices, as [`shard`] does.
pub fn shards_of(tensor: &Tensor, layout: Option<&Layout>, mesh: &DeviceMesh, ranks: Range<usize>) -> Vec<Arc<Tensor>> {
    let local = Type { shape: local_shape(&tensor.ty.shape, layout), dtype: tensor.ty.dtype };
    let mut shards: FxHashMap<(Extent, Option<Monoid>), Arc<Tensor>> = FxHashMap::default();
    let mut local_shard = |rank: usize| {
        let bounds = Extent::of_device(&tensor.ty.shape, layout, mesh, rank);
        let identity = layout.and_then(|l| identity_of(l, mesh, rank));
        let create = || {
            let mut out = Tensor::splat(local.clone(), Scalar::Int(i64::from(identity == Some(Monoid::Prod))));
            if identity.is_none() {
                copy_box(tensor, &bounds.start, &mut out, &origin(&bounds), &bounds.len);
            }
            Arc::new(out)
        };
        shards.entry((bounds.clone(), identity)).or_insert_with(create).clone()
    };
    ranks.map(&mut local_shard).collect()
}

/// Returns the index of the extent's first element in the device's buffer.
fn origin(extent: &Extent) -> Index {
    Index::from_elem(0, extent.len.len())
}

/// Returns the reduction whose identity the device has in place of its shard of a partial value; `None` if the device
/// has the shard. Replicating the value is harmless for idempotent reductions.
fn identity_of(layout: &Layout, mesh: &DeviceMesh, rank: usize) -> Option<Monoid> {
    let coords = mesh.coords(rank);
    let later = layout.partial.iter().filter(|(axis, _)| axis.index_of(mesh, &coords) != 0);
    later.map(|&(_, monoid)| monoid).find(|m| !m.is_idempotent())
}

/// Assembles the global tensor from the shard of each device, by rank. Partial values are reduced, and padding is
/// dropped.
///
/// # Errors
/// `R003` when replicas of a shard differ, `R004` when a shard does not have the local type of the value.
pub fn gather(shards: &[Arc<Tensor>], value: &Value, mesh: &Arc<DeviceMesh>, name: &str) -> Result<Tensor, Diagnostic> {
    let (ty, layout) = (&value.ty, value.layout.as_deref());
    let local = value.local_type();
    if shards.len() != mesh.device_count() || shards.iter().any(|p| p.ty != local) {
        let title = format!("the shards of `{name}` do not all have type {local}");
        return Err(Diagnostic::new(Code::R004, title));
    }
    let mut shards = shards.to_vec();
    for &(axis, monoid) in layout.iter().flat_map(|l| &l.partial) {
        let groups = Group::along_axes(mesh, &[axis]);
        let combined = groups.iter().map(|group| reduce_group(monoid, group, &shards));
        let combined: Result<_, String> = combined.collect();
        shards = combined.map_err(|e| Diagnostic::new(Code::R004, format!("`{name}`: {e}")))?;
    }
    let mut global = Tensor::zeros(ty.clone());
    let mut first_devices: FxHashMap<Extent, usize> = FxHashMap::default();
    for (rank, shard) in shards.iter().enumerate() {
        let bounds = Extent::of_device(&ty.shape, layout, mesh, rank);
        let first = *first_devices.entry(bounds.clone()).or_insert(rank);
        if first == rank {
            copy_box(shard, &origin(&bounds), &mut global, &bounds.start, &bounds.len);
        } else if !equals_without_padding(&shards[first], shard, &bounds) {
            let title =
                format!("device {first} and device {rank} have different replicas of the same shard of `{name}`");
            return Err(Diagnostic::new(Code::R003, title)
                .note(format!("the shard of {ty} has shape {:?} and starts at index {:?}", bounds.len, bounds.start)));
        }
    }
    Ok(global)
}

/// Returns the reduction of the shards of a group's members, in group order.
fn reduce_group(monoid: Monoid, group: &Group, shards: &[Arc<Tensor>]) -> Result<Arc<Tensor>, String> {
    let mut members = group.members().iter().map(|&rank| &shards[rank]);
    let mut all = members.next().map(|first| Tensor::clone(first)).ok_or("the group has no members")?;
    members.try_for_each(|shard| combine(monoid, &mut all, shard))?;
    Ok(Arc::new(all))
}

/// Returns true if two shards have the same elements, ignoring padding. NaN equals NaN.
fn equals_without_padding(a: &Arc<Tensor>, b: &Arc<Tensor>, bounds: &Extent) -> bool {
    let real = |buffer: &Tensor| {
        let mut out = Tensor::zeros(Type { shape: bounds.len[..].into(), dtype: buffer.ty.dtype });
        copy_box(buffer, &origin(bounds), &mut out, &origin(bounds), &bounds.len);
        out.data
    };
    if Arc::ptr_eq(a, b) {
        return true;
    }
    match (real(a), real(b)) {
        (Data::F64(a), Data::F64(b)) => a.iter().zip(&b).all(|(x, y)| x == y || (x.is_nan() && y.is_nan())),
        (Data::F32(a), Data::F32(b)) => a.iter().zip(&b).all(|(x, y)| x == y || (x.is_nan() && y.is_nan())),
        (a, b) => a == b,
    }
}

//! Conversion of global tensors to device buffers and back.

use crate::devices::Shards;
use crate::memory::Buffer;
use crate::shard::{gather, shards_of};
use partita_ir::arena::Id;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::layout::Layout;
use partita_ir::mesh::DeviceMesh;
use partita_ir::program::Value;
use partita_ir::tensor::Tensor;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// Returns each device's shard of a tensor with the layout of `value`; the shards of devices outside of `local` are
/// empty. Devices with identical shards share a buffer.
///
/// # Errors
/// `R002` when the types of tensor and value differ.
pub(crate) fn scatter(
    tensor: &Tensor,
    value: &Value,
    (mesh, local): (&DeviceMesh, Range<usize>),
    path: &str,
) -> Result<Shards, Diagnostic> {
    if value.ty != tensor.ty {
        let title = format!("`{path}` is {}, {} was given", value.ty, tensor.ty);
        return Err(Diagnostic::new(Code::R002, title));
    }
    let mut buffers: Vec<(Arc<Tensor>, Arc<Buffer>)> = Vec::new();
    let local_shards =
        shards_of(tensor, value.layout.as_deref(), mesh, local.clone()).into_iter().map(|shard_tensor| {
            match buffers.iter().find(|(tensor, _)| Arc::ptr_eq(tensor, &shard_tensor)) {
                Some((_, buffer)) => buffer.clone(),
                None => {
                    let buffer = Arc::new(Buffer::from_tensor(&shard_tensor));
                    buffers.push((shard_tensor, buffer.clone()));
                    buffer
                }
            }
        });
    let elsewhere = Arc::new(Buffer::zeroed(0));
    let mut shards = vec![elsewhere; mesh.device_count()];
    shards[local].iter_mut().zip(local_shards).for_each(|(shard, buffer)| *shard = buffer);
    Ok(shards)
}

/// Returns the first device with the same shard of a value as a device: its coordinate is 0 along axes that neither
/// shard the value nor have partial values.
pub(crate) fn first_replica(layout: Option<&Layout>, mesh: &DeviceMesh, rank: usize) -> usize {
    let differs = |axis| {
        let Some(layout) = layout else { return false };
        let is_sharded = layout.dims.iter().any(|dim| dim.axes.iter().any(|a| a.axis == axis));
        is_sharded || layout.partial.iter().any(|(a, _)| a.axis == axis)
    };
    let mut coords = mesh.coords(rank);
    mesh.axis_ids().filter(|&axis| !differs(axis)).for_each(|axis| coords[axis.index()] = 0);
    mesh.rank(&coords)
}

/// Returns the global tensor of a value, assembled from the shard of each device.
///
/// # Errors
/// `R003` when replicas of a shard differ.
pub(crate) fn gather_shards(
    shards: &[Arc<Buffer>],
    value: &Value,
    mesh: &Arc<DeviceMesh>,
    name: &str,
) -> Result<Tensor, Diagnostic> {
    let local = value.local_type();
    // Devices that share a buffer also share the tensor.
    let mut read: FxHashMap<*mut u8, Arc<Tensor>> = FxHashMap::default();
    let tensor = |shard_tensor: &Arc<Buffer>| {
        let tensor = || Arc::new(Tensor::from_bytes(local.clone(), shard_tensor.as_slice()));
        read.entry(shard_tensor.start()).or_insert_with(tensor).clone()
    };
    let shards: Vec<Arc<Tensor>> = shards.iter().map(tensor).collect();
    gather(&shards, value, mesh, name)
}

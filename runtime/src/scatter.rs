//! From whole tensors to the buffers of devices, and back.

use crate::devices::Shards;
use crate::memory::Buffer;
use crate::shard::{gather, shard};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::mesh::Mesh;
use partita_ir::program::Value;
use partita_ir::tensor::Tensor;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Each device's piece of a tensor, which is to be that value. Devices with the same piece share it.
///
/// # Errors
/// `R002` when it is of another type.
pub(crate) fn scatter(tensor: &Tensor, value: &Value, mesh: &Mesh, path: &str) -> Result<Shards, Diagnostic> {
    if value.ty != tensor.ty {
        let title = format!("`{path}` is {}, {} was given", value.ty, tensor.ty);
        return Err(Diagnostic::new(Code::R002, title));
    }
    let mut made: Vec<(Arc<Tensor>, Arc<Buffer>)> = Vec::new();
    let pieces = shard(tensor, value.layout.as_deref(), mesh).into_iter().map(|piece| {
        match made.iter().find(|(tensor, _)| Arc::ptr_eq(tensor, &piece)) {
            Some((_, buffer)) => buffer.clone(),
            None => {
                let buffer = Arc::new(Buffer::of(&piece));
                made.push((piece, buffer.clone()));
                buffer
            }
        }
    });
    Ok(pieces.collect())
}

/// The whole of a value, from each device's piece.
///
/// # Errors
/// `R003` when devices that should hold the same piece do not.
pub(crate) fn whole(pieces: &[Arc<Buffer>], value: &Value, mesh: &Arc<Mesh>, name: &str) -> Result<Tensor, Diagnostic> {
    let local = value.local_type();
    // Devices that share a buffer share the tensor.
    let mut read: FxHashMap<*mut u8, Arc<Tensor>> = FxHashMap::default();
    let tensor = |piece: &Arc<Buffer>| {
        let tensor = || Arc::new(Tensor::from_bytes(local.clone(), piece.as_slice()));
        read.entry(piece.start()).or_insert_with(tensor).clone()
    };
    let pieces: Vec<Arc<Tensor>> = pieces.iter().map(tensor).collect();
    gather(&pieces, value, mesh, name)
}

//! Writing of the state of several processes to one file, of which each process supplies its shards.

use super::disk::{SystemDisk, write_content_atomically};
use super::tensor_file::{TensorFile, encode};
use crate::extent::Extent;
use crate::memory::Buffer;
use crate::source::{SLAB_ELEMENTS, read_extents};
use crate::state::State;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Writes the global tensors of a state to a safetensors file, in the first process. Must be called by all processes.
/// No process stores a global tensor.
///
/// # Errors
/// `C001` when the file cannot be written, `R005` when another process fails.
pub fn write_state(path: &Path, state: &State) -> Result<(), Diagnostic> {
    let refused = |e: &io::Error| Diagnostic::io_error("write", path, e);
    let tensors: Vec<(&str, Type)> = state.tensors.iter().map(|(name, t)| (name.as_str(), t.ty.clone())).collect();
    let layout = TensorFile::new(&tensors, &[]).map_err(|why| refused(&io::Error::other(why)))?;
    if state.processes.as_ref().is_some_and(|processes| processes.index() != 0) {
        return layout.order.iter().try_for_each(|&i| copy_tensor(state, &tensors[i], &mut |_| Ok(())));
    }
    let mut failed = None;
    let content = &mut |out: &mut dyn Write| {
        layout.write(out, |i, out| {
            copy_tensor(state, &tensors[i], &mut |bytes| out.write_all(bytes).map_err(|e| refused(&e))).map_err(
                |error| {
                    failed = Some(error);
                    io::Error::other("the state cannot be written")
                },
            )
        })
    };
    // Pipes, devices and links are written to instead of being replaced.
    let is_other = path.symlink_metadata().is_ok_and(|there| !there.is_file());
    let written = match is_other {
        true => File::options().write(true).truncate(true).open(path).and_then(|mut file| content(&mut file)),
        false => write_content_atomically(&SystemDisk, path, content),
    };
    match failed {
        Some(error) => Err(error),
        None => written.map_err(|e| refused(&e)),
    }
}

/// Calls `on_bytes` in the first process with the elements of a tensor in the form of a file, one slab at a time.
fn copy_tensor(
    state: &State,
    (name, ty): &(&str, Type),
    on_bytes: &mut dyn FnMut(&[u8]) -> Result<(), Diagnostic>,
) -> Result<(), Diagnostic> {
    let (own, count) = state.processes.as_ref().map_or((0, 1), |processes| (processes.index(), processes.count()));
    for slab in Extent::full(&ty.shape).slabs(SLAB_ELEMENTS) {
        let mut extents = vec![Vec::new(); count];
        extents[0].push(slab.clone());
        let read = read_extents(state, (name, ty), &extents, own)?;
        if own == 0 {
            let bytes = read.first().map(Buffer::as_slice);
            let bytes = bytes.ok_or_else(|| Diagnostic::new(Code::R005, format!("no rank has `{name}`")))?;
            on_bytes(&encode(bytes, &slab, ty.dtype))?;
        }
    }
    Ok(())
}

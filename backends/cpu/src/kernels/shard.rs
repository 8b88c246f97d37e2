//! Kernel of the op `shard`, which extracts a device's shard of a contiguous tensor and pads it with zeros.

use super::Lowerer;
use partita_ir::arena::OpId;
use partita_ir::layout::dim_shard;
use partita_ir::mesh::Axes;
use partita_ir::ops::Shard;
use partita_machine::host::{Cost, MemoryAccess, Work};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use std::sync::Arc;

/// Kernel that extracts a shard of one dimension. The dimensions outside and inside of it are flattened.
struct ShardKernel {
    /// Mesh axes along which the dimension is sharded.
    axes: Axes,
    /// Number of elements of the outer dimensions.
    outer: usize,
    /// Elements of the global tensor along the dimension.
    size: usize,
    /// Elements of a shard along the dimension, including padding.
    padded: usize,
    /// Bytes of one element of the dimension, with all its inner dimensions.
    inner: usize,
}

/// Lowers a `shard` op. Supports every op, and therefore always returns true.
pub(super) fn lower(to: &mut Lowerer<'_>, id: OpId, op: &Shard) -> bool {
    let (arg, out) = (to.program.ops[id].args[0], to.program.ops[id].outs[0]);
    let (global, padded) = (to.program.ty(arg), to.program.ty(out).shape[op.dim]);
    let (outer, inner) = (&global.shape[..op.dim], &global.shape[op.dim + 1..]);
    let kernel = ShardKernel {
        axes: op.axes.clone(),
        outer: outer.iter().product(),
        size: global.shape[op.dim],
        padded,
        inner: inner.iter().product::<usize>() * to.width(global.dtype),
    };
    let (read, result) = (to.dense(id, arg), to.new_slot(out));
    to.compute(id, Arc::new(kernel), vec![read], vec![result]);
    true
}

impl Kernel for ShardKernel {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        let shard = dim_shard(self.size, &self.axes, cx.place.mesh, &cx.place.coords);
        let (start, shard_bytes) = (shard.start.min(self.size) * self.inner, shard.len * self.inner);
        let (shard_line, global_line) = (self.padded * self.inner, self.size * self.inner);
        let (from, to) = (memory.reads[0], memory.writes[0]);
        for i in 0..self.outer {
            // SAFETY: the step was compiled for these shapes; operand and result do not overlap. Padding is zero, as in
            // the reference.
            unsafe {
                std::ptr::copy_nonoverlapping(from.add(i * global_line + start), to.add(i * shard_line), shard_bytes);
                to.add(i * shard_line + shard_bytes).write_bytes(0, shard_line - shard_bytes);
            }
        }
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        let bytes = self.outer * self.padded * self.inner;
        let work = Work::default().with(Cost::Line, self.outer);
        work.with_access(MemoryAccess::Read(0), bytes).with_access(MemoryAccess::Write(0), bytes)
    }
}

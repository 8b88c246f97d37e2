//! `shard`: a device's piece of a dense value, line by line.

use super::Lowerer;
use partita_ir::arena::OpId;
use partita_ir::layout::piece;
use partita_ir::mesh::Axes;
use partita_ir::ops::Shard;
use partita_machine::host::{Cost, Touch, Work};
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use std::sync::Arc;

/// Takes the piece of a dimension, where outer dimensions and inner ones count as one each.
struct Piece {
    axes: Axes,
    outer: usize,
    /// Elements along the dimension: of all, and of a piece with its padding.
    size: usize,
    padded: usize,
    /// Bytes of what lies within.
    inner: usize,
}

/// Lowers a shard.
pub(super) fn lower(to: &mut Lowerer<'_>, id: OpId, op: &Shard) -> bool {
    let (arg, out) = (to.program.ops[id].args[0], to.program.ops[id].outs[0]);
    let (whole, padded) = (to.program.ty(arg), to.program.ty(out).shape[op.dim]);
    let (outer, inner) = (&whole.shape[..op.dim], &whole.shape[op.dim + 1..]);
    let kernel = Piece {
        axes: op.axes.clone(),
        outer: outer.iter().product(),
        size: whole.shape[op.dim],
        padded,
        inner: inner.iter().product::<usize>() * to.width(whole.dtype),
    };
    let (read, result) = (to.dense(id, arg), to.new_slot(out));
    to.compute(id, Arc::new(kernel), vec![read], vec![result]);
    true
}

impl Kernel for Piece {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        let piece = piece(self.size, &self.axes, cx.place.mesh, &cx.place.coords);
        let (start, taken) = (piece.start.min(self.size) * self.inner, piece.len * self.inner);
        let (line, whole) = (self.padded * self.inner, self.size * self.inner);
        let (from, to) = (memory.reads[0], memory.writes[0]);
        for i in 0..self.outer {
            // SAFETY: the step was compiled for these shapes; operand and result do not overlap. Padding is zero, as in
            // the reference.
            unsafe {
                std::ptr::copy_nonoverlapping(from.add(i * whole + start), to.add(i * line), taken);
                to.add(i * line + taken).write_bytes(0, line - taken);
            }
        }
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        let bytes = self.outer * self.padded * self.inner;
        let work = Work::default().with(Cost::Line, self.outer);
        work.over(Touch::Read(0), bytes).over(Touch::Written(0), bytes)
    }
}

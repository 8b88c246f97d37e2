//! Ops that ask for the device's place in the mesh, which lies in a buffer of each device's: `piece_start`, `mask`,
//! `shard`, `partial`.

use super::operands::Lowered;
use crate::assembler::{Assembler, Value};
use crate::gpu::Lowerer;
use crate::kernels::steps::Lane;
use crate::launch::{Arg, Dispatch};
use crate::spec::Spec;
use partita_ir::arena::{Id, OpId};
use partita_ir::mesh::{AxisRef, Mesh};
use partita_ir::ops::{BinaryOp, Direction, Mask, Partial, PieceStart, Shard};

/// A device's piece of a dimension.
struct Piece {
    start: Value,
    len: Value,
}

/// The device's position along a factor of an axis.
fn position(a: &mut Assembler, memory: usize, axis: AxisRef, mesh: &Mesh) -> Value {
    let place = a.int(axis.axis.index());
    let coordinate = a.load(memory, place, Lane::I32);
    let post = mesh.size(axis.axis) / (axis.pre * axis.size);
    a.index(coordinate, post as usize, axis.size as usize)
}

/// The piece over axes, as [`partita_ir::layout::piece`] has it.
fn piece(a: &mut Assembler, memory: usize, size: usize, axes: &[AxisRef], mesh: &Mesh) -> Piece {
    let (mut start, mut len, mut padded) = (a.int(0), a.int(size), size);
    let none = a.int(0);
    for &axis in axes {
        padded = padded.div_ceil(axis.size as usize);
        let (step, position) = (a.int(padded), position(a, memory, axis, mesh));
        let before = a.mul(step, position);
        let left = a.sub(len, before);
        let left = a.binary(BinaryOp::Max, left, none);
        start = a.add(start, before);
        len = a.binary(BinaryOp::Min, left, step);
    }
    Piece { start, len }
}

/// One kernel on elements that reads the place behind all operands.
fn placed(to: &mut Lowerer<'_>, lowered: Lowered, count: usize, a: Assembler) {
    let buffers = lowered.buffers();
    let spec = Spec::Pointwise { reads: buffers.reads + 1, writes: buffers.writes, count, steps: a.steps() };
    let mut args: Vec<Arg> = (0..buffers.reads).map(Arg::Read).collect();
    args.push(Arg::Place);
    args.extend(lowered.results());
    lowered.kernels(to, vec![Dispatch { spec, args }], 0);
}

/// Global index of the first element of the device's piece.
pub(crate) fn piece_start(to: &mut Lowerer<'_>, id: OpId, op: &PieceStart) -> Option<()> {
    let (lowered, _) = Lowered::of(to, id)?;
    let (_, mesh) = to.program.mesh()?;
    i32::try_from(op.size).ok()?;
    let mut a = Assembler::default();
    let piece = piece(&mut a, 0, op.size, &op.axes, mesh);
    let lane = Lane::of(to.program.ty(to.program.ops[id].outs[0]).dtype)?;
    let start = a.bitcast(lane, piece.start);
    lowered.output(0).store_here(&mut a, start);
    placed(to, lowered, 1, a);
    Some(())
}

/// Padding is overwritten.
pub(crate) fn mask(to: &mut Lowerer<'_>, id: OpId, op: &Mask) -> Option<()> {
    let (lowered, operands) = Lowered::of(to, id)?;
    let [x] = &operands[..] else { return None };
    let (_, mesh) = to.program.mesh()?;
    let mut a = Assembler::default();
    let piece = piece(&mut a, 1, op.size, &op.axes, mesh);
    let inner = x.view.shape[op.dim + 1..].iter().product();
    let element = a.element();
    let index = a.index(element, inner, x.view.shape[op.dim]);
    let number = x.load_here(&mut a);
    let (is_mine, fill) = (a.compare(Direction::Lt, index, piece.len), a.scalar(x.dtype, op.fill.scalar(x.dtype))?);
    let number = a.select(is_mine, number, fill);
    lowered.output(0).store_here(&mut a, number);
    placed(to, lowered, x.view.count(), a);
    Some(())
}

/// The device's piece of a whole value, and zeros behind it.
pub(crate) fn shard(to: &mut Lowerer<'_>, id: OpId, op: &Shard) -> Option<()> {
    let (lowered, operands) = Lowered::of(to, id)?;
    let [x] = &operands[..] else { return None };
    let (_, mesh) = to.program.mesh()?;
    let out = &to.program.ty(to.program.ops[id].outs[0]).shape;
    let mut a = Assembler::default();
    let n = x.view.shape[op.dim];
    let piece = piece(&mut a, 1, n, &op.axes, mesh);
    let element = a.element();
    let mut at = a.indices(element, out);
    let is_mine = a.compare(Direction::Lt, at[op.dim], piece.len);
    let index = a.add(at[op.dim], piece.start);
    at[op.dim] = a.clamped(index, n.saturating_sub(1));
    let (number, zero) = (x.load(&mut a, &at), a.bits(x.lane, 0));
    let number = a.select(is_mine, number, zero);
    lowered.output(0).store_here(&mut a, number);
    placed(to, lowered, out.count(), a);
    Some(())
}

/// The value on the first device along axes, zero on the others.
pub(crate) fn partial(to: &mut Lowerer<'_>, id: OpId, op: &Partial) -> Option<()> {
    let (lowered, operands) = Lowered::of(to, id)?;
    let [x] = &operands[..] else { return None };
    let (_, mesh) = to.program.mesh()?;
    let mut a = Assembler::default();
    let none = a.int(0);
    let mut conditions = Vec::new();
    for &axis in &op.axes {
        let position = position(&mut a, 1, axis, mesh);
        conditions.push(a.compare(Direction::Eq, position, none));
    }
    // Of floats -0: it keeps the sign of the zeros that it is added to.
    let nothing = if x.lane == Lane::F32 { (-0f32).to_bits() } else { 0 };
    let (number, nothing) = (x.load_here(&mut a), a.bits(x.lane, nothing));
    let number = match a.all(conditions) {
        Some(is_first) => a.select(is_first, number, nothing),
        None => number,
    };
    lowered.output(0).store_here(&mut a, number);
    placed(to, lowered, x.view.count(), a);
    Some(())
}

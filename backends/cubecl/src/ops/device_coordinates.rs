//! Ops that depend on the device's coordinates in the mesh, which are stored in a buffer of each device: `piece_start`,
//! `mask`, `shard`, `partial`.

use super::operands::LoweredOp;
use crate::assembler::{Assembler, Value};
use crate::gpu::Lowerer;
use crate::kernels::steps::RegClass;
use crate::launch::{Arg, Dispatch};
use crate::spec::KernelSpec;
use partita_ir::arena::{Id, OpId};
use partita_ir::mesh::{AxisRef, DeviceMesh};
use partita_ir::ops::{BinaryOp, Direction, Mask, Partial, Shard, ShardStart};

/// A device's shard of a dimension.
struct ShardRange {
    start: Value,
    len: Value,
}

/// Computes the device's position along a factor of an axis.
fn position(a: &mut Assembler, memory: usize, axis: AxisRef, mesh: &DeviceMesh) -> Value {
    let address = a.int(axis.axis.index());
    let coordinate = a.load(memory, address, RegClass::I32);
    let post = mesh.size(axis.axis) / (axis.pre * axis.size);
    a.index(coordinate, post as usize, axis.size as usize)
}

/// Computes the shard over axes, as [`partita_ir::layout::dim_shard`] defines it.
fn shard_range(a: &mut Assembler, memory: usize, size: usize, axes: &[AxisRef], mesh: &DeviceMesh) -> ShardRange {
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
    ShardRange { start, len }
}

/// Adds an elementwise kernel that reads the device coordinates as its last operand.
fn add_kernel(to: &mut Lowerer<'_>, lowered: LoweredOp, count: usize, a: Assembler) {
    let buffers = lowered.buffers();
    let spec = KernelSpec::Pointwise { reads: buffers.reads + 1, writes: buffers.writes, count, steps: a.steps() };
    let mut args: Vec<Arg> = (0..buffers.reads).map(Arg::Read).collect();
    args.push(Arg::Coordinates);
    args.extend(lowered.results());
    lowered.kernels(to, vec![Dispatch { spec, args }], 0);
}

/// Lowers `piece_start`: the global index of the first element of the device's shard.
pub(crate) fn shard_start(to: &mut Lowerer<'_>, id: OpId, op: &ShardStart) -> Option<()> {
    let (lowered, _) = LoweredOp::new(to, id)?;
    let (_, mesh) = to.program.mesh()?;
    i32::try_from(op.size).ok()?;
    let mut a = Assembler::default();
    let range = shard_range(&mut a, 0, op.size, &op.axes, mesh);
    let class = RegClass::from_stored_dtype(to.program.ty(to.program.ops[id].outs[0]).dtype)?;
    let start = a.bitcast(class, range.start);
    lowered.output(0).store_here(&mut a, start);
    add_kernel(to, lowered, 1, a);
    Some(())
}

/// Lowers `mask`: padding elements are replaced by a fill value.
pub(crate) fn mask(to: &mut Lowerer<'_>, id: OpId, op: &Mask) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [x] = &operands[..] else { return None };
    let (_, mesh) = to.program.mesh()?;
    let mut a = Assembler::default();
    let range = shard_range(&mut a, 1, op.size, &op.axes, mesh);
    let inner = x.view.shape[op.dim + 1..].iter().product();
    let element = a.element();
    let index = a.index(element, inner, x.view.shape[op.dim]);
    let number = x.load_here(&mut a);
    let (is_mine, fill) = (a.compare(Direction::Lt, index, range.len), a.scalar(x.dtype, op.fill.scalar(x.dtype))?);
    let number = a.select(is_mine, number, fill);
    lowered.output(0).store_here(&mut a, number);
    add_kernel(to, lowered, x.view.count(), a);
    Some(())
}

/// Lowers `shard`: the device's shard of a replicated value, padded with zeros.
pub(crate) fn shard(to: &mut Lowerer<'_>, id: OpId, op: &Shard) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [x] = &operands[..] else { return None };
    let (_, mesh) = to.program.mesh()?;
    let out = &to.program.ty(to.program.ops[id].outs[0]).shape;
    let mut a = Assembler::default();
    let n = x.view.shape[op.dim];
    let range = shard_range(&mut a, 1, n, &op.axes, mesh);
    let element = a.element();
    let mut at = a.indices(element, out);
    let is_mine = a.compare(Direction::Lt, at[op.dim], range.len);
    let index = a.add(at[op.dim], range.start);
    at[op.dim] = a.clamped(index, n.saturating_sub(1));
    let (number, zero) = (x.load(&mut a, &at), a.bits(x.class, 0));
    let number = a.select(is_mine, number, zero);
    lowered.output(0).store_here(&mut a, number);
    add_kernel(to, lowered, out.count(), a);
    Some(())
}

/// Lowers `partial`: the value on the first device along the axes, and zero on the others.
pub(crate) fn partial(to: &mut Lowerer<'_>, id: OpId, op: &Partial) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [x] = &operands[..] else { return None };
    let (_, mesh) = to.program.mesh()?;
    let mut a = Assembler::default();
    let none = a.int(0);
    let mut conditions = Vec::new();
    for &axis in &op.axes {
        let position = position(&mut a, 1, axis, mesh);
        conditions.push(a.compare(Direction::Eq, position, none));
    }
    // For floats the neutral element is -0, since adding it preserves the sign of zeros.
    let neutral = if x.class == RegClass::F32 { (-0f32).to_bits() } else { 0 };
    let (number, neutral) = (x.load_here(&mut a), a.bits(x.class, neutral));
    let number = match a.conjunction(conditions) {
        Some(is_first) => a.select(is_first, number, neutral),
        None => number,
    };
    lowered.output(0).store_here(&mut a, number);
    add_kernel(to, lowered, x.view.count(), a);
    Some(())
}

//! Along which axes all devices hold the same value, so that one of them may compute it for the others.

use partita_ir::arena::{Id, ValueId};
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, Mesh};
use partita_ir::op::OpKind;
use partita_ir::program::Program;

/// Mesh axes, a bit each.
pub(crate) type AxisSet = u64;

/// For each output of one device's program, the axes along which all devices compute the same. `layout` says where inputs lie.
pub(crate) fn same_outputs<'l>(
    program: &Program,
    mesh: &Mesh,
    layout: &dyn Fn(ValueId) -> Option<&'l Layout>,
) -> Vec<AxisSet> {
    let count = mesh.axis_ids().count();
    let all: AxisSet = if count < 64 { (1 << count) - 1 } else { 0 };
    let mut same: Vec<AxisSet> = vec![all; program.values.len()];
    for &input in &program.main().inputs {
        let Some(layout) = layout(input) else { continue };
        let split = layout.dims.iter().flat_map(|d| &d.axes).chain(layout.pending.iter().map(|(axis, _)| axis));
        split.for_each(|a| same[input.index()] &= !bit(a.axis));
    }
    for op in program.main().body.iter().map(|&op| &program.ops[op]) {
        let mut axes = op.args.iter().fold(all, |axes, arg| axes & same[arg.index()]);
        match &op.kind {
            // What a body does with its place is not looked at.
            OpKind::Loop(_) => axes = 0,
            OpKind::AllReduce(op) => axes |= whole(mesh, &op.axes),
            OpKind::AllGather(op) => axes |= whole(mesh, &op.axes),
            OpKind::ReduceScatter(op) => axes &= !any(&op.axes),
            OpKind::AllToAll(op) => axes &= !any(&op.axes),
            OpKind::Permute(op) => axes &= !any(&op.axes),
            OpKind::Shard(op) => axes &= !any(&op.axes),
            OpKind::Partial(op) => axes &= !any(&op.axes),
            OpKind::Mask(op) => axes &= !any(&op.axes),
            OpKind::PieceStart(op) => axes &= !any(&op.axes),
            _ => {}
        }
        op.outs.iter().for_each(|out| same[out.index()] = axes);
    }
    // An axis of one device has no replicas.
    let several = mesh.axis_ids().filter(|&a| mesh.size(a) > 1).fold(0, |set, a| set | bit(a));
    program.main().outputs.iter().map(|o| same[o.value.index()] & several).collect()
}

/// The rank of the device that computes for all that differ from this one along those axes only.
pub(crate) fn leader(mesh: &Mesh, rank: usize, axes: AxisSet) -> usize {
    let mut coords = mesh.coords(rank);
    mesh.axis_ids().filter(|&a| axes & bit(a) != 0).for_each(|a| coords[a.index()] = 0);
    mesh.rank(&coords)
}

fn bit(axis: partita_ir::arena::AxisId) -> AxisSet {
    1u64.checked_shl(axis.0).unwrap_or(0)
}

/// Axes that are named, wholly or in part.
fn any(axes: &Axes) -> AxisSet {
    axes.iter().fold(0, |set, a| set | bit(a.axis))
}

/// Axes that are named as a whole.
fn whole(mesh: &Mesh, axes: &Axes) -> AxisSet {
    axes.iter().filter(|a| a.is_whole(mesh)).fold(0, |set, a| set | bit(a.axis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita_ir::diag::Source;
    use partita_ir::text::parse;

    #[test]
    fn what_was_reduced_is_the_same_and_what_depends_on_the_place_is_not() {
        let text = "form local
            mesh @m = [a=2, b=3]
            param %w \"w\" : f32[4]
            input %x : f32[6@b, 4]
              %g = reduce sum [0] %x : f32[4]
              %r = all_reduce sum over b %g : f32[4]
              %n = sub %w, %r : f32[4]
              %s = shard dim 0 over a %n : f32[2]
            output %g \"g\"
            output %n \"n\"
            output %s \"s\"";
        let program = parse(&Source::new("test.pir", text)).unwrap();
        let (_, mesh) = program.mesh().unwrap();
        let layout = |v: ValueId| program.values[v].layout.as_deref();
        assert_eq!(same_outputs(&program, mesh, &layout), [0b01, 0b11, 0b10]);
        assert_eq!((leader(mesh, 5, 0b11), leader(mesh, 5, 0b10), leader(mesh, 5, 0)), (0, 3, 5));
    }
}

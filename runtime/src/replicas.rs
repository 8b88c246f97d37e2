//! Along which axes all devices hold the same value, so that one of them may compute it for the others.

use partita_ir::arena::{AxisId, Id, ValueId};
use partita_ir::class::{Class, Collective};
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, AxisRef, Mesh};
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Program};

/// Mesh axes, a bit each.
pub type AxisSet = u64;

/// What the devices of one process need not all compute.
pub struct Replicas<'m> {
    mesh: &'m Mesh,
    /// By value, the axes along which all devices hold the same.
    same: Vec<AxisSet>,
    /// By value, the axes along which only one device's is needed, when what is the same is computed once.
    needed_once: Vec<AxisSet>,
}

impl<'m> Replicas<'m> {
    /// The replicas of one device's program. `layout` says where inputs lie.
    pub fn of<'l>(program: &Program, mesh: &'m Mesh, layout: &dyn Fn(ValueId) -> Option<&'l Layout>) -> Replicas<'m> {
        let axes = mesh.axis_ids();
        let all: AxisSet = if axes.count() < 64 { mesh.axis_ids().fold(0, |set, a| set | bit(a)) } else { 0 };
        let mut same = vec![all; program.values.len()];
        for &input in program.inputs() {
            let Some(layout) = layout(input) else { continue };
            let split = layout.dims.iter().flat_map(|d| &d.axes).chain(layout.pending.iter().map(|(axis, _)| axis));
            split.for_each(|a| same[input.index()] &= !bit(a.axis));
        }
        // entry only: a loop is computed by every device itself
        let ops: Vec<&Op> = program.entry_ops().map(|at| at.op).collect();
        for op in &ops {
            let args = op.args.iter().fold(all, |axes, arg| axes & same[arg.index()]);
            let axes = same_results(&op.kind, mesh, args);
            op.outs.iter().for_each(|out| same[out.index()] = axes);
        }
        // An axis of one device has no replicas.
        let several = mesh.axis_ids().filter(|&a| mesh.size(a) > 1).fold(0, |set, a| set | bit(a));
        same.iter_mut().for_each(|axes| *axes &= several);
        let mut needed_once = vec![several; program.values.len()];
        for output in program.outputs() {
            needed_once[output.value.index()] &= same[output.value.index()];
        }
        for op in ops.iter().rev() {
            let meets = op.kind.is_collective() || op.kind.control().is_some();
            let axes = op.outs.iter().fold(several, |axes, out| axes & needed_once[out.index()]);
            op.args.iter().for_each(|arg| needed_once[arg.index()] &= if meets { 0 } else { axes });
        }
        Replicas { mesh, same, needed_once }
    }

    /// Devices of which each computes all of its own.
    pub fn none(program: &Program, mesh: &'m Mesh) -> Replicas<'m> {
        let none = vec![0; program.values.len()];
        Replicas { mesh, same: none.clone(), needed_once: none }
    }

    /// The mesh.
    pub fn mesh(&self) -> &'m Mesh {
        self.mesh
    }

    /// Whether all devices along those axes hold the same value.
    pub fn is_same(&self, value: ValueId, axes: &[AxisRef]) -> bool {
        self.covers(&self.same, value, axes)
    }

    /// Whether one device's value is all that is needed of those along the axes.
    pub fn is_needed_once(&self, value: ValueId, axes: &[AxisRef]) -> bool {
        self.covers(&self.needed_once, value, axes)
    }

    fn covers(&self, sets: &[AxisSet], value: ValueId, axes: &[AxisRef]) -> bool {
        let set = sets.get(value.index()).copied().unwrap_or(0);
        axes.iter().all(|a| a.is_whole(self.mesh) && set & bit(a.axis) != 0)
    }

    /// For each output, the axes along which all devices compute the same.
    pub(crate) fn of_outputs(&self, program: &Program) -> Vec<AxisSet> {
        program.outputs().iter().map(|o| self.same[o.value.index()]).collect()
    }
}

/// The axes along which an op's results are the same, when its operands are along `args`.
fn same_results(kind: &OpKind, mesh: &Mesh, args: AxisSet) -> AxisSet {
    match kind.class() {
        // What a body does with its place is not looked at.
        Class::Control(_) => 0,
        Class::Collective(collective) => match collective {
            Collective::AllReduce(_) | Collective::AllGather(_) => args | whole(mesh, collective.axes()),
            Collective::ReduceScatter(_) | Collective::AllToAll(_) | Collective::Permute(_) => {
                args & !any(collective.axes())
            }
        },
        Class::Device(op) => args & !any(op.axes()),
        Class::Source(_) | Class::Random | Class::Elementwise | Class::Movement | Class::Indexing => args,
        Class::Product | Class::Attention | Class::Reduction | Class::Sorting | Class::Normalisation => args,
        Class::Update | Class::Layout(_) => args,
    }
}

/// Which devices carry something out: all, or for those that differ along some axes only the one that lies there as
/// `rank` does.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Duty {
    /// The axes.
    pub axes: AxisSet,
    /// The device whose place along them counts.
    pub rank: usize,
}

impl Duty {
    /// Whether every device carries it out for itself.
    pub fn is_everybodys(self) -> bool {
        self.axes == 0
    }

    /// The device that carries it out for the one of that rank.
    pub fn of(self, mesh: &Mesh, rank: usize) -> usize {
        if self.is_everybodys() {
            return rank;
        }
        let (mut coords, there) = (mesh.coords(rank), mesh.coords(self.rank));
        mesh.axis_ids().filter(|&a| self.axes & bit(a) != 0).for_each(|a| coords[a.index()] = there[a.index()]);
        mesh.rank(&coords)
    }
}

fn bit(axis: AxisId) -> AxisSet {
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
        let replicas = Replicas::of(&program, mesh, &layout);
        assert_eq!(replicas.of_outputs(&program), [0b01, 0b11, 0b10]);
        let of = |axes, rank| Duty { axes, rank }.of(mesh, 5);
        assert_eq!((of(0b11, 0), of(0b10, 0), of(0b11, 2), of(0b10, 2), of(0, 0)), (0, 3, 2, 5, 5));
    }
}

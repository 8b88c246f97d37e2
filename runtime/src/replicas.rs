//! Replication analysis: mesh axes along which all devices compute identical values.

use partita_ir::arena::{AxisId, Id, ValueId};
use partita_ir::class::{Class, Collective};
use partita_ir::layout::Layout;
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh};
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Program};

/// Set of mesh axes as a bit mask.
pub type AxisSet = u64;

/// Replication of the values of a device's program.
pub struct Replicas<'m> {
    mesh: &'m DeviceMesh,
    /// Axes along which all devices have the same value, for each value.
    replicated: Vec<AxisSet>,
    /// Axes along which the value of a single device suffices under replica deduplication, for each value.
    needed_once: Vec<AxisSet>,
}

impl<'m> Replicas<'m> {
    /// Analyses a device's program. `layout` returns the layout of each input.
    pub fn analyze<'l>(
        program: &Program,
        mesh: &'m DeviceMesh,
        layout: &dyn Fn(ValueId) -> Option<&'l Layout>,
    ) -> Replicas<'m> {
        let axes = mesh.axis_ids();
        let all: AxisSet = if axes.count() < 64 { mesh.axis_ids().fold(0, |set, a| set | bit(a)) } else { 0 };
        let mut same = vec![all; program.values.len()];
        for &input in program.inputs() {
            let Some(layout) = layout(input) else { continue };
            let split = layout.dims.iter().flat_map(|d| &d.axes).chain(layout.partial.iter().map(|(axis, _)| axis));
            split.for_each(|a| same[input.index()] &= !bit(a.axis));
        }
        // entry only: every device executes loops itself
        let ops: Vec<&Op> = program.entry_ops().map(|at| at.op).collect();
        for op in &ops {
            let args = op.args.iter().fold(all, |axes, arg| axes & same[arg.index()]);
            let axes = result_axes(&op.kind, mesh, args);
            op.outs.iter().for_each(|out| same[out.index()] = axes);
        }
        // An axis of size 1 has no replicas.
        let several = mesh.axis_ids().filter(|&a| mesh.size(a) > 1).fold(0, |set, a| set | bit(a));
        same.iter_mut().for_each(|axes| *axes &= several);
        let mut needed_once = vec![several; program.values.len()];
        for output in program.outputs() {
            needed_once[output.value.index()] &= same[output.value.index()];
        }
        for op in ops.iter().rev() {
            let synchronises = op.kind.is_collective() || op.kind.control().is_some();
            let axes = op.outs.iter().fold(several, |axes, out| axes & needed_once[out.index()]);
            op.args.iter().for_each(|arg| needed_once[arg.index()] &= if synchronises { 0 } else { axes });
        }
        Replicas { mesh, replicated: same, needed_once }
    }

    /// Returns an analysis without replication, which disables replica deduplication.
    pub fn disabled(program: &Program, mesh: &'m DeviceMesh) -> Replicas<'m> {
        let none = vec![0; program.values.len()];
        Replicas { mesh, replicated: none.clone(), needed_once: none }
    }

    /// Returns the mesh of the program.
    pub fn mesh(&self) -> &'m DeviceMesh {
        self.mesh
    }

    /// Returns true if all devices along the axes have the same value.
    pub fn is_replicated(&self, value: ValueId, axes: &[AxisRef]) -> bool {
        self.covers(&self.replicated, value, axes)
    }

    /// Returns true if the value of a single device along the axes suffices.
    pub fn is_needed_once(&self, value: ValueId, axes: &[AxisRef]) -> bool {
        self.covers(&self.needed_once, value, axes)
    }

    fn covers(&self, sets: &[AxisSet], value: ValueId, axes: &[AxisRef]) -> bool {
        let set = sets.get(value.index()).copied().unwrap_or(0);
        axes.iter().all(|a| a.is_full(self.mesh) && set & bit(a.axis) != 0)
    }

    /// Returns for each output the axes along which all devices compute the same value.
    pub(crate) fn output_axes(&self, program: &Program) -> Vec<AxisSet> {
        program.outputs().iter().map(|o| self.replicated[o.value.index()]).collect()
    }
}

/// Returns the axes along which an op's results are identical, given those along which all its operands are.
fn result_axes(kind: &OpKind, mesh: &DeviceMesh, args: AxisSet) -> AxisSet {
    match kind.class() {
        // Loop bodies are not analysed and may depend on the device's position.
        Class::Control(_) => 0,
        Class::Collective(collective) => match collective {
            Collective::AllReduce(_) | Collective::AllGather(_) => args | full_axes(mesh, collective.axes()),
            Collective::ReduceScatter(_) | Collective::AllToAll(_) | Collective::Permute(_) => {
                args & !used_axes(collective.axes())
            }
        },
        Class::Device(op) => args & !used_axes(op.axes()),
        Class::Source(_) | Class::Random | Class::Elementwise | Class::Movement | Class::Indexing => args,
        Class::Product | Class::Attention(_) | Class::Reduction | Class::Sorting | Class::Normalisation => args,
        Class::LinearAlgebra | Class::Update | Class::Opaque(_) | Class::Layout(_) => args,
    }
}

/// Replica that executes a task or computes an output: every device, or among the devices that differ only along some
/// axes the one with the coordinates of `rank` along them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ReplicaOwner {
    /// Axes along which one replica computes for the others; empty for every device.
    pub axes: AxisSet,
    /// Device that defines the coordinates along the axes.
    pub rank: usize,
}

impl ReplicaOwner {
    /// Returns true if every device computes for itself.
    pub fn is_every_device(self) -> bool {
        self.axes == 0
    }

    /// Returns the device that computes for the device `rank`.
    pub fn device_for(self, mesh: &DeviceMesh, rank: usize) -> usize {
        if self.is_every_device() {
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

/// Returns the axes that are used completely or in part.
fn used_axes(axes: &Axes) -> AxisSet {
    axes.iter().fold(0, |set, a| set | bit(a.axis))
}

/// Returns the axes that are used completely.
fn full_axes(mesh: &DeviceMesh, axes: &Axes) -> AxisSet {
    axes.iter().filter(|a| a.is_full(mesh)).fold(0, |set, a| set | bit(a.axis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita_ir::diag::Source;
    use partita_ir::text::parse;

    #[test]
    fn replication_follows_reductions_and_sharding() {
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
        let replicas = Replicas::analyze(&program, mesh, &layout);
        assert_eq!(replicas.output_axes(&program), [0b01, 0b11, 0b10]);
        let device = |axes, rank| ReplicaOwner { axes, rank }.device_for(mesh, 5);
        assert_eq!((device(0b11, 0), device(0b10, 0), device(0b11, 2), device(0b10, 2), device(0, 0)), (0, 3, 2, 5, 5));
    }
}

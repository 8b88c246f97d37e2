//! Layouts of the operands and results of each op, for constraints in the user's framework.

use partita::ir::arena::{Id, OpId, ValueId};
use partita::ir::layout::{Layout, Monoid};
use partita::ir::mesh::DeviceMesh;
use partita_ir::program::{Op, Program};
use partita_ir::syntax::attr::axis_names;
use pyo3::prelude::*;

/// Layout of an operand or result of an op.
#[pyclass(frozen, get_all)]
pub(crate) struct ValueLayout {
    /// Shape of the value on all devices.
    shape: Vec<usize>,
    /// Axes of each dimension. `None` if the layout is unknown, or partial in a reduction other than a sum.
    axes: Option<Vec<Vec<String>>>,
    /// Axes over which the value is a partial sum.
    partial: Vec<String>,
    /// Axes of each dimension after the reduction of a partial result, if every reader needs the same layout.
    reduced: Option<Vec<Vec<String>>>,
    /// True for an operand that is resharded before the op.
    is_resharded: bool,
}

/// Name of an op in the user's model, and the layouts of its operands and of its results.
pub(crate) type OpLayouts = (String, Vec<ValueLayout>, Vec<ValueLayout>);

/// Returns the layouts of the ops of a program in form explicit, without its reshards.
pub(crate) fn op_layouts(program: &Program) -> Vec<OpLayouts> {
    let Some((_, mesh)) = program.mesh() else { return Vec::new() };
    let uses = Uses::new(program, mesh);
    let ops = program.model_ops().into_iter().map(|at| at.op).filter(|op| !is_reshard(op));
    ops.map(|op| {
        let operands = op.args.iter().map(|&value| uses.operand(value)).collect();
        let results = op.outs.iter().map(|&value| uses.result(value)).collect();
        (op.origin.scope.to_string(), operands, results)
    })
    .collect()
}

/// Layouts in which values are read.
struct Uses<'a> {
    program: &'a Program,
    mesh: &'a DeviceMesh,
    /// For each value, the reshard that defines it.
    reshards: Vec<Option<OpId>>,
    /// For each value, the distinct results of its reshards.
    versions: Vec<Vec<ValueId>>,
    /// For each value, true if an op other than a reshard reads it.
    is_read: Vec<bool>,
}

impl<'a> Uses<'a> {
    fn new(program: &'a Program, mesh: &'a DeviceMesh) -> Uses<'a> {
        let count = program.values.len();
        let (reshards, versions) = (vec![None; count], vec![Vec::new(); count]);
        let mut uses = Uses { program, mesh, reshards, versions, is_read: vec![false; count] };
        for at in program.model_ops() {
            match (&at.op.args[..], &at.op.outs[..]) {
                (&[source], &[out]) if is_reshard(at.op) => {
                    uses.reshards[out.index()] = Some(at.id);
                    uses.versions[source.index()].push(out);
                }
                (args, _) => args.iter().for_each(|arg| uses.is_read[arg.index()] = true),
            }
        }
        uses
    }

    fn layout(&self, value: ValueId) -> Option<&'a Layout> {
        let layout = self.program.values[value].layout.as_deref();
        layout.filter(|layout| layout.partial.iter().all(|(_, monoid)| *monoid == Monoid::Sum))
    }

    fn names(&self, layout: &Layout) -> Vec<Vec<String>> {
        layout.dim_axes().map(|axes| axis_names(axes, Some(self.mesh))).collect()
    }

    fn operand(&self, value: ValueId) -> ValueLayout {
        ValueLayout { is_resharded: self.reshards[value.index()].is_some(), ..self.value(value) }
    }

    fn result(&self, value: ValueId) -> ValueLayout {
        let mut versions = self.versions[value.index()].iter().map(|&version| self.layout(version));
        let first = versions.next().flatten().filter(|_| !self.is_read[value.index()]);
        let target = first.filter(|first| versions.all(|other| other.is_some_and(|l| l.has_same_sharding(first))));
        let reduced = target.filter(|target| target.partial.is_empty()).map(|target| self.names(target));
        ValueLayout { reduced, ..self.value(value) }
    }

    fn value(&self, value: ValueId) -> ValueLayout {
        let layout = self.layout(value);
        let partial = layout.map(|layout| layout.partial.iter().map(|(axis, _)| *axis).collect::<Vec<_>>());
        ValueLayout {
            shape: self.program.ty(value).shape.to_vec(),
            axes: layout.map(|layout| self.names(layout)),
            partial: axis_names(&partial.unwrap_or_default(), Some(self.mesh)),
            reduced: None,
            is_resharded: false,
        }
    }
}

fn is_reshard(op: &Op) -> bool {
    op.kind.class().layout().is_some_and(|layout| layout.is_reshard())
}

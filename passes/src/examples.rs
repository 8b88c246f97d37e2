//! Whether each example of a batch goes through a program on its own.
//!
//! The program is partitioned over an axis that gives each device one example of every input and output. What mixes
//! examples is what then needs a collective.

use crate::driver::{Findings, Input};
use crate::planning;
use partita_ir::arena::{Arena, AxisId, Id};
use partita_ir::diag::Diagnostic;
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::{AxisRef, Mesh};
use partita_ir::program::Program;
use std::sync::Arc;

/// Devices of the axis; a larger batch is split into as many parts at most.
const MAX_PARTS: usize = 4096;

/// An operation that needs several examples at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mixing {
    /// The op, as `kind %name`.
    pub op: String,
    /// Where it stands: the part of the model, and the line of its source. Empty and 0 when that is not known.
    pub place: (String, u32),
}

/// The first operation of a traced program that mixes examples; they are counted by the first dimension of every input
/// that is no parameter, and of every output.
///
/// # Errors
/// What is wrong with the program.
pub fn mixing(program: &Program, batch: usize) -> Result<Option<Mixing>, Vec<Diagnostic>> {
    let parts = (1..=batch.min(MAX_PARTS)).rev().find(|n| batch.is_multiple_of(*n)).unwrap_or(1);
    let mut split = program.clone();
    split.meshes = Arena::default();
    let mesh = Mesh::new("examples", [("examples", parts as u32)]);
    let examples = AxisRef::whole(&mesh, AxisId::from_index(0));
    let mesh = split.meshes.push(mesh);
    split.values.values_mut().for_each(|value| value.layout = None);
    let main = &split.funcs[split.entry()];
    let inputs = main.inputs.iter().map(|&v| (v, split.param_of(v).is_none()));
    let laid: Vec<_> = inputs.chain(main.outputs.iter().map(|o| (o.value, true))).collect();
    for (value, has_examples) in laid {
        let mut layout = Layout::replicated(mesh, split.ty(value).shape.rank());
        if let Some(first) = layout.dims.first_mut().filter(|_| has_examples) {
            *first = DimLayout { axes: [examples].into_iter().collect(), ..DimLayout::default() };
        }
        split.values[value].layout = Some(Arc::new(layout));
    }
    planning::split_batch().map_err(|e| vec![e])?.run(
        &mut split,
        &Input::default(),
        &mut Findings::default(),
        &mut |_| Ok(()),
    )?;
    let ops = split.laid_out_funcs().into_iter().flat_map(|func| split.funcs[func].ops().iter().copied());
    let collective = ops.map(|op| &split.ops[op]).find(|op| op.kind.is_collective());
    Ok(collective.map(|op| {
        let cause = op.origin.cause.as_deref();
        let name = cause.map_or_else(|| op.kind.name().to_owned(), |cause| cause.op.to_string());
        Mixing { op: name, place: (op.origin.scope.to_string(), op.origin.line) }
    }))
}

//! A check that a program computes each example of a batch independently of the others.
//!
//! The program is partitioned over a mesh axis that gives each device one example of every input and output. An op that
//! mixes examples then needs a collective.

use crate::driver::{Findings, Input};
use crate::planning;
use partita_ir::arena::{Arena, AxisId, Id};
use partita_ir::diag::Diagnostic;
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::{AxisRef, DeviceMesh};
use partita_ir::origin::Origin;
use partita_ir::program::Program;
use std::sync::Arc;

/// Largest number of devices of the axis. A larger batch is split over the largest divisor that does not exceed this
/// number.
const MAX_EXAMPLE_SHARDS: usize = 4096;

/// An operation that mixes examples.
#[derive(Clone, PartialEq, Debug)]
pub struct MixingOp {
    /// The op, as `kind %name`.
    pub op: String,
    /// Location of the op in the model.
    pub origin: Origin,
}

/// Returns the first operation of a traced program that mixes the examples of a batch. Examples are indexed by the
/// first dimension of every input that is not a parameter, and of every output.
///
/// # Errors
/// Errors in the program.
pub fn find_mixing_op(program: &Program, batch: usize) -> Result<Option<MixingOp>, Vec<Diagnostic>> {
    let shards = (1..=batch.min(MAX_EXAMPLE_SHARDS)).rev().find(|n| batch.is_multiple_of(*n)).unwrap_or(1);
    let mut split = program.clone();
    split.meshes = Arena::default();
    let mesh = DeviceMesh::new("examples", [("examples", shards as u32)]);
    let examples = AxisRef::full(&mesh, AxisId::from_index(0));
    let mesh = split.meshes.push(mesh);
    split.values.values_mut().for_each(|value| value.layout = None);
    let main = &split.funcs[split.entry()];
    let inputs = main.inputs.iter().map(|&v| (v, split.param_of(v).is_none()));
    let layouts: Vec<_> = inputs.chain(main.outputs.iter().map(|o| (o.value, true))).collect();
    for (value, has_examples) in layouts {
        let mut layout = Layout::replicated(mesh, split.ty(value).shape.rank());
        if let Some(first) = layout.dims.first_mut().filter(|_| has_examples) {
            *first = DimLayout { axes: [examples].into_iter().collect(), ..DimLayout::default() };
        }
        split.values[value].layout = Some(Arc::new(layout));
    }
    planning::micro_batch_pipeline().map_err(|e| vec![e])?.run(
        &mut split,
        &Input::default(),
        &mut Findings::default(),
        &mut |_| Ok(()),
    )?;
    let ops = split.funcs_with_layouts().into_iter().flat_map(|func| split.funcs[func].ops().iter().copied());
    let collective = ops.map(|op| &split.ops[op]).find(|op| op.kind.is_collective());
    Ok(collective.map(|op| {
        let cause = op.origin.cause.as_deref();
        let name = cause.map_or_else(|| op.kind.name().to_owned(), |cause| cause.op.to_string());
        MixingOp { op: name, origin: op.origin.clone() }
    }))
}

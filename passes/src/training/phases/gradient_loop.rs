//! A loop of an imported step that accumulates the gradients of micro-batches.

use super::{StepResults, assign_update};
use crate::import::updates::DefiningOps;
use crate::planning::presets::model::ModelStructure;
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::dtype::Type;
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::{Op, Phase, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// A loop whose body is the forward and the backward pass of a micro-batch.
pub(super) struct GradientLoop {
    op: OpId,
    body: FuncId,
    /// Results of the body that are sums of gradients.
    sums: Vec<ValueId>,
    /// The gradients of a micro-batch.
    summands: Vec<ValueId>,
}

impl GradientLoop {
    /// Returns the loop of the main function that contains all products with parameters and adds up their gradients.
    pub(super) fn find(model: &ModelStructure<'_>) -> Option<GradientLoop> {
        let program = model.program;
        let trained = model.updates.iter().chain(&model.gradients);
        let trained: FxHashSet<&Type> = trained.map(|(param, _)| program.ty(*param)).collect();
        let products: FxHashSet<OpId> = model.contractions.iter().map(|product| product.op).collect();
        // entry only: the loop over micro-batches runs once in a step
        program.entry_ops().find_map(|at| {
            let Control::Loop(l) = at.op.kind.control()?;
            let within = products_within(program, l.body, &products);
            if within == 0 || within < products.len() {
                return None;
            }
            let body = &program.funcs[l.body];
            let ops = body.ops().iter().map(|&id| &program.ops[id]);
            let definitions: FxHashMap<ValueId, &Op> =
                ops.flat_map(|op| op.outs.iter().map(move |&out| (out, op))).collect();
            let sums = body.inputs.iter().zip(&body.outputs).filter_map(|(&carried, new)| {
                let summand = summand(definitions.get(&new.value)?, carried)?;
                trained.contains(program.ty(new.value)).then_some((new.value, summand))
            });
            let (sums, summands): (Vec<ValueId>, Vec<ValueId>) = sums.unzip();
            (!sums.is_empty()).then_some(GradientLoop { op: at.id, body: l.body, sums, summands })
        })
    }

    /// Assigns phases to the ops of the main function, and to those in the body that its results depend on.
    pub(super) fn assign_phases(self, model: &ModelStructure<'_>, graph: &DefiningOps, phase: &mut [Option<Phase>]) {
        let program = model.program;
        assign_update(program, graph, model.updates.iter().map(|(_, new)| *new).collect(), phase);
        // Values that the forward pass of a micro-batch cannot read.
        let mut after: FxHashSet<ValueId> = FxHashSet::default();
        // entry only: the body is a step of its own
        for at in program.entry_ops() {
            let is_after = phase[at.id.index()].is_some() || at.op.args.iter().any(|arg| after.contains(arg));
            let of_op = match (at.id == self.op, is_after) {
                (true, _) => Phase::BackwardWeight,
                (false, true) => Phase::Update,
                (false, false) => Phase::Forward,
            };
            if of_op != Phase::Forward {
                after.extend(&at.op.outs);
            }
            phase[at.id.index()] = Some(of_op);
        }
        let body = &program.funcs[self.body];
        let mut of_gradients: FxHashSet<ValueId> = self.summands.into_iter().collect();
        for op in body.ops().iter().map(|&id| &program.ops[id]) {
            if op.args.iter().any(|arg| of_gradients.contains(arg)) {
                of_gradients.extend(&op.outs);
            }
        }
        let changed = body.outputs.iter().map(|output| output.value).filter(|value| !body.inputs.contains(value));
        let losses = changed.filter(|value| !of_gradients.contains(value)).collect();
        let results = StepResults { func: self.body, losses, updates: Vec::new(), gradients: self.sums };
        results.assign(model, graph, phase);
        for id in body.ops() {
            phase[id.index()].get_or_insert(Phase::BackwardInput);
        }
    }
}

/// Returns the number of the given ops in a function and the bodies of its loops.
fn products_within(program: &Program, func: FuncId, products: &FxHashSet<OpId>) -> usize {
    let count = |&id: &OpId| match program.ops[id].kind.control() {
        Some(Control::Loop(l)) => products_within(program, l.body, products),
        None => usize::from(products.contains(&id)),
    };
    program.funcs[func].ops().iter().map(count).sum()
}

/// Returns the value that an op adds to `carried`.
///
/// Recogniser: a loop that accumulates gradients in another form has one phase.
fn summand(op: &Op, carried: ValueId) -> Option<ValueId> {
    match (&op.kind, &op.args[..]) {
        (OpKind::Binary(binary), &[x, y]) if binary.op == BinaryOp::Add && x == carried => Some(y),
        (OpKind::Binary(binary), &[x, y]) if binary.op == BinaryOp::Add && y == carried => Some(x),
        _ => None,
    }
}

//! Dependence of the values of an imported training step on examples and on sums over them.
//!
//! A value that depends on examples but has no batch dimension is a sum over examples, such as a gradient. Ops that are
//! linear in a sum are computed for a part of the batch, too. Other ops, such as the norm of all gradients, need the
//! complete sum, as do all ops that depend on their results.

use crate::planning::name_dims::DimClasses;
use crate::planning::presets::model::ModelStructure;
use partita_ir::arena::{OpId, ValueId};
use partita_ir::model::ModelOp;
use partita_ir::program::{Op, Phase, Program};
use partita_ir::rule::ArgSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// Dependence of a value on the examples of the batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BatchState {
    /// A constant or a function of parameters.
    Independent,
    /// A value that depends on examples and has a batch dimension.
    Examples,
    /// A sum over examples. A part of the batch has a summand of it.
    PartialSum,
    /// A value that depends on a complete sum.
    CompleteSum,
}

/// States of the values of a main function.
pub(super) struct BatchStates {
    /// State of each result of an op, and of each input that has examples.
    states: FxHashMap<ValueId, BatchState>,
    /// An input with its batch dimension.
    pub(super) batch: Option<(ValueId, usize)>,
}

impl BatchStates {
    /// Classifies the values of a program. Returns `None` if it has no batch dimension, or if the computation of
    /// examples depends on the update.
    pub(super) fn new(program: &Program) -> Option<BatchStates> {
        let classes = DimClasses::new(program);
        let model = ModelStructure::new(program, &classes);
        // If the computation of examples depends on a sum over all examples, only the update and the ops that depend on
        // it count as functions of complete sums. This is correct for a single micro-batch.
        BatchStates::classify(&model, true).or_else(|| BatchStates::classify(&model, false))
    }

    /// Classifies the values of a program. If `defer_nonlinear` is true, ops that are not linear in a sum need the
    /// complete one. Returns `None` if the model has no batch dimension, or if an op reads both examples and a function
    /// of complete sums.
    fn classify(model: &ModelStructure<'_>, defer_nonlinear: bool) -> Option<BatchStates> {
        let (program, batch) = (model.program, model.batch?);
        let examples = || model.data.iter().filter_map(|&input| Some((input, model.dim(input, batch)?)));
        let mut states: FxHashMap<ValueId, BatchState> =
            examples().map(|(input, _)| (input, BatchState::Examples)).collect();
        // entry only: a nested loop belongs to one state with all its ops
        for ModelOp { op, .. } in program.entry_ops() {
            let reads = |state: BatchState| op.args.iter().any(|arg| states.get(arg) == Some(&state));
            if op.phase != Phase::Update && !reads(BatchState::CompleteSum) && reads(BatchState::Examples) {
                // A loop has results of both kinds: the gradients of its layers, and those of its activations.
                let has_batch = |out: ValueId| model.has_stem(out, batch);
                let state = |out| if has_batch(out) { BatchState::Examples } else { BatchState::PartialSum };
                states.extend(op.outs.iter().map(|&out| (out, state(out))));
                continue;
            }
            let state = if op.phase == Phase::Update || reads(BatchState::CompleteSum) {
                if reads(BatchState::Examples) {
                    return None;
                }
                BatchState::CompleteSum
            } else if !reads(BatchState::PartialSum) {
                BatchState::Independent
            } else if !defer_nonlinear || preserves_partial_sum(program, op, &states) {
                BatchState::PartialSum
            } else {
                BatchState::CompleteSum
            };
            states.extend(op.outs.iter().map(|&out| (out, state)));
        }
        Some(BatchStates { states, batch: examples().next() })
    }

    /// Returns true if all results of an op have a state.
    pub(super) fn is(&self, op: &Op, state: BatchState) -> bool {
        op.outs.iter().all(|out| self.states.get(out) == Some(&state))
    }
}

/// Returns the ops of a training step that compute with sums over examples: those that scale and clip gradients, and
/// the update. Products that are linear in a sum belong to the backward pass, and are not among them.
pub(crate) fn ops_on_sums(program: &Program) -> FxHashSet<OpId> {
    // entry only: sums over all examples are results of loops
    let backward = || program.entry_ops().filter(|at| at.op.phase != Phase::Forward);
    let states = backward().next().and_then(|_| BatchStates::new(program));
    let is_on_sums = |op: &Op| match op.phase {
        Phase::Update => true,
        Phase::Forward | Phase::Recompute | Phase::BackwardInput | Phase::BackwardWeight => {
            states.as_ref().is_some_and(|states| {
                let reads_examples = op.args.iter().any(|arg| states.states.get(arg) == Some(&BatchState::Examples));
                let scales = !reads_examples && !op.kind.class().contracts();
                states.is(op, BatchState::CompleteSum) || (scales && states.is(op, BatchState::PartialSum))
            })
        }
    };
    backward().filter(|at| is_on_sums(at.op)).map(|at| at.id).collect()
}

/// Returns true if an op is linear in those operands that are partial sums, so that its result is a partial sum too.
fn preserves_partial_sum(program: &Program, op: &Op, states: &FxHashMap<ValueId, BatchState>) -> bool {
    let partial_args = (0..op.args.len()).filter(|&i| states.get(&op.args[i]) == Some(&BatchState::PartialSum));
    let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
    rule.linear.contains(&ArgSet::from_args(partial_args))
}

//! Dependence of the values of a training step on examples and on sums over them.
//!
//! A value that depends on examples but has no batch dimension is a sum over examples, such as a gradient. Ops that are
//! linear in a sum are computed for a part of the batch, too. Other ops, such as the norm of all gradients, need the
//! complete sum, as do all ops that depend on their results. If the computation of examples needs a complete sum of
//! data, such as the number of tokens that a mask selects, the sum counts as data: it is known in advance.

use crate::planning::name_dims::DimClasses;
use crate::planning::presets::model::ModelStructure;
use partita_ir::arena::{OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::model::ModelOp;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Param, ParamKind, Phase, Program};
use partita_ir::rule::ArgSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// Dependence of a value on the examples of the batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum BatchState {
    /// A constant, a function of parameters, or a sum of data that is known in advance.
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
    /// Functions of data alone with a batch dimension, of which sums are known in advance. Empty if no sum has to be.
    of_data: FxHashSet<ValueId>,
    /// An input with its batch dimension.
    pub(super) batch: Option<(ValueId, usize)>,
}

/// Ops that need complete sums over examples.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NeedsSum {
    /// All ops that are not linear in a sum.
    Nonlinear,
    /// These ops, except for functions of data alone.
    NonlinearInParams,
    /// Only the update and the ops that depend on it.
    Update,
}

impl BatchStates {
    /// Classifies the values of a program. Returns `None` if it has no batch dimension, or if the computation of
    /// examples depends on the update.
    pub(super) fn new(program: &Program) -> Option<BatchStates> {
        let classes = DimClasses::new(program);
        let model = ModelStructure::new(program, &classes);
        // If the computation of examples depends on a sum over all examples, other than one of data, only the update
        // needs complete sums. This is correct for a single micro-batch.
        let each = [NeedsSum::Nonlinear, NeedsSum::NonlinearInParams, NeedsSum::Update];
        each.into_iter().find_map(|needs_sum| BatchStates::classify(&model, needs_sum))
    }

    /// Classifies the values of a program. Returns `None` if the model has no batch dimension, or if an op reads both
    /// examples and a function of complete sums.
    fn classify(model: &ModelStructure<'_>, needs_sum: NeedsSum) -> Option<BatchStates> {
        let (program, batch) = (model.program, model.batch?);
        let examples = || model.data.iter().filter_map(|&input| Some((input, model.dim(input, batch)?)));
        let mut states: FxHashMap<ValueId, BatchState> =
            examples().map(|(input, _)| (input, BatchState::Examples)).collect();
        let of_data = match needs_sum {
            NeedsSum::NonlinearInParams => functions_of_data(model),
            NeedsSum::Nonlinear | NeedsSum::Update => FxHashSet::default(),
        };
        // entry only: a nested loop belongs to one state with all its ops
        for ModelOp { op, .. } in program.entry_ops() {
            let reads = |state: BatchState| op.args.iter().any(|arg| states.get(arg) == Some(&state));
            if op.phase != Phase::Update && !reads(BatchState::CompleteSum) && reads(BatchState::Examples) {
                // A loop has results of both kinds: the gradients of its layers, and those of its activations.
                let state = |out: ValueId| match (model.has_stem(out, batch), of_data.contains(&out)) {
                    (true, _) => BatchState::Examples,
                    (false, true) => BatchState::Independent,
                    (false, false) => BatchState::PartialSum,
                };
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
            } else if needs_sum == NeedsSum::Update || preserves_partial_sum(program, op, &states) {
                BatchState::PartialSum
            } else {
                BatchState::CompleteSum
            };
            states.extend(op.outs.iter().map(|&out| (out, state)));
        }
        Some(BatchStates { states, of_data, batch: examples().next() })
    }

    /// Returns true if the results of an op can be computed before any example: functions of parameters, sums of data
    /// that are known in advance, and what such sums are computed from.
    pub(super) fn is_known_before(&self, op: &Op) -> bool {
        self.is(op, BatchState::Independent) || op.outs.iter().all(|out| self.of_data.contains(out))
    }

    /// Returns true if all results of an op have a state.
    pub(super) fn is(&self, op: &Op, state: BatchState) -> bool {
        op.outs.iter().all(|out| self.states.get(out) == Some(&state))
    }
}

/// Returns the inputs whose functions can be computed before any example: data, and vectors that are not trained, such
/// as the weights of classes in a loss.
pub(super) fn known_inputs(model: &ModelStructure<'_>) -> impl Iterator<Item = ValueId> {
    let is_fixed = |param: &&Param| match param.kind {
        ParamKind::Const | ParamKind::Frozen => model.program.ty(param.value).shape.rank() <= 1,
        ParamKind::Trainable | ParamKind::State => false,
    };
    model.data.iter().copied().chain(model.program.params.values().filter(is_fixed).map(|param| param.value))
}

/// Returns the values of the main function that depend on known inputs alone.
fn functions_of_data(model: &ModelStructure<'_>) -> FxHashSet<ValueId> {
    let mut found: FxHashSet<ValueId> = known_inputs(model).collect();
    // entry only: the results of a nested loop depend on its operands
    for ModelOp { op, .. } in model.program.entry_ops() {
        if is_repeatable(&op.kind) && op.args.iter().all(|arg| found.contains(arg)) {
            found.extend(&op.outs);
        }
    }
    found
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

/// Returns true if an op is linear in those operands that are partial sums, so that its result is a partial sum too. A
/// constraint states the layout of the complete sum.
fn preserves_partial_sum(program: &Program, op: &Op, states: &FxHashMap<ValueId, BatchState>) -> bool {
    if op.kind.class().layout().is_some() {
        return false;
    }
    let partial_args = (0..op.args.len()).filter(|&i| states.get(&op.args[i]) == Some(&BatchState::PartialSum));
    let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
    rule.linear.contains(&ArgSet::from_args(partial_args))
}

/// Returns true if an op may be computed both before the loop over micro-batches and in it.
pub(super) fn is_repeatable(kind: &OpKind) -> bool {
    match kind.class() {
        Class::Source(_)
        | Class::Random
        | Class::Elementwise
        | Class::Movement
        | Class::Indexing
        | Class::Product
        | Class::Attention(_)
        | Class::Reduction
        | Class::Sorting
        | Class::LinearAlgebra
        | Class::Normalisation
        | Class::Control(_)
        | Class::Layout(_) => true,
        Class::Update | Class::Opaque(_) | Class::Device(_) | Class::Collective(_) => false,
    }
}

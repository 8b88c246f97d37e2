//! The ops of an imported training step that run once, after the loop over micro-batches: the update and everything
//! that depends on complete gradients.
//!
//! A value that depends on examples but has no batch dimension is a partial sum in each iteration of the loop. Ops that
//! are linear in it preserve that. Other ops, such as the norm of all gradients, run after the loop on complete sums,
//! as do all ops that depend on their results.

use crate::planning::name_dims::DimClasses;
use crate::planning::presets::model::ModelStructure;
use partita_ir::arena::{OpId, ValueId};
use partita_ir::model::ModelOp;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Phase, Program};
use partita_ir::rule::ArgSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// Ops that run once, after the loop over micro-batches.
pub(super) struct AfterLoop {
    /// The ops in program order, including the constants that they read.
    pub(super) ops: Vec<OpId>,
    /// Results of the loop, in program order: values that the loop computes and that `ops` read or the program returns.
    pub(super) reads: Vec<ValueId>,
}

/// Availability of a value: in an iteration of the loop, or only after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ValueState {
    /// A constant, which is computed wherever it is read: in the loop, after it, or both.
    Constant,
    /// A value that depends on the examples of the micro-batch and has a batch dimension.
    Examples,
    /// A sum over the examples of the micro-batch, which is one summand of the sum over the batch.
    PartialSum,
    /// A value that is only available after the loop.
    AfterLoop,
}

impl AfterLoop {
    /// Returns the ops of a program that run after its loop. There are none if the program has no update, or if an op
    /// reads both examples and a value that is only available after the loop.
    pub(super) fn from_program(program: &Program) -> AfterLoop {
        let classes = DimClasses::new(program);
        let model = ModelStructure::new(program, &classes);
        // If the computation of examples depends on a sum over all examples, only the update and the ops that depend on
        // it run after the loop. The result is correct for a single micro-batch.
        let states = ValueStates::classify(&model, true).or_else(|| ValueStates::classify(&model, false));
        states.and_then(|states| states.after_loop(program)).unwrap_or_else(|| AfterLoop {
            ops: Vec::new(),
            reads: program.outputs().iter().map(|output| output.value).collect(),
        })
    }
}

/// State of each value that depends on examples or is a constant. Other values, such as those computed from parameters
/// alone, have no entry.
struct ValueStates(FxHashMap<ValueId, ValueState>);

impl ValueStates {
    /// Classifies the values of a program. If `defer_nonlinear` is true, ops that need complete sums run after the
    /// loop. Returns `None` if the model has no batch dimension, or if an op reads both examples and a value that is
    /// only available after the loop.
    ///
    /// Recogniser: a function of constants that is not a broadcast is computed in every iteration, with equal results.
    fn classify(model: &ModelStructure<'_>, defer_nonlinear: bool) -> Option<ValueStates> {
        let (program, batch) = (model.program, model.batch?);
        let examples = model.data.iter().filter(|&&input| model.has_stem(input, batch));
        let mut states: FxHashMap<ValueId, ValueState> = examples.map(|&input| (input, ValueState::Examples)).collect();
        // entry only: a nested loop runs entirely within an iteration, or entirely after the loop
        for ModelOp { op, .. } in program.entry_ops() {
            let reads = |state: ValueState| op.args.iter().any(|arg| states.get(arg) == Some(&state));
            if op.phase != Phase::Update && !reads(ValueState::AfterLoop) && reads(ValueState::Examples) {
                // A loop has results of both kinds: the gradients of its layers, and those of its activations.
                let has_batch = |out: ValueId| model.has_stem(out, batch);
                let state = |out| if has_batch(out) { ValueState::Examples } else { ValueState::PartialSum };
                states.extend(op.outs.iter().map(|&out| (out, state(out))));
                continue;
            }
            let state = if op.phase == Phase::Update || reads(ValueState::AfterLoop) {
                if reads(ValueState::Examples) {
                    return None;
                }
                Some(ValueState::AfterLoop)
            } else if reads(ValueState::PartialSum) {
                Some(if !defer_nonlinear || preserves_partial_sum(program, op, &states) {
                    ValueState::PartialSum
                } else {
                    ValueState::AfterLoop
                })
            } else {
                let is_constant_broadcast = matches!(op.kind, OpKind::Broadcast(_)) && reads(ValueState::Constant);
                (op.args.is_empty() || is_constant_broadcast).then_some(ValueState::Constant)
            };
            states.extend(state.into_iter().flat_map(|state| op.outs.iter().map(move |&out| (out, state))));
        }
        Some(ValueStates(states))
    }

    /// Returns the ops that run after the loop, or `None` if there is no update.
    fn after_loop(&self, program: &Program) -> Option<AfterLoop> {
        let is = |op: &Op, state: ValueState| op.outs.iter().all(|out| self.0.get(out) == Some(&state));
        // entry only: a nested loop runs entirely within an iteration, or entirely after the loop
        let body = program.funcs[program.entry()].ops();
        body.iter().find(|&&op| program.ops[op].phase == Phase::Update)?;
        let mut read: FxHashSet<ValueId> = program.outputs().iter().map(|output| output.value).collect();
        let (mut ops, mut reads) = (Vec::new(), Vec::new());
        for &id in body.iter().rev() {
            let op = &program.ops[id];
            let is_read = op.outs.iter().any(|out| read.contains(out));
            if is(op, ValueState::AfterLoop) || (is_read && is(op, ValueState::Constant)) {
                ops.push(id);
                read.extend(&op.args);
            } else {
                reads.extend(op.outs.iter().copied().filter(|out| read.contains(out)));
            }
        }
        ops.reverse();
        reads.reverse();
        Some(AfterLoop { ops, reads })
    }
}

/// Returns true if an op is linear in those operands that are partial sums, so that its result is a partial sum too.
fn preserves_partial_sum(program: &Program, op: &Op, states: &FxHashMap<ValueId, ValueState>) -> bool {
    let partial_args = (0..op.args.len()).filter(|&i| states.get(&op.args[i]) == Some(&ValueState::PartialSum));
    let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
    rule.linear.contains(&ArgSet::from_args(partial_args))
}

//! Values that the backward pass compares. They are stored where a recomputed one would be compared with a stored one.
//!
//! A recomputed value can differ from the original in the last bits, because its partial sums are reduced elsewhere.
//! The gradient of `max(x, y)` flows to the operand that equals the result: if the result is stored and the operand is
//! recomputed, they may not be equal, and no gradient flows. Two recomputed values have the same copy as operand.

use super::policy::{DroppedValues, only_moves};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::op::OpKind;
use partita_ir::program::{Phase, Program};
use rustc_hash::FxHashSet;

impl DroppedValues {
    /// Stores the operands of comparisons in the backward pass that are recomputed, if the other operand is computed
    /// from a stored value that depends on the original.
    ///
    /// Recogniser: results of other ops change with their operands by rounding errors only.
    pub(super) fn store_compared(&mut self, program: &Program, func: FuncId) {
        let ops = program.funcs[func].ops().iter().map(|&op| &program.ops[op]);
        let comparisons = ops.filter(|op| op.phase != Phase::Forward && matches!(op.kind, OpKind::Compare(_)));
        let pairs: Vec<[ValueId; 2]> =
            comparisons.flat_map(|op| [[op.args[0], op.args[1]], [op.args[1], op.args[0]]]).collect();
        let producers = forward_producers(program, func);
        // A value that is stored may in turn be what another one is compared with.
        while let Some(&[value, _]) =
            pairs.iter().find(|[value, other]| self.differs(program, &producers, *value, *other))
        {
            self.store(value);
        }
    }

    /// Returns true if `value` is recomputed, and `other` is computed from a stored value that depends on the original
    /// of what `value` is computed from.
    fn differs(&self, program: &Program, producers: &[Option<OpId>], value: ValueId, other: ValueId) -> bool {
        let (recomputed, _) = self.recomputation(program, value);
        let computes = |value: &ValueId| self.producer(*value).is_some_and(|op| !only_moves(&program.ops[op].kind));
        let recomputed: FxHashSet<ValueId> = recomputed.into_iter().filter(computes).collect();
        if recomputed.is_empty() {
            return false;
        }
        let (_, mut before) = self.recomputation(program, other);
        let mut seen: FxHashSet<ValueId> = before.iter().copied().collect();
        while let Some(next) = before.pop() {
            if recomputed.contains(&next) {
                return true;
            }
            let args = producers[next.index()].into_iter().flat_map(|op| &program.ops[op].args);
            before.extend(args.copied().filter(|arg| seen.insert(*arg)));
        }
        false
    }

    /// Returns the values that are recomputed for a reader of `value`, and the stored values that they are computed
    /// from.
    fn recomputation(&self, program: &Program, value: ValueId) -> (Vec<ValueId>, Vec<ValueId>) {
        let (mut recomputed, mut stored) = (Vec::new(), Vec::new());
        let (mut todo, mut seen) = (vec![value], FxHashSet::default());
        while let Some(next) = todo.pop().filter(|next| seen.insert(*next)) {
            match self.producer(next) {
                Some(op) => {
                    recomputed.push(next);
                    todo.extend(&program.ops[op].args);
                }
                None => stored.push(next),
            }
        }
        (recomputed, stored)
    }
}

/// Returns the op of the forward pass that computes each value.
fn forward_producers(program: &Program, func: FuncId) -> Vec<Option<OpId>> {
    let mut producers = vec![None; program.values.len()];
    for &id in program.funcs[func].ops() {
        let op = &program.ops[id];
        if op.phase == Phase::Forward {
            op.outs.iter().for_each(|out| producers[out.index()] = Some(id));
        }
    }
    producers
}

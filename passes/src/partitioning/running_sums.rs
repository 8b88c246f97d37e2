//! What a loop adds up: carried values that start at zero and that the body does nothing with but add to them.
//!
//! Such a sum may be carried pending. A zero is as good pending as not, and each turn adds pending parts to it, so that
//! devices reduce what all turns came to, once and behind the loop, instead of what each of them brings.
//!
//! `%acc` of `func @body(%acc) { ..., %next = add %acc, %part, return %next }` is one where every loop of `@body` is
//! given a constant zero for it, and nobody else in the body reads `%acc` or `%next`.

use super::splits::splat;
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::{Func, Program};
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;

/// A value that a loop adds up.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunningSum {
    /// Its position among the carried values.
    pub position: usize,
    /// The sum of the turns before.
    pub before: ValueId,
    /// The sum with this turn.
    pub after: ValueId,
    /// What this turn adds.
    pub part: ValueId,
    /// The op that adds.
    pub op: OpId,
    /// How often the body runs at least.
    pub turns: u64,
}

/// The running sums of all bodies of loops.
#[derive(Default)]
pub struct RunningSums {
    by_body: FxHashMap<FuncId, Vec<RunningSum>>,
}

impl RunningSums {
    /// Finds them in a program.
    pub fn of(program: &Program) -> RunningSums {
        let mut splats: Vec<Option<Scalar>> = vec![None; program.values.len()];
        let funcs = program.laid_out_funcs();
        for op in funcs.iter().flat_map(|&func| program.funcs[func].ops()).map(|&op| &program.ops[op]) {
            for out in &op.outs {
                splats[out.index()] = splat(op, &splats);
            }
        }
        let mut by_body: FxHashMap<FuncId, Vec<RunningSum>> = FxHashMap::default();
        let calls = funcs.iter().flat_map(|&func| program.funcs[func].ops()).map(|&op| &program.ops[op]);
        for op in calls {
            let Some(func) = op.kind.func() else { continue };
            let sums = by_body.entry(func).or_insert_with(|| adds_only(program, &program.funcs[func]));
            match op.kind.control() {
                Some(Control::Loop(l)) => {
                    let is_zero = |v: &ValueId| splats[v.index()].is_some_and(Scalar::is_zero);
                    sums.retain(|sum| op.args.get(sum.position).is_some_and(is_zero));
                    sums.iter_mut().for_each(|sum| sum.turns = sum.turns.min(l.trip));
                }
                None => sums.clear(),
            }
        }
        RunningSums { by_body }
    }

    /// Those of one function, by position.
    pub fn within(&self, func: FuncId) -> &[RunningSum] {
        self.by_body.get(&func).map_or(&[], |sums| sums)
    }
}

/// The carried values that a body does nothing with but add to them, whatever they start at.
///
/// Recogniser: what is summed up in another way is carried reduced.
fn adds_only(program: &Program, body: &Func) -> Vec<RunningSum> {
    let mut reads: FxHashMap<ValueId, u32> = FxHashMap::default();
    let mut adds: FxHashMap<ValueId, OpId> = FxHashMap::default();
    for &id in body.ops() {
        let op = &program.ops[id];
        op.args.iter().for_each(|&v| *reads.entry(v).or_default() += 1);
        if let (OpKind::Binary(b), [out]) = (&op.kind, &op.outs[..])
            && b.op == BinaryOp::Add
        {
            adds.insert(*out, id);
        }
    }
    body.outputs.iter().for_each(|o| *reads.entry(o.value).or_default() += 1);
    let once = |v: ValueId| reads.get(&v) == Some(&1);
    let ends = body.inputs.iter().zip(&body.outputs).enumerate();
    let sums = ends.filter_map(|(position, (&before, output))| {
        let after = output.value;
        let &op = adds.get(&after).filter(|_| once(before) && once(after))?;
        let part = match program.ops[op].args[..] {
            [a, part] if a == before => part,
            [part, b] if b == before => part,
            _ => return None,
        };
        Some(RunningSum { position, before, after, part, op, turns: u64::MAX })
    });
    sums.collect()
}

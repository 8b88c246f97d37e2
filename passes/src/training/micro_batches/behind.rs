//! What an imported training step does once for all parts of a batch: its update, and what that needs of whole
//! gradients.
//!
//! What has been summed over the batch, and so has no batch any more, is a part of a sum in each turn. It stays one as
//! long as ops are linear in it. What is not - the norm of all gradients - is done behind the loop, on whole sums, and
//! so is all that is made of it.

use crate::planning::name_dims::Classes;
use crate::planning::presets::model::Model;
use partita_ir::arena::{OpId, ValueId};
use partita_ir::model::ModelOp;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Phase, Program};
use partita_ir::rule::ArgSet;
use rustc_hash::{FxHashMap, FxHashSet};

/// What is done behind the loop over parts.
pub(super) struct Behind {
    /// Its ops, in program order, with the constants that they read.
    pub(super) ops: Vec<OpId>,
    /// What it is given by the parts, and results of the parts.
    pub(super) given: Vec<ValueId>,
}

/// What a value is in a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Turn {
    /// A constant, which everybody makes for himself.
    Constant,
    /// Of this turn's examples.
    Examples,
    /// A part of a sum over the batch.
    Part,
    /// Known behind the loop alone.
    Behind,
}

impl Behind {
    /// That of a program; no ops where it has no update, or where examples need what is known behind the loop alone.
    pub(super) fn of(program: &Program) -> Behind {
        let classes = Classes::of(program);
        let model = Model::of(program, &classes);
        // Where examples need a sum over all of them, what is done behind the loop is at least the update: a single
        // part can do that.
        let turns = Turns::of(&model, true).or_else(|| Turns::of(&model, false));
        turns.and_then(|turns| turns.behind(program)).unwrap_or_else(|| Behind {
            ops: Vec::new(),
            given: program.outputs().iter().map(|output| output.value).collect(),
        })
    }
}

/// By value that depends on examples, or is a constant, what it is in a turn; parameters and what is made of them are
/// none of it.
struct Turns(FxHashMap<ValueId, Turn>);

impl Turns {
    /// Those of a program; `sums_wait` if what needs whole sums is done behind the loop. None where examples would have
    /// to go around a second time.
    ///
    /// Recogniser: what is made of constants in another way is given by the parts, which all make the same.
    fn of(model: &Model<'_>, sums_wait: bool) -> Option<Turns> {
        let (program, batch) = (model.program, model.batch?);
        let examples = model.data.iter().filter(|&&input| model.has(input, batch));
        let mut turns: FxHashMap<ValueId, Turn> = examples.map(|&input| (input, Turn::Examples)).collect();
        // entry only: a loop is done in a turn, or behind, as a whole
        for ModelOp { op, .. } in program.entry_ops() {
            let reads = |turn: Turn| op.args.iter().any(|arg| turns.get(arg) == Some(&turn));
            let turn = if op.phase == Phase::Update || reads(Turn::Behind) {
                if reads(Turn::Examples) {
                    return None;
                }
                Some(Turn::Behind)
            } else if reads(Turn::Examples) {
                let has_batch = op.outs.iter().any(|&out| model.has(out, batch));
                Some(if has_batch { Turn::Examples } else { Turn::Part })
            } else if reads(Turn::Part) {
                Some(if !sums_wait || stays_part(program, op, &turns) { Turn::Part } else { Turn::Behind })
            } else {
                let is_repeated = matches!(op.kind, OpKind::Broadcast(_)) && reads(Turn::Constant);
                (op.args.is_empty() || is_repeated).then_some(Turn::Constant)
            };
            turns.extend(turn.into_iter().flat_map(|turn| op.outs.iter().map(move |&out| (out, turn))));
        }
        Some(Turns(turns))
    }

    /// What is done behind the loop; none if there is no update.
    fn behind(&self, program: &Program) -> Option<Behind> {
        let is = |op: &Op, turn: Turn| op.outs.iter().all(|out| self.0.get(out) == Some(&turn));
        // entry only: a loop is done in a turn, or behind, as a whole
        let body = program.funcs[program.entry()].ops();
        body.iter().find(|&&op| program.ops[op].phase == Phase::Update)?;
        let mut read: FxHashSet<ValueId> = program.outputs().iter().map(|output| output.value).collect();
        let (mut ops, mut given) = (Vec::new(), Vec::new());
        for &id in body.iter().rev() {
            let op = &program.ops[id];
            let is_read = op.outs.iter().any(|out| read.contains(out));
            if is(op, Turn::Behind) || (is_read && is(op, Turn::Constant)) {
                ops.push(id);
                read.extend(&op.args);
            } else {
                given.extend(op.outs.iter().copied().filter(|out| read.contains(out)));
            }
        }
        ops.reverse();
        given.reverse();
        Some(Behind { ops, given })
    }
}

/// Whether what an op makes of parts of sums is a part of the sum of what it would make of these.
fn stays_part(program: &Program, op: &Op, turns: &FxHashMap<ValueId, Turn>) -> bool {
    let parts = (0..op.args.len()).filter(|&i| turns.get(&op.args[i]) == Some(&Turn::Part));
    let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
    rule.linear.contains(&ArgSet::of(parts))
}

//! Windows: ops that may change sides with the collectives before them.

use partita_equality::window::{Uses, Window};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Program};
use std::collections::BTreeSet;

/// More ops than this are not looked at together.
const SIZE: usize = 24;

/// The windows of a function, none of which has an op of another.
pub(super) fn windows(program: &Program, func: FuncId) -> Vec<Window> {
    let body = program.funcs[func].ops();
    if !body.iter().any(|&op| program.ops[op].kind.is_collective()) {
        return Vec::new();
    }
    let uses = Neighbours(Uses::of(program, func));
    let mut taken = vec![false; body.len()];
    let mut found = Vec::new();
    for seed in 0..body.len() {
        if taken[seed] || !uses.is_seed(program, body, seed) {
            continue;
        }
        let ops = uses.grown(program, body, seed, &taken);
        ops.iter().for_each(|&op| taken[op] = true);
        found.push(uses.0.window(program, func, &ops));
    }
    found
}

/// Who may be part of a window.
struct Neighbours(Uses);

/// Recogniser: ops and collectives that are in no window stay as they are.
impl Neighbours {
    /// The positions of the collectives that make an op's operands, and nothing else reads what they make.
    fn sources<'a>(&'a self, program: &'a Program, body: &'a [OpId], op: &'a Op) -> impl Iterator<Item = usize> + 'a {
        op.args.iter().filter_map(move |arg| {
            let at = self.0.maker[arg.index()]?;
            let source = &program.ops[body[at]];
            let reads_alone = self.0.readers[arg.index()].len() == op.args.iter().filter(|a| *a == arg).count();
            let alone = reads_alone && source.outs.len() == 1;
            (alone && matches!(source.kind, OpKind::AllReduce(_) | OpKind::AllGather(_))).then_some(at)
        })
    }

    /// Whether it may pay to begin with that op: several collectives may become one, or one may carry less.
    fn is_seed(&self, program: &Program, body: &[OpId], at: usize) -> bool {
        let op = &program.ops[body[at]];
        let &[out] = &op.outs[..] else { return false };
        if op.kind.is_collective() || op.kind.func().is_some() {
            return false;
        }
        let sources: BTreeSet<usize> = self.sources(program, body, op).collect();
        let kind = |at: usize| &program.ops[body[at]].kind;
        let bytes = |v: ValueId| program.values[v].local_type().bytes();
        let narrower = |&source: &usize| {
            matches!(kind(source), OpKind::AllGather(_)) && bytes(out) < bytes(program.ops[body[source]].outs[0])
        };
        let cut = matches!(op.kind, OpKind::Shard(_)) && !sources.is_empty();
        let alike = sources.iter().any(|&a| sources.iter().any(|&b| a < b && kind(a) == kind(b)));
        let moves = op.kind.is_elementwise() || only_moves(program, op);
        alike || cut || moves && sources.iter().any(narrower)
    }

    /// An op with its collectives, and with what reads its result in the same way.
    fn grown(&self, program: &Program, body: &[OpId], seed: usize, taken: &[bool]) -> BTreeSet<usize> {
        let mut ops = BTreeSet::new();
        let mut todo = vec![seed];
        while let Some(at) = todo.pop() {
            let op = &program.ops[body[at]];
            let with: Vec<usize> = self.sources(program, body, op).filter(|&s| !taken[s]).chain([at]).collect();
            if ops.len() + with.len() > SIZE || taken[at] {
                continue;
            }
            ops.extend(with);
            let [out] = op.outs[..] else { continue };
            if let [reader] = self.0.readers[out.index()][..]
                && !ops.contains(&reader)
            {
                let next = &program.ops[body[reader]];
                let joins = next.outs.len() == 1 && !next.kind.is_collective() && next.kind.func().is_none();
                if joins && self.sources(program, body, next).next().is_some() {
                    todo.push(reader);
                }
            }
        }
        ops
    }
}

/// Whether an op only moves elements.
fn only_moves(program: &Program, op: &Op) -> bool {
    op.kind.rule(&program.arg_types(op), &program.out_types(op)).moves
}

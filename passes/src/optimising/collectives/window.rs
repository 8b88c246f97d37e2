//! Windows: groups of ops that may commute with the collectives before them.

use partita_equality::window::{DefUse, Window};
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Program};
use std::collections::BTreeSet;

/// Largest number of ops in a window.
const MAX_WINDOW_OPS: usize = 24;

/// Returns disjoint windows of a function.
pub(super) fn windows(program: &Program, func: FuncId) -> Vec<Window> {
    let body = program.funcs[func].ops();
    if !body.iter().any(|&op| program.ops[op].kind.is_collective()) {
        return Vec::new();
    }
    let uses = UseDefs(DefUse::from_func(program, func));
    let mut is_used = vec![false; body.len()];
    let mut found = Vec::new();
    for seed in 0..body.len() {
        if is_used[seed] || !uses.is_seed(program, body, seed) {
            continue;
        }
        let ops = uses.grow(program, body, seed, &is_used);
        ops.iter().for_each(|&op| is_used[op] = true);
        found.push(uses.0.window(program, func, &ops));
    }
    found
}

/// Use-def relations that decide which ops belong to a window.
struct UseDefs(DefUse);

/// Recogniser: ops and collectives that are in no window stay as they are.
impl UseDefs {
    /// Returns the positions of the collectives that compute operands of an op and have no other reader.
    fn sources<'a>(&'a self, program: &'a Program, body: &'a [OpId], op: &'a Op) -> impl Iterator<Item = usize> + 'a {
        op.args.iter().filter_map(move |arg| {
            let at = self.0.def_position[arg.index()]?;
            let source = &program.ops[body[at]];
            let has_no_other_reader =
                self.0.use_positions[arg.index()].len() == op.args.iter().filter(|a| *a == arg).count();
            let is_only_reader = has_no_other_reader && source.outs.len() == 1;
            (is_only_reader && matches!(source.kind, OpKind::AllReduce(_) | OpKind::AllGather(_))).then_some(at)
        })
    }

    /// Returns true if a window that begins at this op may reduce the cost: several collectives may become one, or a
    /// collective may transfer fewer bytes.
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
        let shards = matches!(op.kind, OpKind::Shard(_)) && !sources.is_empty();
        let has_equal_sources = sources.iter().any(|&a| sources.iter().any(|&b| a < b && kind(a) == kind(b)));
        let moves = op.kind.is_elementwise() || only_moves(program, op);
        has_equal_sources || shards || moves && sources.iter().any(narrower)
    }

    /// Returns the positions of an op, of its collectives, and of a chain of readers that also have collectives as
    /// operands.
    fn grow(&self, program: &Program, body: &[OpId], seed: usize, is_used: &[bool]) -> BTreeSet<usize> {
        let mut ops = BTreeSet::new();
        let mut todo = vec![seed];
        while let Some(at) = todo.pop() {
            let op = &program.ops[body[at]];
            let with: Vec<usize> = self.sources(program, body, op).filter(|&s| !is_used[s]).chain([at]).collect();
            if ops.len() + with.len() > MAX_WINDOW_OPS || is_used[at] {
                continue;
            }
            ops.extend(with);
            let [out] = op.outs[..] else { continue };
            if let [reader] = self.0.use_positions[out.index()][..]
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

/// Returns true if an op only moves elements.
fn only_moves(program: &Program, op: &Op) -> bool {
    op.kind.rule(&program.arg_types(op), &program.out_types(op)).moves
}

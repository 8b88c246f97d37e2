//! What is decided together: ops that have the same dimensions and touch the same values.
//!
//! The dimensions of an op are the stems that its rule's factors belong to: of a product those of rows, columns and what is summed over. An
//! elementwise op has those of what it reads, and so goes along with it; a gradient has those of the op that it is the gradient of, so
//! that forward and backward parts agree. What updates parameters is apart from what uses them: there the state of an optimizer
//! may lie in pieces that nobody else needs.

use crate::plan::presets::model::{Model, Stem};
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::op::OpKind;
use partita_ir::program::{Phase, Program};
use partita_ir::rule::Rule;
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// An op with what is known of it.
pub(super) struct Worker {
    pub(super) op: OpId,
    pub(super) rule: Rule,
    /// By factor of the rule, its stem; none if no dimension begins with it.
    pub(super) stems: SmallVec<[Option<Stem>; 6]>,
    /// The space that it belongs to.
    pub(super) space: usize,
    /// How often it runs in a step.
    pub(super) times: u64,
}

/// A value on its way: who makes it, and who reads it.
#[derive(Default)]
pub(super) struct Flow {
    /// Worker and number of its result; none for what comes from outside.
    pub(super) maker: Option<(usize, usize)>,
    /// Workers and numbers of their operands, in program order.
    pub(super) readers: Vec<(usize, usize)>,
}

/// Ops that lie alike.
pub(super) struct Space {
    /// Their dimensions.
    pub(super) stems: SmallVec<[Stem; 6]>,
    /// Their workers, in program order.
    pub(super) workers: Vec<usize>,
}

/// All ops of a program by what is decided together.
pub(super) struct Spaces {
    pub(super) workers: Vec<Worker>,
    pub(super) all: Vec<Space>,
    /// By value; what a loop carries is one value.
    pub(super) flows: FxHashMap<ValueId, Flow>,
    /// By value, the one that stands for it.
    alias: Vec<ValueId>,
}

impl Spaces {
    /// Those of a traced program.
    pub(super) fn of(model: &Model<'_>) -> Spaces {
        let program = model.program;
        let alias = aliases(program);
        let mut workers = Vec::new();
        let mut flows: FxHashMap<ValueId, Flow> = FxHashMap::default();
        let mut sets: Vec<SmallVec<[Stem; 6]>> = Vec::new();
        for (func, times) in crate::analysis::runs(program) {
            for &id in &program.funcs[func].body {
                let op = &program.ops[id];
                if matches!(op.kind, OpKind::Loop(_)) {
                    continue;
                }
                let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
                let stems = stems(model, &rule, op.args.iter().chain(&op.outs));
                let mut set: SmallVec<[Stem; 6]> = stems.iter().copied().flatten().collect();
                set.sort_unstable();
                set.dedup();
                sets.push(set);
                let number = workers.len();
                for (i, arg) in op.args.iter().enumerate() {
                    flows.entry(alias[arg.index()]).or_default().readers.push((number, i));
                }
                for (i, out) in op.outs.iter().enumerate() {
                    flows.entry(alias[out.index()]).or_default().maker.get_or_insert((number, i));
                }
                workers.push(Worker { op: id, rule, stems, space: 0, times });
            }
        }
        let updates = |worker: &Worker| program.ops[worker.op].phase == Phase::Update;
        let mut joined: UnionFind<u32> = UnionFind::new(workers.len());
        let mut order: Vec<(&ValueId, &Flow)> = flows.iter().collect();
        order.sort_by_key(|(value, _)| **value);
        for (value, flow) in order {
            if model.dims(*value).next().is_none() {
                continue;
            }
            let mut first: SmallVec<[usize; 4]> = SmallVec::new();
            for number in flow.maker.iter().chain(&flow.readers).map(|touch| touch.0) {
                let is_alike = |other: &&usize| {
                    sets[**other] == sets[number] && updates(&workers[**other]) == updates(&workers[number])
                };
                match first.iter().find(is_alike) {
                    Some(&other) => {
                        let _ = joined.union(other as u32, number as u32);
                    }
                    None => first.push(number),
                }
            }
        }
        let mut all: Vec<Space> = Vec::new();
        let mut known: FxHashMap<u32, usize> = FxHashMap::default();
        for number in 0..workers.len() {
            let space = *known.entry(joined.find(number as u32)).or_insert_with(|| {
                all.push(Space { stems: sets[number].clone(), workers: Vec::new() });
                all.len() - 1
            });
            all[space].workers.push(number);
            workers[number].space = space;
        }
        Spaces { workers, all, flows, alias }
    }

    /// The way of a value, if anybody makes or reads it.
    pub(super) fn flow(&self, value: ValueId) -> Option<&Flow> {
        self.flows.get(&self.alias[value.index()])
    }
}

/// By value, the one that stands for it: a value that a loop carries is one in four places.
fn aliases(program: &Program) -> Vec<ValueId> {
    let mut sets: UnionFind<u32> = UnionFind::new(program.values.len());
    let funcs = program.laid_out_funcs();
    for op in funcs.iter().flat_map(|&func| &program.funcs[func].body).map(|&op| &program.ops[op]) {
        let OpKind::Loop(l) = &op.kind else { continue };
        let body = &program.funcs[l.body];
        for (i, (&arg, &out)) in op.args.iter().zip(&op.outs).enumerate() {
            let (Some(&input), Some(output)) = (body.inputs.get(i), body.outputs.get(i)) else { continue };
            [input, output.value, out].iter().for_each(|v| {
                let _ = sets.union(arg.index() as u32, v.index() as u32);
            });
        }
    }
    (0..program.values.len() as u32).map(|v| ValueId(sets.find(v))).collect()
}

/// By factor, the stem of the dimensions that begin with it.
fn stems<'v>(model: &Model<'_>, rule: &Rule, values: impl Iterator<Item = &'v ValueId>) -> SmallVec<[Option<Stem>; 6]> {
    let mut stems: SmallVec<[Option<Stem>; 6]> = SmallVec::from_elem(None, rule.factors.len());
    for (map, &value) in rule.maps().zip(values) {
        for (dim, factors) in map.iter().enumerate() {
            if let Some(factor) = factors.first().filter(|factor| rule.factors[factor.0 as usize].size > 1) {
                stems[factor.0 as usize].get_or_insert(model.stem(value, dim));
            }
        }
    }
    stems
}

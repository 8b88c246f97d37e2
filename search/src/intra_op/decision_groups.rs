//! What is decided together: ops that have the same dimensions and touch the same values.
//!
//! The dimensions of an op are the stems that its rule's factors belong to: of a product those of rows, columns and
//! what is summed over. An elementwise op has those of what it reads, and so goes along with it; a gradient has those
//! of the op that it is the gradient of, so that forward and backward parts agree. What updates parameters is apart
//! from what uses them: there the state of an optimizer may lie in pieces that nobody else needs. How a weight is kept
//! is a group of its own ([`param_storage`](super::param_storage)).

use super::param_storage::ParamStorage;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::program::{Phase, Program};
use partita_ir::rule::{ArgSet, FactorId, Rule};
use partita_passes::partitioning::running_sums::RunningSums;
use partita_passes::planning::presets::model::{Model, Stem};
use petgraph::unionfind::UnionFind;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// An op with what is known of it.
pub(crate) struct OpNode {
    pub(crate) op: OpId,
    pub(crate) rule: Rule,
    /// By factor of the rule, its stem; none if no dimension begins with it.
    pub(crate) stems: SmallVec<[Option<Stem>; 6]>,
    /// The group that it belongs to.
    pub(crate) group: usize,
    /// Whether it adds up what devices may have parts of.
    pub(crate) sums: bool,
    /// The part of the step that it belongs to: to the update also what only hands gradients on to that in another
    /// shape.
    pub(crate) phase: Phase,
    /// How often it runs in a step.
    pub(crate) times: u64,
}

/// A value on its way: who makes it, and who reads it.
#[derive(Default)]
pub(crate) struct Flow {
    /// Node and number of its result; none for what comes from outside.
    pub(crate) maker: Option<(usize, usize)>,
    /// Workers and numbers of their operands, in program order.
    pub(crate) readers: Vec<(usize, usize)>,
    /// Of a weight that may be kept otherwise than it is used, which one.
    pub(crate) storage: Option<usize>,
}

/// Ops that lie alike.
pub(crate) struct DecisionGroup {
    /// Their dimensions.
    pub(crate) stems: SmallVec<[Stem; 6]>,
    /// Their nodes, in program order.
    pub(crate) nodes: Vec<usize>,
    /// Whether all of them add up what devices may have parts of.
    pub(crate) sums: bool,
}

/// All ops of a program by what is decided together.
pub(crate) struct DecisionGroups {
    pub(crate) nodes: Vec<OpNode>,
    pub(crate) all: Vec<DecisionGroup>,
    /// By value; what a loop carries is one value.
    pub(crate) flows: FxHashMap<ValueId, Flow>,
    /// Weights that may be kept otherwise than they are used.
    pub(crate) storages: Vec<ParamStorage>,
    /// By value, the one that stands for it.
    alias: Vec<ValueId>,
}

impl DecisionGroups {
    /// Those of a traced program.
    pub(crate) fn of(model: &Model<'_>) -> DecisionGroups {
        let program = model.program;
        let alias = aliases(program);
        let mut nodes = Vec::new();
        let mut flows: FxHashMap<ValueId, Flow> = FxHashMap::default();
        let mut sets: Vec<SmallVec<[Stem; 6]>> = Vec::new();
        for (func, times) in partita_cost::runs(program) {
            for &id in program.funcs[func].ops() {
                let op = &program.ops[id];
                if op.kind.control().is_some() {
                    continue;
                }
                let rule = op.kind.rule(&program.arg_types(op), &program.out_types(op));
                let stems = stems(model, &rule, op.args.iter().chain(&op.outs));
                let mut set: SmallVec<[Stem; 6]> = stems.iter().copied().flatten().collect();
                set.sort_unstable();
                set.dedup();
                sets.push(set);
                let number = nodes.len();
                for (i, arg) in op.args.iter().enumerate() {
                    flows.entry(alias[arg.index()]).or_default().readers.push((number, i));
                }
                nodes.push(OpNode { op: id, rule, stems, group: 0, sums: false, phase: op.phase, times });
                for (i, out) in op.outs.iter().enumerate() {
                    let maker = &mut flows.entry(alias[out.index()]).or_default().maker;
                    // What a loop begins with may be made anywhere: what it goes on with counts.
                    if maker.is_none_or(|(first, _)| is_free(&program.ops[nodes[first].op].kind)) {
                        *maker = Some((number, i));
                    }
                }
            }
        }
        let sums = sums(program, &nodes, &flows, &alias);
        nodes.iter_mut().zip(sums).for_each(|(node, sums)| node.sums = sums);
        for number in (0..nodes.len()).rev() {
            if hands_on_to_update(program, &nodes, number, &flows, &alias) {
                nodes[number].phase = Phase::Update;
            }
        }
        let updates = |node: &OpNode| node.phase == Phase::Update;
        let mut joined: UnionFind<u32> = UnionFind::new(nodes.len());
        let mut order: Vec<(&ValueId, &Flow)> = flows.iter().collect();
        order.sort_by_key(|(value, _)| **value);
        for (value, flow) in order {
            if model.dims(*value).next().is_none() {
                continue;
            }
            let mut first: SmallVec<[usize; 4]> = SmallVec::new();
            for number in flow.maker.iter().chain(&flow.readers).map(|touch| touch.0) {
                let is_alike = |other: &&usize| {
                    let (other, one) = (**other, number);
                    sets[other] == sets[one]
                        && updates(&nodes[other]) == updates(&nodes[one])
                        && nodes[other].sums == nodes[one].sums
                };
                match first.iter().find(is_alike) {
                    Some(&other) => {
                        let _ = joined.union(other as u32, number as u32);
                    }
                    None => first.push(number),
                }
            }
        }
        let mut all: Vec<DecisionGroup> = Vec::new();
        let mut known: FxHashMap<u32, usize> = FxHashMap::default();
        for number in 0..nodes.len() {
            let group = *known.entry(joined.find(number as u32)).or_insert_with(|| {
                all.push(DecisionGroup { stems: sets[number].clone(), nodes: Vec::new(), sums: nodes[number].sums });
                all.len() - 1
            });
            all[group].nodes.push(number);
            nodes[number].group = group;
        }
        DecisionGroups { nodes, all, flows, storages: Vec::new(), alias }
    }

    /// The way of a value, if anybody makes or reads it.
    pub(crate) fn flow(&self, value: ValueId) -> Option<&Flow> {
        self.flows.get(&self.alias(value))
    }

    /// The value that stands for one: what a loop carries is one in four places.
    pub(crate) fn alias(&self, value: ValueId) -> ValueId {
        self.alias[value.index()]
    }

    /// The same, to note something of it.
    pub(crate) fn flow_mut(&mut self, value: ValueId) -> &mut Flow {
        self.flows.entry(self.alias[value.index()]).or_default()
    }
}

/// Returns whether a node only gives gradients another shape or type, for the update alone.
///
/// Recogniser: a node that is not found keeps its phase, and what it gives is resharded for the update.
fn hands_on_to_update(
    program: &Program,
    nodes: &[OpNode],
    number: usize,
    flows: &FxHashMap<ValueId, Flow>,
    alias: &[ValueId],
) -> bool {
    let op = &program.ops[nodes[number].op];
    let hands_on = match &op.kind {
        OpKind::Transpose(_) | OpKind::Reshape(_) | OpKind::Convert(_) => true,
        OpKind::Reduce(reduce) => reduce.dims.is_empty(),
        _ => false,
    };
    let mut readers =
        op.outs.iter().filter_map(|out| flows.get(&alias[out.index()])).flat_map(|flow| &flow.readers).peekable();
    hands_on
        && op.phase == Phase::BackwardWeight
        && readers.peek().is_some()
        && readers.all(|(reader, _)| nodes[*reader].phase == Phase::Update)
}

/// By node, whether it only adds up what devices may have parts of: products, other such sums, and what a loop has
/// added up before.
///
/// Recogniser: the operands of a sum that is not found are reduced in front of it, and priced so.
fn sums(program: &Program, nodes: &[OpNode], flows: &FxHashMap<ValueId, Flow>, alias: &[ValueId]) -> Vec<bool> {
    let running = RunningSums::of(program);
    let running: FxHashSet<ValueId> = (program.laid_out_funcs().into_iter())
        .flat_map(|func| running.within(func))
        .map(|sum| alias[sum.after.index()])
        .collect();
    let mut sums = vec![false; nodes.len()];
    for number in 0..nodes.len() {
        let OpNode { op, rule, .. } = &nodes[number];
        let op = &program.ops[*op];
        if !matches!(op.kind, OpKind::Binary(_) | OpKind::Convert(_))
            || !rule.linear.contains(&ArgSet::of(0..op.args.len()))
        {
            continue;
        }
        let may_be_in_parts = |arg: &ValueId| {
            let value = alias[arg.index()];
            let Some(Flow { maker: Some((maker, _)), readers, .. }) = flows.get(&value) else { return false };
            let contracts = |rule: &Rule| {
                (0..).map(FactorId).take(rule.factors.len()).any(|f| rule.reduction(f) == Some(Monoid::Sum))
            };
            running.contains(&value) || (readers.len() == 1 && (sums[*maker] || contracts(&nodes[*maker].rule)))
        };
        sums[number] = op.args.iter().all(may_be_in_parts);
    }
    // What is only converted is reduced before or behind that just as well.
    for number in (0..nodes.len()).rev() {
        let op = &program.ops[nodes[number].op];
        if matches!(op.kind, OpKind::Convert(_)) && sums[number] {
            let readers =
                op.outs.iter().filter_map(|out| flows.get(&alias[out.index()])).flat_map(|flow| &flow.readers);
            sums[number] = readers.into_iter().any(|(reader, _)| sums[*reader]);
        }
    }
    sums
}

/// By value, the one that stands for it: a value that a loop carries is one in four places.
fn aliases(program: &Program) -> Vec<ValueId> {
    let mut sets: UnionFind<u32> = UnionFind::new(program.values.len());
    let funcs = program.laid_out_funcs();
    for op in funcs.iter().flat_map(|&func| program.funcs[func].ops()).map(|&op| &program.ops[op]) {
        let Some(control) = op.kind.control() else { continue };
        let Control::Loop(l) = control;
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

/// Whether what an op makes may be made anew wherever it is needed.
pub(crate) fn is_free(kind: &OpKind) -> bool {
    kind.source().is_some()
}

//! Decision groups: ops with the same dimensions that operate on the same values and share one sharding strategy.
//!
//! A stem is a class of dimensions that one mesh axis can shard consistently ([`Stem`]). The dimensions of an op are
//! the stems of its sharding rule's factors; those of a matrix product are rows, columns and the contracted dimension.
//! An elementwise op has the dimensions of its operands and therefore joins their group. A gradient op has the
//! dimensions of the forward op, so that forward and backward pass agree. Parameter updates are in separate groups, so
//! that optimizer state can have shards that no other op uses. The storage layout of a weight is a separate group
//! ([`param_storage`](super::param_storage)).

use super::param_storage::ParamStorage;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::program::{Phase, Program};
use partita_ir::rule::{ArgSet, FactorId, Rule};
use partita_passes::partitioning::running_sums::RunningSums;
use partita_passes::planning::presets::model::{ModelStructure, Stem};
use petgraph::unionfind::UnionFind;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// Op node in the search graph.
pub(crate) struct OpNode {
    pub(crate) op: OpId,
    pub(crate) rule: Rule,
    /// Stem of each factor of the rule: that of the operand or result dimensions whose major factor it is. `None` for a
    /// factor that is the major factor of no dimension, or has size 1.
    pub(crate) stems: SmallVec<[Option<Stem>; 6]>,
    /// Index of the decision group in [`DecisionGroups::all`].
    pub(crate) group: usize,
    /// True if the op adds values that can be partial sums.
    pub(crate) accumulates: bool,
    /// Phase of the step. An op that only changes the shape or type of gradients for the update has the update phase.
    pub(crate) phase: Phase,
    /// Number of executions in a step.
    pub(crate) times: u64,
}

/// Definition and uses of a value.
#[derive(Default)]
pub(crate) struct DefUse {
    /// Node and result number. `None` for inputs of the program.
    pub(crate) def: Option<(usize, usize)>,
    /// Nodes and operand numbers, in program order.
    pub(crate) uses: Vec<(usize, usize)>,
    /// Index in [`DecisionGroups::storages`], if the value is a weight whose storage layout can differ.
    pub(crate) storage: Option<usize>,
}

/// Ops that share one sharding strategy.
pub(crate) struct DecisionGroup {
    /// Stems of the ops' dimensions, sorted.
    pub(crate) stems: SmallVec<[Stem; 6]>,
    /// Indices of the op nodes, in program order.
    pub(crate) nodes: Vec<usize>,
    /// True if all ops add values that can be partial sums.
    pub(crate) accumulates: bool,
}

/// Partition of all ops into decision groups.
pub(crate) struct DecisionGroups {
    pub(crate) nodes: Vec<OpNode>,
    pub(crate) all: Vec<DecisionGroup>,
    /// Definition and uses of each value, keyed by its representative. All aliases of a loop-carried value share one
    /// entry.
    pub(crate) def_uses: FxHashMap<ValueId, DefUse>,
    /// Weights whose storage layout can differ from the layout in use.
    pub(crate) storages: Vec<ParamStorage>,
    /// Representative of each value.
    alias: Vec<ValueId>,
}

impl DecisionGroups {
    /// Computes the decision groups of a traced program.
    pub(crate) fn new(model: &ModelStructure<'_>) -> DecisionGroups {
        let program = model.program;
        let alias = aliases(program);
        let mut nodes = Vec::new();
        let mut def_uses: FxHashMap<ValueId, DefUse> = FxHashMap::default();
        let mut sets: Vec<SmallVec<[Stem; 6]>> = Vec::new();
        for (func, times) in partita_cost::run_counts(program) {
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
                    def_uses.entry(alias[arg.index()]).or_default().uses.push((number, i));
                }
                nodes.push(OpNode { op: id, rule, stems, group: 0, accumulates: false, phase: op.phase, times });
                for (i, out) in op.outs.iter().enumerate() {
                    let def = &mut def_uses.entry(alias[out.index()]).or_default().def;
                    // A loop-carried value is defined by its initial value and by the op in the body that produces its
                    // next value. If the initial value is recomputable, such as a zero constant, the op in the body is
                    // the definition.
                    if def.is_none_or(|(first, _)| is_recomputable(&program.ops[nodes[first].op].kind)) {
                        *def = Some((number, i));
                    }
                }
            }
        }
        let accumulates = accumulating_nodes(program, &nodes, &def_uses, &alias);
        nodes.iter_mut().zip(accumulates).for_each(|(node, accumulates)| node.accumulates = accumulates);
        for number in (0..nodes.len()).rev() {
            if only_feeds_update(program, &nodes, number, &def_uses, &alias) {
                nodes[number].phase = Phase::Update;
            }
        }
        let is_update = |node: &OpNode| node.phase == Phase::Update;
        let mut joined: UnionFind<u32> = UnionFind::new(nodes.len());
        let mut order: Vec<(&ValueId, &DefUse)> = def_uses.iter().collect();
        order.sort_by_key(|(value, _)| **value);
        for (value, def_use) in order {
            if model.dims(*value).next().is_none() {
                continue;
            }
            let mut first: SmallVec<[usize; 4]> = SmallVec::new();
            for number in def_use.def.iter().chain(&def_use.uses).map(|site| site.0) {
                let has_same_role = |other: &&usize| {
                    let (other, one) = (**other, number);
                    sets[other] == sets[one]
                        && is_update(&nodes[other]) == is_update(&nodes[one])
                        && nodes[other].accumulates == nodes[one].accumulates
                };
                match first.iter().find(has_same_role) {
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
                all.push(DecisionGroup {
                    stems: sets[number].clone(),
                    nodes: Vec::new(),
                    accumulates: nodes[number].accumulates,
                });
                all.len() - 1
            });
            all[group].nodes.push(number);
            nodes[number].group = group;
        }
        DecisionGroups { nodes, all, def_uses, storages: Vec::new(), alias }
    }

    /// Returns the definition and uses of a value, if it has any.
    pub(crate) fn def_use(&self, value: ValueId) -> Option<&DefUse> {
        self.def_uses.get(&self.alias(value))
    }

    /// Returns the representative of a value. All aliases of a loop-carried value have the same one.
    pub(crate) fn alias(&self, value: ValueId) -> ValueId {
        self.alias[value.index()]
    }

    /// Returns the mutable definition and uses of a value, which are empty if the value has none.
    pub(crate) fn def_use_mut(&mut self, value: ValueId) -> &mut DefUse {
        self.def_uses.entry(self.alias[value.index()]).or_default()
    }
}

/// Returns true if a node only changes the shape or type of gradients for the update.
///
/// Recogniser: a node that is not recognised retains its phase, and its result is resharded for the update.
fn only_feeds_update(
    program: &Program,
    nodes: &[OpNode],
    number: usize,
    def_uses: &FxHashMap<ValueId, DefUse>,
    alias: &[ValueId],
) -> bool {
    let op = &program.ops[nodes[number].op];
    let only_reshapes = match &op.kind {
        OpKind::Transpose(_) | OpKind::Reshape(_) | OpKind::Convert(_) => true,
        OpKind::Reduce(reduce) => reduce.dims.is_empty(),
        _ => false,
    };
    let mut readers =
        op.outs.iter().filter_map(|out| def_uses.get(&alias[out.index()])).flat_map(|def_use| &def_use.uses).peekable();
    only_reshapes
        && op.phase == Phase::BackwardWeight
        && readers.peek().is_some()
        && readers.all(|(reader, _)| nodes[*reader].phase == Phase::Update)
}

/// Returns true for each node that only adds values that can be partial sums: products, other such sums, and sums
/// accumulated by a loop.
///
/// Recogniser: the operands of a sum that is not recognised are reduced before the sum and priced accordingly.
fn accumulating_nodes(
    program: &Program,
    nodes: &[OpNode],
    def_uses: &FxHashMap<ValueId, DefUse>,
    alias: &[ValueId],
) -> Vec<bool> {
    let running = RunningSums::new(program);
    let running: FxHashSet<ValueId> = (program.funcs_with_layouts().into_iter())
        .flat_map(|func| running.within(func))
        .map(|sum| alias[sum.carried_out.index()])
        .collect();
    let mut sums = vec![false; nodes.len()];
    for number in 0..nodes.len() {
        let OpNode { op, rule, .. } = &nodes[number];
        let op = &program.ops[*op];
        if !matches!(op.kind, OpKind::Binary(_) | OpKind::Convert(_))
            || !rule.linear.contains(&ArgSet::from_args(0..op.args.len()))
        {
            continue;
        }
        let may_be_partial = |arg: &ValueId| {
            let value = alias[arg.index()];
            let Some(DefUse { def: Some((def, _)), uses, .. }) = def_uses.get(&value) else { return false };
            let contracts = |rule: &Rule| {
                (0..).map(FactorId).take(rule.factors.len()).any(|f| rule.reduction(f) == Some(Monoid::Sum))
            };
            running.contains(&value) || (uses.len() == 1 && (sums[*def] || contracts(&nodes[*def].rule)))
        };
        sums[number] = op.args.iter().all(may_be_partial);
    }
    // A conversion can follow the reduction as well as precede it, so it counts only if a sum reads it.
    for number in (0..nodes.len()).rev() {
        let op = &program.ops[nodes[number].op];
        if matches!(op.kind, OpKind::Convert(_)) && sums[number] {
            let readers =
                op.outs.iter().filter_map(|out| def_uses.get(&alias[out.index()])).flat_map(|def_use| &def_use.uses);
            sums[number] = readers.into_iter().any(|(reader, _)| sums[*reader]);
        }
    }
    sums
}

/// Returns the representative of each value. The operand, body input, body output and result of a loop-carried value
/// are aliases.
fn aliases(program: &Program) -> Vec<ValueId> {
    let mut sets: UnionFind<u32> = UnionFind::new(program.values.len());
    let funcs = program.funcs_with_layouts();
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

/// Returns the stem of each factor: that of the first dimension whose major factor it is.
fn stems<'v>(
    model: &ModelStructure<'_>,
    rule: &Rule,
    values: impl Iterator<Item = &'v ValueId>,
) -> SmallVec<[Option<Stem>; 6]> {
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

/// Returns true if the op has no operands (a constant or an `iota`), so that its result is recomputed wherever it is
/// needed.
pub(crate) fn is_recomputable(kind: &OpKind) -> bool {
    kind.source().is_some()
}

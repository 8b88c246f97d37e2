//! Costs and layouts of each op under every strategy of its group. Identical ops of identical layers are computed once.

use super::decision_groups::OpNode;
use super::pricing::{LayoutListId, LayoutPricing};
use super::search_graph::SearchGraph;
use super::strategies::{
    AxisUse, SplittingAxes, Strategy, factor_axes, operand_layout, partial_sums, result_layout, strategies,
};
use partita_ir::dtype::Type;
use partita_ir::mesh::AxisRef;
use partita_ir::program::Phase;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Operand layouts, result layouts and kernel time of an op for each strategy.
#[derive(Clone)]
pub(crate) struct OpStrategies {
    /// Required layouts of the operands.
    pub(crate) operands: SmallVec<[LayoutListId; 3]>,
    /// Layouts of the results.
    pub(crate) results: SmallVec<[LayoutListId; 1]>,
    /// Seconds of one execution for each strategy.
    pub(crate) seconds: Vec<f64>,
}

/// Costs and layouts of all ops for all strategies.
pub(crate) struct StrategyTable {
    /// Entry for each op node.
    pub(crate) ops: Vec<OpStrategies>,
    /// Seconds of all ops for each group and strategy.
    pub(crate) seconds: Vec<Vec<f64>>,
    /// Seconds of the backward ops for each group and strategy.
    pub(crate) backward: Vec<Vec<f64>>,
    /// Storage layouts of each stored parameter under the strategies of its group.
    pub(crate) storage: Vec<LayoutListId>,
}

/// Strategies of a group in terms of the positions of its dimensions, to compare groups.
type StrategyShape = Vec<SmallVec<[Option<u8>; 4]>>;

/// Properties that ops must share to be computed together. Rules and work are compared separately.
type OpSignature = (&'static str, SmallVec<[Type; 4]>, SmallVec<[Option<u8>; 6]>, usize);

impl StrategyTable {
    /// Computes the entries of all ops for a mesh with the given axes.
    pub(crate) fn new(graph: &SearchGraph<'_>, pricing: &mut LayoutPricing<'_>) -> StrategyTable {
        let axes: &SplittingAxes = &pricing.axes.clone();
        let (program, groups) = (graph.program, &graph.groups);
        let all: Vec<Vec<Strategy>> = groups.all.iter().map(|group| strategies(group, &graph.model, axes)).collect();
        let mut seconds: Vec<Vec<f64>> = all.iter().map(|all| vec![0.0; all.len()]).collect();
        let mut backward = seconds.clone();
        let mut kinds: FxHashMap<StrategyShape, usize> = FxHashMap::default();
        let kind_of: Vec<usize> = (groups.all.iter().zip(&all))
            .map(|(group, all)| {
                let place = |axis_use: &AxisUse| match axis_use {
                    AxisUse::Replicate => None,
                    AxisUse::Shard(stem) => group.stems.iter().position(|s| s == stem).map(|at| at as u8),
                    AxisUse::PartialSum => Some(u8::MAX),
                };
                let places = all.iter().map(|one| one.iter().map(place).collect()).collect();
                let next = kinds.len();
                *kinds.entry(places).or_insert(next)
            })
            .collect();
        let mut known: FxHashMap<OpSignature, Vec<usize>> = FxHashMap::default();
        let mut ops: Vec<OpStrategies> = Vec::with_capacity(groups.nodes.len());
        for (number, node) in groups.nodes.iter().enumerate() {
            let op = &program.ops[node.op];
            let stems = &groups.all[node.group].stems;
            let place = |stem| stems.iter().position(|&s| s == stem).map(|at| at as u8);
            let types = op.args.iter().chain(&op.outs).map(|&value| program.ty(value).clone()).collect();
            let places = node.stems.iter().map(|stem| stem.and_then(place)).collect();
            let similar = known.entry((op.kind.name(), types, places, kind_of[node.group])).or_default();
            let is_same = |&&other: &&usize| {
                let other = &groups.nodes[other];
                other.rule == node.rule && graph.op_work.get(&other.op) == graph.op_work.get(&node.op)
            };
            let one = match similar.iter().find(is_same) {
                Some(&other) => ops[other].clone(),
                None => {
                    similar.push(number);
                    OpStrategies::new(graph, node, &all[node.group], axes, pricing)
                }
            };
            let add = |sums: &mut [f64]| {
                sums.iter_mut().zip(&one.seconds).for_each(|(sum, once)| *sum += node.times as f64 * once);
            };
            add(&mut seconds[node.group]);
            if matches!(op.phase, Phase::BackwardInput | Phase::BackwardWeight) {
                add(&mut backward[node.group]);
            }
            ops.push(one);
        }
        let mut storage = Vec::with_capacity(groups.storages.len());
        for param in &groups.storages {
            let mesh = pricing.mesh;
            let layouts = all[param.group].iter().map(|strategy| param.layout(strategy, axes, mesh));
            let numbers = layouts.map(|layout| pricing.layout_id(layout)).collect();
            storage.push(pricing.layout_list(numbers));
        }
        StrategyTable { ops, seconds, backward, storage }
    }
}

impl OpStrategies {
    fn new(
        graph: &SearchGraph<'_>,
        node: &OpNode,
        strategies: &[Strategy],
        axes: &[AxisRef],
        pricing: &mut LayoutPricing<'_>,
    ) -> OpStrategies {
        let op = &graph.program.ops[node.op];
        let inner = !op.kind.class().contracts();
        let mut args = vec![Vec::new(); op.args.len()];
        let mut outs = vec![Vec::new(); op.outs.len()];
        let mut seconds = Vec::with_capacity(strategies.len());
        for strategy in strategies {
            let (factors, partial) = (factor_axes(node, strategy, axes, inner), partial_sums(strategy, axes));
            seconds.push(pricing.seconds(node, &factors));
            for (i, arg) in args.iter_mut().enumerate() {
                arg.push(pricing.layout_id(operand_layout(&node.rule, i, &factors, &partial, pricing.mesh)));
            }
            for (i, out) in outs.iter_mut().enumerate() {
                out.push(pricing.layout_id(result_layout(&node.rule, i, &factors, &partial, pricing.mesh)));
            }
        }
        let mut list = |layouts: Vec<_>| pricing.layout_list(layouts);
        let operands = args.into_iter().map(&mut list).collect();
        OpStrategies { operands, results: outs.into_iter().map(list).collect(), seconds }
    }
}

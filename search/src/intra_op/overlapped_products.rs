//! Lower bounds of the time by which collectives exceed the matrix products that they overlap with.
//!
//! In a ring of `n` devices, the products beside an `all_gather` or a `reduce_scatter` are computed in `n` parts, and
//! the collective becomes `n - 1` exchanges (the pass `overlap-matmul`). One part is computed before the first exchange
//! of partial sums, or after the last exchange of gathered shards. All parts of a product take longer than the product:
//! they start more kernels, which may not occupy all multiprocessors.

use super::layout_space::LayoutSpace;
use super::pricing::{LayoutId, OpWork};
use super::problem_builder::ReshardEdge;
use super::search_graph::SearchGraph;
use super::strategies::{Strategy, factor_axes, strategies};
use partita_ir::arena::OpId;
use partita_ir::class::Class;
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::{Axes, AxisRef, shard_count};
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::Phase;
use partita_ir::rule::{DimMap, FactorId, FactorKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Largest number of products of a sum that overlap with its reduction.
const MAX_SUMMANDS: usize = 16;

/// A product beside a collective.
struct ProductBeside {
    node: usize,
    /// Factor of each dimension of the operand that the product reads, or of the result that it adds to a sum. `None`
    /// for a dimension that is contracted or has several factors.
    factors: Vec<Option<FactorId>>,
}

/// Products beside a collective.
#[derive(Default)]
struct ProductsBeside {
    /// Products that read the result.
    readers: Vec<ProductBeside>,
    /// Products whose sum is the operand.
    summands: Vec<ProductBeside>,
}

/// Seconds by which the overlap of a product with a collective changes the time of both.
#[derive(Clone, Copy)]
struct ProductOverlap {
    /// Seconds of the product without the part that does not overlap.
    hidden: f64,
    /// Seconds by which all parts take longer than the product.
    longer: f64,
}

/// Work of products.
struct ProductWork<'k> {
    /// Seconds of the kernels of each node, for each strategy of its group.
    kernels: &'k [Vec<f64>],
    /// Work of each op.
    work: FxHashMap<OpId, OpWork>,
    /// Strategies of each group.
    strategies: Vec<Vec<Strategy>>,
    /// Seconds of a part by node, strategy, divided factor and number of parts.
    parts: FxHashMap<(usize, usize, FactorId, usize), f64>,
}

impl LayoutSpace<'_> {
    /// Returns the edges with the seconds by which their collectives exceed the products beside them, given the seconds
    /// of the kernels of each node. Gathers of parameters and reductions of their gradients do not overlap.
    pub(super) fn beside_products(&mut self, kernels: &[Vec<f64>], edges: &[ReshardEdge]) -> Vec<ReshardEdge> {
        let SearchGraph { groups, model, .. } = self.graph;
        let strategies = groups.all.iter().map(|group| strategies(group, model, &self.pricing.axes)).collect();
        let parts = FxHashMap::default();
        let mut work = ProductWork { kernels, work: self.pricing.least_work(), strategies, parts };
        let beside: Vec<ProductsBeside> = edges.iter().map(|edge| self.products_beside(edge)).collect();
        edges.iter().zip(&beside).map(|(edge, beside)| self.overlapping(edge, beside, &mut work)).collect()
    }

    fn products_beside(&self, edge: &ReshardEdge) -> ProductsBeside {
        let SearchGraph { program, groups, .. } = self.graph;
        let op = |node: usize| &program.ops[groups.nodes[node].op];
        let is_gradient = |node: usize| matches!(groups.nodes[node].phase, Phase::BackwardWeight | Phase::Update);
        let is_product = |node: usize| op(node).kind.class() == Class::Product && !is_gradient(node);
        let def_of = |value| groups.def_use(value).and_then(|def_use| def_use.def).map(|(def, _)| def);
        let def = def_of(edge.value);
        if self.graph.is_weight(edge.value) || def.is_some_and(is_gradient) {
            return ProductsBeside::default();
        }
        let product = |node: usize, dims: &DimMap| {
            let rule = &groups.nodes[node].rule;
            let is_outer = |factor: FactorId| rule.kind(factor) == FactorKind::PassThrough;
            let outer = |factors: &SmallVec<[FactorId; 2]>| {
                let only = factors.first().copied().filter(|_| factors.len() == 1);
                only.filter(|&factor| is_outer(factor))
            };
            ProductBeside { node, factors: dims.iter().map(outer).collect() }
        };
        let uses = groups.def_use(edge.value).into_iter().flat_map(|def_use| &def_use.uses).copied();
        let readers = uses.filter(|&reader| self.use_site(reader) == edge.to && is_product(reader.0));
        let readers = readers.map(|(node, arg)| product(node, &groups.nodes[node].rule.args[arg])).collect();
        let mut summands: Vec<usize> = def.into_iter().collect();
        let mut next = 0;
        while let Some(&node) = summands.get(next).filter(|_| next < MAX_SUMMANDS) {
            let operands = op(node).args.iter().filter(|_| is_sum(&op(node).kind)).filter_map(|&arg| def_of(arg));
            let new: Vec<usize> = operands.filter(|operand| !summands.contains(operand)).collect();
            summands.extend(new);
            next += 1;
        }
        summands.retain(|&node| is_product(node));
        let summands = summands.into_iter().map(|node| product(node, &groups.nodes[node].rule.outs[0])).collect();
        ProductsBeside { readers, summands }
    }

    fn overlapping(&mut self, edge: &ReshardEdge, beside: &ProductsBeside, work: &mut ProductWork<'_>) -> ReshardEdge {
        if beside.readers.is_empty() && beside.summands.is_empty() {
            return edge.clone();
        }
        let [sources, targets] = [edge.from, edge.to].map(|site| self.pricing.layouts(site.1).clone());
        let mut table = Vec::with_capacity(edge.table.len());
        for (from, &source) in sources.iter().enumerate() {
            for (to, &target) in targets.iter().enumerate() {
                let same = self.pricing.exchanged(target);
                let seconds = same.iter().map(|&target| self.exposed(edge, beside, work, (source, target), (from, to)));
                table.push(seconds.fold(f64::INFINITY, f64::min));
            }
        }
        ReshardEdge { table: table.into(), ..*edge }
    }

    /// Returns the seconds by which the collectives between two layouts exceed the products beside them, for the
    /// strategies `from` and `to` of their groups.
    fn exposed(
        &mut self,
        edge: &ReshardEdge,
        beside: &ProductsBeside,
        work: &mut ProductWork<'_>,
        (source, target): (LayoutId, LayoutId),
        (from, to): (usize, usize),
    ) -> f64 {
        let seconds = self.pricing.reshard_seconds(self.graph.program.ty(edge.value), source, target, edge.bucketing);
        if seconds == 0.0 || seconds == f64::INFINITY {
            return seconds;
        }
        let [have, need] = [source, target].map(|layout| self.pricing.layout(layout));
        let (gathered, scattered) = (gathered(have, need), scattered(have, need));
        let strategy_of =
            |group: usize| [(edge.to.0, to), (edge.from.0, from)].into_iter().find(|(of, _)| *of == group);
        let mut overlaps: Vec<ProductOverlap> = Vec::new();
        for (beside, shards) in [(&beside.readers, &gathered), (&beside.summands, &scattered)] {
            overlaps.extend(beside.iter().filter_map(|product| self.overlap(product, shards, &strategy_of, work)));
        }
        if overlaps.is_empty() {
            return seconds;
        }
        // All products overlap, or the one whose parts take the least additional time.
        let hidden = overlaps.iter().map(|overlap| overlap.hidden).sum::<f64>();
        let longer = overlaps.iter().map(|overlap| overlap.longer).fold(f64::INFINITY, f64::min);
        seconds.min(longer.max(seconds - hidden).max(0.0))
    }

    /// Returns the best overlap of a product that is divided into as many parts as a dimension has shards. Returns
    /// `None` if none of its dimensions has shards.
    fn overlap(
        &self,
        beside: &ProductBeside,
        shards: &[(usize, Axes)],
        strategy_of: &dyn Fn(usize) -> Option<(usize, usize)>,
        work: &mut ProductWork<'_>,
    ) -> Option<ProductOverlap> {
        let ProductWork { kernels, work, strategies, parts } = work;
        let node = &self.graph.groups.nodes[beside.node];
        let all = &kernels[beside.node];
        let divisions = shards.iter().filter_map(|(dim, axes)| Some((beside.factors[*dim]?, axes)));
        let overlaps = divisions.map(|(factor, axes)| {
            // A product of another group has any layouts.
            let Some((_, strategy)) = strategy_of(node.group) else {
                let product = all.iter().copied().filter(|seconds| seconds.is_finite()).fold(0.0, f64::max);
                return ProductOverlap { hidden: product / node.times as f64, longer: 0.0 };
            };
            let product = all.get(strategy).copied().unwrap_or(0.0) / node.times as f64;
            let count = shard_count(axes);
            let part = *parts.entry((beside.node, strategy, factor, count)).or_insert_with(|| {
                let mut factors = factor_axes(node, &strategies[node.group][strategy], &self.pricing.axes, false);
                factors[factor.0 as usize].extend(axes.iter().copied());
                work.get(&node.op).map_or(0.0, |work| self.pricing.least_seconds(node, work, &factors))
            });
            ProductOverlap { hidden: (product - part).max(0.0), longer: count as f64 * part - product }
        });
        overlaps.reduce(|a, b| ProductOverlap { hidden: a.hidden.max(b.hidden), longer: a.longer.min(b.longer) })
    }
}

/// Returns the dimensions whose shards an `all_gather` combines, with their axes.
fn gathered(have: &Layout, need: &Layout) -> Vec<(usize, Axes)> {
    shards(have, &|axis| !need.split_axes().any(|other| other.axis == axis.axis))
}

/// Returns the dimensions whose shards a `reduce_scatter` of partial sums creates, with their axes.
fn scattered(have: &Layout, need: &Layout) -> Vec<(usize, Axes)> {
    shards(need, &|axis| have.partial.iter().any(|(other, _)| other.axis == axis.axis))
}

/// Returns the dimensions that the included axes shard, with these axes.
fn shards(layout: &Layout, is_included: &dyn Fn(&AxisRef) -> bool) -> Vec<(usize, Axes)> {
    let of_dim = |(dim, layout): (usize, &DimLayout)| {
        let axes: Axes = layout.axes.iter().filter(|axis| is_included(axis)).copied().collect();
        (!axes.is_empty()).then_some((dim, axes))
    };
    layout.dims.iter().enumerate().filter_map(of_dim).collect()
}

/// Recogniser: the bound contains the collectives after other ops.
fn is_sum(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Binary(binary) if binary.op == BinaryOp::Add)
}

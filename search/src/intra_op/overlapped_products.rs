//! Lower bounds of the time by which collectives exceed the matrix products that they overlap with.
//!
//! In a ring of `n` devices, the products beside an `all_gather` or a `reduce_scatter` are computed in `n` parts, and
//! the collective becomes `n - 1` exchanges (the pass `overlap-matmul`). One part is computed before the first exchange
//! of partial sums, or after the last exchange of gathered shards. All parts of a product take longer than the product:
//! they start more kernels, which may not occupy all multiprocessors.

use super::layout_space::LayoutSpace;
use super::pricing::OpWork;
use super::problem_builder::ReshardEdge;
use super::search_graph::SearchGraph;
use super::strategies::{Strategy, factor_axes, strategies};
use partita_ir::arena::OpId;
use partita_ir::class::Class;
use partita_ir::layout::{DimLayout, Layout};
use partita_ir::mesh::{Axes, AxisRef};
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

/// Seconds of products and of their parts.
#[derive(Clone, Copy)]
struct Parts {
    /// Seconds of the product.
    product: f64,
    /// Seconds of one of the parts.
    part: f64,
}

/// Products and their work.
pub(super) struct ProductWork<'k> {
    /// Seconds of the kernels of each node, for each strategy of its group.
    pub(super) kernels: &'k [Vec<f64>],
    /// Work of each op.
    pub(super) work: FxHashMap<OpId, OpWork>,
    /// Strategies of each group.
    pub(super) strategies: Vec<Vec<Strategy>>,
}

impl LayoutSpace<'_> {
    /// Returns the edges with the seconds by which their collectives exceed the products beside them, given the seconds
    /// of the kernels of each node. Gathers of parameters and reductions of their gradients do not overlap.
    pub(super) fn beside_products(&mut self, kernels: &[Vec<f64>], edges: &[ReshardEdge]) -> Vec<ReshardEdge> {
        let SearchGraph { groups, model, .. } = self.graph;
        let strategies = groups.all.iter().map(|group| strategies(group, model, &self.pricing.axes)).collect();
        let work = ProductWork { kernels, work: self.pricing.least_work(), strategies };
        let beside: Vec<ProductsBeside> = edges.iter().map(|edge| self.products_beside(edge)).collect();
        edges.iter().zip(&beside).map(|(edge, beside)| self.overlapping(edge, beside, &work)).collect()
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
            let outer = |factors: &SmallVec<[FactorId; 2]>| match factors[..] {
                [factor] if rule.kind(factor) == FactorKind::PassThrough => Some(factor),
                _ => None,
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

    fn overlapping(&mut self, edge: &ReshardEdge, beside: &ProductsBeside, work: &ProductWork<'_>) -> ReshardEdge {
        if beside.readers.is_empty() && beside.summands.is_empty() {
            return edge.clone();
        }
        let [sources, targets] = [edge.from, edge.to].map(|site| self.pricing.layouts(site.1).clone());
        let ty = self.graph.program.ty(edge.value);
        let mut table = Vec::with_capacity(edge.table.len());
        for (from, &source) in sources.iter().enumerate() {
            for (to, &target) in targets.iter().enumerate() {
                let [have, need] = [source, target].map(|layout| self.pricing.layout(layout));
                let strategy_of =
                    |group: usize| [(edge.to.0, to), (edge.from.0, from)].into_iter().find(|(of, _)| *of == group);
                let of_products = |products: &[ProductBeside], shards: &DimShards| -> Vec<Parts> {
                    products.iter().filter_map(|product| self.parts(product, shards, &strategy_of, work)).collect()
                };
                let (gathered, scattered) = (gathered(have, need), scattered(have, need));
                let mut products = of_products(&beside.readers, &gathered);
                products.extend(of_products(&beside.summands, &scattered));
                let exposed = |seconds: f64| {
                    // All products can overlap, or the one whose parts take the least additional time.
                    let hidden = products.iter().map(|parts| parts.product - parts.part).sum::<f64>();
                    let count = f64::from(gathered.count() * scattered.count());
                    let longer = products.iter().map(|parts| count * parts.part - parts.product);
                    let longer = longer.fold(f64::INFINITY, f64::min).max(0.0);
                    seconds.min(longer.max(seconds - hidden.max(0.0)))
                };
                let least = |_: &Layout, _: &Layout, seconds: f64| {
                    if products.is_empty() { seconds } else { exposed(seconds) }
                };
                table.push(self.pricing.least_reshard_cost(ty, (source, target), edge.bucketing, &least));
            }
        }
        ReshardEdge { table: table.into(), ..*edge }
    }

    /// Returns the least seconds of a product, and of its parts, of which there are as many as shards of a dimension.
    /// Returns `None` if none of its dimensions has shards.
    fn parts(
        &self,
        product: &ProductBeside,
        shards: &DimShards,
        strategy_of: &dyn Fn(usize) -> Option<(usize, usize)>,
        work: &ProductWork<'_>,
    ) -> Option<Parts> {
        let divided = shards.0.iter().find_map(|(dim, axes)| Some((product.factors[*dim]?, axes)));
        let (factor, axes) = divided?;
        let node = &self.graph.groups.nodes[product.node];
        let all = &work.kernels[product.node];
        // A product of another group has any layouts.
        let Some((_, strategy)) = strategy_of(node.group) else {
            let product = all.iter().copied().filter(|seconds| seconds.is_finite()).fold(0.0, f64::max);
            return Some(Parts { product: product / node.times as f64, part: 0.0 });
        };
        let product = all.get(strategy).copied().unwrap_or(0.0) / node.times as f64;
        let mut factors = factor_axes(node, &work.strategies[node.group][strategy], &self.pricing.axes, false);
        let all_axes = &mut factors[factor.0 as usize];
        all_axes.extend(axes.iter().copied());
        let part = work.work.get(&node.op).map_or(0.0, |work| self.pricing.least_seconds(node, work, &factors));
        Some(Parts { product, part: part.min(product) })
    }
}

/// Dimensions with shards that a collective gathers or creates, and their axes.
struct DimShards(Vec<(usize, Axes)>);

impl DimShards {
    /// Returns the number of shards.
    fn count(&self) -> u32 {
        self.0.iter().flat_map(|(_, axes)| axes).map(|axis| axis.size).product()
    }
}

/// Returns the shards that an `all_gather` combines.
fn gathered(have: &Layout, need: &Layout) -> DimShards {
    let is_gathered = |axis: &&AxisRef| !need.split_axes().any(|other| other.axis == axis.axis);
    shards(have, &is_gathered)
}

/// Returns the shards that a `reduce_scatter` of partial sums creates.
fn scattered(have: &Layout, need: &Layout) -> DimShards {
    let is_scattered = |axis: &&AxisRef| have.partial.iter().any(|(other, _)| other.axis == axis.axis);
    shards(need, &is_scattered)
}

fn shards(layout: &Layout, is_included: &dyn Fn(&&AxisRef) -> bool) -> DimShards {
    let of_dim = |(dim, layout): (usize, &DimLayout)| {
        let axes: Axes = layout.axes.iter().filter(is_included).copied().collect();
        (!axes.is_empty()).then_some((dim, axes))
    };
    DimShards(layout.dims.iter().enumerate().filter_map(of_dim).collect())
}

/// Recogniser: the bound contains the collectives after other ops.
fn is_sum(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Binary(binary) if binary.op == BinaryOp::Add)
}

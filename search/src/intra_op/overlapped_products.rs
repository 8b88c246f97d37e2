//! Lower bounds of the time by which collectives exceed the matrix products that they overlap with.
//!
//! In a ring of `n` devices, the products beside an `all_gather` or a `reduce_scatter` are computed in `n` parts, and
//! the collective becomes `n - 1` exchanges (the pass `overlap-matmul`). One part is computed before the first exchange
//! of partial sums, or after the last exchange of gathered shards, and each product starts `n - 1` more kernels.

use super::layout_space::LayoutSpace;
use super::problem_builder::ReshardEdge;
use super::search_graph::SearchGraph;
use partita_ir::class::Class;
use partita_ir::layout::Layout;
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::{Op, Phase};
use partita_ir::rule::FactorKind;

/// Largest number of products of a sum that overlap with its reduction.
const MAX_SUMMANDS: usize = 16;

/// Products beside a collective.
#[derive(Default)]
struct ProductsBeside {
    /// Nodes that read the result, each with the dimensions of the operand that are not contracted.
    readers: Vec<(usize, Vec<bool>)>,
    /// Nodes whose sum is the operand.
    summands: Vec<usize>,
}

impl LayoutSpace<'_> {
    /// Returns the edges with the seconds by which their collectives exceed the products beside them, given the seconds
    /// of the kernels of each node. Gathers of parameters and reductions of their gradients do not overlap.
    pub(super) fn beside_products(&mut self, kernels: &[Vec<f64>], edges: &[ReshardEdge]) -> Vec<ReshardEdge> {
        let beside: Vec<ProductsBeside> = edges.iter().map(|edge| self.products_beside(edge)).collect();
        edges.iter().zip(&beside).map(|(edge, beside)| self.overlapping(edge, beside, kernels)).collect()
    }

    fn products_beside(&self, edge: &ReshardEdge) -> ProductsBeside {
        let SearchGraph { program, groups, .. } = self.graph;
        let op = |node: usize| &program.ops[groups.nodes[node].op];
        let is_gradient = |node: usize| matches!(groups.nodes[node].phase, Phase::BackwardWeight | Phase::Update);
        let is_product = |node: &usize| op(*node).kind.class() == Class::Product && !is_gradient(*node);
        let def_of = |value| groups.def_use(value).and_then(|def_use| def_use.def).map(|(def, _)| def);
        let def = def_of(edge.value);
        if self.graph.is_weight(edge.value) || def.is_some_and(is_gradient) {
            return ProductsBeside::default();
        }
        let passes_through = |(node, operand): (usize, usize)| -> Vec<bool> {
            let Op { kind, .. } = op(node);
            let rule = kind.rule(&program.arg_types(op(node)), &program.out_types(op(node)));
            let is_outer = |factor| rule.kind(factor) == FactorKind::PassThrough;
            rule.args[operand].iter().map(|factors| factors.iter().all(|&factor| is_outer(factor))).collect()
        };
        let uses = groups.def_use(edge.value).into_iter().flat_map(|def_use| &def_use.uses).copied();
        let readers = uses.filter(|&reader| self.use_site(reader) == edge.to && is_product(&reader.0));
        let readers = readers.map(|reader| (reader.0, passes_through(reader))).collect();
        let mut summands: Vec<usize> = def.into_iter().collect();
        let mut next = 0;
        while let Some(&node) = summands.get(next).filter(|_| next < MAX_SUMMANDS) {
            let operands = op(node).args.iter().filter(|_| is_sum(&op(node).kind)).filter_map(|&arg| def_of(arg));
            let new: Vec<usize> = operands.filter(|operand| !summands.contains(operand)).collect();
            summands.extend(new);
            next += 1;
        }
        summands.retain(is_product);
        ProductsBeside { readers, summands }
    }

    fn overlapping(&mut self, edge: &ReshardEdge, beside: &ProductsBeside, kernels: &[Vec<f64>]) -> ReshardEdge {
        let ProductsBeside { readers, summands } = beside;
        if readers.is_empty() && summands.is_empty() {
            return edge.clone();
        }
        let SearchGraph { program, groups, .. } = self.graph;
        let [sources, targets] = [edge.from, edge.to].map(|site| self.pricing.layouts(site.1).clone());
        let launch = self.pricing.launch_seconds();
        let seconds_of = |node: usize, (from, to): (usize, usize)| {
            let group = groups.nodes[node].group;
            let strategy = [(edge.to.0, to), (edge.from.0, from)].into_iter().find(|(of, _)| *of == group);
            let seconds = strategy.map_or_else(
                || kernels[node].iter().copied().fold(0.0, f64::max),
                |(_, strategy)| kernels[node].get(strategy).copied().unwrap_or(0.0),
            );
            seconds / edge.times.max(1.0)
        };
        let ty = program.ty(edge.value);
        let mut table = Vec::with_capacity(edge.table.len());
        for (from, &source) in sources.iter().enumerate() {
            for (to, &target) in targets.iter().enumerate() {
                let least = |have: &Layout, need: &Layout, seconds: f64| {
                    let (gathered, gathered_dims) = gathered(have, need);
                    let scattered = scattered(have, need);
                    let can_overlap = |outer: &[bool]| gathered_dims.iter().any(|&dim| outer[dim]);
                    let after = readers.iter().filter(|(_, outer)| can_overlap(outer)).map(|&(node, _)| node);
                    let before = summands.iter().copied().filter(|_| scattered > 1);
                    let products: Vec<usize> = after.chain(before).collect();
                    if products.is_empty() {
                        return seconds;
                    }
                    let parts = f64::from(gathered * scattered);
                    let hidden = products.iter().map(|&node| seconds_of(node, (from, to))).sum::<f64>();
                    let launching = (parts - 1.0) * launch;
                    seconds.min(launching.max(seconds - hidden * (1.0 - 1.0 / parts)))
                };
                table.push(self.pricing.least_reshard_cost(ty, (source, target), edge.bucketing, &least));
            }
        }
        ReshardEdge { table: table.into(), ..*edge }
    }
}

/// Returns the number of shards that an `all_gather` combines, and the dimensions that it gathers.
fn gathered(have: &Layout, need: &Layout) -> (u32, Vec<usize>) {
    let is_gathered = |axis: &_| !need.split_axes().any(|other| other.axis == *axis);
    let mut count = 1;
    let mut dims = Vec::new();
    for (dim, layout) in have.dims.iter().enumerate() {
        let size: u32 = layout.axes.iter().filter(|axis| is_gathered(&axis.axis)).map(|axis| axis.size).product();
        count *= size;
        dims.extend((size > 1).then_some(dim));
    }
    (count, dims)
}

/// Returns the number of shards that a `reduce_scatter` of partial sums creates.
fn scattered(have: &Layout, need: &Layout) -> u32 {
    let is_scattered = |axis: &_| need.split_axes().any(|other| other.axis == *axis);
    have.partial.iter().map(|(axis, _)| axis).filter(|axis| is_scattered(&axis.axis)).map(|axis| axis.size).product()
}

/// Recogniser: the bound contains the collectives after other ops.
fn is_sum(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Binary(binary) if binary.op == BinaryOp::Add)
}

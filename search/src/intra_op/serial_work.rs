//! Serial work of a step: kernels and collectives of which no two can overlap with any layouts. The sum of their
//! seconds is a lower bound of the time of the step.

use super::critical_path::{PathEdge, PathEdgeKind, critical_path};
use super::decision_groups::is_recomputable;
use super::layout_space::LayoutSpace;
use super::pricing::Bucketing;
use super::problem_builder::ReshardEdge;
use super::search_graph::SearchGraph;
use fixedbitset::FixedBitSet;
use partita_ir::class::Class;
use partita_ir::op::OpKind;
use partita_ir::ops::BinaryOp;
use partita_ir::program::Phase;

/// Largest number of products of a sum that overlap with its reduction.
const MAX_SUMMANDS: usize = 16;

/// Kernels and collectives of which no two can overlap.
pub(super) struct SerialWork {
    /// Nodes whose kernels are included.
    pub(super) nodes: FixedBitSet,
    /// Reshard edges that are included.
    pub(super) edges: FixedBitSet,
}

/// Kernels and collectives of a step with the seconds of each for all layouts.
pub(super) struct StepWork {
    /// Least kernel seconds of each node for each strategy of its group.
    pub(super) kernels: Vec<Vec<f64>>,
    pub(super) edges: Vec<ReshardEdge>,
    /// Each edge as part of a path.
    path_edges: Vec<PathEdge>,
    /// Nodes whose kernels run in the order of the program.
    in_order: FixedBitSet,
}

/// Dependencies between the op nodes of a step without loops.
struct Dependencies {
    /// Nodes before each node: those that its operands are computed from.
    before: Vec<FixedBitSet>,
}

impl Dependencies {
    /// `arg_defs` returns the nodes that define the operands of a node.
    fn new(count: usize, arg_defs: impl Fn(usize) -> Vec<usize>) -> Dependencies {
        let mut before: Vec<FixedBitSet> = Vec::with_capacity(count);
        for node in 0..count {
            let mut all = FixedBitSet::with_capacity(count);
            for def in arg_defs(node) {
                all.union_with(&before[def]);
                all.insert(def);
            }
            before.push(all);
        }
        Dependencies { before }
    }

    /// Returns true if each of the nodes runs before the result of `def` is available, or depends on one of `readers`.
    fn is_exposed(&self, nodes: &FixedBitSet, def: Option<usize>, readers: &[usize]) -> bool {
        let is_before = |node: usize| def.is_some_and(|def| def == node || self.before[def].contains(node));
        let is_after = |node: usize| readers.iter().any(|&reader| reader == node || self.before[node].contains(reader));
        !readers.is_empty() && nodes.ones().all(|node| is_before(node) || is_after(node))
    }
}

impl StepWork {
    /// Returns the number of costs of collectives.
    pub(super) fn entries(&self) -> usize {
        self.edges.iter().map(|edge| edge.table.len()).sum()
    }
}

impl LayoutSpace<'_> {
    /// Returns the kernels and collectives of a step. `overlaps_products` is true if matrix products may overlap with
    /// the collectives beside them.
    pub(super) fn step_work(&mut self, overlaps_products: bool) -> StepWork {
        let kernels = self.least_kernel_seconds();
        let edges = self.reshard_edges(true);
        let mut edges = if overlaps_products { self.beside_products(&kernels, &edges) } else { edges.to_vec() };
        let alone: Vec<ReshardEdge> = edges.iter().filter(|edge| self.is_reduction(edge)).cloned().collect();
        let count = edges.len();
        for edge in alone {
            let ty = self.graph.program.ty(edge.value);
            let table = self.pricing.reshard_table(ty, edge.from.1, edge.to.1, Bucketing::Separate);
            edges.push(ReshardEdge { table, bucketing: Bucketing::Separate, ..edge });
        }
        let def_of = |edge: &ReshardEdge| self.graph.groups.def_use(edge.value).and_then(|def_use| def_use.def);
        let last = edges.iter().filter(|edge| self.is_reduction(edge)).filter_map(def_of).max();
        let path_edge = |(number, edge): (usize, &ReshardEdge)| {
            let def_use = self.graph.groups.def_use(edge.value);
            let uses = def_use.into_iter().flat_map(|def_use| &def_use.uses);
            PathEdge {
                kind: match (self.is_reduction(edge), number < count) {
                    (true, true) if def_of(edge) == last => PathEdgeKind::LastReduction,
                    (true, true) => PathEdgeKind::NextReduction,
                    (true, false) => PathEdgeKind::FirstReduction,
                    (false, _) => PathEdgeKind::InOrder,
                },
                def: def_use.and_then(|def_use| def_use.def).map(|(def, _)| def),
                reader: uses.filter(|&&reader| self.use_site(reader) == edge.to).map(|reader| reader.0).min(),
            }
        };
        let path_edges = edges.iter().enumerate().map(path_edge).collect();
        let in_order = self.kernels_in_order(&kernels);
        StepWork { kernels, edges, path_edges, in_order }
    }

    /// Returns the edges with the seconds that exceed those of the products beside them: collectives that are divided
    /// into exchanges overlap with parts of the products that read their results or compute their operands. Gathers of
    /// parameters and reductions of their gradients are not divided.
    fn beside_products(&mut self, kernels: &[Vec<f64>], edges: &[ReshardEdge]) -> Vec<ReshardEdge> {
        let SearchGraph { program, groups, .. } = self.graph;
        let op = |node: usize| &program.ops[groups.nodes[node].op];
        let is_gradient = |node: usize| matches!(groups.nodes[node].phase, Phase::BackwardWeight | Phase::Update);
        let is_product = |node: &usize| op(*node).kind.class() == Class::Product && !is_gradient(*node);
        let def_of = |value| groups.def_use(value).and_then(|def_use| def_use.def).map(|(def, _)| def);
        // Products that read the result of an edge or compute its operand.
        let products_beside = |edge: &ReshardEdge| -> Vec<usize> {
            let def = def_of(edge.value);
            if self.graph.is_weight(edge.value) || def.is_some_and(is_gradient) {
                return Vec::new();
            }
            let uses = groups.def_use(edge.value).into_iter().flat_map(|def_use| &def_use.uses);
            let readers = uses.filter(|&&reader| self.use_site(reader) == edge.to).map(|reader| reader.0);
            // The products of a sum are computed in parts, too.
            let mut summands: Vec<usize> = def.into_iter().collect();
            let mut next = 0;
            while let Some(&node) = summands.get(next).filter(|_| next < MAX_SUMMANDS) {
                let operands = op(node).args.iter().filter(|_| is_sum(&op(node).kind)).filter_map(|&arg| def_of(arg));
                let new: Vec<usize> = operands.filter(|operand| !summands.contains(operand)).collect();
                summands.extend(new);
                next += 1;
            }
            let before = summands.into_iter().filter(is_product);
            readers.filter(is_product).chain(before).collect()
        };
        let beside: Vec<Vec<usize>> = edges.iter().map(products_beside).collect();
        let pricing = &mut self.pricing;
        let of_edge = |(edge, beside): (&ReshardEdge, Vec<usize>)| {
            if beside.is_empty() {
                return edge.clone();
            }
            let [sources, targets] = [edge.from, edge.to].map(|site| pricing.layouts(site.1).clone());
            let seconds_of = |node: usize, from: usize, to: usize| {
                let group = groups.nodes[node].group;
                let strategy = [(edge.to.0, to), (edge.from.0, from)].into_iter().find(|(of, _)| *of == group);
                strategy.map_or_else(
                    || kernels[node].iter().copied().fold(0.0, f64::max),
                    |(_, strategy)| kernels[node].get(strategy).copied().unwrap_or(0.0),
                )
            };
            let ty = program.ty(edge.value);
            let mut table = Vec::with_capacity(edge.table.len());
            for (from, &source) in sources.iter().enumerate() {
                for (to, &target) in targets.iter().enumerate() {
                    let hidden = beside.iter().map(|&node| seconds_of(node, from, to)).sum::<f64>();
                    let hidden = hidden / edge.times.max(1.0);
                    // Reductions whose results have the shards of their operands are not divided.
                    table.push(pricing.least_reshard_cost(
                        ty,
                        (source, target),
                        edge.bucketing,
                        &|have, need, seconds| {
                            if have.dims == need.dims { seconds } else { (seconds - hidden).max(0.0) }
                        },
                    ));
                }
            }
            ReshardEdge { table: table.into(), ..*edge }
        };
        edges.iter().zip(beside).map(of_edge).collect()
    }

    /// Returns true for an edge that reduces a gradient for the update.
    fn is_reduction(&self, edge: &ReshardEdge) -> bool {
        let def = self.graph.groups.def_use(edge.value).and_then(|def_use| def_use.def);
        edge.is_overlapped_reduction && def.is_some_and(|(def, _)| self.phase(def) == Phase::BackwardWeight)
    }

    /// Returns the nodes whose kernels run in the order of the program. Conversions of parameters and the count of
    /// steps can run at any time.
    fn kernels_in_order(&self, kernels: &[Vec<f64>]) -> FixedBitSet {
        let SearchGraph { program, groups, .. } = self.graph;
        let mut nodes = FixedBitSet::with_capacity(groups.nodes.len());
        let mut depends_on_data = FixedBitSet::with_capacity(groups.nodes.len());
        for (number, node) in groups.nodes.iter().enumerate() {
            let op = &program.ops[node.op];
            let def = |&arg: &_| groups.def_use(arg).and_then(|def_use| def_use.def);
            let is_data = !op.outs.iter().all(|&out| self.graph.is_weight(out)) && !is_recomputable(&op.kind);
            let follows = || op.args.iter().filter_map(def).any(|(def, _)| depends_on_data.contains(def));
            if is_data && (node.phase != Phase::Update || follows()) {
                depends_on_data.insert(number);
                nodes.set(number, kernels[number].first().is_some_and(|&seconds| seconds > 0.0));
            }
        }
        nodes
    }

    /// Returns all kernels.
    pub(super) fn every_kernel(&self, work: &StepWork) -> SerialWork {
        let mut nodes = FixedBitSet::with_capacity(work.kernels.len());
        nodes.insert_range(..);
        SerialWork { nodes, edges: FixedBitSet::with_capacity(work.edges.len()) }
    }

    /// Returns all kernels and collectives, which in most layouts are not serial.
    pub(super) fn everything(&self, work: &StepWork) -> SerialWork {
        let mut all = self.every_kernel(work);
        all.edges
            .extend((0..work.edges.len()).filter(|&edge| work.path_edges[edge].kind != PathEdgeKind::FirstReduction));
        all
    }

    /// Returns the kernels of the forward pass and of the gradients of activations, and the collectives that none of
    /// them can overlap with.
    pub(super) fn spine(&self, work: &StepWork) -> SerialWork {
        let SearchGraph { program, groups, .. } = self.graph;
        let node_count = groups.nodes.len();
        let def_of = |value| groups.def_use(value).and_then(|def_use| def_use.def).map(|(def, _)| def);
        let op = |node: usize| &program.ops[groups.nodes[node].op];
        let dependencies =
            Dependencies::new(node_count, |node| op(node).args.iter().filter_map(|&arg| def_of(arg)).collect());
        let before = &dependencies.before;
        let select = |selects: &dyn Fn(usize, Phase) -> bool| -> FixedBitSet {
            let mut nodes = FixedBitSet::with_capacity(node_count);
            nodes.extend(work.in_order.ones().filter(|&node| selects(node, groups.nodes[node].phase)));
            nodes
        };
        let gradients = select(&|node, phase| phase == Phase::BackwardWeight && op(node).kind.class().contracts());
        let mut forward = select(&|_, phase| matches!(phase, Phase::Forward | Phase::Recompute));
        gradients.ones().for_each(|gradient| forward.intersect_with(&before[gradient]));
        let mut nodes = select(&|node, phase| phase == Phase::BackwardInput && forward.is_subset(&before[node]));
        nodes.union_with(&forward);
        let readers = |edge: &ReshardEdge| -> Vec<usize> {
            let uses = groups.def_use(edge.value).into_iter().flat_map(|def_use| &def_use.uses);
            uses.filter(|&&reader| self.use_site(reader) == edge.to).map(|reader| reader.0).collect()
        };
        let is_exposed = |&number: &usize| {
            let edge = &work.edges[number];
            work.path_edges[number].kind == PathEdgeKind::InOrder
                && dependencies.is_exposed(&nodes, def_of(edge.value), &readers(edge))
        };
        let mut edges = FixedBitSet::with_capacity(work.edges.len());
        edges.extend((0..work.edges.len()).filter(is_exposed));
        SerialWork { nodes, edges }
    }

    /// Returns the kernels and collectives on the critical path with the given layouts.
    pub(super) fn critical_path(&self, work: &StepWork, choice: &[usize]) -> SerialWork {
        let kernel = |node: usize| {
            let counts = work.in_order.contains(node);
            if counts { work.kernels[node][choice[self.graph.groups.nodes[node].group]] } else { 0.0 }
        };
        let kernels: Vec<f64> = (0..work.kernels.len()).map(kernel).collect();
        let edges: Vec<f64> = work.edges.iter().map(|edge| self.edge_seconds(edge, choice)).collect();
        let path = critical_path(&kernels, &work.path_edges, &edges);
        let mut nodes = path.kernels;
        nodes.intersect_with(&work.in_order);
        SerialWork { nodes, edges: path.edges }
    }

    /// Returns the seconds of a selection of serial work with the given layouts.
    pub(super) fn selection_seconds(&self, work: &StepWork, selection: &SerialWork, choice: &[usize]) -> f64 {
        let nodes = selection.nodes.ones();
        let nodes = nodes.map(|node| work.kernels[node][choice[self.graph.groups.nodes[node].group]]);
        let edges = selection.edges.ones().map(|number| self.edge_seconds(&work.edges[number], choice));
        nodes.sum::<f64>() + edges.sum::<f64>()
    }

    fn edge_seconds(&self, edge: &ReshardEdge, choice: &[usize]) -> f64 {
        let width = self.pricing.layouts(edge.to.1).len();
        edge.times * edge.table[choice[edge.from.0] * width + choice[edge.to.0]]
    }
}

/// Recogniser: the bound contains the collectives after other ops.
fn is_sum(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Binary(binary) if binary.op == BinaryOp::Add)
}

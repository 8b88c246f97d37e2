//! Serial work of a step: kernels and collectives of which no two can overlap with any layouts. The sum of their
//! seconds is a lower bound of the time of the step.

use super::critical_path::{PathEdge, PathEdgeKind, critical_path};
use super::decision_groups::is_recomputable;
use super::layers::Layers;
use super::layout_space::LayoutSpace;
use super::pricing::Bucketing;
use super::problem_builder::ReshardEdge;
use super::search_graph::SearchGraph;
use fixedbitset::FixedBitSet;
use partita_cost::roofline::kernels::begins_launch;
use partita_ir::arena::Id;
use partita_ir::program::Phase;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Kernels and collectives of which no two can overlap.
pub(super) struct SerialWork {
    /// Nodes whose kernels are included.
    pub(super) nodes: FixedBitSet,
    /// Reshard edges that are included.
    pub(super) edges: FixedBitSet,
}

/// Kernels and collectives of a step with the seconds of each for all layouts.
pub(crate) struct StepWork {
    /// Least kernel seconds of each node for each strategy of its group.
    pub(super) kernels: Vec<Vec<f64>>,
    pub(super) edges: Vec<ReshardEdge>,
    /// Each edge as part of a path.
    path_edges: Vec<PathEdge>,
    /// Nodes whose kernels run in the order of the program.
    in_order: FixedBitSet,
}

/// Dependencies between the op nodes of a step, or of an iteration of its loops.
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

    /// Returns true if each of the nodes runs before the result of `def` is available, or runs `earlier`, or depends on
    /// one of `readers`.
    fn is_exposed(
        &self,
        nodes: &FixedBitSet,
        def: Option<usize>,
        earlier: &dyn Fn(usize) -> bool,
        readers: &[usize],
    ) -> bool {
        let is_before = |node: usize| def.is_some_and(|def| def == node || self.before[def].contains(node));
        let is_after = |node: usize| readers.iter().any(|&reader| reader == node || self.before[node].contains(reader));
        !readers.is_empty() && nodes.ones().all(|node| is_before(node) || earlier(node) || is_after(node))
    }
}

impl StepWork {
    /// Returns the number of costs of collectives.
    pub(super) fn entries(&self) -> usize {
        let mut tables: FxHashMap<(usize, usize), usize> = FxHashMap::default();
        self.edges.iter().for_each(|edge| {
            tables.insert((edge.from.0, edge.to.0), edge.table.len());
        });
        tables.into_values().sum()
    }
}

impl LayoutSpace<'_> {
    /// Returns the kernels and collectives of a step. `overlaps_products` is true if matrix products may overlap with
    /// the collectives beside them.
    pub(crate) fn step_work(&mut self, overlaps_products: bool) -> StepWork {
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
        let first_reader = |edge: &ReshardEdge| {
            let uses = self.graph.groups.def_use(edge.value).into_iter().flat_map(|def_use| &def_use.uses);
            uses.filter(|&&reader| self.use_site(reader) == edge.to).map(|reader| reader.0).min()
        };
        let path_edge = |(number, edge): (usize, &ReshardEdge)| {
            let reader = first_reader(edge);
            PathEdge {
                kind: match (self.is_reduction(edge), number < count) {
                    (true, true) if def_of(edge) == last => PathEdgeKind::LastReduction,
                    (true, true) => PathEdgeKind::NextReduction,
                    (true, false) => PathEdgeKind::FirstReduction,
                    (false, _) => PathEdgeKind::InOrder,
                },
                def: def_of(edge).map(|(def, _)| def),
                latest: reader,
                reader,
            }
        };
        let mut path_edges: Vec<PathEdge> = edges.iter().enumerate().map(path_edge).collect();
        let dependencies = self.dependencies();
        let nodes = 0..self.graph.groups.nodes.len();
        let waiting: Vec<Option<usize>> = nodes.map(|node| self.first_waiting(&dependencies, node)).collect();
        let reduced_bytes = self.least_reduced_bytes();
        let mut later = Vec::new();
        let in_order = |path: &PathEdge| path.kind == PathEdgeKind::InOrder && !self.pricing.prefetches_gathers();
        for (edge, path) in edges.iter_mut().zip(&path_edges).filter(|(_, path)| in_order(path)) {
            let Some(reader) = path.latest else { continue };
            let (reducing, moving) = self.reducing_and_moving(edge, reduced_bytes[edge.value.index()]);
            let moving = ReshardEdge { table: moving, ..edge.clone() };
            edge.table = reducing;
            later.push((moving, PathEdge::before(reader, waiting[reader])));
        }
        later.extend(self.sequence_exchanges(&kernels, &waiting));
        for (edge, path) in later {
            edges.push(edge);
            path_edges.push(path);
        }
        let in_order = self.kernels_in_order(&kernels);
        StepWork { kernels, edges, path_edges, in_order }
    }

    /// Returns the costs of an edge for layouts with partial sums, and for the others. A reduction may start anywhere
    /// between the op that computes its operand and the first reader, and another collective before the first reader.
    /// Reductions are at least of `reduced` bytes of all devices together.
    fn reducing_and_moving(&self, edge: &ReshardEdge, reduced: f64) -> (Rc<[f64]>, Rc<[f64]>) {
        let (sources, targets) = (self.pricing.layouts(edge.from.1), self.pricing.layouts(edge.to.1).len());
        let ty = self.graph.program.ty(edge.value);
        let devices: u32 = self.pricing.axes.iter().map(|axis| axis.size).product();
        // Fraction of the bytes of a value that are reduced later, in as many shards as possible.
        let fractions = sources.iter().map(|&source| {
            let summands: u32 = self.pricing.layout(source).partial.iter().map(|(axis, _)| axis.size).product();
            let shards = f64::from(devices / summands.max(1));
            let fraction = reduced / shards / (self.pricing.bytes(ty, source) as f64).max(1.0);
            let is_postponed = reduced < ty.bytes() as f64;
            // Forbidden layouts keep their infinite costs.
            (summands > 1).then_some(if is_postponed { fraction.clamp(f64::MIN_POSITIVE, 1.0) } else { 1.0 })
        });
        let fractions: Vec<Option<f64>> = fractions.collect();
        let select = |partial: bool| -> Rc<[f64]> {
            let seconds = |(at, &seconds): (usize, &f64)| match fractions[at / targets] {
                Some(fraction) if partial => seconds * fraction,
                None if !partial => seconds,
                Some(_) | None => 0.0,
            };
            edge.table.iter().enumerate().map(seconds).collect()
        };
        (select(true), select(false))
    }

    /// Returns the first kernel that certainly waits for a node: its own, if it begins a launch, or the first one that
    /// begins a launch and depends on it. Other ops may be fused with later ones.
    fn first_waiting(&self, dependencies: &Dependencies, node: usize) -> Option<usize> {
        let SearchGraph { program, groups, .. } = self.graph;
        let begins = |&later: &usize| begins_launch(program, &program.ops[groups.nodes[later].op]);
        let depends = |later: &usize| *later == node || dependencies.before[*later].contains(node);
        (node..groups.nodes.len()).filter(depends).find(begins)
    }

    fn dependencies(&self) -> Dependencies {
        let SearchGraph { program, groups, .. } = self.graph;
        let def_of = |value| groups.def_use(value).and_then(|def_use| def_use.def).map(|(def, _)| def);
        let args = |node: usize| program.ops[groups.nodes[node].op].args.iter();
        // A value that a loop carries is defined by a later node.
        let earlier = |node: usize| args(node).filter_map(|&arg| def_of(arg)).filter(move |&def| def < node);
        Dependencies::new(groups.nodes.len(), |node| earlier(node).collect())
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

    /// Returns all kernels, and the collectives that start before a kernel that waits for them: no other kernel runs
    /// between.
    pub(super) fn blocking(&self, work: &StepWork) -> SerialWork {
        let mut all = self.every_kernel(work);
        all.edges.extend((0..work.edges.len()).filter(|&edge| work.path_edges[edge].is_blocking()));
        all
    }

    /// Returns all kernels and collectives, which in most layouts are not serial.
    pub(super) fn everything(&self, work: &StepWork) -> SerialWork {
        let mut all = self.every_kernel(work);
        all.edges
            .extend((0..work.edges.len()).filter(|&edge| work.path_edges[edge].kind != PathEdgeKind::FirstReduction));
        all
    }

    /// Returns the kernels of the forward pass and of the gradients of activations, and the collectives that none of
    /// them can overlap with. The ops of a layer are on the same stage.
    pub(super) fn spine(&self, work: &StepWork, layers: &Layers) -> SerialWork {
        let SearchGraph { program, groups, .. } = self.graph;
        let node_count = groups.nodes.len();
        let def_of = |value| groups.def_use(value).and_then(|def_use| def_use.def).map(|(def, _)| def);
        let op = |node: usize| &program.ops[groups.nodes[node].op];
        let dependencies = self.dependencies();
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
            let (edge, path) = (&work.edges[number], &work.path_edges[number]);
            // A collective that starts before the first reader follows the earlier ops of its layer and pass.
            let place = |node: usize| (layers.node_layers()[node], groups.nodes[node].phase);
            let reader = path.latest.filter(|reader| path.starts_before(*reader) && *reader < node_count);
            let is_earlier = |node: usize| reader.is_some_and(|reader| node < reader && place(node) == place(reader));
            path.kind == PathEdgeKind::InOrder
                && dependencies.is_exposed(&nodes, def_of(edge.value), &is_earlier, &readers(edge))
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

//! Lower bound of the simulated time of a step over all layouts of a mesh.
//!
//! A device runs its kernels one after another and its collectives one after another. A collective can overlap with the
//! kernels that neither compute its operand nor need its result. Kernels and collectives of which no two can overlap
//! are *serial work*: the sum of their seconds bounds the time of the step. Which layouts minimise the sum depends on
//! the selected work, and each weighted mean of several selections is a bound as well. Branch and bound minimises a
//! mean over all layouts; the weights with the largest bound are approximated by cutting planes (Kelley 1960).

use super::branch_and_bound::branch_and_bound;
use super::decision_groups::is_recomputable;
use super::layout_space::LayoutSpace;
use super::pricing::OpWork;
use super::problem::Problem;
use super::problem_builder::ReshardEdge;
use super::search_graph::SearchGraph;
use super::strategies::{factor_axes, splitting_axes, strategies};
use crate::limits::{BoundLimits, Effort};
use fixedbitset::FixedBitSet;
use partita_ir::arena::OpId;
use partita_ir::mesh::DeviceMesh;
use partita_ir::program::Phase;
use rustc_hash::FxHashMap;

/// Kernels and collectives of which no two can overlap.
struct SerialWork {
    /// Nodes whose kernels are included.
    nodes: FixedBitSet,
    /// Reshard edges that are included.
    edges: FixedBitSet,
}

/// Number of selections of serial work.
const SELECTIONS: usize = 4;

/// Weights of the second selection alone.
const SPINE_ALONE: [f64; SELECTIONS] = [0.0, 1.0, 0.0, 0.0];

/// Lower bounds of the seconds of a step.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub(crate) struct LeastSeconds {
    /// The whole step.
    pub(crate) step: f64,
    /// The forward pass and the gradients of activations, which depend on each other.
    pub(crate) spine: f64,
}

/// Seconds of each selection of serial work.
type SelectionSeconds = [f64; SELECTIONS];

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

impl LayoutSpace<'_> {
    /// Returns lower bounds of the seconds of a step over all layouts of `mesh`.
    pub(crate) fn least_step_seconds(&mut self, mesh: &DeviceMesh, effort: &Effort) -> LeastSeconds {
        let kernels = self.least_kernel_seconds(mesh);
        let edges = self.reshard_edges(true);
        let selections = self.serial_work(&kernels, &edges);
        let mut least = LeastSeconds::default();
        let mut found: Vec<SelectionSeconds> = Vec::new();
        for round in 0..BoundLimits::TUNED.rounds {
            let (weights, most) = if round == 0 { (SPINE_ALONE, f64::INFINITY) } else { best_weights(&found) };
            if most <= least.step * (1.0 + BoundLimits::TUNED.gap) {
                break;
            }
            let problem = self.weighted_problem(&kernels, &edges, &selections, weights);
            let Some(solution) = branch_and_bound(&problem, effort) else { break };
            least.step = least.step.max(solution.bound);
            if round == 0 {
                least.spine = solution.bound;
            }
            found.push(self.selection_seconds(&kernels, &edges, &selections, &solution.choice));
        }
        least
    }

    /// Returns the selections of serial work: the kernels of the passes and the update, with the collectives that none
    /// of them can overlap with; the forward pass and the gradients of activations, likewise; the forward pass with all
    /// collectives after it, which share one queue; and all kernels. The first three leave out kernels that neither
    /// contribute to all gradients nor depend on the whole forward pass, such as conversions of parameters or the count
    /// of steps, since these can run at any time.
    fn serial_work(&self, kernels: &[Vec<f64>], edges: &[ReshardEdge]) -> [SerialWork; SELECTIONS] {
        let SearchGraph { program, groups, .. } = self.graph;
        let (node_count, edge_count) = (groups.nodes.len(), edges.len());
        let op = |node: usize| &program.ops[groups.nodes[node].op];
        let select = |selects: &dyn Fn(usize, Phase) -> bool| -> FixedBitSet {
            let runs = |node: usize| kernels[node].first().is_some_and(|&seconds| seconds > 0.0);
            let is_data = |node: usize| !op(node).outs.iter().all(|&out| self.graph.is_weight(out));
            let is_selected = |node: usize| {
                runs(node)
                    && !is_recomputable(&op(node).kind)
                    && is_data(node)
                    && selects(node, groups.nodes[node].phase)
            };
            let mut nodes = FixedBitSet::with_capacity(node_count);
            nodes.extend((0..node_count).filter(|&node| is_selected(node)));
            nodes
        };
        let no_edges = || FixedBitSet::with_capacity(edge_count);
        let mut everything = FixedBitSet::with_capacity(node_count);
        everything.insert_range(..);
        if program.funcs_with_layouts().len() > 1 {
            return [(); SELECTIONS].map(|()| SerialWork { nodes: everything.clone(), edges: no_edges() });
        }
        let def_of = |value| groups.def_use(value).and_then(|def_use| def_use.def).map(|(def, _)| def);
        let dependencies =
            Dependencies::new(node_count, |node| op(node).args.iter().filter_map(|&arg| def_of(arg)).collect());
        let before = &dependencies.before;

        let gradients = select(&|node, phase| phase == Phase::BackwardWeight && op(node).kind.class().contracts());
        let mut forward = select(&|_, phase| matches!(phase, Phase::Forward | Phase::Recompute));
        gradients.ones().for_each(|gradient| forward.intersect_with(&before[gradient]));
        let follows = |node: usize| forward.is_subset(&before[node]);
        let backward =
            select(&|node, phase| matches!(phase, Phase::BackwardInput | Phase::BackwardWeight) && follows(node));
        let update = select(&|node, phase| phase == Phase::Update && !before[node].is_disjoint(&backward));
        let mut spine = select(&|node, phase| phase == Phase::BackwardInput && follows(node));
        spine.union_with(&forward);
        let mut all = forward.clone();
        all.union_with(&backward);
        all.union_with(&update);

        let readers = |edge: &ReshardEdge| -> Vec<usize> {
            let uses = groups.def_use(edge.value).into_iter().flat_map(|def_use| &def_use.uses);
            uses.filter(|&&reader| self.use_site(reader) == edge.to).map(|reader| reader.0).collect()
        };
        let exposed = |nodes: &FixedBitSet| {
            let mut exposed = no_edges();
            let is_exposed =
                |at: &usize| dependencies.is_exposed(nodes, def_of(edges[*at].value), &readers(&edges[*at]));
            exposed.extend((0..edge_count).filter(is_exposed));
            exposed
        };
        let mut queued = exposed(&forward);
        let is_queued = |at: &usize| def_of(edges[*at].value).is_some_and(follows);
        queued.extend((0..edge_count).filter(is_queued));
        [
            SerialWork { edges: exposed(&all), nodes: all },
            SerialWork { edges: exposed(&spine), nodes: spine },
            SerialWork { nodes: forward, edges: queued },
            SerialWork { nodes: everything, edges: no_edges() },
        ]
    }

    /// Returns a lower bound of the kernel seconds of each node in a step, for each strategy of its group.
    fn least_kernel_seconds(&self, mesh: &DeviceMesh) -> Vec<Vec<f64>> {
        let (groups, axes) = (&self.graph.groups, splitting_axes(mesh));
        let work: FxHashMap<OpId, OpWork> = self.pricing.least_work();
        let mut seconds: Vec<Vec<f64>> = vec![Vec::new(); groups.nodes.len()];
        for group in &groups.all {
            let all = strategies(group, &self.graph.model, &axes);
            for &number in &group.nodes {
                let node = &groups.nodes[number];
                let has_inner = !self.graph.program.ops[node.op].kind.class().contracts();
                let of_strategy = |strategy| {
                    let Some(work) = work.get(&node.op) else { return 0.0 };
                    let factors = factor_axes(node, strategy, &axes, has_inner);
                    node.times as f64 * self.pricing.least_seconds(node, work, &factors)
                };
                seconds[number] = all.iter().map(of_strategy).collect();
            }
        }
        seconds
    }

    /// Returns the problem of minimising the weighted mean of selections of serial work.
    fn weighted_problem(
        &self,
        kernels: &[Vec<f64>],
        edges: &[ReshardEdge],
        selections: &[SerialWork; SELECTIONS],
        weights: [f64; SELECTIONS],
    ) -> Problem {
        let weight = |includes: &dyn Fn(&SerialWork) -> bool| -> f64 {
            selections.iter().zip(weights).filter(|(selection, _)| includes(selection)).map(|(_, weight)| weight).sum()
        };
        // Strategies that the constraints rule out have infinite cost.
        let allowed = |&seconds: &f64| if seconds.is_finite() { 0.0 } else { f64::INFINITY };
        let mut unary: Vec<Vec<f64>> =
            self.strategy_table.seconds.iter().map(|all| all.iter().map(allowed).collect()).collect();
        for (number, (node, seconds)) in self.graph.groups.nodes.iter().zip(kernels).enumerate() {
            let weight = weight(&|selection| selection.nodes.contains(number));
            unary[node.group].iter_mut().zip(seconds).for_each(|(sum, seconds)| *sum += weight * seconds);
        }
        let weighted = edges.iter().enumerate().map(|(number, edge)| {
            let weight = weight(&|selection| selection.edges.contains(number));
            (edge, weight * edge.times)
        });
        let mut problem = Problem::default();
        problem.add_edges(&mut unary, weighted);
        problem
    }

    /// Returns the seconds of each selection of serial work with the given layouts.
    fn selection_seconds(
        &self,
        kernels: &[Vec<f64>],
        edges: &[ReshardEdge],
        selections: &[SerialWork; SELECTIONS],
        choice: &[usize],
    ) -> SelectionSeconds {
        selections.each_ref().map(|selection| {
            let nodes = selection.nodes.ones().map(|node| kernels[node][choice[self.graph.groups.nodes[node].group]]);
            let edges = selection.edges.ones().map(|number| {
                let edge = &edges[number];
                let width = self.pricing.layouts(edge.to.1).len();
                edge.times * edge.table[choice[edge.from.0] * width + choice[edge.to.0]]
            });
            nodes.sum::<f64>() + edges.sum::<f64>()
        })
    }
}

/// Returns the weights whose smallest mean over the found layouts is largest, on a grid, and this mean.
fn best_weights(found: &[SelectionSeconds]) -> ([f64; SELECTIONS], f64) {
    let steps = BoundLimits::TUNED.weight_steps;
    let grid = (0..=steps).flat_map(|a| (0..=steps - a).map(move |b| (a, b)));
    let grid = grid.flat_map(|(a, b)| (0..=steps - a - b).map(move |c| [a, b, c, steps - a - b - c]));
    let means = grid.map(|grid| {
        let weights = grid.map(|weight| weight as f64 / steps as f64);
        let mean = |seconds: &SelectionSeconds| seconds.iter().zip(weights).map(|(s, weight)| s * weight).sum::<f64>();
        (weights, found.iter().map(mean).fold(f64::INFINITY, f64::min))
    });
    means.max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((SPINE_ALONE, f64::INFINITY))
}

//! Layouts on one mesh: selection of a strategy for each group that minimises the step time (Alpa; Zheng et al. 2022,
//! section 4).

use super::allowance::Allowance;
use super::branch_and_bound::{Solution, branch_and_bound};
use super::decision_groups::{DefUse, is_recomputable};
use super::pricing::{LayoutListId, LayoutPricing};
use super::problem::Problem;
use super::problem_builder::{ProblemBuilder, ReshardEdge};
use super::search_graph::SearchGraph;
use super::strategies::SplittingAxes;
use super::strategy_table::StrategyTable;
use crate::limits::{Effort, SearchLimits};
use partita_cost::placement::CollectiveCosts;
use partita_cost::roofline::Efficiencies;
use partita_ir::arena::{MeshId, ValueId};
use partita_ir::layout::Layout;
use partita_ir::mesh::DeviceMesh;
use partita_ir::program::Phase;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A mesh placed on devices of a machine.
#[derive(Clone, Copy)]
pub struct MeshPlacement<'a> {
    /// The mesh.
    pub mesh: &'a DeviceMesh,
    /// Machine device of each rank of the mesh.
    pub devices: &'a [usize],
    /// The machine.
    pub machine: &'a Machine,
    /// Prices of the machine's collectives.
    pub prices: &'a Prices<'a>,
    /// Achieved fractions of data sheet rates.
    pub efficiencies: &'a Efficiencies,
}

/// Assumptions about the execution of a step that affect its cost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Assumptions {
    /// Overlap of gradient reductions and backward pass. `None` for the worst case of [`Overlap::EXTREMES`].
    pub overlap: Option<Overlap>,
    /// True if parameters and optimizer state can be stored sharded while they are used replicated, as in ZeRO.
    pub sharded_storage: bool,
    /// Memory limit of the layouts.
    pub memory: MemoryLimit,
}

/// Fractions of time that count if gradient reductions overlap with the rest of the backward pass.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Overlap {
    /// Fraction of the time of gradient reductions.
    pub reductions: f64,
    /// Fraction of the time of backward kernels.
    pub backward: f64,
}

impl Overlap {
    /// The two extreme cases. Either compute takes longer, and only the remainder of the reductions after it counts; or
    /// the reductions take longer, and only the compute before the first reduction counts.
    pub const EXTREMES: [Overlap; 2] =
        [Overlap { reductions: 0.3, backward: 1.0 }, Overlap { reductions: 1.0, backward: 0.4 }];

    /// Interpolates between the first extreme (`share` 0) and the second (`share` 1).
    fn interpolate(share: f64) -> Overlap {
        let [a, b] = Overlap::EXTREMES;
        let mix = |a: f64, b: f64| a + share * (b - a);
        Overlap { reductions: mix(a.reductions, b.reductions), backward: mix(a.backward, b.backward) }
    }
}

/// Memory limit of one device of each stage; the stages together store the step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MemoryLimit {
    /// Limit in bytes.
    pub bytes: f64,
    /// Number of micro-batches with stored activations. 0 if activations are recomputed.
    pub live_micro_batches: f64,
}

/// Layouts of all values of a step on one mesh with minimum cost.
#[derive(Clone, Debug)]
pub struct ChosenLayouts {
    /// Layouts of parameters, optimizer state and inputs of the main function. Parameters have their layout in use.
    pub inputs: Vec<(ValueId, Layout)>,
    /// Layouts of op results in program order. Constants are omitted, since they are recomputed where needed.
    pub values: Vec<(ValueId, Layout)>,
    /// Storage layouts of weights that differ from the layout in use.
    pub stores: Vec<(ValueId, Layout)>,
    /// Reduced layouts of gradients that only the update reads.
    pub gradients: Vec<(ValueId, Layout)>,
    /// Estimated seconds and a lower bound over all layouts.
    pub solution: Solution,
}

impl ChosenLayouts {
    /// Returns true if all values have the same layouts as in `other`.
    pub fn has_same_layouts(&self, other: &ChosenLayouts) -> bool {
        (&self.inputs, &self.values, &self.stores, &self.gradients)
            == (&other.inputs, &other.values, &other.stores, &other.gradients)
    }
}

/// All layouts that a step can have on a mesh, with their costs.
pub struct LayoutSpace<'a> {
    pub(crate) graph: &'a SearchGraph<'a>,
    pub(crate) pricing: LayoutPricing<'a>,
    pub(crate) strategy_table: StrategyTable,
    /// Cached reshard edges, without and with separate storage layouts of weights.
    pub(crate) known_edges: [Option<Rc<[ReshardEdge]>>; 2],
}

impl<'a> LayoutSpace<'a> {
    /// Creates the layout space of a step. Returns `None` if the placement has no devices.
    pub fn new(graph: &'a SearchGraph<'a>, on: MeshPlacement<'a>) -> Option<LayoutSpace<'a>> {
        LayoutSpace::with_axes(graph, on, SplittingAxes::new(on.mesh, false))
    }

    /// Creates the layout space of a step with lower bounds of costs: mesh axes of the same size are interchangeable.
    /// Returns `None` if the placement has no devices.
    pub(crate) fn with_interchangeable_axes(
        graph: &'a SearchGraph<'a>,
        on: MeshPlacement<'a>,
    ) -> Option<LayoutSpace<'a>> {
        LayoutSpace::with_axes(graph, on, SplittingAxes::new(on.mesh, true))
    }

    fn with_axes(graph: &'a SearchGraph<'a>, on: MeshPlacement<'a>, axes: SplittingAxes) -> Option<LayoutSpace<'a>> {
        let kind = on.machine.slowest_kind(on.devices.iter().copied())?;
        let devices = axes.exchanged_devices(on.mesh, on.devices).into_iter();
        let collectives =
            devices.map(|devices| CollectiveCosts::new(on.machine, on.prices, on.mesh, devices)).collect();
        let mut pricing = LayoutPricing::new(graph, (MESH, axes), (kind, on.efficiencies), collectives);
        let strategy_table = StrategyTable::new(graph, &mut pricing);
        Some(LayoutSpace { graph, pricing, strategy_table, known_edges: Default::default() })
    }

    /// Limits the work that may be spent on prices.
    pub(crate) fn allow(&mut self, allowance: Allowance) {
        self.pricing.allowance = allowance;
    }

    /// Returns true if prices are arbitrary, because the work that may be spent on them is spent.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.pricing.allowance.is_spent()
    }

    /// Returns the layouts with minimum cost. Returns `None` if none fit into memory.
    pub fn best(&mut self, assumptions: &Assumptions, effort: &Effort) -> Option<ChosenLayouts> {
        let solution = match assumptions.overlap {
            Some(overlap) => branch_and_bound(&self.build_problem(assumptions, overlap), effort)?,
            None => self.minimise_worst_case(assumptions, effort)?,
        };
        Some(self.chosen(solution))
    }

    /// Returns the layouts of a solution.
    pub(crate) fn chosen(&self, solution: Solution) -> ChosenLayouts {
        let SearchGraph { program, groups, .. } = self.graph;
        let stored = self.stored(&solution.choice);
        let used: FxHashMap<ValueId, &Layout> = stored.iter().map(|one| (one.value, &one.used)).collect();
        let layout_of = |value: ValueId| -> Option<Layout> {
            if let Some(&used) = used.get(&value) {
                return Some(used.clone());
            }
            let (group, layouts) = self.def_site(groups.def_use(value)?)?;
            Some(self.layout(layouts, solution.choice[group]).clone())
        };
        let reduced = |value: ValueId| {
            let (group, layouts) = self.reduced_gradient_site(groups.def_use(value)?)?;
            Some(self.layout(layouts, solution.choice[group]).clone())
        };
        let inputs = program.inputs().iter().filter_map(|&v| Some((v, layout_of(v)?))).collect();
        let (mut values, mut gradients) = (Vec::new(), Vec::new());
        for node in groups.nodes.iter().filter(|node| !is_recomputable(&program.ops[node.op].kind)) {
            let outs = program.ops[node.op].outs.iter();
            values.extend(outs.clone().filter_map(|&out| Some((out, layout_of(out)?))));
            gradients.extend(outs.filter_map(|&out| Some((out, reduced(out)?))));
        }
        // Values carried by loops.
        for op in program.funcs_with_layouts().iter().flat_map(|&f| program.funcs[f].ops()).map(|&op| &program.ops[op])
        {
            let Some(body) = op.kind.func() else { continue };
            let carried = program.funcs[body].inputs.iter().chain(&op.outs);
            values.extend(carried.filter_map(|&value| Some((value, layout_of(value)?))));
        }
        let stores = stored.into_iter().map(|one| (one.value, one.storage)).collect();
        ChosenLayouts { inputs, values, stores, gradients, solution }
    }

    /// Minimises the maximum cost over [`Overlap::EXTREMES`]. The minimum cost at any interpolation of the two is a
    /// lower bound of the maximum for every assignment.
    fn minimise_worst_case(&mut self, assumptions: &Assumptions, effort: &Effort) -> Option<Solution> {
        let extremes = Overlap::EXTREMES.map(|overlap| self.build_problem(assumptions, overlap));
        let mut best: Option<Solution> = None;
        let (mut low, mut high) = (0.0, 1.0);
        for share in [Some(0.0), Some(1.0), None, None] {
            let share = share.unwrap_or((low + high) / 2.0);
            let found = match share {
                0.0 => branch_and_bound(&extremes[0], effort),
                1.0 => branch_and_bound(&extremes[1], effort),
                _ => branch_and_bound(&self.build_problem(assumptions, Overlap::interpolate(share)), effort),
            }?;
            let [first, second] = [extremes[0].cost(&found.choice), extremes[1].cost(&found.choice)];
            let cost = first.max(second);
            let known = best.as_ref().map_or((0.0, 0.0), |best| (best.bound, best.unlimited_bound));
            let (bound, unlimited_bound) = (found.bound.max(known.0), found.unlimited_bound.max(known.1));
            best = Some(match best {
                Some(best) if best.cost <= cost => Solution { bound, unlimited_bound, ..best },
                _ => Solution { cost, bound, unlimited_bound, ..found },
            });
            let is_done =
                best.as_ref().is_some_and(|best| best.gap() <= effort.gap.max(SearchLimits::TUNED.interpolation_gap));
            // One extreme is sufficient if the other one costs less for the same assignment.
            if is_done || (share == 0.0 && second <= first) || (share == 1.0 && first <= second) {
                break;
            }
            if second > first {
                low = share;
            } else {
                high = share;
            }
        }
        best
    }

    /// Builds the problem of choosing the strategy of each group.
    pub fn build_problem(&mut self, assumptions: &Assumptions, overlap: Overlap) -> Problem {
        ProblemBuilder::new(self, assumptions, overlap).build()
    }

    /// Restricts the layouts of a value to those that `may` accepts. Returns false and changes nothing if `may` accepts
    /// none.
    pub fn restrict(&mut self, value: ValueId, may: impl Fn(&Layout) -> bool) -> bool {
        let Some(def_use) = self.graph.groups.def_use(value) else { return true };
        let outside = self.first_use_site(def_use).filter(|_| def_use.def.is_none());
        let Some(first) = outside.or_else(|| self.def_site(def_use)) else { return true };
        let has_some = self.restrict_at(first, &may);
        // A restriction of a weight also applies to its storage layout.
        if let Some(storage) = self.storage_site(def_use).filter(|_| has_some) {
            self.restrict_at(storage, &may);
        }
        has_some
    }

    /// Restricts the layouts at a site to those that `may` accepts. Returns false and changes nothing if `may` accepts
    /// none.
    pub(crate) fn restrict_at(&mut self, (group, layouts): LayoutSite, may: &impl Fn(&Layout) -> bool) -> bool {
        let seconds = &mut self.strategy_table.seconds[group];
        let fits: Vec<bool> = (self.pricing.layouts(layouts).iter().zip(&*seconds))
            .map(|(&layout, seconds)| seconds.is_finite() && may(self.pricing.layout(layout)))
            .collect();
        if !fits.contains(&true) {
            return false;
        }
        for (seconds, _) in seconds.iter_mut().zip(fits).filter(|(_, fits)| !fits) {
            *seconds = f64::INFINITY;
        }
        true
    }

    /// Returns the site of a value: the layouts produced by its definition; for an input of the program, its storage
    /// layouts or those required by its first use.
    pub(crate) fn def_site(&self, def_use: &DefUse) -> Option<LayoutSite> {
        match def_use.def {
            Some((node, result)) => {
                let layouts = self.strategy_table.ops[node].results[result];
                Some((self.graph.groups.nodes[node].group, layouts))
            }
            None => self.storage_site(def_use).or_else(|| def_use.uses.first().map(|&reader| self.use_site(reader))),
        }
    }

    /// Returns the site of a use: the layouts that the op requires for an operand.
    pub(crate) fn use_site(&self, (node, operand): (usize, usize)) -> LayoutSite {
        let layouts = self.strategy_table.ops[node].operands[operand];
        (self.graph.groups.nodes[node].group, layouts)
    }

    pub(crate) fn layout(&self, layouts: LayoutListId, option: usize) -> &Layout {
        self.pricing.layout(self.pricing.layouts(layouts)[option])
    }

    pub(crate) fn phase(&self, node: usize) -> Phase {
        self.graph.groups.nodes[node].phase
    }

    /// Returns the site of a gradient that only the update reads: it is reduced to the layout required by the update
    /// where it is computed.
    pub(crate) fn reduced_gradient_site(&self, def_use: &DefUse) -> Option<LayoutSite> {
        let is_update = |node: usize| self.phase(node) == Phase::Update;
        let first = def_use.uses.first()?;
        let is_last =
            def_use.def.is_some_and(|(def, _)| !is_update(def)) && def_use.uses.iter().all(|r| is_update(r.0));
        is_last.then(|| self.use_site(*first))
    }
}

/// Id of the only mesh of a partitioned step.
const MESH: MeshId = MeshId(0);

/// A group, and the layouts of a value under each strategy of that group.
pub(crate) type LayoutSite = (usize, LayoutListId);

//! Construction of the problem of choosing layouts: costs and memory limits.

use super::decision_groups::{DefUse, OpNode, is_recomputable};
use super::layout_space::{Assumptions, LayoutSite, LayoutSpace, MemoryLimit, Overlap};
use super::pricing::{Bucketing, LayoutId};
use super::problem::{Limit, Problem};
use super::search_graph::SearchGraph;
use super::strategy_table::StrategyTable;
use partita_ir::arena::ValueId;
use partita_ir::program::Phase;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Builder of the problem.
pub(crate) struct ProblemBuilder<'w, 'a> {
    layouts: &'w mut LayoutSpace<'a>,
    assumptions: &'w Assumptions,
    overlap: Overlap,
    problem: Problem,
}

/// Resharding of a value between two sites, with a cost for each pair of strategies.
#[derive(Clone)]
pub(crate) struct ReshardEdge {
    pub(crate) value: ValueId,
    pub(crate) from: LayoutSite,
    pub(crate) to: LayoutSite,
    pub(crate) table: Rc<[f64]>,
    pub(crate) bucketing: Bucketing,
    /// Number of executions in a step.
    pub(crate) times: f64,
    /// True for the reduction of a gradient that can overlap with the backward pass.
    pub(crate) is_overlapped_reduction: bool,
}

impl ReshardEdge {
    /// Returns the factor by which the resharding time counts.
    fn weight(&self, overlap: Overlap) -> f64 {
        if self.is_overlapped_reduction { self.times * overlap.reductions } else { self.times }
    }
}

/// Lifetime of a value that outlives the ops around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lifetime {
    /// Lifetime across steps.
    Always,
    /// Lifetime from the forward to the backward pass of each micro-batch.
    ForwardToBackward,
    /// Lifetime from the forward to the backward pass of all micro-batches: low-precision copies of weights.
    WeightCopy,
    /// Lifetime from the backward pass to the update.
    BackwardToUpdate,
}

impl<'w, 'a> ProblemBuilder<'w, 'a> {
    /// Creates a builder for the given layouts and assumptions.
    pub(crate) fn new(
        layouts: &'w mut LayoutSpace<'a>,
        assumptions: &'w Assumptions,
        overlap: Overlap,
    ) -> ProblemBuilder<'w, 'a> {
        ProblemBuilder { layouts, assumptions, overlap, problem: Problem::default() }
    }

    /// Builds the problem.
    pub(crate) fn build(mut self) -> Problem {
        let StrategyTable { seconds, backward, .. } = &self.layouts.strategy_table;
        let hidden_backward = 1.0 - self.overlap.backward;
        let counted = |(all, backward): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
            all.iter().zip(backward).map(|(all, backward)| all - hidden_backward * backward).collect()
        };
        let mut unary: Vec<Vec<f64>> = seconds.iter().zip(backward).map(counted).collect();
        let edges = self.layouts.reshard_edges(self.assumptions.sharded_storage);
        let overlap = self.overlap;
        self.problem.add_edges(&mut unary, edges.iter().map(|edge| (edge, edge.weight(overlap))));
        if self.assumptions.memory.bytes.is_finite() {
            self.bound_memory();
        }
        self.problem
    }

    fn graph(&self) -> &'a SearchGraph<'a> {
        self.layouts.graph
    }

    /// Adds limits for the memory between forward and backward pass and during the update.
    fn bound_memory(&mut self) {
        let program = self.graph().program;
        let MemoryLimit { bytes: capacity, live_micro_batches } = self.assumptions.memory;
        let mut always: Vec<Vec<f64>> =
            self.layouts.strategy_table.seconds.iter().map(|all| vec![0.0; all.len()]).collect();
        let (mut forward_to_backward, mut backward_to_update) = (always.clone(), always.clone());
        for (value, lifetime, (group, layouts)) in self.layouts.long_lived_values() {
            let (held, times) = match lifetime {
                Lifetime::Always => (&mut always, 1.0),
                Lifetime::ForwardToBackward => (&mut forward_to_backward, live_micro_batches),
                Lifetime::WeightCopy => (&mut forward_to_backward, live_micro_batches.min(1.0)),
                Lifetime::BackwardToUpdate => (&mut backward_to_update, 1.0),
            };
            let ty = program.ty(value);
            for (bytes, &layout) in held[group].iter_mut().zip(self.layouts.pricing.layouts(layouts).iter()) {
                *bytes += times * self.layouts.pricing.bytes(ty, layout) as f64;
            }
        }
        for more in [forward_to_backward, backward_to_update] {
            let sum = |(always, more): (&Vec<f64>, Vec<f64>)| always.iter().zip(more).map(|(a, b)| a + b).collect();
            let usage: Vec<Vec<f64>> = always.iter().zip(more).map(sum).collect();
            let usage =
                usage.into_iter().enumerate().filter(|(_, uses)| uses.iter().any(|&bytes| bytes > 0.0)).collect();
            self.problem.add_limit(Limit { capacity, usage });
        }
    }
}

impl Problem {
    /// Adds a variable with costs for each group, and the weighted costs of reshard edges between groups.
    pub(crate) fn add_edges<'e>(
        &mut self,
        unary: &mut [Vec<f64>],
        edges: impl Iterator<Item = (&'e ReshardEdge, f64)>,
    ) {
        // Sums the reshard edges between the same two groups.
        let mut sums: FxHashMap<(usize, usize), Vec<f64>> = FxHashMap::default();
        let mut order: Vec<(usize, usize)> = Vec::new();
        for (one, weight) in edges {
            let table = &one.table;
            let ((from, _), (to, _)) = (one.from, one.to);
            if from == to {
                let n = unary[from].len();
                unary[from].iter_mut().enumerate().for_each(|(i, cost)| *cost += scaled(weight, table[i * n + i]));
                continue;
            }
            let sum = sums.entry((from, to)).or_insert_with(|| {
                order.push((from, to));
                vec![0.0; table.len()]
            });
            sum.iter_mut().zip(table.iter()).for_each(|(sum, cost)| *sum += scaled(weight, *cost));
        }
        for costs in unary {
            self.add_variable(costs);
        }
        for (from, to) in order {
            self.add_pair(from, to, &sums[&(from, to)]);
        }
    }
}

impl<'a> LayoutSpace<'a> {
    /// Returns all reshard edges. With `sharded_storage`, storage layouts of weights can differ from the layout in use.
    pub(crate) fn reshard_edges(&mut self, sharded_storage: bool) -> Rc<[ReshardEdge]> {
        if let Some(known) = &self.known_edges[usize::from(sharded_storage)] {
            return known.clone();
        }
        let mut edges = Vec::new();
        for (value, def_use) in self.sorted_values() {
            self.add_reshard_edges(value, def_use, sharded_storage, &mut edges);
        }
        self.known_edges[usize::from(sharded_storage)].insert(edges.into()).clone()
    }

    fn add_reshard_edges(
        &mut self,
        value: ValueId,
        def_use: &DefUse,
        sharded_storage: bool,
        edges: &mut Vec<ReshardEdge>,
    ) {
        let SearchGraph { program, groups, .. } = self.graph;
        let Some(def_site) = self.def_site(def_use) else { return };
        let ty = program.ty(value);
        let storage = def_use.storage.map(|storage| &groups.storages[storage]);
        if def_use.def.is_some_and(|(node, _)| is_recomputable(&program.ops[groups.nodes[node].op].kind)) {
            return;
        }
        let mut sites: Vec<(LayoutSite, (f64, bool), Bucketing)> = Vec::new();
        // Each pass reshards the weight once.
        let mut parts = storage.map(|storage| f64::from(storage.pass_count));
        for reader in &def_use.uses {
            let site = self.use_site(*reader);
            // A gradient accumulated by a loop is available only at its end, so that its reduction cannot overlap.
            let is_loop_result = def_use.def.is_some_and(|(def, _)| groups.nodes[def].times > 1);
            let (times, is_overlapped_reduction, bucketing) = match self.phase(reader.0) {
                Phase::Update => (1.0, !is_loop_result, Bucketing::Bucketed),
                _ => (parts.take().unwrap_or(1.0), false, Bucketing::Separate),
            };
            let times = times * groups.nodes[reader.0].times as f64;
            if !sites.iter().any(|(known, ..)| *known == site) {
                sites.push((site, (times, is_overlapped_reduction), bucketing));
            }
        }
        for param in self.replaced_params(value) {
            if let Some(site) = groups.def_use(param).and_then(|def_use| self.def_site(def_use)) {
                sites.push((site, (1.0, false), Bucketing::Separate));
            }
        }
        if def_use.uses.is_empty() && program.outputs().iter().any(|output| output.value == value) {
            sites.push((
                (def_site.0, self.pricing.without_partial_sums(def_site.1)),
                (1.0, false),
                Bucketing::Separate,
            ));
        }
        let storage_site = self.storage_site(def_use).unwrap_or(def_site);
        if let Some((def, _)) = def_use.def.filter(|_| storage_site != def_site) {
            sites.insert(0, (storage_site, (groups.nodes[def].times as f64, false), Bucketing::Separate));
        }
        // Other uses start from the site of the first use, and the update from the storage site.
        let is_tied = self.graph.is_weight(value) && !sharded_storage;
        let mut source = def_site;
        for (site, (times, is_overlapped_reduction), bucketing) in sites {
            let from = if storage.is_some() && bucketing == Bucketing::Bucketed { storage_site } else { source };
            let pricing = &mut self.pricing;
            let table = match is_tied {
                true => equality_table(pricing.layouts(from.1), pricing.layouts(site.1)),
                false => pricing.reshard_table(ty, from.1, site.1, bucketing),
            };
            edges.push(ReshardEdge { value, from, to: site, table, bucketing, times, is_overlapped_reduction });
            let is_first = source == def_site || source == storage_site;
            if is_first && from == source && site.0 != source.0 {
                source = site;
            }
        }
    }

    /// Returns the parameters that a result replaces.
    fn replaced_params(&self, value: ValueId) -> Vec<ValueId> {
        let updates = self.graph.model.updates.iter();
        updates.filter(|(_, new)| *new == value).map(|(param, _)| *param).collect()
    }

    /// Returns all values with definitions or uses in ascending order. Scalars are included, since they can be sums
    /// that other ops wait for.
    fn sorted_values(&self) -> Vec<(ValueId, &'a DefUse)> {
        let mut order: Vec<(ValueId, &DefUse)> =
            self.graph.groups.def_uses.iter().map(|(v, def_use)| (*v, def_use)).collect();
        order.sort_by_key(|(value, _)| *value);
        order
    }

    /// Returns the values that outlive the ops around them, with their lifetime and site.
    fn long_lived_values(&self) -> Vec<(ValueId, Lifetime, LayoutSite)> {
        let lifetime = |value: ValueId, def_use: &DefUse| {
            let is_read = |is: fn(Phase) -> bool| def_use.uses.iter().any(|reader| is(self.phase(reader.0)));
            match def_use.def.map(|(def, _)| self.phase(def)) {
                None => Some(Lifetime::Always),
                Some(Phase::Forward) => {
                    // Values computed from weights only are computed once for all micro-batches.
                    let is_copy = def_use.storage.is_some() || self.graph.is_weight(value);
                    let lifetime = if is_copy { Lifetime::WeightCopy } else { Lifetime::ForwardToBackward };
                    is_read(|phase| matches!(phase, Phase::BackwardInput | Phase::BackwardWeight)).then_some(lifetime)
                }
                Some(Phase::Update) => None,
                Some(_) => is_read(|phase| phase == Phase::Update).then_some(Lifetime::BackwardToUpdate),
            }
        };
        let site = |def_use: &DefUse| {
            self.reduced_gradient_site(def_use)
                .or_else(|| self.storage_site(def_use))
                .or_else(|| self.def_site(def_use))
        };
        let held = |(value, def_use)| Some((value, lifetime(value, def_use)?, site(def_use)?));
        self.sorted_values().into_iter().filter_map(held).collect()
    }

    /// Returns the kernel seconds of a node in a step with the given layouts.
    pub(crate) fn kernel_seconds(&self, node: usize, choice: &[usize]) -> f64 {
        let OpNode { group, times, .. } = self.graph.groups.nodes[node];
        times as f64 * self.strategy_table.ops[node].seconds[choice[group]]
    }

    /// Returns the resharding seconds of each resharded value.
    pub(crate) fn reshard_seconds(&mut self, assumptions: &Assumptions, choice: &[usize]) -> Vec<(ValueId, f64)> {
        let overlap = assumptions.overlap.unwrap_or(Overlap::EXTREMES[0]);
        let edges = self.reshard_edges(assumptions.sharded_storage);
        let seconds = |one: &ReshardEdge| {
            let width = self.pricing.layouts(one.to.1).len();
            scaled(one.weight(overlap), one.table[choice[one.from.0] * width + choice[one.to.0]])
        };
        edges.iter().map(|one| (one.value, seconds(one))).collect()
    }

    /// Returns the lifetime and bytes per device of each value that outlives the ops around it.
    pub(crate) fn long_lived_bytes(&self, choice: &[usize]) -> Vec<(ValueId, Lifetime, f64)> {
        let bytes = |value: ValueId, (group, layouts): LayoutSite| {
            let layout = self.pricing.layouts(layouts)[choice[group]];
            self.pricing.bytes(self.graph.program.ty(value), layout) as f64
        };
        self.long_lived_values()
            .into_iter()
            .map(|(value, lifetime, site)| (value, lifetime, bytes(value, site)))
            .collect()
    }
}

/// Returns the product of a weight and a cost. A zero weight also cancels infinite costs.
fn scaled(weight: f64, cost: f64) -> f64 {
    if weight == 0.0 { 0.0 } else { weight * cost }
}

/// Returns a table with cost 0 for equal layouts and infinite cost for all others.
fn equality_table(from: &[LayoutId], to: &[LayoutId]) -> Rc<[f64]> {
    let cost = |a, b| if a == b { 0.0 } else { f64::INFINITY };
    from.iter().flat_map(|&a| to.iter().map(move |&b| cost(a, b))).collect()
}

//! Layouts on one mesh: what each group does, so that all of it takes the least time (Zheng et al. 2022, section 4).

use super::branch_and_bound::{Solution, branch_and_bound};
use super::columns::LaidOut;
use super::decision_groups::{Flow, is_free};
use super::pricing::{Column, Pricing};
use super::problem::Problem;
use super::search_graph::SearchGraph;
use super::strategies::splitting;
use super::writer::{Move, Writer};
use crate::limits::{Effort, SearchLimits};
use partita_cost::placement::Collectives;
use partita_cost::roofline::Efficiencies;
use partita_ir::arena::{MeshId, ValueId};
use partita_ir::layout::Layout;
use partita_ir::mesh::Mesh;
use partita_ir::program::Phase;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A mesh on devices of a machine.
#[derive(Clone, Copy)]
pub struct MeshPlacement<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Device of the machine, by rank of the mesh.
    pub devices: &'a [usize],
    /// The machine.
    pub machine: &'a Machine,
    /// Prices of its collectives.
    pub prices: &'a Prices<'a>,
    /// Shares of data sheet figures that are reached.
    pub efficiencies: &'a Efficiencies,
}

/// Assumptions about how a step runs, which its cost depends on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Assumptions {
    /// Overlap of gradient reductions and backward pass; the slower case of [`Overlap::EITHER`] if `None`.
    pub overlap: Option<Overlap>,
    /// True if parameters and state may be stored sharded where they are used replicated, as in ZeRO.
    pub sharded_storage: bool,
    /// Memory that layouts may take.
    pub memory: MemoryLimit,
}

/// Shares of time that count where gradients are reduced while the rest of the backward pass computes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Overlap {
    /// Share of the time of gradient reductions.
    pub reductions: f64,
    /// Share of the time of kernels of the backward pass.
    pub backward: f64,
}

impl Overlap {
    /// Either computing takes longer, and what is left of reductions behind it counts; or reductions do, and what is
    /// computed before the first of them.
    pub const EITHER: [Overlap; 2] =
        [Overlap { reductions: 0.3, backward: 1.0 }, Overlap { reductions: 1.0, backward: 0.4 }];

    /// Between the two: the first one, but for a share of the second one.
    fn between(share: f64) -> Overlap {
        let [a, b] = Overlap::EITHER;
        let mix = |a: f64, b: f64| a + share * (b - a);
        Overlap { reductions: mix(a.reductions, b.reductions), backward: mix(a.backward, b.backward) }
    }
}

/// Memory of one device of each stage; together they hold the step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MemoryLimit {
    /// Bytes.
    pub bytes: f64,
    /// Micro-batches whose activations are held at once; none if activations are recomputed.
    pub alive: f64,
}

/// Layouts of all values of a step on one mesh, chosen for the least cost.
#[derive(Clone, Debug)]
pub struct ChosenLayouts {
    /// Parameters, state and inputs of the main function, each with its layout; parameters as they are used.
    pub inputs: Vec<(ValueId, Layout)>,
    /// What ops make, in program order; constants are made wherever they are needed.
    pub values: Vec<(ValueId, Layout)>,
    /// Weights that are kept otherwise than they are used, as they are kept.
    pub stores: Vec<(ValueId, Layout)>,
    /// Gradients that only the update reads, as that needs them.
    pub gradients: Vec<(ValueId, Layout)>,
    /// Seconds, and what no layouts take less than.
    pub solution: Solution,
}

impl ChosenLayouts {
    /// Returns whether all values have the same layouts as in `other`.
    pub fn has_same_layouts(&self, other: &ChosenLayouts) -> bool {
        (&self.inputs, &self.values, &self.stores, &self.gradients)
            == (&other.inputs, &other.values, &other.stores, &other.gradients)
    }
}

/// All layouts that a step can have on a mesh, with their costs.
pub struct LayoutSpace<'a> {
    pub(crate) graph: &'a SearchGraph<'a>,
    mesh: &'a Mesh,
    pub(crate) pricing: Pricing<'a>,
    pub(crate) laid_out: LaidOut,
    /// What values are brought from one place to another, where weights are kept as they are used and where they may be
    /// kept otherwise.
    pub(crate) known_moves: [Option<Rc<[Move]>>; 2],
}

impl Drop for LayoutSpace<'_> {
    fn drop(&mut self) {
        self.graph.bring_paths(self.mesh, self.pricing.take_paths());
    }
}

impl<'a> LayoutSpace<'a> {
    /// Layouts of a step; `None` without devices.
    pub fn of(graph: &'a SearchGraph<'a>, on: MeshPlacement<'a>) -> Option<LayoutSpace<'a>> {
        let kind = on.machine.slowest(on.devices.iter().copied())?;
        let collectives = Collectives::new(on.machine, on.prices, on.mesh, on.devices);
        let mut pricing =
            Pricing::new(graph, MESH, (kind, on.efficiencies), (collectives, graph.take_paths(on.mesh, MESH)));
        let laid_out = LaidOut::of(graph, &splitting(on.mesh), &mut pricing);
        Some(LayoutSpace { graph, mesh: on.mesh, pricing, laid_out, known_moves: Default::default() })
    }

    /// Layouts of the least cost; `None` if none fit into memory.
    pub fn best(&mut self, assumptions: &Assumptions, effort: &Effort) -> Option<ChosenLayouts> {
        let solution = match assumptions.overlap {
            Some(overlap) => branch_and_bound(&self.problem(assumptions, overlap), effort)?,
            None => self.longer(assumptions, effort)?,
        };
        let SearchGraph { program, groups, .. } = self.graph;
        let stored = self.stored(&solution.choice);
        let used: FxHashMap<ValueId, &Layout> = stored.iter().map(|one| (one.value, &one.used)).collect();
        let lies = |value: ValueId| -> Option<Layout> {
            if let Some(&used) = used.get(&value) {
                return Some(used.clone());
            }
            let (group, column) = self.home(groups.flow(value)?)?;
            Some(self.layout(column, solution.choice[group]).clone())
        };
        let reduced = |value: ValueId| {
            let (group, column) = self.reduced(groups.flow(value)?)?;
            Some(self.layout(column, solution.choice[group]).clone())
        };
        let inputs = program.inputs().iter().filter_map(|&v| Some((v, lies(v)?))).collect();
        let (mut values, mut gradients) = (Vec::new(), Vec::new());
        for node in groups.nodes.iter().filter(|node| !is_free(&program.ops[node.op].kind)) {
            let outs = program.ops[node.op].outs.iter();
            values.extend(outs.clone().filter_map(|&out| Some((out, lies(out)?))));
            gradients.extend(outs.filter_map(|&out| Some((out, reduced(out)?))));
        }
        // What loops carry from turn to turn.
        for op in program.laid_out_funcs().iter().flat_map(|&f| program.funcs[f].ops()).map(|&op| &program.ops[op]) {
            let Some(body) = op.kind.func() else { continue };
            let carried = program.funcs[body].inputs.iter().chain(&op.outs);
            values.extend(carried.filter_map(|&value| Some((value, lies(value)?))));
        }
        let stores = stored.into_iter().map(|one| (one.value, one.kept)).collect();
        Some(ChosenLayouts { inputs, values, stores, gradients, solution })
    }

    /// The choice for which the longer of [`Overlap::EITHER`] is the shortest. What is cheapest at any mixture of the
    /// two costs no more by that than any choice costs by the longer one, which is the bound.
    fn longer(&mut self, assumptions: &Assumptions, effort: &Effort) -> Option<Solution> {
        let either = Overlap::EITHER.map(|overlap| self.problem(assumptions, overlap));
        let mut best: Option<Solution> = None;
        let (mut low, mut high) = (0.0, 1.0);
        for share in [Some(0.0), Some(1.0), None, None] {
            let share = share.unwrap_or((low + high) / 2.0);
            let found = match share {
                0.0 => branch_and_bound(&either[0], effort),
                1.0 => branch_and_bound(&either[1], effort),
                _ => branch_and_bound(&self.problem(assumptions, Overlap::between(share)), effort),
            }?;
            let [first, second] = [either[0].cost(&found.choice), either[1].cost(&found.choice)];
            let cost = first.max(second);
            let known = best.as_ref().map_or((0.0, 0.0), |best| (best.bound, best.limitless));
            let (bound, limitless) = (found.bound.max(known.0), found.limitless.max(known.1));
            best = Some(match best {
                Some(best) if best.cost <= cost => Solution { bound, limitless, ..best },
                _ => Solution { cost, bound, limitless, ..found },
            });
            let is_done =
                best.as_ref().is_some_and(|best| best.gap() <= effort.gap.max(SearchLimits::TUNED.mixture_gap));
            // One end where the other one is shorter anyway.
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

    /// The choice to be made: the strategy of each group.
    pub fn problem(&mut self, assumptions: &Assumptions, overlap: Overlap) -> Problem {
        Writer::of(self, assumptions, overlap).write()
    }

    /// Restricts the layout of a value to those that `may` accepts, if there are any, and returns whether there are.
    pub fn restrict(&mut self, value: ValueId, may: impl Fn(&Layout) -> bool) -> bool {
        let Some(flow) = self.graph.groups.flow(value) else { return true };
        let outside = self.used(flow).filter(|_| flow.maker.is_none());
        let Some(first) = outside.or_else(|| self.home(flow)) else { return true };
        let has_some = self.restrict_at(first, &may);
        // What is said of a weight is said of how it is kept, too.
        if let Some(kept) = self.kept(flow).filter(|_| has_some) {
            self.restrict_at(kept, &may);
        }
        has_some
    }

    /// Restricts the layout at a place to those that `may` accepts, if there are any, and returns whether there are.
    pub(crate) fn restrict_at(&mut self, (group, column): Place, may: &impl Fn(&Layout) -> bool) -> bool {
        let seconds = &mut self.laid_out.seconds[group];
        let fits: Vec<bool> = (self.pricing.layouts(column).iter().zip(&*seconds))
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

    /// Where a value is: as its maker leaves it, or what comes from outside, as it is kept, or as its first reader
    /// needs it.
    pub(crate) fn home(&self, flow: &Flow) -> Option<Place> {
        match flow.maker {
            Some((node, result)) => {
                let column = self.laid_out.columns[node].made[result];
                Some((self.graph.groups.nodes[node].group, column))
            }
            None => self.kept(flow).or_else(|| flow.readers.first().map(|&reader| self.need(reader))),
        }
    }

    /// Where a reader wants it.
    pub(crate) fn need(&self, (node, operand): (usize, usize)) -> Place {
        let column = self.laid_out.columns[node].needed[operand];
        (self.graph.groups.nodes[node].group, column)
    }

    pub(crate) fn layout(&self, column: Column, option: usize) -> &Layout {
        self.pricing.layout(self.pricing.layouts(column)[option])
    }

    pub(crate) fn phase(&self, node: usize) -> Phase {
        self.graph.groups.nodes[node].phase
    }

    /// Where a gradient is that only the update reads: it is reduced to what that needs where it is made.
    pub(crate) fn reduced(&self, flow: &Flow) -> Option<Place> {
        let updates = |node: usize| self.phase(node) == Phase::Update;
        let first = flow.readers.first()?;
        let is_last = flow.maker.is_some_and(|(maker, _)| !updates(maker)) && flow.readers.iter().all(|r| updates(r.0));
        is_last.then(|| self.need(*first))
    }
}

/// The mesh that layouts are on: a step that is laid out has no other.
const MESH: MeshId = MeshId(0);

/// A value somewhere: a group, and how it lies there.
pub(crate) type Place = (usize, Column);

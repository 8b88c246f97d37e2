//! Layouts on one mesh: what each space does, so that all of it takes the least time (Zheng et al. 2022, section 4).

use super::bounded::{Effort, Solution, solve};
use super::columns::LaidOut;
use super::pricing::{Column, Pricing};
use super::problem::Problem;
use super::spaces::{Flow, is_free};
use super::strategies::splitting;
use super::subject::Subject;
use super::writer::{Move, Writer};
use crate::limits::SearchLimits;
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

/// A mesh, and where on a machine it is.
#[derive(Clone, Copy)]
pub struct On<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// By rank of the mesh, the device of the machine.
    pub devices: &'a [usize],
    /// The machine.
    pub machine: &'a Machine,
    /// What collectives take on it.
    pub prices: &'a Prices<'a>,
    /// How much of the machine's figures is reached.
    pub efficiencies: &'a Efficiencies,
}

/// What is assumed of how a step runs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Assumed {
    /// What counts of what is done side by side; the longer of [`Waits::EITHER`] if `None`.
    pub waits: Option<Waits>,
    /// Whether parameters may be kept otherwise than they are used, and state with them: in pieces, as ZeRO has it.
    pub pieces: bool,
    /// What there is room for.
    pub room: Room,
}

/// How much counts of what is done side by side: gradients are reduced while the rest of the backward part computes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Waits {
    /// The share of the time of gradients' reductions.
    pub reductions: f64,
    /// The share of the time of the backward part's kernels.
    pub backward: f64,
}

impl Waits {
    /// Either computing takes longer, and what is left of reductions behind it counts; or reductions do, and what is
    /// computed before the first of them.
    pub const EITHER: [Waits; 2] = [Waits { reductions: 0.3, backward: 1.0 }, Waits { reductions: 1.0, backward: 0.4 }];

    /// Between the two: the first one, but for a share of the second one.
    fn between(share: f64) -> Waits {
        let [a, b] = Waits::EITHER;
        let mix = |a: f64, b: f64| a + share * (b - a);
        Waits { reductions: mix(a.reductions, b.reductions), backward: mix(a.backward, b.backward) }
    }
}

/// The memory of a device, or of one in each stage of a pipeline: together they have room for the whole step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Room {
    /// Bytes.
    pub bytes: f64,
    /// How often what the backward part needs of the forward part is held: once for each micro-batch that is under way,
    /// or not at all when it is computed again.
    pub alive: f64,
}

/// The best layouts on a mesh.
#[derive(Clone, Debug)]
pub struct Intra {
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

impl Intra {
    /// Whether all values lie as they do in another one.
    pub fn lies_alike(&self, other: &Intra) -> bool {
        (&self.inputs, &self.values, &self.stores, &self.gradients)
            == (&other.inputs, &other.values, &other.stores, &other.gradients)
    }
}

/// All layouts of a step on a mesh, with what they cost.
pub struct Layouts<'a> {
    pub(crate) subject: &'a Subject<'a>,
    mesh: &'a Mesh,
    pub(crate) pricing: Pricing<'a>,
    pub(crate) laid_out: LaidOut,
    /// What values are brought from one place to another, where weights are kept as they are used and where they may be
    /// kept otherwise.
    pub(crate) known_moves: [Option<Rc<[Move]>>; 2],
}

impl Drop for Layouts<'_> {
    fn drop(&mut self) {
        self.subject.bring_paths(self.mesh, self.pricing.take_paths());
    }
}

impl<'a> Layouts<'a> {
    /// Those of a step; none if there is no device.
    pub fn of(subject: &'a Subject<'a>, on: On<'a>) -> Option<Layouts<'a>> {
        let kind = on.machine.slowest(on.devices.iter().copied())?;
        let collectives = Collectives::new(on.machine, on.prices, on.mesh, on.devices);
        let mut pricing =
            Pricing::new(subject, MESH, (kind, on.efficiencies), (collectives, subject.take_paths(on.mesh, MESH)));
        let laid_out = LaidOut::of(subject, &splitting(on.mesh), &mut pricing);
        Some(Layouts { subject, mesh: on.mesh, pricing, laid_out, known_moves: Default::default() })
    }

    /// The best ones; none when nothing fits into memory.
    pub fn best(&mut self, assumed: &Assumed, effort: &Effort) -> Option<Intra> {
        let solution = match assumed.waits {
            Some(waits) => solve(&self.problem(assumed, waits), effort)?,
            None => self.longer(assumed, effort)?,
        };
        let Subject { program, spaces, .. } = self.subject;
        let stored = self.stored(&solution.choice);
        let used: FxHashMap<ValueId, &Layout> = stored.iter().map(|one| (one.value, &one.used)).collect();
        let lies = |value: ValueId| -> Option<Layout> {
            if let Some(&used) = used.get(&value) {
                return Some(used.clone());
            }
            let (space, column) = self.home(spaces.flow(value)?)?;
            Some(self.layout(column, solution.choice[space]).clone())
        };
        let reduced = |value: ValueId| {
            let (space, column) = self.reduced(spaces.flow(value)?)?;
            Some(self.layout(column, solution.choice[space]).clone())
        };
        let inputs = program.inputs().iter().filter_map(|&v| Some((v, lies(v)?))).collect();
        let (mut values, mut gradients) = (Vec::new(), Vec::new());
        for worker in spaces.workers.iter().filter(|worker| !is_free(&program.ops[worker.op].kind)) {
            let outs = program.ops[worker.op].outs.iter();
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
        Some(Intra { inputs, values, stores, gradients, solution })
    }

    /// The choice for which the longer of [`Waits::EITHER`] is the shortest. What is cheapest at any mixture of the two
    /// costs no more by that than any choice costs by the longer one, which is the bound.
    fn longer(&mut self, assumed: &Assumed, effort: &Effort) -> Option<Solution> {
        let either = Waits::EITHER.map(|waits| self.problem(assumed, waits));
        let mut best: Option<Solution> = None;
        let (mut low, mut high) = (0.0, 1.0);
        for share in [Some(0.0), Some(1.0), None, None] {
            let share = share.unwrap_or((low + high) / 2.0);
            let found = match share {
                0.0 => solve(&either[0], effort),
                1.0 => solve(&either[1], effort),
                _ => solve(&self.problem(assumed, Waits::between(share)), effort),
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

    /// The choice to be made: the strategy of each space.
    pub fn problem(&mut self, assumed: &Assumed, waits: Waits) -> Problem {
        Writer::of(self, assumed, waits).write()
    }

    /// Leaves those where a value lies as it `may`, if there are any; whether there are.
    pub fn keep(&mut self, value: ValueId, may: impl Fn(&Layout) -> bool) -> bool {
        let Some(flow) = self.subject.spaces.flow(value) else { return true };
        let outside = self.used(flow).filter(|_| flow.maker.is_none());
        let Some(first) = outside.or_else(|| self.home(flow)) else { return true };
        let has_some = self.keep_at(first, &may);
        // What is said of a weight is said of how it is kept, too.
        if let Some(kept) = self.kept(flow).filter(|_| has_some) {
            self.keep_at(kept, &may);
        }
        has_some
    }

    /// Leaves those where something lies as it `may` at a place, if there are any; whether there are.
    pub(crate) fn keep_at(&mut self, (space, column): Place, may: &impl Fn(&Layout) -> bool) -> bool {
        let seconds = &mut self.laid_out.seconds[space];
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
            Some((worker, result)) => {
                let column = self.laid_out.columns[worker].made[result];
                Some((self.subject.spaces.workers[worker].space, column))
            }
            None => self.kept(flow).or_else(|| flow.readers.first().map(|&reader| self.need(reader))),
        }
    }

    /// Where a reader wants it.
    pub(crate) fn need(&self, (worker, operand): (usize, usize)) -> Place {
        let column = self.laid_out.columns[worker].needed[operand];
        (self.subject.spaces.workers[worker].space, column)
    }

    pub(crate) fn layout(&self, column: Column, option: usize) -> &Layout {
        self.pricing.layout(self.pricing.layouts(column)[option])
    }

    pub(crate) fn phase(&self, worker: usize) -> Phase {
        self.subject.spaces.workers[worker].phase
    }

    /// Where a gradient is that only the update reads: it is reduced to what that needs where it is made.
    pub(crate) fn reduced(&self, flow: &Flow) -> Option<Place> {
        let updates = |worker: usize| self.phase(worker) == Phase::Update;
        let first = flow.readers.first()?;
        let is_last = flow.maker.is_some_and(|(maker, _)| !updates(maker)) && flow.readers.iter().all(|r| updates(r.0));
        is_last.then(|| self.need(*first))
    }
}

/// The mesh that layouts are on: a step that is laid out has no other.
const MESH: MeshId = MeshId(0);

/// A value somewhere: a space, and how it lies there.
pub(crate) type Place = (usize, Column);

//! Layouts on one mesh: what each space does, so that all of it takes the least time (Zheng et al. 2022, section 4).

use super::bounded::{Effort, Solution, solve};
use super::columns::LaidOut;
use super::pricing::{Column, LayoutId, Pricing, Together};
use super::problem::{Limit, Problem};
use super::spaces::{Flow, is_free};
use super::strategies::splitting;
use super::subject::Subject;
use crate::analysis::cost::Efficiencies;
use crate::analysis::placement::Collectives;
use partita_ir::arena::{MeshId, ValueId};
use partita_ir::collective::choice::Prices;
use partita_ir::layout::Layout;
use partita_ir::machine::Machine;
use partita_ir::mesh::Mesh;
use partita_ir::program::Phase;
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
    /// Either computing takes longer, and what is left of reductions behind it counts; or reductions do, and what is computed before the
    /// first of them.
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
    /// How often what the backward part needs of the forward part is held: once for each micro-batch that is under way, or not at all
    /// when it is computed again.
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
    pub(super) subject: &'a Subject<'a>,
    pub(super) pricing: Pricing<'a>,
    pub(super) laid_out: LaidOut,
}

impl<'a> Layouts<'a> {
    /// Those of a step; none if there is no device.
    pub fn of(subject: &'a Subject<'a>, on: On<'a>) -> Option<Layouts<'a>> {
        let kind = on.machine.slowest(on.devices.iter().copied())?;
        let collectives = Collectives::new(on.machine, on.prices, on.mesh, on.devices);
        let mut pricing = Pricing::new(subject, MESH, (kind, on.efficiencies), collectives);
        let laid_out = LaidOut::of(subject, &splitting(on.mesh), &mut pricing);
        Some(Layouts { subject, pricing, laid_out })
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
        let inputs = program.main().inputs.iter().filter_map(|&v| Some((v, lies(v)?))).collect();
        let (mut values, mut gradients) = (Vec::new(), Vec::new());
        for worker in spaces.workers.iter().filter(|worker| !is_free(&program.ops[worker.op].kind)) {
            let outs = program.ops[worker.op].outs.iter();
            values.extend(outs.clone().filter_map(|&out| Some((out, lies(out)?))));
            gradients.extend(outs.filter_map(|&out| Some((out, reduced(out)?))));
        }
        // What loops carry from turn to turn.
        for op in program.laid_out_funcs().iter().flat_map(|&f| &program.funcs[f].body).map(|&op| &program.ops[op]) {
            let Some(body) = op.kind.func() else { continue };
            let carried = program.funcs[body].inputs.iter().chain(&op.outs);
            values.extend(carried.filter_map(|&value| Some((value, lies(value)?))));
        }
        let stores = stored.into_iter().map(|one| (one.value, one.kept)).collect();
        Some(Intra { inputs, values, stores, gradients, solution })
    }

    /// The choice for which the longer of [`Waits::EITHER`] is the shortest. What is cheapest at any mixture of the two costs no more by that
    /// than any choice costs by the longer one, which is the bound.
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
            let is_done = best.as_ref().is_some_and(|best| best.gap() <= effort.gap.max(CLOSE));
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
        let mut writer = Writer { all: self, assumed, waits, problem: Problem::default() };
        writer.write();
        writer.problem
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
    pub(super) fn keep_at(&mut self, (space, column): Place, may: &impl Fn(&Layout) -> bool) -> bool {
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

    /// Where a value is: as its maker leaves it, or what comes from outside, as it is kept, or as its first reader needs it.
    fn home(&self, flow: &Flow) -> Option<Place> {
        match flow.maker {
            Some((worker, result)) => {
                let column = self.laid_out.columns[worker].made[result];
                Some((self.subject.spaces.workers[worker].space, column))
            }
            None => self.kept(flow).or_else(|| flow.readers.first().map(|&reader| self.need(reader))),
        }
    }

    /// Where a reader wants it.
    pub(super) fn need(&self, (worker, operand): (usize, usize)) -> Place {
        let column = self.laid_out.columns[worker].needed[operand];
        (self.subject.spaces.workers[worker].space, column)
    }

    pub(super) fn layout(&self, column: Column, option: usize) -> &Layout {
        self.pricing.layout(self.pricing.layouts(column)[option])
    }

    fn phase(&self, worker: usize) -> Phase {
        let Subject { program, spaces, .. } = self.subject;
        program.ops[spaces.workers[worker].op].phase
    }

    /// Where a gradient is that only the update reads: it is reduced to what that needs where it is made.
    fn reduced(&self, flow: &Flow) -> Option<Place> {
        let updates = |worker: usize| self.phase(worker) == Phase::Update;
        let first = flow.readers.first()?;
        let is_last = flow.maker.is_some_and(|(maker, _)| !updates(maker)) && flow.readers.iter().all(|r| updates(r.0));
        is_last.then(|| self.need(*first))
    }
}

/// A choice that is so close to what is possible is not made between mixtures any more, as a share of its cost.
const CLOSE: f64 = 5e-3;

/// The mesh that layouts are on: a step that is laid out has no other.
const MESH: MeshId = MeshId(0);

/// Writes the problem.
struct Writer<'w, 'a> {
    all: &'w mut Layouts<'a>,
    assumed: &'w Assumed,
    waits: Waits,
    problem: Problem,
}

/// A value somewhere: a space, and how it lies there.
pub(super) type Place = (usize, Column);

impl<'a> Writer<'_, 'a> {
    fn write(&mut self) {
        let LaidOut { seconds, backward, .. } = &self.all.laid_out;
        let beside = 1.0 - self.waits.backward;
        let counted = |(all, backward): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
            all.iter().zip(backward).map(|(all, backward)| all - beside * backward).collect()
        };
        let mut alone: Vec<Vec<f64>> = seconds.iter().zip(backward).map(counted).collect();
        let mut pairs: Vec<(usize, usize, Rc<[f64]>, f64)> = Vec::new();
        for (value, flow) in self.in_order() {
            self.price(value, flow, &mut alone, &mut pairs);
        }
        for costs in &alone {
            self.problem.thing(costs);
        }
        // Terms of the same two spaces are one.
        let mut sums: FxHashMap<(usize, usize), Vec<f64>> = FxHashMap::default();
        let mut order: Vec<(usize, usize)> = Vec::new();
        for (from, to, table, weight) in pairs {
            let sum = sums.entry((from, to)).or_insert_with(|| {
                order.push((from, to));
                vec![0.0; table.len()]
            });
            sum.iter_mut().zip(table.iter()).for_each(|(sum, cost)| *sum += times(weight, *cost));
        }
        for (from, to) in order {
            self.problem.pair(from, to, &sums[&(from, to)]);
        }
        if self.assumed.room.bytes.is_finite() {
            self.bound_memory();
        }
    }

    fn subject(&self) -> &'a Subject<'a> {
        self.all.subject
    }

    /// Values that somebody makes or reads; a number without dimensions may be a sum that others wait for.
    fn in_order(&self) -> Vec<(ValueId, &'a Flow)> {
        let mut order: Vec<(ValueId, &Flow)> = self.subject().spaces.flows.iter().map(|(v, flow)| (*v, flow)).collect();
        order.sort_by_key(|(value, _)| *value);
        order
    }

    fn price(
        &mut self,
        value: ValueId,
        flow: &Flow,
        alone: &mut [Vec<f64>],
        pairs: &mut Vec<(usize, usize, Rc<[f64]>, f64)>,
    ) {
        let Subject { program, spaces, .. } = self.subject();
        let Some(home) = self.all.home(flow) else { return };
        let ty = program.ty(value);
        let keeper = flow.keeper.map(|keeper| &spaces.keepers[keeper]);
        if flow.maker.is_some_and(|(worker, _)| is_free(&program.ops[spaces.workers[worker].op].kind)) {
            return;
        }
        let mut places: Vec<(Place, f64, Together)> = Vec::new();
        // Each part of the step brings it together for itself.
        let mut parts = keeper.map(|keeper| f64::from(keeper.parts));
        for reader in &flow.readers {
            let place = self.all.need(*reader);
            // What a loop adds up is there behind it at once.
            let is_behind = flow.maker.is_some_and(|(maker, _)| spaces.workers[maker].times > 1);
            let (waits, together) = match self.all.phase(reader.0) {
                Phase::Update if is_behind => (1.0, Together::Bucket),
                Phase::Update => (self.waits.reductions, Together::Bucket),
                _ => (parts.take().unwrap_or(1.0), Together::Alone),
            };
            let weight = waits * spaces.workers[reader.0].times as f64;
            if !places.iter().any(|(known, ..)| *known == place) {
                places.push((place, weight, together));
            }
        }
        for param in self.replaced(value) {
            if let Some(place) = spaces.flow(param).and_then(|flow| self.all.home(flow)) {
                places.push((place, self.waits.reductions, Together::Alone));
            }
        }
        if flow.readers.is_empty() && program.main().outputs.iter().any(|output| output.value == value) {
            places.push(((home.0, self.all.pricing.summed(home.1)), 1.0, Together::Alone));
        }
        let kept = self.all.kept(flow).unwrap_or(home);
        if let Some((maker, _)) = flow.maker.filter(|_| kept != home) {
            places.insert(0, (kept, spaces.workers[maker].times as f64, Together::Alone));
        }
        // Who else needs it finds it where the first one has brought it, and the update where it is kept.
        let is_tied = self.subject().is_weight(value) && !self.assumed.pieces;
        let mut source = home;
        for (place, weight, together) in places {
            let from = if keeper.is_some() && together == Together::Bucket { kept } else { source };
            let pricing = &mut self.all.pricing;
            let table = match is_tied {
                true => only_equal(pricing.layouts(from.1), pricing.layouts(place.1)),
                false => pricing.table(ty, from.1, place.1, together),
            };
            if from.0 == place.0 {
                let n = pricing.layouts(place.1).len();
                alone[place.0].iter_mut().enumerate().for_each(|(i, cost)| *cost += times(weight, table[i * n + i]));
            } else {
                pairs.push((from.0, place.0, table, weight));
            }
            let is_first = source == home || source == kept;
            if is_first && from == source && place.0 != source.0 {
                source = place;
            }
        }
    }

    /// The parameters that a result replaces.
    fn replaced(&self, value: ValueId) -> Vec<ValueId> {
        let program = self.subject().program;
        let outputs = program.main().outputs.iter().filter(|output| output.value == value);
        outputs.filter_map(|output| Some(program.params[output.alias?].value)).collect()
    }

    /// What is held between the forward and the backward part, and while parameters are updated.
    fn bound_memory(&mut self) {
        let program = self.subject().program;
        let phase = |worker: usize| self.all.phase(worker);
        let Room { bytes: most, alive } = self.assumed.room;
        let mut always: Vec<Vec<f64>> = self.all.laid_out.seconds.iter().map(|all| vec![0.0; all.len()]).collect();
        let (mut between, mut behind) = (always.clone(), always.clone());
        for (value, flow) in self.in_order() {
            let Some((space, column)) = self.all.kept(flow).or_else(|| self.all.home(flow)) else { continue };
            let is_read = |is: fn(Phase) -> bool| flow.readers.iter().any(|reader| is(phase(reader.0)));
            let (held, times) = match flow.maker {
                None => (&mut always, 1.0),
                Some((maker, _)) if phase(maker) == Phase::Forward => {
                    if !is_read(|phase| matches!(phase, Phase::BackwardInput | Phase::BackwardWeight)) {
                        continue;
                    }
                    // A narrow copy of a weight is one for all micro-batches.
                    (&mut between, if flow.keeper.is_some() { alive.min(1.0) } else { alive })
                }
                Some((maker, _)) if phase(maker) != Phase::Update && is_read(|phase| phase == Phase::Update) => {
                    (&mut behind, 1.0)
                }
                Some(_) => continue,
            };
            let (space, column) = self.all.reduced(flow).unwrap_or((space, column));
            let ty = program.ty(value);
            for (bytes, &layout) in held[space].iter_mut().zip(self.all.pricing.layouts(column).iter()) {
                *bytes += times * self.all.pricing.bytes(ty, layout) as f64;
            }
        }
        for more in [between, behind] {
            let sum = |(always, more): (&Vec<f64>, Vec<f64>)| always.iter().zip(more).map(|(a, b)| a + b).collect();
            let uses: Vec<Vec<f64>> = always.iter().zip(more).map(sum).collect();
            let uses = uses.into_iter().enumerate().filter(|(_, uses)| uses.iter().any(|&bytes| bytes > 0.0)).collect();
            self.problem.limit(Limit { most, uses });
        }
    }
}

/// So much of a cost; no choice stays none.
fn times(weight: f64, cost: f64) -> f64 {
    if weight == 0.0 { 0.0 } else { weight * cost }
}

/// Nothing where both lie alike, and no choice where they do not.
fn only_equal(from: &[LayoutId], to: &[LayoutId]) -> Rc<[f64]> {
    let cost = |a, b| if a == b { 0.0 } else { f64::INFINITY };
    from.iter().flat_map(|&a| to.iter().map(move |&b| cost(a, b))).collect()
}

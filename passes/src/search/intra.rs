//! Layouts on one mesh: what each space does, so that all of it takes the least time (Zheng et al. 2022, section 4).

use super::bounded::{Effort, Solution, solve};
use super::columns::LaidOut;
use super::pricing::{Column, LayoutId, Pricing, Together};
use super::problem::{Limit, Problem};
use super::spaces::{Flow, Worker, is_free};
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
    /// Parameters, state and inputs of the main function, each with its layout.
    pub inputs: Vec<(ValueId, Layout)>,
    /// What ops make, in program order; constants are made wherever they are needed.
    pub values: Vec<(ValueId, Layout)>,
    /// Gradients that only the update reads, as that needs them.
    pub gradients: Vec<(ValueId, Layout)>,
    /// Seconds, and what no layouts take less than.
    pub solution: Solution,
}

impl Intra {
    /// Whether all values lie as they do in another one.
    pub fn lies_alike(&self, other: &Intra) -> bool {
        (&self.inputs, &self.values, &self.gradients) == (&other.inputs, &other.values, &other.gradients)
    }
}

/// All layouts of a step on a mesh, with what they cost.
pub struct Layouts<'a> {
    subject: &'a Subject<'a>,
    mesh: &'a Mesh,
    pricing: Pricing<'a>,
    laid_out: LaidOut,
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
        Some(Layouts { subject, mesh: on.mesh, pricing, laid_out })
    }

    /// The best ones; none when nothing fits into memory.
    pub fn best(&mut self, assumed: &Assumed, effort: &Effort) -> Option<Intra> {
        let solution = match assumed.waits {
            Some(waits) => solve(&self.problem(assumed, waits), effort)?,
            None => self.longer(assumed, effort)?,
        };
        let Subject { program, spaces, .. } = self.subject;
        let lies = |value: ValueId| -> Option<Layout> {
            let (space, column) = self.home(spaces.flow(value)?)?;
            Some(self.layout(column, solution.choice[space]).clone())
        };
        let inputs = program.main().inputs.iter().filter_map(|&v| Some((v, lies(v)?))).collect();
        let (mut values, mut gradients) = (Vec::new(), Vec::new());
        for worker in spaces.workers.iter().filter(|worker| !is_free(&program.ops[worker.op].kind)) {
            let outs = program.ops[worker.op].outs.iter();
            values.extend(outs.clone().filter_map(|&out| Some((out, lies(out)?))));
            gradients.extend(outs.filter_map(|&out| Some((out, self.reduced(out, &solution.choice)?))));
        }
        // What loops carry from turn to turn.
        for op in program.laid_out_funcs().iter().flat_map(|&f| &program.funcs[f].body).map(|&op| &program.ops[op]) {
            let Some(body) = op.kind.func() else { continue };
            let carried = program.funcs[body].inputs.iter().chain(&op.outs);
            values.extend(carried.filter_map(|&value| Some((value, lies(value)?))));
        }
        Some(Intra { inputs, values, gradients, solution })
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
        let Some((space, column)) = self.subject.spaces.flow(value).and_then(|flow| self.home(flow)) else {
            return true;
        };
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

    /// Where a value is: as its maker leaves it, or what comes from outside, as its first reader needs it.
    fn home(&self, flow: &Flow) -> Option<Place> {
        match flow.maker {
            Some((worker, result)) => {
                let column = self.laid_out.columns[worker].made[result];
                Some((self.subject.spaces.workers[worker].space, column))
            }
            None => flow.readers.first().map(|&reader| self.need(reader)),
        }
    }

    /// Where a reader wants it.
    fn need(&self, (worker, operand): (usize, usize)) -> Place {
        let column = self.laid_out.columns[worker].needed[operand];
        (self.subject.spaces.workers[worker].space, column)
    }

    /// Values that somebody makes or reads; a number without dimensions may be a sum that others wait for.
    fn in_order(&self) -> Vec<(ValueId, &'a Flow)> {
        let mut order: Vec<(ValueId, &Flow)> = self.subject.spaces.flows.iter().map(|(v, flow)| (*v, flow)).collect();
        order.sort_by_key(|(value, _)| *value);
        order
    }

    /// What is held for longer than the ops around it, and where.
    fn all_held(&self) -> Vec<(ValueId, When, Place)> {
        let when = |flow: &Flow| {
            let is_read = |is: fn(Phase) -> bool| flow.readers.iter().any(|reader| is(self.phase(reader.0)));
            match flow.maker.map(|(maker, _)| self.phase(maker)) {
                None => Some(When::Always),
                Some(Phase::Forward) => is_read(|phase| matches!(phase, Phase::BackwardInput | Phase::BackwardWeight))
                    .then_some(When::Between),
                Some(Phase::Update) => None,
                Some(_) => is_read(|phase| phase == Phase::Update).then_some(When::Behind),
            }
        };
        let held = |(value, flow)| Some((value, when(flow)?, self.home(flow)?));
        self.in_order().into_iter().filter_map(held).collect()
    }

    /// Seconds of the kernels of a worker with these layouts, in a step.
    pub(super) fn kernels(&self, worker: usize, choice: &[usize]) -> f64 {
        let Worker { space, times, .. } = self.subject.spaces.workers[worker];
        times as f64 * self.laid_out.columns[worker].seconds[choice[space]]
    }

    /// By value that is brought from one layout to another, the seconds of that.
    pub(super) fn moves(&mut self, assumed: &Assumed, choice: &[usize]) -> Vec<(ValueId, f64)> {
        let waits = assumed.waits.unwrap_or(Waits::EITHER[0]);
        let mut writer = Writer { all: self, assumed, waits, problem: Problem::default() };
        let moves = writer.moves();
        let seconds = |one: &Move| {
            let width = self.pricing.layouts(one.to.1).len();
            times(one.weight, one.table[choice[one.from.0] * width + choice[one.to.0]])
        };
        moves.iter().map(|one| (one.value, seconds(one))).collect()
    }

    /// By value that is held for longer, when, and its bytes on a device.
    pub(super) fn held(&self, choice: &[usize]) -> Vec<(ValueId, When, f64)> {
        let bytes = |value: ValueId, (space, column): Place| {
            let layout = self.pricing.layouts(column)[choice[space]];
            self.pricing.bytes(self.subject.program.ty(value), layout) as f64
        };
        self.all_held().into_iter().map(|(value, when, place)| (value, when, bytes(value, place))).collect()
    }

    fn layout(&self, column: Column, option: usize) -> &Layout {
        self.pricing.layout(self.pricing.layouts(column)[option])
    }

    fn phase(&self, worker: usize) -> Phase {
        let Subject { program, spaces, .. } = self.subject;
        program.ops[spaces.workers[worker].op].phase
    }

    /// How a gradient lies that only the update reads: it is reduced to what that needs where it is made.
    fn reduced(&self, value: ValueId, choice: &[usize]) -> Option<Layout> {
        let updates = |worker: usize| self.phase(worker) == Phase::Update;
        let flow = self.subject.spaces.flow(value)?;
        let first = flow.readers.first()?;
        let is_last = flow.maker.is_some_and(|(maker, _)| !updates(maker)) && flow.readers.iter().all(|r| updates(r.0));
        let (space, column) = is_last.then(|| self.need(*first))?;
        Some(self.layout(column, choice[space]).clone())
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
type Place = (usize, Column);

/// What it takes to bring a value from one place to another, by what is done in both.
struct Move {
    value: ValueId,
    from: Place,
    to: Place,
    table: Rc<[f64]>,
    weight: f64,
}

/// When a value is held that is there for longer than the ops around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum When {
    /// Between steps.
    Always,
    /// Between the forward and the backward part.
    Between,
    /// Between the backward part and the update.
    Behind,
}

impl<'a> Writer<'_, 'a> {
    fn write(&mut self) {
        let LaidOut { seconds, backward, .. } = &self.all.laid_out;
        let beside = 1.0 - self.waits.backward;
        let counted = |(all, backward): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
            all.iter().zip(backward).map(|(all, backward)| all - beside * backward).collect()
        };
        let mut alone: Vec<Vec<f64>> = seconds.iter().zip(backward).map(counted).collect();
        // Moves between the same two spaces are one.
        let mut sums: FxHashMap<(usize, usize), Vec<f64>> = FxHashMap::default();
        let mut order: Vec<(usize, usize)> = Vec::new();
        for Move { from: (from, _), to: (to, _), table, weight, .. } in self.moves() {
            if from == to {
                let n = alone[from].len();
                alone[from].iter_mut().enumerate().for_each(|(i, cost)| *cost += times(weight, table[i * n + i]));
                continue;
            }
            let sum = sums.entry((from, to)).or_insert_with(|| {
                order.push((from, to));
                vec![0.0; table.len()]
            });
            sum.iter_mut().zip(table.iter()).for_each(|(sum, cost)| *sum += times(weight, *cost));
        }
        for costs in &alone {
            self.problem.thing(costs);
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

    /// All that values have to be brought from one place to another.
    fn moves(&mut self) -> Vec<Move> {
        let mut moves = Vec::new();
        for (value, flow) in self.all.in_order() {
            self.moves_of(value, flow, &mut moves);
        }
        moves
    }

    fn moves_of(&mut self, value: ValueId, flow: &Flow, moves: &mut Vec<Move>) {
        let Subject { program, spaces, .. } = self.subject();
        let Some(home) = self.all.home(flow) else { return };
        let ty = program.ty(value);
        if flow.maker.is_some_and(|(worker, _)| is_free(&program.ops[spaces.workers[worker].op].kind)) {
            return;
        }
        let mut places: Vec<(Place, f64, Together)> = Vec::new();
        for reader in &flow.readers {
            let place = self.all.need(*reader);
            // What a loop adds up is there behind it at once.
            let is_behind = flow.maker.is_some_and(|(maker, _)| spaces.workers[maker].times > 1);
            let (waits, together) = match self.all.phase(reader.0) {
                Phase::Update if is_behind => (1.0, Together::Bucket),
                Phase::Update => (self.waits.reductions, Together::Bucket),
                _ => (1.0, Together::Alone),
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
        // Who else needs it finds it where the first one has brought it.
        let is_tied = self.subject().is_weight(value) && !self.assumed.pieces;
        let mut source = home;
        for (place, weight, together) in places {
            let pricing = &mut self.all.pricing;
            let table = match is_tied {
                true => only_equal(pricing.layouts(source.1), pricing.layouts(place.1)),
                false => pricing.table(ty, source.1, place.1, together),
            };
            moves.push(Move { value, from: source, to: place, table, weight });
            if source.0 == home.0 && place.0 != home.0 {
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
        let Room { bytes: most, alive } = self.assumed.room;
        let mut always: Vec<Vec<f64>> = self.all.laid_out.seconds.iter().map(|all| vec![0.0; all.len()]).collect();
        let (mut between, mut behind) = (always.clone(), always.clone());
        for (value, when, (space, column)) in self.all.all_held() {
            let (held, times) = match when {
                When::Always => (&mut always, 1.0),
                When::Between => (&mut between, alive),
                When::Behind => (&mut behind, 1.0),
            };
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

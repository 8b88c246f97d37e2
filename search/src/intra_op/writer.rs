//! What layouts cost and hold, as the problem of choosing among them.

use super::columns::LaidOut;
use super::decision_groups::{Flow, OpNode, is_free};
use super::layout_space::{Assumptions, LayoutSpace, MemoryLimit, Overlap, Place};
use super::pricing::{LayoutId, Together};
use super::problem::{Limit, Problem};
use super::search_graph::SearchGraph;
use partita_ir::arena::ValueId;
use partita_ir::program::Phase;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Writes the problem.
pub(crate) struct Writer<'w, 'a> {
    all: &'w mut LayoutSpace<'a>,
    assumptions: &'w Assumptions,
    overlap: Overlap,
    problem: Problem,
}

/// What it takes to bring a value from one place to another, by what is done in both.
pub(crate) struct Move {
    value: ValueId,
    from: Place,
    to: Place,
    table: Rc<[f64]>,
    /// How often it is done in a step.
    times: f64,
    /// Whether it is a gradient's reduction, which waits for others or not.
    reduces: bool,
}

impl Move {
    /// How much of it counts.
    fn weight(&self, overlap: Overlap) -> f64 {
        if self.reduces { self.times * overlap.reductions } else { self.times }
    }
}

/// When a value is held that is there for longer than the ops around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum When {
    /// Between steps.
    Always,
    /// Between the forward and the backward part, of each micro-batch.
    Between,
    /// Between the forward and the backward part, of all micro-batches: narrow copies of weights.
    Copied,
    /// Between the backward part and the update.
    Behind,
}

impl<'w, 'a> Writer<'w, 'a> {
    /// Of these layouts, under what is assumed.
    pub(crate) fn of(all: &'w mut LayoutSpace<'a>, assumptions: &'w Assumptions, overlap: Overlap) -> Writer<'w, 'a> {
        Writer { all, assumptions, overlap, problem: Problem::default() }
    }

    /// The problem.
    pub(crate) fn write(mut self) -> Problem {
        let LaidOut { seconds, backward, .. } = &self.all.laid_out;
        let beside = 1.0 - self.overlap.backward;
        let counted = |(all, backward): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
            all.iter().zip(backward).map(|(all, backward)| all - beside * backward).collect()
        };
        let mut alone: Vec<Vec<f64>> = seconds.iter().zip(backward).map(counted).collect();
        // Moves between the same two groups are one.
        let mut sums: FxHashMap<(usize, usize), Vec<f64>> = FxHashMap::default();
        let mut order: Vec<(usize, usize)> = Vec::new();
        for one in self.all.all_moves(self.assumptions.sharded_storage).iter() {
            let (weight, table) = (one.weight(self.overlap), &one.table);
            let ((from, _), (to, _)) = (one.from, one.to);
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
        if self.assumptions.memory.bytes.is_finite() {
            self.bound_memory();
        }
        self.problem
    }

    fn graph(&self) -> &'a SearchGraph<'a> {
        self.all.graph
    }

    /// What is held between the forward and the backward part, and while parameters are updated.
    fn bound_memory(&mut self) {
        let program = self.graph().program;
        let MemoryLimit { bytes: most, alive } = self.assumptions.memory;
        let mut always: Vec<Vec<f64>> = self.all.laid_out.seconds.iter().map(|all| vec![0.0; all.len()]).collect();
        let (mut between, mut behind) = (always.clone(), always.clone());
        for (value, when, (group, column)) in self.all.all_held() {
            let (held, times) = match when {
                When::Always => (&mut always, 1.0),
                When::Between => (&mut between, alive),
                When::Copied => (&mut between, alive.min(1.0)),
                When::Behind => (&mut behind, 1.0),
            };
            let ty = program.ty(value);
            for (bytes, &layout) in held[group].iter_mut().zip(self.all.pricing.layouts(column).iter()) {
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

impl<'a> LayoutSpace<'a> {
    /// All that values have to be brought from one place to another; with `pieces`, weights may be kept otherwise than
    /// they are used.
    fn all_moves(&mut self, sharded_storage: bool) -> Rc<[Move]> {
        if let Some(known) = &self.known_moves[usize::from(sharded_storage)] {
            return known.clone();
        }
        let mut moves = Vec::new();
        for (value, flow) in self.in_order() {
            self.moves_of(value, flow, sharded_storage, &mut moves);
        }
        self.known_moves[usize::from(sharded_storage)].insert(moves.into()).clone()
    }

    fn moves_of(&mut self, value: ValueId, flow: &Flow, sharded_storage: bool, moves: &mut Vec<Move>) {
        let SearchGraph { program, groups, .. } = self.graph;
        let Some(home) = self.home(flow) else { return };
        let ty = program.ty(value);
        let storage = flow.storage.map(|storage| &groups.storages[storage]);
        if flow.maker.is_some_and(|(node, _)| is_free(&program.ops[groups.nodes[node].op].kind)) {
            return;
        }
        let mut places: Vec<(Place, (f64, bool), Together)> = Vec::new();
        // Each part of the step brings it together for itself.
        let mut parts = storage.map(|storage| f64::from(storage.parts));
        for reader in &flow.readers {
            let place = self.need(*reader);
            // What a loop adds up is there behind it at once.
            let is_behind = flow.maker.is_some_and(|(maker, _)| groups.nodes[maker].times > 1);
            let (times, reduces, together) = match self.phase(reader.0) {
                Phase::Update => (1.0, !is_behind, Together::Bucket),
                _ => (parts.take().unwrap_or(1.0), false, Together::Alone),
            };
            let times = times * groups.nodes[reader.0].times as f64;
            if !places.iter().any(|(known, ..)| *known == place) {
                places.push((place, (times, reduces), together));
            }
        }
        for param in self.replaced(value) {
            if let Some(place) = groups.flow(param).and_then(|flow| self.home(flow)) {
                places.push((place, (1.0, false), Together::Alone));
            }
        }
        if flow.readers.is_empty() && program.outputs().iter().any(|output| output.value == value) {
            places.push(((home.0, self.pricing.summed(home.1)), (1.0, false), Together::Alone));
        }
        let kept = self.kept(flow).unwrap_or(home);
        if let Some((maker, _)) = flow.maker.filter(|_| kept != home) {
            places.insert(0, (kept, (groups.nodes[maker].times as f64, false), Together::Alone));
        }
        // Who else needs it finds it where the first one has brought it, and the update where it is kept.
        let is_tied = self.graph.is_weight(value) && !sharded_storage;
        let mut source = home;
        for (place, (times, reduces), together) in places {
            let from = if storage.is_some() && together == Together::Bucket { kept } else { source };
            let pricing = &mut self.pricing;
            let table = match is_tied {
                true => only_equal(pricing.layouts(from.1), pricing.layouts(place.1)),
                false => pricing.table(ty, from.1, place.1, together),
            };
            moves.push(Move { value, from, to: place, table, times, reduces });
            let is_first = source == home || source == kept;
            if is_first && from == source && place.0 != source.0 {
                source = place;
            }
        }
    }

    /// The parameters that a result replaces.
    fn replaced(&self, value: ValueId) -> Vec<ValueId> {
        let updates = self.graph.model.updates.iter();
        updates.filter(|(_, new)| *new == value).map(|(param, _)| *param).collect()
    }

    /// Values that somebody makes or reads; a number without dimensions may be a sum that others wait for.
    fn in_order(&self) -> Vec<(ValueId, &'a Flow)> {
        let mut order: Vec<(ValueId, &Flow)> = self.graph.groups.flows.iter().map(|(v, flow)| (*v, flow)).collect();
        order.sort_by_key(|(value, _)| *value);
        order
    }

    /// What is held for longer than the ops around it, and where.
    fn all_held(&self) -> Vec<(ValueId, When, Place)> {
        let when = |value: ValueId, flow: &Flow| {
            let is_read = |is: fn(Phase) -> bool| flow.readers.iter().any(|reader| is(self.phase(reader.0)));
            match flow.maker.map(|(maker, _)| self.phase(maker)) {
                None => Some(When::Always),
                Some(Phase::Forward) => {
                    // What is made of weights alone is made once for all micro-batches.
                    let is_copy = flow.storage.is_some() || self.graph.is_weight(value);
                    let when = if is_copy { When::Copied } else { When::Between };
                    is_read(|phase| matches!(phase, Phase::BackwardInput | Phase::BackwardWeight)).then_some(when)
                }
                Some(Phase::Update) => None,
                Some(_) => is_read(|phase| phase == Phase::Update).then_some(When::Behind),
            }
        };
        let place = |flow: &Flow| self.reduced(flow).or_else(|| self.kept(flow)).or_else(|| self.home(flow));
        let held = |(value, flow)| Some((value, when(value, flow)?, place(flow)?));
        self.in_order().into_iter().filter_map(held).collect()
    }

    /// Seconds of the kernels of a node with these layouts, in a step.
    pub(crate) fn kernels(&self, node: usize, choice: &[usize]) -> f64 {
        let OpNode { group, times, .. } = self.graph.groups.nodes[node];
        times as f64 * self.laid_out.columns[node].seconds[choice[group]]
    }

    /// By value that is brought from one layout to another, the seconds of that.
    pub(crate) fn moves(&mut self, assumptions: &Assumptions, choice: &[usize]) -> Vec<(ValueId, f64)> {
        let overlap = assumptions.overlap.unwrap_or(Overlap::EITHER[0]);
        let moves = self.all_moves(assumptions.sharded_storage);
        let seconds = |one: &Move| {
            let width = self.pricing.layouts(one.to.1).len();
            times(one.weight(overlap), one.table[choice[one.from.0] * width + choice[one.to.0]])
        };
        moves.iter().map(|one| (one.value, seconds(one))).collect()
    }

    /// By value that is held for longer, when, and its bytes on a device.
    pub(crate) fn held(&self, choice: &[usize]) -> Vec<(ValueId, When, f64)> {
        let bytes = |value: ValueId, (group, column): Place| {
            let layout = self.pricing.layouts(column)[choice[group]];
            self.pricing.bytes(self.graph.program.ty(value), layout) as f64
        };
        self.all_held().into_iter().map(|(value, when, place)| (value, when, bytes(value, place))).collect()
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

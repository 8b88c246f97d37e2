//! Simulation of a chain of stages, in given orders or by greedy rules.
//!
//! Micro-batches stay in order, so that counters determine which works are ready: the next forward pass if the previous
//! stage has completed more of them than this stage, and the next gradient of operands if the next stage has.

use crate::pipelining::schedule::ScheduleBuilder;
use partita_cost::simulate::OrderedTime;
use partita_ir::schedule::Work;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Durations of a stage for one micro-batch, in seconds. Work that does not exist has duration 0 and keeps its place in
/// the chain.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct StageDurations {
    forward: f64,
    input: f64,
    weight: f64,
    /// True if the stage has a backward pass.
    pub(super) has_backward: bool,
}

impl StageDurations {
    /// Returns the durations of a stage, summed over its chunks.
    pub(super) fn from_builder(builder: &ScheduleBuilder<'_>, stage: usize) -> StageDurations {
        let chunks = builder.runs[stage].clone();
        let parts = &builder.input.parts.chunks;
        let seconds = |work: Work| {
            let with_work = chunks.clone().filter(|&chunk| parts[chunk].has(work));
            with_work.filter_map(|chunk| builder.input.durations.get(chunk)).map(|d| d.seconds(work)).sum()
        };
        StageDurations {
            forward: seconds(Work::Forward),
            input: seconds(Work::BackwardInput),
            weight: seconds(Work::BackwardWeight),
            has_backward: parts[chunks.clone()].iter().any(|part| part.has_backward()),
        }
    }

    /// Returns true if gradients of parameters are no longer than the idle time that they fill. The orders of the paper
    /// are then optimal.
    pub(super) fn is_paper_order_optimal(&self) -> bool {
        self.has_backward && self.weight <= self.forward.min(self.input)
    }

    fn seconds(&self, work: Work) -> f64 {
        match work {
            Work::Forward => self.forward,
            Work::BackwardInput => self.input,
            Work::BackwardWeight => self.weight,
            Work::Backward => self.input + self.weight,
        }
    }
}

/// Limits that decide which work a stage may start.
#[derive(Clone, Copy, Debug)]
pub(super) struct GreedyRules {
    /// Largest number of micro-batches between forward pass and gradient of operands.
    max_open: u32,
    /// Largest number of micro-batches between forward pass and gradient of parameters.
    max_stored: u32,
    /// Fraction of a gradient of parameters that must be done before a more urgent work becomes ready.
    fill: f64,
}

impl GreedyRules {
    /// Returns rules with these limits; `limit` replaces both if given.
    pub(super) fn new(limit: Option<usize>, open: usize, max_stored: usize, fill: f64) -> GreedyRules {
        let narrow = |count: usize| u32::try_from(limit.unwrap_or(count).max(1)).unwrap_or(u32::MAX);
        GreedyRules { max_open: narrow(open), max_stored: narrow(max_stored), fill }
    }
}

/// Result of a simulation.
#[derive(Clone, Debug)]
pub(super) struct SimulatedSchedule {
    /// The works of each stage, with micro-batches, in order.
    pub(super) orders: Vec<Vec<(Work, u32)>>,
    /// Time until all work is done, in seconds.
    pub(super) makespan: f64,
    /// Longest time of a stage between the beginning of its first and the end of its last work, in seconds.
    pub(super) span: f64,
}

/// Simulates the given orders.
pub(super) fn simulate_orders(stages: &[StageDurations], orders: &[Vec<(Work, u32)>]) -> SimulatedSchedule {
    let next = |chain: &StageSimulation<'_>, stage: usize| {
        let next = orders[stage].get(chain.orders[stage].len()).map(|slot| slot.0);
        next.filter(|&work| chain.is_ready(stage, work))
    };
    StageSimulation::new(stages, u32::MAX).run(next)
}

/// Finds orders by greedy simulation.
pub(super) fn simulate_greedy(
    stages: &[StageDurations],
    micro_batches: u32,
    rules: &[GreedyRules],
) -> SimulatedSchedule {
    StageSimulation::new(stages, micro_batches).run(|chain, stage| chain.choose(stage, rules[stage]))
}

/// Number of completed works of a stage, by kind.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    forward: u32,
    input: u32,
    weight: u32,
}

/// State of the simulation at one time.
struct StageSimulation<'a> {
    stages: &'a [StageDurations],
    micro_batches: u32,
    now: f64,
    done: Vec<Counts>,
    /// The current work of each stage and its end.
    busy: Vec<Option<(Work, f64)>>,
    ends: BinaryHeap<Reverse<(OrderedTime, usize)>>,
    orders: Vec<Vec<(Work, u32)>>,
    first: Vec<f64>,
    last: Vec<f64>,
}

impl<'a> StageSimulation<'a> {
    fn new(stages: &'a [StageDurations], micro_batches: u32) -> StageSimulation<'a> {
        let count = stages.len();
        StageSimulation {
            stages,
            micro_batches,
            now: 0.0,
            done: vec![Counts::default(); count],
            busy: vec![None; count],
            ends: BinaryHeap::new(),
            orders: vec![Vec::new(); count],
            first: vec![f64::INFINITY; count],
            last: vec![0.0; count],
        }
    }

    /// Runs the simulation until no stage has work. `next` chooses the next work of an idle stage.
    fn run(mut self, mut next: impl FnMut(&StageSimulation<'_>, usize) -> Option<Work>) -> SimulatedSchedule {
        let mut to_check: Vec<usize> = (0..self.stages.len()).collect();
        loop {
            for stage in to_check.drain(..) {
                if self.busy[stage].is_none()
                    && let Some(work) = next(&self, stage)
                {
                    self.begin(stage, work);
                }
            }
            let Some(Reverse((OrderedTime(now), _))) = self.ends.peek().copied() else {
                break;
            };
            self.now = now;
            while let Some(&Reverse((OrderedTime(end), stage))) = self.ends.peek()
                && end <= now
            {
                self.ends.pop();
                self.end(stage);
                to_check.extend(stage.saturating_sub(1)..(stage + 2).min(self.stages.len()));
            }
            to_check.sort_unstable();
            to_check.dedup();
        }
        let spans = self.first.iter().zip(&self.last).map(|(first, last)| (last - first).max(0.0));
        SimulatedSchedule {
            makespan: self.last.iter().copied().fold(0.0, f64::max),
            span: spans.fold(0.0, f64::max),
            orders: self.orders,
        }
    }

    fn begin(&mut self, stage: usize, work: Work) {
        let end = self.now + self.stages[stage].seconds(work);
        let done = self.done[stage];
        let micro_batch = match work {
            Work::Forward => done.forward,
            Work::BackwardInput | Work::Backward => done.input,
            Work::BackwardWeight => done.weight,
        };
        self.orders[stage].push((work, micro_batch));
        // Work that does not exist may come long after everything else and must not extend the span.
        if end > self.now {
            self.first[stage] = self.first[stage].min(self.now);
            self.last[stage] = end;
        }
        self.busy[stage] = Some((work, end));
        self.ends.push(Reverse((OrderedTime(end), stage)));
    }

    fn end(&mut self, stage: usize) {
        let done = &mut self.done[stage];
        match self.busy[stage].take() {
            Some((Work::Forward, _)) => done.forward += 1,
            Some((Work::BackwardInput | Work::Backward, _)) => done.input += 1,
            Some((Work::BackwardWeight, _)) => done.weight += 1,
            None => {}
        }
    }

    /// Returns true if the next work of this kind is ready.
    fn is_ready(&self, stage: usize, work: Work) -> bool {
        let done = self.done[stage];
        let is_last = stage + 1 == self.stages.len();
        match work {
            Work::Forward => {
                done.forward < self.micro_batches && (stage == 0 || done.forward < self.done[stage - 1].forward)
            }
            Work::BackwardInput | Work::Backward => {
                done.input < done.forward && (is_last || done.input < self.done[stage + 1].input)
            }
            Work::BackwardWeight => done.weight < done.input,
        }
    }

    /// Returns the most urgent work that a stage may start.
    fn choose(&self, stage: usize, rules: GreedyRules) -> Option<Work> {
        let (done, seconds) = (self.done[stage], &self.stages[stage]);
        let has_room = !seconds.has_backward
            || (done.forward - done.input < rules.max_open && done.forward - done.weight < rules.max_stored);
        if self.is_ready(stage, Work::BackwardInput) {
            return Some(Work::BackwardInput);
        }
        if has_room && self.is_ready(stage, Work::Forward) {
            return Some(Work::Forward);
        }
        if !self.is_ready(stage, Work::BackwardWeight) {
            return None;
        }
        let is_soon = |neighbour: Option<usize>, awaited: Work, is_next: &dyn Fn(Counts) -> bool| {
            neighbour.and_then(|n| Some((self.done.get(n)?, self.busy.get(n).copied().flatten()?))).is_some_and(
                |(counts, (work, end))| {
                    work == awaited && is_next(*counts) && end - self.now < rules.fill * seconds.weight
                },
            )
        };
        let gradient = is_soon(Some(stage + 1), Work::BackwardInput, &|c| c.input == done.input);
        let forward = has_room && is_soon(stage.checked_sub(1), Work::Forward, &|c| c.forward == done.forward);
        (!gradient && !forward).then_some(Work::BackwardWeight)
    }
}

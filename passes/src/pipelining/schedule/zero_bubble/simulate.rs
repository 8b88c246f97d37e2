//! A chain of stages that carry out works, either in a given order or as rules say.
//!
//! Micro-batches stay in order, so what is there for a stage is a matter of counts: the next forward pass may begin
//! when the stage before has done more of them than this one, the next gradient of operands when the stage behind has.

use crate::pipelining::schedule::Plan;
use partita_cost::simulate::Time;
use partita_ir::schedule::Work;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// How long a stage takes for one micro-batch. What does not exist takes no time, but keeps its place in the chain.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Stage {
    forward: f64,
    input: f64,
    weight: f64,
    /// Whether gradients come to it.
    pub(super) has_backward: bool,
}

impl Stage {
    /// That stage, all its chunks together.
    pub(super) fn of(plan: &Plan<'_>, stage: usize) -> Stage {
        let chunks = plan.runs[stage].clone();
        let parts = &plan.works.parts.chunks;
        let seconds = |work: Work| {
            let having = chunks.clone().filter(|&chunk| parts[chunk].has(work));
            having.filter_map(|chunk| plan.works.durations.get(chunk)).map(|d| d.of(work)).sum()
        };
        Stage {
            forward: seconds(Work::Forward),
            input: seconds(Work::BackwardInput),
            weight: seconds(Work::BackwardWeight),
            has_backward: parts[chunks.clone()].iter().any(|part| part.has_backward()),
        }
    }

    /// Whether gradients of parameters take no longer than what they are to fill, which is when the orders of the paper
    /// leave nothing.
    pub(super) fn is_best_by_hand(&self) -> bool {
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

/// What a stage may do next.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rules {
    /// The most micro-batches between forward pass and gradient of operands.
    open: u32,
    /// The most between forward pass and gradient of parameters.
    kept: u32,
    /// The share of a gradient of parameters that must be done before something more urgent comes.
    fill: f64,
}

impl Rules {
    /// So many, or as many as the limit says.
    pub(super) fn of(limit: Option<usize>, open: usize, kept: usize, fill: f64) -> Rules {
        let narrow = |count: usize| u32::try_from(limit.unwrap_or(count).max(1)).unwrap_or(u32::MAX);
        Rules { open: narrow(open), kept: narrow(kept), fill }
    }
}

/// What came of it.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// By stage, what it did.
    pub(super) orders: Vec<Vec<(Work, u32)>>,
    /// Seconds until all is done.
    pub(super) makespan: f64,
    /// Seconds between the first and the last work of the stage where it is the most.
    pub(super) span: f64,
}

/// Carries out orders.
pub(super) fn replay(stages: &[Stage], orders: &[Vec<(Work, u32)>]) -> Run {
    let next = |chain: &Chain<'_>, stage: usize| {
        let next = orders[stage].get(chain.orders[stage].len()).map(|slot| slot.0);
        next.filter(|&work| chain.is_there(stage, work))
    };
    Chain::of(stages, u32::MAX).run(next)
}

/// Finds orders by rules.
pub(super) fn run(stages: &[Stage], micro_batches: u32, rules: &[Rules]) -> Run {
    Chain::of(stages, micro_batches).run(|chain, stage| chain.choose(stage, rules[stage]))
}

/// How many of each work a stage has done.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    forward: u32,
    input: u32,
    weight: u32,
}

/// The chain at one time.
struct Chain<'a> {
    stages: &'a [Stage],
    micro_batches: u32,
    now: f64,
    done: Vec<Counts>,
    /// By stage, what it is at and when that ends.
    busy: Vec<Option<(Work, f64)>>,
    ends: BinaryHeap<Reverse<(Time, usize)>>,
    orders: Vec<Vec<(Work, u32)>>,
    first: Vec<f64>,
    last: Vec<f64>,
}

impl<'a> Chain<'a> {
    fn of(stages: &'a [Stage], micro_batches: u32) -> Chain<'a> {
        let count = stages.len();
        Chain {
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

    /// Lets each stage do what is said next for it, until nobody has anything to do.
    fn run(mut self, mut next: impl FnMut(&Chain<'_>, usize) -> Option<Work>) -> Run {
        let mut awake: Vec<usize> = (0..self.stages.len()).collect();
        loop {
            for stage in awake.drain(..) {
                if self.busy[stage].is_none()
                    && let Some(work) = next(&self, stage)
                {
                    self.begin(stage, work);
                }
            }
            let Some(Reverse((Time(now), _))) = self.ends.peek().copied() else {
                break;
            };
            self.now = now;
            while let Some(&Reverse((Time(end), stage))) = self.ends.peek()
                && end <= now
            {
                self.ends.pop();
                self.end(stage);
                awake.extend(stage.saturating_sub(1)..(stage + 2).min(self.stages.len()));
            }
            awake.sort_unstable();
            awake.dedup();
        }
        let spans = self.first.iter().zip(&self.last).map(|(first, last)| (last - first).max(0.0));
        Run {
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
        // What does not exist may come when everything else is long done.
        if end > self.now {
            self.first[stage] = self.first[stage].min(self.now);
            self.last[stage] = end;
        }
        self.busy[stage] = Some((work, end));
        self.ends.push(Reverse((Time(end), stage)));
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

    /// Whether what the next work of that sort needs is there.
    fn is_there(&self, stage: usize, work: Work) -> bool {
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

    /// The most urgent of what a stage may do.
    fn choose(&self, stage: usize, rules: Rules) -> Option<Work> {
        let (done, seconds) = (self.done[stage], &self.stages[stage]);
        let has_room = !seconds.has_backward
            || (done.forward - done.input < rules.open && done.forward - done.weight < rules.kept);
        if self.is_there(stage, Work::BackwardInput) {
            return Some(Work::BackwardInput);
        }
        if has_room && self.is_there(stage, Work::Forward) {
            return Some(Work::Forward);
        }
        if !self.is_there(stage, Work::BackwardWeight) {
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

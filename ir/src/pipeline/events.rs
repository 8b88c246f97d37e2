//! What the devices of a stage do, one thing after the other: calls of tasks in the order of the schedule, and what is
//! sent and received between them.
//!
//! A value is received when it is first read, and what is sent is given up when its receiver has it. When that is, time
//! tells that is counted in slots: in it everybody announces what he receives before he waits for anything, so that no
//! cycle of waiting arises.

use super::{Moment, Pipeline, Scope, Transfer};
use crate::schedule::{Slot, Work};
use rustc_hash::FxHashMap;

/// A value in memory: of a cell, and of a micro-batch where it is one of these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instance {
    /// The chunk.
    pub chunk: usize,
    /// Its cell.
    pub cell: usize,
    /// Which of a cell's values it is.
    pub micro_batch: Option<u32>,
}

/// One thing that is done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// Sets to zero.
    Clear(Instance),
    /// Runs a task.
    Call {
        /// Of that chunk.
        chunk: usize,
        /// Which of its tasks.
        task: usize,
        /// For which micro-batch.
        micro_batch: Option<u32>,
    },
    /// Sends, receives, or both where a stage has both chunks.
    Start {
        /// What goes.
        message: Sent,
        /// Whether it is sent from here.
        sends: bool,
        /// Whether it comes here.
        receives: bool,
    },
    /// Waits until a transfer is complete.
    Wait(Sent),
}

/// A transfer, and for which micro-batch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sent {
    /// The transfer.
    pub transfer: usize,
    /// The micro-batch, if it goes for each.
    pub micro_batch: Option<u32>,
}

/// The events of every stage.
pub fn events(pipeline: &Pipeline) -> Vec<Vec<Event>> {
    let times = times(pipeline);
    (0..pipeline.schedule.stages)
        .map(|stage| Writing { pipeline, stage, times: &times, events: Vec::new() }.write())
        .collect()
}

/// When each slot begins and ends, where a forward pass takes one unit of time.
fn times(pipeline: &Pipeline) -> FxHashMap<Slot, (u64, u64)> {
    let schedule = &pipeline.schedule;
    let mut times: FxHashMap<Slot, (u64, u64)> = FxHashMap::default();
    let mut next = vec![0; schedule.stages];
    let mut now = vec![0; schedule.stages];
    loop {
        let before = times.len();
        for (stage, order) in schedule.orders.iter().enumerate() {
            while let Some(&slot) = order.get(next[stage]) {
                let needs = schedule.needs(slot);
                let ends = needs.iter().map(|need| times.get(&need.slot).map(|(_, end)| *end));
                let Some(ready) = ends.collect::<Option<Vec<u64>>>() else { break };
                let start = ready.into_iter().max().unwrap_or(0).max(now[stage]);
                now[stage] = start + if slot.work == Work::Backward { 2 } else { 1 };
                times.insert(slot, (start, now[stage]));
                next[stage] += 1;
            }
        }
        if times.len() == before {
            return times;
        }
    }
}

struct Writing<'p> {
    pipeline: &'p Pipeline,
    stage: usize,
    times: &'p FxHashMap<Slot, (u64, u64)>,
    events: Vec<Event>,
}

impl<'p> Writing<'p> {
    fn write(mut self) -> Vec<Event> {
        let pipeline = self.pipeline;
        for chunk in self.chunks() {
            for (cell, of) in pipeline.chunks[chunk].cells.iter().enumerate() {
                if of.scope == Scope::Sum {
                    self.events.push(Event::Clear(Instance { chunk, cell, micro_batch: None }));
                }
            }
        }
        self.once(Moment::Before);
        self.chunks().for_each(|chunk| self.call(chunk, Moment::Before, None));
        self.slots();
        let levels = pipeline.chunks.iter().flat_map(|chunk| &chunk.tasks).map(|task| task.moment);
        let levels = levels.chain(pipeline.transfers.iter().map(|transfer| transfer.behind));
        let last = levels.filter_map(|moment| if let Moment::After(level) = moment { Some(level) } else { None }).max();
        for level in 0..=last.unwrap_or(0) {
            self.chunks().for_each(|chunk| self.call(chunk, Moment::After(level), None));
            self.once(Moment::After(level));
        }
        self.events
    }

    fn chunks(&self) -> impl Iterator<Item = usize> + use<'p> {
        self.pipeline.chunks_of(self.stage)
    }

    fn is_here(&self, chunk: usize) -> bool {
        self.pipeline.schedule.home[chunk] == self.stage
    }

    fn call(&mut self, chunk: usize, moment: Moment, micro_batch: Option<u32>) {
        let task = self.pipeline.chunks[chunk].tasks.iter().position(|task| task.moment == moment);
        self.events.extend(task.map(|task| Event::Call { chunk, task, micro_batch }));
    }

    /// Sends and receives what goes once, at that moment.
    fn once(&mut self, behind: Moment) {
        let mut waits = Vec::new();
        for (transfer, of) in self.pipeline.transfers.iter().enumerate().filter(|(_, of)| of.behind == behind) {
            let (sends, receives) = (self.is_here(of.from.0), self.is_here(of.to.0));
            if sends || receives {
                let message = Sent { transfer, micro_batch: None };
                self.events.push(Event::Start { message, sends, receives });
                waits.push(Event::Wait(message));
            }
        }
        self.events.extend(waits);
    }

    /// The slots of this stage, with what each of them receives and sends.
    fn slots(&mut self) {
        let pipeline = self.pipeline;
        let order = &pipeline.schedule.orders[self.stage];
        let readers = Readers::of(pipeline, self.stage);
        // What is sent and not known to be received, with the time when it will be.
        let mut open: Vec<(u64, Sent)> = Vec::new();
        for &slot in order {
            let micro_batch = Some(slot.micro_batch);
            let chunk = slot.chunk as usize;
            let (now, _) = self.times.get(&slot).copied().unwrap_or_default();
            let received: Vec<usize> = readers.first_read_by(slot).collect();
            let mut waits = Vec::new();
            for &transfer in &received {
                let message = Sent { transfer, micro_batch };
                // Within a stage it has been received when it was sent.
                if !self.is_here(pipeline.transfers[transfer].from.0) {
                    self.events.push(Event::Start { message, sends: false, receives: true });
                }
                waits.push(Event::Wait(message));
            }
            open.retain(|&(due, message)| {
                if due <= now {
                    self.events.push(Event::Wait(message));
                }
                due > now
            });
            self.events.extend(waits);
            self.call(chunk, Moment::Slot(slot.work), micro_batch);
            for (transfer, of) in pipeline.transfers.iter().enumerate() {
                if of.from.0 == chunk && of.behind == Moment::Slot(slot.work) {
                    let (message, receives) = (Sent { transfer, micro_batch }, self.is_here(of.to.0));
                    self.events.push(Event::Start { message, sends: true, receives });
                    if !receives {
                        open.push((self.received_at(of, slot.micro_batch), message));
                    }
                }
            }
        }
        self.events.extend(open.into_iter().map(|(_, message)| Event::Wait(message)));
    }

    /// When the slot begins that reads a value first.
    fn received_at(&self, transfer: &Transfer, micro_batch: u32) -> u64 {
        let slots = Work::ALL.map(|work| Slot::new(work, micro_batch, transfer.to.0 as u32));
        let readers = slots.iter().filter(|slot| reads(self.pipeline, transfer, slot));
        readers.filter_map(|slot| self.times.get(slot)).map(|(start, _)| *start).min().unwrap_or(u64::MAX)
    }
}

/// Whether a slot reads what a transfer brings.
fn reads(pipeline: &Pipeline, transfer: &Transfer, slot: &Slot) -> bool {
    let chunk = slot.chunk as usize;
    let task = pipeline.chunks[chunk].task(Moment::Slot(slot.work));
    transfer.to.0 == chunk && task.is_some_and(|task| task.takes.contains(&transfer.to.1))
}

/// Which slot of a micro-batch reads first what a transfer brings to this stage.
struct Readers {
    /// By transfer: chunk and work, in the order of slots.
    first: FxHashMap<(usize, Work), Vec<usize>>,
}

impl Readers {
    fn of(pipeline: &Pipeline, stage: usize) -> Readers {
        let mut first: FxHashMap<(usize, Work), Vec<usize>> = FxHashMap::default();
        let order = &pipeline.schedule.orders[stage];
        let is_first = |slot: &&Slot| pipeline.schedule.share(slot.chunk as usize).start == slot.micro_batch;
        let of_first_micro_batch = || order.iter().filter(is_first);
        for (number, transfer) in pipeline.transfers.iter().enumerate() {
            let is_each = matches!(transfer.behind, Moment::Slot(_));
            let slot = of_first_micro_batch().find(|slot| is_each && reads(pipeline, transfer, slot));
            if let Some(slot) = slot {
                first.entry((slot.chunk as usize, slot.work)).or_default().push(number);
            }
        }
        Readers { first }
    }

    fn first_read_by(&self, slot: Slot) -> impl Iterator<Item = usize> + '_ {
        self.first.get(&(slot.chunk as usize, slot.work)).into_iter().flatten().copied()
    }
}

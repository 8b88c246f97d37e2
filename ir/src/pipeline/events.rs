//! Event lists of stages: task calls in the order of the schedule, with the sends and receives between them.
//!
//! A value is received just before its first use, and the sender waits for completion when the receiver has it. That
//! time is estimated on a clock that counts slots. At each slot, a stage starts its receives before it waits for any
//! transfer, so that waits cannot form a cycle.

use super::{CellScope, Pipeline, TaskTime, Transfer};
use crate::schedule::{Slot, Work};
use rustc_hash::FxHashMap;

/// Value in memory: a cell, together with the micro-batch if the cell has one value per micro-batch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instance {
    /// Chunk index.
    pub chunk: usize,
    /// Cell index within the chunk.
    pub cell: usize,
    /// Micro-batch index; `None` for cells with one value per step.
    pub micro_batch: Option<u32>,
}

/// Action of the devices of a stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// Sets a value to zero.
    Clear(Instance),
    /// Runs a task.
    Call {
        /// Chunk of the task.
        chunk: usize,
        /// Task index within the chunk.
        task: usize,
        /// Micro-batch index; `None` for tasks that run once per step.
        micro_batch: Option<u32>,
    },
    /// Starts a send, a receive, or both if the stage has both chunks.
    Start {
        /// Transferred value.
        message: TransferId,
        /// True if this stage is the sender.
        sends: bool,
        /// True if this stage is the receiver.
        receives: bool,
    },
    /// Waits for the completion of a transfer.
    Wait(TransferId),
}

/// Transfer of one micro-batch, or of a value that is sent once per step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TransferId {
    /// Index of the transfer.
    pub transfer: usize,
    /// Micro-batch index; `None` for transfers once per step.
    pub micro_batch: Option<u32>,
}

/// Returns the events of each stage.
pub fn events(pipeline: &Pipeline) -> Vec<Vec<Event>> {
    let slot_times = slot_times(pipeline);
    (0..pipeline.schedule.stages)
        .map(|stage| EventListBuilder { pipeline, stage, slot_times: &slot_times, events: Vec::new() }.build())
        .collect()
}

/// Returns the start and end of each slot, in units of the duration of a forward pass.
fn slot_times(pipeline: &Pipeline) -> FxHashMap<Slot, (u64, u64)> {
    let schedule = &pipeline.schedule;
    let mut slot_times: FxHashMap<Slot, (u64, u64)> = FxHashMap::default();
    let mut next = vec![0; schedule.stages];
    let mut now = vec![0; schedule.stages];
    loop {
        let before = slot_times.len();
        for (stage, order) in schedule.orders.iter().enumerate() {
            while let Some(&slot) = order.get(next[stage]) {
                let needs = schedule.needs(slot);
                let ends = needs.iter().map(|need| slot_times.get(&need.slot).map(|(_, end)| *end));
                let Some(ready) = ends.collect::<Option<Vec<u64>>>() else { break };
                let start = ready.into_iter().max().unwrap_or(0).max(now[stage]);
                now[stage] = start + if slot.work == Work::Backward { 2 } else { 1 };
                slot_times.insert(slot, (start, now[stage]));
                next[stage] += 1;
            }
        }
        if slot_times.len() == before {
            return slot_times;
        }
    }
}

struct EventListBuilder<'p> {
    pipeline: &'p Pipeline,
    stage: usize,
    slot_times: &'p FxHashMap<Slot, (u64, u64)>,
    events: Vec<Event>,
}

impl<'p> EventListBuilder<'p> {
    fn build(mut self) -> Vec<Event> {
        let pipeline = self.pipeline;
        for chunk in self.chunks() {
            for (cell, of) in pipeline.chunks[chunk].cells.iter().enumerate() {
                if of.scope == CellScope::Sum {
                    self.events.push(Event::Clear(Instance { chunk, cell, micro_batch: None }));
                }
            }
        }
        self.transfer_once(TaskTime::Before);
        self.chunks().for_each(|chunk| self.call(chunk, TaskTime::Before, None));
        self.slots();
        let levels = pipeline.chunks.iter().flat_map(|chunk| &chunk.tasks).map(|task| task.moment);
        let levels = levels.chain(pipeline.transfers.iter().map(|transfer| transfer.after));
        let last =
            levels.filter_map(|moment| if let TaskTime::After(level) = moment { Some(level) } else { None }).max();
        for level in 0..=last.unwrap_or(0) {
            self.chunks().for_each(|chunk| self.call(chunk, TaskTime::After(level), None));
            self.transfer_once(TaskTime::After(level));
        }
        self.events
    }

    fn chunks(&self) -> impl Iterator<Item = usize> + use<'p> {
        self.pipeline.chunks_of(self.stage)
    }

    fn is_local(&self, chunk: usize) -> bool {
        self.pipeline.schedule.stage_of_chunk[chunk] == self.stage
    }

    fn call(&mut self, chunk: usize, moment: TaskTime, micro_batch: Option<u32>) {
        let task = self.pipeline.chunks[chunk].tasks.iter().position(|task| task.moment == moment);
        self.events.extend(task.map(|task| Event::Call { chunk, task, micro_batch }));
    }

    /// Appends the transfers that happen once per step, at time `after`.
    fn transfer_once(&mut self, after: TaskTime) {
        let mut waits = Vec::new();
        for (transfer, of) in self.pipeline.transfers.iter().enumerate().filter(|(_, of)| of.after == after) {
            let (sends, receives) = (self.is_local(of.from.0), self.is_local(of.to.0));
            if sends || receives {
                let message = TransferId { transfer, micro_batch: None };
                self.events.push(Event::Start { message, sends, receives });
                waits.push(Event::Wait(message));
            }
        }
        self.events.extend(waits);
    }

    /// Appends the slots of this stage with their receives and sends.
    fn slots(&mut self) {
        let pipeline = self.pipeline;
        let order = &pipeline.schedule.orders[self.stage];
        let readers = FirstReaders::new(pipeline, self.stage);
        // Started sends whose completion was not awaited yet, with the time of their receipt.
        let mut open: Vec<(u64, TransferId)> = Vec::new();
        for &slot in order {
            let micro_batch = Some(slot.micro_batch);
            let chunk = slot.chunk as usize;
            let (now, _) = self.slot_times.get(&slot).copied().unwrap_or_default();
            let received: Vec<usize> = readers.first_read_by(slot).collect();
            let mut waits = Vec::new();
            for &transfer in &received {
                let message = TransferId { transfer, micro_batch };
                // A transfer within the stage is received when it is sent.
                if !self.is_local(pipeline.transfers[transfer].from.0) {
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
            self.call(chunk, TaskTime::Slot(slot.work), micro_batch);
            for (transfer, of) in pipeline.transfers.iter().enumerate() {
                if of.from.0 == chunk && of.after == TaskTime::Slot(slot.work) {
                    let (message, receives) = (TransferId { transfer, micro_batch }, self.is_local(of.to.0));
                    self.events.push(Event::Start { message, sends: true, receives });
                    if !receives {
                        open.push((self.received_at(of, slot.micro_batch), message));
                    }
                }
            }
        }
        self.events.extend(open.into_iter().map(|(_, message)| Event::Wait(message)));
    }

    /// Returns the start of the first slot that reads the transferred value.
    fn received_at(&self, transfer: &Transfer, micro_batch: u32) -> u64 {
        let slots = Work::ALL.map(|work| Slot::new(work, micro_batch, transfer.to.0 as u32));
        let readers = slots.iter().filter(|slot| reads(self.pipeline, transfer, slot));
        readers.filter_map(|slot| self.slot_times.get(slot)).map(|(start, _)| *start).min().unwrap_or(u64::MAX)
    }
}

/// Returns true if a slot reads the transferred value.
fn reads(pipeline: &Pipeline, transfer: &Transfer, slot: &Slot) -> bool {
    let chunk = slot.chunk as usize;
    let task = pipeline.chunks[chunk].task(TaskTime::Slot(slot.work));
    transfer.to.0 == chunk && task.is_some_and(|task| task.input_cells.contains(&transfer.to.1))
}

/// Transfers to a stage, grouped by the slot of a micro-batch that reads their value first.
struct FirstReaders {
    /// Transfers by chunk and work of the first reader, in slot order.
    first: FxHashMap<(usize, Work), Vec<usize>>,
}

impl FirstReaders {
    fn new(pipeline: &Pipeline, stage: usize) -> FirstReaders {
        let mut first: FxHashMap<(usize, Work), Vec<usize>> = FxHashMap::default();
        let order = &pipeline.schedule.orders[stage];
        let is_first = |slot: &&Slot| pipeline.schedule.share(slot.chunk as usize).start == slot.micro_batch;
        let of_first_micro_batch = || order.iter().filter(is_first);
        for (number, transfer) in pipeline.transfers.iter().enumerate() {
            let is_each = matches!(transfer.after, TaskTime::Slot(_));
            let slot = of_first_micro_batch().find(|slot| is_each && reads(pipeline, transfer, slot));
            if let Some(slot) = slot {
                first.entry((slot.chunk as usize, slot.work)).or_default().push(number);
            }
        }
        FirstReaders { first }
    }

    fn first_read_by(&self, slot: Slot) -> impl Iterator<Item = usize> + '_ {
        self.first.get(&(slot.chunk as usize, slot.work)).into_iter().flatten().copied()
    }
}

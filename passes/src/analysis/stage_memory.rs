//! What one device of each stage holds over a step: inputs and outputs, which are there all the time, and what shares a block by lives.
//!
//! What tasks hand each other lies in cells. A cell of a micro-batch is held from the task that gives it, or from when it is received for
//! its first reader, to its last reader, or to when who gets it has it; a sum from the beginning; a task's own values ([`frame`]) while
//! it runs. Of each micro-batch the same is held, so that cells that come and go together are counted together.
//!
//! Who has to find places for values that come and go cannot fill all gaps. What is measured of that is [`FRAGMENTATION`].

use super::cost::frame::{ALIGN, frame};
use super::pipeline::{Costs, Kept, Role, step};
use crate::schedule::Durations;
use partita_ir::pipeline::{Moment, Pipeline, Scope, Task};
use partita_ir::schedule::{Slot, Work};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// How much larger the block is than what lies in it at the fullest time. Places by size leave no gap there in most stages that
/// `tests/pipeline_memory.rs` compares, and make the block larger by a tenth at most.
pub const FRAGMENTATION: f64 = 1.0;

/// What a device of a stage holds.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Held {
    /// Parameters, state and data.
    pub inputs: u64,
    /// Outputs that do not replace an input.
    pub outputs: u64,
    /// What is held from the first to the last micro-batch, beside inputs: sums, and what is made before.
    pub sums: u64,
    /// The most bytes that one task needs for itself.
    pub largest_frame: u64,
    /// By chunk of the stage, what is kept of a micro-batch from its forward part on.
    pub kept: Vec<(usize, Kept)>,
    /// The most bytes at one time, inputs and outputs included.
    pub peak: u64,
}

impl Held {
    /// What is there all the time.
    pub fn always(&self) -> u64 {
        self.inputs.saturating_add(self.outputs).saturating_add(self.sums)
    }
}

/// By stage. `frames` says what the task of a chunk needs for itself: [`frames`].
pub fn held(pipeline: &Pipeline, frames: &[Vec<u64>]) -> Vec<Held> {
    let times = times(pipeline);
    let stages = 0..pipeline.schedule.stages;
    stages.map(|stage| Walk::of(pipeline, frames, &times, stage).held()).collect()
}

/// By chunk and task, what it needs for itself.
pub fn frames(pipeline: &Pipeline) -> Vec<Vec<u64>> {
    let of_task = |task: &Task| frame(&task.program).next_multiple_of(ALIGN);
    pipeline.chunks.iter().map(|chunk| chunk.tasks.iter().map(of_task).collect()).collect()
}

/// When slots begin, where a forward pass takes one unit of time and both gradients take two.
fn times(pipeline: &Pipeline) -> FxHashMap<Slot, f64> {
    let durations = vec![Durations::new(1.0, 1.0, 1.0); pipeline.chunks.len()];
    let Ok(step) = step(&pipeline.schedule, &Costs { durations, ..Costs::default() }) else {
        return FxHashMap::default();
    };
    let slots = step.roles.iter().zip(&step.outcome.times);
    let start = |(role, time): (&Role, &super::simulate::Interval)| match *role {
        Role::Slot { slot, .. } => Some((slot, time.start)),
        Role::Transfer { .. } | Role::Once { .. } | Role::Sent { .. } => None,
    };
    slots.filter_map(start).collect()
}

/// From when to when a value of a micro-batch is held: the work that gives it, or the transfer that brings it; the works that read it, and
/// the transfers that send it.
type Life = (Option<Work>, Option<usize>, Vec<Work>, Vec<usize>);

/// Goes over the instants of a stage.
struct Walk<'p> {
    pipeline: &'p Pipeline,
    frames: &'p [Vec<u64>],
    times: &'p FxHashMap<Slot, f64>,
    stage: usize,
    chunks: Vec<usize>,
    /// By slot, its number.
    places: FxHashMap<Slot, usize>,
    levels: usize,
    /// By instant, what is held more or less than before.
    changes: Vec<i64>,
}

/// The instants of a stage: at first sums are cleared and parameters received; then each chunk has one before the micro-batches; each slot
/// has three, when it receives, computes and sends; and of each level there is one for each chunk, and one when values are sent.
impl<'p> Walk<'p> {
    fn of(pipeline: &'p Pipeline, frames: &'p [Vec<u64>], times: &'p FxHashMap<Slot, f64>, stage: usize) -> Walk<'p> {
        let order = &pipeline.schedule.orders[stage];
        let chunks = (0..pipeline.chunks.len()).filter(|&chunk| pipeline.schedule.home[chunk] == stage).collect();
        let moments = pipeline.chunks.iter().flat_map(|chunk| &chunk.tasks).map(|task| task.moment);
        let moments = moments.chain(pipeline.transfers.iter().map(|transfer| transfer.behind));
        let levels =
            moments.filter_map(|moment| if let Moment::After(level) = moment { Some(level + 1) } else { None });
        let levels = levels.max().unwrap_or(0);
        let walk = Walk {
            pipeline,
            frames,
            times,
            stage,
            chunks,
            places: order.iter().enumerate().map(|(place, &slot)| (slot, place)).collect(),
            levels,
            changes: Vec::new(),
        };
        Walk { changes: vec![0; walk.end() + 1], ..walk }
    }

    fn order(&self) -> &'p [Slot] {
        &self.pipeline.schedule.orders[self.stage]
    }

    /// When a chunk does what comes before its micro-batches.
    fn before(&self, chunk: usize) -> usize {
        1 + self.turn(chunk)
    }

    fn receiving(&self, place: usize) -> usize {
        1 + self.chunks.len() + 3 * place
    }

    fn computing(&self, place: usize) -> usize {
        self.receiving(place) + 1
    }

    fn sending(&self, place: usize) -> usize {
        self.receiving(place) + 2
    }

    /// When a chunk does what is of a level.
    fn level(&self, level: usize, chunk: usize) -> usize {
        self.receiving(self.order().len()) + level * (self.chunks.len() + 1) + self.turn(chunk)
    }

    /// When what stands behind a level is sent and received.
    fn behind(&self, level: usize) -> usize {
        self.receiving(self.order().len()) + level * (self.chunks.len() + 1) + self.chunks.len()
    }

    /// Which of the stage's chunks it is: they take turns.
    fn turn(&self, chunk: usize) -> usize {
        self.chunks.iter().position(|&c| c == chunk).unwrap_or(0)
    }

    fn end(&self) -> usize {
        self.behind(self.levels)
    }

    /// Holds bytes from one instant to another.
    fn hold(&mut self, bytes: u64, first: usize, last: usize) {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        self.changes[first] += bytes;
        if let Some(behind) = self.changes.get_mut(last + 1) {
            *behind -= bytes;
        }
    }

    fn bytes(&self, chunk: usize, cell: usize) -> u64 {
        self.pipeline.chunks[chunk].cells[cell].local_type().bytes().next_multiple_of(ALIGN)
    }

    fn held(mut self) -> Held {
        let mut held = Held::default();
        for chunk in self.chunks.clone() {
            self.ports(chunk, &mut held);
            self.cells(chunk, &mut held);
            self.own(chunk, &mut held);
        }
        let mut now = 0i64;
        let most = self.changes.iter().map(|change| {
            now += change;
            now
        });
        let block = most.max().unwrap_or(0).max(0) as f64 * FRAGMENTATION;
        held.peak = held.inputs.saturating_add(held.outputs).saturating_add(block as u64);
        held
    }

    /// What tasks need for themselves.
    fn own(&mut self, chunk: usize, held: &mut Held) {
        for (task, of) in self.pipeline.chunks[chunk].tasks.iter().enumerate() {
            let bytes = self.frames[chunk][task];
            held.largest_frame = held.largest_frame.max(bytes);
            match of.moment {
                Moment::Before => {
                    let at = self.before(chunk);
                    self.hold(bytes, at, at);
                }
                Moment::After(level) => {
                    let at = self.level(level, chunk);
                    self.hold(bytes, at, at);
                }
                Moment::Slot(work) => {
                    for (place, slot) in self.order().iter().enumerate() {
                        if slot.chunk as usize == chunk && slot.work == work {
                            let at = self.computing(place);
                            self.hold(bytes, at, at);
                        }
                    }
                }
            }
        }
    }

    /// Inputs, and outputs that do not lie where an input is.
    fn ports(&self, chunk: usize, held: &mut Held) {
        let of = &self.pipeline.chunks[chunk];
        let exact = |cell: usize| of.cells[cell].local_type().bytes();
        let fixed = self.fixed(chunk);
        held.inputs += of.inputs.iter().filter(|port| fixed.contains(&port.cell)).map(|p| exact(p.cell)).sum::<u64>();
        let replacing = replacing(of);
        held.outputs += of.outputs.iter().filter(|p| !replacing.contains(&p.cell)).map(|p| exact(p.cell)).sum::<u64>();
    }

    /// The cells of inputs that come from outside.
    fn fixed(&self, chunk: usize) -> FxHashSet<usize> {
        let received = self.pipeline.transfers.iter().filter(|t| t.behind == Moment::Before && t.to.0 == chunk);
        let received: FxHashSet<usize> = received.map(|t| t.to.1).collect();
        let inputs = self.pipeline.chunks[chunk].inputs.iter().map(|port| port.cell);
        inputs.filter(|cell| !received.contains(cell)).collect()
    }

    /// What lies in the block.
    fn cells(&mut self, chunk: usize, held: &mut Held) {
        let of = &self.pipeline.chunks[chunk];
        let mut elsewhere = self.fixed(chunk);
        elsewhere.extend(of.outputs.iter().map(|port| port.cell));
        elsewhere.extend(replacing(of));
        elsewhere.extend(of.number);
        // Together what comes and goes together.
        let mut together: BTreeMap<Life, u64> = BTreeMap::new();
        let mut kept = Kept::default();
        for cell in (0..of.cells.len()).filter(|cell| !elsewhere.contains(cell)) {
            let bytes = self.bytes(chunk, cell);
            let gives = of.tasks.iter().find(|task| task.gives.contains(&cell)).map(|task| task.moment);
            let takes: Vec<Moment> =
                of.tasks.iter().filter(|task| task.takes.contains(&cell)).map(|task| task.moment).collect();
            let numbered = || self.pipeline.transfers.iter().enumerate();
            let sent: Vec<usize> = numbered().filter(|(_, t)| t.from == (chunk, cell)).map(|(n, _)| n).collect();
            let got = numbered().find(|(_, t)| t.to == (chunk, cell)).map(|(n, _)| n);
            if of.cells[cell].scope == Scope::MicroBatch {
                let work = |moment: &Moment| if let Moment::Slot(work) = moment { Some(*work) } else { None };
                let readers: Vec<Work> = takes.iter().filter_map(work).collect();
                let given = gives.as_ref().and_then(work);
                if given == Some(Work::Forward) || given.is_none() {
                    if readers.contains(&Work::BackwardWeight) {
                        kept.weight += bytes as i64;
                    } else if readers.iter().any(|&work| work != Work::Forward) {
                        kept.input += bytes as i64;
                    }
                }
                *together.entry((given, got, readers, sent)).or_default() += bytes;
            } else {
                self.once(chunk, (bytes, of.cells[cell].scope), gives, &takes, (&sent, got), held);
            }
        }
        for ((given, got, readers, sent), bytes) in together {
            for micro_batch in 0..self.pipeline.schedule.micro_batches {
                self.each(chunk, micro_batch, (given, got), (&readers, &sent), bytes);
            }
        }
        held.kept.push((chunk, kept));
    }

    /// A value of a micro-batch.
    fn each(
        &mut self,
        chunk: usize,
        micro_batch: u32,
        (given, got): (Option<Work>, Option<usize>),
        (readers, sent): (&[Work], &[usize]),
        bytes: u64,
    ) {
        let place = |work: Work| self.places.get(&Slot::new(work, micro_batch, chunk as u32)).copied();
        let reads: Vec<usize> = readers.iter().filter_map(|&work| place(work)).collect();
        let first_read = reads.iter().min().copied();
        let from_here = |transfer: usize| self.pipeline.schedule.home[self.pipeline.transfers[transfer].from.0];
        let first = match (given, got) {
            (Some(work), _) => place(work).map(|place| self.computing(place)),
            // Within a stage it is there when it is sent.
            (None, Some(transfer)) if from_here(transfer) == self.stage => {
                let of = &self.pipeline.transfers[transfer];
                let giver = if let Moment::Slot(work) = of.behind { Some(work) } else { None };
                let slot = giver.map(|work| Slot::new(work, micro_batch, of.from.0 as u32));
                slot.and_then(|slot| self.places.get(&slot)).map(|&place| self.sending(place))
            }
            (None, _) => first_read.map(|place| self.receiving(place)),
        };
        let Some(first) = first else { return };
        let last = reads.iter().max().map_or(first, |&place| self.computing(place));
        let sends = |_: &usize| given.and_then(place).map_or(0, |place| self.sending(place));
        let last = sent.iter().map(sends).fold(last, usize::max);
        let last = sent.iter().map(|&transfer| self.received(transfer, micro_batch)).fold(last.max(first), usize::max);
        self.hold(bytes, first, last);
    }

    /// The instant of this stage at which a value that it sends is known to be received.
    fn received(&self, transfer: usize, micro_batch: u32) -> usize {
        let of = &self.pipeline.transfers[transfer];
        let (chunk, cell) = of.to;
        let stage = self.pipeline.schedule.home[chunk];
        let reads = |slot: &&Slot| {
            slot.micro_batch == micro_batch
                && slot.chunk as usize == chunk
                && self.pipeline.chunks[chunk].task(Moment::Slot(slot.work)).is_some_and(|t| t.takes.contains(&cell))
        };
        let works = Work::ALL.map(|work| Slot::new(work, micro_batch, chunk as u32));
        let due =
            works.iter().filter(reads).filter_map(|slot| self.times.get(slot)).copied().fold(f64::INFINITY, f64::min);
        let sender = if let Moment::Slot(work) = of.behind { work } else { Work::Forward };
        let sent_at = self.places.get(&Slot::new(sender, micro_batch, of.from.0 as u32)).copied().unwrap_or(0);
        let behind = &self.order()[(sent_at + 1).min(self.order().len())..];
        if stage == self.stage {
            let place = works.iter().filter(reads).filter_map(|slot| self.places.get(slot)).min();
            return place.map_or_else(|| self.computing(sent_at), |&place| self.receiving(place));
        }
        let known = behind.partition_point(|slot| self.times.get(slot).is_some_and(|&start| start < due));
        if known < behind.len() {
            self.receiving(sent_at + 1 + known)
        } else {
            self.receiving(self.order().len()).saturating_sub(1)
        }
    }

    /// A value that is there once in a step.
    fn once(
        &mut self,
        chunk: usize,
        (bytes, scope): (u64, Scope),
        gives: Option<Moment>,
        takes: &[Moment],
        (sent, got): (&[usize], Option<usize>),
        held: &mut Held,
    ) {
        let at = |moment: Moment, is_last: bool| match moment {
            Moment::Before => self.before(chunk),
            Moment::After(level) => self.level(level, chunk),
            Moment::Slot(work) => {
                let mine = |slot: &Slot| slot.chunk as usize == chunk && slot.work == work;
                let place =
                    if is_last { self.order().iter().rposition(mine) } else { self.order().iter().position(mine) };
                place.map_or(self.before(chunk), |place| self.computing(place))
            }
        };
        let first = match (scope, gives, got) {
            (Scope::Sum, ..) => 0,
            (_, Some(moment), _) => at(moment, false),
            (_, None, Some(transfer)) => match self.pipeline.transfers[transfer].behind {
                Moment::After(level) => self.behind(level),
                Moment::Before | Moment::Slot(_) => 0,
            },
            (_, None, None) => 0,
        };
        let last = takes.iter().map(|&moment| at(moment, true)).chain(gives.map(|moment| at(moment, true)));
        let until = sent.iter().map(|&transfer| match self.pipeline.transfers[transfer].behind {
            Moment::After(level) => self.behind(level),
            Moment::Before | Moment::Slot(_) => 0,
        });
        let last = last.chain(until).max().unwrap_or(first).max(first).min(self.end());
        if first < self.receiving(0) && last > self.receiving(0) {
            held.sums += bytes;
        }
        self.hold(bytes, first, last);
    }
}

/// The cells of outputs that replace inputs, and of what lies where these do.
fn replacing(chunk: &partita_ir::pipeline::Chunk) -> FxHashSet<usize> {
    let inputs: FxHashSet<usize> = chunk.inputs.iter().map(|port| port.cell).collect();
    let mut found = FxHashSet::default();
    for task in &chunk.tasks {
        for (output, &cell) in task.program.main().outputs.iter().zip(&task.gives) {
            let replaced = output.alias.map(|param| task.program.params[param].value);
            let taken = replaced.and_then(|value| task.program.main().inputs.iter().position(|&v| v == value));
            if taken.is_some_and(|taken| inputs.contains(&task.takes[taken])) {
                found.insert(cell);
            }
        }
    }
    found
}

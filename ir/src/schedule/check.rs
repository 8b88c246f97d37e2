//! Verification of schedules: every slot occurs once and on its stage, and execution cannot deadlock.
//!
//! A stage executes its slots in order, each as soon as its dependencies are satisfied. Freedom from deadlock is shown
//! by executing the schedule without timing. Dependencies ensure that a backward pass follows the forward pass of its
//! micro-batch, and that every receive has one send. All slots of a step precede the parameter update, so forward and
//! backward passes use the same parameters.

mod error;

pub use error::{BlockedSlot, ScheduleError};

use super::{ChunkWork, Schedule, ScheduleKind, Slot, StepWork, Work};
use smallvec::SmallVec;
use std::ops::{Deref, Range};

/// Schedule that [`check`] has verified.
#[derive(Clone, Debug)]
pub struct CheckedSchedule {
    schedule: Schedule,
    work: StepWork,
    table: SlotTable,
    in_flight: Vec<usize>,
}

/// Dependency of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dependency {
    /// Slot that must be complete.
    pub slot: Slot,
    /// Stage of that slot.
    pub stage: usize,
    /// Position of that slot in the order of its stage.
    pub position: usize,
    /// Chunks (from, to) between which a value is passed; `None` for an ordering dependency.
    pub edge: Option<(usize, usize)>,
}

/// Slot that reads a result of another slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResultReader {
    /// Reading slot.
    pub slot: Slot,
    /// Stage of the reading slot. The result is sent if it differs from the stage of the producer.
    pub stage: usize,
    /// Chunks (from, to) of the edge: results are passed from the first to the second, gradients from the second to the
    /// first.
    pub edge: (usize, usize),
}

impl CheckedSchedule {
    /// Returns the maximum number of (micro-batch, chunk) pairs in flight at each stage, from the forward pass to the
    /// end of the backward pass. Chunks without a backward pass store no activations and are not counted.
    pub fn in_flight(&self) -> &[usize] {
        &self.in_flight
    }

    /// Returns the work and dependencies that the schedule covers.
    pub fn work(&self) -> &StepWork {
        &self.work
    }

    /// Returns the micro-batches of each replica.
    pub fn shares(&self) -> Vec<Range<u32>> {
        let mut shares: Vec<Range<u32>> = (0..self.chunks).map(|chunk| self.share(chunk)).collect();
        shares.dedup();
        shares
    }

    /// Returns a summary for messages: `1f1b with 12 micro-batches (4 + 8)`, with the number of micro-batches of each
    /// replica.
    pub fn summary(&self) -> String {
        let text = format!(
            "{} with {} micro-batch{}",
            self.name,
            self.micro_batches,
            if self.micro_batches == 1 { "" } else { "es" }
        );
        match &self.shares()[..] {
            [] | [_] => text,
            shares => {
                let counts: Vec<String> = shares.iter().map(|share| share.len().to_string()).collect();
                format!("{text} ({})", counts.join(" + "))
            }
        }
    }

    /// Returns the micro-batches that a chunk processes.
    pub fn share(&self, chunk: usize) -> Range<u32> {
        self.work.share(chunk, self.micro_batches)
    }

    /// Returns the dependencies of a slot, except for the order of slots on its stage.
    pub fn needs(&self, slot: Slot) -> SmallVec<[Dependency; 4]> {
        self.table.needs(&self.schedule, &self.work, slot)
    }

    /// Returns the slots that read the results of a slot, in the order of edges. The inverse of
    /// [`CheckedSchedule::needs`] for dependencies with an edge.
    pub fn readers(&self, slot: Slot) -> SmallVec<[ResultReader; 4]> {
        let chunk = slot.chunk as usize;
        let is_forward = slot.work == Work::Forward;
        let edges = self.work.edges.iter().filter(|edge| match slot.work {
            Work::Forward => edge.0 == chunk,
            Work::Backward | Work::BackwardInput => edge.1 == chunk && self.work.carries_gradient(**edge),
            Work::BackwardWeight => false,
        });
        let mut readers: SmallVec<[ResultReader; 4]> = SmallVec::new();
        for &edge in edges {
            let to = if is_forward { edge.1 } else { edge.0 };
            // In a split backward pass, the first part reads the gradient.
            let kind = if is_forward { 0 } else { 2 - usize::from(self.work.chunks[to].backward_input) };
            let reader = self.table.need(&self.schedule, (slot.micro_batch, to, kind), Some(edge));
            let reader = reader.map(|need| ResultReader { slot: need.slot, stage: need.stage, edge });
            readers.extend(reader.filter(|reader| !readers.contains(reader)));
        }
        readers
    }
}

impl Deref for CheckedSchedule {
    type Target = Schedule;
    fn deref(&self) -> &Schedule {
        &self.schedule
    }
}

/// Checks that all work is scheduled once per micro-batch on the stage of its chunk, and that execution cannot
/// deadlock.
///
/// # Errors
/// The first violation.
pub fn check(schedule: Schedule, work: StepWork) -> Result<CheckedSchedule, ScheduleError> {
    check_lengths(&schedule, &work)?;
    let table = SlotTable::new(&schedule, &work)?;
    simulate(&schedule, &work, &table)?;
    let in_flight = schedule.orders.iter().map(|order| max_in_flight(order, &work)).collect();
    Ok(CheckedSchedule { schedule, work, table, in_flight })
}

/// Checks the lengths of lists, the stages of chunks, and the directions of edges.
fn check_lengths(schedule: &Schedule, work: &StepWork) -> Result<(), ScheduleError> {
    let Schedule { chunks, stages, .. } = *schedule;
    let is_beyond = |share: &Range<u32>| share.end > schedule.micro_batches;
    if schedule.stage_of_chunk.len() != chunks
        || work.chunks.len() != chunks
        || schedule.orders.len() != stages
        || work.shares.len() > chunks
        || work.shares.iter().any(is_beyond)
    {
        return Err(ScheduleError::WrongLength);
    }
    if let Some((chunk, &stage)) = schedule.stage_of_chunk.iter().enumerate().find(|(_, stage)| **stage >= stages) {
        return Err(ScheduleError::UnknownStage { chunk, stage });
    }
    if let Some(chunk) = work.chunks.iter().position(|part| part.has_backward() && !part.forward) {
        return Err(ScheduleError::BackwardWithoutForward { chunk });
    }
    for &(from, to) in &work.edges {
        if from >= to || to >= work.chunks.len() {
            return Err(ScheduleError::InvalidEdge { from, to });
        }
    }
    Ok(())
}

/// Results that slots compute. A full backward pass computes the last two.
const RESULT_KINDS: [Work; 3] = [Work::Forward, Work::BackwardInput, Work::BackwardWeight];

/// Indices in [`RESULT_KINDS`] of the results that a work computes.
fn result_kinds(work: Work) -> &'static [usize] {
    match work {
        Work::Forward => &[0],
        Work::Backward => &[1, 2],
        Work::BackwardInput => &[1],
        Work::BackwardWeight => &[2],
    }
}

/// Position of the slot that computes each result, and the dependencies between chunks.
#[derive(Clone, Debug)]
struct SlotTable {
    /// Column of each (chunk, kind of result), numbering the results of one micro-batch.
    columns: Vec<[Option<usize>; 3]>,
    /// Number of columns.
    width: usize,
    /// Position in the order of the chunk's stage, for each (micro-batch, column).
    positions: Vec<Option<u32>>,
    /// Chunks whose forward results each chunk reads.
    producers: Vec<Vec<usize>>,
    /// Chunks whose gradients each chunk reads.
    readers: Vec<Vec<usize>>,
    /// Total order of the (chunk, kind of result) pairs of one micro-batch in a vanilla schedule; otherwise empty.
    sequence: Vec<(usize, usize)>,
}

impl SlotTable {
    fn new(schedule: &Schedule, work: &StepWork) -> Result<SlotTable, ScheduleError> {
        let mut width = 0;
        let mut number = |is: bool| {
            width += usize::from(is);
            is.then(|| width - 1)
        };
        let columns = |part: &ChunkWork| RESULT_KINDS.map(|work| number(part.has(work)));
        let columns: Vec<[Option<usize>; 3]> = work.chunks.iter().map(columns).collect();
        let mut table = SlotTable {
            columns,
            width,
            positions: Vec::new(),
            producers: vec![Vec::new(); schedule.chunks],
            readers: vec![Vec::new(); schedule.chunks],
            sequence: Vec::new(),
        };
        for &(from, to) in &work.edges {
            if work.chunks[from].forward && !table.producers[to].contains(&from) {
                table.producers[to].push(from);
            }
            if work.carries_gradient((from, to)) && !table.readers[from].contains(&to) {
                table.readers[from].push(to);
            }
        }
        if schedule.kind == ScheduleKind::Vanilla {
            let kind = |slot: Slot| result_kinds(slot.work).iter().map(move |&kind| (slot.chunk as usize, kind));
            let all = StepWork { shares: Vec::new(), ..work.clone() };
            table.sequence = all.slots(0, true).flat_map(kind).collect();
        }
        table.enter_slots(schedule, work)?;
        Ok(table)
    }

    /// Enters the positions of all slots.
    fn enter_slots(&mut self, schedule: &Schedule, work: &StepWork) -> Result<(), ScheduleError> {
        // The table is limited to the rows that the slots can fill, plus one row in which a missing slot is found: a
        // slot computes at most two results. With replicas, most columns of a row are unused.
        let slots: usize = schedule.orders.iter().map(Vec::len).sum();
        let filled = if work.shares.is_empty() { 2 * slots / self.width.max(1) } else { 2 * slots };
        let rows = (schedule.micro_batches as usize).min(filled + 1);
        self.positions = vec![None; rows * self.width];
        for (stage, order) in schedule.orders.iter().enumerate() {
            for (position, &slot) in (0u32..).zip(order) {
                let chunk = slot.chunk as usize;
                if chunk >= schedule.chunks || slot.micro_batch >= schedule.micro_batches {
                    return Err(ScheduleError::UnknownIndex { slot, stage });
                }
                let home = schedule.stage_of_chunk[chunk];
                if home != stage {
                    return Err(ScheduleError::WrongStage { slot, stage, home });
                }
                for &kind in result_kinds(slot.work) {
                    let is_ours = work.goes_through(slot.micro_batch, chunk);
                    let Some(column) = self.columns[chunk][kind].filter(|_| is_ours) else {
                        return Err(ScheduleError::NoSuchWork { slot, stage });
                    };
                    let Some(place) = self.positions.get_mut(slot.micro_batch as usize * self.width + column) else {
                        continue;
                    };
                    if let Some(first) = place.replace(position) {
                        let first = schedule.orders[stage][first as usize];
                        return Err(ScheduleError::Duplicate { slot, first, stage });
                    }
                }
            }
        }
        self.check_complete(schedule, work)
    }

    /// Reports a missing slot.
    fn check_complete(&self, schedule: &Schedule, work: &StepWork) -> Result<(), ScheduleError> {
        let of_chunk = |(chunk, columns): (usize, &[Option<usize>; 3])| {
            let kinds = columns.iter().enumerate().filter_map(|(kind, column)| column.map(|_| kind));
            kinds.map(move |kind| (chunk, kind)).collect::<SmallVec<[_; 3]>>()
        };
        let columns: Vec<(usize, usize)> = self.columns.iter().enumerate().flat_map(of_chunk).collect();
        let is_missing = |&at: &usize| {
            let (row, (chunk, _)) = (at / self.width, columns[at % self.width]);
            self.positions[at].is_none() && work.goes_through(row as u32, chunk)
        };
        let Some(missing) = (0..self.positions.len()).find(is_missing) else {
            return Ok(());
        };
        let (row, (chunk, kind)) = (missing / self.width, columns[missing % self.width]);
        let slot = Slot::new(RESULT_KINDS[kind], row as u32, chunk as u32);
        let reader = match RESULT_KINDS[kind] {
            Work::Forward => self.producers.iter().position(|producers| producers.contains(&chunk)),
            _ => self.readers.iter().position(|readers| readers.contains(&chunk) && kind == 1),
        };
        let reader = reader.map(|chunk| (chunk, schedule.stage_of_chunk[chunk]));
        Err(ScheduleError::Missing { slot, stage: schedule.stage_of_chunk[chunk], reader })
    }

    /// Returns the slot that computes a result of a chunk, as a dependency along `edge`.
    fn need(&self, schedule: &Schedule, at: (u32, usize, usize), edge: Option<(usize, usize)>) -> Option<Dependency> {
        let (micro_batch, chunk, kind) = at;
        let column = self.columns[chunk][kind]?;
        let position = self.positions.get(micro_batch as usize * self.width + column).copied().flatten()? as usize;
        let stage = schedule.stage_of_chunk[chunk];
        Some(Dependency { slot: schedule.orders[stage][position], stage, position, edge })
    }

    fn needs(&self, schedule: &Schedule, work: &StepWork, slot: Slot) -> SmallVec<[Dependency; 4]> {
        let Slot { micro_batch, chunk, .. } = slot;
        let chunk = chunk as usize;
        let mut needs = SmallVec::new();
        let mut add = |chunk, kind, edge| needs.extend(self.need(schedule, (micro_batch, chunk, kind), edge));
        let (Some(producers), Some(readers)) = (self.producers.get(chunk), self.readers.get(chunk)) else {
            return needs;
        };
        match slot.work {
            Work::Forward => producers.iter().for_each(|&from| add(from, 0, Some((from, chunk)))),
            Work::BackwardWeight if work.chunks[chunk].backward_input => add(chunk, 1, None),
            Work::Backward | Work::BackwardInput | Work::BackwardWeight => {
                add(chunk, 0, None);
                readers.iter().for_each(|&to| add(to, 1, Some((chunk, to))));
            }
        }
        if let Some(at) = self.sequence.iter().position(|&at| at.0 == chunk && result_kinds(slot.work).contains(&at.1))
        {
            let processes = |row: u32, to: &(usize, usize)| {
                work.goes_through(row, to.0) && work.shares.get(to.0) == work.shares.get(chunk)
            };
            let last = |line: &[(usize, usize)], row: u32| {
                line.iter().rev().find(|to| processes(row, to)).map(|&to| (row, to))
            };
            let before = last(&self.sequence[..at], micro_batch);
            let before = before.or_else(|| last(&self.sequence, micro_batch.checked_sub(1)?));
            needs.extend(before.and_then(|(row, (chunk, kind))| self.need(schedule, (row, chunk, kind), None)));
        }
        needs
    }
}

/// Executes all slots without timing, in any order that the dependencies permit.
fn simulate(schedule: &Schedule, work: &StepWork, table: &SlotTable) -> Result<(), ScheduleError> {
    let mut done = vec![0; schedule.stages];
    // Stages that wait for each stage.
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); schedule.stages];
    let mut ready: Vec<usize> = (0..schedule.stages).collect();
    while let Some(stage) = ready.pop() {
        while let Some(&slot) = schedule.orders[stage].get(done[stage]) {
            if let Some(need) = unsatisfied(schedule, work, table, &done, slot) {
                waiting[need.stage].push(stage);
                break;
            }
            done[stage] += 1;
            ready.append(&mut waiting[stage]);
        }
    }
    let Some(first) = (0..schedule.stages).find(|&s| done[s] < schedule.orders[s].len()) else {
        return Ok(());
    };
    // Every stage that is not finished waits for another one that is not finished, so following the waits finds a
    // cycle.
    let mut waits: Vec<BlockedSlot> = Vec::new();
    let mut stage = first;
    loop {
        if let Some(start) = waits.iter().position(|wait| wait.stage == stage) {
            return Err(ScheduleError::Deadlock(waits.split_off(start)));
        }
        let slot = schedule.orders[stage][done[stage]];
        let Some(need) = unsatisfied(schedule, work, table, &done, slot) else {
            return Err(ScheduleError::Deadlock(waits));
        };
        waits.push(BlockedSlot { slot, stage, needs: need.slot, needs_stage: need.stage });
        stage = need.stage;
    }
}

/// Returns a dependency of a slot that is not satisfied yet.
fn unsatisfied(
    schedule: &Schedule,
    work: &StepWork,
    table: &SlotTable,
    done: &[usize],
    slot: Slot,
) -> Option<Dependency> {
    table.needs(schedule, work, slot).into_iter().find(|need| need.position >= done[need.stage])
}

/// Returns the maximum number of micro-batches and chunks in flight.
fn max_in_flight(order: &[Slot], work: &StepWork) -> usize {
    let (mut in_flight, mut most) = (0, 0);
    for slot in order {
        let part = work.chunks[slot.chunk as usize];
        match slot.work {
            Work::Forward if part.has_backward() => in_flight += 1,
            Work::Backward | Work::BackwardWeight => in_flight -= 1,
            Work::BackwardInput if !part.backward_weight => in_flight -= 1,
            Work::Forward | Work::BackwardInput => {}
        }
        most = most.max(in_flight);
    }
    most
}

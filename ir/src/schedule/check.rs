//! The proof that a schedule does what there is to do: each slot once and on its stage, and nobody waits for ever.
//!
//! A stage carries out its slots in order, each once what it needs is there. That no cycle of stages wait for each
//! other is proven by carrying the schedule out without time. What a slot needs is there before it, so that a backward
//! pass comes behind the forward pass of its micro-batch, and each receipt has one send. All slots of a step come
//! before the update, so no forward pass sees parameters of another step, and no backward pass others than its forward
//! pass saw.

mod fault;

pub use fault::{Fault, Wait};

use super::{Kind, Part, Parts, Schedule, Slot, Work};
use smallvec::SmallVec;
use std::ops::{Deref, Range};

/// A schedule that [`check`] has proven.
#[derive(Clone, Debug)]
pub struct Checked {
    schedule: Schedule,
    parts: Parts,
    table: Table,
    in_flight: Vec<usize>,
}

/// What a slot waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Need {
    /// The slot that must be done.
    pub slot: Slot,
    /// Its stage.
    pub stage: usize,
    /// Its place in the order of its stage.
    pub position: usize,
    /// The chunks between which something is handed over, where the need is more than an order.
    pub edge: Option<(usize, usize)>,
}

/// Who reads what a slot gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reader {
    /// The slot that reads it.
    pub slot: Slot,
    /// Its stage: the one of the slot that gives it, unless it is sent.
    pub stage: usize,
    /// The chunks between which it is handed over: forward from the first, back from the second.
    pub edge: (usize, usize),
}

impl Checked {
    /// By stage, the most pairs of micro-batch and chunk that it keeps activations of at one time: from the forward
    /// pass to the last of the backward pass. A chunk without a backward pass keeps nothing.
    pub fn in_flight(&self) -> &[usize] {
        &self.in_flight
    }

    /// What there is to do.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// By replica, the micro-batches that go through it.
    pub fn shares(&self) -> Vec<Range<u32>> {
        let mut shares: Vec<Range<u32>> = (0..self.chunks).map(|chunk| self.share(chunk)).collect();
        shares.dedup();
        shares
    }

    /// What messages call it: `1f1b with 12 micro-batches (4 + 8)`, with the shares of replicas.
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

    /// The micro-batches that go through a chunk.
    pub fn share(&self, chunk: usize) -> Range<u32> {
        self.parts.share(chunk, self.micro_batches)
    }

    /// What one of its slots waits for, besides those before it on its stage.
    pub fn needs(&self, slot: Slot) -> SmallVec<[Need; 4]> {
        self.table.needs(&self.schedule, &self.parts, slot)
    }

    /// Who reads what one of its slots gives, in the order of edges. Each is one of the needs of its reader.
    pub fn readers(&self, slot: Slot) -> SmallVec<[Reader; 4]> {
        let chunk = slot.chunk as usize;
        let is_forward = slot.work == Work::Forward;
        let edges = self.parts.edges.iter().filter(|edge| match slot.work {
            Work::Forward => edge.0 == chunk,
            Work::Backward | Work::BackwardInput => edge.1 == chunk && self.parts.carries_gradient(**edge),
            Work::BackwardWeight => false,
        });
        let mut readers: SmallVec<[Reader; 4]> = SmallVec::new();
        for &edge in edges {
            let to = if is_forward { edge.1 } else { edge.0 };
            // Of a backward pass in two works, the first one reads the gradient.
            let aspect = if is_forward { 0 } else { 2 - usize::from(self.parts.chunks[to].backward_input) };
            let reader = self.table.need(&self.schedule, (slot.micro_batch, to, aspect), Some(edge));
            let reader = reader.map(|need| Reader { slot: need.slot, stage: need.stage, edge });
            readers.extend(reader.filter(|reader| !readers.contains(reader)));
        }
        readers
    }
}

impl Deref for Checked {
    type Target = Schedule;
    fn deref(&self) -> &Schedule {
        &self.schedule
    }
}

/// Proves that every work there is comes once for each micro-batch, on the stage of its chunk, and that all of them can
/// be carried out.
///
/// # Errors
/// The first fault.
pub fn check(schedule: Schedule, parts: Parts) -> Result<Checked, Fault> {
    shapes(&schedule, &parts)?;
    let table = Table::of(&schedule, &parts)?;
    carry_out(&schedule, &parts, &table)?;
    let in_flight = schedule.orders.iter().map(|order| most_kept(order, &parts)).collect();
    Ok(Checked { schedule, parts, table, in_flight })
}

/// Refuses lists of the wrong length, and parts that cannot be computed in any order.
fn shapes(schedule: &Schedule, parts: &Parts) -> Result<(), Fault> {
    let Schedule { chunks, stages, .. } = *schedule;
    let is_beyond = |share: &Range<u32>| share.end > schedule.micro_batches;
    if schedule.home.len() != chunks
        || parts.chunks.len() != chunks
        || schedule.orders.len() != stages
        || parts.shares.len() > chunks
        || parts.shares.iter().any(is_beyond)
    {
        return Err(Fault::Sizes);
    }
    if let Some((chunk, &stage)) = schedule.home.iter().enumerate().find(|(_, stage)| **stage >= stages) {
        return Err(Fault::Home { chunk, stage });
    }
    if let Some(chunk) = parts.chunks.iter().position(|part| part.has_backward() && !part.forward) {
        return Err(Fault::Unkept { chunk });
    }
    for &(from, to) in &parts.edges {
        if from >= to || to >= parts.chunks.len() {
            return Err(Fault::Edge { from, to });
        }
    }
    Ok(())
}

/// A gradient or a result that a slot gives. Both gradients at once are two of them.
const ASPECTS: [Work; 3] = [Work::Forward, Work::BackwardInput, Work::BackwardWeight];

/// Which of [`ASPECTS`] a slot gives.
fn aspects(work: Work) -> &'static [usize] {
    match work {
        Work::Forward => &[0],
        Work::Backward => &[1, 2],
        Work::BackwardInput => &[1],
        Work::BackwardWeight => &[2],
    }
}

/// Who gives what.
#[derive(Clone, Debug)]
struct Table {
    /// By chunk and aspect, its number among all that there are for one micro-batch.
    columns: Vec<[Option<usize>; 3]>,
    /// How many those are.
    width: usize,
    /// By micro-batch and column, the place in the order of the chunk's stage.
    places: Vec<Option<u32>>,
    /// By chunk, whose results it reads.
    feeders: Vec<Vec<usize>>,
    /// By chunk, whose gradients it reads.
    readers: Vec<Vec<usize>>,
    /// The aspects of one micro-batch, each once the one before it is done; only of a vanilla schedule.
    line: Vec<(usize, usize)>,
}

impl Table {
    fn of(schedule: &Schedule, parts: &Parts) -> Result<Table, Fault> {
        let mut width = 0;
        let mut number = |is: bool| {
            width += usize::from(is);
            is.then(|| width - 1)
        };
        let columns = |part: &Part| ASPECTS.map(|work| number(part.has(work)));
        let columns: Vec<[Option<usize>; 3]> = parts.chunks.iter().map(columns).collect();
        let mut table = Table {
            columns,
            width,
            places: Vec::new(),
            feeders: vec![Vec::new(); schedule.chunks],
            readers: vec![Vec::new(); schedule.chunks],
            line: Vec::new(),
        };
        for &(from, to) in &parts.edges {
            if parts.chunks[from].forward && !table.feeders[to].contains(&from) {
                table.feeders[to].push(from);
            }
            if parts.carries_gradient((from, to)) && !table.readers[from].contains(&to) {
                table.readers[from].push(to);
            }
        }
        if schedule.kind == Kind::Vanilla {
            let aspect = |slot: Slot| aspects(slot.work).iter().map(move |&aspect| (slot.chunk as usize, aspect));
            let all = Parts { shares: Vec::new(), ..parts.clone() };
            table.line = all.slots(0, true).flat_map(aspect).collect();
        }
        table.fill(schedule, parts)?;
        Ok(table)
    }

    /// Enters all slots.
    fn fill(&mut self, schedule: &Schedule, parts: &Parts) -> Result<(), Fault> {
        // A slot gives two aspects at most. So few slots cannot fill more rows than these, which is where one is
        // missing; replicas leave most of their rows to others.
        let slots: usize = schedule.orders.iter().map(Vec::len).sum();
        let filled = if parts.shares.is_empty() { 2 * slots / self.width.max(1) } else { 2 * slots };
        let rows = (schedule.micro_batches as usize).min(filled + 1);
        self.places = vec![None; rows * self.width];
        for (stage, order) in schedule.orders.iter().enumerate() {
            for (position, &slot) in (0u32..).zip(order) {
                let chunk = slot.chunk as usize;
                if chunk >= schedule.chunks || slot.micro_batch >= schedule.micro_batches {
                    return Err(Fault::Unknown { slot, stage });
                }
                let home = schedule.home[chunk];
                if home != stage {
                    return Err(Fault::Elsewhere { slot, stage, home });
                }
                for &aspect in aspects(slot.work) {
                    let is_ours = parts.goes_through(slot.micro_batch, chunk);
                    let Some(column) = self.columns[chunk][aspect].filter(|_| is_ours) else {
                        return Err(Fault::Absent { slot, stage });
                    };
                    let Some(place) = self.places.get_mut(slot.micro_batch as usize * self.width + column) else {
                        continue;
                    };
                    if let Some(first) = place.replace(position) {
                        let first = schedule.orders[stage][first as usize];
                        return Err(Fault::Twice { slot, first, stage });
                    }
                }
            }
        }
        self.complete(schedule, parts)
    }

    /// Refuses what is missing.
    fn complete(&self, schedule: &Schedule, parts: &Parts) -> Result<(), Fault> {
        let of_chunk = |(chunk, columns): (usize, &[Option<usize>; 3])| {
            let aspects = columns.iter().enumerate().filter_map(|(aspect, column)| column.map(|_| aspect));
            aspects.map(move |aspect| (chunk, aspect)).collect::<SmallVec<[_; 3]>>()
        };
        let columns: Vec<(usize, usize)> = self.columns.iter().enumerate().flat_map(of_chunk).collect();
        let is_hole = |&at: &usize| {
            let (row, (chunk, _)) = (at / self.width, columns[at % self.width]);
            self.places[at].is_none() && parts.goes_through(row as u32, chunk)
        };
        let Some(hole) = (0..self.places.len()).find(is_hole) else {
            return Ok(());
        };
        let (row, (chunk, aspect)) = (hole / self.width, columns[hole % self.width]);
        let slot = Slot::new(ASPECTS[aspect], row as u32, chunk as u32);
        let reader = match ASPECTS[aspect] {
            Work::Forward => self.feeders.iter().position(|feeders| feeders.contains(&chunk)),
            _ => self.readers.iter().position(|readers| readers.contains(&chunk) && aspect == 1),
        };
        let reader = reader.map(|chunk| (chunk, schedule.home[chunk]));
        Err(Fault::Missing { slot, stage: schedule.home[chunk], reader })
    }

    /// Who gives an aspect of a chunk, handed over along an edge.
    fn need(&self, schedule: &Schedule, at: (u32, usize, usize), edge: Option<(usize, usize)>) -> Option<Need> {
        let (micro_batch, chunk, aspect) = at;
        let column = self.columns[chunk][aspect]?;
        let position = self.places.get(micro_batch as usize * self.width + column).copied().flatten()? as usize;
        let stage = schedule.home[chunk];
        Some(Need { slot: schedule.orders[stage][position], stage, position, edge })
    }

    fn needs(&self, schedule: &Schedule, parts: &Parts, slot: Slot) -> SmallVec<[Need; 4]> {
        let Slot { micro_batch, chunk, work } = slot;
        let chunk = chunk as usize;
        let mut needs = SmallVec::new();
        let mut add = |chunk, aspect, edge| needs.extend(self.need(schedule, (micro_batch, chunk, aspect), edge));
        let (Some(feeders), Some(readers)) = (self.feeders.get(chunk), self.readers.get(chunk)) else {
            return needs;
        };
        match work {
            Work::Forward => feeders.iter().for_each(|&from| add(from, 0, Some((from, chunk)))),
            Work::BackwardWeight if parts.chunks[chunk].backward_input => add(chunk, 1, None),
            Work::Backward | Work::BackwardInput | Work::BackwardWeight => {
                add(chunk, 0, None);
                readers.iter().for_each(|&to| add(to, 1, Some((chunk, to))));
            }
        }
        if let Some(at) = self.line.iter().position(|&at| at.0 == chunk && aspects(work).contains(&at.1)) {
            let goes = |row: u32, to: &(usize, usize)| {
                parts.goes_through(row, to.0) && parts.shares.get(to.0) == parts.shares.get(chunk)
            };
            let last =
                |line: &[(usize, usize)], row: u32| line.iter().rev().find(|to| goes(row, to)).map(|&to| (row, to));
            let before = last(&self.line[..at], micro_batch);
            let before = before.or_else(|| last(&self.line, micro_batch.checked_sub(1)?));
            needs.extend(before.and_then(|(row, (chunk, aspect))| self.need(schedule, (row, chunk, aspect), None)));
        }
        needs
    }
}

/// Carries out all slots, in any order that they allow.
fn carry_out(schedule: &Schedule, parts: &Parts, table: &Table) -> Result<(), Fault> {
    let mut done = vec![0; schedule.stages];
    // By stage, who waits for it.
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); schedule.stages];
    let mut ready: Vec<usize> = (0..schedule.stages).collect();
    while let Some(stage) = ready.pop() {
        while let Some(&slot) = schedule.orders[stage].get(done[stage]) {
            if let Some(need) = unmet(schedule, parts, table, &done, slot) {
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
    // Everyone who is not done waits for somebody who is not done: going from one to the next comes around.
    let mut waits: Vec<Wait> = Vec::new();
    let mut stage = first;
    loop {
        if let Some(start) = waits.iter().position(|wait| wait.stage == stage) {
            return Err(Fault::Cycle(waits.split_off(start)));
        }
        let slot = schedule.orders[stage][done[stage]];
        let Some(need) = unmet(schedule, parts, table, &done, slot) else {
            return Err(Fault::Cycle(waits));
        };
        waits.push(Wait { slot, stage, needs: need.slot, of: need.stage });
        stage = need.stage;
    }
}

/// What a slot still waits for.
fn unmet(schedule: &Schedule, parts: &Parts, table: &Table, done: &[usize], slot: Slot) -> Option<Need> {
    table.needs(schedule, parts, slot).into_iter().find(|need| need.position >= done[need.stage])
}

/// The most that is kept at one time.
fn most_kept(order: &[Slot], parts: &Parts) -> usize {
    let (mut kept, mut most) = (0, 0);
    for slot in order {
        let part = parts.chunks[slot.chunk as usize];
        match slot.work {
            Work::Forward if part.has_backward() => kept += 1,
            Work::Backward | Work::BackwardWeight => kept -= 1,
            Work::BackwardInput if !part.backward_weight => kept -= 1,
            Work::Forward | Work::BackwardInput => {}
        }
        most = most.max(kept);
    }
    most
}

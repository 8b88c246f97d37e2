//! Generators of pipeline schedules: by kind, from what there is to do, how long it takes and how much may be kept.
//!
//! All but the zero-bubble ones are written down for a chain of chunks that are trained, and slots that do not exist
//! are left out. What remains is a schedule whatever the edges, since each of them leads from a chunk to a later one
//! and so is implied by the chain. Every kind carries out the backward passes of a chunk in the order of micro-batches:
//! gradients are summed up alike in all of them.

mod gpipe;
mod interleaved;
mod one_f_one_b;
#[cfg(test)]
mod tests;
mod vanilla;
mod zero_bubble;

use partita_ir::schedule::{Durations, Kind, Parts, Schedule, Slot, Work};
use std::ops::Range;

/// What is to be ordered.
#[derive(Clone, Copy, Debug)]
pub struct Works<'a> {
    /// Groups of devices, at least 1.
    pub stages: usize,
    /// Parts of the batch.
    pub micro_batches: u32,
    /// The chunks, what each of them does and who feeds whom.
    pub parts: &'a Parts,
    /// By chunk, how long it takes. Read for the zero-bubble schedules only; a chunk without any takes no time.
    pub durations: &'a [Durations],
    /// The most micro-batches that a stage may keep activations of, from the forward pass to the last gradient; at
    /// least 1. Kept by `1f1b` and the zero-bubble schedules; the others keep what they must.
    pub limit: Option<usize>,
}

/// The schedule of that kind. Chunks lie on stages in turn if it is interleaved; else each stage has a run of them, as
/// many as the others.
pub fn build(kind: Kind, works: &Works<'_>) -> Schedule {
    let stages = works.stages.max(1);
    let chunks = works.parts.chunks.len();
    let is_in_turn = matches!(kind, Kind::Interleaved { .. }) && chunks > stages;
    let home = |chunk: usize| if is_in_turn { chunk % stages } else { chunk * stages / chunks.max(stages) };
    let home: Vec<usize> = (0..chunks).map(home).collect();
    let run = |stage: usize| home.partition_point(|&s| s < stage)..home.partition_point(|&s| s <= stage);
    let runs = if is_in_turn { Vec::new() } else { (0..stages).map(run).collect() };
    let mut plan = Plan { works, runs, orders: vec![Vec::new(); stages] };
    match kind {
        Kind::Vanilla => vanilla::order(&mut plan),
        Kind::Gpipe => gpipe::order(&mut plan),
        Kind::Interleaved { .. } if is_in_turn => interleaved::order(&mut plan),
        Kind::OneFOneB | Kind::Interleaved { .. } => one_f_one_b::order(&mut plan),
        Kind::ZbH1 | Kind::ZbH2 => zero_bubble::order(&mut plan, kind == Kind::ZbH2),
    }
    let orders = plan.orders;
    Schedule { name: kind.to_string().into(), kind, chunks, stages, home, micro_batches: works.micro_batches, orders }
}

/// Orders that are being written.
struct Plan<'a> {
    works: &'a Works<'a>,
    /// By stage, its chunks; none where they lie in turn.
    runs: Vec<Range<usize>>,
    /// By stage, what it does.
    orders: Vec<Vec<Slot>>,
}

impl Plan<'_> {
    fn stages(&self) -> usize {
        self.orders.len()
    }

    fn micro_batches(&self) -> u32 {
        self.works.micro_batches
    }

    /// Adds those of the works that the chunk has.
    fn put(&mut self, stage: usize, chunk: usize, micro_batch: u32, works: impl IntoIterator<Item = Work>) {
        if micro_batch < self.micro_batches()
            && let Some(part) = self.works.parts.chunks.get(chunk)
        {
            let works = works.into_iter().filter(|work| part.has(*work));
            self.orders[stage].extend(works.map(|work| Slot::new(work, micro_batch, chunk as u32)));
        }
    }

    /// Adds the backward pass of a chunk.
    fn put_backward(&mut self, stage: usize, chunk: usize, micro_batch: u32) {
        if let Some(part) = self.works.parts.chunks.get(chunk) {
            self.put(stage, chunk, micro_batch, part.backward(false));
        }
    }

    /// Adds a forward pass through all chunks of a stage.
    fn forward(&mut self, stage: usize, micro_batch: u32) {
        for chunk in self.runs[stage].clone() {
            self.put(stage, chunk, micro_batch, [Work::Forward]);
        }
    }

    /// Adds a backward pass through all chunks of a stage.
    fn backward(&mut self, stage: usize, micro_batch: u32) {
        for chunk in self.runs[stage].clone().rev() {
            self.put_backward(stage, chunk, micro_batch);
        }
    }
}

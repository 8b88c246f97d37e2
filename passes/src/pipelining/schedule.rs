//! Generators of pipeline schedules.
//!
//! All generators except the zero-bubble ones produce the order for a chain of trained chunks and omit slots that do
//! not exist. The result is a valid schedule for any edges, since each edge leads from a chunk to a later one, which
//! the chain implies. In every schedule, the backward passes of a chunk are in the order of micro-batches, so that
//! gradients are accumulated in the same order.

mod gpipe;
mod interleaved;
mod one_f_one_b;
#[cfg(test)]
mod tests;
mod vanilla;
mod zero_bubble;

use partita_ir::schedule::{Durations, Schedule, ScheduleKind, Slot, StepWork, Work};
use std::ops::Range;

/// Input of a schedule generator.
#[derive(Clone, Copy, Debug)]
pub struct ScheduleInput<'a> {
    /// Number of stages (groups of devices), at least 1.
    pub stages: usize,
    /// Number of micro-batches.
    pub micro_batches: u32,
    /// The chunks, their work and the edges between them.
    pub parts: &'a StepWork,
    /// The durations of each chunk in seconds. Only the zero-bubble schedules use them; a missing chunk has duration 0.
    pub durations: &'a [Durations],
    /// Largest number of micro-batches whose activations a stage may store, from the forward pass to the last gradient;
    /// at least 1. Only `1f1b` and the zero-bubble schedules respect the limit.
    pub max_in_flight: Option<usize>,
}

/// Returns a schedule of this kind. An interleaved schedule assigns chunks to stages round-robin. Otherwise each stage
/// has a contiguous range of chunks, and ranges differ in size by at most one.
pub fn build(kind: ScheduleKind, input: &ScheduleInput<'_>) -> Schedule {
    let stages = input.stages.max(1);
    let chunks = input.parts.chunks.len();
    let is_round_robin = matches!(kind, ScheduleKind::Interleaved { .. }) && chunks > stages;
    let home = |chunk: usize| if is_round_robin { chunk % stages } else { chunk * stages / chunks.max(stages) };
    let home: Vec<usize> = (0..chunks).map(home).collect();
    let run = |stage: usize| home.partition_point(|&s| s < stage)..home.partition_point(|&s| s <= stage);
    let runs = if is_round_robin { Vec::new() } else { (0..stages).map(run).collect() };
    let mut builder = ScheduleBuilder { input, runs, orders: vec![Vec::new(); stages] };
    match kind {
        ScheduleKind::Vanilla => vanilla::build_orders(&mut builder),
        ScheduleKind::Gpipe => gpipe::build_orders(&mut builder),
        ScheduleKind::Interleaved { .. } if is_round_robin => interleaved::build_orders(&mut builder),
        ScheduleKind::OneFOneB | ScheduleKind::Interleaved { .. } => one_f_one_b::build_orders(&mut builder),
        ScheduleKind::ZbH1 | ScheduleKind::ZbH2 => zero_bubble::build_orders(&mut builder, kind == ScheduleKind::ZbH2),
    }
    let orders = builder.orders;
    Schedule {
        name: kind.to_string().into(),
        kind,
        chunks,
        stages,
        stage_of_chunk: home,
        micro_batches: input.micro_batches,
        orders,
    }
}

/// A schedule under construction.
struct ScheduleBuilder<'a> {
    input: &'a ScheduleInput<'a>,
    /// The contiguous range of chunks of each stage. Empty if chunks are assigned round-robin.
    runs: Vec<Range<usize>>,
    /// The slots of each stage, in order.
    orders: Vec<Vec<Slot>>,
}

impl ScheduleBuilder<'_> {
    fn stages(&self) -> usize {
        self.orders.len()
    }

    fn micro_batches(&self) -> u32 {
        self.input.micro_batches
    }

    /// Appends those of the works that the chunk has.
    fn push_works(&mut self, stage: usize, chunk: usize, micro_batch: u32, works: impl IntoIterator<Item = Work>) {
        if micro_batch < self.micro_batches()
            && let Some(part) = self.input.parts.chunks.get(chunk)
        {
            let works = works.into_iter().filter(|work| part.has(*work));
            self.orders[stage].extend(works.map(|work| Slot::new(work, micro_batch, chunk as u32)));
        }
    }

    /// Appends the backward pass of a chunk.
    fn push_backward_of_chunk(&mut self, stage: usize, chunk: usize, micro_batch: u32) {
        if let Some(part) = self.input.parts.chunks.get(chunk) {
            self.push_works(stage, chunk, micro_batch, part.backward(false));
        }
    }

    /// Appends a forward pass through all chunks of a stage.
    fn push_forward(&mut self, stage: usize, micro_batch: u32) {
        for chunk in self.runs[stage].clone() {
            self.push_works(stage, chunk, micro_batch, [Work::Forward]);
        }
    }

    /// Appends a backward pass through all chunks of a stage.
    fn push_backward(&mut self, stage: usize, micro_batch: u32) {
        for chunk in self.runs[stage].clone().rev() {
            self.push_backward_of_chunk(stage, chunk, micro_batch);
        }
    }
}

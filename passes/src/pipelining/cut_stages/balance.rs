//! Cuts by number of stages: the longest stage is close to the shortest possible, and among such cuts the one with
//! little communication and stages of nearly equal duration is chosen.
//!
//! The ops of the forward pass are a sequence. The shortest possible duration of the longest stage is found by
//! bisection: for a bound, each stage takes as many ops as possible (chains-on-chains partitioning, Iqbal 1991). A
//! dynamic program then chooses the cuts among the feasible positions (like Alpa's over layers, Zheng et al. 2022).
//! Durations depend on the devices of a stage, so that slower devices get fewer ops, and a stage may not exceed the
//! memory of its devices.

use super::memory::{MemoryLimits, memory_limits};
use super::step_analysis::StepAnalysis;
use super::{CutOptions, StageDevices, StageLink};
use partita_cost::roofline::Efficiencies;
use partita_cost::roofline::arithmetic::Arithmetic;
use partita_cost::roofline::kernels::has_kernel;
use partita_ir::arena::{OpId, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::{Op, ParamKind, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Returns the ops of the forward pass that run on one chunk, in order.
pub(super) fn forward_ops(step: &StepAnalysis<'_>) -> Vec<OpId> {
    let body = step.body().ops().iter().copied();
    body.filter(|&id| step.is_of_stage(id)).collect()
}

/// Costs of the ops of the forward pass.
pub(super) struct OpCosts {
    ops: Vec<OpId>,
    /// Prefix sums of the seconds of ops with their gradients, for each stage.
    sums: Vec<Vec<f64>>,
    /// Seconds to send the bytes of the values that cross each position between two ops.
    crossing: Vec<f64>,
    /// Latencies of the transfers of these values in seconds, one for each value.
    latencies: Vec<f64>,
}

/// Default rates without a machine: operations per second, bytes per second of memory, and bytes per second of links.
/// Only their ratios matter, which are typical of a GPU.
const DEFAULT_RATES: [f64; 3] = [1e14, 1e12, 1e11];

/// Work of one op.
struct OpWork {
    arithmetic: Option<Arithmetic>,
    flops: f64,
    bytes: f64,
    /// Number of evaluations, including those for gradients.
    times: f64,
    /// True if the op has its own kernel. Other ops are parts of the kernels of their operands or readers.
    has_kernel: bool,
}

impl OpWork {
    /// Returns the work of an op that is evaluated `times` times.
    fn new(program: &Program, op: &Op, times: f64) -> OpWork {
        let (args, outs) = (program.arg_types(op), program.out_types(op));
        let (flops, bytes) = (op.kind.flops(&args, &outs), op.kind.bytes(&args, &outs));
        OpWork {
            arithmetic: Arithmetic::of_op(program, op),
            flops: flops as f64,
            bytes: bytes as f64,
            times,
            has_kernel: has_kernel(program, op),
        }
    }

    /// Returns the seconds on the devices of a stage, which share the work equally.
    fn seconds(&self, stage: &StageDevices<'_>) -> f64 {
        let devices = stage.devices as f64;
        let Some(kind) = stage.kind else {
            let [computes, moves, _] = DEFAULT_RATES;
            return self.times * (self.flops / computes + self.bytes / moves) / devices;
        };
        let efficiencies = Efficiencies::default();
        let computing = self.arithmetic.map_or(0.0, |arithmetic| arithmetic.seconds(kind, &efficiencies));
        let moving = self.bytes / efficiencies.memory_rate(kind);
        let starting = if self.has_kernel { kind.kernels.launch } else { 0.0 };
        self.times * (computing.max(moving) / devices + starting)
    }
}

impl OpCosts {
    /// Returns the costs of a model on these stages.
    pub(super) fn new(step: &StepAnalysis<'_>, stages: &[StageDevices<'_>]) -> OpCosts {
        let ops = forward_ops(step);
        let cost_factors = cost_factors(step);
        let work = ops.iter().map(|id| {
            let cost_factors = cost_factors.get(id).copied().unwrap_or(1.0);
            let inner = step.program.ops_within(*id);
            inner.into_iter().map(|(op, trips)| OpWork::new(step.program, op, cost_factors * trips as f64)).collect()
        });
        let work: Vec<SmallVec<[OpWork; 1]>> = work.collect();
        let of_stage = |stage: &StageDevices<'_>| {
            let seconds = work.iter().map(|inner| inner.iter().map(|work| work.seconds(stage)).sum::<f64>());
            let sums = seconds.scan(0.0, |sum, seconds| {
                *sum += seconds;
                Some(*sum)
            });
            [0.0].into_iter().chain(sums).collect()
        };
        let sums = stages.iter().map(of_stage).collect();
        let default = StageLink { bandwidth: DEFAULT_RATES[2], latency: 0.0 };
        let links = stages.iter().map(|stage| {
            let link = stage.link.unwrap_or(default);
            StageLink { bandwidth: stage.devices as f64 * link.bandwidth, ..link }
        });
        let slowest = links
            .reduce(|a, b| StageLink { bandwidth: a.bandwidth.min(b.bandwidth), latency: a.latency.max(b.latency) });
        let StageLink { bandwidth, latency } = slowest.unwrap_or(default);
        let crossing = crossing_costs(step, &ops, &|bytes| bytes as f64 / bandwidth);
        let latencies = crossing_costs(step, &ops, &|_| latency);
        OpCosts { ops, sums, crossing, latencies }
    }

    /// Returns the seconds of the ops `start..end` on a stage.
    pub(super) fn seconds(&self, stage: usize, start: usize, end: usize) -> f64 {
        self.sums[stage][end] - self.sums[stage][start]
    }

    /// Returns the seconds of each stage if the work could be divided such that all stages have equal durations.
    pub(super) fn ideal_stage_seconds(&self) -> f64 {
        let all: f64 = (0..self.sums.len()).map(|stage| self.seconds(stage, 0, self.ops.len()).recip()).sum();
        all.recip()
    }

    /// Returns the median of the communication costs of all positions, or 1 if it is zero.
    fn median_crossing_seconds(&self) -> f64 {
        median(self.crossing.clone()).filter(|&median| median > 0.0).unwrap_or(1.0)
    }

    /// Returns the median of the seconds of the transfers at all positions, one after another.
    fn median_transfer_seconds(&self) -> f64 {
        let all = (0..self.ops.len()).map(|place| self.transfer_seconds(place)).collect();
        median(all).unwrap_or(0.0)
    }

    /// Returns the seconds of the transfers at a position, one after another; 0 at both ends.
    fn transfer_seconds(&self, place: usize) -> f64 {
        let latency = if place == 0 || place >= self.ops.len() { 0.0 } else { self.latencies[place] };
        self.crossing_seconds(place) + latency
    }

    /// Returns the seconds to send the values that cross a position; 0 at both ends.
    fn crossing_seconds(&self, place: usize) -> f64 {
        if place == 0 || place >= self.ops.len() { 0.0 } else { self.crossing[place] }
    }
}

fn median(mut all: Vec<f64>) -> Option<f64> {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied()
}

/// Returns for each op of the forward pass its cost including gradients, as a multiple of its forward cost: up to 3,
/// and less for frozen parameters.
fn cost_factors(step: &StepAnalysis<'_>) -> FxHashMap<OpId, f64> {
    let is_trained = |v: &ValueId| {
        let mut params = step.roots_of(*v).iter().map(|&param| &step.program.params[param]);
        params.any(|param| param.kind == ParamKind::Trainable)
    };
    let body = step.body();
    let has_gradients = body.ops().iter().any(|&id| !step.is_forward(id));
    // Values with gradients: trained parameters and values that depend on them.
    let mut has_gradient: FxHashSet<ValueId> = FxHashSet::default();
    has_gradient.extend(body.inputs.iter().copied().filter(|inner| has_gradients && is_trained(inner)));
    let mut cost_factors = FxHashMap::default();
    for &id in body.ops().iter().filter(|&&id| step.is_forward(id)) {
        let op = step.op(id);
        let gradients = op.args.iter().filter(|arg| has_gradient.contains(arg)).count().min(2);
        cost_factors.insert(id, 1.0 + gradients as f64);
        if gradients > 0 {
            has_gradient.extend(&op.outs);
        }
    }
    cost_factors
}

/// Returns the sum of the costs of the values that cross each position, given the cost of their bytes: a value crosses
/// all positions between its op and its last reader.
fn crossing_costs(step: &StepAnalysis<'_>, ops: &[OpId], cost: &dyn Fn(u64) -> f64) -> Vec<f64> {
    let position: FxHashMap<OpId, usize> = ops.iter().copied().zip(0..).collect();
    let mut last: BTreeMap<ValueId, usize> = BTreeMap::new();
    for (at, &id) in ops.iter().enumerate() {
        for &arg in &step.op(id).args {
            last.insert(arg, at);
        }
    }
    let mut change = vec![0.0; ops.len() + 1];
    for (&value, &read) in &last {
        let Some(&defined_at) = step.producer(value).and_then(|id| position.get(&id)) else { continue };
        let cost = cost(step.program.ty(value).bytes());
        change[defined_at + 1] += cost;
        change[read + 1] -= cost;
    }
    let sum = change.into_iter().scan(0.0, |now, change| {
        *now += change;
        Some(f64::max(*now, 0.0))
    });
    sum.collect()
}

/// Upper bounds on the duration of the longest chunk, as multiples of the minimum over all cuts. A longer chunk can be
/// faster if cuts between layers send less.
const MAX_CHUNK_SLACKS: [f64; 2] = [1.1, 1.3];

/// Another upper bound, for models whose exposed transfers are long.
const LARGE_CHUNK_SLACK: f64 = 1.6;

/// Fraction of the duration of a chunk above which exposed transfers are long. Shorter ones matter less than balance.
const LONG_EXPOSED_SHARE: f64 = 0.02;

/// Weight of communication: sending the median number of bytes costs as much as this fraction of a stage. Cuts between
/// layers send the fewest bytes, preserve layers as units of recomputation, and make stages similar.
const COMMUNICATION_WEIGHT: f64 = 0.04;

/// Number of transfers of a value that crosses a cut: itself and its gradient.
const TRANSFERS: f64 = 2.0;

/// Fraction of the transfers of a stage that no computation hides: those at the start and the end of a step.
const EXPOSED_SHARE: f64 = 0.1;

/// Returns the chunk of each op of the forward pass.
///
/// # Errors
/// `G002` when there are more chunks than ops.
pub(super) fn balanced_chunks(
    step: &StepAnalysis<'_>,
    options: &CutOptions<'_>,
) -> Result<FxHashMap<OpId, usize>, Diagnostic> {
    let costs = OpCosts::new(step, options.stages);
    let (count, chunks) = (costs.ops.len(), options.chunks());
    let refused = || {
        let title = format!("`{}` cannot be cut into {chunks} stages", step.program.source);
        Diagnostic::new(Code::G002, title).note(format!("it has {count} ops that a stage could begin with"))
    };
    if chunks == 0 || chunks > count {
        return Err(refused());
    }
    // If no cut fits in memory, the best cut without the limit is returned, so that its excess can be reported.
    let memory_limits = memory_limits(step, &costs.ops, options);
    let sequence = ChunkSequence {
        costs: &costs,
        memory_limits: Some(&memory_limits),
        count,
        chunks,
        stages: options.stages.len(),
        exposed: TRANSFERS / options.micro_batches() as f64,
    };
    let places = best_starts(&sequence)
        .or_else(|| best_starts(&ChunkSequence { memory_limits: None, ..sequence }))
        .ok_or_else(refused)?;
    let ends = places[1..].iter().copied().chain([count]);
    let spans = places.iter().copied().zip(ends).enumerate();
    Ok(spans.flat_map(|(chunk, (start, end))| costs.ops[start..end].iter().map(move |&op| (op, chunk))).collect())
}

/// Returns the first op of each chunk, or `None` if no cut fits in memory. Of the best cuts for each bound on the
/// longest chunk, the one whose longest stage is the shortest is returned.
fn best_starts(sequence: &ChunkSequence<'_>) -> Option<Vec<usize>> {
    let shortest = sequence.shortest_longest_chunk()?;
    let exposed = sequence.exposed * sequence.costs.median_transfer_seconds();
    let is_long = exposed > LONG_EXPOSED_SHARE * shortest;
    let sequence = &ChunkSequence { exposed: if is_long { sequence.exposed } else { 0.0 }, ..*sequence };
    let slacks = MAX_CHUNK_SLACKS.iter().chain(is_long.then_some(&LARGE_CHUNK_SLACK));
    let all = slacks.filter_map(|slack| best_starts_within(sequence, slack * shortest));
    all.min_by(|a, b| sequence.longest_stage(a).total_cmp(&sequence.longest_stage(b)))
}

/// Returns the first op of each chunk in the best cut in which no chunk takes longer than `limit`, or `None` if no such
/// cut fits in memory.
fn best_starts_within(sequence: &ChunkSequence<'_>, limit: f64) -> Option<Vec<usize>> {
    let costs = sequence.costs;
    let lasts = sequence.last_ends(limit)?;
    // If the last chunks take as many ops as possible, a slow chunk may be left with an op that exceeds the limit.
    let firsts = sequence.first_ends(limit).unwrap_or_else(|| (1..=sequence.chunks).collect());
    let mean = costs.ideal_stage_seconds() * sequence.stages as f64 / sequence.chunks as f64;
    let median = costs.median_crossing_seconds();
    // For each chunk and possible end, the cost of the best cut so far and the start of the chunk in it.
    let mut best: Vec<Vec<(f64, usize)>> = Vec::with_capacity(sequence.chunks);
    for chunk in 0..sequence.chunks {
        let before = |start: usize| match chunk.checked_sub(1) {
            Some(before) => best[before][start - firsts[before]].0,
            None => 0.0,
        };
        let starts = chunk.checked_sub(1).map_or(0..=0, |before| firsts[before]..=lasts[before]);
        let of_end = |end: usize| {
            let starts = starts.clone().filter(|&start| start < end && sequence.allows(chunk, start, end, limit));
            let with = starts.map(|start| {
                let deviation = sequence.seconds(chunk, start, end) - mean;
                (
                    before(start)
                        + COMMUNICATION_WEIGHT * mean * costs.crossing_seconds(end) / median
                        + sequence.exposed_seconds(end)
                        + deviation * deviation / mean,
                    start,
                )
            });
            with.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, 0))
        };
        let all = (firsts[chunk]..=lasts[chunk]).map(of_end).collect();
        best.push(all);
    }
    let mut places = vec![0; sequence.chunks];
    let mut end = sequence.count;
    if best.last()?.last()?.0 == f64::INFINITY {
        return None;
    }
    for chunk in (0..sequence.chunks).rev() {
        end = best[chunk][end - firsts[chunk]].1;
        places[chunk] = end;
    }
    Some(places)
}

/// A sequence of ops to be divided into chunks of at least one op.
#[derive(Clone, Copy)]
struct ChunkSequence<'c> {
    costs: &'c OpCosts,
    memory_limits: Option<&'c MemoryLimits>,
    count: usize,
    chunks: usize,
    stages: usize,
    /// Number of transfers of a value for each micro-batch during which no stage computes: the first micro-batch
    /// arrives, and the last gradient returns, when the stages beside have nothing else to do.
    exposed: f64,
}

impl ChunkSequence<'_> {
    /// Returns the seconds of a chunk. Communication overlaps with computation and is excluded.
    fn seconds(&self, chunk: usize, start: usize, end: usize) -> f64 {
        self.costs.seconds(chunk % self.stages, start, end)
    }

    /// Returns the seconds of the transfers at a position during which no stage computes, for each micro-batch.
    fn exposed_seconds(&self, place: usize) -> f64 {
        self.exposed * self.costs.transfer_seconds(place)
    }

    /// Returns the seconds of the longest stage if its chunks begin with the given ops, and of exposed transfers. A
    /// stage computes while it sends, and waits if that takes longer.
    fn longest_stage(&self, starts: &[usize]) -> f64 {
        let mut stages = vec![[0.0; 2]; self.stages];
        let ends = starts[1..].iter().copied().chain([self.count]);
        for (chunk, (&start, end)) in starts.iter().zip(ends).enumerate() {
            let [computing, sending] = &mut stages[chunk % self.stages];
            *computing += self.seconds(chunk, start, end);
            *sending += TRANSFERS * self.costs.crossing_seconds(end);
        }
        let seconds = |[computing, sending]: [f64; 2]| computing.max(sending) + EXPOSED_SHARE * sending;
        let exposed = starts[1..].iter().map(|&place| self.exposed_seconds(place)).sum::<f64>();
        stages.into_iter().map(seconds).fold(0.0, f64::max) + exposed
    }

    /// Returns true if a chunk respects the limits of time and memory. This is monotone: parts of such a chunk respect
    /// them too.
    fn allows(&self, chunk: usize, start: usize, end: usize, limit: f64) -> bool {
        self.seconds(chunk, start, end) <= limit
            && self.memory_limits.is_none_or(|memory_limits| memory_limits.fits(chunk, start, end))
    }

    /// Returns the shortest possible duration of the longest chunk by bisection, with a relative error of 1e-9.
    fn shortest_longest_chunk(&self) -> Option<f64> {
        let of_all = |stage| self.costs.seconds(stage, 0, self.count);
        let mut high = (0..self.stages).map(of_all).fold(0.0, f64::max);
        self.last_ends(high)?;
        let mut low = 0.0;
        while high - low > 1e-9 * high {
            let middle = (low + high) / 2.0;
            if self.last_ends(middle).is_some() { high = middle } else { low = middle }
        }
        Some(high)
    }

    /// Returns the last possible end of each chunk, if all chunks before it take as many ops as possible. Returns
    /// `None` if ops are left over.
    fn last_ends(&self, limit: f64) -> Option<Vec<usize>> {
        let mut end = 0;
        let mut ends = Vec::with_capacity(self.chunks);
        for chunk in 0..self.chunks {
            let start = end;
            let last = self.count - (self.chunks - chunk - 1);
            end = start + largest(last - start, |n| self.allows(chunk, start, start + n, limit));
            if end == start {
                return None;
            }
            ends.push(end);
        }
        (end == self.count).then_some(ends)
    }

    /// Returns the first possible end of each chunk, if all chunks after it take as many ops as possible.
    fn first_ends(&self, limit: f64) -> Option<Vec<usize>> {
        let mut start = self.count;
        let mut ends = vec![0; self.chunks];
        for chunk in (0..self.chunks).rev() {
            let end = start;
            ends[chunk] = end;
            start = end - largest(end - chunk, |n| self.allows(chunk, end - n, end, limit));
            if end == start {
                return None;
            }
        }
        (start == 0).then_some(ends)
    }
}

/// Returns the largest number up to `most` that satisfies a monotone predicate.
fn largest(limit: usize, satisfies: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, limit);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if satisfies(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::{ChunkSequence, OpCosts, TRANSFERS, best_starts};
    use partita_ir::arena::OpId;

    /// Returns costs of ops with these durations, on stages with these slowdown factors.
    fn costs(ops: &[f64], stages: &[f64]) -> OpCosts {
        let sums = |slow: &f64| {
            let ops = ops.iter().scan(0.0, |sum, op| {
                *sum += slow * op;
                Some(*sum)
            });
            [0.0].into_iter().chain(ops).collect()
        };
        let [crossing, latencies] = [vec![0.0; ops.len() + 1], vec![0.0; ops.len() + 1]];
        let sums = stages.iter().map(sums).collect();
        OpCosts { ops: (0..ops.len() as u32).map(OpId).collect(), sums, crossing, latencies }
    }

    /// Cutting in the middle is balanced, but sends many bytes.
    #[test]
    fn slow_transfers_move_a_cut() {
        let starts = |transfer: f64, latency: f64, micro_batches: u32| {
            let mut costs = costs(&[1.0; 10], &[1.0, 1.0]);
            (costs.crossing[4], costs.crossing[5], costs.crossing[6]) = (0.5, transfer, 0.01);
            costs.latencies = vec![latency; 11];
            costs.latencies[6] = 0.01;
            let (memory_limits, exposed) = (None, TRANSFERS / f64::from(micro_batches));
            best_starts(&ChunkSequence { costs: &costs, memory_limits, count: 10, chunks: 2, stages: 2, exposed })
        };
        assert_eq!(starts(0.5, 0.5, 64), Some(vec![0, 5]));
        assert_eq!(starts(4.0, 0.5, 64), Some(vec![0, 6]));
        // No other micro-batch hides the transfers of a single one.
        assert_eq!(starts(0.5, 0.5, 1), Some(vec![0, 6]));
    }

    #[test]
    fn slow_stages_between_fast_ones_respect_the_limit() {
        let costs = costs(&[1.0, 8.0, 1.0, 1.0], &[1.0, 4.0, 1.0]);
        let sequence =
            ChunkSequence { costs: &costs, memory_limits: None, count: 4, chunks: 3, stages: 3, exposed: 0.0 };
        assert_eq!(best_starts(&sequence), Some(vec![0, 2, 3]));
    }
}

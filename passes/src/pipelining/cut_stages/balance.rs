//! Where to cut, by count: the longest stage is made about as short as it can be, and of such cuts those are taken that
//! send little and leave stages equally long.
//!
//! The ops of the model stand in a row. How short the longest stage can be is found by halving: for a bound, each stage
//! takes as much as it can (the partition of a line, Iqbal 1991). A dynamic program then finds the cuts among the
//! places where stages can end (Alpa's over layers, Zheng et al. 2022, is of this form). A stage is as fast as its
//! devices, so that slower ones get less, and may hold no more than they have room for.

use super::memory::{Room, rooms};
use super::whole::Whole;
use super::{Cutting, OnStage};
use partita_cost::roofline::Efficiencies;
use partita_ir::arena::{OpId, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::DType;
use partita_ir::program::{Op, ParamKind, Program};
use partita_machine::Kind;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Ops of the model that are done on one chunk, in order.
pub(super) fn row(whole: &Whole<'_>) -> Vec<OpId> {
    let body = whole.body().ops().iter().copied();
    body.filter(|&id| whole.is_of_stage(id)).collect()
}

/// What the ops of the model cost.
pub(super) struct Costs {
    ops: Vec<OpId>,
    /// By stage and place between ops, seconds of those before it, with their gradients.
    sums: Vec<Vec<f64>>,
    /// By place between two of them, seconds to send what is read behind it.
    crossing: Vec<f64>,
}

/// Operations a second, bytes a second of memory and of links that stages are balanced for, where nothing is known of
/// the machine: only their ratios matter, which are those of a GPU.
const RATES: [f64; 3] = [1e14, 1e12, 1e11];

/// Operations on that dtype a second, and bytes a second, of all devices of a stage together.
fn rates(stage: &OnStage<'_>, dtype: DType) -> [f64; 2] {
    let of_kind = |kind: &Kind| {
        let Efficiencies { matmul, memory, .. } = Efficiencies::default();
        [matmul * kind.rate(dtype), memory * kind.bandwidth]
    };
    stage.kind.map_or([RATES[0], RATES[1]], of_kind).map(|rate| rate * stage.devices as f64)
}

/// Work of one op.
struct Work {
    dtype: DType,
    flops: f64,
    bytes: f64,
}

impl Work {
    /// That of an op which is evaluated so many times.
    fn of(program: &Program, op: &Op, times: f64) -> Work {
        let (args, outs) = (program.arg_types(op), program.out_types(op));
        let dtype = args.first().map_or(DType::F32, |ty| ty.dtype);
        let (flops, bytes) = (op.kind.flops(&args, &outs), op.kind.bytes(&args, &outs));
        Work { dtype, flops: times * flops as f64, bytes: times * bytes as f64 }
    }

    fn seconds(&self, stage: &OnStage<'_>) -> f64 {
        let [computes, moves] = rates(stage, self.dtype);
        self.flops / computes + self.bytes / moves
    }
}

impl Costs {
    /// Those of a model on these stages.
    pub(super) fn of(whole: &Whole<'_>, stages: &[OnStage<'_>]) -> Costs {
        let ops = row(whole);
        let passes = passes(whole);
        let work = ops.iter().map(|id| {
            let passes = passes.get(id).copied().unwrap_or(1.0);
            let inner = whole.program.ops_within(*id);
            inner.into_iter().map(|(op, trips)| Work::of(whole.program, op, passes * trips as f64)).collect()
        });
        let work: Vec<SmallVec<[Work; 1]>> = work.collect();
        let of_stage = |stage: &OnStage<'_>| {
            let seconds = work.iter().map(|inner| inner.iter().map(|work| work.seconds(stage)).sum::<f64>());
            let sums = seconds.scan(0.0, |sum, seconds| {
                *sum += seconds;
                Some(*sum)
            });
            [0.0].into_iter().chain(sums).collect()
        };
        let sums = stages.iter().map(of_stage).collect();
        let crossing = crossing(whole, &ops);
        Costs { ops, sums, crossing }
    }

    /// Seconds of ops on a stage.
    pub(super) fn seconds(&self, stage: usize, start: usize, end: usize) -> f64 {
        self.sums[stage][end] - self.sums[stage][start]
    }

    /// Seconds of each stage, if all took equally long.
    pub(super) fn ideal(&self) -> f64 {
        let all: f64 = (0..self.sums.len()).map(|stage| self.seconds(stage, 0, self.ops.len()).recip()).sum();
        all.recip()
    }

    /// Those of the place in the middle when places are ordered by them.
    fn usual(&self) -> f64 {
        let mut all = self.crossing.clone();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().filter(|&usual| usual > 0.0).unwrap_or(1.0)
    }

    /// Seconds to send what crosses a place between ops; nothing at the ends.
    fn at(&self, place: usize) -> f64 {
        if place == 0 || place >= self.ops.len() { 0.0 } else { self.crossing[place] }
    }
}

/// By op of the model, how many times its work it comes to with its gradients: of what is frozen there are fewer.
fn passes(whole: &Whole<'_>) -> FxHashMap<OpId, f64> {
    let is_trained = |v: &ValueId| {
        let mut params = whole.roots_of(*v).iter().map(|&param| &whole.program.params[param]);
        params.any(|param| param.kind == ParamKind::Trainable)
    };
    let body = whole.body();
    let has_gradients = body.ops().iter().any(|&id| !whole.is_forward(id));
    // What gradients flow to: trained parameters, and what is made of them.
    let mut flows: FxHashSet<ValueId> = FxHashSet::default();
    flows.extend(body.inputs.iter().copied().filter(|inner| has_gradients && is_trained(inner)));
    let mut passes = FxHashMap::default();
    for &id in body.ops().iter().filter(|&&id| whole.is_forward(id)) {
        let op = whole.op(id);
        let gradients = op.args.iter().filter(|arg| flows.contains(arg)).count().min(2);
        passes.insert(id, 1.0 + gradients as f64);
        if gradients > 0 {
            flows.extend(&op.outs);
        }
    }
    passes
}

/// By place between ops, seconds to send what is read behind it: a value crosses every place between its op and its
/// last reader.
fn crossing(whole: &Whole<'_>, ops: &[OpId]) -> Vec<f64> {
    let position: FxHashMap<OpId, usize> = ops.iter().copied().zip(0..).collect();
    let mut last: BTreeMap<ValueId, usize> = BTreeMap::new();
    for (at, &id) in ops.iter().enumerate() {
        for &arg in &whole.op(id).args {
            last.insert(arg, at);
        }
    }
    let mut change = vec![0.0; ops.len() + 1];
    for (&value, &read) in &last {
        let Some(&made) = whole.maker(value).and_then(|id| position.get(&id)) else { continue };
        let cost = whole.program.ty(value).bytes() as f64 / RATES[2];
        change[made + 1] += cost;
        change[read + 1] -= cost;
    }
    let sum = change.into_iter().scan(0.0, |now, change| {
        *now += change;
        Some(f64::max(*now, 0.0))
    });
    sum.collect()
}

/// How much longer than it must be the longest stage may become.
const SLACK: f64 = 1.1;

/// What share of a stage it is worth to send half of what is sent elsewhere: a cut between layers sends least, keeps
/// layers whole that are to be computed again, and leaves stages alike.
const CLEAN: f64 = 0.04;

/// The chunk of each op of the model, in as many as are asked for.
///
/// # Errors
/// `G002` when there are more chunks than ops.
pub(super) fn by_count(whole: &Whole<'_>, how: &Cutting<'_>) -> Result<FxHashMap<OpId, usize>, Diagnostic> {
    let costs = Costs::of(whole, how.stages);
    let (count, chunks) = (costs.ops.len(), how.chunks());
    let refused = || {
        let title = format!("`{}` cannot be cut into {chunks} stages", whole.program.source);
        Diagnostic::new(Code::G002, title).note(format!("it has {count} ops that a stage could begin with"))
    };
    if chunks == 0 || chunks > count {
        return Err(refused());
    }
    // Where nothing fits, the shortest cut says by how much.
    let rooms = rooms(whole, &costs.ops, how);
    let row = Row { costs: &costs, rooms: Some(&rooms), count, chunks, stages: how.stages.len() };
    let places = best_places(&row).or_else(|| best_places(&Row { rooms: None, ..row })).ok_or_else(refused)?;
    let ends = places[1..].iter().copied().chain([count]);
    let spans = places.iter().copied().zip(ends).enumerate();
    Ok(spans.flat_map(|(chunk, (start, end))| costs.ops[start..end].iter().map(move |&op| (op, chunk))).collect())
}

/// By chunk, where it begins; nothing where none has the room that it would need.
fn best_places(row: &Row<'_>) -> Option<Vec<usize>> {
    let costs = row.costs;
    let most = SLACK * row.shortest()?;
    let lasts = row.last_ends(most)?;
    // Where the last chunks take what they can, a slow one may be left with an op that is too long for it.
    let firsts = row.first_ends(most).unwrap_or_else(|| (1..=row.chunks).collect());
    let mean = costs.ideal() * row.stages as f64 / row.chunks as f64;
    let usual = costs.usual();
    // By chunk and place where it may end, what the cheapest cut so far costs, and where the chunk begins then.
    let mut best: Vec<Vec<(f64, usize)>> = Vec::with_capacity(row.chunks);
    for chunk in 0..row.chunks {
        let before = |start: usize| match chunk.checked_sub(1) {
            Some(before) => best[before][start - firsts[before]].0,
            None => 0.0,
        };
        let starts = chunk.checked_sub(1).map_or(0..=0, |before| firsts[before]..=lasts[before]);
        let of_end = |end: usize| {
            let starts = starts.clone().filter(|&start| start < end && row.allows(chunk, start, end, most));
            let with = starts.map(|start| {
                let off = row.seconds(chunk, start, end) - mean;
                (before(start) + CLEAN * mean * costs.at(end) / usual + off * off / mean, start)
            });
            with.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((f64::INFINITY, 0))
        };
        let all = (firsts[chunk]..=lasts[chunk]).map(of_end).collect();
        best.push(all);
    }
    let mut places = vec![0; row.chunks];
    let mut end = row.count;
    if best.last()?.last()?.0 == f64::INFINITY {
        return None;
    }
    for chunk in (0..row.chunks).rev() {
        end = best[chunk][end - firsts[chunk]].1;
        places[chunk] = end;
    }
    Some(places)
}

/// Ops in a row that chunks have to share, each at least one.
#[derive(Clone, Copy)]
struct Row<'c> {
    costs: &'c Costs,
    rooms: Option<&'c Room>,
    count: usize,
    chunks: usize,
    stages: usize,
}

impl Row<'_> {
    /// Seconds of a chunk; what is sent meanwhile goes on beside the work.
    fn seconds(&self, chunk: usize, start: usize, end: usize) -> f64 {
        self.costs.seconds(chunk % self.stages, start, end)
    }

    /// Whether a chunk takes no longer and has the room that it needs; what holds of a chunk holds of parts of it.
    fn allows(&self, chunk: usize, start: usize, end: usize, most: f64) -> bool {
        self.seconds(chunk, start, end) <= most && self.rooms.is_none_or(|rooms| rooms.has(chunk, start, end))
    }

    /// How short the longest chunk can be, within a billionth: between what all would take if they could be equally
    /// long, and what all ops take on one.
    fn shortest(&self) -> Option<f64> {
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

    /// By chunk, the last place where it can end, which is where all of them before take what they can; nothing where
    /// that is not enough.
    fn last_ends(&self, most: f64) -> Option<Vec<usize>> {
        let mut end = 0;
        let mut ends = Vec::with_capacity(self.chunks);
        for chunk in 0..self.chunks {
            let start = end;
            let last = self.count - (self.chunks - chunk - 1);
            end = start + longest(last - start, |n| self.allows(chunk, start, start + n, most));
            if end == start {
                return None;
            }
            ends.push(end);
        }
        (end == self.count).then_some(ends)
    }

    /// By chunk, the first place where it can end, since those behind it can take no more.
    fn first_ends(&self, most: f64) -> Option<Vec<usize>> {
        let mut start = self.count;
        let mut ends = vec![0; self.chunks];
        for chunk in (0..self.chunks).rev() {
            let end = start;
            ends[chunk] = end;
            start = end - longest(end - chunk, |n| self.allows(chunk, end - n, end, most));
            if end == start {
                return None;
            }
        }
        (start == 0).then_some(ends)
    }
}

/// The largest number up to `most` for which something holds that holds for all less.
fn longest(most: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, most);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if holds(middle) { low = middle } else { high = middle - 1 }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::{Costs, Row, best_places};
    use partita_ir::arena::OpId;

    /// Ops that take so long on a device, on stages that take so many times as long.
    fn costs(ops: &[f64], stages: &[f64]) -> Costs {
        let sums = |slow: &f64| {
            let ops = ops.iter().scan(0.0, |sum, op| {
                *sum += slow * op;
                Some(*sum)
            });
            [0.0].into_iter().chain(ops).collect()
        };
        let crossing = vec![0.0; ops.len() + 1];
        Costs { ops: (0..ops.len() as u32).map(OpId).collect(), sums: stages.iter().map(sums).collect(), crossing }
    }

    #[test]
    fn a_slow_stage_between_fast_ones_is_not_left_with_what_is_too_long() {
        let costs = costs(&[1.0, 8.0, 1.0, 1.0], &[1.0, 4.0, 1.0]);
        let row = Row { costs: &costs, rooms: None, count: 4, chunks: 3, stages: 3 };
        assert_eq!(best_places(&row), Some(vec![0, 2, 3]));
    }
}

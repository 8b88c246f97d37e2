//! Where to cut, by count: the longest stage is made about as short as it can be, and of such cuts those are taken that send little and
//! leave stages equally long.
//!
//! The ops of the model stand in a row. A dynamic program over the places between them finds how short the longest stage can be, and a
//! second one the cuts (as for the partition of a line; Alpa's over layers, Zheng et al. 2022, is of this form).

use super::whole::Whole;
use partita_ir::arena::{OpId, ValueId};
use partita_ir::diag::{Code, Diagnostic};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// What the ops of the model cost.
pub(super) struct Costs {
    /// Ops of the model that are done on one stage, in order.
    ops: Vec<OpId>,
    /// Seconds of each, with its gradients.
    seconds: Vec<f64>,
    /// By place between two of them, seconds to send what is read behind it.
    crossing: Vec<f64>,
}

/// Operations a second, bytes a second of memory and of links that stages are balanced for, where nothing is known of the machine: only
/// their ratios matter, which are those of a GPU.
const RATES: [f64; 3] = [1e14, 1e12, 1e11];

impl Costs {
    /// Those of a model.
    pub(super) fn of(whole: &Whole<'_>) -> Costs {
        let [flops, memory, link] = RATES;
        let body = &whole.body().body;
        let ops: Vec<OpId> =
            body.iter().copied().filter(|&id| whole.is_op_placed(id) && whole.is_forward(id)).collect();
        let seconds = ops.iter().map(|&id| {
            let op = whole.op(id);
            let (args, outs) = (whole.program.arg_types(op), whole.program.out_types(op));
            let once = op.kind.flops(&args, &outs) as f64 / flops + op.kind.bytes(&args, &outs) as f64 / memory;
            3.0 * once
        });
        let seconds = seconds.collect();
        // A value crosses every place between its op and its last reader in the model.
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
            let cost = whole.program.ty(value).bytes() as f64 / link;
            change[made + 1] += cost;
            change[read + 1] -= cost;
        }
        let mut crossing = Vec::with_capacity(ops.len() + 1);
        let mut now = 0.0;
        for change in change {
            now += change;
            crossing.push(f64::max(now, 0.0));
        }
        Costs { ops, seconds, crossing }
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

/// How much longer than it must be the longest stage may become.
const SLACK: f64 = 1.1;

/// What share of a stage it is worth to send half of what is sent elsewhere: a cut between layers sends least, keeps layers whole that are
/// to be computed again, and leaves stages alike.
const CLEAN: f64 = 0.04;

/// The cheapest ways to cut the first ops into the first stages: by their numbers, the cost and where the last one begins. `cost` is given
/// that of the stages before, and where a stage begins and ends.
fn cuts(count: usize, stages: usize, cost: impl Fn(f64, usize, usize) -> f64) -> Vec<Vec<(f64, usize)>> {
    let mut best = vec![vec![(f64::INFINITY, 0); count + 1]; stages + 1];
    best[0][0].0 = 0.0;
    for stage in 1..=stages {
        for end in stage..=count - (stages - stage) {
            for start in stage - 1..end {
                let before = best[stage - 1][start].0;
                let with = if before.is_finite() { cost(before, start, end) } else { f64::INFINITY };
                if with < best[stage][end].0 {
                    best[stage][end] = (with, start);
                }
            }
        }
    }
    best
}

/// The stage of each op of the model, in so many stages.
///
/// # Errors
/// `G002` when there are more stages than ops.
pub(super) fn by_count(whole: &Whole<'_>, costs: &Costs, stages: usize) -> Result<FxHashMap<OpId, usize>, Diagnostic> {
    let count = costs.ops.len();
    if stages == 0 || stages > count {
        let title = format!("`{}` cannot be cut into {stages} stages", whole.program.source);
        return Err(
            Diagnostic::new(Code::G002, title).note(format!("it has {count} ops that a stage could begin with"))
        );
    }
    let mut sums = vec![0.0];
    sums.extend(costs.seconds.iter().scan(0.0, |sum, seconds| {
        *sum += seconds;
        Some(*sum)
    }));
    // What is sent meanwhile goes on beside the work.
    let seconds = |start: usize, end: usize| sums[end] - sums[start];
    let shortest = cuts(count, stages, |before, start, end| f64::max(before, seconds(start, end)));
    let most = SLACK * shortest[stages][count].0;
    let mean = sums[count] / stages as f64;
    let usual = costs.usual();
    let best = cuts(count, stages, |before, start, end| {
        let stage = seconds(start, end);
        let off = stage - mean;
        if stage > most { f64::INFINITY } else { before + CLEAN * mean * costs.at(end) / usual + off * off / mean }
    });
    let mut stage_of = FxHashMap::default();
    let mut end = count;
    for stage in (0..stages).rev() {
        let start = best[stage + 1][end].1;
        stage_of.extend(costs.ops[start..end].iter().map(|&op| (op, stage)));
        end = start;
    }
    Ok(stage_of)
}

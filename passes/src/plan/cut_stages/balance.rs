//! Where to cut, by count: the longest stage is made as short as it can be, and of equal ones those that send less are taken.
//!
//! The ops of the model stand in a row. A dynamic program over the places between them finds the cuts (as for the partition of a
//! line; Alpa's over layers, Zheng et al. 2022, is of this form).

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
            body.iter().copied().filter(|&id| whole.is_op_staged(id) && whole.is_forward(id)).collect();
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
    // By number of stages and place: the longest stage and what is sent, and the cut before.
    let mut best = vec![vec![((f64::INFINITY, 0.0), 0); count + 1]; stages + 1];
    best[0][0] = ((0.0, 0.0), 0);
    for stage in 1..=stages {
        for end in stage..=count - (stages - stage) {
            for start in stage - 1..end {
                let (longest, sent) = best[stage - 1][start].0;
                let crosses = if end < count { costs.crossing[end] } else { 0.0 };
                let enters = if start > 0 { costs.crossing[start] } else { 0.0 };
                let seconds = sums[end] - sums[start] + crosses + enters;
                let cost = (f64::max(longest, seconds), sent + crosses);
                if cost < best[stage][end].0 {
                    best[stage][end] = (cost, start);
                }
            }
        }
    }
    let mut stage_of = FxHashMap::default();
    let mut end = count;
    for stage in (0..stages).rev() {
        let start = best[stage + 1][end].1;
        stage_of.extend(costs.ops[start..end].iter().map(|&op| (op, stage)));
        end = start;
    }
    Ok(stage_of)
}

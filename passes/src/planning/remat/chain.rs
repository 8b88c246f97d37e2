//! Choice of the recomputation policy of each layer, such that a training step fits a memory budget with minimal
//! recomputation.
//!
//! Layers form a chain: during the backward pass of layer `i`, the values stored by earlier layers are live, and all
//! values of the layer itself, which have just been recomputed; those of later layers are freed. With `k` the bytes
//! that a choice stores, `a` the bytes of the layer's values, `f` the recomputed FLOPs and `M` the budget, over the
//! bytes `m` that the layers up to `i` store:
//!
//! `C[i][m] = min over choices of f + C[i - 1][m - k]`, where `m - k + a[i] <= M`
//!
//! The recurrence is the one-level form of Herrmann et al., Optimal Checkpointing for Heterogeneous Chains (2019). The
//! memory of the rest of the step is not estimated: the step is built, its peak is measured, and the budget of the
//! chain is found by bisection.

use super::layers::Layer;
use super::limits::RematLimits;
use super::policy::{DroppedValues, RematPolicy};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::dtype::Type;
use partita_ir::program::{Op, Phase, Program};
use rustc_hash::FxHashSet;

/// Cost of one policy for a layer.
#[derive(Clone, Copy, Debug)]
struct LayerChoice {
    policy: RematPolicy,
    /// Bytes per device that are stored for the backward pass.
    stored_bytes: u64,
    /// Recomputed FLOPs.
    flops: u64,
}

/// A layer as an element of the chain.
struct ChainLink {
    /// Bytes that the layer's backward pass reads, stored or recomputed.
    total_bytes: u64,
    choices: Vec<LayerChoice>,
}

/// Chain of a model's layers.
pub(super) struct Chain {
    links: Vec<ChainLink>,
}

impl Chain {
    /// Builds the chain of `layers`. The plan fixes the policy of some of them.
    pub(super) fn new(
        program: &Program,
        func: FuncId,
        layers: &[Layer],
        stated: &[Option<RematPolicy>],
        quadratic: &FxHashSet<ValueId>,
    ) -> Chain {
        let free = DroppedValues::free_to_recompute(program, func);
        let mut read: FxHashSet<ValueId> = FxHashSet::default();
        for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]).filter(|op| op.phase != Phase::Forward) {
            read.extend(op.args.iter().copied().filter(|&v| free.producer(v).is_none()));
        }
        let links = layers.iter().zip(stated).map(|(layer, stated)| {
            let choices = match stated {
                Some(policy) => vec![*policy],
                None => vec![RematPolicy::None, RematPolicy::Selective, RematPolicy::Full],
            };
            let choices = choices.into_iter().map(|policy| choice(program, layer, policy, quadratic, &read)).collect();
            ChainLink { total_bytes: choice(program, layer, RematPolicy::None, quadratic, &read).stored_bytes, choices }
        });
        Chain { links: links.collect() }
    }

    /// Returns the bytes that are stored without recomputation.
    pub(super) fn bytes_without_recompute(&self) -> u64 {
        self.links.iter().map(|link| link.total_bytes).sum()
    }

    /// Returns the policies with the fewest FLOPs, regardless of memory.
    pub(super) fn cheapest(&self) -> Vec<RematPolicy> {
        let cheapest =
            |link: &ChainLink| link.choices.iter().min_by_key(|c| c.flops).map_or(RematPolicy::None, |c| c.policy);
        self.links.iter().map(cheapest).collect()
    }

    /// Returns the policies with the fewest FLOPs that store at most `bytes`, or those with the fewest bytes if none
    /// fit.
    pub(super) fn choose(&self, bytes: u64) -> Vec<RematPolicy> {
        let step = bytes.div_ceil(RematLimits::TUNED.budget_steps as u64).max(1);
        let steps = |bytes: u64| usize::try_from(bytes.div_ceil(step)).unwrap_or(usize::MAX);
        // best[i][k]: fewest FLOPs of the layers before `i` that store `k` steps, and the last choice.
        let mut best: Vec<Vec<Option<(u64, usize)>>> = vec![vec![None; RematLimits::TUNED.budget_steps + 1]];
        best[0][0] = Some((0, 0));
        for (i, link) in self.links.iter().enumerate() {
            let mut next = vec![None; RematLimits::TUNED.budget_steps + 1];
            for (stored, so_far) in best[i].iter().enumerate() {
                // Recomputed values of the layer are live together with those that earlier layers store.
                let Some((flops, _)) = so_far
                    .filter(|_| stored.saturating_add(steps(link.total_bytes)) <= RematLimits::TUNED.budget_steps)
                else {
                    continue;
                };
                for (pick, choice) in link.choices.iter().enumerate() {
                    let Some(slot) = next.get_mut(stored.saturating_add(steps(choice.stored_bytes))) else { continue };
                    let candidate = (flops + choice.flops, pick);
                    *slot = Some(slot.map_or(candidate, |other: (u64, usize)| other.min(candidate)));
                }
            }
            best.push(next);
        }
        let last = best.last().into_iter().flatten().enumerate();
        let Some((_, mut stored)) = last.filter_map(|(stored, b)| Some((b.as_ref()?.0, stored))).min() else {
            return self.links.iter().map(ChainLink::smallest).collect();
        };
        let mut chosen = Vec::with_capacity(self.links.len());
        for (i, link) in self.links.iter().enumerate().rev() {
            let Some(choice) = best[i + 1][stored].and_then(|(_, pick)| link.choices.get(pick)) else { break };
            chosen.push(choice.policy);
            stored = stored.saturating_sub(steps(choice.stored_bytes));
        }
        chosen.reverse();
        chosen
    }
}

impl ChainLink {
    /// Returns the policy that stores the fewest bytes.
    fn smallest(&self) -> RematPolicy {
        self.choices.iter().min_by_key(|c| c.stored_bytes).map_or(RematPolicy::None, |c| c.policy)
    }
}

fn choice(
    program: &Program,
    layer: &Layer,
    policy: RematPolicy,
    quadratic: &FxHashSet<ValueId>,
    read: &FxHashSet<ValueId>,
) -> LayerChoice {
    let mut recomputed: FxHashSet<OpId> = FxHashSet::default();
    let mut stored = 0u64;
    for &op in &layer.ops {
        for &out in &program.ops[op].outs {
            if policy.drops(layer, quadratic, out) {
                recomputed.insert(op);
            } else if read.contains(&out) {
                stored = stored.saturating_add(program.values[out].local_type().bytes());
            }
        }
    }
    let run = recomputed.iter().flat_map(|&op| program.ops_within(op));
    let flops = run.map(|(op, times)| times.saturating_mul(flops(program, op))).fold(0, u64::saturating_add);
    LayerChoice { policy, stored_bytes: stored, flops }
}

/// Returns the FLOPs of an op plus one per result element, so that no op is free.
fn flops(program: &Program, op: &Op) -> u64 {
    let local = |v: &ValueId| program.values[*v].local_type();
    let (args, outs): (Vec<Type>, Vec<Type>) =
        (op.args.iter().map(local).collect(), op.outs.iter().map(local).collect());
    let elements = outs.iter().map(|ty| ty.shape.count() as u64).fold(0, u64::saturating_add);
    let flops = op.kind.flops(&args.iter().collect::<Vec<_>>(), &outs.iter().collect::<Vec<_>>());
    flops.saturating_add(elements)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planning::remat::layers::{ValueDependences, layers};
    use partita_ir::diag::Source;
    use partita_ir::text::parse;

    #[test]
    fn recomputed_loops_count_every_iteration() {
        let text = "form traced
            func @turn(%h: f32[4, 4], %w: f32[4, 4]) {
              %next = matmul %h, %w : f32[4, 4]
              return %next, %w
            }
            param %w \"w\" : f32[4, 4]
            input %x : f32[4, 4]
              %h, %same = loop 3 of @turn %x, %w : f32[4, 4], f32[4, 4]
              %r = relu %h : f32[4, 4]
            output %r";
        let program = parse(&Source::new("t.pir", text)).unwrap();
        let none = FxHashSet::default();
        let layers = layers(&program, program.entry(), &ValueDependences::new(&program, &none));
        let full = choice(&program, &layers[0], RematPolicy::Full, &none, &none);
        // 64 multiply-adds and 16 elements in each iteration, and 32 elements of the loop's results.
        assert_eq!(full.flops, 3 * (2 * 64 + 16) + 32);
    }
}

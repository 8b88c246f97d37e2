//! What of each layer is computed again, so that a training step fits a budget at the least arithmetic.
//!
//! Layers are a chain: while layer `i` goes backwards, what the layers before it keep is there, and all that it holds
//! itself, which has just been computed again; what the layers behind it kept is free. With `k` the bytes that a choice
//! keeps, `a` those that the layer holds, `f` the arithmetic of computing again and `M` the budget, over the bytes `m`
//! that the layers up to `i` keep:
//!
//! `C[i][m] = min over choices of f + C[i - 1][m - k]`, where `m - k + a[i] <= M`
//!
//! This is the one-level form of the recurrence of Herrmann et al., Optimal Checkpointing for Heterogeneous Chains
//! (2019). What the rest of the step needs is not assumed: the step is made, its peak is measured, and what the chain
//! gets is searched by halves.

use super::layers::Layer;
use super::limits::RematLimits;
use super::policy::{Dropped, How};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::dtype::Type;
use partita_ir::program::{Op, Phase, Program};
use rustc_hash::FxHashSet;

/// What a choice costs a layer.
#[derive(Clone, Copy, Debug)]
struct Choice {
    how: How,
    /// Bytes on a device that are kept for the backward pass.
    kept: u64,
    /// Arithmetic that is done again.
    flops: u64,
}

/// A layer as the chain sees it.
struct Link {
    /// Bytes that its backward pass reads, kept or computed again.
    held: u64,
    choices: Vec<Choice>,
}

/// The chain of a model's layers.
pub(super) struct Chain {
    links: Vec<Link>,
}

impl Chain {
    /// The chain of these layers, of which the plan has said some.
    pub(super) fn of(
        program: &Program,
        func: FuncId,
        layers: &[Layer],
        said: &[Option<How>],
        quadratic: &FxHashSet<ValueId>,
    ) -> Chain {
        let repeats = Dropped::repeats(program, func);
        let mut read: FxHashSet<ValueId> = FxHashSet::default();
        for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]).filter(|op| op.phase != Phase::Forward) {
            read.extend(op.args.iter().copied().filter(|&v| repeats.maker(v).is_none()));
        }
        let links = layers.iter().zip(said).map(|(layer, said)| {
            let choices =
                [How::None, How::Selective, How::Full].into_iter().filter(|how| said.is_none_or(|s| s == *how));
            let choices = choices.map(|how| choice(program, layer, how, quadratic, &read)).collect();
            Link { held: choice(program, layer, How::None, quadratic, &read).kept, choices }
        });
        Chain { links: links.collect() }
    }

    /// Bytes that are kept when nothing is computed again.
    pub(super) fn held(&self) -> u64 {
        self.links.iter().map(|link| link.held).sum()
    }

    /// The choice of least arithmetic, whatever it keeps.
    pub(super) fn cheapest(&self) -> Vec<How> {
        let cheapest = |link: &Link| link.choices.iter().min_by_key(|c| c.flops).map_or(How::None, |c| c.how);
        self.links.iter().map(cheapest).collect()
    }

    /// The choice of least arithmetic that keeps the chain within so many bytes; of least bytes where none does.
    pub(super) fn choose(&self, bytes: u64) -> Vec<How> {
        let step = bytes.div_ceil(RematLimits::TUNED.budget_steps as u64).max(1);
        let steps = |bytes: u64| usize::try_from(bytes.div_ceil(step)).unwrap_or(usize::MAX);
        // best[i][k]: the least arithmetic of the layers before `i` that keep `k`, and the last choice.
        let mut best: Vec<Vec<Option<(u64, usize)>>> = vec![vec![None; RematLimits::TUNED.budget_steps + 1]];
        best[0][0] = Some((0, 0));
        for (i, link) in self.links.iter().enumerate() {
            let mut next = vec![None; RematLimits::TUNED.budget_steps + 1];
            for (kept, so_far) in best[i].iter().enumerate() {
                // What was computed again lies beside what the layers before keep.
                let Some((flops, _)) =
                    so_far.filter(|_| kept.saturating_add(steps(link.held)) <= RematLimits::TUNED.budget_steps)
                else {
                    continue;
                };
                for (pick, choice) in link.choices.iter().enumerate() {
                    let Some(slot) = next.get_mut(kept.saturating_add(steps(choice.kept))) else { continue };
                    let candidate = (flops + choice.flops, pick);
                    *slot = Some(slot.map_or(candidate, |other: (u64, usize)| other.min(candidate)));
                }
            }
            best.push(next);
        }
        let last = best.last().into_iter().flatten().enumerate();
        let Some((_, mut kept)) = last.filter_map(|(kept, b)| Some((b.as_ref()?.0, kept))).min() else {
            return self.links.iter().map(Link::least).collect();
        };
        let mut chosen = Vec::with_capacity(self.links.len());
        for (i, link) in self.links.iter().enumerate().rev() {
            let Some(choice) = best[i + 1][kept].and_then(|(_, pick)| link.choices.get(pick)) else { break };
            chosen.push(choice.how);
            kept = kept.saturating_sub(steps(choice.kept));
        }
        chosen.reverse();
        chosen
    }
}

impl Link {
    /// The choice that keeps least.
    fn least(&self) -> How {
        self.choices.iter().min_by_key(|c| c.kept).map_or(How::None, |c| c.how)
    }
}

fn choice(
    program: &Program,
    layer: &Layer,
    how: How,
    quadratic: &FxHashSet<ValueId>,
    read: &FxHashSet<ValueId>,
) -> Choice {
    let mut again: FxHashSet<OpId> = FxHashSet::default();
    let mut kept = 0u64;
    for &op in &layer.ops {
        for &out in &program.ops[op].outs {
            if how.drops(layer, quadratic, out) {
                again.insert(op);
            } else if read.contains(&out) {
                kept = kept.saturating_add(program.values[out].local_type().bytes());
            }
        }
    }
    let run = again.iter().flat_map(|&op| program.ops_within(op));
    let flops = run.map(|(op, times)| times.saturating_mul(flops(program, op))).fold(0, u64::saturating_add);
    Choice { how, kept, flops }
}

/// Arithmetic of an op, which is never nothing: what goes element by element costs one operation for each.
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
    use crate::planning::remat::layers::{Facts, layers};
    use partita_ir::diag::Source;
    use partita_ir::text::parse;

    #[test]
    fn a_loop_is_computed_again_turn_by_turn() {
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
        let layers = layers(&program, program.entry(), &Facts::of(&program, &none));
        let full = choice(&program, &layers[0], How::Full, &none, &none);
        // Of 64 multiplications and additions and 16 elements in each turn, and 32 elements that the loop gives.
        assert_eq!(full.flops, 3 * (2 * 64 + 16) + 32);
    }
}

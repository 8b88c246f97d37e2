//! Order in which the results of a layer are recomputed instead of stored: those first that save the most bytes for the
//! time of their recomputation.
//!
//! A knapsack filled by ratio, as the selective recomputation of Korthikanti et al., Reducing Activation Recomputation
//! in Large Transformer Models (2022), for any layer: normalisations, activation functions and attention come before
//! matrix products, which come before products whose result is reduced over devices. Each layer is treated alone, so
//! that equal layers recompute the same results, whatever their number.

use super::layers::Layer;
use super::limits::RematLimits;
use super::policy::DroppedValues;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::dtype::Type;
use partita_ir::program::{Op, Phase, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// Results of a layer in the order in which they are recomputed.
#[derive(Default)]
pub(super) struct RecomputeOrder {
    /// For each result, the bytes that the results before it in the order save.
    saved_before: FxHashMap<ValueId, u64>,
    /// Bytes that all results save.
    saved: u64,
}

impl RecomputeOrder {
    /// Returns the order for a layer. `needed` are the values that are stored without recomputation.
    pub(super) fn new(
        program: &Program,
        layer: &Layer,
        free: &DroppedValues,
        needed: &FxHashSet<ValueId>,
    ) -> RecomputeOrder {
        let outs = |&op: &OpId| program.ops[op].outs.iter().map(move |&out| (out, op));
        let producers: FxHashMap<ValueId, OpId> = layer.ops.iter().flat_map(outs).collect();
        let results = layer.ops.iter().flat_map(outs).map(|(value, _)| value);
        let stored: FxHashSet<ValueId> = results.filter(|value| needed.contains(value)).collect();
        let mut state = LayerState { program, layer, free, producers, stored, recomputed: FxHashSet::default() };
        let mut order = RecomputeOrder::default();
        while let Some(next) = state.best_step() {
            for &value in &next.values {
                order.saved_before.entry(value).or_insert(order.saved);
                state.stored.remove(&value);
            }
            order.saved = order.saved.saturating_add(next.saved);
            state.stored.extend(&next.stored);
            state.recomputed.extend(&next.ops);
        }
        order
    }

    /// Returns true if the first `percent` of the saved bytes include a value.
    pub(super) fn includes(&self, value: ValueId, percent: u8) -> bool {
        let limit = u128::from(self.saved) * u128::from(percent);
        self.saved_before.get(&value).is_some_and(|&before| u128::from(before) * 100 < limit)
    }
}

/// Values of a layer that are stored and recomputed so far.
struct LayerState<'a> {
    program: &'a Program,
    layer: &'a Layer,
    free: &'a DroppedValues,
    /// Ops that define the results of the layer.
    producers: FxHashMap<ValueId, OpId>,
    /// Results that are stored for the backward pass.
    stored: FxHashSet<ValueId>,
    /// Ops that are recomputed.
    recomputed: FxHashSet<OpId>,
}

/// Recomputation of a stored result from values that are stored or recomputed already.
struct RecomputeStep {
    /// The result and those between it and the values that it is recomputed from.
    values: Vec<ValueId>,
    /// Ops that are recomputed in addition.
    ops: Vec<OpId>,
    /// Results that are stored in addition.
    stored: Vec<ValueId>,
    /// Bytes that are no longer stored.
    saved: u64,
    /// Cost of the ops, in bytes of memory traffic.
    cost: u64,
}

impl LayerState<'_> {
    /// Returns the step with the most saved bytes for its cost; the first one of equal steps. `None` if no step saves
    /// bytes.
    fn best_step(&self) -> Option<RecomputeStep> {
        let results = self.layer.ops.iter().flat_map(|&op| self.program.ops[op].outs.iter().copied());
        let candidates = results.filter(|value| self.stored.contains(value) && !self.layer.is_always_stored(*value));
        candidates.filter_map(|value| self.step(value)).reduce(|best, next| {
            let [of_next, of_best] =
                [(&next, &best), (&best, &next)].map(|(one, other)| u128::from(one.saved) * u128::from(other.cost));
            if of_next > of_best { next } else { best }
        })
    }

    /// Returns the step that recomputes a stored result. `None` if it saves no bytes.
    fn step(&self, value: ValueId) -> Option<RecomputeStep> {
        let mut step = RecomputeStep { values: vec![value], ops: Vec::new(), stored: Vec::new(), saved: 0, cost: 0 };
        let mut seen: FxHashSet<ValueId> = FxHashSet::from_iter([value]);
        let mut todo = vec![value];
        while let Some(next) = todo.pop() {
            let Some(&producer) = self.producers.get(&next) else { continue };
            let is_new = !self.recomputed.contains(&producer) && !step.ops.contains(&producer);
            if is_new && self.free.producer(next).is_none() {
                step.ops.push(producer);
                step.cost = step.cost.saturating_add(cost(self.program, producer));
            }
            for &arg in &self.program.ops[producer].args {
                let Some(op) = self.producers.get(&arg) else { continue };
                if self.stored.contains(&arg) || !seen.insert(arg) {
                    continue;
                }
                if self.free.producer(arg).is_some() {
                    todo.push(arg);
                } else if self.layer.is_always_stored(arg) {
                    step.stored.push(arg);
                } else {
                    if !self.recomputed.contains(op) {
                        step.values.push(arg);
                    }
                    todo.push(arg);
                }
            }
        }
        let bytes = |values: &[ValueId]| values.iter().map(|&v| self.bytes(v)).fold(0, u64::saturating_add);
        step.saved = self.bytes(value).saturating_sub(bytes(&step.stored));
        (step.saved > 0).then_some(step)
    }

    fn bytes(&self, value: ValueId) -> u64 {
        self.program.values[value].local_type().bytes()
    }
}

/// Returns the values that are stored for the backward pass of a function without recomputation, except what is free to
/// recompute.
pub(super) fn needed_values(program: &Program, func: FuncId, free: &DroppedValues) -> FxHashSet<ValueId> {
    let ops = program.funcs[func].ops().iter().map(|&op| &program.ops[op]);
    let mut todo: Vec<ValueId> =
        ops.filter(|op| op.phase != Phase::Forward).flat_map(|op| op.args.iter().copied()).collect();
    let mut seen: FxHashSet<ValueId> = FxHashSet::default();
    let mut needed: FxHashSet<ValueId> = FxHashSet::default();
    while let Some(value) = todo.pop() {
        if !seen.insert(value) {
            continue;
        }
        match free.producer(value) {
            Some(op) => todo.extend(program.ops[op].args.iter().copied()),
            None => {
                needed.insert(value);
            }
        }
    }
    needed
}

/// Returns the time of an op on one device, in bytes of memory traffic that take as long.
fn cost(program: &Program, op: OpId) -> u64 {
    let costs = program.ops_within(op).into_iter().map(|(op, times)| times.saturating_mul(cost_of_run(program, op)));
    costs.fold(0, u64::saturating_add).max(1)
}

fn cost_of_run(program: &Program, op: &Op) -> u64 {
    let RematLimits { flops_per_byte, reduction_cost, .. } = RematLimits::TUNED;
    let local = |v: &ValueId| program.values[*v].local_type();
    let (args, outs): (Vec<Type>, Vec<Type>) =
        (op.args.iter().map(local).collect(), op.outs.iter().map(local).collect());
    let bytes = |types: &[Type]| types.iter().map(Type::bytes).fold(0, u64::saturating_add);
    let flops = op.kind.flops(&args.iter().collect::<Vec<_>>(), &outs.iter().collect::<Vec<_>>());
    let traffic = bytes(&args).saturating_add(bytes(&outs));
    // A dimension that is sharded in the operands only is reduced over devices.
    let axes = |v: &ValueId| program.values[*v].layout.iter().flat_map(|layout| layout.used_axes()).collect::<Vec<_>>();
    let kept: Vec<_> = op.outs.iter().flat_map(axes).collect();
    let is_reduced = op.kind.class().contracts() && op.args.iter().flat_map(axes).any(|axis| !kept.contains(&axis));
    let reduction = if is_reduced { bytes(&outs).saturating_mul(reduction_cost) } else { 0 };
    (flops / flops_per_byte).max(traffic).saturating_add(reduction)
}

//! `bucket` (explicit -> explicit): combines reductions of gradients into buckets, in the order in which the backward
//! pass computes the gradients.
//!
//! Each collective has a latency, and a collective that starts while the backward pass is running overlaps with it. So
//! gradients are collected until a bucket contains as many bytes as the plan specifies (`bucket = "25MiB"`), and the
//! bucket is reduced immediately after its last gradient (Li et al., PyTorch Distributed: Experiences on Accelerating
//! Data Parallel Training, 2020). All gradients in a bucket have the same axes and the same monoid. A bucket is closed
//! early if an op reads one of its reduced gradients before the next gradient is computed. Cheap ops, such as the
//! conversion of a reduced gradient, its addition to the sum of a loop and the update of its parameter, are delayed
//! instead, until an expensive op needs their results. Collectives of other phases stay as they are.
//!
//! Before, with `bucket = "1MiB"` in the plan:
//!
//! ```text
//! %a.grad = dot_general contract [0]x[0] %x, %g : f32[4, 4] sum(data) phase backward_weight
//! %b.grad = reduce sum [0] %g : f32[4] sum(data) phase backward_weight
//! %b.1 = all_reduce sum over data %b.grad : f32[4] whole phase backward_weight
//! %a.1 = all_reduce sum over data %a.grad : f32[4, 4] whole phase backward_weight
//! ```
//!
//! After:
//!
//! ```text
//! %a.grad = dot_general contract [0]x[0] %x, %g : f32[4, 4] sum(data) phase backward_weight
//! %b.grad = reduce sum [0] %g : f32[4] sum(data) phase backward_weight
//! %a.1, %b.1 = all_reduce sum over data %a.grad, %b.grad : f32[4, 4] whole, f32[4] whole phase backward_weight
//! ```

use crate::driver::{FindingKind, Findings, Input, Pass, PassInfo, any_op};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::class::{Class, Collective};
use partita_ir::diag::Diagnostic;
use partita_ir::op::OpKind;
use partita_ir::ops::AllReduce;
use partita_ir::origin::{Cause, Origin};
use partita_ir::program::{Form, Op, Phase, Program, Values};
use rustc_hash::{FxHashMap, FxHashSet};

/// Largest number of gradients that a message names.
const MAX_NAMED_GRADIENTS: usize = 3;

/// The pass.
pub struct Bucket;

impl Pass for Bucket {
    fn info(&self) -> PassInfo {
        PassInfo {
            name: "bucket",
            input_form: Form::Explicit,
            output_form: Form::Explicit,
            reads: &[FindingKind::Resolved],
        }
    }

    fn applies(&self, program: &Program, input: &Input, findings: &Findings) -> bool {
        findings.plan_for(self.info(), input).bucket.is_some()
            && any_op(program, |program, op| gradient_reduction(program, op).is_some())
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let plan = findings.plan_for(self.info(), input);
        let Some(size) = plan.bucket_bytes().map_err(|e| vec![e])? else { return Ok(()) };
        for func in program.funcs_with_layouts() {
            let buckets = assign_buckets(program, func, size);
            combine_reductions(program, func, &buckets);
        }
        Ok(())
    }
}

/// Returns the op, the operand and the result of a reduction of a gradient.
fn gradient_reduction(program: &Program, op: OpId) -> Option<(&AllReduce, ValueId, ValueId)> {
    let op = &program.ops[op];
    let reduction = match op.kind.collective()? {
        Collective::AllReduce(reduction) => reduction,
        Collective::AllGather(_) | Collective::ReduceScatter(_) => return None,
        Collective::AllToAll(_) | Collective::Permute(_) => return None,
    };
    match (&op.args[..], &op.outs[..]) {
        (&[arg], &[out]) if is_gradient_reduction(program, op, out) => Some((reduction, arg, out)),
        _ => None,
    }
}

/// Returns true if a reduction reduces a gradient, either directly or after the update has scaled it.
fn is_gradient_reduction(program: &Program, op: &Op, out: ValueId) -> bool {
    match op.phase {
        Phase::BackwardWeight => true,
        Phase::Update => program.ty(out).shape.rank() > 0,
        _ => false,
    }
}

/// Gradients that are reduced together.
struct GradientBucket {
    reduction: AllReduce,
    /// The reductions of single gradients, in the order in which their operands are computed.
    ops: Vec<OpId>,
    bytes: u64,
    /// Position, counted from 1, of the op that computes the last gradient; 0 for an input of the function.
    ready: usize,
    /// Position, counted from 1, of the first op that reads a result.
    first_read: usize,
}

/// A gradient to be reduced.
struct Gradient<'p> {
    op: OpId,
    reduction: &'p AllReduce,
    bytes: u64,
    ready: usize,
    first_read: usize,
}

/// Assigns the gradients of a function to buckets.
fn assign_buckets(program: &Program, func: FuncId, size: u64) -> Vec<GradientBucket> {
    let mut done: Vec<GradientBucket> = Vec::new();
    let mut open: Vec<GradientBucket> = Vec::new();
    for gradient in gradients_in_order(program, func) {
        let mut at = open.iter().position(|bucket| bucket.reduction == *gradient.reduction);
        if let Some(i) = at.filter(|&i| gradient.ready >= open[i].first_read) {
            done.push(open.remove(i));
            at = None;
        }
        let i = at.unwrap_or_else(|| {
            open.push(GradientBucket {
                reduction: gradient.reduction.clone(),
                ops: Vec::new(),
                bytes: 0,
                ready: 0,
                first_read: usize::MAX,
            });
            open.len() - 1
        });
        let bucket = &mut open[i];
        bucket.ops.push(gradient.op);
        bucket.bytes = bucket.bytes.saturating_add(gradient.bytes);
        (bucket.ready, bucket.first_read) = (gradient.ready, bucket.first_read.min(gradient.first_read));
        if bucket.bytes >= size {
            done.push(open.remove(i));
        }
    }
    done.extend(open);
    // Buckets are issued in the order of their last gradients, which is the same on every device.
    done.sort_by_key(|bucket| bucket.ready);
    done
}

/// Returns the gradients of a function that are reduced by an op each, in the order in which they are computed.
fn gradients_in_order(program: &Program, func: FuncId) -> Vec<Gradient<'_>> {
    let func = &program.funcs[func];
    let mut computed_at: FxHashMap<ValueId, usize> = FxHashMap::default();
    for (point, &op) in (1..).zip(func.ops()) {
        computed_at.extend(program.ops[op].outs.iter().map(|&out| (out, point)));
    }
    let needed = first_needs(program, func.ops());
    // Results that another op reduces again: the second reduction stays where it is.
    let reduced: FxHashSet<ValueId> =
        func.ops().iter().filter_map(|&op| Some(gradient_reduction(program, op)?.2)).collect();
    let delayed = delayed_values(program, func.ops(), &reduced);
    let found = (1..).zip(func.ops()).filter_map(|(point, &op)| {
        let (reduction, arg, out) = gradient_reduction(program, op).filter(|(_, arg, _)| !reduced.contains(arg))?;
        // A delayed value is available where it is needed.
        let ready = if delayed.contains(&arg) { point } else { computed_at.get(&arg).copied().unwrap_or(0) };
        let read = needed.get(&out).copied().unwrap_or(usize::MAX);
        Some(Gradient { op, reduction, bytes: program.values[out].local_type().bytes(), ready, first_read: read })
    });
    let mut found: Vec<Gradient> = found.collect();
    found.sort_by_key(|gradient| gradient.ready);
    found
}

/// Returns the values that [delayed ops](is_delayed) compute from the results of reductions.
fn delayed_values(program: &Program, body: &[OpId], reduced: &FxHashSet<ValueId>) -> FxHashSet<ValueId> {
    let mut delayed: FxHashSet<ValueId> = FxHashSet::default();
    for op in body.iter().map(|&id| &program.ops[id]).filter(|op| is_delayed(op)) {
        if op.args.iter().any(|arg| reduced.contains(arg) || delayed.contains(arg)) {
            delayed.extend(&op.outs);
        }
    }
    delayed
}

/// Returns true if an op can be delayed until its results are needed: a cheap op after the backward pass, such as the
/// conversion of a gradient whose norm is computed at the end.
fn is_delayed(op: &Op) -> bool {
    is_cheap(&op.kind) && matches!(op.phase, Phase::BackwardWeight | Phase::Update)
}

/// Returns the position, counted from 1, of the first op that needs each value. An op that is delayed needs its
/// operands where its own results are needed. Values that only outputs need are omitted.
fn first_needs(program: &Program, body: &[OpId]) -> FxHashMap<ValueId, usize> {
    let mut needs: FxHashMap<ValueId, usize> = FxHashMap::default();
    for (i, &id) in body.iter().enumerate().rev() {
        let op = &program.ops[id];
        let need = match is_delayed(op) {
            true => op.outs.iter().filter_map(|out| needs.get(out).copied()).min(),
            false => Some(i + 1),
        };
        for (&arg, need) in op.args.iter().filter_map(|arg| Some((arg, need?))) {
            needs.entry(arg).and_modify(|first| *first = need.min(*first)).or_insert(need);
        }
    }
    needs
}

/// Returns true if an op is cheap enough to be delayed.
///
/// Recogniser: an op that is not delayed closes a bucket early, which affects only the speed.
fn is_cheap(kind: &OpKind) -> bool {
    match kind {
        OpKind::Reduce(reduce) => reduce.dims.is_empty(),
        OpKind::Reshape(_) | OpKind::Transpose(_) => true,
        kind => kind.is_elementwise() || kind.class() == Class::Update,
    }
}

/// Replaces the reductions of each bucket by one op immediately after the bucket's last gradient.
fn combine_reductions(program: &mut Program, func: FuncId, buckets: &[GradientBucket]) {
    let combined: FxHashSet<OpId> = buckets.iter().flat_map(|bucket| bucket.ops.iter().copied()).collect();
    let old = program.funcs[func].take_ops();
    let mut body = Vec::with_capacity(old.len());
    let mut next = buckets.iter().peekable();
    // Values that are not computed yet, and the ops that wait for them.
    let mut missing: FxHashSet<ValueId> = combined.iter().flat_map(|&op| program.ops[op].outs.clone()).collect();
    let mut waiting: Vec<OpId> = Vec::new();
    for point in 0..=old.len() {
        if let Some(op) = point.checked_sub(1).map(|i| old[i]).filter(|op| !combined.contains(op)) {
            if program.ops[op].args.iter().any(|arg| missing.contains(arg)) {
                missing.extend(&program.ops[op].outs);
                waiting.push(op);
            } else {
                body.push(op);
            }
        }
        while let Some(bucket) = next.next_if(|bucket| bucket.ready <= point) {
            let op = bucket_op(program, bucket);
            program.ops[op].outs.iter().for_each(|out| _ = missing.remove(out));
            body.push(op);
            waiting.retain(|&op| {
                let waits = program.ops[op].args.iter().any(|arg| missing.contains(arg));
                if !waits {
                    program.ops[op].outs.iter().for_each(|out| _ = missing.remove(out));
                    body.push(op);
                }
                waits
            });
        }
    }
    *program.funcs[func].ops_mut() = body;
}

/// Returns the op that reduces a bucket. A bucket of one gradient keeps its reduction.
fn bucket_op(program: &mut Program, bucket: &GradientBucket) -> OpId {
    if let [only] = bucket.ops[..] {
        return only;
    }
    let ops = || bucket.ops.iter().map(|&op| &program.ops[op]);
    let args: Values = ops().flat_map(|op| op.args.iter().copied()).collect();
    let outs: Values = ops().flat_map(|op| op.outs.iter().copied()).collect();
    let origin = ops().next().map(|first| bucket_origin(program, &first.origin, &args)).unwrap_or_default();
    program.ops.push(Op { kind: bucket.reduction.clone().into(), args, outs, phase: Phase::BackwardWeight, origin })
}

/// Returns the origin of a bucket's reduction: the op that computed its first gradient, and the names of its gradients.
fn bucket_origin(program: &Program, first: &Origin, gradients: &[ValueId]) -> Origin {
    let names: Vec<String> =
        gradients.iter().take(MAX_NAMED_GRADIENTS).map(|&v| format!("`%{}`", program.values[v].name)).collect();
    let more = match gradients.len().saturating_sub(MAX_NAMED_GRADIENTS) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let op = first.cause.as_ref().map_or_else(|| "all_reduce".into(), |cause| cause.op.clone());
    let reason = format!("{} gradients in one bucket", gradients.len());
    first.with_cause(Cause { op, factor: format!("{}{more}", names.join(", ")), reason })
}

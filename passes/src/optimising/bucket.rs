//! `bucket` (explicit -> explicit): reduces gradients together, in the order in which the backward pass makes them.
//!
//! Each collective costs time however little it moves, and one that begins while the backward pass still computes is
//! hidden behind it. So gradients are collected as they are made until a bucket holds as many bytes as the plan says
//! (`bucket = "25MiB"`), and the bucket is reduced right behind the last of them (Li et al., PyTorch Distributed:
//! Experiences on Accelerating Data Parallel Training, 2020). A bucket has one set of axes and one monoid, and is
//! closed early where somebody reads a reduced gradient of it before the next one is made. What only adds it to the sum
//! of a loop, or updates its parameter, is put off until then. Collectives of other parts of the step stay as they are,
//! and each gradient is reduced as before.
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

use crate::driver::{FindingKind, Findings, Info, Input, Pass, any_op};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::class::{Class, Collective};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::op::OpKind;
use partita_ir::ops::AllReduce;
use partita_ir::origin::{Cause, Origin};
use partita_ir::plan::Written;
use partita_ir::program::{Form, Op, Phase, Program, Values};
use partita_ir::units::read_bytes;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many gradients a message names.
const NAMED: usize = 3;

/// The pass.
pub struct Bucket;

impl Pass for Bucket {
    fn info(&self) -> Info {
        Info { name: "bucket", needs: Form::Explicit, gives: Form::Explicit, reads: &[FindingKind::Resolved] }
    }

    fn applies(&self, program: &Program, input: &Input, findings: &Findings) -> bool {
        findings.plan_for(self.info(), input).bucket.is_some()
            && any_op(program, |program, op| gradient(program, op).is_some())
    }

    fn run(&self, program: &mut Program, input: &Input, findings: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let Some(written) = &findings.plan_for(self.info(), input).bucket else { return Ok(()) };
        let Some(size) = read_size(written).map_err(|e| vec![e])? else { return Ok(()) };
        for func in program.laid_out_funcs() {
            let buckets = fill(program, func, size);
            join(program, func, &buckets);
        }
        Ok(())
    }
}

/// The bytes that fill a bucket; `None` for no buckets.
fn read_size(written: &Written) -> Result<Option<u64>, Diagnostic> {
    match written.text.trim() {
        "none" => Ok(None),
        text => read_bytes(text).map(Some).ok_or_else(|| {
            Diagnostic::new(Code::D008, format!("`{}` is not the size of a bucket", written.text))
                .at(written.span(), "how many bytes of gradients are reduced together?")
                .help("say it in bytes or with a unit, `25MiB`, or `none`")
        }),
    }
}

/// The operand and the result of an op that reduces a gradient.
fn gradient(program: &Program, op: OpId) -> Option<(&AllReduce, ValueId, ValueId)> {
    let op = &program.ops[op];
    let how = match op.kind.collective()? {
        Collective::AllReduce(how) => how,
        Collective::AllGather(_) | Collective::ReduceScatter(_) => return None,
        Collective::AllToAll(_) | Collective::Permute(_) => return None,
    };
    match (&op.args[..], &op.outs[..]) {
        (&[arg], &[out]) if is_of_gradient(program, op, out) => Some((how, arg, out)),
        _ => None,
    }
}

/// Whether a reduction is that of a gradient, as it is made or as the update scales it.
fn is_of_gradient(program: &Program, op: &Op, out: ValueId) -> bool {
    match op.phase {
        Phase::BackwardWeight => true,
        Phase::Update => program.ty(out).shape.rank() > 0,
        _ => false,
    }
}

/// Gradients that are reduced together.
struct Filled {
    how: AllReduce,
    /// The ops that reduce one each, in the order in which their operands are made.
    ops: Vec<OpId>,
    bytes: u64,
    /// The point at which the last of them is made; 0 is before the first op.
    ready: usize,
    /// The point at which the first result is read.
    read: usize,
}

/// A gradient that is to be reduced.
struct Gradient<'p> {
    op: OpId,
    how: &'p AllReduce,
    bytes: u64,
    ready: usize,
    read: usize,
}

/// Deals the gradients of a function to buckets.
fn fill(program: &Program, func: FuncId, size: u64) -> Vec<Filled> {
    let mut done: Vec<Filled> = Vec::new();
    let mut open: Vec<Filled> = Vec::new();
    for gradient in in_order(program, func) {
        let mut at = open.iter().position(|bucket| bucket.how == *gradient.how);
        if let Some(i) = at.filter(|&i| gradient.ready >= open[i].read) {
            done.push(open.remove(i));
            at = None;
        }
        let i = at.unwrap_or_else(|| {
            open.push(Filled { how: gradient.how.clone(), ops: Vec::new(), bytes: 0, ready: 0, read: usize::MAX });
            open.len() - 1
        });
        let bucket = &mut open[i];
        bucket.ops.push(gradient.op);
        bucket.bytes = bucket.bytes.saturating_add(gradient.bytes);
        (bucket.ready, bucket.read) = (gradient.ready, bucket.read.min(gradient.read));
        if bucket.bytes >= size {
            done.push(open.remove(i));
        }
    }
    done.extend(open);
    // In the order in which they are issued: that of their last gradients, which is the same on every device.
    done.sort_by_key(|bucket| bucket.ready);
    done
}

/// The gradients of a function that are reduced one by one, in the order in which they are made.
fn in_order(program: &Program, func: FuncId) -> Vec<Gradient<'_>> {
    let func = &program.funcs[func];
    let mut made: FxHashMap<ValueId, usize> = FxHashMap::default();
    let mut read: FxHashMap<ValueId, usize> = FxHashMap::default();
    let put_off = can_be_put_off(program, func.ops());
    for (point, &op) in (1..).zip(func.ops()) {
        made.extend(program.ops[op].outs.iter().map(|&out| (out, point)));
        for &arg in program.ops[op].args.iter().filter(|_| !put_off.contains(&op)) {
            read.entry(arg).or_insert(point);
        }
    }
    // What is reduced once more by another op: that one stays where it is.
    let once: FxHashSet<ValueId> = func.ops().iter().filter_map(|&op| Some(gradient(program, op)?.2)).collect();
    let found = func.ops().iter().filter_map(|&op| {
        let (how, arg, out) = gradient(program, op).filter(|(_, arg, _)| !once.contains(arg))?;
        let (ready, read) = (made.get(&arg).copied().unwrap_or(0), read.get(&out).copied().unwrap_or(usize::MAX));
        Some(Gradient { op, how, bytes: program.values[out].local_type().bytes(), ready, read })
    });
    let mut found: Vec<Gradient> = found.collect();
    found.sort_by_key(|gradient| gradient.ready);
    found
}

/// Ops that are on the way from a gradient to an output and to nobody else, and do so little that they may as well be
/// done later.
fn can_be_put_off(program: &Program, body: &[OpId]) -> FxHashSet<OpId> {
    let mut read_at_once: FxHashSet<ValueId> = FxHashSet::default();
    let mut put_off: FxHashSet<OpId> = FxHashSet::default();
    for &id in body.iter().rev() {
        let op = &program.ops[id];
        let is_late = matches!(op.phase, Phase::BackwardWeight | Phase::Update);
        if does_little(&op.kind) && is_late && !op.outs.iter().any(|out| read_at_once.contains(out)) {
            put_off.insert(id);
        } else {
            read_at_once.extend(&op.args);
        }
    }
    put_off
}

/// Returns whether an op does so little that it may as well be done later.
///
/// Recogniser: an op that is not put off closes a bucket early, which costs time alone.
fn does_little(kind: &OpKind) -> bool {
    match kind {
        OpKind::Reduce(reduce) => reduce.dims.is_empty(),
        OpKind::Reshape(_) | OpKind::Transpose(_) => true,
        kind => kind.is_elementwise() || kind.class() == Class::Update,
    }
}

/// Writes one op for each bucket, right behind the last gradient in it.
fn join(program: &mut Program, func: FuncId, buckets: &[Filled]) {
    let joined: FxHashSet<OpId> = buckets.iter().flat_map(|bucket| bucket.ops.iter().copied()).collect();
    let old = program.funcs[func].take_ops();
    let mut body = Vec::with_capacity(old.len());
    let mut next = buckets.iter().peekable();
    // What is not there yet, and the ops that wait for it.
    let mut missing: FxHashSet<ValueId> = joined.iter().flat_map(|&op| program.ops[op].outs.clone()).collect();
    let mut waiting: Vec<OpId> = Vec::new();
    for point in 0..=old.len() {
        if let Some(op) = point.checked_sub(1).map(|i| old[i]).filter(|op| !joined.contains(op)) {
            if program.ops[op].args.iter().any(|arg| missing.contains(arg)) {
                missing.extend(&program.ops[op].outs);
                waiting.push(op);
            } else {
                body.push(op);
            }
        }
        while let Some(bucket) = next.next_if(|bucket| bucket.ready <= point) {
            let op = op_of(program, bucket);
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

/// The op that reduces a bucket: the one that is there already where it holds one gradient.
fn op_of(program: &mut Program, bucket: &Filled) -> OpId {
    if let [only] = bucket.ops[..] {
        return only;
    }
    let ops = || bucket.ops.iter().map(|&op| &program.ops[op]);
    let args: Values = ops().flat_map(|op| op.args.iter().copied()).collect();
    let outs: Values = ops().flat_map(|op| op.outs.iter().copied()).collect();
    let origin = ops().next().map(|first| because(program, &first.origin, &args)).unwrap_or_default();
    program.ops.push(Op { kind: bucket.how.clone().into(), args, outs, phase: Phase::BackwardWeight, origin })
}

/// Why gradients are reduced together: the op that made the first of them, and their names.
fn because(program: &Program, first: &Origin, gradients: &[ValueId]) -> Origin {
    let names: Vec<String> = gradients.iter().take(NAMED).map(|&v| format!("`%{}`", program.values[v].name)).collect();
    let more = match gradients.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!(" and {n} more"),
    };
    let op = first.cause.as_ref().map_or_else(|| "all_reduce".into(), |cause| cause.op.clone());
    let reason = format!("{} gradients in one bucket", gradients.len());
    first.because(Cause { op, factor: format!("{}{more}", names.join(", ")), reason })
}

//! Local programs with one change: an operand, an op, a number, a collective, or an output.
//!
//! The verifier accepts every mutation. Whether a mutation changes the results is determined by running it.

use crate::faults::{Fault, with_fault};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{
    AllGather, Attention, BatchNorm, Binary, BinaryOp, Concatenate, Constant, Direction, Gelu, Iota, LayerNorm,
    Literal, LogSoftmax, Loop, ReduceScatter, RmsNorm, ShardStart, Softmax, Sort, Unary, UnaryOp,
};
use partita_ir::program::Program;
use partita_ir::tensor::Scalar;
use partita_ir::verify::verify;

/// Maximum number of other values that replace an operand or output, each in a separate mutation.
const OPERAND_CANDIDATES: usize = 3;

/// Returns every mutation of a program that passes the verifier, with a description of the change.
pub fn mutations(local: &Program) -> Vec<(String, Program)> {
    let mut all: Vec<(String, Program)> = Vec::new();
    for fault in Fault::ALL {
        all.extend(with_fault(local, fault).into_iter().map(|program| (format!("{fault:?}"), program)));
    }
    // Loop bodies, reducers and comparators are mutated, too.
    for func in local.funcs.ids() {
        for &op in local.funcs[func].ops() {
            other_operands(local, func, op, &mut all);
            swapped_operands(local, op, &mut all);
            other_kinds(local, op, &mut all);
        }
        other_outputs(local, func, &mut all);
    }
    all.retain(|(_, program)| verify(program).is_ok());
    all
}

/// Returns the name of an op in messages.
fn op_name(program: &Program, op: OpId) -> String {
    let op = &program.ops[op];
    let name = op.outs.first().map_or("", |&out| program.values[out].name.as_str());
    format!("{} %{name}", op.kind.name())
}

/// Adds mutations that replace an operand by another value of the same type, created shortly before the op.
fn other_operands(local: &Program, func: FuncId, op: OpId, all: &mut Vec<(String, Program)>) {
    let func = &local.funcs[func];
    let before = func.ops().iter().take_while(|&&o| o != op).flat_map(|&o| local.ops[o].outs.iter().copied());
    let before: Vec<ValueId> = func.inputs.iter().copied().chain(before).collect();
    for (i, &arg) in local.ops[op].args.iter().enumerate() {
        let ty = local.values[arg].local_type();
        let others = before.iter().rev().filter(|&&v| v != arg && local.values[v].local_type() == ty);
        for &other in others.take(OPERAND_CANDIDATES) {
            let mut program = local.clone();
            program.ops[op].args[i] = other;
            all.push((format!("{} reads %{} as operand {i}", op_name(local, op), local.values[other].name), program));
        }
    }
}

/// Adds the mutation that swaps the first two operands.
fn swapped_operands(local: &Program, op: OpId, all: &mut Vec<(String, Program)>) {
    if local.ops[op].args.len() >= 2 {
        let mut program = local.clone();
        program.ops[op].args.swap(0, 1);
        all.push((format!("{} with operands swapped", op_name(local, op)), program));
    }
}

/// Adds mutations that replace an op by another of its family, or change its attributes.
fn other_kinds(local: &Program, op: OpId, all: &mut Vec<(String, Program)>) {
    let kinds: Vec<OpKind> = match &local.ops[op].kind {
        OpKind::Binary(binary) => [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::Max]
            .into_iter()
            .filter(|other| *other != binary.op)
            .map(|op| Binary { op }.into())
            .collect(),
        OpKind::Unary(_) => vec![Unary { op: UnaryOp::Neg }.into(), Unary { op: UnaryOp::Tanh }.into()],
        OpKind::Reduce(reduce) => {
            let mut other = reduce.clone();
            other.monoid = if reduce.monoid == Monoid::Sum { Monoid::Max } else { Monoid::Sum };
            vec![other.into()]
        }
        OpKind::AllReduce(reduce) => {
            let mut other = reduce.clone();
            other.monoid = if reduce.monoid == Monoid::Sum { Monoid::Min } else { Monoid::Sum };
            vec![other.into()]
        }
        OpKind::Loop(looped) => {
            let with = |trip: u64| Loop { trip, ..looped.clone() }.into();
            vec![with(looped.trip + 1), with(looped.trip.saturating_sub(1))]
        }
        OpKind::Compare(compare) => {
            let mut other = compare.clone();
            other.direction = if compare.direction == Direction::Lt { Direction::Ge } else { Direction::Lt };
            vec![other.into()]
        }
        OpKind::Constant(Constant { value: Literal::Splat(Scalar::Float(x)) }) => {
            let with = |x: f64| Constant { value: Literal::Splat(Scalar::Float(x)) }.into();
            let infinite = if x.is_finite() { vec![f64::INFINITY, f64::NEG_INFINITY] } else { vec![0.0, -x] };
            infinite.into_iter().chain([x + 0.5, -x - 1.0]).map(with).collect()
        }
        OpKind::Constant(Constant { value: Literal::Splat(Scalar::Int(x)) }) => {
            let with = |x: i64| Constant { value: Literal::Splat(Scalar::Int(x)) }.into();
            [x.wrapping_add(1), x.wrapping_sub(1), x.wrapping_neg()].into_iter().map(with).collect()
        }
        OpKind::Transpose(transpose) => {
            let swapped = |at: usize| {
                let mut other = transpose.clone();
                other.perm.swap(at - 1, at);
                other.into()
            };
            (1..transpose.perm.len()).map(swapped).collect()
        }
        OpKind::Broadcast(broadcast) if !broadcast.dims.is_empty() => {
            let rank = local.values[local.ops[op].outs[0]].local_type().shape.rank();
            let moved = |dim: usize| {
                let mut other = broadcast.clone();
                other.dims[0] = dim;
                other.into()
            };
            (0..rank).filter(|dim| !broadcast.dims.contains(dim)).map(moved).collect()
        }
        OpKind::DotGeneral(dot) => {
            let mut others = Vec::new();
            for is_batch in [false, true] {
                let mut other = dot.clone();
                let pairs = if is_batch { &mut other.batch } else { &mut other.contract };
                if pairs.lhs.len() > 1 {
                    pairs.lhs.swap(0, 1);
                    others.push(OpKind::DotGeneral(other));
                }
            }
            let dims = 0..local.values[local.ops[op].args[0]].local_type().shape.rank();
            for dim in dims.filter(|dim| !dot.contract.lhs.contains(dim) && !dot.batch.lhs.contains(dim)) {
                let mut other = dot.clone();
                if let Some(contracted) = other.contract.lhs.first_mut() {
                    *contracted = dim;
                    others.push(OpKind::DotGeneral(other));
                }
            }
            others
        }
        OpKind::Softmax(softmax) => vec![Softmax { dim: softmax.dim.saturating_sub(1) }.into()],
        OpKind::LogSoftmax(softmax) => vec![LogSoftmax { dim: softmax.dim.saturating_sub(1) }.into()],
        OpKind::Iota(iota) => vec![Iota { dim: iota.dim + 1 }.into(), Iota { dim: iota.dim.saturating_sub(1) }.into()],
        OpKind::Gelu(gelu) => vec![Gelu { tanh: !gelu.tanh, ..gelu.clone() }.into()],
        OpKind::BatchNorm(norm) => vec![BatchNorm { eps: norm.eps + 0.5, ..norm.clone() }.into()],
        OpKind::LayerNorm(norm) => vec![LayerNorm { eps: norm.eps + 0.5 }.into()],
        OpKind::RmsNorm(norm) => vec![RmsNorm { eps: norm.eps + 0.5 }.into()],
        OpKind::Attention(attention) => vec![
            Attention { scale: attention.scale * 2.0, ..attention.clone() }.into(),
            Attention { causal: !attention.causal, ..attention.clone() }.into(),
        ],
        OpKind::Slice(slice) => {
            let moved = |dim: usize| {
                let mut other = slice.clone();
                let later = other.limit[dim] < local.values[local.ops[op].args[0]].local_type().shape[dim];
                let by = |at: usize| if later { at + 1 } else { at.saturating_sub(1) };
                (other.start[dim], other.limit[dim]) = (by(other.start[dim]), by(other.limit[dim]));
                OpKind::Slice(other)
            };
            (0..slice.start.len()).map(moved).collect()
        }
        OpKind::Concatenate(concatenate) => vec![Concatenate { dim: concatenate.dim.saturating_sub(1) }.into()],
        OpKind::Sort(sort) => vec![Sort { dim: sort.dim.saturating_sub(1), ..sort.clone() }.into()],
        OpKind::AllGather(gather) => vec![AllGather { dim: gather.dim + 1, ..gather.clone() }.into()],
        OpKind::ReduceScatter(scatter) => vec![ReduceScatter { dim: scatter.dim + 1, ..scatter.clone() }.into()],
        OpKind::ShardStart(start) => vec![ShardStart { size: start.size * 2, ..start.clone() }.into()],
        OpKind::Adam(adam) => {
            let mut other = adam.clone();
            other.beta1 *= 0.5;
            vec![other.into()]
        }
        _ => Vec::new(),
    };
    for kind in kinds {
        let what = format!("{} as {}", op_name(local, op), kind.name());
        let mut program = local.clone();
        program.ops[op].kind = kind;
        all.push((what, program));
    }
}

/// Adds mutations that replace an output by another value of the same type and layout.
fn other_outputs(local: &Program, id: FuncId, all: &mut Vec<(String, Program)>) {
    let func = &local.funcs[id];
    for (i, output) in func.outputs.iter().enumerate() {
        let value = &local.values[output.value];
        let ports = func.inputs.iter().copied().chain(func.outputs.iter().map(|o| o.value));
        let alike = |v: &ValueId| {
            let other = &local.values[*v];
            *v != output.value && other.ty == value.ty && other.layout == value.layout
        };
        for other in ports.filter(alike).take(OPERAND_CANDIDATES) {
            let mut program = local.clone();
            program.funcs[id].outputs[i].value = other;
            all.push((format!("output `{}` is %{}", output.name, local.values[other].name), program));
        }
    }
}

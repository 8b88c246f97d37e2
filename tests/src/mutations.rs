//! Local programs with one change: an operand, an op, a number, a collective, or an output.
//!
//! The verifier accepts every mutation. Whether a mutation changes the results is determined by running it.

use crate::faults::{Fault, with_fault};
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Binary, BinaryOp, Constant, Direction, Literal, Loop, Unary, UnaryOp};
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
    // Loop bodies are mutated, too.
    for func in local.funcs_with_layouts() {
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
            vec![with(x + 0.5), with(-x - 1.0)]
        }
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

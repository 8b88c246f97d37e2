//! `exchange-attention` (planned -> planned): selects the exchange of keys and values for attention whose sequence is
//! sharded.
//!
//! If the plan specifies no exchange and the keys are sharded along the sequence, or rows or columns of a gradient are,
//! the devices exchange keys and values in a ring. Attention whose rows and columns differ in number gathers the keys
//! instead. Each gradient with an exchange reads the log-sum-exp of its attention, which becomes a second result, so
//! that it is not computed again.
//!
//! Before:
//!
//! ```text
//! mesh @m = [context=2]
//! input %q : f32[6@context, 4]
//! input %k : f32[6@context, 4]
//! input %v : f32[6@context, 4]
//! %y = attention scale 0.5 %q, %k, %v : f32[6@context, 4]
//! output %y
//! ```
//!
//! After:
//!
//! ```text
//! mesh @m = [context=2]
//! input %q : f32[6@context, 4]
//! input %k : f32[6@context, 4]
//! input %v : f32[6@context, 4]
//! %y = attention scale 0.5 context ring %q, %k, %v : f32[6@context, 4]
//! output %y
//! ```

use crate::driver::{Findings, Input, Pass, PassInfo, any_op};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::Namer;
use partita_ir::class::Class;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::Type;
use partita_ir::op::OpKind;
use partita_ir::ops::{ContextMethod, OptionalOperands};
use partita_ir::program::{Form, Op, Program, Value};
use rustc_hash::FxHashMap;

/// The pass `exchange-attention`; see the module documentation.
pub struct ExchangeAttention;

impl Pass for ExchangeAttention {
    fn info(&self) -> PassInfo {
        PassInfo { name: "exchange-attention", input_form: Form::Planned, output_form: Form::Planned, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, |program, id| {
            needs_exchange(program, id) || method(&program.ops[id].kind) != ContextMethod::Replicated
        })
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        for func in program.funcs_with_layouts() {
            for id in program.funcs[func].ops().to_vec() {
                if needs_exchange(program, id) {
                    set_method(&mut program.ops[id].kind, ContextMethod::Ring);
                }
            }
        }
        share_log_sum_exp(program);
        Ok(())
    }
}

/// Returns the exchange of an attention or its gradient, and `Replicated` for other ops.
///
/// Recogniser: no other op has an exchange.
pub fn method(op: &OpKind) -> ContextMethod {
    match op {
        OpKind::Attention(op) => op.context,
        OpKind::AttentionGrad(op) => op.context,
        _ => ContextMethod::Replicated,
    }
}

/// Sets the exchange of an attention or its gradient.
///
/// Recogniser: no other op has an exchange.
pub fn set_method(op: &mut OpKind, method: ContextMethod) {
    match op {
        OpKind::Attention(op) => op.context = method,
        OpKind::AttentionGrad(op) => op.context = method,
        _ => {}
    }
}

/// Returns true if an attention without exchange has sharded keys and as many of them as queries, or is the gradient of
/// one, whose queries may be sharded too.
///
/// Recogniser: other ops need none.
fn needs_exchange(program: &Program, id: OpId) -> bool {
    let op = &program.ops[id];
    if op.kind.class() != Class::Attention || method(&op.kind) != ContextMethod::Replicated {
        return false;
    }
    let is_gradient = matches!(op.kind, OpKind::AttentionGrad(_));
    let sequence = |v: &ValueId| program.ty(*v).shape.iter().rev().nth(1).copied();
    let is_sharded = |v: &ValueId| {
        let layout = program.values[*v].layout.as_deref();
        layout.and_then(|l| l.dims.iter().rev().nth(1)).is_some_and(|dim| !dim.axes.is_empty())
    };
    let required = if is_gradient { 5 } else { 3 };
    let optional = OptionalOperands::from_slice(&op.args[required..], |v| program.ty(v).dtype);
    let has_sharded = if is_gradient {
        op.args[..5].iter().chain(&op.outs).any(is_sharded)
    } else {
        op.args[1..3].iter().any(is_sharded)
    };
    optional.is_ok_and(|optional| optional.positions.is_none())
        && sequence(&op.args[0]) == sequence(&op.args[1])
        && has_sharded
}

/// Makes the log-sum-exp of each attention an operand of its gradient, if they have an exchange and are in the same
/// function.
///
/// Recogniser: other ops have no log-sum-exp.
pub fn share_log_sum_exp(program: &mut Program) {
    let mut names = None;
    for func in program.funcs_with_layouts() {
        let mut attention_of: FxHashMap<ValueId, OpId> = FxHashMap::default();
        for id in program.funcs[func].ops().to_vec() {
            match &program.ops[id].kind {
                OpKind::Attention(op) if op.context != ContextMethod::Replicated => {
                    attention_of.insert(program.ops[id].outs[0], id);
                }
                OpKind::AttentionGrad(op) if op.context != ContextMethod::Replicated => {
                    let args = &program.ops[id].args;
                    let optional = OptionalOperands::from_slice(&args[5..], |v| program.ty(v).dtype);
                    let (Some(&attention), Ok(optional)) = (attention_of.get(&args[3]), optional) else { continue };
                    if optional.log_sum_exp.is_some() {
                        continue;
                    }
                    let names = names.get_or_insert_with(|| Namer::from_program(program));
                    let sum = log_sum_exp(program, names, attention);
                    let optional = OptionalOperands { log_sum_exp: Some(sum), ..optional };
                    let args = &mut program.ops[id].args;
                    args.truncate(5);
                    args.extend(optional.iter());
                }
                _ => {}
            }
        }
    }
}

/// Returns the log-sum-exp of an attention, which becomes its second result.
///
/// Recogniser: of another op, the first result is returned.
fn log_sum_exp(program: &mut Program, names: &mut Namer, id: OpId) -> ValueId {
    let Op { args, outs, .. } = &program.ops[id];
    if let Some(&sum) = outs.get(1) {
        return sum;
    }
    let (args, out) = (args.clone(), outs[0]);
    let OpKind::Attention(op) = &mut program.ops[id].kind else { return out };
    op.log_sum_exp = true;
    let kind = program.ops[id].kind.clone();
    let types: Vec<&Type> = args.iter().map(|&v| program.ty(v)).collect();
    let Ok(types) = kind.infer(program, &types, &[]) else { return out };
    let mut layout = program.values[out].layout.as_deref().cloned();
    if let Some(layout) = &mut layout {
        layout.dims.pop();
        layout.partial.clear();
    }
    let name = names.fresh("log_sum_exp");
    let value = Value { layout: layout.map(Into::into), ..Value::new(name, types[1].clone()) };
    let sum = program.values.push(value);
    program.ops[id].outs.push(sum);
    sum
}

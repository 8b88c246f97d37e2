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
use partita_ir::class::AttentionOp;
use partita_ir::diag::Diagnostic;
use partita_ir::op::OpKind;
use partita_ir::ops::{Attention, ContextMethod, OptionalOperands};
use partita_ir::program::{Form, Program, Value};
use rustc_hash::FxHashMap;

/// The pass `exchange-attention`; see the module documentation.
pub struct ExchangeAttention;

impl Pass for ExchangeAttention {
    fn info(&self) -> PassInfo {
        PassInfo { name: "exchange-attention", input_form: Form::Planned, output_form: Form::Planned, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, |program, id| needs_exchange(program, id) || has_exchange(program, id))
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        for func in program.funcs_with_layouts() {
            for id in program.funcs[func].ops().to_vec() {
                if needs_exchange(program, id) {
                    set_method(program, id, ContextMethod::Ring);
                }
            }
        }
        share_log_sum_exp(program);
        Ok(())
    }
}

fn has_exchange(program: &Program, id: OpId) -> bool {
    let attention = program.ops[id].kind.class().attention();
    attention.is_some_and(|op| op.attention().context != ContextMethod::Replicated)
}

/// Sets the exchange of an attention or its gradient.
pub fn set_method(program: &mut Program, id: OpId, method: ContextMethod) {
    let kind = &mut program.ops[id].kind;
    if let Some(changed) = kind.class().attention().map(|op| op.with_context(method)) {
        *kind = changed;
    }
}

/// Returns true if an attention without exchange has sharded keys and as many of them as queries, or is the gradient of
/// one, whose queries may be sharded too.
fn needs_exchange(program: &Program, id: OpId) -> bool {
    let op = &program.ops[id];
    let Some(attention) = op.kind.class().attention().filter(|_| !has_exchange(program, id)) else { return false };
    let sequence = |v: ValueId| program.ty(v).shape.iter().rev().nth(1).copied();
    let is_sharded = |v: &ValueId| {
        let layout = program.values[*v].layout.as_deref();
        layout.and_then(|l| l.dims.iter().rev().nth(1)).is_some_and(|dim| !dim.axes.is_empty())
    };
    let optional = attention.optional_operands(&op.args, |v| program.ty(v).dtype);
    let has_sharded = match attention {
        AttentionOp::Forward(_) => op.args[1..3].iter().any(is_sharded),
        AttentionOp::Gradient(_) => op.args[..5].iter().chain(&op.outs).any(is_sharded),
    };
    optional.is_some_and(|optional| optional.positions.is_none())
        && sequence(op.args[0]) == sequence(op.args[1])
        && has_sharded
}

/// Makes the log-sum-exp of each attention an operand of its gradient, if they have an exchange and are in the same
/// function.
pub fn share_log_sum_exp(program: &mut Program) {
    let mut names = None;
    for func in program.funcs_with_layouts() {
        let mut attention_of: FxHashMap<ValueId, OpId> = FxHashMap::default();
        for id in program.funcs[func].ops().to_vec() {
            let op = &program.ops[id];
            let Some(attention) = op.kind.class().attention().filter(|_| has_exchange(program, id)) else { continue };
            if !attention.is_gradient() {
                attention_of.insert(op.outs[0], id);
                continue;
            }
            let optional = attention.optional_operands(&op.args, |v| program.ty(v).dtype);
            let Some(optional) = optional.filter(|optional| optional.log_sum_exp.is_none()) else { continue };
            let Some(&forward) = attention_of.get(&op.args[3]) else { continue };
            let required = attention.required_operands();
            let names = names.get_or_insert_with(|| Namer::from_program(program));
            let Some(sum) = log_sum_exp(program, names, forward) else { continue };
            let optional = OptionalOperands { log_sum_exp: Some(sum), ..optional };
            let args = &mut program.ops[id].args;
            args.truncate(required);
            args.extend(optional.iter());
        }
    }
}

/// Returns the log-sum-exp of an attention, which becomes its second result.
fn log_sum_exp(program: &mut Program, names: &mut Namer, id: OpId) -> Option<ValueId> {
    let op = &program.ops[id];
    if let Some(&sum) = op.outs.get(1) {
        return Some(sum);
    }
    let kind: OpKind = Attention { log_sum_exp: true, ..op.kind.class().attention()?.attention() }.into();
    let types = kind.infer(program, &program.arg_types(op), &[]).ok()?;
    let mut layout = program.values[op.outs[0]].layout.as_deref().cloned();
    if let Some(layout) = &mut layout {
        layout.dims.pop();
        layout.partial.clear();
    }
    let name = names.fresh("log_sum_exp");
    let sum = program.values.push(Value { layout: layout.map(Into::into), ..Value::new(name, types[1].clone()) });
    let op = &mut program.ops[id];
    op.kind = kind;
    op.outs.push(sum);
    Some(sum)
}

//! `lower-attention` (local -> local): computes attention on a sharded sequence by attention on one device's rows and
//! collectives.
//!
//! Each device has a shard of the queries. If it has all keys and values, the attention becomes one with the global
//! positions of its rows. If it has a shard of them, the devices exchange keys and values (`ring`, `gather`); the
//! backward pass also exchanges their gradients. The attention itself stays one op, in the precision of its operands.
//!
//! With a causal mask the work of a row grows with its position. Where the shards have two equal halves, the devices
//! therefore exchange halves of the queries before the attention and halves of the result after it, such that each
//! device has an early and a late half and equal work (`placement`).
//!
//! Before:
//!
//! ```text
//! mesh @m = [context=2]
//! input %q : f32[6@context, 4]
//! input %k : f32[6@context, 4]
//! input %v : f32[6@context, 4]
//! %y = attention scale 0.5 context gather of 6 over context %q, %k, %v : f32[6@context, 4]
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
//! %shard = reshape %q : f32[3, 4]
//! %shard.1 = reshape %k : f32[3, 4]
//! %shard.2 = reshape %v : f32[3, 4]
//! %keys = all_gather dim 0 over context %shard.1 : f32[6, 4]
//! %values = all_gather dim 0 over context %shard.2 : f32[6, 4]
//! %attention = attention scale 0.5 %shard, %keys, %values : f32[6@context, 4]
//! output %attention "y"
//! ```

mod gather;
mod merge;
mod placement;
mod ring;

use super::ring::local_operand;
use crate::driver::{Findings, Input, Pass, PassInfo, any_op};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::class::AttentionOp;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Type};
use partita_ir::expand::expand_all;
use partita_ir::layout::divides;
use partita_ir::ops::{Attention, AttentionGrad, ContextMethod, OptionalOperands, SequenceShard};
use partita_ir::program::{Form, Op, Program, Values};
use placement::SequencePlacement;

/// The pass `lower-attention`; see the module documentation.
pub struct LowerAttention;

impl Pass for LowerAttention {
    fn info(&self) -> PassInfo {
        PassInfo { name: "lower-attention", input_form: Form::Local, output_form: Form::Local, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, has_sharded_sequence)
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        expand_all(program, has_sharded_sequence, |builder, op, _| {
            let outs = lower(builder, op)?;
            for (&old, &new) in op.outs.iter().zip(&outs) {
                // Results of the program have their global type.
                builder.program.values[new].ty = builder.program.values[old].ty.clone();
            }
            Some(outs)
        });
        Ok(())
    }
}

fn has_sharded_sequence(program: &Program, id: OpId) -> bool {
    let attention = program.ops[id].kind.class().attention();
    attention.is_some_and(|op| !op.attention().sequence.axes.is_empty())
}

/// Appends the computation of one device. Returns `None` for an invalid op.
fn lower(b: &mut Builder<'_>, op: &Op) -> Option<Values> {
    let args: Values = op.args.iter().map(|&arg| local_operand(b, arg)).collect();
    let attention = op.kind.class().attention()?;
    let optional = attention.optional_operands(&args, |v| b.program.ty(v).dtype)?;
    match attention {
        AttentionOp::Forward(attention) => Site::new(b, attention, &args, optional)?.forward(b),
        AttentionOp::Gradient(gradient) => {
            let attention = Attention { log_sum_exp: true, ..gradient.attention() };
            Site::new(b, &attention, &args, optional)?.gradient(b, args[3], args[4])
        }
    }
}

/// An attention on a sharded sequence.
struct Site {
    /// The attention of one device's rows, without exchange.
    op: Attention,
    /// True if the attention has a second result.
    returns_log_sum_exp: bool,
    method: ContextMethod,
    placement: SequencePlacement,
    q: ValueId,
    k: ValueId,
    v: ValueId,
    optional: OptionalOperands<ValueId>,
}

impl Site {
    fn new(b: &Builder<'_>, op: &Attention, args: &[ValueId], optional: OptionalOperands<ValueId>) -> Option<Site> {
        let &[q, k, v, ..] = args else { return None };
        let [rows, columns] = [q, k].map(|v| row_count(&b.ty(v)));
        let method = match op.context {
            // Gathered columns of uneven shards have padding between them, which a mask does not have.
            ContextMethod::Gather if optional.mask.is_some() && !divides(op.sequence.size, &op.sequence.axes) => {
                ContextMethod::Ring
            }
            method => method,
        };
        let columns = if method == ContextMethod::Replicated { columns } else { op.sequence.size };
        let is_masked = optional.mask.is_some();
        let placement = SequencePlacement::new(&op.sequence, rows, columns, op.causal, is_masked);
        let alone = Attention { context: ContextMethod::Replicated, sequence: SequenceShard::default(), ..op.clone() };
        Some(Site { op: alone, returns_log_sum_exp: op.log_sum_exp, method, placement, q, k, v, optional })
    }

    /// Appends the forward pass.
    fn forward(&self, b: &mut Builder<'_>) -> Option<Values> {
        let q = self.placement.exchange(b, self.q, 2);
        let results = match self.method {
            ContextMethod::Replicated | ContextMethod::Gather => self.gathered(b, q),
            ContextMethod::Ring => self.ring(b, q),
        };
        Some(results.iter().enumerate().map(|(i, &x)| self.placement.restore(b, x, 2 - i)).collect())
    }

    /// Appends the gradients of q, k and v for the result `y` and its gradient `g`.
    fn gradient(&self, b: &mut Builder<'_>, y: ValueId, g: ValueId) -> Option<Values> {
        let log_sum_exp = match self.optional.log_sum_exp {
            Some(sum) => sum,
            None => self.forward(b)?[1],
        };
        let [q, y, g] = [self.q, y, g].map(|x| {
            let x = self.placement.zero_padding(b, x, 2);
            self.placement.exchange(b, x, 2)
        });
        let log_sum_exp = self.placement.zero_padding(b, log_sum_exp, 1);
        let log_sum_exp = self.placement.exchange(b, log_sum_exp, 1);
        let rows = RowOperands { q, y, g, log_sum_exp };
        let [q, k, v] = match self.method {
            ContextMethod::Replicated | ContextMethod::Gather => self.gathered_gradient(b, &rows),
            ContextMethod::Ring => self.ring_gradient(b, &rows),
        };
        Some(Values::from_iter([self.placement.restore(b, q, 2), k, v]))
    }

    /// Returns the attention of a block of columns: causal in the order of `positions`, if there are any.
    fn block_attention(&self, positions: Option<[ValueId; 2]>, visible: f64) -> Attention {
        let causal = positions.is_some();
        Attention { causal, visible: if causal { visible } else { 0.0 }, ..self.op.clone() }
    }

    /// Appends the attention to a block of columns. The result is followed by the log-sum-exp if `op` has one.
    fn attend(
        &self,
        b: &mut Builder<'_>,
        op: Attention,
        [q, k, v]: [ValueId; 3],
        mask: Option<ValueId>,
        positions: Option<[ValueId; 2]>,
    ) -> Values {
        let optional = OptionalOperands { mask, log_sum_exp: None, positions };
        let args: Values = [q, k, v].into_iter().chain(optional.iter()).collect();
        let (q, v) = (b.ty(q), b.ty(v));
        let mut out = q.clone();
        out.shape.0.pop();
        let sum = Type { shape: out.shape.clone(), dtype: accumulator(q.dtype) };
        out.shape.0.extend(v.shape.last().copied());
        let types: Vec<Type> = [out].into_iter().chain(op.log_sum_exp.then_some(sum)).collect();
        b.op_many("attention", op, &args, &types)
    }

    /// Appends the gradients of a block of columns.
    fn attend_gradient(
        &self,
        b: &mut Builder<'_>,
        op: &Attention,
        rows: &RowOperands,
        [k, v]: [ValueId; 2],
        mask: Option<ValueId>,
        positions: Option<[ValueId; 2]>,
    ) -> [ValueId; 3] {
        let &RowOperands { q, y, g, log_sum_exp } = rows;
        let optional = OptionalOperands { mask, log_sum_exp: Some(log_sum_exp), positions };
        let args: Values = [q, k, v, y, g].into_iter().chain(optional.iter()).collect();
        let types = [q, k, v].map(|x| b.ty(x));
        let outs = b.op_many("attention_grad", AttentionGrad::from_attention(op), &args, &types);
        [outs[0], outs[1], outs[2]]
    }
}

/// Operands of a gradient that have rows.
struct RowOperands {
    q: ValueId,
    y: ValueId,
    g: ValueId,
    log_sum_exp: ValueId,
}

/// Returns the size of the last but one dimension.
fn row_count(ty: &Type) -> usize {
    ty.shape.iter().rev().nth(1).copied().unwrap_or(1)
}

/// Returns the element type in which results of several blocks are accumulated.
fn accumulator(dtype: DType) -> DType {
    if dtype == DType::F64 { DType::F64 } else { DType::F32 }
}

//! `split-attention` (planned -> planned): attends to each shard of the keys separately if the keys are sharded and the
//! queries are not, and merges the results (Flash-Decoding, Dao et al. 2023).
//!
//! The shards become a batch dimension of keys and values, and the log-sum-exp of each shard's scores weights its
//! result. The maximum and the sums over the shards become partial values. A query that is decoded against a cache of
//! keys in shards is the typical case: no key is moved.
//!
//! Applies if the axes divide the keys, and the queries are so few that their mask per key is small, so that devices do
//! not exchange the keys of as many queries. In other cases the keys are gathered.
//!
//! Before:
//!
//! ```text
//! mesh @m = [c=2]
//! input %q : f32[1, 4] whole
//! input %k : f32[16@c, 4]
//! input %v : f32[16@c, 4]
//! %y = attention scale 1 %q, %k, %v : f32[1, 4] whole
//! output %y
//! ```
//!
//! After:
//!
//! ```text
//! mesh @m = [c=2]
//! input %q : f32[1, 4] whole
//! input %k : f32[16@c, 4]
//! input %v : f32[16@c, 4]
//! %broadcast = broadcast [1, 2] %q : f32[2, 1, 4] whole
//! %reshape = reshape %k : f32[2@c, 8, 4]
//! %reshape.1 = reshape %v : f32[2@c, 8, 4]
//! %parts, %parts.1 = attention scale 1.0 log_sum_exp %broadcast, %reshape, %reshape.1 : f32[2@c, 1, 4], f32[2@c, 1]
//! %max = reduce max [0] %parts.1 : f32[1] whole
//! %broadcast.1 = broadcast [1] %max : f32[2, 1] whole
//! %sub = sub %parts.1, %broadcast.1 : f32[2@c, 1]
//! %exp = exp %sub : f32[2@c, 1]
//! %sum = reduce sum [0] %exp : f32[1] whole
//! %broadcast.2 = broadcast [0, 1] %exp : f32[2@c, 1, 4]
//! %mul = mul %parts, %broadcast.2 : f32[2@c, 1, 4]
//! %sum.1 = reduce sum [0] %mul : f32[1, 4] whole
//! %broadcast.3 = broadcast [0] %sum : f32[1, 4] whole
//! %div = div %sum.1, %broadcast.3 : f32[1, 4] whole
//! output %div "y"
//! ```

use crate::driver::{Findings, Input, Pass, PassInfo, any_op};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::class::AttentionOp;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::expand::expand_all;
use partita_ir::layout::Monoid;
use partita_ir::mesh::shard_count;
use partita_ir::op::Operation;
use partita_ir::ops::{Attention, BinaryOp, ContextMethod, Direction, Iota, OptionalOperands, UnaryOp};
use partita_ir::program::{Form, Op, Program, Values};
use partita_ir::rule::splits_evenly;
use rustc_hash::FxHashMap;

/// The pass `split-attention`; see the module documentation.
pub struct SplitAttention;

/// Minimum number of keys per query: a causal mask of a device's queries and keys is smaller than the keys.
const MIN_KEYS_PER_QUERY: usize = 16;

impl Pass for SplitAttention {
    fn info(&self) -> PassInfo {
        PassInfo { name: "split-attention", input_form: Form::Planned, output_form: Form::Planned, reads: &[] }
    }

    fn applies(&self, program: &Program, _: &Input, _: &Findings) -> bool {
        any_op(program, |program, id| shards(program, id).is_some())
    }

    fn run(&self, program: &mut Program, _: &Input, _: &mut Findings) -> Result<(), Vec<Diagnostic>> {
        let attentions = program.model_ops().into_iter().filter(|at| shards(program, at.id).is_some());
        let counts: FxHashMap<ValueId, usize> =
            attentions.filter_map(|at| Some((at.op.outs[0], shards(program, at.id)?))).collect();
        expand_all(
            program,
            |program, id| shards(program, id).is_some(),
            |b, op, _| split(b, op, *counts.get(&op.outs[0])?),
        );
        Ok(())
    }
}

/// Returns the number of shards of the keys if the pass applies to the op.
fn shards(program: &Program, id: OpId) -> Option<usize> {
    let op = &program.ops[id];
    let attention = op.kind.class().attention()?;
    let AttentionOp::Forward(Attention { log_sum_exp: false, .. }) = attention else { return None };
    let optional = attention.optional_operands(&op.args, |v| program.ty(v).dtype)?;
    let size = |v: ValueId| program.ty(v).shape.iter().rev().nth(1).copied();
    let (rows, columns) = (size(op.args[0])?, size(op.args[1])?);
    let layout = |v: ValueId| program.values[v].layout.as_deref();
    let axes = &layout(op.args[1])?.dims.iter().rev().nth(1)?.axes;
    let is_free = layout(op.args[0])?.used_axes().all(|used| !axes.iter().any(|axis| axis.overlaps(used)));
    let applies = optional.positions.is_none()
        && !axes.is_empty()
        && is_free
        && splits_evenly(columns, axes)
        && rows.saturating_mul(MIN_KEYS_PER_QUERY) <= columns;
    applies.then(|| shard_count(axes))
}

/// Appends the attention to `n` shards of the keys, and the merged result.
fn split(b: &mut Builder<'_>, op: &Op, n: usize) -> Option<Values> {
    let attention = op.kind.class().attention()?;
    let optional = attention.optional_operands(&op.args, |v| b.program.ty(v).dtype)?;
    let &[q, k, v, ..] = &op.args[..] else { return None };
    let (query, value) = (b.ty(q), b.ty(v));
    let lead = query.shape.rank() - 2;
    let with_shards = |shape: &Shape, rows: usize| -> Shape {
        let (batch, last) = (&shape[..lead], shape[lead + 1]);
        batch.iter().copied().chain([n, rows, last]).collect()
    };
    let (rows, columns) = (query.shape[lead], value.shape[lead] / n);
    let dims: Vec<usize> = (0..lead).chain([lead + 1, lead + 2]).collect();
    let q = b.broadcast(q, &dims, with_shards(&query.shape, rows));
    let (keys, values) = (with_shards(&b.ty(k).shape, columns), with_shards(&value.shape, columns));
    let (k, v) = (b.reshape(k, keys), b.reshape(v, values.clone()));
    let attention = attention.attention();
    let mask = shard_mask(b, &optional, attention.causal, [n, rows, columns]);
    let args: Values = [q, k, v].into_iter().chain(mask).collect();
    let kind = Attention { causal: false, log_sum_exp: true, context: ContextMethod::Replicated, ..attention };
    let out = Type { shape: with_shards(&value.shape, rows), dtype: query.dtype };
    let types = kind.infer(b.program, &args.iter().map(|&v| b.program.ty(v)).collect::<Vec<_>>(), &[]).ok()?;
    assert_eq!(types[0], out);
    let outs = b.op_many("parts", kind, &args, &types);
    let sums = b.ty(outs[1]);
    let result = if out.dtype == sums.dtype { outs[0] } else { b.convert(outs[0], sums.dtype) };
    let max = b.reduce(Monoid::Max, outs[1], lead);
    let max = b.broadcast_along(max, lead, &sums.shape);
    let below = b.binary(BinaryOp::Sub, outs[1], max);
    let weights = b.unary(UnaryOp::Exp, below);
    let total = b.reduce(Monoid::Sum, weights, lead);
    let weights = b.broadcast_along(weights, lead + 2, &out.shape);
    let weighted = b.binary(BinaryOp::Mul, result, weights);
    let merged = b.reduce(Monoid::Sum, weighted, lead);
    let shape = b.ty(merged).shape;
    let total = b.broadcast_along(total, lead + 1, &shape);
    let merged = b.binary(BinaryOp::Div, merged, total);
    Some([if out.dtype == sums.dtype { merged } else { b.convert(merged, out.dtype) }].into_iter().collect())
}

/// Returns the mask of `[n, rows, columns]` scores, after batch dimensions: that of the op and of the causal order.
fn shard_mask(
    b: &mut Builder<'_>,
    optional: &OptionalOperands<ValueId>,
    causal: bool,
    [n, rows, columns]: [usize; 3],
) -> Option<ValueId> {
    let mask = optional.mask.map(|mask| {
        let shape = b.ty(mask).shape;
        let (last, others) = shape.split_last().map_or((1, &[][..]), |(&last, others)| (last, others));
        let (height, batch) = others.split_last().map_or((1, &[][..]), |(&height, batch)| (height, batch));
        let (n, columns) = if last == 1 { (1, 1) } else { (n, columns) };
        let split: Shape = batch.iter().copied().chain([height, n, columns]).collect();
        let mask = b.reshape(mask, split);
        b.swap_dims(mask, batch.len(), batch.len() + 1)
    });
    if !causal {
        return mask;
    }
    let order = Type::new(DType::I64, [n, rows, columns]);
    let index = |b: &mut Builder<'_>, dim: usize| b.op("index", Iota { dim }, &[], order.clone());
    let (shard, row, column) = (index(b, 0), index(b, 1), index(b, 2));
    let start = b.binary_scalar(BinaryOp::Mul, shard, columns as f64);
    let column = b.binary(BinaryOp::Add, start, column);
    let row = b.binary_scalar(BinaryOp::Add, row, (n * columns) as f64 - rows as f64);
    let seen = b.compare(column, Direction::Le, row);
    let Some(mask) = mask else { return Some(seen) };
    let shape = b.ty(mask).shape;
    let batch = shape.rank() - 3;
    let full: Shape = shape[..batch].iter().copied().chain([n, rows, columns]).collect();
    let mask = b.expand(mask, &full);
    let seen = b.expand(seen, &full);
    Some(b.binary(BinaryOp::And, mask, seen))
}

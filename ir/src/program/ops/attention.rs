//! `attention`: scaled dot-product attention, `softmax(scale * q k^T) v` (Vaswani et al. 2017).

mod context;
mod operands;
mod sequence;
#[cfg(test)]
mod tests;

pub use context::ContextMethod;
pub(crate) use operands::AttentionSizes;
pub use operands::OptionalOperands;
pub use sequence::SequenceShard;

use crate::arena::ValueId;
use crate::dtype::{DType, Shape, Type};
use crate::layout::Monoid;
use crate::mesh::Axes;
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::class::{AttentionOp, Class};
use crate::program::op::{Composite, EvalResult, InferResult, Interfaces, Operation, Positional, op};
use crate::program::ops::{BinaryOp, Compare, Direction, DotGeneral, Iota, Select, UnaryOp, check, composite};
use crate::program::{Program, Values};
use crate::rule::{DimMap, FactorKind, Rule};
use crate::syntax::attr::{DimPairs, Dims};
use crate::tensor::{Scalar, Tensor};
use smallvec::{SmallVec, smallvec};

op! {
    /// Scaled dot-product attention: `softmax(scale * q k^T) v`. Operands: q `[batch.., s, d]`, k `[batch.., t, d]`, v
    /// `[batch.., t, e]`, then optionally a `bool` mask that broadcasts to `[batch.., s, t]` (false: masked out), and
    /// optionally the positions of rows and columns. A row that is masked out completely is zero.
    Attention = "attention" {
        /// Causal mask: a row attends to the columns whose position is not after its own. Without positions, row `i`
        /// attends to columns `j <= i + t - s`.
        "causal" causal: bool,
        /// Scale of the scores.
        "scale" scale: f64,
        /// True for a second result, the logarithm of the sum of the exponentials of each row's scores, `[batch.., s]`:
        /// `f64` for `f64` operands, else `f32`. The lowest finite number for a row that is masked out completely.
        "log_sum_exp" log_sum_exp: bool,
        /// Exchange of keys and values if the sequence is sharded.
        "context" context: ContextMethod,
        /// In local programs, the placement of the sequence.
        "of" sequence: SequenceShard,
        /// Estimated fraction of the scores that are not masked out by positions; 0 if there is no estimate.
        "visible" visible: f64,
    }
}

impl Attention {
    /// Creates an attention with one result on unsharded sequences.
    pub fn new(causal: bool, scale: f64) -> Attention {
        Attention {
            causal,
            scale,
            log_sum_exp: false,
            context: ContextMethod::default(),
            sequence: SequenceShard::default(),
            visible: 0.0,
        }
    }

    /// Returns true if devices exchange keys and values of a sharded sequence: rows and columns are one dimension.
    fn exchanges<T>(&self, sizes: &AttentionSizes<'_>, optional: &OptionalOperands<T>) -> bool {
        self.context != ContextMethod::Replicated && sizes.s == sizes.t && optional.positions.is_none()
    }

    /// Returns true if the operands of a local program are shards of keys and values.
    fn is_exchanged(&self) -> bool {
        self.context != ContextMethod::Replicated && !self.sequence.axes.is_empty()
    }
}

impl Operation for Attention {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let &[q, k, v, ref optional @ ..] = args else {
            return Err(format!("takes q, k, v and perhaps a mask, not {}", check::plural(args.len(), "operand")));
        };
        composite::check_float(q)?;
        let Some(sizes) = AttentionSizes::from_shapes(&q.shape, &v.shape) else {
            return Err(format!("needs q of [batch.., s, d] and v of [batch.., t, e], not {q} and {v}"));
        };
        for (what, ty, shape) in [("k", k, sizes.shape(sizes.t, sizes.d)), ("v", v, sizes.shape(sizes.t, sizes.e))] {
            let want = Type { shape, dtype: q.dtype };
            if *ty != want {
                return Err(format!("needs {what} of {want} for q of {q}, not {ty}"));
            }
        }
        // A mask has all columns, also if devices exchange them.
        let t = if self.is_exchanged() { self.sequence.size } else { sizes.t };
        let masked = AttentionSizes { t, ..sizes };
        let optional = OptionalOperands::from_slice(optional, |ty| ty.dtype).map_err(|ty| masked.mask_error(ty))?;
        if let Some(ty) = optional.log_sum_exp {
            return Err(masked.mask_error(ty));
        }
        if optional.positions.is_some() && !self.causal {
            return Err("has positions, but no causal mask that depends on them".into());
        }
        masked.check(&optional, q.dtype)?;
        self.sequence.check(program)?;
        let mut types = check::single_result(Type { shape: sizes.shape(sizes.s, sizes.e), dtype: q.dtype })?;
        types.extend(self.log_sum_exp.then(|| sizes.log_sum_exp(q.dtype)));
        Ok(types)
    }

    fn class(&self) -> Class<'_> {
        Class::Attention(AttentionOp::Forward(self))
    }

    /// `[b,s,d],[b,t,d],[b,t,e],[b,s,t] -> [b,s,e]` with `t` and `d` replicated. If devices exchange keys and values, s
    /// and t are one factor: `[b,s,d],[b,s,d],[b,s,e],[b,s,t] -> [b,s,e]`.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let Some(sizes) = AttentionSizes::from_shapes(&args[0].shape, &args[2].shape) else { return rule };
        let Ok(optional) = OptionalOperands::from_slice(&args[3..], |ty| ty.dtype) else { return rule };
        let batch: DimMap = sizes.batch.iter().map(|&n| rule.dim(n, FactorKind::PassThrough)).collect();
        let s = rule.dim(sizes.s, FactorKind::PassThrough);
        let [t, d] = [sizes.t, sizes.d].map(|n| rule.dim(n, FactorKind::NeedReplication));
        let e = rule.dim(sizes.e, FactorKind::PassThrough);
        let map = |rows: &SmallVec<_>, columns: &SmallVec<_>| -> DimMap {
            batch.iter().chain([rows, columns]).cloned().collect()
        };
        let keys = if self.exchanges(&sizes, &optional) { &s } else { &t };
        rule.args = smallvec![map(&s, &d), map(keys, &d), map(keys, &e)];
        rule.outs = smallvec![map(&s, &e)];
        if let Some(mask) = optional.mask {
            let scores = map(&s, &t);
            let trailing = &scores[scores.len() - mask.shape.rank()..];
            let dim = |(&n, dim): (&usize, &SmallVec<_>)| if n == 1 { SmallVec::new() } else { dim.clone() };
            rule.args.push(mask.shape.iter().zip(trailing).map(dim).collect());
        }
        if optional.positions.is_some() {
            rule.args.extend([smallvec![s.clone()], smallvec![t]]);
        }
        if self.log_sum_exp {
            rule.outs.push(batch.iter().chain([&s]).cloned().collect());
            return rule;
        }
        rule.linear_in([2])
    }

    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        let Some(AttentionSizes { batch, s, t, d, e }) = AttentionSizes::from_shapes(&args[0].shape, &args[2].shape)
        else {
            return 0;
        };
        batch.iter().chain(&[s, t, d + e]).fold(2, |flops: u64, &n| flops.saturating_mul(n as u64))
    }

    /// Rows that are not sharded need no exchange.
    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        Attention { context: ContextMethod::Replicated, ..self.clone() }
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { composite: Some(self), positional: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        match self.sequence.axes.is_empty() {
            true => composite::eval(self, cx, args, outs),
            false => Err(check::collective_error()),
        }
    }
}

impl Positional for Attention {
    /// Records the sharding of the rows, for the pass that lowers attention on sharded sequences. Rows of an attention
    /// without positions and exchange are independent of their position unless it is causal.
    fn build_shard(
        &self,
        b: &mut Builder<'_>,
        args: &[ValueId],
        dims: &[(usize, Axes)],
        locals: &[&Type],
    ) -> Option<Values> {
        let sequence = SequenceShard::from_rows(dims)?;
        let locals: Vec<Type> = locals.iter().map(|&ty| ty.clone()).collect();
        let optional = OptionalOperands::from_slice(args.get(3..)?, |v| b.program.ty(v).dtype).ok()?;
        let (q, v) = (b.ty(args[0]).shape, b.ty(args[2]).shape);
        let context = match self.exchanges(&AttentionSizes::from_shapes(&q, &v)?, &optional) {
            true => self.context,
            false => ContextMethod::Replicated,
        };
        let depends_on_position = context != ContextMethod::Replicated || self.causal;
        (optional.positions.is_none() && depends_on_position)
            .then(|| b.op_many("attention", Attention { context, sequence, ..self.clone() }, args, &locals))
    }
}

impl Composite for Attention {
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], outs: &[&Type]) -> Option<Values> {
        let (&[q, k, v, ref optional @ ..], &[out, ..]) = (args, outs) else { return None };
        let optional = OptionalOperands::from_slice(optional, |v| b.program.ty(v).dtype).ok()?;
        let softmax = self.softmax(b, q, k, &optional)?;
        let batch: Dims = (0..out.shape.rank().checked_sub(2)?).collect();
        let contract = DimPairs { lhs: smallvec![batch.len() + 1], rhs: smallvec![batch.len()] };
        let dot = DotGeneral { contract, batch: DimPairs { lhs: batch.clone(), rhs: batch } };
        let mut results: Values = smallvec![b.op("attended", dot, &[softmax.weights, v], out.clone())];
        if self.log_sum_exp {
            let log = b.unary(UnaryOp::Log, softmax.sum);
            results.push(b.binary(BinaryOp::Add, softmax.max, log));
        }
        Some(results)
    }
}

/// Softmax of the scores.
struct ScoreSoftmax {
    /// Attention weights `[batch.., s, t]`.
    weights: ValueId,
    /// Maximum of each row's scores `[batch.., s]`.
    max: ValueId,
    /// Sum of each row's exponentials, relative to the maximum, `[batch.., s]`.
    sum: ValueId,
}

impl Attention {
    /// Appends the part of the decomposition that computes the attention weights. Returns `None` if the ranks are too
    /// small.
    fn softmax(
        &self,
        b: &mut Builder<'_>,
        q: ValueId,
        k: ValueId,
        optional: &OptionalOperands<ValueId>,
    ) -> Option<ScoreSoftmax> {
        let scores = self.scores(b, q, k, optional)?;
        let Type { shape, dtype } = b.ty(scores);
        let last = shape.rank() - 1;
        let (lowest, smallest) = limits(dtype);
        let max = b.reduce(Monoid::Max, scores, last);
        let max = b.binary_scalar(BinaryOp::Max, max, lowest);
        let along = b.broadcast_along(max, last, &shape);
        let below = b.binary(BinaryOp::Sub, scores, along);
        let exp = b.unary(UnaryOp::Exp, below);
        let sum = b.reduce(Monoid::Sum, exp, last);
        let sum = b.binary_scalar(BinaryOp::Max, sum, smallest);
        let along = b.broadcast_along(sum, last, &shape);
        Some(ScoreSoftmax { weights: b.binary(BinaryOp::Div, exp, along), max, sum })
    }

    /// Appends the attention weights `[batch.., s, t]` of a gradient, from the log-sum-exp if it is an operand. Returns
    /// `None` if the ranks are too small.
    pub(crate) fn weights(
        &self,
        b: &mut Builder<'_>,
        q: ValueId,
        k: ValueId,
        optional: &OptionalOperands<ValueId>,
    ) -> Option<ValueId> {
        let Some(sum) = optional.log_sum_exp else { return Some(self.softmax(b, q, k, optional)?.weights) };
        let scores = self.scores(b, q, k, optional)?;
        let shape = b.ty(scores).shape;
        let sum = b.broadcast_along(sum, shape.rank() - 1, &shape);
        let below = b.binary(BinaryOp::Sub, scores, sum);
        Some(b.unary(UnaryOp::Exp, below))
    }

    /// Appends the scores `[batch.., s, t]`, which are `-inf` where they are masked out.
    fn scores(
        &self,
        b: &mut Builder<'_>,
        q: ValueId,
        k: ValueId,
        optional: &OptionalOperands<ValueId>,
    ) -> Option<ValueId> {
        let (q_type, k_type) = (b.ty(q), b.ty(k));
        let sizes = AttentionSizes::from_shapes(&q_type.shape, &k_type.shape)?;
        let ty = Type { shape: sizes.shape(sizes.s, sizes.t), dtype: q_type.dtype };
        let batch: Dims = (0..sizes.batch.len()).collect();
        let last = batch.len() + 1;
        let contract = DimPairs { lhs: smallvec![last], rhs: smallvec![last] };
        let dot = DotGeneral { contract, batch: DimPairs { lhs: batch.clone(), rhs: batch } };
        let scores = b.op("scores", dot, &[q, k], ty.clone());
        let mut scores = b.binary_scalar(BinaryOp::Mul, scores, self.scale);
        if let Some(mask) = optional.mask {
            let first_dim = ty.shape.rank().checked_sub(b.ty(mask).shape.rank())?;
            let dims: Vec<usize> = (first_dim..ty.shape.rank()).collect();
            let seen = b.broadcast(mask, &dims, ty.shape.clone());
            scores = mask_scores(b, seen, scores);
        }
        if self.causal {
            let square = Shape::from([sizes.s, sizes.t]);
            let seen = match optional.positions {
                Some(positions) => position_mask(b, positions, &square),
                None => causal_mask(b, &square),
            };
            let seen = b.broadcast(seen, &[ty.shape.rank() - 2, ty.shape.rank() - 1], ty.shape.clone());
            scores = mask_scores(b, seen, scores);
        }
        Some(scores)
    }
}

/// Appends the causal mask of a `[s, t]`: a row attends to the columns whose position is not after its own.
fn position_mask(b: &mut Builder<'_>, [rows, columns]: [ValueId; 2], square: &Shape) -> ValueId {
    let row = b.broadcast(rows, &[0], square.clone());
    let column = b.broadcast(columns, &[1], square.clone());
    b.compare(column, Direction::Le, row)
}

/// Appends scores with masked-out elements replaced by `-inf`.
fn mask_scores(b: &mut Builder<'_>, seen: ValueId, scores: ValueId) -> ValueId {
    let ty = b.ty(scores);
    let hidden = b.splat(ty.clone(), Scalar::Float(f64::NEG_INFINITY));
    b.op("scores", Select {}, &[seen, scores, hidden], ty)
}

/// Appends the causal mask of a square `[s, t]`: row `i` attends to column `j` if `j <= i + t - s`.
pub fn causal_mask(b: &mut Builder<'_>, square: &Shape) -> ValueId {
    let (s, t) = (square[0], square[1]);
    let index = Type { shape: square.clone(), dtype: DType::I64 };
    let row = b.op("row", Iota { dim: 0 }, &[], index.clone());
    let row = b.binary_scalar(BinaryOp::Add, row, t as f64 - s as f64);
    let column = b.op("column", Iota { dim: 1 }, &[], index);
    let before = Compare { direction: Direction::Le, total: false };
    b.op("seen", before, &[column, row], Type { shape: square.clone(), dtype: DType::Bool })
}

/// Returns the lowest finite number, which replaces a maximum of `-inf`, and the smallest positive normal number, which
/// replaces an empty sum: a completely masked row becomes zero instead of NaN.
fn limits(dtype: DType) -> (f64, f64) {
    // Narrower floats are converted to `f32` inside a composite.
    match dtype {
        DType::F64 => (f64::MIN, f64::MIN_POSITIVE),
        _ => (f64::from(f32::MIN), f64::from(f32::MIN_POSITIVE)),
    }
}

//! `attention`: scaled dot-product attention, `softmax(scale * q k^T) v` (Vaswani et al. 2017).

use crate::arena::ValueId;
use crate::dtype::{DType, Shape, Type};
use crate::layout::Monoid;
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{Composite, EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::{BinaryOp, Compare, Direction, DotGeneral, Iota, Select, UnaryOp, check, composite};
use crate::program::{Program, Values};
use crate::rule::{DimMap, FactorKind, Rule};
use crate::syntax::attr::{DimPairs, Dims};
use crate::tensor::{Scalar, Tensor};
use smallvec::{SmallVec, smallvec};

op! {
    /// Scaled dot-product attention: `softmax(scale * q k^T) v`. Operands: q `[batch.., s, d]`, k `[batch.., t, d]`, v
    /// `[batch.., t, e]`, and optionally a `bool` mask that broadcasts to `[batch.., s, t]` (false: masked out). A row
    /// that is masked out completely is zero.
    Attention = "attention" {
        /// Causal mask: row `i` attends to columns `j <= i + t - s` only.
        "causal" causal: bool,
        /// Scale of the scores.
        "scale" scale: f64,
    }
}

/// Dimension sizes of an attention.
struct AttentionSizes<'a> {
    batch: &'a [usize],
    s: usize,
    t: usize,
    d: usize,
    e: usize,
}

impl<'a> AttentionSizes<'a> {
    fn from_shapes(q: &'a Shape, v: &Shape) -> Option<AttentionSizes<'a>> {
        let (&[ref batch @ .., s, d], &[.., t, e]) = (&q[..], &v[..]) else { return None };
        Some(AttentionSizes { batch, s, t, d, e })
    }

    fn shape(&self, rows: usize, columns: usize) -> Shape {
        self.batch.iter().copied().chain([rows, columns]).collect()
    }
}

impl Operation for Attention {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let &[q, k, v, ref mask @ ..] = args else {
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
        let scores = sizes.shape(sizes.s, sizes.t);
        match mask {
            [] => {}
            [mask] => {
                let trailing = mask.shape.iter().rev().zip(scores.iter().rev());
                let fits = mask.shape.rank() <= scores.rank() && trailing.into_iter().all(|(&m, &n)| m == 1 || m == n);
                if mask.dtype != DType::Bool || !fits {
                    return Err(format!("needs a mask that broadcasts to bool{scores}, not {mask}"));
                }
            }
            more => return Err(format!("takes one mask, not {}", more.len())),
        }
        check::single_result(Type { shape: sizes.shape(sizes.s, sizes.e), dtype: q.dtype })
    }

    fn class(&self) -> Class<'_> {
        Class::Attention
    }

    /// `[b,s,d],[b,t,d],[b,t,e],[b,s,t] -> [b,s,e]` with `t` and `d` inner. `s` is inner too if the mask is causal,
    /// since the mask depends on the global row index.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let Some(sizes) = AttentionSizes::from_shapes(&args[0].shape, &args[2].shape) else { return rule };
        let batch: DimMap = sizes.batch.iter().map(|&n| rule.dim(n, FactorKind::PassThrough)).collect();
        let s = rule.dim(sizes.s, if self.causal { FactorKind::Inner } else { FactorKind::PassThrough });
        let (t, d) = (rule.dim(sizes.t, FactorKind::Inner), rule.dim(sizes.d, FactorKind::Inner));
        let e = rule.dim(sizes.e, FactorKind::PassThrough);
        let map = |rows: &SmallVec<_>, columns: &SmallVec<_>| -> DimMap {
            batch.iter().chain([rows, columns]).cloned().collect()
        };
        rule.args = smallvec![map(&s, &d), map(&t, &d), map(&t, &e)];
        rule.outs = smallvec![map(&s, &e)];
        if let Some(mask) = args.get(3) {
            let scores = map(&s, &t);
            let trailing = &scores[scores.len() - mask.shape.rank()..];
            let dim = |(&n, dim): (&usize, &SmallVec<_>)| if n == 1 { SmallVec::new() } else { dim.clone() };
            rule.args.push(mask.shape.iter().zip(trailing).map(dim).collect());
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

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces { composite: Some(self), ..Interfaces::NONE }
    }

    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        composite::eval(self, cx, args, outs)
    }
}

impl Composite for Attention {
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], outs: &[&Type]) -> Option<Values> {
        let (&[q, k, v, ref mask @ ..], &[out]) = (args, outs) else { return None };
        let weights = self.weights(b, q, k, mask.first().copied())?;
        let batch: Dims = (0..out.shape.rank().checked_sub(2)?).collect();
        let contract = DimPairs { lhs: smallvec![batch.len() + 1], rhs: smallvec![batch.len()] };
        let dot = DotGeneral { contract, batch: DimPairs { lhs: batch.clone(), rhs: batch } };
        Some(smallvec![b.op("attended", dot, &[weights, v], out.clone())])
    }
}

impl Attention {
    /// Appends the part of the decomposition that computes the attention weights `[batch.., s, t]`. Returns `None` if
    /// the ranks are too small.
    pub fn weights(&self, b: &mut Builder<'_>, q: ValueId, k: ValueId, mask: Option<ValueId>) -> Option<ValueId> {
        let (q_type, k_type) = (b.ty(q), b.ty(k));
        let sizes = AttentionSizes::from_shapes(&q_type.shape, &k_type.shape)?;
        let dtype = q_type.dtype;
        let ty = Type { shape: sizes.shape(sizes.s, sizes.t), dtype };
        let batch: Dims = (0..sizes.batch.len()).collect();
        let last = batch.len() + 1;
        let contract = DimPairs { lhs: smallvec![last], rhs: smallvec![last] };
        let dot = DotGeneral { contract, batch: DimPairs { lhs: batch.clone(), rhs: batch } };
        let scores = b.op("scores", dot, &[q, k], ty.clone());
        let mut scores = b.binary_scalar(BinaryOp::Mul, scores, self.scale);
        if let Some(mask) = mask {
            let first_dim = ty.shape.rank().checked_sub(b.ty(mask).shape.rank())?;
            let dims: Vec<usize> = (first_dim..ty.shape.rank()).collect();
            let seen = b.broadcast(mask, &dims, ty.shape.clone());
            scores = mask_scores(b, seen, scores);
        }
        if self.causal {
            let seen = causal_mask(b, &Shape::from([sizes.s, sizes.t]));
            let seen = b.broadcast(seen, &[ty.shape.rank() - 2, ty.shape.rank() - 1], ty.shape.clone());
            scores = mask_scores(b, seen, scores);
        }
        let (lowest, smallest) = limits(dtype);
        let max = b.reduce(Monoid::Max, scores, last);
        let max = b.binary_scalar(BinaryOp::Max, max, lowest);
        let max = b.broadcast_along(max, last, &ty.shape);
        let below = b.binary(BinaryOp::Sub, scores, max);
        let exp = b.unary(UnaryOp::Exp, below);
        let sum = b.reduce(Monoid::Sum, exp, last);
        let sum = b.binary_scalar(BinaryOp::Max, sum, smallest);
        let sum = b.broadcast_along(sum, last, &ty.shape);
        Some(b.binary(BinaryOp::Div, exp, sum))
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{
        assert_close, assert_decomposes, assert_rule_holds, count_up, eval, floats, infer_error, ints,
    };

    /// Returns q, k and v for two batches, s = 2, t = 4, d = 3, e = 2.
    fn operands(dtype: DType) -> [Tensor; 3] {
        let part = |shape: [usize; 3], step: i64| {
            let items: Vec<i64> = (0..shape.iter().product::<usize>() as i64).map(|i| i * step % 7 - 3).collect();
            ints(dtype, shape, &items)
        };
        [part([2, 2, 3], 5), part([2, 4, 3], 3), part([2, 4, 2], 2)]
    }

    #[test]
    fn attends_to_matching_keys() {
        let q = floats(DType::F64, [1, 2], &[0.0, 1.0]);
        let k = floats(DType::F64, [2, 2], &[5.0, 0.0, 5.0, 1.0]);
        let v = floats(DType::F64, [2, 1], &[0.0, 4.0]);
        // Scores 0 and ln 3: weights 1/4 and 3/4.
        let op = Attention { causal: false, scale: 3f64.ln() };
        let out = eval(op, &[q, k, v]).remove(0);
        assert_close(&out, &floats(DType::F64, [1, 1], &[3.0]), "weighted");
    }

    #[test]
    fn masked_positions_are_ignored() {
        let zero = |shape: [usize; 2]| floats(DType::F32, shape, &vec![0.0; shape[0] * shape[1]]);
        let (q, k, v) = (zero([3, 1]), zero([2, 1]), floats(DType::F32, [2, 1], &[1.0, 3.0]));
        let args = [q, k, v];
        let causal = Attention { causal: true, scale: 1.0 };
        // Row i attends to columns j <= i - 1: none, one, both.
        assert_eq!(eval(causal.clone(), &args), [floats(DType::F32, [3, 1], &[0.0, 1.0, 2.0])]);
        let [q, k, v] = args;
        let mask = ints(DType::Bool, [3, 1], &[1, 0, 1]);
        let masked = Attention { causal: false, scale: 1.0 };
        assert_eq!(
            eval(masked, &[q.clone(), k.clone(), v.clone(), mask]),
            [floats(DType::F32, [3, 1], &[2.0, 0.0, 2.0])]
        );
        let mask = ints(DType::Bool, [2], &[0, 1]);
        assert_eq!(eval(causal, &[q, k, v, mask]), [floats(DType::F32, [3, 1], &[0.0, 0.0, 3.0])]);
    }

    #[test]
    fn mismatches_are_errors() {
        let ty = |shape: &[usize]| Type::new(DType::F32, shape);
        let error = |args: &[&Type]| infer_error(Attention { causal: false, scale: 1.0 }, args);
        let (q, k, v) = (ty(&[2, 3, 4]), ty(&[2, 5, 4]), ty(&[2, 5, 6]));
        assert_eq!(error(&[&q, &k]), "takes q, k, v and perhaps a mask, not 2 operands");
        assert_eq!(error(&[&q, &v, &v]), "needs k of f32[2, 5, 4] for q of f32[2, 3, 4], not f32[2, 5, 6]");
        assert_eq!(
            error(&[&ty(&[4]), &k, &v]),
            "needs q of [batch.., s, d] and v of [batch.., t, e], not f32[4] and f32[2, 5, 6]"
        );
        let mask = Type::new(DType::Bool, [3, 4]);
        assert_eq!(error(&[&q, &k, &v, &mask]), "needs a mask that broadcasts to bool[2, 3, 5], not bool[3, 4]");
    }

    #[test]
    fn rules_hold() {
        for causal in [false, true] {
            let op = Attention { causal, scale: 0.5 };
            let [q, k, v] = operands(DType::F64);
            let mask = count_up(DType::Bool, [2, 4]);
            let out = Type::new(DType::F64, [2, 2, 2]);
            let rule = op.rule(&[&q.ty, &k.ty, &v.ty, &mask.ty], &[&out]).to_string();
            let inner = if causal { "b:inner,c:inner,d:inner" } else { "c:inner,d:inner" };
            let want = "([a,b,d],[a,c,d],[a,c,e],[b,c])->([a,b,e]) {a=2,b=2,c=4,d=3,e=2}";
            assert_eq!(rule, format!("{want} kinds={{{inner}}} linear=[{{2}}]"));
            assert_rule_holds(op.clone(), &[q.clone(), k.clone(), v.clone(), mask.clone()]);
            assert_decomposes(op, &[q, k, v, mask]);
        }
        for dtype in [DType::F16, DType::BF16, DType::F32] {
            assert_decomposes(Attention { causal: true, scale: 1.0 }, &operands(dtype));
        }
    }
}

//! `attention_grad`: the gradients of `attention` with respect to q, k and v.
//!
//! The forward operands and result are operands; the weights, whose size is the product of both sequence lengths, are
//! recomputed as in FlashAttention (Dao et al. 2022).

use crate::arena::ValueId;
use crate::dtype::Type;
use crate::layout::Monoid;
use crate::mesh::Axes;
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::class::{AttentionOp, Class};
use crate::program::op::{Composite, EvalResult, InferResult, Interfaces, Operation, Positional, op};
use crate::program::ops::attention::AttentionSizes;
use crate::program::ops::{
    Attention, BinaryOp, ContextMethod, DotGeneral, OptionalOperands, SequenceShard, check, composite,
};
use crate::program::{Program, Values};
use crate::rule::{FactorKind, Rule};
use crate::syntax::attr::{DimPairs, Dims};
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// The gradients of [`Attention`]. Operands: its q, k and v, its result y, the gradient of y, then optionally its
    /// mask, its log-sum-exp, and its positions. Results: the gradients of q, k and v. With the log-sum-exp and result
    /// of an attention to several blocks of columns, the gradients are those of one block.
    AttentionGrad = "attention_grad" {
        /// Same as [`Attention::causal`].
        "causal" causal: bool,
        /// Same as [`Attention::scale`].
        "scale" scale: f64,
        /// Same as [`Attention::context`].
        "context" context: ContextMethod,
        /// Same as [`Attention::sequence`].
        "of" sequence: SequenceShard,
        /// Same as [`Attention::visible`].
        "visible" visible: f64,
    }
}

impl AttentionGrad {
    /// Creates the gradient of an attention.
    pub fn from_attention(op: &Attention) -> AttentionGrad {
        let Attention { causal, scale, log_sum_exp: _, context, sequence, visible } = op.clone();
        AttentionGrad { causal, scale, context, sequence, visible }
    }

    /// Returns the attention, with one result.
    pub fn attention(&self) -> Attention {
        let AttentionGrad { causal, scale, context, sequence, visible } = self.clone();
        Attention { causal, scale, log_sum_exp: false, context, sequence, visible }
    }
}

impl Operation for AttentionGrad {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let &[q, k, v, y, g, ref optional @ ..] = args else {
            let count = check::plural(args.len(), "operand");
            return Err(format!("takes q, k, v, the result, its gradient and perhaps a mask, not {count}"));
        };
        let optional = match OptionalOperands::from_slice(optional, |ty| ty.dtype) {
            Ok(optional) => optional,
            Err(unknown) => return self.attention().infer(program, &[q, k, v, unknown], &[]),
        };
        let of_forward = OptionalOperands { log_sum_exp: None, ..optional };
        let forward: Vec<&Type> = [q, k, v].into_iter().chain(of_forward.iter()).collect();
        let out = self.attention().infer(program, &forward, &[])?;
        if let Some(wrong) = [y, g].into_iter().find(|ty| **ty != out[0]) {
            return Err(format!("needs the result and its gradient of {}, not {wrong}", out[0]));
        }
        if let Some(sizes) = AttentionSizes::from_shapes(&q.shape, &v.shape) {
            sizes.check(&OptionalOperands { mask: None, ..optional }, q.dtype)?;
        }
        Ok(smallvec![q.clone(), k.clone(), v.clone()])
    }

    fn class(&self) -> Class<'_> {
        Class::Attention(AttentionOp::Gradient(self))
    }

    /// `[b,s,d],[b,t,d],[b,t,e],[b,s,e],[b,s,e],[b,s,t] -> [b,s,d],[b,t,d],[b,t,e]` with all factors but the batch
    /// replicated: each gradient is a sum over a dimension of another gradient. If devices exchange keys, values and
    /// their gradients, s and t are one factor that passes through.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let Ok(optional) = OptionalOperands::from_slice(&args[5..], |ty| ty.dtype) else { return Rule::default() };
        let attention = Attention { log_sum_exp: true, ..self.attention() };
        let of_forward = OptionalOperands { log_sum_exp: None, ..optional };
        let forward: Vec<&Type> = args[..3].iter().copied().chain(of_forward.iter()).collect();
        let mut rule = attention.rule(&forward, &[]);
        let (maps, outs) = (std::mem::take(&mut rule.args), std::mem::take(&mut rule.outs));
        let ([q, k, v, rest @ ..], [y, log_sum_exp]) = (&maps[..], &outs[..]) else { return rule };
        rule.outs = smallvec![q.clone(), k.clone(), v.clone()];
        rule.args = smallvec![q.clone(), k.clone(), v.clone(), y.clone(), y.clone()];
        let (mask, positions) = rest.split_at(usize::from(optional.mask.is_some()));
        rule.args.extend(mask.iter().chain(optional.log_sum_exp.map(|_| log_sum_exp)).chain(positions).cloned());
        let batch = args[0].shape.rank().saturating_sub(2);
        let is_exchanged = q[batch] == k[batch];
        let replicated = v[batch + 1].iter().chain(q[batch].iter().filter(|_| !is_exchanged));
        for factor in replicated {
            rule.factors[factor.0 as usize].kind = FactorKind::NeedReplication;
        }
        rule
    }

    /// Five matrix products, compared to two in the attention.
    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        let forward: Vec<&Type> = args.iter().take(3).copied().collect();
        // The products of q and k, g and v, the scores with q and with k, and the weights with g.
        self.attention().flops(&forward, &[]).saturating_mul(5) / 2
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        AttentionGrad { context: ContextMethod::Replicated, ..self.clone() }
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

impl Positional for AttentionGrad {
    /// Records the sharding of the rows, which only a gradient with exchange supports.
    fn build_shard(
        &self,
        b: &mut Builder<'_>,
        args: &[ValueId],
        dims: &[(usize, Axes)],
        locals: &[&Type],
    ) -> Option<Values> {
        let sequence = SequenceShard::from_rows(dims)?;
        let locals: Vec<Type> = locals.iter().map(|&ty| ty.clone()).collect();
        Some(b.op_many("attention_grad", AttentionGrad { sequence, ..self.clone() }, args, &locals))
    }
}

impl Composite for AttentionGrad {
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], _: &[&Type]) -> Option<Values> {
        let gradients = self.attention().gradients(b, args, [true; 3])?;
        gradients.into_iter().collect()
    }
}

impl Attention {
    /// Appends the requested gradients of q, k and v. With the weights `w`, the gradient of v is `w^T g`; those of q
    /// and k follow from the score gradient `w (g v^T - sum g y)`. A completely masked row has zero weights. Operands
    /// are those of [`AttentionGrad`].
    pub fn gradients(&self, b: &mut Builder<'_>, args: &[ValueId], wanted: [bool; 3]) -> Option<[Option<ValueId>; 3]> {
        let &[q, k, v, y, g, ref optional @ ..] = args else { return None };
        let optional = OptionalOperands::from_slice(optional, |v| b.program.ty(v).dtype).ok()?;
        let weights = self.weights(b, q, k, &optional)?;
        let ty = b.ty(weights);
        let last = ty.shape.rank() - 1;
        let mut gradients = [None; 3];
        if wanted[2] {
            gradients[2] = Some(product(b, weights, g, (last - 1, last - 1), v));
        }
        if wanted[0] || wanted[1] {
            let toward = dot(b, g, v, (last, last), ty.clone());
            let along = b.binary(BinaryOp::Mul, g, y);
            let mean = b.reduce(Monoid::Sum, along, last);
            let mean = b.broadcast_along(mean, last, &ty.shape);
            let above = b.binary(BinaryOp::Sub, toward, mean);
            let mut scores = b.binary(BinaryOp::Mul, weights, above);
            if self.scale != 1.0 {
                scores = b.binary_scalar(BinaryOp::Mul, scores, self.scale);
            }
            if wanted[0] {
                gradients[0] = Some(product(b, scores, k, (last, last - 1), q));
            }
            if wanted[1] {
                gradients[1] = Some(product(b, scores, q, (last - 1, last - 1), k));
            }
        }
        Some(gradients)
    }
}

/// Appends a matrix product whose result has the type of operand `of`, whose gradient it is.
fn product(b: &mut Builder<'_>, x: ValueId, y: ValueId, contract: (usize, usize), of: ValueId) -> ValueId {
    let ty = b.ty(of);
    dot(b, x, y, contract, ty)
}

/// Appends a batched matrix product, contracted over one dimension of each operand.
fn dot(b: &mut Builder<'_>, x: ValueId, y: ValueId, contract: (usize, usize), ty: Type) -> ValueId {
    let batch: Dims = (0..ty.shape.rank() - 2).collect();
    let contract = DimPairs { lhs: Dims::from_slice(&[contract.0]), rhs: Dims::from_slice(&[contract.1]) };
    b.op("matmul", DotGeneral { contract, batch: DimPairs { lhs: batch.clone(), rhs: batch } }, &[x, y], ty)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{
        assert_close, assert_decomposes, assert_rule_holds, count_up, eval, floats, infer_error, ints,
    };

    fn grad(causal: bool, scale: f64) -> AttentionGrad {
        AttentionGrad::from_attention(&Attention::new(causal, scale))
    }

    fn wave(dtype: DType, shape: [usize; 3], step: f64) -> Tensor {
        let items: Vec<f64> = (0..shape.iter().product()).map(|i| (i as f64 * step).sin()).collect();
        floats(dtype, shape, &items)
    }

    /// Returns q, k, v and the gradient of the result for two batches, s = 2, t = 4, d = 3, e = 2.
    fn operands(dtype: DType) -> [Tensor; 4] {
        [
            wave(dtype, [2, 2, 3], 1.3),
            wave(dtype, [2, 4, 3], 0.7),
            wave(dtype, [2, 4, 2], 2.1),
            wave(dtype, [2, 2, 2], 0.9),
        ]
    }

    fn arguments(dtype: DType, attention: &Attention) -> Vec<Tensor> {
        let [q, k, v, g] = operands(dtype);
        let y = eval(attention.clone(), &[q.clone(), k.clone(), v.clone()]).remove(0);
        vec![q, k, v, y, g]
    }

    #[test]
    fn equals_finite_differences() {
        let attention = Attention::new(true, 0.6);
        let args = arguments(DType::F64, &attention);
        let gradients = eval(AttentionGrad::from_attention(&attention), &args);
        let loss = |operands: &[Tensor]| -> f64 {
            let y = eval(attention.clone(), operands).remove(0);
            (0..y.ty.shape.count()).map(|i| y.get(i).to_f64() * args[4].get(i).to_f64()).sum()
        };
        let step = 1e-5;
        for (which, gradient) in gradients.iter().enumerate() {
            let items = |by: f64, at: usize| -> Vec<f64> {
                let x = &args[which];
                (0..x.ty.shape.count()).map(|i| x.get(i).to_f64() + if i == at { by } else { 0.0 }).collect()
            };
            let changed = |by: f64, at: usize| {
                let mut operands = args[..3].to_vec();
                operands[which] = Tensor::from_floats(args[which].ty.clone(), items(by, at));
                loss(&operands)
            };
            let slopes = (0..gradient.ty.shape.count()).map(|i| (changed(step, i) - changed(-step, i)) / (2.0 * step));
            let slopes = Tensor::from_floats(gradient.ty.clone(), slopes.map(|x| (x * 1e8).round() / 1e8).collect());
            let rounded = (0..gradient.ty.shape.count()).map(|i| (gradient.get(i).to_f64() * 1e8).round() / 1e8);
            assert_close(&Tensor::from_floats(gradient.ty.clone(), rounded.collect()), &slopes, "slopes");
        }
    }

    #[test]
    fn rules_hold() {
        let op = grad(false, 0.5);
        let mut args = arguments(DType::F64, &op.attention());
        let types: Vec<&Type> = args.iter().map(|x| &x.ty).collect();
        let want = "([a,b,d],[a,c,d],[a,c,e],[a,b,e],[a,b,e])->([a,b,d],[a,c,d],[a,c,e]) {a=2,b=2,c=4,d=3,e=2}";
        let rule = op.rule(&types, &types[..3]);
        assert_eq!(
            rule.to_string(),
            format!("{want} kinds={{b:need_replication,c:need_replication,d:need_replication,e:need_replication}}")
        );
        assert_rule_holds(op.clone(), &args);
        args.push(count_up(DType::Bool, [2, 4]));
        assert_rule_holds(op.clone(), &args);
        assert_decomposes(op, &args);
        for dtype in [DType::F16, DType::BF16, DType::F32] {
            let op = grad(true, 1.0);
            let args = arguments(dtype, &op.attention());
            assert_decomposes(op, &args);
        }
    }

    /// Attention to two blocks of columns, merged by log-sum-exp, has the gradients of attention to all columns.
    #[test]
    fn gradients_of_blocks_add_up() {
        let attention = Attention { log_sum_exp: true, ..Attention::new(true, 0.6) };
        let [q, k, v, g] = operands(DType::F64);
        let forward = eval(attention.clone(), &[q.clone(), k.clone(), v.clone()]);
        let grad = AttentionGrad::from_attention(&attention);
        let want = eval(grad.clone(), &arguments(DType::F64, &Attention::new(true, 0.6)));
        let rows = ints(DType::I64, [2], &[2, 3]);
        let columns_of = |x: &Tensor, block: usize| {
            let width = x.ty.shape[2];
            let items = (0..2).flat_map(|b| (0..2 * width).map(move |i| (b * 4 + block * 2) * width + i));
            floats(DType::F64, [2, 2, width], &items.map(|i| x.get(i).to_f64()).collect::<Vec<_>>())
        };
        let blocks = [0, 1].map(|block: usize| {
            let columns = ints(DType::I64, [2], &[2 * block as i64, 2 * block as i64 + 1]);
            let (k, v) = (columns_of(&k, block), columns_of(&v, block));
            let optional = [forward[1].clone(), rows.clone(), columns];
            eval(grad.clone(), &[&[q.clone(), k, v, forward[0].clone(), g.clone()][..], &optional].concat())
        });
        let sum: Vec<f64> = (0..12).map(|i| blocks[0][0].get(i).to_f64() + blocks[1][0].get(i).to_f64()).collect();
        assert_close(&floats(DType::F64, [2, 2, 3], &sum), &want[0], "q");
        for (i, block) in blocks.iter().enumerate() {
            assert_close(&block[1], &columns_of(&want[1], i), "k");
            assert_close(&block[2], &columns_of(&want[2], i), "v");
        }
    }

    #[test]
    fn mismatches_are_errors() {
        let ty = |shape: &[usize]| Type::new(DType::F32, shape);
        let error = |args: &[&Type]| infer_error(grad(false, 1.0), args);
        let (q, k, v) = (ty(&[2, 3, 4]), ty(&[2, 5, 4]), ty(&[2, 5, 6]));
        let want = "takes q, k, v, the result, its gradient and perhaps a mask, not 3 operands";
        assert_eq!(error(&[&q, &k, &v]), want);
        let want = "needs the result and its gradient of f32[2, 3, 6], not f32[2, 3, 4]";
        assert_eq!(error(&[&q, &k, &v, &q, &q]), want);
        let y = ty(&[2, 3, 6]);
        let want = "needs the log-sum-exp of f32[2, 3], not f32[2, 5]";
        assert_eq!(error(&[&q, &k, &v, &y, &y, &ty(&[2, 5])]), want);
    }
}

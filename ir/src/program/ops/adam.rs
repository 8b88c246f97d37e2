//! `adam`: one step of Adam (Kingma and Ba 2015) with the decoupled weight decay of AdamW (Loshchilov and Hutter 2019).

use crate::arena::ValueId;
use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{Composite, EvalResult, InferResult, Interfaces, Operation, Types, op};
use crate::program::ops::{BinaryOp, UnaryOp, check, composite};
use crate::program::{Program, Values};
use crate::rule::Rule;
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// One step of Adam (Kingma and Ba 2015). Operands: parameter `p`, gradient `g`, moments `m` and `v`, all of one
    /// type, then scalars of type `f32` or wider: the learning rate, and the bias corrections `1 - beta1^t` and `1 -
    /// beta2^t` of step `t`. Results: `p`, `m` and `v` after the step. The weight decay subtracts `rate * decay * p`
    /// and does not pass through the moments (Loshchilov and Hutter 2019).
    Adam = "adam" {
        /// Decay rate of the first moment.
        "beta1" beta1: f64,
        /// Decay rate of the second moment.
        "beta2" beta2: f64,
        /// Epsilon, added to the square root of the second moment.
        "eps" eps: f64,
        /// Weight decay, in units of the learning rate.
        "decay" decay: f64,
    }
}

impl Operation for Adam {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [p, g, m, v, scalars @ ..] = check::exactly::<_, 7>(args)?;
        composite::check_float(p)?;
        [g, m, v].into_iter().try_for_each(|other| check::same_type(p, other))?;
        composite::check_scalars(&scalars, p)?;
        Ok(Types::from_elem((*p).clone(), 3))
    }

    fn class(&self) -> Class<'_> {
        Class::Update
    }

    /// Elementwise in the tensors.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        composite::update_rule(args[0], 4, args.len(), 3)
    }

    fn flops(&self, _: &[&Type], outs: &[&Type]) -> u64 {
        (outs[0].shape.count() as u64).saturating_mul(16)
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

impl Composite for Adam {
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], _: &[&Type]) -> Option<Values> {
        let &[p, g, m, v, rate, correction1, correction2] = args else { return None };
        let shape = b.ty(p).shape;
        let moment = |b: &mut Builder<'_>, old: ValueId, new: ValueId, beta: f64| {
            let old = b.binary_scalar(BinaryOp::Mul, old, beta);
            let new = b.binary_scalar(BinaryOp::Mul, new, 1.0 - beta);
            b.binary(BinaryOp::Add, old, new)
        };
        let m = moment(b, m, g, self.beta1);
        let square = b.binary(BinaryOp::Mul, g, g);
        let v = moment(b, v, square, self.beta2);
        let corrected = |b: &mut Builder<'_>, x: ValueId, by: ValueId| {
            let by = b.broadcast(by, &[], shape.clone());
            b.binary(BinaryOp::Div, x, by)
        };
        let mean = corrected(b, m, correction1);
        let spread = corrected(b, v, correction2);
        let root = b.unary(UnaryOp::Sqrt, spread);
        let root = b.binary_scalar(BinaryOp::Add, root, self.eps);
        let mut step = b.binary(BinaryOp::Div, mean, root);
        if self.decay != 0.0 {
            let decay = b.binary_scalar(BinaryOp::Mul, p, self.decay);
            step = b.binary(BinaryOp::Add, step, decay);
        }
        let rate = b.broadcast(rate, &[], shape.clone());
        let step = b.binary(BinaryOp::Mul, step, rate);
        Some(smallvec![b.binary(BinaryOp::Sub, p, step), m, v])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_decomposes, assert_rule_holds, eval, floats, infer_error};

    fn inputs() -> Vec<Tensor> {
        let two = |x: &[f64]| floats(DType::F64, [2], x);
        let one = |x: f64| floats(DType::F64, [], &[x]);
        vec![two(&[1.0, 2.0]), two(&[3.0, 0.0]), two(&[0.0, 1.0]), two(&[0.0, 4.0]), one(0.5), one(0.5), one(0.75)]
    }

    #[test]
    fn step_is_the_ratio_of_the_corrected_moments() {
        let adam = Adam { beta1: 0.5, beta2: 0.25, eps: 0.0, decay: 0.0 };
        let outs = eval(adam.clone(), &inputs());
        // m = 0 / 2 + 3 / 2, v = 0 / 4 + 9 * 3 / 4; corrected 3 and 9: a step of 0.5 * 3 / 3.
        assert_eq!(outs[1], floats(DType::F64, [2], &[1.5, 0.5]));
        assert_eq!(outs[2], floats(DType::F64, [2], &[6.75, 1.0]));
        assert_eq!(outs[0].get(0).to_f64(), 0.5);
        assert_decomposes(adam.clone(), &inputs());
        assert_rule_holds(adam, &inputs());
    }

    #[test]
    fn weight_decay_is_decoupled_from_the_gradient() {
        let plain = Adam { beta1: 0.5, beta2: 0.25, eps: 0.0, decay: 0.0 };
        let outs = eval(Adam { decay: 0.1, ..plain.clone() }, &inputs());
        let difference = eval(plain, &inputs())[0].get(0).to_f64() - outs[0].get(0).to_f64();
        assert!((difference - 0.5 * 0.1).abs() < 1e-15);
    }

    #[test]
    fn mismatches_are_errors() {
        let adam = Adam { beta1: 0.5, beta2: 0.25, eps: 0.0, decay: 0.0 };
        let (x, y, s) = (Type::new(DType::F32, [2]), Type::new(DType::F32, [3]), Type::new(DType::F32, []));
        assert_eq!(infer_error(adam.clone(), &[&x]), "takes 7 operands, not 1");
        assert!(infer_error(adam.clone(), &[&x, &y, &x, &x, &s, &s, &s]).contains("f32[3]"));
        assert_eq!(infer_error(adam, &[&x, &x, &x, &x, &x, &s, &s]), "needs a scalar f32[] for f32[2], not f32[2]");
    }
}

//! `momentum`: one step of gradient descent with momentum (Polyak 1964), optionally in Nesterov's form (Sutskever et
//! al. 2013).

use crate::arena::ValueId;
use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::build::Builder;
use crate::program::class::Class;
use crate::program::op::{Composite, EvalResult, InferResult, Interfaces, Operation, Types, op};
use crate::program::ops::{BinaryOp, check, composite};
use crate::program::{Program, Values};
use crate::rule::Rule;
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// One step of gradient descent with momentum: `v = beta * v + g`, then `p - rate * v`, or `p - rate * (g + beta *
    /// v)` in Nesterov's form (Sutskever et al. 2013). Operands: parameter `p`, gradient `g`, velocity `v`, all of one
    /// type, and the learning rate, a scalar of type `f32` or wider. Results: `p` and `v` after the step. The weight
    /// decay is added to the gradient.
    Momentum = "momentum" {
        /// Decay rate of the velocity.
        "beta" beta: f64,
        /// Nesterov's form.
        "nesterov" nesterov: bool,
        /// Weight decay: fraction of the parameter that is added to the gradient.
        "decay" decay: f64,
    }
}

impl Operation for Momentum {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [p, g, v, rate] = check::exactly::<_, 4>(args)?;
        composite::check_float(p)?;
        [g, v].into_iter().try_for_each(|other| check::same_type(p, other))?;
        composite::check_scalars(&[rate], p)?;
        Ok(Types::from_elem((*p).clone(), 2))
    }

    fn class(&self) -> Class<'_> {
        Class::Update
    }

    /// Elementwise in the tensors.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        composite::update_rule(args[0], 3, args.len(), 2)
    }

    fn flops(&self, _: &[&Type], outs: &[&Type]) -> u64 {
        (outs[0].shape.count() as u64).saturating_mul(4)
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

impl Composite for Momentum {
    fn decompose(&self, b: &mut Builder<'_>, args: &[ValueId], _: &[&Type]) -> Option<Values> {
        let &[p, mut g, v, rate] = args else { return None };
        let shape = b.ty(p).shape;
        if self.decay != 0.0 {
            let decay = b.binary_scalar(BinaryOp::Mul, p, self.decay);
            g = b.binary(BinaryOp::Add, g, decay);
        }
        let decayed = b.binary_scalar(BinaryOp::Mul, v, self.beta);
        let v = b.binary(BinaryOp::Add, decayed, g);
        let mut step = v;
        if self.nesterov {
            let ahead = b.binary_scalar(BinaryOp::Mul, v, self.beta);
            step = b.binary(BinaryOp::Add, ahead, g);
        }
        let rate = b.broadcast(rate, &[], shape);
        let step = b.binary(BinaryOp::Mul, step, rate);
        Some(smallvec![b.binary(BinaryOp::Sub, p, step), v])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_decomposes, assert_rule_holds, eval, floats, infer_error};

    fn inputs() -> Vec<Tensor> {
        let two = |x: &[f64]| floats(DType::F64, [2], x);
        vec![two(&[1.0, 2.0]), two(&[3.0, 0.0]), two(&[2.0, 1.0]), floats(DType::F64, [], &[0.5])]
    }

    #[test]
    fn velocity_accumulates() {
        for (nesterov, decay, want) in
            [(false, 0.0, [-1.0, 1.75]), (true, 0.0, [-1.5, 1.875]), (false, 1.0, [-1.5, 0.75])]
        {
            let momentum = Momentum { beta: 0.5, nesterov, decay };
            assert_eq!(eval(momentum.clone(), &inputs())[0], floats(DType::F64, [2], &want), "{nesterov} {decay}");
            assert_decomposes(momentum.clone(), &inputs());
            assert_rule_holds(momentum, &inputs());
        }
    }

    #[test]
    fn mismatches_are_errors() {
        let x = Type::new(DType::I32, [2]);
        let momentum = Momentum { beta: 0.5, nesterov: false, decay: 0.0 };
        assert_eq!(infer_error(momentum, &[&x, &x, &x, &x]), "needs floats, not i32[2]");
    }
}

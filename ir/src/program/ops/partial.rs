//! `partial`: converts a replicated value to a partial sum.

use crate::dtype::Type;
use crate::mesh::{Axes, group_rank};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::{Class, DeviceOp};
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::Rule;
use crate::tensor::{Scalar, Tensor};

op! {
    /// Converts a replicated value to a partial sum without communication: the first device along the axes retains the
    /// value, the others have the identity of the sum, which is -0 for floats to preserve the sign of zero.
    Partial = "partial" {
        /// The mesh axes.
        "over" axes: Axes,
    }
}

impl Operation for Partial {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        check::valid_axes(program, &self.axes)?;
        check::single_result(x.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Device(DeviceOp::Partial(self))
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        Rule::elementwise(&outs[0].shape, args.len())
    }

    fn flops(&self, _: &[&Type], _: &[&Type]) -> u64 {
        0
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, cx: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x] = check::exactly(args)?;
        let first = cx.device.as_ref().is_none_or(|at| group_rank(&self.axes, at.mesh, &at.coords) == 0);
        let nothing = |ty: &Type| match ty.dtype.is_float() {
            true => Tensor::splat(ty.clone(), Scalar::Float(-0.0)),
            false => Tensor::zeros(ty.clone()),
        };
        Ok(vec![if first { x.clone() } else { nothing(outs[0]) }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{axes, count_up, eval_at};

    #[test]
    fn only_the_first_device_has_the_value() {
        let x = count_up(DType::F32, [3]);
        let axes: Axes = axes()[..1].iter().copied().collect();
        let at = |coords: [u32; 2]| eval_at(Partial { axes: axes.clone() }, std::slice::from_ref(&x), &coords);
        assert_eq!(at([0, 2]), x);
        assert_eq!(at([1, 0]), Tensor::from_floats(x.ty.clone(), vec![-0.0; 3]));
        assert!(at([1, 0]).scalars().all(|x| x.to_f64().is_sign_negative()));
    }
}

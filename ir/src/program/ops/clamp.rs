//! `clamp`: `min(max(x, low), high)`. Operands: low, x, high; the bounds may be scalars.

use crate::dtype::{DType, Type};
use crate::numeric::kernel::{self, Real};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::{binary, check};
use crate::rule::{DimMap, Rule};
use crate::tensor::{Data, Tensor};

op! {
    /// `min(max(x, low), high)`. Operands: low, x, high; the bounds may be scalars.
    Clamp = "clamp" {}
}

fn clamp_floats<T: Real>(low: &[T], x: &[T], high: &[T]) -> Vec<T> {
    kernel::zip(&kernel::zip(x, low, binary::maximum), high, binary::minimum)
}

impl Operation for Clamp {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [low, x, high] = check::exactly(args)?;
        for bound in [low, high] {
            if bound.dtype != x.dtype || bound.shape.rank() > 0 && bound.shape != x.shape {
                return Err(format!("bounds must be {x} or {}[], not {bound}", x.dtype));
            }
        }
        check::single_result(x.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Elementwise
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let mut rule = Rule::elementwise(&outs[0].shape, args.len());
        for (map, ty) in rule.args.iter_mut().zip(args) {
            if ty.shape.rank() == 0 {
                *map = DimMap::new();
            }
        }
        rule
    }

    fn flops(&self, _: &[&Type], outs: &[&Type]) -> u64 {
        check::elements(outs)
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [low, x, high] = check::exactly(args)?;
        let data = match (&low.data, &x.data, &high.data) {
            (Data::F64(low), Data::F64(x), Data::F64(high)) => Data::F64(clamp_floats(low, x, high)),
            (Data::F32(low), Data::F32(x), Data::F32(high)) => Data::F32(clamp_floats(low, x, high)),
            (Data::Int(low), Data::Int(v), Data::Int(high)) if x.ty.dtype == DType::U64 => {
                let above = kernel::zip(v, low, |a, b| (a as u64).max(b as u64));
                Data::Int(kernel::zip(&above, high, |a, b| a.min(b as u64) as i64))
            }
            (Data::Int(low), Data::Int(x), Data::Int(high)) => {
                Data::Int(kernel::zip(&kernel::zip(x, low, i64::max), high, i64::min))
            }
            _ => return Err(kernel::MIXED_DTYPES_ERROR.into()),
        };
        Ok(vec![Tensor { ty: outs[0].clone(), data }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{assert_rule_holds, eval, infer_error, ints};

    #[test]
    fn bounds_may_be_scalars() {
        for dtype in [DType::F32, DType::I32, DType::U64] {
            let x = ints(dtype, [3], &[1, 5, 9]);
            let out = eval(Clamp {}, &[ints(dtype, [], &[2]), x, ints(dtype, [3], &[8, 4, 8])]);
            assert_eq!(out, [ints(dtype, [3], &[2, 4, 8])]);
        }
    }

    #[test]
    fn mismatches_are_errors() {
        let (x, low) = (Type::new(DType::F32, [2]), Type::new(DType::F32, [1]));
        assert_eq!(infer_error(Clamp {}, &[&low, &x, &x]), "bounds must be f32[2] or f32[], not f32[1]");
    }

    #[test]
    fn rules_hold() {
        let x = ints(DType::F64, [2, 3], &[1, 5, 9, 3, 4, 7]);
        let high = ints(DType::F64, [2, 3], &[4, 4, 8, 8, 4, 4]);
        assert_rule_holds(Clamp {}, &[ints(DType::F64, [], &[2]), x, high]);
    }
}

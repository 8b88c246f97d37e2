//! `convert`: converts to another element type.

use crate::dtype::{DType, Type};
use crate::numeric::kernel;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::Rule;
use crate::tensor::Tensor;

op! {
    /// Converts to another element type.
    Convert = "convert" {}
}

/// Returns true if the conversion of a sum equals the sum of conversions: floats to types of at least the same
/// precision, `i32` and `i64` to floats, and integers to integers of at most the same width (which wrap). Narrow and
/// unsigned integers may already have wrapped, unlike floats, so that their conversion to floats is excluded.
fn is_linear(from: DType, to: DType) -> bool {
    match (from, to) {
        (DType::I64 | DType::I32, DType::F64 | DType::F32) => true,
        (DType::F64, DType::F64) | (DType::F32, DType::F64 | DType::F32) => true,
        (DType::F16 | DType::BF16, DType::F64 | DType::F32) => true,
        (DType::F16, DType::F16) | (DType::BF16, DType::BF16) => true,
        (from, to) => from.is_int() && to.is_int() && from.bits() >= to.bits(),
    }
}

impl Operation for Convert {
    fn infer(&self, _: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        let out = check::declared_one(declared)?;
        if x.shape != out.shape {
            return Err(format!("keeps the shape: {x} does not become {out}"));
        }
        check::single_result(out.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Elementwise
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let rule = Rule::elementwise(&outs[0].shape, args.len());
        if is_linear(args[0].dtype, outs[0].dtype) { rule.linear_in([0]) } else { rule }
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
        let [x] = check::exactly(args)?;
        Ok(vec![kernel::cast(x, outs[0].dtype)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{assert_rule_holds_as, eval_as, floats, infer_error_as, ints};

    fn to(dtype: DType, x: &Tensor) -> Tensor {
        eval_as(Convert {}, std::slice::from_ref(x), &Type { shape: x.ty.shape.clone(), dtype })
    }

    #[test]
    fn floats_truncate_and_saturate() {
        let x = floats(DType::F64, [4], &[-1.9, 300.0, f64::NAN, -1e30]);
        assert_eq!(to(DType::I32, &x), ints(DType::I32, [4], &[-1, 300, 0, i64::from(i32::MIN)]));
        assert_eq!(to(DType::U8, &x), ints(DType::U8, [4], &[0, 255, 0, 0]));
        assert_eq!(to(DType::Bool, &floats(DType::F32, [2], &[0.5, 0.0])), ints(DType::Bool, [2], &[1, 0]));
    }

    #[test]
    fn integers_wrap_and_u64_is_unsigned() {
        assert_eq!(to(DType::I8, &ints(DType::I64, [1], &[200])), ints(DType::I8, [1], &[-56]));
        assert_eq!(to(DType::F64, &ints(DType::U64, [1], &[-1])).get(0).to_f64(), 2f64.powi(64));
        assert_eq!(to(DType::U64, &floats(DType::F64, [1], &[2f64.powi(63)])), ints(DType::U64, [1], &[i64::MIN]));
    }

    #[test]
    fn narrow_floats_are_rounded_to_nearest() {
        let x = floats(DType::F64, [2], &[1.0 + 2f64.powi(-11), 1.0 + 3.0 * 2f64.powi(-11)]);
        assert_eq!(to(DType::F16, &x), floats(DType::F16, [2], &[1.0, 1.0 + 2f64.powi(-9)]));
    }

    #[test]
    fn mismatches_are_errors() {
        let (x, out) = (Type::new(DType::F32, [2]), Type::new(DType::F64, [3]));
        assert_eq!(infer_error_as(Convert {}, &[&x], &out), "keeps the shape: f32[2] does not become f64[3]");
    }

    #[test]
    fn rules_hold() {
        for from in DType::ALL {
            for to in DType::ALL {
                let x = ints(from, [2, 3], &[1, 0, 1, 4, 5, 6]);
                assert_rule_holds_as(Convert {}, &[x], &Type::new(to, [2, 3]));
            }
        }
    }
}

//! `select`: `pred ? on_true : on_false`, elementwise.

use crate::dtype::{DType, Type};
use crate::numeric::kernel::{self, on_same_storage};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::{DimMap, Rule};
use crate::tensor::Tensor;

op! {
    /// `pred ? on_true : on_false`, elementwise. Operands: pred `bool` (same shape, or a scalar), on_true, on_false.
    Select = "select" {}
}

fn select<T: Copy>(pred: &[i64], on_true: &[T], on_false: &[T]) -> Vec<T> {
    match pred {
        [p] => (if *p != 0 { on_true } else { on_false }).to_vec(),
        pred => {
            pred.iter().zip(on_true.iter().zip(on_false)).map(|(&p, (&t, &f))| if p != 0 { t } else { f }).collect()
        }
    }
}

impl Operation for Select {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [pred, on_true, on_false] = check::exactly(args)?;
        check::same_type(on_true, on_false)?;
        if pred.dtype != DType::Bool || pred.shape.rank() > 0 && pred.shape != on_true.shape {
            return Err(format!("chooses by bool{} or a bool scalar, not by {pred}", on_true.shape));
        }
        check::single_result(on_true.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Elementwise
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let mut rule = Rule::elementwise(&outs[0].shape, args.len());
        if args[0].shape.rank() == 0 {
            rule.args[0] = DimMap::new();
        }
        rule.linear_in([1, 2])
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
        let [pred, on_true, on_false] = check::exactly(args)?;
        let pred = kernel::ints(pred)?;
        let data = on_same_storage!((&on_true.data, &on_false.data), (t, f) => select(pred, t, f))?;
        Ok(vec![Tensor { ty: outs[0].clone(), data }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{assert_rule_holds, eval, infer_error, ints};

    #[test]
    fn selects_by_element_or_by_scalar() {
        let (t, f) = (ints(DType::F32, [2], &[1, 2]), ints(DType::F32, [2], &[3, 4]));
        let by = |pred| eval(Select {}, &[pred, t.clone(), f.clone()]).remove(0);
        assert_eq!(by(ints(DType::Bool, [2], &[1, 0])), ints(DType::F32, [2], &[1, 4]));
        assert_eq!(by(ints(DType::Bool, [], &[0])), f);
    }

    #[test]
    fn mismatches_are_errors() {
        let (x, p) = (Type::new(DType::F32, [2]), Type::new(DType::Bool, [3]));
        assert_eq!(infer_error(Select {}, &[&p, &x, &x]), "chooses by bool[2] or a bool scalar, not by bool[3]");
        assert_eq!(infer_error(Select {}, &[&x, &x, &x]), "chooses by bool[2] or a bool scalar, not by f32[2]");
    }

    #[test]
    fn rules_hold() {
        let (t, f) = (ints(DType::F64, [2, 2], &[1, 2, 3, 4]), ints(DType::F64, [2, 2], &[5, 6, 7, 8]));
        for pred in [ints(DType::Bool, [2, 2], &[1, 0, 0, 1]), ints(DType::Bool, [], &[0])] {
            assert_rule_holds(Select {}, &[pred, t.clone(), f.clone()]);
        }
    }
}

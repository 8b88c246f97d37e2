//! `dynamic_update_slice`: replaces a slice of the operand at start indices given at run time.

use crate::dtype::Type;
use crate::numeric::kernel::on_same_storage;
use crate::numeric::strided::{self, View};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::program::ops::dynamic_slice::clamped;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::Tensor;
use smallvec::smallvec;

op! {
    /// Replaces a slice of the operand by an update. The start indices are given at run time and clamped such that the
    /// slice is within the operand. Operands: x, update, then one scalar start index per dimension of x.
    DynamicUpdateSlice = "dynamic_update_slice" {}
}

impl Operation for DynamicUpdateSlice {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x, update, starts @ ..] = args else { return Err("takes an operand, an update and start indices".into()) };
        check::per_dim("start index operand", starts.len(), x)?;
        for start in starts {
            check::index_scalar("a start index", start)?;
        }
        let fits = update.dtype == x.dtype && update.shape.rank() == x.shape.rank();
        if !fits || update.shape.iter().zip(x.shape.iter()).any(|(size, n)| size > n) {
            return Err(format!("an update of {update} does not fit into {x}"));
        }
        check::single_result((*x).clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Indexing
    }

    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let (mut operand, mut update) = (DimMap::new(), DimMap::new());
        for (&n, &size) in args[0].shape.iter().zip(args[1].shape.iter()) {
            let factor = rule.dim(n, if n == size { FactorKind::PassThrough } else { FactorKind::NeedReplication });
            operand.push(factor.clone());
            update.push(if n == size { factor } else { rule.dim(size, FactorKind::NeedReplication) });
        }
        rule.outs = smallvec![operand.clone()];
        rule.args = smallvec![operand, update];
        rule.args.resize(args.len(), DimMap::new());
        rule.linear_in([0, 1])
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

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x, update, starts @ ..] = args else { return Err("takes an operand, an update and start indices".into()) };
        let starts = clamped(starts, &x.ty.shape, &update.ty.shape)?;
        let view = View::row_major(&x.ty.shape).subview(&starts, &update.ty.shape);
        let data = on_same_storage!((&x.data, &update.data), (x, update) => {
            let mut out = x.clone();
            strided::write(&mut out, &view, update);
            out
        })?;
        Ok(vec![Tensor { ty: outs[0].clone(), data }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, infer_error, ints};

    #[test]
    fn replaces_a_slice_at_clamped_indices() {
        let (row, column) = (ints(DType::I32, [], &[9]), ints(DType::I32, [], &[1]));
        let args = [count_up(DType::I32, [2, 3]), ints(DType::I32, [1, 2], &[8, 9]), row, column];
        assert_eq!(eval(DynamicUpdateSlice {}, &args), [ints(DType::I32, [2, 3], &[0, 1, 2, 3, 8, 9])]);
    }

    #[test]
    fn mismatches_are_errors() {
        let (x, update, i) = (Type::new(DType::F32, [2]), Type::new(DType::F32, [3]), Type::new(DType::I32, []));
        let error = infer_error(DynamicUpdateSlice {}, &[&x, &update, &i]);
        assert_eq!(error, "an update of f32[3] does not fit into f32[2]");
    }

    #[test]
    fn rules_hold() {
        let at = ints(DType::I32, [], &[2]);
        let args = [count_up(DType::F64, [4, 6]), count_up(DType::F64, [4, 2]), at.clone(), at];
        assert_rule_holds(DynamicUpdateSlice {}, &args);
    }
}

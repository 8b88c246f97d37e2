//! `broadcast`: repeats the operand along new dimensions and dimensions of size 1.

use crate::dtype::Type;
use crate::numeric::strided::{self, View};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::syntax::attr::Dims;
use crate::tensor::Tensor;
use smallvec::{SmallVec, smallvec};

op! {
    /// Repeats the operand: dimension `i` of the operand becomes dimension `dims[i]` of the result, and a dimension of
    /// size 1 is repeated.
    Broadcast = "broadcast" {
        /// Result dimension of each operand dimension; distinct, in any order.
        "" dims: Dims,
    }
}

impl Operation for Broadcast {
    fn infer(&self, _: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        let out = check::declared_one(declared)?;
        if x.dtype != out.dtype {
            return Err(format!("keeps the element type: {x} does not become {out}"));
        }
        check::per_dim("dimension number", self.dims.len(), x)?;
        check::distinct_dims(&self.dims, out)?;
        for (i, (&n, &dim)) in x.shape.iter().zip(&self.dims).enumerate() {
            if n != 1 && n != out.shape[dim] {
                return Err(format!(
                    "dimension {i} of {x} has {n} elements and cannot become the {} of dimension {dim} of {out}",
                    out.shape[dim]
                ));
            }
        }
        check::single_result(out.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Movement
    }

    /// Only the result has the factor of a repeated dimension, so that it can be sharded without communication.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let out: DimMap = outs[0].shape.iter().map(|&n| rule.dim(n, FactorKind::PassThrough)).collect();
        let shared =
            |(&n, &dim): (&usize, &usize)| if n == outs[0].shape[dim] { out[dim].clone() } else { SmallVec::new() };
        rule.args = smallvec![args[0].shape.iter().zip(&self.dims).map(shared).collect()];
        rule.outs = smallvec![out];
        rule.moving()
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
        let [x] = check::exactly(args)?;
        let mut view = View { shape: outs[0].shape.clone(), strides: smallvec![0; outs[0].shape.rank()], offset: 0 };
        for ((&n, stride), &dim) in x.ty.shape.iter().zip(x.ty.shape.strides()).zip(&self.dims) {
            view.strides[dim] = if n == 1 { 0 } else { stride as isize };
        }
        Ok(vec![Tensor { ty: outs[0].clone(), data: strided::read_data(&x.data, &view) }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds_as, count_up, eval_as, infer_error_as, ints};

    #[test]
    fn repeats_new_dims_and_those_of_size_1() {
        let x = ints(DType::I32, [2, 1], &[1, 2]);
        let out = eval_as(Broadcast { dims: smallvec![2, 0] }, &[x], &Type::new(DType::I32, [2, 2, 2]));
        assert_eq!(out, ints(DType::I32, [2, 2, 2], &[1, 2, 1, 2, 1, 2, 1, 2]));
    }

    #[test]
    fn mismatches_are_errors() {
        let x = Type::new(DType::I32, [2]);
        let error = |dims: &[usize], shape: &[usize]| {
            infer_error_as(Broadcast { dims: dims.into() }, &[&x], &Type::new(DType::I32, shape))
        };
        assert_eq!(error(&[1], &[2]), "there is no dimension 1 in i32[2]");
        assert_eq!(error(&[], &[2]), "has 0 dimension numbers but i32[2] has 1 dimension");
        assert_eq!(
            error(&[0], &[3]),
            "dimension 0 of i32[2] has 2 elements and cannot become the 3 of dimension 0 of i32[3]"
        );
        assert!(error(&[0], &[2, usize::MAX]).contains("more elements than can be counted"));
    }

    #[test]
    fn rules_hold() {
        let op = Broadcast { dims: smallvec![2, 0] };
        assert_rule_holds_as(op.clone(), &[count_up(DType::F64, [4, 1])], &Type::new(DType::F64, [6, 2, 4]));
        assert_rule_holds_as(op, &[count_up(DType::F64, [4, 6])], &Type::new(DType::F64, [6, 2, 4]));
    }
}

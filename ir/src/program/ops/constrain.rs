//! `constrain`: the identity, with a layout requested by the user on the result.
//!
//! Propagation passes axes through a constraint in both directions, or only as `flow` states. An optional second
//! operand is a value that propagation shards like the first one; it has no influence on the result, and propagation
//! removes it.
//!
//! Two constraints of one value with the same layout may share the result. A `fresh` one is a separate copy that is
//! never shared, so that it can be freed after its last use and recomputed for a later use.
//!
//! A model without a mesh states names of dimensions and layouts as text in the syntax of plans
//! ([`crate::plan::text`]). `apply-plan` resolves and removes them:
//!
//! ```text
//! %n = constrain names "batch, embed" %x : f32[32, 64]
//! %s = constrain sharding "data, _" %n : f32[32, 64]
//! ```

use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::{Class, LayoutOp};
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::{Flow, Rule};
use crate::source_text::SourceText;
use crate::tensor::Tensor;
use std::sync::Arc;

op! {
    /// The identity, with a layout requested by the user on the result.
    Constrain = "constrain" {
        /// A separate copy that is not shared with other constraints of the same value and layout.
        "fresh" fresh: bool,
        /// Direction in which propagation passes axes through the constraint.
        "flow" flow: Flow,
        /// Names of the dimensions, in the syntax of plans.
        "names" names: Option<Arc<SourceText>>,
        /// Layout on the mesh of the plan, in the syntax of plans.
        "sharding" sharding: Option<Arc<SourceText>>,
    }
}

impl Default for Constrain {
    /// Returns a constraint that may be shared, and that axes pass in both directions.
    fn default() -> Constrain {
        Constrain { fresh: false, flow: Flow::Both, names: None, sharding: None }
    }
}

impl Operation for Constrain {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        match args {
            [x] => check::single_result((*x).clone()),
            [x, like] if x.shape == like.shape => check::single_result((*x).clone()),
            [x, like] => Err(format!("{x} cannot be sharded like {like}, which has another shape")),
            _ => Err(format!("takes 1 or 2 operands, not {}", args.len())),
        }
    }

    fn class(&self) -> Class<'_> {
        Class::Layout(LayoutOp::Constrain(self))
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        Rule { flow: self.flow, ..Rule::elementwise(&outs[0].shape, args.len()).moving() }
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

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], _: &[&Type]) -> EvalResult {
        Ok(args.first().map(|x| (*x).clone()).into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, infer_error};

    #[test]
    fn values_are_unchanged() {
        let x = count_up(DType::F64, [4, 3]);
        for fresh in [false, true] {
            let op = Constrain { fresh, flow: Flow::Backward, ..Constrain::default() };
            assert_eq!(eval(op.clone(), std::slice::from_ref(&x))[0], x);
            assert_rule_holds(op, std::slice::from_ref(&x));
        }
        let like = count_up(DType::I32, [4, 3]);
        assert_eq!(eval(Constrain::default(), &[x.clone(), like])[0], x);
        assert_eq!(infer_error(Constrain::default(), &[]), "takes 1 or 2 operands, not 0");
        let other = Type::new(DType::F64, [3]);
        let error = infer_error(Constrain::default(), &[&x.ty, &other]);
        assert_eq!(error, "f64[4, 3] cannot be sharded like f64[3], which has another shape");
    }
}

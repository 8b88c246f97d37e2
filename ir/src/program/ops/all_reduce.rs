//! `all_reduce`: combines the partial values of all devices along mesh axes; every device receives the result. Several
//! operands are combined separately by one collective.

use crate::dtype::Type;
use crate::layout::Monoid;
use crate::mesh::Axes;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::{Class, Collective};
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::Tensor;

op! {
    /// Combines the partial values of all devices along mesh axes; every device receives the result. Operands are
    /// combined separately; each one has a result.
    AllReduce = "all_reduce" {
        /// The monoid that combines them.
        "" monoid: Monoid,
        /// The mesh axes.
        "over" axes: Axes,
    }
}

impl Operation for AllReduce {
    fn infer(&self, program: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        if args.is_empty() {
            return Err("takes 1 operand or more, not 0".into());
        }
        check::valid_axes(program, &self.axes)?;
        args.iter().try_for_each(|x| check::monoid_supports(self.monoid, x.dtype))?;
        Ok(args.iter().map(|&x| x.clone()).collect())
    }

    fn class(&self) -> Class<'_> {
        Class::Collective(Collective::AllReduce(self))
    }

    /// Operand and result have the same sharding, independently of the other operands.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        for arg in args {
            let map: DimMap = arg.shape.iter().map(|&n| rule.dim(n, FactorKind::PassThrough)).collect();
            rule.args.push(map.clone());
            rule.outs.push(map);
        }
        rule
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

    fn eval(&self, _: &EvalCx<'_>, _: &[&Tensor], _: &[&Type]) -> EvalResult {
        Err(check::collective_error())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{axes, local};

    #[test]
    fn result_has_the_operand_type() {
        let x = Type::new(DType::F32, [6]);
        let op = |monoid| AllReduce { monoid, axes: axes() };
        assert_eq!(op(Monoid::Sum).infer(&local(), &[&x], &[]), check::single_result(x.clone()));
        assert_eq!(op(Monoid::And).infer(&local(), &[&x], &[]), Err("and is not defined for f32".into()));
    }

    #[test]
    fn results_have_the_operand_types() {
        let (x, y) = (Type::new(DType::F32, [6]), Type::new(DType::I32, [2, 3]));
        let op = |monoid| AllReduce { monoid, axes: axes() };
        let types = op(Monoid::Sum).infer(&local(), &[&x, &y], &[]).unwrap();
        assert_eq!(types[..], [x.clone(), y.clone()]);
        assert_eq!(op(Monoid::And).infer(&local(), &[&y, &x], &[]), Err("and is not defined for f32".into()));
        assert_eq!(op(Monoid::Sum).infer(&local(), &[], &[]), Err("takes 1 operand or more, not 0".into()));
        let rule = op(Monoid::Sum).rule(&[&x, &y], &[&x, &y]);
        assert_eq!((rule.factors.len(), rule.outs[1].len()), (3, 2));
    }

    #[test]
    fn bad_axes_are_errors() {
        let x = Type::new(DType::F32, [6]);
        let error = |axes: Axes| AllReduce { monoid: Monoid::Sum, axes }.infer(&local(), &[&x], &[]).unwrap_err();
        let [a, b] = axes()[..] else { panic!("two axes") };
        assert_eq!(error([a, b, a].into_iter().collect()), "names the axis `a` twice");
        let half = crate::mesh::AxisRef { size: 2, ..b };
        assert_eq!(error([half].into_iter().collect()), "`b` of 3 devices has no factor (1)2");
        let op = AllReduce { monoid: Monoid::Sum, axes: axes() };
        let error = op.infer(&Program::default(), &[&x], &[]).unwrap_err();
        assert_eq!(error, "names axes, but the program has no mesh or several");
    }
}

//! `reduce`: combines all elements along dimensions by a monoid.

use crate::dtype::Type;
use crate::layout::Monoid;
use crate::numeric::strided::{View, read_data};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::syntax::attr::Dims;
use crate::tensor::{Data, Tensor};
use smallvec::smallvec;

op! {
    /// Combines all elements along dimensions. An empty reduction returns the monoid's identity. Floats are combined in
    /// `f64`.
    Reduce = "reduce" {
        /// The monoid that combines elements.
        "" monoid: Monoid,
        /// The dimensions that are reduced.
        "" dims: Dims,
    }
}

impl Reduce {
    fn remaining_dims(&self, rank: usize) -> Dims {
        (0..rank).filter(|d| !self.dims.contains(d)).collect()
    }
}

impl Operation for Reduce {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        check::distinct_dims(&self.dims, x)?;
        check::monoid_supports(self.monoid, x.dtype)?;
        let shape = self.remaining_dims(x.shape.rank()).iter().map(|&d| x.shape[d]).collect();
        check::single_result(Type { shape, dtype: x.dtype })
    }

    fn class(&self) -> Class<'_> {
        Class::Reduction
    }

    /// `[i,k] -> [i]` with `k` reduced by the monoid. Linear for a sum. A partial maximum could pass through a maximum,
    /// but `linear` covers sums only.
    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let mut out = DimMap::new();
        let mut map = DimMap::new();
        for (d, &n) in args[0].shape.iter().enumerate() {
            if self.dims.contains(&d) {
                map.push(rule.dim(n, self.monoid.factor_kind(args[0].dtype)));
            } else {
                map.push(rule.dim(n, FactorKind::PassThrough));
                out.push(map[d].clone());
            }
        }
        rule.args = smallvec![map];
        rule.outs = smallvec![out];
        if self.monoid == Monoid::Sum { rule.linear_in([0]) } else { rule }
    }

    fn flops(&self, args: &[&Type], _: &[&Type]) -> u64 {
        args[0].shape.count() as u64
    }

    fn to_local(&self, _: &[&Type], _: &[&Type], _: &[&Type]) -> Self {
        self.clone()
    }

    fn interfaces(&self) -> Interfaces<'_> {
        Interfaces::NONE
    }

    fn eval(&self, _: &EvalCx<'_>, args: &[&Tensor], outs: &[&Type]) -> EvalResult {
        let [x] = check::exactly(args)?;
        let ty = check::declared_one(outs)?.clone();
        let mut order = self.remaining_dims(x.shape().rank());
        order.extend_from_slice(&self.dims);
        let width: usize = self.dims.iter().map(|&d| x.shape()[d]).product();
        let rows = (0..ty.shape.count()).map(|r| r * width..(r + 1) * width);
        let (monoid, dtype) = (self.monoid, ty.dtype);
        let identity = monoid.identity(dtype);
        let float = |sum: f64, x: f64| monoid.combine_floats(sum, x);
        let int = |sum: i64, &x: &i64| monoid.combine_ints(dtype, sum, x);
        let data = match read_data(&x.data, &View::row_major(x.shape()).permuted(&order)) {
            Data::F64(v) => Data::F64(rows.map(|row| v[row].iter().copied().fold(identity.to_f64(), float)).collect()),
            Data::F32(v) => {
                let wide = |row: std::ops::Range<usize>| v[row].iter().map(|&x| f64::from(x));
                Data::F32(rows.map(|row| wide(row).fold(identity.to_f64(), float) as f32).collect())
            }
            Data::Int(v) => Data::Int(rows.map(|row| v[row].iter().fold(identity.to_i64(), int)).collect()),
        };
        Ok(vec![Tensor { ty, data }.wrapped()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, floats, infer_error, ints};

    fn reduce(monoid: Monoid, dims: &[usize]) -> Reduce {
        Reduce { monoid, dims: dims.into() }
    }

    #[test]
    fn combines_along_dimensions() {
        let x = ints(DType::I32, [2, 3], &[1, -2, 3, 4, 5, -6]);
        assert_eq!(eval(reduce(Monoid::Sum, &[1]), std::slice::from_ref(&x)), [ints(DType::I32, [2], &[2, 3])]);
        assert_eq!(eval(reduce(Monoid::Prod, &[0]), std::slice::from_ref(&x)), [ints(DType::I32, [3], &[4, -10, -18])]);
        assert_eq!(eval(reduce(Monoid::Max, &[1, 0]), std::slice::from_ref(&x)), [ints(DType::I32, [], &[5])]);
        assert_eq!(eval(reduce(Monoid::Min, &[]), std::slice::from_ref(&x)), [x]);
        let bits = ints(DType::U8, [2], &[12, 10]);
        assert_eq!(eval(reduce(Monoid::And, &[0]), std::slice::from_ref(&bits)), [ints(DType::U8, [], &[8])]);
        assert_eq!(eval(reduce(Monoid::Or, &[0]), &[bits]), [ints(DType::U8, [], &[14])]);
        let flags = ints(DType::Bool, [3], &[1, 1, 0]);
        assert_eq!(eval(reduce(Monoid::Sum, &[0]), std::slice::from_ref(&flags)), [ints(DType::Bool, [], &[1])]);
        assert_eq!(eval(reduce(Monoid::And, &[0]), &[flags]), [ints(DType::Bool, [], &[0])]);
    }

    #[test]
    fn the_empty_reduction_is_the_identity() {
        for monoid in Monoid::ALL {
            for dtype in DType::ALL.into_iter().filter(|&d| check::monoid_supports(monoid, d).is_ok()) {
                let out = eval(reduce(monoid, &[0]), &[ints(dtype, [0], &[])]).remove(0);
                let one = ints(dtype, [1], &[1]);
                let with = crate::program::ops::testing::combine(monoid, &one, &Tensor { ty: one.ty.clone(), ..out });
                assert_eq!(with, one, "{monoid:?} {dtype}");
            }
        }
    }

    #[test]
    fn u64_is_unsigned_and_nan_stays() {
        let x = ints(DType::U64, [2], &[-1, 5]);
        assert_eq!(eval(reduce(Monoid::Max, &[0]), &[x]), [ints(DType::U64, [], &[-1])]);
        let x = floats(DType::F32, [3], &[1.0, f64::NAN, 2.0]);
        assert!(eval(reduce(Monoid::Max, &[0]), &[x])[0].get(0).to_f64().is_nan());
    }

    #[test]
    fn long_sums_of_narrow_floats_are_exact() {
        let x = Tensor::splat(Type::new(DType::BF16, [1000]), crate::tensor::Scalar::Float(1.0));
        assert_eq!(eval(reduce(Monoid::Sum, &[0]), &[x])[0].get(0).to_f64(), 1000.0);
    }

    #[test]
    fn mismatches_are_errors() {
        let x = Type::new(DType::F32, [2, 3]);
        assert_eq!(infer_error(reduce(Monoid::Sum, &[2]), &[&x]), "there is no dimension 2 in f32[2, 3]");
        assert_eq!(infer_error(reduce(Monoid::Sum, &[1, 1]), &[&x]), "dimension 1 is named twice");
        assert_eq!(infer_error(reduce(Monoid::Or, &[1]), &[&x]), "or is not defined for f32");
        assert_eq!(infer_error(reduce(Monoid::Or, &[1]), &[]), "takes 1 operand, not 0");
    }

    #[test]
    fn rules_hold() {
        let x = Type::new(DType::F32, [4, 1, 6]);
        let rule = reduce(Monoid::Sum, &[2]).rule(&[&x], &[]);
        assert_eq!(rule.to_string(), "([a,,b])->([a,]) {a=4,b=6} kinds={b:sum} linear=[{0}]");
        for monoid in Monoid::ALL {
            let dtype = if check::monoid_supports(monoid, DType::F64).is_ok() { DType::F64 } else { DType::Bool };
            assert_rule_holds(reduce(monoid, &[1]), &[count_up(dtype, [4, 3, 2])]);
            assert_rule_holds(reduce(monoid, &[0, 2]), &[count_up(dtype, [4, 3, 2])]);
        }
    }
}

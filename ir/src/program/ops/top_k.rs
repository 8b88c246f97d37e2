//! `top_k`: the `k` largest elements of the last dimension in descending order, and their indices.

use crate::dtype::{DType, Type};
use crate::numeric::kernel::Real;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::{Data, Tensor};
use smallvec::smallvec;
use std::cmp::Ordering;

op! {
    /// The `k` largest elements of the last dimension in descending order, and their indices (`i32`). The lowest index
    /// is first on a tie. Floats are in total order: NaN is the largest.
    TopK = "top_k" {
        /// Number of elements.
        "" k: usize,
    }
}

impl TopK {
    /// Returns the indices of the largest elements of each row of `n` elements.
    fn largest<T>(&self, x: &[T], n: usize, compare: impl Fn(&T, &T) -> Ordering) -> Vec<usize> {
        x.chunks_exact(n.max(1))
            .flat_map(|row| {
                let mut order: Vec<usize> = (0..n).collect();
                order.sort_by(|&a, &b| compare(&row[b], &row[a]));
                order.truncate(self.k);
                order
            })
            .collect()
    }
}

impl Operation for TopK {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        let mut shape = x.shape.clone();
        let Some(last) = shape.last_mut() else { return Err("needs a dimension to look along".into()) };
        if self.k > *last {
            return Err(format!("cannot take the {} largest of {last} elements", self.k));
        }
        *last = self.k;
        let values = check::single_result(Type { shape: shape.clone(), dtype: x.dtype })?;
        let indices = check::single_result(Type { shape, dtype: DType::I32 })?;
        Ok(values.into_iter().chain(indices).collect())
    }

    fn class(&self) -> Class<'_> {
        Class::Sorting
    }

    fn rule(&self, args: &[&Type], _: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let outer = args[0].shape.rank() - 1;
        let mut input: DimMap = args[0].shape[..outer].iter().map(|&n| rule.dim(n, FactorKind::PassThrough)).collect();
        let mut output = input.clone();
        input.push(rule.dim(args[0].shape[outer], FactorKind::NeedReplication));
        output.push(rule.dim(self.k, FactorKind::NeedReplication));
        rule.args = smallvec![input];
        rule.outs = smallvec![output.clone(), output];
        rule
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
        let [values, indices] = check::exactly(outs)?;
        let n = x.shape().last().copied().unwrap_or(1);
        let order = match &x.data {
            Data::F64(v) => self.largest(v, n, |a, b| a.total(*b)),
            Data::F32(v) => self.largest(v, n, |a, b| a.total(*b)),
            Data::Int(v) if x.ty.dtype == DType::U64 => self.largest(v, n, |a, b| (*a as u64).cmp(&(*b as u64))),
            Data::Int(v) => self.largest(v, n, i64::cmp),
        };
        let places: Vec<usize> = order.iter().enumerate().map(|(i, &at)| i / self.k * n + at).collect();
        let data = crate::numeric::kernel::on_storage!(&x.data, v => places.iter().map(|&i| v[i]).collect());
        let order = order.into_iter().map(|at| at as i64).collect();
        Ok(vec![Tensor { ty: values.clone(), data }, Tensor::from_ints(indices.clone(), order)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{assert_rule_holds, count_up, eval, floats, infer_error, ints};

    #[test]
    fn finds_the_largest() {
        let x = ints(DType::I32, [2, 4], &[3, 1, 3, 2, -1, 5, 0, 7]);
        let want = [ints(DType::I32, [2, 2], &[3, 3, 7, 5]), ints(DType::I32, [2, 2], &[0, 2, 3, 1])];
        assert_eq!(eval(TopK { k: 2 }, &[x]), want);
        let x = floats(DType::F32, [3], &[1.0, f64::NAN, f64::INFINITY]);
        assert_eq!(eval(TopK { k: 3 }, &[x])[1], ints(DType::I32, [3], &[1, 2, 0]));
        let x = ints(DType::U64, [2], &[5, -1]);
        assert_eq!(eval(TopK { k: 1 }, &[x])[1], ints(DType::I32, [1], &[1]));
        assert_eq!(eval(TopK { k: 0 }, &[count_up(DType::F32, [2, 2])])[0], floats(DType::F32, [2, 0], &[]));
    }

    #[test]
    fn mismatches_are_errors() {
        let x = Type::new(DType::F32, [2, 3]);
        assert_eq!(infer_error(TopK { k: 4 }, &[&x]), "cannot take the 4 largest of 3 elements");
        assert_eq!(infer_error(TopK { k: 0 }, &[&Type::new(DType::F32, [])]), "needs a dimension to look along");
    }

    #[test]
    fn rules_hold() {
        let x = count_up(DType::F64, [4, 6]);
        let op = TopK { k: 2 };
        assert_eq!(
            op.rule(&[&x.ty], &[]).to_string(),
            "([a,b])->([a,c],[a,c]) {a=4,b=6,c=2} kinds={b:need_replication,c:need_replication}"
        );
        assert_rule_holds(op, &[x]);
    }
}

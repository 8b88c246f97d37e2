//! `reshape`: the same elements in row-major order, in another shape.

use crate::dtype::Type;
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::Tensor;
use smallvec::{SmallVec, smallvec};

op! {
    /// The same elements in row-major order, in another shape.
    Reshape = "reshape" {}
}

impl Operation for Reshape {
    fn infer(&self, _: &Program, args: &[&Type], declared: &[&Type]) -> InferResult {
        let [x] = check::exactly(args)?;
        let out = check::declared_one(declared)?;
        if x.dtype != out.dtype {
            return Err(format!("keeps the element type: {x} does not become {out}"));
        }
        let (from, to) = (x.shape.checked_count(), out.shape.checked_count());
        if from.is_none() || from != to {
            let count = |n: Option<usize>| n.map_or("too many".into(), |n| n.to_string());
            return Err(format!("the {} elements of {x} do not fill the {} of {out}", count(from), count(to)));
        }
        check::single_result(out.clone())
    }

    fn class(&self) -> Class<'_> {
        Class::Movement
    }

    /// Matches both shapes from the major end. The common divisor of two dimensions is a factor of both. Where the
    /// dimensions are not divisible (6 x 4 to 4 x 6, after the common 2), the rest cannot be sharded until the products
    /// of both sides are equal again.
    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        let mut rule = Rule::default();
        let (from, to) = (&args[0].shape, &outs[0].shape);
        if from.contains(&0) {
            rule.args = smallvec![from.iter().map(|&n| rule.dim(n, FactorKind::NeedReplication)).collect()];
            rule.outs = smallvec![to.iter().map(|&n| rule.dim(n, FactorKind::NeedReplication)).collect()];
            return rule;
        }
        let (mut left, mut right) = (DimCursor::new(from), DimCursor::new(to));
        while let (Some(a), Some(b)) = (left.rest(), right.rest()) {
            let common = gcd(a, b);
            if left.before == right.before && common > 1 {
                let factor = rule.factor(common, FactorKind::PassThrough);
                left.take(common, factor);
                right.take(common, factor);
            } else {
                let shorter = if left.after(a) <= right.after(b) { &mut left } else { &mut right };
                let rest = shorter.rest().unwrap_or(1);
                let factor = rule.factor(rest, FactorKind::NeedReplication);
                shorter.take(rest, factor);
            }
        }
        for side in [&mut left, &mut right] {
            while let Some(rest) = side.rest() {
                let factor = rule.factor(rest, FactorKind::NeedReplication);
                side.take(rest, factor);
            }
        }
        rule.args = smallvec![left.map];
        rule.outs = smallvec![right.map];
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
        Ok(vec![Tensor { ty: outs[0].clone(), data: x.data.clone() }])
    }
}

/// Dimensions of one of the two shapes, consumed from the major end.
struct DimCursor<'a> {
    shape: &'a [usize],
    map: DimMap,
    /// Current dimension.
    dim: usize,
    /// Product of the factors taken from the current dimension.
    taken: usize,
    /// Product of all factors taken.
    before: usize,
}

impl<'a> DimCursor<'a> {
    fn new(shape: &'a [usize]) -> Self {
        DimCursor { shape, map: smallvec![SmallVec::new(); shape.len()], dim: 0, taken: 1, before: 1 }
    }

    /// Returns the remaining size of the first dimension that is not used up.
    fn rest(&mut self) -> Option<usize> {
        while let Some(&n) = self.shape.get(self.dim) {
            if n > self.taken {
                return Some(n / self.taken);
            }
            self.dim += 1;
            self.taken = 1;
        }
        None
    }

    /// Returns the product of all factors after `rest` more is taken.
    fn after(&self, rest: usize) -> usize {
        self.before.saturating_mul(rest)
    }

    fn take(&mut self, size: usize, factor: crate::rule::FactorId) {
        self.map[self.dim].push(factor);
        self.taken *= size;
        self.before *= size;
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::program::ops::testing::{assert_rule_holds_as, count_up, infer_error_as};

    fn rule(from: &[usize], to: &[usize]) -> String {
        Reshape {}.rule(&[&Type::new(DType::F32, from)], &[&Type::new(DType::F32, to)]).to_string()
    }

    #[test]
    fn dims_are_matched_by_common_products() {
        assert_eq!(rule(&[8, 12], &[96]), "([a,b])->([ab]) {a=8,b=12} linear=[{0}] moves");
        assert_eq!(rule(&[96], &[8, 1, 12]), "([ab])->([a,,b]) {a=8,b=12} linear=[{0}] moves");
        assert_eq!(rule(&[2, 6, 5], &[12, 5]), "([a,b,c])->([ab,c]) {a=2,b=6,c=5} linear=[{0}] moves");
        assert_eq!(rule(&[4, 6], &[8, 3]), "([a,bc])->([ab,c]) {a=4,b=2,c=3} linear=[{0}] moves");
        assert_eq!(rule(&[1], &[]), "([])->([]) {} linear=[{0}] moves");
    }

    #[test]
    fn indivisible_dims_need_replication_until_the_products_are_equal() {
        assert_eq!(
            rule(&[6, 4, 7], &[4, 6, 7]),
            "([ac,d,f])->([ab,e,f]) {a=2,b=2,c=3,d=4,e=6,f=7} kinds={b:need_replication,c:need_replication,d:need_replication,e:need_replication} linear=[{0}] moves"
        );
    }

    #[test]
    fn mismatches_are_errors() {
        let (x, out) = (Type::new(DType::F32, [2, 3]), Type::new(DType::F32, [5]));
        assert_eq!(infer_error_as(Reshape {}, &[&x], &out), "the 6 elements of f32[2, 3] do not fill the 5 of f32[5]");
        let out = Type::new(DType::F32, [usize::MAX, 6]);
        assert!(infer_error_as(Reshape {}, &[&x], &out).contains("too many"));
    }

    /// Returns all shapes of `count` elements with at most `rank` dimensions.
    fn shapes(count: usize, rank: usize) -> Vec<Vec<usize>> {
        if rank == 0 {
            return if count == 1 { vec![vec![]] } else { vec![] };
        }
        let with = |first: usize| {
            let rest = shapes(count / first, rank - 1).into_iter();
            rest.map(move |rest| [&[first], &rest[..]].concat())
        };
        (1..=count).filter(|n| count.is_multiple_of(*n)).flat_map(with).chain(shapes(count, rank - 1)).collect()
    }

    #[test]
    fn rules_hold() {
        let all: Vec<Vec<usize>> = shapes(12, 3).into_iter().chain(shapes(16, 2)).collect();
        for (from, to) in all.iter().flat_map(|from| all.iter().map(move |to| (from, to))) {
            if from.iter().product::<usize>() == to.iter().product::<usize>() {
                let x = count_up(DType::F64, &from[..]);
                assert_rule_holds_as(Reshape {}, &[x], &Type::new(DType::F64, &to[..]));
            }
        }
        assert_rule_holds_as(Reshape {}, &[count_up(DType::F64, [0, 3])], &Type::new(DType::F64, [2, 0]));
    }
}

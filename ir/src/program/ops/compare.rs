//! `compare`: elementwise comparison with a `bool` result.

use crate::dtype::{DType, Type};
use crate::numeric::kernel::{self, Real};
use crate::program::EvalCx;
use crate::program::Program;
use crate::program::class::Class;
use crate::program::op::{EvalResult, InferResult, Interfaces, Operation, op};
use crate::program::ops::check;
use crate::rule::Rule;
use crate::tensor::{Data, Tensor};
use crate::word_attr;
use std::cmp::Ordering;

op! {
    /// Elementwise comparison with a `bool` result.
    Compare = "compare" {
        /// The comparison relation.
        "" direction: Direction,
        /// Compares floats in total order (NaN last, -0 before 0) instead of IEEE order.
        "total" total: bool,
    }
}

/// A comparison relation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Direction {
    /// Equal.
    #[default]
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
}

impl Direction {
    /// All relations.
    pub const ALL: [Direction; 6] =
        [Direction::Eq, Direction::Ne, Direction::Lt, Direction::Le, Direction::Gt, Direction::Ge];

    /// Returns the name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            Direction::Eq => "eq",
            Direction::Ne => "ne",
            Direction::Lt => "lt",
            Direction::Le => "le",
            Direction::Gt => "gt",
            Direction::Ge => "ge",
        }
    }
}
word_attr!(Direction, "a relation (eq, ne, lt, le, gt, ge)", Direction::ALL);

impl Direction {
    /// Returns true if the relation holds for two numbers with the given order. `None` is the order of NaN, for which
    /// only `ne` holds.
    fn holds(self, order: Option<Ordering>) -> bool {
        match self {
            Direction::Eq => order == Some(Ordering::Equal),
            Direction::Ne => order != Some(Ordering::Equal),
            Direction::Lt => order == Some(Ordering::Less),
            Direction::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Direction::Gt => order == Some(Ordering::Greater),
            Direction::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        }
    }

    /// Evaluates the relation on pairs of elements.
    fn test<T: PartialOrd + Copy>(self, x: &[T], y: &[T]) -> Vec<i64> {
        match self {
            Direction::Eq => kernel::zip(x, y, |a, b| i64::from(a == b)),
            Direction::Ne => kernel::zip(x, y, |a, b| i64::from(a != b)),
            Direction::Lt => kernel::zip(x, y, |a, b| i64::from(a < b)),
            Direction::Le => kernel::zip(x, y, |a, b| i64::from(a <= b)),
            Direction::Gt => kernel::zip(x, y, |a, b| i64::from(a > b)),
            Direction::Ge => kernel::zip(x, y, |a, b| i64::from(a >= b)),
        }
    }

    fn test_total<T: Real>(self, x: &[T], y: &[T]) -> Vec<i64> {
        kernel::zip(x, y, |a, b| i64::from(self.holds(Some(a.total(b)))))
    }
}

impl Operation for Compare {
    fn infer(&self, _: &Program, args: &[&Type], _: &[&Type]) -> InferResult {
        let [x, y] = check::exactly(args)?;
        check::same_type(x, y)?;
        check::single_result(Type { shape: x.shape.clone(), dtype: DType::Bool })
    }

    fn class(&self) -> Class<'_> {
        Class::Elementwise
    }

    fn rule(&self, args: &[&Type], outs: &[&Type]) -> Rule {
        Rule::elementwise(&outs[0].shape, args.len())
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
        let [x, y] = check::exactly(args)?;
        let wide = x.ty.dtype == DType::U64;
        let data = match (&x.data, &y.data) {
            (Data::F64(x), Data::F64(y)) if self.total => self.direction.test_total(x, y),
            (Data::F32(x), Data::F32(y)) if self.total => self.direction.test_total(x, y),
            (Data::F64(x), Data::F64(y)) => self.direction.test(x, y),
            (Data::F32(x), Data::F32(y)) => self.direction.test(x, y),
            (Data::Int(x), Data::Int(y)) if wide => {
                kernel::zip(x, y, |a, b| i64::from(self.direction.holds(Some((a as u64).cmp(&(b as u64))))))
            }
            (Data::Int(x), Data::Int(y)) => self.direction.test(x, y),
            _ => return Err(kernel::MIXED_DTYPES_ERROR.into()),
        };
        Ok(vec![Tensor { ty: Type { shape: outs[0].shape.clone(), dtype: DType::Bool }, data: Data::Int(data) }])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::ops::testing::{assert_rule_holds, eval, floats, infer_error, ints};

    fn compare(direction: Direction, total: bool, x: &Tensor, y: &Tensor) -> Vec<i64> {
        let out = eval(Compare { direction, total }, &[x.clone(), y.clone()]).remove(0);
        out.scalars().map(|x| x.to_i64()).collect()
    }

    #[test]
    fn nan_and_zeros_compare_as_ieee_or_in_total_order() {
        let x = floats(DType::F32, [3], &[f64::NAN, -0.0, 1.0]);
        let y = floats(DType::F32, [3], &[f64::NAN, 0.0, f64::NAN]);
        assert_eq!(compare(Direction::Eq, false, &x, &y), [0, 1, 0]);
        assert_eq!(compare(Direction::Ne, false, &x, &y), [1, 0, 1]);
        assert_eq!(compare(Direction::Lt, false, &x, &y), [0, 0, 0]);
        assert_eq!(compare(Direction::Eq, true, &x, &y), [1, 0, 0]);
        assert_eq!(compare(Direction::Lt, true, &x, &y), [0, 1, 1]);
    }

    #[test]
    fn u64_is_unsigned() {
        let (x, y) = (ints(DType::U64, [1], &[-1]), ints(DType::U64, [1], &[1]));
        assert_eq!(compare(Direction::Gt, false, &x, &y), [1]);
        assert_eq!(compare(Direction::Le, false, &x, &y), [0]);
    }

    #[test]
    fn mismatches_are_errors() {
        let (a, b) = (Type::new(DType::F32, [2]), Type::new(DType::F64, [2]));
        let op = Compare { direction: Direction::Eq, total: false };
        assert_eq!(infer_error(op, &[&a, &b]), "operands must have the same type, not f32[2] and f64[2]");
    }

    #[test]
    fn rules_hold() {
        let x = ints(DType::I32, [2, 3], &[1, 2, 3, 4, 5, 6]);
        let y = ints(DType::I32, [2, 3], &[1, 3, 2, 4, 6, 5]);
        for direction in Direction::ALL {
            assert_rule_holds(Compare { direction, total: false }, &[x.clone(), y.clone()]);
        }
    }
}

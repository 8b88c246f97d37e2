//! Comparisons, and positions as numbers.
//!
//! Recogniser: a comparison of other expressions is left unchanged, which makes fewer programs provable, never more.

use super::expr::{Domain, ExprId, Exprs, Factor, Function, IntegerType};
use super::index::{Index, IndexVar};
use super::rational::Rational;
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::ops::{Binary, BinaryOp, Compare, Direction, Unary, UnaryOp};

impl Exprs {
    /// Returns a comparison by `lt`, `le`, `eq` or `ne`.
    pub(super) fn call_compare(&mut self, compare: &Compare, x: ExprId, y: ExprId) -> Option<ExprId> {
        let (direction, x, y) = match compare.direction {
            Direction::Gt => (Direction::Lt, y, x),
            Direction::Ge => (Direction::Le, y, x),
            Direction::Eq | Direction::Ne => (compare.direction, x.min(y), x.max(y)),
            Direction::Lt | Direction::Le => (compare.direction, x, y),
        };
        if let (Some(a), Some(b)) = (self.as_position(x), self.as_position(y)) {
            return self.compare_positions(direction, &a, &b);
        }
        if let Some(truth) = self.compared_truth(direction, x, y).or_else(|| self.compared_truth(direction, y, x)) {
            return Some(truth);
        }
        if let (Some(a), Some(b), false) = (self.as_number(x), self.as_number(y), compare.total) {
            // Unsigned numbers are in the order of their bits.
            let is_unsigned = matches!(self.expr(x).domain, Domain::Integer(IntegerType(dtype)) if dtype == DType::U64);
            let (a, b) = (a.as_int()?, b.as_int()?);
            let order = if is_unsigned { (a as u64).cmp(&(b as u64)) } else { a.cmp(&b) };
            let holds = match direction {
                Direction::Eq => order.is_eq(),
                Direction::Ne => order.is_ne(),
                Direction::Lt => order.is_lt(),
                Direction::Le => order.is_le(),
                Direction::Gt => order.is_gt(),
                Direction::Ge => order.is_ge(),
            };
            return Some(self.int(Domain::boolean(), i64::from(holds)));
        }
        Some(self.opaque_call(Compare { direction, total: compare.total }.into(), DType::Bool, vec![x, y]))
    }

    /// Returns the condition that a position is less than a number.
    pub fn is_position_below(&mut self, position: &Index, number: i64) -> Option<ExprId> {
        self.compare_positions(Direction::Lt, position, &Index::constant(number))
    }

    /// Returns the comparison of a converted truth value with 0.
    fn compared_truth(&mut self, direction: Direction, x: ExprId, y: ExprId) -> Option<ExprId> {
        let Some(Factor::Call(Function { kind: OpKind::Select(_), .. }, args)) = self.as_factor(x) else { return None };
        let &[truth, one, zero] = &args[..] else { return None };
        let is_indicator = self.as_number(one) == Some(Rational::ONE) && self.as_number(zero) == Some(Rational::ZERO);
        if !is_indicator || self.as_number(y) != Some(Rational::ZERO) {
            return None;
        }
        match direction {
            Direction::Ne => Some(truth),
            Direction::Eq => Some(self.call(Unary { op: UnaryOp::Not }.into(), DType::Bool, vec![truth])),
            Direction::Lt | Direction::Le | Direction::Gt | Direction::Ge => None,
        }
    }

    /// Returns a comparison of positions: of their difference with 0, by `le`, `eq` or `ne`.
    fn compare_positions(&mut self, direction: Direction, a: &Index, b: &Index) -> Option<ExprId> {
        let mut difference = b.add(&a.scale(-1));
        if direction == Direction::Lt {
            difference = difference.add(&Index::constant(-1));
        }
        let (low, high) = difference.range();
        let are_equal = if low > 0 || high < 0 { Some(false) } else { (low == high).then_some(true) };
        let domain = Domain::Integer(IntegerType(DType::I64));
        let (direction, known) = match direction {
            Direction::Lt | Direction::Le => {
                (Direction::Le, if low >= 0 { Some(true) } else { (high < 0).then_some(false) })
            }
            Direction::Eq => (direction, are_equal),
            Direction::Ne => (direction, are_equal.map(|equal| !equal)),
            Direction::Gt | Direction::Ge => return None,
        };
        if let Some(known) = known {
            return Some(self.int(Domain::boolean(), i64::from(known)));
        }
        let mut difference_expr = self.position(domain, &difference)?;
        if direction != Direction::Le {
            let negative = self.scale(difference_expr, Rational::MINUS_ONE)?;
            difference_expr = difference_expr.min(negative);
        }
        let zero = self.int(domain, 0);
        let kind = Compare { direction, total: false };
        Some(self.opaque_call(kind.into(), DType::Bool, vec![zero, difference_expr]))
    }

    /// Returns the position that an expression of at least 32 bits is equal to, without wrapping.
    pub(super) fn as_position(&self, expr: ExprId) -> Option<Index> {
        let dtype = match self.expr(expr).domain {
            Domain::Integer(IntegerType(dtype)) => dtype,
            Domain::Real => DType::F64,
        };
        if dtype.bytes() < 4 || !self.expr(expr).guards.is_empty() {
            return None;
        }
        let mut sum = Index::constant(0);
        for (monomial, coefficient) in &self.expr(expr).terms {
            let coefficient = coefficient.as_int().filter(|coefficient| coefficient.abs() < 1 << 30)?;
            let index = match monomial[..] {
                [] => Index::constant(1),
                [(factor, Rational::ONE)] => match self.factor(factor) {
                    Factor::Position(index) => index.clone(),
                    _ => return None,
                },
                _ => return None,
            };
            sum = sum.add(&index.scale(coefficient));
        }
        let (low, high) = sum.range();
        let least = if dtype.is_unsigned() { 0 } else { -(1 << 30) };
        (low >= least && high < 1 << 30).then_some(sum)
    }

    /// Returns the position that an integer is clamped to.
    pub fn dynamic_index(&mut self, expr: ExprId, most: i64) -> Index {
        let is_signed = match self.expr(expr).domain {
            Domain::Integer(IntegerType(dtype)) => !dtype.is_unsigned(),
            Domain::Real => false,
        };
        if most == 0 {
            return Index::constant(0);
        }
        if let Some(number) = self.as_number(expr).and_then(Rational::as_int)
            && (is_signed || number >= 0)
        {
            return Index::constant(number.clamp(0, most));
        }
        if let Some(index) = self.as_position(expr) {
            let (low, high) = index.range();
            if low >= 0 && high <= most {
                return index;
            }
        }
        if let Some(Factor::Call(Function { kind: OpKind::Clamp(_), .. }, args)) = self.as_factor(expr)
            && let &[low, inner, high] = &args[..]
            && is_signed
            && self.as_number(low) == Some(Rational::ZERO)
            && self.as_number(high) == Some(Rational::from_int(most))
        {
            return self.dynamic_index(inner, most);
        }
        Index::from(IndexVar::Dynamic(expr, most))
    }

    /// Returns the condition that an integer is from 0 to `most`.
    pub fn is_in_range(&mut self, expr: ExprId, most: i64) -> ExprId {
        let domain = self.expr(expr).domain;
        let bounds = match self.as_factor(expr).cloned() {
            Some(Factor::Call(Function { kind: OpKind::Clamp(_), .. }, args)) => {
                let bound = |id: ExprId| self.as_number(id).and_then(Rational::as_int);
                bound(args[0]).zip(bound(args[2]))
            }
            _ => self.as_position(expr).map(|index| index.range()),
        };
        let is_signed = !matches!(domain, Domain::Integer(IntegerType(dtype)) if dtype.is_unsigned());
        if bounds.is_some_and(|(low, high)| low >= 0 && high <= most && is_signed) {
            return self.int(Domain::boolean(), 1);
        }
        let (zero, most) = (self.int(domain, 0), self.int(domain, most));
        let at_most = |direction| OpKind::from(Compare { direction, total: false });
        let above = self.call(at_most(Direction::Le), DType::Bool, vec![zero, expr]);
        let below = self.call(at_most(Direction::Le), DType::Bool, vec![expr, most]);
        self.call(Binary { op: BinaryOp::And }.into(), DType::Bool, vec![above, below])
    }
}

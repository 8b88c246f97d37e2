//! Elementwise ops on expressions.
//!
//! Recogniser: an op or operand in another form is left unchanged, which makes fewer programs provable, never more.

use super::expr::{Domain, ExprId, Exprs, Factor, Function, IntegerType};
use super::masks::VisibleRows;
use super::rational::Rational;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Binary, BinaryOp, Compare, Direction, Select, Unary, UnaryOp};

/// The lowest finite `f32` and `bf16` numbers are at most this, as are those of wider types. A maximum with such a
/// number is the other operand.
const LOWEST: f64 = -3.38e38;

impl Exprs {
    /// Returns the result of an elementwise op with results of type `out`.
    pub fn call(&mut self, kind: OpKind, out: DType, args: Vec<ExprId>) -> ExprId {
        let simple = match (&kind, &args[..]) {
            (OpKind::Unary(unary), &[x]) => self.call_unary(unary.op, x),
            (OpKind::Binary(binary), &[x, y]) => self.call_binary(binary.op, out, x, y),
            (OpKind::Compare(compare), &[x, y]) => self.call_compare(compare, x, y),
            (OpKind::Select(_), &[condition, x, y]) => self.call_select(condition, x, y),
            (OpKind::Clamp(_), &[low, x, high]) if out.is_float() => {
                let raised = self.call(Binary { op: BinaryOp::Max }.into(), out, vec![x, low]);
                Some(self.call(Binary { op: BinaryOp::Min }.into(), out, vec![raised, high]))
            }
            (OpKind::Clamp(_), &[low, x, high]) => self.clamped_int(low, x, high),
            (OpKind::Convert(_), &[x]) => self.converted(x, out),
            _ => None,
        };
        simple.unwrap_or_else(|| self.opaque_call(kind, out, args))
    }

    /// Returns an elementwise op as a factor.
    pub(super) fn opaque_call(&mut self, kind: OpKind, out: DType, args: Vec<ExprId>) -> ExprId {
        // Floats are real numbers, whose width matters to these ops only.
        let depends_on_width = matches!(&kind, OpKind::Binary(Binary { op: BinaryOp::NextAfter }) | OpKind::Bitcast(_));
        let out = if out.is_float() && !depends_on_width { DType::F64 } else { out };
        self.from_factor(Domain::from_dtype(out), Factor::Call(Function { kind, out }, args))
    }

    fn call_unary(&mut self, op: UnaryOp, x: ExprId) -> Option<ExprId> {
        let domain = self.expr(x).domain;
        if op == UnaryOp::Neg {
            return self.scale(x, Rational::MINUS_ONE);
        }
        if op == UnaryOp::Not && domain == Domain::boolean() {
            return self.negated(x);
        }
        if domain != Domain::Real {
            return None;
        }
        let one = self.int(domain, 1);
        match op {
            UnaryOp::Exp => self.exp(x),
            UnaryOp::Expm1 => {
                let exp = self.exp(x)?;
                self.sub(exp, one)
            }
            UnaryOp::Log => self.log_without_call(x),
            UnaryOp::Log1p => {
                let sum = self.add(x, one)?;
                Some(self.call(Unary { op: UnaryOp::Log }.into(), DType::F64, vec![sum]))
            }
            UnaryOp::Sqrt => self.square_root(x, 1),
            UnaryOp::Rsqrt => self.square_root(x, -1),
            UnaryOp::Reciprocal => self.reciprocal(x),
            UnaryOp::Relu => {
                let zero = self.int(domain, 0);
                Some(self.call(Binary { op: BinaryOp::Max }.into(), DType::F64, vec![x, zero]))
            }
            UnaryOp::Sigmoid => {
                let negative = self.scale(x, Rational::MINUS_ONE)?;
                let exp = self.exp(negative)?;
                let sum = self.add(one, exp)?;
                self.power(sum, -1)
            }
            UnaryOp::StopGradient => Some(x),
            UnaryOp::Abs if self.is_nonnegative(x) => Some(x),
            UnaryOp::Erfc => {
                let erf = self.call(Unary { op: UnaryOp::Erf }.into(), DType::F64, vec![x]);
                self.sub(one, erf)
            }
            UnaryOp::Tanh | UnaryOp::Erf | UnaryOp::Sin | UnaryOp::Sinh | UnaryOp::Atan | UnaryOp::Asinh => {
                self.odd_function(op, x)
            }
            UnaryOp::Abs | UnaryOp::Cos | UnaryOp::Cosh => self.even_function(op, x),
            UnaryOp::Neg
            | UnaryOp::Sign
            | UnaryOp::Floor
            | UnaryOp::Ceil
            | UnaryOp::Round
            | UnaryOp::RoundEven
            | UnaryOp::Cbrt
            | UnaryOp::Tan
            | UnaryOp::Asin
            | UnaryOp::Acos
            | UnaryOp::Acosh
            | UnaryOp::Atanh
            | UnaryOp::ErfInv
            | UnaryOp::Lgamma
            | UnaryOp::Digamma
            | UnaryOp::Not
            | UnaryOp::PopCount
            | UnaryOp::CountLeadingZeros
            | UnaryOp::IsFinite
            | UnaryOp::IsNan
            | UnaryOp::IsInf => None,
        }
    }

    /// Returns the negation of a truth value.
    fn negated(&mut self, x: ExprId) -> Option<ExprId> {
        if let Some(truth) = self.as_number(x) {
            return Some(self.int(Domain::boolean(), i64::from(truth.is_zero())));
        }
        let Some(Factor::Call(function, args)) = self.as_factor(x).cloned() else { return None };
        match (&function.kind, &args[..]) {
            (OpKind::Unary(Unary { op: UnaryOp::Not }), &[x]) => Some(x),
            // In two's complement, `x >= 0` is false where `-x - 1 >= 0`.
            (OpKind::Compare(Compare { direction: Direction::Le, .. }), &[zero, x])
                if self.expr(x).domain == Domain::Integer(IntegerType(DType::I64))
                    && self.as_number(zero) == Some(Rational::ZERO) =>
            {
                let negative = self.scale(x, Rational::MINUS_ONE)?;
                let difference = self.sub(negative, zero)?;
                let one = self.int(self.expr(x).domain, 1);
                let difference = self.sub(difference, one)?;
                Some(self.opaque_call(function.kind, DType::Bool, vec![zero, difference]))
            }
            _ => None,
        }
    }

    /// Returns the logarithm if it differs from the op on `x`.
    fn log_without_call(&mut self, x: ExprId) -> Option<ExprId> {
        let has_exponential = match &self.expr(x).terms[..] {
            [(monomial, _)] => monomial.iter().any(|(factor, _)| matches!(self.factor(*factor), Factor::Exp(_))),
            _ => false,
        };
        let is_special = has_exponential || self.as_number(x) == Some(Rational::ONE);
        if is_special || !self.expr(x).guards.is_empty() { self.log(x) } else { None }
    }

    /// Returns true if the first coefficient is negative.
    fn is_first_negative(&self, x: ExprId) -> bool {
        self.expr(x).terms.first().is_some_and(|(_, coefficient)| coefficient.is_negative())
    }

    fn odd_function(&mut self, op: UnaryOp, x: ExprId) -> Option<ExprId> {
        if !self.is_first_negative(x) || !self.expr(x).guards.is_empty() {
            return None;
        }
        let negative = self.scale(x, Rational::MINUS_ONE)?;
        let result = self.opaque_call(Unary { op }.into(), DType::F64, vec![negative]);
        self.scale(result, Rational::MINUS_ONE)
    }

    fn even_function(&mut self, op: UnaryOp, x: ExprId) -> Option<ExprId> {
        if !self.is_first_negative(x) || !self.expr(x).guards.is_empty() {
            return None;
        }
        let negative = self.scale(x, Rational::MINUS_ONE)?;
        Some(self.opaque_call(Unary { op }.into(), DType::F64, vec![negative]))
    }

    fn call_binary(&mut self, op: BinaryOp, out: DType, x: ExprId, y: ExprId) -> Option<ExprId> {
        let domain = self.expr(x).domain;
        if domain == Domain::boolean() {
            return match op {
                BinaryOp::And | BinaryOp::Mul | BinaryOp::Min => self.connective(BinaryOp::And, x, y),
                BinaryOp::Or | BinaryOp::Max => self.connective(BinaryOp::Or, x, y),
                _ => None,
            };
        }
        match op {
            BinaryOp::Add => self.add(x, y),
            BinaryOp::Sub => self.sub(x, y),
            BinaryOp::Mul => self.mul(x, y),
            BinaryOp::Div if domain == Domain::Real => {
                let inverse = self.reciprocal(y)?;
                self.mul(x, inverse)
            }
            BinaryOp::Pow if domain == Domain::Real => {
                let exponent = self.as_number(y)?;
                match exponent.as_int() {
                    Some(exponent) if exponent.abs() <= 8 => self.power(x, exponent),
                    None if exponent == Rational::HALF => self.square_root(x, 1),
                    None if exponent.checked_mul(Rational::MINUS_ONE)? == Rational::HALF => self.square_root(x, -1),
                    Some(_) | None => None,
                }
            }
            BinaryOp::Max | BinaryOp::Min => self.extremum(op, out, x, y),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor if x > y => {
                Some(self.opaque_call(Binary { op }.into(), out, vec![y, x]))
            }
            BinaryOp::Div
            | BinaryOp::Pow
            | BinaryOp::Rem
            | BinaryOp::Atan2
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
            | BinaryOp::ShiftRightLogical
            | BinaryOp::NextAfter => None,
        }
    }

    /// Returns the conjunction or disjunction of truth values: a set of operands.
    fn connective(&mut self, op: BinaryOp, x: ExprId, y: ExprId) -> Option<ExprId> {
        let kind = OpKind::from(Binary { op });
        let mut operands = Vec::new();
        for operand in [x, y] {
            match self.as_factor(operand) {
                Some(Factor::Call(function, args)) if function.kind == kind => operands.extend(args.iter().copied()),
                _ => operands.push(operand),
            }
        }
        operands.sort_unstable();
        operands.dedup();
        let is_and = op == BinaryOp::And;
        let neutral = self.int(Domain::boolean(), i64::from(is_and));
        let absorbing = self.int(Domain::boolean(), i64::from(!is_and));
        operands.retain(|&operand| operand != neutral);
        Some(match operands[..] {
            [] => neutral,
            [one] => one,
            _ if operands.contains(&absorbing) => absorbing,
            _ => self.opaque_call(kind, DType::Bool, operands),
        })
    }

    /// Returns the maximum or minimum: a set of operands.
    fn extremum(&mut self, op: BinaryOp, out: DType, x: ExprId, y: ExprId) -> Option<ExprId> {
        if x == y {
            return Some(x);
        }
        let kind = OpKind::from(Binary { op });
        let mut operands = Vec::new();
        for operand in [x, y] {
            match self.as_factor(operand) {
                Some(Factor::Call(function, args)) if function.kind == kind => operands.extend(args.iter().copied()),
                _ => operands.push(operand),
            }
        }
        operands.sort_unstable();
        operands.dedup();
        if out.is_float() {
            let absorbing = if op == BinaryOp::Max { f64::INFINITY } else { f64::NEG_INFINITY };
            if let Some(&infinite) = operands.iter().find(|&&operand| self.as_float(operand) == Some(absorbing)) {
                return Some(infinite);
            }
            let is_neutral = |exprs: &Exprs, operand: ExprId| {
                let number = exprs.as_float(operand);
                number.is_some_and(|number| if op == BinaryOp::Max { number < LOWEST } else { number > -LOWEST })
            };
            let others: Vec<ExprId> = operands.iter().copied().filter(|&operand| !is_neutral(self, operand)).collect();
            if !others.is_empty() {
                operands = others;
            }
            if let (BinaryOp::Max, &[a, b]) = (op, &operands[..]) {
                for (sum, bound) in [(a, b), (b, a)] {
                    let bound = self.as_float(bound).filter(|bound| *bound <= 1.0);
                    if bound.is_some() && matches!(self.shifted_exponentials(sum), Some(VisibleRows::All)) {
                        return Some(sum);
                    }
                    if bound.is_some_and(|bound| bound <= 0.0) && self.is_variance(sum) {
                        return Some(sum);
                    }
                }
            }
        }
        match operands[..] {
            [one] => Some(one),
            _ => Some(self.opaque_call(kind, out, operands)),
        }
    }

    /// Returns true for `a sum x^2 - b (sum x)^2` over `n` elements where `a >= n b`: this is not negative, by the
    /// Cauchy-Schwarz inequality.
    fn is_variance(&mut self, expr: ExprId) -> bool {
        let mut squares = None;
        let mut square = None;
        for (monomial, coefficient) in self.expr(expr).terms.clone() {
            let [(factor, power)] = monomial[..] else { return false };
            let Factor::Reduce(Monoid::Sum, vars, body) = self.factor(factor).clone() else { return false };
            match power.as_int() {
                Some(1) => squares = Some((vars, body, coefficient)),
                Some(2) => square = Some((vars, body, coefficient)),
                Some(_) | None => return false,
            }
        }
        let (Some((vars, body, a)), Some((other_vars, root, b))) = (squares, square) else { return false };
        let count =
            vars.iter().try_fold(Rational::ONE, |count, (_, size)| count.checked_mul(Rational::from_int(*size)));
        let excess = count.and_then(|count| b.checked_mul(count)).and_then(|b| a.checked_add(b));
        vars == other_vars && self.power(root, 2) == Some(body) && excess.is_some_and(|excess| !excess.is_negative())
    }

    /// Returns the rows of `sum exp(x - max x)` in which the sum is at least 1; it is 0 in the others. `None` for
    /// another expression.
    pub(super) fn shifted_exponentials(&mut self, expr: ExprId) -> Option<VisibleRows> {
        let [(monomial, Rational::ONE)] = &self.expr(expr).terms[..] else { return None };
        let (mut sums, mut shift) = (Vec::new(), self.expr(expr).terms[0].0.clone());
        for &(factor, power) in monomial {
            match self.factor(factor) {
                Factor::Reduce(Monoid::Sum, ..) if power == Rational::ONE => sums.push(factor),
                Factor::Exp(_) => {}
                Factor::Element(..)
                | Factor::Position(_)
                | Factor::Float(_)
                | Factor::Paren(_)
                | Factor::Call(..)
                | Factor::Reduce(..) => return None,
            }
        }
        let [sum] = sums[..] else { return None };
        shift.retain(|(factor, _)| *factor != sum);
        let shift = self.from_monomial(Domain::Real, shift);
        let largest = self.log(shift).and_then(|shift| self.scale(shift, Rational::MINUS_ONE))?;
        let Some(Factor::Reduce(Monoid::Max, vars, body)) = self.as_factor(largest).cloned() else { return None };
        let total = self.exp(body).and_then(|exp| self.reduce(Monoid::Sum, vars, exp));
        let expected = self.from_monomial(Domain::Real, [(sum, Rational::ONE)].into_iter().collect());
        let Factor::Reduce(_, vars, body) = self.factor(sum).clone() else { return None };
        (total == Some(expected)).then(|| self.visible_rows(&vars, body))
    }

    fn call_select(&mut self, condition: ExprId, x: ExprId, y: ExprId) -> Option<ExprId> {
        match self.as_number(condition) {
            Some(truth) => return Some(if truth.is_zero() { y } else { x }),
            None if x == y => return Some(x),
            None => {}
        }
        if let Some(Factor::Call(Function { kind: OpKind::Unary(Unary { op: UnaryOp::Not }), .. }, args)) =
            self.as_factor(condition)
            && let &[condition] = &args[..]
        {
            return self.call_select(condition, y, x);
        }
        let (zero, one) = (Some(Rational::ZERO), Some(Rational::ONE));
        if self.expr(x).domain == Domain::boolean() {
            let (yes, no) = (self.as_number(x), self.as_number(y));
            let otherwise =
                |exprs: &mut Exprs| exprs.call(Unary { op: UnaryOp::Not }.into(), DType::Bool, vec![condition]);
            match (yes, no) {
                _ if no == zero => return self.connective(BinaryOp::And, condition, x),
                _ if yes == one => return self.connective(BinaryOp::Or, condition, y),
                _ if yes == zero => {
                    let otherwise = otherwise(self);
                    return self.connective(BinaryOp::And, otherwise, y);
                }
                _ if no == one => {
                    let otherwise = otherwise(self);
                    return self.connective(BinaryOp::Or, otherwise, x);
                }
                _ => {}
            }
        }
        // A NaN for a false condition is a guard.
        if self.is_nan(y) && self.expr(x).domain == Domain::Real && self.as_float(x).is_none_or(f64::is_finite) {
            return Some(self.with_guards(x, vec![condition]));
        }
        Some(self.opaque_select(condition, x, y))
    }

    fn opaque_select(&mut self, condition: ExprId, x: ExprId, y: ExprId) -> ExprId {
        let out = match self.expr(x).domain {
            Domain::Real => DType::F64,
            Domain::Integer(IntegerType(dtype)) => dtype,
        };
        self.opaque_call(Select {}.into(), out, vec![condition, x, y])
    }

    fn clamped_int(&mut self, low: ExprId, x: ExprId, high: ExprId) -> Option<ExprId> {
        let (least, number, most) = (self.as_number(low)?, self.as_number(x)?, self.as_number(high)?);
        let domain = self.expr(x).domain;
        if domain == Domain::Integer(IntegerType(DType::U64)) {
            return None;
        }
        let (least, number, most) = (least.as_int()?, number.as_int()?, most.as_int()?);
        Some(self.int(domain, number.max(least).min(most)))
    }

    /// Returns 1 if a condition is true, else 0.
    pub fn indicator(&mut self, domain: Domain, condition: ExprId) -> ExprId {
        let (one, zero) = (self.int(domain, 1), self.int(domain, 0));
        match self.as_number(condition) {
            Some(truth) => {
                if truth.is_zero() {
                    zero
                } else {
                    one
                }
            }
            None => self.opaque_select(condition, one, zero),
        }
    }

    /// Returns a conversion. Conversions between floats are identities.
    fn converted(&mut self, x: ExprId, out: DType) -> Option<ExprId> {
        let (from, to) = (self.expr(x).domain, Domain::from_dtype(out));
        if from == to {
            return Some(x);
        }
        match from {
            Domain::Integer(IntegerType(dtype)) if dtype != DType::U64 && dtype != DType::Bool => {
                if let Some(number) = self.as_number(x) {
                    return if out == DType::Bool { None } else { self.number(to, number) };
                }
                let index = self.as_position(x).filter(|_| out.bytes() >= 4)?;
                if out.is_unsigned() && index.range().0 < 0 { None } else { self.position(to, &index) }
            }
            Domain::Integer(IntegerType(DType::Bool)) => Some(self.indicator(to, x)),
            Domain::Integer(_) | Domain::Real => None,
        }
    }
}

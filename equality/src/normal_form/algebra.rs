//! Arithmetic on expressions: sums, products, powers, exponentials and logarithms.
//!
//! Recogniser: an expression in another form is left unchanged, which makes fewer programs provable, never more.

use super::expr::{Boundedness, Domain, Expr, ExprId, Exprs, Factor, FactorId, Monomial};
use super::rational::Rational;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Unary, UnaryOp};

/// Maximum number of monomials of an expanded product. Larger products are left in parentheses.
const MAX_EXPANSION: usize = 64;

/// Largest exponent of an expression that is expanded.
const MAX_EXPANDED_POWER: i64 = 3;

impl Exprs {
    /// Returns the sum. `None` if it has no normal form.
    pub fn add(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.bounds(a).max(self.bounds(b)) == Boundedness::Unknown {
            return None;
        }
        let mut sum = self.expr(a).clone();
        let other = self.expr(b).clone();
        for (monomial, coefficient) in other.terms {
            match sum.terms.iter_mut().find(|(known, _)| *known == monomial) {
                Some((_, known)) => *known = sum.domain.wrap(known.checked_add(coefficient)?)?,
                None => sum.terms.push((monomial, coefficient)),
            }
        }
        sum.guards.extend(other.guards);
        Some(self.add_expr(sum))
    }

    /// Returns the product with a number.
    pub fn scale(&mut self, expr: ExprId, by: Rational) -> Option<ExprId> {
        if by == Rational::ONE {
            return Some(expr);
        }
        let is_positive = !by.is_negative() && !by.is_zero();
        if self.bounds(expr) > (if is_positive { Boundedness::MayBeNegativeInfinity } else { Boundedness::Finite }) {
            return None;
        }
        let mut product = self.expr(expr).clone();
        for (_, coefficient) in &mut product.terms {
            *coefficient = product.domain.wrap(coefficient.checked_mul(by)?)?;
        }
        Some(self.add_expr(product))
    }

    /// Returns the difference.
    pub fn sub(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let negative = self.scale(b, Rational::MINUS_ONE)?;
        self.add(a, negative)
    }

    /// Returns the product.
    pub fn mul(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        for (number, other) in [(a, b), (b, a)] {
            if let Some(number) = self.as_number(number) {
                return self.scale(other, number);
            }
        }
        if !self.is_finite(a) || !self.is_finite(b) {
            return None;
        }
        let (a, b) = (self.cancelled(a, b)?, self.cancelled(b, a)?);
        if a.1 || b.1 {
            return self.mul(a.0, b.0);
        }
        let (mut a, mut b) = (a.0, b.0);
        if self.expr(a).terms.len() * self.expr(b).terms.len() > MAX_EXPANSION {
            (a, b) = (self.in_parentheses(a)?, self.in_parentheses(b)?);
        }
        let (left, right) = (self.expr(a).clone(), self.expr(b).clone());
        let domain = left.domain;
        let mut product = self.int(domain, 0);
        for (x, p) in &left.terms {
            for (y, q) in &right.terms {
                let term = self.mul_monomials(domain, x, y)?;
                let term = self.scale(term, domain.wrap(p.checked_mul(*q)?)?)?;
                product = self.add(product, term)?;
            }
        }
        let mut product = self.expr(product).clone();
        product.guards.extend(left.guards.into_iter().chain(right.guards));
        Some(self.add_expr(product))
    }

    /// If `a` has several monomials and `b` is a monomial that is divided by `a`, returns 1 and true instead of `a`;
    /// the caller removes the divisor from `b` by the same function with swapped operands.
    fn cancelled(&mut self, a: ExprId, b: ExprId) -> Option<(ExprId, bool)> {
        let divides = |monomial: &Monomial, base: FactorId| {
            let is_divisor = |power: &Rational| power.is_negative() && power.as_int().is_some();
            monomial.iter().position(|(factor, power)| *factor == base && is_divisor(power))
        };
        if self.expr(a).terms.len() > 1 && self.expr(b).terms.len() == 1 {
            let (_, base) = self.primitive_part(a)?;
            let base = self.add_factor(Factor::Paren(base));
            let monomial = self.expr(b).terms[0].0.clone();
            if divides(&monomial, base).is_some() {
                let one = self.int(self.expr(a).domain, 1);
                let guards = self.expr(a).guards.clone();
                let (coefficient, _) = self.primitive_part(a)?;
                let one = self.scale(one, coefficient)?;
                let one = self.with_guards(one, guards);
                return Some((one, true));
            }
        }
        if self.expr(b).terms.len() > 1 && self.expr(a).terms.len() == 1 {
            let (_, base) = self.primitive_part(b)?;
            let base = self.add_factor(Factor::Paren(base));
            let mut expr = self.expr(a).clone();
            if let Some(at) = divides(&expr.terms[0].0, base) {
                let power = expr.terms[0].0[at].1.checked_add(Rational::ONE)?;
                if power.is_zero() {
                    expr.terms[0].0.remove(at);
                } else {
                    expr.terms[0].0[at].1 = power;
                }
                return Some((self.add_expr(expr), true));
            }
        }
        Some((a, false))
    }

    /// Returns the expression with additional guards, except for those that are always true.
    pub fn with_guards(&mut self, expr: ExprId, mut guards: Vec<ExprId>) -> ExprId {
        guards.retain(|&guard| self.as_number(guard) != Some(Rational::ONE));
        if guards.is_empty() {
            return expr;
        }
        let mut expr = self.expr(expr).clone();
        expr.guards.extend(guards);
        self.add_expr(expr)
    }

    /// Returns an expression as a single monomial, with parentheses around a sum.
    fn in_parentheses(&mut self, expr: ExprId) -> Option<ExprId> {
        if self.expr(expr).terms.len() < 2 {
            return Some(expr);
        }
        let (domain, guards) = (self.expr(expr).domain, self.expr(expr).guards.clone());
        let (coefficient, base) = self.primitive_part(expr)?;
        let product = self.from_factor(domain, Factor::Paren(base));
        let product = self.scale(product, coefficient)?;
        Some(self.with_guards(product, guards))
    }

    /// Returns a sum without guards and with a first coefficient of 1, and the number that the sum is multiplied by. In
    /// a domain of integers the number is 1.
    fn primitive_part(&mut self, expr: ExprId) -> Option<(Rational, ExprId)> {
        let mut expr = self.expr(expr).clone();
        expr.guards.clear();
        let coefficient = match (expr.domain, expr.terms.first()) {
            (Domain::Real, Some((_, coefficient))) => *coefficient,
            _ => Rational::ONE,
        };
        let base = self.add_expr(expr);
        Some((coefficient, self.scale(base, coefficient.reciprocal()?)?))
    }

    /// Returns the product of monomials. Powers of sums that became small positive integers are expanded.
    fn mul_monomials(&mut self, domain: Domain, a: &Monomial, b: &Monomial) -> Option<ExprId> {
        let mut product = a.clone();
        for &(factor, power) in b {
            match product.binary_search_by_key(&factor, |(known, _)| *known) {
                Ok(at) => product[at].1 = product[at].1.checked_add(power)?,
                Err(at) => product.insert(at, (factor, power)),
            }
        }
        for (factor, power) in &mut product {
            let is_higher_power = power.as_int().is_some_and(|power| power > 1);
            if is_higher_power && self.is_zero_or_one(*factor) {
                *power = Rational::ONE;
            }
        }
        product.retain(|(_, power)| !power.is_zero());
        self.drop_implied_indicators(&mut product);
        self.work += 1;
        let was_fraction = |factor: FactorId| {
            let fraction = |m: &Monomial| m.iter().any(|(f, power)| *f == factor && power.as_int().is_none());
            fraction(a) || fraction(b)
        };
        // The square of a square root is the radicand.
        let root = product.iter().position(|&(factor, power)| {
            matches!(self.factor(factor), Factor::Paren(_)) && power.as_int().is_some() && was_fraction(factor)
        });
        let Some(root) = root else { return Some(self.from_monomial(domain, product)) };
        let (factor, power) = product.remove(root);
        let (&Factor::Paren(base), Some(power)) = (self.factor(factor), power.as_int()) else { return None };
        let rest = self.from_monomial(domain, product);
        let power = self.power(base, power)?;
        self.mul(rest, power)
    }

    /// Returns an integer power.
    pub fn power(&mut self, base: ExprId, exponent: i64) -> Option<ExprId> {
        if exponent == 1 {
            return Some(base);
        }
        if !self.is_finite(base) {
            return None;
        }
        if exponent == 0 {
            return Some(self.int(self.expr(base).domain, 1));
        }
        let expr = self.expr(base).clone();
        let guards = expr.guards.clone();
        if exponent > 1 && exponent <= MAX_EXPANDED_POWER && expr.terms.len() > 1 {
            let rest = self.power(base, exponent - 1)?;
            return self.mul(base, rest);
        }
        let (coefficient, monomial) = match &expr.terms[..] {
            [] => return None,
            [(monomial, coefficient)] => (*coefficient, monomial.clone()),
            _ => {
                let (coefficient, base) = self.primitive_part(base)?;
                (coefficient, Monomial::from_slice(&[(self.add_factor(Factor::Paren(base)), Rational::ONE)]))
            }
        };
        if expr.domain != Domain::Real && exponent < 0 {
            return None;
        }
        let exponent_number = Rational::from_int(exponent);
        let mut power = Monomial::new();
        for (factor, by) in monomial {
            power.push((factor, by.checked_mul(exponent_number)?));
        }
        let one = Monomial::new();
        let power = self.mul_monomials(expr.domain, &power, &one)?;
        let power = self.scale(power, expr.domain.wrap(coefficient.power(exponent)?)?)?;
        Some(self.with_guards(power, guards))
    }

    /// Returns the reciprocal of a divisor, which is NaN where a sum of masked exponentials is 0.
    pub fn reciprocal(&mut self, divisor: ExprId) -> Option<ExprId> {
        if let Some(inverse) = self.inverse_of_clamped_sum(divisor) {
            return Some(inverse);
        }
        let inverse = self.power(divisor, -1)?;
        self.with_visible_rows(divisor, inverse)
    }

    /// Returns the square root raised to 1 or -1.
    pub fn square_root(&mut self, expr: ExprId, exponent: i64) -> Option<ExprId> {
        if !self.is_finite(expr) || self.expr(expr).terms.is_empty() {
            return None;
        }
        if let Some(root) = self.as_number(expr).and_then(Rational::square_root) {
            return self.number(Domain::Real, root.power(exponent)?);
        }
        let mut base = self.expr(expr).clone();
        let guards = std::mem::take(&mut base.guards);
        let base = self.add_expr(base);
        let root = self.add_factor(Factor::Paren(base));
        let power = if exponent < 0 { Rational::HALF.checked_mul(Rational::MINUS_ONE)? } else { Rational::HALF };
        let root = self.from_monomial(Domain::Real, Monomial::from_slice(&[(root, power)]));
        Some(self.with_guards(root, guards))
    }

    /// Returns the exponential: the product of the exponentials of all monomials.
    pub fn exp(&mut self, expr: ExprId) -> Option<ExprId> {
        if self.bounds(expr) == Boundedness::Unknown {
            return None;
        }
        let Expr { terms, guards, .. } = self.expr(expr).clone();
        let mut product = self.int(Domain::Real, 1);
        for (monomial, coefficient) in terms {
            let power = match self.masked_exp(&monomial, coefficient) {
                Some(masked) => masked,
                None => {
                    let factor = self.add_factor(Factor::Exp(monomial));
                    self.from_monomial(Domain::Real, Monomial::from_slice(&[(factor, coefficient)]))
                }
            };
            product = self.mul(product, power)?;
        }
        Some(self.with_guards(product, guards))
    }

    /// Returns the logarithm, in which exponentials are summands.
    pub fn log(&mut self, expr: ExprId) -> Option<ExprId> {
        let Expr { terms, guards, .. } = self.expr(expr).clone();
        let (mut sum, mut rest) = (self.int(Domain::Real, 0), expr);
        if let [(monomial, coefficient)] = &terms[..] {
            let (exponentials, others): (Monomial, Monomial) =
                monomial.iter().copied().partition(|(factor, _)| matches!(self.factor(*factor), Factor::Exp(_)));
            for (factor, power) in exponentials {
                let Factor::Exp(exponent) = self.factor(factor).clone() else { return None };
                let exponent = self.from_monomial(Domain::Real, exponent);
                let exponent = self.scale(exponent, power)?;
                sum = self.add(sum, exponent)?;
            }
            rest = self.from_monomial(Domain::Real, others);
            rest = self.scale(rest, *coefficient)?;
        } else {
            rest = self.without_guards(rest);
        }
        if self.as_number(rest) != Some(Rational::ONE) {
            let log = self.call(Unary { op: UnaryOp::Log }.into(), DType::F64, vec![rest]);
            sum = self.add(sum, log)?;
        }
        Some(self.with_guards(sum, guards))
    }

    /// Returns the expression without its guards.
    pub fn without_guards(&mut self, expr: ExprId) -> ExprId {
        let mut expr = self.expr(expr).clone();
        expr.guards.clear();
        self.add_expr(expr)
    }

    /// Returns true if an expression of finite numbers is not negative, by its form.
    pub fn is_nonnegative(&self, expr: ExprId) -> bool {
        let is_even = |power: &Rational| power.as_int().is_some_and(|power| power % 2 == 0);
        self.expr(expr).terms.iter().all(|(monomial, coefficient)| {
            !coefficient.is_negative()
                && monomial.iter().all(|(factor, power)| match self.factor(*factor) {
                    _ if is_even(power) => true,
                    Factor::Exp(_) => true,
                    Factor::Paren(base) => power.as_int().is_none() || self.is_nonnegative(*base),
                    Factor::Reduce(Monoid::Sum | Monoid::Max | Monoid::Min | Monoid::Prod, _, body) => {
                        self.is_nonnegative(*body)
                    }
                    Factor::Call(function, _) => {
                        matches!(&function.kind, OpKind::Unary(Unary { op: UnaryOp::Abs }))
                    }
                    Factor::Element(..) | Factor::Position(_) | Factor::Float(_) | Factor::Reduce(..) => false,
                })
        })
    }
}

//! Masked scores: exponentials that are 0 for some elements.
//!
//! The reciprocal of a sum of masked exponentials is NaN if all elements of the row are masked, and is modelled by a
//! guard. Attention, which is 0 in such rows, clamps the sum from below.
//!
//! Recogniser: a mask in another form is left unchanged, which makes fewer programs provable, never more.

use super::expr::{Boundedness, Domain, ExprId, Exprs, Factor, FactorId, Function, Monomial};
use super::index::{Index, IndexVar};
use super::rational::Rational;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Binary, BinaryOp, Compare, Direction, Select, Unary, UnaryOp};

/// Scores of at most this are masked out: their exponentials are 0, as in `f32` and `f64`.
const MAX_MASKED_SCORE: f64 = -1e4;

/// Rows of a sum of exponentials that have an unmasked element.
pub(super) enum VisibleRows {
    /// All rows.
    All,
    /// Rows that satisfy a condition.
    If(ExprId),
    /// Not known.
    Unknown,
}

impl Exprs {
    /// Returns the exponential of a masked score `select(c, x, -inf)`: that of `x`, times 1 or 0. Scores of at most
    /// [`MAX_MASKED_SCORE`] have the exponential 0.
    pub(super) fn masked_exp(&mut self, monomial: &Monomial, coefficient: Rational) -> Option<ExprId> {
        let [(factor, Rational::ONE)] = monomial[..] else { return None };
        let Factor::Call(Function { kind: OpKind::Select(_), .. }, args) = self.factor(factor).clone() else {
            return None;
        };
        let &[condition, x, y] = &args[..] else { return None };
        let is_masked = |score: ExprId| self.as_float(score).is_some_and(|x| x <= MAX_MASKED_SCORE);
        let (masks_if_true, lowest, score) = match (is_masked(x), is_masked(y)) {
            (true, false) => (true, x, y),
            (false, true) => (false, y, x),
            _ => return None,
        };
        // The exponential of a finite score is not 0 if all scores of the row are as low.
        let is_infinite = self.as_float(lowest) == Some(f64::NEG_INFINITY);
        if !is_infinite && !self.is_visible_somewhere(condition, masks_if_true) {
            return None;
        }
        if coefficient != Rational::ONE || self.bounds(score) == Boundedness::Unknown {
            return None;
        }
        let conditions = match self.as_factor(condition) {
            Some(Factor::Call(Function { kind: OpKind::Binary(Binary { op }), .. }, args))
                if *op == (if masks_if_true { BinaryOp::Or } else { BinaryOp::And }) =>
            {
                args.clone()
            }
            _ => vec![condition],
        };
        let mut product = self.exp(score)?;
        for condition in conditions {
            let (zero, lowest) = (self.int(Domain::Real, 0), Factor::Float(f64::NEG_INFINITY.to_bits()));
            let lowest = self.from_factor(Domain::Real, lowest);
            let branches = if masks_if_true { [lowest, zero] } else { [zero, lowest] };
            let mask = self.call(Select {}.into(), DType::F64, vec![condition, branches[0], branches[1]]);
            let mask = self.expr(mask).terms.first().map(|(monomial, _)| monomial.clone())?;
            let mask = self.from_factor(Domain::Real, Factor::Exp(mask));
            product = self.mul(product, mask)?;
        }
        Some(product)
    }

    /// Returns true if a mask of positions leaves an element of each row and of each column unmasked.
    fn is_visible_somewhere(&self, condition: ExprId, masks_if_true: bool) -> bool {
        let Some(Factor::Call(function, args)) = self.as_factor(condition) else { return false };
        let (OpKind::Compare(Compare { direction: Direction::Le, .. }), &[zero, difference]) =
            (&function.kind, &args[..])
        else {
            return false;
        };
        let Some(difference) = self.as_position(difference).filter(|_| self.as_number(zero) == Some(Rational::ZERO))
        else {
            return false;
        };
        // Unmasked where this is at least 0.
        let visible = if masks_if_true { difference.scale(-1).add(&Index::constant(-1)) } else { difference };
        visible.terms.iter().all(|(var, coefficient)| {
            let alone = Index { terms: [(var.clone(), *coefficient)].into_iter().collect(), constant: 0 };
            let (low, high) = alone.range();
            visible.range().0 - low + high >= 0
        })
    }

    /// Returns the rows in which the body of a sum differs from 0 for some values of the variables.
    pub(super) fn visible_rows(&mut self, vars: &[(u32, i64)], body: ExprId) -> VisibleRows {
        let monomials: Vec<Monomial> = self.expr(body).terms.iter().map(|(monomial, _)| monomial.clone()).collect();
        let mut conditions = Vec::new();
        let mut is_always = true;
        for (factor, _) in monomials.into_iter().flatten() {
            let Factor::Exp(exponent) = self.factor(factor).clone() else { continue };
            if self.monomial_bounds(&exponent) == Boundedness::Finite {
                continue;
            }
            let Some((condition, masks_if_true)) = self.mask_condition(factor) else { return VisibleRows::Unknown };
            is_always &= self.is_visible_somewhere(condition, masks_if_true);
            conditions.push(self.visible_if(condition, masks_if_true));
        }
        if is_always && conditions.len() < 2 {
            return VisibleRows::All;
        }
        let mut visible = self.int(Domain::boolean(), 1);
        for condition in conditions {
            visible = self.call(Binary { op: BinaryOp::And }.into(), DType::Bool, vec![visible, condition]);
        }
        match self.reduce(Monoid::Or, vars.to_vec(), visible) {
            Some(condition) => VisibleRows::If(condition),
            None => VisibleRows::Unknown,
        }
    }

    /// Returns the condition of a mask, the exponential of a selection between 0 and negative infinity, and true if the
    /// condition masks.
    fn mask_condition(&self, factor: FactorId) -> Option<(ExprId, bool)> {
        let Factor::Exp(exponent) = self.factor(factor) else { return None };
        let [(select, Rational::ONE)] = exponent[..] else { return None };
        let Factor::Call(Function { kind: OpKind::Select(_), .. }, args) = self.factor(select) else { return None };
        let &[condition, x, y] = &args[..] else { return None };
        match (self.as_float(x), self.as_float(y)) {
            (Some(0.0), Some(f64::NEG_INFINITY)) => Some((condition, false)),
            (Some(f64::NEG_INFINITY), Some(0.0)) => Some((condition, true)),
            _ => None,
        }
    }

    fn visible_if(&mut self, condition: ExprId, masks_if_true: bool) -> ExprId {
        match masks_if_true {
            true => self.call(Unary { op: UnaryOp::Not }.into(), DType::Bool, vec![condition]),
            false => condition,
        }
    }

    /// Returns the reciprocal `inverse` of `base`, guarded by the condition that the sums in `base` are not 0.
    pub(super) fn with_visible_rows(&mut self, base: ExprId, inverse: ExprId) -> Option<ExprId> {
        let [(monomial, _)] = &self.expr(base).terms[..] else { return Some(inverse) };
        let mut guards = Vec::new();
        for (factor, _) in monomial.clone() {
            let Factor::Reduce(Monoid::Sum, vars, body) = self.factor(factor).clone() else { continue };
            match self.visible_rows(&vars, body) {
                VisibleRows::If(condition) => guards.push(condition),
                VisibleRows::All | VisibleRows::Unknown => {}
            }
        }
        Some(self.with_guards(inverse, guards))
    }

    /// Returns the reciprocal of `max(sum, t)` for a sum of masked exponentials that is at least 1, or 0 in rows
    /// without an unmasked element: `1 / sum` in the former, `1 / t` in the latter.
    pub(super) fn inverse_of_clamped_sum(&mut self, base: ExprId) -> Option<ExprId> {
        let Some(Factor::Call(Function { kind: OpKind::Binary(Binary { op: BinaryOp::Max }), .. }, args)) =
            self.as_factor(base).cloned()
        else {
            return None;
        };
        let &[a, b] = &args[..] else { return None };
        for (sum, bound) in [(a, b), (b, a)] {
            if self.as_float(bound).is_none_or(|bound| bound <= 0.0 || bound > 1.0) {
                continue;
            }
            let Some(VisibleRows::If(condition)) = self.shifted_exponentials(sum) else { continue };
            let inverse = self.power(sum, -1)?;
            let inverse = self.without_guards(inverse);
            let inverse_bound = self.power(bound, -1)?;
            let visible = self.indicator(Domain::Real, condition);
            let one = self.int(Domain::Real, 1);
            let hidden = self.sub(one, visible)?;
            let (of_visible, of_hidden) = (self.mul(visible, inverse)?, self.mul(hidden, inverse_bound)?);
            return self.add(of_visible, of_hidden);
        }
        None
    }

    /// Removes indicators of rows with an unmasked element from a product with the mask of an element of the row.
    pub(super) fn drop_implied_indicators(&mut self, product: &mut Monomial) {
        let masks: Vec<(ExprId, bool)> =
            product.iter().filter_map(|&(factor, _)| self.mask_condition(factor)).collect();
        if masks.is_empty() {
            return;
        }
        let mut visible = self.int(Domain::boolean(), 1);
        for (condition, masks_if_true) in masks {
            let condition = self.visible_if(condition, masks_if_true);
            visible = self.call(Binary { op: BinaryOp::And }.into(), DType::Bool, vec![visible, condition]);
        }
        let mut implied = Vec::new();
        for &(factor, power) in product.iter() {
            let Factor::Call(Function { kind: OpKind::Select(_), .. }, args) = self.factor(factor).clone() else {
                continue;
            };
            let &[condition, one, zero] = &args[..] else { continue };
            let is_indicator =
                self.as_number(one) == Some(Rational::ONE) && self.as_number(zero) == Some(Rational::ZERO);
            if is_indicator && power == Rational::ONE && self.implies(visible, condition) {
                implied.push(factor);
            }
        }
        product.retain(|(factor, _)| !implied.contains(factor));
    }

    /// Returns true if a condition requires that one of several elements satisfies `visible`, and the element at the
    /// position is one of them.
    fn implies(&mut self, visible: ExprId, condition: ExprId) -> bool {
        let Some(Factor::Reduce(Monoid::Or, vars, _)) = self.as_factor(condition).cloned() else { return false };
        let &[(_, size)] = &vars[..] else { return false };
        let bound = self.height(visible).max(self.height(condition));
        let candidates = self.sized_vars(visible);
        candidates.into_iter().filter(|(_, other)| *other == size).any(|(id, _)| {
            let by = vec![(id, Index::var(bound, size as usize))];
            let any = self.substitute(visible, &by).and_then(|any| self.reduce(Monoid::Or, vec![(bound, size)], any));
            any == Some(condition)
        })
    }

    /// Returns the variables that occur in an expression, with their sizes.
    fn sized_vars(&self, expr: ExprId) -> Vec<(u32, i64)> {
        let mut vars = Vec::new();
        self.visit_indices(expr, &mut Default::default(), &mut |index| {
            index.visit(&mut |var| {
                if let IndexVar::Var { id, size } = var {
                    vars.push((*id, *size));
                }
            });
        });
        vars.sort_unstable();
        vars.dedup();
        vars
    }

    /// Returns true for the exponential of a mask and for an indicator, which are 0 or 1.
    pub(super) fn is_zero_or_one(&self, factor: FactorId) -> bool {
        let (select, branches) = match self.factor(factor) {
            Factor::Exp(exponent) => match exponent[..] {
                [(select, Rational::ONE)] => (self.factor(select), [f64::NEG_INFINITY, 0.0]),
                _ => return false,
            },
            call => (call, [0.0, 1.0]),
        };
        let Factor::Call(Function { kind: OpKind::Select(_), .. }, args) = select else { return false };
        let mut numbers: Vec<Option<f64>> = args.iter().skip(1).map(|&arg| self.as_float(arg)).collect();
        numbers.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
        numbers == branches.map(Some)
    }
}

//! Softmax and log-softmax, stabilised by subtracting the maximum.

use super::composites::Composite;
use super::pattern::{Match, Term};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, LogSoftmax, Softmax, UnaryOp};

/// Lower bound assumed for maxima other than `-inf`.
const MIN_FINITE_MAXIMUM: f64 = -6e4;

/// Matches `x - max x`. Returns `x` and the dimension.
pub fn below_max(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let (x, max) = m.binary(term, BinaryOp::Sub)?;
    // The gradient with respect to the maximum is zero, since the composites are invariant to shifts of `x`.
    let max = m.attempt(|m| m.unary(max.clone(), UnaryOp::StopGradient)).unwrap_or(max);
    let (of, dim) = m.reduced(max, Monoid::Max)?;
    (m.is_same(&of, &x) && m.covers(&x)).then_some((x, dim))
}

/// Matches `exp(x - max x)`. Returns `x` and the dimension.
fn exp_below_max(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let skip_movement = m.unary(term, UnaryOp::Exp)?;
    below_max(m, skip_movement)
}

/// Matches `log sum exp(x - max x)`. Returns `x` and the dimension.
pub fn log_sum_exp(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let sum = m.unary(term, UnaryOp::Log)?;
    // JAX inserts `abs` around the sum, which is positive.
    let sum = m.attempt(|m| m.unary(sum.clone(), UnaryOp::Abs)).unwrap_or(sum);
    let (exp, dim) = m.reduced(sum, Monoid::Sum)?;
    exp_below_max(m, exp).filter(|found| found.1 == dim)
}

/// Matches the weights of an attention. Returns the scores, the softmax dimension, and true if rows of only `-inf` have
/// weights of zero. A softmax that is already raised is NaN in such rows.
pub fn weights(m: &mut Match<'_>, term: Term) -> Option<(Term, usize, bool)> {
    let softmax = m.attempt(|m| m.softmax(term.clone())).map(|(x, dim)| (x, dim, false));
    softmax.or_else(|| softmax_or_zero(m, term).map(|(x, dim)| (x, dim, true)))
}

/// Matches a softmax with a lower bound of the maximum and of the sum. Returns `x` and the dimension.
fn softmax_or_zero(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let (exp, sum) = m.binary(term, BinaryOp::Div)?;
    let (sum, smallest) = m.with_number(sum, BinaryOp::Max)?;
    let (again, along) = m.reduced(sum, Monoid::Sum)?;
    let terms = [exp, again].map(|exp| {
        let skip_movement = m.unary(exp, UnaryOp::Exp)?;
        let (x, max) = m.binary(skip_movement, BinaryOp::Sub)?;
        let (max, lowest) = m.with_number(max, BinaryOp::Max)?;
        let (of, dim) = m.reduced(max, Monoid::Max)?;
        (dim == along && lowest < MIN_FINITE_MAXIMUM && m.is_same(&of, &x)).then_some(x)
    });
    let [Some(x), Some(again)] = terms else { return None };
    // A sum other than zero is at least one, since it includes `exp(max - max)`.
    (x == again && m.covers(&x) && smallest > 0.0 && smallest < 1.0).then_some((x, along))
}

/// Matches `exp(x - max x) / sum exp(x - max x)`.
pub fn softmax(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    let (exp, sum) = m.binary(term, BinaryOp::Div)?;
    let (again, along) = m.reduced(sum, Monoid::Sum)?;
    let (x, dim) = exp_below_max(m, exp)?;
    (along == dim && exp_below_max(m, again)? == (x.clone(), dim)).then(|| Composite::one(Softmax { dim }, [x]))
}

/// Matches `x - max x - log sum exp(x - max x)`.
pub fn log_softmax(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    let (skip_movement, log) = m.binary(term, BinaryOp::Sub)?;
    let (x, dim) = below_max(m, skip_movement)?;
    (log_sum_exp(m, log)? == (x.clone(), dim)).then(|| Composite::one(LogSoftmax { dim }, [x]))
}

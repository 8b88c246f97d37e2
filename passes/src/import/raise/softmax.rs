//! Softmax and log-softmax, less the maximum as everyone writes them.

use super::composites::Composite;
use super::pattern::{Match, Term};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, LogSoftmax, Softmax, UnaryOp};

/// A maximum is taken to be above this, unless it is `-inf`.
const LOWEST: f64 = -6e4;

/// `x - max x`: `x` and the dimension.
pub fn below_max(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let (x, max) = m.binary(term, BinaryOp::Sub)?;
    let (of, dim) = m.reduced(max, Monoid::Max)?;
    (m.same(&of, &x) && m.covers(&x)).then_some((x, dim))
}

/// `exp(x - max x)`: `x` and the dimension.
fn exp_below_max(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let below = m.unary(term, UnaryOp::Exp)?;
    below_max(m, below)
}

/// `log sum exp(x - max x)`: `x` and the dimension.
pub fn log_sum_exp(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let sum = m.unary(term, UnaryOp::Log)?;
    // JAX takes the absolute value of what is positive.
    let sum = m.attempt(|m| m.unary(sum.clone(), UnaryOp::Abs)).unwrap_or(sum);
    let (exp, dim) = m.reduced(sum, Monoid::Sum)?;
    exp_below_max(m, exp).filter(|found| found.1 == dim)
}

/// What the weights of an attention are the softmax of, along which dimension, and whether they are zeros where
/// everything is `-inf`. A softmax, which was raised already, is NaN there.
pub fn weights(m: &mut Match<'_>, term: Term) -> Option<(Term, usize, bool)> {
    let softmax = m.attempt(|m| m.softmax(term.clone())).map(|(x, dim)| (x, dim, false));
    softmax.or_else(|| softmax_or_zero(m, term).map(|(x, dim)| (x, dim, true)))
}

/// A softmax whose maximum is taken with the lowest number and whose sum with the smallest one: `x` and the dimension.
fn softmax_or_zero(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let (exp, sum) = m.binary(term, BinaryOp::Div)?;
    let (sum, smallest) = m.with_number(sum, BinaryOp::Max)?;
    let (again, along) = m.reduced(sum, Monoid::Sum)?;
    let terms = [exp, again].map(|exp| {
        let below = m.unary(exp, UnaryOp::Exp)?;
        let (x, max) = m.binary(below, BinaryOp::Sub)?;
        let (max, lowest) = m.with_number(max, BinaryOp::Max)?;
        let (of, dim) = m.reduced(max, Monoid::Max)?;
        (dim == along && lowest < LOWEST && m.same(&of, &x)).then_some(x)
    });
    let [Some(x), Some(again)] = terms else { return None };
    // A sum that is not zero is at least one: the maximum less itself is among what is summed.
    (x == again && m.covers(&x) && smallest > 0.0 && smallest < 1.0).then_some((x, along))
}

/// `exp(x - max x) / sum exp(x - max x)`.
pub fn softmax(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    let (exp, sum) = m.binary(term, BinaryOp::Div)?;
    let (again, along) = m.reduced(sum, Monoid::Sum)?;
    let (x, dim) = exp_below_max(m, exp)?;
    (along == dim && exp_below_max(m, again)? == (x.clone(), dim)).then(|| Composite::one(Softmax { dim }, [x]))
}

/// `x - max x - log sum exp(x - max x)`.
pub fn log_softmax(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    let (below, log) = m.binary(term, BinaryOp::Sub)?;
    let (x, dim) = below_max(m, below)?;
    (log_sum_exp(m, log)? == (x.clone(), dim)).then(|| Composite::one(LogSoftmax { dim }, [x]))
}

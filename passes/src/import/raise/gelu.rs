//! Gelu: by `erf`, by `erfc`, and by `tanh`, with its factors in any order.

use super::composites::Composite;
use super::pattern::{Match, Term};
use partita_ir::ops::{BinaryOp, Gelu, UnaryOp};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// `x`, one half and `1 + tanh(..)` or `1 + erf(..)`, multiplied in any order; or `x`, one half and `erfc(-x / sqrt
/// 2)`.
pub fn gelu(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    let (a, b) = m.binary(term, BinaryOp::Mul)?;
    let start = m.seen.len();
    for (x, share) in [(&a, &b), (&b, &a)] {
        m.seen.truncate(start);
        // The half may be on either side.
        if let Some(found) = half_share(m, share).and_then(|share| gelu_of(m, &share, x)) {
            return Some(found);
        }
        m.seen.truncate(start);
        if let Some(found) = half_share(m, x).and_then(|x| gelu_of(m, share, &x)) {
            return Some(found);
        }
    }
    m.seen.truncate(start);
    // Or behind both, as exporters of ONNX write it.
    let product = if m.is_number(&a, 0.5) { b } else { m.is_number(&b, 0.5).then_some(a)? };
    let (a, b) = m.binary(product, BinaryOp::Mul)?;
    let start = m.seen.len();
    for (x, twice_share) in [(&a, &b), (&b, &a)] {
        m.seen.truncate(start);
        if let Some(found) = gelu_of(m, twice_share, x) {
            return Some(found);
        }
    }
    None
}

/// What is multiplied by one half.
fn half_share(m: &mut Match<'_>, term: &Term) -> Option<Term> {
    let (a, b) = m.binary(term.clone(), BinaryOp::Mul)?;
    if m.is_number(&a, 0.5) { Some(b) } else { m.is_number(&b, 0.5).then_some(a) }
}

fn gelu_of(m: &mut Match<'_>, twice_share: &Term, x: &Term) -> Option<Composite> {
    let start = m.seen.len();
    for tanh in [Some(true), Some(false), None] {
        m.seen.truncate(start);
        let of = match tanh {
            Some(true) => tanh_argument(m, twice_share),
            Some(false) => erf_argument(m, twice_share),
            None => erfc_argument(m, twice_share),
        };
        if let Some(of) = of
            && m.same(&of, x)
            && m.covers(x)
        {
            let kind = Gelu { tanh: tanh == Some(true), erfc: tanh.is_none(), ..Gelu::default() };
            return Some(Composite::one(kind, [x.clone()]));
        }
    }
    None
}

/// `x` of `1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))`.
fn tanh_argument(m: &mut Match<'_>, term: &Term) -> Option<Term> {
    let (tanh, one) = m.with_number(term.clone(), BinaryOp::Add)?;
    let scaled = m.unary(tanh, UnaryOp::Tanh)?;
    let (sum, scale) = m.with_number(scaled, BinaryOp::Mul)?;
    let numbers = m.is_rounded(term, one, 1.0) && m.is_rounded(term, scale, FRAC_2_SQRT_PI * FRAC_1_SQRT_2);
    let (a, b) = m.binary(sum, BinaryOp::Add).filter(|_| numbers)?;
    let start = m.seen.len();
    for (x, cubic) in [(&a, &b), (&b, &a)] {
        m.seen.truncate(start);
        if is_cubic(m, cubic, x) {
            return Some(x.clone());
        }
    }
    None
}

/// Whether the term is `0.044715 x^3`.
fn is_cubic(m: &mut Match<'_>, term: &Term, x: &Term) -> bool {
    let Some((cube, coefficient)) = m.with_number(term.clone(), BinaryOp::Mul) else { return false };
    let Some((a, b)) = m.binary(cube, BinaryOp::Mul) else { return false };
    let (square, last) = if m.same(&a, x) { (b, a) } else { (a, b) };
    let Some((a, b)) = m.binary(square, BinaryOp::Mul) else { return false };
    m.is_rounded(term, coefficient, 0.044715) && [&a, &b, &last].into_iter().all(|factor| m.same(factor, x))
}

/// `x` of `1 + erf(x / sqrt 2)`.
fn erf_argument(m: &mut Match<'_>, term: &Term) -> Option<Term> {
    let (erf, one) = m.with_number(term.clone(), BinaryOp::Add)?;
    let argument = m.unary(erf, UnaryOp::Erf)?;
    let (x, scale) = m.scaled(argument)?;
    (m.is_rounded(term, one, 1.0) && m.is_rounded(term, scale, FRAC_1_SQRT_2)).then_some(x)
}

/// `x` of `erfc(-x / sqrt 2)`.
fn erfc_argument(m: &mut Match<'_>, term: &Term) -> Option<Term> {
    let argument = m.unary(term.clone(), UnaryOp::Erfc)?;
    let (x, scale) = m.scaled(argument)?;
    if m.is_rounded(term, scale, -FRAC_1_SQRT_2) {
        return Some(x);
    }
    let x = m.unary(x, UnaryOp::Neg)?;
    m.is_rounded(term, scale, FRAC_1_SQRT_2).then_some(x)
}

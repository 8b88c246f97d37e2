//! Gelu by `erf`, `erfc` or `tanh`, with factors in any order.

use super::composites::Composite;
use super::pattern::{Match, Term};
use partita_ir::dtype::DType;
use partita_ir::ops::{BinaryOp, ConstantPrecision, Gelu, UnaryOp};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// Matches products of `x`, one half and `1 + tanh(..)` or `1 + erf(..)` in any order, and of `x`, one half and
/// `erfc(-x / sqrt 2)`.
pub fn gelu(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    let (a, b) = m.binary(term, BinaryOp::Mul)?;
    let start = m.consumed.len();
    for (x, share) in [(&a, &b), (&b, &a)] {
        m.consumed.truncate(start);
        // Either factor may contain the one half.
        if let Some(found) = half_share(m, share).and_then(|share| gelu_of(m, &share, x)) {
            return Some(found);
        }
        m.consumed.truncate(start);
        if let Some(found) = half_share(m, x).and_then(|x| gelu_of(m, share, &x)) {
            return Some(found);
        }
    }
    m.consumed.truncate(start);
    // ONNX exporters apply the one half to the product.
    let product = if m.is_number(&a, 0.5) { b } else { m.is_number(&b, 0.5).then_some(a)? };
    let (a, b) = m.binary(product, BinaryOp::Mul)?;
    let start = m.consumed.len();
    for (x, twice_share) in [(&a, &b), (&b, &a)] {
        m.consumed.truncate(start);
        if let Some(found) = gelu_of(m, twice_share, x) {
            return Some(found);
        }
    }
    None
}

/// Matches a product with one half. Returns the other factor.
fn half_share(m: &mut Match<'_>, term: &Term) -> Option<Term> {
    let (a, b) = m.binary(term.clone(), BinaryOp::Mul)?;
    if m.is_number(&a, 0.5) { Some(b) } else { m.is_number(&b, 0.5).then_some(a) }
}

fn gelu_of(m: &mut Match<'_>, twice_share: &Term, x: &Term) -> Option<Composite> {
    let start = m.consumed.len();
    for tanh in [Some(true), Some(false), None] {
        m.consumed.truncate(start);
        let of = match tanh {
            Some(true) => tanh_argument(m, twice_share),
            Some(false) => erf_argument(m, twice_share),
            None => erfc_argument(m, twice_share),
        };
        if let Some(of) = of
            && m.is_same(&of, x)
            && m.covers(x)
        {
            // Constants of a narrow type differ from the exact ones more than the computation in `f32` rounds.
            let dtype = m.ty(x.value).dtype;
            let constants = match dtype {
                DType::F16 | DType::BF16 => ConstantPrecision(dtype),
                _ => ConstantPrecision::default(),
            };
            let kind = Gelu { tanh: tanh == Some(true), erfc: tanh.is_none(), constants };
            return Some(Composite::one(kind, [x.clone()]));
        }
    }
    None
}

/// Matches `1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))`. Returns `x`.
fn tanh_argument(m: &mut Match<'_>, term: &Term) -> Option<Term> {
    let (tanh, one) = m.with_number(term.clone(), BinaryOp::Add)?;
    let scaled = m.unary(tanh, UnaryOp::Tanh)?;
    let (sum, scale) = m.with_number(scaled, BinaryOp::Mul)?;
    let numbers = m.equals_rounded(term, one, 1.0) && m.equals_rounded(term, scale, FRAC_2_SQRT_PI * FRAC_1_SQRT_2);
    let (a, b) = m.binary(sum, BinaryOp::Add).filter(|_| numbers)?;
    let start = m.consumed.len();
    for (x, cubic) in [(&a, &b), (&b, &a)] {
        m.consumed.truncate(start);
        if is_cubic(m, cubic, x) {
            return Some(x.clone());
        }
    }
    None
}

/// Returns true if the term is `0.044715 x^3`.
fn is_cubic(m: &mut Match<'_>, term: &Term, x: &Term) -> bool {
    let Some((cube, coefficient)) = m.with_number(term.clone(), BinaryOp::Mul) else { return false };
    let Some((a, b)) = m.binary(cube, BinaryOp::Mul) else { return false };
    let (square, last) = if m.is_same(&a, x) { (b, a) } else { (a, b) };
    let Some((a, b)) = m.binary(square, BinaryOp::Mul) else { return false };
    m.equals_rounded(term, coefficient, 0.044715) && [&a, &b, &last].into_iter().all(|factor| m.is_same(factor, x))
}

/// Matches `1 + erf(x / sqrt 2)`. Returns `x`.
fn erf_argument(m: &mut Match<'_>, term: &Term) -> Option<Term> {
    let (erf, one) = m.with_number(term.clone(), BinaryOp::Add)?;
    let argument = m.unary(erf, UnaryOp::Erf)?;
    let (x, scale) = m.scaled(argument)?;
    (m.equals_rounded(term, one, 1.0) && m.equals_rounded(term, scale, FRAC_1_SQRT_2)).then_some(x)
}

/// Matches `erfc(-x / sqrt 2)`. Returns `x`.
fn erfc_argument(m: &mut Match<'_>, term: &Term) -> Option<Term> {
    let argument = m.unary(term.clone(), UnaryOp::Erfc)?;
    let (x, scale) = m.scaled(argument)?;
    if m.equals_rounded(term, scale, -FRAC_1_SQRT_2) {
        return Some(x);
    }
    let x = m.unary(x, UnaryOp::Neg)?;
    m.equals_rounded(term, scale, FRAC_1_SQRT_2).then_some(x)
}

//! Layer norm and batch norm: something less a mean, times one over a deviation, times `gamma`, in any order, plus
//! `beta`. RMS norm: the same without a mean and `beta`.
//!
//! Recogniser: a norm in another spelling stays decomposed.

use super::composites::{Composite, arrange};
use super::pattern::{Match, Term};
use partita_ir::op::OpKind;
use partita_ir::ops::{BatchNorm, BinaryOp, LayerNorm, RmsNorm, UnaryOp};
use partita_ir::program::Values;
use smallvec::{SmallVec, smallvec};

/// `x - mean x`: `x` and the dimension.
fn centred(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let (x, mean) = m.binary(term, BinaryOp::Sub)?;
    let (of, dim) = m.mean(mean)?;
    (m.same(&of, &x) && m.covers(&x)).then_some((x, dim))
}

/// A variance and a small number, added: `x`, the dimension and the number.
fn variance(m: &mut Match<'_>, term: Term) -> Option<(Term, usize, f64)> {
    let (variance, eps) = m.with_number(term, BinaryOp::Add)?;
    let found = m.attempt(|m| mean_square_of_centred(m, &variance)).or_else(|| mean_square_less_mean(m, &variance));
    found.map(|(x, dim)| (x, dim, eps))
}

/// The mean of `(x - mean x)^2`: `x` and the dimension.
fn mean_square_of_centred(m: &mut Match<'_>, term: &Term) -> Option<(Term, usize)> {
    let (square, along) = m.mean(term.clone())?;
    let (a, b) = m.binary(square, BinaryOp::Mul)?;
    let (x, dim) = centred(m, a)?;
    (along == dim && centred(m, b)? == (x.clone(), dim)).then_some((x, dim))
}

/// The mean of `x^2` less the square of the mean of `x`, or zero if rounding made that negative: `x` and the dimension.
fn mean_square_less_mean(m: &mut Match<'_>, term: &Term) -> Option<(Term, usize)> {
    let positive = m.attempt(|m| m.with_number(term.clone(), BinaryOp::Max));
    let difference = match positive {
        Some((difference, bound)) => (bound == 0.0).then_some(difference)?,
        None => term.clone(),
    };
    let (of_squares, square_mean) = m.binary(difference, BinaryOp::Sub)?;
    let (x, dim) = mean_square(m, of_squares)?;
    let means: [Term; 2] = m.binary(square_mean, BinaryOp::Mul)?.into();
    let same = |m: &mut Match<'_>, mean| m.mean(mean).is_some_and(|(of, along)| along == dim && m.same(&of, &x));
    let squares = means.into_iter().all(|mean| same(m, mean));
    (squares && m.covers(&x)).then_some((x, dim))
}

/// Something centred, `gamma`, and a deviation that divides it or whose inverse is a factor.
struct Normal<'t> {
    centre: &'t Term,
    gamma: &'t Term,
    deviation: &'t Term,
    /// What makes the deviation of the variance.
    root: UnaryOp,
}

/// What is found in a product of a centred value, a deviation and `gamma`, in any order.
fn normalised<T>(m: &mut Match<'_>, term: Term, find: impl Fn(&mut Match<'_>, &Normal<'_>) -> Option<T>) -> Option<T> {
    let mut parts = Product::default();
    parts.take(m, term, 2)?;
    let [a, b, rest @ ..] = &parts.factors[..] else { return None };
    let orders: SmallVec<[_; 6]> = match (rest, &parts.divisor) {
        ([], Some(deviation)) => smallvec![(a, b, deviation), (b, a, deviation)],
        ([c], None) => smallvec![(a, b, c), (a, c, b), (b, a, c), (b, c, a), (c, a, b), (c, b, a)],
        _ => return None,
    };
    let root = if parts.divisor.is_some() { UnaryOp::Sqrt } else { UnaryOp::Rsqrt };
    orders
        .into_iter()
        .find_map(|(centre, gamma, deviation)| m.attempt(|m| find(m, &Normal { centre, gamma, deviation, root })))
}

/// `x - mean x` times `1 / sqrt(var x + eps)` times `gamma`.
pub fn layer_norm(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    normalised(m, term, |m, parts| {
        let (x, dim) = centred(m, parts.centre.clone())?;
        let square = m.unary(parts.deviation.clone(), parts.root)?;
        let (of, along, eps) = variance(m, square)?;
        let last = m.last_dim() == Some(dim);
        let gamma = m.vector(parts.gamma.clone(), dim)?;
        (of == x && along == dim && last).then(|| Composite::one(LayerNorm { eps }, [x, gamma]))
    })
}

/// `x` times `1 / sqrt(mean(x^2) + eps)` times `gamma`.
pub fn rms_norm(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    normalised(m, term, |m, parts| {
        let square = m.unary(parts.deviation.clone(), parts.root)?;
        let (mean, eps) = m.with_number(square, BinaryOp::Add)?;
        let (x, dim) = mean_square(m, mean)?;
        let gamma = m.vector(parts.gamma.clone(), dim)?;
        let fits = m.same(parts.centre, &x) && m.covers(&x) && m.last_dim() == Some(dim);
        fits.then(|| Composite::one(RmsNorm { eps }, [x, gamma]))
    })
}

/// The mean of `x^2`: `x` and the dimension.
fn mean_square(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let (square, dim) = m.mean(term)?;
    let (x, again) = m.binary(square, BinaryOp::Mul)?;
    m.same(&again, &x).then_some((x, dim))
}

/// A layer norm that was raised already, and something added to it.
pub fn shifted_norm(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    let (a, b) = m.binary(term, BinaryOp::Add)?;
    [(&a, &b), (&b, &a)].into_iter().find_map(|(norm, beta)| {
        m.attempt(|m| {
            let (OpKind::LayerNorm(kind), args) = m.composite(norm)? else { return None };
            let beta = m.vector(beta.clone(), m.last_dim()?)?;
            (args.len() == 2).then(|| Composite::one(kind, args.into_iter().chain([beta])))
        })
    })
}

/// `x - mean` times `1 / sqrt(var + eps)` times `gamma`, plus `beta`, all but `x` along one and the same of several
/// dimensions. Where the mean and the variance come from does not matter.
pub fn batch_norm(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    m.last_dim().filter(|&last| last > 0)?;
    let (a, b) = m.binary(term, BinaryOp::Add)?;
    [(&a, &b), (&b, &a)].into_iter().find_map(|(scaled, beta)| {
        m.attempt(|m| {
            let (beta, dim) = feature(m, beta)?;
            normalised(m, scaled.clone(), |m, parts| {
                let (x, mean) = m.binary(parts.centre.clone(), BinaryOp::Sub)?;
                let square = m.unary(parts.deviation.clone(), parts.root)?;
                let (variance, eps) = m.with_number(square, BinaryOp::Add)?;
                let weights = [parts.gamma, &beta, &mean, &variance].map(|term| feature(m, term));
                let along = |weight: &Option<(Term, usize)>| weight.as_ref().is_some_and(|(_, along)| *along == dim);
                let fits = m.covers(&x) && weights.iter().all(along);
                fits.then(|| norm_along(x, weights.into_iter().flatten().map(|(term, _)| term).collect(), dim, eps))
            })
        })
    })
}

/// What a term repeats along every dimension but one, and that dimension.
fn feature(m: &mut Match<'_>, term: &Term) -> Option<(Term, usize)> {
    let term = m.core(term.clone());
    let mut dims = term.along.iter().flatten();
    let (dim, None) = (*dims.next()?, dims.next()) else { return None };
    Some((term, dim))
}

/// A batch norm whose weights may have further dimensions of one element.
fn norm_along(x: Term, weights: SmallVec<[Term; 4]>, dim: usize, eps: f64) -> Composite {
    let kind = BatchNorm { dim, eps };
    let mut args: SmallVec<[Term; 5]> = smallvec![x];
    args.extend(weights);
    if args[1..].iter().all(|weight| weight.along.len() == 1) {
        return Composite::one(kind, args);
    }
    let reads: Values = args.iter().map(|term| term.value).collect();
    Composite::several(reads, move |b| {
        let ty = b.ty(args[0].value);
        let mut values: Values = smallvec![args[0].value];
        values.extend(args[1..].iter().map(|weight| arrange(b, weight, &[Some(dim)])));
        b.op("batch_norm", kind, &values, ty);
    })
}

/// The factors of a product, and at most one divisor.
#[derive(Default)]
struct Product {
    factors: SmallVec<[Term; 4]>,
    divisor: Option<Term>,
}

impl Product {
    /// Takes a term apart, at most `depth` products deep.
    fn take(&mut self, m: &mut Match<'_>, term: Term, depth: usize) -> Option<()> {
        let start = m.seen.len();
        if depth > 0 {
            if let Some((a, b)) = m.binary(term.clone(), BinaryOp::Mul) {
                self.take(m, a, depth - 1)?;
                return self.take(m, b, depth - 1);
            }
            m.seen.truncate(start);
            if let Some((a, b)) = m.binary(term.clone(), BinaryOp::Div) {
                if self.divisor.replace(b).is_some() {
                    return None;
                }
                return self.take(m, a, depth - 1);
            }
            m.seen.truncate(start);
        }
        self.factors.push(term);
        Some(())
    }
}

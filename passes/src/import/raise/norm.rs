//! Layer norm and batch norm: `(x - mean) / deviation * gamma + beta` with factors in any order. RMS norm: the same
//! without mean and `beta`.
//!
//! Recogniser: a norm in another form stays decomposed.

use super::composites::{Composite, arrange};
use super::pattern::{Match, Term};
use partita_ir::op::OpKind;
use partita_ir::ops::{BatchNorm, BinaryOp, LayerNorm, RmsNorm, UnaryOp};
use partita_ir::program::Values;
use smallvec::{SmallVec, smallvec};

/// Matches `x - mean x`. Returns `x` and the dimension.
fn centred(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let (x, mean) = m.binary(term, BinaryOp::Sub)?;
    let (of, dim) = m.mean(mean)?;
    (m.is_same(&of, &x) && m.covers(&x)).then_some((x, dim))
}

/// Matches `var x + eps`. Returns `x`, the dimension and `eps`.
fn variance(m: &mut Match<'_>, term: Term) -> Option<(Term, usize, f64)> {
    let (variance, eps) = m.with_number(term, BinaryOp::Add)?;
    let found = m.attempt(|m| mean_square_of_centred(m, &variance)).or_else(|| mean_square_less_mean(m, &variance));
    found.map(|(x, dim)| (x, dim, eps))
}

/// Matches `mean((x - mean x)^2)`. Returns `x` and the dimension.
fn mean_square_of_centred(m: &mut Match<'_>, term: &Term) -> Option<(Term, usize)> {
    let (square, along) = m.mean(term.clone())?;
    let (a, b) = m.binary(square, BinaryOp::Mul)?;
    let (x, dim) = centred(m, a)?;
    (along == dim && centred(m, b)? == (x.clone(), dim)).then_some((x, dim))
}

/// Matches `mean(x^2) - mean(x)^2`, optionally clamped at zero against rounding. Returns `x` and the dimension.
fn mean_square_less_mean(m: &mut Match<'_>, term: &Term) -> Option<(Term, usize)> {
    let positive = m.attempt(|m| m.with_number(term.clone(), BinaryOp::Max));
    let difference = match positive {
        Some((difference, bound)) => (bound == 0.0).then_some(difference)?,
        None => term.clone(),
    };
    let (of_squares, square_mean) = m.binary(difference, BinaryOp::Sub)?;
    let (x, dim) = mean_square(m, of_squares)?;
    let means: [Term; 2] = m.binary(square_mean, BinaryOp::Mul)?.into();
    let is_same = |m: &mut Match<'_>, mean| m.mean(mean).is_some_and(|(of, along)| along == dim && m.is_same(&of, &x));
    let squares = means.into_iter().all(|mean| is_same(m, mean));
    (squares && m.covers(&x)).then_some((x, dim))
}

/// Factors of a norm: the centred value, `gamma`, and the deviation, either as divisor or as inverted factor.
struct NormFactors<'t> {
    centred_value: &'t Term,
    gamma: &'t Term,
    deviation: &'t Term,
    /// Op that computes the deviation from the variance: `sqrt` for a divisor, `rsqrt` for a factor.
    root: UnaryOp,
}

/// Applies `find` to each assignment of a product's factors to centred value, `gamma` and deviation.
fn match_norm<T>(
    m: &mut Match<'_>,
    term: Term,
    find: impl Fn(&mut Match<'_>, &NormFactors<'_>) -> Option<T>,
) -> Option<T> {
    let mut parts = FactorList::default();
    parts.collect_factors(m, term, 2)?;
    let [a, b, rest @ ..] = &parts.factors[..] else { return None };
    let orders: SmallVec<[_; 6]> = match (rest, &parts.divisor) {
        ([], Some(deviation)) => smallvec![(a, b, deviation), (b, a, deviation)],
        ([c], None) => smallvec![(a, b, c), (a, c, b), (b, a, c), (b, c, a), (c, a, b), (c, b, a)],
        _ => return None,
    };
    let root = if parts.divisor.is_some() { UnaryOp::Sqrt } else { UnaryOp::Rsqrt };
    orders.into_iter().find_map(|(centred_value, gamma, deviation)| {
        m.attempt(|m| find(m, &NormFactors { centred_value, gamma, deviation, root }))
    })
}

/// Matches `(x - mean x) * rsqrt(var x + eps) * gamma`.
pub fn layer_norm(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    match_norm(m, term, |m, parts| {
        let (x, dim) = centred(m, parts.centred_value.clone())?;
        let square = m.unary(parts.deviation.clone(), parts.root)?;
        let (of, along, eps) = variance(m, square)?;
        let last = m.last_dim() == Some(dim);
        let gamma = m.vector(parts.gamma.clone(), dim)?;
        (of == x && along == dim && last).then(|| Composite::one(LayerNorm { eps }, [x, gamma]))
    })
}

/// Matches `x * rsqrt(mean(x^2) + eps) * gamma`.
pub fn rms_norm(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    match_norm(m, term, |m, parts| {
        let square = m.unary(parts.deviation.clone(), parts.root)?;
        let (mean, eps) = m.with_number(square, BinaryOp::Add)?;
        let (x, dim) = mean_square(m, mean)?;
        let gamma = m.vector(parts.gamma.clone(), dim)?;
        let fits = m.is_same(parts.centred_value, &x) && m.covers(&x) && m.last_dim() == Some(dim);
        fits.then(|| Composite::one(RmsNorm { eps }, [x, gamma]))
    })
}

/// Matches `mean(x^2)`. Returns `x` and the dimension.
fn mean_square(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let (square, dim) = m.mean(term)?;
    let (x, again) = m.binary(square, BinaryOp::Mul)?;
    m.is_same(&again, &x).then_some((x, dim))
}

/// Matches a raised layer norm plus `beta`.
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

/// Matches `(x - mean) * rsqrt(var + eps) * gamma + beta`, where all operands but `x` are vectors along the same
/// dimension. Mean and variance may be any values.
pub fn batch_norm(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    m.last_dim().filter(|&last| last > 0)?;
    let (a, b) = m.binary(term, BinaryOp::Add)?;
    [(&a, &b), (&b, &a)].into_iter().find_map(|(scaled, beta)| {
        m.attempt(|m| {
            let (beta, dim) = broadcast_vector(m, beta)?;
            match_norm(m, scaled.clone(), |m, parts| {
                let (x, mean) = m.binary(parts.centred_value.clone(), BinaryOp::Sub)?;
                let square = m.unary(parts.deviation.clone(), parts.root)?;
                let (variance, eps) = m.with_number(square, BinaryOp::Add)?;
                let weights = [parts.gamma, &beta, &mean, &variance].map(|term| broadcast_vector(m, term));
                let along = |weight: &Option<(Term, usize)>| weight.as_ref().is_some_and(|(_, along)| *along == dim);
                let fits = m.covers(&x) && weights.iter().all(along);
                fits.then(|| {
                    batch_norm_along(x, weights.into_iter().flatten().map(|(term, _)| term).collect(), dim, eps)
                })
            })
        })
    })
}

/// Matches a term that is broadcast from a vector. Returns the vector and its dimension.
fn broadcast_vector(m: &mut Match<'_>, term: &Term) -> Option<(Term, usize)> {
    let term = m.strip_movement(term.clone());
    let mut dims = term.along.iter().flatten();
    let (dim, None) = (*dims.next()?, dims.next()) else { return None };
    Some((term, dim))
}

/// Returns a batch norm whose vector operands may have further dimensions of size 1.
fn batch_norm_along(x: Term, weights: SmallVec<[Term; 4]>, dim: usize, eps: f64) -> Composite {
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

/// Factors of a product, with at most one divisor.
#[derive(Default)]
struct FactorList {
    factors: SmallVec<[Term; 4]>,
    divisor: Option<Term>,
}

impl FactorList {
    /// Collects the factors of a term, at most `depth` products deep.
    fn collect_factors(&mut self, m: &mut Match<'_>, term: Term, depth: usize) -> Option<()> {
        let start = m.consumed.len();
        if depth > 0 {
            if let Some((a, b)) = m.binary(term.clone(), BinaryOp::Mul) {
                self.collect_factors(m, a, depth - 1)?;
                return self.collect_factors(m, b, depth - 1);
            }
            m.consumed.truncate(start);
            if let Some((a, b)) = m.binary(term.clone(), BinaryOp::Div) {
                if self.divisor.replace(b).is_some() {
                    return None;
                }
                return self.collect_factors(m, a, depth - 1);
            }
            m.consumed.truncate(start);
        }
        self.factors.push(term);
        Some(())
    }
}

//! How the composites are written by those who do not know them.

use super::pattern::{Match, Term};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, CrossEntropy, Gelu, LayerNorm, LogSoftmax, Softmax, UnaryOp};
use smallvec::SmallVec;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

/// A composite with its operands.
pub type Composite = (OpKind, SmallVec<[Term; 2]>);

/// How a composite may be written.
pub struct Pattern {
    /// Dimensions of its operand that its result does not have.
    pub more_dims: usize,
    /// The composite, when it is what gives the term.
    pub matches: fn(&mut Match<'_>, Term) -> Option<Composite>,
}

/// What may end in such an op.
pub fn patterns(kind: &OpKind) -> &'static [Pattern] {
    match kind {
        OpKind::Binary(b) => match b.op {
            BinaryOp::Div => {
                &[Pattern { more_dims: 0, matches: softmax }, Pattern { more_dims: 0, matches: layer_norm }]
            }
            BinaryOp::Sub => {
                &[Pattern { more_dims: 0, matches: log_softmax }, Pattern { more_dims: 1, matches: cross_entropy }]
            }
            BinaryOp::Mul => &[Pattern { more_dims: 0, matches: layer_norm }, Pattern { more_dims: 0, matches: gelu }],
            BinaryOp::Add => &[Pattern { more_dims: 0, matches: shifted_norm }],
            _ => &[],
        },
        OpKind::Unary(u) if u.op == UnaryOp::Neg => &[Pattern { more_dims: 1, matches: negative_log_likelihood }],
        _ => &[],
    }
}

/// `x - max x`: `x` and the dimension.
fn below_max(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
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
fn log_sum_exp(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let sum = m.unary(term, UnaryOp::Log)?;
    let (exp, dim) = m.reduced(sum, Monoid::Sum)?;
    exp_below_max(m, exp).filter(|found| found.1 == dim)
}

fn softmax(m: &mut Match<'_>, term: Term) -> Option<Composite> {
    let (exp, sum) = m.binary(term, BinaryOp::Div)?;
    let (again, along) = m.reduced(sum, Monoid::Sum)?;
    let (x, dim) = exp_below_max(m, exp)?;
    (along == dim && exp_below_max(m, again)? == (x.clone(), dim))
        .then(|| (Softmax { dim }.into(), [x].into_iter().collect()))
}

fn log_softmax(m: &mut Match<'_>, term: Term) -> Option<Composite> {
    let (below, log) = m.binary(term, BinaryOp::Sub)?;
    let (x, dim) = below_max(m, below)?;
    (log_sum_exp(m, log)? == (x.clone(), dim)).then(|| (LogSoftmax { dim }.into(), [x].into_iter().collect()))
}

/// `x - mean x`: `x` and the dimension.
fn centred(m: &mut Match<'_>, term: Term) -> Option<(Term, usize)> {
    let (x, mean) = m.binary(term, BinaryOp::Sub)?;
    let (of, dim) = m.mean(mean)?;
    (m.same(&of, &x) && m.covers(&x)).then_some((x, dim))
}

/// The mean of `(x - mean x)^2` and a small number, added: `x`, the dimension and the number.
fn variance(m: &mut Match<'_>, term: Term) -> Option<(Term, usize, f64)> {
    let (mean, eps) = m.with_number(term, BinaryOp::Add)?;
    let (square, along) = m.mean(mean)?;
    let (a, b) = m.binary(square, BinaryOp::Mul)?;
    let (x, dim) = centred(m, a)?;
    (along == dim && centred(m, b)? == (x.clone(), dim)).then_some((x, dim, eps))
}

/// `x - mean x` times `1 / sqrt(var x + eps)` times `gamma`, in any order; the deviation may divide.
fn layer_norm(m: &mut Match<'_>, term: Term) -> Option<Composite> {
    let mut parts = Product::default();
    parts.take(m, term, 2)?;
    let [a, b, rest @ ..] = &parts.factors[..] else { return None };
    let orders = match (rest, &parts.divisor) {
        ([], Some(deviation)) => vec![(a, b, deviation), (b, a, deviation)],
        ([c], None) => vec![(a, b, c), (a, c, b), (b, a, c), (b, c, a), (c, a, b), (c, b, a)],
        _ => return None,
    };
    let inverse = if parts.divisor.is_some() { UnaryOp::Sqrt } else { UnaryOp::Rsqrt };
    let (start, mut found) = (m.seen.len(), None);
    for (centre, gamma, deviation) in orders {
        m.seen.truncate(start);
        found = norm_of(m, centre, gamma, deviation, inverse);
        if found.is_some() {
            break;
        }
    }
    found
}

fn norm_of(m: &mut Match<'_>, centre: &Term, gamma: &Term, deviation: &Term, inverse: UnaryOp) -> Option<Composite> {
    let (x, dim) = centred(m, centre.clone())?;
    let square = m.unary(deviation.clone(), inverse)?;
    let (of, along, eps) = variance(m, square)?;
    let last = m.last_dim() == Some(dim);
    let gamma = m.vector(gamma.clone(), dim)?;
    (of == x && along == dim && last).then(|| (LayerNorm { eps }.into(), [x, gamma].into_iter().collect()))
}

/// A layer norm that was raised already, and something added to it.
fn shifted_norm(m: &mut Match<'_>, term: Term) -> Option<Composite> {
    let (a, b) = m.binary(term, BinaryOp::Add)?;
    let start = m.seen.len();
    for (norm, beta) in [(&a, &b), (&b, &a)] {
        m.seen.truncate(start);
        if let Some((OpKind::LayerNorm(kind), mut args)) = m.composite(norm)
            && args.len() == 2
            && let Some(beta) = m.vector(beta.clone(), m.last_dim()?)
        {
            args.push(beta);
            return Some((kind.into(), args));
        }
    }
    None
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

/// `x`, one half and `1 + tanh(..)` or `1 + erf(..)`, multiplied in any order; or `x`, one half and `erfc(-x / sqrt 2)`.
fn gelu(m: &mut Match<'_>, term: Term) -> Option<Composite> {
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
            return Some((Gelu { tanh: tanh == Some(true) }.into(), [x.clone()].into_iter().collect()));
        }
    }
    None
}

/// `x` of `1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))`.
fn tanh_argument(m: &mut Match<'_>, term: &Term) -> Option<Term> {
    let (tanh, one) = m.with_number(term.clone(), BinaryOp::Add)?;
    let scaled = m.unary(tanh, UnaryOp::Tanh)?;
    let (sum, scale) = m.with_number(scaled, BinaryOp::Mul)?;
    let numbers = m.is_near(term, one, 1.0) && m.is_near(term, scale, FRAC_2_SQRT_PI * FRAC_1_SQRT_2);
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
    m.is_near(term, coefficient, 0.044715) && [&a, &b, &last].into_iter().all(|factor| m.same(factor, x))
}

/// `x` of `1 + erf(x / sqrt 2)`.
fn erf_argument(m: &mut Match<'_>, term: &Term) -> Option<Term> {
    let (erf, one) = m.with_number(term.clone(), BinaryOp::Add)?;
    let argument = m.unary(erf, UnaryOp::Erf)?;
    let (x, scale) = scaled(m, &argument)?;
    (m.is_near(term, one, 1.0) && m.is_near(term, scale, FRAC_1_SQRT_2)).then_some(x)
}

/// `x` of `erfc(-x / sqrt 2)`.
fn erfc_argument(m: &mut Match<'_>, term: &Term) -> Option<Term> {
    let argument = m.unary(term.clone(), UnaryOp::Erfc)?;
    let (x, scale) = scaled(m, &argument)?;
    if m.is_near(term, scale, -FRAC_1_SQRT_2) {
        return Some(x);
    }
    let x = m.unary(x, UnaryOp::Neg)?;
    m.is_near(term, scale, FRAC_1_SQRT_2).then_some(x)
}

/// `x` and the factor of `x * factor` or `x / (1 / factor)`.
fn scaled(m: &mut Match<'_>, term: &Term) -> Option<(Term, f64)> {
    let start = m.seen.len();
    if let Some(found) = m.with_number(term.clone(), BinaryOp::Mul) {
        return Some(found);
    }
    m.seen.truncate(start);
    let (x, divisor) = m.binary(term.clone(), BinaryOp::Div)?;
    Some((x, m.number(&divisor)?.recip()))
}

/// `log sum exp(x - max x)`, less `x - max x` where the label is.
fn cross_entropy(m: &mut Match<'_>, term: Term) -> Option<Composite> {
    let (log, chosen) = m.binary(term, BinaryOp::Sub)?;
    let (x, dim) = log_sum_exp(m, log)?;
    let (below, labels) = at_label(m, chosen)?;
    let fits = m.last_dim() == Some(dim) && below_max(m, below)? == (x.clone(), dim);
    fits.then(|| (CrossEntropy {}.into(), [x, labels].into_iter().collect()))
}

/// `-log_softmax(x)` where the label is; the log-softmax was raised already.
fn negative_log_likelihood(m: &mut Match<'_>, term: Term) -> Option<Composite> {
    let chosen = m.unary(term, UnaryOp::Neg)?;
    let (log, labels) = at_label(m, chosen)?;
    let (kind, args) = m.composite(&log)?;
    let x = args.into_iter().next()?;
    let last = matches!(kind, OpKind::LogSoftmax(LogSoftmax { dim }) if Some(dim) == m.last_dim());
    last.then(|| (CrossEntropy {}.into(), [x, labels].into_iter().collect()))
}

/// `y` and the labels of `sum(y * (label == class))` along the last dimension.
fn at_label(m: &mut Match<'_>, term: Term) -> Option<(Term, Term)> {
    let (product, dim) = m.reduced(term, Monoid::Sum)?;
    let classes = m.size(&product, dim) > 0 && m.last_dim() == Some(dim);
    let (a, b) = m.binary(product, BinaryOp::Mul).filter(|_| classes)?;
    let start = m.seen.len();
    for (y, one_hot) in [(&a, &b), (&b, &a)] {
        m.seen.truncate(start);
        if let Some((l, r)) = m.equality(one_hot.clone()) {
            let start = m.seen.len();
            for (labels, classes) in [(&l, &r), (&r, &l)] {
                m.seen.truncate(start);
                let labels = m.core(labels.clone());
                if labels.covers(dim) && m.is_index(&labels) && m.counts(classes, dim) {
                    return Some((y.clone(), labels));
                }
            }
        }
    }
    None
}

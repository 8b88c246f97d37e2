//! Cross-entropy: by a row of a comparison for each label, and by looking the label up.
//!
//! A look-up clamps a label out of range, for which cross-entropy has a meaning of its own, so the labels are clamped
//! first. What JAX makes of indices around a look-up (from the end if they are negative, NaN if they are out of range)
//! stays.
//!
//! Recogniser: a loss in another spelling stays decomposed.

use super::composites::{Composite, arrange};
use super::label::LookUp;
use super::pattern::{Along, Match, Term};
use super::softmax::{below_max, log_sum_exp};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::Type;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Clamp, CrossEntropy, LogSoftmax, Select, UnaryOp};
use partita_ir::program::Values;
use partita_ir::tensor::{Scalar, wrap_int};

/// `log sum exp(x - max x)`, less `x - max x` where the label is.
pub fn cross_entropy(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(1);
    let (log, at_label) = m.binary(term, BinaryOp::Sub)?;
    let (x, dim) = log_sum_exp(m, log)?;
    m.last_dim().filter(|&last| last == dim)?;
    let below_x = |m: &mut Match<'_>, below| below_max(m, below).is_some_and(|found| found == (x.clone(), dim));
    if let Some((below, labels)) = m.attempt(|m| at_one_hot(m, at_label.clone())) {
        return below_x(m, below).then(|| Composite::one(CrossEntropy {}, [x.clone(), labels]));
    }
    // The maximum less itself is zero, which is also what a look-up may give for a label out of range.
    let (below, labels) = at_look_up(m, at_label)?;
    below_x(m, below).then(|| loss(x, labels))
}

/// `log sum exp x`, less `x` where the label is looked up.
pub fn log_likelihood(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(1);
    let (log, at_label) = m.binary(term, BinaryOp::Sub)?;
    let (a, b) = m.binary(log, BinaryOp::Add)?;
    let (x, dim) = [(&a, &b), (&b, &a)].into_iter().find_map(|(log, max)| {
        m.attempt(|m| {
            let (x, dim) = log_sum_exp(m, log.clone())?;
            let (of, along) = m.reduced(max.clone(), Monoid::Max)?;
            (along == dim && m.same(&of, &x)).then_some((x, dim))
        })
    })?;
    let (of, labels) = at_look_up(m, at_label).filter(|(_, labels)| labels.high.is_some())?;
    (m.last_dim() == Some(dim) && m.same(&of, &x)).then(|| loss(x, labels))
}

/// `-log_softmax(x)` where the label is; the log-softmax was raised already.
pub fn negative_log_likelihood(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(1);
    let chosen = m.unary(term, UnaryOp::Neg)?;
    if let Some((log, labels)) = m.attempt(|m| at_one_hot(m, chosen.clone())) {
        let x = of_log_softmax(m, &log)?;
        let args = [x.value, labels.value];
        return Some(Composite::several(args, move |b| {
            let ty = b.ty(x.value);
            let ty = Type::new(ty.dtype, &ty.shape[..ty.shape.rank() - 1]);
            let loss = b.op("loss", CrossEntropy {}, &args, ty);
            negative_zeros(b, loss);
        }));
    }
    let (x, labels, target) = log_softmax_at_look_up(m, chosen)?;
    Some(Composite::several([x.value, labels.term.value], move |b| {
        let loss = labels.loss(b, x.value);
        let positions = b.ty(loss).shape.rank();
        let loss = arrange(b, &Term::whole(loss, positions), &target);
        negative_zeros(b, loss);
    }))
}

/// `in range ? log_softmax(x) : NaN` where the label is looked up: a loss with the other sign. Without the NaN a sum of
/// it may stay partial until all of it is summed, which is less to communicate than a loss is.
pub fn negative_loss(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    let [in_range, chosen, nan] = m.select(term.clone())?;
    m.number(&nan).filter(|number| number.is_nan() && nan.along == term.along)?;
    let (x, labels, target) = log_softmax_at_look_up(m, chosen)?;
    Some(Composite::several([in_range.value, x.value, labels.term.value], move |b| {
        let loss = labels.loss(b, x.value);
        let value = zero_less(b, loss);
        let positions = b.ty(value).shape.rank();
        let value = arrange(b, &Term::whole(value, positions), &target);
        number_if(b, in_range.value, value);
    }))
}

/// The negative of what became a loss with the other sign.
pub fn positive_loss(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    let (target, shape) = (term.along.clone(), &m.ty(term.value).shape);
    let chosen = m.unary(term, UnaryOp::Neg)?;
    let [in_range, chosen, nan] = m.select(chosen)?;
    m.number(&nan).filter(|nan| nan.is_nan())?;
    let (zero, loss) = m.binary(chosen, BinaryOp::Sub)?;
    m.number(&zero).filter(|&number| number == 0.0)?;
    let loss = m.core(loss);
    let (id, op) = m.given_by(loss.value).filter(|(_, op)| matches!(op.kind, OpKind::CrossEntropy(_)))?;
    m.seen.push(id);
    if (0..target.len()).any(|d| !loss.along.contains(&Some(d)) && shape[d] != 1) {
        return None;
    }
    let (args, ty) = (op.args.clone(), m.ty(loss.value).clone());
    Some(Composite::several(args.iter().copied().chain([in_range.value]).collect::<Values>(), move |b| {
        let value = b.op("loss", CrossEntropy {}, &args, ty);
        let value = negative_zeros(b, value);
        let value = arrange(b, &Term { value, ..loss }, &target);
        let in_range = condition(b, &in_range, &target);
        number_if(b, in_range, value);
    }))
}

/// A loss with the other sign as a log-softmax has it: where a label is certain it is 0, which the negative of a loss
/// is not.
fn zero_less(b: &mut Builder<'_>, loss: ValueId) -> ValueId {
    let zero = b.splat(b.ty(loss), Scalar::Float(0.0));
    b.binary(BinaryOp::Sub, zero, loss)
}

/// A loss as the negative of a log-softmax has it: -0 where a label is certain.
fn negative_zeros(b: &mut Builder<'_>, loss: ValueId) -> ValueId {
    let log = zero_less(b, loss);
    b.unary(UnaryOp::Neg, log)
}

/// A condition, which may be one for all.
fn condition(b: &mut Builder<'_>, term: &Term, target: &[Option<usize>]) -> ValueId {
    if b.ty(term.value).shape.rank() == 0 { term.value } else { arrange(b, term, target) }
}

/// A value where a condition holds, and NaN elsewhere.
fn number_if(b: &mut Builder<'_>, condition: ValueId, value: ValueId) -> ValueId {
    let ty = b.ty(value);
    let nan = b.splat(ty.clone(), Scalar::Float(f64::NAN));
    b.op("loss", Select {}, &[condition, value, nan], ty)
}

/// The operand of a log-softmax along the last dimension.
fn of_log_softmax(m: &mut Match<'_>, term: &Term) -> Option<Term> {
    let (kind, args) = m.composite(term)?;
    let last = matches!(kind, OpKind::LogSoftmax(LogSoftmax { dim }) if Some(dim) == m.last_dim());
    args.into_iter().next().filter(|_| last)
}

/// `y` and the labels of `sum(y * (label == class))` along the last dimension.
fn at_one_hot(m: &mut Match<'_>, term: Term) -> Option<(Term, Term)> {
    let (product, dim) = m.reduced(term, Monoid::Sum)?;
    let classes = m.size(&product, dim) > 0 && m.last_dim() == Some(dim);
    let (a, b) = m.binary(product, BinaryOp::Mul).filter(|_| classes)?;
    [(&a, &b), (&b, &a)].into_iter().find_map(|(y, one_hot)| {
        let (l, r) = m.attempt(|m| m.equality(one_hot.clone()))?;
        [(&l, &r), (&r, &l)].into_iter().find_map(|(labels, classes)| {
            m.attempt(|m| {
                let labels = m.core(labels.clone());
                let fits = labels.covers(dim) && m.is_index(&labels) && m.counts(classes, dim);
                fits.then(|| (y.clone(), labels))
            })
        })
    })
}

/// `y` and the labels of `y[label]`, or of `in range ? y[label] : NaN`.
fn at_look_up(m: &mut Match<'_>, term: Term) -> Option<(Term, Labels)> {
    let guarded = m.attempt(|m| {
        let [in_range, chosen, nan] = m.select(term.clone())?;
        m.number(&nan)?.is_nan().then_some((chosen, Some(in_range)))
    });
    let (chosen, guard) = guarded.unwrap_or((term, None));
    let chosen = m.core(chosen);
    let found = look_up(m, &chosen)?;
    let shape = &m.ty(chosen.value).shape;
    let same = |(d, (a, b)): (usize, (&Option<usize>, &Option<usize>))| a == b || shape[d] == 1;
    let aligned = chosen.along.iter().zip(&found.along).enumerate().all(same);
    let y = Term::whole(found.source, m.ty(found.source).shape.rank());
    let labels = Labels::of(m, &found, guard).filter(|_| aligned && m.covers(&y))?;
    Some((y, labels))
}

/// `x` and the labels of `log_softmax(x)[label]`, and the dimensions of `x` that the dimensions of the root run along.
fn log_softmax_at_look_up(m: &mut Match<'_>, term: Term) -> Option<(Term, Labels, Along)> {
    let shape = &m.ty(term.value).shape;
    let chosen = m.core(term);
    let found = look_up(m, &chosen)?;
    let place = |d| chosen.along.iter().position(|along| *along == Some(d));
    if (0..shape.rank()).any(|d| place(d).is_none() && shape[d] != 1) {
        return None;
    }
    let target = (0..shape.rank()).map(|d| found.along[place(d)?]).collect();
    let log = m.over(found.source);
    let x = of_log_softmax(m, &log)?;
    let labels = Labels::of(m, &found, None).filter(|labels| labels.high.is_some())?;
    Some((x, labels, target))
}

/// The look-up that gives the term.
fn look_up(m: &mut Match<'_>, term: &Term) -> Option<LookUp> {
    let (id, op) = m.given_by(term.value)?;
    let found = LookUp::of(m, op)?;
    m.seen.push(id);
    Some(found)
}

/// Labels that were looked up.
struct Labels {
    term: Term,
    /// The last class, when a label out of range is clamped.
    high: Option<i64>,
    /// Where the loss is a number.
    guard: Option<Term>,
}

impl Labels {
    /// Those of a look-up, unless their type cannot name all classes.
    fn of(m: &Match<'_>, found: &LookUp, guard: Option<Term>) -> Option<Labels> {
        let high = m.ty(found.source).shape.last()?.checked_sub(1)? as i64;
        let term = found.labels.clone();
        let fits = wrap_int(m.ty(term.value).dtype, high) == high;
        fits.then(|| Labels { term, high: (!found.fill).then_some(high), guard })
    }

    /// The loss of logits.
    fn loss(&self, b: &mut Builder<'_>, x: ValueId) -> ValueId {
        let ty = b.ty(x);
        let ty = Type::new(ty.dtype, &ty.shape[..ty.shape.rank() - 1]);
        let positions: Vec<Option<usize>> = (0..ty.shape.rank()).map(Some).collect();
        let mut labels = arrange(b, &self.term, &positions);
        if let Some(high) = self.high {
            let label = b.ty(labels);
            let [low, high] = [0, high].map(|n| b.splat(Type::new(label.dtype, []), Scalar::Int(n)));
            labels = b.op("label", Clamp {}, &[low, labels, high], label);
        }
        let loss = b.op("loss", CrossEntropy {}, &[x, labels], ty.clone());
        let Some(guard) = &self.guard else { return loss };
        let in_range = condition(b, guard, &positions);
        number_if(b, in_range, loss)
    }
}

/// The loss of `x` at labels.
fn loss(x: Term, labels: Labels) -> Composite {
    let reads: Values = [&labels.term, &x].into_iter().chain(&labels.guard).map(|term| term.value).collect();
    Composite::several(reads, move |b| {
        labels.loss(b, x.value);
    })
}

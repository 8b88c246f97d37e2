//! Cross-entropy, by a one-hot product or by a label look-up.
//!
//! A gather clamps a label that is out of range, whereas cross-entropy defines its own result for it, so the labels are
//! clamped first. The index handling that JAX adds around a look-up (wrapping of negative indices, NaN for indices out
//! of range) is preserved.
//!
//! Recogniser: a loss in another form stays decomposed.

use super::composites::{Composite, arrange};
use super::label::LabelLookUp;
use super::pattern::{Match, OperandDims, Term};
use super::softmax::{below_max, log_sum_exp};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::Type;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Clamp, CrossEntropy, LogSoftmax, Select, UnaryOp};
use partita_ir::program::Values;
use partita_ir::tensor::{Scalar, wrap_int};

/// Matches `log sum exp(x - max x) - (x - max x)[label]`.
pub fn cross_entropy(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(1);
    let (log, at_label) = m.binary(term, BinaryOp::Sub)?;
    let (x, dim) = log_sum_exp(m, log)?;
    m.last_dim().filter(|&last| last == dim)?;
    let below_x =
        |m: &mut Match<'_>, skip_movement| below_max(m, skip_movement).is_some_and(|found| found == (x.clone(), dim));
    if let Some((skip_movement, labels)) = m.attempt(|m| at_one_hot(m, at_label.clone())) {
        return below_x(m, skip_movement).then(|| Composite::one(CrossEntropy {}, [x.clone(), labels]));
    }
    // `max - max` is zero, which equals the result of a look-up of a label that is out of range.
    let (skip_movement, labels) = at_look_up(m, at_label)?;
    below_x(m, skip_movement).then(|| loss(x, labels))
}

/// Matches `log sum exp x - x[label]`.
pub fn log_likelihood(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(1);
    let (log, at_label) = m.binary(term, BinaryOp::Sub)?;
    let (a, b) = m.binary(log, BinaryOp::Add)?;
    let (x, dim) = [(&a, &b), (&b, &a)].into_iter().find_map(|(log, max)| {
        m.attempt(|m| {
            let (x, dim) = log_sum_exp(m, log.clone())?;
            let (of, along) = m.reduced(max.clone(), Monoid::Max)?;
            (along == dim && m.is_same(&of, &x)).then_some((x, dim))
        })
    })?;
    let (of, labels) = at_look_up(m, at_label).filter(|(_, labels)| labels.high.is_some())?;
    (m.last_dim() == Some(dim) && m.is_same(&of, &x)).then(|| loss(x, labels))
}

/// Matches `-log_softmax(x)[label]`, where the log-softmax is already raised.
pub fn negative_log_likelihood(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(1);
    let chosen = m.unary(term, UnaryOp::Neg)?;
    if let Some((log, labels)) = m.attempt(|m| at_one_hot(m, chosen.clone())) {
        let x = log_softmax_operand(m, &log)?;
        let args = [x.value, labels.value];
        return Some(Composite::several(args, move |b| {
            let ty = b.ty(x.value);
            let ty = Type::new(ty.dtype, &ty.shape[..ty.shape.rank() - 1]);
            let loss = b.op("loss", CrossEntropy {}, &args, ty);
            loss_with_negative_zeros(b, loss);
        }));
    }
    let (x, labels, target) = log_softmax_at_look_up(m, chosen)?;
    Some(Composite::several([x.value, labels.term.value], move |b| {
        let loss = labels.loss(b, x.value);
        let positions = b.ty(loss).shape.rank();
        let loss = arrange(b, &Term::new(loss, positions), &target);
        loss_with_negative_zeros(b, loss);
    }))
}

/// Matches `in_range ? log_softmax(x)[label] : NaN`, a negative loss. The sign is separated from the NaN: a sum over
/// the loss may then stay partial until it is complete, which needs less communication.
pub fn negative_loss(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    let [in_range, chosen, nan] = m.select(term.clone())?;
    m.number(&nan).filter(|number| number.is_nan() && nan.along == term.along)?;
    let (x, labels, target) = log_softmax_at_look_up(m, chosen)?;
    Some(Composite::several([in_range.value, x.value, labels.term.value], move |b| {
        let loss = labels.loss(b, x.value);
        let value = negated_loss(b, loss);
        let positions = b.ty(value).shape.rank();
        let value = arrange(b, &Term::new(value, positions), &target);
        nan_unless(b, in_range.value, value);
    }))
}

/// Matches the negation of a raised [`negative_loss`].
pub fn positive_loss(m: &mut Match<'_>) -> Option<Composite> {
    let term = m.root(0);
    let (target, shape) = (term.along.clone(), &m.ty(term.value).shape);
    let chosen = m.unary(term, UnaryOp::Neg)?;
    let [in_range, chosen, nan] = m.select(chosen)?;
    m.number(&nan).filter(|nan| nan.is_nan())?;
    let (zero, loss) = m.binary(chosen, BinaryOp::Sub)?;
    m.number(&zero).filter(|&number| number == 0.0)?;
    let loss = m.strip_movement(loss);
    let (id, op) = m.definition(loss.value).filter(|(_, op)| matches!(op.kind, OpKind::CrossEntropy(_)))?;
    m.consumed.push(id);
    if (0..target.len()).any(|d| !loss.along.contains(&Some(d)) && shape[d] != 1) {
        return None;
    }
    let (args, ty) = (op.args.clone(), m.ty(loss.value).clone());
    Some(Composite::several(args.iter().copied().chain([in_range.value]).collect::<Values>(), move |b| {
        let value = b.op("loss", CrossEntropy {}, &args, ty);
        let value = loss_with_negative_zeros(b, value);
        let value = arrange(b, &Term { value, ..loss }, &target);
        let in_range = arrange_condition(b, &in_range, &target);
        nan_unless(b, in_range, value);
    }))
}

/// Returns `0 - loss`, the sign of zero that a log-softmax has: 0 where a label is certain, whereas `-loss` is -0.
fn negated_loss(b: &mut Builder<'_>, loss: ValueId) -> ValueId {
    let zero = b.splat(b.ty(loss), Scalar::Float(0.0));
    b.binary(BinaryOp::Sub, zero, loss)
}

/// Returns `-(0 - loss)`, which is -0 where a label is certain.
fn loss_with_negative_zeros(b: &mut Builder<'_>, loss: ValueId) -> ValueId {
    let log = negated_loss(b, loss);
    b.unary(UnaryOp::Neg, log)
}

/// Returns a condition with the dimensions `target`, or a scalar condition unchanged.
fn arrange_condition(b: &mut Builder<'_>, term: &Term, target: &[Option<usize>]) -> ValueId {
    if b.ty(term.value).shape.rank() == 0 { term.value } else { arrange(b, term, target) }
}

/// Returns `condition ? value : NaN`.
fn nan_unless(b: &mut Builder<'_>, condition: ValueId, value: ValueId) -> ValueId {
    let ty = b.ty(value);
    let nan = b.splat(ty.clone(), Scalar::Float(f64::NAN));
    b.op("loss", Select {}, &[condition, value, nan], ty)
}

/// Matches a log-softmax along the last dimension. Returns its operand.
fn log_softmax_operand(m: &mut Match<'_>, term: &Term) -> Option<Term> {
    let (kind, args) = m.composite(term)?;
    let last = matches!(kind, OpKind::LogSoftmax(LogSoftmax { dim }) if Some(dim) == m.last_dim());
    args.into_iter().next().filter(|_| last)
}

/// Matches `sum(y * (label == class))` along the last dimension. Returns `y` and the labels.
fn at_one_hot(m: &mut Match<'_>, term: Term) -> Option<(Term, Term)> {
    let (product, dim) = m.reduced(term, Monoid::Sum)?;
    let classes = m.dim_size(&product, dim) > 0 && m.last_dim() == Some(dim);
    let (a, b) = m.binary(product, BinaryOp::Mul).filter(|_| classes)?;
    [(&a, &b), (&b, &a)].into_iter().find_map(|(y, one_hot)| {
        let (l, r) = m.attempt(|m| m.equality(one_hot.clone()))?;
        [(&l, &r), (&r, &l)].into_iter().find_map(|(labels, classes)| {
            m.attempt(|m| {
                let labels = m.strip_movement(labels.clone());
                let fits = labels.covers(dim) && m.is_integer(&labels) && m.is_iota(classes, dim);
                fits.then(|| (y.clone(), labels))
            })
        })
    })
}

/// Matches `y[label]` or `in_range ? y[label] : NaN`. Returns `y` and the labels.
fn at_look_up(m: &mut Match<'_>, term: Term) -> Option<(Term, Labels)> {
    let guarded = m.attempt(|m| {
        let [in_range, chosen, nan] = m.select(term.clone())?;
        m.number(&nan)?.is_nan().then_some((chosen, Some(in_range)))
    });
    let (chosen, guard) = guarded.unwrap_or((term, None));
    let chosen = m.strip_movement(chosen);
    let found = look_up(m, &chosen)?;
    let shape = &m.ty(chosen.value).shape;
    let is_same = |(d, (a, b)): (usize, (&Option<usize>, &Option<usize>))| a == b || shape[d] == 1;
    let aligned = chosen.along.iter().zip(&found.along).enumerate().all(is_same);
    let y = Term::new(found.source, m.ty(found.source).shape.rank());
    let labels = Labels::from_look_up(m, &found, guard).filter(|_| aligned && m.covers(&y))?;
    Some((y, labels))
}

/// Matches `log_softmax(x)[label]`. Returns `x`, the labels, and the dimension of `x` for each dimension of the root.
fn log_softmax_at_look_up(m: &mut Match<'_>, term: Term) -> Option<(Term, Labels, OperandDims)> {
    let shape = &m.ty(term.value).shape;
    let chosen = m.strip_movement(term);
    let found = look_up(m, &chosen)?;
    let place = |d| chosen.along.iter().position(|along| *along == Some(d));
    if (0..shape.rank()).any(|d| place(d).is_none() && shape[d] != 1) {
        return None;
    }
    let target = (0..shape.rank()).map(|d| found.along[place(d)?]).collect();
    let log = m.rebase(found.source);
    let x = log_softmax_operand(m, &log)?;
    let labels = Labels::from_look_up(m, &found, None).filter(|labels| labels.high.is_some())?;
    Some((x, labels, target))
}

/// Matches a label look-up that defines the term.
fn look_up(m: &mut Match<'_>, term: &Term) -> Option<LabelLookUp> {
    let (id, op) = m.definition(term.value)?;
    let found = LabelLookUp::find(m, op)?;
    m.consumed.push(id);
    Some(found)
}

/// Labels of a look-up.
struct Labels {
    term: Term,
    /// Number of the last class, if labels that are out of range are clamped.
    high: Option<i64>,
    /// Condition outside of which the loss is NaN.
    guard: Option<Term>,
}

impl Labels {
    /// Returns the labels of a look-up. `None` if their dtype cannot represent all classes.
    fn from_look_up(m: &Match<'_>, found: &LabelLookUp, guard: Option<Term>) -> Option<Labels> {
        let high = m.ty(found.source).shape.last()?.checked_sub(1)? as i64;
        let term = found.labels.clone();
        let fits = wrap_int(m.ty(term.value).dtype, high) == high;
        fits.then(|| Labels { term, high: (!found.fill).then_some(high), guard })
    }

    /// Appends the cross-entropy of the logits `x`.
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
        let in_range = arrange_condition(b, guard, &positions);
        nan_unless(b, in_range, loss)
    }
}

/// Returns the replacement by the cross-entropy of `x` at labels.
fn loss(x: Term, labels: Labels) -> Composite {
    let reads: Values = [&labels.term, &x].into_iter().chain(&labels.guard).map(|term| term.value).collect();
    Composite::several(reads, move |b| {
        labels.loss(b, x.value);
    })
}

//! The adjoint of cross-entropy.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{Binary, BinaryOp, CrossEntropy, Direction, Iota, Select, Softmax, UnaryOp};
use partita_ir::program::{Op, Values};

/// `g (softmax - one_hot)`. Where a label is out of range, the largest logits stand for it and share the one. The
/// softmax is made of the maximum and the sum that the forward pass has computed, so that devices which split the
/// classes find them once.
pub fn cross_entropy(at: &mut Adjoint<'_, '_>) -> Result<(), String> {
    if !at.wants(0) {
        return Ok(());
    }
    let (g, logits, labels) = (at.gradient(), at.arg(0), at.arg(1));
    let ty = at.arg_type(0);
    let Some(dim) = ty.shape.rank().checked_sub(1) else { return Ok(()) };
    // Inside of a composite narrow floats are `f32`: such a one stays whole.
    let is_narrow = matches!(ty.dtype, DType::F16 | DType::BF16);
    let parts = if is_narrow { None } else { at.before(|b| CrossEntropy::parts(b, logits, labels)) };
    if let Some(parts) = &parts {
        let args = Values::from_slice(&[parts.log, parts.chosen]);
        at.replace(Op { kind: Binary { op: BinaryOp::Sub }.into(), args, ..at.op.clone() });
    }
    at.wants(0);
    let b = &mut *at.b;
    let max = parts.as_ref().map_or_else(|| b.reduce(Monoid::Max, logits, dim), |parts| parts.max);
    let max = b.spread(max, dim, &ty.shape);
    let hot = chosen(b, logits, labels, max, dim);
    let ones = b.converted(hot, ty.dtype);
    let count = b.sum(ones, &[dim]);
    let share = b.div(g, count);
    let share = b.spread(share, dim, &ty.shape);
    let weights = match parts {
        Some(parts) => {
            let below = b.sub(logits, max);
            let exp = b.unary(UnaryOp::Exp, below);
            let sum = b.spread(parts.sum, dim, &ty.shape);
            b.div(exp, sum)
        }
        None => b.op("softmax", Softmax { dim }, &[logits], ty.clone()),
    };
    let spread = b.spread(g, dim, &ty.shape);
    let all = b.mul(weights, spread);
    let less = b.sub(all, share);
    let gradient = b.choose(hot, less, all);
    at.give(0, gradient);
    Ok(())
}

/// Which class the loss reads at each position: the label's, or those of the largest logit.
fn chosen(b: &mut Builder<'_>, logits: ValueId, labels: ValueId, max: ValueId, dim: usize) -> ValueId {
    let shape = b.ty(logits).shape;
    let classes = shape[dim] as f64;
    // Counting in the labels' own type may wrap, or take more memory than the logits.
    let narrow = b.ty(labels).dtype.bytes() < 4;
    let labels = if narrow { b.converted(labels, DType::I32) } else { labels };
    let above = b.compare_with(labels, Direction::Ge, 0.0);
    let below = b.compare_with(labels, Direction::Lt, classes);
    let ty = b.ty(above);
    let known = b.op("known", Binary { op: BinaryOp::And }, &[above, below], ty);
    let known = b.spread(known, dim, &shape);
    let class = b.op("class", Iota { dim }, &[], Type { shape: shape.clone(), dtype: DType::I32 });
    let label = b.converted(labels, DType::I32);
    let label = b.spread(label, dim, &shape);
    let named = b.compare(class, Direction::Eq, label);
    let largest = b.compare(logits, Direction::Eq, max);
    let ty = Type { shape, dtype: DType::Bool };
    b.op("chosen", Select {}, &[known, named, largest], ty)
}

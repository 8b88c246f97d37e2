//! The adjoint of cross-entropy.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{Binary, BinaryOp, CrossEntropy, Direction, Iota, Select, Softmax, UnaryOp};
use partita_ir::program::{Op, Values};

/// Appends the adjoint of `cross_entropy`: `g (softmax - one_hot)`. If a label is out of range, the classes with the
/// largest logit replace it in equal shares. The softmax is computed from the maximum and the sum of the forward pass,
/// so that devices that shard the classes reduce them only once.
pub fn cross_entropy(ctx: &mut Adjoint<'_, '_>) -> Result<(), String> {
    if !ctx.needs_gradient(0) {
        return Ok(());
    }
    let (g, logits, labels) = (ctx.gradient(), ctx.arg(0), ctx.arg(1));
    let ty = ctx.arg_type(0);
    let Some(dim) = ty.shape.rank().checked_sub(1) else { return Ok(()) };
    // A composite on narrow floats computes in `f32` internally, so that it is not decomposed.
    let is_narrow = matches!(ty.dtype, DType::F16 | DType::BF16);
    let parts = if is_narrow { None } else { ctx.insert_before(|b| CrossEntropy::terms(b, logits, labels)) };
    if let Some(parts) = &parts {
        let args = Values::from_slice(&[parts.log, parts.chosen]);
        ctx.replace(Op { kind: Binary { op: BinaryOp::Sub }.into(), args, ..ctx.op.clone() });
    }
    ctx.needs_gradient(0);
    let b = &mut *ctx.b;
    let max = parts.as_ref().map_or_else(|| b.reduce(Monoid::Max, logits, dim), |parts| parts.max);
    let max = b.broadcast_along(max, dim, &ty.shape);
    let hot = read_classes(b, logits, labels, max, dim);
    let ones = b.converted(hot, ty.dtype);
    let count = b.sum(ones, &[dim]);
    let share = b.div(g, count);
    let share = b.broadcast_along(share, dim, &ty.shape);
    let weights = match parts {
        Some(parts) => {
            let below = b.sub(logits, max);
            let exp = b.unary(UnaryOp::Exp, below);
            let sum = b.broadcast_along(parts.sum, dim, &ty.shape);
            b.div(exp, sum)
        }
        None => b.op("softmax", Softmax { dim }, &[logits], ty.clone()),
    };
    let spread = b.broadcast_along(g, dim, &ty.shape);
    let all = b.mul(weights, spread);
    let less = b.sub(all, share);
    let gradient = b.choose(hot, less, all);
    ctx.set_gradient(0, gradient);
    Ok(())
}

/// Returns a mask of the classes that the loss reads at each position: the label, or the classes with the largest
/// logit.
fn read_classes(b: &mut Builder<'_>, logits: ValueId, labels: ValueId, max: ValueId, dim: usize) -> ValueId {
    let shape = b.ty(logits).shape;
    let classes = shape[dim] as f64;
    // A counter in the type of the labels may overflow, or use more memory than the logits.
    let narrow = b.ty(labels).dtype.bytes() < 4;
    let labels = if narrow { b.converted(labels, DType::I32) } else { labels };
    let above = b.compare_with(labels, Direction::Ge, 0.0);
    let below = b.compare_with(labels, Direction::Lt, classes);
    let ty = b.ty(above);
    let is_in_range = b.op("known", Binary { op: BinaryOp::And }, &[above, below], ty);
    let is_in_range = b.broadcast_along(is_in_range, dim, &shape);
    let class = b.op("class", Iota { dim }, &[], Type { shape: shape.clone(), dtype: DType::I32 });
    let label = b.converted(labels, DType::I32);
    let label = b.broadcast_along(label, dim, &shape);
    let named = b.compare(class, Direction::Eq, label);
    let largest = b.compare(logits, Direction::Eq, max);
    let ty = Type { shape, dtype: DType::Bool };
    b.op("chosen", Select {}, &[is_in_range, named, largest], ty)
}

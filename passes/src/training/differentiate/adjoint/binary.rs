//! Adjoints of elementwise functions of two operands.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};

/// Returns whether small changes of operand `i` can change the result.
pub fn may_depend(op: BinaryOp, i: usize) -> bool {
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow => true,
        BinaryOp::Max | BinaryOp::Min | BinaryOp::Atan2 => true,
        BinaryOp::NextAfter => i == 0,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => false,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => false,
    }
}

/// Appends the adjoint of a binary op: multiplies the gradient by the partial derivatives.
pub fn adjoint(ctx: &mut Adjoint<'_, '_>, op: BinaryOp) -> Result<(), String> {
    let (g, x, y, out) = (ctx.gradient(), ctx.arg(0), ctx.arg(1), ctx.out());
    match op {
        BinaryOp::Add => {
            for i in [0, 1] {
                if ctx.needs_gradient(i) {
                    ctx.set_gradient(i, g);
                }
            }
        }
        BinaryOp::Sub => {
            if ctx.needs_gradient(0) {
                ctx.set_gradient(0, g);
            }
            if ctx.needs_gradient(1) {
                let dy = ctx.b.neg(g);
                ctx.set_gradient(1, dy);
            }
        }
        BinaryOp::Mul => mul(ctx, g),
        BinaryOp::Div => {
            if ctx.needs_gradient(0) {
                let dx = ctx.b.div(g, y);
                ctx.set_gradient(0, dx);
            }
            if ctx.needs_gradient(1) {
                let share = ctx.b.div(g, y);
                let dy = ctx.b.mul(share, out);
                let dy = ctx.b.neg(dy);
                ctx.set_gradient(1, dy);
            }
        }
        BinaryOp::Rem => {
            if ctx.needs_gradient(0) {
                ctx.set_gradient(0, g);
            }
            if ctx.needs_gradient(1) {
                // The quotient that the remainder is based on is an integer.
                let multiple = ctx.b.sub(x, out);
                let times = ctx.b.div(multiple, y);
                let times = ctx.b.unary(UnaryOp::Round, times);
                let dy = ctx.b.mul(g, times);
                let dy = ctx.b.neg(dy);
                ctx.set_gradient(1, dy);
            }
        }
        BinaryOp::Pow => pow(ctx, g),
        BinaryOp::Max => max_or_min(ctx, g, Direction::Gt),
        BinaryOp::Min => max_or_min(ctx, g, Direction::Lt),
        BinaryOp::Atan2 => {
            if ctx.needs_gradient(0) || ctx.needs_gradient(1) {
                let (a, c) = (ctx.b.mul(x, x), ctx.b.mul(y, y));
                let square = ctx.b.add(a, c);
                let share = ctx.b.div(g, square);
                if ctx.needs_gradient(0) {
                    let dx = ctx.b.mul(share, y);
                    ctx.set_gradient(0, dx);
                }
                if ctx.needs_gradient(1) {
                    let dy = ctx.b.mul(share, x);
                    let dy = ctx.b.neg(dy);
                    ctx.set_gradient(1, dy);
                }
            }
        }
        BinaryOp::NextAfter => {
            if ctx.needs_gradient(0) {
                ctx.set_gradient(0, g);
            }
        }
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {}
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => {}
    }
    Ok(())
}

/// Appends the adjoint of a product. If a factor is a mask of zeros and ones, the gradient is selected by the original
/// `bool` mask, so that no floats are stored for the backward pass.
fn mul(ctx: &mut Adjoint<'_, '_>, g: ValueId) {
    for (i, other) in [(0, 1), (1, 0)] {
        if ctx.needs_gradient(i) {
            let gradient = match ctx.mask(other) {
                Some(mask) => ctx.b.select_or_zero(mask, g),
                None => ctx.b.mul(g, ctx.op.args[other]),
            };
            ctx.set_gradient(i, gradient);
        }
    }
}

/// Appends the adjoint of a maximum or minimum: the selected operand gets the gradient.
fn max_or_min(ctx: &mut Adjoint<'_, '_>, g: ValueId, direction: Direction) {
    let (x, y) = (ctx.arg(0), ctx.arg(1));
    for (i, operand, other) in [(0, x, y), (1, y, x)] {
        if ctx.needs_gradient(i) {
            let gradient = selected_gradient(ctx.b, g, operand, direction, other);
            ctx.set_gradient(i, gradient);
        }
    }
}

/// Returns the gradient of `operand`: all of it if `operand` is selected, half of it for equal operands.
fn selected_gradient(
    b: &mut Builder<'_>,
    g: ValueId,
    operand: ValueId,
    direction: Direction,
    other: ValueId,
) -> ValueId {
    let won = b.compare(operand, direction, other);
    let all = b.select_or_zero(won, g);
    let tie = b.compare(operand, Direction::Eq, other);
    let half = b.times(g, 0.5);
    b.choose(tie, half, all)
}

/// Appends the adjoint of `pow`: `y x^(y - 1)` for the base and `x^y log x` for the exponent. These are zero for an
/// exponent of 0 and for a base of 0 respectively, even if another factor is infinite.
fn pow(ctx: &mut Adjoint<'_, '_>, g: ValueId) {
    let (x, y, out) = (ctx.arg(0), ctx.arg(1), ctx.out());
    if ctx.needs_gradient(0) {
        let exponent = ctx.constant(y);
        let b = &mut *ctx.b;
        let slope = match exponent {
            Some(0.0) => None,
            Some(1.0) => Some(g),
            Some(2.0) => {
                let slope = b.times(x, 2.0);
                Some(b.mul(g, slope))
            }
            Some(n) => {
                let power = b.binary_scalar(BinaryOp::Pow, x, n - 1.0);
                let slope = b.times(power, n);
                Some(b.mul(g, slope))
            }
            None => {
                let zero = b.compare_with(y, Direction::Eq, 0.0);
                let less = b.plus(y, -1.0);
                let power = b.binary(BinaryOp::Pow, x, less);
                let slope = b.mul(y, power);
                let slope = b.zero_where(zero, slope);
                Some(b.mul(g, slope))
            }
        };
        if let Some(gradient) = slope {
            ctx.set_gradient(0, gradient);
        }
    }
    if ctx.needs_gradient(1) {
        let b = &mut *ctx.b;
        let zero = b.compare_with(x, Direction::Eq, 0.0);
        let log = b.unary(UnaryOp::Log, x);
        let slope = b.mul(out, log);
        let slope = b.zero_where(zero, slope);
        let gradient = b.mul(g, slope);
        ctx.set_gradient(1, gradient);
    }
}

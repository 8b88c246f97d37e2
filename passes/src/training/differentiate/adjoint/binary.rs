//! Adjoints of functions of two numbers.

use super::Adjoint;
use super::algebra::Algebra;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};

/// Returns whether small changes of operand `i` can change the result.
pub fn depends(op: BinaryOp, i: usize) -> bool {
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow => true,
        BinaryOp::Max | BinaryOp::Min | BinaryOp::Atan2 => true,
        BinaryOp::NextAfter => i == 0,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => false,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => false,
    }
}

/// The gradient times the derivative to each operand.
pub fn adjoint(at: &mut Adjoint<'_, '_>, op: BinaryOp) -> Result<(), String> {
    let (g, x, y, out) = (at.gradient(), at.arg(0), at.arg(1), at.out());
    match op {
        BinaryOp::Add => {
            for i in [0, 1] {
                if at.wants(i) {
                    at.give(i, g);
                }
            }
        }
        BinaryOp::Sub => {
            if at.wants(0) {
                at.give(0, g);
            }
            if at.wants(1) {
                let dy = at.b.neg(g);
                at.give(1, dy);
            }
        }
        BinaryOp::Mul => mul(at, g),
        BinaryOp::Div => {
            if at.wants(0) {
                let dx = at.b.div(g, y);
                at.give(0, dx);
            }
            if at.wants(1) {
                let share = at.b.div(g, y);
                let dy = at.b.mul(share, out);
                let dy = at.b.neg(dy);
                at.give(1, dy);
            }
        }
        BinaryOp::Rem => {
            if at.wants(0) {
                at.give(0, g);
            }
            if at.wants(1) {
                // How often the divisor was taken away is a whole number.
                let taken = at.b.sub(x, out);
                let times = at.b.div(taken, y);
                let times = at.b.unary(UnaryOp::Round, times);
                let dy = at.b.mul(g, times);
                let dy = at.b.neg(dy);
                at.give(1, dy);
            }
        }
        BinaryOp::Pow => pow(at, g),
        BinaryOp::Max => choice(at, g, Direction::Gt),
        BinaryOp::Min => choice(at, g, Direction::Lt),
        BinaryOp::Atan2 => {
            if at.wants(0) || at.wants(1) {
                let (a, c) = (at.b.mul(x, x), at.b.mul(y, y));
                let square = at.b.add(a, c);
                let share = at.b.div(g, square);
                if at.wants(0) {
                    let dx = at.b.mul(share, y);
                    at.give(0, dx);
                }
                if at.wants(1) {
                    let dy = at.b.mul(share, x);
                    let dy = at.b.neg(dy);
                    at.give(1, dy);
                }
            }
        }
        BinaryOp::NextAfter => {
            if at.wants(0) {
                at.give(0, g);
            }
        }
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {}
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => {}
    }
    Ok(())
}

/// A factor that is a mask of zeros and ones selects: then its `bool`s are kept for the backward pass, and no floats.
fn mul(at: &mut Adjoint<'_, '_>, g: ValueId) {
    for (i, other) in [(0, 1), (1, 0)] {
        if at.wants(i) {
            let gradient = match at.mask(other) {
                Some(mask) => at.b.keep(mask, g),
                None => at.b.mul(g, at.op.args[other]),
            };
            at.give(i, gradient);
        }
    }
}

/// The gradient to the operand that is chosen.
fn choice(at: &mut Adjoint<'_, '_>, g: ValueId, wins: Direction) {
    let (x, y) = (at.arg(0), at.arg(1));
    for (i, mine, other) in [(0, x, y), (1, y, x)] {
        if at.wants(i) {
            let gradient = winner(at.b, g, mine, wins, other);
            at.give(i, gradient);
        }
    }
}

/// What the first of two numbers gets if the larger (smaller) one wins; on a tie half.
fn winner(b: &mut Builder<'_>, g: ValueId, mine: ValueId, wins: Direction, other: ValueId) -> ValueId {
    let won = b.compare(mine, wins, other);
    let all = b.keep(won, g);
    let tie = b.compare(mine, Direction::Eq, other);
    let half = b.times(g, 0.5);
    b.choose(tie, half, all)
}

/// `y x^(y - 1)` to the base and `x^y log x` to the exponent, which are zero for the exponent 0 and for the base 0,
/// whatever the other factors are.
fn pow(at: &mut Adjoint<'_, '_>, g: ValueId) {
    let (x, y, out) = (at.arg(0), at.arg(1), at.out());
    if at.wants(0) {
        let exponent = at.number(y);
        let b = &mut *at.b;
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
                let slope = b.drop(zero, slope);
                Some(b.mul(g, slope))
            }
        };
        if let Some(gradient) = slope {
            at.give(0, gradient);
        }
    }
    if at.wants(1) {
        let b = &mut *at.b;
        let zero = b.compare_with(x, Direction::Eq, 0.0);
        let log = b.unary(UnaryOp::Log, x);
        let slope = b.mul(out, log);
        let slope = b.drop(zero, slope);
        let gradient = b.mul(g, slope);
        at.give(1, gradient);
    }
}

//! Scalar functions of one and two numbers. Integer operations without a defined result follow the reference
//! interpreter.
#![allow(clippy::excessive_precision, reason = "coefficients are as published")]

use super::evaluate::float;
use super::steps::RegClass;
use cubecl::prelude::*;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::{float_functions, float_predicates};

/// Returns true if kernels implement the unary op on registers of `class`.
pub(crate) fn has_unary(op: UnaryOp, class: RegClass) -> bool {
    match op {
        UnaryOp::Abs | UnaryOp::Neg | UnaryOp::Sign | UnaryOp::Relu => class != RegClass::Bool,
        UnaryOp::Not => class != RegClass::F32,
        UnaryOp::PopCount | UnaryOp::CountLeadingZeros => matches!(class, RegClass::I32 | RegClass::U32),
        UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round | UnaryOp::RoundEven | UnaryOp::Reciprocal => {
            class == RegClass::F32
        }
        UnaryOp::Exp | UnaryOp::Expm1 | UnaryOp::Log | UnaryOp::Log1p | UnaryOp::Sigmoid => class == RegClass::F32,
        UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Cbrt => class == RegClass::F32,
        UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tan | UnaryOp::Asin | UnaryOp::Acos | UnaryOp::Atan => {
            class == RegClass::F32
        }
        UnaryOp::Sinh | UnaryOp::Cosh | UnaryOp::Tanh => class == RegClass::F32,
        UnaryOp::Asinh | UnaryOp::Acosh | UnaryOp::Atanh => class == RegClass::F32,
        UnaryOp::Erf | UnaryOp::Erfc | UnaryOp::ErfInv => class == RegClass::F32,
        UnaryOp::IsFinite | UnaryOp::IsNan | UnaryOp::IsInf => class == RegClass::F32,
        UnaryOp::StopGradient => class == RegClass::F32,
        UnaryOp::Lgamma | UnaryOp::Digamma => false,
    }
}

/// Returns true if kernels implement the binary op on registers of `class`.
pub(crate) fn has_binary(op: BinaryOp, class: RegClass) -> bool {
    match op {
        BinaryOp::Add | BinaryOp::Mul | BinaryOp::Max | BinaryOp::Min => true,
        BinaryOp::Sub | BinaryOp::Div | BinaryOp::Rem => class != RegClass::Bool,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => class != RegClass::F32,
        BinaryOp::Pow | BinaryOp::Atan2 => class == RegClass::F32,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => {
            matches!(class, RegClass::I32 | RegClass::U32)
        }
        BinaryOp::NextAfter => false,
    }
}

#[cube]
pub(crate) fn unary_f32(x: f32, #[comptime] op: UnaryOp) -> f32 {
    match op {
        UnaryOp::Abs => x.abs(),
        UnaryOp::Neg => -x,
        UnaryOp::Sign => select(x > 0.0, 1.0, select(x < 0.0, -1.0, x)),
        UnaryOp::Relu => select(x < 0.0, 0.0, x),
        UnaryOp::Reciprocal => 1.0 / x,
        UnaryOp::Rsqrt => x.inverse_sqrt(),
        UnaryOp::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        UnaryOp::Sqrt => x.sqrt(),
        UnaryOp::Cbrt => cube_root(x),
        UnaryOp::Exp => x.exp(),
        UnaryOp::Expm1 => x.exp_m1(),
        UnaryOp::Log => x.ln(),
        UnaryOp::Log1p => x.log1p(),
        UnaryOp::Erf => Erf::erf(x),
        UnaryOp::Erfc => erfc(x),
        UnaryOp::ErfInv => erf_inv(x, (1.0 - x) * (1.0 + x)),
        UnaryOp::Floor => x.floor(),
        UnaryOp::Ceil => x.ceil(),
        UnaryOp::Round => round_away(x),
        UnaryOp::RoundEven => round_even(x),
        UnaryOp::Sin => x.sin(),
        UnaryOp::Cos => x.cos(),
        UnaryOp::Tan => x.tan(),
        UnaryOp::Asin => x.asin(),
        UnaryOp::Acos => x.acos(),
        UnaryOp::Atan => x.atan(),
        UnaryOp::Sinh => x.sinh(),
        UnaryOp::Cosh => x.cosh(),
        UnaryOp::Tanh => x.tanh(),
        UnaryOp::Asinh => x.asinh(),
        UnaryOp::Acosh => x.acosh(),
        UnaryOp::Atanh => x.atanh(),
        UnaryOp::StopGradient => x,
        // Not implemented: see `has_unary`.
        UnaryOp::Lgamma | UnaryOp::Digamma | UnaryOp::Not => x,
        UnaryOp::PopCount | UnaryOp::CountLeadingZeros => x,
        // These return no float.
        UnaryOp::IsFinite | UnaryOp::IsNan | UnaryOp::IsInf => x,
    }
}

/// Returns true if `x` is NaN. The test uses bits, since graphics drivers may assume that floats are never NaN.
#[cube]
pub(crate) fn is_nan(x: f32) -> bool {
    u32::reinterpret(x) & 0x7fff_ffffu32 > 0x7f80_0000u32
}

/// Returns the larger number, with `0 > -0`, or NaN if either number is NaN (`maximum` of IEEE 754-2019).
#[cube]
pub(crate) fn maximum(x: f32, y: f32) -> f32 {
    // Equal floats have equal bits, except for zeros.
    let equal = f32::reinterpret(u32::reinterpret(x) & u32::reinterpret(y));
    select(x == y, equal, select((x > y && !is_nan(y)) || is_nan(x), x, y))
}

/// Returns the smaller number, with `-0 < 0`, or NaN if either number is NaN (`minimum` of IEEE 754-2019).
#[cube]
pub(crate) fn minimum(x: f32, y: f32) -> f32 {
    let equal = f32::reinterpret(u32::reinterpret(x) | u32::reinterpret(y));
    select(x == y, equal, select((x < y && !is_nan(y)) || is_nan(x), x, y))
}

/// Returns the magnitude of `size` with the sign of `sign`.
#[cube]
fn with_sign(size: f32, sign: f32) -> f32 {
    f32::reinterpret((u32::reinterpret(size) & 0x7fff_ffffu32) | (u32::reinterpret(sign) & 0x8000_0000u32))
}

/// Rounds to the nearest integer, ties away from zero.
#[cube]
fn round_away(x: f32) -> f32 {
    let size = x.abs();
    let below = size.floor();
    // The difference is exact, unlike the sum of a number and one half.
    with_sign(select(size - below >= 0.5, below + 1.0, below), x)
}

/// Rounds to the nearest integer, ties to even.
#[cube]
fn round_even(x: f32) -> f32 {
    let size = x.abs();
    let below = size.floor();
    let above = below + 1.0;
    let part = size - below;
    let is_even = (below * 0.5).floor() * 2.0 == below;
    let tie = select(is_even, below, above);
    with_sign(select(part < 0.5, below, select(part > 0.5, above, tie)), x)
}

/// Computes the cube root: a power, followed by a step of Newton's method.
#[cube]
fn cube_root(x: f32) -> f32 {
    let size = x.abs();
    let root = size.powf(0.333_333_34);
    let root = root - (root * root * root - size) / (3.0 * root * root);
    select(size == 0.0, x, select(x < 0.0, -root, root))
}

/// Computes `1 - erf(x)` with a relative error of 1.2e-7. Source: Press, Teukolsky, Vetterling and Flannery, "Numerical
/// Recipes", section 6.2.
#[cube]
fn erfc(x: f32) -> f32 {
    let size = x.abs();
    let t = 1.0 / (1.0 + 0.5 * size);
    let series = 0.17087277 * t - 0.82215223;
    let series = series * t + 1.48851587;
    let series = series * t - 1.13520398;
    let series = series * t + 0.27886807;
    let series = series * t - 0.18628806;
    let series = series * t + 0.09678418;
    let series = series * t + 0.37409196;
    let series = series * t + 1.00002368;
    let above = t * (series * t - 1.26551223 - size * size).exp();
    select(x < 0.0, 2.0 - above, above)
}

/// Computes the inverse of `erf` in single precision. `tail` is `(1 - x) * (1 + x)`; an exact value preserves accuracy
/// for `x` close to 1. Source: Giles, "Approximating the erfinv function" (2010).
#[cube]
pub(crate) fn erf_inv(x: f32, tail: f32) -> f32 {
    let w = -tail.ln();
    let near = w - 2.5;
    let a = 2.81022636e-08 * near + 3.43273939e-07;
    let a = a * near - 3.5233877e-06;
    let a = a * near - 4.39150654e-06;
    let a = a * near + 0.00021858087;
    let a = a * near - 0.00125372503;
    let a = a * near - 0.00417768164;
    let a = a * near + 0.246640727;
    let a = a * near + 1.50140941;
    let far = w.sqrt() - 3.0;
    let b = 0.000100950558 - 0.000200214257 * far;
    let b = b * far + 0.00134934322;
    let b = b * far - 0.00367342844;
    let b = b * far + 0.00573950773;
    let b = b * far - 0.0076224613;
    let b = b * far + 0.00943887047;
    let b = b * far + 1.00167406;
    let b = b * far + 2.83297682;
    let infinite = float(comptime!(f32::INFINITY.to_bits())) * x;
    select(tail == 0.0, infinite, select(w < 5.0, a, b) * x)
}

#[cube]
pub(crate) fn binary_f32(x: f32, y: f32, #[comptime] op: BinaryOp) -> f32 {
    match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Div => x / y,
        BinaryOp::Rem => x % y,
        BinaryOp::Max => maximum(x, y),
        BinaryOp::Min => minimum(x, y),
        BinaryOp::Pow => x.powf(y),
        BinaryOp::Atan2 => x.atan2(y),
        // Not implemented: see `has_binary`.
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::NextAfter => x,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => x,
    }
}

#[cube]
pub(crate) fn unary_i32(x: i32, #[comptime] op: UnaryOp) -> i32 {
    match op {
        UnaryOp::Abs => select(x < 0i32, 0i32 - x, x),
        UnaryOp::Neg => 0i32 - x,
        UnaryOp::Sign => select(x > 0i32, 1i32, select(x < 0i32, -1i32, 0i32)),
        UnaryOp::Relu => select(x < 0i32, 0i32, x),
        UnaryOp::Not => !x,
        UnaryOp::PopCount => i32::cast_from(x.count_ones()),
        UnaryOp::CountLeadingZeros => i32::cast_from(x.leading_zeros()),
        // Not implemented: see `has_unary`.
        float_functions!() | float_predicates!() => x,
    }
}

#[cube]
pub(crate) fn unary_u32(x: u32, #[comptime] op: UnaryOp) -> u32 {
    match op {
        UnaryOp::Neg => 0u32 - x,
        UnaryOp::Sign => select(x != 0u32, 1u32, 0u32),
        UnaryOp::Not => !x,
        UnaryOp::PopCount => x.count_ones(),
        UnaryOp::CountLeadingZeros => x.leading_zeros(),
        UnaryOp::Abs | UnaryOp::Relu => x,
        // Not implemented: see `has_unary`.
        float_functions!() | float_predicates!() => x,
    }
}

#[cube]
pub(crate) fn binary_i32(x: i32, y: i32, #[comptime] op: BinaryOp) -> i32 {
    match op {
        // The divisor must not be 0, nor -1 for the smallest number.
        BinaryOp::Div => {
            let by = select(y == 0i32 || y == -1i32, 1i32, y);
            select(y == 0i32, -1i32, select(y == -1i32, 0i32 - x, x / by))
        }
        BinaryOp::Rem => {
            let by = select(y == 0i32 || y == -1i32, 1i32, y);
            select(y == 0i32, x, select(y == -1i32, 0i32, x % by))
        }
        BinaryOp::ShiftLeft => select(is_inside(y), x << (y & 31i32), 0i32),
        BinaryOp::ShiftRight => x >> select(is_inside(y), y & 31i32, 31i32),
        BinaryOp::ShiftRightLogical => {
            let shifted = u32::reinterpret(x) >> u32::reinterpret(y & 31i32);
            select(is_inside(y), i32::reinterpret(shifted), 0i32)
        }
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Max | BinaryOp::Min => integers::<i32>(x, y, op),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => integers::<i32>(x, y, op),
        // Not implemented: see `has_binary`.
        BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::NextAfter => x,
    }
}

/// Returns true if a shift amount is less than the width of the word.
#[cube]
fn is_inside(shift: i32) -> bool {
    shift >= 0i32 && shift < 32i32
}

#[cube]
pub(crate) fn binary_u32(x: u32, y: u32, #[comptime] op: BinaryOp) -> u32 {
    match op {
        BinaryOp::Div => select(y == 0u32, !0u32, x / select(y == 0u32, 1u32, y)),
        BinaryOp::Rem => select(y == 0u32, x, x % select(y == 0u32, 1u32, y)),
        BinaryOp::ShiftLeft => select(y < 32u32, x << (y & 31u32), 0u32),
        BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => select(y < 32u32, x >> (y & 31u32), 0u32),
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Max | BinaryOp::Min => integers::<u32>(x, y, op),
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => integers::<u32>(x, y, op),
        // Not implemented: see `has_binary`.
        BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::NextAfter => x,
    }
}

#[cube]
fn integers<T: Int>(x: T, y: T, #[comptime] op: BinaryOp) -> T {
    match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Max => select(x > y, x, y),
        BinaryOp::Min => select(x < y, x, y),
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        // Operations that depend on the type, or are not implemented: see `has_binary`.
        BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::NextAfter => x,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => x,
    }
}

#[cube]
pub(crate) fn binary_bool(x: bool, y: bool, #[comptime] op: BinaryOp) -> bool {
    match op {
        BinaryOp::And | BinaryOp::Mul | BinaryOp::Min => x && y,
        BinaryOp::Or | BinaryOp::Add | BinaryOp::Max => x || y,
        BinaryOp::Xor => (x || y) && !(x && y),
        // Not implemented: see `has_binary`.
        BinaryOp::Sub | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::NextAfter => x,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => x,
    }
}

#[cube]
pub(crate) fn compare<T: Numeric>(x: T, y: T, #[comptime] direction: Direction) -> bool {
    match direction {
        Direction::Eq => x == y,
        Direction::Ne => x != y,
        Direction::Lt => x < y,
        Direction::Le => x <= y,
        Direction::Gt => x > y,
        Direction::Ge => x >= y,
    }
}

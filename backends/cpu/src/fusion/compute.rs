//! The instructions on elements in registers.
//!
//! Each is a loop over elements that the compiler turns into vector instructions: they are called inside of
//! [`pulp::Arch::dispatch`], which compiles them for the widest that the machine has. An operand of one element meets
//! all of the other.

use super::math;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp, maximum, minimum};
use partita_ir::tensor::wrap_int;
use partita_ir::{float_functions, float_predicates};
use partita_lowering::fusion::row_loop::Lane;

/// Elements of an operand: one for each of the result's, or one for all.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) start: *const u8,
    pub(super) single: bool,
}

/// `f` of every element.
///
/// # Safety
/// Both have `n` elements, or the operand is single.
#[inline(always)]
unsafe fn each<A: Copy, D>(n: usize, a: Operand, d: *mut u8, f: impl Fn(A) -> D) {
    let (x, d) = (a.start.cast::<A>(), d.cast::<D>());
    // SAFETY: what the caller promises.
    unsafe {
        if a.single {
            let x = *x;
            below!(i, n, d.add(i).write(f(x)));
        } else {
            below!(i, n, d.add(i).write(f(*x.add(i))));
        }
    }
}

/// `f` of every two elements.
///
/// # Safety
/// As [`each`].
#[inline(always)]
unsafe fn both<A: Copy, D>(n: usize, a: Operand, b: Operand, d: *mut u8, f: impl Fn(A, A) -> D) {
    let (x, y, d) = (a.start.cast::<A>(), b.start.cast::<A>(), d.cast::<D>());
    // SAFETY: what the caller promises. What is single is read before anything is written.
    unsafe {
        let (x0, y0) = (*x, *y);
        match (a.single, b.single) {
            (false, false) => below!(i, n, d.add(i).write(f(*x.add(i), *y.add(i)))),
            (false, true) => below!(i, n, d.add(i).write(f(*x.add(i), y0))),
            (true, false) => below!(i, n, d.add(i).write(f(x0, *y.add(i)))),
            (true, true) => below!(i, n, d.add(i).write(f(x0, y0))),
        }
    }
}

/// Functions of `f32` and `f64` that have different code.
trait Real: Copy {
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn tanh(self) -> Self;
    fn sigmoid(self) -> Self;
    fn erf(self) -> Self;
}

impl Real for f32 {
    #[inline(always)]
    fn exp(self) -> f32 {
        math::exp(self)
    }
    #[inline(always)]
    fn ln(self) -> f32 {
        math::ln(self)
    }
    #[inline(always)]
    fn tanh(self) -> f32 {
        math::tanh(self)
    }
    #[inline(always)]
    fn sigmoid(self) -> f32 {
        math::sigmoid(self)
    }
    #[inline(always)]
    fn erf(self) -> f32 {
        math::erf(self)
    }
}

impl Real for f64 {
    fn exp(self) -> f64 {
        f64::exp(self)
    }
    fn ln(self) -> f64 {
        f64::ln(self)
    }
    fn tanh(self) -> f64 {
        f64::tanh(self)
    }
    fn sigmoid(self) -> f64 {
        1.0 / (1.0 + f64::exp(-self))
    }
    fn erf(self) -> f64 {
        libm::erf(self)
    }
}

/// Whether a unary op is fused, on operands of that dtype.
pub(crate) fn has_unary(op: UnaryOp, dtype: DType) -> bool {
    let lane = Lane::of(dtype);
    let is_float = matches!(lane, Lane::F32 | Lane::F64);
    match op {
        UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Relu | UnaryOp::Reciprocal | UnaryOp::Rsqrt => is_float,
        UnaryOp::Sigmoid | UnaryOp::Sqrt | UnaryOp::Exp | UnaryOp::Expm1 | UnaryOp::Log | UnaryOp::Log1p => is_float,
        UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tanh | UnaryOp::Erf => is_float,
        UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::IsFinite => is_float,
        UnaryOp::Neg => lane != Lane::Bool,
        UnaryOp::Not => !is_float,
        UnaryOp::Round | UnaryOp::RoundEven | UnaryOp::Cbrt | UnaryOp::Tan | UnaryOp::Asin | UnaryOp::Acos => false,
        UnaryOp::Atan | UnaryOp::Sinh | UnaryOp::Cosh | UnaryOp::Asinh | UnaryOp::Acosh | UnaryOp::Atanh => false,
        UnaryOp::Erfc | UnaryOp::ErfInv | UnaryOp::Lgamma | UnaryOp::Digamma => false,
        UnaryOp::PopCount | UnaryOp::CountLeadingZeros | UnaryOp::IsNan | UnaryOp::IsInf => false,
    }
}

/// Whether a binary op is fused, on operands of that dtype.
pub(crate) fn has_binary(op: BinaryOp, dtype: DType) -> bool {
    let lane = Lane::of(dtype);
    let is_float = matches!(lane, Lane::F32 | Lane::F64);
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => lane != Lane::Bool,
        BinaryOp::Max | BinaryOp::Min => is_float || lane == Lane::Int && dtype != DType::U64,
        BinaryOp::Div | BinaryOp::Pow => is_float,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => !is_float,
        BinaryOp::Rem | BinaryOp::Atan2 | BinaryOp::NextAfter => false,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => false,
    }
}

macro_rules! floats {
    ($name:ident, $binary:ident, $compare:ident, $t:ty) => {
        #[inline(always)]
        unsafe fn $name(op: UnaryOp, n: usize, a: Operand, d: *mut u8) {
            // SAFETY: what the caller promises.
            unsafe {
                match op {
                    UnaryOp::Abs => each(n, a, d, |x: $t| x.abs()),
                    UnaryOp::Neg => each(n, a, d, |x: $t| -x),
                    UnaryOp::Sign => {
                        each(n, a, d, |x: $t| if x == 0.0 || x.is_nan() { x } else { (1.0 as $t).copysign(x) })
                    }
                    UnaryOp::Relu => each(n, a, d, |x: $t| if x < 0.0 { 0.0 } else { x }),
                    UnaryOp::Reciprocal => each(n, a, d, |x: $t| 1.0 / x),
                    UnaryOp::Rsqrt => each(n, a, d, |x: $t| 1.0 / x.sqrt()),
                    UnaryOp::Sigmoid => each(n, a, d, |x: $t| Real::sigmoid(x)),
                    UnaryOp::Sqrt => each(n, a, d, |x: $t| x.sqrt()),
                    UnaryOp::Exp => each(n, a, d, |x: $t| Real::exp(x)),
                    UnaryOp::Log => each(n, a, d, |x: $t| Real::ln(x)),
                    UnaryOp::Tanh => each(n, a, d, |x: $t| Real::tanh(x)),
                    UnaryOp::Erf => each(n, a, d, |x: $t| Real::erf(x)),
                    UnaryOp::Floor => each(n, a, d, |x: $t| x.floor()),
                    UnaryOp::Ceil => each(n, a, d, |x: $t| x.ceil()),
                    UnaryOp::Expm1 => each(n, a, d, |x: $t| x.exp_m1()),
                    UnaryOp::Log1p => each(n, a, d, |x: $t| x.ln_1p()),
                    UnaryOp::Sin => each(n, a, d, |x: $t| x.sin()),
                    UnaryOp::Cos => each(n, a, d, |x: $t| x.cos()),
                    UnaryOp::IsFinite => each(n, a, d, |x: $t| u32::from(x.is_finite())),
                    // Not fused: see `has_unary`.
                    UnaryOp::Round | UnaryOp::RoundEven | UnaryOp::Cbrt | UnaryOp::Tan | UnaryOp::Asin => {}
                    UnaryOp::Acos | UnaryOp::Atan | UnaryOp::Sinh | UnaryOp::Cosh | UnaryOp::Asinh => {}
                    UnaryOp::Acosh | UnaryOp::Atanh | UnaryOp::Erfc | UnaryOp::ErfInv | UnaryOp::Lgamma => {}
                    UnaryOp::Digamma | UnaryOp::Not | UnaryOp::PopCount | UnaryOp::CountLeadingZeros => {}
                    UnaryOp::IsNan | UnaryOp::IsInf => {}
                }
            }
        }

        #[inline(always)]
        unsafe fn $binary(op: BinaryOp, n: usize, a: Operand, b: Operand, d: *mut u8) {
            // SAFETY: what the caller promises.
            unsafe {
                match op {
                    BinaryOp::Add => both(n, a, b, d, |x: $t, y| x + y),
                    BinaryOp::Sub => both(n, a, b, d, |x: $t, y| x - y),
                    BinaryOp::Mul => both(n, a, b, d, |x: $t, y| x * y),
                    BinaryOp::Div => both(n, a, b, d, |x: $t, y| x / y),
                    BinaryOp::Max => both(n, a, b, d, |x: $t, y| maximum(x, y)),
                    BinaryOp::Min => both(n, a, b, d, |x: $t, y| minimum(x, y)),
                    BinaryOp::Pow => both(n, a, b, d, |x: $t, y| x.powf(y)),
                    // Not fused: see `has_binary`.
                    BinaryOp::Rem | BinaryOp::Atan2 | BinaryOp::NextAfter => {}
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {}
                    BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => {}
                }
            }
        }
    };
}

floats!(unary_f32, binary_f32, compare_f32, f32);
floats!(unary_f64, binary_f64, compare_f64, f64);

/// A unary op on registers of a lane.
///
/// # Safety
/// As [`each`].
#[inline(always)]
pub(super) unsafe fn unary(op: UnaryOp, lane: Lane, n: usize, a: Operand, d: *mut u8) {
    // SAFETY: what the caller promises.
    unsafe {
        match lane {
            Lane::F32 => unary_f32(op, n, a, d),
            Lane::F64 => unary_f64(op, n, a, d),
            Lane::Int => match op {
                UnaryOp::Neg => each(n, a, d, i64::wrapping_neg),
                UnaryOp::Not => each(n, a, d, |x: i64| !x),
                // Not fused: see `has_unary`.
                UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Relu | UnaryOp::PopCount | UnaryOp::CountLeadingZeros => {}
                float_functions!() | float_predicates!() => {}
            },
            Lane::Bool => match op {
                UnaryOp::Not => each(n, a, d, |x: u32| 1 - x),
                // Not fused: see `has_unary`.
                UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Relu => {}
                UnaryOp::PopCount | UnaryOp::CountLeadingZeros | float_functions!() | float_predicates!() => {}
            },
        }
    }
}

/// A binary op on registers of a lane.
///
/// # Safety
/// As [`each`].
#[inline(always)]
pub(super) unsafe fn binary(op: BinaryOp, lane: Lane, n: usize, a: Operand, b: Operand, d: *mut u8) {
    // SAFETY: what the caller promises.
    unsafe {
        match lane {
            Lane::F32 => binary_f32(op, n, a, b, d),
            Lane::F64 => binary_f64(op, n, a, b, d),
            Lane::Int => match op {
                BinaryOp::Add => both(n, a, b, d, i64::wrapping_add),
                BinaryOp::Sub => both(n, a, b, d, i64::wrapping_sub),
                BinaryOp::Mul => both(n, a, b, d, i64::wrapping_mul),
                BinaryOp::Max => both(n, a, b, d, |x: i64, y| x.max(y)),
                BinaryOp::Min => both(n, a, b, d, |x: i64, y| x.min(y)),
                BinaryOp::And => both(n, a, b, d, |x: i64, y| x & y),
                BinaryOp::Or => both(n, a, b, d, |x: i64, y| x | y),
                BinaryOp::Xor => both(n, a, b, d, |x: i64, y| x ^ y),
                // Not fused: see `has_binary`.
                BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::NextAfter => {}
                BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => {}
            },
            Lane::Bool => match op {
                BinaryOp::And => both(n, a, b, d, |x: u32, y| x & y),
                BinaryOp::Or => both(n, a, b, d, |x: u32, y| x | y),
                BinaryOp::Xor => both(n, a, b, d, |x: u32, y| x ^ y),
                // Not fused: see `has_binary`.
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow => {}
                BinaryOp::Max | BinaryOp::Min | BinaryOp::Atan2 | BinaryOp::NextAfter => {}
                BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => {}
            },
        }
    }
}

macro_rules! relation {
    ($direction:expr, $t:ty, $n:expr, $a:expr, $b:expr, $d:expr) => {
        match $direction {
            Direction::Eq => both($n, $a, $b, $d, |x: $t, y| u32::from(x == y)),
            Direction::Ne => both($n, $a, $b, $d, |x: $t, y| u32::from(x != y)),
            Direction::Lt => both($n, $a, $b, $d, |x: $t, y| u32::from(x < y)),
            Direction::Le => both($n, $a, $b, $d, |x: $t, y| u32::from(x <= y)),
            Direction::Gt => both($n, $a, $b, $d, |x: $t, y| u32::from(x > y)),
            Direction::Ge => both($n, $a, $b, $d, |x: $t, y| u32::from(x >= y)),
        }
    };
}

/// A comparison of registers of a lane; `bool` out.
///
/// # Safety
/// As [`each`].
#[inline(always)]
pub(super) unsafe fn compare(direction: Direction, lane: Lane, n: usize, a: Operand, b: Operand, d: *mut u8) {
    // SAFETY: what the caller promises.
    unsafe {
        match lane {
            Lane::F32 => relation!(direction, f32, n, a, b, d),
            Lane::F64 => relation!(direction, f64, n, a, b, d),
            Lane::Int => relation!(direction, i64, n, a, b, d),
            Lane::Bool => relation!(direction, u32, n, a, b, d),
        }
    }
}

/// Where `p` holds `a`, else `b`; of `size` bytes an element.
///
/// # Safety
/// As [`each`].
#[inline(always)]
pub(super) unsafe fn select(lane: Lane, n: usize, p: Operand, a: Operand, b: Operand, d: *mut u8) {
    #[inline(always)]
    unsafe fn of<T: Copy>(n: usize, p: Operand, a: Operand, b: Operand, d: *mut u8) {
        let (q, x, y, d) = (p.start.cast::<u32>(), a.start.cast::<T>(), b.start.cast::<T>(), d.cast::<T>());
        // SAFETY: what the caller promises. Both are read, so that the choice is no branch.
        unsafe {
            let (x0, y0) = (*x, *y);
            let put = |i: usize, x: T, y: T| d.add(i).write(if *q.add(i) != 0 { x } else { y });
            match (p.single, a.single, b.single) {
                (false, false, false) => below!(i, n, put(i, *x.add(i), *y.add(i))),
                (false, false, true) => below!(i, n, put(i, *x.add(i), y0)),
                (false, true, false) => below!(i, n, put(i, x0, *y.add(i))),
                (false, true, true) => below!(i, n, put(i, x0, y0)),
                (true, ..) => each(n, if *q != 0 { a } else { b }, d.cast(), |x: T| x),
            }
        }
    }
    // SAFETY: what the caller promises.
    unsafe {
        match lane.bytes() {
            4 => of::<u32>(n, p, a, b, d),
            _ => of::<u64>(n, p, a, b, d),
        }
    }
}

/// From one lane to another, for results of that element type; what a float becomes as an integer is cut off towards
/// zero, and is the nearest number of the element type where it is beyond all of them.
///
/// # Safety
/// As [`each`].
#[inline(always)]
pub(super) unsafe fn convert(from: Lane, to: Lane, dtype: DType, n: usize, a: Operand, d: *mut u8) {
    // SAFETY: what the caller promises.
    unsafe {
        match (from, to) {
            (Lane::F32, Lane::F32) => each(n, a, d, |x: f32| x),
            (Lane::F32, Lane::F64) => each(n, a, d, |x: f32| f64::from(x)),
            (Lane::F32, Lane::Int) => cut_off(dtype, n, a, d, |x: f32| f64::from(x)),
            (Lane::F32, Lane::Bool) => each(n, a, d, |x: f32| u32::from(x != 0.0)),
            (Lane::F64, Lane::F32) => each(n, a, d, |x: f64| x as f32),
            (Lane::F64, Lane::F64) => each(n, a, d, |x: f64| x),
            (Lane::F64, Lane::Int) => cut_off(dtype, n, a, d, |x: f64| x),
            (Lane::F64, Lane::Bool) => each(n, a, d, |x: f64| u32::from(x != 0.0)),
            (Lane::Int, Lane::F32) => each(n, a, d, |x: i64| x as f32),
            (Lane::Int, Lane::F64) => each(n, a, d, |x: i64| x as f64),
            (Lane::Int, Lane::Int) => each(n, a, d, |x: i64| x),
            (Lane::Int, Lane::Bool) => each(n, a, d, |x: i64| u32::from(x != 0)),
            (Lane::Bool, Lane::F32) => each(n, a, d, |x: u32| x as f32),
            (Lane::Bool, Lane::F64) => each(n, a, d, |x: u32| f64::from(x)),
            (Lane::Bool, Lane::Int) => each(n, a, d, |x: u32| i64::from(x)),
            (Lane::Bool, Lane::Bool) => each(n, a, d, |x: u32| x),
        }
    }
}

/// Floats as integers of an element type, saturated.
///
/// # Safety
/// As [`each`].
#[inline(always)]
unsafe fn cut_off<T: Copy>(dtype: DType, n: usize, a: Operand, d: *mut u8, wide: impl Fn(T) -> f64) {
    // SAFETY: what the caller promises.
    unsafe {
        match dtype {
            DType::I8 => each(n, a, d, |x: T| i64::from(wide(x) as i8)),
            DType::I32 => each(n, a, d, |x: T| i64::from(wide(x) as i32)),
            DType::U8 => each(n, a, d, |x: T| i64::from(wide(x) as u8)),
            DType::U32 => each(n, a, d, |x: T| i64::from(wide(x) as u32)),
            DType::U64 => each(n, a, d, |x: T| (wide(x) as u64) as i64),
            DType::I64 | DType::Bool | DType::F64 | DType::F32 | DType::F16 | DType::BF16 => {
                each(n, a, d, |x: T| wide(x) as i64);
            }
        }
    }
}

/// Rounds or wraps to a dtype that is narrower than its lane.
///
/// # Safety
/// There are `n` elements of the dtype's lane.
#[inline(always)]
pub(super) unsafe fn narrow(dtype: DType, n: usize, d: *mut u8) {
    // SAFETY: what the caller promises.
    unsafe {
        match dtype {
            DType::BF16 => {
                let items = std::slice::from_raw_parts_mut(d.cast::<f32>(), n);
                for x in items {
                    *x = half::bf16::from_f32(*x).to_f32();
                }
            }
            DType::F16 => {
                let items = std::slice::from_raw_parts_mut(d.cast::<f32>(), n);
                for x in items {
                    *x = half::f16::from_f32(*x).to_f32();
                }
            }
            DType::I32 | DType::I8 | DType::U32 | DType::U8 => {
                let items = std::slice::from_raw_parts_mut(d.cast::<i64>(), n);
                for x in items {
                    *x = wrap_int(dtype, *x);
                }
            }
            DType::F64 | DType::F32 | DType::I64 | DType::U64 | DType::Bool => {}
        }
    }
}

/// Sums of so many elements at most are made in a single `f32` before they are added to wider ones.
pub(super) const SUM_BLOCK: usize = 64;

/// The sum of `f32`s in blocks: of sixteen ways of [`SUM_BLOCK`] elements each, which are added in `f64`. The error
/// does not grow with the number of elements, and the inner loop is as fast as that of one sum.
///
/// # Safety
/// There are `n` elements, or one that counts `n` times.
#[inline(always)]
unsafe fn sum(n: usize, a: Operand) -> f64 {
    const WAYS: usize = 16;
    let x = a.start.cast::<f32>();
    // SAFETY: what the caller promises.
    unsafe {
        if a.single {
            return f64::from(*x) * n as f64;
        }
        let mut all = 0f64;
        let mut i = 0;
        while i + WAYS <= n {
            let end = n.min(i + WAYS * SUM_BLOCK) / WAYS * WAYS;
            let mut ways = [0f32; WAYS];
            while i < end {
                for (w, way) in ways.iter_mut().enumerate() {
                    *way += *x.add(i + w);
                }
                i += WAYS;
            }
            for way in ways {
                all += f64::from(way);
            }
        }
        while i < n {
            all += f64::from(*x.add(i));
            i += 1;
        }
        all
    }
}

/// Adds `f32`s to sums in `f64`, element by element.
///
/// # Safety
/// Both have `n` elements, or the operand is single.
#[inline(always)]
pub(super) unsafe fn add_to_wide(n: usize, a: Operand, d: *mut u8) {
    let (x, d) = (a.start.cast::<f32>(), d.cast::<f64>());
    // SAFETY: what the caller promises.
    unsafe {
        if a.single {
            let x = f64::from(*x);
            below!(i, n, d.add(i).write(*d.add(i) + x));
        } else {
            below!(i, n, d.add(i).write(*d.add(i) + f64::from(*x.add(i))));
        }
    }
}

/// Adds the sum of `f32`s to one in `f64`.
///
/// # Safety
/// There are `n` elements, or one that counts `n` times.
#[inline(always)]
pub(super) unsafe fn sum_to_wide(n: usize, a: Operand, d: *mut u8) {
    // SAFETY: what the caller promises.
    unsafe { *d.cast::<f64>() += sum(n, a) }
}

/// All elements combined. They are combined in sixteen ways at a time, and these in order; sums of `f32`s in blocks.
///
/// # Safety
/// There are `n` elements, or one that counts `n` times.
#[inline(always)]
pub(super) unsafe fn reduce(monoid: Monoid, lane: Lane, n: usize, a: Operand, d: *mut u8) {
    #[inline(always)]
    unsafe fn fold<T: Copy>(n: usize, a: Operand, d: *mut u8, identity: T, f: impl Fn(T, T) -> T) {
        const WAYS: usize = 16;
        let x = a.start.cast::<T>();
        let mut ways = [identity; WAYS];
        // SAFETY: what the caller promises.
        unsafe {
            if a.single {
                let y = *x;
                let mut all = identity;
                below!(_i, n, all = f(all, y));
                d.cast::<T>().write(all);
                return;
            }
            let whole = n / WAYS * WAYS;
            let mut i = 0;
            while i < whole {
                for (w, way) in ways.iter_mut().enumerate() {
                    *way = f(*way, *x.add(i + w));
                }
                i += WAYS;
            }
            let mut all = identity;
            for way in ways {
                all = f(all, way);
            }
            while i < n {
                all = f(all, *x.add(i));
                i += 1;
            }
            d.cast::<T>().write(all);
        }
    }
    // SAFETY: what the caller promises.
    unsafe {
        match (lane, monoid) {
            (Lane::F32, Monoid::Sum) => d.cast::<f32>().write(sum(n, a) as f32),
            (Lane::F32, Monoid::Prod) => fold(n, a, d, 1.0f32, |x, y| x * y),
            (Lane::F32, Monoid::Max) => fold(n, a, d, f32::NEG_INFINITY, maximum),
            (Lane::F32, _) => fold(n, a, d, f32::INFINITY, minimum),
            (Lane::F64, Monoid::Sum) => fold(n, a, d, 0.0f64, |x, y| x + y),
            (Lane::F64, Monoid::Prod) => fold(n, a, d, 1.0f64, |x, y| x * y),
            (Lane::F64, Monoid::Max) => fold(n, a, d, f64::NEG_INFINITY, maximum),
            (Lane::F64, _) => fold(n, a, d, f64::INFINITY, minimum),
            (Lane::Int, Monoid::Sum) => fold(n, a, d, 0i64, i64::wrapping_add),
            (Lane::Int, Monoid::Prod) => fold(n, a, d, 1i64, i64::wrapping_mul),
            (Lane::Int, Monoid::Max) => fold(n, a, d, i64::MIN, |x, y| x.max(y)),
            (Lane::Int, Monoid::Min) => fold(n, a, d, i64::MAX, |x, y| x.min(y)),
            (Lane::Int, Monoid::And) => fold(n, a, d, -1i64, |x, y| x & y),
            (Lane::Int, Monoid::Or) => fold(n, a, d, 0i64, |x, y| x | y),
            (Lane::Bool, Monoid::And | Monoid::Min | Monoid::Prod) => fold(n, a, d, 1u32, |x, y| x & y),
            (Lane::Bool, _) => fold(n, a, d, 0u32, |x, y| x | y),
        }
    }
}

/// Whether a reduction is fused.
pub(crate) fn has_reduce(monoid: Monoid, dtype: DType) -> bool {
    match monoid {
        Monoid::Sum | Monoid::Prod => true,
        // The smallest number of a `u64` is not that of its bits as `i64`.
        Monoid::Max | Monoid::Min => dtype != DType::U64,
        Monoid::And | Monoid::Or => !dtype.is_float(),
    }
}

/// `d = d combined with a`, element by element.
///
/// # Safety
/// As [`each`].
#[inline(always)]
pub(super) unsafe fn combine(monoid: Monoid, lane: Lane, n: usize, a: Operand, d: *mut u8) {
    let old = Operand { start: d, single: false };
    // SAFETY: what the caller promises; each element is read before it is written.
    unsafe {
        let op = match monoid {
            Monoid::Sum if lane == Lane::Bool => BinaryOp::Or,
            Monoid::Sum => BinaryOp::Add,
            Monoid::Prod if lane == Lane::Bool => BinaryOp::And,
            Monoid::Prod => BinaryOp::Mul,
            Monoid::Max if lane == Lane::Bool => BinaryOp::Or,
            Monoid::Max => BinaryOp::Max,
            Monoid::Min if lane == Lane::Bool => BinaryOp::And,
            Monoid::Min => BinaryOp::Min,
            Monoid::And => BinaryOp::And,
            Monoid::Or => BinaryOp::Or,
        };
        binary(op, lane, n, old, a, d);
    }
}

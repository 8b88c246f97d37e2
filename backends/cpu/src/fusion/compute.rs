//! Instructions of fused loops, on virtual registers that contain one element for each element of a tile.
//!
//! Each instruction is a loop over elements that the Rust compiler vectorises. Instructions are called inside of
//! [`pulp::Arch::dispatch`], which compiles them for the widest vectors of the machine. An operand with a single
//! element is broadcast. The register class of an operand is the type in which its elements are stored: `f32`, `f64`,
//! `i64`, or `u32` for `bool`.

use super::math;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp, maximum, minimum};
use partita_ir::tensor::wrap_int;
use partita_ir::{float_functions, float_predicates};
use partita_lowering::fusion::row_loop::RegClass;

/// Register that an instruction reads: one element for each element of the result, or a single element for all.
#[derive(Clone, Copy)]
pub(super) struct Operand {
    pub(super) start: *const u8,
    pub(super) single: bool,
}

/// Applies `f` to every element.
///
/// # Safety
/// Operand and result have `n` elements, or the operand is single.
#[inline(always)]
unsafe fn map<A: Copy, D>(n: usize, a: Operand, d: *mut u8, f: impl Fn(A) -> D) {
    let (x, d) = (a.start.cast::<A>(), d.cast::<D>());
    // SAFETY: guaranteed by the caller.
    unsafe {
        if a.single {
            let x = *x;
            for_each_index!(i, n, d.add(i).write(f(x)));
        } else {
            for_each_index!(i, n, d.add(i).write(f(*x.add(i))));
        }
    }
}

/// Applies `f` to every pair of elements.
///
/// # Safety
/// Same as [`map`].
#[inline(always)]
unsafe fn zip_map<A: Copy, D>(n: usize, a: Operand, b: Operand, d: *mut u8, f: impl Fn(A, A) -> D) {
    let (x, y, d) = (a.start.cast::<A>(), b.start.cast::<A>(), d.cast::<D>());
    // SAFETY: guaranteed by the caller. Single elements are read before anything is written.
    unsafe {
        let (x0, y0) = (*x, *y);
        match (a.single, b.single) {
            (false, false) => for_each_index!(i, n, d.add(i).write(f(*x.add(i), *y.add(i)))),
            (false, true) => for_each_index!(i, n, d.add(i).write(f(*x.add(i), y0))),
            (true, false) => for_each_index!(i, n, d.add(i).write(f(x0, *y.add(i)))),
            (true, true) => for_each_index!(i, n, d.add(i).write(f(x0, y0))),
        }
    }
}

/// Float types whose functions have different implementations for `f32` and `f64`.
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

/// Returns true if [`unary`] implements an op for operands of the given dtype, so that the op can be fused.
pub(crate) fn has_unary(op: UnaryOp, dtype: DType) -> bool {
    let class = RegClass::from_dtype(dtype);
    let is_float = matches!(class, RegClass::F32 | RegClass::F64);
    match op {
        UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Relu | UnaryOp::Reciprocal | UnaryOp::Rsqrt => is_float,
        UnaryOp::Sigmoid | UnaryOp::Sqrt | UnaryOp::Exp | UnaryOp::Expm1 | UnaryOp::Log | UnaryOp::Log1p => is_float,
        UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tanh | UnaryOp::Erf => is_float,
        UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::IsFinite | UnaryOp::StopGradient => is_float,
        UnaryOp::Neg => class != RegClass::Bool,
        UnaryOp::Not => !is_float,
        UnaryOp::Round | UnaryOp::RoundEven | UnaryOp::Cbrt | UnaryOp::Tan | UnaryOp::Asin | UnaryOp::Acos => false,
        UnaryOp::Atan | UnaryOp::Sinh | UnaryOp::Cosh | UnaryOp::Asinh | UnaryOp::Acosh | UnaryOp::Atanh => false,
        UnaryOp::Erfc | UnaryOp::ErfInv | UnaryOp::Lgamma | UnaryOp::Digamma => false,
        UnaryOp::PopCount | UnaryOp::CountLeadingZeros | UnaryOp::IsNan | UnaryOp::IsInf => false,
    }
}

/// Returns true if [`binary`] implements an op for operands of the given dtype, so that the op can be fused.
pub(crate) fn has_binary(op: BinaryOp, dtype: DType) -> bool {
    let class = RegClass::from_dtype(dtype);
    let is_float = matches!(class, RegClass::F32 | RegClass::F64);
    match op {
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => class != RegClass::Bool,
        BinaryOp::Max | BinaryOp::Min => is_float || class == RegClass::Int && dtype != DType::U64,
        BinaryOp::Div | BinaryOp::Pow => is_float,
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => !is_float,
        BinaryOp::Rem | BinaryOp::Atan2 | BinaryOp::NextAfter => false,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => false,
    }
}

macro_rules! floats {
    ($unary:ident, $binary:ident, $t:ty) => {
        #[inline(always)]
        unsafe fn $unary(op: UnaryOp, n: usize, a: Operand, d: *mut u8) {
            // SAFETY: guaranteed by the caller.
            unsafe {
                match op {
                    UnaryOp::Abs => map(n, a, d, |x: $t| x.abs()),
                    UnaryOp::Neg => map(n, a, d, |x: $t| -x),
                    UnaryOp::Sign => {
                        map(n, a, d, |x: $t| if x == 0.0 || x.is_nan() { x } else { (1.0 as $t).copysign(x) })
                    }
                    UnaryOp::Relu => map(n, a, d, |x: $t| if x < 0.0 { 0.0 } else { x }),
                    UnaryOp::Reciprocal => map(n, a, d, |x: $t| 1.0 / x),
                    UnaryOp::Rsqrt => map(n, a, d, |x: $t| 1.0 / x.sqrt()),
                    UnaryOp::Sigmoid => map(n, a, d, |x: $t| Real::sigmoid(x)),
                    UnaryOp::Sqrt => map(n, a, d, |x: $t| x.sqrt()),
                    UnaryOp::Exp => map(n, a, d, |x: $t| Real::exp(x)),
                    UnaryOp::Log => map(n, a, d, |x: $t| Real::ln(x)),
                    UnaryOp::Tanh => map(n, a, d, |x: $t| Real::tanh(x)),
                    UnaryOp::Erf => map(n, a, d, |x: $t| Real::erf(x)),
                    UnaryOp::Floor => map(n, a, d, |x: $t| x.floor()),
                    UnaryOp::Ceil => map(n, a, d, |x: $t| x.ceil()),
                    UnaryOp::StopGradient => map(n, a, d, |x: $t| x),
                    UnaryOp::Expm1 => map(n, a, d, |x: $t| x.exp_m1()),
                    UnaryOp::Log1p => map(n, a, d, |x: $t| x.ln_1p()),
                    UnaryOp::Sin => map(n, a, d, |x: $t| x.sin()),
                    UnaryOp::Cos => map(n, a, d, |x: $t| x.cos()),
                    UnaryOp::IsFinite => map(n, a, d, |x: $t| u32::from(x.is_finite())),
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
            // SAFETY: guaranteed by the caller.
            unsafe {
                match op {
                    BinaryOp::Add => zip_map(n, a, b, d, |x: $t, y| x + y),
                    BinaryOp::Sub => zip_map(n, a, b, d, |x: $t, y| x - y),
                    BinaryOp::Mul => zip_map(n, a, b, d, |x: $t, y| x * y),
                    BinaryOp::Div => zip_map(n, a, b, d, |x: $t, y| x / y),
                    BinaryOp::Max => zip_map(n, a, b, d, |x: $t, y| maximum(x, y)),
                    BinaryOp::Min => zip_map(n, a, b, d, |x: $t, y| minimum(x, y)),
                    BinaryOp::Pow => zip_map(n, a, b, d, |x: $t, y| x.powf(y)),
                    // Not fused: see `has_binary`.
                    BinaryOp::Rem | BinaryOp::Atan2 | BinaryOp::NextAfter => {}
                    BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => {}
                    BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => {}
                }
            }
        }
    };
}

floats!(unary_f32, binary_f32, f32);
floats!(unary_f64, binary_f64, f64);

/// Applies a unary op to an operand of a register class.
///
/// # Safety
/// Same as [`map`].
#[inline(always)]
pub(super) unsafe fn unary(op: UnaryOp, class: RegClass, n: usize, a: Operand, d: *mut u8) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match class {
            RegClass::F32 => unary_f32(op, n, a, d),
            RegClass::F64 => unary_f64(op, n, a, d),
            RegClass::Int => match op {
                UnaryOp::Neg => map(n, a, d, i64::wrapping_neg),
                UnaryOp::Not => map(n, a, d, |x: i64| !x),
                // Not fused: see `has_unary`.
                UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Relu | UnaryOp::PopCount | UnaryOp::CountLeadingZeros => {}
                float_functions!() | float_predicates!() => {}
            },
            RegClass::Bool => match op {
                UnaryOp::Not => map(n, a, d, |x: u32| 1 - x),
                // Not fused: see `has_unary`.
                UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Relu => {}
                UnaryOp::PopCount | UnaryOp::CountLeadingZeros | float_functions!() | float_predicates!() => {}
            },
        }
    }
}

/// Applies a binary op to two operands of a register class.
///
/// # Safety
/// Same as [`map`].
#[inline(always)]
pub(super) unsafe fn binary(op: BinaryOp, class: RegClass, n: usize, a: Operand, b: Operand, d: *mut u8) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match class {
            RegClass::F32 => binary_f32(op, n, a, b, d),
            RegClass::F64 => binary_f64(op, n, a, b, d),
            RegClass::Int => match op {
                BinaryOp::Add => zip_map(n, a, b, d, i64::wrapping_add),
                BinaryOp::Sub => zip_map(n, a, b, d, i64::wrapping_sub),
                BinaryOp::Mul => zip_map(n, a, b, d, i64::wrapping_mul),
                BinaryOp::Max => zip_map(n, a, b, d, |x: i64, y| x.max(y)),
                BinaryOp::Min => zip_map(n, a, b, d, |x: i64, y| x.min(y)),
                BinaryOp::And => zip_map(n, a, b, d, |x: i64, y| x & y),
                BinaryOp::Or => zip_map(n, a, b, d, |x: i64, y| x | y),
                BinaryOp::Xor => zip_map(n, a, b, d, |x: i64, y| x ^ y),
                // Not fused: see `has_binary`.
                BinaryOp::Div | BinaryOp::Rem | BinaryOp::Pow | BinaryOp::Atan2 | BinaryOp::NextAfter => {}
                BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::ShiftRightLogical => {}
            },
            RegClass::Bool => match op {
                BinaryOp::And => zip_map(n, a, b, d, |x: u32, y| x & y),
                BinaryOp::Or => zip_map(n, a, b, d, |x: u32, y| x | y),
                BinaryOp::Xor => zip_map(n, a, b, d, |x: u32, y| x ^ y),
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
            Direction::Eq => zip_map($n, $a, $b, $d, |x: $t, y| u32::from(x == y)),
            Direction::Ne => zip_map($n, $a, $b, $d, |x: $t, y| u32::from(x != y)),
            Direction::Lt => zip_map($n, $a, $b, $d, |x: $t, y| u32::from(x < y)),
            Direction::Le => zip_map($n, $a, $b, $d, |x: $t, y| u32::from(x <= y)),
            Direction::Gt => zip_map($n, $a, $b, $d, |x: $t, y| u32::from(x > y)),
            Direction::Ge => zip_map($n, $a, $b, $d, |x: $t, y| u32::from(x >= y)),
        }
    };
}

/// Compares two operands of a register class. The result has the class `Bool`.
///
/// # Safety
/// Same as [`map`].
#[inline(always)]
pub(super) unsafe fn compare(direction: Direction, class: RegClass, n: usize, a: Operand, b: Operand, d: *mut u8) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match class {
            RegClass::F32 => relation!(direction, f32, n, a, b, d),
            RegClass::F64 => relation!(direction, f64, n, a, b, d),
            RegClass::Int => relation!(direction, i64, n, a, b, d),
            RegClass::Bool => relation!(direction, u32, n, a, b, d),
        }
    }
}

/// Selects elements of `a` where `p` is true, and of `b` elsewhere.
///
/// # Safety
/// Same as [`map`].
#[inline(always)]
pub(super) unsafe fn select(class: RegClass, n: usize, p: Operand, a: Operand, b: Operand, d: *mut u8) {
    #[inline(always)]
    unsafe fn select_sized<T: Copy>(n: usize, p: Operand, a: Operand, b: Operand, d: *mut u8) {
        let (q, x, y, d) = (p.start.cast::<u32>(), a.start.cast::<T>(), b.start.cast::<T>(), d.cast::<T>());
        // SAFETY: guaranteed by the caller. Both operands are read, so that the selection compiles without a branch.
        unsafe {
            let (x0, y0) = (*x, *y);
            let put = |i: usize, x: T, y: T| d.add(i).write(if *q.add(i) != 0 { x } else { y });
            match (p.single, a.single, b.single) {
                (false, false, false) => for_each_index!(i, n, put(i, *x.add(i), *y.add(i))),
                (false, false, true) => for_each_index!(i, n, put(i, *x.add(i), y0)),
                (false, true, false) => for_each_index!(i, n, put(i, x0, *y.add(i))),
                (false, true, true) => for_each_index!(i, n, put(i, x0, y0)),
                (true, ..) => map(n, if *q != 0 { a } else { b }, d.cast(), |x: T| x),
            }
        }
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        match class.bytes() {
            4 => select_sized::<u32>(n, p, a, b, d),
            _ => select_sized::<u64>(n, p, a, b, d),
        }
    }
}

/// Converts elements to the register class `to`, for results with the given dtype. Floats are truncated towards zero
/// and saturated to the range of an integer dtype.
///
/// # Safety
/// Same as [`map`].
#[inline(always)]
pub(super) unsafe fn convert(from: RegClass, to: RegClass, dtype: DType, n: usize, a: Operand, d: *mut u8) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match (from, to) {
            (RegClass::F32, RegClass::F32) => map(n, a, d, |x: f32| x),
            (RegClass::F32, RegClass::F64) => map(n, a, d, |x: f32| f64::from(x)),
            (RegClass::F32, RegClass::Int) => saturate(dtype, n, a, d, |x: f32| f64::from(x)),
            (RegClass::F32, RegClass::Bool) => map(n, a, d, |x: f32| u32::from(x != 0.0)),
            (RegClass::F64, RegClass::F32) => map(n, a, d, |x: f64| x as f32),
            (RegClass::F64, RegClass::F64) => map(n, a, d, |x: f64| x),
            (RegClass::F64, RegClass::Int) => saturate(dtype, n, a, d, |x: f64| x),
            (RegClass::F64, RegClass::Bool) => map(n, a, d, |x: f64| u32::from(x != 0.0)),
            (RegClass::Int, RegClass::F32) => map(n, a, d, |x: i64| x as f32),
            (RegClass::Int, RegClass::F64) => map(n, a, d, |x: i64| x as f64),
            (RegClass::Int, RegClass::Int) => map(n, a, d, |x: i64| x),
            (RegClass::Int, RegClass::Bool) => map(n, a, d, |x: i64| u32::from(x != 0)),
            (RegClass::Bool, RegClass::F32) => map(n, a, d, |x: u32| x as f32),
            (RegClass::Bool, RegClass::F64) => map(n, a, d, |x: u32| f64::from(x)),
            (RegClass::Bool, RegClass::Int) => map(n, a, d, |x: u32| i64::from(x)),
            (RegClass::Bool, RegClass::Bool) => map(n, a, d, |x: u32| x),
        }
    }
}

/// Converts floats to the register class of an integer dtype, truncated towards zero and saturated to the range of the
/// dtype. `wide` converts an element to `f64`.
///
/// # Safety
/// Same as [`map`].
#[inline(always)]
unsafe fn saturate<T: Copy>(dtype: DType, n: usize, a: Operand, d: *mut u8, wide: impl Fn(T) -> f64) {
    // SAFETY: guaranteed by the caller.
    unsafe {
        match dtype {
            DType::I8 => map(n, a, d, |x: T| i64::from(wide(x) as i8)),
            DType::I32 => map(n, a, d, |x: T| i64::from(wide(x) as i32)),
            DType::U8 => map(n, a, d, |x: T| i64::from(wide(x) as u8)),
            DType::U32 => map(n, a, d, |x: T| i64::from(wide(x) as u32)),
            DType::U64 => map(n, a, d, |x: T| (wide(x) as u64) as i64),
            DType::I64 | DType::Bool => map(n, a, d, |x: T| wide(x) as i64),
            _ if dtype.is_float() => map(n, a, d, |x: T| wide(x) as i64),
            _ => {
                let (low, high) = dtype.int_range();
                map(n, a, d, |x: T| (wide(x) as i64).clamp(low, high));
            }
        }
    }
}

/// Rounds or wraps elements in place to a dtype that is narrower than its register class.
///
/// # Safety
/// There are `n` elements of the dtype's register class.
#[inline(always)]
pub(super) unsafe fn narrow(dtype: DType, n: usize, d: *mut u8) {
    // SAFETY: guaranteed by the caller.
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
            DType::Mini(format) => {
                let items = std::slice::from_raw_parts_mut(d.cast::<f32>(), n);
                for x in items {
                    *x = format.round(*x);
                }
            }
            DType::F64 | DType::F32 | DType::I64 | DType::U64 | DType::Bool => {}
            DType::I32 | DType::I16 | DType::I8 | DType::I4 | DType::I2 => wrap_all(dtype, n, d),
            DType::U32 | DType::U16 | DType::U8 | DType::U4 | DType::U2 => wrap_all(dtype, n, d),
        }
    }
}

/// Wraps integers in place to a dtype.
///
/// # Safety
/// There are `n` elements of the register class of integers.
#[inline(always)]
unsafe fn wrap_all(dtype: DType, n: usize, d: *mut u8) {
    // SAFETY: guaranteed by the caller.
    for x in unsafe { std::slice::from_raw_parts_mut(d.cast::<i64>(), n) } {
        *x = wrap_int(dtype, *x);
    }
}

/// Maximum number of elements added in one `f32` accumulator before the sum is added to an `f64`.
pub(super) const MAX_F32_SUM_ELEMENTS: usize = 64;

/// Returns the sum of `f32` elements, computed in blocks of 16 `f32` accumulators with [`MAX_F32_SUM_ELEMENTS`]
/// elements each, which are added in `f64`. The error does not grow with the number of elements, and the inner loop is
/// as fast as a plain `f32` sum.
///
/// # Safety
/// The operand has `n` elements, or one that is added `n` times.
#[inline(always)]
unsafe fn sum(n: usize, a: Operand) -> f64 {
    const ACCUMULATORS: usize = 16;
    let x = a.start.cast::<f32>();
    // SAFETY: guaranteed by the caller.
    unsafe {
        if a.single {
            return f64::from(*x) * n as f64;
        }
        let mut all = 0f64;
        let mut i = 0;
        while i + ACCUMULATORS <= n {
            let end = n.min(i + ACCUMULATORS * MAX_F32_SUM_ELEMENTS) / ACCUMULATORS * ACCUMULATORS;
            let mut accumulators = [0f32; ACCUMULATORS];
            while i < end {
                for (w, accumulator) in accumulators.iter_mut().enumerate() {
                    *accumulator += *x.add(i + w);
                }
                i += ACCUMULATORS;
            }
            for accumulator in accumulators {
                all += f64::from(accumulator);
            }
        }
        while i < n {
            all += f64::from(*x.add(i));
            i += 1;
        }
        all
    }
}

/// Adds `f32` elements to `f64` accumulators, element by element.
///
/// # Safety
/// Operand and result have `n` elements, or the operand is single.
#[inline(always)]
pub(super) unsafe fn add_to_wide(n: usize, a: Operand, d: *mut u8) {
    let (x, d) = (a.start.cast::<f32>(), d.cast::<f64>());
    // SAFETY: guaranteed by the caller.
    unsafe {
        if a.single {
            let x = f64::from(*x);
            for_each_index!(i, n, d.add(i).write(*d.add(i) + x));
        } else {
            for_each_index!(i, n, d.add(i).write(*d.add(i) + f64::from(*x.add(i))));
        }
    }
}

/// Adds the sum of `f32` elements to an `f64` accumulator.
///
/// # Safety
/// The operand has `n` elements, or one that is added `n` times.
#[inline(always)]
pub(super) unsafe fn sum_to_wide(n: usize, a: Operand, d: *mut u8) {
    // SAFETY: guaranteed by the caller.
    unsafe { *d.cast::<f64>() += sum(n, a) }
}

/// Reduces all elements to one with 16 accumulators, which are then combined in order. Sums of `f32` are computed by
/// [`sum`].
///
/// # Safety
/// The operand has `n` elements, or one that is combined `n` times.
#[inline(always)]
pub(super) unsafe fn reduce(monoid: Monoid, class: RegClass, n: usize, a: Operand, d: *mut u8) {
    #[inline(always)]
    unsafe fn fold<T: Copy>(n: usize, a: Operand, d: *mut u8, identity: T, f: impl Fn(T, T) -> T) {
        const ACCUMULATORS: usize = 16;
        let x = a.start.cast::<T>();
        let mut accumulators = [identity; ACCUMULATORS];
        // SAFETY: guaranteed by the caller.
        unsafe {
            if a.single {
                let y = *x;
                let mut all = identity;
                for_each_index!(_i, n, all = f(all, y));
                d.cast::<T>().write(all);
                return;
            }
            let full = n / ACCUMULATORS * ACCUMULATORS;
            let mut i = 0;
            while i < full {
                for (w, accumulator) in accumulators.iter_mut().enumerate() {
                    *accumulator = f(*accumulator, *x.add(i + w));
                }
                i += ACCUMULATORS;
            }
            let mut all = identity;
            for accumulator in accumulators {
                all = f(all, accumulator);
            }
            while i < n {
                all = f(all, *x.add(i));
                i += 1;
            }
            d.cast::<T>().write(all);
        }
    }
    // SAFETY: guaranteed by the caller.
    unsafe {
        match (class, monoid) {
            (RegClass::F32, Monoid::Sum) => d.cast::<f32>().write(sum(n, a) as f32),
            (RegClass::F32, Monoid::Prod) => fold(n, a, d, 1.0f32, |x, y| x * y),
            (RegClass::F32, Monoid::Max) => fold(n, a, d, f32::NEG_INFINITY, maximum),
            (RegClass::F32, _) => fold(n, a, d, f32::INFINITY, minimum),
            (RegClass::F64, Monoid::Sum) => fold(n, a, d, 0.0f64, |x, y| x + y),
            (RegClass::F64, Monoid::Prod) => fold(n, a, d, 1.0f64, |x, y| x * y),
            (RegClass::F64, Monoid::Max) => fold(n, a, d, f64::NEG_INFINITY, maximum),
            (RegClass::F64, _) => fold(n, a, d, f64::INFINITY, minimum),
            (RegClass::Int, Monoid::Sum) => fold(n, a, d, 0i64, i64::wrapping_add),
            (RegClass::Int, Monoid::Prod) => fold(n, a, d, 1i64, i64::wrapping_mul),
            (RegClass::Int, Monoid::Max) => fold(n, a, d, i64::MIN, |x, y| x.max(y)),
            (RegClass::Int, Monoid::Min) => fold(n, a, d, i64::MAX, |x, y| x.min(y)),
            (RegClass::Int, Monoid::And) => fold(n, a, d, -1i64, |x, y| x & y),
            (RegClass::Int, Monoid::Or) => fold(n, a, d, 0i64, |x, y| x | y),
            (RegClass::Bool, Monoid::And | Monoid::Min | Monoid::Prod) => fold(n, a, d, 1u32, |x, y| x & y),
            (RegClass::Bool, _) => fold(n, a, d, 0u32, |x, y| x | y),
        }
    }
}

/// Returns true if [`reduce`] and [`combine`] implement a reduction for the dtype, so that it can be fused.
pub(crate) fn has_reduce(monoid: Monoid, dtype: DType) -> bool {
    match monoid {
        Monoid::Sum | Monoid::Prod => true,
        // The order of `u64` values differs from the order of their bits as `i64`.
        Monoid::Max | Monoid::Min => dtype != DType::U64,
        Monoid::And | Monoid::Or => !dtype.is_float(),
    }
}

/// Combines each element of `a` into the corresponding element of `d`.
///
/// # Safety
/// Same as [`map`].
#[inline(always)]
pub(super) unsafe fn combine(monoid: Monoid, class: RegClass, n: usize, a: Operand, d: *mut u8) {
    let old = Operand { start: d, single: false };
    // SAFETY: guaranteed by the caller; each element is read before it is written.
    unsafe {
        let op = match monoid {
            Monoid::Sum if class == RegClass::Bool => BinaryOp::Or,
            Monoid::Sum => BinaryOp::Add,
            Monoid::Prod if class == RegClass::Bool => BinaryOp::And,
            Monoid::Prod => BinaryOp::Mul,
            Monoid::Max if class == RegClass::Bool => BinaryOp::Or,
            Monoid::Max => BinaryOp::Max,
            Monoid::Min if class == RegClass::Bool => BinaryOp::And,
            Monoid::Min => BinaryOp::Min,
            Monoid::And => BinaryOp::And,
            Monoid::Or => BinaryOp::Or,
        };
        binary(op, class, n, old, a, d);
    }
}

//! Elementwise loops over slices, generic over the three storage types.

use crate::dtype::{DType, ElementStorage, Type};
use crate::tensor::{Data, Tensor, wrap_int};
use num_traits::Float;

/// A storage type of floating-point element types.
pub(crate) trait Real: Float {
    /// Converts to `f64`.
    fn wide(self) -> f64;
    /// Converts from `f64`, rounding to nearest.
    fn nearest(x: f64) -> Self;
    /// Returns the next representable number in the direction of `other`.
    fn next_towards(self, other: Self) -> Self;
    /// Compares in total order: -NaN, -inf, ..., -0, 0, ..., inf, NaN.
    fn total(self, other: Self) -> std::cmp::Ordering;
}

impl Real for f64 {
    fn wide(self) -> f64 {
        self
    }
    fn nearest(x: f64) -> f64 {
        x
    }
    fn next_towards(self, other: f64) -> f64 {
        libm::nextafter(self, other)
    }
    fn total(self, other: f64) -> std::cmp::Ordering {
        self.total_cmp(&other)
    }
}

impl Real for f32 {
    fn wide(self) -> f64 {
        f64::from(self)
    }
    fn nearest(x: f64) -> f32 {
        x as f32
    }
    fn next_towards(self, other: f32) -> f32 {
        libm::nextafterf(self, other)
    }
    fn total(self, other: f32) -> std::cmp::Ordering {
        self.total_cmp(&other)
    }
}

/// Applies `f` to every element.
pub(crate) fn map<T: Copy, U>(x: &[T], f: impl Fn(T) -> U) -> Vec<U> {
    x.iter().map(|&a| f(a)).collect()
}

/// Applies `f` to every pair of elements with equal index. A slice of one element is broadcast.
pub(crate) fn zip<T: Copy, S: Copy, U>(x: &[T], y: &[S], f: impl Fn(T, S) -> U) -> Vec<U> {
    match (x, y) {
        (x, &[b]) => x.iter().map(|&a| f(a, b)).collect(),
        (&[a], y) => y.iter().map(|&b| f(a, b)).collect(),
        (x, y) => x.iter().zip(y).map(|(&a, &b)| f(a, b)).collect(),
    }
}

/// Evaluates one expression for any storage type; the result has the same storage type.
macro_rules! on_storage {
    ($data:expr, $v:ident => $body:expr) => {
        match $data {
            $crate::tensor::Data::F64($v) => $crate::tensor::Data::F64($body),
            $crate::tensor::Data::F32($v) => $crate::tensor::Data::F32($body),
            $crate::tensor::Data::Int($v) => $crate::tensor::Data::Int($body),
        }
    };
}
pub(crate) use on_storage;

/// Evaluates one expression on two tensors that must have the same storage type; the result has it, too.
macro_rules! on_same_storage {
    (($a:expr, $b:expr), ($v:ident, $w:ident) => $body:expr) => {
        match ($a, $b) {
            ($crate::tensor::Data::F64($v), $crate::tensor::Data::F64($w)) => Ok($crate::tensor::Data::F64($body)),
            ($crate::tensor::Data::F32($v), $crate::tensor::Data::F32($w)) => Ok($crate::tensor::Data::F32($body)),
            ($crate::tensor::Data::Int($v), $crate::tensor::Data::Int($w)) => Ok($crate::tensor::Data::Int($body)),
            _ => Err($crate::numeric::kernel::MIXED_DTYPES_ERROR.to_string()),
        }
    };
}
pub(crate) use on_same_storage;

/// Error for operands with different storage types.
pub(crate) const MIXED_DTYPES_ERROR: &str = "operands have different element types";

/// Returns the next number after `x` in the direction of `y` in a float type of at most 16 bits.
pub(crate) fn next_narrow(dtype: DType, x: f32, y: f32) -> f32 {
    if x == y || x.is_nan() || y.is_nan() {
        return if x == y { y } else { f32::NAN };
    }
    let step = |bits: u16| if (y > x) == (x > 0.0) { bits + 1 } else { bits - 1 };
    // The smallest number with the sign of the direction follows zero.
    let from_zero = |sign_bit: u16| if y > 0.0 { 1 } else { sign_bit | 1 };
    match dtype {
        DType::F16 if x == 0.0 => half::f16::from_bits(from_zero(1 << 15)).to_f32(),
        DType::F16 => half::f16::from_bits(step(half::f16::from_f32(x).to_bits())).to_f32(),
        DType::BF16 if x == 0.0 => half::bf16::from_bits(from_zero(1 << 15)).to_f32(),
        DType::BF16 => half::bf16::from_bits(step(half::bf16::from_f32(x).to_bits())).to_f32(),
        DType::Mini(format) if x == 0.0 => format.decode(from_zero(1 << (format.bits() - 1)) as u8),
        DType::Mini(format) => format.decode(step(u16::from(format.encode(x))) as u8),
        _ => x.next_towards(y),
    }
}

/// Returns the elements of an integer tensor. Errors: a float tensor.
pub(crate) fn ints(x: &Tensor) -> Result<&[i64], String> {
    match &x.data {
        Data::Int(v) => Ok(v),
        Data::F32(_) | Data::F64(_) => Err(format!("needs integers, not {}", x.ty)),
    }
}

/// Returns the bits of an integer at the width of its type, without the sign extension of its storage.
pub(crate) fn raw_bits(dtype: DType, x: i64) -> u64 {
    x as u64 & (u64::MAX >> (64 - dtype.bits()))
}

/// Converts a float to an integer type: truncates and saturates. NaN becomes 0; a `bool` is true unless the number is
/// 0.
fn float_to_int(dtype: DType, x: f64) -> i64 {
    match dtype {
        DType::Bool => i64::from(x != 0.0),
        DType::U64 => (x as u64) as i64,
        _ if dtype.is_float() => x as i64,
        _ => {
            let (low, high) = dtype.int_range();
            (x as i64).clamp(low, high)
        }
    }
}

/// Converts a tensor to another element type. Floats are rounded to nearest, or truncated and saturated if the target
/// is an integer type; integers wrap; a `bool` is true if the number is not zero.
pub fn cast(x: &Tensor, dtype: DType) -> Tensor {
    let unsigned = x.ty.dtype == DType::U64;
    let data = match (&x.data, dtype.storage()) {
        (Data::F64(v), ElementStorage::F64) => Data::F64(v.clone()),
        (Data::F32(v), ElementStorage::F64) => Data::F64(map(v, f64::from)),
        (Data::Int(v), ElementStorage::F64) if unsigned => Data::F64(map(v, |x| x as u64 as f64)),
        (Data::Int(v), ElementStorage::F64) => Data::F64(map(v, |x| x as f64)),
        (Data::F64(v), ElementStorage::F32) => Data::F32(map(v, |x| x as f32)),
        (Data::F32(v), ElementStorage::F32) => Data::F32(v.clone()),
        (Data::Int(v), ElementStorage::F32) if unsigned => Data::F32(map(v, |x| x as u64 as f32)),
        (Data::Int(v), ElementStorage::F32) => Data::F32(map(v, |x| x as f32)),
        (Data::F64(v), ElementStorage::Int) => Data::Int(map(v, |x| float_to_int(dtype, x))),
        (Data::F32(v), ElementStorage::Int) => Data::Int(map(v, |x| float_to_int(dtype, f64::from(x)))),
        (Data::Int(v), ElementStorage::Int) => Data::Int(map(v, |x| wrap_int(dtype, x))),
    };
    Tensor { ty: Type { shape: x.ty.shape.clone(), dtype }, data }.wrapped()
}

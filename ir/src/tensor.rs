//! Tensors as plain data: literals of a program, inputs and outputs of the interpreter.
//!
//! Three storage types represent all element types: `f64`; `f32`, also for narrower floats, whose values are rounded
//! after every arithmetic operation; and `i64` for all integers and `bool`, whose values are wrapped after every
//! arithmetic operation. A `u64` is stored as the `i64` with the same bits.

mod bytes;

use crate::dtype::{DType, ElementStorage, Shape, Type};
use indexmap::IndexMap;

/// Values of a model's parameters, keyed by parameter path.
pub type Weights = IndexMap<String, Tensor>;

/// A number of any element type.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// A floating-point number.
    Float(f64),
    /// An integer or `bool`. A `u64` is stored as the `i64` with the same bits.
    Int(i64),
}

impl PartialEq for Scalar {
    /// Compares bitwise: NaNs with equal bits are equal, and negative zero differs from zero.
    fn eq(&self, other: &Scalar) -> bool {
        match (self, other) {
            (Scalar::Float(a), Scalar::Float(b)) => a.to_bits() == b.to_bits(),
            (Scalar::Int(a), Scalar::Int(b)) => a == b,
            (Scalar::Float(_), Scalar::Int(_)) | (Scalar::Int(_), Scalar::Float(_)) => false,
        }
    }
}

impl Scalar {
    /// Converts to `f64`. A `u64` above `i64::MAX` converts to the negative number that has its bits.
    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Float(x) => x,
            Scalar::Int(x) => x as f64,
        }
    }

    /// Converts to `i64`. A float is truncated toward zero and saturates; NaN becomes 0.
    pub fn to_i64(self) -> i64 {
        match self {
            Scalar::Float(x) => x as i64,
            Scalar::Int(x) => x,
        }
    }

    /// Returns true for the integer 0, `false`, and the float `+0.0`. Returns false for `-0.0`: adding it differs from
    /// adding `+0.0`, which changes `-0.0` to `+0.0`.
    pub fn is_zero(self) -> bool {
        match self {
            Scalar::Float(x) => x.to_bits() == 0,
            Scalar::Int(x) => x == 0,
        }
    }
}

/// Elements of a tensor, in row-major order.
#[derive(Clone, PartialEq, Debug)]
pub enum Data {
    /// Storage of `f64`.
    F64(Vec<f64>),
    /// Storage of `f32` and narrower floats.
    F32(Vec<f32>),
    /// Storage of integers and `bool`.
    Int(Vec<i64>),
}

/// A dense tensor.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// Shape and element type.
    pub ty: Type,
    /// Elements; their number equals the element count of the shape.
    pub data: Data,
}

impl Tensor {
    /// Creates a tensor with all elements equal to `value`, rounded or wrapped to the element type.
    pub fn splat(ty: Type, value: Scalar) -> Tensor {
        let n = ty.shape.count();
        let value = wrap(ty.dtype, value);
        let data = match ty.dtype.storage() {
            ElementStorage::F64 => Data::F64(vec![value.to_f64(); n]),
            ElementStorage::F32 => Data::F32(vec![value.to_f64() as f32; n]),
            ElementStorage::Int => Data::Int(vec![value.to_i64(); n]),
        };
        Tensor { ty, data }
    }

    /// Creates a tensor of zeros.
    pub fn zeros(ty: Type) -> Tensor {
        Tensor::splat(ty, Scalar::Int(0))
    }

    /// Creates a tensor from integers in row-major order, wrapped (or rounded) to the element type. The length of
    /// `items` must be the element count of the shape.
    pub fn from_ints(ty: Type, items: Vec<i64>) -> Tensor {
        assert_eq!(ty.shape.count(), items.len());
        let data = match ty.dtype.storage() {
            ElementStorage::F64 => Data::F64(items.into_iter().map(|x| x as f64).collect()),
            ElementStorage::F32 => Data::F32(items.into_iter().map(|x| x as f32).collect()),
            ElementStorage::Int => Data::Int(items),
        };
        Tensor { ty, data }.wrapped()
    }

    /// Creates a tensor from floats in row-major order, rounded to the element type. For integers, floats are truncated
    /// and saturate at the range of `i64`, then wrap. The length of `items` must be the element count of the shape.
    pub fn from_floats(ty: Type, items: Vec<f64>) -> Tensor {
        assert_eq!(ty.shape.count(), items.len());
        let data = match ty.dtype.storage() {
            ElementStorage::F64 => Data::F64(items),
            ElementStorage::F32 => Data::F32(items.into_iter().map(|x| x as f32).collect()),
            ElementStorage::Int => Data::Int(items.into_iter().map(|x| x as i64).collect()),
        };
        Tensor { ty, data }.wrapped()
    }

    /// Returns the shape.
    pub fn shape(&self) -> &Shape {
        &self.ty.shape
    }

    /// Returns element `i` in row-major order.
    pub fn get(&self, i: usize) -> Scalar {
        match &self.data {
            Data::F64(v) => Scalar::Float(v[i]),
            Data::F32(v) => Scalar::Float(f64::from(v[i])),
            Data::Int(v) => Scalar::Int(v[i]),
        }
    }

    /// Returns all elements in row-major order.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        (0..self.ty.shape.count()).map(|i| self.get(i))
    }

    /// Returns the tensor with every element rounded or wrapped to the element type, as required after an arithmetic
    /// operation.
    pub fn wrapped(mut self) -> Tensor {
        match (&mut self.data, self.ty.dtype) {
            (Data::F32(v), DType::F16) => v.iter_mut().for_each(|x| *x = half::f16::from_f32(*x).to_f32()),
            (Data::F32(v), DType::BF16) => v.iter_mut().for_each(|x| *x = half::bf16::from_f32(*x).to_f32()),
            (Data::F32(v), DType::Mini(format)) => v.iter_mut().for_each(|x| *x = format.round(*x)),
            (Data::Int(v), dtype) => v.iter_mut().for_each(|x| *x = wrap_int(dtype, *x)),
            (Data::F32(_) | Data::F64(_), _) => {}
        }
        self
    }
}

/// Wraps an integer to the range of an integer type; for `bool`, nonzero becomes 1. Returns `x` unchanged for 64-bit
/// integers and for float types.
pub fn wrap_int(dtype: DType, x: i64) -> i64 {
    match dtype {
        DType::I32 => i64::from(x as i32),
        DType::U32 => i64::from(x as u32),
        DType::Bool => i64::from(x != 0),
        _ if dtype.is_float() || dtype.bits() == 64 => x,
        _ if dtype.is_unsigned() => x & ((1 << dtype.bits()) - 1),
        _ => x << (64 - dtype.bits()) >> (64 - dtype.bits()),
    }
}

/// Converts a number to an element type: rounds to a float type, truncates and wraps to an integer type.
pub fn wrap(dtype: DType, value: Scalar) -> Scalar {
    match dtype {
        DType::F64 => Scalar::Float(value.to_f64()),
        DType::F32 => Scalar::Float(f64::from(value.to_f64() as f32)),
        DType::F16 => Scalar::Float(half::f16::from_f64(value.to_f64()).to_f64()),
        DType::BF16 => Scalar::Float(half::bf16::from_f64(value.to_f64()).to_f64()),
        DType::Mini(format) => Scalar::Float(f64::from(format.round(value.to_f64() as f32))),
        _ => Scalar::Int(wrap_int(dtype, value.to_i64())),
    }
}

//! Tensors as plain data: literals of a program, inputs and results of the interpreter.
//!
//! Three kinds of storage serve all dtypes: `f64`; `f32`, which also holds `f16` and `bf16` (rounded after every
//! operation); and `i64`, which holds every integer and `bool` (wrapped after every operation; `u64` as its bits).

mod bytes;

use crate::dtype::{DType, Shape, Type};
use indexmap::IndexMap;

/// The data of a model's parameters, by path.
pub type Weights = IndexMap<String, Tensor>;

/// One number.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// A floating point number.
    Float(f64),
    /// An integer or `bool`; `u64` as its bits.
    Int(i64),
}

impl PartialEq for Scalar {
    /// Bit for bit: a NaN equals itself, and negative zero is not zero.
    fn eq(&self, other: &Scalar) -> bool {
        match (self, other) {
            (Scalar::Float(a), Scalar::Float(b)) => a.to_bits() == b.to_bits(),
            (Scalar::Int(a), Scalar::Int(b)) => a == b,
            (Scalar::Float(_), Scalar::Int(_)) | (Scalar::Int(_), Scalar::Float(_)) => false,
        }
    }
}

impl Scalar {
    /// As a float; an integer is converted.
    pub fn to_f64(self) -> f64 {
        match self {
            Scalar::Float(x) => x,
            Scalar::Int(x) => x as f64,
        }
    }

    /// As an integer; a float is truncated.
    pub fn to_i64(self) -> i64 {
        match self {
            Scalar::Float(x) => x as i64,
            Scalar::Int(x) => x,
        }
    }

    /// Whether it is zero (or `false`); negative zero is not, since adding it is not the same as adding nothing.
    pub fn is_zero(self) -> bool {
        match self {
            Scalar::Float(x) => x.to_bits() == 0,
            Scalar::Int(x) => x == 0,
        }
    }
}

/// Elements in row-major order.
#[derive(Clone, PartialEq, Debug)]
pub enum Data {
    /// `f64`.
    F64(Vec<f64>),
    /// `f32`, `f16`, `bf16`.
    F32(Vec<f32>),
    /// Integers and `bool`.
    Int(Vec<i64>),
}

/// A dense tensor.
#[derive(Clone, PartialEq, Debug)]
pub struct Tensor {
    /// Shape and element type.
    pub ty: Type,
    /// As many elements as the shape has.
    pub data: Data,
}

impl Tensor {
    /// A tensor filled with one number.
    pub fn splat(ty: Type, value: Scalar) -> Tensor {
        let n = ty.shape.count();
        let value = wrap(ty.dtype, value);
        let data = match ty.dtype {
            DType::F64 => Data::F64(vec![value.to_f64(); n]),
            DType::F32 | DType::F16 | DType::BF16 => Data::F32(vec![value.to_f64() as f32; n]),
            DType::I64 | DType::I32 | DType::I8 | DType::U64 | DType::U32 | DType::U8 | DType::Bool => {
                Data::Int(vec![value.to_i64(); n])
            }
        };
        Tensor { ty, data }
    }

    /// A tensor of zeros.
    pub fn zeros(ty: Type) -> Tensor {
        Tensor::splat(ty, Scalar::Int(0))
    }

    /// A tensor from integers, wrapped (or rounded) to the dtype. `items` must have as many elements as the shape.
    pub fn from_ints(ty: Type, items: Vec<i64>) -> Tensor {
        debug_assert_eq!(ty.shape.count(), items.len());
        let data = match ty.dtype {
            DType::F64 => Data::F64(items.into_iter().map(|x| x as f64).collect()),
            DType::F32 | DType::F16 | DType::BF16 => Data::F32(items.into_iter().map(|x| x as f32).collect()),
            DType::I64 | DType::I32 | DType::I8 | DType::U64 | DType::U32 | DType::U8 | DType::Bool => Data::Int(items),
        };
        Tensor { ty, data }.wrapped()
    }

    /// A tensor from floats, rounded (or truncated) to the dtype. `items` must have as many elements as the shape.
    pub fn from_floats(ty: Type, items: Vec<f64>) -> Tensor {
        debug_assert_eq!(ty.shape.count(), items.len());
        let data = match ty.dtype {
            DType::F64 => Data::F64(items),
            DType::F32 | DType::F16 | DType::BF16 => Data::F32(items.into_iter().map(|x| x as f32).collect()),
            DType::I64 | DType::I32 | DType::I8 | DType::U64 | DType::U32 | DType::U8 | DType::Bool => {
                Data::Int(items.into_iter().map(|x| x as i64).collect())
            }
        };
        Tensor { ty, data }.wrapped()
    }

    /// Its shape.
    pub fn shape(&self) -> &Shape {
        &self.ty.shape
    }

    /// Element `i` in row-major order.
    pub fn get(&self, i: usize) -> Scalar {
        match &self.data {
            Data::F64(v) => Scalar::Float(v[i]),
            Data::F32(v) => Scalar::Float(f64::from(v[i])),
            Data::Int(v) => Scalar::Int(v[i]),
        }
    }

    /// Every element, in row-major order.
    pub fn scalars(&self) -> impl Iterator<Item = Scalar> + '_ {
        (0..self.ty.shape.count()).map(|i| self.get(i))
    }

    /// Rounds or wraps every element to the dtype: the end of every operation on a narrow dtype.
    pub fn wrapped(mut self) -> Tensor {
        match (&mut self.data, self.ty.dtype) {
            (Data::F32(v), DType::F16) => v.iter_mut().for_each(|x| *x = half::f16::from_f32(*x).to_f32()),
            (Data::F32(v), DType::BF16) => v.iter_mut().for_each(|x| *x = half::bf16::from_f32(*x).to_f32()),
            (Data::Int(v), dtype) => v.iter_mut().for_each(|x| *x = wrap_int(dtype, *x)),
            (Data::F32(_) | Data::F64(_), _) => {}
        }
        self
    }
}

/// An integer as the dtype would hold it.
pub fn wrap_int(dtype: DType, x: i64) -> i64 {
    match dtype {
        DType::I32 => i64::from(x as i32),
        DType::I8 => i64::from(x as i8),
        DType::U32 => i64::from(x as u32),
        DType::U8 => i64::from(x as u8),
        DType::Bool => i64::from(x != 0),
        DType::I64 | DType::U64 | DType::F64 | DType::F32 | DType::F16 | DType::BF16 => x,
    }
}

/// A number as the dtype would hold it.
pub fn wrap(dtype: DType, value: Scalar) -> Scalar {
    match dtype {
        DType::F64 => Scalar::Float(value.to_f64()),
        DType::F32 => Scalar::Float(f64::from(value.to_f64() as f32)),
        DType::F16 => Scalar::Float(half::f16::from_f64(value.to_f64()).to_f64()),
        DType::BF16 => Scalar::Float(half::bf16::from_f64(value.to_f64()).to_f64()),
        DType::I64 | DType::I32 | DType::I8 | DType::U64 | DType::U32 | DType::U8 | DType::Bool => {
            Scalar::Int(wrap_int(dtype, value.to_i64()))
        }
    }
}

//! Element types, shapes, and tensor types without layout.

use crate::mini_float::MiniFloat;
use smallvec::SmallVec;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// Element type of a tensor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)] // the names are the documentation
pub enum DType {
    F64,
    F32,
    F16,
    BF16,
    /// A float of at most 8 bits.
    Mini(MiniFloat),
    I64,
    I32,
    I16,
    I8,
    I4,
    I2,
    U64,
    U32,
    U16,
    U8,
    U4,
    U2,
    Bool,
}

/// Storage types of elements in [`crate::tensor::Data`], which is also the type in which they are computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ElementStorage {
    /// `f64`.
    F64,
    /// `f32`, also for narrower floats.
    F32,
    /// `i64`, for integers and `bool`.
    Int,
}

impl DType {
    /// All element types: floats first, then signed and unsigned integers, then `bool`; each group widest first.
    pub const ALL: [DType; 17 + MiniFloat::ALL.len()] = {
        use DType::*;
        let others = [F64, F32, F16, BF16, I64, I32, I16, I8, I4, I2, U64, U32, U16, U8, U4, U2, Bool];
        let mut all = [DType::Bool; 17 + MiniFloat::ALL.len()];
        let (wide_floats, mini) = (4, MiniFloat::ALL.len());
        let mut i = 0;
        while i < all.len() {
            all[i] = match i {
                _ if i < wide_floats => others[i],
                _ if i < wide_floats + mini => Mini(MiniFloat::ALL[i - wide_floats]),
                _ => others[i - mini],
            };
            i += 1;
        }
        all
    };

    /// Returns the name in program text, such as `f32` or `bool`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::F64 => "f64",
            DType::F32 => "f32",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::Mini(format) => format.name(),
            DType::I64 => "i64",
            DType::I32 => "i32",
            DType::I16 => "i16",
            DType::I8 => "i8",
            DType::I4 => "i4",
            DType::I2 => "i2",
            DType::U64 => "u64",
            DType::U32 => "u32",
            DType::U16 => "u16",
            DType::U8 => "u8",
            DType::U4 => "u4",
            DType::U2 => "u2",
            DType::Bool => "bool",
        }
    }

    /// Returns the element type with the given [`DType::name`].
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|d| d.name() == name)
    }

    /// Returns the size of one element in memory, in bytes. Elements of less than 8 bits take a byte.
    pub const fn bytes(self) -> u64 {
        (self.bits() as u64).div_ceil(8)
    }

    /// Returns the number of bits of one element; 1 for `bool`.
    pub const fn bits(self) -> u32 {
        match self {
            DType::F64 | DType::I64 | DType::U64 => 64,
            DType::F32 | DType::I32 | DType::U32 => 32,
            DType::F16 | DType::BF16 | DType::I16 | DType::U16 => 16,
            DType::I8 | DType::U8 => 8,
            DType::I4 | DType::U4 => 4,
            DType::I2 | DType::U2 => 2,
            DType::Bool => 1,
            DType::Mini(format) => format.bits(),
        }
    }

    /// Returns true if this is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F64 | DType::F32 | DType::F16 | DType::BF16 | DType::Mini(_))
    }

    /// Returns true if this is an integer type. `bool` is not an integer type.
    pub const fn is_int(self) -> bool {
        !self.is_float() && !matches!(self, DType::Bool)
    }

    /// Returns true if this is an unsigned integer type.
    pub const fn is_unsigned(self) -> bool {
        matches!(self, DType::U64 | DType::U32 | DType::U16 | DType::U8 | DType::U4 | DType::U2)
    }

    /// Returns the storage type of elements.
    pub const fn storage(self) -> ElementStorage {
        match self {
            DType::F64 => ElementStorage::F64,
            _ if self.is_float() => ElementStorage::F32,
            _ => ElementStorage::Int,
        }
    }

    /// Returns the smallest and the largest number of an integer type or `bool`; for `u64` as `i64` with the same bits.
    pub const fn int_range(self) -> (i64, i64) {
        let bits = self.bits();
        match self {
            DType::U64 => (0, -1),
            _ if self.is_unsigned() || matches!(self, DType::Bool) => (0, (1 << bits) - 1),
            _ => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
        }
    }

    /// Returns the element type in which composites of this type compute, and which their constants and the scalars of
    /// an optimizer have: `f32` for narrower floats, otherwise the type itself.
    pub fn compute_type(self) -> DType {
        if self.is_float() && self.bits() < 32 { DType::F32 } else { self }
    }

    /// Returns the unit roundoff of a float type: the largest relative error of rounding to it.
    pub fn roundoff(self) -> Option<f64> {
        let mantissa_bits = match self {
            DType::F64 => 52,
            DType::F32 => 23,
            DType::F16 => 10,
            DType::BF16 => 7,
            DType::Mini(format) => format.mantissa_bits(),
            _ => return None,
        };
        Some(2f64.powi(-1 - mantissa_bits as i32))
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Static dimensions of a tensor, major to minor. A scalar has no dimensions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Shape(pub SmallVec<[usize; 4]>);

impl Shape {
    /// Returns the shape of a scalar.
    pub fn scalar() -> Shape {
        Shape::default()
    }

    /// Returns the number of dimensions.
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// Maximum number of elements of a shape. The size in bytes then fits in `u64` for every element type.
    pub const MAX_COUNT: usize = (1 << 60) - 1;

    /// Returns the number of elements, or `None` if it exceeds [`Shape::MAX_COUNT`].
    pub fn checked_count(&self) -> Option<usize> {
        if self.0.contains(&0) {
            return Some(0);
        }
        self.0.iter().try_fold(1usize, |n, &d| n.checked_mul(d)).filter(|&n| n <= Shape::MAX_COUNT)
    }

    /// Returns the number of elements. Shapes of a verified program do not overflow; other shapes saturate at
    /// `usize::MAX`.
    pub fn count(&self) -> usize {
        self.checked_count().unwrap_or(usize::MAX)
    }

    /// Returns the row-major strides, in elements.
    pub fn strides(&self) -> SmallVec<[usize; 4]> {
        let mut strides: SmallVec<[usize; 4]> = SmallVec::from_elem(1, self.rank());
        for d in (1..self.rank()).rev() {
            strides[d - 1] = strides[d].saturating_mul(self.0[d]);
        }
        strides
    }
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.0
    }
}

impl DerefMut for Shape {
    fn deref_mut(&mut self) -> &mut [usize] {
        &mut self.0
    }
}

impl From<&[usize]> for Shape {
    fn from(dims: &[usize]) -> Shape {
        Shape(SmallVec::from_slice(dims))
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(dims: [usize; N]) -> Shape {
        Shape(SmallVec::from_slice(&dims))
    }
}

impl FromIterator<usize> for Shape {
    fn from_iter<T: IntoIterator<Item = usize>>(dims: T) -> Shape {
        Shape(dims.into_iter().collect())
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, d) in self.0.iter().enumerate() {
            write!(f, "{}{d}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str("]")
    }
}

/// Shape and element type of a tensor, without its layout.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Type {
    /// Dimensions.
    pub shape: Shape,
    /// Element type.
    pub dtype: DType,
}

impl Type {
    /// Creates the type `dtype[shape]`.
    pub fn new(dtype: DType, shape: impl Into<Shape>) -> Type {
        Type { shape: shape.into(), dtype }
    }

    /// Returns the size of the unsharded tensor in bytes; saturates.
    pub fn bytes(&self) -> u64 {
        (self.shape.count() as u64).saturating_mul(self.dtype.bytes())
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, self.shape)
    }
}

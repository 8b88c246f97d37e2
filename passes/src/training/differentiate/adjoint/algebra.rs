//! Arithmetic on values with short method names, so that rules read like formulas.

use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, Reduce, Select, Slice, Transpose, UnaryOp};
use partita_ir::tensor::Scalar;

/// Methods that append one op and return its result. Ops that would change nothing are omitted.
pub trait Algebra {
    /// `x + y`
    fn add(&mut self, x: ValueId, y: ValueId) -> ValueId;
    /// `x - y`
    fn sub(&mut self, x: ValueId, y: ValueId) -> ValueId;
    /// `x * y`
    fn mul(&mut self, x: ValueId, y: ValueId) -> ValueId;
    /// `x / y`
    fn div(&mut self, x: ValueId, y: ValueId) -> ValueId;
    /// `-x`
    fn neg(&mut self, x: ValueId) -> ValueId;
    /// `x * number`
    fn times(&mut self, x: ValueId, number: f64) -> ValueId;
    /// `x + number`
    fn plus(&mut self, x: ValueId, number: f64) -> ValueId;
    /// `1 - x`
    fn one_minus(&mut self, x: ValueId) -> ValueId;
    /// A tensor filled with a number.
    fn filled(&mut self, ty: Type, number: f64) -> ValueId;
    /// A tensor of zeros.
    fn zeros(&mut self, ty: Type) -> ValueId {
        self.filled(ty, 0.0)
    }
    /// `pred ? x : y`
    fn choose(&mut self, pred: ValueId, x: ValueId, y: ValueId) -> ValueId;
    /// `pred ? x : 0`
    fn select_or_zero(&mut self, pred: ValueId, x: ValueId) -> ValueId;
    /// `pred ? 0 : x`
    fn zero_where(&mut self, pred: ValueId, x: ValueId) -> ValueId;
    /// Elementwise comparison with a number.
    fn compare_with(&mut self, x: ValueId, direction: Direction, number: f64) -> ValueId;
    /// Reduction of `x` along dimensions.
    fn reduced(&mut self, monoid: Monoid, x: ValueId, dims: &[usize]) -> ValueId;
    /// Sum of `x` along dimensions.
    fn sum(&mut self, x: ValueId, dims: &[usize]) -> ValueId {
        self.reduced(Monoid::Sum, x, dims)
    }
    /// `x` repeated along the dimensions of `shape` that [`Algebra::reduced`] removed.
    fn spread_over(&mut self, x: ValueId, dims: &[usize], shape: &Shape) -> ValueId;
    /// `x` with permuted dimensions: dimension `i` of the result is dimension `perm[i]` of `x`.
    fn transposed(&mut self, x: ValueId, perm: &[usize]) -> ValueId;
    /// `x` reshaped.
    fn reshaped(&mut self, x: ValueId, shape: Shape) -> ValueId;
    /// `x` converted to another element type.
    fn converted(&mut self, x: ValueId, dtype: DType) -> ValueId;
    /// Strided slice of `x` with the given shape: elements `start, start + stride, ..`.
    fn strided_slice(&mut self, x: ValueId, start: &[usize], stride: &[usize], shape: &Shape) -> ValueId;
}

impl Algebra for Builder<'_> {
    fn add(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.binary(BinaryOp::Add, x, y)
    }

    fn sub(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.binary(BinaryOp::Sub, x, y)
    }

    fn mul(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.binary(BinaryOp::Mul, x, y)
    }

    fn div(&mut self, x: ValueId, y: ValueId) -> ValueId {
        self.binary(BinaryOp::Div, x, y)
    }

    fn neg(&mut self, x: ValueId) -> ValueId {
        self.unary(UnaryOp::Neg, x)
    }

    fn times(&mut self, x: ValueId, number: f64) -> ValueId {
        if number == 1.0 { x } else { self.binary_scalar(BinaryOp::Mul, x, number) }
    }

    fn plus(&mut self, x: ValueId, number: f64) -> ValueId {
        self.binary_scalar(BinaryOp::Add, x, number)
    }

    fn one_minus(&mut self, x: ValueId) -> ValueId {
        let ty = self.ty(x);
        let one = self.filled(ty, 1.0);
        self.sub(one, x)
    }

    fn filled(&mut self, ty: Type, number: f64) -> ValueId {
        let number = if ty.dtype.is_float() { Scalar::Float(number) } else { Scalar::Int(number as i64) };
        self.splat(ty, number)
    }

    fn choose(&mut self, pred: ValueId, x: ValueId, y: ValueId) -> ValueId {
        let ty = self.ty(x);
        self.op("select", Select {}, &[pred, x, y], ty)
    }

    fn select_or_zero(&mut self, pred: ValueId, x: ValueId) -> ValueId {
        let ty = self.ty(x);
        let zero = self.zeros(ty);
        self.choose(pred, x, zero)
    }

    fn zero_where(&mut self, pred: ValueId, x: ValueId) -> ValueId {
        let ty = self.ty(x);
        let zero = self.zeros(ty);
        self.choose(pred, zero, x)
    }

    fn compare_with(&mut self, x: ValueId, direction: Direction, number: f64) -> ValueId {
        let ty = self.ty(x);
        let number = self.filled(ty, number);
        self.compare(x, direction, number)
    }

    fn reduced(&mut self, monoid: Monoid, x: ValueId, dims: &[usize]) -> ValueId {
        if dims.is_empty() {
            return x;
        }
        let Type { shape, dtype } = self.ty(x);
        let remaining: Shape = (0..shape.rank()).filter(|d| !dims.contains(d)).map(|d| shape[d]).collect();
        self.op(monoid.name(), Reduce { monoid, dims: dims.into() }, &[x], Type { shape: remaining, dtype })
    }

    fn spread_over(&mut self, x: ValueId, dims: &[usize], shape: &Shape) -> ValueId {
        if dims.is_empty() {
            return x;
        }
        let remaining: Vec<usize> = (0..shape.rank()).filter(|d| !dims.contains(d)).collect();
        self.broadcast(x, &remaining, shape.clone())
    }

    fn transposed(&mut self, x: ValueId, perm: &[usize]) -> ValueId {
        if perm.iter().enumerate().all(|(i, &d)| i == d) {
            return x;
        }
        let Type { shape, dtype } = self.ty(x);
        let ty = Type { shape: perm.iter().map(|&d| shape[d]).collect(), dtype };
        self.op("transpose", Transpose { perm: perm.into() }, &[x], ty)
    }

    fn reshaped(&mut self, x: ValueId, shape: Shape) -> ValueId {
        if self.ty(x).shape == shape { x } else { self.reshape(x, shape) }
    }

    fn converted(&mut self, x: ValueId, dtype: DType) -> ValueId {
        if self.ty(x).dtype == dtype { x } else { self.convert(x, dtype) }
    }

    fn strided_slice(&mut self, x: ValueId, start: &[usize], stride: &[usize], shape: &Shape) -> ValueId {
        let ty = self.ty(x);
        let plain = stride.iter().all(|&s| s == 1);
        if plain && ty.shape == *shape {
            return x;
        }
        let end = |((&start, &stride), &n): ((&usize, &usize), &usize)| start + n.saturating_sub(1) * stride + n.min(1);
        let limit = start.iter().zip(stride).zip(shape.iter()).map(end).collect();
        let stride = if plain { Default::default() } else { stride.into() };
        let slice = Slice { start: start.into(), limit, stride };
        self.op("slice", slice, &[x], Type { shape: shape.clone(), dtype: ty.dtype })
    }
}

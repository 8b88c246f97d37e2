//! Builder methods for constants and for arithmetic that needs several ops.

use super::Builder;
use crate::arena::ValueId;
use crate::dtype::{DType, Shape, Type};
use crate::program::op::OpKind;
use crate::program::ops::{BinaryOp, Clamp, Compare, Constant, Direction, DotGeneral, Iota, Literal, Select, UnaryOp};
use crate::syntax::attr::{DimPairs, Dims};
use crate::tensor::{Scalar, Tensor, wrap};

impl Builder<'_> {
    /// Appends a tensor with the given elements. Equal elements become a splat, and the vector `0, 1, 2, ...` an
    /// `iota`; neither needs data.
    pub fn constant(&mut self, tensor: &Tensor) -> ValueId {
        let ty = tensor.ty.clone();
        let numbers: Vec<Scalar> = tensor.scalars().collect();
        let is_count = |(i, x): (usize, &Scalar)| x.to_f64() == i as f64;
        let counts = ty.shape.rank() == 1 && ty.dtype != DType::Bool && numbers.iter().enumerate().all(is_count);
        let kind: OpKind = match numbers.first() {
            Some(&first) if numbers.iter().all(|&x| x == first) => Constant { value: Literal::Splat(first) }.into(),
            Some(_) if counts => Iota { dim: 0 }.into(),
            _ => Constant { value: Literal::Dense(numbers.into()) }.into(),
        };
        self.op("constant", kind, &[], ty)
    }

    /// Appends the vector `0, 1, ..., end - 1`, using the same op as [`Builder::constant`].
    pub fn arange(&mut self, dtype: DType, end: usize) -> ValueId {
        let kind: OpKind = match end {
            1 => Constant { value: Literal::Splat(wrap(dtype, Scalar::Int(0))) }.into(),
            _ => Iota { dim: 0 }.into(),
        };
        self.op("constant", kind, &[], Type::new(dtype, [end]))
    }

    /// Appends the index of each element along one dimension.
    pub fn iota(&mut self, dtype: DType, shape: impl Into<Shape>, dim: usize) -> ValueId {
        self.op("iota", Iota { dim }, &[], Type::new(dtype, shape))
    }

    /// Appends a tensor with the shape and element type of `like` and all elements equal to `number`.
    pub fn splat_like(&mut self, like: ValueId, number: Scalar) -> ValueId {
        let ty = self.ty(like);
        let number = wrap(ty.dtype, number);
        self.splat(ty, number)
    }

    /// Appends a scalar constant.
    pub fn scalar(&mut self, dtype: DType, number: Scalar) -> ValueId {
        self.splat(Type::new(dtype, Shape::scalar()), wrap(dtype, number))
    }

    /// Appends the comparison `x direction y` for operands of the same type.
    pub fn compare(&mut self, x: ValueId, direction: Direction, y: ValueId) -> ValueId {
        let ty = Type { dtype: DType::Bool, shape: self.ty(x).shape };
        self.op(direction.name(), Compare { direction, total: false }, &[x, y], ty)
    }

    /// Appends `condition ? x : y`.
    pub fn select(&mut self, condition: ValueId, x: ValueId, y: ValueId) -> ValueId {
        let ty = self.ty(x);
        self.op("select", Select {}, &[condition, x, y], ty)
    }

    /// Appends `min(max(x, low), high)` for constant bounds.
    pub fn clamp(&mut self, x: ValueId, low: Scalar, high: Scalar) -> ValueId {
        let ty = self.ty(x);
        let (low, high) = (self.scalar(ty.dtype, low), self.scalar(ty.dtype, high));
        self.op("clamp", Clamp {}, &[low, x, high], ty)
    }

    /// Appends the remainder with the sign of the divisor, as in Python. The op `rem` has the sign of the dividend.
    pub fn remainder(&mut self, x: ValueId, y: ValueId) -> ValueId {
        let rem = self.binary(BinaryOp::Rem, x, y);
        let zero = self.splat_like(rem, Scalar::Int(0));
        let nonzero = self.compare(rem, Direction::Ne, zero);
        let (negative, divisor_negative) =
            (self.compare(rem, Direction::Lt, zero), self.compare(y, Direction::Lt, zero));
        let apart = self.binary(BinaryOp::Xor, negative, divisor_negative);
        let wrong = self.binary(BinaryOp::And, nonzero, apart);
        let moved = self.binary(BinaryOp::Add, rem, y);
        self.select(wrong, moved, rem)
    }

    /// Appends `x >= 0 ? x : slope * x`.
    pub fn leaky_relu(&mut self, x: ValueId, slope: ValueId) -> ValueId {
        let zero = self.splat_like(x, Scalar::Int(0));
        let positive = self.compare(x, Direction::Ge, zero);
        let scaled = self.binary(BinaryOp::Mul, x, slope);
        self.select(positive, x, scaled)
    }

    /// Appends `clamp(alpha * x + beta, 0, 1)`.
    pub fn hard_sigmoid(&mut self, x: ValueId, alpha: f64, beta: f64) -> ValueId {
        let scaled = self.binary_scalar(BinaryOp::Mul, x, alpha);
        let shifted = self.binary_scalar(BinaryOp::Add, scaled, beta);
        self.clamp(shifted, Scalar::Float(0.0), Scalar::Float(1.0))
    }

    /// Appends `-log(1 + exp(-x))`, computed as `min(x, 0) - log1p(exp(-|x|))` to avoid overflow.
    pub fn log_sigmoid(&mut self, x: ValueId) -> ValueId {
        let linear = self.binary_scalar(BinaryOp::Min, x, 0.0);
        let size = self.unary(UnaryOp::Abs, x);
        let negative = self.unary(UnaryOp::Neg, size);
        let exp = self.unary(UnaryOp::Exp, negative);
        let log = self.unary(UnaryOp::Log1p, exp);
        self.binary(BinaryOp::Sub, linear, log)
    }

    /// Appends `log(1 + exp(x))`, without overflow.
    pub fn softplus(&mut self, x: ValueId) -> ValueId {
        let negative = self.unary(UnaryOp::Neg, x);
        let log = self.log_sigmoid(negative);
        self.unary(UnaryOp::Neg, log)
    }

    /// Appends `x sigmoid(scale x)`.
    pub fn swish(&mut self, x: ValueId, scale: f64) -> ValueId {
        let scaled = if scale == 1.0 { x } else { self.binary_scalar(BinaryOp::Mul, x, scale) };
        let gate = self.unary(UnaryOp::Sigmoid, scaled);
        self.binary(BinaryOp::Mul, x, gate)
    }

    /// Appends a matrix product with broadcasting of leading dimensions, as in numpy. Both operands have at least two
    /// dimensions. A leading dimension that one operand lacks, or has with size 1, is not broadcast: it becomes a free
    /// dimension of the other operand, so that a shared weight stays one matrix.
    pub fn matmul(&mut self, x: ValueId, y: ValueId, dtype: DType) -> ValueId {
        let (xs, ys) = (self.ty(x).shape, self.ty(y).shape);
        let rank = xs.rank().max(ys.rank());
        let lead = rank - 2;
        // Size of a dimension by its position in the result; `None` if the operand lacks it.
        let size_at = |shape: &Shape, i: usize| (i + shape.rank()).checked_sub(rank).map(|d| shape[d]);
        let keeps = |own: &Shape, other: &Shape, i: usize| match (size_at(own, i), size_at(other, i)) {
            (None, _) => false,
            (Some(size), other) => i >= lead || size != 1 || other.is_none_or(|n| n == 1),
        };
        let x_dims: Vec<usize> = (0..rank).filter(|&i| keeps(&xs, &ys, i)).collect();
        let y_dims: Vec<usize> = (0..rank).filter(|&i| keeps(&ys, &xs, i)).collect();
        let x = self.squeeze_to_dims(x, &x_dims, rank);
        let y = self.squeeze_to_dims(y, &y_dims, rank);

        let shared = |i: &usize| *i < lead && x_dims.contains(i) && y_dims.contains(i);
        let at = |dims: &[usize], i: usize| dims.iter().take_while(|&&d| d < i).count();
        let batch: Vec<usize> = (0..lead).filter(shared).collect();
        let contract =
            DimPairs { lhs: Dims::from_elem(x_dims.len() - 1, 1), rhs: Dims::from_elem(y_dims.len() - 2, 1) };
        let pairs = DimPairs {
            lhs: batch.iter().map(|&i| at(&x_dims, i)).collect(),
            rhs: batch.iter().map(|&i| at(&y_dims, i)).collect(),
        };
        // Dimensions of the result in the order of `dot_general`, by position in the matrix product.
        let free = |dims: &[usize], own: usize| -> Vec<usize> {
            dims.iter().copied().filter(|i| *i < lead && !shared(i) || *i == own).collect()
        };
        let mut order = batch.clone();
        order.extend(free(&x_dims, lead));
        order.extend(free(&y_dims, lead + 1));
        let size = |i: usize| {
            let own = if i == lead + 1 || !x_dims.contains(&i) { &ys } else { &xs };
            size_at(own, i).unwrap_or(1)
        };
        let ty = Type::new(dtype, order.iter().map(|&i| size(i)).collect::<Shape>());
        let out = self.op("matmul", DotGeneral { contract, batch: pairs }, &[x, y], ty);
        let perm: Dims = (0..order.len()).map(|i| order.iter().position(|&d| d == i).unwrap_or(i)).collect();
        self.transpose(out, perm)
    }

    /// Appends a reshape of `x` to the given dimensions, numbered as in a result of the given rank. The removed
    /// dimensions have size 1.
    fn squeeze_to_dims(&mut self, x: ValueId, dims: &[usize], rank: usize) -> ValueId {
        let shape = self.ty(x).shape;
        if dims.len() == shape.rank() {
            return x;
        }
        let skipped = rank - shape.rank();
        self.reshape(x, dims.iter().map(|&d| shape[d - skipped]).collect::<Shape>())
    }
}

//! Operators on values with broadcasting and shape checks, shared by the lowering functions.

use super::lowering::{Lowering, LoweringError, malformed};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Concatenate, Direction, Iota, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::{Scalar, Tensor};

impl Lowering<'_> {
    /// Appends `op(x, y)` with broadcasting. Errors: the shapes do not broadcast.
    pub fn binary(&mut self, op: BinaryOp, x: ValueId, y: ValueId) -> Result<ValueId, LoweringError> {
        let [x, y] = self.broadcast_all([x, y])?;
        Ok(self.b.binary(op, x, y))
    }

    /// Appends `x + y` with broadcasting.
    pub fn add(&mut self, x: ValueId, y: ValueId) -> Result<ValueId, LoweringError> {
        self.binary(BinaryOp::Add, x, y)
    }

    /// Appends `x - y` with broadcasting.
    pub fn sub(&mut self, x: ValueId, y: ValueId) -> Result<ValueId, LoweringError> {
        self.binary(BinaryOp::Sub, x, y)
    }

    /// Appends `x y` with broadcasting.
    pub fn mul(&mut self, x: ValueId, y: ValueId) -> Result<ValueId, LoweringError> {
        self.binary(BinaryOp::Mul, x, y)
    }

    /// Appends `x / y` with broadcasting.
    pub fn div(&mut self, x: ValueId, y: ValueId) -> Result<ValueId, LoweringError> {
        self.binary(BinaryOp::Div, x, y)
    }

    /// Appends the comparison of `x` and `y` with broadcasting.
    pub fn compare(&mut self, x: ValueId, direction: Direction, y: ValueId) -> Result<ValueId, LoweringError> {
        let [x, y] = self.broadcast_all([x, y])?;
        Ok(self.b.compare(x, direction, y))
    }

    /// Appends the comparison of `x` and a number.
    pub fn compare_scalar(&mut self, x: ValueId, direction: Direction, number: Scalar) -> ValueId {
        let number = self.b.splat_like(x, number);
        self.b.compare(x, direction, number)
    }

    /// Appends `condition ? x : y` with broadcasting.
    pub fn select(&mut self, condition: ValueId, x: ValueId, y: ValueId) -> Result<ValueId, LoweringError> {
        let [condition, x, y] = self.broadcast_all([condition, x, y])?;
        Ok(self.b.select(condition, x, y))
    }

    /// Appends `condition ? x : number` with broadcasting.
    pub fn select_or(&mut self, condition: ValueId, x: ValueId, number: Scalar) -> Result<ValueId, LoweringError> {
        let [condition, x] = self.broadcast_all([condition, x])?;
        let other = self.b.splat_like(x, number);
        Ok(self.b.select(condition, x, other))
    }

    /// Appends the conjunction of two optional conditions, with broadcasting.
    pub fn and(&mut self, x: Option<ValueId>, y: Option<ValueId>) -> Result<Option<ValueId>, LoweringError> {
        match (x, y) {
            (Some(x), Some(y)) => self.binary(BinaryOp::And, x, y).map(Some),
            (one, None) | (None, one) => Ok(one),
        }
    }

    /// Appends `x sigmoid(scale x)`.
    pub fn swish(&mut self, x: ValueId, scale: f64) -> ValueId {
        let scaled = if scale == 1.0 { x } else { self.b.binary_scalar(BinaryOp::Mul, x, scale) };
        let gate = self.b.unary(UnaryOp::Sigmoid, scaled);
        self.b.binary(BinaryOp::Mul, x, gate)
    }

    /// Appends a constant with the given integers, rounded or wrapped to the element type.
    pub fn int_constant(&mut self, dtype: DType, shape: impl Into<Shape>, items: Vec<i64>) -> ValueId {
        self.add_constant(Tensor::from_ints(Type::new(dtype, shape), items))
    }

    /// Appends a constant with the given floats, rounded to the element type.
    pub fn float_constant(&mut self, dtype: DType, shape: impl Into<Shape>, items: Vec<f64>) -> ValueId {
        self.add_constant(Tensor::from_floats(Type::new(dtype, shape), items))
    }

    /// Appends a constant.
    pub fn add_constant(&mut self, tensor: Tensor) -> ValueId {
        let value = self.b.constant(&tensor);
        self.set_constant(value, tensor);
        value
    }

    /// Appends the index of each element along one dimension.
    pub fn iota(&mut self, dtype: DType, shape: impl Into<Shape>, dim: usize) -> ValueId {
        self.b.op("iota", Iota { dim }, &[], Type::new(dtype, shape))
    }

    /// Appends a reshape of `x`, unless it has the shape already. Errors: the element counts differ.
    pub fn reshape(&mut self, x: ValueId, shape: impl Into<Shape>) -> Result<ValueId, LoweringError> {
        let (from, shape) = (self.shape(x), shape.into());
        match shape.checked_count() == Some(from.count()) {
            true if from == shape => Ok(x),
            true => Ok(self.b.reshape(x, shape)),
            false => malformed(format!("cannot reshape {from} to {shape}")),
        }
    }

    /// Appends a reduction over `dims`, which remain with size 1.
    pub fn reduce_keep(&mut self, monoid: Monoid, x: ValueId, dims: &[usize]) -> ValueId {
        let mut shape = self.shape(x);
        let reduced = self.b.reduce_dims(monoid, x, Dims::from_slice(dims));
        dims.iter().for_each(|&d| shape[d] = 1);
        self.b.reshape(reduced, shape)
    }

    /// Appends the mean over `dims`, which remain with size 1.
    pub fn mean_keep(&mut self, x: ValueId, dims: &[usize]) -> ValueId {
        let mut shape = self.shape(x);
        let mean = self.b.mean_dims(x, Dims::from_slice(dims));
        dims.iter().for_each(|&d| shape[d] = 1);
        self.b.reshape(mean, shape)
    }

    /// Appends a concatenation along `dim`, including operands without elements. Errors: the shapes do not agree.
    pub fn concat(&mut self, parts: &[ValueId], dim: usize) -> Result<ValueId, LoweringError> {
        self.op("concatenate", Concatenate { dim }, parts)
    }

    /// Appends a matrix product with broadcasting of leading dimensions. Errors: the sizes do not agree.
    pub fn matmul(&mut self, x: ValueId, y: ValueId) -> Result<ValueId, LoweringError> {
        let (xs, ys) = (self.shape(x), self.shape(y));
        let (Some(lead_x), Some(lead_y)) = (xs.rank().checked_sub(2), ys.rank().checked_sub(2)) else {
            return malformed(format!("multiplies {} by {}", self.b.ty(x), self.b.ty(y)));
        };
        super::lowering::broadcast([&Shape::from(&xs[..lead_x]), &Shape::from(&ys[..lead_y])])?;
        if xs[lead_x + 1] != ys[lead_y] {
            return malformed(format!("multiplies {xs} by {ys}"));
        }
        let dtype = self.dtype(x);
        Ok(self.b.matmul(x, y, dtype))
    }
}

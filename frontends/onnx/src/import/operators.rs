//! Operators on values with broadcasting and shape checks, shared by the lowering functions.

use super::lowering::{Lowering, LoweringError};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{BinaryOp, Concatenate, Direction};
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

    /// Appends a reshape of `x`, unless it has the shape already. Errors: the element counts differ.
    pub fn reshape(&mut self, x: ValueId, shape: impl Into<Shape>) -> Result<ValueId, LoweringError> {
        Ok(self.b.checked_reshape(x, shape)?)
    }

    /// Appends a concatenation along `dim`, including operands without elements. Errors: the shapes do not agree.
    pub fn concat(&mut self, parts: &[ValueId], dim: usize) -> Result<ValueId, LoweringError> {
        self.op("concatenate", Concatenate { dim }, parts)
    }

    /// Appends a matrix product with broadcasting of leading dimensions. Errors: the sizes do not agree.
    pub fn matmul(&mut self, x: ValueId, y: ValueId) -> Result<ValueId, LoweringError> {
        Ok(self.b.checked_matmul(x, y)?)
    }
}

//! Random tensors: functions of a key and of every element's global index, so that they depend on no mesh.
//!
//! A program that draws has an input `key` (`u32[2]`); the n-th random tensor uses the key plus `[0, n]`.

use super::Builder;
use crate::arena::ValueId;
use crate::dtype::{DType, Type};
use crate::program::ops::{BinaryOp, Constant, Direction, Distribution, Literal, Random};
use crate::syntax::attr::Dims;
use crate::tensor::Scalar;

/// The key of a program's random tensors, and the number of those drawn.
#[derive(Default)]
pub struct Draws {
    key: Option<ValueId>,
    count: i64,
}

impl Builder<'_> {
    /// The next random tensor. The first one declares the input `key`.
    pub fn draw(&mut self, draws: &mut Draws, dist: Distribution, ty: Type) -> ValueId {
        let key_ty = Type::new(DType::U32, [2]);
        let key = *draws.key.get_or_insert_with(|| {
            let name = self.names.fresh("key");
            self.program.input(name, key_ty.clone())
        });
        let number = Literal::Dense([Scalar::Int(0), Scalar::Int(draws.count)].into());
        draws.count += 1;
        let number = self.op("draw", Constant { value: number }, &[], key_ty);
        let key = self.binary(BinaryOp::Add, key, number);
        self.op("random", Random { dist, global: Dims::new() }, &[key], ty)
    }

    /// The next random tensor, of ones with that probability and zeros.
    pub fn bernoulli(&mut self, draws: &mut Draws, probability: f64, ty: Type) -> ValueId {
        let dtype = ty.dtype;
        let unit = self.draw(draws, Distribution::Uniform, ty);
        let bound = self.splat_like(unit, Scalar::Float(probability));
        let hit = self.compare(unit, Direction::Lt, bound);
        self.convert(hit, dtype)
    }
}

//! Builder methods for random tensors, which are functions of a key and each element's global index and thus
//! independent of the mesh.
//!
//! A program with random tensors has an input `key` (`u32[2]`); the n-th random tensor uses the sum of the key and `[0,
//! n]`.

use super::Builder;
use crate::arena::ValueId;
use crate::dtype::{DType, Type};
use crate::program::ops::{BinaryOp, Constant, Direction, Distribution, Literal, Random};
use crate::syntax::attr::Dims;
use crate::tensor::Scalar;

/// Random key of a program, and the number of random tensors generated from it.
#[derive(Default)]
pub struct RandomStream {
    key: Option<ValueId>,
    count: i64,
}

impl Builder<'_> {
    /// Appends the next random tensor. The first call adds the input `key` to the program.
    pub fn draw(&mut self, stream: &mut RandomStream, dist: Distribution, ty: Type) -> ValueId {
        let key_ty = Type::new(DType::U32, [2]);
        let key = *stream.key.get_or_insert_with(|| {
            let name = self.names.fresh("key");
            self.program.input(name, key_ty.clone())
        });
        let number = Literal::Dense([Scalar::Int(0), Scalar::Int(stream.count)].into());
        stream.count += 1;
        let number = self.op("draw", Constant { value: number }, &[], key_ty);
        let key = self.binary(BinaryOp::Add, key, number);
        self.op("random", Random { dist, global: Dims::new() }, &[key], ty)
    }

    /// Appends the next random tensor of Bernoulli samples: ones with the given probability, zeros otherwise.
    pub fn bernoulli(&mut self, stream: &mut RandomStream, probability: f64, ty: Type) -> ValueId {
        let dtype = ty.dtype;
        let unit = self.draw(stream, Distribution::Uniform, ty);
        let bound = self.splat_like(unit, Scalar::Float(probability));
        let hit = self.compare(unit, Direction::Lt, bound);
        self.convert(hit, dtype)
    }
}

//! Random tensors: functions of a key and of every element's global index, so that they depend on no mesh.
//!
//! A program that draws has an input `key` (`u32[2]`); the n-th random tensor uses the key plus `[0, n]`.

use super::lowering::{Lowered, Lowering, type_of};
use burn::tensor::Distribution as BurnDistribution;
use burn_ir::RandomOpIr;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, Constant, Direction, Distribution, Literal, Random, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Draws a tensor. Integers are floats rounded down.
pub(super) fn random(cx: &mut Lowering<'_>, op: &RandomOpIr) -> Lowered {
    let ty = type_of(&op.out)?;
    let float = if ty.dtype.is_float() { ty.dtype } else { DType::F32 };
    let drawn = Type::new(float, ty.shape.clone());
    let value = match op.distribution {
        BurnDistribution::Default => draw(cx, Distribution::Uniform, drawn),
        BurnDistribution::Uniform(low, high) => {
            let unit = draw(cx, Distribution::Uniform, drawn);
            scaled(cx, unit, high - low, low)
        }
        BurnDistribution::Normal(mean, deviation) => {
            let standard = draw(cx, Distribution::Normal, drawn);
            scaled(cx, standard, deviation, mean)
        }
        BurnDistribution::Bernoulli(probability) => {
            let unit = draw(cx, Distribution::Uniform, drawn);
            let bound = cx.b.splat_like(unit, Scalar::Float(probability));
            let hit = cx.b.compare(unit, Direction::Lt, bound);
            cx.b.convert(hit, float)
        }
    };
    let value = if ty.dtype.is_float() {
        value
    } else {
        let whole = cx.b.unary(UnaryOp::Floor, value);
        cx.b.convert(whole, ty.dtype)
    };
    cx.write(&op.out, value)
}

fn scaled(cx: &mut Lowering<'_>, x: ValueId, factor: f64, shift: f64) -> ValueId {
    let x = cx.b.binary_scalar(BinaryOp::Mul, x, factor);
    cx.b.binary_scalar(BinaryOp::Add, x, shift)
}

fn draw(cx: &mut Lowering<'_>, dist: Distribution, ty: Type) -> ValueId {
    let key_ty = Type::new(DType::U32, [2]);
    let key = *cx.key.get_or_insert_with(|| {
        let name = cx.b.names.fresh("key");
        cx.b.program.input(name, key_ty.clone())
    });
    let number = Literal::Dense([Scalar::Int(0), Scalar::Int(cx.draws)].into());
    cx.draws += 1;
    let number = cx.b.op("draw", Constant { value: number }, &[], key_ty);
    let key = cx.b.binary(BinaryOp::Add, key, number);
    cx.b.op("random", Random { dist, global: Dims::new() }, &[key], ty)
}

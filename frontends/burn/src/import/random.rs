//! Lowering of random tensors.

use super::lowering::{Lowering, LoweringResult, type_of};
use burn::tensor::Distribution as BurnDistribution;
use burn_ir::RandomOpIr;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{BinaryOp, Distribution, UnaryOp};

/// Lowers a random tensor. Integers are drawn as floats and rounded down.
pub(super) fn random(cx: &mut Lowering<'_>, op: &RandomOpIr) -> LoweringResult {
    let ty = type_of(&op.out)?;
    let float = if ty.dtype.is_float() { ty.dtype } else { DType::F32 };
    let drawn = Type::new(float, ty.shape.clone());
    let value = match op.distribution {
        BurnDistribution::Default => cx.b.draw(&mut cx.draws, Distribution::Uniform, drawn),
        BurnDistribution::Uniform(low, high) => {
            let unit = cx.b.draw(&mut cx.draws, Distribution::Uniform, drawn);
            scaled(cx, unit, high - low, low)
        }
        BurnDistribution::Normal(mean, deviation) => {
            let standard = cx.b.draw(&mut cx.draws, Distribution::Normal, drawn);
            scaled(cx, standard, deviation, mean)
        }
        BurnDistribution::Bernoulli(probability) => cx.b.bernoulli(&mut cx.draws, probability, drawn),
    };
    let value = if ty.dtype.is_float() {
        value
    } else {
        let floored = cx.b.unary(UnaryOp::Floor, value);
        cx.b.convert(floored, ty.dtype)
    };
    cx.write(&op.out, value)
}

fn scaled(cx: &mut Lowering<'_>, x: ValueId, factor: f64, shift: f64) -> ValueId {
    let x = cx.b.binary_scalar(BinaryOp::Mul, x, factor);
    cx.b.binary_scalar(BinaryOp::Add, x, shift)
}

//! Computation of contractions, convolutions and attention on narrow floats, such as `bf16`, in `f32`.
//!
//! Operands are converted to `f32`, which is exact, and the result is rounded once. The conversions are fused with the
//! ops around them.

use partita_ir::arena::OpId;
use partita_ir::dtype::{DType, Type};
use partita_ir::expand::expand_all;
use partita_ir::op::OpKind;
use partita_ir::program::{Program, Values};

/// Replaces each contraction, convolution and attention on narrow floats by one in `f32`.
///
/// Recogniser: other ops on narrow floats are fused, or computed by their reference implementation.
pub(crate) fn compute_in_f32(program: &mut Program) {
    let is_narrow_product = |program: &Program, id: OpId| {
        let op = &program.ops[id];
        let is_product = matches!(op.kind, OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Attention(_));
        let has_f32_sums = |out: DType| is_narrow(out) || out == DType::F32;
        is_product
            && op.args.iter().any(|&arg| is_narrow(program.ty(arg).dtype))
            && op.outs.iter().all(|&out| has_f32_sums(program.ty(out).dtype))
    };
    expand_all(program, is_narrow_product, |builder, op, types| {
        let mut args = Values::new();
        for &arg in &op.args {
            let is_converted = is_narrow(builder.ty(arg).dtype);
            args.push(if is_converted { builder.convert(arg, DType::F32) } else { arg });
        }
        let wide: Vec<Type> = types.iter().map(|ty| Type { dtype: DType::F32, ..(*ty).clone() }).collect();
        let outs = builder.op_many("wide", op.kind.clone(), &args, &wide);
        let narrowed =
            |(&out, ty): (&_, &&Type)| if ty.dtype == DType::F32 { out } else { builder.convert(out, ty.dtype) };
        Some(outs.iter().zip(types).map(narrowed).collect())
    });
}

/// Returns true for floats narrower than `f32`.
fn is_narrow(dtype: DType) -> bool {
    dtype.is_float() && dtype.bytes() < DType::F32.bytes()
}

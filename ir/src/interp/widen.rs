//! Conversion of a program to `f64` arithmetic: the results it would have without rounding to narrower floats.

use crate::arena::{OpId, ValueId};
use crate::dtype::DType;
use crate::numeric::kernel::cast;
use crate::program::build::Namer;
use crate::program::op::OpKind;
use crate::program::ops::{
    Attention, AttentionGrad, BatchNorm, Constant, ConstantPrecision, Convert, LayerNorm, Literal, RmsNorm,
};
use crate::program::{Form, Op, Program, Value, Values};
use crate::tensor::{Scalar, Tensor, wrap};
use rustc_hash::FxHashSet;

/// Returns the program with every `f32`, `f16` and `bf16` replaced by `f64`. A `bitcast` still operates on the bits of
/// the narrow float: a `convert` is inserted before or after it. Constants, both explicit ones and those inside
/// composites, are still rounded to the narrow type, since they are part of the program's definition.
pub fn widen(program: &Program) -> Program {
    let mut wide = program.clone();
    for value in wide.values.values_mut() {
        value.ty.dtype = widened(value.ty.dtype);
    }
    let mut bitcasts = FxHashSet::default();
    for id in program.ops.ids() {
        let op = &mut wide.ops[id];
        let Some(dtype) = op.outs.first().map(|&out| program.values[out].ty.dtype) else { continue };
        // Constants inside a composite have its computation type.
        let inner = dtype.compute_type();
        let round = |x: f64| wrap(inner, Scalar::Float(x)).to_f64();
        match &mut op.kind {
            OpKind::Constant(Constant { value: Literal::Splat(x) }) => *x = wrap(dtype, *x),
            OpKind::LayerNorm(LayerNorm { eps: x })
            | OpKind::RmsNorm(RmsNorm { eps: x })
            | OpKind::BatchNorm(BatchNorm { eps: x, .. })
            | OpKind::Attention(Attention { scale: x, .. })
            | OpKind::AttentionGrad(AttentionGrad { scale: x, .. }) => *x = round(*x),
            OpKind::Momentum(op) => (op.beta, op.decay) = (round(op.beta), round(op.decay)),
            OpKind::Adam(op) => {
                (op.beta1, op.beta2) = (round(op.beta1), round(op.beta2));
                (op.eps, op.decay) = (round(op.eps), round(op.decay));
            }
            OpKind::Gelu(gelu) if gelu.constants == ConstantPrecision::default() => {
                gelu.constants = ConstantPrecision(inner)
            }
            OpKind::Bitcast(_) => drop(bitcasts.insert(id)),
            OpKind::Constant(Constant { value: Literal::Dense(_) }) | OpKind::Gelu(_) => {}
            // These ops have neither float attributes nor constants in their decomposition.
            OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) | OpKind::Unary(_) | OpKind::Binary(_) => {}
            OpKind::Compare(_) | OpKind::Select(_) | OpKind::Clamp(_) | OpKind::Convert(_) => {}
            OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) => {}
            OpKind::Slice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) | OpKind::DynamicSlice(_) => {}
            OpKind::DynamicUpdateSlice(_) | OpKind::Gather(_) | OpKind::Scatter(_) => {}
            OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Reduce(_) | OpKind::ReduceFunc(_) => {}
            OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) | OpKind::Sort(_) | OpKind::TopK(_) => {}
            OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) | OpKind::Qr(_) => {}
            OpKind::HouseholderProduct(_)
            | OpKind::Svd(_)
            | OpKind::Eigh(_)
            | OpKind::Eig(_)
            | OpKind::Hessenberg(_)
            | OpKind::TridiagonalSolve(_)
            | OpKind::CustomCall(_) => {}
            OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::CrossEntropy(_) | OpKind::Loop(_) => {}
            OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_) => {}
            OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_) => {}
            OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::ShardStart(_) => {}
        }
    }
    let mut names = Namer::from_program(&wide);
    for func in program.funcs.ids() {
        let mut body = Vec::with_capacity(program.funcs[func].body.len());
        for &op in &program.funcs[func].body {
            if bitcasts.contains(&op) {
                append_narrow_bitcast(program, &mut wide, &mut names, op, &mut body);
            } else {
                body.push(op);
            }
        }
        wide.funcs[func].body = body;
    }
    wide
}

/// Converts all float tensors to `f64`: the inputs of a program for its [`widen`]ed version.
pub fn widen_tensors(tensors: &[Tensor]) -> Vec<Tensor> {
    tensors.iter().map(|x| cast(x, widened(x.ty.dtype))).collect()
}

/// Returns the element type that replaces `dtype` in a [`widen`]ed program.
pub fn widened(dtype: DType) -> DType {
    if dtype.is_float() { DType::F64 } else { dtype }
}

/// Appends a bitcast on values of the original type, with conversions from and to `f64` around it.
fn append_narrow_bitcast(program: &Program, wide: &mut Program, names: &mut Namer, id: OpId, body: &mut Vec<OpId>) {
    let mut narrow = |wide: &mut Program, values: &Values| -> Values {
        let one = |&v: &ValueId| {
            let old = &program.values[v];
            if old.ty.dtype == widened(old.ty.dtype) {
                return v;
            }
            let name = names.fresh(&old.name);
            wide.values.push(match program.form {
                Form::Local => Value::new(name, old.local_type()),
                Form::Traced | Form::Planned | Form::Explicit => Value { name, ..old.clone() },
            })
        };
        values.iter().map(one).collect()
    };
    let op = &program.ops[id];
    let (args, outs) = (narrow(wide, &op.args), narrow(wide, &op.outs));
    let convert = |wide: &mut Program, from: ValueId, to: ValueId| {
        (from != to).then(|| {
            let (args, outs) = (Values::from_slice(&[from]), Values::from_slice(&[to]));
            wide.ops.push(Op { kind: Convert {}.into(), args, outs, ..op.clone() })
        })
    };
    for (&from, &to) in op.args.iter().zip(&args) {
        body.extend(convert(wide, from, to));
    }
    body.push(id);
    for (&from, &to) in outs.iter().zip(&op.outs) {
        body.extend(convert(wide, from, to));
    }
    (wide.ops[id].args, wide.ops[id].outs) = (args, outs);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::Type;
    use crate::interp::run;
    use crate::program::build::Builder;
    use crate::program::ops::testing::{floats, ints};
    use crate::program::ops::{BinaryOp, Bitcast, UnaryOp};

    #[test]
    fn floats_become_f64_and_bitcasts_stay_narrow() {
        let mut program = Program::default();
        let ty = |dtype| Type::new(dtype, [2]);
        let x = program.input("x", ty(DType::F32));
        let mut names = Namer::from_program(&program);
        let mut b = Builder::new(&mut program, &mut names);
        let third = b.unary(UnaryOp::Reciprocal, x);
        let bits = b.op("bits", Bitcast {}, &[third], ty(DType::U32));
        let one = b.splat(ty(DType::U32), crate::tensor::Scalar::Int(1));
        let next = b.binary(BinaryOp::Add, bits, one);
        let next = b.op("next", Bitcast {}, &[next], ty(DType::F32));
        let main = b.program.main;
        b.finish(main);
        for value in [third, bits, next] {
            let name = program.values[value].name.clone();
            program.output(name, value);
        }
        let wide = widen(&program);
        for op in wide.ops.values() {
            let types = op.kind.infer(&wide, &wide.arg_types(op), &wide.out_types(op)).unwrap();
            assert_eq!(types.iter().collect::<Vec<_>>(), wide.out_types(op)[..]);
        }
        let inputs = [floats(DType::F32, [2], &[3.0, -5.0])];
        let outs = run(&wide, widen_tensors(&inputs)).unwrap();
        assert_eq!(outs[0], floats(DType::F64, [2], &[1.0 / 3.0, -0.2]));
        let bits = [1f32 / 3.0, -0.2].map(|x| i64::from(x.to_bits()));
        assert_eq!(outs[1], ints(DType::U32, [2], &bits));
        let next = bits.map(|b| f64::from(f32::from_bits(b as u32 + 1)));
        assert_eq!(outs[2], floats(DType::F64, [2], &next));
        assert_eq!(run(&program, inputs.to_vec()).unwrap()[1], outs[1]);
    }
}

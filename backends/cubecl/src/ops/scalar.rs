//! Functions of scalars, which are inlined into programs of kernels, and the total order of floats.

use super::operands::LoweredOp;
use crate::assembler::{Assembler, Value};
use crate::gpu::Lowerer;
use crate::kernels::functions::{has_binary, has_unary};
use crate::kernels::half::Half;
use crate::kernels::steps::RegClass;
use partita_ir::arena::{FuncId, OpId, ValueId};
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Compare, Literal};
use partita_ir::program::{Op, Program};
use rustc_hash::FxHashMap;

/// Inlines a function of scalars and returns its results, or `None` if an op is not supported.
pub(crate) fn call(a: &mut Assembler, program: &Program, func: FuncId, args: &[Value]) -> Option<Vec<Value>> {
    let func = &program.funcs[func];
    let mut known: FxHashMap<ValueId, Value> = func.inputs.iter().copied().zip(args.iter().copied()).collect();
    for &id in func.ops() {
        let op = &program.ops[id];
        let args = op.args.iter().map(|arg| known.get(arg).copied()).collect::<Option<Vec<Value>>>()?;
        let &[out] = &op.outs[..] else { return None };
        let value = scalar_op(a, program, op, &args)?;
        known.insert(out, value);
    }
    func.outputs.iter().map(|output| known.get(&output.value).copied()).collect()
}

fn scalar_op(a: &mut Assembler, program: &Program, op: &Op, args: &[Value]) -> Option<Value> {
    let dtype = program.ty(*op.outs.first()?).dtype;
    let class = RegClass::from_dtype(dtype)?;
    let value = match (&op.kind, args) {
        (OpKind::Unary(unary), &[x]) if has_unary(unary.op, x.class) => a.unary(unary.op, x),
        (OpKind::Binary(binary), &[x, y]) if has_binary(binary.op, class) => a.binary(binary.op, x, y),
        (OpKind::Compare(compare), &[x, y]) => {
            let (x, y) = if compare.total { (ordered(a, x), ordered(a, y)) } else { (x, y) };
            a.compare(compare.direction, x, y)
        }
        (OpKind::Clamp(_), &[low, x, high]) => {
            let above = a.binary(BinaryOp::Max, x, low);
            a.binary(BinaryOp::Min, above, high)
        }
        (OpKind::Convert(_), &[x]) => a.convert(class, x),
        (OpKind::Bitcast(_), &[x]) if dtype.bytes() == 4 => a.bitcast(class, x),
        // The results of these ops are already numbers of the dtype.
        (OpKind::Select(_), &[p, x, y]) => return Some(a.select(p, x, y)),
        (OpKind::Reshape(_) | OpKind::Broadcast(_), &[x]) => return Some(x),
        (OpKind::Constant(constant), []) => {
            return match &constant.value {
                Literal::Splat(number) => a.scalar(dtype, *number),
                Literal::Dense(items) => a.scalar(dtype, *items.first()?),
            };
        }
        (OpKind::Constant(_) | OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_), _) => return None,
        (OpKind::Select(_) | OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_), _) => return None,
        (OpKind::Broadcast(_) | OpKind::Reshape(_), _) => return None,
        (OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_), _) => return None,
        (OpKind::Transpose(_) | OpKind::Reverse(_) | OpKind::Slice(_) | OpKind::Pad(_), _) => return None,
        (OpKind::Concatenate(_) | OpKind::DynamicSlice(_) | OpKind::DynamicUpdateSlice(_), _) => return None,
        (OpKind::Gather(_) | OpKind::Scatter(_) | OpKind::DotGeneral(_) | OpKind::Convolution(_), _) => return None,
        (OpKind::Reduce(_) | OpKind::ReduceFunc(_) | OpKind::ReduceWindow(_), _) => return None,
        (OpKind::SelectAndScatter(_) | OpKind::Sort(_) | OpKind::TopK(_), _) => return None,
        (OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_), _) => return None,
        (OpKind::Qr(_) | OpKind::HouseholderProduct(_) | OpKind::Svd(_), _) => return None,
        (
            OpKind::Eigh(_)
            | OpKind::Eig(_)
            | OpKind::Hessenberg(_)
            | OpKind::TridiagonalSolve(_)
            | OpKind::CustomCall(_),
            _,
        ) => return None,
        (OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_), _) => return None,
        (OpKind::BatchNorm(_) | OpKind::Gelu(_) | OpKind::CrossEntropy(_), _) => return None,
        (OpKind::Attention(_) | OpKind::AttentionGrad(_), _) => return None,
        (OpKind::Momentum(_) | OpKind::Adam(_) | OpKind::Loop(_), _) => return None,
        (OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_), _) => return None,
        (OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_), _) => return None,
        (OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::ShardStart(_), _) => return None,
    };
    Some(match Half::from_dtype(dtype) {
        Some(half) => a.rounded(half, value),
        None => value,
    })
}

/// Maps floats to integers with the same total order: NaN last, -0 before 0. Other numbers are unchanged.
pub(crate) fn ordered(a: &mut Assembler, x: Value) -> Value {
    if x.class != RegClass::F32 {
        return x;
    }
    let bits = a.bitcast(RegClass::I32, x);
    let (width, magnitude) = (a.int(31), a.bits(RegClass::I32, i32::MAX as u32));
    let sign = a.binary(BinaryOp::ShiftRight, bits, width);
    let flipped = a.binary(BinaryOp::And, sign, magnitude);
    a.binary(BinaryOp::Xor, bits, flipped)
}

/// Lowers a comparison in total order.
pub(crate) fn total_compare(to: &mut Lowerer<'_>, id: OpId, op: &Compare) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [x, y] = &operands[..] else { return None };
    let out = &to.program.ty(to.program.ops[id].outs[0]).shape;
    let mut a = Assembler::default();
    let (x, y) = (x.load_here(&mut a), y.load_here(&mut a));
    let (x, y) = (ordered(&mut a, x), ordered(&mut a, y));
    let holds = a.compare(op.direction, x, y);
    lowered.output(0).store_here(&mut a, holds);
    lowered.pointwise(to, out.count(), a);
    Some(())
}

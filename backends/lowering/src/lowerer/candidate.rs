//! Conversion of ops to fusion candidates.

use super::Target;
use crate::fusion::group::{Calc, Candidate, Node, Operand, Source};
use crate::view::{Dims, View};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::program::Program;

/// Returns the op as a fusion candidate, or `None` if it cannot be fused. `view` returns the source and the view of a
/// value.
pub(crate) fn from_op<T: Target>(
    target: &T,
    program: &Program,
    id: OpId,
    position: usize,
    view: &dyn Fn(ValueId) -> (Source, View),
) -> Option<Candidate> {
    let op = &program.ops[id];
    let &[value] = &op.outs[..] else { return None };
    let out = program.ty(value);
    let first = op.args.first().map(|&arg| program.ty(arg));
    let dtype = first.map_or(out.dtype, |ty| ty.dtype);
    let mut reduced = Dims::new();
    let calc = match &op.kind {
        OpKind::Unary(unary) => Calc::Unary(unary.op),
        OpKind::Binary(binary) => Calc::Binary(binary.op),
        OpKind::Compare(compare) if !(compare.total && dtype.is_float()) && dtype != DType::U64 => {
            Calc::Compare(compare.direction)
        }
        OpKind::Select(_) => Calc::Select,
        OpKind::Clamp(_) if out.dtype != DType::U64 && out.dtype != DType::Bool => Calc::Clamp,
        OpKind::Convert(_) if dtype != DType::U64 && out.dtype != DType::U64 => Calc::Convert,
        OpKind::Iota(iota) => {
            let divisor = out.shape[iota.dim + 1..].iter().product();
            Calc::Iota { divisor, size: out.shape[iota.dim] }
        }
        OpKind::Reduce(reduce) => {
            reduced = reduce.dims.iter().copied().collect();
            Calc::Reduce(reduce.monoid)
        }
        OpKind::Compare(_) | OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) => return None,
        OpKind::Constant(_) | OpKind::Random(_) | OpKind::RngBits(_) => return None,
        OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) => return None,
        OpKind::Slice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) => return None,
        OpKind::DynamicSlice(_) | OpKind::DynamicUpdateSlice(_) | OpKind::Gather(_) => return None,
        OpKind::Scatter(_) | OpKind::DotGeneral(_) | OpKind::Convolution(_) => return None,
        OpKind::Attention(_) | OpKind::AttentionGrad(_) | OpKind::ReduceFunc(_) => return None,
        OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) | OpKind::Sort(_) | OpKind::TopK(_) => return None,
        OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) => return None,
        OpKind::Qr(_) | OpKind::HouseholderProduct(_) | OpKind::Svd(_) => return None,
        OpKind::Eigh(_)
        | OpKind::Eig(_)
        | OpKind::Hessenberg(_)
        | OpKind::TridiagonalSolve(_)
        | OpKind::CustomCall(_) => return None,
        // Composites that reach this point have a dedicated kernel and are not decomposed.
        OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => return None,
        OpKind::BatchNorm(_) | OpKind::Gelu(_) | OpKind::CrossEntropy(_) => return None,
        OpKind::Momentum(_) | OpKind::Adam(_) | OpKind::Loop(_) => return None,
        OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_) => return None,
        OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_) => return None,
        OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::ShardStart(_) => return None,
    };
    let shape: Dims<usize> = match calc {
        Calc::Reduce(_) => first?.shape[..].into(),
        _ => out.shape[..].into(),
    };
    if shape.contains(&0) || !target.fuses(&calc, dtype, out.dtype) {
        return None;
    }
    let operand = |&arg: &ValueId| {
        let (source, mut seen) = view(arg);
        if seen.shape != shape {
            // A predicate or bound can be a scalar, which is broadcast to all elements.
            seen = View { offset: seen.offset, ..View::repeated(&shape) };
        }
        Operand { source, dtype: program.ty(arg).dtype, view: seen }
    };
    let operands = op.args.iter().map(operand).collect();
    let node = Node { op: id, position, value, dtype: out.dtype, calc, operands };
    Some(Candidate { node, shape, reduced })
}

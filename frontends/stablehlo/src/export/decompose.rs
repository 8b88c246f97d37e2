//! Expansion of ops that have no counterpart in StableHLO.

use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::{DType, Type};
use partita_ir::expand::expand;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Compare, Constant, Direction, Gather, Literal, Reshape, Select, UnaryOp};
use partita_ir::program::{Op, Program, Values};
use partita_ir::tensor::Scalar;

/// Returns the program with composites, gathers that fill with zero, and unsupported unary ops expanded into ops with a
/// counterpart.
pub fn decompose(program: &Program) -> Program {
    let mut decomposed = program.clone();
    let mut names = None;
    for func in program.callees_first() {
        // Decompositions may contain composites; each iteration expands one level.
        while decomposed.funcs[func].ops().iter().any(|&op| is_unsupported(&decomposed, op)) {
            let names = names.get_or_insert_with(|| Namer::from_program(&decomposed));
            let before = decomposed.ops.len();
            expand(&mut decomposed, func, names, is_unsupported, expansion);
            if decomposed.ops.len() == before {
                break;
            }
        }
    }
    decomposed
}

fn is_unsupported(program: &Program, op: OpId) -> bool {
    Unsupported::classify(&program.ops[op].kind).is_some()
}

/// An op without a counterpart in StableHLO.
enum Unsupported<'a> {
    Relu,
    Reciprocal,
    IsNan,
    StopGradient,
    /// A gather with a fill value of zero for indices out of range.
    Gather(&'a Gather),
    Composite,
}

impl<'a> Unsupported<'a> {
    fn classify(kind: &'a OpKind) -> Option<Unsupported<'a>> {
        match kind {
            OpKind::Unary(unary) => match unary.op {
                UnaryOp::Relu => Some(Unsupported::Relu),
                UnaryOp::Reciprocal => Some(Unsupported::Reciprocal),
                UnaryOp::IsNan => Some(Unsupported::IsNan),
                UnaryOp::StopGradient => Some(Unsupported::StopGradient),
                UnaryOp::Abs | UnaryOp::Neg | UnaryOp::Sign | UnaryOp::Floor | UnaryOp::Ceil => None,
                UnaryOp::Round | UnaryOp::RoundEven | UnaryOp::Exp | UnaryOp::Expm1 => None,
                UnaryOp::Log | UnaryOp::Log1p | UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Cbrt => None,
                UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tan => None,
                UnaryOp::Asin | UnaryOp::Acos | UnaryOp::Atan => None,
                UnaryOp::Sinh | UnaryOp::Cosh | UnaryOp::Tanh => None,
                UnaryOp::Asinh | UnaryOp::Acosh | UnaryOp::Atanh | UnaryOp::Sigmoid => None,
                UnaryOp::Erf | UnaryOp::Erfc | UnaryOp::ErfInv | UnaryOp::Lgamma | UnaryOp::Digamma => None,
                UnaryOp::Not | UnaryOp::PopCount | UnaryOp::CountLeadingZeros => None,
                UnaryOp::IsFinite | UnaryOp::IsInf => None,
            },
            OpKind::Gather(gather) => gather.fill.then_some(Unsupported::Gather(gather)),
            OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => {
                Some(Unsupported::Composite)
            }
            OpKind::BatchNorm(_) | OpKind::Gelu(_) | OpKind::CrossEntropy(_) => Some(Unsupported::Composite),
            OpKind::Attention(_) | OpKind::AttentionGrad(_) | OpKind::Momentum(_) | OpKind::Adam(_) => {
                Some(Unsupported::Composite)
            }
            OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => None,
            OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) | OpKind::Clamp(_) => None,
            OpKind::Convert(_) | OpKind::Bitcast(_) => None,
            OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) => None,
            OpKind::Slice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) => None,
            OpKind::DynamicSlice(_) | OpKind::DynamicUpdateSlice(_) | OpKind::Scatter(_) => None,
            OpKind::DotGeneral(_) | OpKind::Convolution(_) => None,
            OpKind::Reduce(_) | OpKind::ReduceFunc(_) | OpKind::ReduceWindow(_) => None,
            OpKind::SelectAndScatter(_) | OpKind::Sort(_) | OpKind::TopK(_) | OpKind::Loop(_) => None,
            OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) | OpKind::Qr(_) => None,
            OpKind::HouseholderProduct(_)
            | OpKind::Svd(_)
            | OpKind::Eigh(_)
            | OpKind::Eig(_)
            | OpKind::Hessenberg(_)
            | OpKind::TridiagonalSolve(_)
            | OpKind::CustomCall(_) => None,
            OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_) => None,
            OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_) => None,
            OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::ShardStart(_) => None,
        }
    }
}

/// Appends the expansion of an op without a counterpart.
fn expansion(b: &mut Builder<'_>, op: &Op, types: &[&Type]) -> Option<Values> {
    let (x, out) = (*op.args.first()?, *types.first()?);
    let value = match Unsupported::classify(&op.kind)? {
        Unsupported::Relu => {
            let zero = filled(b, out, 0.0);
            b.binary(BinaryOp::Max, x, zero)
        }
        Unsupported::Reciprocal => {
            let one = filled(b, out, 1.0);
            b.binary(BinaryOp::Div, one, x)
        }
        Unsupported::IsNan => b.op("is_nan", Compare { direction: Direction::Ne, total: false }, &[x, x], out.clone()),
        Unsupported::StopGradient => b.op("stop_gradient", Reshape {}, &[x], out.clone()),
        Unsupported::Gather(gather) => gather_with_fill(b, gather, x, *op.args.get(1)?, out),
        Unsupported::Composite => return op.kind.decompose(b, &op.args, types),
    };
    Some(Values::from_slice(&[value]))
}

/// Builds a gather with clamped indices, followed by a select of zero for indices out of range.
fn gather_with_fill(b: &mut Builder<'_>, gather: &Gather, operand: ValueId, indices: ValueId, out: &Type) -> ValueId {
    let clamping = Gather { fill: false, ..gather.clone() };
    let read = b.op("gather", clamping, &[operand, indices], out.clone());
    let inside = in_range(b, gather, operand, indices);
    let outer: Vec<usize> = (0..out.shape.rank()).filter(|d| !gather.offset_dims.contains(d)).collect();
    let inside = b.broadcast(inside, &outer, out.shape.clone());
    let zero = filled(b, out, 0.0);
    b.op("select", Select {}, &[inside, read, zero], out.clone())
}

/// Computes for each index vector of a gather if its slice is inside the operand.
fn in_range(b: &mut Builder<'_>, gather: &Gather, operand: ValueId, indices: ValueId) -> ValueId {
    let (vector, ty) = (gather.index_vector_dim, b.ty(indices));
    let shape = b.ty(operand).shape;
    let last = |&d: &usize| Scalar::Int((shape[d] - gather.slice_sizes[d]) as i64);
    let last: Vec<Scalar> = gather.index_map.iter().map(last).collect();
    // The bounds vary along the index vector dimension, if there is one; otherwise indices are scalars with one bound.
    let along: &[usize] = if vector < ty.shape.rank() { &[vector] } else { &[] };
    let row = if along.is_empty() { Type::new(ty.dtype, []) } else { Type::new(ty.dtype, [last.len()]) };
    let last = b.op("last", Constant { value: Literal::Dense(last.into()) }, &[], row);
    let last = b.broadcast(last, along, ty.shape.clone());
    let first = filled(b, &ty, 0.0);
    let answer = Type { dtype: DType::Bool, ..ty };
    let mut compare =
        |direction, than| b.op("inside", Compare { direction, total: false }, &[indices, than], answer.clone());
    let (above, below) = (compare(Direction::Ge, first), compare(Direction::Le, last));
    let inside = b.binary(BinaryOp::And, above, below);
    if along.is_empty() { inside } else { b.reduce(Monoid::And, inside, vector) }
}

fn filled(b: &mut Builder<'_>, ty: &Type, number: f64) -> ValueId {
    let number = if ty.dtype.is_float() { Scalar::Float(number) } else { Scalar::Int(number as i64) };
    b.splat(ty.clone(), number)
}

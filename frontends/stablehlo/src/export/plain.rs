//! Taking apart what StableHLO does not have.

use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::{DType, Type};
use partita_ir::expand::expand;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Compare, Constant, Direction, Gather, Literal, Select, UnaryOp};
use partita_ir::program::{Op, Program, Values};
use partita_ir::tensor::Scalar;

/// The program with composites, gathers that read zero out of range, and functions of one number that StableHLO does
/// not have, as simpler operations.
pub fn plain(program: &Program) -> Program {
    let mut plain = program.clone();
    let mut names = None;
    for func in program.callees_first() {
        // A decomposition may be made of composites in turn; each round leaves simpler ones.
        while plain.funcs[func].ops().iter().any(|&op| is_foreign(&plain, op)) {
            let names = names.get_or_insert_with(|| Namer::of(&plain));
            let before = plain.ops.len();
            expand(&mut plain, func, names, is_foreign, replacement);
            if plain.ops.len() == before {
                break;
            }
        }
    }
    plain
}

fn is_foreign(program: &Program, op: OpId) -> bool {
    Foreign::of(&program.ops[op].kind).is_some()
}

/// An operation that StableHLO does not have.
enum Foreign<'a> {
    Relu,
    Reciprocal,
    IsNan,
    /// A gather that reads zero out of range.
    Gather(&'a Gather),
    Composite,
}

impl<'a> Foreign<'a> {
    fn of(kind: &'a OpKind) -> Option<Foreign<'a>> {
        match kind {
            OpKind::Unary(unary) => match unary.op {
                UnaryOp::Relu => Some(Foreign::Relu),
                UnaryOp::Reciprocal => Some(Foreign::Reciprocal),
                UnaryOp::IsNan => Some(Foreign::IsNan),
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
            OpKind::Gather(gather) => gather.fill.then_some(Foreign::Gather(gather)),
            OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => {
                Some(Foreign::Composite)
            }
            OpKind::BatchNorm(_) | OpKind::Gelu(_) | OpKind::CrossEntropy(_) => Some(Foreign::Composite),
            OpKind::Attention(_) | OpKind::AttentionGrad(_) | OpKind::Momentum(_) | OpKind::Adam(_) => {
                Some(Foreign::Composite)
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
            OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_) => None,
            OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_) => None,
            OpKind::Shard(_) | OpKind::Partial(_) | OpKind::Mask(_) | OpKind::PieceStart(_) => None,
        }
    }
}

/// Appends what gives the same as an operation that StableHLO does not have.
fn replacement(b: &mut Builder<'_>, op: &Op, types: &[&Type]) -> Option<Values> {
    let (x, out) = (*op.args.first()?, *types.first()?);
    let value = match Foreign::of(&op.kind)? {
        Foreign::Relu => {
            let zero = filled(b, out, 0.0);
            b.binary(BinaryOp::Max, x, zero)
        }
        Foreign::Reciprocal => {
            let one = filled(b, out, 1.0);
            b.binary(BinaryOp::Div, one, x)
        }
        Foreign::IsNan => b.op("is_nan", Compare { direction: Direction::Ne, total: false }, &[x, x], out.clone()),
        Foreign::Gather(gather) => clamped(b, gather, x, *op.args.get(1)?, out),
        Foreign::Composite => return op.kind.decompose(b, &op.args, types),
    };
    Some(Values::from_slice(&[value]))
}

/// A gather that clamps its indices, and zero where they were out of range.
fn clamped(b: &mut Builder<'_>, gather: &Gather, operand: ValueId, indices: ValueId, out: &Type) -> ValueId {
    let clamping = Gather { fill: false, ..gather.clone() };
    let read = b.op("gather", clamping, &[operand, indices], out.clone());
    let inside = in_range(b, gather, operand, indices);
    let outer: Vec<usize> = (0..out.shape.rank()).filter(|d| !gather.offset_dims.contains(d)).collect();
    let inside = b.broadcast(inside, &outer, out.shape.clone());
    let zero = filled(b, out, 0.0);
    b.op("select", Select {}, &[inside, read, zero], out.clone())
}

/// Whether each index vector of a gather addresses a slice that lies in the operand.
fn in_range(b: &mut Builder<'_>, gather: &Gather, operand: ValueId, indices: ValueId) -> ValueId {
    let (vector, ty) = (gather.index_vector_dim, b.ty(indices));
    let shape = b.ty(operand).shape;
    let last = |&d: &usize| Scalar::Int((shape[d] - gather.slice_sizes[d]) as i64);
    let last: Vec<Scalar> = gather.index_map.iter().map(last).collect();
    // Along the vector where there is one; else indices are scalars, and there is one number.
    let along: &[usize] = if vector < ty.shape.rank() { &[vector] } else { &[] };
    let row = if along.is_empty() { Type::new(ty.dtype, []) } else { Type::new(ty.dtype, [last.len()]) };
    let last = b.op("last", Constant { value: Literal::Dense(last.into()) }, &[], row);
    let last = b.broadcast(last, along, ty.shape.clone());
    let first = filled(b, &ty, 0.0);
    let answer = Type { dtype: DType::Bool, ..ty };
    let mut holds =
        |direction, than| b.op("inside", Compare { direction, total: false }, &[indices, than], answer.clone());
    let (above, below) = (holds(Direction::Ge, first), holds(Direction::Le, last));
    let inside = b.binary(BinaryOp::And, above, below);
    if along.is_empty() { inside } else { b.reduce(Monoid::And, inside, vector) }
}

fn filled(b: &mut Builder<'_>, ty: &Type, number: f64) -> ValueId {
    let number = if ty.dtype.is_float() { Scalar::Float(number) } else { Scalar::Int(number as i64) };
    b.splat(ty.clone(), number)
}

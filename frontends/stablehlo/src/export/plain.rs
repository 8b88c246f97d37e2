//! Taking apart what StableHLO does not have.

use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::{DType, Type};
use partita_ir::expand::expand;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Compare, Constant, Direction, Gather, Literal, Select, Unary, UnaryOp};
use partita_ir::program::{Op, Program, Values};
use partita_ir::tensor::Scalar;

/// The program with composites, gathers that read zero out of range, and functions of one number that StableHLO does
/// not have, as simpler operations.
pub fn plain(program: &Program) -> Program {
    let mut plain = program.clone();
    let mut names = None;
    for func in program.callees_first() {
        // A decomposition may be made of composites in turn; each round leaves simpler ones.
        while plain.funcs[func].body.iter().any(|&op| is_foreign(&plain, op)) {
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
    let kind = &program.ops[op].kind;
    let unary = |op| matches!(op, UnaryOp::Relu | UnaryOp::Reciprocal | UnaryOp::IsNan);
    match kind {
        OpKind::Unary(Unary { op }) => unary(*op),
        OpKind::Gather(gather) => gather.fill,
        _ => kind.is_composite(),
    }
}

fn replacement(b: &mut Builder<'_>, op: &Op, types: &[&Type]) -> Option<Values> {
    let value = match (&op.kind, &op.args[..], types) {
        (OpKind::Unary(unary), &[x], &[out]) => simpler(b, unary.op, x, out)?,
        (OpKind::Gather(gather), &[operand, indices], &[out]) => clamped(b, gather, operand, indices, out),
        _ => return op.kind.decompose(b, &op.args, types),
    };
    Some(Values::from_slice(&[value]))
}

/// A function of one number by others.
fn simpler(b: &mut Builder<'_>, op: UnaryOp, x: ValueId, out: &Type) -> Option<ValueId> {
    let ty = b.ty(x);
    Some(match op {
        UnaryOp::Relu => {
            let zero = filled(b, &ty, 0.0);
            b.binary(BinaryOp::Max, x, zero)
        }
        UnaryOp::Reciprocal => {
            let one = filled(b, &ty, 1.0);
            b.binary(BinaryOp::Div, one, x)
        }
        UnaryOp::IsNan => b.op("is_nan", Compare { direction: Direction::Ne, total: false }, &[x, x], out.clone()),
        _ => return None,
    })
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

//! Taking apart what StableHLO does not have.

use partita_ir::arena::{OpId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::Type;
use partita_ir::expand::expand;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Compare, Direction, Unary, UnaryOp};
use partita_ir::program::{Op, Program, Values};
use partita_ir::tensor::Scalar;

/// The program with composites, and functions of one number that StableHLO does not have, as simpler operations.
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
    kind.is_composite() || matches!(kind, OpKind::Unary(Unary { op }) if unary(*op))
}

fn replacement(b: &mut Builder<'_>, op: &Op, types: &[&Type]) -> Option<Values> {
    let (OpKind::Unary(unary), &[x], &[out]) = (&op.kind, &op.args[..], types) else {
        return op.kind.decompose(b, &op.args, types);
    };
    let ty = b.ty(x);
    let value = match unary.op {
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
    };
    Some(Values::from_slice(&[value]))
}

fn filled(b: &mut Builder<'_>, ty: &Type, number: f64) -> ValueId {
    let number = if ty.dtype.is_float() { Scalar::Float(number) } else { Scalar::Int(number as i64) };
    b.splat(ty.clone(), number)
}

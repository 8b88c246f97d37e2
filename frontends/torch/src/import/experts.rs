//! Lowering of operations of mixtures of experts: products of groups of rows, and histograms.

use super::lowering::{Lowering, LoweringResult, malformed, single, size, unsupported};
use super::node::Node;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{BinaryOp, Direction, DotGeneral, UnaryOp};
use partita_ir::program::Op;
use partita_ir::syntax::attr::{DimPairs, Dims};
use partita_ir::tensor::Scalar;

/// Lowers the product of rows `[rows, in]` with the matrices of their groups, `[groups, in, out]`. A group has the rows
/// up to its offset, from the offset of the group before it on. The product contracts the groups, too, with rows that
/// are zero in other groups; rows after the last group give zero.
pub fn grouped_product(cx: &mut Lowering<'_>, node: &Node<'_>, names: [&str; 2]) -> LoweringResult {
    if node.has("bias") {
        return unsupported("a bias");
    }
    let (x, weight, ends) = (node.tensor(names[0])?, node.tensor(names[1])?, node.tensor("offs")?);
    let (xs, ws, ends_type) = (cx.b.ty(x), cx.b.ty(weight), cx.b.ty(ends));
    let (&[rows, width], &[groups, inner, _]) = (&xs.shape[..], &ws.shape[..]) else {
        return unsupported(format!("operands of {} and {}", xs.shape, ws.shape));
    };
    if width != inner || ends_type.shape[..] != [groups] || !ends_type.dtype.is_int() || groups == 0 {
        return malformed(format!("multiplies {xs} by {ws} in the groups {ends_type}"));
    }
    let zero = cx.b.splat(Type::new(ends_type.dtype, [1]), Scalar::Int(0));
    let earlier = cx.b.slice_dim(ends, 0, 0, groups - 1);
    let starts = cx.b.concatenate(&[zero, earlier], 0);
    let table = [groups, rows];
    let row = cx.b.iota(ends_type.dtype, table, 1);
    let [starts, ends] = [starts, ends].map(|v| cx.b.broadcast(v, &[0], table));
    let after = cx.b.compare(row, Direction::Ge, starts);
    let before = cx.b.compare(row, Direction::Lt, ends);
    let inside = cx.b.binary(BinaryOp::And, after, before);
    let copies = [groups, rows, width];
    let inside = cx.b.broadcast(inside, &[0, 1], copies);
    let repeated = cx.b.broadcast(x, &[1, 2], copies);
    let masked = cx.select_or(inside, repeated, Scalar::Float(0.0))?;
    let contract = DimPairs { lhs: Dims::from_slice(&[0, 2]), rhs: Dims::from_slice(&[0, 1]) };
    single(cx.op("grouped", DotGeneral { contract, batch: DimPairs::default() }, &[masked, weight])?)
}

/// Lowers the number of elements in each of several bins of equal width.
pub fn histogram(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let bins = size(node.int("bins", 100)?, "number of bins")?;
    let (low, high) = (node.float("min", 0.0)?, node.float("max", 0.0)?);
    if low >= high || bins == 0 {
        return unsupported("bins whose bounds depend on the elements");
    }
    let result = node.result(0)?.dtype;
    if let Some(x) = integers(cx, x).filter(|_| low.fract() == 0.0 && high - low == bins as f64 - 1.0) {
        // A bin for each integer.
        let count = cx.shape(x).count();
        let x = cx.b.reshape(x, [count]);
        let class = if low == 0.0 { x } else { cx.b.binary_scalar(BinaryOp::Sub, x, low) };
        return single(count_by_class(cx, class, bins, result));
    }
    let x = cx.converted(x, if result.is_float() { result } else { DType::F32 });
    let count = cx.shape(x).count();
    let x = cx.b.reshape(x, [count]);
    let distance = cx.b.binary_scalar(BinaryOp::Sub, x, low);
    let scaled = cx.b.binary_scalar(BinaryOp::Mul, distance, bins as f64 / (high - low));
    let bin = cx.b.unary(UnaryOp::Floor, scaled);
    // The last bin includes its upper bound.
    let bin = cx.b.binary_scalar(BinaryOp::Min, bin, bins as f64 - 1.0);
    let below = cx.compare_scalar(x, Direction::Le, Scalar::Float(high));
    let bin = cx.select_or(below, bin, Scalar::Float(-1.0))?;
    single(count_by_class(cx, bin, bins, result))
}

/// Returns the integers that a tensor contains: the tensor itself, or the operand of its conversion.
fn integers(cx: &Lowering<'_>, x: ValueId) -> Option<ValueId> {
    let program = &cx.b.program;
    let mut ops = cx.b.body.iter().rev().map(|&op| &program.ops[op]);
    let source = match ops.find(|op| op.outs.contains(&x)) {
        Some(Op { kind: OpKind::Convert(_), args, .. }) => args[0],
        _ => x,
    };
    program.ty(source).dtype.is_int().then_some(source)
}

/// Appends the number of elements of a vector that equal each of `0, 1, .., classes - 1`.
fn count_by_class(cx: &mut Lowering<'_>, x: ValueId, classes: usize, dtype: DType) -> ValueId {
    let ty = cx.b.ty(x);
    let table = [ty.shape.count(), classes];
    let class = cx.b.iota(ty.dtype, table, 1);
    let spread = cx.b.broadcast(x, &[0], table);
    let equal = cx.b.compare(spread, Direction::Eq, class);
    let ones = cx.converted(equal, dtype);
    cx.b.reduce_dims(Monoid::Sum, ones, Dims::from_elem(0, 1))
}

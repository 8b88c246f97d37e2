//! Products of matrices.

use super::lowering::{Lowered, Lowering, shape_of, type_of};
use super::movement::transpose;
use burn_ir::{CrossOpIr, LinearOpIr, MatmulOpIr};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{BinaryOp, Concatenate, DotGeneral};
use partita_ir::text::attr::{Dims, Pairs};

/// `x` times `y` over their last dimension and their last but one, with leading dimensions that run along together.
pub(super) fn matmul(cx: &mut Lowering<'_>, op: &MatmulOpIr) -> Lowered {
    let (x, y) = (cx.read(&op.lhs)?, cx.read(&op.rhs)?);
    let dtype = type_of(&op.out)?.dtype;
    let out = product(cx, x, y, dtype);
    cx.write(&op.out, out)
}

/// A matrix product whose leading dimensions broadcast. Leading dimensions of size 1 on one side only are not repeated: they are
/// dropped there, and stay free on the other side, so that a shared weight is one matrix.
pub(super) fn product(cx: &mut Lowering<'_>, x: ValueId, y: ValueId, dtype: DType) -> ValueId {
    let (xs, ys) = (cx.shape(x), cx.shape(y));
    let lead = xs.rank() - 2;
    let keep = |own: &Shape, other: &Shape, i: usize| i >= lead || own[i] != 1 || other[i] == 1;
    let x_dims: Vec<usize> = (0..xs.rank()).filter(|&i| keep(&xs, &ys, i)).collect();
    let y_dims: Vec<usize> = (0..ys.rank()).filter(|&i| keep(&ys, &xs, i)).collect();
    let x = squeeze(cx, x, &x_dims);
    let y = squeeze(cx, y, &y_dims);

    let shared = |i: &usize| *i < lead && x_dims.contains(i) && y_dims.contains(i);
    let at = |dims: &[usize], i: usize| dims.iter().take_while(|&&d| d < i).count();
    let batch: Vec<usize> = (0..lead).filter(shared).collect();
    let contract = Pairs { lhs: Dims::from_elem(x_dims.len() - 1, 1), rhs: Dims::from_elem(y_dims.len() - 2, 1) };
    let pairs = Pairs {
        lhs: batch.iter().map(|&i| at(&x_dims, i)).collect(),
        rhs: batch.iter().map(|&i| at(&y_dims, i)).collect(),
    };
    // The result's dimensions as the op orders them, by their place in the matrix product.
    let free = |dims: &[usize], own: usize| -> Vec<usize> {
        dims.iter().copied().filter(|i| *i < lead && !shared(i) || *i == own).collect()
    };
    let mut order = batch.clone();
    order.extend(free(&x_dims, lead));
    order.extend(free(&y_dims, lead + 1));
    let size = |i: usize| match i {
        _ if i == lead => xs[lead],
        _ if i == lead + 1 => ys[lead + 1],
        _ if x_dims.contains(&i) => xs[i],
        _ => ys[i],
    };
    let ty = Type::new(dtype, order.iter().map(|&i| size(i)).collect::<Shape>());
    let out = cx.b.op("matmul", DotGeneral { contract, batch: pairs }, &[x, y], ty);
    let perm: Dims = (0..order.len()).map(|i| order.iter().position(|&d| d == i).unwrap_or(i)).collect();
    transpose(cx, out, perm)
}

/// `value` with only those of its dimensions; the others have size 1.
fn squeeze(cx: &mut Lowering<'_>, value: ValueId, dims: &[usize]) -> ValueId {
    let shape = cx.shape(value);
    if dims.len() == shape.rank() {
        return value;
    }
    cx.b.reshape(value, dims.iter().map(|&d| shape[d]).collect::<Shape>())
}

/// `x w + b` on the last dimension of `x`.
pub(super) fn linear(cx: &mut Lowering<'_>, op: &LinearOpIr) -> Lowered {
    let (x, weight) = (cx.read(&op.x)?, cx.read(&op.weight)?);
    let ty = type_of(&op.out)?;
    let last = ty.shape.rank() - 1;
    let contract = Pairs { lhs: Dims::from_elem(last, 1), rhs: Dims::from_elem(0, 1) };
    let mut out = cx.b.op("matmul", DotGeneral { contract, batch: Pairs::default() }, &[x, weight], ty.clone());
    if let Some(bias) = &op.bias {
        let bias = cx.read(bias)?;
        let bias = cx.b.broadcast(bias, &[last], ty.shape);
        out = cx.b.binary(BinaryOp::Add, out, bias);
    }
    cx.write(&op.out, out)
}

/// The cross product of the vectors of three elements along a dimension: `x[i+1] y[i+2] - x[i+2] y[i+1]`.
pub(super) fn cross(cx: &mut Lowering<'_>, op: &CrossOpIr) -> Lowered {
    let (x, y) = (cx.read(&op.lhs)?, cx.read(&op.rhs)?);
    let shape = shape_of(&op.out);
    let (x, y) = (cx.expand(x, &shape), cx.expand(y, &shape));
    let (x1, x2) = (rotate(cx, x, op.dim, 1), rotate(cx, x, op.dim, 2));
    let (y1, y2) = (rotate(cx, y, op.dim, 1), rotate(cx, y, op.dim, 2));
    let (left, right) = (cx.b.binary(BinaryOp::Mul, x1, y2), cx.b.binary(BinaryOp::Mul, x2, y1));
    let out = cx.b.binary(BinaryOp::Sub, left, right);
    cx.write(&op.out, out)
}

/// `value` with its elements along `dim` moved `by` places to the front, around the end.
fn rotate(cx: &mut Lowering<'_>, value: ValueId, dim: usize, by: usize) -> ValueId {
    let ty = cx.b.ty(value);
    let size = ty.shape[dim];
    let (back, front) = (super::movement::cut(cx, value, dim, by, size), super::movement::cut(cx, value, dim, 0, by));
    cx.b.op("concatenate", Concatenate { dim }, &[back, front], ty)
}

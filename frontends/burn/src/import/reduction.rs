//! Reductions along dimensions, and running ones. Burn keeps a reduced dimension with size 1.

use super::elementwise::compare;
use super::lowering::{Lowered, Lowering, Refusal, type_of};
use burn_ir::{DimOpIr, ReduceDimOpIr, ReduceDimWithIndicesOpIr, ReduceDimsOpIr, ReduceOpIr, TensorIr};
use partita_ir::arena::{FuncId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{Binary, BinaryOp, Compare, Direction, Iota, Reduce, ReduceFunc, ReduceWindow, Select};
use partita_ir::program::{Func, Output};
use partita_ir::rule::Window;
use partita_ir::tensor::Scalar;
use partita_ir::text::attr::Dims;

/// All elements combined: `[1]`.
pub(super) fn all(cx: &mut Lowering<'_>, op: &ReduceOpIr, monoid: Monoid) -> Lowered {
    let x = cx.read(&op.input)?;
    let dims = (0..cx.shape(x).rank()).collect();
    reduce(cx, x, monoid, dims, &op.out)
}

/// The elements along one dimension combined.
pub(super) fn dim(cx: &mut Lowering<'_>, op: &ReduceDimOpIr, monoid: Monoid) -> Lowered {
    let x = cx.read(&op.input)?;
    reduce(cx, x, monoid, Dims::from_elem(op.axis, 1), &op.out)
}

/// The elements along several dimensions added.
pub(super) fn sum_dims(cx: &mut Lowering<'_>, op: &ReduceDimsOpIr) -> Lowered {
    let x = cx.read(&op.input)?;
    reduce(cx, x, Monoid::Sum, op.axes.iter().copied().collect(), &op.out)
}

/// Whether all or any elements are not zero.
pub(super) fn truth(
    cx: &mut Lowering<'_>,
    input: &TensorIr,
    monoid: Monoid,
    axis: Option<usize>,
    out: &TensorIr,
) -> Lowered {
    let mut x = cx.read(input)?;
    if cx.b.ty(x).dtype != DType::Bool {
        let zero = cx.splat_like(x, Scalar::Int(0));
        x = compare(cx, Direction::Ne, x, zero);
    }
    let dims = axis.map_or_else(|| (0..cx.shape(x).rank()).collect(), |axis| Dims::from_elem(axis, 1));
    reduce(cx, x, monoid, dims, out)
}

/// The largest magnitude of all elements, or along one dimension.
pub(super) fn max_abs(cx: &mut Lowering<'_>, input: &TensorIr, axis: Option<usize>, out: &TensorIr) -> Lowered {
    let x = cx.read(input)?;
    let x = cx.b.unary(partita_ir::ops::UnaryOp::Abs, x);
    let dims = axis.map_or_else(|| (0..cx.shape(x).rank()).collect(), |axis| Dims::from_elem(axis, 1));
    reduce(cx, x, Monoid::Max, dims, out)
}

/// The mean of all elements, or along one dimension.
pub(super) fn mean(cx: &mut Lowering<'_>, input: &TensorIr, axis: Option<usize>, out: &TensorIr) -> Lowered {
    let x = cx.read(input)?;
    let shape = cx.shape(x);
    let (dims, count) = match axis {
        Some(axis) => (Dims::from_elem(axis, 1), shape[axis]),
        None => ((0..shape.rank()).collect(), shape.count()),
    };
    let sum = reduced(cx, x, Monoid::Sum, dims);
    let mean = cx.b.binary_scalar(BinaryOp::Div, sum, count as f64);
    keep_dims(cx, mean, out)
}

fn reduce(cx: &mut Lowering<'_>, x: ValueId, monoid: Monoid, dims: Dims, out: &TensorIr) -> Lowered {
    let value = reduced(cx, x, monoid, dims);
    keep_dims(cx, value, out)
}

fn reduced(cx: &mut Lowering<'_>, x: ValueId, monoid: Monoid, dims: Dims) -> ValueId {
    let ty = cx.b.ty(x);
    let shape: Shape = (0..ty.shape.rank()).filter(|d| !dims.contains(d)).map(|d| ty.shape[d]).collect();
    cx.b.op(monoid.name(), Reduce { monoid, dims }, &[x], Type::new(ty.dtype, shape))
}

fn keep_dims(cx: &mut Lowering<'_>, value: ValueId, out: &TensorIr) -> Lowered {
    let value = cx.b.reshape(value, type_of(out)?.shape);
    cx.write(out, value)
}

/// Index of the largest (`Gt`) or smallest (`Lt`) element along a dimension; the first one on a tie.
pub(super) fn arg(cx: &mut Lowering<'_>, op: &ReduceDimOpIr, better: Direction) -> Lowered {
    let x = cx.read(&op.input)?;
    let (_, index) = best(cx, x, op.axis, better, type_of(&op.out)?.dtype)?;
    keep_dims(cx, index, &op.out)
}

/// The largest (`Gt`) or smallest (`Lt`) element along a dimension, and its index.
pub(super) fn with_index(cx: &mut Lowering<'_>, op: &ReduceDimWithIndicesOpIr, better: Direction) -> Lowered {
    let x = cx.read(&op.tensor)?;
    let (value, index) = best(cx, x, op.dim, better, type_of(&op.out_indices)?.dtype)?;
    keep_dims(cx, value, &op.out)?;
    keep_dims(cx, index, &op.out_indices)
}

fn best(
    cx: &mut Lowering<'_>,
    x: ValueId,
    dim: usize,
    better: Direction,
    index: DType,
) -> Result<(ValueId, ValueId), Refusal> {
    let ty = cx.b.ty(x);
    let shape: Shape = (0..ty.shape.rank()).filter(|&d| d != dim).map(|d| ty.shape[d]).collect();
    let indices = cx.b.op("iota", Iota { dim }, &[], Type::new(index, ty.shape));
    let worst = match (better, ty.dtype.is_float()) {
        (Direction::Gt, true) => Scalar::Float(f64::NEG_INFINITY),
        (_, true) => Scalar::Float(f64::INFINITY),
        (Direction::Gt, false) => Scalar::Int(lowest(ty.dtype)),
        (_, false) => Scalar::Int(highest(ty.dtype)),
    };
    let (worst, first) = (cx.scalar(ty.dtype, worst), cx.scalar(index, Scalar::Int(0)));
    let body = better_of(cx, better, ty.dtype, index);
    let types = [Type::new(ty.dtype, shape.clone()), Type::new(index, shape)];
    let outs =
        cx.b.op_many("best", ReduceFunc { dims: Dims::from_elem(dim, 1), body }, &[x, indices, worst, first], &types);
    match outs[..] {
        [value, index] => Ok((value, index)),
        _ => Err(Refusal::Stranger),
    }
}

/// The smallest number of an integer type.
fn lowest(dtype: DType) -> i64 {
    match dtype {
        DType::I64 => i64::MIN,
        DType::I32 => i64::from(i32::MIN),
        DType::I8 => i64::from(i8::MIN),
        _ => 0,
    }
}

/// The largest number of an integer type, `u64` as its bits.
fn highest(dtype: DType) -> i64 {
    match dtype {
        DType::I64 => i64::MAX,
        DType::I32 => i64::from(i32::MAX),
        DType::I8 => i64::from(i8::MAX),
        DType::U32 => i64::from(u32::MAX),
        DType::U8 => i64::from(u8::MAX),
        _ => -1,
    }
}

/// The function of two elements with their indices that gives the better one; the lower index on a tie.
fn better_of(cx: &mut Lowering<'_>, better: Direction, dtype: DType, index: DType) -> FuncId {
    let scalar = |dtype| Type::new(dtype, Shape::scalar());
    let name = format!("{}_{dtype}_{index}", if better == Direction::Gt { "largest" } else { "smallest" });
    if let Some(func) = cx.function(&name) {
        return func;
    }
    let program = &mut *cx.b.program;
    let inputs: Vec<ValueId> = [("a", dtype), ("i", index), ("b", dtype), ("j", index)]
        .map(|(name, dtype)| program.value(name, scalar(dtype)))
        .to_vec();
    let func = program.funcs.push(Func { name: name.into(), inputs: inputs.clone(), outputs: vec![], body: vec![] });
    let [a, i, b, j] = inputs[..] else { return func };

    let mut names = Namer::default();
    let mut body = Builder::new(program, &mut names);
    let bool_ty = scalar(DType::Bool);
    let relation = |body: &mut Builder<'_>, name, direction, x, y| {
        body.op(name, Compare { direction, total: false }, &[x, y], bool_ty.clone())
    };
    let wins = relation(&mut body, "wins", better, a, b);
    let ties = relation(&mut body, "ties", Direction::Eq, a, b);
    let earlier = relation(&mut body, "earlier", Direction::Lt, i, j);
    let first = body.op("first", Binary { op: BinaryOp::And }, &[ties, earlier], bool_ty.clone());
    let keep = body.op("keep", Binary { op: BinaryOp::Or }, &[wins, first], bool_ty.clone());
    let value = body.op("value", Select {}, &[keep, a, b], scalar(dtype));
    let place = body.op("place", Select {}, &[keep, i, j], scalar(index));
    body.finish(func);
    let output = |value, name: &str| Output { value, name: name.into(), alias: None };
    program.funcs[func].outputs = vec![output(value, "value"), output(place, "place")];
    func
}

/// Every element combined with all before it along a dimension.
pub(super) fn running(cx: &mut Lowering<'_>, op: &DimOpIr, monoid: Monoid) -> Lowered {
    let x = cx.read(&op.input)?;
    let ty = cx.b.ty(x);
    let size = ty.shape[op.axis];
    let mut windows = vec![Window::default(); ty.shape.rank()];
    if size > 0 {
        windows[op.axis] = Window { size, low: size as i64 - 1, ..Window::default() };
    }
    let out = cx.b.op("running", ReduceWindow { monoid, windows }, &[x], ty);
    cx.write(&op.out, out)
}

//! Sorting and the largest elements.

use super::lowering::{Lowered, Lowering, type_of};
use burn_ir::{SortOpIr, SortWithIndicesOpIr, TensorIr};
use partita_ir::arena::{FuncId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{Compare, Direction, Iota, Sort, TopK};
use partita_ir::program::{Func, Output};
use partita_ir::syntax::attr::Dims;

/// The elements in order along a dimension.
pub(super) fn sort(cx: &mut Lowering<'_>, op: &SortOpIr) -> Lowered {
    let x = cx.read(&op.input)?;
    let ty = cx.b.ty(x);
    let comparator = comparator(cx, op.descending, &[ty.dtype]);
    let out = cx.b.op("sort", Sort { dim: op.dim, stable: true, comparator }, &[x], ty);
    cx.write(&op.out, out)
}

/// The indices of the elements in order along a dimension.
pub(super) fn argsort(cx: &mut Lowering<'_>, op: &SortOpIr) -> Lowered {
    let x = cx.read(&op.input)?;
    let (_, indices) = sorted(cx, x, op.dim, op.descending, type_of(&op.out)?.dtype);
    cx.write(&op.out, indices)
}

/// The elements in order along a dimension, and their indices.
pub(super) fn sort_with_indices(cx: &mut Lowering<'_>, op: &SortWithIndicesOpIr) -> Lowered {
    let x = cx.read(&op.input)?;
    let (values, indices) = sorted(cx, x, op.dim, op.descending, type_of(&op.out_indices)?.dtype);
    cx.write(&op.out, values)?;
    cx.write(&op.out_indices, indices)
}

fn sorted(cx: &mut Lowering<'_>, x: ValueId, dim: usize, descending: bool, index: DType) -> (ValueId, ValueId) {
    let ty = cx.b.ty(x);
    let indices_ty = Type::new(index, ty.shape.clone());
    let indices = cx.b.op("iota", Iota { dim }, &[], indices_ty.clone());
    let comparator = comparator(cx, descending, &[ty.dtype, index]);
    let outs = cx.b.op_many("sort", Sort { dim, stable: true, comparator }, &[x, indices], &[ty, indices_ty]);
    (outs[0], outs[1])
}

/// The function that says whether an element comes before another: by the first of operands of those element types.
fn comparator(cx: &mut Lowering<'_>, descending: bool, dtypes: &[DType]) -> FuncId {
    let mut name = String::from(if descending { "descending" } else { "ascending" });
    dtypes.iter().for_each(|dtype| name.extend(["_", dtype.name()]));
    if let Some(func) = cx.b.function(&name) {
        return func;
    }
    let program = &mut *cx.b.program;
    let mut inputs = Vec::with_capacity(2 * dtypes.len());
    for (i, &dtype) in dtypes.iter().enumerate() {
        for side in ["a", "b"] {
            inputs.push(program.value(format!("{side}{i}"), Type::new(dtype, Shape::scalar())));
        }
    }
    let args = [inputs[0], inputs[1]];
    let func = program.funcs.push(Func::new(name, inputs, vec![], vec![]));
    let mut names = Namer::default();
    let mut body = Builder::new(program, &mut names);
    let direction = if descending { Direction::Gt } else { Direction::Lt };
    let first = body.op("first", Compare { direction, total: false }, &args, Type::new(DType::Bool, Shape::scalar()));
    body.finish(func);
    program.funcs[func].outputs = vec![Output { value: first, name: "first".into(), alias: None }];
    func
}

/// The largest elements along a dimension, in descending order, or their indices, or both.
pub(super) fn top_k(
    cx: &mut Lowering<'_>,
    input: &TensorIr,
    dim: usize,
    k: usize,
    values: Option<&TensorIr>,
    indices: Option<&TensorIr>,
) -> Lowered {
    let x = cx.read(input)?;
    // The op works on the last dimension.
    let last = cx.shape(x).rank() - 1;
    let mut perm: Dims = (0..=last).collect();
    perm.swap(dim, last);
    let x = cx.b.transpose(x, perm.clone());
    let mut ty = cx.b.ty(x);
    ty.shape[last] = k;
    let types = [ty.clone(), Type::new(DType::I32, ty.shape)];
    let outs = cx.b.op_many("top", TopK { k }, &[x], &types);
    if let Some(out) = values {
        let value = cx.b.transpose(outs[0], perm.clone());
        cx.write(out, value)?;
    }
    if let Some(out) = indices {
        let index = cx.b.convert(outs[1], type_of(out)?.dtype);
        let index = cx.b.transpose(index, perm);
        cx.write(out, index)?;
    }
    Ok(())
}

//! Lowering of sorting and top-k.

use super::lowering::{Lowering, LoweringResult, type_of};
use burn_ir::{SortOpIr, SortWithIndicesOpIr, TensorIr};
use partita_ir::arena::{FuncId, ValueId};
use partita_ir::build::{Builder, Namer};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{Compare, Direction, Iota, Sort, TopK};
use partita_ir::program::{Func, Output};
use partita_ir::syntax::attr::Dims;

/// Lowers a stable sort along a dimension.
pub(super) fn sort(cx: &mut Lowering<'_>, op: &SortOpIr) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let ty = cx.b.ty(x);
    let comparator = comparator(cx, op.descending, &[ty.dtype]);
    let out = cx.b.op("sort", Sort { dim: op.dim, stable: true, comparator }, &[x], ty);
    cx.write(&op.out, out)
}

/// Lowers the indices that sort the elements along a dimension.
pub(super) fn argsort(cx: &mut Lowering<'_>, op: &SortOpIr) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let (_, indices) = sorted(cx, x, op.dim, op.descending, type_of(&op.out)?.dtype);
    cx.write(&op.out, indices)
}

/// Lowers a stable sort along a dimension, with the index of each element in the operand.
pub(super) fn sort_with_indices(cx: &mut Lowering<'_>, op: &SortWithIndicesOpIr) -> LoweringResult {
    let x = cx.read(&op.input)?;
    let (values, indices) = sorted(cx, x, op.dim, op.descending, type_of(&op.out_indices)?.dtype);
    cx.write(&op.out, values)?;
    cx.write(&op.out_indices, indices)
}

/// Returns the sorted elements of `x` along `dim`, and their indices in `x` with element type `index`.
fn sorted(cx: &mut Lowering<'_>, x: ValueId, dim: usize, descending: bool, index: DType) -> (ValueId, ValueId) {
    let ty = cx.b.ty(x);
    let indices_ty = Type::new(index, ty.shape.clone());
    let indices = cx.b.op("iota", Iota { dim }, &[], indices_ty.clone());
    let comparator = comparator(cx, descending, &[ty.dtype, index]);
    let outs = cx.b.op_many("sort", Sort { dim, stable: true, comparator }, &[x, indices], &[ty, indices_ty]);
    (outs[0], outs[1])
}

/// Returns the comparator of a sort over operands of the given element types. Only elements of the first operand are
/// compared. An existing comparator with the same name is reused.
fn comparator(cx: &mut Lowering<'_>, descending: bool, dtypes: &[DType]) -> FuncId {
    let mut name = String::from(if descending { "descending" } else { "ascending" });
    dtypes.iter().for_each(|dtype| name.extend(["_", dtype.name()]));
    if let Some(func) = cx.b.find_function(&name) {
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
    program.funcs[func].outputs = vec![Output { value: first, name: "first".into(), replaces: None }];
    func
}

/// Lowers the k largest elements along a dimension in descending order, their indices, or both.
pub(super) fn top_k(
    cx: &mut Lowering<'_>,
    input: &TensorIr,
    dim: usize,
    k: usize,
    values: Option<&TensorIr>,
    indices: Option<&TensorIr>,
) -> LoweringResult {
    let x = cx.read(input)?;
    // `TopK` selects along the last dimension, so `dim` is exchanged with it.
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

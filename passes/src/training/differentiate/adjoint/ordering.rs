//! Adjoints of ops that sort or select elements: the gradient of each result element is scattered to the operand
//! position that the element came from.

use super::Adjoint;
use super::algebra::Algebra;
use crate::training::differentiate::copy::copy_func;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{Combine, Iota, Scatter, Sort};
use partita_ir::program::Op;
use partita_ir::syntax::attr::Dims;

/// Appends the adjoint of `sort`. Replaces the forward op by one that also sorts the indices of the elements, and
/// scatters the gradients to these indices.
pub fn sort(ctx: &mut Adjoint<'_, '_>, op: &Sort) -> Result<(), String> {
    let wanted: Vec<usize> =
        (0..ctx.op.args.len()).filter(|&i| ctx.gradient_of(i).is_some() && ctx.needs_gradient(i)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let shape = ctx.arg_type(0).shape;
    let dtype = if i32::try_from(shape[op.dim]).is_ok() { DType::I32 } else { DType::I64 };
    let ty = Type { shape, dtype };
    let name = format!("{}_with_place", ctx.b.program.funcs[op.comparator].name);
    let comparator = copy_func(ctx.b, op.comparator, &name);
    for name in ["place", "other_place"] {
        let name = ctx.b.names.fresh(name);
        let place = ctx.b.program.value(name, Type::new(dtype, []));
        ctx.b.program.funcs[comparator].inputs.push(place);
    }
    let dim = op.dim;
    let place = ctx.insert_before(|b| b.op("place", Iota { dim }, &[], ty.clone()));
    let name = ctx.b.names.fresh("sorted_place");
    let sorted = ctx.b.program.value(name, ty);
    let mut replacement = Op { kind: Sort { comparator, ..op.clone() }.into(), ..ctx.op.clone() };
    replacement.args.push(place);
    replacement.outs.push(sorted);
    ctx.replace(replacement);
    for i in wanted {
        if let (Some(g), true) = (ctx.gradient_of(i), ctx.needs_gradient(i)) {
            let gradient = scatter_along(ctx.b, ctx.op.args[i], sorted, g, op.dim);
            ctx.set_gradient(i, gradient);
        }
    }
    Ok(())
}

/// Appends the adjoint of `top_k`: scatters the gradient to the indices, which are result 1 of the forward op.
pub fn top_k(ctx: &mut Adjoint<'_, '_>) -> Result<(), String> {
    if ctx.needs_gradient(0) {
        let g = ctx.gradient();
        let (x, indices) = (ctx.arg(0), ctx.op.outs[1]);
        let last = ctx.arg_type(0).shape.rank() - 1;
        let gradient = scatter_along(ctx.b, x, indices, g, last);
        ctx.set_gradient(0, gradient);
    }
    Ok(())
}

/// Appends a scatter that adds `updates` at `indices` along a dimension to zeros of the type of `x`.
fn scatter_along(b: &mut Builder<'_>, x: ValueId, indices: ValueId, updates: ValueId, dim: usize) -> ValueId {
    let ty = b.ty(x);
    let others: Dims = (0..ty.shape.rank()).filter(|&d| d != dim).collect();
    let scatter = Scatter {
        combine: Combine::Sum,
        update_window_dims: Dims::new(),
        inserted_dims: Dims::from_slice(&[dim]),
        operand_batch_dims: others.clone(),
        index_batch_dims: others,
        index_map: Dims::from_slice(&[dim]),
        index_vector_dim: ty.shape.rank(),
    };
    let zeros = b.zeros(ty.clone());
    b.op("scatter", scatter, &[zeros, indices, updates], ty)
}

//! Adjoints of ops that order elements: the gradient goes back to where each element came from.

use super::Adjoint;
use super::algebra::Algebra;
use crate::training::differentiate::copy::copy_func;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{Combine, Iota, Scatter, Sort};
use partita_ir::program::Op;
use partita_ir::syntax::attr::Dims;

/// The forward pass sorts the places of the elements along with them.
pub fn sort(at: &mut Adjoint<'_, '_>, op: &Sort) -> Result<(), String> {
    let wanted: Vec<usize> = (0..at.op.args.len()).filter(|&i| at.gradient_of(i).is_some() && at.wants(i)).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let shape = at.arg_type(0).shape;
    let dtype = if i32::try_from(shape[op.dim]).is_ok() { DType::I32 } else { DType::I64 };
    let ty = Type { shape, dtype };
    let name = format!("{}_with_place", at.b.program.funcs[op.comparator].name);
    let comparator = copy_func(at.b, op.comparator, &name);
    for name in ["place", "other_place"] {
        let name = at.b.names.fresh(name);
        let place = at.b.program.value(name, Type::new(dtype, []));
        at.b.program.funcs[comparator].inputs.push(place);
    }
    let dim = op.dim;
    let place = at.before(|b| b.op("place", Iota { dim }, &[], ty.clone()));
    let name = at.b.names.fresh("sorted_place");
    let sorted = at.b.program.value(name, ty);
    let mut replacement = Op { kind: Sort { comparator, ..op.clone() }.into(), ..at.op.clone() };
    replacement.args.push(place);
    replacement.outs.push(sorted);
    at.replace(replacement);
    for i in wanted {
        if let (Some(g), true) = (at.gradient_of(i), at.wants(i)) {
            let gradient = put_along(at.b, at.op.args[i], sorted, g, op.dim);
            at.give(i, gradient);
        }
    }
    Ok(())
}

/// Zeros with the gradient at the indices.
pub fn top_k(at: &mut Adjoint<'_, '_>) -> Result<(), String> {
    if at.wants(0) {
        let g = at.gradient();
        let (x, indices) = (at.arg(0), at.op.outs[1]);
        let last = at.arg_type(0).shape.rank() - 1;
        let gradient = put_along(at.b, x, indices, g, last);
        at.give(0, gradient);
    }
    Ok(())
}

/// Zeros like `x` with `updates` added at indices along a dimension.
fn put_along(b: &mut Builder<'_>, x: ValueId, indices: ValueId, updates: ValueId, dim: usize) -> ValueId {
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

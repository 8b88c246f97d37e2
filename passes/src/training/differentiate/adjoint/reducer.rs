//! The adjoint of a reduction by a user-defined function.
//!
//! The reduction is recomputed as a tree: each level combines neighbours by applying the function elementwise to
//! tensors. The ops of the tree have adjoints.

use super::algebra::Algebra;
use super::{Adjoint, AdjointError};
use crate::training::differentiate::copy::{inline_elementwise, live_ops};
use crate::training::differentiate::reverse::{Activity, reverse};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{Shape, Type};
use partita_ir::ops::{Concatenate, ReduceFunc};
use partita_ir::program::Phase;

/// Appends the adjoint of `reduce_func`. See the module documentation.
pub fn reduce_func(ctx: &mut Adjoint<'_, '_>, op: &ReduceFunc) -> Result<(), AdjointError> {
    let selected = |on: &dyn Fn(usize) -> bool| -> Vec<ValueId> {
        (0..ctx.op.args.len()).filter(|&i| on(i)).map(|i| ctx.op.args[i]).collect()
    };
    let (wanted, data) = (selected(&|i| ctx.activity.is_wanted(ctx.op.args[i])), selected(&|i| ctx.is_data(i)));
    ctx.b.phase = if data.is_empty() { Phase::BackwardWeight } else { Phase::BackwardInput };
    let origin = ctx.b.origin.clone();
    let outer = std::mem::take(&mut ctx.b.body);
    let results = reduction_tree(ctx.b, op, &ctx.op.args);
    let mut forward = std::mem::replace(&mut ctx.b.body, outer);
    let seeds: Vec<(ValueId, ValueId)> =
        results?.into_iter().enumerate().filter_map(|(i, result)| Some((result, ctx.gradient_of(i)?))).collect();
    let activity = Activity::analyse(ctx.b.program, &forward, &wanted, &data);
    let outer = std::mem::take(&mut ctx.b.body);
    let found = reverse(ctx.b, &mut forward, &seeds, &wanted, &activity);
    forward.append(&mut ctx.b.body);
    ctx.b.body = outer;
    ctx.b.origin = origin;
    let found = found.map_err(AdjointError::Inner)?;
    let needed: Vec<ValueId> = found.iter().flatten().copied().collect();
    ctx.b.body.extend(live_ops(ctx.b.program, forward, &needed).0);
    for (value, gradient) in wanted.into_iter().zip(found) {
        // An operand that occurs twice has one gradient for both positions.
        if let (Some(i), Some(gradient)) = (ctx.op.args.iter().position(|&v| v == value), gradient) {
            ctx.set_gradient(i, gradient);
        }
    }
    Ok(())
}

/// Appends the reduction as a tree that combines neighbours, and returns its results. Initial values are combined last.
fn reduction_tree(b: &mut Builder<'_>, op: &ReduceFunc, args: &[ValueId]) -> Result<Vec<ValueId>, String> {
    let (tensors, initial) = args.split_at(args.len() / 2);
    let shape = b.ty(tensors[0]).shape;
    let outer_dims: Vec<usize> = (0..shape.rank()).filter(|d| !op.dims.contains(d)).collect();
    let order = [&outer_dims[..], &op.dims].concat();
    let rows: usize = outer_dims.iter().map(|&d| shape[d]).product();
    let mut width: usize = op.dims.iter().map(|&d| shape[d]).product();
    let mut rest: Vec<ValueId> = Vec::new();
    for &x in tensors {
        let x = b.transposed(x, &order);
        rest.push(b.reshaped(x, [rows, width].into()));
    }
    while width > 1 {
        let half = Shape::from([rows, width / 2]);
        let mut activity = Vec::new();
        for first in [0, 1] {
            activity.extend(rest.iter().map(|&x| b.strided_slice(x, &[0, first], &[1, 2], &half)));
        }
        let mut next = inline_elementwise(b, op.body, &activity, &half)?;
        if width % 2 == 1 {
            for (x, &old) in next.iter_mut().zip(&rest) {
                let last = b.strided_slice(old, &[0, width - 1], &[1, 1], &[rows, 1].into());
                let ty = Type::new(b.ty(old).dtype, [rows, width / 2 + 1]);
                *x = b.op("beside", Concatenate { dim: 1 }, &[*x, last], ty);
            }
        }
        (rest, width) = (next, width.div_ceil(2));
    }
    let column = Shape::from([rows, 1]);
    let mut first: Vec<ValueId> = initial.iter().map(|&x| b.broadcast(x, &[], column.clone())).collect();
    if width == 1 {
        first.extend(rest);
        first = inline_elementwise(b, op.body, &first, &column)?;
    }
    let shape: Shape = outer_dims.iter().map(|&d| shape[d]).collect();
    Ok(first.into_iter().map(|x| b.reshaped(x, shape.clone())).collect())
}

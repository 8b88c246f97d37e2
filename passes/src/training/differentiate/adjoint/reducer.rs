//! The adjoint of a reduction by a function of one's own: the reduction once more, in the open, and backwards.
//!
//! Neighbours are combined round by round, each round one application of the function to whole tensors; those are ops
//! like any others, and have adjoints.

use super::algebra::Algebra;
use super::{Adjoint, Refusal};
use crate::training::differentiate::copy::{inlined, live};
use crate::training::differentiate::reverse::{Sides, reverse};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{Shape, Type};
use partita_ir::ops::{Concatenate, ReduceFunc};
use partita_ir::program::Phase;

/// See the head of this file.
pub fn reduce_func(at: &mut Adjoint<'_, '_>, op: &ReduceFunc) -> Result<(), Refusal> {
    let those = |on: &dyn Fn(usize) -> bool| -> Vec<ValueId> {
        (0..at.op.args.len()).filter(|&i| on(i)).map(|i| at.op.args[i]).collect()
    };
    let (wanted, data) = (those(&|i| at.sides.is_wanted(at.op.args[i])), those(&|i| at.is_data(i)));
    at.b.phase = if data.is_empty() { Phase::BackwardWeight } else { Phase::BackwardInput };
    let origin = at.b.origin.clone();
    let outer = std::mem::take(&mut at.b.body);
    let results = again(at.b, op, &at.op.args);
    let mut forward = std::mem::replace(&mut at.b.body, outer);
    let seeds: Vec<(ValueId, ValueId)> =
        results?.into_iter().enumerate().filter_map(|(i, result)| Some((result, at.gradient_of(i)?))).collect();
    let sides = Sides::of(at.b.program, &forward, &wanted, &data);
    let outer = std::mem::take(&mut at.b.body);
    let found = reverse(at.b, &mut forward, &seeds, &wanted, &sides);
    forward.append(&mut at.b.body);
    at.b.body = outer;
    at.b.origin = origin;
    let found = found.map_err(Refusal::Inner)?;
    let needed: Vec<ValueId> = found.iter().flatten().copied().collect();
    at.b.body.extend(live(at.b.program, forward, &needed).0);
    for (value, gradient) in wanted.into_iter().zip(found) {
        // An operand that stands twice has one gradient, for all of it.
        if let (Some(i), Some(gradient)) = (at.op.args.iter().position(|&v| v == value), gradient) {
            at.give(i, gradient);
        }
    }
    Ok(())
}

/// The results of the reduction, as ops that combine neighbours; the initial values come last.
fn again(b: &mut Builder<'_>, op: &ReduceFunc, args: &[ValueId]) -> Result<Vec<ValueId>, String> {
    let (tensors, initial) = args.split_at(args.len() / 2);
    let shape = b.ty(tensors[0]).shape;
    let kept: Vec<usize> = (0..shape.rank()).filter(|d| !op.dims.contains(d)).collect();
    let order = [&kept[..], &op.dims].concat();
    let rows: usize = kept.iter().map(|&d| shape[d]).product();
    let mut width: usize = op.dims.iter().map(|&d| shape[d]).product();
    let mut rest: Vec<ValueId> = Vec::new();
    for &x in tensors {
        let x = b.transposed(x, &order);
        rest.push(b.reshaped(x, [rows, width].into()));
    }
    while width > 1 {
        let half = Shape::from([rows, width / 2]);
        let mut sides = Vec::new();
        for first in [0, 1] {
            sides.extend(rest.iter().map(|&x| b.taken(x, &[0, first], &[1, 2], &half)));
        }
        let mut next = inlined(b, op.body, &sides, &half)?;
        if width % 2 == 1 {
            for (x, &old) in next.iter_mut().zip(&rest) {
                let last = b.taken(old, &[0, width - 1], &[1, 1], &[rows, 1].into());
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
        first = inlined(b, op.body, &first, &column)?;
    }
    let shape: Shape = kept.iter().map(|&d| shape[d]).collect();
    Ok(first.into_iter().map(|x| b.reshaped(x, shape.clone())).collect())
}

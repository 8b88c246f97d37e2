//! Writes through views: an operation in place on a view changes the tensor whose memory the view shows.

use super::lowering::{Lowering, LoweringError, Parts, dim, real_result};
use super::node::{Node, Operand};
use super::table;
use partita_ir::arena::ValueId;

/// Returns a tensor after a view of it was changed, given the node of the view and the changed view. `None` if the node
/// may return a copy, or if its writes are not supported.
///
/// # Errors
/// The lowering of the write fails.
pub fn written(
    cx: &mut Lowering<'_>,
    view: &Node<'_>,
    parent: Parts,
    changed: Parts,
) -> Result<Option<Parts>, LoweringError> {
    Ok(match (parent, changed) {
        (Parts::Real(parent), Parts::Real(changed)) => written_part(cx, view, parent, changed)?.map(Parts::Real),
        (Parts::Complex(parent), Parts::Complex(changed)) => {
            let mut part = |i: usize| written_part(cx, view, parent[i], changed[i]);
            part(0)?.zip(part(1)?).map(|(re, im)| Parts::Complex([re, im]))
        }
        (Parts::Real(_), Parts::Complex(_)) | (Parts::Complex(_), Parts::Real(_)) => None,
    })
}

fn written_part(
    cx: &mut Lowering<'_>,
    view: &Node<'_>,
    parent: ValueId,
    changed: ValueId,
) -> Result<Option<ValueId>, LoweringError> {
    let tensor = |value| Operand::Tensor(value);
    let written = match view.op {
        "alias" | "detach" => return Ok(Some(changed)),
        "view" if view.has("dtype") => return Ok(None),
        "view" | "view_as" | "unsqueeze" | "squeeze" | "unflatten" => {
            let shape = cx.shape(parent);
            return Ok(Some(cx.b.checked_reshape(changed, shape)?));
        }
        "permute" => {
            let rank = cx.rank(parent);
            let order = view.ints("dims")?.unwrap_or_default();
            let order = order.iter().map(|&d| dim(d, rank)).collect::<Result<Vec<_>, _>>()?;
            let place = |d: usize| order.iter().position(|&from| from == d);
            return Ok((0..rank).map(place).collect::<Option<_>>().map(|inverse| cx.b.transpose(changed, inverse)));
        }
        // The inverse of an exchange of two dimensions is the exchange itself.
        "transpose" | "swapdims" | "swapaxes" | "t" | "mT" | "numpy_T" => {
            view.as_operation(view.op, [("self", tensor(changed))])
        }
        "slice" => view.as_operation("slice_scatter", [("self", tensor(parent)), ("src", tensor(changed))]),
        "select" => view.as_operation("select_scatter", [("self", tensor(parent)), ("src", tensor(changed))]),
        "narrow" => {
            let start = view.required_int("start")?;
            let rank = cx.rank(parent);
            let n = cx.shape(parent).get(dim(view.required_int("dim")?, rank)?).copied().unwrap_or(0) as i64;
            let start = if start < 0 { start.saturating_add(n) } else { start };
            let end = start.saturating_add(view.required_int("length")?);
            let bounds = [("start", Operand::Int(start)), ("end", Operand::Int(end))];
            let sliced = view.as_operation("slice_scatter", bounds);
            sliced.as_operation("slice_scatter", [("self", tensor(parent)), ("src", tensor(changed))])
        }
        _ => return Ok(None),
    };
    real_result(&table::aten(cx, &written)?).map(Some)
}

//! Conversions of operands in regions of `torch.autocast`, which the graph does not contain.

use super::lowering::{Lowering, Parts};
use super::node::{Node, Operand};
use super::table;

/// Returns true for an operation that accepts operands of several element types outside of `torch.autocast`, too:
/// conversions, and normalisations whose statistics are wider than the batch.
fn accepts_mixed_types(name: &str) -> bool {
    matches!(table::without_copy(name), "to" | "_to_copy" | "type_as" | "copy") || name.contains("batch_norm")
}

/// Returns a node with its float operands in the element type of its result: PyTorch converts the operands of products
/// to the narrow type of the region, those of functions that need precision to `float32`, and other operands to their
/// widest type.
pub fn converted<'m>(cx: &mut Lowering<'_>, node: Node<'m>) -> Node<'m> {
    let wanted = node.result_type(0).ok().filter(|ty| ty.part.dtype.is_float() && !ty.is_complex);
    let Some(dtype) = wanted.map(|ty| ty.part.dtype).filter(|_| !accepts_mixed_types(node.op)) else { return node };
    node.with_operands(|_, operand| match operand {
        Operand::Tensor(x) if cx.dtype(*x).is_float() => Some(Operand::Tensor(cx.converted(*x, dtype))),
        Operand::Tensors(list) => {
            let tensors = list.iter().map(|x| match *x {
                Some(x) if cx.dtype(x).is_float() => Some(Parts::Real(cx.converted(x, dtype))),
                other => other.map(Parts::Real),
            });
            Some(Operand::from_tensors(tensors.collect()))
        }
        _ => None,
    })
}

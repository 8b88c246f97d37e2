//! Lowering of searches for the place of values in a sorted sequence.

use super::lowering::{Lowering, LoweringResult, malformed, single, unsupported};
use super::node::Node;
use super::promotion::{operands, promoted};
use partita_ir::layout::Monoid;
use partita_ir::ops::{Direction, UnaryOp};

/// Lowers the places of the values of `self` in a sequence for all of them.
pub fn bucketize(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    places(cx, node, "boundaries", node.flag("right", false)?)
}

/// Lowers the places of the values of `self` in a sequence for all of them, or one for each row.
pub fn search_sorted(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    if node.has("sorter") {
        return unsupported("the order of an unsorted sequence");
    }
    let right = match node.text("side")? {
        Some("left") => false,
        Some("right") => true,
        Some(other) => return malformed(format!("has the side `{other}`")),
        None => node.flag("right", false)?,
    };
    places(cx, node, "sorted_sequence", right)
}

/// Lowers the number of elements of a sorted sequence that are less than each value, or not greater (`right`). NaN is
/// greater than all numbers.
fn places(cx: &mut Lowering<'_>, node: &Node<'_>, sequence: &str, right: bool) -> LoweringResult {
    let Some(dtype) = promoted(cx, &[node.operand("self"), node.operand(sequence)]) else {
        return malformed("compares other operands than tensors");
    };
    let [values, sequence] = operands(cx, node, ["self", sequence], dtype)?;
    let sequence = match cx.rank(sequence) {
        0 | 1 => sequence,
        rank => cx.b.unsqueeze(sequence, rank - 1),
    };
    let last = cx.rank(values);
    let values = cx.b.unsqueeze(values, last);
    let [sequence, values] = cx.broadcast_all([sequence, values])?;
    let is_after = cx.b.compare(sequence, if right { Direction::Gt } else { Direction::Ge }, values);
    let is_before = cx.b.unary(UnaryOp::Not, is_after);
    let counted = cx.b.convert(is_before, node.result(0)?.dtype);
    single(cx.b.reduce(Monoid::Sum, counted, last))
}

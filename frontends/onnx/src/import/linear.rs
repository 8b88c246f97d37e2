//! Lowering of operations of linear algebra.

use super::lowering::{Lowering, LoweringResult, Node, single};

/// Lowers the determinant of each matrix of a batch.
pub fn determinant(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    cx.require_float(x)?;
    single(cx.b.checked_determinant(x)?.value(&mut cx.b))
}

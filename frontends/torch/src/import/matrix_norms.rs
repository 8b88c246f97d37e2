//! Lowering of norms of matrices.

use super::linear_algebra::spectrum;
use super::lowering::{Lowering, LoweringError, LoweringResult, dims, first_operand, malformed, single};
use super::node::{Node, Operand};
use super::reduction::{norm, norm_over};
use partita_ir::arena::ValueId;
use partita_ir::layout::Monoid;
use partita_ir::ops::UnaryOp;
use partita_ir::syntax::attr::Dims;

/// Norm of a matrix.
enum Norm {
    /// Root of the sum of the squares of all elements.
    Frobenius,
    /// Sum of the singular values.
    Nuclear,
    /// Reduction of the singular values.
    Spectral(Monoid),
    /// Reduction of the sums of the absolute values of rows, or of columns.
    Sums { of_rows: bool, monoid: Monoid },
}

impl Norm {
    fn from_operand(order: &Operand<'_>) -> Result<Norm, LoweringError> {
        let number = match order {
            Operand::Absent | Operand::Text("fro") => return Ok(Norm::Frobenius),
            Operand::Text("nuc") => return Ok(Norm::Nuclear),
            other => other.number().map(|number| number.to_f64()),
        };
        let Some(order) = number else { return malformed("has a norm that is neither a number nor known by name") };
        let monoid = if order > 0.0 { Monoid::Max } else { Monoid::Min };
        match order.abs() {
            1.0 => Ok(Norm::Sums { of_rows: false, monoid }),
            2.0 => Ok(Norm::Spectral(monoid)),
            f64::INFINITY => Ok(Norm::Sums { of_rows: true, monoid }),
            _ => malformed(format!("has the norm {order} of matrices")),
        }
    }
}

/// Lowers norms of matrices, or of vectors if the order or the number of dimensions says so.
pub fn of_any(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let over = node.ints("dim")?.map(|dims| dims.len());
    let is_matrix = match node.operand("ord") {
        Operand::Absent => false,
        Operand::Text(_) => true,
        _ => over.unwrap_or_else(|| first_operand(node).map_or(0, |x| cx.rank(x))) == 2,
    };
    if is_matrix { of_matrix(cx, node) } else { norm(cx, node, "ord") }
}

/// Lowers norms of the matrices along two dimensions.
pub fn of_matrix(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let order = match node.operand("ord") {
        Operand::Absent if node.op == "nuclear_norm" => &Operand::Text("nuc"),
        order => order,
    };
    let x = first_operand(node)?;
    let x = cx.converted(x, node.result(0)?.dtype);
    let rank = cx.rank(x);
    let over = dims(&node.ints("dim")?.unwrap_or(std::borrow::Cow::Borrowed(&[-2, -1])), rank)?;
    let &[row, column] = &over[..] else { return malformed(format!("has matrices along dimensions {over:?}")) };
    if row == column {
        return malformed(format!("has matrices along dimension {row} twice"));
    }
    let rest = (0..rank).filter(|d| !over.contains(d)).chain([row, column]).collect();
    let x = cx.b.transpose(x, rest);
    let (row, column) = (rank - 2, rank - 1);
    let out = match Norm::from_operand(order)? {
        Norm::Frobenius => norm_over(cx, x, Dims::from_slice(&[row, column]), 2.0),
        Norm::Nuclear => reduced_spectrum(cx, x, Monoid::Sum),
        Norm::Spectral(monoid) => reduced_spectrum(cx, x, monoid),
        Norm::Sums { of_rows, monoid } => {
            let size = cx.b.unary(UnaryOp::Abs, x);
            let sums = cx.b.reduce(Monoid::Sum, size, if of_rows { column } else { row });
            cx.b.reduce(monoid, sums, row)
        }
    };
    single(cx.b.checked_reshape(out, node.result_shape()?.clone())?)
}

/// Appends a reduction of the singular values of each matrix.
fn reduced_spectrum(cx: &mut Lowering<'_>, x: ValueId, monoid: Monoid) -> ValueId {
    let values = spectrum(cx, x);
    let last = cx.rank(values) - 1;
    cx.b.reduce(monoid, values, last)
}

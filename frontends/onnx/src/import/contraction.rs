//! Lowering of matrix products and einsums.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, malformed, single, unsupported};
use partita_ir::arena::ValueId;
use partita_ir::dtype::Shape;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, DotGeneral};
use partita_ir::syntax::attr::{DimPairs, Dims};

/// Lowers a matrix product with NumPy semantics: leading dimensions broadcast; a vector is a row on the left and a
/// column on the right.
pub fn matmul(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, y) = (node.arg(0)?, node.arg(1)?);
    let (mut xs, mut ys) = (cx.shape(x), cx.shape(y));
    let (row, column) = (xs.rank() == 1, ys.rank() == 1);
    if row {
        xs.0.insert(0, 1);
    }
    if column {
        ys.0.push(1);
    }
    let (Some(lead_x), Some(lead_y)) = (xs.rank().checked_sub(2), ys.rank().checked_sub(2)) else {
        return malformed(format!("multiplies {} by {}", cx.b.ty(x), cx.b.ty(y)));
    };
    super::lowering::broadcast([&Shape::from(&xs[..lead_x]), &Shape::from(&ys[..lead_y])])?;
    let x = super::movement::reshaped(cx, x, xs);
    let y = super::movement::reshaped(cx, y, ys);
    let dtype = cx.dtype(x);
    let product = cx.b.matmul(x, y, dtype);
    let mut shape = cx.shape(product);
    let rank = shape.rank();
    if column {
        shape.0.remove(rank - 1);
    }
    if row {
        shape.0.remove(rank - 2);
    }
    single(super::movement::reshaped(cx, product, shape))
}

/// Lowers `alpha * x' y' + beta * c`, where `'` is an optional transposition.
pub fn gemm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, y) = (node.arg(0)?, node.arg(1)?);
    if cx.rank(x) != 2 || cx.rank(y) != 2 {
        return malformed(format!("multiplies {} by {}", cx.b.ty(x), cx.b.ty(y)));
    }
    let contract = DimPairs {
        lhs: Dims::from_elem(usize::from(!node.flag("transA", false)), 1),
        rhs: Dims::from_elem(usize::from(node.flag("transB", false)), 1),
    };
    let mut out = cx.op("matmul", DotGeneral { contract, batch: DimPairs::default() }, &[x, y])?;
    let (alpha, beta) = (node.float("alpha", 1.0), node.float("beta", 1.0));
    if alpha != 1.0 {
        out = cx.b.binary_scalar(BinaryOp::Mul, out, alpha);
    }
    if let Some(mut c) = node.optional(2).filter(|_| beta != 0.0) {
        if beta != 1.0 {
            c = cx.b.binary_scalar(BinaryOp::Mul, c, beta);
        }
        let shape = cx.shape(out);
        let c = cx.expand(c, &shape)?;
        out = cx.b.binary(BinaryOp::Add, out, c);
    }
    single(out)
}

/// Lowers an einsum of one or two operands. Errors: a letter that occurs twice in an operand, an ellipsis, or more
/// operands.
pub fn einsum(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let equation: String = node.text("equation", "").chars().filter(|c| !c.is_whitespace()).collect();
    let operands = node.all_args()?;
    let inputs = equation.split("->").next().unwrap_or_default();
    let terms: Vec<Vec<char>> = inputs.split(',').map(|t| t.chars().collect()).collect();
    let letters_only = equation.chars().all(|c| c.is_ascii_alphabetic() || ",->".contains(c));
    let has_distinct_letters = |term: &Vec<char>| term.iter().enumerate().all(|(i, c)| !term[..i].contains(c));
    if terms.len() != operands.len() || terms.iter().zip(&operands).any(|(t, &v)| t.len() != cx.rank(v)) {
        return malformed(format!("has the equation `{equation}`, which does not match its operands"));
    }
    if !letters_only || !terms.iter().all(has_distinct_letters) || terms.len() > 2 {
        return unsupported(format!("the equation `{equation}`"));
    }
    let result: Vec<char> = match equation.split_once("->") {
        Some((_, result)) => result.chars().collect(),
        // Implicit output: letters that occur once, in alphabetical order.
        None => {
            let all: Vec<char> = terms.concat();
            let mut single: Vec<char> =
                all.iter().copied().filter(|c| all.iter().filter(|d| *d == c).count() == 1).collect();
            single.sort_unstable();
            single
        }
    };
    if !has_distinct_letters(&result) || result.iter().any(|c| !terms.iter().any(|t| t.contains(c))) {
        return malformed(format!("has the invalid equation `{equation}`"));
    }
    // A letter that only one operand has and the output lacks is summed before the product.
    let mut reduced: Vec<(ValueId, Vec<char>)> = Vec::new();
    for (i, (term, &operand)) in terms.iter().zip(&operands).enumerate() {
        let elsewhere = |c: &char| result.contains(c) || terms.iter().enumerate().any(|(j, t)| j != i && t.contains(c));
        let summed_dims: Dims = (0..term.len()).filter(|&d| !elsewhere(&term[d])).collect();
        let kept = term.iter().copied().filter(|c| elsewhere(c)).collect();
        let value = if summed_dims.is_empty() { operand } else { cx.b.reduce_dims(Monoid::Sum, operand, summed_dims) };
        reduced.push((value, kept));
    }
    let (value, order) = match &reduced[..] {
        [(x, term)] => (*x, term.clone()),
        [(x, left), (y, right)] => dot(cx, (*x, left), (*y, right), &result)?,
        _ => return Err(LoweringError::Unsupported),
    };
    let perm: Option<Dims> = result.iter().map(|c| order.iter().position(|o| o == c)).collect();
    match perm {
        Some(perm) if perm.len() == order.len() => single(cx.b.transpose(value, perm)),
        _ => malformed(format!("has the invalid equation `{equation}`")),
    }
}

/// Builds the product of two operands, contracted over letters that both have and the output lacks. Also returns the
/// letters of its dimensions.
fn dot(
    cx: &mut Lowering<'_>,
    (x, left): (ValueId, &[char]),
    (y, right): (ValueId, &[char]),
    result: &[char],
) -> Result<(ValueId, Vec<char>), LoweringError> {
    let shared_letters = |kept: bool| -> Vec<char> {
        left.iter().copied().filter(|c| right.contains(c) && result.contains(c) == kept).collect()
    };
    let (batch, summed) = (shared_letters(true), shared_letters(false));
    let places = |of: &[char], letters: &[char]| -> Dims {
        letters.iter().filter_map(|c| of.iter().position(|d| d == c)).collect()
    };
    let pairs = |letters: &[char]| DimPairs { lhs: places(left, letters), rhs: places(right, letters) };
    let free = |of: &[char]| -> Vec<char> {
        of.iter().copied().filter(|c| !batch.contains(c) && !summed.contains(c)).collect()
    };
    let order = [batch.clone(), free(left), free(right)].concat();
    let value = cx.op("einsum", DotGeneral { contract: pairs(&summed), batch: pairs(&batch) }, &[x, y])?;
    Ok((value, order))
}

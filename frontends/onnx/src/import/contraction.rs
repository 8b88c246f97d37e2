//! Products of matrices.

use super::lowering::{Lowered, Lowering, Node, Refusal, malformed, one, unsupported};
use partita_ir::arena::ValueId;
use partita_ir::dtype::Shape;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, DotGeneral};
use partita_ir::syntax::attr::{Dims, Pairs};

/// A product of matrices as in numpy: leading dimensions broadcast, and a vector is a row on the left and a column on
/// the right.
pub fn matmul(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, y) = (at.arg(0)?, at.arg(1)?);
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
    let product = cx.b.product(x, y, dtype);
    let mut shape = cx.shape(product);
    let rank = shape.rank();
    if column {
        shape.0.remove(rank - 1);
    }
    if row {
        shape.0.remove(rank - 2);
    }
    one(super::movement::reshaped(cx, product, shape))
}

/// `alpha * x' y' + beta * c`, where a matrix may be read transposed.
pub fn gemm(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let (x, y) = (at.arg(0)?, at.arg(1)?);
    if cx.rank(x) != 2 || cx.rank(y) != 2 {
        return malformed(format!("multiplies {} by {}", cx.b.ty(x), cx.b.ty(y)));
    }
    let contract = Pairs {
        lhs: Dims::from_elem(usize::from(!at.flag("transA", false)), 1),
        rhs: Dims::from_elem(usize::from(at.flag("transB", false)), 1),
    };
    let mut out = cx.op("matmul", DotGeneral { contract, batch: Pairs::default() }, &[x, y])?;
    let (alpha, beta) = (at.float("alpha", 1.0), at.float("beta", 1.0));
    if alpha != 1.0 {
        out = cx.b.binary_scalar(BinaryOp::Mul, out, alpha);
    }
    if let Some(mut c) = at.optional(2).filter(|_| beta != 0.0) {
        if beta != 1.0 {
            c = cx.b.binary_scalar(BinaryOp::Mul, c, beta);
        }
        let shape = cx.shape(out);
        let c = cx.expand(c, &shape)?;
        out = cx.b.binary(BinaryOp::Add, out, c);
    }
    one(out)
}

/// Einstein's sum of one operand or two, each letter at most once an operand.
pub fn einsum(cx: &mut Lowering<'_>, at: &Node<'_>) -> Lowered {
    let equation: String = at.text("equation", "").chars().filter(|c| !c.is_whitespace()).collect();
    let operands = at.all()?;
    let inputs = equation.split("->").next().unwrap_or_default();
    let terms: Vec<Vec<char>> = inputs.split(',').map(|t| t.chars().collect()).collect();
    let letters_only = equation.chars().all(|c| c.is_ascii_alphabetic() || ",->".contains(c));
    let once = |term: &Vec<char>| term.iter().enumerate().all(|(i, c)| !term[..i].contains(c));
    if terms.len() != operands.len() || terms.iter().zip(&operands).any(|(t, &v)| t.len() != cx.rank(v)) {
        return malformed(format!("has the equation `{equation}` for other operands"));
    }
    if !letters_only || !terms.iter().all(once) || terms.len() > 2 {
        return unsupported(format!("the equation `{equation}`"));
    }
    let result: Vec<char> = match equation.split_once("->") {
        Some((_, result)) => result.chars().collect(),
        // What is not summed over is what occurs once, in the order of the alphabet.
        None => {
            let all: Vec<char> = terms.concat();
            let mut single: Vec<char> =
                all.iter().copied().filter(|c| all.iter().filter(|d| *d == c).count() == 1).collect();
            single.sort_unstable();
            single
        }
    };
    if !once(&result) || result.iter().any(|c| !terms.iter().any(|t| t.contains(c))) {
        return malformed(format!("has the equation `{equation}`"));
    }
    // A letter that only one operand has, and the result lacks, is summed over beforehand.
    let mut reduced: Vec<(ValueId, Vec<char>)> = Vec::new();
    for (i, (term, &operand)) in terms.iter().zip(&operands).enumerate() {
        let elsewhere = |c: &char| result.contains(c) || terms.iter().enumerate().any(|(j, t)| j != i && t.contains(c));
        let gone: Dims = (0..term.len()).filter(|&d| !elsewhere(&term[d])).collect();
        let kept = term.iter().copied().filter(|c| elsewhere(c)).collect();
        let value = if gone.is_empty() { operand } else { cx.b.reduce_dims(Monoid::Sum, operand, gone) };
        reduced.push((value, kept));
    }
    let (value, order) = match &reduced[..] {
        [(x, term)] => (*x, term.clone()),
        [(x, left), (y, right)] => dot(cx, (*x, left), (*y, right), &result)?,
        _ => return Err(Refusal::Unknown),
    };
    let perm: Option<Dims> = result.iter().map(|c| order.iter().position(|o| o == c)).collect();
    match perm {
        Some(perm) if perm.len() == order.len() => one(cx.b.transpose(value, perm)),
        _ => malformed(format!("has the equation `{equation}`")),
    }
}

/// The sum of products over letters that both have and the result lacks.
fn dot(
    cx: &mut Lowering<'_>,
    (x, left): (ValueId, &[char]),
    (y, right): (ValueId, &[char]),
    result: &[char],
) -> Result<(ValueId, Vec<char>), Refusal> {
    let both = |kept: bool| -> Vec<char> {
        left.iter().copied().filter(|c| right.contains(c) && result.contains(c) == kept).collect()
    };
    let (batch, summed) = (both(true), both(false));
    let places = |of: &[char], letters: &[char]| -> Dims {
        letters.iter().filter_map(|c| of.iter().position(|d| d == c)).collect()
    };
    let pairs = |letters: &[char]| Pairs { lhs: places(left, letters), rhs: places(right, letters) };
    let free = |of: &[char]| -> Vec<char> {
        of.iter().copied().filter(|c| !batch.contains(c) && !summed.contains(c)).collect()
    };
    let order = [batch.clone(), free(left), free(right)].concat();
    let value = cx.op("einsum", DotGeneral { contract: pairs(&summed), batch: pairs(&batch) }, &[x, y])?;
    Ok((value, order))
}

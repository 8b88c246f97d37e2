//! Lowering of einsums: the operands are contracted in pairs from left to right.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, malformed, single};
use partita_ir::arena::ValueId;
use partita_ir::dtype::Shape;
use partita_ir::layout::Monoid;
use partita_ir::ops::{DotGeneral, Slice};
use partita_ir::syntax::attr::{DimPairs, Dims};

/// An operand with a letter for each dimension, each letter once.
type Term = (ValueId, Vec<char>);

/// First of the characters that name the dimensions of an ellipsis, from the last one on.
const ELLIPSIS: u32 = 0xE000;

/// Lowers an einsum. A letter that occurs twice in an operand selects a diagonal. Errors: an invalid equation.
pub fn einsum(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let equation: String = node.text("equation", "").chars().filter(|c| !c.is_whitespace()).collect();
    let invalid =
        || LoweringError::Malformed(format!("has the equation `{equation}`, which does not match its operands"));
    let operands = node.all_args()?;
    let (inputs, output) = match equation.split_once("->") {
        Some((inputs, output)) => (inputs, Some(output)),
        None => (equation.as_str(), None),
    };
    let texts: Vec<&str> = inputs.split(',').collect();
    if texts.len() != operands.len() {
        return Err(invalid());
    }
    let ranks = operands.iter().map(|&operand| cx.rank(operand));
    let letters: Option<Vec<Vec<char>>> =
        texts.iter().zip(ranks).map(|(text, rank)| letters(text, Some(rank))).collect();
    let letters = letters.ok_or_else(invalid)?;
    let result = match output {
        Some(text) => {
            let dims = letters.iter().flatten().filter(|c| is_ellipsis(**c)).collect::<std::collections::BTreeSet<_>>();
            let count = text.replace("...", "").len() + if text.contains("...") { dims.len() } else { 0 };
            self::letters(text, Some(count)).ok_or_else(invalid)?
        }
        None => implicit_output(&letters),
    };
    let has_duplicates = result.iter().enumerate().any(|(i, c)| result[..i].contains(c));
    if has_duplicates || result.iter().any(|c| !letters.iter().flatten().any(|other| other == c)) {
        return Err(invalid());
    }
    let mut terms: Vec<Term> = Vec::new();
    for (&operand, letters) in operands.iter().zip(letters) {
        terms.push(diagonal(cx, operand, letters)?);
    }
    drop_broadcast_dims(cx, &mut terms);
    let mut rest = terms.into_iter();
    let Some(mut product) = rest.next() else { return Err(invalid()) };
    let mut rest: Vec<Term> = rest.collect();
    rest.reverse();
    while let Some(next) = rest.pop() {
        // Letters of later operands must remain.
        let kept: Vec<char> = rest.iter().flat_map(|term| &term.1).chain(&result).copied().collect();
        let elsewhere = |own: &Term| [&own.1[..], &kept].concat();
        let left = summed(cx, product, &elsewhere(&next));
        let right = summed(cx, next, &elsewhere(&left));
        product = dot(cx, left, right, &kept)?;
    }
    let (value, order) = summed(cx, product, &result);
    let perm: Option<Dims> = result.iter().map(|c| order.iter().position(|o| o == c)).collect();
    match perm {
        Some(perm) if perm.len() == order.len() => single(cx.b.transpose(value, perm)),
        _ => Err(invalid()),
    }
}

/// Returns true if a character names a dimension of an ellipsis.
fn is_ellipsis(c: char) -> bool {
    u32::from(c) >= ELLIPSIS
}

/// Returns the letters of a term for an operand of the given rank, with characters for the dimensions of an ellipsis.
fn letters(text: &str, rank: Option<usize>) -> Option<Vec<char>> {
    let (before, after) = match text.split_once("...") {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    };
    let named = before.len() + after.map_or(0, str::len);
    let hidden = rank?.checked_sub(named)?;
    if !before.chars().chain(after.unwrap_or("").chars()).all(|c| c.is_ascii_alphabetic())
        || (after.is_none() && hidden > 0)
    {
        return None;
    }
    let ellipsis = (0..hidden).rev().map(|i| char::from_u32(ELLIPSIS + i as u32).unwrap_or('?'));
    Some(before.chars().chain(ellipsis).chain(after.unwrap_or("").chars()).collect())
}

/// Returns the letters of the result of an equation without one: those of the ellipsis, then those that occur once, in
/// alphabetical order.
fn implicit_output(terms: &[Vec<char>]) -> Vec<char> {
    let all = terms.concat();
    let mut ellipsis: Vec<char> = all.iter().copied().filter(|&c| is_ellipsis(c)).collect();
    ellipsis.sort_unstable();
    ellipsis.dedup();
    ellipsis.reverse();
    let is_single = |c: &char| !is_ellipsis(*c) && all.iter().filter(|other| *other == c).count() == 1;
    let mut single: Vec<char> = all.iter().copied().filter(is_single).collect();
    single.sort_unstable();
    [ellipsis, single].concat()
}

/// Appends the diagonals that repeated letters select: a pair of dimensions `n n` is flattened, and elements with a
/// distance of `n + 1` are taken.
fn diagonal(cx: &mut Lowering<'_>, mut x: ValueId, mut letters: Vec<char>) -> Result<Term, LoweringError> {
    while let Some(second) = (0..letters.len()).find(|&i| letters[..i].contains(&letters[i])) {
        let Some(first) = letters.iter().position(|&c| c == letters[second]) else { break };
        let shape = cx.shape(x);
        let n = shape[first];
        if n != shape[second] {
            return malformed(format!("takes the diagonal of {shape}"));
        }
        let others: Vec<usize> = (0..letters.len()).filter(|&d| d != first && d != second).collect();
        let perm = others.iter().copied().chain([first, second]).collect();
        let moved = cx.b.transpose(x, perm);
        let rest: Shape = others.iter().map(|&d| shape[d]).collect();
        let flat: Shape = rest.iter().copied().chain([n * n]).collect();
        let flat = cx.b.reshape(moved, flat);
        let rank = rest.rank() + 1;
        let (start, mut stride) = (Dims::from_elem(0, rank), Dims::from_elem(1, rank));
        stride[rank - 1] = n + 1;
        let limit = rest.iter().copied().chain([n * n]).collect();
        x = cx.op("diagonal", Slice { start, limit, stride }, &[flat])?;
        let letter = letters[first];
        letters = others.iter().map(|&d| letters[d]).chain([letter]).collect();
    }
    Ok((x, letters))
}

/// Removes dimensions of size 1 that broadcast to a larger dimension of another operand.
fn drop_broadcast_dims(cx: &mut Lowering<'_>, terms: &mut [Term]) {
    let sizes: Vec<(char, usize)> =
        terms.iter().flat_map(|(x, letters)| letters.iter().copied().zip(cx.shape(*x).to_vec())).collect();
    for (x, letters) in terms {
        let shape = cx.shape(*x);
        let is_larger = |c: char| sizes.iter().any(|&(other, n)| other == c && n != 1);
        let kept: Vec<usize> = (0..letters.len()).filter(|&d| shape[d] != 1 || !is_larger(letters[d])).collect();
        if kept.len() < letters.len() {
            *x = cx.b.reshape(*x, kept.iter().map(|&d| shape[d]).collect::<Shape>());
            *letters = kept.iter().map(|&d| letters[d]).collect();
        }
    }
}

/// Sums an operand over all letters but `kept`.
fn summed(cx: &mut Lowering<'_>, (x, letters): Term, kept: &[char]) -> Term {
    let dims: Dims = (0..letters.len()).filter(|&d| !kept.contains(&letters[d])).collect();
    if dims.is_empty() {
        return (x, letters);
    }
    let rest = letters.into_iter().filter(|c| kept.contains(c)).collect();
    (cx.b.reduce_dims(Monoid::Sum, x, dims), rest)
}

/// Appends the product of two operands, contracted over letters that both have, except `kept`.
fn dot(cx: &mut Lowering<'_>, (x, left): Term, (y, right): Term, kept: &[char]) -> Result<Term, LoweringError> {
    let shared_letters = |is_kept: bool| -> Vec<char> {
        left.iter().copied().filter(|c| right.contains(c) && kept.contains(c) == is_kept).collect()
    };
    let (batch, contracted) = (shared_letters(true), shared_letters(false));
    let places = |of: &[char], letters: &[char]| -> Dims {
        letters.iter().filter_map(|c| of.iter().position(|d| d == c)).collect()
    };
    let pairs = |letters: &[char]| DimPairs { lhs: places(&left, letters), rhs: places(&right, letters) };
    let free = |of: &[char]| -> Vec<char> {
        of.iter().copied().filter(|c| !batch.contains(c) && !contracted.contains(c)).collect()
    };
    let order = [batch.clone(), free(&left), free(&right)].concat();
    let value = cx.op("einsum", DotGeneral { contract: pairs(&contracted), batch: pairs(&batch) }, &[x, y])?;
    Ok((value, order))
}

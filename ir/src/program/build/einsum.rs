//! Einsums: the operands are contracted in pairs from left to right.

use super::Builder;
use crate::arena::ValueId;
use crate::dtype::Shape;
use crate::layout::Monoid;
use crate::ops::{DotGeneral, Slice};
use crate::syntax::attr::{DimPairs, Dims};
use std::collections::BTreeSet;

/// An operand with a letter for each dimension, each letter once.
type Term = (ValueId, Vec<char>);

/// First of the characters that name the dimensions of an ellipsis, from the last one on.
const ELLIPSIS: u32 = 0xE000;

impl Builder<'_> {
    /// Appends an einsum, such as `bij,bjk->bik`. A letter that occurs twice in an operand selects a diagonal. Without
    /// `->`, the result has the dimensions of the ellipsis and the letters that occur once, in alphabetical order.
    ///
    /// # Errors
    /// The equation is invalid, or does not match the operands.
    pub fn checked_einsum(&mut self, equation: &str, operands: &[ValueId]) -> Result<ValueId, String> {
        let equation: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
        let invalid = || format!("has the equation `{equation}`, which does not match its operands");
        let (inputs, output) = match equation.split_once("->") {
            Some((inputs, output)) => (inputs, Some(output)),
            None => (equation.as_str(), None),
        };
        let texts: Vec<&str> = inputs.split(',').collect();
        if texts.len() != operands.len() {
            return Err(invalid());
        }
        let ranks = operands.iter().map(|&operand| self.program.ty(operand).shape.rank());
        let letters: Option<Vec<Vec<char>>> =
            texts.iter().zip(ranks).map(|(text, rank)| letters_of(text, rank)).collect();
        let letters = letters.ok_or_else(invalid)?;
        let result = match output {
            Some(text) => {
                let dims = letters.iter().flatten().filter(|c| is_ellipsis(**c)).collect::<BTreeSet<_>>();
                let count = text.replace("...", "").len() + if text.contains("...") { dims.len() } else { 0 };
                letters_of(text, count).ok_or_else(invalid)?
            }
            None => implicit_output(&letters),
        };
        let has_duplicates = result.iter().enumerate().any(|(i, c)| result[..i].contains(c));
        if has_duplicates || result.iter().any(|c| !letters.iter().flatten().any(|other| other == c)) {
            return Err(invalid());
        }
        let mut terms: Vec<Term> = Vec::new();
        for (&operand, letters) in operands.iter().zip(letters) {
            terms.push(self.diagonal(operand, letters)?);
        }
        self.drop_broadcast_dims(&mut terms);
        let mut rest = terms.into_iter();
        let Some(mut product) = rest.next() else { return Err(invalid()) };
        let mut rest: Vec<Term> = rest.collect();
        rest.reverse();
        while let Some(next) = rest.pop() {
            // Letters of later operands must remain.
            let kept: Vec<char> = rest.iter().flat_map(|term| &term.1).chain(&result).copied().collect();
            let elsewhere = |own: &Term| [&own.1[..], &kept].concat();
            let left = self.summed(product, &elsewhere(&next));
            let right = self.summed(next, &elsewhere(&left));
            product = self.dot(left, right, &kept)?;
        }
        let (value, order) = self.summed(product, &result);
        let perm: Option<Dims> = result.iter().map(|c| order.iter().position(|o| o == c)).collect();
        match perm {
            Some(perm) if perm.len() == order.len() => Ok(self.transpose(value, perm)),
            _ => Err(invalid()),
        }
    }

    /// Appends the diagonals that repeated letters select: a pair of dimensions `n n` is flattened, and elements with a
    /// distance of `n + 1` are taken.
    fn diagonal(&mut self, mut x: ValueId, mut letters: Vec<char>) -> Result<Term, String> {
        while let Some(second) = (0..letters.len()).find(|&i| letters[..i].contains(&letters[i])) {
            let Some(first) = letters.iter().position(|&c| c == letters[second]) else { break };
            let shape = self.ty(x).shape;
            let n = shape[first];
            if n != shape[second] {
                return Err(format!("takes the diagonal of {shape}"));
            }
            let others: Vec<usize> = (0..letters.len()).filter(|&d| d != first && d != second).collect();
            let perm = others.iter().copied().chain([first, second]).collect();
            let moved = self.transpose(x, perm);
            let rest: Shape = others.iter().map(|&d| shape[d]).collect();
            let flat: Shape = rest.iter().copied().chain([n * n]).collect();
            let flat = self.reshape(moved, flat);
            let rank = rest.rank() + 1;
            let (start, mut stride) = (Dims::from_elem(0, rank), Dims::from_elem(1, rank));
            stride[rank - 1] = n + 1;
            let limit = rest.iter().copied().chain([n * n]).collect();
            x = self.checked_op("diagonal", Slice { start, limit, stride }, &[flat])?;
            let letter = letters[first];
            letters = others.iter().map(|&d| letters[d]).chain([letter]).collect();
        }
        Ok((x, letters))
    }

    /// Removes dimensions of size 1 that broadcast to a larger dimension of another operand.
    fn drop_broadcast_dims(&mut self, terms: &mut [Term]) {
        let sizes: Vec<(char, usize)> =
            terms.iter().flat_map(|(x, letters)| letters.iter().copied().zip(self.ty(*x).shape.to_vec())).collect();
        for (x, letters) in terms {
            let shape = self.ty(*x).shape;
            let is_larger = |c: char| sizes.iter().any(|&(other, n)| other == c && n != 1);
            let kept: Vec<usize> = (0..letters.len()).filter(|&d| shape[d] != 1 || !is_larger(letters[d])).collect();
            if kept.len() < letters.len() {
                *x = self.reshape(*x, kept.iter().map(|&d| shape[d]).collect::<Shape>());
                *letters = kept.iter().map(|&d| letters[d]).collect();
            }
        }
    }

    /// Sums an operand over all letters but `kept`.
    fn summed(&mut self, (x, letters): Term, kept: &[char]) -> Term {
        let dims: Dims = (0..letters.len()).filter(|&d| !kept.contains(&letters[d])).collect();
        if dims.is_empty() {
            return (x, letters);
        }
        let rest = letters.into_iter().filter(|c| kept.contains(c)).collect();
        (self.reduce_dims(Monoid::Sum, x, dims), rest)
    }

    /// Appends the product of two operands, contracted over letters that both have, except `kept`.
    fn dot(&mut self, (x, left): Term, (y, right): Term, kept: &[char]) -> Result<Term, String> {
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
        let value =
            self.checked_op("einsum", DotGeneral { contract: pairs(&contracted), batch: pairs(&batch) }, &[x, y])?;
        Ok((value, order))
    }
}

/// Returns true if a character names a dimension of an ellipsis.
fn is_ellipsis(c: char) -> bool {
    u32::from(c) >= ELLIPSIS
}

/// Returns the letters of a term for an operand of the given rank, with characters for the dimensions of an ellipsis.
fn letters_of(text: &str, rank: usize) -> Option<Vec<char>> {
    let (before, after) = match text.split_once("...") {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    };
    let named = before.len() + after.map_or(0, str::len);
    let hidden = rank.checked_sub(named)?;
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

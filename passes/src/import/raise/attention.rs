//! Attention: `softmax(scale * q k^T) v`, perhaps with hidden scores, by products whose dimensions are in any order.
//!
//! The operands are transposed to the order of dimensions that attention wants, and its result back. Either product
//! sums over one dimension, and either operand has one that the other does not: heads that share keys stay as they are,
//! and so does what has another element type in between.
//!
//! Recogniser: products that are attention in another spelling stay products.

use super::composites::{Composite, arrange};
use super::pattern::{Along, Match, Term};
use super::seen::{Hidden, Seen, Square};
use super::softmax;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Attention, BinaryOp, DotGeneral, Select, UnaryOp, causal_mask};
use partita_ir::program::Op;
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// A product of weights and values, which may be on either side.
pub fn attention(m: &mut Match<'_>) -> Option<Composite> {
    let root = m.root(0);
    let (id, op) = m.given_by(root.value)?;
    [1, 0].into_iter().find_map(|side| {
        m.attempt(|m| {
            m.seen.push(id);
            attended(m, op, side)
        })
    })
}

/// A product whose operand on that side is weights. Terms run along the dimensions of the weights; the features of keys
/// and of values have numbers of their own, and so has the row if the weights do not have one because it is the only
/// one.
fn attended(m: &mut Match<'_>, op: &Op, side: usize) -> Option<Composite> {
    let OpKind::DotGeneral(dot) = &op.kind else { return None };
    let weights = m.over(op.args[side]);
    let rank = weights.along.len();
    let [key_feature, value_feature, only_row] = [rank, rank + 1, rank + 2];
    let shape = &m.ty(weights.value).shape;
    let (scores, column, or_zero) = softmax::weights(m, weights)?;

    // The values, and what the result runs along.
    let of_weights = Side::of(dot, side, rank);
    let of_values = Side::of(dot, 1 - side, m.ty(op.args[1 - side]).shape.rank());
    if of_weights.summed[..] != [column] || of_values.free.len() != 1 {
        return None;
    }
    let mut result: Along = of_weights.batch.iter().chain(&of_weights.free).copied().map(Some).collect();
    let behind = if side == 0 { result.len() } else { of_weights.batch.len() };
    result.insert(behind, Some(value_feature));
    let v = operands(m, op, &result, column)?[1 - side].clone();

    // The queries and the keys.
    let Scores { product, along, mut scale, hidden } = Scores::of(m, scores)?;
    let [left, right] = operands(m, product, &along, key_feature)?;
    let [batch @ .., last, end] = &along[..] else { return None };
    let (row, q, k) = match (*last, *end) {
        (row, Some(c)) if c == column => (row, left, right),
        (Some(c), row) if c == column => (row, right, left),
        _ => return None,
    };
    let [q, k] = [q, k].map(|factor| match m.attempt(|m| m.scaled_once(&factor)) {
        Some((x, by)) => {
            scale *= by;
            x
        }
        None => factor,
    });

    // Either operand has one dimension that the other does not, and both products share the same ones, but for
    // dimensions of one element.
    let single = [&q, &k].iter().all(|x| m.ty(x.value).shape.rank() == along.len());
    let batch: Dims = batch.iter().copied().flatten().collect();
    let shared = batch.iter().all(|d| of_weights.batch.contains(d)) && row.is_none_or(|d| of_weights.free.contains(&d));
    let lost = |d: usize| d != column && Some(d) != row && !batch.contains(&d) && shape[d] != 1;
    let dtype = m.ty(op.outs[0]).dtype;
    let values = [q.value, k.value, v.value, product.outs[0]];
    let uniform = dtype.is_float() && values.iter().all(|&x| m.ty(x).dtype == dtype);
    if !single || !shared || (0..rank).any(lost) || !uniform || !scale.is_finite() {
        return None;
    }

    let rows = row.map_or(1, |d| shape[d]);
    let square = Square { row, column, wider: shape[column] as i64 - rows as i64 };
    let Seen { causal, mask } = Seen::of(m, hidden, &square)?;
    // Rows that see nothing are zeros in an attention and NaN in a softmax.
    let blind = !or_zero && (mask.is_some() || causal && square.wider < 0);
    if blind && (mask.is_none() || shape[column] == 0) {
        return None;
    }
    let order = Order { batch, row: row.unwrap_or(only_row), column };
    if mask.iter().any(|(mask, _)| !order.spans(m, mask)) {
        return None;
    }
    let reads: Vec<ValueId> =
        [&q, &k, &v].into_iter().chain(mask.iter().map(|(mask, _)| mask)).map(|x| x.value).collect();
    Some(Composite::several(reads, move |b| {
        let q = arrange(b, &q, &order.of_rows(key_feature));
        let k = arrange(b, &k, &order.of_columns(key_feature));
        let v = arrange(b, &v, &order.of_columns(value_feature));
        let mask = mask.map(|(mask, seen_if)| {
            let mask = arrange(b, &mask, &order.of_mask(&mask));
            if seen_if { mask } else { b.unary(UnaryOp::Not, mask) }
        });
        let args: Vec<ValueId> = [q, k, v].into_iter().chain(mask).collect();
        let (q, v) = (b.ty(q), b.ty(v));
        let outer = q.shape.iter().take(q.shape.rank() - 1);
        let ty = Type { shape: outer.chain(v.shape.last()).copied().collect(), dtype };
        let mut value = b.op("attention", Attention { causal, scale }, &args, ty);
        if let (true, &[_, k, _, mask]) = (blind, &args[..]) {
            value = number_if_seen(b, value, mask, causal.then_some(b.ty(k).shape));
        }
        arrange(b, &Term { value, along: order.of_rows(value_feature) }, &result);
    }))
}

/// An attention with NaN in the rows that see nothing. Of a causal one, `keys` are the shape of the keys.
fn number_if_seen(b: &mut Builder<'_>, attention: ValueId, mut mask: ValueId, keys: Option<Shape>) -> ValueId {
    let ty = b.ty(attention);
    let rank = ty.shape.rank();
    if let Some(keys) = keys {
        let square = Shape::from([ty.shape[rank - 2], keys[rank - 2]]);
        let outer = b.ty(mask).shape;
        let outer = outer[..outer.rank().saturating_sub(2)].iter().copied();
        let shape: Shape = outer.chain(square.iter().copied()).collect();
        let dims: Vec<usize> = (shape.rank() - b.ty(mask).shape.rank()..shape.rank()).collect();
        let before = causal_mask(b, &square);
        let before = b.broadcast(before, &[shape.rank() - 2, shape.rank() - 1], shape.clone());
        mask = b.broadcast(mask, &dims, shape);
        mask = b.binary(BinaryOp::And, mask, before);
    }
    let seen = match b.ty(mask).shape.rank().checked_sub(1) {
        Some(column) => b.reduce(Monoid::Or, mask, column),
        None => mask,
    };
    let dims: Vec<usize> = (rank - 1 - b.ty(seen).shape.rank()..rank - 1).collect();
    let seen = b.broadcast(seen, &dims, ty.shape.clone());
    let nan = b.splat(ty.clone(), Scalar::Float(f64::NAN));
    b.op("attention", Select {}, &[seen, attention, nan], ty)
}

/// The order of dimensions that attention wants.
struct Order {
    batch: Dims,
    row: usize,
    column: usize,
}

impl Order {
    /// What has rows, and one more dimension.
    fn of_rows(&self, last: usize) -> Along {
        self.batch.iter().copied().chain([self.row, last]).map(Some).collect()
    }

    /// What has columns, and one more dimension.
    fn of_columns(&self, last: usize) -> Along {
        self.batch.iter().copied().chain([self.column, last]).map(Some).collect()
    }

    /// A mask. Leading dimensions along which it is repeated are left out.
    fn of_mask(&self, mask: &Term) -> Along {
        let all = self.of_rows(self.column).into_iter();
        all.map(|d| d.filter(|_| mask.along.contains(&d))).skip_while(Option::is_none).collect()
    }

    /// Whether a mask runs along no other dimensions, but for such of one element.
    fn spans(&self, m: &Match<'_>, mask: &Term) -> bool {
        let all = self.of_rows(self.column);
        mask.along.iter().zip(m.ty(mask.value).shape.iter()).all(|(d, &n)| all.contains(d) || n == 1)
    }
}

/// The dimensions of one operand of a product.
struct Side {
    batch: Dims,
    summed: Dims,
    free: Dims,
}

impl Side {
    fn of(dot: &DotGeneral, side: usize, rank: usize) -> Side {
        let (batch, summed) = match side {
            0 => (&dot.batch.lhs, &dot.contract.lhs),
            _ => (&dot.batch.rhs, &dot.contract.rhs),
        };
        let free = (0..rank).filter(|d| !batch.contains(d) && !summed.contains(d)).collect();
        Side { batch: batch.clone(), summed: summed.clone(), free }
    }
}

/// The operands of a product over one dimension, which is to have that number, when the result runs along that.
fn operands(m: &Match<'_>, op: &Op, result: &Along, summed: usize) -> Option<[Term; 2]> {
    let OpKind::DotGeneral(dot) = &op.kind else { return None };
    let (batch, mut free) = result.split_at_checked(dot.batch.lhs.len())?;
    let mut operand = |side: usize| {
        let value = op.args[side];
        let dims = Side::of(dot, side, m.ty(value).shape.rank());
        let (own, rest) = free.split_at_checked(dims.free.len())?;
        free = rest;
        let mut along: Along = [Some(summed)].into_iter().cycle().take(m.ty(value).shape.rank()).collect();
        dims.batch.iter().zip(batch).chain(dims.free.iter().zip(own)).for_each(|(&d, a)| along[d] = *a);
        (dims.summed.len() == 1).then_some(Term { value, along })
    };
    Some([operand(0)?, operand(1)?])
}

/// Scores of queries and keys, and what was done to them before the softmax.
struct Scores<'a> {
    product: &'a Op,
    along: Along,
    scale: f64,
    hidden: Vec<Hidden>,
}

impl<'a> Scores<'a> {
    fn of(m: &mut Match<'a>, mut term: Term) -> Option<Scores<'a>> {
        let (mut scale, mut hidden) = (1.0, Vec::new());
        loop {
            term = m.core(term);
            let (id, op) = m.given_by(term.value)?;
            match &op.kind {
                OpKind::DotGeneral(_) => {
                    m.seen.push(id);
                    return Some(Scores { product: op, along: term.along, scale, hidden });
                }
                OpKind::Select(_) => {
                    let (condition, seen_if, low);
                    (term, condition, seen_if, low) = chosen(m, term)?;
                    hidden.push(Hidden { condition, seen_if, low: low * scale });
                }
                OpKind::Binary(b) if b.op == BinaryOp::Add => {
                    let (x, y) = m.binary(term, BinaryOp::Add)?;
                    let bias = |m: &mut Match<'a>, bias: &Term| m.aside(|m| chosen(m, bias.clone()));
                    let (rest, (zero, condition, seen_if, low)) = match bias(m, &y) {
                        Some(found) => (x, found),
                        None => (y, bias(m, &x)?),
                    };
                    (m.number(&zero) == Some(0.0)).then_some(())?;
                    hidden.push(Hidden { condition, seen_if, low: low * scale });
                    term = rest;
                }
                _ => {
                    let by;
                    (term, by) = m.scaled(term)?;
                    // What comes before is hidden by what is low now, so that the sign must stay.
                    scale *= Some(by).filter(|by| *by > 0.0 && by.is_finite())?;
                }
            }
        }
    }
}

/// Of a choice between something and a number: the former, the condition, what the condition is there, and the number.
fn chosen(m: &mut Match<'_>, term: Term) -> Option<(Term, Term, bool, f64)> {
    let [condition, yes, no] = m.select(term)?;
    let number = |x: &Term| m.number(x).filter(|x| *x < 0.0);
    match (number(&yes), number(&no)) {
        (_, Some(low)) => Some((yes, condition, true, low)),
        (Some(low), None) => Some((no, condition, false, low)),
        (None, None) => None,
    }
}

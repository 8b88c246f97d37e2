//! Attention `softmax(scale * q k^T) v`, optionally masked, as products with dimensions in any order.
//!
//! The operands are transposed to the order of dimensions of the attention op, and the result is transposed back. Each
//! product must contract one dimension, and each operand must have exactly one dimension that the other does not have.
//! Keys shared among heads (grouped-query attention) and intermediate values of another dtype are not raised. Factors
//! whose product would be rounded as the scale of the attention remain factors of the queries or keys.
//!
//! Recogniser: attention in another form stays decomposed.

use super::composites::{Composite, arrange};
use super::mask::{AppliedMask, ScoreDims, ScoreMask};
use super::pattern::{Match, OperandDims, Term};
use super::softmax;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Attention, BinaryOp, DotGeneral, Select, UnaryOp, causal_mask};
use partita_ir::program::Op;
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Matches a product of weights and values, in either operand order.
pub fn attention(m: &mut Match<'_>) -> Option<Composite> {
    let root = m.root(0);
    let (id, op) = m.definition(root.value)?;
    [1, 0].into_iter().find_map(|side| {
        m.attempt(|m| {
            m.consumed.push(id);
            match_weighted_values(m, op, side)
        })
    })
}

/// Matches a product whose operand `side` is the attention weights. Terms use the dimension numbers of the weights.
/// Further numbers denote the features of keys, the features of values, and the row if the weights have no row
/// dimension.
fn match_weighted_values(m: &mut Match<'_>, op: &Op, side: usize) -> Option<Composite> {
    let OpKind::DotGeneral(dot) = &op.kind else { return None };
    let weights = m.rebase(op.args[side]);
    let rank = weights.along.len();
    let [key_feature, value_feature, only_row] = [rank, rank + 1, rank + 2];
    let shape = &m.ty(weights.value).shape;
    let (scores, column, or_zero) = softmax::weights(m, weights)?;

    // Values, and the dimensions of the result.
    let of_weights = ProductDims::new(dot, side, rank);
    let of_values = ProductDims::new(dot, 1 - side, m.ty(op.args[1 - side]).shape.rank());
    if of_weights.summed[..] != [column] || of_values.free.len() != 1 {
        return None;
    }
    let mut result: OperandDims = of_weights.batch.iter().chain(&of_weights.free).copied().map(Some).collect();
    let feature_position = if side == 0 { result.len() } else { of_weights.batch.len() };
    result.insert(feature_position, Some(value_feature));
    let v = operands(m, op, &result, column)?[1 - side].clone();

    // Queries and keys.
    let Scores { product, along, mut scale, factors, masks } = Scores::find(m, scores)?;
    let [left, right] = operands(m, product, &along, key_feature)?;
    let [batch @ .., last, end] = &along[..] else { return None };
    let (row, q, k) = match (*last, *end) {
        (row, Some(c)) if c == column => (row, left, right),
        (Some(c), row) if c == column => (row, right, left),
        _ => return None,
    };
    let dtype = m.ty(op.outs[0]).dtype;
    let [q, k] = [q, k].map(|factor| {
        let scaled = m.attempt(|m| m.scaled_once(&factor).filter(|(_, by)| is_exact(scale * by, dtype)));
        let Some((x, by)) = scaled else { return factor };
        scale *= by;
        x
    });

    // Each operand has exactly one dimension that the other does not have, and both products have the same batch
    // dimensions, except for dimensions of size 1.
    let single = [&q, &k].iter().all(|x| m.ty(x.value).shape.rank() == along.len());
    let batch: Dims = batch.iter().copied().flatten().collect();
    let shared = batch.iter().all(|d| of_weights.batch.contains(d)) && row.is_none_or(|d| of_weights.free.contains(&d));
    let lost = |d: usize| d != column && Some(d) != row && !batch.contains(&d) && shape[d] != 1;
    let values = [q.value, k.value, v.value, product.outs[0]];
    let uniform = dtype.is_float() && values.iter().all(|&x| m.ty(x).dtype == dtype);
    if !single || !shared || (0..rank).any(lost) || !uniform || !scale.is_finite() {
        return None;
    }

    let rows = row.map_or(1, |d| shape[d]);
    let square = ScoreDims { row, column, extra_columns: shape[column] as i64 - rows as i64 };
    let ScoreMask { causal, mask } = ScoreMask::combine(m, masks, &square)?;
    // A fully masked row is zero in an attention and NaN in a softmax.
    let has_nan_rows = !or_zero && (mask.is_some() || causal && square.extra_columns < 0);
    if has_nan_rows && (mask.is_none() || shape[column] == 0) {
        return None;
    }
    let order = DimOrder { batch, row: row.unwrap_or(only_row), column };
    if mask.iter().any(|(mask, _)| !order.spans(m, mask)) {
        return None;
    }
    let reads: Vec<ValueId> =
        [&q, &k, &v].into_iter().chain(mask.iter().map(|(mask, _)| mask)).map(|x| x.value).collect();
    Some(Composite::several(reads, move |b| {
        let q = arrange(b, &q, &order.row_dims(key_feature));
        let q = factors.into_iter().fold(q, |q, (op, number)| b.binary_scalar(op, q, number));
        let k = arrange(b, &k, &order.column_dims(key_feature));
        let v = arrange(b, &v, &order.column_dims(value_feature));
        let mask = mask.map(|(mask, unmasked_if)| {
            let mask = arrange(b, &mask, &order.mask_dims(&mask));
            if unmasked_if { mask } else { b.unary(UnaryOp::Not, mask) }
        });
        let args: Vec<ValueId> = [q, k, v].into_iter().chain(mask).collect();
        let (q, v) = (b.ty(q), b.ty(v));
        let outer = q.shape.iter().take(q.shape.rank() - 1);
        let ty = Type { shape: outer.chain(v.shape.last()).copied().collect(), dtype };
        let mut value = b.op("attention", Attention::new(causal, scale), &args, ty);
        if let (true, &[_, k, _, mask]) = (has_nan_rows, &args[..]) {
            value = nan_in_masked_rows(b, value, mask, causal.then_some(b.ty(k).shape));
        }
        arrange(b, &Term { value, along: order.row_dims(value_feature) }, &result);
    }))
}

/// Replaces fully masked rows of an attention by NaN. `keys` is the shape of the keys if the attention is causal.
fn nan_in_masked_rows(b: &mut Builder<'_>, attention: ValueId, mut mask: ValueId, keys: Option<Shape>) -> ValueId {
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

/// Dimension numbers in the order that the attention op requires.
struct DimOrder {
    batch: Dims,
    row: usize,
    column: usize,
}

impl DimOrder {
    /// Returns the dimensions of a value with rows and one more dimension.
    fn row_dims(&self, last: usize) -> OperandDims {
        self.batch.iter().copied().chain([self.row, last]).map(Some).collect()
    }

    /// Returns the dimensions of a value with columns and one more dimension.
    fn column_dims(&self, last: usize) -> OperandDims {
        self.batch.iter().copied().chain([self.column, last]).map(Some).collect()
    }

    /// Returns the dimensions of a mask, without the leading ones along which it is broadcast.
    fn mask_dims(&self, mask: &Term) -> OperandDims {
        let all = self.row_dims(self.column).into_iter();
        all.map(|d| d.filter(|_| mask.along.contains(&d))).skip_while(Option::is_none).collect()
    }

    /// Returns true if all dimensions of a mask, except those of size 1, are batch, row or column dimensions.
    fn spans(&self, m: &Match<'_>, mask: &Term) -> bool {
        let all = self.row_dims(self.column);
        mask.along.iter().zip(m.ty(mask.value).shape.iter()).all(|(d, &n)| all.contains(d) || n == 1)
    }
}

/// Dimension numbers of one operand of a product.
struct ProductDims {
    batch: Dims,
    summed: Dims,
    free: Dims,
}

impl ProductDims {
    fn new(dot: &DotGeneral, side: usize, rank: usize) -> ProductDims {
        let (batch, summed) = match side {
            0 => (&dot.batch.lhs, &dot.contract.lhs),
            _ => (&dot.batch.rhs, &dot.contract.rhs),
        };
        let free = (0..rank).filter(|d| !batch.contains(d) && !summed.contains(d)).collect();
        ProductDims { batch: batch.clone(), summed: summed.clone(), free }
    }
}

/// Returns the operands of a product that contracts one dimension, numbered `summed`, if the result has the dimensions
/// `result`.
fn operands(m: &Match<'_>, op: &Op, result: &OperandDims, summed: usize) -> Option<[Term; 2]> {
    let OpKind::DotGeneral(dot) = &op.kind else { return None };
    let (batch, mut free) = result.split_at_checked(dot.batch.lhs.len())?;
    let mut operand = |side: usize| {
        let value = op.args[side];
        let dims = ProductDims::new(dot, side, m.ty(value).shape.rank());
        let (own, rest) = free.split_at_checked(dims.free.len())?;
        free = rest;
        let mut along: OperandDims = [Some(summed)].into_iter().cycle().take(m.ty(value).shape.rank()).collect();
        dims.batch.iter().zip(batch).chain(dims.free.iter().zip(own)).for_each(|(&d, a)| along[d] = *a);
        (dims.summed.len() == 1).then_some(Term { value, along })
    };
    Some([operand(0)?, operand(1)?])
}

/// Product of queries and keys, with the scale and the masks applied before the softmax.
struct Scores<'a> {
    product: &'a Op,
    along: OperandDims,
    scale: f64,
    /// Numbers by which the scores are multiplied or divided in addition: the product with `scale` would be rounded.
    factors: Vec<(BinaryOp, f64)>,
    masks: Vec<AppliedMask>,
}

/// Returns true if the scale of an attention of the given element type is not rounded where the attention is computed.
fn is_exact(scale: f64, dtype: DType) -> bool {
    dtype == DType::F64 || f64::from(scale as f32) == scale
}

impl<'a> Scores<'a> {
    fn find(m: &mut Match<'a>, mut term: Term) -> Option<Scores<'a>> {
        let (mut scale, mut factors, mut masks) = (1.0, Vec::new(), Vec::new());
        // Product of all factors.
        let mut total = 1.0;
        loop {
            term = m.strip_movement(term);
            let (id, op) = m.definition(term.value)?;
            match &op.kind {
                OpKind::DotGeneral(_) => {
                    m.consumed.push(id);
                    return Some(Scores { product: op, along: term.along, scale, factors, masks });
                }
                OpKind::Select(_) => {
                    let (condition, unmasked_if, low);
                    (term, condition, unmasked_if, low) = masked_by_select(m, term)?;
                    masks.push(AppliedMask { condition, unmasked_if, masked_value: low * total });
                }
                OpKind::Binary(b) if b.op == BinaryOp::Add => {
                    let (x, y) = m.binary(term, BinaryOp::Add)?;
                    let bias =
                        |m: &mut Match<'a>, bias: &Term| m.without_consuming(|m| masked_by_select(m, bias.clone()));
                    let (rest, (zero, condition, unmasked_if, low)) = match bias(m, &y) {
                        Some(found) => (x, found),
                        None => (y, bias(m, &x)?),
                    };
                    (m.number(&zero) == Some(0.0)).then_some(())?;
                    masks.push(AppliedMask { condition, unmasked_if, masked_value: low * total });
                    term = rest;
                }
                _ => {
                    let (op, number);
                    let dtype = m.ty(term.value).dtype;
                    (term, op, number) = m.scaled_by(term)?;
                    let by = if op == BinaryOp::Div { number.recip() } else { number };
                    // Masks found so far apply after this factor, so its sign must be positive.
                    total *= Some(by).filter(|by| *by > 0.0 && by.is_finite())?;
                    match is_exact(scale * by, dtype) {
                        true => scale *= by,
                        false => factors.push((op, number)),
                    }
                }
            }
        }
    }
}

/// Matches a select between a term and a negative number. Returns the term, the condition, the condition's value for
/// the term, and the number.
fn masked_by_select(m: &mut Match<'_>, term: Term) -> Option<(Term, Term, bool, f64)> {
    let [condition, yes, no] = m.select(term)?;
    let number = |x: &Term| m.number(x).filter(|x| *x < 0.0);
    match (number(&yes), number(&no)) {
        (_, Some(low)) => Some((yes, condition, true, low)),
        (Some(low), None) => Some((no, condition, false, low)),
        (None, None) => None,
    }
}

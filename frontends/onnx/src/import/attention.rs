//! Lowering of attention: `Attention` of ONNX, `MultiHeadAttention` and `GroupQueryAttention` of ONNX Runtime.
//!
//! Each reads its operands into [`Heads`]. Without an additive mask, a soft cap and access to the scores, attention is
//! one op, which can be sharded along the sequence; otherwise it is lowered to its steps.

use super::elementwise::converted;
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, Out, Outs, malformed, size, unsupported};
use super::packed_attention::padding;
use super::rotary::{Caches, positions_from, rotate};
use crate::tensors::dtype_of;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{Attention, BinaryOp, Direction, Pad, Softmax, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Queries, keys and values `[batch, heads, sequence, size]`, and the options of attention.
pub(super) struct Heads {
    pub query: ValueId,
    pub key: ValueId,
    pub value: ValueId,
    pub scale: f64,
    pub softcap: f64,
    /// Positions that a query attends to; broadcasts to the scores.
    pub allowed: Option<ValueId>,
    /// Addend of the scores.
    pub bias: Option<ValueId>,
    /// Additional score of each head, `[heads]`, which takes part in the softmax but has no value.
    pub sink: Option<ValueId>,
    /// Element type of the softmax.
    pub precision: Option<DType>,
    /// The scores that are a result.
    pub scores: Option<Scores>,
}

/// Stage of the computation of the scores.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Scores {
    Product,
    Capped,
    Biased,
    Probabilities,
}

impl Heads {
    /// Appends the attention. Returns the result and the scores, if they are wanted.
    pub(super) fn lower(self, cx: &mut Lowering<'_>) -> Result<(ValueId, Option<ValueId>), LoweringError> {
        let query_heads = cx.shape(self.query)[1];
        let key = cx.b.repeat_heads(self.key, query_heads)?;
        let value = cx.b.repeat_heads(self.value, query_heads)?;
        if self.bias.is_none() && self.softcap == 0.0 && self.scores.is_none() && self.sink.is_none() {
            let args: Vec<ValueId> = [self.query, key, value].into_iter().chain(self.allowed).collect();
            return Ok((cx.op("attention", Attention::new(false, self.scale), &args)?, None));
        }
        let dtype = cx.dtype(self.query);
        let keys_last = cx.b.swap_dims(key, 2, 3);
        let product = cx.matmul(self.query, keys_last)?;
        let product = cx.b.binary_scalar(BinaryOp::Mul, product, self.scale);
        let mut capped = product;
        if self.softcap > 0.0 {
            let small = cx.b.binary_scalar(BinaryOp::Div, product, self.softcap);
            let small = cx.b.unary(UnaryOp::Tanh, small);
            capped = cx.b.binary_scalar(BinaryOp::Mul, small, self.softcap);
        }
        let mut biased = match self.bias {
            Some(bias) => cx.add(capped, bias)?,
            None => capped,
        };
        if let Some(allowed) = self.allowed {
            biased = cx.select_or(allowed, biased, Scalar::Float(f64::NEG_INFINITY))?;
        }
        let keys = cx.shape(biased)[3];
        let mut wide = converted(cx, biased, self.precision.unwrap_or(dtype));
        if let Some(sink) = self.sink {
            let column = Shape::from([cx.shape(wide)[0], query_heads, cx.shape(wide)[2], 1]);
            let sink = converted(cx, sink, cx.dtype(wide));
            let sink = cx.b.broadcast(sink, &[1], column);
            wide = cx.b.concatenate(&[wide, sink], 3);
        }
        // With a sink, the largest score is finite.
        let has_mask = self.sink.is_none() && (self.allowed.is_some() || self.bias.is_some());
        let probabilities =
            if has_mask { cx.b.masked_softmax(wide) } else { cx.op("softmax", Softmax { dim: 3 }, &[wide])? };
        let probabilities = if self.sink.is_some() { cx.b.slice_dim(probabilities, 3, 0, keys) } else { probabilities };
        let probabilities = converted(cx, probabilities, dtype);
        let out = cx.matmul(probabilities, value)?;
        let scores = self.scores.map(|scores| match scores {
            Scores::Product => product,
            Scores::Capped => capped,
            Scores::Biased => biased,
            Scores::Probabilities => probabilities,
        });
        Ok((out, scores))
    }
}

/// Converts `[batch, sequence, heads size]` to `[batch, heads, sequence, size]`.
pub(super) fn split_heads(cx: &mut Lowering<'_>, x: ValueId, heads: usize) -> Result<ValueId, LoweringError> {
    let split = split_hidden(cx, x, heads)?;
    Ok(cx.b.swap_dims(split, 1, 2))
}

/// Converts `[batch, sequence, heads size]` to `[batch, sequence, heads, size]`.
fn split_hidden(cx: &mut Lowering<'_>, x: ValueId, heads: usize) -> Result<ValueId, LoweringError> {
    let shape = cx.shape(x);
    match shape[..] {
        [batch, sequence, hidden] if hidden.checked_rem(heads) == Some(0) => {
            Ok(cx.b.reshape(x, [batch, sequence, heads, hidden / heads]))
        }
        _ => malformed(format!("divides {shape} into {heads} heads")),
    }
}

/// Converts `[batch, heads, sequence, size]` to `[batch, sequence, heads size]`.
pub(super) fn join_heads(cx: &mut Lowering<'_>, x: ValueId) -> ValueId {
    let shape = cx.shape(x);
    let x = cx.b.swap_dims(x, 1, 2);
    cx.b.reshape(x, [shape[0], shape[2], shape[1].saturating_mul(shape[3])])
}

/// Positions of queries relative to keys, for causal masks and windows.
pub(super) struct Frontier {
    /// Position of the first query: for all batches, or a vector for each batch.
    pub offset: Offset,
    /// Positions from this distance before the query on are allowed.
    pub left: Option<i64>,
    /// Positions up to this distance after the query are allowed; 0 for a causal mask.
    pub right: Option<i64>,
}

/// Position of the first query.
#[derive(Clone, Copy)]
pub(super) enum Offset {
    Same(i64),
    PerBatch(ValueId),
}

impl Frontier {
    /// Appends the mask `[queries, keys]` or `[batch, 1, queries, keys]`; `None` if all positions are allowed.
    pub(super) fn mask(
        &self,
        cx: &mut Lowering<'_>,
        queries: usize,
        keys: usize,
    ) -> Result<Option<ValueId>, LoweringError> {
        if self.left.is_none() && self.right.is_none() {
            return Ok(None);
        }
        let row = cx.b.iota(DType::I64, [queries, keys], 0);
        let column = cx.b.iota(DType::I64, [queries, keys], 1);
        let position = match self.offset {
            Offset::Same(0) => row,
            Offset::Same(offset) => cx.b.binary_scalar(BinaryOp::Add, row, offset as f64),
            Offset::PerBatch(offset) => {
                let batch = cx.shape(offset)[0];
                let offset = cx.b.convert(offset, DType::I64);
                let offset = cx.b.reshape(offset, [batch, 1, 1, 1]);
                cx.add(row, offset)?
            }
        };
        let mut bound = |distance: i64, direction| -> Result<ValueId, LoweringError> {
            let end = match distance {
                0 => position,
                n => cx.b.binary_scalar(BinaryOp::Add, position, n as f64),
            };
            cx.compare(column, direction, end)
        };
        let right = self.right.map(|n| bound(n, Direction::Le)).transpose()?;
        let left = self.left.map(|n| bound(-n, Direction::Ge)).transpose()?;
        cx.and(right, left)
    }
}

/// Appends the mask of the first `count` keys of each batch, `[batch, 1, 1, keys]`.
fn valid_keys(cx: &mut Lowering<'_>, count: ValueId, keys: usize) -> Result<ValueId, LoweringError> {
    let batch = cx.shape(count)[0];
    let count = cx.b.convert(count, DType::I64);
    let count = cx.b.reshape(count, [batch, 1, 1, 1]);
    let column = cx.b.iota(DType::I64, [batch, 1, 1, keys], 3);
    cx.compare(column, Direction::Lt, count)
}

/// Lowers `Attention` of ONNX.
pub fn attention(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let mut operands = [node.arg(0)?, node.arg(1)?, node.arg(2)?];
    let joined = cx.rank(operands[0]) == 3;
    if joined {
        let heads = |name| size(node.int(name, 0), "number of heads");
        let (query_heads, key_heads) = (heads("q_num_heads")?, heads("kv_num_heads")?);
        for (operand, heads) in operands.iter_mut().zip([query_heads, key_heads, key_heads]) {
            *operand = split_heads(cx, *operand, heads)?;
        }
    }
    let [query, mut key, mut value] = operands;
    if operands.iter().any(|&v| cx.rank(v) != 4) {
        return malformed(format!("needs 3 or 4 dimensions, not {}", cx.b.ty(node.arg(0)?)));
    }
    let mut past = 0;
    match (node.optional(4), node.optional(5)) {
        (Some(past_key), Some(past_value)) if cx.rank(past_key) == 4 => {
            past = cx.shape(past_key)[2];
            key = cx.concat(&[past_key, key], 2)?;
            value = cx.concat(&[past_value, value], 2)?;
        }
        (None, None) => {}
        _ => return malformed("needs past keys and past values, each of 4 dimensions"),
    }
    let (queries, keys) = (cx.shape(query)[2], cx.shape(key)[2]);
    let valid = node.optional(6);
    if valid.is_some_and(|valid| cx.shape(valid)[..] != [cx.shape(query)[0]]) {
        return malformed("has a number of keys for each element of another batch");
    }
    let offset = match valid {
        None => Offset::Same(past as i64),
        Some(valid) => {
            let valid = cx.b.convert(valid, DType::I64);
            Offset::PerBatch(cx.b.binary_scalar(BinaryOp::Sub, valid, queries as f64))
        }
    };
    let window = |name| Some(node.int(name, -1)).filter(|&n| n >= 0);
    let mut right = window("right_window_size");
    if node.flag("is_causal", false) {
        right = Some(0);
    }
    let mut allowed = Frontier { offset, left: window("left_window_size"), right }.mask(cx, queries, keys)?;
    if let Some(valid) = valid {
        let valid = valid_keys(cx, valid, keys)?;
        allowed = cx.and(allowed, Some(valid))?;
    }
    let mut bias = None;
    if let Some(mask) = node.optional(3) {
        let is_condition = cx.dtype(mask) == DType::Bool;
        // Missing columns are masked out.
        let fill = if is_condition { Scalar::Int(0) } else { Scalar::Float(f64::NEG_INFINITY) };
        let mask = pad_last(cx, mask, keys, fill)?;
        match is_condition {
            true => allowed = cx.and(allowed, Some(mask))?,
            false => bias = Some(mask),
        }
    }
    let scores = match node.int("qk_matmul_output_mode", 0) {
        _ if !node.has_result(3) => None,
        0 => Some(Scores::Product),
        1 => Some(Scores::Capped),
        2 => Some(Scores::Biased),
        3 => Some(Scores::Probabilities),
        mode => return malformed(format!("has the `qk_matmul_output_mode` {mode}")),
    };
    let precision = match node.int("softmax_precision", 0) {
        0 => None,
        number => Some(dtype_of(i32::try_from(number).unwrap_or(0)).map_err(LoweringError::DType)?),
    };
    let scale = match node.has_attribute("scale") {
        true => node.float("scale", 1.0),
        false => (cx.shape(query)[3] as f64).sqrt().recip(),
    };
    let heads = Heads {
        query,
        key,
        value,
        scale,
        softcap: node.float("softcap", 0.0),
        allowed,
        bias,
        sink: None,
        precision,
        scores,
    };
    let (out, scores) = heads.lower(cx)?;
    let out = if joined { join_heads(cx, out) } else { out };
    Ok([out, key, value].into_iter().chain(scores).map(Out::Value).collect())
}

/// Pads the last dimension of a mask to `keys` columns. A dimension of size 1 broadcasts.
fn pad_last(cx: &mut Lowering<'_>, mask: ValueId, keys: usize, fill: Scalar) -> Result<ValueId, LoweringError> {
    let shape = cx.shape(mask);
    let missing = match shape.last() {
        Some(&n) if n < keys => keys - n,
        _ => return Ok(mask),
    };
    let (low, mut high) = (vec![0; shape.rank()], vec![0; shape.rank()]);
    high[shape.rank() - 1] = missing as i64;
    let dtype = cx.dtype(mask);
    let fill = cx.b.scalar(dtype, fill);
    cx.op("pad", Pad { low, high, interior: Dims::new() }, &[mask, fill])
}

/// Lowers `MultiHeadAttention` of ONNX Runtime. Queries are `[batch, sequence, heads size]`; keys and values have the
/// same layout, or are `[batch, heads, sequence, size]`.
pub fn multi_head(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let heads = size(node.int("num_heads", 0), "number of heads")?;
    if (8..10).any(|i| node.optional(i).is_some()) {
        return unsupported("a shared cache or beams");
    }
    let (Some(key), Some(value)) = (node.optional(1), node.optional(2)) else {
        return unsupported("packed queries, keys and values");
    };
    let mut operands = [node.arg(0)?, key, value];
    if let Some(bias) = node.optional(3) {
        let mut start = 0;
        for operand in &mut operands {
            let shape = cx.shape(*operand);
            let hidden =
                if shape.rank() == 3 { shape[2] } else { return unsupported("a bias of keys with 4 dimensions") };
            if cx.rank(bias) != 1 || start + hidden > cx.shape(bias)[0] {
                return malformed(format!("has the bias {}", cx.b.ty(bias)));
            }
            let part = cx.b.slice_dim(bias, 0, start, start + hidden);
            *operand = cx.add(*operand, part)?;
            start += hidden;
        }
    }
    for operand in &mut operands {
        match cx.rank(*operand) {
            3 => *operand = split_heads(cx, *operand, heads)?,
            4 => {}
            _ => return unsupported("packed queries, keys and values"),
        }
    }
    let [query, mut key, mut value] = operands;
    if let (Some(past_key), Some(past_value)) = (node.optional(6), node.optional(7)) {
        key = cx.concat(&[past_key, key], 2)?;
        value = cx.concat(&[past_value, value], 2)?;
    }
    let (queries, keys) = (cx.shape(query)[2], cx.shape(key)[2]);
    let right = node.flag("unidirectional", false).then_some(0);
    let offset = Offset::Same(keys as i64 - queries as i64);
    let allowed = Frontier { offset, left: None, right }.mask(cx, queries, keys)?;
    let mut bias = node.optional(5);
    if let Some(mask) = node.optional(4) {
        let padding = padding(cx, node, mask, query, keys)?;
        bias = Some(match bias {
            Some(bias) => cx.add(bias, padding)?,
            None => padding,
        });
    }
    let scale = scale_of(cx, node, query);
    let scores = node.has_result(3).then_some(Scores::Biased);
    let heads = Heads { query, key, value, scale, softcap: 0.0, allowed, bias, sink: None, precision: None, scores };
    let (out, scores) = heads.lower(cx)?;
    let out = join_heads(cx, out);
    Ok([out, key, value].into_iter().chain(scores).map(Out::Value).collect())
}

/// Returns the scale of the scores: the attribute, or the inverse root of the size of a head.
pub(super) fn scale_of(cx: &Lowering<'_>, node: &Node<'_>, query: ValueId) -> f64 {
    match node.float("scale", 0.0) {
        0.0 => (cx.shape(query)[3] as f64).sqrt().recip(),
        scale => scale,
    }
}

/// Lowers `GroupQueryAttention` of ONNX Runtime: new keys and values are appended to those of the past, whose number
/// may differ between batches.
pub fn group_query(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let heads = size(node.int("num_heads", 0), "number of heads")?;
    let key_heads = size(node.int("kv_num_heads", 0), "number of heads")?;
    if (12..17).any(|i| node.optional(i).is_some()) || node.has_result(3) {
        return unsupported("quantised caches, norms of heads, or scores");
    }
    let [query, key, value] = group_operands(cx, node, [heads, key_heads])?;
    let (batch, sequence) = (cx.shape(query)[0], cx.shape(query)[1]);
    // Operand 5 is the number of valid keys of each batch, minus 1.
    let last = node.arg(5)?;
    let last = cx.b.convert(last, DType::I64);
    let last = cx.reshape(last, [batch])?;
    let total = size(cx.constant_number(node.arg(6)?, "total sequence length")? as i64, "sequence length")?;
    let past = cx.b.binary_scalar(BinaryOp::Sub, last, sequence as f64 - 1.0);
    let past = cx.b.binary_scalar(BinaryOp::Max, past, 0.0);
    let (mut query, mut key) = (query, key);
    if node.flag("do_rotary", false) {
        let (cos, sin) = (node.arg(7)?, node.arg(8)?);
        let positions = match node.optional(9) {
            Some(positions) => cx.reshape(positions, [batch, sequence])?,
            None => positions_from(cx, past, sequence)?,
        };
        let interleaved = node.flag("rotary_interleaved", false);
        let rotated_size = cx.shape(cos).last().map_or(0, |n| n.saturating_mul(2));
        for x in [&mut query, &mut key] {
            *x = rotate(cx, *x, Caches { cos, sin, positions: Some(positions), interleaved, rotated_size })?;
        }
    }
    let [query, key, value] = [query, key, value].map(|x| cx.b.swap_dims(x, 1, 2));
    let key = append_to_cache(cx, node.optional(3), key, past, total)?;
    let value = append_to_cache(cx, node.optional(4), value, past, total)?;
    let keys = cx.shape(key)[2];
    let left = Some(node.int("local_window_size", -1)).filter(|&n| n > 0).map(|n| n - 1);
    let right = node.flag("causal", true).then_some(0);
    let mut allowed = Frontier { offset: Offset::PerBatch(past), left, right }.mask(cx, sequence, keys)?;
    let count = cx.b.binary_scalar(BinaryOp::Add, last, 1.0);
    let valid = valid_keys(cx, count, keys)?;
    allowed = cx.and(allowed, Some(valid))?;
    let bias = match node.optional(10) {
        Some(bias) => Some(pad_last(cx, bias, keys, Scalar::Float(0.0))?),
        None => None,
    };
    let scale = scale_of(cx, node, query);
    let softcap = node.float("softcap", 0.0);
    let sink = match (node.optional(11), node.flag("smooth_softmax", false)) {
        (Some(sink), _) => Some(sink),
        (None, true) => {
            let scores = Type::new(cx.dtype(query), [heads]);
            Some(cx.b.splat(scores, Scalar::Float(0.0)))
        }
        (None, false) => None,
    };
    let heads = Heads { query, key, value, scale, softcap, allowed, bias, sink, precision: None, scores: None };
    let (out, _) = heads.lower(cx)?;
    let out = join_heads(cx, out);
    Ok([out, key, value].into_iter().map(Out::Value).collect::<Outs>())
}

/// Returns queries, keys and values `[batch, sequence, heads, size]`. Without keys, the queries contain all three.
fn group_operands(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    [heads, key_heads]: [usize; 2],
) -> Result<[ValueId; 3], LoweringError> {
    let query = node.arg(0)?;
    if let (Some(key), Some(value)) = (node.optional(1), node.optional(2)) {
        let query = split_hidden(cx, query, heads)?;
        return Ok([query, split_hidden(cx, key, key_heads)?, split_hidden(cx, value, key_heads)?]);
    }
    let all = split_hidden(cx, query, heads.saturating_add(key_heads).saturating_add(key_heads))?;
    let mut part = |from, to| cx.b.slice_dim(all, 2, from, to);
    Ok([part(0, heads), part(heads, heads + key_heads), part(heads + key_heads, heads + 2 * key_heads)])
}

/// Returns the cache `[batch, heads, keys, size]` with the new keys of each batch after its past ones: element `j` is a
/// past one for `j < past`, else new one number `j - past`, or 0 if there is none.
fn append_to_cache(
    cx: &mut Lowering<'_>,
    cache: Option<ValueId>,
    new: ValueId,
    past: ValueId,
    total: usize,
) -> Result<ValueId, LoweringError> {
    let shape = cx.shape(new);
    let Some(cache) = cache.filter(|&cache| cx.shape(cache).get(2).is_some_and(|&n| n > 0)) else { return Ok(new) };
    let room = cx.shape(cache)[2];
    let keys = room.max(total);
    let target = Shape::from([shape[0], shape[1], keys, shape[3]]);
    let fill = cx.dtype(new);
    let fill = cx.b.scalar(fill, Scalar::Float(0.0));
    let high = vec![0, 0, (keys - room) as i64, 0];
    let cache = cx.op("pad", Pad { low: vec![0; 4], high, interior: Dims::new() }, &[cache, fill])?;
    let place = cx.b.iota(DType::I64, target, 2);
    let past = cx.b.reshape(past, [shape[0], 1, 1, 1]);
    let number = cx.sub(place, past)?;
    let is_past = cx.compare_scalar(number, Direction::Lt, Scalar::Int(0));
    let is_used = cx.compare_scalar(number, Direction::Lt, Scalar::Int(shape[2] as i64));
    let number = cx.b.clamp(number, Scalar::Int(0), Scalar::Int(shape[2] as i64 - 1));
    let taken = cx.b.take_along(new, number, 2);
    let taken = cx.select_or(is_used, taken, Scalar::Float(0.0))?;
    Ok(cx.b.select(is_past, cache, taken))
}

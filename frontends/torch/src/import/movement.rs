//! Lowering of data movement: shapes, permutations, slices, concatenations, repetitions and padding.

use super::images::pad_with_elements;
use super::lowering::{
    Lowering, LoweringError, LoweringResult, all, dim, dims, first_operand, malformed, single, size, unsupported,
};
use super::node::Node;
use super::promotion::scalar;
use partita_ir::arena::ValueId;
use partita_ir::build::{EdgePadding, broadcast_shape};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{BinaryOp, Bitcast, Direction, Pad, Slice};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::{Scalar, Tensor};

/// Lowers a change of shape to that of the result, whose element count remains, or a view of the bits of elements as
/// another element type.
pub fn reshape(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = first_operand(node)?;
    if node.has("dtype") {
        return bits_as(cx, x, node.result(0)?);
    }
    single(cx.b.checked_reshape(x, node.result_shape()?.clone())?)
}

/// Appends the bits of `x` as elements of another type. Several elements along the last dimension are one wider
/// element, the lowest bits first, and vice versa.
fn bits_as(cx: &mut Lowering<'_>, x: ValueId, out: &Type) -> LoweringResult {
    let from = cx.b.ty(x);
    if from.dtype == DType::Bool || out.dtype == DType::Bool {
        return unsupported("booleans");
    }
    let (width, wanted) = (from.dtype.bits() as usize, out.dtype.bits() as usize);
    let (mut operand, mut shape) = (x, out.shape.clone());
    match (width.cmp(&wanted), from.shape.split_last()) {
        (std::cmp::Ordering::Equal, _) => {}
        (std::cmp::Ordering::Greater, _) => shape = from.shape.iter().copied().chain([width / wanted]).collect(),
        (std::cmp::Ordering::Less, Some((last, rest))) if last.checked_rem(wanted / width) == Some(0) => {
            let parts = wanted / width;
            let grouped: Shape = rest.iter().copied().chain([last / parts, parts]).collect();
            operand = cx.b.checked_reshape(x, grouped)?;
        }
        (std::cmp::Ordering::Less, _) => return malformed(format!("views the bits of {from} as {out}")),
    }
    let source = cx.b.ty(operand);
    let ty = Type { dtype: out.dtype, shape };
    let mut wide: Vec<usize> = ty.shape.to_vec();
    if width < wanted {
        wide.push(wanted / width);
    } else if width > wanted {
        wide.pop();
    }
    if source.shape[..] != wide[..] {
        return malformed(format!("views the bits of {from} as {out}"));
    }
    let bits = cx.b.op("bitcast", Bitcast {}, &[operand], ty);
    single(cx.b.checked_reshape(bits, out.shape.clone())?)
}

/// Lowers a broadcast to the shape of the result.
pub fn expand(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    single(cx.expand(x, node.result_shape()?)?)
}

/// Lowers a permutation of dimensions.
pub fn permute(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let rank = cx.rank(x);
    let numbers = node.ints("dims")?.unwrap_or_default();
    if numbers.len() != rank || dims(&numbers, rank).is_err() {
        return malformed(format!("permutes the dimensions of {} by {numbers:?}", cx.shape(x)));
    }
    let perm = numbers.iter().map(|&number| dim(number, rank)).collect::<Result<Dims, _>>()?;
    single(cx.b.transpose(x, perm))
}

/// Lowers the exchange of two dimensions.
pub fn transpose(cx: &mut Lowering<'_>, node: &Node<'_>, names: [&str; 2]) -> LoweringResult {
    let x = node.tensor("self")?;
    let rank = cx.rank(x);
    let [a, b] = [node.required_int(names[0])?, node.required_int(names[1])?];
    let (a, b) = (dim(a, rank)?, dim(b, rank)?);
    single(if rank == 0 { x } else { cx.b.swap_dims(x, a, b) })
}

/// Lowers the transposition of a matrix; a vector remains.
pub fn matrix_transpose(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    match cx.rank(x) {
        0 | 1 => single(x),
        2 => single(cx.b.swap_dims(x, 0, 1)),
        rank => malformed(format!("transposes a tensor of rank {rank}")),
    }
}

/// Lowers the move of dimensions to other positions.
pub fn move_dims(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let rank = cx.rank(x);
    let resolved = |name: &str| -> Result<Vec<usize>, LoweringError> {
        let numbers = node.ints(name)?.unwrap_or_default();
        dims(&numbers, rank)?;
        numbers.iter().map(|&number| dim(number, rank)).collect()
    };
    let (source, destination) = (resolved("source")?, resolved("destination")?);
    if source.len() != destination.len() {
        return malformed("moves dimensions to another number of positions");
    }
    let mut others = (0..rank).filter(|d| !source.contains(d));
    let position = |d: usize| destination.iter().position(|&to| to == d).and_then(|i| source.get(i).copied());
    let perm: Option<Dims> = (0..rank).map(|d| position(d).or_else(|| others.next())).collect();
    match perm {
        Some(perm) => single(cx.b.transpose(x, perm)),
        None => malformed("does not move every dimension"),
    }
}

/// Lowers a slice along a dimension with a positive step.
pub fn slice(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let (dim, [start, end, step]) = slice_bounds(cx, node, x)?;
    single(strided(cx, x, dim, [start, end, step])?)
}

/// Returns the dimension, start, end and step of a slice, within the bounds of `x`.
fn slice_bounds(cx: &Lowering<'_>, node: &Node<'_>, x: ValueId) -> Result<(usize, [usize; 3]), LoweringError> {
    let shape = cx.shape(x);
    let dim = dim(node.int("dim", 0)?, shape.rank())?;
    let Some(&n) = shape.get(dim) else { return malformed("slices a scalar") };
    let bound = |number: i64| {
        let from_start = if number < 0 { number.saturating_add(n as i64) } else { number };
        from_start.clamp(0, n as i64) as usize
    };
    let start = bound(node.int("start", 0)?);
    let end = bound(node.int("end", i64::MAX)?).max(start);
    match node.int("step", 1)? {
        step @ 1.. => Ok((dim, [start, end, usize::try_from(step).unwrap_or(usize::MAX).min(n.max(1))])),
        step => malformed(format!("has the step {step}")),
    }
}

/// Appends a slice along a dimension.
fn strided(
    cx: &mut Lowering<'_>,
    x: ValueId,
    dim: usize,
    [start, end, step]: [usize; 3],
) -> Result<ValueId, LoweringError> {
    let shape = cx.shape(x);
    if step == 1 {
        return Ok(if (start, end) == (0, shape[dim]) { x } else { cx.b.slice_dim(x, dim, start, end) });
    }
    let mut slice = Slice {
        start: Dims::from_elem(0, shape.rank()),
        limit: Dims::from_slice(&shape),
        stride: Dims::from_elem(1, shape.rank()),
    };
    (slice.start[dim], slice.limit[dim], slice.stride[dim]) = (start, end, step);
    cx.op("slice", slice, &[x])
}

/// Lowers the replacement of a slice along a dimension.
pub fn slice_scatter(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, source) = (node.tensor("self")?, node.tensor("src")?);
    let (dim, [start, end, step]) = slice_bounds(cx, node, x)?;
    let shape = cx.resized(x, dim, (end - start).div_ceil(step));
    let dtype = cx.dtype(x);
    let source = cx.converted(source, dtype);
    let source = cx.expand(source, &shape)?;
    single(match step {
        1 => with_slice(cx, x, source, dim, start),
        _ => with_strided_slice(cx, x, source, dim, [start, step])?,
    })
}

/// Appends `x` with the elements of `source` at every `step`-th index from `start` of a dimension on.
fn with_strided_slice(
    cx: &mut Lowering<'_>,
    x: ValueId,
    source: ValueId,
    dim: usize,
    [start, step]: [usize; 2],
) -> Result<ValueId, LoweringError> {
    let (ty, count) = (cx.b.ty(x), cx.shape(source)[dim]);
    if count == 0 {
        return Ok(x);
    }
    let (n, rank) = (ty.shape[dim], ty.shape.rank());
    let end = start + (count - 1) * step + 1;
    let (mut low, mut high, mut interior) = (vec![0; rank], vec![0; rank], Dims::from_elem(0, rank));
    (low[dim], high[dim], interior[dim]) = (start as i64, (n - end) as i64, step - 1);
    let zero = cx.b.scalar(ty.dtype, Scalar::Int(0));
    let spread = cx.op("pad", Pad { low, high, interior }, &[source, zero])?;
    let is_replaced = |i: usize| i64::from(i >= start && i < end && (i - start).is_multiple_of(step));
    let replaced = Tensor::from_ints(Type::new(DType::Bool, [n]), (0..n).map(is_replaced).collect());
    let replaced = cx.b.constant(&replaced);
    let replaced = cx.b.broadcast(replaced, &[dim], ty.shape);
    Ok(cx.b.select(replaced, spread, x))
}

/// Lowers the replacement of one index of a dimension.
pub fn select_scatter(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, source) = (node.tensor("self")?, node.tensor("src")?);
    let (dim, index) = index_along(cx, node, x)?;
    let shape = cx.resized(x, dim, 1);
    let source = cx.b.checked_reshape(source, shape)?;
    single(with_slice(cx, x, source, dim, index))
}

/// Appends `x` with the elements of `source` from index `start` of a dimension on.
fn with_slice(cx: &mut Lowering<'_>, x: ValueId, source: ValueId, dim: usize, start: usize) -> ValueId {
    let (n, length) = (cx.shape(x)[dim], cx.shape(source)[dim]);
    let before = cx.b.slice_dim(x, dim, 0, start);
    let after = cx.b.slice_dim(x, dim, start + length, n);
    cx.b.concatenate(&[before, source, after], dim)
}

/// Returns the dimension and the index of the operands `dim` and `index`.
fn index_along(cx: &Lowering<'_>, node: &Node<'_>, x: ValueId) -> Result<(usize, usize), LoweringError> {
    let shape = cx.shape(x);
    let dim = dim(node.required_int("dim")?, shape.rank())?;
    let Some(&n) = shape.get(dim) else { return malformed("selects from a scalar") };
    let index = node.required_int("index")?;
    let from_start = if index < 0 { index.saturating_add(n as i64) } else { index };
    match usize::try_from(from_start).ok().filter(|&i| i < n) {
        Some(index) => Ok((dim, index)),
        None => malformed(format!("selects index {index} of dimension {dim} of {shape}")),
    }
}

/// Lowers the selection of one index of a dimension, which is removed.
pub fn select(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let (dim, index) = index_along(cx, node, x)?;
    single(at_index(cx, x, dim, index))
}

/// Appends the elements at one index of a dimension, which is removed.
fn at_index(cx: &mut Lowering<'_>, x: ValueId, dim: usize, index: usize) -> ValueId {
    let part = cx.b.slice_dim(x, dim, index, index + 1);
    let mut shape = cx.shape(part);
    shape.0.remove(dim);
    cx.b.reshape(part, shape)
}

/// Lowers a slice with a start and a length.
pub fn narrow(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let shape = cx.shape(x);
    let dim = dim(node.required_int("dim")?, shape.rank())?;
    let Some(&n) = shape.get(dim) else { return malformed("slices a scalar") };
    let start = node.required_int("start")?;
    let start = size(if start < 0 { start.saturating_add(n as i64) } else { start }, "start")?;
    let end = start + size(node.required_int("length")?, "length")?;
    match end <= n {
        true => single(strided(cx, x, dim, [start, end, 1])?),
        false => malformed(format!("ends at {end} of dimension {dim} of {shape}")),
    }
}

/// Lowers a split into the sizes of the results along a dimension.
pub fn split(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let shape = cx.shape(x);
    let dim = dim(node.int("dim", 0)?, shape.rank())?;
    let Some(&n) = shape.get(dim) else { return malformed("splits a scalar") };
    let mut outs = Vec::new();
    let mut start = 0;
    for i in 0..node.result_count() {
        let end = start + node.result(i)?.shape.get(dim).copied().unwrap_or(0);
        if end > n {
            return malformed(format!("splits dimension {dim} of {shape} beyond its end"));
        }
        outs.push(strided(cx, x, dim, [start, end, 1])?);
        start = end;
    }
    match start == n {
        true => all(outs),
        false => malformed(format!("splits {start} elements of dimension {dim} of {shape}")),
    }
}

/// Lowers the split of a dimension into its indices.
pub fn unbind(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let shape = cx.shape(x);
    let dim = dim(node.int("dim", 0)?, shape.rank())?;
    match shape.get(dim) {
        Some(&n) if n == node.result_count() => all((0..n).map(|i| at_index(cx, x, dim, i))),
        _ => malformed(format!("has {} results for dimension {dim} of {shape}", node.result_count())),
    }
}

/// Lowers a concatenation. Empty vectors are skipped, as in PyTorch.
pub fn concatenate(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    let mut parts = node.tensors("tensors")?;
    if parts.iter().any(|&x| cx.rank(x) > 1) {
        parts.retain(|&x| cx.shape(x)[..] != [0]);
    }
    let parts: Vec<ValueId> = parts.into_iter().map(|x| cx.converted(x, dtype)).collect();
    let Some(&first) = parts.first() else { return malformed("concatenates no tensors") };
    let dim = dim(node.int("dim", 0)?, cx.rank(first))?;
    single(cx.op("concatenate", partita_ir::ops::Concatenate { dim }, &parts)?)
}

/// Lowers a concatenation along a new dimension.
pub fn stack(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    let parts = node.tensors("tensors")?;
    let rank = cx.rank(parts[0]);
    let dim = dim(node.int("dim", 0)?, rank + 1)?;
    let mut rows = Vec::new();
    for x in parts {
        if cx.rank(x) != rank {
            return malformed("stacks tensors of different ranks");
        }
        let x = cx.converted(x, dtype);
        rows.push(cx.b.unsqueeze(x, dim));
    }
    single(cx.op("concatenate", partita_ir::ops::Concatenate { dim }, &rows)?)
}

/// Lowers the repetition of a tensor along its dimensions.
pub fn repeat(cx: &mut Lowering<'_>, node: &Node<'_>, name: &str) -> LoweringResult {
    let x = node.tensor("self")?;
    let repeats = node.ints(name)?.unwrap_or_default().into_owned();
    let shape = cx.shape(x);
    let rank = repeats.len().max(shape.rank());
    let (missing_sizes, missing_repeats) = (rank - shape.rank(), rank - repeats.len());
    let sizes: Vec<usize> = std::iter::repeat_n(1, missing_sizes).chain(shape.iter().copied()).collect();
    let counts = std::iter::repeat_n(1, missing_repeats).chain(repeats);
    let counts = counts.map(|n| size(n, "number of repetitions")).collect::<Result<Vec<_>, _>>()?;
    // Each dimension of size n becomes [count, n], and these are joined.
    let split: Shape = counts.iter().zip(&sizes).flat_map(|(&count, &n)| [count, n]).collect();
    let joined: Shape = counts.iter().zip(&sizes).map(|(&count, &n)| count.saturating_mul(n)).collect();
    if split.checked_count().is_none() {
        return Err(LoweringError::TooLarge(joined.to_string()));
    }
    let ones: Shape = sizes.iter().flat_map(|&n| [1, n]).collect();
    let x = cx.b.checked_reshape(x, ones)?;
    let x = cx.expand(x, &split)?;
    single(cx.b.checked_reshape(x, joined)?)
}

/// Lowers the repetition of each element along a dimension, the same number of times.
pub fn repeat_interleave(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let mut x = node.tensor("self")?;
    let Some(repeats) = node.optional_int("repeats").ok().flatten() else { return Err(LoweringError::DynamicShape) };
    let repeats = size(repeats, "number of repetitions")?;
    let number = match node.optional_int("dim")? {
        Some(number) => number,
        None => {
            let count = cx.shape(x).count();
            x = cx.b.reshape(x, [count]);
            0
        }
    };
    let shape = cx.shape(x);
    let dim = dim(number, shape.rank())?;
    let Some(&n) = shape.get(dim) else { return malformed("repeats elements of a scalar") };
    let mut repeated = shape.clone();
    repeated.0.insert(dim + 1, repeats);
    let mut joined = shape;
    joined[dim] = n.saturating_mul(repeats);
    if repeated.checked_count().is_none() {
        return Err(LoweringError::TooLarge(joined.to_string()));
    }
    let x = cx.b.broadcast_along(x, dim + 1, &repeated);
    single(cx.b.checked_reshape(x, joined)?)
}

/// Lowers the reversal of dimensions.
pub fn flip(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let reversed = dims(&node.ints("dims")?.unwrap_or_default(), cx.rank(x))?;
    single(cx.b.reverse(x, reversed.into_iter().collect()))
}

/// Lowers the rotation of dimensions.
pub fn roll(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let mut x = node.tensor("self")?;
    let shape = cx.shape(x);
    let shifts = node.ints("shifts")?.unwrap_or_default().into_owned();
    let mut numbers = node.ints("dims")?.unwrap_or_default().into_owned();
    if numbers.is_empty() {
        x = cx.b.reshape(x, [shape.count()]);
        numbers.push(0);
    }
    if shifts.len() != numbers.len() {
        return malformed(format!("has {} shifts for {} dimensions", shifts.len(), numbers.len()));
    }
    for (shift, number) in shifts.into_iter().zip(numbers) {
        let dim = dim(number, cx.rank(x))?;
        let n = cx.shape(x).get(dim).copied().unwrap_or(0);
        if n == 0 {
            continue;
        }
        let start = n - shift.rem_euclid(n as i64) as usize;
        let (tail, head) = (cx.b.slice_dim(x, dim, start, n), cx.b.slice_dim(x, dim, 0, start));
        x = cx.b.concatenate(&[tail, head], dim);
    }
    single(cx.b.checked_reshape(x, shape)?)
}

/// Lowers padding with a constant, or in another mode. The list has the padding before and after each dimension, from
/// the last one on.
pub fn pad(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    match node.text("mode")? {
        None | Some("constant") => {}
        Some("reflect") => return pad_with_elements(cx, node, EdgePadding::Reflect),
        Some("replicate") => return pad_with_elements(cx, node, EdgePadding::Repeat),
        Some("circular") => return pad_with_elements(cx, node, EdgePadding::Wrap),
        Some(other) => return unsupported(format!("the mode `{other}`")),
    }
    let ty = cx.b.ty(x);
    let rank = ty.shape.rank();
    let pads = node.ints("pad")?.unwrap_or_default().into_owned();
    if pads.len() % 2 != 0 || pads.len() / 2 > rank || pads.iter().any(|pad| pad.unsigned_abs() > 1 << 31) {
        return malformed(format!("pads {ty} by {pads:?}"));
    }
    let (mut low, mut high) = (vec![0; rank], vec![0; rank]);
    for (i, pair) in pads.chunks_exact(2).enumerate() {
        (low[rank - 1 - i], high[rank - 1 - i]) = (pair[0], pair[1]);
    }
    let value = node.number("value")?.unwrap_or(Scalar::Int(0));
    let value = scalar(cx, ty.dtype, value);
    single(cx.op("pad", Pad { low, high, interior: Dims::new() }, &[x, value])?)
}

/// Lowers tensors that broadcast to their common shape.
pub fn broadcast_all(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let tensors = node.tensors("tensors")?;
    let shapes: Vec<Shape> = tensors.iter().map(|&x| cx.shape(x)).collect();
    let shape = broadcast_shape(&shapes)?;
    tensors.into_iter().map(|x| Ok(Some(cx.expand(x, &shape)?.into()))).collect()
}

/// Lowers a diagonal of two dimensions, which becomes the last dimension. In the flattened dimensions its elements have
/// equal distances.
pub fn diagonal(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let (shape, rank) = (cx.shape(x), cx.rank(x));
    let (row, column) = (dim(node.int("dim1", 0)?, rank)?, dim(node.int("dim2", 1)?, rank)?);
    if rank < 2 || row == column {
        return malformed(format!("takes the diagonal of {shape}"));
    }
    let (rows, columns) = (shape[row], shape[column]);
    let offset = node.int("offset", 0)?;
    let distance = usize::try_from(offset.unsigned_abs()).unwrap_or(usize::MAX);
    let (first_row, first_column) = if offset < 0 { (distance, 0) } else { (0, distance) };
    let count = rows.saturating_sub(first_row).min(columns.saturating_sub(first_column));
    let others = (0..rank).filter(|&d| d != row && d != column);
    let moved = cx.b.transpose(x, others.clone().chain([row, column]).collect());
    let lead: Vec<usize> = others.map(|d| shape[d]).collect();
    let flat: Shape = lead.iter().copied().chain([rows.saturating_mul(columns)]).collect();
    let flat = cx.b.checked_reshape(moved, flat)?;
    let start = if count == 0 { 0 } else { first_row * columns + first_column };
    let end = if count == 0 { 0 } else { start + (count - 1) * (columns + 1) + 1 };
    let last = lead.len();
    single(strided(cx, flat, last, [start, end, columns + 1])?)
}

/// Lowers the coordinates of the points of a grid, from those along each dimension. With the indexing `xy`, the first
/// two dimensions of the grid are swapped.
pub fn grid(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let vectors = node.tensors("tensors")?;
    let swaps = node.text("indexing")? == Some("xy") && vectors.len() > 1;
    let place = |i: usize| if swaps && i < 2 { 1 - i } else { i };
    let mut shape: Shape = vectors.iter().map(|_| 1).collect();
    for (i, &vector) in vectors.iter().enumerate() {
        match cx.shape(vector)[..] {
            [] => {}
            [n] => shape[place(i)] = n,
            _ => return malformed(format!("needs vectors, not {}", cx.b.ty(vector))),
        }
    }
    if shape.checked_count().is_none() {
        return Err(LoweringError::TooLarge(shape.to_string()));
    }
    let mut outs = Vec::new();
    for (i, &vector) in vectors.iter().enumerate() {
        let n = cx.shape(vector).count();
        let vector = cx.b.checked_reshape(vector, [n])?;
        outs.push(cx.b.broadcast(vector, &[place(i)], shape.clone()));
    }
    all(outs)
}

/// Lowers the difference of adjacent elements along a dimension, after optional elements before and behind them.
pub fn difference(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let mut x = node.tensor("self")?;
    let dim = dim(node.int("dim", -1)?, cx.rank(x))?;
    if cx.rank(x) == 0 {
        return malformed("needs a dimension");
    }
    let parts: Vec<ValueId> =
        [node.optional("prepend")?, Some(x), node.optional("append")?].into_iter().flatten().collect();
    if parts.len() > 1 {
        x = cx.op("concatenate", partita_ir::ops::Concatenate { dim }, &parts)?;
    }
    for _ in 0..size(node.int("n", 1)?, "order")?.min(cx.shape(x)[dim]) {
        let n = cx.shape(x)[dim];
        if n == 0 {
            break;
        }
        let (later, earlier) = (cx.b.slice_dim(x, dim, 1, n), cx.b.slice_dim(x, dim, 0, n - 1));
        let op = if cx.dtype(x) == DType::Bool { BinaryOp::Xor } else { BinaryOp::Sub };
        x = cx.b.binary(op, later, earlier);
    }
    single(x)
}

/// Lowers a rotation of dimensions that moves the first element to the middle, or back.
pub fn centre(cx: &mut Lowering<'_>, node: &Node<'_>, is_inverse: bool) -> LoweringResult {
    let mut x = node.tensor("self")?;
    let rank = cx.rank(x);
    let axes = match node.ints("dim")? {
        Some(axes) => dims(&axes, rank)?,
        None => (0..rank).collect(),
    };
    for dim in axes {
        let n = cx.shape(x)[dim];
        let start = if is_inverse { n / 2 } else { n.div_ceil(2) };
        let parts = [cx.b.slice_dim(x, dim, start, n), cx.b.slice_dim(x, dim, 0, start)];
        x = cx.b.concatenate(&parts, dim);
    }
    single(x)
}

/// Lowers matrices with the elements of the last dimension on their diagonal, and zeros elsewhere.
pub fn diagonal_matrices(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let (ty, rank) = (cx.b.ty(x), cx.rank(x));
    let axes = [dim(node.int("dim1", -2)?, rank + 1)?, dim(node.int("dim2", -1)?, rank + 1)?];
    if rank == 0 || node.int("offset", 0)? != 0 || axes != [rank - 1, rank] {
        return unsupported("other diagonals or dimensions than the main one of the last dimensions");
    }
    let square: Shape = ty.shape.iter().copied().chain(ty.shape.last().copied()).collect();
    let places: Vec<usize> = (0..rank).collect();
    let rows = cx.b.broadcast(x, &places, square);
    single(cx.b.triangle_of(rows, Direction::Eq))
}

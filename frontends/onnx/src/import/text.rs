//! Lowering of `TfIdfVectorizer`: the numbers of occurrences of given sequences of tokens, the n-grams of a pool.

use super::lowering::{Lowering, LoweringError, LoweringResult, Node, malformed, single, size, unsupported};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::Direction;
use partita_ir::tensor::Scalar;

/// The n-grams of a pool.
struct Grams {
    /// Number of tokens of each n-gram.
    length: usize,
    /// Tokens of all n-grams, one after the other.
    tokens: Vec<i64>,
    /// Index of each n-gram in the result.
    columns: Vec<usize>,
    /// Weight of each n-gram; empty if there are no weights.
    weights: Vec<f64>,
}

/// Reads the n-grams of a node, by their length, and the size of the result.
fn grams(node: &Node<'_>) -> Result<(Vec<Grams>, usize), LoweringError> {
    let Some(pool) = node.ints("pool_int64s") else { return unsupported("a pool of strings") };
    let list = |name: &str| {
        let list = node.ints(name).unwrap_or_default().iter();
        list.map(|&n| size(n, name)).collect::<Result<Vec<usize>, _>>()
    };
    let (starts, columns) = (list("ngram_counts")?, list("ngram_indexes")?);
    let weights = node.floats("weights").unwrap_or_default();
    if !weights.is_empty() && weights.len() != columns.len() {
        return malformed(format!("has {} weights for {} n-grams", weights.len(), columns.len()));
    }
    let ends = starts.iter().copied().skip(1).chain([pool.len()]);
    let mut all = Vec::new();
    let mut first = 0;
    for (length, (&start, end)) in (1..).zip(starts.iter().zip(ends)) {
        let tokens = pool.get(start..end).filter(|tokens| tokens.len().is_multiple_of(length));
        let columns = tokens.and_then(|tokens| columns.get(first..first + tokens.len() / length));
        let (Some(tokens), Some(columns)) = (tokens, columns) else {
            return malformed(format!("has a pool that does not consist of n-grams of length {length}"));
        };
        let weights = weights.iter().skip(first).take(columns.len()).map(|&weight| weight.into()).collect();
        first += columns.len();
        all.push(Grams { length, tokens: tokens.to_vec(), columns: columns.to_vec(), weights });
    }
    match columns.iter().max() {
        Some(&last) if last < super::creation::MAX_LITERAL => Ok((all, last + 1)),
        _ => malformed("has `ngram_indexes` that are empty or too large"),
    }
}

/// Lowers the numbers of occurrences of n-grams in each row, with the given number of tokens between their tokens,
/// multiplied by weights.
pub fn tf_idf(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let shape = cx.shape(x);
    if !cx.dtype(x).is_int() || !(1..=2).contains(&shape.rank()) {
        return malformed(format!("needs rows of integers, not {}", cx.b.ty(x)));
    }
    let (rows, count) = if shape.rank() == 2 { (shape[0], shape[1]) } else { (1, shape[0]) };
    let x = cx.reshape(x, [rows, count])?;
    let (grams, columns) = grams(node)?;
    let bound = |name| size(node.int(name, 0), name);
    let lengths = bound("min_gram_length")?..=bound("max_gram_length")?;
    let skips = bound("max_skip_count")?.min(count);
    let mode = node.text("mode", "");
    if !["TF", "IDF", "TFIDF"].contains(&mode) {
        return malformed(format!("has the mode `{mode}`"));
    }
    let mut total = None;
    for grams in grams.iter().filter(|grams| lengths.contains(&grams.length) && !grams.columns.is_empty()) {
        // The tokens of a unigram have no distance.
        let skips = if grams.length == 1 { 0 } else { skips };
        let mut found = None;
        for distance in 1..=skips + 1 {
            let Some(places) = count.checked_sub(distance * (grams.length - 1)).filter(|&n| n > 0) else { break };
            let more = occurrences(cx, x, grams, distance, places)?;
            found = Some(found.map_or(Ok(more), |found| cx.add(found, more))?);
        }
        let Some(mut number) = found else { continue };
        if mode == "IDF" {
            let present = cx.compare_scalar(number, Direction::Gt, Scalar::Int(0));
            number = cx.b.convert(present, DType::F32);
        }
        if mode != "TF" && !grams.weights.is_empty() {
            let weights = cx.float_constant(DType::F32, [1, grams.weights.len()], grams.weights.clone());
            number = cx.mul(number, weights)?;
        }
        let spread = spread(cx, number, &grams.columns, columns)?;
        total = Some(total.map_or(Ok(spread), |total| cx.add(total, spread))?);
    }
    let total = total.unwrap_or_else(|| cx.b.splat(Type::new(DType::F32, [rows, columns]), Scalar::Int(0)));
    let result: Shape = if shape.rank() == 2 { [rows, columns].into() } else { [columns].into() };
    single(cx.reshape(total, result)?)
}

/// Appends the number of occurrences of each n-gram in each row, `[rows, n-grams]`. The tokens are `distance` apart,
/// and begin at one of the first `places` tokens.
fn occurrences(
    cx: &mut Lowering<'_>,
    x: ValueId,
    grams: &Grams,
    distance: usize,
    places: usize,
) -> Result<ValueId, LoweringError> {
    let dtype = cx.dtype(x);
    let mut all = None;
    for token in 0..grams.length {
        let start = token * distance;
        let window = cx.b.slice_dim(x, 1, start, start + places);
        let window = cx.b.unsqueeze(window, 2);
        let tokens: Vec<i64> = grams.tokens.iter().skip(token).step_by(grams.length).copied().collect();
        let tokens = cx.int_constant(dtype, [1, 1, tokens.len()], tokens);
        let equal = cx.compare(window, Direction::Eq, tokens)?;
        all = cx.and(all, Some(equal))?;
    }
    let Some(all) = all else { return malformed("has n-grams of length 0") };
    let found = cx.b.convert(all, DType::F32);
    Ok(cx.b.reduce(Monoid::Sum, found, 1))
}

/// Moves the number of each n-gram to its column of the result.
fn spread(cx: &mut Lowering<'_>, found: ValueId, places: &[usize], columns: usize) -> Result<ValueId, LoweringError> {
    if places.len().saturating_mul(columns) > super::creation::MAX_LITERAL {
        return Err(LoweringError::TooLarge(format!("f32[{}, {columns}]", places.len())));
    }
    let mut selection = vec![0.0; places.len() * columns];
    places.iter().enumerate().for_each(|(gram, &column)| selection[gram * columns + column] = 1.0);
    let selection = cx.float_constant(DType::F32, [places.len(), columns], selection);
    cx.matmul(found, selection)
}

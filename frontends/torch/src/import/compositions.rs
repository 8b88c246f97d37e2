//! Lowering of operations that PyTorch defines by others of the same family.

use super::lowering::{
    Lowering, LoweringError, LoweringResult, all, dim, first_operand, malformed, real_result, single, unsupported,
};
use super::node::{Node, Operand};
use super::promotion::operands;
use super::{movement, reduction, table};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, Unary, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Lowers `beta self + alpha x y^T` for vectors.
pub fn add_outer(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    let [sum, x, y] = operands(cx, node, ["self", "vec1", "vec2"], dtype)?;
    if cx.rank(x) != 1 || cx.rank(y) != 1 {
        return malformed(format!("multiplies {} by {}", cx.b.ty(x), cx.b.ty(y)));
    }
    let (x, y) = (cx.b.unsqueeze(x, 1), cx.b.unsqueeze(y, 0));
    let product = cx.binary(BinaryOp::Mul, x, y)?;
    single(scaled_sum(cx, node, sum, product)?)
}

/// Lowers `beta self + alpha (sum of the products of matrices)`.
pub fn add_sum_of_products(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (sum, x, y) = (node.tensor("self")?, node.tensor("batch1")?, node.tensor("batch2")?);
    let products = cx.b.checked_matmul(x, y)?;
    if cx.rank(products) != 3 {
        return malformed(format!("multiplies {} by {}", cx.b.ty(x), cx.b.ty(y)));
    }
    let product = cx.b.reduce(Monoid::Sum, products, 0);
    single(scaled_sum(cx, node, sum, product)?)
}

/// Appends `beta sum + alpha product`. With a `beta` of 0, elements of `sum` that are not numbers are not added.
fn scaled_sum(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    mut sum: ValueId,
    mut product: ValueId,
) -> Result<ValueId, LoweringError> {
    let (alpha, beta) = (node.float("alpha", 1.0)?, node.float("beta", 1.0)?);
    if alpha != 1.0 {
        product = cx.b.binary_scalar(BinaryOp::Mul, product, alpha);
    }
    if beta == 0.0 {
        return Ok(product);
    }
    if beta != 1.0 {
        sum = cx.b.binary_scalar(BinaryOp::Mul, sum, beta);
    }
    cx.binary(BinaryOp::Add, sum, product)
}

/// Lowers the sum of products along the last dimensions of two tensors.
pub fn inner(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, y) = (node.tensor("self")?, node.tensor("other")?);
    let (n, m) = (cx.rank(x), cx.rank(y));
    if n == 0 || m == 0 {
        return single(cx.binary(BinaryOp::Mul, x, y)?);
    }
    let letters: Vec<char> = ('a'..='z').collect();
    if n + m > letters.len() {
        return unsupported(format!("{n} and {m} dimensions"));
    }
    let (left, right): (String, String) = (letters[..n - 1].iter().collect(), letters[n..n + m - 1].iter().collect());
    single(cx.b.checked_einsum(&format!("{left}z,{right}z->{left}{right}"), &[x, y])?)
}

/// Lowers `x1 weight x2 + bias`, with a matrix for each output.
pub fn bilinear(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, y, weight) = (node.tensor("input1")?, node.tensor("input2")?, node.tensor("weight")?);
    let out = cx.b.checked_einsum("...i,oij,...j->...o", &[x, weight, y])?;
    single(match node.optional("bias")? {
        Some(bias) => cx.binary(BinaryOp::Add, out, bias)?,
        None => out,
    })
}

/// Lowers the sum over dimensions of a product of three tensors, each with some of the dimensions.
pub fn trilinear(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let factors = [node.tensor("i1")?, node.tensor("i2")?, node.tensor("i3")?];
    let missing =
        |name: &str| -> Result<Vec<i64>, LoweringError> { Ok(node.ints(name)?.unwrap_or_default().into_owned()) };
    let expanded = [missing("expand1")?, missing("expand2")?, missing("expand3")?];
    let rank = cx.rank(factors[0]) + expanded[0].len();
    if rank > 26 {
        return malformed(format!("has {rank} dimensions"));
    }
    let letters = |without: &[i64]| -> String {
        (0..rank).filter(|&d| !without.contains(&(d as i64))).map(|d| char::from(b'a' + d as u8)).collect()
    };
    let inputs: Vec<String> = expanded.iter().map(|without| letters(without)).collect();
    let equation = format!("{}->{}", inputs.join(","), letters(&missing("sumdim")?));
    single(cx.b.checked_einsum(&equation, &factors)?)
}

/// Lowers a product of several matrices, from the first to the last. The first and the last may be vectors.
pub fn matrix_chain(cx: &mut Lowering<'_>, node: &Node<'_>, name: &str) -> LoweringResult {
    let mut factors = node.tensors(name)?.into_iter();
    let Some(mut out) = factors.next() else { return malformed("has no factors") };
    for factor in factors {
        let operands = [("self", Operand::Tensor(out)), ("other", Operand::Tensor(factor))];
        out = real_result(&table::aten(cx, &node.as_operation("matmul", operands))?)?;
    }
    single(out)
}

/// Lowers a Kronecker product.
pub fn kronecker(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [mut x, mut y] = operands(cx, node, ["self", "other"], node.result(0)?.dtype)?;
    let rank = cx.rank(x).max(cx.rank(y));
    for value in [&mut x, &mut y] {
        while cx.rank(*value) < rank {
            *value = cx.b.unsqueeze(*value, 0);
        }
    }
    let (xs, ys) = (cx.shape(x), cx.shape(y));
    let spread = |shape: &Shape, first: bool| -> Shape {
        shape.iter().flat_map(|&n| if first { [n, 1] } else { [1, n] }).collect()
    };
    let (x, y) = (cx.b.checked_reshape(x, spread(&xs, true))?, cx.b.checked_reshape(y, spread(&ys, false))?);
    let product = cx.binary(BinaryOp::Mul, x, y)?;
    single(cx.b.checked_reshape(product, node.result_shape()?.clone())?)
}

/// Lowers tensors with at least a number of dimensions, or their concatenation along a dimension: `stack` is the number
/// of dimensions and the dimension.
pub fn stack_of_at_least(cx: &mut Lowering<'_>, node: &Node<'_>, rank: usize, along: usize) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    let mut parts = Vec::new();
    for x in node.tensors("tensors")? {
        let x = cx.converted(x, dtype);
        parts.push(at_least(cx, x, rank));
    }
    let along = if cx.rank(parts[0]) == 1 { 0 } else { along };
    single(cx.op("concatenate", partita_ir::ops::Concatenate { dim: along }, &parts)?)
}

/// Lowers a tensor with at least `rank` dimensions.
pub fn with_dimensions(cx: &mut Lowering<'_>, node: &Node<'_>, rank: usize) -> LoweringResult {
    if node.has("tensors") {
        let tensors = node.tensors("tensors")?;
        return all(tensors.into_iter().map(|x| at_least(cx, x, rank)));
    }
    let x = node.tensor("self")?;
    single(at_least(cx, x, rank))
}

/// Appends the missing dimensions of size 1: before a vector, and after a matrix.
fn at_least(cx: &mut Lowering<'_>, mut x: ValueId, rank: usize) -> ValueId {
    while cx.rank(x) < rank {
        let at = if cx.rank(x) == 2 { 2 } else { 0 };
        x = cx.b.unsqueeze(x, at);
    }
    x
}

/// Lowers the columns of vectors and matrices side by side.
pub fn column_stack(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let dtype = node.result(0)?.dtype;
    let mut parts = Vec::new();
    for x in node.tensors("tensors")? {
        let x = cx.converted(x, dtype);
        let n = cx.shape(x).count();
        parts.push(if cx.rank(x) <= 1 { cx.b.checked_reshape(x, [n, 1])? } else { x });
    }
    single(cx.op("concatenate", partita_ir::ops::Concatenate { dim: 1 }, &parts)?)
}

/// Lowers matrices along the diagonal of a matrix of zeros.
pub fn block_diagonal(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let &[rows, columns] = &ty.shape[..] else { return malformed(format!("computes {ty}, not a matrix")) };
    let zero = cx.b.splat(Type::new(ty.dtype, []), Scalar::Int(0));
    let (mut row, mut column, mut parts) = (0, 0, Vec::new());
    for block in node.tensors("tensors")? {
        let block = cx.converted(block, ty.dtype);
        let block = at_least(cx, block, 2);
        let &[n, m] = &cx.shape(block)[..] else { return malformed(format!("places {}", cx.b.ty(block))) };
        let (Some(_), Some(right)) = (rows.checked_sub(row + n), columns.checked_sub(column + m)) else {
            return malformed(format!("places {} beyond {ty}", cx.b.ty(block)));
        };
        let pad =
            partita_ir::ops::Pad { low: vec![0, column as i64], high: vec![0, right as i64], interior: Dims::new() };
        parts.push(cx.op("pad", pad, &[block, zero])?);
        (row, column) = (row + n, column + m);
    }
    single(cx.op("concatenate", partita_ir::ops::Concatenate { dim: 0 }, &parts)?)
}

/// Lowers all tuples of elements of vectors.
pub fn cartesian_product(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let vectors = node.tensors("tensors")?;
    if vectors.iter().any(|&x| cx.rank(x) != 1) {
        return malformed("needs vectors");
    }
    let &[only] = &vectors[..] else {
        let shape: Shape = vectors.iter().map(|&x| cx.shape(x)[0]).collect();
        let (count, rank) = (shape.checked_count().unwrap_or(usize::MAX), shape.rank());
        let mut columns = Vec::new();
        for (d, x) in vectors.into_iter().enumerate() {
            let grid = cx.b.broadcast(x, &[d], shape.clone());
            columns.push(cx.b.checked_reshape(grid, [count, 1])?);
        }
        debug_assert_eq!(columns.len(), rank);
        return single(cx.op("concatenate", partita_ir::ops::Concatenate { dim: 1 }, &columns)?);
    };
    single(only)
}

/// Lowers the exchange of groups of channels with the channels of a group.
pub fn shuffle_channels(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = first_operand(node)?;
    let shape = cx.shape(x);
    let groups = super::lowering::size(node.required_int("groups")?, "number of groups")?;
    let Some(&channels) = shape.get(1).filter(|n| n.checked_rem(groups) == Some(0)) else {
        return malformed(format!("has {groups} groups of channels of {shape}"));
    };
    let mut split: Vec<usize> = shape.to_vec();
    split.splice(1..2, [groups, channels / groups]);
    let grouped = cx.b.checked_reshape(x, &split[..])?;
    let shuffled = cx.b.swap_dims(grouped, 1, 2);
    single(cx.b.checked_reshape(shuffled, shape)?)
}

/// Lowers a diagonal of a matrix, or a matrix with a diagonal.
pub fn diagonal_or_matrix(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let offset = Operand::Int(node.int("diagonal", 0)?);
    let name = if cx.rank(node.tensor("self")?) == 1 { "diag_embed" } else { "diagonal" };
    table::aten(cx, &node.as_operation(name, [("offset", offset)]))
}

/// Lowers a quarter turn, `k` times, in the plane of two dimensions.
pub fn rotate(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let rank = cx.rank(x);
    let plane = node.ints("dims")?.map_or(vec![0, 1], |dims| dims.into_owned());
    let &[a, b] = &plane[..] else { return malformed(format!("turns in the plane {plane:?}")) };
    let (a, b) = (dim(a, rank)?, dim(b, rank)?);
    if a == b || rank < 2 {
        return malformed(format!("turns in the plane {plane:?}"));
    }
    let reversed = |dims: &[usize]| dims.iter().copied().collect::<Dims>();
    single(match node.int("k", 1)?.rem_euclid(4) {
        0 => x,
        1 => {
            let reversed = cx.b.reverse(x, reversed(&[b]));
            cx.b.swap_dims(reversed, a, b)
        }
        2 => cx.b.reverse(x, reversed(&[a, b])),
        _ => {
            let reversed = cx.b.reverse(x, reversed(&[a]));
            cx.b.swap_dims(reversed, a, b)
        }
    })
}

/// Lowers elements at indices of the flattened tensor.
pub fn take(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, index) = (node.tensor("self")?, node.tensor("index")?);
    let n = cx.shape(x).count();
    if !cx.dtype(index).is_int() {
        return malformed(format!("takes elements at {}", cx.b.ty(index)));
    }
    let flat = cx.b.checked_reshape(x, [n])?;
    let index = cx.converted(index, DType::I64);
    let index = super::indexing::nonnegative(cx, index, n);
    single(cx.b.take(flat, index, 0))
}

/// Lowers a split into the sizes of the results along a dimension that the name of the operation states: that of the
/// columns, which is the only one of a vector, of the rows, or of the depth.
pub fn split_along(cx: &mut Lowering<'_>, node: &Node<'_>, along: i64) -> LoweringResult {
    let along = if cx.rank(node.tensor("self")?) == 1 { 0 } else { along };
    movement::split(cx, &node.as_operation("split", [("dim", Operand::Int(along))]))
}

/// Lowers the sum or mean of the elements that are numbers.
pub fn reduce_numbers(cx: &mut Lowering<'_>, node: &Node<'_>, is_mean: bool) -> LoweringResult {
    let x = node.tensor("self")?;
    let x = cx.converted(x, node.result(0)?.dtype);
    if !cx.dtype(x).is_float() {
        return reduction::reduce(cx, node, Monoid::Sum);
    }
    let is_nan = cx.op("is_nan", Unary { op: UnaryOp::IsNan }, &[x])?;
    let zero = cx.b.splat_like(x, Scalar::Int(0));
    let numbers = cx.b.select(is_nan, zero, x);
    let of = |value: ValueId| node.as_operation("sum", [("self", Operand::Tensor(value))]);
    let sum = real_result(&reduction::reduce(cx, &of(numbers), Monoid::Sum)?)?;
    if !is_mean {
        return single(sum);
    }
    let one = cx.b.splat_like(x, Scalar::Int(1));
    let counted = cx.b.select(is_nan, zero, one);
    let count = real_result(&reduction::reduce(cx, &of(counted), Monoid::Sum)?)?;
    single(cx.b.binary(BinaryOp::Div, sum, count))
}

/// Lowers the minimum and the maximum along a dimension, or of all elements.
pub fn both_extrema(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [least, most] = [Monoid::Min, Monoid::Max].map(|monoid| reduction::reduce(cx, node, monoid));
    all([real_result(&least?)?, real_result(&most?)?])
}

/// Lowers whether each element occurs among those of another tensor.
pub fn is_in(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let names =
        ["elements", "test_elements"].map(|name| if node.has(name) { name } else { name.trim_end_matches('s') });
    let Some(dtype) = super::promotion::promoted(cx, &names.map(|name| node.operand(name))) else {
        return malformed("needs tensors or numbers");
    };
    let [x, tests] = operands(cx, node, names, dtype)?;
    let (shape, n) = (cx.shape(x), cx.shape(tests).count());
    let mut spread = shape.clone();
    spread.0.push(n);
    let dims: Vec<usize> = (0..shape.rank()).collect();
    let x = cx.b.broadcast(x, &dims, spread.clone());
    let tests = cx.b.checked_reshape(tests, [n])?;
    let tests = cx.b.broadcast(tests, &[shape.rank()], spread);
    let equal = cx.b.compare(x, Direction::Eq, tests);
    let found = cx.b.reduce(Monoid::Or, equal, shape.rank());
    single(if node.flag("invert", false)? { cx.b.unary(UnaryOp::Not, found) } else { found })
}

/// Lowers `log(sum of exp(x))` of the elements up to each one along a dimension.
pub fn running_log_sum_exp(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let rank = cx.rank(x);
    let along = dim(node.required_int("dim")?, rank)?;
    if rank == 0 {
        return single(x);
    }
    // The maximum of all elements bounds the exponentials.
    let most = cx.b.reduce_keep(Monoid::Max, x, &[along]);
    let most = cx.stop_gradient(most);
    let shape = cx.shape(x);
    let most = cx.expand(most, &shape)?;
    let below = cx.b.binary(BinaryOp::Sub, x, most);
    let exp = cx.b.unary(UnaryOp::Exp, below);
    let sums = cx.b.cumulative(Monoid::Sum, exp, along, false);
    let logs = cx.b.unary(UnaryOp::Log, sums);
    single(cx.b.binary(BinaryOp::Add, logs, most))
}

/// Lowers the indices of the rows and of the columns of the lower or upper triangle of a matrix, in the order of rows.
pub fn triangle_indices(cx: &mut Lowering<'_>, node: &Node<'_>, is_lower: bool) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let (rows, columns, offset) = (node.required_int("row")?, node.required_int("col")?, node.int("offset", 0)?);
    let &[2, count] = &ty.shape[..] else { return malformed(format!("computes {ty}")) };
    let mut places = [Vec::new(), Vec::new()];
    for row in 0..rows.max(0) {
        let bound = row.saturating_add(offset);
        let inside = match is_lower {
            true => 0..bound.saturating_add(1).clamp(0, columns.max(0)),
            false => bound.clamp(0, columns.max(0))..columns.max(0),
        };
        if places[0].len() > count {
            break;
        }
        for column in inside.take(count + 1) {
            places[0].push(row);
            places[1].push(column);
        }
    }
    if places[0].len() != count {
        return malformed(format!("computes {ty} for {rows} rows and {columns} columns"));
    }
    let indices = partita_ir::tensor::Tensor::from_ints(Type::new(DType::I64, [2, count]), places.concat());
    let indices = cx.b.constant(&indices);
    single(cx.converted(indices, ty.dtype))
}

/// Lowers the powers of each element of a vector, along a new last dimension.
pub fn powers(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let ty = node.result(0)?.clone();
    let x = node.tensor("x")?;
    let x = cx.converted(x, ty.dtype);
    let Some(last) = ty.shape.rank().checked_sub(1).filter(|&last| cx.rank(x) == last) else {
        return malformed(format!("computes {ty}"));
    };
    let n = ty.shape[last];
    let mut columns = Vec::new();
    let mut power = cx.b.splat_like(x, Scalar::Int(1));
    for i in 0..n.min(MAX_POWERS + 1) {
        columns.push(cx.b.unsqueeze(power, last));
        if i + 1 < n {
            power = cx.b.binary(BinaryOp::Mul, power, x);
        }
    }
    if n > MAX_POWERS {
        return unsupported(format!("{n} powers"));
    }
    // `vander` has the highest power first, unless stated.
    if node.op == "vander" && !node.flag("increasing", false)? {
        columns.reverse();
    }
    single(cx.op("concatenate", partita_ir::ops::Concatenate { dim: last }, &columns)?)
}

/// Largest number of columns of a Vandermonde matrix.
const MAX_POWERS: usize = 64;

/// Lowers the integral along a dimension by the trapezoidal rule: `step` apart, or at the places `x`.
pub fn trapezoid(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let y = node.tensor("y")?;
    let dtype = node.result(0)?.dtype;
    let y = cx.converted(y, dtype);
    let shape = cx.shape(y);
    let along = dim(node.int("dim", -1)?, shape.rank())?;
    let Some(&n) = shape.get(along).filter(|&&n| n > 0) else { return malformed(format!("integrates {shape}")) };
    let (left, right) = (cx.b.slice_dim(y, along, 0, n - 1), cx.b.slice_dim(y, along, 1, n));
    let sum = cx.b.binary(BinaryOp::Add, left, right);
    let area = match node.optional("x")? {
        None => cx.b.binary_scalar(BinaryOp::Mul, sum, node.float("dx", 1.0)? / 2.0),
        Some(x) if cx.rank(x) == 1 && cx.shape(x)[0] == n => {
            let x = cx.converted(x, dtype);
            let (left, right) = (cx.b.slice_dim(x, 0, 0, n - 1), cx.b.slice_dim(x, 0, 1, n));
            let steps = cx.b.binary(BinaryOp::Sub, right, left);
            let steps = cx.b.binary_scalar(BinaryOp::Mul, steps, 0.5);
            let ty = cx.shape(sum);
            let steps = cx.b.broadcast(steps, &[along], ty);
            cx.b.binary(BinaryOp::Mul, sum, steps)
        }
        Some(_) => return unsupported("places of several dimensions"),
    };
    let out = match node.op {
        "cumulative_trapezoid" => cx.b.cumulative(Monoid::Sum, area, along, false),
        _ => cx.b.reduce(Monoid::Sum, area, along),
    };
    single(out)
}

/// Lowers the rounding of elements to a quantised type and back. The gradient flows through elements in the range of
/// the type, which are the second result of native forms.
pub fn fake_quantise(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let (low, high) = (node.float("quant_min", 0.0)?, node.float("quant_max", 255.0)?);
    let dtype = cx.dtype(x);
    let [scale, zero] = operands(cx, node, ["scale", "zero_point"], dtype)?;
    let shape = cx.shape(x);
    let place = |cx: &mut Lowering<'_>, value: ValueId| -> Result<ValueId, LoweringError> {
        if cx.rank(value) == 0 || cx.shape(value)[..] == [1] {
            return cx.expand(value, &shape);
        }
        let axis = dim(node.int("axis", 0)?, shape.rank())?;
        if cx.shape(value)[..] != [shape.get(axis).copied().unwrap_or(0)] {
            return malformed(format!("has {} for {shape}", cx.b.ty(value)));
        }
        Ok(cx.b.broadcast(value, &[axis], shape.clone()))
    };
    let (scale, zero) = (place(cx, scale)?, place(cx, zero)?);
    let quotient = cx.b.binary(BinaryOp::Div, x, scale);
    let rounded = cx.b.unary(UnaryOp::RoundEven, quotient);
    let step = cx.b.binary(BinaryOp::Add, rounded, zero);
    let clamped = cx.b.clamp(step, Scalar::Float(low), Scalar::Float(high));
    let difference = cx.b.binary(BinaryOp::Sub, clamped, zero);
    let out = cx.b.binary(BinaryOp::Mul, difference, scale);
    let is_inside = cx.b.compare(clamped, Direction::Eq, step);
    let constant = cx.stop_gradient(x);
    let stopped = cx.stop_gradient(out);
    if constant == x {
        return all([out, is_inside]);
    }
    // The value is that of the rounded elements, since the difference is zero.
    let through = cx.b.binary(BinaryOp::Sub, x, constant);
    let nothing = cx.b.splat_like(x, Scalar::Float(0.0));
    let through = cx.b.select(is_inside, through, nothing);
    all([cx.b.binary(BinaryOp::Add, stopped, through), is_inside])
}

//! Lowering of operations on complex numbers, which are two tensors: the real and the imaginary parts.

use super::complex_functions as functions;
use super::fourier;
use super::lowering::{
    Lowering, LoweringError, LoweringResult, Outs, Parts, malformed, real_result, single, unsupported,
};
use super::node::{Node, Operand};
use super::table;
use partita_ir::arena::ValueId;
use partita_ir::build::Pair;
use partita_ir::dtype::{DType, Shape};
use partita_ir::ops::{BinaryOp, UnaryOp};
use partita_ir::tensor::Scalar;

/// Maximum exponent of a power that is a repeated product.
const MAX_EXPONENT: i64 = 32;

/// Appends the lowering of a node with complex operands or results.
pub fn lower(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    match table::without_copy(node.op) {
        "real" => single(pair(node, "self")?[0]),
        "imag" => single(pair(node, "self")?[1]),
        "complex" => single([node.tensor("real")?, node.tensor("imag")?]),
        "polar" => {
            let [size, angle] = cx.broadcast_all([node.tensor("abs")?, node.tensor("angle")?])?;
            single(cx.b.complex_from_polar(size, angle))
        }
        "view_as_real" => {
            let parts = pair(node, "self")?;
            let rank = cx.rank(parts[0]);
            let parts = parts.map(|part| cx.b.unsqueeze(part, rank));
            single(cx.b.concatenate(&parts, rank))
        }
        "view_as_complex" => from_last_dimension(cx, node),
        "_conj" | "_conj_physical" | "conj" | "conj_physical" => {
            let [re, im] = pair(node, "self")?;
            single([re, cx.b.unary(UnaryOp::Neg, im)])
        }
        "abs" => single(cx.b.modulus(pair(node, "self")?)),
        "angle" => single(functions::angle(cx, pair(node, "self")?)),
        "exp" => single(functions::exp(cx, pair(node, "self")?)),
        "exp2" => {
            let scaled = functions::scaled(cx, pair(node, "self")?, std::f64::consts::LN_2);
            single(functions::exp(cx, scaled))
        }
        "log" => single(functions::log(cx, pair(node, "self")?)),
        "sqrt" => single(functions::power(cx, pair(node, "self")?, 0.5)),
        "rsqrt" => single(functions::power(cx, pair(node, "self")?, -0.5)),
        "sin" => single(functions::sin(cx, pair(node, "self")?)),
        "cos" => single(functions::cos(cx, pair(node, "self")?)),
        "tan" => single(functions::tan(cx, pair(node, "self")?)),
        "sinh" => single(functions::sinh(cx, pair(node, "self")?)),
        "cosh" => single(functions::cosh(cx, pair(node, "self")?)),
        "tanh" => single(functions::tanh(cx, pair(node, "self")?)),
        "sigmoid" => single(functions::sigmoid(cx, pair(node, "self")?)),
        "sgn" => single(functions::sign(cx, pair(node, "self")?)),
        "reciprocal" => single(functions::reciprocal(cx, pair(node, "self")?)),
        "eq" | "ne" | "not_equal" => {
            let [x, y] = both(cx, node, ["self", "other"])?.map(|parts| promoted(cx, parts));
            let equal = functions::equal(cx, x, y);
            single(if node.op == "eq" { equal } else { cx.b.unary(UnaryOp::Not, equal) })
        }
        // The variance of complex numbers is the sum of those of their parts.
        "var" => {
            let parts = pair(node, "self")?.map(|part| {
                let of_part = node.with_operands(|name, _| (name == "self").then_some(Operand::Tensor(part)));
                real_result(&table::aten(cx, &of_part)?)
            });
            let [re, im] = parts;
            single(cx.b.binary(BinaryOp::Add, re?, im?))
        }
        "add" => sum(cx, node, BinaryOp::Add, ["self", "other"]),
        "sub" | "subtract" => sum(cx, node, BinaryOp::Sub, ["self", "other"]),
        "rsub" => sum(cx, node, BinaryOp::Sub, ["other", "self"]),
        "mul" | "multiply" => {
            let [x, y] = both(cx, node, ["self", "other"])?;
            single(product(cx, x, y))
        }
        "div" | "divide" | "true_divide" => quotient(cx, node),
        "square" => {
            let x = pair(node, "self")?;
            single(cx.b.complex_product(x, x))
        }
        "pow" => power(cx, node),
        "linalg_vector_norm" | "norm" => {
            let size = cx.b.modulus(pair(node, "self")?);
            table::aten(cx, &node.with_operands(|name, _| (name == "self").then_some(Operand::Tensor(size))))
        }
        "matmul" => bilinear(cx, node, ["self", "other"]),
        "mm" | "bmm" => bilinear(cx, node, ["self", "mat2"]),
        "mv" => bilinear(cx, node, ["self", "vec"]),
        "dot" => bilinear(cx, node, ["self", "tensor"]),
        "outer" | "ger" => bilinear(cx, node, ["self", "vec2"]),
        "addmm" => add_product(cx, node),
        "linear" => with_bias(cx, node, None),
        "conv1d" | "conv2d" | "conv3d" | "convolution" => with_bias(cx, node, Some(1)),
        "einsum" => einsum(cx, node),
        "to" | "_to_copy" => convert(cx, node),
        "pad" | "constant_pad_nd" | "full" | "full_like" | "new_full" | "fill" | "scalar_tensor" | "ones"
        | "ones_like" | "new_ones" | "zeros" | "zeros_like" | "new_zeros" | "zero" | "eye" => with_numbers(cx, node),
        "alias" | "clone" | "contiguous" | "detach" | "lift" | "lift_fresh" | "positive" | "resolve_conj"
        | "resolve_neg" | "copy" | "neg" | "negative" | "where" | "masked_fill" | "sum" | "mean" | "cumsum"
        | "view" | "reshape" | "_unsafe_view" | "_reshape_alias" | "view_as" | "reshape_as" | "flatten"
        | "unflatten" | "squeeze" | "unsqueeze" | "ravel" | "expand" | "expand_as" | "broadcast_to" | "permute"
        | "transpose" | "swapdims" | "swapaxes" | "t" | "numpy_T" | "movedim" | "moveaxis" | "slice"
        | "slice_scatter" | "select" | "select_scatter" | "narrow" | "split" | "split_with_sizes" | "chunk"
        | "tensor_split" | "unbind" | "cat" | "concat" | "concatenate" | "stack" | "repeat" | "tile"
        | "repeat_interleave" | "flip" | "roll" | "unfold" | "diagonal" | "index" | "_unsafe_index"
        | "index_select" | "gather" | "take_along_dim" | "index_put" | "_unsafe_index_put" | "index_add" | "tril"
        | "triu" | "diff" | "fft_fftshift" | "fft_ifftshift" | "mT" => each_part(cx, node),
        "mH" | "adjoint" | "matrix_H" => {
            let [re, im] = pair(node, "self")?;
            let Some(row) = cx.rank(re).checked_sub(2) else { return malformed("needs matrices") };
            let im = cx.b.unary(UnaryOp::Neg, im);
            single([re, im].map(|part| cx.b.swap_dims(part, row, row + 1)))
        }
        name if name.starts_with("fft_") || name.starts_with("_fft_") => fourier::transform(cx, node, name),
        "stft" => fourier::short_time(cx, node),
        "istft" => Err(LoweringError::Unsupported),
        _ => unsupported("complex numbers"),
    }
}

/// Returns a complex operand. Errors: the operand is not complex.
fn pair(node: &Node<'_>, name: &str) -> Result<Pair, LoweringError> {
    match node.operand(name) {
        Operand::Complex(pair) => Ok(*pair),
        _ => malformed(format!("needs complex numbers for `{name}`")),
    }
}

/// Returns the element type of the parts of the complex operands and results of a node.
fn part_type(cx: &Lowering<'_>, node: &Node<'_>) -> Result<DType, LoweringError> {
    match node.result_type(0)? {
        ty if ty.is_complex => Ok(ty.part.dtype),
        _ => Ok(cx.dtype(pair(node, "self")?[0])),
    }
}

/// Returns an operand with parts of the given type. Numbers are scalars. Errors: the operand is not a tensor or number.
fn parts(cx: &mut Lowering<'_>, node: &Node<'_>, name: &str, dtype: DType) -> Result<Parts, LoweringError> {
    let mut number = |x: Scalar| cx.b.scalar(dtype, x);
    Ok(match node.operand(name) {
        Operand::ComplexNumber(re, im) => Parts::Complex([*re, *im].map(|part| number(Scalar::Float(part)))),
        Operand::Tensor(x) => Parts::Real(cx.converted(*x, dtype)),
        Operand::Complex(pair) => Parts::Complex(pair.map(|part| cx.converted(part, dtype))),
        other => match other.number() {
            Some(x) => Parts::Real(number(x)),
            None => return malformed(format!("needs a tensor or number for `{name}`")),
        },
    })
}

/// Returns two operands, broadcast to their common shape.
fn both(cx: &mut Lowering<'_>, node: &Node<'_>, names: [&str; 2]) -> Result<[Parts; 2], LoweringError> {
    let dtype = part_type(cx, node)?;
    let [x, y] = [parts(cx, node, names[0], dtype)?, parts(cx, node, names[1], dtype)?];
    let shapes = [x, y].map(|parts| cx.shape(parts.values()[0]));
    let shape = partita_ir::build::broadcast_shape(&shapes)?;
    let mut expand = |parts: Parts| match parts {
        Parts::Real(x) => Parts::Real(cx.b.expand(x, &shape)),
        Parts::Complex(pair) => Parts::Complex(pair.map(|part| cx.b.expand(part, &shape))),
    };
    Ok([expand(x), expand(y)])
}

/// Returns a tensor as complex numbers.
fn promoted(cx: &mut Lowering<'_>, parts: Parts) -> Pair {
    match parts {
        Parts::Real(x) => cx.b.complex_from_real(x),
        Parts::Complex(pair) => pair,
    }
}

/// Lowers a view of the last dimension, of size 2, as complex numbers.
fn from_last_dimension(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.tensor("self")?;
    let shape = cx.shape(x);
    let Some(last) = shape.rank().checked_sub(1).filter(|&last| shape[last] == 2) else {
        return malformed(format!("needs a last dimension of size 2, not {shape}"));
    };
    let part = |i: usize| {
        let part = cx.b.slice_dim(x, last, i, i + 1);
        cx.b.reshape(part, Shape::from(&shape[..last]))
    };
    single([0, 1].map(part))
}

/// Lowers a sum or difference; the second operand has the factor `alpha`.
fn sum(cx: &mut Lowering<'_>, node: &Node<'_>, op: BinaryOp, names: [&str; 2]) -> LoweringResult {
    let [x, y] = both(cx, node, names)?.map(|parts| promoted(cx, parts));
    let factor = node.float("alpha", 1.0)?;
    let scaled = |cx: &mut Lowering<'_>, part: ValueId, name: &str| match name == "other" && factor != 1.0 {
        true => cx.b.binary_scalar(BinaryOp::Mul, part, factor),
        false => part,
    };
    let part = |i: usize| {
        let [x, y] = [scaled(cx, x[i], names[0]), scaled(cx, y[i], names[1])];
        cx.b.binary(op, x, y)
    };
    single([0, 1].map(part))
}

/// Appends a product of tensors of equal shape.
fn product(cx: &mut Lowering<'_>, x: Parts, y: Parts) -> Parts {
    match (x, y) {
        (Parts::Real(x), Parts::Real(y)) => Parts::Real(cx.b.binary(BinaryOp::Mul, x, y)),
        (Parts::Complex(x), Parts::Real(y)) | (Parts::Real(y), Parts::Complex(x)) => {
            Parts::Complex(x.map(|part| cx.b.binary(BinaryOp::Mul, part, y)))
        }
        (Parts::Complex(x), Parts::Complex(y)) => Parts::Complex(cx.b.complex_product(x, y)),
    }
}

fn quotient(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let [x, y] = both(cx, node, ["self", "other"])?;
    let x = promoted(cx, x);
    match y {
        Parts::Real(y) => single(x.map(|part| cx.b.binary(BinaryOp::Div, part, y))),
        Parts::Complex(y) => single(cx.b.complex_quotient(x, y)),
    }
}

/// Lowers a power with a positive integer as exponent to a repeated product, and one with a fraction to that of sizes.
fn power(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let exponent = node.operand("exponent").number().map(Scalar::to_f64);
    match (node.operand("self"), exponent) {
        (Operand::Complex(x), Some(n)) if n.fract() != 0.0 => single(functions::power(cx, *x, n)),
        (Operand::Complex(x), Some(n)) if n.fract() == 0.0 && (1.0..=MAX_EXPONENT as f64).contains(&n) => {
            let factors = (1..n as i64).fold(*x, |power, _| cx.b.complex_product(power, *x));
            single(factors)
        }
        _ => unsupported("complex numbers, except for fractions and small integers as exponents"),
    }
}

/// Lowers a product of matrices: four products of parts, or two if one operand is real.
fn bilinear(cx: &mut Lowering<'_>, node: &Node<'_>, names: [&str; 2]) -> LoweringResult {
    let dtype = part_type(cx, node)?;
    let operands = [parts(cx, node, names[0], dtype)?, parts(cx, node, names[1], dtype)?];
    of_products(cx, operands, |cx, factors| {
        let replaced = node.with_operands(|name, _| {
            let index = names.iter().position(|known| *known == name)?;
            Some(Operand::Tensor(factors[index]))
        });
        real_result(&table::aten(cx, &replaced)?)
    })
}

/// Lowers the sum of a tensor and a product of matrices.
fn add_product(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    if ["alpha", "beta"].iter().any(|name| node.operand(name).number().is_some_and(|x| x.to_f64() != 1.0)) {
        return unsupported("complex numbers and factors");
    }
    let dtype = part_type(cx, node)?;
    let product = bilinear(cx, &node.as_operation("mm", [("self", node.operand("mat1").clone())]), ["self", "mat2"])?;
    let Some(Some(product)) = product.first() else { return malformed("has no result") };
    let product = promoted(cx, *product);
    let sum = parts(cx, node, "self", dtype)?;
    let sum = promoted(cx, sum);
    single([cx.binary(BinaryOp::Add, sum[0], product[0])?, cx.binary(BinaryOp::Add, sum[1], product[1])?])
}

/// Lowers a product of the operands `input` and `weight`, and adds the bias along a dimension, or along the last one.
fn with_bias(cx: &mut Lowering<'_>, node: &Node<'_>, dim: Option<usize>) -> LoweringResult {
    let without = node.with_operands(|name, _| (name == "bias").then_some(Operand::Absent));
    let outs = bilinear(cx, &without, ["input", "weight"])?;
    if !node.has("bias") {
        return Ok(outs);
    }
    let Some(Some(out)) = outs.first() else { return malformed("has no result") };
    let dtype = part_type(cx, node)?;
    let out = promoted(cx, *out);
    let bias = parts(cx, node, "bias", dtype)?;
    let bias = promoted(cx, bias);
    let shape = cx.shape(out[0]);
    let last = shape.rank().checked_sub(1);
    let Some(dim) = dim.or(last).filter(|&dim| shape.get(dim..=dim) == Some(&cx.shape(bias[0])[..])) else {
        return malformed(format!("adds {} to {shape}", cx.b.ty(bias[0])));
    };
    let part = |i: usize| {
        let bias = cx.b.broadcast(bias[i], &[dim], shape.clone());
        cx.b.binary(BinaryOp::Add, out[i], bias)
    };
    single([0, 1].map(part))
}

/// Lowers an einsum of two operands.
fn einsum(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let operands = match node.operand("tensors") {
        Operand::ComplexTensors(tensors) => tensors.iter().copied().collect::<Option<Vec<Parts>>>().unwrap_or_default(),
        _ => Vec::new(),
    };
    let (Some(&x), Some(&y), 2) = (operands.first(), operands.get(1), operands.len()) else {
        return unsupported("complex numbers, except for two operands");
    };
    of_products(cx, [x, y], |cx, factors| {
        let tensors = Operand::Tensors(factors.map(Some).into());
        let replaced = node.with_operands(|name, _| (name == "tensors").then(|| tensors.clone()));
        real_result(&table::aten(cx, &replaced)?)
    })
}

/// Appends a product, given a function that appends the product of two parts.
fn of_products(
    cx: &mut Lowering<'_>,
    operands: [Parts; 2],
    mut product: impl FnMut(&mut Lowering<'_>, [ValueId; 2]) -> Result<ValueId, LoweringError>,
) -> LoweringResult {
    match operands {
        [Parts::Real(x), Parts::Real(y)] => single(product(cx, [x, y])?),
        [Parts::Complex([re, im]), Parts::Real(y)] => single([product(cx, [re, y])?, product(cx, [im, y])?]),
        [Parts::Real(x), Parts::Complex([re, im])] => single([product(cx, [x, re])?, product(cx, [x, im])?]),
        [Parts::Complex(x), Parts::Complex(y)] => {
            let [rr, ii] = [product(cx, [x[0], y[0]])?, product(cx, [x[1], y[1]])?];
            let [ri, ir] = [product(cx, [x[0], y[1]])?, product(cx, [x[1], y[0]])?];
            single([cx.b.binary(BinaryOp::Sub, rr, ii), cx.b.binary(BinaryOp::Add, ri, ir)])
        }
    }
}

/// Lowers a conversion from or to complex numbers. From a real number the imaginary part is 0; to a real number it is
/// dropped.
fn convert(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let target = node.result_type(0)?;
    let dtype = target.part.dtype;
    match parts(cx, node, "self", dtype)? {
        Parts::Complex([re, _]) if !target.is_complex => single(re),
        parts => single(promoted(cx, parts)),
    }
}

/// Lowers an operation that writes numbers. Their imaginary parts are zero, unless a number is complex.
fn with_numbers(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let has_complex_number =
        ["fill_value", "value", "s"].iter().any(|name| matches!(node.operand(name), Operand::ComplexNumber(..)));
    let part = |cx: &mut Lowering<'_>, i: usize| {
        let replaced = node.with_operands(|name, operand| match operand {
            Operand::Complex(pair) => Some(Operand::Tensor(pair[i])),
            Operand::ComplexNumber(re, im) => Some(Operand::Float([*re, *im][i])),
            _ if i == 1 && name == "value" && operand.number().is_some() => Some(Operand::Int(0)),
            _ => None,
        });
        real_result(&table::aten(cx, &replaced)?)
    };
    let real = part(cx, 0)?;
    let keeps_elements = matches!(table::without_copy(node.op), "pad" | "constant_pad_nd");
    let imaginary = match keeps_elements || has_complex_number {
        true => part(cx, 1)?,
        false => cx.b.splat_like(real, Scalar::Int(0)),
    };
    single([real, imaginary])
}

/// Lowers an operation that is applied to both parts. Indices and conditions are used by both; other real operands are
/// promoted.
fn each_part(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let dtype = part_type(cx, node)?;
    let mut outs: [Outs; 2] = Default::default();
    for (i, outs) in outs.iter_mut().enumerate() {
        let part = |cx: &mut Lowering<'_>, parts: Parts| promoted(cx, parts)[i];
        let replaced = node.with_operands(|name, operand| match operand {
            Operand::Complex(pair) => Some(Operand::Tensor(pair[i])),
            Operand::ComplexTensors(tensors) => {
                Some(Operand::Tensors(tensors.iter().map(|parts| parts.map(|parts| part(cx, parts))).collect()))
            }
            Operand::ComplexNumber(re, im) => Some(Operand::Float([*re, *im][i])),
            Operand::Tensor(x) if ["self", "other", "src", "source", "values", "value"].contains(&name) => {
                let x = cx.converted(*x, dtype);
                Some(Operand::Tensor(part(cx, Parts::Real(x))))
            }
            // The imaginary part of a number that is an element.
            _ if i == 1 && ["self", "other", "value"].contains(&name) && operand.number().is_some() => {
                Some(Operand::Int(0))
            }
            _ => None,
        });
        *outs = table::aten(cx, &replaced)?;
    }
    let [re, im] = outs;
    let joined = |(re, im): (Option<Parts>, Option<Parts>)| match (re?, im?) {
        (Parts::Real(re), Parts::Real(im)) => Some(Parts::Complex([re, im])),
        _ => None,
    };
    Ok(re.into_iter().zip(im).map(joined).collect())
}

//! Lowering of quantised tensors: `real = scale (quantised - zero point)`.

use super::elementwise::{converted, saturated};
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, Out, dim, malformed, single, size, unsupported};
use super::window::{convolve, with_bias};
use crate::tensors::dtype_of;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, Fill, Softmax, UnaryOp};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Scale and zero point of a tensor.
#[derive(Clone, Copy)]
struct Quantization {
    scale: ValueId,
    zero_point: Option<ValueId>,
}

impl Quantization {
    /// Returns the quantisation with the shapes of its parameters as those that broadcast to `shape`.
    fn along(self, cx: &mut Lowering<'_>, node: &Node<'_>, shape: &Shape) -> Result<Quantization, LoweringError> {
        let block = size(node.int("block_size", 0), "block size")?;
        let axis = node.int("axis", 1);
        Ok(Quantization {
            scale: along_axis(cx, self.scale, shape, axis, block)?,
            zero_point: self.zero_point.map(|zero| along_axis(cx, zero, shape, axis, block)).transpose()?,
        })
    }

    /// Appends the quantisation of `x` to an element type. Integers saturate, and floats if `saturates` is true.
    fn quantize_to(
        self,
        cx: &mut Lowering<'_>,
        x: ValueId,
        to: DType,
        saturates: bool,
    ) -> Result<ValueId, LoweringError> {
        let wide = cx.dtype(x);
        let scale = converted(cx, self.scale, wide);
        let scaled = cx.div(x, scale)?;
        let rounds = to.is_int();
        let mut number = if rounds { cx.b.unary(UnaryOp::RoundEven, scaled) } else { scaled };
        if let Some(zero) = self.zero_point {
            let zero = converted(cx, zero, wide);
            number = cx.add(number, zero)?;
        }
        if !rounds {
            return Ok(if saturates { saturated(cx, number, to) } else { converted(cx, number, to) });
        }
        let [low, high] = [Fill::Lowest, Fill::Highest].map(|fill| Scalar::Float(fill.scalar(to).to_f64()));
        let number = cx.b.clamp(number, low, high);
        Ok(cx.b.convert(number, to))
    }

    /// Appends the quantisation of `x` to an element type, with saturation.
    fn quantize(self, cx: &mut Lowering<'_>, x: ValueId, to: DType) -> Result<ValueId, LoweringError> {
        self.quantize_to(cx, x, to, true)
    }

    /// Appends the real numbers of quantised ones, in `f32`.
    fn dequantize(self, cx: &mut Lowering<'_>, x: ValueId) -> Result<ValueId, LoweringError> {
        let mut number = converted(cx, x, DType::F32);
        if let Some(zero) = self.zero_point {
            let zero = converted(cx, zero, DType::F32);
            number = cx.sub(number, zero)?;
        }
        let scale = converted(cx, self.scale, DType::F32);
        cx.mul(number, scale)
    }
}

/// Reshapes a parameter of a quantisation so that it broadcasts: one number, one for each element of an axis, or one
/// for each block of elements of an axis.
fn along_axis(
    cx: &mut Lowering<'_>,
    value: ValueId,
    shape: &Shape,
    axis: i64,
    block: usize,
) -> Result<ValueId, LoweringError> {
    let own = cx.shape(value);
    if own.count() == 1 && own.rank() <= 1 {
        return cx.reshape(value, Shape::scalar());
    }
    let axis = dim(axis, shape.rank())?;
    if block > 0 {
        if own.rank() != shape.rank() || own[axis].checked_mul(block).is_none_or(|n| n < shape[axis]) {
            return malformed(format!("has a scale or zero point of {own} for blocks of {block} of {shape}"));
        }
        let mut wide = own.clone();
        wide.0.insert(axis + 1, block);
        let places: Vec<usize> = (0..wide.rank()).filter(|&d| d != axis + 1).collect();
        let repeated = cx.b.broadcast(value, &places, wide);
        let mut joined = own;
        joined[axis] *= block;
        let repeated = cx.b.reshape(repeated, joined);
        return Ok(cx.b.slice_dim(repeated, axis, 0, shape[axis]));
    }
    if own[..] != [shape[axis]] {
        return malformed(format!("has a scale or zero point of {own} for dimension {axis} of {shape}"));
    }
    let mut wide = Shape::from(&vec![1; shape.rank()][..]);
    wide[axis] = shape[axis];
    Ok(cx.b.reshape(value, wide))
}

/// Returns the element type that an attribute specifies, if any.
fn dtype_attribute(node: &Node<'_>, name: &str) -> Result<Option<DType>, LoweringError> {
    match node.int(name, 0) {
        0 => Ok(None),
        number => dtype_of(i32::try_from(number).unwrap_or(-1)).map(Some).map_err(LoweringError::DType),
    }
}

/// Lowers `QuantizeLinear`. The element type is that of the zero point, of the attribute `output_dtype`, or `u8`.
pub fn quantize_linear(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let own = Quantization { scale: node.arg(1)?, zero_point: node.optional(2) };
    let to = match own.zero_point {
        Some(zero) => cx.dtype(zero),
        None => dtype_attribute(node, "output_dtype")?.unwrap_or(DType::U8),
    };
    let shape = cx.shape(x);
    let own = own.along(cx, node, &shape)?;
    let from = cx.dtype(x);
    // The quotient has the precision of the attribute, or of the operands.
    let wide = match dtype_attribute(node, "precision")? {
        Some(precision) => precision,
        None if from.is_float() && cx.dtype(own.scale) == from => from,
        None => DType::F32,
    };
    let x = converted(cx, x, wide);
    single(own.quantize_to(cx, x, to, node.flag("saturate", true))?)
}

/// Lowers `DequantizeLinear`. The element type is that of the attribute `output_dtype`, or of the scale.
pub fn dequantize_linear(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let x = node.arg(0)?;
    let own = Quantization { scale: node.arg(1)?, zero_point: node.optional(2) };
    let to = dtype_attribute(node, "output_dtype")?.unwrap_or(cx.dtype(own.scale));
    let shape = cx.shape(x);
    let own = own.along(cx, node, &shape)?;
    let out = own.dequantize(cx, x)?;
    single(converted(cx, out, to))
}

/// Lowers the quantisation to `u8` of the range of the operand, which is extended to include 0. The further results are
/// the scale and the zero point.
pub fn dynamic_quantize(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    Ok(quantize_range(cx, node.arg(0)?)?.into_iter().map(Out::Value).collect())
}

/// Appends the quantisation to `u8` of the range of `x`, which is extended to include 0. Returns the result, the scale
/// and the zero point.
fn quantize_range(cx: &mut Lowering<'_>, x: ValueId) -> Result<[ValueId; 3], LoweringError> {
    cx.require_float(x)?;
    let all: Dims = (0..cx.rank(x)).collect();
    let [low, high] = [(Monoid::Min, BinaryOp::Min), (Monoid::Max, BinaryOp::Max)].map(|(monoid, op)| {
        let bound = cx.b.reduce_dims(monoid, x, all.clone());
        cx.b.binary_scalar(op, bound, 0.0)
    });
    let range = cx.b.binary(BinaryOp::Sub, high, low);
    let nonzero = cx.compare_scalar(range, Direction::Ne, Scalar::Float(0.0));
    let range = cx.select_or(nonzero, range, Scalar::Float(1.0))?;
    let scale = cx.b.binary_scalar(BinaryOp::Div, range, 255.0);
    let zero = cx.b.binary(BinaryOp::Div, low, scale);
    let zero = cx.b.unary(UnaryOp::Neg, zero);
    let zero = cx.b.clamp(zero, Scalar::Float(0.0), Scalar::Float(255.0));
    let zero = cx.b.unary(UnaryOp::RoundEven, zero);
    let zero = cx.b.convert(zero, DType::U8);
    let quantized = Quantization { scale, zero_point: Some(zero) }.quantize(cx, x, DType::U8)?;
    Ok([quantized, scale, zero])
}

/// A quantised matrix, whose scale and zero point are numbers or have an element for each column.
#[derive(Clone, Copy)]
pub struct QuantizedMatrix {
    pub matrix: ValueId,
    pub scale: ValueId,
    pub zero_point: ValueId,
}

impl QuantizedMatrix {
    /// Appends the product of `x`, which is quantised in its range, and the matrix.
    pub fn product(self, cx: &mut Lowering<'_>, x: ValueId) -> Result<ValueId, LoweringError> {
        let [x, x_scale, x_zero] = quantize_range(cx, x)?;
        let sums = integer_product(cx, (x, Some(x_zero)), (self.matrix, Some(self.zero_point)))?;
        let sums = cx.b.convert(sums, DType::F32);
        let scale = cx.mul(x_scale, self.scale)?;
        cx.mul(sums, scale)
    }
}

/// Returns the distance of quantised numbers to their zero point, in `i32`.
fn centred(cx: &mut Lowering<'_>, x: ValueId, zero: Option<ValueId>) -> Result<ValueId, LoweringError> {
    let x = converted(cx, x, DType::I32);
    match zero {
        Some(zero) => {
            let zero = converted(cx, zero, DType::I32);
            cx.sub(x, zero)
        }
        None => Ok(x),
    }
}

/// Reshapes a parameter with one number for each row of a matrix so that it broadcasts to the matrix.
fn per_row(cx: &mut Lowering<'_>, value: ValueId) -> ValueId {
    match cx.shape(value)[..] {
        [n] if n > 1 => cx.b.reshape(value, [n, 1]),
        _ => value,
    }
}

/// Appends the product of quantised matrices, in `i32`.
fn integer_product(
    cx: &mut Lowering<'_>,
    (x, x_zero): (ValueId, Option<ValueId>),
    (y, y_zero): (ValueId, Option<ValueId>),
) -> Result<ValueId, LoweringError> {
    let x_zero = x_zero.map(|zero| per_row(cx, zero));
    let (x, y) = (centred(cx, x, x_zero)?, centred(cx, y, y_zero)?);
    cx.matmul(x, y)
}

/// Lowers the product of quantised matrices, in `i32`.
pub fn matmul_integer(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, y) = ((node.arg(0)?, node.optional(2)), (node.arg(1)?, node.optional(3)));
    single(integer_product(cx, x, y)?)
}

/// Lowers the product of quantised matrices in real numbers, with an optional bias.
pub fn matmul_integer_to_float(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, y) = ((node.arg(0)?, node.optional(4)), (node.arg(1)?, node.optional(5)));
    let scale = cx.mul(node.arg(2)?, node.arg(3)?)?;
    let product = integer_product(cx, x, y)?;
    let dtype = cx.dtype(scale);
    let product = converted(cx, product, dtype);
    let out = cx.mul(product, scale)?;
    single(match node.optional(6) {
        Some(bias) => cx.add(out, bias)?,
        None => out,
    })
}

/// Quantises sums of products: they are scaled by the scales of the operands and of the result.
fn requantize(
    cx: &mut Lowering<'_>,
    sums: ValueId,
    [x_scale, y_scale, scale]: [ValueId; 3],
    zero: ValueId,
) -> LoweringResult {
    let operands = cx.mul(x_scale, y_scale)?;
    let factor = cx.div(operands, scale)?;
    let factor = converted(cx, factor, DType::F32);
    let sums = cx.b.convert(sums, DType::F32);
    let scaled = cx.mul(sums, factor)?;
    let one = cx.b.scalar(DType::F32, Scalar::Float(1.0));
    let to = cx.dtype(zero);
    single(Quantization { scale: one, zero_point: Some(zero) }.quantize(cx, scaled, to)?)
}

/// Lowers the quantised product of quantised matrices.
pub fn qlinear_matmul(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, y) = ((node.arg(0)?, Some(node.arg(2)?)), (node.arg(3)?, Some(node.arg(5)?)));
    let product = integer_product(cx, x, y)?;
    let x_scale = per_row(cx, node.arg(1)?);
    requantize(cx, product, [x_scale, node.arg(4)?, node.arg(6)?], node.arg(7)?)
}

/// Reshapes a parameter with one number for each feature so that it broadcasts to `[feature, ..]` (`leading` is 0) or
/// `[batch, feature, ..]` (`leading` is 1).
fn per_feature(cx: &mut Lowering<'_>, value: ValueId, rank: usize, leading: usize) -> ValueId {
    match cx.shape(value)[..] {
        [n] => {
            let mut shape = Shape::from(&vec![1; rank][..]);
            shape[leading] = n;
            cx.b.reshape(value, shape)
        }
        _ => value,
    }
}

/// Lowers a convolution of quantised numbers, in `i32`.
pub fn conv_integer(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let weight = node.arg(1)?;
    let rank = cx.rank(weight);
    let zero = node.optional(3).map(|zero| per_feature(cx, zero, rank, 0));
    let (x, weight) = (centred(cx, node.arg(0)?, node.optional(2))?, centred(cx, weight, zero)?);
    single(convolve(cx, node, x, weight)?)
}

/// Lowers the quantised convolution of quantised numbers, with an optional bias in `i32`.
pub fn qlinear_conv(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let weight = node.arg(3)?;
    let rank = cx.rank(weight);
    let zero = per_feature(cx, node.arg(5)?, rank, 0);
    let (x, weight) = (centred(cx, node.arg(0)?, node.optional(2))?, centred(cx, weight, Some(zero))?);
    let sums = convolve(cx, node, x, weight)?;
    let sums = with_bias(cx, sums, node.optional(8))?;
    let weight_scale = per_feature(cx, node.arg(4)?, rank, 1);
    requantize(cx, sums, [node.arg(1)?, weight_scale, node.arg(6)?], node.arg(7)?)
}

/// Lowers an elementwise operation of quantised numbers (`QLinearAdd`, `QLinearMul` of ONNX Runtime).
pub fn qlinear_binary(cx: &mut Lowering<'_>, node: &Node<'_>, op: BinaryOp) -> LoweringResult {
    let x = Quantization { scale: node.arg(1)?, zero_point: node.optional(2) }.dequantize(cx, node.arg(0)?)?;
    let y = Quantization { scale: node.arg(4)?, zero_point: node.optional(5) }.dequantize(cx, node.arg(3)?)?;
    let out = cx.binary(op, x, y)?;
    let to = cx.dtype(node.arg(0)?);
    single(Quantization { scale: node.arg(6)?, zero_point: node.optional(7) }.quantize(cx, out, to)?)
}

/// Lowers the sigmoid function of quantised numbers.
pub fn qlinear_sigmoid(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    qlinear_function(cx, node, |cx, x| Ok(cx.b.unary(UnaryOp::Sigmoid, x)))
}

/// Lowers the softmax of quantised numbers. Up to opset 12, which is an attribute, all dimensions from the axis on are
/// flattened into one.
pub fn qlinear_softmax(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    qlinear_function(cx, node, |cx, x| {
        let shape = cx.shape(x);
        let axis = dim(node.int("axis", -1), shape.rank())?;
        if node.int("opset", 13) >= 13 {
            return cx.op("softmax", Softmax { dim: axis }, &[x]);
        }
        let count = |dims: &[usize]| dims.iter().copied().fold(1, usize::saturating_mul);
        let flat = cx.b.reshape(x, [count(&shape[..axis]), count(&shape[axis..])]);
        let flat = cx.op("softmax", Softmax { dim: 1 }, &[flat])?;
        Ok(cx.b.reshape(flat, shape))
    })
}

/// Lowers the mean of each channel of quantised numbers.
pub fn qlinear_global_average(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    if node.flag("channels_last", false) {
        return unsupported("channels as the last dimension");
    }
    qlinear_function(cx, node, |cx, x| {
        let space: Vec<usize> = (2..cx.rank(x)).collect();
        Ok(cx.b.mean_keep(x, &space))
    })
}

/// Lowers a function of quantised numbers, whose results are quantised.
fn qlinear_function(
    cx: &mut Lowering<'_>,
    node: &Node<'_>,
    function: impl FnOnce(&mut Lowering<'_>, ValueId) -> Result<ValueId, LoweringError>,
) -> LoweringResult {
    let x = Quantization { scale: node.arg(1)?, zero_point: node.optional(2) }.dequantize(cx, node.arg(0)?)?;
    let out = function(cx, x)?;
    let to = cx.dtype(node.arg(0)?);
    single(Quantization { scale: node.arg(3)?, zero_point: node.optional(4) }.quantize(cx, out, to)?)
}

/// Lowers the concatenation of quantised tensors, each with its own scale and zero point.
pub fn qlinear_concat(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let args = node.all_args()?;
    let [scale, zero_point, rest @ ..] = &args[..] else { return malformed("lacks a scale and a zero point") };
    let (to, own) = (cx.dtype(*zero_point), Quantization { scale: *scale, zero_point: Some(*zero_point) });
    let mut parts = Vec::new();
    for operand in rest.chunks(3) {
        let &[x, scale, zero_point] = operand else { return malformed("has an operand without a zero point") };
        let x = Quantization { scale, zero_point: Some(zero_point) }.dequantize(cx, x)?;
        parts.push(own.quantize(cx, x, to)?);
    }
    let Some(&first) = parts.first() else { return malformed("has no operands") };
    let axis = dim(node.int("axis", 0), cx.rank(first))?;
    single(cx.concat(&parts, axis)?)
}

/// Lowers `alpha x' y' + c` of quantised matrices, where `'` is an optional transposition. The result is quantised if
/// it has a scale. The scale of `c` is that of the product.
pub fn qgemm(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let mut operands = [node.arg(0)?, node.arg(3)?];
    for (operand, attribute) in operands.iter_mut().zip(["transA", "transB"]) {
        if cx.rank(*operand) != 2 {
            return malformed(format!("multiplies {}", cx.b.ty(*operand)));
        }
        if node.flag(attribute, false) {
            *operand = cx.b.swap_dims(*operand, 0, 1);
        }
    }
    let [x, y] = operands;
    let mut sums = integer_product(cx, (x, node.optional(2)), (y, node.optional(5)))?;
    if let Some(c) = node.optional(6) {
        sums = cx.add(sums, c)?;
    }
    let (x_scale, y_scale) = (node.arg(1)?, node.arg(4)?);
    let x_scale = cx.b.binary_scalar(BinaryOp::Mul, x_scale, node.float("alpha", 1.0));
    match (node.optional(7), node.optional(8)) {
        (Some(scale), Some(zero)) => requantize(cx, sums, [x_scale, y_scale, scale], zero),
        (None, None) => {
            let scale = cx.mul(x_scale, y_scale)?;
            let sums = cx.b.convert(sums, DType::F32);
            single(cx.mul(sums, scale)?)
        }
        _ => malformed("needs a scale and a zero point of its result, or neither"),
    }
}

/// Lowers the product with a matrix `[n, k]` that is quantised in blocks of `block_size` columns and packed into bytes,
/// the lowest bits first (`MatMulNBits` of ONNX Runtime).
pub fn matmul_bits(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    let (x, packed, scales) = (node.arg(0)?, node.arg(1)?, node.arg(2)?);
    let attribute = |name| size(node.int(name, 0), name);
    let (n, k, block) = (attribute("N")?, attribute("K")?, attribute("block_size")?);
    let bits = size(node.int("bits", 4), "number of bits")?;
    if ![2, 4, 8].contains(&bits) || block == 0 || node.optional(4).is_some() {
        return unsupported(format!("{bits} bits, blocks of {block}, or an order of columns"));
    }
    let dtype = cx.dtype(x);
    let blocks = k.div_ceil(block);
    let width = blocks.saturating_mul(block);
    let codes = unpacked(cx, packed, bits, [n, width])?;
    let codes = cx.b.reshape(codes, [n, blocks, block]);
    let codes = converted(cx, codes, dtype);
    let zero = match node.optional(3) {
        None => cx.b.scalar(dtype, Scalar::Int(1 << (bits - 1))),
        Some(zero) if cx.dtype(zero).is_float() => cx.reshape(zero, [n, blocks, 1])?,
        Some(zero) => {
            let per_byte = 8 / bits;
            let zero = unpacked(cx, zero, bits, [n, blocks.div_ceil(per_byte) * per_byte])?;
            let zero = cx.b.slice_dim(zero, 1, 0, blocks);
            cx.b.reshape(zero, [n, blocks, 1])
        }
    };
    let zero = converted(cx, zero, dtype);
    let scales = cx.reshape(scales, [n, blocks, 1])?;
    let scales = converted(cx, scales, dtype);
    let distance = cx.sub(codes, zero)?;
    let weight = cx.mul(distance, scales)?;
    let weight = cx.b.reshape(weight, [n, width]);
    let weight = cx.b.slice_dim(weight, 1, 0, k);
    let weight = cx.b.swap_dims(weight, 0, 1);
    let out = cx.matmul(x, weight)?;
    single(match node.optional(5) {
        Some(bias) => cx.add(out, bias)?,
        None => out,
    })
}

/// Returns the numbers that are packed into bytes, as `u8` of the given shape.
fn unpacked(
    cx: &mut Lowering<'_>,
    packed: ValueId,
    bits: usize,
    [rows, columns]: [usize; 2],
) -> Result<ValueId, LoweringError> {
    if cx.dtype(packed) != DType::U8 {
        return malformed(format!("has packed numbers of {}", cx.b.ty(packed)));
    }
    let per_byte = 8 / bits;
    let bytes = cx.reshape(packed, [rows, columns / per_byte])?;
    if bits == 8 {
        return Ok(bytes);
    }
    let parts: Vec<ValueId> = (0..per_byte)
        .map(|i| {
            let shifted = cx.b.binary_scalar(BinaryOp::ShiftRightLogical, bytes, (i * bits) as f64);
            let part = cx.b.binary_scalar(BinaryOp::And, shifted, ((1 << bits) - 1) as f64);
            cx.b.unsqueeze(part, 2)
        })
        .collect();
    let all = cx.b.concatenate(&parts, 2);
    Ok(cx.b.reshape(all, [rows, columns]))
}

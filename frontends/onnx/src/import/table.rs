//! Dispatch of ONNX operations, by name, to lowering functions.

use super::activation::{self, activation};
use super::elementwise::{self, binary, compare, unary, variadic};
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, single};
use super::opsets::Domain;
use super::recurrent::Cell;
use super::{
    attention, contraction, creation, fused, indexing, linear, losses, movement, normalization, optimizers,
    packed_attention, pooling, quantization, recurrent, reduction, resize, rotary, sampling, selection, signal, text,
    window,
};
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};

/// Appends the lowering of a node to the program, and returns its results. Errors: an unsupported operation, or those
/// of the lowering function.
pub fn lower(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    match node.domain {
        Domain::Onnx => onnx(cx, node),
        Domain::Microsoft => microsoft(cx, node),
        // `FlexAttention` has graphs and is imported before.
        Domain::Preview => Err(LoweringError::Unsupported),
        Domain::Training => training(cx, node),
    }
}

/// Lowers an optimizer.
fn training(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    match node.op() {
        "Adagrad" => optimizers::adagrad(cx, node),
        "Adam" => optimizers::adam(cx, node),
        "Momentum" => optimizers::momentum(cx, node),
        _ => Err(LoweringError::Unsupported),
    }
}

/// Lowers an operation that ONNX Runtime adds.
fn microsoft(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    match node.op() {
        "BiasGelu" | "Gelu" => activation::bias_gelu(cx, node, false),
        "FastGelu" => activation::bias_gelu(cx, node, true),
        "QuickGelu" => activation(cx, node),
        "BiasAdd" => single(variadic(cx, node, BinaryOp::Add)?),
        "FusedMatMul" => contraction::fused_matmul(cx, node),
        "FusedGemm" => fused::gemm(cx, node),
        "FusedConv" => fused::convolution(cx, node),
        "EmbedLayerNormalization" => fused::embed_layer_norm(cx, node),
        "MatMulNBits" => quantization::matmul_bits(cx, node),
        "MatMulIntegerToFloat" => quantization::matmul_integer_to_float(cx, node),
        "QuantizeLinear" => quantization::quantize_linear(cx, node),
        "DequantizeLinear" => quantization::dequantize_linear(cx, node),
        "QLinearAdd" => quantization::qlinear_binary(cx, node, BinaryOp::Add),
        "QLinearMul" => quantization::qlinear_binary(cx, node, BinaryOp::Mul),
        "QLinearSigmoid" => quantization::qlinear_sigmoid(cx, node),
        "QLinearSoftmax" => quantization::qlinear_softmax(cx, node),
        "QLinearGlobalAveragePool" => quantization::qlinear_global_average(cx, node),
        "QLinearConcat" => quantization::qlinear_concat(cx, node),
        "QGemm" => quantization::qgemm(cx, node),
        "DynamicQuantizeLSTM" => recurrent::recurrent(cx, node, Cell::Lstm),
        "Attention" => packed_attention::attention(cx, node),
        "MultiHeadAttention" => attention::multi_head(cx, node),
        "GroupQueryAttention" => attention::group_query(cx, node),
        "RotaryEmbedding" => rotary::rotary_embedding(cx, node),
        "SkipLayerNormalization" | "SkipSimplifiedLayerNormalization" => normalization::skip_norm(cx, node),
        "Trilu" => creation::trilu(cx, node),
        _ => Err(LoweringError::Unsupported),
    }
}

/// Lowers an operation of ONNX.
fn onnx(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    match node.op() {
        // elementwise
        "Abs" => unary(cx, node, UnaryOp::Abs),
        "Neg" => unary(cx, node, UnaryOp::Neg),
        "Sign" => unary(cx, node, UnaryOp::Sign),
        "Floor" => unary(cx, node, UnaryOp::Floor),
        "Ceil" => unary(cx, node, UnaryOp::Ceil),
        "Round" => unary(cx, node, UnaryOp::RoundEven),
        "Exp" => unary(cx, node, UnaryOp::Exp),
        "Log" => unary(cx, node, UnaryOp::Log),
        "Sqrt" => unary(cx, node, UnaryOp::Sqrt),
        "Reciprocal" => unary(cx, node, UnaryOp::Reciprocal),
        "Sin" => unary(cx, node, UnaryOp::Sin),
        "Cos" => unary(cx, node, UnaryOp::Cos),
        "Tan" => unary(cx, node, UnaryOp::Tan),
        "Asin" => unary(cx, node, UnaryOp::Asin),
        "Acos" => unary(cx, node, UnaryOp::Acos),
        "Atan" => unary(cx, node, UnaryOp::Atan),
        "Sinh" => unary(cx, node, UnaryOp::Sinh),
        "Cosh" => unary(cx, node, UnaryOp::Cosh),
        "Tanh" => unary(cx, node, UnaryOp::Tanh),
        "Asinh" => unary(cx, node, UnaryOp::Asinh),
        "Acosh" => unary(cx, node, UnaryOp::Acosh),
        "Atanh" => unary(cx, node, UnaryOp::Atanh),
        "Erf" => unary(cx, node, UnaryOp::Erf),
        "Relu" => unary(cx, node, UnaryOp::Relu),
        "Sigmoid" => unary(cx, node, UnaryOp::Sigmoid),
        "Not" | "BitwiseNot" => unary(cx, node, UnaryOp::Not),
        "IsNaN" => unary(cx, node, UnaryOp::IsNan),
        "IsInf" => elementwise::is_inf(cx, node),
        "Add" => binary(cx, node, BinaryOp::Add),
        "Sub" => binary(cx, node, BinaryOp::Sub),
        "Mul" => binary(cx, node, BinaryOp::Mul),
        "Div" => elementwise::divide(cx, node),
        "And" | "BitwiseAnd" => binary(cx, node, BinaryOp::And),
        "Or" | "BitwiseOr" => binary(cx, node, BinaryOp::Or),
        "Xor" | "BitwiseXor" => binary(cx, node, BinaryOp::Xor),
        "BitShift" => elementwise::shift(cx, node),
        "Pow" => elementwise::power(cx, node),
        "Mod" => elementwise::modulo(cx, node),
        "Equal" => compare(cx, node, Direction::Eq),
        "Less" => compare(cx, node, Direction::Lt),
        "LessOrEqual" => compare(cx, node, Direction::Le),
        "Greater" => compare(cx, node, Direction::Gt),
        "GreaterOrEqual" => compare(cx, node, Direction::Ge),
        "Max" => single(variadic(cx, node, BinaryOp::Max)?),
        "Min" => single(variadic(cx, node, BinaryOp::Min)?),
        "Sum" => single(variadic(cx, node, BinaryOp::Add)?),
        "Mean" => elementwise::mean(cx, node),
        "Where" => elementwise::select(cx, node),
        "Clip" => elementwise::clip(cx, node),
        "PRelu" => activation::prelu(cx, node),
        "Cast" => elementwise::cast(cx, node),
        "CastLike" => elementwise::cast_like(cx, node),
        "Dropout" => elementwise::dropout(cx, node),
        "Identity" => single(node.arg(0)?),
        "LeakyRelu" | "Elu" | "Celu" | "Selu" | "ThresholdedRelu" | "HardSigmoid" | "HardSwish" | "Softplus"
        | "Mish" | "Softsign" | "Gelu" | "Swish" => activation(cx, node),
        "Shrink" => activation::shrink(cx, node),
        "SwiGLU" => activation::swiglu(cx, node),
        "BitCast" => elementwise::bit_cast(cx, node),
        // shapes and creation
        "Shape" => elementwise::shape_of(cx, node),
        "Size" => elementwise::element_count(cx, node),
        "ConstantOfShape" => creation::constant_of_shape(cx, node),
        "Range" => creation::range(cx, node),
        "EyeLike" => creation::eye_like(cx, node),
        "HannWindow" | "HammingWindow" | "BlackmanWindow" => creation::cosine_window(cx, node),
        // data movement
        "Reshape" => movement::reshape(cx, node),
        "Flatten" => movement::flatten(cx, node),
        "Transpose" => movement::transpose(cx, node),
        "Squeeze" => movement::squeeze(cx, node),
        "Unsqueeze" => movement::unsqueeze(cx, node),
        "Concat" => movement::concat(cx, node),
        "Split" => movement::split(cx, node),
        "Slice" => movement::slice(cx, node),
        "Expand" => movement::expand(cx, node),
        "Tile" => movement::tile(cx, node),
        "Pad" => movement::pad(cx, node),
        "Trilu" => creation::trilu(cx, node),
        "CenterCropPad" => movement::center_crop_pad(cx, node),
        "Resize" => resize::resize(cx, node),
        "Upsample" => resize::upsample(cx, node),
        "DepthToSpace" | "SpaceToDepth" => movement::depth_space(cx, node),
        // indexing
        "Gather" => indexing::gather(cx, node),
        "GatherElements" => indexing::gather_elements(cx, node),
        "GatherND" => indexing::gather_nd(cx, node),
        "ScatterND" => indexing::scatter_nd(cx, node),
        "ScatterElements" | "Scatter" => indexing::scatter_elements(cx, node),
        "TensorScatter" => indexing::tensor_scatter(cx, node),
        "Compress" => indexing::compress(cx, node),
        "NonZero" => indexing::non_zero(cx, node),
        "ReverseSequence" => indexing::reverse_sequence(cx, node),
        "OneHot" => indexing::one_hot(cx, node),
        "TopK" => indexing::top_k(cx, node),
        // shapes that depend on operands
        "Unique" => selection::unique(cx, node),
        "NonMaxSuppression" => selection::non_max_suppression(cx, node),
        // signals and matrices
        "DFT" => signal::dft(cx, node),
        "STFT" => signal::stft(cx, node),
        "MelWeightMatrix" => signal::mel_weights(cx, node),
        "Det" => linear::determinant(cx, node),
        "TfIdfVectorizer" => text::tf_idf(cx, node),
        // contraction and convolution
        "MatMul" => contraction::matmul(cx, node),
        "Gemm" => contraction::gemm(cx, node),
        "Einsum" => contraction::einsum(cx, node),
        "Conv" => window::convolution(cx, node),
        "ConvTranspose" => window::transposed(cx, node),
        "CausalConvWithState" => window::causal_convolution(cx, node),
        "DeformConv" => sampling::deformable_convolution(cx, node),
        // quantised tensors
        "QuantizeLinear" => quantization::quantize_linear(cx, node),
        "DequantizeLinear" => quantization::dequantize_linear(cx, node),
        "DynamicQuantizeLinear" => quantization::dynamic_quantize(cx, node),
        "MatMulInteger" => quantization::matmul_integer(cx, node),
        "QLinearMatMul" => quantization::qlinear_matmul(cx, node),
        "ConvInteger" => quantization::conv_integer(cx, node),
        "QLinearConv" => quantization::qlinear_conv(cx, node),
        // recurrence
        "RNN" => recurrent::recurrent(cx, node, Cell::Rnn),
        "GRU" => recurrent::recurrent(cx, node, Cell::Gru),
        "LSTM" => recurrent::recurrent(cx, node, Cell::Lstm),
        "LinearAttention" => recurrent::linear_attention(cx, node),
        // sampling
        "GridSample" => sampling::grid_sample(cx, node),
        "AffineGrid" => sampling::affine_grid(cx, node),
        "RoiAlign" => sampling::roi_align(cx, node),
        // pooling, reduction and normalisation
        "MaxPool" => pooling::max_pool(cx, node),
        "AveragePool" => pooling::average_pool(cx, node),
        "GlobalMaxPool" | "GlobalAveragePool" => pooling::global_pool(cx, node),
        "LpPool" => pooling::lp_pool(cx, node),
        "GlobalLpPool" => pooling::global_lp_pool(cx, node),
        "MaxUnpool" => pooling::max_unpool(cx, node),
        "Col2Im" => pooling::col2im(cx, node),
        "ReduceSum" | "ReduceMean" | "ReduceMax" | "ReduceMin" | "ReduceProd" | "ReduceL1" | "ReduceL2"
        | "ReduceSumSquare" | "ReduceLogSum" | "ReduceLogSumExp" => reduction::reduce(cx, node),
        "ArgMax" => reduction::arg_extremum(cx, node, Direction::Gt),
        "ArgMin" => reduction::arg_extremum(cx, node, Direction::Lt),
        "CumSum" | "CumProd" => reduction::cumulative(cx, node),
        "Softmax" | "LogSoftmax" | "Hardmax" => reduction::softmax(cx, node),
        "LayerNormalization" => normalization::layer_norm(cx, node),
        "RMSNormalization" | "SimplifiedLayerNormalization" => normalization::rms_norm(cx, node),
        "BatchNormalization" => normalization::batch_norm(cx, node),
        "InstanceNormalization" | "GroupNormalization" => normalization::group_norm(cx, node),
        "LpNormalization" => normalization::lp_norm(cx, node),
        "MeanVarianceNormalization" => normalization::mean_variance_norm(cx, node),
        "LRN" => normalization::local_response_norm(cx, node),
        "Attention" => attention::attention(cx, node),
        "RotaryEmbedding" => rotary::rotary_embedding(cx, node),
        "SoftmaxCrossEntropyLoss" | "NegativeLogLikelihoodLoss" => losses::cross_entropy(cx, node),
        _ => Err(LoweringError::Unsupported),
    }
}

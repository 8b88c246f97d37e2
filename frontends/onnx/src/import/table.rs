//! Dispatch of ONNX operations, by name, to lowering functions.

use super::elementwise::{self, binary, compare, unary, variadic};
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, single};
use super::opsets::Domain;
use super::{contraction, indexing, movement, reduction, window};
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};

/// Appends the lowering of a node to the program, and returns its results. Errors: an unsupported operation, or those
/// of the lowering function.
pub fn lower(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    match node.domain {
        Domain::Onnx => onnx(cx, node),
        Domain::Microsoft => Err(LoweringError::Unsupported),
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
        "PRelu" => elementwise::prelu(cx, node),
        "Cast" => elementwise::cast(cx, node),
        "CastLike" => elementwise::cast_like(cx, node),
        "Dropout" => elementwise::dropout(cx, node),
        "Identity" => single(node.arg(0)?),
        "LeakyRelu" | "Elu" | "Celu" | "Selu" | "ThresholdedRelu" | "HardSigmoid" | "HardSwish" | "Softplus"
        | "Mish" | "Softsign" | "Gelu" => elementwise::activation(cx, node),
        // shapes and creation
        "Shape" => elementwise::shape_of(cx, node),
        "Size" => elementwise::element_count(cx, node),
        "ConstantOfShape" => movement::constant_of_shape(cx, node),
        "Range" => movement::range(cx, node),
        "EyeLike" => movement::eye_like(cx, node),
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
        "Trilu" => movement::trilu(cx, node),
        "DepthToSpace" | "SpaceToDepth" => movement::depth_space(cx, node),
        // indexing
        "Gather" => indexing::gather(cx, node),
        "GatherElements" => indexing::gather_elements(cx, node),
        "GatherND" => indexing::gather_nd(cx, node),
        "ScatterND" => indexing::scatter_nd(cx, node),
        "ScatterElements" => indexing::scatter_elements(cx, node),
        "OneHot" => indexing::one_hot(cx, node),
        "TopK" => indexing::top_k(cx, node),
        // contraction and convolution
        "MatMul" => contraction::matmul(cx, node),
        "Gemm" => contraction::gemm(cx, node),
        "Einsum" => contraction::einsum(cx, node),
        "Conv" => window::convolution(cx, node),
        "ConvTranspose" => window::transposed(cx, node),
        // pooling, reduction and normalisation
        "MaxPool" => window::max_pool(cx, node),
        "AveragePool" => window::average_pool(cx, node),
        "GlobalMaxPool" | "GlobalAveragePool" => window::global_pool(cx, node),
        "ReduceSum" | "ReduceMean" | "ReduceMax" | "ReduceMin" | "ReduceProd" | "ReduceL1" | "ReduceL2"
        | "ReduceSumSquare" | "ReduceLogSum" | "ReduceLogSumExp" => reduction::reduce(cx, node),
        "ArgMax" => reduction::arg_extremum(cx, node, Direction::Gt),
        "ArgMin" => reduction::arg_extremum(cx, node, Direction::Lt),
        "CumSum" => reduction::cumulative_sum(cx, node),
        "Softmax" | "LogSoftmax" => reduction::softmax(cx, node),
        "LayerNormalization" => reduction::layer_norm(cx, node),
        "BatchNormalization" => reduction::batch_norm(cx, node),
        "InstanceNormalization" | "GroupNormalization" => reduction::group_norm(cx, node),
        "LpNormalization" => reduction::lp_norm(cx, node),
        "SoftmaxCrossEntropyLoss" | "NegativeLogLikelihoodLoss" => reduction::cross_entropy(cx, node),
        _ => Err(LoweringError::Unsupported),
    }
}

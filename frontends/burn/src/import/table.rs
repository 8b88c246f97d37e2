//! Dispatch of Burn's operations to lowering functions: one exhaustive match per family, so that a new operation is a
//! compile error.

use super::elementwise::{self, binary_fn, compare_fn, predicate_fn, unary_fn};
use super::lowering::{Lowering, LoweringError, LoweringResult};
use super::{composite, contraction, convolution, indexing, movement, ordering, pooling, random, reduction};
use burn_ir::{
    ActivationOperationIr as Activation, BaseOperationIr as Base, BoolOperationIr as Bool, FloatOperationIr as Float,
    IntOperationIr as Int, ModuleOperationIr as Module, NumericOperationIr as Numeric, OperationIr,
};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};
use partita_ir::tensor::Scalar;

/// Appends the lowering of `op` to the program.
pub(super) fn lower(cx: &mut Lowering<'_>, op: &OperationIr) -> LoweringResult {
    match op {
        OperationIr::BaseFloat(op) | OperationIr::BaseInt(op) | OperationIr::BaseBool(op) => base(cx, op),
        OperationIr::NumericFloat(_, op) | OperationIr::NumericInt(_, op) => numeric(cx, op),
        OperationIr::Float(_, op) => float(cx, op),
        OperationIr::Int(op) => int(cx, op),
        OperationIr::Bool(op) => boolean(cx, op),
        OperationIr::Activation(op) => activation(cx, op),
        OperationIr::Module(op) => module(cx, op),
        // Tensors created from data are bound when they are first read; dropping a tensor has no effect.
        OperationIr::Init(_) | OperationIr::Drop(_) => Ok(()),
        OperationIr::Custom(_) => Err(LoweringError::Unsupported),
        OperationIr::Distributed(_) => Err(LoweringError::Unsupported),
    }
}

fn base(cx: &mut Lowering<'_>, op: &Base) -> LoweringResult {
    match op {
        Base::Reshape(op) => movement::reshape(cx, op),
        Base::SwapDims(op) => movement::swap_dims(cx, op),
        Base::Permute(op) => movement::permute(cx, op),
        Base::Flip(op) => movement::flip(cx, op),
        Base::Expand(op) => movement::expand(cx, op),
        Base::Slice(op) => movement::slice(cx, op),
        Base::SliceAssign(op) => movement::slice_assign(cx, op),
        Base::RepeatDim(op) => movement::repeat_dim(cx, op),
        Base::Cat(op) => movement::cat(cx, op),
        Base::Empty(op) | Base::Zeros(op) => movement::fill(cx, op, Scalar::Int(0)),
        Base::Ones(op) => movement::fill(cx, op, Scalar::Int(1)),
        Base::Unfold(op) => indexing::unfold(cx, op),
        Base::Select(op) => indexing::select(cx, op),
        Base::SelectAssign(op) => indexing::select_assign(cx, op),
        Base::Gather(op) => indexing::gather(cx, op),
        Base::Scatter(op) => indexing::scatter(cx, op),
        Base::GatherNd(op) => indexing::gather_nd(cx, op),
        Base::ScatterNd(op) => indexing::scatter_nd(cx, op),
        Base::MaskWhere(op) => elementwise::mask_where(cx, op),
        Base::MaskFill(op) => elementwise::mask_fill(cx, op),
        Base::Equal(op) => cx.binary(op, compare_fn(Direction::Eq)),
        Base::EqualElem(op) => cx.scalar_op(op, compare_fn(Direction::Eq)),
        Base::NotEqual(op) => cx.binary(op, compare_fn(Direction::Ne)),
        Base::NotEqualElem(op) => cx.scalar_op(op, compare_fn(Direction::Ne)),
        Base::Cast(op) => cx.cast(op),
        Base::All(op) => reduction::all_or_any(cx, &op.input, Monoid::And, None, &op.out),
        Base::Any(op) => reduction::all_or_any(cx, &op.input, Monoid::Or, None, &op.out),
        Base::AllDim(op) => reduction::all_or_any(cx, &op.input, Monoid::And, Some(op.axis), &op.out),
        Base::AnyDim(op) => reduction::all_or_any(cx, &op.input, Monoid::Or, Some(op.axis), &op.out),
    }
}

fn numeric(cx: &mut Lowering<'_>, op: &Numeric) -> LoweringResult {
    match op {
        Numeric::Add(op) => cx.binary(op, binary_fn(BinaryOp::Add)),
        Numeric::AddScalar(op) => cx.scalar_op(op, binary_fn(BinaryOp::Add)),
        Numeric::Sub(op) => cx.binary(op, binary_fn(BinaryOp::Sub)),
        Numeric::SubScalar(op) => cx.scalar_op(op, binary_fn(BinaryOp::Sub)),
        Numeric::Mul(op) => cx.binary(op, binary_fn(BinaryOp::Mul)),
        Numeric::MulScalar(op) => cx.scalar_op(op, binary_fn(BinaryOp::Mul)),
        Numeric::Div(op) => cx.binary(op, binary_fn(BinaryOp::Div)),
        Numeric::DivScalar(op) => cx.scalar_op(op, binary_fn(BinaryOp::Div)),
        Numeric::Rem(op) => cx.binary(op, |cx, x, y| cx.b.remainder(x, y)),
        Numeric::RemScalar(op) => cx.scalar_op(op, |cx, x, y| cx.b.remainder(x, y)),
        Numeric::Powi(op) => cx.binary(op, binary_fn(BinaryOp::Pow)),
        Numeric::PowiScalar(op) => elementwise::power(cx, op),
        Numeric::Abs(op) => cx.unary(op, unary_fn(UnaryOp::Abs)),
        Numeric::Neg(op) => cx.unary(op, unary_fn(UnaryOp::Neg)),
        Numeric::Sign(op) => cx.unary(op, unary_fn(UnaryOp::Sign)),
        Numeric::Clamp(op) => elementwise::clamp(cx, op),
        Numeric::ClampMin(op) => cx.scalar_op(op, binary_fn(BinaryOp::Max)),
        Numeric::ClampMax(op) => cx.scalar_op(op, binary_fn(BinaryOp::Min)),
        Numeric::Full(op) => movement::full(cx, op),
        Numeric::Pad(op) => movement::pad(cx, op),
        Numeric::IntRandom(op) => random::random(cx, op),
        Numeric::Greater(op) => cx.binary(op, compare_fn(Direction::Gt)),
        Numeric::GreaterElem(op) => cx.scalar_op(op, compare_fn(Direction::Gt)),
        Numeric::GreaterEqual(op) => cx.binary(op, compare_fn(Direction::Ge)),
        Numeric::GreaterEqualElem(op) => cx.scalar_op(op, compare_fn(Direction::Ge)),
        Numeric::Lower(op) => cx.binary(op, compare_fn(Direction::Lt)),
        Numeric::LowerElem(op) => cx.scalar_op(op, compare_fn(Direction::Lt)),
        Numeric::LowerEqual(op) => cx.binary(op, compare_fn(Direction::Le)),
        Numeric::LowerEqualElem(op) => cx.scalar_op(op, compare_fn(Direction::Le)),
        Numeric::Mean(op) => reduction::mean(cx, &op.input, None, &op.out),
        Numeric::MeanDim(op) => reduction::mean(cx, &op.input, Some(op.axis), &op.out),
        Numeric::Sum(op) => reduction::reduce_all(cx, op, Monoid::Sum),
        Numeric::SumDim(op) => reduction::reduce_dim(cx, op, Monoid::Sum),
        Numeric::SumDims(op) => reduction::sum_dims(cx, op),
        Numeric::Prod(op) => reduction::reduce_all(cx, op, Monoid::Prod),
        Numeric::ProdDim(op) => reduction::reduce_dim(cx, op, Monoid::Prod),
        Numeric::Max(op) => reduction::reduce_all(cx, op, Monoid::Max),
        Numeric::MaxDim(op) => reduction::reduce_dim(cx, op, Monoid::Max),
        Numeric::Min(op) => reduction::reduce_all(cx, op, Monoid::Min),
        Numeric::MinDim(op) => reduction::reduce_dim(cx, op, Monoid::Min),
        Numeric::MaxAbs(op) => reduction::max_abs(cx, &op.input, None, &op.out),
        Numeric::MaxAbsDim(op) => reduction::max_abs(cx, &op.input, Some(op.axis), &op.out),
        Numeric::ArgMax(op) => reduction::arg_extremum(cx, op, Direction::Gt),
        Numeric::ArgMin(op) => reduction::arg_extremum(cx, op, Direction::Lt),
        Numeric::MaxDimWithIndices(op) => reduction::extremum_with_index(cx, op, Direction::Gt),
        Numeric::MinDimWithIndices(op) => reduction::extremum_with_index(cx, op, Direction::Lt),
        Numeric::CumSum(op) => reduction::cumulative(cx, op, Monoid::Sum),
        Numeric::CumProd(op) => reduction::cumulative(cx, op, Monoid::Prod),
        Numeric::CumMin(op) => reduction::cumulative(cx, op, Monoid::Min),
        Numeric::CumMax(op) => reduction::cumulative(cx, op, Monoid::Max),
        Numeric::Sort(op) => ordering::sort(cx, op),
        Numeric::ArgSort(op) => ordering::argsort(cx, op),
        Numeric::SortWithIndices(op) => ordering::sort_with_indices(cx, op),
        Numeric::TopK(op) => {
            let k = op.out.shape.as_slice()[op.axis];
            ordering::top_k(cx, &op.input, op.axis, k, Some(&op.out), None)
        }
        Numeric::ArgTopK(op) => {
            let k = op.out.shape.as_slice()[op.axis];
            ordering::top_k(cx, &op.input, op.axis, k, None, Some(&op.out))
        }
        Numeric::TopKWithIndices(op) => {
            ordering::top_k(cx, &op.tensor, op.dim, op.k, Some(&op.out), Some(&op.out_indices))
        }
    }
}

fn float(cx: &mut Lowering<'_>, op: &Float) -> LoweringResult {
    match op {
        Float::Exp(op) => cx.unary(op, unary_fn(UnaryOp::Exp)),
        Float::Log(op) => cx.unary(op, unary_fn(UnaryOp::Log)),
        Float::Log1p(op) => cx.unary(op, unary_fn(UnaryOp::Log1p)),
        Float::Erf(op) => cx.unary(op, unary_fn(UnaryOp::Erf)),
        Float::Sqrt(op) => cx.unary(op, unary_fn(UnaryOp::Sqrt)),
        Float::Cos(op) => cx.unary(op, unary_fn(UnaryOp::Cos)),
        Float::Cosh(op) => cx.unary(op, unary_fn(UnaryOp::Cosh)),
        Float::Sin(op) => cx.unary(op, unary_fn(UnaryOp::Sin)),
        Float::Sinh(op) => cx.unary(op, unary_fn(UnaryOp::Sinh)),
        Float::Tan(op) => cx.unary(op, unary_fn(UnaryOp::Tan)),
        Float::Tanh(op) => cx.unary(op, unary_fn(UnaryOp::Tanh)),
        Float::ArcCos(op) => cx.unary(op, unary_fn(UnaryOp::Acos)),
        Float::ArcCosh(op) => cx.unary(op, unary_fn(UnaryOp::Acosh)),
        Float::ArcSin(op) => cx.unary(op, unary_fn(UnaryOp::Asin)),
        Float::ArcSinh(op) => cx.unary(op, unary_fn(UnaryOp::Asinh)),
        Float::ArcTan(op) => cx.unary(op, unary_fn(UnaryOp::Atan)),
        Float::ArcTanh(op) => cx.unary(op, unary_fn(UnaryOp::Atanh)),
        Float::Round(op) => cx.unary(op, unary_fn(UnaryOp::RoundEven)),
        Float::Floor(op) => cx.unary(op, unary_fn(UnaryOp::Floor)),
        Float::Ceil(op) => cx.unary(op, unary_fn(UnaryOp::Ceil)),
        Float::Trunc(op) => cx.unary(op, elementwise::truncate),
        Float::Recip(op) => cx.unary(op, unary_fn(UnaryOp::Reciprocal)),
        Float::IsNan(op) => cx.unary(op, predicate_fn(UnaryOp::IsNan)),
        Float::IsInf(op) => cx.unary(op, predicate_fn(UnaryOp::IsInf)),
        Float::ArcTan2(op) => cx.binary(op, binary_fn(BinaryOp::Atan2)),
        Float::Powf(op) => cx.binary(op, binary_fn(BinaryOp::Pow)),
        Float::PowfScalar(op) => elementwise::power(cx, op),
        Float::Hypot(op) => cx.binary(op, elementwise::hypot),
        Float::IntoInt(op) => cx.cast(op),
        Float::Matmul(op) => contraction::matmul(cx, op),
        Float::Cross(op) => contraction::cross(cx, op),
        Float::Random(op) => random::random(cx, op),
        Float::Quantize(_) => Err(LoweringError::Unsupported),
        Float::Dequantize(_) => Err(LoweringError::Unsupported),
        Float::GridSample2d(_) => Err(LoweringError::Unsupported),
    }
}

fn int(cx: &mut Lowering<'_>, op: &Int) -> LoweringResult {
    match op {
        Int::IntoFloat(op) => cx.cast(op),
        Int::BitwiseAnd(op) => cx.binary(op, binary_fn(BinaryOp::And)),
        Int::BitwiseAndScalar(op) => cx.scalar_op(op, binary_fn(BinaryOp::And)),
        Int::BitwiseOr(op) => cx.binary(op, binary_fn(BinaryOp::Or)),
        Int::BitwiseOrScalar(op) => cx.scalar_op(op, binary_fn(BinaryOp::Or)),
        Int::BitwiseXor(op) => cx.binary(op, binary_fn(BinaryOp::Xor)),
        Int::BitwiseXorScalar(op) => cx.scalar_op(op, binary_fn(BinaryOp::Xor)),
        Int::BitwiseNot(op) => cx.unary(op, unary_fn(UnaryOp::Not)),
        Int::BitwiseLeftShift(op) => cx.binary(op, binary_fn(BinaryOp::ShiftLeft)),
        Int::BitwiseLeftShiftScalar(op) => cx.scalar_op(op, binary_fn(BinaryOp::ShiftLeft)),
        Int::BitwiseRightShift(op) => cx.binary(op, binary_fn(BinaryOp::ShiftRight)),
        Int::BitwiseRightShiftScalar(op) => cx.scalar_op(op, binary_fn(BinaryOp::ShiftRight)),
        Int::Matmul(op) => contraction::matmul(cx, op),
    }
}

fn boolean(cx: &mut Lowering<'_>, op: &Bool) -> LoweringResult {
    match op {
        Bool::IntoFloat(op) | Bool::IntoInt(op) => cx.cast(op),
        Bool::Not(op) => cx.unary(op, unary_fn(UnaryOp::Not)),
        Bool::And(op) => cx.binary(op, binary_fn(BinaryOp::And)),
        Bool::Or(op) => cx.binary(op, binary_fn(BinaryOp::Or)),
        Bool::Xor(op) => cx.binary(op, binary_fn(BinaryOp::Xor)),
    }
}

fn activation(cx: &mut Lowering<'_>, op: &Activation) -> LoweringResult {
    match op {
        Activation::Relu(op) => cx.unary(op, unary_fn(UnaryOp::Relu)),
        Activation::LeakyRelu(op) => cx.scalar_op(op, |cx, x, slope| cx.b.leaky_relu(x, slope)),
        Activation::PRelu(op) => elementwise::prelu(cx, op),
        Activation::Gelu(op) => cx.unary(op, composite::gelu),
        Activation::Sigmoid(op) => cx.unary(op, unary_fn(UnaryOp::Sigmoid)),
        Activation::HardSigmoid(op) => elementwise::hard_sigmoid(cx, op),
        Activation::LogSigmoid(op) => cx.unary(op, |cx, x| cx.b.log_sigmoid(x)),
        Activation::Softmax(op) => composite::softmax(cx, op),
        Activation::LogSoftmax(op) => composite::log_softmax(cx, op),
        Activation::Softmin(op) => composite::softmin(cx, op),
        Activation::ReluBackward(_)
        | Activation::GeluBackward(_)
        | Activation::SigmoidBackward(_)
        | Activation::LogSigmoidBackward(_) => Err(LoweringError::Unsupported),
    }
}

fn module(cx: &mut Lowering<'_>, op: &Module) -> LoweringResult {
    match op {
        Module::Embedding(op) => indexing::embedding(cx, op),
        Module::Linear(op) => contraction::linear(cx, op),
        Module::LayerNorm(op) => composite::layer_norm(cx, op),
        Module::BatchNorm(op) => composite::batch_norm(cx, op),
        Module::Attention(op) => composite::attention(cx, op),
        Module::Conv1d(op) => convolution::convolution(cx, op.into()),
        Module::Conv2d(op) => convolution::convolution(cx, op.into()),
        Module::Conv3d(op) => convolution::convolution(cx, op.into()),
        Module::ConvTranspose1d(op) => convolution::transposed(cx, op.into()),
        Module::ConvTranspose2d(op) => convolution::transposed(cx, op.into()),
        Module::ConvTranspose3d(op) => convolution::transposed(cx, op.into()),
        Module::Unfold4d(op) => convolution::unfold4d(cx, op),
        Module::MaxPool1d(op) => pooling::max(cx, op.into()),
        Module::MaxPool2d(op) => pooling::max(cx, op.into()),
        Module::MaxPool1dWithIndices(op) => pooling::max_with_indices(cx, op.into(), &op.out_indices),
        Module::MaxPool2dWithIndices(op) => pooling::max_with_indices(cx, op.into(), &op.out_indices),
        Module::AvgPool1d(op) => pooling::average(cx, op.into(), op.count_include_pad),
        Module::AvgPool2d(op) => pooling::average(cx, op.into(), op.count_include_pad),
        Module::AdaptiveAvgPool1d(op) => pooling::adaptive_average(cx, &op.x, &op.out),
        Module::AdaptiveAvgPool2d(op) => pooling::adaptive_average(cx, &op.x, &op.out),
        Module::AdaptiveAvgPool3d(op) => pooling::adaptive_average(cx, &op.x, &op.out),
        Module::Interpolate(_) => Err(LoweringError::Unsupported),
        Module::DeformableConv2d(_) => Err(LoweringError::Unsupported),
        Module::CtcLoss(_) => Err(LoweringError::Unsupported),
        Module::EmbeddingBackward(_)
        | Module::LinearXBackward(_)
        | Module::LinearWeightBackward(_)
        | Module::LinearBiasBackward(_)
        | Module::Conv1dXBackward(_)
        | Module::Conv1dWeightBackward(_)
        | Module::Conv1dBiasBackward(_)
        | Module::Conv2dXBackward(_)
        | Module::Conv2dWeightBackward(_)
        | Module::Conv2dBiasBackward(_)
        | Module::Conv3dXBackward(_)
        | Module::Conv3dWeightBackward(_)
        | Module::Conv3dBiasBackward(_)
        | Module::ConvTranspose1dWeightBackward(_)
        | Module::ConvTranspose1dBiasBackward(_)
        | Module::ConvTranspose2dWeightBackward(_)
        | Module::ConvTranspose2dBiasBackward(_)
        | Module::ConvTranspose3dWeightBackward(_)
        | Module::ConvTranspose3dBiasBackward(_)
        | Module::DeformableConv2dBackward(_)
        | Module::AvgPool1dBackward(_)
        | Module::AvgPool2dBackward(_)
        | Module::AdaptiveAvgPool1dBackward(_)
        | Module::AdaptiveAvgPool2dBackward(_)
        | Module::AdaptiveAvgPool3dBackward(_)
        | Module::MaxPool1dWithIndicesBackward(_)
        | Module::MaxPool2dWithIndicesBackward(_)
        | Module::InterpolateBackward(_)
        | Module::CtcLossBackward(_) => Err(LoweringError::Unsupported),
    }
}

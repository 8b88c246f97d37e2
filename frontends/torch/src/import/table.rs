//! Dispatch of operations, by name, to lowering functions.

use super::activation::{self, activation};
use super::elementwise::{self, binary, compare, unary};
use super::images::{self, Resize, resize};
use super::lowering::{Lowering, LoweringError, LoweringResult, malformed, single};
use super::node::{Node, Operand};
use super::pointwise::{function, function_of_two};
use super::recurrent::Cell;
use super::{
    attention, bags, buckets, complex, compositions, contraction, convolution, creation, distance, experts, indexing,
    linear_algebra, losses, margins, matrix_norms, movement, normalization, ordering, pointwise, pooling, recurrent,
    reduction, scatter,
};
use crate::schema::{Argument, GraphNode};
use partita_ir::build::{EdgePadding, Kernel};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Combine, Direction, Distribution, UnaryOp};

/// Returns true for a node that checks its operands and has no results but tokens. Shapes and types are checked during
/// the import, and assertions on elements have no effect on results.
pub fn is_assertion(node: &GraphNode) -> bool {
    const NAMES: [&str; 4] = ["_assert_tensor_metadata", "_assert_async", "_assert_scalar", "_linalg_check_errors"];
    // An operation with effects is an operand, after a token that orders it.
    let target = match (node.target.as_str(), node.inputs.get(1).map(|input| &input.arg)) {
        ("torch.ops.higher_order.with_effects", Some(Argument::AsOperator(target))) => target,
        (target, _) => target,
    };
    NAMES.iter().any(|name| target.strip_prefix("torch.ops.aten.").is_some_and(|rest| rest.starts_with(name)))
}

/// Returns true for an operation whose result may be in the memory of its first operand.
pub fn may_alias(name: &str) -> bool {
    const VIEWS: [&str; 43] = [
        "adjoint",
        "alias",
        "chunk",
        "contiguous",
        "detach",
        "diagonal",
        "dropout",
        "expand",
        "expand_as",
        "feature_dropout",
        "flatten",
        "imag",
        "mH",
        "mT",
        "matrix_H",
        "movedim",
        "narrow",
        "permute",
        "real",
        "reshape",
        "reshape_as",
        "select",
        "slice",
        "split",
        "split_with_sizes",
        "squeeze",
        "swapaxes",
        "swapdims",
        "t",
        "tensor_split",
        "to",
        "transpose",
        "type_as",
        "unbind",
        "unflatten",
        "unfold",
        "unsqueeze",
        "view",
        "view_as",
        "view_as_complex",
        "view_as_real",
        "_reshape_alias",
        "_unsafe_view",
    ];
    VIEWS.contains(&name)
}

/// Appends the lowering of a node to the program, and returns its results. Errors: an unsupported operation, or those
/// of the lowering function.
pub fn lower(cx: &mut Lowering<'_>, namespace: &str, node: &Node<'_>) -> LoweringResult {
    match (namespace, node.op) {
        ("aten", "_grouped_mm") => experts::grouped_product(cx, node, ["self", "mat2"]),
        ("aten", _) if node.is_complex() => complex::lower(cx, node),
        ("aten", _) => aten(cx, node),
        // Hugging Face's product of groups of rows, which calls `_grouped_mm` on recent GPUs.
        ("transformers", "grouped_mm_fallback") => experts::grouped_product(cx, node, ["input", "weight"]),
        _ => Err(LoweringError::Unsupported),
    }
}

/// Returns the name of an operation; that of the view for a functional variant of a view, such as `view_copy`.
pub fn without_copy(name: &str) -> &str {
    name.strip_suffix("_copy").filter(|name| !["", "_to", "index"].contains(name)).unwrap_or(name)
}

/// Lowers an operation of ATen on numbers that are not complex.
pub fn aten(cx: &mut Lowering<'_>, node: &Node<'_>) -> LoweringResult {
    match without_copy(node.op) {
        // elementwise
        "abs" | "absolute" => unary(cx, node, UnaryOp::Abs),
        "neg" | "negative" => unary(cx, node, UnaryOp::Neg),
        "sign" | "sgn" => unary(cx, node, UnaryOp::Sign),
        "exp" => unary(cx, node, UnaryOp::Exp),
        "expm1" | "special_expm1" => unary(cx, node, UnaryOp::Expm1),
        "log" => unary(cx, node, UnaryOp::Log),
        "log1p" | "special_log1p" => unary(cx, node, UnaryOp::Log1p),
        "sqrt" => unary(cx, node, UnaryOp::Sqrt),
        "rsqrt" => unary(cx, node, UnaryOp::Rsqrt),
        "reciprocal" => unary(cx, node, UnaryOp::Reciprocal),
        "sin" => unary(cx, node, UnaryOp::Sin),
        "cos" => unary(cx, node, UnaryOp::Cos),
        "tan" => unary(cx, node, UnaryOp::Tan),
        "asin" | "arcsin" => unary(cx, node, UnaryOp::Asin),
        "acos" | "arccos" => unary(cx, node, UnaryOp::Acos),
        "atan" | "arctan" => unary(cx, node, UnaryOp::Atan),
        "sinh" => unary(cx, node, UnaryOp::Sinh),
        "cosh" => unary(cx, node, UnaryOp::Cosh),
        "tanh" => unary(cx, node, UnaryOp::Tanh),
        "asinh" | "arcsinh" => unary(cx, node, UnaryOp::Asinh),
        "acosh" | "arccosh" => unary(cx, node, UnaryOp::Acosh),
        "atanh" | "arctanh" => unary(cx, node, UnaryOp::Atanh),
        "erf" | "special_erf" => unary(cx, node, UnaryOp::Erf),
        "erfc" | "special_erfc" => unary(cx, node, UnaryOp::Erfc),
        "erfinv" | "special_erfinv" => unary(cx, node, UnaryOp::ErfInv),
        "lgamma" | "special_gammaln" => unary(cx, node, UnaryOp::Lgamma),
        "digamma" | "special_digamma" | "special_psi" => unary(cx, node, UnaryOp::Digamma),
        "special_ndtr" => function(cx, node, pointwise::normal_distribution),
        "special_ndtri" => function(cx, node, pointwise::normal_quantile),
        "special_entr" => function(cx, node, pointwise::entropy),
        "relu" => unary(cx, node, UnaryOp::Relu),
        "sigmoid" | "special_expit" => unary(cx, node, UnaryOp::Sigmoid),
        "bitwise_not" => unary(cx, node, UnaryOp::Not),
        "frac" => function(cx, node, pointwise::fraction),
        "sinc" | "special_sinc" => function(cx, node, pointwise::sinc),
        "deg2rad" => function(cx, node, |cx, x| cx.b.binary_scalar(BinaryOp::Mul, x, 1f64.to_radians())),
        "rad2deg" => function(cx, node, |cx, x| cx.b.binary_scalar(BinaryOp::Mul, x, 1f64.to_degrees())),
        "copysign" => function_of_two(cx, node, pointwise::copy_sign),
        "hypot" => function_of_two(cx, node, pointwise::hypotenuse),
        "fmax" => function_of_two(cx, node, |cx, x, y| pointwise::extremum_of_numbers(cx, x, y, BinaryOp::Max)),
        "fmin" => function_of_two(cx, node, |cx, x, y| pointwise::extremum_of_numbers(cx, x, y, BinaryOp::Min)),
        "xlogy" | "special_xlogy" => function_of_two(cx, node, |cx, x, y| pointwise::times_log(cx, x, y, UnaryOp::Log)),
        "special_xlog1py" => function_of_two(cx, node, |cx, x, y| pointwise::times_log(cx, x, y, UnaryOp::Log1p)),
        "heaviside" => pointwise::step(cx, node),
        "logit" | "special_logit" => pointwise::logit(cx, node),
        "nan_to_num" => pointwise::finite(cx, node),
        "threshold" => pointwise::threshold(cx, node),
        "hardshrink" => pointwise::shrink(cx, node, false),
        "softshrink" => pointwise::shrink(cx, node, true),
        "isposinf" => pointwise::is_infinity(cx, node, f64::INFINITY),
        "isneginf" => pointwise::is_infinity(cx, node, f64::NEG_INFINITY),
        "signbit" => {
            let x = node.tensor("self")?;
            single(pointwise::is_negative(cx, x))
        }
        "square" => elementwise::square(cx, node),
        "logaddexp2" => elementwise::log_add_exp2(cx, node),
        "ldexp" => elementwise::scale_by_power(cx, node),
        "float_power" => elementwise::power(cx, node),
        "special_erfcx" => function(cx, node, pointwise::scaled_erfc),
        "special_log_ndtr" => function(cx, node, pointwise::log_normal_distribution),
        "fake_quantize_per_tensor_affine"
        | "fake_quantize_per_tensor_affine_cachemask"
        | "fake_quantize_per_channel_affine"
        | "fake_quantize_per_channel_affine_cachemask" => compositions::fake_quantise(cx, node),
        "bitwise_left_shift" | "__lshift__" => binary(cx, node, BinaryOp::ShiftLeft),
        "bitwise_right_shift" | "__rshift__" => binary(cx, node, BinaryOp::ShiftRight),
        "nextafter" => binary(cx, node, BinaryOp::NextAfter),
        "logaddexp" => elementwise::log_add_exp(cx, node),
        "log2" => elementwise::logarithm(cx, node, 2.0),
        "log10" => elementwise::logarithm(cx, node, 10.0),
        "exp2" | "special_exp2" => elementwise::exp2(cx, node),
        "floor" => elementwise::round(cx, node, UnaryOp::Floor),
        "ceil" => elementwise::round(cx, node, UnaryOp::Ceil),
        "round" | "special_round" => elementwise::round(cx, node, UnaryOp::RoundEven),
        "trunc" | "fix" => elementwise::truncate(cx, node),
        "isnan" => elementwise::predicate(cx, node, UnaryOp::IsNan),
        "isinf" => elementwise::predicate(cx, node, UnaryOp::IsInf),
        "isfinite" => elementwise::predicate(cx, node, UnaryOp::IsFinite),
        "logical_not" => elementwise::logical_not(cx, node),
        "add" => elementwise::add(cx, node),
        "sub" | "subtract" => elementwise::subtract(cx, node, ["self", "other"]),
        "rsub" => elementwise::subtract(cx, node, ["other", "self"]),
        "mul" | "multiply" => elementwise::multiply(cx, node),
        "div" | "divide" | "true_divide" => elementwise::divide(cx, node),
        "floor_divide" => elementwise::floor_divide(cx, node),
        "remainder" => elementwise::remainder(cx, node),
        "fmod" => binary(cx, node, BinaryOp::Rem),
        "pow" => elementwise::power(cx, node),
        "maximum" => binary(cx, node, BinaryOp::Max),
        "minimum" => binary(cx, node, BinaryOp::Min),
        "atan2" | "arctan2" => binary(cx, node, BinaryOp::Atan2),
        "bitwise_and" | "__and__" => binary(cx, node, BinaryOp::And),
        "bitwise_or" | "__or__" => binary(cx, node, BinaryOp::Or),
        "bitwise_xor" | "__xor__" => binary(cx, node, BinaryOp::Xor),
        "logical_and" => elementwise::logical(cx, node, BinaryOp::And),
        "logical_or" => elementwise::logical(cx, node, BinaryOp::Or),
        "logical_xor" => elementwise::logical(cx, node, BinaryOp::Xor),
        "eq" => compare(cx, node, Direction::Eq),
        "ne" | "not_equal" => compare(cx, node, Direction::Ne),
        "lt" | "less" => compare(cx, node, Direction::Lt),
        "le" | "less_equal" => compare(cx, node, Direction::Le),
        "gt" | "greater" => compare(cx, node, Direction::Gt),
        "ge" | "greater_equal" => compare(cx, node, Direction::Ge),
        "where" => elementwise::select(cx, node),
        "masked_fill" => elementwise::masked_fill(cx, node),
        "clamp" | "clip" => elementwise::clamp(cx, node, ["min", "max"]),
        "clamp_min" => elementwise::clamp(cx, node, ["min", ""]),
        "clamp_max" => elementwise::clamp(cx, node, ["", "max"]),
        "addcmul" => elementwise::add_scaled(cx, node, BinaryOp::Mul),
        "addcdiv" => elementwise::add_scaled(cx, node, BinaryOp::Div),
        "lerp" => elementwise::interpolate(cx, node),
        "to" | "_to_copy" | "type_as" | "clone" | "contiguous" | "alias" | "lift" | "lift_fresh" | "positive"
        | "resolve_conj" | "resolve_neg" | "real" | "conj" | "conj_physical" => elementwise::convert(cx, node),
        "detach" => {
            let x = node.tensor("self")?;
            single(cx.stop_gradient(x))
        }
        "copy" => elementwise::copy(cx, node),

        // activations
        "gelu" | "silu" | "leaky_relu" | "elu" | "celu" | "selu" | "hardsigmoid" | "hardswish" | "hardtanh"
        | "relu6" | "softplus" | "mish" | "log_sigmoid" => activation(cx, node),
        "prelu" | "_prelu_kernel" => activation::prelu(cx, node),
        "rrelu" | "rrelu_with_noise" | "rrelu_with_noise_functional" => activation::randomised_leaky_relu(cx, node),
        "glu" => activation::gated_linear(cx, node),
        "dropout" | "native_dropout" => activation::dropout(cx, node),
        "feature_dropout" | "alpha_dropout" | "feature_alpha_dropout" => activation::other_dropout(node),

        // contractions
        "linear" => contraction::linear(cx, node),
        "matmul" | "linalg_matmul" => contraction::matmul(cx, node, ["self", "other"]),
        "mm" | "bmm" => contraction::matmul(cx, node, ["self", "mat2"]),
        "mv" => contraction::matmul(cx, node, ["self", "vec"]),
        "dot" => contraction::matmul(cx, node, ["self", "tensor"]),
        "vdot" => contraction::matmul(cx, node, ["self", "other"]),
        "addmm" => contraction::add_product(cx, node, ["mat1", "mat2"]),
        "baddbmm" => contraction::add_product(cx, node, ["batch1", "batch2"]),
        "addmv" => contraction::add_product(cx, node, ["mat", "vec"]),
        "einsum" => contraction::einsum(cx, node),
        "outer" | "ger" => contraction::outer(cx, node),
        "addr" => compositions::add_outer(cx, node),
        "addbmm" => compositions::add_sum_of_products(cx, node),
        "inner" => compositions::inner(cx, node),
        "bilinear" => compositions::bilinear(cx, node),
        "_trilinear" => compositions::trilinear(cx, node),
        "chain_matmul" => compositions::matrix_chain(cx, node, "matrices"),
        "linalg_multi_dot" => compositions::matrix_chain(cx, node, "tensors"),
        "kron" => compositions::kronecker(cx, node),

        // linear algebra
        "det" | "linalg_det" | "_linalg_det" => linear_algebra::determinant(cx, node),
        "slogdet" | "linalg_slogdet" | "_linalg_slogdet" => linear_algebra::sign_and_log_determinant(cx, node),
        "logdet" => linear_algebra::log_determinant(cx, node),
        "inverse" | "linalg_inv" | "linalg_inv_ex" => linear_algebra::inverse(cx, node),
        "linalg_solve" | "linalg_solve_ex" | "_linalg_solve_ex" => linear_algebra::solve(cx, node),
        "cholesky" | "linalg_cholesky" | "linalg_cholesky_ex" => linear_algebra::cholesky(cx, node),
        "cholesky_solve" => linear_algebra::cholesky_solve(cx, node),
        "linalg_solve_triangular" => linear_algebra::solve_triangular(cx, node),
        "triangular_solve" => linear_algebra::older_solve_triangular(cx, node),
        "linalg_qr" => linear_algebra::qr(cx, node),
        "linalg_eigh" | "_linalg_eigh" | "linalg_eigvalsh" => linear_algebra::symmetric_eigen(cx, node),
        "linalg_svd" | "_linalg_svd" | "linalg_svdvals" => linear_algebra::singular_values(cx, node),
        "pinverse" | "linalg_pinv" => linear_algebra::pseudoinverse(cx, node),
        "matrix_power" | "linalg_matrix_power" => linear_algebra::power(cx, node),
        "linalg_norm" => matrix_norms::of_any(cx, node),
        "linalg_matrix_norm" | "nuclear_norm" => matrix_norms::of_matrix(cx, node),
        "cross" | "linalg_cross" => linear_algebra::cross(cx, node),
        "trace" => reduction::trace(cx, node),

        // normalisation
        "layer_norm" | "native_layer_norm" => normalization::layer_norm(cx, node, true),
        "rms_norm" | "_fused_rms_norm" => normalization::layer_norm(cx, node, false),
        "batch_norm" | "native_batch_norm" | "_native_batch_norm_legit" => {
            normalization::batch_norm(cx, node, node.flag("training", false)?, false)
        }
        "_native_batch_norm_legit_no_training" => normalization::batch_norm(cx, node, false, false),
        "_native_batch_norm_legit_functional" => normalization::batch_norm(cx, node, true, true),
        "_weight_norm" | "_weight_norm_interface" => normalization::weight_norm(cx, node),
        "group_norm" => normalization::group_norm(cx, node, "num_groups"),
        "native_group_norm" => normalization::group_norm(cx, node, "group"),
        "instance_norm" => normalization::instance_norm(cx, node),
        "softmax" | "_softmax" | "special_softmax" => normalization::softmax(cx, node, false),
        "log_softmax" | "_log_softmax" | "special_log_softmax" => normalization::softmax(cx, node, true),
        "_safe_softmax" => normalization::safe_softmax(cx, node),
        "scaled_dot_product_attention" | "_scaled_dot_product_flash_attention_for_cpu" => {
            attention::attention(cx, node, "attn_mask")
        }
        "_scaled_dot_product_efficient_attention" | "_scaled_dot_product_cudnn_attention" => {
            attention::attention(cx, node, "attn_bias")
        }
        "_scaled_dot_product_flash_attention" => attention::attention(cx, node, ""),

        // recurrent layers
        "lstm" => recurrent::layers(cx, node, Cell::Lstm),
        "gru" => recurrent::layers(cx, node, Cell::Gru),
        "rnn_tanh" => recurrent::layers(cx, node, Cell::Rnn(UnaryOp::Tanh)),
        "rnn_relu" => recurrent::layers(cx, node, Cell::Rnn(UnaryOp::Relu)),
        "lstm_cell" => recurrent::cell(cx, node, Cell::Lstm),
        "gru_cell" => recurrent::cell(cx, node, Cell::Gru),
        "rnn_tanh_cell" => recurrent::cell(cx, node, Cell::Rnn(UnaryOp::Tanh)),
        "rnn_relu_cell" => recurrent::cell(cx, node, Cell::Rnn(UnaryOp::Relu)),

        // windows
        "conv1d" => convolution::convolution(cx, node, Some(1)),
        "conv2d" => convolution::convolution(cx, node, Some(2)),
        "conv3d" => convolution::convolution(cx, node, Some(3)),
        "conv_transpose1d" => convolution::convolution(cx, node, Some(1)),
        "conv_transpose2d" => convolution::convolution(cx, node, Some(2)),
        "conv_transpose3d" => convolution::convolution(cx, node, Some(3)),
        "convolution" => convolution::convolution(cx, node, None),
        "max_pool1d" => pooling::max_pool(cx, node, 1),
        "max_pool2d" | "max_pool2d_with_indices" => pooling::max_pool(cx, node, 2),
        "max_pool3d" | "max_pool3d_with_indices" => pooling::max_pool(cx, node, 3),
        "avg_pool1d" => pooling::average_pool(cx, node, 1),
        "avg_pool2d" => pooling::average_pool(cx, node, 2),
        "avg_pool3d" => pooling::average_pool(cx, node, 3),
        "adaptive_avg_pool1d" => pooling::adaptive_pool(cx, node, 1, Monoid::Sum),
        "adaptive_avg_pool2d" | "_adaptive_avg_pool2d" => pooling::adaptive_pool(cx, node, 2, Monoid::Sum),
        "adaptive_avg_pool3d" | "_adaptive_avg_pool3d" => pooling::adaptive_pool(cx, node, 3, Monoid::Sum),
        "max_unpool2d" => pooling::max_unpool(cx, node, 2),
        "max_unpool3d" => pooling::max_unpool(cx, node, 3),
        "adaptive_max_pool2d" => pooling::adaptive_pool(cx, node, 2, Monoid::Max),

        "upsample_nearest1d" => resize(cx, node, 1, Resize::Nearest),
        "upsample_nearest2d" => resize(cx, node, 2, Resize::Nearest),
        "upsample_nearest3d" => resize(cx, node, 3, Resize::Nearest),
        "_upsample_nearest_exact1d" => resize(cx, node, 1, Resize::NearestExact),
        "_upsample_nearest_exact2d" => resize(cx, node, 2, Resize::NearestExact),
        "_upsample_nearest_exact3d" => resize(cx, node, 3, Resize::NearestExact),
        "upsample_linear1d" => resize(cx, node, 1, Resize::Interpolated(Kernel::Linear)),
        "upsample_bilinear2d" => resize(cx, node, 2, Resize::Interpolated(Kernel::Linear)),
        "upsample_trilinear3d" => resize(cx, node, 3, Resize::Interpolated(Kernel::Linear)),
        "upsample_bicubic2d" => resize(cx, node, 2, Resize::Interpolated(Kernel::Cubic(-0.75))),
        "_upsample_bilinear2d_aa" => resize(cx, node, 2, Resize::Antialiased(Kernel::Linear)),
        "_upsample_bicubic2d_aa" => resize(cx, node, 2, Resize::Antialiased(Kernel::Cubic(-0.5))),
        "grid_sampler" | "grid_sampler_2d" | "grid_sampler_3d" => images::grid_sample(cx, node),
        "affine_grid_generator" => images::affine_grid(cx, node),
        "im2col" => images::image_to_columns(cx, node),
        "col2im" => images::columns_to_image(cx, node),
        "pixel_shuffle" => images::shuffle(cx, node, true),
        "pixel_unshuffle" => images::shuffle(cx, node, false),

        // data movement
        "view" | "reshape" | "_unsafe_view" | "_reshape_alias" | "view_as" | "reshape_as" | "flatten" | "unflatten"
        | "squeeze" | "unsqueeze" | "ravel" => movement::reshape(cx, node),
        "expand" | "expand_as" | "broadcast_to" => movement::expand(cx, node),
        "permute" => movement::permute(cx, node),
        "transpose" | "swapdims" => movement::transpose(cx, node, ["dim0", "dim1"]),
        "swapaxes" => movement::transpose(cx, node, ["axis0", "axis1"]),
        "mT" | "adjoint" | "mH" | "matrix_H" => {
            let x = node.tensor("self")?;
            match cx.rank(x).checked_sub(2) {
                Some(row) => single(cx.b.swap_dims(x, row, row + 1)),
                None => malformed("needs matrices"),
            }
        }
        "t" | "numpy_T" => movement::matrix_transpose(cx, node),
        "movedim" | "moveaxis" => movement::move_dims(cx, node),
        "slice" => movement::slice(cx, node),
        "slice_scatter" => movement::slice_scatter(cx, node),
        "select" => movement::select(cx, node),
        "select_scatter" => movement::select_scatter(cx, node),
        "narrow" => movement::narrow(cx, node),
        "split"
        | "split_with_sizes"
        | "chunk"
        | "tensor_split"
        | "unsafe_split"
        | "unsafe_chunk"
        | "unsafe_split_with_sizes" => movement::split(cx, node),
        "unbind" => movement::unbind(cx, node),
        "cat" | "concat" | "concatenate" => movement::concatenate(cx, node),
        "stack" => movement::stack(cx, node),
        "repeat" => movement::repeat(cx, node, "repeats"),
        "tile" => movement::repeat(cx, node, "dims"),
        "repeat_interleave" => movement::repeat_interleave(cx, node),
        "fft_fftshift" => movement::centre(cx, node, false),
        "fft_ifftshift" => movement::centre(cx, node, true),
        "fliplr" => movement::flip(cx, &node.as_operation("flip", [("dims", Operand::Int(1))])),
        "flipud" => movement::flip(cx, &node.as_operation("flip", [("dims", Operand::Int(0))])),
        "flip" => movement::flip(cx, node),
        "roll" => movement::roll(cx, node),
        "constant_pad_nd" | "pad" => movement::pad(cx, node),
        "reflection_pad1d" | "reflection_pad2d" | "reflection_pad3d" => {
            images::pad_with_elements(cx, node, EdgePadding::Reflect)
        }
        "replication_pad1d" | "replication_pad2d" | "replication_pad3d" => {
            images::pad_with_elements(cx, node, EdgePadding::Repeat)
        }
        "unfold" => images::windows(cx, node),
        "broadcast_tensors" => movement::broadcast_all(cx, node),
        "diagonal" => movement::diagonal(cx, node),
        "diag_embed" => movement::diagonal_matrices(cx, node),
        "meshgrid" => movement::grid(cx, node),
        "diff" => movement::difference(cx, node),
        "atleast_1d" => compositions::with_dimensions(cx, node, 1),
        "atleast_2d" => compositions::with_dimensions(cx, node, 2),
        "atleast_3d" => compositions::with_dimensions(cx, node, 3),
        "hstack" => compositions::stack_of_at_least(cx, node, 1, 1),
        "vstack" | "row_stack" => compositions::stack_of_at_least(cx, node, 2, 0),
        "dstack" => compositions::stack_of_at_least(cx, node, 3, 2),
        "column_stack" => compositions::column_stack(cx, node),
        "hsplit" => compositions::split_along(cx, node, 1),
        "vsplit" => compositions::split_along(cx, node, 0),
        "dsplit" => compositions::split_along(cx, node, 2),
        "block_diag" => compositions::block_diagonal(cx, node),
        "cartesian_prod" => compositions::cartesian_product(cx, node),
        "channel_shuffle" | "native_channel_shuffle" => compositions::shuffle_channels(cx, node),
        "diag" => compositions::diagonal_or_matrix(cx, node),
        "rot90" => compositions::rotate(cx, node),
        "tril_indices" => compositions::triangle_indices(cx, node, true),
        "triu_indices" => compositions::triangle_indices(cx, node, false),
        "vander" | "linalg_vander" => compositions::powers(cx, node),

        // indices
        "embedding" => indexing::embedding(cx, node),
        "embedding_bag" | "_embedding_bag" | "_embedding_bag_forward_only" => bags::embedding_bag(cx, node),
        "index_select" => indexing::index_select(cx, node),
        "gather" => indexing::gather(cx, node),
        "take" => compositions::take(cx, node),
        "isin" => compositions::is_in(cx, node),
        "take_along_dim" => indexing::take_along(cx, node),
        "index" | "_unsafe_index" => indexing::index(cx, node),
        "one_hot" => indexing::one_hot(cx, node),
        "index_put" | "_unsafe_index_put" => scatter::index_put(cx, node),
        "scatter" | "scatter_reduce" => scatter::scatter(cx, node, Combine::Set),
        "scatter_add" => scatter::scatter(cx, node, Combine::Sum),
        "masked_scatter" => scatter::masked_scatter(cx, node),
        "index_add" => scatter::index_add(cx, node),
        "index_copy" => scatter::index_write(cx, node, "source"),
        "index_fill" => scatter::index_write(cx, node, "value"),
        "index_reduce" => scatter::index_reduce(cx, node),
        "nonzero" | "masked_select" | "unique" | "unique_dim" | "_unique2" => Err(LoweringError::DynamicShape),

        // creation
        "full" | "full_like" | "new_full" => creation::fill(cx, node, "fill_value", 0),
        "fill" => creation::fill(cx, node, "value", 0),
        "scalar_tensor" => creation::fill(cx, node, "s", 0),
        "ones" | "ones_like" | "new_ones" => creation::fill(cx, node, "", 1),
        "zeros" | "zeros_like" | "new_zeros" | "zero" | "empty" | "empty_like" | "new_empty" | "empty_permuted"
        | "empty_strided" | "new_empty_strided" => creation::fill(cx, node, "", 0),
        "arange" => creation::arange(cx, node),
        "linspace" => creation::linspace(cx, node),
        "hann_window" => creation::window(cx, node, &[0.5, 0.5]),
        "hamming_window" => creation::window(cx, node, &[node.float("alpha", 0.54)?, node.float("beta", 0.46)?]),
        "blackman_window" => creation::window(cx, node, &[0.42, 0.5, 0.08]),
        "eye" => creation::eye(cx, node),
        "rand" | "rand_like" => creation::random(cx, node, Distribution::Uniform),
        "randn" | "randn_like" => creation::random(cx, node, Distribution::Normal),
        "randint" | "randint_like" => creation::random_integers(cx, node),
        "normal" | "normal_functional" => creation::normal(cx, node),
        "uniform" => creation::uniform(cx, node),
        "exponential" => creation::exponential(cx, node),
        "logspace" => creation::logspace(cx, node),
        "randperm" => creation::random_permutation(cx, node),
        "bernoulli" => creation::bernoulli(cx, node),
        "tril" => creation::triangle(cx, node, true),
        "triu" => creation::triangle(cx, node, false),

        // reductions
        "sum" => reduction::reduce(cx, node, Monoid::Sum),
        "prod" => reduction::reduce(cx, node, Monoid::Prod),
        "amax" => reduction::reduce(cx, node, Monoid::Max),
        "amin" => reduction::reduce(cx, node, Monoid::Min),
        "mean" => reduction::mean(cx, node),
        "count_nonzero" => reduction::count_nonzero(cx, node),
        "nansum" => compositions::reduce_numbers(cx, node, false),
        "nanmean" => compositions::reduce_numbers(cx, node, true),
        "aminmax" => compositions::both_extrema(cx, node),
        "trapezoid" | "trapz" | "cumulative_trapezoid" => compositions::trapezoid(cx, node),
        "any" | "_is_any_true" => reduction::truth(cx, node, Monoid::Or),
        "all" | "_is_all_true" => reduction::truth(cx, node, Monoid::And),
        "max" => reduction::extremum(cx, node, Direction::Gt),
        "min" => reduction::extremum(cx, node, Direction::Lt),
        "argmax" => reduction::arg_extremum(cx, node, Direction::Gt),
        "argmin" => reduction::arg_extremum(cx, node, Direction::Lt),
        "var" => reduction::variance(cx, node, false, false),
        "std" => reduction::variance(cx, node, true, false),
        "var_mean" => reduction::variance(cx, node, false, true),
        "std_mean" => reduction::variance(cx, node, true, true),
        "logcumsumexp" => compositions::running_log_sum_exp(cx, node),
        "logsumexp" | "special_logsumexp" => reduction::log_sum_exp(cx, node),
        "linalg_vector_norm" => reduction::norm(cx, node, "ord"),
        "norm" => reduction::norm(cx, node, "p"),
        "cumsum" => reduction::cumulative(cx, node, Monoid::Sum),
        "cumprod" => reduction::cumulative(cx, node, Monoid::Prod),

        // order
        "topk" => ordering::top_k(cx, node),
        "sort" => ordering::sort(cx, node),
        "msort" => ordering::sort(cx, &node.as_operation("sort", [("dim", Operand::Int(0))]))
            .map(|outs| outs.into_iter().take(1).collect()),
        "argsort" => ordering::arg_sort(cx, node),
        "quantile" => ordering::quantile(cx, node),
        "kthvalue" => ordering::kth_value(cx, node),
        "median" => ordering::median(cx, node),
        "cummax" => ordering::running_extremum(cx, node, Monoid::Max),
        "cummin" => ordering::running_extremum(cx, node, Monoid::Min),
        "histc" => experts::histogram(cx, node),

        // searches
        "bucketize" => buckets::bucketize(cx, node),
        "searchsorted" => buckets::search_sorted(cx, node),

        // distances
        "cdist" | "_cdist_forward" | "_euclidean_dist" => distance::between(cx, node),
        "pdist" | "_pdist_forward" => distance::within(cx, node),
        "pairwise_distance" => distance::pairwise(cx, node),

        // losses
        "cross_entropy_loss" => losses::cross_entropy(cx, node),
        "nll_loss" | "nll_loss_nd" | "nll_loss2d" | "nll_loss_forward" | "nll_loss2d_forward" => {
            losses::negative_log_likelihood(cx, node)
        }
        "mse_loss" => losses::pairwise(cx, node, losses::squared_error),
        "l1_loss" => losses::pairwise(cx, node, losses::absolute_error),
        "smooth_l1_loss" => {
            let beta = node.float("beta", 1.0)?;
            losses::pairwise(cx, node, |cx, x, y| losses::smooth_absolute_error(cx, (x, y), beta))
        }
        "huber_loss" => {
            let delta = node.float("delta", 1.0)?;
            losses::pairwise(cx, node, |cx, x, y| losses::huber(cx, (x, y), delta))
        }
        "kl_div" => {
            let is_log = node.flag("log_target", false)?;
            losses::pairwise(cx, node, |cx, x, y| losses::divergence(cx, x, y, is_log))
        }
        "binary_cross_entropy" => losses::pairwise(cx, node, losses::binary_cross_entropy_of_probabilities),
        "soft_margin_loss" => losses::pairwise(cx, node, losses::soft_margin),
        "poisson_nll_loss" => losses::poisson(cx, node),
        "margin_ranking_loss" => margins::ranking(cx, node),
        "hinge_embedding_loss" => margins::hinge_embedding(cx, node),
        "cosine_embedding_loss" => margins::cosine_embedding(cx, node),
        "triplet_margin_loss" => margins::triplet(cx, node),
        "multi_margin_loss" => margins::of_classes(cx, node),
        "cosine_similarity" => losses::cosine_similarity(cx, node),
        "binary_cross_entropy_with_logits" => losses::binary_cross_entropy_of_logits(cx, node),
        _ => Err(LoweringError::Unsupported),
    }
}

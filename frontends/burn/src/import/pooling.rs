//! Lowering of pooling over any number of spatial dimensions, which follow batch and channel.

use super::lowering::{Lowering, LoweringError, LoweringResult, shape_of, type_of};
use burn_ir::{
    AvgPool1dOpIr, AvgPool2dOpIr, MaxPool1dOpIr, MaxPool1dWithIndicesOpIr, MaxPool2dOpIr, MaxPool2dWithIndicesOpIr,
    TensorIr,
};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Constant, DotGeneral, Literal, ReduceWindow};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::{DimPairs, Dims};
use partita_ir::tensor::{Scalar, wrap};

/// Operand, result and windows of a pooling of any number of spatial dimensions.
pub(super) struct PoolOp<'a> {
    x: &'a TensorIr,
    out: &'a TensorIr,
    spatial: Vec<PoolWindow>,
}

/// Pooling window along one spatial dimension.
struct PoolWindow {
    size: usize,
    stride: usize,
    padding: usize,
    dilation: usize,
}

/// Implements `From<&$op> for PoolOp` for one of Burn's pooling operations. `$spatial` is (size, stride, padding,
/// dilation) of spatial dimension `$i`.
macro_rules! pool {
    ($op:ty, $rank:literal, |$o:ident, $i:ident| $spatial:expr) => {
        impl<'a> From<&'a $op> for PoolOp<'a> {
            fn from($o: &'a $op) -> Self {
                let spatial = |$i: usize| {
                    let (size, stride, padding, dilation) = $spatial;
                    PoolWindow { size, stride, padding, dilation }
                };
                PoolOp { x: &$o.x, out: &$o.out, spatial: (0..$rank).map(spatial).collect() }
            }
        }
    };
}

pool!(MaxPool1dOpIr, 1, |o, _i| (o.kernel_size, o.stride, o.padding, o.dilation));
pool!(MaxPool2dOpIr, 2, |o, i| (o.kernel_size[i], o.stride[i], o.padding[i], o.dilation[i]));
pool!(MaxPool1dWithIndicesOpIr, 1, |o, _i| (o.kernel_size, o.stride, o.padding, o.dilation));
pool!(MaxPool2dWithIndicesOpIr, 2, |o, i| (o.kernel_size[i], o.stride[i], o.padding[i], o.dilation[i]));
pool!(AvgPool1dOpIr, 1, |o, _i| (o.kernel_size, o.stride, o.padding, 1));
pool!(AvgPool2dOpIr, 2, |o, i| (o.kernel_size[i], o.stride[i], o.padding[i], 1));

/// Lowers max pooling.
pub(super) fn max(cx: &mut Lowering<'_>, PoolOp { x, out, spatial }: PoolOp<'_>) -> LoweringResult {
    let value = cx.read(x)?;
    let windows = windows(&spatial, x, out)?;
    let ty = type_of(out)?;
    let value = cx.b.op("max_pool", ReduceWindow { monoid: Monoid::Max, windows }, &[value], ty);
    cx.write(out, value)
}

/// Lowers max pooling with indices. Errors: the indices are read, which is not supported.
pub(super) fn max_with_indices(cx: &mut Lowering<'_>, op: PoolOp<'_>, indices: &TensorIr) -> LoweringResult {
    match cx.is_read(indices.id) {
        true => Err(LoweringError::UnsupportedOption("indices of max pooling")),
        false => max(cx, op),
    }
}

/// Lowers average pooling. The divisor of each window is the number of its operand elements; with `count_padding` the
/// explicit padding is counted too. Padding that ceil mode adds is never counted.
pub(super) fn average(
    cx: &mut Lowering<'_>,
    PoolOp { x, out, spatial }: PoolOp<'_>,
    count_padding: bool,
) -> LoweringResult {
    let value = cx.read(x)?;
    let windows = windows(&spatial, x, out)?;
    let ty = type_of(out)?;
    let sum = cx.b.op("sum_pool", ReduceWindow { monoid: Monoid::Sum, windows: windows.clone() }, &[value], ty.clone());
    let even = spatial.iter().zip(&windows[2..]).all(|(t, w)| w.high <= t.padding as i64);
    let mean = if even && (count_padding || spatial.iter().all(|t| t.padding == 0)) {
        let size: usize = spatial.iter().map(|t| t.size).product();
        cx.b.binary_scalar(BinaryOp::Div, sum, size as f64)
    } else {
        // The divisor is a sum pooling of ones. The tensor of ones covers the explicit padding if that is counted.
        let margin = |i: usize| if count_padding && i >= 2 { spatial[i - 2].padding } else { 0 };
        let shape = shape_of(x);
        let ones: Shape = shape.iter().enumerate().map(|(i, &n)| n + 2 * margin(i)).collect();
        let ones = cx.b.splat(Type::new(ty.dtype, ones), Scalar::Float(1.0));
        let inner =
            |(i, w): (usize, &Window)| Window { low: w.low - margin(i) as i64, high: w.high - margin(i) as i64, ..*w };
        let windows = windows.iter().enumerate().map(inner).collect();
        let count = cx.b.op("count", ReduceWindow { monoid: Monoid::Sum, windows }, &[ones], ty);
        cx.b.binary(BinaryOp::Div, sum, count)
    };
    cx.write(out, mean)
}

/// Returns one window per dimension of the operand, including batch and channel. Ceil mode is visible only in the shape
/// of the result: the high padding is extended until all windows of `out` fit.
fn windows(spatial: &[PoolWindow], x: &TensorIr, out: &TensorIr) -> Result<Vec<Window>, LoweringError> {
    let (from, to) = (type_of(x)?.shape, type_of(out)?.shape);
    let mut windows = vec![Window::default(); 2];
    for (i, t) in spatial.iter().enumerate() {
        let end = to[2 + i].saturating_sub(1) * t.stride + (t.size - 1) * t.dilation + 1;
        windows.push(Window {
            size: t.size,
            stride: t.stride,
            low: t.padding as i64,
            high: (end as i64 - (from[2 + i] + t.padding) as i64).max(t.padding as i64),
            dilation: t.dilation,
            base: 1,
        });
    }
    Ok(windows)
}

/// Lowers adaptive average pooling. Window `i` of `n` over `size` elements begins at `i size / n`, rounded down, and
/// ends at `(i + 1) size / n`, rounded up.
pub(super) fn adaptive_average(cx: &mut Lowering<'_>, x: &TensorIr, out: &TensorIr) -> LoweringResult {
    let mut value = cx.read(x)?;
    let ty = type_of(out)?;
    let from = cx.shape(value);
    if from.iter().zip(ty.shape.iter()).all(|(&size, &n)| n > 0 && size % n == 0) {
        let windows: Vec<Window> = from
            .iter()
            .zip(ty.shape.iter())
            .map(|(&size, &n)| Window { size: size / n, stride: size / n, ..Window::default() })
            .collect();
        let size: usize = windows.iter().map(|w| w.size).product();
        let sum = cx.b.op("sum_pool", ReduceWindow { monoid: Monoid::Sum, windows }, &[value], ty);
        value = cx.b.binary_scalar(BinaryOp::Div, sum, size as f64);
    } else {
        for dim in 2..from.rank() {
            value = uneven_average(cx, value, dim, ty.shape[dim]);
        }
    }
    cx.write(out, value)
}

/// Averages along one dimension over `n` windows of unequal sizes, as a product with a `[size, n]` matrix of weights.
fn uneven_average(cx: &mut Lowering<'_>, x: ValueId, dim: usize, n: usize) -> ValueId {
    let ty = cx.b.ty(x);
    let size = ty.shape[dim];
    let window = |i: usize| (i * size / n, ((i + 1) * size).div_ceil(n));
    let weight = |(from, to): (usize, usize), j| if (from..to).contains(&j) { 1.0 / (to - from) as f64 } else { 0.0 };
    let entries = (0..size).flat_map(|j| (0..n).map(move |i| (i, j)));
    let entries = entries.map(|(i, j)| wrap(ty.dtype, Scalar::Float(weight(window(i), j)))).collect();
    let matrix_ty = Type::new(ty.dtype, [size, n]);
    let matrix = cx.b.op("weights", Constant { value: Literal::Dense(entries) }, &[], matrix_ty);

    let rank = ty.shape.rank();
    let order: Dims = (0..rank).filter(|&d| d != dim).chain([dim]).collect();
    let shape: Shape = order.iter().map(|&d| if d == dim { n } else { ty.shape[d] }).collect();
    let contract = DimPairs { lhs: Dims::from_elem(dim, 1), rhs: Dims::from_elem(0, 1) };
    let mean =
        cx.b.op("mean", DotGeneral { contract, batch: DimPairs::default() }, &[x, matrix], Type::new(ty.dtype, shape));
    let perm = (0..rank)
        .map(|d| {
            if d < dim {
                d
            } else if d == dim {
                rank - 1
            } else {
                d - 1
            }
        })
        .collect();
    cx.b.transpose(mean, perm)
}

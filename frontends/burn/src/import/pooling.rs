//! Pooling over windows, of any number of spatial dimensions behind batch and channel.

use super::lowering::{Lowered, Lowering, Refusal, shape_of, type_of};
use burn_ir::{
    AvgPool1dOpIr, AvgPool2dOpIr, MaxPool1dOpIr, MaxPool1dWithIndicesOpIr, MaxPool2dOpIr, MaxPool2dWithIndicesOpIr,
    TensorIr,
};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Constant, DotGeneral, Literal, ReduceWindow};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::{Dims, Pairs};
use partita_ir::tensor::{Scalar, wrap};

/// A pooling of any number of spatial dimensions.
pub(super) struct Pool<'a> {
    x: &'a TensorIr,
    out: &'a TensorIr,
    taps: Vec<Taps>,
}

/// A pooling window along one spatial dimension.
struct Taps {
    size: usize,
    stride: usize,
    padding: usize,
    dilation: usize,
}

/// Reads one of Burn's structs, given size, stride, padding and dilation along spatial dimension `i` of it.
macro_rules! pool {
    ($op:ty, $rank:literal, |$o:ident, $i:ident| $taps:expr) => {
        impl<'a> From<&'a $op> for Pool<'a> {
            fn from($o: &'a $op) -> Self {
                let taps = |$i: usize| {
                    let (size, stride, padding, dilation) = $taps;
                    Taps { size, stride, padding, dilation }
                };
                Pool { x: &$o.x, out: &$o.out, taps: (0..$rank).map(taps).collect() }
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

/// The largest element of every window.
pub(super) fn max(cx: &mut Lowering<'_>, Pool { x, out, taps }: Pool<'_>) -> Lowered {
    let value = cx.read(x)?;
    let windows = windows(&taps, x, out)?;
    let ty = type_of(out)?;
    let value = cx.b.op("max_pool", ReduceWindow { monoid: Monoid::Max, windows }, &[value], ty);
    cx.write(out, value)
}

/// The largest element of every window; its index there is refused when something reads it.
pub(super) fn max_with_indices(cx: &mut Lowering<'_>, op: Pool<'_>, indices: &TensorIr) -> Lowered {
    match cx.is_read(indices.id) {
        true => Err(Refusal::Option("indices of max pooling")),
        false => max(cx, op),
    }
}

/// The mean of every window, over the elements in it or, with `count_padding`, over its size. What only rounding up the
/// number of windows adds behind the padding never counts.
pub(super) fn average(cx: &mut Lowering<'_>, Pool { x, out, taps }: Pool<'_>, count_padding: bool) -> Lowered {
    let value = cx.read(x)?;
    let windows = windows(&taps, x, out)?;
    let ty = type_of(out)?;
    let sum = cx.b.op("sum_pool", ReduceWindow { monoid: Monoid::Sum, windows: windows.clone() }, &[value], ty.clone());
    let even = taps.iter().zip(&windows[2..]).all(|(t, w)| w.high <= t.padding as i64);
    let mean = if even && (count_padding || taps.iter().all(|t| t.padding == 0)) {
        let size: usize = taps.iter().map(|t| t.size).product();
        cx.b.binary_scalar(BinaryOp::Div, sum, size as f64)
    } else {
        // Count by summing ones, which are wider than the operand when its padding counts.
        let margin = |i: usize| if count_padding && i >= 2 { taps[i - 2].padding } else { 0 };
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

/// The program's windows: those that Burn's rounding up adds reach behind the padding.
fn windows(taps: &[Taps], x: &TensorIr, out: &TensorIr) -> Result<Vec<Window>, Refusal> {
    let (from, to) = (type_of(x)?.shape, type_of(out)?.shape);
    let mut windows = vec![Window::default(); 2];
    for (i, t) in taps.iter().enumerate() {
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

/// Means over as many windows as the result has elements: window `i` of `n` over `size` elements goes from `i size / n`
/// to `(i + 1) size / n`, rounded outwards.
pub(super) fn adaptive_average(cx: &mut Lowering<'_>, x: &TensorIr, out: &TensorIr) -> Lowered {
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

/// Means along one dimension over windows of unequal sizes: a product with the matrix of their weights.
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
    let contract = Pairs { lhs: Dims::from_elem(dim, 1), rhs: Dims::from_elem(0, 1) };
    let mean =
        cx.b.op("mean", DotGeneral { contract, batch: Pairs::default() }, &[x, matrix], Type::new(ty.dtype, shape));
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

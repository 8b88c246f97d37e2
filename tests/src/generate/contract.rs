//! Generator steps for contractions, reductions, windows and sorting.

use super::pool::{GeneratedValue, Generator};
use super::{Step, exact_integer_limit};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{
    Binary, BinaryOp, Compare, ConvDims, Convolution, Direction, DotGeneral, GroupCount, Reduce, ReduceFunc,
    ReduceWindow, Select, SelectAndScatter, Sort, TopK,
};
use partita_ir::rule::Window;
use partita_ir::syntax::attr::{DimPairs, Dims};

pub(super) const STEPS: &[(&str, Step)] = &[
    ("matmul", matmul),
    ("matmul", matmul),
    ("dot_general", dot_general),
    ("dot_general", dot_general),
    ("convolution", convolution),
    ("convolution", convolution),
    ("reduce", reduce),
    ("reduce", reduce),
    ("reduce_func", reduce_func),
    ("reduce_window", reduce_window),
    ("select_and_scatter", select_and_scatter),
    ("sort", sort),
    ("top_k", top_k),
];

/// Steps of [`super::Palette::LINEAR`].
pub(super) const LINEAR: &[(&str, Step)] = &[
    ("dense", dense),
    ("dense", dense),
    ("dot_general", dot_general),
    ("sum", sum),
    ("transpose", super::movement::transpose),
];

/// Appends a matmul and a bias.
fn dense(d: &mut Generator<'_>) -> Option<()> {
    let x = d.number(2);
    let (k, n) = (x.ty.shape[x.rank() - 1], d.size());
    let w = d.input(Type::new(x.ty.dtype, [k, n]), 9);
    let mut ty = x.ty.clone();
    *ty.shape.0.last_mut()? = n;
    let product = d.push(DotGeneral::matmul(x.rank(), 2)?, &[&x, &w], ty.clone(), f64::MAX, true)?;
    let bias = d.input(ty.clone(), 9);
    d.push(Binary { op: BinaryOp::Add }, &[&product, &bias], ty, f64::MAX, true)?;
    Some(())
}

/// Appends a sum over one dimension.
fn sum(d: &mut Generator<'_>) -> Option<()> {
    let x = d.number(2);
    let dim = d.tape.below(x.rank());
    let ty = Type { shape: without(&x.ty.shape, &[dim]), dtype: x.ty.dtype };
    d.push(Reduce { monoid: Monoid::Sum, dims: [dim].into_iter().collect() }, &[&x], ty, f64::MAX, true)?;
    Some(())
}

/// Returns both operands, clamped so that a sum of `n` products is exact.
fn for_products(
    d: &mut Generator<'_>,
    x: GeneratedValue,
    y: GeneratedValue,
    n: usize,
) -> (GeneratedValue, GeneratedValue) {
    let most = exact_integer_limit(x.ty.dtype) / n.max(1) as f64;
    if x.bound * y.bound <= most {
        return (x, y);
    }
    (d.clamp_within(x, 4.0), d.clamp_within(y, 4.0))
}

fn matmul(d: &mut Generator<'_>) -> Option<()> {
    let x = d.number(1);
    let k = x.ty.shape[x.rank() - 1];
    let n = d.size();
    let y = match d.find(|v| v.ty.dtype == x.ty.dtype && v.rank() == 2 && v.ty.shape[0] == k) {
        Some(y) if d.tape.one_in(2) => y,
        _ => d.input(Type::new(x.ty.dtype, [k, n]), 3),
    };
    let (x, y) = for_products(d, x, y, k);
    let mut shape = x.ty.shape.clone();
    *shape.0.last_mut()? = y.ty.shape[1];
    let bound = x.bound * y.bound * k as f64;
    let op = DotGeneral::matmul(x.rank(), 2)?;
    d.push(op, &[&x, &y], Type { shape, dtype: x.ty.dtype }, bound, x.integral && y.integral)?;
    Some(())
}

/// Appends a dot product with arbitrary contracted and batch dimensions.
fn dot_general(d: &mut Generator<'_>) -> Option<()> {
    let x = d.number(1);
    let order = d.tape.permutation(x.rank());
    let contracted = d.tape.below(x.rank() + 1).min(2);
    let batched = d.tape.below(x.rank() - contracted + 1).min(2);
    let (contract, rest) = order.split_at(contracted);
    let (batch, free) = rest.split_at(batched);
    // The right operand has the shared dimensions in any order, and at most one free dimension.
    let own = d.tape.below(2);
    let places = d.tape.permutation(contracted + batched + own);
    let mut shape: Shape = places.iter().map(|_| 1).collect();
    for (&dim, &at) in contract.iter().chain(batch).zip(&places) {
        shape[at] = x.ty.shape[dim];
    }
    if own == 1 {
        shape[places[contracted + batched]] = d.size();
    }
    let y = d.value_of_type(&Type { shape, dtype: x.ty.dtype });
    let n: usize = contract.iter().map(|&dim| x.ty.shape[dim]).product();
    let (x, y) = for_products(d, x, y, n);
    let mut free: Vec<usize> = free.to_vec();
    free.sort_unstable();
    let mut out: Shape = batch.iter().chain(&free).map(|&dim| x.ty.shape[dim]).collect();
    if own == 1 {
        out.0.push(y.ty.shape[places[contracted + batched]]);
    }
    let pairs = |lhs: &[usize], rhs: &[usize]| DimPairs { lhs: Dims::from_slice(lhs), rhs: Dims::from_slice(rhs) };
    let op = DotGeneral {
        contract: pairs(contract, &places[..contracted]),
        batch: pairs(batch, &places[contracted..contracted + batched]),
    };
    let bound = x.bound * y.bound * n as f64;
    d.push(op, &[&x, &y], Type { shape: out, dtype: x.ty.dtype }, bound, x.integral && y.integral)?;
    Some(())
}

/// Returns a window over `size` elements with random strides, padding, and both dilations.
fn window(d: &mut Generator<'_>, taps: usize) -> Window {
    let stride = [1, 1, 2, 3][d.tape.below(4)];
    let (low, high) = (d.tape.below(3) as i64, d.tape.below(3) as i64);
    let (dilation, base) = ([1, 1, 2][d.tape.below(3)], [1, 1, 2][d.tape.below(3)]);
    Window { size: taps, stride, low, high, dilation, base }
}

fn convolution(d: &mut Generator<'_>) -> Option<()> {
    let space = 1 + d.tape.below(2);
    let dtype = d.tape.pick(&[DType::F32, DType::I32])?;
    let groups = [1, 1, 2, 3][d.tape.below(4)];
    let batch_groups = if groups == 1 { [1, 1, 2][d.tape.below(3)] } else { 1 };
    let (batch, features, outputs) = (
        batch_groups * [2, 4, 3, 1][d.tape.below(4)],
        groups * [2, 3, 4, 1][d.tape.below(4)],
        groups * batch_groups * [2, 4, 3, 1][d.tape.below(4)],
    );
    let sizes: Vec<usize> = (0..space).map(|_| [6, 8, 5, 4, 7, 3][d.tape.below(6)]).collect();
    let taps: Vec<usize> = (0..space).map(|_| [3, 2, 1, 3][d.tape.below(4)]).collect();
    let windows: Vec<Window> = taps.iter().map(|&n| window(d, n)).collect();
    let spatial: Option<Vec<usize>> = sizes.iter().zip(&windows).map(|(&n, w)| w.outputs(n)).collect();
    let dims = ConvDims {
        input: d.tape.permutation(space + 2).into_iter().collect(),
        kernel: d.tape.permutation(space + 2).into_iter().collect(),
        output: d.tape.permutation(space + 2).into_iter().collect(),
    };
    let place = |at: &Dims, head: [usize; 2], tail: &[usize]| -> Shape {
        let mut shape: Shape = at.iter().map(|_| 0).collect();
        for (&dim, &n) in at.iter().zip(head.iter().chain(tail)) {
            shape[dim] = n;
        }
        shape
    };
    let x = d.value_of_type(&Type { shape: place(&dims.input, [batch, features], &sizes), dtype });
    let kernel = Type { shape: place(&dims.kernel, [features / groups, outputs], &taps), dtype };
    let kernel = d.input(kernel, 3);
    let n = taps.iter().product::<usize>() * features;
    let (x, kernel) = for_products(d, x, kernel, n);
    let shape = place(&dims.output, [batch / batch_groups, outputs], &spatial?);
    let op = Convolution {
        dims,
        windows,
        reverse: d.tape.subset(space).into_iter().collect(),
        feature_groups: GroupCount(groups),
        batch_groups: GroupCount(batch_groups),
    };
    let (bound, whole) = (x.bound * kernel.bound * n as f64, x.integral && kernel.integral);
    d.push(op, &[&x, &kernel], Type { shape, dtype }, bound, whole)?;
    Some(())
}

/// Returns the bound of a reduction of `n` elements with magnitude up to `bound`.
fn reduced(monoid: Monoid, bound: f64, n: usize) -> f64 {
    match monoid {
        Monoid::Sum => bound * n as f64,
        Monoid::Prod => bound.max(1.0).powf(n as f64),
        Monoid::Max | Monoid::Min | Monoid::And | Monoid::Or => bound,
    }
}

/// Returns an operand for a reduction: booleans for `and` and `or`, small numbers for sums and products of `n`
/// elements.
fn reducible(d: &mut Generator<'_>, monoid: Monoid, n: impl Fn(&Shape) -> usize) -> Option<GeneratedValue> {
    let x = match monoid {
        Monoid::And | Monoid::Or => d.find(|v| v.ty.dtype == DType::Bool && v.rank() > 0)?,
        Monoid::Sum | Monoid::Max | Monoid::Min => d.number(1),
        Monoid::Prod => d.find(|v| v.ty.dtype.is_int() && v.rank() > 0)?,
    };
    let most = exact_integer_limit(x.ty.dtype) / n(&x.ty.shape).max(1) as f64;
    Some(if monoid == Monoid::Sum { d.clamp_within(x, most) } else { x })
}

fn without(shape: &Shape, dims: &[usize]) -> Shape {
    (0..shape.rank()).filter(|dim| !dims.contains(dim)).map(|dim| shape[dim]).collect()
}

fn reduce(d: &mut Generator<'_>) -> Option<()> {
    let monoid = d.tape.pick(&Monoid::ALL)?;
    let x = reducible(d, monoid, Shape::count)?;
    let dims = d.tape.subset(x.rank());
    let empty = dims.iter().any(|&dim| x.ty.shape[dim] == 0);
    // The identity of a maximum is infinite, which later steps cannot use.
    if empty && matches!(monoid, Monoid::Max | Monoid::Min) {
        return None;
    }
    let n = dims.iter().map(|&dim| x.ty.shape[dim]).product();
    let ty = Type { shape: without(&x.ty.shape, &dims), dtype: x.ty.dtype };
    let bound = reduced(monoid, x.bound, n).max(1.0);
    d.push(Reduce { monoid, dims: dims.into_iter().collect() }, &[&x], ty, bound, x.integral)?;
    Some(())
}

/// Appends a reduction to the largest element and its index, with the lower index on a tie.
fn reduce_func(d: &mut Generator<'_>) -> Option<()> {
    if d.is_in_nested_function() {
        return None;
    }
    let x = d.find(|v| v.integral && v.ty.dtype != DType::Bool && v.rank() > 0 && v.bound < 1e6)?;
    let dims: Dims = d.tape.subset(x.rank()).into_iter().collect();
    let scalar = Type::new(x.ty.dtype, []);
    let (count, truth) = (Type::new(DType::I32, []), Type::new(DType::Bool, []));
    let index = d.value_of_type(&Type { shape: x.ty.shape.clone(), dtype: DType::I32 });
    let types = [&scalar, &count, &scalar, &count].map(|ty| (ty.clone(), x.bound, true));
    let body = d.function("larger", &types, |d, args| {
        let [a, i, b, j] = args else { return vec![] };
        let compare = |d: &mut Generator<'_>, direction, x: &GeneratedValue, y: &GeneratedValue| {
            d.emit(Compare { direction, total: false }, &[x.id, y.id], std::slice::from_ref(&truth))[0]
        };
        let more = compare(d, Direction::Gt, a, b);
        let same = compare(d, Direction::Eq, a, b);
        let before = compare(d, Direction::Le, i, j);
        let both = |op| Binary { op };
        let tie = d.emit(both(BinaryOp::And), &[same, before], std::slice::from_ref(&truth))[0];
        let first = d.emit(both(BinaryOp::Or), &[more, tie], std::slice::from_ref(&truth))[0];
        let value = d.emit(Select {}, &[first, a.id, b.id], std::slice::from_ref(&scalar))[0];
        let index = d.emit(Select {}, &[first, i.id, j.id], std::slice::from_ref(&count))[0];
        vec![value, index]
    });
    let low = if x.ty.dtype.is_unsigned() { 0.0 } else { -4.0 };
    let (start, at) = (d.splat(&scalar, low), d.splat(&count, 1000.0));
    let shape = without(&x.ty.shape, &dims);
    let types = [x.ty.dtype, DType::I32].map(|dtype| Type { shape: shape.clone(), dtype });
    let outs = d.emit(ReduceFunc { dims, body }, &[x.id, index.id, start.id, at.id], &types);
    let [value, position] = types;
    d.record(GeneratedValue { id: outs[0], ty: value, bound: x.bound.max(4.0), integral: true });
    d.record(GeneratedValue { id: outs[1], ty: position, bound: index.bound.max(1000.0), integral: true });
    Some(())
}

fn reduce_window(d: &mut Generator<'_>) -> Option<()> {
    let monoid = d.tape.pick(&[Monoid::Sum, Monoid::Max, Monoid::Min, Monoid::Sum])?;
    let x = reducible(d, monoid, |_| 64)?;
    let mut windows = Vec::new();
    let mut shape = Shape::default();
    let mut covered = true;
    for &size in x.ty.shape.iter() {
        let taps = [1, 2, 3, 1][d.tape.below(4)];
        let mut w = if taps == 1 { Window::default() } else { window(d, taps) };
        if monoid != Monoid::Sum {
            // Every window must contain an element, since the identity of a maximum is infinite.
            w = Window { low: 0, high: 0, base: 1, ..w };
            covered &= size > 0;
        }
        shape.0.push(w.outputs(size)?);
        windows.push(w);
    }
    if !covered {
        return None;
    }
    let taps: usize = windows.iter().map(|w| w.size).product();
    let ty = Type { shape, dtype: x.ty.dtype };
    d.push(ReduceWindow { monoid, windows }, &[&x], ty, reduced(monoid, x.bound, taps), x.integral)?;
    Some(())
}

fn select_and_scatter(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.integral && v.rank() > 0 && v.ty.dtype != DType::Bool && !v.ty.shape.contains(&0))?;
    let mut windows = Vec::new();
    let mut shape = Shape::default();
    for &size in x.ty.shape.iter() {
        let taps = [1, 2, 3, 1][d.tape.below(4)];
        let stride = if taps == 1 { 1 } else { 1 + d.tape.below(3) };
        let pad = if taps > 1 { d.tape.below(2) as i64 } else { 0 };
        let w = Window { size: taps, stride, low: pad, high: pad, ..Window::default() };
        shape.0.push(w.outputs(size)?);
        windows.push(w);
    }
    let source = d.input(Type { shape, dtype: x.ty.dtype }, 3);
    let monoid = d.tape.pick(&[Monoid::Max, Monoid::Min])?;
    let bound = source.bound * source.ty.shape.count() as f64;
    d.push(SelectAndScatter { monoid, windows }, &[&x, &source], x.ty.clone(), bound, true)?;
    Some(())
}

/// Appends a sort of integral values, with optional payload operands.
fn sort(d: &mut Generator<'_>) -> Option<()> {
    if d.is_in_nested_function() {
        return None;
    }
    let x = d.find(|v| v.integral && v.rank() > 0 && v.ty.dtype != DType::Bool)?;
    let dim = d.tape.below(x.rank());
    let with = if d.tape.one_in(2) { Some(d.value_of_type(&x.ty)) } else { None };
    let direction = d.tape.pick(&[Direction::Lt, Direction::Gt])?;
    let scalar = (Type::new(x.ty.dtype, []), x.bound, true);
    let types = vec![scalar; if with.is_some() { 4 } else { 2 }];
    let comparator = d.function("before", &types, |d, args| {
        let compare = Compare { direction, total: false };
        d.emit(compare, &[args[0].id, args[1].id], &[Type::new(DType::Bool, [])])
    });
    let operands: Vec<GeneratedValue> = [Some(x), with].into_iter().flatten().collect();
    let types: Vec<Type> = operands.iter().map(|v| v.ty.clone()).collect();
    let args: Vec<_> = operands.iter().map(|v| v.id).collect();
    // The sort is stable, so that payloads do not depend on the evaluation order of equal elements.
    let outs = d.emit(Sort { dim, stable: true, comparator }, &args, &types);
    for (val, id) in operands.into_iter().zip(outs) {
        d.record(GeneratedValue { id, ..val });
    }
    Some(())
}

fn top_k(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.integral && v.rank() > 0 && v.ty.dtype != DType::Bool)?;
    // `top_k` orders -0 before 0, and the sign of a zero may depend on the order of a sum: -0 + 0 is 0.
    let zero = d.splat(&x.ty, 0.0);
    let x = d.push(Binary { op: BinaryOp::Add }, &[&x, &zero], x.ty.clone(), x.bound, true)?;
    let last = x.rank() - 1;
    let k = d.tape.below(x.ty.shape[last] + 1);
    let mut shape = x.ty.shape.clone();
    shape[last] = k;
    let types = [x.ty.dtype, DType::I32].map(|dtype| Type { shape: shape.clone(), dtype });
    let outs = d.emit(TopK { k }, &[x.id], &types);
    let [values, indices] = types;
    d.record(GeneratedValue { id: outs[0], ty: values, bound: x.bound, integral: true });
    d.record(GeneratedValue { id: outs[1], ty: indices, bound: x.ty.shape[last] as f64, integral: true });
    Some(())
}

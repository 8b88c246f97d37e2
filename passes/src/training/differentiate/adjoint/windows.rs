//! Adjoints of ops on sliding windows.

use super::Adjoint;
use super::algebra::Algebra;
use super::movement::{dilate_into, slice_padded};
use super::reduction::{OtherFactors, without_zeros};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{Binary, BinaryOp, Direction, Pad, ReduceWindow, SelectAndScatter, UnaryOp};
use partita_ir::rule::Window;
use partita_ir::tensor::Scalar;

/// Largest number of taps of a window that is decomposed into slices.
const MAX_TAPS: usize = 256;

/// Returns the number of positions from the first to the last of `count` elements with distance `step`.
pub(super) fn extent(count: usize, step: usize) -> i64 {
    (count.max(1) - 1) as i64 * step as i64 + 1
}

/// Returns the window that maps `outputs` gradients back to `inputs` gradients: it slides over the gradients, dilated
/// by the stride, with reversed taps.
pub(super) fn backward_window(window: &Window, inputs: usize, outputs: usize) -> Window {
    let reach = extent(window.size, window.dilation);
    let low = reach - 1 - window.low;
    let high = reach - 1 + extent(inputs, window.base) - extent(outputs, window.stride) - low;
    Window { stride: window.base, low, high, base: window.stride, ..*window }
}

/// Appends the adjoint of `reduce_window`. For a sum, sums the gradients of all windows that contain an element, so
/// that a cumulative sum runs in the opposite direction. For a maximum, the selected element gets the gradient. For a
/// product, each factor gets the gradient times the product of all other factors.
pub fn reduce_window(ctx: &mut Adjoint<'_, '_>, op: &ReduceWindow) -> Result<(), String> {
    if !ctx.needs_gradient(0) {
        return Ok(());
    }
    let (g, x, y) = (ctx.gradient(), ctx.arg(0), ctx.out());
    let ty = ctx.arg_type(0);
    let b = &mut *ctx.b;
    let gradient = match op.monoid {
        Monoid::Sum => sum_of_windows(b, g, &op.windows, &ty),
        Monoid::Prod => {
            let outputs = b.ty(y);
            let combine = |b: &mut Builder<'_>, x: ValueId, monoid: Monoid| {
                let op = ReduceWindow { monoid, windows: op.windows.clone() };
                b.op(monoid.name(), op, &[x], outputs.clone())
            };
            let others = OtherFactors::new(b, x, combine);
            let (of_zero, of_others) = others.products(b);
            let (zero, factor) = without_zeros(b, x);
            let [of_zero, of_others] = [of_zero, of_others].map(|product| {
                let product = b.mul(g, product);
                sum_of_windows(b, product, &op.windows, &ty)
            });
            let of_others = b.div(of_others, factor);
            b.choose(zero, of_zero, of_others)
        }
        Monoid::Max | Monoid::Min => extremum_gradient(b, g, x, y, op)?,
        Monoid::And | Monoid::Or => return Err(format!("{} is not a function of floats", op.monoid.name())),
    };
    ctx.set_gradient(0, gradient);
    Ok(())
}

/// Appends, for each element of an operand of this type, the sum over all windows that contain it.
fn sum_of_windows(b: &mut Builder<'_>, g: ValueId, windows: &[Window], ty: &Type) -> ValueId {
    let outputs = b.ty(g).shape;
    if outputs.contains(&0) || ty.shape.contains(&0) {
        return b.zeros(ty.clone());
    }
    let back = |(d, window): (usize, &Window)| backward_window(window, ty.shape[d], outputs[d]);
    let windows = windows.iter().enumerate().map(back).collect();
    b.op("sum", ReduceWindow { monoid: Monoid::Sum, windows }, &[g], ty.clone())
}

/// Appends the gradient of a maximum or minimum: for each window, the first of the selected elements gets the gradient.
/// If windows are dilated, all selected elements have equal shares.
fn extremum_gradient(
    b: &mut Builder<'_>,
    g: ValueId,
    x: ValueId,
    y: ValueId,
    op: &ReduceWindow,
) -> Result<ValueId, String> {
    let ty = b.ty(x);
    if ty.shape.contains(&0) || b.ty(g).shape.contains(&0) {
        return Ok(b.zeros(ty));
    }
    if op.windows.iter().all(|w| (w.dilation, w.base) == (1, 1)) {
        let select = SelectAndScatter { monoid: op.monoid, windows: op.windows.clone() };
        return Ok(b.op("selected", select, &[x, g], ty));
    }
    let taps = Taps::new(&op.windows, &ty.shape, &b.ty(g).shape)?;
    let padded =
        taps.padded(b, x, Scalar::Float(if op.monoid == Monoid::Max { f64::NEG_INFINITY } else { f64::INFINITY }));
    let whole = b.ty(padded);
    let gradient = if op.windows.iter().all(|w| w.dilation == 1) {
        let plain = |w: &Window| Window { low: 0, high: 0, base: 1, ..*w };
        let select = SelectAndScatter { monoid: op.monoid, windows: op.windows.iter().map(plain).collect() };
        b.op("selected", select, &[padded, g], whole)
    } else {
        let won: Vec<ValueId> = taps
            .starts()
            .map(|start| {
                let x = taps.slice(b, padded, &start);
                b.compare(x, Direction::Eq, y)
            })
            .collect();
        let mut count: Option<ValueId> = None;
        for &won in &won {
            let one = b.converted(won, ty.dtype);
            count = Some(count.map_or(one, |count| b.add(count, one)));
        }
        let share = count.map_or(g, |count| b.div(g, count));
        let mut sum: Option<ValueId> = None;
        for (won, start) in won.into_iter().zip(taps.starts()) {
            let share = b.select_or_zero(won, share);
            let back = dilate_into(b, share, &start, &taps.stride, whole.clone());
            sum = Some(sum.map_or(back, |sum| b.add(sum, back)));
        }
        sum.unwrap_or(padded)
    };
    Ok(slice_padded(b, gradient, &taps.pad, ty))
}

/// A window decomposed into taps: the elements that one tap reads for all outputs are a strided slice of the padded
/// operand.
struct Taps {
    pad: Pad,
    stride: Vec<usize>,
    dilation: Vec<usize>,
    /// Number of taps in each dimension.
    sizes: Vec<usize>,
    padded: Shape,
    outputs: Shape,
}

impl Taps {
    fn new(windows: &[Window], inputs: &Shape, outputs: &Shape) -> Result<Taps, String> {
        let sizes: Vec<usize> = windows.iter().map(|w| w.size).collect();
        let taps = sizes.iter().fold(1, |taps: usize, &n| taps.saturating_mul(n));
        if taps > MAX_TAPS {
            return Err(format!("its windows have {taps} taps, and at most {MAX_TAPS} are supported"));
        }
        let size = |(w, &n): (&Window, &usize)| (extent(n, w.base) + w.low + w.high) as usize;
        Ok(Taps {
            pad: Pad {
                low: windows.iter().map(|w| w.low).collect(),
                high: windows.iter().map(|w| w.high).collect(),
                interior: windows.iter().map(|w| w.base - 1).collect(),
            },
            stride: windows.iter().map(|w| w.stride).collect(),
            dilation: windows.iter().map(|w| w.dilation).collect(),
            sizes,
            padded: windows.iter().zip(inputs.iter()).map(size).collect(),
            outputs: outputs.clone(),
        })
    }

    /// Appends the padded operand.
    fn padded(&self, b: &mut Builder<'_>, x: ValueId, fill: Scalar) -> ValueId {
        let Pad { low, high, interior } = &self.pad;
        if low.iter().chain(high).all(|&n| n == 0) && interior.iter().all(|&n| n == 0) {
            return x;
        }
        let ty = Type { shape: self.padded.clone(), dtype: b.ty(x).dtype };
        let fill = b.splat(Type { shape: Shape::scalar(), dtype: ty.dtype }, fill);
        b.op("padded", self.pad.clone(), &[x, fill], ty)
    }

    /// Returns the position that each tap reads for the first output, in row-major order.
    fn starts(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let count: usize = self.sizes.iter().product();
        (0..count).map(|tap| {
            let mut rest = tap;
            let mut start = vec![0; self.sizes.len()];
            for (d, start) in start.iter_mut().enumerate().rev() {
                *start = rest % self.sizes[d] * self.dilation[d];
                rest /= self.sizes[d];
            }
            start
        })
    }

    /// Appends the elements that a tap reads for all outputs.
    fn slice(&self, b: &mut Builder<'_>, padded: ValueId, start: &[usize]) -> ValueId {
        b.strided_slice(padded, start, &self.stride, &self.outputs)
    }
}

/// Appends the adjoint of `select_and_scatter`: the source gets the gradient at the element that each window selects.
/// The operand gets none, because small changes do not affect the selection.
pub fn select_and_scatter(ctx: &mut Adjoint<'_, '_>, op: &SelectAndScatter) -> Result<(), String> {
    if !ctx.needs_gradient(1) {
        return Ok(());
    }
    let (g, x) = (ctx.gradient(), ctx.arg(0));
    let (ty, source) = (ctx.arg_type(0), ctx.arg_type(1));
    let b = &mut *ctx.b;
    if source.shape.contains(&0) || ty.shape.contains(&0) {
        let zeros = b.zeros(source);
        ctx.set_gradient(1, zeros);
        return Ok(());
    }
    let taps = Taps::new(&op.windows, &ty.shape, &source.shape)?;
    let direction = if op.monoid == Monoid::Max { Direction::Gt } else { Direction::Lt };
    let bools = |shape: &Shape| Type { shape: shape.clone(), dtype: DType::Bool };
    let everything = b.splat(bools(&ty.shape), Scalar::Int(1));
    let inside = taps.padded(b, everything, Scalar::Int(0));
    let (x, g) = (taps.padded(b, x, Scalar::Float(0.0)), taps.padded(b, g, Scalar::Float(0.0)));
    // The selected value so far, and whether one exists: windows may begin in the padding.
    let mut best: Option<(ValueId, ValueId)> = None;
    let mut gradient = b.zeros(source.clone());
    let mut starts = taps.starts().peekable();
    while let Some(start) = starts.next() {
        let (x, g, inside) = (taps.slice(b, x, &start), taps.slice(b, g, &start), taps.slice(b, inside, &start));
        let better = match best {
            None => inside,
            Some((best, found)) => {
                let beaten = b.compare(x, direction, best);
                let open = b.unary(UnaryOp::Not, found);
                let better = logic(b, BinaryOp::Or, open, beaten);
                logic(b, BinaryOp::And, inside, better)
            }
        };
        gradient = b.choose(better, g, gradient);
        if starts.peek().is_some() {
            best = Some(match best {
                None => (x, inside),
                Some((best, found)) => (b.choose(better, x, best), logic(b, BinaryOp::Or, found, inside)),
            });
        }
    }
    ctx.set_gradient(1, gradient);
    Ok(())
}

fn logic(b: &mut Builder<'_>, op: BinaryOp, x: ValueId, y: ValueId) -> ValueId {
    let ty = b.ty(x);
    b.op(op.name(), Binary { op }, &[x, y], ty)
}

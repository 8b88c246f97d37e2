//! Ops with sliding windows: pooling and cumulative sums, and the gradient of pooling.

use super::operands::{Lowered, Operand, Output};
use crate::assembler::{Assembler, Value, combination};
use crate::gpu::Lowerer;
use crate::kernels::fold::{Folding, units};
use crate::kernels::scan::Scanning;
use crate::kernels::steps::Lane;
use crate::launch::{Arg, Dispatch};
use crate::spec::{Buffers, Spec};
use partita_ir::arena::OpId;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, ReduceWindow, SelectAndScatter};
use partita_ir::rule::Window;
use partita_lowering::view::dense_strides;

/// From so many items on, what is cumulated is scanned.
const LONG: usize = 64;

/// The element of `input` that tap `tap` of output `output` reads, brought inside, and whether it is one; nothing where
/// it always is.
pub(crate) fn tapped(
    a: &mut Assembler,
    window: &Window,
    (input, outputs): (usize, usize),
    output: Value,
    tap: Value,
) -> (Value, Option<Value>) {
    let at = a.dot(&[output, tap], &[window.stride as isize, window.dilation as isize], -(window.low as isize));
    let last = (outputs as i64 - 1) * window.stride as i64 + (window.size as i64 - 1) * window.dilation as i64;
    if window.low <= 0 && window.base == 1 && last - window.low < input as i64 {
        return (at, None);
    }
    let (element, is_one) = if window.base == 1 {
        (at, None)
    } else {
        let base = a.int(window.base);
        let none = a.int(0);
        let rest = a.binary(BinaryOp::Rem, at, base);
        (a.binary(BinaryOp::Div, at, base), Some(a.compare(Direction::Eq, rest, none)))
    };
    // What lies before the first element is not brought to it by division.
    let none = a.int(0);
    let from = a.compare(Direction::Ge, at, none);
    let inside = a.is_inside(element, input);
    let conditions = [Some(from), Some(inside), is_one];
    let condition = a.all(conditions.into_iter().flatten());
    (a.clamped(element, input.saturating_sub(1)), condition)
}

/// A tap of a window of several dimensions.
struct Taps<'w> {
    windows: &'w [Window],
    input: Vec<usize>,
    output: Vec<usize>,
}

impl Taps<'_> {
    fn sizes(&self) -> Vec<usize> {
        self.windows.iter().map(|w| w.size).collect()
    }

    /// Indices of the element that a tap of an output reads, and whether it is one.
    fn read(&self, a: &mut Assembler, output: Value, tap: Value) -> (Vec<Value>, Option<Value>) {
        let (outputs, taps) = (a.indices(output, &self.output), a.indices(tap, &self.sizes()));
        let mut conditions = Vec::new();
        let mut at = Vec::new();
        for (d, window) in self.windows.iter().enumerate() {
            let sizes = (self.input[d], self.output[d]);
            let (index, condition) = tapped(a, window, sizes, outputs[d], taps[d]);
            at.push(index);
            conditions.extend(condition);
        }
        (at, a.all(conditions))
    }
}

/// All elements of a window, combined.
pub(crate) fn reduce_window(to: &mut Lowerer<'_>, id: OpId, op: &ReduceWindow) -> Option<()> {
    let (lowered, operands) = Lowered::of(to, id)?;
    let [x] = &operands[..] else { return None };
    let out = to.program.ty(to.program.ops[id].outs[0]).shape.to_vec();
    if let Some((dim, backwards)) = cumulated(op, &x.view.shape) {
        return scan(to, lowered, x, op.monoid, dim, backwards);
    }
    let taps = Taps { windows: &op.windows, input: x.view.shape.to_vec(), output: out.clone() };
    let mut a = Assembler::default();
    let (line, item) = (a.given(Lane::I32), a.given(Lane::I32));
    let identity = a.scalar(x.dtype, op.monoid.identity(x.dtype))?;
    let number = if x.view.count() == 0 {
        identity
    } else {
        let (at, is_one) = taps.read(&mut a, line, item);
        let number = x.load(&mut a, &at);
        is_one.map_or(number, |is_one| a.select(is_one, number, identity))
    };
    let item = a.program(&[number]);
    let mut last = Assembler::default();
    let (line, all) = (last.given(Lane::I32), last.given(x.lane));
    lowered.output(0).store(&mut last, line, all);
    let count = (out.iter().product(), taps.sizes().iter().product());
    lowered.fold(to, count, vec![x.lane], (item, combination(op.monoid, x.lane), last));
    Some(())
}

/// The long dimension along which elements are combined up to each one, or from each one on.
fn cumulated(op: &ReduceWindow, shape: &[usize]) -> Option<(usize, bool)> {
    let mut others = op.windows.iter().enumerate().filter(|(_, w)| **w != Window::default());
    let (dim, window) = others.next()?;
    let n = shape[dim];
    let all = Window { size: n, ..Window::default() };
    let around = n as i64 - 1;
    if others.next().is_some() || n < LONG {
        None
    } else if *window == (Window { low: around, ..all }) {
        Some((dim, false))
    } else if *window == (Window { high: around, ..all }) {
        Some((dim, true))
    } else {
        None
    }
}

fn scan(
    to: &mut Lowerer<'_>,
    lowered: Lowered,
    x: &Operand,
    monoid: Monoid,
    dim: usize,
    backwards: bool,
) -> Option<()> {
    let shape = x.view.shape.to_vec();
    let items = shape[dim];
    let outer: Vec<usize> = shape.iter().enumerate().filter(|(d, _)| *d != dim).map(|(_, &n)| n).collect();
    let indices = |a: &mut Assembler, line: Value, item: Value| {
        let mut at = a.indices(line, &outer);
        let last = a.int(items - 1);
        at.insert(dim, if backwards { a.sub(last, item) } else { item });
        at
    };
    let mut a = Assembler::default();
    let (line, item) = (a.given(Lane::I32), a.given(Lane::I32));
    let at = indices(&mut a, line, item);
    let number = x.load(&mut a, &at);
    let program = a.program(&[number]);
    let mut a = Assembler::default();
    let (line, item) = (a.given(Lane::I32), a.given(Lane::I32));
    let number = a.given(x.lane);
    let at = indices(&mut a, line, item);
    let place = a.dot(&at, &dense_strides(&shape), 0);
    lowered.output(0).store(&mut a, place, number);
    let scan = Scanning {
        lines: outer.iter().product(),
        items,
        lane: x.lane,
        item: program,
        combine: combination(monoid, x.lane),
        each: a.steps(),
    };
    let buffers = lowered.buffers();
    lowered.kernel(to, Spec::Scan(buffers, scan));
    Some(())
}

/// First what each window selects, into scratch memory; then each element asks the windows around it whether they
/// selected it.
pub(crate) fn select_and_scatter(to: &mut Lowerer<'_>, id: OpId, op: &SelectAndScatter) -> Option<()> {
    let (lowered, operands) = Lowered::of(to, id)?;
    let [x, source] = &operands[..] else { return None };
    let (shape, outputs) = (x.view.shape.to_vec(), source.view.shape.to_vec());
    let (count, windows): (usize, usize) = (shape.iter().product(), outputs.iter().product());
    if windows == 0 {
        let mut a = Assembler::default();
        let zero = a.bits(x.lane, 0);
        lowered.output(0).store_here(&mut a, zero);
        lowered.pointwise(to, count, a);
        return Some(());
    }
    let selected = Arg::Scratch(0);
    let dispatches = vec![
        Dispatch { spec: selects(op, x, &outputs), args: vec![Arg::Read(0), selected] },
        Dispatch {
            spec: collects(op, source, (&shape, &outputs), lowered.output(0)),
            args: vec![selected, Arg::Read(1), Arg::Write(0)],
        },
    ];
    lowered.kernels(to, dispatches, windows * 4);
    Some(())
}

/// For each window, the number of the element that it selects, or -1.
fn selects(op: &SelectAndScatter, x: &Operand, outputs: &[usize]) -> Spec {
    let shape = x.view.shape.to_vec();
    let taps = Taps { windows: &op.windows, input: shape.clone(), output: outputs.to_vec() };
    let items: usize = taps.sizes().iter().product();
    let mut a = Assembler::default();
    let (line, item) = (a.given(Lane::I32), a.given(Lane::I32));
    let (at, is_one) = taps.read(&mut a, line, item);
    let number = x.load(&mut a, &at);
    let element = a.dot(&at, &dense_strides(&shape), 0);
    let nobody = a.signed(-1);
    let element = is_one.map_or(element, |is_one| a.select(is_one, element, nobody));
    let item = a.program(&[number, element]);

    let mut a = Assembler::default();
    let (x0, e0) = (a.given(x.lane), a.given(Lane::I32));
    let (x1, e1) = (a.given(x.lane), a.given(Lane::I32));
    let none = a.int(0);
    let is_better = a.compare(if op.monoid == Monoid::Min { Direction::Le } else { Direction::Ge }, x0, x1);
    let (is_left, no_right) = (a.compare(Direction::Ge, e0, none), a.compare(Direction::Lt, e1, none));
    let stays = a.binary(BinaryOp::And, is_left, is_better);
    let stays = a.binary(BinaryOp::Or, no_right, stays);
    let (number, element) = (a.select(stays, x0, x1), a.select(stays, e0, e1));
    let combine = a.program(&[number, element]);

    let mut last = Assembler::default();
    let (line, _, element) = (last.given(Lane::I32), last.given(x.lane), last.given(Lane::I32));
    last.store(0, line, element);
    let lines = outputs.iter().product();
    let units = units(lines, items);
    let fold = Folding { lines, items, units, lanes: vec![x.lane, Lane::I32], item, combine, last: last.steps() };
    Spec::Fold(Buffers { reads: 1, writes: 1 }, fold)
}

/// For each element, the sources of the windows that selected it.
fn collects(op: &SelectAndScatter, source: &Operand, (shape, outputs): (&[usize], &[usize]), output: Output) -> Spec {
    let lane = source.lane;
    // So many windows are around an element.
    let around: Vec<usize> = op.windows.iter().map(|w| w.size.div_ceil(w.stride)).collect();
    let (lines, items) = (shape.iter().product(), around.iter().product());
    let mut a = Assembler::default();
    let (line, item) = (a.given(Lane::I32), a.given(Lane::I32));
    let (element, which) = (a.indices(line, shape), a.indices(item, &around));
    let mut windows = Vec::new();
    let mut conditions = Vec::new();
    for (d, window) in op.windows.iter().enumerate() {
        let at = a.dot(&[element[d]], &[1], window.low as isize);
        let stride = a.int(window.stride);
        let last = a.binary(BinaryOp::Div, at, stride);
        let all = a.int(around[d] - 1);
        let before = a.sub(all, which[d]);
        let index = a.sub(last, before);
        conditions.push(a.is_inside(index, outputs[d]));
        windows.push(a.clamped(index, outputs[d] - 1));
    }
    let place = a.dot(&windows, &dense_strides(outputs), 0);
    let selected = a.load(0, place, Lane::I32);
    conditions.push(a.compare(Direction::Eq, selected, line));
    let place = a.dot(&windows, &source.view.strides, source.view.offset);
    let (number, zero) = (source.load_at(&mut a, place), a.bits(lane, 0));
    let number = match a.all(conditions) {
        Some(is_mine) => a.select(is_mine, number, zero),
        None => number,
    };
    let item = a.program(&[number]);
    let mut last = Assembler::default();
    let (line, sum) = (last.given(Lane::I32), last.given(lane));
    output.store(&mut last, line, sum);
    let units = units(lines, items);
    let combine = combination(Monoid::Sum, lane);
    let fold = Folding { lines, items, units, lanes: vec![lane], item, combine, last: last.steps() };
    Spec::Fold(Buffers { reads: 2, writes: 1 }, fold)
}

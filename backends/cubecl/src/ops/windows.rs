//! Ops with sliding windows: pooling, cumulative sums, and the gradient of pooling.

use super::operands::{LoweredOp, Operand, Output};
use crate::assembler::{Assembler, Value, combine_program};
use crate::gpu::Lowerer;
use crate::kernels::fold::{FoldSpec, units};
use crate::kernels::scan::ScanSpec;
use crate::kernels::steps::RegClass;
use crate::launch::{Arg, Dispatch};
use crate::spec::{Buffers, KernelSpec};
use partita_ir::arena::OpId;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, ReduceWindow, SelectAndScatter};
use partita_ir::rule::Window;
use partita_lowering::view::dense_strides;

/// Minimum items of a cumulative reduction that is lowered to a scan.
const MIN_SCAN_ITEMS: usize = 64;

/// Computes the input element that tap `tap` of output `output` reads, clamped to the input. Also returns the condition
/// that the element exists, or `None` if it always does.
pub(crate) fn tap_element(
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
    // The lower bound is tested before the division by `base`, which rounds negative numbers to zero.
    let none = a.int(0);
    let from = a.compare(Direction::Ge, at, none);
    let inside = a.is_inside(element, input);
    let conditions = [Some(from), Some(inside), is_one];
    let condition = a.conjunction(conditions.into_iter().flatten());
    (a.clamped(element, input.saturating_sub(1)), condition)
}

/// Taps (elements) of a multi-dimensional window.
struct Taps<'w> {
    windows: &'w [Window],
    input: Vec<usize>,
    output: Vec<usize>,
}

impl Taps<'_> {
    fn sizes(&self) -> Vec<usize> {
        self.windows.iter().map(|w| w.size).collect()
    }

    /// Computes the indices of the element that a tap of an output reads, and the condition that the element exists.
    fn read(&self, a: &mut Assembler, output: Value, tap: Value) -> (Vec<Value>, Option<Value>) {
        let (outputs, taps) = (a.indices(output, &self.output), a.indices(tap, &self.sizes()));
        let mut conditions = Vec::new();
        let mut at = Vec::new();
        for (d, window) in self.windows.iter().enumerate() {
            let sizes = (self.input[d], self.output[d]);
            let (index, condition) = tap_element(a, window, sizes, outputs[d], taps[d]);
            at.push(index);
            conditions.extend(condition);
        }
        (at, a.conjunction(conditions))
    }
}

/// Lowers a reduction over windows.
pub(crate) fn reduce_window(to: &mut Lowerer<'_>, id: OpId, op: &ReduceWindow) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [x] = &operands[..] else { return None };
    let out = to.program.ty(to.program.ops[id].outs[0]).shape.to_vec();
    if let Some((dim, backwards)) = cumulative_dim(op, &x.view.shape) {
        return scan(to, lowered, x, op.monoid, dim, backwards);
    }
    let taps = Taps { windows: &op.windows, input: x.view.shape.to_vec(), output: out.clone() };
    let mut a = Assembler::default();
    let (line, item) = (a.next_register(RegClass::I32), a.next_register(RegClass::I32));
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
    let (line, all) = (last.next_register(RegClass::I32), last.next_register(x.class));
    lowered.output(0).store(&mut last, line, all);
    let count = (out.iter().product(), taps.sizes().iter().product());
    lowered.fold(to, count, vec![x.class], (item, combine_program(op.monoid, x.class), last));
    Some(())
}

/// Returns the dimension of a cumulative reduction with many items, and true if it runs from the last item to the
/// first. Returns `None` for other windows.
fn cumulative_dim(op: &ReduceWindow, shape: &[usize]) -> Option<(usize, bool)> {
    let mut others = op.windows.iter().enumerate().filter(|(_, w)| **w != Window::default());
    let (dim, window) = others.next()?;
    let n = shape[dim];
    let all = Window { size: n, ..Window::default() };
    let around = n as i64 - 1;
    if others.next().is_some() || n < MIN_SCAN_ITEMS {
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
    lowered: LoweredOp,
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
    let (line, item) = (a.next_register(RegClass::I32), a.next_register(RegClass::I32));
    let at = indices(&mut a, line, item);
    let number = x.load(&mut a, &at);
    let program = a.program(&[number]);
    let mut a = Assembler::default();
    let (line, item) = (a.next_register(RegClass::I32), a.next_register(RegClass::I32));
    let number = a.next_register(x.class);
    let at = indices(&mut a, line, item);
    let address = a.dot(&at, &dense_strides(&shape), 0);
    lowered.output(0).store(&mut a, address, number);
    let scan = ScanSpec {
        lines: outer.iter().product(),
        items,
        class: x.class,
        item: program,
        combine: combine_program(monoid, x.class),
        each: a.steps(),
    };
    let buffers = lowered.buffers();
    lowered.kernel(to, KernelSpec::Scan(buffers, scan));
    Some(())
}

/// Lowers `select_and_scatter` to two kernels: the first writes the element selected by each window to scratch memory,
/// and the second sums for each element the sources of the windows that selected it.
pub(crate) fn select_and_scatter(to: &mut Lowerer<'_>, id: OpId, op: &SelectAndScatter) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [x, source] = &operands[..] else { return None };
    let (shape, outputs) = (x.view.shape.to_vec(), source.view.shape.to_vec());
    let (count, windows): (usize, usize) = (shape.iter().product(), outputs.iter().product());
    if windows == 0 {
        let mut a = Assembler::default();
        let zero = a.bits(x.class, 0);
        lowered.output(0).store_here(&mut a, zero);
        lowered.pointwise(to, count, a);
        return Some(());
    }
    let selected = Arg::Scratch(0);
    let dispatches = vec![
        Dispatch { spec: selection_kernel(op, x, &outputs), args: vec![Arg::Read(0), selected] },
        Dispatch {
            spec: collection_kernel(op, source, (&shape, &outputs), lowered.output(0)),
            args: vec![selected, Arg::Read(1), Arg::Write(0)],
        },
    ];
    lowered.kernels(to, dispatches, windows * 4);
    Some(())
}

/// Returns the kernel that computes for each window the index of the selected element, or -1.
fn selection_kernel(op: &SelectAndScatter, x: &Operand, outputs: &[usize]) -> KernelSpec {
    let shape = x.view.shape.to_vec();
    let taps = Taps { windows: &op.windows, input: shape.clone(), output: outputs.to_vec() };
    let items: usize = taps.sizes().iter().product();
    let mut a = Assembler::default();
    let (line, item) = (a.next_register(RegClass::I32), a.next_register(RegClass::I32));
    let (at, is_one) = taps.read(&mut a, line, item);
    let number = x.load(&mut a, &at);
    let element = a.dot(&at, &dense_strides(&shape), 0);
    let no_element = a.signed(-1);
    let element = is_one.map_or(element, |is_one| a.select(is_one, element, no_element));
    let item = a.program(&[number, element]);

    let mut a = Assembler::default();
    let (x0, e0) = (a.next_register(x.class), a.next_register(RegClass::I32));
    let (x1, e1) = (a.next_register(x.class), a.next_register(RegClass::I32));
    let none = a.int(0);
    let is_better = a.compare(if op.monoid == Monoid::Min { Direction::Le } else { Direction::Ge }, x0, x1);
    let (is_left, no_right) = (a.compare(Direction::Ge, e0, none), a.compare(Direction::Lt, e1, none));
    let keep_left = a.binary(BinaryOp::And, is_left, is_better);
    let keep_left = a.binary(BinaryOp::Or, no_right, keep_left);
    let (number, element) = (a.select(keep_left, x0, x1), a.select(keep_left, e0, e1));
    let combine = a.program(&[number, element]);

    let mut last = Assembler::default();
    let (line, _, element) =
        (last.next_register(RegClass::I32), last.next_register(x.class), last.next_register(RegClass::I32));
    last.store(0, line, element);
    let lines = outputs.iter().product();
    let units = units(lines, items);
    let fold =
        FoldSpec { lines, items, units, classes: vec![x.class, RegClass::I32], item, combine, last: last.steps() };
    KernelSpec::Fold(Buffers { reads: 1, writes: 1 }, fold)
}

/// Returns the kernel that sums for each element the sources of the windows that selected it.
fn collection_kernel(
    op: &SelectAndScatter,
    source: &Operand,
    (shape, outputs): (&[usize], &[usize]),
    output: Output,
) -> KernelSpec {
    let class = source.class;
    // Number of windows that contain an element, along each dimension.
    let around: Vec<usize> = op.windows.iter().map(|w| w.size.div_ceil(w.stride)).collect();
    let (lines, items) = (shape.iter().product(), around.iter().product());
    let mut a = Assembler::default();
    let (line, item) = (a.next_register(RegClass::I32), a.next_register(RegClass::I32));
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
    let address = a.dot(&windows, &dense_strides(outputs), 0);
    let selected = a.load(0, address, RegClass::I32);
    conditions.push(a.compare(Direction::Eq, selected, line));
    let address = a.dot(&windows, &source.view.strides, source.view.offset);
    let (number, zero) = (source.load_at(&mut a, address), a.bits(class, 0));
    let number = match a.conjunction(conditions) {
        Some(is_mine) => a.select(is_mine, number, zero),
        None => number,
    };
    let item = a.program(&[number]);
    let mut last = Assembler::default();
    let (line, sum) = (last.next_register(RegClass::I32), last.next_register(class));
    output.store(&mut last, line, sum);
    let units = units(lines, items);
    let combine = combine_program(Monoid::Sum, class);
    let fold = FoldSpec { lines, items, units, classes: vec![class], item, combine, last: last.steps() };
    KernelSpec::Fold(Buffers { reads: 2, writes: 1 }, fold)
}

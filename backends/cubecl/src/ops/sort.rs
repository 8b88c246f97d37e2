//! Lowering of `sort` and `top_k`: merge passes sort item indices, then items are gathered in sorted order.

use super::operands::{LoweredOp, Operand};
use super::scalar::{call, ordered};
use crate::assembler::{Assembler, Value};
use crate::gpu::Lowerer;
use crate::kernels::merge::MergeSpec;
use crate::kernels::steps::{Program, RegClass};
use crate::launch::{Arg, Dispatch};
use crate::spec::{Buffers, KernelSpec};
use partita_ir::arena::OpId;
use partita_ir::ops::{BinaryOp, Direction, Sort, TopK, UnaryOp};
use partita_lowering::view::dense_strides;

/// Lines of an array along one dimension. An item is an element of a line, or with several operands the elements at one
/// position.
struct SortLines {
    shape: Vec<usize>,
    dim: usize,
}

/// Returns the number of items of a line.
impl SortLines {
    fn items(&self) -> usize {
        self.shape[self.dim]
    }

    /// Returns the shape without the sorted dimension.
    fn outer_shape(&self) -> Vec<usize> {
        self.shape.iter().enumerate().filter(|(d, _)| *d != self.dim).map(|(_, &n)| n).collect()
    }

    /// Returns the number of lines.
    fn lines(&self) -> usize {
        self.outer_shape().iter().product()
    }

    /// Computes the index in each dimension of an item of a line.
    fn indices(&self, a: &mut Assembler, line: Value, item: Value) -> Vec<Value> {
        let mut at = a.indices(line, &self.outer_shape());
        at.insert(self.dim, item);
        at
    }
}

/// Alignment in scratch memory of an order (the permutation of items that a merge pass computes), in bytes.
const ALIGN: usize = 256;

/// Returns the merge passes of a sort, the buffer with the final order (`None` for lines of at most one item), and the
/// size of the scratch memory in bytes, which contains two orders. `operands` is the number of operands that `before`
/// loads.
fn merge_passes(lines: &SortLines, operands: usize, before: &Program) -> (Vec<Dispatch>, Option<Arg>, usize) {
    let (count, items) = (lines.lines(), lines.items());
    let bytes = (count * items * 4).next_multiple_of(ALIGN);
    let mut dispatches = Vec::new();
    let mut order = None;
    let mut width = 1;
    while width < items {
        let to = Arg::Scratch(if dispatches.len() % 2 == 0 { 0 } else { bytes });
        let mut args: Vec<Arg> = (0..operands).map(Arg::Read).collect();
        args.extend(order);
        let merge = MergeSpec { lines: count, items, width, order: order.map(|_| operands), before: before.clone() };
        let buffers = Buffers { reads: args.len(), writes: 1 };
        args.push(to);
        dispatches.push(Dispatch { spec: KernelSpec::Merge(buffers, merge), args });
        order = Some(to);
        width *= 2;
    }
    (dispatches, order, 2 * bytes)
}

/// Returns a program that computes whether the first of two items strictly precedes the second. `comparator` computes
/// whether the first of two items precedes the second, given the elements of both for each operand; items that precede
/// each other are equal.
fn strict_comparator(
    lines: &SortLines,
    operands: &[Operand],
    mut comparator: impl FnMut(&mut Assembler, &[Value]) -> Option<Value>,
) -> Option<Program> {
    let mut a = Assembler::default();
    let (line, first, second) =
        (a.next_register(RegClass::I32), a.next_register(RegClass::I32), a.next_register(RegClass::I32));
    let (first, second) = (lines.indices(&mut a, line, first), lines.indices(&mut a, line, second));
    let pairs: Vec<(Value, Value)> =
        operands.iter().map(|x| (x.load(&mut a, &first), x.load(&mut a, &second))).collect();
    let forward: Vec<Value> = pairs.iter().flat_map(|&(x, y)| [x, y]).collect();
    let backward: Vec<Value> = pairs.iter().flat_map(|&(x, y)| [y, x]).collect();
    let (forward, backward) = (comparator(&mut a, &forward)?, comparator(&mut a, &backward)?);
    let not = a.unary(UnaryOp::Not, backward);
    let before = a.binary(BinaryOp::And, forward, not);
    Some(a.program(&[before]))
}

/// Returns the item of a line at a position in sorted order. `order` is the number of the operand with the final order;
/// `None` if items are in memory order.
fn in_order(a: &mut Assembler, order: Option<usize>, lines: &SortLines, line: Value, at: Value) -> Value {
    let Some(memory) = order else { return at };
    let address = a.dot(&[line, at], &[lines.items() as isize, 1], 0);
    a.load(memory, address, RegClass::I32)
}

/// Lowers a sort of one or several operands by a comparator. Returns `None` for unsupported ops.
pub(crate) fn sort(to: &mut Lowerer<'_>, id: OpId, op: &Sort) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let lines = SortLines { shape: operands.first()?.view.shape.to_vec(), dim: op.dim };
    let program = to.program;
    let before =
        strict_comparator(&lines, &operands, |a, pairs| call(a, program, op.comparator, pairs)?.first().copied())?;
    let mut a = Assembler::default();
    let element = a.element();
    let (item, line) = (a.index(element, 1, lines.items()), a.index(element, lines.items(), lines.lines()));
    let (mut dispatches, order, scratch) = merge_passes(&lines, operands.len(), &before);
    let from = in_order(&mut a, order.map(|_| operands.len()), &lines, line, item);
    let (from, put) = (lines.indices(&mut a, line, from), lines.indices(&mut a, line, item));
    let address = a.dot(&put, &dense_strides(&lines.shape), 0);
    for (out, x) in operands.iter().enumerate() {
        let number = x.load(&mut a, &from);
        lowered.output(out).store(&mut a, address, number);
    }
    dispatches.push(gather_dispatch(&lowered, order, lines.shape.iter().product(), a));
    lowered.kernels(to, dispatches, scratch);
    Some(())
}

/// Returns the kernel whose program gathers items in sorted order, for `count` elements.
fn gather_dispatch(lowered: &LoweredOp, order: Option<Arg>, count: usize, a: Assembler) -> Dispatch {
    let Buffers { reads, writes } = lowered.buffers();
    let mut args: Vec<Arg> = (0..reads).map(Arg::Read).collect();
    args.extend(order);
    let spec = KernelSpec::Pointwise { reads: args.len(), writes, count, steps: a.steps() };
    args.extend(lowered.results());
    Dispatch { spec, args }
}

/// Lowers `top_k`: the `k` largest elements along the last dimension, and their indices. Returns `None` for unsupported
/// types.
pub(crate) fn top_k(to: &mut Lowerer<'_>, id: OpId, op: &TopK) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [x] = &operands[..] else { return None };
    let shape = x.view.shape.to_vec();
    let lines = SortLines { dim: shape.len().checked_sub(1)?, shape };
    let before = strict_comparator(&lines, &operands, |a, pair| {
        let &[x, y] = pair else { return None };
        let (x, y) = (ordered(a, x), ordered(a, y));
        Some(a.compare(Direction::Gt, x, y))
    })?;
    let mut a = Assembler::default();
    let element = a.element();
    let (at, line) = (a.index(element, 1, op.k), a.index(element, op.k, lines.lines()));
    let (mut dispatches, order, scratch) = merge_passes(&lines, 1, &before);
    let item = in_order(&mut a, order.map(|_| 1), &lines, line, at);
    let from = lines.indices(&mut a, line, item);
    let number = x.load(&mut a, &from);
    lowered.output(0).store(&mut a, element, number);
    lowered.output(1).store(&mut a, element, item);
    dispatches.push(gather_dispatch(&lowered, order, lines.lines() * op.k, a));
    lowered.kernels(to, dispatches, scratch);
    Some(())
}

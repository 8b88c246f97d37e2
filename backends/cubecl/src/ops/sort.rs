//! `sort` and `top_k`: numbers of items are sorted, pass by pass, and then the items are taken in their order.

use super::operands::{Lowered, Operand};
use super::scalar::{call, ordered};
use crate::assembler::{Assembler, Value};
use crate::gpu::Lowerer;
use crate::kernels::merge::Merging;
use crate::kernels::steps::{Lane, Program};
use crate::launch::{Arg, Dispatch};
use crate::spec::{Buffers, Spec};
use partita_ir::arena::OpId;
use partita_ir::ops::{BinaryOp, Direction, Sort, TopK, UnaryOp};
use partita_lowering::view::dense_strides;

/// Lines of an array along a dimension.
struct Lines {
    shape: Vec<usize>,
    dim: usize,
}

impl Lines {
    fn items(&self) -> usize {
        self.shape[self.dim]
    }

    fn outer_shape(&self) -> Vec<usize> {
        self.shape.iter().enumerate().filter(|(d, _)| *d != self.dim).map(|(_, &n)| n).collect()
    }

    fn lines(&self) -> usize {
        self.outer_shape().iter().product()
    }

    /// Indices of an item of a line.
    fn indices(&self, a: &mut Assembler, line: Value, item: Value) -> Vec<Value> {
        let mut at = a.indices(line, &self.outer_shape());
        at.insert(self.dim, item);
        at
    }
}

/// The bytes of an order.
const ALIGN: usize = 256;

/// The passes of a sort, into scratch memory; where the order is in the end, and how many bytes there are.
fn passes(lines: &Lines, operands: usize, before: &Program) -> (Vec<Dispatch>, Option<Arg>, usize) {
    let (count, items) = (lines.lines(), lines.items());
    let bytes = (count * items * 4).next_multiple_of(ALIGN);
    let mut dispatches = Vec::new();
    let mut order = None;
    let mut width = 1;
    while width < items {
        let to = Arg::Scratch(if dispatches.len() % 2 == 0 { 0 } else { bytes });
        let mut args: Vec<Arg> = (0..operands).map(Arg::Read).collect();
        args.extend(order);
        let merge = Merging { lines: count, items, width, order: order.map(|_| operands), before: before.clone() };
        let buffers = Buffers { reads: args.len(), writes: 1 };
        args.push(to);
        dispatches.push(Dispatch { spec: Spec::Merge(buffers, merge), args });
        order = Some(to);
        width *= 2;
    }
    (dispatches, order, 2 * bytes)
}

/// Whether the first of two items comes before the second, by what says so of their numbers: two that come before each
/// other are equal.
fn strictly(
    lines: &Lines,
    operands: &[Operand],
    mut says: impl FnMut(&mut Assembler, &[Value]) -> Option<Value>,
) -> Option<Program> {
    let mut a = Assembler::default();
    let (line, first, second) = (a.given(Lane::I32), a.given(Lane::I32), a.given(Lane::I32));
    let (first, second) = (lines.indices(&mut a, line, first), lines.indices(&mut a, line, second));
    let pairs: Vec<(Value, Value)> =
        operands.iter().map(|x| (x.load(&mut a, &first), x.load(&mut a, &second))).collect();
    let there: Vec<Value> = pairs.iter().flat_map(|&(x, y)| [x, y]).collect();
    let back: Vec<Value> = pairs.iter().flat_map(|&(x, y)| [y, x]).collect();
    let (there, back) = (says(&mut a, &there)?, says(&mut a, &back)?);
    let not = a.unary(UnaryOp::Not, back);
    let before = a.binary(BinaryOp::And, there, not);
    Some(a.program(&[before]))
}

/// A line's item at a place in the order, which is that operand.
fn in_order(a: &mut Assembler, order: Option<usize>, lines: &Lines, line: Value, at: Value) -> Value {
    let Some(memory) = order else { return at };
    let place = a.dot(&[line, at], &[lines.items() as isize, 1], 0);
    a.load(memory, place, Lane::I32)
}

/// Sorts operands together.
pub(crate) fn sort(to: &mut Lowerer<'_>, id: OpId, op: &Sort) -> Option<()> {
    let (lowered, operands) = Lowered::of(to, id)?;
    let lines = Lines { shape: operands.first()?.view.shape.to_vec(), dim: op.dim };
    let program = to.program;
    let before = strictly(&lines, &operands, |a, pairs| call(a, program, op.comparator, pairs)?.first().copied())?;
    let mut a = Assembler::default();
    let element = a.element();
    let (item, line) = (a.index(element, 1, lines.items()), a.index(element, lines.items(), lines.lines()));
    let (mut dispatches, order, scratch) = passes(&lines, operands.len(), &before);
    let from = in_order(&mut a, order.map(|_| operands.len()), &lines, line, item);
    let (from, put) = (lines.indices(&mut a, line, from), lines.indices(&mut a, line, item));
    let place = a.dot(&put, &dense_strides(&lines.shape), 0);
    for (out, x) in operands.iter().enumerate() {
        let number = x.load(&mut a, &from);
        lowered.output(out).store(&mut a, place, number);
    }
    dispatches.push(taken(&lowered, order, lines.shape.iter().product(), a));
    lowered.kernels(to, dispatches, scratch);
    Some(())
}

/// The kernel that takes items in their order.
fn taken(lowered: &Lowered, order: Option<Arg>, count: usize, a: Assembler) -> Dispatch {
    let Buffers { reads, writes } = lowered.buffers();
    let mut args: Vec<Arg> = (0..reads).map(Arg::Read).collect();
    args.extend(order);
    let spec = Spec::Pointwise { reads: args.len(), writes, count, steps: a.steps() };
    args.extend(lowered.results());
    Dispatch { spec, args }
}

/// The largest elements of the last dimension, and their indices.
pub(crate) fn top_k(to: &mut Lowerer<'_>, id: OpId, op: &TopK) -> Option<()> {
    let (lowered, operands) = Lowered::of(to, id)?;
    let [x] = &operands[..] else { return None };
    let shape = x.view.shape.to_vec();
    let lines = Lines { dim: shape.len().checked_sub(1)?, shape };
    let before = strictly(&lines, &operands, |a, pair| {
        let &[x, y] = pair else { return None };
        let (x, y) = (ordered(a, x), ordered(a, y));
        Some(a.compare(Direction::Gt, x, y))
    })?;
    let mut a = Assembler::default();
    let element = a.element();
    let (at, line) = (a.index(element, 1, op.k), a.index(element, op.k, lines.lines()));
    let (mut dispatches, order, scratch) = passes(&lines, 1, &before);
    let item = in_order(&mut a, order.map(|_| 1), &lines, line, at);
    let from = lines.indices(&mut a, line, item);
    let number = x.load(&mut a, &from);
    lowered.output(0).store(&mut a, element, number);
    lowered.output(1).store(&mut a, element, item);
    dispatches.push(taken(&lowered, order, lines.lines() * op.k, a));
    lowered.kernels(to, dispatches, scratch);
    Some(())
}

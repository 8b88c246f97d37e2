//! `merge`: one pass of a merge sort of lines: of each two neighbouring runs that are in order, one.
//!
//! What is moved are numbers of items. A unit has one, and finds by bisection how many of the other run come before it.
//! So a sort is stable, whatever the comparator.

use super::evaluate::{Registers, carry_out};
use super::steps::{Program, Reg};
use cubecl::prelude::*;

/// Units of a cube.
pub(crate) const UNITS: usize = 256;

/// Merges runs of `width` items of each line. The order so far is what the kernel reads last, the new one what it
/// writes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Merging {
    pub(crate) lines: usize,
    pub(crate) items: usize,
    pub(crate) width: usize,
    /// Which of the operands is the order so far; none while it is that of memory.
    pub(crate) order: Option<usize>,
    /// Given a line and two items, whether the first comes before the second.
    pub(crate) before: Program,
}

/// Merges.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn merge(reads: &Sequence<Box<[u32]>>, writes: &mut Sequence<Box<[u32]>>, #[comptime] merge: Merging) {
    let (items, width) = comptime!((merge.items, merge.width));
    let unit = ABSOLUTE_POS;
    let mut halves = Sequence::<Box<[u16]>>::new();
    if unit < comptime!(merge.lines * items) {
        let (line, at) = (unit / items, unit % items);
        let start = at / comptime!(2 * width) * comptime!(2 * width);
        let is_left = at - start < width;
        let mine = item(reads, line, at, comptime!(merge.clone()));
        // Of the other run, what is known to come before, and the first of what is known not to.
        let middle = min(start + width, items);
        let first = select(is_left, middle, start);
        let low = RuntimeCell::<usize>::new(first);
        let high = RuntimeCell::<usize>::new(select(is_left, min(start + comptime!(2 * width), items), middle));
        for _ in 0..comptime!(width.ilog2() as usize + 1) {
            if low.read() < high.read() {
                let half = (low.read() + high.read()) / 2;
                let other = item(reads, line, half, comptime!(merge.clone()));
                // Of equal items the left one comes first.
                let (a, b) = (select(is_left, other, mine), select(is_left, mine, other));
                let mut r = Registers::new();
                r.i32s.push(i32::cast_from(line));
                r.i32s.push(i32::cast_from(a));
                r.i32s.push(i32::cast_from(b));
                carry_out(reads, writes, &mut halves, &mut r, comptime!(merge.before.steps.clone()));
                let before = *r.bools.index(comptime!(result(&merge.before)));
                // C++ of CubeCL knows no equality of `bool`.
                if (before && is_left) || (!before && !is_left) {
                    low.store(half + 1);
                } else {
                    high.store(half);
                }
            }
        }
        let own = select(is_left, at - start, at - middle);
        let to = line * items + start + own + (low.read() - first);
        writes.index_mut(0)[to] = u32::cast_from(mine);
    }
}

fn result(program: &Program) -> Reg {
    program.results.first().copied().unwrap_or(0)
}

/// The item that is at a place in the order so far.
#[cube]
fn item(reads: &Sequence<Box<[u32]>>, line: usize, at: usize, #[comptime] merge: Merging) -> usize {
    let item = RuntimeCell::<usize>::new(at);
    if comptime!(merge.order.is_some()) {
        let order = reads.index(comptime!(merge.order.unwrap_or(0)));
        item.store(usize::cast_from(order[line * comptime!(merge.items) + at]));
    }
    item.read()
}

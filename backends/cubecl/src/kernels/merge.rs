//! `merge`: one pass of a merge sort of lines, which merges each pair of adjacent sorted runs.
//!
//! The kernel permutes item indices. Each unit has one item and finds the item's position in the other run by binary
//! search. Among equal items, those of the left run come first, so the sort is stable.

use super::evaluate::{Registers, execute};
use super::steps::{Program, Reg};
use cubecl::prelude::*;

/// Units of a cube.
pub(crate) const UNITS: usize = 256;

/// A merge pass of runs of `width` items in each line. The order of a line is a permutation of its item indices. The
/// kernel reads the current order from its last operand and writes the new one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct MergeSpec {
    /// Number of lines.
    pub(crate) lines: usize,
    /// Number of items of a line.
    pub(crate) items: usize,
    /// Number of items of a sorted run before the pass; the last run of a line may be shorter.
    pub(crate) width: usize,
    /// Number of the operand with the current order; `None` before the first pass, when items are in memory order.
    pub(crate) order: Option<usize>,
    /// Program that returns true if the first of two items of a line strictly precedes the second. Its arguments are
    /// the line and the two items.
    pub(crate) before: Program,
}

/// Merges pairs of runs: computes the position of one item for each unit.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn merge(reads: &Sequence<Box<[u32]>>, writes: &mut Sequence<Box<[u32]>>, #[comptime] merge: MergeSpec) {
    let (items, width) = comptime!((merge.items, merge.width));
    let unit = ABSOLUTE_POS;
    let mut halves = Sequence::<Box<[u16]>>::new();
    if unit < comptime!(merge.lines * items) {
        let (line, at) = (unit / items, unit % items);
        let start = at / comptime!(2 * width) * comptime!(2 * width);
        let is_left = at - start < width;
        let mine = item(reads, line, at, comptime!(merge.clone()));
        // The search interval: `low` items of the other run are known to precede, and those from `high` on are known
        // not to.
        let middle = min(start + width, items);
        let first = select(is_left, middle, start);
        let low = RuntimeCell::<usize>::new(first);
        let high = RuntimeCell::<usize>::new(select(is_left, min(start + comptime!(2 * width), items), middle));
        for _ in 0..comptime!(width.ilog2() as usize + 1) {
            if low.read() < high.read() {
                let half = (low.read() + high.read()) / 2;
                let other = item(reads, line, half, comptime!(merge.clone()));
                // Among equal items, those of the left run come first.
                let (a, b) = (select(is_left, other, mine), select(is_left, mine, other));
                let mut r = Registers::new();
                r.i32s.push(i32::cast_from(line));
                r.i32s.push(i32::cast_from(a));
                r.i32s.push(i32::cast_from(b));
                execute(reads, writes, &mut halves, &mut r, comptime!(merge.before.steps.clone()));
                let before = *r.bools.index(comptime!(result(&merge.before)));
                // CubeCL's C++ has no equality of `bool`.
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

/// Returns the register that contains the result of a comparison.
fn result(program: &Program) -> Reg {
    program.results.first().copied().unwrap_or(0)
}

/// Returns the item index at a position of the current order of a line.
#[cube]
fn item(reads: &Sequence<Box<[u32]>>, line: usize, at: usize, #[comptime] merge: MergeSpec) -> usize {
    let item = RuntimeCell::<usize>::new(at);
    if comptime!(merge.order.is_some()) {
        let order = reads.index(comptime!(merge.order.unwrap_or(0)));
        item.store(usize::cast_from(order[line * comptime!(merge.items) + at]));
    }
    item.read()
}

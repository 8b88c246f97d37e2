//! `fold`: reduction of the items of each line by a program on several numbers.
//!
//! Windowed reductions, reductions of integers, and reductions by a user-defined function are folds. If lines are few,
//! several units share a line. Each of them folds contiguous items, so the function need not be commutative.

use super::evaluate::{Registers, cells, execute, push_cells, store_results};
use super::steps::{Program, RegClass, Step};
use cubecl::prelude::*;

/// Units of a cube.
pub(crate) const UNITS: usize = 256;

/// A fold of `items` items for each of `lines` lines. Requires `items > 0`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct FoldSpec {
    pub(crate) lines: usize,
    pub(crate) items: usize,
    /// Units per line: a power of two, at most `items`.
    pub(crate) units: usize,
    /// Register classes of the numbers that are folded.
    pub(crate) classes: Vec<RegClass>,
    /// Program that returns the numbers of an item, given the line and the item.
    pub(crate) item: Program,
    /// Program that combines the numbers of two adjacent ranges of items.
    pub(crate) combine: Program,
    /// Program that stores the result, given the line and its numbers.
    pub(crate) last: Vec<Step>,
}

/// Returns the number of units per line that keeps a GPU busy.
pub(crate) fn units(lines: usize, items: usize) -> usize {
    const MIN_UNITS: usize = 1 << 14;
    let wanted = (MIN_UNITS / lines.max(1)).min(UNITS).min(items / 4).max(1);
    1 << wanted.ilog2()
}

/// Folds lines.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn fold(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] fold: FoldSpec,
) {
    let (units, items) = comptime!((fold.units, fold.items));
    let classes = comptime!(fold.classes.clone());
    let me = UNIT_POS as usize;
    let line = CUBE_POS * comptime!(UNITS / units) + me / units;
    let unit = me % units;
    let is_line = line < comptime!(fold.lines);
    let (share, over) = comptime!((items / units, items % units));
    let all = cells(classes.clone());
    if is_line {
        let first = unit * share + min(unit, over);
        let end = first + share + select(unit < over, 1usize, 0usize);
        compute_item(reads, writes, halves, &all, line, first, fold.clone());
        for item in first + 1..end {
            let new = cells(classes.clone());
            compute_item(reads, writes, halves, &new, line, item, fold.clone());
            combine_into(reads, writes, halves, &all, &new, fold.clone());
        }
    }
    if comptime!(units > 1) {
        let mut shared = Shared::<[u32]>::new_slice(comptime!(UNITS * classes.len()));
        #[unroll]
        for s in 0..comptime!(units.ilog2() as usize) {
            let distance = comptime!(1usize << s);
            // Units that are read in this round do not write in the next one.
            if unit % distance == 0 {
                #[unroll]
                for n in 0..comptime!(classes.len()) {
                    shared[comptime!(n * UNITS) + me] = all.index(n).read();
                }
            }
            sync_cube();
            if unit % comptime!(2 * distance) == 0 {
                let right = cells(classes.clone());
                #[unroll]
                for n in 0..comptime!(classes.len()) {
                    right.index(n).store(shared[comptime!(n * UNITS) + me + distance]);
                }
                combine_into(reads, writes, halves, &all, &right, fold.clone());
            }
        }
    }
    if is_line && unit == 0 {
        let mut r = Registers::new();
        r.i32s.push(i32::cast_from(line));
        push_cells(&mut r, &all, classes);
        execute(reads, writes, halves, &mut r, comptime!(fold.last.clone()));
    }
}

/// Computes the numbers of an item.
#[cube]
fn compute_item(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    numbers: &Sequence<RuntimeCell<u32>>,
    line: usize,
    item: usize,
    #[comptime] fold: FoldSpec,
) {
    let mut r = Registers::new();
    r.i32s.push(i32::cast_from(line));
    r.i32s.push(i32::cast_from(item));
    execute(reads, writes, halves, &mut r, comptime!(fold.item.steps.clone()));
    store_results(&mut r, numbers, comptime!(fold.classes.clone()), comptime!(fold.item.results.clone()));
}

/// Combines numbers with those of the range to their right.
#[cube]
fn combine_into(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    left: &Sequence<RuntimeCell<u32>>,
    right: &Sequence<RuntimeCell<u32>>,
    #[comptime] fold: FoldSpec,
) {
    let mut r = Registers::new();
    push_cells(&mut r, left, comptime!(fold.classes.clone()));
    push_cells(&mut r, right, comptime!(fold.classes.clone()));
    execute(reads, writes, halves, &mut r, comptime!(fold.combine.steps.clone()));
    store_results(&mut r, left, comptime!(fold.classes.clone()), comptime!(fold.combine.results.clone()));
}

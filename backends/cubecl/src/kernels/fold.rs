//! `fold`: what the items of each line give, combined by a program on several numbers.
//!
//! Windows, convolutions, reductions of integers and by a function of one's own are folds. Several units share a line
//! where there are few, each with items that follow each other, so that a function need not commute.

use super::evaluate::{Registers, carry_out, cells, give, keep};
use super::steps::{Lane, Program, Step};
use cubecl::prelude::*;

/// Units of a cube.
pub(crate) const UNITS: usize = 256;

/// A fold of `items` for each of `lines`; there is an item.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Folding {
    pub(crate) lines: usize,
    pub(crate) items: usize,
    /// How many units share a line: a power of two, and no more than items.
    pub(crate) units: usize,
    /// What is folded: numbers of those lanes.
    pub(crate) lanes: Vec<Lane>,
    /// Given a line and an item, its numbers.
    pub(crate) item: Program,
    /// Given the numbers of two neighbours, those of both.
    pub(crate) combine: Program,
    /// Given a line and its numbers, stores.
    pub(crate) last: Vec<Step>,
}

/// How many units share a line, so that there is enough to do for all.
pub(crate) fn units(lines: usize, items: usize) -> usize {
    const ENOUGH: usize = 1 << 14;
    let wanted = (ENOUGH / lines.max(1)).min(UNITS).min(items / 4).max(1);
    1 << wanted.ilog2()
}

/// Folds.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn fold(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] fold: Folding,
) {
    let (units, items) = comptime!((fold.units, fold.items));
    let lanes = comptime!(fold.lanes.clone());
    let me = UNIT_POS as usize;
    let line = CUBE_POS * comptime!(UNITS / units) + me / units;
    let unit = me % units;
    let is_line = line < comptime!(fold.lines);
    let (share, over) = comptime!((items / units, items % units));
    let all = cells(lanes.clone());
    if is_line {
        let first = unit * share + min(unit, over);
        let end = first + share + select(unit < over, 1usize, 0usize);
        item_of(reads, writes, halves, &all, line, first, fold.clone());
        for item in first + 1..end {
            let new = cells(lanes.clone());
            item_of(reads, writes, halves, &new, line, item, fold.clone());
            combined(reads, writes, halves, &all, &new, fold.clone());
        }
    }
    if comptime!(units > 1) {
        let mut shared = Shared::<[u32]>::new_slice(comptime!(UNITS * lanes.len()));
        #[unroll]
        for s in 0..comptime!(units.ilog2() as usize) {
            let distance = comptime!(1usize << s);
            // Units that are read now are not those that write in the next turn.
            if unit % distance == 0 {
                #[unroll]
                for n in 0..comptime!(lanes.len()) {
                    shared[comptime!(n * UNITS) + me] = all.index(n).read();
                }
            }
            sync_cube();
            if unit % comptime!(2 * distance) == 0 {
                let right = cells(lanes.clone());
                #[unroll]
                for n in 0..comptime!(lanes.len()) {
                    right.index(n).store(shared[comptime!(n * UNITS) + me + distance]);
                }
                combined(reads, writes, halves, &all, &right, fold.clone());
            }
        }
    }
    if is_line && unit == 0 {
        let mut r = Registers::new();
        r.i32s.push(i32::cast_from(line));
        give(&mut r, &all, lanes);
        carry_out(reads, writes, halves, &mut r, comptime!(fold.last.clone()));
    }
}

/// The numbers of an item.
#[cube]
fn item_of(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    numbers: &Sequence<RuntimeCell<u32>>,
    line: usize,
    item: usize,
    #[comptime] fold: Folding,
) {
    let mut r = Registers::new();
    r.i32s.push(i32::cast_from(line));
    r.i32s.push(i32::cast_from(item));
    carry_out(reads, writes, halves, &mut r, comptime!(fold.item.steps.clone()));
    keep(&mut r, numbers, comptime!(fold.lanes.clone()), comptime!(fold.item.results.clone()));
}

/// Combines numbers with those to their right.
#[cube]
fn combined(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    left: &Sequence<RuntimeCell<u32>>,
    right: &Sequence<RuntimeCell<u32>>,
    #[comptime] fold: Folding,
) {
    let mut r = Registers::new();
    give(&mut r, left, comptime!(fold.lanes.clone()));
    give(&mut r, right, comptime!(fold.lanes.clone()));
    carry_out(reads, writes, halves, &mut r, comptime!(fold.combine.steps.clone()));
    keep(&mut r, left, comptime!(fold.lanes.clone()), comptime!(fold.combine.results.clone()));
}

//! `scan`: inclusive prefix combinations of the items of each line, such as cumulative sums.
//!
//! A cube processes a line tile by tile and carries the prefix of the previous tiles.

use super::evaluate::{Registers, execute, push, word};
use super::steps::{Program, Reg, RegClass, Step};
use cubecl::prelude::*;

/// Units of a cube, and items of a tile.
pub(crate) const UNITS: usize = 256;

/// A scan of `items` items for each of `lines` lines.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ScanSpec {
    pub(crate) lines: usize,
    pub(crate) items: usize,
    pub(crate) class: RegClass,
    /// Program that returns the number of an item, given the line and the item.
    pub(crate) item: Program,
    /// Program that combines the numbers of two adjacent ranges of items.
    pub(crate) combine: Program,
    /// Program that stores a prefix, given the line, the item and the prefix.
    pub(crate) each: Vec<Step>,
}

/// Scans lines.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn scan(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] scan: ScanSpec,
) {
    let (items, class) = comptime!((scan.items, scan.class));
    let line = CUBE_POS;
    let me = UNIT_POS as usize;
    let is_line = line < comptime!(scan.lines);
    let mut shared = Shared::<[u32]>::new_slice(UNITS);
    let carried = RuntimeCell::<u32>::new(0u32);
    for tile in 0..comptime!(items.div_ceil(UNITS)) {
        let item = tile * UNITS + me;
        let is_here = is_line && item < items;
        let mine = RuntimeCell::<u32>::new(0u32);
        if is_here {
            let mut r = Registers::new();
            r.i32s.push(i32::cast_from(line));
            r.i32s.push(i32::cast_from(item));
            execute(reads, writes, halves, &mut r, comptime!(scan.item.steps.clone()));
            mine.store(word(&mut r, class, comptime!(result(&scan.item))));
        }
        #[unroll]
        for s in 0..comptime!(UNITS.ilog2() as usize) {
            let distance = comptime!(1usize << s);
            shared[me] = mine.read();
            sync_cube();
            if is_here && me >= distance {
                mine.store(combine_values(
                    reads,
                    writes,
                    halves,
                    shared[me - distance],
                    mine.read(),
                    comptime!(scan.clone()),
                ));
            }
            sync_cube();
        }
        if is_here {
            if tile > 0 {
                mine.store(combine_values(reads, writes, halves, carried.read(), mine.read(), comptime!(scan.clone())));
            }
            let mut r = Registers::new();
            r.i32s.push(i32::cast_from(line));
            r.i32s.push(i32::cast_from(item));
            push(&mut r, mine.read(), class);
            execute(reads, writes, halves, &mut r, comptime!(scan.each.clone()));
        }
        shared[me] = mine.read();
        sync_cube();
        carried.store(shared[comptime!(UNITS - 1)]);
        sync_cube();
    }
}

fn result(program: &Program) -> Reg {
    program.results.first().copied().unwrap_or(0)
}

/// Combines the numbers of two adjacent ranges.
#[cube]
fn combine_values(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    left: u32,
    right: u32,
    #[comptime] scan: ScanSpec,
) -> u32 {
    let class = comptime!(scan.class);
    let mut r = Registers::new();
    push(&mut r, left, class);
    push(&mut r, right, class);
    execute(reads, writes, halves, &mut r, comptime!(scan.combine.steps.clone()));
    word(&mut r, class, comptime!(result(&scan.combine)))
}

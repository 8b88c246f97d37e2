//! `scan`: cumulative sums and the like: of each line, what its items give up to each of them.
//!
//! A cube goes along a line, tile by tile, and carries on what it has.

use super::evaluate::{Registers, carry_out, push, word};
use super::steps::{Lane, Program, Reg, Step};
use cubecl::prelude::*;

/// Units of a cube, and items of a tile.
pub(crate) const UNITS: usize = 256;

/// A scan of `items` for each of `lines`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Scanning {
    pub(crate) lines: usize,
    pub(crate) items: usize,
    pub(crate) lane: Lane,
    /// Given a line and an item, its number.
    pub(crate) item: Program,
    /// Given the numbers of two neighbours, that of both.
    pub(crate) combine: Program,
    /// Given a line, an item and what there is up to it, stores.
    pub(crate) each: Vec<Step>,
}

/// Scans.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn scan(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] scan: Scanning,
) {
    let (items, lane) = comptime!((scan.items, scan.lane));
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
            carry_out(reads, writes, halves, &mut r, comptime!(scan.item.steps.clone()));
            mine.store(word(&mut r, lane, comptime!(result(&scan.item))));
        }
        #[unroll]
        for s in 0..comptime!(UNITS.ilog2() as usize) {
            let distance = comptime!(1usize << s);
            shared[me] = mine.read();
            sync_cube();
            if is_here && me >= distance {
                mine.store(both(reads, writes, halves, shared[me - distance], mine.read(), comptime!(scan.clone())));
            }
            sync_cube();
        }
        if is_here {
            if tile > 0 {
                mine.store(both(reads, writes, halves, carried.read(), mine.read(), comptime!(scan.clone())));
            }
            let mut r = Registers::new();
            r.i32s.push(i32::cast_from(line));
            r.i32s.push(i32::cast_from(item));
            push(&mut r, mine.read(), lane);
            carry_out(reads, writes, halves, &mut r, comptime!(scan.each.clone()));
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

/// What two neighbours give together.
#[cube]
fn both(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    left: u32,
    right: u32,
    #[comptime] scan: Scanning,
) -> u32 {
    let lane = comptime!(scan.lane);
    let mut r = Registers::new();
    push(&mut r, left, lane);
    push(&mut r, right, lane);
    carry_out(reads, writes, halves, &mut r, comptime!(scan.combine.steps.clone()));
    word(&mut r, lane, comptime!(result(&scan.combine)))
}

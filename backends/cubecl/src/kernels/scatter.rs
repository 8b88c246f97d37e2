//! `scatter`: applies updates to rows of a result, in order.
//!
//! A cube has a row and visits all updates in tiles; each unit tests for one update if its index selects the row. Few
//! updates do, so most tiles cost only the test. Each element is written by one unit and updates are applied in a fixed
//! order, so results are deterministic.

use super::evaluate::{Registers, execute, push, word};
use super::steps::{Program, RegClass, Step};
use cubecl::prelude::*;

/// Units of a cube, and updates of a tile.
pub(crate) const UNITS: usize = 256;

/// Number of flags that are combined before the search for matching updates.
const GROUP: usize = 16;

/// Updates of rows with `columns` columns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ScatterSpec {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) updates: usize,
    pub(crate) class: RegClass,
    /// Program that returns true if an update applies to a row.
    pub(crate) applies: Program,
    /// Program that returns the old value, given the row and the column.
    pub(crate) old: Program,
    /// Program that returns the updated value, given the row, the column, the update and the current value.
    pub(crate) update: Program,
    /// Program that stores the value, given the row, the column and the value.
    pub(crate) last: Vec<Step>,
}

/// Applies updates.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn scatter(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] scatter: ScatterSpec,
) {
    let (updates, class) = comptime!((scatter.updates, scatter.class));
    let blocks = comptime!(scatter.columns.div_ceil(UNITS));
    let me = UNIT_POS as usize;
    let (row, column) = (CUBE_POS / blocks, CUBE_POS % blocks * UNITS + me);
    let is_row = row < comptime!(scatter.rows);
    let is_here = is_row && column < comptime!(scatter.columns);
    let current = RuntimeCell::<u32>::new(0u32);
    if is_here {
        let mut r = Registers::new();
        r.i32s.push(i32::cast_from(row));
        r.i32s.push(i32::cast_from(column));
        execute(reads, writes, halves, &mut r, comptime!(scatter.old.steps.clone()));
        current.store(word(&mut r, class, comptime!(scatter.old.results[0])));
    }
    let mut flags = Shared::<[u32]>::new_slice(UNITS);
    let mut groups = Shared::<[u32]>::new_slice(comptime!(UNITS / GROUP));
    for tile in 0..comptime!(updates.div_ceil(UNITS)) {
        let update = tile * UNITS + me;
        let applies = RuntimeCell::<u32>::new(0u32);
        if is_row && update < updates {
            let mut r = Registers::new();
            r.i32s.push(i32::cast_from(row));
            r.i32s.push(i32::cast_from(update));
            execute(reads, writes, halves, &mut r, comptime!(scatter.applies.steps.clone()));
            applies.store(u32::cast_from(*r.bools.index(comptime!(scatter.applies.results[0]))));
        }
        flags[me] = applies.read();
        sync_cube();
        if me < comptime!(UNITS / GROUP) {
            let any = RuntimeCell::<u32>::new(0u32);
            for i in 0..GROUP {
                any.store(any.read() | flags[me * GROUP + i]);
            }
            groups[me] = any.read();
        }
        sync_cube();
        if is_here {
            for group in 0..comptime!(UNITS / GROUP) {
                if groups[group] != 0u32 {
                    for i in 0..GROUP {
                        let one = group * GROUP + i;
                        if flags[one] != 0u32 {
                            let mut r = Registers::new();
                            r.i32s.push(i32::cast_from(row));
                            r.i32s.push(i32::cast_from(column));
                            r.i32s.push(i32::cast_from(tile * UNITS + one));
                            push(&mut r, current.read(), class);
                            execute(reads, writes, halves, &mut r, comptime!(scatter.update.steps.clone()));
                            current.store(word(&mut r, class, comptime!(scatter.update.results[0])));
                        }
                    }
                }
            }
        }
        sync_cube();
    }
    if is_here {
        let mut r = Registers::new();
        r.i32s.push(i32::cast_from(row));
        r.i32s.push(i32::cast_from(column));
        push(&mut r, current.read(), class);
        execute(reads, writes, halves, &mut r, comptime!(scatter.last.clone()));
    }
}

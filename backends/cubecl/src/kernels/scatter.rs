//! `scatter`: rows of results, each with the updates that land on it, in their order.
//!
//! A cube has a row and goes over all updates, a tile at a time: each unit asks of one whether it lands on the row. Few
//! do, so that most tiles cost no more than that. Nothing is written by two, and the order of what is added never
//! changes.

use super::evaluate::{Registers, carry_out, push, word};
use super::steps::{Lane, Program, Step};
use cubecl::prelude::*;

/// Units of a cube, and updates of a tile.
pub(crate) const UNITS: usize = 256;

/// Flags that are looked at together.
const GROUP: usize = 16;

/// Updates of rows that have so many columns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Scattering {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) updates: usize,
    pub(crate) lane: Lane,
    /// Given a row and an update, whether it lands there.
    pub(crate) lands: Program,
    /// Given a row and a column, what is there before.
    pub(crate) old: Program,
    /// Given a row, a column, an update and what is there by now, what there is with it.
    pub(crate) update: Program,
    /// Given a row, a column and what is there, stores.
    pub(crate) last: Vec<Step>,
}

/// Scatters.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn scatter(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] scatter: Scattering,
) {
    let (updates, lane) = comptime!((scatter.updates, scatter.lane));
    let blocks = comptime!(scatter.columns.div_ceil(UNITS));
    let me = UNIT_POS as usize;
    let (row, column) = (CUBE_POS / blocks, CUBE_POS % blocks * UNITS + me);
    let is_row = row < comptime!(scatter.rows);
    let is_here = is_row && column < comptime!(scatter.columns);
    let there = RuntimeCell::<u32>::new(0u32);
    if is_here {
        let mut r = Registers::new();
        r.i32s.push(i32::cast_from(row));
        r.i32s.push(i32::cast_from(column));
        carry_out(reads, writes, halves, &mut r, comptime!(scatter.old.steps.clone()));
        there.store(word(&mut r, lane, comptime!(scatter.old.results[0])));
    }
    let mut flags = Shared::<[u32]>::new_slice(UNITS);
    let mut groups = Shared::<[u32]>::new_slice(comptime!(UNITS / GROUP));
    for tile in 0..comptime!(updates.div_ceil(UNITS)) {
        let update = tile * UNITS + me;
        let lands = RuntimeCell::<u32>::new(0u32);
        if is_row && update < updates {
            let mut r = Registers::new();
            r.i32s.push(i32::cast_from(row));
            r.i32s.push(i32::cast_from(update));
            carry_out(reads, writes, halves, &mut r, comptime!(scatter.lands.steps.clone()));
            lands.store(u32::cast_from(*r.bools.index(comptime!(scatter.lands.results[0]))));
        }
        flags[me] = lands.read();
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
                            push(&mut r, there.read(), lane);
                            carry_out(reads, writes, halves, &mut r, comptime!(scatter.update.steps.clone()));
                            there.store(word(&mut r, lane, comptime!(scatter.update.results[0])));
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
        push(&mut r, there.read(), lane);
        carry_out(reads, writes, halves, &mut r, comptime!(scatter.last.clone()));
    }
}

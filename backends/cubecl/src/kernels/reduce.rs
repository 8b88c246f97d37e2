//! `reduce`: programs for the elements of a domain that is divided into lines, with reductions over each line between
//! the programs.
//!
//! A line is a row of an array, or the set of elements reduced to one element of a result. Several units share a line,
//! and several lines share a cube. For short lines, each unit retains its elements in registers across stages, so that
//! memory is read once. For long lines, each stage recomputes the values that it needs.

use super::evaluate::{Registers, address, evaluate, float};
use super::functions::{maximum, minimum};
use super::steps::{AddressMap, Reg, Step};
use cubecl::prelude::*;
use partita_ir::layout::Monoid;

/// Units of a cube.
pub(crate) const UNITS: usize = 256;

/// Lines of a domain: element `i` of line `l` is element `line_map(l) + item_map(i)` of the domain.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Lines {
    pub(crate) count: usize,
    pub(crate) items: usize,
    pub(crate) line_map: AddressMap,
    pub(crate) item_map: AddressMap,
    /// Units per line, a power of two.
    pub(crate) units: usize,
}

/// Maximum elements of a line that a unit retains in registers.
const MAX_RETAINED_ELEMENTS: usize = 8;

impl Lines {
    /// Returns the number of elements of a line per unit.
    fn turns(&self) -> usize {
        self.items.div_ceil(self.units)
    }

    /// Returns true if units retain their elements. Each program then continues with the registers of the previous one.
    pub(crate) fn retains_elements(&self) -> bool {
        self.turns() <= MAX_RETAINED_ELEMENTS
    }
}

/// A program followed by a reduction of its register `a` over the line.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Stage {
    pub(crate) steps: Vec<Step>,
    pub(crate) a: Reg,
    pub(crate) monoid: Monoid,
}

/// Reduces each line in stages. Then executes `each` for every element of the line, and `once` for its first element.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn reduce(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] lines: Lines,
    #[comptime] stages: Vec<Stage>,
    #[comptime] each: Vec<Step>,
    #[comptime] once: Vec<Step>,
) {
    let (units, items) = comptime!((lines.units, lines.items));
    let line = CUBE_POS * comptime!(UNITS / units) + UNIT_POS as usize / units;
    let unit = UNIT_POS as usize % units;
    let is_line = line < comptime!(lines.count);
    let first = address(line, comptime!(lines.line_map.clone()));
    let mut reduced = Sequence::<f32>::new();
    let mut shared = Shared::<[f32]>::new_slice(UNITS);
    if comptime!(lines.retains_elements()) {
        let turns = comptime!(lines.turns());
        let mut registers = Sequence::<Registers>::new();
        let mut addresses = Sequence::<usize>::new();
        // A unit without a line computes the first line of its cube and ignores it. The results of that line are
        // written after the barriers, whereas lines of other cubes may already be overwritten.
        let spare = (CUBE_POS * comptime!(UNITS / units)).min(comptime!(lines.count - 1));
        let first_read = select(is_line, first, address(spare, comptime!(lines.line_map.clone())));
        #[unroll]
        for turn in 0..turns {
            registers.push(Registers::new());
            // A unit without an element computes the last one and ignores it.
            let item = (unit + comptime!(turn * units)).min(comptime!(items - 1));
            addresses.push(first_read + address(item, comptime!(lines.item_map.clone())));
        }
        #[unroll]
        for s in 0..comptime!(stages.len()) {
            let Stage { steps, a, monoid } = comptime!(stages[s].clone());
            let all = RuntimeCell::<f32>::new(identity(monoid));
            #[unroll]
            for turn in 0..turns {
                let mine = registers.index_mut(turn);
                evaluate(reads, writes, halves, &reduced, *addresses.index(turn), mine, comptime!(steps.clone()));
                let is_mine = is_line && unit + comptime!(turn * units) < items;
                let x = *mine.f32s.index(a);
                all.store(combine(all.read(), select(is_mine, x, identity(monoid)), monoid));
            }
            reduced.push(over_units(&mut shared, all.read(), units, monoid, comptime!(s + 1 == stages.len())));
        }
        #[unroll]
        for turn in 0..turns {
            if is_line && unit + comptime!(turn * units) < items {
                let mine = registers.index_mut(turn);
                evaluate(reads, writes, halves, &reduced, *addresses.index(turn), mine, comptime!(each.clone()));
            }
        }
    } else {
        #[unroll]
        for s in 0..comptime!(stages.len()) {
            let Stage { steps, a, monoid } = comptime!(stages[s].clone());
            let all = RuntimeCell::<f32>::new(identity(monoid));
            if is_line {
                for turn in 0..comptime!(lines.turns()) {
                    let item = turn * units + unit;
                    if item < items {
                        let e = first + address(item, comptime!(lines.item_map.clone()));
                        let mut registers = Registers::new();
                        evaluate(reads, writes, halves, &reduced, e, &mut registers, comptime!(steps.clone()));
                        all.store(combine(all.read(), *registers.f32s.index(a), monoid));
                    }
                }
            }
            reduced.push(over_units(&mut shared, all.read(), units, monoid, comptime!(s + 1 == stages.len())));
        }
        if is_line && comptime!(!each.is_empty()) {
            for turn in 0..comptime!(lines.turns()) {
                let item = turn * units + unit;
                if item < items {
                    let e = first + address(item, comptime!(lines.item_map.clone()));
                    let mut registers = Registers::new();
                    evaluate(reads, writes, halves, &reduced, e, &mut registers, comptime!(each.clone()));
                }
            }
        }
    }
    if comptime!(!once.is_empty()) {
        if is_line && unit == 0usize {
            let mut registers = Registers::new();
            evaluate(reads, writes, halves, &reduced, first, &mut registers, once);
        }
    }
}

#[cube]
fn identity(#[comptime] monoid: Monoid) -> f32 {
    match monoid {
        Monoid::Prod => float(comptime!(1.0f32.to_bits())),
        Monoid::Max => float(comptime!(f32::NEG_INFINITY.to_bits())),
        Monoid::Min => float(comptime!(f32::INFINITY.to_bits())),
        _ => float(0u32),
    }
}

#[cube]
fn combine(x: f32, y: f32, #[comptime] monoid: Monoid) -> f32 {
    match monoid {
        Monoid::Prod => x * y,
        Monoid::Max => maximum(x, y),
        Monoid::Min => minimum(x, y),
        _ => x + y,
    }
}

/// Combines a number over the units of a line; every unit receives the result. All reductions of a kernel use the same
/// shared memory.
#[cube]
fn over_units(
    shared: &mut Shared<[f32]>,
    x: f32,
    #[comptime] units: usize,
    #[comptime] monoid: Monoid,
    #[comptime] is_last: bool,
) -> f32 {
    let all = RuntimeCell::<f32>::new(x);
    if comptime!(units > 1) {
        let me = UNIT_POS as usize;
        shared[me] = x;
        sync_cube();
        #[unroll]
        for s in 0..comptime!(units.ilog2() as usize) {
            let half = comptime!(units >> (s + 1));
            if me % units < half {
                shared[me] = combine(shared[me], shared[me + half], monoid);
            }
            sync_cube();
        }
        all.store(shared[me / units * units]);
        // The next reduction overwrites the shared memory.
        if comptime!(!is_last) {
            sync_cube();
        }
    }
    all.read()
}

//! `reduce`: programs on the elements of a domain that falls into lines, with reductions over each line between them.
//!
//! A line is a row of an array, or what is added up to one element of a result. Several units go over one line, and
//! several lines share a cube. Of a short line each unit keeps its elements in registers from stage to stage, so that
//! memory is read once. Of a long one nothing is kept: each stage computes again what it needs.

use super::evaluate::{Registers, evaluate, float, place};
use super::functions::{maximum, minimum};
use super::steps::{At, Reg, Step};
use cubecl::prelude::*;
use partita_ir::layout::Monoid;

/// Units of a cube.
pub(crate) const UNITS: usize = 256;

/// Element `i` of line `l` is element `of_line(l) + of_item(i)` of the domain.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Lines {
    pub(crate) count: usize,
    pub(crate) items: usize,
    pub(crate) of_line: At,
    pub(crate) of_item: At,
    /// How many units go over one line, a power of two.
    pub(crate) units: usize,
}

/// A unit keeps so many elements of a line at most.
const MOST_KEPT: usize = 8;

impl Lines {
    /// How many elements of a line a unit has.
    fn turns(&self) -> usize {
        self.items.div_ceil(self.units)
    }

    /// Whether a unit keeps its elements: then each program goes on with the registers of the one before.
    pub(crate) fn is_kept(&self) -> bool {
        self.turns() <= MOST_KEPT
    }
}

/// A reduction of register `a` of a program over a line.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Stage {
    pub(crate) steps: Vec<Step>,
    pub(crate) a: Reg,
    pub(crate) monoid: Monoid,
}

/// Reduces each line in stages; then carries out `each` on its elements, and `once` on its first one.
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
    let first = place(line, comptime!(lines.of_line.clone()));
    let mut reduced = Sequence::<f32>::new();
    let mut shared = Shared::<[f32]>::new_slice(UNITS);
    if comptime!(lines.is_kept()) {
        let turns = comptime!(lines.turns());
        let mut registers = Sequence::<Registers>::new();
        let mut places = Sequence::<usize>::new();
        // Whoever has no line computes the first one of its cube, whose results are written behind barriers, and does
        // not count it: those of other cubes may already be written over what is read.
        let spare = (CUBE_POS * comptime!(UNITS / units)).min(comptime!(lines.count - 1));
        let first_read = select(is_line, first, place(spare, comptime!(lines.of_line.clone())));
        #[unroll]
        for turn in 0..turns {
            registers.push(Registers::new());
            // Whoever has no element computes the last one, and does not count it.
            let item = (unit + comptime!(turn * units)).min(comptime!(items - 1));
            places.push(first_read + place(item, comptime!(lines.of_item.clone())));
        }
        #[unroll]
        for s in 0..comptime!(stages.len()) {
            let Stage { steps, a, monoid } = comptime!(stages[s].clone());
            let all = RuntimeCell::<f32>::new(identity(monoid));
            #[unroll]
            for turn in 0..turns {
                let mine = registers.index_mut(turn);
                evaluate(reads, writes, halves, &reduced, *places.index(turn), mine, comptime!(steps.clone()));
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
                evaluate(reads, writes, halves, &reduced, *places.index(turn), mine, comptime!(each.clone()));
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
                        let e = first + place(item, comptime!(lines.of_item.clone()));
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
                    let e = first + place(item, comptime!(lines.of_item.clone()));
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

/// Combines what the units of a line have, for each of them. All reductions of a kernel share memory.
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
        // The next reduction takes the place of this one.
        if comptime!(!is_last) {
            sync_cube();
        }
    }
    all.read()
}

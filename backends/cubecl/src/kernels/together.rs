//! `together`: several programs, each on elements of its own.

use super::evaluate::{Registers, evaluate};
use super::pointwise::UNITS;
use super::steps::Step;
use cubecl::prelude::*;

/// A program on so many elements.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Part {
    pub(crate) count: usize,
    pub(crate) steps: Vec<Step>,
}

impl Part {
    /// How many cubes it has.
    pub(crate) fn cubes(&self) -> usize {
        self.count.div_ceil(UNITS)
    }
}

/// Carries out the programs: the first cubes are those of the first one.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn together(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] parts: Vec<Part>,
) {
    #[unroll]
    for p in 0..comptime!(parts.len()) {
        let first = comptime!(parts[..p].iter().map(Part::cubes).sum::<usize>());
        let Part { count, steps } = comptime!(parts[p].clone());
        if CUBE_POS >= first && CUBE_POS < comptime!(first + parts[p].cubes()) {
            let e = (CUBE_POS - first) * UNITS + UNIT_POS as usize;
            if e < count {
                let reduced = Sequence::<f32>::new();
                let mut registers = Registers::new();
                evaluate(reads, writes, halves, &reduced, e, &mut registers, steps);
            }
        }
    }
}

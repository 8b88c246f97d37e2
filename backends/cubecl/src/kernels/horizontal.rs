//! `horizontal`: several independent elementwise programs in one kernel.

use super::evaluate::{Registers, evaluate};
use super::pointwise::UNITS;
use super::steps::Step;
use cubecl::prelude::*;

/// An elementwise program for `count` elements.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SubProgram {
    pub(crate) count: usize,
    pub(crate) steps: Vec<Step>,
}

impl SubProgram {
    /// Returns the number of cubes of the program.
    pub(crate) fn cubes(&self) -> usize {
        self.count.div_ceil(UNITS)
    }
}

/// Executes the programs. Consecutive ranges of cubes belong to consecutive programs.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn horizontal(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] parts: Vec<SubProgram>,
) {
    #[unroll]
    for p in 0..comptime!(parts.len()) {
        let first = comptime!(parts[..p].iter().map(SubProgram::cubes).sum::<usize>());
        let SubProgram { count, steps } = comptime!(parts[p].clone());
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

//! `pointwise`: executes a program for every element of a domain, with one unit per element.

use super::evaluate::{Registers, evaluate};
use super::steps::Step;
use cubecl::prelude::*;

/// Units of a cube.
pub(crate) const UNITS: usize = 256;

/// Executes the program for `count` elements. `reads` are the operands, `writes` the results of 32-bit words, and
/// `halves` the results of 16-bit floats.
#[cube(launch_unchecked, create_dummy_kernel)]
pub(crate) fn pointwise(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    #[comptime] count: usize,
    #[comptime] steps: Vec<Step>,
) {
    let e = ABSOLUTE_POS;
    if e < count {
        let reduced = Sequence::<f32>::new();
        let mut registers = Registers::new();
        evaluate(reads, writes, halves, &reduced, e, &mut registers, steps);
    }
}

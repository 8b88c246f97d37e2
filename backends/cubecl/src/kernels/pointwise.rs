//! `pointwise`: a program on every element of a domain, a unit an element.

use super::evaluate::{Registers, evaluate};
use super::steps::Step;
use cubecl::prelude::*;

/// Units of a cube.
pub(crate) const UNITS: usize = 256;

/// Carries out the program on `count` elements.
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

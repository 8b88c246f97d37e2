//! Execution of [`steps`](super::steps) in a kernel.

use super::functions;
use super::half::{Half, narrowed, rounded, widened};
use super::steps::{AddressMap, AddressTerm, Reg, RegClass, Step};
use cubecl::prelude::*;
use partita_ir::float_functions;
use partita_ir::ops::UnaryOp;

/// Registers of a program, by class.
#[derive(CubeType)]
pub(crate) struct Registers {
    pub(crate) f32s: Sequence<f32>,
    pub(crate) i32s: Sequence<i32>,
    pub(crate) u32s: Sequence<u32>,
    pub(crate) bools: Sequence<bool>,
}

#[cube]
impl Registers {
    pub(crate) fn new() -> Registers {
        Registers { f32s: Sequence::new(), i32s: Sequence::new(), u32s: Sequence::new(), bools: Sequence::new() }
    }
}

/// Returns the address of element `e`.
#[cube]
pub(crate) fn address(e: usize, #[comptime] at: AddressMap) -> usize {
    let address = RuntimeCell::<usize>::new(comptime!(at.offset.max(0) as usize));
    #[unroll]
    for t in 0..comptime!(at.terms.len()) {
        let AddressTerm { divisor, size, stride } = comptime!(at.terms[t]);
        let index = if comptime!(size.is_some()) { e / divisor % comptime!(size.unwrap_or(1)) } else { e / divisor };
        address.store(strided_address(address.read(), index, stride));
    }
    // The offset is subtracted last, since unsigned constants cannot be negative.
    if comptime!(at.offset < 0) {
        address.store(address.read() - comptime!(at.offset.unsigned_abs() as usize));
    }
    address.read()
}

/// Returns `start + index * stride`. For a negative stride the distance is subtracted, so that the result is correct
/// for any address width.
#[cube]
pub(crate) fn strided_address(start: usize, index: usize, #[comptime] stride: i64) -> usize {
    if comptime!(stride < 0) {
        start - index * comptime!(stride.unsigned_abs() as usize)
    } else {
        start + index * comptime!(stride as usize)
    }
}

/// Returns the float with the given bits.
#[cube]
pub(crate) fn float(#[comptime] bits: u32) -> f32 {
    if comptime!(f32::from_bits(bits).is_finite()) {
        f32::new(comptime!(f32::from_bits(bits)))
    } else {
        // WGSL has no infinite constants, so the expression must not be constant. The term is zero: no cube has so many
        // units.
        f32::reinterpret(bits + UNIT_POS / 65536u32)
    }
}

/// Appends a word from memory to the registers of a class.
#[cube]
pub(crate) fn push(r: &mut Registers, word: u32, #[comptime] class: RegClass) {
    match class {
        RegClass::F32 => r.f32s.push(f32::reinterpret(word)),
        RegClass::I32 => r.i32s.push(i32::reinterpret(word)),
        RegClass::U32 => r.u32s.push(word),
        RegClass::Bool => r.bools.push(word != 0u32),
    }
}

/// Returns a register as a word in memory.
#[cube]
pub(crate) fn word(r: &mut Registers, #[comptime] class: RegClass, #[comptime] a: Reg) -> u32 {
    match class {
        RegClass::F32 => u32::reinterpret(*r.f32s.index(a)),
        RegClass::I32 => u32::reinterpret(*r.i32s.index(a)),
        RegClass::U32 => *r.u32s.index(a),
        RegClass::Bool => u32::cast_from(*r.bools.index(a)),
    }
}

/// Returns mutable cells, one word per register class in `classes`.
#[cube]
pub(crate) fn cells(#[comptime] classes: Vec<RegClass>) -> Sequence<RuntimeCell<u32>> {
    let mut cells = Sequence::<RuntimeCell<u32>>::new();
    #[unroll]
    for _ in 0..comptime!(classes.len()) {
        cells.push(RuntimeCell::<u32>::new(0u32));
    }
    cells
}

/// Appends the values of cells to the registers of a program.
#[cube]
pub(crate) fn push_cells(r: &mut Registers, cells: &Sequence<RuntimeCell<u32>>, #[comptime] classes: Vec<RegClass>) {
    #[unroll]
    for i in 0..comptime!(classes.len()) {
        push(r, cells.index(i).read(), comptime!(classes[i]));
    }
}

/// Stores the results of a program in cells.
#[cube]
pub(crate) fn store_results(
    r: &mut Registers,
    cells: &Sequence<RuntimeCell<u32>>,
    #[comptime] classes: Vec<RegClass>,
    #[comptime] results: Vec<Reg>,
) {
    #[unroll]
    for i in 0..comptime!(classes.len()) {
        cells.index(i).store(word(r, comptime!(classes[i]), comptime!(results[i])));
    }
}

/// Executes a program that computes its addresses from its arguments.
#[cube]
pub(crate) fn execute(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    r: &mut Registers,
    #[comptime] steps: Vec<Step>,
) {
    let reduced = Sequence::<f32>::new();
    evaluate(reads, writes, halves, &reduced, 0usize, r, steps);
}

/// Executes a program for element `e`.
#[cube]
pub(crate) fn evaluate(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    reduced: &Sequence<f32>,
    e: usize,
    r: &mut Registers,
    #[comptime] steps: Vec<Step>,
) {
    #[unroll]
    for s in 0..comptime!(steps.len()) {
        let step = comptime!(steps[s].clone());
        match step {
            Step::Load { memory, at, class } => push(r, reads.index(memory)[address(e, at)], class),
            Step::LoadAt { memory, address, class } => {
                let at = usize::cast_from(*r.i32s.index(address));
                push(r, reads.index(memory)[at], class);
            }
            Step::Address { of, at } => {
                let to = address(usize::cast_from(*r.i32s.index(of)), at);
                r.i32s.push(i32::cast_from(to));
            }
            Step::Constant { class, bits } => match class {
                RegClass::F32 => r.f32s.push(float(bits)),
                RegClass::I32 => r.i32s.push(i32::reinterpret(bits.runtime())),
                RegClass::U32 => r.u32s.push(bits.runtime()),
                RegClass::Bool => r.bools.push(bits.runtime() != 0u32),
            },
            Step::LoadHalf { memory, at, half } => r.f32s.push(half_at(reads, address(e, at), memory, half)),
            Step::LoadHalfAt { memory, address, half } => {
                let at = usize::cast_from(*r.i32s.index(address));
                r.f32s.push(half_at(reads, at, memory, half));
            }
            Step::Reduced { number, half } => {
                let x = *reduced.index(number);
                match half {
                    Some(half) => r.f32s.push(rounded(x, half)),
                    None => r.f32s.push(x),
                }
            }
            Step::Round { half, a } => r.f32s.push(rounded(*r.f32s.index(a), half)),
            Step::Element => r.i32s.push(i32::cast_from(e)),
            Step::Iota { divisor, size, class } => {
                let count = e / divisor % size;
                match class {
                    RegClass::F32 => r.f32s.push(f32::cast_from(count)),
                    RegClass::I32 => r.i32s.push(i32::cast_from(count)),
                    RegClass::U32 => r.u32s.push(u32::cast_from(count)),
                    RegClass::Bool => r.bools.push(count != 0usize),
                }
            }
            Step::Unary { op, class, a } => match class {
                RegClass::F32 => {
                    let x = *r.f32s.index(a);
                    match op {
                        UnaryOp::IsFinite => r.bools.push(!x.is_nan() && !x.is_inf()),
                        UnaryOp::IsNan => r.bools.push(x.is_nan()),
                        UnaryOp::IsInf => r.bools.push(x.is_inf()),
                        UnaryOp::Abs | UnaryOp::Neg | UnaryOp::Sign | UnaryOp::Relu | float_functions!() => {
                            r.f32s.push(functions::unary_f32(x, op));
                        }
                        // These are no functions of floats.
                        UnaryOp::Not | UnaryOp::PopCount | UnaryOp::CountLeadingZeros => {}
                    }
                }
                RegClass::I32 => r.i32s.push(functions::unary_i32(*r.i32s.index(a), op)),
                RegClass::U32 => r.u32s.push(functions::unary_u32(*r.u32s.index(a), op)),
                RegClass::Bool => r.bools.push(!*r.bools.index(a)),
            },
            Step::ErfInv { a, tail } => r.f32s.push(functions::erf_inv(*r.f32s.index(a), *r.f32s.index(tail))),
            Step::Binary { op, class, a, b } => match class {
                RegClass::F32 => r.f32s.push(functions::binary_f32(*r.f32s.index(a), *r.f32s.index(b), op)),
                RegClass::I32 => r.i32s.push(functions::binary_i32(*r.i32s.index(a), *r.i32s.index(b), op)),
                RegClass::U32 => r.u32s.push(functions::binary_u32(*r.u32s.index(a), *r.u32s.index(b), op)),
                RegClass::Bool => r.bools.push(functions::binary_bool(*r.bools.index(a), *r.bools.index(b), op)),
            },
            Step::Compare { direction, class, a, b } => match class {
                RegClass::F32 => r.bools.push(functions::compare::<f32>(*r.f32s.index(a), *r.f32s.index(b), direction)),
                RegClass::I32 => r.bools.push(functions::compare::<i32>(*r.i32s.index(a), *r.i32s.index(b), direction)),
                RegClass::U32 => r.bools.push(functions::compare::<u32>(*r.u32s.index(a), *r.u32s.index(b), direction)),
                RegClass::Bool => {
                    let x = u32::cast_from(*r.bools.index(a));
                    let y = u32::cast_from(*r.bools.index(b));
                    r.bools.push(functions::compare::<u32>(x, y, direction));
                }
            },
            Step::Select { class, p, a, b } => {
                let p = *r.bools.index(p);
                match class {
                    RegClass::F32 => r.f32s.push(select(p, *r.f32s.index(a), *r.f32s.index(b))),
                    RegClass::I32 => r.i32s.push(select(p, *r.i32s.index(a), *r.i32s.index(b))),
                    RegClass::U32 => r.u32s.push(select(p, *r.u32s.index(a), *r.u32s.index(b))),
                    RegClass::Bool => r.bools.push(select(p, *r.bools.index(a), *r.bools.index(b))),
                }
            }
            Step::Convert { from, to, a } => convert(r, from, to, a),
            Step::Bits { from, to, a } => {
                let bits = word(r, from, a);
                push(r, bits, to);
            }
            Step::StoreHalf { memory, at, half, a } => {
                halves.index_mut(memory)[address(e, at)] = narrowed(*r.f32s.index(a), half);
            }
            Step::Store { memory, at, class, a } => {
                let to = address(e, at);
                writes.index_mut(memory)[to] = word(r, class, a);
            }
            Step::StoreAt { memory, address, when, class, a } => {
                let to = usize::cast_from(*r.i32s.index(address));
                if comptime!(when.is_some()) {
                    if *r.bools.index(comptime!(when.unwrap_or(0))) {
                        writes.index_mut(memory)[to] = word(r, class, a);
                    }
                } else {
                    writes.index_mut(memory)[to] = word(r, class, a);
                }
            }
            Step::StoreHalfAt { memory, address, when, half, a } => {
                let to = usize::cast_from(*r.i32s.index(address));
                let bits = narrowed(*r.f32s.index(a), half);
                if comptime!(when.is_some()) {
                    if *r.bools.index(comptime!(when.unwrap_or(0))) {
                        halves.index_mut(memory)[to] = bits;
                    }
                } else {
                    halves.index_mut(memory)[to] = bits;
                }
            }
        }
    }
}

/// Returns the 16-bit float at an address of a buffer of words.
#[cube]
fn half_at(reads: &Sequence<Box<[u32]>>, at: usize, #[comptime] memory: usize, #[comptime] half: Half) -> f32 {
    let bits = reads.index(memory)[at / 2] >> (u32::cast_from(at % 2) * 16u32);
    widened(bits & 0xffffu32, half)
}

#[cube]
fn convert(r: &mut Registers, #[comptime] from: RegClass, #[comptime] to: RegClass, #[comptime] a: Reg) {
    match from {
        RegClass::F32 => {
            let x = *r.f32s.index(a);
            match to {
                RegClass::F32 => r.f32s.push(x),
                RegClass::I32 => r.i32s.push(i32::cast_from(x)),
                RegClass::U32 => r.u32s.push(u32::cast_from(x)),
                RegClass::Bool => r.bools.push(x != 0.0),
            }
        }
        RegClass::I32 => {
            let x = *r.i32s.index(a);
            match to {
                RegClass::F32 => r.f32s.push(f32::cast_from(x)),
                RegClass::I32 => r.i32s.push(x),
                RegClass::U32 => r.u32s.push(u32::reinterpret(x)),
                RegClass::Bool => r.bools.push(x != 0i32),
            }
        }
        RegClass::U32 => {
            let x = *r.u32s.index(a);
            match to {
                RegClass::F32 => r.f32s.push(f32::cast_from(x)),
                RegClass::I32 => r.i32s.push(i32::reinterpret(x)),
                RegClass::U32 => r.u32s.push(x),
                RegClass::Bool => r.bools.push(x != 0u32),
            }
        }
        RegClass::Bool => {
            let x = u32::cast_from(*r.bools.index(a));
            match to {
                RegClass::F32 => r.f32s.push(f32::cast_from(x)),
                RegClass::I32 => r.i32s.push(i32::reinterpret(x)),
                RegClass::U32 => r.u32s.push(x),
                RegClass::Bool => r.bools.push(x != 0u32),
            }
        }
    }
}

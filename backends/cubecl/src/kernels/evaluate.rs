//! Carrying out [`steps`](super::steps) in a kernel.

use super::functions;
use super::half::{Half, narrowed, rounded, widened};
use super::steps::{At, Lane, Reg, Step, Term};
use cubecl::prelude::*;
use partita_ir::float_functions;
use partita_ir::ops::UnaryOp;

/// The registers of a program.
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

/// Where element `e` is.
#[cube]
pub(crate) fn place(e: usize, #[comptime] at: At) -> usize {
    let place = RuntimeCell::<usize>::new(comptime!(at.offset.max(0) as usize));
    #[unroll]
    for t in 0..comptime!(at.terms.len()) {
        let Term { divisor, size, stride } = comptime!(at.terms[t]);
        let index = if comptime!(size.is_some()) { e / divisor % comptime!(size.unwrap_or(1)) } else { e / divisor };
        place.store(stepped(place.read(), index, stride));
    }
    // Last, since constants of fewer bits are not negative.
    if comptime!(at.offset < 0) {
        place.store(place.read() - comptime!(at.offset.unsigned_abs() as usize));
    }
    place.read()
}

/// `start + index * stride`. Of a negative stride the distance is subtracted, so that the result is right whatever bits
/// a place has.
#[cube]
pub(crate) fn stepped(start: usize, index: usize, #[comptime] stride: i64) -> usize {
    if comptime!(stride < 0) {
        start - index * comptime!(stride.unsigned_abs() as usize)
    } else {
        start + index * comptime!(stride as usize)
    }
}

/// The float with those bits.
#[cube]
pub(crate) fn float(#[comptime] bits: u32) -> f32 {
    if comptime!(f32::from_bits(bits).is_finite()) {
        f32::new(comptime!(f32::from_bits(bits)))
    } else {
        // WGSL has no constants that are infinite, so that this must not look like one: no cube has so many units.
        f32::reinterpret(bits + UNIT_POS / 65536u32)
    }
}

/// Puts a word from memory into the next register of a lane.
#[cube]
pub(crate) fn push(r: &mut Registers, word: u32, #[comptime] lane: Lane) {
    match lane {
        Lane::F32 => r.f32s.push(f32::reinterpret(word)),
        Lane::I32 => r.i32s.push(i32::reinterpret(word)),
        Lane::U32 => r.u32s.push(word),
        Lane::Bool => r.bools.push(word != 0u32),
    }
}

/// A register as memory holds it.
#[cube]
pub(crate) fn word(r: &mut Registers, #[comptime] lane: Lane, #[comptime] a: Reg) -> u32 {
    match lane {
        Lane::F32 => u32::reinterpret(*r.f32s.index(a)),
        Lane::I32 => u32::reinterpret(*r.i32s.index(a)),
        Lane::U32 => *r.u32s.index(a),
        Lane::Bool => u32::cast_from(*r.bools.index(a)),
    }
}

/// What changes in the course of a kernel: a word by lane each.
#[cube]
pub(crate) fn cells(#[comptime] lanes: Vec<Lane>) -> Sequence<RuntimeCell<u32>> {
    let mut cells = Sequence::<RuntimeCell<u32>>::new();
    #[unroll]
    for _ in 0..comptime!(lanes.len()) {
        cells.push(RuntimeCell::<u32>::new(0u32));
    }
    cells
}

/// Gives cells to a program.
#[cube]
pub(crate) fn give(r: &mut Registers, cells: &Sequence<RuntimeCell<u32>>, #[comptime] lanes: Vec<Lane>) {
    #[unroll]
    for i in 0..comptime!(lanes.len()) {
        push(r, cells.index(i).read(), comptime!(lanes[i]));
    }
}

/// Puts the results of a program into cells.
#[cube]
pub(crate) fn keep(
    r: &mut Registers,
    cells: &Sequence<RuntimeCell<u32>>,
    #[comptime] lanes: Vec<Lane>,
    #[comptime] results: Vec<Reg>,
) {
    #[unroll]
    for i in 0..comptime!(lanes.len()) {
        cells.index(i).store(word(r, comptime!(lanes[i]), comptime!(results[i])));
    }
}

/// Carries out a program that knows its place from what it is given.
#[cube]
pub(crate) fn carry_out(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    halves: &mut Sequence<Box<[u16]>>,
    r: &mut Registers,
    #[comptime] steps: Vec<Step>,
) {
    let reduced = Sequence::<f32>::new();
    evaluate(reads, writes, halves, &reduced, 0usize, r, steps);
}

/// Carries out a program on element `e`.
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
            Step::Load { memory, at, lane } => push(r, reads.index(memory)[place(e, at)], lane),
            Step::LoadAt { memory, place, lane } => {
                let at = usize::cast_from(*r.i32s.index(place));
                push(r, reads.index(memory)[at], lane);
            }
            Step::Place { of, at } => {
                let to = place(usize::cast_from(*r.i32s.index(of)), at);
                r.i32s.push(i32::cast_from(to));
            }
            Step::Constant { lane, bits } => match lane {
                Lane::F32 => r.f32s.push(float(bits)),
                Lane::I32 => r.i32s.push(i32::reinterpret(bits.runtime())),
                Lane::U32 => r.u32s.push(bits.runtime()),
                Lane::Bool => r.bools.push(bits.runtime() != 0u32),
            },
            Step::LoadHalf { memory, at, half } => r.f32s.push(half_at(reads, place(e, at), memory, half)),
            Step::LoadHalfAt { memory, place, half } => {
                let at = usize::cast_from(*r.i32s.index(place));
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
            Step::Count { divisor, size, lane } => {
                let count = e / divisor % size;
                match lane {
                    Lane::F32 => r.f32s.push(f32::cast_from(count)),
                    Lane::I32 => r.i32s.push(i32::cast_from(count)),
                    Lane::U32 => r.u32s.push(u32::cast_from(count)),
                    Lane::Bool => r.bools.push(count != 0usize),
                }
            }
            Step::Unary { op, lane, a } => match lane {
                Lane::F32 => {
                    let x = *r.f32s.index(a);
                    match op {
                        UnaryOp::IsFinite => r.bools.push(!x.is_nan() && !x.is_inf()),
                        UnaryOp::IsNan => r.bools.push(x.is_nan()),
                        UnaryOp::IsInf => r.bools.push(x.is_inf()),
                        UnaryOp::Abs | UnaryOp::Neg | UnaryOp::Sign | UnaryOp::Relu | float_functions!() => {
                            r.f32s.push(functions::unary_f32(x, op));
                        }
                        // No functions of floats.
                        UnaryOp::Not | UnaryOp::PopCount | UnaryOp::CountLeadingZeros => {}
                    }
                }
                Lane::I32 => r.i32s.push(functions::unary_i32(*r.i32s.index(a), op)),
                Lane::U32 => r.u32s.push(functions::unary_u32(*r.u32s.index(a), op)),
                Lane::Bool => r.bools.push(!*r.bools.index(a)),
            },
            Step::ErfInv { a, tail } => r.f32s.push(functions::inverse_of_erf(*r.f32s.index(a), *r.f32s.index(tail))),
            Step::Binary { op, lane, a, b } => match lane {
                Lane::F32 => r.f32s.push(functions::binary_f32(*r.f32s.index(a), *r.f32s.index(b), op)),
                Lane::I32 => r.i32s.push(functions::binary_i32(*r.i32s.index(a), *r.i32s.index(b), op)),
                Lane::U32 => r.u32s.push(functions::binary_u32(*r.u32s.index(a), *r.u32s.index(b), op)),
                Lane::Bool => r.bools.push(functions::binary_bool(*r.bools.index(a), *r.bools.index(b), op)),
            },
            Step::Compare { direction, lane, a, b } => match lane {
                Lane::F32 => r.bools.push(functions::compare::<f32>(*r.f32s.index(a), *r.f32s.index(b), direction)),
                Lane::I32 => r.bools.push(functions::compare::<i32>(*r.i32s.index(a), *r.i32s.index(b), direction)),
                Lane::U32 => r.bools.push(functions::compare::<u32>(*r.u32s.index(a), *r.u32s.index(b), direction)),
                Lane::Bool => {
                    let x = u32::cast_from(*r.bools.index(a));
                    let y = u32::cast_from(*r.bools.index(b));
                    r.bools.push(functions::compare::<u32>(x, y, direction));
                }
            },
            Step::Select { lane, p, a, b } => {
                let p = *r.bools.index(p);
                match lane {
                    Lane::F32 => r.f32s.push(select(p, *r.f32s.index(a), *r.f32s.index(b))),
                    Lane::I32 => r.i32s.push(select(p, *r.i32s.index(a), *r.i32s.index(b))),
                    Lane::U32 => r.u32s.push(select(p, *r.u32s.index(a), *r.u32s.index(b))),
                    Lane::Bool => r.bools.push(select(p, *r.bools.index(a), *r.bools.index(b))),
                }
            }
            Step::Convert { from, to, a } => convert(r, from, to, a),
            Step::Bits { from, to, a } => {
                let bits = word(r, from, a);
                push(r, bits, to);
            }
            Step::StoreHalf { memory, at, half, a } => {
                halves.index_mut(memory)[place(e, at)] = narrowed(*r.f32s.index(a), half);
            }
            Step::Store { memory, at, lane, a } => {
                let to = place(e, at);
                writes.index_mut(memory)[to] = word(r, lane, a);
            }
            Step::StoreAt { memory, place, when, lane, a } => {
                let to = usize::cast_from(*r.i32s.index(place));
                if comptime!(when.is_some()) {
                    if *r.bools.index(comptime!(when.unwrap_or(0))) {
                        writes.index_mut(memory)[to] = word(r, lane, a);
                    }
                } else {
                    writes.index_mut(memory)[to] = word(r, lane, a);
                }
            }
            Step::StoreHalfAt { memory, place, when, half, a } => {
                let to = usize::cast_from(*r.i32s.index(place));
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

/// The narrow float at a place of memory that is read as words.
#[cube]
fn half_at(reads: &Sequence<Box<[u32]>>, at: usize, #[comptime] memory: usize, #[comptime] half: Half) -> f32 {
    let bits = reads.index(memory)[at / 2] >> (u32::cast_from(at % 2) * 16u32);
    widened(bits & 0xffffu32, half)
}

#[cube]
fn convert(r: &mut Registers, #[comptime] from: Lane, #[comptime] to: Lane, #[comptime] a: Reg) {
    match from {
        Lane::F32 => {
            let x = *r.f32s.index(a);
            match to {
                Lane::F32 => r.f32s.push(x),
                Lane::I32 => r.i32s.push(i32::cast_from(x)),
                Lane::U32 => r.u32s.push(u32::cast_from(x)),
                Lane::Bool => r.bools.push(x != 0.0),
            }
        }
        Lane::I32 => {
            let x = *r.i32s.index(a);
            match to {
                Lane::F32 => r.f32s.push(f32::cast_from(x)),
                Lane::I32 => r.i32s.push(x),
                Lane::U32 => r.u32s.push(u32::reinterpret(x)),
                Lane::Bool => r.bools.push(x != 0i32),
            }
        }
        Lane::U32 => {
            let x = *r.u32s.index(a);
            match to {
                Lane::F32 => r.f32s.push(f32::cast_from(x)),
                Lane::I32 => r.i32s.push(i32::reinterpret(x)),
                Lane::U32 => r.u32s.push(x),
                Lane::Bool => r.bools.push(x != 0u32),
            }
        }
        Lane::Bool => {
            let x = u32::cast_from(*r.bools.index(a));
            match to {
                Lane::F32 => r.f32s.push(f32::cast_from(x)),
                Lane::I32 => r.i32s.push(i32::reinterpret(x)),
                Lane::U32 => r.u32s.push(x),
                Lane::Bool => r.bools.push(x != 0u32),
            }
        }
    }
}

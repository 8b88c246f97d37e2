//! Straight-line programs on the elements of a domain, and the `cube` function that carries one out.
//!
//! A kernel gets its program when it is compiled: every step becomes an instruction on registers, and nothing of the program is left
//! at run time. Memory is words of 32 bits; what they mean is said by the lane of a load or store.

use cubecl::prelude::*;
use partita_ir::dtype::DType;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};

/// Element `e` of the domain is at `offset + sum(e / divisor % size * stride)`. Strides may be negative: what is summed wraps. The outermost
/// dimension has no size, since nothing is beyond it.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct At {
    pub(crate) offset: u32,
    pub(crate) terms: Vec<Term>,
}

impl At {
    /// Element `e` itself.
    pub(crate) fn dense() -> At {
        At { offset: 0, terms: vec![Term { divisor: 1, size: None, stride: 1 }] }
    }
}

/// One dimension of a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Term {
    pub(crate) divisor: usize,
    /// None where `e / divisor` is smaller anyway.
    pub(crate) size: Option<usize>,
    pub(crate) stride: i32,
}

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Lane {
    F32,
    I32,
    U32,
    Bool,
}

impl Lane {
    /// The lane of a dtype, if elements of it are computed with here. An `i64` is narrowed: what comes from outside is checked, and
    /// arithmetic on it is not fused.
    pub(crate) fn of(dtype: DType) -> Option<Lane> {
        match dtype {
            DType::F32 => Some(Lane::F32),
            DType::I32 | DType::I64 => Some(Lane::I32),
            DType::U32 => Some(Lane::U32),
            DType::Bool => Some(Lane::Bool),
            DType::F64 | DType::F16 | DType::BF16 | DType::I8 | DType::U8 | DType::U64 => None,
        }
    }
}

/// A register, by position among those of its lane.
pub(crate) type Reg = usize;

/// One step. Its result is the next register of its lane.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Step {
    /// Reads an element of the operand of that number.
    Load { memory: usize, at: At, lane: Lane },
    /// A constant, by its bits.
    Constant { lane: Lane, bits: u32 },
    /// The result of the reduction of that number.
    Reduced { number: usize },
    /// `e / divisor % size`
    Count { divisor: usize, size: usize, lane: Lane },
    /// `op(a)`; `IsFinite` gives a `bool`.
    Unary { op: UnaryOp, lane: Lane, a: Reg },
    /// `op(a, b)`
    Binary { op: BinaryOp, lane: Lane, a: Reg, b: Reg },
    /// Whether `a` is to `b` as the direction says.
    Compare { direction: Direction, lane: Lane, a: Reg, b: Reg },
    /// `a` where `p` holds, else `b`.
    Select { lane: Lane, p: Reg, a: Reg, b: Reg },
    /// From one lane to another.
    Convert { from: Lane, to: Lane, a: Reg },
    /// Writes an element of the result of that number.
    Store { memory: usize, at: At, lane: Lane, a: Reg },
}

impl Step {
    /// The lane of the register that it gives.
    pub(crate) fn gives(&self) -> Option<Lane> {
        match *self {
            Step::Load { lane, .. }
            | Step::Constant { lane, .. }
            | Step::Count { lane, .. }
            | Step::Binary { lane, .. }
            | Step::Select { lane, .. }
            | Step::Convert { to: lane, .. } => Some(lane),
            Step::Unary { op: UnaryOp::IsFinite, .. } | Step::Compare { .. } => Some(Lane::Bool),
            Step::Unary { lane, .. } => Some(lane),
            Step::Reduced { .. } => Some(Lane::F32),
            Step::Store { .. } => None,
        }
    }

    /// The operand that it reads.
    pub(crate) fn reads_mut(&mut self) -> Option<&mut usize> {
        match self {
            Step::Load { memory, .. } => Some(memory),
            _ => None,
        }
    }
}

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
    let place = RuntimeCell::<usize>::new(comptime!(at.offset as usize));
    #[unroll]
    for t in 0..comptime!(at.terms.len()) {
        let Term { divisor, size, stride } = comptime!(at.terms[t]);
        let index = if comptime!(size.is_some()) { e / divisor % comptime!(size.unwrap_or(1)) } else { e / divisor };
        place.store(place.read() + index * comptime!(stride as u32 as usize));
    }
    place.read()
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

#[cube]
fn unary_f32(x: f32, #[comptime] op: UnaryOp) -> f32 {
    match op {
        UnaryOp::Abs => x.abs(),
        UnaryOp::Neg => -x,
        UnaryOp::Sign => select(x > 0.0, 1.0, select(x < 0.0, -1.0, x)),
        UnaryOp::Relu => select(x < 0.0, 0.0, x),
        UnaryOp::Reciprocal => 1.0 / x,
        UnaryOp::Rsqrt => x.inverse_sqrt(),
        UnaryOp::Sigmoid => 1.0 / (1.0 + (-x).exp()),
        UnaryOp::Sqrt => x.sqrt(),
        UnaryOp::Exp => x.exp(),
        UnaryOp::Log => x.ln(),
        UnaryOp::Log1p => x.log1p(),
        UnaryOp::Tanh => x.tanh(),
        UnaryOp::Erf => Erf::erf(x),
        UnaryOp::Floor => x.floor(),
        UnaryOp::Ceil => x.ceil(),
        UnaryOp::Sin => x.sin(),
        UnaryOp::Cos => x.cos(),
        _ => x,
    }
}

#[cube]
fn binary_f32(x: f32, y: f32, #[comptime] op: BinaryOp) -> f32 {
    match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Div => x / y,
        BinaryOp::Max => select(x > y, x, y),
        BinaryOp::Min => select(x < y, x, y),
        BinaryOp::Pow => x.powf(y),
        _ => x,
    }
}

#[cube]
fn integers<T: Int>(x: T, y: T, #[comptime] op: BinaryOp) -> T {
    match op {
        BinaryOp::Add => x + y,
        BinaryOp::Sub => x - y,
        BinaryOp::Mul => x * y,
        BinaryOp::Max => select(x > y, x, y),
        BinaryOp::Min => select(x < y, x, y),
        BinaryOp::And => x & y,
        BinaryOp::Or => x | y,
        BinaryOp::Xor => x ^ y,
        _ => x,
    }
}

#[cube]
fn compare<T: Numeric>(x: T, y: T, #[comptime] direction: Direction) -> bool {
    match direction {
        Direction::Eq => x == y,
        Direction::Ne => x != y,
        Direction::Lt => x < y,
        Direction::Le => x <= y,
        Direction::Gt => x > y,
        Direction::Ge => x >= y,
    }
}

/// Carries out a program on element `e`.
#[cube]
pub(crate) fn evaluate(
    reads: &Sequence<Box<[u32]>>,
    writes: &mut Sequence<Box<[u32]>>,
    reduced: &Sequence<f32>,
    e: usize,
    r: &mut Registers,
    #[comptime] steps: Vec<Step>,
) {
    #[unroll]
    for s in 0..comptime!(steps.len()) {
        let step = comptime!(steps[s].clone());
        match step {
            Step::Load { memory, at, lane } => {
                let word = reads.index(memory)[place(e, at)];
                match lane {
                    Lane::F32 => r.f32s.push(f32::reinterpret(word)),
                    Lane::I32 => r.i32s.push(i32::reinterpret(word)),
                    Lane::U32 => r.u32s.push(word),
                    Lane::Bool => r.bools.push(word != 0u32),
                }
            }
            Step::Constant { lane, bits } => match lane {
                Lane::F32 => r.f32s.push(float(bits)),
                Lane::I32 => r.i32s.push(i32::reinterpret(bits.runtime())),
                Lane::U32 => r.u32s.push(bits.runtime()),
                Lane::Bool => r.bools.push(bits.runtime() != 0u32),
            },
            Step::Reduced { number } => r.f32s.push(*reduced.index(number)),
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
                Lane::F32 => match op {
                    UnaryOp::IsFinite => {
                        let x = *r.f32s.index(a);
                        r.bools.push(!x.is_nan() && !x.is_inf());
                    }
                    _ => r.f32s.push(unary_f32(*r.f32s.index(a), op)),
                },
                Lane::I32 => match op {
                    UnaryOp::Neg => r.i32s.push(0i32 - *r.i32s.index(a)),
                    _ => r.i32s.push(!*r.i32s.index(a)),
                },
                Lane::U32 => match op {
                    UnaryOp::Neg => r.u32s.push(0u32 - *r.u32s.index(a)),
                    _ => r.u32s.push(!*r.u32s.index(a)),
                },
                Lane::Bool => r.bools.push(!*r.bools.index(a)),
            },
            Step::Binary { op, lane, a, b } => match lane {
                Lane::F32 => r.f32s.push(binary_f32(*r.f32s.index(a), *r.f32s.index(b), op)),
                Lane::I32 => r.i32s.push(integers::<i32>(*r.i32s.index(a), *r.i32s.index(b), op)),
                Lane::U32 => r.u32s.push(integers::<u32>(*r.u32s.index(a), *r.u32s.index(b), op)),
                Lane::Bool => {
                    let (x, y) = (*r.bools.index(a), *r.bools.index(b));
                    match op {
                        BinaryOp::And => r.bools.push(x && y),
                        BinaryOp::Or => r.bools.push(x || y),
                        _ => r.bools.push(x != y),
                    }
                }
            },
            Step::Compare { direction, lane, a, b } => match lane {
                Lane::F32 => r.bools.push(compare::<f32>(*r.f32s.index(a), *r.f32s.index(b), direction)),
                Lane::I32 => r.bools.push(compare::<i32>(*r.i32s.index(a), *r.i32s.index(b), direction)),
                Lane::U32 => r.bools.push(compare::<u32>(*r.u32s.index(a), *r.u32s.index(b), direction)),
                Lane::Bool => {
                    let x = u32::cast_from(*r.bools.index(a));
                    let y = u32::cast_from(*r.bools.index(b));
                    r.bools.push(compare::<u32>(x, y, direction));
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
            Step::Store { memory, at, lane, a } => {
                let to = place(e, at);
                match lane {
                    Lane::F32 => writes.index_mut(memory)[to] = u32::reinterpret(*r.f32s.index(a)),
                    Lane::I32 => writes.index_mut(memory)[to] = u32::reinterpret(*r.i32s.index(a)),
                    Lane::U32 => writes.index_mut(memory)[to] = *r.u32s.index(a),
                    Lane::Bool => writes.index_mut(memory)[to] = u32::cast_from(*r.bools.index(a)),
                }
            }
        }
    }
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

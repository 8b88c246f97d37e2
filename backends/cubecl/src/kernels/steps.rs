//! Straight-line programs on the elements of a domain, as data ([`evaluate`](super::evaluate) carries them out).
//!
//! A kernel gets its program when it is compiled: every step becomes an instruction on registers, and nothing of the
//! program is left at run time. Memory is words of 32 bits; what they mean is said by the lane of a load or store.

use super::half::Half;
use partita_ir::dtype::DType;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};

/// Element `e` of the domain is at `offset + sum(e / divisor % size * stride)`. Offset and strides may be negative:
/// what is summed wraps. The outermost dimension has no size, since nothing is beyond it.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct At {
    pub(crate) offset: i64,
    pub(crate) terms: Vec<Term>,
}

impl At {
    /// Element `e` itself.
    pub(crate) fn dense() -> At {
        At { offset: 0, terms: vec![Term { divisor: 1, size: None, stride: 1 }] }
    }

    /// An upper bound of the places of the first `count` elements.
    pub(crate) fn last(&self, count: usize) -> u64 {
        let forward = self.terms.iter().filter(|term| term.stride > 0).map(|term| {
            let size = term.size.unwrap_or_else(|| count.div_ceil(term.divisor.max(1)));
            (size.saturating_sub(1) as u64).saturating_mul(term.stride as u64)
        });
        forward.fold(self.offset.max(0) as u64, u64::saturating_add)
    }
}

/// One dimension of a place.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Term {
    pub(crate) divisor: usize,
    /// None where `e / divisor` is smaller anyway.
    pub(crate) size: Option<usize>,
    pub(crate) stride: i64,
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
    /// The lane of a dtype, if memory holds it as words. An `i64` is narrowed: what comes from outside is checked, and
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

    /// The lane in which fused loops compute with a dtype.
    pub(crate) fn fused(dtype: DType) -> Option<Lane> {
        if Half::of(dtype).is_some() { Some(Lane::F32) } else { Lane::of(dtype) }
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
    /// Reads a narrow float.
    LoadHalf { memory: usize, at: At, half: Half },
    /// The result of the reduction of that number, rounded if it is a narrow float.
    Reduced { number: usize, half: Option<Half> },
    /// A float rounded to a narrow one.
    Round { half: Half, a: Reg },
    /// The number of the element, as an `i32`.
    Element,
    /// `e / divisor % size`
    Count { divisor: usize, size: usize, lane: Lane },
    /// `op(a)`; what asks gives a `bool`.
    Unary { op: UnaryOp, lane: Lane, a: Reg },
    /// The number whose `erf` is `a`, where `tail` is `(1 - a) * (1 + a)`.
    ErfInv { a: Reg, tail: Reg },
    /// `op(a, b)`
    Binary { op: BinaryOp, lane: Lane, a: Reg, b: Reg },
    /// Whether `a` is to `b` as the direction says.
    Compare { direction: Direction, lane: Lane, a: Reg, b: Reg },
    /// `a` where `p` holds, else `b`.
    Select { lane: Lane, p: Reg, a: Reg, b: Reg },
    /// From one lane to another.
    Convert { from: Lane, to: Lane, a: Reg },
    /// The same bits in another lane.
    Bits { from: Lane, to: Lane, a: Reg },
    /// Where element `of` is, an `i32` register; it is one, too.
    Place { of: Reg, at: At },
    /// Reads the element at the `i32` register `place` of the operand of that number.
    LoadAt { memory: usize, place: Reg, lane: Lane },
    /// Reads the narrow float at the `i32` register `place`.
    LoadHalfAt { memory: usize, place: Reg, half: Half },
    /// Writes an element to the `i32` register `place` of the result of that number, if there is no `bool` register
    /// `when` or it holds.
    StoreAt { memory: usize, place: Reg, when: Option<Reg>, lane: Lane, a: Reg },
    /// The same, of the result of narrow floats of that number.
    StoreHalfAt { memory: usize, place: Reg, when: Option<Reg>, half: Half, a: Reg },
    /// Writes an element of the result of that number.
    Store { memory: usize, at: At, lane: Lane, a: Reg },
    /// Writes an element of the result of narrow floats of that number; they are counted apart, and stand behind the
    /// others.
    StoreHalf { memory: usize, at: At, half: Half, a: Reg },
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
            | Step::LoadAt { lane, .. }
            | Step::Bits { to: lane, .. }
            | Step::Convert { to: lane, .. } => Some(lane),
            Step::Unary { op: UnaryOp::IsFinite | UnaryOp::IsNan | UnaryOp::IsInf, .. } | Step::Compare { .. } => {
                Some(Lane::Bool)
            }
            Step::Unary { lane, .. } => Some(lane),
            Step::LoadHalf { .. }
            | Step::LoadHalfAt { .. }
            | Step::Reduced { .. }
            | Step::Round { .. }
            | Step::ErfInv { .. } => Some(Lane::F32),
            Step::Element | Step::Place { .. } => Some(Lane::I32),
            Step::Store { .. } | Step::StoreHalf { .. } | Step::StoreAt { .. } | Step::StoreHalfAt { .. } => None,
        }
    }

    /// Shows every register that it reads, with its lane.
    pub(crate) fn registers_mut(&mut self, see: &mut dyn FnMut(Lane, &mut Reg)) {
        match self {
            Step::Load { .. }
            | Step::Constant { .. }
            | Step::LoadHalf { .. }
            | Step::Reduced { .. }
            | Step::Element
            | Step::Count { .. } => {}
            Step::Round { a, .. } | Step::StoreHalf { a, .. } => see(Lane::F32, a),
            Step::ErfInv { a, tail } => {
                see(Lane::F32, a);
                see(Lane::F32, tail);
            }
            Step::Unary { lane, a, .. }
            | Step::Convert { from: lane, a, .. }
            | Step::Bits { from: lane, a, .. }
            | Step::Store { lane, a, .. } => see(*lane, a),
            Step::Binary { lane, a, b, .. } | Step::Compare { lane, a, b, .. } => {
                see(*lane, a);
                see(*lane, b);
            }
            Step::Select { lane, p, a, b } => {
                see(Lane::Bool, p);
                see(*lane, a);
                see(*lane, b);
            }
            Step::Place { of: place, .. } | Step::LoadAt { place, .. } | Step::LoadHalfAt { place, .. } => {
                see(Lane::I32, place);
            }
            Step::StoreAt { place, when, lane, a, .. } => {
                see(Lane::I32, place);
                when.iter_mut().for_each(|when| see(Lane::Bool, when));
                see(*lane, a);
            }
            Step::StoreHalfAt { place, when, a, .. } => {
                see(Lane::I32, place);
                when.iter_mut().for_each(|when| see(Lane::Bool, when));
                see(Lane::F32, a);
            }
        }
    }

    /// Whether it is arithmetic on floats.
    pub(crate) fn computes(&self) -> bool {
        match self {
            Step::Unary { lane, .. }
            | Step::Binary { lane, .. }
            | Step::Compare { lane, .. }
            | Step::Select { lane, .. } => *lane == Lane::F32,
            Step::ErfInv { .. } => true,
            _ => false,
        }
    }

    /// The result that it writes, if that is of words.
    pub(crate) fn writes_mut(&mut self) -> Option<&mut usize> {
        match self {
            Step::Store { memory, .. } | Step::StoreAt { memory, .. } => Some(memory),
            _ => None,
        }
    }

    /// The result that it writes, if that is of narrow floats.
    pub(crate) fn writes_half_mut(&mut self) -> Option<&mut usize> {
        match self {
            Step::StoreHalf { memory, .. } | Step::StoreHalfAt { memory, .. } => Some(memory),
            _ => None,
        }
    }

    /// How many results of narrow floats steps write.
    pub(crate) fn halves<'s>(steps: impl IntoIterator<Item = &'s Step>) -> usize {
        let numbers = steps.into_iter().filter_map(|step| match step {
            Step::StoreHalf { memory, .. } | Step::StoreHalfAt { memory, .. } => Some(memory + 1),
            _ => None,
        });
        numbers.max().unwrap_or(0)
    }

    /// The operand that it reads.
    pub(crate) fn reads_mut(&mut self) -> Option<&mut usize> {
        match self {
            Step::Load { memory, .. }
            | Step::LoadHalf { memory, .. }
            | Step::LoadAt { memory, .. }
            | Step::LoadHalfAt { memory, .. } => Some(memory),
            _ => None,
        }
    }
}

/// Steps, and where their results are. What the kernel gives a program lies in the first registers of each lane.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    pub(crate) results: Vec<Reg>,
}

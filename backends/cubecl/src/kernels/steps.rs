//! Straight-line programs for the elements of a domain, as data. [`evaluate`](super::evaluate) executes them.
//!
//! A kernel receives its program at compile time: every step becomes an instruction on registers, without
//! interpretation at run time. Memory consists of 32-bit words, whose type is the register class of the load or store.

use super::half::Half;
use partita_ir::dtype::DType;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};

/// An address map: element `e` of the domain has the address `offset + sum(e / divisor % size * stride)`. Offset and
/// strides may be negative; sums wrap around. The outermost dimension needs no size.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct AddressMap {
    pub(crate) offset: i64,
    pub(crate) terms: Vec<AddressTerm>,
}

impl AddressMap {
    /// Returns the identity map.
    pub(crate) fn identity() -> AddressMap {
        AddressMap { offset: 0, terms: vec![AddressTerm { divisor: 1, size: None, stride: 1 }] }
    }

    /// Returns an upper bound of the addresses of the first `count` elements.
    pub(crate) fn max_address(&self, count: usize) -> u64 {
        let forward = self.terms.iter().filter(|term| term.stride > 0).map(|term| {
            let size = term.size.unwrap_or_else(|| count.div_ceil(term.divisor.max(1)));
            (size.saturating_sub(1) as u64).saturating_mul(term.stride as u64)
        });
        forward.fold(self.offset.max(0) as u64, u64::saturating_add)
    }
}

/// One dimension of an address map.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct AddressTerm {
    pub(crate) divisor: usize,
    /// `None` if `e / divisor` is always less than the size.
    pub(crate) size: Option<usize>,
    pub(crate) stride: i64,
}

/// Register class: the type of a register.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum RegClass {
    F32,
    I32,
    U32,
    Bool,
}

impl RegClass {
    /// Returns the class for a dtype that memory stores as words. An `i64` is stored with 32 bits: inputs are checked,
    /// and arithmetic on `i64` is not fused.
    pub(crate) fn from_stored_dtype(dtype: DType) -> Option<RegClass> {
        match dtype {
            DType::F32 => Some(RegClass::F32),
            DType::I32 | DType::I64 => Some(RegClass::I32),
            DType::U32 => Some(RegClass::U32),
            DType::Bool => Some(RegClass::Bool),
            _ => None,
        }
    }

    /// Returns the class in which fused loops compute with a dtype.
    pub(crate) fn from_dtype(dtype: DType) -> Option<RegClass> {
        if Half::from_dtype(dtype).is_some() { Some(RegClass::F32) } else { RegClass::from_stored_dtype(dtype) }
    }
}

/// A register, as index among those of its class.
pub(crate) type Reg = usize;

/// A step of a program. Its result is the next register of its class.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Step {
    /// Loads the current element of an operand.
    Load { memory: usize, at: AddressMap, class: RegClass },
    /// A constant, given by its bits.
    Constant { class: RegClass, bits: u32 },
    /// Loads the current element of an operand of 16-bit floats.
    LoadHalf { memory: usize, at: AddressMap, half: Half },
    /// The result of a reduction of the kernel, rounded to a 16-bit float if given.
    Reduced { number: usize, half: Option<Half> },
    /// Rounds a float to a 16-bit float.
    Round { half: Half, a: Reg },
    /// The number of the current element, as `i32`.
    Element,
    /// `e / divisor % size`
    Iota { divisor: usize, size: usize, class: RegClass },
    /// `op(a)`; predicates return a `bool`
    Unary { op: UnaryOp, class: RegClass, a: Reg },
    /// The number whose `erf` is `a`; `tail` is `(1 - a) * (1 + a)`.
    ErfInv { a: Reg, tail: Reg },
    /// `op(a, b)`
    Binary { op: BinaryOp, class: RegClass, a: Reg, b: Reg },
    /// Compares `a` with `b`.
    Compare { direction: Direction, class: RegClass, a: Reg, b: Reg },
    /// `a` where `p` is true, else `b`
    Select { class: RegClass, p: Reg, a: Reg, b: Reg },
    /// Converts a register to another class.
    Convert { from: RegClass, to: RegClass, a: Reg },
    /// Reinterprets the bits of a register in another class.
    Bits { from: RegClass, to: RegClass, a: Reg },
    /// The address of element `of`; both are `i32` registers.
    Address { of: Reg, at: AddressMap },
    /// Loads the element of an operand at the address in the `i32` register `address`.
    LoadAt { memory: usize, address: Reg, class: RegClass },
    /// Loads the 16-bit float of an operand at the address in the `i32` register `address`.
    LoadHalfAt { memory: usize, address: Reg, half: Half },
    /// Stores an element of a result at the address in the `i32` register `address`. If a `bool` register `when` is
    /// given, it must be true.
    StoreAt { memory: usize, address: Reg, when: Option<Reg>, class: RegClass, a: Reg },
    /// Stores a 16-bit float as [`Step::StoreAt`] does; `memory` counts results of 16-bit floats.
    StoreHalfAt { memory: usize, address: Reg, when: Option<Reg>, half: Half, a: Reg },
    /// Stores the current element of a result.
    Store { memory: usize, at: AddressMap, class: RegClass, a: Reg },
    /// Stores the current element of a result of 16-bit floats. These results are numbered separately and follow the
    /// others.
    StoreHalf { memory: usize, at: AddressMap, half: Half, a: Reg },
}

impl Step {
    /// Returns the class of the register that the step defines.
    pub(crate) fn defines(&self) -> Option<RegClass> {
        match *self {
            Step::Load { class, .. }
            | Step::Constant { class, .. }
            | Step::Iota { class, .. }
            | Step::Binary { class, .. }
            | Step::Select { class, .. }
            | Step::LoadAt { class, .. }
            | Step::Bits { to: class, .. }
            | Step::Convert { to: class, .. } => Some(class),
            Step::Unary { op: UnaryOp::IsFinite | UnaryOp::IsNan | UnaryOp::IsInf, .. } | Step::Compare { .. } => {
                Some(RegClass::Bool)
            }
            Step::Unary { class, .. } => Some(class),
            Step::LoadHalf { .. }
            | Step::LoadHalfAt { .. }
            | Step::Reduced { .. }
            | Step::Round { .. }
            | Step::ErfInv { .. } => Some(RegClass::F32),
            Step::Element | Step::Address { .. } => Some(RegClass::I32),
            Step::Store { .. } | Step::StoreHalf { .. } | Step::StoreAt { .. } | Step::StoreHalfAt { .. } => None,
        }
    }

    /// Calls `see` for every register that the step reads.
    pub(crate) fn registers_mut(&mut self, see: &mut dyn FnMut(RegClass, &mut Reg)) {
        match self {
            Step::Load { .. }
            | Step::Constant { .. }
            | Step::LoadHalf { .. }
            | Step::Reduced { .. }
            | Step::Element
            | Step::Iota { .. } => {}
            Step::Round { a, .. } | Step::StoreHalf { a, .. } => see(RegClass::F32, a),
            Step::ErfInv { a, tail } => {
                see(RegClass::F32, a);
                see(RegClass::F32, tail);
            }
            Step::Unary { class, a, .. }
            | Step::Convert { from: class, a, .. }
            | Step::Bits { from: class, a, .. }
            | Step::Store { class, a, .. } => see(*class, a),
            Step::Binary { class, a, b, .. } | Step::Compare { class, a, b, .. } => {
                see(*class, a);
                see(*class, b);
            }
            Step::Select { class, p, a, b } => {
                see(RegClass::Bool, p);
                see(*class, a);
                see(*class, b);
            }
            Step::Address { of: address, .. } | Step::LoadAt { address, .. } | Step::LoadHalfAt { address, .. } => {
                see(RegClass::I32, address);
            }
            Step::StoreAt { address, when, class, a, .. } => {
                see(RegClass::I32, address);
                when.iter_mut().for_each(|when| see(RegClass::Bool, when));
                see(*class, a);
            }
            Step::StoreHalfAt { address, when, a, .. } => {
                see(RegClass::I32, address);
                when.iter_mut().for_each(|when| see(RegClass::Bool, when));
                see(RegClass::F32, a);
            }
        }
    }

    /// Returns true for arithmetic on floats.
    pub(crate) fn is_float_arithmetic(&self) -> bool {
        match self {
            Step::Unary { class, .. }
            | Step::Binary { class, .. }
            | Step::Compare { class, .. }
            | Step::Select { class, .. } => *class == RegClass::F32,
            Step::ErfInv { .. } => true,
            _ => false,
        }
    }

    /// Returns the result that the step writes, if it consists of words.
    pub(crate) fn writes_mut(&mut self) -> Option<&mut usize> {
        match self {
            Step::Store { memory, .. } | Step::StoreAt { memory, .. } => Some(memory),
            _ => None,
        }
    }

    /// Returns the result that the step writes, if it consists of 16-bit floats.
    pub(crate) fn writes_half_mut(&mut self) -> Option<&mut usize> {
        match self {
            Step::StoreHalf { memory, .. } | Step::StoreHalfAt { memory, .. } => Some(memory),
            _ => None,
        }
    }

    /// Returns the number of results of 16-bit floats that steps write.
    pub(crate) fn halves<'s>(steps: impl IntoIterator<Item = &'s Step>) -> usize {
        let numbers = steps.into_iter().filter_map(|step| match step {
            Step::StoreHalf { memory, .. } | Step::StoreHalfAt { memory, .. } => Some(memory + 1),
            _ => None,
        });
        numbers.max().unwrap_or(0)
    }

    /// Returns the operand that the step reads.
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

/// Steps with result registers. Arguments occupy the first registers of each class.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug)]
pub(crate) struct Program {
    pub(crate) steps: Vec<Step>,
    pub(crate) results: Vec<Reg>,
}

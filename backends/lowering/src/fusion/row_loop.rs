//! What a fused loop does, as data.

use crate::view::Dims;
use partita_ir::arena::OpId;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};

/// How elements are held in a register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lane {
    /// `f32`, and the narrower floats, rounded after each op.
    F32,
    /// `f64`.
    F64,
    /// All integers, wrapped after each op.
    Int,
    /// `bool`, as 0 or 1.
    Bool,
}

impl Lane {
    /// The lane of a dtype.
    pub fn of(dtype: DType) -> Lane {
        match dtype {
            DType::F32 | DType::F16 | DType::BF16 => Lane::F32,
            DType::F64 => Lane::F64,
            DType::Bool => Lane::Bool,
            DType::I64 | DType::I32 | DType::I8 | DType::U64 | DType::U32 | DType::U8 => Lane::Int,
        }
    }

    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            Lane::F32 | Lane::Bool => 4,
            Lane::F64 | Lane::Int => 8,
        }
    }
}

/// A register, by position in [`RowLoop::registers`].
pub type Reg = u16;

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Holds {
    /// An element for each of the row's.
    Row(Lane),
    /// One element for the whole row.
    Number(Lane),
    /// The same element for all rows.
    Constant(Lane, f64, i64),
}

impl Holds {
    /// The lane.
    pub fn lane(self) -> Lane {
        match self {
            Holds::Row(lane) | Holds::Number(lane) | Holds::Constant(lane, ..) => lane,
        }
    }
}

/// How the elements of a row lie in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Run {
    /// One after the other.
    Dense,
    /// All the same one.
    Same,
    /// At equal distances.
    Strided(isize),
    /// As a box of that many dimensions: sizes and strides.
    Box(Dims<usize>, Dims<isize>),
}

impl Run {
    /// Where element `i` of a row is.
    #[inline]
    pub fn offset(&self, i: usize) -> isize {
        match self {
            Run::Dense => i as isize,
            Run::Same => 0,
            Run::Strided(stride) => i as isize * stride,
            Run::Box(sizes, strides) => {
                let (mut rest, mut offset) = (i, 0);
                for (&n, &stride) in sizes.iter().zip(strides).rev() {
                    offset += (rest % n) as isize * stride;
                    rest /= n;
                }
                offset
            }
        }
    }
}

/// Where a register is read from or written to: an operand or result of the kernel.
#[derive(Clone, Debug)]
pub struct Access {
    /// Which one, by the kernel's order of reads or writes.
    pub memory: usize,
    /// The element type in memory.
    pub dtype: DType,
    /// Elements from its beginning.
    pub offset: isize,
    /// Elements from one outer index to the next, by outer dimension.
    pub outer: Dims<isize>,
    /// Along a row.
    pub run: Run,
}

/// One instruction: from registers `a`, `b`, `p` to register `to`.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "what fields mean is said once, of all instructions")]
pub enum Instr {
    /// Reads elements, of a row or one.
    Load { to: Reg, from: Access },
    /// Of an element at position `p` of the domain `(p / divisor) % size`; the same for all of a row, or not.
    Count { to: Reg, dtype: DType, divisor: usize, size: usize },
    /// `op(a)`
    Unary { op: UnaryOp, to: Reg, a: Reg },
    /// `op(a, b)`
    Binary { op: BinaryOp, to: Reg, a: Reg, b: Reg },
    /// Whether `a` is to `b` as the direction says.
    Compare { direction: Direction, to: Reg, a: Reg, b: Reg },
    /// `a` where `p` holds, else `b`.
    Select { to: Reg, p: Reg, a: Reg, b: Reg },
    /// To the lane of `to`; into `dtype`.
    Convert { to: Reg, a: Reg, dtype: DType },
    /// Rounds or wraps in place to a dtype that is narrower than its lane.
    Narrow { reg: Reg, dtype: DType },
    /// All elements of a row combined.
    Reduce { monoid: Monoid, to: Reg, a: Reg },
    /// Writes elements, of a row or one.
    Store { a: Reg, to: Access },
    /// Combines elements with what is there; all of a row with one element where it is reduced `over_row`.
    Accumulate { monoid: Monoid, a: Reg, to: Access, over_row: bool },
}

/// A fused loop.
#[derive(Clone, Debug)]
pub struct RowLoop {
    /// Sizes of the outer dimensions.
    pub outer: Dims<usize>,
    /// Elements of a row.
    pub row: usize,
    /// A row is computed in tiles of so many elements; all of it when something is reduced over it.
    pub tile: usize,
    /// What registers hold.
    pub registers: Vec<Holds>,
    /// Registers that lie at the same place of the tile's memory have the same number.
    pub places: Vec<u16>,
    /// How many such places there are.
    pub place_count: usize,
    /// What is done with each row, or each tile of one.
    pub instrs: Vec<Instr>,
    /// By register, the op that gives it; none for what is read, and for constants.
    pub computes: Vec<Option<OpId>>,
    /// By write, the op that gives it.
    pub gives: Vec<OpId>,
    /// Results that are accumulated: which write, its elements, and how.
    pub accumulated: Vec<(usize, usize, DType, Monoid)>,
}

impl RowLoop {
    /// Bytes of the registers of one thread.
    pub fn register_bytes(&self) -> usize {
        (self.tile * 8).next_multiple_of(64) * self.place_count + self.registers.len() * 64
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.outer.iter().product()
    }
}

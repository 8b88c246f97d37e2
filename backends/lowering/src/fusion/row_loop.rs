//! Data representation of fused loops: registers, memory accesses and instructions.

use crate::view::Dims;
use partita_ir::arena::OpId;
use partita_ir::dtype::{DType, ElementStorage};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Direction, UnaryOp};

/// Register class: the type in which a register stores elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RegClass {
    /// `f32`, also for narrower floats, which are rounded after each op.
    F32,
    /// `f64`.
    F64,
    /// All integers as `i64`, wrapped to their dtype after each op.
    Int,
    /// `bool`, stored as 0 or 1.
    Bool,
}

impl RegClass {
    /// Returns the class for elements of a dtype.
    pub fn from_dtype(dtype: DType) -> RegClass {
        match dtype {
            DType::Bool => RegClass::Bool,
            _ => match dtype.storage() {
                ElementStorage::F32 => RegClass::F32,
                ElementStorage::F64 => RegClass::F64,
                ElementStorage::Int => RegClass::Int,
            },
        }
    }

    /// Returns the bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            RegClass::F32 | RegClass::Bool => 4,
            RegClass::F64 | RegClass::Int => 8,
        }
    }
}

/// A register, as index into [`RowLoop::registers`].
pub type Reg = u16;

/// The contents of a register.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum RegKind {
    /// One element per element of the row.
    Vector(RegClass),
    /// One element per row.
    Scalar(RegClass),
    /// A constant: class, value for float classes, and value for the other classes.
    Constant(RegClass, f64, i64),
}

impl RegKind {
    /// Returns the register class.
    pub fn class(self) -> RegClass {
        match self {
            RegKind::Vector(class) | RegKind::Scalar(class) | RegKind::Constant(class, ..) => class,
        }
    }
}

/// Memory layout of the elements of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowLayout {
    /// Contiguous elements.
    Contiguous,
    /// The same element for all elements of the row.
    Broadcast,
    /// Elements with a constant stride.
    Strided(isize),
    /// Several dimensions in row-major order: their sizes and strides.
    Box(Dims<usize>, Dims<isize>),
}

impl RowLayout {
    /// Returns the offset of element `i` of a row from the first one, in elements.
    #[inline]
    pub fn offset(&self, i: usize) -> isize {
        match self {
            RowLayout::Contiguous => i as isize,
            RowLayout::Broadcast => 0,
            RowLayout::Strided(stride) => i as isize * stride,
            RowLayout::Box(sizes, strides) => {
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

/// Access to the memory of an operand or a result of the kernel.
#[derive(Clone, Debug)]
pub struct Access {
    /// Index of the operand or result, in the kernel's order of reads or writes.
    pub memory: usize,
    /// Element type in memory.
    pub dtype: DType,
    /// Offset of the first element, in elements.
    pub offset: isize,
    /// Stride of each outer dimension, in elements.
    pub outer: Dims<isize>,
    /// Layout of the elements of a row.
    pub layout: RowLayout,
}

/// An instruction: reads registers `a`, `b`, `p` and writes register `to`.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the fields have the same meaning for all instructions")]
pub enum Instr {
    /// Loads the elements of a row, or one element.
    Load { to: Reg, from: Access },
    /// Computes `(p / divisor) % size` for the element at row-major position `p` of the domain.
    Iota { to: Reg, dtype: DType, divisor: usize, size: usize },
    /// `op(a)`
    Unary { op: UnaryOp, to: Reg, a: Reg },
    /// `op(a, b)`
    Binary { op: BinaryOp, to: Reg, a: Reg, b: Reg },
    /// Compares `a` with `b`.
    Compare { direction: Direction, to: Reg, a: Reg, b: Reg },
    /// `a` where `p` is true, else `b`.
    Select { to: Reg, p: Reg, a: Reg, b: Reg },
    /// Converts to `dtype`, in the register class of `to`.
    Convert { to: Reg, a: Reg, dtype: DType },
    /// Rounds or wraps a register in place to a dtype that is narrower than its register class.
    Narrow { reg: Reg, dtype: DType },
    /// Reduces the elements of a row to one.
    Reduce { monoid: Monoid, to: Reg, a: Reg },
    /// Stores the elements of a row, or one element.
    Store { a: Reg, to: Access },
    /// Combines elements with the elements in memory. With `over_row`, all elements of a row are combined into one
    /// element.
    Accumulate { monoid: Monoid, a: Reg, to: Access, over_row: bool },
}

/// A fused loop over the rows of an array.
#[derive(Clone, Debug)]
pub struct RowLoop {
    /// Sizes of the outer dimensions.
    pub outer: Dims<usize>,
    /// Elements of a row.
    pub row: usize,
    /// Elements of a row that are computed at a time; the full row if the loop contains row reductions.
    pub tile: usize,
    /// The contents of each register.
    pub registers: Vec<RegKind>,
    /// Slot of each register in tile memory. Vector registers with disjoint live ranges share slots. The entries of
    /// other registers are unused.
    pub slots: Vec<u16>,
    /// Number of slots of tile memory.
    pub slot_count: usize,
    /// Instructions for each row, or for each tile of a row.
    pub instrs: Vec<Instr>,
    /// The op that computes each register; `None` for loads and constants.
    pub computed_by: Vec<Option<OpId>>,
    /// The op that computes each result of the kernel.
    pub written_by: Vec<OpId>,
    /// Accumulated results: index of the result, number of elements, dtype, and reduction.
    pub accumulated: Vec<(usize, usize, DType, Monoid)>,
}

impl RowLoop {
    /// Returns the bytes of memory for the registers of one thread.
    pub fn register_bytes(&self) -> usize {
        (self.tile * 8).next_multiple_of(64) * self.slot_count + self.registers.len() * 64
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.outer.iter().product()
    }
}

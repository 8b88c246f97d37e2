//! Lowered functions: a backend lowers each function of a local program to steps on slots.
//!
//! A slot is memory that contains one value for part of a function. Backends create slots without regard to memory;
//! `assemble` computes live ranges, shares memory and assigns addresses.

use crate::replicas::AxisSet;
use partita_ir::arena::OpId;

/// Index of a slot in [`Routine::slots`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot(pub u32);

impl Slot {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Kind of a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotKind {
    /// Temporary memory of the function with the given number of bytes.
    Temporary(usize),
    /// Input with the given number.
    Input(usize),
    /// Constant with the given number, shared by all devices.
    Constant(usize),
}

/// Position in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// Slot that contains the position.
    pub slot: Slot,
    /// Offset in bytes.
    pub offset: usize,
}

impl Span {
    /// Returns the start of a slot.
    pub fn from_slot(slot: Slot) -> Span {
        Span { slot, offset: 0 }
    }
}

/// Step of a function. `K` is the kernel type of the backend.
pub struct Step<K> {
    /// Op named in messages; the last one of several fused ops.
    pub op: OpId,
    /// Operands in the order of the kernel. Collectives and loops read contiguous values.
    pub reads: Vec<Span>,
    /// Results in the order of the kernel.
    pub writes: Vec<Span>,
    /// Operation of the step.
    pub action: Action<K>,
}

impl<K> Step<K> {
    /// Returns true if the step is a collective.
    pub(crate) fn is_collective(&self) -> bool {
        matches!(self.action, Action::Collective { .. })
    }
}

/// Operation of a step.
pub enum Action<K> {
    /// Runs a kernel.
    Compute {
        /// Kernel that computes the results.
        kernel: K,
        /// Bytes of scratch memory.
        scratch: usize,
        /// Pairs of a write and a read that may share memory if no later step reads the operand. Both cover entire
        /// slots.
        in_place: Vec<(usize, usize)>,
    },
    /// Executes a collective on each operand.
    Collective {
        /// Allows results to overwrite operands that no later step reads.
        in_place: bool,
    },
    /// Runs another routine repeatedly; reads are its inputs. Loop-invariant reads have no write.
    Loop {
        /// Number of iterations; for a `while` loop the expected one.
        trip: u64,
        /// Largest number of iterations of a `while` loop, or 0.
        limit: u64,
        /// Index of the routine in the list of assembled bodies.
        routine: usize,
        /// Write that receives each read after the iterations; `None` for loop-invariant reads.
        carried: Vec<Option<usize>>,
    },
}

/// Lowered function.
pub struct Routine<K> {
    /// Kinds of all slots.
    pub slots: Vec<SlotKind>,
    /// Steps in an order in which values are written before they are read.
    pub steps: Vec<Step<K>>,
    /// Contiguous results in order. The routine of a loop has as many results as inputs, and a result that is an input
    /// is loop-invariant.
    pub outputs: Vec<Span>,
    /// Bytes of each output.
    pub output_bytes: Vec<usize>,
    /// Input that each output may overwrite.
    pub replaced_inputs: Vec<Option<usize>>,
    /// Axes along which all devices compute the same value, for each output of the main function.
    pub(crate) replicated_axes: Vec<AxisSet>,
}

impl<K> Default for Routine<K> {
    fn default() -> Self {
        let (slots, outputs, output_bytes, replaced_inputs, replicated_axes) = Default::default();
        Routine { slots, steps: Vec::new(), outputs, output_bytes, replaced_inputs, replicated_axes }
    }
}

impl<K> Routine<K> {
    /// Adds a slot.
    pub fn add_slot(&mut self, kind: SlotKind) -> Slot {
        self.slots.push(kind);
        Slot(self.slots.len() as u32 - 1)
    }
}

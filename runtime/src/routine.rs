//! A function lowered to steps on slots: what a backend makes of each function of a program in form local.
//!
//! A slot is memory that holds one value for some time. A backend names slots freely; how long each is needed, which
//! may share memory and where they lie is for `assemble` to say.

use crate::replicas::AxisSet;
use partita_ir::arena::OpId;

/// Memory that holds one value for some time, by position in [`Routine::slots`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Slot(pub u32);

impl Slot {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// What a slot is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// Memory of the routine, of so many bytes.
    Temporary(usize),
    /// The input of that number.
    Input(usize),
    /// The constant of that number, which all devices share.
    Constant(usize),
}

/// A place in a slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Span {
    /// The slot.
    pub slot: Slot,
    /// Bytes from its beginning.
    pub offset: usize,
}

impl Span {
    /// The beginning of a slot.
    pub fn whole(slot: Slot) -> Span {
        Span { slot, offset: 0 }
    }
}

/// One step. `K` is what a backend computes with.
pub struct Step<K> {
    /// The op that messages name; of several that are computed at once the last.
    pub op: OpId,
    /// What is read, in the kernel's order. Collectives and loops read dense values.
    pub reads: Vec<Span>,
    /// What is written, in the kernel's order.
    pub writes: Vec<Span>,
    /// What is done.
    pub action: Action<K>,
}

impl<K> Step<K> {
    /// Whether devices meet.
    pub(crate) fn is_meeting(&self) -> bool {
        matches!(self.action, Action::Meet { .. })
    }
}

/// What a step does.
pub enum Action<K> {
    /// Runs a kernel.
    Compute {
        /// The kernel.
        kernel: K,
        /// Bytes of scratch memory that it wants.
        scratch: usize,
        /// A write and a read that may be the same memory, when nobody reads that operand afterwards. Both are whole
        /// slots.
        in_place: Vec<(usize, usize)>,
    },
    /// Meets other devices: an exchange for each operand.
    Meet {
        /// Whether results may be the memory of operands that nobody reads afterwards.
        in_place: bool,
    },
    /// Runs another routine so many times: reads become its inputs. A read that the routine hands on as it is has no
    /// write.
    Loop {
        /// How often.
        trip: u64,
        /// The routine, by position in the list that is assembled.
        routine: usize,
        /// By read, the write that it becomes; none for what stays as it is from one turn to the next.
        carried: Vec<Option<usize>>,
    },
}

/// A function as steps.
pub struct Routine<K> {
    /// All slots.
    pub slots: Vec<Held>,
    /// Steps, in an order in which what is read was written.
    pub steps: Vec<Step<K>>,
    /// Dense results, in order. A loop's routine gives as many as it has inputs, and the result that is an input stays
    /// as it is.
    pub outputs: Vec<Span>,
    /// Bytes of each output.
    pub output_bytes: Vec<usize>,
    /// By output, the input that it may be written over.
    pub replaces: Vec<Option<usize>>,
    /// By output of the main function, the axes along which all devices compute the same.
    pub(crate) same: Vec<AxisSet>,
}

impl<K> Default for Routine<K> {
    fn default() -> Self {
        let (slots, outputs, output_bytes, replaces, same) = Default::default();
        Routine { slots, steps: Vec::new(), outputs, output_bytes, replaces, same }
    }
}

impl<K> Routine<K> {
    /// A new slot.
    pub fn slot(&mut self, held: Held) -> Slot {
        self.slots.push(held);
        Slot(self.slots.len() as u32 - 1)
    }
}

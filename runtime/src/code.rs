//! A compiled program: tasks over memory with every address decided.

use crate::exchange::Exchange;
use crate::group::Group;
use crate::kernel::Kernel;
use crate::memory::Buffer;
use crate::replicas::Duty;
use smallvec::SmallVec;
use std::sync::Arc;

/// What an address counts from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Base {
    /// The memory of the running function.
    Frame,
    /// An input: a buffer of the caller's.
    Input(u32),
    /// An output of the main function.
    Output(u32),
    /// A constant.
    Constant(u32),
}

/// An address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Address {
    pub(crate) base: Base,
    /// Bytes.
    pub(crate) offset: usize,
}

/// Addresses of operands or results.
pub(crate) type Addresses = SmallVec<[Address; 4]>;

/// One thing to do.
pub(crate) struct Task {
    /// What messages call it, by position in [`Code::names`].
    pub(crate) name: u32,
    pub(crate) reads: Addresses,
    pub(crate) writes: Addresses,
    pub(crate) act: Act,
    /// Which devices do it.
    pub(crate) duty: Duty,
}

/// What a task does.
pub(crate) enum Act {
    /// Runs a kernel, with scratch memory at that place of the frame.
    Compute(Arc<dyn Kernel>, usize),
    /// Comes to a collective, by position in [`Code::sites`].
    Start(usize),
    /// Goes on when that collective is complete.
    Wait(usize),
    /// Runs a body so many times, on a frame of its own at that place of this one. Reads are its inputs.
    Loop { trip: u64, body: usize, frame: usize },
}

/// The tasks of one function.
pub(crate) struct Body {
    pub(crate) tasks: Vec<Task>,
    /// Memory that it needs, nested bodies included.
    pub(crate) frame_bytes: usize,
}

/// A collective of the program.
pub(crate) struct Site {
    /// What messages call it: `%p.r = all_reduce`.
    pub(crate) name: String,
    /// By rank, who takes part.
    pub(crate) groups: Arc<[Group]>,
    /// What is done with each operand.
    pub(crate) exchanges: Arc<[Exchange]>,
    /// Bytes of each operand.
    pub(crate) bytes: Vec<usize>,
}

/// One device's program.
pub struct Code {
    /// Callees first; main is the last.
    pub(crate) bodies: Vec<Body>,
    pub(crate) sites: Vec<Site>,
    pub(crate) constants: Vec<Buffer>,
    pub(crate) names: Vec<String>,
    /// Bytes of each output of the main function; `None` for one that is written over an input.
    pub(crate) outputs: Vec<Output>,
}

/// Where an output of the main function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    /// In a buffer of its own, of so many bytes, on the devices that compute it.
    Own(usize, Duty),
    /// Where the input of that number was.
    Over(usize),
}

impl Code {
    /// Bytes that each device takes for itself while it runs, beside its inputs and outputs.
    pub(crate) fn frame_bytes(&self) -> usize {
        self.bodies.last().map_or(0, |main| main.frame_bytes)
    }
}

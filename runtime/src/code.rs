//! A compiled program: tasks over memory with every address decided.

use crate::exchange::Exchange;
use crate::group::Group;
use crate::replicas::Duty;
use partita_ir::arena::OpId;
use partita_ir::pipeline::events::Sent;
use partita_ir::tensor::Tensor;
use smallvec::SmallVec;
use std::sync::Arc;

/// What an address counts from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// The memory of the running function.
    Frame,
    /// An input: a buffer of the caller's.
    Input(u32),
    /// An output: a buffer of the caller's.
    Output(u32),
    /// A constant.
    Constant(u32),
}

/// An address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// What it counts from.
    pub base: Base,
    /// Bytes.
    pub offset: usize,
}

/// Addresses of operands or results.
pub type Addresses = SmallVec<[Address; 4]>;

/// One thing to do.
pub struct Task<K> {
    /// What messages call it, by position in [`Code::names`].
    pub name: u32,
    /// Where operands are.
    pub reads: Addresses,
    /// Where results are.
    pub writes: Addresses,
    /// What is done.
    pub act: Act<K>,
    /// Which devices do it.
    pub duty: Duty,
}

/// What a task does.
pub enum Act<K> {
    /// Runs a kernel, with scratch memory at that place of the frame.
    Compute(K, usize),
    /// Comes to a collective, by position in [`Code::sites`].
    Start(usize),
    /// Goes on when that collective is complete.
    Wait(usize),
    /// Runs a body so many times, on a frame of its own at that place of this one. Reads are its inputs, and writes its
    /// outputs where it has any that do not lie over its inputs.
    Loop {
        /// How often.
        trip: u64,
        /// By position in [`Code::bodies`].
        body: usize,
        /// Where its frame begins in this one.
        frame: usize,
    },
}

/// The tasks of one function.
pub struct Body<K> {
    /// In order.
    pub tasks: Vec<Task<K>>,
    /// Memory that it needs, nested bodies included.
    pub frame_bytes: usize,
}

/// Reason for communication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meeting {
    /// A collective of one of the programs that the code was compiled from.
    Collective {
        /// The program, by position.
        program: usize,
        /// The op of the program.
        op: OpId,
    },
    /// A transfer of a pipeline.
    Transfer(Sent),
}

/// A collective or transfer in which the devices take part.
pub struct Site {
    /// The collective or transfer.
    pub meeting: Meeting,
    /// What messages call it: `%p.r = all_reduce`.
    pub name: String,
    /// By rank, who takes part.
    pub groups: Arc<[Group]>,
    /// What is done with each operand.
    pub exchanges: Arc<[Exchange]>,
    /// Bytes of each operand.
    pub bytes: Vec<usize>,
}

/// One device's program.
pub struct Code<K> {
    /// Callees first; main is the last.
    pub bodies: Vec<Body<K>>,
    /// The collectives and transfers.
    pub sites: Vec<Site>,
    /// What all devices share.
    pub constants: Vec<Tensor>,
    /// What messages call tasks.
    pub names: Vec<String>,
    /// Bytes of each output of the main function; `None` for one that is written over an input.
    pub outputs: Vec<Output>,
}

/// Where an output of the main function is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    /// In a buffer of its own, of so many bytes, on the devices that compute it.
    Own(usize, Duty),
    /// Where the input of that number was.
    Over(usize),
}

impl Site {
    /// The site of the same collective where ranks are counted from `first` on, and its program is the `program`-th.
    pub fn among(&self, first: usize, program: usize) -> Site {
        Site {
            meeting: match self.meeting {
                Meeting::Collective { op, .. } => Meeting::Collective { program, op },
                transfer @ Meeting::Transfer(_) => transfer,
            },
            name: self.name.clone(),
            groups: self.groups.iter().map(|group| group.shifted(first)).collect(),
            exchanges: self.exchanges.clone(),
            bytes: self.bytes.clone(),
        }
    }
}

impl<K> Code<K> {
    /// Bytes that each device takes for itself while it runs, beside its inputs and outputs.
    pub fn frame_bytes(&self) -> usize {
        self.bodies.last().map_or(0, |main| main.frame_bytes)
    }

    /// The same tasks with other kernels, which `f` makes of them in order.
    pub fn map<L>(self, mut f: impl FnMut(K) -> L) -> Code<L> {
        let mut task = |Task { name, reads, writes, act, duty }| {
            let act = match act {
                Act::Compute(kernel, scratch) => Act::Compute(f(kernel), scratch),
                Act::Start(site) => Act::Start(site),
                Act::Wait(site) => Act::Wait(site),
                Act::Loop { trip, body, frame } => Act::Loop { trip, body, frame },
            };
            Task { name, reads, writes, act, duty }
        };
        let bodies = self
            .bodies
            .into_iter()
            .map(|Body { tasks, frame_bytes }| Body { tasks: tasks.into_iter().map(&mut task).collect(), frame_bytes });
        let bodies = bodies.collect();
        Code { bodies, sites: self.sites, constants: self.constants, names: self.names, outputs: self.outputs }
    }
}

//! Compiled programs: task lists with assigned memory addresses.

use crate::collective_exec::CollectiveExec;
use crate::group::Group;
use crate::replicas::ReplicaOwner;
use partita_ir::arena::OpId;
use partita_ir::pipeline::events::TransferId;
use partita_ir::tensor::Tensor;
use smallvec::SmallVec;
use std::sync::Arc;

/// Memory region that an address is relative to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Base {
    /// Frame of the running function.
    Frame,
    /// Input with the given number: a buffer of the caller.
    Input(u32),
    /// Output with the given number: a buffer of the caller.
    Output(u32),
    /// Constant with the given number.
    Constant(u32),
}

/// Address in the memory of a device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Address {
    /// Region that the offset is relative to.
    pub base: Base,
    /// Offset in bytes.
    pub offset: usize,
}

/// Addresses of operands or results.
pub type Addresses = SmallVec<[Address; 4]>;

/// Task of a device.
pub struct Task<K> {
    /// Index of the name for messages in [`Code::names`].
    pub name: u32,
    /// Addresses of the operands.
    pub reads: Addresses,
    /// Addresses of the results.
    pub writes: Addresses,
    /// Operation of the task.
    pub action: TaskAction<K>,
    /// Devices that execute the task.
    pub owner: ReplicaOwner,
}

/// Operation of a task.
pub enum TaskAction<K> {
    /// Runs a kernel with scratch memory at the given offset of the frame.
    Compute(K, usize),
    /// Starts the collective with the given index in [`Code::sites`].
    Start(usize),
    /// Waits for the collective with the given index in [`Code::sites`].
    Wait(usize),
    /// Runs a body repeatedly on a nested frame. Reads are the inputs of the body; writes are those of its outputs that
    /// are not stored in place of its inputs.
    Loop {
        /// Number of iterations; for a `while` loop the expected one.
        trip: u64,
        /// Largest number of iterations of a `while` loop, which ends when its first input is false; 0 for a loop with
        /// a fixed trip count.
        limit: u64,
        /// Index of the body in [`Code::bodies`].
        body: usize,
        /// Offset of the nested frame in this frame.
        frame: usize,
    },
}

/// Compiled function.
pub struct Body<K> {
    /// Tasks in execution order.
    pub tasks: Vec<Task<K>>,
    /// Size of the frame, including the frames of nested bodies.
    pub frame_bytes: usize,
}

/// Origin of a communication.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommunicationOrigin {
    /// Collective of one of the programs that the code was compiled from.
    Collective {
        /// Index of the program.
        program: usize,
        /// Op of the program.
        op: OpId,
    },
    /// Transfer of a pipeline.
    Transfer(TransferId),
}

/// Collective or transfer among devices.
pub struct CommunicationSite {
    /// Op or transfer that this communication implements.
    pub origin: CommunicationOrigin,
    /// Name for messages, such as `%p.r = all_reduce`.
    pub name: String,
    /// Group of each device, by position in the mesh.
    pub groups: Arc<[Group]>,
    /// Execution plan for each operand.
    pub execs: Arc<[CollectiveExec]>,
    /// Bytes of each operand; 0 on the receivers of a transfer.
    pub bytes: Vec<usize>,
}

/// Compiled program, which all devices of one mesh execute. `K` is the kernel type of the backend.
pub struct Code<K> {
    /// Functions, callees before callers; the main function is the last.
    pub bodies: Vec<Body<K>>,
    /// Collectives and transfers.
    pub sites: Vec<CommunicationSite>,
    /// Constants shared by all devices.
    pub constants: Vec<Tensor>,
    /// Names of tasks for messages.
    pub names: Vec<String>,
    /// Storage of each output of the main function.
    pub outputs: Vec<Output>,
}

/// Storage of an output of the main function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Output {
    /// Separate buffer with the given number of bytes, on the devices that compute the output.
    Buffer(usize, ReplicaOwner),
    /// Memory of the input with the given number, which the output overwrites.
    InPlace(usize),
}

impl CommunicationSite {
    /// Returns the same communication with ranks shifted by `first` and the given program index.
    pub fn rebased(&self, first: usize, program: usize) -> CommunicationSite {
        CommunicationSite {
            origin: match self.origin {
                CommunicationOrigin::Collective { op, .. } => CommunicationOrigin::Collective { program, op },
                transfer @ CommunicationOrigin::Transfer(_) => transfer,
            },
            name: self.name.clone(),
            groups: self.groups.iter().map(|group| group.with_rank_offset(first)).collect(),
            execs: self.execs.clone(),
            bytes: self.bytes.clone(),
        }
    }
}

impl<K> Code<K> {
    /// Returns the bytes of memory that each device needs in addition to its inputs and outputs.
    pub fn frame_bytes(&self) -> usize {
        self.bodies.last().map_or(0, |main| main.frame_bytes)
    }

    /// Applies `f` to all kernels, in order.
    pub fn map<L>(self, mut f: impl FnMut(K) -> L) -> Code<L> {
        let mut task = |Task { name, reads, writes, action, owner }| {
            let action = match action {
                TaskAction::Compute(kernel, scratch) => TaskAction::Compute(f(kernel), scratch),
                TaskAction::Start(site) => TaskAction::Start(site),
                TaskAction::Wait(site) => TaskAction::Wait(site),
                TaskAction::Loop { trip, limit, body, frame } => TaskAction::Loop { trip, limit, body, frame },
            };
            Task { name, reads, writes, action, owner }
        };
        let bodies = self
            .bodies
            .into_iter()
            .map(|Body { tasks, frame_bytes }| Body { tasks: tasks.into_iter().map(&mut task).collect(), frame_bytes });
        let bodies = bodies.collect();
        Code { bodies, sites: self.sites, constants: self.constants, names: self.names, outputs: self.outputs }
    }
}

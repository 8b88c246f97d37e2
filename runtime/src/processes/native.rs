//! Collectives that a transport has itself, such as those of MPI.
//!
//! They may combine operands in another order than one process does, so that sums differ in the last bits. A collective
//! cannot be cancelled when a run fails: a transport keeps the memory of incomplete calls until the process ends.
#![allow(unsafe_code, reason = "transports access the memory of devices")]

use super::payload::Payload;
use partita_ir::dtype::DType;
use partita_ir::layout::Monoid;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Collectives of a transport. All methods return without waiting for other processes.
pub trait NativeCollectives: Send + Sync {
    /// Returns true if the transport has the collective, with parts of `part_bytes` bytes. All processes return the
    /// same.
    fn supports(&self, op: NativeOp, part_bytes: usize) -> bool;

    /// Creates a group of processes, including this one. Processes create the groups that they have in common in the
    /// same order.
    fn create_group(&self, processes: &[usize]) -> GroupNumber;

    /// Starts a collective. Processes start those of a group in the same order.
    fn start(&self, call: NativeCall);
}

/// Number of a group among those of a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroupNumber(pub usize);

/// Collective of a transport.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NativeOp {
    /// Combines the operands of all processes.
    AllReduce(Monoid, DType),
    /// Combines the operands of all processes; each process receives one part.
    ReduceScatter(Monoid, DType),
    /// Concatenates the parts of all processes.
    AllGather,
    /// Sends a part to each process.
    AllToAll,
}

impl NativeOp {
    /// Returns the name of the collective.
    pub fn name(self) -> &'static str {
        match self {
            NativeOp::AllReduce(..) => "all_reduce",
            NativeOp::ReduceScatter(..) => "reduce_scatter",
            NativeOp::AllGather => "all_gather",
            NativeOp::AllToAll => "all_to_all",
        }
    }
}

/// Memory that a transport reads or writes during a collective.
#[derive(Debug)]
pub enum NativeMemory {
    /// Memory of the collective.
    Packed(Payload),
    /// Memory of a device.
    Device(DeviceMemory),
}

/// Memory of a device that is lent to a transport.
#[derive(Debug)]
pub struct DeviceMemory {
    start: *mut u8,
    bytes: usize,
}

// SAFETY: the memory is lent to the thread that has this value.
unsafe impl Send for DeviceMemory {}

impl DeviceMemory {
    /// Lends memory until the returned value is dropped, or for ever.
    ///
    /// # Safety
    /// The memory exists, is initialised, and no other code writes it meanwhile. If the transport writes it, no other
    /// code reads it.
    pub(crate) unsafe fn lend(start: *mut u8, bytes: usize) -> DeviceMemory {
        DeviceMemory { start, bytes }
    }
}

impl NativeMemory {
    /// Returns the bytes.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            NativeMemory::Packed(payload) => payload.as_bytes(),
            // SAFETY: guaranteed by `DeviceMemory::lend`.
            NativeMemory::Device(lent) => unsafe { std::slice::from_raw_parts(lent.start, lent.bytes) },
        }
    }

    /// Returns the bytes for writing.
    pub fn as_mut_bytes(&mut self) -> &mut [u8] {
        match self {
            NativeMemory::Packed(payload) => payload.as_mut_bytes(),
            // SAFETY: guaranteed by `DeviceMemory::lend`.
            NativeMemory::Device(lent) => unsafe { std::slice::from_raw_parts_mut(lent.start, lent.bytes) },
        }
    }
}

/// Memory of a collective in one process. Parts are in the order of the processes of the group.
#[derive(Debug)]
pub struct NativeBuffers {
    /// Operand: one part for `all_reduce` and `all_gather`, parts for all processes for `reduce_scatter` and
    /// `all_to_all`. Empty if the operand is in `receive`.
    pub send: NativeMemory,
    /// Result: one part for `all_reduce` and `reduce_scatter`, the parts of all processes for `all_gather` and
    /// `all_to_all`. If `send` is empty, it contains the operand before: of an `all_reduce`, or the part of this
    /// process at its position for an `all_gather`.
    pub receive: NativeMemory,
}

/// Call of a collective by one process.
pub struct NativeCall {
    /// Collective.
    pub op: NativeOp,
    /// Group of processes.
    pub group: GroupNumber,
    /// Bytes of a part: of the operand of `all_reduce`, of the result of `reduce_scatter`, of the operand of
    /// `all_gather`, and of what `all_to_all` sends to one process.
    pub part_bytes: usize,
    /// Operand, and memory for the result.
    pub buffers: NativeBuffers,
    /// Receives the buffers with the result, on a thread of the transport.
    pub complete: Box<dyn FnOnce(NativeBuffers) + Send>,
}

/// Choice between Partita's own collective and that of the transport.
#[derive(Clone, PartialEq, Debug)]
pub struct CollectiveChoice {
    /// Name of the collective.
    pub collective: &'static str,
    /// Monoid of a reduction.
    pub monoid: Option<Monoid>,
    /// Type of the elements.
    pub dtype: DType,
    /// Bytes of the operand of a device.
    pub bytes: u64,
    /// Devices of each group that executes the collective.
    pub groups: Vec<Arc<[usize]>>,
    /// Number of processes of a group.
    pub ranks: usize,
    /// Measured times of Partita's own collective and of the transport's, in seconds. `None` if they were not measured:
    /// the transport does not have the collective, or the time did not suffice.
    pub seconds: Option<[f64; 2]>,
}

impl CollectiveChoice {
    /// Returns true if the collective of the transport is used.
    pub fn is_native(&self) -> bool {
        self.seconds.is_some_and(|[own, native]| native < own)
    }

    /// Returns true if both describe the same collective of the same groups.
    pub(super) fn is_like(&self, other: &CollectiveChoice) -> bool {
        *self == CollectiveChoice { seconds: self.seconds, ..other.clone() }
    }
}

/// Group of processes, with the order of its collectives.
///
/// Threads may start collectives of one group at the same time. Each reserves its turn while no other device of the
/// process can arrive at a collective, and calls are started in the order of the turns.
pub(crate) struct NativeGroup {
    pub(crate) number: GroupNumber,
    turns: Mutex<Turns>,
}

#[derive(Default)]
struct Turns {
    reserved: u64,
    started: u64,
    waiting: BTreeMap<u64, NativeCall>,
}

impl NativeGroup {
    pub(crate) fn new(number: GroupNumber) -> NativeGroup {
        NativeGroup { number, turns: Mutex::default() }
    }

    /// Reserves the next turn.
    pub(crate) fn reserve(&self) -> u64 {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.reserved += 1;
        turns.reserved - 1
    }

    /// Starts a call in its turn: now, or after calls with earlier turns.
    pub(crate) fn start(&self, collectives: &dyn NativeCollectives, turn: u64, call: NativeCall) {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.waiting.insert(turn, call);
        loop {
            let next = turns.started;
            let Some(call) = turns.waiting.remove(&next) else { return };
            collectives.start(call);
            turns.started += 1;
        }
    }
}

/// Groups of all processes; `None` for those without this one.
#[derive(Default)]
pub(super) struct NativeGroups {
    groups: Vec<(GroupKey, Option<Arc<NativeGroup>>)>,
}

/// Processes, in the order of the parts, and the devices of the group. Collectives of other devices of the same
/// processes are independent.
type GroupKey = (Vec<usize>, Arc<[usize]>);

/// Maximum number of groups of all processes: MPI libraries have a limited number of communicators.
const MAX_GROUPS: usize = 256;

impl NativeGroups {
    /// Returns the group of some devices, which is created by the first call. All processes call this function for the
    /// same groups in the same order. Returns `None` when there are too many groups.
    pub(super) fn group(
        &mut self,
        collectives: &dyn NativeCollectives,
        index: usize,
        processes: &[usize],
        members: &Arc<[usize]>,
    ) -> Option<Option<Arc<NativeGroup>>> {
        let is_same = |(of, devices): &GroupKey| of == processes && devices == members;
        if let Some((_, group)) = self.groups.iter().find(|(key, _)| is_same(key)) {
            return Some(group.clone());
        }
        if self.groups.len() == MAX_GROUPS {
            return None;
        }
        let create = || Arc::new(NativeGroup::new(collectives.create_group(processes)));
        let group = processes.contains(&index).then(create);
        self.groups.push(((processes.to_vec(), members.clone()), group.clone()));
        Some(group)
    }
}

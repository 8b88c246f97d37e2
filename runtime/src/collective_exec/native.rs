#![allow(unsafe_code)]
//! Execution of a collective by the transport between processes.
//!
//! The transport accesses operands and results in the memory of a device where their elements are in the order of the
//! parts. Otherwise they are copied to memory of the call, and from there.

use super::block::Offset;
use super::distributed::operands_and_results;
use super::packed::Location;
use super::{BlockOp, CollectiveExec, MemberBuffers};
use crate::processes::native::{DeviceMemory, NativeBuffers, NativeCall, NativeGroup, NativeMemory, NativeOp};
use crate::processes::payload::Payload;
use crate::processes::{PacketKey, PacketSink, Processes};
use partita_ir::layout::Monoid;
use smallvec::SmallVec;
use std::sync::{Arc, PoisonError, RwLock, Weak};

/// Collective of a transport that computes the same as an execution plan.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct NativeLayout {
    pub(crate) op: NativeOp,
    /// Processes of the group, in the order of their parts.
    pub(crate) processes: Vec<usize>,
    /// Bytes of a part.
    pub(crate) part_bytes: usize,
    /// Index of the block of each part: for `all_to_all` by sender and receiver, for `all_reduce` all blocks, which
    /// together are one part.
    blocks: Vec<usize>,
}

/// Block of an execution plan, and its offset in a buffer of the transport.
type PackedBlock = (usize, usize);

impl NativeLayout {
    /// Returns the collective of a transport for an execution plan, whose members are executed by the given processes.
    /// Returns `None` if there is none: parts of different sizes, several members in a process except for `all_reduce`,
    /// transfers and permutations.
    pub(crate) fn new(exec: &CollectiveExec, process_of: &[usize]) -> Option<NativeLayout> {
        let count = exec.members;
        if exec.senders != count || exec.works.is_empty() {
            return None;
        }
        let mut ends = Vec::with_capacity(exec.works.len());
        for work in &exec.works {
            match work.op {
                BlockOp::Transfers(..) => ends.push(operands_and_results(&work.op)?),
                BlockOp::Clear(_) => return None,
            }
        }
        let mut processes: Vec<usize> = Vec::new();
        for &process in process_of {
            if !processes.contains(&process) {
                processes.push(process);
            }
        }
        let bytes = |index: usize| exec.works[index].block.count() * exec.operand.dtype.bytes() as usize;
        let dtype = exec.operand.dtype;
        let position = |from: Option<usize>, to: Option<usize>| {
            ends.iter().position(|(sources, targets)| {
                let is_end = |members: &[usize], end: Option<usize>| match end {
                    Some(member) => *members == [member],
                    None => members.len() == count,
                };
                is_end(sources, from) && is_end(targets, to)
            })
        };
        let (op, blocks): (NativeOp, Vec<usize>) = match exec.monoid {
            Some(monoid) if ends.iter().all(|(sources, targets)| [sources.len(), targets.len()] == [count; 2]) => {
                (NativeOp::AllReduce(monoid, dtype), (0..exec.works.len()).collect())
            }
            Some(monoid) => {
                let blocks = (0..count).map(|to| position(None, Some(to))).collect::<Option<_>>()?;
                (NativeOp::ReduceScatter(monoid, dtype), blocks)
            }
            None => match (0..count).map(|from| position(Some(from), None)).collect::<Option<_>>() {
                Some(blocks) => (NativeOp::AllGather, blocks),
                None => {
                    let pairs = (0..count * count).map(|pair| position(Some(pair / count), Some(pair % count)));
                    (NativeOp::AllToAll, pairs.collect::<Option<_>>()?)
                }
            },
        };
        let is_all_reduce = matches!(op, NativeOp::AllReduce(..));
        let part_bytes = if is_all_reduce { blocks.iter().copied().map(bytes).sum() } else { bytes(blocks[0]) };
        let is_even = is_all_reduce || blocks.iter().all(|&block| bytes(block) == part_bytes);
        let is_complete = blocks.len() == exec.works.len();
        let has_one_member_each = is_all_reduce || processes.len() == count;
        let is_supported = processes.len() > 1 && is_even && is_complete && has_one_member_each;
        is_supported.then_some(NativeLayout { op, processes, part_bytes, blocks })
    }

    /// Returns the `all_reduce` of one block with the given number of bytes, in the same processes.
    pub(crate) fn with_part_bytes(&self, part_bytes: usize) -> NativeLayout {
        NativeLayout { op: self.op, processes: self.processes.clone(), part_bytes, blocks: vec![0] }
    }

    /// Returns the monoid of a reduction.
    pub(crate) fn monoid(&self) -> Option<Monoid> {
        match self.op {
            NativeOp::AllReduce(monoid, _) | NativeOp::ReduceScatter(monoid, _) => Some(monoid),
            NativeOp::AllGather | NativeOp::AllToAll => None,
        }
    }

    /// Returns the bytes of the operand and of the result of a process.
    fn bytes(&self) -> (usize, usize) {
        let (part, all) = (self.part_bytes, self.part_bytes * self.processes.len());
        match self.op {
            NativeOp::AllReduce(..) => (part, part),
            NativeOp::ReduceScatter(..) => (all, part),
            NativeOp::AllGather => (part, all),
            NativeOp::AllToAll => (all, all),
        }
    }

    /// Returns the offset of the own part in the result, if the operand may be there.
    fn in_place(&self, position: usize) -> Option<usize> {
        match self.op {
            NativeOp::AllReduce(..) => Some(0),
            NativeOp::AllGather => Some(position * self.part_bytes),
            NativeOp::ReduceScatter(..) | NativeOp::AllToAll => None,
        }
    }

    /// Returns the blocks of the operand of the member at a position.
    fn contributed(&self, exec: &CollectiveExec, position: usize) -> Vec<PackedBlock> {
        let (count, part) = (self.processes.len(), self.part_bytes);
        match self.op {
            NativeOp::AllReduce(..) => self.consecutive(exec),
            NativeOp::ReduceScatter(..) => (0..count).map(|to| (self.blocks[to], to * part)).collect(),
            NativeOp::AllGather => vec![(self.blocks[position], 0)],
            NativeOp::AllToAll => (0..count).map(|to| (self.blocks[position * count + to], to * part)).collect(),
        }
    }

    /// Returns the blocks of the result of the member at a position.
    fn received(&self, exec: &CollectiveExec, position: usize) -> Vec<PackedBlock> {
        let (count, part) = (self.processes.len(), self.part_bytes);
        match self.op {
            NativeOp::AllReduce(..) => self.consecutive(exec),
            NativeOp::ReduceScatter(..) => vec![(self.blocks[position], 0)],
            NativeOp::AllGather => (0..count).map(|from| (self.blocks[from], from * part)).collect(),
            NativeOp::AllToAll => (0..count).map(|from| (self.blocks[from * count + position], from * part)).collect(),
        }
    }

    /// Returns all blocks, one after the other.
    fn consecutive(&self, exec: &CollectiveExec) -> Vec<PackedBlock> {
        let width = exec.operand.dtype.bytes() as usize;
        let mut at = 0;
        let place = |&block: &usize| {
            let start = at;
            at += exec.works[block].block.count() * width;
            (block, start)
        };
        self.blocks.iter().map(place).collect()
    }
}

/// Returns the offset in bytes from which the elements of blocks are, in the order of the parts, in the operand or the
/// result of a member, as `of` selects. Returns `None` if they are elsewhere.
fn offset_in_order(exec: &CollectiveExec, blocks: &[PackedBlock], of: fn(Offset) -> usize) -> Option<usize> {
    let width = exec.operand.dtype.bytes() as usize;
    let start = |&(block, at): &PackedBlock| (exec.works[block].block.contiguous(of)? * width).checked_sub(at);
    let first = start(blocks.first()?)?;
    blocks.iter().all(|block| start(block) == Some(first)).then_some(first)
}

/// Collective of a transport in progress, as seen by one process.
pub(crate) struct NativeCollective {
    processes: Weak<Processes>,
    key: PacketKey,
    execs: Arc<[CollectiveExec]>,
    operand: usize,
    layout: Arc<NativeLayout>,
    /// Buffers of the members in this process; `None` for members elsewhere.
    buffers: Vec<Option<MemberBuffers>>,
    /// False when the memory of members must no longer be accessed.
    is_open: RwLock<bool>,
    /// Called when all results are in the memory of the members of this process.
    complete: Box<dyn Fn() + Send + Sync>,
}

impl NativeCollective {
    /// Starts one operand of a collective, for which all members of this process have arrived, in its turn. `complete`
    /// is called when the operand is complete in this process. Has no effect if the transport has no collectives.
    ///
    /// # Safety
    /// The buffers of the members of this process satisfy the conditions of [`CollectiveExec::perform`] until
    /// `complete` is called, or [`PacketSink::close`] returns and [`Processes::lends_memory`] is false.
    pub(crate) unsafe fn start(
        processes: &Arc<Processes>,
        key: PacketKey,
        (execs, operand): (Arc<[CollectiveExec]>, usize),
        (layout, group, turn): (Arc<NativeLayout>, Arc<NativeGroup>, u64),
        buffers: Vec<Option<MemberBuffers>>,
        complete: Box<dyn Fn() + Send + Sync>,
    ) {
        let Some(collectives) = processes.native_collectives() else { return };
        let (op, part_bytes, number) = (layout.op, layout.part_bytes, group.number);
        let collective = Arc::new(NativeCollective {
            processes: Arc::downgrade(processes),
            key,
            execs,
            operand,
            layout,
            buffers,
            is_open: RwLock::new(true),
            complete,
        });
        // SAFETY: the transport has the memory until the collective is complete, which `lend_memory` records.
        let buffers = unsafe { collective.transport_buffers() };
        processes.lend_memory();
        processes.deliver(key, collective.clone());
        let complete = Box::new(move |buffers| collective.finish(buffers));
        group.start(collectives, turn, NativeCall { op, group: number, part_bytes, buffers, complete });
    }

    fn exec(&self) -> &CollectiveExec {
        &self.execs[self.operand]
    }

    /// Returns the positions of the members in this process.
    fn local(&self) -> SmallVec<[usize; 4]> {
        (0..self.buffers.len()).filter(|&member| self.buffers[member].is_some()).collect()
    }

    /// Returns the memory of the call, with the operand.
    ///
    /// # Safety
    /// Same as [`DeviceMemory::lend`] for the operand and the result of a member that is alone in this process.
    unsafe fn transport_buffers(&self) -> NativeBuffers {
        let (exec, layout, local) = (self.exec(), &self.layout, self.local());
        let packed = |bytes| NativeMemory::Packed(Payload::recycled(bytes));
        let (operand_bytes, result_bytes) = layout.bytes();
        let Some(&first) = local.first() else { return NativeBuffers { send: packed(0), receive: packed(0) } };
        let only = if local.len() == 1 { self.buffers[first] } else { None };
        let (contributed, received) = (layout.contributed(exec, first), layout.received(exec, first));
        let operand = only.zip(offset_in_order(exec, &contributed, |at| at.input));
        let operand = operand.map(|(member, at)| member.input.wrapping_add(at).cast_mut());
        let result = only.zip(offset_in_order(exec, &received, |at| at.output));
        let result = result.map(|(member, at)| member.output.wrapping_add(at));
        let in_place = layout.in_place(first);
        let is_in_result = in_place.zip(result).map(|(at, result)| result.wrapping_add(at)) == operand;
        // SAFETY: the member has an operand and a result of these sizes.
        let device = |start, bytes| NativeMemory::Device(unsafe { DeviceMemory::lend(start, bytes) });
        let mut receive = result.map_or_else(|| packed(result_bytes), |start| device(start, result_bytes));
        let send = match operand {
            Some(_) if is_in_result => packed(0),
            Some(start) => device(start, operand_bytes),
            None => match in_place.filter(|_| result.is_none()) {
                Some(at) => {
                    self.pack(&contributed, &mut receive.as_mut_bytes()[at..at + operand_bytes]);
                    packed(0)
                }
                None => {
                    let mut send = packed(operand_bytes);
                    self.pack(&contributed, send.as_mut_bytes());
                    send
                }
            },
        };
        NativeBuffers { send, receive }
    }

    /// Copies the operands of the members in this process, which are combined if there are several.
    fn pack(&self, contributed: &[PackedBlock], packed: &mut [u8]) {
        let sources: SmallVec<[Location; 4]> = self.local().into_iter().map(Location::Operand).collect();
        for &block in contributed {
            // SAFETY: the members have operands in this process.
            unsafe { self.transfer(block, packed, &sources, true) };
        }
    }

    /// Copies the results to the members in this process.
    fn unpack(&self, packed: &mut [u8]) {
        let local = self.local();
        let Some(&first) = local.first() else { return };
        let targets: SmallVec<[Location; 4]> = local.into_iter().map(Location::Result).collect();
        for block in self.layout.received(self.exec(), first) {
            // SAFETY: the members have results in this process, which no other code accesses.
            unsafe { self.transfer(block, packed, &targets, false) };
        }
    }

    /// Transfers a block from members to its place in a packed buffer, or from there to members.
    ///
    /// # Safety
    /// The members have operands or results in this process, which no other code writes.
    unsafe fn transfer(&self, (block, at): PackedBlock, packed: &mut [u8], members: &[Location], is_packing: bool) {
        let exec = self.exec();
        let width = exec.operand.dtype.bytes() as usize;
        let geometry = &exec.works[block].block;
        let part = &mut packed[at..at + geometry.count() * width];
        let packed = [Location::Packed(part.as_mut_ptr())];
        let (sources, targets) = if is_packing { (members, &packed[..]) } else { (&packed[..], members) };
        // SAFETY: the part has the elements of the block; guaranteed by the caller for the members.
        unsafe { exec.transfer_tiles((block, 0..geometry.tiles(width)), &self.buffers, sources, targets) };
    }

    fn finish(&self, buffers: NativeBuffers) {
        let Some(processes) = self.processes.upgrade() else { return };
        let is_open = self.is_open.read().unwrap_or_else(PoisonError::into_inner);
        let NativeBuffers { send, mut receive } = buffers;
        if *is_open {
            if let NativeMemory::Packed(payload) = &mut receive {
                self.unpack(payload.as_mut_bytes());
            }
            processes.remove(self.key);
        }
        // A collective that starts now can use the memory.
        drop((send, receive));
        processes.return_memory();
        if *is_open {
            (self.complete)();
        }
    }
}

impl PacketSink for NativeCollective {
    fn accept(&self, _: usize, _: u64, _: &Arc<Payload>) -> bool {
        // The collective has no packets: another process executes something else.
        false
    }

    fn close(&self) {
        *self.is_open.write().unwrap_or_else(PoisonError::into_inner) = false;
    }
}

#![allow(unsafe_code)]
//! Execution of a collective whose members are in several processes.
//!
//! The members of this process contribute the addresses of their operands and results. Packets with their operands are
//! copied and sent when all of them have arrived; results are written to their memory when packets of other processes
//! arrive, on the threads that receive packets.

use super::distributed::{Distribution, OperandPacket, RESULT_PACKET, ResultPacket, Segment};
use super::packed::Location;
use super::{BlockOp, CollectiveExec, MemberBuffers};
use crate::processes::payload::Payload;
use crate::processes::{PacketKey, PacketSink, Processes};
use smallvec::SmallVec;
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

/// Collective in progress, as seen by one process.
pub(crate) struct RemoteCollective {
    processes: Weak<Processes>,
    key: PacketKey,
    /// Execution plans, and the index of the one of this operand.
    execs: Arc<[CollectiveExec]>,
    operand: usize,
    distribution: Arc<Distribution>,
    /// Buffers of the members in this process; `None` for members elsewhere.
    buffers: Vec<Option<MemberBuffers>>,
    state: Mutex<RemoteState>,
    /// False when the memory of members must no longer be accessed. Threads that access it hold the lock for reading.
    is_open: RwLock<bool>,
    /// Called when all results are in the memory of the members of this process.
    complete: Box<dyn Fn() + Send + Sync>,
}

/// Packets and segments that are outstanding.
struct RemoteState {
    /// Operands that have arrived, by segment: the member, its packet, and the position of the part.
    arrived: Vec<Vec<(usize, Arc<Payload>, usize)>>,
    /// Number of packets with results, and of segments of this process, that are outstanding.
    outstanding: usize,
    /// Results of segments that are to be sent, by packet.
    sent: Vec<PendingResult>,
}

/// Packet with results that is being filled.
struct PendingResult {
    /// Empty for a packet with one segment, whose result is the payload.
    payload: Payload,
    /// Number of segments that are not computed.
    missing: usize,
}

impl RemoteCollective {
    /// Starts one operand of a collective, for which all members of this process have arrived. `complete` is called
    /// when the operand is complete in this process.
    ///
    /// # Safety
    /// The buffers of the members of this process satisfy the conditions of [`CollectiveExec::perform`] until
    /// `complete` is called, or [`PacketSink::close`] returns.
    pub(crate) unsafe fn start(
        processes: &Arc<Processes>,
        key: PacketKey,
        (execs, operand): (Arc<[CollectiveExec]>, usize),
        distribution: Arc<Distribution>,
        buffers: Vec<Option<MemberBuffers>>,
        complete: Box<dyn Fn() + Send + Sync>,
    ) {
        let me = processes.index();
        let owned = distribution.segments.iter().filter(|segment| segment.owner == me).count();
        let received = distribution.results.iter().filter(|packet| packet.to.contains(&me)).count();
        let pending = |packet: &ResultPacket| PendingResult {
            payload: if packet.from == me && packet.segments.len() > 1 {
                Payload::recycled(distribution.result_bytes(packet))
            } else {
                Payload::default()
            },
            missing: packet.segments.len(),
        };
        let state = RemoteState {
            arrived: distribution.segments.iter().map(|_| Vec::new()).collect(),
            // One more, for this function.
            outstanding: owned + received + 1,
            sent: distribution.results.iter().map(pending).collect(),
        };
        let collective = Arc::new(RemoteCollective {
            processes: Arc::downgrade(processes),
            key,
            execs,
            operand,
            distribution,
            buffers,
            state: Mutex::new(state),
            is_open: RwLock::new(true),
            complete,
        });
        collective.clear_padding();
        collective.send_operands(processes);
        // Results may overwrite operands, so that no packet is accepted before operands have been sent.
        processes.deliver(key, collective.clone());
        let local = |segment: &Segment| {
            segment.owner == me && segment.sources.iter().all(|&member| collective.is_local(member))
        };
        for number in 0..collective.distribution.segments.len() {
            if local(&collective.distribution.segments[number]) {
                collective.compute(number);
            }
        }
        collective.finish(1);
    }

    fn exec(&self) -> &CollectiveExec {
        &self.execs[self.operand]
    }

    fn is_local(&self, member: usize) -> bool {
        self.buffers[member].is_some()
    }

    /// Sets the padding of results in this process to zero.
    fn clear_padding(&self) {
        let exec = self.exec();
        let width = exec.operand.dtype.bytes() as usize;
        for work in &exec.works {
            let BlockOp::Clear(member) = work.op else { continue };
            let Some(buffers) = self.buffers[member] else { continue };
            for number in 0..work.block.tiles(width) {
                let tile = work.block.tile(width, number);
                for at in work.block.offsets(&tile) {
                    // SAFETY: the block is inside the result.
                    unsafe { buffers.output.add(at.output * width).write_bytes(0, tile.run.len() * width) };
                }
            }
        }
    }

    fn send_operands(&self, processes: &Processes) {
        let me = processes.index();
        for packet in self.distribution.operands.iter().filter(|packet| packet.from == me) {
            let mut payload = Payload::recycled(self.distribution.operand_bytes(packet));
            let mut at = 0;
            for part in &packet.parts {
                let segment = &self.distribution.segments[part.segment];
                let packed = payload.as_mut_bytes()[at..].as_mut_ptr();
                // SAFETY: the packet has room for the segment, and the member has an operand in this process.
                unsafe { self.transfer(segment, &[Location::Operand(part.member)], &[Location::Packed(packed)]) };
                at += segment.padded_bytes();
            }
            processes.send_packet(packet.to, self.key, packet.number, Arc::new(payload));
        }
    }

    /// Combines the operands of a segment, which have all arrived, and sends the result.
    fn compute(&self, number: usize) {
        let segment = &self.distribution.segments[number];
        let arrived = std::mem::take(&mut self.lock().arrived[number]);
        let source = |&member: &usize| match arrived.iter().find(|(from, ..)| *from == member) {
            Some((_, payload, at)) => Location::Packed(payload.as_bytes()[*at..].as_ptr().cast_mut()),
            None => Location::Operand(member),
        };
        let sources: SmallVec<[Location; 8]> = segment.sources.iter().map(source).collect();
        let local =
            segment.targets.iter().filter(|&&member| self.is_local(member)).map(|&member| Location::Result(member));
        let mut targets: SmallVec<[Location; 8]> = local.collect();
        let mut result = Payload::default();
        let position = self.distribution.result_position[number];
        if position.is_some() {
            result = Payload::recycled(segment.padded_bytes());
            targets.push(Location::Packed(result.as_mut_bytes().as_mut_ptr()));
        }
        // SAFETY: sources and targets have the elements of the segment, and each segment is computed once.
        unsafe { self.transfer(segment, &sources, &targets) };
        if let Some((packet, at)) = position {
            self.send_result((packet, at), result);
        }
        self.finish(1);
    }

    /// Adds the result of a segment to its packet, which is sent when it is full.
    fn send_result(&self, (index, at): (usize, usize), result: Payload) {
        let packet = &self.distribution.results[index];
        let payload = if packet.segments.len() == 1 {
            result
        } else {
            let mut state = self.lock();
            let pending = &mut state.sent[index];
            pending.payload.as_mut_bytes()[at..at + result.as_bytes().len()].copy_from_slice(result.as_bytes());
            pending.missing -= 1;
            if pending.missing > 0 {
                return;
            }
            std::mem::take(&mut pending.payload)
        };
        if let Some(processes) = self.processes.upgrade() {
            let payload = Arc::new(payload);
            for &to in &packet.to {
                processes.send_packet(to, self.key, packet.number | RESULT_PACKET, payload.clone());
            }
        }
    }

    /// Accepts a packet with operands of segments of this process.
    fn accept_operands(&self, packet: &OperandPacket, payload: &Arc<Payload>) {
        let mut ready = Vec::new();
        let mut state = self.lock();
        let mut at = 0;
        for part in &packet.parts {
            let segment = &self.distribution.segments[part.segment];
            state.arrived[part.segment].push((part.member, payload.clone(), at));
            at += segment.padded_bytes();
            let remote = segment.sources.iter().filter(|&&member| !self.is_local(member)).count();
            if state.arrived[part.segment].len() == remote {
                ready.push(part.segment);
            }
        }
        drop(state);
        ready.into_iter().for_each(|segment| self.compute(segment));
    }

    /// Accepts a packet with results for members of this process.
    fn accept_results(&self, packet: &ResultPacket, payload: &Arc<Payload>) {
        let mut at = 0;
        for &number in &packet.segments {
            let segment = &self.distribution.segments[number];
            let local = segment.targets.iter().filter(|&&member| self.is_local(member));
            let targets: SmallVec<[Location; 8]> = local.map(|&member| Location::Result(member)).collect();
            let packed = payload.as_bytes()[at..].as_ptr().cast_mut();
            // SAFETY: the packet has the elements of the segment, and each packet is accepted once.
            unsafe { self.transfer(segment, &[Location::Packed(packed)], &targets) };
            at += segment.padded_bytes();
        }
        self.finish(1);
    }

    /// Combines the elements of a segment at several sources, or copies those of one, to all targets.
    ///
    /// # Safety
    /// Sources are readable and targets writable for all elements of the segment.
    unsafe fn transfer(&self, segment: &Segment, sources: &[Location], targets: &[Location]) {
        // SAFETY: guaranteed by the caller.
        unsafe {
            self.exec().transfer_tiles((segment.work, segment.tiles.clone()), &self.buffers, sources, targets);
        }
    }

    /// Counts finished segments and packets.
    fn finish(&self, count: usize) {
        let mut state = self.lock();
        state.outstanding -= count;
        if state.outstanding == 0 {
            drop(state);
            if let Some(processes) = self.processes.upgrade() {
                processes.remove(self.key);
            }
            (self.complete)();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, RemoteState> {
        // No code panics while the state is inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PacketSink for RemoteCollective {
    fn accept(&self, from: usize, number: u64, payload: &Arc<Payload>) -> bool {
        let is_open = self.is_open.read().unwrap_or_else(PoisonError::into_inner);
        let Some(me) = self.processes.upgrade().filter(|_| *is_open).map(|processes| processes.index()) else {
            return true;
        };
        let bytes = payload.as_bytes().len();
        if number & RESULT_PACKET == 0 {
            let mut packets = self.distribution.operands.iter();
            let Some(packet) = packets.find(|packet| (packet.from, packet.to, packet.number) == (from, me, number))
            else {
                return false;
            };
            let is_valid = self.distribution.operand_bytes(packet) == bytes;
            if is_valid {
                self.accept_operands(packet, payload);
            }
            return is_valid;
        }
        let number = number & !RESULT_PACKET;
        let mut packets = self.distribution.results.iter();
        let found = packets.find(|packet| packet.from == from && packet.number == number && packet.to.contains(&me));
        let Some(packet) = found.filter(|packet| self.distribution.result_bytes(packet) == bytes) else {
            return false;
        };
        self.accept_results(packet, payload);
        true
    }

    fn close(&self) {
        *self.is_open.write().unwrap_or_else(PoisonError::into_inner) = false;
    }
}

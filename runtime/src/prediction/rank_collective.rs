//! Simulation of a collective whose members are on several ranks. Its packets are those of the execution
//! (`collective_exec/distributed.rs`).

use super::rank_network::{MessageId, SimulatedMessage, SimulatedPacket, ThreadWork};
use super::simulator::{Occurrence, SimulatedHandle, Simulator};
use crate::collective_exec::CollectiveExec;
use crate::collective_exec::distributed::{Distribution, Segment};
use partita_machine::host::{Cost, MemoryAccess, Work};
use std::sync::Arc;

/// Collective in progress.
pub(super) struct SimulatedRankCollective {
    operands: Vec<SimulatedOperand>,
    /// State of each rank.
    ranks: Vec<RankState>,
}

/// Operand of a collective.
struct SimulatedOperand {
    distribution: Arc<Distribution>,
    /// Number of operands from other ranks that each segment lacks.
    missing_operands: Vec<usize>,
    /// Number of segments that each packet with results lacks.
    missing_segments: Vec<usize>,
}

/// State of a rank in a collective.
#[derive(Clone, Default)]
struct RankState {
    /// Number of members that have not arrived.
    missing_members: usize,
    /// Number of segments to compute, and of packets with results to receive.
    outstanding: usize,
    is_complete: bool,
    /// Devices that wait for completion.
    waiting: Vec<usize>,
    /// Messages that arrived before all members.
    early: Vec<MessageId>,
}

impl SimulatedRankCollective {
    fn new(
        distributions: Vec<Arc<Distribution>>,
        processes: &[usize],
        process_count: usize,
    ) -> SimulatedRankCollective {
        let mut ranks = vec![RankState::default(); process_count];
        processes.iter().for_each(|&process| ranks[process].missing_members += 1);
        for distribution in &distributions {
            distribution.segments.iter().for_each(|segment| ranks[segment.owner].outstanding += 1);
            let receivers = distribution.results.iter().flat_map(|packet| &packet.to);
            receivers.for_each(|&process| ranks[process].outstanding += 1);
        }
        let operand = |distribution: Arc<Distribution>| {
            let is_remote = |segment: &Segment, member: &usize| processes[*member] != segment.owner;
            let missing = |segment: &Segment| segment.sources.iter().filter(|m| is_remote(segment, m)).count();
            SimulatedOperand {
                missing_operands: distribution.segments.iter().map(missing).collect(),
                missing_segments: distribution.results.iter().map(|packet| packet.segments.len()).collect(),
                distribution,
            }
        };
        SimulatedRankCollective { operands: distributions.into_iter().map(operand).collect(), ranks }
    }
}

impl Simulator<'_> {
    /// Registers the arrival of a device at a collective of several ranks. The last member of a rank sends the packets
    /// of the rank.
    pub(super) fn arrive_at_ranks(
        &mut self,
        device: usize,
        handle: SimulatedHandle,
        (execs, members): (&Arc<[CollectiveExec]>, &Arc<[usize]>),
        now: f64,
    ) {
        let Some(ranks) = &mut self.ranks else { return };
        if !ranks.collectives.contains_key(&handle) {
            let processes: Vec<usize> = members.iter().map(|&member| ranks.process_of(member)).collect();
            let distributions = ranks.distributions(execs, members);
            let new = SimulatedRankCollective::new(distributions, &processes, ranks.process_count());
            ranks.collectives.insert(handle, new);
        }
        let me = ranks.process_of(device);
        let thread = ranks.receiver(me, me);
        let Some(collective) = ranks.collectives.get_mut(&handle) else { return };
        collective.ranks[me].missing_members -= 1;
        if collective.ranks[me].missing_members > 0 {
            return;
        }
        let early = std::mem::take(&mut collective.ranks[me].early);
        let (mut messages, mut ready) = (Vec::new(), Vec::new());
        for (number, operand) in collective.operands.iter().enumerate() {
            let distribution = &operand.distribution;
            for (index, packet) in distribution.operands.iter().enumerate().filter(|(_, packet)| packet.from == me) {
                messages.push(SimulatedMessage {
                    from: me,
                    to: packet.to,
                    bytes: distribution.operand_bytes(packet) as u64,
                    collective: handle,
                    operand: number,
                    packet: SimulatedPacket::Operands(index),
                });
            }
            for (segment, missing) in operand.missing_operands.iter().enumerate() {
                if *missing == 0 && distribution.segments[segment].owner == me {
                    ready.push((number, segment));
                }
            }
        }
        messages.into_iter().for_each(|message| self.send_message(message, now));
        for (operand, segment) in ready {
            match self.combination_seconds(handle, (operand, segment)) {
                0.0 => self.finish_segment(handle, (operand, segment), now),
                seconds => self.add_thread_work(thread, ThreadWork::Combine(handle, operand, segment), seconds, now),
            }
        }
        early.into_iter().for_each(|message| self.deliver(message, now));
        self.complete_rank(handle, me, now);
    }

    /// Returns true if a collective of several ranks is complete on the rank of a device, and otherwise registers the
    /// device as waiting. Returns `None` for a collective on one rank.
    pub(super) fn wait_for_ranks(&mut self, handle: SimulatedHandle, device: usize) -> Option<bool> {
        let ranks = self.ranks.as_mut()?;
        let me = ranks.process_of(device);
        let rank = &mut ranks.collectives.get_mut(&handle)?.ranks[me];
        if !rank.is_complete {
            rank.waiting.push(device);
        }
        Some(rank.is_complete)
    }

    /// Accepts a message that has been received, unless members of its rank have not arrived.
    pub(super) fn deliver(&mut self, number: MessageId, now: f64) {
        let Some(message) = self.message(number) else { return };
        let SimulatedMessage { from, to, collective: handle, operand, packet, .. } = message;
        let Some(ranks) = &mut self.ranks else { return };
        let thread = ranks.receiver(from, to);
        let Some(collective) = ranks.collectives.get_mut(&handle) else { return };
        if collective.ranks[to].missing_members > 0 {
            return collective.ranks[to].early.push(number);
        }
        match packet {
            SimulatedPacket::Results => {
                collective.ranks[to].outstanding -= 1;
                self.complete_rank(handle, to, now);
            }
            SimulatedPacket::Operands(index) => {
                let SimulatedOperand { distribution, missing_operands, .. } = &mut collective.operands[operand];
                let mut ready = Vec::new();
                for part in &distribution.operands[index].parts {
                    missing_operands[part.segment] -= 1;
                    if missing_operands[part.segment] == 0 {
                        ready.push(part.segment);
                    }
                }
                for segment in ready {
                    let seconds = self.combination_seconds(handle, (operand, segment));
                    self.add_thread_work(thread, ThreadWork::Combine(handle, operand, segment), seconds, now);
                }
            }
        }
    }

    /// Counts a computed segment. Sends its packet of results if no other segment of the packet is missing.
    pub(super) fn finish_segment(&mut self, handle: SimulatedHandle, (operand, segment): (usize, usize), now: f64) {
        let Some(ranks) = &mut self.ranks else { return };
        let Some(collective) = ranks.collectives.get_mut(&handle) else { return };
        let SimulatedOperand { distribution, missing_segments, .. } = &mut collective.operands[operand];
        let owner = distribution.segments[segment].owner;
        collective.ranks[owner].outstanding -= 1;
        let mut messages = Vec::new();
        if let Some((index, _)) = distribution.result_position[segment] {
            missing_segments[index] -= 1;
            let packet = &distribution.results[index];
            let bytes = distribution.result_bytes(packet) as u64;
            let receivers = packet.to.iter().filter(|_| missing_segments[index] == 0);
            messages.extend(receivers.map(|&to| SimulatedMessage {
                from: owner,
                to,
                bytes,
                collective: handle,
                operand,
                packet: SimulatedPacket::Results,
            }));
        }
        messages.into_iter().for_each(|message| self.send_message(message, now));
        self.complete_rank(handle, owner, now);
    }

    /// Wakes up the devices of a rank if all its members have arrived and nothing is outstanding.
    fn complete_rank(&mut self, handle: SimulatedHandle, rank: usize, now: f64) {
        let collective = self.ranks.as_mut().and_then(|ranks| ranks.collectives.get_mut(&handle));
        let Some(rank) = collective.map(|collective| &mut collective.ranks[rank]) else { return };
        if rank.missing_members > 0 || rank.outstanding > 0 {
            return;
        }
        rank.is_complete = true;
        for device in std::mem::take(&mut rank.waiting) {
            self.schedule(now, Occurrence::AcquireCore(device));
        }
    }

    /// Returns the seconds of a core to combine the operands of a segment. Copies of a single operand are part of the
    /// costs of messages.
    fn combination_seconds(&self, handle: SimulatedHandle, (operand, segment): (usize, usize)) -> f64 {
        let collective = self.ranks.as_ref().and_then(|ranks| ranks.collectives.get(&handle));
        let Some(segment) = collective.map(|collective| &collective.operands[operand].distribution.segments[segment])
        else {
            return 0.0;
        };
        if segment.sources.len() < 2 {
            return 0.0;
        }
        let bytes = segment.bytes * segment.sources.len();
        let work = Work::default().with(Cost::CollectiveKib, bytes.div_ceil(1 << 10));
        let work = work.with_traffic(MemoryAccess::Read(0), bytes);
        self.host.seconds(&work, |_| self.footprint)
    }
}

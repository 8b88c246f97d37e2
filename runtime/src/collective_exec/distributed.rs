//! Division of a collective among processes.
//!
//! Blocks are divided into segments. One process, the owner of a segment, receives the operands of members in other
//! processes, combines all operands in the order of the algorithm, and sends the result to the processes of the other
//! members. The owner of a copied segment is the process of its only operand, and the owner of a segment with one
//! result is the process of that result. Segments of an `all_reduce` are divided evenly among the processes: each sends
//! `2(n-1)/n` times its operand, which is optimal (Thakur, Rabenseifner and Gropp, "Optimization of Collective
//! Communication Operations in MPICH", section 4.5), and the order of the sum does not depend on the processes.
//!
//! A packet contains parts of several segments, so that small blocks do not cause many messages. Sender and receiver
//! derive the same packets from the collective.

use super::{BlockOp, ChunkBuffer, CollectiveExec};
use smallvec::SmallVec;
use std::ops::Range;

/// Maximum bytes of a segment and of a packet with several parts. Results of a segment are sent while the operands of
/// the next are received. At 1 Gbit/s a packet takes 8 ms.
const MAX_PACKET_BYTES: usize = 1 << 20;

/// Bit that distinguishes packets with results from packets with operands.
pub(super) const RESULT_PACKET: u64 = 1 << 63;

/// Positions of members in the group.
pub(super) type Members = SmallVec<[usize; 4]>;

/// Part of a block that one process computes.
#[derive(Debug)]
pub(crate) struct Segment {
    /// Index of the block.
    pub(crate) work: usize,
    /// Tiles of the block.
    pub(crate) tiles: Range<usize>,
    /// Bytes of the segment, without padding.
    pub(crate) bytes: usize,
    /// Process that combines the operands.
    pub(crate) owner: usize,
    /// Members with an operand, in the order of combination.
    pub(crate) sources: Members,
    /// Members with a result.
    pub(crate) targets: Members,
}

impl Segment {
    /// Returns the bytes of the segment in a packet, whose parts are aligned to words.
    pub(crate) fn padded_bytes(&self) -> usize {
        self.bytes.next_multiple_of(8)
    }
}

/// Operand of a member for a segment, in a packet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OperandPart {
    pub(crate) segment: usize,
    pub(crate) member: usize,
}

/// Packet with operands.
#[derive(Debug)]
pub(crate) struct OperandPacket {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Number among the packets with operands from and to the same processes.
    pub(crate) number: u64,
    pub(crate) parts: Vec<OperandPart>,
}

/// Packet with results, sent by the owner of its segments to several processes.
#[derive(Debug)]
pub(crate) struct ResultPacket {
    pub(crate) from: usize,
    pub(crate) to: SmallVec<[usize; 4]>,
    /// Number among the packets with results from the same process.
    pub(crate) number: u64,
    pub(crate) segments: Vec<usize>,
}

/// Segments and packets of a collective.
#[derive(Debug)]
pub(crate) struct Distribution {
    pub(crate) segments: Vec<Segment>,
    pub(crate) operands: Vec<OperandPacket>,
    pub(crate) results: Vec<ResultPacket>,
    /// Index of the packet with the result of each segment, and the position of the result in the packet.
    pub(crate) result_position: Vec<Option<(usize, usize)>>,
}

impl Distribution {
    /// Divides a collective among the processes of its members. Returns `None` for an algorithm that combines a chunk
    /// in several steps.
    pub(crate) fn new(exec: &CollectiveExec, process_of: SmallVec<[usize; 8]>) -> Option<Distribution> {
        let mut segments = Vec::new();
        for (index, work) in exec.works.iter().enumerate() {
            if let BlockOp::Transfers(..) = work.op {
                let (sources, targets) = operands_and_results(&work.op)?;
                divide(exec, index, (&sources, &targets), &process_of, &mut segments);
            }
        }
        let (operands, results) = (operand_packets(&segments, &process_of), result_packets(&segments, &process_of));
        let mut result_position = vec![None; segments.len()];
        for (index, packet) in results.iter().enumerate() {
            let mut at = 0;
            for &segment in &packet.segments {
                result_position[segment] = Some((index, at));
                at += segments[segment].padded_bytes();
            }
        }
        Some(Distribution { segments, operands, results, result_position })
    }

    /// Returns the bytes of a packet with operands.
    pub(crate) fn operand_bytes(&self, packet: &OperandPacket) -> usize {
        packet.parts.iter().map(|part| self.segments[part.segment].padded_bytes()).sum()
    }

    /// Returns the bytes of a packet with results.
    pub(crate) fn result_bytes(&self, packet: &ResultPacket) -> usize {
        packet.segments.iter().map(|&segment| self.segments[segment].padded_bytes()).sum()
    }
}

/// Returns the members whose operands a block combines, and those that receive the result; `None` if partial results
/// are combined again.
pub(super) fn operands_and_results(op: &BlockOp) -> Option<(Members, Members)> {
    let BlockOp::Transfers(transfers, 0) = op else { return None };
    let (first, copies) = transfers.split_first()?;
    let source = |buffer: &ChunkBuffer| if let ChunkBuffer::Input(member) = *buffer { Some(member) } else { None };
    let target = |buffer: &ChunkBuffer| if let ChunkBuffer::Output(member) = *buffer { Some(member) } else { None };
    let sources: Members = first.from.iter().map(source).collect::<Option<_>>()?;
    let mut written = first.to.clone();
    for copy in copies {
        let is_same = |buffer: &ChunkBuffer| written.contains(buffer) || first.from[..] == [*buffer];
        if !matches!(&copy.from[..], [buffer] if is_same(buffer)) {
            return None;
        }
        written.extend(copy.to.iter().copied());
    }
    let mut targets: Members = written.iter().map(target).collect::<Option<_>>()?;
    targets.sort_unstable();
    targets.dedup();
    Some((sources, targets))
}

/// Appends the segments of a block.
fn divide(
    exec: &CollectiveExec,
    index: usize,
    (sources, targets): (&[usize], &[usize]),
    process_of: &[usize],
    segments: &mut Vec<Segment>,
) {
    let width = exec.operand.dtype.bytes() as usize;
    let block = &exec.works[index].block;
    let mut owners: Vec<usize> = match sources {
        [source] => vec![process_of[*source]],
        _ => targets.iter().map(|&member| process_of[member]).collect(),
    };
    owners.sort_unstable();
    owners.dedup();
    let tiles = block.tiles(width);
    // Every owner combines as many tiles.
    for (i, &owner) in owners.iter().enumerate() {
        let mut start = i * tiles / owners.len();
        let end = (i + 1) * tiles / owners.len();
        while start < end {
            let (mut tile, mut bytes) = (start, 0);
            while tile < end && (tile == start || bytes + block.tile(width, tile).count() * width <= MAX_PACKET_BYTES) {
                bytes += block.tile(width, tile).count() * width;
                tile += 1;
            }
            let (sources, targets) = (sources.into(), targets.into());
            segments.push(Segment { work: index, tiles: start..tile, bytes, owner, sources, targets });
            start = tile;
        }
    }
}

/// Returns the processes other than the owner with results of a segment, in ascending order.
fn receivers(segment: &Segment, process_of: &[usize]) -> SmallVec<[usize; 4]> {
    let mut processes: SmallVec<[usize; 4]> =
        segment.targets.iter().map(|&member| process_of[member]).filter(|&p| p != segment.owner).collect();
    processes.sort_unstable();
    processes.dedup();
    processes
}

/// Returns the packets with operands, in the order in which a process sends them.
fn operand_packets(segments: &[Segment], process_of: &[usize]) -> Vec<OperandPacket> {
    let mut packets: Vec<OperandPacket> = Vec::new();
    // The last packet between two processes, and its bytes.
    let mut open: Vec<(usize, usize, usize, usize)> = Vec::new();
    for (number, segment) in segments.iter().enumerate() {
        for &member in &segment.sources {
            let (from, to) = (process_of[member], segment.owner);
            if from == to {
                continue;
            }
            let part = OperandPart { segment: number, member };
            let bytes = segment.padded_bytes();
            let last = open.iter_mut().find(|(f, t, ..)| (*f, *t) == (from, to));
            match last {
                Some((.., packet, filled)) if *filled + bytes <= MAX_PACKET_BYTES => {
                    packets[*packet].parts.push(part);
                    *filled += bytes;
                }
                last => {
                    let next = last.as_ref().map_or(0, |(.., packet, _)| packets[*packet].number + 1);
                    let slot = (from, to, packets.len(), bytes);
                    packets.push(OperandPacket { from, to, number: next, parts: vec![part] });
                    match last {
                        Some(last) => *last = slot,
                        None => open.push(slot),
                    }
                }
            }
        }
    }
    packets
}

/// Returns the packets with results.
fn result_packets(segments: &[Segment], process_of: &[usize]) -> Vec<ResultPacket> {
    let mut packets: Vec<ResultPacket> = Vec::new();
    let mut filled = 0;
    for (number, segment) in segments.iter().enumerate() {
        let to = receivers(segment, process_of);
        if to.is_empty() {
            continue;
        }
        let bytes = segment.padded_bytes();
        match packets.last_mut() {
            Some(last) if last.from == segment.owner && last.to == to && filled + bytes <= MAX_PACKET_BYTES => {
                last.segments.push(number);
                filled += bytes;
            }
            _ => {
                let earlier = packets.iter().rev().find(|packet| packet.from == segment.owner);
                let next = earlier.map_or(0, |packet| packet.number + 1);
                packets.push(ResultPacket { from: segment.owner, to, number: next, segments: vec![number] });
                filled = bytes;
            }
        }
    }
    packets
}

//! Execution of a group of calls. Each communicator exchanges one packet with each other process of its members.

use super::{EmulatedCommunicator, Members};
use crate::collective::calls::{Call, ElementType, ReduceOp};
use crate::emulator::matching::{MemberCall, run_group};
use crate::emulator::network::{read, write};
use crate::nccl::functions::{
    CallArguments, INVALID_ARGUMENT, INVALID_USAGE, NO_COLOR, REMOTE_ERROR, Status, UniqueId,
};
use partita_runtime::processes::Processes;
use rustc_hash::FxHasher;
use std::ffi::c_int;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A function call of a group of calls.
pub(super) enum Issue {
    /// `ncclCommInitRankConfig`
    Init { communicator: Arc<EmulatedCommunicator>, count: usize, id: UniqueId, rank: usize },
    /// `ncclCommSplit`
    Split {
        communicator: Arc<EmulatedCommunicator>,
        child: Option<Arc<EmulatedCommunicator>>,
        color: c_int,
        key: c_int,
    },
    /// `ncclAllReduce`, ...
    Call { communicator: Arc<EmulatedCommunicator>, arguments: CallArguments },
}

impl Issue {
    /// Returns the communicator whose state is that of the call.
    pub(super) fn communicator(&self) -> &Arc<EmulatedCommunicator> {
        let (Issue::Init { communicator, .. } | Issue::Split { communicator, .. } | Issue::Call { communicator, .. }) =
            self;
        communicator
    }
}

/// Calls of the ranks of this process on one communicator.
struct Group {
    /// Identifier of the communicator.
    id: u64,
    /// Number of the group of calls on the communicator.
    number: usize,
    issues: Vec<Issue>,
}

/// Status of the failure of a call, and its description.
type Failure = (Status, String);

/// Kinds of packets, by which processes at different functions are detected.
#[derive(Clone, Copy, Hash)]
enum PacketKind {
    Init,
    Split,
    Calls,
}

/// Executes a group of calls, and sets the states of the communicators.
pub(super) fn execute(processes: &Processes, issued: Vec<Issue>, cancelled: &AtomicBool) {
    let mut groups: Vec<Group> = Vec::new();
    for issue in issued {
        let id = match &issue {
            Issue::Init { id, .. } => hash(&id.0),
            Issue::Split { communicator, .. } | Issue::Call { communicator, .. } => {
                communicator.members.get().map_or(0, |members| members.id)
            }
        };
        match groups.iter_mut().find(|group| group.id == id) {
            Some(group) => group.issues.push(issue),
            None => groups.push(Group { id, number: 0, issues: vec![issue] }),
        }
    }
    // Processes exchange the packets of several communicators in the same order.
    groups.sort_by_key(|group| group.id);
    for mut group in groups {
        let mut counted: Vec<&Arc<EmulatedCommunicator>> = Vec::new();
        for communicator in group.issues.iter().map(Issue::communicator) {
            if !counted.iter().any(|known| Arc::ptr_eq(known, communicator)) {
                counted.push(communicator);
                group.number = communicator.groups.fetch_add(1, Ordering::Relaxed);
            }
        }
        let done = match group.issues.first() {
            None => Ok(()),
            Some(Issue::Init { .. }) => init(processes, &group, cancelled),
            Some(Issue::Split { .. }) => split(processes, &group, cancelled),
            Some(Issue::Call { .. }) => call(processes, &group, cancelled),
        };
        for issue in &group.issues {
            issue.communicator().finish(&done);
            if let Issue::Split { child: Some(child), .. } = issue {
                child.finish(&done);
            }
        }
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Exchanges a packet with other processes. Returns the packets of all of them, by process.
fn exchange(
    processes: &Processes,
    (group, kind): (&Group, PacketKind),
    others: &[usize],
    words: &[u64],
    cancelled: &AtomicBool,
) -> Result<Vec<(usize, Vec<u64>)>, Failure> {
    let (own, key) = (processes.index(), (hash(&(group.id, group.number)), hash(&kind)));
    let others: Vec<usize> = others.iter().copied().filter(|&other| other != own).collect();
    let is_cancelled = || cancelled.load(Ordering::Acquire);
    let packets = processes.exchange_packets(key, &others, bytemuck::cast_slice(words), &is_cancelled);
    let packets = packets.map_err(|error| (REMOTE_ERROR, error.title))?;
    let packets = packets.ok_or_else(|| (REMOTE_ERROR, "the communicator was aborted".to_owned()))?;
    let received = others.iter().zip(&packets);
    let received = received.map(|(&other, packet)| (other, bytemuck::pod_collect_to_vec(packet.as_bytes())));
    let mut all: Vec<(usize, Vec<u64>)> = received.collect();
    all.push((own, words.to_vec()));
    all.sort_by_key(|(process, _)| *process);
    Ok(all)
}

/// Opens the communicator of all ranks.
fn init(processes: &Processes, group: &Group, cancelled: &AtomicBool) -> Result<(), Failure> {
    let words = group.issues.iter().filter_map(|issue| match issue {
        Issue::Init { rank, count, .. } => Some([*rank as u64, *count as u64]),
        Issue::Split { .. } | Issue::Call { .. } => None,
    });
    let others: Vec<usize> = (0..processes.count()).collect();
    let words: Vec<u64> = words.flatten().collect();
    let all = exchange(processes, (group, PacketKind::Init), &others, &words, cancelled)?;
    let ranks = all.iter().flat_map(|(process, words)| words.as_chunks::<2>().0.iter().map(|pair| (*process, *pair)));
    let mut ranks: Vec<(u64, usize, u64)> = ranks.map(|(process, [rank, count])| (rank, process, count)).collect();
    ranks.sort_unstable();
    let is_complete =
        |(number, &(rank, _, count)): (usize, &(u64, usize, u64))| rank == number as u64 && count == ranks.len() as u64;
    if !ranks.iter().enumerate().all(is_complete) {
        return Err((INVALID_ARGUMENT, format!("the ranks of a communicator are incomplete: {ranks:?}")));
    }
    let process_of: Vec<usize> = ranks.iter().map(|(_, process, _)| *process).collect();
    for issue in &group.issues {
        if let Issue::Init { communicator, rank, .. } = issue {
            let members = Members { id: group.id, processes: process_of.clone(), position: *rank };
            let _ = communicator.members.set(members);
        }
    }
    Ok(())
}

/// Splits a communicator by color; members of a child are ordered by key, then by position in the parent.
fn split(processes: &Processes, group: &Group, cancelled: &AtomicBool) -> Result<(), Failure> {
    let mut words = Vec::new();
    for issue in &group.issues {
        let Issue::Split { communicator, color, key, .. } = issue else { return Err(mixed()) };
        words.extend([members(communicator)?.position as u64, *color as u32 as u64, *key as u32 as u64]);
    }
    let parent = members(group.issues.first().ok_or_else(mixed)?.communicator())?;
    let all = exchange(processes, (group, PacketKind::Split), &distinct(&parent.processes), &words, cancelled)?;
    let of = |(process, words): &(usize, Vec<u64>)| -> Vec<(c_int, c_int, u64, usize)> {
        let triples = words.as_chunks::<3>().0.iter();
        triples.map(|&[position, color, key]| (color as c_int, key as c_int, position, *process)).collect()
    };
    let mut ranks: Vec<(c_int, c_int, u64, usize)> = all.iter().flat_map(of).collect();
    ranks.sort_unstable();
    if ranks.len() != parent.processes.len() {
        return Err((INVALID_USAGE, "some members do not split the communicator".to_owned()));
    }
    for issue in &group.issues {
        let Issue::Split { communicator, child: Some(child), color, .. } = issue else { continue };
        let own = members(communicator)?.position as u64;
        let of_color: Vec<_> = ranks.iter().filter(|(other, ..)| other == color && *color != NO_COLOR).collect();
        let position = of_color.iter().position(|(_, _, position, _)| *position == own).ok_or_else(mixed)?;
        let process_of = of_color.iter().map(|(.., process)| *process).collect();
        let id = hash(&(group.id, group.number, color));
        let _ = child.members.set(Members { id, processes: process_of, position });
    }
    Ok(())
}

/// Executes the calls of all members on their operands, and writes the results of those of this process.
fn call(processes: &Processes, group: &Group, cancelled: &AtomicBool) -> Result<(), Failure> {
    let first = members(group.issues.first().ok_or_else(mixed)?.communicator())?;
    let count = first.processes.len();
    let (mut words, mut results): (Vec<u64>, Vec<Vec<u64>>) = (Vec::new(), vec![Vec::new(); count]);
    for issue in &group.issues {
        let Issue::Call { communicator, arguments } = issue else { return Err(mixed()) };
        let CallArguments { call, count: elements, element, combine, from, to } = *arguments;
        let position = members(communicator)?.position;
        let call = MemberCall { call, count: elements, element, combine, operand: Vec::new() };
        // SAFETY: the operand has this many bytes, which NCCL requires of its callers, too.
        let operand = unsafe { read(from, call.operand_bytes(position, count)) };
        write_words(&mut words, position, &MemberCall { operand, ..call });
        results[position].push(to);
    }
    let all = exchange(processes, (group, PacketKind::Calls), &distinct(&first.processes), &words, cancelled)?;
    let mut calls: Vec<Vec<MemberCall>> = vec![Vec::new(); count];
    for (process, words) in &all {
        let mut unread = &words[..];
        while !unread.is_empty() {
            let damaged = || (REMOTE_ERROR, format!("rank {process} sent an incomplete call"));
            let (position, call, rest) = read_words(unread).ok_or_else(damaged)?;
            calls.get_mut(position).ok_or_else(damaged)?.push(call);
            unread = rest;
        }
    }
    for (position, number, bytes) in run_group(&calls).map_err(|why| (INVALID_USAGE, why))? {
        if let Some(&to) = results[position].get(number) {
            // SAFETY: the result has room for the elements, as above. An abort waits for this thread.
            unsafe { write(to, &bytes) };
        }
    }
    Ok(())
}

fn members(communicator: &EmulatedCommunicator) -> Result<&Members, Failure> {
    communicator.members.get().ok_or_else(|| (INVALID_USAGE, "the communicator is not open".to_owned()))
}

fn mixed() -> Failure {
    (INVALID_USAGE, "different functions in one group of calls".to_owned())
}

fn distinct(processes: &[usize]) -> Vec<usize> {
    let mut all = processes.to_vec();
    all.sort_unstable();
    all.dedup();
    all
}

/// Element types and reductions, by their numbers in packets.
const ELEMENTS: [ElementType; 5] =
    [ElementType::F32, ElementType::F16, ElementType::Bf16, ElementType::I32, ElementType::U32];
const REDUCTIONS: [ReduceOp; 4] = [ReduceOp::Sum, ReduceOp::Product, ReduceOp::Max, ReduceOp::Min];

/// Number of words before the operand of a call.
const HEADER_WORDS: usize = 7;

/// Appends a call of the member at a position to a packet.
fn write_words(words: &mut Vec<u64>, position: usize, call: &MemberCall) {
    let (kind, peer) = match call.call {
        Call::AllReduce => (0, 0),
        Call::AllGather => (1, 0),
        Call::ReduceScatter => (2, 0),
        Call::Broadcast { root } => (3, root),
        Call::Reduce { root } => (4, root),
        Call::Send { to } => (5, to),
        Call::Receive { from } => (6, from),
    };
    let number = |found: Option<usize>| found.unwrap_or_default() as u64;
    let element = number(ELEMENTS.iter().position(|element| *element == call.element));
    let combine = number(REDUCTIONS.iter().position(|combine| *combine == call.combine));
    let bytes = call.operand.len();
    words.extend([position as u64, kind, peer as u64, call.count as u64, element, combine, bytes as u64]);
    let start = words.len();
    words.resize(start + bytes.div_ceil(8), 0);
    bytemuck::cast_slice_mut::<u64, u8>(&mut words[start..])[..bytes].copy_from_slice(&call.operand);
}

/// Returns the first call of a packet, the position of its member, and the rest of the packet.
fn read_words(words: &[u64]) -> Option<(usize, MemberCall, &[u64])> {
    let (&[position, kind, peer, count, element, combine, bytes], rest) = words.split_first_chunk::<HEADER_WORDS>()?;
    let (peer, bytes) = (peer as usize, bytes as usize);
    let call = match kind {
        0 => Call::AllReduce,
        1 => Call::AllGather,
        2 => Call::ReduceScatter,
        3 => Call::Broadcast { root: peer },
        4 => Call::Reduce { root: peer },
        5 => Call::Send { to: peer },
        6 => Call::Receive { from: peer },
        _ => return None,
    };
    let (operand, rest) = rest.split_at_checked(bytes.div_ceil(8))?;
    let operand = bytemuck::cast_slice::<u64, u8>(operand).get(..bytes)?.to_vec();
    let (element, combine) = (*ELEMENTS.get(element as usize)?, *REDUCTIONS.get(combine as usize)?);
    Some((position as usize, MemberCall { call, count: count as usize, element, combine, operand }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_restored_from_packets() {
        let call = |call, element, combine, operand: &[u8]| {
            let operand = operand.to_vec();
            MemberCall { call, count: 3, element, combine, operand }
        };
        let calls = [
            call(Call::AllReduce, ElementType::F32, ReduceOp::Max, &[1; 12]),
            call(Call::Broadcast { root: 2 }, ElementType::Bf16, ReduceOp::Sum, &[]),
            call(Call::Send { to: 1 }, ElementType::F16, ReduceOp::Sum, &[7; 6]),
        ];
        let mut words = Vec::new();
        calls.iter().enumerate().for_each(|(position, call)| write_words(&mut words, position, call));
        let mut unread = &words[..];
        for (position, call) in calls.iter().enumerate() {
            let found = read_words(unread);
            assert_eq!(found.as_ref().map(|(position, call, _)| (*position, call)), Some((position, call)));
            unread = found.map_or(&[], |(_, _, rest)| rest);
        }
        assert!(unread.is_empty());
        assert!(read_words(&words[..8]).is_none());
    }
}

//! Simulated ranks: their devices, and the threads and links that transfer messages between them.
//!
//! A message takes time of a core of its sender, then of the network, and then of a core of its receiver, together as
//! long as it was measured to take alone. Both may need their core longer than that, which delays only other work. A
//! thread handles one message after another: one of each connection and direction with TCP, a single one of each rank
//! with MPI. Messages to other hosts pass one after another through the link of their sender.

use super::core_group::CoreGroup;
use super::rank_collective::SimulatedRankCollective;
use super::simulator::{Occurrence, SimulatedHandle, Simulator};
use crate::collective_exec::CollectiveExec;
use crate::collective_exec::distributed::Distribution;
use crate::processes::Placement;
use partita_machine::network::{MessageCost, RankNetwork, RankTransport};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// Number of a message.
pub(super) type MessageId = usize;

/// Address of the execution plans of a collective, the index of an operand, and the members.
type DividedOperand = (usize, usize, Arc<[usize]>);

/// Ranks of a run.
pub(super) struct SimulatedRanks<'a> {
    network: &'a RankNetwork,
    placement: Placement,
    groups: Vec<CoreGroup<Job>>,
    /// Work of each thread that has some. The first is in progress.
    threads: FxHashMap<MessageThread, VecDeque<(ThreadWork, f64)>>,
    /// Times from which on the links of ranks to other hosts are free.
    link_free: Vec<f64>,
    messages: Vec<SimulatedMessage>,
    distributions: FxHashMap<DividedOperand, Arc<Distribution>>,
    pub(super) collectives: FxHashMap<SimulatedHandle, SimulatedRankCollective>,
}

/// Owner of a job on a group of cores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Job {
    Device(usize),
    Thread(MessageThread),
}

/// Thread of a rank that handles messages.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum MessageThread {
    /// All messages of a rank.
    Progress(usize),
    /// Messages from the first rank to the second, on the first.
    Sender(usize, usize),
    /// Messages from the first rank to the second, on the second.
    Receiver(usize, usize),
}

/// Work of a thread that handles messages.
#[derive(Clone, Copy, Debug)]
pub(super) enum ThreadWork {
    Send(MessageId),
    Receive(MessageId),
    /// Combination of the operands of a segment: collective, operand, segment.
    Combine(SimulatedHandle, usize, usize),
    /// Work after a message has been passed on, such as waking up other threads.
    Remainder,
}

/// Packet of a collective on its way to another rank.
#[derive(Clone, Copy, Debug)]
pub(super) struct SimulatedMessage {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) bytes: u64,
    pub(super) collective: SimulatedHandle,
    pub(super) operand: usize,
    pub(super) packet: SimulatedPacket,
}

/// Kind of a packet.
#[derive(Clone, Copy, Debug)]
pub(super) enum SimulatedPacket {
    /// Operands, by the index of the packet in the distribution.
    Operands(usize),
    Results,
}

impl<'a> SimulatedRanks<'a> {
    /// Divides devices among the ranks of a network, or among its first ranks if there are fewer devices. Returns
    /// `None` for a single rank.
    pub(super) fn new(network: &'a RankNetwork, devices: usize) -> Option<SimulatedRanks<'a>> {
        let count = network.ranks.len().min(devices);
        let placement = Placement::new(devices, count).ok().filter(|_| count > 1)?;
        Some(SimulatedRanks {
            network,
            placement,
            groups: network.group_cores.iter().map(|&cores| CoreGroup::new(cores)).collect(),
            threads: FxHashMap::default(),
            link_free: vec![0.0; count],
            messages: Vec::new(),
            distributions: FxHashMap::default(),
            collectives: FxHashMap::default(),
        })
    }

    pub(super) fn process_count(&self) -> usize {
        self.link_free.len()
    }

    pub(super) fn group_count(&self) -> usize {
        self.groups.len()
    }

    pub(super) fn max_devices_of_process(&self) -> usize {
        (0..self.process_count()).map(|process| self.placement.devices_of(process).len()).max().unwrap_or(0)
    }

    pub(super) fn process_of(&self, device: usize) -> usize {
        self.placement.process_of(device)
    }

    /// Returns the group of cores of a device.
    pub(super) fn group_of(&self, device: usize) -> usize {
        self.network.ranks[self.process_of(device)].core_group
    }

    /// Returns true if devices are in several processes.
    pub(super) fn is_divided(&self, devices: &[usize]) -> bool {
        devices.windows(2).any(|pair| self.process_of(pair[0]) != self.process_of(pair[1]))
    }

    /// Returns the division of each operand of a collective among the ranks. An algorithm that cannot be divided takes
    /// no time.
    pub(super) fn distributions(
        &mut self,
        execs: &Arc<[CollectiveExec]>,
        members: &Arc<[usize]>,
    ) -> Vec<Arc<Distribution>> {
        let placement = self.placement;
        let mut distribution = |(operand, exec): (usize, &CollectiveExec)| {
            let key = (execs.as_ptr().addr(), operand, members.clone());
            if let Some(known) = self.distributions.get(&key) {
                return Some(known.clone());
            }
            let process_of = members.iter().map(|&member| placement.process_of(member)).collect();
            let new = Arc::new(Distribution::new(exec, process_of)?);
            self.distributions.insert(key, new.clone());
            Some(new)
        };
        execs.iter().enumerate().filter_map(&mut distribution).collect()
    }

    /// Returns the thread of a rank that sends messages to another one.
    fn sender(&self, from: usize, to: usize) -> MessageThread {
        match self.network.transport {
            RankTransport::Mpi => MessageThread::Progress(from),
            RankTransport::Tcp => MessageThread::Sender(from, to),
        }
    }

    /// Returns the thread of a rank that receives messages of another one.
    pub(super) fn receiver(&self, from: usize, to: usize) -> MessageThread {
        match self.network.transport {
            RankTransport::Mpi => MessageThread::Progress(to),
            RankTransport::Tcp => MessageThread::Receiver(from, to),
        }
    }
}

impl MessageThread {
    /// Returns the rank of the thread.
    fn rank(self) -> usize {
        match self {
            MessageThread::Progress(rank) | MessageThread::Sender(rank, _) | MessageThread::Receiver(_, rank) => rank,
        }
    }
}

impl Simulator<'_> {
    /// Adds the work of a device to the jobs on its cores.
    pub(super) fn add_device_job(&mut self, device: usize, now: f64, seconds: f64) {
        let Some(ranks) = &mut self.ranks else { return };
        let group = ranks.group_of(device);
        ranks.groups[group].add(Job::Device(device), seconds, now);
        self.schedule_end(group);
    }

    /// Adds work to those of a thread.
    pub(super) fn add_thread_work(&mut self, thread: MessageThread, work: ThreadWork, seconds: f64, now: f64) {
        let Some(ranks) = &mut self.ranks else { return };
        let queue = ranks.threads.entry(thread).or_default();
        queue.push_back((work, seconds));
        if queue.len() == 1 {
            let group = ranks.network.ranks[thread.rank()].core_group;
            ranks.groups[group].add(Job::Thread(thread), seconds, now);
            self.schedule_end(group);
        }
    }

    /// Schedules the end of the job on a group of cores that ends first.
    fn schedule_end(&mut self, group: usize) {
        let next = self.ranks.as_ref().and_then(|ranks| ranks.groups[group].next_end());
        if let Some((end, changes)) = next {
            self.schedule(end, Occurrence::JobEnds(group, changes));
        }
    }

    /// Continues after jobs on a group of cores that end now.
    pub(super) fn end_jobs(&mut self, group: usize, changes: u64, now: f64) {
        let Some(ranks) = &mut self.ranks else { return };
        let ended = ranks.groups[group].take_ended(now, changes);
        if ended.is_empty() {
            return;
        }
        let mut works = Vec::new();
        for job in &ended {
            let Job::Thread(thread) = job else { continue };
            let Some(queue) = ranks.threads.get_mut(thread) else { continue };
            works.extend(queue.pop_front().map(|(work, _)| work));
            if let Some(&(_, seconds)) = queue.front() {
                ranks.groups[group].add(Job::Thread(*thread), seconds, now);
            }
        }
        self.schedule_end(group);
        for job in ended {
            if let Job::Device(device) = job {
                self.schedule(now, Occurrence::Resume(device));
            }
        }
        for work in works {
            match work {
                ThreadWork::Send(message) => self.transmit(message, now),
                ThreadWork::Receive(message) => self.deliver(message, now),
                ThreadWork::Combine(collective, operand, segment) => {
                    self.finish_segment(collective, (operand, segment), now);
                }
                ThreadWork::Remainder => {}
            }
        }
    }

    /// Queues a message with the thread that sends it.
    pub(super) fn send_message(&mut self, message: SimulatedMessage, now: f64) {
        let Some(ranks) = &mut self.ranks else { return };
        let thread = ranks.sender(message.from, message.to);
        let cost = ranks.network.message(message.from, message.to, message.bytes);
        ranks.messages.push(message);
        let number = ranks.messages.len() - 1;
        self.add_message_work(thread, ThreadWork::Send(number), cost, now);
    }

    /// Adds the part of the work for a message that delays the message, and the remainder.
    fn add_message_work(&mut self, thread: MessageThread, work: ThreadWork, cost: MessageCost, now: f64) {
        let first = cost.busy.min(0.5 * cost.seconds);
        self.add_thread_work(thread, work, first, now);
        if cost.busy > first {
            self.add_thread_work(thread, ThreadWork::Remainder, cost.busy - first, now);
        }
    }

    /// Passes a message to the network.
    fn transmit(&mut self, number: MessageId, now: f64) {
        let Some(ranks) = &mut self.ranks else { return };
        let SimulatedMessage { from, to, bytes, .. } = ranks.messages[number];
        let cost = ranks.network.message(from, to, bytes);
        let flight = (cost.seconds - 2.0 * cost.busy).max(0.0);
        let mut start = now;
        if !ranks.network.is_local(from, to) {
            start = now.max(ranks.link_free[from]);
            ranks.link_free[from] = start + bytes as f64 / ranks.network.remote_rate();
        }
        self.schedule(start + flight, Occurrence::MessageArrives(number));
    }

    /// Queues a message that has arrived with the thread that receives it.
    pub(super) fn receive_message(&mut self, number: MessageId, now: f64) {
        let Some(ranks) = &self.ranks else { return };
        let SimulatedMessage { from, to, bytes, .. } = ranks.messages[number];
        let cost = ranks.network.message(from, to, bytes);
        self.add_message_work(ranks.receiver(from, to), ThreadWork::Receive(number), cost, now);
    }

    /// Returns a message.
    pub(super) fn message(&self, number: MessageId) -> Option<SimulatedMessage> {
        self.ranks.as_ref().and_then(|ranks| ranks.messages.get(number).copied())
    }
}

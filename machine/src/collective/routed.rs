//! An algorithm on a topology: its transfers as tasks that wait for each other, and messages with the lanes that they
//! take.
//!
//! Steps are only an order here. A message leaves once what it reads is there and the message before it on the same
//! route has left; nobody waits for a step to end. Whoever predicts how long that takes ([`Routed::seconds`]) and
//! whoever carries it out read the same tasks.

use crate::collective::check::Checked;
use crate::collective::{Place, Transfer};
use crate::topology::{Route, Topology};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Algorithms beside each other whose messages have routes.
#[derive(Clone, Debug)]
pub struct Routed {
    /// What is carried out.
    pub algorithm: Checked,
    /// Bytes a second, by lane of the topology.
    pub lanes: Vec<f64>,
    /// The routes that messages take. Those on one route keep their order.
    pub routes: Vec<Route>,
    /// The transfers, in the order of the steps.
    pub tasks: Vec<Task>,
    /// Messages, in the order of the tasks.
    pub messages: Vec<Message>,
}

/// A transfer: it is done once its messages have arrived and what it waits for is done.
#[derive(Clone, PartialEq, Debug)]
pub struct Task {
    /// What it does.
    pub transfer: Transfer,
    /// What is to be done before it writes: by whoever wrote what it reads of its own rank, and by those that need what
    /// lies where it writes.
    pub after: SmallVec<[usize; 4]>,
}

/// A chunk on its way to another rank.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    /// The task that it is for.
    pub task: usize,
    /// Where it comes from.
    pub from: Place,
    /// The task that writes it there; an operand is there from the beginning.
    pub after: Option<usize>,
    /// Its route, by position.
    pub route: usize,
}

impl Routed {
    /// The algorithm, whose messages take the shortest ways. `None` if the topology has other ranks, or not those that
    /// it needs.
    pub fn new(algorithm: Checked, topology: &Topology) -> Option<Routed> {
        let mut known: Vec<Option<Vec<Option<Route>>>> = vec![None; topology.ranks];
        Routed::along(algorithm, topology, |_, from, to| {
            known.get_mut(from)?.get_or_insert_with(|| topology.routes(from)).get(to)?.clone()
        })
    }

    /// The algorithm, whose messages of a chunk take the ways that are given by channel and both ranks; chunks of one
    /// channel have the same ways.
    pub(crate) fn by_channel(
        algorithm: Checked,
        topology: &Topology,
        channel: impl Fn(usize) -> usize,
        mut way: impl FnMut(usize, usize, usize) -> Option<Route>,
    ) -> Option<Routed> {
        if algorithm.ranks != topology.ranks {
            return None;
        }
        let lanes = topology.lanes.iter().map(|lane| lane.bandwidth).collect();
        let mut routed = Routed { lanes, routes: Vec::new(), tasks: Vec::new(), messages: Vec::new(), algorithm };
        let mut numbers: FxHashMap<(usize, usize, usize), usize> = FxHashMap::default();
        let mut writer: FxHashMap<(usize, Place), usize> = FxHashMap::default();
        let mut readers: FxHashMap<(usize, Place), Vec<usize>> = FxHashMap::default();
        for transfer in routed.algorithm.steps.iter().flatten() {
            let (task, chunk, to) = (routed.tasks.len(), transfer.chunk, transfer.to);
            let mut after: SmallVec<[usize; 4]> = SmallVec::new();
            for &from in &transfer.from {
                let before = writer.get(&(chunk, from)).copied();
                if from.rank == to.rank {
                    after.extend(before);
                } else {
                    let channel = channel(chunk);
                    let route = match numbers.get(&(channel, from.rank, to.rank)) {
                        Some(&route) => route,
                        None => {
                            routed.routes.push(way(channel, from.rank, to.rank)?);
                            numbers.insert((channel, from.rank, to.rank), routed.routes.len() - 1);
                            routed.routes.len() - 1
                        }
                    };
                    routed.messages.push(Message { task, from, after: before, route });
                }
                readers.entry((chunk, from)).or_default().push(task);
            }
            after.extend(readers.remove(&(chunk, to)).unwrap_or_default().into_iter().filter(|&other| other != task));
            after.extend(writer.insert((chunk, to), task));
            after.sort_unstable();
            after.dedup();
            routed.tasks.push(Task { transfer: transfer.clone(), after });
        }
        Some(routed)
    }

    fn along(
        algorithm: Checked,
        topology: &Topology,
        way: impl FnMut(usize, usize, usize) -> Option<Route>,
    ) -> Option<Routed> {
        Routed::by_channel(algorithm, topology, |_| 0, way)
    }

    /// By how many ranks the receiver of a message is ahead of its sender. Whoever has several to send begins with the
    /// nearest, so that not all send to the same one first.
    pub fn ahead(&self, message: usize) -> usize {
        let Message { task, from, .. } = self.messages[message];
        (self.tasks[task].transfer.to.rank + self.algorithm.ranks - from.rank) % self.algorithm.ranks
    }

    /// By lane, the bytes that pass it when the whole tensor has `bytes`.
    pub fn loads(&self, bytes: u64) -> Vec<f64> {
        let mut loads = vec![0.0; self.lanes.len()];
        for message in &self.messages {
            for &(lane, _) in &self.routes[message.route].lanes {
                loads[lane] += bytes as f64 / self.algorithm.chunks as f64;
            }
        }
        loads
    }
}

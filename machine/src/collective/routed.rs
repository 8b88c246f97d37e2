//! Routed algorithms: the transfers of an algorithm as tasks with dependencies, and their messages with routes through
//! a topology.
//!
//! Steps only define an order. A message departs as soon as its source is available and the previous message on the
//! same route has departed; there are no barriers between steps. The prediction ([`RoutedAlgorithm::seconds`]) and the
//! execution use the same tasks.

use crate::collective::check::CheckedAlgorithm;
use crate::collective::{Place, Transfer};
use crate::topology::{Route, Topology};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Verified algorithm whose messages have routes through a topology.
#[derive(Clone, Debug)]
pub struct RoutedAlgorithm {
    /// Verified algorithm.
    pub algorithm: CheckedAlgorithm,
    /// Bandwidth of each lane of the topology, in bytes per second.
    pub lanes: Vec<f64>,
    /// Routes of the messages. Messages on the same route keep their order.
    pub routes: Vec<Route>,
    /// Transfers, in the order of the steps.
    pub tasks: Vec<Task>,
    /// Messages, in the order of the tasks.
    pub messages: Vec<Message>,
}

/// Transfer with its dependencies. A task completes once its messages have arrived and the tasks that it depends on
/// have completed.
#[derive(Clone, PartialEq, Debug)]
pub struct Task {
    /// Transfer executed by the task.
    pub transfer: Transfer,
    /// Tasks that must complete before this task writes: the writers of its sources on the same rank, and the readers
    /// and the writer of its target's previous value.
    pub dependencies: SmallVec<[usize; 4]>,
}

/// Chunk in transit to another rank.
#[derive(Clone, PartialEq, Debug)]
pub struct Message {
    /// Task that receives the message.
    pub task: usize,
    /// Place that the message is read from.
    pub from: Place,
    /// Task that writes the place, or `None` for an operand.
    pub producer: Option<usize>,
    /// Index of the route.
    pub route: usize,
}

impl RoutedAlgorithm {
    /// Routes the messages of an algorithm along shortest paths. Returns `None` if the ranks of the topology differ
    /// from those of the algorithm or are not connected.
    pub fn new(algorithm: CheckedAlgorithm, topology: &Topology) -> Option<RoutedAlgorithm> {
        let mut routes_from: Vec<Option<Vec<Option<Route>>>> = vec![None; topology.ranks];
        RoutedAlgorithm::with_routes(algorithm, topology, |_, from, to| {
            routes_from.get_mut(from)?.get_or_insert_with(|| topology.routes(from)).get(to)?.clone()
        })
    }

    /// Routes the messages of an algorithm along given routes. `route_of` maps a channel, the sender and the receiver
    /// to a route; `channel` maps a chunk to its channel.
    pub(crate) fn with_channels(
        algorithm: CheckedAlgorithm,
        topology: &Topology,
        channel: impl Fn(usize) -> usize,
        mut route_of: impl FnMut(usize, usize, usize) -> Option<Route>,
    ) -> Option<RoutedAlgorithm> {
        if algorithm.ranks != topology.ranks {
            return None;
        }
        let lanes = topology.lanes.iter().map(|lane| lane.bandwidth).collect();
        let mut routed =
            RoutedAlgorithm { lanes, routes: Vec::new(), tasks: Vec::new(), messages: Vec::new(), algorithm };
        let mut route_indices: FxHashMap<(usize, usize, usize), usize> = FxHashMap::default();
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
                    let route = match route_indices.get(&(channel, from.rank, to.rank)) {
                        Some(&route) => route,
                        None => {
                            routed.routes.push(route_of(channel, from.rank, to.rank)?);
                            route_indices.insert((channel, from.rank, to.rank), routed.routes.len() - 1);
                            routed.routes.len() - 1
                        }
                    };
                    routed.messages.push(Message { task, from, producer: before, route });
                }
                readers.entry((chunk, from)).or_default().push(task);
            }
            after.extend(readers.remove(&(chunk, to)).unwrap_or_default().into_iter().filter(|&other| other != task));
            after.extend(writer.insert((chunk, to), task));
            after.sort_unstable();
            after.dedup();
            routed.tasks.push(Task { transfer: transfer.clone(), dependencies: after });
        }
        Some(routed)
    }

    fn with_routes(
        algorithm: CheckedAlgorithm,
        topology: &Topology,
        route_of: impl FnMut(usize, usize, usize) -> Option<Route>,
    ) -> Option<RoutedAlgorithm> {
        RoutedAlgorithm::with_channels(algorithm, topology, |_| 0, route_of)
    }

    /// Returns the distance from the sender to the receiver of a message, in ranks modulo the number of ranks. A rank
    /// sends to its nearest receiver first, so that not all ranks send to the same receiver at the same time.
    pub fn rank_distance(&self, message: usize) -> usize {
        let Message { task, from, .. } = self.messages[message];
        (self.tasks[task].transfer.to.rank + self.algorithm.ranks - from.rank) % self.algorithm.ranks
    }

    /// Returns the bytes that pass each lane, for a global tensor of `bytes`.
    pub fn lane_bytes(&self, bytes: u64) -> Vec<f64> {
        let mut loads = vec![0.0; self.lanes.len()];
        for message in &self.messages {
            for &(lane, _) in &self.routes[message.route].lanes {
                loads[lane] += bytes as f64 / self.algorithm.chunks as f64;
            }
        }
        loads
    }
}

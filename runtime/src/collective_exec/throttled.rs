//! Execution of a collective algorithm over rate-limited links, which measures predictions for a machine that is not
//! available.
//!
//! Each message is copied by the threads of its route, one for each lane and one that delivers the message. Messages on
//! a lane are serialised in order of arrival, in real time: each message reserves the lane for the time its bytes take.
//! The last message of a transfer combines the elements. The execution uses no predictions and has no steps; threads
//! wait for data only.
//!
//! Real links are faster than thread wake-up, so all links are slowed down by a common factor.

use partita_ir::diag::{Code, Diagnostic};
use partita_machine::collective::routed::{Message, RoutedAlgorithm};
use partita_machine::collective::{Place, Ranks};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Results and duration of an execution.
#[derive(Clone, PartialEq, Debug)]
pub struct ThrottledRun {
    /// Result of each rank: its chunks, concatenated.
    pub results: Vec<Vec<f32>>,
    /// Duration in seconds, converted to the time scale of the unthrottled links.
    pub seconds: f64,
}

/// Executes a summing algorithm on operands, each of which contains the chunks of its rank, concatenated. Links are
/// slowed down by the factor `slowdown`.
///
/// # Errors
/// `R004` if there is not one operand for each rank, or if the length of an operand is not that of its chunks of a
/// tensor of `elements` elements.
pub fn run_throttled(
    routed: &RoutedAlgorithm,
    operands: &[&[f32]],
    elements: usize,
    slowdown: f64,
) -> Result<ThrottledRun, Diagnostic> {
    let algorithm = &routed.algorithm;
    let cut = |chunk: usize| chunk * elements / algorithm.chunks..(chunk + 1) * elements / algorithm.chunks;
    let mut state = ThrottledState {
        remaining: routed.tasks.iter().map(|task| task.dependencies.len()).collect(),
        done: vec![false; routed.tasks.len()],
        values: FxHashMap::default(),
        arrived: vec![Vec::new(); routed.tasks.len()],
    };
    routed.messages.iter().for_each(|message| state.remaining[message.task] += 1);
    for rank in 0..algorithm.ranks {
        let chunk_ranges = chunk_ranges(algorithm.chunks, |chunk| algorithm.sources(chunk), cut, rank);
        let operand = operands.get(rank).copied().unwrap_or_default();
        if chunk_ranges.last().map_or(0, |(_, range)| range.end) != operand.len() || operands.len() != algorithm.ranks {
            let title = format!("the operand of rank {rank} does not contain its chunks of {elements} elements");
            return Err(Diagnostic::new(Code::R004, title));
        }
        for (chunk, range) in chunk_ranges {
            state.values.insert((chunk, Place::input(rank)), operand[range].into());
        }
    }
    let links = ThrottledLinks::new(routed, state, cut, slowdown);
    let seconds = links.run();
    let state = links.lock();
    let result = |rank: usize| {
        let chunk_ranges = chunk_ranges(algorithm.chunks, |chunk| algorithm.targets(chunk), cut, rank);
        let held = |chunk| state.values.get(&(chunk, Place::output(rank))).map(|held| held.to_vec());
        chunk_ranges.into_iter().flat_map(|(chunk, _)| held(chunk).unwrap_or_default()).collect()
    };
    Ok(ThrottledRun { results: (0..algorithm.ranks).map(result).collect(), seconds: seconds / slowdown })
}

/// Returns the chunks of a rank, each with its range in the concatenation.
fn chunk_ranges(
    chunks: usize,
    ranks_of: impl Fn(usize) -> Ranks,
    cut: impl Fn(usize) -> Range<usize>,
    rank: usize,
) -> Vec<(usize, Range<usize>)> {
    let mut start = 0;
    let own_chunks = (0..chunks).filter(|&chunk| ranks_of(chunk).contains(rank));
    own_chunks
        .map(|chunk| {
            let range = start..start + cut(chunk).len();
            start = range.end;
            (chunk, range)
        })
        .collect()
}

/// Values on all ranks and progress of tasks.
struct ThrottledState {
    /// Number of messages and tasks that each task waits for.
    remaining: Vec<usize>,
    /// Completion of each task.
    done: Vec<bool>,
    /// Elements by chunk and place.
    values: FxHashMap<(usize, Place), Arc<[f32]>>,
    /// Received messages of each task.
    arrived: Vec<Vec<(Place, Vec<f32>)>>,
}

/// Message in transit.
struct Packet<'a> {
    message: &'a Message,
    data: Vec<f32>,
    /// Arrival of the first byte at the next lane.
    head: Instant,
    /// Earliest arrival of the last byte at the next lane.
    tail: Instant,
}

struct ThrottledLinks<'a> {
    routed: &'a RoutedAlgorithm,
    /// Bytes of a message of each chunk.
    bytes: Vec<f64>,
    slowdown: f64,
    /// Time at which each lane becomes free.
    lanes: Vec<Mutex<Instant>>,
    /// Tasks that wait for each task.
    dependents: Vec<Vec<usize>>,
    state: Mutex<ThrottledState>,
    /// Signals that a task is complete.
    changed: Condvar,
}

impl<'a> ThrottledLinks<'a> {
    fn new(
        routed: &'a RoutedAlgorithm,
        state: ThrottledState,
        cut: impl Fn(usize) -> Range<usize>,
        slowdown: f64,
    ) -> ThrottledLinks<'a> {
        let mut after = vec![Vec::new(); routed.tasks.len()];
        for (number, task) in routed.tasks.iter().enumerate() {
            task.dependencies.iter().for_each(|&before| after[before].push(number));
        }
        ThrottledLinks {
            routed,
            bytes: (0..routed.algorithm.chunks).map(|chunk| (cut(chunk).len() * size_of::<f32>()) as f64).collect(),
            slowdown,
            lanes: routed.lanes.iter().map(|_| Mutex::new(Instant::now())).collect(),
            dependents: after,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, ThrottledState> {
        // A panic in any thread ends the run.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs all threads to completion and returns the duration in seconds.
    fn run(&self) -> f64 {
        let mut queues: Vec<Vec<usize>> = vec![Vec::new(); self.routed.routes.len()];
        for (number, message) in self.routed.messages.iter().enumerate() {
            queues[message.route].push(number);
        }
        queues.sort_by_key(|queue| queue.first().map(|&first| self.routed.rank_distance(first)));
        let remaining = self.lock().remaining.clone();
        let idle = (0..remaining.len()).filter(|&task| remaining[task] == 0).collect();
        queues.retain(|queue| !queue.is_empty());
        let ready = Barrier::new(queues.len() + 1);
        std::thread::scope(|scope| {
            for queue in &queues {
                let route = queue.first().map(|&first| self.routed.messages[first].route);
                let lanes = route.and_then(|route| self.routed.routes[route].lanes.split_first());
                let Some((&first, lanes)) = lanes else { continue };
                let (mut next, delivered) = channel();
                scope.spawn(move || self.deliver(&delivered));
                for &lane in lanes.iter().rev() {
                    let (before, packets) = channel();
                    let after = std::mem::replace(&mut next, before);
                    scope.spawn(move || self.forward(lane, &packets, &after));
                }
                let ready = &ready;
                scope.spawn(move || {
                    ready.wait();
                    self.send(first, queue, &next);
                });
            }
            ready.wait();
            let start = Instant::now();
            self.run_ready(idle);
            start
        })
        .elapsed()
        .as_secs_f64()
    }

    /// Sends the messages of a route in order, each once its data is available.
    fn send(&self, lane: (usize, f64), queue: &[usize], next: &Sender<Packet<'a>>) {
        for &number in queue {
            let message = &self.routed.messages[number];
            let chunk = self.routed.tasks[message.task].transfer.chunk;
            let missing = |state: &mut ThrottledState| message.producer.is_some_and(|before| !state.done[before]);
            let state = self.changed.wait_while(self.lock(), missing).unwrap_or_else(PoisonError::into_inner);
            let Some(held) = state.values.get(&(chunk, message.from)).cloned() else { return };
            drop(state);
            let now = Instant::now();
            let packet = Packet { message, data: held.to_vec(), head: now, tail: now };
            sleep_until(self.traverse_lane(lane, packet, next));
        }
    }

    /// Forwards messages over one lane of their route.
    fn forward(&self, lane: (usize, f64), packets: &Receiver<Packet<'a>>, next: &Sender<Packet<'a>>) {
        for packet in packets {
            sleep_until(packet.head);
            self.traverse_lane(lane, packet, next);
        }
    }

    /// Reserves a lane and forwards the message when its first byte has passed; returns the time at which its last byte
    /// has.
    fn traverse_lane(
        &self,
        (lane, latency): (usize, f64),
        mut packet: Packet<'a>,
        next: &Sender<Packet<'a>>,
    ) -> Instant {
        let chunk = self.routed.tasks[packet.message.task].transfer.chunk;
        let time = |seconds: f64| Duration::from_secs_f64(seconds * self.slowdown);
        let mut free = self.lanes[lane].lock().unwrap_or_else(PoisonError::into_inner);
        let start = (*free).max(Instant::now());
        let end = start + time(self.bytes[chunk] / self.routed.lanes[lane]);
        *free = end;
        drop(free);
        (packet.head, packet.tail) = (start + time(latency), packet.tail.max(end) + time(latency));
        // The receiver exists until all senders are dropped.
        let _ = next.send(packet);
        end
    }

    /// Delivers messages to their tasks.
    fn deliver(&self, packets: &Receiver<Packet<'a>>) {
        for packet in packets {
            sleep_until(packet.tail);
            let task = packet.message.task;
            let mut state = self.lock();
            state.arrived[task].push((packet.message.from, packet.data));
            state.remaining[task] -= 1;
            let complete = state.remaining[task] == 0;
            drop(state);
            if complete {
                self.run_ready(vec![task]);
            }
        }
    }

    /// Executes ready tasks and the tasks that become ready as a result.
    fn run_ready(&self, mut ready: Vec<usize>) {
        while let Some(number) = ready.pop() {
            let transfer = &self.routed.tasks[number].transfer;
            let mut state = self.lock();
            let arrived = std::mem::take(&mut state.arrived[number]);
            let here =
                |from: &Place| state.values.get(&(transfer.chunk, *from)).filter(|_| from.rank == transfer.to.rank);
            let local: Vec<Option<Arc<[f32]>>> = transfer.from.iter().map(|from| here(from).cloned()).collect();
            drop(state);
            let sources = transfer.from.iter().zip(&local).map(|(from, local)| {
                let message = arrived.iter().find(|(place, _)| place == from).map(|(_, data)| &data[..]);
                message.or(local.as_deref()).unwrap_or_default()
            });
            let mut all: Vec<f32> = Vec::new();
            for source in sources {
                if all.is_empty() {
                    all.extend(source);
                } else {
                    all.iter_mut().zip(source).for_each(|(a, b)| *a += b);
                }
            }
            let mut state = self.lock();
            state.values.insert((transfer.chunk, transfer.to), all.into());
            state.done[number] = true;
            for &after in &self.dependents[number] {
                state.remaining[after] -= 1;
                if state.remaining[after] == 0 {
                    ready.push(after);
                }
            }
            drop(state);
            self.changed.notify_all();
        }
    }
}

fn sleep_until(time: Instant) {
    std::thread::sleep(time.saturating_duration_since(Instant::now()));
}

#[cfg(test)]
mod tests {
    use super::run_throttled;
    use partita_machine::Machine;
    use partita_machine::collective::algorithm_kind::AlgorithmKind;
    use partita_machine::collective::routed::RoutedAlgorithm;
    use partita_machine::collective::{CollectiveKind, Method, Ranks};
    use partita_machine::topology::Topology;

    /// Returns small integers, whose sums do not depend on the order.
    fn element(rank: usize, chunk: usize, index: usize) -> f32 {
        ((rank * 31 + chunk * 7 + index) % 101) as f32
    }

    /// Executes an algorithm and compares the results with the definition of its collective.
    fn check_result(routed: &RoutedAlgorithm, elements: usize) {
        let algorithm = &routed.algorithm;
        let len = |chunk: usize| (chunk + 1) * elements / algorithm.chunks - chunk * elements / algorithm.chunks;
        let all = |ranks_of: &dyn Fn(usize) -> Ranks, rank: usize, value: &dyn Fn(usize, usize) -> f32| -> Vec<f32> {
            let own_chunks = (0..algorithm.chunks).filter(|&chunk| ranks_of(chunk).contains(rank));
            own_chunks
                .flat_map(|chunk| (0..len(chunk)).map(move |index| (chunk, index)))
                .map(|(c, i)| value(c, i))
                .collect()
        };
        let ranks = 0..algorithm.ranks;
        let operand = |rank| all(&|chunk| algorithm.sources(chunk), rank, &|chunk, index| element(rank, chunk, index));
        let operands: Vec<Vec<f32>> = ranks.clone().map(operand).collect();
        let wanted = |chunk: usize, index: usize| {
            let sources = (0..algorithm.ranks).filter(|&rank| algorithm.sources(chunk).contains(rank));
            sources.map(|rank| element(rank, chunk, index)).sum()
        };
        let run =
            run_throttled(routed, &operands.iter().map(Vec::as_slice).collect::<Vec<_>>(), elements, 1.0).unwrap();
        for rank in ranks {
            let wanted = all(&|chunk| algorithm.targets(chunk), rank, &wanted);
            assert!(run.results[rank] == wanted, "rank {rank} of {} {}", algorithm.name, algorithm.kind.name());
        }
    }

    #[test]
    fn results_equal_the_definition() {
        let mut executed = 0;
        for (name, devices) in [("dgx1-v100", vec![0, 1, 2, 3]), ("k80+v100", vec![4, 5, 7]), ("dgx-a100", vec![0, 1])]
        {
            let topology = Topology::for_devices(&Machine::named(name).unwrap(), &devices, 1).unwrap();
            let pairs = vec![(0, 1), (1, 0)];
            for kind in [
                CollectiveKind::AllReduce,
                CollectiveKind::ReduceScatter,
                CollectiveKind::AllGather,
                CollectiveKind::AllToAll,
                CollectiveKind::Broadcast(1),
                CollectiveKind::Reduce(1),
                CollectiveKind::Permute(pairs),
                CollectiveKind::ParameterServer(devices.len() - 1),
            ] {
                let servers = [1, 2].map(|servers| Method::ParameterServer { servers });
                let methods = [Method::Direct, Method::HalvingDoubling].into_iter().chain(servers);
                let algorithms = methods.map(AlgorithmKind::Method).chain([
                    AlgorithmKind::Rings,
                    AlgorithmKind::Trees { pipeline: 3 },
                    AlgorithmKind::Split { pipeline: 2 },
                ]);
                for routed in algorithms.filter_map(|algorithm| algorithm.routed(&kind, &topology)) {
                    check_result(&routed, 1000);
                    executed += 1;
                }
            }
        }
        assert!(executed > 40, "{executed}");
    }

    #[test]
    fn mismatched_operands_are_an_error() {
        let topology = Topology::for_devices(&Machine::named("dgx1-v100").unwrap(), &[0, 1], 1).unwrap();
        let ring = AlgorithmKind::Method(Method::Ring).routed(&CollectiveKind::AllGather, &topology).unwrap();
        let refused = |operands: &[&[f32]]| run_throttled(&ring, operands, 6, 1.0).is_err();
        assert!(!refused(&[&[1.0; 3], &[2.0; 3]]));
        assert!(refused(&[&[1.0; 3]]) && refused(&[&[1.0; 3], &[2.0; 2]]) && refused(&[&[1.0; 6], &[2.0; 6]]));
        assert!(refused(&[&[1.0; 3], &[2.0; 3], &[3.0; 3]]));
    }
}

//! An algorithm carried out over links that are as slow as they say, so that what is predicted of a machine can be
//! measured on another.
//!
//! Each message is copied by threads of its own route, one for each lane that it takes and one that delivers it. On a
//! lane messages take turns in the order in which they come to it, in real time: whoever comes reserves the lane for as
//! long as its bytes take, and sleeps. The last message of a transfer combines. Nothing here knows what was predicted,
//! nor do steps exist; threads wait for data only.
//!
//! Real links are faster than threads wake up, so that all of them are slowed down by one factor.

use partita_ir::diag::{Code, Diagnostic};
use partita_machine::collective::routed::{Message, Routed};
use partita_machine::collective::{Place, Ranks};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Barrier, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Carried {
    /// By rank, the chunks that are its result, one after the other.
    pub results: Vec<Vec<f32>>,
    /// Seconds that it took, as they pass on the machine that the links belong to.
    pub seconds: f64,
}

/// Carries out an algorithm, summing up, on operands of the ranks: the chunks that each has, one after the other. Links
/// take `slowdown` times as long as they say.
///
/// # Errors
/// `R004` if there is not one operand for each rank, or one lacks or exceeds its chunks of a tensor of `elements`
/// elements.
pub fn carry_out(routed: &Routed, operands: &[&[f32]], elements: usize, slowdown: f64) -> Result<Carried, Diagnostic> {
    let algorithm = &routed.algorithm;
    let cut = |chunk: usize| chunk * elements / algorithm.chunks..(chunk + 1) * elements / algorithm.chunks;
    let mut state = State {
        open: routed.tasks.iter().map(|task| task.after.len()).collect(),
        done: vec![false; routed.tasks.len()],
        held: FxHashMap::default(),
        arrived: vec![Vec::new(); routed.tasks.len()],
    };
    routed.messages.iter().for_each(|message| state.open[message.task] += 1);
    for rank in 0..algorithm.ranks {
        let pieces = pieces(algorithm.chunks, |chunk| algorithm.sources(chunk), cut, rank);
        let operand = operands.get(rank).copied().unwrap_or_default();
        if pieces.last().map_or(0, |(_, piece)| piece.end) != operand.len() || operands.len() != algorithm.ranks {
            let title = format!("the operand of rank {rank} does not hold its chunks of {elements} elements");
            return Err(Diagnostic::new(Code::R004, title));
        }
        for (chunk, piece) in pieces {
            state.held.insert((chunk, Place::input(rank)), operand[piece].into());
        }
    }
    let world = World::new(routed, state, cut, slowdown);
    let seconds = world.run();
    let state = world.lock();
    let result = |rank: usize| {
        let pieces = pieces(algorithm.chunks, |chunk| algorithm.targets(chunk), cut, rank);
        let held = |chunk| state.held.get(&(chunk, Place::output(rank))).map(|held| held.to_vec());
        pieces.into_iter().flat_map(|(chunk, _)| held(chunk).unwrap_or_default()).collect()
    };
    Ok(Carried { results: (0..algorithm.ranks).map(result).collect(), seconds: seconds / slowdown })
}

/// The chunks that a rank has, each with its place among their elements.
fn pieces(
    chunks: usize,
    whose: impl Fn(usize) -> Ranks,
    cut: impl Fn(usize) -> Range<usize>,
    rank: usize,
) -> Vec<(usize, Range<usize>)> {
    let mut start = 0;
    let its = (0..chunks).filter(|&chunk| whose(chunk).contains(rank));
    its.map(|chunk| {
        let piece = start..start + cut(chunk).len();
        start = piece.end;
        (chunk, piece)
    })
    .collect()
}

/// What ranks hold, and what is still to come.
struct State {
    /// By task, how many messages and tasks it waits for.
    open: Vec<usize>,
    /// By task.
    done: Vec<bool>,
    /// By chunk and place, the elements there.
    held: FxHashMap<(usize, Place), Arc<[f32]>>,
    /// By task, what its messages brought.
    arrived: Vec<Vec<(Place, Vec<f32>)>>,
}

/// A message under way.
struct Packet<'a> {
    message: &'a Message,
    data: Vec<f32>,
    /// When its first byte comes to the next lane.
    head: Instant,
    /// When its last byte comes there, if nothing holds it up.
    tail: Instant,
}

struct World<'a> {
    routed: &'a Routed,
    /// By chunk, the bytes of a message.
    bytes: Vec<f64>,
    slowdown: f64,
    /// By lane, when it will be free.
    lanes: Vec<Mutex<Instant>>,
    /// By task, those that wait for it.
    after: Vec<Vec<usize>>,
    state: Mutex<State>,
    /// Some task is done.
    changed: Condvar,
}

impl<'a> World<'a> {
    fn new(routed: &'a Routed, state: State, cut: impl Fn(usize) -> Range<usize>, slowdown: f64) -> World<'a> {
        let mut after = vec![Vec::new(); routed.tasks.len()];
        for (number, task) in routed.tasks.iter().enumerate() {
            task.after.iter().for_each(|&before| after[before].push(number));
        }
        World {
            routed,
            bytes: (0..routed.algorithm.chunks).map(|chunk| (cut(chunk).len() * size_of::<f32>()) as f64).collect(),
            slowdown,
            lanes: routed.lanes.iter().map(|_| Mutex::new(Instant::now())).collect(),
            after,
            state: Mutex::new(state),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A thread that panics ends the run.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Seconds until all threads have done their part.
    fn run(&self) -> f64 {
        let mut queues: Vec<Vec<usize>> = vec![Vec::new(); self.routed.routes.len()];
        for (number, message) in self.routed.messages.iter().enumerate() {
            queues[message.route].push(number);
        }
        queues.sort_by_key(|queue| queue.first().map(|&first| self.routed.ahead(first)));
        let open = self.lock().open.clone();
        let idle = (0..open.len()).filter(|&task| open[task] == 0).collect();
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
                    scope.spawn(move || self.pass(lane, &packets, &after));
                }
                let ready = &ready;
                scope.spawn(move || {
                    ready.wait();
                    self.send(first, queue, &next);
                });
            }
            ready.wait();
            let start = Instant::now();
            self.go_on(idle);
            start
        })
        .elapsed()
        .as_secs_f64()
    }

    /// Sends the messages of a route, one after the other, each once it is there.
    fn send(&self, lane: (usize, f64), queue: &[usize], next: &Sender<Packet<'a>>) {
        for &number in queue {
            let message = &self.routed.messages[number];
            let chunk = self.routed.tasks[message.task].transfer.chunk;
            let missing = |state: &mut State| message.after.is_some_and(|before| !state.done[before]);
            let state = self.changed.wait_while(self.lock(), missing).unwrap_or_else(PoisonError::into_inner);
            let Some(held) = state.held.get(&(chunk, message.from)).cloned() else { return };
            drop(state);
            let now = Instant::now();
            let packet = Packet { message, data: held.to_vec(), head: now, tail: now };
            sleep_until(self.take(lane, packet, next));
        }
    }

    /// Lets messages pass a lane of their route.
    fn pass(&self, lane: (usize, f64), packets: &Receiver<Packet<'a>>, next: &Sender<Packet<'a>>) {
        for packet in packets {
            sleep_until(packet.head);
            self.take(lane, packet, next);
        }
    }

    /// Reserves a lane, and lets the message go on as soon as its first byte has passed; when its last byte has.
    fn take(&self, (lane, latency): (usize, f64), mut packet: Packet<'a>, next: &Sender<Packet<'a>>) -> Instant {
        let chunk = self.routed.tasks[packet.message.task].transfer.chunk;
        let time = |seconds: f64| Duration::from_secs_f64(seconds * self.slowdown);
        let mut free = self.lanes[lane].lock().unwrap_or_else(PoisonError::into_inner);
        let start = (*free).max(Instant::now());
        let end = start + time(self.bytes[chunk] / self.routed.lanes[lane]);
        *free = end;
        drop(free);
        (packet.head, packet.tail) = (start + time(latency), packet.tail.max(end) + time(latency));
        // Whoever takes packets does so until no more come.
        let _ = next.send(packet);
        end
    }

    /// Brings messages to their tasks.
    fn deliver(&self, packets: &Receiver<Packet<'a>>) {
        for packet in packets {
            sleep_until(packet.tail);
            let task = packet.message.task;
            let mut state = self.lock();
            state.arrived[task].push((packet.message.from, packet.data));
            state.open[task] -= 1;
            let complete = state.open[task] == 0;
            drop(state);
            if complete {
                self.go_on(vec![task]);
            }
        }
    }

    /// Carries out tasks that wait for nothing, and those that waited for them only.
    fn go_on(&self, mut ready: Vec<usize>) {
        while let Some(number) = ready.pop() {
            let transfer = &self.routed.tasks[number].transfer;
            let mut state = self.lock();
            let arrived = std::mem::take(&mut state.arrived[number]);
            let here =
                |from: &Place| state.held.get(&(transfer.chunk, *from)).filter(|_| from.rank == transfer.to.rank);
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
            state.held.insert((transfer.chunk, transfer.to), all.into());
            state.done[number] = true;
            for &after in &self.after[number] {
                state.open[after] -= 1;
                if state.open[after] == 0 {
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
    use super::carry_out;
    use partita_machine::Machine;
    use partita_machine::collective::routed::Routed;
    use partita_machine::collective::way::Way;
    use partita_machine::collective::{CollectiveKind, Method, Ranks};
    use partita_machine::topology::Topology;

    /// Small whole numbers, so that their order does not matter.
    fn element(rank: usize, chunk: usize, index: usize) -> f32 {
        ((rank * 31 + chunk * 7 + index) % 101) as f32
    }

    /// Carries out a way and compares with what the kind promises.
    fn holds(routed: &Routed, elements: usize) {
        let algorithm = &routed.algorithm;
        let len = |chunk: usize| (chunk + 1) * elements / algorithm.chunks - chunk * elements / algorithm.chunks;
        let all = |whose: &dyn Fn(usize) -> Ranks, rank: usize, value: &dyn Fn(usize, usize) -> f32| -> Vec<f32> {
            let its = (0..algorithm.chunks).filter(|&chunk| whose(chunk).contains(rank));
            its.flat_map(|chunk| (0..len(chunk)).map(move |index| (chunk, index))).map(|(c, i)| value(c, i)).collect()
        };
        let ranks = 0..algorithm.ranks;
        let operand = |rank| all(&|chunk| algorithm.sources(chunk), rank, &|chunk, index| element(rank, chunk, index));
        let operands: Vec<Vec<f32>> = ranks.clone().map(operand).collect();
        let wanted = |chunk: usize, index: usize| {
            let sources = (0..algorithm.ranks).filter(|&rank| algorithm.sources(chunk).contains(rank));
            sources.map(|rank| element(rank, chunk, index)).sum()
        };
        let carried =
            carry_out(routed, &operands.iter().map(Vec::as_slice).collect::<Vec<_>>(), elements, 1.0).unwrap();
        for rank in ranks {
            let wanted = all(&|chunk| algorithm.targets(chunk), rank, &wanted);
            assert!(carried.results[rank] == wanted, "rank {rank} of {} {}", algorithm.name, algorithm.kind.name());
        }
    }

    #[test]
    fn what_is_carried_out_is_what_was_promised() {
        let mut carried_out = 0;
        for (name, devices) in [("dgx1-v100", vec![0, 1, 2, 3]), ("k80+v100", vec![4, 5, 7]), ("dgx-a100", vec![0, 1])]
        {
            let topology = Topology::of(&Machine::named(name).unwrap(), &devices, 1).unwrap();
            let pairs = vec![(0, 1), (1, 0)];
            for kind in [
                CollectiveKind::AllReduce,
                CollectiveKind::ReduceScatter,
                CollectiveKind::AllGather,
                CollectiveKind::AllToAll,
                CollectiveKind::Broadcast(1),
                CollectiveKind::Reduce(1),
                CollectiveKind::Permute(pairs),
                CollectiveKind::Served(devices.len() - 1),
            ] {
                let servers = [1, 2].map(|servers| Method::ParameterServer { servers });
                let methods = [Method::Direct, Method::HalvingDoubling].into_iter().chain(servers);
                let ways = methods.map(Way::Method).chain([
                    Way::Rings,
                    Way::Trees { pipeline: 3 },
                    Way::Split { pipeline: 2 },
                ]);
                for routed in ways.filter_map(|way| way.routed(&kind, &topology)) {
                    holds(&routed, 1000);
                    carried_out += 1;
                }
            }
        }
        assert!(carried_out > 40, "{carried_out}");
    }

    #[test]
    fn operands_that_do_not_fit_are_refused() {
        let topology = Topology::of(&Machine::named("dgx1-v100").unwrap(), &[0, 1], 1).unwrap();
        let ring = Way::Method(Method::Ring).routed(&CollectiveKind::AllGather, &topology).unwrap();
        let refused = |operands: &[&[f32]]| carry_out(&ring, operands, 6, 1.0).is_err();
        assert!(!refused(&[&[1.0; 3], &[2.0; 3]]));
        assert!(refused(&[&[1.0; 3]]) && refused(&[&[1.0; 3], &[2.0; 2]]) && refused(&[&[1.0; 6], &[2.0; 6]]));
        assert!(refused(&[&[1.0; 3], &[2.0; 3], &[3.0; 3]]));
    }
}

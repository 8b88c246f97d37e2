//! Predicted run time of a routed algorithm, by discrete-event simulation of its messages on the lanes of the topology.
//!
//! A lane serves one message at a time, in order of arrival. A message proceeds to its next lane as soon as its first
//! byte has arrived there (cut-through), and has arrived when its last byte has passed the slowest lane. Reductions
//! cost nothing, since memory is faster than links.

#[cfg(test)]
mod tests;

use crate::collective::routed::RoutedAlgorithm;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Simulation event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum SimEvent {
    /// The first byte of message `.0` reaches lane `.1` of its route.
    ReachesLane(usize, usize),
    /// The last byte of a message has left its sender. The value is the index of the route.
    Departed(usize),
    /// The last byte of message `.0` has arrived.
    Arrived(usize),
}

/// State of the simulation.
struct Simulation<'a> {
    routed: &'a RoutedAlgorithm,
    chunk: f64,
    /// Events by time and order of creation. The bit patterns of non-negative `f64` seconds order as the numbers do.
    events: BinaryHeap<Reverse<(u64, usize, SimEvent)>>,
    event_count: usize,
    /// Time at which each lane becomes free.
    free_at: Vec<f64>,
    /// Arrival time of the last byte of each message, as far as the lanes passed so far determine it.
    arrival: Vec<f64>,
    /// Queued messages of each route, the next one last, and true if one is departing.
    queues: Vec<(Vec<usize>, bool)>,
    /// True for each message whose source is available.
    ready: Vec<bool>,
    /// Number of messages and tasks that each task still waits for.
    pending_count: Vec<usize>,
    /// Tasks and messages that wait for each task.
    waiting_tasks: Vec<Vec<usize>>,
    waiting_messages: Vec<Vec<usize>>,
}

impl RoutedAlgorithm {
    /// Returns the predicted run time in seconds, for a global tensor of `bytes`.
    pub fn seconds(&self, bytes: f64) -> f64 {
        Simulation::new(self, bytes / self.algorithm.chunks.max(1) as f64).run()
    }
}

impl<'a> Simulation<'a> {
    fn new(routed: &'a RoutedAlgorithm, chunk: f64) -> Simulation<'a> {
        let (tasks, messages) = (routed.tasks.len(), routed.messages.len());
        let mut simulation = Simulation {
            routed,
            chunk,
            events: BinaryHeap::new(),
            event_count: 0,
            free_at: vec![0.0; routed.lanes.len()],
            arrival: vec![0.0; messages],
            queues: vec![(Vec::new(), false); routed.routes.len()],
            ready: routed.messages.iter().map(|message| message.producer.is_none()).collect(),
            pending_count: routed.tasks.iter().map(|task| task.dependencies.len()).collect(),
            waiting_tasks: vec![Vec::new(); tasks],
            waiting_messages: vec![Vec::new(); tasks],
        };
        for (number, task) in routed.tasks.iter().enumerate() {
            task.dependencies.iter().for_each(|&before| simulation.waiting_tasks[before].push(number));
        }
        for (number, message) in routed.messages.iter().enumerate() {
            simulation.pending_count[message.task] += 1;
            simulation.queues[message.route].0.push(number);
            if let Some(before) = message.producer {
                simulation.waiting_messages[before].push(number);
            }
        }
        simulation.queues.iter_mut().for_each(|(waiting, _)| waiting.reverse());
        simulation
            .waiting_messages
            .iter_mut()
            .for_each(|after| after.sort_by_key(|&message| routed.rank_distance(message)));
        simulation
    }

    fn run(mut self) -> f64 {
        let idle: Vec<usize> = (0..self.pending_count.len()).filter(|&task| self.pending_count[task] == 0).collect();
        idle.into_iter().for_each(|task| self.complete(task, 0.0));
        let mut routes: Vec<usize> = (0..self.queues.len()).collect();
        routes.sort_by_key(|&route| self.queues[route].0.last().map(|&first| self.routed.rank_distance(first)));
        routes.into_iter().for_each(|route| self.depart(route, 0.0));
        let mut end = 0.0;
        while let Some(Reverse((bits, _, event))) = self.events.pop() {
            let now = f64::from_bits(bits);
            end = now;
            match event {
                SimEvent::ReachesLane(message, hop) => self.reach_lane(message, hop, now),
                SimEvent::Departed(route) => {
                    self.queues[route].1 = false;
                    self.depart(route, now);
                }
                SimEvent::Arrived(message) => {
                    let task = self.routed.messages[message].task;
                    self.pending_count[task] -= 1;
                    if self.pending_count[task] == 0 {
                        self.complete(task, now);
                    }
                }
            }
        }
        end
    }

    fn schedule(&mut self, time: f64, event: SimEvent) {
        self.event_count += 1;
        self.events.push(Reverse((time.to_bits(), self.event_count, event)));
    }

    /// Starts the next message of a route if its source is available and the route is free.
    fn depart(&mut self, route: usize, now: f64) {
        let (waiting, busy) = &mut self.queues[route];
        if !*busy && waiting.last().is_some_and(|&next| self.ready[next]) {
            *busy = true;
            let next = waiting.pop().unwrap_or_default();
            self.schedule(now, SimEvent::ReachesLane(next, 0));
        }
    }

    fn reach_lane(&mut self, message: usize, hop: usize, now: f64) {
        let routed = self.routed;
        let number = routed.messages[message].route;
        let route = &routed.routes[number];
        let Some(&(lane, latency)) = route.lanes.get(hop) else {
            return self.schedule(now.max(self.arrival[message]), SimEvent::Arrived(message));
        };
        let start = self.free_at[lane].max(now);
        let end = start + self.chunk / routed.lanes[lane];
        self.free_at[lane] = end;
        self.arrival[message] = end.max(self.arrival[message]) + latency;
        if hop == 0 {
            self.schedule(end, SimEvent::Departed(number));
        }
        self.schedule(start + latency, SimEvent::ReachesLane(message, hop + 1));
    }

    /// Releases the messages and tasks that wait for a task.
    fn complete(&mut self, task: usize, now: f64) {
        let mut done = vec![task];
        while let Some(task) = done.pop() {
            for message in std::mem::take(&mut self.waiting_messages[task]) {
                self.ready[message] = true;
                self.depart(self.routed.messages[message].route, now);
            }
            for after in std::mem::take(&mut self.waiting_tasks[task]) {
                self.pending_count[after] -= 1;
                if self.pending_count[after] == 0 {
                    done.push(after);
                }
            }
        }
    }
}

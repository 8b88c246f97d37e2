//! How long an algorithm takes on a topology, by letting its messages pass the lanes.
//!
//! A lane serves one message after the other, in the order in which they come to it. A message goes on to its next lane
//! as soon as its first byte is there, and has arrived when its last byte has passed the slowest of them. Combining
//! costs nothing: memory is faster than links.

#[cfg(test)]
mod tests;

use crate::collective::routed::Routed;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What happens next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The first byte of a message comes to the lane of its route of that number.
    Comes(usize, usize),
    /// The last byte of a message has left its rank.
    Left(usize),
    /// The last byte of a message has arrived.
    Arrived(usize),
}

/// Messages under way.
struct Traffic<'a> {
    routed: &'a Routed,
    chunk: f64,
    /// Seconds as bits, which order as numbers do; events at the same time in the order in which they were found.
    events: BinaryHeap<Reverse<(u64, usize, Event)>>,
    found: usize,
    /// By lane, when it will be free.
    free: Vec<f64>,
    /// By message, when its last byte arrives if no later lane holds it up.
    arrival: Vec<f64>,
    /// By route, its messages that have not left, the next one last; and whether one is about to leave.
    waiting: Vec<(Vec<usize>, bool)>,
    /// By message, whether what it reads is there.
    ready: Vec<bool>,
    /// By task, how many messages and tasks it waits for.
    open: Vec<usize>,
    /// By task, the tasks and the messages that wait for it.
    tasks_after: Vec<Vec<usize>>,
    messages_after: Vec<Vec<usize>>,
}

impl Routed {
    /// Seconds that it takes when the whole tensor has `bytes`.
    pub fn seconds(&self, bytes: f64) -> f64 {
        Traffic::new(self, bytes / self.algorithm.chunks.max(1) as f64).run()
    }
}

impl<'a> Traffic<'a> {
    fn new(routed: &'a Routed, chunk: f64) -> Traffic<'a> {
        let (tasks, messages) = (routed.tasks.len(), routed.messages.len());
        let mut traffic = Traffic {
            routed,
            chunk,
            events: BinaryHeap::new(),
            found: 0,
            free: vec![0.0; routed.lanes.len()],
            arrival: vec![0.0; messages],
            waiting: vec![(Vec::new(), false); routed.routes.len()],
            ready: routed.messages.iter().map(|message| message.after.is_none()).collect(),
            open: routed.tasks.iter().map(|task| task.after.len()).collect(),
            tasks_after: vec![Vec::new(); tasks],
            messages_after: vec![Vec::new(); tasks],
        };
        for (number, task) in routed.tasks.iter().enumerate() {
            task.after.iter().for_each(|&before| traffic.tasks_after[before].push(number));
        }
        for (number, message) in routed.messages.iter().enumerate() {
            traffic.open[message.task] += 1;
            traffic.waiting[message.route].0.push(number);
            if let Some(before) = message.after {
                traffic.messages_after[before].push(number);
            }
        }
        traffic.waiting.iter_mut().for_each(|(waiting, _)| waiting.reverse());
        traffic.messages_after.iter_mut().for_each(|after| after.sort_by_key(|&message| routed.ahead(message)));
        traffic
    }

    fn run(mut self) -> f64 {
        let idle: Vec<usize> = (0..self.open.len()).filter(|&task| self.open[task] == 0).collect();
        idle.into_iter().for_each(|task| self.done(task, 0.0));
        let mut routes: Vec<usize> = (0..self.waiting.len()).collect();
        routes.sort_by_key(|&route| self.waiting[route].0.last().map(|&first| self.routed.ahead(first)));
        routes.into_iter().for_each(|route| self.leave(route, 0.0));
        let mut end = 0.0;
        while let Some(Reverse((bits, _, event))) = self.events.pop() {
            let now = f64::from_bits(bits);
            end = now;
            match event {
                Event::Comes(message, hop) => self.comes(message, hop, now),
                Event::Left(route) => {
                    self.waiting[route].1 = false;
                    self.leave(route, now);
                }
                Event::Arrived(message) => {
                    let task = self.routed.messages[message].task;
                    self.open[task] -= 1;
                    if self.open[task] == 0 {
                        self.done(task, now);
                    }
                }
            }
        }
        end
    }

    fn at(&mut self, time: f64, event: Event) {
        self.found += 1;
        self.events.push(Reverse((time.to_bits(), self.found, event)));
    }

    /// Sends the next message of a route on its way, if it is there.
    fn leave(&mut self, route: usize, now: f64) {
        let (waiting, busy) = &mut self.waiting[route];
        if !*busy && waiting.last().is_some_and(|&next| self.ready[next]) {
            *busy = true;
            let next = waiting.pop().unwrap_or_default();
            self.at(now, Event::Comes(next, 0));
        }
    }

    fn comes(&mut self, message: usize, hop: usize, now: f64) {
        let routed = self.routed;
        let number = routed.messages[message].route;
        let route = &routed.routes[number];
        let Some(&(lane, latency)) = route.lanes.get(hop) else {
            return self.at(now.max(self.arrival[message]), Event::Arrived(message));
        };
        let start = self.free[lane].max(now);
        let end = start + self.chunk / routed.lanes[lane];
        self.free[lane] = end;
        self.arrival[message] = end.max(self.arrival[message]) + latency;
        if hop == 0 {
            self.at(end, Event::Left(number));
        }
        self.at(start + latency, Event::Comes(message, hop + 1));
    }

    /// Lets go on what has waited for a task.
    fn done(&mut self, task: usize, now: f64) {
        let mut done = vec![task];
        while let Some(task) = done.pop() {
            for message in std::mem::take(&mut self.messages_after[task]) {
                self.ready[message] = true;
                self.leave(self.routed.messages[message].route, now);
            }
            for after in std::mem::take(&mut self.tasks_after[task]) {
                self.open[after] -= 1;
                if self.open[after] == 0 {
                    done.push(after);
                }
            }
        }
    }
}

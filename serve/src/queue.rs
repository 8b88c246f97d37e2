//! Examples that wait for a batch: until it is full, or until the first of them has waited long enough.
//!
//! The queue knows no clock and no threads; what it does depends on what it is told alone.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

/// Some examples that belong together.
pub(super) trait Request: Clone {
    /// How many there are.
    fn examples(&self) -> usize;
    /// Whether nobody waits for the answer any more.
    fn is_gone(&self) -> bool;
}

/// Why a request may not wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Refused {
    /// There is no room.
    Full,
    /// Nothing more is taken.
    Closed,
}

/// Some examples of a request.
pub(super) type Part<R> = (R, Range<usize>);

/// What is to be done now.
#[derive(PartialEq, Debug)]
pub(super) enum Next<P> {
    /// Run these, which are at most a batch.
    Run(Vec<P>),
    /// Come back then, or when something was added.
    WaitUntil(Instant),
    /// Come back when something was added.
    Wait,
    /// Nothing comes any more.
    Stop,
}

/// A request that waits, or its rest.
struct Waiting<R> {
    request: R,
    arrived: Instant,
    /// The first example that no batch has taken yet.
    next: usize,
}

/// What waits, first come, first served.
pub(super) struct Queue<R> {
    batch: usize,
    capacity: usize,
    delay: Duration,
    waiting: VecDeque<Waiting<R>>,
    examples: usize,
    is_closed: bool,
}

impl<R: Request> Queue<R> {
    /// For batches of a size: at most `capacity` examples wait, and none longer than `delay` while the model is free.
    pub(super) fn new(batch: usize, capacity: usize, delay: Duration) -> Queue<R> {
        let batch = batch.max(1);
        Queue { batch, capacity, delay, waiting: VecDeque::new(), examples: 0, is_closed: false }
    }

    /// How many examples wait.
    pub(super) fn len(&self) -> usize {
        self.examples
    }

    /// Adds a request, all of it or nothing.
    pub(super) fn push(&mut self, request: R, now: Instant) -> Result<(), Refused> {
        if self.is_closed {
            return Err(Refused::Closed);
        }
        if self.examples + request.examples() > self.capacity {
            self.forget_gone();
        }
        if self.examples + request.examples() > self.capacity {
            return Err(Refused::Full);
        }
        self.examples += request.examples();
        self.waiting.push_back(Waiting { request, arrived: now, next: 0 });
        Ok(())
    }

    /// Takes nothing more. What waits is run without delay.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// What is to be done at that time.
    pub(super) fn next(&mut self, now: Instant) -> Next<Part<R>> {
        self.forget_gone();
        let Some(first) = self.waiting.front() else {
            return if self.is_closed { Next::Stop } else { Next::Wait };
        };
        let due = first.arrived + self.delay;
        if self.examples < self.batch && now < due && !self.is_closed {
            return Next::WaitUntil(due);
        }
        let mut parts = Vec::new();
        let mut room = self.batch;
        while let Some(first) = self.waiting.front_mut().filter(|_| room > 0) {
            let end = first.request.examples().min(first.next + room);
            let taken = first.next..end;
            room -= taken.len();
            self.examples -= taken.len();
            first.next = end;
            parts.push((first.request.clone(), taken));
            if end == first.request.examples() {
                self.waiting.pop_front();
            }
        }
        Next::Run(parts)
    }

    fn forget_gone(&mut self) {
        let examples = &mut self.examples;
        self.waiting.retain(|w| {
            let is_gone = w.request.is_gone();
            if is_gone {
                *examples -= w.request.examples() - w.next;
            }
            !is_gone
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;
    use std::rc::Rc;

    #[derive(Clone, PartialEq, Debug)]
    struct Fake(&'static str, usize, Rc<Cell<bool>>);

    impl Request for Fake {
        fn examples(&self) -> usize {
            self.1
        }

        fn is_gone(&self) -> bool {
            self.2.get()
        }
    }

    fn fake(name: &'static str, examples: usize) -> Fake {
        Fake(name, examples, Rc::default())
    }

    fn names(next: Next<Part<Fake>>) -> Vec<(&'static str, Range<usize>)> {
        match next {
            Next::Run(parts) => parts.into_iter().map(|(request, range)| (request.0, range)).collect(),
            other => panic!("{other:?}"),
        }
    }

    const DELAY: Duration = Duration::from_millis(5);

    #[test]
    fn a_batch_waits_until_it_is_full_or_its_first_example_is_due() {
        let start = Instant::now();
        let mut queue = Queue::new(4, 100, DELAY);
        assert_eq!(queue.next(start), Next::Wait);
        queue.push(fake("a", 1), start).unwrap();
        queue.push(fake("b", 2), start + DELAY / 2).unwrap();
        assert_eq!(queue.next(start + DELAY / 2), Next::WaitUntil(start + DELAY));
        assert_eq!(names(queue.next(start + DELAY)), [("a", 0..1), ("b", 0..2)]);
        queue.push(fake("c", 4), start + DELAY).unwrap();
        assert_eq!(names(queue.next(start + DELAY)), [("c", 0..4)], "a full batch does not wait");
        assert_eq!(queue.next(start + DELAY), Next::Wait);
    }

    #[test]
    fn requests_are_split_over_batches_in_order() {
        let start = Instant::now();
        let mut queue = Queue::new(4, 100, DELAY);
        for request in [fake("a", 3), fake("b", 6), fake("c", 1)] {
            queue.push(request, start).unwrap();
        }
        assert_eq!(names(queue.next(start)), [("a", 0..3), ("b", 0..1)]);
        assert_eq!(names(queue.next(start)), [("b", 1..5)]);
        assert_eq!(queue.len(), 2);
        assert_eq!(names(queue.next(start + DELAY)), [("b", 5..6), ("c", 0..1)]);
    }

    #[test]
    fn what_does_not_fit_is_refused_whole() {
        let start = Instant::now();
        let mut queue = Queue::new(4, 8, DELAY);
        let a = fake("a", 5);
        queue.push(a.clone(), start).unwrap();
        assert_eq!(queue.push(fake("b", 4), start), Err(Refused::Full));
        queue.push(fake("c", 3), start).unwrap();
        assert_eq!(queue.len(), 8);
        // Who has gone away makes room.
        a.2.set(true);
        queue.push(fake("b", 4), start).unwrap();
        assert_eq!(names(queue.next(start)), [("c", 0..3), ("b", 0..1)]);
    }

    #[test]
    fn who_goes_away_is_skipped_also_in_the_middle() {
        let start = Instant::now();
        let mut queue = Queue::new(2, 100, DELAY);
        let a = fake("a", 5);
        queue.push(a.clone(), start).unwrap();
        queue.push(fake("b", 1), start).unwrap();
        assert_eq!(names(queue.next(start)), [("a", 0..2)]);
        a.2.set(true);
        assert_eq!(queue.next(start), Next::WaitUntil(start + DELAY));
        assert_eq!(queue.len(), 1);
        assert_eq!(names(queue.next(start + DELAY)), [("b", 0..1)]);
    }

    #[test]
    fn a_closed_queue_gives_what_it_has_and_stops() {
        let start = Instant::now();
        let mut queue = Queue::new(4, 8, DELAY);
        queue.push(fake("a", 1), start).unwrap();
        queue.close();
        assert_eq!(queue.push(fake("b", 1), start), Err(Refused::Closed));
        assert_eq!(names(queue.next(start)), [("a", 0..1)]);
        assert_eq!(queue.next(start), Next::Stop);
    }
}

//! Queue of requests that forms batches of examples: a batch is released to the consumer when it is full, or when the
//! oldest request has waited long enough.
//!
//! The queue uses no clock and no threads; callers pass the current time.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, Instant};

/// A group of examples with a common response.
pub(super) trait Request: Clone {
    /// Returns the number of examples.
    fn examples(&self) -> usize;
    /// Returns true if the client no longer waits for the response.
    fn is_cancelled(&self) -> bool;
}

/// Reason why a request is rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rejection {
    /// The queue is full.
    Full,
    /// The queue is closed.
    Closed,
}

/// A request, and the range of its examples that are in a batch.
pub(super) type RequestSlice<R> = (R, Range<usize>);

/// Next action of the consumer.
#[derive(PartialEq, Debug)]
pub(super) enum NextAction<P> {
    /// Run a batch of the examples in these request slices.
    Run(Vec<P>),
    /// Wait until this time or until a request is added.
    WaitUntil(Instant),
    /// Wait until a request is added.
    Wait,
    /// Stop: the queue is closed and empty.
    Stop,
}

/// A request in the queue. Its first examples may have been released already.
struct QueuedRequest<R> {
    request: R,
    arrived: Instant,
    /// Index of the first example that has not been released.
    next: usize,
}

/// A first-in, first-out queue of requests.
pub(super) struct Queue<R> {
    batch: usize,
    capacity: usize,
    delay: Duration,
    waiting: VecDeque<QueuedRequest<R>>,
    examples: usize,
    is_closed: bool,
}

impl<R: Request> Queue<R> {
    /// Creates a queue for batches of `batch` examples that accepts at most `capacity` examples. An incomplete batch is
    /// released once its oldest request has waited for `delay`.
    pub(super) fn new(batch: usize, capacity: usize, delay: Duration) -> Queue<R> {
        let batch = batch.max(1);
        Queue { batch, capacity, delay, waiting: VecDeque::new(), examples: 0, is_closed: false }
    }

    /// Returns the number of examples in the queue that have not been released.
    pub(super) fn len(&self) -> usize {
        self.examples
    }

    /// Enqueues all examples of a request.
    ///
    /// # Errors
    /// [`Rejection::Full`] if the examples exceed the capacity, after the removal of cancelled requests;
    /// [`Rejection::Closed`] if the queue is closed.
    pub(super) fn push(&mut self, request: R, now: Instant) -> Result<(), Rejection> {
        if self.is_closed {
            return Err(Rejection::Closed);
        }
        if self.examples + request.examples() > self.capacity {
            self.remove_cancelled();
        }
        if self.examples + request.examples() > self.capacity {
            return Err(Rejection::Full);
        }
        self.examples += request.examples();
        self.waiting.push_back(QueuedRequest { request, arrived: now, next: 0 });
        Ok(())
    }

    /// Rejects further requests. Remaining examples are released without delay.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// Returns the next action of the consumer at the time `now`, and removes cancelled requests and the examples of
    /// the returned batch.
    pub(super) fn next(&mut self, now: Instant) -> NextAction<RequestSlice<R>> {
        self.remove_cancelled();
        let Some(first) = self.waiting.front() else {
            return if self.is_closed { NextAction::Stop } else { NextAction::Wait };
        };
        let deadline = first.arrived + self.delay;
        if self.examples < self.batch && now < deadline && !self.is_closed {
            return NextAction::WaitUntil(deadline);
        }
        let mut slices = Vec::new();
        let mut room = self.batch;
        while let Some(first) = self.waiting.front_mut().filter(|_| room > 0) {
            let end = first.request.examples().min(first.next + room);
            let taken = first.next..end;
            room -= taken.len();
            self.examples -= taken.len();
            first.next = end;
            slices.push((first.request.clone(), taken));
            if end == first.request.examples() {
                self.waiting.pop_front();
            }
        }
        NextAction::Run(slices)
    }

    fn remove_cancelled(&mut self) {
        let examples = &mut self.examples;
        self.waiting.retain(|w| {
            let is_cancelled = w.request.is_cancelled();
            if is_cancelled {
                *examples -= w.request.examples() - w.next;
            }
            !is_cancelled
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

        fn is_cancelled(&self) -> bool {
            self.2.get()
        }
    }

    fn fake(name: &'static str, examples: usize) -> Fake {
        Fake(name, examples, Rc::default())
    }

    fn names(next: NextAction<RequestSlice<Fake>>) -> Vec<(&'static str, Range<usize>)> {
        match next {
            NextAction::Run(slices) => slices.into_iter().map(|(request, range)| (request.0, range)).collect(),
            other => panic!("{other:?}"),
        }
    }

    const DELAY: Duration = Duration::from_millis(5);

    #[test]
    fn a_batch_waits_until_it_is_full_or_its_first_example_is_due() {
        let start = Instant::now();
        let mut queue = Queue::new(4, 100, DELAY);
        assert_eq!(queue.next(start), NextAction::Wait);
        queue.push(fake("a", 1), start).unwrap();
        queue.push(fake("b", 2), start + DELAY / 2).unwrap();
        assert_eq!(queue.next(start + DELAY / 2), NextAction::WaitUntil(start + DELAY));
        assert_eq!(names(queue.next(start + DELAY)), [("a", 0..1), ("b", 0..2)]);
        queue.push(fake("c", 4), start + DELAY).unwrap();
        assert_eq!(names(queue.next(start + DELAY)), [("c", 0..4)], "a full batch does not wait");
        assert_eq!(queue.next(start + DELAY), NextAction::Wait);
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
    fn requests_beyond_the_capacity_are_rejected_entirely() {
        let start = Instant::now();
        let mut queue = Queue::new(4, 8, DELAY);
        let a = fake("a", 5);
        queue.push(a.clone(), start).unwrap();
        assert_eq!(queue.push(fake("b", 4), start), Err(Rejection::Full));
        queue.push(fake("c", 3), start).unwrap();
        assert_eq!(queue.len(), 8);
        // Examples of disconnected clients are removed to make room.
        a.2.set(true);
        queue.push(fake("b", 4), start).unwrap();
        assert_eq!(names(queue.next(start)), [("c", 0..3), ("b", 0..1)]);
    }

    #[test]
    fn cancelled_requests_are_skipped_even_when_partly_released() {
        let start = Instant::now();
        let mut queue = Queue::new(2, 100, DELAY);
        let a = fake("a", 5);
        queue.push(a.clone(), start).unwrap();
        queue.push(fake("b", 1), start).unwrap();
        assert_eq!(names(queue.next(start)), [("a", 0..2)]);
        a.2.set(true);
        assert_eq!(queue.next(start), NextAction::WaitUntil(start + DELAY));
        assert_eq!(queue.len(), 1);
        assert_eq!(names(queue.next(start + DELAY)), [("b", 0..1)]);
    }

    #[test]
    fn a_closed_queue_releases_its_examples_and_stops() {
        let start = Instant::now();
        let mut queue = Queue::new(4, 8, DELAY);
        queue.push(fake("a", 1), start).unwrap();
        queue.close();
        assert_eq!(queue.push(fake("b", 1), start), Err(Rejection::Closed));
        assert_eq!(names(queue.next(start)), [("a", 0..1)]);
        assert_eq!(queue.next(start), NextAction::Stop);
    }
}

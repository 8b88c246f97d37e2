//! The model thread, which runs batches from the queue and sends each client the output rows of its examples.

use super::metrics::Metrics;
use super::queue::{self, NextAction, Queue, Rejection, RequestSlice};
use super::{Model, Options};
use partita::Error;
use partita::predict::Feature;
use partita::predict::rows::{concat_rows, slice_rows};
use partita_ir::tensor::Tensor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot;

/// Stack size of the model thread in bytes, equal to that of the main thread of the command line.
const STACK_BYTES: usize = 64 << 20;

/// Outputs of a request, with one row per example, or the reason why the run failed.
pub(super) type RunResult = Result<Vec<Tensor>, Arc<str>>;

/// Handle of the model thread. Dropping it closes the queue, and the thread ends once the queue is empty.
pub(super) struct Batcher {
    shared: Arc<SharedQueue>,
}

struct SharedQueue {
    queue: Mutex<Queue<Arc<PendingRequest>>>,
    changed: Condvar,
}

impl SharedQueue {
    fn queue(&self) -> MutexGuard<'_, Queue<Arc<PendingRequest>>> {
        // A panic cannot leave the queue in an inconsistent state.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Inputs of a request, its outputs so far, and the channel for its response.
pub(super) struct PendingRequest {
    inputs: Vec<Tensor>,
    examples: usize,
    arrived: Instant,
    state: Mutex<State>,
}

struct State {
    /// Output rows for each batch that contained examples of the request, in order.
    output_rows: Vec<Vec<Tensor>>,
    /// Number of examples whose output rows have been stored.
    answered_examples: usize,
    reply: Option<oneshot::Sender<RunResult>>,
}

impl PendingRequest {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the output rows of `examples` examples, and sends the response once the rows of all examples are present.
    fn answer(&self, rows: Vec<Tensor>, examples: usize, outputs: &[Feature]) {
        let mut state = self.state();
        state.output_rows.push(rows);
        state.answered_examples += examples;
        if state.answered_examples < self.examples {
            return;
        }
        let batches = std::mem::take(&mut state.output_rows);
        let merged = outputs.iter().enumerate().map(|(i, output)| {
            let parts: Vec<_> = batches.iter().map(|rows| (&rows[i], 0..rows[i].ty.shape[0])).collect();
            concat_rows(&parts, self.examples, &output.batch_type(self.examples))
        });
        if let Some(reply) = state.reply.take() {
            // The client may have disconnected.
            let _ = reply.send(Ok(merged.collect()));
        }
    }

    fn fail(&self, why: &Arc<str>) {
        if let Some(reply) = self.state().reply.take() {
            let _ = reply.send(Err(why.clone()));
        }
    }
}

impl queue::Request for Arc<PendingRequest> {
    fn examples(&self) -> usize {
        self.examples
    }

    fn is_cancelled(&self) -> bool {
        self.state().reply.as_ref().is_none_or(oneshot::Sender::is_closed)
    }
}

impl Batcher {
    /// Starts the model thread.
    ///
    /// # Errors
    /// The operating system's error if the thread cannot be started.
    pub(super) fn start(model: impl Model, options: &Options, metrics: Arc<Metrics>) -> std::io::Result<Batcher> {
        let queue = Queue::new(model.batch(), options.queue, options.max_delay);
        let shared = Arc::new(SharedQueue { queue: Mutex::new(queue), changed: Condvar::new() });
        let thread = std::thread::Builder::new().name("model".into()).stack_size(STACK_BYTES);
        let worker = shared.clone();
        thread.spawn(move || run_batches(model, &worker, &metrics))?;
        Ok(Batcher { shared })
    }

    /// Enqueues the examples of a request; `inputs` have one row per example. Returns the receiver of the outputs.
    ///
    /// # Errors
    /// The errors of [`Queue::push`].
    pub(super) fn submit(
        &self,
        inputs: Vec<Tensor>,
        examples: usize,
    ) -> Result<oneshot::Receiver<RunResult>, Rejection> {
        let (reply, answer) = oneshot::channel();
        let state = Mutex::new(State { output_rows: Vec::new(), answered_examples: 0, reply: Some(reply) });
        let arrived = Instant::now();
        self.shared.queue().push(Arc::new(PendingRequest { inputs, examples, arrived, state }), arrived)?;
        self.shared.changed.notify_one();
        Ok(answer)
    }

    /// Returns the number of examples in the queue.
    pub(super) fn waiting(&self) -> usize {
        self.shared.queue().len()
    }

    /// Rejects further examples; enqueued ones are still run.
    pub(super) fn close(&self) {
        self.shared.queue().close();
        self.shared.changed.notify_one();
    }
}

impl Drop for Batcher {
    fn drop(&mut self) {
        self.close();
    }
}

/// Runs batches until the queue is closed and empty.
fn run_batches(mut model: impl Model, shared: &SharedQueue, metrics: &Metrics) {
    loop {
        let mut queue = shared.queue();
        let slices = match queue.next(Instant::now()) {
            NextAction::Run(slices) => slices,
            NextAction::Wait => {
                drop(shared.changed.wait(queue));
                continue;
            }
            NextAction::WaitUntil(deadline) => {
                drop(shared.changed.wait_timeout(queue, deadline.saturating_duration_since(Instant::now())));
                continue;
            }
            NextAction::Stop => return,
        };
        drop(queue);
        let started = Instant::now();
        let started_slices = slices.iter().filter(|(_, range)| range.start == 0);
        let waits = started_slices.map(|(request, _)| started.saturating_duration_since(request.arrived));
        metrics.record_batch(slices.iter().map(|(_, range)| range.len()).sum(), waits);
        run(&mut model, &slices);
        metrics.record_run(started.elapsed());
    }
}

/// Runs one batch, padded to the model's batch size, and sends each client the output rows of its examples.
fn run(model: &mut impl Model, slices: &[RequestSlice<Arc<PendingRequest>>]) {
    let size = model.batch();
    let batch = model.inputs().iter().enumerate().map(|(i, input)| {
        let rows: Vec<_> = slices.iter().map(|(request, range)| (&request.inputs[i], range.clone())).collect();
        concat_rows(&rows, size, &input.batch_type(size))
    });
    let batch: Vec<Tensor> = batch.collect();
    // A panic in one run must not stop the model thread.
    let outputs = match catch_unwind(AssertUnwindSafe(|| model.run(&batch))) {
        Ok(Ok(outputs)) => outputs,
        Ok(Err(Error(diagnostics))) => {
            let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
            let why: Arc<str> = texts.join("\n").into();
            return slices.iter().for_each(|(request, _)| request.fail(&why));
        }
        Err(_) => {
            let why: Arc<str> = "internal error: the run panicked".into();
            return slices.iter().for_each(|(request, _)| request.fail(&why));
        }
    };
    let mut start = 0;
    for (request, range) in slices {
        let rows = outputs.iter().map(|tensor| slice_rows(tensor, start..start + range.len())).collect();
        request.answer(rows, range.len(), model.outputs());
        start += range.len();
    }
}

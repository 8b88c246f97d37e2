//! The thread that runs the model: it takes batches from the queue and hands every client its own rows.

use super::metrics::Metrics;
use super::queue::{self, Next, Part, Queue, Refused};
use super::{Model, Options};
use partita::Error;
use partita::predict::Feature;
use partita::predict::rows::{filled, taken};
use partita_ir::tensor::Tensor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot;

/// Stack of the thread, as that of the command line's own.
const STACK: usize = 64 << 20;

/// Rows of every output, or why there are none.
pub(super) type Answer = Result<Vec<Tensor>, Arc<str>>;

/// Hands examples to the model's thread.
pub(super) struct Batcher {
    shared: Arc<Shared>,
}

struct Shared {
    queue: Mutex<Queue<Arc<Asked>>>,
    changed: Condvar,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue<Arc<Asked>>> {
        // Nobody panics in between; if somebody did, the queue would be as whole as ever.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request's examples, and who waits for the answer.
pub(super) struct Asked {
    inputs: Vec<Tensor>,
    examples: usize,
    arrived: Instant,
    state: Mutex<State>,
}

struct State {
    /// For each batch that had a part of the request: its rows of every output.
    answered: Vec<Vec<Tensor>>,
    /// Examples that are answered.
    count: usize,
    reply: Option<oneshot::Sender<Answer>>,
}

impl Asked {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps rows; replies once they are all there.
    fn answer(&self, rows: Vec<Tensor>, examples: usize, outputs: &[Feature]) {
        let mut state = self.state();
        state.answered.push(rows);
        state.count += examples;
        if state.count < self.examples {
            return;
        }
        let pieces = std::mem::take(&mut state.answered);
        let whole = outputs.iter().enumerate().map(|(i, output)| {
            let parts: Vec<_> = pieces.iter().map(|rows| (&rows[i], 0..rows[i].ty.shape[0])).collect();
            filled(&parts, self.examples, &output.examples(self.examples))
        });
        if let Some(reply) = state.reply.take() {
            // A client that has gone away needs no answer.
            let _ = reply.send(Ok(whole.collect()));
        }
    }

    fn fail(&self, why: &Arc<str>) {
        if let Some(reply) = self.state().reply.take() {
            let _ = reply.send(Err(why.clone()));
        }
    }
}

impl queue::Request for Arc<Asked> {
    fn examples(&self) -> usize {
        self.examples
    }

    fn is_gone(&self) -> bool {
        self.state().reply.as_ref().is_none_or(oneshot::Sender::is_closed)
    }
}

impl Batcher {
    /// Starts the thread.
    pub(super) fn start(model: impl Model, options: &Options, metrics: Arc<Metrics>) -> std::io::Result<Batcher> {
        let queue = Queue::new(model.batch(), options.queue, options.max_delay);
        let shared = Arc::new(Shared { queue: Mutex::new(queue), changed: Condvar::new() });
        let thread = std::thread::Builder::new().name("model".into()).stack_size(STACK);
        let worker = shared.clone();
        thread.spawn(move || work(model, &worker, &metrics))?;
        Ok(Batcher { shared })
    }

    /// Lets examples wait for a batch.
    pub(super) fn submit(&self, inputs: Vec<Tensor>, examples: usize) -> Result<oneshot::Receiver<Answer>, Refused> {
        let (reply, answer) = oneshot::channel();
        let state = Mutex::new(State { answered: Vec::new(), count: 0, reply: Some(reply) });
        let arrived = Instant::now();
        self.shared.queue().push(Arc::new(Asked { inputs, examples, arrived, state }), arrived)?;
        self.shared.changed.notify_one();
        Ok(answer)
    }

    /// How many examples wait.
    pub(super) fn waiting(&self) -> usize {
        self.shared.queue().len()
    }

    /// Takes nothing more; what waits is answered.
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
fn work(mut model: impl Model, shared: &Shared, metrics: &Metrics) {
    loop {
        let mut queue = shared.queue();
        let parts = match queue.next(Instant::now()) {
            Next::Run(parts) => parts,
            Next::Wait => {
                drop(shared.changed.wait(queue));
                continue;
            }
            Next::WaitUntil(due) => {
                drop(shared.changed.wait_timeout(queue, due.saturating_duration_since(Instant::now())));
                continue;
            }
            Next::Stop => return,
        };
        drop(queue);
        let started = Instant::now();
        let begun = parts.iter().filter(|(_, range)| range.start == 0);
        let waits = begun.map(|(asked, _)| started.saturating_duration_since(asked.arrived));
        metrics.batch(parts.iter().map(|(_, range)| range.len()).sum(), waits);
        run(&mut model, &parts);
        metrics.run(started.elapsed());
    }
}

/// Runs one batch, and hands everybody their rows.
fn run(model: &mut impl Model, parts: &[Part<Arc<Asked>>]) {
    let size = model.batch();
    let batch = model.inputs().iter().enumerate().map(|(i, input)| {
        let rows: Vec<_> = parts.iter().map(|(asked, range)| (&asked.inputs[i], range.clone())).collect();
        filled(&rows, size, &input.examples(size))
    });
    let batch: Vec<Tensor> = batch.collect();
    // A mistake of ours in one run must not take the others' answers along.
    let answers = match catch_unwind(AssertUnwindSafe(|| model.run(&batch))) {
        Ok(Ok(answers)) => answers,
        Ok(Err(Error(diagnostics))) => {
            let texts: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
            let why: Arc<str> = texts.join("\n").into();
            return parts.iter().for_each(|(asked, _)| asked.fail(&why));
        }
        Err(_) => {
            let why: Arc<str> = "the run ended in a panic, which is a mistake in Partita".into();
            return parts.iter().for_each(|(asked, _)| asked.fail(&why));
        }
    };
    let mut start = 0;
    for (asked, range) in parts {
        let rows = answers.iter().map(|tensor| taken(tensor, start..start + range.len())).collect();
        asked.answer(rows, range.len(), model.outputs());
        start += range.len();
    }
}

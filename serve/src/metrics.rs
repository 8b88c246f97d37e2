//! What has happened so far, as the text that Prometheus reads.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Bounds of how long requests take, in seconds.
const SECONDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// Counts since the start.
pub(super) struct Metrics {
    counts: Mutex<Counts>,
}

struct Counts {
    /// Requests by status.
    requests: BTreeMap<u16, u64>,
    /// Seconds of requests for predictions.
    seconds: Histogram,
    /// Seconds that requests for predictions wait for a batch.
    waits: Histogram,
    /// Seconds of each run of the model.
    runs: Histogram,
    /// Examples of each run.
    batches: Histogram,
}

/// How many observations are at most as large as each bound.
struct Histogram {
    bounds: Vec<f64>,
    counts: Vec<u64>,
    count: u64,
    sum: f64,
}

impl Histogram {
    fn new(bounds: Vec<f64>) -> Histogram {
        Histogram { counts: vec![0; bounds.len()], bounds, count: 0, sum: 0.0 }
    }

    fn add(&mut self, x: f64) {
        self.count += 1;
        self.sum += x;
        self.bounds.iter().zip(&mut self.counts).filter(|(bound, _)| x <= **bound).for_each(|(_, count)| *count += 1);
    }

    fn write(&self, out: &mut String, name: &str, help: &str) {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} histogram");
        for (bound, count) in self.bounds.iter().zip(&self.counts) {
            let _ = writeln!(out, "{name}_bucket{{le=\"{bound}\"}} {count}");
        }
        let (count, sum) = (self.count, self.sum);
        let _ = writeln!(out, "{name}_bucket{{le=\"+Inf\"}} {count}\n{name}_sum {sum}\n{name}_count {count}");
    }
}

impl Metrics {
    /// Nothing has happened; a run takes so many examples.
    pub(super) fn new(batch: usize) -> Metrics {
        let sizes = (0..).map(|i| 1usize << i).take_while(|&n| n < batch).chain([batch]);
        let batches = Histogram::new(sizes.map(|n| n as f64).collect());
        let [seconds, waits, runs] = [(); 3].map(|()| Histogram::new(SECONDS.to_vec()));
        Metrics { counts: Mutex::new(Counts { requests: BTreeMap::new(), seconds, waits, runs, batches }) }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request was answered with a status.
    pub(super) fn request(&self, status: u16) {
        *self.counts().requests.entry(status).or_default() += 1;
    }

    /// A request for predictions took so long.
    pub(super) fn prediction(&self, took: Duration) {
        self.counts().seconds.add(took.as_secs_f64());
    }

    /// The model runs with so many examples, of requests that waited that long.
    pub(super) fn batch(&self, examples: usize, waits: impl Iterator<Item = Duration>) {
        let mut counts = self.counts();
        counts.batches.add(examples as f64);
        waits.for_each(|waited| counts.waits.add(waited.as_secs_f64()));
    }

    /// A run of the model took so long.
    pub(super) fn run(&self, took: Duration) {
        self.counts().runs.add(took.as_secs_f64());
    }

    /// All of it.
    pub(super) fn text(&self, waiting: usize, connections: usize) -> String {
        let counts = self.counts();
        let mut out = "# HELP partita_requests_total Requests that were answered, by status.\n".to_owned();
        out += "# TYPE partita_requests_total counter\n";
        for (status, count) in &counts.requests {
            let _ = writeln!(out, "partita_requests_total{{status=\"{status}\"}} {count}");
        }
        for (name, help, now) in [
            ("partita_queue_examples", "Examples that wait for a batch.", waiting),
            ("partita_connections", "Open connections.", connections),
        ] {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {now}");
        }
        counts.batches.write(&mut out, "partita_batch_examples", "Examples of each run of the model.");
        counts.waits.write(&mut out, "partita_wait_seconds", "Seconds that a request waits for a batch.");
        counts.runs.write(&mut out, "partita_run_seconds", "Seconds of each run of the model.");
        counts.seconds.write(&mut out, "partita_request_seconds", "Seconds from a request's head to its answer.");
        out
    }
}

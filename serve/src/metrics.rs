//! Metrics in Prometheus text format.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Upper bounds of histogram buckets for durations, in seconds.
const DURATION_BUCKETS_SECONDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0];

/// Metrics since the start of the server.
pub(super) struct Metrics {
    counts: Mutex<Counts>,
}

struct Counts {
    /// Number of requests by HTTP status.
    requests: BTreeMap<u16, u64>,
    /// Duration of prediction requests, in seconds.
    request_seconds: Histogram,
    /// Queueing time of prediction requests, from arrival to the run with their first examples, in seconds.
    wait_seconds: Histogram,
    /// Duration of each run of the model, in seconds.
    run_seconds: Histogram,
    /// Number of examples of each run.
    batch_sizes: Histogram,
}

/// Cumulative histogram: for each bound, the number of observations that do not exceed it.
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
    /// Creates empty metrics for a model with batch size `batch`. The buckets for numbers of examples are the powers of
    /// two below `batch`, and `batch`.
    pub(super) fn new(batch: usize) -> Metrics {
        let bounds = (0..).map(|i| 1usize << i).take_while(|&n| n < batch).chain([batch]);
        let batch_sizes = Histogram::new(bounds.map(|n| n as f64).collect());
        let [request_seconds, wait_seconds, run_seconds] =
            [(); 3].map(|()| Histogram::new(DURATION_BUCKETS_SECONDS.to_vec()));
        Metrics {
            counts: Mutex::new(Counts {
                requests: BTreeMap::new(),
                request_seconds,
                wait_seconds,
                run_seconds,
                batch_sizes,
            }),
        }
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts a request with its response status.
    pub(super) fn record_request(&self, status: u16) {
        *self.counts().requests.entry(status).or_default() += 1;
    }

    /// Records the duration of a prediction request.
    pub(super) fn record_prediction(&self, took: Duration) {
        self.counts().request_seconds.add(took.as_secs_f64());
    }

    /// Records the number of examples of a run, and the queueing times of the requests whose first examples are in the
    /// run.
    pub(super) fn record_batch(&self, examples: usize, waits: impl Iterator<Item = Duration>) {
        let mut counts = self.counts();
        counts.batch_sizes.add(examples as f64);
        waits.for_each(|waited| counts.wait_seconds.add(waited.as_secs_f64()));
    }

    /// Records the duration of a run of the model.
    pub(super) fn record_run(&self, took: Duration) {
        self.counts().run_seconds.add(took.as_secs_f64());
    }

    /// Returns all metrics in Prometheus text format; `waiting` is the number of enqueued examples, and `connections`
    /// the number of open connections.
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
        counts.batch_sizes.write(&mut out, "partita_batch_examples", "Examples of each run of the model.");
        counts.wait_seconds.write(&mut out, "partita_wait_seconds", "Seconds that a request waits for a batch.");
        counts.run_seconds.write(&mut out, "partita_run_seconds", "Seconds of each run of the model.");
        counts.request_seconds.write(
            &mut out,
            "partita_request_seconds",
            "Seconds from a request's head to its answer.",
        );
        out
    }
}

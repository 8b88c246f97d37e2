//! Serving of predictions over HTTP, for many concurrent clients.
//!
//! Path of a request: `admission` limits connections, in total and per client; `connection` reads a request, with
//! timeouts; `host` rejects requests for other hosts; `http` routes the request and reports errors as JSON; `request`
//! parses numbers to tensors of the model's input types; `queue` collects examples until a batch is full or the oldest
//! one has waited long enough; the `batcher` thread runs the model and sends each client its own rows; and `response`
//! formats tensors as JSON. All resources are bounded: connections, memory (`budget`), examples in the queue and
//! examples of a request. Requests beyond a limit receive an error.
//!
//! ```no_run
//! use partita::predict::TrainedCheckpoint;
//! use partita_serve::{ModelInfo, Options, Server};
//! use partita::Predictor;
//!
//! # fn main() -> partita::Result<()> {
//! let saved = TrainedCheckpoint::open("checkpoints")?;
//! let predictor = Predictor::new(&partita::load("digits.pir")?, &saved.plan()?, &saved)?;
//! let checkpoint = Some((saved.path().display().to_string(), saved.step()));
//! let about = ModelInfo { model: "digits".into(), checkpoint };
//! let server = Server::start(predictor, about, Options::default())?;
//! println!("http://{}", server.address());
//! server.wait_for_signal();
//! server.stop();
//! # Ok(()) }
//! ```

mod admission;
mod batcher;
mod budget;
mod connection;
mod http;
mod metrics;
mod queue;
mod request;
mod response;
#[cfg(test)]
mod tests;

use admission::Admission;
use batcher::Batcher;
use budget::Budget;
use connection::Acceptor;
use http::AllowedHosts;
use http::App;
use metrics::Metrics;
use partita::Result;
use partita::predict::{Feature, Predictor};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::tensor::Tensor;
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;

/// Number of threads for connections, and maximum number of additional threads for parsing and formatting.
const WORKER_THREADS: usize = 4;

/// Listen address, limits and timeouts of a server.
#[derive(Clone, Debug)]
pub struct Options {
    /// Listen address; port 0 chooses a free port.
    pub listen: SocketAddr,
    /// Maximum time that an example waits for others to share its batch.
    pub max_delay: Duration,
    /// Maximum number of examples in the queue.
    pub queue: usize,
    /// Maximum number of examples in a request.
    pub max_examples: usize,
    /// Maximum size of a request's body, in bytes.
    pub max_body: u64,
    /// Maximum number of open connections, in addition to a small reserve for health checks.
    pub connections: usize,
    /// Maximum number of open connections of one client: of an IPv4 address, or of an IPv6 network of 64 bits.
    pub connections_per_client: usize,
    /// Allowed names in the `Host` header, in addition to loopback and the listen address.
    pub allowed_hosts: Vec<String>,
    /// Memory for all requests and responses, in bytes.
    pub memory: u64,
    /// Maximum duration until the head of a request has been received. Also limits the idle time between two requests
    /// of a connection.
    pub header_timeout: Duration,
    /// Maximum duration until the body of a request has been received, and maximum duration of a stall while the client
    /// reads the response.
    pub timeout: Duration,
    /// Maximum duration of finishing pending requests after the server has been stopped.
    pub grace: Duration,
    /// True if each request is logged.
    pub log: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)),
            max_delay: Duration::from_millis(5),
            queue: 1024,
            max_examples: 64,
            max_body: 16 << 20,
            connections: 512,
            connections_per_client: 128,
            allowed_hosts: Vec::new(),
            memory: 1 << 30,
            header_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(10),
            grace: Duration::from_secs(10),
            log: false,
        }
    }
}

/// Description of the served model.
#[derive(Clone, Debug)]
pub struct ModelInfo {
    /// Name of the model.
    pub model: String,
    /// Path of the checkpoint and its training step; `None` if the model includes its parameters.
    pub checkpoint: Option<(String, u64)>,
}

/// A model that can be served: a function from batches of examples to batches of outputs.
pub(crate) trait Model: Send + 'static {
    /// Returns the inputs, with the type of one example.
    fn inputs(&self) -> &[Feature];
    /// Returns the outputs, with the type of one example.
    fn outputs(&self) -> &[Feature];
    /// Returns the number of examples in a batch.
    fn batch(&self) -> usize;
    /// Runs the model on a full batch. Returns one tensor per output, with one row per example.
    fn run(&mut self, batch: &[Tensor]) -> Result<Vec<Tensor>>;
}

impl Model for Predictor {
    fn inputs(&self) -> &[Feature] {
        Predictor::inputs(self)
    }

    fn outputs(&self) -> &[Feature] {
        Predictor::outputs(self)
    }

    fn batch(&self) -> usize {
        Predictor::batch(self)
    }

    fn run(&mut self, batch: &[Tensor]) -> Result<Vec<Tensor>> {
        Predictor::run(self, batch)
    }
}

/// A running server: its threads, listen address and shared state. [`Server::stop`] shuts it down gracefully.
pub struct Server {
    runtime: Runtime,
    address: SocketAddr,
    app: Arc<App>,
    stop: watch::Sender<bool>,
    /// True once all connections have been closed.
    ended: watch::Receiver<bool>,
}

impl Server {
    /// Starts a server for a model.
    ///
    /// # Errors
    /// `I002` if the address is unavailable, a thread cannot be started, or the limits contradict each other.
    pub fn start(predictor: Predictor, about: ModelInfo, options: Options) -> Result<Server> {
        let mesh = predictor.partition().planned().mesh().map(|(_, mesh)| &mesh.axes);
        let mesh: serde_json::Map<String, Value> =
            mesh.into_iter().flatten().map(|axis| (axis.name.to_string(), axis.size.into())).collect();
        let stages = predictor.stage_count();
        let ModelInfo { model, checkpoint } = about;
        let ((checkpoint, step), scale) = (checkpoint.unzip(), predictor.scale());
        let (model, checkpoint) = (without_folder(&model), checkpoint.as_deref().map(without_folder));
        let about = json!({
            "model": model,
            "checkpoint": checkpoint,
            "step": step,
            "mesh": mesh,
            "stages": stages,
            "scale": scale,
        });
        Server::start_with(predictor, about, options)
    }

    /// Starts a server for any model; `about` is the description for `GET /v1/model`.
    ///
    /// # Errors
    /// The errors of [`Server::start`].
    pub(crate) fn start_with(model: impl Model, about: Value, options: Options) -> Result<Server> {
        let (inputs, outputs, batch) = (model.inputs().to_vec(), model.outputs().to_vec(), model.batch());
        let example_bytes = budget::example_bytes(&inputs, &outputs);
        check(&options, example_bytes)?;
        let cannot = |e: std::io::Error| cannot_listen(options.listen, &e);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(WORKER_THREADS)
            .max_blocking_threads(WORKER_THREADS)
            .enable_all()
            .build()
            .map_err(cannot)?;
        let listener = runtime.block_on(TcpListener::bind(options.listen)).map_err(cannot)?;
        let address = listener.local_addr().map_err(cannot)?;
        let metrics = Arc::new(Metrics::new(batch));
        let batcher = Batcher::start(model, &options, metrics.clone()).map_err(cannot)?;
        let budget = Budget::new(options.memory);
        let admission = Admission::new(options.connections, options.connections_per_client);
        let hosts = AllowedHosts::new(address, &options.allowed_hosts);
        let app = Arc::new(App {
            inputs,
            outputs,
            batch,
            about,
            example_bytes,
            options,
            batcher,
            budget,
            metrics,
            admission,
            hosts,
        });
        let (stop, stopping) = watch::channel(false);
        let (end, ended) = watch::channel(false);
        let acceptor = Acceptor::new(app.clone(), stopping);
        runtime.spawn(async move {
            acceptor.accept(listener).await;
            let _ = end.send(true);
        });
        Ok(Server { runtime, address, app, stop, ended })
    }

    /// Returns the listen address. Its port is the chosen one if [`Options::listen`] has port 0.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for Ctrl-C or SIGTERM.
    pub fn wait_for_signal(&self) {
        self.runtime.block_on(async {
            #[cfg(unix)]
            {
                use tokio::signal::unix::{SignalKind, signal};
                if let Ok(mut terminate) = signal(SignalKind::terminate()) {
                    tokio::select! {
                        _ = terminate.recv() => {}
                        _ = tokio::signal::ctrl_c() => {}
                    }
                    return;
                }
            }
            let _ = tokio::signal::ctrl_c().await;
        });
    }

    /// Stops accepting requests and finishes pending ones. Returns true if all were finished within [`Options::grace`].
    pub fn stop(self) -> bool {
        let Server { runtime, app, stop, mut ended, .. } = self;
        app.batcher.close();
        let _ = stop.send(true);
        let grace = app.options.grace;
        let all = runtime.block_on(async { tokio::time::timeout(grace, ended.wait_for(|ended| *ended)).await.is_ok() });
        runtime.shutdown_background();
        all
    }
}

/// Returns the name of a model or checkpoint without its folder, which clients should not see. Names of built-in models
/// (`zoo:`) are unchanged.
fn without_folder(name: &str) -> String {
    let (path, options) = name.find('?').map_or((name, ""), |at| name.split_at(at));
    let file = Path::new(path).file_name().filter(|_| !name.starts_with("zoo:"));
    file.map_or_else(|| name.to_owned(), |file| format!("{}{options}", file.display()))
}

/// Checks that the limits are consistent: one request must fit into the queue and into the memory of all requests.
///
/// # Errors
/// `I002` with the limits that contradict each other.
fn check(options: &Options, example_bytes: u64) -> std::result::Result<(), Diagnostic> {
    let contradict = |title: String| Err(Diagnostic::new(Code::I002, title));
    if options.max_examples > options.queue {
        let (most, queue) = (options.max_examples, options.queue);
        return contradict(format!("a request may have {most} examples, but the queue is limited to {queue}"));
    }
    let (most, memory) =
        (options.max_body.max(example_bytes.saturating_mul(options.max_examples as u64)), options.memory);
    if most > memory {
        let error =
            Diagnostic::new(Code::I002, format!("a request may need {most} bytes, but all requests share {memory}"));
        return Err(error
            .note(format!("an example and its answer need {example_bytes} bytes"))
            .help("allow fewer examples with `--max-examples`, a smaller `--max-body`, or more `--memory`"));
    }
    Ok(())
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::I002, format!("cannot listen on {address}: {}", reason(error)));
    diagnostic.help("choose another address with `--listen`; port 0 chooses a free one")
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => "the address is in use".to_owned(),
        std::io::ErrorKind::AddrNotAvailable => "the address does not belong to this machine".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

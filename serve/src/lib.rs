//! Serving: predictions over HTTP, for many clients at once.
//!
//! A request's way: `admission` limits connections, in all and for each client; a `connection` waits for a request, but
//! not for ever; `host` rejects requests for hosts that are not served here; `http` decides which of three doors a
//! request goes through and says in JSON what is wrong with it; `request` makes tensors of numbers, of the types that
//! the model takes; a `queue` holds examples until a batch is full or the first of them has waited long enough; the
//! `batcher`'s thread runs the model and hands each client its own rows; and `answer` makes numbers of tensors. Nothing
//! grows without bound: connections, bytes in memory (`budget`), examples in the queue and in a request are limited,
//! and who comes too late is told so.
//!
//! ```no_run
//! use partita::predict::Saved;
//! use partita_serve::{About, Options, Server};
//! use partita::Predictor;
//!
//! # fn main() -> partita::Result<()> {
//! let saved = Saved::find("checkpoints")?;
//! let predictor = Predictor::new(&partita::load("digits.pir")?, &saved.plan()?, &saved)?;
//! let about = About { model: "digits".into(), checkpoint: Some((saved.path().display().to_string(), saved.step())) };
//! let server = Server::start(predictor, about, Options::default())?;
//! println!("http://{}", server.address());
//! server.wait_for_signal();
//! server.stop();
//! # Ok(()) }
//! ```

mod admission;
mod answer;
mod batcher;
mod budget;
mod connection;
mod http;
mod metrics;
mod queue;
mod request;
#[cfg(test)]
mod tests;

use admission::Admission;
use batcher::Batcher;
use budget::Budget;
use connection::Doorman;
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

/// Threads that move bytes, and as many that read and write numbers.
const THREADS: usize = 4;

/// Where requests come in, and how much of everything there may be.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address; port 0 takes a free one.
    pub listen: SocketAddr,
    /// How long an example waits for others to share its batch.
    pub max_delay: Duration,
    /// Examples that may wait.
    pub queue: usize,
    /// Examples of one request.
    pub max_examples: usize,
    /// Bytes of a request's body.
    pub max_body: u64,
    /// Connections at once.
    pub connections: usize,
    /// Connections of one client at once: of an IPv4 address, or of an IPv6 network of 64 bits.
    pub connections_per_client: usize,
    /// Names in the `Host` header of requests, besides loopback and the listen address.
    pub allowed_hosts: Vec<String>,
    /// Bytes of all requests and answers at once.
    pub memory: u64,
    /// The longest time in which the head of a request must come. Also the longest time between two requests of a
    /// connection.
    pub header_timeout: Duration,
    /// How long a client may take to send the body of a request, or to take some of its answer.
    pub timeout: Duration,
    /// How long requests may take to end once the server stops.
    pub grace: Duration,
    /// Whether a line is written for each request.
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

/// What is said about the model that is served.
#[derive(Clone, Debug)]
pub struct About {
    /// What it is called.
    pub model: String,
    /// Where its parameters come from, and how many steps it was trained for; nothing when it brought them along.
    pub checkpoint: Option<(String, u64)>,
}

/// What is served: batches of examples to batches of answers.
pub(crate) trait Model: Send + 'static {
    /// What is asked for, as one example has it.
    fn inputs(&self) -> &[Feature];
    /// What is answered, as one example has it.
    fn outputs(&self) -> &[Feature];
    /// How many examples a run takes.
    fn batch(&self) -> usize;
    /// Answers a full batch.
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

/// A server at work, on threads of its own.
pub struct Server {
    runtime: Runtime,
    address: SocketAddr,
    app: Arc<App>,
    stop: watch::Sender<bool>,
    /// Changes once every connection has ended.
    ended: watch::Receiver<bool>,
}

impl Server {
    /// Serves a model from now on.
    ///
    /// # Errors
    /// `I002` when the address cannot be listened on, or the limits contradict each other.
    pub fn start(predictor: Predictor, about: About, options: Options) -> Result<Server> {
        let mesh = predictor.partition().planned().mesh().map(|(_, mesh)| &mesh.axes);
        let mesh: serde_json::Map<String, Value> =
            mesh.into_iter().flatten().map(|axis| (axis.name.to_string(), axis.size.into())).collect();
        let stages = predictor.stage_count();
        let About { model, checkpoint } = about;
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
        Server::with(predictor, about, options)
    }

    /// The same for any model, with what is to be said about it.
    pub(crate) fn with(model: impl Model, about: Value, options: Options) -> Result<Server> {
        let (inputs, outputs, batch) = (model.inputs().to_vec(), model.outputs().to_vec(), model.batch());
        let price = budget::price(&inputs, &outputs);
        check(&options, price)?;
        let cannot = |e: std::io::Error| cannot_listen(options.listen, &e);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(THREADS)
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
        let app =
            Arc::new(App { inputs, outputs, batch, about, price, options, batcher, budget, metrics, admission, hosts });
        let (stop, stopping) = watch::channel(false);
        let (end, ended) = watch::channel(false);
        let doorman = Doorman::new(app.clone(), stopping);
        runtime.spawn(async move {
            doorman.receive(listener).await;
            let _ = end.send(true);
        });
        Ok(Server { runtime, address, app, stop, ended })
    }

    /// Where requests come in.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns once the process is asked to end: by Ctrl-C, or by SIGTERM.
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

    /// Accepts nothing more, answers what waits, and returns when all is answered or the grace is over; whether all
    /// was.
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

/// The name of a model or checkpoint without the folder that it is in, which clients have no business with.
fn without_folder(name: &str) -> String {
    let (path, options) = name.find('?').map_or((name, ""), |at| name.split_at(at));
    let file = Path::new(path).file_name().filter(|_| !name.starts_with("zoo:"));
    file.map_or_else(|| name.to_owned(), |file| format!("{}{options}", file.display()))
}

/// Whether the limits go together: what one request may need must fit into what all may.
fn check(options: &Options, price: u64) -> std::result::Result<(), Diagnostic> {
    let contradict = |title: String| Err(Diagnostic::new(Code::I002, title));
    if options.max_examples > options.queue {
        let (most, queue) = (options.max_examples, options.queue);
        return contradict(format!("a request may have {most} examples, but only {queue} may wait"));
    }
    let (most, memory) = (options.max_body.max(price.saturating_mul(options.max_examples as u64)), options.memory);
    if most > memory {
        let error = Diagnostic::new(Code::I002, format!("a request may need {most} bytes, but all have {memory}"));
        return Err(error
            .note(format!("an example and its answer need {price} bytes"))
            .help("allow fewer examples with `--max-examples`, a smaller `--max-body`, or more `--memory`"));
    }
    Ok(())
}

fn cannot_listen(address: SocketAddr, error: &std::io::Error) -> Diagnostic {
    let diagnostic = Diagnostic::new(Code::I002, format!("cannot listen on {address}: {}", reason(error)));
    diagnostic.help("name another address with `--listen`; port 0 takes a free one")
}

fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::AddrInUse => "another process does".to_owned(),
        std::io::ErrorKind::AddrNotAvailable => "it is no address of this machine".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

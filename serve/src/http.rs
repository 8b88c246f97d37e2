//! The doors: `POST /v1/predict`, `GET /v1/model`, `GET /healthz` and `GET /metrics`; everything else is told where
//! they are.
//!
//! A request is looked at before it is read: what it says of its kind and length, then as it comes in, no further than
//! it may go on.

mod host;

pub(crate) use host::AllowedHosts;

use super::admission::{Admission, Exceeded};
use super::answer::{self, Kept, Problem, of_json, typed};
use super::batcher::Batcher;
use super::budget::{Budget, Taken};
use super::metrics::Metrics;
use super::queue::Refused;
use super::{Options, request};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, Request, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use host::checked;
use http_body_util::BodyExt;
use partita::predict::Feature;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Bytes of a request or an answer whose numbers are read or written within some 0.1 ms, about as long as it takes to
/// wake another thread.
const SMALL: u64 = 16 << 10;

/// What all requests have in common.
pub(super) struct App {
    pub(super) inputs: Vec<Feature>,
    pub(super) outputs: Vec<Feature>,
    pub(super) batch: usize,
    /// What is said about the model besides.
    pub(super) about: Value,
    /// Bytes that an example and its answer need.
    pub(super) price: u64,
    pub(super) options: Options,
    pub(super) batcher: Batcher,
    pub(super) budget: Budget,
    pub(super) metrics: Arc<Metrics>,
    pub(super) admission: Admission,
    pub(super) hosts: AllowedHosts,
}

type Shared = State<Arc<App>>;

/// From a path to who answers.
pub(super) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/v1/predict", post(predict))
        .route("/v1/model", get(model))
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics))
        .fallback(not_found)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(app.clone(), checked))
        .layer(from_fn_with_state(app.clone(), counted))
        .with_state(app)
}

/// The routes of a connection that exceeds a limit: health checks, and the reason for everything else.
pub(super) fn reserved_router(app: Arc<App>, exceeded: Exceeded) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics))
        .fallback(move || async move { too_many_connections(exceeded).response() })
        .layer(from_fn_with_state(app.clone(), checked))
        .layer(from_fn_with_state(app.clone(), counted))
        .with_state(app)
}

/// The answer on a connection that exceeds a limit.
fn too_many_connections(exceeded: Exceeded) -> Problem {
    match exceeded {
        Exceeded::Connections(most) => {
            Problem::new(503, "overloaded", format!("there are as many connections as there may be: {most}")).closing()
        }
        Exceeded::ConnectionsPerClient(most) => {
            Problem::new(429, "too_many_connections", format!("one client may have {most} connections"))
                .help("send several requests over one connection, or raise `--connections-per-client`")
                .closing()
        }
    }
}

/// Counts a request, and writes its line.
async fn counted(State(app): Shared, request: Request<Body>, next: Next) -> Response {
    let started = Instant::now();
    let line = app.options.log.then(|| format!("{} {}", request.method(), request.uri().path()));
    let response = next.run(request).await;
    let status = response.status().as_u16();
    app.metrics.request(status);
    if let Some(line) = line {
        eprintln!("{line} {status} {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
    }
    response
}

async fn healthz() -> Response {
    typed(StatusCode::OK, "text/plain", "ok\n".into())
}

async fn metrics(State(app): Shared) -> Response {
    let text = app.metrics.text(app.batcher.waiting(), app.admission.count());
    typed(StatusCode::OK, "text/plain; version=0.0.4", text.into())
}

async fn model(State(app): Shared) -> Response {
    let ports = |features: &[Feature]| -> Vec<Value> {
        let port = |f: &Feature| json!({ "name": f.name, "dtype": f.ty.dtype.name(), "shape": f.ty.shape[..] });
        features.iter().map(port).collect()
    };
    let mut said = app.about.clone();
    said["inputs"] = ports(&app.inputs).into();
    said["outputs"] = ports(&app.outputs).into();
    said["batch"] = app.batch.into();
    said["max_examples"] = app.options.max_examples.into();
    of_json(&said)
}

async fn not_found(uri: Uri) -> Response {
    let path: String = uri.path().chars().take(64).collect();
    Problem::new(404, "not_found", format!("there is nothing at `{path}`"))
        .help("POST /v1/predict, GET /v1/model, GET /healthz, GET /metrics")
        .response()
}

async fn wrong_method(method: Method, uri: Uri) -> Response {
    let right = if uri.path() == "/v1/predict" { "POST" } else { "GET" };
    Problem::new(405, "method_not_allowed", format!("`{}` does not take {method}", uri.path()))
        .help(format!("use {right}"))
        .response()
}

async fn predict(State(app): Shared, request: Request<Body>) -> Response {
    let started = Instant::now();
    let response = answered(&app, request).await.unwrap_or_else(|problem| problem.response());
    app.metrics.prediction(started.elapsed());
    response
}

/// The answer to a request for predictions.
async fn answered(app: &Arc<App>, request: Request<Body>) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    expect_json(&head.headers)?;
    let mut taken = app.budget.none();
    let bytes = read(app, &head.headers, body, &mut taken).await?;
    let (features, max_examples) = (app.clone(), app.options.max_examples);
    // What the work needs is taken until it is done, even if its client goes away.
    let size = bytes.len() as u64;
    let parse = move || (request::read(&bytes, &features.inputs, max_examples), taken);
    let (asks, mut taken) = work(size, parse).await?;
    let asks = asks?;
    let price = app.price.saturating_mul(asks.examples as u64);
    if !taken.have(price) {
        return Err(no_memory());
    }
    let waiting = app.batcher.submit(asks.inputs, asks.examples).map_err(refused)?;
    let outputs = match waiting.await {
        Ok(Ok(outputs)) => outputs,
        Ok(Err(why)) => {
            return Err(
                Problem::new(500, "run_failed", &*why).help("the request is well-formed: this is the server's fault")
            );
        }
        Err(_) => return Err(refused(Refused::Closed)),
    };
    let named = app.clone();
    let write = move || {
        let names: Vec<&str> = named.outputs.iter().map(|o| o.name.as_str()).collect();
        Kept::body(answer::write(&names, &outputs), taken)
    };
    let body = work(price, write).await?;
    Ok(typed(StatusCode::OK, "application/json", body))
}

/// Does work on so many bytes: small work at once, large work on a thread where no connection waits for it.
async fn work<T: Send + 'static>(bytes: u64, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    if bytes <= SMALL {
        return catch_unwind(AssertUnwindSafe(work)).map_err(|_| bug());
    }
    spawn_blocking(work).await.map_err(|_| bug())
}

/// Whether the request says that it is JSON.
fn expect_json(headers: &HeaderMap) -> Result<(), Problem> {
    let help = "send `Content-Type: application/json`";
    let unsupported = |what: String| Err(Problem::new(415, "unsupported_media_type", what).help(help).closing());
    if let Some(encoding) = headers.get(CONTENT_ENCODING).filter(|v| *v != "identity") {
        return unsupported(format!("bodies encoded as {} are not read", String::from_utf8_lossy(encoding.as_bytes())));
    }
    let kind = headers.get(CONTENT_TYPE).map(|v| String::from_utf8_lossy(v.as_bytes()).to_lowercase());
    let kind = kind.as_deref().map(|kind| kind.split(';').next().unwrap_or_default().trim());
    match kind {
        Some("application/json") => Ok(()),
        Some(other) => unsupported(format!("`{}` is not read", other.chars().take(64).collect::<String>())),
        None => unsupported("the request does not say what kind of body it has".into()),
    }
}

/// The body, if it is no longer than it may be and comes in time.
async fn read(app: &App, headers: &HeaderMap, mut body: Body, taken: &mut Taken) -> Result<Vec<u8>, Problem> {
    let most = app.options.max_body;
    let too_large = || {
        Problem::new(413, "body_too_large", format!("the body is longer than {most} bytes"))
            .help("send fewer examples, or raise `--max-body`")
            .closing()
    };
    let length = headers.get(CONTENT_LENGTH).and_then(|v| v.to_str().ok()).and_then(|v| v.parse::<u64>().ok());
    if length.is_some_and(|length| length > most) {
        return Err(too_large());
    }
    let all = async {
        let mut bytes: Vec<u8> = Vec::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Problem::new(400, "bad_request", "the body ends too early").closing())?;
            let Ok(data) = frame.into_data() else { continue };
            let length = (bytes.len() + data.len()) as u64;
            if length > most {
                return Err(too_large());
            }
            // A list that grows has room for twice as much.
            if !taken.have(2 * length) {
                return Err(no_memory().closing());
            }
            bytes.extend_from_slice(&data);
        }
        Ok(bytes)
    };
    match timeout(app.options.timeout, all).await {
        Ok(read) => read,
        Err(_) => {
            let limit = app.options.timeout.as_secs_f64();
            Err(Problem::new(408, "too_slow", format!("the body did not come within {limit} s")).closing())
        }
    }
}

fn refused(why: Refused) -> Problem {
    match why {
        Refused::Full => {
            Problem::new(503, "overloaded", "too many examples wait already").help("try again in a second")
        }
        Refused::Closed => Problem::new(503, "stopping", "the server is about to stop"),
    }
}

fn no_memory() -> Problem {
    Problem::new(503, "overloaded", "requests under way need all the memory there is").help("try again in a second")
}

fn bug() -> Problem {
    Problem::new(500, "bug", "reading the request ended in a panic, which is a mistake in Partita")
}

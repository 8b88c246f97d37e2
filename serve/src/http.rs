//! HTTP routes: `POST /v1/predict`, `GET /v1/model`, `GET /healthz` and `GET /metrics`. Other paths receive an error
//! that lists these.
//!
//! Content type and declared length are checked before the body is read, and the received length while the body is
//! read.

mod host;

pub(crate) use host::AllowedHosts;

use super::admission::{Admission, ExceededLimit};
use super::batcher::Batcher;
use super::budget::{Budget, Reservation};
use super::metrics::Metrics;
use super::queue::Rejection;
use super::response::{self, Problem, ReservedBody, json_response, with_content_type};
use super::{Options, request};
use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, Method, Request, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use host::check_host;
use http_body_util::BodyExt;
use partita::predict::Feature;
use serde_json::{Value, json};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

/// Maximum number of bytes that are parsed or formatted on the connection's thread. This takes at most about 0.1 ms,
/// comparable to the latency of waking another thread.
const MAX_INLINE_BYTES: u64 = 16 << 10;

/// State shared by all requests.
pub(super) struct App {
    pub(super) inputs: Vec<Feature>,
    pub(super) outputs: Vec<Feature>,
    pub(super) batch: usize,
    /// Description of the model for `GET /v1/model`, without inputs, outputs and batch size.
    pub(super) about: Value,
    /// Memory in bytes for one example and its response.
    pub(super) example_bytes: u64,
    pub(super) options: Options,
    pub(super) batcher: Batcher,
    pub(super) budget: Budget,
    pub(super) metrics: Arc<Metrics>,
    pub(super) admission: Admission,
    pub(super) hosts: AllowedHosts,
}

type AppState = State<Arc<App>>;

/// Returns the routes of a connection within the connection limits.
pub(super) fn router(app: Arc<App>) -> Router {
    Router::new()
        .route("/v1/predict", post(predict))
        .route("/v1/model", get(model))
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics))
        .fallback(not_found)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn_with_state(app.clone(), check_host))
        .layer(from_fn_with_state(app.clone(), count_requests))
        .with_state(app)
}

/// Returns the routes of a connection in the reserve: health checks and metrics, and an error for all other requests.
pub(super) fn reserved_router(app: Arc<App>, exceeded: ExceededLimit) -> Router {
    Router::new()
        .route("/healthz", get(healthz))
        .route("/metrics", get(metrics))
        .fallback(move || async move { too_many_connections(exceeded).response() })
        .layer(from_fn_with_state(app.clone(), check_host))
        .layer(from_fn_with_state(app.clone(), count_requests))
        .with_state(app)
}

/// Returns the error for a connection that exceeds a limit.
fn too_many_connections(exceeded: ExceededLimit) -> Problem {
    match exceeded {
        ExceededLimit::Connections(most) => {
            Problem::new(503, "overloaded", format!("the limit of {most} connections is reached")).closing()
        }
        ExceededLimit::ConnectionsPerClient(most) => {
            Problem::new(429, "too_many_connections", format!("the limit of {most} connections per client is reached"))
                .help("send several requests over one connection, or raise `--connections-per-client`")
                .closing()
        }
    }
}

/// Middleware that counts each request by response status, and logs it if enabled.
async fn count_requests(State(app): AppState, request: Request<Body>, next: Next) -> Response {
    let started = Instant::now();
    let line = app.options.log.then(|| format!("{} {}", request.method(), request.uri().path()));
    let response = next.run(request).await;
    let status = response.status().as_u16();
    app.metrics.record_request(status);
    if let Some(line) = line {
        eprintln!("{line} {status} {:.1} ms", started.elapsed().as_secs_f64() * 1e3);
    }
    response
}

async fn healthz() -> Response {
    with_content_type(StatusCode::OK, "text/plain", "ok\n".into())
}

async fn metrics(State(app): AppState) -> Response {
    let text = app.metrics.text(app.batcher.waiting(), app.admission.count());
    with_content_type(StatusCode::OK, "text/plain; version=0.0.4", text.into())
}

async fn model(State(app): AppState) -> Response {
    let ports = |features: &[Feature]| -> Vec<Value> {
        let port = |f: &Feature| json!({ "name": f.name, "dtype": f.ty.dtype.name(), "shape": f.ty.shape[..] });
        features.iter().map(port).collect()
    };
    let mut description = app.about.clone();
    description["inputs"] = ports(&app.inputs).into();
    description["outputs"] = ports(&app.outputs).into();
    description["batch"] = app.batch.into();
    description["max_examples"] = app.options.max_examples.into();
    json_response(&description)
}

async fn not_found(uri: Uri) -> Response {
    let path: String = uri.path().chars().take(64).collect();
    Problem::new(404, "not_found", format!("there is no endpoint `{path}`"))
        .help("POST /v1/predict, GET /v1/model, GET /healthz, GET /metrics")
        .response()
}

async fn wrong_method(method: Method, uri: Uri) -> Response {
    let right = if uri.path() == "/v1/predict" { "POST" } else { "GET" };
    Problem::new(405, "method_not_allowed", format!("`{}` does not allow {method}", uri.path()))
        .help(format!("use {right}"))
        .response()
}

async fn predict(State(app): AppState, request: Request<Body>) -> Response {
    let started = Instant::now();
    let response = predict_response(&app, request).await.unwrap_or_else(|problem| problem.response());
    app.metrics.record_prediction(started.elapsed());
    response
}

/// Returns the response to a prediction request.
///
/// # Errors
/// The error response for an invalid request, an exhausted limit, a failed run, or a server that is shutting down.
async fn predict_response(app: &Arc<App>, request: Request<Body>) -> Result<Response, Problem> {
    let (head, body) = request.into_parts();
    expect_json(&head.headers)?;
    let mut reservation = app.budget.empty_reservation();
    let bytes = read(app, &head.headers, body, &mut reservation).await?;
    let (features, max_examples) = (app.clone(), app.options.max_examples);
    // Memory is reserved until the work has finished, even if the client disconnects.
    let size = bytes.len() as u64;
    let parse = move || (request::read(&bytes, &features.inputs, max_examples), reservation);
    let (parsed, mut reservation) = offload(size, parse).await?;
    let parsed = parsed?;
    let request_bytes = app.example_bytes.saturating_mul(parsed.examples as u64);
    if !reservation.resize(request_bytes) {
        return Err(budget_exhausted());
    }
    let waiting = app.batcher.submit(parsed.inputs, parsed.examples).map_err(rejection_problem)?;
    let outputs = match waiting.await {
        Ok(Ok(outputs)) => outputs,
        Ok(Err(why)) => {
            return Err(
                Problem::new(500, "run_failed", &*why).help("the request is well-formed: this is the server's fault")
            );
        }
        Err(_) => return Err(rejection_problem(Rejection::Closed)),
    };
    let named = app.clone();
    let write = move || {
        let names: Vec<&str> = named.outputs.iter().map(|o| o.name.as_str()).collect();
        ReservedBody::body(response::outputs_to_json(&names, &outputs), reservation)
    };
    let body = offload(request_bytes, write).await?;
    Ok(with_content_type(StatusCode::OK, "application/json", body))
}

/// Runs work on `bytes` bytes: up to [`MAX_INLINE_BYTES`] on the current thread, else on a thread that serves no
/// connections.
///
/// # Errors
/// 500 if the work panics.
async fn offload<T: Send + 'static>(bytes: u64, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
    if bytes <= MAX_INLINE_BYTES {
        return catch_unwind(AssertUnwindSafe(work)).map_err(|_| internal_error());
    }
    spawn_blocking(work).await.map_err(|_| internal_error())
}

/// Checks that the request declares its body as JSON without content encoding.
///
/// # Errors
/// 415 for another or missing content type, or for a content encoding.
fn expect_json(headers: &HeaderMap) -> Result<(), Problem> {
    let help = "send `Content-Type: application/json`";
    let unsupported = |what: String| Err(Problem::new(415, "unsupported_media_type", what).help(help).closing());
    if let Some(encoding) = headers.get(CONTENT_ENCODING).filter(|v| *v != "identity") {
        return unsupported(format!(
            "the content encoding `{}` is not supported",
            String::from_utf8_lossy(encoding.as_bytes())
        ));
    }
    let kind = headers.get(CONTENT_TYPE).map(|v| String::from_utf8_lossy(v.as_bytes()).to_lowercase());
    let kind = kind.as_deref().map(|kind| kind.split(';').next().unwrap_or_default().trim());
    match kind {
        Some("application/json") => Ok(()),
        Some(other) => {
            unsupported(format!("the content type `{}` is not supported", other.chars().take(64).collect::<String>()))
        }
        None => unsupported("the request has no `Content-Type` header".into()),
    }
}

/// Reads the body, and reserves memory for it as it grows.
///
/// # Errors
/// 413 if the body is too large, 408 if it is not received in time, 400 if it is incomplete, 503 if the memory budget
/// is exhausted.
async fn read(
    app: &App,
    headers: &HeaderMap,
    mut body: Body,
    reservation: &mut Reservation,
) -> Result<Vec<u8>, Problem> {
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
            // A growing vector has capacity for up to twice its length.
            if !reservation.resize(2 * length) {
                return Err(budget_exhausted().closing());
            }
            bytes.extend_from_slice(&data);
        }
        Ok(bytes)
    };
    match timeout(app.options.timeout, all).await {
        Ok(read) => read,
        Err(_) => {
            let limit = app.options.timeout.as_secs_f64();
            Err(Problem::new(408, "too_slow", format!("the body was not received within {limit} s")).closing())
        }
    }
}

fn rejection_problem(why: Rejection) -> Problem {
    match why {
        Rejection::Full => {
            Problem::new(503, "overloaded", "the queue of examples is full").help("try again in a second")
        }
        Rejection::Closed => Problem::new(503, "stopping", "the server is shutting down"),
    }
}

fn budget_exhausted() -> Problem {
    Problem::new(503, "overloaded", "the memory for requests is exhausted").help("try again in a second")
}

fn internal_error() -> Problem {
    Problem::new(500, "bug", "internal error: processing the request panicked")
}

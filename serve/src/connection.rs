//! Lifetime of connections: limits, timeouts and shutdown.
//!
//! Slow clients are disconnected: those that take too long to send the head or body of a request, or to read the
//! response. Before a connection is closed, remaining data from the client is read and discarded for a while: closing a
//! connection with unread data would discard a response in transit.

use super::admission::AdmissionDecision;
use super::http::{App, reserved_router, router};
use super::response::Problem;
use axum::Router;
use axum::http::StatusCode;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Sleep, sleep, timeout};

/// Maximum size of a request's head, in bytes.
const MAX_HEAD_BYTES: usize = 64 << 10;
/// Maximum duration for which remaining data is read and discarded before a connection is closed, and maximum duration
/// of writing a response without a parsed request.
const LINGER_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum duration until the head of a request has been received on a connection in the reserve.
const RESERVE_HEADER_TIMEOUT: Duration = Duration::from_secs(1);
/// Delay before the next accept after a failed one.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Accept loop of the server, with the state that connections share.
pub(super) struct Acceptor {
    app: Arc<App>,
    router: Router,
    stopping: watch::Receiver<bool>,
}

impl Acceptor {
    pub(super) fn new(app: Arc<App>, stopping: watch::Receiver<bool>) -> Acceptor {
        Acceptor { router: router(app.clone()), app, stopping }
    }

    /// Accepts connections until the server stops. Returns when all connections have been closed.
    pub(super) async fn accept(self, listener: TcpListener) {
        let mut stopping = self.stopping.clone();
        let mut open = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stopping.wait_for(|stopping| *stopping) => break,
                Some(_) = open.join_next() => continue,
            };
            let Ok((stream, address)) = accepted else {
                sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            };
            // Disables Nagle's algorithm, which would delay small responses.
            let _ = stream.set_nodelay(true);
            let (app, stopping) = (self.app.clone(), self.stopping.clone());
            match self.app.admission.admit(address.ip()) {
                AdmissionDecision::Served(guard) => {
                    let router = self.router.clone();
                    open.spawn(async move {
                        serve(
                            stream,
                            &app,
                            ConnectionParams { router, header_timeout: app.options.header_timeout, keep_alive: true },
                            stopping,
                        )
                        .await;
                        drop(guard);
                    });
                }
                AdmissionDecision::Reserved(exceeded, displaced) => {
                    let router = reserved_router(app.clone(), exceeded);
                    let header_timeout = app.options.header_timeout.min(RESERVE_HEADER_TIMEOUT);
                    open.spawn(async move {
                        tokio::select! {
                            () = serve(
                                stream,
                                &app,
                                ConnectionParams { router, header_timeout, keep_alive: false },
                                stopping,
                            ) => {}
                            _ = displaced => {}
                        }
                    });
                }
            }
        }
        drop(listener);
        while open.join_next().await.is_some() {}
    }
}

/// Settings of a connection.
struct ConnectionParams {
    router: Router,
    header_timeout: Duration,
    /// True if the connection may carry several requests.
    keep_alive: bool,
}

/// Serves the requests of one connection until the client closes it, a timeout expires, or the server stops.
async fn serve(stream: TcpStream, app: &App, params: ConnectionParams, mut stopping: watch::Receiver<bool>) {
    let io = TokioIo::new(TimeoutStream { stream, write_timeout: app.options.timeout, timer: None });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(params.header_timeout)
        .keep_alive(params.keep_alive)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(io, TowerToHyperService::new(params.router));
    let ended = tokio::select! {
        ended = &mut connection => Some(ended),
        _ = stopping.wait_for(|stopping| *stopping) => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            Pin::new(&mut connection).graceful_shutdown();
            (&mut connection).await
        }
    };
    let parts = connection.into_parts();
    let stream = parts.io.into_inner().stream;
    match ended {
        // An idle connection is closed without a response: its client may be about to send the next request.
        Err(error) if error.is_timeout() && !parts.read_buf.is_empty() => {
            let limit = params.header_timeout.as_secs_f64();
            let problem =
                Problem::new(408, "too_slow", format!("the request's head was not received within {limit} s"));
            reply(stream, &problem, app).await;
        }
        Ok(()) => linger(stream).await,
        Err(_) => {}
    }
}

/// Writes an error response on a connection without a parsed request.
async fn reply(mut stream: TcpStream, problem: &Problem, app: &App) {
    app.metrics.record_request(problem.status);
    let (body, status) = (problem.json(), StatusCode::from_u16(problem.status).unwrap_or_default());
    let text = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    if let Ok(Ok(())) = timeout(LINGER_TIMEOUT, stream.write_all(text.as_bytes())).await {
        linger(stream).await;
    }
}

/// Closes the sending side, then reads and discards data until the client closes the connection, at most for
/// [`LINGER_TIMEOUT`].
async fn linger(mut stream: TcpStream) {
    let _ = stream.shutdown().await;
    let mut dropped = vec![0; 16 << 10];
    let rest = async { while stream.read(&mut dropped).await.is_ok_and(|n| n > 0) {} };
    let _ = timeout(LINGER_TIMEOUT, rest).await;
}

/// A stream whose writes fail after a timeout without progress.
struct TimeoutStream {
    stream: TcpStream,
    write_timeout: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl TimeoutStream {
    /// Returns the result of a write, or a timeout error once writes have been pending for `write_timeout`.
    fn with_timeout<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.timer = None;
            return written;
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(self.write_timeout)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for TimeoutStream {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for TimeoutStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.with_timeout(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.with_timeout(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

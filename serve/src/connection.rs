//! Connections: how many there are, how long one may take, and how one ends.
//!
//! A client that is slow to send a request's head, its body, or to take an answer is not waited for. Who is turned away
//! while it still sends gets its answer all the same: the rest of what it sends is read and dropped for a while, since
//! a connection that is closed with bytes unread takes the answer along.

use super::admission::Admitted;
use super::answer::Problem;
use super::http::{App, reserved_router, router};
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

/// Bytes of a request's head, at most.
const HEAD: usize = 64 << 10;
/// How long what is still sent is read and dropped.
const LINGER: Duration = Duration::from_secs(2);
/// The longest time in which the head of a request must come on a connection of the reserve.
const RESERVE_HEADER_TIMEOUT: Duration = Duration::from_secs(1);
/// How long to wait when the operating system has no connection to give.
const BREATH: Duration = Duration::from_millis(50);

/// Who lets connections in.
pub(super) struct Doorman {
    app: Arc<App>,
    router: Router,
    stopping: watch::Receiver<bool>,
}

impl Doorman {
    pub(super) fn new(app: Arc<App>, stopping: watch::Receiver<bool>) -> Doorman {
        Doorman { router: router(app.clone()), app, stopping }
    }

    /// Lets connections in until the server stops; returns once they have ended.
    pub(super) async fn receive(self, listener: TcpListener) {
        let mut stopping = self.stopping.clone();
        let mut open = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stopping.wait_for(|stopping| *stopping) => break,
                Some(_) = open.join_next() => continue,
            };
            let Ok((stream, address)) = accepted else {
                sleep(BREATH).await;
                continue;
            };
            // Answers are small, and clients wait for them.
            let _ = stream.set_nodelay(true);
            let (app, stopping) = (self.app.clone(), self.stopping.clone());
            match self.app.admission.admit(address.ip()) {
                Admitted::Served(seat) => {
                    let router = self.router.clone();
                    open.spawn(async move {
                        serve(
                            stream,
                            &app,
                            Terms { router, header_timeout: app.options.header_timeout, keep_alive: true },
                            stopping,
                        )
                        .await;
                        drop(seat);
                    });
                }
                Admitted::Reserved(exceeded, displaced) => {
                    let router = reserved_router(app.clone(), exceeded);
                    let header_timeout = app.options.header_timeout.min(RESERVE_HEADER_TIMEOUT);
                    open.spawn(async move {
                        tokio::select! {
                            () = serve(
                                stream,
                                &app,
                                Terms { router, header_timeout, keep_alive: false },
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

/// The terms on which a connection is served.
struct Terms {
    router: Router,
    header_timeout: Duration,
    /// Whether the connection may have several requests.
    keep_alive: bool,
}

/// Answers the requests of one connection.
async fn serve(stream: TcpStream, app: &App, terms: Terms, mut stopping: watch::Receiver<bool>) {
    let io = TokioIo::new(Patient { stream, patience: app.options.timeout, waiting: None });
    let mut connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(terms.header_timeout)
        .keep_alive(terms.keep_alive)
        .max_buf_size(HEAD)
        .serve_connection(io, TowerToHyperService::new(terms.router));
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
        // A connection that is merely idle is closed without a word: its client may be about to send its next request.
        Err(error) if error.is_timeout() && !parts.read_buf.is_empty() => {
            let limit = terms.header_timeout.as_secs_f64();
            let problem = Problem::new(408, "too_slow", format!("the request's head did not come within {limit} s"));
            reply(stream, &problem, app).await;
        }
        Ok(()) => linger(stream).await,
        Err(_) => {}
    }
}

/// Answers by hand where there is no request to answer to.
async fn reply(mut stream: TcpStream, problem: &Problem, app: &App) {
    app.metrics.request(problem.status);
    let (body, status) = (problem.json(), StatusCode::from_u16(problem.status).unwrap_or_default());
    let text = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
        body.len()
    );
    if let Ok(Ok(())) = timeout(LINGER, stream.write_all(text.as_bytes())).await {
        linger(stream).await;
    }
}

/// Says that nothing more comes, and drops what is still sent, for a while.
async fn linger(mut stream: TcpStream) {
    let _ = stream.shutdown().await;
    let mut dropped = vec![0; 16 << 10];
    let rest = async { while stream.read(&mut dropped).await.is_ok_and(|n| n > 0) {} };
    let _ = timeout(LINGER, rest).await;
}

/// A stream that gives up on a client that does not take what is written.
struct Patient {
    stream: TcpStream,
    patience: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    /// Lets a write that cannot go on wait, but not for ever.
    fn patiently<T>(&mut self, cx: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(self.patience)));
        ready!(waiting.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.patiently(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.patiently(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

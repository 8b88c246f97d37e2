//! Overload, failing runs, and shutdown.

use super::client::{get, post, read_response, request, send, wait_until};
use super::{Double, double, options, predict, serve};
use crate::{Options, Server};
use expect_test::expect;
use partita_ir::diag::{Code, Diagnostic};
use serde_json::json;
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// Starts a server whose model blocks until the sender is dropped, with one request running.
fn busy_server(options: Options) -> (Server, Sender<()>, TcpStream) {
    let (open, gate) = channel();
    let (ran, runs) = channel();
    let server = serve(Double { gate: Some(gate), ran: Some(ran), ..double() }, options);
    let first = send_rows(server.address(), 1.0, 1);
    runs.recv().unwrap();
    (server, open, first)
}

/// Sends a request with equal rows, without reading the response.
fn send_rows(address: SocketAddr, number: f64, rows: usize) -> TcpStream {
    send(address, &request(&json!({ "inputs": { "x": vec![[number; 3]; rows] } }).to_string()))
}

#[test]
fn a_full_queue_rejects_requests() {
    let (server, open, first) = busy_server(Options { queue: 8, ..options() });
    let address = server.address();
    let waiting = [send_rows(address, 2.0, 5), send_rows(address, 3.0, 2)];
    wait_until(|| server.app.batcher.waiting() == 7);
    let refused = post(address, r#"{"inputs": {"x": [[1,2,3],[1,2,3]]}}"#);
    assert!(refused.head.contains("retry-after: 1"), "{}", refused.head);
    expect![[r#"
        503 {"error":{"code":"overloaded","help":"try again in a second","message":"the queue of examples is full"}}
    "#]]
    .assert_eq(&format!("{} {}", refused.status, refused.body));
    assert!(get(address, "/metrics").body.contains("partita_queue_examples 7\n"));
    drop(open);
    assert!([first].into_iter().chain(waiting).all(|stream| read_response(stream).status == 200));
    assert_eq!(predict(address, &[[4.0; 3]]), [[8.0; 3]]);
    assert!(server.stop());
}

#[test]
fn memory_is_bounded_over_all_requests() {
    // Three numbers in and three out: 144 bytes per example, with eight examples per request.
    let (server, open, first) = busy_server(Options { memory: 4096, ..options() });
    let waiting = [(); 3].map(|()| send_rows(server.address(), 2.0, 8));
    wait_until(|| server.app.batcher.waiting() == 24);
    let refused = read_response(send_rows(server.address(), 2.0, 8));
    expect![[r#"
        503 {"error":{"code":"overloaded","help":"try again in a second","message":"the memory for requests is exhausted"}}
    "#]].assert_eq(&format!("{} {}", refused.status, refused.body));
    drop(open);
    assert!([first].into_iter().chain(waiting).all(|stream| read_response(stream).status == 200));
    assert_eq!(predict(server.address(), &[[4.0; 3]; 8]), [[8.0; 3]; 8]);
    assert!(server.stop());
}

#[test]
fn connections_beyond_the_limit() {
    let server = serve(double(), Options { connections: 1, ..options() });
    let address = server.address();
    let idle = TcpStream::connect(address).unwrap();
    wait_until(|| server.app.admission.count() == 1);
    let refused = get(address, "/v1/model");
    expect![[r#"
        503 {"error":{"code":"overloaded","message":"the limit of 1 connections is reached"}}
    "#]]
    .assert_eq(&format!("{} {}", refused.status, refused.body));
    assert!(refused.head.contains("connection: close") && refused.head.contains("retry-after: 1"), "{}", refused.head);
    assert_eq!(post(address, r#"{"inputs": {"x": [[1, 2, 3]]}}"#).status, 503);
    assert_eq!((get(address, "/healthz").status, get(address, "/metrics").status), (200, 200));
    drop(idle);
    wait_until(|| server.app.admission.count() == 0);
    assert_eq!(predict(address, &[[4.0; 3]]), [[8.0; 3]]);
    assert!(server.stop());
}

/// Idle connections of one client block neither health checks nor other clients.
#[test]
#[cfg(target_os = "linux")]
fn many_idle_connections_of_one_client() {
    let server = serve(double(), Options { header_timeout: Duration::from_secs(60), ..options() });
    let address = server.address();
    let idle: Vec<TcpStream> = (0..560).map(|_| TcpStream::connect(address).unwrap()).collect();
    wait_until(|| server.app.admission.count() == 128);
    for _ in 0..40 {
        assert_eq!(get(address, "/healthz").status, 200);
    }
    let refused = get(address, "/v1/model");
    expect![[r#"
        429 {"error":{"code":"too_many_connections","help":"send several requests over one connection, or raise `--connections-per-client`","message":"the limit of 128 connections per client is reached"}}
    "#]]
    .assert_eq(&format!("{} {}", refused.status, refused.body));
    let other = send_from("127.0.0.2", address, &request(r#"{"inputs": {"x": [[1, 2, 3]]}}"#));
    assert_eq!(read_response(other).body, "{\"outputs\":{\"y\":[[2.0,4.0,6.0]]}}\n");
    // Four clients together may use up all connections; health checks are still answered.
    let more = |client: &'static str| (0..140).map(move |_| send_from(client, address, ""));
    let more: Vec<TcpStream> = ["127.0.0.2", "127.0.0.3", "127.0.0.4"].into_iter().flat_map(more).collect();
    wait_until(|| server.app.admission.count() == 512);
    let last = read_response(send_from("127.0.0.5", address, &request(r#"{"inputs": {"x": [[1, 2, 3]]}}"#)));
    assert_eq!(last.status, 503, "{last:?}");
    let health = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";
    assert_eq!(read_response(send_from("127.0.0.5", address, health)).status, 200);
    drop((idle, more));
    wait_until(|| server.app.admission.count() == 0);
    assert_eq!(predict(address, &[[4.0; 3]]), [[8.0; 3]]);
    assert!(server.stop());
}

/// Connects from another address of the loopback network.
#[cfg(target_os = "linux")]
fn send_from(client: &str, address: SocketAddr, bytes: &str) -> TcpStream {
    use std::io::Write;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().unwrap();
    let connected = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(client.parse().unwrap(), 0)).unwrap();
        socket.connect(address).await.unwrap().into_std().unwrap()
    });
    connected.set_nonblocking(false).unwrap();
    connected.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let mut connected = connected;
    connected.write_all(bytes.as_bytes()).unwrap();
    connected
}

#[test]
fn runs_that_fail() {
    let out_of_memory = || Err(Diagnostic::new(Code::R004, "device 1 ran out of memory").into());
    let bug = || panic!("a mistake");
    for (fails, expected) in [
        (
            out_of_memory as fn() -> _,
            expect![[r#"
        500 {"error":{"code":"run_failed","help":"the request is well-formed: this is the server's fault","message":"error[R004]: device 1 ran out of memory"}}
    "#]],
        ),
        (
            bug,
            expect![[r#"
        500 {"error":{"code":"run_failed","help":"the request is well-formed: this is the server's fault","message":"internal error: the run panicked"}}
    "#]],
        ),
    ] {
        let server = serve(Double { fails: Some(fails), ..double() }, options());
        // A request that spans several runs fails as well.
        let failed = read_response(send_rows(server.address(), -1.0, 6));
        expected.assert_eq(&format!("{} {}", failed.status, failed.body));
        assert_eq!(predict(server.address(), &[[1.0; 3]]), [[2.0; 3]]);
        assert!(server.stop());
    }
}

#[test]
fn stopping_finishes_pending_requests() {
    let (server, open, first) = busy_server(options());
    let address = server.address();
    let waiting: Vec<TcpStream> = (0..6).map(|i| send_rows(address, f64::from(i), 2)).collect();
    let idle = TcpStream::connect(address).unwrap();
    wait_until(|| server.app.batcher.waiting() == 12);
    let stopped = std::thread::spawn(move || server.stop());
    wait_until(|| TcpStream::connect(address).is_err());
    drop(open);
    assert!(stopped.join().unwrap());
    assert!([first].into_iter().chain(waiting).all(|stream| read_response(stream).status == 200));
    drop(idle);
}

#[test]
fn stopping_is_bounded_by_the_grace_period() {
    let (server, open, first) = busy_server(Options { grace: Duration::from_millis(300), ..options() });
    let started = Instant::now();
    assert!(!server.stop());
    assert!(started.elapsed() < Duration::from_secs(5));
    drop((open, first));
}

#[test]
fn invalid_addresses_and_limits() {
    let server = serve(double(), options());
    let refused = |options| Server::start_with(double(), json!({}), options).err().unwrap().to_string();
    let taken = refused(Options { listen: server.address(), ..options() });
    expect![[r#"
        error[I002]: cannot listen on ADDRESS: the address is in use
          = help: choose another address with `--listen`; port 0 chooses a free one"#]]
    .assert_eq(&taken.replace(&server.address().to_string(), "ADDRESS"));
    expect!["error[I002]: a request may have 8 examples, but the queue is limited to 4"]
        .assert_eq(&refused(Options { queue: 4, ..options() }));
    expect![[r#"
        error[I002]: a request may need 4096 bytes, but all requests share 1000
          = note: an example and its answer need 144 bytes
          = help: allow fewer examples with `--max-examples`, a smaller `--max-body`, or more `--memory`"#]]
    .assert_eq(&refused(Options { memory: 1000, ..options() }));
    assert!(server.stop());
}

//! Invalid, oversized and slow requests: each is answered, and the server continues to work.

use super::client::{Response, get, post, read_response, request, request_with_headers, send};
use super::{double, options, predict, serve};
use crate::{Options, Server};
use expect_test::{Expect, expect};
use std::io::{ErrorKind, Write};
use std::time::{Duration, Instant};

fn check(answer: &Response, expected: Expect) {
    expected.assert_eq(&format!("{} {}", answer.status, answer.body));
}

fn assert_serves(server: Server) {
    assert_eq!(predict(server.address(), &[[1.0; 3]]), [[2.0; 3]]);
    assert!(server.stop());
}

#[test]
fn malformed_requests() {
    let server = serve(double(), options());
    let address = server.address();
    check(
        &post(address, r#"{"inputs": {"x": [[1, 2, 3}}"#),
        expect![[r#"
        400 {"error":{"code":"malformed_json","message":"expected `,` or `]` at line 1 column 27"}}
    "#]],
    );
    check(
        &post(address, r#"{"inputs": {"x": [[1, NaN, 3]]}}"#),
        expect![[r#"
        400 {"error":{"code":"malformed_json","help":"numbers must be finite: JSON has no NaN and no Infinity","message":"expected value at line 1 column 23"}}
    "#]],
    );
    check(
        &post(address, r#"{"inputs": {"x": [[1, 2]]}}"#),
        expect![[r#"
        400 {"error":{"code":"bad_input","message":"`x` is [1, 2]: f32[n, 3] is expected"}}
    "#]],
    );
    check(
        &post(address, r#"{"inputs": {"x": [[1, 2, 3], [1, 2]], "y": []}}"#),
        expect![[r#"
        400 {"error":{"code":"bad_input","message":"there is no input `y`: did you mean `x`?; `inputs.x[1]` has 2 elements, but others have 3: f32[n, 3] is expected"}}
    "#]],
    );
    let many = format!(r#"{{"inputs": {{"x": [{}]}}}}"#, ["[1,2,3]"; 9].join(","));
    check(
        &post(address, &many),
        expect![[r#"
            400 {"error":{"code":"too_many_examples","help":"send them in several requests","message":"9 examples exceed the limit of 8 per request"}}
        "#]],
    );
    check(
        &get(address, "/v1/predictions"),
        expect![[r#"
        404 {"error":{"code":"not_found","help":"POST /v1/predict, GET /v1/model, GET /healthz, GET /metrics","message":"there is no endpoint `/v1/predictions`"}}
    "#]],
    );
    let wrong = get(address, "/v1/predict");
    assert!(wrong.head.contains("allow: post"), "{}", wrong.head);
    check(
        &wrong,
        expect![[r#"
        405 {"error":{"code":"method_not_allowed","help":"use POST","message":"`/v1/predict` does not allow GET"}}
    "#]],
    );
    let delete = "DELETE /v1/model HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    check(
        &read_response(send(address, delete)),
        expect![[r#"
        405 {"error":{"code":"method_not_allowed","help":"use GET","message":"`/v1/model` does not allow DELETE"}}
    "#]],
    );
    check(
        &read_response(send(address, &request_with_headers("content-length: 2\r\n", "{}"))),
        expect![[r#"
        415 {"error":{"code":"unsupported_media_type","help":"send `Content-Type: application/json`","message":"the request has no `Content-Type` header"}}
    "#]],
    );
    check(
        &read_response(send(address, &request_with_headers("content-type: text/csv\r\ncontent-length: 2\r\n", "{}"))),
        expect![[r#"
        415 {"error":{"code":"unsupported_media_type","help":"send `Content-Type: application/json`","message":"the content type `text/csv` is not supported"}}
    "#]],
    );
    let packed = "content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n";
    check(
        &read_response(send(address, &request_with_headers(packed, "{}"))),
        expect![[r#"
        415 {"error":{"code":"unsupported_media_type","help":"send `Content-Type: application/json`","message":"the content encoding `gzip` is not supported"}}
    "#]],
    );
    assert_eq!(read_response(send(address, "\0\x01\x02 garbage\r\n\r\n")).status, 400);
    assert_eq!(
        read_response(send(address, &request_with_headers(&format!("x: {}\r\n", "y".repeat(1 << 17)), ""))).status,
        431
    );
    assert_serves(server);
}

/// Hosts that an attacker may control are rejected.
#[test]
fn hosts_that_are_not_allowed() {
    let server = serve(double(), Options { allowed_hosts: vec!["models.example.org".into()], ..options() });
    let send_head = |head: &str| read_response(send(server.address(), &format!("{head}connection: close\r\n\r\n")));
    check(
        &send_head("GET /healthz HTTP/1.1\r\n"),
        expect![[r#"
        400 {"error":{"code":"bad_host","message":"the request has no `Host` header"}}
    "#]],
    );
    check(
        &send_head("GET /v1/model HTTP/1.1\r\nhost: evil.example:8080\r\n"),
        expect![[r#"
        421 {"error":{"code":"host_not_allowed","help":"start the server with `--allow-host evil.example` if it is a name of this server","message":"the host `evil.example` is not served here"}}
    "#]],
    );
    for (head, status) in [
        ("GET /healthz HTTP/1.0\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nhost:\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nhost: a b\r\n", 400),
        ("GET /healthz HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n", 400),
        ("GET http://evil.example/healthz HTTP/1.1\r\nhost: localhost\r\n", 421),
        ("GET http://localhost/healthz HTTP/1.1\r\nhost: localhost\r\n", 200),
        ("GET /healthz HTTP/1.1\r\nhost: models.example.org\r\n", 200),
        ("GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:1\r\n", 200),
    ] {
        assert_eq!(send_head(head).status, status, "{head}");
    }
    let wrong = post_to(&server, "evil.example", r#"{"inputs": {"x": [[1, 2, 3]]}}"#);
    assert_eq!(wrong.status, 421, "{wrong:?}");
    assert_serves(server);
}

/// Sends a request for predictions with another `Host` header.
fn post_to(server: &Server, host: &str, body: &str) -> Response {
    read_response(send(server.address(), &request(body).replace("host: localhost", &format!("host: {host}"))))
}

#[test]
fn bodies_that_are_too_long() {
    let server = serve(double(), options());
    let address = server.address();
    // A declared length of 1 GiB is rejected before the body is sent,
    let json = "content-type: application/json\r\n";
    let head = request_with_headers(&format!("{json}content-length: 1073741824\r\n"), "");
    let refused = read_response(send(address, &head));
    assert!(refused.head.contains("connection: close"));
    check(
        &refused,
        expect![[r#"
        413 {"error":{"code":"body_too_large","help":"send fewer examples, or raise `--max-body`","message":"the body is longer than 4096 bytes"}}
    "#]],
    );
    // also if the client sends the body nevertheless,
    let mut stream = send(address, &head);
    let chunk = vec![b' '; 1 << 20];
    (0..64).for_each(|_| stream.write_all(&chunk).unwrap());
    assert_eq!(read_response(stream).status, 413);
    // and a body without declared length as soon as it is too long.
    let mut stream = send(address, &request_with_headers(&format!("{json}transfer-encoding: chunked\r\n"), ""));
    for _ in 0..64 {
        stream.write_all(b"100000\r\n").unwrap();
        stream.write_all(&chunk).unwrap();
        stream.write_all(b"\r\n").unwrap();
    }
    assert_eq!(read_response(stream).status, 413);
    assert_serves(server);
}

#[test]
fn clients_that_are_too_slow() {
    let limit = Duration::from_millis(300);
    let server = serve(double(), Options { header_timeout: limit, timeout: limit, ..options() });
    let address = server.address();
    let started = Instant::now();
    check(
        &read_response(send(address, "POST /v1/pre")),
        expect![[r#"
        408 {"error":{"code":"too_slow","message":"the request's head was not received within 0.3 s"}}
    "#]],
    );
    let body = request(r#"{"inputs": {"x": [[1, 2, 3]]}}"#);
    check(
        &read_response(send(address, &body[..body.len() - 5])),
        expect![[r#"
        408 {"error":{"code":"too_slow","message":"the body was not received within 0.3 s"}}
    "#]],
    );
    // Sending a byte now and then does not reset the timeout.
    let mut stream = send(address, &body[..body.len() - 20]);
    for byte in &body.as_bytes()[body.len() - 20..body.len() - 10] {
        let _ = stream.write_all(&[*byte]);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(read_response(stream).status, 408);
    assert!(started.elapsed() < Duration::from_secs(8));
    assert_serves(server);
}

/// A client that sends requests without reading responses is disconnected, so that responses do not accumulate.
#[test]
fn clients_that_do_not_read() {
    let server = serve(double(), Options { timeout: Duration::from_millis(300), ..options() });
    let mut stream = send(server.address(), "");
    stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
    let many = "GET /v1/model HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(1000);
    let refused = (0..10_000).find_map(|_| stream.write_all(many.as_bytes()).err());
    let kind = refused.map(|e| e.kind());
    assert!(matches!(kind, Some(ErrorKind::ConnectionReset | ErrorKind::BrokenPipe)), "{kind:?}");
    assert_serves(server);
}

#[test]
fn a_body_that_ends_too_early() {
    let server = serve(double(), options());
    let body = request(r#"{"inputs": {"x": [[1, 2, 3]]}}"#);
    let stream = send(server.address(), &body[..body.len() - 5]);
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    check(
        &read_response(stream),
        expect![[r#"
        400 {"error":{"code":"bad_request","message":"the body ends too early"}}
    "#]],
    );
    assert_serves(server);
}

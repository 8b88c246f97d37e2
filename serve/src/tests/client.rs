//! A minimal HTTP client that can send invalid requests.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Maximum duration of any wait.
const DEADLINE: Duration = Duration::from_secs(20);

/// Response of the server.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// Sends bytes, and leaves the connection open.
pub(crate) fn send(address: SocketAddr, bytes: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream.write_all(bytes.as_bytes()).unwrap();
    stream
}

/// Reads the response until the server closes the connection.
pub(crate) fn read_response(mut stream: TcpStream) -> Response {
    let mut text = Vec::new();
    stream.read_to_end(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no response: {text:?}"));
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or_else(|| panic!("no status: {head}"));
    Response { status, head: head.to_lowercase(), body: body.to_owned() }
}

/// Returns a request for predictions.
pub(crate) fn request(body: &str) -> String {
    request_with_headers(&format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len()), body)
}

/// Returns a request for predictions with the given headers in addition to `Host` and `Connection`.
pub(crate) fn request_with_headers(head: &str, body: &str) -> String {
    format!("POST /v1/predict HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{head}\r\n{body}")
}

pub(crate) fn post(address: SocketAddr, body: &str) -> Response {
    read_response(send(address, &request(body)))
}

pub(crate) fn get(address: SocketAddr, path: &str) -> Response {
    read_response(send(address, &format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")))
}

/// Waits until a condition is true.
pub(crate) fn wait_until(condition: impl Fn() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < DEADLINE, "timed out");
        std::thread::sleep(Duration::from_millis(2));
    }
}

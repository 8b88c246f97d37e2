//! A client that can do everything wrong.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Nothing that is waited for may take longer.
const DEADLINE: Duration = Duration::from_secs(20);

/// What a server said.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// Sends bytes, and leaves the connection open.
pub(crate) fn begin(address: SocketAddr, bytes: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream.write_all(bytes.as_bytes()).unwrap();
    stream
}

/// Reads all that a server says until it closes the connection.
pub(crate) fn end(mut stream: TcpStream) -> Response {
    let mut text = Vec::new();
    stream.read_to_end(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no response: {text:?}"));
    let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or_else(|| panic!("no status: {head}"));
    Response { status, head: head.to_lowercase(), body: body.to_owned() }
}

/// A request for predictions.
pub(crate) fn request(body: &str) -> String {
    with(&format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len()), body)
}

/// The same with a head of one's own.
pub(crate) fn with(head: &str, body: &str) -> String {
    format!("POST /v1/predict HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{head}\r\n{body}")
}

pub(crate) fn post(address: SocketAddr, body: &str) -> Response {
    end(begin(address, &request(body)))
}

pub(crate) fn get(address: SocketAddr, path: &str) -> Response {
    end(begin(address, &format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")))
}

/// Waits until something is so.
pub(crate) fn until(is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < DEADLINE, "it never was so");
        std::thread::sleep(Duration::from_millis(2));
    }
}

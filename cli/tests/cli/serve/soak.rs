//! The long test of `serve`: many concurrent clients, each with an expected answer.
//!
//! `PARTITA_SOAK_SECONDS` sets the duration; the default is 30.

use super::{Server, trained};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const CLIENTS: usize = 64;

/// Returns the resident memory of a process in KiB.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|l| l.trim().strip_suffix("kB")?.trim().parse().ok()).unwrap_or(0)
}

/// Sends a request on a persistent connection and reads the response.
fn exchange(stream: &mut BufReader<TcpStream>, body: &str) -> (u16, String) {
    let head = "POST /v1/predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
    let text = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    stream.get_mut().write_all(text.as_bytes()).unwrap();
    let (mut status, mut length, mut line) = (0, 0, String::new());
    while stream.read_line(&mut line).unwrap() > 2 {
        let lower = line.to_lowercase();
        if let Some(rest) = lower.strip_prefix("http/1.1 ") {
            status = rest[..3].parse().unwrap();
        }
        if let Some(rest) = lower.strip_prefix("content-length: ") {
            length = rest.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    (status, String::from_utf8(body).unwrap())
}

/// Every client repeatedly sends distinct examples. A response must be byte-identical to the response to the same
/// examples alone.
#[test]
#[ignore = "takes half a minute: cargo xtask soak"]
fn many_clients_for_a_long_time() {
    let seconds = std::env::var("PARTITA_SOAK_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(30);
    let folder = trained("soak");
    let server = Server::start(&folder, &[]);
    let (address, pid) = (server.address, server.child.id());
    let connect = || BufReader::new(TcpStream::connect(address).unwrap());
    let questions: Vec<Vec<String>> = (0..CLIENTS)
        .map(|client| {
            let rows = |turn: usize| -> Vec<[f32; 4]> {
                (0..1 + (client + turn) % 4).map(|row| [client as f32, turn as f32, row as f32, 0.5]).collect()
            };
            (0..8).map(|turn| json!({ "inputs": { "x": rows(turn) } }).to_string()).collect()
        })
        .collect();
    let alone: Vec<Vec<String>> = questions
        .iter()
        .map(|all| {
            let mut stream = connect();
            all.iter().map(|question| exchange(&mut stream, question).1).collect()
        })
        .collect();
    let different: std::collections::BTreeSet<&String> = alone.iter().flatten().collect();
    assert_eq!(different.len(), CLIENTS * 8, "an answer tells whose it is");
    let before = resident(pid);
    let started = Instant::now();
    let mut peak = before;
    let mut took: Vec<Duration> = std::thread::scope(|scope| {
        let clients: Vec<_> = questions
            .iter()
            .zip(&alone)
            .map(|(questions, answers)| {
                scope.spawn(move || {
                    let mut stream = connect();
                    let mut took = Vec::new();
                    while started.elapsed().as_secs() < seconds {
                        for (question, answer) in questions.iter().zip(answers) {
                            let asked = Instant::now();
                            let (status, said) = exchange(&mut stream, question);
                            assert_eq!((status, &said), (200, answer));
                            took.push(asked.elapsed());
                        }
                    }
                    took
                })
            })
            .collect();
        while started.elapsed().as_secs() < seconds {
            std::thread::sleep(Duration::from_millis(200));
            peak = peak.max(resident(pid));
        }
        clients.into_iter().flat_map(|client| client.join().unwrap()).collect()
    });
    let elapsed = started.elapsed().as_secs_f64();
    took.sort_unstable();
    let after = resident(pid);
    let quantile = |share: f64| took[((took.len() - 1) as f64 * share) as usize].as_secs_f64() * 1e3;
    println!(
        "{CLIENTS} clients, {elapsed:.1} s: {} answers, {:.0} a second; p50 {:.2} ms, p99 {:.2} ms, longest {:.2} ms; \
         resident {before} KiB before, {peak} KiB at most, {after} KiB after",
        took.len(),
        took.len() as f64 / elapsed,
        quantile(0.5),
        quantile(0.99),
        quantile(1.0),
    );
    // Parts of the latency measured by the server: from a request's head to its response, in the queue, and in the
    // model.
    let metrics = super::get(address, "/metrics").body;
    for part in ["request", "wait", "run"] {
        let counts = metrics.lines().filter_map(|l| l.strip_prefix(&format!("partita_{part}_seconds_")));
        println!("{part}: {}", counts.map(|l| l.replace("bucket", "")).collect::<Vec<_>>().join(", "));
    }
    let model: Value = serde_json::from_str(&super::get(address, "/v1/model").body).unwrap();
    assert_eq!(model["batch"], 8);
    assert!(peak < before + (64 << 10), "{before} KiB before, {peak} KiB at most");
    let (status, err) = server.stop();
    assert!(status.success() && err.is_empty(), "{status} {err}");
}

//! End-to-end tests of the server, with a model whose behaviour tests control.

mod client;
mod invalid_requests;
mod overload;

use super::{Model, Options, Server};
use client::{get, post};
use expect_test::expect;
use partita::Result;
use partita::predict::Feature;
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::{Scalar, Tensor};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// A model that doubles three numbers, with batch size four.
struct Double {
    features: [Feature; 2],
    /// Blocks each run until a message arrives or the sender is dropped.
    gate: Option<Receiver<()>>,
    /// Receives the first number of every row of a run.
    ran: Option<Sender<Vec<f64>>>,
    /// Result of runs whose first number is -1.
    fails: Option<fn() -> Result<()>>,
}

impl Model for Double {
    fn inputs(&self) -> &[Feature] {
        &self.features[..1]
    }

    fn outputs(&self) -> &[Feature] {
        &self.features[1..]
    }

    fn batch(&self) -> usize {
        4
    }

    fn run(&mut self, batch: &[Tensor]) -> Result<Vec<Tensor>> {
        let numbers: Vec<f64> = batch[0].scalars().map(Scalar::to_f64).collect();
        assert_eq!(numbers.len(), 12, "batches are full");
        if let Some(ran) = &self.ran {
            let _ = ran.send(numbers.iter().step_by(3).copied().collect());
        }
        if let Some(gate) = &self.gate {
            let _ = gate.recv();
        }
        if numbers[0] == -1.0
            && let Some(fail) = self.fails
        {
            fail()?;
        }
        Ok(vec![Tensor::from_floats(batch[0].ty.clone(), numbers.into_iter().map(|x| 2.0 * x).collect())])
    }
}

fn double() -> Double {
    let feature = |name: &str| Feature { name: name.into(), ty: Type::new(DType::F32, [3]), index_bound: None };
    Double { features: [feature("x"), feature("y")], gate: None, ran: None, fails: None }
}

fn options() -> Options {
    Options { listen: "127.0.0.1:0".parse().unwrap(), max_examples: 8, max_body: 4096, ..Options::default() }
}

fn serve(model: Double, options: Options) -> Server {
    Server::start_with(model, json!({ "model": "double" }), options).unwrap_or_else(|e| panic!("{e}"))
}

/// Returns the predictions for some examples.
fn predict(address: SocketAddr, rows: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let answer = post(address, &json!({ "inputs": { "x": rows } }).to_string());
    assert_eq!(answer.status, 200, "{answer:?}");
    let answer: Value = serde_json::from_str(&answer.body).unwrap();
    serde_json::from_value(answer["outputs"]["y"].clone()).unwrap()
}

#[test]
fn requests_are_answered() {
    let server = serve(double(), options());
    let answer = post(server.address(), r#"{"inputs": {"x": [[1, 2.5, 3], [0.1, 1e-20, 0]]}}"#);
    assert_eq!(answer.status, 200);
    expect![[r#"
        {"outputs":{"y":[[2.0,5.0,6.0],[0.2,2e-20,0.0]]}}
    "#]]
    .assert_eq(&answer.body);
    let more = predict(server.address(), &(0..7).map(|i| [f64::from(i); 3]).collect::<Vec<_>>());
    assert_eq!(more, (0..7).map(|i| [f64::from(2 * i); 3]).collect::<Vec<_>>(), "more than a batch");
    expect![[r#"
        {
          "batch": 4,
          "inputs": [
            {
              "dtype": "f32",
              "name": "x",
              "shape": [
                3
              ]
            }
          ],
          "max_examples": 8,
          "model": "double",
          "outputs": [
            {
              "dtype": "f32",
              "name": "y",
              "shape": [
                3
              ]
            }
          ]
        }
    "#]]
    .assert_eq(&get(server.address(), "/v1/model").body);
    expect![[r#"
        ok
    "#]]
    .assert_eq(&get(server.address(), "/healthz").body);
    client::wait_until(|| server.app.admission.count() == 0);
    let metrics = get(server.address(), "/metrics").body;
    let counts: Vec<&str> = metrics.lines().filter(|l| !l.starts_with('#') && !l.contains("seconds")).collect();
    expect![[r#"
        partita_requests_total{status="200"} 4
        partita_queue_examples 0
        partita_connections 1
        partita_batch_examples_bucket{le="1"} 0
        partita_batch_examples_bucket{le="2"} 1
        partita_batch_examples_bucket{le="4"} 3
        partita_batch_examples_bucket{le="+Inf"} 3
        partita_batch_examples_sum 9
        partita_batch_examples_count 3
    "#]]
    .assert_eq(&(counts.join("\n") + "\n"));
    assert!(server.stop());
}

/// Concurrent requests of different lengths: each client receives the outputs of its own rows.
#[test]
fn concurrent_clients_receive_their_own_rows() {
    let server = serve(double(), Options { max_delay: Duration::from_micros(200), ..options() });
    let address = server.address();
    std::thread::scope(|scope| {
        for client in 0..16u32 {
            scope.spawn(move || {
                for turn in 0..25u32 {
                    let rows: Vec<[f64; 3]> = (0..=(client + turn) % 6)
                        .map(|row| [f64::from(client), f64::from(turn), f64::from(row)])
                        .collect();
                    let expected: Vec<[f64; 3]> = rows.iter().map(|row| row.map(|x| 2.0 * x)).collect();
                    assert_eq!(predict(address, &rows), expected);
                }
            });
        }
    });
    assert!(server.stop());
}

/// Examples of clients that disconnect before their batch starts are not run.
#[test]
fn disconnected_clients_are_skipped() {
    let (open, gate) = channel();
    let (ran, runs) = channel();
    let server = serve(Double { gate: Some(gate), ran: Some(ran), ..double() }, options());
    let address = server.address();
    std::thread::scope(|scope| {
        let first = scope.spawn(move || predict(address, &[[1.0; 3]]));
        assert_eq!(runs.recv().unwrap(), [1.0; 4]);
        let gone = client::send(address, &client::request(&json!({ "inputs": { "x": [[2, 2, 2]] } }).to_string()));
        client::wait_until(|| server.app.batcher.waiting() == 1);
        drop(gone);
        client::wait_until(|| get(address, "/metrics").body.contains("partita_connections 2\n"));
        let last = scope.spawn(move || predict(address, &[[3.0; 3]]));
        client::wait_until(|| server.app.batcher.waiting() == 2);
        drop(open);
        assert_eq!(runs.recv().unwrap(), [3.0; 4]);
        assert_eq!(first.join().unwrap(), [[2.0; 3]]);
        assert_eq!(last.join().unwrap(), [[6.0; 3]]);
    });
    assert!(server.stop());
}

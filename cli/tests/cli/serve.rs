//! `serve`: the binary as a server, tested over HTTP.

#[path = "../../../serve/src/tests/client.rs"]
mod client;
mod soak;

use crate::onnx::linear;
use crate::predict::{examples, predict, trained, write_examples};
use crate::support::{Folder, partita};
use client::{Response, get, post, read_response, request, request_with_headers, send, wait_until};
use expect_test::expect;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, ExitStatus, Stdio};

/// A server in a separate process.
struct Server {
    child: Child,
    address: SocketAddr,
    /// First line of its output.
    said: String,
}

impl Server {
    /// Serves the checkpoint of a folder.
    fn start(folder: &Folder, more: &[&str]) -> Server {
        Server::of(folder, &[&["model.pir", "--checkpoint", "ck"], more].concat())
    }

    /// Serves with the given arguments.
    fn of(folder: &Folder, words: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_partita"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(words)
            .current_dir(&folder.path)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut said = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut said).unwrap();
        let address = said.trim().rsplit_once("http://").unwrap_or_else(|| panic!("{said}")).1.parse().unwrap();
        Server { child, address, said }
    }

    /// Sends SIGTERM and waits. Returns the exit status and standard error.
    fn stop(mut self) -> (ExitStatus, String) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let mut err = String::new();
        self.child.stderr.as_mut().unwrap().read_to_string(&mut err).unwrap();
        (self.child.wait().unwrap(), err)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the request body for examples.
fn body(examples: &[[f32; 4]]) -> String {
    json!({ "inputs": { "x": examples } }).to_string()
}

/// Returns the predictions in a response.
fn logits(response: &Response) -> Vec<[f32; 3]> {
    assert_eq!(response.status, 200, "{response:?}");
    let answer: Value = serde_json::from_str(&response.body).unwrap();
    serde_json::from_value(answer["outputs"]["logits"].clone()).unwrap()
}

#[test]
fn responses_equal_predict_for_any_batch() {
    let folder = trained("serve");
    let all = examples(21);
    write_examples(&folder, &all);
    for plan in [&[][..], &["--mesh", "one=1"], &["--mesh", "model=2", "--shard", "layers.0.weight=_, model"]] {
        let expected = predict(&folder, plan);
        let server = Server::start(&folder, plan);
        let address = server.address;
        assert_eq!(logits(&post(address, &body(&all))), expected, "bit for bit");
        // Each example alone, and in batches of various sizes.
        std::thread::scope(|scope| {
            for client in 0..12 {
                let (all, expected) = (&all, &expected);
                scope.spawn(move || {
                    for turn in 0..12 {
                        let start = (client * 5 + turn * 7) % all.len();
                        let range = start..all.len().min(start + 1 + (client + turn) % 5);
                        assert_eq!(logits(&post(address, &body(&all[range.clone()]))), expected[range]);
                    }
                });
            }
        });
        let (status, err) = server.stop();
        assert!(status.success() && err.is_empty(), "{status} {err}");
    }
}

#[test]
fn served_model_is_described() {
    let folder = trained("said");
    let server = Server::start(&folder, &["--log", "requests"]);
    let said = server.said.replace(&server.address.to_string(), "ADDRESS");
    expect![[r#"
        serving model.pir, step 30, on data=2 in batches of 8: http://ADDRESS
    "#]]
    .assert_eq(&said);
    expect![[r#"
        {
          "batch": 8,
          "checkpoint": "step-00000030.safetensors",
          "inputs": [
            {
              "dtype": "f32",
              "name": "x",
              "shape": [
                4
              ]
            }
          ],
          "max_examples": 64,
          "mesh": {
            "data": 2
          },
          "model": "model.pir",
          "outputs": [
            {
              "dtype": "f32",
              "name": "logits",
              "shape": [
                3
              ]
            }
          ],
          "scale": 8.0,
          "stages": 1,
          "step": 30
        }
    "#]]
    .assert_eq(&get(server.address, "/v1/model").body);
    assert_eq!(get(server.address, "/healthz").status, 200);
    let wrong = post(server.address, r#"{"inputs": {"x": [[1, 2, 3]]}}"#);
    expect![[r#"
        {"error":{"code":"bad_input","message":"`x` is [1, 3]: f32[n, 4] is expected"}}
    "#]]
    .assert_eq(&wrong.body);
    let huge = read_response(send(
        server.address,
        &request_with_headers("content-type: application/json\r\ncontent-length: 1073741824\r\n", ""),
    ));
    assert_eq!(huge.status, 413);
    assert!(huge.head.contains("connection: close"), "{}", huge.head);
    assert_eq!(logits(&post(server.address, &body(&examples(1)))).len(), 1);
    let (status, err) = server.stop();
    assert!(status.success());
    let lines: Vec<&str> = err.lines().map(|line| line.rsplitn(3, ' ').last().unwrap_or_default()).collect();
    expect![[r#"
        GET /v1/model 200
        GET /healthz 200
        POST /v1/predict 400
        POST /v1/predict 413
        POST /v1/predict 200
    "#]]
    .assert_eq(&(lines.join("\n") + "\n"));
}

/// Clients receive file names without their folders.
#[test]
fn responses_contain_no_paths() {
    let folder = trained("paths");
    folder.write("m.onnx", linear());
    let at = |file: &str| folder.path.join(file).display().to_string();
    for words in [[at("model.pir"), "--checkpoint".into(), at("ck")].to_vec(), vec![at("m.onnx") + "?batch=2"]] {
        let server = Server::of(&folder, &words.iter().map(String::as_str).collect::<Vec<_>>());
        for path in ["/v1/model", "/metrics", "/healthz", "/nowhere"] {
            let answer = get(server.address, path);
            assert!(!answer.body.contains(&at("")), "{path}: {}", answer.body);
        }
        let model: Value = serde_json::from_str(&get(server.address, "/v1/model").body).unwrap();
        let expected = if words.len() == 1 { "m.onnx?batch=2" } else { "model.pir" };
        assert_eq!(model["model"], expected);
    }
}

#[test]
fn onnx_model_is_served_with_its_weights() {
    let folder = Folder::new("serve-own-weights");
    folder.write("m.onnx", linear());
    let server = Server::of(&folder, &["m.onnx?batch=2"]);
    let said = server.said.replace(&server.address.to_string(), "ADDRESS");
    expect![[r#"
        serving m.onnx?batch=2, on data=1 in batches of 2: http://ADDRESS
    "#]]
    .assert_eq(&said);
    let answer = post(server.address, r#"{"inputs": {"x": [[1, 2], [3, 4], [0, 0]]}}"#);
    expect![[r#"
        {"outputs":{"y":[[1.0,2.0,13.0],[3.0,4.0,17.0],[0.0,0.0,10.0]]}}
    "#]]
    .assert_eq(&answer.body);
    let about: Value = serde_json::from_str(&get(server.address, "/v1/model").body).unwrap();
    assert_eq!(
        (&about["model"], &about["checkpoint"], &about["step"]),
        (&json!("m.onnx?batch=2"), &json!(null), &json!(null))
    );
    let (status, err) = server.stop();
    assert!(status.success() && err.is_empty(), "{status} {err}");
}

/// A signal does not cancel a request that waits for its batch.
#[test]
fn signal_lets_pending_requests_finish() {
    let folder = trained("signal");
    let server = Server::start(&folder, &["--max-delay", "30s"]);
    let address = server.address;
    let waiting: Vec<_> = (1..4).map(|n| send(address, &request(&body(&examples(n))))).collect();
    wait_until(|| get(address, "/metrics").body.contains("partita_queue_examples 6\n"));
    let (status, _) = server.stop();
    assert!(status.success(), "{status}");
    for (stream, n) in waiting.into_iter().zip(1..) {
        assert_eq!(logits(&read_response(stream)).len(), n);
    }
}

#[test]
fn occupied_port() {
    let folder = trained("taken");
    let server = Server::start(&folder, &[]);
    let address = server.address.to_string();
    let ended = partita(&folder, ["serve", "model.pir", "--checkpoint", "ck", "--listen", &address]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    expect![[r#"
        error[I002]: cannot listen on ADDRESS: the address is in use
          |
          = help: choose another address with `--listen`; port 0 chooses a free one
    "#]]
    .assert_eq(&ended.err.replace(&address, "ADDRESS"));
}

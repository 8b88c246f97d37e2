//! Training stopped by a signal writes a checkpoint, prints how to resume, and has the same final result after
//! resumption.

use super::running::{Running, wait_until};
use super::{folder, records, train};
use crate::support::Folder;
use serde_json::Value;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::ChildStdin;
use std::time::Duration;

/// The number of steps is too large to complete during the test.
const RUN: [&str; 8] = ["--steps", "100000000", "--mesh", "data=2", "--preset", "zero1", "--seed", "3"];

/// Waits until a metrics file has `steps` lines.
fn wait_for_steps(folder: &Folder, file: &str, steps: usize) {
    wait_until(|| std::fs::read_to_string(folder.path.join(file)).is_ok_and(|text| text.lines().count() >= steps));
}

#[test]
fn stopped_run_reports_its_step_and_resumes() {
    for signal in ["INT", "TERM"] {
        let folder = folder(&format!("stops-{signal}"), 100);
        let files = ["--save", "ck", "--metrics", "m.jsonl", "--plot", "p.svg", "--output", "end.safetensors"];
        let running = Running::start(&folder, &[&RUN[..], &files].concat());
        wait_for_steps(&folder, "m.jsonl", 20);
        running.signal(signal);
        let (status, out, err) = running.end();
        assert_eq!((status.code(), &*err), (Some(1), ""), "{out}");
        let last = records(&folder, "m.jsonl").last().unwrap()["step"].as_u64().unwrap();
        let checkpoint = format!("ck/step-{last:08}.safetensors");
        let said = format!("stopped after step {last} of 100000000: resume with `--resume {checkpoint}`");
        assert_eq!(out.lines().last(), Some(&*said));
        assert!(out.starts_with(&format!("model.pir: trained {last} steps on 2 devices")), "{out}");
        assert!(folder.read("p.svg").trim_end().ends_with("</svg>"));
        assert!(!folder.path.join("end.safetensors").exists(), "the run must not finish");
        // A run that ends 25 steps later, once without and once with the interruption.
        let to = (last + 25).to_string();
        let run = [&["--steps", &to][..], &RUN[2..]].concat();
        train(&folder, &[&run[..], &["--output", "undisturbed.safetensors", "--metrics", "whole.jsonl"]].concat());
        train(&folder, &[&run[..], &files, &["--resume", &checkpoint]].concat());
        assert!(folder.tensors("end.safetensors") == folder.tensors("undisturbed.safetensors"), "step {last}");
        let losses = |file: &str| {
            records(&folder, file).iter().map(|r| (r["step"].to_string(), r["loss"].to_string())).collect::<Vec<_>>()
        };
        assert_eq!(losses("m.jsonl"), losses("whole.jsonl"));
    }
}

#[test]
fn json_reports_the_stop() {
    let folder = folder("stops-json", 100);
    let running = Running::start(&folder, &[&RUN[..], &["--metrics", "m.jsonl", "--json"]].concat());
    wait_for_steps(&folder, "m.jsonl", 3);
    running.signal("INT");
    let (status, out, _) = running.end();
    assert_eq!(status.code(), Some(1));
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&json["stopped"], &json["checkpoint"]), (&true.into(), &Value::Null));
    assert_eq!(json["steps"], records(&folder, "m.jsonl").last().unwrap()["step"]);
}

/// Starts a run that waits for the end of its plan on standard input: signals are handled by then, and no step ends in
/// between.
fn waiting(folder: &Folder, more: &[&str]) -> (Running, ChildStdin) {
    let mut running = Running::start(folder, &[more, &["--plan", "/dev/stdin"]].concat());
    let mut plan = running.0.stdin.take().unwrap();
    // The plan exceeds the pipe's capacity: the last byte is written after the run has started reading.
    plan.write_all("# a comment\n".repeat(1 << 16).as_bytes()).unwrap();
    (running, plan)
}

#[test]
fn second_signal_terminates_immediately() {
    let folder = folder("stops-twice", 64);
    let (mut running, plan) = waiting(&folder, &RUN);
    running.signal("INT");
    std::thread::sleep(Duration::from_millis(200));
    assert!(running.0.try_wait().unwrap().is_none(), "the first one only asks");
    // A different signal, since two equal ones could be merged.
    running.signal("TERM");
    let (status, out, err) = running.end();
    assert_eq!((status.signal(), &*out, &*err), (Some(15), "", ""));
    drop(plan);
}

#[test]
fn signal_before_the_first_step() {
    let folder = folder("stops-early", 64);
    let (running, plan) = waiting(&folder, &[&RUN[..], &["--save", "ck"]].concat());
    running.signal("TERM");
    drop(plan);
    let (status, out, _) = running.end();
    assert_eq!(status.code(), Some(1));
    // The signal may be handled after the first step only.
    let said = out.lines().last().unwrap();
    let (step, resume) = said.strip_prefix("stopped after step ").unwrap().split_once(" of 100000000: ").unwrap();
    let checkpoint = format!("ck/step-{:08}.safetensors", step.parse::<u64>().unwrap());
    assert_eq!(resume, format!("resume with `--resume {checkpoint}`"));
    let to = (step.parse::<u64>().unwrap() + 9).to_string();
    let run = [&["--steps", &to][..], &RUN[2..]].concat();
    train(&folder, &[&run[..], &["--output", "one.safetensors"]].concat());
    let resume = ["--resume", &checkpoint, "--output", "two.safetensors"];
    train(&folder, &[&run[..], &resume].concat());
    assert!(folder.tensors("one.safetensors") == folder.tensors("two.safetensors"));
}

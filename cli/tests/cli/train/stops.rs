//! Asked to stop by a signal, training keeps what it has, says how to go on, and comes to the same end.

use super::running::{Running, until};
use super::{folder, records, train};
use crate::support::Folder;
use serde_json::Value;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::ChildStdin;
use std::time::Duration;

/// So many steps that nobody waits for the last one.
const RUN: [&str; 8] = ["--steps", "100000000", "--mesh", "data=2", "--preset", "zero1", "--seed", "3"];

/// Waits until a file of metrics has so many lines.
fn until_steps(folder: &Folder, file: &str, steps: usize) {
    until(|| std::fs::read_to_string(folder.path.join(file)).is_ok_and(|text| text.lines().count() >= steps));
}

#[test]
fn it_says_where_it_stopped_and_goes_on_from_there() {
    for signal in ["INT", "TERM"] {
        let folder = folder(&format!("stops-{signal}"), 100);
        let files = ["--save", "ck", "--metrics", "m.jsonl", "--plot", "p.svg", "--output", "end.safetensors"];
        let running = Running::start(&folder, &[&RUN[..], &files].concat());
        until_steps(&folder, "m.jsonl", 20);
        running.signal(signal);
        let (status, out, err) = running.end();
        assert_eq!((status.code(), &*err), (Some(1), ""), "{out}");
        let last = records(&folder, "m.jsonl").last().unwrap()["step"].as_u64().unwrap();
        let checkpoint = format!("ck/step-{last:08}.safetensors");
        let said = format!("stopped behind step {last} of 100000000: go on with `--resume {checkpoint}`");
        assert_eq!(out.lines().last(), Some(&*said));
        assert!(out.starts_with(&format!("model.pir: trained {last} steps on 2 devices")), "{out}");
        assert!(folder.read("p.svg").trim_end().ends_with("</svg>"));
        assert!(!folder.path.join("end.safetensors").exists(), "that was not the end");
        // The same to another end, at once and in two parts.
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
fn json_says_so_too() {
    let folder = folder("stops-json", 100);
    let running = Running::start(&folder, &[&RUN[..], &["--metrics", "m.jsonl", "--json"]].concat());
    until_steps(&folder, "m.jsonl", 3);
    running.signal("INT");
    let (status, out, _) = running.end();
    assert_eq!(status.code(), Some(1));
    let json: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&json["stopped"], &json["checkpoint"]), (&true.into(), &Value::Null));
    assert_eq!(json["steps"], records(&folder, "m.jsonl").last().unwrap()["step"]);
}

/// A run that waits for the end of its plan on standard input: signals are watched by then, and no step can end in
/// between.
fn waiting(folder: &Folder, more: &[&str]) -> (Running, ChildStdin) {
    let mut running = Running::start(folder, &[more, &["--plan", "/dev/stdin"]].concat());
    let mut plan = running.0.stdin.take().unwrap();
    // More than a pipe holds: the last byte is written once the run has begun to read.
    plan.write_all("# a comment\n".repeat(1 << 16).as_bytes()).unwrap();
    (running, plan)
}

#[test]
fn a_second_signal_ends_it_at_once() {
    let folder = folder("stops-twice", 64);
    let (mut running, plan) = waiting(&folder, &RUN);
    running.signal("INT");
    std::thread::sleep(Duration::from_millis(200));
    assert!(running.0.try_wait().unwrap().is_none(), "the first one only asks");
    // Another one, since two of a kind could arrive as one.
    running.signal("TERM");
    let (status, out, err) = running.end();
    assert_eq!((status.signal(), &*out, &*err), (Some(15), "", ""));
    drop(plan);
}

#[test]
fn asked_before_the_first_step() {
    let folder = folder("stops-early", 64);
    let (running, plan) = waiting(&folder, &[&RUN[..], &["--save", "ck"]].concat());
    running.signal("TERM");
    drop(plan);
    let (status, out, _) = running.end();
    assert_eq!(status.code(), Some(1));
    // A signal takes its time: it may be seen only behind a first step.
    let said = out.lines().last().unwrap();
    let (step, resume) = said.strip_prefix("stopped behind step ").unwrap().split_once(" of 100000000: ").unwrap();
    let checkpoint = format!("ck/step-{:08}.safetensors", step.parse::<u64>().unwrap());
    assert_eq!(resume, format!("go on with `--resume {checkpoint}`"));
    let to = (step.parse::<u64>().unwrap() + 9).to_string();
    let run = [&["--steps", &to][..], &RUN[2..]].concat();
    train(&folder, &[&run[..], &["--output", "one.safetensors"]].concat());
    let resume = ["--resume", &checkpoint, "--output", "two.safetensors"];
    train(&folder, &[&run[..], &resume].concat());
    assert!(folder.tensors("one.safetensors") == folder.tensors("two.safetensors"));
}

//! Training killed at any moment loses at most the steps since the last checkpoint, and has the same final result.

use super::{folder, train, words};
use crate::support::Folder;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Two devices and a checkpoint every other step: about half of the time is spent on checkpoints.
const RUN: [&str; 8] = ["--mesh", "data=2", "--preset", "zero1", "--steps", "120", "--seed", "9"];
const SAVE: [&str; 5] = ["--save", "ck", "--save-every", "2", "--resume"];

/// Starts a run and kills it after `wait`; returns `None` if it finished before.
fn killed_after(folder: &Folder, wait: Duration) -> Option<()> {
    let more: Vec<&str> = RUN.into_iter().chain(SAVE).chain(["--output", "end.safetensors"]).collect();
    let mut child = Command::new(env!("CARGO_BIN_EXE_partita"))
        .args(words(&more))
        .current_dir(&folder.path)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(wait);
    match child.try_wait().unwrap() {
        Some(status) => {
            assert!(status.success(), "{:?}", child.wait_with_output());
            None
        }
        None => {
            child.kill().unwrap();
            child.wait().unwrap();
            Some(())
        }
    }
}

/// Kills runs at random moments until `count` kills, starting over whenever a run finishes.
fn kill_repeatedly(count: usize, test: &str) {
    let folder = folder(test, 100);
    let started = Instant::now();
    let undisturbed: Vec<&str> = RUN.into_iter().chain(["--output", "undisturbed.safetensors"]).collect();
    train(&folder, &undisturbed);
    let expected = folder.tensors("undisturbed.safetensors");
    let mut state = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    println!("seed {state}");
    let (mut kills, mut unfinished, mut ends) = (0, 0, 0);
    while kills < count || ends == 0 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // After enough kills, the last run finishes.
        let wait = if kills < count { Duration::from_micros((state >> 33) % 120_000) } else { Duration::from_secs(10) };
        match killed_after(&folder, wait) {
            Some(()) => {
                kills += 1;
                let left = std::fs::read_dir(folder.path.join("ck")).into_iter().flatten().flatten();
                unfinished += left.filter(|e| e.file_name().to_string_lossy().ends_with(".part")).count();
            }
            None => {
                ends += 1;
                assert!(folder.tensors("end.safetensors") == expected, "after {kills} kills, in run {ends}");
                std::fs::remove_dir_all(folder.path.join("ck")).unwrap();
                std::fs::remove_file(folder.path.join("end.safetensors")).unwrap();
            }
        }
    }
    println!("{kills} kills, {unfinished} of them in a checkpoint, {ends} ends, {:?}", started.elapsed());
}

#[test]
fn killed_run_has_the_same_result() {
    kill_repeatedly(15, "killed");
}

#[test]
#[ignore = "long: part of the soak"]
fn two_hundred_kills_have_the_same_result() {
    kill_repeatedly(200, "killed-often");
}

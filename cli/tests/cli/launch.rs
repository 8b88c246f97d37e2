//! `launch`: processes that are lost, and training that goes on.

use crate::support::{CommandOutput, Folder, partita};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Training run: long enough that processes can be killed during it.
const TRAINING: [&str; 14] = [
    "train",
    "zoo:gpt?layers=1&width=16&heads=2&seq=16&batch=6",
    "--data",
    "text.txt",
    "--mesh=data=3",
    "--preset=data",
    "--steps=400",
    "--save=saved",
    "--save-every=20",
    "--keep=1000",
    "--metrics=metrics.jsonl",
    "--output=trained.safetensors",
    "--rank-timeout",
    "2",
];

/// Longest time that the other processes take to end after one is killed.
const END_TIMEOUT: Duration = Duration::from_secs(60);

/// Process of `launch`, with its output in files.
struct Launched {
    process: Child,
}

impl Launched {
    fn start(folder: &Folder, options: &[&str]) -> Launched {
        let file = |name: &str| fs::File::create(folder.path.join(name)).unwrap();
        let process = Command::new(env!("CARGO_BIN_EXE_partita"))
            .current_dir(&folder.path)
            .args(["launch", "-n", "3"])
            .args(options)
            .arg("--")
            .args(TRAINING)
            .stdout(file("out"))
            .stderr(file("err"))
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        Launched { process }
    }

    /// Returns the ids of the ranks, by rank.
    fn ranks(&self) -> Vec<u32> {
        let of_launcher = format!("/proc/{id}/task/{id}/children", id = self.process.id());
        // Children of all threads of the launcher.
        let threads = fs::read_dir(Path::new(&of_launcher).ancestors().nth(2).unwrap()).unwrap();
        let mut ids: Vec<u32> = threads
            .filter_map(|thread| fs::read_to_string(thread.ok()?.path().join("children")).ok())
            .flat_map(|text| text.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<u32>>())
            .collect();
        ids.sort_unstable();
        ids
    }

    fn end(mut self, folder: &Folder) -> CommandOutput {
        let code = self.process.wait().unwrap().code();
        let read = |name: &str| fs::read_to_string(folder.path.join(name)).unwrap();
        CommandOutput { code, out: read("out"), err: read("err") }
    }
}

fn signal(id: u32, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &id.to_string()]).status().unwrap().success());
}

/// Waits until a step has been recorded.
fn wait_for_step(folder: &Folder, step: usize) {
    let started = Instant::now();
    let steps = || fs::read_to_string(folder.path.join("metrics.jsonl")).map_or(0, |text| text.lines().count());
    while steps() < step {
        assert!(started.elapsed() < END_TIMEOUT, "step {step} is not reached");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn wait_for_end_of(ids: &[u32]) {
    let started = Instant::now();
    while ids.iter().any(|id| Path::new(&format!("/proc/{id}")).exists()) {
        assert!(started.elapsed() < END_TIMEOUT, "a process has not ended");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Returns a folder with a text to train on.
fn folder(name: &str) -> Folder {
    let folder = Folder::new(name);
    let text: String = (0..600).map(|i: u32| char::from(b'a' + (i * i % 23) as u8)).collect();
    folder.write("text.txt", text);
    folder
}

/// Returns the records of a run without their durations.
fn losses(folder: &Folder) -> Vec<String> {
    let record = |line: &str| line.split(",\"throughput\"").next().unwrap().to_owned();
    folder.read("metrics.jsonl").lines().map(record).collect()
}

/// Kills and stops processes at different steps. The losses and the result are those of one process.
#[test]
fn training_goes_on_after_processes_are_lost() {
    let (alone, launched) = (folder("launch-alone"), folder("launch"));
    let ended = partita(&alone, TRAINING);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let run = Launched::start(&launched, &["--restarts", "3"]);
    for (step, rank, name) in [(30, 0, "KILL"), (90, 2, "STOP"), (150, 1, "KILL")] {
        wait_for_step(&launched, step);
        let ranks = run.ranks();
        assert_eq!(ranks.len(), 3, "{}", launched.read("err"));
        signal(ranks[rank], name);
        wait_for_end_of(&ranks);
    }
    let ended = run.end(&launched);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    assert_eq!(losses(&launched), losses(&alone));
    assert!(launched.tensors("trained.safetensors") == alone.tensors("trained.safetensors"));
    for text in [
        "note: rank 0 on localhost was ended by signal 9 (SIGKILL)",
        "note: rank 2 on localhost did not end after the others, and was killed",
        "note: rank 1 on localhost was ended by signal 9 (SIGKILL)",
        "note: restart 3 of 3 from `saved/step-",
    ] {
        assert!(ended.err.contains(text), "no `{text}` in\n{}", ended.err);
    }
}

#[test]
fn a_lost_process_ends_the_run_without_restarts() {
    let folder = folder("launch-once");
    let run = Launched::start(&folder, &[]);
    wait_for_step(&folder, 25);
    let ranks = run.ranks();
    signal(ranks[1], "KILL");
    wait_for_end_of(&ranks);
    let ended = run.end(&folder);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert!(ended.err.contains("was lost: ") && ended.err.contains("  = note: in step "), "{}", ended.err);
    assert!(ended.err.contains("error[R005]: rank 1 on localhost was ended by signal 9 (SIGKILL)"), "{}", ended.err);
}

/// A signal to the launcher pauses all processes after the same step, which is a success.
#[test]
fn a_signal_pauses_training() {
    let (alone, paused) = (folder("launch-reference"), folder("launch-paused"));
    let run = Launched::start(&paused, &[]);
    wait_for_step(&paused, 50);
    signal(run.process.id(), "TERM");
    let ended = run.end(&paused);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    assert!(ended.out.contains(" of 400: resume with `--resume saved/step-"), "{}", ended.transcript());
    let ended = partita(&paused, TRAINING.into_iter().chain(["--resume"]));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let reference = partita(&alone, TRAINING);
    assert_eq!(reference.code, Some(0), "{}", reference.transcript());
    assert_eq!(losses(&paused), losses(&alone));
}

/// A run has nothing to save, and ends at once.
#[test]
fn a_signal_ends_a_run() {
    let folder = Folder::new("launch-run");
    let endless = ["run", "zoo:mlp", "--mesh", "data=2", "--preset", "data", "--train", "sgd", "--steps", "1000000"];
    let process = Command::new(env!("CARGO_BIN_EXE_partita"))
        .current_dir(&folder.path)
        .args(["launch", "-n", "2", "--"])
        .args(endless)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut run = Launched { process };
    let started = Instant::now();
    let wait = || {
        assert!(started.elapsed() < END_TIMEOUT, "the run goes on");
        std::thread::sleep(Duration::from_millis(5));
    };
    while run.ranks().len() < 2 {
        wait();
    }
    signal(run.process.id(), "TERM");
    while run.process.try_wait().unwrap().is_none() {
        wait();
    }
    assert_eq!(run.process.wait().unwrap().code(), Some(1));
}

/// Training continues on the remaining devices, with a plan for them.
#[test]
fn elastic_training_continues_on_fewer_devices() {
    let folder = folder("launch-elastic");
    let run = Launched::start(&folder, &["--restarts", "1", "--elastic"]);
    wait_for_step(&folder, 30);
    signal(run.ranks()[2], "KILL");
    let ended = run.end(&folder);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    assert!(ended.err.contains("note: restart 1 of 1 on "), "{}", ended.err);
    assert_eq!(losses(&folder).len(), 400);
}

#[test]
fn command_lines_that_cannot_be_launched_are_errors() {
    let folder = folder("launch-errors");
    let fails = |args: &[&str], code: i32, start: &str| {
        let ended = partita(&folder, ["launch"].iter().chain(args));
        assert_eq!(ended.code, Some(code), "{}", ended.transcript());
        assert!(ended.err.starts_with(start), "{}", ended.err);
    };
    fails(&["-n", "2", "--", "plan", "zoo:mlp"], 1, "error[A008]: `plan` runs as one process");
    fails(&["-n", "2", "--restarts", "1", "--", "run", "zoo:mlp"], 1, "error[A008]: `--restarts` applies to `train`");
    fails(&["-n", "2", "--", "train", "--unknown"], 2, "error: unexpected argument '--unknown'");
    fails(
        &["-n", "2", "--hosts", "a,b", "--agent", "./missing", "--", "run", "zoo:mlp"],
        1,
        "error[R005]: rank 0 on a",
    );
    // All ranks have the same error, which only the first reports: as its own, or as that of a rank that was faster.
    let ended = partita(&folder, ["launch", "-n", "3", "--", "run", "zoo:mlp", "--mesh", "data=2", "--preset", "data"]);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    assert_eq!(ended.err.matches("3 ranks were started for 2 devices").count(), 1, "{}", ended.err);
}

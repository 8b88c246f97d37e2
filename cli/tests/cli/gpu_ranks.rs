//! GPUs that are divided among processes: kernels on the emulator, and its NCCL between the processes.

use crate::support::{CommandOutput, Folder, partita};
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const MODEL: &str = "zoo:mlp?layers=2&width=6&hidden=10&batch=8";

/// Time within which all processes end after one is killed.
const END_TIMEOUT: Duration = Duration::from_secs(5);

/// Time within which the processes have compiled their kernels and run steps.
const START_TIMEOUT: Duration = Duration::from_secs(120);

/// Starts a command as several processes, with its output in files.
fn launch(folder: &Folder, count: &str, args: &[&str]) -> Child {
    let file = |name: &str| fs::File::create(folder.path.join(name)).unwrap();
    Command::new(env!("CARGO_BIN_EXE_partita"))
        .current_dir(&folder.path)
        .args(["launch", "-n", count, "--"])
        .args(args)
        .stdout(file("out"))
        .stderr(file("err"))
        .stdin(Stdio::null())
        .spawn()
        .unwrap()
}

fn end(mut process: Child, folder: &Folder) -> CommandOutput {
    let code = process.wait().unwrap().code();
    CommandOutput { code, out: folder.read("out"), err: folder.read("err") }
}

/// Compares training on several processes with one process, bit for bit.
fn check(name: &str, count: &str, plan: &[&str]) {
    let folder = Folder::new(&format!("gpu-ranks-{name}"));
    let run = ["run", MODEL, "--emulate", "--train", "sgd", "--steps", "3"];
    let one = partita(&folder, [&run[..], plan, &["--output", "one.safetensors"]].concat());
    assert_eq!(one.code, Some(0), "{}", one.transcript());
    let options = ["--output", "many.safetensors", "--ranks", "nccl", "--json"];
    let many = end(launch(&folder, count, &[&run[..], plan, &options].concat()), &folder);
    assert_eq!(many.code, Some(0), "{}", many.transcript());
    // Only the first rank prints.
    assert_eq!(many.out.matches("\"losses\"").count(), 1, "{}", many.out);
    let read = |name: &str| fs::read(folder.path.join(name)).unwrap();
    assert!(read("one.safetensors") == read("many.safetensors"), "{name}");
}

#[test]
fn data_parallel_ranks_give_the_results_of_one_process() {
    // Each rank has a block of two devices.
    check("data", "2", &["--mesh", "data=4", "--preset", "data"]);
}

#[test]
fn stages_on_ranks_give_the_results_of_one_process() {
    check("stages", "2", &["--pipeline", "2", "--microbatches", "2"]);
}

/// A compiled file runs on several processes, and is compared with one device.
#[test]
fn a_compiled_file_runs_on_ranks() {
    let folder = Folder::new("gpu-ranks-file");
    let compile =
        ["compile", MODEL, "--mesh", "data=2", "--preset", "data", "--target", "cuda:sm_80", "-o", "m.partita"];
    let ended = partita(&folder, compile);
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    let many = end(launch(&folder, "2", &["run", "m.partita", "--emulate", "--check"]), &folder);
    assert_eq!(many.code, Some(0), "{}", many.transcript());
    assert_eq!(many.out.matches("2 devices agree with one on every output").count(), 1, "{}", many.out);
}

/// Returns the ids of the processes that a launcher has started.
fn children(launcher: u32) -> Vec<u32> {
    let threads = fs::read_dir(format!("/proc/{launcher}/task")).unwrap();
    let of_thread = |thread: fs::DirEntry| fs::read_to_string(thread.path().join("children")).ok();
    let mut ids: Vec<u32> = threads
        .filter_map(|thread| of_thread(thread.ok()?))
        .flat_map(|text| text.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<u32>>())
        .collect();
    ids.sort_unstable();
    ids
}

/// A rank is killed while the ranks run steps: the others end at once, and name it and the step.
#[test]
#[cfg(target_os = "linux")]
fn a_killed_rank_ends_the_others() {
    let folder = Folder::new("gpu-ranks-killed");
    let steps = ["--steps", "100000000", "--train", "sgd", "--emulate", "--ranks", "nccl"];
    let args = [&["run", MODEL, "--mesh", "data=2", "--preset", "data"][..], &steps].concat();
    let run = launch(&folder, "2", &args);
    let started = Instant::now();
    // The kernels are a library in the memory of each process.
    let has_kernels =
        |id: &u32| fs::read_to_string(format!("/proc/{id}/maps")).is_ok_and(|maps| maps.contains("kernels.so"));
    let ranks = loop {
        let ranks = children(run.id());
        if ranks.len() == 2 && ranks.iter().all(has_kernels) {
            break ranks;
        }
        assert!(started.elapsed() < START_TIMEOUT, "{}", folder.read("err"));
        std::thread::sleep(Duration::from_millis(10));
    };
    // Several steps.
    std::thread::sleep(Duration::from_millis(500));
    let killed = Instant::now();
    assert!(Command::new("kill").args(["-KILL", &ranks[1].to_string()]).status().unwrap().success());
    while ranks.iter().any(|id| Path::new(&format!("/proc/{id}")).exists()) {
        assert!(killed.elapsed() < END_TIMEOUT, "a rank has not ended: {}", folder.read("err"));
        std::thread::sleep(Duration::from_millis(5));
    }
    let ended = end(run, &folder);
    assert_eq!(ended.code, Some(1), "{}", ended.transcript());
    for text in ["error[R005]: rank 1 on ", " was lost: ", "= note: in step ", "was ended by signal 9 (SIGKILL)"] {
        assert!(ended.err.contains(text), "no `{text}` in\n{}", ended.err);
    }
}

#[test]
fn ranks_without_gpus_or_launcher_are_errors() {
    let folder = Folder::new("gpu-ranks-errors");
    let fails = |args: &[&str], text: &str| {
        let ended = partita(&folder, args.iter().copied());
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        assert!(ended.err.contains(text), "{}", ended.err);
    };
    fails(&["run", "zoo:mlp", "--ranks", "nccl", "--emulate"], "error[R005]: `--ranks nccl` needs a launcher");
    fails(&["run", "zoo:mlp", "--ranks", "nccl"], "error[R005]: `--ranks nccl` applies to GPUs");
    fails(
        &["run", "zoo:mlp", "--ranks", "tcp", "--emulate"],
        "error[R005]: `--ranks tcp` applies to devices on the CPU",
    );
    let text = "3 ranks were started for 2 devices";
    fails(&["launch", "-n", "3", "--", "run", MODEL, "--mesh", "data=2", "--preset", "data", "--emulate"], text);
}

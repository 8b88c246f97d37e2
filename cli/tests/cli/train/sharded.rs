//! Sharded checkpoints of several processes on the command line: killed runs, a full disk of one rank, and the command
//! `checkpoint`.

use super::{folder, train, words};
use crate::support::{CommandOutput, Folder, partita};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Three devices with uneven shards, and a checkpoint every other step.
const RUN: [&str; 8] = ["--mesh", "data=3", "--preset", "zero3", "--steps", "60", "--seed", "9"];
const SAVE: [&str; 5] = ["--save", "ck", "--save-every", "2", "--resume"];

/// Starts `count` ranks that are connected by TCP. `shell` is run by the shell before the last rank.
fn start(folder: &Folder, count: usize, args: &[&str], shell: &str) -> Vec<Child> {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let start = |rank: usize| {
        let shell = if rank + 1 == count { shell } else { "" };
        Command::new("sh")
            .args(["-c", &format!("{shell} exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_partita")])
            .args(words(args))
            .args(["--ranks", "tcp"])
            .current_dir(&folder.path)
            .envs([("RANK", rank.to_string()), ("WORLD_SIZE", count.to_string()), ("MASTER_PORT", port.clone())])
            .envs([("MASTER_ADDR", "127.0.0.1"), ("NO_COLOR", "1")])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    (0..count).map(start).collect()
}

/// Waits for all ranks.
fn wait(children: Vec<Child>) -> Vec<CommandOutput> {
    let wait = |child: Child| {
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        CommandOutput { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    };
    children.into_iter().map(wait).collect()
}

/// Runs ranks, which must succeed.
fn run_ranks(folder: &Folder, count: usize, args: &[&str]) {
    for ended in wait(start(folder, count, args, "")) {
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    }
}

/// Asserts that all checkpoints that are listed are undamaged, and returns the number of folders without a manifest.
fn check_folder(folder: &Folder) -> usize {
    let entries = std::fs::read_dir(folder.path.join("ck")).into_iter().flatten().flatten();
    let steps: Vec<_> = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("step-")).collect();
    let complete = steps.iter().filter(|entry| entry.path().join("manifest.json").exists());
    let mut count = 0;
    for entry in complete {
        let shown = partita(folder, ["checkpoint", "show", &entry.path().display().to_string()]);
        assert_eq!(shown.code, Some(0), "{}", shown.transcript());
        count += 1;
    }
    steps.len() - count
}

/// Kills one rank or all of them at random moments until `count` kills, starting over whenever a run finishes.
fn kill_repeatedly(count: usize, test: &str) {
    let folder = folder(test, 100);
    let started = Instant::now();
    train(&folder, &[&RUN[..], &["--output", "undisturbed.safetensors"]].concat());
    let expected = folder.tensors("undisturbed.safetensors");
    let mut state = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
    println!("seed {state}");
    let (mut kills, mut unfinished, mut ends) = (0, 0, 0);
    let args = [&RUN[..], &SAVE, &["--output", "end.safetensors"]].concat();
    while kills < count || ends == 0 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The number of ranks changes from run to run.
        let ranks = 1 + (state >> 40) as usize % 3;
        let mut children = start(&folder, ranks, &args, "");
        let killed = kills < count;
        if killed {
            std::thread::sleep(Duration::from_micros((state >> 33) % 400_000));
            let first = (state >> 50) as usize % ranks;
            children[first].kill().unwrap();
            std::thread::sleep(Duration::from_millis((state >> 20) % 30));
            children.iter_mut().for_each(|child| child.kill().unwrap());
        }
        let ended = wait(children);
        if ended.iter().all(|ended| ended.code == Some(0)) {
            ends += 1;
            assert!(folder.tensors("end.safetensors") == expected, "after {kills} kills, in run {ends}");
            std::fs::remove_dir_all(folder.path.join("ck")).unwrap();
            std::fs::remove_file(folder.path.join("end.safetensors")).unwrap();
        } else {
            let transcripts: Vec<String> = ended.iter().map(CommandOutput::transcript).collect();
            assert!(killed, "{}", transcripts.join("\n"));
            kills += 1;
            unfinished += check_folder(&folder);
        }
    }
    println!("{kills} kills, {unfinished} incomplete checkpoints, {ends} ends, {:?}", started.elapsed());
}

#[test]
fn killed_ranks_leave_no_checkpoint_that_is_taken_for_complete() {
    kill_repeatedly(8, "killed-ranks");
}

#[test]
#[ignore = "long: part of the soak"]
fn two_hundred_kills_of_ranks_have_the_same_result() {
    kill_repeatedly(200, "killed-ranks-often");
}

/// A limit on the size of files in one rank has the effect of a full disk.
#[test]
fn a_full_disk_of_one_rank_fails_on_all() {
    let folder = folder("full-rank", 100);
    run_ranks(&folder, 3, &[&RUN[..4], &["--steps", "2", "--seed", "9", "--save", "ck"]].concat());
    let before = check_folder(&folder);
    let args = [&RUN[..4], &["--steps", "4", "--seed", "9", "--save", "ck", "--resume"]].concat();
    // One block of 512 bytes; without the signal, writing fails as on a full disk.
    for ended in wait(start(&folder, 3, &args, "trap '' XFSZ; ulimit -f 1;")) {
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        let start = "error[K004]: rank 2 cannot write checkpoint `ck/step-00000004/rank-00002-of-00003.safetensors`";
        assert!(ended.err.starts_with(start), "{}", ended.err);
        assert!(ended.err.contains("`--resume ck/step-00000002`"), "{}", ended.err);
    }
    assert_eq!(before, 0);
    let names = std::fs::read_dir(folder.path.join("ck")).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.filter(|name| name != ".lock").collect::<Vec<_>>(), ["step-00000002"]);
    check_folder(&folder);
}

#[test]
fn checkpoints_are_shown_merged_and_split() {
    let folder = folder("checkpoint", 100);
    run_ranks(&folder, 3, &[&RUN[..4], &["--steps", "2", "--seed", "9", "--save", "ck"]].concat());
    train(&folder, &[&RUN[..4], &["--steps", "2", "--seed", "9", "--save", "one"]].concat());
    let run = |args: &[&str]| {
        let ended = partita(&folder, [&["checkpoint"], args].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        ended.out
    };
    let shown = run(&["show", "ck"]);
    assert!(shown.starts_with("ck/step-00000002: step 2 of `model.pir`, "), "{shown}");
    let weight = shown.lines().find(|line| line.trim_start().starts_with("layers.0.weight ")).unwrap();
    let words: Vec<&str> = weight.split_whitespace().collect();
    assert_eq!(words[..4], ["layers.0.weight", "f32[4,", "16]", "256"]);
    run(&["merge", "ck", "--output", "merged.safetensors"]);
    let read = |name: &str| std::fs::read(folder.path.join(name)).unwrap();
    assert!(read("merged.safetensors") == read("one/step-00000002.safetensors"));
    run(&["split", "merged.safetensors", "--ranks", "5", "--output", "five"]);
    let five: serde_json::Value = serde_json::from_str(&run(&["show", "five", "--json"])).unwrap();
    assert_eq!((five["files"].as_array().unwrap().len(), &five["ok"]), (5, &true.into()));
    run(&["merge", "five", "--output", "hub"]);
    assert!(folder.tensors("hub/model-00001-of-00001.safetensors") == folder.tensors("merged.safetensors"));
    // Inference reads both forms.
    for path in ["ck", "hub", "five", "one"] {
        folder.tensors("merged.safetensors");
        let resumed = [&RUN[..4], &["--steps", "4", "--seed", "9", "--resume", path, "--output", "end.safetensors"]];
        train(&folder, &resumed.concat());
        let end = folder.tensors("end.safetensors");
        train(&folder, &[&RUN[..4], &["--steps", "4", "--seed", "9", "--output", "undisturbed.safetensors"]].concat());
        assert!(end == folder.tensors("undisturbed.safetensors"), "{path}");
    }
    // A damaged shard is an error that names file, tensor and remedy.
    let file = folder.path.join("ck/step-00000002/rank-00001-of-00003.safetensors");
    let mut bytes = std::fs::read(&file).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let shown = partita(&folder, ["checkpoint", "show", "ck"]);
    assert!(shown.code == Some(1) && shown.out.contains("rank-00001-of-00003.safetensors"), "{}", shown.transcript());
    let args = [&RUN[..4], &["--steps", "4", "--seed", "9", "--save", "ck", "--resume"]].concat();
    for ended in wait(start(&folder, 2, &args, "")) {
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        assert!(
            ended.err.starts_with("error[K001]: checkpoint `ck/step-00000002` is damaged: the shard of `"),
            "{}",
            ended.err
        );
        assert!(ended.err.contains("` in `rank-00001-of-00003.safetensors` has changed"), "{}", ended.err);
    }
}

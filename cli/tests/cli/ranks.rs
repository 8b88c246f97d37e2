//! Devices that are divided among processes.

use crate::support::{Folder, partita};
use std::net::TcpListener;
use std::process::{Command, Stdio};

const PLAN: [&str; 4] = ["--mesh", "data=2,model=2", "--preset", "data,megatron"];

/// Two processes give the file that one process gives, and only the first prints.
#[test]
fn processes_give_the_results_of_one() {
    let folder = Folder::new("ranks");
    let one = partita(&folder, ["run", "zoo:mlp", "--output", "one.safetensors"].into_iter().chain(PLAN));
    assert_eq!(one.code, Some(0), "{}", one.transcript());
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
    let start = |rank: &str| {
        Command::new(env!("CARGO_BIN_EXE_partita"))
            .current_dir(&folder.path)
            .args(["run", "zoo:mlp", "--ranks", "tcp", "--output", "two.safetensors"])
            .args(PLAN)
            .envs([("RANK", rank), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", &port)])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let (first, second) = (start("0"), start("1"));
    let (first, second) = (first.wait_with_output().unwrap(), second.wait_with_output().unwrap());
    assert!(first.status.success() && second.status.success(), "{first:?} {second:?}");
    assert!(!first.stdout.is_empty() && second.stdout.is_empty(), "{first:?} {second:?}");
    let read = |name: &str| std::fs::read(folder.path.join(name)).unwrap();
    assert!(read("one.safetensors") == read("two.safetensors"));
}

#[test]
fn ranks_without_effect_or_launcher_are_errors() {
    let folder = Folder::new("ranks-errors");
    let fails = |args: &[&str], start: &str| {
        let ended = partita(&folder, args.iter().copied());
        assert_eq!(ended.code, Some(1), "{}", ended.transcript());
        assert!(ended.err.starts_with(start), "{}", ended.err);
    };
    fails(&["run", "zoo:mlp", "--ranks", "tcp"], "error[R005]: `--ranks tcp` needs a launcher");
}

/// Two ranks are measured with the network between them, and a step on them is predicted.
#[test]
fn ranks_are_calibrated() {
    let folder = Folder::new("ranks-calibrate");
    let calibrate = ["calibrate", "--quick", "--json", "-o", "two.toml"];
    let measured = partita(&folder, ["launch", "-n", "2", "--"].into_iter().chain(calibrate));
    assert_eq!(measured.code, Some(0), "{}", measured.transcript());
    let said: serde_json::Value = serde_json::from_str(&measured.out).unwrap();
    let ranks = &said["ranks"];
    assert_eq!((&ranks["hosts"], &ranks["transport"]), (&serde_json::json!([0, 0]), &serde_json::json!("tcp")));
    let messages = ranks["local"].as_array().unwrap();
    let seconds = |i: usize| messages[i]["seconds"].as_f64().unwrap();
    assert!(messages.len() > 4 && seconds(messages.len() - 1) > seconds(0), "{said}");
    let machine = std::fs::read_to_string(folder.path.join("two.toml")).unwrap();
    let predict = |name: &str, machine: &str| {
        folder.write(name, machine);
        let ended = partita(&folder, ["simulate", "zoo:mlp", "--json", "--machine", name].into_iter().chain(PLAN));
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        let said: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
        said["step_seconds"].as_f64().unwrap()
    };
    // A second for each message determines the step.
    let (table, of_ranks) = machine.split_once("local = [").unwrap();
    let slow = "{ bytes = \"64B\", seconds = \"1000000us\", busy = \"1us\", exchange = \"1000000us\" },";
    let slow = predict("slow.toml", &format!("{table}local = [{slow}]"));
    assert!(of_ranks.contains("64B") && predict("two.toml", &machine) < 1.0 && slow > 1.0, "{slow}");
}

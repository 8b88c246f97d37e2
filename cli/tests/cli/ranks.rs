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

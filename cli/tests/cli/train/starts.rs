//! Many runs started on one checkpoint folder: one acquires the folder, and the others report its owner.

use super::{folder, train, words};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const STARTS: usize = 100;
/// Timeout within which every other run must detect the owner.
const DEADLINE: Duration = Duration::from_secs(240);

#[test]
fn one_of_many_runs_owns_the_folder() {
    let folder = folder("starts", 64);
    let start = || -> Child {
        Command::new(env!("CARGO_BIN_EXE_partita"))
            .args(words(&["--steps", "1000000000", "--save", "ck", "--resume", "--save-every", "1000000"]))
            .current_dir(&folder.path)
            .env("NO_COLOR", "1")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let mut running: Vec<Child> = (0..STARTS).map(|_| start()).collect();
    let mut ended = Vec::new();
    let started = Instant::now();
    while running.len() > 1 && started.elapsed() < DEADLINE {
        std::thread::sleep(Duration::from_millis(20));
        for mut child in std::mem::take(&mut running) {
            match child.try_wait().unwrap() {
                Some(_) => ended.push(child),
                None => running.push(child),
            }
        }
    }
    let owners: Vec<u32> = running.iter().map(Child::id).collect();
    for mut owner in running {
        owner.kill().unwrap();
        owner.wait().unwrap();
    }
    let [owner] = owners[..] else { panic!("{} runs own the folder", owners.len()) };
    for child in ended {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        let title = "error[K006]: another training run uses the checkpoint folder `ck`";
        assert!(text.contains(title) && text.contains(&format!("process {owner} ")), "{owner}: {text}");
    }
    // The lock file of a killed run does not block later runs.
    assert!(folder.path.join("ck/.lock").exists());
    train(&folder, &["--steps", "3", "--save", "ck", "--resume"]);
}

//! A training run in progress, for tests that observe or disturb it.

use super::words;
use crate::support::Folder;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The process, which is killed on drop.
pub struct Running(pub Child);

impl Running {
    /// Starts a run.
    pub fn start(folder: &Folder, more: &[&str]) -> Running {
        let child = Command::new(env!("CARGO_BIN_EXE_partita"))
            .args(words(more))
            .current_dir(&folder.path)
            .env("NO_COLOR", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        Running(child)
    }

    /// Sends a signal by name.
    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([&format!("-{name}"), &self.0.id().to_string()]).status().unwrap();
        assert!(sent.success());
    }

    /// Waits for termination. Returns the exit status and both streams.
    pub fn end(mut self) -> (ExitStatus, String, String) {
        let (mut out, mut err) = (String::new(), String::new());
        self.0.stdout.as_mut().unwrap().read_to_string(&mut out).unwrap();
        self.0.stderr.as_mut().unwrap().read_to_string(&mut err).unwrap();
        (self.0.wait().unwrap(), out, err)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until the condition is true.
pub fn wait_until(is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < Duration::from_secs(60), "the condition did not become true");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Creates a named pipe, whose ends block until both are open.
pub fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

//! Test support: runs the binary in a temporary folder.

use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Timeout after which a run counts as hanging. Benchmarks check the speed.
const DEADLINE: Duration = Duration::from_secs(600);

/// Outcome of a run of the binary.
pub struct CommandOutput {
    /// Exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub err: String,
}

impl CommandOutput {
    /// Returns both streams, for messages of failed assertions.
    pub fn transcript(&self) -> String {
        format!("exit {:?}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.out, self.err)
    }
}

/// Runs the binary in the folder.
pub fn partita<S: AsRef<std::ffi::OsStr>>(folder: &Folder, args: impl IntoIterator<Item = S>) -> CommandOutput {
    let started = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_partita"))
        .args(args)
        .current_dir(&folder.path)
        .env("NO_COLOR", "1")
        .output()
        .expect("the binary starts");
    assert!(started.elapsed() < DEADLINE, "took {:?}", started.elapsed());
    CommandOutput {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).expect("stdout is UTF-8"),
        err: String::from_utf8(output.stderr).expect("stderr is UTF-8"),
    }
}

/// Returns the folder of the test data.
pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/data")
}

/// A folder for one test, deleted on drop.
pub struct Folder {
    /// Path of the folder.
    pub path: PathBuf,
}

impl Folder {
    /// Creates a folder named after the test.
    pub fn new(test: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the folder is created");
        Folder { path }
    }

    /// Writes a file in the folder.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Folder {
        std::fs::write(self.path.join(name), content).expect("the file is written");
        self
    }

    /// Reads a file of the folder.
    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path.join(name)).expect("the file exists")
    }

    /// Reads a safetensors file: type, shape and bytes of each tensor.
    pub fn tensors(&self, name: &str) -> BTreeMap<String, (Dtype, Vec<usize>, Vec<u8>)> {
        let bytes = std::fs::read(self.path.join(name)).expect("the file exists");
        let file = SafeTensors::deserialize(&bytes).expect("the file is valid");
        let own = |(name, t): (String, TensorView<'_>)| (name, (t.dtype(), t.shape().to_vec(), t.data().to_vec()));
        file.tensors().into_iter().map(own).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

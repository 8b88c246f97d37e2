//! Failed checkpoint writes during training: error message, and integrity of the previous checkpoint.

use super::running::pipe;
use super::{folder, train, words};
use crate::support::Folder;
use expect_test::{Expect, expect};
use std::fs::OpenOptions;
use std::io::Read;
use std::process::Command;

/// Thirty steps, with a checkpoint after ten, twenty and thirty.
const RUN: [&str; 8] = ["--steps", "30", "--seed", "4", "--save", "ck", "--save-every", "10"];

/// Checks the message and the files of a run whose second checkpoint could not be written, and that resuming has the
/// results of an undisturbed run.
fn check(folder: &Folder, code: Option<i32>, err: &str, expected: Expect) {
    assert_eq!(code, Some(1), "{err}");
    expected.assert_eq(err);
    let left = std::fs::read_dir(folder.path.join("ck")).unwrap().map(|entry| entry.unwrap().file_name());
    let left: Vec<_> = left.filter(|name| name != ".lock").collect();
    assert_eq!(left, ["step-00000010.safetensors"], "no unfinished checkpoint is left");
    let resume = err.split('`').find(|word| word.starts_with("--resume ")).unwrap();
    let resume: Vec<&str> = resume.split(' ').collect();
    train(folder, &[&RUN[..], &resume, &["--output", "resumed.safetensors"]].concat());
    train(folder, &[&RUN[..4], &["--output", "undisturbed.safetensors"]].concat());
    assert!(folder.tensors("resumed.safetensors") == folder.tensors("undisturbed.safetensors"));
}

/// A file size limit truncates the second checkpoint.
#[test]
fn file_size_limit_aborts_the_checkpoint() {
    let folder = folder("too-large", 100);
    train(&folder, &[&["--steps", "10"][..], &RUN[2..]].concat());
    // A pipe that is open for writing, too, does not block. Size limits apply to regular files only.
    let metrics = folder.path.join("m.jsonl");
    pipe(&metrics);
    let mut reader = OpenOptions::new().read(true).write(true).open(&metrics).unwrap();
    // Four blocks of 512 bytes; without the signal, writing fails as on a full disk.
    let limited = "trap '' XFSZ; ulimit -f 4; exec \"$0\" \"$@\"";
    let ended = Command::new("sh")
        .args(["-c", limited, env!("CARGO_BIN_EXE_partita")])
        .args(words(&[&RUN[..], &["--resume", "--metrics", "m.jsonl"]].concat()))
        .current_dir(&folder.path)
        .env("NO_COLOR", "1")
        .output()
        .unwrap();
    check(
        &folder,
        ended.status.code(),
        &String::from_utf8(ended.stderr).unwrap(),
        expect![[r#"
            error[K004]: cannot write checkpoint `ck/step-00000020.safetensors`: File too large (os error 27)
              |
              = note: the file has 2772 bytes
              = note: earlier checkpoints are unchanged
              = help: free disk space, then resume from the last checkpoint: `--resume ck/step-00000010.safetensors`
        "#]],
    );
    let mut lines = [0; 1 << 16];
    let bytes = reader.read(&mut lines).unwrap();
    let steps_logged = lines[..bytes].iter().filter(|&&byte| byte == b'\n').count();
    assert_eq!(steps_logged, 10, "every step is reported, including the one whose checkpoint fails");
}

//! Runs the shell sessions (`console`) in README.md and in the pages under `docs/`, and compares what they print.
//!
//! Each page runs in a copy of `files/`. Lines of `sh` blocks that redirect their output (`partita ... > FILE`) run
//! first, since a session has no redirection. `TRYCMD=overwrite cargo test --workspace --test docs` writes the present
//! output into the pages.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Languages of blocks that are checked by nothing else.
const UNCHECKED: [&str; 5] = ["text", "nginx", "python", "toml", "rust"];

/// First words of lines in `sh` blocks, which install something, need a network, a device or a launcher, or run until
/// they are interrupted.
const NOT_RUN: [&str; 8] =
    ["apt-get install", "cargo ", "curl ", "mpirun ", "partita ", "pip install", "torchrun ", "    --"];

#[test]
fn sessions_print_what_the_pages_show() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs");
    let _ = fs::remove_dir_all(&folder);
    let mut pages = vec![root.join("README.md")];
    pages.extend(fs::read_dir(root.join("docs")).unwrap().map(|entry| entry.unwrap().path()));
    pages.retain(|page| page.extension().is_some_and(|extension| extension == "md"));
    pages.sort();
    let copies: Vec<PathBuf> = pages.iter().map(|page| prepare(page, &folder)).collect();
    let cases = trycmd::TestCases::new();
    cases.env("NO_COLOR", "1").register_bin("partita", Path::new(env!("CARGO_BIN_EXE_partita")));
    cases.case(folder.join("*.md"));
    cases.run();
    if std::env::var_os("TRYCMD").is_some_and(|action| action == "overwrite") {
        for (page, copy) in pages.iter().zip(&copies) {
            fs::copy(copy, page).unwrap();
        }
    }
}

/// Copies a page into a folder with the files that its sessions read. Returns the path of the copy.
fn prepare(page: &Path, folder: &Path) -> PathBuf {
    let copy = folder.join(page.file_name().unwrap());
    let (inputs, outputs) = (copy.with_extension("in"), copy.with_extension("out"));
    fs::create_dir_all(&inputs).unwrap();
    // With this folder, the sessions of the page share one working directory.
    fs::create_dir_all(&outputs).unwrap();
    let text = fs::read_to_string(page).unwrap();
    fs::write(&copy, &text).unwrap();
    for file in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/docs/files")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), inputs.join(file.file_name())).unwrap();
    }
    for (language, lines) in blocks(&text) {
        let is_known = UNCHECKED.contains(&language) || language == "console" || language == "sh";
        assert!(is_known, "{}: a block of language `{language}` is run by no test", page.display());
        for line in lines.lines().filter(|_| language == "sh") {
            let is_allowed = NOT_RUN.iter().any(|words| line.starts_with(words));
            assert!(is_allowed, "{}: write `{line}` as a `console` block, which is run", page.display());
            if line.contains(" > ") {
                redirect(line, &inputs);
            }
        }
    }
    copy
}

/// Runs `partita ... > FILE` in a folder.
fn redirect(line: &str, folder: &Path) {
    let (command, file) = line.split_once(" > ").unwrap();
    let words = command.split_whitespace().skip(1);
    let output = Command::new(env!("CARGO_BIN_EXE_partita")).args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    fs::write(folder.join(file), output.stdout).unwrap();
}

/// The fenced blocks of a page: language and content.
fn blocks(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'))
}

//! Required goldens of every pass.
//!
//! The name of a golden's file begins with its kind, as `refusal.pir` or `refusal_uneven.pir`:
//! - `example`: the example in the doc comment of the pass's file;
//! - `shape`: an unusual shape, such as a size that does not divide, a dimension of one or no elements, a scalar, five
//!   dimensions, or the body of a loop;
//! - `refusal`: a program or plan that the pass rejects with a diagnostic or leaves unchanged.
//!
//! Goldens with other names are further examples.

use crate::golden::{Golden, files};
use std::fs;
use std::io;
use std::path::Path;

/// Required kinds of goldens.
const GOLDEN_KINDS: [&str; 3] = ["example", "shape", "refusal"];

/// Checks that a pass has a golden of each kind, and that its example is the one in the doc comment of its file.
///
/// # Errors
/// The missing kinds, or the doc comment whose example is not shown.
pub fn check(repository: &Path, pass: &str) -> Result<(), String> {
    let goldens = Path::new("tests/filetests").join(pass);
    let files = files(&repository.join(&goldens), "pir").map_err(|e| format!("{}: {e}", goldens.display()))?;
    let missing = GOLDEN_KINDS.into_iter().filter(|kind| !files.iter().any(|file| is_of_kind(file, kind)));
    let missing: Vec<&str> = missing.collect();
    if !missing.is_empty() {
        return Err(format!("{} has no golden whose name begins with {}", goldens.display(), missing.join(", ")));
    }
    let example = goldens.join("example.pir").display().to_string();
    let text = fs::read_to_string(repository.join(&example)).map_err(|e| format!("{example}: {e}"))?;
    let golden = Golden::read(&example, &text)?;
    let head = pass_docs(&repository.join("passes/src"), pass).map_err(|e| e.to_string())?;
    match examples(&head).iter().any(|(before, after)| golden.has_example(before, after)) {
        true => Ok(()),
        false => Err(format!("{example} does not contain the example of the pass's documentation:\n{head}")),
    }
}

/// Returns true if a file's name begins with the kind.
fn is_of_kind(file: &Path, kind: &str) -> bool {
    let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    name.split('_').next() == Some(kind)
}

/// Returns the doc comment of a pass's file: the comment whose first line begins with the pass's name in backquotes.
fn pass_docs(folder: &Path, pass: &str) -> io::Result<String> {
    for file in files(folder, "rs")? {
        let source = fs::read_to_string(file)?;
        let first = source.lines().next().unwrap_or_default();
        if first.starts_with("//! `") && first.contains(&format!("`{pass}`")) {
            let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
            return Ok(lines.map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect());
        }
    }
    Err(io::Error::other(format!("no file in {} has a doc comment that begins with `{pass}`", folder.display())))
}

/// Returns the examples of a doc comment: its blocks of program text, alternately before and after the pass.
fn examples(head: &str) -> Vec<(&str, &str)> {
    let blocks = head.split("```text\n").skip(1).filter_map(|text| Some(text.split_once("```")?.0));
    let blocks: Vec<&str> = blocks.collect();
    blocks.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

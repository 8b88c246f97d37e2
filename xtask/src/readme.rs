//! Execution of the first commands of the README.

use crate::{Outcome, run};
use std::fs;
use std::path::Path;

/// Runs the first block of shell commands in README.md, which ends at the first command that fails.
pub(crate) fn check(root: &Path) -> Outcome {
    let text = fs::read_to_string(root.join("README.md")).map_err(|e| format!("README.md: {e}"))?;
    let commands = first_block(&text).ok_or("README.md has no block of shell commands")?;
    run(root, &["bash".into(), "-euc".into(), commands.into()], &[])
}

/// Returns the content of the first fenced block of language `sh`.
fn first_block(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("```sh\n")?;
    Some(rest.split_once("```")?.0)
}

#[cfg(test)]
mod tests {
    use super::first_block;

    #[test]
    fn first_block_of_commands_is_found() {
        assert_eq!(first_block("a\n```text\nb\n```\n```sh\nc\nd\n```\n```sh\ne\n```\n"), Some("c\nd\n"));
        assert_eq!(first_block("```rust\n```"), None);
    }
}

//! Execution of the first commands of the README, compared with the output that the README shows.

use crate::Outcome;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs the first block of shell commands in README.md, which ends at the first command that fails. Every line of the
/// `text` block after it must be printed, with any numbers: rounding depends on the processor.
pub(crate) fn check(root: &Path) -> Outcome {
    let text = fs::read_to_string(root.join("README.md")).map_err(|e| format!("README.md: {e}"))?;
    let commands = first_block(&text, "sh").ok_or("README.md has no block of shell commands")?;
    let shown = first_block(&text, "text").ok_or("README.md does not show what its first commands print")?;
    println!("$ {commands}");
    let child = Command::new("bash").current_dir(root).args(["-euc", commands]).stdout(Stdio::piped()).spawn();
    let ended = child.and_then(std::process::Child::wait_with_output).map_err(|e| format!("cannot run bash: {e}"))?;
    let printed = String::from_utf8_lossy(&ended.stdout);
    print!("{printed}");
    if !ended.status.success() {
        return Err("the first commands of README.md failed".into());
    }
    match missing_line(shown, &printed) {
        Some(line) => Err(format!("README.md shows a line that is not printed: {line}")),
        None => Ok(()),
    }
}

/// Returns the first of the shown lines that is not printed. Numbers and the widths of columns are ignored.
fn missing_line<'t>(shown: &'t str, printed: &str) -> Option<&'t str> {
    let printed: Vec<String> = printed.lines().map(without_numbers).collect();
    shown.lines().find(|line| !printed.contains(&without_numbers(line)))
}

/// Returns the words of a line, with `#` for each number.
fn without_numbers(line: &str) -> String {
    let words = line.split_whitespace().map(|word| if word.parse::<f64>().is_ok() { "#" } else { word });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns the content of the first fenced block of a language.
fn first_block<'t>(text: &'t str, language: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("```{language}\n"))?;
    Some(rest.split_once("```")?.0)
}

#[cfg(test)]
mod tests {
    use super::{first_block, missing_line};

    #[test]
    fn first_block_of_a_language_is_found() {
        let text = "a\n```text\nb\n```\n```sh\nc\nd\n```\n```sh\ne\n```\n";
        assert_eq!((first_block(text, "sh"), first_block(text, "text")), (Some("c\nd\n"), Some("b\n")));
        assert_eq!(first_block("```rust\n```", "sh"), None);
    }

    #[test]
    fn shown_lines_are_printed_with_any_numbers() {
        let printed = "other\n  y   f32[2]  1.5e-8  ok\n8 devices agree\n";
        assert_eq!(missing_line("y  f32[2]  0  ok\n8 devices agree\n", printed), None);
        assert_eq!(missing_line("y  f32[2]  0  ok\n8 devices differ\n", printed), Some("8 devices differ"));
    }
}

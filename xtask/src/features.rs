//! Checks that every combination of features that a document, a script or a message names compiles, and that a command
//! without features says what to build it with.

use crate::{Outcome, cargo};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Files that name commands for people.
const ENDINGS: [&str; 6] = [".md", ".rs", ".py", ".toml", "run", ".sh"];

/// Words of a command that say which features it has, or what it builds of which package.
const CHOICES: [&str; 7] = ["--features", "-F", "--bench", "--example", "--test", "-p", "--package"];

/// A command line, and the feature without which it is refused.
const LEFT_OUT: [(&str, &[&str]); 5] = [
    ("emulate", &["run", "zoo:mlp", "--emulate"]),
    ("gpu", &["compile", "zoo:mlp", "--target", "wgsl", "--output", "mlp.partita"]),
    ("gpu", &["doctor"]),
    ("highs", &["search", "zoo:mlp", "--machine", "pcie4", "--effort", "solver=highs"]),
    ("serve", &["serve", "zoo:mlp", "--checkpoint", "checkpoints"]),
];

/// Compiles each combination, without linking it, and runs what none of them has; with `list` only prints them.
pub(crate) fn check(root: &Path, list: bool) -> Outcome {
    let combinations = named(root)?;
    if combinations.is_empty() {
        return Err("no document names a feature: what finds them is broken".into());
    }
    for words in combinations {
        if list {
            println!("{words}");
        } else {
            cargo(root, &format!("check --locked {words}"), &[], &[])?;
        }
    }
    if list { Ok(()) } else { refused(root) }
}

/// Builds the command as it is without features, and asks it for what it then has not.
fn refused(root: &Path) -> Outcome {
    cargo(root, "build --locked", &[], &[])?;
    let partita = root.join("target/debug/partita");
    for (feature, words) in LEFT_OUT {
        println!("$ partita {}", words.join(" "));
        let ended = Command::new(&partita).args(words).output().map_err(|e| format!("partita: {e}"))?;
        let told = String::from_utf8_lossy(&ended.stderr);
        if ended.status.code() != Some(1) || !told.contains(&format!("--features {feature}`")) {
            return Err(format!("this should name the feature `{feature}` and end with 1:\n{told}"));
        }
    }
    Ok(())
}

/// The choices of all commands that name features, each once.
fn named(root: &Path) -> Result<BTreeSet<String>, String> {
    let listed = Command::new("git").current_dir(root).arg("ls-files").output().map_err(|e| format!("git: {e}"))?;
    let files = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut found = BTreeSet::new();
    for file in
        files.lines().filter(|file| ENDINGS.iter().any(|end| file.ends_with(end)) && !file.starts_with("xtask/"))
    {
        if let Ok(text) = fs::read_to_string(root.join(file)) {
            found.extend(commands(&text));
        }
    }
    Ok(found)
}

/// The choices of the commands in a text. A command ends with its line, a quote, or a bare `--`; in a comment or a
/// document it may go on in the next line while it is inside of backquotes.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in text.match_indices("cargo ") {
        let is_quoted = text[..at].ends_with('`');
        let end = if is_quoted { &['`'][..] } else { &['\n', '`', '"', '\'', '|', ';', ')'] };
        let command = text[at..].split(end).next().unwrap_or_default();
        let words: Vec<&str> =
            command.split_whitespace().skip(1).filter(|word| !["//!", "///", "//", "#"].contains(word)).collect();
        let words: Vec<&str> = words.into_iter().take_while(|word| *word != "--").collect();
        if !matches!(words.first(), Some(&("build" | "run" | "test" | "bench" | "check" | "install" | "clippy"))) {
            continue;
        }
        let mut choices = Vec::new();
        let mut names_features = false;
        for (i, word) in words.iter().enumerate() {
            if ["--no-default-features", "--all-features"].contains(word) {
                names_features = true;
                choices.push((*word).to_owned());
            } else if CHOICES.contains(word)
                // What a message names is filled in where it is made.
                && let Some(value) = words.get(i + 1).filter(|value| !value.starts_with('{'))
            {
                names_features |= ["--features", "-F"].contains(word);
                choices.push(format!("{word} {value}"));
            }
        }
        if names_features {
            found.push(choices.join(" "));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn commands_are_found_in_documents_scripts_and_messages() {
        let document =
            "as `cargo bench --no-default-features\n  --bench frozen` says; `cargo test` and `--features highs`";
        assert_eq!(commands(document), ["--no-default-features --bench frozen"]);
        assert_eq!(
            commands("//! cargo bench --no-default-features --bench step -- FILE\n"),
            ["--no-default-features --bench step"]
        );
        assert_eq!(commands("x=$(cargo build --release --features a,b)\n"), ["--features a,b"]);
        assert_eq!(commands("help(\"cargo run -p x --features highs\")"), ["-p x --features highs"]);
        assert_eq!(commands("cargo test --workspace\ncargo xtask soak --features x\n"), [""; 0]);
    }
}

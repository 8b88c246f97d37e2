//! Checks that every combination of features named in documents, scripts and messages compiles, that a command line
//! built with the default features states how to enable missing ones, and that builds share compiled dependencies.

use crate::{CHECKS_FOLDER, Outcome, cargo};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Suffixes of files that contain commands for users.
const FILE_SUFFIXES: [&str; 6] = [".md", ".rs", ".py", ".toml", "run", ".sh"];

/// Command-line arguments that select features, packages or targets.
const SELECTION_FLAGS: [&str; 7] = ["--features", "-F", "--bench", "--example", "--test", "-p", "--package"];

/// A feature, and arguments of `partita` that require the feature.
const MISSING_FEATURE_COMMANDS: [(&str, &[&str]); 3] = [
    ("emulate", &["run", "zoo:mlp", "--emulate"]),
    ("gpu", &["compile", "zoo:mlp", "--target", "wgsl", "--output", "mlp.partita"]),
    ("serve", &["serve", "zoo:mlp", "--checkpoint", "checkpoints"]),
];

/// Compiles each combination without linking and runs the commands of [`MISSING_FEATURE_COMMANDS`]. With `list`, prints
/// the combinations instead.
pub(crate) fn check(root: &Path, list: bool) -> Outcome {
    let combinations = documented_selections(root)?;
    if combinations.is_empty() {
        return Err("no document names a feature: fix the search for commands".into());
    }
    if list {
        combinations.iter().for_each(|words| println!("{words}"));
        return Ok(());
    }
    check_unified_features(root)?;
    for words in combinations {
        cargo(root, &format!("check --locked {words}"), &[], &[("CARGO_TARGET_DIR", CHECKS_FOLDER)])?;
    }
    check_missing_features(root)
}

/// Checks that builds of the library select the same features of each dependency as a build of the workspace.
/// Otherwise, all crates that use the dependency are compiled for each.
fn check_unified_features(root: &Path) -> Outcome {
    let members = root.canonicalize().map_err(|e| format!("{}: {e}", root.display()))?.display().to_string();
    let mut lines = String::new();
    // A package may have other features where procedural macros use it.
    for (edges, all_edges) in [("normal,no-proc-macro", "normal,dev,no-proc-macro"), ("normal,build", "all")] {
        let of_workspace = selected_features(root, &["--workspace", "--edges", all_edges])?;
        for features in ["", "burn", "gpu"] {
            let selection = ["--package", "partita", "--features", features, "--edges", edges];
            for line in selected_features(root, &selection)? {
                if !line.contains(&members) && !of_workspace.contains(&line) {
                    lines.push_str(&format!("\n  {line} (features of partita: {features:?})"));
                }
            }
        }
    }
    match lines.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "the crates in unified-features/ do not enable all features of the workspace's builds. \
             Other builds select:{lines}"
        )),
    }
}

/// Returns the packages of a build with their features, one line each.
fn selected_features(root: &Path, selection: &[&str]) -> Result<BTreeSet<String>, String> {
    let mut command = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    command.current_dir(root).args(["tree", "--locked", "--prefix", "none", "--format", "{p} {f}"]).args(selection);
    let ended = command.output().map_err(|e| format!("cargo: {e}"))?;
    if !ended.status.success() {
        return Err(String::from_utf8_lossy(&ended.stderr).into_owned());
    }
    let marks = [" (*)", " (proc-macro)"];
    let line =
        |line: &str| marks.iter().fold(line.to_owned(), |line, mark| line.replace(mark, "")).trim_end().to_owned();
    Ok(String::from_utf8_lossy(&ended.stdout).lines().map(line).collect())
}

/// Builds `partita` with its default features and checks its messages about missing features.
fn check_missing_features(root: &Path) -> Outcome {
    cargo(root, "build --locked", &[], &[])?;
    let partita = root.join("target/debug/partita");
    for (feature, words) in MISSING_FEATURE_COMMANDS {
        println!("$ partita {}", words.join(" "));
        let ended = Command::new(&partita).args(words).output().map_err(|e| format!("partita: {e}"))?;
        let output = String::from_utf8_lossy(&ended.stderr);
        if ended.status.code() != Some(1) || !output.contains(&format!("--features {feature}`")) {
            return Err(format!("expected a message about the feature `{feature}` and exit code 1:\n{output}"));
        }
    }
    Ok(())
}

/// Returns the distinct combinations of `cargo` arguments that select features, from all files outside of `xtask`.
fn documented_selections(root: &Path) -> Result<BTreeSet<String>, String> {
    let listed = Command::new("git").current_dir(root).arg("ls-files").output().map_err(|e| format!("git: {e}"))?;
    let files = String::from_utf8_lossy(&listed.stdout).into_owned();
    let mut found = BTreeSet::new();
    for file in
        files.lines().filter(|file| FILE_SUFFIXES.iter().any(|end| file.ends_with(end)) && !file.starts_with("xtask/"))
    {
        if let Ok(text) = fs::read_to_string(root.join(file)) {
            found.extend(feature_selections(&text));
        }
    }
    Ok(found)
}

/// Returns the arguments that select features, packages or targets, for each `cargo` command of a text that names
/// features. A command ends at the end of its line, a quote, or a bare `--`. A command inside backquotes may continue
/// on the next line.
fn feature_selections(text: &str) -> Vec<String> {
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
            } else if SELECTION_FLAGS.contains(word)
                // Feature names in format strings are filled in at run time.
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
    use super::feature_selections;

    #[test]
    fn commands_are_found_in_documents_scripts_and_messages() {
        let document =
            "as `cargo bench --no-default-features\n  --bench frozen` says; `cargo test` and `--features serve`";
        assert_eq!(feature_selections(document), ["--no-default-features --bench frozen"]);
        assert_eq!(
            feature_selections("//! cargo bench --no-default-features --bench step -- FILE\n"),
            ["--no-default-features --bench step"]
        );
        assert_eq!(feature_selections("x=$(cargo build --release --features a,b)\n"), ["--features a,b"]);
        assert_eq!(feature_selections("help(\"cargo run -p x --features serve\")"), ["-p x --features serve"]);
        assert_eq!(feature_selections("cargo test --workspace\ncargo xtask soak --features x\n"), [""; 0]);
    }
}

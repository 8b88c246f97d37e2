//! What rustc and clippy do not check.
//!
//! 1. A Rust file has at most 600 lines and begins with a `//!` head.
//! 2. No `use crate::*`: one should see where a name comes from.
//! 3. Nothing outside `frontends/burn`, `src` and its examples names Burn; nothing outside `frontends/onnx` and
//!    tests names its parser; nothing outside `backends/cubecl`, `src` and `cli` names CubeCL; nothing outside
//!    `backends/gpu` names wgpu, outside `equality` egg. Comments may.
//! 4. No file holds a path of somebody's machine.
//! 5. A filetest says in its first line what it tests.
//! 6. Whoever visits the ops of the entry function alone says why, on the line or above it: `// entry only: ...`. With
//!    micro-batches the model is the body of a loop, which `Program::model_ops` visits. `ir` and tests are free to. All
//!    reasons are listed.
//! 7. Only `ir/src/input_file.rs` opens files for reading, which rejects special files and files that are too long.
//! 8. Every error code is reported somewhere, so that none is explained which does not exist.
//! 9. Lines of Rust files keep to the [`width`] of rustfmt, comments included.
//! 10. Relative links of Markdown files lead to files.
//! 11. Code says what every kind of op is to it: patterns that leave some out are errors, but in recognisers, whose
//!     reasons are listed. See [`exhaustive`].
//! 12. Crates, and the top-level modules of each, are in an [`order`]. It is printed, and the diagram of the crates
//!     shows it.

use crate::{exhaustive, order, width};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Lines of a Rust file.
const MAX_LINES: usize = 600;

/// Beginnings of paths that mean something on one machine only, written so that this file does not hold them.
const MACHINE_PATHS: [&str; 4] =
    [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/"), concat!("/wo", "rk/")];

/// A library that only some folders may name.
struct Kept {
    library: &'static str,
    folders: &'static [&'static str],
}

const KEPT: [Kept; 5] = [
    Kept { library: "burn", folders: &["frontends/burn/", "src/", "cli/Cargo.toml", "examples/", "xtask/"] },
    Kept { library: "prost", folders: &["frontends/onnx/", "cli/", "xtask/"] },
    Kept { library: "cubecl", folders: &["backends/cubecl/", "src/", "cli/", "examples/", "xtask/"] },
    Kept { library: "egg", folders: &["equality/", "xtask/"] },
    Kept { library: "wgpu", folders: &["backends/gpu/", "xtask/"] },
];

/// How the ops of the entry function alone are visited.
const ENTRY_BODIES: [&str; 3] = ["entry()].ops()", " main.ops()", "entry_ops()"];

/// What stands in front of the reason for it.
const ENTRY_ONLY: &str = "// entry only: ";

/// The module that opens input files.
const INPUT_FILES: &str = "ir/src/input_file.rs";

/// Calls that open a file for reading.
const READS: [&str; 4] = ["fs::read(", "fs::read_to_string(", "File::open(", ".read(true)"];

/// Other files that open files for reading, with the reason.
const OTHER_READERS: [(&str, &str); 4] = [
    ("runtime/src/checkpoint/disk.rs", "opens folders, to sync them"),
    ("runtime/src/checkpoint/lock.rs", "reads the lock that it has written, and the name of the host"),
    ("runtime/src/cache.rs", "reads the file that it has created"),
    ("src/sweep/results.rs", "reads and appends to one locked file, and checks what it has opened"),
];

/// Folders of importers of foreign formats, which choose the op of each form that they read.
const IMPORTERS: [&str; 3] = ["frontends/burn/", "frontends/onnx/", "frontends/stablehlo/src/import"];

/// Folders of programs that read only files of this repository, or what they have written.
const OWN_FILES: [&str; 4] = ["tests/", "benches/", "examples/", "xtask/"];

/// The module of error codes and their explanations.
const ERROR_CODES: &str = "ir/src/diag/codes.rs";

/// Checks every file that git tracks or would track, lists who visits the entry function alone, and prints the order of
/// crates and modules.
pub fn check(root: &Path) -> Result<(), String> {
    let listed = Command::new("git")
        .current_dir(root)
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .output()
        .map_err(|e| format!("cannot run git: {e}"))?;
    if !listed.status.success() {
        return Err("`git ls-files` failed".into());
    }
    let (mut found, mut entry_only, mut codes) = (Vec::new(), Vec::new(), Vec::new());
    let mut recognisers = Vec::new();
    let mut reported = BTreeSet::new();
    let max_width = width::max_width(root)?;
    let listed = String::from_utf8_lossy(&listed.stdout);
    for file in listed.lines() {
        // What is not text, or was deleted since, is none of our business.
        if let Ok(text) = fs::read_to_string(root.join(file)) {
            found.extend(complaints(file, &text).into_iter().map(|what| format!("{file}{what}")));
            if file.ends_with(".rs") {
                let long = width::long_lines(&text, is_test(file), max_width);
                found.extend(long.iter().map(|line| format!("{file}:{line}: longer than {max_width} letters")));
            }
            if file.ends_with(".md") {
                let broken = broken_links(&text, |path| root.join(file).with_file_name(path).exists());
                found.extend(broken.map(|(line, path)| format!("{file}:{line}: there is no `{path}`")));
            }
            if file == ERROR_CODES {
                codes = explained_codes(&text);
            } else if file.ends_with(".rs") && !is_test(file) {
                reported.extend(reported_codes(&text).map(str::to_owned));
            }
            if file.ends_with(".rs") && !is_test(file) && !IMPORTERS.iter().any(|folder| file.starts_with(folder)) {
                let report = exhaustive::check(&text).map_err(|e| format!("{file}: {e}"))?;
                found.extend(report.found.iter().map(|(line, what)| format!("{file}:{line}: {what}")));
                recognisers.extend(report.recognisers.iter().map(|(line, reason)| format!("{file}:{line}: {reason}")));
            }
            for (line, reason) in entry_visits(file, &text) {
                match reason {
                    Some(reason) => entry_only.push(format!("{file}:{line}: {reason}")),
                    None => found.push(format!("{file}:{line}: {UNEXPLAINED}")),
                }
            }
        }
    }
    let unknown = codes.iter().filter(|code| !reported.contains(*code));
    found.extend(unknown.map(|code| format!("{ERROR_CODES}: nothing reports {code}")));
    if let Err(why) = order::check(root) {
        found.push(why);
    }
    if !found.is_empty() {
        return Err(found.join("\n"));
    }
    println!("{} recognisers:\n{}", recognisers.len(), recognisers.join("\n"));
    println!("{} places visit the ops of the entry function alone:\n{}", entry_only.len(), entry_only.join("\n"));
    Ok(())
}

/// Returns whether a file holds tests.
fn is_test(file: &str) -> bool {
    file.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// The codes that the module of error codes declares, each as `L001: "title",` on a line.
fn explained_codes(text: &str) -> Vec<String> {
    let names = text.lines().filter_map(|line| Some(line.trim().split_once(": \"")?.0));
    names.filter(|name| name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())).map(str::to_owned).collect()
}

/// The codes that a file names: `Code::L001`.
fn reported_codes(text: &str) -> impl Iterator<Item = &str> {
    text.split("Code::").skip(1).filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric()).next())
}

/// Returns the relative links of a Markdown text for which `exists` is false, with their lines.
fn broken_links<'t>(text: &'t str, exists: impl Fn(&str) -> bool + 't) -> impl Iterator<Item = (usize, &'t str)> + 't {
    let links = (1..)
        .zip(text.lines())
        .flat_map(|(n, line)| line.split("](").skip(1).filter_map(move |rest| Some((n, rest.split_once(')')?.0))));
    let local = links.map(|(n, link)| (n, link.split('#').next().unwrap_or_default()));
    local.filter(move |(_, path)| !path.is_empty() && !path.contains("://") && !exists(path))
}

/// The complaint about a visit without a reason.
const UNEXPLAINED: &str =
    "visit `Program::model_ops`, which enters loops, or say why not on the line above: `// entry only: ...`";

/// The lines of a file that visit the ops of the entry function alone, each with the reason that it gives.
fn entry_visits<'t>(file: &str, text: &'t str) -> Vec<(usize, Option<&'t str>)> {
    let is_free = file.starts_with("ir/") || file.starts_with("xtask/") || file.starts_with("frontends/stablehlo/");
    if is_free || !file.ends_with(".rs") || is_test(file) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut above: Option<&str> = None;
    for (n, line) in (1..).zip(text.lines()) {
        // What follows is a test.
        if line.trim() == "#[cfg(test)]" {
            break;
        }
        let reason = line.split_once(ENTRY_ONLY).map(|(_, reason)| reason.trim());
        let is_comment = line.trim_start().starts_with("//");
        let is_written = |rest: &str| rest.trim_start().starts_with("= ");
        let visits = |body: &&str| line.split_once(*body).is_some_and(|(_, rest)| !is_written(rest));
        if !is_comment && ENTRY_BODIES.iter().any(visits) {
            found.push((n, reason.or(above)));
        }
        // A reason that goes on over several comment lines stays in force.
        above = if is_comment { reason.or(above) } else { None };
    }
    found
}

/// What is wrong with one file; each begins with `:line: ` or `: `.
fn complaints(file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_own = OWN_FILES.iter().any(|folder| file.contains(folder)) || file.ends_with("/tests.rs");
    let mut may_read = is_own || file == INPUT_FILES || OTHER_READERS.iter().any(|(known, _)| *known == file);
    for (n, line) in (1..).zip(text.lines()) {
        may_read |= line == "#[cfg(test)]";
        if let Some(path) = MACHINE_PATHS.iter().find(|p| names_path(line, p)) {
            found.push(format!(":{n}: a path under `{path}` means nothing elsewhere"));
        }
        let is_code = file.ends_with(".rs") && !line.trim_start().starts_with("//");
        if is_code && line.trim_start().trim_start_matches("pub ") == "use crate::*;" {
            found.push(format!(":{n}: name what is used instead of `use crate::*`"));
        }
        if let Some(read) = READS.iter().find(|read| is_code && !may_read && line.contains(**read)) {
            found.push(format!(":{n}: read files with `partita_ir::input_file`, not with `{read}..)`"));
        }
        if is_code || (file.ends_with("Cargo.toml") && file != "Cargo.toml") {
            let kept = KEPT.iter().filter(|k| !k.folders.iter().any(|f| file.starts_with(f)));
            for library in kept.map(|k| k.library).filter(|l| names_library(line, l)) {
                found.push(format!(":{n}: only its own crate may name `{library}`"));
            }
        }
    }
    if file.ends_with(".rs") {
        let lines = text.lines().count();
        if lines > MAX_LINES {
            found.push(format!(": {lines} lines are more than {MAX_LINES}"));
        }
        let head = text.lines().find(|l| !l.is_empty() && !l.starts_with("#!"));
        if !head.is_some_and(|l| l.starts_with("//! ")) {
            found.push(": begin with a `//!` head that tells its story".into());
        }
    }
    if file.starts_with("tests/filetests/") && file.ends_with(".pir") && !text.starts_with("test ") {
        found.push(":1: say what is tested: `test parse`, `test verify`, ...".into());
    }
    found
}

/// Whether an absolute path that begins with `start` stands in the line.
fn names_path(line: &str, start: &str) -> bool {
    let inside = |b: u8| b.is_ascii_alphanumeric() || b"._-~}/".contains(&b);
    line.match_indices(start).any(|(at, _)| at == 0 || !inside(line.as_bytes()[at - 1]))
}

/// Whether a word of the line is the library, or begins with its name and `_` or `-`.
fn names_library(line: &str, library: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    line.split(|c| !is_word(c))
        .any(|word| word.strip_prefix(library).is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '-'])))
}

#[cfg(test)]
mod tests {
    use super::{broken_links, complaints, entry_visits, explained_codes, names_library, names_path, reported_codes};

    #[test]
    fn a_good_file_passes() {
        assert_eq!(complaints("ir/src/a.rs", "//! A.\n\nuse std::fs; // as in Burn\n"), [""; 0]);
        assert_eq!(complaints("tests/filetests/parse/a.pir", "test parse\nform traced\n"), [""; 0]);
    }

    #[test]
    fn links_lead_to_files() {
        let text = "[a](a.rs) and [b](b.rs#L3)\n[c](https://c.rs) [d](#d) [e](e/)";
        assert_eq!(broken_links(text, |path| path == "a.rs").collect::<Vec<_>>(), [(1, "b.rs"), (2, "e/")]);
    }

    #[test]
    fn each_rule_bites() {
        assert_eq!(complaints("ir/src/a.rs", "use crate::*;\n").len(), 2);
        assert_eq!(complaints("ir/src/a.rs", &format!("//! A.\n{}", "\n".repeat(600))).len(), 1);
        assert_eq!(complaints("ir/src/a.rs", "//! A.\nuse burn::module::Module;\n").len(), 1);
        assert_eq!(complaints("frontends/burn/src/a.rs", "//! A.\nuse burn::module::Module;\n").len(), 0);
        assert_eq!(complaints("passes/Cargo.toml", "cubecl-core = \"1\"\n").len(), 1);
        assert_eq!(complaints("tests/filetests/parse/a.pir", "form traced\n").len(), 1);
        assert_eq!(complaints("src/a.rs", "//! A.\nlet x = std::fs::read(path);\n").len(), 1);
        assert_eq!(
            complaints("src/a.rs", "//! A.\n#[cfg(test)]\nmod tests {\nlet x = std::fs::read(path);\n").len(),
            0
        );
        assert_eq!(complaints("cli/tests/cli/a.rs", "//! A.\nlet x = std::fs::read(path);\n").len(), 0);
        assert_eq!(complaints("README.md", concat!("see /ho", "me/me/x\n")).len(), 1);
    }

    #[test]
    fn visits_of_the_entry_function_alone_need_a_reason() {
        let bare = "//! A.\nlet ops = program.funcs[program.entry()].ops().iter();\n";
        assert_eq!(entry_visits("passes/src/a.rs", bare), [(2, None)]);
        let above = "//! A.\n    // entry only: outputs are its own,\n    // all of them\n    let b = program.funcs[program.entry()].ops();\nlet c = main.ops()[0];\n";
        assert_eq!(entry_visits("src/a.rs", above), [(4, Some("outputs are its own,")), (5, None)]);
        let beside = "let b = program.funcs[program.entry()].ops(); // entry only: a reason\n";
        assert_eq!(entry_visits("src/a.rs", beside), [(1, Some("a reason"))]);
        let free = "*program.entry_ops_mut() = body;\n// entry_ops()\n#[cfg(test)]\nmod tests { p.entry_ops() }\n";
        assert_eq!(entry_visits("src/a.rs", free), []);
        for file in ["ir/src/a.rs", "cli/tests/cli/a.rs", "passes/src/pipelining/schedule/tests.rs", "README.md"] {
            assert_eq!(entry_visits(file, bare), [], "{file}");
        }
    }

    #[test]
    fn codes_are_found_where_they_are_explained_and_reported() {
        let module = "codes! {\n    L001: \"unknown axis\",\n        \"Write `a: b`.\";\n    L013: \"sum\",\n        \"x\";\n}\n";
        assert_eq!(explained_codes(module), ["L001", "L013"]);
        let file = "Err(Diagnostic::new(Code::L001, \"no\"))\nmatch code { Code::L013 => {} }\n";
        assert_eq!(reported_codes(file).collect::<Vec<_>>(), ["L001", "L013"]);
    }

    #[test]
    fn words_and_paths_are_whole() {
        assert!(names_library("burn-ndarray = \"1\"", "burn"));
        assert!(!names_library("let burnt = 1;", "burn"));
        assert!(names_path(concat!("cd /wo", "rk/main"), concat!("/wo", "rk/")));
        assert!(!names_path(concat!("net", "/wo", "rk/main"), concat!("/wo", "rk/")));
    }
}

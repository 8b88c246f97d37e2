//! Checks of the repository that rustc and clippy lack.
//!
//! 1. A Rust file has at most 600 lines and begins with a `//!` doc comment.
//! 2. `use crate::*` is rejected, since it hides the origin of names.
//! 3. Only `frontends/burn`, `src` and its examples name Burn; only `frontends/onnx` and tests name its parser; only
//!    `backends/cubecl`, `src` and `cli` name CubeCL; only `backends/gpu` names wgpu; only `equality` names egg.
//!    Comments may name them.
//! 4. No file contains a path of a developer's machine.
//! 5. The first line of a filetest states what it tests.
//! 6. Code that visits the ops of the entry function alone gives a reason on the line or above it: `// entry only:
//!    ...`. With micro-batches the model is the body of a loop, which `Program::model_ops` visits. `ir` and tests are
//!    exempt. All reasons are listed.
//! 7. Only `ir/src/input_file.rs` opens files for reading, which rejects special files and oversized files.
//! 8. Every error code is reported by the product and expected by a test ([`codes`](crate::codes)).
//! 9. Lines of Rust files, comments included, fit the [`width`] of rustfmt.
//! 10. Relative links of Markdown files refer to existing files.
//! 11. Code handles every kind of op: patterns that skip some are errors, except in recognisers, whose reasons are
//!     listed. See [`exhaustive`].
//! 12. Comments, messages and documents use the terms of the field ([`prose`]), and names are descriptive ([`naming`]).
//! 13. Crates, and the top-level modules of each, have an acyclic [`order`], which is printed. The crate diagram shows
//!     it.
//! 14. Every file of the tests is a module ([`undeclared`]).

use crate::codes::ErrorCodes;
use crate::{exhaustive, naming, order, prose, undeclared, width};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Maximum number of lines of a Rust file.
const MAX_LINES: usize = 600;

/// Prefixes of machine-specific paths, split so that this file does not contain them.
const MACHINE_PATHS: [&str; 4] =
    [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/Us", "ers/"), concat!("/wo", "rk/")];

/// A library that only some folders may name.
struct RestrictedLibrary {
    library: &'static str,
    folders: &'static [&'static str],
}

const RESTRICTED_LIBRARIES: [RestrictedLibrary; 7] = [
    RestrictedLibrary {
        library: "burn",
        folders: &["frontends/burn/", "src/", "cli/Cargo.toml", "examples/", "xtask/"],
    },
    RestrictedLibrary { library: "prost", folders: &["frontends/onnx/", "cli/", "xtask/"] },
    RestrictedLibrary {
        library: "cubecl",
        folders: &["backends/cubecl/", "src/", "cli/", "examples/", "unified-features/", "xtask/"],
    },
    RestrictedLibrary { library: "egg", folders: &["equality/", "xtask/"] },
    RestrictedLibrary { library: "faer", folders: &["linalg/", "xtask/"] },
    RestrictedLibrary { library: "rustfft", folders: &["linalg/", "xtask/"] },
    RestrictedLibrary { library: "wgpu", folders: &["backends/gpu/", "xtask/"] },
];

/// Expressions that visit the ops of the entry function alone.
const ENTRY_BODIES: [&str; 3] = ["entry()].ops()", " main.ops()", "entry_ops()"];

/// Prefix of the reason for such a visit.
const ENTRY_ONLY: &str = "// entry only: ";

/// The module that opens input files.
const INPUT_FILES: &str = "ir/src/input_file.rs";

/// Calls that open a file for reading.
const FILE_READ_CALLS: [&str; 4] = ["fs::read(", "fs::read_to_string(", "File::open(", ".read(true)"];

/// Other files that open files for reading, with the reason.
const OTHER_FILE_READERS: [(&str, &str); 4] = [
    ("runtime/src/checkpoint/disk.rs", "opens folders to sync them"),
    ("runtime/src/checkpoint/lock.rs", "reads its own lock file"),
    ("runtime/src/cache.rs", "reads its own file"),
    ("src/sweep/results.rs", "reads and appends to one locked file, and checks the opened file"),
];

/// Folders of importers of foreign formats, which construct the op of each input form.
const IMPORTERS: [&str; 4] =
    ["frontends/burn/", "frontends/onnx/", "frontends/stablehlo/src/import", "frontends/torch/"];

/// Folders of programs that read only files of this repository or their own output.
const EXEMPT_FOLDERS: [&str; 4] = ["tests/", "benches/", "examples/", "xtask/"];

/// Checks every file that git tracks or would track, lists the visits of the entry function alone, and prints the order
/// of crates and modules.
pub fn check(root: &Path) -> Result<(), String> {
    let listed = Command::new("git")
        .current_dir(root)
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .output()
        .map_err(|e| format!("cannot run git: {e}"))?;
    if !listed.status.success() {
        return Err("`git ls-files` failed".into());
    }
    let (mut found, mut entry_only, mut codes) = (Vec::new(), Vec::new(), ErrorCodes::default());
    let (mut recognisers, mut types) = (Vec::new(), Vec::new());
    let max_width = width::max_width(root)?;
    let listed = String::from_utf8_lossy(&listed.stdout);
    for file in listed.lines() {
        // Binary files and deleted files are skipped.
        if let Ok(text) = fs::read_to_string(root.join(file)) {
            found.extend(complaints(file, &text).into_iter().map(|what| format!("{file}{what}")));
            if file.ends_with(".rs") {
                let long = width::long_lines(&text, is_test(file), max_width);
                found.extend(long.iter().map(|line| format!("{file}:{line}: longer than {max_width} characters")));
            }
            if file.ends_with(".rs") {
                let wording = prose::check_rust(&text, is_test(file));
                found.extend(wording.iter().map(|(line, what)| format!("{file}:{line}: {what}")));
            }
            if let Some((folder, _)) = file.split_once("src/").filter(|_| file.ends_with(".rs") && !is_test(file)) {
                let names = naming::check(&text).map_err(|e| format!("{file}: {e}"))?;
                found.extend(names.found.iter().map(|(line, what)| format!("{file}:{line}: {what}")));
                let place = |line: usize| format!("{file}:{line}");
                types.extend(names.types.into_iter().map(|(name, line)| (folder.to_owned(), name, place(line))));
            }
            if file.ends_with(".md") {
                let wording = prose::check_markdown(&text);
                found.extend(wording.iter().map(|(line, what)| format!("{file}:{line}: {what}")));
                let broken = broken_links(&text, |path| root.join(file).with_file_name(path).exists());
                found.extend(broken.map(|(line, path)| format!("{file}:{line}: broken link `{path}`")));
            }
            codes.add(file, &text, is_test(file));
            if file.ends_with(".rs") && !is_test(file) && !IMPORTERS.iter().any(|folder| file.starts_with(folder)) {
                let report = exhaustive::check(&text).map_err(|e| format!("{file}: {e}"))?;
                found.extend(report.found.iter().map(|(line, what)| format!("{file}:{line}: {what}")));
                recognisers.extend(report.recognisers.iter().map(|(line, reason)| format!("{file}:{line}: {reason}")));
            }
            for (line, reason) in entry_visits(file, &text) {
                match reason {
                    Some(reason) => entry_only.push(format!("{file}:{line}: {reason}")),
                    None => found.push(format!("{file}:{line}: {MISSING_REASON}")),
                }
            }
        }
    }
    found.extend(naming::duplicates(&types));
    let files = listed.lines().filter(|file| file.ends_with(".rs"));
    let files = files.filter_map(|file| Some((file.to_owned(), fs::read_to_string(root.join(file)).ok()?))).collect();
    found.extend(undeclared::check(&files, &order::Workspace::load(root)?.test_roots()));
    found.extend(codes.complaints());
    if let Err(why) = order::check(root) {
        found.push(why);
    }
    if !found.is_empty() {
        return Err(found.join("\n"));
    }
    println!("{} recognisers:\n{}", recognisers.len(), recognisers.join("\n"));
    println!("{} visits of the ops of the entry function alone:\n{}", entry_only.len(), entry_only.join("\n"));
    Ok(())
}

/// Returns true if a file contains tests.
fn is_test(file: &str) -> bool {
    file.split('/').any(|part| part == "tests" || part == "tests.rs")
}

/// Returns the relative links of a Markdown text for which `exists` is false, with their lines.
fn broken_links<'t>(text: &'t str, exists: impl Fn(&str) -> bool + 't) -> impl Iterator<Item = (usize, &'t str)> + 't {
    let links = (1..)
        .zip(text.lines())
        .flat_map(|(n, line)| line.split("](").skip(1).filter_map(move |rest| Some((n, rest.split_once(')')?.0))));
    let local = links.map(|(n, link)| (n, link.split('#').next().unwrap_or_default()));
    local.filter(move |(_, path)| !path.is_empty() && !path.contains("://") && !exists(path))
}

/// Complaint about a visit without a reason.
const MISSING_REASON: &str =
    "visit `Program::model_ops`, which enters loops, or state the reason on the line above: `// entry only: ...`";

/// Returns the lines of a file that visit the ops of the entry function alone, each with its reason.
fn entry_visits<'t>(file: &str, text: &'t str) -> Vec<(usize, Option<&'t str>)> {
    let is_free = file.starts_with("ir/") || file.starts_with("xtask/") || file.starts_with("frontends/stablehlo/");
    if is_free || !file.ends_with(".rs") || is_test(file) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut above: Option<&str> = None;
    for (n, line) in (1..).zip(text.lines()) {
        // The rest of the file is tests.
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
        // A reason that continues over several comment lines stays in effect.
        above = if is_comment { reason.or(above) } else { None };
    }
    found
}

/// Returns the errors of one file; each begins with `:line: ` or `: `.
fn complaints(file: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_own = EXEMPT_FOLDERS.iter().any(|folder| file.contains(folder)) || file.ends_with("/tests.rs");
    let mut may_read = is_own || file == INPUT_FILES || OTHER_FILE_READERS.iter().any(|(known, _)| *known == file);
    for (n, line) in (1..).zip(text.lines()) {
        may_read |= line == "#[cfg(test)]";
        if let Some(path) = MACHINE_PATHS.iter().find(|p| names_path(line, p)) {
            found.push(format!(":{n}: the path under `{path}` is specific to one machine"));
        }
        let is_code = file.ends_with(".rs") && !line.trim_start().starts_with("//");
        if is_code && line.trim_start().trim_start_matches("pub ") == "use crate::*;" {
            found.push(format!(":{n}: list the imported items instead of `use crate::*`"));
        }
        if let Some(read) = FILE_READ_CALLS.iter().find(|read| is_code && !may_read && line.contains(**read)) {
            found.push(format!(":{n}: read files with `partita_ir::input_file`, not with `{read}..)`"));
        }
        if is_code || (file.ends_with("Cargo.toml") && file != "Cargo.toml") {
            let kept = RESTRICTED_LIBRARIES.iter().filter(|k| !k.folders.iter().any(|f| file.starts_with(f)));
            for library in kept.map(|k| k.library).filter(|l| names_library(line, l)) {
                found.push(format!(":{n}: only its wrapper crate may name `{library}`"));
            }
        }
    }
    if file.ends_with(".rs") {
        let lines = text.lines().count();
        if lines > MAX_LINES {
            found.push(format!(": {lines} lines exceed the limit of {MAX_LINES}"));
        }
        let head = text.lines().find(|l| !l.is_empty() && !l.starts_with("#!"));
        if !head.is_some_and(|l| l.starts_with("//! ")) {
            found.push(": begin with a `//!` head that tells its story".into());
        }
    }
    if file.starts_with("tests/filetests/") && file.ends_with(".pir") && !text.starts_with("test ") {
        found.push(":1: name the test: `test parse`, `test verify`, ...".into());
    }
    found
}

/// Returns true if the line contains an absolute path that begins with `start`.
fn names_path(line: &str, start: &str) -> bool {
    let inside = |b: u8| b.is_ascii_alphanumeric() || b"._-~}/".contains(&b);
    line.match_indices(start).any(|(at, _)| at == 0 || !inside(line.as_bytes()[at - 1]))
}

/// Returns true if a word of the line is the library, or begins with its name and `_` or `-`.
fn names_library(line: &str, library: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    line.split(|c| !is_word(c))
        .any(|word| word.strip_prefix(library).is_some_and(|rest| rest.is_empty() || rest.starts_with(['_', '-'])))
}

#[cfg(test)]
mod tests {
    use super::{broken_links, complaints, entry_visits, names_library, names_path};

    #[test]
    fn valid_files_pass() {
        assert_eq!(complaints("ir/src/a.rs", "//! A.\n\nuse std::fs; // as in Burn\n"), [""; 0]);
        assert_eq!(complaints("tests/filetests/parse/a.pir", "test parse\nform traced\n"), [""; 0]);
    }

    #[test]
    fn broken_links_are_found() {
        let text = "[a](a.rs) and [b](b.rs#L3)\n[c](https://c.rs) [d](#d) [e](e/)";
        assert_eq!(broken_links(text, |path| path == "a.rs").collect::<Vec<_>>(), [(1, "b.rs"), (2, "e/")]);
    }

    #[test]
    fn each_rule_reports_violations() {
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
    fn entry_only_visits_need_a_reason() {
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
    fn library_names_and_paths_match_entirely() {
        assert!(names_library("burn-ndarray = \"1\"", "burn"));
        assert!(!names_library("let burnt = 1;", "burn"));
        assert!(names_path(concat!("cd /wo", "rk/main"), concat!("/wo", "rk/")));
        assert!(!names_path(concat!("net", "/wo", "rk/main"), concat!("/wo", "rk/")));
    }
}

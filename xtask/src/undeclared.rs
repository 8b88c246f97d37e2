//! Files of tests that no module declares: they would neither be compiled nor run.

use std::collections::BTreeMap;

/// Workspaces and programs with files of their own.
const OTHER_ROOTS: [&str; 2] = ["tests/consumer/", "tests/src/bin/"];

/// Returns complaints about files of tests that are neither in `roots` nor declared. `files` contains the texts of all
/// Rust files by path.
pub(crate) fn check(files: &BTreeMap<String, String>, roots: &[String]) -> Vec<String> {
    let is_in_tests = |file: &&String| file.starts_with("tests/") || file.contains("/tests/");
    let is_root = |file: &String| roots.contains(file) || OTHER_ROOTS.iter().any(|folder| file.starts_with(folder));
    let undeclared = files.keys().filter(is_in_tests).filter(|file| !is_root(file) && !is_declared(files, roots, file));
    undeclared.map(|file| format!("{file}: no module declares this file: it is not compiled")).collect()
}

/// Returns true if a module declares a file.
fn is_declared(files: &BTreeMap<String, String>, roots: &[String], file: &str) -> bool {
    let Some((folder, name)) = file.trim_end_matches(".rs").rsplit_once('/') else { return true };
    let (folder, name) = match name {
        "mod" => folder.rsplit_once('/').unwrap_or(("", folder)),
        "lib" => return true,
        _ => (folder, name),
    };
    let parents =
        [format!("{folder}/main.rs"), format!("{folder}/mod.rs"), format!("{folder}/lib.rs"), format!("{folder}.rs")];
    let declares = |text: &String| {
        text.lines().any(|line| {
            line.trim().trim_start_matches("pub ").trim_start_matches("pub(crate) ") == format!("mod {name};")
        })
    };
    let is_beside = |root: &&String| root.rsplit_once('/').is_some_and(|(of_root, _)| of_root == folder);
    let by_path = format!("/{name}.rs\"]");
    parents.iter().chain(roots.iter().filter(is_beside)).filter_map(|parent| files.get(parent)).any(declares)
        || files.values().any(|text| text.lines().any(|line| line.starts_with("#[path") && line.ends_with(&by_path)))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn files_without_declaration_are_found() {
        let files = [
            ("a/tests/main.rs", "mod common;\nmod deep;\n"),
            ("a/tests/common/mod.rs", ""),
            ("a/tests/deep.rs", "    pub(crate) mod part;\n"),
            ("a/tests/deep/part.rs", ""),
            ("a/tests/lost.rs", "mod other;"),
            ("a/tests/deep/other.rs", ""),
            ("a/src/lost.rs", ""),
            ("b/tests/alone.rs", "mod part;"),
            ("b/tests/part.rs", ""),
        ];
        let files = files.map(|(file, text)| (file.to_owned(), text.to_owned())).into_iter().collect();
        let found = check(&files, &["a/tests/main.rs".to_owned(), "b/tests/alone.rs".to_owned()]);
        let why = "no module declares this file: it is not compiled";
        assert_eq!(found, [format!("a/tests/deep/other.rs: {why}"), format!("a/tests/lost.rs: {why}")]);
    }
}

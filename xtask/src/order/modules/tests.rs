//! Tests that references between modules are found in every syntactic form of a path.

use super::Modules;
use std::io;
use std::path::Path;

/// Returns the references between the modules of a crate given as file names and texts.
fn references(files: &[(&str, &str)]) -> Vec<String> {
    read(files).unwrap().references.iter().map(|r| r.to_string()).collect()
}

fn read(files: &[(&str, &str)]) -> Result<Modules, String> {
    let load = |path: &Path| {
        let file = files.iter().find(|(name, _)| Path::new(name) == path);
        file.map(|(_, text)| (*text).to_owned()).ok_or(io::Error::from(io::ErrorKind::NotFound))
    };
    Modules::read(Path::new(""), Path::new("src/lib.rs"), &load)
}

/// Returns the references of module `a`, where `a` is its text and `root` is the text of the crate root after the
/// declarations of `a` and an empty module `b`.
fn references_of_a(root: &str, a: &str) -> Vec<String> {
    references(&[("src/lib.rs", &format!("mod a;\nmod b;\n{root}")), ("src/a.rs", a), ("src/b.rs", "")])
}

#[test]
fn grouped_imports_count_separately() {
    assert_eq!(references_of_a("", "use crate::b::B;"), ["a -> b  src/a.rs:1: crate::b::B"]);
    let group = "use crate::{a::A, b::{C, d::{self, *}},\n    b as e};";
    let expected = ["1: crate::b::C", "1: crate::b::d::self", "1: crate::b::d", "2: crate::b"];
    assert_eq!(references_of_a("", group), expected.map(|path| format!("a -> b  src/a.rs:{path}")));
    assert_eq!(
        references_of_a("", "use std::b::B;\n/// [`crate::b`]\npub(crate) fn f() { b::f(); \"crate::b\"; }"),
        [""; 0]
    );
}

#[test]
fn paths_in_expressions_types_and_macros_count() {
    let sources = [
        "fn f() -> crate::b::B { todo() }",
        "fn f() { g(|| crate::b::B::<u8>::new()) }",
        "fn f() { vec![1, crate::b::B]; }",
        "define! { x => { format!(\"{}\", crate::b::B) } }",
        "macro_rules! m { () => { $crate::b::B } }",
        "#[cfg(feature = \"x\")]\nmod inner { pub(in crate::a) struct X(crate::b::B); }",
    ];
    for source in sources {
        assert_eq!(references_of_a("", source).len(), 1, "{source}");
    }
    assert_eq!(references_of_a("", "fn f() { crate::b::f::<crate::b::B>(); }").len(), 2);
}

#[test]
fn super_counts_when_it_leaves_the_module() {
    assert_eq!(references_of_a("", "use super::b::B;"), ["a -> b  src/a.rs:1: super::b::B"]);
    assert_eq!(references_of_a("", "mod inner { use super::b::B; use super::super::b::C; }").len(), 1);
    let files = [
        ("src/lib.rs", "mod a;\nmod b;"),
        ("src/a/mod.rs", "mod c;\nmod inner { pub struct b; }"),
        ("src/a/c.rs", "use super::inner::b;\nuse super::super::b;"),
        ("src/b.rs", "mod d;"),
        ("src/b/d.rs", "use super::super::{a::f};"),
    ];
    assert_eq!(
        references(&files),
        ["a -> b  src/a/c.rs:2: super::super::b", "b -> a  src/b/d.rs:1: super::super::a::f"]
    );
}

#[test]
fn re_exports_belong_to_their_module() {
    let expected = ["a -> b  src/a.rs:1: crate::B"];
    let roots = [
        "pub use b::B;",
        "pub use crate::b::inner::{A, B};",
        "use self::b::C as B;",
        "pub use b::{inner::{B}};",
        "use {b::B};",
    ];
    for root in roots {
        assert_eq!(references_of_a(root, "use crate::B;"), expected, "{root}");
    }
    assert_eq!(references_of_a("pub use b::B as C;", "use crate::B;"), [""; 0]);
    assert_eq!(references_of_a("pub use elsewhere::B;\npub struct C;", "use crate::{B, C};"), [""; 0]);
    assert_eq!(references_of_a("pub use a::A;", "use crate::A;"), [""; 0]);
    let globs = [("src/lib.rs", "mod a;\npub use a::*;"), ("src/a.rs", "")];
    assert_eq!(read(&globs).err().unwrap(), "src/lib.rs: list the items of `a` instead of `*`");
}

#[test]
fn exported_macros_belong_to_their_module() {
    let b = "#[macro_export]\nmacro_rules! m { () => {} }\nmacro_rules! n { () => {} }";
    let files = [("src/lib.rs", "mod a;\nmod b;"), ("src/a.rs", "crate::m!();\ncrate::n!();"), ("src/b.rs", b)];
    assert_eq!(references(&files), ["a -> b  src/a.rs:1: crate::m"]);
}

#[test]
fn test_modules_are_ignored() {
    for attribute in ["#[cfg(test)]", "#[cfg(all(test, feature = \"x\"))]"] {
        assert_eq!(references_of_a("", &format!("{attribute}\nmod checks {{ use crate::b::B; }}")), [""; 0]);
        assert_eq!(references_of_a("", &format!("{attribute}\nmod file_that_is_not_read;")), [""; 0]);
        assert_eq!(references_of_a(&format!("{attribute}\nmod c {{ use crate::b::B; }}"), ""), [""; 0]);
    }
    assert_eq!(references_of_a("", "mod tests { use crate::b::B; }"), [""; 0]);
    assert_eq!(references_of_a("", "#[cfg(all(feature = \"x\", unix))]\nmod checks { use crate::b::B; }").len(), 1);
}

#[test]
fn missing_or_invalid_files_are_named() {
    assert!(read(&[("src/lib.rs", "mod a;")]).err().unwrap().starts_with("src/a/mod.rs: "));
    assert!(read(&[("src/lib.rs", "mod a;"), ("src/a.rs", "\nfn 1")]).err().unwrap().starts_with("src/a.rs:2: "));
}

//! Dependency order of crates, and of the top-level modules of each crate: dependencies come before their users, and
//! cycles are errors.
//!
//! [`crates`] reads the crates from cargo and draws their diagram, [`modules`] finds the paths between modules, and
//! [`levels`] sorts both.

mod crates;
mod levels;
mod modules;

pub(crate) use crates::Workspace;
use levels::Order;
use modules::Modules;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// Prints the order. Errors: cycles, or an outdated crate diagram.
pub fn check(root: &Path) -> Result<(), String> {
    let workspace = Workspace::load(root)?;
    let (lines, complaints) = report(root, &workspace)?;
    print!("{lines}");
    let page =
        fs::read_to_string(root.join(crates::DIAGRAM_PAGE)).map_err(|e| format!("{}: {e}", crates::DIAGRAM_PAGE))?;
    let outdated = (workspace.with_updated_diagram(&page)? != page)
        .then(|| format!("{}: the crate diagram is outdated: run `cargo xtask bless`", crates::DIAGRAM_PAGE));
    let complaints: Vec<String> = complaints.into_iter().chain(outdated).collect();
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

/// Rewrites the crate diagram.
pub fn bless(root: &Path) -> Result<(), String> {
    let path = root.join(crates::DIAGRAM_PAGE);
    let page = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", crates::DIAGRAM_PAGE))?;
    let drawn = Workspace::load(root)?.with_updated_diagram(&page)?;
    if drawn == page { Ok(()) } else { fs::write(&path, drawn).map_err(|e| format!("{}: {e}", crates::DIAGRAM_PAGE)) }
}

/// Returns the order as lines, and its errors.
fn report(root: &Path, workspace: &Workspace) -> Result<(String, Vec<String>), String> {
    let order = workspace.order();
    let mut lines = format!("order of crates: {order}\norder of modules:\n");
    let mut complaints: Vec<String> =
        order.cycles().map(|cycle| format!("crates depend on each other: {}", cycle.join(", "))).collect();
    for krate in &workspace.crates {
        for target in &krate.roots {
            let modules = Modules::read(root, target, &|path| fs::read_to_string(path))?;
            if modules.names.is_empty() {
                continue;
            }
            let order = Order::new(modules.names.iter().map(String::as_str), modules.edges());
            let _ = writeln!(lines, "  {}: {order}", krate.name);
            complaints.extend(order.cycles().map(|cycle| describe(&krate.name, &cycle, &modules)));
        }
    }
    Ok((lines, complaints))
}

/// Describes a cycle and the paths that cause it.
fn describe(name: &str, cycle: &[&str], modules: &Modules) -> String {
    let members = cycle.join(", ");
    let mut text = format!("{name}: modules depend on each other: {members}; move shared items to a module below them");
    let is_inside = |module: &String| cycle.contains(&module.as_str());
    for reference in modules.references.iter().filter(|r| is_inside(&r.from) && is_inside(&r.to)) {
        let _ = write!(text, "\n  {reference}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::crates::{Crate, Workspace};
    use super::report;
    use std::fs;

    /// Returns the complaints about a crate `a` of two modules.
    fn complaints(name: &str, x: &str, y: &str) -> Vec<String> {
        let root = std::env::temp_dir().join(format!("partita-xtask-{}-{name}", std::process::id()));
        fs::create_dir_all(&root).unwrap();
        let file = |name: &str, text: &str| fs::write(root.join(name), text).unwrap();
        file("lib.rs", "mod x;\nmod y;\n");
        file("x.rs", x);
        file("y.rs", y);
        let roots = vec!["lib.rs".into()];
        let workspace =
            Workspace { crates: vec![Crate { name: "a".into(), roots, dependencies: Vec::new() }], tests: Vec::new() };
        let (lines, complaints) = report(&root, &workspace).unwrap();
        assert!(lines.starts_with("order of crates: a\norder of modules:\n  a: "), "{lines}");
        fs::remove_dir_all(&root).unwrap();
        complaints
    }

    #[test]
    fn cycles_are_reported_with_their_paths() {
        let [found] = &complaints("cycle", "use crate::y::Y;", "\nfn f() -> crate::x::X {}")[..] else { panic!() };
        let (title, paths) = found.split_once('\n').unwrap();
        assert!(title.starts_with("a: modules depend on each other: x, y;"), "{title}");
        assert_eq!(paths, "  x -> y  x.rs:1: crate::y::Y\n  y -> x  y.rs:2: crate::x::X");
        assert_eq!(complaints("chain", "use crate::y::Y;", ""), [""; 0]);
    }
}

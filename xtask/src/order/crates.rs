//! The crates of the workspace, and the diagram of what they need.

use super::levels::Order;
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The page with the diagram.
pub const PAGE: &str = "ARCHITECTURE.md";

/// The lines around the diagram.
const BEGIN: &str = "<!-- Level, crate, and the crates that it needs: written by `cargo xtask bless`. -->\n";
const END: &str = "<!-- End of the crates. -->\n";

/// The crates of the workspace, by name.
pub struct Workspace {
    pub crates: Vec<Crate>,
    /// The integration tests of all crates.
    pub tests: Vec<Test>,
}

/// An integration test.
pub struct Test {
    name: String,
    /// Its root file, relative to the folder of the workspace.
    root: PathBuf,
}

impl Test {
    /// Returns whether the file is the test's root or one of its modules.
    fn has(&self, file: &Path) -> bool {
        let folder = match self.root.file_stem() {
            Some(stem) if stem == "main" => self.root.parent().map(Path::to_owned),
            _ => Some(self.root.with_extension("")),
        };
        file == self.root || folder.is_some_and(|folder| file.starts_with(folder))
    }
}

pub struct Crate {
    /// Its folder, but the name of the package for that of the workspace.
    pub name: String,
    /// The root files of its library and programs, relative to the folder of the workspace.
    pub roots: Vec<PathBuf>,
    /// Names of the crates that it needs, other than for its tests.
    pub dependencies: Vec<String>,
}

/// What `cargo metadata` prints.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
    src_path: PathBuf,
}

#[derive(Deserialize)]
struct Dependency {
    kind: Option<String>,
    path: Option<PathBuf>,
}

impl Workspace {
    /// Asks cargo for the crates.
    pub fn load(root: &Path) -> Result<Workspace, String> {
        let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .current_dir(root)
            .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
            .output()
            .map_err(|e| format!("cannot run cargo: {e}"))?;
        if !output.status.success() {
            return Err(format!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr)));
        }
        let metadata: Metadata =
            serde_json::from_slice(&output.stdout).map_err(|e| format!("`cargo metadata`: {e}"))?;
        Ok(Workspace::from_metadata(&metadata))
    }

    fn from_metadata(metadata: &Metadata) -> Workspace {
        let inside = |path: &Path| path.strip_prefix(&metadata.workspace_root).unwrap_or(path).to_owned();
        let name = |package: &Package| match inside(&package.manifest_path).parent() {
            Some(folder) if folder != Path::new("") => folder.display().to_string(),
            _ => package.name.clone(),
        };
        let in_folder = |folder: &Path| metadata.packages.iter().find(|p| p.manifest_path.parent() == Some(folder));
        let is_code = |target: &&Target| target.kind.iter().any(|kind| ["lib", "proc-macro", "bin"].contains(&&**kind));
        let is_needed = |dependency: &&Dependency| dependency.kind.as_deref() != Some("dev");
        let describe = |package: &Package| {
            let needed = package.dependencies.iter().filter(is_needed).filter_map(|d| in_folder(d.path.as_deref()?));
            let mut dependencies: Vec<String> = needed.map(name).collect();
            dependencies.sort_unstable();
            dependencies.dedup();
            let roots = package.targets.iter().filter(is_code).map(|target| inside(&target.src_path)).collect();
            Crate { name: name(package), roots, dependencies }
        };
        let mut crates: Vec<Crate> = metadata.packages.iter().map(describe).collect();
        crates.sort_by(|a, b| a.name.cmp(&b.name));
        let targets = metadata.packages.iter().flat_map(|package| &package.targets);
        let tests = targets.filter(|target| target.kind.iter().any(|kind| kind == "test"));
        let tests = tests.map(|target| Test { name: target.name.clone(), root: inside(&target.src_path) }).collect();
        Workspace { crates, tests }
    }

    /// The name of the integration test that a file belongs to.
    pub fn test_of(&self, file: &Path) -> Option<&str> {
        self.tests.iter().find(|test| test.has(file)).map(|test| test.name.as_str())
    }

    /// The order of the crates.
    pub fn order(&self) -> Order<'_> {
        let edges = |krate| {
            let Crate { name, dependencies, .. }: &Crate = krate;
            dependencies.iter().map(move |needed| (name.as_str(), needed.as_str()))
        };
        Order::new(self.crates.iter().map(|krate| krate.name.as_str()), self.crates.iter().flat_map(edges))
    }

    /// The page with the diagram between its two lines drawn anew.
    pub fn draw_in(&self, page: &str) -> Result<String, String> {
        let parts = page.split_once(BEGIN).and_then(|(above, rest)| Some((above, rest.split_once(END)?.1)));
        let (above, below) =
            parts.ok_or_else(|| format!("{PAGE}: no lines `{}` and `{}`", BEGIN.trim(), END.trim()))?;
        Ok(format!("{above}{BEGIN}\n{}\n{END}{below}", self.draw()))
    }

    /// The crates from the bottom up, each with what it needs beyond what that needs itself.
    fn draw(&self) -> String {
        let width = self.crates.iter().map(|krate| krate.name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (number, level) in self.order().levels().enumerate() {
            let mut number = number.to_string();
            for name in level {
                let line = format!("    {number:>2}  {name:width$}  {}", self.directly_needed(name).join(", "));
                let _ = writeln!(text, "{}", line.trim_end());
                number.clear();
            }
        }
        text
    }

    /// What a crate needs, without what the others that it needs bring along.
    fn directly_needed(&self, name: &str) -> Vec<&str> {
        let needed = self.dependencies(name);
        let is_brought = |one: &str| needed.iter().any(|other| self.needs(other, one));
        needed.iter().map(String::as_str).filter(|one| !is_brought(one)).collect()
    }

    /// Whether a crate needs another one, directly or not.
    fn needs(&self, user: &str, used: &str) -> bool {
        self.dependencies(user).iter().any(|needed| needed == used || self.needs(needed, used))
    }

    fn dependencies(&self, name: &str) -> &[String] {
        self.crates.iter().find(|krate| krate.name == name).map_or(&[], |krate| &krate.dependencies)
    }
}

#[cfg(test)]
mod tests {
    use super::{BEGIN, END, Workspace};
    use std::path::Path;

    /// A workspace as cargo tells of it: `top` needs `a/b` and, through it and directly, `low`, and `low` needs `top`
    /// for its tests.
    fn workspace() -> Workspace {
        let package = |name: &str, folder: &str, kind: &str, needs: &[(&str, Option<&str>)]| {
            let dependency = |&(folder, kind)| serde_json::json!({ "kind": kind, "path": format!("/x{folder}") });
            let dependencies: Vec<_> = needs.iter().map(dependency).collect();
            serde_json::json!({
                "name": name,
                "manifest_path": format!("/x{folder}/Cargo.toml"),
                "targets": [
                    { "name": name, "kind": [kind], "src_path": format!("/x{folder}/src/lib.rs") },
                    { "name": format!("{name}-file"), "kind": ["test"], "src_path": format!("/x{folder}/tests/a.rs") },
                    {
                        "name": format!("{name}-folder"),
                        "kind": ["test"],
                        "src_path": format!("/x{folder}/tests/b/main.rs"),
                    },
                ],
                "dependencies": dependencies,
            })
        };
        let metadata = serde_json::json!({
            "workspace_root": "/x",
            "packages": [
                package("top", "", "bin", &[("/low", None), ("/a/b", Some("build"))]),
                package("middle", "/a/b", "lib", &[("/low", None)]),
                package("lowest", "/low", "lib", &[("", Some("dev"))]),
            ],
        });
        Workspace::from_metadata(&serde_json::from_value(metadata).unwrap())
    }

    #[test]
    fn crates_are_drawn_from_the_bottom_up() {
        assert_eq!(workspace().order().to_string(), "low < a/b < top");
        let page = format!("above\n{BEGIN}old\n{END}below\n");
        let drawn = workspace().draw_in(&page).unwrap();
        let expected = "     0  low\n     1  a/b  low\n     2  top  a/b\n";
        assert_eq!(drawn, format!("above\n{BEGIN}\n{expected}\n{END}below\n"));
        assert_eq!(workspace().draw_in(&drawn).unwrap(), drawn);
        assert!(workspace().draw_in("no such lines").is_err());
    }

    #[test]
    fn roots_are_libraries_and_programs() {
        let roots: Vec<String> =
            workspace().crates.iter().flat_map(|c| &c.roots).map(|r| r.display().to_string()).collect();
        assert_eq!(roots, ["a/b/src/lib.rs", "low/src/lib.rs", "src/lib.rs"]);
    }

    #[test]
    fn files_belong_to_the_test_that_has_them_as_modules() {
        let workspace = workspace();
        let test_of = |file: &str| workspace.test_of(Path::new(file));
        assert_eq!(test_of("low/tests/a.rs"), Some("lowest-file"));
        assert_eq!(test_of("low/tests/a/part.rs"), Some("lowest-file"));
        assert_eq!(test_of("a/b/tests/b/part/deep.rs"), Some("middle-folder"));
        for other in ["low/tests/ab.rs", "low/tests/c.rs", "low/src/lib.rs"] {
            assert_eq!(test_of(other), None, "{other}");
        }
    }
}

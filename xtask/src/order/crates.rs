//! The crates of the workspace, and their dependency diagram.

use super::levels::Order;
use serde::Deserialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// File that contains the diagram.
pub const DIAGRAM_PAGE: &str = "ARCHITECTURE.md";

/// Lines that delimit the diagram.
const DIAGRAM_BEGIN: &str = "<!-- Level, crate, and the crates that it needs: written by `cargo xtask bless`. -->\n";
const DIAGRAM_END: &str = "<!-- End of the crates. -->\n";

/// The crates of the workspace, sorted by name.
pub struct Workspace {
    pub crates: Vec<Crate>,
    /// The integration tests of all crates.
    pub tests: Vec<Test>,
}

/// An integration test.
pub struct Test {
    name: String,
    /// Root file, relative to the workspace folder.
    root: PathBuf,
}

impl Test {
    /// Returns true if the file is the test's root or one of its modules.
    fn has(&self, file: &Path) -> bool {
        let folder = match self.root.file_stem() {
            Some(stem) if stem == "main" => self.root.parent().map(Path::to_owned),
            _ => Some(self.root.with_extension("")),
        };
        file == self.root || folder.is_some_and(|folder| file.starts_with(folder))
    }
}

pub struct Crate {
    /// Folder of the crate; for the root crate, the package name.
    pub name: String,
    /// Root files of the library and binaries, relative to the workspace folder.
    pub roots: Vec<PathBuf>,
    /// Names of the dependencies, without dev-dependencies.
    pub dependencies: Vec<String>,
}

/// Output of `cargo metadata`.
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
    /// Reads the crates from `cargo metadata`.
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

    /// Returns the root files of the integration tests.
    pub fn test_roots(&self) -> Vec<String> {
        self.tests.iter().map(|test| test.root.display().to_string()).collect()
    }

    /// Returns the name of the integration test that contains a file.
    pub fn containing_test(&self, file: &Path) -> Option<&str> {
        self.tests.iter().find(|test| test.has(file)).map(|test| test.name.as_str())
    }

    /// Returns the dependency order of the crates.
    pub fn order(&self) -> Order<'_> {
        let edges = |krate| {
            let Crate { name, dependencies, .. }: &Crate = krate;
            dependencies.iter().map(move |needed| (name.as_str(), needed.as_str()))
        };
        Order::new(self.crates.iter().map(|krate| krate.name.as_str()), self.crates.iter().flat_map(edges))
    }

    /// Returns the page with the diagram between its delimiters redrawn.
    pub fn with_updated_diagram(&self, page: &str) -> Result<String, String> {
        let parts =
            page.split_once(DIAGRAM_BEGIN).and_then(|(above, rest)| Some((above, rest.split_once(DIAGRAM_END)?.1)));
        let (above, below) = parts.ok_or_else(|| {
            format!("{DIAGRAM_PAGE}: no lines `{}` and `{}`", DIAGRAM_BEGIN.trim(), DIAGRAM_END.trim())
        })?;
        Ok(format!("{above}{DIAGRAM_BEGIN}\n{}\n{DIAGRAM_END}{below}", self.draw()))
    }

    /// Draws the crates from the bottom up, each with its dependencies that no other dependency implies.
    fn draw(&self) -> String {
        let width = self.crates.iter().map(|krate| krate.name.len()).max().unwrap_or(0);
        let mut text = String::new();
        for (number, level) in self.order().levels().enumerate() {
            let mut number = number.to_string();
            for name in level {
                let line = format!("    {number:>2}  {name:width$}  {}", self.reduced_dependencies(name).join(", "));
                let _ = writeln!(text, "{}", line.trim_end());
                number.clear();
            }
        }
        text
    }

    /// Returns the direct dependencies of a crate without those that its other dependencies imply.
    fn reduced_dependencies(&self, name: &str) -> Vec<&str> {
        let needed = self.dependencies(name);
        let is_brought = |one: &str| needed.iter().any(|other| self.depends_on(other, one));
        needed.iter().map(String::as_str).filter(|one| !is_brought(one)).collect()
    }

    /// Returns true if `user` depends on `used`, directly or transitively.
    fn depends_on(&self, user: &str, used: &str) -> bool {
        self.dependencies(user).iter().any(|needed| needed == used || self.depends_on(needed, used))
    }

    fn dependencies(&self, name: &str) -> &[String] {
        self.crates.iter().find(|krate| krate.name == name).map_or(&[], |krate| &krate.dependencies)
    }
}

#[cfg(test)]
mod tests {
    use super::{DIAGRAM_BEGIN, DIAGRAM_END, Workspace};
    use std::path::Path;

    /// Returns a workspace as in cargo metadata: `top` depends on `a/b` and, through it and directly, on `low`; `low`
    /// has a dev-dependency on `top`.
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
        let page = format!("above\n{DIAGRAM_BEGIN}old\n{DIAGRAM_END}below\n");
        let drawn = workspace().with_updated_diagram(&page).unwrap();
        let expected = "     0  low\n     1  a/b  low\n     2  top  a/b\n";
        assert_eq!(drawn, format!("above\n{DIAGRAM_BEGIN}\n{expected}\n{DIAGRAM_END}below\n"));
        assert_eq!(workspace().with_updated_diagram(&drawn).unwrap(), drawn);
        assert!(workspace().with_updated_diagram("no such lines").is_err());
    }

    #[test]
    fn roots_are_libraries_and_programs() {
        let roots: Vec<String> =
            workspace().crates.iter().flat_map(|c| &c.roots).map(|r| r.display().to_string()).collect();
        assert_eq!(roots, ["a/b/src/lib.rs", "low/src/lib.rs", "src/lib.rs"]);
    }

    #[test]
    fn files_belong_to_the_test_that_includes_them() {
        let workspace = workspace();
        let containing_test = |file: &str| workspace.containing_test(Path::new(file));
        assert_eq!(containing_test("low/tests/a.rs"), Some("lowest-file"));
        assert_eq!(containing_test("low/tests/a/part.rs"), Some("lowest-file"));
        assert_eq!(containing_test("a/b/tests/b/part/deep.rs"), Some("middle-folder"));
        for other in ["low/tests/ab.rs", "low/tests/c.rs", "low/src/lib.rs"] {
            assert_eq!(containing_test(other), None, "{other}");
        }
    }
}

//! Test of the instructions for adding an operation: adds one to a copy of the repository, as a contributor would, and
//! runs random programs with it.
//!
//! `new-op` creates the operation. If its methods are deleted, the crate does not compile, and the compiler names each
//! of them.
//! 2. Once its own file is complete, the compiler reports every place that must handle it, crate by crate. Each place
//!    handles it like `gelu`, which is a composite, too.
//! 3. Random programs include the operation; partitioned and unpartitioned results agree.
//!
//! Fails if the compiler does not name a method, if a place cannot be completed this way, or if results differ.

use crate::{CHECKS_FOLDER, Outcome, run, without_optimisation};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Name of the operation, and its type.
const OP_NAME: &str = "doubled";
const OP_TYPE: &str = "Doubled";

/// Complete source of the operation.
const OP_SOURCE: &str = include_str!("toy/doubled.rs");

/// Pattern of the match arms that handle `gelu`. The new operation is added to these arms or before them.
const GELU_ARM: &str = "OpKind::Gelu(";

/// Files in which the new operation needs a separate match arm, and that arm.
const EXTRA_ARMS: [(&str, &str); 1] = [(
    "passes/src/training/differentiate/adjoint.rs",
    "OpKind::Doubled(_) => {
            let gradient = ctx.gradient();
            let twice = ctx.b.times(gradient, 2.0);
            ctx.set_gradient(0, twice);
            Ok(())
        }",
)];

/// Source of the generator step that adds the operation to random programs.
const GENERATOR_STEP: &str = "
fn doubled(d: &mut Generator<'_>) -> Option<()> {
    let x = moderate_float(d, 0)?;
    d.push(Doubled {}, &[&x], x.ty.clone(), 2.0 * x.bound, false)?;
    Some(())
}
";

/// Arguments of the test that runs random programs on one device and on several. With the features of the workspace,
/// which are compiled already.
const RANDOM_TEST_ARGUMENTS: [&str; 8] =
    ["test", "--workspace", "--test", "random", "--", "--nocapture", "--exact", "random_programs_agree"];

/// Adds the operation in a copy under `target/toy` and runs random programs.
pub(crate) fn check(root: &Path) -> Outcome {
    let copy = RepositoryCopy::create(root)?;
    copy.xtask(&["new-op", OP_NAME])?;
    copy.check_missing_methods()?;
    let touched = copy.complete()?;
    println!("`{OP_NAME}` is handled in {} other files:\n  {}", touched.len(), touched.join("\n  "));
    copy.add_to_generator()?;
    copy.run_random_programs()
}

/// Copy of the repository that shares the target folders of the original.
struct RepositoryCopy {
    folder: PathBuf,
    target: PathBuf,
    checks: PathBuf,
}

impl RepositoryCopy {
    /// Copies the files that git tracks.
    fn create(root: &Path) -> Result<RepositoryCopy, String> {
        let folder = root.join("target/toy");
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        }
        let listed = Command::new("git").current_dir(root).arg("ls-files").output().map_err(|e| format!("git: {e}"))?;
        for file in String::from_utf8_lossy(&listed.stdout).lines().filter(|file| root.join(file).is_file()) {
            let to = folder.join(file);
            let parent = to.parent().unwrap_or(&folder);
            fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
            fs::copy(root.join(file), &to).map_err(|e| format!("{file}: {e}"))?;
        }
        let root = root.canonicalize().map_err(|e| format!("{}: {e}", root.display()))?;
        let copy = RepositoryCopy { folder, target: root.join("target"), checks: root.join(CHECKS_FOLDER) };
        copy.set_version()?;
        Ok(copy)
    }

    /// Sets a distinct version for the packages of the copy. Cargo does not distinguish packages of two workspaces by
    /// folder, and would reuse build results of the original.
    fn set_version(&self) -> Outcome {
        for (file, before, after) in [
            ("Cargo.toml", "\nversion = \"0.1.0\"\nedition", "\nversion = \"0.1.0-toy\"\nedition"),
            ("Cargo.lock", "\nversion = \"0.1.0\"\ndependencies", "\nversion = \"0.1.0-toy\"\ndependencies"),
        ] {
            let path = self.folder.join(file);
            let text = fs::read_to_string(&path).map_err(|e| format!("{file}: {e}"))?;
            if !text.contains(before) {
                return Err(format!("{file} contains no package of version 0.1.0"));
            }
            fs::write(&path, text.replace(before, after)).map_err(|e| format!("{file}: {e}"))?;
        }
        Ok(())
    }

    /// Runs this program on the copy.
    fn xtask(&self, words: &[&str]) -> Outcome {
        let program = std::env::current_exe().map_err(|e| format!("xtask: {e}"))?.display().to_string();
        let words: Vec<String> =
            [&program].into_iter().map(String::as_str).chain(words.iter().copied()).map(str::to_owned).collect();
        run(&self.folder, &words, &[("PARTITA_ROOT", &self.folder.display().to_string())])
    }

    /// Returns the command line of a cargo command with the lock file enforced. The packages of the copy are compiled
    /// without optimisation.
    fn cargo(&self, words: &[&str]) -> Result<Vec<String>, String> {
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        let command = [cargo.as_str(), words[0], "--locked"].map(str::to_owned);
        let rest = words[1..].iter().map(|word| (*word).to_owned());
        Ok(command.into_iter().chain(without_optimisation(&self.folder)?).chain(rest).collect())
    }

    /// Returns the compiler's errors of a build without linking, as JSON.
    fn errors(&self, words: &[&str]) -> Result<Vec<Value>, String> {
        let words = self.cargo(&[&["check", "--message-format", "json", "--keep-going"], words].concat())?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&self.folder).env("CARGO_TARGET_DIR", &self.checks);
        let ran = command.output().map_err(|e| format!("cargo: {e}"))?;
        let lines = String::from_utf8_lossy(&ran.stdout).into_owned();
        let messages = lines.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let found: Vec<Value> =
            messages.map(|line| line["message"].clone()).filter(|m| m["level"] == "error").collect();
        if found.is_empty() && !ran.status.success() {
            return Err(String::from_utf8_lossy(&ran.stderr).into_owned());
        }
        Ok(found)
    }

    /// Deletes the methods that `new-op` wrote, and checks that the compiler names each.
    fn check_missing_methods(&self) -> Outcome {
        let file = self.folder.join(format!("ir/src/program/ops/{OP_NAME}.rs"));
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let start = format!("impl Operation for {OP_TYPE} {{\n");
        let (before, methods) =
            text.split_once(&start).ok_or("`new-op` did not write an implementation of `Operation`")?;
        fs::write(&file, format!("{before}{start}}}\n")).map_err(|e| format!("{}: {e}", file.display()))?;
        let errors = self.errors(&["--package", "partita-ir"])?;
        let output: String = errors.iter().filter_map(|error| error["message"].as_str()).collect();
        let names = methods.lines().filter_map(|line| line.trim().strip_prefix("fn ")?.split('(').next());
        let unnamed: Vec<&str> = names.clone().filter(|name| !output.contains(&format!("`{name}`"))).collect();
        let declared = trait_methods(&self.folder)?;
        let written: BTreeSet<&str> = names.collect();
        if let Some(method) = declared.iter().find(|method| !written.contains(method.as_str())) {
            return Err(format!("`new-op` does not write the method `{method}`"));
        }
        if unnamed.is_empty() { Ok(()) } else { Err(format!("the compiler does not name {unnamed:?}:\n{output}")) }
    }

    /// Writes the complete source of the operation, and handles the operation wherever the compiler reports a missing
    /// arm. Returns the changed files.
    fn complete(&self) -> Result<Vec<String>, String> {
        let file = self.folder.join(format!("ir/src/program/ops/{OP_NAME}.rs"));
        fs::write(&file, OP_SOURCE).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut touched = BTreeSet::new();
        loop {
            let errors = self.errors(&["--workspace", "--lib", "--bins"])?;
            if errors.is_empty() {
                return Ok(touched.into_iter().collect());
            }
            let mut handled = 0;
            for error in &errors {
                handled += usize::from(self.handle(error, &mut touched)?);
            }
            if handled == 0 {
                let output: Vec<&str> = errors.iter().filter_map(|error| error["rendered"].as_str()).collect();
                return Err(format!("`{OP_NAME}` cannot be handled like `gelu`:\n{}", output.join("\n")));
            }
        }
    }

    /// Adds the operation to the `match` that an error reports as not exhaustive, and the file to `touched`. Returns
    /// false for other errors and for a `match` without an arm for `gelu`.
    fn handle(&self, error: &Value, touched: &mut BTreeSet<String>) -> Result<bool, String> {
        if error["code"]["code"] != "E0004" {
            return Ok(false);
        }
        let spans = error["spans"].as_array().map(Vec::as_slice).unwrap_or_default();
        let Some(span) = spans.iter().find(|span| span["is_primary"] == true) else { return Ok(false) };
        let (Some(name), Some(line)) = (span["file_name"].as_str(), span["line_start"].as_u64()) else {
            return Ok(false);
        };
        let file = self.folder.join(name);
        let text = fs::read_to_string(&file).map_err(|e| format!("{name}: {e}"))?;
        let start: usize = text.split_inclusive('\n').take(line as usize - 1).map(str::len).sum();
        let Some(at) = text[start..].find(GELU_ARM).map(|at| start + at) else { return Ok(false) };
        let own = EXTRA_ARMS.iter().find(|(of, _)| *of == name);
        let ours = format!("OpKind::{OP_TYPE}(_)");
        // An arm that is already present was added for another error of this build.
        if text[..at].ends_with(&format!("{ours} | ")) {
            return Ok(true);
        }
        let added = match own {
            _ if text[at..].starts_with("OpKind::Gelu(_)") => format!("{ours} | "),
            Some((_, arm)) => format!("{arm}\n        "),
            None => format!("{ours} => {{}}\n            "),
        };
        fs::write(&file, format!("{}{added}{}", &text[..at], &text[at..])).map_err(|e| format!("{name}: {e}"))?;
        touched.insert(name.to_owned());
        Ok(true)
    }

    /// Runs random programs with the operation.
    fn run_random_programs(&self) -> Outcome {
        let words = self.cargo(&RANDOM_TEST_ARGUMENTS)?;
        println!("$ {}", words.join(" "));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&self.folder).env("CARGO_TARGET_DIR", &self.target);
        let ran = command.stderr(Stdio::inherit()).output().map_err(|e| format!("cargo: {e}"))?;
        let output = String::from_utf8_lossy(&ran.stdout);
        // The report lists each operation with the number of times it was drawn.
        let drawn = output.split([' ', ',', '\n']).skip_while(|word| *word != OP_NAME).nth(1);
        match drawn.and_then(|count| count.parse::<u32>().ok()) {
            Some(1..) if ran.status.success() => {
                println!("`{OP_NAME}` was generated {} times, and all programs agree", drawn.unwrap_or_default());
                Ok(())
            }
            _ => Err(format!("`{OP_NAME}` was not generated, or programs do not agree:\n{output}")),
        }
    }

    /// Adds the operation to the generator of random programs.
    fn add_to_generator(&self) -> Outcome {
        let file = self.folder.join("tests/src/generate/composite.rs");
        let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let listed = text.replacen("(\"gelu\", gelu),", "(\"gelu\", gelu),\n    (\"doubled\", doubled),", 1).replacen(
            "CrossEntropy, Gelu,",
            "CrossEntropy, Doubled, Gelu,",
            1,
        );
        fs::write(&file, listed + GENERATOR_STEP).map_err(|e| format!("{}: {e}", file.display()))
    }
}

/// Returns the methods of the trait `Operation`. Errors: a method has a default implementation.
fn trait_methods(folder: &Path) -> Result<Vec<String>, String> {
    let path = folder.join("ir/src/program/op.rs");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let file = syn::parse_file(&text).map_err(|e| format!("{}: {e}", path.display()))?;
    let operation = file.items.iter().find_map(|item| match item {
        syn::Item::Trait(item) if item.ident == "Operation" => Some(item),
        _ => None,
    });
    let items = operation.map(|operation| operation.items.as_slice()).unwrap_or_default();
    let methods: Vec<&syn::TraitItemFn> = items
        .iter()
        .filter_map(|item| if let syn::TraitItem::Fn(method) = item { Some(method) } else { None })
        .collect();
    if let Some(method) = methods.iter().find(|method| method.default.is_some()) {
        return Err(format!(
            "`Operation::{}` has a default implementation, which ops could forget to override",
            method.sig.ident
        ));
    }
    Ok(methods.iter().map(|method| method.sig.ident.to_string()).collect())
}

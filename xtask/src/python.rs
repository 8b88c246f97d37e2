//! Tests of the Python package, with the extension module of the workspace's development build: a build for release, as
//! `pip install ./python` makes it, takes minutes.

use crate::{Outcome, cargo, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Folder of the package.
const PACKAGE: &str = "python";

/// Name of the extension module in the package, for any Python from 3.11 on.
const MODULE: &str = "_partita.abi3.so";

/// Tests of functions of JAX.
const OF_FUNCTIONS: [&str; 3] = ["test_jax", "test_constraints", "test_programs"];

/// Maximum number of processes that run tests: each imports JAX.
const MAX_TEST_PROCESSES: usize = 4;

/// Examples, which compare their results with those of one device.
const EXAMPLES: [&str; 2] = ["jax_search", "flax_tp"];

/// Builds the extension module, installs what the tests need, and runs the tests, the program of the package's README
/// and the examples. The tests of functions of JAX also run with the oldest version that the package supports.
pub(crate) fn check(root: &Path) -> Outcome {
    // A test is among the targets, so that dependencies have the features that they have in tests, and are not compiled
    // again.
    cargo(root, "build --workspace --lib --test docs --locked", &[], &[])?;
    let python = python_with_jax(root)?;
    let folder = root.join("target/python");
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let path = |name: &str| folder.join(name).display().to_string();
    let package = path("package");
    let _ = fs::remove_dir_all(&package);
    let copy = ["cp", "-r", &format!("{PACKAGE}/package"), &package].map(str::to_owned);
    run(root, &copy, &[])?;
    let module = format!("{package}/partita/{MODULE}");
    fs::copy(root.join("target/debug/lib_partita.so"), &module).map_err(|e| format!("{module}: {e}"))?;
    let readme = path("readme.py");
    write(Path::new(&readme), &program_of_readme(root)?)?;
    let flags = [("PYTHONPATH", package.as_str()), ("XLA_FLAGS", "--xla_force_host_platform_device_count=8")];
    run_tests(root, &python, &[format!("{PACKAGE}/tests")], &flags[..1])?;
    let oldest = environment(
        root,
        "peers-oldest",
        "requirements-oldest.txt",
        "import equinox, flax, jax, optax, pytest, xdist",
    )?;
    run_tests(root, &oldest, &OF_FUNCTIONS.map(|name| format!("{PACKAGE}/tests/{name}.py")), &flags[..1])?;
    let examples = EXAMPLES.map(|name| format!("{PACKAGE}/examples/{name}.py"));
    [readme].into_iter().chain(examples).try_for_each(|program| run(root, &[python.clone(), program], &flags))
}

/// Runs the tests of files or folders, in a process for each core.
fn run_tests(root: &Path, python: &str, paths: &[String], environment: &[(&str, &str)]) -> Outcome {
    let processes = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(MAX_TEST_PROCESSES));
    let words = format!("-m pytest -q -p no:cacheprovider -n {processes}");
    let words = [python].into_iter().chain(words.split(' ')).map(str::to_owned);
    run(root, &words.chain(paths.iter().cloned()).collect::<Vec<_>>(), environment)
}

/// Returns the path of a Python with JAX and what the tests of the package need, which are installed if missing.
pub(crate) fn python_with_jax(root: &Path) -> Result<String, String> {
    environment(root, "peers", "requirements-test.txt", "import equinox, flax, jax, onnx, optax, pytest, xdist")
}

/// Returns the path of the Python of an environment in the target folder. The packages of a file of requirements are
/// installed if the imports fail.
fn environment(root: &Path, name: &str, requirements: &str, imports: &str) -> Result<String, String> {
    let venv = root.join("target").join(name).display().to_string();
    let python = format!("{venv}/bin/python");
    let has_packages = Command::new(&python).args(["-c", imports]).output();
    if !has_packages.is_ok_and(|ran| ran.status.success()) {
        let requirements = format!("{PACKAGE}/{requirements}");
        run(root, &["python3", "-m", "venv", &venv].map(str::to_owned), &[])?;
        run(root, &[&python, "-m", "pip", "install", "--quiet", "-r", &requirements].map(str::to_owned), &[])?;
    }
    Ok(python)
}

/// Returns the first block of Python in the package's README.
fn program_of_readme(root: &Path) -> Result<String, String> {
    let path = root.join(PACKAGE).join("README.md");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let block = text.split_once("```python\n").and_then(|(_, rest)| rest.split_once("```"));
    block.map(|(program, _)| program.to_owned()).ok_or_else(|| format!("{}: no block of Python", path.display()))
}

fn write(path: &Path, text: &str) -> Outcome {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

//! Tests of the Python package as `pip install ./python` installs it, but from a development build, which shares the
//! dependencies of the workspace: a build for release takes minutes.

use crate::{Outcome, run};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Folder of the package.
const PACKAGE: &str = "python";

/// Arguments that maturin receives from pip.
const BUILD: (&str, &str) = ("MATURIN_PEP517_ARGS", "--profile dev --locked");

/// Tests of functions of JAX.
const OF_FUNCTIONS: [&str; 3] = ["test_jax", "test_constraints", "test_programs"];

/// Maximum number of processes that run tests: each imports JAX.
const MAX_TEST_PROCESSES: usize = 4;

/// Examples, which compare their results with those of one device.
const EXAMPLES: [&str; 2] = ["jax_search", "flax_tp"];

/// Builds and installs the package and what the tests need, and runs the tests, the program of the package's README and
/// the examples. The tests of functions of JAX also run with the oldest version that the package supports.
pub(crate) fn check(root: &Path) -> Outcome {
    let [python, oldest] = [python_with_jax(root)?, python_with_oldest_jax(root)?];
    let folder = root.join("target/python");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let wheels = folder.display().to_string();
    pip(root, &python, &["wheel", "--no-deps", "--wheel-dir", &wheels, &format!("./{PACKAGE}")])?;
    for python in [&python, &oldest] {
        let from = ["install", "--no-deps", "--force-reinstall", "--no-index", "--find-links", &wheels, "partita"];
        pip(root, python, &from)?;
    }
    let readme = folder.join("readme.py");
    write(&readme, &program_of_readme(root)?)?;
    run_tests(root, &python, &[format!("{PACKAGE}/tests")])?;
    run_tests(root, &oldest, &OF_FUNCTIONS.map(|name| format!("{PACKAGE}/tests/{name}.py")))?;
    let examples = EXAMPLES.map(|name| format!("{PACKAGE}/examples/{name}.py"));
    let on_devices = [("XLA_FLAGS", "--xla_force_host_platform_device_count=8")];
    let programs = [readme.display().to_string()].into_iter().chain(examples);
    programs.into_iter().try_for_each(|program| run(root, &[python.clone(), program], &on_devices))
}

/// Installs the packages that the tests need.
pub(crate) fn install(root: &Path) -> Outcome {
    python_with_jax(root)?;
    python_with_oldest_jax(root).map(|_| ())
}

/// Runs the tests of files or folders, in a process for each core.
fn run_tests(root: &Path, python: &str, paths: &[String]) -> Outcome {
    let processes = std::thread::available_parallelism().map_or(1, |cores| cores.get().min(MAX_TEST_PROCESSES));
    let words = format!("-m pytest -q -p no:cacheprovider -n {processes}");
    let words = [python].into_iter().chain(words.split(' ')).map(str::to_owned);
    run(root, &words.chain(paths.iter().cloned()).collect::<Vec<_>>(), &[])
}

/// Runs pip, which builds the package for development.
fn pip(root: &Path, python: &str, words: &[&str]) -> Outcome {
    let command = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"];
    let words: Vec<String> = command.iter().chain(words).map(|word| (*word).to_owned()).collect();
    run(root, &words, &[BUILD])
}

/// Returns the path of a Python with JAX and what the tests of the package need, which are installed if missing.
pub(crate) fn python_with_jax(root: &Path) -> Result<String, String> {
    environment(root, "peers", "requirements-test.txt", "import equinox, flax, jax, onnx, optax, pytest, xdist")
}

/// Returns the path of a Python with the oldest version of JAX that the package supports.
fn python_with_oldest_jax(root: &Path) -> Result<String, String> {
    environment(root, "peers-oldest", "requirements-oldest.txt", "import equinox, flax, jax, optax, pytest, xdist")
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
        pip(root, &python, &["install", "--requirement", &requirements])?;
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

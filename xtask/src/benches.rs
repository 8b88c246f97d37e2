//! Runs every benchmark and script of benches/ in short mode (`--test`), which runs everything once without measuring.

use crate::python::python_with_jax;
use crate::{Outcome, cargo, run};
use std::fs;
use std::path::Path;

/// A script of benches/ and its arguments. `JAX` stands for a Python with JAX, `PARTITA`, `ALL_REDUCE`,
/// `RANK_ALL_REDUCE` and `STEP` for programs, `DATA` for the folder of modules.
struct Script {
    file: &'static str,
    words: &'static [&'static str],
}

const SCRIPTS: [Script; 11] = [
    Script { file: "all_reduce.py", words: &["JAX", "benches/all_reduce.py", "ALL_REDUCE", "--test"] },
    Script { file: "gpu/session", words: &["benches/gpu/session", "--dry-run"] },
    Script { file: "peers/run", words: &["benches/peers/run", "--test"] },
    Script {
        file: "rank_all_reduce.py",
        words: &["python3", "benches/rank_all_reduce.py", "RANK_ALL_REDUCE", "--test"],
    },
    Script { file: "ranks.py", words: &["python3", "benches/ranks.py", "PARTITA", "--test"] },
    Script { file: "search/experts.py", words: &["python3", "benches/search/experts.py", "--test"] },
    Script { file: "search/narayanan.py", words: &["python3", "benches/search/narayanan.py", "--test"] },
    Script { file: "search/published_plans.py", words: &["python3", "benches/search/published_plans.py", "--test"] },
    Script { file: "simulated.py", words: &["python3", "benches/simulated.py", "--partita", "PARTITA", "--test"] },
    Script {
        file: "simulated_ranks.py",
        words: &["python3", "benches/simulated_ranks.py", "PARTITA", "STEP", "--test"],
    },
    Script { file: "xla.py", words: &["JAX", "benches/xla.py", "PARTITA", "DATA/mlp4_tiny.sgd.sdy.d2m4.mlir"] },
];

/// Cargo benchmarks.
const BENCHES: [&str; 9] =
    ["all_reduce", "components", "depth", "frozen", "gpu", "peer_table", "rank_all_reduce", "step", "throttled"];

/// Files that benchmarks run or import, and that are not benchmarks themselves, and scripts that require PyTorch and a
/// GPU.
const SUPPORT_FILES: [&str; 4] = ["gpu/torch_steps.py", "gpu/with_torch.py", "peers/step.py", "short/mod.rs"];

/// Runs all benchmarks and scripts, or those whose name contains `filter`.
pub(crate) fn check(root: &Path, filter: Option<&str>) -> Outcome {
    check_every_file_is_listed(root)?;
    let is_asked = |name: &str| filter.is_none_or(|filter| name.contains(filter));
    let benches: Vec<String> =
        BENCHES.iter().filter(|b| is_asked(b)).flat_map(|bench| ["--bench".to_owned(), (*bench).to_owned()]).collect();
    if !benches.is_empty() {
        // The features of the workspace avoid recompilation.
        let more: Vec<String> = benches.into_iter().chain(["--".to_owned(), "--test".to_owned()]).collect();
        cargo(root, "bench --workspace --profile dev --locked", &more, &[])?;
    }
    let scripts: Vec<&Script> = SCRIPTS.iter().filter(|script| is_asked(script.file)).collect();
    if scripts.is_empty() {
        return Ok(());
    }
    // The command is built as for the tests, which avoids recompilation.
    cargo(root, "test --workspace --test cli --no-run --locked", &[], &[])?;
    let target = root.join("target");
    let program = |name: &str| target.join("debug").join(name).display().to_string();
    let data = root.join("tests/data/stablehlo").display().to_string();
    for script in scripts {
        let mut words = Vec::new();
        for word in script.words {
            words.push(match *word {
                "JAX" => python_with_jax(root)?,
                "PARTITA" => program("partita"),
                "ALL_REDUCE" => newest_program(&target.join("debug/deps"), "all_reduce-")?,
                "RANK_ALL_REDUCE" => newest_program(&target.join("debug/deps"), "rank_all_reduce-")?,
                "STEP" => newest_program(&target.join("debug/deps"), "step-")?,
                word => word.replace("DATA", &data),
            });
        }
        run(root, &words, &[("PARTITA", &program("partita"))])?;
    }
    Ok(())
}

/// Checks that every file of benches/ is in one of the lists above.
fn check_every_file_is_listed(root: &Path) -> Outcome {
    let mut found = Vec::new();
    let mut folders = vec![root.join("benches")];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(name) = path.strip_prefix(root.join("benches")) {
                found.push(name.to_string_lossy().into_owned());
            }
        }
    }
    let is_known = |name: &str| {
        let bench = name.strip_suffix(".rs").unwrap_or(name);
        SCRIPTS.iter().any(|script| script.file == name)
            || BENCHES.iter().any(|b| *b == bench || (name.ends_with(".rs") && name.starts_with(&format!("{b}/"))))
            || SUPPORT_FILES.contains(&name)
            || name.starts_with("results/")
            || name.contains("__pycache__")
    };
    match found.iter().find(|name| !is_known(name)) {
        Some(name) => Err(format!("benches/{name} has no short mode: add it to xtask/src/benches.rs")),
        None => Ok(()),
    }
}

/// Returns the newest program of a folder whose name begins with `start`.
fn newest_program(folder: &Path, start: &str) -> Result<String, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let programs = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        let name = path.file_name()?.to_string_lossy().into_owned();
        (name.starts_with(start) && !name.contains('.')).then_some(path)
    });
    let newest = programs.max_by_key(|path| path.metadata().and_then(|m| m.modified()).ok());
    newest.map(|path| path.display().to_string()).ok_or_else(|| format!("{} has no {start}*", folder.display()))
}

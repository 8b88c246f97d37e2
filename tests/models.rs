//! Imported models: with their annotations, with this crate's plans on many meshes, and compared with JAX. Only the
//! small models run here; `cargo xtask soak` runs all. `PARTITA_BLESS=1` rewrites the list of fallbacks.

use filetests::jax;
use filetests::matrix::{self, MeshSelection, PartitionedModel};
use filetests::models::{Models, Module};
use libtest_mimic::{Arguments, Failed, Trial};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials() {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Returns all tests.
fn trials() -> Result<Vec<Trial>, String> {
    let models = Arc::new(Models::find()?);
    let modules = models.modules();
    let mut trials = Vec::new();
    for module in modules.iter().filter(|m| m.is_small()).cloned() {
        let models = models.clone();
        trials.push(Trial::test(format!("agree/{}", module.name), move || {
            matrix::check(&models, &module, MeshSelection::Few).map(|_| ()).map_err(Failed::from)
        }));
    }
    for golden in models.jax_results() {
        let of_model = modules.iter().filter(|m| m.is_plain() && m.model() == golden.model());
        for module in of_model.cloned() {
            let (models, golden) = (models.clone(), golden.clone());
            trials.push(Trial::test(format!("jax/{}", module.name), move || {
                jax::check(&models, &golden, &module).map_err(Failed::from)
            }));
        }
        let forward = modules.iter().filter(|m| m.is_plain() && m.program() == "fwd" && m.model() == golden.model());
        for module in forward.cloned() {
            let (models, golden) = (models.clone(), golden.clone());
            trials.push(Trial::test(format!("jax-training/{}", module.name), move || {
                jax::check_training(&models, &golden, &module).map_err(Failed::from)
            }));
        }
    }
    trials.push(Trial::test("fallbacks", move || fallbacks(&models, &modules).map_err(Failed::from)));
    Ok(trials)
}

/// Compares the list of fallback gathers of the partitioner.
fn fallbacks(models: &Models, modules: &[Module]) -> Result<(), String> {
    let (mut count, mut list) = (0, String::new());
    for module in modules {
        let program = module.import()?;
        for (name, plan) in matrix::cases(models, module, &program, MeshSelection::Few)? {
            let parts = PartitionedModel::new(&program, plan).map_err(|e| format!("{}: {e}", module.name))?;
            count += 1;
            for (what, times) in parts.fallbacks() {
                let _ = writeln!(list, "{}, {name}: {times} x {what}", module.name);
            }
        }
    }
    let list = format!("What is gathered in {count} programs because no rule can split it:\n{list}");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("fallbacks.txt");
    if std::env::var_os("PARTITA_BLESS").is_some() {
        return fs::write(&file, list).map_err(|e| e.to_string());
    }
    let known = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    if list == known {
        Ok(())
    } else {
        Err(format!("gathered:\n{list}\nbut should be (or `cargo xtask bless`):\n{known}"))
    }
}

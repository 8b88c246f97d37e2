//! Programs that check their own results against those of NumPy and SciPy (`tests/data/checked`): on one device, and
//! with each dimension of each input in shards on two and on three devices.

use filetests::agree::{join_diagnostics, partition_by, run_partitioned};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{CHECK_PREFIX, COMPLEX_PARTS, Program};
use partita_runtime::io::read_inputs;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Returns the programs, sorted by path.
fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/checked");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut programs: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|end| end == "mlir")).collect();
    programs.sort();
    programs
}

/// Runs a program on its inputs. Returns the failed checks, or the error.
fn failed_checks(program: &Program, path: &Path, plan: &Plan) -> Result<Vec<String>, String> {
    let partitioned = partition_by(program, plan.clone()).map_err(|errors| join_diagnostics(&errors))?;
    let inputs = read_inputs(&path.with_extension("safetensors"), program).map_err(|error| error.to_string())?;
    let outputs = run_partitioned(&partitioned.local, &inputs.tensors)?;
    let checks: Vec<(&str, bool)> = (program.outputs().iter().zip(&outputs))
        .filter(|(output, _)| output.name.starts_with(CHECK_PREFIX))
        .map(|(output, value)| (output.name.as_str(), value.scalars().all(|x| x.to_i64() != 0)))
        .collect();
    assert!(!checks.is_empty(), "{} checks nothing", path.display());
    Ok(checks.iter().filter(|(_, holds)| !holds).map(|(name, _)| (*name).to_owned()).collect())
}

/// Returns the layouts that shard one dimension of one input: pairs of the input and the text of its layout. Both parts
/// of a complex input have the same layout.
fn layouts(program: &Program) -> BTreeSet<(String, usize, String)> {
    let mut layouts = BTreeSet::new();
    for &input in program.inputs() {
        let path = program.path_of(input);
        let whole = COMPLEX_PARTS.iter().find_map(|part| path.strip_suffix(part)).unwrap_or(path);
        let sizes = &program.ty(input).shape;
        for (dim, &size) in sizes.iter().enumerate().filter(|(_, size)| **size > 1) {
            let text: Vec<&str> = (0..sizes.rank()).map(|d| if d == dim { "d" } else { "_" }).collect();
            layouts.insert((whole.to_owned(), size, text.join(", ")));
        }
    }
    layouts
}

/// Returns the inputs that are parts of a complex input, or the input itself.
fn parts<'p>(program: &'p Program, whole: &str) -> Vec<&'p str> {
    let paths = program.inputs().iter().map(|&input| program.path_of(input));
    paths
        .filter(|path| *path == whole || COMPLEX_PARTS.iter().any(|part| path.strip_suffix(part) == Some(whole)))
        .collect()
}

fn check(prefix: impl Fn(&str) -> bool) {
    let mut problems = Vec::new();
    let mut runs = 0;
    for path in programs() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if !prefix(&name) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let program = match partita_stablehlo::import(&name, &text) {
            Ok(program) => program,
            Err(errors) => {
                problems.push(format!("{name}: {}", join_diagnostics(&errors)));
                continue;
            }
        };
        // A program with manual computations has a mesh of its own.
        let own_mesh = !program.meshes.is_empty();
        let mut plans = match own_mesh {
            true => vec![("its mesh".to_owned(), Plan::default())],
            false => vec![("one device".to_owned(), Plan::new(Mesh::new([("d", 1)]).unwrap()))],
        };
        for devices in [2, 3].into_iter().filter(|_| !own_mesh) {
            for (whole, size, layout) in layouts(&program) {
                if size < devices {
                    continue;
                }
                let mut plan = Plan::new(Mesh::new([("d", devices as u32)]).unwrap());
                for part in parts(&program, &whole) {
                    plan = plan.shard(part, &layout);
                }
                plans.push((format!("{whole} = {layout} on {devices} devices"), plan));
            }
        }
        for (what, plan) in plans {
            runs += 1;
            match failed_checks(&program, &path, &plan) {
                Ok(failed) if failed.is_empty() => {}
                Ok(failed) => problems.push(format!("{name}, {what}: {} fail", failed.join(", "))),
                Err(error) => problems.push(format!("{name}, {what}: {error}")),
            }
        }
    }
    assert!(runs > 0, "no program has such a name");
    assert!(problems.is_empty(), "{} of {runs} runs fail:\n{}", problems.len(), problems.join("\n"));
}

/// Prefixes of the names of programs with complex numbers, factorizations and transforms. All other programs are one
/// group.
const GROUPS: [&str; 3] = ["complex", "fft", "eig"];

#[test]
fn complex_numbers() {
    check(|name| name.starts_with(GROUPS[0]));
}

#[test]
fn fourier_transforms() {
    check(|name| name.starts_with(GROUPS[1]));
}

#[test]
fn eigenvalues() {
    check(|name| name.starts_with(GROUPS[2]));
}

#[test]
fn other_programs() {
    check(|name| !GROUPS.iter().any(|group| name.starts_with(group)));
}

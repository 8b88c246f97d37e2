//! Register usage of the kernels of models: NVRTC compiles products and attention in all sizes and for two
//! architectures, and other kernels for the newer one: fused ones in all sizes, those of one op in one size.
//! `cargo xtask gpu-check` installs the compiler and runs this test, which needs no GPU.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use partita::prelude::*;
use partita_cubecl::MatmulStrategy;
use partita_gpu::Target;
use partita_gpu::collective::KERNEL;
use partita_gpu::nvrtc::{Nvrtc, Usage};
use partita_ir::diag::Source;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Ampere and Hopper.
const ARCHITECTURES: [u32; 2] = [80, 90];

/// Names of kernels that must not spill registers.
const HOT: [&str; 6] = ["matmul", "dot_general", "cubek", "attention", "query_gradient", "key_value_gradients"];

/// Returns true for a kernel that must not spill registers.
fn is_hot(name: &str) -> bool {
    HOT.iter().any(|hot| name.contains(hot))
}

/// Sizes of products that every strategy compiles.
const PRODUCTS: [[usize; 3]; 2] = [[4096, 4096, 4096], [1000, 777, 333]];

/// A kernel, and the first model that contains it.
struct Kernel {
    name: String,
    source: String,
    arch: u32,
    shared: usize,
    model: String,
}

#[test]
#[ignore = "needs NVRTC"]
fn kernels_of_models_fit() {
    let (mut kernels, refused) = kernels(imported(modules()).chain(built_in()));
    kernels.extend(ARCHITECTURES.map(|arch| Kernel {
        name: "collective".into(),
        source: KERNEL.into(),
        arch,
        shared: 0,
        model: "all of them".into(),
    }));
    let (mut table, mut wrong) = compiled(&kernels);
    for (model, why) in refused {
        let _ = writeln!(table, "{model}: {why}");
        if model.starts_with("zoo:") {
            wrong.push(format!("{model} has no kernels: {why}"));
        }
    }
    print!("{table}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../gpu-check");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("registers.txt"), table).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs NVRTC"]
fn products_by_every_strategy_fit() {
    let (table, wrong) = compiled(&products());
    print!("{table}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Warnings are errors, since the compiler output of generated kernels is not displayed.
#[test]
#[ignore = "needs NVRTC"]
fn a_warning_is_an_error() {
    let nvrtc = Nvrtc::open().unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    let kernel = |value: &str| format!("extern \"C\" __global__ void k(unsigned* a) {{ a[0] = {value}; }}");
    nvrtc.compile("k", &kernel("1"), 80).unwrap();
    let refused = nvrtc.compile("k", &kernel("18446744073709551613"), 80).unwrap_err();
    assert_eq!(refused.title, "NVRTC warns about kernel `k`");
    assert!(refused.notes[0].contains("integer conversion resulted in truncation"), "{:?}", refused.notes);
}

/// Returns a table of register usage, and error messages for kernels that fail.
fn compiled(kernels: &[Kernel]) -> (String, Vec<String>) {
    let nvrtc = Nvrtc::open().unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    let compiled: Vec<_> = in_parallel(kernels, |k| nvrtc.compile(&k.name, &k.source, k.arch).map(|c| c.usage));
    let mut table = format!("{} kernels by NVRTC {:?}\n", kernels.len(), nvrtc.version());
    let _ = writeln!(table, "{:<24} arch registers  shared spilled  stack  model", "kernel");
    let mut wrong = Vec::new();
    for (kernel, usage) in kernels.iter().zip(compiled) {
        let Kernel { name, arch, model, .. } = kernel;
        match usage {
            Ok(Usage { registers, spilled, stack, shared }) => {
                let shared = shared + kernel.shared;
                let _ =
                    writeln!(table, "{name:<24} {arch:>4} {registers:>9} {shared:>7} {spilled:>7} {stack:>6}  {model}");
                if spilled > 0 && is_hot(name) {
                    wrong.push(format!("{name} of {model} spills {spilled} bytes for sm_{arch}"));
                }
            }
            Err(e) => wrong.push(format!("{name} of {model} for sm_{arch}: {e} {:?}", e.notes)),
        }
    }
    (table, wrong)
}

/// Returns the StableHLO modules, sorted by name.
fn modules() -> Vec<PathBuf> {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/stablehlo"));
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "mlir"));
    files.sort();
    files
}

/// Returns models from files with their names. Models without a mesh get a plan for one device.
fn imported(files: Vec<PathBuf>) -> impl Iterator<Item = (String, Partition)> {
    let partition = |file: PathBuf| {
        let program = partita::load(&file.display().to_string()).unwrap();
        let plan = if program.meshes.is_empty() { one() } else { Plan::default() };
        Some((file.file_stem()?.to_string_lossy().into_owned(), program.partition(&plan).ok()?))
    };
    files.into_iter().filter_map(partition)
}

/// Returns training steps of the built-in models, in `f32` on one device and in `bf16` on a mesh.
fn built_in() -> Vec<(String, Partition)> {
    let mesh = || Plan::new(Mesh::new([("data", 2), ("model", 4)]).unwrap()).preset("data").preset("megatron");
    let mut all = Vec::new();
    for model in ["zoo:mlp", "zoo:mnist-cnn", "zoo:gpt", "zoo:bert", "zoo:moe"] {
        for (dtype, plan) in [("f32", one()), ("bf16", mesh().precision("**", "bf16"))] {
            let program = partita::load(model).unwrap();
            all.push((format!("{model} in {dtype}"), program.partition(&plan.train("adamw")).unwrap()));
        }
    }
    all
}

fn one() -> Plan {
    Plan::new(Mesh::new([("one", 1)]).unwrap())
}

/// Returns the distinct kernels of all models, and the models that cannot be compiled.
fn kernels(models: impl Iterator<Item = (String, Partition)>) -> (Vec<Kernel>, BTreeMap<String, String>) {
    let (mut kernels, mut refused) = (BTreeMap::new(), BTreeMap::new());
    for (model, part) in models {
        for arch in ARCHITECTURES {
            match partita_cubecl::compile(
                verify(part.local().unwrap()).unwrap().into_form().unwrap(),
                Target::Cuda { arch },
            ) {
                Ok(module) => {
                    for kernel in module.kernels {
                        let partita_gpu::module::Kernel { name, source, shared_bytes: shared, .. } = kernel;
                        if !is_hot(&name) && arch != ARCHITECTURES[1] {
                            continue;
                        }
                        let is_sized = is_hot(&name) || name.starts_with("fused");
                        let sized = if is_sized { source.clone() } else { String::new() };
                        let without_sizes = name.trim_end_matches(|c: char| c.is_ascii_digit() || "_x".contains(c));
                        let key = (without_sizes.to_owned(), arch, sized);
                        let model = model.clone();
                        kernels.entry(key).or_insert(Kernel { name, source, arch, shared, model });
                    }
                }
                Err(e) => {
                    refused.insert(model.clone(), e.title);
                }
            }
        }
    }
    (kernels.into_values().collect(), refused)
}

/// Returns the kernels of products of 16-bit floats, with every strategy.
fn products() -> Vec<Kernel> {
    let mut kernels = Vec::new();
    for (arch, [m, n, k]) in ARCHITECTURES.into_iter().flat_map(|arch| PRODUCTS.map(|sides| (arch, sides))) {
        let text = format!(
            "form local
            input %a : bf16[{m}, {k}]
            input %b : bf16[{k}, {n}]
              %c = matmul %a, %b : bf16[{m}, {n}]
            output %c \"c\""
        );
        let program = parse(&Source::new("product.pir", text)).unwrap();
        for strategy in MatmulStrategy::KERNELS {
            let proof = verify(&program).unwrap().into_form().unwrap();
            let module = partita_cubecl::compile_with(proof, Target::Cuda { arch }, strategy).unwrap();
            kernels.extend(module.kernels.into_iter().map(|kernel| Kernel {
                name: kernel.name,
                source: kernel.source,
                arch,
                shared: kernel.shared_bytes,
                model: format!("a product of {m}x{k}x{n}"),
            }));
        }
    }
    kernels
}

/// Applies a function to all items on two threads, and returns the results in order.
fn in_parallel<T: Sync, R: Send>(items: &[T], of: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        while let Some((at, item)) = Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, items.get(i)?))) {
            done.push((at, of(item)));
        }
        done
    };
    let mut done: Vec<(usize, R)> = std::thread::scope(|scope| {
        let threads = [scope.spawn(work), scope.spawn(work)];
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, result)| result).collect()
}

//! Time to import, propagate, partition and verify a training step, at several depths: `cargo bench --bench depth`.
//!
//! The benchmark `all` in group `training` takes a built-in GPT, derives its training step, applies presets and
//! partitions it.
//!
//! The models of group `depth` are the files of `tests/data/stablehlo/depth`; large ones are compressed.
#![allow(clippy::panic, reason = "without its models there is nothing to measure")]

mod short;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use flate2::read::GzDecoder;
use partita::{Compiler, Mesh, Plan, load};
use partita_ir::verify::verify;
use short::is_short;
use std::fs::File;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The allocator of the `partita` binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Numbers of layers of the models.
fn depths() -> &'static [u32] {
    if is_short() { &[2] } else { &[2, 12, 48, 96] }
}

/// Returns the path of a model file, decompressed if necessary.
fn module(layers: u32) -> std::io::Result<PathBuf> {
    let name = format!("gpt_d64_L{layers}.sgd.sdy.d2m4.mlir");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/stablehlo/depth").join(&name);
    if file.exists() {
        return Ok(file);
    }
    let packed = File::open(file.with_added_extension("gz"))?;
    let unpacked = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::io::copy(&mut GzDecoder::new(packed), &mut File::create(&unpacked)?)?;
    Ok(unpacked)
}

fn depth(c: &mut Criterion) {
    let mut group = c.benchmark_group("depth");
    group.sample_size(10).warm_up_time(Duration::from_secs(1));
    for &layers in depths() {
        let file = module(layers).unwrap_or_else(|e| panic!("{layers} layers: {e}"));
        let file = file.to_string_lossy();
        let program = load(&file).unwrap_or_else(|e| panic!("{e}"));
        let plan = Plan::default();
        group.bench_function(BenchmarkId::new("import", layers), |b| b.iter(|| load(black_box(&file))));
        group.bench_function(BenchmarkId::new("verify", layers), |b| b.iter(|| verify(black_box(&program)).is_ok()));
        group.bench_function(BenchmarkId::new("partition", layers), |b| {
            b.iter(|| Compiler::new(black_box(&program)).plan(&plan).partition().is_ok());
        });
        group.bench_function(BenchmarkId::new("all", layers), |b| {
            b.iter(|| {
                load(black_box(&file)).is_ok_and(|program| Compiler::new(&program).plan(&plan).partition().is_ok())
            });
        });
        if let Ok(partition) = Compiler::new(&program).plan(&plan).partition() {
            let s = partition.seconds();
            println!(
                "{layers} layers: propagate {:.3} s, partition {:.3} s, verify {:.3} s",
                s.propagate, s.partition, s.verify
            );
        }
    }
    group.finish();
}

/// Benchmarks training steps of the built-in GPT, if this build includes the built-in models.
fn training(c: &mut Criterion) {
    let mut group = c.benchmark_group("training");
    group.sample_size(10).warm_up_time(Duration::from_secs(1));
    let Ok(mesh) = Mesh::new([("data", 2), ("model", 4)]) else { return };
    let plan = Plan::new(mesh).preset("megatron,sequence,zero1").train("adamw");
    for &layers in depths() {
        let spec = format!("zoo:gpt?layers={layers}&width=64&heads=8&hidden=256&seq=128&vocab=128&batch=8");
        if load(&spec).is_err() {
            continue;
        }
        group.bench_function(BenchmarkId::new("all", layers), |b| {
            b.iter(|| {
                load(black_box(&spec)).is_ok_and(|program| Compiler::new(&program).plan(&plan).partition().is_ok())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, depth, training);
criterion_main!(benches);

//! Import of StableHLO and ONNX models, and construction of built-in models of several depths.

use crate::models::{data_path, depths, first_message, gpt, unwrap_or_panic};
use crate::short::is_short;
use criterion::{BenchmarkId, Criterion, Throughput};
use std::fs;
use std::hint::black_box;

/// Modules of `tests/data/stablehlo`.
const MODULES: [&str; 4] = ["mlp4_tiny.sgd.plain", "cnn.sgd.plain", "moe_ep.adam.plain", "gpt2l.adam.plain"];

/// Models of `tests/data/onnx`.
const ONNX: [&str; 2] = ["mnist_cnn", "encoder2l"];

pub fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("import");
    group.sample_size(10);
    let count = if is_short() { 1 } else { MODULES.len() };
    for name in &MODULES[..count] {
        let text = unwrap_or_panic(fs::read_to_string(data_path(&format!("stablehlo/{name}.mlir"))));
        unwrap_or_panic(partita_stablehlo::import(name, &text).map_err(first_message));
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(BenchmarkId::new("stablehlo", name), |b| {
            b.iter(|| partita_stablehlo::import(name, black_box(&text)).is_ok());
        });
    }
    for name in &ONNX[..count.min(ONNX.len())] {
        let file = data_path(&format!("onnx/{name}.onnx")).display().to_string();
        unwrap_or_panic(partita_onnx::import(&file).map_err(first_message));
        group.throughput(Throughput::Bytes(unwrap_or_panic(fs::metadata(&file)).len()));
        group.bench_function(BenchmarkId::new("onnx", name), |b| {
            b.iter(|| partita_onnx::import(black_box(&file)).is_ok());
        });
    }
    for &layers in depths() {
        group.throughput(Throughput::Elements(u64::from(layers)));
        group.bench_function(BenchmarkId::new("zoo", layers), |b| b.iter(|| gpt(black_box(layers))));
    }
    group.finish();
}

//! Parsing and printing of program text, for training steps of several depths.

use crate::models::{depths, first_message, training_step, unwrap_or_panic};
use criterion::{BenchmarkId, Criterion, Throughput};
use partita_ir::diag::Source;
use partita_ir::text::{parse, print};
use std::hint::black_box;

pub fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("text");
    group.sample_size(10);
    for &layers in depths() {
        let step = training_step(layers);
        let text = print(&step);
        group.throughput(Throughput::Bytes(text.len() as u64));
        let source = Source::new("step.pir", text);
        unwrap_or_panic(parse(&source).map_err(first_message));
        group.bench_function(BenchmarkId::new("parse", layers), |b| b.iter(|| parse(black_box(&source)).is_ok()));
        group.bench_function(BenchmarkId::new("print", layers), |b| b.iter(|| print(black_box(&step))));
    }
    group.finish();
}

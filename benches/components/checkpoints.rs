//! Checkpoint writing (disk included) and reading, for several sizes.

use crate::models::unwrap_or_panic;
use crate::short::is_short;
use criterion::{BenchmarkId, Criterion, Throughput};
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;
use partita_runtime::checkpoint::{Checkpoint, Folder, Progress};
use std::fs;
use std::hint::black_box;
use std::path::Path;

/// Number of parameters of each checkpoint, 1 MiB per parameter.
fn counts() -> &'static [usize] {
    if is_short() { &[1] } else { &[1, 16, 64] }
}

/// Returns a checkpoint with `count` parameters.
fn checkpoint(count: usize) -> Checkpoint {
    let tensor = |at: usize| (format!("layers.{at}.weight"), Tensor::zeros(Type::new(DType::F32, [512, 512])));
    Checkpoint { progress: Progress { step: 1, ..Progress::default() }, tensors: (0..count).map(tensor).collect() }
}

pub fn bench(c: &mut Criterion) {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-checkpoints-{}", std::process::id()));
    let folder = unwrap_or_panic(Folder::open(&place, 1));
    let mut group = c.benchmark_group("checkpoints");
    group.sample_size(10);
    for &count in counts() {
        let checkpoint = checkpoint(count);
        let file = unwrap_or_panic(folder.save(&checkpoint));
        group.throughput(Throughput::Bytes(unwrap_or_panic(fs::metadata(&file)).len()));
        group
            .bench_function(BenchmarkId::new("write", count), |b| b.iter(|| unwrap_or_panic(folder.save(&checkpoint))));
        group.bench_function(BenchmarkId::new("read", count), |b| {
            b.iter(|| unwrap_or_panic(Checkpoint::read(black_box(&file))));
        });
    }
    group.finish();
    drop(folder);
    unwrap_or_panic(fs::remove_dir_all(&place));
}

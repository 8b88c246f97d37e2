//! Checkpoints by size: written, which includes the disk, and read back.

use crate::models::expected;
use crate::short::is_short;
use criterion::{BenchmarkId, Criterion, Throughput};
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;
use partita_runtime::checkpoint::{Checkpoint, Folder, Progress};
use std::fs;
use std::hint::black_box;
use std::path::Path;

/// Parameters of a checkpoint, of 1 MiB each.
fn counts() -> &'static [usize] {
    if is_short() { &[1] } else { &[1, 16, 64] }
}

/// A checkpoint of so many parameters.
fn checkpoint(count: usize) -> Checkpoint {
    let tensor = |at: usize| (format!("layers.{at}.weight"), Tensor::zeros(Type::new(DType::F32, [512, 512])));
    Checkpoint { progress: Progress { step: 1, ..Progress::default() }, tensors: (0..count).map(tensor).collect() }
}

pub fn bench(c: &mut Criterion) {
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench-checkpoints-{}", std::process::id()));
    let folder = expected(Folder::open(&place, 1));
    let mut group = c.benchmark_group("checkpoints");
    group.sample_size(10);
    for &count in counts() {
        let checkpoint = checkpoint(count);
        let file = expected(folder.save(&checkpoint));
        group.throughput(Throughput::Bytes(expected(fs::metadata(&file)).len()));
        group.bench_function(BenchmarkId::new("write", count), |b| b.iter(|| expected(folder.save(&checkpoint))));
        group.bench_function(BenchmarkId::new("read", count), |b| {
            b.iter(|| expected(Checkpoint::read(black_box(&file))));
        });
    }
    group.finish();
    drop(folder);
    expected(fs::remove_dir_all(&place));
}

//! Collectives of four devices in one process, for each kind and size, on two threads.

use crate::models::unwrap_or_panic;
use crate::short::is_short;
use criterion::{BenchmarkId, Criterion, Throughput};
use partita_ir::arena::AxisId;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::mesh::{AxisRef, DeviceMesh};
use partita_runtime::collective_exec::CollectiveExec;
use partita_runtime::group::Group;
use std::sync::Arc;

const DEVICES: usize = 4;

const THREADS: usize = 2;

/// Operand sizes in elements.
fn sizes() -> &'static [usize] {
    if is_short() { &[64] } else { &[1 << 10, 1 << 16, 1 << 20] }
}

/// Returns one collective of each kind on operands of `count` elements.
fn collective_kinds(group: &Group, count: usize) -> [(&'static str, CollectiveExec); 4] {
    let ty = Type::new(DType::F32, [DEVICES, count / DEVICES]);
    [
        ("all_reduce", unwrap_or_panic(CollectiveExec::all_reduce(Monoid::Sum, &ty, group))),
        ("reduce_scatter", unwrap_or_panic(CollectiveExec::reduce_scatter(Monoid::Sum, &ty, 0, group))),
        ("all_gather", unwrap_or_panic(CollectiveExec::all_gather(&ty, 0, DEVICES * DEVICES, group))),
        ("all_to_all", unwrap_or_panic(CollectiveExec::all_to_all(&ty, 0, DEVICES * DEVICES, 1, group))),
    ]
}

/// Returns a zeroed buffer of type `ty` for each device.
fn buffers(ty: &Type) -> Vec<Vec<u64>> {
    vec![vec![0; ty.bytes().div_ceil(8) as usize]; DEVICES]
}

pub fn bench(c: &mut Criterion) {
    let mesh = Arc::new(DeviceMesh::new("m", [("x", DEVICES as u32)]));
    let all = Group::along_axes(&mesh, &[AxisRef::full(&mesh, AxisId(0))]).swap_remove(0);
    let mut group = c.benchmark_group("collectives");
    group.sample_size(10);
    for &count in sizes() {
        for (name, exec) in collective_kinds(&all, count) {
            let (operands, mut results) = (buffers(exec.operand()), buffers(exec.result()));
            let operands: Vec<&[u64]> = operands.iter().map(Vec::as_slice).collect();
            let mut results: Vec<&mut [u64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
            group.throughput(Throughput::Bytes(exec.operand().bytes()));
            group.bench_function(BenchmarkId::new(name, count), |b| {
                b.iter(|| unwrap_or_panic(exec.run(&operands, &mut results, THREADS)));
            });
        }
    }
    group.finish();
}

//! CPU kernels, one program per kernel. Times include copies of inputs to the device and of results to the host.

use crate::models::{first_message, unwrap_or_panic};
use crate::short::is_short;
use criterion::{BenchmarkId, Criterion, Throughput};
use partita_cpu::Cpu;
use partita_ir::diag::Source;
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_ir::verify::{Local, verify};
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;
use std::hint::black_box;

/// Name, types of `%x` and `%y`, and the ops that compute `%z`, for each kernel; `N` is a dimension size.
const KERNELS: [(&str, [&str; 2], &str); 8] = [
    (
        "fused",
        ["f32[N, N]", "f32[N, N]"],
        "%a = mul %x, %y : f32[N, N]\n  %b = exp %a : f32[N, N]\n  %z = add %b, %x : f32[N, N]",
    ),
    ("sum-rows", ["f32[N, N]", "f32[N, N]"], "%z = reduce sum [1] %x : f32[N]"),
    ("sum-columns", ["f32[N, N]", "f32[N, N]"], "%z = reduce sum [0] %x : f32[N]"),
    ("transpose", ["f32[N, N]", "f32[N, N]"], "%z = transpose [1, 0] %x : f32[N, N]"),
    ("softmax", ["f32[N, N]", "f32[N, N]"], "%z = softmax dim 1 %x : f32[N, N]"),
    ("matmul-f32", ["f32[N, N]", "f32[N, N]"], "%z = matmul %x, %y : f32[N, N]"),
    ("matmul-bf16", ["bf16[N, N]", "bf16[N, N]"], "%z = matmul %x, %y : bf16[N, N]"),
    ("attention", ["f32[2, N, 64]", "f32[2, N, 64]"], "%z = attention causal scale 0.125 %x, %y, %y : f32[2, N, 64]"),
];

/// Values of `N`.
fn sizes() -> &'static [usize] {
    if is_short() { &[16] } else { &[64, 512] }
}

/// Returns the local program of a kernel.
fn program_text((_, [x, y], ops): (&str, [&str; 2], &str), size: usize) -> String {
    let text = format!("form local\nmesh @m = [x=1]\ninput %x : {x}\ninput %y : {y}\n  {ops}\noutput %z \"z\"\n");
    text.replace('N', &size.to_string())
}

pub fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("kernels");
    group.sample_size(10);
    for kernel in KERNELS {
        for &size in sizes() {
            let source = Source::new(kernel.0, program_text(kernel, size));
            let program = unwrap_or_panic(parse(&source).map_err(first_message));
            let proof = unwrap_or_panic(unwrap_or_panic(verify(&program).map_err(first_message)).into_form::<Local>());
            let executable = unwrap_or_panic(Cpu.compile(proof));
            let types = program.inputs().iter().map(|&value| program.ty(value).clone());
            let inputs: Vec<Tensor> = types.map(Tensor::zeros).collect();
            unwrap_or_panic(executable.run(&inputs));
            group.throughput(Throughput::Bytes(inputs.iter().map(|input| input.ty.bytes()).sum()));
            group.bench_function(BenchmarkId::new(kernel.0, size), |b| {
                b.iter(|| executable.run(black_box(&inputs)).is_ok());
            });
        }
    }
    group.finish();
}

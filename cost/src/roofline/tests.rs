//! Launches of small programs with exact byte counts, and their execution times.

use super::frame::frame_bytes;
use super::kernels::{LaunchKind, Launches};
use super::{Efficiencies, RooflineInputs, program_time};
use crate::constants::CostConstants;
use partita_ir::diag::Source;
use partita_ir::dtype::DType;
use partita_ir::program::Program;
use partita_ir::text::parse;
use partita_machine::DeviceKind;

fn local(body: &str) -> Program {
    let text = format!("form local\nmesh @m = [model=2]\n{body}");
    parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]))
}

/// Returns the kind, number of ops, bytes read and bytes written of each launch.
fn launched(program: &Program) -> Vec<(LaunchKind, usize, u64, u64)> {
    let launches = Launches::new(program, program.entry());
    let sum = |all: &[(_, u64)]| all.iter().map(|(_, bytes)| bytes).sum();
    let run = |&number: &usize| {
        let launch = &launches.all[number];
        (launch.kind, launch.ops.len(), sum(&launch.reads), sum(&launch.writes))
    };
    launches.order.iter().map(run).collect()
}

#[test]
fn epilogues_cost_their_operands_only() {
    let program = local(
        "input %x : f32[8, 16]
         input %w : f32[32, 16]
         input %b : f32[32]
         input %r : f32[8, 32]
           %t = transpose [1, 0] %w : f32[16, 32]
           %p = matmul %x, %t : f32[8, 32]
           %bb = broadcast [1] %b : f32[8, 32]
           %q = add %p, %bb : f32[8, 32]
           %g = gelu %q : f32[8, 32]
           %y = add %g, %r : f32[8, 32]
         output %y",
    );
    assert_eq!(launched(&program), [(LaunchKind::Contraction, 4, 4 * (128 + 512 + 32 + 256), 4 * 256)]);
}

#[test]
fn row_reductions_are_fused() {
    // A decomposed softmax.
    let program = local(
        "input %x : f32[8, 16]
           %m = reduce max [1] %x : f32[8]
           %mb = broadcast [0] %m : f32[8, 16]
           %d = sub %x, %mb : f32[8, 16]
           %e = exp %d : f32[8, 16]
           %s = reduce sum [1] %e : f32[8]
           %sb = broadcast [0] %s : f32[8, 16]
           %y = div %e, %sb : f32[8, 16]
         output %y",
    );
    assert_eq!(launched(&program), [(LaunchKind::FusedLoop, 5, 512, 512)]);
    assert_eq!(frame_bytes(&program), 0);
}

#[test]
fn column_reductions_and_transposes_are_not_fused() {
    let program = local(
        "input %x : f32[8, 16]
           %e = exp %x : f32[8, 16]
           %s = reduce sum [0] %e : f32[16]
           %t = transpose [1, 0] %e : f32[16, 8]
           %r = relu %t : f32[16, 8]
         output %s
         output %r",
    );
    assert_eq!(
        launched(&program),
        [
            (LaunchKind::FusedLoop, 1, 512, 512),
            (LaunchKind::Standalone, 1, 512, 64),
            (LaunchKind::FusedLoop, 1, 512, 512)
        ]
    );
    assert_eq!(frame_bytes(&program), 512);
}

#[test]
fn ops_do_not_fuse_with_indirect_dependencies() {
    // `y` could be fused with `e`, but depends on it through a product as well.
    let program = local(
        "input %x : f32[16, 16]
           %e = exp %x : f32[16, 16]
           %p = matmul %e, %e : f32[16, 16]
           %q = matmul %p, %e : f32[16, 16]
           %y = add %e, %q : f32[16, 16]
         output %y",
    );
    let kinds: Vec<(LaunchKind, usize)> = launched(&program).iter().map(|&(kind, ops, ..)| (kind, ops)).collect();
    assert_eq!(kinds, [(LaunchKind::FusedLoop, 1), (LaunchKind::Contraction, 1), (LaunchKind::Contraction, 2)]);
}

#[test]
fn fusion_does_not_advance_large_results() {
    // Both the norm and the update read the gradient, but the update is scaled by the norm.
    let run = |n: usize| {
        let all = format!("f32[{n}, {n}]");
        launched(&local(&format!(
            "input %g : {all}
             input %w : {all}
             input %m : {all}
             %q = mul %g, %g : {all}
             %s = reduce sum [0, 1] %q : f32[]
             %n = all_reduce sum over model %s : f32[]
             %r = rsqrt %n : f32[]
             %v = add %m, %g : {all}
             %rb = broadcast [] %r : {all}
             %u = mul %v, %rb : {all}
             %y = add %w, %u : {all}
             output %v
             output %y"
        )))
    };
    let bytes = |n: usize| 4 * (n * n) as u64;
    let computed = |launches: Vec<(LaunchKind, usize, u64, u64)>| -> Vec<(usize, u64, u64)> {
        let computed = launches.into_iter().filter(|launch| launch.0 == LaunchKind::FusedLoop);
        computed.map(|(_, ops, reads, writes)| (ops, reads, writes)).collect()
    };
    let large = bytes(1024);
    assert_eq!(computed(run(1024)), [(2, large, 4), (4, 3 * large + 4, 2 * large)]);
    // Reading a small value again is faster than an additional launch.
    let small = bytes(16);
    assert_eq!(computed(run(16)), [(3, 2 * small, small + 4), (3, 2 * small + 4, small)]);
}

#[test]
fn gradient_operands_are_freed_before_the_update() {
    // All updates form one launch at the end. The gradient of `w` is computed at its original position, so that `x` and
    // `g` can be freed.
    let program = local(
        "input %a : f32[64, 16]
         input %w : f32[16, 16]
         input %v : f32[16, 16]
           %x = exp %a : f32[64, 16]
           %g = relu %a : f32[64, 16]
           %dw = dot_general contract [0]x[0] %x, %g : f32[16, 16]
           %b = exp %v : f32[16, 16]
           %c = matmul %b, %b : f32[16, 16]
           %d = matmul %c, %b : f32[16, 16]
           %w1 = sub %w, %dw : f32[16, 16]
           %v1 = sub %v, %d : f32[16, 16]
         output %w1
         output %v1",
    );
    let kinds: Vec<(LaunchKind, usize)> = launched(&program).iter().map(|&(kind, ops, ..)| (kind, ops)).collect();
    let expected = [
        (LaunchKind::FusedLoop, 2),
        (LaunchKind::Contraction, 2),
        (LaunchKind::FusedLoop, 1),
        (LaunchKind::Contraction, 1),
        (LaunchKind::Contraction, 2),
    ];
    assert_eq!(kinds, expected);
    assert_eq!(frame_bytes(&program), 2 * 4 * 64 * 16);
}

#[test]
fn epilogues_do_not_advance_their_operands() {
    // The addition is the epilogue of `k`, and its other operand is computed last. `k` therefore runs last, and `m`
    // long before.
    let program = local(
        "input %a : f32[16, 16]
           %k = matmul %a, %a : f32[16, 16]
           %p = matmul %a, %a : f32[16, 16]
           %m = matmul %p, %p : f32[16, 16]
           %q = matmul %a, %p : f32[16, 16]
           %t = transpose [1, 0] %q : f32[16, 16]
           %e = exp %t : f32[16, 16]
           %y = add %k, %e : f32[16, 16]
         output %m
         output %y",
    );
    assert_eq!(Launches::new(&program, program.entry()).order, [1, 2, 3, 4, 0]);
}

#[test]
fn backward_values_do_not_fuse_with_the_forward_pass() {
    // `s * s` depends on forward values only, but only the gradient reads it.
    let all = "f32[1024, 1024]";
    let program = local(&format!(
        "input %x : {all}
         input %w : {all}
           %s = sigmoid %x : {all}
           %p = matmul %s, %w : {all}
           %g = matmul %p, %w : {all} phase backward_input
           %d = mul %s, %s : {all} phase backward_input
           %y = mul %g, %d : {all} phase backward_input
         output %y"
    ));
    let kinds: Vec<(LaunchKind, usize)> = launched(&program).iter().map(|&(kind, ops, ..)| (kind, ops)).collect();
    assert_eq!(
        kinds,
        [
            (LaunchKind::FusedLoop, 1),
            (LaunchKind::Contraction, 1),
            (LaunchKind::FusedLoop, 1),
            (LaunchKind::Contraction, 2)
        ]
    );
}

/// Returns the seconds of a program on a device with 1e9 FLOP/s and 1e9 B/s.
fn seconds(program: &Program, collective: f64) -> f64 {
    let kind =
        DeviceKind { name: "slow".into(), rates: [(DType::F32, 1e9)].into_iter().collect(), memory: 0, bandwidth: 1e9 };
    let efficiencies = Efficiencies { matmul: 0.5, memory: 1.0, link: 1.0, tiled_attention: true };
    let mut collective = |_: &Program, _: &_| collective;
    program_time(program, &mut RooflineInputs { kind: &kind, efficiencies: &efficiencies, collective: &mut collective })
        .seconds
}

#[test]
fn kernels_are_bound_by_arithmetic_or_bandwidth() {
    let run = |m: usize| {
        seconds(
            &local(&format!(
                "input %x : f32[{m}, 1024]\ninput %w : f32[1024, 1024]\n%y = matmul %x, %w : f32[{m}, 1024]\noutput %y"
            )),
            0.0,
        )
    };
    let million = 1024.0 * 1024.0 / 1e9;
    assert!((run(1024) - CostConstants::TUNED.launch_seconds - 2.0 * 1024.0 * million / 0.5).abs() < 1e-9);
    // A product with a single row is bound by reading the weight.
    assert!((run(1) - CostConstants::TUNED.launch_seconds - 4.0 * (million + 2.0 * 1024.0 / 1e9)).abs() < 1e-9);
}

#[test]
fn collectives_overlap_with_compute() {
    let program = local(
        "input %x : f32[1024, 1024]
           %s = all_reduce sum over model %x : f32[1024, 1024]
           %p = matmul %x, %x : f32[1024, 1024]
           %y = add %p, %s : f32[1024, 1024]
         output %y",
    );
    // The sum is an operand of the op after the product. The product need not wait for the sum.
    let (without, with) = (seconds(&program, 0.0), seconds(&program, 1.0));
    assert!((with - without).abs() < 1e-9, "{without} {with}");
    let chain = local(
        "input %x : f32[1024, 1024]
           %p = matmul %x, %x : f32[1024, 1024]
           %s = all_reduce sum over model %p : f32[1024, 1024]
           %y = relu %s : f32[1024, 1024]
         output %y",
    );
    let (without, with) = (seconds(&chain, 0.0), seconds(&chain, 1.0));
    assert!((with - without - 1.0).abs() < 1e-9, "{without} {with}");
}

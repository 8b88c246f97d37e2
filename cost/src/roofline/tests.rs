//! Launches of small programs with exact byte counts, and their execution times.

use super::efficiencies::{AttentionKernels, Fusion};
use super::frame::frame;
use super::kernels::{LaunchKind, Launches};
use super::parts::TimePart;
use super::{Efficiencies, RooflineInputs, TimeBreakdown, program_time};
use partita_ir::diag::Source;
use partita_ir::dtype::DType;
use partita_ir::program::Program;
use partita_ir::text::parse;
use partita_machine::DeviceKind;
use partita_machine::profile::{AchievedRates, KernelCosts, ReservedMemory};

fn local(body: &str) -> Program {
    let text = format!("form local\nmesh @m = [model=2]\n{body}");
    parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]))
}

/// Returns the kind, number of ops, bytes read and bytes written of each launch.
fn launched(program: &Program) -> Vec<(LaunchKind, usize, u64, u64)> {
    let launches = Launches::new(program, program.entry(), Fusion::Products);
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
    assert_eq!(frame(&program, Fusion::Products).bytes, 0);
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
    assert_eq!(frame(&program, Fusion::Products).bytes, 512);
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
fn loops_over_inputs_join_launches_with_readers() {
    // `d` follows the product that reads `a`, but needs inputs only, so that it can be computed with `a`.
    let all = "f32[16, 16]";
    let program = local(&format!(
        "input %x : {all}
         input %v : {all}
           %q = matmul %x, %x : {all}
           %t = transpose [1, 0] %q : {all}
           %a = mul %t, %t : {all}
           %p = matmul %a, %x : {all}
           %d = mul %v, %v : {all}
           %s = add %a, %d : {all}
         output %p
         output %s"
    ));
    let kinds: Vec<(LaunchKind, usize)> = launched(&program).iter().map(|&(kind, ops, ..)| (kind, ops)).collect();
    assert_eq!(kinds, [(LaunchKind::Contraction, 1), (LaunchKind::FusedLoop, 3), (LaunchKind::Contraction, 1)]);
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
    assert_eq!(frame(&program, Fusion::Products).bytes, 2 * 4 * 64 * 16);
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
    assert_eq!(Launches::new(&program, program.entry(), Fusion::Products).order, [1, 2, 3, 4, 0]);
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

/// Returns a device with 1e9 FLOP/s, of which products reach half, and 1e9 B/s, which kernels reach.
fn slow() -> DeviceKind {
    DeviceKind {
        name: "slow".into(),
        rates: [(DType::F32, 1e9)].into_iter().collect(),
        memory: 0,
        bandwidth: 1e9,
        earlier: None,
        achieved: AchievedRates {
            products: [(DType::F32, 0.5)].into_iter().collect(),
            memory: 1.0,
            ..AchievedRates::default()
        },
        kernels: KernelCosts::default(),
        reserved: ReservedMemory::default(),
        uncertainty: DeviceKind::UNCERTAINTY,
    }
}

/// Returns the execution time of a program whose collectives take the given time each.
fn breakdown(program: &Program, kind: &DeviceKind, efficiencies: &Efficiencies, collective: f64) -> TimeBreakdown {
    let mut collective = |_: &Program, _: &_| collective;
    program_time(program, &mut RooflineInputs { kind, efficiencies, collective: &mut collective })
}

/// Returns the seconds of a program on the slow device.
fn seconds(program: &Program, collective: f64) -> f64 {
    breakdown(program, &slow(), &Efficiencies::default(), collective).seconds
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
    assert!((run(1024) - KernelCosts::default().launch - 2.0 * 1024.0 * million / 0.5).abs() < 1e-9);
    // A product with a single row is bound by reading the weight.
    assert!((run(1) - KernelCosts::default().launch - 4.0 * (million + 2.0 * 1024.0 / 1e9)).abs() < 1e-9);
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

#[test]
fn parts_add_up_to_the_elapsed_time() {
    let program = local(
        "input %x : f32[1024, 1024]
           %s = all_reduce sum over model %x : f32[1024, 1024]
           %p = matmul %x, %x : f32[1024, 1024]
           %q = matmul %p, %s : f32[1024, 1024]
           %t = all_reduce sum over model %q : f32[1024, 1024]
         output %t",
    );
    let kind = DeviceKind { kernels: KernelCosts { overlap: 0.1, ..KernelCosts::default() }, ..slow() };
    let time = breakdown(&program, &kind, &Efficiencies::default(), 3.0);
    assert!((time.parts.seconds() - time.seconds).abs() < 1e-9, "{time:?}");
    // A product takes 4.295 s. The first sum slows it down by a tenth of three seconds; only the second one is exposed.
    let part = |activity: &dyn Fn(&TimePart) -> bool| -> f64 {
        time.parts.iter().filter(|(of, _)| activity(of)).map(|(_, seconds)| seconds).sum()
    };
    assert!((part(&|of| *of == TimePart::Products) - 4.0 * 1024f64.powi(3) / 0.5e9).abs() < 1e-6);
    assert!((part(&|of| *of == TimePart::Interference) - 0.3).abs() < 1e-9);
    assert!((part(&|of| matches!(of, TimePart::Exposed { kind: "all_reduce", .. })) - 3.0).abs() < 1e-9);
}

#[test]
fn partial_waves_of_tiles_are_slower() {
    let product = |m: usize| {
        local(&format!(
            "input %x : f32[{m}, 65536]\ninput %w : f32[65536, 128]\n%y = matmul %x, %w : f32[{m}, 128]\noutput %y"
        ))
    };
    let kind = DeviceKind { kernels: KernelCosts { units: 4, ..KernelCosts::default() }, ..slow() };
    let run = |m: usize| breakdown(&product(m), &kind, &Efficiencies::default(), 0.0).seconds;
    // Four tiles of 128 rows occupy four multiprocessors. Five tiles of them take as long as six half tiles would at
    // 0.85 of the rate: ten half tiles in three waves of four.
    assert!((run(8 * 128) / run(4 * 128) - 2.0).abs() < 1e-3);
    let ratio = run(5 * 128) / run(4 * 128);
    assert!((ratio - 3.0 / 2.0 / 0.85).abs() < 1e-3, "{ratio}");
}

#[test]
fn causal_attention_skips_masked_blocks() {
    let attention = |causal: &str, s: usize| {
        local(&format!(
            "input %q : f32[8, {s}, 128]
               %y = attention {causal} scale 0.1 %q, %q, %q : f32[8, {s}, 128]
             output %y"
        ))
    };
    let run = |causal: &str, s: usize, kernels: AttentionKernels| {
        let efficiencies = Efficiencies { attention: kernels, ..Efficiencies::default() };
        breakdown(&attention(causal, s), &slow(), &efficiencies, 0.0).seconds
    };
    let share = |s: usize| run("causal", s, AttentionKernels::Tiled) / run("", s, AttentionKernels::Tiled);
    // Half of the scores and half a block per row.
    assert!((share(4096) - (0.5 + 64.5 / 4096.0)).abs() < 1e-4, "{}", share(4096));
    assert!((share(64) - 1.0).abs() < 1e-4);
    assert!(run("causal", 4096, AttentionKernels::Flash1) > 1.7 * run("causal", 4096, AttentionKernels::Tiled));
}

#[test]
fn separate_elementwise_ops_write_their_results() {
    let program = local(
        "input %x : f32[1024, 1024]
         input %w : f32[1024, 1024]
         input %b : f32[1024]
           %p = matmul %x, %w : f32[1024, 1024]
           %bb = broadcast [1] %b : f32[1024, 1024]
           %q = add %p, %bb : f32[1024, 1024]
           %g = gelu %q : f32[1024, 1024]
           %y = add %g, %x : f32[1024, 1024]
         output %y",
    );
    let run = |fusion| breakdown(&program, &slow(), &Efficiencies { fusion, ..Efficiencies::default() }, 0.0);
    let [products, loops, chains, none] = Fusion::ALL.map(run);
    assert_eq!([products.kernels, loops.kernels, chains.kernels, none.kernels], [1, 2, 2, 3]);
    // The first kernel waits until the host has issued it.
    let issue = KernelCosts::default().issue;
    assert!((chains.seconds - loops.seconds - issue).abs() < 1e-9);
    // The product adds the bias. One loop reads the product and `x` and writes the result; separate kernels also write
    // and read the result of `gelu`.
    let megabytes = 4.0 * 1024.0 * 1024.0 / 1e9;
    let launch = KernelCosts::default().launch;
    assert!((loops.seconds - products.seconds - 3.0 * megabytes - launch).abs() < 1e-9);
    assert!((none.seconds - products.seconds - 5.0 * megabytes - 2.0 * launch - issue).abs() < 1e-9);
}

#[test]
fn prefetched_gathers_do_not_wait_for_compute() {
    let program = local(
        "input %x : f32[1024, 1024]
         input %w : f32[512, 1024]
           %p = matmul %x, %x : f32[1024, 1024]
           %g = all_gather dim 0 over model %w : f32[1024, 1024]
           %q = matmul %p, %g : f32[1024, 1024]
         output %q",
    );
    let run = |prefetches_gathers| {
        breakdown(&program, &slow(), &Efficiencies { prefetches_gathers, ..Efficiencies::default() }, 1.0).seconds
    };
    assert!((run(false) - run(true) - 1.0).abs() < 1e-9, "{} {}", run(false), run(true));
}

//! What is launched for small programs, to the byte, and what that takes.

use super::frame::frame;
use super::kernels::{Launches, What};
use super::{Efficiencies, Pricing, spent};
use crate::constants::CostConstants;
use partita_ir::diag::Source;
use partita_ir::dtype::DType;
use partita_ir::program::Program;
use partita_ir::text::parse;
use partita_machine::Kind;

fn local(body: &str) -> Program {
    let text = format!("form local\nmesh @m = [model=2]\n{body}");
    parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]))
}

/// What is launched: its kind, how many ops it has, and bytes read and written.
fn launched(program: &Program) -> Vec<(What, usize, u64, u64)> {
    let launches = Launches::of(program, program.entry());
    let sum = |all: &[(_, u64)]| all.iter().map(|(_, bytes)| bytes).sum();
    let of = |&number: &usize| {
        let launch = &launches.all[number];
        (launch.what, launch.ops.len(), sum(&launch.reads), sum(&launch.writes))
    };
    launches.order.iter().map(of).collect()
}

#[test]
fn what_follows_a_product_costs_its_operands_only() {
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
    assert_eq!(launched(&program), [(What::Product, 4, 4 * (128 + 512 + 32 + 256), 4 * 256)]);
}

#[test]
fn rows_are_gone_over_once() {
    // A softmax, taken apart.
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
    assert_eq!(launched(&program), [(What::Fused, 5, 512, 512)]);
    assert_eq!(frame(&program), 0);
}

#[test]
fn columns_and_other_orders_go_through_memory() {
    let program = local(
        "input %x : f32[8, 16]
           %e = exp %x : f32[8, 16]
           %s = reduce sum [0] %e : f32[16]
           %t = transpose [1, 0] %e : f32[16, 8]
           %r = relu %t : f32[16, 8]
         output %s
         output %r",
    );
    assert_eq!(launched(&program), [(What::Fused, 1, 512, 512), (What::Alone, 1, 512, 64), (What::Fused, 1, 512, 512)]);
    assert_eq!(frame(&program), 512);
}

#[test]
fn nothing_joins_what_it_waits_for() {
    // `y` goes over what `e` does, but through a product that reads `e`.
    let program = local(
        "input %x : f32[16, 16]
           %e = exp %x : f32[16, 16]
           %p = matmul %e, %e : f32[16, 16]
           %q = matmul %p, %e : f32[16, 16]
           %y = add %e, %q : f32[16, 16]
         output %y",
    );
    let kinds: Vec<(What, usize)> = launched(&program).iter().map(|&(what, ops, ..)| (what, ops)).collect();
    assert_eq!(kinds, [(What::Fused, 1), (What::Product, 1), (What::Product, 2)]);
}

#[test]
fn what_may_wait_is_not_computed_too_early() {
    // The norm goes over the gradient, and so does the step; but the step is scaled by the norm.
    let of = |n: usize| {
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
    let computed = |launches: Vec<(What, usize, u64, u64)>| -> Vec<(usize, u64, u64)> {
        let computed = launches.into_iter().filter(|launch| launch.0 == What::Fused);
        computed.map(|(_, ops, reads, writes)| (ops, reads, writes)).collect()
    };
    let large = bytes(1024);
    assert_eq!(computed(of(1024)), [(2, large, 4), (4, 3 * large + 4, 2 * large)]);
    // What is small is read again in less time than it takes to launch something.
    let small = bytes(16);
    assert_eq!(computed(of(16)), [(3, 2 * small, small + 4), (3, 2 * small + 4, small)]);
}

#[test]
fn factors_of_a_gradient_do_not_wait_for_its_update() {
    // All updates are one launch at the end. The gradient of `w` is computed where it stands, so that `x` and `g` are
    // gone then.
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
    let kinds: Vec<(What, usize)> = launched(&program).iter().map(|&(what, ops, ..)| (what, ops)).collect();
    let expected = [(What::Fused, 2), (What::Product, 2), (What::Fused, 1), (What::Product, 1), (What::Product, 2)];
    assert_eq!(kinds, expected);
    assert_eq!(frame(&program), 2 * 4 * 64 * 16);
}

#[test]
fn an_epilogue_does_not_bring_forward_what_it_reads() {
    // The sum is the epilogue of `k`, and its other operand comes last. So does `k`, and `m` is done with long before.
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
    assert_eq!(Launches::of(&program, program.entry()).order, [1, 2, 3, 4, 0]);
}

#[test]
fn what_is_computed_backward_is_not_kept_from_the_forward_part() {
    // `s * s` is made of values of the forward part, and only the gradient reads it.
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
    let kinds: Vec<(What, usize)> = launched(&program).iter().map(|&(what, ops, ..)| (what, ops)).collect();
    assert_eq!(kinds, [(What::Fused, 1), (What::Product, 1), (What::Fused, 1), (What::Product, 2)]);
}

/// A second is what 1e9 operations or bytes take.
fn seconds(program: &Program, collective: f64) -> f64 {
    let kind =
        Kind { name: "slow".into(), rates: [(DType::F32, 1e9)].into_iter().collect(), memory: 0, bandwidth: 1e9 };
    let efficiencies = Efficiencies { matmul: 0.5, memory: 1.0, link: 1.0, tiled_attention: true };
    let mut collective = |_: &Program, _: &_| collective;
    spent(program, &mut Pricing { kind: &kind, efficiencies: &efficiencies, collective: &mut collective }).seconds
}

#[test]
fn arithmetic_or_bytes_bind() {
    let of = |m: usize| {
        seconds(
            &local(&format!(
                "input %x : f32[{m}, 1024]\ninput %w : f32[1024, 1024]\n%y = matmul %x, %w : f32[{m}, 1024]\noutput %y"
            )),
            0.0,
        )
    };
    let million = 1024.0 * 1024.0 / 1e9;
    assert!((of(1024) - CostConstants::TUNED.launch_seconds - 2.0 * 1024.0 * million / 0.5).abs() < 1e-9);
    // A single row reads all of the weight for little.
    assert!((of(1) - CostConstants::TUNED.launch_seconds - 4.0 * (million + 2.0 * 1024.0 / 1e9)).abs() < 1e-9);
}

#[test]
fn collectives_go_on_beside_what_is_computed() {
    let program = local(
        "input %x : f32[1024, 1024]
           %s = all_reduce sum over model %x : f32[1024, 1024]
           %p = matmul %x, %x : f32[1024, 1024]
           %y = add %p, %s : f32[1024, 1024]
         output %y",
    );
    // The sum is an operand of what follows the product, which need not wait for it.
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

//! Vertical fusion: consecutive ops over the same elements become one kernel.

use super::check;
use partita_gpu::Target;
use partita_ir::diag::Source;
use partita_ir::text::parse;
use partita_ir::verify::verify;

#[test]
fn masks_are_fused() {
    let kernels = check(
        "form local
        mesh @m = [x=3]
        input %x : f32[13@x, 5]
          %e = exp %x : f32[5, 5]
          %t = transpose [1, 0] %e : f32[5, 5]
          %m = mask zero dim 0 of 13 over x %e : f32[5, 5]
          %n = neg %m : f32[5, 5]
          %l = mask lowest dim 0 of 13 over x %n : f32[5, 5]
          %s = softmax dim 1 %l : f32[5, 5]
          %z = mask zero dim 0 of 13 over x %s : f32[5, 5]
          %c = reduce sum [0] %z : f32[5]
          %a = all_reduce sum over x %c : f32[5]
        output %a \"a\"",
        1e-5,
    );
    // One kernel for all ops up to the row-wise ones, and one for the sum over rows.
    assert_eq!(kernels, 2);
}

/// 24 rows of 10 elements fill one and a half blocks, and `%d` overwrites `%y`. Units without a row must not read
/// elements that another block may already have overwritten.
#[test]
fn rows_that_do_not_fill_a_block_may_be_overwritten() {
    for (rows, width) in [(300, 1), (300, 2), (90, 3), (24, 10), (9, 40), (3, 200), (2, 700)] {
        check(
            &format!(
                "form local
                mesh @m = [x=2]
                input %a : f32[{rows}, 6]
                input %w : f32[6, {width}]
                  %y = matmul %a, %w : f32[{rows}, {width}]
                  %m = reduce max [1] %y : f32[{rows}]
                  %n = all_reduce max over x %m : f32[{rows}]
                  %b = broadcast [0] %n : f32[{rows}, {width}]
                  %d = sub %y, %b : f32[{rows}, {width}]
                  %e = exp %d : f32[{rows}, {width}]
                  %s = reduce sum [1] %e : f32[{rows}]
                  %t = all_reduce sum over x %s : f32[{rows}]
                  %c = broadcast [0] %t : f32[{rows}, {width}]
                  %q = sub %d, %c : f32[{rows}, {width}]
                output %q \"q\""
            ),
            1e-5,
        );
    }
}

#[test]
fn gathers_are_fused_into_consumers() {
    for (width, count) in [(37, 1), (2500, 1)] {
        let kernels = check(
            &format!(
                "form local
                input %t : f32[9, {width}]
                input %i : i32[6]
                input %p : f32[6, {width}]
                input %g : f32[{width}]
                input %b : f32[{width}]
                  %x = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, {width}] %t, %i : f32[6, {width}]
                  %s = add %x, %p : f32[6, {width}]
                  %n = layer_norm eps 1e-5 %s, %g, %b : f32[6, {width}]
                output %n \"n\"
                output %s \"s\""
            ),
            1e-4,
        );
        assert_eq!(kernels, count, "{width}");
    }
}

#[test]
fn random_numbers_are_fused_into_consumers() {
    for dtype in ["f32", "bf16"] {
        let kernels = check(
            &format!(
                "form local
                input %key : u32[2]
                input %x : {dtype}[7, 33]
                input %i : i32[]
                  %u = random uniform %key : {dtype}[7, 33]
                  %h = constant 0.5 : {dtype}[7, 33]
                  %p = compare lt %u, %h : bool[7, 33]
                  %o = constant 0 : {dtype}[7, 33]
                  %d = select %p, %x, %o : {dtype}[7, 33]
                  %s = softmax dim 1 %d : {dtype}[7, 33]
                  %v = dynamic_slice [2, 3] %s, %i, %i : {dtype}[2, 3]
                  %w = neg %v : {dtype}[2, 3]
                output %w \"w\""
            ),
            2e-2,
        );
        assert_eq!(kernels, 2, "{dtype}");
    }
}

#[test]
fn scalars_are_fused_into_consumers() {
    let kernels = check(
        "form local
        mesh @m = [x=2]
        input %x : f32[40, 7]
        input %y : f32[4, 7]
          %s = reduce sum [0, 1] %x : f32[]
          %n = constant 280.0 : f32[]
          %m = div %s, %n : f32[]
          %p = piece_start of 8 over x : i32[]
          %c = convert %p : f32[]
          %q = mul %c, %m : f32[]
          %b = broadcast [] %q : f32[4, 7]
          %r = mul %b, %y : f32[4, 7]
          %a = all_reduce sum over x %r : f32[4, 7]
        output %a \"a\"",
        1e-5,
    );
    assert_eq!(kernels, 2);
}

/// A value with several readers is stored, and a fused kernel does not read results that do not exist yet.
#[test]
fn values_with_other_readers_are_stored() {
    check(
        "form local
        input %t : f32[9, 31]
        input %i : i32[6]
        input %w : f32[31, 6]
          %x = gather offset [1] collapsed [0] map [0] vector 1 sizes [1, 31] %t, %i : f32[6, 31]
          %y = matmul %x, %w : f32[6, 6]
          %e = exp %x : f32[6, 31]
          %r = reverse [0] %e : f32[6, 31]
          %s = add %r, %e : f32[6, 31]
          %v = softmax dim 1 %y : f32[6, 6]
        output %s \"s\"
        output %v \"v\"",
        1e-5,
    );
}

/// An intermediate value of a fused kernel is stored if it has other readers.
#[test]
fn intermediate_values_can_be_stored() {
    let kernels = check(
        "form local
        mesh @m = [x=3]
        input %x : f32[13@x, 8]
        input %w : f32[8, 5]
          %s = softmax dim 1 %x : f32[5, 8]
          %m = mask zero dim 0 of 13 over x %s : f32[5, 8]
          %r = reverse [1] %s : f32[5, 8]
          %p = matmul %m, %w : f32[5, 5]
          %q = matmul %r, %w : f32[5, 5]
          %c = add %p, %q : f32[5, 5]
          %z = mask zero dim 0 of 13 over x %c : f32[5, 5]
          %t = reduce sum [0] %z : f32[5]
          %a = all_reduce sum over x %t : f32[5]
        output %a \"a\"",
        1e-5,
    );
    // The softmax with its mask, two products, one of which adds both results, and the sum over rows.
    assert_eq!(kernels, 4);
}

/// WebGPU supports few buffers: a mask whose fusion would exceed the limit becomes a separate kernel, and its purpose
/// records the missed fusion.
#[test]
fn missed_fusions_are_recorded() {
    let inputs: String = (0..12).map(|i| format!("input %i{i} : f32[5, 8]\n")).collect();
    let sum = |first: &str, numbers: std::ops::Range<usize>, name: &str| -> String {
        let mut text = String::new();
        let mut last = first.to_owned();
        for i in numbers {
            text += &format!("%{name}{i} = add %{last}, %i{i} : f32[5, 8]\n");
            last = format!("{name}{i}");
        }
        text
    };
    let (before, behind) = (sum("x", 0..6, "a"), sum("m", 6..12, "b"));
    let text = format!(
        "form local
        mesh @m = [x=3]
        input %x : f32[13@x, 8]
        {inputs}{before}%m = mask zero dim 0 of 13 over x %a5 : f32[5, 8]
        {behind}output %b11 \"b\""
    );
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let missed = |target| {
        let module = partita_cubecl::compile(proof, target).unwrap_or_else(|e| panic!("{e}"));
        module.kernels.iter().map(|kernel| kernel.purpose.missed_fusion).collect::<Vec<bool>>()
    };
    assert_eq!(missed(Target::Cuda { arch: 90 }), [false]);
    // Both sums are the same kernel.
    assert_eq!(missed(Target::Wgsl), [false, true]);
}

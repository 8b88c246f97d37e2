//! What goes over the same elements one after the other is one kernel.

use super::check;
use partita_gpu::Target;
use partita_ir::diag::Source;
use partita_ir::text::parse;
use partita_ir::verify::verify;

#[test]
fn masks_are_computed_between_others() {
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
    // All but the sum over rows.
    assert_eq!(kernels, 2);
}

/// 24 rows of 10 fill one and a half blocks, and `%d` is stored over `%y`. The units of the missing rows must not read
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
fn rows_are_looked_up_by_who_reads_them() {
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
fn numbers_are_drawn_where_they_are_needed() {
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
fn numbers_of_all_elements_are_computed_by_who_reads_them() {
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

/// What another one reads is written, and what it must not see yet is not.
#[test]
fn what_others_read_stays() {
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

/// What is computed on the way is kept for others.
#[test]
fn what_is_handed_on_may_be_kept() {
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
    // The softmax with its mask, two products, of which one adds them up, and the sum over rows.
    assert_eq!(kernels, 4);
}

/// WebGPU binds few buffers: a mask that would make one too many stands alone there, and it is said that this need not
/// be.
#[test]
fn what_might_have_been_joined_is_told() {
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
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).of().unwrap();
    let missed = |target| {
        let module = partita_cubecl::compile(proof, target).unwrap_or_else(|e| panic!("{e}"));
        module.kernels.iter().map(|kernel| kernel.purpose.missed).collect::<Vec<bool>>()
    };
    assert_eq!(missed(Target::Cuda { arch: 90 }), [false]);
    // Both sums are the same kernel.
    assert_eq!(missed(Target::Wgsl), [false, true]);
}

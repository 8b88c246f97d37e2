//! Comparison of the CPU backend with the interpreter.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use partita_cpu::Cpu;
use partita_ir::diag::Source;
use partita_ir::dtype::Type;
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_runtime::backend::Backend;
use partita_runtime::check::compare;
use partita_runtime::executor::Executable;
use partita_runtime::interpreter::run_local;

/// Operands that are last used, are inputs, are shared by devices, or are carried by a loop.
const TEXT: &str = "form local
    mesh @m = [x=2, y=2]
    func @step(%s: f32[2, 4], %w: f32[4]) {
      %b = broadcast [1] %w : f32[2, 4]
      %t = mul %s, %b : f32[2, 4]
      %u = sub %b, %t : f32[2, 4]
      %v = div %u, %s : f32[2, 4]
      return %v, %w
    }
    param %w \"w\" : f32[4]
    input %s : f32[4@x, 4]
      %a = add %s, %s : f32[2, 4]
      %b = add %a, %s : f32[2, 4]
      %c, %w2 = loop 3 of @step %b, %w : f32[2, 4], f32[4]
      %d = all_reduce sum over y %c : f32[4@x, 4]
      %e = sub %d, %b : f32[2, 4]
      %f = mul %e, %e : f32[4@x, 4]
    output %d \"d\"
    output %f \"f\"";

/// Weight gradients of a small batch, with the layouts of the weights: replicated, sharded, and transposed or scaled
/// before they are summed. The updated weights are read again, and one gradient is read by every device.
const GRADIENTS: &str = "form local
    mesh @m = [a=3, b=2]
    param %w \"w\" : f32[40, 48] whole
    param %v \"v\" : f32[40, 48@b]
    param %u \"u\" : f32[48, 40] whole
    input %x : f32[12@a, 40]
    input %y : f32[12@a, 48@b]
    input %z : f32[12@a+b, 48]
      %p = dot_general contract [0]x[0] %x, %y : f32[40, 24]
      %ps = all_reduce sum over a %p : f32[40, 24]
      %vn = sub %v, %ps : f32[40, 48@b]
      %v2 = mul %vn, %vn : f32[40, 48@b]
      %i = shard dim 0 over b %x : f32[2, 40]
      %c = constant 0.5 : f32[]
      %cb = broadcast [] %c : f32[48, 40]
      %q = dot_general contract [0]x[0] %z, %i : f32[48, 40]
      %qc = mul %q, %cb : f32[48, 40]
      %qt = transpose [1, 0] %qc : f32[40, 48]
      %qs, %ql = all_reduce sum over a+b %qt, %q : f32[40, 48], f32[48, 40]
      %wn = sub %w, %qs : f32[40, 48] whole
      %un = sub %u, %ql : f32[48, 40] whole
      %r = dot_general contract [0]x[0] %z, %i : f32[48, 40]
      %rs = all_reduce sum over a+b %r : f32[48, 40]
      %d = matmul %z, %rs : f32[12@a+b, 40]
    output %vn \"v\"
    output %v2 \"v2\"
    output %wn \"w\"
    output %un \"u\"
    output %d \"d\"";

#[test]
fn in_place_results_equal_the_interpreter() {
    check(TEXT, 0.0);
}

#[test]
fn deduplicated_results_equal_the_interpreter() {
    check(GRADIENTS, 1e-5);
}

#[test]
fn dynamic_slices_equal_the_interpreter() {
    // Slices that are contiguous, strided and clamped; updates of values that are read later, and by themselves.
    let text = |ty: &str, index: &str| {
        format!(
            "form local
            input %x : {ty}[4, 3, 5]
              %z = constant 0 : {index}[]
              %one = constant 1 : {index}[]
              %two = constant 2 : {index}[]
              %far = constant 100 : {index}[]
              %rows = dynamic_slice [2, 3, 5] %x, %one, %z, %z : {ty}[2, 3, 5]
              %inner = dynamic_slice [2, 2, 3] %x, %two, %one, %one : {ty}[2, 2, 3]
              %last = dynamic_slice [1, 1, 5] %x, %far, %far, %far : {ty}[1, 1, 5]
              %column = dynamic_slice [4, 3, 1] %x, %z, %z, %two : {ty}[4, 3, 1]
              %own = dynamic_update_slice %x, %x, %far, %far, %far : {ty}[4, 3, 5]
              %a = neg %x : {ty}[4, 3, 5]
              %b = dynamic_update_slice %a, %inner, %far, %z, %two : {ty}[4, 3, 5]
              %c = dynamic_update_slice %b, %column, %z, %z, %far : {ty}[4, 3, 5]
              %d = dynamic_update_slice %b, %rows, %z, %z, %z : {ty}[4, 3, 5]
              %e = dynamic_update_slice %d, %last, %two, %two, %z : {ty}[4, 3, 5]
              %f = add %c, %e : {ty}[4, 3, 5]
            output %rows \"rows\"
            output %inner \"inner\"
            output %last \"last\"
            output %column \"column\"
            output %own \"own\"
            output %c \"c\"
            output %f \"f\""
        )
    };
    for ty in ["f64", "f32", "bf16", "i64", "i8"] {
        for index in ["i64", "i32", "u32", "u8"] {
            check(&text(ty, index), 0.0);
        }
    }
    // Starts that the data determines.
    check(
        "form local
        input %x : i32[6]
        input %at : i32[1]
          %i = reshape %at : i32[]
          %j = neg %i : i32[]
          %s = dynamic_slice [1] %x, %i : i32[1]
          %n = dynamic_update_slice %x, %s, %j : i32[6]
        output %n \"n\"",
        0.0,
    );
}

#[test]
fn extremes_distinguish_zeros_and_propagate_nan() {
    // Zeros of both signs, distinguished by the sign of quotients, and NaN.
    let text = |float: &str| {
        let mut text = format!(
            "form local
            input %x : {float}[6]
              %pos = sub %x, %x : {float}[6]
              %neg = neg %pos : {float}[6]
              %nan = div %pos, %pos : {float}[6]
              %one = constant 1.0 : {float}[6]\n"
        );
        let mut outputs = String::new();
        for (a, b) in ["pos", "neg", "nan", "x"].into_iter().flat_map(|a| ["pos", "neg", "nan", "x"].map(|b| (a, b))) {
            for op in ["max", "min"] {
                let name = format!("{op}.{a}.{b}");
                text += &format!("  %{name} = {op} %{a}, %{b} : {float}[6]\n");
                text += &format!("  %{name}.sign = div %one, %{name} : {float}[6]\n");
                text += &format!("  %{name}.a = reshape %{a} : {float}[6, 1]\n");
                text += &format!("  %{name}.b = reshape %{b} : {float}[6, 1]\n");
                text += &format!("  %{name}.pair = concatenate dim 1 %{name}.a, %{name}.b : {float}[6, 2]\n");
                text += &format!("  %{name}.of = reduce {op} [1] %{name}.pair : {float}[6]\n");
                text += &format!("  %{name}.of.sign = div %one, %{name}.of : {float}[6]\n");
                outputs += &format!("output %{name}.sign \"{name}\"\noutput %{name}.of.sign \"{name} of a row\"\n");
            }
            let clamped = format!("clamped.{a}.{b}");
            text += &format!("  %{clamped} = clamp %{a}, %x, %{b} : {float}[6]\n");
            text += &format!("  %{clamped}.sign = div %one, %{clamped} : {float}[6]\n");
            outputs += &format!("output %{clamped}.sign \"{clamped}\"\n");
        }
        text + &outputs
    };
    for float in ["f64", "f32", "f16", "bf16"] {
        check(&text(float), 0.0);
    }
}

#[test]
fn windows_distinguish_zeros_and_propagate_nan() {
    let text = |op: &str| {
        format!(
            "form local
            input %x : f32[1, 2, 2, 1]
              %pos = sub %x, %x : f32[1, 2, 2, 1]
              %neg = neg %pos : f32[1, 2, 2, 1]
              %nan = div %pos, %pos : f32[1, 2, 2, 1]
              %one = constant 1.0 : f32[1, 2, 1, 1]
              %a = concatenate dim 2 %pos, %neg : f32[1, 2, 4, 1]
              %b = concatenate dim 2 %neg, %pos : f32[1, 2, 4, 1]
              %c = concatenate dim 2 %nan, %x : f32[1, 2, 4, 1]
              %p = reduce_window {op} [(1), (1), (4 stride 4), (1)] %a : f32[1, 2, 1, 1]
              %q = reduce_window {op} [(1), (1), (4 stride 4), (1)] %b : f32[1, 2, 1, 1]
              %r = reduce_window {op} [(1), (1), (4 stride 4), (1)] %c : f32[1, 2, 1, 1]
              %ps = div %one, %p : f32[1, 2, 1, 1]
              %qs = div %one, %q : f32[1, 2, 1, 1]
            output %ps \"ps\"
            output %qs \"qs\"
            output %r \"r\""
        )
    };
    check(&text("max"), 0.0);
    check(&text("min"), 0.0);
}

#[test]
fn convolutions_equal_the_interpreter() {
    // Lines of a block: with padding, negative padding, stride, dilation and base dilation; filled along the positions
    // and along the window.
    for (columns, window, result) in [
        (9, "3 pad 1 1", 9),
        (9, "3 pad -1 2", 8),
        (9, "3 stride 2 pad 2 0", 5),
        (9, "3 pad 1 0 dilate 3", 4),
        (9, "4 pad 3 2 base 2", 19),
        (5, "3 stride 2 pad 4 4 base 3", 10),
        (5, "2 stride 3 pad 1 7 base 2", 6),
        (9, "7 pad 1 1", 5),
        (9, "8 stride 2 pad 2 1", 3),
        (9, "6 pad 2 2 dilate 3 base 2", 6),
        (3, "9 pad 7 0 base 3", 6),
    ] {
        let text = format!(
            "form local
            input %x : f32[2, 3, 6, {columns}]
            input %k : f32[4, 3, 2, {size}]
              %y = convolution [0, 1, 2, 3]x[1, 0, 2, 3]->[0, 1, 2, 3] window [(2 stride 2 pad 1 1), ({window})] \
             %x, %k : f32[2, 4, 4, {result}]
            output %y \"y\"",
            size = window.split(' ').next().unwrap_or_default(),
        );
        check(&text, 1e-5);
    }
}

#[test]
fn products_of_few_rows_equal_the_interpreter() {
    // Tiles of all heights, an odd number of columns, and a contracted dimension that does not fill the last vector.
    for rows in 1..=17 {
        let text = format!(
            "form local
            input %x : f32[{rows}, 77]
            input %w : f32[67, 77]
              %y = dot_general contract [1]x[1] %x, %w : f32[{rows}, 67]
            output %y \"y\""
        );
        check(&text, 1e-5);
    }
}

#[test]
fn adjacent_windows_equal_the_interpreter() {
    // Windows with and without a constant size in the kernel, and elements outside of all windows.
    for (rows, columns, width) in [(2, 2, 2 * 70), (2, 2, 2 * 70 + 1), (3, 2, 6), (1, 3, 11), (2, 4, 8)] {
        for op in ["max", "min", "sum"] {
            let window = format!("[(1), ({rows} stride {rows}), ({columns} stride {columns})]");
            let (input, result) = (
                format!("f32[2, {}, {width}]", 2 * rows + 1),
                format!("f32[2, {}, {}]", (2 * rows + 1) / rows, width / columns),
            );
            let pool = format!("  %p = reduce_window {op} {window} %x : {result}\n");
            let unpool = match op {
                "sum" => String::new(),
                _ => {
                    format!("  %q = mul %p, %p : {result}\n  %u = select_and_scatter {op} {window} %x, %q : {input}\n")
                }
            };
            let outputs = if op == "sum" { "" } else { "output %u \"u\"\n" };
            let text = format!("form local\ninput %x : {input}\n{pool}{unpool}output %p \"p\"\n{outputs}");
            check(&text, 1e-6);
        }
    }
}

#[test]
fn attention_equals_the_interpreter() {
    // Sequences of several tiles, and tiles that are not full.
    for (rows, columns, options) in [(5, 7, ""), (70, 150, ""), (130, 130, "causal "), (65, 129, "causal ")] {
        let text = format!(
            "form local
            input %q : f32[2, {rows}, 8]
            input %k : f32[2, {columns}, 8]
            input %v : f32[2, {columns}, 5]
              %y = attention {options}scale 0.3 %q, %k, %v : f32[2, {rows}, 5]
            output %y \"y\""
        );
        check(&text, 1e-5);
    }
}

#[test]
fn products_of_narrow_floats_have_wide_sums() {
    // Terms of one sign, whose sum in the narrow type would stop to grow.
    for (narrow, units) in [("bf16", 256.0), ("f16", 2048.0)] {
        let text = format!(
            "form local
            input %x : {narrow}[3, 1024]
            input %w : {narrow}[1024, 5]
            input %i : {narrow}[1, 64, 5, 5]
            input %f : {narrow}[2, 64, 3, 3]
              %xs = mul %x, %x : {narrow}[3, 1024]
              %ws = mul %w, %w : {narrow}[1024, 5]
              %y = matmul %xs, %ws : {narrow}[3, 5]
              %z = dot_general contract [1]x[0] %xs, %ws : f32[3, 5]
              %c = convolution [0, 1, 2, 3]x[1, 0, 2, 3]->[0, 1, 2, 3] window [(3), (3)] %i, %f : {narrow}[1, 2, 3, 3]
              %a = attention scale 0.1 %xs, %xs, %xs : {narrow}[3, 1024]
            output %y \"y\"
            output %z \"z\"
            output %c \"c\"
            output %a \"a\""
        );
        check(&text, 1.0 / units);
    }
}

/// Out-of-range numbers saturate when converted to an integer dtype, and NaN becomes zero.
#[test]
fn out_of_range_conversions_saturate() {
    for float in ["f64", "f32", "bf16"] {
        for (integer, least, most) in [
            ("i8", i128::from(i8::MIN), i128::from(i8::MAX)),
            ("i32", i128::from(i32::MIN), i128::from(i32::MAX)),
            ("i64", i128::from(i64::MIN), i128::from(i64::MAX)),
            ("u8", 0, i128::from(u8::MAX)),
            ("u32", 0, i128::from(u32::MAX)),
            ("u64", 0, i128::from(u64::MAX)),
        ] {
            let text = format!(
                "form local
                input %x : {float}[6]
                  %y = convert %x : {integer}[6]
                output %y \"y\""
            );
            let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
            let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
            let x = vec![-1.5, f64::NAN, 3e30, -3e30, f64::INFINITY, f64::NEG_INFINITY];
            let x = Tensor::from_floats(program.ty(program.inputs()[0]).clone(), x);
            let expected = [i128::max(-1, least), 0, most, least, most, least].map(|n| n as i64);
            for found in [
                run_local(proof, std::slice::from_ref(&x)).unwrap(),
                Cpu.compile(proof).unwrap().run(std::slice::from_ref(&x)).unwrap(),
            ] {
                let found: Vec<i64> = found[0].scalars().map(|n| n.to_i64()).collect();
                assert_eq!(found, expected, "{float} as {integer}");
            }
        }
    }
}

/// Compares outputs with the interpreter, with the given tolerance.
fn check(text: &str, most: f64) {
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let tensor = |(at, ty): (usize, &Type)| {
        let numbers = (0..ty.shape.count()).map(|i| 3.0 - at as f64 + (i as f64).sin()).collect();
        Tensor::from_floats(ty.clone(), numbers)
    };
    let inputs: Vec<Tensor> = program.inputs().iter().map(|&v| program.ty(v)).enumerate().map(tensor).collect();
    let want = run_local(proof, &inputs).unwrap();
    let executable = Cpu.compile(proof).unwrap();
    // Two runs, since a run must not affect the next one.
    for _ in 0..2 {
        let names = program.outputs().iter().map(|o| o.name.as_str());
        let differences = compare(names, &executable.run(&inputs).unwrap(), &want, most);
        assert!(differences.iter().all(|output| output.ok), "{differences:?}");
    }
}

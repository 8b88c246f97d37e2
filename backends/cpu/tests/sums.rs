//! Long sums of `f32`: the error does not grow with the number of elements, for any memory layout of the reduction and
//! any number of threads.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use partita_cpu::Cpu;
use partita_ir::diag::Source;
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;

/// Runs a local program on random inputs, uniform in [0, 1), and returns inputs and outputs.
fn run(text: &str) -> (Vec<Tensor>, Vec<Tensor>) {
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let mut state = 1u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f64 / f64::from(1u32 << 24)
    };
    let types = program.inputs().iter().map(|&v| program.ty(v).clone());
    let inputs: Vec<Tensor> =
        types.map(|ty| Tensor::from_floats(ty.clone(), (0..ty.shape.count()).map(|_| draw()).collect())).collect();
    let outputs = Cpu.compile(proof).unwrap().run(&inputs).unwrap();
    (inputs, outputs)
}

/// Returns the largest relative error of the sums of elements whose indices have the same `key`.
fn error(x: &Tensor, got: &Tensor, key: impl Fn(usize) -> usize) -> f64 {
    let mut exact = vec![0f64; got.ty.shape.count()];
    x.scalars().enumerate().for_each(|(i, x)| exact[key(i)] += x.to_f64());
    got.scalars().zip(&exact).map(|(got, want)| (got.to_f64() - want).abs() / want).fold(0.0, f64::max)
}

/// Largest relative error of sums in blocks of 64 `f32` elements; sequential sums of as many elements have ten times
/// this error.
const MAX_BLOCKED_SUM_ERROR: f64 = 6e-7;

#[test]
fn long_reductions_are_blocked() {
    const ALL: usize = 1 << 20;
    for (rows, columns) in [(1, ALL), (ALL, 1), (1 << 17, 8), (8, 1 << 17), (1 << 10, 1 << 10)] {
        let text = format!(
            "form local
    mesh @m = [x=1]
    input %x : f32[{rows}, {columns}]
      %a = reduce sum [0, 1] %x : f32[]
      %r = reduce sum [1] %x : f32[{rows}]
      %c = reduce sum [0] %x : f32[{columns}]
    output %a \"a\"
    output %r \"r\"
    output %c \"c\""
        );
        let (inputs, outputs) = run(&text);
        let errors = [
            error(&inputs[0], &outputs[0], |_| 0),
            error(&inputs[0], &outputs[1], |i| i / columns),
            error(&inputs[0], &outputs[2], |i| i % columns),
        ];
        assert!(errors.iter().all(|e| *e <= MAX_BLOCKED_SUM_ERROR), "{rows} x {columns}: {errors:?}");
    }
}

#[test]
fn reductions_among_other_ops_are_blocked() {
    // Scaled rows with row sums and column sums in one fused loop.
    let text = "form local
    mesh @m = [x=1]
    input %x : f32[4096, 512]
      %d = mul %x, %x : f32[4096, 512]
      %r = reduce sum [1] %d : f32[4096]
      %b = broadcast [0] %r : f32[4096, 512]
      %q = div %b, %d : f32[4096, 512]
      %c = mul %d, %q : f32[4096, 512]
      %s = reduce sum [0] %c : f32[512]
      %n = convert %d : bf16[4096, 512]
      %m = reduce sum [0] %n : bf16[512]
    output %d \"d\"
    output %r \"r\"
    output %c \"c\"
    output %s \"s\"
    output %n \"n\"
    output %m \"m\"";
    let (_, outputs) = run(text);
    assert!(error(&outputs[0], &outputs[1], |i| i / 512) <= MAX_BLOCKED_SUM_ERROR);
    assert!(error(&outputs[2], &outputs[3], |i| i % 512) <= MAX_BLOCKED_SUM_ERROR);
    // `bf16` has 8 significant bits, to which the sum is rounded once.
    assert!(error(&outputs[4], &outputs[5], |i| i % 512) <= 3.91e-3);
}

#[test]
fn products_of_long_rows_are_blocked() {
    // Few rows with contiguous columns, and a general product.
    for (text, rows) in [("%x, %w", 4), ("%x, %w", 64)] {
        let text = format!(
            "form local
    mesh @m = [x=1]
    input %x : f32[{rows}, 65536]
    input %w : f32[64, 65536]
      %y = dot_general contract [1]x[1] {text} : f32[{rows}, 64]
    output %y \"y\""
        );
        let (inputs, outputs) = run(&text);
        let (x, w) = (&inputs[0], &inputs[1]);
        for row in 0..rows {
            for column in 0..64 {
                let term = |k: usize| x.get(row * 65536 + k).to_f64() * w.get(column * 65536 + k).to_f64();
                let want: f64 = (0..65536).map(term).sum();
                let got = outputs[0].get(row * 64 + column).to_f64();
                assert!((got - want).abs() <= 1e-6 * want, "{rows}: {got} and {want}");
            }
        }
    }
}

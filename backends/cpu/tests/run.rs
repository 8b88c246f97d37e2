//! The CPU backend against the interpreter.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

use partita_cpu::Cpu;
use partita_ir::diag::Source;
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_runtime::backend::Backend;
use partita_runtime::interpreter::run_local;

/// Operands that die, that are inputs, that are shared by devices, and that are carried around a loop.
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

#[test]
fn writing_over_operands_changes_nothing() {
    let program = parse(&Source::new("test.pir", TEXT)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).of().unwrap();
    let tensor = |shape: &[usize], from: f64| {
        let n: usize = shape.iter().product();
        Tensor::from_floats(Type::new(DType::F32, shape), (0..n).map(|i| from + (i as f64).sin()).collect())
    };
    let inputs = [tensor(&[4], 2.5), tensor(&[4, 4], 3.0)];
    let want = run_local(proof, &inputs).unwrap();
    let executable = Cpu.compile(proof).unwrap();
    assert_eq!(executable.device_count(), 4);
    // Twice: running it leaves nothing behind.
    assert_eq!(executable.run(&inputs).unwrap(), want);
    assert_eq!(executable.run(&inputs).unwrap(), want);
}

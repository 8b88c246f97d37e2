//! Updates of a cache do not copy it.

#![allow(clippy::panic, clippy::unwrap_used, unsafe_code, reason = "a test")]

mod counting;

use counting::{Counting, allocated_bytes, peak_of};
use partita_cpu::Cpu;
use partita_ir::diag::Source;
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::{Scalar, Tensor};
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_runtime::backend::Backend;
use partita_runtime::session::Session;
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Decoding step that replaces a row of a cache of 64 MiB and reads another row.
const CACHE: &str = "form local
    mesh @m = [x=1]
    param %cache \"cache\" : f32[262144, 64]
    input %new : f32[1, 64]
    input %at : i64[]
    input %other : i64[]
      %c = constant 0 : i64[]
      %n = dynamic_update_slice %cache, %new, %at, %c : f32[262144, 64]
      %row = dynamic_slice [1, 64] %n, %other, %c : f32[1, 64]
    output %row \"row\"
    output %n \"n\" -> \"cache\"";

#[test]
fn a_cache_is_updated_in_place() {
    let program = parse(&Source::new("test.pir", CACHE)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let executable = Arc::new(Cpu.compile(proof).unwrap());
    let cache = Tensor::zeros(Type::new(DType::F32, [262_144, 64]));
    let mut session = Session::start(executable, &[Some(cache), None, None, None], &[(1, 0)]).unwrap();
    let mut step = |value: f64, at: i64, other: i64| {
        let index = |i| Tensor::from_ints(Type::new(DType::I64, []), vec![i]);
        let row = Tensor::splat(Type::new(DType::F32, [1, 64]), Scalar::Float(value));
        session.run(&[row, index(at), index(other)]).unwrap().remove(0).get(63).to_f64()
    };
    assert_eq!(step(1.0, 5, 5), 1.0);
    let before = allocated_bytes();
    // An index is clamped to the last row.
    let read = [step(2.0, 7, 5), step(3.0, 300_000, 7), step(4.0, 5, 262_143), step(5.0, 0, 5), step(6.0, 1, 2)];
    assert_eq!(read, [1.0, 2.0, 3.0, 4.0, 0.0]);
    let allocated = peak_of(|| _ = step(7.0, 2, 2)) - before;
    assert!(allocated < 1 << 20, "{allocated} bytes were allocated");
}

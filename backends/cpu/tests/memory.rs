//! Allocated memory equals planned memory.

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

/// Training step with one updated weight on two devices.
const STEP: &str = "form local
    mesh @m = [x=2]
    param %w \"w\" : f32[1024, 512] whole
    input %x : f32[256@x, 1024]
      %h = matmul %x, %w : f32[128, 512]
      %r = relu %h : f32[128, 512]
      %t = transpose [1, 0] %x : f32[1024, 128]
      %g = matmul %t, %r : f32[1024, 512]
      %s = all_reduce sum over x %g : f32[1024, 512]
      %n = sub %w, %s : f32[1024, 512] whole
      %q = mul %r, %r : f32[128, 512]
      %l = reduce sum [0, 1] %q : f32[]
      %m = all_reduce sum over x %l : f32[] whole
    output %m \"loss\"
    output %n \"n\"";

#[test]
fn a_run_allocates_what_was_planned() {
    let program = parse(&Source::new("test.pir", STEP)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let tensor = |shape: [usize; 2]| Tensor::splat(Type::new(DType::F32, shape), Scalar::Float(0.01));
    let (w, x) = (tensor([1024, 512]), tensor([256, 1024]));
    let start = || {
        let executable = Arc::new(Cpu.compile(proof).unwrap());
        let planned = executable.footprint();
        (Session::start(executable, &[Some(w.clone()), None], &[(1, 0)]).unwrap(), planned)
    };
    // Threads and their packing buffers persist; several runs make it likely that all threads have allocated them.
    (0..16).for_each(|_| drop(start().0.run(std::slice::from_ref(&x)).unwrap()));
    let (mut session, planned) = start();
    let before = allocated_bytes();
    let allocated = peak_of(|| drop(session.run(std::slice::from_ref(&x)).unwrap())) - before;
    // Frame and batch shard of each device, and one copy of the new weight for both.
    let shards = x.ty.bytes() as usize;
    let wanted = 2 * planned.frame as usize + planned.outputs as usize + shards;
    let off = allocated.abs_diff(wanted) as f64 / wanted as f64;
    assert!(off < 0.01, "{allocated} bytes were allocated, {wanted} were planned: {planned:?}");
}

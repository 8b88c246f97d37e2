//! Every wait of every kernel is needed, and no result depends on the order in which threads go on: leaving one out gives another result, or
//! an error, in some order.

use partita_gpu::emulator::{Emulator, Order};
use partita_gpu::{Executable, Target, trial};
use partita_ir::diag::Source;
use partita_ir::tensor::{Data, Tensor};
use partita_ir::text::parse;
use partita_ir::verify::verify;
use std::sync::Arc;

const ORDERS: [Order; 3] = [Order::Forward, Order::Backward, Order::Rotated];

/// Numbers as bits.
fn bits(outputs: &[Tensor]) -> Vec<Vec<u64>> {
    let of = |tensor: &Tensor| match &tensor.data {
        Data::F64(items) => items.iter().map(|x| x.to_bits()).collect(),
        Data::F32(items) => items.iter().map(|x| x.to_bits().into()).collect(),
        Data::Int(items) => items.iter().map(|x| *x as u64).collect(),
    };
    outputs.iter().map(of).collect()
}

/// Leaves out each wait of the kernels of a program in turn; how many there are.
fn check(what: &str, text: &str) -> usize {
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{what}: {}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{what}: {}", e[0])).of().unwrap();
    let module = Arc::new(partita_cubecl::compile(proof, Target::Cuda { arch: 80 }).unwrap());
    let emulator = Emulator::of(&module).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    let tensor = |(at, &value): (usize, &_)| {
        let (ty, n) = (program.ty(value).clone(), program.ty(value).shape.count());
        match ty.dtype.is_float() {
            true => Tensor::from_floats(ty, (0..n).map(|i| ((i * i + 7 * at) as f64).sin() + 1.5).collect()),
            false => Tensor::from_ints(ty, (0..n as i64).map(|i| (i * i * 7 + i / 5 + at as i64) % 251).collect()),
        }
    };
    let inputs: Vec<Tensor> = program.main().inputs.iter().enumerate().map(tensor).collect();
    let executable = Executable::load(module, emulator.clone()).unwrap();
    let run = |left_out, order| {
        emulator.test_with(left_out, order).unwrap();
        executable.run(&inputs).map(|outputs| bits(&outputs))
    };
    let want = run(None, Order::Forward).unwrap_or_else(|e| panic!("{what}: {e} {:?}", e.notes));
    for order in ORDERS {
        assert_eq!(run(None, order).unwrap(), want, "{what} depends on the order of threads: {order:?}");
    }
    let is_noticed = |number: usize| ORDERS.iter().any(|&order| run(Some(number), order).as_ref().ok() != Some(&want));
    let unnoticed: Vec<usize> = (0..emulator.waits()).filter(|&number| !is_noticed(number)).collect();
    assert_eq!(unnoticed, [0; 0], "{what}: nobody notices when these of {} waits are left out", emulator.waits());
    emulator.waits()
}

#[test]
fn products_need_all_waits() {
    let of = |dtype: &str, k: usize| {
        format!(
            "form local
            input %a : {dtype}[70, {k}]
            input %b : {dtype}[{k}, 90]
              %p = matmul %a, %b : {dtype}[70, 90]
            output %p \"p\""
        )
    };
    assert!(check("a product of f32", &of("f32", 40)) > 0);
    assert!(check("a product of bf16", &of("bf16", 104)) > 0);
    assert!(check("a product of bf16 that is not read in vectors", &of("bf16", 101)) > 0);
}

#[test]
fn reductions_need_all_waits() {
    // Long rows are read several times, short ones once; several of the shortest share a block.
    for [rows, columns] in [[3, 3000], [37, 300], [37, 31]] {
        let text = format!(
            "form local
            input %x : f32[{rows}, {columns}]
            input %g : f32[{columns}]
            input %b : f32[{columns}]
              %y = layer_norm eps 1e-5 %x, %g, %b : f32[{rows}, {columns}]
            output %y \"y\""
        );
        assert!(check(&format!("a norm of rows of {columns}"), &text) > 0);
    }
    let text = "form local
        input %x : i32[3, 5000]
          %y = reduce sum [1] %x : i32[3]
        output %y \"y\"";
    assert!(check("a fold", text) > 0);
    let text = "form local
        input %x : f32[2, 700]
          %y = reduce_window sum [(1), (700 pad 699 0)] %x : f32[2, 700]
        output %y \"y\"";
    assert!(check("a scan", text) > 0);
}

#[test]
fn attention_needs_all_waits() {
    for dtype in ["f32", "bf16"] {
        let text = format!(
            "form local
            input %q : {dtype}[70, 40]
            input %k : {dtype}[70, 40]
            input %v : {dtype}[70, 40]
              %y = attention scale 0.3 %q, %k, %v : {dtype}[70, 40]
            output %y \"y\""
        );
        assert!(check(&format!("attention of {dtype}"), &text) > 0);
        let text = format!(
            "form local
            input %q : {dtype}[70, 40]
            input %k : {dtype}[70, 40]
            input %v : {dtype}[70, 40]
            input %y : {dtype}[70, 40]
            input %g : {dtype}[70, 40]
              %a, %b, %c = attention_grad scale 0.3 %q, %k, %v, %y, %g : {dtype}[70, 40], {dtype}[70, 40], {dtype}[70, 40]
            output %a \"a\"
            output %b \"b\"
            output %c \"c\""
        );
        assert!(check(&format!("gradients of attention of {dtype}"), &text) > 0);
    }
}

#[test]
fn updates_and_convolutions_need_all_waits() {
    let text = "form local
        input %t : f32[251, 20]
        input %i : i32[600, 1]
        input %u : f32[600, 20]
          %y = scatter sum window [1] inserted [0] map [0] vector 1 %t, %i, %u : f32[251, 20]
        output %y \"y\"";
    assert!(check("a scatter", text) > 0);
    let text = "form local
        input %x : f32[1, 6, 6, 5]
        input %w : f32[3, 3, 5, 40]
          %y = convolution [0, 3, 1, 2]x[2, 3, 0, 1]->[0, 3, 1, 2] window [(3), (3)] %x, %w : f32[1, 4, 4, 40]
        output %y \"y\"";
    assert!(check("a convolution", text) > 0);
}

/// Sixteen times each number, by way of shared memory to which it is copied asynchronously.
const ASYNCHRONOUS: &str = "struct Info { unsigned words[2]; };
extern \"C\" __global__ void __launch_bounds__(32) partita_trial(float const* const in, float* const out, const __grid_constant__ Info) {
    extern __shared__ char dynamic[];
    float* held = reinterpret_cast<float*>(dynamic);
    BEGIN
    WAIT
    __syncthreads();
    out[31 - threadIdx.x] = 16 * held[31 - threadIdx.x];
}";

/// What was not waited for is not there, and nobody may end before it is.
#[test]
fn asynchronous_copies_are_waited_for() {
    let header = (
        "__pipeline_memcpy_async(held + threadIdx.x, in + threadIdx.x, 4); __pipeline_commit();",
        "__pipeline_wait_prior(0);",
    );
    let assembly = (
        "unsigned to = __cvta_generic_to_shared(held + threadIdx.x);
        asm volatile(\"cp.async.ca.shared.global [%0], [%1], 4;\" :: \"r\"(to), \"l\"(in + threadIdx.x));
        asm volatile(\"cp.async.commit_group;\");",
        "asm volatile(\"cp.async.wait_group 0;\");",
    );
    for (begin, wait) in [header, assembly] {
        let kernel = trial::kernel(&ASYNCHRONOUS.replace("BEGIN", begin).replace("WAIT", wait));
        let emulator =
            Emulator::with_kernels(std::slice::from_ref(&kernel)).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
        assert_eq!(emulator.waits(), 2);
        let run = |left_out, order| {
            emulator.test_with(left_out, order).unwrap();
            trial::run(&emulator, &kernel)
        };
        for order in ORDERS {
            run(None, order).unwrap();
        }
        let error = run(Some(0), Order::Forward).unwrap_err();
        assert_eq!(error.notes, ["a thread ends without waiting for its asynchronous copies"]);
        assert!(ORDERS.iter().any(|&order| run(Some(1), order).is_err()));
        // Too late is not there either: what is read before is NaN.
        let late =
            ASYNCHRONOUS.replace("BEGIN", begin).replace("WAIT", "").replace("];\n}", &format!("];\n{wait}\n}}"));
        let kernel = trial::kernel(&late);
        let emulator = Emulator::with_kernels(std::slice::from_ref(&kernel)).unwrap();
        let error = trial::run(&emulator, &kernel).unwrap_err();
        assert!(error.title.starts_with("the trial kernel gives NaN"), "{}", error.title);
    }
}

//! Every barrier, fence and wait of every kernel is necessary, and no result depends on the order of threads: without
//! one of them, the emulator reports a race or the result changes. The kernels cover all combinations of sizes, layouts
//! and types on which their waits depend.

use crate::wait_removal::{ORDERS, RemovalResults, WaitRemover};
use partita_cubecl::MatmulStrategy;
use partita_gpu::device::Device;
use partita_gpu::emulator::{Emulator, ThreadOrder};
use partita_gpu::{Executable, Target, trial};
use partita_ir::diag::Source;
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use std::sync::Arc;

/// Checks that all waits of a program's kernels are necessary, and that `kernels` kernels have waits. Returns the
/// number of waits of each kernel.
fn check(text: &str, kernels: usize) -> Vec<usize> {
    let results = removal_results(text, MatmulStrategy::BuiltIn);
    assert_eq!(results.len(), kernels, "{text}");
    let waits = |(name, (waits, unneeded)): (&String, &(usize, Vec<usize>))| {
        assert_eq!(unneeded, &[0; 0], "unnecessary waits of the {waits} waits of {name}\n{text}");
        *waits
    };
    results.iter().map(waits).collect()
}

/// Runs a program without each wait of each of its kernels in turn. `strategy` selects the kernels of products of
/// 16-bit floats.
fn removal_results(text: &str, strategy: MatmulStrategy) -> RemovalResults {
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}\n{text}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}\n{text}", e[0])).into_form().unwrap();
    let module = Arc::new(partita_cubecl::compile_with(proof, Target::Cuda { arch: 80 }, strategy).unwrap());
    let device =
        WaitRemover::new(Emulator::from_module(&module).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.notes)));
    let tensor = |(at, &value): (usize, &_)| {
        let (ty, n) = (program.ty(value).clone(), program.ty(value).shape.count());
        match ty.dtype.is_float() {
            true => Tensor::from_floats(ty, (0..n).map(|i| ((i * i + 7 * at) as f64).sin() + 1.5).collect()),
            false => Tensor::from_ints(ty, (0..n as i64).map(|i| (i * i * 7 + i / 5 + at as i64) % 251).collect()),
        }
    };
    let inputs: Vec<Tensor> = program.inputs().iter().enumerate().map(tensor).collect();
    let results = device.results();
    Executable::load(module, device).unwrap().run(&inputs).unwrap_or_else(|e| panic!("{e} {:?}\n{text}", e.notes));
    results.take()
}

/// Returns a batched product of matrices, some of which are transposed. Large batches use large tiles.
fn product(dtype: &str, [m, n, k]: [usize; 3], transposed: [bool; 2], batch: usize) -> String {
    let shape = |[rows, columns]: [usize; 2], transposed: bool| {
        if transposed { format!("{columns}, {rows}") } else { format!("{rows}, {columns}") }
    };
    let contracted = [if transposed[0] { 1 } else { 2 }, if transposed[1] { 2 } else { 1 }];
    format!(
        "form local
        input %a : {dtype}[{batch}, {}]
        input %b : {dtype}[{batch}, {}]
          %p = dot_general contract [{}]x[{}] batch [0]x[0] %a, %b : {dtype}[{batch}, {m}, {n}]
        output %p \"p\"",
        shape([m, k], transposed[0]),
        shape([k, n], transposed[1]),
        contracted[0],
        contracted[1],
    )
}

/// Combinations of transposed operands.
const TRANSPOSED: [[bool; 2]; 4] = [[false, false], [false, true], [true, false], [true, true]];

#[test]
fn products_of_words_need_all_waits() {
    for transposed in TRANSPOSED {
        assert_eq!(check(&product("f32", [70, 90, 40], transposed, 2), 1), [2]);
    }
}

/// Checks products on tensor cores with small or large tiles, operands contiguous along either dimension, and vector or
/// scalar loads.
fn check_products(dtype: &str, is_large: bool) {
    let (side, batch, waits) = if is_large { (128, 128, 17) } else { (64, 1, 9) };
    for transposed in TRANSPOSED {
        // Vector loads require even sides: of both operands, of one, and of neither.
        for [m, n, k] in [[side, side, 72], [side, side - 1, 72], [side - 1, side, 72], [side - 1, side - 1, 71]] {
            let text = product(dtype, [m, n, k], transposed, batch);
            assert_eq!(check(&text, 1), [waits], "{text}");
        }
    }
}

#[test]
fn products_in_small_tiles_need_all_waits() {
    check_products("bf16", false);
    check_products("f16", false);
}

#[test]
fn products_in_large_tiles_need_all_waits() {
    check_products("bf16", true);
    check_products("f16", true);
}

#[test]
fn products_of_cubek_need_all_waits() {
    for (transposed, dtype) in TRANSPOSED.into_iter().zip(["bf16", "f16"].into_iter().cycle()) {
        for sizes in [[200, 136, 72], [64, 64, 72], [16, 512, 72]] {
            let text = product(dtype, sizes, transposed, 1);
            let results = removal_results(&text, MatmulStrategy::Cubek);
            for (name, (waits, unneeded)) in &results {
                // CubeK's kernels have two unnecessary waits: between the use of separate memory for tiles and results,
                // and at the end.
                assert_eq!(unneeded, &[2, waits - 1], "{name}\n{text}");
            }
            assert!(results.keys().all(|name| name.starts_with("cubek")) && results.len() == 1, "{results:?}");
        }
    }
}

#[test]
fn reductions_need_all_waits() {
    // The number of columns determines the units per row. Long rows are not retained in registers.
    for columns in [2, 3, 8, 10, 31, 64, 100, 300, 3000] {
        let text = format!(
            "form local
            input %x : f32[37, {columns}]
            input %g : f32[{columns}]
            input %b : f32[{columns}]
              %y = layer_norm eps 1e-5 %x, %g, %b : f32[37, {columns}]
            output %y \"y\""
        );
        check(&text, 1);
    }
}

#[test]
fn folds_and_scans_need_all_waits() {
    for items in [8, 16, 40, 100, 128, 300, 600, 5000] {
        let text = format!(
            "form local
            input %x : i32[3, {items}]
              %y = reduce sum [1] %x : i32[3]
            output %y \"y\""
        );
        check(&text, 1);
    }
    let text = "form local
        input %x : f32[2, 700]
          %y = reduce_window sum [(1), (700 pad 699 0)] %x : f32[2, 700]
        output %y \"y\"";
    check(text, 1);
}

fn attention(dtype: &str, key: usize, value: usize) -> String {
    format!(
        "form local
        input %q : {dtype}[70, {key}]
        input %k : {dtype}[70, {key}]
        input %v : {dtype}[70, {value}]
          %y = attention scale 0.3 %q, %k, %v : {dtype}[70, {value}]
        output %y \"y\""
    )
}

fn gradients(dtype: &str, key: usize, value: usize) -> String {
    format!(
        "form local
        input %q : {dtype}[70, {key}]
        input %k : {dtype}[70, {key}]
        input %v : {dtype}[70, {value}]
        input %y : {dtype}[70, {value}]
        input %g : {dtype}[70, {value}]
          %a, %b, %c = attention_grad scale 0.3 %q, %k, %v, %y, %g : {dtype}[70, {key}], {dtype}[70, {key}], {dtype}[70, {value}]
        output %a \"a\"
        output %b \"b\"
        output %c \"c\""
    )
}

#[test]
fn attention_of_words_needs_all_waits() {
    check(&attention("f32", 40, 40), 1);
    check(&gradients("f32", 40, 40), 2);
    // Keys or values are too long for tensor cores.
    for dtype in ["bf16", "f16"] {
        check(&attention(dtype, 136, 40), 1);
        check(&gradients(dtype, 72, 40), 2);
    }
}

#[test]
fn attention_on_tensor_cores_needs_all_waits() {
    // Values of every number of fragments, in tiles of 64 and of 32 columns, with vector and scalar loads.
    for value in (16..=128).step_by(16) {
        check(&attention("bf16", 40, value), 1);
        check(&attention("f16", 40, value - 1), 1);
    }
}

#[test]
fn gradients_on_tensor_cores_need_all_waits() {
    for [key, value] in [[16, 16], [16, 32], [32, 48], [48, 64], [64, 16]] {
        check(&gradients("bf16", key, value), 2);
        check(&gradients("f16", key - 1, value - 1), 2);
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
    check(text, 1);
    let text = "form local
        input %x : f32[1, 6, 6, 5]
        input %w : f32[3, 3, 5, 40]
          %y = convolution [0, 3, 1, 2]x[2, 3, 0, 1]->[0, 3, 1, 2] window [(3), (3)] %x, %w : f32[1, 4, 4, 40]
        output %y \"y\"";
    check(text, 1);
}

/// Kernel that multiplies numbers by sixteen and copies them to shared memory asynchronously.
const ASYNCHRONOUS: &str = "struct Info { unsigned words[2]; };
extern \"C\" __global__ void __launch_bounds__(32) partita_trial(float const* const in, float* const out, const __grid_constant__ Info) {
    extern __shared__ char dynamic[];
    float* held = reinterpret_cast<float*>(dynamic);
    BEGIN
    WAIT
    __syncthreads();
    out[31 - threadIdx.x] = 16 * held[31 - threadIdx.x];
}";

/// Asynchronous copies must be awaited before their results are read, and before the thread exits.
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
        assert_eq!(emulator.load(&kernel).unwrap().sync_points(), 0..2);
        let run = |left_out, order| {
            emulator.test_with(left_out, order).unwrap();
            trial::run(&emulator, &kernel)
        };
        for order in ORDERS {
            run(None, order).unwrap();
        }
        let error = run(Some(0), ThreadOrder::Forward).unwrap_err();
        let pending = "thread 0 of block 0 reads shared memory that an asynchronous copy of block 0 writes, and nothing orders them";
        assert_eq!(error.notes, [pending]);
        assert!(ORDERS.iter().any(|&order| run(Some(1), order).is_err()));
        // A wait after the read is too late.
        let late =
            ASYNCHRONOUS.replace("BEGIN", begin).replace("WAIT", "").replace("];\n}", &format!("];\n{wait}\n}}"));
        let kernel = trial::kernel(&late);
        let emulator = Emulator::with_kernels(std::slice::from_ref(&kernel)).unwrap();
        let error = trial::run(&emulator, &kernel).unwrap_err();
        assert_eq!(error.notes, [pending]);
    }
}

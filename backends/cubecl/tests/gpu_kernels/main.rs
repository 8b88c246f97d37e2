//! Kernels compared with the interpreter. Their CUDA C++ runs on the emulator; with `PARTITA_GPU` set, their WGSL runs
//! on a GPU, which may be a software implementation that `cargo xtask gpu-check` installs.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

mod collectives;
mod device_coordinates;
mod faults;
mod half_floats;
mod indices;
mod large;
mod memory;
mod numbers;
mod random;
mod repeated_steps;
mod sort;
mod special;
mod stages;
mod vertical_fusion;
mod wait_removal;
mod waits;
mod windows;

use partita_cubecl::MatmulStrategy;
use partita_gpu::artefact::verify as verify_module;
use partita_gpu::device::Device;
use partita_gpu::emulator::Emulator;
use partita_gpu::emulator::network::EmulatedNetwork;
use partita_gpu::nvrtc::Nvrtc;
use partita_gpu::webgpu::WebGpu;
use partita_gpu::{Executable, Module, Target};
use partita_ir::diag::Source;
use partita_ir::dtype::Type;
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_runtime::check::compare;
use partita_runtime::interpreter::run_local;
use std::sync::{Arc, LazyLock};

/// Compares kernels with the interpreter. Returns the number of kernel launches.
pub(crate) fn check(text: &str, most: f64) -> usize {
    let module = check_by(text, most, MatmulStrategy::Auto);
    module.launch_counts().iter().sum::<u64>() as usize
}

/// Compares kernels with the interpreter, for a strategy for products of 16-bit floats. Returns the CUDA module.
pub(crate) fn check_by(text: &str, most: f64, strategy: MatmulStrategy) -> Arc<Module> {
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let tensor = |(at, ty): (usize, &Type)| {
        let n = ty.shape.count();
        match ty.dtype.is_float() {
            true => Tensor::from_floats(ty.clone(), (0..n).map(|i| ((i + 7 * at) as f64).sin()).collect()),
            false => Tensor::from_ints(ty.clone(), (0..n as i64).map(|i| (i * 5 + at as i64) % 7 - 2).collect()),
        }
    };
    let inputs: Vec<Tensor> = program.inputs().iter().map(|&v| program.ty(v)).enumerate().map(tensor).collect();
    let want = run_local(proof, &inputs).unwrap_or_else(|e| panic!("{e}"));
    let compile = |target| {
        let module = partita_cubecl::compile_with(proof, target, strategy);
        Arc::new(module.unwrap_or_else(|e| panic!("{e} {:?}", e.notes)))
    };
    let module = compile(Target::Cuda { arch: 80 });
    compile_all(&module);
    if on_gpu() {
        check_on(WebGpu::open().unwrap(), compile(Target::Wgsl), &inputs, &want, most);
        return module;
    }
    let device = Emulator::from_module(&module).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    let ranks = program.mesh().map_or(1, |(_, mesh)| mesh.device_count());
    if ranks > 1 {
        let devices = vec![device.clone(); ranks];
        let apart = Executable::load_distributed(module.clone(), devices, Box::new(EmulatedNetwork));
        compare_with(apart.unwrap_or_else(|e| panic!("{e}")), &inputs, &want, most);
    }
    check_on(device, module.clone(), &inputs, &want, most);
    module
}

/// Returns true if kernels run on a GPU, and false if they run on the emulator.
pub(crate) fn on_gpu() -> bool {
    std::env::var_os("PARTITA_GPU").is_some()
}

/// Returns the outputs of the interpreter, and those of the kernels on the emulator or the GPU.
pub(crate) fn outputs(text: &str, inputs: &[Tensor]) -> (Vec<Tensor>, Vec<Tensor>) {
    let program = parse(&Source::new("test.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let proof = verify(&program).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
    let compile = |target| {
        let module = partita_cubecl::compile(proof, target);
        Arc::new(module.unwrap_or_else(|e| panic!("{e} {:?}", e.notes)))
    };
    let module = compile(Target::Cuda { arch: 80 });
    compile_all(&module);
    let got = if on_gpu() {
        Executable::load(compile(Target::Wgsl), WebGpu::open().unwrap()).unwrap().run(inputs)
    } else {
        let emulator = Emulator::from_module(&module).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
        Executable::load(module, emulator).unwrap().run(inputs)
    };
    (run_local(proof, inputs).unwrap_or_else(|e| panic!("{e}")), got.unwrap())
}

/// Compiles all kernels with NVRTC if `PARTITA_GPU` is set. Warnings are errors.
pub(crate) fn compile_all(module: &Module) {
    static NVRTC: LazyLock<Nvrtc> = LazyLock::new(|| Nvrtc::open().unwrap_or_else(|e| panic!("{e} {:?}", e.notes)));
    let Target::Cuda { arch } = module.target else { return };
    for kernel in module.kernels.iter().filter(|_| on_gpu()) {
        let compiled = NVRTC.compile(&kernel.name, &kernel.source, arch);
        compiled.unwrap_or_else(|e| panic!("{e} {:?}\n{}", e.notes, kernel.source));
    }
}

fn check_on<D: Device>(device: D, module: Arc<Module>, inputs: &[Tensor], want: &[Tensor], most: f64) {
    verify_module(&module).unwrap_or_else(|e| panic!("{e}"));
    let executable = Executable::load(module, device).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
    compare_with(executable, inputs, want, most);
}

fn compare_with<D: Device>(executable: Executable<D>, inputs: &[Tensor], want: &[Tensor], most: f64) {
    let program = &executable.module().program.stages[0].programs[0];
    // The second run detects state that the first one leaves behind.
    for _ in 0..2 {
        let got = executable.run(inputs).unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
        let names = program.outputs().iter().map(|o| o.name.as_str());
        let off = compare(names, &got, want, most);
        assert!(off.iter().all(|output| output.ok), "{}: {off:?}", executable.device().name());
    }
}

#[test]
fn elements_are_computed_in_one_kernel() {
    let kernels = check(
        "form local
        input %x : f32[6, 50]
        input %w : f32[50]
        input %i : i32[6, 50]
          %b = broadcast [1] %w : f32[6, 50]
          %m = mul %x, %b : f32[6, 50]
          %e = exp %m : f32[6, 50]
          %t = tanh %e : f32[6, 50]
          %c = convert %i : f32[6, 50]
          %p = compare gt %t, %c : bool[6, 50]
          %s = select %p, %t, %c : f32[6, 50]
          %g = transpose [1, 0] %s : f32[50, 6]
        output %s \"s\"
        output %g \"g\"
        output %p \"p\"",
        1e-5,
    );
    assert_eq!(kernels, 2);
}

#[test]
fn a_softmax_is_one_kernel() {
    let kernels = check(
        "form local
        input %x : f32[37, 300]
          %s = softmax dim 1 %x : f32[37, 300]
        output %s \"s\"",
        1e-5,
    );
    assert_eq!(kernels, 1);
}

#[test]
fn sums_over_rows_columns_and_all_elements() {
    check(
        "form local
        input %x : f32[70, 33]
        input %y : f32[4, 5, 6]
          %r = reduce sum [1] %x : f32[70]
          %c = reduce sum [0] %x : f32[33]
          %a = reduce max [0, 1] %x : f32[]
          %m = reduce sum [1] %y : f32[4, 6]
          %rb = broadcast [0] %r : f32[70, 33]
          %d = sub %x, %rb : f32[70, 33]
          %q = mul %d, %d : f32[70, 33]
          %v = reduce sum [0] %q : f32[33]
        output %r \"r\"
        output %c \"c\"
        output %a \"a\"
        output %m \"m\"
        output %v \"v\"",
        1e-5,
    );
}

#[test]
fn matrices_are_multiplied_without_copies() {
    check(
        "form local
        input %a : f32[70, 33]
        input %b : f32[33, 90]
        input %c : f32[3, 2, 20, 10]
        input %d : f32[3, 2, 10, 17]
          %p = matmul %a, %b : f32[70, 90]
          %q = dot_general contract [0]x[0] %p, %a : f32[90, 33]
          %t = transpose [1, 0] %q : f32[33, 90]
          %u = matmul %c, %d : f32[3, 2, 20, 17]
          %z = relu %t : f32[33, 90]
        output %p \"p\"
        output %z \"z\"
        output %u \"u\"",
        1e-5,
    );
}

#[test]
fn collectives_and_loops_match_the_interpreter() {
    check(
        "form local
        mesh @m = [x=2, y=2]
        func @step(%s: f32[2, 4], %w: f32[4]) {
          %b = broadcast [1] %w : f32[2, 4]
          %t = mul %s, %b : f32[2, 4]
          %u = sub %b, %t : f32[2, 4]
          %v = mul %u, %s : f32[2, 4]
          return %v, %w
        }
        param %w \"w\" : f32[4]
        input %s : f32[4@x, 4]
        input %i : i64[4@x, 4]
          %a = add %s, %s : f32[2, 4]
          %b = add %a, %s : f32[2, 4]
          %c, %w2 = loop 3 of @step %b, %w : f32[2, 4], f32[4]
          %d = all_reduce sum over y %c : f32[4@x, 4]
          %e = sub %d, %b : f32[2, 4]
          %f = mul %e, %e : f32[4@x, 4]
          %g = all_gather dim 0 over x %i : i64[4, 4]
        output %d \"d\"
        output %f \"f\"
        output %g \"g\"",
        1e-5,
    );
}

#[test]
fn a_linear_layer_is_one_kernel() {
    let kernels = check(
        "form local
        input %x : f32[3, 20, 33]
        input %w : f32[33, 45]
        input %b : f32[45]
        input %r : f32[3, 20, 45]
          %f = reshape %x : f32[60, 33]
          %p = matmul %f, %w : f32[60, 45]
          %u = reshape %p : f32[3, 20, 45]
          %c = broadcast [2] %b : f32[3, 20, 45]
          %a = add %u, %c : f32[3, 20, 45]
          %g = gelu %a : f32[3, 20, 45]
          %s = add %g, %r : f32[3, 20, 45]
        output %s \"s\"
        output %p \"p\"",
        1e-5,
    );
    assert_eq!(kernels, 1);
}

/// A fused epilogue must not delay a product beyond a kernel that reads its result.
#[test]
fn products_precede_their_readers() {
    check(
        "form local
        input %x : f32[20, 33]
        input %w : f32[33, 45]
        input %v : f32[45, 17]
          %h = matmul %x, %w : f32[20, 45]
          %y = matmul %h, %v : f32[20, 17]
          %r = relu %y : f32[20, 17]
          %t = tanh %h : f32[20, 45]
        output %r \"r\"
        output %t \"t\"",
        1e-5,
    );
}

#[test]
fn attention_is_one_kernel() {
    let kernels = check(
        "form local
        input %q : f32[2, 37, 3, 40]
        input %k : f32[2, 3, 70, 40]
        input %v : f32[2, 70, 3, 9]
          %qt = transpose [0, 2, 1, 3] %q : f32[2, 3, 37, 40]
          %vt = transpose [0, 2, 1, 3] %v : f32[2, 3, 70, 9]
          %a = attention causal scale 0.3 %qt, %k, %vt : f32[2, 3, 37, 9]
          %t = transpose [0, 2, 1, 3] %a : f32[2, 37, 3, 9]
          %o = reshape %t : f32[2, 37, 27]
        output %o \"o\"",
        1e-5,
    );
    assert_eq!(kernels, 1);
}

#[test]
fn attention_respects_masks() {
    check(
        "form local
        input %q : f32[40, 5]
        input %k : f32[33, 5]
        input %v : f32[33, 300]
        input %m : bool[40, 1]
        input %n : bool[33]
          %a = attention scale 1 %q, %k, %v : f32[40, 300]
          %c = attention causal scale 1 %q, %k, %v : f32[40, 300]
          %m1 = attention scale 0.5 %q, %k, %v, %m : f32[40, 300]
          %m2 = attention causal scale 0.5 %q, %k, %v, %n : f32[40, 300]
        output %a \"a\"
        output %c \"c\"
        output %m1 \"m1\"
        output %m2 \"m2\"",
        1e-5,
    );
}

#[test]
fn a_layer_of_a_transformer_is_nine_kernels() {
    assert_eq!(check(include_str!("layer.pir"), 1e-4), 9);
}

#[test]
fn gradients_of_attention_are_two_kernels() {
    let kernels = check(
        "form local
        input %q : f32[2, 37, 3, 40]
        input %k : f32[2, 3, 70, 40]
        input %v : f32[2, 70, 3, 9]
        input %g : f32[2, 37, 3, 9]
          %qt = transpose [0, 2, 1, 3] %q : f32[2, 3, 37, 40]
          %vt = transpose [0, 2, 1, 3] %v : f32[2, 3, 70, 9]
          %gt = transpose [0, 2, 1, 3] %g : f32[2, 3, 37, 9]
          %y = attention causal scale 0.3 %qt, %k, %vt : f32[2, 3, 37, 9]
          %a, %b, %c = attention_grad causal scale 0.3 %qt, %k, %vt, %y, %gt : f32[2, 3, 37, 40], f32[2, 3, 70, 40], f32[2, 3, 70, 9]
          %at = transpose [0, 2, 1, 3] %a : f32[2, 37, 3, 40]
        output %at \"a\"
        output %b \"b\"
        output %c \"c\"",
        1e-5,
    );
    assert_eq!(kernels, 3);
}

/// Attention stores its result in the layout of its consumer, and its gradients read that layout.
#[test]
fn attention_and_its_gradients_need_no_copies() {
    for dtype in ["f32", "bf16"] {
        let kernels = check(
            &format!(
                "form local
                input %q : {dtype}[2, 37, 3, 16]
                input %k : {dtype}[2, 37, 3, 16]
                input %v : {dtype}[2, 37, 3, 16]
                input %w : {dtype}[48, 48]
                  %qt = transpose [0, 2, 1, 3] %q : {dtype}[2, 3, 37, 16]
                  %kt = transpose [0, 2, 1, 3] %k : {dtype}[2, 3, 37, 16]
                  %vt = transpose [0, 2, 1, 3] %v : {dtype}[2, 3, 37, 16]
                  %y = attention causal scale 0.3 %qt, %kt, %vt : {dtype}[2, 3, 37, 16]
                  %t = transpose [0, 2, 1, 3] %y : {dtype}[2, 37, 3, 16]
                  %r = reshape %t : {dtype}[2, 37, 48]
                  %p = matmul %r, %w : {dtype}[2, 37, 48]
                  %s = reshape %p : {dtype}[2, 37, 3, 16]
                  %g = transpose [0, 2, 1, 3] %s : {dtype}[2, 3, 37, 16]
                  %a, %b, %c = attention_grad causal scale 0.3 %qt, %kt, %vt, %y, %g : {dtype}[2, 3, 37, 16], {dtype}[2, 3, 37, 16], {dtype}[2, 3, 37, 16]
                output %a \"a\"
                output %b \"b\"
                output %c \"c\""
            ),
            if dtype == "f32" { 1e-5 } else { 5e-2 },
        );
        assert_eq!(kernels, 4, "{dtype}");
    }
}

#[test]
fn gradients_of_attention_respect_masks() {
    check(
        "form local
        input %q : f32[70, 5]
        input %k : f32[33, 5]
        input %v : f32[33, 300]
        input %y : f32[70, 300]
        input %g : f32[70, 300]
        input %m : bool[70, 1]
          %a, %b, %c = attention_grad causal scale 0.5 %q, %k, %v, %y, %g : f32[70, 5], f32[33, 5], f32[33, 300]
          %d, %e, %f = attention_grad scale 0.5 %q, %k, %v, %y, %g, %m : f32[70, 5], f32[33, 5], f32[33, 300]
        output %a \"a\"
        output %b \"b\"
        output %c \"c\"
        output %d \"d\"
        output %e \"e\"
        output %f \"f\"",
        1e-5,
    );
}

#[test]
fn small_programs_are_fused_horizontally() {
    let kernels = check(
        "form local
        input %x : f32[300]
        input %y : f32[7, 5]
        input %z : i32[9]
          %a = exp %x : f32[300]
          %b = neg %y : f32[7, 5]
          %c = add %z, %z : i32[9]
          %d = mul %a, %x : f32[300]
        output %a \"a\"
        output %b \"b\"
        output %c \"c\"
        output %d \"d\"",
        1e-5,
    );
    assert_eq!(kernels, 1);
}

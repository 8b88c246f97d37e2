//! Kernel times measured by device events, next to NVIDIA's libraries and PyTorch.

use crate::cases::{ATTENTION_SIZES, CaseRecord, ELEMENTWISE_SIZES, GPT2_TOKENS, MATRIX_SIZES, inputs};
use crate::file;
use partita_gpu::cublaslt::{CublasLt, WORKSPACE_BYTES};
use partita_gpu::cuda::Cuda;
use partita_gpu::device::{Device, DevicePtr};
use partita_gpu::{Artefact, Executable};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;
use serde_json::{Value, json};
use std::path::Path;

/// Approximate duration of one measurement in seconds.
const TARGET_SECONDS: f64 = 0.5;

/// Bytes of the device-to-device copy.
const COPY_BYTES: usize = 1 << 30;

/// Returns the mean seconds of repeated work on a device.
fn seconds(device: &Cuda, mut work: impl FnMut() -> Result<(), Diagnostic>) -> Result<f64, Diagnostic> {
    for _ in 0..3 {
        work()?;
    }
    let ((), once) = device.time(&mut work)?;
    let times = (TARGET_SECONDS / once.as_secs_f64().max(1e-6)).clamp(5.0, 1000.0) as u32;
    let ((), all) = device.time(|| (0..times).try_for_each(|_| work()))?;
    Ok(all.as_secs_f64() / f64::from(times))
}

/// Returns random values of magnitude 0.5 to 1; a GPU is faster on zeros.
fn random_values(ty: &Type, seed: u32) -> Tensor {
    let mut state = seed.wrapping_mul(0x9E37_79B9) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    let count = ty.shape.count();
    let bytes: Vec<u8> = match ty.dtype {
        DType::BF16 => (0..count).flat_map(|_| ((next() >> 16) as u16 & 0x807f | 0x3f00).to_le_bytes()).collect(),
        _ => (0..count).flat_map(|_| (next() & 0x807f_ffff | 0x3f00_0000).to_le_bytes()).collect(),
    };
    Tensor::from_bytes(ty.clone(), &bytes)
}

/// Result of a timed case.
struct TimedRun {
    /// Seconds of a run whose inputs and outputs stay in device memory.
    seconds: f64,
    /// Seconds of all launches of each kernel in a run.
    kernels: Vec<f64>,
    artefact: Artefact,
    given: Vec<Tensor>,
    outputs: Vec<Tensor>,
}

/// Times the runs of a case on the first GPU.
fn run(folder: &Path, record: &CaseRecord, is_drawn: bool) -> partita::Result<TimedRun> {
    let artefact = Artefact::load(&file(folder, record, "partita"))?;
    let program = artefact.interface_program();
    let types = program.inputs().iter().map(|&input| program.ty(input));
    let given = match is_drawn {
        true => inputs(&artefact)?,
        false => (1..).zip(types).map(|(seed, ty)| random_values(ty, seed)).collect(),
    };
    let executable = Executable::load(artefact.modules[0].clone(), Cuda::open(0)?)?;
    let mut run = executable.begin(&given)?;
    let seconds = seconds(executable.device(), || run.step())?;
    let mut kernels = vec![0.0; executable.module().kernels.len()];
    run.step_with(&mut |number, device: &Cuda, kernel, places| {
        let ((), taken) = device.time(|| device.launch(kernel, places))?;
        kernels[number] += taken.as_secs_f64();
        Ok(())
    })?;
    let outputs = run.outputs()?;
    Ok(TimedRun { seconds, kernels, artefact, given, outputs })
}

/// Returns the timing of a case as JSON.
pub fn case(folder: &Path, record: &CaseRecord) -> partita::Result<Value> {
    match record.name.as_str() {
        "matmul_large" => matmul(folder, record),
        "elementwise_large" => elementwise(folder, record),
        "gpt2_step" => step(folder, record),
        name if name.starts_with("product_") => product(folder, record),
        _ => attention(folder, record),
    }
}

/// Runs a case once, for an external profiler.
pub fn once(folder: &Path, record: &CaseRecord) -> partita::Result<Value> {
    let artefact = Artefact::load(&file(folder, record, "partita"))?;
    let given = inputs(&artefact)?;
    let executable = Executable::load(artefact.modules[0].clone(), Cuda::open(0)?)?;
    executable.begin(&given)?.step()?;
    Ok(json!({ "ok": true }))
}

/// Times a matrix product next to cuBLASLt on the same operands.
fn matmul(folder: &Path, record: &CaseRecord) -> partita::Result<Value> {
    let n = MATRIX_SIZES[0];
    let TimedRun { seconds: ours, given, outputs, .. } = run(folder, record, false)?;
    let [a, b] = &given[..] else { return Err(operand_error().into()) };
    let flops = 2.0 * (n as f64).powi(3);
    let off = sampled_difference(a, b, &outputs[0], n);
    let mut value = json!({ "seconds": ours, "tflops": flops / ours / 1e12, "off": off });
    let theirs = || -> Result<(f64, String, f64), Diagnostic> {
        let (device, library) = (Cuda::open(0)?, CublasLt::open()?);
        let square = library.square(n)?;
        let memory = |bytes| device.allocate(bytes).map(DevicePtr::new);
        let [a_there, b_there, c_there] = [memory(n * n * 2)?, memory(n * n * 2)?, memory(n * n * 2)?];
        let workspace = memory(WORKSPACE_BYTES)?;
        for (tensor, place) in [(a, &a_there), (b, &b_there)] {
            device.upload(place, &bytemuck::pod_collect_to_vec(&tensor.to_bytes()))?;
        }
        let seconds = seconds(&device, || device.multiply(&square, [&a_there, &b_there, &c_there, &workspace], n))?;
        let words = device.download(&[(c_there, n * n / 2)])?.swap_remove(0);
        let product = Tensor::from_bytes(a.ty.clone(), bytemuck::cast_slice(&words));
        Ok((seconds, library.version(), sampled_difference(a, b, &product, n)))
    };
    value["cublaslt"] = match theirs() {
        Ok((seconds, version, off)) => json!({
            "version": version, "seconds": seconds, "tflops": flops / seconds / 1e12,
            "ratio": seconds / ours, "off": off,
        }),
        Err(e) => json!({ "error": e.title }),
    };
    Ok(value)
}

/// Times a matrix product with one strategy, and returns its row of the strategy selection table.
fn product(folder: &Path, record: &CaseRecord) -> partita::Result<Value> {
    let TimedRun { seconds: ours, artefact, given, .. } = run(folder, record, false)?;
    let [a, b] = &given[..] else { return Err(operand_error().into()) };
    let (m, k, n) = (a.ty.shape[0], a.ty.shape[1], b.ty.shape[1]);
    let strategy = record.name.rsplit(&format!("_{k}_")).next().unwrap_or_default();
    let (target, kernel) = (artefact.modules[0].target.to_string(), &artefact.modules[0].kernels[0].name);
    let arch = target.trim_start_matches("cuda:sm_");
    let row = format!("{arch}, bf16, 1, {m}, {n}, {k}, {strategy}, {:.1}", ours * 1e6);
    let flops = 2.0 * (m * n * k) as f64;
    Ok(json!({ "seconds": ours, "tflops": flops / ours / 1e12, "kernel": kernel, "row": row }))
}

/// Returns the largest difference of sampled elements of a product from the host's result, relative to the largest.
fn sampled_difference(a: &Tensor, b: &Tensor, product: &Tensor, n: usize) -> f64 {
    let (mut worst, mut largest) = (0f64, 1f64);
    for (row, column) in (0..64).map(|i| (i * 127 % n, i * 8191 % n)) {
        let want: f64 = (0..n).map(|k| a.get(row * n + k).to_f64() * b.get(k * n + column).to_f64()).sum();
        worst = worst.max((want - product.get(row * n + column).to_f64()).abs());
        largest = largest.max(want.abs());
    }
    worst / largest
}

/// Times a fused elementwise loop next to a device-to-device copy.
fn elementwise(folder: &Path, record: &CaseRecord) -> partita::Result<Value> {
    let ours = run(folder, record, false)?.seconds;
    // Two matrices are read and one is written; the broadcast rows are negligible.
    let bytes = 3.0 * 4.0 * (ELEMENTWISE_SIZES[0] as f64).powi(2);
    let device = Cuda::open(0)?;
    let [from, to] = [device.allocate(COPY_BYTES)?, device.allocate(COPY_BYTES)?].map(DevicePtr::new);
    let copy = 2.0 * COPY_BYTES as f64 / seconds(&device, || device.copy(&from, &to, COPY_BYTES))?;
    let rate = bytes / ours;
    Ok(json!({ "seconds": ours, "gb_per_s": rate / 1e9, "copy": { "gb_per_s": copy / 1e9, "ratio": rate / copy } }))
}

/// Times attention, forward only.
fn attention(folder: &Path, record: &CaseRecord) -> partita::Result<Value> {
    let ours = run(folder, record, false)?.seconds;
    let [batch, heads, positions, width] = ATTENTION_SIZES[0].map(|n| n as f64);
    // Causal attention computes half of the scores.
    let share = if record.name.contains("causal") { 0.5 } else { 1.0 };
    let flops = 4.0 * batch * heads * positions * positions * width * share;
    Ok(json!({ "seconds": ours, "tflops": flops / ours / 1e12 }))
}

/// Times a training step of GPT-2 small.
fn step(folder: &Path, record: &CaseRecord) -> partita::Result<Value> {
    let TimedRun { seconds: ours, kernels, artefact, .. } = run(folder, record, true)?;
    let tokens: usize = GPT2_TOKENS.iter().product();
    let module = &artefact.modules[0];
    let mut rows: Vec<(f64, Value)> = Vec::new();
    for ((kernel, launches), seconds) in module.kernels.iter().zip(module.launch_counts()).zip(kernels) {
        let per_second = |work: u64| work as f64 * launches as f64 / seconds;
        let (bytes, flops) = (per_second(kernel.work.bytes), per_second(kernel.work.flops));
        let row = json!({
            "name": kernel.name, "launches": launches, "seconds": seconds, "gb_per_s": bytes / 1e9,
            "tflops": flops / 1e12,
        });
        rows.push((seconds, row));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let rows: Vec<Value> = rows.into_iter().map(|(_, row)| row).collect();
    Ok(json!({ "seconds": ours, "tokens_per_s": tokens as f64 / ours, "kernels": rows }))
}

fn operand_error() -> Diagnostic {
    Diagnostic::new(Code::R004, "a product has two operands")
}

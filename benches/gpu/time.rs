//! How fast kernels are, by events of the device, next to what NVIDIA's libraries and PyTorch do on it.

use crate::cases::{ATTENTION, ELEMENTS, GPT2_TOKENS, MATRIX, Record, inputs};
use crate::file;
use partita_gpu::cublaslt::{CublasLt, WORKSPACE};
use partita_gpu::cuda::Cuda;
use partita_gpu::device::{Device, Place};
use partita_gpu::{Artefact, Executable};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::{DType, Type};
use partita_ir::tensor::Tensor;
use serde_json::{Value, json};
use std::path::Path;

/// What is timed goes on for about so many seconds.
const SECONDS: f64 = 0.5;

/// Bytes that are copied from one place of the device to another.
const COPIED: usize = 1 << 30;

/// Seconds of some work that a device does again and again.
fn seconds(device: &Cuda, mut work: impl FnMut() -> Result<(), Diagnostic>) -> Result<f64, Diagnostic> {
    for _ in 0..3 {
        work()?;
    }
    let ((), once) = device.time(&mut work)?;
    let times = (SECONDS / once.as_secs_f64().max(1e-6)).clamp(5.0, 1000.0) as u32;
    let ((), all) = device.time(|| (0..times).try_for_each(|_| work()))?;
    Ok(all.as_secs_f64() / f64::from(times))
}

/// Numbers of magnitude 0.5 to 1: a GPU is faster on zeros.
fn filled(ty: &Type, seed: u32) -> Tensor {
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

/// What came of a case.
struct Timed {
    /// Seconds of a run that begins and ends in the device's memory.
    seconds: f64,
    /// By kernel, seconds of its launches in a run.
    kernels: Vec<f64>,
    artefact: Artefact,
    given: Vec<Tensor>,
    outputs: Vec<Tensor>,
}

/// Times a case on the first GPU.
fn run(folder: &Path, record: &Record, is_drawn: bool) -> partita::Result<Timed> {
    let artefact = Artefact::load(&file(folder, record, "partita"))?;
    let program = artefact.described();
    let types = program.inputs().iter().map(|&input| program.ty(input));
    let given = match is_drawn {
        true => inputs(&artefact)?,
        false => (1..).zip(types).map(|(seed, ty)| filled(ty, seed)).collect(),
    };
    let executable = Executable::load(artefact.modules[0].clone(), Cuda::open(0)?)?;
    let mut run = executable.begin(&given)?;
    let seconds = seconds(executable.device(), || run.step())?;
    let mut kernels = vec![0.0; executable.module().kernels.len()];
    run.step_by(&mut |number, device: &Cuda, kernel, places| {
        let ((), taken) = device.time(|| device.launch(kernel, places))?;
        kernels[number] += taken.as_secs_f64();
        Ok(())
    })?;
    let outputs = run.outputs()?;
    Ok(Timed { seconds, kernels, artefact, given, outputs })
}

/// Times a case.
pub fn case(folder: &Path, record: &Record) -> partita::Result<Value> {
    match record.name.as_str() {
        "matmul_large" => matmul(folder, record),
        "elementwise_large" => elementwise(folder, record),
        "gpt2_step" => step(folder, record),
        name if name.starts_with("product_") => product(folder, record),
        _ => attention(folder, record),
    }
}

/// Runs a case once, for a profiler that counts on its own.
pub fn once(folder: &Path, record: &Record) -> partita::Result<Value> {
    let artefact = Artefact::load(&file(folder, record, "partita"))?;
    let given = inputs(&artefact)?;
    let executable = Executable::load(artefact.modules[0].clone(), Cuda::open(0)?)?;
    executable.begin(&given)?.step()?;
    Ok(json!({ "ok": true }))
}

/// A product of matrices, next to cuBLASLt's on the same ones.
fn matmul(folder: &Path, record: &Record) -> partita::Result<Value> {
    let n = MATRIX[0];
    let Timed { seconds: ours, given, outputs, .. } = run(folder, record, false)?;
    let [a, b] = &given[..] else { return Err(odd().into()) };
    let flops = 2.0 * (n as f64).powi(3);
    let off = sampled(a, b, &outputs[0], n);
    let mut value = json!({ "seconds": ours, "tflops": flops / ours / 1e12, "off": off });
    let theirs = || -> Result<(f64, String, f64), Diagnostic> {
        let (device, library) = (Cuda::open(0)?, CublasLt::open()?);
        let square = library.square(n)?;
        let memory = |bytes| device.memory(bytes).map(Place::whole);
        let [a_there, b_there, c_there] = [memory(n * n * 2)?, memory(n * n * 2)?, memory(n * n * 2)?];
        let workspace = memory(WORKSPACE)?;
        for (tensor, place) in [(a, &a_there), (b, &b_there)] {
            device.upload(place, &bytemuck::pod_collect_to_vec(&tensor.to_bytes()))?;
        }
        let seconds = seconds(&device, || device.multiply(&square, [&a_there, &b_there, &c_there, &workspace], n))?;
        let words = device.download(&[(c_there, n * n / 2)])?.swap_remove(0);
        let product = Tensor::from_bytes(a.ty.clone(), bytemuck::cast_slice(&words));
        Ok((seconds, library.version(), sampled(a, b, &product, n)))
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

/// A product by one of the strategies: its row for the table that chooses among them.
fn product(folder: &Path, record: &Record) -> partita::Result<Value> {
    let Timed { seconds: ours, artefact, given, .. } = run(folder, record, false)?;
    let [a, b] = &given[..] else { return Err(odd().into()) };
    let (m, k, n) = (a.ty.shape[0], a.ty.shape[1], b.ty.shape[1]);
    let strategy = record.name.rsplit(&format!("_{k}_")).next().unwrap_or_default();
    let (target, kernel) = (artefact.modules[0].target.to_string(), &artefact.modules[0].kernels[0].name);
    let arch = target.trim_start_matches("cuda:sm_");
    let row = format!("{arch}, bf16, 1, {m}, {n}, {k}, {strategy}, {:.1}", ours * 1e6);
    let flops = 2.0 * (m * n * k) as f64;
    Ok(json!({ "seconds": ours, "tflops": flops / ours / 1e12, "kernel": kernel, "row": row }))
}

/// How far some elements of a product are from those that the host computes, relative to the largest.
fn sampled(a: &Tensor, b: &Tensor, product: &Tensor, n: usize) -> f64 {
    let (mut worst, mut largest) = (0f64, 1f64);
    for (row, column) in (0..64).map(|i| (i * 127 % n, i * 8191 % n)) {
        let want: f64 = (0..n).map(|k| a.get(row * n + k).to_f64() * b.get(k * n + column).to_f64()).sum();
        worst = worst.max((want - product.get(row * n + column).to_f64()).abs());
        largest = largest.max(want.abs());
    }
    worst / largest
}

/// A fused loop over elements, next to copying from one place of the device to another.
fn elementwise(folder: &Path, record: &Record) -> partita::Result<Value> {
    let ours = run(folder, record, false)?.seconds;
    // Two matrices are read and one is written; the rows that are added to all are nothing beside them.
    let bytes = 3.0 * 4.0 * (ELEMENTS[0] as f64).powi(2);
    let device = Cuda::open(0)?;
    let [from, to] = [device.memory(COPIED)?, device.memory(COPIED)?].map(Place::whole);
    let copy = 2.0 * COPIED as f64 / seconds(&device, || device.copy(&from, &to, COPIED))?;
    let rate = bytes / ours;
    Ok(json!({ "seconds": ours, "gb_per_s": rate / 1e9, "copy": { "gb_per_s": copy / 1e9, "ratio": rate / copy } }))
}

/// Attention, forward.
fn attention(folder: &Path, record: &Record) -> partita::Result<Value> {
    let ours = run(folder, record, false)?.seconds;
    let [batch, heads, positions, width] = ATTENTION[0].map(|n| n as f64);
    // Half of the scores are seen where no position sees a later one.
    let share = if record.name.contains("causal") { 0.5 } else { 1.0 };
    let flops = 4.0 * batch * heads * positions * positions * width * share;
    Ok(json!({ "seconds": ours, "tflops": flops / ours / 1e12 }))
}

/// A training step of GPT-2 small.
fn step(folder: &Path, record: &Record) -> partita::Result<Value> {
    let Timed { seconds: ours, kernels, artefact, .. } = run(folder, record, true)?;
    let tokens: usize = GPT2_TOKENS.iter().product();
    let module = &artefact.modules[0];
    let mut rows: Vec<(f64, Value)> = Vec::new();
    for ((kernel, launches), seconds) in module.kernels.iter().zip(module.launches()).zip(kernels) {
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

fn odd() -> Diagnostic {
    Diagnostic::new(Code::R004, "a product has two operands")
}

//! Whether a case computes what it should: on a GPU, over NCCL, or in the emulator.

use crate::cases::{Record, inputs};
use crate::file;
use partita_gpu::cuda::Cuda;
use partita_gpu::cuda::network::{apart, meet_alone};
use partita_gpu::device::Device;
use partita_gpu::emulator::Emulator;
use partita_gpu::emulator::network::Emulated;
use partita_gpu::{Artefact, Executable};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::tensor::Tensor;
use partita_runtime::check::compare;
use partita_runtime::io::tensors_from_bytes;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// The largest difference from what a case should give, relative to the largest element (or 1).
fn worst<D: Device>(
    executable: &Executable<D>,
    folder: &Path,
    record: &Record,
    inputs: &[Tensor],
) -> partita::Result<f64> {
    let got = executable.run(inputs)?;
    let path = file(folder, record, "safetensors");
    let bytes = std::fs::read(&path).map_err(|e| Diagnostic::of_file("read", &path, &e))?;
    let expected = tensors_from_bytes(&path, &bytes)?;
    let names = || executable.module().program.outputs.iter().map(|output| output.name.as_str());
    let want: Vec<Tensor> = names().filter_map(|name| expected.get(name).cloned()).collect();
    Ok(compare(names(), &got, &want, record.tolerance).iter().map(|d| d.max_rel_diff).fold(0.0, f64::max))
}

/// Runs a case: on one GPU (`cuda`), with a GPU for each rank (`nccl`), on one device that is emulated (`emulator`), or
/// with one for each rank (`network`).
pub fn case(folder: &Path, record: &Record, on: &str) -> partita::Result<Value> {
    let artefact = Artefact::load(&file(folder, record, "partita"))?;
    let (module, inputs) = (&artefact.modules[0], inputs(&artefact)?);
    let off = match on {
        "cuda" => worst(&Executable::load(module.clone(), Cuda::open(0)?)?, folder, record, &inputs),
        "nccl" => worst(&apart(module.clone())?, folder, record, &inputs),
        "emulator" => worst(&Executable::load(module.clone(), Emulator::of(module)?)?, folder, record, &inputs),
        "network" => {
            let devices = vec![Emulator::of(module)?; module.program.device_count()];
            worst(&Executable::apart(Arc::clone(module), devices, Box::new(Emulated))?, folder, record, &inputs)
        }
        on => Err(Diagnostic::new(Code::C002, format!("nothing runs on `{on}`")).into()),
    }?;
    Ok(json!({ "off": off, "tolerance": record.tolerance, "ok": off <= record.tolerance }))
}

/// Every call of NCCL, by one rank alone.
pub fn calls() -> partita::Result<Value> {
    let calls = meet_alone(&Cuda::open(0)?)?;
    let wrong: Vec<&str> = calls.iter().filter(|(_, ok)| !ok).map(|(call, _)| &**call).collect();
    Ok(json!({ "calls": calls.len(), "wrong": wrong, "ok": wrong.is_empty() }))
}

//! Correctness checks of a case on a GPU, over NCCL, or in the emulator.

use crate::cases::{CaseRecord, inputs};
use crate::file;
use partita_gpu::cuda::Cuda;
use partita_gpu::cuda::network::{load_distributed, self_test};
use partita_gpu::device::Device;
use partita_gpu::emulator::Emulator;
use partita_gpu::emulator::network::EmulatedNetwork;
use partita_gpu::{Artefact, Executable};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::tensor::Tensor;
use partita_runtime::check::compare;
use partita_runtime::io::tensors_from_bytes;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;

/// Returns the largest difference from the expected outputs, relative to the largest element (or 1).
pub fn largest_difference<D: Device>(
    executable: &Executable<D>,
    folder: &Path,
    record: &CaseRecord,
    inputs: &[Tensor],
) -> partita::Result<f64> {
    let got = executable.run(inputs)?;
    let path = file(folder, record, "safetensors");
    let bytes = std::fs::read(&path).map_err(|e| Diagnostic::io_error("read", &path, &e))?;
    let expected = tensors_from_bytes(&path, &bytes)?;
    let names = || executable.module().program.outputs.iter().map(|output| output.name.as_str());
    let want: Vec<Tensor> = names().filter_map(|name| expected.get(name).cloned()).collect();
    Ok(compare(names(), &got, &want, record.tolerance).iter().map(|d| d.max_rel_diff).fold(0.0, f64::max))
}

/// Runs a case on one GPU (`cuda`), with a GPU for each rank (`nccl`), on one emulated device (`emulator`), or with one
/// emulated device for each rank (`network`).
pub fn case(folder: &Path, record: &CaseRecord, on: &str) -> partita::Result<Value> {
    let artefact = Artefact::load(&file(folder, record, "partita"))?;
    let (module, inputs) = (&artefact.modules[0], inputs(&artefact)?);
    let off = match on {
        "cuda" => largest_difference(&Executable::load(module.clone(), Cuda::open(0)?)?, folder, record, &inputs),
        "nccl" => largest_difference(&load_distributed(module.clone())?, folder, record, &inputs),
        "emulator" => largest_difference(
            &Executable::load(module.clone(), Emulator::from_module(module)?)?,
            folder,
            record,
            &inputs,
        ),
        "network" => {
            let devices = vec![Emulator::from_module(module)?; module.program.device_count()];
            largest_difference(
                &Executable::load_distributed(Arc::clone(module), devices, Box::new(EmulatedNetwork))?,
                folder,
                record,
                &inputs,
            )
        }
        on => Err(Diagnostic::new(Code::C002, format!("unknown execution target `{on}`")).into()),
    }?;
    Ok(json!({ "off": off, "tolerance": record.tolerance, "ok": off <= record.tolerance }))
}

/// Runs every NCCL call in a communicator of one rank.
pub fn calls() -> partita::Result<Value> {
    let calls = self_test(&Cuda::open(0)?)?;
    let wrong: Vec<&str> = calls.iter().filter(|(_, ok)| !ok).map(|(call, _)| &**call).collect();
    Ok(json!({ "calls": calls.len(), "wrong": wrong, "ok": wrong.is_empty() }))
}

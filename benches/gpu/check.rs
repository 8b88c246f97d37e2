//! Whether cases compute what they should: on a GPU, over NCCL with one rank, or in the emulator.

use crate::cases::{Kind, Record, inputs};
use crate::{file, list, said};
use partita_gpu::cuda::Cuda;
use partita_gpu::cuda::network::{apart, meet_alone};
use partita_gpu::device::Device;
use partita_gpu::emulator::Emulator;
use partita_gpu::emulator::network::Emulated;
use partita_gpu::machine::found;
use partita_gpu::{Artefact, Executable};
use partita_ir::diag::Diagnostic;
use partita_ir::tensor::Tensor;
use partita_runtime::check::compare;
use partita_runtime::io::tensors_from_bytes;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So long the emulator goes on with cases.
const REHEARSAL: Duration = Duration::from_secs(60);

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
    let names = || executable.module().program.main().outputs.iter().map(|output| output.name.as_str());
    let want: Vec<Tensor> = names().filter_map(|name| expected.get(name).cloned()).collect();
    Ok(compare(names(), &got, &want, record.tolerance).iter().map(|d| d.max_rel_diff).fold(0.0, f64::max))
}

/// What is said of a case.
fn verdict(what: &str, record: &Record, worst: partita::Result<f64>) -> (Value, bool) {
    let Record { name, tolerance, .. } = record;
    match worst {
        Ok(worst) => {
            let ok = worst <= *tolerance;
            println!("{name} {what}: {worst:.1e} off, {}", if ok { "right" } else { "WRONG" });
            (json!({ "name": name, "on": what, "off": worst, "tolerance": tolerance, "ok": ok }), ok)
        }
        Err(e) => {
            println!("{name} {what}: {e}");
            (json!({ "name": name, "on": what, "error": said(&e), "ok": false }), false)
        }
    }
}

/// Runs all cases on the first GPU, and with a GPU for each rank where there are as many.
pub fn measure(folder: &Path, list: &[Record]) -> partita::Result<(Vec<Value>, bool)> {
    let gpus = found().iter().filter(|found| found.target == "cuda" && found.what == "device").count();
    let (mut all, mut is_right) = (Vec::new(), true);
    let mut put = |(value, ok): (Value, bool)| {
        all.push(value);
        is_right &= ok;
    };
    for record in list.iter().filter(|record| record.kind != Kind::Time) {
        if let Some(why) = &record.refused {
            put((json!({ "name": record.name, "refused": why, "ok": false }), false));
            continue;
        }
        let artefact = Artefact::load(&file(folder, record, "partita"))?;
        let (module, inputs) = (&artefact.modules[0], inputs(&artefact)?);
        let ranks = module.mesh.device_count();
        if record.kind == Kind::Check {
            let on_one = || worst(&Executable::load(module.clone(), Cuda::open(0)?)?, folder, record, &inputs);
            put(verdict("on one GPU", record, on_one()));
        }
        if record.kind == Kind::Alone || (ranks > 1 && gpus >= ranks) {
            let over_nccl = || worst(&apart(module.clone())?, folder, record, &inputs);
            put(verdict("over NCCL", record, over_nccl()));
        }
    }
    match Cuda::open(0).and_then(|device| meet_alone(&device)) {
        Ok(calls) => {
            calls.into_iter().for_each(|(call, ok)| put((json!({ "name": call, "on": "over NCCL", "ok": ok }), ok)))
        }
        Err(e) => put((json!({ "name": "one rank", "on": "over NCCL", "error": e.title, "ok": false }), false)),
    }
    Ok((all, is_right))
}

/// Loads and verifies all cases, and runs as many as fit into a minute in the emulator: ranks on one device, and over a network.
pub fn rehearse(folder: &Path) -> partita::Result<bool> {
    let (mut is_right, mut loaded, mut skipped, started) = (true, 0, 0, Instant::now());
    let list = list(folder)?;
    for record in &list {
        if let Some(why) = &record.refused {
            println!("{}: not compiled: {why}", record.name);
            continue;
        }
        let artefact = Artefact::load(&file(folder, record, "partita"))?;
        loaded += 1;
        if record.kind == Kind::Time {
            continue;
        }
        if started.elapsed() > REHEARSAL {
            skipped += 1;
            continue;
        }
        let (module, inputs) = (&artefact.modules[0], inputs(&artefact)?);
        let emulator = Emulator::of(module)?;
        let devices = vec![emulator.clone(); module.mesh.device_count()];
        let on_one = || worst(&Executable::load(Arc::clone(module), emulator)?, folder, record, &inputs);
        is_right &= verdict("in the emulator", record, on_one()).1;
        if record.kind == Kind::Alone || devices.len() > 1 {
            let network = Box::new(Emulated);
            let over_network =
                || worst(&Executable::apart(Arc::clone(module), devices, network)?, folder, record, &inputs);
            is_right &= verdict("over an emulated network", record, over_network()).1;
        }
    }
    let (all, refused) = (list.len(), list.len() - loaded);
    println!(
        "{loaded} of {all} artefacts loaded and verified, {refused} not compiled; {skipped} not run, for want of time"
    );
    Ok(is_right)
}

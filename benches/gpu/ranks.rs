//! Cases with a process for each device: GPUs over NCCL, or emulated devices over the connection between the processes.

use crate::cases::{CaseRecord, inputs};
use crate::check::largest_difference;
use crate::file;
use partita_gpu::cuda::network::{load_on_process, own_gpus};
use partita_gpu::device::Device;
use partita_gpu::emulator::Emulator;
use partita_gpu::emulator::nccl;
use partita_gpu::{Artefact, Executable};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::tensor::Tensor;
use partita_runtime::processes::Processes;
use partita_runtime::processes::tcp::{Rendezvous, TcpWire};
use partita_runtime::shared::DeviceProcesses;
use serde_json::{Value, json};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time within which the processes connect, and after which a silent one is lost.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Number of timed runs.
const RUNS: usize = 10;

/// Runs a case with a process for each device: on GPUs (`nccl-ranks`), or emulated (`network-ranks`). The process that
/// the session starts is the first one, and starts the others.
pub fn case(folder: &Path, record: &CaseRecord, on: &str) -> partita::Result<Value> {
    let artefact = Artefact::load(&file(folder, record, "partita"))?;
    let free = || TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
    let port = free().map_err(|e| failed(&format!("no port is free: {e}")))?.port();
    let count = artefact.program.device_count();
    let mut others = Vec::new();
    for rank in 1..count {
        others.push(OtherProcess(start(folder, record, on, (rank, port))?));
    }
    process(folder, record, on, (0, port))
}

/// A process of another rank, which is killed if the first one ends before it.
struct OtherProcess(Child);

impl Drop for OtherProcess {
    fn drop(&mut self) {
        let started = Instant::now();
        while matches!(self.0.try_wait(), Ok(None)) && started.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(10));
        }
        // A process that has ended cannot be killed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn start(folder: &Path, record: &CaseRecord, on: &str, (rank, port): (usize, u16)) -> partita::Result<Child> {
    let program = std::env::current_exe().map_err(|e| failed(&format!("the path of this program is unknown: {e}")))?;
    let mut command = Command::new(program);
    command.arg("rank").arg(folder).args([&record.name, on, &rank.to_string(), &port.to_string()]);
    let started = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn();
    Ok(started.map_err(|e| failed(&format!("a process cannot be started: {e}")))?)
}

/// Runs one process of a case, which the process of rank 0 has started with the port at which they connect.
pub fn process(folder: &Path, record: &CaseRecord, on: &str, (rank, port): (usize, u16)) -> partita::Result<Value> {
    let artefact = Artefact::load(&file(folder, record, "partita"))?;
    let (module, inputs) = (&artefact.modules[0], inputs(&artefact)?);
    let count = artefact.program.device_count();
    let host = "127.0.0.1".to_owned();
    let at = Rendezvous { index: rank, count, local_count: count, host, port, timeout: TIMEOUT };
    let processes = Processes::new(Arc::new(TcpWire::connect(&at)?), TIMEOUT);
    processes.exchange_hosts()?;
    let devices = DeviceProcesses::new(processes.clone(), count)?;
    let started = Instant::now();
    let measured = match on {
        "nccl-ranks" => {
            let gpus = partita_gpu::machine::findings();
            let gpus = gpus.iter().filter(|found| found.target == "cuda" && found.kind == "device").count();
            let gpus = own_gpus(&devices, gpus)?;
            load_on_process(module.clone(), devices, gpus)
                .map_err(Into::into)
                .and_then(|loaded| measure(&loaded, (folder, record), &inputs, started))
        }
        "network-ranks" => {
            let emulator = Emulator::from_module(module)?;
            nccl::load_on_process(module.clone(), emulator, devices)
                .map_err(Into::into)
                .and_then(|loaded| measure(&loaded, (folder, record), &inputs, started))
        }
        on => Err(failed(&format!("unknown execution target `{on}`")).into()),
    };
    if let Some(error) = measured.as_ref().err().and_then(|error| error.0.first()) {
        processes.abort(error);
    }
    processes.finish();
    measured
}

/// Compares the outputs with the expected ones, and measures runs that follow.
fn measure<D: Device>(
    executable: &Executable<D>,
    (folder, record): (&Path, &CaseRecord),
    inputs: &[Tensor],
    started: Instant,
) -> partita::Result<Value> {
    let load_seconds = started.elapsed().as_secs_f64();
    let off = largest_difference(executable, folder, record, inputs)?;
    let mut session = executable.begin(inputs)?;
    let mut seconds = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let begun = Instant::now();
        session.step()?;
        // An output waits for all devices.
        session.output(0)?;
        seconds.push(begun.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    Ok(json!({
        "off": off, "tolerance": record.tolerance, "ok": off <= record.tolerance,
        "load_seconds": load_seconds, "seconds": seconds[RUNS / 2],
    }))
}

fn failed(why: &str) -> Diagnostic {
    Diagnostic::new(Code::C002, why)
}

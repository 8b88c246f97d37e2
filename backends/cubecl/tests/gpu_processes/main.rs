//! Models on emulated devices of several processes, which are threads. Everything above the functions of NCCL is the
//! code that runs on GPUs.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test")]

mod faults;
mod faulty;

use faulty::{Fault, FaultyNccl};
use partita::prelude::*;
use partita_gpu::emulator::Emulator;
use partita_gpu::emulator::network::EmulatedNetwork;
use partita_gpu::nccl::process_network::ProcessNetwork;
use partita_gpu::{Executable, Module, Target};
use partita_ir::diag::{Diagnostic, Source};
use partita_ir::text::parse;
use partita_ir::{interp, verify::verify};
use partita_passes::import::updates::{Replacement, replacements};
use partita_runtime::processes::Processes;
use partita_runtime::processes::threads::ThreadWire;
use partita_runtime::shared::DeviceProcesses;
use std::sync::Arc;
use std::time::Duration;

/// A program that is compiled for the emulator.
pub struct Compiled {
    step: Program,
    module: Arc<Module>,
    emulator: Emulator,
}

impl Compiled {
    fn of_plan(model: &str, plan: &Plan) -> Compiled {
        let partition = partita::load(model).unwrap().partition(plan).unwrap_or_else(|e| panic!("{model}: {e}"));
        let artefact = partition.compile_text(&[Target::Cuda { arch: 80 }], &|_, _| ()).unwrap();
        let module = artefact.modules[0].clone();
        Compiled { step: partition.model().clone(), emulator: Emulator::from_module(&module).unwrap(), module }
    }

    fn of_text(text: &str) -> Compiled {
        let step = parse(&Source::new("model.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
        let proof = verify(&step).unwrap_or_else(|e| panic!("{}", e[0])).into_form().unwrap();
        let module = Arc::new(partita_cubecl::compile(proof, Target::Cuda { arch: 80 }).unwrap());
        Compiled { step, emulator: Emulator::from_module(&module).unwrap(), module }
    }

    /// Loads the ranks of a process, with a fault in its NCCL.
    fn load(
        &self,
        processes: &Arc<Processes>,
        nccl: &Arc<FaultyNccl>,
        deadline: Duration,
    ) -> Result<Executable<Emulator>, Diagnostic> {
        let processes = DeviceProcesses::new(processes.clone(), self.module.program.device_count())?;
        let devices = vec![self.emulator.clone(); processes.local().len()];
        let deadline = Some(deadline);
        let network = ProcessNetwork::connect(nccl.clone(), &processes, &self.module, &devices, deadline)?;
        Executable::load_on_process(self.module.clone(), devices, Box::new(network), processes)
    }

    /// Runs steps whose outputs replace inputs. Returns the outputs of each.
    fn run(&self, executable: &Executable<Emulator>, steps: usize) -> Result<Vec<Vec<Tensor>>, Diagnostic> {
        let mut session = executable.begin(&interp::random_inputs(&self.step, 3).unwrap())?;
        let mut all = Vec::new();
        for _ in 0..steps {
            session.step()?;
            all.push(session.outputs()?);
            for Replacement { input, output, .. } in replacements(&self.step) {
                let at = self.step.inputs().iter().position(|&value| value == input).unwrap();
                session.feed_back(at, output)?;
            }
        }
        Ok(all)
    }

    /// Returns the outputs of each step in one process.
    fn run_in_one_process(&self, steps: usize) -> Vec<Vec<Tensor>> {
        let devices = vec![self.emulator.clone(); self.module.program.device_count()];
        let one = Executable::load_distributed(self.module.clone(), devices, Box::new(EmulatedNetwork)).unwrap();
        self.run(&one, steps).unwrap()
    }
}

/// Runs `work` on several processes. A process that fails makes the others fail, as the command does.
fn on_processes<R: Send>(
    count: usize,
    work: impl Fn(usize, &Arc<Processes>) -> Result<R, Diagnostic> + Sync,
) -> Vec<Result<R, Diagnostic>> {
    let work = &work;
    let run = |(index, wire): (usize, ThreadWire)| {
        move || {
            let processes = Processes::new(Arc::new(wire), Duration::from_secs(60));
            processes.exchange_hosts().unwrap();
            let result = work(index, &processes);
            result.as_ref().err().into_iter().for_each(|error| processes.abort(error));
            processes.finish();
            result
        }
    };
    std::thread::scope(|scope| {
        let running: Vec<_> =
            ThreadWire::connected(count).into_iter().enumerate().map(run).map(|run| scope.spawn(run)).collect();
        running.into_iter().map(|running| running.join().unwrap()).collect()
    })
}

/// Compares the outputs of several processes with those of one, bit for bit.
fn check(compiled: &Compiled, counts: &[usize]) {
    let want = compiled.run_in_one_process(3);
    for &count in counts {
        let results = on_processes(count, |_, processes| {
            let nccl = Arc::new(FaultyNccl::new(processes.clone(), None));
            let executable = compiled.load(processes, &nccl, Duration::from_secs(60))?;
            let outputs = compiled.run(&executable, 3)?;
            drop(executable);
            Ok((outputs, nccl.counts()))
        });
        for result in results {
            let (outputs, counts) = result.unwrap_or_else(|e| panic!("{e} {:?}", e.notes));
            assert!(outputs == want, "{count} processes");
            assert!(counts.opened > 0 && counts.destroyed == counts.opened && counts.aborted == 0, "{counts:?}");
        }
    }
}

fn plan(axes: &[(&str, u32)], presets: &[&str]) -> Plan {
    let plan = Plan::new(Mesh::new(axes.iter().copied()).unwrap()).train("adamw");
    presets.iter().fold(plan, |plan, preset| plan.preset(*preset))
}

#[test]
fn data_parallel_training_is_that_of_one_process() {
    let compiled = Compiled::of_plan("zoo:mlp?layers=2&width=6&hidden=10&batch=12", &plan(&[("data", 4)], &["data"]));
    check(&compiled, &[1, 2, 3, 4]);
}

#[test]
fn megatron_training_is_that_of_one_process() {
    let model = "zoo:gpt?layers=1&width=12&heads=4&hidden=8&seq=5&vocab=11&batch=4";
    check(&Compiled::of_plan(model, &plan(&[("data", 2), ("model", 2)], &["data", "megatron"])), &[2, 4]);
}

#[test]
fn sharded_training_is_that_of_one_process() {
    // Widths of 5 and 7 do not divide.
    let model = "zoo:mlp?layers=2&width=5&hidden=7&batch=6";
    check(&Compiled::of_plan(model, &plan(&[("data", 3)], &["zero3"])), &[2, 3]);
}

#[test]
fn training_in_stages_is_that_of_one_process() {
    let plan = plan(&[("data", 2)], &["data"]).pipeline("2").schedule("1f1b").micro_batches("3");
    // On three processes, one has both devices of the second stage.
    check(&Compiled::of_plan("zoo:mlp?layers=4&width=5&hidden=7&batch=12", &plan), &[2, 3, 4]);
}

/// NCCL has no such reduction: the operands of all processes are combined in host memory.
#[test]
fn reductions_without_a_call_are_those_of_one_process() {
    let text = "form local
        mesh @m = [x=4]
        input %x : i32[8@x]
          %s = all_reduce and over x %x : i32[2]
        output %s \"s\"";
    check(&Compiled::of_text(text), &[2, 3]);
}

/// Faults in NCCL of rank 1 of two.
fn errors_with(fault: Fault, deadline: Duration) -> Vec<(Diagnostic, faulty::Counts)> {
    let compiled = Compiled::of_plan("zoo:mlp?layers=2&width=6&hidden=10&batch=4", &plan(&[("data", 2)], &["data"]));
    let results = on_processes(2, |index, processes| {
        let nccl = Arc::new(FaultyNccl::new(processes.clone(), (index == 1).then(|| fault.clone())));
        let run = || compiled.run(&compiled.load(processes, &nccl, deadline)?, 3);
        let error = run().err();
        error.iter().for_each(|error| processes.abort(error));
        Ok(error.map(|error| (error, nccl.counts())))
    });
    results.into_iter().map(|result| result.unwrap().unwrap_or_else(|| panic!("{fault:?} was not detected"))).collect()
}

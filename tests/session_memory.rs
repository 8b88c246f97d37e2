//! Memory of pipeline training: the allocations of a session equal the footprints of its devices.

#![allow(clippy::unwrap_used, clippy::panic, unsafe_code, reason = "a test")]

#[path = "../backends/cpu/tests/counting/mod.rs"]
mod counting;

use counting::{Counting, allocated_bytes, peak_of};
use filetests::gpt::Gpt;
use partita_cpu::Cpu;
use partita_ir::interp::random_inputs;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_passes::driver::{Findings, Input};
use partita_passes::import::updates::replacements;
use partita_passes::pipelines::{self};
use partita_passes::pipelining::stages::pipeline;
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;
use partita_runtime::pipeline::Scheduled;
use partita_runtime::session::Session;
use std::sync::Arc;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns a training step and its compiled pipeline.
fn compiled(plan: &Plan) -> (Program, Arc<Scheduled>) {
    let gpt = Gpt { layers: 4, width: 64, heads: 4, sequence: 16, vocabulary: 64, batch: 8, dropout: false };
    let mut step = gpt.program().unwrap_or_else(|e| panic!("{}", e[0]));
    let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
    pipelines::build_step(&mut step, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
    let how = plan.pipeline_config().unwrap_or_else(|e| panic!("{e}")).unwrap();
    let pipeline = pipeline(&step, &how, &input, &mut findings, &mut |_| Ok(())).unwrap_or_else(|e| panic!("{}", e[0]));
    let compiled = Cpu.compile_pipeline(Arc::new(pipeline), &step).unwrap_or_else(|e| panic!("{e}"));
    (step, Arc::new(compiled))
}

/// Returns the peak bytes of a session in its third run.
fn allocated(step: &Program, compiled: &Arc<Scheduled>, inputs: &[Tensor]) -> usize {
    let position = |value| step.inputs().iter().position(|&v| v == value).unwrap();
    let carried: Vec<(usize, usize)> = replacements(step).iter().map(|r| (r.output, position(r.input))).collect();
    let stays = |i: usize| step.param_of(step.inputs()[i]).is_some() || carried.iter().any(|c| c.1 == i);
    let given: Vec<Tensor> = (0..inputs.len()).filter(|&i| !stays(i)).map(|i| inputs[i].clone()).collect();
    let kept: Vec<Option<Tensor>> = (0..inputs.len()).map(|i| stays(i).then(|| inputs[i].clone())).collect();
    let before = allocated_bytes();
    let mut session = Session::start(compiled.clone(), &kept, &carried).unwrap();
    // In the first run, devices that share a parameter receive separate copies, since they overwrite it.
    (0..2).for_each(|_| drop(session.run(&given).unwrap()));
    peak_of(|| drop(session.run(&given).unwrap())) - before
}

#[test]
fn session_allocations_equal_device_footprints() {
    for (devices, presets) in [(1, "data"), (2, "data"), (2, "zero3")] {
        for (stages, schedule) in [(2, "gpipe"), (2, "interleaved?chunks=2"), (4, "1f1b"), (2, "zb-h1")] {
            let plan = Plan::new(Mesh::new([("data", devices)]).unwrap()).preset(presets).train("adamw");
            let plan = plan.pipeline(stages.to_string()).schedule(schedule).micro_batches("4");
            let (step, compiled) = compiled(&plan);
            let inputs = random_inputs(&step, 1).unwrap();
            // Threads and their packing buffers are never freed. A thread may need them for the first time in any run,
            // so that the smallest measurement is the one without.
            let measured = (0..3).map(|_| allocated(&step, &compiled, &inputs));
            let allocated = measured.min().unwrap() as u64;
            let planned = compiled.footprints().iter().map(|f| f.total() * u64::from(devices)).sum::<u64>();
            // Tickets and tables add 120 KB for each device, and messages that wait for their receiver 8 KB each; how
            // many wait depends on the speed of the devices.
            let most = planned + u64::from(devices) * (120_000 + 20 * 8192);
            let what = format!("{presets} on {devices}, {stages} stages, {schedule}");
            assert!(
                (planned..most).contains(&allocated),
                "{what}: {allocated} bytes were allocated, {planned} were planned"
            );
        }
    }
}

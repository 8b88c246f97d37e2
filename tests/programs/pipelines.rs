//! Pipelines compared with one device: every schedule, on several numbers of stages, meshes and presets, has the
//! results of the unpartitioned training step.

#![allow(unsafe_code, reason = "kernels are called")]

use filetests::small_models::{GATED as MODEL, LAYERS, causal_block};
use indexmap::IndexMap;
use partita_cpu::Cpu;
use partita_ir::arena::Arena;
use partita_ir::diag::{Diagnostic, Source};
use partita_ir::interp::{random_inputs, run, widen, widen_tensors};
use partita_ir::pipeline::{Chunk, Pipeline, TaskTime};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::{Phase, Program};
use partita_ir::schedule;
use partita_ir::schedule::check::check;
use partita_ir::tensor::Tensor;
use partita_ir::text::{parse, print};
use partita_machine::Machine;
use partita_machine::host::Work;
use partita_passes::driver::{Findings, Input};
use partita_passes::import::updates::replacements;
use partita_passes::partitioning::overlap_matmul::is_overlapping_exchange;
use partita_passes::pipelines::{self};
use partita_passes::pipelining::stages::pipeline;
use partita_runtime::backend::Backend;
use partita_runtime::compile::Compiled;
use partita_runtime::executor::Executable;
use partita_runtime::kernel::{Kernel, KernelCx, Memory};
use partita_runtime::pipeline::Scheduled;
use partita_runtime::session::Session;
use partita_runtime::shared::Limits;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

const KINDS: [&str; 6] = ["vanilla", "gpipe", "1f1b", "interleaved?chunks=2", "zb-h1", "zb-h2"];

fn mesh(axes: &[(&str, u32)], presets: &str) -> Plan {
    let plan = Plan::new(Mesh::new(axes.iter().map(|&(name, size)| (name, size))).unwrap());
    if presets.is_empty() { plan } else { plan.preset(presets) }
}

fn in_stages(plan: &Plan, stages: &str, schedule: &str, micro_batches: u32) -> Plan {
    plan.clone().pipeline(stages).schedule(schedule).micro_batches(micro_batches.to_string())
}

/// Returns a training step and its pipeline.
fn step_and_pipeline(plan: &Plan) -> (Program, Pipeline) {
    let (step, pipeline, _) = step_and_pipeline_for(MODEL, plan, None);
    (step, pipeline)
}

/// Returns a training step, its pipeline for a machine, and the warnings.
fn step_and_pipeline_for(model: &str, plan: &Plan, machine: Option<Machine>) -> (Program, Pipeline, Vec<Diagnostic>) {
    let mut step = parse(&Source::new("model.pir", model)).unwrap_or_else(|e| panic!("{}", e[0]));
    let (input, mut findings) =
        (Input { plan: plan.clone(), machine: machine.map(Arc::new), ..Input::default() }, Findings::default());
    pipelines::build_step(&mut step, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
    let how = plan.pipeline_config().unwrap_or_else(|e| panic!("{e}")).unwrap();
    let pipeline = pipeline(&step, &how, &input, &mut findings, &mut |_| Ok(())).unwrap_or_else(|e| panic!("{}", e[0]));
    (step, pipeline, findings.warnings)
}

/// Returns the outputs of a step with their names.
fn named(step: &Program, outputs: Vec<Tensor>) -> IndexMap<String, Tensor> {
    step.outputs().iter().map(|output| output.name.to_string()).zip(outputs).collect()
}

/// Panics unless a pipeline has the results of one device on the full batch, in `f64`.
fn check_pipeline(plan: &Plan) {
    let (step, pipeline) = step_and_pipeline(plan);
    compare_with_one_device(MODEL, plan, &step, &pipeline);
}

/// Returns the position of each aliased output with the position of the input that it replaces.
fn carried(step: &Program) -> Vec<(usize, usize)> {
    let position = |value| step.inputs().iter().position(|&v| v == value).unwrap();
    replacements(step).iter().map(|r| (r.output, position(r.input))).collect()
}

/// Returns a session that stores parameters and state, and the inputs of each of its runs.
fn session(compiled: Scheduled, step: &Program, inputs: &[Tensor]) -> Result<(Session, Vec<Tensor>), Diagnostic> {
    let carried = carried(step);
    let stays = |i: usize| step.param_of(step.inputs()[i]).is_some() || carried.iter().any(|c| c.1 == i);
    let given = (0..inputs.len()).filter(|&i| !stays(i)).map(|i| inputs[i].clone()).collect();
    let held: Vec<Option<Tensor>> = (0..inputs.len()).map(|i| stays(i).then(|| inputs[i].clone())).collect();
    Ok((Session::start(Arc::new(compiled), &held, &carried)?, given))
}

/// Runs two steps in a session, and on one device with parameters and state passed between the steps.
fn compare_with_one_device(model: &str, plan: &Plan, step: &Program, pipeline: &Pipeline) {
    let mut whole = parse(&Source::new("model.pir", model)).unwrap_or_else(|e| panic!("{}", e[0]));
    let (input, mut findings) = (Input::with_plan(plan.clone().without_pipeline()), Findings::default());
    pipelines::build_step(&mut whole, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
    let whole = widen(&whole);
    let mut inputs = widen_tensors(&random_inputs(step, 3).unwrap());
    let how = format!("{:?} {:?}", plan.pipeline, plan.schedule);
    let compiled = Cpu.compile_pipeline(Arc::new(pipeline.widened()), step).unwrap_or_else(|e| panic!("{how}: {e}"));
    let (mut session, given) = session(compiled, step, &inputs).unwrap_or_else(|e| panic!("{how}, at the start: {e}"));
    let carried = carried(step);
    for number in 0..2 {
        let expected = named(&whole, run(&whole, inputs.clone()).unwrap());
        let mut returned = session.run(&given).unwrap_or_else(|e| panic!("{how}, step {number}: {e}")).into_iter();
        let mut held = session.persistent_inputs().unwrap_or_else(|e| panic!("{how}, behind step {number}: {e}"));
        for (at, output) in step.outputs().iter().enumerate() {
            let input = carried.iter().find(|c| c.0 == at).map(|c| c.1);
            let given = input.map_or_else(|| returned.next(), |input| held[input].take()).unwrap();
            let expected = &expected[output.name.as_str()];
            assert_eq!(given.ty, expected.ty);
            for (a, b) in given.scalars().zip(expected.scalars()) {
                let (a, b) = (a.to_f64(), b.to_f64());
                let is_close = (a - b).abs() <= 1e-9 * b.abs().max(1.0);
                assert!(is_close, "{how}, step {number}, {}: {a} and {b}", output.name);
            }
            if let Some(input) = input {
                inputs[input] = expected.clone();
            }
        }
        assert_eq!(step.outputs().len(), expected.len());
    }
}

#[test]
fn every_schedule_trains_as_one_device() {
    let plans = [mesh(&[("data", 1)], ""), mesh(&[("data", 2)], "data"), mesh(&[("model", 3)], "megatron")];
    for schedule in KINDS {
        for stages in ["1", "2", "3", "4"] {
            for (micro_batches, plan) in [2, 6, 3].into_iter().zip(&plans) {
                check_pipeline(&in_stages(&plan.clone().train("adamw?clip=0.7"), stages, schedule, micro_batches));
            }
        }
    }
}

/// Returns the training step of a model.
fn step_of(model: &str, optimizer: &str) -> Program {
    let mut step = parse(&Source::new("model.pir", model)).unwrap_or_else(|e| panic!("{}", e[0]));
    let (input, mut findings) = (Input::with_plan(mesh(&[("data", 1)], "").train(optimizer)), Findings::default());
    pipelines::build_step(&mut step, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
    step
}

/// Returns the training step of the model as if imported: without roles of inputs and phases of ops.
fn imported(optimizer: &str) -> String {
    let mut step = step_of(MODEL, optimizer);
    step.params = Arena::default();
    step.ops.values_mut().for_each(|op| op.phase = Phase::Forward);
    step.values.values_mut().for_each(|value| value.donated = false);
    step.outputs_mut().iter_mut().for_each(|output| output.replaces = None);
    print(&step)
}

#[test]
fn imported_training_steps_are_pipelined() {
    // The global gradient norm is available only after the last micro-batch.
    for optimizer in ["sgd", "momentum?clip=0.7"] {
        let model = &imported(optimizer);
        for (stages, micro_batches) in [("1", 1), ("1", 4), ("2", 6), ("3", 2), ("4", 3)] {
            for plan in [mesh(&[("data", 2)], "data"), mesh(&[("model", 3)], "megatron")] {
                let plan = in_stages(&plan, stages, "1f1b", micro_batches);
                let beside = (micro_batches > 1).then(|| plan.clone().replicas("2"));
                for plan in beside.into_iter().chain([plan]) {
                    let (step, pipeline, _) = step_and_pipeline_for(model, &plan, None);
                    compare_with_one_device(model, &plan, &step, &pipeline);
                    assert_eq!(pipeline.schedule.micro_batches, micro_batches);
                }
            }
        }
    }
}

#[test]
fn every_schedule_infers_as_one_device() {
    for schedule in KINDS {
        for (stages, micro_batches) in [("1", 2), ("2", 1), ("3", 4), ("4", 3)] {
            check_pipeline(&in_stages(&mesh(&[("data", 2)], "data"), stages, schedule, micro_batches));
        }
    }
}

/// Stages depend on each parameter once, although the number of paths to a parameter doubles with each op.
#[test]
fn functions_of_parameters_may_be_long() {
    let chain = (1..64).map(|at| format!("%k{at} = max %k{}, %k{} : f32[4, 4]\n", at - 1, at - 1));
    let model = format!(
        "form traced\nparam %k0 \"w\" : f32[4, 4]\ninput %x : f32[8, 4]\n{}%y = matmul %x, %k63 : f32[8, 4]\n\
         %z = matmul %y, %k63 : f32[8, 4]\noutput %z\n",
        chain.collect::<String>()
    );
    let plan = in_stages(&mesh(&[("data", 1)], ""), "2", "gpipe", 2);
    let (step, pipeline, _) = step_and_pipeline_for(&model, &plan, None);
    compare_with_one_device(&model, &plan, &step, &pipeline);
}

#[test]
fn single_micro_batch_pipeline() {
    for schedule in KINDS {
        check_pipeline(&in_stages(&mesh(&[("data", 2)], "data").train("sgd"), "3", schedule, 1));
    }
}

#[test]
fn stages_have_layouts() {
    let both = |presets| mesh(&[("data", 2), ("model", 2)], presets);
    for presets in ["data,megatron", "data,megatron,zero1", "data,zero2", "data,zero3", "zero3"] {
        for schedule in ["1f1b", "zb-h1"] {
            check_pipeline(&in_stages(&both(presets).train("adamw?lr=1e-2"), "2", schedule, 4));
        }
    }
}

#[test]
fn stage_outputs_are_resharded_when_produced() {
    // Activations are sharded over the batch in one stage and over features in the next.
    let plan = mesh(&[("data", 2)], "zero3").shard("x", "_, data").train("sgd");
    for schedule in KINDS {
        check_pipeline(&in_stages(&plan, "3", schedule, 2));
    }
}

#[test]
fn products_overlap_in_stages() {
    let plan = mesh(&[("model", 3)], "megatron,sequence").train("adamw").overlap("all_gather,reduce_scatter");
    let model = causal_block(7);
    for schedule in ["1f1b", "zb-h1"] {
        let plan = in_stages(&plan, "2", schedule, 2);
        let (step, pipeline, warnings) = step_and_pipeline_for(&model, &plan, None);
        let tasks = pipeline.chunks.iter().flat_map(|chunk| &chunk.tasks);
        let exchanges = tasks.flat_map(|task| task.program.model_ops()).filter(|at| is_overlapping_exchange(at.op));
        assert!(exchanges.count() > 2 && warnings.is_empty());
        compare_with_one_device(&model, &plan, &step, &pipeline);
    }
}

#[test]
fn frozen_chunks_have_no_backward_slots() {
    for freeze in ["embed", "blocks.0.*", "blocks.1.*"] {
        for schedule in KINDS {
            check_pipeline(&in_stages(&mesh(&[("data", 2)], "data").train("sgd").freeze(freeze), "3", schedule, 3));
        }
    }
}

#[test]
fn stage_may_recompute_its_full_forward_pass() {
    for schedule in KINDS {
        for (stages, micro_batches) in [("1", 2), ("2", 2), ("3", 6)] {
            let plan = mesh(&[("data", 2)], "data").train("sgd").remat("**", "full");
            let plan = in_stages(&plan, stages, schedule, micro_batches);
            for model in [MODEL, LAYERS] {
                let (step, pipeline, _) = step_and_pipeline_for(model, &plan, None);
                compare_with_one_device(model, &plan, &step, &pipeline);
            }
        }
    }
    // Without the loss output, the last stage of two layers has nothing to compute before its gradients.
    let mut step = step_of(LAYERS, "sgd");
    step.outputs_mut().retain(|output| output.replaces.is_some());
    let model = print(&step);
    let mut with_empty = Vec::new();
    for kind in KINDS {
        let plan = in_stages(&mesh(&[("data", 2)], "data").remat("**", "full"), "2", kind, 2);
        let (step, pipeline, _) = step_and_pipeline_for(&model, &plan, None);
        let is_empty = |chunk: &Chunk| chunk.task(TaskTime::Slot(schedule::Work::Forward)).is_none();
        with_empty.extend(pipeline.chunks.iter().any(is_empty).then_some(kind));
        compare_with_one_device(&model, &plan, &step, &pipeline);
    }
    assert!(with_empty.contains(&"1f1b"), "chunks without a forward task: {with_empty:?}");
}

#[test]
fn explicit_stage_boundaries() {
    let plan = mesh(&[("data", 2)], "data").train("sgd");
    for stages in ["embed | blocks.0.** | blocks.1.**", "embed blocks.0.* | blocks.1.up blocks.1.bias | blocks.1.down"]
    {
        check_pipeline(&in_stages(&plan, stages, "1f1b", 3));
    }
}

#[test]
fn stages_have_separate_meshes() {
    let meshes = [[1, 2], [4, 1], [2, 3]].map(|[data, model]| Mesh::new([("data", data), ("model", model)]).unwrap());
    for presets in ["data,megatron", "data,megatron,zero1", "data,megatron,zero3"] {
        for (stages, schedule) in [(2, "1f1b"), (3, "zb-h1"), (2, "interleaved?chunks=2")] {
            let plan = Plan::default().with_meshes(meshes[..stages].to_vec()).unwrap().preset(presets);
            check_pipeline(&in_stages(&plan.train("adamw?clip=0.7"), &stages.to_string(), schedule, 3));
        }
    }
}

#[test]
fn replicas_share_the_micro_batches() {
    let shares = |plan: &Plan, stages, schedule, shares| {
        let plan = plan.clone().pipeline(stages).schedule(schedule).micro_batches(shares);
        check_pipeline(&plan);
    };
    let plans = [mesh(&[("data", 1)], ""), mesh(&[("data", 2)], "data,zero2"), mesh(&[("model", 3)], "megatron")];
    for schedule in KINDS {
        for plan in &plans {
            shares(&plan.clone().train("adamw?clip=0.7"), "2", schedule, "1+2");
        }
        shares(&plans[2], "2", schedule, "3+1+2");
        shares(&plans[0].clone().train("sgd").freeze("blocks.0.*"), "3", schedule, "1+5");
        shares(&plans[0].clone().train("sgd"), "1", schedule, "4+8");
        check_pipeline(&in_stages(&plans[1].clone().train("sgd").replicas("3"), "2", schedule, 4));
    }
}

/// A slow device next to one of twice its speed, such as a K80 next to a V100. Kernels start almost without delay.
const SLOW_AND_FAST: &str = r#"
    [kind.slow]
    flops = { f32 = "1T" }
    memory = "12GB"
    bandwidth = "100GB/s"
    kernels = { launch = "1ns" }
    [kind.fast]
    flops = { f32 = "2T" }
    memory = "16GB"
    bandwidth = "200GB/s"
    kernels = { launch = "1ns" }
    [node.both]
    devices = ["1 slow", "1 fast"]
    links = [{ between = ["0-1"], bandwidth = "12GB/s", latency = "5us" }]"#;

fn slow_and_fast() -> Machine {
    Machine::from_toml(&Source::new("both.toml", SLOW_AND_FAST)).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn slower_devices_get_fewer_layers() {
    let layer = |i: usize| format!("      %h{} = matmul %h{i}, %w{i} : f32[24, 32]\n", i + 1);
    let weight = |i: usize| format!("    param %w{i} \"w{i}\" : f32[32, 32]\n");
    let model = format!(
        "form traced\n{}    input %h0 : f32[24, 32]\n{}      %loss = reduce sum [0, 1] %h12 : f32[]\n    output %loss \"loss\"",
        (0..12).map(weight).collect::<String>(),
        (0..12).map(layer).collect::<String>(),
    );
    let plan = in_stages(&mesh(&[("data", 1)], ""), "2", "1f1b", 4);
    let (_, pipeline, _) = step_and_pipeline_for(&model, &plan, Some(slow_and_fast()));
    let layers: Vec<usize> = pipeline.chunks.iter().map(|chunk| chunk.program.params.len()).collect();
    assert_eq!(layers, [4, 8], "layers 1/3 and 2/3");
}

#[test]
fn slower_devices_get_fewer_micro_batches() {
    let plan = in_stages(&mesh(&[("data", 1)], ""), "1", "1f1b", 12).train("sgd").replicas("2");
    let (step, pipeline, _) = step_and_pipeline_for(MODEL, &plan, Some(slow_and_fast()));
    let shares: Vec<_> = (0..2).map(|chunk| pipeline.schedule.share(chunk)).collect();
    assert_eq!(shares, [0..4, 4..12], "N and 2N");
    compare_with_one_device(MODEL, &plan, &step, &pipeline);
    let plan = in_stages(&mesh(&[("data", 1)], ""), "1", "1f1b", 8).train("sgd").replicas("2");
    let (_, pipeline, _) = step_and_pipeline_for(MODEL, &plan, Some(slow_and_fast()));
    assert_eq!(pipeline.schedule.share(0), 0..3, "to the last micro-batch: 3 x 2 and 5 x 1 are done in 6");
}

#[test]
fn frozen_stage_frees_its_devices() {
    let plan = mesh(&[("data", 2)], "data").train("sgd").freeze("blocks.0.*");
    let plan = in_stages(&plan, "embed | blocks.0.** | blocks.1.**", "1f1b", 3);
    let (step, pipeline, warnings) = step_and_pipeline_for(MODEL, &plan, None);
    assert_eq!((pipeline.schedule.stages, pipeline.device_count()), (2, 4));
    let warned = warnings.iter().map(ToString::to_string).collect::<String>();
    assert!(warned.contains("stage 1 is entirely frozen") && warned.contains("its 2 devices are free"), "{warned}");
    compare_with_one_device(MODEL, &plan, &step, &pipeline);
}

/// Returns a valid pipeline of two stages, to be corrupted by a test.
fn valid_pipeline() -> (Program, Pipeline) {
    step_and_pipeline(&in_stages(&mesh(&[("data", 2)], "data").train("sgd"), "2", "1f1b", 3))
}

/// Returns the error of compiling the pipeline, or of running one step of it.
fn error_of(step: &Program, pipeline: Pipeline, limits: Limits, wrap: KernelWrapper) -> String {
    let mut tasks = 0;
    let compiled = Scheduled::new(Arc::new(pipeline), step, &mut |task| {
        let Compiled { program, mesh, code } = Cpu.compile_task(task)?;
        tasks += 1;
        let (mut kernels, task) = (0, tasks);
        let code = code.map(|kernel| {
            kernels += 1;
            wrap(task, kernels, kernel)
        });
        Ok(Compiled { program, mesh, code })
    });
    let inputs = random_inputs(step, 3).unwrap();
    let ran = compiled.and_then(|compiled| compiled.with_limits(limits).run(&inputs));
    ran.err().map_or_else(|| "no error".into(), |error| error.to_string())
}

type KernelWrapper = fn(usize, usize, Arc<dyn Kernel>) -> Arc<dyn Kernel>;

/// A kernel that runs a closure instead of its computation.
struct Substitute(fn() -> Result<(), String>);

impl Kernel for Substitute {
    unsafe fn run(&self, _: &KernelCx<'_>, _: Memory<'_>) -> Result<(), String> {
        (self.0)()
    }

    fn work(&self, _: usize) -> Work {
        Work::default()
    }
}

#[test]
fn missing_transfers_are_detected() {
    let (step, sound) = valid_pipeline();
    for missing in 0..sound.transfers.len() {
        let mut broken = sound.clone();
        let gone = broken.transfers.remove(missing);
        if gone.after != TaskTime::Before {
            let error = error_of(&step, broken, Limits::default(), |_, _, kernel| kernel);
            assert!(error.contains("which is never written"), "{}: {error}", gone.name);
        }
    }
}

#[test]
fn misdirected_transfers_are_detected() {
    let plan = mesh(&[("data", 2)], "data").train("sgd");
    let (step, sound) = step_and_pipeline(&in_stages(&plan, "embed blocks.0.** | blocks.1.**", "1f1b", 3));
    let mut broken = sound.clone();
    let each: Vec<usize> = (0..sound.transfers.len())
        .filter(|&t| matches!(sound.transfers[t].after, TaskTime::Slot(_)) && sound.transfers[t].to.0 == 1)
        .collect();
    assert!(each.len() > 1, "two values of one type cross");
    let swapped = broken.transfers[each[0]].to;
    broken.transfers[each[0]].to = broken.transfers[each[1]].to;
    let error = error_of(&step, broken.clone(), Limits::default(), |_, _, kernel| kernel);
    assert!(error.contains("is written twice") || error.contains("is never written"), "{error}");
    // Swapping both destinations yields a valid pipeline with different results.
    broken.transfers[each[1]].to = swapped;
    let inputs = random_inputs(&step, 3).unwrap();
    let compiled = |pipeline| Cpu.compile_pipeline(Arc::new(pipeline), &step).unwrap();
    let run = |pipeline| named(&step, compiled(pipeline).run(&inputs).unwrap());
    assert_ne!(run(sound)["loss"], run(broken)["loss"]);
}

#[test]
fn deadlocked_schedule_is_rejected() {
    let (_, sound) = valid_pipeline();
    let (mut schedule, parts) = ((*sound.schedule).clone(), sound.schedule.work().clone());
    schedule.orders[1].swap(0, 1);
    let fault = check(schedule, parts).unwrap_err().to_string();
    assert!(fault.contains("backward of micro-batch 0"), "{fault}");
}

#[test]
fn failing_device_stops_all_devices() {
    let (step, sound) = valid_pipeline();
    let limits = Limits { deadline: Duration::from_secs(1), ..Limits::default() };
    let fails: KernelWrapper = |task, kernel, right| match (task, kernel) {
        (5, 1) => Arc::new(Substitute(|| Err("is out of order".into()))),
        _ => right,
    };
    let error = error_of(&step, sound.clone(), limits, fails);
    assert!(error.contains("is out of order") && (error.contains("device 2") || error.contains("device 3")), "{error}");
    let panics: KernelWrapper = |task, kernel, right| match (task, kernel) {
        (5, 1) => Arc::new(Substitute(|| panic!("planted panic"))),
        _ => right,
    };
    let error = error_of(&step, sound.clone(), limits, panics);
    assert!(error.contains("panicked: planted panic"), "{error}");
    let stalls: KernelWrapper = |task, kernel, right| match (task, kernel) {
        (5, 1) => Arc::new(Substitute(|| {
            std::thread::sleep(Duration::from_secs(3));
            Ok(())
        })),
        _ => right,
    };
    let error = error_of(&step, sound, limits, stalls);
    assert!(error.contains("did not arrive at") && error.contains("within 1s"), "{error}");
}

/// A kernel that fails while the flag is set.
struct FailingKernel(Arc<dyn Kernel>, Arc<AtomicBool>);

impl Kernel for FailingKernel {
    unsafe fn run(&self, cx: &KernelCx<'_>, memory: Memory<'_>) -> Result<(), String> {
        match self.1.load(SeqCst) {
            true => Err("is out of order".into()),
            // SAFETY: the requirements are those of the caller.
            false => unsafe { self.0.run(cx, memory) },
        }
    }

    fn work(&self, threads: usize) -> Work {
        self.0.work(threads)
    }
}

#[test]
fn parameters_overwritten_by_a_failed_run_are_lost() {
    let (step, sound) = valid_pipeline();
    let fails = Arc::new(AtomicBool::new(false));
    let compiled = Scheduled::new(Arc::new(sound), &step, &mut |task| {
        let Compiled { program, mesh, code } = Cpu.compile_task(task)?;
        let code = code.map(|kernel| -> Arc<dyn Kernel> { Arc::new(FailingKernel(kernel, fails.clone())) });
        Ok(Compiled { program, mesh, code })
    });
    let (mut session, given) = session(compiled.unwrap(), &step, &random_inputs(&step, 3).unwrap()).unwrap();
    session.run(&given).unwrap();
    // Inputs of the wrong type or number reach no device.
    let wrong: Vec<Tensor> = given.iter().map(|tensor| widen_tensors(std::slice::from_ref(tensor)).remove(0)).collect();
    for given in [&wrong[..], &[]] {
        assert!(session.run(given).unwrap_err().to_string().contains("R002"));
    }
    session.run(&given).unwrap();
    fails.store(true, SeqCst);
    assert!(session.run(&given).unwrap_err().to_string().contains("is out of order"));
    fails.store(false, SeqCst);
    for error in [session.run(&given).unwrap_err(), session.persistent_inputs().unwrap_err()] {
        assert!(error.to_string().contains("was lost when an earlier run failed"), "{error}");
    }
}

#[test]
fn run_is_recorded_as_a_timeline() {
    let (step, sound) = valid_pipeline();
    let inputs = random_inputs(&step, 3).unwrap();
    let compiled = Cpu.compile_pipeline(Arc::new(sound.clone()), &step).unwrap();
    let (_, timeline) = compiled.run_recorded(&inputs).unwrap();
    assert_eq!(timeline.tracks.len(), 4);
    for (device, track) in timeline.tracks.iter().enumerate() {
        let stage = device / 2;
        assert_eq!(track.group, format!("stage {stage}"));
        let slots = timeline.spans.iter().filter(|s| s.track == device && !s.label.is_empty());
        let slots: Vec<String> = slots.map(|span| format!("{}{}", span.category.letter(), span.label)).collect();
        let expected = sound.schedule.orders[stage].iter().map(|s| format!("{}{}", s.work.letter(), s.micro_batch));
        assert_eq!(slots, expected.collect::<Vec<_>>());
        let ends: Vec<f64> = timeline.spans.iter().filter(|s| s.track == device).map(|s| s.start + s.seconds).collect();
        assert!(ends.windows(2).all(|w| w[0] <= w[1]), "a device does one thing after the other");
    }
}

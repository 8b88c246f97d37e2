//! Predicted memory of pipeline stages, compared with the allocations of the CPU backend. Workspace of tasks is taken
//! from the CPU, which fuses differently than a GPU.

use filetests::gpt::Gpt;
use partita_cost::peak_breakdown::peak_of_stages;
use partita_cost::roofline::efficiencies::Fusion;
use partita_cost::stage_memory::{predict_stage_memory, task_needs};
use partita_cpu::Cpu;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::verify::verify;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self};
use partita_passes::pipelining::stages::pipeline;
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;
use std::sync::Arc;

fn plans() -> Vec<Plan> {
    let mesh = |axes: &[(&str, u32)], presets: &str| {
        let plan = Plan::new(Mesh::new(axes.iter().map(|&(name, size)| (name, size))).unwrap());
        if presets.is_empty() { plan } else { plan.preset(presets) }
    };
    vec![
        mesh(&[("data", 1)], "").train("adamw?clip=0.7"),
        mesh(&[("data", 2)], "data").train("adamw?lr=1e-2"),
        mesh(&[("data", 2), ("model", 2)], "data,megatron").train("sgd"),
        mesh(&[("data", 2), ("model", 2)], "data,zero3").train("adamw"),
        mesh(&[("data", 1)], "").train("adamw").remat("**", "full"),
        mesh(&[("data", 2)], "data").train("adamw").precision("**", "bf16"),
        mesh(&[("data", 2)], "zero3").train("adamw").precision("**", "bf16").remat("**", "full"),
        mesh(&[("model", 2)], "megatron,sequence").train("adamw").precision("**", "bf16"),
    ]
}

#[test]
fn predicted_memory_equals_allocations() {
    let gpt = Gpt { layers: 4, width: 32, heads: 4, sequence: 16, vocabulary: 64, batch: 12, dropout: false };
    for plan in plans() {
        for schedule in ["gpipe", "1f1b", "interleaved?chunks=2", "zb-h1", "zb-h2", "vanilla"] {
            for stages in [1, 2, 3] {
                let plan = plan.clone().pipeline(stages.to_string()).schedule(schedule).micro_batches("6");
                let mut step = gpt.program().unwrap_or_else(|e| panic!("{}", e[0]));
                let (input, mut findings) = (Input::with_plan(plan.clone()), Findings::default());
                pipelines::build_step(&mut step, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
                let how = plan.pipeline_config().unwrap_or_else(|e| panic!("{e}")).unwrap();
                let pipeline = pipeline(&step, &how, &input, &mut findings, &mut |_| Ok(()))
                    .unwrap_or_else(|e| panic!("{}", e[0]));
                let mut needs = task_needs(&pipeline, Fusion::Products);
                for (chunk, needs) in pipeline.chunks.iter().zip(&mut needs) {
                    for (task, needs) in chunk.tasks.iter().zip(needs) {
                        let compiled = Cpu.compile_task(verify(&task.program).unwrap().into_form().unwrap()).unwrap();
                        needs.frame = compiled.code.frame_bytes();
                    }
                }
                let predicted = predict_stage_memory(&pipeline, &needs);
                for device in peak_of_stages(&pipeline) {
                    assert_eq!(device.by_purpose().iter().map(|share| share.bytes).sum::<u64>(), device.bytes);
                }
                let compiled = Cpu.compile_pipeline(Arc::new(pipeline), &step).unwrap_or_else(|e| panic!("{e}"));
                for (predicted, found) in predicted.iter().zip(compiled.footprints()) {
                    assert_eq!((predicted.inputs, predicted.outputs), (found.inputs, found.outputs));
                    let off = predicted.peak as f64 / found.total() as f64 - 1.0;
                    assert!(off.abs() < 0.001, "{off}");
                    let (all, fullest) = (found.frame, predicted.at_peak.iter().map(|live| live.bytes).sum::<u64>());
                    assert!(fullest <= all && fullest as f64 > 0.85 * all as f64, "{fullest} of {all}");
                }
            }
        }
    }
}

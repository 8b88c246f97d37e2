//! Pipelines against one device: every schedule, on several numbers of stages, meshes and presets, gives what the training step gives that
//! was never cut.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use indexmap::IndexMap;
use partita_cpu::Cpu;
use partita_ir::diag::Source;
use partita_ir::interp::{random_inputs, run, widen, widen_tensors};
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::text::parse;
use partita_passes::pass::Cx;
use partita_passes::pipelines;
use partita_passes::stages::pipeline;
use partita_runtime::backend::Backend;
use std::sync::Arc;

/// Two layers of a gated network with a norm, a skip over its middle, and a weight that its first and last products share.
const MODEL: &str = r#"form traced
    param %e "embed" : f32[6, 8]
    param %a1 "blocks.0.up" : f32[8, 12]
    param %b1 "blocks.0.bias" : f32[12]
    param %a2 "blocks.0.down" : f32[12, 8]
    param %c1 "blocks.1.up" : f32[8, 12]
    param %d1 "blocks.1.bias" : f32[12]
    param %c2 "blocks.1.down" : f32[12, 8]
    input %x : f32[24, 6]
    input %t : f32[24, 6]
      %h = matmul %x, %e : f32[24, 8]
      %u1 = matmul %h, %a1 : f32[24, 12]
      %v1 = broadcast [1] %b1 : f32[24, 12]
      %w1 = add %u1, %v1 : f32[24, 12]
      %r1 = tanh %w1 : f32[24, 12]
      %p1 = matmul %r1, %a2 : f32[24, 8]
      %s1 = add %h, %p1 : f32[24, 8]
      %u2 = matmul %s1, %c1 : f32[24, 12]
      %v2 = broadcast [1] %d1 : f32[24, 12]
      %w2 = add %u2, %v2 : f32[24, 12]
      %r2 = tanh %w2 : f32[24, 12]
      %p2 = matmul %r2, %c2 : f32[24, 8]
      %s2 = add %s1, %p2 : f32[24, 8]
      %k = add %s2, %h : f32[24, 8]
      %et = transpose [1, 0] %e : f32[8, 6]
      %y = matmul %k, %et : f32[24, 6]
      %d = sub %y, %t : f32[24, 6]
      %z = mul %d, %d : f32[24, 6]
      %loss = reduce sum [0, 1] %z : f32[]
    output %loss "loss""#;

const KINDS: [&str; 6] = ["vanilla", "gpipe", "1f1b", "interleaved?chunks=2", "zb-h1", "zb-h2"];

fn mesh(axes: &[(&str, u32)], presets: &str) -> Plan {
    let plan = Plan::new(Mesh::new(axes.iter().map(|&(name, size)| (name, size))).unwrap());
    if presets.is_empty() { plan } else { plan.preset(presets) }
}

fn in_stages(plan: &Plan, stages: &str, schedule: &str, micro_batches: u32) -> Plan {
    plan.clone().pipeline(stages).schedule(schedule).micro_batches(micro_batches.to_string())
}

/// What is computed, and its pipeline.
fn made(plan: &Plan) -> (Program, Pipeline) {
    let mut step = parse(&Source::new("model.pir", MODEL)).unwrap_or_else(|e| panic!("{}", e[0]));
    let mut cx = Cx { plan: plan.clone(), ..Cx::default() };
    pipelines::make().unwrap().run(&mut step, &mut cx, &mut |_| Ok(())).unwrap_or_else(|e| panic!("{}", e[0]));
    let how = plan.pipelined().unwrap_or_else(|e| panic!("{e}")).unwrap();
    let pipeline = pipeline(&step, &how, &mut cx, &mut |_| Ok(())).unwrap_or_else(|e| panic!("{how:?}: {}", e[0]));
    (step, pipeline)
}

fn named(step: &Program, inputs: &[Tensor]) -> IndexMap<String, Tensor> {
    let names = step.main().inputs.iter().map(|&v| step.path_of(v).to_owned());
    names.zip(inputs.iter().cloned()).collect()
}

/// Whether a pipeline gives what one device gives that goes over the whole batch at once, in `f64`.
fn agrees(plan: &Plan) {
    let (step, pipeline) = made(plan);
    let mut whole = parse(&Source::new("model.pir", MODEL)).unwrap_or_else(|e| panic!("{}", e[0]));
    let alone = Plan { pipeline: None, schedule: None, micro_batches: None, ..plan.clone() };
    let mut cx = Cx { plan: alone, ..Cx::default() };
    pipelines::make().unwrap().run(&mut whole, &mut cx, &mut |_| Ok(())).unwrap_or_else(|e| panic!("{}", e[0]));
    let inputs = widen_tensors(&random_inputs(&step, 3).unwrap());
    let expected = run(&widen(&whole), inputs.clone()).unwrap();
    let how = format!("{:?} {:?}", plan.pipeline, plan.schedule);
    let compiled = Cpu.compile_pipeline(Arc::new(pipeline.widened())).unwrap_or_else(|e| panic!("{how}: {e}"));
    let outputs = compiled.run(&named(&step, &inputs)).unwrap_or_else(|e| panic!("{how}: {e}"));
    for (output, expected) in whole.main().outputs.iter().zip(&expected) {
        let given = outputs.get(output.name.as_str()).unwrap_or_else(|| panic!("nobody gives {}", output.name));
        assert_eq!(given.ty, expected.ty);
        for (a, b) in given.scalars().zip(expected.scalars()) {
            let (a, b) = (a.to_f64(), b.to_f64());
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{how}, {}: {a} and {b}", output.name);
        }
    }
}

#[test]
fn every_schedule_trains_as_one_device() {
    let plans = [mesh(&[("data", 1)], ""), mesh(&[("data", 2)], "data"), mesh(&[("model", 3)], "megatron")];
    for schedule in KINDS {
        for stages in ["1", "2", "3", "4"] {
            for (micro_batches, plan) in [2, 6, 3].into_iter().zip(&plans) {
                agrees(&in_stages(&plan.clone().train("adamw?clip=0.7"), stages, schedule, micro_batches));
            }
        }
    }
}

#[test]
fn every_schedule_predicts_as_one_device() {
    for schedule in KINDS {
        for (stages, micro_batches) in [("1", 2), ("2", 1), ("3", 4), ("4", 3)] {
            agrees(&in_stages(&mesh(&[("data", 2)], "data"), stages, schedule, micro_batches));
        }
    }
}

#[test]
fn one_micro_batch_is_a_pipeline_too() {
    for schedule in KINDS {
        agrees(&in_stages(&mesh(&[("data", 2)], "data").train("sgd"), "3", schedule, 1));
    }
}

#[test]
fn stages_have_layouts_inside() {
    let both = |presets| mesh(&[("data", 2), ("model", 2)], presets);
    for presets in ["data,megatron", "data,megatron,zero1", "data,zero2", "data,zero3"] {
        for schedule in ["1f1b", "zb-h1"] {
            agrees(&in_stages(&both(presets).train("adamw?lr=1e-2"), "2", schedule, 4));
        }
    }
}

#[test]
fn what_is_frozen_has_no_slots() {
    for freeze in ["embed", "blocks.0.*", "blocks.1.*"] {
        for schedule in KINDS {
            agrees(&in_stages(&mesh(&[("data", 2)], "data").train("sgd").freeze(freeze), "3", schedule, 3));
        }
    }
}

#[test]
fn stages_are_cut_by_hand() {
    let plan = mesh(&[("data", 2)], "data").train("sgd");
    for stages in ["embed | blocks.0.** | blocks.1.**", "embed blocks.0.* | blocks.1.up blocks.1.bias | blocks.1.down"]
    {
        agrees(&in_stages(&plan, stages, "1f1b", 3));
    }
}

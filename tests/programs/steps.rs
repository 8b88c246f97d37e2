//! Predicted step times of complete pipelines.

use filetests::gpt::{Gpt, training_pipeline};
use partita_cost::placement::{Placement, PlacementError};
use partita_cost::roofline::Efficiencies;
use partita_cost::step::{PredictError, Prediction, predict};
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::schedule::ScheduleKind;
use partita_machine::Machine;

const GPT: Gpt = Gpt { layers: 8, width: 1024, heads: 16, sequence: 512, vocabulary: 1024, batch: 0, dropout: false };

/// Returns a pipeline with micro-batches of one sequence per replica.
fn pipeline(gpt: &Gpt, [replicas, tensor, stages, micro_batches]: [usize; 4], kind: ScheduleKind) -> Pipeline {
    let gpt = Gpt { batch: replicas * micro_batches, ..*gpt };
    let mut step = gpt.program().unwrap_or_else(|e| panic!("{}", e[0]));
    let mesh = Mesh::new([("data", replicas as u32), ("model", tensor as u32)]).unwrap();
    let plan = Plan::new(mesh).preset("data,megatron").train(format!("adamw?accumulate={micro_batches}"));
    let plan = plan.precision("**", "bf16").remat("**", "full");
    training_pipeline(&mut step, &plan, stages, kind).unwrap_or_else(|e| panic!("{}", e[0]))
}

fn predicted(pipeline: &Pipeline, nodes: usize) -> Prediction {
    let machine = Machine::named(&format!("dgx-a100?nodes={nodes}")).unwrap();
    let placement = Placement::for_pipeline(pipeline, &machine, &[]).unwrap();
    predict(pipeline, &machine, &placement, &Efficiencies::default()).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn flops_match_the_formula() {
    let found = predicted(&pipeline(&GPT, [2, 4, 2, 8], ScheduleKind::OneFOneB), 2);
    let [b, s, l, h, v] = [16, GPT.sequence, GPT.layers, GPT.width, GPT.vocabulary].map(|n| n as f64);
    let formula = 72.0 * b * s * l * h * h * (1.0 + s / (6.0 * h) + v / (12.0 * l * h));
    assert!((found.model_flops / formula - 1.0).abs() < 1e-9, "{} and {formula}", found.model_flops);
    assert!(
        found.hardware_flops > 1.2 * found.model_flops && found.hardware_flops < 4.0 / 3.0 * found.model_flops + 1e9
    );
    let utilisation = found.model_flops / (found.seconds * 16.0 * 312e12);
    assert!((found.model_flops_utilisation / utilisation - 1.0).abs() < 1e-9);
}

#[test]
fn replicas_add_the_reduction_of_gradients_only() {
    let [one, two, many] =
        [1, 2, 16].map(|replicas| predicted(&pipeline(&GPT, [replicas, 4, 2, 8], ScheduleKind::OneFOneB), 16));
    assert!(one.seconds < two.seconds && two.seconds < many.seconds && many.seconds < 1.2 * one.seconds);
    let held = |p: &Prediction| p.stages.iter().map(|stage| stage.memory.sums).collect::<Vec<_>>();
    assert_eq!(held(&two), held(&many));
    assert_eq!(many.devices, 128);
}

#[test]
fn activations_are_scattered_over_links_and_gathered() {
    let found = predicted(&pipeline(&GPT, [1, 8, 2, 4], ScheduleKind::OneFOneB), 2);
    let sent = |name: &str| found.links.iter().find(|link| link.name == name).map_or(0.0, |link| link.bytes);
    // Each device of a stage sends an eighth of the residual stream, of a value of the last layer, and of the shared
    // embedding.
    let (stream, embedding) = (512.0 * 1024.0 * 2.0, 1024.0 * 1024.0 * 4.0);
    let bytes = sent("dgx-a100 0.0>network");
    assert!(bytes >= (4.0 * stream + embedding) / 8.0 && bytes < 8.0 * stream, "{bytes}");
}

#[test]
fn bubbles_match_the_schedule() {
    let found = predicted(&pipeline(&GPT, [1, 1, 4, 8], ScheduleKind::OneFOneB), 1);
    let chunks = predicted(&pipeline(&GPT, [1, 1, 4, 8], ScheduleKind::Interleaved { chunks: 2 }), 1);
    // Stages differ slightly: (p - 1) / (m + p - 1) is a lower bound of the bubble.
    assert!(found.bubble > 3.0 / 11.0 - 0.02 && found.bubble < 0.4, "{}", found.bubble);
    assert!(chunks.bubble < found.bubble, "{} and {}", chunks.bubble, found.bubble);
    assert!(found.stages[0].memory.peak > found.stages[3].memory.peak);
}

#[test]
fn too_small_machine_is_an_error() {
    let pipeline = pipeline(&GPT, [1, 4, 4, 4], ScheduleKind::OneFOneB);
    let machine = Machine::named("dgx-a100").unwrap();
    assert_eq!(
        Placement::for_pipeline(&pipeline, &machine, &[]),
        Err(PlacementError::TooFewDevices { needed: 16, available: 8 })
    );
    let twice = Placement { stages: vec![vec![0, 1, 2, 3]; 4] };
    let failure = predict(&pipeline, &machine, &twice, &Efficiencies::default()).unwrap_err();
    assert_eq!(failure, PredictError::Placement(PlacementError::Invalid));
}

#[test]
#[ignore = "its time and memory are what matters: 175 B parameters on 1,024 GPUs"]
fn large() {
    let gpt = Gpt { layers: 96, width: 12288, heads: 96, sequence: 2048, vocabulary: 51200, batch: 0, dropout: false };
    let kind = ScheduleKind::Interleaved { chunks: 3 };
    let begin = std::time::Instant::now();
    let made = pipeline(&gpt, [8, 8, 16, 192], kind);
    let made_in = begin.elapsed();
    let found = predicted(&made, 128);
    let (all, mfu) = (begin.elapsed(), found.model_flops_utilisation);
    panic!(
        "made in {made_in:?}, predicted by {all:?}: {:.2} s, bubble {:.3}, mfu {mfu:.3}",
        found.seconds, found.bubble
    );
}

//! Estimates on models with few layers, compared with the full models.

#![allow(clippy::unwrap_used, reason = "a test")]

use crate::buckets::gradient_bytes;
use crate::evaluate::Evaluator;
use crate::limits::Effort;
use crate::plan_step::with_recompute;
use crate::problem::{Constraints, SearchProblem, SpaceLimits};
use partita_cost::roofline::Efficiencies;
use partita_ir::plan::Plan;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;

/// Maximum relative difference of seconds between the estimate and the full model.
const TOLERANCE: f64 = 0.03;

/// Maximum relative difference of memory, which includes temporary memory of single tasks.
const MEMORY_TOLERANCE: f64 = 0.06;

/// Returns the estimated and the exact seconds and peak bytes of a plan for a model.
fn compare(model: &str, machine: &str, plan: Plan, recompute: &'static str) -> [(f64, u64); 2] {
    let (program, machine) = (partita_models::program(model).unwrap(), Machine::named(machine).unwrap());
    let constraints = Constraints::from_plan(&Plan::default().train("adam"), &program, &[]).unwrap();
    let problem = SearchProblem {
        program: &program,
        constraints: &constraints,
        prices: &Prices::new(&machine),
        memory: u64::MAX,
        effort: &Effort::default(),
        space: &SpaceLimits::default(),
        target: None,
        efficiencies: &Efficiencies::default(),
        gradient_bytes: gradient_bytes(&program),
    };
    let evaluator = Evaluator::new(problem, None);
    let plan = with_recompute(plan.train("adam").bucket("25MiB"), recompute);
    let estimated = evaluator.estimate(&plan, recompute).unwrap().unwrap().0;
    let exact = evaluator.lower_and_simulate(&plan, recompute).unwrap().0;
    assert!(estimated.is_estimate() && !exact.is_estimate());
    assert_eq!((estimated.mesh, estimated.devices), (exact.mesh, exact.devices));
    assert_eq!((estimated.stages, estimated.micro_batches), (exact.stages, exact.micro_batches));
    [(estimated.seconds, estimated.peak), (exact.seconds, exact.peak)]
}

fn assert_agrees(model: &str, machine: &str, plan: Plan, recompute: &'static str) {
    let text = plan.to_toml();
    let [estimated, exact] = compare(model, machine, plan, recompute);
    let differs = |a: f64, b: f64, tolerance: f64| (a / b - 1.0).abs() > tolerance;
    let is_off =
        differs(estimated.0, exact.0, TOLERANCE) || differs(estimated.1 as f64, exact.1 as f64, MEMORY_TOLERANCE);
    assert!(!is_off, "{estimated:?} instead of {exact:?} for {model} with {recompute} recomputation and\n{text}");
}

fn mesh(axes: &str) -> Plan {
    Plan::default().with_mesh_flag(axes).unwrap()
}

#[test]
fn single_stages_agree() {
    let models =
        ["zoo:gpt?layers=12&width=256&heads=8&seq=256&batch=16", "zoo:llama?layers=9&width=256&heads=8&batch=16"];
    for model in models {
        assert_agrees(model, "hgx-h100", mesh("data=8").preset("data"), "none");
        assert_agrees(model, "hgx-h100", mesh("data=8").preset("zero3"), "none");
        assert_agrees(model, "hgx-h100", mesh("data=2,model=4").preset("data,megatron,sequence"), "selective");
        assert_agrees(model, "hgx-h100", mesh("data=4,model=2").preset("data,mesh"), "full");
    }
}

#[test]
fn axes_are_ordered_as_in_the_full_model() {
    // With few layers the embedding makes `data` the axis with the most bytes, and with many layers it is `model`.
    let model = "zoo:gpt?layers=18&width=1536&heads=12&seq=1024&vocab=50304&batch=36";
    assert_agrees(model, "dgx-a100?nodes=3", mesh("data=6,shard=2,model=2").preset("data,mesh,zero2"), "none");
    let plan = mesh("data=3,model=4").preset("data,megatron").pipeline("2").micro_batches("6").schedule("1f1b");
    assert_agrees(model, "dgx-a100?nodes=3", plan, "none");
}

#[test]
fn pipelines_agree() {
    let model = "zoo:gpt?layers=12&width=512&heads=8&seq=256&batch=32&vocab=1024";
    for schedule in ["1f1b", "zb-h1", "zb-h2", "interleaved?chunks=3"] {
        let plan = mesh("data=2").preset("data").pipeline("4").micro_batches("8").schedule(schedule);
        assert_agrees(model, "hgx-h100", plan, "none");
    }
    // All gradients of parameters are computed at the end, so that all gradients of results are in memory.
    let plan = mesh("data=1").pipeline("4").micro_batches("4").schedule("zb-h1");
    assert_agrees(model, "pcie4", plan, "none");
    let plan = mesh("model=4").preset("megatron").pipeline("2").micro_batches("4").schedule("1f1b");
    assert_agrees(model, "dgx-a100", plan, "full");
}

#[test]
fn plans_that_name_a_layer_have_no_estimate() {
    let model = "zoo:gpt?layers=8&width=64&heads=4&batch=4";
    let (program, machine) = (partita_models::program(model).unwrap(), Machine::named("pcie4").unwrap());
    let constraints = Constraints::from_plan(&Plan::default().train("sgd"), &program, &[]).unwrap();
    let problem = SearchProblem {
        program: &program,
        constraints: &constraints,
        prices: &Prices::new(&machine),
        memory: u64::MAX,
        effort: &Effort::default(),
        space: &SpaceLimits::default(),
        target: None,
        efficiencies: &Efficiencies::default(),
        gradient_bytes: gradient_bytes(&program),
    };
    let evaluator = Evaluator::new(problem, None);
    let plan = mesh("model=4").train("sgd").shard("blocks.3.feed_forward.up.weight", "_, model");
    assert!(evaluator.estimate(&plan, "none").is_none());
    let plan = mesh("model=4").train("sgd").shard("blocks.*.feed_forward.up.weight", "_, model");
    assert!(evaluator.estimate(&plan, "none").is_some());
}

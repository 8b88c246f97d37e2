//! Searches of programs that were exported from JAX: each has a lower bound of the step time, near the plan found, and
//! plans without idle devices.

use partita_ir::plan::Plan;
use partita_machine::Machine;
use partita_search::{Goal, Monitor, SearchRequest, search};
use std::path::Path;

/// Number of devices.
const DEVICES: usize = 2;

/// Largest median of the gaps.
const MAX_MEDIAN: f64 = 0.04;

#[test]
fn user_programs_have_bounds_and_no_idle_devices() {
    let machine = Machine::named("dgx1-v100").unwrap();
    let plan = Plan::default();
    let goal = Goal { devices: Some(DEVICES), ..Goal::default() };
    let mut gaps = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/users");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let program = partita_stablehlo::import(name, &text).unwrap();
        let request = SearchRequest { program: &program, plan: &plan, machine: &machine, goal: &goal };
        let found = search(&request, &mut Monitor::new(None, &mut |_| true)).unwrap_or_else(|e| panic!("{}", e[0]));
        let gap = found.gap().unwrap_or_else(|| panic!("{name}: the bound is unknown"));
        println!("{name} {:.2} %", 100.0 * gap);
        for (at, plan) in found.plans.iter().enumerate() {
            let mut others = found.plans[..at].iter().filter(|other| other.devices < plan.devices);
            let is_idle = others.any(|other| (other.seconds, other.stages) == (plan.seconds, plan.stages));
            assert!(!is_idle, "{name}: {} takes the same time as fewer devices", plan.mesh);
        }
        gaps.push(gap);
    }
    gaps.sort_by(f64::total_cmp);
    let median = gaps[gaps.len() / 2];
    assert!(median < MAX_MEDIAN, "{median}");
}

/// Returns the meshes and numbers of stages of the plans evaluated for a program on some devices, the fastest first.
fn evaluated_divisions(name: &str, plan: &Plan, devices: usize) -> Vec<(String, usize)> {
    let machine = Machine::named("dgx1-v100").unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/users").join(name).with_extension("mlir");
    let program = partita_stablehlo::import(name, &std::fs::read_to_string(path).unwrap()).unwrap();
    let goal = Goal { devices: Some(devices), ..Goal::default() };
    let request = SearchRequest { program: &program, plan, machine: &machine, goal: &goal };
    let found = search(&request, &mut Monitor::new(None, &mut |_| true)).unwrap_or_else(|e| panic!("{}", e[0]));
    found.plans.iter().chain(&found.candidates).map(|plan| (plan.mesh.clone(), plan.stages)).collect()
}

/// The batch norms of the model compute with all examples, so that there are no micro-batches.
#[test]
fn batches_whose_examples_mix_are_sharded() {
    let found = evaluated_divisions("resnet_momentum", &Plan::default().preset("data"), DEVICES);
    assert!(found.contains(&("data=2".to_owned(), 1)), "{found:?}");
}

#[test]
fn functions_that_return_gradients_have_stages() {
    let found = evaluated_divisions("bert_fused_matrix_gradients", &Plan::default(), 4);
    assert!(found[0].1 > 1, "{found:?}");
}

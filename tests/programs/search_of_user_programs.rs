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

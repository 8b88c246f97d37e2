//! Plans that searches write are short: values of equal layers share an entry.

use partita_ir::plan::Plan;
use partita_machine::Machine;
use partita_search::{Goal, Monitor, SearchRequest, search};

/// Weights that are sharded for the update, while their gradients are replicated before, take an entry for each kind of
/// value and none for a single layer.
#[test]
fn values_of_equal_layers_share_an_entry() {
    let program = partita_models::program("zoo:bert?layers=8&width=1024&heads=16&batch=32").unwrap();
    let machine = Machine::named("dgx1-v100").unwrap();
    let plan = Plan::default().train("adam").precision("**", "f16").with_mesh_flag("data=8").unwrap().pipeline("1");
    let goal = Goal { shown: 8, ..Goal::default() };
    let request = SearchRequest { program: &program, plan: &plan, machine: &machine, goal: &goal };
    let outcome =
        search(&request, &mut Monitor::new(None, &mut |_| true)).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let with_values = outcome.plans.iter().map(|one| &one.plan).filter(|plan| has_values(plan));
    let plans: Vec<&Plan> = with_values.collect();
    assert!(!plans.is_empty(), "no plan names values");
    for plan in plans {
        let named: Vec<&str> = plan.shards.iter().map(|entry| entry.path.text.as_str()).collect();
        assert!(plan.shards.len() <= 48 && named.iter().all(|path| !path.contains(".0.")), "{}", plan.to_toml());
    }
}

fn has_values(plan: &Plan) -> bool {
    plan.shards.iter().any(|entry| entry.path.text.starts_with('%'))
}

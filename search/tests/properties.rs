//! Properties of searches for random small models on random machines: the bound holds for explicit plans, a search with
//! more constraints is not better, and a search finds a plan whenever a plan with the same constraints fits.

use partita_cost::placement::Placement;
use partita_cost::roofline::Efficiencies;
use partita_cost::step::predict;
use partita_ir::plan::Plan;
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::program::Program;
use partita_machine::Machine;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;
use partita_passes::pipelining::stages;
use partita_search::{Goal, Monitor, Outcome, SearchRequest, SpaceLimits, search};
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::sync::Arc;

/// Number of random cases. `PARTITA_CASES` sets another one.
const CASES: u32 = 6;

/// A model, a machine, a number of devices, and an explicit plan.
#[derive(Clone, Debug)]
struct Case {
    model: String,
    machine: &'static str,
    devices: usize,
    plan: Plan,
}

fn cases() -> impl Strategy<Value = Case> {
    let model =
        (select(vec!["gpt", "llama", "bert", "mlp"]), 1..3u32, select(vec![64u32, 128, 384]), select(vec![4u32, 6, 8]))
            .prop_map(|(kind, layers, width, batch)| match kind {
                "mlp" => format!("zoo:mlp?width={width}&hidden={}&batch={}", 4 * width, 16 * batch),
                "llama" => format!("zoo:llama?layers={layers}&width={width}&heads=8&kv_heads=4&seq=64&batch={batch}"),
                kind => format!("zoo:{kind}?layers={layers}&width={width}&heads=4&seq=64&batch={batch}"),
            });
    let machine = select(vec!["pcie4", "dgx1-v100", "hgx-h100"]);
    (model, machine, select(vec![2usize, 4]), any::<prop::sample::Index>(), 0..4u8, 0..3u8, 1..3u32).prop_map(
        |(model, machine, devices, split, zero, tensor, rounds)| {
            let stages = [1, 2][split.index(2)].min(devices);
            let per_stage = devices / stages;
            let model_size = [1, per_stage][usize::from(tensor > 0)];
            let data = per_stage / model_size;
            let mut plan = Plan::default().train("adam");
            plan = plan.with_mesh_flag(&format!("data={data},model={model_size}")).unwrap().preset("data");
            plan = match tensor {
                0 => plan,
                1 => plan.preset("megatron"),
                _ => plan.preset("mesh"),
            };
            plan = match zero {
                0 => plan,
                stage => plan.preset(format!("zero{stage}")),
            };
            if stages > 1 {
                plan = plan.pipeline(stages.to_string()).micro_batches((2 * rounds).to_string()).schedule("zb-h1");
            }
            Case { model, machine, devices, plan }
        },
    )
}

/// Returns the simulated seconds and the peak memory of a plan. `None` if it cannot be lowered for the model.
fn simulate(program: &Program, plan: &Plan, machine: &Machine) -> Option<(f64, u64)> {
    let mut step = program.clone();
    let mut findings = Findings::default();
    let input =
        Input { plan: plan.clone(), machine: Some(Arc::new(machine.clone())), is_draft: true, ..Input::default() };
    pipelines::build_step(&mut step, &input, &mut findings).ok()?;
    let how = plan.pipeline_config().unwrap().unwrap_or_else(PipelineConfig::single);
    let pipeline = stages::pipeline(&step, &how, &input, &mut findings, &mut |_| Ok(())).ok()?;
    let placement = Placement::for_pipeline(&pipeline, machine, &[]).ok()?;
    let predicted = predict(&pipeline, machine, &placement, &Efficiencies::default()).ok()?;
    Some((predicted.seconds, predicted.peak_bytes()))
}

fn found(program: &Program, plan: &Plan, machine: &Machine, goal: &Goal) -> Outcome {
    let request = SearchRequest { program, plan, machine, goal };
    search(&request, &mut Monitor::new(None, &mut |_| true)).unwrap_or_else(|errors| panic!("{}", errors[0]))
}

/// Returns the gap of the free search for a training step.
fn gap(model: &str, machine: &str, goal: &Goal) -> f64 {
    let program = partita_models::program(model).unwrap();
    let machine = Machine::named(machine).unwrap();
    found(&program, &Plan::default().train("adam"), &machine, goal).gap().unwrap()
}

#[test]
fn searches_are_consistent_with_explicit_plans() {
    let count = std::env::var("PARTITA_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(CASES);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[3; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let (mut compared, mut gaps) = (0, Vec::new());
    for _ in 0..count {
        let Case { model, machine, devices, plan } = cases().new_tree(&mut runner).unwrap().current();
        let program = partita_models::program(&model).unwrap();
        let machine = Machine::named(machine).unwrap();
        let goal = Goal { devices: Some(devices), ..Goal::default() };
        let free = found(&program, &Plan::default().train("adam"), &machine, &goal);
        let (best, bound) = (free.plans[0].seconds, free.bound.unwrap());
        assert!(bound <= best, "{model}: a bound of {bound} above {best}");
        gaps.push(free.gap().unwrap());
        let Some((seconds, peak)) = simulate(&program, &plan, &machine) else { continue };
        assert!(bound <= seconds, "{model} on {}: {} takes {seconds}, below {bound}", machine.name, plan.to_toml());
        let fixed = found(&program, &plan, &machine, &goal);
        assert!(peak > fixed.memory || fixed.plans[0].peak <= fixed.memory);
        let constrained = fixed.plans[0].seconds;
        assert!(
            constrained <= seconds * (1.0 + 1e-9),
            "{model}: {constrained} instead of {seconds}, {}",
            plan.to_toml()
        );
        assert!(best <= constrained * 1.005, "{model}: {best} without {}, {constrained} with it", plan.to_toml());
        compared += 1;
    }
    gaps.sort_by(f64::total_cmp);
    let median = gaps[gaps.len() / 2];
    println!("{compared} of {count} plans compared; median gap {:.1} %", 100.0 * median);
    assert!(compared >= count / 2 && median < 0.35, "median gap {median}");
}

/// A search under a memory limit is not worse than one with more constraints. `PARTITA_CASES` adds random models and
/// tighter limits.
#[test]
fn memory_limits_do_not_favour_constraints() {
    let count = std::env::var("PARTITA_CASES").ok().and_then(|count| count.parse().ok()).unwrap_or(1);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[5; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let deep = |machine| Case {
        model: "zoo:gpt?layers=8&batch=32".into(),
        machine,
        devices: 4,
        plan: Plan::default().train("adam").with_mesh_flag("data=4").unwrap(),
    };
    let random = (2..count).map(|_| cases().new_tree(&mut runner).unwrap().current());
    let all: Vec<Case> = [deep("pcie4"), deep("dgx1-v100")].into_iter().take(count).chain(random).collect();
    for (Case { model, machine, devices, plan }, share) in all.iter().flat_map(|case| [(case, 0.7), (case, 0.4)]) {
        let program = partita_models::program(model).unwrap();
        let machine = Machine::named(machine).unwrap();
        let goal = Goal { devices: Some(*devices), ..Goal::default() };
        let search = |plan: &Plan, goal: &Goal| {
            let request = SearchRequest { program: &program, plan, machine: &machine, goal };
            search(&request, &mut Monitor::new(None, &mut |_| true)).ok()
        };
        let free = Plan::default().train("adam");
        let peak = search(&free, &goal).unwrap().plans[0].peak;
        let goal = Goal { memory: Some((share * peak as f64) as u64), ..goal };
        let best = search(&free, &goal).map_or(f64::INFINITY, |outcome| outcome.plans[0].seconds);
        for constrained in [plan.clone(), free.clone().pipeline("1"), free.pipeline(devices.to_string())] {
            let Some(outcome) = search(&constrained, &goal) else { continue };
            let seconds = outcome.plans[0].seconds;
            assert!(
                best <= seconds * 1.005,
                "{model} on {} in {share} of the memory: {best} without {}, {seconds} with it",
                machine.name,
                constrained.to_toml()
            );
        }
        if count == 1 {
            break;
        }
    }
}

/// A bound without communication would be the same for links of any speed. Products that overlap with the collectives
/// beside them can hide all of it.
#[test]
fn bounds_contain_communication() {
    let program = partita_models::program("zoo:gpt?layers=2&width=1024&heads=8&batch=8&seq=256").unwrap();
    let plan = Plan::default().train("adam").pipeline("1").overlap("none");
    let goal = Goal { devices: Some(4), ..Goal::default() };
    let machine = Machine::named("pcie4").unwrap();
    let mut fast = machine.clone();
    for link in fast.nodes.iter_mut().flat_map(|node| &mut node.links) {
        (link.bandwidth, link.latency, link.achieved.setup) = (1e3 * link.bandwidth, 0.0, 0.0);
    }
    let [slow, fast] = [machine, fast].map(|machine| found(&program, &plan, &machine, &goal).bound.unwrap());
    assert!(slow > 1.03 * fast, "{slow} and {fast}");
}

/// Without communication, the bound on eight devices would be half the step time.
#[test]
fn bounds_contain_communication_on_three_axes() {
    let goal = Goal { devices: Some(8), ..Goal::default() };
    let gap = gap("zoo:mlp?width=384&hidden=1536&batch=128", "dgx1-v100", &goal);
    assert!(gap < 0.1, "{gap}");
}

/// Few heads leave most multiprocessors idle.
#[test]
fn bounds_contain_idle_multiprocessors() {
    let goal = Goal { devices: Some(1), ..Goal::default() };
    let gap = gap("zoo:gpt?layers=1&width=1024&heads=4&batch=6&seq=128", "hgx-h100", &goal);
    assert!(gap < 0.1, "{gap}");
}

/// The gradient of an attention is only sharded along the sequence if keys and values are exchanged.
#[test]
fn bounds_hold_for_sharded_sequences() {
    let program = partita_models::program("zoo:bert?layers=4&width=128&heads=4&batch=4&seq=512").unwrap();
    let machine = Machine::named("hgx-h100").unwrap();
    let plan = Plan::default().train("adam").with_mesh_flag("data=2,context=4").unwrap().pipeline("1");
    let goal = Goal { devices: Some(8), ..Goal::default() };
    let outcome = found(&program, &plan, &machine, &goal);
    let bound = outcome.bound.unwrap();
    for method in ["gather", "ring", "ulysses"] {
        let plan = plan.clone().preset(format!("data,context?attention={method}"));
        let (seconds, _) = simulate(&program, &plan, &machine).unwrap();
        assert!(bound <= seconds, "{method}: a bound of {bound} above {seconds}");
    }
}

/// Layouts that no preset has are found without the mesh on which they were found.
#[test]
fn searches_solve_layouts_along_one_axis() {
    let program = partita_models::program("zoo:gpt?layers=2&width=384&heads=4&batch=4&seq=128").unwrap();
    let machine = Machine::named("dgx1-v100").unwrap();
    let goal = Goal { devices: Some(6), ..Goal::default() };
    let plan = Plan::default().train("adam");
    let best = found(&program, &plan, &machine, &goal).plans[0].seconds;
    let constrained = found(&program, &plan.with_mesh_flag("data=6").unwrap(), &machine, &goal).plans[0].seconds;
    assert!(best <= constrained * 1.005, "{best} without a mesh, {constrained} with it");
}

/// Stages that are balanced by time exceed the memory, and those with other numbers of layers fit.
#[test]
fn stages_fit_into_memory() {
    let program = partita_models::program("zoo:gpt?layers=8&width=128&heads=4&batch=16&seq=64&vocab=8192").unwrap();
    let machine = Machine::named("pcie4").unwrap();
    let plan = Plan::default().train("adam").with_mesh_flag("data=1").unwrap();
    let plan = plan.schedule("1f1b").micro_batches("8").pipeline("2");
    let (_, balanced) = simulate(&program, &plan, &machine).unwrap();
    let halves = "blocks.0 blocks.1 blocks.2 blocks.3 | blocks.4 blocks.5 blocks.6 blocks.7";
    let (_, equal) = simulate(&program, &plan.clone().pipeline(halves), &machine).unwrap();
    assert!(equal < balanced);
    let mut space = SpaceLimits { recompute: Some(vec!["none".into()]), ..SpaceLimits::default() };
    space.stages = Some(vec![2]);
    for memory in [equal.midpoint(balanced), balanced - 1] {
        let goal = Goal { devices: Some(2), memory: Some(memory), space: space.clone(), ..Goal::default() };
        let best = &found(&program, &plan, &machine, &goal).plans[0];
        assert!(best.peak <= memory && best.stages == 2, "{best}, limit {memory}");
        // The plan has the memory that the search states.
        let budgeted = best.plan.clone();
        assert_eq!(simulate(&program, &budgeted, &machine).unwrap().1, best.peak);
    }
}

/// No plan with shards of the sequence, whose keys and values are exchanged or whose products overlap, is faster than
/// the bound.
#[test]
fn bounds_hold_for_explicit_sequence_shards() {
    let machine = Machine::named("dgx-a100").unwrap();
    let goal = Goal { devices: Some(4), ..Goal::default() };
    let meshes =
        [("data=2,context=2", "data,context"), ("context=4", "context"), ("context=2,model=2", "context,megatron")];
    let methods = ["ring", "gather", "ulysses"];
    for model in ["zoo:gpt?layers=1&width=128&heads=4&seq=256&batch=4", "zoo:bert?layers=2&width=256&heads=4&batch=2"] {
        let program = partita_models::program(model).unwrap();
        let train = Plan::default().train("adam");
        let bound = found(&program, &train, &machine, &goal).bound.unwrap();
        let sharded = meshes
            .iter()
            .flat_map(|(mesh, presets)| methods.map(|method| (*mesh, format!("{presets}?attention={method}"))));
        let sharded = sharded.map(|(mesh, presets)| (mesh, presets.replace("context,megatron?", "megatron,context?")));
        let sequence =
            [("model=4", "megatron,sequence".to_owned()), ("data=2,model=2", "data,megatron,sequence".to_owned())];
        for (mesh, presets) in sharded.chain(sequence) {
            for overlap in ["none", "all_gather, reduce_scatter"] {
                let plan = train.clone().with_mesh_flag(mesh).unwrap().preset(&presets).overlap(overlap);
                let Some((seconds, _)) = simulate(&program, &plan, &machine) else { continue };
                assert!(bound <= seconds, "{model}, {mesh}, {presets}: {seconds} below {bound}");
            }
        }
    }
}

/// Collectives that start before the kernel that waits for them, the exchange of keys and values, and parts of products
/// that overlap with collectives are part of the bound.
#[test]
fn bounds_contain_exposed_collectives() {
    let space = SpaceLimits { stages: Some(vec![1]), ..SpaceLimits::default() };
    let goal = Goal { devices: Some(4), space, ..Goal::default() };
    let gap = gap("zoo:gpt?layers=2&width=64&heads=4&seq=64&batch=8", "hgx-h100", &goal);
    assert!(gap < 0.1, "{gap}");
}

/// A ring exchanges keys and values more often than a gather, which matters in small models. Gradients that several
/// devices compute parts of are reduced in buckets.
#[test]
fn small_models_gather_keys() {
    let program = partita_models::program("zoo:gpt?layers=2&width=512&heads=4&seq=512&batch=2").unwrap();
    let machine = Machine::named("dgx-a100").unwrap();
    let plan = Plan::default().train("adam").with_mesh_flag("context=2").unwrap().preset("context?attention=gather");
    let (gathered, _) = simulate(&program, &plan, &machine).unwrap();
    let goal = Goal { devices: Some(2), ..Goal::default() };
    let best = &found(&program, &Plan::default().train("adam"), &machine, &goal).plans[0];
    assert!(best.plan.bucket.is_some() && best.seconds < gathered, "{best} instead of {gathered}");
}

/// Values that cross a cut are sent one after another, each with the latency of the link, so that a model is cut where
/// few do.
#[test]
fn stages_are_cut_where_few_values_cross() {
    let program = partita_models::program("zoo:bert?layers=2&width=64&heads=4&seq=64&batch=6").unwrap();
    let machine = Machine::named("hgx-h100").unwrap();
    let plan = Plan::default().train("adam").with_mesh_flag("data=1").unwrap();
    let plan = plan.pipeline("2").micro_batches("1").schedule("zb-h1");
    let (seconds, _) = simulate(&program, &plan, &machine).unwrap();
    assert!(seconds < 0.62e-3, "{seconds}");
}

/// On slow links, exchanges between parts of products are faster than collectives between them.
#[test]
fn products_overlap_on_slow_links() {
    let program = partita_models::program("zoo:gpt?layers=1&width=1024&heads=8&batch=4&seq=512").unwrap();
    let machine = Machine::named("pcie4").unwrap();
    let plan = Plan::default().train("sgd").with_mesh_flag("model=4").unwrap().preset("megatron,sequence");
    let (undivided, _) = simulate(&program, &plan, &machine).unwrap();
    let goal = Goal { devices: Some(4), param_storage: false, ..Goal::default() };
    let outcome = found(&program, &plan.pipeline("1"), &machine, &goal);
    let (best, bound) = (&outcome.plans[0], outcome.bound.unwrap());
    assert!(best.plan.overlap.is_some() && best.seconds < 0.97 * undivided, "{best} instead of {undivided}");
    assert!(bound <= best.seconds);
}

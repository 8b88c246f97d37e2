//! Storage layouts of parameters selected by a search for a training step.

use partita_cost::memory;
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::Source;
use partita_ir::mesh::DeviceMesh;
use partita_ir::plan::{self, Plan};
use partita_ir::program::Program;
use partita_ir::text::parse;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_passes::planning::name_dims::DimClasses;
use partita_search::intra_op::{Assumptions, ChosenLayouts, LayoutSpace, MemoryLimit, MeshPlacement, SearchGraph};
use partita_search::write::{self, Detail};
use partita_search::{Effort, FixedLayouts};

/// Returns a model with eight layers of 4 MiB each.
fn model() -> String {
    let params = (0..8).map(|i| format!("param %w{i} \"layers.{i}.weight\" : f32[1024, 1024]\n"));
    let layer = |i: usize| {
        let before = if i == 0 { "x".to_owned() } else { format!("r{}", i - 1) };
        format!("%h{i} = matmul %{before}, %w{i} : f32[4096, 1024]\n%r{i} = tanh %h{i} : f32[4096, 1024]\n")
    };
    format!(
        "form traced\n{}input %x : f32[4096, 1024]\n{}%s = reduce sum [0, 1] %r7 : f32[]\noutput %s \"loss\"\n",
        params.collect::<String>(),
        (0..8).map(layer).collect::<String>()
    )
}

fn step(train: &str, precision: &str) -> Program {
    let mut program = parse(&Source::new("model.pir", model())).unwrap_or_else(|e| panic!("{}", e[0]));
    let mut plan = Plan::default().train(train);
    if !precision.is_empty() {
        plan = plan.precision("**", precision);
    }
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    pipelines::build_step(&mut program, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
    program
}

/// Returns the best layouts on eight devices with a memory limit in MiB, and the resulting plan.
fn best(program: &Program, base: Plan, mebibytes: f64) -> Option<(ChosenLayouts, Plan)> {
    let machine = Machine::named("dgx1-v100").unwrap();
    let mesh = DeviceMesh::new("mesh", [("data", 8)]);
    let devices: Vec<usize> = (0..8).collect();
    let (classes, prices, efficiencies) = (DimClasses::new(program), Prices::new(&machine), Efficiencies::default());
    let graph = SearchGraph::new(program, &classes).with_param_storage();
    let on = MeshPlacement {
        mesh: &mesh,
        devices: &devices,
        machine: &machine,
        prices: &prices,
        efficiencies: &efficiencies,
    };
    let mut layouts = LayoutSpace::new(&graph, on)?;
    let base = Plan { mesh: Some(plan::Mesh::new([("data", 8)]).unwrap()), ..base };
    let fixed = FixedLayouts::from_plan(program, &base, &[]).unwrap();
    layouts.restrict_to(&fixed);
    let memory = MemoryLimit { bytes: mebibytes * f64::from(1 << 20), live_micro_batches: 1.0 };
    let found = layouts.best(&Assumptions { overlap: None, sharded_storage: true, memory }, &Effort::default())?;
    let plan = write::plan(&base, program, &mesh, &found, &fixed, Detail::Values).unwrap();
    Some((found, plan))
}

/// Returns the peak memory of one device in bytes.
fn peak(program: &Program, plan: Plan) -> f64 {
    let mut program = program.clone();
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    pipelines::pipeline(Milestone::Step, Milestone::Local, Variant::default())
        .unwrap()
        .run(&mut program, &input, &mut findings, &mut |_| Ok(()))
        .unwrap_or_else(|e| panic!("{}", e[0]));
    memory::peak(&program).bytes as f64
}

const MIB: f64 = 1048576.0;

#[test]
fn parameters_are_stored_as_used_if_memory_suffices() {
    for precision in ["", "f16"] {
        let program = step("adam", precision);
        let (found, plan) = best(&program, Plan::default(), 1e6).unwrap();
        assert!(found.stores.is_empty() && plan.stores.is_empty(), "{}", plan.to_toml());
    }
}

#[test]
fn parameters_are_sharded_if_memory_is_short() {
    // Parameters take 32 MiB, as do gradients and activations. Optimizer state takes 64 MiB.
    let program = step("adam", "");
    let (roomy, roomy_plan) = best(&program, Plan::default(), 60.0).unwrap();
    let (found, plan) = best(&program, Plan::default(), 46.0).unwrap();
    let text = plan.to_toml();
    assert!(text.contains("[store]") && text.contains("weight"), "{text}");
    assert!(found.solution.cost > roomy.solution.cost);
    assert!(found.solution.bound <= found.solution.cost);
    // The all-gathered weights of one layer are needed in addition.
    let (small, large) = (peak(&program, plan), peak(&program, roomy_plan));
    assert!(small + 10.0 * MIB <= large, "{} and {}", small / MIB, large / MIB);
}

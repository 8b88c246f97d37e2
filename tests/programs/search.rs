//! The layout search compared with exhaustive enumeration on random programs: it finds the optimum, and its bound is
//! never above the optimal cost.

use filetests::generate::{Palette, cases};
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::Source;
use partita_ir::mesh::DeviceMesh;
use partita_ir::op::OpKind;
use partita_ir::plan::Plan;
use partita_ir::program::{Program, Value};
use partita_ir::text::{parse, print};
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_passes::planning::name_dims::DimClasses;
use partita_search::intra_op::{Assumptions, LayoutSpace, MemoryLimit, MeshPlacement, Overlap, Problem, SearchGraph};
use partita_search::write::{self, Detail};
use partita_search::{Effort, FixedLayouts, Stop};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Number of compared programs.
const PROGRAM_COUNT: usize = 200;

/// Programs with more assignments than this are skipped.
const MAX_ASSIGNMENTS: usize = 5_000;

/// Sizes of the mesh axes.
const MESHES: [[u32; 2]; 4] = [[2, 2], [2, 3], [3, 2], [4, 2]];

/// Search effort that suffices for an exact solution.
const EXACT_EFFORT: Effort = Effort { max_table_entries: 1 << 18, max_work: 1 << 26, gap: 1e-9 };

/// Returns the minimum cost of all assignments within the limits, if any, and if few enough to enumerate.
fn brute_force_minimum(problem: &Problem) -> Option<f64> {
    let mut choice = vec![0; problem.variable_count()];
    let mut least = f64::INFINITY;
    loop {
        let cost = problem.cost(&choice);
        if cost < least && problem.satisfies_limits(&choice) {
            least = cost;
        }
        let next = (0..choice.len()).find(|&thing| choice[thing] + 1 < problem.options()[thing]);
        let Some(thing) = next else { return (least < f64::INFINITY).then_some(least) };
        choice[thing] += 1;
        choice[..thing].fill(0);
    }
}

/// Compares the best layouts with all assignments. Returns the largest memory of an assignment if enumeration was
/// feasible.
fn compare(layouts: &mut LayoutSpace<'_>, memory: f64) -> Option<f64> {
    let all = Overlap { reductions: 1.0, backward: 1.0 };
    let assumptions = Assumptions {
        overlap: Some(all),
        sharded_storage: true,
        memory: MemoryLimit { bytes: memory, live_micro_batches: 1.0 },
    };
    let problem = layouts.build_problem(&assumptions, all);
    let choices = problem.options().iter().try_fold(1usize, |n, &options| n.checked_mul(options));
    choices.filter(|&choices| choices <= MAX_ASSIGNMENTS)?;
    let best = layouts.best(&assumptions, &EXACT_EFFORT).map(|found| found.solution);
    let least = brute_force_minimum(&problem);
    assert_eq!(best.is_some(), least.is_some(), "one of them finds nothing: {best:?}, {least:?}");
    let (Some(best), Some(least)) = (best, least) else { return Some(0.0) };
    assert_eq!(best.stop, Stop::Optimal);
    assert!((best.cost - least).abs() <= 1e-9 * least, "{} instead of {least}", best.cost);
    assert!(best.bound <= least * (1.0 + 1e-9), "a bound of {} above {least}", best.bound);
    assert!(problem.satisfies_limits(&best.choice));
    Some(problem.limits().iter().map(|limit| limit.usage_of(&best.choice)).fold(0.0, f64::max))
}

/// Compares the layouts with unlimited memory and with limits. Returns the number of comparisons with limited memory.
fn compare_all(program: &Program, machine: &Machine, axes: [u32; 2]) -> Option<usize> {
    let mesh = DeviceMesh::new("mesh", [("a", axes[0]), ("b", axes[1])]);
    let devices: Vec<usize> = (0..mesh.device_count()).collect();
    let (classes, prices, efficiencies) = (DimClasses::new(program), Prices::new(machine), Efficiencies::default());
    let graph = SearchGraph::new(program, &classes).with_param_storage();
    let on = MeshPlacement { mesh: &mesh, devices: &devices, machine, prices: &prices, efficiencies: &efficiencies };
    let mut layouts = LayoutSpace::new(&graph, on)?;
    let used = compare(&mut layouts, 1e18)?;
    let shares = [0.8, 0.6, 0.4];
    Some(shares.into_iter().filter(|share| used > 0.0 && compare(&mut layouts, used * share).is_some()).count())
}

#[test]
fn best_layouts_match_brute_force() {
    let machine = Machine::named("dgx1-v100").unwrap();
    let config = Config::default();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let (mut compared, mut tight) = (0, 0);
    let strategy = cases(8);
    for number in 0.. {
        if compared == PROGRAM_COUNT {
            break;
        }
        let case = strategy.new_tree(&mut runner).unwrap().current();
        let program = case.draw(&Palette::ALL).program;
        if let Some(with_limits) = compare_all(&program, &machine, MESHES[number % MESHES.len()]) {
            compared += 1;
            tight += with_limits;
        }
    }
    println!("{compared} programs, {tight} with less memory than the best layouts need");
    assert!(tight > PROGRAM_COUNT / 2);
}

/// Checks that propagation of the plan derived from the best layouts reproduces them. Returns the number of values.
fn check_plan_reproduces_layouts(program: &Program, machine: &Machine, axes: [u32; 2]) -> usize {
    let names = [("a", axes[0]), ("b", axes[1])];
    let mesh = DeviceMesh::new("mesh", names);
    let devices: Vec<usize> = (0..mesh.device_count()).collect();
    let (classes, prices, efficiencies) = (DimClasses::new(program), Prices::new(machine), Efficiencies::default());
    let graph = SearchGraph::new(program, &classes);
    let on = MeshPlacement { mesh: &mesh, devices: &devices, machine, prices: &prices, efficiencies: &efficiencies };
    let assumptions = Assumptions {
        overlap: None,
        sharded_storage: true,
        memory: MemoryLimit { bytes: 1e18, live_micro_batches: 1.0 },
    };
    let found = LayoutSpace::new(&graph, on).unwrap().best(&assumptions, &EXACT_EFFORT).unwrap();
    let names = names.map(|(name, size)| (name.to_string(), size));
    let base = Plan { mesh: Some(partita_ir::plan::Mesh::new(names).unwrap()), ..Plan::default() };
    let fixed = FixedLayouts::from_plan(program, &base, &[]).unwrap_or_else(|e| panic!("{}", e[0]));
    let plan =
        write::plan(&base, program, &mesh, &found, &fixed, Detail::Values).unwrap_or_else(|e| panic!("{}", e[0]));
    let (mut laid_out, input, mut findings) = (program.clone(), Input::with_plan(plan), Findings::default());
    let passes = [
        pipelines::pipeline(Milestone::Step, Milestone::Annotated, Variant::default()).unwrap(),
        pipelines::pipeline(Milestone::Annotated, Milestone::LaidOut, Variant::default()).unwrap(),
    ];
    for pass in passes {
        pass.run(&mut laid_out, &input, &mut findings, &mut |_| Ok(())).unwrap_or_else(|e| panic!("{}", e[0]));
    }
    let replaced: Vec<_> = program.outputs().iter().filter(|output| output.replaces.is_some()).collect();
    let mut compared = 0;
    for (value, layout) in found.inputs.iter().chain(&found.values) {
        // Broadcasts follow the layouts of their readers, and updated parameters follow the parameter.
        let maker = laid_out.ops.iter().find(|(_, op)| op.outs.contains(value)).map(|(_, op)| &op.kind);
        let follows = matches!(maker, Some(OpKind::Broadcast(_) | OpKind::Constant(_) | OpKind::Iota(_)));
        // A plan cannot distinguish several values of one name.
        let is_named_so = |other: &&Value| other.name == program.values[*value].name;
        let is_alone = program.values.values().filter(is_named_so).count() == 1;
        if follows || replaced.iter().any(|output| output.value == *value) || !is_alone {
            continue;
        }
        let lies = laid_out.values[*value].layout.as_ref().unwrap();
        let name = &program.values[*value].name;
        assert_eq!(lies.dims, layout.dims, "`{name}` in\n{}\n{}", print(program), findings.plan(&input.plan).to_toml());
        compared += 1;
    }
    compared
}

#[test]
fn plans_reproduce_the_layouts_found() {
    let machine = Machine::named("dgx1-v100").unwrap();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[11; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let strategy = cases(12);
    let mut compared = 0;
    for number in 0..PROGRAM_COUNT {
        let case = strategy.new_tree(&mut runner).unwrap().current();
        // The mesh is removed, as in a program without annotations.
        let mut program = case.draw(&Palette::ALL).program;
        program.meshes = Default::default();
        program.values.values_mut().for_each(|value| value.layout = None);
        compared += check_plan_reproduces_layouts(&program, &machine, MESHES[number % MESHES.len()]);
    }
    println!("{compared} values");
    assert!(compared > 4 * PROGRAM_COUNT);
}

/// Returns a training step of one layer, for the axes of a mesh.
fn layer() -> Program {
    let text = "form traced\nparam %w \"w\" : f32[64, 64]\ninput %x : f32[64, 64]\n  %y = matmul %x, %w : f32[64, 64]\n  \
                %s = reduce sum [0, 1] %y : f32[]\noutput %s \"loss\"\n";
    let mut program = parse(&Source::new("layer.pir", text)).unwrap_or_else(|e| panic!("{}", e[0]));
    let (input, mut findings) = (Input::with_plan(Plan::default().train("sgd")), Findings::default());
    pipelines::build_step(&mut program, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
    program
}

#[test]
fn parameter_storage_matches_brute_force() {
    let machine = Machine::named("dgx1-v100").unwrap();
    let tight = compare_all(&layer(), &machine, [4, 1]).expect("few choices");
    assert_eq!(tight, 3);
}

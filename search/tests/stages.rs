//! Results of each stage of a search for a small model.

use expect_test::expect;
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::Source;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::text::parse;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_search::configs::{ParallelConfig, configs};
use partita_search::intra_op::{StepGraphs, price_submeshes, solve};
use partita_search::{
    Constraints, Effort, Goal, Monitor, Progress, SearchProblem, SearchRequest, SpaceLimits, Step, inter_op, search,
};
use std::time::Duration;

/// A model with four layers. The last layer has most of the parameters.
const MODEL: &str = "form traced
param %a \"a.weight\" : f32[256, 256]
param %b \"b.weight\" : f32[256, 256]
param %c \"c.weight\" : f32[256, 256]
param %d \"d.weight\" : f32[256, 8192]
input %x : f32[4096, 256]
%p = matmul %x, %a : f32[4096, 256]
%q = matmul %p, %b : f32[4096, 256]
%r = matmul %q, %c : f32[4096, 256]
%s = matmul %r, %d : f32[4096, 8192]
%l = reduce sum [0, 1] %s : f32[]
output %l \"loss\"
";

fn model() -> Program {
    parse(&Source::new("model.pir", MODEL)).unwrap()
}

fn lines<T: ToString>(all: &[T]) -> String {
    all.iter().map(|one| one.to_string() + "\n").collect()
}

#[test]
fn results_of_all_stages() {
    let (program, machine, goal) = (model(), Machine::named("k80+v100").unwrap(), Goal::default());
    let plan = Plan::default().train("sgd");
    let decided = plan.clone().with_mesh_flag("data=2").unwrap().pipeline("2").micro_batches("8");
    let decided = Constraints::from_plan(&decided, &program, &[]).unwrap();
    assert_eq!(decided.to_string(), "mesh: data=2, stages: 2, micro-batches: 8");
    let constraints = Constraints::from_plan(&plan, &program, &[]).unwrap();
    assert_eq!(constraints.to_string(), "unconstrained");
    let step = Step::build(&program, &constraints, 1).unwrap();
    let all = configs(&constraints, &step.program, machine.device_count()).unwrap();
    let wanted = |config: &&ParallelConfig| [1, 8].contains(&config.micro_batches);
    let all: Vec<_> = all.iter().filter(wanted).cloned().collect();
    expect![[r#"
        stages: 1, mesh: axis0=8, micro-batches: 1
        stages: 1, mesh: axis0=2,axis1=4, micro-batches: 1
        stages: 1, mesh: axis0=4,axis1=2, micro-batches: 1
        stages: 2, mesh: axis0=4, micro-batches: 8
        stages: 2, mesh: axis0=2,axis1=2, micro-batches: 8
        stages: 1, mesh: axis0=1, micro-batches: 1
        stages: 1, mesh: axis0=2, micro-batches: 1
        stages: 1, mesh: axis0=4, micro-batches: 1
        stages: 1, mesh: axis0=2,axis1=2, micro-batches: 1
    "#]]
    .assert_eq(&lines(&all));

    let (prices, effort, efficiencies) = (Prices::new(&machine), Effort::default(), Efficiencies::default());
    let (constraints, prices, effort, efficiencies) = (&constraints, &prices, &effort, &efficiencies);
    let (space, target, memory) = (&SpaceLimits::default(), None, 1 << 30);
    let problem = SearchProblem {
        program: &program,
        constraints,
        prices,
        memory,
        effort,
        space,
        target,
        efficiencies,
        gradient_bytes: 0,
    };
    let steps = [step, Step::build(&program, constraints, 8).unwrap()];
    let graphs = StepGraphs::new(&steps, false);
    let priced = solve(&problem, &graphs, &all, &mut |_| true).unwrap();
    expect![[r#"
        stages: 1, mesh: axis0=2,axis1=4, micro-batches: 1: 0.002646 s, at least 0.002646 s
        stages: 1, mesh: axis0=4,axis1=2, micro-batches: 1: 0.002646 s, at least 0.002646 s
        stages: 1, mesh: axis0=8, micro-batches: 1: 0.002646 s, at least 0.002646 s
        stages: 2, mesh: axis0=2,axis1=2, micro-batches: 8: 0.003385 s, at least 0.003385 s
        stages: 2, mesh: axis0=4, micro-batches: 8: 0.003385 s, at least 0.003385 s
        stages: 1, mesh: axis0=2,axis1=2, micro-batches: 1: 0.004935 s, at least 0.004935 s
        stages: 1, mesh: axis0=4, micro-batches: 1: 0.004976 s, at least 0.004976 s
        stages: 1, mesh: axis0=2, micro-batches: 1: 0.009228 s, at least 0.009228 s
        stages: 1, mesh: axis0=1, micro-batches: 1: 0.017691 s, at least 0.017691 s
    "#]]
    .assert_eq(&lines(&priced));
    assert!(priced.iter().all(|one| one.bound() <= one.seconds()));

    let graph = graphs.get(8).unwrap();
    // Five devices cannot be divided into equal stages.
    let submeshes = price_submeshes(&problem, graph, 8, 5).unwrap().unwrap();
    let stages = inter_op::assign_stages(graph, &submeshes);
    expect![[r#"
        meshes: data=1,model=1 | data=2,model=1 | data=1,model=1 | data=1,model=1, micro-batches: 8
    "#]]
    .assert_eq(&lines(stages.as_slice()));

    let request = SearchRequest { program: &program, plan: &plan, machine: &machine, goal: &goal };
    let outcome = search(&request, &mut Monitor::new(None, &mut |_| true)).unwrap();
    expect![[r#"
        stages: 2, mesh: data=4, micro-batches: 4, recompute: none: 1.89 ms, 27.3 MiB
        stages: 2, mesh: data=4, micro-batches: 4, recompute: none: 1.91 ms, 27.3 MiB
        stages: 2, mesh: data=4, micro-batches: 8, recompute: none: 1.95 ms, 27.3 MiB
        stages: 2, mesh: data=4, micro-batches: 8, recompute: none: 1.95 ms, 27.3 MiB
        stages: 4, mesh: data=1,model=1 | data=2,model=1 | data=1,model=1 | data=4,model=1, micro-batches: 8, recompute: none: 2.00 ms, 30.3 MiB
    "#]]
    .assert_eq(&lines(&outcome.plans));
}

/// A search whose deadline has already passed still finds a plan and reports the interruption.
#[test]
fn a_deadline_leaves_the_first_plan() {
    let (program, machine, goal) = (model(), Machine::named("pcie4").unwrap(), Goal::default());
    let plan = Plan::default().train("sgd");
    let request = SearchRequest { program: &program, plan: &plan, machine: &machine, goal: &goal };
    let mut simulated = 0;
    let mut count = |progress: &Progress| {
        simulated = progress.simulated;
        true
    };
    let full = search(&request, &mut Monitor::new(None, &mut count)).unwrap();
    assert!(!full.is_interrupted && simulated > 1);
    assert!(full.bound.is_some_and(|bound| bound > 0.0 && bound <= full.plans[0].seconds));
    let mut at_once = |_: &Progress| true;
    let mut monitor = Monitor::new(Some(Duration::ZERO), &mut at_once);
    let outcome = search(&request, &mut monitor).unwrap();
    assert!(outcome.is_interrupted && !outcome.plans.is_empty());
    assert!(full.plans[0].seconds <= outcome.plans[0].seconds);
}

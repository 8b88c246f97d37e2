//! Training steps with autotuned lowering variants: no step is predicted slower than with the default variant, and some
//! are predicted faster.

use filetests::agree::{run_partitioned, run_unpartitioned};
use filetests::models::{Models, Module};
use partita_cost::roofline::Efficiencies;
use partita_equality::prove::prove;
use partita_ir::diag::Source;
use partita_ir::interp::random_inputs;
use partita_ir::plan::Plan;
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::program::Program;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_runtime::check::compare;
use partita_search::autotune::{VariantChoice, choose_variant, predict_step_cost};
use std::sync::Arc;

/// Machine of the predicted times.
const MACHINE: &str = "dgx1-v100";

/// A program with the pass input that its variants are compiled with.
struct Step {
    program: Program,
    input: Input,
    how: PipelineConfig,
}

impl Step {
    /// Returns the step of a program under a plan.
    fn of(program: Program, plan: Plan) -> Step {
        let how = plan.pipeline_config().unwrap().unwrap_or_else(PipelineConfig::single);
        let machine = Arc::new(Machine::named(MACHINE).unwrap());
        let (input, mut findings) = (Input { machine: Some(machine), plan, ..Input::default() }, Findings::default());
        let mut program = program;
        pipelines::build_step(&mut program, &input, &mut findings).unwrap();
        Step { program, input, how }
    }

    fn choice(&self) -> Option<VariantChoice> {
        let machine = Machine::named(MACHINE).unwrap();
        let by = (&Prices::new(&machine), &Efficiencies::default());
        choose_variant(&self.program, &self.how, &self.input, by, None).unwrap()
    }

    /// Returns the predicted seconds of a variant, and the findings of its passes.
    fn seconds(&self, variant: Variant) -> (f64, Findings) {
        let (input, mut findings) = (Input { variant, ..self.input.clone() }, Findings::default());
        let machine = Machine::named(MACHINE).unwrap();
        let by = (&Prices::new(&machine), &Efficiencies::default());
        let price = predict_step_cost(&self.program, &self.how, &input, &mut findings, by);
        (price.unwrap().unwrap().seconds, findings)
    }
}

fn steps(named: impl Fn(&str) -> bool) -> Vec<Module> {
    let models = Models::find().unwrap();
    let modules = models.modules().into_iter();
    modules
        .filter(|module| (module.name.contains(".sgd.") || module.name.contains(".adam.")) && named(&module.name))
        .collect()
}

/// Compares each step with the default variant. Returns the predicted seconds of both.
fn compare_with_default(steps: Vec<(String, Step)>) -> Vec<(f64, f64)> {
    let mut all = Vec::new();
    for (name, step) in &steps {
        let (usual, _) = step.seconds(Variant::default());
        let choice = step.choice();
        let variant = choice.map_or(Variant::default(), |choice| choice.variant);
        let (best, findings) = step.seconds(variant);
        println!("{name:<44} {usual:.4e} {best:.4e} {:+6.1} % {variant:?}", 100.0 * (best / usual - 1.0));
        assert!(best <= usual, "{name}: {best} s, and {usual} s as usual");
        if let Some(choice) = choice {
            assert_eq!((choice.default_seconds, choice.cost.seconds), (usual, best), "{name}");
            // Each search result records the laws that prove it equal.
            let found = findings.searches.iter().flat_map(|search| &search.rewrites);
            assert!(found.clone().all(|found| found.after < found.before && !found.steps.is_empty()), "{name}");
            let runs = |pass: &str| findings.searches.iter().any(|search| search.pass == pass);
            let may = (variant.is_simplified, variant.is_rearranged);
            assert!(may.0 || !runs("simplify"), "{name}");
            assert!(may.1 || !runs("collectives"), "{name}");
        }
        assert_eq!(step.choice(), choice, "{name}: another one the second time");
        all.push((usual, best));
    }
    all
}

fn faster_count(all: &[(f64, f64)]) -> usize {
    all.iter().filter(|(usual, best)| *best < usual * 0.99).count()
}

#[test]
fn autotuned_data_steps_are_never_slower_and_mostly_faster() {
    let steps = steps(|name| name.contains(".sdy.") && !name.contains("tiny"));
    let steps =
        steps.into_iter().map(|module| (module.name.clone(), Step::of(module.import().unwrap(), Plan::default())));
    let all = compare_with_default(steps.collect());
    println!("{} of {} are faster", faster_count(&all), all.len());
    assert!(all.is_empty() || (all.len() == 16 && faster_count(&all) > 8), "{} of {}", faster_count(&all), all.len());
}

#[test]
fn presets_are_never_slower_in_stages() {
    let mut all = Vec::new();
    for module in steps(|name| name.ends_with(".plain") && !name.contains("tiny")) {
        for (mesh, preset) in [("data=2,model=4", "data,megatron"), ("data=8", "data")] {
            let plan = Plan::default().with_mesh_flag(mesh).unwrap().preset(preset);
            // With a schedule, a single stage is a pipeline of tasks, too.
            let plan = plan.pipeline("1").schedule("1f1b");
            let step = Step::of(module.import().unwrap(), plan);
            all.push((format!("{} {mesh} {preset}", module.name), step));
        }
    }
    let all = compare_with_default(all);
    println!("{} of {} are faster", faster_count(&all), all.len());
    assert!(all.is_empty() || 3 * faster_count(&all) > all.len(), "{} of {}", faster_count(&all), all.len());
}

#[test]
fn fastest_variant_has_the_same_results() {
    let mut faster_count = 0;
    for module in steps(|name| name.contains("tiny.sgd.sdy")) {
        let step = Step::of(module.import().unwrap(), Plan::default());
        let Some(choice) = step.choice() else { continue };
        faster_count += 1;
        let mut local = step.program.clone();
        let place = pipelines::pipeline(Milestone::Step, Milestone::Local, choice.variant).unwrap();
        place.run(&mut local, &step.input, &mut Findings::default(), &mut |_| Ok(())).unwrap();
        let inputs = random_inputs(&step.program, 2).unwrap();
        let names = step.program.outputs().iter().map(|o| o.name.as_str());
        let (got, want) =
            (run_partitioned(&local, &inputs).unwrap(), run_unpartitioned(&step.program, &inputs).unwrap());
        let difference = compare(names, &got, &want, 1e-3);
        assert!(difference.iter().all(|d| d.ok), "{}: {difference:?}", module.name);
        let verdict = prove(verify(&step.program).unwrap(), verify(&local).unwrap());
        // The prover does not expand gathers along a sharded dimension.
        assert!(verdict.is_equal() || !module.name.starts_with("mlp4"), "{}: {:?}", module.name, verdict.gap);
    }
    assert!(faster_count > 0);
}

#[test]
fn large_steps_are_not_autotuned() {
    let text = "form traced
        mesh @m = [a=2]
        input %x : f32[8, 6@a]
        input %w : f32[6@a, 8]
          %y = matmul %x, %w : f32[8, 8]
        output %y";
    let small = parse(&Source::new("small.pir", text)).unwrap();
    let mut large = Step::of(small, Plan::default());
    let main = large.program.entry();
    let op = large.program.funcs[main].ops()[0];
    *large.program.funcs[main].ops_mut() = vec![op; partita_search::SearchLimits::TUNED.max_autotuned_ops + 1];
    // The program is invalid, so that any attempt to compile it would fail.
    assert_eq!(large.choice(), None);
}

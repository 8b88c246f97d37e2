//! Steps in the way that is predicted to be fastest: none is slower than in the usual one, and some are faster.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use filetests::agree::{run_parts, run_whole};
use filetests::models::{Models, Module};
use partita_cost::roofline::Efficiencies;
use partita_equality::prove::prove;
use partita_ir::diag::Source;
use partita_ir::interp::random_inputs;
use partita_ir::plan::Plan;
use partita_ir::plan::pipeline::Pipelined;
use partita_ir::program::Program;
use partita_ir::text::parse;
use partita_ir::verify::verify;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_runtime::check::compare;
use partita_search::autotune::{Choice, choose, price};
use std::sync::Arc;

/// The machine of the figures.
const MACHINE: &str = "dgx1-v100";

/// What is to be computed, and what passes know of it.
struct Step {
    program: Program,
    input: Input,
    how: Pipelined,
}

impl Step {
    /// The step of a module as a plan spreads it over a machine.
    fn of(program: Program, plan: Plan) -> Step {
        let how = plan.pipelined().unwrap().unwrap_or_else(Pipelined::single);
        let machine = Arc::new(Machine::named(MACHINE).unwrap());
        let (input, mut findings) = (Input { machine: Some(machine), plan, ..Input::default() }, Findings::default());
        let mut program = program;
        pipelines::make_step(&mut program, &input, &mut findings).unwrap();
        Step { program, input, how }
    }

    fn choice(&self) -> Option<Choice> {
        let machine = Machine::named(MACHINE).unwrap();
        let by = (&Prices::new(&machine), &Efficiencies::default());
        choose(&self.program, &self.how, &self.input, by).unwrap()
    }

    /// Predicted seconds of a variant, and what passes found on the way.
    fn seconds(&self, variant: Variant) -> (f64, Findings) {
        let (input, mut findings) = (Input { variant, ..self.input.clone() }, Findings::default());
        let machine = Machine::named(MACHINE).unwrap();
        let by = (&Prices::new(&machine), &Efficiencies::default());
        let price = price(&self.program, &self.how, &input, &mut findings, by);
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

/// Compares each step with the usual one; the predicted seconds of both.
fn never_slower(steps: Vec<(String, Step)>) -> Vec<(f64, f64)> {
    let mut all = Vec::new();
    for (name, step) in &steps {
        let (usual, _) = step.seconds(Variant::default());
        let choice = step.choice();
        let variant = choice.map_or(Variant::default(), |choice| choice.variant);
        let (best, findings) = step.seconds(variant);
        println!("{name:<44} {usual:.4e} {best:.4e} {:+6.1} % {variant:?}", 100.0 * (best / usual - 1.0));
        assert!(best <= usual, "{name}: {best} s, and {usual} s as usual");
        if let Some(choice) = choice {
            assert_eq!((choice.before, choice.after), (usual, best), "{name}");
            // What was found is kept with the laws that make it equal.
            let found = findings.searches.iter().flat_map(|search| &search.found);
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

fn faster(all: &[(f64, f64)]) -> usize {
    all.iter().filter(|(usual, best)| *best < usual * 0.99).count()
}

#[test]
fn no_step_of_the_data_files_is_slower_and_most_are_faster() {
    let steps = steps(|name| name.contains(".sdy.") && !name.contains("tiny"));
    let steps =
        steps.into_iter().map(|module| (module.name.clone(), Step::of(module.import().unwrap(), Plan::default())));
    let all = never_slower(steps.collect());
    println!("{} of {} are faster", faster(&all), all.len());
    assert!(all.is_empty() || (all.len() == 16 && faster(&all) >= 12), "{} of {}", faster(&all), all.len());
}

#[test]
fn presets_are_never_slower_in_stages() {
    let mut all = Vec::new();
    for module in steps(|name| name.ends_with(".plain") && !name.contains("tiny")) {
        for (mesh, preset) in [("data=2,model=4", "data,megatron"), ("data=8", "data")] {
            let plan = Plan::default().mesh_flag(mesh).unwrap().preset(preset);
            // In an order, a single stage is one of tasks, too.
            let plan = plan.pipeline("1").schedule("1f1b");
            let step = Step::of(module.import().unwrap(), plan);
            all.push((format!("{} {mesh} {preset}", module.name), step));
        }
    }
    let all = never_slower(all);
    println!("{} of {} are faster", faster(&all), all.len());
    assert!(all.is_empty() || 2 * faster(&all) > all.len(), "{} of {}", faster(&all), all.len());
}

#[test]
fn the_fastest_way_computes_the_same() {
    let mut faster = 0;
    for module in steps(|name| name.contains("tiny.sgd.sdy")) {
        let step = Step::of(module.import().unwrap(), Plan::default());
        let Some(choice) = step.choice() else { continue };
        faster += 1;
        let mut local = step.program.clone();
        let place = pipelines::pipeline(Milestone::Step, Milestone::Local, choice.variant).unwrap();
        place.run(&mut local, &step.input, &mut Findings::default(), &mut |_| Ok(())).unwrap();
        let inputs = random_inputs(&step.program, 2).unwrap();
        let names = step.program.outputs().iter().map(|o| o.name.as_str());
        let (got, want) = (run_parts(&local, &inputs).unwrap(), run_whole(&step.program, &inputs).unwrap());
        let difference = compare(names, &got, &want, 1e-3);
        assert!(difference.iter().all(|d| d.ok), "{}: {difference:?}", module.name);
        let verdict = prove(verify(&step.program).unwrap(), verify(&local).unwrap());
        // Gathers along a dimension that is split are not looked into.
        assert!(verdict.is_equal() || !module.name.starts_with("mlp4"), "{}: {:?}", module.name, verdict.gap);
    }
    assert!(faster > 0);
}

#[test]
fn of_large_steps_nothing_is_tried() {
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
    *large.program.funcs[main].ops_mut() = vec![op; partita_search::SearchLimits::TUNED.autotuned_ops + 1];
    // It would not even verify.
    assert_eq!(large.choice(), None);
}

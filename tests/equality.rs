//! Laws hold on random data, and what is proven equal is: mutated programs that compute something else are refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use filetests::agree::{partition, run_parts, run_whole};
use filetests::generate::{Palette, cases};
use filetests::mutations::mutations;
use filetests::sides;
use partita_equality::laws::{self, Family, Law};
use partita_equality::prove::prove;
use partita_ir::diag::Source;
use partita_ir::interp::random_inputs;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::text::{parse, print};
use partita_ir::verify::verify;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input, Pipeline};
use partita_passes::pipelines::{self, Milestone};
use partita_runtime::check::compare;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// How far rounding may take what is equal in exact arithmetic, relative to the largest element.
const ROUNDING: f64 = 1e-5;

#[test]
fn both_sides_of_every_law_give_the_same_numbers() {
    for law in laws::all() {
        let example = parse(&Source::new(law.name, law.example)).unwrap();
        verify(&example).unwrap_or_else(|errors| panic!("{}: {errors:?}", law.name));
        if law.name == laws::layouts::LOOP.name {
            of_loop(law, &example);
            continue;
        }
        let (left, right) = match law.family {
            Family::Algebra => of_whole_values(law, &example),
            Family::Layout | Family::Collective => of_parts(law, &example),
            // What comes of these is run in the tests of the pass that applies them.
            Family::Rearrangement => continue,
        };
        let tolerance = if law.exact && law.family == Family::Algebra { 0.0 } else { ROUNDING };
        let outputs = compare([law.name], &left, &right, tolerance);
        assert!(outputs.iter().all(|d| d.ok), "{}: {outputs:?}", law.name);
    }
}

/// An example on one device, and the term that the law makes equal to its result.
fn of_whole_values(law: &Law, example: &Program) -> (Vec<Tensor>, Vec<Tensor>) {
    let other = sides::whole(law, example).unwrap_or_else(|| panic!("`{}` finds nothing in its example", law.name));
    assert_ne!(print(example), print(&other), "`{}` finds the same term", law.name);
    let inputs = random_inputs(example, 7).unwrap();
    (run_whole(example, &inputs).unwrap(), run_whole(&other, &inputs).unwrap())
}

/// An example on its devices, and the whole value on one that it is a part of by the law.
fn of_parts(law: &Law, example: &Program) -> (Vec<Tensor>, Vec<Tensor>) {
    let (local, whole) = sides::parts(law, example).unwrap_or_else(|| panic!("`{}` does not follow", law.name));
    let inputs = random_inputs(example, 7).unwrap();
    (run_parts(&local, &inputs).unwrap(), run_whole(&whole, &inputs).unwrap())
}

/// That the law of loops shows its example, partitioned, to be what it is on one device, and that it gives the same
/// numbers.
fn of_loop(law: &Law, example: &Program) {
    let mut local = example.clone();
    let pipeline = pipelines::pipeline(Milestone::of(example.form), Milestone::Local, Variant::default()).unwrap();
    pipeline.run(&mut local, &Input::default(), &mut Findings::default(), &mut |_| Ok(())).unwrap();
    let verdict = prove(verify(example).unwrap(), verify(&local).unwrap());
    assert!(verdict.is_equal(), "{:?}\n{}", verdict.gap, print(&local));
    assert!(verdict.proven[0].counts().contains_key(law.name), "{:?}", verdict.proven[0].steps);
    let inputs = random_inputs(example, 7).unwrap();
    let outputs =
        compare([law.name], &run_parts(&local, &inputs).unwrap(), &run_whole(example, &inputs).unwrap(), ROUNDING);
    assert!(outputs.iter().all(|d| d.ok), "{outputs:?}");
}

/// The built-in MLP, as it is traced.
const MLP: &str = include_str!("mlp.pir");

/// A training step of the MLP, and one device's program of it.
fn trained(mesh: &str, preset: &str, train: &str) -> (Program, Program) {
    let plan = Plan::default().mesh_flag(mesh).unwrap().preset(preset).train(train);
    let mut program = parse(&Source::new("mlp.pir", MLP)).unwrap();
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    pipelines::make_step(&mut program, &input, &mut findings).unwrap();
    let mut local = program.clone();
    pipelines::pipeline(Milestone::Step, Milestone::Local, Variant::default())
        .unwrap()
        .run(&mut local, &input, &mut findings, &mut |_| Ok(()))
        .unwrap();
    (program, local)
}

#[test]
fn mutated_programs_are_refused() {
    let refused = refused(&[
        ("data=2,model=2", "mesh", "sgd?lr=0.1"),
        ("data=2", "zero1", "momentum?lr=0.1"),
        ("data=2", "zero3", "sgd?lr=0.1"),
        ("data=3", "data", "adam?lr=0.1"),
        ("model=4", "megatron", "sgd?lr=0.1"),
    ]);
    println!("{refused} mutated programs were refused");
    assert!(refused >= 500, "only {refused} mutations changed the numbers");
}

#[test]
fn mutated_loops_over_micro_batches_are_refused() {
    let refused = refused(&[
        ("data=2", "data", "sgd?lr=0.1&accumulate=2"),
        ("data=2,model=2", "mesh", "sgd?lr=0.1&accumulate=2"),
        ("model=4", "megatron", "momentum?lr=0.1&accumulate=2"),
    ]);
    println!("{refused} mutated programs with loops were refused");
    assert!(refused >= 300, "only {refused} mutations changed the numbers");
}

#[test]
fn steps_in_micro_batches_are_shown() {
    for (mesh, preset) in [
        ("data=2", "data"),
        ("data=4", "zero1"),
        ("data=2", "zero2"),
        ("data=2", "zero3"),
        ("model=4", "megatron"),
        ("data=2,model=2", "mesh"),
        ("data=2,model=2", "data,megatron"),
    ] {
        for train in ["sgd?lr=0.1&accumulate=2", "adam?lr=0.1&accumulate=4"] {
            let (original, local) = trained(mesh, preset, train);
            let began = std::time::Instant::now();
            let verdict = prove(verify(&original).unwrap(), verify(&local).unwrap());
            println!("{mesh} {preset} {train}: {} terms, {:?}", verdict.terms, began.elapsed());
            assert!(verdict.is_equal(), "{mesh} {preset} {train}: {:?}\n{}", verdict.gap, print(&local));
            let uses =
                |law: &str| verdict.proven.iter().filter_map(|proven| proven.counts().get(law).copied()).sum::<usize>();
            assert!(uses("loop") > 0, "{mesh} {preset} {train}");
        }
    }
}

/// How many mutated training steps compute something else, none of which is said to be equal.
fn refused(steps: &[(&str, &str, &str)]) -> usize {
    let mut refused = 0;
    for &(mesh, preset, train) in steps {
        let (original, local) = trained(mesh, preset, train);
        let original = verify(&original).unwrap();
        assert!(prove(original, verify(&local).unwrap()).is_equal(), "{preset}");
        let inputs = random_inputs(&local, 3).unwrap();
        let want = run_parts(&local, &inputs).unwrap();
        for (what, mutated) in mutations(&local) {
            let names = mutated.outputs().iter().map(|o| o.name.as_str());
            // A run that fails is noticed, too: replicas of an output that differ.
            let same = run_parts(&mutated, &inputs)
                .is_ok_and(|got| compare(names, &got, &want, ROUNDING).iter().all(|difference| difference.ok));
            if same {
                continue;
            }
            let verdict = prove(original, verify(&mutated).unwrap());
            assert!(!verdict.is_equal(), "{preset}: {what} is said to be equal\n{}", print(&mutated));
            refused += 1;
        }
    }
    refused
}

#[test]
fn what_is_simplified_computes_the_same() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[6; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let (mut found, mut shown) = (0, 0);
    for _ in 0..300 {
        let drawn = cases(12).new_tree(&mut runner).unwrap().current().draw(&Palette::ALL);
        let mut simple = drawn.program.clone();
        let (input, mut findings) = (Input::default(), Findings::default());
        let pass = pipelines::pass("simplify", simple.form).unwrap();
        Pipeline::new(vec![pass]).unwrap().run(&mut simple, &input, &mut findings, &mut |_| Ok(())).unwrap();
        if findings.searches.iter().all(|search| search.found.is_empty()) {
            continue;
        }
        let inputs = drawn.inputs(1);
        let names = simple.outputs().iter().map(|o| o.name.as_str());
        let (got, want) = (run_whole(&simple, &inputs).unwrap(), run_whole(&drawn.program, &inputs).unwrap());
        let outputs = compare(names, &got, &want, 0.0);
        assert!(outputs.iter().all(|d| d.ok), "{outputs:?}\n{}\n{}", print(&drawn.program), print(&simple));
        found += 1;
        shown += usize::from(prove(verify(&drawn.program).unwrap(), verify(&simple).unwrap()).is_equal());
    }
    println!("{found} of 300 random programs were simplified, {shown} shown equal");
    assert!(found > 0);
}

#[test]
fn mutated_random_programs_are_refused() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[5; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let (mut shown, mut partitioned, mut refused) = (0, 0, 0);
    for case in 0..300 {
        let palette = if case % 3 == 0 { &Palette::LINEAR } else { &Palette::ALL };
        let drawn = cases(8).new_tree(&mut runner).unwrap().current().draw(palette);
        let Ok(parts) = partition(&drawn.program) else { continue };
        let original = verify(&drawn.program).unwrap();
        partitioned += 1;
        shown += usize::from(prove(original, verify(&parts.local).unwrap()).is_equal());
        let inputs = drawn.inputs(1);
        let want = run_parts(&parts.local, &inputs).unwrap();
        let all = mutations(&parts.local);
        let stride = all.len().div_ceil(10).max(1);
        for (what, mutated) in all.into_iter().step_by(stride) {
            let names = mutated.outputs().iter().map(|o| o.name.as_str());
            let same = run_parts(&mutated, &inputs)
                .is_ok_and(|got| compare(names, &got, &want, ROUNDING).iter().all(|difference| difference.ok));
            let is_equal = prove(original, verify(&mutated).unwrap()).is_equal();
            assert!(same || !is_equal, "{what} is said to be equal\n{}\n{}", print(&drawn.program), print(&mutated));
            refused += usize::from(!same);
        }
    }
    println!("{shown} of {partitioned} random programs were shown equal, {refused} mutated ones refused");
    // Loops, windows, indices and padding around collectives are in most of the others.
    assert!(shown >= 100 && refused > 1000, "{shown} of {partitioned}, {refused}");
}

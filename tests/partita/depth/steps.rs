//! Training steps that Partita builds.

use super::{assert_is, reduce};
use partita_ir::arena::ValueId;
use partita_ir::plan::path::is_in_module;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;
use partita_passes::planning::reduce_depth::RepeatedLayers;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Builds the training step of a built-in model.
fn step(spec: &str, train: &str, precision: &str) -> Program {
    step_of(partita_models::program(spec).unwrap(), train, precision)
}

/// Builds the training step of a program.
fn step_of(mut program: Program, train: &str, precision: &str) -> Program {
    let mut plan = Plan::new(Mesh::new([("data", 1)]).unwrap()).train(train);
    if !precision.is_empty() {
        plan = plan.precision("**", precision);
    }
    let (input, mut findings) = (Input::with_plan(plan), Findings::default());
    pipelines::build_step(&mut program, &input, &mut findings).unwrap_or_else(|e| panic!("{}", e[0]));
    program
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn steps(
        name in prop::sample::select(vec!["gpt", "bert", "llama", "moe"]),
        train in prop::sample::select(vec!["sgd", "adam", "adamw?clip=1", "momentum"]),
        precision in prop::sample::select(vec!["", "bf16"]),
        layers in 6..10usize, kept in 1..5usize, dropout in prop::sample::select(vec!["0.0", "0.1"]),
    ) {
        let heads = if name == "moe" { "" } else { "&heads=2&vocab=10" };
        let spec = format!("zoo:{name}?width=8&hidden=12&seq=4&batch=2&dropout={dropout}{heads}");
        let model = |layers: usize| step(&format!("{spec}&layers={layers}"), train, precision);
        let reduced = reduce(&model(layers), kept);
        // The data has no gradient, so that the first layer of `moe` has fewer ops.
        let irregular = if name == "moe" { 1..3 } else { 0..1 };
        prop_assert!(irregular.contains(&(layers - reduced.full)), "{} of {layers} layers", reduced.full);
        assert_is(&reduced, &model(layers - (reduced.full - reduced.kept)));
    }
}

/// Op and type of each named value of a program, with its inputs.
fn named_values(program: &Program) -> BTreeMap<String, (&'static str, String)> {
    let named = |value: ValueId, op: &'static str| {
        let of = &program.values[value];
        (of.name.to_string(), (op, of.ty.to_string()))
    };
    let inputs = program.inputs().iter().map(|&input| named(input, "input"));
    let funcs = program.funcs_with_layouts().into_iter().flat_map(|func| program.funcs[func].ops());
    let results = funcs.map(|&op| &program.ops[op]);
    inputs.chain(results.flat_map(|op| op.outs.iter().map(|&out| named(out, op.kind.name())))).collect()
}

/// A plan with entries for values applies to the same model with any number of layers.
#[test]
fn names_do_not_depend_on_the_number_of_layers() {
    let specs = ["zoo:gpt?layers=9", "zoo:bert?layers=7&dropout=0.1", "zoo:llama?layers=12&heads=4&kv_heads=2"];
    let trains = [("adamw?clip=1", "bf16"), ("momentum?norms=true&clip=1", "f16"), ("sgd?decay=0.1", "")];
    for (spec, (train, precision)) in specs.into_iter().flat_map(|spec| trains.map(|how| (spec, how))) {
        let mut full = partita_models::program(spec).unwrap();
        pipelines::normalise(&mut full).unwrap();
        let layers = RepeatedLayers::find(&full).unwrap();
        let deep = named_values(&step_of(full.clone(), train, precision));
        assert_eq!(deep, named_values(&step(spec, train, precision)), "{spec}");
        for kept in [2, 4] {
            let short = named_values(&step_of(layers.reduced(&full, kept).program, train, precision));
            // Gradients of the last layer are computed from the loss.
            let is_last = |name: &str| is_in_module(name, &layers.paths(&full).unwrap()[kept - 1]);
            for (name, (op, ty)) in &short {
                let (expected_op, expected_ty) = &deep[name];
                assert!(op == expected_op || is_last(name), "`%{name}` of {kept} layers of {spec} with {train}");
                assert_eq!(ty, expected_ty, "`%{name}` of {kept} layers of {spec} with {train}");
            }
        }
    }
}

//! Training steps that Partita builds.

use crate::{assert_is, reduce};
use partita_ir::plan::{Mesh, Plan};
use partita_ir::program::Program;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;
use proptest::prelude::*;

/// Builds the training step of a built-in model.
fn step(spec: &str, train: &str, precision: &str) -> Program {
    let mut program = partita_models::program(spec).unwrap();
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

//! Built-in models of random sizes.

use super::{assert_is, reduce};
use partita_passes::planning::reduce_depth::RepeatedLayers;
use proptest::prelude::*;

/// Compares the model `spec` of `layers` layers, reduced to `kept` repetitions, with the model of fewer layers. A
/// repetition may consist of several layers, and layers at the ends may belong to none. `crossing` values cross from
/// each repetition to the next.
fn compare(
    spec: &str,
    layers: usize,
    kept: usize,
    layers_per_repetition: usize,
    crossing: usize,
) -> Result<(), TestCaseError> {
    let model = |layers: usize| partita_models::program(&format!("{spec}&layers={layers}")).unwrap();
    let full = model(layers);
    let reduced = reduce(&full, kept);
    prop_assert!((reduced.full + 2) * layers_per_repetition > layers, "{} of {layers} layers", reduced.full);
    let removed = (reduced.full - reduced.kept) * layers_per_repetition;
    assert_is(&reduced, &model(layers - removed));
    let repetitions = RepeatedLayers::find(&full).unwrap();
    for repetition in 0..repetitions.count() {
        let crossing = if repetition + 1 < repetitions.count() { crossing } else { 0 };
        prop_assert_eq!(repetitions.boundary(repetition).len(), crossing, "{}", repetition);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn transformers(
        name in prop::sample::select(vec!["gpt", "bert", "llama"]),
        layers in 4..14usize, kept in 1..14usize, heads in 1..4usize, width in 1..5usize, hidden in 1..90usize,
        seq in 1..9usize, dropout in prop::bool::ANY, loss in prop::bool::ANY,
    ) {
        let dropout = if dropout { 0.1 } else { 0.0 };
        let spec = format!(
            "zoo:{name}?width={}&heads={heads}&hidden={hidden}&seq={seq}&vocab=50&batch=2&dropout={dropout}&loss={loss}",
            2 * width * heads
        );
        compare(&spec, layers, kept.min(layers), 1, 1)?;
    }

    #[test]
    fn mixtures_of_experts(
        layers in 4..14usize, kept in 1..14usize, experts in 1..5usize, seq in 1..9usize, loss in prop::bool::ANY,
    ) {
        let spec = format!("zoo:moe?width=8&experts={experts}&hidden=12&seq={seq}&batch=2&loss={loss}");
        compare(&spec, layers, kept.min(layers), 1, 1 + usize::from(loss))?;
    }

    #[test]
    fn multilayer_perceptrons(
        layers in 9..20usize, kept in 1..5usize, width in 1..9usize, hidden in 1..9usize, dropout in prop::bool::ANY,
    ) {
        let dropout = if dropout { 0.1 } else { 0.0 };
        let spec = format!("zoo:mlp?width={width}&hidden={hidden}&dropout={dropout}");
        compare(&spec, layers, kept.min(4), if width == hidden { 1 } else { 2 }, 1)?;
    }
}

#[test]
fn a_convolutional_network_has_no_repetitions() {
    let model = partita_models::program("zoo:mnist-cnn").unwrap();
    assert!(RepeatedLayers::find(&model).is_none());
}

#[test]
fn three_layers_are_too_few() {
    for spec in ["zoo:gpt?layers=3", "zoo:llama?layers=3", "zoo:moe?layers=3", "zoo:mlp?layers=6"] {
        assert!(RepeatedLayers::find(&partita_models::program(spec).unwrap()).is_none(), "{spec}");
    }
}

#[test]
fn paths_that_match_every_layer_are_uniform() {
    let model = partita_models::program("zoo:gpt?layers=12").unwrap();
    let layers = RepeatedLayers::find(&model).unwrap();
    for path in ["blocks.*.attention.query.weight", "**.bias", "tokens.weight", "**", "blocks.**", "absent", "%add"] {
        assert!(layers.is_uniform(&model, path), "{path}");
    }
    for path in ["blocks.0.**", "blocks.1*.norm1.gamma", "blocks.11.norm2.beta", "%blocks.0.norm1.gamma", "%gelu.3"] {
        assert!(!layers.is_uniform(&model, path), "{path}");
    }
}

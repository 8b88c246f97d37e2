//! Exported programs compared with the results that PyTorch recorded.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a panic is how a test fails")]

mod common;

use common::{import, recorded, run};
use partita_ir::program::ParamKind;
use partita_ir::tensor::Tensor;

/// Returns the largest difference of two tensors, relative to the largest element.
fn difference(got: &Tensor, want: &Tensor) -> f64 {
    assert_eq!(got.ty, want.ty);
    let largest = want.scalars().map(|x| x.to_f64().abs()).fold(1e-3, f64::max);
    let pairs = got.scalars().zip(want.scalars());
    pairs.map(|(got, want)| (got.to_f64() - want.to_f64()).abs() / largest).fold(0.0, f64::max)
}

/// Compares a model in both flavours with the recorded results, which are all of its results.
fn compare(name: &str) {
    let recorded = recorded(name);
    for flavour in ["", ".core"] {
        let results = run(&import(&format!("{name}{flavour}")), &recorded);
        let wanted: Vec<(&str, &Tensor)> =
            recorded.iter().filter_map(|(key, tensor)| Some((key.strip_prefix("out.")?, tensor))).collect();
        let names: Vec<&str> = results.keys().map(String::as_str).collect();
        assert_eq!(names, wanted.iter().map(|(key, _)| *key).collect::<Vec<_>>(), "{name}{flavour}");
        for (key, want) in wanted {
            let difference = difference(&results[key], want);
            assert!(difference < 2e-5, "{key} of {name}{flavour} differs by {difference:e}");
        }
    }
}

#[test]
fn gpt2() {
    compare("gpt2");
}

#[test]
fn llama() {
    compare("llama");
}

#[test]
fn mixtral() {
    compare("mixtral");
}

#[test]
fn bert() {
    compare("bert");
}

#[test]
fn vit() {
    compare("vit");
}

#[test]
fn resnet() {
    compare("resnet");
}

/// In training mode the results include the updated running statistics, under the names of the buffers.
#[test]
fn classifier_in_training_mode() {
    compare("classifier");
}

/// Parameters have their fully qualified names. Tied weights are one parameter under the first name, a parameter
/// without gradient is frozen, and changed buffers are state.
#[test]
fn parameters_have_qualified_names_and_kinds() {
    for name in ["classifier", "classifier.core"] {
        let imported = import(name);
        let params: Vec<(&str, ParamKind)> =
            imported.program.params.values().map(|param| (param.path.as_str(), param.kind)).collect();
        let wanted = [
            ("norm.weight", ParamKind::Trainable),
            ("norm.bias", ParamKind::Trainable),
            ("up.weight", ParamKind::Trainable),
            ("up.bias", ParamKind::Frozen),
            ("down.weight", ParamKind::Trainable),
            ("down.bias", ParamKind::Trainable),
            ("norm.running_mean", ParamKind::State),
            ("norm.running_var", ParamKind::State),
            ("norm.num_batches_tracked", ParamKind::State),
        ];
        assert_eq!(params, wanted, "{name}");
        let inputs: Vec<&str> =
            imported.program.inputs()[..2].iter().map(|&v| imported.program.values[v].name.as_str()).collect();
        assert_eq!(inputs, ["x", "labels"], "{name}");
    }
    let llama = import("llama");
    assert!(llama.weights.contains_key("model.layers.1.self_attn.q_proj.weight"));
    assert_eq!(llama.program.outputs()[0].name, "logits");
}

/// Ops have the module in which they were traced as their scope.
#[test]
fn ops_have_the_path_of_their_module() {
    let program = import("llama").program;
    let scopes: Vec<&str> = program.ops.values().map(|op| op.origin.scope.as_str()).collect();
    for path in ["model.embed_tokens", "model.layers.0.self_attn.o_proj", "model.layers.1.mlp.up_proj", "lm_head"] {
        assert!(scopes.contains(&path), "{path}");
    }
}

/// The name of the file may state a loss, which replaces the results.
#[test]
fn loss_replaces_the_results() {
    let path = common::data().join("gpt2.pt2").display().to_string();
    let program = partita_torch::import(&format!("{path}?loss=cross_entropy")).unwrap().program;
    let outputs: Vec<&str> = program.outputs().iter().map(|output| output.name.as_str()).collect();
    assert_eq!(outputs, ["loss"]);
    assert!(program.inputs().iter().any(|&v| program.values[v].name == "labels"));
    for (options, title) in [("loss=hinge", "there is no loss `hinge`"), ("batch=8", "has no option `batch=8`")] {
        let errors = partita_torch::import(&format!("{path}?{options}")).err().unwrap();
        assert!(errors[0].title.contains(title), "{}", errors[0].title);
    }
}

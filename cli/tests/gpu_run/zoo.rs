//! The built-in models: compiled, kept in a file, loaded and run on the device, forward and training steps, in `f32`
//! and narrow, on one device and on several; all compared with one device of the interpreter.

use crate::support::{Folder, partita};
use std::time::Instant;

/// One device, data and model parallel, and model parallel.
const MESHES: [&[&str]; 3] = [
    &["--mesh", "device=1"],
    &["--mesh", "data=2,model=4", "--preset", "data,megatron"],
    &["--mesh", "model=4", "--preset", "megatron"],
];

/// The forward pass, and training steps.
const KINDS: [&[&str]; 3] = [&[], &["--train", "sgd"], &["--train", "adamw"]];

const PRECISIONS: [&[&str]; 2] = [&[], &["--precision", "bf16"]];

/// Compares a model in every way, and in `f16` where that is not like `bf16`: there the loss is scaled.
fn check(model: &str) {
    let name = model.split(['?', ':']).nth(1).unwrap_or(model);
    let folder = Folder::new(&format!("gpu_zoo_{name}"));
    let cases = MESHES.iter().flat_map(|mesh| KINDS.iter().map(move |kind| (*mesh, *kind)));
    let mut cases: Vec<Vec<&str>> =
        cases.flat_map(|(mesh, kind)| PRECISIONS.map(|precision| [mesh, kind, precision].concat())).collect();
    cases.push([MESHES[0], KINDS[2], &["--precision", "f16"]].concat());
    for case in cases {
        let started = Instant::now();
        let said = format!("{model} {}", case.join(" "));
        let compile = ["compile", model, "--target", "wgsl", "-o", "model.partita"];
        let ended = partita(&folder, [&compile[..], &case].concat());
        assert_eq!(ended.code, Some(0), "{said}: {}", ended.all());
        let ended = partita(&folder, ["run", "model.partita", "--check"]);
        assert_eq!(ended.code, Some(0), "{said}: {}", ended.all());
        assert!(ended.out.contains(" on every output\n"), "{said}: {}", ended.all());
        println!("{:5.1} s  {said}", started.elapsed().as_secs_f64());
    }
}

#[test]
#[ignore = "needs a GPU"]
fn a_perceptron_is_right() {
    check("zoo:mlp?layers=2&width=8&hidden=16&batch=8");
}

#[test]
#[ignore = "needs a GPU"]
fn convolutions_are_right() {
    check("zoo:mnist-cnn?image=8&batch=8");
}

#[test]
#[ignore = "needs a GPU"]
fn a_decoder_is_right() {
    check("zoo:gpt?layers=1&width=16&heads=4&hidden=32&seq=8&vocab=32&batch=4");
}

#[test]
#[ignore = "needs a GPU"]
fn an_encoder_is_right() {
    check("zoo:bert?layers=1&width=16&heads=4&hidden=32&seq=8&vocab=32&batch=4");
}

#[test]
#[ignore = "needs a GPU"]
fn experts_are_right() {
    check("zoo:moe?layers=1&width=8&hidden=12&experts=4&seq=6&batch=8");
}

//! The built-in models compiled, stored in a file, loaded and run on the device: forward and training steps, in `f32`
//! and reduced precision, on one device and on several. Results are compared with the interpreter on one device.

use crate::support::{Folder, partita};
use std::time::Instant;

/// One device, data and model parallel, and model parallel.
const MESHES: [&[&str]; 3] = [
    &["--mesh", "device=1"],
    &["--mesh", "data=2,model=4", "--preset", "data,megatron"],
    &["--mesh", "model=4", "--preset", "megatron"],
];

/// Flags of the forward pass and of training steps.
const KINDS: [&[&str]; 3] = [&[], &["--train", "sgd"], &["--train", "adamw"]];

const PRECISIONS: [&[&str]; 2] = [&[], &["--precision", "bf16"]];

/// Compares a model in every configuration, including `f16` where it differs from `bf16` by its loss scaling.
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
        assert_eq!(ended.code, Some(0), "{said}: {}", ended.transcript());
        let ended = partita(&folder, ["run", "model.partita", "--check"]);
        assert_eq!(ended.code, Some(0), "{said}: {}", ended.transcript());
        assert!(ended.out.contains(" on every output\n"), "{said}: {}", ended.transcript());
        println!("{:5.1} s  {said}", started.elapsed().as_secs_f64());
    }
}

#[test]
#[ignore = "needs a GPU"]
fn perceptron_matches_interpreter() {
    check("zoo:mlp?layers=2&width=8&hidden=16&batch=8");
}

#[test]
#[ignore = "needs a GPU"]
fn convolutions_match_interpreter() {
    check("zoo:mnist-cnn?image=8&batch=8");
}

#[test]
#[ignore = "needs a GPU"]
fn decoder_matches_interpreter() {
    check("zoo:gpt?layers=1&width=16&heads=4&hidden=32&seq=8&vocab=32&batch=4");
}

#[test]
#[ignore = "needs a GPU"]
fn encoder_matches_interpreter() {
    check("zoo:bert?layers=1&width=16&heads=4&hidden=32&seq=8&vocab=32&batch=4");
}

#[test]
#[ignore = "needs a GPU"]
fn experts_match_interpreter() {
    check("zoo:moe?layers=1&width=8&hidden=12&experts=4&seq=6&batch=8");
}

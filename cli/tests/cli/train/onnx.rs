//! Fine-tuning of an ONNX file: parameters with exporter-chosen names are stored in checkpoints.

use crate::support::{CommandOutput, Folder, partita};
use safetensors::tensor::Dtype;
use std::path::Path;

const ENCODER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/data/encoder2l.onnx?loss=cross_entropy");

/// Creates a folder with a text of sequences for eight batches.
fn folder(test: &str) -> Folder {
    let folder = Folder::new(&format!("train-onnx-{test}"));
    let licence = Path::new(env!("CARGO_MANIFEST_DIR")).join("../LICENSE-MIT");
    folder.write("text.txt", std::fs::read(licence).expect("the licence exists"));
    folder
}

/// Runs a training run with `adam`, which must succeed.
fn train(folder: &Folder, more: &[&str]) -> CommandOutput {
    let words =
        ["train", ENCODER, "--data", "text.txt", "--train", "adam?lr=1e-3", "--mesh", "data=2", "--preset", "zero1"];
    let ended = partita(folder, words.iter().chain(more));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    ended
}

#[test]
fn parameters_named_after_nodes_are_saved_and_resumed() {
    let folder = folder("names");
    train(&folder, &["--steps", "12", "--output", "one.safetensors"]);
    train(&folder, &["--steps", "7", "--save", "ck"]);
    let ended = train(&folder, &["--steps", "12", "--save", "ck", "--resume", "--output", "parts.safetensors"]);
    assert!(ended.out.contains("trained steps 8 to 12 on 2 devices"), "{}", ended.transcript());

    let (first, last) =
        (folder.tensors("ck/step-00000007.safetensors"), folder.tensors("ck/step-00000012.safetensors"));
    assert!(first.keys().eq(last.keys()));
    // The query matrix of block 0, and its Adam state.
    for name in ["onnx::MatMul_255", "optimizer.m.onnx::MatMul_255", "optimizer.v.onnx::MatMul_255"] {
        let (dtype, shape, _) = &first[name];
        assert_eq!((*dtype, &shape[..]), (Dtype::F32, &[64, 64][..]), "{name}");
        assert_ne!(first[name], last[name], "{name} changes with every step");
    }
    let (one, parts) = (folder.tensors("one.safetensors"), folder.tensors("parts.safetensors"));
    assert!(one == parts, "a resumed run must equal a single run");
}

//! Training steps imported from JAX.

use crate::{assert_is, reduce};
use flate2::read::GzDecoder;
use partita_ir::program::Program;
use std::fs;
use std::io::Read;
use std::path::Path;

/// Imports a GPT training step with a number of layers.
fn gpt(layers: usize) -> Program {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/stablehlo/depth");
    let file = folder.join(format!("gpt_d64_L{layers}.sgd.sdy.d2m4.mlir"));
    let text = fs::read_to_string(&file).unwrap_or_else(|_| {
        let compressed = fs::File::open(file.with_extension("mlir.gz")).unwrap();
        let mut text = String::new();
        GzDecoder::new(compressed).read_to_string(&mut text).unwrap();
        text
    });
    partita_stablehlo::import("gpt", &text).unwrap()
}

#[test]
fn training_steps_of_many_layers_have_one_repetition_per_layer() {
    for layers in [12, 48, 96] {
        let reduced = reduce(&gpt(layers), 2);
        assert_eq!(reduced.full, layers);
        assert_is(&reduced, &gpt(2));
    }
}

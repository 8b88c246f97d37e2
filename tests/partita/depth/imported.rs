//! Training steps imported from JAX, and other imported programs.

use super::{assert_is, reduce};
use flate2::read::GzDecoder;
use partita_ir::program::Program;
use partita_passes::planning::reduce_depth::RepeatedLayers;
use std::fmt::Write;
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
    for (layers, kept) in [(12, 2), (48, 2), (48, 12), (96, 12)] {
        let reduced = reduce(&gpt(layers), kept);
        assert_eq!(reduced.full, layers);
        assert_is(&reduced, &gpt(kept));
    }
}

#[test]
fn other_imported_programs_are_reduced_or_left_alone() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data");
    let files = ["stablehlo", "jax", "repro"].into_iter().flat_map(|folder| fs::read_dir(data.join(folder)).unwrap());
    let mut paths: Vec<_> = files.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "mlir"));
    paths.sort();
    let (mut imported, mut found) = (0, String::new());
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let Ok(program) = partita_stablehlo::import("p", &text) else { continue };
        imported += 1;
        let Some(layers) = RepeatedLayers::find(&program) else { continue };
        for kept in 1..=layers.count() {
            reduce(&program, kept);
        }
        let _ = writeln!(found, "{} {}", path.file_name().unwrap().to_string_lossy(), layers.count());
    }
    assert!(imported > 50, "{imported}");
    // The models have two layers, or layers of different sizes.
    assert_eq!(found, "");
}

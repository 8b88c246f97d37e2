//! Training in pipeline stages: results are those of one mesh, and checkpoints are independent of stages.

use super::frozen::plain;
use super::records;
use crate::support::partita;

#[test]
fn stages_train_as_one_mesh() {
    // The model has no dropout, whose random numbers depend on the micro-batches.
    let folder = plain("stages", 80);
    let train = |more: &[&str]| {
        let always = ["train", "model.pir", "--data", "samples.csv", "--train", "adamw?lr=1e-2"];
        let ended = partita(&folder, always.iter().chain(more));
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    };
    let data = ["--mesh", "data=2", "--preset", "data"];
    let stages = ["--pipeline", "2", "--schedule", "zb-h1", "--microbatches", "2", "--save", "ck"];
    // The full batch on one device.
    train(&["--steps", "12", "--metrics", "whole.jsonl"]);
    train(&[&data[..], &stages, &["--steps", "7", "--metrics", "staged.jsonl"]].concat());
    // Training resumes without stages.
    train(&[&data[..], &["--save", "ck", "--resume", "--steps", "12", "--metrics", "staged.jsonl"]].concat());
    let losses = |file| records(&folder, file).iter().map(|r| r["loss"].as_f64().unwrap()).collect::<Vec<_>>();
    let (whole, staged) = (losses("whole.jsonl"), losses("staged.jsonl"));
    assert_eq!(whole.len(), staged.len());
    for (a, b) in whole.iter().zip(&staged) {
        assert!((a - b).abs() <= 1e-5 * a.abs().max(1.0), "{whole:?} and {staged:?}");
    }
}

//! Training in the stages of a pipeline: the numbers are those of one mesh, and a checkpoint knows neither.

use super::frozen::plain;
use super::records;
use crate::support::partita;

#[test]
fn stages_learn_what_one_mesh_learns() {
    // Without dropout, whose numbers depend on the parts that the batch goes through the model in.
    let folder = plain("stages", 80);
    let train = |more: &[&str]| {
        let always = ["train", "model.pir", "--data", "samples.csv", "--train", "adamw?lr=1e-2"];
        let ended = partita(&folder, always.iter().chain(more));
        assert_eq!(ended.code, Some(0), "{}", ended.all());
    };
    let data = ["--mesh", "data=2", "--preset", "data"];
    let stages = ["--pipeline", "2", "--schedule", "zb-h1", "--microbatches", "2", "--save", "ck"];
    // All of a batch at once, on one device.
    train(&["--steps", "12", "--metrics", "whole.jsonl"]);
    train(&[&data[..], &stages, &["--steps", "7", "--metrics", "staged.jsonl"]].concat());
    // It goes on where nothing is cut.
    train(&[&data[..], &["--save", "ck", "--resume", "--steps", "12", "--metrics", "staged.jsonl"]].concat());
    let losses = |file| records(&folder, file).iter().map(|r| r["loss"].as_f64().unwrap()).collect::<Vec<_>>();
    let (whole, staged) = (losses("whole.jsonl"), losses("staged.jsonl"));
    assert_eq!(whole.len(), staged.len());
    for (a, b) in whole.iter().zip(&staged) {
        assert!((a - b).abs() <= 1e-5 * a.abs().max(1.0), "{whole:?} and {staged:?}");
    }
}

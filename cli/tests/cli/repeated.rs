//! Contractions that every device of an axis computes in full: the report lists them, and its annotations shard them.

use crate::plan::BLOCKS;
use crate::support::{Folder, partita};
use serde_json::Value;

/// Products with the weights of two layers in a loop.
const LAYERS: &str = r#"form traced
mesh @m = [data=2, model=4]
func @layer(%h : f32[32, 64], %i : i32[], %stack : f32[2, 64, 64]) {
  %zero = constant 0 : i32[]
  %slice = dynamic_slice [1, 64, 64] %stack, %i, %zero, %zero : f32[1, 64, 64]
  %w = reshape %slice : f32[64, 64]
  %y = matmul %h, %w : f32[32, 64]
  %one = constant 1 : i32[]
  %next = add %i, %one : i32[]
  return %y, %next, %stack
}
param %stack "layers.weight" : f32[2, 64, 64]
input %x : f32[32@data, 64]
  %zero = constant 0 : i32[]
  %y, %i, %same = loop 2 of @layer %x, %zero, %stack : f32[32, 64], i32[], f32[2, 64, 64]
  %loss = reduce sum [0, 1] %y : f32[]
output %loss "loss"
"#;

/// Returns the report of a plan.
fn plan(folder: &Folder, annotations: &[String]) -> Value {
    let flags = annotations.iter().flat_map(|annotation| ["--shard", annotation.as_str()]);
    let ended = partita(folder, ["plan", "model.pir", "--json"].into_iter().chain(flags));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
    serde_json::from_str(&ended.out).unwrap()
}

/// Adds the proposed annotations, one at a time, until devices repeat no work. Returns them.
fn annotate(folder: &Folder) -> Vec<String> {
    let mut annotations = Vec::new();
    loop {
        let report = plan(folder, &annotations);
        let (flops, repeated) = (&report["totals"]["flops"], &report["totals"]["repeated_flops"]);
        let Some(first) = report["repeated"].get(0) else {
            assert_eq!(*repeated, 0);
            assert_eq!(8 * flops.as_u64().unwrap(), report["totals"]["model_flops"].as_u64().unwrap());
            return annotations;
        };
        assert!(repeated.as_u64() < flops.as_u64() && repeated.as_u64() > Some(0));
        assert_eq!(first["axes"], serde_json::json!(["model"]));
        annotations.push(first["annotation"].as_str().unwrap().to_owned());
        assert!(annotations.len() <= 4, "{annotations:?}");
    }
}

/// Asserts that the annotated program computes the same as the original.
fn check(folder: &Folder, annotations: &[String]) {
    let flags = annotations.iter().flat_map(|annotation| ["--shard", annotation.as_str()]);
    let ended = partita(folder, ["run", "model.pir", "--check"].into_iter().chain(flags));
    assert_eq!(ended.code, Some(0), "{}", ended.transcript());
}

#[test]
fn annotations_shard_repeated_products() {
    let folder = Folder::new("repeated");
    folder.write("model.pir", BLOCKS.replace("@model", ""));
    let report = plan(&folder, &[]);
    let products = report["repeated"].as_array().unwrap();
    assert_eq!(products.len(), 4);
    // 16 rows of 64 by 512 on each device, three quarters of which other devices could compute.
    assert!(products.iter().all(|p| p["flops"] == 2 * 16 * 64 * 512 / 4 * 3 && p["count"] == 1), "{products:?}");
    assert_eq!(report["totals"]["repeated_flops"], 4 * 2 * 16 * 64 * 512 / 4 * 3);
    let annotations = annotate(&folder);
    assert_eq!(annotations, ["blocks.0.up.weight=_, model", "blocks.1.up.weight=_, model"]);
    check(&folder, &annotations);
}

#[test]
fn weights_of_loops_are_found() {
    let folder = Folder::new("repeated-loop");
    folder.write("model.pir", LAYERS);
    let report = plan(&folder, &[]);
    assert_eq!(report["repeated"][0]["count"], 2);
    assert_eq!(report["totals"]["repeated_flops"], 2 * 2 * 16 * 64 * 64 / 4 * 3);
    let annotations = annotate(&folder);
    assert_eq!(annotations, ["layers.weight=_, _, model"]);
    check(&folder, &annotations);
}

#[test]
fn annotated_parameters_are_not_annotated_again() {
    let folder = Folder::new("repeated-annotated");
    folder.write("model.pir", BLOCKS.replace("@model", ""));
    let report = plan(&folder, &["**.weight=_, _".to_owned()]);
    assert_eq!(report["repeated"][0]["annotation"], "%h0=data, model");
}

/// Every contraction is repeated by the two devices of `model`, in all micro-batches of each stage.
#[test]
fn stages_count_their_micro_batches() {
    let folder = Folder::new("repeated-stages");
    let stages = ["--pipeline", "2", "--microbatches", "2", "--train", "sgd", "--json"];
    for replicas in [&[][..], &["--replicas", "2"]] {
        let plan = ["plan", "zoo:gpt?layers=2", "--mesh", "data=1,model=2", "--preset", "data"];
        let ended = partita(&folder, plan.iter().chain(&stages).chain(replicas));
        assert_eq!(ended.code, Some(0), "{}", ended.transcript());
        let report: Value = serde_json::from_str(&ended.out).unwrap();
        let totals = |name: &str| report["totals"][name].as_u64().unwrap();
        assert_eq!(2 * totals("repeated_flops"), totals("flops"));
        assert!(report["repeated"].as_array().unwrap().iter().any(|product| product["stage"] == 1));
    }
}

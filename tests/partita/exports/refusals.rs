//! Plans that a target cannot express: the parts, the nearest plan and its cost.

use super::{plan, refused};
use partita::export::{ExportRequest, export};
use partita::prelude::*;
use partita::search::Target;

const GPT: &str = "zoo:gpt?layers=4&width=32&heads=4&hidden=64&seq=16&vocab=48&batch=8&loss=true&tied=false";

/// Plans that a target cannot express, each with a part that the error names, and the changes of the nearest plan.
const PROJECTED: &[(Target, &str, &str, &[&str])] = &[
    (
        Target::Jax,
        "mesh = { data = 3 }\npresets = 'data'",
        "dimension 0 (8) does not divide into 3 shards",
        &["`input.0` has the layout `_, _`", "`input.1` has the layout `_, _`"],
    ),
    (
        Target::Jax,
        "mesh = { data = 2 }\npresets = 'data'\npipeline = 2\ntrain = 'adam'",
        "a jitted function has no pipeline stages",
        &["the devices of 2 stages and replicas shard the batch over `data`"],
    ),
    (
        Target::Dtensor,
        "mesh = { data = 2 }\npresets = 'data, zero1'\ntrain = 'adam'",
        "optimizer state has the placements of its parameter",
        &["the preset `zero1` becomes `zero3`"],
    ),
    (
        Target::TpPlan,
        "mesh = { model = 2 }\npresets = 'megatron, sequence'",
        "the presets with an equivalent are data and megatron",
        &["the preset `sequence` is removed"],
    ),
    (
        Target::Megatron,
        "mesh = { data = 2, model = 2 }\npresets = 'data, megatron, zero3'\ntrain = 'adam'\nremat = 'alternate'\n\
         [shard]\n'blocks.0.feed_forward.up.bias' = '_'",
        "Megatron-LM has no layouts of single parameters",
        &[
            "the preset `zero3` becomes `zero1`",
            "`shard blocks.0.feed_forward.up.bias` is removed",
            "recomputation becomes `full`",
        ],
    ),
    (
        Target::Megatron,
        "mesh = { model = 1 }\ntrain = 'adam'\nmicrobatches = 4\n\
         pipeline = 'tokens positions blocks.0 | blocks.1 blocks.2 blocks.3 norm head'",
        "its chunks have 1, 3 layers, but need equal numbers",
        &["the 2 chunks of the pipeline get equal numbers of layers"],
    ),
    (
        Target::Torchtitan,
        "mesh = { data = 2, model = 2 }\npresets = 'data, megatron, zero1'\ntrain = 'adam'",
        "tensor parallelism of torchtitan includes sequence parallelism",
        &["the preset `zero1` becomes `zero2`", "the preset `megatron` becomes `megatron, sequence`"],
    ),
    (
        Target::Nanotron,
        "mesh = { data = 4 }\npresets = 'data'\ntrain = 'adam'\nremat = 'full'",
        "the levels of recomputation of nanotron are none",
        &["nothing is recomputed"],
    ),
];

#[test]
fn the_nearest_plan_is_expressible_and_named() {
    let program = partita::load(GPT).unwrap();
    for (target, text, part, changes) in PROJECTED {
        let error = refused(&program, text, *target);
        assert!(error.contains(part), "{error}");
        assert!(error.contains("per device instead of"), "{error}");
        assert!(error.contains("export the nearest plan: `--nearest`"), "{error}");
        for change in *changes {
            assert!(error.contains(change), "{change}\n{error}");
        }
        let request = ExportRequest { nearest: true, ..ExportRequest::new(*target) };
        let nearest = export(&program, &plan(text), &request).unwrap_or_else(|error| panic!("{error}"));
        for change in *changes {
            assert!(nearest.changes.iter().any(|one| one == change), "{:?}", nearest.changes);
        }
        // The nearest plan is one that the target can express, and equal to itself.
        let again =
            export(&program, &nearest.plan, &ExportRequest::new(*target)).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((again.text, again.changes), (nearest.text, Vec::new()));
        let part = program.partition(&nearest.plan).unwrap();
        let check = part.check(&part.random_inputs(1).unwrap()).unwrap();
        assert!(check.ok(), "{check}");
    }
}

#[test]
fn what_is_computed_has_no_projection() {
    let program = partita::load(GPT).unwrap();
    let cases = ["freeze = 'blocks.0.**'", "precision = { 'blocks.0.**' = 'bf16' }", "mesh = { data = 3 }"];
    for text in cases {
        let rest = if text.starts_with("mesh") { "" } else { "mesh = { data = 2 }\n" };
        let error = refused(&program, &format!("{rest}{text}\npresets = 'data'\ntrain = 'adam'"), Target::Megatron);
        assert!(error.contains("has no nearest plan"), "{error}");
        assert!(error.contains("partita search --target megatron"), "{error}");
    }
}

#[test]
fn a_machine_adds_the_step_times() {
    let program = partita::load(GPT).unwrap();
    let machine = partita::load_machine("dgx-a100").unwrap();
    let text = "mesh = { data = 2 }\npresets = 'data, zero1'\ntrain = 'adam'";
    let request = ExportRequest { machine: Some(&machine), ..ExportRequest::new(Target::Dtensor) };
    let error = export(&program, &plan(text), &request).err().unwrap().to_string();
    assert!(error.contains("its step takes ") && error.contains(" on dgx-a100"), "{error}");
    assert!(!refused(&program, text, Target::Dtensor).contains("its step takes "));
}

#[test]
fn programs_with_layouts_have_no_plan() {
    let text = "form planned\nmesh @m = [a=2]\ninput %x : f32[4@a]\n  %y = tanh %x : f32[4@a]\noutput %y \"y\"\n";
    let program = partita::parse("planned.pir", text).unwrap();
    let error = export(&program, &Plan::default(), &ExportRequest::new(Target::Jax)).err().unwrap();
    assert_eq!(error.0[0].code.name(), "G001", "{error}");
}

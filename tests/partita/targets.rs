//! Searches for a framework: every plan that they return satisfies the rules of the framework, which are stated here a
//! second time, on the text of plans and layouts.

use partita::prelude::*;
use partita::search::{SearchOutcome, SimulatedPlan, Target};
use partita::{load, load_machine};
use std::collections::BTreeMap;

/// Returns the outcome of a search on a workstation with a number of devices of limited memory.
fn searched(program: &Program, plan: &Plan, devices: usize, memory: u64, target: Option<Target>) -> SearchOutcome {
    let machine = load_machine("pcie4").unwrap();
    let search = partita::search(program, &machine).plan(plan).devices(devices).memory(memory);
    let found = if let Some(target) = target { search.target(target).run() } else { search.run() };
    found.unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the sizes of the mesh axes of a plan, in the order of the mesh.
fn mesh(plan: &SimulatedPlan) -> Vec<(String, usize)> {
    assert!(!plan.mesh.contains('|'), "different meshes: {plan}");
    let axis = |text: &str| {
        let (name, size) = text.split_once('=').unwrap();
        (name.to_owned(), size.parse().unwrap())
    };
    plan.mesh.split(',').map(axis).collect()
}

/// Returns the names of the axes of each dimension of all parameters, optimizer state and inputs with a layout, and
/// their shapes.
fn layouts(program: &Program, plan: &SimulatedPlan) -> Vec<(String, Vec<Vec<String>>, Vec<usize>)> {
    let shapes: BTreeMap<String, Vec<usize>> = (program.inputs().iter())
        .map(|&value| (program.path_of(value).to_owned(), program.ty(value).shape.iter().copied().collect()))
        .collect();
    let shape = |path: &str| {
        let state = path.strip_prefix("optimizer.").and_then(|rest| Some(rest.split_once('.')?.1));
        shapes.get(path).or_else(|| shapes.get(state?)).cloned()
    };
    let mut all = Vec::new();
    for (path, text) in &plan.layouts {
        let Some(shape) = shape(path) else { continue };
        assert!(!text.contains("sum("), "`{path}` is partial: {text}");
        let dims = text.split(',').map(|dim| {
            let axes = dim.trim().split('+').filter(|axis| !["_", "whole", "scalar", ""].contains(axis));
            axes.map(str::to_owned).collect::<Vec<String>>()
        });
        all.push((path.clone(), dims.collect(), shape));
    }
    assert!(all.len() >= program.params.len(), "too few layouts: {:?}", plan.layouts);
    all
}

fn stage_texts(plan: &Plan) -> Vec<String> {
    let text = plan.pipeline.as_ref().map_or("1", |pipeline| pipeline.text.as_str());
    text.split('|').map(|stage| stage.trim().to_owned()).collect()
}

fn assert_for_jax(program: &Program, plan: &SimulatedPlan) {
    assert_eq!(plan.stages, 1, "{plan}");
    let sizes: BTreeMap<String, usize> = mesh(plan).into_iter().collect();
    for (path, dims, shape) in layouts(program, plan) {
        for (axes, size) in dims.iter().zip(&shape) {
            let shards: usize = axes.iter().map(|axis| sizes[axis]).product();
            assert_eq!(size % shards, 0, "`{path}` {shape:?} by {dims:?} in {plan}");
        }
    }
}

fn assert_for_dtensor(program: &Program, plan: &SimulatedPlan) {
    let order: Vec<String> = mesh(plan).into_iter().map(|axis| axis.0).collect();
    for (path, dims, _) in layouts(program, plan) {
        for axes in &dims {
            let places: Vec<usize> =
                axes.iter().map(|axis| order.iter().position(|name| name == axis).unwrap()).collect();
            assert!(places.is_sorted(), "`{path}` by {dims:?} in {plan}");
        }
    }
    if plan.stages > 1 {
        let schedule = plan.schedule.as_deref().unwrap();
        assert!(["gpipe", "1f1b"].contains(&schedule) || schedule.starts_with("interleaved"), "{schedule}");
    }
}

fn assert_for_megatron(plan: &SimulatedPlan, layers: usize, heads: usize) {
    let text = plan.plan.to_toml();
    for section in ["[shard]", "[store]", "rules ="] {
        assert!(!text.contains(section), "{text}");
    }
    let presets: Vec<&str> = plan.plan.presets.iter().flat_map(|preset| preset.text.split(',')).collect();
    for preset in presets {
        let name = preset.split('?').next().unwrap();
        assert!(["data", "megatron", "sequence", "context", "expert", "zero1"].contains(&name), "{text}");
    }
    let order = ["data", "expert", "context", "model"];
    let axes = mesh(plan);
    let places: Vec<usize> = axes.iter().map(|(name, _)| order.iter().position(|axis| axis == name).unwrap()).collect();
    assert!(places.is_sorted(), "{plan}");
    let model = axes.iter().find(|(name, _)| name == "model").map_or(1, |(_, size)| *size);
    assert_eq!(heads % model, 0, "{plan}");
    if plan.stages == 1 {
        return;
    }
    let chunks = stage_texts(&plan.plan);
    let count = |chunk: &String| {
        let has = |layer: &usize| chunk.split(' ').any(|path| path == format!("blocks.{layer}"));
        (0..layers).filter(has).count()
    };
    assert!(chunks.iter().all(|chunk| count(chunk) * chunks.len() == layers), "{text}");
    match plan.schedule.as_deref().unwrap() {
        "1f1b" => assert_eq!(chunks.len(), plan.stages, "{text}"),
        other => {
            let each: usize = other.strip_prefix("interleaved?chunks=").unwrap().parse().unwrap();
            assert!(each > 1 && chunks.len() == each * plan.stages, "{text}");
            assert_eq!(plan.micro_batches % plan.stages as u64, 0, "{text}");
        }
    }
}

/// A model with dimensions that few numbers of devices divide.
const ODD_MLP: &str = "zoo:mlp?layers=4&width=30&hidden=50&batch=6&loss=true";

/// A model with equal layers and attention.
const GPT: &str = "zoo:gpt?layers=4&width=32&heads=4&hidden=64&seq=16&vocab=48&batch=8&loss=true";

/// Checks that all devices agree with one.
fn assert_agrees(program: &Program, plan: &SimulatedPlan) {
    let part = program.partition(&plan.plan).unwrap_or_else(|e| panic!("{plan}: {e}"));
    let check = part.check(&part.random_inputs(1).unwrap()).unwrap_or_else(|e| panic!("{plan}: {e}"));
    assert!(check.ok(), "{plan}:\n{check}");
}

fn adam() -> Plan {
    Plan::default().train("adam").precision("**", "f16")
}

#[test]
fn arguments_of_jit_have_equal_shards() {
    let program = load(ODD_MLP).unwrap();
    let search = |target| searched(&program, &adam(), 4, 60 << 10, target);
    let free = search(None);
    let is_uneven = |plan: &SimulatedPlan| plan.mesh == "data=4";
    assert!(free.plans().iter().any(is_uneven), "a batch of 6 in uneven shards is among the fastest: {free}");
    let found = search(Some(Target::Jax));
    assert!(found.to_string().contains("chosen for jax: "), "{found}");
    assert!(found.to_json().contains("\"target\": \"jax\""));
    assert!(found.plans()[0].devices > 1, "{found}");
    found.plans().iter().for_each(|one| assert_for_jax(&program, one));
    assert_agrees(&program, &found.plans()[0]);
}

#[test]
fn pipelines_have_schedules_of_the_framework() {
    let (program, plan) = (load(GPT).unwrap(), adam().pipeline("2"));
    let search = |target| searched(&program, &plan, 2, 1 << 30, target);
    let free = search(None);
    assert!(free.plans()[0].schedule.as_deref().unwrap().starts_with("zb-"), "{free}");
    let found = search(Some(Target::Dtensor));
    found.plans().iter().for_each(|one| assert_for_dtensor(&program, one));
    assert_agrees(&program, &found.plans()[0]);
    let found = search(Some(Target::Megatron));
    found.plans().iter().for_each(|one| assert_for_megatron(one, 4, 4));
    assert_agrees(&program, &found.plans()[0]);
}

#[test]
fn layouts_are_those_of_the_framework() {
    let program = load(GPT).unwrap();
    let plan = Plan::new(Mesh::new([("data", 2), ("model", 2)]).unwrap()).then(adam());
    let search = |target| searched(&program, &plan, 4, 400 << 10, Some(target));
    search(Target::Dtensor).plans().iter().for_each(|one| assert_for_dtensor(&program, one));
    search(Target::Megatron).plans().iter().for_each(|one| assert_for_megatron(one, 4, 4));
    search(Target::Jax).plans().iter().for_each(|one| assert_for_jax(&program, one));
}

#[test]
fn interleaved_chunks_have_equal_layers() {
    let (program, plan) =
        (load(GPT).unwrap(), adam().pipeline("2").schedule("interleaved?chunks=2").micro_batches("4"));
    let found = searched(&program, &plan, 2, 1 << 30, Some(Target::Megatron));
    found.plans().iter().for_each(|one| assert_for_megatron(one, 4, 4));
    assert_agrees(&program, &found.plans()[0]);
}

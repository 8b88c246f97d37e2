//! What two plans say otherwise.

use super::Difference;
use crate::pipeline::Pipeline;
use crate::report::{family, group, title};
use indexmap::IndexMap;
use partita_ir::plan::{Entry, Mesh, Plan, Written, layout_text};

/// How parameters, state and inputs lie, by path.
pub(crate) fn layouts(pipeline: &Pipeline) -> IndexMap<String, String> {
    let mut all = IndexMap::new();
    for chunk in &pipeline.stages().chunks {
        let program = &chunk.program;
        // In a program of stages, what another one hands over is an input, too.
        let ports = chunk.inputs.iter().map(|port| port.name.as_str());
        for path in ports {
            let value = program.inputs().iter().find(|&&value| program.path_of(value) == path);
            if let Some(layout) = value.and_then(|&value| program.values[value].layout.as_ref()) {
                all.entry(path.to_owned()).or_insert_with(|| layout_text(layout, &chunk.mesh));
            }
        }
    }
    all
}

/// Entries that differ, in the order of the first side.
pub(crate) fn differences(sides: [&IndexMap<String, String>; 2]) -> Vec<Difference> {
    let only_second = sides[1].keys().filter(|key| !sides[0].contains_key(*key));
    let all = sides[0].keys().chain(only_second);
    let says = |key: &String| sides.map(|side| side.get(key).cloned());
    let differ = all.map(|key| Difference { of: key.clone(), says: says(key) });
    differ.filter(|one| one.says[0] != one.says[1]).collect()
}

/// Those that differ alike in equal layers are one.
pub(crate) fn folded(all: &[Difference]) -> Vec<Difference> {
    let groups = group(all, |one| (family(&one.of), one.says.clone()));
    let one = |(key, members): ((String, [Option<String>; 2]), Vec<&Difference>)| {
        let names = members.iter().map(|member| member.of.as_str());
        let called = if members.len() > 1 && key.0.ends_with("**") { key.0 } else { title(names) };
        let of = if members.len() > 1 { format!("{called} ({})", members.len()) } else { called };
        Difference { of, says: key.1 }
    };
    groups.into_iter().map(one).collect()
}

/// Settings that differ: all that plans say but how values lie that are laid out anyway.
pub(super) fn settings(plans: [&Plan; 2]) -> Vec<Difference> {
    let sides = plans.map(said);
    differences([&sides[0], &sides[1]])
}

/// What a plan says, by key.
pub(crate) fn said(plan: &Plan) -> IndexMap<String, String> {
    let mut all = IndexMap::new();
    let meshes = match &plan.stage_meshes[..] {
        [] => plan.mesh.iter().map(mesh).collect::<Vec<_>>(),
        several => several.iter().map(mesh).collect(),
    };
    let list = |texts: &[Written]| texts.iter().map(|text| text.text.clone()).collect::<Vec<_>>().join("; ");
    let one = |text: &Option<Written>| text.as_ref().map(|text| text.text.clone()).unwrap_or_default();
    let single = [
        ("mesh", meshes.join(" | ")),
        ("train", one(&plan.train)),
        ("bucket", one(&plan.bucket)),
        ("pipeline", one(&plan.pipeline)),
        ("schedule", one(&plan.schedule)),
        ("microbatches", one(&plan.micro_batches)),
        ("replicas", one(&plan.replicas)),
        ("map", one(&plan.map)),
        ("budget", one(&plan.budget)),
        ("presets", list(&plan.presets)),
        ("rules", list(&plan.rules)),
        ("allow_reshard", list(&plan.allow_reshard)),
        ("no_padding", list(&plan.no_padding)),
        ("hold", list(&plan.hold)),
        ("freeze", list(&plan.freeze)),
        ("train_only", list(&plan.train_only)),
    ];
    all.extend(single.into_iter().filter(|(_, text)| !text.is_empty()).map(|(key, text)| (key.to_owned(), text)));
    let inner: Vec<Entry> = plan.shards.iter().filter(|entry| entry.path.text.starts_with('%')).cloned().collect();
    let tables = [("precision", &plan.precision), ("remat", &plan.remat), ("store", &plan.stores), ("shard", &inner)];
    for (key, entries) in tables {
        all.extend(entries.iter().map(|entry| (format!("{key} {}", entry.path.text), entry.text.text.clone())));
    }
    all
}

fn mesh(mesh: &Mesh) -> String {
    mesh.axes.iter().map(|axis| format!("{}={}", axis.name, axis.size)).collect::<Vec<_>>().join(",")
}

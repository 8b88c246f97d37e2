//! What two plans say otherwise.

use super::Difference;
use crate::report::{family, group, title};
use indexmap::IndexMap;
use partita_ir::plan::{KEYS, Mesh, Plan, PlanValue};

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
    // Layouts of parameters and inputs are compared as they come out, and names of dimensions by these layouts.
    let is_laid_out = |key: &str, path: &str| key == "name" || key == "shard" && !path.starts_with('%');
    let [mut texts, mut lists, mut tables] = [const { Vec::new() }; 3];
    for key in KEYS {
        let name = || key.name.to_owned();
        match key.value(plan) {
            PlanValue::Meshes(all) => texts.push((name(), all.iter().map(mesh).collect::<Vec<_>>().join(" | "))),
            PlanValue::Devices(_) => {}
            PlanValue::Text(text) => texts.extend(text.map(|text| (name(), text.text.clone()))),
            PlanValue::List(all) => {
                let all: Vec<&str> = all.iter().map(|text| text.text.as_str()).collect();
                lists.push((name(), all.join("; ")));
            }
            PlanValue::Entries(entries) => {
                let entries = entries.iter().filter(|entry| !is_laid_out(key.name, &entry.path.text));
                tables.extend(entries.map(|e| (format!("{} {}", key.name, e.path.text), e.text.text.clone())));
            }
        }
    }
    texts.retain(|(_, text)| !text.is_empty());
    lists.retain(|(_, text)| !text.is_empty());
    texts.into_iter().chain(lists).chain(tables).collect()
}

fn mesh(mesh: &Mesh) -> String {
    mesh.axes.iter().map(|axis| format!("{}={}", axis.name, axis.size)).collect::<Vec<_>>().join(",")
}

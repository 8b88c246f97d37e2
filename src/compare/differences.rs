//! Differences between the settings and layouts of two plans.

use super::EntryDifference;
use crate::report::{family, group, title};
use indexmap::IndexMap;
use partita_ir::plan::{KEYS, Mesh, Plan, PlanValue};

/// Returns the entries that differ, in the order of the first side.
pub(crate) fn differences(sides: [&IndexMap<String, String>; 2]) -> Vec<EntryDifference> {
    let only_second = sides[1].keys().filter(|key| !sides[0].contains_key(*key));
    let all = sides[0].keys().chain(only_second);
    let values = |key: &String| sides.map(|side| side.get(key).cloned());
    let differ = all.map(|key| EntryDifference { name: key.clone(), values: values(key) });
    differ.filter(|one| one.values[0] != one.values[1]).collect()
}

/// Groups entries of equal layers that differ in the same way.
pub(crate) fn fold_equal_layers(all: &[EntryDifference]) -> Vec<EntryDifference> {
    let groups = group(all, |one| (family(&one.name), one.values.clone()));
    let one = |(key, members): ((String, [Option<String>; 2]), Vec<&EntryDifference>)| {
        let names = members.iter().map(|member| member.name.as_str());
        let called = if members.len() > 1 && key.0.ends_with("**") { key.0 } else { title(names) };
        let name = if members.len() > 1 { format!("{called} ({})", members.len()) } else { called };
        EntryDifference { name, values: key.1 }
    };
    groups.into_iter().map(one).collect()
}

/// Returns the settings that differ, without the layouts of parameters and inputs, which are compared separately.
pub(super) fn setting_differences(plans: [&Plan; 2]) -> Vec<EntryDifference> {
    let sides = plans.map(settings_of_plan);
    differences([&sides[0], &sides[1]])
}

/// Returns the settings of a plan by key.
pub(crate) fn settings_of_plan(plan: &Plan) -> IndexMap<String, String> {
    // Layouts of parameters and inputs are compared as propagated, which covers names of dimensions.
    let is_layout = |key: &str, path: &str| key == "name" || key == "shard" && !path.starts_with('%');
    let [mut texts, mut lists, mut tables] = [const { Vec::new() }; 3];
    for key in KEYS {
        let name = || key.name.to_owned();
        match key.value(plan) {
            PlanValue::Meshes(all) => texts.push((name(), all.iter().map(mesh_text).collect::<Vec<_>>().join(" | "))),
            PlanValue::Devices(_) => {}
            PlanValue::Text(text) => texts.extend(text.map(|text| (name(), text.text.clone()))),
            PlanValue::List(all) => {
                let all: Vec<&str> = all.iter().map(|text| text.text.as_str()).collect();
                lists.push((name(), all.join("; ")));
            }
            PlanValue::Entries(entries) => {
                let entries = entries.iter().filter(|entry| !is_layout(key.name, &entry.path.text));
                tables.extend(entries.map(|e| (format!("{} {}", key.name, e.path.text), e.text.text.clone())));
            }
        }
    }
    texts.retain(|(_, text)| !text.is_empty());
    lists.retain(|(_, text)| !text.is_empty());
    texts.into_iter().chain(lists).chain(tables).collect()
}

fn mesh_text(mesh: &Mesh) -> String {
    mesh.axes.iter().map(|axis| format!("{}={}", axis.name, axis.size)).collect::<Vec<_>>().join(",")
}

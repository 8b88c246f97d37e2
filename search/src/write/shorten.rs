//! Shorter plans: entries with the same layout whose paths differ in one segment become one entry with a glob.
//!
//! Every value keeps the entry that applies to it, by layout, and values without an entry get none.

use partita_ir::arena::ValueId;
use partita_ir::plan::path::Pattern;
use partita_ir::plan::{Plan, PlanEntry, SourceText};
use partita_ir::program::Program;
use partita_passes::planning::path_index::PathIndex;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// Returns a plan for a step in which globs replace entries of layouts, and of values that may be resharded. Entries of
/// the user's `template` stay.
pub(crate) fn shortened(plan: &Plan, template: &Plan, step: &Program) -> Plan {
    let index = PathIndex::new(step);
    let layouts = plan.shards.iter().map(|PlanEntry { path, text }| {
        let is_users = template.shards.iter().any(|entry| entry.path.text == path.text);
        Entry::new(&index, path.text.clone(), text.text.clone(), is_users)
    });
    let allowed = plan.allow_reshard.iter().map(|path| {
        let is_users = template.allow_reshard.iter().any(|known| known.text == path.text);
        Entry::new(&index, path.text.clone(), String::new(), is_users)
    });
    let (layouts, allowed): (Option<Vec<Entry>>, Option<Vec<Entry>>) = (layouts.collect(), allowed.collect());
    let (Some(mut layouts), Some(mut allowed)) = (layouts, allowed) else { return plan.clone() };
    for entries in [&mut layouts, &mut allowed] {
        while let Some((replaced, merged)) = mergeable(&index, entries) {
            entries[replaced[0]] = merged;
            replaced[1..].iter().rev().for_each(|&at| drop(entries.remove(at)));
        }
        while let Some(at) = redundant(entries) {
            entries.remove(at);
        }
    }
    let text = |text: &String| SourceText::at_caller(text.clone());
    let shards = layouts.iter().map(|entry| PlanEntry { path: text(&entry.path), text: text(&entry.text) });
    let allow_reshard = allowed.iter().map(|entry| text(&entry.path));
    Plan { shards: shards.collect(), allow_reshard: allow_reshard.collect(), ..plan.clone() }
}

/// Entry of a plan.
#[derive(Clone, Debug)]
struct Entry {
    path: String,
    text: String,
    /// Values that the path matches.
    values: FxHashSet<ValueId>,
    /// True if the entry is the user's.
    is_users: bool,
}

impl Entry {
    /// Creates an entry. Returns `None` if its path matches nothing.
    fn new(index: &PathIndex<'_>, path: String, text: String, is_users: bool) -> Option<Entry> {
        let values = index.find(&SourceText::at_caller(path.clone())).ok()?.into_iter().collect();
        Some(Entry { path, text, values, is_users })
    }

    /// Returns true if another entry may replace it: it is neither the user's nor an input by position, such as
    /// `input.0`.
    fn is_replaceable(&self) -> bool {
        !self.is_users && !self.path.starts_with("input.")
    }

    fn specificity(&self) -> (bool, usize) {
        Pattern::new(&self.path).specificity()
    }
}

/// Returns the indices of entries that differ in one segment, and an entry that can replace them. `None` if no entries
/// can be merged.
fn mergeable(index: &PathIndex<'_>, entries: &[Entry]) -> Option<(Vec<usize>, Entry)> {
    // Entries by their text and by their path without one segment.
    let mut groups: BTreeMap<(&str, String), Vec<(usize, &str)>> = BTreeMap::new();
    for (at, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.is_replaceable()) {
        let segments: Vec<&str> = entry.path.split('.').collect();
        for changed in 0..segments.len() {
            let mut others = segments.clone();
            others[changed] = if others[changed].starts_with('%') { "%" } else { "" };
            groups.entry((&entry.text, others.join("."))).or_default().push((at, segments[changed]));
        }
    }
    let mut groups = groups.into_iter().filter(|(_, members)| members.len() > 1);
    groups.find_map(|((text, others), members)| {
        let segments: Vec<&str> = members.iter().map(|(_, segment)| *segment).collect();
        let path = with_segment(&others, &common_glob(&segments))?;
        let replaced: Vec<usize> = members.iter().map(|(at, _)| *at).collect();
        let merged = Entry::new(index, path, text.to_owned(), false)?;
        keeps_entries(entries, &replaced, &merged).then_some((replaced, merged))
    })
}

/// Returns the index of an entry without which every value has an entry with the same text. `None` if there is none.
fn redundant(entries: &[Entry]) -> Option<usize> {
    let text = |value: ValueId, without: &[usize]| applying(entries, value, without).map(|entry| &entry.text);
    let is_redundant = |at: &usize| entries[*at].values.iter().all(|&value| text(value, &[]) == text(value, &[*at]));
    (0..entries.len()).rev().find(|at| entries[*at].is_replaceable() && is_redundant(at))
}

/// Returns the entry that applies to a value, without those at some indices: the most specific one, then the last one.
fn applying<'e>(entries: &'e [Entry], value: ValueId, without: &[usize]) -> Option<&'e Entry> {
    let others = entries.iter().enumerate().filter(|(at, _)| !without.contains(at));
    let matching = others.filter(|(_, entry)| entry.values.contains(&value));
    matching.max_by_key(|(at, entry)| (entry.specificity(), *at)).map(|(_, entry)| entry)
}

/// Returns true if each value has an entry with the same text after `merged` replaces others.
fn keeps_entries(entries: &[Entry], replaced: &[usize], merged: &Entry) -> bool {
    merged.values.iter().all(|&value| {
        let Some(before) = applying(entries, value, &[]) else { return false };
        match applying(entries, value, replaced) {
            Some(other) if other.specificity() > merged.specificity() => other.text == before.text,
            Some(other) if other.specificity() == merged.specificity() => false,
            Some(_) | None => merged.text == before.text,
        }
    })
}

/// Returns a glob of one segment that matches all segments: what they begin and end with in common, and `*` between.
fn common_glob(segments: &[&str]) -> String {
    let first = segments[0];
    let is_common = |start: &usize| segments.iter().all(|segment| segment.starts_with(&first[..*start]));
    let chars = || first.char_indices().map(|(at, _)| at);
    let start = chars().chain([first.len()]).rfind(is_common).unwrap_or(0);
    let ends =
        |end: &usize| *end > start && segments.iter().all(|s| s.len() > start && s[start..].ends_with(&first[*end..]));
    let end = chars().find(ends).unwrap_or(first.len());
    format!("{}*{}", first[..start].trim_end_matches('*'), first[end..].trim_start_matches('*'))
}

/// Returns a path with a segment in place of the empty one, or of the one that is only `%`.
fn with_segment(others: &str, segment: &str) -> Option<String> {
    let mut segments: Vec<&str> = others.split('.').collect();
    let at = segments.iter().position(|segment| segment.is_empty() || *segment == "%")?;
    segments[at] = segment;
    Some(segments.join("."))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::{common_glob, shortened};
    use partita_ir::plan::Plan;

    #[test]
    fn globs_keep_what_segments_have_in_common() {
        assert_eq!(common_glob(&["norm1", "norm2"]), "norm*");
        assert_eq!(common_glob(&["query", "key", "value"]), "*");
        assert_eq!(common_glob(&["m", "v"]), "*");
        assert_eq!(common_glob(&["a_weight", "b_weight"]), "*_weight");
        assert_eq!(common_glob(&["matmul*", "matmul"]), "matmul*");
        assert_eq!(common_glob(&["matmul", "matmul*"]), "matmul*");
        assert_eq!(common_glob(&["%ge", "%lt"]), "%*");
    }

    /// The layouts by path that a plan states for a model.
    fn layouts(plan: &Plan, program: &partita_ir::program::Program) -> Vec<(String, String)> {
        let index = super::PathIndex::new(program);
        let best = index.most_specific(&plan.shards, &mut Vec::new());
        let mut all: Vec<_> =
            best.into_iter().map(|(value, at)| (index.path(value), plan.shards[at].text.text.clone())).collect();
        all.sort();
        all
    }

    #[test]
    fn shorter_plans_state_the_same_layouts() {
        let program = partita_models::program("zoo:llama?layers=4&width=64&heads=4&kv_heads=2&hidden=96").unwrap();
        let entries = [
            ("blocks.*.attention.query.weight", "model, _"),
            ("blocks.*.attention.key.weight", "model, _"),
            ("blocks.*.attention.value.weight", "model, _"),
            ("blocks.*.attention.output.weight", "_, model"),
            ("blocks.*.feed_forward.up.weight", "model, _"),
            ("blocks.*.feed_forward.gate.weight", "model, _"),
            ("blocks.*.norm1.gamma", "_"),
            ("blocks.*.norm2.gamma", "_"),
            ("norm.gamma", "_"),
            ("input.0", "_, _"),
        ];
        let plan = entries.iter().fold(Plan::default(), |plan, (path, text)| plan.shard(*path, *text));
        let user = Plan::default().shard(entries[6].0, entries[6].1);
        let short = shortened(&plan, &user, &program);
        assert_eq!(layouts(&short, &program), layouts(&plan, &program));
        let paths: Vec<&str> = short.shards.iter().map(|entry| entry.path.text.as_str()).collect();
        // `feed_forward.*` would include the weight `down`, which has no entry; an entry of the user stays.
        expect_test::expect![[r#"
            blocks.*.attention.*.weight
            blocks.*.attention.output.weight
            blocks.*.feed_forward.up.weight
            blocks.*.feed_forward.gate.weight
            blocks.*.norm1.gamma
            blocks.*.norm2.gamma
            norm.gamma
            input.0"#]]
        .assert_eq(&paths.join("\n"));
    }
}

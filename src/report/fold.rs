//! Folding: entries that differ only in the numbers of their names are shown as one.
//!
//! `blocks.0.up.weight` and `blocks.1.up.weight` with the same type and layout become `blocks.*.up.weight`, twice;
//! `arg3` and `arg7` become `arg*`.

use indexmap::IndexMap;
use std::hash::Hash;

/// A name whose runs of digits are replaced by `*`, where they are a whole path segment or end one.
pub fn pattern(name: &str) -> String {
    let segments = name.split('.').map(|segment| {
        let stem = segment.trim_end_matches(|c: char| c.is_ascii_digit());
        if stem.len() < segment.len() { format!("{stem}*") } else { segment.to_string() }
    });
    segments.collect::<Vec<_>>().join(".")
}

/// The pattern of an output's name; the state of an optimizer is one family for each kind: `optimizer.m.**`.
pub fn family(name: &str) -> String {
    let mut segments = name.split('.');
    match (segments.next(), segments.next(), segments.next()) {
        (Some("optimizer"), Some(kind), Some(_)) => format!("optimizer.{kind}.**"),
        _ => pattern(name),
    }
}

/// Entries with equal keys, in the order of their first.
pub fn group<T, K: Hash + Eq>(items: &[T], key: impl Fn(&T) -> K) -> IndexMap<K, Vec<&T>> {
    let mut groups: IndexMap<K, Vec<&T>> = IndexMap::new();
    for item in items {
        groups.entry(key(item)).or_default().push(item);
    }
    groups
}

/// What a group is called: the name of its only member, its first two, or the pattern that they share.
pub fn title<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_string(),
        [first, second, rest @ ..] => {
            let shared = pattern(first);
            // `arg*` alone would not say which arguments are meant.
            let more = if rest.is_empty() { "" } else { ", ..." };
            if shared.contains('.') { shared } else { format!("{first}, {second}{more}") }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_segments_fold() {
        assert_eq!(pattern("blocks.0.up.weight"), "blocks.*.up.weight");
        assert_eq!(pattern("arg12"), "arg*");
        assert_eq!(pattern("conv2d.weight"), "conv2d.weight");
    }

    #[test]
    fn titles_say_which() {
        assert_eq!(title(["arg3", "arg7"].into_iter()), "arg3, arg7");
        assert_eq!(title(["arg3", "arg7", "arg9"].into_iter()), "arg3, arg7, ...");
        assert_eq!(title(["b.0.w", "b.1.w"].into_iter()), "b.*.w");
        assert_eq!(title(["b.0.w"].into_iter()), "b.0.w");
    }
}

//! Folding of entries whose names differ only in numbers.
//!
//! `blocks.0.up.weight` and `blocks.1.up.weight` with equal types and layouts become `blocks.*.up.weight`, twice;
//! `arg3` and `arg7` become `arg*`.

use indexmap::IndexMap;
use partita_ir::dtype::DType;
use std::hash::Hash;

/// Replaces runs of digits at the end of path segments by `*`, except in names of element types.
pub fn pattern(name: &str) -> String {
    let segments = name.split('.').map(|segment| {
        let stem = segment.trim_end_matches(|c: char| c.is_ascii_digit());
        if stem.len() < segment.len() && DType::from_name(segment).is_none() {
            format!("{stem}*")
        } else {
            segment.to_string()
        }
    });
    segments.collect::<Vec<_>>().join(".")
}

/// Returns the pattern of a tensor's name. All optimizer state of one kind is a family: `optimizer.m.**`.
pub fn family(name: &str) -> String {
    let mut segments = name.split('.');
    match (segments.next(), segments.next(), segments.next()) {
        (Some("optimizer"), Some(kind), Some(_)) => format!("optimizer.{kind}.**"),
        _ => pattern(name),
    }
}

/// Groups entries by key, in the order of the first member.
pub fn group<T, K: Hash + Eq>(items: &[T], key: impl Fn(&T) -> K) -> IndexMap<K, Vec<&T>> {
    let mut groups: IndexMap<K, Vec<&T>> = IndexMap::new();
    for item in items {
        groups.entry(key(item)).or_default().push(item);
    }
    groups
}

/// Returns the title of a group: the name of its only member, the first two names, or a shared pattern, with the
/// numbers that all members share.
pub fn title<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.as_slice() {
        [] => String::new(),
        [one] => (*one).to_string(),
        [first, second, rest @ ..] => {
            let shared = shared_pattern(first, &names);
            // `arg*` alone would be ambiguous.
            let more = if rest.is_empty() { "" } else { ", ..." };
            if shared.contains('.') { shared } else { format!("{first}, {second}{more}") }
        }
    }
}

/// Returns the pattern of names that are equal except for numbers. Segments that are equal in all names are not
/// replaced.
fn shared_pattern(first: &str, names: &[&str]) -> String {
    let segments = first.split('.').enumerate().map(|(at, segment)| {
        match names.iter().all(|name| name.split('.').nth(at) == Some(segment)) {
            true => segment.to_owned(),
            false => pattern(segment),
        }
    });
    segments.collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_segments_fold() {
        assert_eq!(pattern("blocks.0.up.weight"), "blocks.*.up.weight");
        assert_eq!(pattern("arg12"), "arg*");
        assert_eq!(pattern("add.12.bf16"), "add.*.bf16");
        assert_eq!(pattern("conv2d.weight"), "conv2d.weight");
    }

    #[test]
    fn titles_say_which() {
        assert_eq!(title(["arg3", "arg7"].into_iter()), "arg3, arg7");
        assert_eq!(title(["arg3", "arg7", "arg9"].into_iter()), "arg3, arg7, ...");
        assert_eq!(title(["b.0.w", "b.1.w"].into_iter()), "b.*.w");
        assert_eq!(title(["b.0.w"].into_iter()), "b.0.w");
        assert_eq!(title(["b.0.norm1.w", "b.0.norm2.w"].into_iter()), "b.0.norm*.w");
    }
}

//! Places in TOML files: what is wrong with a value is said where it stands.

use super::Written;
use crate::diag::{Source, Span};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A key with its place.
pub type Key<'a> = Spanned<Cow<'a, str>>;

/// A value with its place.
pub type Value<'a> = Spanned<DeValue<'a>>;

/// Entries of a table in the order of the file.
pub fn in_order<'t, 'a>(table: &'t DeTable<'a>) -> Vec<(&'t Key<'a>, &'t Value<'a>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// A string of a file. Its place is inside of the quotes when it is spelt there as it is.
pub fn written(source: &Arc<Source>, range: Range<usize>, text: &str) -> Written {
    let spelt = source.text.get(range.clone()).unwrap_or_default();
    let at = spelt.find(text).filter(|_| spelt.len() <= text.len() + 2).unwrap_or(0);
    let len = if at == 0 && spelt != text { spelt.len() } else { text.len() };
    Written::at(Span::new(source, range.start + at..range.start + at + len), text)
}

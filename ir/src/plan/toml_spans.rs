//! Source locations in TOML files, for errors that point at the wrong value.

use super::SourceText;
use crate::diag::{Source, Span};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Key with its source location.
pub type TomlKey<'a> = Spanned<Cow<'a, str>>;

/// Value with its source location.
pub type TomlValue<'a> = Spanned<DeValue<'a>>;

/// Entries of a table in file order.
pub fn entries_in_order<'t, 'a>(table: &'t DeTable<'a>) -> Vec<(&'t TomlKey<'a>, &'t TomlValue<'a>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}

/// Creates the text of a TOML string with its source location. The location excludes the quotes if the string contains
/// no escapes.
pub fn source_text(source: &Arc<Source>, range: Range<usize>, text: &str) -> SourceText {
    let spelt = source.text.get(range.clone()).unwrap_or_default();
    let at = spelt.find(text).filter(|_| spelt.len() <= text.len() + 2).unwrap_or(0);
    let len = if at == 0 && spelt != text { spelt.len() } else { text.len() };
    SourceText::new(Span::new(source, range.start + at..range.start + at + len), text)
}

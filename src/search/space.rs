//! Files with limits of a search space.
//!
//! ```toml
//! stages = [1, 2, 4]
//! micro_batches = [8, 16]
//! axes = ["data", "model"]
//! schedules = ["1f1b", "interleaved?chunks=12"]
//! recompute = ["none", "full"]
//! zero = ["none", "zero1"]
//! ```

use crate::error::Result;
use partita_ir::diag::{Code, Diagnostic, Source, Span, nearest};
use partita_ir::input_file::read_text;
use partita_ir::plan::toml_spans::{TomlValue, entries_in_order};
use partita_ir::schedule::ScheduleKind;
use partita_search::{RECOMPUTE_LEVELS, SpaceLimits};
use std::path::Path;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// Keys of a file.
const KEYS: [&str; 6] = ["stages", "micro_batches", "axes", "schedules", "recompute", "zero"];

/// Names of the mesh axes that a search uses.
const AXES: [&str; 5] = ["data", "shard", "expert", "context", "model"];

/// Stages of ZeRO.
const ZERO: [&str; 4] = ["none", "zero1", "zero2", "zero3"];

/// Reads the limits of a search space from a file.
///
/// # Errors
/// `C001` if the file cannot be read, and `C003` for invalid TOML, an unknown key or an invalid value.
pub fn load_space(path: &Path) -> Result<SpaceLimits> {
    Ok(parse(&Source::new(path.display().to_string(), read_text(path)?))?)
}

fn parse(source: &Arc<Source>) -> std::result::Result<SpaceLimits, Diagnostic> {
    let span = |range: std::ops::Range<usize>| Span::new(source, range);
    let table = DeTable::parse(&source.text).map_err(|error| {
        let title = format!("not valid TOML: {}", error.message());
        Diagnostic::new(Code::C003, title).label(span(error.span().unwrap_or_default()), "")
    })?;
    let mut limits = SpaceLimits::default();
    for (key, value) in entries_in_order(table.get_ref()) {
        let list = List { source, key: key.get_ref().as_ref(), value };
        match list.key {
            "stages" => limits.stages = Some(list.numbers()?.into_iter().map(|n| n as usize).collect()),
            "micro_batches" => limits.micro_batches = Some(list.numbers()?),
            "axes" => limits.axes = Some(list.names(&AXES)?),
            "recompute" => limits.recompute = Some(list.names(&RECOMPUTE_LEVELS)?),
            "zero" => limits.zero = Some(list.names(&ZERO)?),
            "schedules" => {
                let kind = |(text, range): (String, std::ops::Range<usize>)| {
                    ScheduleKind::from_text(&text).map_err(|error| error.label(span(range), ""))
                };
                limits.schedules = Some(list.texts()?.into_iter().map(kind).collect::<std::result::Result<_, _>>()?);
            }
            unknown => {
                let error = Diagnostic::new(Code::C003, format!("a search space has no key `{unknown}`"));
                let error = error.label(span(key.span()), "").note(format!("the keys are {}", KEYS.join(", ")));
                return Err(match nearest(unknown, KEYS) {
                    Some(near) => error.help(format!("a similar key is `{near}`")),
                    None => error,
                });
            }
        }
    }
    Ok(limits)
}

/// A list of values of a key.
struct List<'a, 'v> {
    source: &'a Arc<Source>,
    key: &'a str,
    value: &'a TomlValue<'v>,
}

impl List<'_, '_> {
    fn error(&self, range: std::ops::Range<usize>, title: String) -> Diagnostic {
        Diagnostic::new(Code::C003, title).label(Span::new(self.source, range), "")
    }

    /// Returns the items of the list, which is not empty.
    fn items(&self) -> std::result::Result<Vec<&TomlValue<'_>>, Diagnostic> {
        let wrong = || self.error(self.value.span(), format!("`{}` needs a list with at least one value", self.key));
        match self.value.get_ref() {
            DeValue::Array(items) if !items.is_empty() => Ok(items.iter().collect()),
            _ => Err(wrong()),
        }
    }

    fn numbers(&self) -> std::result::Result<Vec<u64>, Diagnostic> {
        let number = |item: &TomlValue<'_>| {
            let number = match item.get_ref() {
                DeValue::Integer(number) => u64::from_str_radix(number.as_str(), number.radix()).ok(),
                _ => None,
            };
            let wrong = || self.error(item.span(), format!("`{}` needs numbers of at least 1", self.key));
            number.filter(|&number| number > 0).ok_or_else(wrong)
        };
        self.items()?.into_iter().map(number).collect()
    }

    fn texts(&self) -> std::result::Result<Vec<(String, std::ops::Range<usize>)>, Diagnostic> {
        let text = |item: &TomlValue<'_>| match item.get_ref() {
            DeValue::String(text) => Ok((text.to_string(), item.span())),
            _ => Err(self.error(item.span(), format!("`{}` needs texts", self.key))),
        };
        self.items()?.into_iter().map(text).collect()
    }

    /// Returns names, each of which is one of `known`.
    fn names(&self, known: &[&str]) -> std::result::Result<Vec<String>, Diagnostic> {
        let name = |(text, range): (String, std::ops::Range<usize>)| match known.contains(&text.as_str()) {
            true => Ok(text),
            false => {
                let error = self.error(range, format!("`{text}` is not a value of `{}`", self.key));
                Err(error.note(format!("the values are {}", known.join(", "))))
            }
        };
        self.texts()?.into_iter().map(name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> std::result::Result<SpaceLimits, String> {
        parse(&Source::new("space.toml", text)).map_err(|error| error.title)
    }

    #[test]
    fn limits_are_read() {
        let text = "stages = [1, 4]\naxes = [\"data\"]\nschedules = [\"interleaved?chunks=12\"]\nzero = [\"none\"]";
        let limits = SpaceLimits {
            stages: Some(vec![1, 4]),
            axes: Some(vec!["data".into()]),
            schedules: Some(vec![ScheduleKind::Interleaved { chunks: 12 }]),
            zero: Some(vec!["none".into()]),
            ..SpaceLimits::default()
        };
        assert_eq!(parsed(text), Ok(limits));
    }

    #[test]
    fn mistakes_are_errors() {
        for (text, title) in [
            ("stages = 2", "`stages` needs a list with at least one value"),
            ("stages = []", "`stages` needs a list with at least one value"),
            ("stages = [0]", "`stages` needs numbers of at least 1"),
            ("micro_batches = [\"8\"]", "`micro_batches` needs numbers of at least 1"),
            ("axes = [\"date\"]", "`date` is not a value of `axes`"),
            ("schedule = [\"1f1b\"]", "a search space has no key `schedule`"),
            ("zero = [", "not valid TOML: unclosed array, expected `]`"),
        ] {
            assert_eq!(parsed(text), Err(title.to_owned()));
        }
    }
}

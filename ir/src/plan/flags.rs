//! Parsing of plans from command-line flags.

use super::keys::KeyKind;
use super::{Flag, Mesh, Plan, PlanEntry, PlanKey, SourceText, replace_or_push};
use crate::diag::{Code, Diagnostic, Source, Span};
use crate::mesh::{Axis, MAX_DEVICES};
use std::sync::Arc;

impl PlanEntry {
    /// Parses `--fix PATH=_,model`, or `--fix PATH=model` for a single axis.
    ///
    /// # Errors
    /// `L008` if `=` is missing.
    pub fn from_fix_flag(value: &str) -> Result<PlanEntry, Diagnostic> {
        entry(&Source::new("--fix", value), "attn.*=model")
    }
}

impl Plan {
    /// Merges the value of the flag of `key` into this plan, as a later value. A key without a flag is ignored.
    ///
    /// # Errors
    /// `L004` for two texts of one path, `L007` for an invalid mesh, `L008` if `=` is missing after a path.
    pub fn read_flag(&mut self, key: &PlanKey, value: &str) -> Result<(), Diagnostic> {
        let Some(Flag { name, example, .. }) = key.flag else { return Ok(()) };
        let source = &Source::new(format!("--{name}"), value);
        match &key.kind {
            KeyKind::Mesh => *self = self.clone().with_meshes(meshes(source)?)?,
            KeyKind::Devices => {}
            KeyKind::Text(field) | KeyKind::Number(field) => *(field.get_mut)(self) = Some(full_text(source)),
            KeyKind::List(field) | KeyKind::Rules(field) => (field.get_mut)(self).push(full_text(source)),
            KeyKind::Entries(field) => add_entry((field.get_mut)(self), entry(source, example)?)?,
            KeyKind::Scoped(field) => add_entry((field.get_mut)(self), scoped_entry(source))?,
        }
        Ok(())
    }

    /// Parses `--mesh data=2,model=4`, or one mesh per stage of a pipeline: `--mesh "data=2,model=2 | data=4,model=1"`.
    ///
    /// # Errors
    /// `L007`
    pub fn with_mesh_flag(self, value: &str) -> Result<Plan, Diagnostic> {
        self.with_meshes(meshes(&Source::new("--mesh", value))?)
    }

    /// Sets the budget to the memory of the smallest device of a machine, named by `--machine`.
    pub fn with_machine_budget(mut self, flag: &str, bytes: u64) -> Plan {
        let written = SourceText::from_flag("--machine", flag);
        self.budget = Some(SourceText { text: bytes.to_string(), ..written });
        self
    }
}

/// Adds an entry of a flag. It replaces the entry of a plan file with the same path.
///
/// # Errors
/// `L004` if the flag has been given for the path with another text.
fn add_entry(entries: &mut Vec<PlanEntry>, entry: PlanEntry) -> Result<(), Diagnostic> {
    let (flag, text) = (entry.path.span().source, &entry.text);
    let earlier = entries.iter().find(|e| e.path == entry.path && e.path.span().source.name == flag.name);
    if let Some(earlier) = earlier.filter(|earlier| earlier.text.text.trim() != text.text.trim()) {
        let title = format!("`{}` is given twice for `{}`", flag.name, entry.path.text.trim());
        let error = Diagnostic::new(Code::L004, title).label(earlier.text.span(), "first here");
        return Err(error.label(text.span(), "and here").help("leave one of them out"));
    }
    replace_or_push(entries, entry);
    Ok(())
}

/// Parses one mesh, or one per stage of a pipeline.
fn meshes(source: &Arc<Source>) -> Result<Vec<Mesh>, Diagnostic> {
    let mut meshes = Vec::new();
    for (start, text) in split_spans(&source.text, '|') {
        let axes = split_spans(text, ',').map(|(at, part)| axis(source, (start + at, part)));
        let (start, text) = (start + text.len() - text.trim_start().len(), text.trim());
        let place = SourceText::new(Span::new(source, start..start + text.len()), text);
        meshes.push(Mesh::from_axes(axes.collect::<Result<_, _>>()?, place)?);
    }
    if meshes.is_empty() {
        meshes.push(Mesh::from_axes(Vec::new(), full_text(source))?);
    }
    Ok(meshes)
}

fn full_text(source: &Arc<Source>) -> SourceText {
    SourceText::new(Span::new(source, 0..source.text.len()), &source.text)
}

/// Splits a text at separators. Returns each part with its start in bytes.
fn split_spans(text: &str, separator: char) -> impl Iterator<Item = (usize, &str)> {
    let filled = text.split(separator).filter(move |_| !text.trim().is_empty());
    filled.map(move |part| (part.as_ptr() as usize - text.as_ptr() as usize, part))
}

/// Parses one axis: `data=2`.
fn axis(source: &Arc<Source>, (start, part): (usize, &str)) -> Result<Axis, Diagnostic> {
    let (name, size) = part.split_once('=').map(|(name, size)| (name.trim(), size.trim())).unwrap_or_default();
    let is_number = !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit());
    if name.is_empty() || !is_number {
        return Err(Diagnostic::new(Code::L007, format!("`{}` is not an axis of a mesh", part.trim()))
            .label(Span::new(source, start..start + part.len()), "")
            .help("an axis is a name and a size: `--mesh data=2,model=4`"));
    }
    let size = size.parse().map_err(|_| {
        Diagnostic::new(Code::L007, format!("{size} devices are more than the limit of {MAX_DEVICES}"))
            .label(Span::new(source, start..start + part.len()), "")
    })?;
    Ok(Axis { name: name.into(), size })
}

/// Parses `TEXT` for all paths, or `PATH=TEXT`. A `=` after the first `?` belongs to the text.
fn scoped_entry(source: &Arc<Source>) -> PlanEntry {
    let head = source.text.find('?').unwrap_or(source.text.len());
    match source.text[..head].find('=') {
        Some(at) => split_entry(source, at),
        None => PlanEntry { path: SourceText::new(Span::new(source, 0..0), "**"), text: full_text(source) },
    }
}

/// Parses `PATH=TEXT`.
fn entry(source: &Arc<Source>, example: &str) -> Result<PlanEntry, Diagnostic> {
    let Source { name: flag, text } = &**source;
    let at = text.find('=').ok_or_else(|| {
        Diagnostic::new(Code::L008, format!("`{flag}` expects a path and a text, joined by `=`"))
            .label(Span::new(source, 0..text.len()), "there is no `=`")
            .help(format!("write `{flag} \"{example}\"`"))
    })?;
    Ok(split_entry(source, at))
}

/// Splits an entry at the `=` at byte `at`.
fn split_entry(source: &Arc<Source>, at: usize) -> PlanEntry {
    let written =
        |range: std::ops::Range<usize>| SourceText::new(Span::new(source, range.clone()), &source.text[range]);
    PlanEntry { path: written(0..at), text: written(at + 1..source.text.len()) }
}

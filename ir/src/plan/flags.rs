//! Plans from flags of the command line.

use super::keys::Kind;
use super::{Entry, Flag, Mesh, Plan, PlanKey, Written, replace_or_push};
use crate::diag::{Code, Diagnostic, Source, Span};
use crate::mesh::{Axis, MAX_DEVICES};
use std::sync::Arc;

impl Entry {
    /// Reads `--fix PATH=_,model`, or `--fix PATH=model` for an axis alone.
    ///
    /// # Errors
    /// `L008` when there is no `=`.
    pub fn fix_flag(value: &str) -> Result<Entry, Diagnostic> {
        entry(&Source::new("--fix", value), "attn.*=model")
    }
}

impl Plan {
    /// Adds the value of the flag of `key`, as behind this plan. A key without a flag adds nothing.
    ///
    /// # Errors
    /// `L007` for a mesh, `L008` when there is no `=` behind a path.
    pub fn read_flag(&mut self, key: &PlanKey, value: &str) -> Result<(), Diagnostic> {
        let Some(Flag { name, example, .. }) = key.flag else { return Ok(()) };
        let source = &Source::new(format!("--{name}"), value);
        match &key.kind {
            Kind::Mesh => *self = self.clone().with_meshes(meshes(source)?)?,
            Kind::Devices => {}
            Kind::Text(field) | Kind::Number(field) => *(field.get_mut)(self) = Some(whole(source)),
            Kind::List(field) | Kind::Rules(field) => (field.get_mut)(self).push(whole(source)),
            Kind::Entries(field) => replace_or_push((field.get_mut)(self), entry(source, example)?),
            Kind::Scoped(field) => replace_or_push((field.get_mut)(self), everywhere(source)),
        }
        Ok(())
    }

    /// Reads `--mesh data=2,model=4`, or one for each stage of a pipeline: `--mesh "data=2,model=2 | data=4,model=1"`.
    ///
    /// # Errors
    /// `L007`
    pub fn mesh_flag(self, value: &str) -> Result<Plan, Diagnostic> {
        self.with_meshes(meshes(&Source::new("--mesh", value))?)
    }

    /// Takes the memory of the smallest device of a machine as the budget, where `--machine` names that machine.
    pub fn budget_of(mut self, flag: &str, bytes: u64) -> Plan {
        let written = Written::of_flag("--machine", flag);
        self.budget = Some(Written { text: bytes.to_string(), ..written });
        self
    }
}

/// A mesh, or one for each stage of a pipeline.
fn meshes(source: &Arc<Source>) -> Result<Vec<Mesh>, Diagnostic> {
    let mut meshes = Vec::new();
    for (start, text) in parts(&source.text, '|') {
        let axes = parts(text, ',').map(|(at, part)| axis(source, (start + at, part)));
        let (start, text) = (start + text.len() - text.trim_start().len(), text.trim());
        let place = Written::at(Span::new(source, start..start + text.len()), text);
        meshes.push(Mesh::checked(axes.collect::<Result<_, _>>()?, place)?);
    }
    if meshes.is_empty() {
        meshes.push(Mesh::checked(Vec::new(), whole(source))?);
    }
    Ok(meshes)
}

fn whole(source: &Arc<Source>) -> Written {
    Written::at(Span::new(source, 0..source.text.len()), &source.text)
}

/// The parts between separators, each with its start.
fn parts(text: &str, separator: char) -> impl Iterator<Item = (usize, &str)> {
    let filled = text.split(separator).filter(move |_| !text.trim().is_empty());
    filled.map(move |part| (part.as_ptr() as usize - text.as_ptr() as usize, part))
}

/// `data=2`
fn axis(source: &Arc<Source>, (start, part): (usize, &str)) -> Result<Axis, Diagnostic> {
    let (name, size) = part.split_once('=').map(|(name, size)| (name.trim(), size.trim())).unwrap_or_default();
    let is_number = !size.is_empty() && size.bytes().all(|b| b.is_ascii_digit());
    if name.is_empty() || !is_number {
        return Err(Diagnostic::new(Code::L007, format!("`{}` is not an axis of a mesh", part.trim()))
            .at(Span::new(source, start..start + part.len()), "")
            .help("an axis is a name and a size: `--mesh data=2,model=4`"));
    }
    let size = size.parse().map_err(|_| {
        Diagnostic::new(Code::L007, format!("{size} devices are more than the limit of {MAX_DEVICES}"))
            .at(Span::new(source, start..start + part.len()), "")
    })?;
    Ok(Axis { name: name.into(), size })
}

/// `TEXT` for everything, or `PATH=TEXT`. What is behind a `?` belongs to the text.
fn everywhere(source: &Arc<Source>) -> Entry {
    let head = source.text.find('?').unwrap_or(source.text.len());
    match source.text[..head].find('=') {
        Some(at) => split(source, at),
        None => Entry { path: Written::at(Span::new(source, 0..0), "**"), text: whole(source) },
    }
}

/// `PATH=TEXT`
fn entry(source: &Arc<Source>, example: &str) -> Result<Entry, Diagnostic> {
    let Source { name: flag, text } = &**source;
    let at = text.find('=').ok_or_else(|| {
        Diagnostic::new(Code::L008, format!("`{flag}` needs a path and a text"))
            .at(Span::new(source, 0..text.len()), "there is no `=`")
            .help(format!("write `{flag} \"{example}\"`"))
    })?;
    Ok(split(source, at))
}

/// An entry whose `=` is at that byte.
fn split(source: &Arc<Source>, at: usize) -> Entry {
    let written = |range: std::ops::Range<usize>| Written::at(Span::new(source, range.clone()), &source.text[range]);
    Entry { path: written(0..at), text: written(at + 1..source.text.len()) }
}

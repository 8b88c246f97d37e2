//! Keys of a plan: for each key, its name, the parsing and merging of its values, and the pass that reads it.
//!
//! [`KEYS`] has one row per key ([`table`]). Plan files ([`super::toml`]), flags ([`super::flags`]), the arguments and
//! help texts of the command line, and [`Plan::then`] are driven by it. Adding a key requires a row in the table and a
//! pass that reads it.

mod table;

pub use table::{KEYS, Plan};

use super::{Mesh, PlanEntry, SourceText, replace_or_push};
use std::mem::take;

/// Key of a plan.
#[derive(Debug)]
pub struct PlanKey {
    /// Name in a plan file: `allow_reshard`.
    pub name: &'static str,
    /// Command-line flag; `None` for a key of plan files only.
    pub flag: Option<Flag>,
    /// Key that this key requires.
    pub needs: Option<&'static str>,
    /// First pass whose result depends on the value. For a value that no pass reads, the stage of the compiler that
    /// reads it: `schedule`, `budget` or `simulate`.
    pub reader: &'static str,
    /// Field of the plan and kind of the value.
    pub(super) kind: KeyKind,
}

/// Command-line flag of a key.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Name without dashes: `allow-reshard`.
    pub name: &'static str,
    /// Placeholder of the value in the help text: `PATH=LAYOUT`.
    pub value: &'static str,
    /// Heading of the help text under which the flag is listed.
    pub heading: &'static str,
    /// Example value for the help text and for errors; may be empty.
    pub example: &'static str,
    /// Help text before the example. `{presets}` is replaced by the names of all presets, which this crate does not
    /// define.
    pub help: &'static str,
}

/// Field of a plan that stores the value of a key, and the rules for parsing and merging values.
#[derive(Debug)]
pub(super) enum KeyKind {
    /// Mesh, or one mesh per stage of a pipeline. A later value replaces an earlier one.
    Mesh,
    /// Devices of the mesh, stored in the mesh.
    Devices,
    /// Text. A later value replaces an earlier one.
    Text(Field<Option<SourceText>>),
    /// Like [`KeyKind::Text`], but a plan file may have a number instead of the text.
    Number(Field<Option<SourceText>>),
    /// One text or a list of texts. Later values are appended.
    List(Field<Vec<SourceText>>),
    /// Like [`KeyKind::List`], but the error for a table suggests the equivalent text.
    Rules(Field<Vec<SourceText>>),
    /// Texts by path. A later text replaces an earlier one with the same path.
    Entries(Field<Vec<PlanEntry>>),
    /// Like [`KeyKind::Entries`], but a text without a path applies to all paths, `**`.
    Scoped(Field<Vec<PlanEntry>>),
}

/// Accessors of a field of a plan.
#[derive(Debug)]
pub(super) struct Field<T> {
    pub(super) get: fn(&Plan) -> &T,
    pub(super) get_mut: fn(&mut Plan) -> &mut T,
}

/// Value of a key in a plan.
#[derive(Clone, Copy, Debug)]
pub enum PlanValue<'p> {
    /// Mesh, or the meshes of all stages; empty if the plan has none.
    Meshes(&'p [Mesh]),
    /// Devices of the mesh, unless they are `0..n`.
    Devices(Option<&'p [u32]>),
    /// Text, if set.
    Text(Option<&'p SourceText>),
    /// Texts, in order.
    List(&'p [SourceText]),
    /// Texts by path, in order.
    Entries(&'p [PlanEntry]),
}

impl PlanKey {
    /// Returns the key with this name in a plan file.
    pub fn named(name: &str) -> Option<&'static PlanKey> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// Returns the value of the key in `plan`.
    pub fn value<'p>(&self, plan: &'p Plan) -> PlanValue<'p> {
        match &self.kind {
            KeyKind::Mesh if plan.stage_meshes.is_empty() => PlanValue::Meshes(plan.mesh.as_slice()),
            KeyKind::Mesh => PlanValue::Meshes(&plan.stage_meshes),
            KeyKind::Devices => PlanValue::Devices(plan.mesh.as_ref().and_then(|mesh| mesh.devices.as_deref())),
            KeyKind::Text(field) | KeyKind::Number(field) => PlanValue::Text((field.get)(plan).as_ref()),
            KeyKind::List(field) | KeyKind::Rules(field) => PlanValue::List((field.get)(plan)),
            KeyKind::Entries(field) | KeyKind::Scoped(field) => PlanValue::Entries((field.get)(plan)),
        }
    }

    /// Returns true if the flag may be given several times.
    pub fn is_repeatable(&self) -> bool {
        !matches!(self.kind, KeyKind::Mesh | KeyKind::Text(_) | KeyKind::Number(_))
    }

    /// Removes the value of the key from `plan`.
    pub(super) fn clear(&self, plan: &mut Plan) {
        match &self.kind {
            KeyKind::Mesh => (plan.mesh, plan.stage_meshes) = (None, Vec::new()),
            KeyKind::Devices => plan.mesh.iter_mut().for_each(|mesh| mesh.devices = None),
            KeyKind::Text(field) | KeyKind::Number(field) => *(field.get_mut)(plan) = None,
            KeyKind::List(field) | KeyKind::Rules(field) => (field.get_mut)(plan).clear(),
            KeyKind::Entries(field) | KeyKind::Scoped(field) => (field.get_mut)(plan).clear(),
        }
    }

    /// Moves the value of the key from `later` into `plan`, merged with the value in `plan`.
    pub(super) fn merge(&self, plan: &mut Plan, later: &mut Plan) {
        match &self.kind {
            KeyKind::Mesh if later.mesh.is_some() => {
                (plan.mesh, plan.stage_meshes) = (later.mesh.take(), take(&mut later.stage_meshes));
            }
            KeyKind::Mesh | KeyKind::Devices => {}
            KeyKind::Text(field) | KeyKind::Number(field) => {
                let earlier = (field.get_mut)(plan);
                *earlier = (field.get_mut)(later).take().or(earlier.take());
            }
            KeyKind::List(field) | KeyKind::Rules(field) => (field.get_mut)(plan).append((field.get_mut)(later)),
            KeyKind::Entries(field) | KeyKind::Scoped(field) => {
                let entries = (field.get_mut)(plan);
                take((field.get_mut)(later)).into_iter().for_each(|entry| replace_or_push(entries, entry));
            }
        }
    }
}

impl<'p> PlanValue<'p> {
    /// Returns the first text of the value; `None` for an unset key, and for a mesh.
    pub fn first(self) -> Option<&'p SourceText> {
        match self {
            PlanValue::Meshes(_) | PlanValue::Devices(_) => None,
            PlanValue::Text(text) => text,
            PlanValue::List(texts) => texts.first(),
            PlanValue::Entries(entries) => entries.first().map(|entry| &entry.text),
        }
    }
}

//! The keys of a plan: what a key is called, how its values are read and merged, and which pass reads them.
//!
//! [`KEYS`] has one row per key ([`table`]). It drives the reading and writing of plan files ([`super::toml`]), the
//! reading of flags ([`super::flags`]), the arguments and help texts of the command line, and [`Plan::then`]. A new key
//! is a row of the table and the pass that reads it.

mod table;

pub use table::{KEYS, Plan};

use super::{Entry, Mesh, Written, replace_or_push};
use std::mem::take;

/// A key of a plan.
#[derive(Debug)]
pub struct PlanKey {
    /// Name in a plan file: `allow_reshard`.
    pub name: &'static str,
    /// Flag of the command line; `None` for a key that only plan files have.
    pub flag: Option<Flag>,
    /// Another key without which this one is an error.
    pub needs: Option<&'static str>,
    /// The first pass whose result depends on the value; for a value that no pass reads, the stage of the compiler that
    /// does: `schedule`, `budget` or `simulate`.
    pub reader: &'static str,
    /// Field and kind of the value.
    pub(super) kind: Kind,
}

/// The flag of a key on the command line.
#[derive(Clone, Copy, Debug)]
pub struct Flag {
    /// Name without dashes: `allow-reshard`.
    pub name: &'static str,
    /// Placeholder of the value in the help text: `PATH=LAYOUT`.
    pub value: &'static str,
    /// Heading of the help text under which the flag is listed.
    pub heading: &'static str,
    /// A value, for the help text and for errors; empty where the help text is enough.
    pub example: &'static str,
    /// Help text in front of the example. `{presets}` stands for the names of all presets, which this crate does not
    /// know.
    pub help: &'static str,
}

/// The field of a plan that holds the value of a key, and how values are read and merged.
#[derive(Debug)]
pub(super) enum Kind {
    /// A mesh, or one for each stage of a pipeline. A later value replaces an earlier one.
    Mesh,
    /// Devices of the mesh, stored in the mesh.
    Devices,
    /// A text. A later value replaces an earlier one.
    Text(Field<Option<Written>>),
    /// As [`Kind::Text`]; a plan file may have a number in place of the text.
    Number(Field<Option<Written>>),
    /// Texts, in a list or alone. Later values are appended.
    List(Field<Vec<Written>>),
    /// As [`Kind::List`]; the error for a table shows the text that says the same.
    Rules(Field<Vec<Written>>),
    /// Texts by path. A later text replaces an earlier one with the same path.
    Entries(Field<Vec<Entry>>),
    /// As [`Kind::Entries`]; a text without a path is for everything, `**`.
    Scoped(Field<Vec<Entry>>),
}

/// Access to a field of a plan.
#[derive(Debug)]
pub(super) struct Field<T> {
    pub(super) get: fn(&Plan) -> &T,
    pub(super) get_mut: fn(&mut Plan) -> &mut T,
}

/// The value of a key in a plan.
#[derive(Clone, Copy, Debug)]
pub enum PlanValue<'p> {
    /// The mesh, or those of all stages; empty if the plan has none.
    Meshes(&'p [Mesh]),
    /// The devices of the mesh, unless they are `0..n`.
    Devices(Option<&'p [u32]>),
    /// A text.
    Text(Option<&'p Written>),
    /// Texts, in order.
    List(&'p [Written]),
    /// Texts by path, in order.
    Entries(&'p [Entry]),
}

impl PlanKey {
    /// Returns the key with this name in a plan file.
    pub fn named(name: &str) -> Option<&'static PlanKey> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// Returns the value of the key in `plan`.
    pub fn value<'p>(&self, plan: &'p Plan) -> PlanValue<'p> {
        match &self.kind {
            Kind::Mesh if plan.stage_meshes.is_empty() => PlanValue::Meshes(plan.mesh.as_slice()),
            Kind::Mesh => PlanValue::Meshes(&plan.stage_meshes),
            Kind::Devices => PlanValue::Devices(plan.mesh.as_ref().and_then(|mesh| mesh.devices.as_deref())),
            Kind::Text(field) | Kind::Number(field) => PlanValue::Text((field.get)(plan).as_ref()),
            Kind::List(field) | Kind::Rules(field) => PlanValue::List((field.get)(plan)),
            Kind::Entries(field) | Kind::Scoped(field) => PlanValue::Entries((field.get)(plan)),
        }
    }

    /// Returns true if the flag may be given several times.
    pub fn is_repeatable(&self) -> bool {
        !matches!(self.kind, Kind::Mesh | Kind::Text(_) | Kind::Number(_))
    }

    /// Removes the value of the key from `plan`.
    pub(super) fn clear(&self, plan: &mut Plan) {
        match &self.kind {
            Kind::Mesh => (plan.mesh, plan.stage_meshes) = (None, Vec::new()),
            Kind::Devices => plan.mesh.iter_mut().for_each(|mesh| mesh.devices = None),
            Kind::Text(field) | Kind::Number(field) => *(field.get_mut)(plan) = None,
            Kind::List(field) | Kind::Rules(field) => (field.get_mut)(plan).clear(),
            Kind::Entries(field) | Kind::Scoped(field) => (field.get_mut)(plan).clear(),
        }
    }

    /// Moves the value of the key from `later` into `plan`, merged with the value in `plan`.
    pub(super) fn merge(&self, plan: &mut Plan, later: &mut Plan) {
        match &self.kind {
            Kind::Mesh if later.mesh.is_some() => {
                (plan.mesh, plan.stage_meshes) = (later.mesh.take(), take(&mut later.stage_meshes));
            }
            Kind::Mesh | Kind::Devices => {}
            Kind::Text(field) | Kind::Number(field) => {
                let earlier = (field.get_mut)(plan);
                *earlier = (field.get_mut)(later).take().or(earlier.take());
            }
            Kind::List(field) | Kind::Rules(field) => (field.get_mut)(plan).append((field.get_mut)(later)),
            Kind::Entries(field) | Kind::Scoped(field) => {
                let entries = (field.get_mut)(plan);
                take((field.get_mut)(later)).into_iter().for_each(|entry| replace_or_push(entries, entry));
            }
        }
    }
}

impl<'p> PlanValue<'p> {
    /// Returns the first text of the value; `None` for an unset key, and for a mesh.
    pub fn first(self) -> Option<&'p Written> {
        match self {
            PlanValue::Meshes(_) | PlanValue::Devices(_) => None,
            PlanValue::Text(text) => text,
            PlanValue::List(texts) => texts.first(),
            PlanValue::Entries(entries) => entries.first().map(|entry| &entry.text),
        }
    }
}

//! Parts of plans that targets cannot express.

use partita_ir::diag::Span;
use partita_ir::plan::{PlanEntry, SourceText};
use partita_passes::planning::presets::WrittenPreset;
use std::fmt;

/// Part of a plan that a target cannot express.
#[derive(Clone, PartialEq, Debug)]
pub struct Obstacle {
    /// Plan key with its value, or path of a parameter, input or output with its layout.
    pub part: String,
    /// Reason, as a clause.
    pub reason: String,
    /// Location of the part, if the plan contains it.
    pub span: Option<Span>,
    /// Identity of the part.
    pub(super) site: ObstacleSite,
}

/// Part of a plan that an obstacle is in.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum ObstacleSite {
    /// Value of a plan key: the name of the key and the value.
    Key(&'static str, String),
    /// Entry of a plan key: the name of the key and the path.
    Entry(&'static str, String),
    /// Preset of that name, and the presets that replace it.
    Preset(String, String),
    /// Parameter, input or output with that path, and the nearest layout that the target can express.
    Value(String, String),
    /// Mesh axis of that name, which no preset uses.
    UnusedAxis(String),
    /// Division of the model into stages.
    Stages,
    /// No part that a single plan entry specifies.
    Whole,
}

impl Obstacle {
    /// Creates an obstacle for a value of a plan key.
    pub(super) fn of_key(key: &'static str, written: &SourceText, reason: impl Into<String>) -> Obstacle {
        let text = written.text.trim();
        let (part, site) = (format!("`{key} {text}`"), ObstacleSite::Key(key, written.text.clone()));
        Obstacle { part, reason: reason.into(), span: Some(written.span()), site }
    }

    /// Creates an obstacle for an entry of a plan key.
    pub(super) fn of_entry(key: &'static str, entry: &PlanEntry, reason: &str) -> Obstacle {
        let (path, text) = (entry.path.text.trim(), entry.text.text.trim());
        let part = if path == "**" { format!("`{key} {text}`") } else { format!("`{key} {path}={text}`") };
        Obstacle {
            part,
            reason: reason.to_owned(),
            span: Some(entry.text.span()),
            site: ObstacleSite::Entry(key, entry.path.text.clone()),
        }
    }

    /// Creates an obstacle for a preset. `instead` are the presets that the target has instead of it.
    pub(super) fn of_preset(preset: &WrittenPreset<'_>, reason: impl Into<String>, instead: &str) -> Obstacle {
        Obstacle {
            part: format!("`preset {}`", preset.name),
            reason: reason.into(),
            span: Some(preset.span.clone()),
            site: ObstacleSite::Preset(preset.name.to_owned(), instead.to_owned()),
        }
    }

    /// Creates an obstacle for values that a mesh axis must shard.
    pub(crate) fn of_fixed_axis(entry: &PlanEntry) -> Obstacle {
        let part = format!("`{}={}`", entry.path.text.trim(), entry.text.text.trim());
        let reason = "presets determine the layouts of all parameters".to_owned();
        Obstacle { part, reason, span: Some(entry.text.span()), site: ObstacleSite::Whole }
    }

    /// Creates an obstacle for a part that no single plan entry specifies.
    pub(super) fn of_part(part: impl Into<String>, reason: impl Into<String>) -> Obstacle {
        Obstacle { part: part.into(), reason: reason.into(), span: None, site: ObstacleSite::Whole }
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.part, self.reason)
    }
}

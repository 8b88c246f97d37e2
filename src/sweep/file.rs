//! Sweep files in TOML.
//!
//! ```toml
//! models = ["zoo:gpt?layers=2", "zoo:mlp"]
//! machines = ["pcie4", "dgx-a100?nodes=2"]
//! time_limit = 60
//!
//! [constraints.roomy]
//!
//! [constraints.tight]
//! devices = 2
//! budget = "200MiB"
//! ```
//!
//! Keys above the sections are defaults of all constraints. A constraint has the keys `KEYS` and all keys of a plan
//! file, except that `devices` is the number of devices. Models and machines may be named: `models = { small =
//! "zoo:gpt?layers=2" }`. Paths of files are relative to the working directory.

use super::{Case, CaseConstraints};
use crate::parameters;
use crate::search::Target;
use partita_ir::diag::{Code, Diagnostic, Source, Span, nearest};
use partita_ir::plan::toml_spans::{self, TomlKey, TomlValue, entries_in_order};
use partita_ir::plan::{self, PlanEntry, PlanKey, SourceText};
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// Keys of a constraint besides those of a plan.
pub(super) const KEYS: [&str; 8] =
    ["devices", "target", "forward", "plan", "fix", "time_limit", "effort", "efficiencies"];

/// Returns all keys of a constraint.
pub(super) fn keys() -> impl Iterator<Item = &'static str> {
    KEYS.into_iter().chain(plan::KEYS.iter().map(|key| key.name).filter(|key| !KEYS.contains(key)))
}

/// Keys that are valid at the top level only.
const LISTS: [&str; 3] = ["models", "machines", "constraints"];

/// A name and its text.
type NamedText = (String, SourceText);

/// Parses the cases of a sweep file.
///
/// # Errors
/// `W001` for an invalid file, and `C003` for invalid numbers.
pub(super) fn cases(source: &Arc<Source>) -> Result<Vec<Case>, Diagnostic> {
    let file = File(source);
    let table = DeTable::parse(&source.text).map_err(|e| {
        let error = Diagnostic::new(Code::W001, format!("not valid TOML: {}", e.message()));
        error.label(file.span(e.span().unwrap_or_default()), "")
    })?;
    let (mut models, mut machines, mut sections) = (Vec::new(), Vec::new(), None);
    let mut defaults = CaseConstraints::default();
    for (key, value) in entries_in_order(table.get_ref()) {
        match key.get_ref().as_ref() {
            "models" => models = file.named(value, "models = [\"zoo:gpt?layers=2\"]")?,
            "machines" => machines = file.named(value, "machines = [\"pcie4\"]")?,
            "constraints" => sections = Some(value),
            _ => file.constraint(&mut defaults, key, value, true)?,
        }
    }
    for (list, example, all) in
        [("models", "models = [\"zoo:gpt?layers=2\"]", &models), ("machines", "machines = [\"pcie4\"]", &machines)]
    {
        if all.is_empty() {
            let start = Span::new(source, 0..source.text.lines().next().map_or(0, str::len));
            let error = Diagnostic::new(Code::W001, format!("the sweep has no `{list}`")).label(start, "");
            return Err(error.help(format!("begin the file with `{example}`")));
        }
    }
    let mut constraints = Vec::new();
    match sections.map(|value| (value, value.get_ref())) {
        None => constraints.push(("all".to_string(), defaults)),
        Some((_, DeValue::Table(sections))) => {
            for (name, section) in entries_in_order(sections) {
                let mut own = defaults.clone();
                let DeValue::Table(section) = section.get_ref() else {
                    let wrong = file.wrong(section, "a table of constraints");
                    return Err(wrong.help(format!("write `[constraints.{}]`, and keys below it", name.get_ref())));
                };
                for (key, value) in entries_in_order(section) {
                    file.constraint(&mut own, key, value, false)?;
                }
                constraints.push((name.get_ref().to_string(), own));
            }
        }
        Some((value, _)) => {
            return Err(file.wrong(value, "sections").help("write `[constraints.NAME]`, and keys below it"));
        }
    }
    let mut names = BTreeSet::new();
    let mut cases = Vec::new();
    for (called, model) in &models {
        for (machine_called, machine) in &machines {
            for (constraint, given) in &constraints {
                let base = [called, machine_called, constraint].map(|name| portable_name(name)).join(".");
                let numbered = (2..).map(|number| format!("{base}-{number}"));
                let name = std::iter::once(base.clone()).chain(numbered).find(|name| !names.contains(name));
                let name = name.unwrap_or(base);
                names.insert(name.clone());
                let (model, machine) = (model.clone(), machine.clone());
                cases.push(Case { name, model, machine, constraint: constraint.clone(), constraints: given.clone() });
            }
        }
    }
    Ok(cases)
}

/// Replaces characters that are not portable in file names.
fn portable_name(name: &str) -> String {
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "-_+".contains(c) { c } else { '-' }).collect();
    plain.trim_matches('-').to_string()
}

/// Source of the sweep file, for diagnostics.
struct File<'s>(&'s Arc<Source>);

impl File<'_> {
    fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.0, range)
    }

    fn wrong(&self, value: &TomlValue<'_>, needed: &str) -> Diagnostic {
        Diagnostic::new(Code::W001, format!("expected {needed}")).label(self.span(value.span()), "")
    }

    /// Parses a list of texts, or a table of texts by name.
    fn named(&self, value: &TomlValue<'_>, example: &str) -> Result<Vec<NamedText>, Diagnostic> {
        let mut all: Vec<NamedText> = Vec::new();
        let mut add = |name: Option<&str>, value: &TomlValue<'_>| {
            let text = self.text(value)?;
            if let Some((_, first)) = all.iter().find(|(_, known)| *known == text) {
                let error = Diagnostic::new(Code::W001, format!("`{}` is listed twice", text.text));
                return Err(error.label(text.span(), "and again here").context(first.span(), "first here"));
            }
            all.push((name.unwrap_or(&text.text).to_string(), text));
            Ok(())
        };
        match value.get_ref() {
            DeValue::Array(list) => list.iter().try_for_each(|value| add(None, value))?,
            DeValue::Table(table) => {
                entries_in_order(table).into_iter().try_for_each(|(name, value)| add(Some(name.get_ref()), value))?;
            }
            DeValue::String(_) => add(None, value)?,
            _ => return Err(self.wrong(value, "a list of names").help(format!("write `{example}`"))),
        }
        Ok(all)
    }

    /// Parses one key of a constraint.
    fn constraint(
        &self,
        of: &mut CaseConstraints,
        key: &TomlKey<'_>,
        value: &TomlValue<'_>,
        is_top: bool,
    ) -> Result<(), Diagnostic> {
        match key.get_ref().as_ref() {
            "devices" => of.devices = Some(self.count(value)?),
            "target" => of.target = Some(self.target(value)?),
            "forward" => match value.get_ref() {
                DeValue::Boolean(forward) => of.forward = *forward,
                _ => return Err(self.wrong(value, "`true` or `false`")),
            },
            "plan" => of.plan = Some(self.text(value)?),
            "fix" => of.fix = PlanEntry::from_toml_table(self.0, value)?,
            "time_limit" => of.time_limit = Some(self.seconds(value)?),
            "effort" => of.effort = parameters::effort(&self.text(value)?)?,
            "efficiencies" => of.efficiencies = parameters::efficiencies(&self.text(value)?)?,
            name => match PlanKey::named(name) {
                Some(decided) => of.decided.read_key(decided, self.0, value)?,
                None => return Err(self.unknown_key(name, key.span(), is_top)),
            },
        }
        Ok(())
    }

    fn unknown_key(&self, key: &str, span: Range<usize>, is_top: bool) -> Diagnostic {
        let known: Vec<&str> = LISTS.into_iter().filter(|_| is_top).chain(keys()).collect();
        let what = if is_top { "a sweep" } else { "a constraint" };
        let error =
            Diagnostic::new(Code::W001, format!("{what} has no key `{key}`")).label(self.span(span.clone()), "").note(
                format!("the keys are {}", known.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")),
            );
        match nearest(key, known) {
            Some(near) => error.fix("there is a key with a similar name", self.span(span), near),
            None => error,
        }
    }

    fn count(&self, value: &TomlValue<'_>) -> Result<usize, Diagnostic> {
        let number = match value.get_ref() {
            DeValue::Integer(n) => usize::from_str_radix(n.as_str(), n.radix()).ok(),
            _ => None,
        };
        number
            .filter(|&n| n > 0)
            .ok_or_else(|| self.wrong(value, "a number above 0").help("for example: `devices = 4`"))
    }

    fn target(&self, value: &TomlValue<'_>) -> Result<Target, Diagnostic> {
        let written = self.text(value)?;
        Target::from_name(&written.text).ok_or_else(|| {
            let names = Target::ALL.map(|target| format!("`{target}`")).join(", ");
            let title = format!("`{}` is not a target", written.text);
            Diagnostic::new(Code::W001, title).label(written.span(), "").note(format!("the targets are {names}"))
        })
    }

    fn seconds(&self, value: &TomlValue<'_>) -> Result<f64, Diagnostic> {
        let number = match value.get_ref() {
            DeValue::Integer(n) => n.as_str().parse::<f64>().ok(),
            DeValue::Float(n) => n.as_str().parse::<f64>().ok(),
            _ => None,
        };
        let number = number.filter(|x| x.is_finite() && *x >= 0.0);
        number.ok_or_else(|| self.wrong(value, "a number of seconds").help("for example: `time_limit = 60`"))
    }

    fn text(&self, value: &TomlValue<'_>) -> Result<SourceText, Diagnostic> {
        match value.get_ref() {
            DeValue::String(text) => Ok(toml_spans::source_text(self.0, value.span(), text)),
            _ => Err(self.wrong(value, "a quoted string")),
        }
    }
}

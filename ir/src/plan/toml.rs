//! Plans as TOML files.
//!
//! ```toml
//! version = 1
//! mesh = { data = 2, model = 4 }
//! rules = "batch:data; hidden:model"
//! allow_reshard = ["up.bias"]
//! presets = ["zero1"]
//!
//! [name]
//! "input.0" = "batch, embed"
//!
//! [shard]
//! down.bias = "_"
//! ```
//!
//! Keys and the kinds of their values are defined by [`KEYS`]. Dotted keys need no quotes. The version of the format is
//! optional: files without it have version 1.

use super::keys::KeyKind;
use super::{KEYS, Mesh, Plan, PlanEntry, PlanKey, PlanValue, SourceText, replace_or_push};
use crate::diag::{Code, Diagnostic, Source, Span, nearest};
use crate::mesh::Axis;
use crate::plan::toml_spans::{self, TomlKey, TomlValue, entries_in_order};
use std::fmt::Write;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// Version of the format of plan files. A change after which older versions of Partita would misread a file increments
/// it; files of all earlier versions stay readable.
const VERSION: u32 = 1;

/// Key of the version in a plan file.
const VERSION_KEY: &str = "version";

impl Plan {
    /// Parses a plan file.
    ///
    /// # Errors
    /// `L011` if the text is not TOML or not a plan, or a plan of a later version, `L007` for an invalid mesh, or for
    /// `devices` without a mesh.
    pub fn from_toml(source: &Arc<Source>) -> Result<Plan, Diagnostic> {
        let file = File(source);
        let table = DeTable::parse(&source.text).map_err(|e| {
            let error = Diagnostic::new(Code::L011, format!("not valid TOML: {}", e.message()));
            error.label(file.span(e.span().unwrap_or_default()), "")
        })?;
        let mut plan = Plan::default();
        let mut devices = None;
        for (key, value) in entries_in_order(table.get_ref()) {
            match PlanKey::named(key.get_ref()) {
                Some(PlanKey { kind: KeyKind::Devices, .. }) => {
                    devices = Some((file.devices(value)?, value.span()));
                }
                Some(known) => plan.read_key(known, source, value)?,
                None if key.get_ref() == VERSION_KEY => file.check_version(value)?,
                None => return Err(file.unknown_key(key.get_ref(), key.span())),
            }
        }
        if let Some((devices, span)) = devices {
            let mesh = plan.mesh.take().ok_or_else(|| {
                let error = Diagnostic::new(Code::L007, "`devices` needs a mesh");
                error.label(file.span(span), "the devices of a mesh").help("add the mesh, `mesh = { data = 2 }`")
            })?;
            plan.mesh = Some(mesh.with_devices(devices)?);
        }
        Ok(plan)
    }

    /// Parses the value of one key, for files that contain plan keys among others. `devices` is only valid in plan
    /// files and is ignored.
    ///
    /// # Errors
    /// The errors of [`Plan::from_toml`].
    pub fn read_key(&mut self, key: &PlanKey, source: &Arc<Source>, value: &TomlValue<'_>) -> Result<(), Diagnostic> {
        let file = File(source);
        match &key.kind {
            KeyKind::Mesh => *self = std::mem::take(self).with_meshes(file.meshes(value)?)?,
            KeyKind::Devices => {}
            KeyKind::Text(field) => *(field.get_mut)(self) = Some(file.text(value)?),
            KeyKind::Number(field) => *(field.get_mut)(self) = Some(file.text_or_number(value)?),
            KeyKind::List(field) => *(field.get_mut)(self) = file.texts(value)?,
            KeyKind::Rules(field) => *(field.get_mut)(self) = file.rules(value)?,
            KeyKind::Scoped(field) => *(field.get_mut)(self) = file.entries_or_all(value)?,
            KeyKind::Entries(field) => {
                let entries = (field.get_mut)(self);
                file.entries(value)?.into_iter().for_each(|entry| replace_or_push(entries, entry));
            }
        }
        Ok(())
    }

    /// Formats the plan as a TOML file that parses to an equal plan. Texts and lists precede the tables from paths to
    /// texts.
    pub fn to_toml(&self) -> String {
        let [mut texts, mut lists, mut tables] = [format!("{VERSION_KEY} = {VERSION}\n"), String::new(), String::new()];
        for key in KEYS {
            let name = key.name;
            let _ = match key.value(self) {
                PlanValue::Meshes([]) | PlanValue::Devices(None) | PlanValue::Text(None) => Ok(()),
                PlanValue::List([]) | PlanValue::Entries([]) => Ok(()),
                PlanValue::Meshes([mesh]) => writeln!(texts, "{name} = {}", axes(mesh)),
                PlanValue::Meshes(all) => {
                    writeln!(texts, "{name} = [{}]", all.iter().map(axes).collect::<Vec<_>>().join(", "))
                }
                PlanValue::Devices(Some(devices)) => writeln!(texts, "{name} = {devices:?}"),
                PlanValue::Text(Some(text)) => writeln!(texts, "{name} = {}", quote(&text.text)),
                PlanValue::List(all) => {
                    let all: Vec<String> = all.iter().map(|text| quote(&text.text)).collect();
                    writeln!(lists, "{name} = [{}]", all.join(", "))
                }
                PlanValue::Entries(entries) => {
                    let line = |e: &PlanEntry| format!("{} = {}\n", quote(&e.path.text), quote(&e.text.text));
                    write!(tables, "\n[{name}]\n{}", entries.iter().map(line).collect::<String>())
                }
            };
        }
        texts + &lists + &tables
    }
}

/// Formats a mesh as a table of its axes.
fn axes(mesh: &Mesh) -> String {
    let axes: Vec<String> = mesh.axes.iter().map(|a| format!("{} = {}", quote(&a.name), a.size)).collect();
    format!("{{ {} }}", axes.join(", "))
}

impl PlanEntry {
    /// Parses a TOML table from paths to texts.
    ///
    /// # Errors
    /// `L011`
    pub fn from_toml_table(source: &Arc<Source>, value: &TomlValue<'_>) -> Result<Vec<PlanEntry>, Diagnostic> {
        File(source).entries(value)
    }
}

/// Formats a TOML string.
fn quote(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// File that is parsed.
struct File<'s>(&'s Arc<Source>);

impl File<'_> {
    fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(self.0, range)
    }

    fn type_error(&self, value: &TomlValue<'_>, needed: &str) -> Diagnostic {
        Diagnostic::new(Code::L011, format!("expected {needed}")).label(self.span(value.span()), "")
    }

    fn unknown_key(&self, key: &str, span: std::ops::Range<usize>) -> Diagnostic {
        let names = || KEYS.iter().map(|known| known.name);
        let error = Diagnostic::new(Code::L011, format!("a plan has no key `{key}`"))
            .label(self.span(span.clone()), "")
            .note(format!("its keys are {}", names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")));
        match nearest(key, names()) {
            Some(near) => error.fix("there is a key with a similar name", self.span(span), near),
            None => error,
        }
    }

    /// Checks the version of a file.
    fn check_version(&self, value: &TomlValue<'_>) -> Result<(), Diagnostic> {
        let version = self.number(value)?;
        if (1..=VERSION).contains(&version) {
            return Ok(());
        }
        let title = format!("the plan has version {version}, and this `partita` reads version {VERSION}");
        let error = Diagnostic::new(Code::L011, title).label(self.span(value.span()), "");
        Err(error.help("use the `partita` that wrote the plan, or a later one"))
    }

    /// Parses one mesh, or one per stage.
    fn meshes(&self, value: &TomlValue<'_>) -> Result<Vec<Mesh>, Diagnostic> {
        match value.get_ref() {
            DeValue::Array(list) => list.iter().map(|value| self.mesh(value)).collect(),
            _ => Ok(vec![self.mesh(value)?]),
        }
    }

    fn mesh(&self, value: &TomlValue<'_>) -> Result<Mesh, Diagnostic> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.type_error(value, "a table of axis sizes, `mesh = { data = 2, model = 4 }`"));
        };
        let mut axes = Vec::new();
        for (key, value) in entries_in_order(table) {
            axes.push(Axis { name: key.get_ref().as_ref().into(), size: self.number(value)? });
        }
        let span = self.span(value.span());
        let text = self.0.text.get(span.range.clone()).unwrap_or_default();
        Mesh::from_axes(axes, SourceText::new(span, text))
    }

    fn devices(&self, value: &TomlValue<'_>) -> Result<Vec<u32>, Diagnostic> {
        let DeValue::Array(list) = value.get_ref() else {
            return Err(self.type_error(value, "a list of device numbers"));
        };
        list.iter().map(|v| self.number(v)).collect()
    }

    fn number(&self, value: &TomlValue<'_>) -> Result<u32, Diagnostic> {
        let number = match value.get_ref() {
            DeValue::Integer(n) => u32::from_str_radix(n.as_str(), n.radix()).ok(),
            _ => None,
        };
        number.ok_or_else(|| self.type_error(value, "a number from 0 to 4294967295"))
    }

    /// Parses rules. The error for a table from dimensions to axes suggests the equivalent text.
    fn rules(&self, value: &TomlValue<'_>) -> Result<Vec<SourceText>, Diagnostic> {
        let DeValue::Table(table) = value.get_ref() else { return self.texts(value) };
        let error = Diagnostic::new(Code::L011, "`rules` must be a text, not a table")
            .label(self.span(value.span()), "a table");
        let axes = |value: &TomlValue<'_>| match value.get_ref() {
            DeValue::String(axes) => Some(axes.to_string()),
            _ => None,
        };
        let pair = |(key, value): (&TomlKey<'_>, &TomlValue<'_>)| Some(format!("{}:{}", key.get_ref(), axes(value)?));
        let pairs: Option<Vec<String>> = entries_in_order(table).into_iter().map(pair).collect();
        Err(match pairs.filter(|pairs| !pairs.is_empty()) {
            Some(pairs) => {
                let rules = quote(&pairs.join("; "));
                error.help(format!("write `rules = {rules}` above all tables of the file"))
            }
            None => error.help("write `rules = \"batch:data; hidden:model\"` above all tables of the file"),
        })
    }

    /// Parses a text or a list of texts.
    fn texts(&self, value: &TomlValue<'_>) -> Result<Vec<SourceText>, Diagnostic> {
        match value.get_ref() {
            DeValue::Array(list) => list.iter().map(|v| self.text(v)).collect(),
            _ => Ok(vec![self.text(value)?]),
        }
    }

    fn text(&self, value: &TomlValue<'_>) -> Result<SourceText, Diagnostic> {
        match value.get_ref() {
            DeValue::String(text) => Ok(self.written(value.span(), text)),
            _ => Err(self.type_error(value, "a text in quotes")),
        }
    }

    /// Parses a text, or a number as text.
    fn text_or_number(&self, value: &TomlValue<'_>) -> Result<SourceText, Diagnostic> {
        match value.get_ref() {
            DeValue::Integer(number) => Ok(SourceText::new(self.span(value.span()), number.as_str())),
            _ => self.text(value),
        }
    }

    fn written(&self, range: std::ops::Range<usize>, text: &str) -> SourceText {
        toml_spans::source_text(self.0, range, text)
    }

    /// Parses a table, or one text for all paths.
    fn entries_or_all(&self, value: &TomlValue<'_>) -> Result<Vec<PlanEntry>, Diagnostic> {
        match value.get_ref() {
            DeValue::String(_) => {
                let text = self.text(value)?;
                let start = value.span().start;
                Ok(vec![PlanEntry { path: SourceText::new(self.span(start..start), "**"), text }])
            }
            _ => self.entries(value),
        }
    }

    /// Parses a table from paths to texts. Nested tables are paths with unquoted dots.
    fn entries(&self, value: &TomlValue<'_>) -> Result<Vec<PlanEntry>, Diagnostic> {
        let mut found = Vec::new();
        let mut todo: Vec<(Option<SourceText>, &TomlValue<'_>)> = vec![(None, value)];
        while let Some((path, value)) = todo.pop() {
            match (value.get_ref(), path) {
                (DeValue::Table(table), path) => {
                    for (key, value) in entries_in_order(table).into_iter().rev() {
                        let key = self.written(key.span(), key.get_ref());
                        todo.push((Some(join(path.as_ref(), key)), value));
                    }
                }
                (_, Some(path)) => found.push(PlanEntry { path, text: self.text(value)? }),
                (_, None) => return Err(self.type_error(value, "a table from paths to texts")),
            }
        }
        Ok(found)
    }
}

/// Appends a key to a dotted path. The result has the location of the key.
fn join(head: Option<&SourceText>, key: SourceText) -> SourceText {
    match head {
        None => key,
        Some(head) => SourceText { text: format!("{}.{}", head.text, key.text), ..key },
    }
}

//! Plans as TOML.
//!
//! ```toml
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
//! The keys and the kinds of their values are those of [`KEYS`]. Dotted keys need no quotes.

use super::keys::Kind;
use super::{Entry, KEYS, Mesh, Plan, PlanKey, PlanValue, Written, replace_or_push};
use crate::diag::{Code, Diagnostic, Source, Span, nearest};
use crate::mesh::Axis;
use crate::plan::in_toml::{self, Key, Value, in_order};
use std::fmt::Write;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

impl Plan {
    /// Reads a plan file.
    ///
    /// # Errors
    /// `L011` for what is not TOML or not a plan, `L007` for its mesh.
    pub fn from_toml(source: &Arc<Source>) -> Result<Plan, Diagnostic> {
        let file = File(source);
        let table = DeTable::parse(&source.text).map_err(|e| {
            let error = Diagnostic::new(Code::L011, format!("not valid TOML: {}", e.message()));
            error.at(file.span(e.span().unwrap_or_default()), "")
        })?;
        let mut plan = Plan::default();
        let mut devices = None;
        for (key, value) in in_order(table.get_ref()) {
            match PlanKey::named(key.get_ref()) {
                Some(PlanKey { kind: Kind::Devices, .. }) => {
                    devices = Some((file.devices(value)?, value.span()));
                }
                Some(known) => plan.read_key(known, source, value)?,
                None => return Err(file.unknown_key(key.get_ref(), key.span())),
            }
        }
        if let Some((devices, span)) = devices {
            let mesh = plan.mesh.take().ok_or_else(|| {
                let error = Diagnostic::new(Code::L007, "there is no mesh to put devices in order for");
                error.at(file.span(span), "the devices of a mesh").help("add the mesh, `mesh = { data = 2 }`")
            })?;
            plan.mesh = Some(mesh.over(devices)?);
        }
        Ok(plan)
    }

    /// Reads the value of a key from a file that has it, among others or not. `devices` belongs to plan files alone
    /// and is passed over.
    ///
    /// # Errors
    /// As [`Plan::from_toml`].
    pub fn read_key(&mut self, key: &PlanKey, source: &Arc<Source>, value: &Value<'_>) -> Result<(), Diagnostic> {
        let file = File(source);
        match &key.kind {
            Kind::Mesh => *self = std::mem::take(self).with_meshes(file.meshes(value)?)?,
            Kind::Devices => {}
            Kind::Text(field) => *(field.get_mut)(self) = Some(file.text(value)?),
            Kind::Number(field) => *(field.get_mut)(self) = Some(file.text_or_number(value)?),
            Kind::List(field) => *(field.get_mut)(self) = file.texts(value)?,
            Kind::Rules(field) => *(field.get_mut)(self) = file.rules(value)?,
            Kind::Scoped(field) => *(field.get_mut)(self) = file.entries_or_all(value)?,
            Kind::Entries(field) => {
                let entries = (field.get_mut)(self);
                file.entries(value)?.into_iter().for_each(|entry| replace_or_push(entries, entry));
            }
        }
        Ok(())
    }

    /// The plan as a file that reads as the same plan: tables from paths to texts at the end, and lists above them.
    pub fn to_toml(&self) -> String {
        let [mut texts, mut lists, mut tables] = [const { String::new() }; 3];
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
                    let line = |e: &Entry| format!("{} = {}\n", quote(&e.path.text), quote(&e.text.text));
                    write!(tables, "\n[{name}]\n{}", entries.iter().map(line).collect::<String>())
                }
            };
        }
        texts + &lists + &tables
    }
}

/// A mesh as a table of its axes.
fn axes(mesh: &Mesh) -> String {
    let axes: Vec<String> = mesh.axes.iter().map(|a| format!("{} = {}", quote(&a.name), a.size)).collect();
    format!("{{ {} }}", axes.join(", "))
}

impl Entry {
    /// The entries of a table of a TOML file, from paths to texts.
    ///
    /// # Errors
    /// `L011`
    pub fn all_of_toml(source: &Arc<Source>, value: &Value<'_>) -> Result<Vec<Entry>, Diagnostic> {
        File(source).entries(value)
    }
}

/// A TOML string.
fn quote(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// The file that is read.
struct File<'s>(&'s Arc<Source>);

impl File<'_> {
    fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(self.0, range)
    }

    fn wrong(&self, value: &Value<'_>, needed: &str) -> Diagnostic {
        Diagnostic::new(Code::L011, format!("a plan has {needed} here")).at(self.span(value.span()), "")
    }

    fn unknown_key(&self, key: &str, span: std::ops::Range<usize>) -> Diagnostic {
        let names = || KEYS.iter().map(|known| known.name);
        let error = Diagnostic::new(Code::L011, format!("a plan has no key `{key}`"))
            .at(self.span(span.clone()), "")
            .note(format!("its keys are {}", names().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")));
        match nearest(key, names()) {
            Some(near) => error.fix("there is a key with a similar name", self.span(span), near),
            None => error,
        }
    }

    /// One mesh, or one for each stage.
    fn meshes(&self, value: &Value<'_>) -> Result<Vec<Mesh>, Diagnostic> {
        match value.get_ref() {
            DeValue::Array(list) => list.iter().map(|value| self.mesh(value)).collect(),
            _ => Ok(vec![self.mesh(value)?]),
        }
    }

    fn mesh(&self, value: &Value<'_>) -> Result<Mesh, Diagnostic> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.wrong(value, "a table of axis sizes, `mesh = { data = 2, model = 4 }`,"));
        };
        let mut axes = Vec::new();
        for (key, value) in in_order(table) {
            axes.push(Axis { name: key.get_ref().as_ref().into(), size: self.number(value)? });
        }
        let span = self.span(value.span());
        let text = self.0.text.get(span.range.clone()).unwrap_or_default();
        Mesh::checked(axes, Written::at(span, text))
    }

    fn devices(&self, value: &Value<'_>) -> Result<Vec<u32>, Diagnostic> {
        let DeValue::Array(list) = value.get_ref() else { return Err(self.wrong(value, "a list of device numbers")) };
        list.iter().map(|v| self.number(v)).collect()
    }

    fn number(&self, value: &Value<'_>) -> Result<u32, Diagnostic> {
        let number = match value.get_ref() {
            DeValue::Integer(n) => u32::from_str_radix(n.as_str(), n.radix()).ok(),
            _ => None,
        };
        number.ok_or_else(|| self.wrong(value, "a number from 0 to 4294967295"))
    }

    /// Rules, which a plan has as text: a table from dimensions to axes is told how it is written as one.
    fn rules(&self, value: &Value<'_>) -> Result<Vec<Written>, Diagnostic> {
        let DeValue::Table(table) = value.get_ref() else { return self.texts(value) };
        let error = Diagnostic::new(Code::L011, "`rules` is a text, and this is a table")
            .at(self.span(value.span()), "a table");
        let axes = |value: &Value<'_>| match value.get_ref() {
            DeValue::String(axes) => Some(axes.to_string()),
            _ => None,
        };
        let pair = |(key, value): (&Key<'_>, &Value<'_>)| Some(format!("{}:{}", key.get_ref(), axes(value)?));
        let pairs: Option<Vec<String>> = in_order(table).into_iter().map(pair).collect();
        Err(match pairs.filter(|pairs| !pairs.is_empty()) {
            Some(pairs) => {
                let rules = quote(&pairs.join("; "));
                error.help(format!("write `rules = {rules}` above all tables of the file"))
            }
            None => error.help("write `rules = \"batch:data; hidden:model\"` above all tables of the file"),
        })
    }

    /// A text, or a list of them.
    fn texts(&self, value: &Value<'_>) -> Result<Vec<Written>, Diagnostic> {
        match value.get_ref() {
            DeValue::Array(list) => list.iter().map(|v| self.text(v)).collect(),
            _ => Ok(vec![self.text(value)?]),
        }
    }

    fn text(&self, value: &Value<'_>) -> Result<Written, Diagnostic> {
        match value.get_ref() {
            DeValue::String(text) => Ok(self.written(value.span(), text)),
            _ => Err(self.wrong(value, "a text in quotes")),
        }
    }

    /// A text, or a number as one.
    fn text_or_number(&self, value: &Value<'_>) -> Result<Written, Diagnostic> {
        match value.get_ref() {
            DeValue::Integer(number) => Ok(Written::at(self.span(value.span()), number.as_str())),
            _ => self.text(value),
        }
    }

    fn written(&self, range: std::ops::Range<usize>, text: &str) -> Written {
        in_toml::written(self.0, range, text)
    }

    /// The entries of a table, or one text for everything.
    fn entries_or_all(&self, value: &Value<'_>) -> Result<Vec<Entry>, Diagnostic> {
        match value.get_ref() {
            DeValue::String(_) => {
                let text = self.text(value)?;
                let start = value.span().start;
                Ok(vec![Entry { path: Written::at(self.span(start..start), "**"), text }])
            }
            _ => self.entries(value),
        }
    }

    /// The entries of a table. Tables in it are paths whose dots were not quoted.
    fn entries(&self, value: &Value<'_>) -> Result<Vec<Entry>, Diagnostic> {
        let mut found = Vec::new();
        let mut todo: Vec<(Option<Written>, &Value<'_>)> = vec![(None, value)];
        while let Some((path, value)) = todo.pop() {
            match (value.get_ref(), path) {
                (DeValue::Table(table), path) => {
                    for (key, value) in in_order(table).into_iter().rev() {
                        let key = self.written(key.span(), key.get_ref());
                        todo.push((Some(join(path.as_ref(), key)), value));
                    }
                }
                (_, Some(path)) => found.push(Entry { path, text: self.text(value)? }),
                (_, None) => return Err(self.wrong(value, "a table from paths to texts")),
            }
        }
        Ok(found)
    }
}

/// A dotted path of a head and one more key. Its place is that of the key.
fn join(head: Option<&Written>, key: Written) -> Written {
    match head {
        None => key,
        Some(head) => Written { text: format!("{}.{}", head.text, key.text), ..key },
    }
}

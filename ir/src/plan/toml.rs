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
//! `[store]` has entries like `[shard]`, and `hold` lists the paths of those that are brought together once only.
//! Dotted keys need no quotes. `devices` lists the mesh's devices when they are not `0..n`, and `no_padding` what may
//! not be padded. How to train stands in `train`, `freeze` and `train_only`, and `bucket` says how many bytes of
//! gradients are reduced together; `pipeline`, `schedule`, `microbatches` and `replicas` are those of
//! [`super::pipeline`], where `mesh` may be a list, one for each stage; `map` says how the mesh lies on a machine, and
//! `budget` how much memory a device may need; `precision` and `remat` are tables from paths, or one text for
//! everything.

use super::{Entry, Mesh, Plan, Written};
use crate::diag::{Code, Diagnostic, Source, Span, nearest};
use crate::mesh::Axis;
use crate::plan::in_toml::{self, Key, Value, in_order};
use std::fmt::Write;
use std::sync::Arc;
use toml::de::{DeTable, DeValue};

/// The keys of a plan file.
pub const KEYS: [&str; 22] = [
    "mesh",
    "devices",
    "presets",
    "rules",
    "name",
    "shard",
    "store",
    "allow_reshard",
    "no_padding",
    "hold",
    "train",
    "freeze",
    "train_only",
    "precision",
    "remat",
    "bucket",
    "pipeline",
    "schedule",
    "microbatches",
    "replicas",
    "map",
    "budget",
];

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
            match key.get_ref().as_ref() {
                "devices" => devices = Some(file.devices(value)?),
                name if KEYS.contains(&name) => plan.read_key(source, key, value)?,
                unknown => return Err(file.unknown_key(unknown, key.span())),
            }
        }
        if let Some(devices) = devices {
            plan.mesh = plan.mesh.map(|mesh| mesh.over(devices)).transpose()?;
        }
        Ok(plan)
    }

    /// Reads a key of [`KEYS`] that a file has, among others or not; `devices` belongs to plan files alone. Other keys
    /// are passed over.
    ///
    /// # Errors
    /// As [`Plan::from_toml`].
    pub fn read_key(&mut self, source: &Arc<Source>, key: &Key<'_>, value: &Value<'_>) -> Result<(), Diagnostic> {
        let file = File(source);
        match key.get_ref().as_ref() {
            "mesh" => *self = std::mem::take(self).with_meshes(file.meshes(value)?)?,
            "presets" => self.presets = file.texts(value)?,
            "rules" => self.rules = file.rules(value)?,
            "allow_reshard" => self.allow_reshard = file.texts(value)?,
            "no_padding" => self.no_padding = file.texts(value)?,
            "train" => self.train = Some(file.text(value)?),
            "bucket" => self.bucket = Some(file.text(value)?),
            "pipeline" => self.pipeline = Some(file.text_or_number(value)?),
            "schedule" => self.schedule = Some(file.text(value)?),
            "microbatches" => self.micro_batches = Some(file.text_or_number(value)?),
            "replicas" => self.replicas = Some(file.text_or_number(value)?),
            "map" => self.map = Some(file.text(value)?),
            "budget" => self.budget = Some(file.text_or_number(value)?),
            "hold" => self.hold = file.texts(value)?,
            "freeze" => self.freeze = file.texts(value)?,
            "train_only" => self.train_only = file.texts(value)?,
            "precision" => self.precision = file.entries_or_all(value)?,
            "remat" => self.remat = file.entries_or_all(value)?,
            "name" => file.entries(value)?.into_iter().for_each(|e| self.add_name(e)),
            "shard" => file.entries(value)?.into_iter().for_each(|e| self.add_shard(e)),
            "store" => file.entries(value)?.into_iter().for_each(|e| self.add_store(e)),
            _ => {}
        }
        Ok(())
    }

    /// The plan as a file that reads as the same plan.
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        if let Some(mesh) = &self.mesh {
            let table = |mesh: &Mesh| {
                let axes: Vec<String> = mesh.axes.iter().map(|a| format!("{} = {}", quote(&a.name), a.size)).collect();
                format!("{{ {} }}", axes.join(", "))
            };
            let _ = match &self.stage_meshes[..] {
                [] => writeln!(out, "mesh = {}", table(mesh)),
                all => writeln!(out, "mesh = [{}]", all.iter().map(table).collect::<Vec<_>>().join(", ")),
            };
            if let Some(devices) = &mesh.devices {
                let _ = writeln!(out, "devices = {devices:?}");
            }
        }
        if let Some(train) = &self.train {
            let _ = writeln!(out, "train = {}", quote(&train.text));
        }
        let single = [
            ("bucket", &self.bucket),
            ("pipeline", &self.pipeline),
            ("schedule", &self.schedule),
            ("microbatches", &self.micro_batches),
            ("replicas", &self.replicas),
            ("map", &self.map),
            ("budget", &self.budget),
        ];
        for (key, text) in single {
            if let Some(text) = text {
                let _ = writeln!(out, "{key} = {}", quote(&text.text));
            }
        }
        for (key, texts) in [
            ("presets", &self.presets),
            ("rules", &self.rules),
            ("allow_reshard", &self.allow_reshard),
            ("no_padding", &self.no_padding),
            ("hold", &self.hold),
            ("freeze", &self.freeze),
            ("train_only", &self.train_only),
        ] {
            if !texts.is_empty() {
                let texts: Vec<String> = texts.iter().map(|t| quote(&t.text)).collect();
                let _ = writeln!(out, "{key} = [{}]", texts.join(", "));
            }
        }
        for (key, entries) in [
            ("name", &self.names),
            ("shard", &self.shards),
            ("store", &self.stores),
            ("precision", &self.precision),
            ("remat", &self.remat),
        ] {
            if !entries.is_empty() {
                let _ = writeln!(out, "\n[{key}]");
                for entry in entries {
                    let _ = writeln!(out, "{} = {}", quote(&entry.path.text), quote(&entry.text.text));
                }
            }
        }
        out
    }
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
        let error = Diagnostic::new(Code::L011, format!("a plan has no key `{key}`"))
            .at(self.span(span.clone()), "")
            .note(format!("its keys are {}", KEYS.map(|k| format!("`{k}`")).join(", ")));
        match nearest(key, KEYS) {
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

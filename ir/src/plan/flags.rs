//! Plans from flags of the command line. Each function reads one flag's value.

use super::{Entry, Mesh, Plan, Written, replace_or_push};
use crate::diag::{Code, Diagnostic, Source, Span};
use crate::mesh::{Axis, MAX_DEVICES};
use std::sync::Arc;

impl Entry {
    /// Reads `--fix PATH=_,model`, or `--fix PATH=model` for an axis alone.
    ///
    /// # Errors
    /// `L008` when there is no `=`.
    pub fn fix_flag(value: &str) -> Result<Entry, Diagnostic> {
        entry("--fix", value, "attn.*=model")
    }
}

impl Plan {
    /// Reads `--mesh data=2,model=4`, or one for each stage of a pipeline: `--mesh "data=2,model=2 | data=4,model=1"`.
    ///
    /// # Errors
    /// `L007`
    pub fn mesh_flag(self, value: &str) -> Result<Plan, Diagnostic> {
        let source = Source::new("--mesh", value);
        let mut meshes = Vec::new();
        for (start, text) in parts(value, '|') {
            let axes = parts(text, ',').map(|(at, part)| axis(&source, (start + at, part)));
            let (start, text) = (start + text.len() - text.trim_start().len(), text.trim());
            let place = Written::at(Span::new(&source, start..start + text.len()), text);
            meshes.push(Mesh::checked(axes.collect::<Result<_, _>>()?, place)?);
        }
        if meshes.is_empty() {
            meshes.push(Mesh::checked(Vec::new(), whole(&source))?);
        }
        self.with_meshes(meshes)
    }

    /// Reads `--rules "batch:data; hidden:model"`.
    pub fn rules_flag(mut self, value: &str) -> Plan {
        self.rules.push(whole(&Source::new("--rules", value)));
        self
    }

    /// Reads `--name PATH=batch,_,embed`.
    ///
    /// # Errors
    /// `L008` when there is no `=`.
    pub fn name_flag(mut self, value: &str) -> Result<Plan, Diagnostic> {
        self.add_name(entry("--name", value, "x=batch, _")?);
        Ok(self)
    }

    /// Reads `--shard PATH=_,model`.
    ///
    /// # Errors
    /// `L008` when there is no `=`.
    pub fn shard_flag(mut self, value: &str) -> Result<Plan, Diagnostic> {
        self.add_shard(entry("--shard", value, "up.weight=_, model")?);
        Ok(self)
    }

    /// Reads `--store PATH=data,_`.
    ///
    /// # Errors
    /// `L008` when there is no `=`.
    pub fn store_flag(mut self, value: &str) -> Result<Plan, Diagnostic> {
        self.add_store(entry("--store", value, "up.weight=data, _")?);
        Ok(self)
    }

    /// Reads `--preset megatron,zero1`.
    pub fn preset_flag(mut self, value: &str) -> Plan {
        self.presets.push(whole(&Source::new("--preset", value)));
        self
    }

    /// Reads `--allow-reshard PATH`.
    pub fn allow_reshard_flag(mut self, value: &str) -> Plan {
        self.allow_reshard.push(whole(&Source::new("--allow-reshard", value)));
        self
    }

    /// Reads `--no-padding DIMENSION`.
    pub fn no_padding_flag(mut self, value: &str) -> Plan {
        self.no_padding.push(whole(&Source::new("--no-padding", value)));
        self
    }

    /// Reads `--train OPTIMIZER?option=value`.
    pub fn train_flag(mut self, value: &str) -> Plan {
        self.train = Some(whole(&Source::new("--train", value)));
        self
    }

    /// Reads `--pipeline 4`.
    pub fn pipeline_flag(mut self, value: &str) -> Plan {
        self.pipeline = Some(whole(&Source::new("--pipeline", value)));
        self
    }

    /// Reads `--schedule 1f1b`.
    pub fn schedule_flag(mut self, value: &str) -> Plan {
        self.schedule = Some(whole(&Source::new("--schedule", value)));
        self
    }

    /// Reads `--microbatches 16`.
    pub fn micro_batches_flag(mut self, value: &str) -> Plan {
        self.micro_batches = Some(whole(&Source::new("--microbatches", value)));
        self
    }

    /// Reads `--replicas 2`.
    pub fn replicas_flag(mut self, value: &str) -> Plan {
        self.replicas = Some(whole(&Source::new("--replicas", value)));
        self
    }

    /// Reads `--map data,model`.
    pub fn map_flag(mut self, value: &str) -> Plan {
        self.map = Some(whole(&Source::new("--map", value)));
        self
    }

    /// Reads `--budget 80GiB`.
    pub fn budget_flag(mut self, value: &str) -> Plan {
        self.budget = Some(whole(&Source::new("--budget", value)));
        self
    }

    /// Takes the memory of the smallest device of a machine as the budget, where `--machine` names that machine.
    pub fn budget_of(mut self, flag: &str, bytes: u64) -> Plan {
        let written = whole(&Source::new("--machine", flag));
        self.budget = Some(Written { text: bytes.to_string(), ..written });
        self
    }

    /// Reads `--bucket 25MiB`.
    pub fn bucket_flag(mut self, value: &str) -> Plan {
        self.bucket = Some(whole(&Source::new("--bucket", value)));
        self
    }

    /// Reads `--freeze PATH`.
    pub fn freeze_flag(mut self, value: &str) -> Plan {
        self.freeze.push(whole(&Source::new("--freeze", value)));
        self
    }

    /// Reads `--train-only PATH`.
    pub fn train_only_flag(mut self, value: &str) -> Plan {
        self.train_only.push(whole(&Source::new("--train-only", value)));
        self
    }

    /// Reads `--precision bf16` or `--precision PATH=f32`.
    pub fn precision_flag(mut self, value: &str) -> Plan {
        replace_or_push(&mut self.precision, everywhere("--precision", value));
        self
    }

    /// Reads `--remat full` or `--remat PATH=selective`.
    pub fn remat_flag(mut self, value: &str) -> Plan {
        replace_or_push(&mut self.remat, everywhere("--remat", value));
        self
    }
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
fn everywhere(flag: &str, value: &str) -> Entry {
    let source = Source::new(flag, value);
    let written = |range: std::ops::Range<usize>| Written::at(Span::new(&source, range.clone()), &value[range]);
    let head = value.find('?').unwrap_or(value.len());
    match value[..head].find('=') {
        Some(at) => Entry { path: written(0..at), text: written(at + 1..value.len()) },
        None => Entry { path: Written::at(Span::new(&source, 0..0), "**"), text: written(0..value.len()) },
    }
}

/// `PATH=TEXT`
fn entry(flag: &str, value: &str, example: &str) -> Result<Entry, Diagnostic> {
    let source = Source::new(flag, value);
    let Some(at) = value.find('=') else {
        return Err(Diagnostic::new(Code::L008, format!("`{flag}` needs a path and a text"))
            .at(Span::new(&source, 0..value.len()), "there is no `=`")
            .help(format!("write `{flag} \"{example}\"`")));
    };
    let written = |range: std::ops::Range<usize>| Written::at(Span::new(&source, range.clone()), &value[range]);
    Ok(Entry { path: written(0..at), text: written(at + 1..value.len()) })
}

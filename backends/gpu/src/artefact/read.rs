//! From a file to an artefact, believing nothing.

mod programs;

use super::archive::{Archive, Named, checksum};
use super::digest::Digest;
use super::manifest::{BinaryRecord, CollectiveRecord, Format, MADE, MANIFEST, Manifest, PLAN, TargetRecord, WEIGHTS};
use super::schedule::Schedule;
use super::write::{folder, stage_folder};
use super::{Artefact, FORMAT, verify};
use crate::collective::KERNEL;
use crate::module::{Kernel, Module};
use crate::partitioned::PartitionedProgram;
use crate::target::Target;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::input_file::{self, Limit};
use partita_ir::program::Program;
use partita_ir::tensor::{Tensor, Weights};
use partita_ir::text::parse;
use partita_runtime::io::tensors_from_bytes;
use std::path::Path;
use std::sync::Arc;

impl Artefact {
    /// Reads a file.
    ///
    /// # Errors
    /// `C001` when it cannot be read, `A001` when it is not as it was written, `A002` when it has another format,
    /// `A004` when it contradicts itself.
    pub fn load(path: &Path) -> Result<Artefact, Diagnostic> {
        let bytes = input_file::read(path, Limit::ARTEFACT)?;
        Artefact::from_bytes(path, &bytes)
    }

    /// Reads a file that must have this digest, and looks at nothing in it before.
    ///
    /// # Errors
    /// `A008` when it has another one, else as [`Artefact::load`].
    pub fn load_expecting(path: &Path, expected: &Digest) -> Result<Artefact, Diagnostic> {
        let bytes = input_file::read(path, Limit::ARTEFACT)?;
        let found = Digest::of(&bytes);
        if found != *expected {
            let title = format!("`{}` is not the file that was expected", path.display());
            return Err(Diagnostic::new(Code::A008, title)
                .note(format!("expected SHA-256: {expected}"))
                .note(format!("its SHA-256:      {found}"))
                .help("do not run it: get the file again from its author"));
        }
        Artefact::from_bytes(path, &bytes)
    }

    /// The artefact that these bytes are; `path` is what messages call it.
    ///
    /// # Errors
    /// As [`Artefact::load`].
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Artefact, Diagnostic> {
        let mut entries = Entries::read(path, bytes)?;
        let made = if entries.has(MADE) { Some(entries.program(MADE)?) } else { None };
        let program = Arc::new(entries.partitioned(made.as_ref())?);
        let plan = entries.text(PLAN)?;
        let mut modules = Vec::new();
        for record in std::mem::take(&mut entries.manifest.targets) {
            let target: Target = record.target.parse().map_err(|e: String| entries.named.wrong(e))?;
            if modules.last().is_some_and(|before: &Arc<Module>| before.target >= target) {
                return Err(entries.named.wrong("its targets are not in order"));
            }
            let module = entries.module(record, target, &program)?;
            verify(&module).map_err(|why| entries.named.wrong(format!("for {target}: {why}")))?;
            modules.push(Arc::new(module));
        }
        if modules.is_empty() {
            return Err(entries.named.wrong("it has no targets"));
        }
        let weights = if entries.has(WEIGHTS) { Some(entries.weights(&program)?) } else { None };
        if let Some(more) = entries.bytes.keys().next() {
            return Err(entries.named.wrong(format!("nothing needs its entry `{more}`")));
        }
        let Manifest { version, model, .. } = entries.manifest;
        Ok(Artefact { version, model, program, made, plan, modules, weights })
    }
}

/// What the file holds, by name. What is used goes.
struct Entries<'b> {
    named: Named<'b>,
    manifest: Manifest,
    bytes: IndexMap<String, Vec<u8>>,
}

impl<'b> Entries<'b> {
    /// Every entry, as long as the manifest says and with the checksum that it says.
    fn read(path: &'b Path, bytes: &'b [u8]) -> Result<Entries<'b>, Diagnostic> {
        let mut archive = Archive::open(path, bytes)?;
        if archive.len() == 0 || archive.entry(0)?.0 != MANIFEST {
            return Err(archive.named().damaged("is no artefact").note("its first entry is no manifest"));
        }
        let text = archive.read(0)?;
        let unreadable = |e: serde_json::Error| archive.named().wrong(format!("its manifest cannot be read: {e}"));
        let Format { format, version } = serde_json::from_slice(&text).map_err(unreadable)?;
        if format != FORMAT {
            let title = format!("`{}` has format {format}, this partita reads {FORMAT}", path.display());
            let by = if version.is_empty() { String::new() } else { format!("partita {version} wrote it") };
            let help = format!("compile it again with this one, {}", env!("CARGO_PKG_VERSION"));
            return Err(Diagnostic::new(Code::A002, title).note(by).help(help));
        }
        let manifest: Manifest = serde_json::from_slice(&text).map_err(unreadable)?;
        if manifest.entries.len() + 1 != archive.len() {
            let (said, has) = (manifest.entries.len() + 1, archive.len());
            return Err(archive.named().wrong(format!("it has {has} entries, and names {said}")));
        }
        let mut read = IndexMap::new();
        for (i, record) in manifest.entries.iter().enumerate() {
            let (name, size) = archive.entry(i + 1)?;
            if name != record.name || size != record.bytes {
                let said = format!("`{}` of {} bytes", record.name, record.bytes);
                return Err(archive.named().wrong(format!("where {said} should be is `{name}` of {size}")));
            }
            let bytes = archive.read(i + 1)?;
            if checksum(&bytes) != record.xxh3 {
                return Err(archive.named().damaged(&format!("is damaged: the checksum of `{name}` does not match")));
            }
            read.insert(name, bytes);
        }
        Ok(Entries { named: Named(path), manifest, bytes: read })
    }

    fn has(&self, name: &str) -> bool {
        self.bytes.contains_key(name)
    }

    fn take(&mut self, name: &str) -> Result<Vec<u8>, Diagnostic> {
        self.bytes.shift_remove(name).ok_or_else(|| self.named.wrong(format!("it has no entry `{name}`")))
    }

    fn text(&mut self, name: &str) -> Result<String, Diagnostic> {
        let bytes = self.take(name)?;
        String::from_utf8(bytes).map_err(|_| self.named.wrong(format!("its entry `{name}` is not text")))
    }

    /// The machine code of a kernel whose text is `text`, in the entry `source`.
    fn code(&mut self, record: &BinaryRecord, source: &str, text: &str) -> Result<Vec<u8>, Diagnostic> {
        let code = self.take(&record.entry)?;
        if Digest::of_kernel(text, &code) != record.sha256 {
            return Err(self.named.wrong(format!("`{}` was not compiled from `{source}`", record.entry)));
        }
        Ok(code)
    }

    fn program(&mut self, name: &str) -> Result<Program, Diagnostic> {
        let source = Source::new(format!("{}:{name}", self.named.0.display()), self.text(name)?);
        let refused = |errors: Vec<Diagnostic>| {
            let why = errors.first().map(|e| e.title.clone()).unwrap_or_default();
            self.named.wrong(format!("its program `{name}` does not verify: {why}"))
        };
        let program = parse(&source).map_err(refused)?;
        partita_ir::verify::verify(&program).map_err(refused)?;
        Ok(program)
    }

    fn tensors(&mut self, name: &str) -> Result<IndexMap<String, Tensor>, Diagnostic> {
        let bytes = self.take(name)?;
        tensors_from_bytes(Path::new(name), &bytes).map_err(|e| self.named.wrong(e.title))
    }

    fn module(
        &mut self,
        record: TargetRecord,
        target: Target,
        program: &Arc<PartitionedProgram>,
    ) -> Result<Module, Diagnostic> {
        let mut code = Vec::with_capacity(program.stages.len());
        for number in 0..program.stages.len() {
            let folder = stage_folder(&folder(target), !self.manifest.stages.is_empty(), number);
            let schedule = self.take(&format!("{folder}/schedule.json"))?;
            let unreadable = |e: serde_json::Error| self.named.wrong(format!("its schedule cannot be read: {e}"));
            let schedule: Schedule = serde_json::from_slice(&schedule).map_err(unreadable)?;
            let constants = self.tensors(&format!("{folder}/constants.safetensors"))?;
            let constants: Vec<Tensor> = constants.into_values().collect();
            code.push(schedule.into_code(program, number, constants).map_err(|e| self.named.wrong(e))?);
        }
        let mut kernels = Vec::with_capacity(record.kernels.len());
        for record in record.kernels {
            let source = self.text(&record.source)?;
            let binary = record.binary.map(|binary| self.code(&binary, &record.source, &source)).transpose()?;
            kernels.push(Kernel {
                source,
                binary,
                name: record.name,
                reads: record.reads,
                writes: record.writes,
                info: record.info,
                cubes: record.cubes,
                units: record.units,
                shared_bytes: record.shared_bytes,
                work: record.work,
                purpose: record.purpose,
            });
        }
        let collective = match record.collective {
            None => None,
            Some(CollectiveRecord { source, binary }) => {
                let text = self.text(&source)?;
                let code = self.code(&binary, &source, &text)?;
                // Another version's is not what this one calls.
                (text == KERNEL).then_some(code)
            }
        };
        Ok(Module { program: program.clone(), target, toolchain: record.toolchain, code, kernels, collective })
    }

    /// Parameters, each of which the program has.
    fn weights(&mut self, program: &PartitionedProgram) -> Result<Weights, Diagnostic> {
        let weights = self.tensors(WEIGHTS)?;
        for (path, tensor) in &weights {
            let ports = program.stages.iter().flat_map(|stage| &stage.inputs).filter(|port| port.name == path);
            let mut types = ports.map(|port| &port.value.ty);
            if types.clone().next().is_none() || types.any(|ty| *ty != tensor.ty) {
                return Err(self.named.wrong(format!("its weight `{path}` of {} is none of the program", tensor.ty)));
            }
        }
        Ok(weights)
    }
}

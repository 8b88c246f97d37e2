//! Reading and validating artefacts.

mod programs;

use super::archive::{Archive, ArchivePath, checksum};
use super::digest::Digest;
use super::manifest::{
    BinaryRecord, CollectiveRecord, Format, MANIFEST, Manifest, PLAN, TargetRecord, UNPARTITIONED, WEIGHTS,
};
use super::schedule::Schedule;
use super::write::{folder, stage_folder};
use super::{Artefact, FORMAT, verify};
use crate::collective::KERNEL;
use crate::module::{Kernel, Module};
use crate::partitioned::PartitionedProgram;
use crate::target::Target;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic, Source};
use partita_ir::input_file::{self, FileLimit};
use partita_ir::program::Program;
use partita_ir::tensor::{Tensor, Weights};
use partita_ir::text::parse;
use partita_runtime::io::tensors_from_bytes;
use std::path::Path;
use std::sync::Arc;

impl Artefact {
    /// Reads and validates an artefact.
    ///
    /// # Errors
    /// `C001` if the file cannot be read, `A001` if it is damaged or not an artefact, `A002` if it has another format
    /// version, `A004` if it is inconsistent.
    pub fn load(path: &Path) -> Result<Artefact, Diagnostic> {
        let bytes = input_file::read(path, FileLimit::ARTEFACT)?;
        Artefact::from_bytes(path, &bytes)
    }

    /// Reads an artefact that must have this digest, which is compared before anything is parsed.
    ///
    /// # Errors
    /// `A008` if the digest differs, else as [`Artefact::load`].
    pub fn load_expecting(path: &Path, expected: &Digest) -> Result<Artefact, Diagnostic> {
        let bytes = input_file::read(path, FileLimit::ARTEFACT)?;
        let found = Digest::of_bytes(&bytes);
        if found != *expected {
            let title = format!("`{}` does not have the expected SHA-256 digest", path.display());
            return Err(Diagnostic::new(Code::A008, title)
                .note(format!("expected SHA-256: {expected}"))
                .note(format!("its SHA-256:      {found}"))
                .help("do not run it: get the file again from its author"));
        }
        Artefact::from_bytes(path, &bytes)
    }

    /// Parses and validates the bytes of an artefact; `path` is for messages.
    ///
    /// # Errors
    /// The errors of [`Artefact::load`].
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Artefact, Diagnostic> {
        let mut entries = Entries::read(path, bytes)?;
        let unpartitioned = if entries.has(UNPARTITIONED) { Some(entries.program(UNPARTITIONED)?) } else { None };
        let program = Arc::new(entries.partitioned(unpartitioned.as_ref())?);
        let plan = entries.text(PLAN)?;
        let mut modules = Vec::new();
        for record in std::mem::take(&mut entries.manifest.targets) {
            let target: Target = record.target.parse().map_err(|e: String| entries.path.inconsistent(e))?;
            if modules.last().is_some_and(|before: &Arc<Module>| before.target >= target) {
                return Err(entries.path.inconsistent("its targets are not in ascending order"));
            }
            let module = entries.module(record, target, &program)?;
            verify(&module).map_err(|why| entries.path.inconsistent(format!("for {target}: {why}")))?;
            modules.push(Arc::new(module));
        }
        if modules.is_empty() {
            return Err(entries.path.inconsistent("it has no targets"));
        }
        let weights = if entries.has(WEIGHTS) { Some(entries.weights(&program)?) } else { None };
        if let Some(more) = entries.bytes.keys().next() {
            return Err(entries.path.inconsistent(format!("its entry `{more}` is not referenced")));
        }
        let Manifest { version, model, .. } = entries.manifest;
        Ok(Artefact { version, model, program, unpartitioned, plan, modules, weights })
    }
}

/// Entries by name that were not consumed yet.
struct Entries<'b> {
    path: ArchivePath<'b>,
    manifest: Manifest,
    bytes: IndexMap<String, Vec<u8>>,
}

impl<'b> Entries<'b> {
    /// Reads all entries and checks them against the lengths and checksums of the manifest.
    fn read(path: &'b Path, bytes: &'b [u8]) -> Result<Entries<'b>, Diagnostic> {
        let mut archive = Archive::open(path, bytes)?;
        if archive.len() == 0 || archive.entry(0)?.0 != MANIFEST {
            return Err(archive.path().damaged("is not an artefact").note("its first entry is not a manifest"));
        }
        let text = archive.read(0)?;
        let unreadable =
            |e: serde_json::Error| archive.path().inconsistent(format!("its manifest cannot be read: {e}"));
        let Format { format, version } = serde_json::from_slice(&text).map_err(unreadable)?;
        if format != FORMAT {
            let title = format!("`{}` has format {format}, this partita reads {FORMAT}", path.display());
            let by = if version.is_empty() { String::new() } else { format!("partita {version} wrote it") };
            let help = format!("compile the model again with this version, {}", env!("CARGO_PKG_VERSION"));
            return Err(Diagnostic::new(Code::A002, title).note(by).help(help));
        }
        let manifest: Manifest = serde_json::from_slice(&text).map_err(unreadable)?;
        if manifest.entries.len() + 1 != archive.len() {
            let (listed, has) = (manifest.entries.len() + 1, archive.len());
            return Err(archive.path().inconsistent(format!("it has {has} entries, but its manifest lists {listed}")));
        }
        let mut read = IndexMap::new();
        for (i, record) in manifest.entries.iter().enumerate() {
            let (name, size) = archive.entry(i + 1)?;
            if name != record.name || size != record.bytes {
                let expected = format!("`{}` of {} bytes", record.name, record.bytes);
                return Err(archive
                    .path()
                    .inconsistent(format!("expected {expected}, found `{name}` of {size} bytes")));
            }
            let bytes = archive.read(i + 1)?;
            if checksum(&bytes) != record.xxh3 {
                return Err(archive.path().damaged(&format!("is damaged: the checksum of `{name}` does not match")));
            }
            read.insert(name, bytes);
        }
        Ok(Entries { path: ArchivePath(path), manifest, bytes: read })
    }

    fn has(&self, name: &str) -> bool {
        self.bytes.contains_key(name)
    }

    fn take(&mut self, name: &str) -> Result<Vec<u8>, Diagnostic> {
        self.bytes.shift_remove(name).ok_or_else(|| self.path.inconsistent(format!("it has no entry `{name}`")))
    }

    fn text(&mut self, name: &str) -> Result<String, Diagnostic> {
        let bytes = self.take(name)?;
        String::from_utf8(bytes).map_err(|_| self.path.inconsistent(format!("its entry `{name}` is not text")))
    }

    /// Consumes the machine code of the kernel with source `text`, which is in the entry `source`.
    fn code(&mut self, record: &BinaryRecord, source: &str, text: &str) -> Result<Vec<u8>, Diagnostic> {
        let code = self.take(&record.entry)?;
        if Digest::of_kernel(text, &code) != record.sha256 {
            return Err(self.path.inconsistent(format!("`{}` was not compiled from `{source}`", record.entry)));
        }
        Ok(code)
    }

    fn program(&mut self, name: &str) -> Result<Program, Diagnostic> {
        let source = Source::new(format!("{}:{name}", self.path.0.display()), self.text(name)?);
        let refused = |errors: Vec<Diagnostic>| {
            let why = errors.first().map(|e| e.title.clone()).unwrap_or_default();
            self.path.inconsistent(format!("its program `{name}` does not verify: {why}"))
        };
        let program = parse(&source).map_err(refused)?;
        partita_ir::verify::verify(&program).map_err(refused)?;
        Ok(program)
    }

    fn tensors(&mut self, name: &str) -> Result<IndexMap<String, Tensor>, Diagnostic> {
        let bytes = self.take(name)?;
        tensors_from_bytes(Path::new(name), &bytes).map_err(|e| self.path.inconsistent(e.title))
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
            let unreadable = |e: serde_json::Error| self.path.inconsistent(format!("its schedule cannot be read: {e}"));
            let schedule: Schedule = serde_json::from_slice(&schedule).map_err(unreadable)?;
            let constants = self.tensors(&format!("{folder}/constants.safetensors"))?;
            let constants: Vec<Tensor> = constants.into_values().collect();
            code.push(schedule.into_code(program, number, constants).map_err(|e| self.path.inconsistent(e))?);
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
                // Another version of Partita may have another collective kernel, with other parameters.
                (text == KERNEL).then_some(code)
            }
        };
        Ok(Module { program: program.clone(), target, toolchain: record.toolchain, code, kernels, collective })
    }

    /// Consumes the weights, each of which must be a parameter of the program.
    fn weights(&mut self, program: &PartitionedProgram) -> Result<Weights, Diagnostic> {
        let weights = self.tensors(WEIGHTS)?;
        for (path, tensor) in &weights {
            let ports = program.stages.iter().flat_map(|stage| &stage.inputs).filter(|port| port.name == path);
            let mut types = ports.map(|port| &port.value.ty);
            if types.clone().next().is_none() || types.any(|ty| *ty != tensor.ty) {
                return Err(self.path.inconsistent(format!(
                    "its weight `{path}` of type {} is not a parameter of the program",
                    tensor.ty
                )));
            }
        }
        Ok(weights)
    }
}

//! Writing artefacts.

use super::archive::{Entry, checksum, pack};
use super::digest::Digest;
use super::manifest::{
    BinaryRecord, CollectiveRecord, EndRecord, EntryRecord, KernelRecord, MANIFEST, Manifest, PARAMETER, PLAN, PROGRAM,
    PortRecord, StageRecord, TargetRecord, TransferRecord, UNPARTITIONED, WEIGHTS,
};
use super::schedule::Schedule;
use super::{Artefact, FORMAT};
use crate::collective::KERNEL;
use crate::module::Module;
use crate::partitioned::{Port, Stage};
use crate::target::Target;
use indexmap::IndexMap;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::text::{print, print_type};
use partita_runtime::checkpoint::disk::{SystemDisk, write_atomically};
use partita_runtime::io::tensors_to_bytes;
use partita_runtime::pipeline::transfer::{Transfer, TransferEnd};
use serde::Serialize;
use std::path::Path;

impl Artefact {
    /// Writes the file atomically: under a temporary name first, which is then renamed. Returns its length in bytes.
    ///
    /// # Errors
    /// `C001` if the operating system refuses.
    pub fn save(&self, path: &Path) -> Result<u64, Diagnostic> {
        let bytes = self.to_bytes()?;
        write_atomically(&SystemDisk, path, &bytes).map_err(|e| Diagnostic::io_error("write", path, &e))?;
        Ok(bytes.len() as u64)
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    /// `A004` if the artefact cannot be represented as a file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Diagnostic> {
        let text = |name: &str, text: String| Entry { name: name.into(), bytes: text.into_bytes(), is_stored: false };
        let stages = &self.program.stages;
        let programs = stages.iter().enumerate().flat_map(|(number, stage)| {
            let programs = stage.programs.iter().enumerate();
            programs.map(move |(i, program)| text(&program_entry(!self.program.is_single(), number, i), print(program)))
        });
        let mut entries: Vec<Entry> = programs.collect();
        entries.push(text(PLAN, self.plan.clone()));
        entries.extend(self.unpartitioned.as_ref().map(|program| text(UNPARTITIONED, print(program))));
        let mut targets = Vec::new();
        for module in &self.modules {
            targets.push(self.put_module(module, &mut entries)?);
        }
        if let Some(weights) = &self.weights {
            entries.push(Entry { name: WEIGHTS.into(), bytes: tensors_to_bytes(weights)?, is_stored: true });
        }
        let record = |Entry { name, bytes, .. }: &Entry| EntryRecord {
            name: name.clone(),
            bytes: bytes.len() as u64,
            xxh3: checksum(bytes),
        };
        let is_staged = !self.program.is_single();
        let only = stages.first().filter(|_| !is_staged).map(|stage| self.stage_record(0, stage));
        let stages = stages.iter().enumerate().filter(|_| is_staged);
        let StageRecord { mesh, inputs, outputs, .. } = only.unwrap_or_default();
        let manifest = Manifest {
            format: FORMAT,
            version: self.version.clone(),
            model: self.model.clone(),
            mesh,
            stages: stages.map(|(number, stage)| self.stage_record(number, stage)).collect(),
            transfers: self.program.transfers.iter().map(transfer_record).collect(),
            targets,
            inputs,
            outputs,
            entries: entries.iter().map(record).collect(),
        };
        entries.insert(0, Entry { name: MANIFEST.into(), bytes: json(&manifest, true)?, is_stored: false });
        pack(&entries).map_err(|e| cannot(&e.to_string()))
    }

    fn stage_record(&self, number: usize, stage: &Stage) -> StageRecord {
        let mesh = &stage.devices.mesh;
        let has = |name: &str| self.weights.as_ref().is_some_and(|weights| weights.contains_key(name));
        let port = |port: &Port, kind: &str| PortRecord {
            name: port.name.to_string(),
            kind: kind.into(),
            ty: print_type(&port.value, mesh),
            bytes: port.value.local_type().shape.count() as u64 * 4,
            file: (kind != "output" && has(&port.name)).then(|| WEIGHTS.to_owned()),
        };
        StageRecord {
            mesh: mesh.axes.iter().map(|axis| (axis.name.to_string(), axis.size)).collect(),
            programs: (0..stage.programs.len()).map(|i| program_entry(!self.program.is_single(), number, i)).collect(),
            inputs: stage.inputs.iter().map(|of| port(of, if of.is_parameter { PARAMETER } else { "input" })).collect(),
            outputs: stage.outputs.iter().map(|of| port(of, "output")).collect(),
        }
    }

    fn put_module(&self, module: &Module, entries: &mut Vec<Entry>) -> Result<TargetRecord, Diagnostic> {
        let folder = folder(module.target);
        let mut put = |name: String, bytes: Vec<u8>, is_stored| entries.push(Entry { name, bytes, is_stored });
        for (i, (stage, code)) in self.program.stages.iter().zip(&module.code).enumerate() {
            let folder = stage_folder(&folder, !self.program.is_single(), i);
            put(format!("{folder}/schedule.json"), json(&Schedule::from_code(code, stage), false)?, false);
            let number = |(i, tensor)| (format!("{i:08}"), tensor);
            let constants: IndexMap<String, _> = code.constants.iter().cloned().enumerate().map(number).collect();
            put(format!("{folder}/constants.safetensors"), tensors_to_bytes(&constants)?, true);
        }
        let extension = module.target.file_extension();
        let mut kernels = Vec::new();
        for kernel in &module.kernels {
            let record = KernelRecord::from_kernel(kernel, &format!("{folder}/{}", kernel.name), extension);
            put(record.source.clone(), kernel.source.clone().into_bytes(), false);
            if let (Some(record), Some(binary)) = (&record.binary, &kernel.binary) {
                put(record.entry.clone(), binary.clone(), false);
            }
            kernels.push(record);
        }
        let collective = module.collective.as_ref().map(|code| {
            let [source, entry] = ["cu", "cubin"].map(|extension| format!("{folder}/collective.{extension}"));
            put(source.clone(), KERNEL.into(), false);
            put(entry.clone(), code.clone(), false);
            CollectiveRecord { source, binary: BinaryRecord { entry, sha256: Digest::of_kernel(KERNEL, code) } }
        });
        Ok(TargetRecord {
            target: module.target.to_string(),
            toolchain: module.toolchain.clone(),
            frame_bytes: module.code.iter().map(|code| code.frame_bytes() as u64).collect(),
            kernels,
            collective,
        })
    }
}

/// Returns the folder with a target's entries.
pub(super) fn folder(target: Target) -> String {
    format!("targets/{}", target.to_string().replace(':', "_"))
}

/// Returns the folder with a stage's entries within that of a target.
pub(super) fn stage_folder(target: &str, is_staged: bool, stage: usize) -> String {
    if is_staged { format!("{target}/stages/{stage}") } else { target.to_owned() }
}

/// Returns the name of the entry with a program of a stage.
fn program_entry(is_staged: bool, stage: usize, program: usize) -> String {
    if is_staged { format!("stages/{stage}/{program}.pir") } else { PROGRAM.into() }
}

fn transfer_record(transfer: &Transfer) -> TransferRecord {
    let end = |end: &TransferEnd| EndRecord { stage: end.stage, ty: print_type(&end.value, &end.devices.mesh) };
    TransferRecord { name: transfer.name.to_string(), from: end(&transfer.from), to: end(&transfer.to) }
}

/// Serialises a value as JSON, indented if `is_read`: the manifest is meant to be read by people.
fn json(value: &impl Serialize, is_read: bool) -> Result<Vec<u8>, Diagnostic> {
    let done = if is_read { serde_json::to_vec_pretty(value) } else { serde_json::to_vec(value) };
    done.map_err(|e| cannot(&e.to_string()))
}

fn cannot(why: &str) -> Diagnostic {
    Diagnostic::new(Code::A004, "the artefact cannot be written").note(why)
}

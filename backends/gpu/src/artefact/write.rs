//! From an artefact to its file.

use super::archive::{Entry, checksum, pack};
use super::digest::Digest;
use super::manifest::{
    BinaryRecord, CollectiveRecord, EntryRecord, KernelRecord, MADE, MANIFEST, Manifest, PLAN, PROGRAM, PortRecord,
    TargetRecord, WEIGHTS,
};
use super::schedule::Schedule;
use super::{Artefact, FORMAT};
use crate::collective::KERNEL;
use crate::module::Module;
use crate::target::Target;
use indexmap::IndexMap;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::Program;
use partita_ir::tensor::Weights;
use partita_ir::text::{print, write_type};
use partita_runtime::checkpoint::disk::{System, write_whole};
use partita_runtime::io::tensors_to_bytes;
use serde::Serialize;
use std::path::Path;

impl Artefact {
    /// Writes the file: under another name first, so that it is either whole or not there.
    ///
    /// # Errors
    /// `C001` when the operating system refuses.
    pub fn save(&self, path: &Path) -> Result<u64, Diagnostic> {
        let bytes = self.to_bytes()?;
        write_whole(&System, path, &bytes).map_err(|e| Diagnostic::of_file("write", path, &e))?;
        Ok(bytes.len() as u64)
    }

    /// The file.
    ///
    /// # Errors
    /// `A004` for what no file can hold.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Diagnostic> {
        let text = |name: &str, text: String| Entry { name: name.into(), bytes: text.into_bytes(), is_stored: false };
        let mut entries = vec![text(PROGRAM, print(&self.program)), text(PLAN, self.plan.clone())];
        entries.extend(self.made.as_ref().map(|made| text(MADE, print(made))));
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
        let mesh =
            self.program.mesh().map(|(_, mesh)| mesh.axes.iter().map(|a| (a.name.to_string(), a.size)).collect());
        let manifest = Manifest {
            format: FORMAT,
            version: self.version.clone(),
            model: self.model.clone(),
            mesh: mesh.unwrap_or_default(),
            targets,
            inputs: self.program.inputs().iter().map(|&v| input(&self.program, v, self.weights.as_ref())).collect(),
            outputs: self.program.outputs().iter().map(|o| port(&self.program, o.value, &o.name, "output")).collect(),
            entries: entries.iter().map(record).collect(),
        };
        entries.insert(0, Entry { name: MANIFEST.into(), bytes: json(&manifest, true)?, is_stored: false });
        pack(&entries).map_err(|e| cannot(&e.to_string()))
    }

    fn put_module(&self, module: &Module, entries: &mut Vec<Entry>) -> Result<TargetRecord, Diagnostic> {
        let folder = folder(module.target);
        let mut put = |name: String, bytes: Vec<u8>, is_stored| entries.push(Entry { name, bytes, is_stored });
        put(format!("{folder}/schedule.json"), json(&Schedule::of(&module.code, &self.program), false)?, false);
        let number = |(i, tensor)| (format!("{i:08}"), tensor);
        let constants: IndexMap<String, _> = module.code.constants.iter().cloned().enumerate().map(number).collect();
        put(format!("{folder}/constants.safetensors"), tensors_to_bytes(&constants)?, true);
        let ending = module.target.ending();
        let mut kernels = Vec::new();
        for kernel in &module.kernels {
            let record = KernelRecord::of(kernel, &format!("{folder}/{}", kernel.name), ending);
            put(record.source.clone(), kernel.source.clone().into_bytes(), false);
            if let (Some(record), Some(binary)) = (&record.binary, &kernel.binary) {
                put(record.entry.clone(), binary.clone(), false);
            }
            kernels.push(record);
        }
        let collective = module.collective.as_ref().map(|code| {
            let [source, entry] = ["cu", "cubin"].map(|ending| format!("{folder}/collective.{ending}"));
            put(source.clone(), KERNEL.into(), false);
            put(entry.clone(), code.clone(), false);
            CollectiveRecord { source, binary: BinaryRecord { entry, sha256: Digest::of_kernel(KERNEL, code) } }
        });
        Ok(TargetRecord {
            target: module.target.to_string(),
            toolchain: module.toolchain.clone(),
            frame_bytes: module.code.frame_bytes() as u64,
            kernels,
            collective,
        })
    }
}

/// Where a target's entries are.
pub(super) fn folder(target: Target) -> String {
    format!("targets/{}", target.to_string().replace(':', "_"))
}

fn input(program: &Program, value: ValueId, weights: Option<&Weights>) -> PortRecord {
    let (path, is_param) = (program.path_of(value), program.param_of(value).is_some());
    let file = weights.filter(|weights| weights.contains_key(path)).map(|_| WEIGHTS.to_owned());
    PortRecord { file, ..port(program, value, path, if is_param { "parameter" } else { "input" }) }
}

fn port(program: &Program, value: ValueId, name: &str, kind: &str) -> PortRecord {
    let held = &program.values[value];
    let mut ty = String::new();
    write_type(held, program, &mut ty);
    let bytes = held.local_type().shape.count() as u64 * 4;
    PortRecord { name: name.into(), kind: kind.into(), ty, bytes, file: None }
}

/// JSON in lines where people read it.
fn json(value: &impl Serialize, is_read: bool) -> Result<Vec<u8>, Diagnostic> {
    let done = if is_read { serde_json::to_vec_pretty(value) } else { serde_json::to_vec(value) };
    done.map_err(|e| cannot(&e.to_string()))
}

fn cannot(why: &str) -> Diagnostic {
    Diagnostic::new(Code::A004, "the artefact cannot be written").note(why)
}

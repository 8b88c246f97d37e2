//! Artefacts: compiled programs stored as one file, `model.partita`.
//!
//! The file is a zip (`archive`) whose first entry is the [`manifest`], which lists the other entries with their
//! lengths and checksums: the local programs, each target's kernels and the [`schedule`] of each stage, the plan, the
//! program that was compiled, and weights. Equal artefacts are equal files. The reader (`read`) trusts nothing: a file
//! whose sizes, names or checksums differ from its manifest is refused, and so is a schedule with out-of-bounds
//! accesses or a deadlock between stages ([`verify`]).
//!
//! Checksums detect damage, not forgery. Machine code is executed as stored, so that an artefact is as trustworthy as
//! its author: users compare the [`Digest`] of the file with the published one.

mod archive;
mod cubin;
mod digest;
pub mod manifest;
mod read;
pub mod schedule;
mod verify;
mod write;

pub use digest::Digest;
pub use verify::verify;

use crate::machine::{LoadedModule, load};
use crate::module::Module;
use crate::partitioned::PartitionedProgram;
use crate::target::Target;
use partita_ir::diag::{Code, Diagnostic, shell_word};
use partita_ir::program::Program;
use partita_ir::tensor::Weights;
use std::sync::Arc;

/// Version of the file format that this crate writes and reads.
pub const FORMAT: u32 = 5;

/// A program compiled for one or more targets, with everything needed to run and to inspect it.
pub struct Artefact {
    /// Version of Partita that compiled the artefact.
    pub version: String,
    /// Name of the model in messages.
    pub model: String,
    /// The local programs, shared by all modules.
    pub program: Arc<PartitionedProgram>,
    /// The unpartitioned program; `None` if the input was a local program, which has one stage.
    pub unpartitioned: Option<Program>,
    /// The plan in TOML.
    pub plan: String,
    /// One module per target, in ascending order of targets.
    pub modules: Vec<Arc<Module>>,
    /// Parameters by path.
    pub weights: Option<Weights>,
}

impl Artefact {
    /// Returns the module for a target.
    ///
    /// # Errors
    /// `A003` if the artefact has no kernels for the target.
    pub fn module(&self, target: Target) -> Result<&Arc<Module>, Diagnostic> {
        self.modules.iter().find(|module| module.target == target).ok_or_else(|| {
            let has: Vec<String> = self.modules.iter().map(|module| module.target.to_string()).collect();
            let title = format!("the artefact has no kernels for {target}, only for {}", has.join(", "));
            let help = format!("compile it again: `partita compile {} --target {target}`", shell_word(&self.model));
            Diagnostic::new(Code::A003, title).help(help)
        })
    }

    /// Returns the program that describes inputs and outputs best: the unpartitioned one if the artefact has it.
    pub fn interface_program(&self) -> &Program {
        self.unpartitioned.as_ref().unwrap_or(&self.program.stages[0].programs[0])
    }

    /// Loads the best module for the devices of this machine.
    ///
    /// # Errors
    /// The errors of [`load`].
    pub fn open(&self) -> Result<Box<dyn LoadedModule>, Diagnostic> {
        load(&self.model, &self.modules)
    }
}

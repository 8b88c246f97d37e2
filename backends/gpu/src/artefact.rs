//! A compiled program as one file: `model.partita`.
//!
//! The file is a zip (`archive`) whose first entry is the [`manifest`]. It says what the other entries are, how long
//! they are and what their checksums are: the programs in form local, each target's kernels and the [`schedule`] of
//! each stage, the plan and the program that were compiled, and weights. Equal artefacts are equal files. Who reads one
//! (`read`) believes nothing: sizes, names and checksums are those of the manifest or the file is refused, and so is a
//! schedule that does not keep within its buffers, or in which stages wait for each other in vain ([`verify`]).
//!
//! Checksums find damage, not forgery. Machine code runs as it is, so that an artefact is as trustworthy as its author:
//! users compare the [`Digest`] of the file with the one that the author published.

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

use crate::machine::{Running, open};
use crate::module::Module;
use crate::partitioned::PartitionedProgram;
use crate::target::Target;
use partita_ir::diag::{Code, Diagnostic, shell_word};
use partita_ir::program::Program;
use partita_ir::tensor::Weights;
use std::sync::Arc;

/// The format of files that this version writes and reads.
pub const FORMAT: u32 = 5;

/// A program compiled for some targets, with all that is needed to run it and to know what it is.
pub struct Artefact {
    /// The version of Partita that compiled it.
    pub version: String,
    /// What the user calls the model.
    pub model: String,
    /// The programs in form local, which all modules share.
    pub program: Arc<PartitionedProgram>,
    /// The unpartitioned step; none for a model that came in form local, which is one stage.
    pub made: Option<Program>,
    /// The plan, as TOML.
    pub plan: String,
    /// For each target, in the order of targets.
    pub modules: Vec<Arc<Module>>,
    /// Parameters by path.
    pub weights: Option<Weights>,
}

impl Artefact {
    /// The module for a target.
    ///
    /// # Errors
    /// `A003` when there is none.
    pub fn module(&self, target: Target) -> Result<&Arc<Module>, Diagnostic> {
        self.modules.iter().find(|module| module.target == target).ok_or_else(|| {
            let has: Vec<String> = self.modules.iter().map(|module| module.target.to_string()).collect();
            let title = format!("the artefact has kernels for {}, and none for {target}", has.join(", "));
            let help = format!("compile it again: `partita compile {} --target {target}`", shell_word(&self.model));
            Diagnostic::new(Code::A003, title).help(help)
        })
    }

    /// The program that says most about what a run takes and gives.
    pub fn described(&self) -> &Program {
        self.made.as_ref().unwrap_or(&self.program.stages[0].programs[0])
    }

    /// Puts the best module for this machine's devices there.
    ///
    /// # Errors
    /// As [`open`].
    pub fn open(&self) -> Result<Box<dyn Running>, Diagnostic> {
        open(&self.model, &self.modules)
    }
}

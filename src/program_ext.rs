//! Compilation of a traced [`Program`] to a [`Partition`] by methods of the program.

use crate::compiler::Compiler;
use crate::error::Result;
use crate::partition::Partition;
#[cfg(feature = "burn")]
use partita_burn::{
    burn::{module::Module, tensor::Device},
    tensors::{Inputs, Outputs},
};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::interp;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;

/// Methods of a traced program.
pub trait ProgramExt: Sized {
    /// Traces `forward` of the Burn module that `init` builds, on inputs of the given shapes. Nothing is computed, and
    /// lazily initialised parameters are never allocated.
    ///
    /// # Errors
    /// `F001` for an operation that cannot be lowered.
    #[cfg(feature = "burn")]
    fn trace<M: Module, I: Inputs, O: Outputs>(
        init: impl FnOnce(&Device) -> M,
        forward: impl FnOnce(&M, I) -> O,
        shapes: I::Shapes,
    ) -> Result<Self>;

    /// Partitions the program by a plan.
    ///
    /// # Errors
    /// Errors in the plan: see `partita explain` for the codes.
    fn partition(&self, plan: &Plan) -> Result<Partition>;

    /// Runs the program on one device with the reference interpreter. `inputs` are those of the main function,
    /// parameters included, in order. Returns the outputs.
    ///
    /// # Errors
    /// `R004` for a failed operation, or for inputs of wrong type.
    fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>>;
}

impl ProgramExt for Program {
    #[cfg(feature = "burn")]
    fn trace<M: Module, I: Inputs, O: Outputs>(
        init: impl FnOnce(&Device) -> M,
        forward: impl FnOnce(&M, I) -> O,
        shapes: I::Shapes,
    ) -> Result<Program> {
        Ok(partita_burn::trace(init, forward, shapes)?)
    }

    fn partition(&self, plan: &Plan) -> Result<Partition> {
        Compiler::new(self).plan(plan).partition()
    }

    fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(interp::run(self, inputs.to_vec()).map_err(|why| Diagnostic::new(Code::R004, why))?)
    }
}

//! The stages of a model's life, each a value that prints: a traced [`Program`], then a [`Partition`].

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

/// What one can do with a traced program.
pub trait Stages: Sized {
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

    /// Partitions the program as the plan says.
    ///
    /// # Errors
    /// What is wrong with the plan: see `partita explain` for the codes `L001` to `L011`.
    fn partition(&self, plan: &Plan) -> Result<Partition>;

    /// Runs the program on one device by the reference interpreter: inputs of the main function, parameters among them,
    /// to its outputs.
    ///
    /// # Errors
    /// `R004` when an operation fails or the inputs do not fit.
    fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>>;
}

impl Stages for Program {
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

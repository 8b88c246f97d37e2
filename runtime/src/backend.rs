//! What a backend is: it compiles a program in form local to something that runs.

use crate::compile::Compiled;
use crate::executor::Direct;
use crate::kernel::Kernel;
use crate::pipeline::Scheduled;
use partita_ir::diag::Diagnostic;
use partita_ir::pipeline::Pipeline;
use partita_ir::program::Program;
use partita_ir::verify::{Local, Verified};
use std::sync::Arc;

/// Compiles programs for one kind of device.
pub trait Backend {
    /// Compiles one device's program, which is proven to be in form local.
    ///
    /// # Errors
    /// `R004` when the backend cannot run the program.
    fn compile(&self, program: Verified<'_, Local>) -> Result<Direct, Diagnostic>;

    /// Compiles a task of a pipeline, so that each device computes all of its own.
    ///
    /// # Errors
    /// As [`Backend::compile`].
    fn compile_task(&self, task: Verified<'_, Local>) -> Result<Compiled<Arc<dyn Kernel>>, Diagnostic>;

    /// Compiles a pipeline that computes a step, whose inputs and outputs it takes and gives in the order of the step.
    ///
    /// # Errors
    /// As [`Backend::compile`].
    fn compile_pipeline(&self, pipeline: Arc<Pipeline>, step: &Program) -> Result<Scheduled, Diagnostic> {
        Scheduled::new(pipeline, step, &mut |task| self.compile_task(task))
    }
}

//! Interface of backends, which compile local programs to executables.

use crate::compile::Compiled;
use crate::executor::Direct;
use crate::kernel::Kernel;
use crate::pipeline::Scheduled;
use crate::processes::Processes;
use partita_ir::diag::Diagnostic;
use partita_ir::pipeline::Pipeline;
use partita_ir::program::Program;
use partita_ir::verify::{Local, Verified};
use std::sync::Arc;

/// Compiles programs for one kind of device.
pub trait Backend {
    /// Compiles a verified local program for one device.
    ///
    /// # Errors
    /// `R004` when the backend cannot run the program.
    fn compile(&self, program: Verified<'_, Local>) -> Result<Direct, Diagnostic>;

    /// Compiles one task of a pipeline. Every device computes all of its outputs, without replica deduplication.
    ///
    /// # Errors
    /// Same as [`Backend::compile`].
    fn compile_task(&self, task: Verified<'_, Local>) -> Result<Compiled<Arc<dyn Kernel>>, Diagnostic>;

    /// Compiles a pipeline that computes `step`. Inputs and outputs of the result are in the order of `step`.
    ///
    /// # Errors
    /// Same as [`Backend::compile`].
    fn compile_pipeline(&self, pipeline: Arc<Pipeline>, step: &Program) -> Result<Scheduled, Diagnostic> {
        Scheduled::new(pipeline, step, &mut |task| self.compile_task(task))
    }

    /// Compiles a verified local program without replica deduplication, as for devices that are divided among
    /// processes. The devices are in this process.
    ///
    /// # Errors
    /// Same as [`Backend::compile`].
    fn compile_without_dedup(&self, program: Verified<'_, Local>) -> Result<Direct, Diagnostic> {
        Direct::new(self.compile_task(program)?)
    }

    /// Compiles a verified local program for devices that are divided among processes.
    ///
    /// # Errors
    /// Same as [`Backend::compile`], and `R004` for more processes than devices.
    fn compile_on(&self, program: Verified<'_, Local>, processes: Arc<Processes>) -> Result<Direct, Diagnostic> {
        Direct::on_processes(self.compile_task(program)?, processes)
    }

    /// Compiles a pipeline for devices that are divided among processes.
    ///
    /// # Errors
    /// Same as [`Backend::compile_pipeline`], and `R004` for more processes than devices.
    fn compile_pipeline_on(
        &self,
        pipeline: Arc<Pipeline>,
        step: &Program,
        processes: Arc<Processes>,
    ) -> Result<Scheduled, Diagnostic> {
        Scheduled::on_processes(pipeline, step, &mut |task| self.compile_task(task), processes)
    }
}

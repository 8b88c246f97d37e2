//! What a backend is: it compiles a program in form local to something that runs.

use crate::communicator::Communicator;
use crate::executor::Executable;
use partita_ir::diag::Diagnostic;
use partita_ir::tensor::Tensor;
use partita_ir::verify::{Local, Verified};
use std::sync::Arc;

/// Compiles programs for one kind of device.
pub trait Backend {
    /// Compiles one device's program, which is proven to be in form local.
    ///
    /// # Errors
    /// `R004` when the backend cannot run the program.
    fn compile(&self, program: Verified<'_, Local>) -> Result<Executable, Diagnostic>;
}

/// What a backend makes of a program.
pub trait DeviceProgram: Send + Sync {
    /// Runs on one device, from its pieces of the inputs to its pieces of the outputs. Called on all devices at the same
    /// time, each with its own communicator.
    ///
    /// # Errors
    /// `R004` when an op fails, else what the communicator says.
    fn run(&self, comm: &dyn Communicator, inputs: Vec<Arc<Tensor>>) -> Result<Vec<Arc<Tensor>>, Diagnostic>;
}

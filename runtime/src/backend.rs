//! What a backend is: it compiles a program in form local to something that runs.

use crate::executor::Executable;
use partita_ir::diag::Diagnostic;
use partita_ir::verify::{Local, Verified};

/// Compiles programs for one kind of device.
pub trait Backend {
    /// Compiles one device's program, which is proven to be in form local.
    ///
    /// # Errors
    /// `R004` when the backend cannot run the program.
    fn compile(&self, program: Verified<'_, Local>) -> Result<Executable, Diagnostic>;
}

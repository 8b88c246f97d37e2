//! Burn modules as traced programs. This is the only crate that depends on Burn.
//!
//! [`trace`] records a module and its forward function on inputs that have shapes and no data, and lowers the recording
//! to a [`Program`]:
//!
//! ```
//! use burn::{module::Module, nn::{Linear, LinearConfig}, tensor::{Device, Tensor, activation::relu}};
//!
//! #[derive(Module, Debug)]
//! struct Mlp { up: Linear, down: Linear }
//!
//! let init = |device: &Device| Mlp {
//!     up: LinearConfig::new(64, 512).init(device),
//!     down: LinearConfig::new(512, 64).init(device),
//! };
//! let program = partita_burn::trace(init, |m, x: Tensor<2>| m.down.forward(relu(m.up.forward(x))), [32, 64]).unwrap();
//! assert_eq!(program.params.values().next().unwrap().path, "up.weight");
//! ```
//!
//! Each parameter of the module becomes a parameter of the program under its dotted path. Inputs are named `input.0`,
//! `input.1`, ..., results `output.0`, .... [`zoo`] contains the built-in models as modules. [`capture()`] and
//! [`import()`] are the two steps of a trace.
//!
//! [`Annotate`] names the dimensions of intermediate tensors, or requests their layouts, in the forward function.
//! [`read_weights`] and [`write_weights`] copy parameters from a module and into one.

pub mod annotate;
pub mod capture;
pub mod import;
pub mod tensors;
pub mod weights;
pub mod zoo;

pub use annotate::Annotate;
/// The Burn version that modules must be written for.
pub use burn;
pub use weights::{read_weights, write_weights};

use burn::module::Module;
use burn::tensor::Device;
use capture::{Mode, capture};
use import::import;
use partita_ir::diag::Diagnostic;
use partita_ir::program::Program;
use tensors::{Inputs, Outputs};

/// Traces `forward` of the module that `init` builds, in inference mode, on inputs of the given shapes. Several inputs
/// are passed as a tuple of tensors with a tuple of shapes; several results are returned as a tuple.
///
/// # Errors
/// Returns one diagnostic for each operation that cannot be lowered, with its name and module. A module that reads
/// tensor values is an error.
pub fn trace<M: Module, I: Inputs, O: Outputs>(
    init: impl FnOnce(&Device) -> M,
    forward: impl FnOnce(&M, I) -> O,
    shapes: I::Shapes,
) -> Result<Program, Vec<Diagnostic>> {
    trace_in(Mode::Inference, init, forward, shapes)
}

/// [`trace`] in the given mode.
///
/// # Errors
/// The errors of [`trace`].
pub fn trace_in<M: Module, I: Inputs, O: Outputs>(
    mode: Mode,
    init: impl FnOnce(&Device) -> M,
    forward: impl FnOnce(&M, I) -> O,
    shapes: I::Shapes,
) -> Result<Program, Vec<Diagnostic>> {
    let captured = capture(mode, init, forward, shapes).map_err(|e| vec![e])?;
    import(&captured, std::any::type_name::<M>())
}

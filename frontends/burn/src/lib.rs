//! Burn modules as traced programs: the only crate that names Burn.
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
//! Every parameter of the module becomes a parameter of the program under its dotted path, inputs are called `input.0`,
//! `input.1`, ..., results `output.0`, .... [`zoo`] has the built-in models as modules. [`capture()`] and [`import()`]
//! are the two halves of a trace.

pub mod capture;
pub mod import;
pub mod tensors;
pub mod zoo;

/// The Burn that modules must be written for.
pub use burn;

use burn::module::Module;
use burn::tensor::Device;
use capture::{Mode, capture};
use import::import;
use partita_ir::diag::Diagnostic;
use partita_ir::program::Program;
use tensors::{Inputs, Outputs};

/// Traces `forward` of the module that `init` builds, on inputs of the given shapes, as the module predicts. Several
/// inputs are a tuple of tensors, with a tuple of shapes; so are several results.
///
/// # Errors
/// Operations that cannot be lowered, each by its name and the module it was recorded in; a module that reads values.
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
/// As [`trace`].
pub fn trace_in<M: Module, I: Inputs, O: Outputs>(
    mode: Mode,
    init: impl FnOnce(&Device) -> M,
    forward: impl FnOnce(&M, I) -> O,
    shapes: I::Shapes,
) -> Result<Program, Vec<Diagnostic>> {
    let captured = capture(mode, init, forward, shapes).map_err(|e| vec![e])?;
    import(&captured, std::any::type_name::<M>())
}

//! The zoo: built-in models, written as ordinary Burn modules, one file a model.
//!
//! A model is asked for by a line such as `zoo:gpt?layers=2&width=256&heads=8`; [`MODELS`] lists the models with their options.

pub mod batch_norm;
pub mod bert;
pub mod dropout;
pub mod gpt;
pub mod llama;
pub mod loss;
pub mod mlp;
pub mod mnist_cnn;
pub mod moe;
pub mod transformer;

pub use partita_models::{Entry, Kind, Opt, Options};

use partita_ir::diag::Diagnostic;
use partita_ir::program::Program;

/// Every built-in model.
pub const MODELS: &[&Entry] = &[&mlp::ENTRY, &mnist_cnn::ENTRY, &gpt::ENTRY, &llama::ENTRY, &bert::ENTRY, &moe::ENTRY];

/// Traces the model that `spec` asks for.
///
/// # Errors
/// Unknown models and options, values out of range, sizes that do not fit each other or overflow.
pub fn program(spec: &str) -> Result<Program, Vec<Diagnostic>> {
    let options = Options::parse(spec, MODELS)?;
    let program = (options.entry.program)(&options)?;
    Ok(Program { source: spec.into(), ..program })
}

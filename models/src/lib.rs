//! The built-in models, one file each.
//!
//! A model is specified by a text such as `zoo:gpt?layers=2&width=256&heads=8`. [`MODELS`] lists the models with their
//! options.
//!
//! ```
//! let program = partita_models::program("zoo:mlp?width=64&hidden=512").unwrap();
//! assert_eq!(program.params.values().next().unwrap().path, "layers.0.weight");
//! ```

mod attention;
mod bert;
mod builder;
mod gpt;
mod layers;
pub mod llama;
mod mlp;
mod mnist_cnn;
mod moe;
mod options;
mod phase;
pub mod transformer;

pub use options::{BuiltInModel, ModelOption, ModelOptions, OptionKind};

use builder::ModelBuilder;
use partita_ir::arena::ValueId;
use partita_ir::build::Namer;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::Program;

/// All built-in models.
pub const MODELS: &[&BuiltInModel] =
    &[&mlp::ENTRY, &mnist_cnn::ENTRY, &gpt::ENTRY, &llama::ENTRY, &bert::ENTRY, &moe::ENTRY];

/// Builds the model specified by `spec`.
///
/// # Errors
/// Returns errors for unknown models and options, values out of range, and sizes that are inconsistent or overflow.
pub fn program(spec: &str) -> Result<Program, Vec<Diagnostic>> {
    let options = ModelOptions::parse(spec, MODELS)?;
    let mut program = Program::with_source(spec);
    let mut names = Namer::default();
    let mut builder = ModelBuilder::new(&mut program, &mut names);
    (options.entry.build)(&options, &mut builder)?;
    builder.finish();
    let errors = overflow_errors(&program);
    if errors.is_empty() { Ok(program) } else { Err(errors) }
}

/// Returns an error for each parameter and input whose element count overflows. If there are none, returns an error for
/// the first op result whose element count overflows.
fn overflow_errors(program: &Program) -> Vec<Diagnostic> {
    let is_uncountable = |value: &&ValueId| program.ty(**value).shape.checked_count().is_none();
    let error = |what: &str, value: ValueId| {
        let title = format!("{what} has more elements than can be counted: {}", program.ty(value).shape);
        Diagnostic::new(Code::T004, title)
    };
    let input_errors = program.inputs().iter().filter(is_uncountable).map(|&value| match program.param_of(value) {
        Some(id) => error(&format!("parameter `{}`", program.params[id].path), value),
        None => error(&format!("`{}`", program.values[value].name), value),
    });
    let result = program.ops.values().find_map(|op| {
        let result = op.outs.iter().find(is_uncountable)?;
        Some(program.locate_error(op, error(&format!("the result of `{}`", op.kind.name()), *result)))
    });
    let input_errors: Vec<Diagnostic> = input_errors.collect();
    if input_errors.is_empty() { result.into_iter().collect() } else { input_errors }
}

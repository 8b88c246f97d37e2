//! The built-in models, one file each.
//!
//! A model is requested by a line such as `zoo:gpt?layers=2&width=256&heads=8`; [`MODELS`] lists the models with their
//! options.
//!
//! ```
//! let program = partita_models::program("zoo:mlp?width=64&hidden=512").unwrap();
//! assert_eq!(program.params.values().next().unwrap().path, "layers.0.weight");
//! ```

mod bert;
mod builder;
mod gpt;
mod layers;
pub mod llama;
mod mlp;
mod mnist_cnn;
mod moe;
mod options;
pub mod transformer;

pub use options::{Entry, Kind, Opt, Options};

use builder::ModelBuilder;
use partita_ir::arena::ValueId;
use partita_ir::build::Namer;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::Program;

/// Every built-in model.
pub const MODELS: &[&Entry] = &[&mlp::ENTRY, &mnist_cnn::ENTRY, &gpt::ENTRY, &llama::ENTRY, &bert::ENTRY, &moe::ENTRY];

/// Builds the model that `spec` requests.
///
/// # Errors
/// Unknown models and options, values out of range, sizes that do not fit each other or overflow.
pub fn program(spec: &str) -> Result<Program, Vec<Diagnostic>> {
    let options = Options::parse(spec, MODELS)?;
    let mut program = Program::with_source(spec);
    let mut names = Namer::default();
    let mut builder = ModelBuilder::new(&mut program, &mut names);
    (options.entry.build)(&options, &mut builder)?;
    builder.finish();
    let errors = uncountable(&program);
    if errors.is_empty() { Ok(program) } else { Err(errors) }
}

/// The errors about parameters and inputs that have more elements than can be counted; else that about the first such
/// result.
fn uncountable(program: &Program) -> Vec<Diagnostic> {
    let is_uncountable = |value: &&ValueId| program.ty(**value).shape.checked_count().is_none();
    let error = |what: &str, value: ValueId| {
        let title = format!("{what} has more elements than can be counted: {}", program.ty(value).shape);
        Diagnostic::new(Code::T004, title)
    };
    let given = program.inputs().iter().filter(is_uncountable).map(|&value| match program.param_of(value) {
        Some(id) => error(&format!("parameter `{}`", program.params[id].path), value),
        None => error(&format!("`{}`", program.values[value].name), value),
    });
    let result = program.ops.values().find_map(|op| {
        let result = op.outs.iter().find(is_uncountable)?;
        Some(program.located(op, error(&format!("the result of `{}`", op.kind.name()), *result)))
    });
    let given: Vec<Diagnostic> = given.collect();
    if given.is_empty() { result.into_iter().collect() } else { given }
}

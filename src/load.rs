//! Models by name: a file of StableHLO, ONNX or program text, or a built-in model. Machines, too.

use crate::error::Result;
use partita_ir::diag::{Code, Diagnostic, Source, nearest};
use partita_ir::input_file::read_text;
use partita_ir::program::Program;
use partita_ir::tensor::Weights;
use partita_ir::verify::verify;
use partita_machine::Machine;
use std::path::Path;

/// The model called `name`: a path that ends in `.mlir`, `.onnx` (with sizes of its symbolic dimensions behind it:
/// `model.onnx?batch=32`) or `.pir`, or `zoo:MODEL?option=value`.
///
/// # Errors
/// `C001` when the file cannot be read, `F002` when it is not what its ending says, `F004` for a name that is none of
/// these, and what the parsers find.
pub fn load(name: &str) -> Result<Program> {
    Ok(load_with_weights(name)?.0)
}

/// The same, with the data of its parameters where the model brings it along: an `.onnx` file does.
///
/// # Errors
/// As [`load`].
pub fn load_with_weights(name: &str) -> Result<(Program, Weights)> {
    if partita_onnx::is_model(name) {
        let imported = partita_onnx::import(name)?;
        verify(&imported.program)?;
        return Ok((imported.program, imported.weights));
    }
    Ok((load_shapes(name)?, Weights::new()))
}

/// Whether a word names a model, and not something in one.
pub fn is_model(word: &str) -> bool {
    word.ends_with(".mlir") || word.ends_with(".pir") || word.starts_with("zoo:") || partita_onnx::is_model(word)
}

/// A model that has no data.
fn load_shapes(name: &str) -> Result<Program> {
    if name.starts_with("zoo:") {
        return Ok(partita_models::program(name)?);
    }
    let path = Path::new(name);
    match path.extension().and_then(|e| e.to_str()) {
        Some("mlir") => Ok(partita_stablehlo::import(name, &read_text(path)?)?),
        Some("pir") => parse(name, &read_text(path)?),
        _ => Err(unknown_kind(name).into()),
    }
}

/// The program that a text stands for; `name` is what the text is called in messages.
///
/// # Errors
/// What the parser and the verifier find.
pub fn parse(name: &str, text: &str) -> Result<Program> {
    let program = partita_ir::text::parse(&Source::new(name, text))?;
    verify(&program)?;
    Ok(program)
}

fn unknown_kind(name: &str) -> Diagnostic {
    let unknown = Diagnostic::new(Code::F004, format!("`{name}` is no model")).note(
        "a model is a file that ends in `.mlir` (StableHLO), `.onnx` or `.pir` (program text), or \
         `zoo:NAME?option=value`",
    );
    // People write these names without `zoo:`.
    match nearest(name, partita_models::MODELS.iter().map(|model| model.name)) {
        Some(near) => unknown.help(format!("there is a built-in model `zoo:{near}`")),
        None => unknown.help("`partita models` lists the built-in models"),
    }
}

/// The machine of a file, or of a name: `dgx-a100?nodes=8`.
///
/// # Errors
/// `C001` for a file that cannot be read, `C002` for an unknown name, `H001` and `H002` for what is wrong with a file.
pub fn load_machine(text: &str) -> Result<Machine> {
    let path = Path::new(text);
    if path.extension().is_some_and(|extension| extension == "toml") || path.is_file() {
        return Ok(Machine::from_toml(&Source::new(text, read_text(path)?))?);
    }
    Ok(Machine::named(text)?)
}

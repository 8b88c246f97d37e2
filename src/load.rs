//! Loading of models and machines, from files or by built-in name.

use crate::error::Result;
use partita_ir::diag::{Code, Diagnostic, Source, Span, nearest};
use partita_ir::input_file::read_text;
use partita_ir::plan::path::Pattern;
use partita_ir::program::Program;
use partita_ir::tensor::Weights;
use partita_ir::verify::verify;
use partita_machine::Machine;
use partita_onnx::{FixedInputs, Imported, InputValues};
use partita_passes::training::phases::declare_inputs;
use std::path::Path;

/// Number of inputs that the message about unknown parameters lists.
const MAX_LISTED_INPUTS: usize = 8;

/// Loads a model from a path that ends in `.mlir`, `.pir` or `.onnx`, or the built-in model `zoo:MODEL?option=value`.
/// The path of an ONNX file may be followed by the sizes of symbolic dimensions: `model.onnx?batch=32`. The path of a
/// `.mlir` or `.pir` file may be followed by the inputs that are parameters: `model.mlir?params=arg0,params.**`.
///
/// # Errors
/// `C001` for an unreadable file, `F002` for a file in a format other than its extension states, `F004` for a name that
/// is neither a model file nor a built-in model, for an unknown option, and for parameters that the model does not
/// have, and errors of the parser and the verifier.
pub fn load(name: &str) -> Result<Program> {
    Ok(load_with_weights(name)?.0)
}

/// Loads a model and the data of its parameters, if the file contains any, as an `.onnx` file does.
///
/// # Errors
/// The errors of [`load`].
pub fn load_with_weights(name: &str) -> Result<(Program, Weights)> {
    let LoadedModel { program, weights, .. } = load_with_inputs(name, &|_| None)?;
    Ok((program, weights))
}

/// A loaded model.
pub struct LoadedModel {
    /// The forward model or training step, in form traced.
    pub program: Program,
    /// The data of its parameters, if the file contains any.
    pub weights: Weights,
    /// Inputs of an ONNX file that are no inputs of the program, because shapes depend on their values.
    pub fixed: FixedInputs,
}

/// Loads a model for inputs with known values: `values` returns the value of an input by name. Shapes are static, so
/// that an input that determines a shape becomes a constant.
///
/// # Errors
/// The errors of [`load`].
pub fn load_with_inputs(name: &str, values: InputValues<'_>) -> Result<LoadedModel> {
    if partita_onnx::is_model(name) {
        let Imported { program, weights, fixed } = partita_onnx::import_with_inputs(name, values)?;
        verify(&program)?;
        return Ok(LoadedModel { program, weights, fixed });
    }
    let program = load_without_weights(name)?;
    Ok(LoadedModel { program, weights: Weights::new(), fixed: FixedInputs::new() })
}

/// Returns true if a command-line word names a model.
pub fn is_model(word: &str) -> bool {
    let (path, _) = split_options(word);
    path.ends_with(".mlir") || path.ends_with(".pir") || word.starts_with("zoo:") || partita_onnx::is_model(word)
}

/// Loads a model without parameter data.
fn load_without_weights(name: &str) -> Result<Program> {
    if name.starts_with("zoo:") {
        return Ok(partita_models::program(name)?);
    }
    let (file, options) = split_options(name);
    let path = Path::new(file);
    let mut program = match path.extension().and_then(|e| e.to_str()) {
        Some("mlir") => partita_stablehlo::import(file, &read_text(path)?)?,
        Some("pir") => parse(file, &read_text(path)?)?,
        _ => return Err(unknown_model(name).into()),
    };
    if let Some(options) = options {
        set_options(&mut program, name, options)?;
    }
    Ok(program)
}

/// Divides the name of a `.mlir` or `.pir` file into the path and the text after the last `?`.
fn split_options(name: &str) -> (&str, Option<&str>) {
    let at = [".mlir?", ".pir?"].into_iter().filter_map(|end| Some(name.rfind(end)? + end.len())).max();
    at.map_or((name, None), |at| (&name[..at - 1], Some(&name[at..])))
}

/// Applies the options of a model name: `params=PATTERNS` declares the inputs that are parameters.
///
/// # Errors
/// `F004` for an unknown option, and for a pattern that no input matches.
fn set_options(program: &mut Program, name: &str, options: &str) -> Result<()> {
    let source = Source::new("MODEL", name);
    let start = name.len() - options.len();
    let Some(patterns) = options.strip_prefix("params=").filter(|patterns| !patterns.is_empty()) else {
        let error = Diagnostic::new(Code::F004, format!("`{options}` is not an option of a model file"))
            .label(Span::new(&source, start..name.len()), "");
        return Err(error.help("name the inputs that are parameters: `?params=arg0,layers.**`").into());
    };
    let names: Vec<String> =
        program.inputs().iter().map(|&v| program.values[v].name.to_string()).collect();
    let mut at = name.len() - patterns.len();
    for part in patterns.split(',') {
        let pattern = Pattern::new(part);
        if !pattern.optional && !names.iter().any(|name| pattern.matches(name)) {
            let error = Diagnostic::new(Code::F004, format!("no input of the model matches `{part}`"))
                .label(Span::new(&source, at..at + part.len()), "")
                .note(format!("the inputs are {}", listed(&names)));
            return Err(match nearest(part, names.iter().map(String::as_str)) {
                Some(near) => error.fix("there is one with a similar name", Span::new(&source, at..at + part.len()), near),
                None => error.help("name inputs, `arg0,arg1`, or match several, `arg*` or `layers.**`"),
            }
            .into());
        }
        at += part.len() + 1;
    }
    let patterns: Vec<Pattern<'_>> = patterns.split(',').map(Pattern::new).collect();
    declare_inputs(program, |name| patterns.iter().any(|pattern| pattern.matches(name)));
    verify(program)?;
    Ok(())
}

/// Returns the first names of a list, and the number of the others.
fn listed(names: &[String]) -> String {
    let shown: Vec<String> = names.iter().take(MAX_LISTED_INPUTS).map(|name| format!("`{name}`")).collect();
    match names.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{}, and {more} more", shown.join(", ")),
    }
}

/// Parses program text. `name` identifies the text in messages.
///
/// # Errors
/// Errors of the parser and the verifier.
pub fn parse(name: &str, text: &str) -> Result<Program> {
    let program = partita_ir::text::parse(&Source::new(name, text))?;
    verify(&program)?;
    Ok(program)
}

fn unknown_model(name: &str) -> Diagnostic {
    let unknown = Diagnostic::new(Code::F004, format!("`{name}` is not a model")).note(
        "a model is a file that ends in `.mlir` (StableHLO), `.onnx` or `.pir` (program text), or \
         `zoo:NAME?option=value`",
    );
    // Built-in models are often written without `zoo:`.
    match nearest(name, partita_models::MODELS.iter().map(|model| model.name)) {
        Some(near) => unknown.help(format!("use the built-in model `zoo:{near}`")),
        None => unknown.help("`partita models` lists the built-in models"),
    }
}

/// Loads a machine from a TOML file or by name, such as `dgx-a100?nodes=8`.
///
/// # Errors
/// `C001` for an unreadable file, `C002` for an unknown name, `H001` for an invalid file, `H002` for an inconsistent
/// one.
pub fn load_machine(text: &str) -> Result<Machine> {
    let path = Path::new(text);
    if path.extension().is_some_and(|extension| extension == "toml") || path.is_file() {
        return Ok(Machine::from_toml(&Source::new(text, read_text(path)?))?);
    }
    Ok(Machine::named(text)?)
}

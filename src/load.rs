//! Loading of models and machines, from files or by built-in name.

use crate::error::Result;
use partita_ir::arena::Arena;
use partita_ir::diag::{Code, Diagnostic, Source, Span, nearest};
use partita_ir::input_file::read_text;
use partita_ir::plan::path::Pattern;
use partita_ir::program::Program;
use partita_ir::program::op::OpKind;
use partita_ir::rule::Flow;
use partita_ir::tensor::Weights;
use partita_ir::verify::verify;
use partita_machine::Machine;
use partita_onnx::{FixedInputs, Imported, InputValues};
use partita_passes::training::phases::declare_inputs;
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

/// Option of a model name: the inputs that are parameters.
const PARAMS: &str = "params=";

/// Option of a model name: `none` ignores the layouts that the file states.
const SHARDINGS: &str = "shardings=";

/// Number of inputs that the message about unknown parameters lists.
const MAX_LISTED_INPUTS: usize = 8;

/// Loads a model from a path that ends in `.mlir`, `.pir`, `.onnx` or `.pt2`, or the built-in model
/// `zoo:MODEL?option=value`. The path of an ONNX file may be followed by the sizes of symbolic dimensions:
/// `model.onnx?batch=32`. The path of a file may be followed by the inputs that are parameters:
/// `model.mlir?params=arg0,layers.**`, and by `shardings=none`, which ignores its mesh and its layouts.
///
/// # Errors
/// `C001` for an unreadable file, `F002` for a file in a format other than its extension states, `F004` for a name that
/// is neither a model file nor a built-in model, and for parameters that the model does not have, and errors of the
/// parser and the verifier.
pub fn load(name: &str) -> Result<Program> {
    Ok(load_with_weights(name)?.0)
}

/// Loads a model and the data of its parameters, if the file contains any, as an `.onnx` or `.pt2` file does.
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
    let (file, options) = FileOptions::split(name);
    let mut model = if partita_onnx::is_model(&file) {
        let Imported { program, weights, fixed } = partita_onnx::import_with_inputs(&file, values)?;
        verify(&program)?;
        LoadedModel { program, weights, fixed }
    } else if partita_torch::is_model(&file) {
        let partita_torch::Imported { program, weights } = partita_torch::import(&file)?;
        verify(&program)?;
        LoadedModel { program, weights, fixed: FixedInputs::new() }
    } else {
        LoadedModel { program: load_without_weights(&file)?, weights: Weights::new(), fixed: FixedInputs::new() }
    };
    options.apply(&mut model.program, name)?;
    Ok(model)
}

/// Loads a model from text. Its name, which messages contain, states the format and the options like the path of a
/// file: `step.mlir?params=layers.**`.
///
/// # Errors
/// The errors of [`load`].
pub fn load_text(name: &str, text: &str) -> Result<Program> {
    let (file, options) = FileOptions::split(name);
    let mut program = import_text(&file, text)?;
    options.apply(&mut program, name)?;
    Ok(program)
}

/// Returns true if a command-line word names a model.
pub fn is_model(word: &str) -> bool {
    let (path, _) = FileOptions::split(word);
    let is_text = path.ends_with(".mlir") || path.ends_with(".pir");
    is_text || word.starts_with("zoo:") || partita_onnx::is_model(word) || partita_torch::is_model(word)
}

/// Loads a model without parameter data.
fn load_without_weights(name: &str) -> Result<Program> {
    if name.starts_with("zoo:") {
        return Ok(partita_models::program(name)?);
    }
    match TextFormat::from_name(name) {
        Some(_) => import_text(name, &read_text(Path::new(name))?),
        None => Err(unknown_model(name).into()),
    }
}

/// Format of a model in text.
#[derive(Clone, Copy)]
enum TextFormat {
    StableHlo,
    ProgramText,
}

impl TextFormat {
    fn from_name(name: &str) -> Option<TextFormat> {
        match Path::new(name).extension()?.to_str()? {
            "mlir" => Some(TextFormat::StableHlo),
            "pir" => Some(TextFormat::ProgramText),
            _ => None,
        }
    }
}

/// Imports a model in the format that its name states.
fn import_text(name: &str, text: &str) -> Result<Program> {
    match TextFormat::from_name(name) {
        Some(TextFormat::StableHlo) => Ok(partita_stablehlo::import(name, text)?),
        Some(TextFormat::ProgramText) => parse(name, text),
        None => Err(unknown_model(name).into()),
    }
}

/// Options of model files in all formats: the ranges of their values in the name of the model.
#[derive(Default)]
struct FileOptions {
    params: Option<Range<usize>>,
    shardings: Option<Range<usize>>,
}

impl FileOptions {
    /// Removes the options from the name of a model file. Returns the rest of the name, and the options.
    fn split(name: &str) -> (Cow<'_, str>, FileOptions) {
        let ends = [".mlir?", ".pir?", ".onnx?", ".pt2?"];
        let start = ends.into_iter().filter_map(|end| Some(name.rfind(end)? + end.len())).max();
        let mut options = FileOptions::default();
        let Some(start) = start else { return (name.into(), options) };
        let (mut at, mut others) = (start, Vec::new());
        for option in name[start..].split('&') {
            let end = at + option.len();
            match option {
                _ if option.starts_with(PARAMS) && options.params.is_none() => {
                    options.params = Some(at + PARAMS.len()..end);
                }
                _ if option.starts_with(SHARDINGS) && options.shardings.is_none() => {
                    options.shardings = Some(at + SHARDINGS.len()..end);
                }
                other => others.push(other),
            }
            at = end + 1;
        }
        let rest = match (&options, others.is_empty()) {
            (FileOptions { params: None, shardings: None }, _) => name.into(),
            (_, true) => name[..start - 1].into(),
            (_, false) => format!("{}{}", &name[..start], others.join("&")).into(),
        };
        (rest, options)
    }

    /// Applies the options to a loaded model.
    fn apply(self, program: &mut Program, name: &str) -> Result<()> {
        if let Some(at) = self.shardings {
            ignore_shardings(program, name, at)?;
        }
        match self.params {
            Some(at) => declare_named_params(program, name, at),
            None => Ok(()),
        }
    }
}

/// Removes the meshes and the layouts that a model states, if the option at `range` of its name is `none`.
///
/// Recogniser: constraints are the only operations of a traced program whose purpose is a layout.
///
/// # Errors
/// `F004` for another value of the option.
fn ignore_shardings(program: &mut Program, name: &str, range: Range<usize>) -> Result<()> {
    if name[range.clone()] != *"none" {
        let source = Source::new("MODEL", name);
        let error = Diagnostic::new(Code::F004, "`shardings` of a model file can only be `none`");
        let error = error.label(Span::new(&source, range), "is not supported");
        return Err(error.help("ignore the mesh and the layouts of the file: `shardings=none`").into());
    }
    program.meshes = Arena::default();
    program.values.values_mut().for_each(|value| value.layout = None);
    for op in program.ops.values_mut() {
        if let OpKind::Constrain(constrain) = &mut op.kind {
            (constrain.flow, constrain.sharding) = (Flow::Both, None);
            // A second operand is only a layout to copy.
            op.args.truncate(1);
        }
    }
    verify(program)?;
    Ok(())
}

/// Declares the inputs that match the patterns at `range` of a model name as parameters. The pattern `none` states that
/// no input is one.
///
/// # Errors
/// `F004` for a pattern that no input matches, and for `none` if the model declares parameters.
fn declare_named_params(program: &mut Program, name: &str, range: Range<usize>) -> Result<()> {
    let source = Source::new("MODEL", name);
    let patterns = &name[range.clone()];
    let names: Vec<String> = program.inputs().iter().map(|&v| program.values[v].name.to_string()).collect();
    if patterns == "none" && !names.iter().any(|name| name == "none") {
        if !program.params.is_empty() {
            let error = Diagnostic::new(Code::F004, "the model declares its parameters")
                .label(Span::new(&source, range), "states that it has none");
            return Err(error.help("remove `params=none`").into());
        }
        program.has_no_params = true;
        return Ok(());
    }
    let mut at = range.start;
    for part in patterns.split(',') {
        let pattern = Pattern::new(part);
        if !pattern.optional && !names.iter().any(|name| pattern.matches(name)) {
            let span = Span::new(&source, at..at + part.len());
            let error = Diagnostic::new(Code::F004, format!("no input of the model matches `{part}`"))
                .label(span.clone(), "")
                .note(format!("the inputs are {}", listed(&names)));
            let error = match nearest(part, names.iter().map(String::as_str)) {
                Some(near) => error.fix("there is one with a similar name", span, near),
                None => {
                    error.help("name inputs, `params=arg0,arg1`, or match several: `params=arg*`, `params=layers.**`")
                }
            };
            return Err(error.into());
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
        "a model is a file that ends in `.mlir` (StableHLO), `.onnx`, `.pt2` (PyTorch) or `.pir` (program text), or \
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

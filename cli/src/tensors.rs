//! Input and output tensors of a run: from files, from the model, or random.

use super::args::RunArgs;
use partita::Result;
use partita::error::interpreter_error;
use partita_ir::interp::random_inputs;
use partita_ir::program::Program;
use partita_ir::tensor::{Tensor, Weights};
use partita_passes::import::updates;
use partita_passes::training::phases::declare_step;
use partita_runtime::io::{Draw, put_weights, read_inputs_with, write_outputs, write_training};
use std::borrow::Cow;
use std::path::Path;

/// Inputs of a run.
pub(super) struct RunInputs {
    /// One tensor for each input of the program, in order.
    pub(super) tensors: Vec<Tensor>,
    /// Optimizer state in the input file that the run does not use. The output file contains it again.
    pub(super) state: Vec<(String, Tensor)>,
    /// True if the data inputs are random. Each step then has new data.
    pub(super) drawn: bool,
}

/// Returns true if outputs of the program replace its inputs, as in a training step.
fn is_training_step(program: &Program) -> bool {
    program.outputs().iter().any(|o| o.replaces.is_some())
}

/// Returns the program with the inputs that its outputs replace, which the structure of an imported step determines.
fn with_declared_step(program: &Program) -> Cow<'_, Program> {
    if program.declares_params() || updates::replacements(program).is_empty() {
        return Cow::Borrowed(program);
    }
    let mut declared = program.clone();
    declare_step(&mut declared);
    Cow::Owned(declared)
}

/// Returns the inputs of a run. Without `--input`, all inputs are random, except parameters with weights. With
/// `--input`, parameters that the file lacks have the weights of the model, and the data of a training step is random
/// if the file has none. Tensors for the inputs `fixed` were read with the model.
///
/// # Errors
/// `C001` for an unreadable file, `F002` for an incomplete one, `R001` for a missing tensor, `R002` for a tensor of
/// wrong type.
pub(super) fn inputs(program: &Program, weights: &Weights, fixed: &[String], args: &RunArgs) -> Result<RunInputs> {
    let Some(path) = &args.input else {
        let mut tensors = random_inputs(program, args.seed).map_err(interpreter_error)?;
        put_weights(program, weights, &mut tensors)?;
        return Ok(RunInputs { tensors, state: Vec::new(), drawn: true });
    };
    let draw = || random_inputs(program, args.seed).map_err(interpreter_error);
    let program = &*with_declared_step(program);
    let draw: Option<Draw<'_>> = if is_training_step(program) { Some(&draw) } else { None };
    let inputs = read_inputs_with(path, program, weights, draw)?;
    // Other outputs of an earlier run, such as its loss, are ignored silently.
    let is_output = |name: &String| program.outputs().iter().any(|o| o.name == **name);
    let ignored: Vec<String> =
        inputs.ignored.into_iter().filter(|name| !is_output(name) && !fixed.contains(name)).collect();
    warn_of_unused(path, &ignored);
    Ok(RunInputs { tensors: inputs.tensors, state: inputs.state, drawn: inputs.drawn })
}

/// Writes the results to the file of `--output`, if given: the outputs and, for a training step, parameters and state
/// that the next step needs.
pub(super) fn write(
    args: &RunArgs,
    program: &Program,
    (inputs, state): (&[Tensor], &[(String, Tensor)]),
    outputs: &[Tensor],
) -> Result<()> {
    let program = &*with_declared_step(program);
    match &args.output {
        Some(path) if is_training_step(program) => Ok(write_training(path, program, inputs, state, outputs)?),
        Some(path) => Ok(write_outputs(path, program, outputs)?),
        None => Ok(()),
    }
}

/// Warns on standard error of tensors in a file that the model does not use.
pub(super) fn warn_of_unused(path: &Path, names: &[String]) {
    if !names.is_empty() {
        eprintln!("warning: {} has tensors that the model does not use: {}", path.display(), list(names));
    }
}

/// Formats a list of names, of which only the first few are shown.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

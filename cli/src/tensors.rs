//! Tensors that a run is given and gives: of files, of the model, or random.

use super::args::RunArgs;
use partita::Result;
use partita::error::failed;
use partita_ir::interp::random_inputs;
use partita_ir::program::Program;
use partita_ir::tensor::{Tensor, Weights};
use partita_runtime::io::{Draw, put_weights, read_over, write_outputs, write_training};
use std::path::Path;

/// What a run begins with.
pub(super) struct Given {
    pub(super) tensors: Vec<Tensor>,
    /// State of an optimizer that this run has no use for.
    pub(super) state: Vec<(String, Tensor)>,
    /// Whether the data is random, and so drawn anew for each step.
    pub(super) drawn: bool,
}

/// Whether what a run gives replaces what it took.
fn trains(program: &Program) -> bool {
    program.outputs().iter().any(|o| o.alias.is_some())
}

/// What the file holds, else the weights that the model came with, else random data.
pub(super) fn inputs(program: &Program, weights: &Weights, args: &RunArgs) -> Result<Given> {
    let Some(path) = &args.input else {
        let mut tensors = random_inputs(program, args.seed).map_err(failed)?;
        put_weights(program, weights, &mut tensors)?;
        return Ok(Given { tensors, state: Vec::new(), drawn: true });
    };
    let draw = || random_inputs(program, args.seed).map_err(failed);
    let draw: Option<Draw<'_>> = if trains(program) { Some(&draw) } else { None };
    let inputs = read_over(path, program, weights, draw)?;
    // What the run before gave besides, such as its loss, was never meant for this one.
    let is_output = |name: &String| program.outputs().iter().any(|o| o.name == **name);
    let ignored: Vec<String> = inputs.ignored.into_iter().filter(|name| !is_output(name)).collect();
    warn_of_unused(path, &ignored);
    Ok(Given { tensors: inputs.tensors, state: inputs.state, drawn: inputs.drawn })
}

/// Keeps the results where the user wants them.
pub(super) fn write(
    args: &RunArgs,
    program: &Program,
    (inputs, state): (&[Tensor], &[(String, Tensor)]),
    outputs: &[Tensor],
) -> Result<()> {
    match &args.output {
        Some(path) if trains(program) => Ok(write_training(path, program, inputs, state, outputs)?),
        Some(path) => Ok(write_outputs(path, program, outputs)?),
        None => Ok(()),
    }
}

/// Warns of tensors in a file that the model has no use for.
pub(super) fn warn_of_unused(path: &Path, names: &[String]) {
    if !names.is_empty() {
        eprintln!("warning: {} has tensors that the model has no use for: {}", path.display(), list(names));
    }
}

/// The first names of a list.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<&str> = names.iter().take(SHOWN).map(String::as_str).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

//! Comparison of two programs on random inputs.

use crate::check::{ROUNDING_SEED, TOLERANCE_F64, rounding_limits};
use partita_ir::arena::FuncId;
use partita_ir::class::Control;
use partita_ir::dtype::Type;
use partita_ir::interp::{self, random_inputs, widen, widen_tensors};
use partita_ir::program::{Form, Program};
use partita_ir::tensor::Tensor;
use partita_ir::verify::{Local, verify};
use partita_runtime::check::{Difference, OneDevice, compare, compare_rounding};
use partita_runtime::interpreter::run_local;
use serde::Serialize;
use std::fmt;

/// Maximum number of random inputs.
const MAX_INPUTS: u64 = 5;

/// Maximum number of arithmetic operations of all evaluations. Fewer inputs are compared if one evaluation has many:
/// the reference interpreter executes on the order of 10^8 operations per second.
const MAX_OPERATIONS: u64 = 300_000_000;

/// Number of evaluations per input: both programs in `f64` and, where these differ, both in their own types and the
/// original with random rounding.
const EVALUATIONS_PER_INPUT: u64 = 5;

/// Result of a comparison of two programs on random inputs.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NumericComparison {
    /// All outputs agree up to rounding.
    Equal {
        /// Number of random inputs, with the seeds 1, 2, ...
        inputs: u64,
    },
    /// An output differs.
    Different(NumericDifference),
    /// The programs were not compared.
    Skipped {
        /// Reason in one clause.
        why: String,
    },
}

/// Difference of an output on random inputs.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct NumericDifference {
    /// Name of the output.
    pub output: String,
    /// Position of the element that differs most.
    pub index: Vec<usize>,
    /// Value of the program.
    pub got: f64,
    /// Value of the original.
    pub want: f64,
    /// Seed of the random inputs.
    pub seed: u64,
}

impl fmt::Display for NumericDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NumericDifference { output, index, got, want, seed } = self;
        write!(f, "`{output}`{index:?} is {got}, but the original's is {want} (random inputs with seed {seed})")
    }
}

impl fmt::Display for NumericComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NumericComparison::Equal { inputs: 1 } => {
                write!(f, "the outputs are equal on 1 random input, up to rounding")
            }
            NumericComparison::Equal { inputs } => {
                write!(f, "the outputs are equal on {inputs} random inputs, up to rounding")
            }
            NumericComparison::Different(difference) => difference.fmt(f),
            NumericComparison::Skipped { why } => write!(f, "not compared on random inputs: {why}"),
        }
    }
}

/// Compares the outputs of two programs on random inputs: in `f64`, and where these differ, in the types of the
/// programs relative to the rounding error of the original.
pub(super) fn compare_on_random_inputs(original: &Program, other: &Program) -> NumericComparison {
    match compared(original, other) {
        Ok(comparison) => comparison,
        Err(why) => NumericComparison::Skipped { why },
    }
}

fn compared(original: &Program, other: &Program) -> Result<NumericComparison, String> {
    let ports = |program: &Program| -> Vec<(String, Type)> {
        let inputs = program.inputs().iter();
        inputs.map(|&input| (program.path_of(input).to_string(), program.ty(input).clone())).collect()
    };
    if ports(original) != ports(other) {
        return Err("the programs have different inputs".into());
    }
    let names = |program: &Program| program.outputs().iter().map(|o| o.name.to_string()).collect::<Vec<_>>();
    if names(original) != names(other) {
        return Err("the programs have different outputs".into());
    }
    let devices = other.mesh().map_or(1, |(_, mesh)| mesh.device_count() as u64);
    let other_operations = operations(other, other.entry()).saturating_mul(devices);
    let operations = operations(original, original.entry()).saturating_add(other_operations);
    let inputs = (MAX_OPERATIONS / EVALUATIONS_PER_INPUT / operations.max(1)).min(MAX_INPUTS);
    if inputs == 0 {
        return Err(format!("one evaluation takes {operations} arithmetic operations"));
    }
    for seed in 1..=inputs {
        let worst = first_difference(original, other, seed)?;
        if let Some(Difference { name, worst, .. }) = worst {
            let Some(element) = worst else { return Err(format!("`{name}` has another type than the original's")) };
            let difference =
                NumericDifference { output: name, index: element.index, got: element.got, want: element.want, seed };
            return Ok(NumericComparison::Different(difference));
        }
    }
    Ok(NumericComparison::Equal { inputs })
}

/// Returns the first output that differs on random inputs.
fn first_difference(original: &Program, other: &Program, seed: u64) -> Result<Option<Difference>, String> {
    let inputs = random_inputs(original, seed)?;
    let names = || original.outputs().iter().map(|output| output.name.as_str());
    let wide_inputs = widen_tensors(&inputs);
    let exact = interp::run(&widen(original), wide_inputs.clone())?;
    let wide = compare(names(), &run(&widen(other), &wide_inputs)?, &exact, TOLERANCE_F64);
    if wide.iter().all(|difference| difference.ok) {
        return Ok(None);
    }
    let native = interp::run(original, inputs.clone())?;
    let perturbed = interp::run_perturbed(original, wide_inputs, ROUNDING_SEED)?;
    let one = OneDevice { native: &native, perturbed: &perturbed, exact: &exact };
    let rounded = compare_rounding(names(), &run(other, &inputs)?, one, rounding_limits(original));
    // The difference in `f64` has no rounding errors.
    let wrong = wide.into_iter().zip(rounded).find(|(wide, rounded)| !wide.ok && !rounded.ok);
    Ok(wrong.map(|(wide, _)| wide))
}

/// Runs a program: on all devices of its mesh in local form.
fn run(program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>, String> {
    if program.form < Form::Local {
        return interp::run(program, inputs.to_vec());
    }
    let verified = verify(program).map_err(|_| "the program is invalid in `f64`".to_string())?;
    let verified = verified.into_form::<Local>().map_err(|error| error.title.clone())?;
    run_local(verified, inputs).map_err(|error| error.title.clone())
}

/// Returns the number of arithmetic operations of one evaluation of a function, and of elements written.
fn operations(program: &Program, func: FuncId) -> u64 {
    let types = |values: &[_]| values.iter().map(|&v| program.values[v].local_type()).collect::<Vec<Type>>();
    let of_op = |op: &partita_ir::program::Op| {
        if let Some(control) = op.kind.control() {
            let Control::Loop(looped) = control;
            return operations(program, looped.body).saturating_mul(looped.trip);
        }
        let (args, outs) = (types(&op.args), types(&op.outs));
        let flops = op.kind.flops(&args.iter().collect::<Vec<_>>(), &outs.iter().collect::<Vec<_>>());
        outs.iter().map(|ty| ty.shape.count() as u64).fold(flops, u64::saturating_add)
    };
    program.funcs[func].ops().iter().map(|&op| of_op(&program.ops[op])).fold(0, u64::saturating_add)
}

//! Agreement of a partitioned program with the original.

use partita_ir::diag::{Code, Diagnostic};
use partita_ir::interp;
use partita_ir::plan::Plan;
use partita_ir::program::{Form, Program};
use partita_ir::tensor::Tensor;
use partita_ir::text::print;
use partita_ir::verify::{Local, verify};
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines::{self, Milestone};
use partita_runtime::backend::Backend;
use partita_runtime::check::compare;
use partita_runtime::executor::Executable;

/// A partitioned program and its intermediate forms.
pub struct Partitioned {
    /// The program after each pass, with the pass's name.
    pub stages: Vec<(&'static str, Program)>,
    /// The local program.
    pub local: Program,
}

/// Runs the full pipeline. The driver verifies the program after every pass. In half of the programs, products overlap
/// with the collectives beside them.
///
/// # Errors
/// Errors of the passes and of the verifier.
pub fn partition(program: &Program) -> Result<Partitioned, Vec<Diagnostic>> {
    partition_by(
        program,
        match program.ops.len() % 2 {
            0 => Plan::default(),
            _ => Plan::default().overlap("all_gather, reduce_scatter"),
        },
    )
}

/// Runs the full pipeline with a plan.
///
/// # Errors
/// Errors of the passes and of the verifier.
pub fn partition_by(program: &Program, plan: Plan) -> Result<Partitioned, Vec<Diagnostic>> {
    let mut local = program.clone();
    let mut stages = Vec::new();
    let pipeline = pipelines::pipeline(Milestone::Model, Milestone::Local, Variant::default()).map_err(|e| vec![e])?;
    pipeline.run(&mut local, &Input::with_plan(plan), &mut Findings::default(), &mut |ran| {
        stages.push((ran.info.name, ran.program.clone()));
        Ok(())
    })?;
    Ok(Partitioned { stages, local })
}

impl Partitioned {
    /// Returns the last intermediate program of the given form.
    pub fn last_in_form(&self, form: Form) -> Option<&Program> {
        self.stages.iter().rev().map(|(_, program)| program).find(|program| program.form == form)
    }
}

/// Returns true if all errors concern annotations, which may be contradictory in a random program.
pub fn is_annotation_conflict(errors: &[Diagnostic]) -> bool {
    errors.iter().all(|e| e.code == Code::L004)
}

/// Runs a traced program on one device.
///
/// # Errors
/// Errors of the interpreter.
pub fn run_unpartitioned(program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>, String> {
    interp::run(program, inputs.to_vec())
}

/// Runs a local program on all devices of its mesh.
///
/// # Errors
/// Errors of the verifier and of the executor.
pub fn run_partitioned(local: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>, String> {
    let verified = verify(local).map_err(|errors| join_diagnostics(&errors))?;
    let verified = verified.into_form::<Local>().map_err(|e| e.to_string())?;
    partita_cpu::Cpu.compile(verified).and_then(|e| e.run(inputs)).map_err(|e| e.to_string())
}

/// Compares outputs `a` with the expected outputs `b`, up to `tolerance` or, where `exact` is true, exactly.
///
/// # Errors
/// Names of the differing outputs, with the largest difference.
pub fn compare_outputs(
    program: &Program,
    a: &[Tensor],
    b: &[Tensor],
    exact: &[bool],
    tolerance: f64,
) -> Result<(), String> {
    let names: Vec<&str> = program.outputs().iter().map(|o| o.name.as_str()).collect();
    let off: Vec<String> = compare(names.iter().copied(), a, b, tolerance)
        .into_iter()
        .zip(exact)
        .filter(|(d, exact)| !d.ok || (**exact && d.max_abs_diff > 0.0))
        .map(|(d, _)| format!("`%{}` is off by {}", d.name, d.max_abs_diff))
        .collect();
    if off.is_empty() { Ok(()) } else { Err(off.join(", ")) }
}

/// Returns the diagnostics as text.
pub fn join_diagnostics(errors: &[Diagnostic]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Appends the texts of the relevant programs to a message.
pub fn with_programs(what: &str, programs: &[&Program]) -> String {
    let texts: Vec<String> = programs.iter().map(|p| print(p)).collect();
    format!("{what}\n\n{}", texts.join("\n"))
}

//! Step that a plan computes, before layouts.

use crate::problem::SearchProblem;
use partita_ir::diag::Diagnostic;
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::plan::{Plan, SourceText};
use partita_ir::program::Program;
use partita_passes::driver::{Findings, Input};
use partita_passes::pipelines;

/// Plan entries that determine the step before layouts: training, micro-batches, stages, and the schedule of a single
/// stage.
pub(crate) type StepKey = [Option<String>; 4];

/// Returns the plan with the given recomputation level for all activations.
pub(crate) fn with_recompute(plan: Plan, level: &str) -> Plan {
    if level == "none" { plan } else { plan.remat("**", level) }
}

/// Returns the plan without a memory budget, so that a plan that does not fit is reported instead of rejected.
pub(crate) fn without_budget(plan: &Plan) -> Plan {
    Plan { budget: None, ..plan.clone() }
}

/// Returns the stages of a plan, or a single stage.
pub(crate) fn stages_of(plan: &Plan) -> Result<PipelineConfig, Diagnostic> {
    Ok(plan.pipeline_config()?.unwrap_or_else(PipelineConfig::single))
}

/// Returns the plan entries that [`step`] depends on.
pub(crate) fn step_key(plan: &Plan) -> StepKey {
    let text = |written: &Option<SourceText>| written.as_ref().map(|written| written.text.clone());
    let stages = text(&plan.pipeline).filter(|_| plan.micro_batches.is_none());
    // A single stage with a schedule has a micro-batch loop even for one micro-batch.
    let is_single = plan.pipeline.as_ref().is_some_and(|stages| stages.text.trim() == "1");
    let schedule = text(&plan.schedule).filter(|_| is_single);
    [text(&plan.train), text(&plan.micro_batches), stages, schedule]
}

/// Builds the step of a plan before layouts. Plans that differ only in layouts have the same step.
pub(crate) fn step(problem: &SearchProblem<'_>, plan: &Plan) -> Result<Program, Vec<Diagnostic>> {
    let mut step = problem.program.clone();
    let (input, mut findings) = (Input::with_plan(without_budget(plan)), Findings::default());
    pipelines::build_step(&mut step, &input, &mut findings)?;
    Ok(step)
}

//! Compilation of a program and a plan to a partition.

use super::{OnPass, Partition};
use crate::compile_results::{CompileResults, CompileSeconds, LocalPrograms, PlannedProgram};
use crate::error::Result;
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::plan::train::TrainConfig;
use partita_ir::plan::{Plan, SourceText};
use partita_ir::program::{Form, Program};
use partita_machine::collective::choice::Prices;
use partita_passes::driver::{Findings, Input, PassReport};
use partita_passes::no_effect::AppliedPlan;
use partita_passes::pipelines::{self, Milestone};
use partita_passes::pipelining::stages;
use partita_passes::training::micro_batches;
use partita_search::autotune;
use std::mem::take;
use std::sync::Arc;
use std::time::Instant;

impl Partition {
    /// Applies the plan to a model and lowers the model to programs of one device, without regard to the memory budget.
    /// A model in a later form than traced already has layouts, so its plan must be empty.
    ///
    /// With the prices of a machine, the lowering variant with the shortest predicted step is used, slower devices get
    /// less work, and stages fit into device memory where possible.
    ///
    /// # Errors
    /// Errors in the plan, `P001` for a plan on a model that already has layouts, and the error of `watch`.
    pub(crate) fn build(
        model: &Program,
        plan: &Plan,
        by: Option<(&Prices<'_>, &Efficiencies)>,
        watch: &mut OnPass<'_>,
    ) -> Result<Partition> {
        let has_layouts = model.form > Form::Traced;
        if has_layouts && *plan != Plan::default() {
            return Err(plan_not_applicable(model).into());
        }
        let pipeline_config = plan.pipeline_config()?.unwrap_or_else(PipelineConfig::single);
        let machine = by.map(|(prices, _)| prices.machine());
        let mut compilation = Compilation {
            step: model.clone(),
            input: Input { machine: machine.cloned().map(Arc::new), ..Input::with_plan(plan.clone()) },
            findings: Findings::default(),
            watch: PassTimer { on_pass: watch, seconds: CompileSeconds::default(), started: Instant::now() },
        };
        let mut choice = None;
        if !has_layouts {
            compilation.run(Milestone::Model, Milestone::Step)?;
            choice = match by {
                Some(by) => {
                    autotune::choose_variant(&compilation.step, &pipeline_config, &compilation.input, by, None)?
                }
                None => None,
            };
            compilation.input.variant = choice.map_or(compilation.input.variant, |choice| choice.variant);
        }
        let is_model =
            has_layouts || !(changes_function(plan) || micro_batches::micro_batch_count(&compilation.step) > 1);
        let is_divided = !has_layouts && micro_batches::has_micro_batches(&compilation.step);
        let undivided = if is_divided { Some(undivided_step(model, plan)?) } else { None };
        let model = if is_model { model.clone() } else { compilation.step.clone() };
        let has_schedule = !has_layouts && stages::has_schedule(&compilation.step, &pipeline_config, plan);
        let (stages, planned) = match has_schedule {
            true => compilation.lower_to_stages(&pipeline_config).map(|(stages, planned)| (Some(stages), planned))?,
            false => (None, compilation.lower_to_one_mesh()?),
        };
        let Compilation { step, input, mut findings, watch } = compilation;
        let local = stages.unwrap_or_else(|| LocalPrograms::one_mesh(step));
        let seconds = watch.seconds();
        let programs: Vec<&Program> = match &local {
            LocalPrograms::OneMesh { program, .. } => vec![program],
            LocalPrograms::Stages { pipeline, .. } => pipeline.chunks.iter().map(|chunk| &chunk.program).collect(),
        };
        // Warnings about unused options refer to the planned step, since only the step has micro-batches.
        let global: Vec<&Program> = planned.iter().map(|planned| &planned.program).collect();
        let applied = AppliedPlan { plan, global: &global, local: &programs, has_machine: machine.is_some() };
        findings.warnings.extend(applied.warnings());
        if let Some(schedule) = plan.schedule.as_ref().filter(|_| !has_schedule) {
            let title = "`schedule` has no effect: there is one stage and one micro-batch";
            let warning = Diagnostic::warning(Code::L018, title).label(schedule.span(), "requested here");
            findings.warnings.push(warning.help("set the number of stages or micro-batches, or leave it out"));
        }
        Ok(Partition::from_results(CompileResults {
            model,
            undivided,
            planned,
            local,
            input,
            findings,
            autotuned: choice,
            seconds,
        }))
    }
}

/// A compilation in progress.
struct Compilation<'w, 'o> {
    /// Program that the passes transform: first the model, later its training step.
    step: Program,
    input: Input,
    findings: Findings,
    watch: PassTimer<'w, 'o>,
}

impl Compilation<'_, '_> {
    /// Runs the passes between two milestones on the step.
    fn run(&mut self, from: Milestone, to: Milestone) -> Result<()> {
        let Compilation { step, input, findings, watch } = self;
        let passes = pipelines::pipeline(from, to, input.variant)?;
        Ok(passes.run(step, input, findings, &mut |ran| watch.record(&ran))?)
    }

    /// Lowers the step to the local form on one mesh. Returns the planned program.
    fn lower_to_one_mesh(&mut self) -> Result<Vec<PlannedProgram>> {
        // A program on one mesh has no schedule.
        self.input.plan.schedule = None;
        if self.input.plan.pipeline.is_some() {
            self.input = stages::with_default_mesh(&self.step, &self.input, &mut self.findings)?;
        }
        let form = self.step.form;
        let mut planned = (form > Form::Traced).then(|| self.step.clone());
        let from = if form > Form::Traced { Milestone::from_form(form) } else { Milestone::Step };
        let Compilation { step, input, findings, watch } = self;
        let passes = pipelines::pipeline(from, Milestone::Local, input.variant)?;
        passes.run(step, input, findings, &mut |ran| {
            watch.record(&ran)?;
            if planned.is_none() && ran.info.output_form == Form::Planned {
                planned = Some(ran.program.clone());
            }
            Ok(())
        })?;
        let program = planned.unwrap_or_else(|| self.step.clone());
        let provenance = take(&mut self.findings.provenance);
        Ok(vec![PlannedProgram { program, provenance }])
    }

    /// Lowers the step to pipeline stages. Returns the local programs of the stages, and the planned step for each
    /// distinct mesh.
    fn lower_to_stages(&mut self, pipeline_config: &PipelineConfig) -> Result<(LocalPrograms, Vec<PlannedProgram>)> {
        let Compilation { step, input, findings, watch } = self;
        let (pipeline, laid_out) =
            stages::staged_pipeline(step, pipeline_config, input, findings, &mut |ran| watch.record(ran))?;
        take(&mut findings.provenance);
        Ok(LocalPrograms::stages(pipeline, laid_out))
    }
}

/// Observer of passes that measures their durations and calls `on_pass`.
struct PassTimer<'w, 'o> {
    on_pass: &'w mut OnPass<'o>,
    seconds: CompileSeconds,
    started: Instant,
}

impl PassTimer<'_, '_> {
    fn record(&mut self, ran: &PassReport<'_>) -> std::result::Result<(), Diagnostic> {
        let is_planned = ran.info.input_form >= Form::Planned;
        let counter = if is_planned { &mut self.seconds.partition } else { &mut self.seconds.propagate };
        *counter += ran.pass.as_secs_f64();
        self.seconds.verify += ran.verify.as_secs_f64();
        (self.on_pass)(ran)
    }

    fn seconds(&self) -> CompileSeconds {
        CompileSeconds { total: self.started.elapsed().as_secs_f64(), ..self.seconds }
    }
}

/// Returns true if the plan replaces the model by its training step, or changes element types or trained parameters.
fn changes_function(plan: &Plan) -> bool {
    plan.train.is_some() || !plan.precision.is_empty() || !plan.freeze.is_empty() || !plan.train_only.is_empty()
}

/// Returns the step of a plan without its micro-batches and stages.
fn undivided_step(model: &Program, plan: &Plan) -> Result<Program> {
    let train = plan.train.as_ref().map(|written| -> Result<SourceText> {
        let mut train = written.clone();
        let at = TrainConfig::parse(written)?.accumulate_at;
        if !at.is_empty() {
            train.text.replace_range(at, "1");
        }
        Ok(train)
    });
    let plan = Plan {
        train: train.transpose()?,
        pipeline: None,
        schedule: None,
        micro_batches: None,
        replicas: None,
        stage_meshes: Vec::new(),
        budget: None,
        ..plan.clone()
    };
    let mut step = model.clone();
    pipelines::build_step(&mut step, &Input::with_plan(plan), &mut Findings::default())?;
    Ok(step)
}

/// Returns the error `P001` for a plan on a program that already has layouts.
fn plan_not_applicable(program: &Program) -> Diagnostic {
    let title = format!("`{}` is {} already: a plan has no effect on it", program.source, program.form.name());
    Diagnostic::new(Code::P001, title).help("leave the plan out, or apply it to the traced program")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::*;
    use partita_ir::plan::Mesh;
    use partita_passes::training::micro_batches::micro_batch_count;

    #[test]
    fn the_reference_of_a_check_has_no_micro_batches() {
        let model = crate::load("zoo:mlp?batch=8").unwrap();
        let plan = Plan::new(Mesh::new([("data", 2)]).unwrap());
        let staged = plan.clone().train("sgd").pipeline("2").micro_batches("2");
        for plan in [staged, plan.train("sgd?accumulate=2&lr=0.1")] {
            let partition = Partition::build(&model, &plan, None, &mut |_| Ok(())).unwrap();
            assert_eq!(micro_batch_count(&partition.results.model), 2);
            assert_eq!(partition.results.undivided.as_ref().map(micro_batch_count), Some(1));
        }
    }
}

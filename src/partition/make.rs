//! From a program and a plan to a partition.

use super::{OnPass, Partition};
use crate::error::Result;
use crate::made::{Local, Made, Planned, Seconds};
use partita_cost::roofline::Efficiencies;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::plan::Plan;
use partita_ir::plan::pipeline::Pipelined;
use partita_ir::program::{Form, Program};
use partita_machine::collective::choice::Prices;
use partita_passes::driver::{Findings, Input, Ran};
use partita_passes::no_effect::Applied;
use partita_passes::pipelines::{self, Milestone};
use partita_passes::pipelining::stages;
use partita_passes::training::micro_batches;
use partita_search::autotune;
use std::mem::take;
use std::sync::Arc;
use std::time::Instant;

impl Partition {
    /// Applies the plan to a model and lowers it to one device's programs, whatever they need of memory. A model in a
    /// later form than traced goes on from there: its layouts are decided, so that the plan must be empty. By the
    /// prices of a machine, where there is one, its slower devices get less to do, and stages fit into its memory if
    /// they can.
    ///
    /// # Errors
    /// Errors in the plan, and the error of `watch`.
    pub(crate) fn make(
        model: &Program,
        plan: &Plan,
        by: Option<(&Prices<'_>, &Efficiencies)>,
        watch: &mut OnPass<'_>,
    ) -> Result<Partition> {
        let is_decided = model.form > Form::Traced;
        if is_decided && *plan != Plan::default() {
            return Err(nothing_to_plan(model).into());
        }
        let how = plan.pipelined()?.unwrap_or_else(Pipelined::single);
        let machine = by.map(|(prices, _)| prices.machine());
        let mut making = Making {
            step: model.clone(),
            input: Input { machine: machine.cloned().map(Arc::new), ..Input::with_plan(plan.clone()) },
            findings: Findings::default(),
            watch: Watch { on_pass: watch, seconds: Seconds::default(), started: Instant::now() },
        };
        let mut choice = None;
        if !is_decided {
            making.run(Milestone::Model, Milestone::Step)?;
            choice = match by {
                Some(by) => autotune::choose(&making.step, &how, &making.input, by)?,
                None => None,
            };
            making.input.variant = choice.map_or(making.input.variant, |choice| choice.variant);
        }
        let is_model = is_decided || !(makes_another_model(plan) || micro_batches::count(&making.step) > 1);
        let model = if is_model { model.clone() } else { making.step.clone() };
        let is_ordered = !is_decided && stages::is_ordered(&making.step, &how, plan);
        let (stages, planned) = match is_ordered {
            true => making.stages(&how).map(|(stages, planned)| (Some(stages), planned))?,
            false => (None, making.whole()?),
        };
        let Making { step, input, mut findings, watch } = making;
        let local = stages.unwrap_or_else(|| Local::whole(step));
        let seconds = watch.seconds();
        let programs: Vec<&Program> = match &local {
            Local::Whole { program, .. } => vec![program],
            Local::Stages { pipeline, .. } => pipeline.chunks.iter().map(|chunk| &chunk.program).collect(),
        };
        // What is written of options is about the step, which has the micro-batches.
        let applied = Applied { plan, made: &planned[0].program, local: &programs, has_machine: machine.is_some() };
        findings.warnings.extend(applied.warnings());
        if let Some(schedule) = plan.schedule.as_ref().filter(|_| !is_ordered) {
            let title = "`schedule` has no effect: there is one stage, and one micro-batch goes through it";
            let warning = Diagnostic::warning(Code::L018, title).at(schedule.span(), "asks for an order");
            findings.warnings.push(warning.help("say how many stages or micro-batches there are, or leave it out"));
        }
        Ok(Partition::of(Made { model, planned, local, input, findings, choice, seconds }))
    }
}

/// A program on its way through the passes.
struct Making<'w, 'o> {
    step: Program,
    input: Input,
    findings: Findings,
    watch: Watch<'w, 'o>,
}

impl Making<'_, '_> {
    fn run(&mut self, from: Milestone, to: Milestone) -> Result<()> {
        let Making { step, input, findings, watch } = self;
        let passes = pipelines::pipeline(from, to, input.variant)?;
        Ok(passes.run(step, input, findings, &mut |ran| watch.see(&ran))?)
    }

    /// Makes the step the program of all devices of a mesh, and returns it as it is laid out.
    fn whole(&mut self) -> Result<Vec<Planned>> {
        // One program has no order of tasks.
        self.input.plan.schedule = None;
        let form = self.step.form;
        let mut planned = (form > Form::Traced).then(|| self.step.clone());
        let from = if form > Form::Traced { Milestone::of(form) } else { Milestone::Step };
        let Making { step, input, findings, watch } = self;
        let passes = pipelines::pipeline(from, Milestone::Local, input.variant)?;
        passes.run(step, input, findings, &mut |ran| {
            watch.see(&ran)?;
            if planned.is_none() && ran.info.gives == Form::Planned {
                planned = Some(ran.program.clone());
            }
            Ok(())
        })?;
        let program = planned.unwrap_or_else(|| self.step.clone());
        let provenance = take(&mut self.findings.provenance);
        Ok(vec![Planned { program, provenance }])
    }

    /// Returns programs of stages whose tasks have an order, and the step as it is laid out for each mesh.
    fn stages(&mut self, how: &Pipelined) -> Result<(Local, Vec<Planned>)> {
        let Making { step, input, findings, watch } = self;
        let (pipeline, laid_out) = stages::staged(step, how, input, findings, &mut |ran| watch.see(ran))?;
        take(&mut findings.provenance);
        Ok(Local::stages(pipeline, laid_out))
    }
}

/// Observer of passes, and their durations.
struct Watch<'w, 'o> {
    on_pass: &'w mut OnPass<'o>,
    seconds: Seconds,
    started: Instant,
}

impl Watch<'_, '_> {
    fn see(&mut self, ran: &Ran<'_>) -> std::result::Result<(), Diagnostic> {
        let is_planned = ran.info.needs >= Form::Planned;
        let counter = if is_planned { &mut self.seconds.partition } else { &mut self.seconds.propagate };
        *counter += ran.pass.as_secs_f64();
        self.seconds.verify += ran.verify.as_secs_f64();
        (self.on_pass)(ran)
    }

    fn seconds(&self) -> Seconds {
        Seconds { total: self.started.elapsed().as_secs_f64(), ..self.seconds }
    }
}

/// Returns whether the plan changes what the model computes.
fn makes_another_model(plan: &Plan) -> bool {
    plan.train.is_some() || !plan.precision.is_empty() || !plan.freeze.is_empty() || !plan.train_only.is_empty()
}

/// A plan for a program whose layouts are decided.
fn nothing_to_plan(program: &Program) -> Diagnostic {
    let title = format!("`{}` is {} already: a plan has nothing to decide in it", program.source, program.form.name());
    Diagnostic::new(Code::P001, title).help("leave the plan out, or apply it to the traced program")
}

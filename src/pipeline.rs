//! Another second stage: a program cut into the stages of a pipeline, ready to be looked at and run.

mod report;

use crate::check::{Check, Comparison};
use crate::error::{Result, failed};
use crate::explain;
use crate::partition::OnPass;
use crate::report::Rewriting;
use crate::session::Session;
use crate::steps::{Step, Steps};
use indexmap::IndexMap;
use partita_cost::roofline::Efficiencies;
use partita_cpu::Cpu;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::interp;
use partita_ir::plan::Plan;
use partita_ir::plan::pipeline::Pipelined;
use partita_ir::program::{Form, Program};
use partita_ir::schedule::check::Checked;
use partita_ir::tensor::Tensor;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_machine::host::Host;
use partita_machine::timeline::Timeline;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input};
use partita_passes::no_effect::Applied;
use partita_passes::pipelines::{self, Milestone};
use partita_passes::pipelining::stages;
use partita_passes::training::micro_batches;
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;
use partita_runtime::footprint::Footprint;
use partita_runtime::forecast::Forecast;
use partita_runtime::pipeline::Scheduled;
use partita_search::autotune::{self, Choice};
pub use report::PipelineReport;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A program in stages, each on a mesh of its own. Prints as its [`PipelineReport`].
pub struct Pipeline {
    /// What is computed, over micro-batches, on however many devices.
    step: Program,
    pipeline: Arc<partita_ir::pipeline::Pipeline>,
    input: Input,
    findings: Findings,
    /// What was chosen instead of the usual way, if a step is predicted to be faster so.
    choice: Option<Choice>,
    /// How long it took to make.
    seconds: f64,
    /// All devices, once they are asked for.
    devices: OnceLock<Arc<Scheduled>>,
}

impl Pipeline {
    /// Cuts the program as the plan says, whatever its stages need of memory; a plan without stages is one of a single
    /// stage, which is not cut. By the prices of a machine, where there is one, its slower devices get less to do, and
    /// stages fit into its memory if they can.
    ///
    /// # Errors
    /// What is wrong with the plan, and what `watch` says.
    pub(crate) fn make(
        program: &Program,
        plan: &Plan,
        by: Option<(&Prices<'_>, &Efficiencies)>,
        watch: &mut OnPass<'_>,
    ) -> Result<Pipeline> {
        let started = Instant::now();
        let how = asked(program, plan)?;
        let machine = by.map(|(prices, _)| prices.machine());
        let mut input = Input { machine: machine.cloned().map(Arc::new), ..Input::with_plan(plan.clone()) };
        let mut findings = Findings::default();
        let mut step = program.clone();
        pipelines::pipeline(Milestone::Model, Milestone::Step, Variant::default())?.run(
            &mut step,
            &input,
            &mut findings,
            &mut |ran| watch(&ran),
        )?;
        let choice = match by {
            Some(by) => autotune::of_stages(&step, &how, &input, by)?,
            None => None,
        };
        input.variant = choice.map_or(input.variant, |choice| choice.variant);
        let pipeline = Arc::new(stages::pipeline(&step, &how, &input, &mut findings, watch)?);
        let local: Vec<&Program> = pipeline.chunks.iter().map(|chunk| &chunk.program).collect();
        let applied = Applied { plan, made: &step, local: &local, has_machine: machine.is_some() };
        findings.warnings.extend(applied.warnings());
        let seconds = started.elapsed().as_secs_f64();
        Ok(Pipeline { step, pipeline, input, findings, choice, seconds, devices: OnceLock::new() })
    }

    /// The same as a draft for a machine, where what is to be computed of the program is known already, in the usual
    /// way.
    ///
    /// # Errors
    /// What is wrong with the plan.
    pub(crate) fn of_made(program: &Program, made: &Program, plan: &Plan, machine: &Machine) -> Result<Pipeline> {
        let started = Instant::now();
        let how = asked(program, plan)?;
        let machine = Some(Arc::new(machine.clone()));
        let (input, mut findings) =
            (Input { plan: plan.clone(), machine, is_draft: true, ..Input::default() }, Findings::default());
        let step = made.clone();
        let pipeline = Arc::new(stages::pipeline(&step, &how, &input, &mut findings, &mut |_| Ok(()))?);
        let seconds = started.elapsed().as_secs_f64();
        Ok(Pipeline { step, pipeline, input, findings, choice: None, seconds, devices: OnceLock::new() })
    }

    /// What was done otherwise than usual, where a step is predicted to be faster so.
    pub fn rewriting(&self) -> Option<Rewriting> {
        self.choice.map(|choice| Rewriting::of(&choice, &self.findings.searches))
    }

    /// What is computed, as one device would.
    pub fn step(&self) -> &Program {
        &self.step
    }

    /// The plan that it was made by, with what its presets say.
    pub fn plan(&self) -> &Plan {
        self.findings.plan(&self.input.plan)
    }

    /// Its stages, what they do, and what they hand each other.
    pub fn stages(&self) -> &partita_ir::pipeline::Pipeline {
        &self.pipeline
    }

    /// What the user should know, though all is well.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.findings.warnings
    }

    /// What the plan makes of the model.
    ///
    /// # Errors
    /// `R004` when it cannot be compiled for this machine, which memory is told for.
    pub fn report(&self) -> PipelineReport {
        PipelineReport::of(self)
    }

    /// What a device of each stage holds when it holds most.
    pub fn explain_peak(&self) -> String {
        explain::stages(self.stages())
    }

    /// The schedule of its tasks; none of a single stage whose micro-batches are a loop.
    pub fn schedule(&self) -> Option<&Checked> {
        Some(&self.pipeline.schedule).filter(|schedule| schedule.stages > 1 || self.input.plan.schedule.is_some())
    }

    /// Schedule and micro-batches in words: `1f1b with 8 micro-batches`.
    pub(crate) fn summary(&self) -> String {
        match (self.schedule(), self.micro_batches()) {
            (Some(schedule), _) => schedule.summary(),
            (None, 1) => "1 micro-batch".to_owned(),
            (None, count) => format!("{count} micro-batches"),
        }
    }

    /// In how many micro-batches the step is computed: those that go through stages, or over which gradients are
    /// accumulated.
    pub fn micro_batches(&self) -> u64 {
        micro_batches::count(&self.step)
    }

    /// How many devices there are, of all stages together.
    pub fn device_count(&self) -> usize {
        self.pipeline.device_count()
    }

    /// What a device of each stage takes of memory.
    ///
    /// # Errors
    /// `R004` when it does not fit into memory.
    pub fn footprints(&self) -> Result<Vec<Footprint>> {
        Ok(self.devices()?.footprints())
    }

    /// Begins a run of steps with parameters, and what else one leaves for the next, by path or name.
    ///
    /// # Errors
    /// `R001` when one is missing, `R002` when one is not of the model's type.
    pub fn start(&self, held: &IndexMap<String, Tensor>) -> Result<Session> {
        Session::start(&self.step, self.devices()?.clone(), held)
    }

    fn devices(&self) -> Result<&Arc<Scheduled>> {
        match self.devices.get() {
            Some(ready) => Ok(ready),
            None => {
                let ready = Arc::new(Cpu.compile_pipeline(self.pipeline.clone(), &self.step)?);
                Ok(self.devices.get_or_init(|| ready))
            }
        }
    }

    /// Random data for every parameter and input, of a sane scale and with indices in range; equal seeds give equal
    /// data.
    ///
    /// # Errors
    /// `R004` when it would not fit into memory.
    pub fn random_inputs(&self, seed: u64) -> Result<Vec<Tensor>> {
        Ok(interp::random_inputs(&self.step, seed).map_err(failed)?)
    }

    /// Runs all devices of all stages in this process: whole inputs, in the model's order, to whole outputs.
    ///
    /// # Errors
    /// `R002` when the inputs do not fit, `R003` to `R005` when the run fails.
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(self.devices()?.run(inputs)?)
    }

    /// The same, and what each device did when.
    ///
    /// # Errors
    /// As [`Pipeline::run`].
    pub fn run_recorded(&self, inputs: &[Tensor]) -> Result<(Vec<Tensor>, Timeline)> {
        let (outputs, timeline) = self.devices()?.run_recorded(inputs)?;
        Ok((outputs, Timeline { title: format!("{}, observed", self.step.source).into(), ..timeline }))
    }

    /// What a step would take on a host, and what each device would do when.
    ///
    /// # Errors
    /// `R004` when it does not fit into memory.
    pub fn forecast(&self, host: &Host) -> Result<(Forecast, Timeline)> {
        let (forecast, timeline) = self.devices()?.forecast(host);
        Ok((forecast, Timeline { title: format!("{}, predicted", self.step.source).into(), ..timeline }))
    }

    /// Runs all devices several times: what a training step gives replaces what it took. `seen` is told what each
    /// step came to.
    ///
    /// # Errors
    /// As [`Pipeline::run`].
    pub fn run_steps(&self, inputs: &[Tensor], steps: Steps, seen: &mut dyn FnMut(Step)) -> Result<Vec<Tensor>> {
        steps.run_in_session(&self.step, inputs.to_vec(), self.devices()?.clone(), seen)
    }

    /// Runs one device and all stages, in the model's element types and in `f64`, and compares; says what it does next.
    ///
    /// # Errors
    /// As [`Pipeline::run`]; that they disagree is no error but what the [`Check`] says.
    pub fn check_steps(&self, inputs: &[Tensor], steps: Steps, next: &mut dyn FnMut(&str)) -> Result<Check> {
        let comparison =
            Comparison { program: &self.step, model: &self.step, devices: self.device_count(), all: "all stages" };
        let run = |executable: Arc<Scheduled>, inputs: &[Tensor]| {
            steps.run_in_session(&self.step, inputs.to_vec(), executable, &mut |_| ())
        };
        let native = |inputs: &[Tensor]| run(self.devices()?.clone(), inputs);
        let wide = |inputs: &[Tensor]| {
            run(Arc::new(Cpu.compile_pipeline(Arc::new(self.pipeline.widened()), &self.step)?), inputs)
        };
        comparison.make(inputs, steps, &native, &wide, next)
    }
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report().fmt(f)
    }
}

/// The stages that a plan asks for, or a single one.
fn asked(program: &Program, plan: &Plan) -> Result<Pipelined> {
    let how = plan.pipelined()?.unwrap_or_else(Pipelined::single);
    if program.form > Form::Traced {
        let title = format!("`{}` is {} already, and cannot be cut into stages", program.source, program.form.name());
        return Err(Diagnostic::new(Code::G001, title).help("cut the traced program").into());
    }
    Ok(how)
}

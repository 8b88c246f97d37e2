//! The second stage: a program with a plan applied to it, ready to be looked at and run.

use crate::check::{Check, Comparison};
use crate::error::{Result, failed};
use crate::explain;
use crate::report::made::Made;
use crate::report::ways::ways;
use crate::report::{Report, Rewriting, Seconds};
use crate::session::Session;
use crate::steps::{Step, Steps};
use indexmap::IndexMap;
use partita_cost::roofline::Efficiencies;
use partita_cpu::Cpu;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::interp::{self, widen};
use partita_ir::plan::{Plan, Written};
use partita_ir::program::{Form, Program};
use partita_ir::tensor::Tensor;
use partita_ir::verify::verify;
use partita_machine::Machine;
use partita_machine::collective::choice::Prices;
use partita_machine::host::Host;
use partita_machine::timeline::Timeline;
use partita_passes::driver::variant::Variant;
use partita_passes::driver::{Findings, Input, Ran};
use partita_passes::no_effect::Applied;
use partita_passes::pipelines::{self, Milestone};
use partita_passes::training::micro_batches;
use partita_runtime::backend::Backend;
use partita_runtime::executor::{Direct, Executable};
use partita_runtime::footprint::Footprint;
use partita_runtime::forecast::Forecast;
use partita_search::autotune;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Is told of each pass; an error ends the work.
pub type OnPass<'w> = dyn FnMut(&Ran<'_>) -> std::result::Result<(), Diagnostic> + 'w;

/// A program whose every layout is decided and whose every collective is visible. Prints as its [`Report`].
pub struct Partition {
    pub(crate) made: Made,
    /// All devices, once they are asked for.
    devices: OnceLock<Arc<Direct>>,
}

impl Partition {
    /// Applies the plan, propagates it, and makes one device's program, whatever it needs of memory. A program in a
    /// later form than traced goes on from there: its layouts are decided, so that the plan must be empty.
    ///
    /// # Errors
    /// What is wrong with the plan, and what `watch` says.
    pub(crate) fn make(
        model: &Program,
        plan: &Plan,
        by: Option<(&Prices<'_>, &Efficiencies)>,
        watch: &mut OnPass<'_>,
    ) -> Result<Partition> {
        let is_decided = model.form > Form::Traced;
        let machine = by.map(|(prices, _)| prices.machine());
        if is_decided && *plan != Plan::default() {
            return Err(nothing_to_plan(model).into());
        }
        if plan.pipelined()?.is_some_and(|stages| !stages.is_single()) {
            let place = plan.pipeline.as_ref().map(Written::span);
            let error =
                Diagnostic::new(Code::G001, "stages of a pipeline are several programs, and one is asked for here");
            let error = place.into_iter().fold(error, |error, place| error.at(place, "asks for stages"));
            return Err(error
                .help("`plan`, `run` and `train` know pipelines, and `Compiler::pipeline` in Rust")
                .into());
        }
        // One program has no order of tasks.
        let plan = &Plan { schedule: None, ..plan.clone() };
        let mut program = model.clone();
        let mut input = Input { machine: machine.cloned().map(Arc::new), ..Input::with_plan(plan.clone()) };
        let mut findings = Findings::default();
        let mut choice = None;
        let mut seconds = Seconds::default();
        let mut model = model.clone();
        let mut planned = is_decided.then(|| model.clone());
        let rest = if is_decided {
            pipelines::pipeline(Milestone::of(model.form), Milestone::Local, Variant::default())?
        } else {
            pipelines::pipeline(Milestone::Model, Milestone::Step, Variant::default())?.run(
                &mut program,
                &input,
                &mut findings,
                &mut |ran| {
                    seconds.propagate += ran.pass.as_secs_f64();
                    seconds.verify += ran.verify.as_secs_f64();
                    watch(&ran)
                },
            )?;
            if makes_another_model(plan) || micro_batches::count(&program) > 1 {
                model = program.clone();
            }
            choice = match by {
                Some(by) => autotune::on_mesh(&program, &input, by)?,
                None => None,
            };
            input.variant = choice.map_or(input.variant, |choice| choice.variant);
            pipelines::pipeline(Milestone::Step, Milestone::Local, input.variant)?
        };
        rest.run(&mut program, &input, &mut findings, &mut |ran| {
            let stage = if planned.is_none() { &mut seconds.propagate } else { &mut seconds.partition };
            *stage += ran.pass.as_secs_f64();
            seconds.verify += ran.verify.as_secs_f64();
            if planned.is_none() && ran.info.gives == Form::Planned {
                planned = Some(ran.program.clone());
            }
            watch(&ran)
        })?;
        seconds.total = seconds.propagate + seconds.partition + seconds.verify;
        let planned = planned.unwrap_or_else(|| program.clone());
        let applied = Applied { plan, made: &planned, local: &[&program], has_machine: machine.is_some() };
        findings.warnings.extend(applied.warnings());
        let made = Made { model, planned, local: program, input, findings, choice, seconds };
        Ok(Partition { made, devices: OnceLock::new() })
    }

    /// What was done otherwise than usual, where a step is predicted to be faster so.
    pub fn rewriting(&self) -> Option<Rewriting> {
        self.made.rewriting()
    }

    /// Notes how long it took to get the program.
    pub fn imported_in(mut self, seconds: f64) -> Partition {
        self.made.seconds.total += seconds - self.made.seconds.import;
        self.made.seconds.import = seconds;
        self
    }

    /// Whether the model was one device's program already, so that nothing tells what it should compute.
    pub(crate) fn came_local(&self) -> bool {
        self.made.model.form >= Form::Local
    }

    /// What is computed, on however many devices: the model as it came, or its training step.
    pub fn model(&self) -> &Program {
        &self.made.model
    }

    /// Every value with its layout, before any communication is made explicit.
    pub fn planned(&self) -> &Program {
        &self.made.planned
    }

    /// One device's program, with its collectives.
    pub fn local(&self) -> &Program {
        &self.made.local
    }

    /// What the user should know, though all is well: parameters that the loss does not depend on.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.made.findings.warnings
    }

    /// How long the stages took.
    pub fn seconds(&self) -> Seconds {
        self.made.seconds
    }

    /// What the plan makes of the model: layouts, collectives, bytes, memory.
    pub fn report(&self) -> Report {
        Report::of(&self.made)
    }

    /// The same, with the cheapest way of each collective on a machine.
    ///
    /// # Errors
    /// `H002` when the machine has too few devices.
    pub fn report_on(&self, machine: &Machine) -> Result<Report> {
        let mut report = self.report();
        let ways = ways(&self.made, machine)?;
        report.collectives.iter_mut().zip(ways).for_each(|(row, way)| row.cheapest = way);
        Ok(report)
    }

    /// Why the value of that name (a parameter's path, an input, or any value) lies where it lies, step by step from
    /// the annotation.
    ///
    /// # Errors
    /// `C002` when nothing has that name.
    pub fn explain(&self, name: &str) -> Result<String> {
        explain::value(&self.made, name)
    }

    /// What a device holds when it holds most.
    pub fn explain_peak(&self) -> String {
        explain::peak(&self.made)
    }

    /// Why the `number`-th collective of the report exists, counted from 1.
    ///
    /// # Errors
    /// `C002` when there are not as many.
    pub fn explain_collective(&self, number: usize) -> Result<String> {
        explain::collective(&self.made, number, None)
    }

    /// The same, with its cheapest way on a machine.
    ///
    /// # Errors
    /// As before, and `H002` when the machine has too few devices.
    pub fn explain_collective_on(&self, number: usize, machine: &Machine) -> Result<String> {
        explain::collective(&self.made, number, Some(machine))
    }

    /// How many devices the mesh has.
    pub fn device_count(&self) -> usize {
        self.made.device_count()
    }

    /// What a run takes of memory on each device.
    ///
    /// # Errors
    /// `R004` when it does not fit into memory.
    pub fn footprint(&self) -> Result<Footprint> {
        Ok(self.devices()?.footprint())
    }

    /// All devices, ready to run.
    fn devices(&self) -> Result<&Arc<Direct>> {
        match self.devices.get() {
            Some(ready) => Ok(ready),
            None => {
                let ready = compiled(&self.made.local)?;
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
        Ok(interp::random_inputs(&self.made.planned, seed).map_err(failed)?)
    }

    /// Runs all devices in this process: whole inputs (parameters among them, in the model's order) to whole outputs.
    ///
    /// # Errors
    /// `R002` when the inputs do not fit, `R003` to `R005` when the run fails.
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(self.devices()?.run(inputs)?)
    }

    /// What a run would take on a host, and what each device would do when.
    ///
    /// # Errors
    /// `R004` when it does not fit into memory.
    pub fn forecast(&self, host: &Host) -> Result<(Forecast, Timeline)> {
        Ok(self.devices()?.forecast(host))
    }

    /// Puts parameters, and what else a run leaves for the next, on the devices of this process: by path or name.
    ///
    /// # Errors
    /// `R001` when one is missing, `R002` when one is not of the model's type.
    pub fn start(&self, held: &IndexMap<String, Tensor>) -> Result<Session> {
        Session::start(&self.made.planned, self.devices()?.clone(), held)
    }

    /// Runs one device and all devices, in the model's element types and in `f64`, and compares.
    ///
    /// # Errors
    /// As [`Partition::run`], and `P001` for a model that came in form local; that they disagree is no error but what
    /// the [`Check`] says.
    pub fn check(&self, inputs: &[Tensor]) -> Result<Check> {
        self.check_steps(inputs, Steps::ONE, &mut |_| ())
    }

    /// Runs all devices several times: what a training step gives replaces what it took. `seen` is told what each
    /// step came to.
    ///
    /// # Errors
    /// As [`Partition::run`].
    pub fn run_steps(&self, inputs: &[Tensor], steps: Steps, seen: &mut dyn FnMut(Step)) -> Result<Vec<Tensor>> {
        steps.run_in_session(&self.made.planned, inputs.to_vec(), self.devices()?.clone(), seen)
    }

    /// [`Partition::check`] after several steps; says what it does next.
    ///
    /// # Errors
    /// As [`Partition::check`].
    pub fn check_steps(&self, inputs: &[Tensor], steps: Steps, next: &mut dyn FnMut(&str)) -> Result<Check> {
        if self.came_local() {
            let title =
                format!("`{}` is one device's program: nothing tells what it should compute", self.made.model.source);
            return Err(Diagnostic::new(Code::P001, title).help("check the program that it was made from").into());
        }
        let comparison = Comparison {
            program: &self.made.planned,
            model: &self.made.model,
            devices: self.device_count(),
            all: "all devices",
        };
        let run = |executable: Arc<Direct>, inputs: &[Tensor]| {
            steps.run_in_session(&self.made.planned, inputs.to_vec(), executable, &mut |_| ())
        };
        let native = |inputs: &[Tensor]| run(self.devices()?.clone(), inputs);
        let wide = |inputs: &[Tensor]| run(compiled(&widen(&self.made.local))?, inputs);
        comparison.make(inputs, steps, &native, &wide, next)
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report().fmt(f)
    }
}

/// Whether the plan asks for something else to be computed than what the model computes.
fn makes_another_model(plan: &Plan) -> bool {
    plan.train.is_some() || !plan.precision.is_empty() || !plan.freeze.is_empty() || !plan.train_only.is_empty()
}

/// A plan for a program whose layouts are decided.
fn nothing_to_plan(program: &Program) -> Diagnostic {
    let title = format!("`{}` is {} already: a plan has nothing to decide in it", program.source, program.form.name());
    Diagnostic::new(Code::P001, title).help("leave the plan out, or apply it to the traced program")
}

/// The devices of one device's program.
fn compiled(local: &Program) -> Result<Arc<Direct>> {
    Ok(Arc::new(Cpu.compile(verify(local)?.of()?)?))
}

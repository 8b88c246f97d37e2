//! A program with a plan applied to it, ready to be looked at and run: on one mesh, or in the stages of a pipeline.

mod make;

use crate::check::{Check, Comparison};
use crate::error::{Result, failed};
use crate::explain;
use crate::made::Made;
use crate::report::ways::ways;
use crate::report::{Report, Rewriting, Seconds};
use crate::session::Session;
use crate::steps::{Step, Steps};
use indexmap::IndexMap;
use partita_cpu::Cpu;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::interp::{self, widen};
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::schedule::check::Checked;
use partita_ir::tensor::Tensor;
use partita_ir::verify::verify;
use partita_machine::Machine;
use partita_machine::host::Host;
use partita_machine::timeline::Timeline;
use partita_passes::driver::Ran;
use partita_passes::training::micro_batches;
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;
use partita_runtime::footprint::Footprint;
use partita_runtime::forecast::Forecast;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Is told of each pass; an error ends the work.
pub type OnPass<'w> = dyn FnMut(&Ran<'_>) -> std::result::Result<(), Diagnostic> + 'w;

/// A program whose every layout is decided and whose every collective is visible, as one program for all devices of a
/// mesh or in stages, each on a mesh of its own. Prints as its [`Report`].
pub struct Partition {
    pub(crate) made: Made,
    /// The compiled devices, created on first use.
    executable: OnceLock<Arc<dyn Executable>>,
}

impl Partition {
    /// Creates a partition from the results of the passes.
    pub(crate) fn of(made: Made) -> Partition {
        Partition { made, executable: OnceLock::new() }
    }

    /// Rewrites of the autotuned variant, if its predicted step is shorter than the default.
    pub fn rewriting(&self) -> Option<Rewriting> {
        Rewriting::of_made(&self.made)
    }

    /// Sets the duration of the import of the program, in seconds.
    pub fn imported_in(mut self, seconds: f64) -> Partition {
        self.made.seconds.total += seconds - self.made.seconds.import;
        self.made.seconds.import = seconds;
        self
    }

    /// The unpartitioned computation: the model as it was given, or its training step.
    pub fn model(&self) -> &Program {
        &self.made.model
    }

    /// Every value with its layout, before any communication is made explicit. Inputs and outputs are those of all
    /// devices together. Where stages have different meshes, layouts are those on the first of these.
    pub fn planned(&self) -> &Program {
        self.made.planned()
    }

    /// Returns the planned program of each distinct mesh, with the stages that are on it.
    pub fn planned_on_meshes(&self) -> Vec<(Vec<usize>, &Program)> {
        let planned = self.made.planned.iter().enumerate();
        planned.map(|(position, planned)| (self.made.stages_on(position), &planned.program)).collect()
    }

    /// One device's program, with its collectives.
    ///
    /// # Errors
    /// `G001` for stages, which have several: see [`Partition::local_programs`].
    pub fn local(&self) -> Result<&Program> {
        self.made.whole().ok_or_else(|| self.made.not_on_one_mesh("one device's program").into())
    }

    /// Programs of one device, each with its stage: one, or those of the chunks of all stages, stage by stage.
    pub fn local_programs(&self) -> Vec<(usize, &Program)> {
        self.made.local_programs()
    }

    /// Stages with their tasks, transfers and schedule. A program on one mesh is a single task.
    ///
    /// # Errors
    /// Only bugs.
    pub fn stages(&self) -> Result<&Arc<Pipeline>> {
        self.made.pipeline()
    }

    /// The schedule of tasks; none of a program on one mesh, whose micro-batches are a loop.
    pub fn schedule(&self) -> Option<&Checked> {
        self.made.stages().map(|stages| &stages.schedule)
    }

    /// In how many micro-batches the step is computed: those that go through stages, or over which gradients are
    /// accumulated.
    pub fn micro_batches(&self) -> u64 {
        micro_batches::count(self.planned())
    }

    /// The plan as it was applied, with what its presets say.
    pub fn plan(&self) -> &Plan {
        self.made.plan()
    }

    /// Warnings, such as options of the plan that have no effect.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.made.findings.warnings
    }

    /// Duration of the passes.
    pub fn seconds(&self) -> Seconds {
        self.made.seconds
    }

    /// Report of layouts, collectives, bytes, memory and stages.
    pub fn report(&self) -> Report {
        Report::of(&self.made)
    }

    /// Report with the cheapest algorithm of each collective on a machine.
    ///
    /// # Errors
    /// `H002` when the machine has too few devices.
    pub fn report_on(&self, machine: &Machine) -> Result<Report> {
        let mut report = self.report();
        let ways = ways(&self.made, machine)?;
        report.collectives.iter_mut().zip(ways).for_each(|(row, way)| row.cheapest = way);
        Ok(report)
    }

    /// Explains the layout of a value (a parameter's path, an input, or any value), step by step from the annotation,
    /// and lists the stages that hold or send it.
    ///
    /// # Errors
    /// `C002` when nothing has that name.
    pub fn explain(&self, name: &str) -> Result<String> {
        explain::value(&self.made, name)
    }

    /// Explains the peak memory of one device of each stage.
    pub fn explain_peak(&self) -> String {
        explain::peak(&self.made)
    }

    /// Explains the reason for the `number`-th collective of the report, counted from 1.
    ///
    /// # Errors
    /// `C002` when there are not as many.
    pub fn explain_collective(&self, number: usize) -> Result<String> {
        explain::collective(&self.made, number, None)
    }

    /// [`Partition::explain_collective`] with the cheapest algorithm on a machine.
    ///
    /// # Errors
    /// As before, and `H002` when the machine has too few devices.
    pub fn explain_collective_on(&self, number: usize, machine: &Machine) -> Result<String> {
        explain::collective(&self.made, number, Some(machine))
    }

    /// Number of devices, of all stages together.
    pub fn device_count(&self) -> usize {
        self.made.device_count()
    }

    /// Memory of a run on one device of each stage.
    ///
    /// # Errors
    /// `R004` when it does not fit into memory.
    pub fn footprints(&self) -> Result<Vec<Footprint>> {
        Ok(self.executable()?.footprints())
    }

    /// Memory of a run on the device that needs most.
    ///
    /// # Errors
    /// As [`Partition::footprints`].
    pub fn footprint(&self) -> Result<Footprint> {
        Ok(self.footprints()?.into_iter().max_by_key(Footprint::total).unwrap_or_default())
    }

    /// Returns the compiled devices.
    fn executable(&self) -> Result<&Arc<dyn Executable>> {
        match self.executable.get() {
            Some(ready) => Ok(ready),
            None => {
                let ready = self.compiled(false)?;
                Ok(self.executable.get_or_init(|| ready))
            }
        }
    }

    /// The devices of this process, in `f64` if `is_wide`.
    fn compiled(&self, is_wide: bool) -> Result<Arc<dyn Executable>> {
        match self.made.stages() {
            Some(stages) => {
                let stages = if is_wide { Arc::new(stages.widened()) } else { stages.clone() };
                Ok(Arc::new(Cpu.compile_pipeline(stages, self.planned())?))
            }
            None => {
                let local = self.local()?;
                let local = if is_wide { &widen(local) } else { local };
                Ok(Arc::new(Cpu.compile(verify(local)?.of()?)?))
            }
        }
    }

    /// Random data for every parameter and input, of a sane scale and with indices in range; equal seeds give equal
    /// data.
    ///
    /// # Errors
    /// `R004` when it would not fit into memory.
    pub fn random_inputs(&self, seed: u64) -> Result<Vec<Tensor>> {
        Ok(interp::random_inputs(self.planned(), seed).map_err(failed)?)
    }

    /// Runs all devices in this process: whole inputs (parameters among them, in the model's order) to whole outputs.
    ///
    /// # Errors
    /// `R002` when the inputs do not fit, `R003` to `R005` when the run fails.
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(self.executable()?.run(inputs)?)
    }

    /// Runs all devices and also returns the timeline of each device's tasks.
    ///
    /// # Errors
    /// As [`Partition::run`].
    pub fn run_recorded(&self, inputs: &[Tensor]) -> Result<(Vec<Tensor>, Timeline)> {
        let (outputs, timeline) = self.executable()?.run_recorded(inputs)?;
        Ok((outputs, Timeline { title: format!("{}, observed", self.model().source).into(), ..timeline }))
    }

    /// Predicts the duration of a run on a host and the timeline of each device.
    ///
    /// # Errors
    /// `R004` when it does not fit into memory.
    pub fn forecast(&self, host: &Host) -> Result<(Forecast, Timeline)> {
        let (forecast, timeline) = self.executable()?.forecast(host);
        Ok((forecast, Timeline { title: format!("{}, predicted", self.model().source).into(), ..timeline }))
    }

    /// Puts parameters, and what else a run leaves for the next, on the devices of this process: by path or name.
    ///
    /// # Errors
    /// `R001` when one is missing, `R002` when one is not of the model's type.
    pub fn start(&self, held: &IndexMap<String, Tensor>) -> Result<Session> {
        Session::start(self.planned(), self.executable()?.clone(), held)
    }

    /// Runs all devices several times: what a training step gives replaces what it took. `seen` is told what each
    /// step came to.
    ///
    /// # Errors
    /// As [`Partition::run`].
    pub fn run_steps(&self, inputs: &[Tensor], steps: Steps, seen: &mut dyn FnMut(Step)) -> Result<Vec<Tensor>> {
        steps.run_in_session(self.planned(), inputs.to_vec(), self.executable()?.clone(), seen)
    }

    /// Runs one device and all devices, in the model's element types and in `f64`, and compares.
    ///
    /// # Errors
    /// As [`Partition::run`], and `P001` for a model that came in form local; that they disagree is no error but what
    /// the [`Check`] says.
    pub fn check(&self, inputs: &[Tensor]) -> Result<Check> {
        self.check_steps(inputs, Steps::ONE, &mut |_| ())
    }

    /// [`Partition::check`] after several steps; says what it does next.
    ///
    /// # Errors
    /// As [`Partition::check`].
    pub fn check_steps(&self, inputs: &[Tensor], steps: Steps, next: &mut dyn FnMut(&str)) -> Result<Check> {
        if self.made.came_local() {
            let title =
                format!("`{}` is one device's program: nothing tells what it should compute", self.made.model.source);
            return Err(Diagnostic::new(Code::P001, title).help("check the program that it was made from").into());
        }
        let comparison = Comparison {
            program: self.planned(),
            model: &self.made.model,
            devices: self.device_count(),
            all: if self.made.stages().is_some() { "all stages" } else { "all devices" },
        };
        let run = |executable: Arc<dyn Executable>, inputs: &[Tensor]| {
            steps.run_in_session(self.planned(), inputs.to_vec(), executable, &mut |_| ())
        };
        let native = |inputs: &[Tensor]| run(self.executable()?.clone(), inputs);
        let wide = |inputs: &[Tensor]| run(self.compiled(true)?, inputs);
        comparison.make(inputs, steps, &native, &wide, next)
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report().fmt(f)
    }
}

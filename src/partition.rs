//! A program with a plan applied, ready to be inspected and run, on one mesh or in pipeline stages.

mod build;

use crate::check::{Check, Comparison};
use crate::compile_results::CompileResults;
use crate::error::{Result, interpreter_error};
use crate::explain;
use crate::report::algorithms::cheapest_algorithms;
use crate::report::{CompileSeconds, Report, RewriteReport};
use crate::session::Session;
use crate::steps::{StepResult, Steps};
use indexmap::IndexMap;
use partita_cost::memory_profile::{MemoryProfile, profile_of_program, profile_of_stages};
use partita_cpu::Cpu;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::interp::{self, widen};
use partita_ir::pipeline::Pipeline;
use partita_ir::plan::Plan;
use partita_ir::program::Program;
use partita_ir::schedule::check::CheckedSchedule;
use partita_ir::tensor::Tensor;
use partita_ir::verify::verify;
use partita_machine::Machine;
use partita_machine::host::{Host, Work};
use partita_machine::timeline::Timeline;
use partita_passes::driver::PassReport;
use partita_passes::pipelines::{self, Milestone};
use partita_passes::training::micro_batches;
use partita_runtime::backend::Backend;
use partita_runtime::executor::Executable;
use partita_runtime::footprint::Footprint;
use partita_runtime::prediction::RunPrediction;
use partita_runtime::processes::Processes;
use partita_runtime::source::{TensorSource, TensorsInMemory};
use serde_json::Value;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Observer of the passes. An error ends the compilation.
pub type OnPass<'w> = dyn FnMut(&PassReport<'_>) -> std::result::Result<(), Diagnostic> + 'w;

/// A partitioned program, with a layout for every value and explicit collectives: one program for all devices of a
/// mesh, or pipeline stages, each on its mesh. Prints as its [`Report`].
pub struct Partition {
    pub(crate) results: CompileResults,
    /// The compiled devices, created on first use.
    executable: OnceLock<Arc<dyn Executable>>,
    /// Processes that execute the devices, if there are several.
    processes: Option<Arc<Processes>>,
}

impl Partition {
    /// Creates a partition from the results of the passes.
    pub(crate) fn from_results(results: CompileResults) -> Partition {
        Partition { results, executable: OnceLock::new(), processes: None }
    }

    /// Divides the devices among processes, each of which has the same partition. Methods that run devices must be
    /// called by all of them, and return the same global outputs to each.
    pub fn on_processes(self, processes: Arc<Processes>) -> Partition {
        Partition { executable: OnceLock::new(), processes: Some(processes), ..self }
    }

    /// Rewrites of the autotuned variant, if its predicted step is shorter than the default.
    pub fn rewriting(&self) -> Option<RewriteReport> {
        RewriteReport::from_results(&self.results)
    }

    /// Sets the duration of the import of the program, in seconds.
    pub fn with_import_seconds(mut self, seconds: f64) -> Partition {
        self.results.seconds.total += seconds - self.results.seconds.import;
        self.results.seconds.import = seconds;
        self
    }

    /// Unpartitioned program: the model as given, or its training step.
    pub fn model(&self) -> &Program {
        &self.results.model
    }

    /// Planned program: every value with its layout, before communication is explicit. Inputs and outputs are global.
    /// If stages have different meshes, the layouts are those of the first mesh.
    pub fn planned(&self) -> &Program {
        self.results.planned()
    }

    /// Returns the planned program of each distinct mesh, with the stages that are on it.
    pub fn planned_on_meshes(&self) -> Vec<(Vec<usize>, &Program)> {
        let planned = self.results.planned.iter().enumerate();
        planned.map(|(position, planned)| (self.results.stages_on(position), &planned.program)).collect()
    }

    /// Returns the planned program with explicit reshards, of the first mesh if stages have different ones.
    ///
    /// # Errors
    /// Only internal errors.
    pub fn explicit(&self) -> Result<Program> {
        let mut program = self.planned().clone();
        let passes =
            pipelines::pipeline(Milestone::from_form(program.form), Milestone::Explicit, self.results.input.variant)?;
        passes.run(&mut program, &self.results.input, &mut self.results.findings.clone(), &mut |_| Ok(()))?;
        Ok(program)
    }

    /// Program of one device, with its collectives.
    ///
    /// # Errors
    /// `G001` for pipeline stages, which have several programs: see [`Partition::local_programs`].
    pub fn local(&self) -> Result<&Program> {
        self.results.one_mesh().ok_or_else(|| self.results.single_mesh_error("one device's program").into())
    }

    /// Programs of one device, each with its stage: a single one, or those of the chunks of all stages, stage by stage.
    pub fn local_programs(&self) -> Vec<(usize, &Program)> {
        self.results.local_programs()
    }

    /// Stages with their tasks, transfers and schedule. A program on one mesh is a single task.
    ///
    /// # Errors
    /// Only internal errors.
    pub fn stages(&self) -> Result<&Arc<Pipeline>> {
        self.results.pipeline()
    }

    /// Pipeline schedule. `None` for a program on one mesh, whose micro-batches are a loop.
    pub fn schedule(&self) -> Option<&CheckedSchedule> {
        self.results.stages().map(|stages| &stages.schedule)
    }

    /// Number of micro-batches of a step: those that go through pipeline stages, or over which gradients are
    /// accumulated.
    pub fn micro_batches(&self) -> u64 {
        micro_batches::micro_batch_count(self.planned())
    }

    /// Plan as applied, with expanded presets.
    pub fn plan(&self) -> &Plan {
        self.results.plan()
    }

    /// Warnings, such as options of the plan that have no effect.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.results.findings.warnings
    }

    /// Compile time by phase.
    pub fn seconds(&self) -> CompileSeconds {
        self.results.seconds
    }

    /// Report of layouts, collectives, bytes, memory and stages.
    pub fn report(&self) -> Report {
        Report::from_results(&self.results)
    }

    /// Report with the cheapest algorithm of each collective on a machine.
    ///
    /// # Errors
    /// `H002` for a machine with too few devices.
    pub fn report_on(&self, machine: &Machine) -> Result<Report> {
        let mut report = self.report();
        let algorithms = cheapest_algorithms(&self.results, machine)?;
        report.collectives.iter_mut().zip(algorithms).for_each(|(row, algorithm)| row.cheapest = algorithm);
        Ok(report)
    }

    /// Explains the layout of a value (a parameter's path, an input, or any value), step by step from the annotation,
    /// and lists the stages that store or send the value.
    ///
    /// # Errors
    /// `C002` for an unknown name.
    pub fn explain(&self, name: &str) -> Result<String> {
        explain::explain_value(&self.results, name)
    }

    /// Explains the peak memory of one device of each stage.
    pub fn explain_peak(&self) -> String {
        explain::explain_peak(&self.results)
    }

    /// Explains the reason for the `number`-th collective of the report, counted from 1.
    ///
    /// # Errors
    /// `C002` for a number above the number of collectives.
    pub fn explain_collective(&self, number: usize) -> Result<String> {
        explain::explain_collective(&self.results, number, None)
    }

    /// Explains a collective as [`Partition::explain_collective`] does, with its cheapest algorithm on a machine.
    ///
    /// # Errors
    /// The errors of [`Partition::explain_collective`], and `H002` for a machine with too few devices.
    pub fn explain_collective_on(&self, number: usize, machine: &Machine) -> Result<String> {
        explain::explain_collective(&self.results, number, Some(machine))
    }

    /// Explains the layout of a value as [`Partition::explain`] does, as a JSON object.
    ///
    /// # Errors
    /// The errors of [`Partition::explain`].
    pub fn explain_as_json(&self, name: &str) -> Result<Value> {
        explain::json::value(&self.results, name)
    }

    /// Explains the peak memory of one device of each stage as a JSON object.
    pub fn explain_peak_as_json(&self) -> Value {
        explain::json::peak(&self.results)
    }

    /// Explains a collective as [`Partition::explain_collective`] does, as a JSON object. On a machine, with its
    /// cheapest algorithm.
    ///
    /// # Errors
    /// The errors of [`Partition::explain_collective_on`].
    pub fn explain_collective_as_json(&self, number: usize, machine: Option<&Machine>) -> Result<Value> {
        let report = machine.map_or_else(|| Ok(self.report()), |machine| self.report_on(machine))?;
        explain::json::collective(&self.results, number, &report)
    }

    /// Explains each collective of the report as [`Partition::explain_collective`] does.
    pub(crate) fn explain_collectives(&self) -> Vec<String> {
        explain::explain_collectives(&self.results)
    }

    /// Memory of one device of each stage over a step, by purpose.
    pub fn memory_profiles(&self) -> Vec<MemoryProfile> {
        match self.results.stages() {
            Some(pipeline) => profile_of_stages(pipeline),
            None => self.results.one_mesh().map(profile_of_program).into_iter().collect(),
        }
    }

    /// Number of devices of all stages.
    pub fn device_count(&self) -> usize {
        self.results.device_count()
    }

    /// Memory of a run on one device of each stage.
    ///
    /// # Errors
    /// `R004` if the program does not fit into memory.
    pub fn footprints(&self) -> Result<Vec<Footprint>> {
        Ok(self.executable()?.footprints())
    }

    /// Memory of a run on the device that needs most.
    ///
    /// # Errors
    /// The errors of [`Partition::footprints`].
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

    /// Compiles the devices of this process, in `f64` if `is_wide`.
    fn compiled(&self, is_wide: bool) -> Result<Arc<dyn Executable>> {
        match self.results.stages() {
            Some(stages) => {
                let stages = if is_wide { Arc::new(stages.widened()) } else { stages.clone() };
                Ok(match &self.processes {
                    Some(processes) => Arc::new(Cpu.compile_pipeline_on(stages, self.planned(), processes.clone())?),
                    None => Arc::new(Cpu.compile_pipeline(stages, self.planned())?),
                })
            }
            None => {
                let local = self.local()?;
                let local = if is_wide { &widen(local) } else { local };
                let local = verify(local)?.into_form()?;
                Ok(match &self.processes {
                    Some(processes) => Arc::new(Cpu.compile_on(local, processes.clone())?),
                    None => Arc::new(Cpu.compile(local)?),
                })
            }
        }
    }

    /// Returns random data for every parameter and input, with a variance suited to the model and indices in range.
    /// Equal seeds give equal data.
    ///
    /// # Errors
    /// `R004` if the data would not fit into memory.
    pub fn random_inputs(&self, seed: u64) -> Result<Vec<Tensor>> {
        Ok(interp::random_inputs(self.planned(), seed).map_err(interpreter_error)?)
    }

    /// Runs all devices in this process on global inputs, parameters included, in the model's order. Returns the global
    /// outputs.
    ///
    /// # Errors
    /// `R002` for inputs of wrong type, `R003` to `R005` for a failed run.
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        Ok(self.executable()?.run(inputs)?)
    }

    /// Runs all devices and also returns the timeline of each device's tasks.
    ///
    /// # Errors
    /// The errors of [`Partition::run`].
    pub fn run_recorded(&self, inputs: &[Tensor]) -> Result<(Vec<Tensor>, Timeline)> {
        let (outputs, timeline) = self.executable()?.run_recorded(inputs)?;
        Ok((outputs, Timeline { title: format!("{}, measured", self.model().source).into(), ..timeline }))
    }

    /// Predicts the duration of a run on a host and the timeline of each device.
    ///
    /// # Errors
    /// `R004` if the program does not fit into memory.
    pub fn predict_run(&self, host: &Host) -> Result<(RunPrediction, Timeline)> {
        let is_divided = host.ranks.is_some() && self.processes.is_none() && self.results.stages().is_none();
        let (predict_run, timeline) = match is_divided {
            true => Cpu.compile_without_dedup(verify(self.local()?)?.into_form()?)?.predict(host),
            false => self.executable()?.predict(host),
        };
        Ok((predict_run, Timeline { title: format!("{}, predicted", self.model().source).into(), ..timeline }))
    }

    /// Returns the work of each kernel call and collective of one run of all devices.
    ///
    /// # Errors
    /// `R004` if the program does not fit into memory.
    pub fn works(&self) -> Result<Vec<Work>> {
        Ok(self.executable()?.works())
    }

    /// Stores parameters and other state between runs, by path or name, on the devices of this process.
    ///
    /// # Errors
    /// `R001` for a missing tensor, `R002` for a tensor of wrong type.
    pub fn start(&self, held: &IndexMap<String, Tensor>) -> Result<Session> {
        self.start_from(&TensorsInMemory(held))
    }

    /// Stores parameters and other state, read from a source, on the devices of this process.
    pub(crate) fn start_from(&self, source: &dyn TensorSource) -> Result<Session> {
        Session::start(self.planned(), self.executable()?.clone(), source)
    }

    /// Runs all devices several times and calls `seen` with the result of each step. Outputs of a training step replace
    /// the inputs of the next one.
    ///
    /// # Errors
    /// The errors of [`Partition::run`].
    pub fn run_steps(&self, inputs: &[Tensor], steps: Steps, seen: &mut dyn FnMut(StepResult)) -> Result<Vec<Tensor>> {
        steps.run_in_session(self.planned(), inputs.to_vec(), self.executable()?.clone(), seen)
    }

    /// Returns the model, or its training step without micro-batches.
    pub(crate) fn undivided(&self) -> &Program {
        self.results.undivided.as_ref().unwrap_or(&self.results.model)
    }

    /// Runs one device and all devices, in the model's element types and in `f64`, and compares their outputs. A
    /// disagreement is part of the [`Check`], not an error.
    ///
    /// # Errors
    /// The errors of [`Partition::run`], and `P001` for a model that was loaded in local form.
    pub fn check(&self, inputs: &[Tensor]) -> Result<Check> {
        self.check_steps(inputs, Steps::ONE, &mut |_| ())
    }

    /// Compares outputs as [`Partition::check`] does, after several steps. Reports progress to `next`.
    ///
    /// # Errors
    /// The errors of [`Partition::check`].
    pub fn check_steps(&self, inputs: &[Tensor], steps: Steps, next: &mut dyn FnMut(&str)) -> Result<Check> {
        if self.results.is_given_local() {
            let title =
                format!("`{}` is in local form: the original program is not available", self.results.model.source);
            return Err(Diagnostic::new(Code::P001, title).help("check the original program").into());
        }
        let comparison = Comparison {
            program: self.planned(),
            model: self.undivided(),
            devices: self.device_count(),
            subject: if self.results.stages().is_some() { "all stages" } else { "all devices" },
        };
        let run = |executable: Arc<dyn Executable>, inputs: &[Tensor]| {
            steps.run_in_session(self.planned(), inputs.to_vec(), executable, &mut |_| ())
        };
        let native = |inputs: &[Tensor]| run(self.executable()?.clone(), inputs);
        let wide = |inputs: &[Tensor]| run(self.compiled(true)?, inputs);
        comparison.run(inputs, steps, &native, &wide, next)
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.report().fmt(f)
    }
}

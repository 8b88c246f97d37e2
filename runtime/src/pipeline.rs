//! Execution of pipelines: each stage runs on separate devices of one process.
//!
//! [`MemoryPlan`](partita_ir::pipeline::memory::MemoryPlan) contains the order of a stage's tasks and the addresses of
//! its values. [`stage`] compiles it to code with one function for each task of the stage's chunks and a main function
//! that calls them. Transfers between stages are executed like collectives, so that a pipeline is an ordinary program
//! on a set of devices, with the same deadlines and messages.

pub mod stage;
mod timeline;
pub mod transfer;

use crate::compile::Compiled;
use crate::devices::{DeviceProgram, RunState};
use crate::executor::{DeviceSet, Executable, StageInterface, StageTensor};
use crate::footprint::Footprint;
use crate::kernel::Kernel;
use crate::memory::Buffer;
use crate::prediction::{RunPrediction, predict};
use crate::processes::Processes;
use crate::shared::Limits;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::interp::MAX_LIVE_TENSOR_BYTES;
use partita_ir::offsets::Storage;
use partita_ir::pipeline::check::check;
use partita_ir::pipeline::{Pipeline, StagePort};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::units::format_bytes;
use partita_ir::verify::{Local, Verified, verify};
use partita_machine::host::Host;
use partita_machine::timeline::Timeline;
use rustc_hash::FxHashMap;
use stage::{Stage, compile_stages, kernel_of};
use std::sync::Arc;
use timeline::timeline;

/// Callback that compiles a task of a pipeline without replica deduplication.
pub type CompileTask<'c> = &'c mut dyn FnMut(Verified<'_, Local>) -> Result<Compiled<Arc<dyn Kernel>>, Diagnostic>;

/// Compiled pipeline: the devices of each stage run its tasks in the order of the schedule.
pub struct Scheduled {
    pipeline: Arc<Pipeline>,
    stages: Vec<Stage>,
    devices: DeviceSet,
}

impl Scheduled {
    /// Compiles a pipeline that computes `step`, task by task. Inputs and outputs of the result are in the order of the
    /// step.
    ///
    /// # Errors
    /// `R001` when a stage reads a tensor that is not an input of the step, `R004` when no stage computes an output of
    /// the step or the devices exceed the memory limit of a process; errors of verification and of `compile`.
    pub fn new(pipeline: Arc<Pipeline>, step: &Program, compile: CompileTask<'_>) -> Result<Scheduled, Diagnostic> {
        Scheduled::with_devices(pipeline, step, compile, Ok)
    }

    /// [`Scheduled::new`] with devices that are divided among processes.
    ///
    /// # Errors
    /// `R004` for more processes than devices; the errors of [`Scheduled::new`].
    pub fn on_processes(
        pipeline: Arc<Pipeline>,
        step: &Program,
        compile: CompileTask<'_>,
        processes: Arc<Processes>,
    ) -> Result<Scheduled, Diagnostic> {
        Scheduled::with_devices(pipeline, step, compile, |devices| devices.on_processes(processes))
    }

    fn with_devices(
        pipeline: Arc<Pipeline>,
        step: &Program,
        compile: CompileTask<'_>,
        place: impl FnOnce(DeviceSet) -> Result<DeviceSet, Diagnostic>,
    ) -> Result<Scheduled, Diagnostic> {
        check(&pipeline)?;
        let mut ready: Vec<Vec<Compiled<_>>> = Vec::with_capacity(pipeline.chunks.len());
        for chunk in &pipeline.chunks {
            let task = |program: &Program| compile(verify(program).map_err(first_of)?.into_form()?);
            ready.push(chunk.tasks.iter().map(|t| &t.program).map(task).collect::<Result<_, _>>()?);
        }
        let indices = StepIndices::from_step(step);
        let (mut stages, mut interfaces, mut programs) = (Vec::new(), Vec::new(), Vec::new());
        for (stage, code) in compile_stages(&pipeline, &ready, Storage::HOST, &mut kernel_of) {
            interfaces.push(indices.interface(&pipeline, &stage, programs.len())?);
            let constants: Arc<[Buffer]> = code.constants.iter().map(Buffer::from_tensor).collect();
            let code = Arc::new(code);
            let device_program = |position| {
                let (code, constants, mesh) = (code.clone(), constants.clone(), stage.devices.mesh.clone());
                DeviceProgram { code, constants, mesh, position, first_replicas: Arc::default() }
            };
            programs.extend((0..stage.devices.mesh.device_count()).map(device_program));
            stages.push(stage);
        }
        let output_names = step.outputs().iter().map(|output| &output.name);
        let devices = place(DeviceSet::new(programs, interfaces, step.inputs().len(), output_names)?)?;
        let scheduled = Scheduled { pipeline, stages, devices };
        scheduled.check_memory()?;
        Ok(scheduled)
    }

    /// Returns the bytes that all devices need together.
    fn total_bytes(&self) -> u64 {
        let of_stage = |stage: &Stage| stage.footprint.total().saturating_mul(stage.devices.mesh.device_count() as u64);
        self.stages.iter().map(of_stage).fold(0, u64::saturating_add)
    }

    /// Rejects pipelines whose devices in this process exceed its memory limit.
    fn check_memory(&self) -> Result<(), Diagnostic> {
        let local = self.devices.local();
        let in_process = |stage: &Stage| {
            let ranks = stage.devices.ranks();
            ranks.end.min(local.end).saturating_sub(ranks.start.max(local.start)) as u64
        };
        let bytes = self.stages.iter().map(|stage| stage.footprint.total().saturating_mul(in_process(stage)));
        let all = bytes.fold(0, u64::saturating_add);
        if all <= MAX_LIVE_TENSOR_BYTES {
            return Ok(());
        }
        let devices = local.len();
        let title = format!(
            "{devices} devices need {} of memory in this process, but the limit is {}",
            format_bytes(all),
            format_bytes(MAX_LIVE_TENSOR_BYTES)
        );
        Err(Diagnostic::new(ErrorCode::R004, title))
    }

    /// Sets the limits of a run.
    pub fn with_limits(mut self, limits: Limits) -> Scheduled {
        self.devices.limits = limits;
        self
    }
}

impl Executable for Scheduled {
    fn devices(&self) -> &DeviceSet {
        &self.devices
    }

    fn footprints(&self) -> Vec<Footprint> {
        self.stages.iter().map(|stage| stage.footprint).collect()
    }

    fn predict(&self, host: &Host) -> (RunPrediction, Timeline) {
        let prediction = predict(&self.devices.programs, self.total_bytes(), host);
        let timeline = timeline(&self.pipeline, &self.stages, &prediction.intervals);
        (prediction, timeline)
    }

    fn run_recorded(&self, inputs: &[Tensor]) -> Result<(Vec<Tensor>, Timeline), Diagnostic> {
        let inputs = self.devices.scatter(inputs)?;
        let (outputs, intervals) = self.devices.run_recorded(inputs, &mut RunState::default())?;
        Ok((self.devices.gather(&outputs)?, timeline(&self.pipeline, &self.stages, &intervals)))
    }
}

/// Indices of a step's inputs and outputs, by path or name.
struct StepIndices<'s> {
    inputs: FxHashMap<&'s str, usize>,
    outputs: FxHashMap<&'s str, usize>,
}

impl<'s> StepIndices<'s> {
    fn from_step(step: &'s Program) -> StepIndices<'s> {
        let inputs = step.inputs().iter().map(|&value| step.path_of(value));
        let outputs = step.outputs().iter().map(|output| output.name.as_str());
        StepIndices {
            inputs: inputs.enumerate().map(|(position, path)| (path, position)).collect(),
            outputs: outputs.enumerate().map(|(position, name)| (name, position)).collect(),
        }
    }

    /// Returns the inputs and outputs of a stage whose first device has the rank `first`.
    ///
    /// # Errors
    /// `R001` for an input, and `R004` for an output, that the step does not have.
    fn interface(&self, pipeline: &Pipeline, stage: &Stage, first: usize) -> Result<StageInterface, Diagnostic> {
        let tensor = |entry: &StagePort, position: usize| {
            let value = pipeline.chunks[entry.chunk].cells[entry.cell].value();
            StageTensor { position, name: entry.name.clone(), value }
        };
        let input = |entry: &StagePort| {
            let missing = || Diagnostic::new(ErrorCode::R001, format!("there is no input `{}`", entry.name));
            Ok(tensor(entry, *self.inputs.get(entry.name.as_str()).ok_or_else(missing)?))
        };
        let output = |entry: &StagePort| {
            let surplus = || Diagnostic::new(ErrorCode::R004, format!("`{}` is not an output of the step", entry.name));
            Ok(tensor(entry, *self.outputs.get(entry.name.as_str()).ok_or_else(surplus)?))
        };
        Ok(StageInterface {
            mesh: stage.devices.mesh.clone(),
            ranks: first..first + stage.devices.mesh.device_count(),
            inputs: stage.inputs.iter().map(input).collect::<Result<_, Diagnostic>>()?,
            outputs: stage.outputs.iter().map(output).collect::<Result<_, Diagnostic>>()?,
        })
    }
}

/// Returns the first of several errors.
fn first_of(errors: Vec<Diagnostic>) -> Diagnostic {
    let none = || Diagnostic::new(ErrorCode::B001, "a task is not in form local");
    errors.into_iter().next().unwrap_or_else(none)
}

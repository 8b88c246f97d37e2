//! Pipelines at work: every stage on devices of its own, in one process.
//!
//! [`Memory`](partita_ir::pipeline::memory::Memory) has the order of a stage's tasks and the addresses of its values;
//! [`stage`] compiles it to code whose functions are the tasks of the chunks and whose main function calls them.
//! Devices of several stages meet for transfers as those of one meet for collectives, so that a pipeline is one more
//! program on devices, with the same deadlines and messages.

mod observed;
pub mod stage;
pub mod transfer;

use crate::compile::Compiled;
use crate::devices::{Seat, Warm};
use crate::executor::{DeviceSet, Executable, StageInterface, StageTensor};
use crate::footprint::Footprint;
use crate::forecast::{Forecast, forecast};
use crate::kernel::Kernel;
use crate::memory::Buffer;
use crate::shared::Limits;
use observed::observed;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::interp::MAX_HELD_BYTES;
use partita_ir::offsets::Storage;
use partita_ir::pipeline::check::check;
use partita_ir::pipeline::{Entry, Pipeline};
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_ir::units::bytes;
use partita_ir::verify::{Local, Verified, verify};
use partita_machine::host::Host;
use partita_machine::timeline::Timeline;
use rustc_hash::FxHashMap;
use stage::{Stage, compile_stages, kernel_of};
use std::sync::Arc;

/// Compiles a task, so that each device computes all of its own.
pub type CompileTask<'c> = &'c mut dyn FnMut(Verified<'_, Local>) -> Result<Compiled<Arc<dyn Kernel>>, Diagnostic>;

/// A compiled pipeline: the devices of each stage run its tasks in the order of the schedule.
pub struct Scheduled {
    pipeline: Arc<Pipeline>,
    stages: Vec<Stage>,
    devices: DeviceSet,
}

impl Scheduled {
    /// Compiles a pipeline, task by task, that computes a step: inputs and outputs are in the order of the step.
    ///
    /// # Errors
    /// `R001` when a stage reads what is no input of the step, `R004` when no stage gives one of its outputs, or when
    /// the devices do not fit into one process; what is wrong with a task, and what `compile` says.
    pub fn new(pipeline: Arc<Pipeline>, step: &Program, compile: CompileTask<'_>) -> Result<Scheduled, Diagnostic> {
        check(&pipeline)?;
        let mut ready: Vec<Vec<Compiled<_>>> = Vec::with_capacity(pipeline.chunks.len());
        for chunk in &pipeline.chunks {
            let task = |program: &Program| compile(verify(program).map_err(first_of)?.of()?);
            ready.push(chunk.tasks.iter().map(|t| &t.program).map(task).collect::<Result<_, _>>()?);
        }
        let names = Names::of(step);
        let (mut stages, mut interfaces, mut seats) = (Vec::new(), Vec::new(), Vec::new());
        for (stage, code) in compile_stages(&pipeline, &ready, Storage::HOST, &mut kernel_of) {
            interfaces.push(names.interface(&pipeline, &stage, seats.len())?);
            let constants: Arc<[Buffer]> = code.constants.iter().map(Buffer::of).collect();
            let code = Arc::new(code);
            let seat = |place| {
                let (code, constants, mesh) = (code.clone(), constants.clone(), stage.devices.mesh.clone());
                Seat { code, constants, mesh, place, pieces: Arc::default() }
            };
            seats.extend((0..stage.devices.mesh.device_count()).map(seat));
            stages.push(stage);
        }
        let output_names = step.outputs().iter().map(|output| &output.name);
        let devices = DeviceSet::new(seats, interfaces, step.inputs().len(), output_names)?;
        let scheduled = Scheduled { pipeline, stages, devices };
        scheduled.check_memory()?;
        Ok(scheduled)
    }

    /// What all devices take together.
    fn total_bytes(&self) -> u64 {
        let of_stage = |stage: &Stage| stage.footprint.total().saturating_mul(stage.devices.mesh.device_count() as u64);
        self.stages.iter().map(of_stage).fold(0, u64::saturating_add)
    }

    /// Refuses what would take the memory of the machine: all devices are in this process.
    fn check_memory(&self) -> Result<(), Diagnostic> {
        let all = self.total_bytes();
        if all <= MAX_HELD_BYTES {
            return Ok(());
        }
        let devices = self.device_count();
        let title = format!(
            "{devices} devices need {} of memory in this process, which is allowed {}",
            bytes(all),
            bytes(MAX_HELD_BYTES)
        );
        Err(Diagnostic::new(ErrorCode::R004, title))
    }

    /// The same pipeline with other limits.
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

    fn forecast(&self, host: &Host) -> (Forecast, Timeline) {
        let forecast = forecast(&self.devices.seats, self.total_bytes(), host);
        let timeline = observed(&self.pipeline, &self.stages, &forecast.happened);
        (forecast, timeline)
    }

    fn run_recorded(&self, inputs: &[Tensor]) -> Result<(Vec<Tensor>, Timeline), Diagnostic> {
        let inputs = self.devices.scatter(inputs)?;
        let (outputs, happened) = self.devices.run_recorded(inputs, &mut Warm::default())?;
        Ok((self.devices.gather(&outputs)?, observed(&self.pipeline, &self.stages, &happened)))
    }
}

/// Positions of a step's inputs and outputs, by path or name.
struct Names<'s> {
    inputs: FxHashMap<&'s str, usize>,
    outputs: FxHashMap<&'s str, usize>,
}

impl<'s> Names<'s> {
    fn of(step: &'s Program) -> Names<'s> {
        let inputs = step.inputs().iter().map(|&value| step.path_of(value));
        let outputs = step.outputs().iter().map(|output| output.name.as_str());
        Names {
            inputs: inputs.enumerate().map(|(position, path)| (path, position)).collect(),
            outputs: outputs.enumerate().map(|(position, name)| (name, position)).collect(),
        }
    }

    /// Inputs and outputs of a stage whose first device has the rank `first`.
    ///
    /// # Errors
    /// `R001` for an input, and `R004` for an output, that the step does not have.
    fn interface(&self, pipeline: &Pipeline, stage: &Stage, first: usize) -> Result<StageInterface, Diagnostic> {
        let tensor = |entry: &Entry, position: usize| {
            let value = pipeline.chunks[entry.chunk].cells[entry.cell].value();
            StageTensor { position, name: entry.name.clone(), value }
        };
        let input = |entry: &Entry| {
            let missing = || Diagnostic::new(ErrorCode::R001, format!("there is no input `{}`", entry.name));
            Ok(tensor(entry, *self.inputs.get(entry.name.as_str()).ok_or_else(missing)?))
        };
        let output = |entry: &Entry| {
            let surplus = || Diagnostic::new(ErrorCode::R004, format!("`{}` is no output of the step", entry.name));
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

/// The first of several errors.
fn first_of(errors: Vec<Diagnostic>) -> Diagnostic {
    let none = || Diagnostic::new(ErrorCode::B001, "a task is not in form local");
    errors.into_iter().next().unwrap_or_else(none)
}

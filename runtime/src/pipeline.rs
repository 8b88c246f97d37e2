//! Pipelines at work: every stage on devices of its own, in one process.
//!
//! What the devices of a stage do one after the other, and where everything lies meanwhile, [`Memory`] says; `stage`
//! makes code of it: the functions are the tasks of the chunks, and the main function calls them. Devices of several
//! stages meet for transfers as those of one meet for collectives, so that a pipeline is one more program on devices,
//! with the same deadlines and messages.

mod observed;
mod stage;

use crate::code::Output;
use crate::compile::Compiled;
pub use crate::devices::Warm;
use crate::devices::{Ended, Pieces, Seat, run};
use crate::footprint::Footprint;
use crate::forecast::{Forecast, forecast};
use crate::kernel::Kernel;
use crate::memory::Buffer;
use crate::scatter::{scatter, whole};
use crate::shared::Limits;
use indexmap::IndexMap;
use observed::observed;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::interp::MAX_HELD_BYTES;
use partita_ir::mesh::Mesh;
use partita_ir::pipeline::check::check;
use partita_ir::pipeline::events::events;
use partita_ir::pipeline::memory::{Memory, Needs};
use partita_ir::pipeline::{Entry, Pipeline};
use partita_ir::program::{Program, Space, Value};
use partita_ir::tensor::Tensor;
use partita_ir::units::bytes;
use partita_ir::verify::{Local, Verified, verify};
use partita_machine::host::Host;
use partita_machine::timeline::Timeline;
use stage::{Plan, Stage, stage};
use std::sync::Arc;

/// Compiles a task, so that each device computes all of its own.
pub type CompileTask<'c> = &'c mut dyn FnMut(Verified<'_, Local>) -> Result<Compiled<Arc<dyn Kernel>>, Diagnostic>;

/// A pipeline that can be run any number of times.
pub struct Executable {
    pipeline: Arc<Pipeline>,
    stages: Vec<Stage>,
    /// By rank: devices of the first stage come first.
    seats: Vec<Seat>,
    limits: Limits,
}

impl Executable {
    /// Compiles a pipeline, task by task.
    ///
    /// # Errors
    /// What is wrong with a task, or what `compile` says.
    pub fn new(pipeline: Arc<Pipeline>, compile: CompileTask<'_>) -> Result<Executable, Diagnostic> {
        check(&pipeline)?;
        let mut ready: Vec<Vec<Compiled<_>>> = Vec::with_capacity(pipeline.chunks.len());
        for chunk in &pipeline.chunks {
            let task = |program: &Program| compile(verify(program).map_err(first_of)?.of()?);
            ready.push(chunk.tasks.iter().map(|t| &t.program).map(task).collect::<Result<_, _>>()?);
        }
        let mesh_of = |stage: usize| {
            let chunk = pipeline.schedule.home.iter().position(|&home| home == stage);
            chunk.map(|chunk| Arc::new(pipeline.chunks[chunk].mesh.clone()))
        };
        let meshes: Vec<Arc<Mesh>> = (0..pipeline.schedule.stages).filter_map(mesh_of).collect();
        let mut first = Vec::with_capacity(meshes.len());
        let mut next = 0;
        for mesh in &meshes {
            first.push(next);
            next += mesh.device_count();
        }
        let events = events(&pipeline);
        let needs: Vec<Vec<Needs>> = ready.iter().map(|tasks| tasks.iter().map(needs).collect()).collect();
        let mut stages = Vec::with_capacity(meshes.len());
        let mut seats = Vec::with_capacity(next);
        for (number, (events, mesh)) in events.iter().zip(&meshes).enumerate() {
            let memory = Memory::of(&pipeline, number, &needs, events);
            let plan = Plan { pipeline: &pipeline, first: &first, stage: number, mesh, ready: &ready };
            let (stage, code) = stage(&plan, memory);
            let constants: Arc<[Buffer]> = code.constants.iter().map(Buffer::of).collect();
            let code = Arc::new(code);
            let seat = |place| {
                let (code, constants, mesh) = (code.clone(), constants.clone(), mesh.clone());
                Seat { code, constants, mesh, place, pieces: Arc::default() }
            };
            seats.extend((0..mesh.device_count()).map(seat));
            stages.push(stage);
        }
        let executable = Executable { pipeline, stages, seats, limits: Limits::default() };
        executable.check_memory()?;
        Ok(executable)
    }

    /// What all devices take together.
    fn total_bytes(&self) -> u64 {
        let of_stage = |stage: &Stage| stage.footprint.total().saturating_mul(stage.mesh.device_count() as u64);
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
    pub fn with_limits(self, limits: Limits) -> Executable {
        Executable { limits, ..self }
    }

    /// How many devices there are, of all stages together.
    pub fn device_count(&self) -> usize {
        self.seats.len()
    }

    /// What a device of each stage takes of memory.
    pub fn footprints(&self) -> Vec<Footprint> {
        self.stages.iter().map(|stage| stage.footprint).collect()
    }

    /// Runs one step on whole inputs, by path or name, and returns the whole outputs by name.
    ///
    /// # Errors
    /// `R001` when an input is missing, `R002` when one does not fit, `R003` when devices that should hold the same
    /// piece of an output do not, `R004` and `R005` when a device fails or does not come to a collective.
    pub fn run(&self, inputs: &IndexMap<String, Tensor>) -> Result<IndexMap<String, Tensor>, Diagnostic> {
        self.run_warm(inputs, &mut Warm::default())
    }

    /// [`Executable::run`] with what the last run left, which says how long this one took, too.
    ///
    /// # Errors
    /// As [`Executable::run`].
    pub fn run_warm(
        &self,
        inputs: &IndexMap<String, Tensor>,
        warm: &mut Warm,
    ) -> Result<IndexMap<String, Tensor>, Diagnostic> {
        self.gather(&self.carry_out(inputs, warm, false)?)
    }

    /// What a step would take on a host, and what each device would do when.
    pub fn forecast(&self, host: &Host, title: &str) -> (Forecast, Timeline) {
        let forecast = forecast(&self.seats, self.total_bytes(), host);
        let timeline = observed(&self.pipeline, &self.stages, &forecast.happened, title);
        (forecast, timeline)
    }

    /// [`Executable::run`], and what each device did when: its tasks, and its waits for others.
    ///
    /// # Errors
    /// As [`Executable::run`].
    pub fn run_recorded(
        &self,
        inputs: &IndexMap<String, Tensor>,
        title: &str,
    ) -> Result<(IndexMap<String, Tensor>, Timeline), Diagnostic> {
        let ended = self.carry_out(inputs, &mut Warm::default(), true)?;
        Ok((self.gather(&ended)?, observed(&self.pipeline, &self.stages, &ended.happened, title)))
    }

    fn carry_out(
        &self,
        inputs: &IndexMap<String, Tensor>,
        warm: &mut Warm,
        records: bool,
    ) -> Result<Ended, Diagnostic> {
        let mut pieces: Vec<Pieces> = Vec::with_capacity(self.seats.len());
        for stage in &self.stages {
            let first = pieces.len();
            pieces.resize(first + stage.mesh.device_count(), Pieces::new());
            for entry in &stage.inputs {
                let missing = || Diagnostic::new(ErrorCode::R001, format!("there is no input `{}`", entry.name));
                let tensor = inputs.get(entry.name.as_str()).ok_or_else(missing)?;
                let given = scatter(tensor, &self.value(entry), &stage.mesh, &entry.name)?;
                pieces[first..].iter_mut().zip(given).for_each(|(pieces, piece)| pieces.push(piece));
            }
        }
        run(&self.seats, pieces, warm, records, self.limits)
    }

    /// The whole outputs; what several chunks give is that of the first.
    fn gather(&self, ended: &Ended) -> Result<IndexMap<String, Tensor>, Diagnostic> {
        let mut outputs = IndexMap::new();
        let mut first = 0;
        for stage in &self.stages {
            let devices = &ended.outputs[first..first + stage.mesh.device_count()];
            for (i, entry) in stage.outputs.iter().enumerate() {
                if !outputs.contains_key(entry.name.as_str()) {
                    let pieces: Pieces = devices.iter().filter_map(|outputs| outputs[i].clone()).collect();
                    outputs
                        .insert(entry.name.to_string(), whole(&pieces, &self.value(entry), &stage.mesh, &entry.name)?);
                }
            }
            first += devices.len();
        }
        Ok(outputs)
    }

    /// A cell as a value.
    fn value(&self, entry: &Entry) -> Value {
        let cell = &self.pipeline.chunks[entry.chunk].cells[entry.cell];
        Value {
            name: cell.name.clone(),
            ty: cell.ty.clone(),
            layout: cell.layout.clone(),
            space: Space::Device,
            donated: false,
        }
    }
}

/// What a task needs of memory.
fn needs(task: &Compiled<Arc<dyn Kernel>>) -> Needs {
    let over = |output: &Output| if let Output::Over(input) = output { Some(*input) } else { None };
    Needs { frame: task.code.frame_bytes(), over: task.code.outputs.iter().map(over).collect() }
}

/// The first of several errors.
fn first_of(errors: Vec<Diagnostic>) -> Diagnostic {
    let none = || Diagnostic::new(ErrorCode::B001, "a task is not in form local");
    errors.into_iter().next().unwrap_or_else(none)
}

//! Execution of a program's ranks, on one GPU or on one GPU per rank. The ranks of a stage run in lockstep: each task
//! is enqueued for all of them before the next. Stages alternate (`stages`).
//!
//! Several processes may execute a block of consecutive ranks each. All of them go through the same sequence of tasks
//! of all stages, and enqueue those of their own ranks: collectives and transfers have the same order everywhere.
//!
//! Collectives and transfers (`communication`) overlap with computation from their start task to their wait task.

mod communication;
pub(crate) mod deadline;
mod faults;
mod session;
mod stages;
mod tasks;

use crate::collective::Network;
use crate::collective::calls::CallPlan;
use crate::device::{Device, DevicePtr, OUT_OF_MEMORY_HELP};
use crate::module::{Launch, Module};
use crate::words;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::tensor::Tensor;
use partita_ir::units::format_bytes as in_units;
use partita_runtime::code::{Code, Output};
use partita_runtime::pipeline::transfer::StageDevices;
use partita_runtime::replicas::ReplicaOwner;
use partita_runtime::shared::DeviceProcesses;
pub use session::Session;
use std::iter;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
pub use tasks::Launcher;

/// A module loaded on one or more GPUs.
pub struct Executable<D: Device> {
    module: Arc<Module>,
    /// Network between ranks on separate GPUs. Declared before the devices, so that it is dropped first.
    network: Option<Box<dyn Network<D>>>,
    /// The device shared by all ranks, or one device per rank of this process.
    contexts: Vec<DeviceContext<D>>,
    /// Ranks of this process.
    local: Range<usize>,
    /// Processes that execute the ranks; `None` if this process executes all of them.
    processes: Option<DeviceProcesses>,
    /// Coordinates of each rank of this process in its stage's mesh, in device memory.
    coordinates: Vec<D::Memory>,
    /// Network calls of each stage, site and operand; `None` if the network does not support the collective.
    plans: Vec<Vec<Option<Vec<CallPlan>>>>,
    /// True if the host waits for each launch, so that a fault is attributed to its kernel.
    is_blocking: bool,
    /// Time limit for collectives between GPUs; `None` for no limit.
    deadline: Option<Duration>,
    /// Notes for the user on how the module was loaded.
    notes: Vec<String>,
}

/// A device with its kernels and constants.
struct DeviceContext<D: Device> {
    device: D,
    /// Loaded kernels, in the order of the module.
    kernels: Vec<D::Kernel>,
    /// Constants of each stage; empty for stages that run elsewhere.
    constants: Vec<Vec<D::Memory>>,
}

impl<D: Device> DeviceContext<D> {
    /// Loads the kernels of a module and the constants of the given stages on a device.
    fn new(module: &Module, stages: Range<usize>, device: D) -> Result<DeviceContext<D>, Diagnostic> {
        stages.clone().try_for_each(|stage| check_sizes(module, stage, &device))?;
        let kernels = module.kernels.iter().map(|kernel| device.load(kernel)).collect::<Result<_, _>>()?;
        if module.has_communication() {
            device.load_collective(module.collective.as_deref())?;
        }
        let constant =
            |tensor: &Tensor| upload_words(&device, &words::from_tensor(tensor, module.target, "a constant")?);
        let of_stage = |(stage, code): (usize, &Code<Launch>)| {
            code.constants.iter().filter(|_| stages.contains(&stage)).map(constant).collect::<Result<_, _>>()
        };
        let constants = module.code.iter().enumerate().map(of_stage).collect::<Result<_, _>>()?;
        Ok(DeviceContext { device, kernels, constants })
    }
}

impl<D: Device> Executable<D> {
    /// Loads the module on a device that all ranks share.
    ///
    /// # Errors
    /// `A006` if the device has not enough memory or bindings, `R004` for kernels that it rejects and for unsupported
    /// constants, `C002` for an invalid `PARTITA_COLLECTIVE_TIMEOUT`.
    pub fn load(module: Arc<Module>, device: D) -> Result<Executable<D>, Diagnostic> {
        Executable::new(module, vec![device], None, None)
    }

    /// Loads the module on devices that communicate over a network: one for each rank, in the order of ranks.
    ///
    /// # Errors
    /// The errors of [`Executable::load`], and `A003` if the numbers of devices and ranks differ.
    pub fn load_distributed(
        module: Arc<Module>,
        devices: Vec<D>,
        network: Box<dyn Network<D>>,
    ) -> Result<Executable<D>, Diagnostic> {
        check_count(module.program.device_count(), devices.len())?;
        Executable::new(module, devices, Some(network), None)
    }

    /// Loads the ranks of one of several processes on devices that communicate over a network: one for each rank of
    /// this process, in the order of ranks. All processes call the methods of the executable and its sessions in the
    /// same order, with the same inputs, and get the same outputs.
    ///
    /// # Errors
    /// The errors of [`Executable::load`], and `A003` if the numbers of devices and ranks differ.
    pub fn load_on_process(
        module: Arc<Module>,
        devices: Vec<D>,
        network: Box<dyn Network<D>>,
        processes: DeviceProcesses,
    ) -> Result<Executable<D>, Diagnostic> {
        check_count(processes.local().len(), devices.len())?;
        Executable::new(module, devices, Some(network), Some(processes))
    }

    fn new(
        module: Arc<Module>,
        devices: Vec<D>,
        network: Option<Box<dyn Network<D>>>,
        processes: Option<DeviceProcesses>,
    ) -> Result<Executable<D>, Diagnostic> {
        let program = &module.program;
        let local = processes.as_ref().map_or(0..program.device_count(), DeviceProcesses::local);
        let stages: Vec<Range<usize>> = match network {
            None => iter::once(0..program.stages.len()).collect(),
            Some(_) => local.clone().map(|rank| program.stage_of(rank)..program.stage_of(rank) + 1).collect(),
        };
        let contexts =
            devices.into_iter().zip(stages).map(|(device, stages)| DeviceContext::new(&module, stages, device));
        let contexts = contexts.collect::<Result<Vec<_>, _>>()?;
        let coordinates = local.clone().map(|rank| {
            let StageDevices { mesh, first_rank } = &program.stages[program.stage_of(rank)].devices;
            let context = &contexts[if network.is_some() { rank - local.start } else { 0 }];
            upload_words(&context.device, &mesh.coords(rank - first_rank))
        });
        let coordinates = coordinates.collect::<Result<_, _>>()?;
        let plans = |code: &Code<Launch>| {
            code.sites.iter().map(|site| site.execs.iter().map(CallPlan::from_exec).collect()).collect()
        };
        let plans = module.code.iter().map(plans).collect();
        let (is_blocking, deadline) = (faults::is_blocking(), deadline::deadline()?);
        let notes = Vec::new();
        Ok(Executable { module, network, contexts, local, processes, coordinates, plans, is_blocking, deadline, notes })
    }

    /// Waits for each kernel to finish, as with `PARTITA_CUDA_BLOCKING=1`.
    pub fn with_blocking_launches(self) -> Executable<D> {
        Executable { is_blocking: true, ..self }
    }

    /// Sets the time limit for collectives between GPUs, as `PARTITA_COLLECTIVE_TIMEOUT` does.
    pub fn with_deadline(self, deadline: Duration) -> Executable<D> {
        Executable { deadline: Some(deadline), ..self }
    }

    /// Adds a note for the user on how the module was loaded.
    pub fn with_note(mut self, note: impl Into<String>) -> Executable<D> {
        self.notes.push(note.into());
        self
    }

    /// Returns the notes for the user on how the module was loaded.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(self.devices().flat_map(Device::notes));
        notes.dedup();
        notes
    }

    /// Returns the loaded module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Returns the device of the first rank of this process.
    pub fn device(&self) -> &D {
        &self.context(self.local.start).device
    }

    fn devices(&self) -> impl Iterator<Item = &D> {
        self.contexts.iter().map(|context| &context.device)
    }

    /// Returns the devices of this process on which a stage runs.
    fn devices_of(&self, stage: usize) -> impl Iterator<Item = &D> {
        let contexts = match self.network {
            None => 0..1,
            Some(_) => {
                let Range { start, end } = self.ranks_of(stage);
                start - self.local.start..end - self.local.start
            }
        };
        self.contexts[contexts].iter().map(|context| &context.device)
    }

    /// Returns the ranks of a stage that this process executes; an empty range between its own ranks if there are none.
    fn ranks_of(&self, stage: usize) -> Range<usize> {
        let (ranks, Range { start, end }) = (self.module.program.stages[stage].devices.ranks(), self.local.clone());
        ranks.start.clamp(start, end)..ranks.end.clamp(start, end)
    }

    /// Returns the index of the device of a rank of this process.
    fn context_index(&self, rank: usize) -> usize {
        if self.network.is_some() { rank - self.local.start } else { 0 }
    }

    /// Returns the loaded device of a rank of this process.
    fn context(&self, rank: usize) -> &DeviceContext<D> {
        &self.contexts[self.context_index(rank)]
    }

    /// Returns the coordinates of a rank of this process, in device memory.
    fn coordinates(&self, rank: usize) -> &D::Memory {
        &self.coordinates[rank - self.local.start]
    }

    /// Returns the size of each rank's staging buffer for network calls, in bytes.
    fn staging_bytes(&self) -> usize {
        let of_site = |plans: &Vec<CallPlan>| plans.iter().map(communication::staging_bytes).sum();
        let plans = self.plans.iter().flatten().flatten().filter(|_| self.network.is_some());
        plans.map(of_site).max().unwrap_or(0)
    }

    /// Returns the rank that executes a deduplicated task for `rank`: one representative on a shared device, else the
    /// rank itself.
    fn executing_rank(&self, replica_owner: ReplicaOwner, rank: usize) -> usize {
        if self.network.is_some() || replica_owner.is_every_device() {
            return rank;
        }
        let program = &self.module.program;
        let StageDevices { mesh, first_rank } = &program.stages[program.stage_of(rank)].devices;
        first_rank + replica_owner.device_for(mesh, rank - first_rank)
    }

    /// Runs the program on global inputs, in the order of the main function, and returns the global outputs.
    ///
    /// # Errors
    /// The errors of [`Executable::begin`], [`Session::step`] and [`Session::outputs`].
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let mut session = self.begin(inputs)?;
        session.step()?;
        session.outputs()
    }
}

/// Checks that there is a device for each rank.
fn check_count(ranks: usize, devices: usize) -> Result<(), Diagnostic> {
    if ranks == devices {
        return Ok(());
    }
    Err(Diagnostic::new(ErrorCode::A003, format!("the program is for {ranks} devices, not for {devices}")))
}

/// Checks that the buffers of a stage do not exceed the device's maximum, before anything is allocated.
fn check_sizes<D: Device>(module: &Module, stage: usize, device: &D) -> Result<(), Diagnostic> {
    let most = device.max_buffer_bytes();
    let fits = |what: &str, bytes: usize| {
        if bytes <= most {
            return Ok(());
        }
        let (name, bytes, most) = (device.name(), in_units(bytes as u64), in_units(most as u64));
        let title = format!("{what} takes {bytes}; {name} supports at most {most} in one buffer");
        Err(Diagnostic::new(ErrorCode::A006, title).help(OUT_OF_MEMORY_HELP))
    };
    let (stage, code) = (&module.program.stages[stage], &module.code[stage]);
    for input in &stage.inputs {
        fits(&format!("`{}`", input.name), module.target.bytes(&input.value.local_type()))?;
    }
    for (output, at) in stage.outputs.iter().zip(&code.outputs) {
        if let Output::Buffer(bytes, _) = *at {
            fits(&format!("`{}`", output.name), bytes)?;
        }
    }
    fits("memory for intermediate values", code.frame_bytes())
}

/// Allocates memory and uploads words.
fn upload_words<D: Device>(device: &D, words: &[u32]) -> Result<D::Memory, Diagnostic> {
    let memory = device.allocate(words.len() * 4)?;
    device.upload(&DevicePtr::new(memory.clone()), words)?;
    Ok(memory)
}

//! Running a program's ranks, on one GPU or on one for each. The ranks of a stage run in step: each task on all of
//! them, then the next. Stages take turns (`stages`).
//!
//! Collectives and transfers (`meeting`) begin where the schedule starts them, beside what is computed, which goes on
//! until it waits for them.

mod deadline;
mod faults;
mod meeting;
mod session;
mod stages;
mod tasks;

use crate::collective::Network;
use crate::collective::calls::Plan;
use crate::device::{Device, Place, SMALLER};
use crate::module::{Launch, Module};
use crate::words;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::tensor::Tensor;
use partita_ir::units::bytes as in_units;
use partita_runtime::code::{Code, Output};
use partita_runtime::pipeline::transfer::StageDevices;
use partita_runtime::replicas::Duty;
pub use session::Session;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
pub use tasks::Launcher;

/// A module on GPUs.
pub struct Executable<D: Device> {
    module: Arc<Module>,
    /// What ranks with seats of their own meet over. It goes before the devices do.
    network: Option<Box<dyn Network<D>>>,
    /// One that all ranks share, or one for each.
    seats: Vec<Seat<D>>,
    /// By rank, where it is in the mesh.
    coordinates: Vec<D::Memory>,
    /// By stage, site and operand, the network's calls, where it has them.
    plans: Vec<Vec<Option<Vec<Plan>>>>,
    /// Whether each launch is waited for, so that a fault is known to be that kernel's.
    is_blocking: bool,
    /// How long devices that meet may take until they are done.
    deadline: Option<Duration>,
    /// What the user should know of how it came to run here.
    notes: Vec<String>,
}

/// A device with what all runs need.
struct Seat<D: Device> {
    device: D,
    /// By position in the module.
    kernels: Vec<D::Kernel>,
    /// By stage that runs here.
    constants: Vec<Vec<D::Memory>>,
}

impl<D: Device> Seat<D> {
    /// A device that runs these stages of a module.
    fn new(module: &Module, stages: Range<usize>, device: D) -> Result<Seat<D>, Diagnostic> {
        stages.clone().try_for_each(|stage| check_sizes(module, stage, &device))?;
        let kernels = module.kernels.iter().map(|kernel| device.load(kernel)).collect::<Result<_, _>>()?;
        if module.has_sites() {
            device.load_collective(module.collective.as_deref())?;
        }
        let constant = |tensor: &Tensor| put(&device, &words::of(tensor, module.target, "a constant")?);
        let of_stage = |(stage, code): (usize, &Code<Launch>)| {
            code.constants.iter().filter(|_| stages.contains(&stage)).map(constant).collect::<Result<_, _>>()
        };
        let constants = module.code.iter().enumerate().map(of_stage).collect::<Result<_, _>>()?;
        Ok(Seat { device, kernels, constants })
    }
}

impl<D: Device> Executable<D> {
    /// Makes every kernel of the module ready on a device that all ranks share.
    ///
    /// # Errors
    /// `A006` for what the device cannot hold or bind, `R004` for kernels that it refuses.
    pub fn load(module: Arc<Module>, device: D) -> Result<Executable<D>, Diagnostic> {
        Executable::on(module, vec![device], None)
    }

    /// Makes every kernel of the module ready on devices that meet over a network: one for each rank, in their order.
    ///
    /// # Errors
    /// As [`Executable::load`], and `A003` for another number of devices.
    pub fn apart(
        module: Arc<Module>,
        devices: Vec<D>,
        network: Box<dyn Network<D>>,
    ) -> Result<Executable<D>, Diagnostic> {
        let (ranks, given) = (module.program.device_count(), devices.len());
        if ranks != given {
            return Err(Diagnostic::new(
                ErrorCode::A003,
                format!("the program is for {ranks} devices, not for {given}"),
            ));
        }
        Executable::on(module, devices, Some(network))
    }

    fn on(
        module: Arc<Module>,
        devices: Vec<D>,
        network: Option<Box<dyn Network<D>>>,
    ) -> Result<Executable<D>, Diagnostic> {
        let program = &module.program;
        let stages = |rank: usize| match devices.len() {
            1 => 0..program.stages.len(),
            _ => program.stage_of(rank)..program.stage_of(rank) + 1,
        };
        let stages: Vec<Range<usize>> = (0..devices.len()).map(stages).collect();
        let seats = devices.into_iter().zip(stages).map(|(device, stages)| Seat::new(&module, stages, device));
        let seats = seats.collect::<Result<Vec<_>, _>>()?;
        let seat = |rank: usize| &seats[rank % seats.len()];
        let devices = program.stages.iter().map(|stage| &stage.devices);
        let coordinates = devices
            .flat_map(|devices| devices.ranks().map(|rank| (rank, devices.mesh.coords(rank - devices.first_rank))));
        let coordinates = coordinates.map(|(rank, coords)| put(&seat(rank).device, &coords));
        let coordinates = coordinates.collect::<Result<_, _>>()?;
        let plans =
            |code: &Code<Launch>| code.sites.iter().map(|site| site.exchanges.iter().map(Plan::of).collect()).collect();
        let plans = module.code.iter().map(plans).collect();
        let (is_blocking, deadline) = (faults::is_blocking(), deadline::deadline()?);
        Ok(Executable { module, seats, coordinates, network, plans, is_blocking, deadline, notes: Vec::new() })
    }

    /// The same, which waits for each kernel to be done, as `PARTITA_CUDA_BLOCKING=1` asks for.
    pub fn blocking(self) -> Executable<D> {
        Executable { is_blocking: true, ..self }
    }

    /// The same, where devices that meet are waited for so long at most, as `PARTITA_COLLECTIVE_TIMEOUT` asks for.
    pub fn with_deadline(self, deadline: Duration) -> Executable<D> {
        Executable { deadline: Some(deadline), ..self }
    }

    /// The same with something that the user should know of how it came to run here.
    pub fn noted(mut self, note: impl Into<String>) -> Executable<D> {
        self.notes.push(note.into());
        self
    }

    /// What the user should know of how it came to run here.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = self.notes.clone();
        notes.extend(self.devices().flat_map(Device::notes));
        notes.dedup();
        notes
    }

    /// What runs here.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Where the first rank runs, if not all of them.
    pub fn device(&self) -> &D {
        &self.seat(0).device
    }

    fn devices(&self) -> impl Iterator<Item = &D> {
        self.seats.iter().map(|seat| &seat.device)
    }

    /// The devices on which a stage runs.
    fn devices_of(&self, stage: usize) -> impl Iterator<Item = &D> {
        let ranks = match &self.seats[..] {
            [_] => 0..1,
            _ => self.module.program.stages[stage].devices.ranks(),
        };
        self.seats[ranks].iter().map(|seat| &seat.device)
    }

    /// The seat of a rank.
    fn seat(&self, rank: usize) -> &Seat<D> {
        &self.seats[rank % self.seats.len()]
    }

    /// Bytes that each rank stages for its network's calls.
    fn staged_bytes(&self) -> usize {
        let of_site = |plans: &Vec<Plan>| plans.iter().map(meeting::staged_bytes).sum();
        let plans = self.plans.iter().flatten().flatten().filter(|_| self.network.is_some());
        plans.map(of_site).max().unwrap_or(0)
    }

    /// The rank that does what all of some would do alike: one of them on a device that they share, else each for
    /// itself.
    fn performer(&self, duty: Duty, rank: usize) -> usize {
        if self.seats.len() > 1 || duty.is_everybodys() {
            return rank;
        }
        let program = &self.module.program;
        let StageDevices { mesh, first_rank } = &program.stages[program.stage_of(rank)].devices;
        first_rank + duty.of(mesh, rank - first_rank)
    }

    /// Runs the program on whole inputs, in the order of the main function, and returns the whole outputs.
    ///
    /// # Errors
    /// As [`Executable::begin`], [`Session::step`] and [`Session::outputs`].
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let mut session = self.begin(inputs)?;
        session.step()?;
        session.outputs()
    }
}

/// Refuses what of a stage does not fit into one buffer, before anything is allocated.
fn check_sizes<D: Device>(module: &Module, stage: usize, device: &D) -> Result<(), Diagnostic> {
    let most = device.largest();
    let fits = |what: &str, bytes: usize| {
        if bytes <= most {
            return Ok(());
        }
        let (name, bytes, most) = (device.name(), in_units(bytes as u64), in_units(most as u64));
        let title = format!("{what} takes {bytes}; {name} holds at most {most} in one buffer");
        Err(Diagnostic::new(ErrorCode::A006, title).help(SMALLER))
    };
    let (stage, code) = (&module.program.stages[stage], &module.code[stage]);
    for input in &stage.inputs {
        fits(&format!("`{}`", input.name), module.target.bytes(&input.value.local_type()))?;
    }
    for (output, at) in stage.outputs.iter().zip(&code.outputs) {
        if let Output::Own(bytes, _) = *at {
            fits(&format!("`{}`", output.name), bytes)?;
        }
    }
    fits("what each device computes", code.frame_bytes())
}

/// Memory with those words.
fn put<D: Device>(device: &D, words: &[u32]) -> Result<D::Memory, Diagnostic> {
    let memory = device.memory(words.len() * 4)?;
    device.upload(&Place::whole(memory.clone()), words)?;
    Ok(memory)
}

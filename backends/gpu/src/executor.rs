//! Running a program's ranks in step, on one GPU or on one for each: each task on all of them, then the next.
//!
//! Collectives (`meeting`) begin where the schedule starts them, beside what is computed, which goes on until it waits
//! for them.

mod deadline;
mod faults;
mod meeting;
mod session;
mod tasks;

use crate::collective::Network;
use crate::collective::calls::Plan;
use crate::device::{Device, Place, SMALLER};
use crate::module::Module;
use crate::words;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::tensor::Tensor;
use partita_ir::units::bytes as in_units;
use partita_runtime::code::Output;
use partita_runtime::replicas::Duty;
pub use session::Session;
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
    /// By collective and operand, the network's calls, where it has them.
    plans: Vec<Option<Vec<Plan>>>,
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
    constants: Vec<D::Memory>,
}

impl<D: Device> Seat<D> {
    fn new(module: &Module, device: D) -> Result<Seat<D>, Diagnostic> {
        check_sizes(module, &device)?;
        let kernels = module.kernels.iter().map(|kernel| device.load(kernel)).collect::<Result<_, _>>()?;
        if !module.code.sites.is_empty() {
            device.load_collective(module.collective.as_deref())?;
        }
        let constant = |tensor: &Tensor| put(&device, &words::of(tensor, module.target, "a constant")?);
        let constants = module.code.constants.iter().map(constant).collect::<Result<_, _>>()?;
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
        let (ranks, given) = (module.mesh.device_count(), devices.len());
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
        let seats = devices.into_iter().map(|device| Seat::new(&module, device)).collect::<Result<Vec<_>, _>>()?;
        let seat = |rank: usize| &seats[rank % seats.len()];
        let coordinates =
            (0..module.mesh.device_count()).map(|rank| put(&seat(rank).device, &module.mesh.coords(rank)));
        let coordinates = coordinates.collect::<Result<_, _>>()?;
        let plans = module.code.sites.iter().map(|site| site.exchanges.iter().map(Plan::of).collect()).collect();
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

    /// The seat of a rank.
    fn seat(&self, rank: usize) -> &Seat<D> {
        &self.seats[rank % self.seats.len()]
    }

    /// Bytes that each rank stages for its network's calls.
    fn staged_bytes(&self) -> usize {
        let of_site = |plans: &Vec<Plan>| plans.iter().map(meeting::staged_bytes).sum();
        let plans = self.plans.iter().flatten().filter(|_| self.network.is_some());
        plans.map(of_site).max().unwrap_or(0)
    }

    /// The rank that does what all of some would do alike: one of them on a device that they share, else each for
    /// itself.
    fn performer(&self, duty: Duty, rank: usize) -> usize {
        if self.seats.len() == 1 { duty.of(&self.module.mesh, rank) } else { rank }
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

/// Refuses what does not fit into one buffer, before anything is allocated.
fn check_sizes<D: Device>(module: &Module, device: &D) -> Result<(), Diagnostic> {
    let most = device.largest();
    let fits = |what: &str, bytes: usize| {
        if bytes <= most {
            return Ok(());
        }
        let (name, bytes, most) = (device.name(), in_units(bytes as u64), in_units(most as u64));
        let title = format!("{what} takes {bytes}; {name} holds at most {most} in one buffer");
        Err(Diagnostic::new(ErrorCode::A006, title).help(SMALLER))
    };
    let program = &module.program;
    for &input in program.inputs() {
        let ty = program.values[input].local_type();
        fits(&format!("`{}`", program.path_of(input)), module.target.bytes(&ty))?;
    }
    for (output, at) in program.outputs().iter().zip(&module.code.outputs) {
        if let Output::Own(bytes, _) = *at {
            fits(&format!("`{}`", output.name), bytes)?;
        }
    }
    fits("what each device computes", module.code.frame_bytes())
}

/// Memory with those words.
fn put<D: Device>(device: &D, words: &[u32]) -> Result<D::Memory, Diagnostic> {
    let memory = device.memory(words.len() * 4)?;
    device.upload(&Place::whole(memory.clone()), words)?;
    Ok(memory)
}

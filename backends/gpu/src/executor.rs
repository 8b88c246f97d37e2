//! Running a program's ranks in step, on one GPU or on one for each: each task on all of them, then the next.
//!
//! Collectives ([`meeting`]) begin where the schedule starts them, beside what is computed, which goes on until it waits for them.

mod meeting;

use crate::collective::Network;
use crate::collective::calls::Plan;
use crate::device::{Device, Place, SMALLER};
use crate::module::{Arg, Launch, Module};
use crate::words;
use meeting::Meetings;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::tensor::Tensor;
use partita_ir::units::bytes as in_units;
use partita_runtime::code::{Act, Address, Base, Output, Task};
use partita_runtime::shard::{gather, shard};
use std::sync::Arc;

/// A module on GPUs.
pub struct Executable<D: Device> {
    module: Arc<Module>,
    /// One that all ranks share, or one for each.
    seats: Vec<Seat<D>>,
    /// By rank, where it is in the mesh.
    coordinates: Vec<D::Memory>,
    /// What ranks with seats of their own meet over.
    network: Option<Box<dyn Network<D>>>,
    /// By collective and operand, the network's calls, where it has them.
    plans: Vec<Option<Vec<Plan>>>,
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

/// What one rank holds.
struct Held<M> {
    inputs: Vec<Place<M>>,
    outputs: Vec<Option<M>>,
    frame: M,
    /// What its network's calls lay side by side.
    staged: Option<M>,
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
        Ok(Executable { module, seats, coordinates, network, plans })
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

    /// Runs the program on whole inputs, in the order of the main function, and returns the whole outputs.
    ///
    /// # Errors
    /// `R002` when the inputs do not fit the program, `R003` when devices that should hold the same piece of an output do
    /// not, `R004` for elements that the GPU cannot hold, for want of memory, or when it is lost.
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        let Module { program, mesh, target, code, .. } = &*self.module;
        let wanted = &program.main().inputs;
        if wanted.len() != inputs.len() {
            let title = format!("the program has {} inputs, {} were given", wanted.len(), inputs.len());
            return Err(Diagnostic::new(ErrorCode::R002, title));
        }
        let count = mesh.device_count();
        let mut pieces: Vec<Vec<Place<D::Memory>>> = vec![Vec::new(); count];
        for (input, (&value, tensor)) in wanted.iter().zip(inputs).enumerate() {
            let (path, value) = (program.path_of(value), &program.values[value]);
            if value.ty != tensor.ty {
                let title = format!("`{path}` is {}, {} was given", value.ty, tensor.ty);
                return Err(Diagnostic::new(ErrorCode::R002, title));
            }
            let is_written = code.outputs.contains(&Output::Over(input));
            let mut made: Vec<(Arc<Tensor>, D::Memory)> = Vec::new();
            let is_shared = !is_written && self.seats.len() == 1;
            for (rank, piece) in shard(tensor, value.layout.as_deref(), mesh).into_iter().enumerate() {
                // Ranks of one device share a piece that several have, unless it is written over.
                let known = made.iter().find(|(tensor, _)| is_shared && Arc::ptr_eq(tensor, &piece));
                let memory = match known {
                    Some((_, memory)) => memory.clone(),
                    None => put(&self.seat(rank).device, &words::brought(&piece, *target, path)?)?,
                };
                made.push((piece, memory.clone()));
                pieces[rank].push(Place::whole(memory));
            }
        }
        let (mut held, staged) = (Vec::with_capacity(count), self.staged_bytes());
        for (rank, inputs) in pieces.into_iter().enumerate() {
            let device = &self.seat(rank).device;
            let own = |output: &Output| match *output {
                Output::Own(bytes, duty) if duty.of(mesh, rank) == rank => device.memory(bytes).map(Some),
                Output::Own(..) | Output::Over(_) => Ok(None),
            };
            let outputs = code.outputs.iter().map(own).collect::<Result<_, _>>()?;
            let staged = (staged > 0).then(|| device.memory(staged)).transpose()?;
            held.push(Held { inputs, outputs, frame: device.memory(code.frame_bytes())?, staged });
        }
        let run = Run { executable: self, held };
        let main_inputs: Vec<Vec<Place<D::Memory>>> = run.held.iter().map(|held| held.inputs.clone()).collect();
        let mut meetings = Meetings::default();
        let done = run.body(code.bodies.len() - 1, 0, &main_inputs, &mut meetings);
        // Memory goes away behind what is computed, and so must not be used beside it any more.
        let ended = run.wait_for_all(&mut meetings);
        done.and(ended)?;
        self.devices().try_for_each(Device::flush)?;
        run.outputs()
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
    for &input in &program.main().inputs {
        let ty = program.values[input].local_type();
        fits(&format!("`{}`", program.path_of(input)), module.target.bytes(&ty))?;
    }
    for (output, at) in program.main().outputs.iter().zip(&module.code.outputs) {
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

/// A run of all ranks.
struct Run<'e, D: Device> {
    executable: &'e Executable<D>,
    held: Vec<Held<D::Memory>>,
}

/// By rank, the inputs of a function.
type Inputs<D> = [Vec<Place<<D as Device>::Memory>>];

impl<D: Device> Run<'_, D> {
    /// Runs a function on frames that begin at that byte.
    fn body(
        &self,
        body: usize,
        frame: usize,
        inputs: &Inputs<D>,
        meetings: &mut Meetings<D>,
    ) -> Result<(), Diagnostic> {
        let code = &self.executable.module.code;
        for task in &code.bodies[body].tasks {
            match &task.act {
                Act::Compute(launch, scratch) => self.compute(task, launch, frame + scratch, frame, inputs)?,
                Act::Start(site) => self.start(task, *site, frame, inputs, meetings)?,
                Act::Wait(site) => self.wait(*site, meetings)?,
                Act::Loop { trip, body, frame: inner } => {
                    let places = |rank: usize| -> Result<Vec<_>, Diagnostic> {
                        task.reads.iter().map(|&at| self.place(rank, at, frame, &inputs[rank])).collect()
                    };
                    let places = (0..self.held.len()).map(places).collect::<Result<Vec<_>, _>>()?;
                    for _ in 0..*trip {
                        self.body(*body, frame + inner, &places, meetings)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Where an address is on a rank.
    fn place(
        &self,
        rank: usize,
        at: Address,
        frame: usize,
        inputs: &[Place<D::Memory>],
    ) -> Result<Place<D::Memory>, Diagnostic> {
        let held = &self.held[rank];
        let (memory, start) = match at.base {
            Base::Frame => (Some(&held.frame), frame),
            Base::Input(i) => {
                let input = inputs.get(i as usize);
                (input.map(|p| &p.memory), input.map_or(0, |p| p.offset))
            }
            Base::Output(i) => (held.outputs[i as usize].as_ref(), 0),
            Base::Constant(i) => (self.executable.seat(rank).constants.get(i as usize), 0),
        };
        let none = || Diagnostic::new(ErrorCode::R004, format!("device {rank} has no memory for a value"));
        Ok(Place { memory: memory.ok_or_else(none)?.clone(), offset: start + at.offset })
    }

    fn compute(
        &self,
        task: &Task<Launch>,
        launch: &Launch,
        scratch: usize,
        frame: usize,
        inputs: &Inputs<D>,
    ) -> Result<(), Diagnostic> {
        let Executable { module, coordinates, .. } = self.executable;
        for (rank, inputs) in inputs.iter().enumerate() {
            if task.duty.of(&module.mesh, rank) != rank {
                continue;
            }
            let Seat { device, kernels, .. } = self.executable.seat(rank);
            for dispatch in &launch.dispatches {
                let place = |arg: &Arg| match *arg {
                    Arg::Read(i) => self.place(rank, task.reads[i], frame, inputs),
                    Arg::Write(i) => self.place(rank, task.writes[i], frame, inputs),
                    Arg::Scratch(at) => Ok(Place { memory: self.held[rank].frame.clone(), offset: scratch + at }),
                    Arg::Place => Ok(Place::whole(coordinates[rank].clone())),
                };
                let places = dispatch.args.iter().map(place).collect::<Result<Vec<_>, _>>()?;
                device.launch(&kernels[dispatch.kernel], &places)?;
            }
        }
        Ok(())
    }

    /// The whole outputs.
    fn outputs(&self) -> Result<Vec<Tensor>, Diagnostic> {
        let Module { program, mesh, target, code, .. } = &*self.executable.module;
        let mut whole = Vec::new();
        for (i, output) in program.main().outputs.iter().enumerate() {
            let value = &program.values[output.value];
            let ty = value.local_type();
            let place = |rank: usize| match code.outputs[i] {
                Output::Own(_, duty) => {
                    let memory = self.held[duty.of(mesh, rank)].outputs[i].clone();
                    let none = || Diagnostic::new(ErrorCode::R004, "a device ended without a result");
                    Ok(Place::whole(memory.ok_or_else(none)?))
                }
                Output::Over(input) => Ok(self.held[rank].inputs[input].clone()),
            };
            let places = (0..self.held.len()).map(place).collect::<Result<Vec<_>, Diagnostic>>()?;
            // Where the duty is another's, so is the memory.
            let owner = |rank: usize| match code.outputs[i] {
                Output::Own(_, duty) => duty.of(mesh, rank),
                Output::Over(_) => rank,
            };
            let read = self.executable.download(places, target.words(&ty), owner)?;
            let pieces: Vec<Arc<Tensor>> =
                read.iter().map(|words| Arc::new(words::tensor(&ty, *target, words))).collect();
            whole.push(gather(&pieces, value, mesh, &output.name)?);
        }
        Ok(whole)
    }
}

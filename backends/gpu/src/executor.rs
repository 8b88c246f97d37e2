//! Running a program's devices on one GPU, in step: each task on all of them, then the next.
//!
//! Collectives are the runtime's proven exchanges: on the device where it can carry out their motions, else in the memory of the host.

use crate::collective::{Parameter, motions};
use crate::device::{Device, Place, SMALLER};
use crate::module::{Arg, Launch, Module};
use crate::target::Target;
use crate::words;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::tensor::Tensor;
use partita_ir::units::bytes as in_units;
use partita_runtime::code::{Act, Address, Base, Output, Site, Task};
use partita_runtime::exchange::Exchange;
use partita_runtime::shard::{gather, shard};
use std::sync::Arc;

/// A module on a GPU.
pub struct Executable<D: Device> {
    module: Arc<Module>,
    device: D,
    /// By position in the module.
    kernels: Vec<D::Kernel>,
    constants: Vec<D::Memory>,
    /// By rank, where it is in the mesh.
    coordinates: Vec<D::Memory>,
}

/// What one rank holds.
struct Held<M> {
    inputs: Vec<Place<M>>,
    outputs: Vec<Option<M>>,
    frame: M,
}

impl<D: Device> Executable<D> {
    /// Makes every kernel of the module ready, and puts on the device what all runs need.
    ///
    /// # Errors
    /// `A006` for what the device cannot hold or bind, `R004` for kernels that it refuses.
    pub fn load(module: Arc<Module>, device: D) -> Result<Executable<D>, Diagnostic> {
        check_sizes(&module, &device)?;
        let kernels = module.kernels.iter().map(|kernel| device.load(kernel)).collect::<Result<_, _>>()?;
        let constant = |tensor: &Tensor| put(&device, &words::of(tensor, module.target, "a constant")?);
        let constants = module.code.constants.iter().map(constant).collect::<Result<_, _>>()?;
        let coordinates = (0..module.mesh.device_count()).map(|rank| put(&device, &module.mesh.coords(rank)));
        let coordinates = coordinates.collect::<Result<_, _>>()?;
        Ok(Executable { module, device, kernels, constants, coordinates })
    }

    /// What runs here.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Where it runs.
    pub fn device(&self) -> &D {
        &self.device
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
            for (pieces, piece) in pieces.iter_mut().zip(shard(tensor, value.layout.as_deref(), mesh)) {
                // Devices with the same piece share it, unless it is written over.
                let known = made.iter().find(|(tensor, _)| !is_written && Arc::ptr_eq(tensor, &piece));
                let memory = match known {
                    Some((_, memory)) => memory.clone(),
                    None => put(&self.device, &words::brought(&piece, *target, path)?)?,
                };
                made.push((piece, memory.clone()));
                pieces.push(Place::whole(memory));
            }
        }
        let mut held = Vec::with_capacity(count);
        for (rank, inputs) in pieces.into_iter().enumerate() {
            let own = |output: &Output| match *output {
                Output::Own(bytes, duty) if duty.of(mesh, rank) == rank => self.device.memory(bytes).map(Some),
                Output::Own(..) | Output::Over(_) => Ok(None),
            };
            let outputs = code.outputs.iter().map(own).collect::<Result<_, _>>()?;
            held.push(Held { inputs, outputs, frame: self.device.memory(code.frame_bytes())? });
        }
        let run = Run { executable: self, held };
        let main_inputs: Vec<Vec<Place<D::Memory>>> = run.held.iter().map(|held| held.inputs.clone()).collect();
        run.body(code.bodies.len() - 1, 0, &main_inputs)?;
        self.device.flush()?;
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
    fn body(&self, body: usize, frame: usize, inputs: &Inputs<D>) -> Result<(), Diagnostic> {
        let code = &self.executable.module.code;
        for task in &code.bodies[body].tasks {
            match &task.act {
                Act::Compute(launch, scratch) => self.compute(task, launch, frame + scratch, frame, inputs)?,
                Act::Start(site) => self.meet(task, &code.sites[*site], frame, inputs)?,
                // What all ranks come to at once is complete.
                Act::Wait(_) => {}
                Act::Loop { trip, body, frame: inner } => {
                    let places = |rank: usize| -> Result<Vec<_>, Diagnostic> {
                        task.reads.iter().map(|&at| self.place(rank, at, frame, &inputs[rank])).collect()
                    };
                    let places = (0..self.held.len()).map(places).collect::<Result<Vec<_>, _>>()?;
                    for _ in 0..*trip {
                        self.body(*body, frame + inner, &places)?;
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
            Base::Constant(i) => (self.executable.constants.get(i as usize), 0),
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
        let Executable { module, device, kernels, coordinates, .. } = self.executable;
        for (rank, inputs) in inputs.iter().enumerate() {
            if task.duty.of(&module.mesh, rank) != rank {
                continue;
            }
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

    /// Performs a collective.
    fn meet(&self, task: &Task<Launch>, site: &Site, frame: usize, inputs: &Inputs<D>) -> Result<(), Diagnostic> {
        for (operand, exchange) in site.exchanges.iter().enumerate() {
            let places = |at: Address| -> Result<Vec<Place<D::Memory>>, Diagnostic> {
                (0..self.held.len()).map(|rank| self.place(rank, at, frame, &inputs[rank])).collect()
            };
            let (reads, writes) = (places(task.reads[operand])?, places(task.writes[operand])?);
            if !self.meet_on_device(site, exchange, &reads, &writes)? {
                self.meet_on_host(site, exchange, reads, &writes)?;
            }
        }
        Ok(())
    }

    /// Lets the device move what a collective moves, from and to places by rank. False if it cannot.
    fn meet_on_device(
        &self,
        site: &Site,
        exchange: &Exchange,
        reads: &[Place<D::Memory>],
        writes: &[Place<D::Memory>],
    ) -> Result<bool, Diagnostic> {
        let device = &self.executable.device;
        let Some(motions) = motions(exchange) else { return Ok(false) };
        let addresses = reads.iter().zip(writes).map(|(from, to)| Some((device.address(from)?, device.address(to)?)));
        let Some(addresses) = addresses.collect::<Option<Vec<_>>>() else { return Ok(false) };
        for group in site.groups.iter().filter(|group| group.position() == 0) {
            let addresses: Vec<(u64, u64)> = group.members().iter().map(|&member| addresses[member]).collect();
            for motion in &motions {
                device.carry_out(&Parameter::new(exchange, motion, &addresses)?)?;
            }
        }
        Ok(true)
    }

    /// Performs a collective in the memory of the host, from and to places by rank.
    fn meet_on_host(
        &self,
        site: &Site,
        exchange: &Exchange,
        reads: Vec<Place<D::Memory>>,
        writes: &[Place<D::Memory>],
    ) -> Result<(), Diagnostic> {
        let (device, target) = (&self.executable.device, self.executable.module.target);
        let (from, to) = (exchange.operand(), exchange.result());
        let reads: Vec<_> = reads.into_iter().map(|place| (place, target.words(from))).collect();
        let brought = device.download(&reads)?;
        for group in site.groups.iter().filter(|group| group.position() == 0) {
            let members = group.members();
            let operands: Vec<&[u32]> = members.iter().map(|&m| &brought[m][..]).collect();
            let results = exchanged(exchange, &operands, (from, to), target)?;
            for (&member, words) in members.iter().zip(results) {
                device.upload(&writes[member], &words)?;
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
            let places = (0..self.held.len()).map(|rank| Ok((place(rank)?, target.words(&ty))));
            let read = self.executable.device.download(&places.collect::<Result<Vec<_>, Diagnostic>>()?)?;
            let pieces: Vec<Arc<Tensor>> =
                read.iter().map(|words| Arc::new(words::tensor(&ty, *target, words))).collect();
            whole.push(gather(&pieces, value, mesh, &output.name)?);
        }
        Ok(whole)
    }
}

/// What each member gets of an exchange, as words.
fn exchanged(
    exchange: &Exchange,
    operands: &[&[u32]],
    (from, to): (&Type, &Type),
    target: Target,
) -> Result<Vec<Vec<u32>>, Diagnostic> {
    let words = |bytes: u64| vec![0u64; bytes.div_ceil(8) as usize];
    let operand = |held: &&[u32]| {
        let mut buffer = words(from.bytes());
        let bytes = words::tensor(from, target, held).to_bytes();
        bytemuck::cast_slice_mut::<u64, u8>(&mut buffer)[..bytes.len()].copy_from_slice(&bytes);
        buffer
    };
    let operands: Vec<Vec<u64>> = operands.iter().map(operand).collect();
    let mut results: Vec<Vec<u64>> = operands.iter().map(|_| words(to.bytes())).collect();
    let inputs: Vec<&[u64]> = operands.iter().map(Vec::as_slice).collect();
    let mut outputs: Vec<&mut [u64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    exchange.run(&inputs, &mut outputs, 1)?;
    let held = |result: &Vec<u64>| {
        let bytes = &bytemuck::cast_slice::<u64, u8>(result)[..to.bytes() as usize];
        words::of(&Tensor::from_bytes(to.clone(), bytes), target, "what a collective gave")
    };
    results.iter().map(held).collect()
}

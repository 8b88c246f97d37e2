//! A program's memory on its GPUs, from step to step: what a step gives may become what the next one takes, without
//! leaving them.

use super::faults::Launches;
use super::tasks::{Call, Launcher, Ports};
use super::{Executable, put};
use crate::device::{Device, Place};
use crate::module::Module;
use crate::partitioned::{Port, Stage};
use crate::words;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::DType;
use partita_ir::tensor::Tensor;
use partita_runtime::code::Output;
use partita_runtime::shard::{gather, shard};
use std::sync::Arc;

/// An executable with inputs.
pub struct Session<'e, D: Device> {
    pub(super) executable: &'e Executable<D>,
    /// By rank.
    pub(super) held: Vec<Held<D::Memory>>,
    pub(super) launches: Launches,
}

/// What one rank holds.
pub(super) struct Held<M> {
    pub(super) inputs: Vec<Place<M>>,
    /// By input, the first rank that has the same memory.
    sharers: Vec<usize>,
    pub(super) outputs: Vec<Option<M>>,
    pub(super) frame: M,
    /// What its network's calls lay side by side.
    pub(super) staged: Option<M>,
}

/// By rank, a place and the first rank that has the same one.
type Brought<M> = Vec<(Place<M>, usize)>;

impl<D: Device> Executable<D> {
    /// Brings whole inputs to the devices, in the order of the main function, with memory for all else.
    ///
    /// # Errors
    /// `R002` when the inputs do not fit the program, `R004` for elements that the GPU cannot hold, `A006` for want of
    /// memory.
    pub fn begin(&self, inputs: &[Tensor]) -> Result<Session<'_, D>, Diagnostic> {
        let Module { program, code, .. } = &*self.module;
        let wanted = program.inputs.len();
        if wanted != inputs.len() {
            let title = format!("the program has {wanted} inputs, {} were given", inputs.len());
            return Err(Diagnostic::new(Code::R002, title));
        }
        // By stage and input, what its devices hold.
        let mut pieces: Vec<Vec<Brought<D::Memory>>> =
            program.stages.iter().map(|stage| vec![Vec::new(); stage.inputs.len()]).collect();
        for (input, tensor) in program.inputs.iter().zip(inputs) {
            for &(stage, at) in &input.at {
                pieces[stage][at] = self.brought(stage, at, tensor)?;
            }
        }
        let (mut held, staged) = (Vec::with_capacity(program.device_count()), self.staged_bytes());
        for ((stage, code), pieces) in program.stages.iter().zip(code).zip(pieces) {
            for (place, rank) in stage.devices.ranks().enumerate() {
                let device = &self.seat(rank).device;
                let own = |output: &Output| match *output {
                    Output::Own(bytes, duty) if self.performer(duty, rank) == rank => device.memory(bytes).map(Some),
                    Output::Own(..) | Output::Over(_) => Ok(None),
                };
                let outputs = code.outputs.iter().map(own).collect::<Result<_, _>>()?;
                let staged = (staged > 0).then(|| device.memory(staged)).transpose()?;
                let (inputs, sharers) = pieces.iter().filter_map(|input| input.get(place).cloned()).unzip();
                held.push(Held { inputs, sharers, outputs, frame: device.memory(code.frame_bytes())?, staged });
            }
        }
        Ok(Session { executable: self, held, launches: Launches::default() })
    }

    /// Brings an input of a stage to its devices: by device, its piece.
    fn brought(&self, stage: usize, input: usize, tensor: &Tensor) -> Result<Brought<D::Memory>, Diagnostic> {
        let Module { program, target, code, .. } = &*self.module;
        let Stage { devices, inputs, .. } = &program.stages[stage];
        let Port { name, value, .. } = &inputs[input];
        if value.ty != tensor.ty {
            let title = format!("`{name}` is {}, {} was given", value.ty, tensor.ty);
            return Err(Diagnostic::new(Code::R002, title));
        }
        // Ranks of one device share a piece that several have, unless it is written over.
        let is_shared = self.seats.len() == 1 && !code[stage].outputs.contains(&Output::Over(input));
        let mut made: Vec<(Arc<Tensor>, Place<D::Memory>, usize)> = Vec::new();
        for (rank, piece) in devices.ranks().zip(shard(tensor, value.layout.as_deref(), &devices.mesh)) {
            let known = made.iter().find(|(tensor, ..)| is_shared && Arc::ptr_eq(tensor, &piece));
            let (place, sharer) = match known {
                Some((_, place, sharer)) => (place.clone(), *sharer),
                None => (Place::whole(put(&self.seat(rank).device, &words::brought(&piece, *target, name)?)?), rank),
            };
            made.push((piece, place, sharer));
        }
        Ok(made.into_iter().map(|(_, place, sharer)| (place, sharer)).collect())
    }
}

impl<D: Device> Session<'_, D> {
    /// Runs the program once.
    ///
    /// # Errors
    /// `R004` when a device is lost.
    pub fn step(&mut self) -> Result<(), Diagnostic> {
        self.step_by(&mut |_, device, kernel, places| device.launch(kernel, places))
    }

    /// The same with a launcher of one's own, which measures, say.
    ///
    /// # Errors
    /// As [`Session::step`], and as the launcher.
    pub fn step_by(&mut self, launcher: Launcher<'_, D>) -> Result<(), Diagnostic> {
        let mut stages = self.running();
        let done = self.run(&mut stages, launcher);
        // Memory goes away behind what is computed, and so must not be used beside it any more.
        let mut stages = stages.iter_mut().enumerate();
        let ended = stages.try_for_each(|(stage, running)| self.wait_for_all(stage, &mut running.meetings));
        let done = done.and(ended).and_then(|()| self.executable.devices().try_for_each(Device::flush));
        done.map_err(|e| self.failed(e))
    }

    /// The call of the main function of a stage.
    pub(super) fn main(&self, stage: usize) -> Call<D::Memory> {
        let ports = |held: &Held<D::Memory>| Ports {
            inputs: held.inputs.clone(),
            outputs: held.outputs.iter().map(|output| output.clone().map(Place::whole)).collect(),
        };
        let ranks = self.executable.module.program.stages[stage].devices.ranks();
        Call { stage, frame: 0, ports: self.held[ranks].iter().map(ports).collect() }
    }

    /// An error with what may have caused it. Devices that meet do not wait for each other any more.
    fn failed(&self, error: Diagnostic) -> Diagnostic {
        if let Some(network) = &self.executable.network {
            network.abort();
        }
        self.launches.explain(&self.executable.module, error)
    }

    /// Gives the next step another input.
    ///
    /// # Errors
    /// As [`Executable::begin`].
    pub fn put(&mut self, input: usize, tensor: &Tensor) -> Result<(), Diagnostic> {
        let program = &self.executable.module.program;
        known("input", input, program.inputs.len())?;
        for &(stage, at) in &program.inputs[input].at {
            let places = self.executable.brought(stage, at, tensor)?;
            let ranks = program.stages[stage].devices.ranks();
            for (held, (place, sharer)) in self.held[ranks].iter_mut().zip(places) {
                (held.inputs[at], held.sharers[at]) = (place, sharer);
            }
        }
        Ok(())
    }

    /// Makes an output of the last step an input of the next one; where it lies as the input does, it stays where it
    /// is.
    ///
    /// # Errors
    /// As [`Session::output`] and [`Session::put`].
    pub fn replace(&mut self, input: usize, output: usize) -> Result<(), Diagnostic> {
        let program = &self.executable.module.program;
        known("input", input, program.inputs.len())?;
        known("output", output, program.outputs.len())?;
        let (given, taken) = (&program.outputs[output].at, &program.inputs[input].at);
        let pairs: Vec<_> = given.iter().copied().zip(taken.iter().copied()).collect();
        let stays = |&((stage, output), (taker, input)): &((usize, usize), (usize, usize))| {
            stage == taker && self.stays(stage, output, input)
        };
        if given.len() != taken.len() || !pairs.iter().all(stays) {
            return self.put(input, &self.output(output)?);
        }
        pairs.into_iter().try_for_each(|((stage, output), (_, input))| self.hand_over(stage, output, input))
    }

    /// Returns whether an output of a stage can become its input without being moved.
    fn stays(&self, number: usize, output: usize, input: usize) -> bool {
        let Module { program, target, code, .. } = &*self.executable.module;
        let stage = &program.stages[number];
        let (from, to) = (&stage.outputs[output].value, &stage.inputs[input].value);
        // An `i64` that goes on and on is measured each time.
        let is_alike = from.ty == to.ty && from.layout == to.layout && to.ty.dtype != DType::I64;
        is_alike
            && match code[number].outputs[output] {
                Output::Over(over) => over == input,
                Output::Own(bytes, _) => bytes <= target.words(&to.local_type()) * 4,
            }
    }

    /// Makes the memory of an output of a stage that of an input, on each of its devices.
    fn hand_over(&mut self, number: usize, output: usize, input: usize) -> Result<(), Diagnostic> {
        let Module { program, code, .. } = &*self.executable.module;
        let Output::Own(bytes, duty) = code[number].outputs[output] else { return Ok(()) };
        let ranks = program.stages[number].devices.ranks();
        let performers: Vec<usize> = ranks.clone().map(|rank| self.executable.performer(duty, rank)).collect();
        let given = performers.iter().map(|&performer| self.held[performer].outputs[output].clone());
        let none = || Diagnostic::new(Code::R004, "a device ended without a result");
        let given = given.collect::<Option<Vec<D::Memory>>>().ok_or_else(none)?;
        let inputs = self.held[ranks.clone()].iter().map(|held| Some(held.inputs[input].memory.clone()));
        let mut free: Vec<Option<D::Memory>> = inputs.collect();
        for (rank, (memory, performer)) in ranks.clone().zip(given.into_iter().zip(performers)) {
            let sharer = self.held[rank].sharers[input];
            let held = &mut self.held[rank];
            (held.inputs[input], held.sharers[input]) = (Place::whole(memory), performer);
            // What the input was in takes the next output; if several had it, that of one.
            if performer == rank {
                held.outputs[output] = match free[sharer - ranks.start].take() {
                    Some(memory) => Some(memory),
                    None => Some(self.executable.seat(rank).device.memory(bytes)?),
                };
            }
        }
        Ok(())
    }

    /// A whole output of the last step.
    ///
    /// # Errors
    /// `R003` when devices that should hold the same piece do not, `R004` when a device is lost.
    pub fn output(&self, number: usize) -> Result<Tensor, Diagnostic> {
        let Module { program, target, code, .. } = &*self.executable.module;
        known("output", number, program.outputs.len())?;
        // Stages that give the same output agree.
        let none = || Diagnostic::new(Code::R004, "no stage gives an output");
        let &(stage, number) = program.outputs[number].at.first().ok_or_else(none)?;
        let (Stage { devices, outputs, .. }, code) = (&program.stages[stage], &code[stage]);
        let Port { name, value, .. } = &outputs[number];
        let (ty, ranks) = (value.local_type(), devices.ranks());
        let owner = |rank: usize| match code.outputs[number] {
            Output::Own(_, duty) => self.executable.performer(duty, rank),
            Output::Over(_) => rank,
        };
        let place = |rank: usize| match code.outputs[number] {
            Output::Own(..) => {
                let none = || Diagnostic::new(Code::R004, "a device ended without a result");
                Ok(Place::whole(self.held[owner(rank)].outputs[number].clone().ok_or_else(none)?))
            }
            Output::Over(input) => Ok(self.held[rank].inputs[input].clone()),
        };
        let places = ranks.clone().map(place).collect::<Result<Vec<_>, Diagnostic>>()?;
        let waited = self.executable.wait_for_devices();
        let owner_of = |at: usize| owner(ranks.start + at);
        let read = waited.and_then(|()| self.executable.download(places, target.words(&ty), owner_of));
        let read = read.map_err(|e| self.failed(e))?;
        // What is downloaded comes behind all that was launched on its device.
        let seats = self.executable.seats.len();
        ranks.clone().for_each(|rank| self.launches.forget(owner(rank) % seats));
        let pieces: Vec<Arc<Tensor>> = read.iter().map(|words| Arc::new(words::tensor(&ty, *target, words))).collect();
        gather(&pieces, value, &devices.mesh, name)
    }

    /// The whole outputs of the last step.
    ///
    /// # Errors
    /// As [`Session::output`].
    pub fn outputs(&self) -> Result<Vec<Tensor>, Diagnostic> {
        (0..self.executable.module.program.outputs.len()).map(|number| self.output(number)).collect()
    }
}

/// Refuses what the program has not.
fn known(what: &str, number: usize, count: usize) -> Result<(), Diagnostic> {
    let title = || format!("there is no {what} {number}: the program has {count}");
    if number < count { Ok(()) } else { Err(Diagnostic::new(Code::R002, title())) }
}

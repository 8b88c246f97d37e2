//! A program's memory on its GPUs, from step to step: what a step gives may become what the next one takes, without
//! leaving them.

use super::faults::Launches;
use super::meeting::Meetings;
use super::tasks::Launcher;
use super::{Executable, put};
use crate::device::{Device, Place};
use crate::module::Module;
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
        let Module { program, mesh, code, .. } = &*self.module;
        let wanted = program.inputs().len();
        if wanted != inputs.len() {
            let title = format!("the program has {wanted} inputs, {} were given", inputs.len());
            return Err(Diagnostic::new(Code::R002, title));
        }
        let mut pieces = vec![(Vec::with_capacity(wanted), Vec::with_capacity(wanted)); mesh.device_count()];
        for (input, tensor) in inputs.iter().enumerate() {
            for ((inputs, sharers), (place, sharer)) in pieces.iter_mut().zip(self.brought(input, tensor)?) {
                inputs.push(place);
                sharers.push(sharer);
            }
        }
        let (mut held, staged) = (Vec::with_capacity(pieces.len()), self.staged_bytes());
        for (rank, (inputs, sharers)) in pieces.into_iter().enumerate() {
            let device = &self.seat(rank).device;
            let own = |output: &Output| match *output {
                Output::Own(bytes, duty) if self.performer(duty, rank) == rank => device.memory(bytes).map(Some),
                Output::Own(..) | Output::Over(_) => Ok(None),
            };
            let outputs = code.outputs.iter().map(own).collect::<Result<_, _>>()?;
            let staged = (staged > 0).then(|| device.memory(staged)).transpose()?;
            held.push(Held { inputs, sharers, outputs, frame: device.memory(code.frame_bytes())?, staged });
        }
        Ok(Session { executable: self, held, launches: Launches::default() })
    }

    /// Brings an input to the devices: by rank, its piece.
    fn brought(&self, input: usize, tensor: &Tensor) -> Result<Brought<D::Memory>, Diagnostic> {
        let Module { program, mesh, target, code, .. } = &*self.module;
        let id = program.inputs()[input];
        let (path, value) = (program.path_of(id), &program.values[id]);
        if value.ty != tensor.ty {
            let title = format!("`{path}` is {}, {} was given", value.ty, tensor.ty);
            return Err(Diagnostic::new(Code::R002, title));
        }
        // Ranks of one device share a piece that several have, unless it is written over.
        let is_shared = self.seats.len() == 1 && !code.outputs.contains(&Output::Over(input));
        let mut made: Vec<(Arc<Tensor>, Place<D::Memory>, usize)> = Vec::new();
        for (rank, piece) in shard(tensor, value.layout.as_deref(), mesh).into_iter().enumerate() {
            let known = made.iter().find(|(tensor, ..)| is_shared && Arc::ptr_eq(tensor, &piece));
            let (place, sharer) = match known {
                Some((_, place, sharer)) => (place.clone(), *sharer),
                None => (Place::whole(put(&self.seat(rank).device, &words::brought(&piece, *target, path)?)?), rank),
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
        let inputs: Vec<Vec<Place<D::Memory>>> = self.held.iter().map(|held| held.inputs.clone()).collect();
        let mut meetings = Meetings::default();
        let done = self.body(self.executable.module.code.bodies.len() - 1, 0, &inputs, &mut meetings, launcher);
        // Memory goes away behind what is computed, and so must not be used beside it any more.
        let ended = self.wait_for_all(&mut meetings);
        let done = done.and(ended).and_then(|()| self.executable.devices().try_for_each(Device::flush));
        done.map_err(|e| self.failed(e))
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
        known("input", input, self.executable.module.program.inputs().len())?;
        let places = self.executable.brought(input, tensor)?;
        for (held, (place, sharer)) in self.held.iter_mut().zip(places) {
            (held.inputs[input], held.sharers[input]) = (place, sharer);
        }
        Ok(())
    }

    /// Makes an output of the last step an input of the next one; where it lies as the input does, it stays where it
    /// is.
    ///
    /// # Errors
    /// As [`Session::output`] and [`Session::put`].
    pub fn replace(&mut self, input: usize, output: usize) -> Result<(), Diagnostic> {
        let Module { program, target, code, .. } = &*self.executable.module;
        known("input", input, program.inputs().len())?;
        known("output", output, program.outputs().len())?;
        let (from, to) = (program.outputs()[output].value, program.inputs()[input]);
        let (from, to) = (&program.values[from], &program.values[to]);
        // An `i64` that goes on and on is measured each time.
        let is_alike = from.ty == to.ty && from.layout == to.layout && to.ty.dtype != DType::I64;
        let enough = target.words(&to.local_type()) * 4;
        match code.outputs[output] {
            Output::Over(over) if over == input && is_alike => Ok(()),
            Output::Own(bytes, duty) if bytes <= enough && is_alike => {
                let performers: Vec<usize> =
                    (0..self.held.len()).map(|rank| self.executable.performer(duty, rank)).collect();
                let given = performers.iter().map(|&performer| self.held[performer].outputs[output].clone());
                let none = || Diagnostic::new(Code::R004, "a device ended without a result");
                let given = given.collect::<Option<Vec<D::Memory>>>().ok_or_else(none)?;
                let mut free: Vec<Option<D::Memory>> =
                    self.held.iter().map(|held| Some(held.inputs[input].memory.clone())).collect();
                for (rank, (memory, performer)) in given.into_iter().zip(performers).enumerate() {
                    let sharer = self.held[rank].sharers[input];
                    let held = &mut self.held[rank];
                    (held.inputs[input], held.sharers[input]) = (Place::whole(memory), performer);
                    // What the input was in takes the next output; if several had it, that of one.
                    if performer == rank {
                        held.outputs[output] = match free[sharer].take() {
                            Some(memory) => Some(memory),
                            None => Some(self.executable.seat(rank).device.memory(bytes)?),
                        };
                    }
                }
                Ok(())
            }
            Output::Own(..) | Output::Over(_) => self.put(input, &self.output(output)?),
        }
    }

    /// A whole output of the last step.
    ///
    /// # Errors
    /// `R003` when devices that should hold the same piece do not, `R004` when a device is lost.
    pub fn output(&self, number: usize) -> Result<Tensor, Diagnostic> {
        let Module { program, mesh, target, code, .. } = &*self.executable.module;
        known("output", number, program.outputs().len())?;
        let output = &program.outputs()[number];
        let value = &program.values[output.value];
        let ty = value.local_type();
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
        let places = (0..self.held.len()).map(place).collect::<Result<Vec<_>, Diagnostic>>()?;
        let waited = self.executable.wait_for_devices();
        let read = waited.and_then(|()| self.executable.download(places, target.words(&ty), owner));
        let read = read.map_err(|e| self.failed(e))?;
        // What is downloaded comes behind all that was launched on its device.
        let seats = self.executable.seats.len();
        (0..self.held.len()).for_each(|rank| self.launches.forget(owner(rank) % seats));
        let pieces: Vec<Arc<Tensor>> = read.iter().map(|words| Arc::new(words::tensor(&ty, *target, words))).collect();
        gather(&pieces, value, mesh, &output.name)
    }

    /// The whole outputs of the last step.
    ///
    /// # Errors
    /// As [`Session::output`].
    pub fn outputs(&self) -> Result<Vec<Tensor>, Diagnostic> {
        (0..self.executable.module.program.outputs().len()).map(|number| self.output(number)).collect()
    }
}

/// Refuses what the program has not.
fn known(what: &str, number: usize, count: usize) -> Result<(), Diagnostic> {
    let title = || format!("there is no {what} {number}: the program has {count}");
    if number < count { Ok(()) } else { Err(Diagnostic::new(Code::R002, title())) }
}

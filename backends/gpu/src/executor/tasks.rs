//! Carrying out a schedule: each task on all ranks, then the next.

use super::meeting::Meetings;
use super::session::Session;
use super::{Executable, Seat};
use crate::device::{Device, Place};
use crate::module::{Arg, Launch};
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_runtime::code::{Act, Address, Base, Task};

/// Launches the kernel of that number of the module on a device.
pub type Launcher<'l, D> =
    &'l mut dyn FnMut(usize, &D, &<D as Device>::Kernel, &[Place<<D as Device>::Memory>]) -> Result<(), Diagnostic>;

/// By rank, the inputs of a function.
pub(super) type Inputs<D> = [Vec<Place<<D as Device>::Memory>>];

impl<D: Device> Session<'_, D> {
    /// Runs a function on frames that begin at that byte.
    pub(super) fn body(
        &self,
        body: usize,
        frame: usize,
        inputs: &Inputs<D>,
        meetings: &mut Meetings<D>,
        launcher: Launcher<'_, D>,
    ) -> Result<(), Diagnostic> {
        let code = &self.executable.module.code;
        for task in &code.bodies[body].tasks {
            match &task.act {
                Act::Compute(launch, scratch) => {
                    self.compute(task, launch, frame + scratch, frame, inputs, launcher)?
                }
                Act::Start(site) => self.start(task, *site, frame, inputs, meetings)?,
                Act::Wait(site) => self.wait(*site, meetings)?,
                Act::Loop { trip, body, frame: inner } => {
                    let places = |rank: usize| -> Result<Vec<_>, Diagnostic> {
                        task.reads.iter().map(|&at| self.place(rank, at, frame, &inputs[rank])).collect()
                    };
                    let places = (0..self.held.len()).map(places).collect::<Result<Vec<_>, _>>()?;
                    for _ in 0..*trip {
                        self.body(*body, frame + inner, &places, meetings, launcher)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Where an address is on a rank.
    pub(super) fn place(
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
        launcher: Launcher<'_, D>,
    ) -> Result<(), Diagnostic> {
        let Executable { coordinates, .. } = self.executable;
        for (rank, inputs) in inputs.iter().enumerate() {
            if self.executable.performer(task.duty, rank) != rank {
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
                let launched = (rank % self.executable.seats.len(), dispatch.kernel, task.name);
                self.launches.add(launched);
                let done = launcher(dispatch.kernel, device, &kernels[dispatch.kernel], &places);
                if self.executable.is_blocking {
                    let module = &self.executable.module;
                    let done = done.and_then(|()| device.synchronize());
                    done.map_err(|e| self.launches.caused_by(module, launched, e))?;
                    self.launches.forget(launched.0);
                } else {
                    done?;
                }
            }
        }
        Ok(())
    }
}

//! Carrying out a schedule: each task on all ranks of a stage, then the next.

use super::meeting::Meetings;
use super::session::Session;
use super::{Executable, Seat};
use crate::device::{Device, Place};
use crate::module::{Arg, Launch};
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_runtime::code::{Act, Address, Addresses, Base, Task};

/// Launches the kernel of that number of the module on a device.
pub type Launcher<'l, D> =
    &'l mut dyn FnMut(usize, &D, &<D as Device>::Kernel, &[Place<<D as Device>::Memory>]) -> Result<(), Diagnostic>;

/// A running function of a stage.
pub(super) struct Call<M> {
    /// The stage.
    pub(super) stage: usize,
    /// Offset of its frames, in bytes.
    pub(super) frame: usize,
    /// By device of the stage, its inputs and outputs.
    pub(super) ports: Vec<Ports<M>>,
}

/// The inputs and outputs of a function on one rank.
pub(super) struct Ports<M> {
    pub(super) inputs: Vec<Place<M>>,
    /// Nothing for an output that is written over an input, or that another rank has.
    pub(super) outputs: Vec<Option<Place<M>>>,
}

impl<D: Device> Session<'_, D> {
    /// Carries out a task.
    pub(super) fn task(
        &self,
        task: &Task<Launch>,
        call: &Call<D::Memory>,
        meetings: &mut Meetings<D>,
        launcher: Launcher<'_, D>,
    ) -> Result<(), Diagnostic> {
        match &task.act {
            Act::Compute(launch, scratch) => self.compute(task, launch, call.frame + scratch, call, launcher),
            Act::Start(site) => self.start(task, *site, call, meetings),
            Act::Wait(site) => self.wait(call.stage, *site, meetings),
            Act::Loop { trip, body, frame } => {
                let ports = |place: usize| -> Result<Ports<D::Memory>, Diagnostic> {
                    let all = |addresses: &Addresses| -> Result<Vec<Place<D::Memory>>, Diagnostic> {
                        addresses.iter().map(|&at| self.place(place, at, call)).collect()
                    };
                    let (inputs, outputs) = (all(&task.reads)?, all(&task.writes)?);
                    Ok(Ports { inputs, outputs: outputs.into_iter().map(Some).collect() })
                };
                let ports = (0..call.ports.len()).map(ports).collect::<Result<_, _>>()?;
                let inner = Call { stage: call.stage, frame: call.frame + frame, ports };
                let tasks = &self.executable.module.code[call.stage].bodies[*body].tasks;
                for _ in 0..*trip {
                    tasks.iter().try_for_each(|task| self.task(task, &inner, meetings, launcher))?;
                }
                Ok(())
            }
        }
    }

    /// The rank of a device of a stage.
    pub(super) fn rank(&self, stage: usize, place: usize) -> usize {
        self.executable.module.program.stages[stage].devices.first_rank + place
    }

    /// Returns the memory of an address on a device of the stage.
    pub(super) fn place(
        &self,
        place: usize,
        at: Address,
        call: &Call<D::Memory>,
    ) -> Result<Place<D::Memory>, Diagnostic> {
        let (rank, ports) = (self.rank(call.stage, place), &call.ports[place]);
        let found = match at.base {
            Base::Frame => Some((&self.held[rank].frame, call.frame)),
            Base::Input(i) => ports.inputs.get(i as usize).map(|input| (&input.memory, input.offset)),
            Base::Output(i) => {
                ports.outputs.get(i as usize).and_then(Option::as_ref).map(|output| (&output.memory, output.offset))
            }
            Base::Constant(i) => {
                self.executable.seat(rank).constants[call.stage].get(i as usize).map(|constant| (constant, 0))
            }
        };
        let none = || Diagnostic::new(ErrorCode::R004, format!("device {rank} has no memory for a value"));
        let (memory, start) = found.ok_or_else(none)?;
        Ok(Place { memory: memory.clone(), offset: start + at.offset })
    }

    fn compute(
        &self,
        task: &Task<Launch>,
        launch: &Launch,
        scratch: usize,
        call: &Call<D::Memory>,
        launcher: Launcher<'_, D>,
    ) -> Result<(), Diagnostic> {
        let Executable { coordinates, .. } = self.executable;
        for place in 0..call.ports.len() {
            let rank = self.rank(call.stage, place);
            if self.executable.performer(task.duty, rank) != rank {
                continue;
            }
            let Seat { device, kernels, .. } = self.executable.seat(rank);
            for dispatch in &launch.dispatches {
                let buffer = |arg: &Arg| match *arg {
                    Arg::Read(i) => self.place(place, task.reads[i], call),
                    Arg::Write(i) => self.place(place, task.writes[i], call),
                    Arg::Scratch(at) => Ok(Place { memory: self.held[rank].frame.clone(), offset: scratch + at }),
                    Arg::Place => Ok(Place::whole(coordinates[rank].clone())),
                };
                let places = dispatch.args.iter().map(buffer).collect::<Result<Vec<_>, _>>()?;
                let launched = (rank % self.executable.seats.len(), call.stage, dispatch.kernel, task.name);
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

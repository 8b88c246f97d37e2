//! Execution of a schedule: each task on all ranks of a stage, then the next.

use super::DeviceContext;
use super::communication::PendingOps;
use super::session::Session;
use crate::device::{Device, DevicePtr};
use crate::module::{Arg, Launch};
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_runtime::code::{Address, Addresses, Base, Task, TaskAction};

/// Callback that launches a kernel on a device; the first argument is the index of the kernel in the module.
pub type Launcher<'l, D> =
    &'l mut dyn FnMut(usize, &D, &<D as Device>::Kernel, &[DevicePtr<<D as Device>::Memory>]) -> Result<(), Diagnostic>;

/// A call of a function on all devices of a stage.
pub(super) struct Invocation<M> {
    /// Index of the stage.
    pub(super) stage: usize,
    /// Offset of the function's frame, in bytes.
    pub(super) frame: usize,
    /// Inputs and outputs on each device of the stage in this process.
    pub(super) ports: Vec<Ports<M>>,
}

/// Inputs and outputs of a function on one rank.
pub(super) struct Ports<M> {
    pub(super) inputs: Vec<DevicePtr<M>>,
    /// `None` for an output that is written over an input, or that another rank computes.
    pub(super) outputs: Vec<Option<DevicePtr<M>>>,
}

impl<D: Device> Session<'_, D> {
    /// Executes a task.
    pub(super) fn task(
        &self,
        task: &Task<Launch>,
        call: &Invocation<D::Memory>,
        pending: &mut PendingOps<D>,
        launcher: Launcher<'_, D>,
    ) -> Result<(), Diagnostic> {
        match &task.action {
            TaskAction::Compute(launch, scratch) => self.compute(task, launch, call.frame + scratch, call, launcher),
            TaskAction::Start(site) => self.start(task, *site, call, pending),
            TaskAction::Wait(site) => self.wait(call.stage, *site, pending),
            TaskAction::Loop { trip, body, frame, .. } => {
                let ports = |position: usize| -> Result<Ports<D::Memory>, Diagnostic> {
                    let all = |addresses: &Addresses| -> Result<Vec<DevicePtr<D::Memory>>, Diagnostic> {
                        addresses.iter().map(|&at| self.resolve(position, at, call)).collect()
                    };
                    let (inputs, outputs) = (all(&task.reads)?, all(&task.writes)?);
                    Ok(Ports { inputs, outputs: outputs.into_iter().map(Some).collect() })
                };
                let ports = (0..call.ports.len()).map(ports).collect::<Result<_, _>>()?;
                let inner = Invocation { stage: call.stage, frame: call.frame + frame, ports };
                let tasks = &self.executable.module.code[call.stage].bodies[*body].tasks;
                for _ in 0..*trip {
                    tasks.iter().try_for_each(|task| self.task(task, &inner, pending, launcher))?;
                }
                Ok(())
            }
        }
    }

    /// Returns the rank of the device at a position among those of a stage in this process.
    pub(super) fn rank(&self, stage: usize, position: usize) -> usize {
        self.executable.ranks_of(stage).start + position
    }

    /// Resolves an address of a task to memory of the device at a position among those of the stage in this process.
    ///
    /// # Errors
    /// `R004` if the device has no memory for the address.
    pub(super) fn resolve(
        &self,
        position: usize,
        at: Address,
        call: &Invocation<D::Memory>,
    ) -> Result<DevicePtr<D::Memory>, Diagnostic> {
        let (rank, ports) = (self.rank(call.stage, position), &call.ports[position]);
        let found = match at.base {
            Base::Frame => Some((&self.memory(rank).frame, call.frame)),
            Base::Input(i) => ports.inputs.get(i as usize).map(|input| (&input.memory, input.offset)),
            Base::Output(i) => {
                ports.outputs.get(i as usize).and_then(Option::as_ref).map(|output| (&output.memory, output.offset))
            }
            Base::Constant(i) => {
                self.executable.context(rank).constants[call.stage].get(i as usize).map(|constant| (constant, 0))
            }
        };
        let none = || Diagnostic::new(ErrorCode::R004, format!("device {rank} has no memory for a value"));
        let (memory, start) = found.ok_or_else(none)?;
        Ok(DevicePtr { memory: memory.clone(), offset: start + at.offset })
    }

    fn compute(
        &self,
        task: &Task<Launch>,
        launch: &Launch,
        scratch: usize,
        call: &Invocation<D::Memory>,
        launcher: Launcher<'_, D>,
    ) -> Result<(), Diagnostic> {
        for position in 0..call.ports.len() {
            let rank = self.rank(call.stage, position);
            if self.executable.executing_rank(task.owner, rank) != rank {
                continue;
            }
            let DeviceContext { device, kernels, .. } = self.executable.context(rank);
            for dispatch in &launch.dispatches {
                let buffer = |arg: &Arg| match *arg {
                    Arg::Read(i) => self.resolve(position, task.reads[i], call),
                    Arg::Write(i) => self.resolve(position, task.writes[i], call),
                    Arg::Scratch(at) => Ok(DevicePtr { memory: self.memory(rank).frame.clone(), offset: scratch + at }),
                    Arg::Coordinates => Ok(DevicePtr::new(self.executable.coordinates(rank).clone())),
                };
                let ptrs = dispatch.args.iter().map(buffer).collect::<Result<Vec<_>, _>>()?;
                let launched = (self.executable.context_index(rank), call.stage, dispatch.kernel, task.name);
                self.launches.add(launched);
                let done = launcher(dispatch.kernel, device, &kernels[dispatch.kernel], &ptrs);
                if self.executable.is_blocking {
                    let module = &self.executable.module;
                    let done = done.and_then(|()| device.synchronize());
                    done.map_err(|e| self.launches.caused_by(module, launched, e))?;
                    self.launches.remove_completed(launched.0);
                } else {
                    done?;
                }
            }
        }
        Ok(())
    }
}

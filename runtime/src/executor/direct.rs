//! Execution of one program on the devices of one mesh.

use super::{DeviceSet, Executable, StageInterface, StageTensor};
use crate::code::{Code, Output};
use crate::compile::Compiled;
use crate::devices::{DeviceProgram, RunState};
use crate::footprint::Footprint;
use crate::kernel::Kernel;
use crate::memory::Buffer;
use crate::prediction::{RunPrediction, predict, timeline};
use crate::processes::Processes;
use crate::scatter::first_replica;
use crate::shared::Limits;
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::interp::MAX_LIVE_TENSOR_BYTES;
use partita_ir::mesh::DeviceMesh;
use partita_ir::program::{Name, Program};
use partita_ir::tensor::Tensor;
use partita_machine::host::Host;
use partita_machine::timeline::Timeline;
use std::sync::Arc;

/// Compiled program on one mesh: every device runs the same code, without a schedule.
pub struct Direct {
    devices: DeviceSet,
    footprint: Footprint,
    /// Bytes that all devices access in a run; a shared shard counts once.
    total_bytes: u64,
}

impl Direct {
    /// Creates the devices of a compiled program.
    ///
    /// # Errors
    /// `R004` when they exceed the memory limit of a process.
    pub fn new(compiled: Compiled<Arc<dyn Kernel>>) -> Result<Direct, Diagnostic> {
        Direct::with_devices(compiled, Ok)
    }

    /// Creates the devices of a program that was compiled without replica deduplication, divided among processes.
    ///
    /// # Errors
    /// `R004` for more processes than devices, or when the devices of this process exceed its memory limit.
    pub fn on_processes(compiled: Compiled<Arc<dyn Kernel>>, processes: Arc<Processes>) -> Result<Direct, Diagnostic> {
        Direct::with_devices(compiled, |devices| devices.on_processes(processes))
    }

    fn with_devices(
        compiled: Compiled<Arc<dyn Kernel>>,
        place: impl FnOnce(DeviceSet) -> Result<DeviceSet, Diagnostic>,
    ) -> Result<Direct, Diagnostic> {
        let Compiled { program, mesh, code } = compiled;
        let inputs = program.inputs();
        let tensor = |position, value: ValueId, name: &str| StageTensor {
            position,
            name: Name::new(name),
            value: program.values[value].clone(),
        };
        let stage = StageInterface {
            mesh: mesh.clone(),
            ranks: 0..mesh.device_count(),
            inputs: inputs.iter().enumerate().map(|(i, &v)| tensor(i, v, program.path_of(v))).collect(),
            outputs: program.outputs().iter().enumerate().map(|(i, o)| tensor(i, o.value, &o.name)).collect(),
        };
        let footprint = footprint(&program, &code);
        let total_bytes = total_bytes(&program, &code, &mesh);
        let constants: Arc<[Buffer]> = code.constants.iter().map(Buffer::from_tensor).collect();
        let code = Arc::new(code);
        let device_program = |position| {
            let (code, constants, mesh) = (code.clone(), constants.clone(), mesh.clone());
            DeviceProgram { code, constants, first_replicas: shared_inputs(&program, &mesh, position), mesh, position }
        };
        let programs = (0..mesh.device_count()).map(device_program).collect();
        let names = program.outputs().iter().map(|output| &output.name);
        let devices = place(DeviceSet::new(programs, vec![stage], inputs.len(), names)?)?;
        check_memory(&program, footprint, devices.local().len())?;
        Ok(Direct { devices, footprint, total_bytes })
    }

    /// Sets the limits of a run.
    pub fn with_limits(mut self, limits: Limits) -> Direct {
        self.devices.limits = limits;
        self
    }

    /// Returns the memory footprint of one device.
    pub fn footprint(&self) -> Footprint {
        self.footprint
    }
}

impl Executable for Direct {
    fn devices(&self) -> &DeviceSet {
        &self.devices
    }

    fn footprints(&self) -> Vec<Footprint> {
        vec![self.footprint]
    }

    fn predict(&self, host: &Host) -> (RunPrediction, Timeline) {
        let programs = &self.devices.programs;
        let prediction = predict(programs, self.total_bytes, host);
        let timeline = timeline(programs, &prediction.intervals, prediction.seconds);
        (prediction, timeline)
    }

    fn run_recorded(&self, inputs: &[Tensor]) -> Result<(Vec<Tensor>, Timeline), Diagnostic> {
        let mut state = RunState::default();
        let (outputs, intervals) = self.devices.run_recorded(self.devices.scatter(inputs)?, &mut state)?;
        Ok((self.devices.gather(&outputs)?, timeline(&self.devices.programs, &intervals, state.seconds())))
    }
}

/// Returns the bytes of an output with a separate buffer, else 0.
fn buffer_bytes(output: &Output) -> u64 {
    if let Output::Buffer(bytes, _) = output { *bytes as u64 } else { 0 }
}

/// Returns the memory footprint of one device.
fn footprint(program: &Program, code: &Code<Arc<dyn Kernel>>) -> Footprint {
    let inputs = program.inputs().iter().map(|&v| program.values[v].local_type().bytes());
    let outputs = code.outputs.iter().map(buffer_bytes);
    Footprint {
        inputs: inputs.fold(0, u64::saturating_add),
        frame: code.frame_bytes() as u64,
        outputs: outputs.fold(0, u64::saturating_add),
    }
}

/// Returns the bytes that all devices access. Identical shards of inputs share one buffer, and so do outputs that one
/// device computes for its replicas.
fn total_bytes(program: &Program, code: &Code<Arc<dyn Kernel>>, mesh: &DeviceMesh) -> u64 {
    let inputs = program.inputs().iter().map(|&v| program.ty(v).bytes());
    let own = |output: &Output| match *output {
        Output::Buffer(bytes, owner) => {
            let owners = (0..mesh.device_count()).filter(|&rank| owner.device_for(mesh, rank) == rank);
            bytes as u64 * owners.count() as u64
        }
        Output::InPlace(_) => 0,
    };
    let frames = (code.frame_bytes() as u64).saturating_mul(mesh.device_count() as u64);
    inputs.chain(code.outputs.iter().map(own)).fold(frames, u64::saturating_add)
}

/// Returns for each input the first device with the same shard.
fn shared_inputs(program: &Program, mesh: &DeviceMesh, rank: usize) -> Arc<[usize]> {
    let inputs = program.inputs().iter().map(|&v| program.values[v].layout.as_deref());
    inputs.map(|layout| first_replica(layout, mesh, rank)).collect()
}

/// Rejects programs whose devices in this process exceed its memory limit.
fn check_memory(program: &Program, footprint: Footprint, devices: usize) -> Result<(), Diagnostic> {
    let inputs = program.inputs().iter().map(|&v| program.ty(v).bytes()).fold(0, u64::saturating_add);
    let each = footprint.frame.saturating_add(footprint.outputs);
    let all = each.saturating_mul(devices as u64).saturating_add(inputs);
    let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30));
    if all <= MAX_LIVE_TENSOR_BYTES {
        return Ok(());
    }
    let (all, most) = (gib(all), gib(MAX_LIVE_TENSOR_BYTES));
    let title = format!("{devices} devices need {all} of memory in this process, but the limit is {most}");
    Err(Diagnostic::new(ErrorCode::R004, title).note(format!("each needs {} beyond the inputs", gib(each))))
}

//! One program on the devices of one mesh.

use super::{DeviceSet, Executable, StageInterface, StageTensor};
use crate::code::{Code, Output};
use crate::compile::Compiled;
use crate::devices::{Seat, Warm};
use crate::footprint::Footprint;
use crate::forecast::{Forecast, forecast, timeline};
use crate::kernel::Kernel;
use crate::memory::Buffer;
use crate::shared::Limits;
use partita_ir::arena::{Id, ValueId};
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::interp::MAX_HELD_BYTES;
use partita_ir::layout::Layout;
use partita_ir::mesh::Mesh;
use partita_ir::program::{Name, Program};
use partita_ir::tensor::Tensor;
use partita_machine::host::Host;
use partita_machine::timeline::Timeline;
use std::sync::Arc;

/// A compiled program on one mesh: every device runs the same code, without a schedule.
pub struct Direct {
    devices: DeviceSet,
    footprint: Footprint,
    /// Bytes that all devices access in a run: a shard that several of them share counts once.
    total_bytes: u64,
}

impl Direct {
    /// The devices of a compiled program.
    ///
    /// # Errors
    /// `R004` when they do not fit into one process.
    pub fn new(compiled: Compiled<Arc<dyn Kernel>>) -> Result<Direct, Diagnostic> {
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
        check_memory(&program, footprint, mesh.device_count())?;
        let total_bytes = total_bytes(&program, &code, &mesh);
        let constants: Arc<[Buffer]> = code.constants.iter().map(Buffer::of).collect();
        let code = Arc::new(code);
        let seat = |place| {
            let (code, constants, mesh) = (code.clone(), constants.clone(), mesh.clone());
            Seat { code, constants, pieces: shared_inputs(&program, &mesh, place), mesh, place }
        };
        let seats = (0..mesh.device_count()).map(seat).collect();
        let names = program.outputs().iter().map(|output| &output.name);
        let devices = DeviceSet::new(seats, vec![stage], inputs.len(), names)?;
        Ok(Direct { devices, footprint, total_bytes })
    }

    /// The same program with other limits.
    pub fn with_limits(mut self, limits: Limits) -> Direct {
        self.devices.limits = limits;
        self
    }

    /// Memory of one device in a run.
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

    fn forecast(&self, host: &Host) -> (Forecast, Timeline) {
        let seats = &self.devices.seats;
        let forecast = forecast(seats, self.total_bytes, host);
        let timeline = timeline(seats, &forecast.happened, forecast.seconds);
        (forecast, timeline)
    }

    fn run_recorded(&self, inputs: &[Tensor]) -> Result<(Vec<Tensor>, Timeline), Diagnostic> {
        let mut warm = Warm::default();
        let (outputs, happened) = self.devices.run_recorded(self.devices.scatter(inputs)?, &mut warm)?;
        Ok((self.devices.gather(&outputs)?, timeline(&self.devices.seats, &happened, warm.seconds())))
    }
}

/// Bytes of an output in a buffer of its own.
fn own_bytes(output: &Output) -> u64 {
    if let Output::Own(bytes, _) = output { *bytes as u64 } else { 0 }
}

/// Memory of one device.
fn footprint(program: &Program, code: &Code<Arc<dyn Kernel>>) -> Footprint {
    let inputs = program.inputs().iter().map(|&v| program.values[v].local_type().bytes());
    let outputs = code.outputs.iter().map(own_bytes);
    Footprint {
        inputs: inputs.fold(0, u64::saturating_add),
        frame: code.frame_bytes() as u64,
        outputs: outputs.fold(0, u64::saturating_add),
    }
}

/// Bytes that all devices access: shards of inputs that are the same are one buffer, and so are outputs that one device
/// computes for others.
fn total_bytes(program: &Program, code: &Code<Arc<dyn Kernel>>, mesh: &Mesh) -> u64 {
    let inputs = program.inputs().iter().map(|&v| program.ty(v).bytes());
    let own = |output: &Output| match *output {
        Output::Own(bytes, duty) => {
            let owners = (0..mesh.device_count()).filter(|&rank| duty.of(mesh, rank) == rank);
            bytes as u64 * owners.count() as u64
        }
        Output::Over(_) => 0,
    };
    let frames = (code.frame_bytes() as u64).saturating_mul(mesh.device_count() as u64);
    inputs.chain(code.outputs.iter().map(own)).fold(frames, u64::saturating_add)
}

/// By input, the first device that has the same shard as this one: its place along axes that do not split the input
/// is 0.
fn shared_inputs(program: &Program, mesh: &Mesh, rank: usize) -> Arc<[usize]> {
    let inputs = program.inputs().iter().map(|&v| program.values[v].layout.as_deref());
    let first = |layout: Option<&Layout>| {
        let mut coords = mesh.coords(rank);
        let splits =
            |axis| layout.is_some_and(|layout| layout.dims.iter().any(|dim| dim.axes.iter().any(|a| a.axis == axis)));
        mesh.axis_ids().filter(|&axis| !splits(axis)).for_each(|axis| coords[axis.index()] = 0);
        mesh.rank(&coords)
    };
    inputs.map(first).collect()
}

/// Refuses what would take the memory of the machine: all devices are in this process.
fn check_memory(program: &Program, footprint: Footprint, devices: usize) -> Result<(), Diagnostic> {
    let inputs = program.inputs().iter().map(|&v| program.ty(v).bytes()).fold(0, u64::saturating_add);
    let each = footprint.frame.saturating_add(footprint.outputs);
    let all = each.saturating_mul(devices as u64).saturating_add(inputs);
    let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30));
    if all <= MAX_HELD_BYTES {
        return Ok(());
    }
    let (all, most) = (gib(all), gib(MAX_HELD_BYTES));
    let title = format!("{devices} devices need {all} of memory in this process, which is allowed {most}");
    Err(Diagnostic::new(ErrorCode::R004, title).note(format!("each needs {} beyond the inputs", gib(each))))
}

//! Running a program on many devices in one process.
//!
//! Inputs are whole tensors; each device gets its pieces, and the outputs are put together from the pieces of all
//! devices. A device is a list of tasks and the place in it: when a collective that it needs is not complete, the
//! thread goes on with another device, so that there are never more threads than cores. The first error on any device,
//! a panic included, stops them all and is what the run returns.

use crate::code::{Code, Output};
use crate::compile::Compiled;
use crate::devices::{Pieces, Seat, Warm, run};
use crate::footprint::Footprint;
use crate::forecast::{Forecast, forecast};
use crate::kernel::Kernel;
use crate::memory::Buffer;
use crate::scatter::{scatter, whole};
use crate::shared::Limits;
use partita_ir::arena::Id;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::interp::MAX_HELD_BYTES;
use partita_ir::layout::Layout;
use partita_ir::mesh::Mesh;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_machine::host::Host;
use partita_machine::timeline::Timeline;
use std::sync::Arc;

/// A compiled program that can be run any number of times. Copies share its code.
#[derive(Clone)]
pub struct Executable {
    program: Arc<Program>,
    mesh: Arc<Mesh>,
    code: Arc<Code<Arc<dyn Kernel>>>,
    /// What all devices share.
    constants: Arc<[Buffer]>,
    limits: Limits,
}

impl Executable {
    /// A compiled program.
    ///
    /// # Errors
    /// `R004` when the program's devices do not fit into one process.
    pub fn new(compiled: Compiled<Arc<dyn Kernel>>) -> Result<Executable, Diagnostic> {
        let Compiled { program, mesh, code } = compiled;
        let constants = code.constants.iter().map(Buffer::of).collect();
        let executable = Executable { program, mesh, code: Arc::new(code), constants, limits: Limits::default() };
        executable.check_memory()?;
        Ok(executable)
    }

    /// The same program with other limits.
    pub fn with_limits(self, limits: Limits) -> Executable {
        Executable { limits, ..self }
    }

    /// How many devices it runs on.
    pub fn device_count(&self) -> usize {
        self.mesh.device_count()
    }

    /// What one device takes of memory.
    pub fn footprint(&self) -> Footprint {
        let inputs = self.program.inputs().iter().map(|&v| self.program.values[v].local_type().bytes());
        let own = |output: &Output| if let Output::Own(bytes, _) = output { *bytes as u64 } else { 0 };
        let outputs = self.code.outputs.iter().map(own);
        Footprint {
            inputs: inputs.fold(0, u64::saturating_add),
            frame: self.code.frame_bytes() as u64,
            outputs: outputs.fold(0, u64::saturating_add),
        }
    }

    /// What a run would take on a host, and what each device would do when.
    pub fn forecast(&self, host: &Host) -> (Forecast, Timeline) {
        let (seats, footprint) = (self.seats(), self.total_bytes());
        let forecast = forecast(&seats, footprint, host);
        let timeline = forecast.timeline(&seats);
        (forecast, timeline)
    }

    /// What all devices go over: pieces of inputs that are the same lie in one place, and outputs where they are
    /// computed.
    fn total_bytes(&self) -> u64 {
        let inputs = self.program.inputs().iter().map(|&v| self.program.ty(v).bytes());
        let own = |output: &Output| match *output {
            Output::Own(bytes, duty) => {
                let owners = (0..self.device_count()).filter(|&rank| duty.of(&self.mesh, rank) == rank);
                bytes as u64 * owners.count() as u64
            }
            Output::Over(_) => 0,
        };
        let frames = (self.code.frame_bytes() as u64).saturating_mul(self.device_count() as u64);
        inputs.chain(self.code.outputs.iter().map(own)).fold(frames, u64::saturating_add)
    }

    /// Runs the program on whole inputs, in the order of the main function, and returns the whole outputs.
    ///
    /// # Errors
    /// `R002` when the inputs do not fit the program, `R003` when devices that should hold the same piece of an output
    /// do not, `R004` and `R005` when a device fails or does not come to a collective.
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        self.expect_inputs(inputs.len())?;
        let mut pieces = vec![Pieces::with_capacity(inputs.len()); self.device_count()];
        for (i, input) in inputs.iter().enumerate() {
            pieces.iter_mut().zip(self.scatter(i, input)?).for_each(|(pieces, piece)| pieces.push(piece));
        }
        let pieces = self.run_devices(pieces, &mut Warm::default())?;
        (0..self.program.outputs().len()).map(|i| self.gather_output(i, &pieces)).collect()
    }

    /// Whether the program has that many inputs.
    pub(crate) fn expect_inputs(&self, given: usize) -> Result<(), Diagnostic> {
        let wanted = self.program.inputs().len();
        if wanted == given {
            return Ok(());
        }
        Err(Diagnostic::new(ErrorCode::R002, format!("the program has {wanted} inputs, {given} were given")))
    }

    /// Each device's piece of an input. Devices with the same piece share it.
    pub(crate) fn scatter(&self, input: usize, tensor: &Tensor) -> Result<Pieces, Diagnostic> {
        let value = self.program.inputs()[input];
        scatter(tensor, &self.program.values[value], &self.mesh, self.program.path_of(value))
    }

    /// The whole of an output, from each device's pieces of all outputs.
    pub(crate) fn gather_output(&self, output: usize, outputs: &[Pieces]) -> Result<Tensor, Diagnostic> {
        let of_rank: Pieces = outputs.iter().filter_map(|p| p.get(output).cloned()).collect();
        let output = &self.program.outputs()[output];
        whole(&of_rank, &self.program.values[output.value], &self.mesh, &output.name)
    }

    /// The whole of an input, from each device's piece.
    pub(crate) fn gather_input(&self, input: usize, pieces: &[Arc<Buffer>]) -> Result<Tensor, Diagnostic> {
        let value = self.program.inputs()[input];
        whole(pieces, &self.program.values[value], &self.mesh, self.program.path_of(value))
    }

    /// Whether an output lies on the devices as an input does.
    pub(crate) fn lies_alike(&self, output: usize, input: usize) -> bool {
        let main = &self.program.funcs[self.program.entry()];
        let value = |v| &self.program.values[v];
        let (output, input) = (value(main.outputs[output].value), value(main.inputs[input]));
        output.ty == input.ty && output.layout == input.layout
    }

    /// The inputs that outputs are written over.
    pub(crate) fn written_over(&self) -> impl Iterator<Item = usize> {
        self.code.outputs.iter().filter_map(|output| if let Output::Over(input) = *output { Some(input) } else { None })
    }

    /// The device that computes a device's piece of an output.
    pub(crate) fn computes_for(&self, rank: usize, output: usize) -> usize {
        match self.code.outputs[output] {
            Output::Own(_, duty) => duty.of(&self.mesh, rank),
            Output::Over(_) => rank,
        }
    }

    /// Runs all devices, and returns each device's pieces of the outputs. Memory of a run is taken from `warm` and put
    /// there again.
    pub(crate) fn run_devices(&self, inputs: Vec<Pieces>, warm: &mut Warm) -> Result<Vec<Pieces>, Diagnostic> {
        let count = inputs.len();
        let ended = run(&self.seats(), inputs, warm, false, self.limits)?;
        // What one device computed for others is theirs, too.
        let piece = |rank: usize, output: usize| ended.outputs[self.computes_for(rank, output)][output].clone();
        let none = || Diagnostic::new(ErrorCode::R004, "a device ended without a result");
        let pieces = |rank: usize| (0..self.code.outputs.len()).map(|i| piece(rank, i).ok_or_else(none)).collect();
        (0..count).map(pieces).collect()
    }

    /// Where each device is.
    fn seats(&self) -> Vec<Seat> {
        let seat = |place| {
            let (code, constants, mesh) = (self.code.clone(), self.constants.clone(), self.mesh.clone());
            Seat { code, constants, mesh, place, pieces: self.pieces(place) }
        };
        (0..self.device_count()).map(seat).collect()
    }

    /// By input, the first device that has the same piece as this one: its place along axes that do not split the input
    /// is 0.
    fn pieces(&self, rank: usize) -> Arc<[usize]> {
        let inputs = self.program.inputs().iter().map(|&v| self.program.values[v].layout.as_deref());
        let first = |layout: Option<&Layout>| {
            let mut coords = self.mesh.coords(rank);
            let splits = |axis| {
                layout.is_some_and(|layout| layout.dims.iter().any(|dim| dim.axes.iter().any(|a| a.axis == axis)))
            };
            self.mesh.axis_ids().filter(|&axis| !splits(axis)).for_each(|axis| coords[axis.index()] = 0);
            self.mesh.rank(&coords)
        };
        inputs.map(first).collect()
    }

    /// Refuses what would take the memory of the machine: all devices are in this process.
    fn check_memory(&self) -> Result<(), Diagnostic> {
        let program = &self.program;
        let inputs = program.inputs().iter().map(|&v| program.ty(v).bytes()).fold(0, u64::saturating_add);
        let footprint = self.footprint();
        let each = footprint.frame.saturating_add(footprint.outputs);
        let devices = self.device_count();
        let all = each.saturating_mul(devices as u64).saturating_add(inputs);
        let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30));
        if all <= MAX_HELD_BYTES {
            return Ok(());
        }
        let (all, most) = (gib(all), gib(MAX_HELD_BYTES));
        let title = format!("{devices} devices need {all} of memory in this process, which is allowed {most}");
        Err(Diagnostic::new(ErrorCode::R004, title).note(format!("each needs {} beyond the inputs", gib(each))))
    }
}

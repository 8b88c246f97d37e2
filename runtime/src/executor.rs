//! Running a program on many devices in one process: a thread a device.
//!
//! Inputs are whole tensors; each device gets its pieces, and the outputs are put together from the pieces of all devices.
//! The first error on any device, a panic included, stops them all and is what the run returns.

use crate::backend::{Backend, DeviceProgram};
use crate::kernel::{Kernel, Reference};
use crate::shard::{gather, shard};
use crate::shared::{Limits, World};
use crate::steps::Steps;
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::interp::{MAX_HELD_BYTES, held_bytes};
use partita_ir::mesh::Mesh;
use partita_ir::program::{Op, Program};
use partita_ir::tensor::Tensor;
use partita_ir::verify::{Local, Verified};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

/// More devices than this in one process are refused: each is a thread.
pub const MAX_DEVICES: usize = 1024;

/// A compiled program that can be run any number of times.
pub struct Executable {
    program: Arc<Program>,
    mesh: Arc<Mesh>,
    device: Box<dyn DeviceProgram>,
    limits: Limits,
}

/// Pieces of several tensors on one device.
pub(crate) type Pieces = Vec<Arc<Tensor>>;

impl Executable {
    /// A program in form local that computes every op that is not a collective or a loop with the kernel chosen for it.
    ///
    /// # Errors
    /// `R004` when the program has several meshes, more than [`MAX_DEVICES`] devices, loops that nest too deep, or values
    /// that do not fit into memory.
    pub fn from_kernels(
        program: Verified<'_, Local>,
        kernel: &dyn Fn(&Op) -> Arc<dyn Kernel>,
    ) -> Result<Executable, Diagnostic> {
        let program = Arc::new(Program::clone(&program));
        let mesh = Arc::new(mesh_of(&program)?);
        let steps = Steps::compile(program.clone(), mesh.clone(), kernel)?;
        check_memory(&program, &mesh, steps.peak_bytes())?;
        Ok(Executable { program, mesh, device: Box::new(steps), limits: Limits::default() })
    }

    /// The same program with other limits.
    pub fn with_limits(self, limits: Limits) -> Executable {
        Executable { limits, ..self }
    }

    /// How many devices it runs on.
    pub fn device_count(&self) -> usize {
        self.mesh.device_count()
    }

    /// Runs the program on whole inputs, in the order of the main function, and returns the whole outputs.
    ///
    /// # Errors
    /// `R002` when the inputs do not fit the program, `R003` when devices that should hold the same piece of an output do
    /// not, `R004` and `R005` when a device fails or does not come to a collective.
    pub fn run(&self, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
        self.expect_inputs(inputs.len())?;
        let mut pieces = vec![Pieces::with_capacity(inputs.len()); self.device_count()];
        for (i, input) in inputs.iter().enumerate() {
            pieces.iter_mut().zip(self.scatter(i, input)?).for_each(|(pieces, piece)| pieces.push(piece));
        }
        let pieces = self.run_devices(pieces)?;
        (0..self.program.main().outputs.len()).map(|i| self.gather_output(i, &pieces)).collect()
    }

    /// Whether the program has that many inputs.
    pub(crate) fn expect_inputs(&self, given: usize) -> Result<(), Diagnostic> {
        let wanted = self.program.main().inputs.len();
        if wanted == given {
            return Ok(());
        }
        Err(Diagnostic::new(Code::R002, format!("the program has {wanted} inputs, {given} were given")))
    }

    /// Each device's piece of an input.
    pub(crate) fn scatter(&self, input: usize, tensor: &Tensor) -> Result<Pieces, Diagnostic> {
        let value = self.program.main().inputs[input];
        let (path, value) = (self.program.path_of(value), &self.program.values[value]);
        if value.ty != tensor.ty {
            let title = format!("`{path}` is {}, {} was given", value.ty, tensor.ty);
            return Err(Diagnostic::new(Code::R002, title));
        }
        Ok(shard(tensor, value.layout.as_deref(), &self.mesh))
    }

    /// The whole of an output, from each device's pieces of all outputs.
    pub(crate) fn gather_output(&self, output: usize, outputs: &[Pieces]) -> Result<Tensor, Diagnostic> {
        let of_rank: Pieces = outputs.iter().filter_map(|p| p.get(output).cloned()).collect();
        let output = &self.program.main().outputs[output];
        gather(&of_rank, &self.program.values[output.value], &self.mesh, &output.name)
    }

    /// The whole of an input, from each device's piece.
    pub(crate) fn gather_input(&self, input: usize, pieces: &[Arc<Tensor>]) -> Result<Tensor, Diagnostic> {
        let value = self.program.main().inputs[input];
        gather(pieces, &self.program.values[value], &self.mesh, self.program.path_of(value))
    }

    /// Whether an output lies on the devices as an input does.
    pub(crate) fn lies_alike(&self, output: usize, input: usize) -> bool {
        let main = self.program.main();
        let value = |v| &self.program.values[v];
        let (output, input) = (value(main.outputs[output].value), value(main.inputs[input]));
        output.ty == input.ty && output.layout == input.layout
    }

    /// Runs all devices, and returns each device's pieces of the outputs.
    pub(crate) fn run_devices(&self, inputs: Vec<Pieces>) -> Result<Vec<Pieces>, Diagnostic> {
        let world = World::new(inputs.len(), self.limits);
        let outputs: Vec<Option<Pieces>> = thread::scope(|scope| {
            let start = |(rank, inputs): (usize, Pieces)| {
                let world = &world;
                let thread = thread::Builder::new().name(format!("device {rank}"));
                let handle = thread.spawn_scoped(scope, move || self.run_device(world, rank, inputs));
                handle.map_err(|e| {
                    world.abort(Diagnostic::new(Code::R004, format!("device {rank} could not be started: {e}")));
                })
            };
            let handles: Vec<_> = inputs.into_iter().enumerate().map(start).collect();
            handles.into_iter().map(|h| h.ok()?.join().ok()?).collect()
        });
        world.check()?;
        let outputs: Option<Vec<Pieces>> = outputs.into_iter().collect();
        outputs.ok_or_else(|| Diagnostic::new(Code::R004, "a device ended without a result"))
    }

    /// Runs one device. What goes wrong is told to the others; then there is no result.
    fn run_device(&self, world: &World, rank: usize, inputs: Pieces) -> Option<Pieces> {
        let member = world.enter(rank).ok()?;
        let run = AssertUnwindSafe(|| self.device.run(&member, inputs));
        let outcome = catch_unwind(run).unwrap_or_else(|panic| {
            let title = format!("device {rank} panicked: {}", panic_message(&*panic));
            Err(Diagnostic::new(Code::R004, title).note("this is an error in Partita, not in the model"))
        });
        outcome.map_err(|why| world.abort(why)).ok()
    }
}

/// The mesh that the program runs on; one device when it has none.
fn mesh_of(program: &Program) -> Result<Mesh, Diagnostic> {
    let count = program.meshes.len();
    let mesh = match program.mesh() {
        Some((_, mesh)) => mesh.clone(),
        None if count == 0 => Mesh::new::<&str>("one", []),
        None => {
            return Err(Diagnostic::new(Code::R004, format!("the program has {count} meshes; only one can be run")));
        }
    };
    let devices = mesh.device_count();
    if devices > MAX_DEVICES {
        let title = format!("mesh `{}` has {devices} devices; one process runs at most {MAX_DEVICES}", mesh.name);
        return Err(Diagnostic::new(Code::R004, title));
    }
    Ok(mesh)
}

/// Refuses what would take the memory of the machine: all devices are in this process.
fn check_memory(program: &Program, mesh: &Mesh, each: u64) -> Result<(), Diagnostic> {
    let inputs = program.main().inputs.iter().map(|&v| held_bytes(program.ty(v))).fold(0, u64::saturating_add);
    let devices = mesh.device_count();
    let all = each.saturating_mul(devices as u64).saturating_add(inputs);
    let gib = |bytes: u64| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30));
    if all <= MAX_HELD_BYTES {
        return Ok(());
    }
    let (all, most) = (gib(all), gib(MAX_HELD_BYTES));
    let title = format!("{devices} devices need {all} of memory in this process, which is allowed {most}");
    Err(Diagnostic::new(Code::R004, title).note(format!("each needs {} beyond the inputs", gib(each))))
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Evaluates every op by its reference, on the devices of one process.
pub struct Interpreter;

impl Backend for Interpreter {
    fn compile(&self, program: Verified<'_, Local>) -> Result<Executable, Diagnostic> {
        let reference: Arc<dyn Kernel> = Arc::new(Reference);
        Executable::from_kernels(program, &|_| reference.clone())
    }
}

/// Runs a program in form local by the ops' reference evaluations: whole inputs to whole outputs.
///
/// # Errors
/// As [`Executable::from_kernels`] and [`Executable::run`].
pub fn run_local(program: Verified<'_, Local>, inputs: &[Tensor]) -> Result<Vec<Tensor>, Diagnostic> {
    Interpreter.compile(program)?.run(inputs)
}

//! Running a program on many devices in one process.
//!
//! Inputs are whole tensors; each device gets its pieces, and the outputs are put together from the pieces of all devices. A
//! device is a list of tasks and the place in it: when a collective that it needs is not complete, the thread goes on with
//! another device, so that there are never more threads than cores. The first error on any device, a panic included, stops them
//! all and is what the run returns.
#![allow(unsafe_code, reason = "tasks work on the memory of devices")]

use crate::code::{Act, Address, Addresses, Base, Code, Output};
use crate::communicator::{Brought, Communicator, Site, Ticket};
use crate::compile::Compiled;
use crate::exchange::Part;
use crate::footprint::Footprint;
use crate::kernel::{Kernel, KernelCx, Memory};
use crate::memory::Buffer;
use crate::shard::{gather, shard};
use crate::shared::{Limits, Member, World, cores};
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::interp::{MAX_HELD_BYTES, Place};
use partita_ir::mesh::Mesh;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use rayon::{ThreadPool, ThreadPoolBuilder};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::Duration;

/// More devices than this in one process are refused: all their memory is here.
pub const MAX_DEVICES: usize = 1024;

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

/// Pieces of several tensors on one device.
pub(crate) type Pieces = Vec<Arc<Buffer>>;

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
        let inputs = self.program.main().inputs.iter().map(|&v| self.program.values[v].local_type().bytes());
        let own = |output: &Output| if let Output::Own(bytes, _) = output { *bytes as u64 } else { 0 };
        let outputs = self.code.outputs.iter().map(own);
        Footprint {
            inputs: inputs.fold(0, u64::saturating_add),
            frame: self.code.frame_bytes() as u64,
            outputs: outputs.fold(0, u64::saturating_add),
        }
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
        let pieces = self.run_devices(pieces, &mut Vec::new())?;
        (0..self.program.main().outputs.len()).map(|i| self.gather_output(i, &pieces)).collect()
    }

    /// Whether the program has that many inputs.
    pub(crate) fn expect_inputs(&self, given: usize) -> Result<(), Diagnostic> {
        let wanted = self.program.main().inputs.len();
        if wanted == given {
            return Ok(());
        }
        Err(Diagnostic::new(ErrorCode::R002, format!("the program has {wanted} inputs, {given} were given")))
    }

    /// Each device's piece of an input. Devices with the same piece share it.
    pub(crate) fn scatter(&self, input: usize, tensor: &Tensor) -> Result<Pieces, Diagnostic> {
        let value = self.program.main().inputs[input];
        let (path, value) = (self.program.path_of(value), &self.program.values[value]);
        if value.ty != tensor.ty {
            let title = format!("`{path}` is {}, {} was given", value.ty, tensor.ty);
            return Err(Diagnostic::new(ErrorCode::R002, title));
        }
        let mut made: Vec<(Arc<Tensor>, Arc<Buffer>)> = Vec::new();
        let pieces = shard(tensor, value.layout.as_deref(), &self.mesh).into_iter().map(|piece| {
            match made.iter().find(|(tensor, _)| Arc::ptr_eq(tensor, &piece)) {
                Some((_, buffer)) => buffer.clone(),
                None => {
                    let buffer = Arc::new(Buffer::of(&piece));
                    made.push((piece, buffer.clone()));
                    buffer
                }
            }
        });
        Ok(pieces.collect())
    }

    /// The whole of an output, from each device's pieces of all outputs.
    pub(crate) fn gather_output(&self, output: usize, outputs: &[Pieces]) -> Result<Tensor, Diagnostic> {
        let of_rank: Pieces = outputs.iter().filter_map(|p| p.get(output).cloned()).collect();
        let output = &self.program.main().outputs[output];
        self.whole(&of_rank, output.value, &output.name)
    }

    /// The whole of an input, from each device's piece.
    pub(crate) fn gather_input(&self, input: usize, pieces: &[Arc<Buffer>]) -> Result<Tensor, Diagnostic> {
        let value = self.program.main().inputs[input];
        self.whole(pieces, value, self.program.path_of(value))
    }

    fn whole(&self, pieces: &[Arc<Buffer>], value: ValueId, name: &str) -> Result<Tensor, Diagnostic> {
        let value = &self.program.values[value];
        let local = value.local_type();
        // Devices that share a buffer share the tensor.
        let mut read: FxHashMap<*mut u8, Arc<Tensor>> = FxHashMap::default();
        let tensor = |piece: &Arc<Buffer>| {
            let tensor = || Arc::new(Tensor::from_bytes(local.clone(), piece.as_slice()));
            read.entry(piece.start()).or_insert_with(tensor).clone()
        };
        let pieces: Vec<Arc<Tensor>> = pieces.iter().map(tensor).collect();
        gather(&pieces, value, &self.mesh, name)
    }

    /// Whether an output lies on the devices as an input does.
    pub(crate) fn lies_alike(&self, output: usize, input: usize) -> bool {
        let main = self.program.main();
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

    /// Runs all devices, and returns each device's pieces of the outputs. Memory of a run is taken from `spare` and put there
    /// again.
    pub(crate) fn run_devices(&self, inputs: Vec<Pieces>, spare: &mut Vec<Spare>) -> Result<Vec<Pieces>, Diagnostic> {
        let pool = pool(self.limits.cores)?;
        let threads = (self.limits.cores / inputs.len().max(1)).max(1);
        spare.resize_with(inputs.len(), Spare::default);
        let devices: Vec<Mutex<Device>> = inputs
            .into_iter()
            .zip(std::mem::take(spare))
            .enumerate()
            .map(|(rank, (inputs, spare))| {
                let constants = self.constants.clone();
                Mutex::new(Device::new(&self.code, &self.mesh, rank, inputs, constants, spare))
            })
            .collect();
        let count = devices.len();
        let run = Arc::new_cyclic(|run: &std::sync::Weak<Run>| {
            let (run, wake_pool) = (run.clone(), pool.clone());
            let wake = move |rank: usize| {
                if let Some(run) = run.upgrade() {
                    wake_pool.spawn(move || run.drive(rank));
                }
            };
            Run {
                code: self.code.clone(),
                mesh: self.mesh.clone(),
                threads,
                world: World::new(count, wake),
                devices,
                left: Mutex::new(count),
                done: Condvar::new(),
            }
        });
        for rank in 0..count {
            let run = run.clone();
            pool.spawn(move || run.drive(rank));
        }
        run.wait(self.limits.deadline);
        run.world.check()?;
        let mut computed = Vec::with_capacity(count);
        for device in &run.devices {
            let mut device = device.lock().unwrap_or_else(PoisonError::into_inner);
            let (pieces, left) = device.take(&self.code.outputs);
            computed.push(pieces);
            spare.push(left);
        }
        // What one device computed for others is theirs, too.
        let piece = |rank: usize, output: usize| computed[self.computes_for(rank, output)][output].clone();
        let none = || Diagnostic::new(ErrorCode::R004, "a device ended without a result");
        let pieces = |rank: usize| (0..self.code.outputs.len()).map(|i| piece(rank, i).ok_or_else(none)).collect();
        (0..count).map(pieces).collect()
    }

    /// Refuses what would take the memory of the machine: all devices are in this process.
    fn check_memory(&self) -> Result<(), Diagnostic> {
        let program = &self.program;
        let inputs = program.main().inputs.iter().map(|&v| program.ty(v).bytes()).fold(0, u64::saturating_add);
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

/// The mesh that the program runs on; one device when it has none.
///
/// # Errors
/// `R004` when it has several, or too many devices.
pub fn mesh_of(program: &Program) -> Result<Mesh, Diagnostic> {
    let count = program.meshes.len();
    let mesh = match program.mesh() {
        Some((_, mesh)) => mesh.clone(),
        None if count == 0 => Mesh::new::<&str>("one", []),
        None => {
            return Err(Diagnostic::new(
                ErrorCode::R004,
                format!("the program has {count} meshes; only one can be run"),
            ));
        }
    };
    let devices = mesh.device_count();
    if devices > MAX_DEVICES {
        let title = format!("mesh `{}` has {devices} devices; one process runs at most {MAX_DEVICES}", mesh.name);
        return Err(Diagnostic::new(ErrorCode::R004, title));
    }
    Ok(mesh)
}

/// The threads on which devices compute. Those for all cores stay for the life of the process.
fn pool(threads: usize) -> Result<Arc<ThreadPool>, Diagnostic> {
    static ALL: OnceLock<Arc<ThreadPool>> = OnceLock::new();
    let new = || {
        let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("devices {i}"));
        let started = builder.build().map(Arc::new);
        started.map_err(|e| Diagnostic::new(ErrorCode::R004, format!("no threads can be started: {e}")))
    };
    if threads != cores() {
        return new();
    }
    match ALL.get() {
        Some(pool) => Ok(pool.clone()),
        None => Ok(ALL
            .get_or_init({
                let pool = new()?;
                || pool
            })
            .clone()),
    }
}

/// Memory that one run leaves for the next.
#[derive(Default)]
pub(crate) struct Spare {
    frame: Option<Buffer>,
    /// Buffers that were inputs once and are nobody's now.
    pub(crate) buffers: Vec<Buffer>,
}

impl Spare {
    /// A buffer of so many bytes.
    fn buffer(&mut self, bytes: usize) -> Buffer {
        match self.buffers.iter().position(|b| b.len() == bytes) {
            Some(at) => self.buffers.swap_remove(at),
            None => Buffer::zeroed(bytes),
        }
    }
}

/// All devices while they run.
struct Run {
    code: Arc<Code<Arc<dyn Kernel>>>,
    mesh: Arc<Mesh>,
    /// On how many threads a kernel may compute.
    threads: usize,
    world: World,
    devices: Vec<Mutex<Device>>,
    /// Devices that have not ended.
    left: Mutex<usize>,
    done: Condvar,
}

impl Run {
    /// Waits until all devices have ended, and watches over the deadline.
    fn wait(&self, deadline: Duration) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        while *left > 0 {
            let next = if self.world.check().is_err() { Duration::from_secs(1) } else { self.world.expire(deadline) };
            left = self.done.wait_timeout(left, next).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Goes on with a device until it has to wait or ends. What goes wrong is told to the others.
    fn drive(&self, rank: usize) {
        let mut device = self.devices[rank].lock().unwrap_or_else(PoisonError::into_inner);
        let member = self.world.member(rank);
        let advance = AssertUnwindSafe(|| device.advance(self, &member));
        let ended = match catch_unwind(advance) {
            Ok(Ok(ended)) => ended,
            Ok(Err(why)) => {
                self.world.abort(why);
                true
            }
            Err(panic) => {
                let title = format!("device {rank} panicked: {}", panic_message(&*panic));
                let why = Diagnostic::new(ErrorCode::R004, title);
                self.world.abort(why.note("this is an error in Partita, not in the model"));
                true
            }
        };
        if ended {
            drop(device);
            self.world.finish(rank);
            let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
            *left -= 1;
            self.done.notify_all();
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// One device while it runs: its memory, and where it is in the program.
struct Device {
    inputs: Pieces,
    constants: Arc<[Buffer]>,
    outputs: Vec<Option<Buffer>>,
    frame: Buffer,
    spare: Spare,
    /// The functions that it is in, the innermost last.
    calls: Vec<Call>,
    /// By collective, what it waits for.
    tickets: Vec<Option<Ticket>>,
}

/// A function that runs.
struct Call {
    body: usize,
    /// The next task.
    task: usize,
    /// How often it still runs, this time included.
    turns: u64,
    /// Where its memory begins in the frame.
    frame: usize,
    /// Where its inputs are.
    inputs: Vec<*mut u8>,
}

// SAFETY: the pointers of a call lead into the buffers of its device, which moves with it.
unsafe impl Send for Device {}

impl Device {
    fn new<K>(
        code: &Code<K>,
        mesh: &Mesh,
        rank: usize,
        mut inputs: Pieces,
        constants: Arc<[Buffer]>,
        mut spare: Spare,
    ) -> Device {
        let frame = spare.frame.take().filter(|f| f.len() == code.frame_bytes());
        let frame = frame.unwrap_or_else(|| Buffer::zeroed(code.frame_bytes()));
        let mut outputs = Vec::with_capacity(code.outputs.len());
        for output in &code.outputs {
            match *output {
                Output::Own(bytes, duty) if duty.of(mesh, rank) == rank => outputs.push(Some(spare.buffer(bytes))),
                Output::Own(..) => outputs.push(None),
                Output::Over(input) => {
                    // What is written over must be nobody else's.
                    if Arc::get_mut(&mut inputs[input]).is_none() {
                        inputs[input] = Arc::new(Buffer::clone(&inputs[input]));
                    }
                    outputs.push(None);
                }
            }
        }
        let main = Call {
            body: code.bodies.len() - 1,
            task: 0,
            turns: 1,
            frame: 0,
            inputs: inputs.iter().map(|buffer| buffer.start()).collect(),
        };
        let tickets = vec![None; code.sites.len()];
        Device { inputs, constants, outputs, frame, spare, calls: vec![main], tickets }
    }

    /// The outputs that it computed, and memory that the next run can use.
    fn take(&mut self, wanted: &[Output]) -> (Vec<Option<Arc<Buffer>>>, Spare) {
        let outputs = wanted.iter().zip(&mut self.outputs).map(|(output, own)| match *output {
            Output::Own(..) => own.take().map(Arc::new),
            Output::Over(input) => Some(self.inputs[input].clone()),
        });
        let outputs = outputs.collect();
        let mut spare = std::mem::take(&mut self.spare);
        spare.frame = Some(std::mem::replace(&mut self.frame, Buffer::zeroed(0)));
        // An input whose place an output took over is the output's now.
        self.inputs.clear();
        (outputs, spare)
    }

    /// Goes on until the end (`true`), or until it has to wait.
    fn advance(&mut self, run: &Run, member: &Member<'_>) -> Result<bool, Diagnostic> {
        let code = &*run.code;
        let place = Place { mesh: &run.mesh, coords: run.mesh.coords(member.rank()) };
        let cx = KernelCx { place: &place, threads: run.threads };
        while let Some(call) = self.calls.last_mut() {
            member.check()?;
            let Some(task) = code.bodies[call.body].tasks.get(call.task) else {
                call.turns -= 1;
                call.task = 0;
                if call.turns == 0 {
                    self.calls.pop();
                }
                continue;
            };
            call.task += 1;
            if task.duty.of(&run.mesh, member.rank()) != member.rank() {
                continue;
            }
            match &task.act {
                Act::Compute(kernel, scratch) => {
                    let reads: SmallVec<[*const u8; 8]> = self.pointers(&task.reads).map(|p| p.cast_const()).collect();
                    let writes: SmallVec<[*mut u8; 4]> = self.pointers(&task.writes).collect();
                    let scratch = self.pointer(Address { base: Base::Frame, offset: *scratch });
                    let memory = Memory { reads: &reads, writes: &writes, scratch };
                    // SAFETY: the task was compiled to read and write there, on memory of this device alone.
                    let ran = unsafe { kernel.run(&cx, memory) };
                    ran.map_err(|why| {
                        let title = format!("`{}` {why}", code.names[task.name as usize]);
                        Diagnostic::new(ErrorCode::R004, title).note(format!("on device {}", member.rank()))
                    })?;
                }
                Act::Start(number) => {
                    let site = &code.sites[*number];
                    let parts = self.pointers(&task.reads).zip(self.pointers(&task.writes));
                    let brought = parts.zip(&site.bytes).map(|((input, output), &bytes)| Brought {
                        part: Part { input: input.cast_const(), output },
                        bytes,
                    });
                    let brought = brought.collect();
                    let at = Site { name: &site.name, group: &site.groups[member.rank()], exchanges: &site.exchanges };
                    self.tickets[*number] = Some(member.start(at, brought)?);
                }
                Act::Wait(number) => {
                    if let Some(ticket) = &self.tickets[*number]
                        && !member.poll(ticket)?
                    {
                        call.task -= 1;
                        return Ok(false);
                    }
                    self.tickets[*number] = None;
                }
                Act::Loop { trip, body, frame } if *trip > 0 => {
                    let inputs = self.pointers(&task.reads).collect();
                    let frame = self.calls.last().map_or(0, |call| call.frame) + frame;
                    self.calls.push(Call { body: *body, task: 0, turns: *trip, frame, inputs });
                }
                Act::Loop { .. } => {}
            }
        }
        Ok(true)
    }

    fn pointers<'a>(&'a self, addresses: &'a Addresses) -> impl Iterator<Item = *mut u8> + 'a {
        addresses.iter().map(|&address| self.pointer(address))
    }

    fn pointer(&self, at: Address) -> *mut u8 {
        let start = match at.base {
            Base::Frame => self.frame.start().wrapping_add(self.calls.last().map_or(0, |call| call.frame)),
            Base::Input(i) => self.calls.last().map_or(std::ptr::null_mut(), |call| call.inputs[i as usize]),
            Base::Output(i) => self.outputs[i as usize].as_ref().map_or(std::ptr::null_mut(), Buffer::start),
            Base::Constant(i) => self.constants[i as usize].start(),
        };
        start.wrapping_add(at.offset)
    }
}

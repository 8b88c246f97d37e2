//! Scheduler of the devices of this process: each device executes a list of tasks, and a thread pool executes all
//! devices.
//!
//! A thread whose device waits for an incomplete collective continues with another device, so that the number of
//! threads never exceeds the number of cores. The first error on any device, including a panic, stops all of them.
#![allow(unsafe_code, reason = "tasks work on the memory of devices")]

use crate::code::{Address, Addresses, Base, Code, Output, TaskAction};
use crate::collective_exec::MemberBuffers;
use crate::communicator::{CollectiveCall, CollectiveHandle, Communicator, Contribution};
use crate::kernel::{Kernel, KernelCx, Memory};
use crate::memory::Buffer;
use crate::processes::FailureSink;
use crate::shared::{DeviceProcesses, Limits, Member, World, cores};
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::mesh::DeviceMesh;
use partita_ir::ops::Loop;
use partita_ir::program::MeshPosition;
use rayon::{ThreadPool, ThreadPoolBuilder};
use smallvec::SmallVec;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Device buffers that contain shards: of several tensors on one device, or of one tensor on several devices.
pub(crate) type Shards = Vec<Arc<Buffer>>;

/// Returns a thread pool with the given number of threads. Pools of at most one thread for each core are shared and
/// exist for the lifetime of the process.
fn pool(threads: usize) -> Result<Arc<ThreadPool>, Diagnostic> {
    static POOLS: Mutex<Vec<Arc<ThreadPool>>> = Mutex::new(Vec::new());
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools.iter().find(|pool| pool.current_num_threads() == threads) {
        return Ok(pool.clone());
    }
    let builder = ThreadPoolBuilder::new().num_threads(threads).thread_name(|i| format!("devices {i}"));
    let started = builder.build().map(Arc::new);
    let pool = started.map_err(|e| Diagnostic::new(ErrorCode::R004, format!("no threads can be started: {e}")))?;
    if threads <= cores() {
        pools.push(pool.clone());
    }
    Ok(pool)
}

/// Memory of a device that is reused by the next run.
#[derive(Default)]
pub(crate) struct ReusableMemory {
    frame: Option<Buffer>,
    /// Unused buffers of earlier inputs.
    pub(crate) buffers: Vec<Buffer>,
}

impl ReusableMemory {
    /// Returns a buffer with the given number of bytes: an unused one of the same size, or a new one.
    fn buffer(&mut self, bytes: usize) -> Buffer {
        match self.buffers.iter().position(|b| b.len() == bytes) {
            Some(at) => self.buffers.swap_remove(at),
            None => Buffer::zeroed(bytes),
        }
    }
}

/// State passed from one run to the next.
#[derive(Default)]
pub struct RunState {
    /// Reusable memory of each device.
    pub(crate) memory: Vec<ReusableMemory>,
    /// Duration of the last run in seconds.
    pub(crate) seconds: f64,
}

impl RunState {
    /// Returns the duration of the last run in seconds, from the start of the first device to the end of the last.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }
}

/// Code of a device, and the position of the device in the mesh that runs the code.
#[derive(Clone)]
pub(crate) struct DeviceProgram {
    /// Code of the device.
    pub(crate) code: Arc<Code<Arc<dyn Kernel>>>,
    /// Constants, shared by all devices with the same code.
    pub(crate) constants: Arc<[Buffer]>,
    /// Mesh of the devices with the same code.
    pub(crate) mesh: Arc<DeviceMesh>,
    /// Position of the device in that mesh.
    pub(crate) position: usize,
    /// For each input, the position of the first device with an identical shard. Empty if replication is not analysed.
    pub(crate) first_replicas: Arc<[usize]>,
}

/// Recorded time interval of a task of the main function: the execution of a called function, or the wait for a
/// collective.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Interval {
    /// Index of the task in the main function.
    pub(crate) task: usize,
    /// Start in seconds since the start of the run.
    pub(crate) start: f64,
    /// End in seconds since the start of the run.
    pub(crate) end: f64,
}

/// Results of all devices.
pub(crate) struct RunOutputs {
    /// Outputs of each device; `None` for an output that another device computes in its place.
    pub(crate) outputs: Vec<Vec<Option<Arc<Buffer>>>>,
    /// Recorded intervals of each device; empty unless recording is enabled.
    pub(crate) intervals: Vec<Vec<Interval>>,
}

/// Runs the devices of this process to completion on their input shards, reusing memory of earlier runs. `record`
/// enables the recording of intervals. Devices of other processes have no outputs.
///
/// # Errors
/// The first error on any device.
pub(crate) fn run(
    programs: &[DeviceProgram],
    inputs: Vec<Shards>,
    state: &mut RunState,
    record: bool,
    (limits, processes): (Limits, Option<&DeviceProcesses>),
) -> Result<RunOutputs, Diagnostic> {
    let pool = pool(limits.cores)?;
    let local = processes.map_or(0..programs.len(), DeviceProcesses::local);
    let mut memory = std::mem::take(&mut state.memory);
    memory.resize_with(inputs.len(), ReusableMemory::default);
    let devices: Vec<RunningDevice> = inputs
        .into_iter()
        .zip(memory)
        .zip(programs)
        .skip(local.start)
        .take(local.len())
        .map(|((inputs, memory), program)| RunningDevice::new(program.clone(), inputs, memory))
        .collect();
    let started = Instant::now();
    let start = |device| Mutex::new(RunningDevice { started: record.then_some(started), ..device });
    let devices: Vec<Mutex<RunningDevice>> = devices.into_iter().map(start).collect();
    let count = devices.len();
    let threads = (limits.cores / count.max(1)).max(1);
    let run = Arc::new_cyclic(|run: &std::sync::Weak<Run>| {
        let (run, wake_pool) = (run.clone(), pool.clone());
        let wake = move |rank: usize| {
            if let Some(run) = run.upgrade() {
                wake_pool.spawn(move || run.drive(rank));
            }
        };
        let world = match processes {
            Some(processes) => World::on_processes(processes, wake),
            None => Arc::new(World::new(count, wake)),
        };
        Run { threads, world, first: local.start, devices, unfinished: Mutex::new(count), done: Condvar::new() }
    });
    if let Some(Err(why)) = processes.map(|devices| devices.processes().check()) {
        run.world.fail_from_outside(why);
    }
    for rank in local.clone() {
        let run = run.clone();
        pool.spawn(move || run.drive(rank));
    }
    run.wait(limits.deadline);
    run.world.end();
    if processes.is_some_and(|devices| devices.processes().lends_memory()) {
        // The run has failed, and a transport still accesses the memory of its devices.
        std::mem::forget(run.clone());
    }
    state.seconds = started.elapsed().as_secs_f64();
    run.world.check()?;
    let mut result = RunOutputs { outputs: Vec::new(), intervals: Vec::new() };
    for rank in 0..programs.len() {
        let device = rank.checked_sub(local.start).and_then(|position| run.devices.get(position));
        let Some(device) = device else {
            result.outputs.push(Vec::new());
            result.intervals.push(Vec::new());
            state.memory.push(ReusableMemory::default());
            continue;
        };
        let mut device = device.lock().unwrap_or_else(PoisonError::into_inner);
        let (outputs, memory) = device.take_outputs();
        result.outputs.push(outputs);
        state.memory.push(memory);
        result.intervals.push(std::mem::take(&mut device.intervals));
    }
    Ok(result)
}

/// State of a run, shared by all threads.
struct Run {
    /// Number of threads of a kernel.
    threads: usize,
    world: Arc<World>,
    /// Rank of the first device of this process.
    first: usize,
    /// Devices of this process.
    devices: Vec<Mutex<RunningDevice>>,
    /// Number of devices that have not finished.
    unfinished: Mutex<usize>,
    done: Condvar,
}

impl Run {
    /// Waits until all devices have finished and enforces the deadline.
    fn wait(&self, deadline: Duration) {
        let mut left = self.unfinished.lock().unwrap_or_else(PoisonError::into_inner);
        while *left > 0 {
            let next =
                if self.world.check().is_err() { Duration::from_secs(1) } else { self.world.check_deadline(deadline) };
            left = self.done.wait_timeout(left, next).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Executes a device until it waits or finishes. Errors abort all devices.
    fn drive(&self, rank: usize) {
        let mut device = self.devices[rank - self.first].lock().unwrap_or_else(PoisonError::into_inner);
        let member = self.world.member(rank);
        let advance = AssertUnwindSafe(|| device.advance(self, &member));
        let finished = match catch_unwind(advance) {
            Ok(Ok(finished)) => finished,
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
        if finished {
            drop(device);
            self.world.finish(rank);
            let mut left = self.unfinished.lock().unwrap_or_else(PoisonError::into_inner);
            *left -= 1;
            self.done.notify_all();
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// Device during a run: memory and position in the program.
struct RunningDevice {
    program: DeviceProgram,
    inputs: Shards,
    outputs: Vec<Option<Buffer>>,
    frame: Buffer,
    memory: ReusableMemory,
    /// Call stack, innermost function last.
    calls: Vec<CallFrame>,
    /// Handle of each communication site whose collective is in progress.
    handles: Vec<Option<CollectiveHandle>>,
    /// Start of the run, if recording is enabled.
    started: Option<Instant>,
    /// Start of the current wait in seconds since the start of the run, if recording is enabled.
    waits_since: Option<f64>,
    intervals: Vec<Interval>,
}

/// Function call in progress.
struct CallFrame {
    body: usize,
    /// Index of the next task.
    task: usize,
    /// Iterations left, including the current one.
    iterations_left: u64,
    /// Limit of the iterations of a `while` loop, or 0.
    limit: u64,
    /// Offset of its memory in the frame.
    frame: usize,
    /// Addresses of the inputs and outputs.
    inputs: Vec<*mut u8>,
    outputs: Vec<*mut u8>,
    /// Start of the call in seconds since the start of the run, if recording is enabled.
    since: Option<f64>,
}

/// Returns the value of a boolean in memory.
///
/// # Safety
/// `at` is the address of a boolean that no other thread writes.
unsafe fn holds(at: *const u8) -> bool {
    // SAFETY: guaranteed by the caller.
    unsafe { *at != 0 }
}

// SAFETY: the pointers of a call point into the buffers of its device, which are moved together with it.
unsafe impl Send for RunningDevice {}

impl RunningDevice {
    fn new(program: DeviceProgram, mut inputs: Shards, mut memory: ReusableMemory) -> RunningDevice {
        let DeviceProgram { code, mesh, position, .. } = &program;
        let frame = memory.frame.take().filter(|f| f.len() == code.frame_bytes());
        let frame = frame.unwrap_or_else(|| Buffer::zeroed(code.frame_bytes()));
        let mut outputs = Vec::with_capacity(code.outputs.len());
        for output in &code.outputs {
            match *output {
                Output::Buffer(bytes, owner) if owner.device_for(mesh, *position) == *position => {
                    outputs.push(Some(memory.buffer(bytes)))
                }
                Output::Buffer(..) => outputs.push(None),
                Output::InPlace(input) => {
                    // A buffer that is overwritten must not be shared.
                    if Arc::get_mut(&mut inputs[input]).is_none() {
                        inputs[input] = Arc::new(Buffer::clone(&inputs[input]));
                    }
                    outputs.push(None);
                }
            }
        }
        let main = CallFrame {
            body: code.bodies.len() - 1,
            task: 0,
            iterations_left: 1,
            limit: 0,
            frame: 0,
            inputs: inputs.iter().map(|buffer| buffer.start()).collect(),
            outputs: outputs.iter().map(|b| b.as_ref().map_or(std::ptr::null_mut(), Buffer::start)).collect(),
            since: None,
        };
        let handles = vec![None; code.sites.len()];
        let (started, waits_since, intervals) = Default::default();
        RunningDevice {
            program,
            inputs,
            outputs,
            frame,
            memory,
            calls: vec![main],
            handles,
            started,
            waits_since,
            intervals,
        }
    }

    /// Returns the outputs computed by this device and the memory for the next run.
    fn take_outputs(&mut self) -> (Vec<Option<Arc<Buffer>>>, ReusableMemory) {
        let outputs = self.program.code.outputs.iter().zip(&mut self.outputs).map(|(output, own)| match *output {
            Output::Buffer(..) => own.take().map(Arc::new),
            Output::InPlace(input) => Some(self.inputs[input].clone()),
        });
        let outputs = outputs.collect();
        let mut memory = std::mem::take(&mut self.memory);
        memory.frame = Some(std::mem::replace(&mut self.frame, Buffer::zeroed(0)));
        // An input overwritten by an output is now owned by the output.
        self.inputs.clear();
        (outputs, memory)
    }

    /// Executes tasks until the program ends (returns true) or the device has to wait.
    fn advance(&mut self, run: &Run, member: &Member<'_>) -> Result<bool, Diagnostic> {
        let DeviceProgram { code, mesh, position: rank, .. } = self.program.clone();
        let place = MeshPosition { mesh: &mesh, coords: mesh.coords(rank) };
        let cx = KernelCx { place: &place, threads: run.threads };
        while let Some(call) = self.calls.last_mut() {
            member.check()?;
            let Some(task) = code.bodies[call.body].tasks.get(call.task) else {
                call.iterations_left -= 1;
                call.task = 0;
                // SAFETY: the first input of a `while` loop is a boolean, which its body has written.
                let ends = call.limit > 0 && !unsafe { holds(call.inputs[0]) };
                if ends || call.iterations_left == 0 && call.limit == 0 {
                    self.end_call();
                } else if call.iterations_left == 0 {
                    let title = format!("a `while` loop {}", Loop::limit_message(call.limit));
                    return Err(Diagnostic::new(ErrorCode::R004, title)
                        .note(format!("on device {}", member.rank()))
                        .help("check its condition, or raise the limit in the program: `loop .. while LIMIT`"));
                }
                continue;
            };
            call.task += 1;
            if task.owner.device_for(&mesh, rank) != rank {
                continue;
            }
            match &task.action {
                TaskAction::Compute(kernel, scratch) => {
                    let reads: SmallVec<[*const u8; 8]> = self.pointers(&task.reads).map(|p| p.cast_const()).collect();
                    let writes: SmallVec<[*mut u8; 4]> = self.pointers(&task.writes).collect();
                    let scratch = self.pointer(Address { base: Base::Frame, offset: *scratch });
                    let memory = Memory { reads: &reads, writes: &writes, scratch };
                    // SAFETY: the task was compiled to access these addresses, which are in memory of this device
                    // alone.
                    let ran = unsafe { kernel.run(&cx, memory) };
                    ran.map_err(|why| {
                        let name = &code.names[task.name as usize];
                        let error = Diagnostic::new(ErrorCode::R004, format!("`{name}` {why}"));
                        let error = error.note(format!("on device {}", member.rank()));
                        match name.ends_with("= custom_call") {
                            true => error.help(
                                "export the model without the call, or run it on inputs for which it is not needed",
                            ),
                            false => error,
                        }
                    })?;
                }
                TaskAction::Start(number) => {
                    let site = &code.sites[*number];
                    let nowhere = || std::iter::repeat(std::ptr::null_mut());
                    let operands = self.pointers(&task.reads).chain(nowhere());
                    let results = self.pointers(&task.writes).chain(nowhere());
                    let buffers = operands.zip(results).zip(&site.bytes);
                    let contributions = buffers.map(|((input, output), &bytes)| Contribution {
                        buffers: MemberBuffers { input: input.cast_const(), output },
                        bytes,
                    });
                    let contributions = contributions.collect();
                    let call = CollectiveCall { name: &site.name, group: &site.groups[rank], execs: &site.execs };
                    self.handles[*number] = Some(member.start(call, contributions)?);
                }
                TaskAction::Wait(number) => {
                    if let Some(handle) = &self.handles[*number]
                        && !member.poll(handle)?
                    {
                        call.task -= 1;
                        self.waits_since =
                            self.waits_since.or(self.started.map(|started| started.elapsed().as_secs_f64()));
                        return Ok(false);
                    }
                    self.handles[*number] = None;
                    self.end_wait();
                }
                TaskAction::Loop { trip, limit, body, frame } => {
                    let (body, limit) = (*body, *limit);
                    let iterations_left = if limit > 0 { limit } else { *trip };
                    let inputs: Vec<*mut u8> = self.pointers(&task.reads).collect();
                    // SAFETY: the first input of a `while` loop is a boolean, which an earlier task has written.
                    if iterations_left == 0 || limit > 0 && !unsafe { holds(inputs[0]) } {
                        continue;
                    }
                    let outputs = self.pointers(&task.writes).collect();
                    let frame = self.calls.last().map_or(0, |call| call.frame) + frame;
                    let since = self.started.map(|started| started.elapsed().as_secs_f64());
                    self.calls.push(CallFrame { body, task: 0, iterations_left, limit, frame, inputs, outputs, since });
                }
            }
        }
        Ok(true)
    }

    fn end_call(&mut self) {
        let ended = self.calls.pop().and_then(|call| call.since);
        self.record(ended);
    }

    fn end_wait(&mut self) {
        let since = self.waits_since.take().filter(|_| self.calls.len() == 1);
        self.record(since);
    }

    /// Records the interval from `since` until now for the current task of the main function.
    fn record(&mut self, since: Option<f64>) {
        if let (Some(since), Some(started), [main]) = (since, self.started, &self.calls[..]) {
            self.intervals.push(Interval { task: main.task - 1, start: since, end: started.elapsed().as_secs_f64() });
        }
    }

    fn pointers<'a>(&'a self, addresses: &'a Addresses) -> impl Iterator<Item = *mut u8> + 'a {
        addresses.iter().map(|&address| self.pointer(address))
    }

    fn pointer(&self, at: Address) -> *mut u8 {
        let here = |pointers: fn(&CallFrame) -> &Vec<*mut u8>, i: u32| {
            self.calls.last().and_then(|call| pointers(call).get(i as usize).copied()).unwrap_or(std::ptr::null_mut())
        };
        let start = match at.base {
            Base::Frame => self.frame.start().wrapping_add(self.calls.last().map_or(0, |call| call.frame)),
            Base::Input(i) => here(|call| &call.inputs, i),
            Base::Output(i) => here(|call| &call.outputs, i),
            Base::Constant(i) => self.program.constants[i as usize].start(),
        };
        start.wrapping_add(at.offset)
    }
}

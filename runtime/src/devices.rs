//! Devices at work: each is a list of tasks and the place in it, and threads go from one to another.
//!
//! When a collective that a device needs is not complete, its thread goes on with another device, so that there are
//! never more threads than cores. The first error on any device, a panic included, stops them all.
#![allow(unsafe_code, reason = "tasks work on the memory of devices")]

use crate::code::{Act, Address, Addresses, Base, Code, Output};
use crate::communicator::{Brought, Communicator, Site, Ticket};
use crate::exchange::Part;
use crate::kernel::{Kernel, KernelCx, Memory};
use crate::memory::Buffer;
use crate::shared::{Limits, Member, World, cores};
use partita_ir::diag::{Code as ErrorCode, Diagnostic};
use partita_ir::mesh::Mesh;
use partita_ir::program::Place;
use rayon::{ThreadPool, ThreadPoolBuilder};
use smallvec::SmallVec;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Shards of several tensors on one device.
pub(crate) type Shards = Vec<Arc<Buffer>>;

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

/// What a run leaves for the next one.
#[derive(Default)]
pub struct Warm {
    /// By device, its memory.
    pub(crate) spare: Vec<Spare>,
    /// How long the devices computed.
    pub(crate) seconds: f64,
}

impl Warm {
    /// How long the devices of the last run computed, from where they began to where all had ended.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }
}

/// Where a device is: what it runs, and its place among those that run the same.
#[derive(Clone)]
pub(crate) struct Seat {
    /// What it runs.
    pub(crate) code: Arc<Code<Arc<dyn Kernel>>>,
    /// What it shares with those that run the same.
    pub(crate) constants: Arc<[Buffer]>,
    /// The mesh of these.
    pub(crate) mesh: Arc<Mesh>,
    /// Its place in that mesh.
    pub(crate) place: usize,
    /// By input, the first device that has the same piece of it, as far as that is known.
    pub(crate) pieces: Arc<[usize]>,
}

/// What a device did and when: a call of a function by the task that calls it, or that task's wait for others.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Happened {
    /// The task of the main function, by position.
    pub(crate) task: usize,
    /// Seconds since the run began.
    pub(crate) from: f64,
    /// And when it ended.
    pub(crate) to: f64,
}

/// What devices are left with when all have ended.
pub(crate) struct Ended {
    /// By device and output, what it computed; nothing for what another one computes for it.
    pub(crate) outputs: Vec<Vec<Option<Arc<Buffer>>>>,
    /// By device, what happened, if that was to be recorded.
    pub(crate) happened: Vec<Vec<Happened>>,
}

/// Runs devices from beginning to end, each on its inputs and on memory that earlier runs have left.
///
/// # Errors
/// What goes wrong on any of them first.
pub(crate) fn run(
    seats: &[Seat],
    inputs: Vec<Shards>,
    warm: &mut Warm,
    records: bool,
    limits: Limits,
) -> Result<Ended, Diagnostic> {
    let pool = pool(limits.cores)?;
    let mut spare = std::mem::take(&mut warm.spare);
    spare.resize_with(inputs.len(), Spare::default);
    let devices: Vec<Device> = inputs
        .into_iter()
        .zip(spare)
        .zip(seats)
        .map(|((inputs, spare), seat)| Device::new(seat.clone(), inputs, spare))
        .collect();
    let began = Instant::now();
    let start = |device| Mutex::new(Device { began: records.then_some(began), ..device });
    let devices: Vec<Mutex<Device>> = devices.into_iter().map(start).collect();
    let count = devices.len();
    let threads = (limits.cores / count.max(1)).max(1);
    let run = Arc::new_cyclic(|run: &std::sync::Weak<Run>| {
        let (run, wake_pool) = (run.clone(), pool.clone());
        let wake = move |rank: usize| {
            if let Some(run) = run.upgrade() {
                wake_pool.spawn(move || run.drive(rank));
            }
        };
        Run { threads, world: World::new(count, wake), devices, left: Mutex::new(count), done: Condvar::new() }
    });
    for rank in 0..count {
        let run = run.clone();
        pool.spawn(move || run.drive(rank));
    }
    run.wait(limits.deadline);
    warm.seconds = began.elapsed().as_secs_f64();
    run.world.check()?;
    let mut ended = Ended { outputs: Vec::new(), happened: Vec::new() };
    for device in &run.devices {
        let mut device = device.lock().unwrap_or_else(PoisonError::into_inner);
        let (pieces, left) = device.take();
        ended.outputs.push(pieces);
        warm.spare.push(left);
        ended.happened.push(std::mem::take(&mut device.happened));
    }
    Ok(ended)
}

/// All devices while they run.
struct Run {
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
    seat: Seat,
    inputs: Shards,
    outputs: Vec<Option<Buffer>>,
    frame: Buffer,
    spare: Spare,
    /// The functions that it is in, the innermost last.
    calls: Vec<Call>,
    /// By collective, what it waits for.
    tickets: Vec<Option<Ticket>>,
    /// When the run began, if what happens is recorded, and since when it waits.
    began: Option<Instant>,
    waits_since: Option<f64>,
    happened: Vec<Happened>,
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
    /// Where its inputs are, and its outputs.
    inputs: Vec<*mut u8>,
    outputs: Vec<*mut u8>,
    /// When it began, if that is recorded.
    since: Option<f64>,
}

// SAFETY: the pointers of a call lead into the buffers of its device, which moves with it.
unsafe impl Send for Device {}

impl Device {
    fn new(seat: Seat, mut inputs: Shards, mut spare: Spare) -> Device {
        let Seat { code, mesh, place, .. } = &seat;
        let frame = spare.frame.take().filter(|f| f.len() == code.frame_bytes());
        let frame = frame.unwrap_or_else(|| Buffer::zeroed(code.frame_bytes()));
        let mut outputs = Vec::with_capacity(code.outputs.len());
        for output in &code.outputs {
            match *output {
                Output::Own(bytes, duty) if duty.of(mesh, *place) == *place => outputs.push(Some(spare.buffer(bytes))),
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
            outputs: outputs.iter().map(|b| b.as_ref().map_or(std::ptr::null_mut(), Buffer::start)).collect(),
            since: None,
        };
        let tickets = vec![None; code.sites.len()];
        let (began, waits_since, happened) = Default::default();
        Device { seat, inputs, outputs, frame, spare, calls: vec![main], tickets, began, waits_since, happened }
    }

    /// The outputs that it computed, and memory that the next run can use.
    fn take(&mut self) -> (Vec<Option<Arc<Buffer>>>, Spare) {
        let outputs = self.seat.code.outputs.iter().zip(&mut self.outputs).map(|(output, own)| match *output {
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
        let Seat { code, mesh, place: rank, .. } = self.seat.clone();
        let place = Place { mesh: &mesh, coords: mesh.coords(rank) };
        let cx = KernelCx { place: &place, threads: run.threads };
        while let Some(call) = self.calls.last_mut() {
            member.check()?;
            let Some(task) = code.bodies[call.body].tasks.get(call.task) else {
                call.turns -= 1;
                call.task = 0;
                if call.turns == 0 {
                    self.end_call();
                }
                continue;
            };
            call.task += 1;
            if task.duty.of(&mesh, rank) != rank {
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
                    let nowhere = || std::iter::repeat(std::ptr::null_mut());
                    let operands = self.pointers(&task.reads).chain(nowhere());
                    let results = self.pointers(&task.writes).chain(nowhere());
                    let parts = operands.zip(results).zip(&site.bytes);
                    let brought = parts.map(|((input, output), &bytes)| Brought {
                        part: Part { input: input.cast_const(), output },
                        bytes,
                    });
                    let brought = brought.collect();
                    let at = Site { name: &site.name, group: &site.groups[rank], exchanges: &site.exchanges };
                    self.tickets[*number] = Some(member.start(at, brought)?);
                }
                Act::Wait(number) => {
                    if let Some(ticket) = &self.tickets[*number]
                        && !member.poll(ticket)?
                    {
                        call.task -= 1;
                        self.waits_since = self.waits_since.or(self.began.map(|began| began.elapsed().as_secs_f64()));
                        return Ok(false);
                    }
                    self.tickets[*number] = None;
                    self.end_wait();
                }
                Act::Loop { trip, body, frame } if *trip > 0 => {
                    let (body, turns) = (*body, *trip);
                    let inputs = self.pointers(&task.reads).collect();
                    let outputs = self.pointers(&task.writes).collect();
                    let frame = self.calls.last().map_or(0, |call| call.frame) + frame;
                    let since = self.began.map(|began| began.elapsed().as_secs_f64());
                    self.calls.push(Call { body, task: 0, turns, frame, inputs, outputs, since });
                }
                Act::Loop { .. } => {}
            }
        }
        Ok(true)
    }

    fn end_call(&mut self) {
        let ended = self.calls.pop().and_then(|call| call.since);
        self.note(ended);
    }

    fn end_wait(&mut self) {
        let since = self.waits_since.take().filter(|_| self.calls.len() == 1);
        self.note(since);
    }

    /// Records what the last task of the main function did since then.
    fn note(&mut self, since: Option<f64>) {
        if let (Some(from), Some(began), [main]) = (since, self.began, &self.calls[..]) {
            self.happened.push(Happened { task: main.task - 1, from, to: began.elapsed().as_secs_f64() });
        }
    }

    fn pointers<'a>(&'a self, addresses: &'a Addresses) -> impl Iterator<Item = *mut u8> + 'a {
        addresses.iter().map(|&address| self.pointer(address))
    }

    fn pointer(&self, at: Address) -> *mut u8 {
        let here = |pointers: fn(&Call) -> &Vec<*mut u8>, i: u32| {
            self.calls.last().and_then(|call| pointers(call).get(i as usize).copied()).unwrap_or(std::ptr::null_mut())
        };
        let start = match at.base {
            Base::Frame => self.frame.start().wrapping_add(self.calls.last().map_or(0, |call| call.frame)),
            Base::Input(i) => here(|call| &call.inputs, i),
            Base::Output(i) => here(|call| &call.outputs, i),
            Base::Constant(i) => self.seat.constants[i as usize].start(),
        };
        start.wrapping_add(at.offset)
    }
}

//! The code of each stage: the tasks of its chunks as functions, and a main function that calls them as the events say.
//!
//! Backends compile the tasks, say how their devices store values, and provide the kernels that set and copy memory
//! between tasks ([`Move`]). Everything else is the same for all of them.

use super::transfer::{End, StageDevices, Transfer};
use crate::code::{Act, Address, Addresses, Base, Body, Code, Output, Task};
use crate::compile::Compiled;
use crate::footprint::Footprint;
use crate::kernel::{Computes, Kernel, KernelCx, Memory as Touched};
use crate::replicas::Duty;
use partita_ir::dtype::{DType, Type};
use partita_ir::offsets::Storage;
use partita_ir::pipeline::events::{Instance, Sent, events};
use partita_ir::pipeline::memory::{Home, Memory, Needs, Step};
use partita_ir::pipeline::{Entry, Moment, Pipeline};
use partita_ir::tensor::{Scalar, Tensor};
use partita_machine::host::{Cost, Touch, Work};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A stage of a pipeline with its place among the others.
pub struct Stage {
    /// Its devices.
    pub devices: StageDevices,
    /// Inputs from outside.
    pub inputs: Vec<Entry>,
    /// Outputs.
    pub outputs: Vec<Entry>,
    /// By task of the main function, what it is.
    pub(super) steps: Vec<Step>,
    /// Memory of one of its devices.
    pub footprint: Footprint,
}

/// Memory operation between tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// Sets so many bytes to zero.
    Clear(usize),
    /// Copies so many bytes.
    Copy(usize),
}

/// Compiles the stages of a pipeline from its compiled tasks, by chunk and task. `kernel_of` provides the kernels for
/// what is done between tasks.
pub fn compile_stages<K: Clone>(
    pipeline: &Pipeline,
    tasks: &[Vec<Compiled<K>>],
    storage: Storage,
    kernel_of: &mut dyn FnMut(Move) -> K,
) -> Vec<(Stage, Code<K>)> {
    let (devices, transfers) = (devices(pipeline), transfers(pipeline));
    let needs: Vec<Vec<Needs>> = tasks.iter().map(|tasks| tasks.iter().map(needs).collect()).collect();
    let mut stages = Vec::with_capacity(devices.len());
    for ((number, events), devices) in events(pipeline).iter().enumerate().zip(devices) {
        let memory = Memory::of(pipeline, number, &needs, events, storage);
        let plan = Plan { pipeline, transfers: &transfers, number, devices, tasks, storage };
        stages.push(plan.compile(memory, kernel_of));
    }
    stages
}

/// The transfers of a pipeline, between the devices of its stages.
pub fn transfers(pipeline: &Pipeline) -> Vec<Transfer> {
    let devices = devices(pipeline);
    let end = |(chunk, cell): (usize, usize)| {
        let stage = pipeline.schedule.home[chunk];
        End { stage, devices: devices[stage].clone(), value: pipeline.chunks[chunk].cells[cell].value() }
    };
    let transfer = |of: &partita_ir::pipeline::Transfer| Transfer {
        name: format!("%{}", of.value()).into(),
        from: end(of.from),
        to: end(of.to),
    };
    pipeline.transfers.iter().map(transfer).collect()
}

/// By stage, its devices.
pub fn devices(pipeline: &Pipeline) -> Vec<StageDevices> {
    let chunks = (0..pipeline.schedule.stages).filter_map(|stage| pipeline.chunks_of(stage).next());
    StageDevices::consecutive(chunks.map(|chunk| Arc::new(pipeline.chunks[chunk].mesh.clone())))
}

/// What a task needs of memory.
fn needs<K>(task: &Compiled<K>) -> Needs {
    let over = |output: &Output| if let Output::Over(input) = output { Some(*input) } else { None };
    Needs { frame: task.code.frame_bytes(), over: task.code.outputs.iter().map(over).collect() }
}

/// The CPU's kernels between tasks.
pub(super) fn kernel_of(what: Move) -> Arc<dyn Kernel> {
    match what {
        Move::Clear(bytes) => Arc::new(Clear { bytes }),
        Move::Copy(bytes) => <Arc<dyn Kernel>>::copy(bytes),
    }
}

/// Sets so many bytes to zero.
struct Clear {
    bytes: usize,
}

impl Kernel for Clear {
    #[allow(unsafe_code, reason = "kernels work on memory whose size was decided when the program was compiled")]
    unsafe fn run(&self, _: &KernelCx<'_>, memory: Touched<'_>) -> Result<(), String> {
        // SAFETY: the task was made for so many bytes.
        unsafe { memory.writes[0].write_bytes(0, self.bytes) };
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        Work::default().with(Cost::Line, 1).over(Touch::Written(0), self.bytes)
    }
}

/// What the code of a stage is made of.
struct Plan<'p, K> {
    pipeline: &'p Pipeline,
    transfers: &'p [Transfer],
    /// The stage.
    number: usize,
    devices: StageDevices,
    /// By chunk and task.
    tasks: &'p [Vec<Compiled<K>>],
    storage: Storage,
}

impl<K: Clone> Plan<'_, K> {
    fn compile(&self, memory: Memory, kernel_of: &mut dyn FnMut(Move) -> K) -> (Stage, Code<K>) {
        let (inputs, outputs) = (self.pipeline.inputs_of(self.number), self.pipeline.outputs_of(self.number));
        let mut code = Code { bodies: vec![], sites: vec![], constants: vec![], names: vec![], outputs: vec![] };
        let functions = self.functions(&mut code);
        let numbers = code.constants.len();
        let number = |i: u32| Tensor::splat(Type::new(DType::I32, []), Scalar::Int(i64::from(i)));
        code.constants.extend((0..self.pipeline.schedule.micro_batches).map(number));
        self.main(&mut code, &functions, &memory, numbers, kernel_of);
        let bytes_of =
            |entry: &Entry| self.storage.bytes(&self.pipeline.chunks[entry.chunk].cells[entry.cell].local_type());
        let output = |(entry, over): (&Entry, &Option<usize>)| match *over {
            Some(input) => Output::Over(input),
            None => Output::Own(bytes_of(entry), Duty::default()),
        };
        code.outputs = outputs.iter().zip(&memory.outputs).map(output).collect();
        let own = |output: &Output| if let Output::Own(bytes, _) = output { *bytes as u64 } else { 0 };
        let footprint = Footprint {
            inputs: inputs.iter().map(|entry| bytes_of(entry) as u64).fold(0, u64::saturating_add),
            frame: code.frame_bytes() as u64,
            outputs: code.outputs.iter().map(own).sum(),
        };
        let devices = self.devices.clone();
        (Stage { devices, inputs, outputs, steps: memory.steps, footprint }, code)
    }

    /// Appends the functions of all tasks; by chunk and task, the body of each.
    fn functions(&self, code: &mut Code<K>) -> FxHashMap<(usize, usize), usize> {
        let mut functions = FxHashMap::default();
        for chunk in self.pipeline.chunks_of(self.number) {
            for (task, ready) in self.tasks[chunk].iter().enumerate() {
                append(code, &ready.code, self.devices.first_rank, functions.len());
                functions.insert((chunk, task), code.bodies.len() - 1);
            }
        }
        functions
    }

    /// Appends the main function, a task for each step. `numbers` is the position of the first constant that is a
    /// number of a micro-batch.
    fn main(
        &self,
        code: &mut Code<K>,
        functions: &FxHashMap<(usize, usize), usize>,
        memory: &Memory,
        numbers: usize,
        kernel_of: &mut dyn FnMut(Move) -> K,
    ) {
        let mut tasks = Vec::with_capacity(memory.steps.len());
        let mut sites: FxHashMap<Sent, usize> = FxHashMap::default();
        let address = |&value: &Instance| {
            let (base, offset) = match memory.home(value) {
                Home::Input(input) => (Base::Input(input as u32), 0),
                Home::Output(output) => (Base::Output(output as u32), 0),
                Home::Number(micro_batch) => (Base::Constant(numbers as u32 + micro_batch), 0),
                Home::Block(offset) => (Base::Frame, offset),
            };
            Address { base, offset }
        };
        let all = |values: &[Instance]| values.iter().map(address).collect::<Addresses>();
        let bytes = |value: Instance| self.storage.bytes(&self.pipeline.local_type(value));
        for step in &memory.steps {
            let (name, reads, writes, act) = match step {
                Step::Clear(value) => {
                    let kernel = kernel_of(Move::Clear(bytes(*value)));
                    ("clear".to_owned(), all(&[]), all(&[*value]), Act::Compute(kernel, 0))
                }
                Step::Copy(from, to) => {
                    let kernel = kernel_of(Move::Copy(bytes(*to)));
                    ("copy".to_owned(), all(&[*from]), all(&[*to]), Act::Compute(kernel, 0))
                }
                Step::Call { chunk, task, micro_batch, reads, writes, frame } => {
                    let body = functions[&(*chunk, *task)];
                    let name = self.called(*chunk, *task, *micro_batch);
                    (name, all(reads), all(writes), Act::Loop { trip: 1, body, frame: *frame })
                }
                Step::Start { message, reads, writes } => {
                    sites.insert(*message, code.sites.len());
                    let site = self.transfers[message.transfer].site(*message, self.number);
                    let act = Act::Start(code.sites.len());
                    let name = site.name.clone();
                    code.sites.push(site);
                    (name, all(reads.as_slice()), all(writes.as_slice()), act)
                }
                Step::Wait(message) => {
                    let site = sites.get(message).copied().unwrap_or_default();
                    (self.transfers[message.transfer].message_name(*message), all(&[]), all(&[]), Act::Wait(site))
                }
            };
            code.names.push(name);
            tasks.push(Task { name: code.names.len() as u32 - 1, reads, writes, act, duty: Duty::default() });
        }
        code.bodies.push(Body { tasks, frame_bytes: memory.block });
    }

    /// What messages call the run of a task.
    fn called(&self, chunk: usize, task: usize, micro_batch: Option<u32>) -> String {
        match (self.pipeline.chunks[chunk].tasks[task].moment, micro_batch) {
            (Moment::Slot(work), Some(i)) => format!("{} of micro-batch {i} in chunk {chunk}", work.name()),
            (Moment::Before, _) => format!("what comes before the micro-batches in chunk {chunk}"),
            _ => format!("update in chunk {chunk}"),
        }
    }
}

/// Appends the functions of a program, the `program`-th of the stage, to those of others; the ranks of its devices are
/// counted from `first` on.
fn append<K: Clone>(code: &mut Code<K>, more: &Code<K>, first: usize, program: usize) {
    let (bodies, sites) = (code.bodies.len(), code.sites.len());
    let (constants, names) = (code.constants.len() as u32, code.names.len() as u32);
    let moved = |address: &Address| match address.base {
        Base::Constant(i) => Address { base: Base::Constant(i + constants), ..*address },
        _ => *address,
    };
    for body in &more.bodies {
        let task = |task: &Task<K>| Task {
            name: task.name + names,
            reads: task.reads.iter().map(moved).collect(),
            writes: task.writes.iter().map(moved).collect(),
            act: match &task.act {
                Act::Compute(kernel, scratch) => Act::Compute(kernel.clone(), *scratch),
                Act::Start(site) => Act::Start(site + sites),
                Act::Wait(site) => Act::Wait(site + sites),
                Act::Loop { trip, body, frame } => Act::Loop { trip: *trip, body: body + bodies, frame: *frame },
            },
            duty: task.duty,
        };
        let tasks = body.tasks.iter().map(task).collect();
        code.bodies.push(Body { tasks, frame_bytes: body.frame_bytes });
    }
    code.sites.extend(more.sites.iter().map(|site| site.among(first, program)));
    code.constants.extend(more.constants.iter().cloned());
    code.names.extend(more.names.iter().cloned());
}

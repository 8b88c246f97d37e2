//! Compilation of pipeline stages: the tasks of a stage's chunks become functions, and the main function calls them in
//! the order of the schedule.
//!
//! Backends compile the tasks, define how their devices store values, and provide the kernels that clear and copy
//! memory between tasks ([`MemoryOp`]).

use super::transfer::{StageDevices, Transfer, TransferEnd};
use crate::code::{Address, Addresses, Base, Body, Code, Output, Task, TaskAction};
use crate::compile::Compiled;
use crate::footprint::Footprint;
use crate::kernel::{BackendKernel, Kernel, KernelCx, Memory as KernelMemory};
use crate::replicas::ReplicaOwner;
use partita_ir::dtype::{DType, Type};
use partita_ir::offsets::Storage;
use partita_ir::pipeline::events::{Instance, TransferId, events};
use partita_ir::pipeline::memory::{MemoryPlan, Step, TaskMemory, ValueLocation};
use partita_ir::pipeline::{Pipeline, StagePort, TaskTime};
use partita_ir::tensor::{Scalar, Tensor};
use partita_machine::host::{Cost, MemoryAccess, Work};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Compiled stage of a pipeline.
pub struct Stage {
    /// Devices of the stage.
    pub devices: StageDevices,
    /// Inputs of the step that the stage reads.
    pub inputs: Vec<StagePort>,
    /// Outputs of the step that the stage computes.
    pub outputs: Vec<StagePort>,
    /// Step of each task of the main function.
    pub(super) steps: Vec<Step>,
    /// Memory footprint of one device.
    pub footprint: Footprint,
}

/// Memory operation between tasks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemoryOp {
    /// Sets the given number of bytes to zero.
    Clear(usize),
    /// Copies the given number of bytes.
    Copy(usize),
}

/// Compiles the stages of a pipeline from its compiled tasks, indexed by chunk and task. `kernel_of` returns the
/// kernels for memory operations between tasks.
pub fn compile_stages<K: Clone>(
    pipeline: &Pipeline,
    tasks: &[Vec<Compiled<K>>],
    storage: Storage,
    kernel_of: &mut dyn FnMut(MemoryOp) -> K,
) -> Vec<(Stage, Code<K>)> {
    let (devices, transfers) = (devices(pipeline), transfers(pipeline));
    let needs: Vec<Vec<TaskMemory>> = tasks.iter().map(|tasks| tasks.iter().map(needs).collect()).collect();
    let mut stages = Vec::with_capacity(devices.len());
    for ((number, events), devices) in events(pipeline).iter().enumerate().zip(devices) {
        let memory = MemoryPlan::new(pipeline, number, &needs, events, storage);
        let compiler = StageCompiler { pipeline, transfers: &transfers, number, devices, tasks, storage };
        stages.push(compiler.compile(memory, kernel_of));
    }
    stages
}

/// Returns the transfers of a pipeline between the devices of its stages.
pub fn transfers(pipeline: &Pipeline) -> Vec<Transfer> {
    let devices = devices(pipeline);
    let end = |(chunk, cell): (usize, usize)| {
        let stage = pipeline.schedule.stage_of_chunk[chunk];
        TransferEnd { stage, devices: devices[stage].clone(), value: pipeline.chunks[chunk].cells[cell].value() }
    };
    let transfer = |of: &partita_ir::pipeline::Transfer| Transfer {
        name: format!("%{}", of.value()).into(),
        from: end(of.from),
        to: end(of.to),
    };
    pipeline.transfers.iter().map(transfer).collect()
}

/// Returns the devices of each stage.
pub fn devices(pipeline: &Pipeline) -> Vec<StageDevices> {
    let chunks = (0..pipeline.schedule.stages).filter_map(|stage| pipeline.chunks_of(stage).next());
    StageDevices::consecutive(chunks.map(|chunk| Arc::new(pipeline.chunks[chunk].mesh.clone())))
}

/// Returns the memory requirements of a task.
fn needs<K>(task: &Compiled<K>) -> TaskMemory {
    let over = |output: &Output| if let Output::InPlace(input) = output { Some(*input) } else { None };
    TaskMemory { frame: task.code.frame_bytes(), overwrites: task.code.outputs.iter().map(over).collect() }
}

/// Returns the CPU kernel of a memory operation between tasks.
pub(super) fn kernel_of(what: MemoryOp) -> Arc<dyn Kernel> {
    match what {
        MemoryOp::Clear(bytes) => Arc::new(Clear { bytes }),
        MemoryOp::Copy(bytes) => <Arc<dyn Kernel>>::copy(bytes),
    }
}

/// Kernel that sets memory to zero.
struct Clear {
    bytes: usize,
}

impl Kernel for Clear {
    #[allow(unsafe_code, reason = "kernels work on memory whose size was decided when the program was compiled")]
    unsafe fn run(&self, _: &KernelCx<'_>, memory: KernelMemory<'_>) -> Result<(), String> {
        // SAFETY: the task was compiled for a result of this size.
        unsafe { memory.writes[0].write_bytes(0, self.bytes) };
        Ok(())
    }

    fn work(&self, _: usize) -> Work {
        Work::default().with(Cost::Line, 1).with_access(MemoryAccess::Write(0), self.bytes)
    }
}

/// Inputs of the compilation of a stage.
struct StageCompiler<'p, K> {
    pipeline: &'p Pipeline,
    transfers: &'p [Transfer],
    /// Index of the stage.
    number: usize,
    devices: StageDevices,
    /// Compiled tasks by chunk and task.
    tasks: &'p [Vec<Compiled<K>>],
    storage: Storage,
}

impl<K: Clone> StageCompiler<'_, K> {
    fn compile(&self, memory: MemoryPlan, kernel_of: &mut dyn FnMut(MemoryOp) -> K) -> (Stage, Code<K>) {
        let (inputs, outputs) = (self.pipeline.inputs_of(self.number), self.pipeline.outputs_of(self.number));
        let mut code = Code { bodies: vec![], sites: vec![], constants: vec![], names: vec![], outputs: vec![] };
        let functions = self.functions(&mut code);
        let numbers = code.constants.len();
        let number = |i: u32| Tensor::splat(Type::new(DType::I32, []), Scalar::Int(i64::from(i)));
        code.constants.extend((0..self.pipeline.schedule.micro_batches).map(number));
        self.main(&mut code, &functions, &memory, numbers, kernel_of);
        let bytes_of =
            |entry: &StagePort| self.storage.bytes(&self.pipeline.chunks[entry.chunk].cells[entry.cell].local_type());
        let output = |(entry, over): (&StagePort, &Option<usize>)| match *over {
            Some(input) => Output::InPlace(input),
            None => Output::Buffer(bytes_of(entry), ReplicaOwner::default()),
        };
        code.outputs = outputs.iter().zip(&memory.outputs).map(output).collect();
        let own = |output: &Output| if let Output::Buffer(bytes, _) = output { *bytes as u64 } else { 0 };
        let footprint = Footprint {
            inputs: inputs.iter().map(|entry| bytes_of(entry) as u64).fold(0, u64::saturating_add),
            frame: code.frame_bytes() as u64,
            outputs: code.outputs.iter().map(own).sum(),
        };
        let devices = self.devices.clone();
        (Stage { devices, inputs, outputs, steps: memory.steps, footprint }, code)
    }

    /// Appends the functions of all tasks and returns the index of each body by chunk and task.
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

    /// Appends the main function, with one task for each step. `numbers` is the index of the first constant that
    /// contains the number of a micro-batch.
    fn main(
        &self,
        code: &mut Code<K>,
        functions: &FxHashMap<(usize, usize), usize>,
        memory: &MemoryPlan,
        numbers: usize,
        kernel_of: &mut dyn FnMut(MemoryOp) -> K,
    ) {
        let mut tasks = Vec::with_capacity(memory.steps.len());
        let mut sites: FxHashMap<TransferId, usize> = FxHashMap::default();
        let address = |&value: &Instance| {
            let (base, offset) = match memory.location(value) {
                ValueLocation::Input(input) => (Base::Input(input as u32), 0),
                ValueLocation::Output(output) => (Base::Output(output as u32), 0),
                ValueLocation::Number(micro_batch) => (Base::Constant(numbers as u32 + micro_batch), 0),
                ValueLocation::Block(offset) => (Base::Frame, offset),
            };
            Address { base, offset }
        };
        let all = |values: &[Instance]| values.iter().map(address).collect::<Addresses>();
        let bytes = |value: Instance| self.storage.bytes(&self.pipeline.local_type(value));
        for step in &memory.steps {
            let (name, reads, writes, action) = match step {
                Step::Clear(value) => {
                    let kernel = kernel_of(MemoryOp::Clear(bytes(*value)));
                    ("clear".to_owned(), all(&[]), all(&[*value]), TaskAction::Compute(kernel, 0))
                }
                Step::Copy(from, to) => {
                    let kernel = kernel_of(MemoryOp::Copy(bytes(*to)));
                    ("copy".to_owned(), all(&[*from]), all(&[*to]), TaskAction::Compute(kernel, 0))
                }
                Step::Call { chunk, task, micro_batch, reads, writes, frame } => {
                    let body = functions[&(*chunk, *task)];
                    let name = self.task_name(*chunk, *task, *micro_batch);
                    (name, all(reads), all(writes), TaskAction::Loop { trip: 1, limit: 0, body, frame: *frame })
                }
                Step::Start { message, reads, writes } => {
                    sites.insert(*message, code.sites.len());
                    let site = self.transfers[message.transfer].site(*message, self.number);
                    let action = TaskAction::Start(code.sites.len());
                    let name = site.name.clone();
                    code.sites.push(site);
                    (name, all(reads.as_slice()), all(writes.as_slice()), action)
                }
                Step::Wait(message) => {
                    let site = sites.get(message).copied().unwrap_or_default();
                    (
                        self.transfers[message.transfer].message_name(*message),
                        all(&[]),
                        all(&[]),
                        TaskAction::Wait(site),
                    )
                }
            };
            code.names.push(name);
            tasks.push(Task {
                name: code.names.len() as u32 - 1,
                reads,
                writes,
                action,
                owner: ReplicaOwner::default(),
            });
        }
        code.bodies.push(Body { tasks, frame_bytes: memory.block });
    }

    /// Returns the name of a task's execution for messages.
    fn task_name(&self, chunk: usize, task: usize, micro_batch: Option<u32>) -> String {
        match (self.pipeline.chunks[chunk].tasks[task].moment, micro_batch) {
            (TaskTime::Slot(work), Some(i)) => format!("{} of micro-batch {i} in chunk {chunk}", work.name()),
            (TaskTime::Before, _) => format!("computation before the micro-batches in chunk {chunk}"),
            _ => format!("update in chunk {chunk}"),
        }
    }
}

/// Appends the functions of the program with index `program` in the stage. The ranks of its devices are shifted by
/// `first`.
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
            action: match &task.action {
                TaskAction::Compute(kernel, scratch) => TaskAction::Compute(kernel.clone(), *scratch),
                TaskAction::Start(site) => TaskAction::Start(site + sites),
                TaskAction::Wait(site) => TaskAction::Wait(site + sites),
                TaskAction::Loop { trip, limit, body, frame } => {
                    TaskAction::Loop { trip: *trip, limit: *limit, body: body + bodies, frame: *frame }
                }
            },
            owner: task.owner,
        };
        let tasks = body.tasks.iter().map(task).collect();
        code.bodies.push(Body { tasks, frame_bytes: body.frame_bytes });
    }
    code.sites.extend(more.sites.iter().map(|site| site.rebased(first, program)));
    code.constants.extend(more.constants.iter().cloned());
    code.names.extend(more.names.iter().cloned());
}

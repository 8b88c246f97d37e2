//! The code of a stage: the tasks of its chunks as functions, and a main function that calls them as the events say.

use crate::code::{Act, Address, Addresses, Base, Body, Code, Output, Site, Task};
use crate::compile::Compiled;
use crate::exchange::Exchange;
use crate::footprint::Footprint;
use crate::group::Group;
use crate::kernel::{Computes, Kernel, KernelCx, Memory as Touched};
use crate::replicas::Duty;
use partita_ir::arena::OpId;
use partita_ir::dtype::{DType, Type};
use partita_ir::mesh::Mesh;
use partita_ir::pipeline::events::{Instance, Sent};
use partita_ir::pipeline::memory::{Home, Memory, Step};
use partita_ir::pipeline::{Entry, Moment, Pipeline, messages};
use partita_ir::tensor::{Scalar, Tensor};
use partita_machine::host::{Cost, Touch, Work};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A task with its code.
pub(super) type Ready = Compiled<Arc<dyn Kernel>>;

/// A stage, ready to run.
pub(super) struct Stage {
    pub(super) mesh: Arc<Mesh>,
    pub(super) inputs: Vec<Entry>,
    pub(super) outputs: Vec<Entry>,
    /// By task of the main function, what it is.
    pub(super) steps: Vec<Step>,
    /// What one of its devices takes of memory.
    pub(super) footprint: Footprint,
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
pub(super) struct Plan<'p> {
    pub(super) pipeline: &'p Pipeline,
    /// By stage, the rank of its first device.
    pub(super) first: &'p [usize],
    pub(super) stage: usize,
    pub(super) mesh: &'p Arc<Mesh>,
    /// By chunk and task.
    pub(super) ready: &'p [Vec<Ready>],
}

/// Makes the code of a stage.
pub(super) fn stage(plan: &Plan<'_>, memory: Memory) -> (Stage, Code<Arc<dyn Kernel>>) {
    let (inputs, outputs) = (plan.pipeline.inputs_of(plan.stage), plan.pipeline.outputs_of(plan.stage));
    let mut code = Code { bodies: vec![], sites: vec![], constants: vec![], names: vec![], outputs: vec![] };
    let functions = plan.functions(&mut code);
    let numbers = code.constants.len();
    let number = |i: u32| Tensor::splat(Type::new(DType::I32, []), Scalar::Int(i64::from(i)));
    code.constants.extend((0..plan.pipeline.schedule.micro_batches).map(number));
    plan.main(&mut code, &functions, &memory, numbers);
    let bytes_of = |entry: &Entry| plan.pipeline.chunks[entry.chunk].cells[entry.cell].local_type().bytes();
    let output = |(entry, over): (&Entry, &Option<usize>)| match *over {
        Some(input) => Output::Over(input),
        None => Output::Own(bytes_of(entry) as usize, Duty::default()),
    };
    code.outputs = outputs.iter().zip(&memory.outputs).map(output).collect();
    let own = |output: &Output| if let Output::Own(bytes, _) = output { *bytes as u64 } else { 0 };
    let footprint = Footprint {
        inputs: inputs.iter().map(bytes_of).fold(0, u64::saturating_add),
        frame: code.frame_bytes() as u64,
        outputs: code.outputs.iter().map(own).sum(),
    };
    (Stage { mesh: plan.mesh.clone(), inputs, outputs, steps: memory.steps, footprint }, code)
}

impl Plan<'_> {
    /// Appends the functions of all tasks; by chunk and task, the body of each.
    fn functions(&self, code: &mut Code<Arc<dyn Kernel>>) -> FxHashMap<(usize, usize), usize> {
        let mut functions = FxHashMap::default();
        for chunk in self.pipeline.chunks_of(self.stage) {
            for (task, ready) in self.ready[chunk].iter().enumerate() {
                append(code, &ready.code, self.first[self.stage]);
                functions.insert((chunk, task), code.bodies.len() - 1);
            }
        }
        functions
    }

    /// Appends the main function, a task for each step. `numbers` is the position of the first constant that is a
    /// number of a micro-batch.
    fn main(
        &self,
        code: &mut Code<Arc<dyn Kernel>>,
        functions: &FxHashMap<(usize, usize), usize>,
        memory: &Memory,
        numbers: usize,
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
        let bytes = |value: Instance| self.pipeline.bytes(value) as usize;
        for step in &memory.steps {
            let (name, reads, writes, act) = match step {
                Step::Clear(value) => {
                    let kernel: Arc<dyn Kernel> = Arc::new(Clear { bytes: bytes(*value) });
                    ("clear".to_owned(), all(&[]), all(&[*value]), Act::Compute(kernel, 0))
                }
                Step::Copy(from, to) => {
                    let kernel = <Arc<dyn Kernel>>::copy(bytes(*to));
                    ("copy".to_owned(), all(&[*from]), all(&[*to]), Act::Compute(kernel, 0))
                }
                Step::Call { chunk, task, micro_batch, reads, writes, frame } => {
                    let body = functions[&(*chunk, *task)];
                    let name = self.called(*chunk, *task, *micro_batch);
                    (name, all(reads), all(writes), Act::Loop { trip: 1, body, frame: *frame })
                }
                Step::Start { message, reads, writes } => {
                    sites.insert(*message, code.sites.len());
                    code.sites.push(self.site(*message));
                    let act = Act::Start(code.sites.len() - 1);
                    (self.sent(*message), all(reads.as_slice()), all(writes.as_slice()), act)
                }
                Step::Wait(message) => {
                    let site = sites.get(message).copied().unwrap_or_default();
                    (self.sent(*message), all(&[]), all(&[]), Act::Wait(site))
                }
            };
            code.names.push(name);
            tasks.push(Task { name: code.names.len() as u32 - 1, reads, writes, act, duty: Duty::default() });
        }
        code.bodies.push(Body { tasks, frame_bytes: memory.block });
    }

    /// What messages call a transfer.
    fn sent(&self, message: Sent) -> String {
        let name = &self.pipeline.transfers[message.transfer].name;
        match message.micro_batch {
            Some(micro_batch) => format!("{name} of micro-batch {micro_batch}"),
            None => name.to_string(),
        }
    }

    /// What messages call the run of a task.
    fn called(&self, chunk: usize, task: usize, micro_batch: Option<u32>) -> String {
        match (self.pipeline.chunks[chunk].tasks[task].moment, micro_batch) {
            (Moment::Slot(work), Some(i)) => format!("{} of micro-batch {i} in chunk {chunk}", work.name()),
            (Moment::Before, _) => format!("what comes before the micro-batches in chunk {chunk}"),
            _ => format!("update in chunk {chunk}"),
        }
    }

    /// Where devices of two stages meet for a transfer.
    fn site(&self, message: Sent) -> Site {
        let transfer = &self.pipeline.transfers[message.transfer];
        let stage = |(chunk, _): (usize, usize)| self.pipeline.schedule.home[chunk];
        let (from, to) = (stage(transfer.from), stage(transfer.to));
        let cell = |(chunk, cell): (usize, usize)| &self.pipeline.chunks[chunk].cells[cell];
        let mesh = |(chunk, _): (usize, usize)| &self.pipeline.chunks[chunk].mesh;
        let (given, got) = (cell(transfer.from), cell(transfer.to));
        let count = |mesh: &Mesh| mesh.device_count();
        let sends = messages(
            &given.ty.shape,
            (given.layout.as_deref(), mesh(transfer.from)),
            (got.layout.as_deref(), mesh(transfer.to)),
        );
        let senders = count(mesh(transfer.from));
        let is_within = from == to;
        let receivers = if is_within { 0 } else { senders };
        let ranks = |stage: usize, count: usize| self.first[stage]..self.first[stage] + count;
        let mut members: Vec<usize> = ranks(from, senders).collect();
        if !is_within {
            members.extend(ranks(to, count(mesh(transfer.to))));
        }
        let shape = (senders, receivers, members.len());
        let exchange = Exchange::transfer(&sends, (&given.local_type(), &got.local_type()), shape);
        let members: Arc<[usize]> = members.into();
        let mine = mesh(if self.stage == from { transfer.from } else { transfer.to });
        let offset = if self.stage == from { 0 } else { receivers };
        let here = Arc::new(mine.clone());
        let channel = message.transfer as u32 + 1;
        let group = |place: usize| Group::on_channel(&here, members.clone(), offset + place, channel);
        let bytes = if self.stage == from { given.local_type().bytes() as usize } else { 0 };
        Site {
            op: OpId(0),
            name: self.sent(message),
            groups: (0..count(mine)).map(group).collect(),
            exchanges: [exchange].into(),
            bytes: vec![bytes],
        }
    }
}

/// Appends the functions of a program to those of others; the ranks of its devices are counted from `first` on.
fn append(code: &mut Code<Arc<dyn Kernel>>, more: &Code<Arc<dyn Kernel>>, first: usize) {
    let (bodies, sites) = (code.bodies.len(), code.sites.len());
    let (constants, names) = (code.constants.len() as u32, code.names.len() as u32);
    let moved = |address: &Address| match address.base {
        Base::Constant(i) => Address { base: Base::Constant(i + constants), ..*address },
        _ => *address,
    };
    for body in &more.bodies {
        let task = |task: &Task<Arc<dyn Kernel>>| Task {
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
    code.sites.extend(more.sites.iter().map(|site| Site {
        op: site.op,
        name: site.name.clone(),
        groups: site.groups.iter().map(|group| group.shifted(first)).collect(),
        exchanges: site.exchanges.clone(),
        bytes: site.bytes.clone(),
    }));
    code.constants.extend(more.constants.iter().cloned());
    code.names.extend(more.names.iter().cloned());
}

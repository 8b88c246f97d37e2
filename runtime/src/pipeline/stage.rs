//! The code of a stage: the tasks of its chunks as functions, and a main function that calls them as the events say.

use super::events::{Event, Sent};
use super::memory::{Do, Memory, lay_out};
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
use partita_ir::pipeline::{Moment, Pipeline, messages};
use partita_ir::tensor::{Scalar, Tensor};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A task with its code.
pub(super) type Ready = Compiled<Arc<dyn Kernel>>;

/// What enters a stage or is given by it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The path or name.
    pub(super) name: String,
    /// The chunk, and its cell.
    pub(super) chunk: usize,
    pub(super) cell: usize,
}

/// A stage, ready to run.
pub(super) struct Stage {
    pub(super) mesh: Arc<Mesh>,
    pub(super) inputs: Vec<Entry>,
    pub(super) outputs: Vec<Entry>,
    /// By task of the main function, the event that it is.
    pub(super) events: Vec<Option<Event>>,
    /// Bytes of the frame, and of outputs that do not lie where an input was.
    bytes: (u64, u64),
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
    pub(super) events: &'p [Event],
}

/// Makes the code of a stage.
pub(super) fn stage(plan: &Plan<'_>) -> (Stage, Code<Arc<dyn Kernel>>) {
    let (inputs, outputs) = (plan.inputs(), plan.outputs());
    let mut code = Code { bodies: vec![], sites: vec![], constants: vec![], names: vec![], outputs: vec![] };
    let functions = plan.functions(&mut code);
    let numbers = code.constants.len();
    let number = |i: u32| Tensor::splat(Type::new(DType::I32, []), Scalar::Int(i64::from(i)));
    code.constants.extend((0..plan.pipeline.schedule.micro_batches).map(number));
    let memory = lay_out(plan.pipeline, plan.ready, plan.events, (&inputs, &outputs), numbers);
    let events = plan.main(&mut code, &functions, &memory);
    code.outputs = memory.outputs;
    let own = |output: &Output| if let Output::Own(bytes, _) = output { *bytes as u64 } else { 0 };
    let bytes = (code.frame_bytes() as u64, code.outputs.iter().map(own).sum());
    (Stage { mesh: plan.mesh.clone(), inputs, outputs, events, bytes }, code)
}

impl Plan<'_> {
    fn chunks(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.pipeline.chunks.len()).filter(|&chunk| self.pipeline.schedule.home[chunk] == self.stage)
    }

    /// What enters from outside: a parameter of another stage comes from there.
    fn inputs(&self) -> Vec<Entry> {
        let received = self.pipeline.transfers.iter().filter(|t| t.behind == Moment::Before);
        let received: FxHashSet<(usize, usize)> = received.map(|t| t.to).collect();
        let ports = self.chunks().flat_map(|chunk| self.pipeline.chunks[chunk].inputs.iter().map(move |p| (chunk, p)));
        let ports = ports.filter(|(chunk, port)| !received.contains(&(*chunk, port.cell)));
        ports.map(|(chunk, port)| Entry { name: port.name.to_string(), chunk, cell: port.cell }).collect()
    }

    fn outputs(&self) -> Vec<Entry> {
        let ports = self.chunks().flat_map(|chunk| self.pipeline.chunks[chunk].outputs.iter().map(move |p| (chunk, p)));
        ports.map(|(chunk, port)| Entry { name: port.name.to_string(), chunk, cell: port.cell }).collect()
    }

    /// Appends the functions of all tasks; by chunk and task, the body of each.
    fn functions(&self, code: &mut Code<Arc<dyn Kernel>>) -> FxHashMap<(usize, usize), usize> {
        let mut functions = FxHashMap::default();
        for chunk in self.chunks() {
            for (task, ready) in self.ready[chunk].iter().enumerate() {
                append(code, &ready.code, self.first[self.stage]);
                functions.insert((chunk, task), code.bodies.len() - 1);
            }
        }
        functions
    }

    /// Appends the main function; by task, the event that it is.
    fn main(
        &self,
        code: &mut Code<Arc<dyn Kernel>>,
        functions: &FxHashMap<(usize, usize), usize>,
        memory: &Memory,
    ) -> Vec<Option<Event>> {
        let mut tasks = Vec::with_capacity(memory.steps.len());
        let mut events = Vec::with_capacity(memory.steps.len());
        let mut sites: FxHashMap<Sent, usize> = FxHashMap::default();
        for (step, &frame) in memory.steps.iter().zip(&memory.frames) {
            let all = |instances: &[_]| instances.iter().map(|&v| memory.address(v)).collect::<Addresses>();
            let bytes = |v: super::events::Instance| {
                let cells = &self.pipeline.chunks[v.chunk].cells;
                cells[v.cell % cells.len()].local_type().bytes() as usize
            };
            let (name, reads, writes, act, event) = match step {
                Do::Clear(v) => {
                    let kernel: Arc<dyn Kernel> = Arc::new(Clear { bytes: bytes(*v) });
                    ("clear".to_owned(), all(&[]), all(&[*v]), Act::Compute(kernel, 0), None)
                }
                Do::Copy(from, to) => {
                    let kernel = <Arc<dyn Kernel>>::copy(bytes(*to));
                    ("copy".to_owned(), all(&[*from]), all(&[*to]), Act::Compute(kernel, 0), None)
                }
                Do::Call { chunk, task, reads, writes, event } => {
                    let body = functions[&(*chunk, *task)];
                    (self.name(event), all(reads), all(writes), Act::Loop { trip: 1, body, frame }, Some(event.clone()))
                }
                Do::Start { message, reads, writes } => {
                    sites.insert(*message, code.sites.len());
                    code.sites.push(self.site(*message));
                    let event = Event::Start { message: *message, sends: reads.is_some(), receives: writes.is_some() };
                    let act = Act::Start(code.sites.len() - 1);
                    (self.sent(*message), all(reads.as_slice()), all(writes.as_slice()), act, Some(event))
                }
                Do::Wait(message) => {
                    let site = sites.get(message).copied().unwrap_or_default();
                    (self.sent(*message), all(&[]), all(&[]), Act::Wait(site), Some(Event::Wait(*message)))
                }
            };
            code.names.push(name);
            tasks.push(Task { name: code.names.len() as u32 - 1, reads, writes, act, duty: Duty::default() });
            events.push(event);
        }
        code.bodies.push(Body { tasks, frame_bytes: memory.frame_bytes });
        events
    }

    /// What messages call a transfer.
    fn sent(&self, message: Sent) -> String {
        let name = &self.pipeline.transfers[message.transfer].name;
        match message.micro_batch {
            Some(micro_batch) => format!("{name} of micro-batch {micro_batch}"),
            None => name.to_string(),
        }
    }

    /// What messages call an event.
    fn name(&self, event: &Event) -> String {
        let Event::Call { chunk, task, micro_batch } = event else { return String::new() };
        match (self.pipeline.chunks[*chunk].tasks[*task].moment, micro_batch) {
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

impl Stage {
    /// What one of its devices takes of memory.
    pub(super) fn footprint(&self, pipeline: &Pipeline) -> Footprint {
        let bytes = |entry: &Entry| pipeline.chunks[entry.chunk].cells[entry.cell].local_type().bytes();
        let (frame, outputs) = self.bytes;
        Footprint { inputs: self.inputs.iter().map(bytes).fold(0, u64::saturating_add), frame, outputs }
    }
}

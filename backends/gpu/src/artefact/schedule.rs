//! Serialised form of a stage's code: addresses are text, a collective is identified by the result of its op, and a
//! transfer by its index in the manifest.

use crate::module::Launch;
use crate::partitioned::{PartitionedProgram, Stage};
use partita_ir::arena::OpId;
use partita_ir::pipeline::events::TransferId;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_runtime::code::{
    Address, Addresses, Base, Body, Code, CommunicationOrigin, CommunicationSite, Output, Task, TaskAction,
};
use partita_runtime::compile::SiteBuilder;
use partita_runtime::replicas::ReplicaOwner;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Tasks, communication and outputs that all devices of a stage execute.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Functions, callees before callers. The last one is the main function.
    bodies: Vec<BodyRecord>,
    /// Communication sites: collectives and transfers. Tasks refer to them by index.
    sites: Vec<SiteRecord>,
    /// Storage of the main function's outputs.
    outputs: Vec<OutputRecord>,
    /// Names of tasks in messages. Tasks refer to them by index.
    names: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyRecord {
    /// Memory of one call for intermediate values, in bytes.
    frame_bytes: usize,
    tasks: Vec<TaskRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskRecord {
    /// Index into [`Schedule::names`].
    name: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reads: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    writes: Vec<String>,
    act: ActRecord,
    /// Axes and rank of a [`ReplicaOwner`]; absent if every device executes the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duty: Option<(u64, usize)>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum ActRecord {
    /// Kernel launches, with the offset of their scratch memory in the frame.
    Launch { scratch: usize, launch: Launch },
    /// Start of the communication of a site.
    Start(usize),
    /// Wait for the communication of a site.
    Wait(usize),
    /// `trip` executions of a function, with the offset of its frame in the caller's frame.
    Loop { trip: u64, body: usize, frame: usize },
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum SiteRecord {
    Collective(CollectiveSite),
    Transfer(TransferSite),
}

/// A collective, identified by its function and the name of its op's first result.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CollectiveSite {
    /// Index of the program within the stage.
    #[serde(default, skip_serializing_if = "is_first")]
    program: usize,
    function: String,
    result: String,
}

/// A transfer, identified by its index in the manifest.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TransferSite {
    transfer: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    micro_batch: Option<u32>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_first(program: &usize) -> bool {
    *program == 0
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum OutputRecord {
    /// Separate buffer, and the axes and rank of the [`ReplicaOwner`] that computes the output.
    Own { bytes: usize, duty: Option<(u64, usize)> },
    /// Memory of the input of this index.
    Over(usize),
}

impl Schedule {
    /// Returns the serialised form of a stage's code.
    pub fn from_code(code: &Code<Launch>, stage: &Stage) -> Schedule {
        let body = |body: &Body<Launch>| BodyRecord {
            frame_bytes: body.frame_bytes,
            tasks: body.tasks.iter().map(task_record).collect(),
        };
        let output = |output: &Output| match *output {
            Output::Buffer(bytes, owner) => OutputRecord::Own { bytes, duty: owner_record(owner) },
            Output::InPlace(input) => OutputRecord::Over(input),
        };
        let functions_of_ops: Vec<FxHashMap<OpId, &str>> =
            stage.programs.iter().map(|program| function_names(program)).collect();
        let site = |site: &CommunicationSite| match site.origin {
            CommunicationOrigin::Collective { program: number, op } => {
                let program = &stage.programs[number];
                let result = program.ops[op].outs.first().map(|&v| program.values[v].name.to_string());
                let function = functions_of_ops[number].get(&op).map(|name| (*name).to_owned()).unwrap_or_default();
                let result = result.unwrap_or_default();
                SiteRecord::Collective(CollectiveSite { program: number, function, result })
            }
            CommunicationOrigin::Transfer(TransferId { transfer, micro_batch }) => {
                SiteRecord::Transfer(TransferSite { transfer, micro_batch })
            }
        };
        Schedule {
            bodies: code.bodies.iter().map(body).collect(),
            sites: code.sites.iter().map(site).collect(),
            outputs: code.outputs.iter().map(output).collect(),
            names: code.names.clone(),
        }
    }

    /// Converts the schedule to the code of stage `number`. Bounds and order are checked by [`super::verify()`].
    ///
    /// # Errors
    /// A description of the record that cannot be resolved.
    pub fn into_code(
        self,
        program: &PartitionedProgram,
        number: usize,
        constants: Vec<Tensor>,
    ) -> Result<Code<Launch>, String> {
        let Stage { devices, programs, .. } = &program.stages[number];
        let ops: Vec<FxHashMap<(&str, &str), OpId>> = programs.iter().map(|program| collectives(program)).collect();
        let mut site_builders: Vec<SiteBuilder<'_>> =
            programs.iter().map(|program| SiteBuilder::new(program, &devices.mesh)).collect();
        let mut site = |record: &SiteRecord| -> Result<CommunicationSite, String> {
            match record {
                SiteRecord::Collective(CollectiveSite { program, function, result }) => {
                    let none = || format!("program {program} has no collective `%{result}` in `@{function}`");
                    let of_program = ops.get(*program).zip(site_builders.get_mut(*program));
                    let (ops, sites) = of_program.ok_or_else(none)?;
                    let op = ops.get(&(function.as_str(), result.as_str())).ok_or_else(none)?;
                    sites.add(*op).map_err(|e| e.title)?;
                    let site = sites.sites.last().ok_or_else(none)?;
                    Ok(site.rebased(devices.first_rank, *program))
                }
                &SiteRecord::Transfer(TransferSite { transfer: transfer_index, micro_batch }) => {
                    let transfer = program.transfers.get(transfer_index);
                    let transfer =
                        transfer.filter(|transfer| [transfer.from.stage, transfer.to.stage].contains(&number));
                    let transfer =
                        transfer.ok_or_else(|| format!("it does not take part in transfer {transfer_index}"))?;
                    Ok(transfer.site(TransferId { transfer: transfer_index, micro_batch }, number))
                }
            }
        };
        let sites = self.sites.iter().map(&mut site).collect::<Result<_, _>>()?;
        let body = |BodyRecord { frame_bytes, tasks }| -> Result<Body<Launch>, String> {
            Ok(Body { frame_bytes, tasks: tasks.into_iter().map(task).collect::<Result<_, _>>()? })
        };
        let output = |record| match record {
            OutputRecord::Own { bytes, duty } => Output::Buffer(bytes, replica_owner(duty)),
            OutputRecord::Over(input) => Output::InPlace(input),
        };
        Ok(Code {
            bodies: self.bodies.into_iter().map(body).collect::<Result<_, _>>()?,
            sites,
            constants,
            names: self.names,
            outputs: self.outputs.into_iter().map(output).collect(),
        })
    }
}

/// Returns the name of the function that contains each op.
fn function_names(program: &Program) -> FxHashMap<OpId, &str> {
    program.funcs.values().flat_map(|f| f.ops().iter().map(|&op| (op, f.name.as_str()))).collect()
}

/// Returns the collectives of a program by function name and name of the first result.
fn collectives(program: &Program) -> FxHashMap<(&str, &str), OpId> {
    let mut ops = FxHashMap::default();
    for func in program.funcs.values() {
        for &op in func.ops().iter().filter(|&&op| program.ops[op].kind.is_collective()) {
            if let Some(&first) = program.ops[op].outs.first() {
                ops.insert((func.name.as_str(), program.values[first].name.as_str()), op);
            }
        }
    }
    ops
}

fn task_record(task: &Task<Launch>) -> TaskRecord {
    let act = match &task.action {
        TaskAction::Compute(launch, scratch) => ActRecord::Launch { scratch: *scratch, launch: launch.clone() },
        TaskAction::Start(site) => ActRecord::Start(*site),
        TaskAction::Wait(site) => ActRecord::Wait(*site),
        TaskAction::Loop { trip, body, frame, .. } => ActRecord::Loop { trip: *trip, body: *body, frame: *frame },
    };
    let texts = |all: &[Address]| all.iter().map(|&at| address_text(at)).collect();
    TaskRecord {
        name: task.name,
        reads: texts(&task.reads),
        writes: texts(&task.writes),
        act,
        duty: owner_record(task.owner),
    }
}

fn task(record: TaskRecord) -> Result<Task<Launch>, String> {
    let addresses =
        |all: &[String]| -> Result<Addresses, String> { all.iter().map(|text| parse_address(text)).collect() };
    let (reads, writes) = (addresses(&record.reads), addresses(&record.writes));
    let act = match record.act {
        ActRecord::Launch { scratch, launch } => TaskAction::Compute(launch, scratch),
        ActRecord::Start(site) => TaskAction::Start(site),
        ActRecord::Wait(site) => TaskAction::Wait(site),
        ActRecord::Loop { trip, body, frame } => TaskAction::Loop { trip, limit: 0, body, frame },
    };
    Ok(Task { name: record.name, reads: reads?, writes: writes?, action: act, owner: replica_owner(record.duty) })
}

fn owner_record(owner: ReplicaOwner) -> Option<(u64, usize)> {
    (!owner.is_every_device()).then_some((owner.axes, owner.rank))
}

fn replica_owner(record: Option<(u64, usize)>) -> ReplicaOwner {
    record.map_or(ReplicaOwner::default(), |(axes, rank)| ReplicaOwner { axes, rank })
}

/// Formats an address, such as `frame+256`, `input3+0`, `output0+0` or `constant1+0`.
fn address_text(Address { base, offset }: Address) -> String {
    match base {
        Base::Frame => format!("frame+{offset}"),
        Base::Input(i) => format!("input{i}+{offset}"),
        Base::Output(i) => format!("output{i}+{offset}"),
        Base::Constant(i) => format!("constant{i}+{offset}"),
    }
}

fn parse_address(text: &str) -> Result<Address, String> {
    let read = || {
        let (base, offset) = text.split_once('+')?;
        let number = |prefix: &str| base.strip_prefix(prefix)?.parse::<u32>().ok();
        let base = match base {
            "frame" => Base::Frame,
            _ => number("input")
                .map(Base::Input)
                .or_else(|| number("output").map(Base::Output))
                .or_else(|| number("constant").map(Base::Constant))?,
        };
        Some(Address { base, offset: offset.parse().ok()? })
    };
    read().ok_or_else(|| format!("`{text}` is not an address"))
}

//! Tasks as they stand in the file: every address is text, a collective is named by the result of its op, and a
//! transfer by its number.

use crate::module::Launch;
use crate::partitioned::{PartitionedProgram, Stage};
use partita_ir::arena::OpId;
use partita_ir::pipeline::events::Sent;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_runtime::code::{Act, Address, Addresses, Base, Body, Code, Meeting, Output, Site, Task};
use partita_runtime::compile::Sites;
use partita_runtime::replicas::Duty;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Tasks of every device of a stage.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Functions, callees first.
    bodies: Vec<BodyRecord>,
    /// The collectives, and what is sent and received.
    sites: Vec<SiteRecord>,
    /// Where outputs are.
    outputs: Vec<OutputRecord>,
    /// What messages call tasks.
    names: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyRecord {
    frame_bytes: usize,
    tasks: Vec<TaskRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskRecord {
    name: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    reads: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    writes: Vec<String>,
    act: ActRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    duty: Option<(u64, usize)>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum ActRecord {
    Launch { scratch: usize, launch: Launch },
    Start(usize),
    Wait(usize),
    Loop { trip: u64, body: usize, frame: usize },
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum SiteRecord {
    Collective(CollectiveRecord),
    Transfer(TransferRecord),
}

/// A collective: the function and the result of its op.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CollectiveRecord {
    /// By position among the programs of the stage.
    #[serde(default, skip_serializing_if = "is_first")]
    program: usize,
    function: String,
    result: String,
}

/// A transfer of the manifest.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TransferRecord {
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
    Own { bytes: usize, duty: Option<(u64, usize)> },
    Over(usize),
}

impl Schedule {
    /// Returns the record of a stage's code in the file.
    pub fn of(code: &Code<Launch>, stage: &Stage) -> Schedule {
        let body = |body: &Body<Launch>| BodyRecord {
            frame_bytes: body.frame_bytes,
            tasks: body.tasks.iter().map(task_record).collect(),
        };
        let output = |output: &Output| match *output {
            Output::Own(bytes, duty) => OutputRecord::Own { bytes, duty: duty_record(duty) },
            Output::Over(input) => OutputRecord::Over(input),
        };
        let owners: Vec<FxHashMap<OpId, &str>> = stage.programs.iter().map(|program| owners(program)).collect();
        let site = |site: &Site| match site.meeting {
            Meeting::Collective { program: number, op } => {
                let program = &stage.programs[number];
                let result = program.ops[op].outs.first().map(|&v| program.values[v].name.to_string());
                let function = owners[number].get(&op).map(|name| (*name).to_owned()).unwrap_or_default();
                let result = result.unwrap_or_default();
                SiteRecord::Collective(CollectiveRecord { program: number, function, result })
            }
            Meeting::Transfer(Sent { transfer, micro_batch }) => {
                SiteRecord::Transfer(TransferRecord { transfer, micro_batch })
            }
        };
        Schedule {
            bodies: code.bodies.iter().map(body).collect(),
            sites: code.sites.iter().map(site).collect(),
            outputs: code.outputs.iter().map(output).collect(),
            names: code.names.clone(),
        }
    }

    /// The code of the `number`-th stage. Whether it makes sense is for [`super::verify()`] to say.
    ///
    /// # Errors
    /// What cannot be read, in words.
    pub fn into_code(
        self,
        program: &PartitionedProgram,
        number: usize,
        constants: Vec<Tensor>,
    ) -> Result<Code<Launch>, String> {
        let Stage { devices, programs, .. } = &program.stages[number];
        let ops: Vec<FxHashMap<(&str, &str), OpId>> = programs.iter().map(|program| collectives(program)).collect();
        let mut known: Vec<Sites<'_>> = programs.iter().map(|program| Sites::new(program, &devices.mesh)).collect();
        let mut site = |record: &SiteRecord| -> Result<Site, String> {
            match record {
                SiteRecord::Collective(CollectiveRecord { program, function, result }) => {
                    let none = || format!("program {program} has no collective `%{result}` in `@{function}`");
                    let of_program = ops.get(*program).zip(known.get_mut(*program));
                    let (ops, sites) = of_program.ok_or_else(none)?;
                    let op = ops.get(&(function.as_str(), result.as_str())).ok_or_else(none)?;
                    sites.add(*op).map_err(|e| e.title)?;
                    let site = sites.sites.last().ok_or_else(none)?;
                    Ok(site.among(devices.first_rank, *program))
                }
                &SiteRecord::Transfer(TransferRecord { transfer: number_of, micro_batch }) => {
                    let transfer = program.transfers.get(number_of);
                    let transfer =
                        transfer.filter(|transfer| [transfer.from.stage, transfer.to.stage].contains(&number));
                    let transfer = transfer.ok_or_else(|| format!("it has no part in a transfer {number_of}"))?;
                    Ok(transfer.site(Sent { transfer: number_of, micro_batch }, number))
                }
            }
        };
        let sites = self.sites.iter().map(&mut site).collect::<Result<_, _>>()?;
        let body = |BodyRecord { frame_bytes, tasks }| -> Result<Body<Launch>, String> {
            Ok(Body { frame_bytes, tasks: tasks.into_iter().map(task).collect::<Result<_, _>>()? })
        };
        let output = |record| match record {
            OutputRecord::Own { bytes, duty } => Output::Own(bytes, self::duty(duty)),
            OutputRecord::Over(input) => Output::Over(input),
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

/// By op, the name of its function.
fn owners(program: &Program) -> FxHashMap<OpId, &str> {
    program.funcs.values().flat_map(|f| f.ops().iter().map(|&op| (op, f.name.as_str()))).collect()
}

/// The collectives of a program, by function and result.
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
    let act = match &task.act {
        Act::Compute(launch, scratch) => ActRecord::Launch { scratch: *scratch, launch: launch.clone() },
        Act::Start(site) => ActRecord::Start(*site),
        Act::Wait(site) => ActRecord::Wait(*site),
        Act::Loop { trip, body, frame } => ActRecord::Loop { trip: *trip, body: *body, frame: *frame },
    };
    let texts = |all: &[Address]| all.iter().map(|&at| text(at)).collect();
    TaskRecord {
        name: task.name,
        reads: texts(&task.reads),
        writes: texts(&task.writes),
        act,
        duty: duty_record(task.duty),
    }
}

fn task(record: TaskRecord) -> Result<Task<Launch>, String> {
    let addresses = |all: &[String]| -> Result<Addresses, String> { all.iter().map(|text| address(text)).collect() };
    let (reads, writes) = (addresses(&record.reads), addresses(&record.writes));
    let act = match record.act {
        ActRecord::Launch { scratch, launch } => Act::Compute(launch, scratch),
        ActRecord::Start(site) => Act::Start(site),
        ActRecord::Wait(site) => Act::Wait(site),
        ActRecord::Loop { trip, body, frame } => Act::Loop { trip, body, frame },
    };
    Ok(Task { name: record.name, reads: reads?, writes: writes?, act, duty: duty(record.duty) })
}

fn duty_record(duty: Duty) -> Option<(u64, usize)> {
    (!duty.is_everybodys()).then_some((duty.axes, duty.rank))
}

fn duty(record: Option<(u64, usize)>) -> Duty {
    record.map_or(Duty::default(), |(axes, rank)| Duty { axes, rank })
}

/// `frame+256`, `input3+0`, `output0+0`, `constant1+0`
fn text(Address { base, offset }: Address) -> String {
    match base {
        Base::Frame => format!("frame+{offset}"),
        Base::Input(i) => format!("input{i}+{offset}"),
        Base::Output(i) => format!("output{i}+{offset}"),
        Base::Constant(i) => format!("constant{i}+{offset}"),
    }
}

fn address(text: &str) -> Result<Address, String> {
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
    read().ok_or_else(|| format!("`{text}` is no address"))
}

//! Tasks as they stand in the file: every address is text, and a collective is named by the result of its op.

use crate::module::Launch;
use partita_ir::arena::OpId;
use partita_ir::mesh::Mesh;
use partita_ir::program::Program;
use partita_ir::tensor::Tensor;
use partita_runtime::code::{Act, Address, Addresses, Base, Body, Code, Output, Task};
use partita_runtime::compile::Sites;
use partita_runtime::replicas::Duty;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What every device does.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Functions, callees first.
    bodies: Vec<BodyRecord>,
    /// The collectives.
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

/// A collective: the function and the result of its op.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SiteRecord {
    function: String,
    result: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum OutputRecord {
    Own { bytes: usize, duty: Option<(u64, usize)> },
    Over(usize),
}

impl Schedule {
    /// What stands in the file for that code of that program.
    pub fn of(code: &Code<Launch>, program: &Program) -> Schedule {
        let body = |body: &Body<Launch>| BodyRecord {
            frame_bytes: body.frame_bytes,
            tasks: body.tasks.iter().map(task_record).collect(),
        };
        let output = |output: &Output| match *output {
            Output::Own(bytes, duty) => OutputRecord::Own { bytes, duty: duty_record(duty) },
            Output::Over(input) => OutputRecord::Over(input),
        };
        let owners: FxHashMap<OpId, &str> =
            program.funcs.values().flat_map(|f| f.ops().iter().map(|&op| (op, f.name.as_str()))).collect();
        let site = |op: OpId| SiteRecord {
            function: owners.get(&op).map(|name| (*name).to_owned()).unwrap_or_default(),
            result: program.ops[op].outs.first().map(|&v| program.values[v].name.to_string()).unwrap_or_default(),
        };
        Schedule {
            bodies: code.bodies.iter().map(body).collect(),
            sites: code.sites.iter().filter_map(|s| s.meeting.op()).map(site).collect(),
            outputs: code.outputs.iter().map(output).collect(),
            names: code.names.clone(),
        }
    }

    /// The code. Whether it makes sense is for [`super::verify()`] to say.
    ///
    /// # Errors
    /// What cannot be read, in words.
    pub fn into_code(
        self,
        program: &Program,
        mesh: &Arc<Mesh>,
        constants: Vec<Tensor>,
    ) -> Result<Code<Launch>, String> {
        let mut sites = Sites::new(program, mesh);
        let mut ops: FxHashMap<(&str, &str), OpId> = FxHashMap::default();
        for func in program.funcs.values() {
            for &op in func.ops().iter().filter(|&&op| program.ops[op].kind.is_collective()) {
                if let Some(&first) = program.ops[op].outs.first() {
                    ops.insert((func.name.as_str(), program.values[first].name.as_str()), op);
                }
            }
        }
        for SiteRecord { function, result } in &self.sites {
            let none = || format!("the program has no collective `%{result}` in `@{function}`");
            let op = ops.get(&(function.as_str(), result.as_str())).ok_or_else(none)?;
            sites.add(*op).map_err(|e| e.title)?;
        }
        let body = |BodyRecord { frame_bytes, tasks }| -> Result<Body<Launch>, String> {
            Ok(Body { frame_bytes, tasks: tasks.into_iter().map(task).collect::<Result<_, _>>()? })
        };
        let output = |record| match record {
            OutputRecord::Own { bytes, duty } => Output::Own(bytes, self::duty(duty)),
            OutputRecord::Over(input) => Output::Over(input),
        };
        Ok(Code {
            bodies: self.bodies.into_iter().map(body).collect::<Result<_, _>>()?,
            sites: sites.sites,
            constants,
            names: self.names,
            outputs: self.outputs.into_iter().map(output).collect(),
        })
    }
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

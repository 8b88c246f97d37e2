//! `inspect`: prints the contents of a compiled file.

use super::compile::text_only_note;
use crate::args::InspectArgs;
use crate::{Outcome, devices};
use indexmap::IndexMap;
use partita::Result;
use partita::kernels::{ops_text, unfused_ops_text};
use partita::report::{Align, Table};
use partita_gpu::artefact::Digest;
use partita_gpu::module::{Kernel, Launch};
use partita_gpu::partitioned::{self, Stage};
use partita_gpu::{Artefact, Module};
use partita_ir::diag::{Code as ErrorCode, Diagnostic, nearest};
use partita_ir::input_file::{self, FileLimit};
use partita_ir::text;
use partita_ir::units::format_bytes;
use partita_runtime::code::{Code, CommunicationOrigin, CommunicationSite, Task, TaskAction};
use partita_runtime::footprint::Footprint;
use partita_runtime::pipeline::transfer::Transfer;
use serde_json::{Value, json};

/// Runs `partita inspect`.
pub(crate) fn inspect(args: &InspectArgs) -> Result<Outcome> {
    let file = input_file::read(&args.file, FileLimit::ARTEFACT)?;
    let (artefact, digest) = (Artefact::from_bytes(&args.file, &file)?, Digest::of_bytes(&file));
    drop(file);
    if let Some(name) = &args.kernel {
        return kernel_text(&artefact, name);
    }
    let text = match (args.program, args.plan, args.json) {
        (true, ..) => programs(&artefact),
        (_, true, _) => artefact.plan.clone(),
        (.., true) => format!("{:#}\n", as_json(&artefact, &digest)),
        _ => as_text(&artefact, &digest),
    };
    Ok(text.into())
}

/// Returns the source text of a kernel for each target that has it.
fn kernel_text(artefact: &Artefact, name: &str) -> Result<Outcome> {
    let kernels = || artefact.modules.iter().flat_map(|module| module.kernels.iter().map(move |k| (module, k)));
    let found: Vec<(_, &Kernel)> = kernels().filter(|(_, kernel)| kernel.name == name).collect();
    match &found[..] {
        [] => {
            let unknown = Diagnostic::new(ErrorCode::C002, format!("there is no kernel `{name}`"));
            let near = nearest(name, kernels().map(|(_, kernel)| kernel.name.as_str()));
            Err(near.into_iter().fold(unknown, |e, near| e.help(format!("there is `{near}`"))).into())
        }
        [(_, kernel)] => Ok(kernel.source.clone().into()),
        several => {
            let each = several.iter().map(|(module, kernel)| format!("// {}\n{}", module.target, kernel.source));
            Ok(each.collect::<Vec<_>>().join("\n").into())
        }
    }
}

/// An input, a parameter or an output, with its shard on one device.
struct Port<'a> {
    name: &'a str,
    kind: &'static str,
    /// Type in program text.
    ty: String,
    /// Bytes of a shard.
    bytes: u64,
    /// True if the file contains the value.
    is_in_file: bool,
}

fn ports<'a>(artefact: &'a Artefact, stage: &'a Stage) -> impl Iterator<Item = Port<'a>> {
    let port = |port: &'a partitioned::Port, kind, is_in_file| Port {
        name: &port.name,
        kind,
        ty: text::print_type(&port.value, &stage.devices.mesh),
        bytes: port.value.local_type().shape.count() as u64 * 4,
        is_in_file,
    };
    let has = |path: &str| artefact.weights.as_ref().is_some_and(|weights| weights.contains_key(path));
    let inputs = stage.inputs.iter().map(move |of| {
        let kind = if of.is_parameter { "parameter" } else { "input" };
        port(of, kind, has(&of.name))
    });
    inputs.chain(stage.outputs.iter().map(move |of| port(of, "output", false)))
}

/// Formats the programs of all stages, with a comment for the stage if there are several.
fn programs(artefact: &Artefact) -> String {
    let stages = artefact.program.stages.iter().enumerate();
    let all =
        stages.flat_map(|(number, stage)| stage.programs.iter().map(move |program| (number, text::print(program))));
    match artefact.program.is_single() {
        true => all.map(|(_, text)| text).collect(),
        false => all.map(|(number, text)| format!("// stage {number}\n{text}\n")).collect(),
    }
}

fn mesh_text(stage: &Stage) -> String {
    let axes = stage.devices.mesh.axes.iter().map(|axis| format!("{}={}", axis.name, axis.size));
    axes.collect::<Vec<_>>().join(", ")
}

/// Formats a launch size: `120x4x1`.
fn dims_text([x, y, z]: [u32; 3]) -> String {
    format!("{x}x{y}x{z}")
}

fn as_text(artefact: &Artefact, digest: &Digest) -> String {
    use Align::{Left, Right};
    let (model, version) = (&artefact.model, &artefact.version);
    let mut out = format!("{model}, compiled by partita {version}\nSHA-256: {digest}\n");
    let stages = &artefact.program.stages;
    let of_stage = |number| if stages.len() > 1 { format!("stage {number}, ") } else { String::new() };
    for (number, stage) in stages.iter().enumerate() {
        let devices = devices(stage.devices.ranks().len());
        out.push_str(&format!("{}mesh: {} ({devices})\n", of_stage(number), mesh_text(stage)));
        let mut table =
            Table::new([("", Left), ("name", Left), ("type", Left), ("bytes per device", Right), ("weights", Left)]);
        for port in ports(artefact, stage) {
            let kept = if port.is_in_file { "in the file" } else { "" };
            table.row([port.kind.into(), port.name.to_owned(), port.ty, format_bytes(port.bytes), kept.into()]);
        }
        out.push_str(&format!("\n{table}"));
        if number + 1 < stages.len() {
            out.push('\n');
        }
    }
    for module in &artefact.modules {
        out.push_str(&format!("\ntarget {}, compiled with {}\n", module.target, module.toolchain));
        for (number, footprint) in module.footprints().iter().enumerate() {
            out.push_str(&format!("{}memory per device: {footprint}\n", of_stage(number)));
        }
        out.push_str(&format!("\n{}", kernels_table(module)));
        for (number, (code, meetings)) in module.code.iter().zip(module.communication_counts()).enumerate() {
            if !code.sites.is_empty() {
                out.push_str(&format!("\n{}", communication_table(artefact, number, code, &meetings)));
            }
            if stages.len() > 1 {
                out.push_str(&format!("\nstage {number} in order\n{}", tasks_text(code)));
            }
        }
    }
    if let Some(note) = text_only_note(artefact) {
        out.push_str(&format!("\n{note}\n"));
    }
    out
}

fn kernels_table(module: &Module) -> String {
    use Align::{Left, Right};
    let mut head = vec![
        ("kernel", Left),
        ("launches per run", Right),
        ("grid", Right),
        ("units", Right),
        ("shared", Right),
        ("reads", Right),
        ("writes", Right),
        ("text", Right),
    ];
    head.extend(module.machine_code_bytes().map(|_| ("machine code", Right)));
    head.push(("computes", Left));
    let mut table = Table::new(head);
    for (kernel, launches) in module.kernels.iter().zip(module.launch_counts()) {
        let cells = [
            kernel.name.clone(),
            launches.to_string(),
            dims_text(kernel.cubes),
            dims_text(kernel.units),
            format_bytes(kernel.shared_bytes as u64),
            kernel.reads.to_string(),
            kernel.writes.to_string(),
            format_bytes(kernel.source.len() as u64),
        ];
        let code = module.machine_code_bytes().and(kernel.binary.as_ref()).map(|code| format_bytes(code.len() as u64));
        table.row(cells.into_iter().chain(code).chain([ops_text(&kernel.purpose)]));
    }
    table.to_string() + &unfused_ops_text(module.kernels.iter().map(|kernel| (kernel.name.as_str(), &kernel.purpose)))
}

/// Formats a table of a stage's communication: its collectives, and each transfer over all micro-batches.
fn communication_table(artefact: &Artefact, number: usize, code: &Code<Launch>, meetings: &[u64]) -> String {
    use Align::{Left, Right};
    let head = if artefact.program.is_single() { "collective".to_owned() } else { format!("stage {number}") };
    let mut rows: IndexMap<String, (u64, usize, u64)> = IndexMap::new();
    for (site, times) in code.sites.iter().zip(meetings) {
        let name = match site.origin {
            CommunicationOrigin::Collective { .. } => site.name.clone(),
            CommunicationOrigin::Transfer(message) => {
                transfer_text(&artefact.program.transfers[message.transfer], number)
            }
        };
        let members = site.execs.first().map_or(0, |exec| exec.members());
        let sent = site.bytes.iter().map(|&b| b as u64).sum();
        rows.entry(name).or_insert((0, members, sent)).0 += times;
    }
    let head = [(head.as_str(), Left), ("runs", Right), ("devices", Right), ("bytes of operands", Right)];
    let mut table = Table::new(head);
    for (name, (times, members, sent)) in rows {
        table.row([name, times.to_string(), members.to_string(), format_bytes(sent)]);
    }
    table.to_string()
}

/// Describes a transfer from the perspective of a stage.
fn transfer_text(transfer: &Transfer, stage: usize) -> String {
    let (name, from, to) = (&transfer.name, transfer.from.stage, transfer.to.stage);
    match (from == stage, to == stage) {
        (true, true) => format!("forwards {name}"),
        (true, false) => format!("sends {name} to stage {to}"),
        _ => format!("receives {name} from stage {from}"),
    }
}

/// Formats the tasks of a stage in order, one line each.
fn tasks_text(code: &Code<Launch>) -> String {
    let line = |task: &Task<Launch>| {
        let name = code.names.get(task.name as usize).map_or("", String::as_str);
        match task.action {
            TaskAction::Compute(..) | TaskAction::Loop { .. } => format!("  {name}\n"),
            TaskAction::Start(_) => format!("  start {name}\n"),
            TaskAction::Wait(_) => format!("  wait for {name}\n"),
        }
    };
    code.bodies.last().into_iter().flat_map(|main| &main.tasks).map(line).collect()
}

fn as_json(artefact: &Artefact, digest: &Digest) -> Value {
    let port = |port: Port<'_>| {
        let Port { name, kind, ty, bytes, is_in_file } = port;
        json!({ "name": name, "kind": kind, "type": ty, "bytes": bytes, "weights": is_in_file })
    };
    let kernel = |(kernel, launches): (&Kernel, u64)| {
        json!({
            "name": kernel.name,
            "launches": launches,
            "cubes": kernel.cubes,
            "units": kernel.units,
            "shared_bytes": kernel.shared_bytes,
            "reads": kernel.reads,
            "writes": kernel.writes,
            "text_bytes": kernel.source.len(),
            "binary_bytes": kernel.binary.as_ref().map(Vec::len),
            "work": kernel.work,
            "purpose": kernel.purpose,
        })
    };
    let site = |(site, times): (&CommunicationSite, u64)| {
        let members = site.execs.first().map_or(0, |exec| exec.members());
        let kind = match site.origin {
            CommunicationOrigin::Collective { .. } => "collective",
            CommunicationOrigin::Transfer(_) => "transfer",
        };
        json!({ "name": site.name, "kind": kind, "times": times, "devices": members, "operand_bytes": site.bytes })
    };
    let target = |module: &Module| {
        let stages = module.code.iter().zip(module.communication_counts()).zip(module.footprints());
        let stage = |((code, meetings), memory): ((&Code<Launch>, Vec<u64>), Footprint)| {
            let sites: Vec<Value> = code.sites.iter().zip(meetings).map(site).collect();
            let order = (!artefact.program.is_single()).then(|| tasks_text(code));
            let order: Vec<&str> = order.iter().flat_map(|order| order.lines()).map(str::trim).collect();
            json!({ "memory": memory, "sites": sites, "order": order })
        };
        json!({
            "target": module.target.to_string(),
            "toolchain": module.toolchain,
            "kernels": module.kernels.iter().zip(module.launch_counts()).map(kernel).collect::<Vec<_>>(),
            "stages": stages.map(stage).collect::<Vec<_>>(),
        })
    };
    let stage = |stage: &Stage| {
        let axes = stage.devices.mesh.axes.iter().map(|a| json!({ "name": a.name.as_str(), "size": a.size }));
        json!({
            "mesh": axes.collect::<Vec<_>>(),
            "devices": stage.devices.ranks().len(),
            "ports": ports(artefact, stage).map(port).collect::<Vec<_>>(),
        })
    };
    json!({
        "sha256": digest,
        "version": artefact.version,
        "model": artefact.model,
        "devices": artefact.program.device_count(),
        "stages": artefact.program.stages.iter().map(stage).collect::<Vec<_>>(),
        "targets": artefact.modules.iter().map(|module| target(module)).collect::<Vec<_>>(),
    })
}

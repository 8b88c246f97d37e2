//! `inspect`: what a compiled file holds.

use super::compile::without_code;
use crate::args::InspectArgs;
use crate::{Outcome, devices};
use partita::Result;
use partita::kernels::{alone, computes};
use partita::report::{Align, Table};
use partita_gpu::artefact::Digest;
use partita_gpu::module::Kernel;
use partita_gpu::{Artefact, Module};
use partita_ir::arena::ValueId;
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::input_file::{self, Limit};
use partita_ir::text;
use partita_ir::units::bytes;
use serde_json::{Value, json};

/// Carries out `partita inspect`.
pub(crate) fn inspect(args: &InspectArgs) -> Result<Outcome> {
    let file = input_file::read(&args.file, Limit::ARTEFACT)?;
    let (artefact, digest) = (Artefact::from_bytes(&args.file, &file)?, Digest::of(&file));
    drop(file);
    if let Some(name) = &args.kernel {
        return kernel_text(&artefact, name);
    }
    let text = match (args.program, args.plan, args.json) {
        (true, ..) => text::print(&artefact.program),
        (_, true, _) => artefact.plan.clone(),
        (.., true) => format!("{:#}\n", as_json(&artefact, &digest)),
        _ => as_text(&artefact, &digest),
    };
    Ok(text.into())
}

/// The text of a kernel for each target that has it.
fn kernel_text(artefact: &Artefact, name: &str) -> Result<Outcome> {
    let kernels = || artefact.modules.iter().flat_map(|module| module.kernels.iter().map(move |k| (module, k)));
    let found: Vec<(_, &Kernel)> = kernels().filter(|(_, kernel)| kernel.name == name).collect();
    match &found[..] {
        [] => {
            let unknown = Diagnostic::new(Code::C002, format!("there is no kernel `{name}`"));
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

/// An input, a parameter or an output.
struct Port<'a> {
    name: &'a str,
    kind: &'static str,
    /// As in program text.
    ty: String,
    bytes: u64,
    /// Whether the file has it.
    is_kept: bool,
}

fn ports(artefact: &Artefact) -> Vec<Port<'_>> {
    let program = &artefact.program;
    let port = |value: ValueId, name, kind, is_kept| {
        let mut ty = String::new();
        text::write_type(&program.values[value], program, &mut ty);
        let bytes = program.values[value].local_type().shape.count() as u64 * 4;
        Port { name, kind, ty, bytes, is_kept }
    };
    let has = |path: &str| artefact.weights.as_ref().is_some_and(|weights| weights.contains_key(path));
    let inputs = program.inputs().iter().map(|&v| {
        let (path, is_param) = (program.path_of(v), program.param_of(v).is_some());
        port(v, path, if is_param { "parameter" } else { "input" }, has(path))
    });
    let outputs = program.outputs().iter().map(|o| port(o.value, &o.name, "output", false));
    inputs.chain(outputs).collect()
}

fn mesh(artefact: &Artefact) -> String {
    let axes = artefact.program.mesh().map(|(_, mesh)| mesh.axes.iter().map(|a| format!("{}={}", a.name, a.size)));
    axes.map(|axes| axes.collect::<Vec<_>>().join(", ")).unwrap_or_default()
}

fn device_count(artefact: &Artefact) -> usize {
    artefact.program.mesh().map_or(1, |(_, mesh)| mesh.device_count())
}

/// `120x4x1`
fn grid([x, y, z]: [u32; 3]) -> String {
    format!("{x}x{y}x{z}")
}

fn as_text(artefact: &Artefact, digest: &Digest) -> String {
    use Align::{Left, Right};
    let (model, version, devices) = (&artefact.model, &artefact.version, devices(device_count(artefact)));
    let mut out = format!("{model}, compiled by partita {version}\nSHA-256: {digest}\n");
    out.push_str(&format!("mesh: {} ({devices})\n", mesh(artefact)));
    let mut table =
        Table::new([("", Left), ("name", Left), ("type", Left), ("bytes a device", Right), ("weights", Left)]);
    for port in ports(artefact) {
        let kept = if port.is_kept { "in the file" } else { "" };
        table.row([port.kind.into(), port.name.to_owned(), port.ty, bytes(port.bytes), kept.into()]);
    }
    out.push_str(&format!("\n{table}"));
    for module in &artefact.modules {
        let (target, toolchain) = (module.target, &module.toolchain);
        out.push_str(&format!("\ntarget {target}, by {toolchain}\nmemory a device: {}\n\n", module.footprint()));
        out.push_str(&kernels(module));
        if !module.code.sites.is_empty() {
            out.push_str(&format!("\n{}", collectives(module)));
        }
    }
    if let Some(note) = without_code(artefact) {
        out.push_str(&format!("\n{note}\n"));
    }
    out
}

fn kernels(module: &Module) -> String {
    use Align::{Left, Right};
    let mut head = vec![
        ("kernel", Left),
        ("launches a run", Right),
        ("grid", Right),
        ("units", Right),
        ("shared", Right),
        ("reads", Right),
        ("writes", Right),
        ("text", Right),
    ];
    head.extend(module.code_bytes().map(|_| ("machine code", Right)));
    head.push(("computes", Left));
    let mut table = Table::new(head);
    for (kernel, launches) in module.kernels.iter().zip(module.launches()) {
        let cells = [
            kernel.name.clone(),
            launches.to_string(),
            grid(kernel.cubes),
            grid(kernel.units),
            bytes(kernel.shared_bytes as u64),
            kernel.reads.to_string(),
            kernel.writes.to_string(),
            bytes(kernel.source.len() as u64),
        ];
        let code = module.code_bytes().and(kernel.binary.as_ref()).map(|code| bytes(code.len() as u64));
        table.row(cells.into_iter().chain(code).chain([computes(&kernel.purpose)]));
    }
    table.to_string() + &alone(module.kernels.iter().map(|kernel| (kernel.name.as_str(), &kernel.purpose)))
}

fn collectives(module: &Module) -> String {
    use Align::{Left, Right};
    let mut table =
        Table::new([("collective", Left), ("times a run", Right), ("devices", Right), ("bytes of operands", Right)]);
    for (site, times) in module.code.sites.iter().zip(module.meetings()) {
        let members = site.exchanges.first().map_or(0, |exchange| exchange.members());
        let sent = site.bytes.iter().map(|&b| b as u64).sum();
        table.row([site.name.clone(), times.to_string(), members.to_string(), bytes(sent)]);
    }
    table.to_string()
}

fn as_json(artefact: &Artefact, digest: &Digest) -> Value {
    let port = |port: Port<'_>| {
        let Port { name, kind, ty, bytes, is_kept } = port;
        json!({ "name": name, "kind": kind, "type": ty, "bytes": bytes, "weights": is_kept })
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
    let target = |module: &Module| {
        let sites = module.code.sites.iter().zip(module.meetings());
        let site = |(site, times): (&partita_runtime::code::Site, u64)| {
            let members = site.exchanges.first().map_or(0, |exchange| exchange.members());
            json!({ "name": site.name, "times": times, "devices": members, "operand_bytes": site.bytes })
        };
        json!({
            "target": module.target.to_string(),
            "toolchain": module.toolchain,
            "memory": module.footprint(),
            "kernels": module.kernels.iter().zip(module.launches()).map(kernel).collect::<Vec<_>>(),
            "collectives": sites.map(site).collect::<Vec<_>>(),
        })
    };
    let axes = artefact.program.mesh().map(|(_, mesh)| {
        mesh.axes.iter().map(|a| json!({ "name": a.name.as_str(), "size": a.size })).collect::<Vec<_>>()
    });
    json!({
        "sha256": digest,
        "version": artefact.version,
        "model": artefact.model,
        "mesh": axes.unwrap_or_default(),
        "devices": device_count(artefact),
        "ports": ports(artefact).into_iter().map(port).collect::<Vec<_>>(),
        "targets": artefact.modules.iter().map(|module| target(module)).collect::<Vec<_>>(),
    })
}

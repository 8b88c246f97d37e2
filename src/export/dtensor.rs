//! PyTorch: a Python file with the mesh, the placement of each parameter and input, a plan for `parallelize_module`,
//! and functions that apply them to a module. Only public interfaces of PyTorch are used.

use super::Subject;
use super::placements::{Placement, list, placements_of};
use super::python_text::{dict, documentation, quote, strings, tuple};
use super::styles::{Style, StyledModule, TensorParallelism, placed_params};
use partita_ir::mesh::DeviceMesh;
use partita_ir::plan::pipeline::PipelineConfig;
use partita_ir::program::{Param, Program};
use partita_ir::schedule::ScheduleKind;
use partita_passes::planning::presets::{DATA_AXES, written_presets};
use partita_search::target::{ModelLayers, Module, ModuleKind};
use serde_json::{Map, Value, json};

/// Functions of the file, which do not depend on the plan.
const FUNCTIONS: &str = include_str!("dtensor.py");

/// Returns the Python file, and the same data as JSON.
pub(super) fn emit(subject: &Subject<'_>) -> (String, Option<String>) {
    let program = subject.partition.planned();
    let single = DeviceMesh::new("mesh", [("data", 1)]);
    let mesh = program.mesh().map_or(&single, |(_, mesh)| mesh);
    let params = placed_params(program, mesh);
    let shapes = |name: &str| -> Vec<usize> {
        let of = |param: &&Param| param.path == name;
        program.params.values().find(of).map_or_else(Vec::new, |param| program.ty(param.value).shape.to_vec())
    };
    let data: Vec<(&str, Vec<Placement>)> = program
        .inputs()
        .iter()
        .filter(|&&value| program.param_of(value).is_none())
        .map(|&value| (program.path_of(value), placements_of(program, value, mesh)))
        .collect();
    let tensor = TensorParallelism::find(subject);
    let styles = tensor.as_ref().map(styles);
    let gathered = gathered_axes(subject, mesh);
    let layers = if gathered.is_empty() { Vec::new() } else { layers(subject.program) };
    let stages = stages(subject);
    let names: Vec<&str> = mesh.axes.iter().map(|axis| axis.name.as_str()).collect();
    let sizes: Vec<String> = mesh.axes.iter().map(|axis| axis.size.to_string()).collect();
    let transposed: Vec<&Module> = subject.rules.modules().iter().filter(|one| !one.is_stored_as_in_torch()).collect();
    let axis = tensor.as_ref().map_or_else(|| "None".to_owned(), |tensor| quote(&tensor.axis));
    let head = documentation(&subject.head());
    let constants = [
        ("Names of the axes of the mesh, major to minor.", "MESH_AXES", strings(names.iter().copied())),
        ("Sizes of the axes of the mesh.", "MESH_SHAPE", tuple(&sizes)),
        ("Number of the process at each position of the mesh.", "PROCESSES", format!("{:?}", mesh.devices)),
        (
            "Placements of the parameters along each axis of the mesh.",
            "PLACEMENTS",
            dict(params.iter().map(|(name, of)| (name.as_str(), list(of)))),
        ),
        (
            "Shapes of the parameters in the model that was planned.",
            "SHAPES",
            dict(params.keys().map(|name| (name.as_str(), format!("{:?}", shapes(name))))),
        ),
        (
            "Linear layers whose weight is stored as [in, out] in the model that was planned.",
            "TRANSPOSED",
            strings(transposed.iter().map(|module| module.weight.as_str())),
        ),
        (
            "Placements of the inputs along each axis of the mesh.",
            "INPUTS",
            dict(data.iter().map(|(name, of)| (*name, list(of)))),
        ),
        ("Axis of tensor parallelism, or None.", "TENSOR_AXIS", axis),
        (
            "Styles of the modules along the axis of tensor parallelism; None if no style has these placements.",
            "PARALLELIZE_PLAN",
            match &styles {
                Some(styles) => dict(styles.iter().map(|(name, style)| (name.as_str(), style.clone()))),
                None if is_sharded(&params, mesh, &gathered) => "None".to_owned(),
                None => "{}".to_owned(),
            },
        ),
        ("Axes over which `fully_shard` stores parameters in shards.", "SHARD_AXES", strings(gathered.iter().copied())),
        ("Modules that `fully_shard` gathers together.", "LAYERS", strings(layers.iter().map(String::as_str))),
        (
            "Parameters of each stage of a pipeline; empty without one.",
            "STAGES",
            format!(
                "[{}]",
                stages.iter().map(|all| strings(all.iter().map(String::as_str))).collect::<Vec<_>>().join(", ")
            ),
        ),
        (
            "Class of `torch.distributed.pipelining`, or None.",
            "SCHEDULE",
            schedule(subject).map_or("None".into(), quote),
        ),
        ("Number of micro-batches of a step.", "MICRO_BATCHES", subject.partition.micro_batches().to_string()),
    ];
    let constants = constants.map(|(about, name, value)| format!("#: {about}\n{name} = {value}\n\n"));
    let text = format!(
        "\"\"\"{head}\n\"\"\"\n\nimport torch\nimport torch.distributed as dist\n\
         from torch.distributed import pipelining\n\
         from torch.distributed.device_mesh import DeviceMesh\n\
         from torch.distributed.fsdp import fully_shard\n\
         from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor\n\
         from torch.distributed.tensor.parallel import (\n    ColwiseParallel,\n    PrepareModuleInput,\n    \
         RowwiseParallel,\n    SequenceParallel,\n    parallelize_module,\n)\n\n{}\n{FUNCTIONS}",
        constants.concat()
    );
    let texts = |of: &[Placement]| json!(of.iter().map(|one| one.to_string().replace("()", "")).collect::<Vec<_>>());
    let placements: Map<String, Value> = params.iter().map(|(name, of)| (name.clone(), texts(of))).collect();
    let inputs: Map<String, Value> = data.iter().map(|(name, of)| ((*name).to_owned(), texts(of))).collect();
    let shape: Vec<u32> = mesh.axes.iter().map(|axis| axis.size).collect();
    let object = |all: Vec<(String, String)>| all.into_iter().map(|(name, style)| (name, json!(style))).collect();
    let styles: Option<Map<String, Value>> = styles.map(object);
    let json = json!({
        "mesh": { "axes": names, "shape": shape, "processes": mesh.devices },
        "placements": placements,
        "inputs": inputs,
        "transposed": transposed.iter().map(|module| &module.weight).collect::<Vec<_>>(),
        "tensor_axis": tensor.as_ref().map(|tensor| &tensor.axis),
        "parallelize_plan": styles,
        "shard_axes": gathered,
        "layers": layers,
        "stages": stages,
        "schedule": schedule(subject),
        "micro_batches": subject.partition.micro_batches(),
    });
    (text, Some(format!("{json:#}\n")))
}

/// Returns true if an axis other than those of `fully_shard` shards a parameter.
fn is_sharded(
    params: &std::collections::BTreeMap<String, Vec<Placement>>,
    mesh: &DeviceMesh,
    gathered: &[&str],
) -> bool {
    let is_other = |axis: usize| mesh.axes[axis].size > 1 && !gathered.contains(&mesh.axes[axis].name.as_str());
    let is_shard = |of: &Vec<Placement>| {
        of.iter().enumerate().any(|(axis, one)| matches!(one, Placement::Shard(_)) && is_other(axis))
    };
    params.values().any(is_shard)
}

/// Returns the styles of `parallelize_module` by module, as expressions of Python.
fn styles(tensor: &TensorParallelism<'_>) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    if tensor.shards_sequence {
        all.extend(tensor.norms.iter().map(|path| (path.clone(), "SequenceParallel()".to_owned())));
        let gather = "PrepareModuleInput(input_layouts=(Shard(1),), desired_input_layouts=(Replicate(),))";
        all.extend(tensor.shared_inputs.iter().map(|path| (path.clone(), gather.to_owned())));
    }
    all.extend(tensor.modules.iter().map(|one| (one.module.path.clone(), style(tensor, one))));
    all
}

/// Returns the style of a layer.
fn style(tensor: &TensorParallelism<'_>, one: &StyledModule<'_>) -> String {
    let mut options: Vec<&str> = Vec::new();
    let reads_shards = tensor.shards_sequence && !tensor.has_shared_input(one.module);
    let class = match (one.style, one.module.kind) {
        (Style::Colwise, ModuleKind::Linear) => {
            options.extend(reads_shards.then_some("input_layouts=Shard(1)"));
            options.extend(one.is_last.then_some("output_layouts=Shard(-1), use_local_output=False"));
            "ColwiseParallel"
        }
        (Style::Colwise, ModuleKind::Embedding) => {
            options.push(if tensor.shards_sequence { "output_layouts=Shard(1)" } else { "output_layouts=Replicate()" });
            "ColwiseParallel"
        }
        (Style::Rowwise, kind) => {
            options.extend((kind == ModuleKind::Embedding).then_some("input_layouts=Replicate()"));
            options.extend(tensor.shards_sequence.then_some("output_layouts=Shard(1)"));
            "RowwiseParallel"
        }
    };
    format!("{class}({})", options.join(", "))
}

/// Returns the axes over which parameters are stored in shards and gathered for use.
fn gathered_axes<'m>(subject: &Subject<'_>, mesh: &'m DeviceMesh) -> Vec<&'m str> {
    if !written_presets(subject.plan).any(|preset| preset.is_named("zero3")) {
        return Vec::new();
    }
    let axes = mesh.axes.iter().map(|axis| axis.name.as_str());
    axes.filter(|axis| DATA_AXES.contains(axis)).collect()
}

/// Returns the modules of repeated layers.
fn layers(program: &Program) -> Vec<String> {
    let Some(layers) = ModelLayers::find(program) else { return Vec::new() };
    let text = layers.equal_chunks(layers.count()).unwrap_or_default();
    text.split('|').map(str::trim).filter(|layer| !layer.contains(' ')).map(str::to_owned).collect()
}

/// Returns the parameters of each chunk of a pipeline. Empty for one stage.
fn stages(subject: &Subject<'_>) -> Vec<Vec<String>> {
    let Ok(pipeline) = subject.partition.stages() else { return Vec::new() };
    if pipeline.chunks.len() < 2 {
        return Vec::new();
    }
    let is_model = |program: &Program, name: &str| {
        program.params.values().any(|param| param.path == name && !param.is_optimizer_state())
    };
    let params = pipeline.chunks.iter().map(|chunk| {
        let names = chunk.inputs.iter().map(|port| port.name.to_string());
        names.filter(|name| is_model(&chunk.program, name)).collect()
    });
    params.collect()
}

/// Returns the class of the schedule. `None` for one stage, or a schedule that the rules reject.
fn schedule(subject: &Subject<'_>) -> Option<&'static str> {
    let config: PipelineConfig = subject.plan.pipeline_config().ok()??;
    match config.kind {
        _ if config.cuts.count() < 2 => None,
        ScheduleKind::Gpipe => Some("ScheduleGPipe"),
        ScheduleKind::OneFOneB => Some("Schedule1F1B"),
        ScheduleKind::Interleaved { .. } => Some("ScheduleInterleaved1F1B"),
        ScheduleKind::Vanilla | ScheduleKind::ZbH1 | ScheduleKind::ZbH2 => None,
    }
}

//! JAX: a Python file with the mesh, a `PartitionSpec` for each argument and result, and functions that apply them to a
//! function. Only public interfaces of JAX are used.

use super::Subject;
use super::python_text::{dict, documentation, quote, tuple};
use partita_ir::arena::ValueId;
use partita_ir::mesh::DeviceMesh;
use partita_ir::plan::path::Pattern;
use partita_ir::program::{COMPLEX_PARTS, Program};
use partita_ir::syntax::attr::axis_names;
use serde_json::json;

/// Functions of the file, which do not depend on the plan.
const FUNCTIONS: &str = include_str!("jax.py");

/// Returns the Python file and the specifications as JSON.
pub(super) fn emit(subject: &Subject<'_>) -> (String, Option<String>) {
    let program = subject.partition.planned();
    let single = DeviceMesh::new("mesh", [("data", 1)]);
    let mesh = program.mesh().map_or(&single, |(_, mesh)| mesh);
    let inputs = program.inputs().iter().map(|&value| (program.path_of(value), value));
    let inputs: Vec<Spec> = inputs.filter_map(|(name, value)| Spec::new(program, mesh, name, value)).collect();
    let outputs = program.outputs().iter().map(|output| (output.name.as_str(), output.value));
    let outputs: Vec<Spec> = outputs.filter_map(|(name, value)| Spec::new(program, mesh, name, value)).collect();
    let inner = inner_values(subject, program, mesh);
    let head = documentation(&subject.head());
    let axes: Vec<String> = mesh.axes.iter().map(|axis| format!("{}: {}", quote(&axis.name), axis.size)).collect();
    let devices: Vec<String> = mesh.devices.iter().map(u32::to_string).collect();
    let specs = |all: &[Spec]| dict(all.iter().map(|spec| (spec.name.as_str(), spec.to_python())));
    let text = format!(
        "\"\"\"{head}\n\"\"\"\n\nimport inspect\nimport re\n\nimport jax\nimport numpy as np\n\
         from jax.sharding import Mesh, NamedSharding, PartitionSpec\n\n\
         #: Names and sizes of the axes of the mesh, major to minor.\nAXES = {{{}}}\n\n\
         #: Numbers of the devices at the positions of the mesh.\nDEVICES = [{}]\n\n\
         #: Layouts of the arguments, by their key paths.\nIN_SPECS = {}\n\n\
         #: Layouts of the results, in order.\nOUT_SPECS = {}\n\n\
         #: Layouts of intermediate values that the plan names.\nINNER_SPECS = {}\n\n\n{FUNCTIONS}",
        axes.join(", "),
        devices.join(", "),
        specs(&inputs),
        list(&outputs),
        specs(&inner),
    );
    let object = |all: &[Spec]| -> serde_json::Map<String, serde_json::Value> {
        all.iter().map(|spec| (spec.name.clone(), json!(spec.dims))).collect()
    };
    let json = json!({
        "axes": mesh.axes.iter().map(|axis| json!([axis.name.as_str(), axis.size])).collect::<Vec<_>>(),
        "devices": mesh.devices,
        "in_specs": object(&inputs),
        "out_specs": outputs.iter().map(|spec| json!(spec.dims)).collect::<Vec<_>>(),
        "inner_specs": object(&inner),
    });
    (text, Some(format!("{json:#}\n")))
}

/// Formats specifications as a list with one element per line, with the names as comments.
fn list(all: &[Spec]) -> String {
    let line = |spec: &Spec| format!("    {},  # {}\n", spec.to_python(), spec.name.replace('\n', " "));
    format!("[\n{}]", all.iter().map(line).collect::<String>())
}

/// `PartitionSpec` of a value.
struct Spec {
    name: String,
    /// Names of the axes that shard each dimension.
    dims: Vec<Vec<String>>,
}

impl Spec {
    /// Returns the specification of a value. A complex array has that of its real part, and none for the other part.
    fn new(program: &Program, mesh: &DeviceMesh, name: &str, value: ValueId) -> Option<Spec> {
        let [real, imaginary] = COMPLEX_PARTS;
        if name.ends_with(imaginary) {
            return None;
        }
        let name = name.strip_suffix(real).unwrap_or(name).to_owned();
        let layout = program.values[value].layout.as_deref();
        let axes = |dim: usize| layout.map_or(&[][..], |layout| &layout.dims[dim].axes);
        let rank = program.ty(value).shape.rank();
        Some(Spec { name, dims: (0..rank).map(|dim| axis_names(axes(dim), Some(mesh))).collect() })
    }

    /// Formats the specification, without trailing empty entries.
    fn to_python(&self) -> String {
        let used = self.dims.iter().rposition(|axes| !axes.is_empty()).map_or(0, |last| last + 1);
        let dims = self.dims[..used].iter().map(|axes| match &axes[..] {
            [] => "None".to_owned(),
            [one] => quote(one),
            several => tuple(&several.iter().map(|axis| quote(axis)).collect::<Vec<_>>()),
        });
        format!("PartitionSpec({})", dims.collect::<Vec<_>>().join(", "))
    }
}

/// Returns the layouts of intermediate values that entries of the plan name as `%value`.
fn inner_values(subject: &Subject<'_>, program: &Program, mesh: &DeviceMesh) -> Vec<Spec> {
    let patterns: Vec<Pattern<'_>> = subject.plan.shards.iter().map(|entry| Pattern::new(&entry.path.text)).collect();
    let is_listed = |name: &str| patterns.iter().any(|pattern| pattern.matches_value(name));
    let listed = program.values.iter().filter(|(_, value)| is_listed(&value.name));
    listed.filter_map(|(id, value)| Spec::new(program, mesh, &value.name, id)).collect()
}

//! Checks of names: names are unique, and values have the types that the file declares for their names.

use super::errors::file_error;
use crate::proto::{GraphProto, ModelProto, NodeProto, ValueInfoProto};
use crate::tensors::dtype_of;
use partita_ir::diag::Diagnostic;
use partita_ir::dtype::Type;
use rustc_hash::FxHashMap;

/// Checks that names are unique: opset domains; and in each graph, inputs and node results together, initializers and
/// node results together, graph results, and nodes. Returns an `F002` error for each violation.
pub fn check(model: &ModelProto, graph: &GraphProto) -> Vec<Diagnostic> {
    let domain = |domain: &str| if domain.is_empty() { "ai.onnx".to_owned() } else { domain.to_owned() };
    let opsets = model.opset_import.iter().map(|import| (domain(&import.domain), format!("opset {}", import.version)));
    let mut errors = duplicate_errors(opsets, |domain, first, second| {
        format!("domain `{domain}` is imported as {first} and as {second}")
    });
    errors.extend(check_graph(graph));
    for nested in graph.all_nodes().into_iter().flat_map(NodeProto::graphs) {
        errors.extend(check_graph(nested));
    }
    errors.dedup_by(|a, b| a.title == b.title);
    errors
}

/// Checks that the names of a graph are unique.
fn check_graph(graph: &GraphProto) -> Vec<Diagnostic> {
    // An input may have an initializer, which is its default.
    let all = |what: &'static str, names: Vec<&str>| -> Vec<(String, String)> {
        names.into_iter().filter(|name| !name.is_empty()).map(|name| (name.to_owned(), what.to_owned())).collect()
    };
    let inputs = all("an input", graph.input.iter().map(|i| i.name.as_str()).collect());
    let initializers = all("an initializer", graph.initializer.iter().map(|t| t.name.as_str()).collect());
    let node_results = graph.node.iter().flat_map(|node| {
        let what = if node.name.is_empty() {
            format!("a result of a node `{}`", node.op_type)
        } else {
            format!("a result of node `{}`", node.name)
        };
        node.output.iter().filter(|name| !name.is_empty()).map(move |name| (name.clone(), what.clone()))
    });
    let node_results: Vec<(String, String)> = node_results.collect();
    let is = |name: &str, first: &str, second: &str| format!("the name `{name}` is used for {first} and for {second}");
    let mut errors = duplicate_errors(inputs.iter().cloned().chain(node_results.iter().cloned()), is);
    errors.extend(duplicate_errors(initializers.into_iter().chain(node_results), is));
    errors.extend(duplicate_errors(
        all("a result of the graph", graph.output.iter().map(|o| o.name.as_str()).collect()).into_iter(),
        is,
    ));
    let nodes = graph.node.iter().filter(|node| !node.name.is_empty());
    errors.extend(duplicate_errors(nodes.map(|node| (node.name.clone(), format!("a node `{}`", node.op_type))), is));
    errors
}

/// Returns an error for each repeated name. `names` yields names and descriptions; `title` formats a name and the
/// descriptions of two occurrences.
fn duplicate_errors(
    names: impl Iterator<Item = (String, String)>,
    title: impl Fn(&str, &str, &str) -> String,
) -> Vec<Diagnostic> {
    let mut seen: FxHashMap<String, String> = FxHashMap::default();
    let mut errors = Vec::new();
    for (name, what) in names {
        match seen.get(&name) {
            Some(first) if *first == what => errors.push(file_error(title(&name, first, "another one"))),
            Some(first) => errors.push(file_error(title(&name, first, &what))),
            None => _ = seen.insert(name, what),
        }
    }
    errors
}

/// Types that the file declares, by value name. A value may be declared more than once.
pub struct DeclaredTypes<'m>(FxHashMap<&'m str, Vec<&'m ValueInfoProto>>);

impl<'m> DeclaredTypes<'m> {
    /// Collects the declarations of a graph: intermediate values, results and inputs.
    pub fn from_graph(graph: &'m GraphProto) -> DeclaredTypes<'m> {
        let mut declared: FxHashMap<&str, Vec<&ValueInfoProto>> = FxHashMap::default();
        for info in graph.value_info.iter().chain(&graph.output).chain(&graph.input) {
            declared.entry(info.name.as_str()).or_default().push(info);
        }
        DeclaredTypes(declared)
    }

    /// Returns the declared size of a dimension of a value.
    pub fn size(&self, name: &str, dim: usize) -> Option<i64> {
        let size = |info: &&ValueInfoProto| info.tensor()?.shape.as_ref()?.dim.get(dim)?.dim_value;
        self.0.get(name)?.iter().filter_map(size).find(|&size| size > 0)
    }

    /// Checks the type of a value against its declarations. Symbolic dimensions match any size. Errors: `F002` for a
    /// different type.
    pub fn check(&self, name: &str, ty: &Type) -> Result<(), Diagnostic> {
        for info in self.0.get(name).into_iter().flatten() {
            let Some(tensor) = info.tensor() else { continue };
            let dtype = tensor.elem_type == 0 || dtype_of(tensor.elem_type).is_ok_and(|dtype| dtype == ty.dtype);
            let shape = tensor.shape.as_ref().is_none_or(|shape| {
                let fits = |(dim, &n): (&crate::proto::DimensionProto, &usize)| {
                    dim.dim_value.is_none_or(|size| size <= 0 || usize::try_from(size) == Ok(n))
                };
                shape.dim.len() == ty.shape.rank() && shape.dim.iter().zip(ty.shape.iter()).all(fits)
            });
            if !dtype || !shape {
                return Err(file_error(format!("the file declares `{name}` as {}, but it is {ty}", type_text(info)))
                    .help("rewrite the file with `onnx.shape_inference.infer_shapes(model, strict_mode=True)`"));
            }
        }
        Ok(())
    }
}

/// Formats a declared type, for example `f32[batch, 8]`.
fn type_text(info: &ValueInfoProto) -> String {
    let Some(tensor) = info.tensor() else { return "no tensor".into() };
    let dtype = dtype_of(tensor.elem_type).map_or_else(|name| name.to_string(), |dtype| dtype.to_string());
    let Some(shape) = &tensor.shape else { return dtype };
    let dims: Vec<String> = shape
        .dim
        .iter()
        .map(|dim| match (dim.dim_value, &dim.dim_param) {
            (Some(n), _) => n.to_string(),
            (None, Some(name)) => name.clone(),
            (None, None) => "?".into(),
        })
        .collect();
    format!("{dtype}[{}]", dims.join(", "))
}

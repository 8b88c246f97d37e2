//! Transformers: the `tp_plan` of a model, a dictionary from modules to styles. The number of a layer is `*` if all
//! layers agree.

use super::python_text::{dict, quote};
use super::styles::{Style, StyledModule, TensorParallelism};
use super::{Subject, comments};
use partita_ir::mesh::Axis;
use partita_ir::program::Program;
use partita_search::target::ModuleKind;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the dictionary as Python and as JSON.
pub(super) fn emit(subject: &Subject<'_>) -> (String, Option<String>) {
    let tensor = TensorParallelism::find(subject);
    let plan = tensor.as_ref().map_or_else(BTreeMap::new, |tensor| plan(subject, tensor));
    let (degree, replicas) = degrees(subject.partition.planned());
    let mut head = subject.head();
    head.push(String::new());
    head.push("Set `config.base_model_tp_plan = TP_PLAN`, without the prefix of the base model.".to_owned());
    head.push("`*` stands for any layer. Modules that are not listed are replicated.".to_owned());
    if tensor.as_ref().is_some_and(|tensor| tensor.modules.iter().any(|one| one.is_last)) {
        head.push("The last layer gathers its result, so that the loss reads all classes.".to_owned());
    }
    if replicas > 1 {
        head.push(format!("{replicas} replicas of the model have a shard of the batch each; average their gradients."));
    }
    let text = format!(
        "{}\n#: Number of devices that share a replica.\nTP_SIZE = {degree}\n\n#: Styles of modules.\nTP_PLAN = {}\n",
        comments(&head, "#"),
        dict(plan.iter().map(|(module, style)| (module.as_str(), quote(style))))
    );
    let json = json!({ "tp_size": degree, "replicas": replicas, "tp_plan": plan });
    (text, Some(format!("{json:#}\n")))
}

/// Returns the number of devices that share a replica, and the number of replicas, each with a shard of the batch.
fn degrees(program: &Program) -> (u32, u32) {
    let Some((_, mesh)) = program.mesh() else { return (1, 1) };
    let layouts = program.inputs().iter().filter(|&&value| program.param_of(value).is_none());
    let layouts = layouts.filter_map(|&value| program.values[value].layout.as_deref());
    let sharding: BTreeSet<_> = layouts.flat_map(|layout| layout.split_axes().map(|axis| axis.axis)).collect();
    let is_tensor = |axis: &Axis| axis.name == "model";
    let axes = || mesh.axis_ids().zip(&mesh.axes);
    let degree = axes().filter(|(_, axis)| is_tensor(axis)).map(|(_, axis)| axis.size).product();
    let replicas = axes().filter(|(id, axis)| !is_tensor(axis) && sharding.contains(id));
    (degree, replicas.map(|(_, axis)| axis.size).product())
}

/// Returns the style of each module, with `*` for the number of a layer if all layers agree.
fn plan(subject: &Subject<'_>, tensor: &TensorParallelism<'_>) -> BTreeMap<String, &'static str> {
    let styled: BTreeMap<&str, &'static str> =
        tensor.modules.iter().map(|one| (one.module.path.as_str(), style(one))).collect();
    let all: Vec<&str> = subject.rules.modules().iter().map(|module| module.path.as_str()).collect();
    let agrees = |pattern: &str, style: &str| {
        all.iter().filter(|path| starred(path) == pattern).all(|path| styled.get(*path) == Some(&style))
    };
    let mut plan = BTreeMap::new();
    for (&path, &style) in &styled {
        let pattern = starred(path);
        let key = if agrees(&pattern, style) { pattern } else { path.to_owned() };
        plan.insert(key, style);
    }
    plan
}

/// Returns a path with `*` for each part that is a number.
fn starred(path: &str) -> String {
    let part = |part: &str| if part.bytes().all(|c| c.is_ascii_digit()) { "*".to_owned() } else { part.to_owned() };
    path.split('.').map(part).collect::<Vec<_>>().join(".")
}

/// Returns the name of a style.
fn style(one: &StyledModule<'_>) -> &'static str {
    match (one.style, one.module.kind, one.is_last) {
        (Style::Colwise, ModuleKind::Linear, false) => "colwise",
        (Style::Colwise, ModuleKind::Linear, true) => "colwise_gather_output",
        (Style::Rowwise, ModuleKind::Linear, _) => "rowwise",
        (Style::Colwise, ModuleKind::Embedding, _) => "embedding_colwise",
        (Style::Rowwise, ModuleKind::Embedding, _) => "embedding_rowwise",
    }
}

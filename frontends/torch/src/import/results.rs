//! Outputs of the program: results of the model and buffers that it changes.

use super::errors::{gradient_diagnostic, result_diagnostic};
use super::graph::Importer;
use super::lowering::Parts;
use crate::schema::{Argument, GraphModule, OutputSpec, TreeSpec};
use partita_ir::build::value_name;
use partita_ir::diag::Diagnostic;
use partita_ir::program::{Output, ParamKind};
use serde_json::Value;

impl Importer<'_, '_> {
    /// Returns the outputs of the program, and true for those that are results of the model: first these, then the
    /// buffers that the model changes, under their names.
    pub(super) fn outputs(&mut self) -> Result<Vec<(bool, Output)>, Diagnostic> {
        let signature = &self.exported.graph_module.signature;
        let names = result_names(&self.exported.graph_module);
        let mut outputs = Vec::new();
        let mut changed: Vec<(String, Parts)> = Vec::new();
        let mut results = 0;
        for spec in &signature.output_specs {
            match spec {
                OutputSpec::UserOutput { arg: Argument::AsTensor(arg) } | OutputSpec::LossOutput { arg } => {
                    let name = names.get(results).cloned().unwrap_or_else(|| format!("output.{results}"));
                    let parts = self.result(&arg.name)?;
                    outputs.extend(values(&name, parts).map(|output| (true, output)));
                    results += 1;
                }
                OutputSpec::UserOutput { .. } => results += 1,
                OutputSpec::BufferMutation { arg, buffer_name: path }
                | OutputSpec::ParameterMutation { arg, parameter_name: path } => {
                    changed.push((path.clone(), self.result(&arg.name)?));
                }
                OutputSpec::UserInputMutation { arg, user_input_name } => {
                    let parts = self.result(&arg.name)?;
                    outputs.extend(values(user_input_name, parts).map(|output| (false, output)));
                }
                OutputSpec::GradientToParameter { arg, .. } | OutputSpec::GradientToUserInput { arg, .. } => {
                    return Err(gradient_diagnostic(&arg.name));
                }
                OutputSpec::Token(_) => {}
            }
        }
        // In-place operations on buffers, in programs that `run_decompositions` has not made functional.
        for (name, path, start) in &self.params {
            let Ok(end) = self.bindings.get(name) else { continue };
            if end != *start && !changed.iter().any(|(known, _)| known == path) {
                changed.push((path.clone(), end));
            }
        }
        for (path, parts) in changed {
            for (path, value) in parts.named(&path) {
                let known = self.cx.b.program.params.iter().find(|(_, param)| param.path == path);
                let Some(id) = known.map(|(id, _)| id) else {
                    return Err(self.archive.damaged(format!("changes the buffer `{path}`, which it does not read")));
                };
                self.cx.b.program.params[id].kind = ParamKind::State;
                let replaces = Some(self.cx.b.program.params[id].value);
                outputs.push((false, Output { name: value_name(&path).into(), value, replaces }));
            }
        }
        Ok(outputs)
    }

    /// Returns the tensor that the model returns under a name of the graph.
    fn result(&self, name: &str) -> Result<Parts, Diagnostic> {
        self.bindings.get(name).map_err(|error| result_diagnostic(name, error))
    }
}

/// Returns the outputs for a tensor; complex numbers are two outputs.
fn values(name: &str, parts: Parts) -> impl Iterator<Item = Output> {
    let outputs = parts.named(name).into_iter();
    outputs.map(|(name, value)| Output { name: value_name(&name).into(), value, replaces: None })
}

/// Returns the names of the results, including those that are not tensors; empty if the structure is not recorded. They
/// follow from the structure in which the model returns them: the key `logits` of a dictionary or data class,
/// `output.0` for an element of a tuple, and `output` for a single tensor.
fn result_names(module: &GraphModule) -> Vec<String> {
    let signature = module.module_call_graph.first().and_then(|call| call.signature.as_ref());
    let Some(signature) = signature else { return Vec::new() };
    let Ok((_version, tree)) = serde_json::from_str::<(u64, TreeSpec)>(&signature.out_spec) else { return Vec::new() };
    let mut names = Vec::new();
    collect(&tree, &mut Vec::new(), &mut names);
    names
}

/// Appends the names of the leaves of a container with the given keys around it.
fn collect(tree: &TreeSpec, keys: &mut Vec<String>, names: &mut Vec<String>) {
    if tree.r#type.is_none() {
        let is_numbered = keys.first().is_none_or(|key| key.bytes().all(|b| b.is_ascii_digit()));
        let prefix = is_numbered.then_some("output");
        let parts: Vec<&str> = prefix.into_iter().chain(keys.iter().map(String::as_str)).collect();
        names.push(parts.join("."));
        return;
    }
    let fields = field_names(tree);
    for (i, child) in tree.children_spec.iter().enumerate() {
        keys.push(fields.as_ref().and_then(|fields| fields.get(i)).cloned().unwrap_or_else(|| i.to_string()));
        collect(child, keys, names);
        keys.pop();
    }
}

/// Returns the keys of a dictionary, or the fields of a data class, if the context lists one for each child.
fn field_names(tree: &TreeSpec) -> Option<Vec<String>> {
    let context = match tree.context.as_ref()? {
        Value::String(json) => serde_json::from_str(json).ok()?,
        other => other.clone(),
    };
    let Value::Array(keys) = context else { return None };
    let text = |key: &Value| match key {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let names = keys.iter().map(text).collect::<Option<Vec<_>>>()?;
    (names.len() == tree.children_spec.len()).then_some(names)
}

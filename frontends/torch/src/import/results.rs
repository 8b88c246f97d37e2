//! Names of the results of the model, from the structure in which it returns them: the key `logits` of a dictionary or
//! data class, `output.0` for an element of a tuple, and `output` for a single tensor.

use crate::schema::{GraphModule, TreeSpec};
use serde_json::Value;

/// Returns the names of the results, including those that are not tensors; empty if the structure is not recorded.
pub fn result_names(module: &GraphModule) -> Vec<String> {
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

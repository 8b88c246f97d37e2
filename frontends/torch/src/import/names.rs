//! Names of operations and modules in the graph.

use crate::schema::GraphNode;

/// The name of an operation, split.
pub struct Operation<'m> {
    /// Library of the operation, such as `aten`.
    pub namespace: &'m str,
    /// Name without the mark of an operation in place, such as `add` for `add_`.
    pub name: &'m str,
    /// True if the first operand is changed.
    pub is_in_place: bool,
}

impl<'m> Operation<'m> {
    /// Splits a name such as `torch.ops.aten.add_.Tensor`; `None` for the name of a function outside of `torch.ops`.
    pub fn from_target(target: &'m str) -> Option<Operation<'m>> {
        let rest = target.strip_prefix("torch.ops.")?;
        let (namespace, rest) = rest.split_once('.')?;
        let name = rest.split_once('.').map_or(rest, |(name, _overload)| name);
        match name.strip_suffix('_') {
            Some(functional) if !functional.ends_with('_') && !functional.is_empty() => {
                Some(Operation { namespace, name: functional, is_in_place: true })
            }
            _ => Some(Operation { namespace, name, is_in_place: false }),
        }
    }
}

/// Returns the path of the innermost module around a node, such as `model.layers.0.mlp`; empty for the model itself.
pub fn module_path(node: &GraphNode) -> &str {
    // Modules from the outermost, separated by `;`, each as `key,path,type`.
    let stack = node.metadata.get("nn_module_stack").map_or("", String::as_str);
    let innermost = stack.rsplit(';').next().unwrap_or("");
    innermost.split(',').nth(1).unwrap_or("")
}

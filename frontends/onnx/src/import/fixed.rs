//! Inputs with values that are fixed during the import.
//!
//! Shapes are static. If a node needs a constant operand (a shape, axes, the number `k` of a top-k) that the graph
//! computes from its inputs, the values that the user supplies for these inputs are substituted, and the inputs are no
//! longer inputs of the program.

use super::scope::Scope;
use indexmap::IndexMap;
use partita_ir::tensor::Tensor;
use rustc_hash::FxHashSet;

/// Maximum number of elements of an input that is fixed. Shape operands have a few elements; an operand that depends on
/// larger inputs depends on data.
const MAX_ELEMENTS: usize = 1 << 10;

/// Lookup of the value that the user supplies for an input, by name.
pub type InputValues<'v> = &'v dyn Fn(&str) -> Option<Tensor>;

/// An input whose value is fixed, because an operation needs a constant.
#[derive(Clone, PartialEq, Debug)]
pub struct FixedInput {
    /// Value of the input.
    pub value: Tensor,
    /// The operation that needs the constant.
    pub op: String,
    /// The operand of the operation that must be constant.
    pub operand: &'static str,
}

/// Fixed inputs, by name.
pub type FixedInputs = IndexMap<String, FixedInput>;

/// An operand that must be constant but is computed at run time.
pub struct RunTimeOperand<'m> {
    /// Inputs of the graph that the operand is computed from.
    pub inputs: Vec<&'m str>,
    /// Name of the operation.
    pub op: &'m str,
    /// Name of the operand.
    pub operand: &'static str,
}

/// Returns the inputs of the main graph that a tensor of the innermost graph is computed from, except through tensors
/// that are constant, such as shapes.
pub fn inputs_of<'m>(scopes: &[Scope<'m>], tensor: &str, is_constant: impl Fn(&str) -> bool) -> Vec<&'m str> {
    let mut needed: FxHashSet<&str> = [tensor].into_iter().collect();
    for scope in scopes.iter().rev() {
        for node in scope.graph.node.iter().rev() {
            if node.output.iter().any(|name| needed.contains(name.as_str())) {
                needed.extend(node.reads().filter(|name| !is_constant(name)));
            }
        }
        // The node around the graph provides its inputs.
        if let Some(node) = scope.node
            && scope.graph.input.iter().any(|input| needed.contains(input.name.as_str()))
        {
            needed.extend(node.input.iter().map(String::as_str).filter(|name| !is_constant(name)));
        }
    }
    let main = scopes.first().into_iter().flat_map(|scope| &scope.graph.input);
    main.map(|input| input.name.as_str()).filter(|name| needed.contains(name)).collect()
}

/// Returns the inputs that an operand depends on and that have values to fix, except those that are fixed already.
pub fn fixable(operand: &RunTimeOperand<'_>, values: InputValues<'_>, fixed: &FixedInputs) -> FixedInputs {
    let fix = |&name: &&str| {
        let value = values(name).filter(|value| value.ty.shape.count() <= MAX_ELEMENTS)?;
        Some((name.to_owned(), FixedInput { value, op: operand.op.to_owned(), operand: operand.operand }))
    };
    operand.inputs.iter().filter(|name| !fixed.contains_key(**name)).filter_map(fix).collect()
}

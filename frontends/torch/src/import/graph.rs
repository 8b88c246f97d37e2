//! Import of the graph: its nodes are lowered in order.

use super::bindings::{Bindings, View};
use super::errors::node_diagnostic;
use super::lowering::{Lowering, LoweringError, Outs, Parts, malformed};
use super::node::{Node, Operand};
use super::{autocast, names, table, views};
use crate::archive::Archive;
use crate::name::ModelName;
use crate::schema::{
    self, Argument, ExportedProgram, Graph, OptionalTensor, SymIntArgument, SymScalar, TensorType, TypeFault,
};
use crate::weights::{WeightIndex, type_diagnostic};
use partita_ir::build::{Builder, MAX_DIM, check_op_types, live_ops};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::origin::Origin;
use partita_ir::program::Output;
use partita_ir::tensor::Weights;
use rustc_hash::FxHashSet;
use std::borrow::Cow;

/// State of an import.
pub struct Importer<'m, 'p> {
    pub(super) exported: &'m ExportedProgram,
    /// The graph that is being imported: that of the model, or one that a node calls.
    pub(super) graph: &'m Graph,
    /// True in a region where operations compute in the element type of their results (`torch.autocast`).
    pub(super) is_autocast: bool,
    pub(super) cx: Lowering<'p>,
    pub(super) index: &'m WeightIndex,
    pub(super) archive: &'m mut Archive,
    pub(super) bindings: Bindings<'m>,
    /// Parameters and buffers: the name in the graph, the path, and the tensor at the start.
    pub(super) params: Vec<(&'m str, String, Parts)>,
    pub(super) weights: Weights,
    pub(super) errors: Vec<Diagnostic>,
    /// Names of numbers that are computed from elements of tensors.
    elements: FxHashSet<&'m str>,
}

impl<'m, 'p> Importer<'m, 'p> {
    /// Creates the state for an exported program.
    pub fn new(
        exported: &'m ExportedProgram,
        b: Builder<'p>,
        index: &'m WeightIndex,
        archive: &'m mut Archive,
    ) -> Importer<'m, 'p> {
        Importer {
            exported,
            graph: &exported.graph_module.graph,
            is_autocast: false,
            cx: Lowering::new(b),
            index,
            archive,
            bindings: Bindings::default(),
            params: Vec::new(),
            weights: Weights::new(),
            errors: Vec::new(),
            elements: FxHashSet::default(),
        }
    }

    /// Imports the graph and returns the data of its parameters.
    pub fn run(mut self, model_name: &ModelName<'_>) -> Result<Weights, Vec<Diagnostic>> {
        self.declare_inputs();
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        for node in &self.exported.graph_module.graph.nodes {
            self.import_node(node);
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let mut outputs = self.outputs().map_err(|e| vec![e])?;
        if let Some(loss) = model_name.loss {
            let Some((_, Output { name, value, .. })) = outputs.iter().find(|(is_result, _)| *is_result) else {
                return Err(vec![Diagnostic::new(Code::F004, "the model has no result to compare with targets")]);
            };
            let diagnostic = |why| vec![Diagnostic::new(Code::F004, format!("the loss of `{name}` {why}"))];
            let value = self.cx.b.mean_loss(loss, *value).map_err(diagnostic)?;
            outputs.retain(|(is_result, _)| !is_result);
            outputs.insert(0, (true, Output { name: "loss".into(), value, replaces: None }));
        }
        let main = self.cx.b.program.entry();
        let body = live_ops(self.cx.b.program, &self.cx.b.body, outputs.iter().map(|(_, output)| output.value));
        *self.cx.b.program.funcs[main].ops_mut() = body;
        self.cx.b.program.outputs_mut().extend(outputs.into_iter().map(|(_, output)| output));
        Ok(self.weights)
    }

    /// Returns the recorded type of a tensor; `what` names it in messages.
    pub(super) fn ty(&self, name: &str, what: &str) -> Result<TensorType, Diagnostic> {
        let meta = self.exported.graph_module.graph.tensor_values.get(name);
        let meta = meta.ok_or_else(|| self.archive.damaged(format!("does not state the type of `{name}`")))?;
        meta.ty().map_err(|fault| type_diagnostic(what, fault))
    }

    /// Lowers a node and binds its results. The results of a node with errors are bound as failed.
    pub(super) fn import_node(&mut self, node: &'m schema::GraphNode) {
        let lowered = self.lower_node(node);
        let names: Vec<&str> = node.outputs.iter().flat_map(tensor_names).collect();
        if let Err(error) = lowered {
            names.into_iter().for_each(|name| self.bindings.bind_failed(name));
            self.errors.extend(node_diagnostic(node, error));
        }
    }

    fn lower_node(&mut self, node: &'m schema::GraphNode) -> Result<(), LoweringError> {
        if table::is_assertion(node) {
            return Ok(());
        }
        let names: Vec<&str> = node.outputs.iter().flat_map(tensor_names).collect();
        if let Some(name) = names.iter().find(|name| self.bindings.contains(name)) {
            return malformed(format!("computes `{name}`, which is computed before"));
        }
        if let Some(name) = node.outputs.first().and_then(symbol) {
            // Only an operation that reads the number needs it; assertions do not.
            let is_element = ["torch.ops.aten.item.", "torch.ops.aten._local_scalar_dense."]
                .iter()
                .any(|prefix| node.target.starts_with(prefix));
            let mut read = node.inputs.iter().filter_map(|input| symbol(&input.arg));
            if is_element || read.any(|name| self.elements.contains(name)) {
                self.elements.insert(name);
            }
            return Ok(());
        }
        self.cx.b.origin = Origin::new(0, names::module_path(node));
        if let Some(name) = node.target.strip_prefix("torch.ops.higher_order.") {
            return self.call_graphs(node, name, &names);
        }
        let operation = names::Operation::from_target(&node.target).ok_or(LoweringError::Unsupported)?;
        let operands = node.inputs.iter().map(|input| Ok((input.name.as_str(), self.operand(&input.arg)?)));
        let operands = operands.collect::<Result<Vec<_>, LoweringError>>()?;
        let types = names.iter().map(|name| self.result_type(name)).collect::<Result<Vec<_>, _>>()?;
        let mark = self.cx.b.body.len();
        let mut lowered = Node::new(operation.name, operands, types);
        if self.is_autocast {
            lowered = autocast::converted(&mut self.cx, lowered);
        }
        let outs = table::lower(&mut self.cx, operation.namespace, &lowered)?;
        check_op_types(self.cx.b.program, &self.cx.b.body[mark..])?;
        self.check_sizes(mark)?;
        self.check_results(&lowered, &outs)?;
        self.bind_results(node, &operation, (&names, &outs), lowered)
    }

    /// Converts an operand.
    pub(super) fn operand(&self, arg: &'m Argument) -> Result<Operand<'m>, LoweringError> {
        let optional = |tensor: &OptionalTensor| match tensor {
            OptionalTensor::AsTensor(tensor) => self.bindings.get(&tensor.name).map(Some),
            OptionalTensor::AsNone(_) => Ok(None),
        };
        let symbolic = |name: &str| match self.elements.contains(name) {
            true => LoweringError::Element(name.into()),
            false => LoweringError::Symbolic(name.into()),
        };
        let sym_int = |int: &SymIntArgument| match int {
            SymIntArgument::AsInt(x) => Ok(*x),
            SymIntArgument::AsName(name) => Err(symbolic(name)),
        };
        Ok(match arg {
            Argument::AsTensor(tensor) => self.bindings.get(&tensor.name)?.into(),
            Argument::AsTensors(tensors) => {
                let values = tensors.iter().map(|tensor| self.bindings.get(&tensor.name).map(Some));
                Operand::from_tensors(values.collect::<Result<_, _>>()?)
            }
            Argument::AsOptionalTensor(tensor) => optional(tensor)?.map_or(Operand::Absent, Operand::from),
            Argument::AsOptionalTensors(tensors) => {
                Operand::from_tensors(tensors.iter().map(optional).collect::<Result<_, _>>()?)
            }
            Argument::AsInt(x) => Operand::Int(*x),
            Argument::AsInts(list) => Operand::Ints(Cow::Borrowed(list)),
            Argument::AsFloat(x) => Operand::Float(x.0),
            Argument::AsFloats(list) => Operand::Floats(list.iter().map(|x| x.0).collect()),
            Argument::AsBool(x) => Operand::Bool(*x),
            Argument::AsComplex(x) => Operand::ComplexNumber(x.real.0, x.imag.0),
            Argument::AsString(text) => Operand::Text(text),
            Argument::AsSymInt(int) => Operand::Int(sym_int(int)?),
            Argument::AsSymInts(list) => Operand::Ints(list.iter().map(sym_int).collect::<Result<_, _>>()?),
            Argument::AsNone(_) | Argument::AsMemoryFormat(_) | Argument::AsLayout(_) | Argument::AsDevice(_) => {
                Operand::Absent
            }
            Argument::AsSymBool(_) | Argument::AsSymBools(_) | Argument::AsSymFloat(_) | Argument::AsSymFloats(_) => {
                return Err(symbol(arg).map_or_else(|| LoweringError::Symbolic("a scalar operand".into()), symbolic));
            }
            Argument::AsScalarType(_)
            | Argument::AsBools(_)
            | Argument::AsStrings(_)
            | Argument::AsGraph(_)
            | Argument::AsCustomObj(_)
            | Argument::AsOperator(_)
            | Argument::AsNestedTensors(_)
            | Argument::AsIntLists(_)
            | Argument::AsFloatLists(_)
            | Argument::AsStringToArgument(_) => Operand::Other,
        })
    }

    /// Returns the recorded type of a result.
    pub(super) fn result_type(&self, name: &str) -> Result<TensorType, LoweringError> {
        let Some(meta) = self.graph.tensor_values.get(name) else {
            return malformed(format!("computes `{name}`, whose type is not stated"));
        };
        meta.ty().map_err(|fault| match fault {
            TypeFault::DType(name) => LoweringError::DType(name),
            TypeFault::Symbolic(_, expression) if depends_on_elements(&expression) => LoweringError::DynamicShape,
            TypeFault::Symbolic(dim, _) => LoweringError::Symbolic(format!("dimension {dim} of `{name}`")),
            TypeFault::TooLarge(why) => LoweringError::TooLarge(why),
        })
    }

    /// Checks that the values of new ops have countable elements. Errors: a value is too large.
    fn check_sizes(&self, mark: usize) -> Result<(), LoweringError> {
        let program = &self.cx.b.program;
        let outs = self.cx.b.body[mark..].iter().flat_map(|&op| program.out_types(&program.ops[op]));
        for ty in outs {
            if ty.shape.checked_count().is_none() || ty.shape.iter().any(|&n| n > MAX_DIM) {
                return Err(LoweringError::TooLarge(ty.to_string()));
            }
        }
        Ok(())
    }

    /// Compares the types of the results with the recorded ones.
    fn check_results(&self, node: &Node<'_>, outs: &Outs) -> Result<(), LoweringError> {
        if outs.len() < node.result_count() {
            return malformed(format!("has {} results, not {}", node.result_count(), outs.len()));
        }
        for (i, value) in outs.iter().take(node.result_count()).enumerate() {
            let want = node.result_type(i)?;
            let Some(parts) = value else { continue };
            for &part in parts.values() {
                let is_complex = matches!(parts, Parts::Complex(_));
                let got = TensorType { part: self.cx.b.ty(part), is_complex };
                if got != *want {
                    return malformed(format!("computes {got}, but the archive states {want}"));
                }
            }
        }
        Ok(())
    }

    fn bind_results(
        &mut self,
        node: &'m schema::GraphNode,
        operation: &names::Operation<'m>,
        (names, outs): (&[&'m str], &Outs),
        lowered: Node<'m>,
    ) -> Result<(), LoweringError> {
        let operand_name = |name: &str| {
            let input = node.inputs.iter().find(|input| input.name == name)?;
            tensor_names(&input.arg).next()
        };
        for (operand, value) in std::mem::take(&mut self.cx.updates) {
            if let Some(name) = operand_name(operand) {
                self.write(name, value.into())?;
            }
        }
        // The operand `out` holds the result.
        let destination = operand_name("out");
        let is_in_place = operation.is_in_place || destination.is_some();
        let first = destination.or_else(|| node.inputs.first().and_then(|input| tensor_names(&input.arg).next()));
        if let (true, Some(name), Some(&Some(value))) = (is_in_place, first, outs.first()) {
            self.write(name, value)?;
        }
        let shares_memory = is_in_place || table::may_alias(operation.name);
        // The result of an operation in place is its operand.
        let view = if is_in_place { lowered.as_operation("alias", []) } else { lowered };
        for (&name, value) in names.iter().zip(outs) {
            match (value, first) {
                (None, _) => self.bindings.bind_missing(name),
                (Some(value), Some(first)) if shares_memory => {
                    self.bindings.bind_view(name, *value, View { of: first, node: view.clone() });
                }
                (Some(value), _) => self.bindings.bind(name, *value),
            }
        }
        Ok(())
    }

    /// Binds the name of a tensor that was changed in place to its new value, and those of the tensors of which it is a
    /// view.
    pub(super) fn write(&mut self, name: &'m str, value: Parts) -> Result<(), LoweringError> {
        let mut changed = vec![(name, value)];
        let mut last = (name, value);
        while let Some(View { of, node }) = self.bindings.view(last.0) {
            let Ok(parent) = self.bindings.get(of) else { break };
            let Some(written) = views::written(&mut self.cx, node, parent, last.1)? else { break };
            last = (*of, written);
            changed.push(last);
        }
        self.bindings.change(&changed);
        Ok(())
    }
}

/// Returns the name of a number that is computed at run time.
fn symbol(arg: &Argument) -> Option<&str> {
    match arg {
        Argument::AsSymInt(SymIntArgument::AsName(name)) => Some(name),
        Argument::AsSymBool(SymScalar::AsName(name)) | Argument::AsSymFloat(SymScalar::AsName(name)) => Some(name),
        _ => None,
    }
}

/// Returns true for an expression of sizes that depend on the elements of tensors: PyTorch names their symbols `u0`,
/// `u1`, and those of sizes of inputs `s0`, `s1`.
fn depends_on_elements(expression: &str) -> bool {
    let mut words = expression.split(|c: char| !c.is_ascii_alphanumeric());
    words.any(|word| word.strip_prefix('u').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())))
}

/// Returns the names of tensors of an argument.
pub(super) fn tensor_names(arg: &Argument) -> impl Iterator<Item = &str> {
    let names: Vec<&str> = match arg {
        Argument::AsTensor(tensor) => vec![&tensor.name],
        Argument::AsTensors(tensors) => tensors.iter().map(|tensor| tensor.name.as_str()).collect(),
        Argument::AsOptionalTensor(OptionalTensor::AsTensor(tensor)) => vec![&tensor.name],
        Argument::AsOptionalTensors(tensors) => tensors
            .iter()
            .filter_map(|tensor| match tensor {
                OptionalTensor::AsTensor(tensor) => Some(tensor.name.as_str()),
                OptionalTensor::AsNone(_) => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    names.into_iter()
}

//! Lowering of nodes that call graphs.
//!
//! The graph of a region without gradients (`torch.no_grad`) or with `torch.autocast` is lowered in place of the node.

use super::bindings::Bindings;
use super::graph::{Importer, tensor_names};
use super::lowering::{LoweringError, Parts, malformed};
use crate::schema::{self, Argument, Graph, TensorType};
use partita_ir::program::ParamKind;

impl<'m> Importer<'m, '_> {
    /// Lowers a node that calls graphs, and binds its results. `operation` is the name of its target.
    pub(super) fn call_graphs(
        &mut self,
        node: &'m schema::GraphNode,
        operation: &str,
        names: &[&'m str],
    ) -> Result<(), LoweringError> {
        let args: Vec<&'m Argument> = node.inputs.iter().map(|input| &input.arg).collect();
        let results = match (operation, &args[..]) {
            ("wrap_with_set_grad_enabled", [Argument::AsBool(enabled), Argument::AsGraph(region), operands @ ..]) => {
                self.inlined(&region.graph, operands, *enabled)?
            }
            ("wrap_with_autocast", [_, _, Argument::AsBool(enabled), _, Argument::AsGraph(region), operands @ ..]) => {
                let around = std::mem::replace(&mut self.is_autocast, *enabled);
                let results = self.inlined(&region.graph, operands, true);
                self.is_autocast = around;
                results?
            }
            _ => return Err(LoweringError::Unsupported),
        };
        if results.len() != names.len() {
            return malformed(format!("has {} results, not {}", results.len(), names.len()));
        }
        for (&name, parts) in names.iter().zip(results) {
            let (got, want) = (self.type_of(parts), self.result_type(name)?);
            if got != want {
                return malformed(format!("computes {got}, but the archive states {want}"));
            }
            self.bindings.bind(name, parts);
        }
        Ok(())
    }

    /// Returns the type of a tensor.
    fn type_of(&self, parts: Parts) -> TensorType {
        TensorType { part: self.cx.b.ty(parts.values()[0]), is_complex: matches!(parts, Parts::Complex(_)) }
    }

    /// Lowers the nodes of a graph on operands and returns its results. No gradient flows through the results and the
    /// changed operands if gradients are disabled.
    fn inlined(
        &mut self,
        graph: &'m Graph,
        operands: &[&'m Argument],
        has_gradients: bool,
    ) -> Result<Vec<Parts>, LoweringError> {
        let outer: Vec<&'m str> = operands.iter().flat_map(|operand| tensor_names(operand)).collect();
        let inner: Vec<&'m str> = graph.inputs.iter().flat_map(tensor_names).collect();
        if outer.len() != inner.len() {
            return malformed(format!("calls a graph of {} tensors with {}", inner.len(), outer.len()));
        }
        let values = outer.iter().map(|name| self.bindings.get(name)).collect::<Result<Vec<_>, _>>()?;
        let mut bindings = Bindings::default();
        inner.iter().zip(&values).for_each(|(name, value)| bindings.bind(name, *value));
        let around = (std::mem::replace(&mut self.bindings, bindings), std::mem::replace(&mut self.graph, graph));
        graph.nodes.iter().for_each(|node| self.import_node(node));
        let results = graph.outputs.iter().flat_map(tensor_names).map(|name| self.bindings.get(name));
        let results = results.collect::<Result<Vec<_>, _>>();
        let ends: Vec<Option<Parts>> = inner.iter().map(|name| self.bindings.get(name).ok()).collect();
        (self.bindings, self.graph) = around;
        for ((name, start), end) in outer.into_iter().zip(values).zip(ends) {
            if let Some(end) = end.filter(|end| *end != start) {
                let end = if has_gradients || self.is_trained(start) { end } else { self.without_gradient(end) };
                self.write(name, end)?;
            }
        }
        let results = results?.into_iter();
        Ok(results.map(|parts| if has_gradients { parts } else { self.without_gradient(parts) }).collect())
    }

    /// Returns true for a trained parameter, whose gradient is that with respect to its changed value.
    fn is_trained(&self, parts: Parts) -> bool {
        let program = &self.cx.b.program;
        let kind = program.param_of(parts.values()[0]).map(|param| program.params[param].kind);
        kind == Some(ParamKind::Trainable)
    }

    /// Returns a tensor through which no gradient flows.
    fn without_gradient(&mut self, parts: Parts) -> Parts {
        match parts {
            Parts::Real(x) => Parts::Real(self.cx.stop_gradient(x)),
            Parts::Complex(pair) => Parts::Complex(pair.map(|part| self.cx.stop_gradient(part))),
        }
    }
}

//! Lowering of nodes that call graphs.
//!
//! The graph of a region without gradients (`torch.no_grad`) or with `torch.autocast` is lowered in place of the node,
//! and so are both branches of a condition, whose results are then selected. Loops are in `loops`.

use super::bindings::Bindings;
use super::graph::{Importer, tensor_names};
use super::lowering::{LoweringError, Parts, malformed};
use crate::schema::{self, Argument, Graph, TensorType};
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape};
use partita_ir::ops::Select;
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
            (
                "cond",
                [Argument::AsTensor(condition), Argument::AsGraph(left), Argument::AsGraph(right), operands @ ..],
            ) => {
                let Parts::Real(condition) = self.bindings.get(&condition.name)? else {
                    return malformed("has a complex condition");
                };
                let operands = self.tensors_of(operands)?;
                let branches = [self.called(&left.graph, &operands)?, self.called(&right.graph, &operands)?];
                self.selected(condition, branches)?
            }
            ("while_loop", [Argument::AsGraph(condition), Argument::AsGraph(body), state, constants @ ..]) => {
                self.while_loop([&condition.graph, &body.graph], state, constants)?
            }
            ("scan", [Argument::AsGraph(step), state, sequences, constants @ ..]) => {
                self.scan(&step.graph, Some(state), sequences, constants)?
            }
            ("map_impl", [Argument::AsGraph(step), sequences, constants @ ..]) => {
                self.scan(&step.graph, None, sequences, constants)?
            }
            ("associative_scan", [Argument::AsGraph(step), sequences, constants @ ..]) => {
                self.associative_scan(&step.graph, sequences, constants)?
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
        let (results, bindings) = self.lowered(graph, &values);
        let ends: Vec<Option<Parts>> = inner.iter().map(|name| bindings.get(name).ok()).collect();
        for ((name, start), end) in outer.into_iter().zip(values).zip(ends) {
            if let Some(end) = end.filter(|end| *end != start) {
                let end = if has_gradients || self.is_trained(start) { end } else { self.without_gradient(end) };
                self.write(name, end)?;
            }
        }
        let results = results?.into_iter();
        Ok(results.map(|parts| if has_gradients { parts } else { self.without_gradient(parts) }).collect())
    }

    /// Lowers the nodes of a graph on as many tensors as it has inputs. Returns its results, and the tensors by name.
    fn lowered(&mut self, graph: &'m Graph, values: &[Parts]) -> (Result<Vec<Parts>, LoweringError>, Bindings<'m>) {
        let mut bindings = Bindings::default();
        let inner = graph.inputs.iter().flat_map(tensor_names);
        inner.zip(values).for_each(|(name, value)| bindings.bind(name, *value));
        let around = (std::mem::replace(&mut self.bindings, bindings), std::mem::replace(&mut self.graph, graph));
        graph.nodes.iter().for_each(|node| self.import_node(node));
        let results = graph.outputs.iter().flat_map(tensor_names).map(|name| self.bindings.get(name));
        let results = results.collect();
        let bindings = std::mem::replace(&mut self.bindings, around.0);
        self.graph = around.1;
        (results, bindings)
    }

    /// Lowers the nodes of a graph that changes no operand, and returns its results.
    pub(super) fn called(&mut self, graph: &'m Graph, values: &[Parts]) -> Result<Vec<Parts>, LoweringError> {
        let count = graph.inputs.iter().flat_map(tensor_names).count();
        if count != values.len() {
            return malformed(format!("calls a graph of {count} tensors with {}", values.len()));
        }
        self.lowered(graph, values).0
    }

    /// Returns the tensors of operands.
    pub(super) fn tensors_of(&self, operands: &[&'m Argument]) -> Result<Vec<Parts>, LoweringError> {
        operands.iter().flat_map(|operand| tensor_names(operand)).map(|name| self.bindings.get(name)).collect()
    }

    /// Appends the choice between the results of two branches.
    fn selected(&mut self, condition: ValueId, [left, right]: [Vec<Parts>; 2]) -> Result<Vec<Parts>, LoweringError> {
        if left.len() != right.len() {
            return malformed(format!("has {} and {} results", left.len(), right.len()));
        }
        let condition = self.cx.converted(condition, DType::Bool);
        let condition = self.cx.b.checked_reshape(condition, Shape::scalar())?;
        let mut choice = |x: ValueId, y: ValueId| -> Result<ValueId, LoweringError> {
            let [condition, x, y] = self.cx.broadcast_all([condition, x, y])?;
            self.cx.op("select", Select {}, &[condition, x, y])
        };
        let pairs = left.into_iter().zip(right);
        pairs
            .map(|pair| match pair {
                (Parts::Real(x), Parts::Real(y)) => Ok(Parts::Real(choice(x, y)?)),
                (Parts::Complex(x), Parts::Complex(y)) => {
                    Ok(Parts::Complex([choice(x[0], y[0])?, choice(x[1], y[1])?]))
                }
                (Parts::Real(_), Parts::Complex(_)) | (Parts::Complex(_), Parts::Real(_)) => {
                    malformed("has a result that only one branch computes as complex numbers")
                }
            })
            .collect()
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

//! Import of graphs: lowering or folding of nodes in order.

use super::errors::{Failure, loss_diagnostic, node_diagnostic, wrong_type};
use super::fixed::{FixedInputs, RunTimeOperand, inputs_of};
use super::fold::{self, constant, evaluate};
use super::inputs::GraphInputs;
use super::lowering::{Lowering, LoweringError, LoweringResult, Node, Out, malformed, unsupported};
use super::opsets::Domain;
use super::scope::{Binding, Scope};
use super::{branches, sequences, table, torch};
use crate::name::ModelName;
use crate::proto::{GraphProto, NodeProto};
use partita_ir::arena::ValueId;
use partita_ir::build::{Builder, check_op_types, live_ops, value_name};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::origin::Origin;
use partita_ir::program::Name;
use partita_ir::tensor::{Tensor, Weights};
use rustc_hash::FxHashSet;
use std::path::Path;

/// Maximum number of nodes of branches and loop bodies that are imported, and of those in iterations of unrolled loops.
const MAX_NESTED_NODES: usize = 1 << 17;

/// State of an import.
pub struct Importer<'m, 'p> {
    pub opset: i64,
    pub cx: Lowering<'p>,
    /// The main graph, and the nested graphs around the current node.
    pub scopes: Vec<Scope<'m>>,
    /// Folder of the external data.
    pub folder: &'m Path,
    pub weights: Weights,
    /// Remaining budget of constant folding, in bytes and arithmetic operations.
    pub fold_budget: u64,
    /// Remaining number of nodes of nested graphs, except in unrolled loops.
    nested_nodes: usize,
    /// Remaining number of nodes of unrolled loops.
    unrolled_nodes: usize,
    /// Number of unrolled loops around the current node.
    pub unrolled_depth: usize,
    /// Operands computed at run time that have to be constant.
    pub run_time_operands: Vec<RunTimeOperand<'m>>,
    pub errors: Vec<Diagnostic>,
    /// The branches of unknown conditions around the current node, from the outermost.
    pub guards: Vec<branches::Guard>,
}

impl<'m, 'p> Importer<'m, 'p> {
    /// Creates the state for a graph.
    pub fn new(graph: &'m GraphProto, opset: i64, b: Builder<'p>, model_name: &ModelName<'m>) -> Importer<'m, 'p> {
        let parent = model_name.path.parent();
        Importer {
            opset,
            cx: Lowering::new(b),
            scopes: vec![Scope::new(graph, None, None)],
            folder: parent.filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new(".")),
            weights: Weights::new(),
            fold_budget: fold::MAX_TOTAL_WORK,
            nested_nodes: MAX_NESTED_NODES,
            unrolled_nodes: MAX_NESTED_NODES,
            unrolled_depth: 0,
            run_time_operands: Vec::new(),
            errors: Vec::new(),
            guards: Vec::new(),
        }
    }

    /// Imports the main graph and returns the data of its parameters.
    pub fn run(
        mut self,
        model_name: &ModelName<'_>,
        sizes: &GraphInputs<'m>,
        fixed: &FixedInputs,
    ) -> Result<Weights, Failure<'m>> {
        let graph = self.scopes[0].graph;
        let (live, read) = live_nodes(graph)?;
        // Inputs are named before parameters, which users know by their paths.
        let names: Vec<Name> = sizes.inputs.iter().map(|i| self.cx.b.names.fresh(&value_name(i.name))).collect();
        self.bind_initializers(graph, &read)?;
        for (input, name) in sizes.inputs.iter().zip(names) {
            self.scopes[0].declared.check(input.name, &input.ty).map_err(|error| vec![error])?;
            let binding = match fixed.get(input.name) {
                Some(fixed) if fixed.value.ty == input.ty => Binding::Constant(fixed.value.clone()),
                Some(fixed) => return Err(vec![wrong_type(input, fixed)].into()),
                None => Binding::Value(self.cx.b.program.input(name, input.ty.clone())),
            };
            self.scopes[0].bindings.insert(input.name, binding);
        }
        self.import_nodes(live);
        if !self.errors.is_empty() {
            return Err(Failure { errors: self.errors, run_time_operands: self.run_time_operands });
        }
        let mut outputs = Vec::new();
        for output in &graph.output {
            self.collect_results(&output.name, &mut outputs).map_err(|error| vec![error])?;
        }
        if let Some((loss, _)) = &model_name.loss
            && let Some((name, value)) = outputs.first()
        {
            let loss = self.cx.b.mean_loss(*loss, *value).map_err(|why| vec![loss_diagnostic(name, &why)])?;
            outputs = vec![("loss".into(), loss)];
        }
        let main = self.cx.b.program.entry();
        let body = live_ops(self.cx.b.program, &self.cx.b.body, outputs.iter().map(|(_, v)| *v));
        *self.cx.b.program.funcs[main].ops_mut() = body;
        for (name, value) in outputs {
            self.cx.b.program.output(name, value);
        }
        Ok(self.weights)
    }

    /// Collects the program results of a result of the graph: a value, or the elements of a sequence, numbered from 0.
    fn collect_results(&mut self, name: &'m str, outputs: &mut Vec<(String, ValueId)>) -> Result<(), Diagnostic> {
        if let Some(value) = self.value(name) {
            outputs.push((name.to_owned(), value));
            return Ok(());
        }
        match self.binding(name) {
            Some(Binding::Sequence(items)) => {
                for (i, item) in items.iter().enumerate() {
                    let Some(value) = self.value_of(item) else {
                        let title = format!("the result `{name}` is a sequence of sequences, which is not supported");
                        return Err(Diagnostic::new(Code::F003, title));
                    };
                    outputs.push((format!("{name}.{i}"), value));
                }
                Ok(())
            }
            Some(_) => Err(Diagnostic::new(Code::F003, format!("the result `{name}` is an optional without a value"))),
            None => {
                let title = format!("no node of the graph computes its result `{name}`");
                Err(Diagnostic::new(Code::F002, title))
            }
        }
    }

    pub(super) fn declared(&self) -> &super::names::DeclaredTypes<'m> {
        &self.scopes[self.scopes.len() - 1].declared
    }

    pub(super) fn bind(&mut self, name: &'m str, binding: Binding) {
        let innermost = self.scopes.len() - 1;
        self.scopes[innermost].bindings.insert(name, binding);
    }

    /// Returns true if the innermost graph binds the name.
    pub(super) fn is_bound(&self, name: &str) -> bool {
        self.scopes[self.scopes.len() - 1].bindings.contains_key(name)
    }

    /// Imports nodes of the innermost graph, in order. Results of a node with errors are bound to `Failed`.
    fn import_nodes(&mut self, nodes: Vec<&'m NodeProto>) {
        for node in nodes {
            if let Err(error) = self.import_node(node) {
                node.output.iter().for_each(|name| self.bind(name, Binding::Failed));
                self.errors.extend(error);
            }
        }
    }

    /// Imports the graph of the innermost scope with the given operands, and returns its results.
    pub fn import_graph(&mut self, args: Vec<Binding>) -> Result<Vec<Binding>, LoweringError> {
        let graph = self.scopes[self.scopes.len() - 1].graph;
        let fed: Vec<_> = graph.input.iter().collect();
        if fed.len() != args.len() {
            return malformed(format!("contains a graph with {} inputs, not {}", fed.len(), args.len()));
        }
        let reported = |importer: &mut Self, errors: Vec<Diagnostic>| {
            importer.errors.extend(errors);
            LoweringError::Reported
        };
        let (live, read) = live_nodes(graph).map_err(|errors| reported(self, errors))?;
        let (budget, what) = match self.unrolled_depth {
            0 => (&mut self.nested_nodes, "nested graphs"),
            _ => (&mut self.unrolled_nodes, "unrolled loops"),
        };
        *budget = match budget.checked_sub(live.len().max(1)) {
            Some(rest) => rest,
            None => return unsupported(format!("more than {MAX_NESTED_NODES} nodes of {what}")),
        };
        self.bind_initializers(graph, &read).map_err(|errors| reported(self, errors))?;
        for (input, arg) in fed.into_iter().zip(args) {
            self.check_declared(&input.name, &arg).map_err(|error| reported(self, vec![error]))?;
            self.bind(&input.name, arg);
        }
        self.import_nodes(live);
        let mut results = Vec::new();
        for output in &graph.output {
            match self.binding(&output.name) {
                Some(Binding::Failed) => return Err(LoweringError::Reported),
                Some(binding) => results.push(binding),
                None => {
                    return malformed(format!("contains a graph that does not compute its result `{}`", output.name));
                }
            }
        }
        Ok(results)
    }

    /// Checks a tensor against the declared types of a name of the innermost graph.
    fn check_declared(&self, name: &str, binding: &Binding) -> Result<(), Diagnostic> {
        match binding {
            Binding::Value(value) => self.declared().check(name, &self.cx.b.ty(*value)),
            Binding::Constant(tensor) => self.declared().check(name, &tensor.ty),
            Binding::Sequence(_) | Binding::Absent | Binding::Failed => Ok(()),
        }
    }

    /// Lowers or folds a node and binds its results. Errors: the diagnostic, if it has not been reported.
    fn import_node(&mut self, node: &'m NodeProto) -> Result<(), Option<Diagnostic>> {
        let inputs: Vec<Option<&'m str>> =
            node.input.iter().map(|name| Some(name.as_str()).filter(|n| !n.is_empty())).collect();
        for name in inputs.iter().flatten() {
            match self.lookup(name) {
                Some((_, Binding::Failed)) => return Err(None),
                Some(_) => {}
                None => {
                    let why = format!("reads `{name}`, which no node computes");
                    return Err(Some(node_diagnostic(node, self.opset, LoweringError::Malformed(why))));
                }
            }
        }
        if node.op_type == "Constant" && node.output.first().is_some_and(|name| self.is_param(name)) {
            return Ok(());
        }
        let outs = self.lower_node(node, &inputs).map_err(|error| match error {
            LoweringError::Reported => None,
            error => {
                self.run_time_operands.extend(self.run_time_operand(node, &inputs, &error));
                Some(node_diagnostic(node, self.opset, error))
            }
        })?;
        for (name, binding) in node.output.iter().zip(outs).filter(|(name, _)| !name.is_empty()) {
            self.check_declared(name, &binding)?;
            if self.is_bound(name) {
                let why = format!("computes `{name}`, which an earlier node computes");
                return Err(Some(node_diagnostic(node, self.opset, LoweringError::Malformed(why))));
            }
            self.bind(name, binding);
        }
        Ok(())
    }

    /// Returns true if a `Constant` node with the given result has become a parameter.
    fn is_param(&self, name: &str) -> bool {
        self.weights.contains_key(name) && self.is_bound(name)
    }

    /// Returns the operand that the error is about, if it has to be constant.
    fn run_time_operand(
        &self,
        node: &'m NodeProto,
        inputs: &[Option<&'m str>],
        error: &LoweringError,
    ) -> Option<RunTimeOperand<'m>> {
        let (operand, value) = match *error {
            LoweringError::NotConstant { operand, value } => (operand, value),
            LoweringError::BranchTypes { condition, .. } => ("condition", condition),
            _ => return None,
        };
        let is_value = |name: &&&str| matches!(self.lookup(name), Some((_, Binding::Value(v))) if *v == value);
        let tensor = inputs.iter().flatten().find(is_value)?;
        let inputs = inputs_of(&self.scopes, tensor, |name| self.constant_value(name).is_some());
        Some(RunTimeOperand { inputs, op: &node.op_type, operand })
    }

    /// Lowers a node: operations with graphs, of sequences, and of tensors.
    fn lower_node(&mut self, node: &'m NodeProto, inputs: &[Option<&'m str>]) -> Result<Vec<Binding>, LoweringError> {
        let domain = Domain::from_node(node).ok_or(LoweringError::Unsupported)?;
        if domain == Domain::Onnx {
            match node.op_type.as_str() {
                "Constant" => {
                    let tensor = constant(node)
                        .ok_or(LoweringError::UnsupportedOption("a value that is not a tensor of numbers".into()))?;
                    let tensor = tensor.map_err(|e| LoweringError::Malformed(e.title))?;
                    return Ok(vec![Binding::Constant(tensor)]);
                }
                "If" => return self.import_if(node, inputs),
                "Loop" => return self.import_loop(node, inputs),
                "Scan" => return self.import_scan(node, inputs),
                "SequenceMap" => return self.import_sequence_map(node, inputs),
                op if sequences::is_sequence_op(op) || (op == "Identity" && self.reads_sequence(inputs)) => {
                    return self.import_sequence_op(node, inputs);
                }
                _ => {}
            }
        }
        if domain == Domain::Preview && node.op_type == "FlexAttention" {
            return self.import_flex_attention(node, inputs);
        }
        let outs = self.lower_or_fold(node, domain, inputs)?;
        let binding = |out| match out {
            Out::Value(value) => Binding::Value(value),
            Out::Constant(tensor) => Binding::Constant(tensor),
        };
        Ok(outs.into_iter().map(binding).collect())
    }

    /// Returns true if an operand is a sequence or an optional without a value.
    fn reads_sequence(&self, inputs: &[Option<&'m str>]) -> bool {
        let is_sequence = |name: &&str| matches!(self.lookup(name), Some((_, Binding::Sequence(_) | Binding::Absent)));
        inputs.iter().flatten().any(is_sequence)
    }

    fn lower_or_fold(&mut self, node: &'m NodeProto, domain: Domain, inputs: &[Option<&'m str>]) -> LoweringResult {
        let version = (domain, self.opset);
        let mut fold_budget = self.fold_budget;
        let known: Option<Vec<&Tensor>> = inputs.iter().flatten().map(|name| self.constant_value(name)).collect();
        if let Some(known) = known
            && let Some(outs) = evaluate(&known, &mut fold_budget, |cx, values| {
                let mut values = values.iter().copied();
                let args = inputs.iter().map(|name| name.and_then(|_| values.next())).collect();
                table::lower(cx, &Node::new(node, version, args))
            })?
        {
            self.fold_budget = fold_budget;
            return Ok(outs);
        }
        let mut args = Vec::new();
        for name in inputs {
            args.push(match name {
                None => None,
                Some(name) => match self.value(name) {
                    Some(value) => Some(value),
                    None => return malformed(format!("reads `{name}`, which is not a tensor")),
                },
            });
        }
        self.cx.b.origin = Origin::new(0, torch::module(node));
        let (mark, node) = (self.cx.b.body.len(), Node::new(node, version, args));
        let outs = table::lower(&mut self.cx, &node)?;
        check_op_types(self.cx.b.program, &self.cx.b.body[mark..])?;
        Ok(outs)
    }
}

/// Returns the live nodes of a sorted graph in order, and the names read by live nodes and the results.
fn live_nodes(graph: &GraphProto) -> Result<(Vec<&NodeProto>, FxHashSet<&str>), Vec<Diagnostic>> {
    if graph.output.is_empty() {
        return Err(vec![Diagnostic::new(Code::F002, "the graph has no results")]);
    }
    let mut read: FxHashSet<&str> = graph.output.iter().map(|o| o.name.as_str()).collect();
    let mut live = Vec::new();
    for node in graph.node.iter().rev() {
        if node.output.iter().any(|name| read.contains(name.as_str())) {
            read.extend(node.reads());
            live.push(node);
        }
    }
    live.reverse();
    Ok((live, read))
}

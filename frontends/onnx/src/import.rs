//! Lowering of a decoded ONNX model to a traced program and its weights.
//!
//! Initializers that are weights become parameters under their own names; other initializers become constants. Graph
//! inputs become program inputs, with the sizes that the user specifies for symbolic dimensions. Only nodes that the
//! results depend on are lowered, each by the file of its operator family, selected in [`table`]. A node with constant
//! operands is lowered into a separate program and evaluated during the import (constant folding). This resolves the
//! shapes that exporters compute with operations.

mod activation;
mod attention;
mod contraction;
mod creation;
mod einsum;
mod elementwise;
mod fixed;
mod fold;
mod indexing;
mod inputs;
mod loss;
mod losses;
mod lowering;
mod movement;
mod names;
mod normalization;
mod operators;
mod opsets;
mod pooling;
mod quantization;
mod recurrent;
mod reduction;
mod resize;
mod rotary;
mod sampling;
mod scan;
mod table;
mod weights;
mod window;

use crate::file;
use crate::name::ModelName;
use crate::proto::{GraphProto, ModelProto, NodeProto};
use crate::tensors::{self, MAX_DIM};
pub use fixed::{FixedInput, FixedInputs, InputValues};
use fixed::{RunTimeOperand, fixable, inputs_of};
use fold::{constant, fold};
use inputs::{GraphInput, GraphInputs};
use lowering::{Lowering, LoweringError, Node, Out};
use names::DeclaredTypes;
use opsets::Domain;
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::build::{Builder, Namer, identifier, value_name};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::origin::Origin;
use partita_ir::program::{Name, Param, Program};
use partita_ir::tensor::{Tensor, Weights};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::Path;

/// Supported opsets.
pub const OPSETS: std::ops::RangeInclusive<i64> = 7..=28;

/// An imported model.
pub struct Imported {
    /// The forward model, in form traced.
    pub program: Program,
    /// The data of its parameters.
    pub weights: Weights,
    /// Inputs of the file that are no inputs of the program, because their values are fixed.
    pub fixed: FixedInputs,
}

/// Reads the model with the given name: a file, the sizes of its symbolic dimensions (`model.onnx?batch=32&seq=128`),
/// and an optional loss (`loss=cross_entropy`), which replaces the results. `values` returns the values of inputs that
/// are known, which become constants if shapes depend on them.
///
/// # Errors
/// Returns `C001` for a file that cannot be read, `F002` for a damaged or invalid file, `F001` and `F003` for
/// unsupported operations and element types, `F004` for sizes that are missing or match no symbolic dimension and for
/// an invalid loss, and `T004` for a file or tensor that is too large.
pub fn import_with_inputs(name: &str, values: InputValues<'_>) -> Result<Imported, Vec<Diagnostic>> {
    let model_name = ModelName::parse(name)?;
    let model = file::read(model_name.path).map_err(|e| vec![e])?;
    import_model(&model, name, values)
}

/// Reads the model with the given name, without values of inputs.
///
/// # Errors
/// The errors of [`import_with_inputs`].
pub fn import(name: &str) -> Result<Imported, Vec<Diagnostic>> {
    import_with_inputs(name, &|_| None)
}

/// Imports a decoded model. External data is read from the folder of the path in `name`.
///
/// # Errors
/// The errors of [`import_with_inputs`], except those of reading the file.
pub fn import_model(model: &ModelProto, name: &str, values: InputValues<'_>) -> Result<Imported, Vec<Diagnostic>> {
    let model_name = ModelName::parse(name)?;
    let no_graph = || vec![Diagnostic::new(Code::F002, format!("`{}` contains no graph", model_name.path.display()))];
    let graph = model.graph.as_ref().ok_or_else(no_graph)?;
    let duplicates = names::check(model, graph);
    if !duplicates.is_empty() {
        return Err(duplicates);
    }
    let opset = opsets::check(model, graph)?;
    let mut fixed = FixedInputs::new();
    // Each repetition fixes at least one more input.
    loop {
        let failure = match import_with_fixed(graph, opset, &model_name, name, &fixed) {
            Ok((program, weights)) => return Ok(Imported { program, weights, fixed }),
            Err(failure) => failure,
        };
        let more: Vec<_> =
            failure.run_time_operands.iter().flat_map(|operand| fixable(operand, values, &fixed)).collect();
        if more.is_empty() {
            return Err(failure.errors);
        }
        for (name, input) in more {
            fixed.entry(name).or_insert(input);
        }
    }
}

/// Imports a graph with the given fixed inputs.
fn import_with_fixed<'m>(
    graph: &'m GraphProto,
    opset: i64,
    model_name: &ModelName<'_>,
    name: &str,
    fixed: &FixedInputs,
) -> Result<(Program, Weights), Failure<'m>> {
    let sizes = GraphInputs::from_graph(graph, model_name)?;
    let mut program = Program::with_source(name);
    let mut namer = Namer::default();
    let cx = Lowering::new(Builder::new(&mut program, &mut namer));
    let importer = Importer {
        graph,
        opset,
        cx,
        declared: DeclaredTypes::from_graph(graph),
        bindings: FxHashMap::default(),
        weights: Weights::new(),
        fold_budget: fold::MAX_TOTAL_WORK,
        run_time_operands: Vec::new(),
    };
    let weights = importer.run(model_name, &sizes, fixed)?;
    Ok((program.compact(), weights))
}

/// Errors of an import.
struct Failure<'m> {
    errors: Vec<Diagnostic>,
    /// Operands that would have to be constant.
    run_time_operands: Vec<RunTimeOperand<'m>>,
}

impl From<Vec<Diagnostic>> for Failure<'_> {
    fn from(errors: Vec<Diagnostic>) -> Self {
        Failure { errors, run_time_operands: Vec::new() }
    }
}

/// Builds the error for an invalid file.
fn file_error(title: String) -> Diagnostic {
    Diagnostic::new(Code::F002, title)
}

/// Binding of a name in the graph.
#[derive(Clone)]
enum Binding {
    /// A value of the program.
    Value(ValueId),
    /// A constant, which is added to the program when a lowered node reads it.
    Constant(Tensor),
    /// A result of a node that could not be lowered. Nodes that read it report no further errors.
    Failed,
}

/// State of an import.
struct Importer<'m, 'p> {
    graph: &'m GraphProto,
    opset: i64,
    cx: Lowering<'p>,
    /// Types declared in the file.
    declared: DeclaredTypes<'m>,
    bindings: FxHashMap<&'m str, Binding>,
    weights: Weights,
    /// Remaining budget of constant folding, in bytes and arithmetic operations.
    fold_budget: u64,
    /// Operands computed at run time that have to be constant.
    run_time_operands: Vec<RunTimeOperand<'m>>,
}

impl<'m> Importer<'m, '_> {
    fn run(
        mut self,
        model_name: &ModelName<'_>,
        sizes: &GraphInputs<'m>,
        fixed: &FixedInputs,
    ) -> Result<Weights, Failure<'m>> {
        let (live, read) = live_nodes(self.graph)?;
        // Inputs are named before parameters, which users know by their paths.
        let names: Vec<Name> = sizes.inputs.iter().map(|i| self.cx.b.names.fresh(&value_name(i.name))).collect();
        self.bind_initializers(&read, model_name)?;
        for (input, name) in sizes.inputs.iter().zip(names) {
            self.declared.check(input.name, &input.ty).map_err(|error| vec![error])?;
            let binding = match fixed.get(input.name) {
                Some(fixed) if fixed.value.ty == input.ty => Binding::Constant(fixed.value.clone()),
                Some(fixed) => return Err(vec![wrong_type(input, fixed)].into()),
                None => Binding::Value(self.cx.b.program.input(name, input.ty.clone())),
            };
            self.bindings.insert(input.name, binding);
        }
        let mut errors = Vec::new();
        for node in live {
            if let Err(error) = self.import_node(node) {
                node.output.iter().for_each(|name| _ = self.bindings.insert(name, Binding::Failed));
                errors.push(error);
            }
        }
        if !errors.is_empty() {
            return Err(Failure { errors, run_time_operands: self.run_time_operands });
        }
        let mut outputs = Vec::new();
        for output in &self.graph.output {
            let value = self.value(&output.name).ok_or_else(|| {
                let title = format!("no node of the graph computes its result `{}`", output.name);
                vec![Diagnostic::new(Code::F002, title)]
            })?;
            outputs.push((output.name.as_str(), value));
        }
        if let Some((loss, _)) = &model_name.loss
            && let Some((name, value)) = outputs.first()
        {
            let loss = loss::append(*loss, &mut self.cx, *value).map_err(|error| vec![loss_diagnostic(name, error)])?;
            outputs = vec![("loss", loss)];
        }
        let main = self.cx.b.program.entry();
        let body = live_ops(self.cx.b.program, &self.cx.b.body, outputs.iter().map(|(_, v)| *v));
        *self.cx.b.program.funcs[main].ops_mut() = body;
        for (name, value) in outputs {
            self.cx.b.program.output(name, value);
        }
        Ok(self.weights)
    }

    /// Binds the initializers that live nodes read: weights to parameters, others to constants.
    fn bind_initializers(&mut self, read: &FxHashSet<&str>, model_name: &ModelName<'_>) -> Result<(), Vec<Diagnostic>> {
        if let Some(sparse) = self.graph.sparse_initializer.first() {
            let name = sparse.values.as_ref().map_or("", |t| &t.name);
            let title = format!("initializer `{name}` is sparse, which is not supported");
            return Err(vec![Diagnostic::new(Code::F003, title)]);
        }
        let roles = weights::roles(self.graph);
        let folder = model_name.path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut errors = Vec::new();
        for proto in self.graph.initializer.iter().filter(|t| read.contains(t.name.as_str())) {
            let read = tensors::read(proto, folder, &format!("initializer `{}`", proto.name));
            match read.and_then(|tensor| self.declared.check(&proto.name, &tensor.ty).map(|()| tensor)) {
                Ok(tensor) => {
                    match weights::param_kind(&proto.name, &tensor, roles.get(proto.name.as_str()).copied()) {
                        Some(kind) => self.declare_param(&proto.name, tensor, kind),
                        None => _ = self.bindings.insert(&proto.name, Binding::Constant(tensor)),
                    }
                }
                Err(error) => errors.push(error),
            }
        }
        // Some exporters write weights as `Constant` nodes.
        for node in self.graph.node.iter().filter(|n| n.op_type == "Constant" && n.output.len() == 1) {
            let (name, Some(&role)) = (&node.output[0], roles.get(node.output[0].as_str())) else { continue };
            if let Some(Ok(tensor)) = constant(node)
                && let Some(kind) = weights::constant_param_kind(&tensor, role)
                && !self.bindings.contains_key(name.as_str())
            {
                self.declare_param(name, tensor, kind);
            }
        }
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn declare_param(&mut self, path: &'m str, tensor: Tensor, kind: partita_ir::program::ParamKind) {
        if self.weights.contains_key(path) {
            return;
        }
        let name = self.cx.b.names.fresh(&identifier(path));
        let value = self.cx.b.program.input(name, tensor.ty.clone());
        self.cx.b.program.params.push(Param { path: path.into(), kind, value, parent: None, init: None });
        self.bindings.insert(path, Binding::Value(value));
        self.weights.insert(path.into(), tensor);
    }

    /// Returns the value bound to a name; a constant is added to the program.
    fn value(&mut self, name: &'m str) -> Option<ValueId> {
        match self.bindings.get(name)? {
            Binding::Value(value) => Some(*value),
            Binding::Failed => None,
            Binding::Constant(tensor) => {
                let tensor = tensor.clone();
                let value = self.cx.b.constant(&tensor);
                self.cx.set_constant(value, tensor);
                self.bindings.insert(name, Binding::Value(value));
                Some(value)
            }
        }
    }

    /// Returns the constant bound to a name, if any.
    fn constant_value(&self, name: &str) -> Option<&Tensor> {
        match self.bindings.get(name)? {
            Binding::Constant(tensor) => Some(tensor),
            Binding::Value(value) => self.cx.constant_value(*value),
            Binding::Failed => None,
        }
    }

    /// Lowers or folds a node and binds its results.
    fn import_node(&mut self, node: &'m NodeProto) -> Result<(), Diagnostic> {
        let inputs: Vec<Option<&'m str>> =
            node.input.iter().map(|name| Some(name.as_str()).filter(|n| !n.is_empty())).collect();
        for name in inputs.iter().flatten() {
            match self.bindings.get(name) {
                Some(Binding::Failed) => {
                    node.output.iter().for_each(|out| _ = self.bindings.insert(out, Binding::Failed));
                    return Ok(());
                }
                Some(_) => {}
                None => {
                    let why = format!("reads `{name}`, which no earlier node computes");
                    return Err(node_diagnostic(node, self.opset, LoweringError::Malformed(why)));
                }
            }
        }
        if node.op_type == "Constant" && node.output.first().is_some_and(|o| self.weights.contains_key(o)) {
            return Ok(());
        }
        let outs = self.lower_or_fold(node, &inputs).map_err(|error| {
            self.run_time_operands.extend(self.run_time_operand(node, &inputs, &error));
            node_diagnostic(node, self.opset, error)
        })?;
        for (name, out) in node.output.iter().zip(outs).filter(|(name, _)| !name.is_empty()) {
            let binding = match out {
                Out::Value(value) => Binding::Value(value),
                Out::Constant(tensor) => Binding::Constant(tensor),
            };
            let ty = match &binding {
                Binding::Value(value) => self.cx.b.ty(*value),
                Binding::Constant(tensor) => tensor.ty.clone(),
                Binding::Failed => continue,
            };
            self.declared.check(name, &ty)?;
            if self.bindings.insert(name, binding).is_some() {
                let why = format!("computes `{name}`, which an earlier node computes");
                return Err(node_diagnostic(node, self.opset, LoweringError::Malformed(why)));
            }
        }
        Ok(())
    }

    /// Returns the operand that the error is about, if it has to be constant.
    fn run_time_operand(
        &self,
        node: &'m NodeProto,
        inputs: &[Option<&'m str>],
        error: &LoweringError,
    ) -> Option<RunTimeOperand<'m>> {
        let LoweringError::NotConstant { operand, value } = *error else { return None };
        let is_value = |name: &&&str| matches!(self.bindings.get(**name), Some(Binding::Value(v)) if *v == value);
        let tensor = inputs.iter().flatten().find(is_value)?;
        let inputs = inputs_of(self.graph, tensor, |name| self.constant_value(name).is_some());
        Some(RunTimeOperand { inputs, op: &node.op_type, operand })
    }

    fn lower_or_fold(&mut self, node: &'m NodeProto, inputs: &[Option<&'m str>]) -> lowering::LoweringResult {
        let domain = Domain::from_node(node).ok_or(LoweringError::Unsupported)?;
        if domain == Domain::Onnx && node.op_type == "Constant" {
            let tensor = constant(node)
                .ok_or(LoweringError::UnsupportedOption("a value that is not a tensor of numbers".into()))?;
            return lowering::constant_result(tensor.map_err(|e| LoweringError::Malformed(e.title))?);
        }
        let mut fold_budget = self.fold_budget;
        let known: Option<Vec<&Tensor>> = inputs.iter().flatten().map(|name| self.constant_value(name)).collect();
        if let Some(known) = known
            && let Some(outs) = fold(node, (domain, self.opset), inputs, &known, &mut fold_budget)?
        {
            self.fold_budget = fold_budget;
            return Ok(outs);
        }
        let args = inputs.iter().map(|name| name.and_then(|name| self.value(name))).collect();
        self.cx.b.origin = Origin::new(0, weights::scope(&node.name));
        let (mark, node) = (self.cx.b.body.len(), Node::new(node, (domain, self.opset), args));
        let outs = table::lower(&mut self.cx, &node)?;
        check_types(self.cx.b.program, &self.cx.b.body[mark..])?;
        Ok(outs)
    }
}

/// Builds the error for a supplied value that does not have the type of its input.
fn wrong_type(input: &GraphInput<'_>, fixed: &FixedInput) -> Diagnostic {
    let title = format!("input `{}` is {}, but its value is {}", input.name, input.ty, fixed.value.ty);
    Diagnostic::new(Code::R002, title)
        .note(format!("its value is fixed, because `{}` needs constant {}", fixed.op, fixed.operand))
}

/// Returns the live nodes in order, and the names read by live nodes and the results.
fn live_nodes(graph: &GraphProto) -> Result<(Vec<&NodeProto>, FxHashSet<&str>), Vec<Diagnostic>> {
    if graph.output.is_empty() {
        return Err(vec![Diagnostic::new(Code::F002, "the graph has no results")]);
    }
    let mut read: FxHashSet<&str> = graph.output.iter().map(|o| o.name.as_str()).collect();
    let mut live = Vec::new();
    for node in graph.node.iter().rev() {
        if node.output.iter().any(|name| read.contains(name.as_str())) {
            read.extend(node.input.iter().map(String::as_str).filter(|name| !name.is_empty()));
            live.push(node);
        }
    }
    live.reverse();
    Ok((live, read))
}

/// Checks that ops are valid for their operands, that result types match the inferred types, and that no tensor is too
/// large.
fn check_types(program: &Program, ops: &[OpId]) -> Result<(), LoweringError> {
    for &op in ops {
        let op = &program.ops[op];
        let (args, outs) = (program.arg_types(op), program.out_types(op));
        let inferred = op.kind.infer(program, &args, &outs).map_err(LoweringError::Malformed)?;
        if let Some((want, got)) = inferred.iter().zip(&outs).find(|(want, got)| want != *got) {
            return Err(LoweringError::Malformed(format!("has the result type {want}, not {got}")));
        }
        if let Some(large) = outs.iter().find(|ty| ty.shape.iter().any(|&n| n > MAX_DIM)) {
            return Err(LoweringError::TooLarge(large.to_string()));
        }
    }
    Ok(())
}

/// Returns the ops that the results depend on. Constants that were only read as attributes are dropped.
fn live_ops(program: &Program, body: &[OpId], results: impl Iterator<Item = ValueId>) -> Vec<OpId> {
    let mut read = vec![false; program.values.len()];
    results.for_each(|v| read[v.index()] = true);
    let mut live: Vec<OpId> = Vec::with_capacity(body.len());
    for &id in body.iter().rev() {
        let op = &program.ops[id];
        if op.outs.iter().any(|v| read[v.index()]) {
            op.args.iter().for_each(|v| read[v.index()] = true);
            live.push(id);
        }
    }
    live.reverse();
    live
}

/// Builds the error for a result that cannot be compared with targets.
fn loss_diagnostic(result: &str, error: LoweringError) -> Diagnostic {
    let why = if let LoweringError::Malformed(why) = error { why } else { "cannot be compared with targets".into() };
    Diagnostic::new(Code::F004, format!("the loss of `{result}` {why}"))
}

/// Builds the error for a node that cannot be lowered.
fn node_diagnostic(node: &NodeProto, opset: i64, error: LoweringError) -> Diagnostic {
    let what = format!("ONNX operation `{}`", node.op_type);
    let help = match error {
        LoweringError::NotConstant { .. } => {
            Some("if inputs of the model determine it, supply their values: `partita run MODEL --input FILE`")
        }
        _ => None,
    };
    let (code, title) = match error {
        LoweringError::Unsupported => (Code::F001, format!("{what} cannot be lowered")),
        LoweringError::UnsupportedOption(option) => (Code::F001, format!("{what} cannot be lowered with {option}")),
        LoweringError::DType(name) => {
            (Code::F003, format!("{what} has the element type {name}, which is not supported"))
        }
        LoweringError::NotConstant { operand, .. } => {
            (Code::F003, format!("{what} computes its {operand} at run time, but shapes are static"))
        }
        LoweringError::Malformed(why) => (Code::F002, format!("{what}: {why}")),
        LoweringError::TooLarge(ty) => (Code::T004, format!("{what} computes a tensor that is too large: {ty}")),
    };
    let domain = if node.domain.is_empty() { "ai.onnx" } else { &node.domain };
    let place = match (node.name.as_str(), node.output.first()) {
        ("", Some(output)) => format!("the node that computes `{output}`"),
        (name, _) => format!("node `{name}`"),
    };
    let error = Diagnostic::new(code, title).note(match domain {
        "ai.onnx" => format!("{place}, domain `{domain}`, opset {opset}"),
        _ => format!("{place}, domain `{domain}`"),
    });
    match help {
        Some(help) => error.help(help),
        None => error,
    }
}

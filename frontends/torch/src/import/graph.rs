//! Import of the graph: declaration of inputs and weights, and lowering of nodes in order.

use super::bindings::Bindings;
use super::errors::{input_diagnostic, node_diagnostic};
use super::lowering::{Lowering, LoweringError, Outs, malformed};
use super::node::{Node, Operand};
use super::results::result_names;
use super::{names, table};
use crate::archive::Archive;
use crate::name::ModelName;
use crate::schema::{self, TypeFault};
use crate::schema::{Argument, ExportedProgram, InputSpec, OptionalTensor, OutputSpec, SymIntArgument};
use crate::weights::{WeightIndex, type_diagnostic};
use partita_ir::arena::{ParamId, ValueId};
use partita_ir::build::{Builder, MAX_DIM, check_op_types, identifier, live_ops, value_name};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::dtype::Type;
use partita_ir::origin::Origin;
use partita_ir::program::{Output, Param, ParamKind};
use partita_ir::tensor::{Tensor, Weights};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

/// Largest number of elements of a lifted constant that becomes a literal of the program.
const MAX_LITERAL_ELEMENTS: usize = 1 << 10;

/// A parameter, buffer or constant of the signature.
#[derive(Clone, Copy)]
struct DeclaredWeight<'m> {
    /// Name in the graph.
    name: &'m str,
    /// Fully qualified name.
    path: &'m str,
    kind: ParamKind,
    /// True for a constant that tracing lifted out of the model.
    is_constant: bool,
}

impl<'m> DeclaredWeight<'m> {
    /// Returns the weight that an input of the graph is; `None` for other inputs.
    fn from_spec(spec: &'m InputSpec) -> Option<DeclaredWeight<'m>> {
        let (arg, path, kind, is_constant) = match spec {
            InputSpec::Parameter { arg, parameter_name } => (arg, parameter_name, ParamKind::Trainable, false),
            InputSpec::Buffer { arg, buffer_name } => (arg, buffer_name, ParamKind::Const, false),
            InputSpec::TensorConstant { arg, tensor_constant_name } => {
                (arg, tensor_constant_name, ParamKind::Const, true)
            }
            InputSpec::UserInput { .. }
            | InputSpec::ConstantInput(_)
            | InputSpec::CustomObj { .. }
            | InputSpec::Token(_) => return None,
        };
        Some(DeclaredWeight { name: &arg.name, path, kind, is_constant })
    }
}

/// State of an import.
pub struct Importer<'m, 'p> {
    exported: &'m ExportedProgram,
    cx: Lowering<'p>,
    index: &'m WeightIndex,
    archive: &'m mut Archive,
    bindings: Bindings<'m>,
    /// Parameters and buffers: the name in the graph, the parameter, and its value at the start.
    params: Vec<(&'m str, ParamId, ValueId)>,
    weights: Weights,
    errors: Vec<Diagnostic>,
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
            cx: Lowering::new(b),
            index,
            archive,
            bindings: Bindings::default(),
            params: Vec::new(),
            weights: Weights::new(),
            errors: Vec::new(),
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
            outputs.insert(0, (true, Output { name: "loss".into(), value, alias: None }));
        }
        let main = self.cx.b.program.entry();
        let body = live_ops(self.cx.b.program, &self.cx.b.body, outputs.iter().map(|(_, output)| output.value));
        *self.cx.b.program.funcs[main].ops_mut() = body;
        self.cx.b.program.outputs_mut().extend(outputs.into_iter().map(|(_, output)| output));
        Ok(self.weights)
    }

    /// Returns the recorded type of a tensor; `what` names it in messages.
    fn ty(&self, name: &str, what: &str) -> Result<Type, Diagnostic> {
        let meta = self.exported.graph_module.graph.tensor_values.get(name);
        let meta = meta.ok_or_else(|| self.archive.damaged(format!("does not state the type of `{name}`")))?;
        meta.ty().map_err(|fault| type_diagnostic(what, fault))
    }

    /// Declares the inputs of the model, and the parameters, buffers and constants that its graph reads.
    fn declare_inputs(&mut self) {
        let specs = &self.exported.graph_module.signature.input_specs;
        let read = self.read_names();
        let mut declared = FxHashSet::default();
        // Inputs are named before parameters, which users know by their paths.
        for spec in specs {
            match spec {
                InputSpec::UserInput { arg } => {
                    let declared = self.declare_user_input(arg, &mut declared);
                    self.errors.extend(declared.err());
                }
                InputSpec::CustomObj { custom_obj_name } => {
                    let title = format!("the program reads the object `{custom_obj_name}`, which is not a tensor");
                    self.errors.push(Diagnostic::new(Code::F003, title));
                }
                InputSpec::Parameter { .. }
                | InputSpec::Buffer { .. }
                | InputSpec::TensorConstant { .. }
                | InputSpec::ConstantInput(_)
                | InputSpec::Token(_) => {}
            }
        }
        let index = self.index;
        let weights: Vec<DeclaredWeight<'m>> = specs.iter().filter_map(DeclaredWeight::from_spec).collect();
        // Tied weights are declared where the first of them is, under its name.
        let mut first_of = FxHashMap::default();
        let mut read_tied = FxHashSet::default();
        for weight in &weights {
            if let Some(location) = index.location(weight.path) {
                if read.contains(weight.name) {
                    read_tied.insert(location.clone());
                }
                first_of.entry(location).or_insert(*weight);
            }
        }
        for weight in weights {
            if !declared.insert(weight.name) {
                self.errors.push(self.archive.damaged(format!("declares the input `{}` twice", weight.name)));
                continue;
            }
            let location = index.location(weight.path);
            let is_read_tied = location.as_ref().is_some_and(|location| read_tied.contains(location));
            let first = location.and_then(|location| first_of.get(&location).copied()).unwrap_or(weight);
            if is_read_tied || read.contains(weight.name) {
                let declared = self.declare_weight(weight, first);
                self.errors.extend(declared.err());
            }
        }
    }

    /// Returns the names of tensors that nodes read or the model returns.
    fn read_names(&self) -> FxHashSet<&'m str> {
        let mut read = FxHashSet::default();
        let module = &self.exported.graph_module;
        let inputs = module.graph.nodes.iter().flat_map(|node| node.inputs.iter().map(|input| &input.arg));
        let results = module.signature.output_specs.iter().filter_map(|spec| match spec {
            OutputSpec::UserOutput { arg } => Some(arg),
            OutputSpec::LossOutput { .. }
            | OutputSpec::BufferMutation { .. }
            | OutputSpec::ParameterMutation { .. }
            | OutputSpec::UserInputMutation { .. }
            | OutputSpec::GradientToParameter { .. }
            | OutputSpec::GradientToUserInput { .. }
            | OutputSpec::Token(_) => None,
        });
        for arg in inputs.chain(results) {
            read.extend(tensor_names(arg));
        }
        read
    }

    /// Declares an input of the model. Inputs that are not tensors are constants of the graph.
    fn declare_user_input(&mut self, arg: &'m Argument, declared: &mut FxHashSet<&'m str>) -> Result<(), Diagnostic> {
        let arg = match arg {
            Argument::AsTensor(arg) => arg,
            Argument::AsSymInt(SymIntArgument::AsName(name)) => return Err(input_diagnostic(name)),
            _ => return Ok(()),
        };
        let ty = self.ty(&arg.name, &format!("input `{}`", arg.name))?;
        if !declared.insert(&arg.name) {
            return Err(self.archive.damaged(format!("declares the input `{}` twice", arg.name)));
        }
        let name = self.cx.b.names.fresh(&value_name(&arg.name));
        let value = self.cx.b.program.input(name, ty);
        self.bindings.bind(&arg.name, value);
        Ok(())
    }

    /// Declares a parameter, a buffer or a constant. `first` is the first of the weights that are tied with it.
    fn declare_weight(&mut self, weight: DeclaredWeight<'m>, first: DeclaredWeight<'m>) -> Result<(), Diagnostic> {
        let DeclaredWeight { name, path, .. } = weight;
        let ty = self.ty(name, &format!("`{path}`"))?;
        let known = self.cx.b.program.params.iter().find(|(_, param)| param.path == first.path);
        if let Some((id, value)) = known.map(|(id, param)| (id, param.value)) {
            if *self.cx.b.program.ty(value) != ty {
                return Err(self.archive.damaged(format!("ties `{path}` to `{}` of another type", first.path)));
            }
            self.params.push((name, id, value));
            self.bindings.bind(name, value);
            return Ok(());
        }
        let tensor = self.index.tensor(self.archive, path, &ty)?;
        if weight.is_constant && ty.shape.count() <= MAX_LITERAL_ELEMENTS {
            let value = self.cx.b.constant(&tensor);
            self.bindings.bind(name, value);
            return Ok(());
        }
        let meta = self.exported.graph_module.graph.tensor_values.get(name);
        let kind = match first.kind {
            ParamKind::Trainable if !meta.is_some_and(|meta| meta.requires_grad) => ParamKind::Frozen,
            kind => kind,
        };
        self.add_param(name, first.path, kind, tensor);
        Ok(())
    }

    fn add_param(&mut self, graph_name: &'m str, path: &str, kind: ParamKind, tensor: Tensor) {
        let name = self.cx.b.names.fresh(&identifier(path));
        let value = self.cx.b.program.input(name, tensor.ty.clone());
        let param = Param { path: path.to_owned(), kind, value, parent: None, init: None };
        let id = self.cx.b.program.params.push(param);
        self.params.push((graph_name, id, value));
        self.weights.insert(path.to_owned(), tensor);
        self.bindings.bind(graph_name, value);
    }

    /// Lowers a node and binds its results. The results of a node with errors are bound as failed.
    fn import_node(&mut self, node: &'m schema::GraphNode) {
        let lowered = self.lower_node(node);
        let names: Vec<&str> = node.outputs.iter().flat_map(tensor_names).collect();
        if let Err(error) = lowered {
            names.into_iter().for_each(|name| self.bindings.bind_failed(name));
            self.errors.extend(node_diagnostic(node, error));
        }
    }

    fn lower_node(&mut self, node: &'m schema::GraphNode) -> Result<(), LoweringError> {
        if table::is_assertion(&node.target) {
            return Ok(());
        }
        let names: Vec<&str> = node.outputs.iter().flat_map(tensor_names).collect();
        if let Some(name) = names.iter().find(|name| self.bindings.contains(name)) {
            return malformed(format!("computes `{name}`, which is computed before"));
        }
        if let Some(Argument::AsSymInt(SymIntArgument::AsName(name))) = node.outputs.first() {
            return Err(LoweringError::Symbolic(name.clone()));
        }
        self.cx.b.origin = Origin::new(0, names::module_path(node));
        let operation = names::Operation::from_target(&node.target).ok_or(LoweringError::Unsupported)?;
        let operands = node.inputs.iter().map(|input| Ok((input.name.as_str(), self.operand(&input.arg)?)));
        let operands = operands.collect::<Result<Vec<_>, LoweringError>>()?;
        let types = names.iter().map(|name| self.result_type(name)).collect::<Result<Vec<_>, _>>()?;
        let lowered = Node::new(operation.name, operands, types);
        let mark = self.cx.b.body.len();
        let outs = table::lower(&mut self.cx, operation.namespace, &lowered)?;
        check_op_types(self.cx.b.program, &self.cx.b.body[mark..])?;
        self.check_sizes(mark)?;
        self.check_results(&lowered, &outs)?;
        self.bind_results(node, &operation, &names, &outs);
        Ok(())
    }

    /// Converts an operand.
    fn operand(&self, arg: &'m Argument) -> Result<Operand<'m>, LoweringError> {
        let optional = |tensor: &OptionalTensor| match tensor {
            OptionalTensor::AsTensor(tensor) => self.bindings.get(&tensor.name).map(Some),
            OptionalTensor::AsNone(_) => Ok(None),
        };
        let sym_int = |int: &SymIntArgument| match int {
            SymIntArgument::AsInt(x) => Ok(*x),
            SymIntArgument::AsName(name) => Err(LoweringError::Symbolic(name.clone())),
        };
        Ok(match arg {
            Argument::AsTensor(tensor) => Operand::Tensor(self.bindings.get(&tensor.name)?),
            Argument::AsTensors(tensors) => {
                let values = tensors.iter().map(|tensor| self.bindings.get(&tensor.name).map(Some));
                Operand::Tensors(values.collect::<Result<_, _>>()?)
            }
            Argument::AsOptionalTensor(tensor) => optional(tensor)?.map_or(Operand::Absent, Operand::Tensor),
            Argument::AsOptionalTensors(tensors) => {
                Operand::Tensors(tensors.iter().map(optional).collect::<Result<_, _>>()?)
            }
            Argument::AsInt(x) => Operand::Int(*x),
            Argument::AsInts(list) => Operand::Ints(Cow::Borrowed(list)),
            Argument::AsFloat(x) => Operand::Float(x.0),
            Argument::AsFloats(list) => Operand::Floats(list.iter().map(|x| x.0).collect()),
            Argument::AsBool(x) => Operand::Bool(*x),
            Argument::AsString(text) => Operand::Text(text),
            Argument::AsSymInt(int) => Operand::Int(sym_int(int)?),
            Argument::AsSymInts(list) => Operand::Ints(list.iter().map(sym_int).collect::<Result<_, _>>()?),
            Argument::AsNone(_) | Argument::AsMemoryFormat(_) | Argument::AsLayout(_) | Argument::AsDevice(_) => {
                Operand::Absent
            }
            Argument::AsSymBool(_) | Argument::AsSymBools(_) | Argument::AsSymFloat(_) | Argument::AsSymFloats(_) => {
                return Err(LoweringError::Symbolic("a scalar operand".into()));
            }
            Argument::AsScalarType(_)
            | Argument::AsBools(_)
            | Argument::AsStrings(_)
            | Argument::AsGraph(_)
            | Argument::AsCustomObj(_)
            | Argument::AsOperator(_)
            | Argument::AsComplex(_)
            | Argument::AsNestedTensors(_)
            | Argument::AsIntLists(_)
            | Argument::AsFloatLists(_)
            | Argument::AsStringToArgument(_) => Operand::Other,
        })
    }

    /// Returns the recorded type of a result.
    fn result_type(&self, name: &str) -> Result<Type, LoweringError> {
        let Some(meta) = self.exported.graph_module.graph.tensor_values.get(name) else {
            return malformed(format!("computes `{name}`, whose type is not stated"));
        };
        meta.ty().map_err(|fault| match fault {
            TypeFault::DType(name) => LoweringError::DType(name),
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
            let want = node.result(i)?;
            if let Some(got) = value.map(|value| self.cx.b.ty(value)).filter(|got| got != want) {
                return malformed(format!("computes {got}, but the archive states {want}"));
            }
        }
        Ok(())
    }

    fn bind_results(
        &mut self,
        node: &'m schema::GraphNode,
        operation: &names::Operation<'m>,
        names: &[&'m str],
        outs: &Outs,
    ) {
        let operand_name = |name: &str| {
            let input = node.inputs.iter().find(|input| input.name == name)?;
            tensor_names(&input.arg).next()
        };
        for (operand, value) in std::mem::take(&mut self.cx.updates) {
            if let Some(name) = operand_name(operand) {
                self.bindings.change(name, value);
            }
        }
        let first = node.inputs.first().and_then(|input| tensor_names(&input.arg).next());
        if let (true, Some(name), Some(&Some(value))) = (operation.is_in_place, first, outs.first()) {
            self.bindings.change(name, value);
        }
        let shares_memory = operation.is_in_place || table::may_alias(operation.name);
        for (&name, value) in names.iter().zip(outs) {
            match (value, first) {
                (None, _) => self.bindings.bind_missing(name),
                (Some(value), Some(first)) if shares_memory => self.bindings.bind_view(name, *value, first),
                (Some(value), _) => self.bindings.bind(name, *value),
            }
        }
    }

    /// Returns the outputs of the program, and true for those that are results of the model: first these, then the
    /// buffers that the model changes, under their names.
    fn outputs(&mut self) -> Result<Vec<(bool, Output)>, Diagnostic> {
        let signature = &self.exported.graph_module.signature;
        let names = result_names(&self.exported.graph_module);
        let value = |this: &Self, name: &str| {
            this.bindings.get(name).map_err(|error| super::errors::result_diagnostic(name, error))
        };
        let mut outputs = Vec::new();
        let mut changed: Vec<(ParamId, Output)> = Vec::new();
        let mut results = 0;
        for spec in &signature.output_specs {
            let arg = match spec {
                OutputSpec::UserOutput { arg: Argument::AsTensor(arg) } | OutputSpec::LossOutput { arg } => arg,
                OutputSpec::UserOutput { .. } => {
                    results += 1;
                    continue;
                }
                OutputSpec::BufferMutation { arg, buffer_name: path }
                | OutputSpec::ParameterMutation { arg, parameter_name: path } => {
                    let Some((id, _)) = self.cx.b.program.params.iter().find(|(_, param)| param.path == *path) else {
                        return Err(self
                            .archive
                            .damaged(format!("changes the buffer `{path}`, which it does not read")));
                    };
                    let value = value(self, &arg.name)?;
                    changed.push((id, Output { name: value_name(path).into(), value, alias: Some(id) }));
                    continue;
                }
                OutputSpec::UserInputMutation { arg, user_input_name } => {
                    let (name, value) = (value_name(user_input_name).into(), value(self, &arg.name)?);
                    outputs.push((false, Output { name, value, alias: None }));
                    continue;
                }
                OutputSpec::GradientToParameter { arg, .. } | OutputSpec::GradientToUserInput { arg, .. } => {
                    let error = super::errors::gradient_diagnostic(&arg.name);
                    return Err(error);
                }
                OutputSpec::Token(_) => continue,
            };
            let name = names.get(results).cloned().unwrap_or_else(|| format!("output.{results}"));
            results += 1;
            outputs
                .push((true, Output { name: value_name(&name).into(), value: value(self, &arg.name)?, alias: None }));
        }
        // In-place operations on buffers, in programs that `run_decompositions` has not made functional.
        for &(name, id, start) in &self.params {
            let Ok(end) = self.bindings.get(name) else { continue };
            if end != start && !changed.iter().any(|(known, _)| *known == id) {
                let path = &self.cx.b.program.params[id].path;
                changed.push((id, Output { name: value_name(path).into(), value: end, alias: Some(id) }));
            }
        }
        for (id, output) in changed {
            self.cx.b.program.params[id].kind = ParamKind::State;
            outputs.push((false, output));
        }
        Ok(outputs)
    }
}

/// Returns the names of tensors of an argument.
fn tensor_names(arg: &Argument) -> impl Iterator<Item = &str> {
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

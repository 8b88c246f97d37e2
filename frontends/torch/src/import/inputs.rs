//! Declaration of the inputs of the model, and of its parameters, buffers and constants.

use super::errors::input_diagnostic;
use super::graph::{Importer, tensor_names};
use super::lowering::Parts;
use crate::schema::{Argument, InputSpec, OutputSpec, SymIntArgument, TensorType};
use partita_ir::build::{identifier, value_name};
use partita_ir::diag::{Code, Diagnostic};
use partita_ir::program::{COMPLEX_PARTS, Param, ParamKind};
use rustc_hash::{FxHashMap, FxHashSet};

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

impl<'m> Importer<'m, '_> {
    /// Declares the inputs of the model, and the parameters, buffers and constants that its graph reads or changes.
    pub(super) fn declare_inputs(&mut self) {
        let specs = &self.exported.graph_module.signature.input_specs;
        let read = self.read_names();
        let changed = self.changed_paths();
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
            if is_read_tied || read.contains(weight.name) || changed.contains(weight.path) {
                let declared = self.declare_weight(weight, first);
                self.errors.extend(declared.err());
            }
        }
    }

    /// Returns the paths of buffers and parameters that the model changes.
    fn changed_paths(&self) -> FxHashSet<&'m str> {
        let specs = self.exported.graph_module.signature.output_specs.iter();
        specs
            .filter_map(|spec| match spec {
                OutputSpec::BufferMutation { buffer_name: path, .. }
                | OutputSpec::ParameterMutation { parameter_name: path, .. } => Some(path.as_str()),
                OutputSpec::UserOutput { .. }
                | OutputSpec::LossOutput { .. }
                | OutputSpec::UserInputMutation { .. }
                | OutputSpec::GradientToParameter { .. }
                | OutputSpec::GradientToUserInput { .. }
                | OutputSpec::Token(_) => None,
            })
            .collect()
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
        let parts = self.declare(&value_name(&arg.name), &ty);
        self.bindings.bind(&arg.name, parts);
        Ok(())
    }

    /// Declares a tensor as an input of the program; complex numbers are two inputs.
    fn declare(&mut self, name: &str, ty: &TensorType) -> Parts {
        let mut input = |name: &str| {
            let name = self.cx.b.names.fresh(name);
            self.cx.b.program.input(name, ty.part.clone())
        };
        match ty.is_complex {
            true => Parts::Complex(COMPLEX_PARTS.map(|suffix| input(&format!("{name}{suffix}")))),
            false => Parts::Real(input(name)),
        }
    }

    /// Declares a parameter, a buffer or a constant. `first` is the first of the weights that are tied with it.
    fn declare_weight(&mut self, weight: DeclaredWeight<'m>, first: DeclaredWeight<'m>) -> Result<(), Diagnostic> {
        let DeclaredWeight { name, path, .. } = weight;
        let ty = self.ty(name, &format!("`{path}`"))?;
        let known = self.params.iter().find(|(_, known, _)| known == first.path);
        if let Some(parts) = known.map(|(_, _, parts)| *parts) {
            let is_complex = matches!(parts, Parts::Complex(_));
            if *self.cx.b.program.ty(parts.values()[0]) != ty.part || is_complex != ty.is_complex {
                return Err(self.archive.damaged(format!("ties `{path}` to `{}` of another type", first.path)));
            }
            self.params.push((name, first.path.to_owned(), parts));
            self.bindings.bind(name, parts);
            return Ok(());
        }
        let tensors = self.index.tensor(self.archive, path, &ty)?;
        if weight.is_constant && ty.part.shape.count() <= MAX_LITERAL_ELEMENTS {
            let parts = match &tensors[..] {
                [real, imaginary] => Parts::Complex([real, imaginary].map(|part| self.cx.b.constant(part))),
                _ => Parts::Real(self.cx.b.constant(&tensors[0])),
            };
            self.bindings.bind(name, parts);
            return Ok(());
        }
        let meta = self.exported.graph_module.graph.tensor_values.get(name);
        let kind = match first.kind {
            ParamKind::Trainable if !meta.is_some_and(|meta| meta.requires_grad) => ParamKind::Frozen,
            kind => kind,
        };
        let parts = self.declare(&identifier(first.path), &ty);
        for ((path, value), tensor) in parts.named(first.path).into_iter().zip(tensors) {
            self.weights.insert(path.clone(), tensor);
            self.cx.b.program.params.push(Param { path, kind, value, parent: None, init: None });
        }
        self.params.push((name, first.path.to_owned(), parts));
        self.bindings.bind(name, parts);
        Ok(())
    }
}

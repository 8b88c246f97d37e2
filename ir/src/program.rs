//! The program IR: values, operations, functions and parameters.
//!
//! Values and operations of all functions are stored in program-wide arenas; a [`Func`] is a list of operation ids. A
//! program is in one of four forms ([`Form`]), each with its own invariants, checked by [`crate::verify`].

pub mod build;
pub mod class;
mod copy;
mod eval;
mod monoid;
pub mod op;
pub mod ops;

pub use copy::ProgramCopy;
pub use eval::{EvalCx, MeshPosition};

use crate::arena::{Arena, FuncId, Id, MeshId, OpId, ParamId, ValueId};
use crate::diag::Diagnostic;
use crate::dtype::{Shape, Type};
use crate::initializer::Initializer;
use crate::layout::{Layout, local_shape};
use crate::mesh::DeviceMesh;
use crate::origin::Origin;
use crate::program::class::Control;
use op::OpKind;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use smol_str::SmolStr;
use std::sync::Arc;

/// A name in program text, without the leading `%` or `@`.
pub type Name = SmolStr;

/// Stage of compilation of a program. Each form has its own invariants.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Form {
    /// Shapes are inferred; only values annotated by the user have layouts.
    Traced,
    /// Every value has a closed layout; operand layouts may violate the sharding rule of an op.
    Planned,
    /// Operand layouts satisfy the sharding rule of each op; every layout change is a `reshard`.
    Explicit,
    /// Program of one device: shapes are per device, and no `reshard` and no partial value is left.
    Local,
}

impl Form {
    /// All forms, in the order of compilation.
    pub const ALL: [Form; 4] = [Form::Traced, Form::Planned, Form::Explicit, Form::Local];

    /// Returns the name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            Form::Traced => "traced",
            Form::Planned => "planned",
            Form::Explicit => "explicit",
            Form::Local => "local",
        }
    }

    /// Returns the form with the given name.
    pub fn from_name(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|f| f.name() == name)
    }
}

/// Memory in which a value is stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum MemorySpace {
    /// Device memory.
    #[default]
    Device,
    /// Host memory.
    Host,
}

/// A tensor of the program.
///
/// In the form `local`, a value without layout has the local type, and a value with a layout (an input, a parameter, an
/// output) has its global type. In every form, [`Value::local_type`] derives the local type from type and layout.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// Name, unique within the function.
    pub name: Name,
    /// Shape and element type.
    pub ty: Type,
    /// Layout, or `None` if it is not determined yet.
    pub layout: Option<Arc<Layout>>,
    /// Memory in which the value is stored.
    pub space: MemorySpace,
    /// For an input: true if the caller donates the buffer, so that its memory can be reused after the last use.
    pub donated: bool,
}

impl Value {
    /// Creates a value without layout in device memory.
    pub fn new(name: impl Into<Name>, ty: Type) -> Value {
        Value { name: name.into(), ty, layout: None, space: MemorySpace::Device, donated: false }
    }

    /// Returns the shape of one device's shard.
    pub fn local_shape(&self) -> Shape {
        local_shape(&self.ty.shape, self.layout.as_deref())
    }

    /// Returns the type of one device's shard.
    pub fn local_type(&self) -> Type {
        Type { shape: self.local_shape(), dtype: self.ty.dtype }
    }
}

/// Part of a training step that an op belongs to. Used for freezing, recomputation and zero-bubble schedules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum Phase {
    /// Forward pass.
    #[default]
    Forward,
    /// Forward op that the backward pass repeats, so that its result is not stored.
    Recompute,
    /// Gradient of an activation.
    BackwardInput,
    /// Gradient of a parameter.
    BackwardWeight,
    /// Optimizer update.
    Update,
}

impl Phase {
    /// All phases.
    pub const ALL: [Phase; 5] =
        [Phase::Forward, Phase::Recompute, Phase::BackwardInput, Phase::BackwardWeight, Phase::Update];

    /// Returns the name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            Phase::Forward => "forward",
            Phase::Recompute => "recompute",
            Phase::BackwardInput => "backward_input",
            Phase::BackwardWeight => "backward_weight",
            Phase::Update => "update",
        }
    }
}

/// Operands or results of an op.
pub type Values = SmallVec<[ValueId; 3]>;

/// One operation.
#[derive(Clone, PartialEq, Debug)]
pub struct Op {
    /// Operation kind with its attributes.
    pub kind: OpKind,
    /// Operands.
    pub args: Values,
    /// Results.
    pub outs: Values,
    /// Part of the training step that the op belongs to.
    pub phase: Phase,
    /// Source location and model scope.
    pub origin: Origin,
}

/// A result of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// The value that is returned.
    pub value: ValueId,
    /// User-visible name, such as `out0` or `loss`.
    pub name: Name,
    /// The input that the output replaces, such as a parameter after an update: the next run reads the output instead,
    /// which may have the memory of the input.
    pub replaces: Option<ValueId>,
}

/// A function: the main function, a loop body, or a scalar reducer or comparator.
#[derive(Clone, PartialEq, Debug)]
pub struct Func {
    /// The name in program text, without `@`.
    pub name: Name,
    /// Inputs, including parameters, in calling order.
    pub inputs: Vec<ValueId>,
    /// Outputs, in order.
    pub outputs: Vec<Output>,
    /// Operations, in topological order.
    pub(crate) body: Vec<OpId>,
}

impl Func {
    /// Creates a function from operations in topological order.
    pub fn new(name: impl Into<Name>, inputs: Vec<ValueId>, outputs: Vec<Output>, ops: Vec<OpId>) -> Func {
        Func { name: name.into(), inputs, outputs, body: ops }
    }

    /// Returns the operations of this function in topological order, without those of the functions that they call. For
    /// the operations of the complete model see [`Program::model_ops`].
    pub fn ops(&self) -> &[OpId] {
        &self.body
    }

    /// Returns the operations of this function for modification.
    pub fn ops_mut(&mut self) -> &mut Vec<OpId> {
        &mut self.body
    }

    /// Removes and returns all operations of this function.
    pub fn take_ops(&mut self) -> Vec<OpId> {
        std::mem::take(&mut self.body)
    }
}

/// Role of a parameter in training.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum ParamKind {
    /// Updated by the optimizer.
    #[default]
    Trainable,
    /// Never updated.
    Frozen,
    /// Running state, such as batch-norm statistics or optimizer moments.
    State,
    /// Fixed data.
    Const,
}

impl ParamKind {
    /// Returns the keyword in program text; empty for a trainable parameter.
    pub const fn name(self) -> &'static str {
        match self {
            ParamKind::Trainable => "",
            ParamKind::Frozen => "frozen",
            ParamKind::State => "state",
            ParamKind::Const => "const",
        }
    }
}

/// A parameter: an input of the main function with a path in the model.
#[derive(Clone, PartialEq, Debug)]
pub struct Param {
    /// Dotted path in the model (`layers.0.up.weight`), unique.
    pub path: String,
    /// Role in training.
    pub kind: ParamKind,
    /// The corresponding input of the main function.
    pub value: ValueId,
    /// For optimizer state or the scale of a quantized weight: the parameter that it belongs to.
    pub parent: Option<ParamId>,
    /// Distribution of the values before training; `None` if neither the model nor the optimizer specifies one.
    pub init: Option<Initializer>,
}

/// Prefix of the names of outputs that are comparisons with expected values: booleans that should be true. A number of
/// a line of the model follows.
pub const CHECK_PREFIX: &str = "check.";

/// Suffixes of the names of the real and the imaginary part of a complex input or output.
pub const COMPLEX_PARTS: [&str; 2] = [".re", ".im"];

/// Path prefix of all optimizer state.
pub const OPTIMIZER_PREFIX: &str = "optimizer.";

impl Param {
    /// Returns true if the parameter is optimizer state, which is not part of the model.
    pub fn is_optimizer_state(&self) -> bool {
        self.kind == ParamKind::State && (self.parent.is_some() || self.path.starts_with(OPTIMIZER_PREFIX))
    }
}

/// A tensor program.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// Stage of compilation.
    pub form: Form,
    /// Name of the source, used in messages.
    pub source: Name,
    /// Device meshes.
    pub meshes: Arena<MeshId, DeviceMesh>,
    /// Parameters.
    pub params: Arena<ParamId, Param>,
    /// True if a program without parameters is known to have none. Otherwise they are inferred, as for an imported
    /// function.
    pub has_no_params: bool,
    /// True if the program is known to be a forward model: outputs replace the parameters that they state, and none is
    /// a gradient. Otherwise both are inferred, as for an imported function.
    pub is_forward: bool,
    /// True if the passes that depend on the model alone have been run. They are not repeated: their results would get
    /// other names.
    pub is_normalised: bool,
    /// Values of all functions.
    pub values: Arena<ValueId, Value>,
    /// Operations of all functions.
    pub ops: Arena<OpId, Op>,
    /// Functions.
    pub funcs: Arena<FuncId, Func>,
    /// The entry function.
    pub(crate) main: FuncId,
}

impl Default for Program {
    /// Creates a traced program whose main function is empty.
    fn default() -> Self {
        let mut funcs = Arena::default();
        let main = funcs.push(Func { name: "main".into(), inputs: vec![], outputs: vec![], body: vec![] });
        Program {
            form: Form::Traced,
            source: Name::default(),
            meshes: Arena::default(),
            params: Arena::default(),
            has_no_params: false,
            is_forward: false,
            is_normalised: false,
            values: Arena::default(),
            ops: Arena::default(),
            funcs,
            main,
        }
    }
}

impl Program {
    /// Creates a traced program with an empty main function and the given source name.
    pub fn with_source(source: impl Into<Name>) -> Program {
        Program { source: source.into(), ..Program::default() }
    }

    /// Returns true if the program declares its parameters, or that it has none.
    pub fn declares_params(&self) -> bool {
        self.has_no_params || !self.params.is_empty()
    }

    pub(crate) fn main(&self) -> &Func {
        &self.funcs[self.main]
    }

    pub(crate) fn main_mut(&mut self) -> &mut Func {
        &mut self.funcs[self.main]
    }

    /// Returns the entry function.
    pub fn entry(&self) -> FuncId {
        self.main
    }

    /// Adds a function and makes it the entry.
    pub fn push_entry(&mut self, func: Func) {
        self.main = self.funcs.push(func);
    }

    /// Returns the operations of the entry function for modification.
    pub fn entry_ops_mut(&mut self) -> &mut Vec<OpId> {
        &mut self.main_mut().body
    }

    /// Returns the inputs of the program, including parameters, in calling order.
    pub fn inputs(&self) -> &[ValueId] {
        &self.main().inputs
    }

    /// Returns the inputs of the program for modification.
    pub fn inputs_mut(&mut self) -> &mut Vec<ValueId> {
        &mut self.main_mut().inputs
    }

    /// Returns the outputs of the program.
    pub fn outputs(&self) -> &[Output] {
        &self.main().outputs
    }

    /// Returns the outputs of the program for modification.
    pub fn outputs_mut(&mut self) -> &mut Vec<Output> {
        &mut self.main_mut().outputs
    }

    /// Returns the type of a value.
    pub fn ty(&self, value: ValueId) -> &Type {
        &self.values[value].ty
    }

    /// Adds a value without layout.
    pub fn value(&mut self, name: impl Into<Name>, ty: Type) -> ValueId {
        self.values.push(Value::new(name, ty))
    }

    /// Adds an input to the main function.
    pub fn input(&mut self, name: impl Into<Name>, ty: Type) -> ValueId {
        let value = self.value(name, ty);
        self.main_mut().inputs.push(value);
        value
    }

    /// Adds a parameter: an input of the main function with a path in the model.
    pub fn param(&mut self, name: impl Into<Name>, path: impl Into<String>, ty: Type) -> ValueId {
        let value = self.input(name, ty);
        self.params.push(Param { path: path.into(), kind: ParamKind::Trainable, value, parent: None, init: None });
        value
    }

    /// Adds an output to the main function.
    pub fn output(&mut self, name: impl Into<Name>, value: ValueId) {
        self.main_mut().outputs.push(Output { value, name: name.into(), replaces: None });
    }

    /// Returns the parameter whose value is `value`.
    pub fn param_of(&self, value: ValueId) -> Option<ParamId> {
        self.params.iter().find(|(_, p)| p.value == value).map(|(id, _)| id)
    }

    /// Returns the kind of each declared parameter by its value.
    pub fn param_kinds(&self) -> FxHashMap<ValueId, ParamKind> {
        self.params.values().map(|param| (param.value, param.kind)).collect()
    }

    /// Returns the user-visible name of an input of the main function: the path of a parameter, or the name of another
    /// value.
    pub fn path_of(&self, value: ValueId) -> &str {
        self.param_of(value).map_or(self.values[value].name.as_str(), |p| &self.params[p].path)
    }

    /// Returns the types of an op's operands.
    pub fn arg_types(&self, op: &Op) -> SmallVec<[&Type; 3]> {
        op.args.iter().map(|&v| &self.values[v].ty).collect()
    }

    /// Returns the types of an op's results.
    pub fn out_types(&self, op: &Op) -> SmallVec<[&Type; 3]> {
        op.outs.iter().map(|&v| &self.values[v].ty).collect()
    }

    /// Returns the source file and the line of an origin, if the line is known.
    pub fn source_line<'p>(&'p self, origin: &'p Origin) -> Option<(&'p str, u32)> {
        let file = if origin.file.is_empty() { &self.source } else { origin.file.as_str() };
        (origin.line > 0).then_some((file, origin.line))
    }

    /// Adds the source line of an op to an error.
    pub fn with_source_line(&self, op: &Op, error: Diagnostic) -> Diagnostic {
        match self.source_line(&op.origin) {
            Some((file, line)) => error.on_line(file, line),
            None => error,
        }
    }

    /// Adds the source line and the model scope of an op to an error.
    pub fn locate_error(&self, op: &Op, error: Diagnostic) -> Diagnostic {
        let (error, scope) = (self.with_source_line(op, error), &op.origin.scope);
        if scope.is_empty() { error } else { error.note(format!("the op is in `{scope}`")) }
    }

    /// Returns the mesh if the program has exactly one.
    pub fn mesh(&self) -> Option<(MeshId, &DeviceMesh)> {
        (self.meshes.len() == 1).then(|| self.meshes.iter().next()).flatten()
    }

    /// Returns the mesh if the layouts depend on it. A mesh of one device whose axes no layout uses can be replaced by
    /// any mesh.
    pub fn needed_mesh(&self) -> Option<(MeshId, &DeviceMesh)> {
        self.mesh().filter(|(_, mesh)| {
            mesh.device_count() > 1
                || self.values.values().filter_map(|v| v.layout.as_deref()).any(|l| l.used_axes().next().is_some())
        })
    }

    /// Returns the functions whose values have layouts, callees first: main and loop bodies, but not scalar reducers
    /// and comparators.
    pub fn funcs_with_layouts(&self) -> Vec<FuncId> {
        let order = self.callees_first();
        let mut laid_out = vec![false; self.funcs.len()];
        laid_out[self.main.index()] = true;
        for &op in order.iter().flat_map(|&f| &self.funcs[f].body) {
            if let Some(control) = self.ops[op].kind.control() {
                let Control::Loop(l) = control;
                laid_out[l.body.index()] = true;
            }
        }
        order.into_iter().filter(|f| laid_out[f.index()]).collect()
    }

    /// Returns the functions reachable from main, callees before callers and main last, as in program text. In an
    /// unverified program, a recursive function is listed once, and invalid ids are skipped.
    pub fn callees_first(&self) -> Vec<FuncId> {
        self.callees_first_from(self.main)
    }

    /// Returns the functions reachable from `root`; see [`Program::callees_first`].
    fn callees_first_from(&self, root: FuncId) -> Vec<FuncId> {
        let mut order = Vec::new();
        let mut visited = vec![false; self.funcs.len()];
        let mut todo = vec![(root, false)];
        while let Some((func, ready)) = todo.pop() {
            if ready {
                order.push(func);
            } else if let Some(f) = self.funcs.get(func)
                && !std::mem::replace(&mut visited[func.index()], true)
            {
                todo.push((func, true));
                let callees = f.body.iter().filter_map(|&op| self.ops.get(op)?.kind.func());
                todo.extend(callees.rev().map(|f| (f, false)));
            }
        }
        order
    }

    /// Returns an equal program with values, ops and functions renumbered in textual order and unused ones removed. Two
    /// programs are equivalent and print identically if and only if their compact forms are equal.
    pub fn compact(&self) -> Program {
        let mut copy = ProgramCopy::new(self);
        let mut compact = copy.empty_program();
        compact.main = copy.func(&mut compact, self.main);
        compact.params = self.params.clone();
        for param in compact.params.values_mut() {
            param.value = copy.copied(param.value).unwrap_or(param.value);
        }
        compact
    }
}

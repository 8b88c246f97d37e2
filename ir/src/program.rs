//! The program: values, operations, functions, parameters.
//!
//! Values and operations live in arenas of the whole program; a [`Func`] is a list of the operations that it runs. A
//! program is in one of five forms ([`Form`]), each with a promise of its own, checked by [`crate::verify`].

pub mod build;
pub mod class;
mod eval;
mod monoid;
pub mod op;
pub mod ops;

pub use eval::{EvalCx, Place};

use crate::arena::{Arena, FuncId, Id, MeshId, OpId, ParamId, ValueId};
use crate::diag::Diagnostic;
use crate::dtype::{Shape, Type};
use crate::initializer::Initializer;
use crate::layout::{Layout, local_shape};
use crate::mesh::Mesh;
use crate::origin::Origin;
use crate::program::class::Control;
use op::OpKind;
use smallvec::SmallVec;
use smol_str::SmolStr;
use std::sync::Arc;

/// A name in program text, without `%`.
pub type Name = SmolStr;

/// How far a program has come.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Form {
    /// Shapes known; layouts only where the user wrote them.
    Traced,
    /// Every value has a closed layout; disagreements allowed.
    Planned,
    /// Operands satisfy their op's rule; every disagreement is a `reshard`.
    Explicit,
    /// One device's program: shapes are per device, no reshard left, nothing pending.
    Local,
}

impl Form {
    /// Every form, in order.
    pub const ALL: [Form; 4] = [Form::Traced, Form::Planned, Form::Explicit, Form::Local];

    /// The name in program text.
    pub const fn name(self) -> &'static str {
        match self {
            Form::Traced => "traced",
            Form::Planned => "planned",
            Form::Explicit => "explicit",
            Form::Local => "local",
        }
    }

    /// The form of that name.
    pub fn from_name(name: &str) -> Option<Form> {
        Form::ALL.into_iter().find(|f| f.name() == name)
    }
}

/// Where a value is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Space {
    /// In the device's memory.
    #[default]
    Device,
    /// In the host's memory.
    Host,
}

/// A tensor of the program.
///
/// In the form `local`, a value without a layout is what one device holds, and a value with a layout (an input, a
/// parameter, an output) keeps its global type: the device holds [`Value::local_type`]. This is one rule for every
/// form: what a device holds follows from type and layout.
#[derive(Clone, PartialEq, Debug)]
pub struct Value {
    /// Unique in its function.
    pub name: Name,
    /// Shape and element type.
    pub ty: Type,
    /// Where it lies; `None` when nothing was said.
    pub layout: Option<Arc<Layout>>,
    /// Where it is kept.
    pub space: Space,
    /// For an input: whether the caller gives it away, so that its memory is free behind its last use.
    pub donated: bool,
}

impl Value {
    /// A value without layout, on the device.
    pub fn new(name: impl Into<Name>, ty: Type) -> Value {
        Value { name: name.into(), ty, layout: None, space: Space::Device, donated: false }
    }

    /// The shape of what one device holds.
    pub fn local_shape(&self) -> Shape {
        local_shape(&self.ty.shape, self.layout.as_deref())
    }

    /// The type of what one device holds.
    pub fn local_type(&self) -> Type {
        Type { shape: self.local_shape(), dtype: self.ty.dtype }
    }
}

/// Which part of a training step an op belongs to. Read by freezing, recompute and zero-bubble schedules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum Phase {
    /// The model itself.
    #[default]
    Forward,
    /// Forward values that are computed again in the backward pass instead of being kept.
    Recompute,
    /// Gradient of an activation.
    BackwardInput,
    /// Gradient of a parameter.
    BackwardWeight,
    /// Optimizer update.
    Update,
}

impl Phase {
    /// Every phase.
    pub const ALL: [Phase; 5] =
        [Phase::Forward, Phase::Recompute, Phase::BackwardInput, Phase::BackwardWeight, Phase::Update];

    /// The name in program text.
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
    /// What it does, with its attributes.
    pub kind: OpKind,
    /// Operands.
    pub args: Values,
    /// Results.
    pub outs: Values,
    /// Part of the training step.
    pub phase: Phase,
    /// Where it comes from.
    pub origin: Origin,
}

/// A result of a function.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// The value.
    pub value: ValueId,
    /// How users name it (`out0`, `loss`).
    pub name: Name,
    /// The parameter that it replaces, when that one is donated: the update is in place.
    pub alias: Option<ParamId>,
}

/// A function: the whole program, the body of a loop, or a scalar reducer or comparator.
#[derive(Clone, PartialEq, Debug)]
pub struct Func {
    /// The name in program text, without `@`.
    pub name: Name,
    /// Operands: parameters and inputs alike, in calling order.
    pub inputs: Vec<ValueId>,
    /// Results.
    pub outputs: Vec<Output>,
    /// Operations, operands before users.
    pub(crate) body: Vec<OpId>,
}

impl Func {
    /// A function that runs those operations, operands before users.
    pub fn new(name: impl Into<Name>, inputs: Vec<ValueId>, outputs: Vec<Output>, ops: Vec<OpId>) -> Func {
        Func { name: name.into(), inputs, outputs, body: ops }
    }

    /// The operations of this function alone, without those of functions that they run, operands before users. For all
    /// that a program computes see [`Program::model_ops`].
    pub fn ops(&self) -> &[OpId] {
        &self.body
    }

    /// The operations of this function, to be changed.
    pub fn ops_mut(&mut self) -> &mut Vec<OpId> {
        &mut self.body
    }

    /// Takes the operations out, so that a new list can be written.
    pub fn take_ops(&mut self) -> Vec<OpId> {
        std::mem::take(&mut self.body)
    }
}

/// What a parameter is to training.
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
    /// The word in program text; empty for a trainable parameter.
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
    /// What it is to training.
    pub kind: ParamKind,
    /// Its value among the main function's inputs.
    pub value: ValueId,
    /// For the state of an optimizer, or the scale of a weight: the parameter that it is kept for.
    pub of: Option<ParamId>,
    /// The distribution of its values before training; `None` when neither the model nor an optimizer states one.
    pub init: Option<Initializer>,
}

/// What the paths of all state of optimizers begin with.
pub const OPTIMIZER: &str = "optimizer.";

impl Param {
    /// Whether an optimizer keeps it: it is not part of the model.
    pub fn is_optimizer_state(&self) -> bool {
        self.kind == ParamKind::State && (self.of.is_some() || self.path.starts_with(OPTIMIZER))
    }
}

/// A tensor program.
#[derive(Clone, PartialEq, Debug)]
pub struct Program {
    /// How far it has come.
    pub form: Form,
    /// Where it was read from; a remark for messages.
    pub source: Name,
    /// Device meshes.
    pub meshes: Arena<MeshId, Mesh>,
    /// Parameters.
    pub params: Arena<ParamId, Param>,
    /// Values of all functions.
    pub values: Arena<ValueId, Value>,
    /// Operations of all functions.
    pub ops: Arena<OpId, Op>,
    /// Functions.
    pub funcs: Arena<FuncId, Func>,
    /// The function that is the program: its entry.
    pub(crate) main: FuncId,
}

impl Default for Program {
    /// A traced program whose main function does nothing.
    fn default() -> Self {
        let mut funcs = Arena::default();
        let main = funcs.push(Func { name: "main".into(), inputs: vec![], outputs: vec![], body: vec![] });
        Program {
            form: Form::Traced,
            source: Name::default(),
            meshes: Arena::default(),
            params: Arena::default(),
            values: Arena::default(),
            ops: Arena::default(),
            funcs,
            main,
        }
    }
}

impl Program {
    /// A traced program whose entry function does nothing yet, with the name of what it is read from.
    pub fn with_source(source: impl Into<Name>) -> Program {
        Program { source: source.into(), ..Program::default() }
    }

    pub(crate) fn main(&self) -> &Func {
        &self.funcs[self.main]
    }

    pub(crate) fn main_mut(&mut self) -> &mut Func {
        &mut self.funcs[self.main]
    }

    /// The entry function.
    pub fn entry(&self) -> FuncId {
        self.main
    }

    /// The operations of the entry function alone, to be changed.
    pub fn entry_ops_mut(&mut self) -> &mut Vec<OpId> {
        &mut self.main_mut().body
    }

    /// Operands of the program: parameters and inputs alike, in calling order.
    pub fn inputs(&self) -> &[ValueId] {
        &self.main().inputs
    }

    /// Operands of the program, to be changed.
    pub fn inputs_mut(&mut self) -> &mut Vec<ValueId> {
        &mut self.main_mut().inputs
    }

    /// Results of the program.
    pub fn outputs(&self) -> &[Output] {
        &self.main().outputs
    }

    /// Results of the program, to be changed.
    pub fn outputs_mut(&mut self) -> &mut Vec<Output> {
        &mut self.main_mut().outputs
    }

    /// Type of a value.
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

    /// Adds a parameter: an input of the main function with a path.
    pub fn param(&mut self, name: impl Into<Name>, path: impl Into<String>, ty: Type) -> ValueId {
        let value = self.input(name, ty);
        self.params.push(Param { path: path.into(), kind: ParamKind::Trainable, value, of: None, init: None });
        value
    }

    /// Adds a result of the main function.
    pub fn output(&mut self, name: impl Into<Name>, value: ValueId) {
        self.main_mut().outputs.push(Output { value, name: name.into(), alias: None });
    }

    /// The parameter whose value this is.
    pub fn param_of(&self, value: ValueId) -> Option<ParamId> {
        self.params.iter().find(|(_, p)| p.value == value).map(|(id, _)| id)
    }

    /// How users call an entry value of the main function: a parameter's path, else the value's name.
    pub fn path_of(&self, value: ValueId) -> &str {
        self.param_of(value).map_or(self.values[value].name.as_str(), |p| &self.params[p].path)
    }

    /// The types of an op's operands.
    pub fn arg_types(&self, op: &Op) -> SmallVec<[&Type; 3]> {
        op.args.iter().map(|&v| &self.values[v].ty).collect()
    }

    /// The types of an op's results.
    pub fn out_types(&self, op: &Op) -> SmallVec<[&Type; 3]> {
        op.outs.iter().map(|&v| &self.values[v].ty).collect()
    }

    /// An error about an op, with the place where it stands in the model.
    pub fn located(&self, op: &Op, error: Diagnostic) -> Diagnostic {
        let Origin { line, scope, .. } = &op.origin;
        let error = if *line > 0 { error.on_line(self.source.as_str(), *line) } else { error };
        if scope.is_empty() { error } else { error.note(format!("it stands in `{scope}`")) }
    }

    /// The only mesh, when there is exactly one.
    pub fn mesh(&self) -> Option<(MeshId, &Mesh)> {
        (self.meshes.len() == 1).then(|| self.meshes.iter().next()).flatten()
    }

    /// The mesh that the layouts need. A mesh of one device whose axes no layout names is not needed: any mesh may take
    /// its place.
    pub fn needed_mesh(&self) -> Option<(MeshId, &Mesh)> {
        self.mesh().filter(|(_, mesh)| {
            mesh.device_count() > 1
                || self.values.values().filter_map(|v| v.layout.as_deref()).any(|l| l.used_axes().next().is_some())
        })
    }

    /// The functions whose values have layouts, callees first: main and the bodies of loops, but not scalar reducers
    /// and comparators.
    pub fn laid_out_funcs(&self) -> Vec<FuncId> {
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

    /// The functions that the program runs, callees before callers, the main function last: the order of its text.
    /// In a program that was not verified, a function that calls itself stands where it is first met, and ids from
    /// nowhere are left out.
    pub fn callees_first(&self) -> Vec<FuncId> {
        let mut order = Vec::new();
        let mut met = vec![false; self.funcs.len()];
        let mut todo = vec![(self.main, false)];
        while let Some((func, ready)) = todo.pop() {
            if ready {
                order.push(func);
            } else if let Some(f) = self.funcs.get(func)
                && !std::mem::replace(&mut met[func.index()], true)
            {
                todo.push((func, true));
                let callees = f.body.iter().filter_map(|&op| self.ops.get(op)?.kind.func());
                todo.extend(callees.rev().map(|f| (f, false)));
            }
        }
        order
    }

    /// The same program with values, ops and functions renumbered in the order of its text, and what nobody uses
    /// dropped. Two programs mean and print the same exactly when their compact forms are equal.
    pub fn compact(&self) -> Program {
        Compactor::new(self).run()
    }
}

/// Copies the reachable part of a program in textual order: functions that ops refer to come before main.
struct Compactor<'a> {
    old: &'a Program,
    new: Program,
    values: Vec<Option<ValueId>>,
    funcs: Vec<Option<FuncId>>,
}

impl<'a> Compactor<'a> {
    fn new(old: &'a Program) -> Self {
        let new = Program {
            form: old.form,
            source: old.source.clone(),
            meshes: old.meshes.clone(),
            funcs: Arena::default(),
            ..Program::default()
        };
        Compactor { old, new, values: vec![None; old.values.len()], funcs: vec![None; old.funcs.len()] }
    }

    fn run(mut self) -> Program {
        for func in self.old.callees_first() {
            self.copy(func);
        }
        self.new.main = self.funcs[self.old.main.index()].unwrap_or(self.old.main);
        self.new.params = self.old.params.clone();
        for param in self.new.params.values_mut() {
            param.value = self.values[param.value.index()].unwrap_or(param.value);
        }
        self.new
    }

    fn copy(&mut self, id: FuncId) {
        let old = self.old;
        let func = &old.funcs[id];
        let inputs = func.inputs.iter().map(|&v| self.value(v)).collect();
        let mut body = Vec::with_capacity(func.body.len());
        for &op in &func.body {
            let op = &old.ops[op];
            let args = op.args.iter().map(|&v| self.value(v)).collect();
            let outs = op.outs.iter().map(|&v| self.value(v)).collect();
            let mut kind = op.kind.clone();
            if let Some(func) = kind.func_mut()
                && let Some(new) = self.funcs[func.index()]
            {
                *func = new;
            }
            body.push(self.new.ops.push(Op { kind, args, outs, phase: op.phase, origin: op.origin.clone() }));
        }
        let outputs = func.outputs.iter().map(|o| Output { value: self.value(o.value), ..o.clone() }).collect();
        let new = self.new.funcs.push(Func { name: func.name.clone(), inputs, outputs, body });
        self.funcs[id.index()] = Some(new);
    }

    fn value(&mut self, old: ValueId) -> ValueId {
        match self.values[old.index()] {
            Some(new) => new,
            None => {
                let new = self.new.values.push(self.old.values[old].clone());
                self.values[old.index()] = Some(new);
                new
            }
        }
    }
}

//! What an imported training step is made of, where nobody says it: which output takes the place of which input, and which part of the
//! step each op belongs to.
//!
//! An output takes the place of the input of its type that it is made from element by element (`p - rate * g`); these ops are the
//! update. What the other outputs need (the loss) is the forward pass. In front of an update stands what makes the gradient: back
//! to the product or sum that gave it the parameter's shape, that is the backward pass to weights, and what is left is the
//! backward pass to inputs.

use crate::pass::{Cx, Info, Pass};
use crate::plan::name_dims::Classes;
use crate::plan::presets::model::Model;
use partita_ir::arena::{FuncId, Id, OpId, ParamId, ValueId};
use partita_ir::diag::Diagnostic;
use partita_ir::model::ModelOp;
use partita_ir::op::OpKind;
use partita_ir::program::{Form, Op, Param, ParamKind, Phase, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// `infer-phases` (traced -> traced): gives the ops of an imported training step their phases. Nothing else changes.
///
/// Before: `%new = sub %w, %step : f32[4]`. After: `%new = sub %w, %step : f32[4] phase update`.
pub struct InferPhases;

impl Pass for InferPhases {
    fn info(&self) -> Info {
        Info { name: "infer-phases", needs: Form::Traced, gives: Form::Traced }
    }

    fn applies(&self, program: &Program, _: &Cx) -> bool {
        program.model_ops().iter().all(|o| o.op.phase == Phase::Forward) && program.main().outputs.len() > 1
    }

    fn run(&self, program: &mut Program, cx: &mut Cx) -> Result<(), Vec<Diagnostic>> {
        let replaced = replaced(program);
        if replaced.iter().all(|r| is_running(program, r.input)) {
            return Ok(());
        }
        cx.inferred_phases = true;
        let graph = Graph::of(program);
        let mut phase: Vec<Option<Phase>> = vec![None; program.ops.len()];
        let new: FxHashSet<usize> = replaced.iter().map(|r| r.output).collect();
        let outputs = &program.main().outputs;
        let others = (0..outputs.len()).filter(|i| !new.contains(i)).map(|i| outputs[i].value).collect();
        graph.walk(program, others, |op| {
            let slot = &mut phase[op.index()];
            slot.replace(Phase::Forward).is_none()
        });
        let mut gradients = Vec::new();
        let news = replaced.iter().map(|r| outputs[r.output].value).collect();
        graph.walk(program, news, |id| {
            let op = &program.ops[id];
            let free = phase[id.index()].is_none();
            if free && goes_along(op, program) {
                phase[id.index()] = Some(Phase::Update);
                return true;
            }
            if free {
                gradients.extend(op.outs.iter().copied());
            }
            false
        });
        graph.walk(program, gradients, |id| {
            if phase[id.index()].is_some() {
                return false;
            }
            phase[id.index()] = Some(Phase::BackwardWeight);
            !gives_shape(&program.ops[id].kind)
        });
        // What a loop computes is part of what the loop is part of.
        let mut of_body: FxHashMap<FuncId, Phase> = FxHashMap::default();
        let mut found: Vec<(OpId, Phase)> = Vec::new();
        for ModelOp { id, op, func, .. } in program.model_ops() {
            let own = || phase[id.index()].unwrap_or(Phase::BackwardInput);
            let of_op = of_body.get(&func).copied().unwrap_or_else(own);
            if let OpKind::Loop(l) = &op.kind {
                of_body.insert(l.body, of_op);
            }
            found.push((id, of_op));
        }
        for (id, phase) in found {
            program.ops[id].phase = phase;
        }
        Ok(())
    }
}

/// Declares the parameters of a program that has none, such as an imported function: its float inputs that have no batch.
pub fn declare_params(program: &mut Program) {
    if !program.params.is_empty() {
        return;
    }
    let found = Model::of(program, &Classes::of(program)).params;
    for value in program.main().inputs.clone().into_iter().filter(|v| found.contains(v)) {
        let path = program.values[value].name.to_string();
        program.params.push(Param { path, kind: ParamKind::Trainable, value, of: None, init: None });
    }
}

/// The same of an imported training step, which says itself what replaces what: parameters, state that is kept for them, and what it counts.
pub fn declare_step(program: &mut Program) {
    if !program.params.is_empty() {
        return;
    }
    let replaced = replaced(program);
    if replaced.is_empty() {
        return declare_params(program);
    }
    let state_of: FxHashMap<ValueId, ValueId> =
        replaced.iter().flat_map(|one| one.state.iter().map(|&state| (state, one.input))).collect();
    let outputs: FxHashMap<ValueId, usize> = replaced.iter().map(|one| (one.input, one.output)).collect();
    let mut known: FxHashMap<ValueId, ParamId> = FxHashMap::default();
    for value in program.main().inputs.clone() {
        let Some(&output) = outputs.get(&value) else { continue };
        // State stands behind what it is kept for.
        let of = state_of.get(&value).and_then(|param| known.get(param)).copied();
        let is_state = of.is_some() || program.ty(value).shape.rank() == 0;
        let kind = if is_state { ParamKind::State } else { ParamKind::Trainable };
        let path = program.values[value].name.to_string();
        let id = program.params.push(Param { path, kind, value, of, init: None });
        known.insert(value, id);
        program.main_mut().outputs[output].alias = Some(id);
    }
}

/// An input whose place an output takes.
pub struct Replaced {
    /// The input.
    pub input: ValueId,
    /// The output, by position.
    pub output: usize,
    /// Inputs whose new values the new value is made from: the state of an optimizer that is kept for a parameter.
    pub state: Vec<ValueId>,
}

/// Whether a value is state of the model itself, such as the means of a batch norm: it goes on whatever is trained, and that it
/// does makes no training step of a model.
pub fn is_running(program: &Program, value: ValueId) -> bool {
    program.param_of(value).is_some_and(|id| {
        let param = &program.params[id];
        param.kind == ParamKind::State && param.of.is_none()
    })
}

/// So many ops behind an output are looked at for the input that it takes the place of.
const DEPTH: usize = 64;

/// The inputs whose place an output takes, as the program declares it, or else as it is made. One alone is the residual of a block
/// rather than a parameter.
pub fn replaced(program: &Program) -> Vec<Replaced> {
    let main = program.main();
    let declared: Vec<Replaced> = main
        .outputs
        .iter()
        .enumerate()
        .filter_map(|(output, o)| Some(Replaced { input: program.params[o.alias?].value, output, state: Vec::new() }))
        .collect();
    if !declared.is_empty() {
        return declared;
    }
    let graph = Graph::of(program);
    let mut free: FxHashSet<ValueId> = main.inputs.iter().copied().collect();
    let mut found: Vec<Replaced> = Vec::new();
    let mut regions: Vec<Vec<ValueId>> = Vec::new();
    for (output, o) in main.outputs.iter().enumerate() {
        let ty = program.ty(o.value);
        let (mut todo, mut next) = (vec![o.value], 0);
        while next < todo.len() && next < DEPTH {
            let maker = graph.makers[todo[next].index()].map(|op| &program.ops[op]);
            next += 1;
            let Some(op) = maker.filter(|op| is_elementwise(&op.kind)) else { continue };
            let alike = op.args.iter().copied().filter(|&arg| program.ty(arg).shape == ty.shape);
            let new: Vec<ValueId> = alike.filter(|arg| !todo.contains(arg)).collect();
            todo.extend(new);
        }
        let input = todo.iter().copied().find(|v| free.contains(v) && program.ty(*v) == ty);
        if let Some(input) = input.filter(|_| todo.len() > 1) {
            free.remove(&input);
            found.push(Replaced { input, output, state: Vec::new() });
            regions.push(todo);
        }
    }
    let replaced_by: FxHashMap<ValueId, ValueId> =
        found.iter().map(|r| (main.outputs[r.output].value, r.input)).collect();
    for (one, region) in found.iter_mut().zip(&regions) {
        let made_from = region.iter().filter_map(|v| replaced_by.get(v).copied());
        one.state = made_from.filter(|input| *input != one.input).collect();
    }
    if found.len() > 1 { found } else { Vec::new() }
}

/// Who makes each value of the main function.
struct Graph {
    makers: Vec<Option<OpId>>,
}

impl Graph {
    fn of(program: &Program) -> Graph {
        let mut makers = vec![None; program.values.len()];
        // entry only: a loop makes its results of all that it is given
        for &op in &program.main().body {
            program.ops[op].outs.iter().for_each(|out| makers[out.index()] = Some(op));
        }
        Graph { makers }
    }

    /// Visits the ops that make values, and what they are made from, as long as the visitor says so.
    fn walk(&self, program: &Program, from: Vec<ValueId>, mut visit: impl FnMut(OpId) -> bool) {
        let mut todo = from;
        while let Some(value) = todo.pop() {
            if let Some(op) = self.makers[value.index()]
                && visit(op)
            {
                todo.extend(program.ops[op].args.iter().copied());
            }
        }
    }
}

fn is_elementwise(kind: &OpKind) -> bool {
    kind.is_elementwise() || matches!(kind, OpKind::Momentum(_) | OpKind::Adam(_))
}

/// Whether an op of an update: element by element, a number, or a number repeated.
fn goes_along(op: &Op, program: &Program) -> bool {
    let is_scalar = |v: &ValueId| program.ty(*v).shape.rank() == 0;
    is_elementwise(&op.kind)
        || op.args.is_empty()
        || op.outs.iter().all(is_scalar) && op.args.iter().all(is_scalar)
        || matches!(op.kind, OpKind::Broadcast(_)) && op.args.iter().all(is_scalar)
}

/// Whether the op may give a gradient the shape of its parameter: it sums over the batch.
fn gives_shape(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Reduce(op) if !op.dims.is_empty())
        || matches!(
            kind,
            OpKind::DotGeneral(_)
                | OpKind::Convolution(_)
                | OpKind::ReduceWindow(_)
                | OpKind::Scatter(_)
                | OpKind::Gather(_)
                | OpKind::SelectAndScatter(_)
                | OpKind::Loop(_)
        )
}

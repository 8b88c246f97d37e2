//! Which output of a training step takes the place of which input, where nobody says it.
//!
//! An output takes the place of the input of its type that it is made from element by element (`p - rate * g`).

use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::op::OpKind;
use partita_ir::program::{ParamKind, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// An input whose place an output takes.
pub struct Replaced {
    /// The input.
    pub input: ValueId,
    /// The output, by position.
    pub output: usize,
    /// Inputs whose new values the new value is made from: the state of an optimizer that is kept for a parameter.
    pub state: Vec<ValueId>,
}

/// Whether a value is state of the model itself, such as the means of a batch norm: it goes on whatever is trained, and
/// that it does makes no training step of a model.
pub fn is_running(program: &Program, value: ValueId) -> bool {
    program.param_of(value).is_some_and(|id| {
        let param = &program.params[id];
        param.kind == ParamKind::State && param.of.is_none()
    })
}

/// So many ops behind an output are looked at for the input that it takes the place of.
const DEPTH: usize = 64;

/// The inputs whose place an output takes, as the program declares it, or else as it is made. One alone is the residual
/// of a block rather than a parameter.
pub fn replaced(program: &Program) -> Vec<Replaced> {
    let main = &program.funcs[program.entry()];
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

/// The inputs that [are replaced](replaced), each with the value that takes its place.
pub fn updates(program: &Program) -> Vec<(ValueId, ValueId)> {
    let outputs = program.outputs();
    replaced(program).into_iter().map(|one| (one.input, outputs[one.output].value)).collect()
}

/// Who makes each value of the main function.
pub(crate) struct Graph {
    makers: Vec<Option<OpId>>,
}

impl Graph {
    /// Those of a program.
    pub(crate) fn of(program: &Program) -> Graph {
        let mut makers = vec![None; program.values.len()];
        // entry only: a loop makes its results of all that it is given
        for &op in program.funcs[program.entry()].ops() {
            program.ops[op].outs.iter().for_each(|out| makers[out.index()] = Some(op));
        }
        Graph { makers }
    }

    /// Visits the ops that make values, and what they are made from, as long as the visitor says so.
    pub(crate) fn walk(&self, program: &Program, from: Vec<ValueId>, mut visit: impl FnMut(OpId) -> bool) {
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

/// Whether an op gives each element of its result from those at the same place.
pub(crate) fn is_elementwise(kind: &OpKind) -> bool {
    kind.is_elementwise() || kind.class() == Class::Update
}

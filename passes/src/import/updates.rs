//! Inference of the input that each output of a training step replaces, if the program declares none.
//!
//! An output replaces the input of the same type that it is computed from element by element, by sums and products
//! (`p - rate * g`). A function of the input, such as `exp(p) * g`, is a gradient.

use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::class::Class;
use partita_ir::op::OpKind;
use partita_ir::ops::UnaryOp;
use partita_ir::program::{ParamKind, Program};
use rustc_hash::{FxHashMap, FxHashSet};

/// An input and the output that is its new value in the next step.
pub struct Replacement {
    /// The replaced input.
    pub input: ValueId,
    /// Index of the output.
    pub output: usize,
    /// Inputs whose new values the output is computed from: the optimizer state of a parameter.
    pub state: Vec<ValueId>,
}

/// Returns true if a value is state of the model itself, such as the running mean of a batch norm. Such state is also
/// updated without training, so its update does not indicate a training step.
pub fn is_model_state(program: &Program, value: ValueId) -> bool {
    program.param_of(value).is_some_and(|id| {
        let param = &program.params[id];
        param.kind == ParamKind::State && param.parent.is_none()
    })
}

/// Maximum number of values inspected before an output, in search of the input it replaces.
const MAX_SEARCHED_VALUES: usize = 64;

/// Returns the inputs that outputs replace, as declared by the program or else inferred. A single inferred pair is
/// rejected: it is the residual connection of a block rather than a parameter update.
pub fn replacements(program: &Program) -> Vec<Replacement> {
    let main = &program.funcs[program.entry()];
    let declared: Vec<Replacement> = main
        .outputs
        .iter()
        .enumerate()
        .filter_map(|(output, o)| {
            Some(Replacement { input: program.params[o.alias?].value, output, state: Vec::new() })
        })
        .collect();
    if !declared.is_empty() {
        return declared;
    }
    let graph = DefiningOps::new(program);
    let mut free: FxHashSet<ValueId> = main.inputs.iter().copied().collect();
    let mut found: Vec<Replacement> = Vec::new();
    let mut regions: Vec<Vec<ValueId>> = Vec::new();
    for (output, o) in main.outputs.iter().enumerate() {
        let ty = program.ty(o.value);
        let region = graph.elementwise_region(program, o.value);
        let input = region.iter().copied().find(|v| free.contains(v) && program.ty(*v) == ty);
        if let Some(input) = input.filter(|v| region.len() > 1 && graph.increments(program, o.value, *v, &region)) {
            free.remove(&input);
            found.push(Replacement { input, output, state: Vec::new() });
            regions.push(region);
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

/// Returns the inputs that [are replaced](replacements), each with the value that replaces it.
pub fn updates(program: &Program) -> Vec<(ValueId, ValueId)> {
    let outputs = program.outputs();
    replacements(program).into_iter().map(|one| (one.input, outputs[one.output].value)).collect()
}

/// Returns true if an output is computed from an input of its shape element by element, by sums and products.
pub(crate) fn is_increment(program: &Program, input: ValueId, output: ValueId) -> bool {
    let graph = DefiningOps::new(program);
    let region = graph.elementwise_region(program, output);
    region.contains(&input) && graph.increments(program, output, input, &region)
}

/// Defining op of each value of the entry function.
pub(crate) struct DefiningOps {
    ops: Vec<Option<OpId>>,
}

impl DefiningOps {
    /// Returns the defining ops of the entry function's values.
    pub(crate) fn new(program: &Program) -> DefiningOps {
        let mut ops = vec![None; program.values.len()];
        // entry only: each result of a loop is taken to depend on all its operands
        for &op in program.funcs[program.entry()].ops() {
            program.ops[op].outs.iter().for_each(|out| ops[out.index()] = Some(op));
        }
        DefiningOps { ops }
    }

    /// Returns a value and the values of its shape that it is computed from element by element.
    fn elementwise_region(&self, program: &Program, value: ValueId) -> Vec<ValueId> {
        let shape = &program.ty(value).shape;
        let (mut region, mut next) = (vec![value], 0);
        while next < region.len() && next < MAX_SEARCHED_VALUES {
            let producer = self.ops[region[next].index()].map(|op| &program.ops[op]);
            next += 1;
            let Some(op) = producer.filter(|op| is_elementwise(&op.kind)) else { continue };
            let same_shape = op.args.iter().copied().filter(|&arg| program.ty(arg).shape == *shape);
            let new: Vec<ValueId> = same_shape.filter(|arg| !region.contains(arg)).collect();
            region.extend(new);
        }
        region
    }

    /// Returns true if a value is computed from an input by ops that can be part of an increment. `region` are the
    /// values in between.
    fn increments(&self, program: &Program, value: ValueId, input: ValueId, region: &[ValueId]) -> bool {
        let (mut todo, mut next) = (vec![value], 0);
        while next < todo.len() {
            let producer = self.ops[todo[next].index()].map(|op| &program.ops[op]);
            next += 1;
            let Some(op) = producer.filter(|op| may_increment(&op.kind)) else { continue };
            let new: Vec<ValueId> =
                op.args.iter().copied().filter(|arg| region.contains(arg) && !todo.contains(arg)).collect();
            todo.extend(new);
        }
        todo.contains(&input)
    }

    /// Visits the ops that `from` depends on. The operands of an op are visited if `visit` returns true.
    pub(crate) fn walk(&self, program: &Program, from: Vec<ValueId>, mut visit: impl FnMut(OpId) -> bool) {
        let mut todo = from;
        while let Some(value) = todo.pop() {
            if let Some(op) = self.ops[value.index()]
                && visit(op)
            {
                todo.extend(program.ops[op].args.iter().copied());
            }
        }
    }
}

/// Returns true if an elementwise op may pass on the value that is incremented.
///
/// Recogniser: an input that another op reads is not replaced by the result.
fn may_increment(kind: &OpKind) -> bool {
    let is_function = matches!(kind, OpKind::Unary(u) if u.op != UnaryOp::Neg);
    is_elementwise(kind) && !is_function
}

/// Returns true if each element of an op's result depends only on the operand elements at the same index.
pub(crate) fn is_elementwise(kind: &OpKind) -> bool {
    kind.is_elementwise() || kind.class() == Class::Update
}

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

/// Returns the inputs that outputs replace: those that the program states and, unless it declares its parameters, those
/// that its structure shows.
pub fn replacements(program: &Program) -> Vec<Replacement> {
    let stated = stated_replacements(program);
    if program.declares_params() {
        return stated;
    }
    let mut found = inferred_replacements(program);
    // An importer pairs buffers and results by type, so that the structure takes precedence.
    for one in stated {
        if found.iter().all(|known| known.input != one.input && known.output != one.output) {
            found.push(one);
        }
    }
    found.sort_by_key(|one| one.output);
    found
}

/// Returns the inputs that outputs replace as the program states it, which for an imported program means only that an
/// output may have the memory of the input.
fn stated_replacements(program: &Program) -> Vec<Replacement> {
    let outputs = program.outputs().iter().enumerate();
    outputs.filter_map(|(output, o)| Some(Replacement { input: o.replaces?, output, state: Vec::new() })).collect()
}

/// Returns the inputs that outputs replace according to the structure of the program. A single pair is rejected: it is
/// the residual connection of a block rather than a parameter update. A forward model has none.
fn inferred_replacements(program: &Program) -> Vec<Replacement> {
    if program.is_forward {
        return Vec::new();
    }
    let main = &program.funcs[program.entry()];
    let graph = DefiningOps::new(program);
    let mut free: FxHashSet<ValueId> = main.inputs.iter().copied().collect();
    let donated: FxHashSet<ValueId> = main.outputs.iter().filter_map(|output| output.replaces).collect();
    let mut found: Vec<Replacement> = Vec::new();
    let mut regions: Vec<Vec<ValueId>> = Vec::new();
    for (output, o) in main.outputs.iter().enumerate() {
        let ty = program.ty(o.value);
        let region = graph.elementwise_region(program, o.value);
        // A result that has the memory of an input is not the new value of an input whose memory remains.
        let may_replace = |input: &ValueId| o.replaces.is_none() || donated.contains(input);
        let input = region.iter().copied().find(|v| free.contains(v) && program.ty(*v) == ty && may_replace(v));
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
    pairs(program, replacements(program))
}

/// Returns the inputs that outputs replace according to the structure of the program, each with the value that replaces
/// it.
pub(crate) fn inferred_updates(program: &Program) -> Vec<(ValueId, ValueId)> {
    pairs(program, inferred_replacements(program))
}

/// Returns the inputs that outputs replace as the program states it, each with the value that replaces it.
pub(crate) fn stated_updates(program: &Program) -> Vec<(ValueId, ValueId)> {
    pairs(program, stated_replacements(program))
}

fn pairs(program: &Program, replaced: Vec<Replacement>) -> Vec<(ValueId, ValueId)> {
    let outputs = program.outputs();
    replaced.into_iter().map(|one| (one.input, outputs[one.output].value)).collect()
}

/// Returns true if an output is computed from an input of its shape element by element, by sums and products.
pub(crate) fn is_increment(program: &Program, input: ValueId, output: ValueId) -> bool {
    let graph = DefiningOps::new(program);
    let region = graph.elementwise_region(program, output);
    region.contains(&input) && graph.increments(program, output, input, &region)
}

/// Defining op of each value. Each result of a loop is taken to depend on all its operands.
pub(crate) struct DefiningOps {
    ops: Vec<Option<OpId>>,
}

impl DefiningOps {
    /// Returns the defining ops of a program's values.
    pub(crate) fn new(program: &Program) -> DefiningOps {
        let mut ops = vec![None; program.values.len()];
        for func in program.funcs_with_layouts() {
            for &op in program.funcs[func].ops() {
                program.ops[op].outs.iter().for_each(|out| ops[out.index()] = Some(op));
            }
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
    match kind.class() {
        Class::Elementwise => !kind.is_composite(),
        Class::Update | Class::Layout(_) => true,
        Class::Source(_)
        | Class::Random
        | Class::Movement
        | Class::Indexing
        | Class::Product
        | Class::Attention(_)
        | Class::Reduction
        | Class::Sorting
        | Class::LinearAlgebra
        | Class::Normalisation
        | Class::Opaque(_)
        | Class::Control(_)
        | Class::Device(_)
        | Class::Collective(_) => false,
    }
}

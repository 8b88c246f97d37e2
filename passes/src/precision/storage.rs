//! Storage of weights and caches in the narrow type of a model for inference.

use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::dtype::DType;
use partita_ir::op::OpKind;
use partita_ir::program::{ParamKind, Program};
use rustc_hash::FxHashMap;

/// Gives inputs the narrow type if the only op that reads them converts them to it: weights, and inputs that an output
/// of the same name replaces, if that output is computed in the narrow type.
pub(super) fn store_narrow(program: &mut Program, narrow: DType) {
    let mut readers: Vec<usize> = vec![0; program.values.len()];
    for at in program.model_ops() {
        at.op.args.iter().for_each(|arg| readers[arg.index()] += 1);
    }
    program.outputs().iter().for_each(|output| readers[output.value.index()] += 1);
    let mut stored: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    // entry only: inputs of loops are not stored between steps
    for (id, value) in program.entry_ops().filter(|at| program.narrows(at.op)).map(|at| (at.id, at.op.args[0])) {
        let narrowed = program.ops[id].outs[0];
        if program.inputs().contains(&value) && readers[value.index()] == 1 && program.ty(narrowed).dtype == narrow {
            stored.insert(value, narrowed);
        }
    }
    let widened_from = widened_from(program, narrow);
    let carried: FxHashMap<ValueId, usize> = program.carried_inputs().into_iter().collect();
    let mut replaced: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    for value in program.inputs().to_vec() {
        let Some(&narrowed) = stored.get(&value) else { continue };
        match (program.param_of(value), carried.get(&value)) {
            (Some(param), _) if is_weight(program.params[param].kind) => {}
            (None, Some(&output)) => match widened_from.get(&program.outputs()[output].value) {
                Some(&source) => program.outputs_mut()[output].value = source,
                None => continue,
            },
            (Some(_), _) | (None, None) => continue,
        }
        program.values[value].ty.dtype = narrow;
        replaced.insert(narrowed, value);
    }
    let ops: Vec<OpId> = program.entry_ops_mut().clone();
    *program.entry_ops_mut() =
        ops.into_iter().filter(|&id| !program.ops[id].outs.iter().any(|out| replaced.contains_key(out))).collect();
    for op in program.ops.values_mut() {
        op.args.iter_mut().for_each(|arg| *arg = replaced.get(arg).copied().unwrap_or(*arg));
    }
    for output in program.outputs_mut() {
        output.value = replaced.get(&output.value).copied().unwrap_or(output.value);
    }
}

/// Returns true for weights of layers.
fn is_weight(kind: ParamKind) -> bool {
    match kind {
        ParamKind::Trainable | ParamKind::Frozen => true,
        ParamKind::State | ParamKind::Const => false,
    }
}

/// Returns, for each result of a conversion from the narrow type to `f32`, the operand.
///
/// Recogniser: a cache that is widened in another way is stored in `f32`.
fn widened_from(program: &Program, narrow: DType) -> FxHashMap<ValueId, ValueId> {
    // entry only: caches are outputs of the main function
    let widened = program.entry_ops().filter(|at| matches!(at.op.kind, OpKind::Convert(_)));
    let values = widened.map(|at| (at.op.outs[0], at.op.args[0]));
    values.filter(|(to, from)| program.ty(*to).dtype == DType::F32 && program.ty(*from).dtype == narrow).collect()
}

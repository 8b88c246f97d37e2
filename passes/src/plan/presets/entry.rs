//! What inputs are, where nobody declared it.

use super::model::{Model, Stem};
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::op::OpKind;
use partita_ir::program::Program;
use rustc_hash::FxHashSet;

/// So many ops behind an output are looked at for the input that it takes the place of.
const DEPTH: usize = 32;

/// Whether a dimension is the first one of every value that has it.
pub fn leading_everywhere(model: &Model<'_>, values: &[ValueId], stem: Stem) -> bool {
    values.iter().all(|&v| model.dim(v, stem).is_none_or(|dim| dim == 0))
}

/// The inputs of which an output is the next value, as in a training step, each with that output: it says so, or is of the
/// same type and made from the input element by element. One such input alone is the residual of a block rather than a parameter.
pub fn updates(program: &Program) -> Vec<(ValueId, ValueId)> {
    let main = program.main();
    if !program.params.is_empty() {
        let declared = main.outputs.iter().filter_map(|o| Some((program.params[o.alias?].value, o.value)));
        return declared.collect();
    }
    let mut made_by: Vec<Option<OpId>> = vec![None; program.values.len()];
    // entry only: outputs and the inputs that they replace are those of the program
    for &op in &main.body {
        program.ops[op].outs.iter().for_each(|out| made_by[out.index()] = Some(op));
    }
    let inputs: FxHashSet<ValueId> = main.inputs.iter().copied().collect();
    let mut updated: Vec<(ValueId, ValueId)> = Vec::new();
    for output in &main.outputs {
        let ty = program.ty(output.value);
        let mut todo = vec![output.value];
        let mut next = 0;
        while next < todo.len() && next < DEPTH {
            let value = todo[next];
            next += 1;
            if inputs.contains(&value) {
                if updated.iter().all(|u| u.0 != value) && program.ty(value) == ty {
                    updated.push((value, output.value));
                    break;
                }
                continue;
            }
            let Some(op) = made_by[value.index()].map(|op| &program.ops[op]) else { continue };
            if matches!(op.kind, OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Select(_) | OpKind::Convert(_)) {
                let alike = op.args.iter().filter(|&&arg| program.ty(arg).shape == ty.shape);
                let new: Vec<ValueId> = alike.copied().filter(|arg| !todo.contains(arg)).collect();
                todo.extend(new);
            }
        }
    }
    if updated.len() > 1 { updated } else { Vec::new() }
}

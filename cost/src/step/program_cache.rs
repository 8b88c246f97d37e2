//! Cache for results that depend only on the topology of a group of devices and on a program's structure: ops, phases,
//! types and shapes, but not names and elements of constants. The layers of a model usually have the same structure.

use partita_ir::arena::{Id, ValueId};
use partita_ir::class::SourceOp;
use partita_ir::program::{Op, Program};
use partita_machine::Machine;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Cached results, by a hash of the structure of a program and a number for its devices, such as [`locality_hash`].
/// Programs with equal hashes are compared.
pub(super) struct ProgramCache<'p, T> {
    results: FxHashMap<(u64, u64), Vec<(&'p Program, T)>>,
}

impl<T> Default for ProgramCache<'_, T> {
    fn default() -> Self {
        ProgramCache { results: FxHashMap::default() }
    }
}

impl<'p, T: Clone> ProgramCache<'p, T> {
    /// Returns the cached result for a program of the same structure with the same `locality`, or computes and stores
    /// it.
    pub(super) fn get_or_compute(&mut self, program: &'p Program, locality: u64, compute: impl FnOnce() -> T) -> T {
        let similar = self.results.entry((structure_hash(program), locality)).or_default();
        if let Some((_, result)) = similar.iter().find(|(known, _)| is_same_structure(known, program)) {
            return result.clone();
        }
        let result = compute();
        similar.push((program, result.clone()));
        result
    }
}

/// Returns a hash of the topology of a group of devices: node kinds, which devices share a node, and their indices
/// within the nodes.
pub(super) fn locality_hash(machine: &Machine, devices: &[usize]) -> u64 {
    let mut hasher = FxHasher::default();
    let mut nodes: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for &device in devices {
        if let Some((kind, number, local)) = machine.locate_device(device) {
            let next = nodes.len();
            (kind, *nodes.entry((kind, number)).or_insert(next), local).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Returns a hash of the ops of a program with their phases, and of the local types of inputs and results.
fn structure_hash(program: &Program) -> u64 {
    let mut hasher = FxHasher::default();
    let value = |hasher: &mut FxHasher, id: ValueId| program.values[id].local_type().hash(hasher);
    for func in program.funcs_with_layouts() {
        let func = &program.funcs[func];
        (func.inputs.len(), func.ops().len(), func.outputs.len()).hash(&mut hasher);
        func.inputs.iter().for_each(|&input| value(&mut hasher, input));
        for op in func.ops().iter().map(|&op| &program.ops[op]) {
            (op.kind.text_name(), op.phase, op.args.len()).hash(&mut hasher);
            op.outs.iter().for_each(|&out| value(&mut hasher, out));
        }
    }
    hasher.finish()
}

/// Returns true if two programs differ only in names and elements of constants.
fn is_same_structure(a: &Program, b: &Program) -> bool {
    let funcs = [a, b].map(Program::funcs_with_layouts);
    let mut values = ValuePairs { a, b, of_a: vec![None; a.values.len()], of_b: vec![None; b.values.len()] };
    funcs[0].len() == funcs[1].len()
        && funcs[0].iter().zip(&funcs[1]).all(|(&x, &y)| {
            let (x, y) = (&a.funcs[x], &b.funcs[y]);
            let mut ops = x.ops().iter().zip(y.ops()).map(|(&x, &y)| (&a.ops[x], &b.ops[y]));
            let outputs = || x.outputs.iter().map(|o| o.value).zip(y.outputs.iter().map(|o| o.value));
            (x.inputs.len(), x.ops().len(), x.outputs.len()) == (y.inputs.len(), y.ops().len(), y.outputs.len())
                && x.inputs.iter().zip(&y.inputs).all(|(&x, &y)| values.agree(x, y))
                && ops.all(|(x, y)| {
                    (x.phase, x.args.len(), x.outs.len()) == (y.phase, y.args.len(), y.outs.len())
                        && is_same_kind(x, y)
                        && x.args
                            .iter()
                            .chain(&x.outs)
                            .zip(y.args.iter().chain(&y.outs))
                            .all(|(&x, &y)| values.agree(x, y))
                })
                && outputs().all(|(x, y)| values.agree(x, y))
        })
}

/// Returns true if two ops have the same attributes. The elements of a constant do not affect the result.
///
/// Recogniser: ops that are not both constants are compared.
fn is_same_kind(a: &Op, b: &Op) -> bool {
    match (a.kind.source(), b.kind.source()) {
        (Some(SourceOp::Constant(_)), Some(SourceOp::Constant(_))) => true,
        (Some(SourceOp::Constant(_)), Some(SourceOp::Iota(_)) | None)
        | (Some(SourceOp::Iota(_)) | None, Some(SourceOp::Constant(_) | SourceOp::Iota(_)) | None) => a.kind == b.kind,
    }
}

/// Values of two programs that occur at the same places.
struct ValuePairs<'p> {
    a: &'p Program,
    b: &'p Program,
    of_a: Vec<Option<ValueId>>,
    of_b: Vec<Option<ValueId>>,
}

impl ValuePairs<'_> {
    /// Returns true if two values have always occurred together, or if they occur for the first time and have the same
    /// local type.
    fn agree(&mut self, x: ValueId, y: ValueId) -> bool {
        match (self.of_a[x.index()], self.of_b[y.index()]) {
            (Some(known_y), Some(known_x)) => known_y == y && known_x == x,
            (None, None) => {
                (self.of_a[x.index()], self.of_b[y.index()]) = (Some(y), Some(x));
                self.a.values[x].local_type() == self.b.values[y].local_type()
            }
            (Some(_), None) | (None, Some(_)) => false,
        }
    }
}

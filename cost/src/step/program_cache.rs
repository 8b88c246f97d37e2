//! Cache for results that depend only on the topology of a group of devices and on a program's structure: ops, phases,
//! types and shapes, but not names and elements of constants. The layers of a model usually have the same structure.

use partita_ir::class::SourceOp;
use partita_ir::program::{Program, Value};
use partita_machine::Machine;
use rustc_hash::{FxHashMap, FxHasher};
use std::fmt::Write;
use std::hash::{Hash, Hasher};

/// Cached results, keyed by the canonical text of a program and by a number for its devices, such as [`locality_hash`].
pub(super) struct ProgramCache<T> {
    results: FxHashMap<(String, u64), T>,
}

impl<T> Default for ProgramCache<T> {
    fn default() -> ProgramCache<T> {
        ProgramCache { results: FxHashMap::default() }
    }
}

impl<T: Clone> ProgramCache<T> {
    /// Returns the cached result for a program of the same structure with the same `locality`, or computes and stores
    /// it.
    pub(super) fn get_or_compute(&mut self, program: &Program, locality: u64, compute: impl FnOnce() -> T) -> T {
        self.results.entry((canonical_text(program), locality)).or_insert_with(compute).clone()
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

/// Returns the canonical text of a program without names: for each function its ops with phase and attributes, and
/// operands and results by number and type.
fn canonical_text(program: &Program) -> String {
    let mut text = String::new();
    let mut numbers: FxHashMap<_, usize> = FxHashMap::default();
    for func in program.funcs_with_layouts() {
        let func = &program.funcs[func];
        let mut value = |text: &mut String, id| {
            let next = numbers.len();
            let number = *numbers.entry(id).or_insert(next);
            let value: &Value = &program.values[id];
            // The first occurrence of a value includes its type.
            let _ = if number == next {
                let ty = value.local_type();
                write!(text, " {number}:{:?}{:?}", ty.dtype, ty.shape)
            } else {
                write!(text, " {number}")
            };
        };
        func.inputs.iter().for_each(|&input| value(&mut text, input));
        for op in func.ops().iter().map(|&op| &program.ops[op]) {
            let _ = match op.kind.source() {
                // The elements of a constant do not affect the result.
                Some(SourceOp::Constant(_)) => write!(text, "\nconstant"),
                Some(SourceOp::Iota(_)) | None => write!(text, "\n{:?} {:?}", op.phase, op.kind),
            };
            op.args.iter().chain(&op.outs).for_each(|&v| value(&mut text, v));
        }
        text.push_str("\n=");
        func.outputs.iter().for_each(|output| value(&mut text, output.value));
    }
    text
}

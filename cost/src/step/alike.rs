//! Programs that are alike: the same ops on values of the same types, whatever anything is called. Layers of a model
//! are, and what is known of one is known of all.

use partita_ir::class::SourceOp;
use partita_ir::program::{Program, Value};
use partita_machine::Machine;
use rustc_hash::{FxHashMap, FxHasher};
use std::fmt::Write;
use std::hash::{Hash, Hasher};

/// What is known of programs at a place.
pub(super) struct Alike<T> {
    known: FxHashMap<(String, u64), T>,
}

impl<T> Default for Alike<T> {
    fn default() -> Alike<T> {
        Alike { known: FxHashMap::default() }
    }
}

impl<T: Clone> Alike<T> {
    /// What `find` says of a program, which is asked once for those that are alike and at the same place.
    pub(super) fn once(&mut self, program: &Program, place: u64, find: impl FnOnce() -> T) -> T {
        self.known.entry((essence(program), place)).or_insert_with(find).clone()
    }
}

/// What devices see of a machine, as a number: kinds of nodes, and which devices are in one node together.
pub(super) fn place(machine: &Machine, devices: &[usize]) -> u64 {
    let mut hasher = FxHasher::default();
    let mut nodes: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for &device in devices {
        if let Some((kind, number, local)) = machine.place_of(device) {
            let next = nodes.len();
            (kind, *nodes.entry((kind, number)).or_insert(next), local).hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// A program without names: by function its ops with attributes, operands and results by number and type.
fn essence(program: &Program) -> String {
    let mut text = String::new();
    let mut numbers: FxHashMap<_, usize> = FxHashMap::default();
    for func in program.laid_out_funcs() {
        let func = &program.funcs[func];
        let mut value = |text: &mut String, id| {
            let next = numbers.len();
            let number = *numbers.entry(id).or_insert(next);
            let value: &Value = &program.values[id];
            // What is met for the first time says its type.
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
                // What is in it does not matter.
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

//! Functions of the data of the whole batch, which are computed once, before the loop.
//!
//! A mean over the tokens that a mask selects is divided by the number of these tokens in the batch. This number
//! depends on data alone, but on the data of all micro-batches.

use crate::planning::presets::model::{ModelStructure, Stem};
use crate::training::batch_sums::{is_repeatable, known_inputs};
use partita_ir::arena::{Id, OpId, ValueId};
use partita_ir::build::Builder;
use partita_ir::program::Program;
use rustc_hash::{FxHashMap, FxHashSet};

/// The ops of the main function that are computed before the loop.
#[derive(Default)]
pub(super) struct BeforeLoop {
    /// Values that micro-batches read: functions of the data of the batch without a batch dimension.
    values: Vec<ValueId>,
    /// Ops that compute these values, in order.
    ops: Vec<OpId>,
    /// Ops of the main function that the micro-batches do not contain.
    removed: FxHashSet<OpId>,
}

impl BeforeLoop {
    /// Returns the values of a program with this batch dimension, and their ops.
    pub(super) fn new(model: &ModelStructure<'_>, batch: Stem) -> BeforeLoop {
        let program = model.program;
        let (of_results, _) = ops_read(program, &FxHashSet::default());
        let (mut of_data, mut of_batch) = (vec![false; program.values.len()], vec![false; program.values.len()]);
        for input in known_inputs(model) {
            of_data[input.index()] = true;
            of_batch[input.index()] = model.has_stem(input, batch);
        }
        let (mut is_complete, mut wanted) = (FxHashSet::default(), FxHashSet::default());
        let mut ops_of_data: Vec<OpId> = Vec::new();
        for &id in &of_results {
            let op = &program.ops[id];
            if !is_repeatable(&op.kind) || !op.args.iter().all(|arg| of_data[arg.index()]) {
                wanted.extend(op.args.iter().filter(|arg| of_data[arg.index()]));
                continue;
            }
            ops_of_data.push(id);
            let reads_batch = op.args.iter().any(|arg| of_batch[arg.index()]);
            for &out in &op.outs {
                // A mask of random numbers has the batch without reading it.
                (of_data[out.index()], of_batch[out.index()]) = (true, reads_batch || model.has_stem(out, batch));
            }
            if reads_batch && op.outs.iter().all(|&out| !model.has_stem(out, batch)) {
                is_complete.extend(&op.outs);
            }
        }
        // A sum over the batch that only results of data depend on may be computed by parts.
        for &id in ops_of_data.iter().rev() {
            let op = &program.ops[id];
            if op.outs.iter().any(|out| wanted.contains(out) && !is_complete.contains(out)) {
                wanted.extend(&op.args);
            }
        }
        let mut is_before: FxHashSet<ValueId> = is_complete.intersection(&wanted).copied().collect();
        if is_before.is_empty() {
            return BeforeLoop::default();
        }
        // An op is not divided.
        let results = of_results.iter().map(|&id| &program.ops[id].outs);
        let others = results.filter(|outs| outs.iter().any(|out| is_before.contains(out))).flatten();
        is_before.extend(others.copied().collect::<Vec<ValueId>>());
        let (in_loop, read) = ops_read(program, &is_before);
        let in_loop: FxHashSet<OpId> = in_loop.into_iter().collect();
        let results = of_results.iter().flat_map(|&id| &program.ops[id].outs);
        let values: Vec<ValueId> =
            results.copied().filter(|out| is_before.contains(out) && read.contains(out)).collect();
        let mut needed: FxHashSet<ValueId> = values.iter().copied().collect();
        let mut ops = Vec::new();
        for &id in of_results.iter().rev() {
            let op = &program.ops[id];
            if op.outs.iter().any(|out| needed.contains(out)) {
                needed.extend(&op.args);
                ops.push(id);
            }
        }
        ops.reverse();
        let removed = of_results.into_iter().filter(|op| !in_loop.contains(op)).collect();
        BeforeLoop { values, ops, removed }
    }

    /// Returns true if the micro-batches contain an op.
    pub(super) fn is_in_loop(&self, op: OpId) -> bool {
        !self.removed.contains(&op)
    }

    /// Makes the values inputs of the program of a micro-batch. Returns their number.
    pub(super) fn make_inputs(&self, program: &mut Program) -> usize {
        program.entry_ops_mut().retain(|op| !self.removed.contains(op));
        program.inputs_mut().extend(&self.values);
        self.values.len()
    }

    /// Appends the ops, and returns the result for each value.
    pub(super) fn append(&self, b: &mut Builder<'_>) -> FxHashMap<ValueId, ValueId> {
        let of_loop = (b.phase, b.origin.clone());
        let mut copies: FxHashMap<ValueId, ValueId> = FxHashMap::default();
        for &id in &self.ops {
            let op = b.program.ops[id].clone();
            (b.phase, b.origin) = (op.phase, op.origin.clone());
            let args: Vec<ValueId> = op.args.iter().map(|arg| copies.get(arg).copied().unwrap_or(*arg)).collect();
            let outs = op.outs.iter().map(|&out| {
                let name = b.fresh(op.kind.name());
                let copy = b.program.value(name, b.program.ty(out).clone());
                copies.insert(out, copy);
                copy
            });
            let outs = outs.collect();
            b.push(op.kind, &args, outs);
        }
        (b.phase, b.origin) = of_loop;
        copies
    }
}

/// Returns the ops of the main function that its results are computed from if `inputs` are inputs, in order, and the
/// values that they and the results read.
fn ops_read(program: &Program, inputs: &FxHashSet<ValueId>) -> (Vec<OpId>, FxHashSet<ValueId>) {
    let mut read: FxHashSet<ValueId> = program.outputs().iter().map(|output| output.value).collect();
    let mut ops = Vec::new();
    // entry only: the loop contains the ops of the main function
    for &id in program.funcs[program.entry()].ops().iter().rev() {
        let op = &program.ops[id];
        if op.outs.iter().any(|out| read.contains(out) && !inputs.contains(out)) {
            read.extend(&op.args);
            ops.push(id);
        }
    }
    ops.reverse();
    (ops, read)
}

//! The ops of a training step that run once, after the loop over micro-batches: the update and everything
//! that depends on complete gradients.

use crate::training::batch_sums::{BatchState, BatchStates};
use partita_ir::arena::{OpId, ValueId};
use partita_ir::program::{Op, Program};
use rustc_hash::FxHashSet;

/// Ops that run once, after the loop over micro-batches.
pub(super) struct AfterLoop {
    /// The ops in program order, including functions of parameters that they read or the program returns.
    pub(super) ops: Vec<OpId>,
    /// Results of the loop, in program order: values that the loop computes and that `ops` read or the program returns.
    pub(super) reads: Vec<ValueId>,
    /// An input with its batch dimension, which is divided.
    pub(super) batch: Option<(ValueId, usize)>,
}

impl AfterLoop {
    /// Returns the ops of a program that run after its loop. Unless it is a training step, these are functions of
    /// parameters only, which are also computed in the loop where it reads them, as are sums of data that are known in
    /// advance. There are none if the program has no batch dimension, or if the computation of examples depends on the
    /// update.
    pub(super) fn from_program(program: &Program, is_step: bool) -> AfterLoop {
        let Some(states) = BatchStates::new(program) else {
            let reads = program.outputs().iter().map(|output| output.value).collect();
            return AfterLoop { ops: Vec::new(), reads, batch: None };
        };
        // entry only: a nested loop runs entirely within an iteration, or entirely after the loop
        let body = program.funcs[program.entry()].ops();
        let runs_after = |op: &Op| is_step && states.is(op, BatchState::CompleteSum);
        let mut read: FxHashSet<ValueId> = program.outputs().iter().map(|output| output.value).collect();
        let (mut ops, mut reads) = (Vec::new(), Vec::new());
        for &id in body.iter().rev() {
            let op = &program.ops[id];
            let is_read = op.outs.iter().any(|out| read.contains(out));
            if runs_after(op) || (is_read && states.is_known_before(op)) {
                ops.push(id);
                read.extend(&op.args);
            } else {
                reads.extend(op.outs.iter().copied().filter(|out| read.contains(out)));
            }
        }
        ops.reverse();
        reads.reverse();
        AfterLoop { ops, reads, batch: states.batch }
    }
}

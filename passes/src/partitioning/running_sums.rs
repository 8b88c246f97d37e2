//! Loop accumulators: carried values that start at zero and are only added to.
//!
//! Such a sum may be carried partial. A partial zero is zero, and each iteration adds partial summands, so that devices
//! reduce the accumulated sum once after the loop instead of each summand.
//!
//! `%acc` of `func @body(%acc) { ..., %next = add %acc, %part, return %next }` is an accumulator if every loop of
//! `@body` passes a constant zero for it, and `%acc` and `%next` have no other reader in the body. The body may add
//! several summands, one after the other, as for a weight that it uses more than once. A stack, in which each iteration
//! replaces a slice by its summand (`dynamic_update_slice %acc, %part, ...`), can be an accumulator, too: that op is
//! linear in both operands. The gradients of layers that a loop applies are stacks.

use super::axis_assignments::splat;
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::op::OpKind;
use partita_ir::ops::{Binary, BinaryOp};
use partita_ir::program::{Func, Program};
use partita_ir::tensor::Scalar;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// An accumulator of a loop body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunningSum {
    /// Index among the carried values.
    pub position: usize,
    /// Sum before the iteration.
    pub carried_in: ValueId,
    /// Sum after the iteration.
    pub carried_out: ValueId,
    /// The additions of the iteration, or the updates of slices, in order, each with its summand.
    pub steps: SmallVec<[(OpId, ValueId); 1]>,
    /// Minimum number of iterations of any loop of the body.
    pub min_trips: u64,
}

impl RunningSum {
    /// Returns the summand of the iteration, if there is only one.
    pub fn only_summand(&self) -> Option<ValueId> {
        if let [(_, summand)] = self.steps[..] { Some(summand) } else { None }
    }
}

/// Accumulators of all loop bodies.
#[derive(Default)]
pub struct RunningSums {
    by_body: FxHashMap<FuncId, Vec<RunningSum>>,
}

impl RunningSums {
    /// Returns the accumulators of a program that are only added to.
    pub fn new(program: &Program) -> RunningSums {
        RunningSums::with_ops(program, false)
    }

    /// Returns the accumulators of a program, including stacks.
    pub fn with_stacks(program: &Program) -> RunningSums {
        RunningSums::with_ops(program, true)
    }

    fn with_ops(program: &Program, has_stacks: bool) -> RunningSums {
        let mut splats: Vec<Option<Scalar>> = vec![None; program.values.len()];
        let funcs = program.funcs_with_layouts();
        for op in funcs.iter().flat_map(|&func| program.funcs[func].ops()).map(|&op| &program.ops[op]) {
            for out in &op.outs {
                splats[out.index()] = splat(program, op, &splats);
            }
        }
        let mut by_body: FxHashMap<FuncId, Vec<RunningSum>> = FxHashMap::default();
        let calls = funcs.iter().flat_map(|&func| program.funcs[func].ops()).map(|&op| &program.ops[op]);
        for op in calls {
            let Some(func) = op.kind.func() else { continue };
            let sums = by_body.entry(func).or_insert_with(|| accumulators(program, &program.funcs[func], has_stacks));
            match op.kind.control() {
                Some(Control::Loop(l)) if l.is_while() => sums.clear(),
                Some(Control::Loop(l)) => {
                    let is_zero = |v: &ValueId| splats[v.index()].is_some_and(Scalar::is_zero);
                    sums.retain(|sum| op.args.get(sum.position).is_some_and(is_zero));
                    sums.iter_mut().for_each(|sum| sum.min_trips = sum.min_trips.min(l.trip));
                }
                None => sums.clear(),
            }
        }
        RunningSums { by_body }
    }

    /// Returns the accumulators of one function, by position.
    pub fn within(&self, func: FuncId) -> &[RunningSum] {
        self.by_body.get(&func).map_or(&[], |sums| sums)
    }
}

/// Returns the carried values that a body only adds to, or of which it only replaces slices if `has_stacks` is true,
/// regardless of their initial value.
///
/// Recogniser: a sum in another form is carried reduced.
fn accumulators(program: &Program, body: &Func, has_stacks: bool) -> Vec<RunningSum> {
    let mut reads: FxHashMap<ValueId, u32> = FxHashMap::default();
    let mut readers: FxHashMap<ValueId, OpId> = FxHashMap::default();
    for &id in body.ops() {
        for &arg in &program.ops[id].args {
            *reads.entry(arg).or_default() += 1;
            readers.insert(arg, id);
        }
    }
    body.outputs.iter().for_each(|o| *reads.entry(o.value).or_default() += 1);
    // Returns the result of the only reader of `sum`, and its summand.
    let step = |sum: ValueId| {
        let &id = readers.get(&sum).filter(|_| reads[&sum] == 1)?;
        let op = &program.ops[id];
        let summand = match (&op.kind, &op.args[..]) {
            (OpKind::Binary(Binary { op: BinaryOp::Add }), &[a, b]) => [a, b][usize::from(a == sum)],
            (OpKind::DynamicUpdateSlice(_), &[stack, slice, ..]) if has_stacks && stack == sum => slice,
            _ => return None,
        };
        Some((op.outs[0], (id, summand)))
    };
    let ends = body.inputs.iter().zip(&body.outputs).enumerate();
    let sums = ends.filter_map(|(position, (&carried_in, output))| {
        let (mut steps, mut sum) = (SmallVec::new(), carried_in);
        while sum != output.value {
            let (next, added) = step(sum)?;
            steps.push(added);
            sum = next;
        }
        let is_sum = !steps.is_empty() && reads[&sum] == 1;
        is_sum.then_some(RunningSum { position, carried_in, carried_out: sum, steps, min_trips: u64::MAX })
    });
    sums.collect()
}

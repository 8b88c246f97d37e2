//! Peak memory of one device, computed from live ranges.
//!
//! Parameters and inputs belong to the caller and stay allocated for the entire run, except those that are donated or
//! that an output replaces. A result is live from its op to its last use, and an output until the end. Operands and
//! results of a running op are both live, with one exception: an elementwise op writes its result into the buffer of an
//! operand of the same size whose last use it is, and an optimizer update does so for all its results. A loop passes
//! operands whose last use it is to its body; of all others the body uses copies. Loop-invariant operands, such as
//! parameters, are read in place.

use partita_ir::arena::{FuncId, ValueId};
use partita_ir::class::Control;
use partita_ir::liveness::{LiveRange, Liveness};
use partita_ir::op::OpKind;
use partita_ir::program::{Func, Op, ParamKind, Phase, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// Peak memory of one device.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Peak {
    /// Peak in bytes.
    pub bytes: u64,
    /// Bytes of all parameters and inputs.
    pub entry_bytes: u64,
    /// Live values at the peak, in descending order of size. An operand whose buffer is reused is omitted in favour of
    /// the result. If the peak is within a loop, the values of its body are included.
    pub values: Vec<ValueId>,
    /// Position of the op in the main function at which the peak occurs, counted from 1. 0 is before the first op.
    pub point: usize,
}

/// Returns the peak memory of a program. For explicit and local programs this is the peak of one device.
pub fn peak(program: &Program) -> Peak {
    // Callees first: the peak of a loop requires the peak of its body.
    let mut done: FxHashMap<FuncId, Peak> = FxHashMap::default();
    for func in program.funcs_with_layouts() {
        let peak = PeakWalk::new(program, func, &done).peak();
        done.insert(func, peak);
    }
    let mut peak = done.remove(&program.entry()).unwrap_or_default();
    peak.values.sort_by_key(|&v| Reverse(local_bytes(program, v)));
    peak
}

/// Memory of one device in a training step, by kind. These are sums of sizes; [`peak`] returns the bytes that are live
/// simultaneously.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MemoryByKind {
    /// Bytes of parameters, trainable or frozen.
    pub parameters: u64,
    /// Bytes of optimizer state.
    pub state: u64,
    /// Bytes of forward values that do not depend on the input data and that later phases read, such as low-precision
    /// copies of parameters.
    pub copies: u64,
    /// Bytes of parameter gradients at the start of the update.
    pub gradients: u64,
    /// Bytes of forward values that depend on the input data and are saved for the backward pass.
    pub activations: u64,
}

/// Returns the memory of one device for an explicit or local program, by kind. `params` contains the kinds of the
/// inputs that are parameters or their state.
pub fn memory_by_kind(program: &Program, params: &FxHashMap<ValueId, ParamKind>) -> MemoryByKind {
    let mut totals = MemoryByKind::default();
    for &input in program.inputs() {
        let counter = match params.get(&input) {
            Some(ParamKind::State) => &mut totals.state,
            Some(ParamKind::Trainable | ParamKind::Frozen | ParamKind::Const) => &mut totals.parameters,
            None => continue,
        };
        *counter = counter.saturating_add(local_bytes(program, input));
    }
    let data = data_dependent_values(program, params);
    for func in program.funcs_with_layouts() {
        count_saved_values(program, func, &data, &mut totals);
    }
    totals
}

/// Adds the sizes of a function's values that a later phase reads.
fn count_saved_values(program: &Program, func: FuncId, data: &FxHashSet<ValueId>, totals: &mut MemoryByKind) {
    // The phase that defines each value, and true if the definition precedes the update phase.
    let mut definitions: FxHashMap<ValueId, (Phase, bool)> = FxHashMap::default();
    let mut seen: FxHashSet<ValueId> = FxHashSet::default();
    let mut in_update = false;
    for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
        in_update |= op.phase == Phase::Update;
        for &arg in &op.args {
            let Some(&(made, before)) = definitions.get(&arg) else { continue };
            let counter = match made {
                Phase::Forward if op.phase == Phase::Forward => continue,
                Phase::Forward if data.contains(&arg) => &mut totals.activations,
                Phase::Forward => &mut totals.copies,
                Phase::BackwardInput | Phase::BackwardWeight if before && in_update => &mut totals.gradients,
                _ => continue,
            };
            if seen.insert(arg) {
                *counter = counter.saturating_add(local_bytes(program, arg));
            }
        }
        definitions.extend(op.outs.iter().map(|&out| (out, (op.phase, !in_update))));
    }
}

/// Returns the values that depend on inputs other than parameters.
fn data_dependent_values(program: &Program, params: &FxHashMap<ValueId, ParamKind>) -> FxHashSet<ValueId> {
    let mut data: FxHashSet<ValueId> = program.inputs().iter().copied().filter(|v| !params.contains_key(v)).collect();
    // Callers first: the operands of a loop are classified before its body is visited.
    for func in program.funcs_with_layouts().into_iter().rev() {
        for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
            if let Some(control) = op.kind.control() {
                let Control::Loop(l) = control;
                let given = program.funcs[l.body].inputs.iter().zip(&op.args);
                let given: Vec<ValueId> = given.filter(|(_, arg)| data.contains(arg)).map(|(&v, _)| v).collect();
                data.extend(given);
            }
            if op.args.iter().any(|v| data.contains(v)) {
                data.extend(op.outs.iter().copied());
            }
        }
    }
    data
}

/// Returns the bytes of a value's shard on one device.
pub fn local_bytes(program: &Program, value: ValueId) -> u64 {
    program.values[value].local_type().bytes()
}

/// Computes the peak memory of one function.
struct PeakWalk<'a> {
    program: &'a Program,
    func: &'a Func,
    live: Liveness,
    /// Peaks of loop bodies.
    done: &'a FxHashMap<FuncId, Peak>,
    /// Inputs that belong to the caller and are never freed.
    pinned: FxHashSet<ValueId>,
    /// Loop-invariant inputs of a loop body. Their memory is counted in the caller.
    shared: FxHashSet<ValueId>,
}

impl<'a> PeakWalk<'a> {
    fn new(program: &'a Program, id: FuncId, done: &'a FxHashMap<FuncId, Peak>) -> PeakWalk<'a> {
        let func = &program.funcs[id];
        let mut pinned = FxHashSet::default();
        if id == program.entry() {
            pinned.extend(func.inputs.iter().copied());
            pinned.retain(|v| !program.values[*v].donated);
            func.outputs.iter().filter_map(|output| output.replaces).for_each(|input| {
                pinned.remove(&input);
            });
        }
        let mut shared = FxHashSet::default();
        if id != program.entry() {
            shared.extend(loop_invariants(func).filter_map(|(input, same)| same.then_some(input)));
        }
        PeakWalk { program, func, live: Liveness::new(program, id), done, pinned, shared }
    }

    /// Returns the total bytes of several values, in `u128` so that the sum cannot overflow.
    fn sum<'v>(&self, values: impl IntoIterator<Item = &'v ValueId>) -> u128 {
        let own = values.into_iter().filter(|v| !self.shared.contains(v));
        own.map(|&v| u128::from(local_bytes(self.program, v))).sum()
    }

    fn peak(&self) -> Peak {
        let entry = self.sum(&self.func.inputs);
        let (mut peak_bytes, mut peak_point) = (entry, 0);
        let mut alive = entry - self.sum(self.freed_after(0));
        for (point, &op) in (1..).zip(self.func.ops()) {
            let op = &self.program.ops[op];
            let needed = self.body_peak(op).map_or_else(|| self.sum(&op.outs), |body| body.bytes.into());
            let during = alive + needed - self.sum(&self.reused_operands(op, point));
            if during > peak_bytes {
                (peak_bytes, peak_point) = (during, point);
            }
            alive = alive + self.sum(&op.outs) - self.sum(self.freed_after(point));
        }
        let saturated = |bytes: u128| u64::try_from(bytes).unwrap_or(u64::MAX);
        let values = self.live_values_at(peak_point);
        Peak { bytes: saturated(peak_bytes), entry_bytes: saturated(entry), values, point: peak_point }
    }

    /// Returns the values whose buffers are freed after the op at `point`.
    fn freed_after(&self, point: usize) -> impl Iterator<Item = &ValueId> {
        self.live.dying_at(point).iter().filter(|v| !self.pinned.contains(v))
    }

    /// Returns the peak of the loop body that an op runs, if the op is a loop.
    fn body_peak(&self, op: &Op) -> Option<&'a Peak> {
        let Control::Loop(l) = op.kind.control()?;
        self.done.get(&l.body)
    }

    /// Returns the operands whose buffers an op reuses: for a loop, all loop-carried operands that die at `point`; for
    /// an elementwise op, the first dying operand of the same size as each result.
    fn reused_operands(&self, op: &Op, point: usize) -> Vec<ValueId> {
        let mut dying: Vec<ValueId> = self.freed_after(point).copied().filter(|v| op.args.contains(v)).collect();
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            let operands = op.args.iter().zip(loop_invariants(&self.program.funcs[l.body]));
            let same: FxHashSet<ValueId> = operands.filter_map(|(&arg, (_, same))| same.then_some(arg)).collect();
            dying.retain(|v| !same.contains(v));
        } else {
            // One operand buffer per result.
            let mut results: Vec<u64> = op.outs.iter().map(|&v| local_bytes(self.program, v)).collect();
            dying.retain(|&v| {
                let size = local_bytes(self.program, v);
                let fits = results.iter().position(|&r| r == size).filter(|_| is_elementwise(&op.kind));
                fits.is_some_and(|at| results.swap_remove(at) == size)
            });
        }
        dying
    }

    /// Returns the live values while the op at `point` runs, including those of a loop body at its peak.
    fn live_values_at(&self, point: usize) -> Vec<ValueId> {
        let op = point.checked_sub(1).and_then(|i| self.func.ops().get(i)).map(|&op| &self.program.ops[op]);
        let reused_operands = op.map_or(Vec::new(), |op| self.reused_operands(op, point));
        let inner = op.and_then(|op| self.body_peak(op));
        let alive = |(&value, range): (&ValueId, &LiveRange)| {
            let is_live = range.from <= point && (point <= range.to || self.pinned.contains(&value));
            // The results of a loop are represented by the values of its body.
            let made_inside = inner.is_some() && range.from == point;
            let is_own = !reused_operands.contains(&value) && !self.shared.contains(&value);
            (is_live && !made_inside && is_own).then_some(value)
        };
        let mut values: Vec<ValueId> = self.live.ranges.iter().filter_map(alive).collect();
        values.extend(inner.iter().flat_map(|body| &body.values));
        values
    }
}

/// Returns the inputs of a loop body, each with true if the body returns it unchanged.
fn loop_invariants(body: &Func) -> impl Iterator<Item = (ValueId, bool)> + '_ {
    body.inputs.iter().zip(&body.outputs).map(|(&input, output)| (input, output.value == input))
}

/// Returns true if element `i` of the result depends only on elements `i` of the operands, so that the result can
/// overwrite an operand.
fn is_elementwise(kind: &OpKind) -> bool {
    match kind {
        OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) | OpKind::Clamp(_) => true,
        OpKind::Convert(_) | OpKind::Bitcast(_) | OpKind::Mask(_) | OpKind::Momentum(_) | OpKind::Adam(_) => true,
        // A reshape preserves the order of elements.
        OpKind::Reshape(_) => true,
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => false,
        OpKind::Broadcast(_) | OpKind::Transpose(_) | OpKind::Reverse(_) | OpKind::Slice(_) => false,
        OpKind::Pad(_) | OpKind::Concatenate(_) | OpKind::DynamicSlice(_) | OpKind::DynamicUpdateSlice(_) => false,
        OpKind::Gather(_) | OpKind::Scatter(_) | OpKind::DotGeneral(_) | OpKind::Convolution(_) => false,
        OpKind::Attention(_) | OpKind::AttentionGrad(_) | OpKind::Reduce(_) | OpKind::ReduceFunc(_) => false,
        OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) | OpKind::Sort(_) | OpKind::TopK(_) => false,
        OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) | OpKind::Qr(_) => false,
        OpKind::HouseholderProduct(_)
        | OpKind::Svd(_)
        | OpKind::Eigh(_)
        | OpKind::Eig(_)
        | OpKind::Hessenberg(_)
        | OpKind::TridiagonalSolve(_)
        | OpKind::CustomCall(_) => false,
        OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => false,
        OpKind::BatchNorm(_) | OpKind::CrossEntropy(_) | OpKind::Gelu(_) | OpKind::Loop(_) => false,
        OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_) => false,
        OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_) => false,
        OpKind::Shard(_) | OpKind::Partial(_) | OpKind::ShardStart(_) => false,
    }
}

//! What a device holds: the most bytes that are alive at one time, from live ranges, never from sums of sizes.
//!
//! Parameters and inputs belong to the caller and stay for the whole run, except those that an output replaces or that
//! are donated: these may be given up. A result is held from its op to its last reader, an output to the end. While an
//! op runs, its operands and results are both there, except that an op that goes element by element writes its result
//! over an operand that dies there and is as large; a step of an optimizer writes all its results so. A loop hands
//! operands that die there over to its body; of others the body works on copies. What stays the same from turn to turn,
//! such as a parameter, the body reads where it is.

use partita_ir::arena::{FuncId, ValueId};
use partita_ir::class::Control;
use partita_ir::liveness::{Liveness, Range};
use partita_ir::op::OpKind;
use partita_ir::program::{Func, Op, ParamKind, Phase, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cmp::Reverse;

/// The memory of one device at its fullest.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Peak {
    /// Bytes that are alive.
    pub bytes: u64,
    /// Bytes of parameters and inputs, alive or not.
    pub entry_bytes: u64,
    /// What is alive, the largest first; what is being written over is left out for what takes its place. Where the
    /// peak is inside of a loop, what its body holds is among them.
    pub values: Vec<ValueId>,
    /// The point of the main function: the position of its op, counted from 1; 0 is before the first.
    pub point: usize,
}

/// The peak of a program: of one device when it is explicit or local.
pub fn peak(program: &Program) -> Peak {
    // Callees first, so that a loop finds what its body needs.
    let mut done: FxHashMap<FuncId, Peak> = FxHashMap::default();
    for func in program.laid_out_funcs() {
        let peak = Walk::new(program, func, &done).peak();
        done.insert(func, peak);
    }
    let mut peak = done.remove(&program.entry()).unwrap_or_default();
    peak.values.sort_by_key(|&v| Reverse(held(program, v)));
    peak
}

/// What of a training step one device holds, by what it is. Sums of sizes: what is there at one time says [`peak`].
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Holdings {
    /// Parameters, trained or not.
    pub parameters: u64,
    /// State of the optimizer.
    pub state: u64,
    /// Narrow copies of parameters, made in the forward pass and read in the backward pass.
    pub copies: u64,
    /// Gradients of parameters, as they are when the update begins.
    pub gradients: u64,
    /// Values of the forward pass that are kept for the backward pass, made of more than parameters.
    pub activations: u64,
}

/// What one device holds of an explicit or local program.
pub fn holdings(program: &Program) -> Holdings {
    let mut holdings = Holdings::default();
    for param in program.params.values() {
        let bytes = held(program, param.value);
        let counter = if param.kind == ParamKind::State { &mut holdings.state } else { &mut holdings.parameters };
        *counter = counter.saturating_add(bytes);
    }
    let data = on_data(program);
    for func in program.laid_out_funcs() {
        count_kept(program, func, &data, &mut holdings);
    }
    holdings
}

/// Adds what a function's later parts read of its earlier ones.
fn count_kept(program: &Program, func: FuncId, data: &FxHashSet<ValueId>, holdings: &mut Holdings) {
    // By value: the part that made it, and whether that was before the update.
    let mut makers: FxHashMap<ValueId, (Phase, bool)> = FxHashMap::default();
    let mut seen: FxHashSet<ValueId> = FxHashSet::default();
    let mut updates = false;
    for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
        updates |= op.phase == Phase::Update;
        for &arg in &op.args {
            let Some(&(made, before)) = makers.get(&arg) else { continue };
            let counter = match made {
                Phase::Forward if op.phase == Phase::Forward => continue,
                Phase::Forward if data.contains(&arg) => &mut holdings.activations,
                Phase::Forward => &mut holdings.copies,
                Phase::BackwardInput | Phase::BackwardWeight if before && updates => &mut holdings.gradients,
                _ => continue,
            };
            if seen.insert(arg) {
                *counter = counter.saturating_add(held(program, arg));
            }
        }
        makers.extend(op.outs.iter().map(|&out| (out, (op.phase, !updates))));
    }
}

/// The values that depend on inputs that are no parameters.
fn on_data(program: &Program) -> FxHashSet<ValueId> {
    let params: FxHashSet<ValueId> = program.params.values().map(|p| p.value).collect();
    let mut data: FxHashSet<ValueId> = program.inputs().iter().copied().filter(|v| !params.contains(v)).collect();
    // Callers first, so that what a loop is given is known when its body is met.
    for func in program.laid_out_funcs().into_iter().rev() {
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

/// Bytes of a value on one device.
pub fn held(program: &Program, value: ValueId) -> u64 {
    program.values[value].local_type().bytes()
}

/// Follows the ops of one function.
struct Walk<'a> {
    program: &'a Program,
    func: &'a Func,
    live: Liveness,
    /// Peaks of the bodies of loops.
    done: &'a FxHashMap<FuncId, Peak>,
    /// Inputs that belong to the caller.
    pinned: FxHashSet<ValueId>,
    /// Inputs of a loop's body that it hands on unchanged: the caller's memory, which is counted there.
    shared: FxHashSet<ValueId>,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program, id: FuncId, done: &'a FxHashMap<FuncId, Peak>) -> Walk<'a> {
        let func = &program.funcs[id];
        let mut pinned = FxHashSet::default();
        if id == program.entry() {
            pinned.extend(func.inputs.iter().copied());
            pinned.retain(|v| !program.values[*v].donated);
            let replaced = func.outputs.iter().filter_map(|o| program.params.get(o.alias?));
            replaced.for_each(|param| {
                pinned.remove(&param.value);
            });
        }
        let mut shared = FxHashSet::default();
        if id != program.entry() {
            shared.extend(unchanged(func).filter_map(|(input, same)| same.then_some(input)));
        }
        Walk { program, func, live: Liveness::of(program, id), done, pinned, shared }
    }

    /// Bytes of several values. They are counted in `u128`, where no sum overflows.
    fn sum<'v>(&self, values: impl IntoIterator<Item = &'v ValueId>) -> u128 {
        let own = values.into_iter().filter(|v| !self.shared.contains(v));
        own.map(|&v| u128::from(held(self.program, v))).sum()
    }

    fn peak(&self) -> Peak {
        let entry = self.sum(&self.func.inputs);
        let (mut most, mut point_of_most) = (entry, 0);
        let mut alive = entry - self.sum(self.given_up(0));
        for (point, &op) in (1..).zip(self.func.ops()) {
            let op = &self.program.ops[op];
            let needed = self.inner(op).map_or_else(|| self.sum(&op.outs), |body| body.bytes.into());
            let during = alive + needed - self.sum(&self.overwritten(op, point));
            if during > most {
                (most, point_of_most) = (during, point);
            }
            alive = alive + self.sum(&op.outs) - self.sum(self.given_up(point));
        }
        let saturated = |bytes: u128| u64::try_from(bytes).unwrap_or(u64::MAX);
        let values = self.alive_at(point_of_most);
        Peak { bytes: saturated(most), entry_bytes: saturated(entry), values, point: point_of_most }
    }

    /// The values whose buffers are free after that point.
    fn given_up(&self, point: usize) -> impl Iterator<Item = &ValueId> {
        self.live.dying(point).iter().filter(|v| !self.pinned.contains(v))
    }

    /// The peak of a loop's body.
    fn inner(&self, op: &Op) -> Option<&'a Peak> {
        let Control::Loop(l) = op.kind.control()?;
        self.done.get(&l.body)
    }

    /// Operands whose buffers the op takes for its own: of a loop all that die there and change from turn to turn, of
    /// an op that goes element by element the first one that is as large as the result.
    fn overwritten(&self, op: &Op, point: usize) -> Vec<ValueId> {
        let mut dying: Vec<ValueId> = self.given_up(point).copied().filter(|v| op.args.contains(v)).collect();
        if let Some(control) = op.kind.control() {
            let Control::Loop(l) = control;
            let operands = op.args.iter().zip(unchanged(&self.program.funcs[l.body]));
            let same: FxHashSet<ValueId> = operands.filter_map(|(&arg, (_, same))| same.then_some(arg)).collect();
            dying.retain(|v| !same.contains(v));
        } else {
            // Each result takes the place of one operand.
            let mut results: Vec<u64> = op.outs.iter().map(|&v| held(self.program, v)).collect();
            dying.retain(|&v| {
                let size = held(self.program, v);
                let fits = results.iter().position(|&r| r == size).filter(|_| goes_element_by_element(&op.kind));
                fits.is_some_and(|at| results.swap_remove(at) == size)
            });
        }
        dying
    }

    fn alive_at(&self, point: usize) -> Vec<ValueId> {
        let op = point.checked_sub(1).and_then(|i| self.func.ops().get(i)).map(|&op| &self.program.ops[op]);
        let overwritten = op.map_or(Vec::new(), |op| self.overwritten(op, point));
        let inner = op.and_then(|op| self.inner(op));
        let alive = |(&value, range): (&ValueId, &Range)| {
            let there = range.from <= point && (point <= range.to || self.pinned.contains(&value));
            // A loop's results are there as what its body holds.
            let made_inside = inner.is_some() && range.from == point;
            let is_own = !overwritten.contains(&value) && !self.shared.contains(&value);
            (there && !made_inside && is_own).then_some(value)
        };
        let mut values: Vec<ValueId> = self.live.ranges.iter().filter_map(alive).collect();
        values.extend(inner.iter().flat_map(|body| &body.values));
        values
    }
}

/// The inputs of a loop's body, and whether each is handed on unchanged.
fn unchanged(body: &Func) -> impl Iterator<Item = (ValueId, bool)> + '_ {
    body.inputs.iter().zip(&body.outputs).map(|(&input, output)| (input, output.value == input))
}

/// Whether element `i` of the result depends on elements `i` of the operands only, so that it may be written over one.
fn goes_element_by_element(kind: &OpKind) -> bool {
    match kind {
        OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) | OpKind::Clamp(_) => true,
        OpKind::Convert(_) | OpKind::Bitcast(_) | OpKind::Mask(_) | OpKind::Momentum(_) | OpKind::Adam(_) => true,
        // The elements stay in their order.
        OpKind::Reshape(_) => true,
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => false,
        OpKind::Broadcast(_) | OpKind::Transpose(_) | OpKind::Reverse(_) | OpKind::Slice(_) => false,
        OpKind::Pad(_) | OpKind::Concatenate(_) | OpKind::DynamicSlice(_) | OpKind::DynamicUpdateSlice(_) => false,
        OpKind::Gather(_) | OpKind::Scatter(_) | OpKind::DotGeneral(_) | OpKind::Convolution(_) => false,
        OpKind::Attention(_) | OpKind::AttentionGrad(_) | OpKind::Reduce(_) | OpKind::ReduceFunc(_) => false,
        OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) | OpKind::Sort(_) | OpKind::TopK(_) => false,
        OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => false,
        OpKind::BatchNorm(_) | OpKind::CrossEntropy(_) | OpKind::Gelu(_) | OpKind::Loop(_) => false,
        OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_) => false,
        OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_) => false,
        OpKind::Shard(_) | OpKind::Partial(_) | OpKind::PieceStart(_) => false,
    }
}

//! The layers of a model, found in the graph: stretches of the forward pass between points where a single activation is
//! alive.
//!
//! At such a cut one value carries all that the rest of the model depends on: the residual stream of a transformer
//! between two blocks. Scalars that are summed up on the side do not count. A stretch without a contraction belongs to
//! the one before it, and stretches that repeat (attention, feed-forward, attention, ...) form one layer a period.

use super::limits::RematLimits;
use super::policy::forward;
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::class::Control;
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Phase, Program};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// A layer.
pub(super) struct Layer {
    /// Its ops, in order.
    pub(super) ops: Vec<OpId>,
    /// Of what they make: that which others read, and that which does not depend on data.
    kept: FxHashSet<ValueId>,
}

impl Layer {
    /// Whether a value that the layer makes is kept, however much of the layer is computed again: somebody behind the
    /// layer reads it, or it was made of parameters alone.
    pub(super) fn outlives(&self, value: ValueId) -> bool {
        self.kept.contains(&value)
    }

    /// What its ops read.
    pub(super) fn reads<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = ValueId> + 'a {
        self.ops.iter().flat_map(|&op| program.ops[op].args.iter().copied())
    }
}

/// The layers of a function's forward pass, in order. Together they are all of it.
pub(super) fn layers(program: &Program, func: FuncId, facts: &Facts) -> Vec<Layer> {
    let forward = forward(program, func);
    let stretches = merged(program, &forward, &facts.stretches(program, func, &forward));
    let grouped = grouped(program, &forward, stretches);
    let mut owner: FxHashMap<OpId, usize> = FxHashMap::default();
    for (i, range) in grouped.iter().enumerate() {
        owner.extend(forward[range.clone()].iter().map(|&op| (op, i)));
    }
    let mut layers: Vec<Layer> = grouped
        .into_iter()
        .map(|range| {
            let ops = forward[range].to_vec();
            let made = ops.iter().flat_map(|&op| program.ops[op].outs.iter().copied());
            let kept = made.filter(|v| !facts.data[v.index()]).collect();
            Layer { ops, kept }
        })
        .collect();
    let makers: FxHashMap<ValueId, usize> =
        forward.iter().flat_map(|op| program.ops[*op].outs.iter().map(|&v| (v, owner[op]))).collect();
    let read_later = forward.iter().flat_map(|op| program.ops[*op].args.iter().map(|&v| (v, Some(owner[op]))));
    let given: Vec<ValueId> = program.funcs[func].outputs.iter().map(|o| o.value).collect();
    // What a loop adds up, such as the loss, is a result as it is without a loop.
    let body = program.funcs[func].ops().iter().map(|&op| &program.ops[op]);
    let makers_of_given = body.filter(|op| op.phase != Phase::Forward && op.outs.iter().any(|out| given.contains(out)));
    let added: Vec<ValueId> = makers_of_given.flat_map(|op| op.args.iter().copied()).collect();
    for (value, reader) in read_later.chain(given.iter().chain(&added).map(|&value| (value, None))) {
        if let Some(&maker) = makers.get(&value)
            && reader != Some(maker)
        {
            layers[maker].kept.insert(value);
        }
    }
    layers
}

/// What is known of values of all functions.
pub(super) struct Facts {
    /// Whether the value depends on inputs that are no parameters.
    data: Vec<bool>,
    /// Whether it is an activation: floats that depend on data and on parameters.
    activation: Vec<bool>,
    /// The parameter that a value is or is a converted copy of, inside of loops too.
    params: Vec<Option<ValueId>>,
}

impl Facts {
    /// `given` are inputs of the program that are activations.
    pub(super) fn of(program: &Program, given: &FxHashSet<ValueId>) -> Facts {
        let none = || vec![false; program.values.len()];
        let (mut data, mut learned) = (none(), none());
        let mut params = vec![None; program.values.len()];
        for param in program.params.values() {
            params[param.value.index()] = Some(param.value);
        }
        for &input in program.inputs() {
            let is_param = params[input.index()].is_some();
            (data[input.index()], learned[input.index()]) = (!is_param, is_param || given.contains(&input));
        }
        // Callers first, so that what a loop is given is known when its body is met.
        for func in program.laid_out_funcs().into_iter().rev() {
            for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
                if let Some(control) = op.kind.control() {
                    let Control::Loop(l) = control;
                    for (&inner, &arg) in program.funcs[l.body].inputs.iter().zip(&op.args) {
                        data[inner.index()] = data[arg.index()];
                        learned[inner.index()] = learned[arg.index()];
                        params[inner.index()] = params[arg.index()];
                    }
                }
                if let ([out], Some(source)) = (&op.outs[..], copied(op)) {
                    params[out.index()] = params[source.index()];
                }
                let of = |facts: &[bool]| op.args.iter().any(|v| facts[v.index()]);
                let (on_data, on_params) = (of(&data), of(&learned));
                for out in &op.outs {
                    (data[out.index()], learned[out.index()]) = (on_data, on_params);
                }
            }
        }
        let is_float = |v: ValueId| program.ty(v).dtype.is_float();
        let activation = program.values.ids().map(|v| data[v.index()] && learned[v.index()] && is_float(v)).collect();
        Facts { data, activation, params }
    }

    /// The parameter that a value is or is a copy of.
    pub(super) fn param(&self, value: ValueId) -> Option<ValueId> {
        self.params[value.index()]
    }

    /// Whether a value is an activation: floats that depend on data and on parameters.
    pub(super) fn is_activation(&self, value: ValueId) -> bool {
        self.activation[value.index()]
    }

    /// The stretches between cuts, as ranges of the forward ops.
    fn stretches(&self, program: &Program, func: FuncId, forward: &[OpId]) -> Vec<Range<usize>> {
        let mut last: FxHashMap<ValueId, usize> = FxHashMap::default();
        for (i, op) in forward.iter().enumerate() {
            last.extend(program.ops[*op].args.iter().map(|&v| (v, i)));
        }
        let given = program.funcs[func].inputs.iter().copied();
        let mut alive: FxHashSet<ValueId> = given.filter(|v| self.activation[v.index()]).collect();
        let (mut stretches, mut start) = (Vec::new(), 0);
        for (i, op) in forward.iter().map(|&op| &program.ops[op]).enumerate() {
            alive.extend(op.outs.iter().filter(|v| self.activation[v.index()]));
            alive.retain(|v| last.get(v).is_some_and(|&at| at > i));
            let bytes = || alive.iter().map(|&v| program.ty(v).bytes());
            let (most, all) = (bytes().max().unwrap_or(0), bytes().sum::<u64>());
            if !alive.is_empty() && (all - most).saturating_mul(RematLimits::TUNED.boundary_ratio) <= most {
                stretches.push(start..i + 1);
                start = i + 1;
            }
        }
        stretches.push(start..forward.len());
        stretches.retain(|s| !s.is_empty());
        stretches
    }
}

/// The value that an op gives as it is, perhaps in another type or layout.
///
/// Recogniser: what is computed from a parameter is an activation of the layer that computes it.
fn copied(op: &Op) -> Option<ValueId> {
    let copies = op.kind.class().states_layout() || matches!(op.kind, OpKind::Convert(_));
    op.args.first().copied().filter(|_| copies)
}

/// Stretches without a contraction joined to the one before them.
fn merged(program: &Program, forward: &[OpId], stretches: &[Range<usize>]) -> Vec<Range<usize>> {
    let contracts = |&op: &OpId| {
        let kind = &program.ops[op].kind;
        kind.class().contracts() || kind.control().is_some()
    };
    let contracts = |range: &Range<usize>| forward[range.clone()].iter().any(contracts);
    let mut merged: Vec<Range<usize>> = Vec::new();
    for stretch in stretches {
        match merged.last_mut() {
            Some(before) if !contracts(stretch) => before.end = stretch.end,
            _ => merged.push(stretch.clone()),
        }
    }
    merged
}

/// Stretches that repeat with the period that covers most of them, joined to layers of one period.
fn grouped(program: &Program, forward: &[OpId], stretches: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let prints: Vec<u64> = stretches.iter().map(|s| print(program, &forward[s.clone()])).collect();
    let mut best: Option<(usize, usize, Range<usize>)> = None;
    for period in 1..=prints.len() / 2 {
        let mut start = 0;
        while start + period < prints.len() {
            let equal = prints[start..].iter().zip(&prints[start + period..]).take_while(|(a, b)| a == b).count();
            // Whole periods only.
            let covered = (equal / period + 1) * period;
            if equal >= period && best.as_ref().is_none_or(|(most, _, _)| covered > *most) {
                best = Some((covered, period, start..start + covered));
            }
            start += equal + 1;
        }
    }
    let Some((_, period, run)) = best else { return stretches };
    let joined = |range: Range<usize>| stretches[range.start].start..stretches[range.end - 1].end;
    let before = stretches[..run.start].iter().cloned();
    let periods = run.clone().step_by(period).map(|at| joined(at..at + period));
    before.chain(periods).chain(stretches[run.end..].iter().cloned()).collect()
}

/// Equal for stretches of equal ops on equal types.
fn print(program: &Program, ops: &[OpId]) -> u64 {
    let mut hasher = FxHasher::default();
    for op in ops.iter().map(|&op| &program.ops[op]) {
        op.kind.name().hash(&mut hasher);
        for &value in op.args.iter().chain(&op.outs) {
            program.ty(value).dtype.hash(&mut hasher);
            program.ty(value).shape.0.hash(&mut hasher);
        }
    }
    hasher.finish()
}

//! Layers of a model, inferred from the graph: segments of the forward pass between points where a single activation is
//! live.
//!
//! At such a point, one value contains all that the rest of the model depends on, such as the residual stream between
//! two blocks of a transformer. Scalars that are accumulated on the side are ignored. A segment without a contraction
//! is merged into the previous one, and periodic segments (attention, feed-forward, attention, ...) form one layer per
//! period.

use super::benefit::RecomputeOrder;
use super::limits::RematLimits;
use super::policy::forward;
use crate::planning::presets::model::param_inputs;
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::class::{Class, Control};
use partita_ir::op::OpKind;
use partita_ir::program::{Op, Phase, Program};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// A layer of the forward pass.
pub(super) struct Layer {
    /// Ops of the layer, in order.
    pub(super) ops: Vec<OpId>,
    /// Results of the layer's ops that other layers read or that are independent of data.
    always_stored: FxHashSet<ValueId>,
    /// Results of attention and of every second matrix product.
    stored_alternately: FxHashSet<ValueId>,
    /// Order of recomputation. Empty unless the plan has a policy that needs it.
    pub(super) order: RecomputeOrder,
}

impl Layer {
    /// Returns true if a value of the layer is stored under every policy: an op after the layer reads it, or it depends
    /// on parameters only.
    pub(super) fn is_always_stored(&self, value: ValueId) -> bool {
        self.always_stored.contains(&value)
    }

    /// Returns true if a value of the layer is stored under the policy that stores every second matrix product.
    pub(super) fn is_stored_alternately(&self, value: ValueId) -> bool {
        self.stored_alternately.contains(&value)
    }

    /// Returns the operands of the layer's ops.
    pub(super) fn reads<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = ValueId> + 'a {
        self.ops.iter().flat_map(|&op| program.ops[op].args.iter().copied())
    }
}

/// Returns the layers of a function's forward pass, in order. They partition its ops.
pub(super) fn layers(program: &Program, func: FuncId, dependences: &ValueDependences) -> Vec<Layer> {
    let forward = forward(program, func);
    let segments = merge_segments(program, &forward, &dependences.segments(program, func, &forward));
    let group_periods = group_periods(program, &forward, segments);
    let mut owner: FxHashMap<OpId, usize> = FxHashMap::default();
    for (i, range) in group_periods.iter().enumerate() {
        owner.extend(forward[range.clone()].iter().map(|&op| (op, i)));
    }
    let mut layers: Vec<Layer> = group_periods
        .into_iter()
        .map(|range| {
            let ops = forward[range].to_vec();
            let results = ops.iter().flat_map(|&op| program.ops[op].outs.iter().copied());
            let always_stored = results.filter(|v| !dependences.data[v.index()]).collect();
            let products = ops.iter().filter(|&&op| program.ops[op].kind.class() == Class::Product).step_by(2);
            let attention = ops.iter().filter(|&&op| program.ops[op].kind.class().attention().is_some());
            let stored = products.chain(attention).flat_map(|&op| program.ops[op].outs.iter().copied());
            let stored_alternately = stored.collect();
            Layer { ops, always_stored, stored_alternately, order: RecomputeOrder::default() }
        })
        .collect();
    let producers: FxHashMap<ValueId, usize> =
        forward.iter().flat_map(|op| program.ops[*op].outs.iter().map(|&v| (v, owner[op]))).collect();
    let read_later = forward.iter().flat_map(|op| program.ops[*op].args.iter().map(|&v| (v, Some(owner[op]))));
    let outputs: Vec<ValueId> = program.funcs[func].outputs.iter().map(|o| o.value).collect();
    // A value that a loop accumulates, such as the loss, is a result as it is without a loop.
    let body = program.funcs[func].ops().iter().map(|&op| &program.ops[op]);
    let producers_of_outputs =
        body.filter(|op| op.phase != Phase::Forward && op.outs.iter().any(|out| outputs.contains(out)));
    let added: Vec<ValueId> = producers_of_outputs.flat_map(|op| op.args.iter().copied()).collect();
    for (value, reader) in read_later.chain(outputs.iter().chain(&added).map(|&value| (value, None))) {
        if let Some(&producer) = producers.get(&value)
            && reader != Some(producer)
        {
            layers[producer].always_stored.insert(value);
        }
    }
    layers
}

/// Data dependences of the values of all functions.
pub(super) struct ValueDependences {
    /// For each value, true if it depends on inputs that are not parameters.
    data: Vec<bool>,
    /// For each value, true if it is an activation: floats that depend on data and on parameters.
    activation: Vec<bool>,
    /// For each value, the parameter that it is or is a converted copy of, also inside loops.
    params: Vec<Option<ValueId>>,
}

impl ValueDependences {
    /// Analyses a program. `input_activations` are the inputs that are activations.
    pub(super) fn new(program: &Program, input_activations: &FxHashSet<ValueId>) -> ValueDependences {
        let none = || vec![false; program.values.len()];
        let (mut data, mut on_params_or_activations) = (none(), none());
        let mut params = vec![None; program.values.len()];
        for value in param_inputs(program) {
            params[value.index()] = Some(value);
        }
        for &input in program.inputs() {
            let is_param = params[input.index()].is_some();
            (data[input.index()], on_params_or_activations[input.index()]) =
                (!is_param, is_param || input_activations.contains(&input));
        }
        // Callers first, so that the operands of a loop are analysed before its body.
        for func in program.funcs_with_layouts().into_iter().rev() {
            for op in program.funcs[func].ops().iter().map(|&op| &program.ops[op]) {
                if let Some(control) = op.kind.control() {
                    let Control::Loop(l) = control;
                    for (&inner, &arg) in program.funcs[l.body].inputs.iter().zip(&op.args) {
                        data[inner.index()] = data[arg.index()];
                        on_params_or_activations[inner.index()] = on_params_or_activations[arg.index()];
                        params[inner.index()] = params[arg.index()];
                    }
                }
                if let ([out], Some(source)) = (&op.outs[..], copied(op)) {
                    params[out.index()] = params[source.index()];
                }
                let of = |dependences: &[bool]| op.args.iter().any(|v| dependences[v.index()]);
                let (on_data, on_params) = (of(&data), of(&on_params_or_activations));
                for out in &op.outs {
                    (data[out.index()], on_params_or_activations[out.index()]) = (on_data, on_params);
                }
            }
        }
        let is_float = |v: ValueId| program.ty(v).dtype.is_float();
        let activation = program
            .values
            .ids()
            .map(|v| data[v.index()] && on_params_or_activations[v.index()] && is_float(v))
            .collect();
        ValueDependences { data, activation, params }
    }

    /// Returns the parameter that a value is or is a copy of.
    pub(super) fn param(&self, value: ValueId) -> Option<ValueId> {
        self.params[value.index()]
    }

    /// Returns true if a value is an activation: floats that depend on data and on parameters.
    pub(super) fn is_activation(&self, value: ValueId) -> bool {
        self.activation[value.index()]
    }

    /// Returns the segments between cut points, as ranges of the forward ops.
    fn segments(&self, program: &Program, func: FuncId, forward: &[OpId]) -> Vec<Range<usize>> {
        let mut last: FxHashMap<ValueId, usize> = FxHashMap::default();
        for (i, op) in forward.iter().enumerate() {
            last.extend(program.ops[*op].args.iter().map(|&v| (v, i)));
        }
        let inputs = program.funcs[func].inputs.iter().copied();
        let mut alive: FxHashSet<ValueId> = inputs.filter(|v| self.activation[v.index()]).collect();
        let (mut segments, mut start) = (Vec::new(), 0);
        for (i, op) in forward.iter().map(|&op| &program.ops[op]).enumerate() {
            alive.extend(op.outs.iter().filter(|v| self.activation[v.index()]));
            alive.retain(|v| last.get(v).is_some_and(|&at| at > i));
            let bytes = || alive.iter().map(|&v| program.ty(v).bytes());
            let (most, all) = (bytes().max().unwrap_or(0), bytes().sum::<u64>());
            if !alive.is_empty() && (all - most).saturating_mul(RematLimits::TUNED.boundary_ratio) <= most {
                segments.push(start..i + 1);
                start = i + 1;
            }
        }
        segments.push(start..forward.len());
        segments.retain(|s| !s.is_empty());
        segments
    }
}

/// Returns the operand of an op that copies it, possibly to another dtype or layout.
///
/// Recogniser: a value that is computed from a parameter in another way is an activation of its layer.
fn copied(op: &Op) -> Option<ValueId> {
    let copies = op.kind.class().states_layout() || matches!(op.kind, OpKind::Convert(_));
    op.args.first().copied().filter(|_| copies)
}

/// Merges segments without a contraction into the previous one.
fn merge_segments(program: &Program, forward: &[OpId], segments: &[Range<usize>]) -> Vec<Range<usize>> {
    let contracts = |&op: &OpId| {
        let kind = &program.ops[op].kind;
        kind.class().contracts() || kind.control().is_some()
    };
    let contracts = |range: &Range<usize>| forward[range.clone()].iter().any(contracts);
    let mut merge_segments: Vec<Range<usize>> = Vec::new();
    for stretch in segments {
        match merge_segments.last_mut() {
            Some(before) if !contracts(stretch) => before.end = stretch.end,
            _ => merge_segments.push(stretch.clone()),
        }
    }
    merge_segments
}

/// Joins periodic segments into layers of one period, for the period that covers most segments.
fn group_periods(program: &Program, forward: &[OpId], segments: Vec<Range<usize>>) -> Vec<Range<usize>> {
    let fingerprints: Vec<u64> = segments.iter().map(|s| fingerprint(program, &forward[s.clone()])).collect();
    let mut best: Option<(usize, usize, Range<usize>)> = None;
    for period in 1..=fingerprints.len() / 2 {
        let mut start = 0;
        while start + period < fingerprints.len() {
            let equal =
                fingerprints[start..].iter().zip(&fingerprints[start + period..]).take_while(|(a, b)| a == b).count();
            // Only complete periods count.
            let covered = (equal / period + 1) * period;
            if equal >= period && best.as_ref().is_none_or(|(most, _, _)| covered > *most) {
                best = Some((covered, period, start..start + covered));
            }
            start += equal + 1;
        }
    }
    let Some((_, period, run)) = best else { return segments };
    let joined = |range: Range<usize>| segments[range.start].start..segments[range.end - 1].end;
    let before = segments[..run.start].iter().cloned();
    let periods = run.clone().step_by(period).map(|at| joined(at..at + period));
    before.chain(periods).chain(segments[run.end..].iter().cloned()).collect()
}

/// Returns a hash that is equal for segments of equal ops on equal types.
fn fingerprint(program: &Program, ops: &[OpId]) -> u64 {
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

//! Recomputation policies: the forward values that are dropped and recomputed in the backward pass.

use super::layers::{Layer, ValueDependences};
use super::selected_ops::SelectedResults;
use crate::planning::path_index::PathIndex;
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::op::OpKind;
use partita_ir::ops::Constrain;
use partita_ir::plan::path::Pattern;
use partita_ir::plan::{Plan, PlanEntry};
use partita_ir::program::{Op, Phase, Program};
use partita_ir::units::parse_bytes;
use rustc_hash::FxHashSet;

/// Recomputation policy of a layer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum RematPolicy {
    /// Recomputes only what is free.
    None,
    /// Recomputes the part of attention that is quadratic in the sequence length.
    Selective,
    /// Stores the layer's inputs, attention results and every second matrix product, and recomputes the rest (selective
    /// activation checkpointing by operator in torchtitan).
    Alternate,
    /// Recomputes the results that save the most memory for the time, up to a share of what `Full` saves in a layer, in
    /// percent.
    Cheapest(u8),
    /// Recomputes everything but the layer's inputs.
    Full,
}

/// Value of a `remat` entry of the plan.
enum RematEntry {
    /// Policy of the layers that the entry matches.
    Policy(RematPolicy),
    /// Recomputation of the results of these ops in the modules that the entry matches; of all ops if there are no
    /// names.
    Ops(Vec<String>),
    /// Memory budget in bytes per device, for which the policies of all layers are chosen.
    Budget(u64),
}

const POLICY_NAMES: [&str; 7] = ["none", "selective", "alternate", "full", "cheapest", "ops", "auto"];

impl RematEntry {
    fn read(entry: &PlanEntry) -> Result<RematEntry, Diagnostic> {
        let written = &entry.text;
        let (word, option) = written.text.split_once('?').unwrap_or((&written.text, ""));
        match (word.trim(), option.trim()) {
            ("none", "") => Ok(RematEntry::Policy(RematPolicy::None)),
            ("selective", "") => Ok(RematEntry::Policy(RematPolicy::Selective)),
            ("alternate", "") => Ok(RematEntry::Policy(RematPolicy::Alternate)),
            ("full", "") => Ok(RematEntry::Policy(RematPolicy::Full)),
            ("ops", "") => Ok(RematEntry::Ops(Vec::new())),
            ("cheapest", option) => {
                let share = option.strip_prefix("share=").and_then(|share| share.strip_suffix('%'));
                let share = share.and_then(|share| share.trim().parse().ok()).filter(|share| (1..=100).contains(share));
                share.map(|share| RematEntry::Policy(RematPolicy::Cheapest(share))).ok_or_else(|| {
                    Diagnostic::new(Code::D006, "`cheapest` requires a share of the activations, from 1% to 100%")
                        .label(written.span(), "expected `cheapest?share=PERCENT%`")
                        .help("recompute half of the activations: `cheapest?share=50%`")
                })
            }
            ("auto", option) => {
                let size = option.strip_prefix("budget=").and_then(parse_bytes);
                size.map(RematEntry::Budget).ok_or_else(|| {
                    Diagnostic::new(Code::D006, "`auto` requires a memory budget per device")
                        .label(written.span(), "expected `auto?budget=SIZE`")
                        .help("state it in bytes or with a unit: `auto?budget=8GiB`")
                })
            }
            (word, "") if word.strip_prefix("ops:").is_some_and(|names| !names.trim().is_empty()) => {
                let names = word.trim_start_matches("ops:").split(',').map(|name| name.trim().to_owned());
                Ok(RematEntry::Ops(names.collect()))
            }
            (word, _) => {
                let error = Diagnostic::new(Code::D006, format!("unknown recomputation policy `{}`", written.text))
                    .label(
                        written.span(),
                        "expected `none`, `selective`, `alternate`, `full`, `cheapest?share=50%`, `ops:softmax,gelu` \
                         or `auto?budget=8GiB`",
                    );
                Err(match nearest(word, POLICY_NAMES) {
                    Some(near) => error.help(format!("there is `{near}`")),
                    None => error,
                })
            }
        }
    }
}

impl RematPolicy {
    /// Returns true if the policy recomputes a value of the layer.
    pub(super) fn drops(self, layer: &Layer, quadratic: &FxHashSet<ValueId>, value: ValueId) -> bool {
        match self {
            RematPolicy::None => false,
            RematPolicy::Selective => quadratic.contains(&value) && !layer.is_always_stored(value),
            RematPolicy::Alternate => !layer.is_always_stored(value) && !layer.is_stored_alternately(value),
            RematPolicy::Cheapest(share) => layer.order.includes(value, share) && !layer.is_always_stored(value),
            RematPolicy::Full => !layer.is_always_stored(value),
        }
    }
}

/// Forward values that are dropped and recomputed in the backward pass.
#[derive(Clone)]
pub(super) struct DroppedValues {
    /// For each dropped value, the op that defines it.
    producers: Vec<Option<OpId>>,
}

impl DroppedValues {
    /// Returns the values that are free to recompute: functions of constants, broadcasts of smaller values, and copies
    /// that must not be stored ([`partita_ir::ops::Constrain`]), also after data movement or conversion.
    ///
    /// Recogniser: a broadcast in another form is stored.
    pub(super) fn free_to_recompute(program: &Program, func: FuncId) -> DroppedValues {
        let mut producers: Vec<Option<OpId>> = vec![None; program.values.len()];
        let mut constant_only = vec![false; program.values.len()];
        for id in forward(program, func) {
            let op = &program.ops[id];
            let is_constant = op.args.iter().all(|v| constant_only[v.index()]) && op.kind.control().is_none();
            let is_cheap_copy = matches!(op.kind, OpKind::Broadcast(_)) && enlarges(program, op)
                || matches!(op.kind, OpKind::Constrain(Constrain { fresh: true, .. }))
                || only_moves(&op.kind) && op.args.iter().all(|v| producers[v.index()].is_some());
            for out in &op.outs {
                constant_only[out.index()] = is_constant;
                producers[out.index()] = (is_constant || is_cheap_copy).then_some(id);
            }
        }
        DroppedValues { producers }
    }

    /// Returns the values that are free to recompute, those dropped by the policy of each layer, and selected results
    /// of single ops.
    pub(super) fn with_policies(
        program: &Program,
        func: FuncId,
        layers: &[Layer],
        choice: &[RematPolicy],
        quadratic: &FxHashSet<ValueId>,
        results: &SelectedResults,
    ) -> DroppedValues {
        let mut dropped = DroppedValues::free_to_recompute(program, func);
        for (layer, policy) in layers.iter().zip(choice) {
            let is_dropped = |out: ValueId| {
                policy.drops(layer, quadratic, out) || results.contains(out, layer.is_always_stored(out))
            };
            for &id in &layer.ops {
                for &out in program.ops[id].outs.iter().filter(|&&out| is_dropped(out)) {
                    dropped.producers[out.index()] = Some(id);
                }
            }
        }
        dropped.store_compared(program, func);
        dropped
    }

    /// Stores a value.
    pub(super) fn store(&mut self, value: ValueId) {
        self.producers[value.index()] = None;
    }

    /// Returns the op that defines the value, if the value is dropped.
    pub(super) fn producer(&self, value: ValueId) -> Option<OpId> {
        self.producers.get(value.index()).copied().flatten()
    }
}

/// Returns true if an op only moves or converts the elements of its operand.
///
/// Recogniser: values moved in another way are stored.
pub(super) fn only_moves(kind: &OpKind) -> bool {
    matches!(
        kind,
        OpKind::Reshape(_)
            | OpKind::Transpose(_)
            | OpKind::Reverse(_)
            | OpKind::Slice(_)
            | OpKind::Broadcast(_)
            | OpKind::Convert(_)
            | OpKind::Constrain(_)
    )
}

/// Returns true if the result is larger than the operand.
fn enlarges(program: &Program, op: &Op) -> bool {
    let count = |v: &ValueId| program.ty(*v).shape.count();
    op.args.first().map(count) < op.outs.first().map(count)
}

/// Returns the ops of a function's forward pass.
pub(super) fn forward(program: &Program, func: FuncId) -> Vec<OpId> {
    let body = program.funcs[func].ops().iter().copied();
    body.filter(|&op| program.ops[op].phase == Phase::Forward).collect()
}

/// Precedence of an entry: its specificity, then its position.
type Rank = ((bool, usize), usize);

/// Recomputation policies stated by the plan.
pub(super) struct StatedPolicies {
    /// For each layer, the policy of the entry that takes precedence among those that match one of its parameters: the
    /// most specific one, then the later one.
    pub(super) layers: Vec<Option<RematPolicy>>,
    /// Memory budget in bytes per device, if the policies are to be chosen.
    pub(super) budget: Option<u64>,
    /// Results of single ops.
    pub(super) results: SelectedResults,
}

impl StatedPolicies {
    /// Reads the policies of a plan.
    pub(super) fn read(
        program: &Program,
        plan: &Plan,
        layers: &[Layer],
        dependences: &ValueDependences,
    ) -> Result<StatedPolicies, Vec<Diagnostic>> {
        let entries = PathIndex::new(program);
        let mut best: Vec<Option<(Rank, RematPolicy)>> = vec![None; layers.len()];
        let (mut errors, mut budget, mut results) = (Vec::new(), None, SelectedResults::default());
        for (i, entry) in plan.remat.iter().enumerate() {
            match RematEntry::read(entry) {
                Err(error) => errors.push(error),
                Ok(RematEntry::Ops(names)) => errors.extend(results.select(program, entry, &names).err()),
                Ok(RematEntry::Budget(bytes)) => match entries.find(&entry.path) {
                    Err(error) => errors.push(error),
                    Ok(_) => budget = Some(bytes),
                },
                Ok(RematEntry::Policy(policy)) => {
                    let values = entries.find(&entry.path).unwrap_or_else(|error| {
                        errors.push(error);
                        Vec::new()
                    });
                    let values: FxHashSet<ValueId> = values.into_iter().collect();
                    let rank = ((Pattern::new(&entry.path.text).specificity(), i), policy);
                    for (layer, best) in layers.iter().zip(&mut best) {
                        if layer.reads(program).filter_map(|v| dependences.param(v)).any(|v| values.contains(&v)) {
                            *best = (*best).max(Some(rank));
                        }
                    }
                }
            }
        }
        let layers = best.into_iter().map(|best| best.map(|(_, policy)| policy)).collect();
        if errors.is_empty() { Ok(StatedPolicies { layers, budget, results }) } else { Err(errors) }
    }
}

/// Returns the values of attention that are quadratic in the sequence: those between a product of two activations and
/// the next product.
///
/// Recogniser: the choice of recomputed values does not affect results.
pub(super) fn quadratic(program: &Program, forward: &[OpId], dependences: &ValueDependences) -> FxHashSet<ValueId> {
    let mut quadratic = FxHashSet::default();
    for op in forward.iter().map(|&op| &program.ops[op]) {
        let reads = op.args.iter().any(|v| quadratic.contains(v));
        let is_product =
            matches!(op.kind, OpKind::DotGeneral(_)) && op.args.iter().all(|&v| dependences.is_activation(v));
        let ends = matches!(op.kind, OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Reduce(_));
        // The second product reads a quadratic value and produces one that is not.
        if is_product && !reads || reads && !ends {
            quadratic.extend(op.outs.iter().copied());
        }
    }
    add_masks(program, forward, &mut quadratic);
    quadratic
}

/// Adds the values that are used only to compute quadratic values, such as the random masks of dropout.
///
/// Recogniser: the choice of recomputed values does not affect results.
fn add_masks(program: &Program, forward: &[OpId], quadratic: &mut FxHashSet<ValueId>) {
    let mut readers: Vec<(usize, usize)> = vec![(0, 0); program.values.len()];
    for op in forward.iter().rev().map(|&op| &program.ops[op]) {
        let is_quadratic = op.outs.iter().any(|v| quadratic.contains(v));
        // The operands of a product are not quadratic themselves.
        let recomputes_args = is_quadratic && !matches!(op.kind, OpKind::DotGeneral(_));
        for &arg in &op.args {
            let (all, quadratic_readers) = &mut readers[arg.index()];
            (*all, *quadratic_readers) = (*all + 1, *quadratic_readers + usize::from(recomputes_args));
        }
    }
    for op in forward.iter().rev().map(|&op| &program.ops[op]) {
        let only = |v: &ValueId| readers[v.index()].0 > 0 && readers[v.index()].0 == readers[v.index()].1;
        if op.outs.iter().all(only) && !op.outs.is_empty() && !op.outs.iter().all(|v| quadratic.contains(v)) {
            quadratic.extend(op.outs.iter().copied());
            for &arg in &op.args {
                readers[arg.index()].1 += 1;
            }
        }
    }
}

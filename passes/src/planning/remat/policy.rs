//! Which forward values are dropped, and so computed again in the backward pass.

use super::layers::{Facts, Layer};
use crate::planning::find::Entries;
use partita_ir::arena::{FuncId, Id, OpId, ValueId};
use partita_ir::diag::{Code, Diagnostic, nearest};
use partita_ir::op::OpKind;
use partita_ir::ops::Constrain;
use partita_ir::plan::path::Pattern;
use partita_ir::plan::{Entry, Plan};
use partita_ir::program::{Op, Phase, Program};
use partita_ir::units::read_bytes;
use rustc_hash::FxHashSet;

/// What of a layer is computed again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum How {
    /// What costs nothing.
    None,
    /// The part of attention that is quadratic in the sequence.
    Selective,
    /// Everything but what goes into the layer.
    Full,
}

/// What an entry of the plan asks for.
enum Asked {
    /// For its layers, that.
    How(How),
    /// For all layers, what fits so many bytes on a device.
    Budget(u64),
}

const WORDS: [&str; 4] = ["none", "selective", "full", "auto"];

impl Asked {
    fn read(entry: &Entry) -> Result<Asked, Diagnostic> {
        let written = &entry.text;
        let (word, option) = written.text.split_once('?').unwrap_or((&written.text, ""));
        match (word.trim(), option.trim()) {
            ("none", "") => Ok(Asked::How(How::None)),
            ("selective", "") => Ok(Asked::How(How::Selective)),
            ("full", "") => Ok(Asked::How(How::Full)),
            ("auto", option) => {
                let size = option.strip_prefix("budget=").and_then(read_bytes);
                size.map(Asked::Budget).ok_or_else(|| {
                    Diagnostic::new(Code::D006, "`auto` needs to know how much memory a device has")
                        .at(written.span(), "for which memory?")
                        .help("say it in bytes or with a unit: `auto?budget=8GiB`")
                })
            }
            (word, _) => {
                let error =
                    Diagnostic::new(Code::D006, format!("nothing is recomputed by the rule `{}`", written.text))
                        .at(written.span(), "expected `none`, `selective`, `full` or `auto?budget=8GiB`");
                Err(match nearest(word, WORDS) {
                    Some(near) => error.help(format!("there is `{near}`")),
                    None => error,
                })
            }
        }
    }
}

impl How {
    /// Whether a value that the layer makes is computed again.
    pub(super) fn drops(self, layer: &Layer, quadratic: &FxHashSet<ValueId>, value: ValueId) -> bool {
        match self {
            How::None => false,
            How::Selective => quadratic.contains(&value) && !layer.outlives(value),
            How::Full => !layer.outlives(value),
        }
    }
}

/// The forward values that are dropped.
#[derive(Clone)]
pub(super) struct Dropped {
    /// By value: the op that makes it, if it is dropped.
    makers: Vec<Option<OpId>>,
}

impl Dropped {
    /// What costs nothing: what is computed of constants alone, and repeats of smaller values. And copies in another
    /// layout that are not to be kept ([`partita_ir::ops::Constrain`]). Each also moved about or converted.
    ///
    /// Recogniser: what is repeated in another way is kept.
    pub(super) fn repeats(program: &Program, func: FuncId) -> Dropped {
        let mut makers: Vec<Option<OpId>> = vec![None; program.values.len()];
        let mut known = vec![false; program.values.len()];
        for id in forward(program, func) {
            let op = &program.ops[id];
            let is_known = op.args.iter().all(|v| known[v.index()]) && op.kind.control().is_none();
            let is_repeat = matches!(op.kind, OpKind::Broadcast(_)) && grows(program, op)
                || matches!(op.kind, OpKind::Constrain(Constrain { fresh: true }))
                || moves(&op.kind) && op.args.iter().all(|v| makers[v.index()].is_some());
            for out in &op.outs {
                known[out.index()] = is_known;
                makers[out.index()] = (is_known || is_repeat).then_some(id);
            }
        }
        Dropped { makers }
    }

    /// That, and what is chosen for each layer.
    pub(super) fn of(
        program: &Program,
        func: FuncId,
        layers: &[Layer],
        choice: &[How],
        quadratic: &FxHashSet<ValueId>,
    ) -> Dropped {
        let mut dropped = Dropped::repeats(program, func);
        for (layer, how) in layers.iter().zip(choice) {
            for &id in &layer.ops {
                for &out in program.ops[id].outs.iter().filter(|&&out| how.drops(layer, quadratic, out)) {
                    dropped.makers[out.index()] = Some(id);
                }
            }
        }
        dropped
    }

    /// The op that makes the value, if it is dropped.
    pub(super) fn maker(&self, value: ValueId) -> Option<OpId> {
        self.makers.get(value.index()).copied().flatten()
    }
}

/// Whether an op gives the numbers of its operand in other places or in another type.
///
/// Recogniser: what is moved in another way is kept.
fn moves(kind: &OpKind) -> bool {
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

/// Whether the result is larger than the operand.
fn grows(program: &Program, op: &Op) -> bool {
    let count = |v: &ValueId| program.ty(*v).shape.count();
    op.args.first().map(count) < op.outs.first().map(count)
}

/// The ops of a function's forward pass.
pub(super) fn forward(program: &Program, func: FuncId) -> Vec<OpId> {
    let body = program.funcs[func].ops().iter().copied();
    body.filter(|&op| program.ops[op].phase == Phase::Forward).collect()
}

/// Of two entries the more specific one counts, then the later.
type Rank = ((bool, usize), usize);

/// What the plan says of layers.
pub(super) struct Said {
    /// For each layer, if it says anything of it: of the entries that match a parameter of it, the most specific one
    /// counts, then the later.
    pub(super) layers: Vec<Option<How>>,
    /// The bytes of a device, when it is for us to choose.
    pub(super) budget: Option<u64>,
}

impl Said {
    /// What the plan says of these layers.
    pub(super) fn of(program: &Program, plan: &Plan, layers: &[Layer], facts: &Facts) -> Result<Said, Vec<Diagnostic>> {
        let entries = Entries::of(program);
        let mut best: Vec<Option<(Rank, How)>> = vec![None; layers.len()];
        let (mut errors, mut budget) = (Vec::new(), None);
        for (i, entry) in plan.remat.iter().enumerate() {
            let read = Asked::read(entry).and_then(|asked| Ok((asked, entries.find(&entry.path)?)));
            match read {
                Err(error) => errors.push(error),
                Ok((Asked::Budget(bytes), _)) => budget = Some(bytes),
                Ok((Asked::How(how), values)) => {
                    let values: FxHashSet<ValueId> = values.into_iter().collect();
                    let rank = ((Pattern::new(&entry.path.text).specificity(), i), how);
                    for (layer, best) in layers.iter().zip(&mut best) {
                        if layer.reads(program).filter_map(|v| facts.param(v)).any(|v| values.contains(&v)) {
                            *best = (*best).max(Some(rank));
                        }
                    }
                }
            }
        }
        let layers = best.into_iter().map(|best| best.map(|(_, how)| how)).collect();
        if errors.is_empty() { Ok(Said { layers, budget }) } else { Err(errors) }
    }
}

/// Values of attention that are quadratic in the sequence: those between a product of two activations and the next one.
///
/// Recogniser: what is computed again is what was computed before, whatever is chosen.
pub(super) fn quadratic(program: &Program, forward: &[OpId], facts: &Facts) -> FxHashSet<ValueId> {
    let mut quadratic = FxHashSet::default();
    for op in forward.iter().map(|&op| &program.ops[op]) {
        let reads = op.args.iter().any(|v| quadratic.contains(v));
        let is_product = matches!(op.kind, OpKind::DotGeneral(_)) && op.args.iter().all(|&v| facts.is_activation(v));
        let ends = matches!(op.kind, OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Reduce(_));
        // The second product takes what is quadratic and gives what is not.
        if is_product && !reads || reads && !ends {
            quadratic.extend(op.outs.iter().copied());
        }
    }
    masks(program, forward, &mut quadratic);
    quadratic
}

/// Adds what only quadratic values are made of, the random masks of dropout among them.
///
/// Recogniser: what is computed again is what was computed before, whatever is chosen.
fn masks(program: &Program, forward: &[OpId], quadratic: &mut FxHashSet<ValueId>) {
    let mut readers: Vec<(usize, usize)> = vec![(0, 0); program.values.len()];
    for op in forward.iter().rev().map(|&op| &program.ops[op]) {
        let is_quadratic = op.outs.iter().any(|v| quadratic.contains(v));
        // A product's operands are what the quadratic part is computed from.
        let takes = is_quadratic && !matches!(op.kind, OpKind::DotGeneral(_));
        for &arg in &op.args {
            let (all, those) = &mut readers[arg.index()];
            (*all, *those) = (*all + 1, *those + usize::from(takes));
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

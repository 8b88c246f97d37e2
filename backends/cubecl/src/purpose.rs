//! The purpose of each kernel: the ops of the program that it computes, and why an op stands alone in one.

use crate::launch::{Alone, Dispatch, Launch, Share};
use crate::spec::Spec;
use partita_gpu::module::Purpose;
use partita_ir::arena::OpId;
use partita_ir::op::OpKind;
use partita_ir::program::Program;
use partita_lowering::lowerer::Copies;
use partita_runtime::routine::{Action, Held, Routine, Slot, Step};
use rustc_hash::FxHashMap;

/// Why an op stands alone for which nothing else is to be said.
const OWN: &str = "it has a kernel of its own";

/// Composites that were taken apart: by op, the number and the kind of the one that it is a part of.
#[derive(Default)]
pub(crate) struct Parts {
    of: FxHashMap<OpId, (usize, &'static str)>,
    count: usize,
}

impl Parts {
    /// Notes that ops are the parts of a composite.
    pub(crate) fn note(&mut self, kind: &'static str, ops: &[OpId]) {
        self.of.extend(ops.iter().map(|&op| (op, (self.count, kind))));
        self.count += 1;
    }
}

/// A program whose composites were taken apart.
#[derive(Clone, Copy)]
pub(crate) struct Whole<'a> {
    pub(crate) program: &'a Program,
    pub(crate) parts: &'a Parts,
}

impl Whole<'_> {
    /// The kinds of ops, with how often they occur: `matmul`, `2 add`. Parts of a composite are that one.
    fn kinds(self, ops: &[OpId]) -> Vec<String> {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        let mut seen: Vec<usize> = Vec::new();
        for op in ops {
            let kind = match self.parts.of.get(op) {
                Some((number, _)) if seen.contains(number) => continue,
                Some(&(number, kind)) => {
                    seen.push(number);
                    kind
                }
                None => self.program.ops[*op].kind.name(),
            };
            match counts.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += 1,
                None => counts.push((kind, 1)),
            }
        }
        let text = |(kind, count): (&str, usize)| if count == 1 { kind.to_owned() } else { format!("{count} {kind}") };
        counts.into_iter().map(text).collect()
    }

    /// Adds what one more launch of a kernel is there for.
    pub(crate) fn add(self, share: &Share, purpose: &mut Purpose) {
        if purpose.ops.is_empty() {
            let is_copy = share.ops.is_empty();
            purpose.ops = if is_copy { vec!["copy".to_owned()] } else { self.kinds(&share.ops) };
            purpose.alone = share.alone.as_ref().map(|alone| alone.why.clone());
        }
        purpose.missed |= share.alone.as_ref().is_some_and(|alone| alone.missed);
        for &op in &share.ops {
            let origin = &self.program.ops[op].origin;
            let place = match origin.line {
                _ if !origin.scope.is_empty() => origin.scope.to_string(),
                0 => continue,
                line => format!("line {line}"),
            };
            if !purpose.places.contains(&place) {
                purpose.places.push(place);
            }
        }
    }

    /// Says of each kernel what it computes, where nobody did.
    pub(crate) fn fill(self, routine: &mut Routine<Launch>) {
        for step in &mut routine.steps {
            let Action::Compute { kernel, .. } = &mut step.action else { continue };
            if !kernel.shares.is_empty() {
                continue;
            }
            let kind = &self.program.ops[step.op].kind;
            let copies = Copies::of(kind).is_some();
            let share = |dispatch: &Dispatch| {
                let is_own = copies || !dispatch.spec.is_copy();
                Share { ops: is_own.then_some(step.op).into_iter().collect(), alone: None }
            };
            kernel.shares = kernel.dispatches.iter().map(share).collect();
        }
    }

    /// Says of each kernel that computes one op why no other one took it.
    pub(crate) fn explain(self, routine: &mut Routine<Launch>) {
        let why = |at: usize| -> Vec<Option<Alone>> {
            let Action::Compute { kernel, .. } = &routine.steps[at].action else { return Vec::new() };
            let each = kernel.dispatches.iter().zip(&kernel.shares);
            each.map(|(dispatch, share)| self.alone(routine, at, dispatch, share)).collect()
        };
        let all: Vec<_> = (0..routine.steps.len()).map(why).collect();
        for (step, alone) in routine.steps.iter_mut().zip(all) {
            let Action::Compute { kernel, .. } = &mut step.action else { continue };
            kernel.shares.iter_mut().zip(alone).for_each(|(share, alone)| share.alone = alone);
        }
    }

    fn alone(self, routine: &Routine<Launch>, at: usize, dispatch: &Dispatch, share: &Share) -> Option<Alone> {
        let because = |why: &str| Some(Alone { why: why.to_owned(), missed: false });
        let &[op] = &share.ops[..] else {
            let is_copy = share.ops.is_empty();
            return if is_copy { because("what comes next wants its elements in order") } else { None };
        };
        let is_fused = matches!(dispatch.spec, Spec::Pointwise { .. } | Spec::Together { .. } | Spec::Reduce { .. });
        let between = || self.between(routine, at, &dispatch.spec);
        match &self.program.ops[op].kind {
            OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Attention(_) | OpKind::AttentionGrad(_) => None,
            OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) => Some(between()),
            OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) => Some(between()),
            OpKind::Mask(_) | OpKind::Partial(_) => Some(between()),
            OpKind::Iota(_) | OpKind::Reduce(_) if is_fused => Some(Alone { missed: false, ..between() }),
            OpKind::Reduce(_) | OpKind::ReduceFunc(_) => because("it is no reduction of floats by a monoid"),
            OpKind::Gather(_) | OpKind::DynamicSlice(_) => because("where it reads is known when it runs"),
            OpKind::DynamicUpdateSlice(_) | OpKind::Scatter(_) => because("where it writes is known when it runs"),
            OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) => because("its windows overlap"),
            OpKind::Sort(_) | OpKind::TopK(_) => because("an order is found in several passes"),
            OpKind::Concatenate(_) | OpKind::Pad(_) | OpKind::Reshape(_) => {
                because("it puts elements where no view shows them")
            }
            OpKind::PieceStart(_) | OpKind::Shard(_) => because("it asks where in the mesh the device is"),
            OpKind::Random(_) | OpKind::RngBits(_) => because("its numbers are drawn from their positions"),
            OpKind::Constant(_) | OpKind::Iota(_) => because(OWN),
            OpKind::Broadcast(_) | OpKind::Transpose(_) | OpKind::Reverse(_) | OpKind::Slice(_) => because(OWN),
            OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => because(OWN),
            OpKind::BatchNorm(_) | OpKind::Gelu(_) | OpKind::CrossEntropy(_) => because(OWN),
            OpKind::Momentum(_) | OpKind::Adam(_) | OpKind::Loop(_) => because(OWN),
            OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_) => because(OWN),
            OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_) => because(OWN),
        }
    }

    /// What stands around an op that could have been fused.
    fn between(self, routine: &Routine<Launch>, at: usize, spec: &Spec) -> Alone {
        let (before, behind) = (self.before(routine, at, spec), self.behind(routine, at, spec));
        let list = |all: &[Neighbour]| {
            let mut names: Vec<&str> = all.iter().map(|n| n.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            match &names[..] {
                [] => "numbers".to_owned(),
                [one] => (*one).to_owned(),
                [one, two] => format!("{one} and {two}"),
                [one, two, ..] => format!("{one}, {two} and others"),
            }
        };
        let takes = |all: &[Neighbour]| all.iter().any(|n| n.takes);
        let missed = takes(&before) && takes(&behind);
        Alone { why: format!("it reads {}, and is read by {}", list(&before), list(&behind)), missed }
    }

    fn before(self, routine: &Routine<Launch>, at: usize, spec: &Spec) -> Vec<Neighbour> {
        let of = |slot: Slot| match routine.slots[slot.0 as usize] {
            Held::Input(_) => Some(Neighbour { name: "an input".to_owned(), takes: false }),
            Held::Constant(_) => None,
            Held::Temporary(_) => {
                let writes = |step: &&Step<Launch>| step.writes.iter().any(|span| span.slot == slot);
                routine.steps[..at].iter().rev().find(writes).map(|step| self.neighbour(step, spec, true))
            }
        };
        routine.steps[at].reads.iter().filter_map(|span| of(span.slot)).collect()
    }

    fn behind(self, routine: &Routine<Launch>, at: usize, spec: &Spec) -> Vec<Neighbour> {
        let mut found = Vec::new();
        for span in &routine.steps[at].writes {
            let reads = |step: &&Step<Launch>| step.reads.iter().any(|read| read.slot == span.slot);
            let readers = routine.steps[at + 1..].iter().filter(reads);
            found.extend(readers.map(|step| self.neighbour(step, spec, false)));
            if routine.outputs.iter().any(|output| output.slot == span.slot) {
                found.push(Neighbour { name: "an output".to_owned(), takes: false });
            }
        }
        found
    }

    fn neighbour(self, step: &Step<Launch>, spec: &Spec, is_before: bool) -> Neighbour {
        let kind = self.program.ops[step.op].kind.name();
        let Action::Compute { kernel, .. } = &step.action else {
            return Neighbour { name: format!("`{kind}`"), takes: false };
        };
        let takes = kernel.dispatches.iter().any(|dispatch| takes(&dispatch.spec, spec, is_before));
        let kinds = self.kinds(&Share::of([step]).ops);
        let name = match &kinds[..] {
            [] => "a copy".to_owned(),
            [one] => format!("`{one}`"),
            [one, two] => format!("`{one}, {two}`"),
            [one, two, ..] => format!("`{one}, {two} ...`"),
        };
        Neighbour { name, takes }
    }
}

/// Who computes what an op reads, or reads what it computes.
struct Neighbour {
    name: String,
    /// Whether its kernel goes over the same elements, so that the op could be computed there.
    takes: bool,
}

/// Over how many elements a kernel goes that may compute more for each; nothing for the others.
fn elements(spec: &Spec) -> Option<usize> {
    match spec {
        Spec::Pointwise { count, .. } if !spec.is_copy() => Some(*count),
        Spec::Reduce { lines, .. } => Some(lines.count * lines.items),
        Spec::Product { of, .. } => Some(of.count()),
        _ => None,
    }
}

/// Whether a kernel before or behind one could have computed what that one does.
fn takes(neighbour: &Spec, spec: &Spec, is_before: bool) -> bool {
    // A product computes more once it has its elements, and not before.
    let is_ready = is_before || !matches!(neighbour, Spec::Product { .. });
    is_ready && elements(neighbour).is_some() && elements(neighbour) == elements(spec)
}

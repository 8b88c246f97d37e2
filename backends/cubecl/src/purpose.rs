//! Purpose of each kernel: the ops that it computes, and the reason why a single op was not fused.

use crate::launch::{Dispatch, KernelOps, Launch, NotFused};
use crate::spec::KernelSpec;
use partita_gpu::module::Purpose;
use partita_ir::arena::OpId;
use partita_ir::op::OpKind;
use partita_ir::program::Program;
use partita_lowering::lowerer::CopyOp;
use partita_runtime::routine::{Action, Routine, Slot, SlotKind, Step};
use rustc_hash::FxHashMap;

/// Reason for ops that always have a dedicated kernel.
const DEDICATED_KERNEL: &str = "it has a dedicated kernel";

/// Origin of ops from decomposed composites: number and kind of the composite.
#[derive(Default)]
pub(crate) struct CompositeOrigins {
    composite_of: FxHashMap<OpId, (usize, &'static str)>,
    count: usize,
}

impl CompositeOrigins {
    /// Records the ops of a decomposed composite.
    pub(crate) fn record(&mut self, kind: &'static str, ops: &[OpId]) {
        self.composite_of.extend(ops.iter().map(|&op| (op, (self.count, kind))));
        self.count += 1;
    }
}

/// A program after the decomposition of composites.
#[derive(Clone, Copy)]
pub(crate) struct ExpandedProgram<'a> {
    pub(crate) program: &'a Program,
    pub(crate) origins: &'a CompositeOrigins,
}

impl ExpandedProgram<'_> {
    /// Returns the kinds of ops with their numbers of occurrences, such as `matmul` and `2 add`. The ops of a
    /// decomposed composite count as one op of its kind.
    fn kinds(self, ops: &[OpId]) -> Vec<String> {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        let mut seen: Vec<usize> = Vec::new();
        for op in ops {
            let kind = match self.origins.composite_of.get(op) {
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

    /// Adds a launch to the purpose of its kernel.
    pub(crate) fn add(self, kernel_ops: &KernelOps, purpose: &mut Purpose) {
        if purpose.ops.is_empty() {
            let is_copy = kernel_ops.ops.is_empty();
            purpose.ops = if is_copy { vec!["copy".to_owned()] } else { self.kinds(&kernel_ops.ops) };
            purpose.unfused_reason = kernel_ops.not_fused.as_ref().map(|not_fused| not_fused.reason.clone());
        }
        purpose.missed_fusion |= kernel_ops.not_fused.as_ref().is_some_and(|not_fused| not_fused.missed);
        for &op in &kernel_ops.ops {
            let origin = &self.program.ops[op].origin;
            let place = match origin.line {
                line if !origin.file.is_empty() => format!("{}:{line}", origin.file),
                _ if !origin.scope.is_empty() => origin.scope.to_string(),
                0 => continue,
                line => format!("line {line}"),
            };
            if !purpose.places.contains(&place) {
                purpose.places.push(place);
            }
        }
    }

    /// Determines the ops of each kernel for which they are not recorded yet.
    pub(crate) fn record_ops(self, routine: &mut Routine<Launch>) {
        for step in &mut routine.steps {
            let Action::Compute { kernel, .. } = &mut step.action else { continue };
            if !kernel.kernel_ops.is_empty() {
                continue;
            }
            let kind = &self.program.ops[step.op].kind;
            let copies = CopyOp::from_kind(kind).is_some();
            let kernel_ops = |dispatch: &Dispatch| {
                let is_own = copies || !dispatch.spec.is_copy();
                KernelOps { ops: is_own.then_some(step.op).into_iter().collect(), not_fused: None }
            };
            kernel.kernel_ops = kernel.dispatches.iter().map(kernel_ops).collect();
        }
    }

    /// Determines for each kernel with a single op why it was not fused.
    pub(crate) fn record_reasons(self, routine: &mut Routine<Launch>) {
        let reasons = |at: usize| -> Vec<Option<NotFused>> {
            let Action::Compute { kernel, .. } = &routine.steps[at].action else { return Vec::new() };
            let each = kernel.dispatches.iter().zip(&kernel.kernel_ops);
            each.map(|(dispatch, kernel_ops)| self.unfused_reason(routine, at, dispatch, kernel_ops)).collect()
        };
        let all: Vec<_> = (0..routine.steps.len()).map(reasons).collect();
        for (step, reasons) in routine.steps.iter_mut().zip(all) {
            let Action::Compute { kernel, .. } = &mut step.action else { continue };
            kernel.kernel_ops.iter_mut().zip(reasons).for_each(|(ops, reason)| ops.not_fused = reason);
        }
    }

    fn unfused_reason(
        self,
        routine: &Routine<Launch>,
        at: usize,
        dispatch: &Dispatch,
        kernel_ops: &KernelOps,
    ) -> Option<NotFused> {
        let because = |reason: &str| Some(NotFused { reason: reason.to_owned(), missed: false });
        let &[op] = &kernel_ops.ops[..] else {
            let is_copy = kernel_ops.ops.is_empty();
            return if is_copy { because("its consumer needs a contiguous operand") } else { None };
        };
        let is_fused = matches!(
            dispatch.spec,
            KernelSpec::Pointwise { .. } | KernelSpec::Horizontal { .. } | KernelSpec::Reduce { .. }
        );
        let neighbours = || self.neighbour_reason(routine, at, &dispatch.spec);
        match &self.program.ops[op].kind {
            OpKind::DotGeneral(_) | OpKind::Convolution(_) | OpKind::Attention(_) | OpKind::AttentionGrad(_) => None,
            OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) => Some(neighbours()),
            OpKind::Clamp(_) | OpKind::Convert(_) | OpKind::Bitcast(_) => Some(neighbours()),
            OpKind::Mask(_) | OpKind::Partial(_) => Some(neighbours()),
            OpKind::Iota(_) | OpKind::Reduce(_) if is_fused => Some(NotFused { missed: false, ..neighbours() }),
            OpKind::Reduce(_) | OpKind::ReduceFunc(_) => because("only reductions of floats by a monoid are fused"),
            OpKind::Gather(_) | OpKind::DynamicSlice(_) => because("its read addresses depend on data"),
            OpKind::DynamicUpdateSlice(_) | OpKind::Scatter(_) => because("its write addresses depend on data"),
            OpKind::ReduceWindow(_) | OpKind::SelectAndScatter(_) => because("its windows overlap"),
            OpKind::Sort(_) | OpKind::TopK(_) => because("it needs several passes"),
            OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) => {
                because(DEDICATED_KERNEL)
            }
            OpKind::Qr(_) | OpKind::HouseholderProduct(_) | OpKind::Svd(_) => because(DEDICATED_KERNEL),
            OpKind::Eigh(_)
            | OpKind::Eig(_)
            | OpKind::Hessenberg(_)
            | OpKind::TridiagonalSolve(_)
            | OpKind::CustomCall(_) => because(DEDICATED_KERNEL),
            OpKind::Concatenate(_) | OpKind::Pad(_) | OpKind::Reshape(_) => {
                because("no strided view represents its result")
            }
            OpKind::ShardStart(_) | OpKind::Shard(_) => because("it depends on the mesh coordinates of the device"),
            OpKind::Random(_) | OpKind::RngBits(_) => because("its numbers are computed from element positions"),
            OpKind::Constant(_) | OpKind::Iota(_) => because(DEDICATED_KERNEL),
            OpKind::Broadcast(_) | OpKind::Transpose(_) | OpKind::Reverse(_) | OpKind::Slice(_) => {
                because(DEDICATED_KERNEL)
            }
            OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => {
                because(DEDICATED_KERNEL)
            }
            OpKind::BatchNorm(_) | OpKind::Gelu(_) | OpKind::CrossEntropy(_) => because(DEDICATED_KERNEL),
            OpKind::Momentum(_) | OpKind::Adam(_) | OpKind::Loop(_) => because(DEDICATED_KERNEL),
            OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_) => {
                because(DEDICATED_KERNEL)
            }
            OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_) => because(DEDICATED_KERNEL),
        }
    }

    /// Returns the reason for a fusible op: its producers and consumers.
    fn neighbour_reason(self, routine: &Routine<Launch>, at: usize, spec: &KernelSpec) -> NotFused {
        let (producers, consumers) = (self.producers(routine, at, spec), self.consumers(routine, at, spec));
        let list = |all: &[Neighbour]| {
            let mut names: Vec<&str> = all.iter().map(|n| n.name.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            match &names[..] {
                [] => "constants".to_owned(),
                [one] => (*one).to_owned(),
                [one, two] => format!("{one} and {two}"),
                [one, two, ..] => format!("{one}, {two} and others"),
            }
        };
        let could_fuse = |all: &[Neighbour]| all.iter().any(|n| n.could_fuse);
        let missed = could_fuse(&producers) && could_fuse(&consumers);
        NotFused { reason: format!("it reads {}, and is read by {}", list(&producers), list(&consumers)), missed }
    }

    fn producers(self, routine: &Routine<Launch>, at: usize, spec: &KernelSpec) -> Vec<Neighbour> {
        let of = |slot: Slot| match routine.slots[slot.0 as usize] {
            SlotKind::Input(_) => Some(Neighbour { name: "an input".to_owned(), could_fuse: false }),
            SlotKind::Constant(_) => None,
            SlotKind::Temporary(_) => {
                let writes = |step: &&Step<Launch>| step.writes.iter().any(|span| span.slot == slot);
                routine.steps[..at].iter().rev().find(writes).map(|step| self.neighbour(step, spec, true))
            }
        };
        routine.steps[at].reads.iter().filter_map(|span| of(span.slot)).collect()
    }

    fn consumers(self, routine: &Routine<Launch>, at: usize, spec: &KernelSpec) -> Vec<Neighbour> {
        let mut found = Vec::new();
        for span in &routine.steps[at].writes {
            let reads = |step: &&Step<Launch>| step.reads.iter().any(|read| read.slot == span.slot);
            let readers = routine.steps[at + 1..].iter().filter(reads);
            found.extend(readers.map(|step| self.neighbour(step, spec, false)));
            if routine.outputs.iter().any(|output| output.slot == span.slot) {
                found.push(Neighbour { name: "an output".to_owned(), could_fuse: false });
            }
        }
        found
    }

    fn neighbour(self, step: &Step<Launch>, spec: &KernelSpec, is_before: bool) -> Neighbour {
        let kind = self.program.ops[step.op].kind.name();
        let Action::Compute { kernel, .. } = &step.action else {
            return Neighbour { name: format!("`{kind}`"), could_fuse: false };
        };
        let could_fuse = kernel.dispatches.iter().any(|dispatch| could_fuse(&dispatch.spec, spec, is_before));
        let kinds = self.kinds(&KernelOps::from_steps([step]).ops);
        let name = match &kinds[..] {
            [] => "a copy".to_owned(),
            [one] => format!("`{one}`"),
            [one, two] => format!("`{one}, {two}`"),
            [one, two, ..] => format!("`{one}, {two} ...`"),
        };
        Neighbour { name, could_fuse }
    }
}

/// A kernel that computes an operand of an op or reads its result.
struct Neighbour {
    name: String,
    /// True if the kernel iterates over the same elements, so that it could compute the op.
    could_fuse: bool,
}

/// Returns the number of elements over which a kernel iterates, or `None` if the kernel cannot be fused with others.
fn elements(spec: &KernelSpec) -> Option<usize> {
    match spec {
        KernelSpec::Pointwise { count, .. } if !spec.is_copy() => Some(*count),
        KernelSpec::Reduce { lines, .. } => Some(lines.count * lines.items),
        KernelSpec::Product { kind, .. } => Some(kind.count()),
        _ => None,
    }
}

/// Returns true if an adjacent kernel iterates over the same elements as `spec` and could compute it.
fn could_fuse(neighbour: &KernelSpec, spec: &KernelSpec, is_before: bool) -> bool {
    // A product can be fused with ops on its result, but not with ops on its operands.
    let is_ready = is_before || !matches!(neighbour, KernelSpec::Product { .. });
    is_ready && elements(neighbour).is_some() && elements(neighbour) == elements(spec)
}

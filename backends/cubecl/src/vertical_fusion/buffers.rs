//! Buffers of two fused steps.

use super::fuse_specs;
use crate::kernels::steps::Step;
use crate::launch::{Arg, Dispatch, Launch};
use crate::spec::KernelSpec;
use partita_runtime::routine::{self, Slot, Span};

/// Buffer number of the intermediate value, which the first of two fused kernels stores and the second loads. The fused
/// kernel needs no buffer for it.
pub(super) const INTERMEDIATE: usize = usize::MAX;

/// Operands and results of two fused steps, without the intermediate value.
pub(super) struct FusedSpans<'s> {
    steps: [&'s routine::Step<Launch>; 2],
    /// The producer's result and the consumer's operand that are the same value.
    intermediate: [Arg; 2],
    reads: Vec<Span>,
    writes: Vec<Span>,
}

/// Buffers of a kernel, by kind.
#[derive(Default)]
struct FusedArgs {
    reads: Vec<Arg>,
    words: Vec<Arg>,
    halves: Vec<Arg>,
}

fn position<T: PartialEq>(all: &mut Vec<T>, one: T) -> usize {
    all.iter().position(|other| *other == one).unwrap_or_else(|| {
        all.push(one);
        all.len() - 1
    })
}

impl<'s> FusedSpans<'s> {
    pub(super) fn new(
        producer: &'s routine::Step<Launch>,
        consumer: &'s routine::Step<Launch>,
        write: usize,
        read: usize,
    ) -> FusedSpans<'s> {
        let intermediate = [Arg::Write(write), Arg::Read(read)];
        FusedSpans { steps: [producer, consumer], intermediate, reads: Vec::new(), writes: Vec::new() }
    }

    /// Returns the kernel that fuses `first` and `second`. Other results of the producer, and with `stored` the
    /// intermediate value, are stored only if the second kernel is the only one of its step. Returns `None` if the
    /// kernels cannot be fused.
    pub(super) fn dispatch(
        &mut self,
        first: &Dispatch,
        second: &Dispatch,
        (is_only, stored): (bool, bool),
    ) -> Option<Dispatch> {
        let mut args = FusedArgs::default();
        let reads_intermediate = second.args.contains(&self.intermediate[1]);
        let stores_more = first.args.iter().filter(|arg| matches!(arg, Arg::Write(_))).count() > 1;
        if !is_only && (stores_more || stored) {
            return None;
        }
        let before = if reads_intermediate { Some(self.renumbered(0, first, &mut args)) } else { None };
        let consumer = self.renumbered(1, second, &mut args);
        let stored = if stored { Some(self.stored(first, &mut args)?) } else { None };
        let (reads, writes) = (args.reads.len(), args.words.len() + args.halves.len());
        let spec = match before {
            Some(before) => fuse_specs(before, consumer, stored)?,
            None => consumer,
        };
        let spec = with_buffers(spec, reads, writes)?;
        Some(Dispatch { spec, args: [args.reads, args.words, args.halves].concat() })
    }

    /// Returns the number of the result that stores the intermediate value.
    fn stored(&mut self, first: &Dispatch, args: &mut FusedArgs) -> Option<usize> {
        let Arg::Write(write) = self.intermediate[0] else { return None };
        let mut spec = first.spec.clone();
        let halves = Step::halves(programs(&mut spec).into_iter().flat_map(|steps| &*steps));
        let is_half = first.args.iter().position(|arg| *arg == self.intermediate[0])? >= first.args.len() - halves;
        let number = Arg::Write(position(&mut self.writes, self.steps[0].writes[write]));
        Some(position(if is_half { &mut args.halves } else { &mut args.words }, number))
    }

    /// Returns the kernel of one of the steps with the buffer numbers of the fused kernel.
    fn renumbered(&mut self, which: usize, dispatch: &Dispatch, args: &mut FusedArgs) -> KernelSpec {
        let mut spec = dispatch.spec.clone();
        let (reads, writes) = spec.buffers();
        let words = reads + writes - Step::halves(programs(&mut spec).into_iter().flat_map(|steps| &*steps));
        let mut number = |at: usize, kind: fn(&mut FusedArgs) -> &mut Vec<Arg>| match dispatch.args[at] {
            arg if arg == self.intermediate[which] => INTERMEDIATE,
            Arg::Read(i) => {
                let span = self.steps[which].reads[i];
                position(kind(args), Arg::Read(position(&mut self.reads, span)))
            }
            Arg::Write(i) => {
                let span = self.steps[which].writes[i];
                position(kind(args), Arg::Write(position(&mut self.writes, span)))
            }
            other => position(kind(args), other),
        };
        let numbers: Vec<usize> = (0..reads + writes)
            .map(|at| match at {
                _ if at < reads => number(at, |args| &mut args.reads),
                _ if at < words => number(at, |args| &mut args.words),
                _ => number(at, |args| &mut args.halves),
            })
            .collect();
        for step in programs(&mut spec).into_iter().flatten() {
            if let Some(memory) = step.reads_mut() {
                *memory = numbers[*memory];
            } else if let Some(memory) = step.writes_mut() {
                *memory = numbers[reads + *memory];
            } else if let Some(memory) = step.writes_half_mut() {
                *memory = numbers[words + *memory];
            }
        }
        spec
    }

    /// Returns the pairs (write, read) of the fused step that may share memory: only one of the kernels may read the
    /// operand.
    pub(super) fn in_place(&self, before: &[(usize, usize)], after: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let [producer, consumer] = self.steps;
        let reads = |step: &routine::Step<Launch>, slot: Slot| step.reads.iter().any(|span| span.slot == slot);
        let now = |write: Span, read: Span| {
            let write = self.writes.iter().position(|span| *span == write)?;
            Some((write, self.reads.iter().position(|span| *span == read)?))
        };
        let of_producer = before.iter().filter(|(_, r)| !reads(consumer, producer.reads[*r].slot));
        let of_consumer = after.iter().filter(|(_, r)| !reads(producer, consumer.reads[*r].slot));
        let of_producer = of_producer.filter_map(|&(w, r)| now(producer.writes[w], producer.reads[r]));
        of_producer.chain(of_consumer.filter_map(|&(w, r)| now(consumer.writes[w], consumer.reads[r]))).collect()
    }

    /// Returns all operands and results.
    pub(super) fn into_spans(self) -> (Vec<Span>, Vec<Span>) {
        (self.reads, self.writes)
    }
}

/// Returns the programs of a kernel, if the kernel supports fusion.
fn programs(spec: &mut KernelSpec) -> Vec<&mut Vec<Step>> {
    match spec {
        KernelSpec::Pointwise { steps, .. } => vec![steps],
        KernelSpec::Reduce { stages, each, once, .. } => {
            stages.iter_mut().map(|stage| &mut stage.steps).chain([each, once]).collect()
        }
        _ => Vec::new(),
    }
}

fn with_buffers(spec: KernelSpec, reads: usize, writes: usize) -> Option<KernelSpec> {
    match spec {
        KernelSpec::Pointwise { count, steps, .. } => Some(KernelSpec::Pointwise { reads, writes, count, steps }),
        KernelSpec::Reduce { lines, stages, each, once, .. } => {
            Some(KernelSpec::Reduce { reads, writes, lines, stages, each, once })
        }
        _ => None,
    }
}

//! The operands and results of two steps as those of one.

use super::both;
use crate::kernels::steps::Step;
use crate::launch::{Arg, Dispatch, Launch};
use crate::spec::Spec;
use partita_runtime::routine::{self, Slot, Span};

/// The number of the buffer that there is no more.
pub(super) const HANDED: usize = usize::MAX;

/// Operands and results of both, but for what the first hands to the second.
pub(super) struct Spans<'s> {
    steps: [&'s routine::Step<Launch>; 2],
    /// The first one's result, and the second one's operand.
    handed: [Arg; 2],
    reads: Vec<Span>,
    writes: Vec<Span>,
}

/// Buffers of a kernel, by kind.
#[derive(Default)]
struct Args {
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

impl<'s> Spans<'s> {
    pub(super) fn of(
        front: &'s routine::Step<Launch>,
        behind: &'s routine::Step<Launch>,
        write: usize,
        read: usize,
    ) -> Spans<'s> {
        let handed = [Arg::Write(write), Arg::Read(read)];
        Spans { steps: [front, behind], handed, reads: Vec::new(), writes: Vec::new() }
    }

    /// One kernel that does what two do. What the first stores besides, and what is handed on if it is to be kept, is
    /// stored only if the second one is the only one of its step.
    pub(super) fn dispatch(
        &mut self,
        first: &Dispatch,
        second: &Dispatch,
        (is_only, kept): (bool, bool),
    ) -> Option<Dispatch> {
        let mut args = Args::default();
        let asks = second.args.contains(&self.handed[1]);
        let stores_more = first.args.iter().filter(|arg| matches!(arg, Arg::Write(_))).count() > 1;
        if !is_only && (stores_more || kept) {
            return None;
        }
        let before = if asks { Some(self.numbered(0, first, &mut args)) } else { None };
        let behind = self.numbered(1, second, &mut args);
        let kept = if kept { Some(self.kept(first, &mut args)?) } else { None };
        let (reads, writes) = (args.reads.len(), args.words.len() + args.halves.len());
        let spec = match before {
            Some(before) => both(before, behind, kept)?,
            None => behind,
        };
        let spec = with_buffers(spec, reads, writes)?;
        Some(Dispatch { spec, args: [args.reads, args.words, args.halves].concat() })
    }

    /// The number of the result in which what is handed on is kept.
    fn kept(&mut self, first: &Dispatch, args: &mut Args) -> Option<usize> {
        let Arg::Write(write) = self.handed[0] else { return None };
        let mut spec = first.spec.clone();
        let halves = Step::halves(programs(&mut spec).into_iter().flat_map(|steps| &*steps));
        let is_half = first.args.iter().position(|arg| *arg == self.handed[0])? >= first.args.len() - halves;
        let number = Arg::Write(position(&mut self.writes, self.steps[0].writes[write]));
        Some(position(if is_half { &mut args.halves } else { &mut args.words }, number))
    }

    /// The kernel of one of the steps with the numbers that its buffers have now.
    fn numbered(&mut self, which: usize, dispatch: &Dispatch, args: &mut Args) -> Spec {
        let mut spec = dispatch.spec.clone();
        let (reads, writes) = spec.buffers();
        let words = reads + writes - Step::halves(programs(&mut spec).into_iter().flat_map(|steps| &*steps));
        let mut number = |at: usize, kind: fn(&mut Args) -> &mut Vec<Arg>| match dispatch.args[at] {
            arg if arg == self.handed[which] => HANDED,
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

    /// Which results may take the place of which operands: where only one of the kernels reads that operand.
    pub(super) fn in_place(&self, before: &[(usize, usize)], after: &[(usize, usize)]) -> Vec<(usize, usize)> {
        let [front, behind] = self.steps;
        let reads = |step: &routine::Step<Launch>, slot: Slot| step.reads.iter().any(|span| span.slot == slot);
        let now = |write: Span, read: Span| {
            let write = self.writes.iter().position(|span| *span == write)?;
            Some((write, self.reads.iter().position(|span| *span == read)?))
        };
        let of_front = before.iter().filter(|(_, r)| !reads(behind, front.reads[*r].slot));
        let of_behind = after.iter().filter(|(_, r)| !reads(front, behind.reads[*r].slot));
        let of_front = of_front.filter_map(|&(w, r)| now(front.writes[w], front.reads[r]));
        of_front.chain(of_behind.filter_map(|&(w, r)| now(behind.writes[w], behind.reads[r]))).collect()
    }

    /// All operands and results.
    pub(super) fn all(self) -> (Vec<Span>, Vec<Span>) {
        (self.reads, self.writes)
    }
}

/// The programs of a kernel that may be joined.
fn programs(spec: &mut Spec) -> Vec<&mut Vec<Step>> {
    match spec {
        Spec::Pointwise { steps, .. } => vec![steps],
        Spec::Reduce { stages, each, once, .. } => {
            stages.iter_mut().map(|stage| &mut stage.steps).chain([each, once]).collect()
        }
        _ => Vec::new(),
    }
}

fn with_buffers(spec: Spec, reads: usize, writes: usize) -> Option<Spec> {
    match spec {
        Spec::Pointwise { count, steps, .. } => Some(Spec::Pointwise { reads, writes, count, steps }),
        Spec::Reduce { lines, stages, each, once, .. } => {
            Some(Spec::Reduce { reads, writes, lines, stages, each, once })
        }
        _ => None,
    }
}

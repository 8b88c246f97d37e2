//! Epilogues: what is computed from the elements of a product alone is computed where they are, so that they need not
//! be read again.

use crate::gpu::Gpu;
use crate::kernels::steps::{At, Lane, Step};
use crate::launch::{Arg, Dispatch, Launch, Share};
use crate::spec::Spec;
use crate::uses::{join_neighbours, only};
use partita_runtime::routine::{self, Action, Routine, Span};

/// Lets products do what stands behind them.
pub(crate) fn fuse(gpu: Gpu, routine: &mut Routine<Launch>) {
    join_neighbours(routine, |front, behind, read, kept| merge(gpu, front, behind, read, kept));
}

/// A product with the program that reads it as its `read`th operand; its elements are stored, too, if they are `kept`.
fn merge(
    gpu: Gpu,
    front: &routine::Step<Launch>,
    behind: &routine::Step<Launch>,
    read: usize,
    kept: bool,
) -> Option<routine::Step<Launch>> {
    let Spec::Product { of, reads: 0, writes: 1, epilogue } = &only(front)?.spec else { return None };
    let [Step::Reduced { half, .. }, store] = &epilogue[..] else { return None };
    let dispatch = only(behind)?;
    let Spec::Pointwise { reads, writes, count, steps } = &dispatch.spec else { return None };
    let memory = dispatch.args.iter().position(|arg| *arg == Arg::Read(read))?;
    if *count != of.count() || reads + writes + 1 + usize::from(kept) > gpu.most_buffers() {
        return None;
    }
    let mut epilogue = Vec::new();
    let (mut floats, mut element) = (0, None);
    for step in steps {
        let mut step = step.clone();
        match &step {
            // The program runs over the elements as they lie in memory.
            Step::Load { memory: from, at, lane: Lane::F32 } | Step::LoadHalf { memory: from, at, .. }
                if *from == memory =>
            {
                if *at != At::dense() {
                    return None;
                }
                element.get_or_insert(floats);
                step = Step::Reduced { number: 0, half: *half };
            }
            _ => match step.reads_mut() {
                Some(from) if *from == memory => return None,
                Some(from) if *from > memory => *from -= 1,
                _ => {}
            },
        }
        floats += usize::from(step.gives() == Some(Lane::F32));
        epilogue.push(step);
    }
    let moved = |r: usize| if r > read { r + 1 } else { r + 2 };
    let mut args = vec![Arg::Read(0), Arg::Read(1)];
    args.extend(dispatch.args.iter().filter(|arg| **arg != Arg::Read(read)).map(|arg| match *arg {
        Arg::Read(r) => Arg::Read(moved(r)),
        other => other,
    }));
    let others = behind.reads.iter().enumerate().filter(|(r, _)| *r != read).map(|(_, span)| *span);
    let all_reads: Vec<Span> = front.reads.iter().copied().chain(others).collect();
    let mut all_writes = behind.writes.clone();
    if kept {
        let (mut store, halves) = (store.clone(), Step::halves(steps));
        let (words, own) = (args.len() - halves, Arg::Write(all_writes.len()));
        all_writes.push(front.writes[0]);
        match &mut store {
            Step::StoreHalf { memory, a, .. } => {
                (*memory, *a) = (halves, element?);
                args.push(own);
            }
            Step::Store { memory, a, .. } => {
                (*memory, *a) = (writes - halves, element?);
                args.insert(words, own);
            }
            _ => return None,
        }
        epilogue.push(store);
    }
    let Action::Compute { scratch, ref in_place, .. } = behind.action else { return None };
    // Others still read the matrices when an element is written.
    let is_matrix = |r: usize| front.reads.iter().any(|span| span.slot == behind.reads[r].slot);
    let in_place = in_place.iter().filter(|&&(_, r)| r != read && !is_matrix(r)).map(|&(w, r)| (w, moved(r))).collect();
    let spec = Spec::Product { of: of.clone(), reads: reads - 1, writes: writes + usize::from(kept), epilogue };
    let kernel = Launch::new(vec![Dispatch { spec, args }]).with(vec![Share::of([front, behind])]);
    let action = Action::Compute { kernel, scratch, in_place };
    Some(routine::Step { op: behind.op, reads: all_reads, writes: all_writes, action })
}

//! Chains: what goes over the same elements one after the other is computed in one kernel, so that what is between is
//! neither written nor read. Ops that go together were fused when they were lowered; here their loops meet what they
//! know nothing of: masks, places of devices, gathers, random numbers, boxes.

mod buffers;
mod programs;

use crate::gpu::Gpu;
use crate::kernels::reduce::Stage;
use crate::kernels::steps::{At, Step};
use crate::launch::{Arg, Dispatch, Launch, Share};
use crate::spec::Spec;
use crate::uses::join_neighbours;
use buffers::Spans;
use partita_runtime::routine::{self, Action, Routine, Slot};
use programs::{Front, Given, asks, store_last};

/// A longer program is not joined any more.
const MOST_STEPS: usize = 512;

/// Joins programs that follow each other.
pub(crate) fn fuse(gpu: Gpu, routine: &mut Routine<Launch>) {
    join_neighbours(routine, |front, behind, read, kept| join(gpu, front, behind, read, kept));
}

fn join(
    gpu: Gpu,
    front: &routine::Step<Launch>,
    behind: &routine::Step<Launch>,
    read: usize,
    kept: bool,
) -> Option<routine::Step<Launch>> {
    let Action::Compute { kernel: first, scratch: 0, in_place: before } = &front.action else { return None };
    let Action::Compute { kernel: second, scratch, in_place: after } = &behind.action else { return None };
    let ([first], Some(write)) =
        (&first.dispatches[..], front.writes.iter().position(|w| w.slot == behind.reads[read].slot))
    else {
        return None;
    };
    // What else the first gives is not there yet when the second would read it.
    let is_read = |slot: Slot| behind.reads.iter().filter(|span| span.slot == slot).count();
    if front.writes.iter().map(|span| is_read(span.slot)).sum::<usize>() != 1 {
        return None;
    }
    let mut spans = Spans::of(front, behind, write, read);
    let dispatches = second.dispatches.iter().map(|dispatch| {
        let is_only = second.dispatches.len() == 1;
        let joined = spans.dispatch(first, dispatch, (is_only, kept))?;
        let had = first.args.len().max(dispatch.args.len());
        (joined.args.len() <= gpu.most_buffers().max(had)).then_some(joined)
    });
    let dispatches: Vec<Dispatch> = dispatches.collect::<Option<_>>()?;
    let in_place = spans.in_place(before, after);
    let (reads, writes) = spans.all();
    let own = Share::of([front]);
    let share = |(dispatch, share): (&Dispatch, &Share)| {
        let asks = dispatch.args.contains(&Arg::Read(read));
        if asks { Share::both(&own, share) } else { share.clone() }
    };
    let shares = second.dispatches.iter().zip(&second.shares).map(share).collect();
    let action = Action::Compute { kernel: Launch::new(dispatches).with(shares), scratch: *scratch, in_place };
    Some(routine::Step { op: behind.op, reads, writes, action })
}

/// A kernel that does what two do, whose programs number their buffers alike; what is handed on has the number
/// [`HANDED`](buffers::HANDED) in both. It may be kept in memory, too, in the result of that number.
fn both(first: Spec, second: Spec, kept: Option<usize>) -> Option<Spec> {
    match (first, second) {
        (first, _) if first.is_copy() => None,
        (_, Spec::Reduce { .. }) if kept.is_some() => None,
        (Spec::Pointwise { count, steps, .. }, Spec::Pointwise { count: all, steps: last, reads, writes }) => {
            let (front, mut others) = Front::of(steps, count, Given::default())?;
            others.extend(kept.map(|memory| front.store(memory)));
            let fits = count == all || (count == 1 && others.is_empty() && front.is_everywhere());
            let steps = front.then(count, last)?;
            let fits = fits && steps.len() <= MOST_STEPS;
            fits.then(|| Spec::Pointwise { reads, writes, count: all, steps: store_last([steps, others].concat()) })
        }
        (Spec::Pointwise { count, steps, .. }, Spec::Reduce { reads, writes, lines, stages, each, once }) => {
            let (front, others) = Front::of(steps, count, Given::default())?;
            let fits = count == lines.count * lines.items || (count == 1 && front.is_everywhere());
            if !others.is_empty() || !fits {
                return None;
            }
            let before = if lines.is_kept() { before_kept_lines } else { before_long_lines };
            let (stages, each) = before(&front, count, stages, each)?;
            let once = if asks(&once) { front.then(count, once)? } else { once };
            Some(Spec::Reduce { reads, writes, lines, stages, each, once })
        }
        (Spec::Reduce { reads, writes, lines, stages, each, once }, Spec::Pointwise { count, steps, .. }) => {
            let behind = |last: Vec<Step>, before: Given| {
                let (front, mut others) = Front::of(last, count, before)?;
                others.extend(kept.map(|memory| front.store(memory)));
                let steps = front.then(count, steps)?;
                (steps.len() <= MOST_STEPS).then(|| store_last([steps, others].concat()))
            };
            if count == lines.count * lines.items && count > 1 {
                let known =
                    if lines.is_kept() { stages.iter().map(|stage| &stage.steps[..]).collect() } else { vec![] };
                let each = behind(each, Given::of(known.into_iter().flatten()))?;
                return Some(Spec::Reduce { reads, writes, lines, stages, each, once });
            }
            let is_total = lines.count == 1 && count == 1;
            let once = if is_total { behind(once, Given::default())? } else { return None };
            Some(Spec::Reduce { reads, writes, lines, stages, each, once })
        }
        _ => None,
    }
}

/// Of short lines the programs go on with each other's registers: what is handed on is computed in front of the first
/// one that asks for it.
fn before_kept_lines(
    front: &Front,
    count: usize,
    mut stages: Vec<Stage>,
    each: Vec<Step>,
) -> Option<(Vec<Stage>, Vec<Step>)> {
    let which = stages.iter().position(|stage| asks(&stage.steps)).unwrap_or(stages.len());
    if which == stages.len() && !asks(&each) {
        return Some((stages, each));
    }
    let before = Given::of(stages[..which].iter().flat_map(|stage| &stage.steps));
    // As one program, which is cut again.
    let behind = stages[which..].iter().flat_map(|stage| &stage.steps).chain(&each).cloned().collect();
    let mut steps = front.between(before, count, behind)?.into_iter();
    if steps.len() > MOST_STEPS {
        return None;
    }
    let mut more = front.len();
    for stage in &mut stages[which..] {
        stage.steps = steps.by_ref().take(stage.steps.len() + std::mem::take(&mut more)).collect();
        if stage.a >= before.floats() {
            stage.a += front.floats();
        }
    }
    Some((stages, steps.collect()))
}

/// Of long lines each program has registers of its own, and computes what it is handed for itself.
fn before_long_lines(
    front: &Front,
    count: usize,
    mut stages: Vec<Stage>,
    each: Vec<Step>,
) -> Option<(Vec<Stage>, Vec<Step>)> {
    /// More steps are not repeated.
    const FEW: usize = 48;
    let times = stages.iter().map(|stage| &stage.steps).chain([&each]).filter(|steps| asks(steps)).count();
    if times > 1 && front.len() > FEW {
        return None;
    }
    for stage in stages.iter_mut().filter(|stage| asks(&stage.steps)) {
        stage.steps = front.then(count, std::mem::take(&mut stage.steps))?;
        stage.a += front.floats();
    }
    let each = if asks(&each) { front.then(count, each)? } else { each };
    Some((stages, each))
}

/// Whether a place is the element itself.
fn is_dense(at: &At, count: usize) -> bool {
    *at == At::dense() || (count == 1 && at.terms.is_empty() && at.offset == 0)
}

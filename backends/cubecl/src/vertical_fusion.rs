//! Vertical fusion: a kernel and a later kernel that reads its result element by element become one, so that the
//! intermediate value needs no memory traffic.
//!
//! Elementwise ops and reductions are already fused during lowering. This pass adds ops that are lowered to separate
//! programs: masks, device coordinates, gathers, random numbers, dynamic slices.

mod buffers;
mod programs;

use crate::def_use::fuse_neighbours;
use crate::gpu::Gpu;
use crate::kernels::reduce::Stage;
use crate::kernels::steps::{AddressMap, Step};
use crate::launch::{Arg, Dispatch, KernelOps, Launch};
use crate::spec::KernelSpec;
use buffers::FusedSpans;
use partita_runtime::routine::{self, Action, Routine, Slot};
use programs::{Producer, RegCounts, reads_intermediate, store_last};

/// Maximum steps of a fused program.
const MAX_STEPS: usize = 512;

/// Fuses producers into their consumers.
pub(crate) fn fuse(gpu: Gpu, routine: &mut Routine<Launch>) {
    fuse_neighbours(routine, |producer, consumer, read, stored| fuse_steps(gpu, producer, consumer, read, stored));
}

fn fuse_steps(
    gpu: Gpu,
    producer: &routine::Step<Launch>,
    consumer: &routine::Step<Launch>,
    read: usize,
    stored: bool,
) -> Option<routine::Step<Launch>> {
    let Action::Compute { kernel: first, scratch: 0, in_place: before } = &producer.action else { return None };
    let Action::Compute { kernel: second, scratch, in_place: after } = &consumer.action else { return None };
    let ([first], Some(write)) =
        (&first.dispatches[..], producer.writes.iter().position(|w| w.slot == consumer.reads[read].slot))
    else {
        return None;
    };
    // The consumer must read no other result of the producer, since it does not exist yet when the fused kernel reads
    // it.
    let is_read = |slot: Slot| consumer.reads.iter().filter(|span| span.slot == slot).count();
    if producer.writes.iter().map(|span| is_read(span.slot)).sum::<usize>() != 1 {
        return None;
    }
    let mut spans = FusedSpans::new(producer, consumer, write, read);
    let dispatches = second.dispatches.iter().map(|dispatch| {
        let is_only = second.dispatches.len() == 1;
        let joined = spans.dispatch(first, dispatch, (is_only, stored))?;
        let had = first.args.len().max(dispatch.args.len());
        (joined.args.len() <= gpu.max_buffers().max(had)).then_some(joined)
    });
    let dispatches: Vec<Dispatch> = dispatches.collect::<Option<_>>()?;
    let in_place = spans.in_place(before, after);
    let (reads, writes) = spans.into_spans();
    let own = KernelOps::from_steps([producer]);
    let ops = |(dispatch, ops): (&Dispatch, &KernelOps)| {
        let reads_intermediate = dispatch.args.contains(&Arg::Read(read));
        if reads_intermediate { KernelOps::concat(&own, ops) } else { ops.clone() }
    };
    let kernel_ops = second.dispatches.iter().zip(&second.kernel_ops).map(ops).collect();
    let action =
        Action::Compute { kernel: Launch::new(dispatches).with_kernel_ops(kernel_ops), scratch: *scratch, in_place };
    Some(routine::Step { op: consumer.op, reads, writes, action })
}

/// Returns a kernel that computes `first` and then `second`. Both number their buffers consistently; the intermediate
/// value has the number [`INTERMEDIATE`](buffers::INTERMEDIATE). With `stored`, the intermediate value is also stored
/// in the result with that number.
fn fuse_specs(first: KernelSpec, second: KernelSpec, stored: Option<usize>) -> Option<KernelSpec> {
    match (first, second) {
        (first, _) if first.is_copy() => None,
        (_, KernelSpec::Reduce { .. }) if stored.is_some() => None,
        (
            KernelSpec::Pointwise { count, steps, .. },
            KernelSpec::Pointwise { count: all, steps: last, reads, writes },
        ) => {
            let (producer, mut others) = Producer::new(steps, count, RegCounts::default())?;
            others.extend(stored.map(|memory| producer.store(memory)));
            let fits = count == all || (count == 1 && others.is_empty() && producer.is_uniform());
            let steps = producer.followed_by(count, last)?;
            let fits = fits && steps.len() <= MAX_STEPS;
            fits.then(|| KernelSpec::Pointwise {
                reads,
                writes,
                count: all,
                steps: store_last([steps, others].concat()),
            })
        }
        (
            KernelSpec::Pointwise { count, steps, .. },
            KernelSpec::Reduce { reads, writes, lines, stages, each, once },
        ) => {
            let (producer, others) = Producer::new(steps, count, RegCounts::default())?;
            let fits = count == lines.count * lines.items || (count == 1 && producer.is_uniform());
            if !others.is_empty() || !fits {
                return None;
            }
            let before = if lines.retains_elements() { insert_before_retained_lines } else { insert_before_long_lines };
            let (stages, each) = before(&producer, count, stages, each)?;
            let once = if reads_intermediate(&once) { producer.followed_by(count, once)? } else { once };
            Some(KernelSpec::Reduce { reads, writes, lines, stages, each, once })
        }
        (
            KernelSpec::Reduce { reads, writes, lines, stages, each, once },
            KernelSpec::Pointwise { count, steps, .. },
        ) => {
            let consumer = |last: Vec<Step>, before: RegCounts| {
                let (producer, mut others) = Producer::new(last, count, before)?;
                others.extend(stored.map(|memory| producer.store(memory)));
                let steps = producer.followed_by(count, steps)?;
                (steps.len() <= MAX_STEPS).then(|| store_last([steps, others].concat()))
            };
            if count == lines.count * lines.items && count > 1 {
                let known = if lines.retains_elements() {
                    stages.iter().map(|stage| &stage.steps[..]).collect()
                } else {
                    vec![]
                };
                let each = consumer(each, RegCounts::new(known.into_iter().flatten()))?;
                return Some(KernelSpec::Reduce { reads, writes, lines, stages, each, once });
            }
            let is_total = lines.count == 1 && count == 1;
            let once = if is_total { consumer(once, RegCounts::default())? } else { return None };
            Some(KernelSpec::Reduce { reads, writes, lines, stages, each, once })
        }
        _ => None,
    }
}

/// Fuses a producer into a reduction that retains its elements in registers. All programs share registers, so the
/// producer is inserted before the first program that reads its value.
fn insert_before_retained_lines(
    producer: &Producer,
    count: usize,
    mut stages: Vec<Stage>,
    each: Vec<Step>,
) -> Option<(Vec<Stage>, Vec<Step>)> {
    let which = stages.iter().position(|stage| reads_intermediate(&stage.steps)).unwrap_or(stages.len());
    if which == stages.len() && !reads_intermediate(&each) {
        return Some((stages, each));
    }
    let before = RegCounts::new(stages[..which].iter().flat_map(|stage| &stage.steps));
    // All later programs are joined to one, which is split again below.
    let consumer = stages[which..].iter().flat_map(|stage| &stage.steps).chain(&each).cloned().collect();
    let mut steps = producer.inserted_before(before, count, consumer)?.into_iter();
    if steps.len() > MAX_STEPS {
        return None;
    }
    let mut more = producer.len();
    for stage in &mut stages[which..] {
        stage.steps = steps.by_ref().take(stage.steps.len() + std::mem::take(&mut more)).collect();
        if stage.a >= before.floats() {
            stage.a += producer.floats();
        }
    }
    Some((stages, steps.collect()))
}

/// Fuses a producer into a reduction over long lines. Each program has separate registers and recomputes the value.
fn insert_before_long_lines(
    producer: &Producer,
    count: usize,
    mut stages: Vec<Stage>,
    each: Vec<Step>,
) -> Option<(Vec<Stage>, Vec<Step>)> {
    /// Maximum steps of a producer that is computed in several programs.
    const MAX_REPEATED_STEPS: usize = 48;
    let times =
        stages.iter().map(|stage| &stage.steps).chain([&each]).filter(|steps| reads_intermediate(steps)).count();
    if times > 1 && producer.len() > MAX_REPEATED_STEPS {
        return None;
    }
    for stage in stages.iter_mut().filter(|stage| reads_intermediate(&stage.steps)) {
        stage.steps = producer.followed_by(count, std::mem::take(&mut stage.steps))?;
        stage.a += producer.floats();
    }
    let each = if reads_intermediate(&each) { producer.followed_by(count, each)? } else { each };
    Some((stages, each))
}

/// Returns true if the address of each element is its index.
fn is_identity(at: &AddressMap, count: usize) -> bool {
    *at == AddressMap::identity() || (count == 1 && at.terms.is_empty() && at.offset == 0)
}

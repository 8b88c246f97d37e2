//! Epilogue fusion: elementwise ops on the result of a matrix product are computed in the product's kernel.

use crate::def_use::{fuse_neighbours, single_dispatch};
use crate::gpu::Gpu;
use crate::kernels::steps::{AddressMap, RegClass, Step};
use crate::launch::{Arg, Dispatch, KernelOps, Launch};
use crate::spec::KernelSpec;
use partita_runtime::routine::{self, Action, Routine, Span};

/// Fuses elementwise consumers into the epilogues of products.
pub(crate) fn fuse(gpu: Gpu, routine: &mut Routine<Launch>) {
    fuse_neighbours(routine, |producer, consumer, read, stored| fuse_epilogue(gpu, producer, consumer, read, stored));
}

/// Fuses a product with the program that reads its result as operand `read`. With `stored`, the product's result is
/// also stored.
fn fuse_epilogue(
    gpu: Gpu,
    producer: &routine::Step<Launch>,
    consumer: &routine::Step<Launch>,
    read: usize,
    stored: bool,
) -> Option<routine::Step<Launch>> {
    let KernelSpec::Product { kind, reads: 0, writes: 1, epilogue } = &single_dispatch(producer)?.spec else {
        return None;
    };
    let [Step::Reduced { half, .. }, store] = &epilogue[..] else { return None };
    let dispatch = single_dispatch(consumer)?;
    let KernelSpec::Pointwise { reads, writes, count, steps } = &dispatch.spec else { return None };
    let memory = dispatch.args.iter().position(|arg| *arg == Arg::Read(read))?;
    if *count != kind.count() || reads + writes + 1 + usize::from(stored) > gpu.max_buffers() {
        return None;
    }
    let mut epilogue = Vec::new();
    let (mut floats, mut element) = (0, None);
    for step in steps {
        let mut step = step.clone();
        match &step {
            // The program must visit the elements in memory order.
            Step::Load { memory: from, at, class: RegClass::F32 } | Step::LoadHalf { memory: from, at, .. }
                if *from == memory =>
            {
                if *at != AddressMap::identity() {
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
        floats += usize::from(step.defines() == Some(RegClass::F32));
        epilogue.push(step);
    }
    let moved = |r: usize| if r > read { r + 1 } else { r + 2 };
    let mut args = vec![Arg::Read(0), Arg::Read(1)];
    args.extend(dispatch.args.iter().filter(|arg| **arg != Arg::Read(read)).map(|arg| match *arg {
        Arg::Read(r) => Arg::Read(moved(r)),
        other => other,
    }));
    let others = consumer.reads.iter().enumerate().filter(|(r, _)| *r != read).map(|(_, span)| *span);
    let all_reads: Vec<Span> = producer.reads.iter().copied().chain(others).collect();
    let mut all_writes = consumer.writes.clone();
    if stored {
        let (mut store, halves) = (store.clone(), Step::halves(steps));
        let (words, own) = (args.len() - halves, Arg::Write(all_writes.len()));
        all_writes.push(producer.writes[0]);
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
    let Action::Compute { scratch, ref in_place, .. } = consumer.action else { return None };
    // Other units still read the matrices while elements are stored, so stores must not overwrite them.
    let is_matrix = |r: usize| producer.reads.iter().any(|span| span.slot == consumer.reads[r].slot);
    let in_place = in_place.iter().filter(|&&(_, r)| r != read && !is_matrix(r)).map(|&(w, r)| (w, moved(r))).collect();
    let spec =
        KernelSpec::Product { kind: kind.clone(), reads: reads - 1, writes: writes + usize::from(stored), epilogue };
    let kernel =
        Launch::new(vec![Dispatch { spec, args }]).with_kernel_ops(vec![KernelOps::from_steps([producer, consumer])]);
    let action = Action::Compute { kernel, scratch, in_place };
    Some(routine::Step { op: consumer.op, reads: all_reads, writes: all_writes, action })
}

//! Small programs that do not wait for each other become one kernel: the steps of an optimizer on a hundred biases are
//! not a hundred launches.

use crate::gpu::Gpu;
use crate::kernels::steps;
use crate::kernels::together::Part;
use crate::launch::{Arg, Dispatch, Launch, Share};
use crate::spec::Spec;
use partita_runtime::routine::{Action, Routine, Slot, Span, Step};

/// A larger program is worth a launch of its own, and had better be done where its operands can go.
const SMALL: usize = 1 << 16;

/// A kernel of more parts takes longer to compile than it saves.
const MOST_PARTS: usize = 64;

/// Puts small programs together as far as their results can wait.
pub(crate) fn fuse(gpu: Gpu, routine: &mut Routine<Launch>) {
    let mut steps = Vec::with_capacity(routine.steps.len());
    let mut open = Open { gpu, parts: Vec::new() };
    for step in std::mem::take(&mut routine.steps) {
        let joins = is_small(&step);
        if open.waits_for(&step) || joins && !open.has_room(&step) {
            steps.extend(open.close());
        }
        if joins {
            open.parts.push(step);
        } else {
            steps.push(step);
        }
    }
    steps.extend(open.close());
    routine.steps = steps;
}

fn is_small(step: &Step<Launch>) -> bool {
    let Action::Compute { kernel, .. } = &step.action else { return false };
    matches!(&kernel.dispatches[..], [Dispatch { spec: Spec::Pointwise { count, .. }, .. }] if *count <= SMALL)
}

/// Steps that are to be put together.
struct Open {
    gpu: Gpu,
    parts: Vec<Step<Launch>>,
}

/// Whether any of the spans is of a slot that one of the others is of.
fn meet(some: &[Span], others: &[Span]) -> bool {
    some.iter().any(|span| others.iter().any(|other| other.slot == span.slot))
}

impl Open {
    /// Whether a step can only come behind what is open.
    fn waits_for(&self, step: &Step<Launch>) -> bool {
        let waits = |part: &Step<Launch>| {
            meet(&step.reads, &part.writes) || meet(&step.writes, &part.writes) || meet(&step.writes, &part.reads)
        };
        self.parts.iter().any(waits)
    }

    fn has_room(&self, step: &Step<Launch>) -> bool {
        let buffers = |step: &Step<Launch>| step.reads.len() + step.writes.len();
        let all: usize = self.parts.iter().map(buffers).sum();
        self.parts.len() < MOST_PARTS && all + buffers(step) <= self.gpu.most_buffers()
    }

    /// What was open, as one step if it can be.
    fn close(&mut self) -> Vec<Step<Launch>> {
        let parts = std::mem::take(&mut self.parts);
        if parts.len() < 2 { parts } else { vec![together(&parts)] }
    }
}

fn together(all: &[Step<Launch>]) -> Step<Launch> {
    let op = all[all.len() - 1].op;
    let count = |slot: Slot| all.iter().flat_map(|step| &step.reads).filter(|span| span.slot == slot).count();
    let (mut reads, mut writes, mut in_place, mut parts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut read_args, mut write_args, mut half_args) = (Vec::new(), Vec::new(), Vec::new());
    for step in all {
        let Action::Compute { kernel, in_place: pairs, .. } = &step.action else { continue };
        let [Dispatch { spec: Spec::Pointwise { reads: part_reads, count: elements, steps: program, .. }, args }] =
            &kernel.dispatches[..]
        else {
            continue;
        };
        let moved = |arg: &Arg| match *arg {
            Arg::Read(r) => Arg::Read(reads.len() + r),
            Arg::Write(w) => Arg::Write(writes.len() + w),
            other => other,
        };
        let words = args.len() - steps::Step::halves(program);
        let mut program = program.clone();
        for step in &mut program {
            if let Some(memory) = step.reads_mut() {
                *memory += read_args.len();
            } else if let Some(memory) = step.writes_mut() {
                *memory += write_args.len();
            } else if let Some(memory) = step.writes_half_mut() {
                *memory += half_args.len();
            }
        }
        parts.push(Part { count: *elements, steps: program });
        read_args.extend(args[..*part_reads].iter().map(moved));
        write_args.extend(args[*part_reads..words].iter().map(moved));
        half_args.extend(args[words..].iter().map(moved));
        // The parts run at the same time: what another one reads must stay.
        let alone = pairs.iter().filter(|&&(_, r)| count(step.reads[r].slot) == 1);
        in_place.extend(alone.map(|&(w, r)| (writes.len() + w, reads.len() + r)));
        reads.extend_from_slice(&step.reads);
        writes.extend_from_slice(&step.writes);
    }
    let spec = Spec::Together { reads: read_args.len(), writes: write_args.len() + half_args.len(), parts };
    let kernel = Launch::new(vec![Dispatch { spec, args: [read_args, write_args, half_args].concat() }])
        .with(vec![Share::of(all)]);
    Step { op, reads, writes, action: Action::Compute { kernel, scratch: 0, in_place } }
}

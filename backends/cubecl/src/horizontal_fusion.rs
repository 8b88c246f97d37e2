//! Horizontal fusion: small independent elementwise kernels become one, for example the optimizer steps of a hundred
//! biases.

use crate::gpu::Gpu;
use crate::kernels::horizontal::SubProgram;
use crate::kernels::steps;
use crate::launch::{Arg, Dispatch, KernelOps, Launch};
use crate::spec::KernelSpec;
use partita_runtime::routine::{Action, Routine, Slot, Span, Step};

/// Maximum elements of a program for horizontal fusion. The launch overhead of larger programs is negligible, and their
/// separate execution frees memory earlier.
const MAX_FUSED_ELEMENTS: usize = 1 << 16;

/// Maximum programs of a kernel; compilation time grows with their number.
const MAX_PROGRAMS: usize = 64;

/// Fuses small independent programs. Steps are postponed until a dependent step or the end of the routine.
pub(crate) fn fuse(gpu: Gpu, routine: &mut Routine<Launch>) {
    let mut steps = Vec::with_capacity(routine.steps.len());
    let mut pending = PendingSteps { gpu, parts: Vec::new() };
    for step in std::mem::take(&mut routine.steps) {
        let joins = is_fusible(&step);
        if pending.must_precede(&step) || joins && !pending.has_room(&step) {
            steps.extend(pending.take_fused());
        }
        if joins {
            pending.parts.push(step);
        } else {
            steps.push(step);
        }
    }
    steps.extend(pending.take_fused());
    routine.steps = steps;
}

fn is_fusible(step: &Step<Launch>) -> bool {
    let Action::Compute { kernel, .. } = &step.action else { return false };
    let [Dispatch { spec: KernelSpec::Pointwise { count, .. }, .. }] = &kernel.dispatches[..] else { return false };
    *count <= MAX_FUSED_ELEMENTS
}

/// Postponed steps that will be fused.
struct PendingSteps {
    gpu: Gpu,
    parts: Vec<Step<Launch>>,
}

/// Returns true if the spans of both lists have a slot in common.
fn share_slot(some: &[Span], others: &[Span]) -> bool {
    some.iter().any(|span| others.iter().any(|other| other.slot == span.slot))
}

impl PendingSteps {
    /// Returns true if a step depends on a postponed one.
    fn must_precede(&self, step: &Step<Launch>) -> bool {
        let waits = |part: &Step<Launch>| {
            share_slot(&step.reads, &part.writes)
                || share_slot(&step.writes, &part.writes)
                || share_slot(&step.writes, &part.reads)
        };
        self.parts.iter().any(waits)
    }

    fn has_room(&self, step: &Step<Launch>) -> bool {
        let buffers = |step: &Step<Launch>| step.reads.len() + step.writes.len();
        let all: usize = self.parts.iter().map(buffers).sum();
        self.parts.len() < MAX_PROGRAMS && all + buffers(step) <= self.gpu.max_buffers()
    }

    /// Returns the postponed steps, fused to one if there are at least two.
    fn take_fused(&mut self) -> Vec<Step<Launch>> {
        let parts = std::mem::take(&mut self.parts);
        if parts.len() < 2 { parts } else { vec![fuse_steps(&parts)] }
    }
}

fn fuse_steps(all: &[Step<Launch>]) -> Step<Launch> {
    let op = all[all.len() - 1].op;
    let count = |slot: Slot| all.iter().flat_map(|step| &step.reads).filter(|span| span.slot == slot).count();
    let (mut reads, mut writes, mut in_place, mut parts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut read_args, mut write_args, mut half_args) = (Vec::new(), Vec::new(), Vec::new());
    for step in all {
        let Action::Compute { kernel, in_place: pairs, .. } = &step.action else { continue };
        let [Dispatch { spec, args }] = &kernel.dispatches[..] else { continue };
        let KernelSpec::Pointwise { reads: part_reads, count: elements, steps: program, .. } = spec else { continue };
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
        parts.push(SubProgram { count: *elements, steps: program });
        read_args.extend(args[..*part_reads].iter().map(moved));
        write_args.extend(args[*part_reads..words].iter().map(moved));
        half_args.extend(args[words..].iter().map(moved));
        // The programs run concurrently, so an operand of another program must not be overwritten.
        let alone = pairs.iter().filter(|&&(_, r)| count(step.reads[r].slot) == 1);
        in_place.extend(alone.map(|&(w, r)| (writes.len() + w, reads.len() + r)));
        reads.extend_from_slice(&step.reads);
        writes.extend_from_slice(&step.writes);
    }
    let spec = KernelSpec::Horizontal { reads: read_args.len(), writes: write_args.len() + half_args.len(), parts };
    let kernel = Launch::new(vec![Dispatch { spec, args: [read_args, write_args, half_args].concat() }])
        .with_kernel_ops(vec![KernelOps::from_steps(all)]);
    Step { op, reads, writes, action: Action::Compute { kernel, scratch: 0, in_place } }
}

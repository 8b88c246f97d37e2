//! Kernels with their buffers, as the steps of a routine launch them, and what each computes of the program.

use crate::kernels::steps::At;
use crate::spec::{Spec, copy};
pub(crate) use partita_gpu::module::Arg;
use partita_ir::arena::OpId;
use partita_runtime::kernel::Computes;
use partita_runtime::routine::{Action, Step};

/// A kernel and its buffers: first those that it reads, then those that it writes.
#[derive(Clone, Debug)]
pub(crate) struct Dispatch {
    pub(crate) spec: Spec,
    pub(crate) args: Vec<Arg>,
}

/// What a step computes: kernels, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) dispatches: Vec<Dispatch>,
    /// By kernel, its share of the program; empty until somebody says.
    pub(crate) shares: Vec<Share>,
    is_copy: bool,
}

impl Launch {
    pub(crate) fn new(dispatches: Vec<Dispatch>) -> Launch {
        Launch { dispatches, shares: Vec::new(), is_copy: false }
    }

    /// The same with the share of each kernel.
    pub(crate) fn with(self, shares: Vec<Share>) -> Launch {
        Launch { shares, ..self }
    }

    /// A kernel that reads all operands and writes all results.
    pub(crate) fn one(spec: Spec, reads: usize, writes: usize) -> Launch {
        let args = (0..reads).map(Arg::Read).chain((0..writes).map(Arg::Write)).collect();
        Launch::new(vec![Dispatch { spec, args }])
    }
}

impl Computes for Launch {
    fn copy(bytes: usize) -> Launch {
        // Values begin at multiples of words, and have memory to the end of the last one.
        let count = bytes.div_ceil(4);
        Launch { is_copy: true, ..Launch::one(copy(count, 4, At::dense(), At::dense()), 1, 1) }
    }

    fn is_copy(&self) -> bool {
        self.is_copy
    }
}

/// A kernel's share of the program.
#[derive(Clone, Default, Debug)]
pub(crate) struct Share {
    /// The ops that it computes, in their order; none for a copy that only puts elements in order.
    pub(crate) ops: Vec<OpId>,
    /// Why it computes one op that no other kernel took.
    pub(crate) alone: Option<Alone>,
}

/// Why an op stands alone.
#[derive(Clone, Debug)]
pub(crate) struct Alone {
    pub(crate) why: String,
    /// Whether it stands between two kernels that could have taken it.
    pub(crate) missed: bool,
}

impl Share {
    /// All that several steps compute.
    pub(crate) fn of<'s>(steps: impl IntoIterator<Item = &'s Step<Launch>>) -> Share {
        let mut all = Share::default();
        for share in steps.into_iter().flat_map(shares) {
            for op in &share.ops {
                if !all.ops.contains(op) {
                    all.ops.push(*op);
                }
            }
            // It is in company then, but not in that which it needs.
            all.alone = all.alone.or(share.alone.clone().filter(|alone| alone.missed));
        }
        all
    }

    /// What one kernel computes, and then another one.
    pub(crate) fn both(front: &Share, behind: &Share) -> Share {
        let mut ops = front.ops.clone();
        ops.extend(behind.ops.iter().filter(|op| !front.ops.contains(op)));
        Share { ops, alone: None }
    }
}

fn shares(step: &Step<Launch>) -> &[Share] {
    match &step.action {
        Action::Compute { kernel, .. } => &kernel.shares,
        Action::Meet { .. } | Action::Loop { .. } => &[],
    }
}

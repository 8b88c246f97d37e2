//! Kernel launches with their buffers, and the ops that each kernel computes.

use crate::kernels::steps::AddressMap;
use crate::spec::{KernelSpec, copy};
pub(crate) use partita_gpu::module::Arg;
use partita_ir::arena::OpId;
use partita_runtime::kernel::BackendKernel;
use partita_runtime::routine::{Action, Step};

/// A kernel and its buffers: the buffers that it reads, followed by those that it writes.
#[derive(Clone, Debug)]
pub(crate) struct Dispatch {
    pub(crate) spec: KernelSpec,
    pub(crate) args: Vec<Arg>,
}

/// The kernels of one step, in launch order.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    pub(crate) dispatches: Vec<Dispatch>,
    /// The ops that each kernel computes; empty until they are determined.
    pub(crate) kernel_ops: Vec<KernelOps>,
    is_copy: bool,
}

impl Launch {
    pub(crate) fn new(dispatches: Vec<Dispatch>) -> Launch {
        Launch { dispatches, kernel_ops: Vec::new(), is_copy: false }
    }

    /// Returns the launch with the ops of each kernel.
    pub(crate) fn with_kernel_ops(self, kernel_ops: Vec<KernelOps>) -> Launch {
        Launch { kernel_ops, ..self }
    }

    /// Returns the launch of one kernel that reads all operands and writes all results.
    pub(crate) fn with_all_buffers(spec: KernelSpec, reads: usize, writes: usize) -> Launch {
        let args = (0..reads).map(Arg::Read).chain((0..writes).map(Arg::Write)).collect();
        Launch::new(vec![Dispatch { spec, args }])
    }
}

impl BackendKernel for Launch {
    fn copy(bytes: usize) -> Launch {
        // Values are aligned to words, and their memory is padded to full words.
        let count = bytes.div_ceil(4);
        Launch {
            is_copy: true,
            ..Launch::with_all_buffers(copy(count, 4, AddressMap::identity(), AddressMap::identity()), 1, 1)
        }
    }

    fn is_copy(&self) -> bool {
        self.is_copy
    }
}

/// The ops of the IR that a kernel computes.
#[derive(Clone, Default, Debug)]
pub(crate) struct KernelOps {
    /// The ops, in program order; empty for a copy that only changes the layout.
    pub(crate) ops: Vec<OpId>,
    /// The reason why a kernel with a single op was not fused.
    pub(crate) not_fused: Option<NotFused>,
}

/// The reason why an op was not fused.
#[derive(Clone, Debug)]
pub(crate) struct NotFused {
    pub(crate) reason: String,
    /// True if adjacent kernels on both sides iterate over the same elements.
    pub(crate) missed: bool,
}

impl KernelOps {
    /// Returns the ops of several steps.
    pub(crate) fn from_steps<'s>(steps: impl IntoIterator<Item = &'s Step<Launch>>) -> KernelOps {
        let mut all = KernelOps::default();
        for ops in steps.into_iter().flat_map(kernel_ops) {
            for op in &ops.ops {
                if !all.ops.contains(op) {
                    all.ops.push(*op);
                }
            }
            // The kernel was fused horizontally, but not with the producers and consumers that `missed` refers to.
            all.not_fused = all.not_fused.or(ops.not_fused.clone().filter(|not_fused| not_fused.missed));
        }
        all
    }

    /// Returns the ops of a kernel followed by those of another.
    pub(crate) fn concat(producer: &KernelOps, consumer: &KernelOps) -> KernelOps {
        let mut ops = producer.ops.clone();
        ops.extend(consumer.ops.iter().filter(|op| !producer.ops.contains(op)));
        KernelOps { ops, not_fused: None }
    }
}

fn kernel_ops(step: &Step<Launch>) -> &[KernelOps] {
    match &step.action {
        Action::Compute { kernel, .. } => &kernel.kernel_ops,
        Action::Collective { .. } | Action::Loop { .. } => &[],
    }
}

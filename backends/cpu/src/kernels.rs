//! Kernels of ops that are not fused, each with how an op is lowered to it.

mod attention;
mod convolution;
pub(crate) mod copy;
pub(crate) mod dot;
mod float;
mod index;
mod shard;
mod skinny;
mod windows;

use crate::Cpu;
use partita_ir::arena::OpId;
use partita_ir::op::OpKind;
use partita_runtime::kernel::Reference;
use std::sync::Arc;

/// Lowers a function for the CPU.
pub(crate) type Lowerer<'a> = partita_lowering::lowerer::Lowerer<'a, Cpu>;

/// Lowers an op that neither moves elements only nor is fused.
pub(crate) fn lower(to: &mut Lowerer<'_>, id: OpId) {
    let program = to.program;
    let op = &program.ops[id];
    let done = match &op.kind {
        OpKind::DotGeneral(dot) => dot::lower(to, id, dot),
        OpKind::Convolution(conv) => convolution::lower(to, id, conv),
        OpKind::Attention(op) => attention::lower(to, id, op),
        OpKind::Gather(op) => index::lower_gather(to, id, op),
        OpKind::Scatter(op) => index::lower_scatter(to, id, op),
        OpKind::Shard(op) => shard::lower(to, id, op),
        OpKind::ReduceWindow(op) => windows::lower_pool(to, id, op),
        OpKind::SelectAndScatter(op) => windows::lower_unpool(to, id, op),
        _ => false,
    };
    if !done {
        reference(to, id);
    }
}

/// Lowers an op to its reference evaluation.
fn reference(to: &mut Lowerer<'_>, id: OpId) {
    let op = &to.program.ops[id];
    let reads = op.args.iter().map(|&arg| to.dense(id, arg)).collect();
    let writes = op.outs.iter().map(|&out| to.new_slot(out)).collect();
    let kernel = Reference::new(to.shared_program(), id);
    to.compute(id, Arc::new(kernel), reads, writes);
}

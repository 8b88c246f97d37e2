//! Kernels of ops that are not fused, and their lowering.

mod adjacent_windows;
mod attention;
mod convolution;
pub(crate) mod copy;
pub(crate) mod dot;
mod dynamic;
mod float;
mod index;
mod shard;
mod skinny;
mod windows;

use crate::Cpu;
use partita_ir::arena::OpId;
use partita_ir::op::OpKind;
use partita_runtime::kernel::ReferenceKernel;
use std::sync::Arc;

/// Lowering of a function for the CPU.
pub(crate) type Lowerer<'a> = partita_lowering::lowerer::Lowerer<'a, Cpu>;

/// Lowers an op that is neither fused nor a pure data movement.
pub(crate) fn lower(to: &mut Lowerer<'_>, id: OpId) {
    let program = to.program;
    let op = &program.ops[id];
    let done = match &op.kind {
        OpKind::DotGeneral(dot) => dot::lower(to, id, dot),
        OpKind::Convolution(conv) => convolution::lower(to, id, conv),
        OpKind::Attention(op) => attention::lower(to, id, op),
        OpKind::Gather(op) => index::lower_gather(to, id, op),
        OpKind::Scatter(op) => index::lower_scatter(to, id, op),
        OpKind::DynamicSlice(op) => dynamic::lower_slice(to, id, &op.sizes),
        OpKind::DynamicUpdateSlice(_) => dynamic::lower_update(to, id),
        OpKind::Shard(op) => shard::lower(to, id, op),
        OpKind::ReduceWindow(op) => windows::lower_pool(to, id, op),
        OpKind::SelectAndScatter(op) => windows::lower_unpool(to, id, op),
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Random(_) | OpKind::RngBits(_) => false,
        OpKind::Unary(_) | OpKind::Binary(_) | OpKind::Compare(_) | OpKind::Select(_) | OpKind::Clamp(_) => false,
        OpKind::Convert(_) | OpKind::Bitcast(_) => false,
        OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) => false,
        OpKind::Slice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) => false,
        OpKind::AttentionGrad(_) | OpKind::Reduce(_) | OpKind::ReduceFunc(_) => false,
        OpKind::Sort(_) | OpKind::TopK(_) | OpKind::Softmax(_) | OpKind::LogSoftmax(_) => false,
        OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) | OpKind::Qr(_) => false,
        OpKind::HouseholderProduct(_)
        | OpKind::Svd(_)
        | OpKind::Eigh(_)
        | OpKind::Eig(_)
        | OpKind::Hessenberg(_)
        | OpKind::TridiagonalSolve(_)
        | OpKind::CustomCall(_) => false,
        OpKind::LayerNorm(_) | OpKind::RmsNorm(_) | OpKind::BatchNorm(_) | OpKind::Gelu(_) => false,
        OpKind::CrossEntropy(_) | OpKind::Momentum(_) | OpKind::Adam(_) => false,
        OpKind::Loop(_) | OpKind::Constrain(_) | OpKind::Reshard(_) => false,
        OpKind::AllReduce(_) | OpKind::AllGather(_) | OpKind::ReduceScatter(_) => false,
        OpKind::AllToAll(_) | OpKind::Permute(_) => false,
        OpKind::Partial(_) | OpKind::Mask(_) | OpKind::ShardStart(_) => false,
    };
    if !done {
        reference(to, id);
    }
}

/// Lowers an op to its reference implementation.
fn reference(to: &mut Lowerer<'_>, id: OpId) {
    let op = &to.program.ops[id];
    let reads = op.args.iter().map(|&arg| to.dense(id, arg)).collect();
    let writes = op.outs.iter().map(|&out| to.new_slot(out)).collect();
    let kernel = ReferenceKernel::new(to.shared_program(), id);
    to.compute(id, Arc::new(kernel), reads, writes);
}

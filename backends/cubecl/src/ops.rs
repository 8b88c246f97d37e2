//! Lowering of ops that are neither fused nor views: each becomes one or several kernels.

mod convolution;
mod device_coordinates;
mod gather;
mod operands;
mod product;
mod random;
mod reduce;
mod scalar;
mod scatter;
mod sort;
mod windows;

use crate::attention;
use crate::gpu::Lowerer;
use partita_ir::arena::OpId;
use partita_ir::op::OpKind;

/// Lowers an op. Returns `None` if no kernel supports it.
pub(crate) fn lower(to: &mut Lowerer<'_>, id: OpId) -> Option<()> {
    let program = to.program;
    let op = &program.ops[id];
    if op.outs.iter().all(|&out| program.ty(out).shape.count() == 0) {
        op.outs.iter().for_each(|&out| {
            to.new_slot(out);
        });
        return Some(());
    }
    match &op.kind {
        OpKind::Attention(op) => attention::lower(to, id, op),
        OpKind::AttentionGrad(op) => attention::lower_gradients(to, id, op),
        OpKind::DotGeneral(dot) => product::lower(to, id, dot),
        OpKind::Gather(gather) => gather::gather(to, id, gather),
        OpKind::DynamicSlice(_) => gather::dynamic_slice(to, id),
        OpKind::DynamicUpdateSlice(_) => gather::dynamic_update_slice(to, id),
        OpKind::Bitcast(_) => gather::bitcast(to, id),
        OpKind::Scatter(scatter) => scatter::scatter(to, id, scatter),
        OpKind::Reduce(reduce) => reduce::reduce(to, id, reduce),
        OpKind::ReduceFunc(reduce) => reduce::reduce_func(to, id, reduce),
        OpKind::Compare(compare) => scalar::total_compare(to, id, compare),
        OpKind::ReduceWindow(pool) => windows::reduce_window(to, id, pool),
        OpKind::SelectAndScatter(pool) => windows::select_and_scatter(to, id, pool),
        OpKind::Convolution(convolution) => convolution::convolution(to, id, convolution),
        OpKind::Sort(sort) => sort::sort(to, id, sort),
        OpKind::TopK(top) => sort::top_k(to, id, top),
        OpKind::ShardStart(start) => device_coordinates::shard_start(to, id, start),
        OpKind::Mask(mask) => device_coordinates::mask(to, id, mask),
        OpKind::Shard(shard) => device_coordinates::shard(to, id, shard),
        OpKind::Partial(partial) => device_coordinates::partial(to, id, partial),
        OpKind::Random(random) => random::random(to, id, random),
        OpKind::RngBits(rng) => random::rng_bits(to, id, rng),
        OpKind::Constant(_) | OpKind::Iota(_) | OpKind::Unary(_) | OpKind::Binary(_) => None,
        OpKind::Select(_) | OpKind::Clamp(_) | OpKind::Convert(_) => None,
        OpKind::Broadcast(_) | OpKind::Reshape(_) | OpKind::Transpose(_) | OpKind::Reverse(_) => None,
        OpKind::Slice(_) | OpKind::Pad(_) | OpKind::Concatenate(_) => None,
        OpKind::Fft(_) | OpKind::Cholesky(_) | OpKind::TriangularSolve(_) | OpKind::Lu(_) | OpKind::Qr(_) => None,
        OpKind::HouseholderProduct(_)
        | OpKind::Svd(_)
        | OpKind::Eigh(_)
        | OpKind::Eig(_)
        | OpKind::Hessenberg(_)
        | OpKind::TridiagonalSolve(_)
        | OpKind::CustomCall(_) => None,
        OpKind::Softmax(_) | OpKind::LogSoftmax(_) | OpKind::LayerNorm(_) | OpKind::RmsNorm(_) => None,
        OpKind::BatchNorm(_) | OpKind::Gelu(_) | OpKind::CrossEntropy(_) => None,
        OpKind::Momentum(_) | OpKind::Adam(_) | OpKind::Loop(_) => None,
        OpKind::Constrain(_) | OpKind::Reshard(_) | OpKind::AllReduce(_) | OpKind::AllGather(_) => None,
        OpKind::ReduceScatter(_) | OpKind::AllToAll(_) | OpKind::Permute(_) => None,
    }
}

//! Size of the buckets in which gradients are reduced.

use crate::limits::{ExploreLimits, RefinementLimits};
use partita_ir::program::{ParamKind, Phase, Program};
use partita_ir::units::parse_bytes;

/// Returns the bytes of the gradients of all parameters.
pub(crate) fn gradient_bytes(program: &Program) -> u64 {
    let params = program.params.values().filter(|param| param.kind == ParamKind::Trainable);
    params.map(|param| program.ty(param.value).bytes()).fold(0, u64::saturating_add)
}

/// Returns true if a program has a backward pass.
pub(crate) fn has_gradients(program: &Program) -> bool {
    let is_backward = |phase| matches!(phase, Phase::BackwardInput | Phase::BackwardWeight);
    program.ops.values().any(|op| is_backward(op.phase))
}

/// Returns the size of the buckets of a device with so many bytes of gradients: `default`, unless the gradients would
/// share few buckets, most of which could not be reduced during the backward pass.
pub(crate) fn bucket_size(gradients: u64, default: &str) -> String {
    let size = (gradients / ExploreLimits::TUNED.min_buckets).max(RefinementLimits::TUNED.min_bucket);
    let size = 1u64 << size.ilog2();
    if parse_bytes(default).is_none_or(|default| default <= size) { default.to_owned() } else { size_text(size) }
}

/// Returns the size of a bucket in a plan: in MiB, or in KiB, rounded up, if it is not a multiple.
pub(crate) fn size_text(bytes: u64) -> String {
    if bytes.is_multiple_of(1 << 20) {
        format!("{}MiB", bytes >> 20)
    } else {
        format!("{}KiB", bytes.div_ceil(1 << 10))
    }
}

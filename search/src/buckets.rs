//! Size of the buckets in which gradients are reduced.

use crate::limits::{ExploreLimits, RefinementLimits};
use partita_ir::program::{ParamKind, Program};
use partita_ir::units::parse_bytes;

/// Returns the bytes of the gradients of all parameters.
pub(crate) fn gradient_bytes(program: &Program) -> u64 {
    let params = program.params.values().filter(|param| param.kind == ParamKind::Trainable);
    params.map(|param| program.ty(param.value).bytes()).fold(0, u64::saturating_add)
}

/// Returns the size of the buckets of a device with so many bytes of gradients: `default`, unless the gradients would
/// share few buckets, most of which could not be reduced during the backward pass.
pub(crate) fn bucket_size(gradients: u64, default: &str) -> String {
    let size = (gradients / ExploreLimits::TUNED.min_buckets).max(RefinementLimits::TUNED.min_bucket);
    let kibibytes = 1u64 << (size >> 10).max(1).ilog2();
    if parse_bytes(default).is_none_or(|default| default <= kibibytes << 10) {
        return default.to_owned();
    }
    if kibibytes < 1 << 10 { format!("{kibibytes}KiB") } else { format!("{}MiB", kibibytes >> 10) }
}

//! Relations between compositions that hold without lowering them.

use super::{AxisRole, Composition, Space};
use partita_ir::program::{ParamKind, Program};

/// Bytes that a training step keeps between steps.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct PersistentBytes {
    /// Parameters.
    params: u64,
    /// Optimizer state.
    state: u64,
}

impl PersistentBytes {
    /// Returns the bytes of a step without shards.
    pub(super) fn of_step(step: &Program) -> PersistentBytes {
        let mut bytes = PersistentBytes::default();
        for param in step.params.values() {
            let of_kind = match param.kind {
                ParamKind::Trainable | ParamKind::Frozen | ParamKind::Const => &mut bytes.params,
                ParamKind::State => &mut bytes.state,
            };
            *of_kind = of_kind.saturating_add(step.ty(param.value).bytes());
        }
        bytes
    }
}

impl Space {
    /// Returns a lower bound of the peak memory of a composition in bytes: parameters and optimizer state, if all axes
    /// and stages that can shard them do so evenly.
    pub(crate) fn least_bytes(&self, composition: &Composition) -> u64 {
        let parts = |roles: &[AxisRole]| roles.iter().map(|&role| u64::from(composition.size(role))).product::<u64>();
        let model = parts(&[AxisRole::Model, AxisRole::Expert]) * composition.stages as u64;
        let shards = |from: usize| if composition.zero >= from { u64::from(composition.state_shards()) } else { 1 };
        let PersistentBytes { params, state } = self.persistent;
        params / model / shards(3) + state / model / shards(1)
    }
}

impl Composition {
    /// Returns true if the composition needs at least as much memory as another one, because it differs only in fewer
    /// shards or less recomputation.
    pub(crate) fn needs_memory_of(&self, other: &Composition) -> bool {
        // All fields are listed, so that a new one is not forgotten.
        let Composition { stages, sizes, micro_batches, schedule, recompute, zero, tensor, attention, overlap } = self;
        let axes = [AxisRole::Expert, AxisRole::Context, AxisRole::Model];
        let has_fewer_shards = sizes == &other.sizes
            || (*zero > 0
                && axes.iter().all(|&axis| self.size(axis) == other.size(axis))
                && self.data_shards() == other.data_shards()
                && self.state_shards() <= other.state_shards());
        has_fewer_shards
            && *recompute <= other.recompute
            && *zero <= other.zero
            && (stages, micro_batches, schedule) == (&other.stages, &other.micro_batches, &other.schedule)
            && (tensor, attention, overlap) == (&other.tensor, &other.attention, &other.overlap)
    }

    /// Returns true if the composition takes at least as long as another one, because it differs only in more
    /// recomputation, or in shards that each micro-batch gathers or reduces again.
    pub(crate) fn takes_time_of(&self, other: &Composition) -> bool {
        let accumulates = self.micro_batches > 1;
        let has_slower_shards = self.zero == other.zero || (accumulates && self.zero > other.zero && other.zero > 0);
        let changed = Composition { recompute: other.recompute, zero: other.zero, ..self.clone() };
        self.recompute >= other.recompute && has_slower_shards && changed == *other
    }

    /// Returns the number of shards of the state under ZeRO.
    fn state_shards(&self) -> u32 {
        match self.size(AxisRole::Shard) {
            1 => self.size(AxisRole::Data),
            shards => shards,
        }
    }
}

//! Decisions in which neighbouring compositions differ.

use super::{AxisRole, Composition, ContextAttention, TensorPreset};

/// The change of one decision, without what both compositions have in common. The same change of other compositions is
/// equal to it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct DecisionChange {
    from: Composition,
    to: Composition,
}

impl DecisionChange {
    /// Returns the change from a composition to its neighbour. Changes of the micro-batches are those of pipelines with
    /// the same number of stages. If devices move to or from another axis than those of data parallelism, or the
    /// stages, the sizes of these axes and the micro-batches follow from it and are no part of the change. The presets
    /// of an axis are part of a change of its size.
    pub(crate) fn between(from: &Composition, to: &Composition) -> DecisionChange {
        let is_data = |role: AxisRole| matches!(role, AxisRole::Data | AxisRole::Shard);
        let changes = |role: &AxisRole| from.size(*role) != to.size(*role);
        let moves_devices =
            from.stages != to.stages || AxisRole::ALL.iter().any(|role| !is_data(*role) && changes(role));
        let accumulates = !moves_devices && from.micro_batches != to.micro_batches;
        let has_other_tensor = from.tensor != to.tensor || changes(&AxisRole::Model);
        let has_other_attention = from.attention != to.attention || changes(&AxisRole::Context);
        let part = |of: &Composition| {
            let size = |role: AxisRole| {
                if changes(&role) && !(moves_devices && is_data(role)) { of.size(role) } else { 0 }
            };
            // All fields are listed, so that a new one is not forgotten.
            Composition {
                stages: if accumulates || from.stages != to.stages { of.stages } else { 0 },
                sizes: AxisRole::ALL.map(size),
                micro_batches: if accumulates { of.micro_batches } else { 0 },
                schedule: if from.schedule == to.schedule { 0 } else { of.schedule },
                recompute: if from.recompute == to.recompute { 0 } else { of.recompute },
                zero: if from.zero == to.zero { 0 } else { of.zero },
                tensor: if has_other_tensor { of.tensor } else { TensorPreset::Megatron },
                attention: if has_other_attention { of.attention } else { ContextAttention::Ring },
                overlap: if from.overlap == to.overlap { 0 } else { of.overlap },
            }
        };
        DecisionChange { from: part(from), to: part(to) }
    }
}

//! Compositions: plans that consist of a mesh with named axes, presets, stages, micro-batches, a schedule and a level
//! of recomputation. They are the plans that people write by hand, and the part of the search space that is explored
//! first.

mod decision;
mod moves;
mod order;
mod seeds;
mod target_limits;
#[cfg(test)]
mod tests;

pub(crate) use decision::DecisionChange;
pub(crate) use moves::{Space, prime_factors};
pub(crate) use seeds::{seeds, seeds_on_fewer_devices};
pub(crate) use target_limits::limits_for_target;

use crate::problem::{Constraints, RECOMPUTE_LEVELS};
use partita_ir::diag::Diagnostic;
use partita_ir::plan::{Mesh, Plan};
use partita_ir::schedule::ScheduleKind;
use std::fmt;

/// Use of a mesh axis, which is also its name. The order is that on the machine, from across nodes to within a node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum AxisRole {
    /// Data parallelism.
    Data,
    /// Data parallelism within groups of devices, each of which stores all shards of the state.
    Shard,
    /// Expert parallelism.
    Expert,
    /// Context parallelism: sequence shards with distributed attention.
    Context,
    /// Tensor parallelism.
    Model,
}

impl AxisRole {
    /// All roles, from the axis across nodes to the innermost one.
    pub(crate) const ALL: [AxisRole; 5] =
        [AxisRole::Data, AxisRole::Shard, AxisRole::Expert, AxisRole::Context, AxisRole::Model];

    /// Returns the name of the axis in plans.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            AxisRole::Data => "data",
            AxisRole::Shard => "shard",
            AxisRole::Expert => "expert",
            AxisRole::Context => "context",
            AxisRole::Model => "model",
        }
    }
}

impl AxisRole {
    /// Returns another name of the axis that presets accept.
    pub(crate) const fn alias(self) -> Option<&'static str> {
        match self {
            AxisRole::Context => Some("cp"),
            AxisRole::Data | AxisRole::Shard | AxisRole::Expert | AxisRole::Model => None,
        }
    }
}

impl AxisRole {
    /// Returns true if a preset, possibly with options, requires the axis.
    fn is_required_by(self, preset: &str) -> bool {
        let name = preset_name(preset);
        match self {
            AxisRole::Data => ["data", "mesh", "zero1", "zero2", "zero3", "fsdp"].contains(&name),
            AxisRole::Shard => preset.contains("axis=shard"),
            AxisRole::Expert => name == "expert",
            AxisRole::Context => name == "context",
            AxisRole::Model => ["mesh", "megatron", "sequence"].contains(&name),
        }
    }
}

/// Returns the name of a preset without its options.
fn preset_name(preset: &str) -> &str {
    preset.split('?').next().unwrap_or_default().trim()
}

/// Preset that uses the axis `model`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum TensorPreset {
    /// Pairs of column and row splits.
    Megatron,
    /// Pairs of column and row splits, with sequence shards between them.
    MegatronSequence,
    /// All large dimensions, as in Mesh-TensorFlow.
    Mesh,
}

/// Implementation of attention over sequence shards.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum ContextAttention {
    /// Blocks of keys and values circulate.
    Ring,
    /// Keys and values are gathered.
    Gather,
    /// Sequence shards become head shards.
    Ulysses,
    /// The model computes attention by several ops, as gradients often do. Propagation chooses the exchange.
    Decomposed,
}

impl ContextAttention {
    /// The implementations of attention as a single op.
    pub(crate) const OF_ONE_OP: [ContextAttention; 3] =
        [ContextAttention::Ring, ContextAttention::Gather, ContextAttention::Ulysses];

    /// Returns the preset of the implementation.
    const fn preset(self) -> &'static str {
        match self {
            ContextAttention::Ring => "context?attention=ring",
            ContextAttention::Gather => "context?attention=gather",
            ContextAttention::Ulysses => "context?attention=ulysses",
            ContextAttention::Decomposed => "context",
        }
    }
}

/// Number of devices along each axis of [`AxisRole::ALL`].
pub(crate) type AxisSizes = [u32; AxisRole::ALL.len()];

/// Stage of ZeRO over the axis `shard`, or `data` without such an axis: none, or optimizer state, gradients and
/// parameters in shards.
pub(crate) const ZERO_PRESETS: [Option<&str>; 4] = [None, Some("zero1"), Some("zero2"), Some("zero3")];

/// Collectives of the axis `model` that overlap with the products beside them.
pub(crate) const OVERLAPS: [Option<&str>; 4] =
    [None, Some("reduce_scatter"), Some("all_gather"), Some("all_gather,reduce_scatter")];

/// A composition of presets.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Composition {
    /// Number of pipeline stages.
    pub(crate) stages: usize,
    /// Number of devices along each axis of [`AxisRole::ALL`], in each stage.
    pub(crate) sizes: AxisSizes,
    /// Number of micro-batches.
    pub(crate) micro_batches: u64,
    /// Index in [`Space::schedules`]. Without effect for a single stage.
    pub(crate) schedule: usize,
    /// Index in [`RECOMPUTE_LEVELS`].
    pub(crate) recompute: usize,
    /// Index in [`ZERO_PRESETS`].
    pub(crate) zero: usize,
    /// Preset of the axis `model`.
    pub(crate) tensor: TensorPreset,
    /// Attention over the axis `context`.
    pub(crate) attention: ContextAttention,
    /// Index in [`OVERLAPS`].
    pub(crate) overlap: usize,
}

impl fmt::Display for Composition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Composition { stages, micro_batches, recompute, overlap, .. } = self;
        let axes = self.axes().map(|(role, size)| format!("{}={size}", role.name())).collect::<Vec<_>>();
        let presets = self.presets().join(",");
        write!(f, "stages: {stages}, mesh: {}, presets: {presets}, ", axes.join(","))?;
        write!(f, "micro-batches: {micro_batches}, recompute: {}", RECOMPUTE_LEVELS[*recompute])?;
        OVERLAPS[*overlap].map_or(Ok(()), |overlap| write!(f, ", overlap: {overlap}"))
    }
}

impl Composition {
    /// Returns the number of devices along an axis.
    pub(crate) fn size(&self, role: AxisRole) -> u32 {
        self.sizes[role as usize]
    }

    /// Returns the number of shards of the batch over the axes of data parallelism.
    pub(crate) fn data_shards(&self) -> u32 {
        self.size(AxisRole::Data).saturating_mul(self.size(AxisRole::Shard))
    }

    /// Returns true if devices with shards of the batch or of the sequence compute parts of gradients.
    fn has_partial_gradients(&self) -> bool {
        let has_sequence_shards = self.tensor == TensorPreset::MegatronSequence && self.size(AxisRole::Model) > 1;
        self.data_shards() > 1 || self.size(AxisRole::Context) > 1 || has_sequence_shards
    }

    /// Returns the axes with more than one device, or the axis `data` if there is none.
    fn axes(&self) -> impl Iterator<Item = (AxisRole, u32)> + '_ {
        let is_single = self.sizes.iter().all(|&size| size == 1);
        let has = move |&(role, size): &(AxisRole, u32)| size > 1 || (is_single && role == AxisRole::Data);
        AxisRole::ALL.into_iter().zip(self.sizes).filter(has)
    }

    /// Returns the axes of [`Composition::axes`], and those that presets of the user's plan require.
    pub(crate) fn axes_for(&self, plan: &Plan) -> Vec<(AxisRole, u32)> {
        let presets = || plan.presets.iter().flat_map(|written| written.text.split(','));
        let required = |role: AxisRole| presets().any(|preset| role.is_required_by(preset));
        let used: Vec<(AxisRole, u32)> = self.axes().collect();
        let has = |&(role, _): &(AxisRole, u32)| required(role) || used.iter().any(|(known, _)| *known == role);
        AxisRole::ALL.into_iter().zip(self.sizes).filter(has).collect()
    }

    /// Returns the names of the presets.
    fn presets(&self) -> Vec<&'static str> {
        let mut presets = Vec::new();
        let has = |role: AxisRole| self.size(role) > 1;
        let splits_batch = self.data_shards() > 1;
        if splits_batch {
            presets.push("data");
        }
        if has(AxisRole::Model) {
            presets.extend(match self.tensor {
                TensorPreset::Megatron => &["megatron"][..],
                TensorPreset::MegatronSequence => &["megatron", "sequence"],
                TensorPreset::Mesh => &["mesh"],
            });
        }
        if has(AxisRole::Expert) {
            presets.push("expert");
        }
        if has(AxisRole::Context) {
            presets.push(self.attention.preset());
        }
        if splits_batch {
            presets.extend(ZERO_PRESETS[self.zero]);
        }
        presets
    }

    /// Returns the level of recomputation.
    pub(crate) fn recompute(&self) -> &'static str {
        RECOMPUTE_LEVELS[self.recompute]
    }

    /// Returns the plan of the composition, which extends the user's plan.
    ///
    /// # Errors
    /// Returns `L007` for an invalid mesh.
    pub(crate) fn to_plan(&self, constraints: &Constraints, space: &Space) -> Result<Plan, Diagnostic> {
        let axes = self.axes_for(constraints.template()).into_iter().map(|(role, size)| (role.name().to_owned(), size));
        let mesh: Mesh = constraints.mesh_or(axes)?;
        let mut plan = constraints.with_mesh(mesh);
        for preset in self.presets() {
            let is_requested = |written: &str| preset_name(written) == preset_name(preset);
            if !plan.presets.iter().any(|written| written.text.split(',').any(is_requested)) {
                plan = plan.preset(preset);
            }
        }
        if plan.bucket.is_none() && space.is_trained && self.has_partial_gradients() {
            plan = plan.bucket(space.bucket_size(self));
        }
        if let Some(overlap) = OVERLAPS[self.overlap].filter(|_| plan.overlap.is_none()) {
            plan = plan.overlap(overlap);
        }
        let mut plan = constraints.in_stages(plan, self.stages, self.micro_batches);
        if self.stages > 1 && plan.schedule.is_none() {
            let kind: ScheduleKind = space.schedules[self.schedule];
            plan = plan.schedule(kind.to_string());
        }
        if let Some(stages) = space.equal_stages(&plan, self.stages) {
            plan = plan.pipeline(stages);
        }
        Ok(plan)
    }
}

//! The space of compositions: bounds, starting points, and moves between neighbours.

use super::order::PersistentBytes;
use super::{AxisRole, AxisSizes, Composition, ContextAttention, OVERLAPS, TensorPreset, ZERO_PRESETS};
use crate::buckets::{bucket_size, has_gradients};
use crate::configs::max_stages;
use crate::limits::SearchLimits;
use crate::problem::{Constraints, RECOMPUTE_LEVELS, SpaceLimits, Step};
use crate::target::ModelLayers;
use partita_ir::class::Class;
use partita_ir::plan::Plan;
use partita_ir::plan::pipeline::StageSplit;
use partita_ir::program::{Op, Phase, Program};
use partita_ir::schedule::ScheduleKind;
use partita_passes::planning::presets::default_bucket_size;
use partita_passes::planning::presets::model::{ModelStructure, ValueRole};
use partita_passes::planning::reduce_depth::RepeatedLayers;
use partita_passes::training::micro_batches::max_micro_batches;

/// Bounds of the compositions that a search explores.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    /// Number of devices.
    pub(crate) devices: usize,
    /// Maximum number of devices of a node.
    pub(super) node_devices: usize,
    /// Numbers of pipeline stages, in ascending order.
    pub(crate) stages: Vec<usize>,
    /// Size of each axis if the user specifies the mesh.
    pub(crate) mesh: Option<AxisSizes>,
    /// Roles that the model has a use for.
    roles: Vec<AxisRole>,
    /// Implementations of attention over the axis `context`. Empty for a model without attention.
    pub(super) attentions: &'static [ContextAttention],
    /// Numbers of micro-batches, in ascending order.
    pub(crate) micro_batches: Vec<u64>,
    /// Schedules of pipelines.
    pub(crate) schedules: Vec<ScheduleKind>,
    /// Recomputation levels to choose from, as indices in [`RECOMPUTE_LEVELS`].
    pub(super) recompute_levels: Vec<usize>,
    /// ZeRO stages to choose from, as indices in [`ZERO_PRESETS`].
    pub(super) zero_stages: Vec<usize>,
    /// Number of overlaps of products to choose from, the first of [`OVERLAPS`].
    overlaps: usize,
    /// True for a training step.
    pub(crate) is_trained: bool,
    /// Number of examples in a batch: the largest number of its shards.
    pub(super) batch: u64,
    /// True if fewer devices than all can be faster, because the step is short.
    pub(super) uses_fewer_devices: bool,
    /// Number of equal layers of the model. `None` if it has few.
    layer_count: Option<usize>,
    /// Layers, of which all stages have equal numbers. `None` if stages are balanced by time.
    layers: Option<ModelLayers>,
    /// Bytes of the gradients of all parameters. `None` if the size of buckets is not free.
    gradient_bytes: Option<u64>,
    /// Bytes that the step keeps between steps.
    pub(super) persistent: PersistentBytes,
}

impl Space {
    /// Returns the space of a step on a number of devices, whose nodes have at most `node_devices` devices. Returns
    /// `None` if the specified mesh has an axis that no preset uses, or if an axis must shard values along any
    /// dimension, which presets do not guarantee.
    pub(crate) fn new(
        constraints: &Constraints,
        limits: &SpaceLimits,
        step: &Step,
        devices: usize,
        node_devices: usize,
    ) -> Option<Space> {
        if constraints.has_split_along() {
            return None;
        }
        let (model, step) = (ModelStructure::new(&step.program, &step.classes), &step.program);
        let ops = step.model_ops();
        let is_trained = ops.iter().any(|o| o.op.phase == Phase::Update);
        let has_gradients = has_gradients(step);
        let attentions = attentions(&model);
        let has_experts = model.contractions.iter().any(|product| !product.batch.is_empty());
        let mesh = match &constraints.mesh {
            None => None,
            Some(axes) => {
                let mut sizes = [1; AxisRole::ALL.len()];
                for (name, size) in axes {
                    let is_named = |role: &AxisRole| role.name() == name || role.alias() == Some(name);
                    let role = AxisRole::ALL.into_iter().find(is_named)?;
                    sizes[role as usize] = *size;
                }
                Some(sizes)
            }
        };
        let mut roles = vec![AxisRole::Data, AxisRole::Model];
        let is_shard_named = limits.axes.iter().flatten().any(|axis| axis == AxisRole::Shard.name())
            || mesh.is_some_and(|sizes| sizes[AxisRole::Shard as usize] > 1);
        let has_groups = devices > node_devices || is_shard_named;
        roles.extend((is_trained && has_groups).then_some(AxisRole::Shard));
        roles.extend((!attentions.is_empty()).then_some(AxisRole::Context));
        roles.extend(has_experts.then_some(AxisRole::Expert));
        roles.retain(|role| limits.axes.as_ref().is_none_or(|axes| axes.iter().any(|axis| axis == role.name())));
        let batch = model.batch.map_or(1, |batch| model.min_size(batch) as u64);
        let micro_batches = match constraints.micro_batches {
            Some(count) => vec![count],
            None if constraints.accumulates || !has_gradients => vec![1],
            None => {
                let most = max_micro_batches(step).unwrap_or(1);
                let allowed = limits.micro_batches.clone().unwrap_or_else(|| divisors(most));
                allowed.into_iter().filter(|count| most.is_multiple_of((*count).max(1))).collect()
            }
        };
        let stages = match constraints.stages {
            Some(stages) => vec![stages],
            None if !has_gradients || constraints.accumulates || !model.micro_batches().is_empty() => vec![1],
            None => limits.stages.clone().unwrap_or_else(|| (1..=max_stages(step)).collect()),
        };
        let schedules = limits.schedules.clone().unwrap_or_else(SpaceLimits::default_schedules);
        let has_levels = constraints.recompute_levels(false).len() > 1;
        let is_allowed = |all: &Option<Vec<String>>, name: &str| {
            all.as_ref().is_none_or(|all| all.iter().any(|allowed| allowed == name))
        };
        let recompute_levels = (0..if has_levels { RECOMPUTE_LEVELS.len() } else { 1 })
            .filter(|&level| !has_levels || is_allowed(&limits.recompute, RECOMPUTE_LEVELS[level]));
        let zero_stages = (0..if is_trained { ZERO_PRESETS.len() } else { 1 })
            .filter(|&stage| !is_trained || is_allowed(&limits.zero, ZERO_PRESETS[stage].unwrap_or("none")));
        let (recompute_levels, zero_stages): (Vec<usize>, Vec<usize>) =
            (recompute_levels.collect(), zero_stages.collect());
        if [stages.len(), micro_batches.len(), schedules.len(), recompute_levels.len(), zero_stages.len()].contains(&0)
        {
            return None;
        }
        Some(Space {
            devices: devices / constraints.replicas,
            node_devices,
            stages,
            mesh,
            roles,
            attentions,
            micro_batches,
            schedules,
            recompute_levels,
            zero_stages,
            overlaps: if constraints.template().overlap.is_some() { 1 } else { OVERLAPS.len() },
            is_trained,
            batch,
            uses_fewer_devices: step.ops.len() <= SearchLimits::TUNED.max_autotuned_ops,
            layer_count: None,
            layers: None,
            gradient_bytes: None,
            persistent: PersistentBytes::of_step(step),
        })
    }

    /// Returns the space without schedules that have more chunks than a traced program has layers.
    pub(crate) fn with_layers_of(self, program: &Program) -> Space {
        Space { layer_count: RepeatedLayers::find(program).map(|layers| layers.count()), ..self }
    }

    /// Returns the space in which the size of buckets depends on the bytes of all gradients.
    pub(crate) fn with_buckets_for(self, gradient_bytes: u64) -> Space {
        Space { gradient_bytes: Some(gradient_bytes), ..self }
    }

    /// Returns the size of the buckets of a composition.
    pub(super) fn bucket_size(&self, composition: &Composition) -> String {
        let default = default_bucket_size(composition.size(AxisRole::Shard));
        let Some(bytes) = self.gradient_bytes else { return default };
        let parts = [AxisRole::Model, AxisRole::Expert, AxisRole::Shard].map(|role| u64::from(composition.size(role)));
        bucket_size(bytes / parts.into_iter().product::<u64>().max(1) / composition.stages as u64, &default)
    }

    /// Returns true if each chunk of a schedule can have a layer.
    fn has_layers(&self, stages: usize, schedule: ScheduleKind) -> bool {
        let chunks = schedule.chunks_per_stage();
        chunks == 1 || self.layer_count.is_none_or(|layers| stages * chunks <= layers)
    }

    /// Returns the space in which all stages have equal numbers of layers.
    pub(crate) fn with_equal_stages(self, layers: ModelLayers) -> Space {
        Space { layers: Some(layers), ..self }
    }

    /// Returns the text of a pipeline with the stages and schedule of a plan, in which all chunks have equal numbers of
    /// layers. `None` if stages are balanced by time, or listed in the plan.
    pub(crate) fn equal_stages(&self, plan: &Plan, stages: usize) -> Option<String> {
        let layers = self.layers.as_ref().filter(|_| stages > 1)?;
        let config = plan.pipeline_config().ok()??;
        let is_open = config.cuts == StageSplit::Count(stages);
        layers.equal_chunks(stages * config.kind.chunks_per_stage()).filter(|_| is_open)
    }

    /// Returns a composition with the next level of recomputation.
    pub(crate) fn recomputing_more(&self, from: &Composition) -> Option<Composition> {
        let recompute = *self.recompute_levels.iter().find(|&&level| level > from.recompute)?;
        Some(Composition { recompute, ..from.clone() })
    }

    /// Returns compositions that need less memory: the next level of recomputation and, without recomputation, the
    /// further stages of ZeRO.
    pub(crate) fn smaller(&self, from: &Composition) -> Vec<Composition> {
        let shards = from.data_shards() > 1 && from.recompute == self.recompute_levels[0];
        let zero_stages = self.zero_stages.iter().filter(|&&zero| shards && zero > from.zero);
        let sharded = zero_stages.map(|&zero| Composition { zero, ..from.clone() });
        self.recomputing_more(from).into_iter().chain(sharded).collect()
    }

    /// Returns a composition with the highest level of recomputation. `None` if it has that level.
    pub(crate) fn recomputing_most(&self, from: &Composition) -> Option<Composition> {
        let recompute = *self.recompute_levels.last().filter(|&&level| level > from.recompute)?;
        Some(Composition { recompute, ..from.clone() })
    }

    /// Returns a composition with the next lower level of recomputation.
    pub(crate) fn recomputing_less(&self, from: &Composition) -> Option<Composition> {
        let recompute = *self.recompute_levels.iter().rev().find(|&&level| level < from.recompute)?;
        Some(Composition { recompute, ..from.clone() })
    }

    /// Returns the largest number of micro-batches with at least `examples` examples each, at most `count`.
    pub(super) fn micro_batches_up_to(&self, count: u64, examples: u32) -> u64 {
        let fits = |&&m: &&u64| m <= count && m * u64::from(examples) <= self.batch;
        self.micro_batches.iter().rev().find(fits).or(self.micro_batches.first()).copied().unwrap_or(1)
    }

    /// Returns true if the numbers of stages and devices, and the sizes of axes, are within bounds.
    pub(super) fn contains(&self, composition: &Composition) -> bool {
        let devices = composition.sizes.iter().map(|&size| size as usize).product::<usize>();
        let is_used = |role: &AxisRole| composition.size(*role) == 1 || self.roles.contains(role);
        self.stages.contains(&composition.stages)
            && (composition.stages == 1 || self.has_layers(composition.stages, self.schedules[composition.schedule]))
            && devices * composition.stages <= self.devices
            && AxisRole::ALL.iter().all(is_used)
            && u64::from(composition.data_shards()) <= self.batch
            && (composition.size(AxisRole::Context) == 1 || self.attentions.contains(&composition.attention))
            && self.mesh.map_or_else(|| composition.has_useful_groups(), |sizes| sizes == composition.sizes)
    }

    /// Returns the compositions that differ from the given one in one decision.
    pub(crate) fn neighbours(&self, from: &Composition) -> Vec<Composition> {
        let mut all = Vec::new();
        self.move_devices(from, &mut all);
        let place = self.micro_batches.iter().position(|&count| count == from.micro_batches).unwrap_or(0);
        let near = [place.checked_sub(1), Some(place + 1)].into_iter().flatten();
        let near = near.filter_map(|at| self.micro_batches.get(at));
        let double = self.micro_batches.iter().find(|&&count| count >= 2 * from.micro_batches);
        for &count in near.chain(double) {
            all.push(from.with_micro_batches(count));
            // The best schedule depends on the number of micro-batches.
            let zero_bubble = [ScheduleKind::ZbH1, ScheduleKind::ZbH2];
            let schedules = (0..self.schedules.len()).filter(|&at| zero_bubble.contains(&self.schedules[at]));
            let in_stages = schedules.filter(|_| from.stages > 1);
            all.extend(in_stages.map(|schedule| Composition { schedule, ..from.with_micro_batches(count) }));
        }
        all.extend(self.recomputing_more(from));
        if from.data_shards() > 1 {
            self.change_groups(from, &mut all);
            all.extend(self.zero_stages.iter().map(|&zero| Composition { zero, ..from.clone() }));
        }
        if from.size(AxisRole::Model) > 1 {
            let presets = [TensorPreset::Megatron, TensorPreset::MegatronSequence, TensorPreset::Mesh];
            all.extend(presets.map(|tensor| Composition { tensor, ..from.clone() }));
            all.extend((0..self.overlaps).map(|overlap| Composition { overlap, ..from.clone() }));
        }
        if from.size(AxisRole::Context) > 1 {
            all.extend(self.attentions.iter().map(|&attention| Composition { attention, ..from.clone() }));
        } else if self.uses_fewer_devices {
            // In small models, the exchanges of a ring take longer than the attention that hides them.
            let sharded: Vec<Composition> = all.iter().filter(|one| one.size(AxisRole::Context) > 1).cloned().collect();
            let attention = self.attentions.iter().find(|&&attention| attention == ContextAttention::Gather);
            all.extend(
                attention
                    .into_iter()
                    .flat_map(|&attention| sharded.iter().map(move |one| Composition { attention, ..one.clone() })),
            );
        }
        if from.stages > 1 {
            all.extend((0..self.schedules.len()).map(|schedule| Composition { schedule, ..from.clone() }));
        }
        all.iter_mut().for_each(Composition::drop_useless_overlap);
        all.retain(|other| other != from && self.contains(other));
        all.sort();
        all.dedup();
        all
    }

    /// Appends the compositions with other groups of devices that store all shards of the state: none, or those whose
    /// size divides that of a node.
    fn change_groups(&self, from: &Composition, all: &mut Vec<Composition>) {
        let sharded_zero = self.zero_stages.iter().find(|&&stage| stage > 0);
        let Some(&zero) = Some(&from.zero).filter(|stage| **stage > 0).or(sharded_zero) else { return };
        let shards = from.data_shards();
        for size in divisors(self.node_devices as u64).into_iter().filter_map(|size| u32::try_from(size).ok()) {
            if shards.is_multiple_of(size) {
                let mut other = Composition { zero, ..from.clone() };
                other.sizes[AxisRole::Data as usize] = shards / size;
                other.sizes[AxisRole::Shard as usize] = size;
                all.push(other);
            }
        }
    }

    /// Appends the compositions in which a prime factor of the devices moves from one axis, or the stages, to another,
    /// or is exchanged for another prime factor: 6 x 4 devices become 3 x 8, 2 x 12, 12 x 2 or 4 x 6.
    fn move_devices(&self, from: &Composition, all: &mut Vec<Composition>) {
        let axes = from.sizes.len();
        let factors = |at: usize| {
            let mut factors = prime_factors(from.sizes.get(at).map_or(from.stages, |&size| size as usize));
            factors.dedup();
            factors
        };
        for source in 0..=axes {
            for factor in factors(source) {
                for target in (0..=axes).filter(|&target| target != source) {
                    let exchanged = factors(target).into_iter().filter(|&other| source < target && other != factor);
                    for back in std::iter::once(1).chain(exchanged) {
                        let mut moved = from.clone();
                        moved.scale(source, |size| size / factor * back);
                        moved.scale(target, |size| size / back * factor);
                        if moved.stages != from.stages || moved.data_shards() > from.data_shards() {
                            moved.micro_batches = self.micro_batches_for(&moved, from.micro_batches);
                        }
                        all.push(moved);
                    }
                }
            }
        }
    }

    /// Returns a number of micro-batches near `count` that gives each stage and each data-parallel device work.
    fn micro_batches_for(&self, composition: &Composition, count: u64) -> u64 {
        let wanted = if composition.stages == 1 { count } else { count.max(2 * composition.stages as u64) };
        self.micro_batches_up_to(wanted, composition.data_shards())
    }
}

impl Composition {
    fn with_micro_batches(&self, micro_batches: u64) -> Composition {
        Composition { micro_batches, ..self.clone() }
    }

    /// Removes the overlap of products unless there are sequence shards: between the layers of other presets there are
    /// reductions only, which have no shards to exchange.
    fn drop_useless_overlap(&mut self) {
        if self.size(AxisRole::Model) == 1 || self.tensor != TensorPreset::MegatronSequence {
            self.overlap = 0;
        }
    }

    /// Returns true if the axis `shard` is unused, or several groups of devices each store all shards of some state.
    fn has_useful_groups(&self) -> bool {
        self.size(AxisRole::Shard) == 1 || (self.size(AxisRole::Data) > 1 && self.zero > 0)
    }

    /// Changes the size of an axis, or the number of stages if `at` is not the index of an axis.
    fn scale(&mut self, at: usize, change: impl Fn(usize) -> usize) {
        match self.sizes.get_mut(at) {
            Some(size) => *size = u32::try_from(change(*size as usize)).unwrap_or(u32::MAX),
            None => self.stages = change(self.stages),
        }
    }
}

/// Returns the implementations of attention that apply to a model: products of two activations are attention that
/// consists of several ops.
fn attentions(model: &ModelStructure<'_>) -> &'static [ContextAttention] {
    let ops = || model.ops.iter().map(|&op| &model.program.ops[op]);
    let is_of_activations =
        |op: &Op| op.kind.class() == Class::Product && op.args.iter().all(|&arg| model.role(arg) == ValueRole::Data);
    if ops().any(|op| op.kind.class().attention().is_some()) {
        return &ContextAttention::OF_ONE_OP;
    }
    let is_decomposed = ops().any(|op| op.phase == Phase::Forward && is_of_activations(op));
    if is_decomposed { &[ContextAttention::Decomposed] } else { &[] }
}

/// Returns the divisors of a number in ascending order.
pub(super) fn divisors(number: u64) -> Vec<u64> {
    let small =
        (1..).take_while(|divisor| divisor * divisor <= number).filter(|divisor| number.is_multiple_of(*divisor));
    let mut all: Vec<u64> = small.flat_map(|divisor| [divisor, number / divisor]).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Returns the prime factors of a number in ascending order, with their multiplicities.
pub(crate) fn prime_factors(number: usize) -> Vec<usize> {
    let (mut left, mut factors) = (number, Vec::new());
    let mut factor = 2;
    while factor * factor <= left {
        while left.is_multiple_of(factor) {
            factors.push(factor);
            left /= factor;
        }
        factor += 1;
    }
    factors.extend((left > 1).then_some(left));
    factors
}

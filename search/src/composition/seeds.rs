//! Starting points of the exploration.

use super::moves::divisors;
use super::{AxisRole, AxisSizes, Composition, ContextAttention, Space, TensorPreset};
use partita_ir::schedule::ScheduleKind;

/// Composition on one device, from which starting points are derived.
const BASE: Composition = Composition {
    stages: 1,
    sizes: [1; AxisRole::ALL.len()],
    micro_batches: 1,
    schedule: 0,
    recompute: 0,
    zero: 0,
    tensor: TensorPreset::Megatron,
    attention: ContextAttention::Ring,
    overlap: 0,
};

/// Returns the starting points of the exploration, with the lowest level of recomputation: data parallelism with and
/// without shards, shards within nodes, tensor parallelism within nodes, sequence shards, and pipelines of nodes.
pub(crate) fn seeds(space: &Space) -> Vec<Composition> {
    let mut all = Vec::new();
    let mut add = |stages: usize, sizes: AxisSizes| {
        for zero in [0, 1, 3] {
            let zero = *space.zero_stages.iter().rev().find(|&&stage| stage <= zero).unwrap_or(&space.zero_stages[0]);
            let seed = seed(space, stages, sizes, zero);
            let sequence = Composition { tensor: TensorPreset::MegatronSequence, ..seed.clone() };
            let is_tensor_parallel = seed.size(AxisRole::Model) > 1;
            for seed in [Some(seed), is_tensor_parallel.then_some(sequence)].into_iter().flatten() {
                if space.contains(&seed) && !all.contains(&seed) {
                    all.push(seed);
                }
            }
        }
    };
    if let Some(sizes) = space.mesh {
        let per_stage: usize = sizes.iter().map(|&size| size as usize).product();
        for &stages in space.stages.iter().filter(|&&stages| stages * per_stage <= space.devices) {
            add(stages, sizes);
        }
        add_short_pipelines(space, &mut all);
        return all;
    }
    let narrow = |size: usize| u32::try_from(size).unwrap_or(u32::MAX);
    for &stages in &space.stages {
        if !space.devices.is_multiple_of(stages) || !(stages.is_power_of_two() || space.stages.len() == 1) {
            continue;
        }
        let devices = space.devices / stages;
        let tensor = (1..=devices.min(space.node_devices)).rev().find(|n| devices.is_multiple_of(*n)).unwrap_or(1);
        let outer = devices / tensor;
        let data = divisors(outer as u64).into_iter().rev().find(|&count| count <= space.batch).unwrap_or(1) as usize;
        add(stages, [narrow(devices), 1, 1, 1, 1]);
        add(stages, [narrow(outer), narrow(tensor), 1, 1, 1]);
        add(stages, [narrow(data), 1, 1, narrow(outer / data), narrow(tensor)]);
    }
    add_short_pipelines(space, &mut all);
    all
}

/// Appends the pipelines among the starting points with one micro-batch, and with one for each stage, if the step is so
/// short that starting the kernels of more micro-batches can take longer than the bubble.
fn add_short_pipelines(space: &Space, all: &mut Vec<Composition>) {
    if !space.uses_fewer_devices {
        return;
    }
    let schedule = space.schedules.iter().position(|kind| *kind == ScheduleKind::ZbH1).unwrap_or_default();
    let pipelines: Vec<Composition> = all.iter().filter(|seed| seed.stages > 1).cloned().collect();
    for seed in pipelines {
        for count in [1, seed.stages as u64] {
            let micro_batches = space.micro_batches_up_to(count, seed.data_shards());
            let short = Composition { micro_batches, schedule, ..seed.clone() };
            if space.contains(&short) && !all.contains(&short) {
                all.push(short);
            }
        }
    }
}

/// Returns starting points on fewer devices than all, with data or tensor parallelism and the smallest number of
/// stages: on any number if the step is so short that communication can cost more than it saves, otherwise on one
/// device for each stage. A short step is also started with more stages of one device each.
pub(crate) fn seeds_on_fewer_devices(space: &Space) -> Vec<Composition> {
    if space.mesh.is_some() {
        return Vec::new();
    }
    let stages = space.stages[0];
    let most = (space.devices / stages) as u64;
    let counts = divisors(most).into_iter().filter(|&count| count < most);
    let counts = counts.filter(|&count| count == 1 || space.uses_fewer_devices);
    let counts = counts.map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    let sizes = counts.flat_map(|count| [[count, 1, 1, 1, 1], [1, 1, 1, 1, count]]);
    let seeds = sizes.map(|sizes| seed(space, stages, sizes, space.zero_stages[0]));
    let more =
        space.stages.iter().filter(|&&count| space.uses_fewer_devices && count > stages && count < space.devices);
    let more = more.filter(|count| count.is_power_of_two());
    let pipelines = more.map(|&stages| seed(space, stages, BASE.sizes, space.zero_stages[0]));
    let mut all: Vec<Composition> = seeds.chain(pipelines).filter(|seed| space.contains(seed)).collect();
    // A single device is in both.
    all.dedup();
    add_short_pipelines(space, &mut all);
    all
}

/// Returns a composition with the lowest level of recomputation, and with enough micro-batches for all stages.
fn seed(space: &Space, stages: usize, sizes: AxisSizes, zero: usize) -> Composition {
    let attention = space.attentions.first().copied().unwrap_or(BASE.attention);
    let seed = Composition { stages, sizes, zero, recompute: space.recompute_levels[0], attention, ..BASE };
    let count = if stages > 1 { 4 * stages as u64 } else { space.micro_batches[0] };
    Composition { micro_batches: space.micro_batches_up_to(count, seed.data_shards()), ..seed }
}

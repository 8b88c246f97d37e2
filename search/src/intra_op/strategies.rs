//! Sharding strategies of a decision group: each mesh axis shards one of the group's dimensions or none. For sums, an
//! axis can also distribute partial sums.

use super::decision_groups::{DecisionGroup, OpNode};
use partita_ir::arena::MeshId;
use partita_ir::layout::{Layout, Monoid, PartialAxis};
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh, shard_count};
use partita_ir::rule::{FactorAxes, FactorKind, Rule, splits_evenly};
use partita_passes::partitioning::choose::max_shardable_axes;
use partita_passes::planning::presets::model::{ModelStructure, Stem};
use smallvec::{SmallVec, smallvec};

/// Use of a mesh axis in a strategy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AxisUse {
    /// Devices along the axis compute the same values.
    Replicate,
    /// The axis shards a dimension.
    Shard(Stem),
    /// Devices along the axis have partial sums.
    PartialSum,
}

/// Use of each mesh axis.
pub(crate) type Strategy = SmallVec<[AxisUse; 4]>;

/// Returns the mesh axes of size greater than 1.
pub(crate) fn splitting_axes(mesh: &DeviceMesh) -> Vec<AxisRef> {
    mesh.axis_ids().map(|axis| AxisRef::full(mesh, axis)).filter(|axis| axis.size > 1).collect()
}

/// Returns all strategies of a group. An axis does not shard a dimension with fewer elements than the resulting number
/// of shards.
pub(crate) fn strategies(group: &DecisionGroup, model: &ModelStructure<'_>, axes: &[AxisRef]) -> Vec<Strategy> {
    let mut all: Vec<Strategy> = vec![Strategy::new()];
    for axis in axes {
        let mut next = Vec::with_capacity(all.len() * (group.stems.len() + 2));
        for before in &all {
            let splits = group.stems.iter().copied().map(AxisUse::Shard);
            for axis_use in
                [AxisUse::Replicate].into_iter().chain(splits).chain(group.accumulates.then_some(AxisUse::PartialSum))
            {
                let taken: usize =
                    before.iter().zip(axes).filter(|(d, _)| **d == axis_use).map(|(_, a)| a.size as usize).product();
                let is_too_small = |stem| model.min_size(stem) < taken * axis.size as usize;
                if !matches!(axis_use, AxisUse::Shard(stem) if is_too_small(stem)) {
                    let mut strategy = before.clone();
                    strategy.push(axis_use);
                    next.push(strategy);
                }
            }
        }
        all = next;
    }
    all
}

/// Returns the axes that shard each factor of an op under a strategy. If several factors have the same stem, the first
/// one that can be sharded is. `inner` is true if inner factors of a composite op can be sharded.
pub(crate) fn factor_axes(node: &OpNode, strategy: &Strategy, axes: &[AxisRef], inner: bool) -> FactorAxes {
    let rule = &node.rule;
    let mut factors: FactorAxes = smallvec![Axes::new(); rule.factors.len()];
    let mut taken: SmallVec<[Stem; 4]> = SmallVec::new();
    for ((factor, stem), split) in rule.factors.iter().zip(&node.stems).zip(&mut factors) {
        let Some(stem) = *stem else { continue };
        if taken.contains(&stem) {
            continue;
        }
        let wanted: Axes = axes
            .iter()
            .zip(strategy)
            .filter(|(_, axis_use)| **axis_use == AxisUse::Shard(stem))
            .map(|(a, _)| *a)
            .collect();
        let kind = if factor.kind == FactorKind::Inner && inner { FactorKind::PassThrough } else { factor.kind };
        if !wanted.is_empty()
            && factor.size >= shard_count(&wanted)
            && max_shardable_axes(kind, factor.size, &wanted) == wanted.len()
        {
            *split = wanted;
            taken.push(stem);
        }
    }
    // A dimension with several factors can only be sharded evenly, and its minor factors only if the major ones are
    // fully sharded.
    for dim in rule.maps().flatten().filter(|dim| dim.len() > 1) {
        for factor in dim.iter().map(|factor| factor.0 as usize) {
            if !splits_evenly(rule.factors[factor].size, &factors[factor]) {
                factors[factor] = Axes::new();
            }
        }
        let major_is_split_up = |at: usize| {
            dim[..at].iter().all(|f| shard_count(&factors[f.0 as usize]) == rule.factors[f.0 as usize].size)
        };
        let minor: SmallVec<[usize; 2]> =
            (1..dim.len()).filter(|&at| !major_is_split_up(at)).map(|at| dim[at].0 as usize).collect();
        minor.into_iter().for_each(|factor| factors[factor] = Axes::new());
    }
    factors
}

/// Returns the axes along which devices have partial sums.
pub(crate) fn partial_sums(strategy: &Strategy, axes: &[AxisRef]) -> SmallVec<[PartialAxis; 1]> {
    let sums = axes.iter().zip(strategy).filter(|(_, axis_use)| **axis_use == AxisUse::PartialSum);
    sums.map(|(&axis, _)| (axis, Monoid::Sum)).collect()
}

/// Returns the layout that an op requires for an operand, with the given partial sums.
pub(crate) fn operand_layout(
    rule: &Rule,
    arg: usize,
    factors: &FactorAxes,
    partial_sums: &[PartialAxis],
    mesh: MeshId,
) -> Layout {
    Layout {
        dims: rule.project(&rule.args[arg], factors),
        partial: partial_sums.iter().copied().collect(),
        ..Layout::replicated(mesh, 0)
    }
}

/// Returns the layout of a result, with the given partial sums.
pub(crate) fn result_layout(
    rule: &Rule,
    out: usize,
    factors: &FactorAxes,
    partial_sums: &[PartialAxis],
    mesh: MeshId,
) -> Layout {
    Layout {
        dims: rule.project(&rule.outs[out], factors),
        partial: rule.partial_axes(factors).into_iter().chain(partial_sums.iter().copied()).collect(),
        ..Layout::replicated(mesh, 0)
    }
}

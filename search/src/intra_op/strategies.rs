//! Sharding strategies of a decision group: each mesh axis shards one of the group's dimensions or none. For sums, an
//! axis can also distribute partial sums.

use super::decision_groups::{DecisionGroup, OpNode};
use partita_ir::arena::{Id, MeshId};
use partita_ir::layout::{Layout, Monoid, PartialAxis};
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh, shard_count};
use partita_ir::rule::{FactorAxes, FactorKind, Rule, splits_evenly};
use partita_passes::partitioning::choose::max_shardable_axes;
use partita_passes::planning::presets::model::{ModelStructure, Stem};
use smallvec::{SmallVec, smallvec};
use std::ops::Deref;

#[cfg(test)]
mod tests;

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

/// Mesh axes of size greater than 1.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SplittingAxes {
    all: Vec<AxisRef>,
    /// Permutations of axes of the same size after which layouts count as the same. The first one is the identity.
    exchanges: Vec<Vec<AxisRef>>,
}

impl SplittingAxes {
    /// Returns the axes of a mesh. If axes of the same size are interchangeable, there are fewer strategies, and costs
    /// are those of the best exchange for each op and each value, that is, lower bounds.
    pub(crate) fn new(mesh: &DeviceMesh, are_interchangeable: bool) -> SplittingAxes {
        let all: Vec<AxisRef> =
            mesh.axis_ids().map(|axis| AxisRef::full(mesh, axis)).filter(|axis| axis.size > 1).collect();
        let mut exchanges: Vec<Vec<AxisRef>> = vec![Vec::new()];
        for axis in &all {
            let next = |before: Vec<AxisRef>| {
                let may_be = |other: &&AxisRef| match are_interchangeable {
                    true => other.size == axis.size && !before.contains(other),
                    false => *other == axis,
                };
                let images: Vec<Vec<AxisRef>> =
                    all.iter().filter(may_be).map(|&other| before.iter().copied().chain([other]).collect()).collect();
                images
            };
            exchanges = exchanges.into_iter().flat_map(next).collect();
        }
        SplittingAxes { all, exchanges }
    }

    /// Returns the machine devices of the ranks of a mesh after each exchange.
    pub(crate) fn exchanged_devices(&self, mesh: &DeviceMesh, devices: &[usize]) -> Vec<Vec<usize>> {
        let exchanged = |images: &Vec<AxisRef>| -> Vec<usize> {
            let device = |rank: usize| {
                let coords = mesh.coords(rank);
                let mut at = coords.clone();
                for (axis, image) in self.all.iter().zip(images) {
                    at[image.axis.index()] = coords[axis.axis.index()];
                }
                devices[mesh.rank(&at)]
            };
            (0..devices.len()).map(device).collect()
        };
        self.exchanges.iter().map(exchanged).collect()
    }

    /// Returns the layouts that count as the same as `layout`, which is the first one.
    pub(crate) fn exchanged(&self, layout: &Layout) -> Vec<Layout> {
        let mut same: Vec<Layout> = Vec::new();
        for images in &self.exchanges {
            let image = |axis: &AxisRef| {
                let image = self.all.iter().zip(images).find(|(other, _)| other.axis == axis.axis);
                image.map_or(*axis, |(_, image)| AxisRef { axis: image.axis, ..*axis })
            };
            let mut other = layout.clone();
            other.dims.iter_mut().flat_map(|dim| &mut dim.axes).for_each(|axis| *axis = image(axis));
            other.partial.iter_mut().for_each(|(axis, _)| *axis = image(axis));
            if !same.contains(&other) {
                same.push(other);
            }
        }
        same
    }

    /// Returns true if layouts that differ in an exchange of axes are different.
    pub(crate) fn are_distinct(&self) -> bool {
        self.exchanges.len() == 1
    }

    /// Returns true if the axis at a position can be exchanged with the one before it.
    fn is_exchangeable(&self, at: usize) -> bool {
        at > 0 && !self.are_distinct() && self.all[at - 1].size == self.all[at].size
    }
}

impl Deref for SplittingAxes {
    type Target = [AxisRef];

    fn deref(&self) -> &[AxisRef] {
        &self.all
    }
}

/// Returns all strategies of a group. An axis does not shard a dimension with fewer elements than the resulting number
/// of shards.
pub(crate) fn strategies(group: &DecisionGroup, model: &ModelStructure<'_>, axes: &SplittingAxes) -> Vec<Strategy> {
    let splits = group.stems.iter().copied().map(AxisUse::Shard);
    let partial_sum = group.accumulates.then_some(AxisUse::PartialSum);
    let uses: Vec<AxisUse> = [AxisUse::Replicate].into_iter().chain(splits).chain(partial_sum).collect();
    let mut all: Vec<Strategy> = vec![Strategy::new()];
    for (at, axis) in axes.iter().enumerate() {
        let mut next = Vec::with_capacity(all.len() * uses.len());
        for before in &all {
            // Strategies that only differ in an exchange have the same ascending uses.
            let previous = before.last().filter(|_| axes.is_exchangeable(at));
            let first = previous.and_then(|previous| uses.iter().position(|axis_use| axis_use == previous));
            for &axis_use in &uses[first.unwrap_or(0)..] {
                let taken: usize =
                    before.iter().zip(&**axes).filter(|(d, _)| **d == axis_use).map(|(_, a)| a.size as usize).product();
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

//! What the ops of a group can do: each mesh axis splits one of their dimensions, or none; of sums it may also hold
//! parts.

use super::decision_groups::{DecisionGroup, OpNode};
use partita_ir::arena::MeshId;
use partita_ir::layout::{Layout, Monoid, Pending};
use partita_ir::mesh::{Axes, AxisRef, Mesh, ways};
use partita_ir::rule::{FactorAxes, FactorKind, Rule, even};
use partita_passes::partitioning::choose::splittable;
use partita_passes::planning::presets::model::{Model, Stem};
use smallvec::{SmallVec, smallvec};

/// What an axis of the mesh does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Does {
    /// Along it all devices do the same.
    Nothing,
    /// It splits a dimension.
    Splits(Stem),
    /// Devices along it have parts of sums.
    Sums,
}

/// What each axis of the mesh does.
pub(crate) type Strategy = SmallVec<[Does; 4]>;

/// The axes of a mesh that split anything.
pub(crate) fn splitting(mesh: &Mesh) -> Vec<AxisRef> {
    mesh.axis_ids().map(|axis| AxisRef::whole(mesh, axis)).filter(|axis| axis.size > 1).collect()
}

/// Everything that a group can do. What cannot be cut into as many pieces as an axis has positions is not split by it.
pub(crate) fn strategies(group: &DecisionGroup, model: &Model<'_>, axes: &[AxisRef]) -> Vec<Strategy> {
    let mut all: Vec<Strategy> = vec![Strategy::new()];
    for axis in axes {
        let mut next = Vec::with_capacity(all.len() * (group.stems.len() + 2));
        for before in &all {
            let splits = group.stems.iter().copied().map(Does::Splits);
            for does in [Does::Nothing].into_iter().chain(splits).chain(group.sums.then_some(Does::Sums)) {
                let taken: usize =
                    before.iter().zip(axes).filter(|(d, _)| **d == does).map(|(_, a)| a.size as usize).product();
                let is_cut_up = |stem| model.least(stem) < taken * axis.size as usize;
                if !matches!(does, Does::Splits(stem) if is_cut_up(stem)) {
                    let mut strategy = before.clone();
                    strategy.push(does);
                    next.push(strategy);
                }
            }
        }
        all = next;
    }
    all
}

/// The axes of each factor of an op under a strategy: of factors of one stem the first one that can be split is.
/// `inner` says whether those inside a composite can be.
pub(crate) fn factor_axes(node: &OpNode, strategy: &Strategy, axes: &[AxisRef], inner: bool) -> FactorAxes {
    let rule = &node.rule;
    let mut factors: FactorAxes = smallvec![Axes::new(); rule.factors.len()];
    let mut taken: SmallVec<[Stem; 4]> = SmallVec::new();
    for ((factor, stem), split) in rule.factors.iter().zip(&node.stems).zip(&mut factors) {
        let Some(stem) = *stem else { continue };
        if taken.contains(&stem) {
            continue;
        }
        let wanted: Axes =
            axes.iter().zip(strategy).filter(|(_, does)| **does == Does::Splits(stem)).map(|(a, _)| *a).collect();
        let kind = if factor.kind == FactorKind::Inner && inner { FactorKind::Pass } else { factor.kind };
        if !wanted.is_empty() && factor.size >= ways(&wanted) && splittable(kind, factor.size, &wanted) == wanted.len()
        {
            *split = wanted;
            taken.push(stem);
        }
    }
    // Of a dimension of several factors only equal pieces are whole rows of the minor ones.
    for dim in rule.maps().flatten().filter(|dim| dim.len() > 1) {
        for factor in dim.iter().map(|factor| factor.0 as usize) {
            if !even(rule.factors[factor].size, &factors[factor]) {
                factors[factor] = Axes::new();
            }
        }
        let major_is_split_up =
            |at: usize| dim[..at].iter().all(|f| ways(&factors[f.0 as usize]) == rule.factors[f.0 as usize].size);
        let minor: SmallVec<[usize; 2]> =
            (1..dim.len()).filter(|&at| !major_is_split_up(at)).map(|at| dim[at].0 as usize).collect();
        minor.into_iter().for_each(|factor| factors[factor] = Axes::new());
    }
    factors
}

/// The axes along which devices have parts of sums.
pub(crate) fn parts(strategy: &Strategy, axes: &[AxisRef]) -> SmallVec<[Pending; 1]> {
    let sums = axes.iter().zip(strategy).filter(|(_, does)| **does == Does::Sums);
    sums.map(|(&axis, _)| (axis, Monoid::Sum)).collect()
}

/// How an operand has to lie, of a sum in these parts.
pub(crate) fn needed(rule: &Rule, arg: usize, factors: &FactorAxes, parts: &[Pending], mesh: MeshId) -> Layout {
    Layout {
        dims: rule.project(&rule.args[arg], factors),
        pending: parts.iter().copied().collect(),
        ..Layout::replicated(mesh, 0)
    }
}

/// How a result lies, of a sum in these parts.
pub(crate) fn made(rule: &Rule, out: usize, factors: &FactorAxes, parts: &[Pending], mesh: MeshId) -> Layout {
    Layout {
        dims: rule.project(&rule.outs[out], factors),
        pending: rule.pending(factors).into_iter().chain(parts.iter().copied()).collect(),
        ..Layout::replicated(mesh, 0)
    }
}

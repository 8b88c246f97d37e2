//! Partitioning of one op: choice of the mesh axes of each factor of its sharding rule.
//!
//! If operands and results agree, their layouts determine the axes. In case of a conflict (an axis used by two factors,
//! operands with different shardings, a dimension that the rule cannot shard) the few alternatives are priced: first by
//! the work per device if the op is a contraction, then by the bytes communicated to reshard operands and results,
//! reductions included.

use super::reshard_path::ReshardPaths;
use partita_ir::class::Class;
use partita_ir::dtype::Type;
use partita_ir::layout::{Layout, local_size};
use partita_ir::mesh::{Axes, AxisRef, shard_count};
use partita_ir::op::OpKind;
use partita_ir::rule::{FactorAxes, FactorKind, Rule, Window, assign_axes, splits_evenly};
use smallvec::{SmallVec, smallvec};

/// Type and layout of an operand or result.
pub struct TypedLayout<'a> {
    /// Global type.
    pub ty: &'a Type,
    /// Current layout of an operand, or desired layout of a result.
    pub layout: &'a Layout,
    /// True for a constant, which can be created in any layout without communication.
    pub is_constant: bool,
}

/// Maximum number of alternatives to price. Likely ones come first.
const MAX_ALTERNATIVES: usize = 64;

/// Returns the number of leading `axes` that may shard a factor of `size` elements of an operand dimension. The limit
/// is what the halos and index arithmetic of `localize` support.
pub fn max_shardable_axes(kind: FactorKind, size: usize, axes: &[AxisRef]) -> usize {
    match kind {
        FactorKind::PassThrough | FactorKind::Reduce(_) => axes.len(),
        // Neighbouring shards must be neighbours on the mesh, and each shard must start at a multiple of the base
        // dilation.
        FactorKind::Window(w) if size > 0 && fits_index_type(&w, size) => {
            let one = axes.len().min(1);
            if (local_size(size, &axes[..one]) * w.stride).is_multiple_of(w.base) { one } else { 0 }
        }
        // Positions of elements fit in 32 bits.
        FactorKind::Exchanged { common_divisor } if size < 1 << 31 => {
            let several = (2..=axes.len()).rev().find(|&n| splits_evenly(common_divisor, &axes[..n]));
            several.unwrap_or(axes.len().min(1))
        }
        // With uneven shards, padded shards of several axes overlap.
        FactorKind::Indexed if splits_evenly(size, axes) => axes.len(),
        FactorKind::Indexed => axes.len().min(1),
        FactorKind::NeedReplication | FactorKind::Inner | FactorKind::Exchanged { .. } | FactorKind::Window(_) => 0,
    }
}

/// Returns true if all positions of a window fit in 32 bits, the index type of `localize`.
fn fits_index_type(w: &Window, outputs: usize) -> bool {
    let reach = w.stride as u128 * outputs as u128 + w.dilation as u128 * w.size as u128 + w.base as u128;
    reach + u128::from(w.low.unsigned_abs()) + u128::from(w.high.unsigned_abs()) < 1 << 31
}

/// Returns the axes of each factor, and true if the layouts of all operands and results agree with them.
pub fn choose(
    kind: &OpKind,
    rule: &Rule,
    args: &[TypedLayout<'_>],
    outs: &[TypedLayout<'_>],
    paths: &mut ReshardPaths,
) -> (FactorAxes, bool) {
    let assigned = rule.infer_factor_axes(args.iter().chain(outs).map(|s| s.layout));
    let sound = rule
        .factors
        .iter()
        .zip(&assigned.factors)
        .all(|(f, axes)| max_shardable_axes(f.kind, f.size, axes) == axes.len());
    if assigned.exact && sound {
        return (assigned.factors, true);
    }
    let proposals = proposals(rule, args, outs);
    let mut best: Option<(Price, FactorAxes)> = None;
    for factors in combinations(&proposals) {
        if has_conflict(&factors) || !is_expressible(rule, &factors) {
            continue;
        }
        let price = price(kind, rule, args, outs, &factors, paths);
        if best.as_ref().is_none_or(|(p, _)| price < *p) {
            best = Some((price, factors));
        }
    }
    let unsharded = || smallvec![Axes::new(); rule.factors.len()];
    (best.map_or_else(unsharded, |(_, factors)| factors), false)
}

/// Price of an alternative, compared in order: work of a contraction on one device, bytes sent, bytes sent for results,
/// negative number of shards. Bytes of results count separately because an operand is resharded once, whereas a changed
/// result may force a reshard at each of its readers.
type Price = (u64, u64, u64, i64);

/// Returns the axes that operands and results propose for each factor, by weight, and the empty assignment.
fn proposals(rule: &Rule, args: &[TypedLayout<'_>], outs: &[TypedLayout<'_>]) -> Vec<Vec<Axes>> {
    let mut proposals: Vec<Vec<(u64, Axes)>> = vec![Vec::new(); rule.factors.len()];
    for (map, side) in rule.maps().zip(args.iter().chain(outs)) {
        let weight = if side.is_constant { 0 } else { side.ty.bytes() };
        for (dim, at) in map.iter().zip(&side.layout.dims) {
            let assigned_axes = assign_axes(&rule.sizes(dim), &at.axes);
            for (factor, mut part) in dim.iter().zip(assigned_axes.parts) {
                let slot = &mut proposals[factor.0 as usize];
                let size = rule.factors[factor.0 as usize].size;
                part.truncate(max_shardable_axes(rule.kind(*factor), size, &part));
                match slot.iter_mut().find(|(_, axes)| *axes == part) {
                    Some((sum, _)) => *sum += weight,
                    None => slot.push((weight, part)),
                }
            }
        }
    }
    proposals
        .into_iter()
        .map(|mut slot| {
            // More shards first, since slicing a replicated operand is free, then by weight. The sort is stable.
            slot.sort_by_key(|(weight, axes)| (std::cmp::Reverse(shard_count(axes)), std::cmp::Reverse(*weight)));
            let mut axes: Vec<Axes> = slot.into_iter().map(|(_, axes)| axes).collect();
            if !axes.iter().any(|a| a.is_empty()) {
                axes.push(Axes::new());
            }
            axes
        })
        .collect()
}

/// Returns combinations of one option per factor, the first options first, at most [`MAX_ALTERNATIVES`].
fn combinations(proposals: &[Vec<Axes>]) -> Vec<FactorAxes> {
    let mut all: Vec<FactorAxes> = vec![SmallVec::new()];
    for slot in proposals {
        let room = MAX_ALTERNATIVES / all.len().max(1);
        let take = slot.len().min(room.max(1));
        all = slot[..take]
            .iter()
            .flat_map(|axes| {
                all.iter().map(move |head| {
                    let mut next = head.clone();
                    next.push(axes.clone());
                    next
                })
            })
            .collect();
    }
    // The unsharded combination, which never conflicts.
    all.push(smallvec![Axes::new(); proposals.len()]);
    all
}

/// Returns true if two factors share an axis.
fn has_conflict(factors: &[Axes]) -> bool {
    let all: SmallVec<[_; 8]> = factors.iter().flatten().copied().collect();
    all.iter().enumerate().any(|(i, a)| all[..i].iter().any(|b| a.overlaps(*b)))
}

/// Returns true if every operand and result has a layout for these axes: in a dimension of several factors, a minor
/// factor may be sharded only if the factors major to it are fully sharded.
fn is_expressible(rule: &Rule, factors: &[Axes]) -> bool {
    rule.maps().flatten().filter(|dim| dim.len() > 1).all(|dim| {
        let assigned_axes = assign_axes(&rule.sizes(dim), &rule.dim_axes(dim, factors));
        assigned_axes.rest.is_empty()
            && dim.iter().zip(&assigned_axes.parts).all(|(f, part)| factors[f.0 as usize] == *part)
    })
}

fn price(
    kind: &OpKind,
    rule: &Rule,
    args: &[TypedLayout<'_>],
    outs: &[TypedLayout<'_>],
    factors: &[Axes],
    paths: &mut ReshardPaths,
) -> Price {
    let shards: usize = factors.iter().map(|a| shard_count(a)).product();
    let work = if kind.class() == Class::Product {
        let arg_types: SmallVec<[&Type; 3]> = args.iter().map(|s| s.ty).collect();
        let out_types: SmallVec<[&Type; 3]> = outs.iter().map(|s| s.ty).collect();
        kind.flops(&arg_types, &out_types) / shards.max(1) as u64
    } else {
        0
    };
    let (mut wire, mut result_wire) = (0.0, 0.0);
    for (map, side) in rule.args.iter().zip(args).filter(|(_, s)| !s.is_constant) {
        let need = Layout { dims: rule.project(map, factors), ..Layout::replicated(side.layout.mesh, 0) };
        wire += paths.find(&side.ty.shape, side.ty.dtype.bytes(), side.layout, &need).wire_bytes;
    }
    for (map, side) in rule.outs.iter().zip(outs) {
        let produced = Layout {
            dims: rule.project(map, factors),
            partial: rule.partial_axes(factors),
            ..Layout::replicated(side.layout.mesh, 0)
        };
        result_wire += paths.find(&side.ty.shape, side.ty.dtype.bytes(), &produced, side.layout).wire_bytes;
    }
    (work, (wire + result_wire).round() as u64, result_wire.round() as u64, -(shards as i64))
}

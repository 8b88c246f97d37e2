//! Layout semantics of operations: partial axes of results, and the layout changes that collectives perform.
//!
//! The verifier applies these rules to programs, and the program equivalence checker applies them to terms, so that
//! both agree.

use crate::dtype::Shape;
use crate::layout::{Layout, Monoid, PartialAxis, divides};
use crate::mesh::{Axes, AxisRef, shard_count};
use crate::program::class::{Collective, DeviceOp};
use crate::program::op::OpKind;
use crate::rule::{ArgSet, FactorAxes, FactorId, Rule, merge_adjacent};
use smallvec::SmallVec;

/// Partial axes of one value, each with the reduction that is still to be done over it.
pub type PartialAxes = SmallVec<[PartialAxis; 2]>;

/// Normalizes partial axes: sorts them and merges adjacent factors of one axis.
pub fn normalize_partial(partial: impl IntoIterator<Item = PartialAxis>) -> PartialAxes {
    let mut sorted: PartialAxes = partial.into_iter().collect();
    sorted.sort_unstable();
    let mut joined: PartialAxes = SmallVec::new();
    for (axis, monoid) in sorted {
        match joined.last_mut() {
            Some((last, m)) if *m == monoid && last.axis == axis.axis && last.pre * last.size == axis.pre => {
                last.size *= axis.size;
            }
            _ => joined.push((axis, monoid)),
        }
    }
    joined
}

/// Returns the partial axes of an op's results.
///
/// `factors` are the mesh axes assigned to each factor of the rule, and `args` are the partial axes of each operand.
/// The result contains the axes of split reductions of the op itself and the partial axes that pass through the op.
///
/// Errors: a message if an operand is partial where the op requires a final value.
pub fn propagate_partial(rule: &Rule, factors: &FactorAxes, args: &[PartialAxes]) -> Result<PartialAxes, String> {
    let operands_with = |sum: PartialAxis| ArgSet::from_args((0..args.len()).filter(|&a| args[a].contains(&sum)));
    let own = normalize_partial(rule.partial_axes(factors));
    let mut left = own.clone();
    for &sum in &own {
        let required = ArgSet::from_args((0..args.len()).filter(|&a| requires_partial_operand(rule, factors, a, sum)));
        if operands_with(sum) != required {
            let what =
                "an operand that is added to split partial sums must be a partial sum itself, and no other one may be";
            return Err(what.into());
        }
    }
    for &sum in args.iter().flatten() {
        if left.contains(&sum) {
            continue;
        }
        if factors.iter().flatten().any(|a| a.overlaps(sum.0)) {
            return Err("reads a value that is partial over an axis that splits the operation".into());
        }
        let carriers = operands_with(sum);
        let linear = args.len() <= ArgSet::CAPACITY && sum.1 == Monoid::Sum && rule.linear.contains(&carriers);
        let moves = rule.moves && carriers == ArgSet::from_args([0]);
        if !linear && !moves {
            let what =
                format!("reads a partial {}, but is not linear in exactly the operands that are partial", sum.1.name());
            return Err(what);
        }
        left.push(sum);
    }
    Ok(normalize_partial(left))
}

/// Returns true if operand `arg` must be partial over `sum`, a partial axis that the op's own reduction creates: the op
/// is jointly linear in `arg` and in an operand whose elements are sharded over that reduction.
fn requires_partial_operand(rule: &Rule, factors: &FactorAxes, arg: usize, sum: PartialAxis) -> bool {
    let reduced = |a: usize| {
        (0u32..).map(FactorId).zip(factors).any(|(id, axes)| {
            rule.reduction(id).is_some() && rule.in_arg(a, id) && axes.iter().any(|x| x.overlaps(sum.0))
        })
    };
    let with_reduced = |set: &ArgSet| set.has(arg) && (0..rule.args.len()).any(|b| set.has(b) && reduced(b));
    sum.1 == Monoid::Sum && !reduced(arg) && rule.linear.iter().any(with_reduced)
}

/// Returns true if an op that only changes the layout of a value of `shape` maps layout `from` to layout `to`, as
/// determined by its kind and attributes. For a permutation, the pairs are only checked to be a valid permutation, not
/// to move each shard to the right device.
pub fn is_layout_change(kind: &OpKind, shape: &Shape, from: &Layout, to: &Layout) -> bool {
    let sums = |l: &Layout, more: &[AxisRef], m: Monoid| {
        normalize_partial(l.partial.iter().copied().chain(more.iter().map(|&a| (a, m))))
    };
    let same_sums = sums(from, &[], Monoid::Sum) == sums(to, &[], Monoid::Sum);
    // Axes of a dimension, with `more` appended as the most minor ones. Factors of an axis are merged only if the axis
    // divides the dimension: with padding, the shards of an axis and those of its factors start at different elements.
    let axes = |l: &Layout, dim: usize, more: &[AxisRef]| -> Axes {
        let all = l.dims.get(dim).into_iter().flat_map(|d| &d.axes).chain(more).copied();
        let shards: usize = all.clone().map(|a| a.size as usize).product();
        if shape.get(dim).is_some_and(|n| n.is_multiple_of(shards)) { merge_adjacent(all) } else { all.collect() }
    };
    let same_dims = |except: &[usize]| {
        (0..shape.rank()).all(|d| except.contains(&d) || axes(from, d, &[]) == axes(to, d, &[]))
            && except.iter().all(|&d| d < shape.rank())
    };
    if from.mesh != to.mesh {
        return false;
    }
    match (kind.collective(), kind.class().device()) {
        (Some(collective), _) => match collective {
            Collective::AllReduce(c) => same_dims(&[]) && sums(from, &[], c.monoid) == sums(to, &c.axes, c.monoid),
            Collective::AllGather(c) => {
                same_sums && same_dims(&[c.dim]) && axes(from, c.dim, &[]) == axes(to, c.dim, &c.axes)
            }
            Collective::ReduceScatter(c) => {
                same_dims(&[c.dim])
                    && axes(from, c.dim, &c.axes) == axes(to, c.dim, &[])
                    && sums(from, &[], c.monoid) == sums(to, &c.axes, c.monoid)
            }
            Collective::AllToAll(c) => {
                same_sums
                    && c.from != c.to
                    && same_dims(&[c.from, c.to])
                    && axes(from, c.from, &[]) == axes(to, c.from, &c.axes)
                    && axes(from, c.to, &c.axes) == axes(to, c.to, &[])
            }
            Collective::Permute(c) => {
                let even = (0..shape.rank()).all(|d| {
                    let (a, b) = (axes(from, d, &[]), axes(to, d, &[]));
                    a == b || (shard_count(&a) == shard_count(&b) && divides(shape[d], &a))
                });
                let devices = shard_count(&c.axes);
                let mut receives = vec![false; devices];
                let once = c.pairs.iter().all(|&(from, to)| {
                    (from as usize) < devices
                        && receives.get_mut(to as usize).is_some_and(|receives| !std::mem::replace(receives, true))
                });
                same_sums && even && once
            }
        },
        (None, Some(device)) => match device {
            DeviceOp::Partial(c) => same_dims(&[]) && sums(from, &c.axes, Monoid::Sum) == sums(to, &[], Monoid::Sum),
            DeviceOp::Shard(c) => {
                same_sums && same_dims(&[c.dim]) && axes(from, c.dim, &c.axes) == axes(to, c.dim, &[])
            }
            DeviceOp::Mask(_) | DeviceOp::ShardStart(_) => false,
        },
        (None, None) => false,
    }
}

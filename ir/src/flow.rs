//! What becomes of layouts: what an op leaves pending, and where a collective takes its operand.
//!
//! The verifier asks this of programs that are written down, and the equality of programs of terms that nobody wrote:
//! both believe the same.

use crate::dtype::Shape;
use crate::layout::{Layout, Monoid, Pending, divides};
use crate::mesh::{Axes, AxisRef, ways};
use crate::program::class::{Collective, DeviceOp};
use crate::program::op::OpKind;
use crate::rule::{ArgSet, FactorAxes, FactorId, Rule, joined};
use smallvec::SmallVec;

/// What is pending on a value.
pub type Sums = SmallVec<[Pending; 2]>;

/// What is pending, written in one way: sorted, with neighbouring factors of one axis joined.
pub fn normal(pending: impl IntoIterator<Item = Pending>) -> Sums {
    let mut sorted: Sums = pending.into_iter().collect();
    sorted.sort_unstable();
    let mut joined: Sums = SmallVec::new();
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

/// What an op leaves pending whose factors are split that way and whose operands are pending `args`: what its own split
/// reductions leave, and what flows through it. The error says what it may not read.
pub fn through(rule: &Rule, factors: &FactorAxes, args: &[Sums]) -> Result<Sums, String> {
    let holders = |sum: Pending| ArgSet::of((0..args.len()).filter(|&a| args[a].contains(&sum)));
    let own = normal(rule.pending(factors));
    let mut left = own.clone();
    for &sum in &own {
        let due = ArgSet::of((0..args.len()).filter(|&a| shares(rule, factors, a, sum)));
        if holders(sum) != due {
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
            return Err("reads a value that is pending over an axis that splits the operation".into());
        }
        let held = holders(sum);
        let linear = args.len() <= ArgSet::CAPACITY && sum.1 == Monoid::Sum && rule.linear.contains(&held);
        let moves = rule.moves && held == ArgSet::of([0]);
        if !linear && !moves {
            let what =
                format!("reads a pending {}, but is not linear in exactly the operands that are pending", sum.1.name());
            return Err(what);
        }
        left.push(sum);
    }
    Ok(normal(left))
}

/// Whether operand `arg` must be pending `sum`, which the op's own reduction leaves: the op is jointly linear in it and
/// in an operand whose elements are split over that reduction.
fn shares(rule: &Rule, factors: &FactorAxes, arg: usize, sum: Pending) -> bool {
    let reduced = |a: usize| {
        (0u32..).map(FactorId).zip(factors).any(|(id, axes)| {
            rule.reduction(id).is_some() && rule.in_arg(a, id) && axes.iter().any(|x| x.overlaps(sum.0))
        })
    };
    let with_reduced = |set: &ArgSet| set.has(arg) && (0..rule.args.len()).any(|b| set.has(b) && reduced(b));
    sum.1 == Monoid::Sum && !reduced(arg) && rule.linear.iter().any(with_reduced)
}

/// Whether an op that only changes where a value of `shape` lies takes it from there to there, as its kind and
/// attributes say and in nothing else. Of a permutation it is not said that its pairs do so.
pub fn moves(kind: &OpKind, shape: &Shape, from: &Layout, to: &Layout) -> bool {
    let sums =
        |l: &Layout, more: &[AxisRef], m: Monoid| normal(l.pending.iter().copied().chain(more.iter().map(|&a| (a, m))));
    let same_sums = sums(from, &[], Monoid::Sum) == sums(to, &[], Monoid::Sum);
    // The axes of a dimension, with others at its minor end. Where the pieces are padded, those of an axis and those of
    // its factors do not begin at the same elements, so that they must not be taken for each other.
    let axes = |l: &Layout, dim: usize, more: &[AxisRef]| -> Axes {
        let all = l.dims.get(dim).into_iter().flat_map(|d| &d.axes).chain(more).copied();
        let ways: usize = all.clone().map(|a| a.size as usize).product();
        if shape.get(dim).is_some_and(|n| n.is_multiple_of(ways)) { joined(all) } else { all.collect() }
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
                    a == b || (ways(&a) == ways(&b) && divides(shape[d], &a))
                });
                let places = ways(&c.axes);
                let mut got = vec![false; places];
                let once = c.pairs.iter().all(|&(from, to)| {
                    (from as usize) < places
                        && got.get_mut(to as usize).is_some_and(|got| !std::mem::replace(got, true))
                });
                same_sums && even && once
            }
        },
        (None, Some(device)) => match device {
            DeviceOp::Partial(c) => same_dims(&[]) && sums(from, &c.axes, Monoid::Sum) == sums(to, &[], Monoid::Sum),
            DeviceOp::Shard(c) => {
                same_sums && same_dims(&[c.dim]) && axes(from, c.dim, &c.axes) == axes(to, c.dim, &[])
            }
            DeviceOp::Mask(_) | DeviceOp::PieceStart(_) => false,
        },
        (None, None) => false,
    }
}

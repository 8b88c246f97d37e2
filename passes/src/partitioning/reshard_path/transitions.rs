//! Transitions of the resharding search: the possible collectives, their results, and their prices.

use super::state::PathState;
use partita_ir::class::Collective;
use partita_ir::dtype::Shape;
use partita_ir::layout::{Monoid, PartialAxis, divides, local_size};
use partita_ir::mesh::{Axes, AxisRef, shard_count};
use partita_ir::op::OpKind;
use partita_ir::ops::{AllGather, AllReduce, AllToAll, Partial, Permute, ReduceScatter, Shard};
use partita_ir::rule::merge_adjacent;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;

/// Maximum number of atoms for exhaustive transitions. With more, only transitions towards the goal's assignment are
/// generated.
const MAX_EXHAUSTIVE_ATOMS: usize = 3;

/// Price units per byte. Integer prices compare exactly.
pub(super) const PRICE_UNITS_PER_BYTE: f64 = 1024.0;

/// Maximum rounding of the prices of a path, in price units.
const MAX_ROUNDING: u64 = 16;

/// Inputs of one search.
pub(super) struct PathProblem<'a> {
    pub(super) shape: &'a Shape,
    pub(super) bytes: u64,
    pub(super) goal: &'a PathState,
    /// All axes of the search.
    pub(super) atoms: &'a [AxisRef],
}

impl PathProblem<'_> {
    /// Returns true if an uneven dimension has adjacent factors of one axis. In a layout they would merge into that
    /// axis, which has other shard boundaries.
    pub(super) fn joins_uneven_factors(&self, state: &PathState) -> bool {
        let uneven = self.shape.iter().zip(&state.dims).filter(|(n, axes)| !divides(**n, axes));
        uneven.into_iter().any(|(_, axes)| merge_adjacent(axes.iter().copied()) != *axes)
    }

    /// Returns the transitions from a state. A collective covers as many adjacent axes as possible.
    pub(super) fn transitions(&self, state: &PathState) -> Vec<(OpKind, PathState)> {
        let mut moves = Vec::new();
        self.reductions(state, &mut moves);
        self.gathers(state, &mut moves);
        self.additions(state, &mut moves);
        self.all_to_alls(state, &mut moves);
        self.permutes(state, &mut moves);
        moves
    }

    /// Generates an `all_reduce` of all axes of a monoid that are not partial in the goal, and `reduce_scatter`s of
    /// runs of axes that come next on some dimension of the goal.
    pub(super) fn reductions(&self, state: &PathState, moves: &mut Vec<(OpKind, PathState)>) {
        for monoid in Monoid::ALL {
            let due: Axes =
                state.partial.iter().filter(|p| p.1 == monoid && !self.goal.partial.contains(p)).map(|p| p.0).collect();
            if due.is_empty() {
                continue;
            }
            let mut next = state.clone();
            next.partial.retain(|p| !(p.1 == monoid && due.contains(&p.0)));
            moves.push((AllReduce { axes: merge_adjacent(due.iter().copied()), monoid }.into(), next));
            for dim in 0..state.dims.len() {
                for axes in self.appendable_runs(state, dim, |a| due.contains(&a)) {
                    let mut next = state.clone();
                    next.partial.retain(|p| !(p.1 == monoid && axes.contains(&p.0)));
                    next.dims[dim].extend(axes.iter().copied());
                    moves
                        .push((ReduceScatter { dim, axes: merge_adjacent(axes.iter().copied()), monoid }.into(), next));
                }
            }
        }
    }

    /// Returns the runs of axes that may be appended to `dim` at once. With at most [`MAX_EXHAUSTIVE_ATOMS`] atoms,
    /// those are all runs of axes that satisfy `free`. With more, they are prefixes of the goal's next axes, and all
    /// missing axes if a permute must restore the order anyway.
    fn appendable_runs(&self, state: &PathState, dim: usize, free: impl Fn(AxisRef) -> bool) -> Vec<Axes> {
        if self.atoms.len() <= MAX_EXHAUSTIVE_ATOMS {
            let mut runs = vec![Axes::new()];
            let mut at = 0;
            while let Some(run) = runs.get(at).cloned() {
                for &a in self.atoms.iter().filter(|&&a| free(a) && !run.contains(&a)) {
                    runs.push(run.iter().copied().chain([a]).collect());
                }
                at += 1;
            }
            runs.remove(0);
            return runs;
        }
        let (have, goal) = (&state.dims[dim], &self.goal.dims[dim]);
        let missing: Axes = goal.iter().copied().filter(|a| !have.contains(a) && free(*a)).collect();
        let next: Axes = match goal.starts_with(have) {
            true => goal[have.len()..].iter().copied().take_while(|&a| free(a)).collect(),
            false => Axes::new(),
        };
        let mut runs: Vec<Axes> = (1..=next.len()).map(|n| next[..n].iter().copied().collect()).collect();
        if missing.len() > next.len() {
            runs.push(missing);
        }
        runs
    }

    /// Generates `all_gather`s of the minor-most axes of a dimension.
    pub(super) fn gathers(&self, state: &PathState, moves: &mut Vec<(OpKind, PathState)>) {
        for (dim, axes) in state.dims.iter().enumerate() {
            let settled = self.goal.dims[dim].iter().zip(axes).take_while(|(g, a)| g == a).count();
            for keep in (settled.min(axes.len())..axes.len()).rev() {
                let mut next = state.clone();
                next.dims[dim].truncate(keep);
                moves.push((AllGather { dim, axes: merge_adjacent(axes[keep..].iter().copied()) }.into(), next));
            }
        }
    }

    /// Generates `shard`s along unused axes, and a `partial` over axes that are partial in the goal.
    pub(super) fn additions(&self, state: &PathState, moves: &mut Vec<(OpKind, PathState)>) {
        let free = |a: AxisRef| !state.axes().any(|b| b == a);
        for dim in 0..state.dims.len() {
            for run in self.appendable_runs(state, dim, free) {
                let mut next = state.clone();
                next.dims[dim].extend(run.iter().copied());
                moves.push((Shard { dim, axes: merge_adjacent(run.iter().copied()) }.into(), next));
            }
        }
        let fresh: SmallVec<[PartialAxis; 1]> =
            self.goal.partial.iter().copied().filter(|p| p.1 == Monoid::Sum && free(p.0)).collect();
        if !fresh.is_empty() {
            let axes: Axes = fresh.iter().map(|p| p.0).collect();
            let mut next = state.clone();
            next.partial.extend(fresh);
            next.partial.sort_unstable();
            moves.push((Partial { axes: merge_adjacent(axes.iter().copied()) }.into(), next));
        }
    }

    /// Generates `all_to_all`s of the minor-most axes to another dimension.
    pub(super) fn all_to_alls(&self, state: &PathState, moves: &mut Vec<(OpKind, PathState)>) {
        for (from, axes) in state.dims.iter().enumerate() {
            for take in 1..=axes.len() {
                let run: Axes = axes[axes.len() - take..].iter().copied().collect();
                for to in (0..state.dims.len()).filter(|&to| to != from) {
                    let is_exhaustive = self.atoms.len() <= MAX_EXHAUSTIVE_ATOMS;
                    if !is_exhaustive && !self.appendable_runs(state, to, |a| run.contains(&a)).contains(&run) {
                        continue;
                    }
                    let mut next = state.clone();
                    next.dims[from].truncate(axes.len() - take);
                    next.dims[to].extend(run.iter().copied());
                    moves.push((AllToAll { from, to, axes: merge_adjacent(run.iter().copied()) }.into(), next));
                }
            }
        }
    }

    /// Generates `permute`s of complete shards to states with the same even shard count per dimension: to the goal, or
    /// to states from which other collectives are cheaper. The pairs of devices are computed only for the path that is
    /// chosen.
    pub(super) fn permutes(&self, state: &PathState, moves: &mut Vec<(OpKind, PathState)>) {
        let direct = PathState { partial: state.partial.clone(), ..self.goal.clone() };
        let mut targets = vec![direct, self.with_goal_order(state)];
        targets.extend(self.rearrangements(state));
        targets.sort();
        targets.dedup();
        for target in targets {
            let equal_cuts = state
                .dims
                .iter()
                .zip(&target.dims)
                .zip(self.shape.iter())
                .all(|((a, b), &n)| a == b || (shard_count(a) == shard_count(b) && divides(n, a)));
            let clash = target.partial.iter().any(|p| target.dims.iter().flatten().any(|&a| a == p.0));
            if target == *state || !equal_cuts || clash {
                continue;
            }
            let axes = changed_axes(state, &target);
            // Partial axes must agree on sender and receiver.
            if target.partial.iter().any(|p| axes.contains(&p.0)) {
                continue;
            }
            moves.push((Permute { axes: merge_adjacent(axes.iter().copied()), pairs: Vec::new() }.into(), target));
        }
    }

    /// Returns the state with the axes that may stay on a dimension as its major ones, so that the others can be
    /// gathered or exchanged separately.
    fn with_goal_order(&self, state: &PathState) -> PathState {
        let mut sorted = state.clone();
        for (axes, goal) in sorted.dims.iter_mut().zip(&self.goal.dims) {
            let place = |a: &AxisRef| goal.iter().position(|g| g == a).unwrap_or(goal.len());
            axes.sort_by_key(place);
        }
        sorted
    }

    /// Returns all states with the same shard count per dimension. Empty with more than [`MAX_EXHAUSTIVE_ATOMS`] atoms,
    /// which have too many.
    fn rearrangements(&self, state: &PathState) -> Vec<PathState> {
        if self.atoms.len() > MAX_EXHAUSTIVE_ATOMS {
            return Vec::new();
        }
        let bare = PathState { dims: state.dims.iter().map(|_| Axes::new()).collect(), partial: state.partial.clone() };
        let (mut done, mut todo) = (Vec::new(), vec![bare]);
        while let Some(at) = todo.pop() {
            let short = (0..at.dims.len()).find(|&d| shard_count(&at.dims[d]) < shard_count(&state.dims[d]));
            let Some(dim) = short else {
                done.push(at);
                continue;
            };
            for &a in self.atoms.iter().filter(|&&a| !at.axes().any(|b| b == a)) {
                let mut next = at.clone();
                next.dims[dim].push(a);
                if shard_count(&next.dims[dim]) <= shard_count(&state.dims[dim]) {
                    todo.push(next);
                }
            }
        }
        done
    }

    /// Returns a lower bound of the price of all steps from a state to the goal: the elements of the goal that some
    /// device does not have. A device sends as many elements as it receives, and with uneven shards at least half as
    /// many.
    pub(super) fn least_price(&self, state: &PathState) -> u64 {
        let (mut needed, mut present) = (self.bytes as f64, self.bytes as f64);
        let mut are_even = true;
        for ((&n, have), goal) in self.shape.iter().zip(&state.dims).zip(&self.goal.dims) {
            let is_even = have == goal || divides(n, have) && divides(n, goal);
            are_even &= is_even;
            let equal = have.iter().zip(goal).take_while(|(a, b)| a == b).count();
            // Devices at opposite ends of the first axes that differ have other elements.
            let is_disjoint = is_even && equal < have.len().min(goal.len());
            needed *= local_size(n, goal) as f64;
            present *= if is_disjoint { 0.0 } else { local_size(n, have).min(local_size(n, goal)) as f64 };
        }
        let share = if are_even { 1.0 } else { 0.5 };
        ((share * (needed - present) * PRICE_UNITS_PER_BYTE) as u64).saturating_sub(MAX_ROUNDING)
    }

    /// Returns the bytes that a device sends on a ring, in 1/[`PRICE_UNITS_PER_BYTE`].
    pub(super) fn price(&self, step: &OpKind, from: &PathState, to: &PathState) -> u64 {
        let local = |state: &PathState| -> f64 {
            let count: f64 = self.shape.iter().zip(&state.dims).map(|(&n, axes)| local_size(n, axes) as f64).product();
            count * self.bytes as f64
        };
        let share = |axes: &Axes| 1.0 - 1.0 / shard_count(axes) as f64;
        let bytes = step.collective().map_or(0.0, |collective| match collective {
            Collective::AllGather(op) => share(&op.axes) * local(to),
            // Rounded like a reduce-scatter and an all-gather, so that rounding does not make those look cheaper.
            Collective::AllReduce(op) => {
                2.0 * (share(&op.axes) * local(from) * PRICE_UNITS_PER_BYTE).round() / PRICE_UNITS_PER_BYTE
            }
            Collective::ReduceScatter(op) => share(&op.axes) * local(from),
            Collective::AllToAll(op) => share(&op.axes) * local(from).max(local(to)),
            Collective::Permute(_) => local(from),
        });
        (bytes * PRICE_UNITS_PER_BYTE).round() as u64
    }
}

/// Returns the axes of the dimensions that differ between two states.
pub(super) fn changed_axes(have: &PathState, goal: &PathState) -> Axes {
    let differ = have.dims.iter().zip(&goal.dims).filter(|(a, b)| a != b);
    let mut axes: Axes = differ.flat_map(|(a, b)| a.iter().chain(b).copied()).collect();
    axes.sort_unstable();
    axes.dedup();
    axes
}

/// Returns the pairs of sender and receiver of a permute, so that each position along the axes ends with its shard of
/// `goal`. A position that already has its shard receives from itself. The others receive from positions that have the
/// shard and do not retain it.
pub(super) fn senders(have: &PathState, goal: &PathState) -> Vec<(u32, u32)> {
    let axes = changed_axes(have, goal);
    let digits = |position: usize| -> SmallVec<[usize; 4]> {
        let mut rest = position;
        let mut digits: SmallVec<[usize; 4]> = smallvec![0; axes.len()];
        for (d, a) in digits.iter_mut().zip(&axes).rev() {
            *d = rest % a.size as usize;
            rest /= a.size as usize;
        }
        digits
    };
    // For every position, the shard index in each dimension that changes.
    let moved: SmallVec<[usize; 4]> = (0..have.dims.len()).filter(|&d| have.dims[d] != goal.dims[d]).collect();
    let shard_indices = |state: &PathState| -> Vec<SmallVec<[usize; 4]>> {
        let number = |d: usize, at: &[usize]| {
            state.dims[d].iter().fold(0, |n, a| {
                let digit = axes.iter().position(|b| b == a).map_or(0, |i| at[i]);
                n * a.size as usize + digit
            })
        };
        (0..shard_count(&axes)).map(digits).map(|at| moved.iter().map(|&d| number(d, &at)).collect()).collect()
    };
    let (current, wanted) = (shard_indices(have), shard_indices(goal));
    // For each shard, the positions that have it and have not sent it. As many positions need a shard as have it, so
    // each sends once.
    let mut holders: FxHashMap<&[usize], BTreeSet<usize>> = FxHashMap::default();
    let has_own = |at: &usize| current[*at] == wanted[*at];
    for at in (0..current.len()).filter(|at| !has_own(at)) {
        holders.entry(&current[at]).or_default().insert(at);
    }
    let mut sender = |to: usize| match has_own(&to) {
        true => Some(to),
        false => holders.get_mut(&wanted[to][..])?.pop_first(),
    };
    (0..wanted.len()).filter_map(|to| Some((sender(to)? as u32, to as u32))).collect()
}

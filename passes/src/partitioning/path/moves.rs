//! The moves of a search: which collectives may come next, where each leads, and what it costs.

use super::state::State;
use partita_ir::class::Collective;
use partita_ir::dtype::Shape;
use partita_ir::layout::{Monoid, Pending, divides, local_size};
use partita_ir::mesh::{Axes, AxisRef, ways};
use partita_ir::op::OpKind;
use partita_ir::ops::{AllGather, AllReduce, AllToAll, Partial, Permute, ReduceScatter, Shard};
use partita_ir::rule::joined;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::collections::BTreeSet;

/// With at most this many axes every collective is tried, with more only those that bring axes where the goal has them.
const FEW: usize = 3;

/// Prices are kept in 1/1024 bytes, so that they compare exactly.
pub(super) const SCALE: f64 = 1024.0;

/// One search: what the moves look at.
pub(super) struct Problem<'a> {
    pub(super) shape: &'a Shape,
    pub(super) bytes: u64,
    pub(super) goal: &'a State,
    /// Every axis in play.
    pub(super) atoms: &'a [AxisRef],
}

impl Problem<'_> {
    /// Whether an uneven dimension has neighbouring factors of one axis: written as a layout they would be that axis,
    /// whose pieces begin elsewhere.
    pub(super) fn blurs(&self, state: &State) -> bool {
        let uneven = self.shape.iter().zip(&state.dims).filter(|(n, axes)| !divides(**n, axes));
        uneven.into_iter().any(|(_, axes)| joined(axes.iter().copied()) != *axes)
    }

    /// The moves from a state; a collective takes as many neighbouring axes at once as it can.
    pub(super) fn moves(&self, state: &State) -> Vec<(OpKind, State)> {
        let mut moves = Vec::new();
        self.reductions(state, &mut moves);
        self.gathers(state, &mut moves);
        self.additions(state, &mut moves);
        self.exchanges(state, &mut moves);
        self.permutations(state, &mut moves);
        moves
    }

    /// `all_reduce` of what the goal does not leave pending, all axes of a monoid at once; `reduce_scatter` of one axis
    /// (or a run of them) that comes next on some dimension of the goal.
    pub(super) fn reductions(&self, state: &State, moves: &mut Vec<(OpKind, State)>) {
        for monoid in Monoid::ALL {
            let due: Axes =
                state.pending.iter().filter(|p| p.1 == monoid && !self.goal.pending.contains(p)).map(|p| p.0).collect();
            if due.is_empty() {
                continue;
            }
            let mut next = state.clone();
            next.pending.retain(|p| !(p.1 == monoid && due.contains(&p.0)));
            moves.push((AllReduce { axes: joined(due.iter().copied()), monoid }.into(), next));
            for dim in 0..state.dims.len() {
                for axes in self.wanted(state, dim, |a| due.contains(&a)) {
                    let mut next = state.clone();
                    next.pending.retain(|p| !(p.1 == monoid && axes.contains(&p.0)));
                    next.dims[dim].extend(axes.iter().copied());
                    moves.push((ReduceScatter { dim, axes: joined(axes.iter().copied()), monoid }.into(), next));
                }
            }
        }
    }

    /// The runs of axes that may be put on `dim` at once. With few axes those are all runs of what passes `free`. With
    /// more, what the goal has next there; or, where the order must be mended by a permute anyway, all that is missing.
    fn wanted(&self, state: &State, dim: usize, free: impl Fn(AxisRef) -> bool) -> Vec<Axes> {
        if self.atoms.len() <= FEW {
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

    /// `all_gather` of the minor-most axes of a dimension.
    pub(super) fn gathers(&self, state: &State, moves: &mut Vec<(OpKind, State)>) {
        for (dim, axes) in state.dims.iter().enumerate() {
            let settled = self.goal.dims[dim].iter().zip(axes).take_while(|(g, a)| g == a).count();
            for keep in (settled.min(axes.len())..axes.len()).rev() {
                let mut next = state.clone();
                next.dims[dim].truncate(keep);
                moves.push((AllGather { dim, axes: joined(axes[keep..].iter().copied()) }.into(), next));
            }
        }
    }

    /// `shard` along axes that are free; `partial` over axes that the goal has pending.
    pub(super) fn additions(&self, state: &State, moves: &mut Vec<(OpKind, State)>) {
        let free = |a: AxisRef| !state.axes().any(|b| b == a);
        for dim in 0..state.dims.len() {
            for run in self.wanted(state, dim, free) {
                let mut next = state.clone();
                next.dims[dim].extend(run.iter().copied());
                moves.push((Shard { dim, axes: joined(run.iter().copied()) }.into(), next));
            }
        }
        let fresh: SmallVec<[Pending; 1]> =
            self.goal.pending.iter().copied().filter(|p| p.1 == Monoid::Sum && free(p.0)).collect();
        if !fresh.is_empty() {
            let axes: Axes = fresh.iter().map(|p| p.0).collect();
            let mut next = state.clone();
            next.pending.extend(fresh);
            next.pending.sort_unstable();
            moves.push((Partial { axes: joined(axes.iter().copied()) }.into(), next));
        }
    }

    /// `all_to_all` of the minor-most axis (or a run of them) to another dimension.
    pub(super) fn exchanges(&self, state: &State, moves: &mut Vec<(OpKind, State)>) {
        for (from, axes) in state.dims.iter().enumerate() {
            for take in 1..=axes.len() {
                let run: Axes = axes[axes.len() - take..].iter().copied().collect();
                for to in (0..state.dims.len()).filter(|&to| to != from) {
                    if !self.wanted(state, to, |a| run.contains(&a)).contains(&run) {
                        continue;
                    }
                    let mut next = state.clone();
                    next.dims[from].truncate(axes.len() - take);
                    next.dims[to].extend(run.iter().copied());
                    moves.push((AllToAll { from, to, axes: joined(run.iter().copied()) }.into(), next));
                }
            }
        }
    }

    /// Sending whole pieces from device to device: straight to the goal when every dimension is cut in as many equal
    /// pieces here as there, or else to where other moves are cheaper. Who sends is left open: only on the path that is
    /// taken it matters.
    pub(super) fn permutations(&self, state: &State, moves: &mut Vec<(OpKind, State)>) {
        let direct = State { pending: state.pending.clone(), ..self.goal.clone() };
        let mut targets = vec![direct, self.sorted(state)];
        targets.extend(self.shuffled(state));
        targets.sort();
        targets.dedup();
        for target in targets {
            let equal_cuts = state
                .dims
                .iter()
                .zip(&target.dims)
                .zip(self.shape.iter())
                .all(|((a, b), &n)| a == b || (ways(a) == ways(b) && divides(n, a)));
            let clash = target.pending.iter().any(|p| target.dims.iter().flatten().any(|&a| a == p.0));
            if target == *state || !equal_cuts || clash {
                continue;
            }
            let axes = replaced(state, &target);
            // Everything pending must be alike on sender and receiver.
            if target.pending.iter().any(|p| axes.contains(&p.0)) {
                continue;
            }
            moves.push((Permute { axes: joined(axes.iter().copied()), pairs: Vec::new() }.into(), target));
        }
    }

    /// The state with the axes that may stay on a dimension as its major ones, so that the others can be gathered or
    /// exchanged alone.
    fn sorted(&self, state: &State) -> State {
        let mut sorted = state.clone();
        for (axes, goal) in sorted.dims.iter_mut().zip(&self.goal.dims) {
            let place = |a: &AxisRef| goal.iter().position(|g| g == a).unwrap_or(goal.len());
            axes.sort_by_key(place);
        }
        sorted
    }

    /// Every way to cut each dimension in as many parts by other axes; with more than a few axes there are too many.
    fn shuffled(&self, state: &State) -> Vec<State> {
        if self.atoms.len() > FEW {
            return Vec::new();
        }
        let bare = State { dims: state.dims.iter().map(|_| Axes::new()).collect(), pending: state.pending.clone() };
        let (mut done, mut todo) = (Vec::new(), vec![bare]);
        while let Some(at) = todo.pop() {
            let short = (0..at.dims.len()).find(|&d| ways(&at.dims[d]) < ways(&state.dims[d]));
            let Some(dim) = short else {
                done.push(at);
                continue;
            };
            for &a in self.atoms.iter().filter(|&&a| !at.axes().any(|b| b == a)) {
                let mut next = at.clone();
                next.dims[dim].push(a);
                if ways(&next.dims[dim]) <= ways(&state.dims[dim]) {
                    todo.push(next);
                }
            }
        }
        done
    }

    /// Bytes a device sends on a ring, in 1/[`SCALE`].
    pub(super) fn price(&self, step: &OpKind, from: &State, to: &State) -> u64 {
        let local = |state: &State| -> f64 {
            let count: f64 = self.shape.iter().zip(&state.dims).map(|(&n, axes)| local_size(n, axes) as f64).product();
            count * self.bytes as f64
        };
        let share = |axes: &Axes| 1.0 - 1.0 / ways(axes) as f64;
        let bytes = step.collective().map_or(0.0, |collective| match collective {
            Collective::AllGather(op) => share(&op.axes) * local(to),
            // Rounded like its two halves, so that rounding does not make these look cheaper.
            Collective::AllReduce(op) => 2.0 * (share(&op.axes) * local(from) * SCALE).round() / SCALE,
            Collective::ReduceScatter(op) => share(&op.axes) * local(from),
            Collective::AllToAll(op) => share(&op.axes) * local(from).max(local(to)),
            Collective::Permute(_) => local(from),
        });
        (bytes * SCALE).round() as u64
    }
}

/// The axes of the dimensions that lie otherwise in one state than in the other.
fn replaced(have: &State, goal: &State) -> Axes {
    let differ = have.dims.iter().zip(&goal.dims).filter(|(a, b)| a != b);
    let mut axes: Axes = differ.flat_map(|(a, b)| a.iter().chain(b).copied()).collect();
    axes.sort_unstable();
    axes.dedup();
    axes
}

/// Who sends to whom in a permute, so that each position along its axes ends with the piece that `goal` gives it. A
/// device that has its piece already gets it from itself; the others get theirs from those that hold it and do not keep
/// it.
pub(super) fn senders(have: &State, goal: &State) -> Vec<(u32, u32)> {
    let axes = replaced(have, goal);
    let digits = |position: usize| -> SmallVec<[usize; 4]> {
        let mut rest = position;
        let mut digits: SmallVec<[usize; 4]> = smallvec![0; axes.len()];
        for (d, a) in digits.iter_mut().zip(&axes).rev() {
            *d = rest % a.size as usize;
            rest /= a.size as usize;
        }
        digits
    };
    // The number of the piece of each dimension that moves, for every position.
    let moved: SmallVec<[usize; 4]> = (0..have.dims.len()).filter(|&d| have.dims[d] != goal.dims[d]).collect();
    let pieces = |state: &State| -> Vec<SmallVec<[usize; 4]>> {
        let number = |d: usize, at: &[usize]| {
            state.dims[d].iter().fold(0, |n, a| {
                let digit = axes.iter().position(|b| b == a).map_or(0, |i| at[i]);
                n * a.size as usize + digit
            })
        };
        (0..ways(&axes)).map(digits).map(|at| moved.iter().map(|&d| number(d, &at)).collect()).collect()
    };
    let (held, wanted) = (pieces(have), pieces(goal));
    // By piece, who holds it and has not sent it. As many positions want each piece as hold it, so that each sends
    // once.
    let mut holders: FxHashMap<&[usize], BTreeSet<usize>> = FxHashMap::default();
    let has_own = |at: &usize| held[*at] == wanted[*at];
    for at in (0..held.len()).filter(|at| !has_own(at)) {
        holders.entry(&held[at]).or_default().insert(at);
    }
    let mut sender = |to: usize| match has_own(&to) {
        true => Some(to),
        false => holders.get_mut(&wanted[to][..])?.pop_first(),
    };
    (0..wanted.len()).filter_map(|to| Some((sender(to)? as u32, to as u32))).collect()
}

//! From one layout to another by the cheapest sequence of collectives.
//!
//! A state is where each dimension's axes are and what is still pending; moves are the collectives. On a uniform link the
//! price of a move is the bytes that a device sends on a ring, and the cheapest path is found by Dijkstra's algorithm over
//! the states (Rink et al., *Memory-efficient array redistribution through portable collective communication*, 2021).
//! Axes are first cut into the sub-axes ("atoms") that both ends can be written in. Paths are memoised: a program has
//! thousands of reshards but few different ones.

use partita_ir::arena::MeshId;
use partita_ir::dtype::Shape;
use partita_ir::layout::{Layout, Monoid, Pending, divides, local_size};
use partita_ir::mesh::{Axes, AxisRef, ways};
use partita_ir::op::OpKind;
use partita_ir::ops::{AllGather, AllReduce, AllToAll, Partial, Permute, ReduceScatter, Shard};
use partita_ir::rule::push_joined;
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// A way from one layout to another.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Path {
    /// The collectives, each with the layout after it.
    pub moves: Vec<(OpKind, Layout)>,
    /// Bytes that a device sends on a ring.
    pub wire: f64,
}

/// Where the axes are: the part of a layout that moves change, in atoms.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct State {
    dims: SmallVec<[Axes; 4]>,
    pending: SmallVec<[Pending; 1]>,
}

/// Finds and remembers paths on one mesh.
pub struct Paths {
    mesh: MeshId,
    known: FxHashMap<(Shape, u64, State, State), Rc<Path>>,
}

impl Paths {
    /// Paths on that mesh.
    pub fn new(mesh: MeshId) -> Paths {
        Paths { mesh, known: FxHashMap::default() }
    }

    /// The cheapest path for a tensor of `shape` with elements of `bytes`. Ties go to fewer moves.
    pub fn find(&mut self, shape: &Shape, bytes: u64, have: &Layout, need: &Layout) -> Rc<Path> {
        let (from, to) = (State::of(have), State::of(need));
        if from == to {
            return Rc::default();
        }
        let key = (shape.clone(), bytes, from, to);
        if let Some(path) = self.known.get(&key) {
            return path.clone();
        }
        let path = Rc::new(match Atoms::of(&key.2, &key.3) {
            Some(atoms) if !atoms.refine_uneven(shape, [&key.2, &key.3]) => {
                self.search(shape, bytes, &key.2, &key.3, &atoms)
            }
            _ => self.through_whole(shape, bytes, &key.2, &key.3),
        });
        self.known.insert(key, path.clone());
        path
    }

    fn search(&self, shape: &Shape, bytes: u64, have: &State, need: &State, atoms: &Atoms) -> Path {
        let (start, goal) = (have.cut(atoms), need.cut(atoms));
        let problem = Problem { shape, bytes, goal: &goal, atoms: &atoms.0 };
        let mut best: FxHashMap<State, (u64, u32)> = FxHashMap::default();
        let mut came: FxHashMap<State, (State, OpKind)> = FxHashMap::default();
        let mut queue = BinaryHeap::from([Reverse((0u64, 0u32, start.clone()))]);
        best.insert(start.clone(), (0, 0));
        while let Some(Reverse((cost, steps, state))) = queue.pop() {
            if state == goal {
                return self.walk_back(came, start, state, cost);
            }
            if best.get(&state).is_some_and(|b| *b < (cost, steps)) {
                continue;
            }
            for (step, next) in problem.moves(&state) {
                if problem.blurs(&next) {
                    continue;
                }
                let reached = (cost + problem.price(&step, &state, &next), steps + 1);
                if best.get(&next).is_none_or(|b| reached < *b) {
                    best.insert(next.clone(), reached);
                    came.insert(next.clone(), (state.clone(), step));
                    queue.push(Reverse((reached.0, reached.1, next)));
                }
            }
        }
        // Gathering and reducing everything, then cutting, always leads to the goal.
        Path::default()
    }

    /// The way over the whole value: every dimension that differs is gathered, then cut anew.
    fn through_whole(&self, shape: &Shape, bytes: u64, have: &State, need: &State) -> Path {
        let problem = Problem { shape, bytes, goal: need, atoms: &[] };
        let mut path = Path::default();
        let mut cost = 0;
        let mut at = have.clone();
        let mut go = |kind: OpKind, next: State, at: &mut State| {
            cost += problem.price(&kind, at, &next);
            path.moves.push((kind, next.as_it_is(self.mesh)));
            *at = next;
        };
        for monoid in Monoid::ALL {
            let axes: Axes = have.pending.iter().filter(|p| p.1 == monoid).map(|p| p.0).collect();
            if !axes.is_empty() {
                let mut next = at.clone();
                next.pending.retain(|p| p.1 != monoid);
                go(AllReduce { axes, monoid }.into(), next, &mut at);
            }
        }
        let differ: Vec<usize> = (0..have.dims.len()).filter(|&d| have.dims[d] != need.dims[d]).collect();
        for &dim in &differ {
            if !have.dims[dim].is_empty() {
                let mut next = at.clone();
                next.dims[dim].clear();
                go(AllGather { dim, axes: have.dims[dim].clone() }.into(), next, &mut at);
            }
        }
        for &dim in &differ {
            if !need.dims[dim].is_empty() {
                let mut next = at.clone();
                next.dims[dim] = need.dims[dim].clone();
                go(Shard { dim, axes: need.dims[dim].clone() }.into(), next, &mut at);
            }
        }
        let axes: Axes = need.pending.iter().map(|p| p.0).collect();
        if !axes.is_empty() {
            go(Partial { axes }.into(), need.clone(), &mut at);
        }
        path.wire = cost as f64 / SCALE;
        path
    }

    fn walk_back(&self, mut came: FxHashMap<State, (State, OpKind)>, start: State, end: State, cost: u64) -> Path {
        let mut moves = Vec::new();
        let mut at = end;
        while at != start {
            let Some((before, step)) = came.remove(&at) else { break };
            moves.push((step, at.to_layout(self.mesh)));
            at = before;
        }
        moves.reverse();
        Path { moves, wire: cost as f64 / SCALE }
    }
}

/// With at most this many axes every collective is tried, with more only those that bring axes where the goal has them.
const FEW: usize = 3;

/// Prices are kept in 1/1024 bytes, so that they compare exactly.
const SCALE: f64 = 1024.0;

/// The cuts of each axis that make every sub-axis in play a product of atoms.
struct Atoms(Vec<AxisRef>);

impl Atoms {
    /// The atoms of two layouts' axes; `None` when there are none, since factors of 2 and of 3 at the major end of one axis
    /// have no common cut.
    fn of(have: &State, need: &State) -> Option<Atoms> {
        let mut cuts: Vec<(AxisRef, Vec<u32>)> = Vec::new();
        for a in have.axes().chain(need.axes()) {
            let points = [a.pre, a.pre * a.size];
            match cuts.iter_mut().find(|(b, _)| b.axis == a.axis) {
                Some((_, all)) => all.extend(points),
                None => cuts.push((a, points.to_vec())),
            }
        }
        let mut atoms = Vec::new();
        for (axis, mut points) in cuts {
            points.sort_unstable();
            points.dedup();
            for pair in points.windows(2) {
                if !pair[1].is_multiple_of(pair[0]) {
                    return None;
                }
                atoms.push(AxisRef { axis: axis.axis, pre: pair[0], size: pair[1] / pair[0] });
            }
        }
        Some(Atoms(atoms))
    }

    /// Whether an axis on an uneven dimension would have to be cut. Padded pieces of an axis and of its factors do not begin
    /// at the same elements (5 over 4: at 0, 2, 4, 6; over 2 and 2: at 0, 2, 3, 5).
    fn refine_uneven(&self, shape: &Shape, states: [&State; 2]) -> bool {
        let dims = states.into_iter().flat_map(|state| state.dims.iter().zip(shape.iter()));
        dims.into_iter().any(|(axes, &n)| !divides(n, axes) && axes.iter().any(|a| !self.0.contains(a)))
    }

    /// The axis as atoms, major to minor.
    fn cut(&self, axis: AxisRef) -> impl Iterator<Item = AxisRef> + '_ {
        self.0.iter().copied().filter(move |a| a.overlaps(axis))
    }
}

impl State {
    fn of(layout: &Layout) -> State {
        let mut pending = layout.pending.clone();
        pending.sort_unstable();
        State { dims: layout.dims.iter().map(|d| d.axes.clone()).collect(), pending }
    }

    fn axes(&self) -> impl Iterator<Item = AxisRef> + '_ {
        self.dims.iter().flatten().copied().chain(self.pending.iter().map(|p| p.0))
    }

    fn cut(&self, atoms: &Atoms) -> State {
        let mut pending: SmallVec<[Pending; 1]> =
            self.pending.iter().flat_map(|&(a, m)| atoms.cut(a).map(move |a| (a, m))).collect();
        pending.sort_unstable();
        let dims = self.dims.iter().map(|axes| axes.iter().flat_map(|&a| atoms.cut(a)).collect()).collect();
        State { dims, pending }
    }

    /// The layout with just these axes.
    fn as_it_is(&self, mesh: MeshId) -> Layout {
        Layout { pending: self.pending.clone(), ..Layout::of(mesh, self.dims.iter().cloned()) }
    }

    fn to_layout(&self, mesh: MeshId) -> Layout {
        let join = |axes: &Axes| {
            axes.iter().fold(Axes::new(), |mut joined, &a| {
                push_joined(&mut joined, a);
                joined
            })
        };
        let mut layout = Layout::of(mesh, self.dims.iter().map(join));
        for &(axis, monoid) in &self.pending {
            match layout.pending.last_mut() {
                Some((last, m)) if *m == monoid && last.axis == axis.axis && last.pre * last.size == axis.pre => {
                    last.size *= axis.size;
                }
                _ => layout.pending.push((axis, monoid)),
            }
        }
        layout
    }
}

/// One search: what the moves look at.
struct Problem<'a> {
    shape: &'a Shape,
    bytes: u64,
    goal: &'a State,
    /// Every axis in play.
    atoms: &'a [AxisRef],
}

impl Problem<'_> {
    /// Whether an uneven dimension has neighbouring factors of one axis: written as a layout they would be that axis, whose
    /// pieces begin elsewhere.
    fn blurs(&self, state: &State) -> bool {
        let uneven = self.shape.iter().zip(&state.dims).filter(|(n, axes)| !divides(**n, axes));
        uneven.into_iter().any(|(_, axes)| joined(axes) != *axes)
    }

    /// The moves from a state; a collective takes as many neighbouring axes at once as it can.
    fn moves(&self, state: &State) -> Vec<(OpKind, State)> {
        let mut moves = Vec::new();
        self.reductions(state, &mut moves);
        self.gathers(state, &mut moves);
        self.additions(state, &mut moves);
        self.exchanges(state, &mut moves);
        self.permutations(state, &mut moves);
        moves
    }

    /// `all_reduce` of what the goal does not leave pending, all axes of a monoid at once; `reduce_scatter` of one axis (or
    /// a run of them) that comes next on some dimension of the goal.
    fn reductions(&self, state: &State, moves: &mut Vec<(OpKind, State)>) {
        for monoid in Monoid::ALL {
            let due: Axes =
                state.pending.iter().filter(|p| p.1 == monoid && !self.goal.pending.contains(p)).map(|p| p.0).collect();
            if due.is_empty() {
                continue;
            }
            let mut next = state.clone();
            next.pending.retain(|p| !(p.1 == monoid && due.contains(&p.0)));
            moves.push((AllReduce { axes: joined(&due), monoid }.into(), next));
            for dim in 0..state.dims.len() {
                for axes in self.wanted(state, dim, |a| due.contains(&a)) {
                    let mut next = state.clone();
                    next.pending.retain(|p| !(p.1 == monoid && axes.contains(&p.0)));
                    next.dims[dim].extend(axes.iter().copied());
                    moves.push((ReduceScatter { dim, axes: joined(&axes), monoid }.into(), next));
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
    fn gathers(&self, state: &State, moves: &mut Vec<(OpKind, State)>) {
        for (dim, axes) in state.dims.iter().enumerate() {
            let settled = self.goal.dims[dim].iter().zip(axes).take_while(|(g, a)| g == a).count();
            for keep in (settled.min(axes.len())..axes.len()).rev() {
                let mut next = state.clone();
                next.dims[dim].truncate(keep);
                moves.push((AllGather { dim, axes: joined(&axes[keep..]) }.into(), next));
            }
        }
    }

    /// `shard` along axes that are free; `partial` over axes that the goal has pending.
    fn additions(&self, state: &State, moves: &mut Vec<(OpKind, State)>) {
        let free = |a: AxisRef| !state.axes().any(|b| b == a);
        for dim in 0..state.dims.len() {
            for run in self.wanted(state, dim, free) {
                let mut next = state.clone();
                next.dims[dim].extend(run.iter().copied());
                moves.push((Shard { dim, axes: joined(&run) }.into(), next));
            }
        }
        let fresh: SmallVec<[Pending; 1]> =
            self.goal.pending.iter().copied().filter(|p| p.1 == Monoid::Sum && free(p.0)).collect();
        if !fresh.is_empty() {
            let axes: Axes = fresh.iter().map(|p| p.0).collect();
            let mut next = state.clone();
            next.pending.extend(fresh);
            next.pending.sort_unstable();
            moves.push((Partial { axes: joined(&axes) }.into(), next));
        }
    }

    /// `all_to_all` of the minor-most axis (or a run of them) to another dimension.
    fn exchanges(&self, state: &State, moves: &mut Vec<(OpKind, State)>) {
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
                    moves.push((AllToAll { from, to, axes: joined(&run) }.into(), next));
                }
            }
        }
    }

    /// Sending whole pieces from device to device: straight to the goal when every dimension is cut in as many equal pieces
    /// here as there, or else to where other moves are cheaper.
    fn permutations(&self, state: &State, moves: &mut Vec<(OpKind, State)>) {
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
            let mut axes = Axes::new();
            for (a, b) in state.dims.iter().zip(&target.dims).filter(|(a, b)| a != b) {
                axes.extend(a.iter().chain(b).copied());
            }
            axes.sort_unstable();
            axes.dedup();
            // Everything pending must be alike on sender and receiver.
            if target.pending.iter().any(|p| axes.contains(&p.0)) {
                continue;
            }
            let pairs = senders(&axes, state, &target);
            moves.push((Permute { axes: joined(&axes), pairs }.into(), target));
        }
    }

    /// The state with the axes that may stay on a dimension as its major ones, so that the others can be gathered or exchanged
    /// alone.
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
    fn price(&self, step: &OpKind, from: &State, to: &State) -> u64 {
        let local = |state: &State| -> f64 {
            let count: f64 = self.shape.iter().zip(&state.dims).map(|(&n, axes)| local_size(n, axes) as f64).product();
            count * self.bytes as f64
        };
        let share = |axes: &Axes| 1.0 - 1.0 / ways(axes) as f64;
        let bytes = match step {
            OpKind::AllGather(op) => share(&op.axes) * local(to),
            OpKind::AllReduce(op) => 2.0 * share(&op.axes) * local(from),
            OpKind::ReduceScatter(op) => share(&op.axes) * local(from),
            OpKind::AllToAll(op) => share(&op.axes) * local(from).max(local(to)),
            OpKind::Permute(_) => local(from),
            _ => 0.0,
        };
        (bytes * SCALE).round() as u64
    }
}

fn joined(axes: &[AxisRef]) -> Axes {
    axes.iter().fold(Axes::new(), |mut all, &a| {
        push_joined(&mut all, a);
        all
    })
}

/// Who sends to whom, so that each position along `axes` ends with the piece that `goal` gives it. A device that has its
/// piece already gets it from itself; otherwise those that hold the same piece take turns to send it.
fn senders(axes: &[AxisRef], have: &State, goal: &State) -> Vec<(u32, u32)> {
    let digits = |position: usize| -> SmallVec<[usize; 4]> {
        let mut rest = position;
        let mut digits: SmallVec<[usize; 4]> = smallvec![0; axes.len()];
        for (d, a) in digits.iter_mut().zip(axes).rev() {
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
        (0..ways(axes)).map(digits).map(|at| moved.iter().map(|&d| number(d, &at)).collect()).collect()
    };
    let (held, wanted) = (pieces(have), pieces(goal));
    let mut sent = vec![0usize; held.len()];
    let mut pairs = Vec::with_capacity(held.len());
    for (to, piece) in wanted.iter().enumerate() {
        let holders = (0..held.len()).filter(|&from| held[from] == *piece);
        let from = if held[to] == *piece { Some(to) } else { holders.min_by_key(|&from| (sent[from], from)) };
        if let Some(from) = from {
            sent[from] += 1;
            pairs.push((from as u32, to as u32));
        }
    }
    pairs
}

#[cfg(test)]
mod tests;

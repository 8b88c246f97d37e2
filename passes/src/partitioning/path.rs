//! From one layout to another by the cheapest sequence of collectives.
//!
//! A state is where each dimension's axes are and what is still pending; moves are the collectives. On a uniform link
//! the price of a move is the bytes that a device sends on a ring, and the cheapest path is found by Dijkstra's
//! algorithm over the states (Rink et al., *Memory-efficient array redistribution through portable collective
//! communication*, 2021). Axes are first cut into the sub-axes ("atoms") that both ends can be written in. Paths are
//! memoised: a program has thousands of reshards but few different ones.

mod moves;
mod state;

use self::moves::{Problem, SCALE, senders};
use self::state::{Atoms, State};
use partita_ir::arena::MeshId;
use partita_ir::class::Collective;
use partita_ir::dtype::Shape;
use partita_ir::layout::{Layout, Monoid};
use partita_ir::mesh::Axes;
use partita_ir::op::OpKind;
use partita_ir::ops::{AllGather, AllReduce, Partial, Permute, Shard};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// A way from one layout to another.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Path {
    /// The collectives, each with the layout after it.
    pub moves: Vec<(OpKind, Layout)>,
    /// Bytes that a device sends on a ring.
    pub wire: f64,
}

/// Finds and remembers paths on one mesh.
pub struct Paths {
    mesh: MeshId,
    known: FxHashMap<(Shape, u64, State, State), Arc<Path>>,
}

impl Paths {
    /// Paths on that mesh.
    pub fn new(mesh: MeshId) -> Paths {
        Paths { mesh, known: FxHashMap::default() }
    }

    /// The cheapest path for a tensor of `shape` with elements of `bytes`. Ties go to fewer moves.
    pub fn find(&mut self, shape: &Shape, bytes: u64, have: &Layout, need: &Layout) -> Arc<Path> {
        let (from, to) = (State::of(have), State::of(need));
        if from == to {
            return Arc::default();
        }
        let key = (shape.clone(), bytes, from, to);
        if let Some(path) = self.known.get(&key) {
            return path.clone();
        }
        let path = match Atoms::of(&key.2, &key.3) {
            Some(atoms) if !atoms.refine_uneven(shape, [&key.2, &key.3]) => match atoms.divide(shape) {
                true => self.scaled(shape, bytes, &key.2, &key.3, &atoms),
                false => self.search(shape, bytes, &key.2, &key.3, &atoms),
            },
            Some(_) | None => self.through_whole(shape, bytes, &key.2, &key.3),
        };
        let path = Arc::new(path);
        self.known.insert(key, path.clone());
        path
    }

    /// The path when everything can be cut into equal pieces, however it is cut: that of the smallest tensor of which
    /// this is so.
    fn scaled(&mut self, shape: &Shape, bytes: u64, have: &State, need: &State, atoms: &Atoms) -> Path {
        let least: Shape = shape.iter().map(|&n| if n == 1 { 1 } else { atoms.ways() }).collect();
        let times = shape.count() as f64 * bytes as f64 / least.count() as f64;
        let key = (least, 1, have.clone(), need.clone());
        let path = match self.known.get(&key) {
            Some(path) => path.clone(),
            None => {
                let path = Arc::new(self.search(&key.0, 1, have, need, atoms));
                self.known.insert(key, path.clone());
                path
            }
        };
        Path { moves: path.moves.clone(), wire: path.wire * times }
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
        self.through_whole(shape, bytes, have, need)
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
            let step = match step.collective() {
                Some(Collective::Permute(Permute { axes, .. })) => {
                    Permute { axes: axes.clone(), pairs: senders(&before, &at) }.into()
                }
                Some(Collective::AllReduce(_) | Collective::AllGather(_) | Collective::ReduceScatter(_))
                | Some(Collective::AllToAll(_))
                | None => step,
            };
            moves.push((step, at.to_layout(self.mesh)));
            at = before;
        }
        moves.reverse();
        Path { moves, wire: cost as f64 / SCALE }
    }
}

#[cfg(test)]
mod tests;

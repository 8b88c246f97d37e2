//! Resharding: the cheapest sequence of collectives from one layout to another.
//!
//! A state is the assignment of axes to dimensions and the partial axes; a transition is a collective. The price of a
//! transition is the number of bytes that a device sends on a ring with uniform links. A* (Hart et al. 1968) finds the
//! cheapest path (Rink et al., *Memory-efficient array redistribution through portable collective communication*,
//! 2021). Axes are first divided into sub-axes ("atoms") in which both layouts can be expressed.
//!
//! Paths are memoised for the whole process, in a normal form (`normal_form`): a program has thousands of reshards
//! but few distinct ones, and a plan search lowers hundreds of similar programs.

mod normal_form;
mod state;
mod transitions;

use self::normal_form::{NormalSearch, Normalisation};
use self::state::{Atoms, PathState};
use self::transitions::{PRICE_UNITS_PER_BYTE, PathProblem, senders};
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
use std::sync::{Arc, LazyLock, RwLock};

/// A sequence of collectives from one layout to another.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct ReshardPath {
    /// Collectives, each with the layout of its result.
    pub steps: Vec<(OpKind, Layout)>,
    /// Bytes that a device sends on a ring.
    pub wire_bytes: f64,
}

/// Path search on one mesh, with memoised results.
pub struct ReshardPaths {
    mesh: MeshId,
    cache: FxHashMap<PathKey, Arc<ReshardPath>>,
}

/// Shape, bytes of an element, and the layouts at both ends. Sizes of axes are part of the layouts.
type PathKey = (Shape, u64, PathState, PathState);

/// Paths of searches in their normal form, for each mesh id.
type KnownPaths = FxHashMap<(MeshId, NormalSearch), Arc<ReshardPath>>;

/// Paths found so far by all searches.
static KNOWN_PATHS: LazyLock<RwLock<KnownPaths>> = LazyLock::new(Default::default);

/// Maximum number of paths that are memoised for the whole process. A path takes about 1 KiB.
const MAX_KNOWN_PATHS: usize = 1 << 16;

impl ReshardPaths {
    /// Returns an empty cache for a mesh.
    pub fn new(mesh: MeshId) -> ReshardPaths {
        ReshardPaths { mesh, cache: FxHashMap::default() }
    }

    /// Returns the cheapest path for a tensor of `shape` with elements of `bytes` bytes. Ties are broken by fewer
    /// collectives.
    pub fn find(&mut self, shape: &Shape, bytes: u64, have: &Layout, need: &Layout) -> Arc<ReshardPath> {
        let (from, to) = (PathState::from_layout(have), PathState::from_layout(need));
        if from == to {
            return Arc::default();
        }
        let key = (shape.clone(), bytes, from, to);
        if let Some(path) = self.cache.get(&key) {
            return path.clone();
        }
        let path = match Atoms::new(&key.2, &key.3) {
            Some(atoms) if !atoms.divides_uneven_axis(shape, [&key.2, &key.3]) => {
                let (normalisation, normal) = Normalisation::new(shape, bytes, &key.2, &key.3, &atoms);
                Arc::new(normalisation.apply(&key.2, &self.find_normal(normal)))
            }
            Some(_) | None => Arc::new(self.through_replicated(shape, bytes, &key.2, &key.3)),
        };
        self.cache.insert(key, path.clone());
        path
    }

    /// Returns the known path of a search in its normal form, or searches it.
    fn find_normal(&self, normal: NormalSearch) -> Arc<ReshardPath> {
        let key = (self.mesh, normal);
        if let Some(path) = KNOWN_PATHS.read().ok().and_then(|known| known.get(&key).cloned()) {
            return path;
        }
        let path = Arc::new(self.search(&key.1));
        if let Ok(mut known) = KNOWN_PATHS.write()
            && known.len() < MAX_KNOWN_PATHS
        {
            known.insert(key, path.clone());
        }
        path
    }

    fn search(&self, NormalSearch { shape, have, need }: &NormalSearch) -> ReshardPath {
        let Some(atoms) = Atoms::new(have, need) else { return self.through_replicated(shape, 1, have, need) };
        let (start, goal) = (have.refine(&atoms), need.refine(&atoms));
        let problem = PathProblem { shape, bytes: 1, goal: &goal, atoms: &atoms.0 };
        let mut best: FxHashMap<PathState, (u64, u32)> = FxHashMap::default();
        let mut predecessors: FxHashMap<PathState, (PathState, OpKind)> = FxHashMap::default();
        let mut queue = BinaryHeap::from([Reverse((0u64, 0u32, start.clone()))]);
        best.insert(start.clone(), (0, 0));
        while let Some(Reverse((_, steps, state))) = queue.pop() {
            let Some(&(cost, least_steps)) = best.get(&state) else { continue };
            if state == goal {
                return self.reconstruct(predecessors, start, state, cost);
            }
            if steps > least_steps {
                continue;
            }
            for (step, next) in problem.transitions(&state) {
                if problem.joins_uneven_factors(&next) {
                    continue;
                }
                let reached = (cost + problem.price(&step, &state, &next), steps + 1);
                if best.get(&next).is_none_or(|b| reached < *b) {
                    best.insert(next.clone(), reached);
                    predecessors.insert(next.clone(), (state.clone(), step));
                    queue.push(Reverse((reached.0 + problem.least_price(&next), reached.1, next)));
                }
            }
        }
        self.through_replicated(shape, 1, have, need)
    }

    /// Returns the path that reduces, gathers every dimension that differs, and shards it again.
    fn through_replicated(&self, shape: &Shape, bytes: u64, have: &PathState, need: &PathState) -> ReshardPath {
        let problem = PathProblem { shape, bytes, goal: need, atoms: &[] };
        let mut path = ReshardPath::default();
        let mut cost = 0;
        let mut at = have.clone();
        let mut go = |kind: OpKind, next: PathState, at: &mut PathState| {
            cost += problem.price(&kind, at, &next);
            path.steps.push((kind, next.to_unjoined_layout(self.mesh)));
            *at = next;
        };
        for monoid in Monoid::ALL {
            let axes: Axes = have.partial.iter().filter(|p| p.1 == monoid).map(|p| p.0).collect();
            if !axes.is_empty() {
                let mut next = at.clone();
                next.partial.retain(|p| p.1 != monoid);
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
        let axes: Axes = need.partial.iter().map(|p| p.0).collect();
        if !axes.is_empty() {
            go(Partial { axes }.into(), need.clone(), &mut at);
        }
        path.wire_bytes = cost as f64 / PRICE_UNITS_PER_BYTE;
        path
    }

    fn reconstruct(
        &self,
        mut predecessors: FxHashMap<PathState, (PathState, OpKind)>,
        start: PathState,
        end: PathState,
        cost: u64,
    ) -> ReshardPath {
        let mut steps = Vec::new();
        let mut at = end;
        while at != start {
            let Some((before, step)) = predecessors.remove(&at) else { break };
            let step = match step.collective() {
                Some(Collective::Permute(Permute { axes, .. })) => {
                    Permute { axes: axes.clone(), pairs: senders(&before, &at) }.into()
                }
                Some(Collective::AllReduce(_) | Collective::AllGather(_) | Collective::ReduceScatter(_))
                | Some(Collective::AllToAll(_))
                | None => step,
            };
            steps.push((step, at.to_layout(self.mesh)));
            at = before;
        }
        steps.reverse();
        ReshardPath { steps, wire_bytes: cost as f64 / PRICE_UNITS_PER_BYTE }
    }
}

#[cfg(test)]
mod tests;

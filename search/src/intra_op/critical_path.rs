//! Critical path of a step with given layouts: the longest sequence of kernels and collectives that run one after
//! another.
//!
//! Kernels run in the order of the program, and so do the collectives of a pass. Reductions of gradients may wait for
//! each other in a bucket, whose latency counts once. The kernels and collectives on the path are serial with all other
//! layouts as well, so that the sum of their seconds is a lower bound of the step time for each of them.

use fixedbitset::FixedBitSet;

/// Condition for the start of a collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PathEdgeKind {
    /// Collective of a pass: after its operand is available, and after the collectives of the pass before it.
    InOrder,
    /// Reduction of a gradient, in the first bucket of a sequence: after its operand is available.
    FirstReduction,
    /// Reduction of a gradient after another one.
    NextReduction,
    /// Reduction of the last gradient, after all others.
    LastReduction,
}

/// Collective between two kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PathEdge {
    pub(super) kind: PathEdgeKind,
    /// Position of the kernel that computes the operand. `None` for an input of the program.
    pub(super) def: Option<usize>,
    /// Position of the first op that reads the result, before which the collective starts. `None` for an output of the
    /// program.
    pub(super) latest: Option<usize>,
    /// Position of the first kernel that waits for the result. `None` for an output of the program.
    pub(super) reader: Option<usize>,
}

impl PathEdge {
    /// Returns a collective that starts directly before the op at a position.
    pub(super) fn before(position: usize, reader: Option<usize>) -> PathEdge {
        PathEdge { kind: PathEdgeKind::InOrder, def: position.checked_sub(1), latest: Some(position), reader }
    }

    /// Returns true if the collective starts directly before the op at a position.
    pub(super) fn starts_before(&self, position: usize) -> bool {
        self.kind == PathEdgeKind::InOrder && self.def == position.checked_sub(1)
    }

    /// Returns true if the collective starts directly before the kernel that waits for it.
    pub(super) fn is_blocking(&self) -> bool {
        self.reader.is_some_and(|reader| self.starts_before(reader))
    }

    /// Returns the latest position of the start, which for an output is after all kernels.
    fn latest(&self) -> usize {
        self.latest.unwrap_or(usize::MAX)
    }

    /// Returns true if the collective starts after the end of `other`, with all layouts.
    fn starts_after(&self, other: &PathEdge) -> bool {
        let is_next = match (other.kind, self.kind) {
            (PathEdgeKind::InOrder, PathEdgeKind::InOrder) => other.latest() <= self.latest(),
            (PathEdgeKind::InOrder, PathEdgeKind::FirstReduction) => true,
            (
                PathEdgeKind::FirstReduction | PathEdgeKind::NextReduction,
                PathEdgeKind::NextReduction | PathEdgeKind::LastReduction,
            ) => true,
            (PathEdgeKind::InOrder, PathEdgeKind::NextReduction | PathEdgeKind::LastReduction)
            | (PathEdgeKind::LastReduction, _)
            | (
                PathEdgeKind::FirstReduction | PathEdgeKind::NextReduction,
                PathEdgeKind::InOrder | PathEdgeKind::FirstReduction,
            ) => false,
        };
        // A reduction is not followed by itself.
        let is_earlier = if self.kind == PathEdgeKind::InOrder { other.def <= self.def } else { other.def < self.def };
        is_next && is_earlier
    }

    /// Returns true if the kernel that needs the result waits for it. A reduction in a later bucket may end earlier.
    fn delays_reader(&self) -> bool {
        match self.kind {
            PathEdgeKind::InOrder | PathEdgeKind::FirstReduction | PathEdgeKind::LastReduction => true,
            PathEdgeKind::NextReduction => false,
        }
    }
}

/// Predecessor of a kernel or collective on the longest path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Previous {
    /// The kernel at a position; `None` for the start of the step.
    Kernel(Option<usize>),
    /// A collective.
    Edge(usize),
}

/// Kernels and collectives on a critical path.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct CriticalPath {
    /// Seconds of the path.
    pub(super) seconds: f64,
    /// Positions of the kernels.
    pub(super) kernels: FixedBitSet,
    /// Indices of the collectives.
    pub(super) edges: FixedBitSet,
}

/// Returns the critical path of kernels, given their seconds in program order, and of collectives, given their seconds.
pub(super) fn critical_path(kernels: &[f64], edges: &[PathEdge], edge_seconds: &[f64]) -> CriticalPath {
    // Collectives that take time, in the order of their operands.
    let mut active: Vec<usize> = (0..edges.len()).filter(|&edge| edge_seconds[edge] > 0.0).collect();
    active.sort_by_key(|&edge| (edges[edge].def, edges[edge].latest(), edge));
    let mut ends: Vec<(f64, Previous)> = Vec::with_capacity(kernels.len());
    let mut edge_ends: Vec<(f64, Previous)> = vec![(0.0, Previous::Kernel(None)); edges.len()];
    let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); kernels.len()];
    let mut started = 0;
    for position in (0..=kernels.len()).map(|after| after.checked_sub(1)) {
        let mut end = 0.0;
        if let Some(position) = position {
            let mut latest = match ends.last() {
                Some(&(end, _)) => (end, Previous::Kernel(Some(position - 1))),
                None => (0.0, Previous::Kernel(None)),
            };
            for &edge in &waiting[position] {
                if edge_ends[edge].0 > latest.0 {
                    latest = (edge_ends[edge].0, Previous::Edge(edge));
                }
            }
            end = latest.0 + kernels[position];
            ends.push((end, latest.1));
        }
        while let Some(&edge) = active.get(started).filter(|&&edge| edges[edge].def == position) {
            let mut latest = match edges[edge].kind {
                PathEdgeKind::InOrder | PathEdgeKind::FirstReduction => (end, Previous::Kernel(position)),
                PathEdgeKind::NextReduction | PathEdgeKind::LastReduction => {
                    (f64::NEG_INFINITY, Previous::Kernel(None))
                }
            };
            for &other in active[..started].iter().filter(|&&other| edges[edge].starts_after(&edges[other])) {
                if edge_ends[other].0 > latest.0 {
                    latest = (edge_ends[other].0, Previous::Edge(other));
                }
            }
            edge_ends[edge] = (latest.0 + edge_seconds[edge], latest.1);
            if let Some(reader) = edges[edge].reader.filter(|_| edges[edge].delays_reader()) {
                waiting[reader].push(edge);
            }
            started += 1;
        }
    }
    let mut at = Previous::Kernel(kernels.len().checked_sub(1));
    let mut seconds = ends.last().map_or(0.0, |last| last.0);
    for &edge in &active {
        if edge_ends[edge].0 > seconds {
            (seconds, at) = (edge_ends[edge].0, Previous::Edge(edge));
        }
    }
    let mut path = CriticalPath {
        seconds,
        kernels: FixedBitSet::with_capacity(kernels.len()),
        edges: FixedBitSet::with_capacity(edges.len()),
    };
    loop {
        at = match at {
            Previous::Kernel(None) => return path,
            Previous::Kernel(Some(position)) => {
                path.kernels.insert(position);
                ends[position].1
            }
            Previous::Edge(edge) => {
                path.edges.insert(edge);
                edge_ends[edge].1
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(kind: PathEdgeKind, def: usize, reader: usize) -> PathEdge {
        PathEdge { kind, def: Some(def), latest: Some(reader), reader: Some(reader) }
    }

    fn members(set: &FixedBitSet) -> Vec<usize> {
        set.ones().collect()
    }

    #[test]
    fn kernels_between_a_collective_and_its_reader_overlap() {
        let edges = [edge(PathEdgeKind::InOrder, 0, 3)];
        let short = critical_path(&[1.0, 1.0, 1.0, 1.0], &edges, &[1.5]);
        assert_eq!((short.seconds, members(&short.kernels)), (4.0, vec![0, 1, 2, 3]));
        let long = critical_path(&[1.0, 1.0, 1.0, 1.0], &edges, &[5.0]);
        assert_eq!((long.seconds, members(&long.kernels), members(&long.edges)), (7.0, vec![0, 3], vec![0]));
    }

    #[test]
    fn collectives_of_a_pass_run_one_after_another() {
        let edges = [edge(PathEdgeKind::InOrder, 0, 3), edge(PathEdgeKind::InOrder, 1, 3)];
        let path = critical_path(&[1.0; 4], &edges, &[2.0, 2.0]);
        assert_eq!((path.seconds, members(&path.edges)), (6.0, vec![0, 1]));
        // The second collective may be issued first if its result is needed first.
        let edges = [edge(PathEdgeKind::InOrder, 0, 3), edge(PathEdgeKind::InOrder, 1, 2)];
        let path = critical_path(&[1.0; 4], &edges, &[2.0, 2.0]);
        assert_eq!((path.seconds, members(&path.edges)), (6.0, vec![1]));
    }

    #[test]
    fn reductions_after_another_share_its_latency() {
        use PathEdgeKind::{FirstReduction, NextReduction};
        // Gradients of the kernels 0 and 1 for the updates 2 and 3.
        let edges = [
            edge(FirstReduction, 0, 2),
            edge(NextReduction, 0, 2),
            edge(FirstReduction, 1, 3),
            edge(NextReduction, 1, 3),
        ];
        let path = critical_path(&[1.0, 1.0, 0.5, 0.5], &edges, &[5.0, 2.0, 5.0, 2.0]);
        // Kernel 0, its reduction, and the other one, or both kernels, the last reduction, and its update.
        assert_eq!((path.seconds, members(&path.kernels), members(&path.edges)), (8.0, vec![0], vec![0, 3]));
        let path = critical_path(&[1.0, 4.0, 0.5, 0.5], &edges, &[5.0, 2.0, 5.0, 2.0]);
        assert_eq!((path.seconds, members(&path.kernels), members(&path.edges)), (10.5, vec![0, 1, 3], vec![2]));
    }
}

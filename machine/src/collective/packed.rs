//! Algorithms along packed trees and rings: each carries as much of the tensor as it can carry, in chunks that follow
//! each other.

use crate::collective::beside::beside;
use crate::collective::check::check;
use crate::collective::packing::{Packing, Span};
use crate::collective::routed::Routed;
use crate::collective::tree::Tree;
use crate::collective::{Algorithm, CollectiveKind, Method};
use crate::topology::Topology;

/// Trees and rings of a topology, each with the rate at which it carries its part.
#[derive(Clone, Debug)]
pub struct Packed {
    /// What they are called: `trees(3)`.
    pub name: String,
    /// By class of links, trees of the same span.
    packings: Vec<Packing>,
}

impl Packed {
    /// Trees for an `all_reduce`, a `broadcast` or a `reduce`. `None` for other kinds, and where trees are not packed.
    pub fn trees(kind: &CollectiveKind, topology: &Topology) -> Option<Packed> {
        let packing = Packing::of(topology, span(kind)?)?;
        Some(Packed { name: format!("trees({})", packing.trees.len()), packings: vec![packing] })
    }

    /// Rings for a kind that goes around a ring.
    pub fn rings(kind: &CollectiveKind, topology: &Topology) -> Option<Packed> {
        kind.rounds()?;
        let packing = Packing::of(topology, Span::Ring)?;
        let name = if packing.trees.len() == 1 { "ring".into() } else { format!("rings({})", packing.trees.len()) };
        Some(Packed { name, packings: vec![packing] })
    }

    /// Trees along links from device to device beside trees along links of switches. With R times the rate the former
    /// carry R/(1+R) of the tensor, the latter 1/(1+R). `None` if one of both does not connect all ranks.
    pub fn split(kind: &CollectiveKind, topology: &Topology) -> Option<Packed> {
        let span = span(kind)?;
        let direct = Packing::of(&topology.only(true)?, span)?;
        let switched = Packing::of(&topology.only(false)?, span)?;
        let name = format!("split({} + {})", direct.trees.len(), switched.trees.len());
        Some(Packed { name, packings: vec![direct, switched] })
    }

    /// Bytes a second of all together.
    pub fn rate(&self) -> f64 {
        self.packings.iter().map(Packing::rate).sum()
    }

    /// The packings: one, or that of links from device to device and that of links of switches.
    pub fn packings(&self) -> &[Packing] {
        &self.packings
    }

    /// The algorithm in which about so many chunks follow each other on each tree, and more on faster ones. Rings need
    /// no more than one. `None` if the kind is not the one that the packing is for.
    pub fn algorithm(&self, kind: &CollectiveKind, topology: &Topology, pipeline: usize) -> Option<Routed> {
        let ranks = topology.ranks;
        let trees: Vec<_> = self.packings.iter().flat_map(|p| p.trees.iter().map(move |tree| (p.span, tree))).collect();
        let rates: Vec<f64> = trees.iter().map(|(_, tree)| tree.rate).collect();
        let times = apportion(&rates, pipeline.max(1) * trees.len());
        let mut parts = Vec::with_capacity(trees.len());
        for ((span, tree), times) in trees.iter().zip(times) {
            let pairs = tree.pairs(*span);
            let part = match *span {
                Span::Ring => Method::Ring.build(kind, ranks)?.renamed(&order(&pairs)),
                Span::Both => up_and_down(kind, &Tree::of(ranks, &pairs, None))?,
                Span::From(root) | Span::To(root) => up_and_down(kind, &Tree::of(ranks, &pairs, Some(root)))?,
            };
            parts.push((part, times));
        }
        let algorithm = beside(self.name.clone(), kind, ranks, &parts);
        let pieces = kind.pieces(ranks);
        let widths = parts.iter().enumerate().flat_map(|(n, (part, times))| vec![n; part.chunks / pieces * times]);
        let channels: Vec<usize> = widths.collect();
        let edge = |channel: usize, from: usize, to: usize| {
            let (_, tree) = trees.get(channel)?;
            let edge = tree.edges.iter().find(|edge| (edge.0, edge.1) == (from, to));
            edge.map(|(_, _, route)| route.clone())
        };
        Routed::by_channel(check(algorithm).ok()?, topology, |chunk| channels[chunk % channels.len()], edge)
    }
}

/// What trees do for a kind.
fn span(kind: &CollectiveKind) -> Option<Span> {
    match *kind {
        CollectiveKind::AllReduce => Some(Span::Both),
        CollectiveKind::Broadcast(root) => Some(Span::From(root)),
        CollectiveKind::Reduce(root) => Some(Span::To(root)),
        CollectiveKind::ReduceScatter
        | CollectiveKind::AllGather
        | CollectiveKind::AllToAll
        | CollectiveKind::Permute(_)
        | CollectiveKind::Served(_) => None,
    }
}

/// One chunk, up the tree, down, or both.
fn up_and_down(kind: &CollectiveKind, tree: &Tree) -> Option<Algorithm> {
    let mut algorithm = Algorithm::new("tree", kind.clone(), tree.ranks(), 1);
    match kind {
        CollectiveKind::AllReduce => {
            let top = tree.reduce(&mut algorithm, 0, 0);
            tree.spread(&mut algorithm, 0, top);
        }
        CollectiveKind::Broadcast(_) => tree.spread(&mut algorithm, 0, 0),
        CollectiveKind::Reduce(_) => {
            tree.reduce(&mut algorithm, 0, 0);
        }
        CollectiveKind::ReduceScatter
        | CollectiveKind::AllGather
        | CollectiveKind::AllToAll
        | CollectiveKind::Permute(_)
        | CollectiveKind::Served(_) => return None,
    }
    Some(algorithm)
}

/// The ranks along a ring.
fn order(pairs: &[(usize, usize)]) -> Vec<usize> {
    let next = |at: usize| pairs.iter().find(|(from, _)| *from == at).map(|(_, to)| *to);
    std::iter::successors(Some(0), |&at| next(at)).take(pairs.len()).collect()
}

/// About so many chunks in proportion to rates, at least one each: what is left over by rounding down goes to those
/// that lack most.
fn apportion(rates: &[f64], chunks: usize) -> Vec<usize> {
    let all: f64 = rates.iter().sum();
    let wanted: Vec<f64> = rates.iter().map(|rate| rate / all * chunks as f64 * (1.0 + 1e-9)).collect();
    let mut times: Vec<usize> = wanted.iter().map(|wanted| wanted.floor() as usize).collect();
    while times.iter().sum::<usize>() < chunks {
        let lacks = |tree: &usize| wanted[*tree] - times[*tree] as f64;
        let Some(most) = (0..times.len()).max_by(|a, b| lacks(a).total_cmp(&lacks(b))) else { break };
        times[most] += 1;
    }
    times.into_iter().map(|times| times.max(1)).collect()
}

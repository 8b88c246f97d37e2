//! Within groups, across groups, within groups: for machines of several devices each, whose inner links are faster.
//!
//! In each group one rank stands for a chunk: the one with the same place in its group as the chunk's home. It combines
//! the operands of its group, the home combines those of the groups, and the result goes back the same way: four steps.
//! Other methods may stand in the middle: each rank combines a share for its group, and those with the same place in
//! their groups reduce theirs with each other. Only `1/group` of what a direct algorithm sends between groups crosses
//! them (BlueConnect, Cho et al. 2019,
//! <https://proceedings.mlsys.org/paper_files/paper/2019/hash/0c8abcf158ed12d0dd94480681186fda-Abstract.html>).

use crate::collective::method::Flow;
use crate::collective::{Algorithm, Buffer, CollectiveKind, Place};

/// Ranks in groups of neighbours.
#[derive(Clone, Copy)]
struct Groups {
    ranks: usize,
    group: usize,
}

impl Groups {
    fn count(self) -> usize {
        self.ranks.div_ceil(self.group)
    }

    fn members(self, group: usize) -> std::ops::Range<usize> {
        group * self.group..((group + 1) * self.group).min(self.ranks)
    }

    /// Who stands in a group for what another rank is home of; in its own group that rank itself.
    fn proxy(self, group: usize, home: usize) -> usize {
        let members = self.members(group);
        members.start + home % self.group % members.len()
    }

    /// The group of a rank.
    fn of(self, rank: usize) -> usize {
        rank / self.group
    }
}

/// A step within groups and one across, where there are several ranks to combine.
pub(super) fn reduce(flow: &mut Flow<'_>, group: usize) {
    let groups = Groups { ranks: flow.ranks(), group };
    let mut partial = Vec::with_capacity(groups.count());
    for g in 0..groups.count() {
        let proxy = groups.proxy(g, flow.home);
        partial.push(if groups.members(g).len() == 1 {
            Place::input(proxy)
        } else {
            let room = flow.room(proxy);
            flow.put(0, groups.members(g).map(Place::input), room);
            room
        });
    }
    flow.advance(usize::from(group > 1));
    if groups.count() > 1 {
        flow.put(0, partial, Place::output(flow.home));
        flow.advance(1);
    }
}

/// A step across groups and one within, where there are several ranks to serve.
pub(super) fn spread(flow: &mut Flow<'_>, group: usize) {
    let groups = Groups { ranks: flow.ranks(), group };
    let proxies: Vec<usize> = (0..groups.count()).map(|g| groups.proxy(g, flow.home)).collect();
    for &proxy in &proxies {
        if proxy != flow.home {
            flow.put(0, [flow.origin()], Place::output(proxy));
        }
    }
    flow.advance(usize::from(groups.count() > 1));
    for rank in (0..groups.ranks).filter(|rank| !proxies.contains(rank)) {
        flow.put(0, [flow.copy_at(proxies[groups.of(rank)])], Place::output(rank));
    }
    flow.advance(usize::from(group > 1));
}

/// A chunk of an `all_to_all`: within its group to the one who stands for the receiver, then across.
pub(super) fn send(algorithm: &mut Algorithm, chunk: usize, from: usize, to: usize, group: usize) {
    let groups = Groups { ranks: algorithm.ranks, group };
    let proxy = groups.proxy(groups.of(from), to);
    let across = usize::from(group > 1);
    if proxy == to {
        algorithm.put(0, chunk, [Place::input(from)], Place::output(to));
    } else if proxy == from {
        algorithm.put(across, chunk, [Place::input(from)], Place::output(to));
    } else {
        algorithm.put(0, chunk, [Place::input(from)], Place::scratch(proxy));
        algorithm.put(across, chunk, [Place::scratch(proxy)], Place::output(to));
    }
}

/// An `all_reduce` among groups of that many ranks, of which those with the same place carry out `across`.
pub(super) fn all_reduce(name: String, group: usize, across: &Algorithm) -> Algorithm {
    let mut algorithm = Algorithm::new(name, CollectiveKind::AllReduce, across.ranks * group, across.chunks * group);
    let last = 1 + across.steps.len();
    for proxy in 0..group {
        // What a group has combined is for the others what an operand is, and lies apart from results.
        let place = |place: &Place| Place {
            rank: place.rank * group + proxy,
            buffer: if place.buffer == Buffer::Input { Buffer::Scratch } else { place.buffer },
        };
        for chunk in (0..across.chunks).map(|chunk| proxy * across.chunks + chunk) {
            for start in (0..across.ranks).map(|node| node * group) {
                algorithm.put(0, chunk, (start..start + group).map(Place::input), Place::scratch(start + proxy));
                for rank in (start..start + group).filter(|&rank| rank != start + proxy) {
                    algorithm.put(last, chunk, [Place::output(start + proxy)], Place::output(rank));
                }
            }
        }
        for (step, transfer) in across.steps.iter().enumerate().flat_map(|(n, step)| step.iter().map(move |t| (n, t))) {
            let chunk = proxy * across.chunks + transfer.chunk;
            algorithm.put(1 + step, chunk, transfer.from.iter().map(place), place(&transfer.to));
        }
    }
    algorithm
}

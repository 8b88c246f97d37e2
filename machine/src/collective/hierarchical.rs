//! Hierarchical algorithm: within groups, across groups, within groups. Suited to machines whose intra-node links are
//! faster than their inter-node links.
//!
//! Each group has one proxy per chunk: the rank with the same position in its group as the chunk's owner. The proxy
//! reduces the operands of its group, the owner reduces the values of the proxies, and the broadcast reverses the path:
//! four steps. Other methods can replace the middle phase: each rank reduces one chunk for its group, and ranks with
//! equal positions reduce among each other. Links between groups carry only `1/group` of the bytes of a direct
//! algorithm (BlueConnect, Cho et al. 2019,
//! <https://proceedings.mlsys.org/paper_files/paper/2019/hash/0c8abcf158ed12d0dd94480681186fda-Abstract.html>).

use crate::collective::method::ChunkBuilder;
use crate::collective::{Algorithm, Buffer, CollectiveKind, Place};

/// Partition of the ranks into groups of consecutive ranks.
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

    /// Returns the proxy in a group for chunks owned by a rank. In the owner's group the proxy is the owner.
    fn proxy(self, group: usize, owner: usize) -> usize {
        let members = self.members(group);
        members.start + owner % self.group % members.len()
    }

    /// Returns the group of a rank.
    fn group_of(self, rank: usize) -> usize {
        rank / self.group
    }
}

/// Appends the reduction: one step within groups and one across groups, each only if it involves several ranks.
pub(super) fn reduce(builder: &mut ChunkBuilder<'_>, group: usize) {
    let groups = Groups { ranks: builder.ranks(), group };
    let mut partial = Vec::with_capacity(groups.count());
    for g in 0..groups.count() {
        let proxy = groups.proxy(g, builder.owner);
        partial.push(if groups.members(g).len() == 1 {
            Place::input(proxy)
        } else {
            let place = builder.working_place(proxy);
            builder.push_transfer(0, groups.members(g).map(Place::input), place);
            place
        });
    }
    builder.advance(usize::from(group > 1));
    if groups.count() > 1 {
        builder.push_transfer(0, partial, Place::output(builder.owner));
        builder.advance(1);
    }
}

/// Appends the broadcast: one step across groups and one within groups, each only if it involves several ranks.
pub(super) fn broadcast(builder: &mut ChunkBuilder<'_>, group: usize) {
    let groups = Groups { ranks: builder.ranks(), group };
    let proxies: Vec<usize> = (0..groups.count()).map(|g| groups.proxy(g, builder.owner)).collect();
    for &proxy in &proxies {
        if proxy != builder.owner {
            builder.push_transfer(0, [builder.source()], Place::output(proxy));
        }
    }
    builder.advance(usize::from(groups.count() > 1));
    for rank in (0..groups.ranks).filter(|rank| !proxies.contains(rank)) {
        builder.push_transfer(0, [builder.copy_place(proxies[groups.group_of(rank)])], Place::output(rank));
    }
    builder.advance(usize::from(group > 1));
}

/// Appends the transfer of one `all_to_all` chunk: to the receiver's proxy within the sender's group, then across
/// groups.
pub(super) fn send(algorithm: &mut Algorithm, chunk: usize, from: usize, to: usize, group: usize) {
    let groups = Groups { ranks: algorithm.ranks, group };
    let proxy = groups.proxy(groups.group_of(from), to);
    let across = usize::from(group > 1);
    if proxy == to {
        algorithm.push_transfer(0, chunk, [Place::input(from)], Place::output(to));
    } else if proxy == from {
        algorithm.push_transfer(across, chunk, [Place::input(from)], Place::output(to));
    } else {
        algorithm.push_transfer(0, chunk, [Place::input(from)], Place::scratch(proxy));
        algorithm.push_transfer(across, chunk, [Place::scratch(proxy)], Place::output(to));
    }
}

/// Returns an `all_reduce` over groups of `group` ranks, in which ranks with equal positions execute `inter`.
pub(super) fn all_reduce(name: String, group: usize, inter: &Algorithm) -> Algorithm {
    let mut algorithm = Algorithm::new(name, CollectiveKind::AllReduce, inter.ranks * group, inter.chunks * group);
    let last = 1 + inter.steps.len();
    for proxy in 0..group {
        // The partial reduction of a group replaces the operand of `inter`. It is stored in scratch memory because
        // operands are never overwritten and results are.
        let place = |place: &Place| Place {
            rank: place.rank * group + proxy,
            buffer: if place.buffer == Buffer::Input { Buffer::Scratch } else { place.buffer },
        };
        for chunk in (0..inter.chunks).map(|chunk| proxy * inter.chunks + chunk) {
            for start in (0..inter.ranks).map(|node| node * group) {
                algorithm.push_transfer(
                    0,
                    chunk,
                    (start..start + group).map(Place::input),
                    Place::scratch(start + proxy),
                );
                for rank in (start..start + group).filter(|&rank| rank != start + proxy) {
                    algorithm.push_transfer(last, chunk, [Place::output(start + proxy)], Place::output(rank));
                }
            }
        }
        for (step, transfer) in inter.steps.iter().enumerate().flat_map(|(n, step)| step.iter().map(move |t| (n, t))) {
            let chunk = proxy * inter.chunks + transfer.chunk;
            algorithm.push_transfer(1 + step, chunk, transfer.from.iter().map(place), place(&transfer.to));
        }
    }
    algorithm
}

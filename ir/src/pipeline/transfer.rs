//! Messages that transfer a value from one mesh to another, between possibly different layouts.
//!
//! Every receiving device needs its shard. The overlap of that shard with each shard of the source is one message. If
//! several devices have equal source shards, they send in turn, so that the load is balanced. If several devices need
//! equal target shards, each receives a distinct part and forwards it to the others, so that every element crosses
//! between the stages once (scatter/gather optimization, Narayanan et al. 2021, section 4.1).

use crate::dtype::Shape;
use crate::layout::{Layout, dim_shard};
use crate::mesh::DeviceMesh;
use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::ops::Range;

/// Box of elements that one device sends to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Rank of the sender in the mesh of the source.
    pub from: usize,
    /// Rank of the receiver in the mesh of the target.
    pub to: usize,
    /// Start of the box in the sender's shard, per dimension.
    pub out_of: SmallVec<[usize; 4]>,
    /// Start of the box in the receiver's shard, per dimension.
    pub into: SmallVec<[usize; 4]>,
    /// Extent of the box, per dimension.
    pub extent: SmallVec<[usize; 4]>,
    /// Ranks of devices with an equal shard, to which the receiver forwards the box.
    pub onward: SmallVec<[usize; 4]>,
}

impl Message {
    /// Returns the number of elements.
    pub fn count(&self) -> u64 {
        self.extent.iter().map(|&n| n as u64).product()
    }
}

/// Box of elements in global indices.
type Region = SmallVec<[Range<usize>; 4]>;

/// Returns the shard of the device of rank `rank`.
fn region(shape: &Shape, layout: Option<&Layout>, mesh: &DeviceMesh, rank: usize) -> Region {
    let coords = mesh.coords(rank);
    let dims = shape.iter().enumerate().map(|(dim, &size)| {
        let axes = layout.map_or(&[][..], |layout| &layout.dims[dim].axes);
        let shard = dim_shard(size, axes, mesh, &coords);
        shard.start..shard.start + shard.len
    });
    dims.collect()
}

/// Returns the messages that transfer a value of `shape` from one mesh to another, ordered by receiver. Every element
/// of every receiver's shard is contained in exactly one message to that receiver or to a device that forwards to it.
pub fn messages(
    shape: &Shape,
    from: (Option<&Layout>, &DeviceMesh),
    to: (Option<&Layout>, &DeviceMesh),
) -> Vec<Message> {
    let mut messages = messages_to_shards(shape, from, distinct_shards(shape, to));
    messages.sort_by_key(|message| message.to);
    messages
}

/// Returns the messages of [`messages`] to rank 0 of the target and to the devices with the same shard.
pub fn messages_to_first(
    shape: &Shape,
    from: (Option<&Layout>, &DeviceMesh),
    to: (Option<&Layout>, &DeviceMesh),
) -> Vec<Message> {
    let first = region(shape, to.0, to.1, 0);
    let ranks = (0..to.1.device_count()).filter(|&rank| region(shape, to.0, to.1, rank) == first);
    let ranks = ranks.collect();
    messages_to_shards(shape, from, vec![(first, ranks)])
}

/// Returns the messages to the given shards of the target, each with the ranks of the devices that need it.
fn messages_to_shards(
    shape: &Shape,
    (layout, mesh): (Option<&Layout>, &DeviceMesh),
    targets: Vec<(Region, Vec<usize>)>,
) -> Vec<Message> {
    let sources = distinct_shards(shape, (layout, mesh));
    let mut turns = vec![0; sources.len()];
    let mut messages = Vec::new();
    for (wanted, receivers) in targets {
        for ((held, holders), turn) in sources.iter().zip(&mut turns) {
            let common: Region =
                held.iter().zip(&wanted).map(|(a, b)| a.start.max(b.start)..a.end.min(b.end)).collect();
            if common.iter().any(Range::is_empty) {
                continue;
            }
            for (&receiver, share) in receivers.iter().zip(split_region(&common, receivers.len())) {
                if share.iter().any(Range::is_empty) {
                    continue;
                }
                messages.push(Message {
                    from: holders[*turn % holders.len()],
                    to: receiver,
                    out_of: share.iter().zip(held).map(|(share, held)| share.start - held.start).collect(),
                    into: share.iter().zip(&wanted).map(|(share, wanted)| share.start - wanted.start).collect(),
                    extent: share.iter().map(Range::len).collect(),
                    onward: receivers.iter().copied().filter(|&other| other != receiver).collect(),
                });
                *turn += 1;
            }
        }
    }
    messages
}

/// Returns the distinct shards of a value on a mesh, each with the ranks of the devices that have it, in the order of
/// the first of these ranks.
fn distinct_shards(shape: &Shape, (layout, mesh): (Option<&Layout>, &DeviceMesh)) -> Vec<(Region, Vec<usize>)> {
    let mut shards: IndexMap<Region, Vec<usize>, FxBuildHasher> = IndexMap::default();
    for rank in 0..mesh.device_count() {
        shards.entry(region(shape, layout, mesh, rank)).or_default().push(rank);
    }
    shards.into_iter().collect()
}

/// Divides a region into `count` parts along the first of its longest dimensions. The first part of a scalar is the
/// scalar, and the others are empty.
fn split_region(region: &Region, count: usize) -> impl Iterator<Item = Region> + '_ {
    let longest = region.iter().enumerate().max_by_key(|(dim, range)| (range.len(), std::cmp::Reverse(*dim)));
    let cut = longest.map(|(dim, range)| (dim, range.clone()));
    (0..count).map(move |share| {
        let mut part = region.clone();
        match &cut {
            Some((dim, range)) => {
                let step = range.len().div_ceil(count);
                let start = (range.start + share * step).min(range.end);
                part[*dim] = start..(start + step).min(range.end);
            }
            // A scalar has no dimension to divide.
            None if share > 0 => part.push(0..0),
            None => {}
        }
        part
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::{AxisId, Id, MeshId};
    use crate::layout::DimLayout;
    use crate::mesh::AxisRef;
    use proptest::prelude::*;

    /// Returns a layout with one split dimension for each pair of dimension and axis.
    fn layout(mesh: &DeviceMesh, splits: &[(usize, usize)]) -> Layout {
        let mut layout = Layout::replicated(MeshId(0), 2);
        for &(dim, axis) in splits {
            let axes = [AxisRef::full(mesh, AxisId::from_index(axis))].into_iter().collect();
            layout.dims[dim] = DimLayout { axes, ..DimLayout::default() };
        }
        layout
    }

    /// Returns the sender, receiver and number of elements of each message.
    fn sends(messages: &[Message]) -> Vec<(usize, usize, u64)> {
        messages.iter().map(|m| (m.from, m.to, m.count())).collect()
    }

    #[test]
    fn equal_layouts_send_each_shard_once() {
        let mesh = DeviceMesh::new("m", [("data", 2), ("model", 2)]);
        let split = layout(&mesh, &[(0, 0)]);
        let messages = messages(&Shape::from([4, 6]), (Some(&split), &mesh), (Some(&split), &mesh));
        assert_eq!(sends(&messages), [(0, 0, 6), (1, 1, 6), (2, 2, 6), (3, 3, 6)]);
    }

    #[test]
    fn different_layouts_send_the_overlaps_of_shards() {
        let (two, three) = (DeviceMesh::new("a", [("data", 2)]), DeviceMesh::new("b", [("model", 3)]));
        let (rows, columns) = (layout(&two, &[(0, 0)]), layout(&three, &[(1, 0)]));
        let messages = messages(&Shape::from([4, 5]), (Some(&rows), &two), (Some(&columns), &three));
        // 5 columns over 3 devices: 2, 2, 1.
        let expected = [(0, 0, 4), (1, 0, 4), (0, 1, 4), (1, 1, 4), (0, 2, 2), (1, 2, 2)];
        assert_eq!(sends(&messages), expected);
    }

    #[test]
    fn replicated_targets_receive_each_element_once() {
        let (one, three) = (DeviceMesh::new("a", [("data", 1)]), DeviceMesh::new("b", [("model", 3)]));
        let replicated = layout(&three, &[]);
        let all = messages(&Shape::from([7, 2]), (None, &one), (Some(&replicated), &three));
        assert_eq!(sends(&all), [(0, 0, 6), (0, 1, 6), (0, 2, 2)]);
        assert!(all.iter().all(|message| message.onward.len() == 2 && !message.onward.contains(&message.to)));
        let scalar = messages(&Shape::from([]), (None, &one), (None, &three));
        assert_eq!(sends(&scalar), [(0, 0, 1)]);
        assert_eq!(scalar[0].onward[..], [1, 2]);
    }

    proptest! {
        #[test]
        fn messages_to_the_first_rank_are_those_of_all_messages(
            rows in 1usize..7, columns in 1usize..7, a in 1u32..4, b in 1u32..4, c in 1u32..4, d in 1u32..4,
            from in prop::sample::select(vec![vec![], vec![(0, 0)], vec![(0, 0), (1, 1)], vec![(1, 1)]]),
            to in prop::sample::select(vec![vec![], vec![(0, 0)], vec![(1, 0)], vec![(0, 1)]]),
        ) {
            let source = DeviceMesh::new("s", [("a", a), ("b", b)]);
            let target = DeviceMesh::new("t", [("c", c), ("d", d)]);
            let (from, to) = (layout(&source, &from), layout(&target, &to));
            let shape = Shape::from([rows, columns]);
            let ends = ((Some(&from), &source), (Some(&to), &target));
            let mut all = messages(&shape, ends.0, ends.1);
            all.retain(|message| message.to == 0 || message.onward.contains(&0));
            let mut first = messages_to_first(&shape, ends.0, ends.1);
            first.sort_by_key(|message| message.to);
            prop_assert_eq!(all, first);
        }

        #[test]
        fn every_element_is_received_once(
            rows in 1usize..7, columns in 1usize..7, a in 1u32..4, b in 1u32..4, c in 1u32..4,
            from in prop::sample::select(vec![vec![], vec![(0, 0)], vec![(1, 0)], vec![(0, 0), (1, 1)], vec![(1, 1)]]),
            to in prop::sample::select(vec![vec![], vec![(0, 0)], vec![(1, 0)], vec![(0, 1)]]),
            d in 1u32..4,
        ) {
            let source = DeviceMesh::new("s", [("a", a), ("b", b)]);
            let target = DeviceMesh::new("t", [("c", c), ("d", d)]);
            let (from, to) = (layout(&source, &from), layout(&target, &to));
            let shape = Shape::from([rows, columns]);
            let messages = messages(&shape, (Some(&from), &source), (Some(&to), &target));
            for receiver in 0..target.device_count() {
                let wanted = region(&shape, Some(&to), &target, receiver);
                let mut count = vec![0; rows * columns];
                for message in messages.iter().filter(|m| m.to == receiver || m.onward.contains(&receiver)) {
                    let held = region(&shape, Some(&from), &source, message.from);
                    let start = |d: usize| held[d].start + message.out_of[d];
                    prop_assert_eq!(start(0), wanted[0].start + message.into[0]);
                    prop_assert_eq!(start(1), wanted[1].start + message.into[1]);
                    for row in start(0)..start(0) + message.extent[0] {
                        for column in start(1)..start(1) + message.extent[1] {
                            count[row * columns + column] += 1;
                        }
                    }
                }
                for row in 0..rows {
                    for column in 0..columns {
                        let is_wanted = wanted[0].contains(&row) && wanted[1].contains(&column);
                        prop_assert_eq!(count[row * columns + column], usize::from(is_wanted));
                    }
                }
            }
        }
    }
}

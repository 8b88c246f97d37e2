//! Who sends what when a value goes from one mesh to another, where it may lie otherwise.
//!
//! Every device that gets the value asks for its piece. What it needs of each piece of the source is one message, and
//! of the devices that hold that piece alike the askers take turns, so that they share the work of sending. Where
//! several devices get the same piece, each of them asks for a share of it and passes that on to the others: what goes
//! between stages goes there once (scatter/gather, Narayanan et al. 2021, section 4.1).

use crate::dtype::Shape;
use crate::layout::{Layout, piece};
use crate::mesh::Mesh;
use smallvec::SmallVec;
use std::ops::Range;

/// A box of elements that one device sends another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Who sends, by rank in the mesh of the source.
    pub from: usize,
    /// Who gets it, by rank in the mesh of the target.
    pub to: usize,
    /// Where it begins in the piece of the sender.
    pub out_of: SmallVec<[usize; 4]>,
    /// Where it begins in the piece of the receiver.
    pub into: SmallVec<[usize; 4]>,
    /// How many elements it has in each dimension.
    pub extent: SmallVec<[usize; 4]>,
    /// To whom the receiver passes it on, who hold what he holds.
    pub onward: SmallVec<[usize; 4]>,
}

impl Message {
    /// How many elements it has.
    pub fn count(&self) -> u64 {
        self.extent.iter().map(|&n| n as u64).product()
    }
}

/// A box of elements of the whole value.
type Region = SmallVec<[Range<usize>; 4]>;

/// What a device holds of a value of that shape.
fn region(shape: &Shape, layout: Option<&Layout>, mesh: &Mesh, rank: usize) -> Region {
    let coords = mesh.coords(rank);
    let dims = shape.iter().enumerate().map(|(dim, &size)| {
        let axes = layout.map_or(&[][..], |layout| &layout.dims[dim].axes);
        let piece = piece(size, axes, mesh, &coords);
        piece.start..piece.start + piece.len
    });
    dims.collect()
}

/// The messages that bring a value of that shape from one mesh to another, in the order of receivers. Every element of
/// every receiver's piece is in exactly one of them.
pub fn messages(shape: &Shape, from: (Option<&Layout>, &Mesh), to: (Option<&Layout>, &Mesh)) -> Vec<Message> {
    let pieces = pieces(shape, from);
    let mut turns = vec![0; pieces.len()];
    let mut messages = Vec::new();
    for (wanted, receivers) in self::pieces(shape, to) {
        for ((held, holders), turn) in pieces.iter().zip(&mut turns) {
            let common: Region =
                held.iter().zip(&wanted).map(|(a, b)| a.start.max(b.start)..a.end.min(b.end)).collect();
            for (&receiver, share) in receivers.iter().zip(shares(&common, receivers.len())) {
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
    messages.sort_by_key(|message| message.to);
    messages
}

/// The pieces of a value on a mesh, each with those who hold it.
fn pieces(shape: &Shape, (layout, mesh): (Option<&Layout>, &Mesh)) -> Vec<(Region, Vec<usize>)> {
    let mut pieces: Vec<(Region, Vec<usize>)> = Vec::new();
    for rank in 0..mesh.device_count() {
        let held = region(shape, layout, mesh, rank);
        match pieces.iter_mut().find(|(piece, _)| *piece == held) {
            Some((_, holders)) => holders.push(rank),
            None => pieces.push((held, vec![rank])),
        }
    }
    pieces
}

/// A region in so many parts, cut along the first of its longest dimensions. Of a single element the first part is all.
fn shares(region: &Region, count: usize) -> impl Iterator<Item = Region> + '_ {
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
            // A scalar has no dimension to cut.
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

    /// A layout that splits dimension `dim` by axis `axis`, for each pair.
    fn layout(mesh: &Mesh, splits: &[(usize, usize)]) -> Layout {
        let mut layout = Layout::replicated(MeshId(0), 2);
        for &(dim, axis) in splits {
            let axes = [AxisRef::whole(mesh, AxisId::from_index(axis))].into_iter().collect();
            layout.dims[dim] = DimLayout { axes, ..DimLayout::default() };
        }
        layout
    }

    /// From, to, and the elements of each message.
    fn sends(messages: &[Message]) -> Vec<(usize, usize, u64)> {
        messages.iter().map(|m| (m.from, m.to, m.count())).collect()
    }

    #[test]
    fn equal_layouts_send_each_piece_once() {
        let mesh = Mesh::new("m", [("data", 2), ("model", 2)]);
        let split = layout(&mesh, &[(0, 0)]);
        let messages = messages(&Shape::from([4, 6]), (Some(&split), &mesh), (Some(&split), &mesh));
        assert_eq!(sends(&messages), [(0, 0, 6), (1, 1, 6), (2, 2, 6), (3, 3, 6)]);
    }

    #[test]
    fn other_layouts_send_what_they_have_in_common() {
        let (two, three) = (Mesh::new("a", [("data", 2)]), Mesh::new("b", [("model", 3)]));
        let (rows, columns) = (layout(&two, &[(0, 0)]), layout(&three, &[(1, 0)]));
        let messages = messages(&Shape::from([4, 5]), (Some(&rows), &two), (Some(&columns), &three));
        // Columns of 5 over 3 devices: 2, 2, 1.
        let expected = [(0, 0, 4), (1, 0, 4), (0, 1, 4), (1, 1, 4), (0, 2, 2), (1, 2, 2)];
        assert_eq!(sends(&messages), expected);
    }

    #[test]
    fn what_several_get_goes_there_once() {
        let (one, three) = (Mesh::new("a", [("data", 1)]), Mesh::new("b", [("model", 3)]));
        let whole = layout(&three, &[]);
        let all = messages(&Shape::from([7, 2]), (None, &one), (Some(&whole), &three));
        assert_eq!(sends(&all), [(0, 0, 6), (0, 1, 6), (0, 2, 2)]);
        assert!(all.iter().all(|message| message.onward.len() == 2 && !message.onward.contains(&message.to)));
        let scalar = messages(&Shape::from([]), (None, &one), (None, &three));
        assert_eq!(sends(&scalar), [(0, 0, 1)]);
        assert_eq!(scalar[0].onward[..], [1, 2]);
    }

    proptest! {
        #[test]
        fn every_element_comes_once(
            rows in 1usize..7, columns in 1usize..7, a in 1u32..4, b in 1u32..4, c in 1u32..4,
            from in prop::sample::select(vec![vec![], vec![(0, 0)], vec![(1, 0)], vec![(0, 0), (1, 1)], vec![(1, 1)]]),
            to in prop::sample::select(vec![vec![], vec![(0, 0)], vec![(1, 0)], vec![(0, 1)]]),
            d in 1u32..4,
        ) {
            let (source, target) = (Mesh::new("s", [("a", a), ("b", b)]), Mesh::new("t", [("c", c), ("d", d)]));
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

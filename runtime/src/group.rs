//! Groups: which devices meet in a collective, and who holds which piece.
//!
//! A collective over axes is run by many groups at once. The devices of a group differ in their positions along those
//! axes only, and stand in it in the row-major order of these positions.

use partita_ir::layout::{Piece, piece};
use partita_ir::mesh::{Axes, AxisRef, Mesh, position};
use std::sync::Arc;

/// One device's view of the group in which it takes part.
#[derive(Clone, Debug)]
pub struct Group {
    mesh: Arc<Mesh>,
    axes: Axes,
    members: Arc<[usize]>,
    position: usize,
    channel: u32,
}

impl Group {
    /// The group of those who send and those who get something: the view of the member at that position. Meetings on
    /// different channels are kept apart, also of the same members.
    pub fn on_channel(mesh: &Arc<Mesh>, members: Arc<[usize]>, position: usize, channel: u32) -> Group {
        Group { mesh: mesh.clone(), axes: Axes::new(), members, position, channel }
    }

    /// The same group where ranks are counted from another number on.
    pub fn shifted(&self, by: usize) -> Group {
        Group { members: self.members.iter().map(|rank| rank + by).collect(), ..self.clone() }
    }

    /// What tells its meetings from those of the same members about something else.
    pub(crate) fn channel(&self) -> u32 {
        self.channel
    }

    /// For every device of the mesh, by rank, its group along `axes`.
    pub fn all(mesh: &Arc<Mesh>, axes: &[AxisRef]) -> Vec<Group> {
        let count = mesh.device_count();
        // Devices of one group have the same coordinates once their positions along the axes are set to zero.
        let mut members: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
        let mut homes = Vec::with_capacity(count);
        for rank in 0..count {
            let coords = mesh.coords(rank);
            let mut first = coords.clone();
            for a in axes {
                let post = mesh.size(a.axis) / (a.pre * a.size);
                first[a.axis.0 as usize] -= a.index_of(mesh, &coords) * post;
            }
            let (home, at) = (mesh.rank(&first), position(axes, mesh, &coords));
            members[home].push((at, rank));
            homes.push((home, at));
        }
        let members: Vec<Arc<[usize]>> = members
            .into_iter()
            .map(|mut group| {
                group.sort_unstable();
                group.into_iter().map(|(_, rank)| rank).collect()
            })
            .collect();
        let view = |(home, position): (usize, usize)| Group {
            mesh: mesh.clone(),
            axes: axes.iter().copied().collect(),
            members: members[home].clone(),
            position,
            channel: 0,
        };
        homes.into_iter().map(view).collect()
    }

    /// The ranks of the group, in its order.
    pub fn members(&self) -> &Arc<[usize]> {
        &self.members
    }

    /// This device's place among the members.
    pub fn position(&self) -> usize {
        self.position
    }

    /// How many devices take part.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether nobody takes part; there is no such group.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The piece that the member at `position` holds of a dimension of `size` that the axes split.
    pub fn piece(&self, size: usize, position: usize) -> Piece {
        piece(size, &self.axes, &self.mesh, &self.mesh.coords(self.members[position]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita_ir::arena::AxisId;

    fn members(mesh: &Arc<Mesh>, axes: &[AxisRef], rank: usize) -> (Vec<usize>, usize) {
        let group = Group::all(mesh, axes).swap_remove(rank);
        (group.members.to_vec(), group.position)
    }

    #[test]
    fn a_group_differs_along_its_axes_only() {
        let mesh = Arc::new(Mesh::new("m", [("data", 2), ("model", 4)]));
        let data = AxisRef::whole(&mesh, AxisId(0));
        let model = AxisRef::whole(&mesh, AxisId(1));
        assert_eq!(members(&mesh, &[model], 6), (vec![4, 5, 6, 7], 2));
        assert_eq!(members(&mesh, &[data], 6), (vec![2, 6], 1));
        // The order of the axes is the order of the group.
        assert_eq!(members(&mesh, &[model, data], 6), (vec![0, 4, 1, 5, 2, 6, 3, 7], 5));
    }

    #[test]
    fn a_sub_axis_has_groups_of_its_own() {
        let mesh = Arc::new(Mesh::new("m", [("x", 8)]));
        let (major, minor) = AxisRef::whole(&mesh, AxisId(0)).split(2).unwrap();
        assert_eq!(members(&mesh, &[major], 6), (vec![2, 6], 1));
        assert_eq!(members(&mesh, &[minor], 6), (vec![4, 5, 6, 7], 2));
        let (_, last) = minor.split(2).unwrap();
        assert_eq!(members(&mesh, &[last], 6), (vec![6, 7], 0));
    }

    #[test]
    fn no_axes_means_alone() {
        let mesh = Arc::new(Mesh::new("m", [("x", 3)]));
        assert_eq!(members(&mesh, &[], 2), (vec![2], 0));
    }
}

//! Groups of devices that participate in a collective, and their shards.
//!
//! A collective over mesh axes is executed by many groups concurrently. Devices of a group differ only in their
//! positions along those axes, and are ordered by these positions in row-major order.

use partita_ir::layout::{DimShard, dim_shard};
use partita_ir::mesh::{Axes, AxisRef, DeviceMesh, group_rank};
use std::sync::Arc;

/// Group of a collective, as seen by one of its members.
#[derive(Clone, Debug)]
pub struct Group {
    mesh: Arc<DeviceMesh>,
    axes: Axes,
    members: Arc<[usize]>,
    position: usize,
    channel: u32,
}

impl Group {
    /// Returns the group of the senders and receivers of a transfer, as seen by the member at `position`. Communication
    /// on different channels is independent even among the same members.
    pub fn on_channel(mesh: &Arc<DeviceMesh>, members: Arc<[usize]>, position: usize, channel: u32) -> Group {
        Group { mesh: mesh.clone(), axes: Axes::new(), members, position, channel }
    }

    /// Returns the group with all ranks shifted by `by`.
    pub fn with_rank_offset(&self, by: usize) -> Group {
        Group { members: self.members.iter().map(|rank| rank + by).collect(), ..self.clone() }
    }

    /// Returns the channel, which distinguishes independent communication among the same members.
    pub(crate) fn channel(&self) -> u32 {
        self.channel
    }

    /// Returns for every device of the mesh, by rank, its group along `axes`.
    pub fn along_axes(mesh: &Arc<DeviceMesh>, axes: &[AxisRef]) -> Vec<Group> {
        let count = mesh.device_count();
        // Devices of one group have equal coordinates after their positions along the axes are set to zero.
        let mut members: Vec<Vec<(usize, usize)>> = vec![Vec::new(); count];
        let mut group_keys = Vec::with_capacity(count);
        for rank in 0..count {
            let coords = mesh.coords(rank);
            let mut first = coords.clone();
            for a in axes {
                let post = mesh.size(a.axis) / (a.pre * a.size);
                first[a.axis.0 as usize] -= a.index_of(mesh, &coords) * post;
            }
            let (key, at) = (mesh.rank(&first), group_rank(axes, mesh, &coords));
            members[key].push((at, rank));
            group_keys.push((key, at));
        }
        let members: Vec<Arc<[usize]>> = members
            .into_iter()
            .map(|mut group| {
                group.sort_unstable();
                group.into_iter().map(|(_, rank)| rank).collect()
            })
            .collect();
        let view = |(key, position): (usize, usize)| Group {
            mesh: mesh.clone(),
            axes: axes.iter().copied().collect(),
            members: members[key].clone(),
            position,
            channel: 0,
        };
        group_keys.into_iter().map(view).collect()
    }

    /// Returns the ranks of the group, in group order.
    pub fn members(&self) -> &Arc<[usize]> {
        &self.members
    }

    /// Returns the position of this device in the group.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Returns the number of devices in the group.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns true if the group has no members, which never occurs.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Returns the shard of the member at `position` for a dimension of `size` elements that is sharded along the axes.
    pub fn shard(&self, size: usize, position: usize) -> DimShard {
        dim_shard(size, &self.axes, &self.mesh, &self.mesh.coords(self.members[position]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita_ir::arena::AxisId;

    fn members(mesh: &Arc<DeviceMesh>, axes: &[AxisRef], rank: usize) -> (Vec<usize>, usize) {
        let group = Group::along_axes(mesh, axes).swap_remove(rank);
        (group.members.to_vec(), group.position)
    }

    #[test]
    fn members_differ_only_along_the_axes() {
        let mesh = Arc::new(DeviceMesh::new("m", [("data", 2), ("model", 4)]));
        let data = AxisRef::full(&mesh, AxisId(0));
        let model = AxisRef::full(&mesh, AxisId(1));
        assert_eq!(members(&mesh, &[model], 6), (vec![4, 5, 6, 7], 2));
        assert_eq!(members(&mesh, &[data], 6), (vec![2, 6], 1));
        // The order of the axes determines the order of the group.
        assert_eq!(members(&mesh, &[model, data], 6), (vec![0, 4, 1, 5, 2, 6, 3, 7], 5));
    }

    #[test]
    fn sub_axes_have_separate_groups() {
        let mesh = Arc::new(DeviceMesh::new("m", [("x", 8)]));
        let (major, minor) = AxisRef::full(&mesh, AxisId(0)).split(2).unwrap();
        assert_eq!(members(&mesh, &[major], 6), (vec![2, 6], 1));
        assert_eq!(members(&mesh, &[minor], 6), (vec![4, 5, 6, 7], 2));
        let (_, last) = minor.split(2).unwrap();
        assert_eq!(members(&mesh, &[last], 6), (vec![6, 7], 0));
    }

    #[test]
    fn no_axes_gives_single_member_groups() {
        let mesh = Arc::new(DeviceMesh::new("m", [("x", 3)]));
        assert_eq!(members(&mesh, &[], 2), (vec![2], 0));
    }
}

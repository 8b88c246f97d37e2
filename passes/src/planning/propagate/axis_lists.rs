//! Interned lists of mesh axes. A program has few distinct ones, so comparing and copying their ids is cheap.

use partita_ir::arena::Id;
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::rule::push_merged;
use rustc_hash::FxHashMap;

/// Identifier of a list of mesh axes in [`AxisLists`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ListId(u32);

impl ListId {
    /// The empty list.
    pub const EMPTY: ListId = ListId(0);
}

/// Interner of lists of mesh axes. Adjacent sub-axes of one axis are merged, so that equal shardings have the same id.
pub struct AxisLists {
    lists: Vec<InternedList>,
    ids: FxHashMap<Axes, ListId>,
}

struct InternedList {
    axes: Axes,
    mask: u32,
}

/// Returns the mesh axes of a list as a bit mask. A mesh has at most 32 axes ([`partita_ir::mesh::MAX_AXES`]).
fn mask_of(axes: &[AxisRef]) -> u32 {
    axes.iter().fold(0, |mask, a| mask | 1 << (a.axis.index() & 31))
}

/// Returns the major part of an axis that overlaps none of the axes in use, or `None` if there is no such part.
pub fn free_part(axis: AxisRef, used: impl IntoIterator<Item = AxisRef>) -> Option<AxisRef> {
    used.into_iter().filter(|other| other.overlaps(axis)).try_fold(axis, |free, other| {
        let size = other.pre / free.pre.max(1);
        let begins_inside = size > 1 && other.pre.is_multiple_of(free.pre);
        begins_inside.then(|| if size >= free.size { Some(free) } else { Some(free.split(size)?.0) })?
    })
}

impl Default for AxisLists {
    fn default() -> AxisLists {
        let empty = InternedList { axes: Axes::new(), mask: 0 };
        AxisLists { lists: vec![empty], ids: FxHashMap::from_iter([(Axes::new(), ListId::EMPTY)]) }
    }
}

impl AxisLists {
    /// Returns the id of a list, and interns the list if it is new.
    pub fn id(&mut self, axes: &[AxisRef]) -> ListId {
        if axes.is_empty() {
            return ListId::EMPTY;
        }
        let mut merged = Axes::new();
        axes.iter().for_each(|&a| push_merged(&mut merged, a));
        if let Some(&id) = self.ids.get(&merged) {
            return id;
        }
        let id = ListId(self.lists.len() as u32);
        self.lists.push(InternedList { mask: mask_of(&merged), axes: merged.clone() });
        self.ids.insert(merged, id);
        id
    }

    /// Returns the axes of a list, major to minor.
    pub fn axes(&self, id: ListId) -> &[AxisRef] {
        &self.lists[id.0 as usize].axes
    }

    /// Returns the mesh axes of a list as a bit mask.
    pub fn mask(&self, id: ListId) -> u32 {
        self.lists[id.0 as usize].mask
    }

    /// Returns the remainder of `long` after its prefix `short`; `None` if `short` is not a prefix. The last axis of
    /// the prefix may be the major part of an axis of `long`.
    pub fn remainder_after(&self, long: ListId, short: ListId) -> Option<Axes> {
        if long == short {
            return Some(Axes::new());
        }
        let (long, short) = (self.axes(long), self.axes(short));
        let mut rest: Axes = Axes::new();
        let last = short.len().checked_sub(1);
        for (i, &axis) in long.iter().enumerate() {
            match short.get(i) {
                None => rest.push(axis),
                Some(&s) if s == axis => {}
                // The last axis of `short` may be a major sub-axis of the corresponding axis of `long`.
                Some(&s) if Some(i) == last && s.axis == axis.axis && s.pre == axis.pre && s.size < axis.size => {
                    rest.push(axis.split(s.size)?.1);
                }
                Some(_) => return None,
            }
        }
        (long.len() >= short.len()).then_some(rest)
    }

    /// Returns the longest common prefix, which may end in a sub-axis.
    pub fn common_prefix(&mut self, a: ListId, b: ListId) -> ListId {
        let mut shared = Axes::new();
        for (&x, &y) in self.axes(a).iter().zip(self.axes(b)) {
            if x != y {
                let (small, large) = if x.size < y.size { (x, y) } else { (y, x) };
                if x.axis == y.axis && x.pre == y.pre && large.size.is_multiple_of(small.size) {
                    shared.push(small);
                }
                break;
            }
            shared.push(x);
        }
        self.id(&shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use partita_ir::arena::AxisId;

    const fn axis(axis: u32, pre: u32, size: u32) -> AxisRef {
        AxisRef { axis: AxisId(axis), pre, size }
    }

    #[test]
    fn major_parts_of_axes_in_use_are_free() {
        let x = axis(0, 1, 16);
        assert_eq!(free_part(x, []), Some(x));
        assert_eq!(free_part(x, [axis(1, 1, 2)]), Some(x));
        assert_eq!(free_part(x, [axis(0, 4, 2)]), Some(axis(0, 1, 4)));
        assert_eq!(free_part(x, [axis(0, 4, 2), axis(0, 2, 2)]), Some(axis(0, 1, 2)));
        assert_eq!(free_part(x, [axis(0, 1, 2)]), None);
    }

    #[test]
    fn prefixes_may_end_in_a_sub_axis() {
        let mut lists = AxisLists::default();
        let (x, y) = (axis(0, 1, 8), axis(1, 1, 2));
        let (major, minor) = x.split(2).unwrap();
        let (xy, x_major, y_only) = (lists.id(&[x, y]), lists.id(&[major]), lists.id(&[y]));
        assert_eq!(lists.remainder_after(xy, x_major).unwrap()[..], [minor, y]);
        assert_eq!(lists.remainder_after(x_major, xy), None);
        assert_eq!(lists.remainder_after(xy, y_only), None);
        assert_eq!(lists.remainder_after(xy, ListId::EMPTY).unwrap()[..], [x, y]);
        assert_eq!(lists.id(&[major, minor, y]), xy, "adjacent sub-axes are merged");
        assert_eq!(lists.common_prefix(xy, x_major), x_major);
        assert_eq!(lists.common_prefix(xy, y_only), ListId::EMPTY);
        let (x2y, x1) = (lists.id(&[major, y]), lists.id(&[x]));
        assert_eq!(lists.common_prefix(x2y, x1), x_major);
    }
}

//! Lists of axes as numbers: a program has few different ones, so that comparing and copying them is free.

use partita_ir::arena::Id;
use partita_ir::mesh::{Axes, AxisRef};
use partita_ir::rule::push_joined;
use rustc_hash::FxHashMap;

/// A list of axes in [`Lists`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ListId(u32);

impl ListId {
    /// No axes.
    pub const EMPTY: ListId = ListId(0);
}

/// Every list of axes that was met, each once, with sub-axes that are neighbours joined.
pub struct Lists {
    all: Vec<Entry>,
    ids: FxHashMap<Axes, ListId>,
}

struct Entry {
    axes: Axes,
    mask: u32,
}

/// The axes of the mesh that a list uses, as a bit mask (a mesh has at most 32).
fn mask_of(axes: &[AxisRef]) -> u32 {
    axes.iter().fold(0, |mask, a| mask | 1 << (a.axis.index() & 31))
}

impl Default for Lists {
    fn default() -> Lists {
        let empty = Entry { axes: Axes::new(), mask: 0 };
        Lists { all: vec![empty], ids: FxHashMap::from_iter([(Axes::new(), ListId::EMPTY)]) }
    }
}

impl Lists {
    /// The number of a list.
    pub fn id(&mut self, axes: &[AxisRef]) -> ListId {
        if axes.is_empty() {
            return ListId::EMPTY;
        }
        let mut joined = Axes::new();
        axes.iter().for_each(|&a| push_joined(&mut joined, a));
        if let Some(&id) = self.ids.get(&joined) {
            return id;
        }
        let id = ListId(self.all.len() as u32);
        self.all.push(Entry { mask: mask_of(&joined), axes: joined.clone() });
        self.ids.insert(joined, id);
        id
    }

    /// The list, major to minor.
    pub fn axes(&self, id: ListId) -> &[AxisRef] {
        &self.all[id.0 as usize].axes
    }

    /// The axes of the mesh that it uses, as a bit mask.
    pub fn mask(&self, id: ListId) -> u32 {
        self.all[id.0 as usize].mask
    }

    /// What `long` has behind `short`; `None` when it does not begin with it.
    pub fn behind(&self, long: ListId, short: ListId) -> Option<Axes> {
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
                // The last axis of the short list may be a major factor of the long one's.
                Some(&s) if Some(i) == last && s.axis == axis.axis && s.pre == axis.pre && s.size < axis.size => {
                    rest.push(axis.split(s.size)?.1);
                }
                Some(_) => return None,
            }
        }
        (long.len() >= short.len()).then_some(rest)
    }

    /// The longest list that both begin with.
    pub fn common(&mut self, a: ListId, b: ListId) -> ListId {
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
    fn lists_begin_with_parts_of_axes() {
        let mut lists = Lists::default();
        let (x, y) = (axis(0, 1, 8), axis(1, 1, 2));
        let (major, minor) = x.split(2).unwrap();
        let (xy, part, y_only) = (lists.id(&[x, y]), lists.id(&[major]), lists.id(&[y]));
        assert_eq!(lists.behind(xy, part).unwrap()[..], [minor, y]);
        assert_eq!(lists.behind(part, xy), None);
        assert_eq!(lists.behind(xy, y_only), None);
        assert_eq!(lists.behind(xy, ListId::EMPTY).unwrap()[..], [x, y]);
        assert_eq!(lists.id(&[major, minor, y]), xy, "neighbouring parts are joined");
        assert_eq!(lists.common(xy, part), part);
        assert_eq!(lists.common(xy, y_only), ListId::EMPTY);
        let (x2y, x1) = (lists.id(&[major, y]), lists.id(&[x]));
        assert_eq!(lists.common(x2y, x1), part);
    }
}

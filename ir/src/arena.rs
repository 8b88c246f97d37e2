//! Typed arenas: entries are stored in a vector and identified by a `u32` newtype.
//!
//! An id is valid only in the arena that created it. Entries are never removed from an arena: a pass that deletes
//! operations removes them from the function body, and [`crate::program::Program::compact`] renumbers the rest.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into one [`Arena`].
pub trait Id: Copy + Eq + Ord {
    /// Returns the id of the entry at `index`.
    fn from_index(index: usize) -> Self;
    /// Returns the position in the arena.
    fn index(self) -> usize;
}

/// Declares `u32` newtypes that implement [`Id`].
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl Id for $name {
            #[inline]
            fn from_index(index: usize) -> Self {
                assert!(index <= u32::MAX as usize, "arena is full");
                $name(index as u32)
            }
            #[inline]
            fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Id of a [`crate::program::Value`].
    ValueId;
    /// Id of a [`crate::program::Op`].
    OpId;
    /// Id of a [`crate::program::Func`].
    FuncId;
    /// Id of a [`crate::program::Param`].
    ParamId;
    /// Id of a [`crate::mesh::DeviceMesh`].
    MeshId;
    /// Id of a mesh axis: the position in [`crate::mesh::DeviceMesh::axes`].
    AxisId;
}

/// An append-only vector of `T`, indexed by `I`.
#[derive(Clone, PartialEq, Debug)]
pub struct Arena<I, T> {
    items: Vec<T>,
    ids: PhantomData<I>,
}

impl<I, T> Default for Arena<I, T> {
    fn default() -> Self {
        Arena { items: Vec::new(), ids: PhantomData }
    }
}

impl<I: Id, T> Arena<I, T> {
    /// Appends `item` and returns its id.
    pub fn push(&mut self, item: T) -> I {
        let id = I::from_index(self.items.len());
        self.items.push(item);
        id
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns true if the arena has no entries.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Reserves capacity for `more` additional entries.
    pub fn reserve(&mut self, more: usize) {
        self.items.reserve(more);
    }

    /// Returns the entry, or `None` if the id is out of range.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// Returns all ids, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// Returns all entries with their ids, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, t)| (I::from_index(i), t))
    }

    /// Returns all entries, in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// Returns all entries as mutable references, in order.
    pub fn values_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }
}

impl<I: Id, T> Index<I> for Arena<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.index()]
    }
}

impl<I: Id, T> IndexMut<I> for Arena<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.index()]
    }
}

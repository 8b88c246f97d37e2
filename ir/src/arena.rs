//! Typed arenas: things are stored in a vector and named by a `u32` newtype.
//!
//! An id is only meaningful in the arena that made it. Nothing is ever removed from an arena; passes that drop
//! operations drop them from a function's body, and [`crate::program::Program::compact`] renumbers.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// An index into one [`Arena`].
pub trait Id: Copy + Eq + Ord {
    /// The id of the `index`-th entry.
    fn from_index(index: usize) -> Self;
    /// Position in the arena.
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
                debug_assert!(index <= u32::MAX as usize, "arena is full");
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
    /// A [`crate::program::Value`].
    ValueId;
    /// A [`crate::program::Op`].
    OpId;
    /// A [`crate::program::Func`].
    FuncId;
    /// A [`crate::program::Param`].
    ParamId;
    /// A [`crate::mesh::Mesh`].
    MeshId;
    /// An axis of a mesh, by its position in [`crate::mesh::Mesh::axes`].
    AxisId;
}

/// A growing vector of `T`, indexed by `I` alone.
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

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether nothing was pushed yet.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Makes room for `more` entries.
    pub fn reserve(&mut self, more: usize) {
        self.items.reserve(more);
    }

    /// The entry, or `None` when the id comes from somewhere else.
    pub fn get(&self, id: I) -> Option<&T> {
        self.items.get(id.index())
    }

    /// Every id, in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::from_index)
    }

    /// Every entry with its id, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(i, t)| (I::from_index(i), t))
    }

    /// Every entry, in order.
    pub fn values(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// Every entry, mutable, in order.
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

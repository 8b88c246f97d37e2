//! Strided copies, used by `broadcast`, `transpose`, `slice`, `pad` and similar ops.

use crate::dtype::Shape;
use crate::numeric::kernel::on_storage;
use crate::tensor::Data;
use smallvec::SmallVec;

/// A strided view of a buffer: element `i` is at `offset + sum(i[d] * strides[d])`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct View {
    /// Shape of the view.
    pub shape: Shape,
    /// Distance between neighbours in each dimension, in elements; 0 repeats an element, negative strides reverse the
    /// order.
    pub strides: SmallVec<[isize; 4]>,
    /// Position of the first element in the buffer.
    pub offset: isize,
}

impl View {
    /// Returns the view of a contiguous tensor in row-major order.
    pub(crate) fn row_major(shape: &Shape) -> View {
        let strides = shape.strides().iter().map(|&s| s as isize).collect();
        View { shape: shape.clone(), strides, offset: 0 }
    }

    /// Returns the subview of the given shape that starts at index `start`.
    pub(crate) fn subview(mut self, start: &[usize], shape: &Shape) -> View {
        self.offset += start.iter().zip(&self.strides).map(|(&i, s)| i as isize * s).sum::<isize>();
        self.shape = shape.clone();
        self
    }

    /// Returns the view with permuted dimensions: dimension `d` of the result is dimension `dims[d]`.
    pub(crate) fn permuted(&self, dims: &[usize]) -> View {
        let shape = dims.iter().map(|&d| self.shape[d]).collect();
        let strides = dims.iter().map(|&d| self.strides[d]).collect();
        View { shape, strides, offset: self.offset }
    }

    /// Returns the sizes and strides after merging adjacent dimensions where the strides allow it and dropping
    /// dimensions of size 1.
    fn merged_dims(&self) -> (SmallVec<[usize; 4]>, SmallVec<[isize; 4]>) {
        let (mut sizes, mut strides) = (SmallVec::<[usize; 4]>::new(), SmallVec::<[isize; 4]>::new());
        for (&n, &stride) in self.shape.iter().zip(&self.strides).filter(|&(&n, _)| n != 1) {
            match (sizes.last_mut(), strides.last_mut()) {
                (Some(size), Some(last)) if *last == stride * n as isize => {
                    *size *= n;
                    *last = stride;
                }
                _ => {
                    sizes.push(n);
                    strides.push(stride);
                }
            }
        }
        (sizes, strides)
    }
}

/// Iterator over the start positions of the innermost rows of a view, in row-major order of the outer dimensions.
struct Rows<'a> {
    sizes: &'a [usize],
    strides: &'a [isize],
    index: SmallVec<[usize; 4]>,
    at: Option<isize>,
}

impl<'a> Rows<'a> {
    fn new(sizes: &'a [usize], strides: &'a [isize], offset: isize) -> Rows<'a> {
        let at = (!sizes.contains(&0)).then_some(offset);
        Rows { sizes, strides, index: SmallVec::from_elem(0, sizes.len()), at }
    }
}

impl Iterator for Rows<'_> {
    type Item = isize;
    fn next(&mut self) -> Option<isize> {
        let now = self.at?;
        let mut at = now;
        for d in (0..self.sizes.len()).rev() {
            self.index[d] += 1;
            at += self.strides[d];
            if self.index[d] < self.sizes[d] {
                self.at = Some(at);
                return Some(now);
            }
            at -= self.strides[d] * self.sizes[d] as isize;
            self.index[d] = 0;
        }
        self.at = None;
        Some(now)
    }
}

/// Returns the elements of a view of `src`, in row-major order.
pub(crate) fn read<T: Copy>(src: &[T], view: &View) -> Vec<T> {
    let count = view.shape.count();
    let mut out = Vec::with_capacity(count);
    if count == 0 {
        return out;
    }
    let (sizes, strides) = view.merged_dims();
    let (Some((&n, outer)), Some((&step, steps))) = (sizes.split_last(), strides.split_last()) else {
        out.push(src[view.offset as usize]);
        return out;
    };
    for at in Rows::new(outer, steps, view.offset) {
        match step {
            1 => out.extend_from_slice(&src[at as usize..at as usize + n]),
            0 => out.resize(out.len() + n, src[at as usize]),
            _ => out.extend((0..n as isize).map(|i| src[(at + i * step) as usize])),
        }
    }
    out
}

/// Copies `src`, in row-major order, to a view of `dst`.
pub(crate) fn write<T: Copy>(dst: &mut [T], view: &View, src: &[T]) {
    if view.shape.count() == 0 {
        return;
    }
    let (sizes, strides) = view.merged_dims();
    let (Some((&n, outer)), Some((&step, steps))) = (sizes.split_last(), strides.split_last()) else {
        dst[view.offset as usize] = src[0];
        return;
    };
    for (at, row) in Rows::new(outer, steps, view.offset).zip(src.chunks_exact(n)) {
        match step {
            1 => dst[at as usize..at as usize + n].copy_from_slice(row),
            _ => row.iter().enumerate().for_each(|(i, &x)| dst[(at + i as isize * step) as usize] = x),
        }
    }
}

/// Same as [`read`] for any storage type.
pub(crate) fn read_data(data: &Data, view: &View) -> Data {
    on_storage!(data, v => read(v, view))
}

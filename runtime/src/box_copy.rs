//! Copies of boxes of elements between tensors.

use partita_ir::dtype::Shape;
use partita_ir::tensor::{Data, Tensor};
use smallvec::SmallVec;
use std::convert::Infallible;

/// Index or extent in every dimension.
pub type Index = SmallVec<[usize; 4]>;

/// Copies a box of `extent` elements from index `from_at` of one tensor to index `to_at` of another tensor of the same
/// dtype. The box must be inside both.
pub(crate) fn copy_box(from: &Tensor, from_at: &[usize], to: &mut Tensor, to_at: &[usize], extent: &[usize]) {
    let rows = BoxRows::new(&from.ty.shape, from_at, &to.ty.shape, to_at, extent);
    match (&from.data, &mut to.data) {
        (Data::F64(a), Data::F64(b)) => rows.copy(a, b),
        (Data::F32(a), Data::F32(b)) => rows.copy(a, b),
        (Data::Int(a), Data::Int(b)) => rows.copy(a, b),
        // Tensors of one dtype have the same representation.
        _ => debug_assert!(false, "copies {} to {}", from.ty, to.ty),
    }
}

/// Copies a box of `extent` elements of `width` bytes each between buffers of two shapes, as [`copy_box`] does.
pub(crate) fn copy_box_bytes(
    (from, from_shape, from_at): (&[u8], &Shape, &[usize]),
    (to, to_shape, to_at): (&mut [u8], &Shape, &[usize]),
    extent: &[usize],
    width: usize,
) {
    // The bytes of an element are another dimension.
    let with = |dims: &[usize], last: usize| dims.iter().copied().chain([last]).collect::<Index>();
    let (from_shape, to_shape) = (Shape(with(from_shape, width)), Shape(with(to_shape, width)));
    let rows = BoxRows::new(&from_shape, &with(from_at, 0), &to_shape, &with(to_at, 0), &with(extent, width));
    rows.copy(from, to);
}

/// Calls `on_run` with the offset and the length, in elements, of each contiguous run of a box of `extent` elements at
/// index `at` of a buffer, in row-major order.
///
/// # Errors
/// The first error of `on_run`.
pub(crate) fn for_each_run<E>(
    shape: &Shape,
    at: &[usize],
    extent: &[usize],
    mut on_run: impl FnMut(usize, usize) -> Result<(), E>,
) -> Result<(), E> {
    let (own, origin) = (Shape(Index::from_slice(extent)), Index::from_elem(0, extent.len()));
    BoxRows::new(shape, at, &own, &origin, extent).for_each(|from, _, len| on_run(from, len))
}

/// Contiguous rows of a box in two buffers.
struct BoxRows {
    /// Elements of a row.
    len: usize,
    /// Extent of the dimensions that enumerate the rows, with the strides of both buffers.
    outer: SmallVec<[(usize, usize, usize); 4]>,
    from: usize,
    to: usize,
    count: usize,
}

impl BoxRows {
    fn new(from: &Shape, from_at: &[usize], to: &Shape, to_at: &[usize], extent: &[usize]) -> BoxRows {
        let (from_strides, to_strides) = (from.strides(), to.strides());
        let offset = |at: &[usize], strides: &[usize]| at.iter().zip(strides).map(|(i, s)| i * s).sum();
        let mut rows = BoxRows {
            len: 1,
            outer: SmallVec::new(),
            from: offset(from_at, &from_strides),
            to: offset(to_at, &to_strides),
            count: usize::from(!extent.contains(&0)),
        };
        // Trailing dimensions that the box covers completely in both buffers are merged into rows, together with the
        // next outer dimension.
        let covered = |d: &usize| extent[*d] == from[*d] && extent[*d] == to[*d];
        let covered_dims = (0..extent.len()).rev().take_while(covered).count();
        let inner = extent.len().saturating_sub(covered_dims + 1);
        rows.len = extent[inner..].iter().product();
        for d in 0..inner {
            rows.outer.push((extent[d], from_strides[d], to_strides[d]));
            rows.count *= extent[d];
        }
        rows
    }

    fn copy<T: Copy>(&self, from: &[T], to: &mut [T]) {
        let Ok(()) = self.for_each(|a, b, len| {
            to[b..b + len].copy_from_slice(&from[a..a + len]);
            Ok::<(), Infallible>(())
        });
    }

    /// Calls `on_row` with the offsets of each row in both buffers, and its length.
    fn for_each<E>(&self, mut on_row: impl FnMut(usize, usize, usize) -> Result<(), E>) -> Result<(), E> {
        let (mut a, mut b) = (self.from, self.to);
        let mut index: Index = SmallVec::from_elem(0, self.outer.len());
        for _ in 0..self.count {
            on_row(a, b, self.len)?;
            for (i, &(extent, from_stride, to_stride)) in index.iter_mut().zip(&self.outer).rev() {
                *i += 1;
                a += from_stride;
                b += to_stride;
                if *i < extent {
                    break;
                }
                a -= from_stride * extent;
                b -= to_stride * extent;
                *i = 0;
            }
        }
        Ok(())
    }
}

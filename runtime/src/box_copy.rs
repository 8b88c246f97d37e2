//! Copies of boxes of elements between tensors.

use partita_ir::dtype::Shape;
use partita_ir::tensor::{Data, Tensor};
use smallvec::SmallVec;

/// Index or extent in every dimension.
pub(crate) type Index = SmallVec<[usize; 4]>;

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
        let (mut a, mut b) = (self.from, self.to);
        let mut index: Index = SmallVec::from_elem(0, self.outer.len());
        for _ in 0..self.count {
            to[b..b + self.len].copy_from_slice(&from[a..a + self.len]);
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
    }
}

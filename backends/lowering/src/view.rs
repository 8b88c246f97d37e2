//! Strided views: the mapping from the elements of a value to the elements of the memory that stores them.

use smallvec::SmallVec;

/// A vector with one entry per dimension.
pub type Dims<T> = SmallVec<[T; 6]>;

/// A strided view: the element with index `(i_0, i_1, ...)` of the value is element `offset + sum(i_d * strides[d])` of
/// the memory. Strides and offset are in elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct View {
    /// Sizes of the dimensions.
    pub shape: Dims<usize>,
    /// Stride of each dimension.
    pub strides: Dims<isize>,
    /// Offset of element 0.
    pub offset: isize,
}

impl View {
    /// Returns the row-major view of a shape.
    pub fn dense(shape: &[usize]) -> View {
        View { shape: shape.into(), strides: dense_strides(shape), offset: 0 }
    }

    /// Returns a view that repeats one element.
    pub fn repeated(shape: &[usize]) -> View {
        View { shape: shape.into(), strides: Dims::from_elem(0, shape.len()), offset: 0 }
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns true if the view is row-major and contiguous, with any offset.
    pub fn is_dense(&self) -> bool {
        self.count() <= 1 || same_strides(&self.shape, &self.strides, &dense_strides(&self.shape))
    }

    /// Returns the view whose dimension `i` is dimension `order[i]` of this view.
    pub fn permuted(&self, order: &[usize]) -> View {
        View {
            shape: order.iter().map(|&d| self.shape[d]).collect(),
            strides: order.iter().map(|&d| self.strides[d]).collect(),
            offset: self.offset,
        }
    }

    /// Returns the view broadcast to `shape`: dimension `i` becomes dimension `dims[i]`, and dimensions of one element
    /// are repeated.
    pub fn broadcast(&self, dims: &[usize], shape: &[usize]) -> View {
        let mut strides = Dims::from_elem(0, shape.len());
        for (i, &d) in dims.iter().enumerate() {
            strides[d] = if self.shape[i] == 1 { 0 } else { self.strides[i] };
        }
        View { shape: shape.into(), strides, offset: self.offset }
    }

    /// Returns the view of `len` elements along dimension `d`: `start`, `start + step`, ...
    pub fn sliced(&self, d: usize, start: usize, len: usize, step: usize) -> View {
        let mut view = self.clone();
        view.offset += start as isize * self.strides[d];
        view.shape[d] = len;
        view.strides[d] *= step as isize;
        view
    }

    /// Returns the view with the elements along `dims` in reverse order.
    pub fn reversed(&self, dims: &[usize]) -> View {
        let mut view = self.clone();
        for &d in dims.iter().filter(|&&d| self.shape[d] > 0) {
            view.offset += (self.shape[d] - 1) as isize * self.strides[d];
            view.strides[d] = -view.strides[d];
        }
        view
    }

    /// Returns the view with another shape, or `None` if the result is not strided.
    pub fn reshaped(&self, shape: &[usize]) -> Option<View> {
        if self.count() == 0 {
            return Some(View { shape: shape.into(), ..View::dense(shape) });
        }
        let mut strides: Dims<isize> = Dims::from_elem(0, shape.len());
        // Runs of old and new dimensions with equal numbers of elements, from the innermost dimension outwards.
        let (mut old, mut new) = (self.shape.len(), shape.len());
        while old > 0 || new > 0 {
            let (old_end, new_end) = (old, new);
            let (mut a, mut b) = (1, 1);
            loop {
                if a == b && (a > 1 || (old == 0 && new == 0)) {
                    break;
                }
                if a <= b && old > 0 {
                    old -= 1;
                    a *= self.shape[old];
                } else if new > 0 {
                    new -= 1;
                    b *= shape[new];
                } else if old > 0 {
                    old -= 1;
                    a *= self.shape[old];
                } else {
                    break;
                }
            }
            // A single stride must address the old run.
            let run: Dims<usize> = (old..old_end).filter(|&d| self.shape[d] != 1).collect();
            let joins = run.windows(2).all(|w| self.strides[w[0]] == self.strides[w[1]] * self.shape[w[1]] as isize);
            if !joins {
                return None;
            }
            let mut stride = run.last().map_or(0, |&d| self.strides[d]);
            for d in (new..new_end).rev() {
                strides[d] = stride;
                stride *= shape[d] as isize;
            }
        }
        Some(View { shape: shape.into(), strides, offset: self.offset })
    }

    /// Returns the view over a shape that splits dimensions of this one. Neither shape has dimensions of size 1.
    pub fn refined(&self, shape: &[usize]) -> View {
        let mut strides: Dims<isize> = Dims::from_elem(0, shape.len());
        let mut new = shape.len();
        for old in (0..self.shape.len()).rev() {
            let (mut left, mut stride) = (self.shape[old], self.strides[old]);
            while left != 1 && new > 0 {
                new -= 1;
                strides[new] = stride;
                stride *= shape[new] as isize;
                left = left.checked_div(shape[new]).unwrap_or(1);
            }
        }
        View { shape: shape.into(), strides, offset: self.offset }
    }

    /// Returns true if both views have the same shape and select the same elements in the same order.
    pub fn selects_same(&self, other: &View) -> bool {
        self.offset == other.offset
            && self.shape == other.shape
            && same_strides(&self.shape, &self.strides, &other.strides)
    }
}

/// Returns the strides of row-major order.
pub fn dense_strides(shape: &[usize]) -> Dims<isize> {
    let mut strides = Dims::from_elem(1, shape.len());
    for d in (1..shape.len()).rev() {
        strides[d - 1] = strides[d] * shape[d] as isize;
    }
    strides
}

/// Returns true if the strides are equal along all dimensions with more than one element.
fn same_strides(shape: &[usize], a: &[isize], b: &[isize]) -> bool {
    shape.iter().zip(a.iter().zip(b)).all(|(&n, (x, y))| n == 1 || x == y)
}

/// Returns the coarsest shape that splits the dimensions of both shapes, or `None` if the dimension boundaries are
/// incompatible.
pub fn refinement(a: &[usize], b: &[usize]) -> Option<Dims<usize>> {
    let (mut i, mut j) = (a.len(), b.len());
    let (mut left, mut right) = (1, 1);
    let mut out: Dims<usize> = Dims::new();
    loop {
        while left == 1 && i > 0 {
            i -= 1;
            left = a[i];
        }
        while right == 1 && j > 0 {
            j -= 1;
            right = b[j];
        }
        if left == 1 && right == 1 {
            break;
        }
        if left == 0 || right == 0 {
            return None;
        }
        let (small, large) = (left.min(right), left.max(right));
        if small == 1 || !large.is_multiple_of(small) {
            return None;
        }
        out.push(small);
        (left, right) = (left / small, right / small);
    }
    out.reverse();
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_with_compatible_boundaries_have_a_common_refinement() {
        let of = |a: &[usize], b: &[usize]| refinement(a, b).map(|r| r.to_vec());
        assert_eq!(of(&[8, 6], &[4, 2, 6]), Some(vec![4, 2, 6]));
        assert_eq!(of(&[2, 1, 12], &[2, 3, 4, 1]), Some(vec![2, 3, 4]));
        assert_eq!(of(&[4, 6], &[6, 4]), None);
        assert_eq!(of(&[2, 12], &[8, 3]), Some(vec![2, 4, 3]));
        assert_eq!(of(&[], &[1]), Some(vec![]));
        assert_eq!(of(&[2], &[3]), None);
    }

    #[test]
    fn a_transposed_value_can_be_split_but_not_merged() {
        let view = View::dense(&[4, 6]).permuted(&[1, 0]);
        assert_eq!(view.reshaped(&[24]), None);
        let split = view.reshaped(&[2, 3, 4]).unwrap();
        assert_eq!(split.strides[..], [3, 1, 6]);
        assert!(view.refined(&[2, 3, 4]).selects_same(&split));
    }

    #[test]
    fn dimensions_of_one_element_are_ignored() {
        let view = View::dense(&[4, 1, 6]).reshaped(&[1, 24]).unwrap();
        assert!(view.is_dense());
        assert!(View::repeated(&[1, 1]).is_dense());
    }
}

//! Reshapes that join neighbouring dimensions or add and remove dimensions of size 1.

use partita_ir::dtype::Shape;
use partita_ir::syntax::attr::Dims;
use std::ops::Range;

/// Mapping from each dimension of the reshaped tensor to the range of dimensions of `from` that it joins. The range is
/// empty for an added dimension of size 1.
#[derive(Clone, PartialEq, Debug)]
pub struct JoiningReshape {
    /// Shape before the reshape.
    pub from: Shape,
    /// For each dimension after the reshape, the dimensions before.
    pub groups: Vec<Range<usize>>,
}

impl JoiningReshape {
    /// Returns the mapping if a reshape of `from` to `to` only joins dimensions. A dimension of size 1 that could
    /// belong to several groups is assigned to the first.
    pub fn new(from: &Shape, to: &Shape) -> Option<JoiningReshape> {
        let mut groups = Vec::with_capacity(to.rank());
        let mut next = 0;
        for &size in to.iter() {
            let start = next;
            if size == 1 {
                next += usize::from(from.get(next) == Some(&1));
            } else {
                let mut product = 1_usize;
                while product != size {
                    product = product.saturating_mul(*from.get(next)?);
                    next += 1;
                    if product > size {
                        return None;
                    }
                }
            }
            groups.push(start..next);
        }
        // Trailing dimensions of size 1 belong to the last group.
        let rest = &from[next..];
        if let Some(last) = groups.last_mut() {
            last.end = from.rank();
        }
        (rest.iter().all(|&n| n == 1) && (to.rank() > 0 || from.rank() == 0))
            .then(|| JoiningReshape { from: from.clone(), groups })
    }

    /// Returns the single source dimension of `dim`, ignoring dimensions of size 1. `None` if several are joined.
    pub fn source_dim(&self, dim: usize) -> Option<usize> {
        let group = self.groups.get(dim)?.clone();
        let mut wide = group.clone().filter(|&d| self.from[d] != 1);
        match (wide.next(), wide.next()) {
            (None, _) => group.clone().next(),
            (Some(d), None) => Some(d),
            (Some(_), Some(_)) => None,
        }
    }

    /// Returns [`JoiningReshape::source_dim`] of each dimension.
    pub fn source_dims(&self, dims: &Dims) -> Option<Dims> {
        dims.iter().map(|&d| self.source_dim(d)).collect()
    }

    /// Returns the shape in which only `dims` are joined. `None` if that is the source or the result of the reshape.
    pub fn join_only(&self, dims: &[usize]) -> Option<Shape> {
        let joined = |d: usize| dims.contains(&d) && self.source_dim(d).is_none();
        let others = (0..self.groups.len()).any(|d| !joined(d) && self.groups[d].len() != 1);
        let sizes = |d: usize| -> Vec<usize> {
            let group = self.groups[d].clone().map(|i| self.from[i]);
            if joined(d) { vec![group.product()] } else { group.collect() }
        };
        let shape: Shape = (0..self.groups.len()).flat_map(sizes).collect();
        (others && shape != self.from).then_some(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn join<const N: usize, const M: usize>(from: [usize; N], to: [usize; M]) -> Option<Vec<(usize, usize)>> {
        let join = JoiningReshape::new(&Shape::from(from), &Shape::from(to))?;
        Some(join.groups.iter().map(|g| (g.start, g.end)).collect())
    }

    #[test]
    fn adjacent_dims_are_joined() {
        assert_eq!(join([2, 3, 4], [6, 4]), Some(vec![(0, 2), (2, 3)]));
        assert_eq!(join([2, 3, 4], [24]), Some(vec![(0, 3)]));
        assert_eq!(join([2, 3, 4], [3, 8]), None);
        assert_eq!(join([6, 4], [2, 3, 4]), None);
        assert_eq!(join([0, 5], [0, 5]), Some(vec![(0, 1), (1, 2)]));
        assert_eq!(join([1 << 40, 1 << 40], [7]), None);
    }

    #[test]
    fn dims_of_size_one_are_added_and_removed() {
        assert_eq!(join([2, 4], [2, 4, 1]), Some(vec![(0, 1), (1, 2), (2, 2)]));
        assert_eq!(join([2, 4], [1, 2, 4]), Some(vec![(0, 0), (0, 1), (1, 2)]));
        assert_eq!(join([1, 2, 1, 4], [2, 4]), Some(vec![(0, 2), (2, 4)]));
        assert_eq!(join([2, 1], [2]), Some(vec![(0, 2)]));
        assert_eq!(join([1], []), None);
        assert_eq!(join([], [1]), Some(vec![(0, 0)]));
    }

    #[test]
    fn source_dim_ignores_dims_of_size_one() {
        let join = JoiningReshape::new(&Shape::from([1, 2, 1, 4, 5]), &Shape::from([2, 20, 1])).unwrap();
        assert_eq!(join.source_dim(0), Some(1));
        assert_eq!(join.source_dim(1), None);
        assert_eq!(join.source_dim(2), None);
        assert_eq!(join.join_only(&[1]), Some(Shape::from([1, 2, 20])));
    }
}

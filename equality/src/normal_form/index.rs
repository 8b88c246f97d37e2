//! Positions in tensors: sums of index variables with integer coefficients.

use super::expr::ExprId;
use smallvec::{SmallVec, smallvec};

/// Lowest number of a variable that a reduction binds. Lower numbers are dimensions of the tensor.
pub const FIRST_BOUND: u32 = 64;

/// Position along a dimension.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Index {
    /// Distinct variables in order, each with its coefficient, which is not zero.
    pub terms: SmallVec<[(IndexVar, i64); 2]>,
    /// Constant.
    pub constant: i64,
}

/// Integer that a position depends on.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum IndexVar {
    /// Variable from 0 to `size` (exclusive): a dimension of the tensor, or bound by a reduction.
    Var {
        /// Number of the dimension, or of the bound variable.
        id: u32,
        /// Number of positions.
        size: i64,
    },
    /// Quotient by a constant, rounded down.
    Div(Box<Index>, i64),
    /// Remainder of a division by a constant.
    Mod(Box<Index>, i64),
    /// Integer computed at run time, clamped to 0 and a maximum.
    Dynamic(ExprId, i64),
}

impl Index {
    /// Returns a constant position.
    pub fn constant(constant: i64) -> Index {
        Index { terms: SmallVec::new(), constant }
    }

    /// Returns a variable. A variable with one position is the constant 0.
    pub fn var(id: u32, size: usize) -> Index {
        if size == 1 { Index::constant(0) } else { Index::from(IndexVar::Var { id, size: size as i64 }) }
    }

    /// Returns the sum of two positions.
    pub fn add(&self, other: &Index) -> Index {
        let mut sum = self.clone();
        sum.constant += other.constant;
        for (var, coefficient) in &other.terms {
            match sum.terms.binary_search_by(|(known, _)| known.cmp(var)) {
                Ok(at) => {
                    sum.terms[at].1 += coefficient;
                    if sum.terms[at].1 == 0 {
                        sum.terms.remove(at);
                    }
                }
                Err(at) => sum.terms.insert(at, (var.clone(), *coefficient)),
            }
        }
        sum
    }

    /// Returns the product with a constant.
    pub fn scale(&self, by: i64) -> Index {
        if by == 0 {
            return Index::constant(0);
        }
        Index {
            terms: self.terms.iter().map(|(var, coefficient)| (var.clone(), coefficient * by)).collect(),
            constant: self.constant * by,
        }
    }

    /// Returns the smallest and the largest value.
    pub fn range(&self) -> (i64, i64) {
        self.terms.iter().fold((self.constant, self.constant), |(low, high), (var, coefficient)| {
            let (least, most) = var.range();
            let ends = (least * coefficient, most * coefficient);
            (low + ends.0.min(ends.1), high + ends.0.max(ends.1))
        })
    }

    /// Splits a position into a multiple of `divisor`, returned divided by it, and the rest.
    fn split(&self, divisor: i64) -> (Index, Index) {
        let (multiple, rest): (SmallVec<[_; 2]>, SmallVec<[_; 2]>) =
            self.terms.iter().cloned().partition(|(_, coefficient)| coefficient % divisor == 0);
        let multiple = multiple.into_iter().map(|(var, coefficient)| (var, coefficient / divisor)).collect();
        (
            Index { terms: multiple, constant: self.constant.div_euclid(divisor) },
            Index { terms: rest, constant: self.constant.rem_euclid(divisor) },
        )
    }

    /// Returns the quotient by a positive constant, rounded down.
    pub fn div(&self, divisor: i64) -> Index {
        let (quotient, rest) = self.split(divisor);
        let (low, high) = rest.range();
        if low >= 0 && high < divisor {
            return quotient;
        }
        if let Some((major, by)) = rest.major_part(divisor) {
            return quotient.add(&major.div(divisor / by));
        }
        match &rest.terms[..] {
            [(IndexVar::Div(inner, by), 1)] if rest.constant == 0 => quotient.add(&inner.div(by * divisor)),
            _ => quotient.add(&Index::from(IndexVar::Div(Box::new(rest), divisor))),
        }
    }

    /// Returns the remainder of a division by a positive constant.
    pub fn rem(&self, divisor: i64) -> Index {
        let (_, rest) = self.split(divisor);
        let (low, high) = rest.range();
        if low >= 0 && high < divisor {
            return rest;
        }
        if let Some((major, by)) = rest.major_part(divisor) {
            let (_, minor) = rest.split(by);
            return major.rem(divisor / by).scale(by).add(&minor);
        }
        Index::from(IndexVar::Mod(Box::new(rest), divisor))
    }

    /// Returns a divisor `g` of `divisor` and the quotient of the position by `g`, where the remainder is the rest of
    /// the terms.
    fn major_part(&self, divisor: i64) -> Option<(Index, i64)> {
        let mut divisors: SmallVec<[i64; 4]> =
            self.terms.iter().map(|(_, coefficient)| greatest_common_divisor(*coefficient, divisor)).collect();
        divisors.sort_unstable();
        divisors.into_iter().rev().filter(|&by| by > 1 && by < divisor).find_map(|by| {
            let (major, minor) = self.split(by);
            let (low, high) = minor.range();
            (low >= 0 && high < by).then_some((major, by))
        })
    }

    /// Calls a function on each variable, including those of quotients and remainders.
    pub fn visit(&self, see: &mut impl FnMut(&IndexVar)) {
        for (var, _) in &self.terms {
            see(var);
            match var {
                IndexVar::Div(inner, _) | IndexVar::Mod(inner, _) => inner.visit(see),
                IndexVar::Var { .. } | IndexVar::Dynamic(..) => {}
            }
        }
    }
}

impl From<IndexVar> for Index {
    fn from(var: IndexVar) -> Index {
        Index { terms: smallvec![(var, 1)], constant: 0 }
    }
}

impl IndexVar {
    fn range(&self) -> (i64, i64) {
        match self {
            IndexVar::Var { size, .. } => (0, size - 1),
            IndexVar::Div(inner, by) => {
                let (low, high) = inner.range();
                (low.div_euclid(*by), high.div_euclid(*by))
            }
            IndexVar::Mod(_, by) => (0, by - 1),
            IndexVar::Dynamic(_, most) => (0, *most),
        }
    }
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitting_a_joined_position_returns_its_parts() {
        let (i, j) = (Index::var(0, 4), Index::var(1, 6));
        let joined = i.scale(6).add(&j);
        assert_eq!((joined.div(6), joined.rem(6)), (i, j));
        let whole = Index::var(2, 24);
        assert_eq!(whole.div(6).scale(6).add(&whole.rem(6)).range(), (0, 23));
        assert_eq!(whole.div(6).div(2), whole.div(12));
        let (rows, columns) = (Index::var(3, 4), Index::var(4, 12));
        let flat = rows.scale(12).add(&columns);
        assert_eq!((flat.div(24), flat.rem(24)), (rows.div(2), rows.rem(2).scale(12).add(&columns)));
    }

    #[test]
    fn divisions_round_down() {
        let x = Index::var(0, 5).add(&Index::constant(-3));
        assert_eq!(x.div(2).range(), (-2, 0));
        assert_eq!(Index::constant(-3).rem(2), Index::constant(1));
    }
}

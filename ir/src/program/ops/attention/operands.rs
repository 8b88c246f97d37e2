//! Optional operands of attention and of its gradient.

use crate::dtype::{DType, Shape, Type};

/// Operands of an attention, or of its gradient, after the required ones. All are optional and have this order; their
/// element types tell them apart.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OptionalOperands<T> {
    /// Mask: `bool`, broadcasts to the scores `[batch.., s, t]`.
    pub mask: Option<T>,
    /// Log-sum-exp of the scores of each row: floats `[batch.., s]`. Only the gradient has this operand.
    pub log_sum_exp: Option<T>,
    /// Positions of the rows and of the columns: integers `[s]` and `[t]`.
    pub positions: Option<[T; 2]>,
}

impl<T: Copy> OptionalOperands<T> {
    /// Identifies operands by their element types. Returns the first operand that does not fit as an error.
    pub fn from_slice(operands: &[T], dtype: impl Fn(T) -> DType) -> Result<OptionalOperands<T>, T> {
        let mut rest = operands;
        let mut take = |is_wanted: fn(DType) -> bool| {
            let (&first, others) = rest.split_first().filter(|(first, _)| is_wanted(dtype(**first)))?;
            rest = others;
            Some(first)
        };
        let mask = take(|dtype| dtype == DType::Bool);
        let log_sum_exp = take(DType::is_float);
        let (rows, columns) = (take(DType::is_int), take(DType::is_int));
        match (rest.first().copied(), rows, columns) {
            (Some(unknown), ..) | (None, Some(unknown), None) => Err(unknown),
            (None, rows, columns) => {
                Ok(OptionalOperands { mask, log_sum_exp, positions: rows.zip(columns).map(|(r, c)| [r, c]) })
            }
        }
    }

    /// Returns the operands in order.
    pub fn iter(&self) -> impl Iterator<Item = T> + use<T> {
        self.mask.into_iter().chain(self.log_sum_exp).chain(self.positions.into_iter().flatten())
    }
}

/// Dimension sizes of an attention.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttentionSizes<'a> {
    pub batch: &'a [usize],
    pub s: usize,
    pub t: usize,
    pub d: usize,
    pub e: usize,
}

impl<'a> AttentionSizes<'a> {
    /// Returns the sizes for the shapes of q and v. `None` if their ranks are too small.
    pub fn from_shapes(q: &'a Shape, v: &Shape) -> Option<AttentionSizes<'a>> {
        let (&[ref batch @ .., s, d], &[.., t, e]) = (&q[..], &v[..]) else { return None };
        Some(AttentionSizes { batch, s, t, d, e })
    }

    /// Returns the shape of a batch of matrices.
    pub fn shape(&self, rows: usize, columns: usize) -> Shape {
        self.batch.iter().copied().chain([rows, columns]).collect()
    }

    /// Returns the type of the log-sum-exp for operands of type `dtype`.
    pub fn log_sum_exp(&self, dtype: DType) -> Type {
        let shape = self.batch.iter().copied().chain([self.s]).collect();
        Type { shape, dtype: dtype.compute_type() }
    }

    /// Checks the types of the optional operands.
    pub fn check(&self, optional: &OptionalOperands<&Type>, dtype: DType) -> Result<(), String> {
        if let Some(mask) = optional.mask {
            let scores = self.shape(self.s, self.t);
            let mut trailing = mask.shape.iter().rev().zip(scores.iter().rev());
            if mask.shape.rank() > scores.rank() || !trailing.all(|(&m, &n)| m == 1 || m == n) {
                return Err(self.mask_error(mask));
            }
        }
        if let Some(sum) = optional.log_sum_exp.filter(|sum| **sum != self.log_sum_exp(dtype)) {
            return Err(format!("needs the log-sum-exp of {}, not {sum}", self.log_sum_exp(dtype)));
        }
        if let Some([rows, columns]) = optional.positions {
            for (what, ty, size) in [("row", rows, self.s), ("column", columns, self.t)] {
                if ty.shape[..] != [size] || ty.dtype != rows.dtype {
                    return Err(format!("needs {what} positions of {}[{size}], not {ty}", rows.dtype));
                }
            }
        }
        Ok(())
    }

    /// Returns the error for an operand that is not a mask.
    pub fn mask_error(&self, operand: &Type) -> String {
        format!("needs a mask that broadcasts to bool{}, not {operand}", self.shape(self.s, self.t))
    }
}

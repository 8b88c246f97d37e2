//! Shape rules, sharding rules and evaluation shared by the ops on batches of matrices.
//!
//! The last two dimensions of an operand are the rows and columns of a matrix, and preceding dimensions are a batch. A
//! complex matrix is two operands of one type, the real and the imaginary parts.

use crate::dtype::{DType, Shape, Type};
use crate::program::op::{InferResult, Types};
use crate::program::ops::check;
use crate::rule::{DimMap, FactorKind, Rule};
use crate::tensor::Tensor;
use partita_linalg::{Matrix, Number};

/// Dimensions of a batch of matrices.
pub(super) struct MatrixBatch {
    /// Batch dimensions.
    pub batch: Shape,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Element type of each part.
    pub dtype: DType,
    /// Number of parts: 2 for complex numbers.
    pub parts: usize,
}

impl MatrixBatch {
    /// Checks the parts of an operand.
    pub fn from_parts(parts: &[&Type]) -> Result<MatrixBatch, String> {
        let first = same_parts(parts)?;
        let [batch @ .., rows, cols] = &first.shape[..] else {
            return Err(format!("needs matrices, and {first} has fewer than 2 dimensions"));
        };
        let (batch, dtype) = (batch.into(), first.dtype);
        Ok(MatrixBatch { batch, rows: *rows, cols: *cols, dtype, parts: parts.len() })
    }

    /// Checks the parts of an operand that must be square.
    pub fn square(parts: &[&Type]) -> Result<MatrixBatch, String> {
        let found = MatrixBatch::from_parts(parts)?;
        if found.rows != found.cols {
            return Err(format!("needs square matrices, not {} x {}", found.rows, found.cols));
        }
        Ok(found)
    }

    /// Returns the type of a tensor with the same batch dimensions.
    pub fn tensor<const N: usize>(&self, dtype: DType, dims: [usize; N]) -> Type {
        Type { shape: self.batch.iter().copied().chain(dims).collect(), dtype }
    }

    /// Returns the types of the parts of numbers with the same batch dimensions.
    pub fn numbers<const N: usize>(&self, dims: [usize; N]) -> Types {
        (0..self.parts).map(|_| self.tensor(self.dtype, dims)).collect()
    }

    /// Returns the number of arithmetic operations for the batch, given those of real numbers for one matrix.
    pub fn flops(&self, one: f64) -> u64 {
        let complex = if self.parts == 2 { 4.0 } else { 1.0 };
        (self.batch.count() as f64 * one * complex) as u64
    }
}

/// Returns the type of all parts of an operand, which must be floats.
pub(super) fn same_parts<'t>(parts: &[&'t Type]) -> Result<&'t Type, String> {
    let (first, others) = match parts {
        [first, others @ ..] if others.len() < 2 => (*first, others),
        _ => return Err(format!("takes numbers in 1 or 2 parts, not {}", parts.len())),
    };
    if !first.dtype.is_float() {
        return Err(format!("needs floats, not {first}"));
    }
    match others.iter().find(|ty| **ty != first) {
        Some(other) => Err(format!("real and imaginary parts must have one type, not {first} and {other}")),
        None => Ok(first),
    }
}

/// Returns result types. Errors: more elements than [`Shape::MAX_COUNT`].
pub(super) fn results(types: impl IntoIterator<Item = Type>) -> InferResult {
    types.into_iter().map(|ty| Ok(check::single_result(ty)?.remove(0))).collect()
}

/// Splits operands into the parts of a first and those of a second operand, of as many parts.
pub(super) fn split<T>(args: &[T]) -> Result<(&[T], &[T]), String> {
    match args.len() {
        2 | 4 => Ok(args.split_at(args.len() / 2)),
        n => Err(format!("takes 2 operands of real numbers or 4 parts of complex numbers, not {n}")),
    }
}

/// Returns a rule in which the first `batch` dimensions of all operands and results are sharded together, and all other
/// dimensions are replicated.
pub(super) fn batch_rule(batch: usize, args: &[&Type], outs: &[&Type]) -> Rule {
    let mut rule = Rule::default();
    let shared: DimMap = args[0].shape[..batch].iter().map(|&n| rule.dim(n, FactorKind::PassThrough)).collect();
    let mut map = |ty: &&Type| -> DimMap {
        let inner = ty.shape[batch..].iter().map(|&n| rule.dim(n, FactorKind::NeedReplication));
        shared.iter().cloned().chain(inner).collect()
    };
    let (args, outs) = (args.iter().map(&mut map).collect(), outs.iter().map(&mut map).collect());
    Rule { args, outs, ..rule }
}

/// Numbers of an operand, by their position in the batch.
pub(super) struct Numbers<T> {
    items: Vec<T>,
    /// Dimensions of one element of the batch.
    dims: Shape,
}

impl<T: Number> Numbers<T> {
    /// Reads an operand whose first `batch` dimensions are the batch.
    pub fn from_parts(parts: &[&Tensor], batch: usize) -> Numbers<T> {
        let part = |i: usize| parts.get(i).map(|x| x.scalars().map(|x| x.to_f64()));
        let items = match (part(0), part(1)) {
            (Some(re), Some(im)) => re.zip(im).map(|(re, im)| T::from_parts(re, im)).collect(),
            (Some(re), None) => re.map(|re| T::from_parts(re, 0.0)).collect(),
            (None, _) => Vec::new(),
        };
        let dims = parts.first().map(|x| x.shape()[batch..].into()).unwrap_or_default();
        Numbers { items, dims }
    }

    /// Returns the numbers of one element of the batch.
    pub fn slice(&self, position: usize) -> &[T] {
        let count = self.dims.count();
        &self.items[position * count..][..count]
    }

    /// Returns the matrix of one element of the batch.
    pub fn matrix(&self, position: usize) -> Matrix<T> {
        Matrix::from_rows(self.dims[0], self.dims[1], self.slice(position).to_vec())
    }
}

/// Results under construction, in the order of the batch.
pub(super) struct Results<'t> {
    types: &'t [&'t Type],
    items: Vec<Vec<f64>>,
}

impl<'t> Results<'t> {
    /// Evaluates `each` for every element of the batch, the first `batch` dimensions of each result. Nothing is
    /// evaluated if no result has elements.
    pub fn collect(types: &'t [&'t Type], batch: usize, mut each: impl FnMut(&mut Results<'t>, usize)) -> Vec<Tensor> {
        let mut results = Results { types, items: vec![Vec::new(); types.len()] };
        if let Some(ty) = types.iter().find(|ty| ty.shape.count() > 0) {
            let count = ty.shape[..batch].iter().product();
            (0..count).for_each(|position| each(&mut results, position));
        }
        let tensors = results.types.iter().zip(results.items);
        tensors.map(|(ty, items)| Tensor::from_floats((*ty).clone(), items)).collect()
    }

    /// Appends real numbers to a result.
    pub fn reals(&mut self, result: usize, numbers: impl IntoIterator<Item = f64>) {
        self.items[result].extend(numbers);
    }

    /// Appends numbers to the result `first`, and the imaginary parts of complex numbers to the next result.
    pub fn numbers<T: Number>(&mut self, first: usize, numbers: &[T]) {
        self.reals(first, numbers.iter().map(|x| x.re()));
        if T::IS_COMPLEX {
            self.reals(first + 1, numbers.iter().map(|x| x.im()));
        }
    }
}

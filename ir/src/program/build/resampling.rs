//! Resampling of a dimension: an element of the result is a weighted sum of a few elements ("taps") of the operand.
//! Their indices and weights are constants.

use super::Builder;
use crate::arena::ValueId;
use crate::dtype::{DType, Type};
use crate::ops::BinaryOp;
use crate::tensor::Tensor;

/// Maximum number of weights of a dimension.
const MAX_WEIGHTS: usize = 1 << 22;

/// Positions farther outside of an operand select the same elements as this one.
const FARTHEST: f64 = 1e12;

/// Function of the distance from a position that weights the elements around it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Kernel {
    /// Weights both adjacent elements.
    Linear,
    /// Weights the four closest elements by a cubic function with this coefficient (Keys 1981).
    Cubic(f64),
}

impl Kernel {
    /// Distance from which on the weight is zero.
    fn radius(self) -> f64 {
        match self {
            Kernel::Linear => 1.0,
            Kernel::Cubic(_) => 2.0,
        }
    }

    fn weight(self, distance: f64) -> f64 {
        match (self, distance.abs()) {
            (Kernel::Linear, x) => (1.0 - x).max(0.0),
            (Kernel::Cubic(a), x) if x <= 1.0 => ((a + 2.0) * x - (a + 3.0)) * x * x + 1.0,
            (Kernel::Cubic(a), x) if x < 2.0 => ((a * x - 5.0 * a) * x + 8.0 * a) * x - 4.0 * a,
            (Kernel::Cubic(_), _) => 0.0,
        }
    }
}

/// Interpolation between elements.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Interpolation {
    /// Weights of the elements by their distance.
    pub kernel: Kernel,
    /// Factor of distances, at most 1. A smaller factor weights more elements, which avoids aliasing when a dimension
    /// shrinks.
    pub shrink: f64,
    /// Elements outside of the operand have no weight, instead of being those of the edge.
    pub excludes_outside: bool,
}

impl Interpolation {
    /// Returns the taps for positions along a dimension of `size` elements.
    ///
    /// # Errors
    /// The number of weights, if there are too many.
    pub fn taps(&self, positions: &[f64], size: usize) -> Result<Taps, String> {
        let reach = (self.kernel.radius() / self.shrink).ceil();
        let each = 2.0 * reach;
        let count = each * positions.len() as f64;
        if count.is_nan() || count > MAX_WEIGHTS as f64 {
            return Err(format!("{each} x {} weights", positions.len()));
        }
        let last = size.max(1) as i64 - 1;
        let mut taps = Taps { each: each as usize, indices: Vec::new(), weights: Vec::new() };
        for position in positions.iter().map(|position| position.clamp(-FARTHEST, FARTHEST)) {
            // At an integer position, its element is the right neighbour.
            let left = position.ceil() as i64 - 1;
            let indices = (0..each as i64).map(|i| left - reach as i64 + 1 + i);
            let weight = |index: i64| match self.excludes_outside && !(0..=last).contains(&index) {
                true => 0.0,
                false => self.kernel.weight(self.shrink * (index as f64 - position)),
            };
            let weights: Vec<f64> = indices.clone().map(weight).collect();
            let sum: f64 = weights.iter().sum();
            let divisor = if (self.excludes_outside || self.shrink < 1.0) && sum != 0.0 { sum } else { 1.0 };
            taps.indices.extend(indices.map(|index| index.clamp(0, last)));
            taps.weights.extend(weights.iter().map(|weight| weight / divisor));
        }
        Ok(taps)
    }
}

/// Indices and weights of the elements whose sums are the elements of a result.
pub struct Taps {
    /// Number of taps of an element of the result.
    each: usize,
    indices: Vec<i64>,
    weights: Vec<f64>,
}

impl Taps {
    /// Creates taps with weight 1, one for each element of the result.
    pub fn single(indices: Vec<i64>) -> Taps {
        Taps { each: 1, weights: vec![1.0; indices.len()], indices }
    }

    /// Returns the index and weight of tap `tap` of each element of the result.
    fn every(&self, tap: usize) -> (Vec<i64>, Vec<f64>) {
        let indices = self.indices.iter().skip(tap).step_by(self.each);
        (indices.copied().collect(), self.weights.iter().skip(tap).step_by(self.each).copied().collect())
    }
}

impl Builder<'_> {
    /// Appends the weighted sums of elements of `x` along `dim`.
    pub fn resample(&mut self, x: ValueId, dim: usize, taps: &Taps) -> ValueId {
        let mut sum: Option<ValueId> = None;
        for (indices, weights) in (0..taps.each).map(|tap| taps.every(tap)) {
            if weights.iter().all(|&weight| weight == 0.0) {
                continue;
            }
            let mut part = self.pick(x, dim, &indices);
            if weights.iter().any(|&weight| weight != 1.0) {
                let ty = self.ty(part);
                let weights = self.constant(&Tensor::from_floats(Type::new(ty.dtype, [indices.len()]), weights));
                let weights = self.broadcast(weights, &[dim], ty.shape);
                part = self.binary(BinaryOp::Mul, part, weights);
            }
            sum = Some(sum.map_or(part, |sum| self.binary(BinaryOp::Add, sum, part)));
        }
        // Without weights the result has no elements.
        sum.unwrap_or_else(|| self.slice_dim(x, dim, 0, 0))
    }

    /// Appends the elements of `x` at constant indices along `dim`. If the indices repeat each element the same number
    /// of times, the result is a broadcast, which can be sharded.
    pub fn pick(&mut self, x: ValueId, dim: usize, indices: &[i64]) -> ValueId {
        let mut shape = self.ty(x).shape;
        let (from, to) = (shape[dim], indices.len());
        let times = to.checked_div(from).unwrap_or(0);
        if times > 0 && to == times * from && indices.iter().enumerate().all(|(i, &at)| at == (i / times) as i64) {
            let places: Vec<usize> = (0..=shape.rank()).filter(|&i| i != dim + 1).collect();
            let mut wide = shape.clone();
            wide.0.insert(dim + 1, times);
            let repeated = self.broadcast(x, &places, wide);
            shape[dim] = to;
            return self.reshape(repeated, shape);
        }
        let indices = self.constant(&Tensor::from_ints(Type::new(DType::I64, [to]), indices.to_vec()));
        self.take(x, indices, dim)
    }
}

//! Sampling at positions given at run time. A sample is a weighted sum of the elements around its position. Their
//! indices address the flattened spatial dimensions of the operand.

use super::{Builder, Kernel};
use crate::arena::ValueId;
use crate::dtype::{DType, Shape, Type};
use crate::ops::{BinaryOp, Direction, Gather, UnaryOp};
use crate::syntax::attr::Dims;
use crate::tensor::Scalar;

/// Maximum number of spatial dimensions: a sample reads up to four elements along each, and all their combinations.
const MAX_SPACE: usize = 3;

/// Elements outside of the operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outside {
    /// Zeros.
    Zeros,
    /// The closest element.
    Border,
    /// The elements that a reflection at the border selects.
    Reflection,
}

/// Sampling of `[batch, channels, space ..]`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampler {
    /// Elements outside of the operand.
    pub outside: Outside,
    /// Weights of the elements around a position; `None` selects the nearest one.
    pub kernel: Option<Kernel>,
    /// True if the outermost positions are the centres of the outermost elements, not their corners.
    pub align_corners: bool,
}

/// An element that a sample reads.
struct Tap {
    /// Index along a dimension, or in the flattened dimensions, `[batch, points]`.
    index: ValueId,
    weight: Option<ValueId>,
    /// Condition under which the element is not zero.
    inside: Option<ValueId>,
}

impl Sampler {
    /// Returns the first and last position inside of a dimension of size `n`.
    fn borders(&self, n: usize) -> [f64; 2] {
        if self.align_corners { [0.0, n as f64 - 1.0] } else { [-0.5, n as f64 - 0.5] }
    }
}

impl Builder<'_> {
    /// Appends samples of `x`, `[batch, channels, space ..]`, at a grid `[batch, points .., dimensions]` of positions
    /// from -1 to 1, the last dimension first. The result is `[batch, channels, points ..]`.
    ///
    /// # Errors
    /// The shapes do not match, or `x` is empty.
    pub fn checked_grid_sample(&mut self, x: ValueId, grid: ValueId, sampler: &Sampler) -> Result<ValueId, String> {
        let (shape, grid_shape) = (self.ty(x).shape, self.ty(grid).shape);
        let n = shape.rank().saturating_sub(2);
        let fits = n > 0 && grid_shape.rank() == n + 2 && grid_shape[n + 1] == n && grid_shape[0] == shape[0];
        if !fits || n > MAX_SPACE || shape[2..].contains(&0) {
            return Err(format!("samples {shape} at {grid_shape}"));
        }
        let points = grid_shape[1..=n].iter().copied().fold(1, usize::saturating_mul);
        let flat = self.reshape(grid, [shape[0], points, n]);
        let position = |d: usize| {
            let size = shape[2 + d] as f64;
            let part = self.slice_dim(flat, 2, n - 1 - d, n - d);
            let part = self.reshape(part, [shape[0], points]);
            let shifted = self.binary_scalar(BinaryOp::Add, part, 1.0);
            if sampler.align_corners {
                return self.binary_scalar(BinaryOp::Mul, shifted, (size - 1.0) / 2.0);
            }
            let scaled = self.binary_scalar(BinaryOp::Mul, shifted, size);
            let centred = self.binary_scalar(BinaryOp::Sub, scaled, 1.0);
            self.binary_scalar(BinaryOp::Div, centred, 2.0)
        };
        let positions: Vec<ValueId> = (0..n).map(position).collect();
        let samples = self.sample(x, &positions, sampler);
        let out: Shape = shape[..2].iter().chain(&grid_shape[1..=n]).copied().collect();
        Ok(self.reshape(samples, out))
    }

    /// Appends a grid of positions from -1 to 1, `[batch, space .., dimensions]` with the last dimension first,
    /// transformed by a matrix for each batch: `theta` is `[batch, n, n + 1]` for `n` dimensions.
    ///
    /// # Errors
    /// The matrices do not match the dimensions, or there are too many positions.
    pub fn checked_affine_grid(
        &mut self,
        theta: ValueId,
        space: &[usize],
        align_corners: bool,
    ) -> Result<ValueId, String> {
        let (ty, n) = (self.ty(theta), space.len());
        let full = Shape::from(space);
        let points = full.checked_count().filter(|_| n > 0 && ty.shape.rank() == 3 && ty.shape[1..] == [n, n + 1]);
        let points = points.ok_or_else(|| format!("transforms a grid {full} by {}", ty.shape))?;
        // Coordinates, the last dimension first, and 1 for the translation.
        let coordinates = |d: usize| {
            let place = self.iota(ty.dtype, full.clone(), d);
            let (step, start) = match (align_corners, space[d]) {
                (true, 0 | 1) => (0.0, -1.0),
                (true, size) => (2.0 / (size as f64 - 1.0), -1.0),
                (false, size) => (2.0 / size as f64, 1.0 / size as f64 - 1.0),
            };
            let scaled = self.binary_scalar(BinaryOp::Mul, place, step);
            let moved = self.binary_scalar(BinaryOp::Add, scaled, start);
            self.reshape(moved, [1, points])
        };
        let mut rows: Vec<ValueId> = (0..n).rev().map(coordinates).collect();
        rows.push(self.splat(Type::new(ty.dtype, [1, points]), Scalar::Float(1.0)));
        let grid = self.concatenate(&rows, 0);
        let moved = self.checked_matmul(theta, grid)?;
        let moved = self.swap_dims(moved, 1, 2);
        let out: Shape = [ty.shape[0]].iter().chain(space).chain(&[n]).copied().collect();
        self.checked_reshape(moved, out)
    }

    /// Appends samples `[batch, channels, points]` of `x`, `[batch, channels, space ..]`, at positions `[batch,
    /// points]`, one for each spatial dimension. There must be at least one, and none may be empty.
    pub fn sample(&mut self, x: ValueId, positions: &[ValueId], sampler: &Sampler) -> ValueId {
        let ty = self.ty(x);
        let space = &ty.shape[2..];
        let flat = self.reshape(x, [ty.shape[0], ty.shape[1], space.iter().product()]);
        let mut taps = self.taps_along(positions[0], space[0], sampler);
        for (&position, &n) in positions.iter().zip(space).skip(1) {
            let along = self.taps_along(position, n, sampler);
            taps = self.combined(&taps, &along, n);
        }
        let parts: Vec<ValueId> = taps.iter().map(|tap| self.weighted_points(flat, tap)).collect();
        parts[1..].iter().fold(parts[0], |sum, &part| self.binary(BinaryOp::Add, sum, part))
    }

    /// Appends the elements around a position along a dimension of size `n`.
    fn taps_along(&mut self, position: ValueId, n: usize, sampler: &Sampler) -> Vec<Tap> {
        let mut position = position;
        if sampler.kernel.is_none() {
            position = self.unary(UnaryOp::RoundEven, position);
        }
        if sampler.outside == Outside::Reflection {
            position = self.reflected(position, n, sampler);
        }
        let around = self.elements_around(position, sampler.kernel);
        let tap = |(index, weight): (ValueId, Option<ValueId>)| {
            let inside = (sampler.outside == Outside::Zeros).then(|| {
                let limits = [(Direction::Ge, 0.0), (Direction::Lt, n as f64)].map(|(direction, limit)| {
                    let limit = self.splat_like(index, Scalar::Float(limit));
                    self.compare(index, direction, limit)
                });
                self.binary(BinaryOp::And, limits[0], limits[1])
            });
            let index = match sampler.outside {
                Outside::Reflection => self.reflected(index, n, sampler),
                Outside::Zeros | Outside::Border => index,
            };
            let index = self.clamp(index, Scalar::Float(0.0), Scalar::Float(n as f64 - 1.0));
            Tap { index: self.convert(index, DType::I64), weight, inside }
        };
        around.into_iter().map(tap).collect()
    }

    /// Appends the elements around a position along one dimension: the index, a float, and the weight.
    fn elements_around(&mut self, position: ValueId, kernel: Option<Kernel>) -> Vec<(ValueId, Option<ValueId>)> {
        let Some(kernel) = kernel else { return vec![(position, None)] };
        let floor = self.unary(UnaryOp::Floor, position);
        let ratio = self.binary(BinaryOp::Sub, position, floor);
        match kernel {
            Kernel::Linear => {
                let one = self.splat_like(ratio, Scalar::Float(1.0));
                let rest = self.binary(BinaryOp::Sub, one, ratio);
                let next = self.binary_scalar(BinaryOp::Add, floor, 1.0);
                vec![(floor, Some(rest)), (next, Some(ratio))]
            }
            Kernel::Cubic(a) => {
                let tap = |offset: f64| {
                    let index = self.binary_scalar(BinaryOp::Add, floor, offset);
                    let distance = self.binary_scalar(BinaryOp::Sub, ratio, offset);
                    (index, Some(self.cubic_weight(distance, a, !(0.0..=1.0).contains(&offset))))
                };
                [-1.0, 0.0, 1.0, 2.0].map(tap).into()
            }
        }
    }

    /// Appends the cubic function (Keys 1981) with coefficient `a`, for distances up to 1 or from 1 to 2.
    fn cubic_weight(&mut self, distance: ValueId, a: f64, is_far: bool) -> ValueId {
        let coefficients = if is_far { [a, -5.0 * a, 8.0 * a, -4.0 * a] } else { [a + 2.0, -a - 3.0, 0.0, 1.0] };
        let x = self.unary(UnaryOp::Abs, distance);
        let mut sum = self.splat_like(x, Scalar::Float(coefficients[0]));
        for coefficient in &coefficients[1..] {
            let scaled = self.binary(BinaryOp::Mul, sum, x);
            sum = self.binary_scalar(BinaryOp::Add, scaled, *coefficient);
        }
        sum
    }

    /// Appends the reflection of a position at the borders of a dimension until it is inside.
    fn reflected(&mut self, x: ValueId, n: usize, sampler: &Sampler) -> ValueId {
        let [low, high] = sampler.borders(n);
        let range = high - low;
        if range <= 0.0 {
            return self.splat_like(x, Scalar::Float(low));
        }
        let distance = self.binary_scalar(BinaryOp::Sub, x, low);
        let period = self.splat_like(x, Scalar::Float(2.0 * range));
        let within = self.remainder(distance, period);
        let back = self.binary(BinaryOp::Sub, period, within);
        let folded = self.binary(BinaryOp::Min, within, back);
        self.binary_scalar(BinaryOp::Add, folded, low)
    }

    /// Appends the taps of several dimensions, of which the last one has size `n`.
    fn combined(&mut self, taps: &[Tap], along: &[Tap], n: usize) -> Vec<Tap> {
        let mut all = Vec::with_capacity(taps.len() * along.len());
        for tap in taps {
            let start = self.binary_scalar(BinaryOp::Mul, tap.index, n as f64);
            for own in along {
                let mut joined = |op: BinaryOp, pair: (Option<ValueId>, Option<ValueId>)| match pair {
                    (Some(a), Some(b)) => Some(self.binary(op, a, b)),
                    (one, None) | (None, one) => one,
                };
                let weight = joined(BinaryOp::Mul, (tap.weight, own.weight));
                let inside = joined(BinaryOp::And, (tap.inside, own.inside));
                all.push(Tap { index: self.binary(BinaryOp::Add, start, own.index), weight, inside });
            }
        }
        all
    }

    /// Appends the elements that a tap selects, times its weight.
    fn weighted_points(&mut self, flat: ValueId, tap: &Tap) -> ValueId {
        let mut part = self.take_points(flat, tap.index);
        let ty = self.ty(part);
        if let Some(weight) = tap.weight {
            let weight = if self.ty(weight).dtype == ty.dtype { weight } else { self.convert(weight, ty.dtype) };
            let weight = self.broadcast(weight, &[0, 2], ty.shape.clone());
            part = self.binary(BinaryOp::Mul, part, weight);
        }
        if let Some(inside) = tap.inside {
            let inside = self.broadcast(inside, &[0, 2], ty.shape.clone());
            let zero = self.splat(ty, Scalar::Float(0.0));
            part = self.select(inside, part, zero);
        }
        part
    }

    /// Appends the elements of `x`, `[batch, channels, n]`, at the indices `[batch, points]`: `[batch, channels,
    /// points]`.
    pub fn take_points(&mut self, x: ValueId, indices: ValueId) -> ValueId {
        let ty = self.ty(x);
        let points = self.ty(indices).shape[1];
        let one = |d| Dims::from_elem(d, 1);
        let gather = Gather {
            offset_dims: one(1),
            collapsed_dims: one(2),
            operand_batch_dims: one(0),
            index_batch_dims: one(0),
            index_map: one(2),
            index_vector_dim: 2,
            slice_sizes: [1, ty.shape[1], 1].into_iter().collect(),
            fill: false,
        };
        self.op("gather", gather, &[x, indices], Type::new(ty.dtype, [ty.shape[0], ty.shape[1], points]))
    }
}

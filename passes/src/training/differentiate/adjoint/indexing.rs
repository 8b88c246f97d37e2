//! Adjoints of `gather` and `scatter`. Each is the adjoint of the other except for indices out of range: a gather
//! clamps them or reads zeros instead of the entire slice, and a scatter skips single elements.

use super::Adjoint;
use super::algebra::Algebra;
use super::reduction::without_zeros;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{Binary, BinaryOp, Clamp, Combine, Constant, Direction, Gather, Iota, Literal, Pad, Scatter};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Appends the adjoint of `gather`: zeros with the gradient added at the gathered positions.
pub fn gather(ctx: &mut Adjoint<'_, '_>, op: &Gather) -> Result<(), String> {
    if !ctx.needs_gradient(0) {
        return Ok(());
    }
    let g = ctx.gradient();
    let (ty, indices) = (ctx.arg_type(0), ctx.arg(1));
    let b = &mut *ctx.b;
    let index_vectors = IndexVectors { dim: op.index_vector_dim, components: op.index_map.len() };
    // The largest index at which a slice is in range.
    let last: Vec<i64> = op.index_map.iter().map(|&d| (ty.shape[d] - op.slice_sizes[d]) as i64).collect();
    let indices = if !op.fill {
        index_vectors.clamped(b, indices, &vec![0; last.len()], &last)
    } else if op.index_map.iter().all(|&d| op.slice_sizes[d] == 1) {
        indices
    } else {
        // A slice that is partly out of range was read as zeros, so that its gradient is dropped.
        let indices = b.converted(indices, DType::I64);
        let out_of_range: Vec<i64> = op.index_map.iter().map(|&d| ty.shape[d] as i64).collect();
        index_vectors.move_out_of_range(b, indices, &last, &out_of_range)
    };
    let scatter = Scatter {
        combine: Combine::Sum,
        update_window_dims: op.offset_dims.clone(),
        inserted_dims: op.collapsed_dims.clone(),
        operand_batch_dims: op.operand_batch_dims.clone(),
        index_batch_dims: op.index_batch_dims.clone(),
        index_map: op.index_map.clone(),
        index_vector_dim: op.index_vector_dim,
    };
    let zeros = b.zeros(ty.clone());
    let gradient = b.op("scatter", scatter, &[zeros, indices, g], ty);
    ctx.set_gradient(0, gradient);
    Ok(())
}

/// Appends the adjoint of `scatter`, by how updates are combined. If several updates have the same position, all
/// factors of a product count, the maxima have equal shares, and the last replacement gets the gradient.
pub fn scatter(ctx: &mut Adjoint<'_, '_>, op: &Scatter) -> Result<(), String> {
    let g = ctx.gradient();
    let (operand, indices, updates, out) = (ctx.arg(0), ctx.arg(1), ctx.arg(2), ctx.out());
    let (whole, parts) = (ctx.arg_type(0), ctx.arg_type(2));
    let positions = UpdatePositions::new(ctx.b, op, indices, &whole.shape, &parts.shape);
    match op.combine {
        Combine::Sum => {
            if ctx.needs_gradient(0) {
                ctx.set_gradient(0, g);
            }
            if ctx.needs_gradient(2) {
                let gradient = positions.gather(ctx.b, g);
                ctx.set_gradient(2, gradient);
            }
        }
        Combine::Set => {
            if ctx.needs_gradient(0) {
                let zeros = ctx.b.zeros(parts.clone());
                let gradient = positions.scatter(ctx.b, Combine::Set, g, zeros);
                ctx.set_gradient(0, gradient);
            }
            if ctx.needs_gradient(2) {
                let gradient = positions.gather(ctx.b, g);
                let gradient = match positions.last_updates(ctx.b) {
                    Some(last) => ctx.b.select_or_zero(last, gradient),
                    None => gradient,
                };
                ctx.set_gradient(2, gradient);
            }
        }
        Combine::Prod => {
            if ctx.needs_gradient(0) {
                let ones = ctx.b.filled(whole.clone(), 1.0);
                let others = positions.scatter(ctx.b, Combine::Prod, ones, updates);
                let gradient = ctx.b.mul(g, others);
                ctx.set_gradient(0, gradient);
            }
            if ctx.needs_gradient(2) {
                let gradient = positions.product(ctx.b, g, operand, updates);
                ctx.set_gradient(2, gradient);
            }
        }
        Combine::Max | Combine::Min => {
            for i in [0, 2] {
                if ctx.needs_gradient(i) {
                    let b = &mut *ctx.b;
                    let best = positions.gather(b, out);
                    let best = b.compare(updates, Direction::Eq, best);
                    let is_operand_selected = b.compare(operand, Direction::Eq, out);
                    let ones = b.converted(best, parts.dtype);
                    let count = b.converted(is_operand_selected, whole.dtype);
                    let count = positions.scatter(b, Combine::Sum, count, ones);
                    let share = b.div(g, count);
                    let gradient = if i == 0 {
                        b.select_or_zero(is_operand_selected, share)
                    } else {
                        let share = positions.gather(b, share);
                        b.select_or_zero(best, share)
                    };
                    ctx.set_gradient(i, gradient);
                }
            }
        }
    }
    Ok(())
}

/// The positions of a scatter's updates in its operand.
struct UpdatePositions<'a> {
    op: &'a Scatter,
    indices: ValueId,
    operand_shape: &'a Shape,
    update_shape: &'a Shape,
    /// Size of a slice in each dimension of the operand.
    sizes: Vec<usize>,
    /// True if no two updates can have the same position.
    is_unique: bool,
}

impl<'a> UpdatePositions<'a> {
    fn new(
        b: &Builder<'_>,
        op: &'a Scatter,
        indices: ValueId,
        operand_shape: &'a Shape,
        update_shape: &'a Shape,
    ) -> UpdatePositions<'a> {
        let mut sizes = vec![1; operand_shape.rank()];
        let is_window_dim = |d: &usize| !op.inserted_dims.contains(d) && !op.operand_batch_dims.contains(d);
        for (d, &w) in (0..operand_shape.rank()).filter(is_window_dim).zip(&op.update_window_dims) {
            sizes[d] = update_shape[w];
        }
        let shape = b.ty(indices).shape;
        let alone = |d: usize| d == op.index_vector_dim || op.index_batch_dims.contains(&d) || shape[d] == 1;
        UpdatePositions { op, indices, operand_shape, update_shape, sizes, is_unique: (0..shape.rank()).all(alone) }
    }

    /// Appends `x` with `updates` scattered to the positions.
    fn scatter(&self, b: &mut Builder<'_>, combine: Combine, x: ValueId, updates: ValueId) -> ValueId {
        let ty = b.ty(x);
        b.op("scatter", Scatter { combine, ..self.op.clone() }, &[x, self.indices, updates], ty)
    }

    /// Appends the elements of `x` at the positions, and zeros out of range. A slice that is partly out of range is
    /// read from a padded `x`.
    fn gather(&self, b: &mut Builder<'_>, x: ValueId) -> ValueId {
        let Type { shape: mut padded, dtype } = b.ty(x);
        let (mut x, mut indices) = (x, self.indices);
        let map = &self.op.index_map;
        if map.iter().any(|&d| self.sizes[d] > 1) {
            let mut around = vec![0; padded.rank()];
            map.iter().for_each(|&d| around[d] = self.sizes[d] as i64 - 1);
            padded.iter_mut().zip(&around).for_each(|(n, &around)| *n += 2 * around as usize);
            let zero = b.zeros(Type { shape: Shape::scalar(), dtype });
            let pad = Pad { low: around.clone(), high: around.clone(), interior: Dims::new() };
            x = b.op("pad", pad, &[x, zero], Type { shape: padded, dtype });
            let index_vectors = IndexVectors { dim: self.op.index_vector_dim, components: map.len() };
            let low: Vec<i64> = map.iter().map(|&d| -(self.sizes[d] as i64)).collect();
            let high: Vec<i64> = map.iter().map(|&d| self.operand_shape[d] as i64).collect();
            indices = index_vectors.clamped(b, indices, &low, &high);
            indices = b.converted(indices, DType::I64);
            let shift: Vec<i64> = map.iter().map(|&d| around[d]).collect();
            let ty = b.ty(indices);
            let shift = index_vectors.constants(b, &ty, &shift);
            indices = b.add(indices, shift);
        }
        let gather = Gather {
            offset_dims: self.op.update_window_dims.clone(),
            collapsed_dims: self.op.inserted_dims.clone(),
            operand_batch_dims: self.op.operand_batch_dims.clone(),
            index_batch_dims: self.op.index_batch_dims.clone(),
            index_map: map.clone(),
            index_vector_dim: self.op.index_vector_dim,
            slice_sizes: self.sizes.iter().copied().collect(),
            fill: true,
        };
        b.op("gather", gather, &[x, indices], Type { shape: self.update_shape.clone(), dtype })
    }

    /// Appends a mask of the updates that are the last ones at their positions, or returns `None` if all are. The mask
    /// is computed by scattering the numbers of the updates.
    fn last_updates(&self, b: &mut Builder<'_>) -> Option<ValueId> {
        if self.is_unique {
            return None;
        }
        let count = self.update_shape.count();
        let dtype = if i32::try_from(count).is_ok() { DType::I32 } else { DType::I64 };
        let number = b.op("number", Iota { dim: 0 }, &[], Type::new(dtype, [count]));
        let number = b.reshaped(number, self.update_shape.clone());
        let no_update = b.filled(Type { shape: self.operand_shape.clone(), dtype }, -1.0);
        let last_numbers = self.scatter(b, Combine::Set, no_update, number);
        let last_number = self.gather(b, last_numbers);
        Some(b.compare(last_number, Direction::Eq, number))
    }

    /// Appends the gradient times the product of all other factors at each update's position.
    fn product(&self, b: &mut Builder<'_>, g: ValueId, operand: ValueId, updates: ValueId) -> ValueId {
        let dtype = b.ty(operand).dtype;
        let (stays_zero, stays) = without_zeros(b, operand);
        let (zero, factor) = without_zeros(b, updates);
        let (count, ones) = (b.converted(stays_zero, dtype), b.converted(zero, dtype));
        let zeros = self.scatter(b, Combine::Sum, count, ones);
        let rest = self.scatter(b, Combine::Prod, stays, factor);
        let rest = b.mul(g, rest);
        let only = b.compare_with(zeros, Direction::Eq, 1.0);
        let of_zero = b.select_or_zero(only, rest);
        let none = b.compare_with(zeros, Direction::Eq, 0.0);
        let of_others = b.select_or_zero(none, rest);
        let of_zero = self.gather(b, of_zero);
        let of_others = self.gather(b, of_others);
        let of_others = b.div(of_others, factor);
        b.choose(zero, of_zero, of_others)
    }
}

/// The index vectors of a gather or a scatter.
struct IndexVectors {
    /// The dimension of the indices that contains the components of a vector.
    dim: usize,
    components: usize,
}

impl IndexVectors {
    /// Appends a number for each component, broadcast to the type of the indices. Numbers are clamped to the range of
    /// that type.
    fn constants(&self, b: &mut Builder<'_>, ty: &Type, numbers: &[i64]) -> ValueId {
        let unsigned = ty.dtype.is_unsigned();
        let bits = ty.dtype.bytes() * 8 - u64::from(!unsigned);
        let high = if bits > 62 { i64::MAX } else { (1 << bits) - 1 };
        let low = if unsigned { 0 } else { -high - 1 };
        let fit = |n: &i64| Scalar::Int((*n).clamp(low, high));
        match numbers {
            [first, rest @ ..] if rest.iter().all(|n| n == first) => b.splat(ty.clone(), fit(first)),
            numbers => {
                let value = Literal::Dense(numbers.iter().map(fit).collect());
                let line = b.op("c", Constant { value }, &[], Type::new(ty.dtype, [numbers.len()]));
                b.broadcast(line, &[self.dim], ty.shape.clone())
            }
        }
    }

    fn clamped(&self, b: &mut Builder<'_>, indices: ValueId, low: &[i64], high: &[i64]) -> ValueId {
        if self.components == 0 {
            return indices;
        }
        let ty = b.ty(indices);
        let (low, high) = (self.constants(b, &ty, low), self.constants(b, &ty, high));
        b.op("index", Clamp {}, &[low, indices, high], ty)
    }

    /// Appends the indices with those below zero or above `last` replaced by `out_of_range`.
    fn move_out_of_range(&self, b: &mut Builder<'_>, indices: ValueId, last: &[i64], out_of_range: &[i64]) -> ValueId {
        let ty = b.ty(indices);
        let (last, out_of_range) = (self.constants(b, &ty, last), self.constants(b, &ty, out_of_range));
        let above = b.compare_with(indices, Direction::Ge, 0.0);
        let below = b.compare(indices, Direction::Le, last);
        let ty = b.ty(above);
        let inside = b.op("inside", Binary { op: BinaryOp::And }, &[above, below], ty);
        b.choose(inside, indices, out_of_range)
    }
}

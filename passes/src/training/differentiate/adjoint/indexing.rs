//! Adjoints of `gather` and `scatter`: each is the other one's, but for what they do at indices out of range. A gather
//! clamps them or reads zeros in place of a whole slice, and a scatter skips single elements.

use super::Adjoint;
use super::algebra::Algebra;
use super::reduction::without_zeros;
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{Binary, BinaryOp, Clamp, Combine, Constant, Direction, Gather, Iota, Literal, Pad, Scatter};
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

/// Zeros with the gradient added where it was read.
pub fn gather(at: &mut Adjoint<'_, '_>, op: &Gather) -> Result<(), String> {
    if !at.wants(0) {
        return Ok(());
    }
    let g = at.gradient();
    let (ty, indices) = (at.arg_type(0), at.arg(1));
    let b = &mut *at.b;
    let vectors = Vectors { dim: op.index_vector_dim, components: op.index_map.len() };
    // The last index at which a slice fits.
    let last: Vec<i64> = op.index_map.iter().map(|&d| (ty.shape[d] - op.slice_sizes[d]) as i64).collect();
    let indices = if !op.fill {
        vectors.clamped(b, indices, &vec![0; last.len()], &last)
    } else if op.index_map.iter().all(|&d| op.slice_sizes[d] == 1) {
        indices
    } else {
        // Of a slice that is partly outside nothing was read.
        let indices = b.converted(indices, DType::I64);
        let behind: Vec<i64> = op.index_map.iter().map(|&d| ty.shape[d] as i64).collect();
        vectors.thrown_out(b, indices, &last, &behind)
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
    at.give(0, gradient);
    Ok(())
}

/// By how updates meet what is there. Where several meet at one place, all factors of a product count, the best of a
/// maximum share, and of replacements the last one gets everything.
pub fn scatter(at: &mut Adjoint<'_, '_>, op: &Scatter) -> Result<(), String> {
    let g = at.gradient();
    let (operand, indices, updates, out) = (at.arg(0), at.arg(1), at.arg(2), at.out());
    let (whole, parts) = (at.arg_type(0), at.arg_type(2));
    let places = Places::new(at.b, op, indices, &whole.shape, &parts.shape);
    match op.combine {
        Combine::Sum => {
            if at.wants(0) {
                at.give(0, g);
            }
            if at.wants(2) {
                let gradient = places.read(at.b, g);
                at.give(2, gradient);
            }
        }
        Combine::Set => {
            if at.wants(0) {
                let zeros = at.b.zeros(parts.clone());
                let gradient = places.write(at.b, Combine::Set, g, zeros);
                at.give(0, gradient);
            }
            if at.wants(2) {
                let gradient = places.read(at.b, g);
                let gradient = match places.last(at.b) {
                    Some(last) => at.b.keep(last, gradient),
                    None => gradient,
                };
                at.give(2, gradient);
            }
        }
        Combine::Prod => {
            if at.wants(0) {
                let ones = at.b.filled(whole.clone(), 1.0);
                let others = places.write(at.b, Combine::Prod, ones, updates);
                let gradient = at.b.mul(g, others);
                at.give(0, gradient);
            }
            if at.wants(2) {
                let gradient = places.product(at.b, g, operand, updates);
                at.give(2, gradient);
            }
        }
        Combine::Max | Combine::Min => {
            for i in [0, 2] {
                if at.wants(i) {
                    let b = &mut *at.b;
                    let best = places.read(b, out);
                    let best = b.compare(updates, Direction::Eq, best);
                    let stayed = b.compare(operand, Direction::Eq, out);
                    let ones = b.converted(best, parts.dtype);
                    let count = b.converted(stayed, whole.dtype);
                    let count = places.write(b, Combine::Sum, count, ones);
                    let share = b.div(g, count);
                    let gradient = if i == 0 {
                        b.keep(stayed, share)
                    } else {
                        let share = places.read(b, share);
                        b.keep(best, share)
                    };
                    at.give(i, gradient);
                }
            }
        }
    }
    Ok(())
}

/// Where the updates of a scatter lie in its operand.
struct Places<'a> {
    op: &'a Scatter,
    indices: ValueId,
    whole: &'a Shape,
    parts: &'a Shape,
    /// Size of a slice in each dimension of the operand.
    sizes: Vec<usize>,
    /// Whether no two updates may meet.
    single: bool,
}

impl<'a> Places<'a> {
    fn new(b: &Builder<'_>, op: &'a Scatter, indices: ValueId, whole: &'a Shape, parts: &'a Shape) -> Places<'a> {
        let mut sizes = vec![1; whole.rank()];
        let kept = |d: &usize| !op.inserted_dims.contains(d) && !op.operand_batch_dims.contains(d);
        for (d, &w) in (0..whole.rank()).filter(kept).zip(&op.update_window_dims) {
            sizes[d] = parts[w];
        }
        let shape = b.ty(indices).shape;
        let alone = |d: usize| d == op.index_vector_dim || op.index_batch_dims.contains(&d) || shape[d] == 1;
        Places { op, indices, whole, parts, sizes, single: (0..shape.rank()).all(alone) }
    }

    /// `x` with `updates` put in the places.
    fn write(&self, b: &mut Builder<'_>, combine: Combine, x: ValueId, updates: ValueId) -> ValueId {
        let ty = b.ty(x);
        b.op("scatter", Scatter { combine, ..self.op.clone() }, &[x, self.indices, updates], ty)
    }

    /// What `x` has in the places, zeros outside of it. A slice that is partly outside is read from a padded `x`.
    fn read(&self, b: &mut Builder<'_>, x: ValueId) -> ValueId {
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
            let vectors = Vectors { dim: self.op.index_vector_dim, components: map.len() };
            let low: Vec<i64> = map.iter().map(|&d| -(self.sizes[d] as i64)).collect();
            let high: Vec<i64> = map.iter().map(|&d| self.whole[d] as i64).collect();
            indices = vectors.clamped(b, indices, &low, &high);
            indices = b.converted(indices, DType::I64);
            let shift: Vec<i64> = map.iter().map(|&d| around[d]).collect();
            let ty = b.ty(indices);
            let shift = vectors.numbers(b, &ty, &shift);
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
        b.op("gather", gather, &[x, indices], Type { shape: self.parts.clone(), dtype })
    }

    /// Which updates are the last ones at their places; `None` if all are. Found by writing their numbers.
    fn last(&self, b: &mut Builder<'_>) -> Option<ValueId> {
        if self.single {
            return None;
        }
        let count = self.parts.count();
        let dtype = if i32::try_from(count).is_ok() { DType::I32 } else { DType::I64 };
        let number = b.op("number", Iota { dim: 0 }, &[], Type::new(dtype, [count]));
        let number = b.reshaped(number, self.parts.clone());
        let nobody = b.filled(Type { shape: self.whole.clone(), dtype }, -1.0);
        let winners = self.write(b, Combine::Set, nobody, number);
        let winner = self.read(b, winners);
        Some(b.compare(winner, Direction::Eq, number))
    }

    /// The gradient times the product of all other factors at each update's place.
    fn product(&self, b: &mut Builder<'_>, g: ValueId, operand: ValueId, updates: ValueId) -> ValueId {
        let dtype = b.ty(operand).dtype;
        let (stays_zero, stays) = without_zeros(b, operand);
        let (zero, factor) = without_zeros(b, updates);
        let (count, ones) = (b.converted(stays_zero, dtype), b.converted(zero, dtype));
        let zeros = self.write(b, Combine::Sum, count, ones);
        let rest = self.write(b, Combine::Prod, stays, factor);
        let rest = b.mul(g, rest);
        let only = b.compare_with(zeros, Direction::Eq, 1.0);
        let of_zero = b.keep(only, rest);
        let none = b.compare_with(zeros, Direction::Eq, 0.0);
        let of_others = b.keep(none, rest);
        let of_zero = self.read(b, of_zero);
        let of_others = self.read(b, of_others);
        let of_others = b.div(of_others, factor);
        b.choose(zero, of_zero, of_others)
    }
}

/// The index vectors of a gather or a scatter.
struct Vectors {
    /// The dimension that they lie along.
    dim: usize,
    components: usize,
}

impl Vectors {
    /// A number for each component, as large as the indices. What does not fit their type becomes its smallest or
    /// largest one.
    fn numbers(&self, b: &mut Builder<'_>, ty: &Type, numbers: &[i64]) -> ValueId {
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
        let (low, high) = (self.numbers(b, &ty, low), self.numbers(b, &ty, high));
        b.op("index", Clamp {}, &[low, indices, high], ty)
    }

    /// Indices below zero or above `last` become `behind`.
    fn thrown_out(&self, b: &mut Builder<'_>, indices: ValueId, last: &[i64], behind: &[i64]) -> ValueId {
        let ty = b.ty(indices);
        let (last, behind) = (self.numbers(b, &ty, last), self.numbers(b, &ty, behind));
        let above = b.compare_with(indices, Direction::Ge, 0.0);
        let below = b.compare(indices, Direction::Le, last);
        let ty = b.ty(above);
        let inside = b.op("inside", Binary { op: BinaryOp::And }, &[above, below], ty);
        b.choose(inside, indices, behind)
    }
}

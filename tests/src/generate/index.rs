//! Generator steps for operations with dynamic indices.

use super::Step;
use super::place::shard_over_first_axis;
use super::pool::{GeneratedValue, Generator};
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{Combine, DynamicSlice, DynamicUpdateSlice, Gather, Scatter};
use partita_ir::syntax::attr::Dims;

pub(super) const STEPS: &[(&str, Step)] = &[
    ("dynamic_slice", dynamic_slice),
    ("dynamic_update_slice", dynamic_update_slice),
    ("gather", gather),
    ("gather", gather),
    ("scatter", scatter),
    ("scatter", scatter),
    ("scatter", many_updates),
];

/// Returns a scalar start index for each dimension. Some are out of range.
fn starts(d: &mut Generator<'_>, shape: &Shape) -> Vec<GeneratedValue> {
    shape.iter().map(|&n| d.ranged_input(Type::new(DType::I32, []), -1, n as i64)).collect()
}

/// Returns a random shape that is at most `shape` in every dimension.
fn inside(d: &mut Generator<'_>, shape: &Shape) -> Shape {
    shape.iter().map(|&n| if d.tape.one_in(2) { n } else { d.tape.below(n + 1) }).collect()
}

fn dynamic_slice(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() > 0)?;
    let shape = inside(d, &x.ty.shape);
    let starts = starts(d, &x.ty.shape);
    let args: Vec<&GeneratedValue> = [&x].into_iter().chain(&starts).collect();
    let op = DynamicSlice { sizes: shape.iter().copied().collect() };
    d.push(op, &args, Type { shape, dtype: x.ty.dtype }, x.bound, x.integral)?;
    Some(())
}

fn dynamic_update_slice(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() > 0)?;
    let shape = inside(d, &x.ty.shape);
    let update = d.value_of_type(&Type { shape, dtype: x.ty.dtype });
    let starts = starts(d, &x.ty.shape);
    let args: Vec<&GeneratedValue> = [&x, &update].into_iter().chain(&starts).collect();
    let (bound, whole) = (x.bound.max(update.bound), x.integral && update.integral);
    d.push(DynamicUpdateSlice {}, &args, x.ty.clone(), bound, whole)?;
    Some(())
}

/// Attributes and indices of a gather or scatter.
struct Addressing {
    /// Slice size of each operand dimension; 1 for batch dimensions.
    sizes: Vec<usize>,
    /// Indexed operand dimensions, in the order of the index vector.
    map: Dims,
    /// Operand dimensions of slice size 1 that are dropped from the slices.
    collapsed: Dims,
    operand_batch: Dims,
    index_batch: Dims,
    vector_dim: usize,
    indices: GeneratedValue,
    /// Shape of the indices without the index vector dimension.
    outer: Shape,
}

/// Returns random attributes and indices for an operand of rank 1 or more.
fn addressing(d: &mut Generator<'_>, x: &GeneratedValue) -> Option<Addressing> {
    let rank = x.rank();
    let order = d.tape.permutation(rank);
    let batch = if rank > 1 && d.tape.one_in(3) { 1 } else { 0 };
    let addressed = 1 + if rank > 1 + batch && d.tape.one_in(3) { 1 } else { 0 };
    let operand_batch: Dims = order[..batch].iter().copied().collect();
    let map: Dims = order[batch..batch + addressed].iter().copied().collect();
    let mut sizes = x.ty.shape.to_vec();
    let mut collapsed = Dims::new();
    for &dim in &operand_batch {
        sizes[dim] = 1;
    }
    for &dim in &map {
        sizes[dim] = sizes[dim].min(1 + d.tape.below(2));
        if sizes[dim] == 1 && d.tape.below(3) > 0 {
            collapsed.push(dim);
        }
    }
    for &dim in &order[batch + addressed..] {
        if d.tape.one_in(4) {
            sizes[dim] = d.tape.below(sizes[dim] + 1);
        }
    }
    collapsed.sort_unstable();
    // A batch dimension must have equal sizes in the operand and in the indices.
    let outer_rank = batch + d.tape.below(3 - batch);
    let mut outer = d.shape(outer_rank);
    let mut index_batch = Dims::new();
    for (i, &dim) in operand_batch.iter().enumerate() {
        outer[i] = x.ty.shape[dim];
        index_batch.push(i);
    }
    let mut shape = outer.clone();
    let scalar = addressed == 1 && d.tape.one_in(2);
    let vector_dim = if scalar || d.tape.one_in(2) { outer_rank } else { d.tape.below(outer_rank + 1) };
    if !scalar {
        shape.0.insert(vector_dim, addressed);
    }
    for dim in &mut index_batch {
        *dim += usize::from(!scalar && vector_dim <= *dim);
    }
    let most = map.iter().map(|&dim| x.ty.shape[dim]).max().unwrap_or(0) as i64;
    let indices = d.ranged_input(Type { shape, dtype: DType::I32 }, -1, most);
    Some(Addressing { sizes, map, collapsed, operand_batch, index_batch, vector_dim, indices, outer })
}

impl Addressing {
    /// Returns the positions of slice dimensions in the result, and the shape of the result. Slice dimensions are
    /// placed after the outer dimensions or at random positions.
    fn slices(&self, d: &mut Generator<'_>) -> (Dims, Shape) {
        let left_out = |dim: &usize| self.collapsed.contains(dim) || self.operand_batch.contains(dim);
        let inner: Vec<usize> = (0..self.sizes.len()).filter(|dim| !left_out(dim)).map(|dim| self.sizes[dim]).collect();
        let rank = self.outer.rank() + inner.len();
        let mut at = d.tape.permutation(rank);
        at.truncate(inner.len());
        at.sort_unstable();
        if d.tape.one_in(2) {
            at = (self.outer.rank()..rank).collect();
        }
        let (mut inner, mut outer) = (inner.into_iter(), self.outer.iter().copied());
        let shape = (0..rank).filter_map(|i| if at.contains(&i) { inner.next() } else { outer.next() }).collect();
        (at.into_iter().collect(), shape)
    }
}

fn gather(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() > 0 && !v.ty.shape.contains(&0))?;
    let a = addressing(d, &x)?;
    let (offset_dims, shape) = a.slices(d);
    let op = Gather {
        offset_dims,
        collapsed_dims: a.collapsed,
        operand_batch_dims: a.operand_batch,
        index_batch_dims: a.index_batch,
        index_map: a.map,
        index_vector_dim: a.vector_dim,
        slice_sizes: a.sizes.into_iter().collect(),
        fill: d.tape.one_in(2),
    };
    d.push(op, &[&x, &a.indices], Type { shape, dtype: x.ty.dtype }, x.bound, x.integral)?;
    Some(())
}

/// Appends a scatter of many sharded updates into few rows, for which partial sums are cheaper than gathered updates.
fn many_updates(d: &mut Generator<'_>) -> Option<()> {
    let dtype = d.tape.pick(&[DType::I32, DType::F32])?;
    let (rows, columns, n) = (2 + d.tape.below(4), 1 + d.tape.below(3), 60 + d.tape.below(5));
    let x = d.input(Type::new(dtype, [rows, columns]), 3);
    let indices = d.ranged_input(Type::new(DType::I32, [n]), -1, rows as i64);
    let updates = d.input(Type::new(dtype, [n, columns]), 3);
    for val in [&indices, &updates] {
        shard_over_first_axis(&mut d.program, val.id, 0);
    }
    let op = Scatter {
        combine: Combine::Sum,
        update_window_dims: Dims::from_slice(&[1]),
        inserted_dims: Dims::from_slice(&[0]),
        operand_batch_dims: Dims::new(),
        index_batch_dims: Dims::new(),
        index_map: Dims::from_slice(&[0]),
        index_vector_dim: 1,
    };
    let bound = x.bound + n as f64 * updates.bound;
    d.push(op, &[&x, &indices, &updates], x.ty.clone(), bound, true)?;
    Some(())
}

fn scatter(d: &mut Generator<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() > 0 && v.integral && v.ty.dtype != DType::Bool)?;
    let a = addressing(d, &x)?;
    let (update_window_dims, shape) = a.slices(d);
    let updates = d.input(Type { shape, dtype: x.ty.dtype }, 3);
    let combine = d.tape.pick(&Combine::ALL)?;
    let op = Scatter {
        combine,
        update_window_dims,
        inserted_dims: a.collapsed,
        operand_batch_dims: a.operand_batch,
        index_batch_dims: a.index_batch,
        index_map: a.map,
        index_vector_dim: a.vector_dim,
    };
    let n = updates.ty.shape.count() as f64;
    let bound = match combine {
        Combine::Set | Combine::Max | Combine::Min => x.bound.max(updates.bound),
        Combine::Sum => x.bound + n * updates.bound,
        Combine::Prod if x.ty.dtype.is_float() && n > 8.0 => return None,
        Combine::Prod => x.bound * updates.bound.powf(n),
    };
    d.push(op, &[&x, &a.indices, &updates], x.ty.clone(), bound, true)?;
    Some(())
}

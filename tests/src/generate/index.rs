//! Operations with indices that are known at run time only.

use super::Step;
use super::place::split_first;
use super::pool::{Draw, Val};
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

/// A scalar start for each dimension, sometimes out of range.
fn starts(d: &mut Draw<'_>, shape: &Shape) -> Vec<Val> {
    shape.iter().map(|&n| d.ranged_input(Type::new(DType::I32, []), -1, n as i64)).collect()
}

/// A box that fits into the shape.
fn inside(d: &mut Draw<'_>, shape: &Shape) -> Shape {
    shape.iter().map(|&n| if d.tape.one_in(2) { n } else { d.tape.below(n + 1) }).collect()
}

fn dynamic_slice(d: &mut Draw<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() > 0)?;
    let shape = inside(d, &x.ty.shape);
    let starts = starts(d, &x.ty.shape);
    let args: Vec<&Val> = [&x].into_iter().chain(&starts).collect();
    let op = DynamicSlice { sizes: shape.iter().copied().collect() };
    d.push(op, &args, Type { shape, dtype: x.ty.dtype }, x.bound, x.whole)?;
    Some(())
}

fn dynamic_update_slice(d: &mut Draw<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() > 0)?;
    let shape = inside(d, &x.ty.shape);
    let update = d.another(&Type { shape, dtype: x.ty.dtype });
    let starts = starts(d, &x.ty.shape);
    let args: Vec<&Val> = [&x, &update].into_iter().chain(&starts).collect();
    let (bound, whole) = (x.bound.max(update.bound), x.whole && update.whole);
    d.push(DynamicUpdateSlice {}, &args, x.ty.clone(), bound, whole)?;
    Some(())
}

/// How a gather or scatter addresses its operand.
struct Addressing {
    /// Sizes of the window in the operand, 1 for dimensions that the slices do not have.
    sizes: Vec<usize>,
    /// Operand dimensions that are addressed, in the order of the index vector.
    map: Dims,
    /// Operand dimensions of slice size 1 that are left out of the slices.
    collapsed: Dims,
    operand_batch: Dims,
    index_batch: Dims,
    vector_dim: usize,
    indices: Val,
    /// Dimensions of the indices, without the vector.
    outer: Shape,
}

fn addressing(d: &mut Draw<'_>, x: &Val) -> Option<Addressing> {
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
    // A batched dimension must be as large in the operand as in the indices.
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
    /// Where the dimensions of the slices stand in the result: behind the outer ones, before them, or mixed.
    fn slices(&self, d: &mut Draw<'_>) -> (Dims, Shape) {
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

fn gather(d: &mut Draw<'_>) -> Option<()> {
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
    d.push(op, &[&x, &a.indices], Type { shape, dtype: x.ty.dtype }, x.bound, x.whole)?;
    Some(())
}

/// Many updates of few rows, split among the devices, so that it pays to give each a partial sum.
fn many_updates(d: &mut Draw<'_>) -> Option<()> {
    let dtype = d.tape.pick(&[DType::I32, DType::F32])?;
    let (rows, columns, n) = (2 + d.tape.below(4), 1 + d.tape.below(3), 60 + d.tape.below(5));
    let x = d.input(Type::new(dtype, [rows, columns]), 3);
    let indices = d.ranged_input(Type::new(DType::I32, [n]), -1, rows as i64);
    let updates = d.input(Type::new(dtype, [n, columns]), 3);
    for val in [&indices, &updates] {
        split_first(&mut d.program, val.id, 0);
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

fn scatter(d: &mut Draw<'_>) -> Option<()> {
    let x = d.find(|v| v.rank() > 0 && v.whole && v.ty.dtype != DType::Bool)?;
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

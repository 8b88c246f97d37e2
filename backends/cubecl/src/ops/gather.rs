//! Ops that load or store at data-dependent positions: `gather`, `dynamic_slice` and `dynamic_update_slice`. Also
//! `bitcast`.

use super::operands::{LoweredOp, Operand, as_index};
use crate::assembler::{Assembler, Value};
use crate::gpu::Lowerer;
use crate::kernels::steps::RegClass;
use partita_ir::arena::OpId;
use partita_ir::ops::{Gather, Scatter};

/// Dimension numbers common to `gather` and `scatter`: slices of an operand, each at the position given by an index
/// vector. The slices form a third array, the result of `gather` or the updates of `scatter`.
pub(crate) struct Slices<'a> {
    /// Dimensions of the slice array that run over a slice.
    window: &'a [usize],
    /// Operand dimensions of slice size one that the slice array lacks.
    dropped: &'a [usize],
    operand_batch: &'a [usize],
    index_batch: &'a [usize],
    map: &'a [usize],
    vector_dim: usize,
}

impl<'a> From<&'a Gather> for Slices<'a> {
    fn from(op: &'a Gather) -> Self {
        Slices {
            window: &op.offset_dims,
            dropped: &op.collapsed_dims,
            operand_batch: &op.operand_batch_dims,
            index_batch: &op.index_batch_dims,
            map: &op.index_map,
            vector_dim: op.index_vector_dim,
        }
    }
}

impl<'a> From<&'a Scatter> for Slices<'a> {
    fn from(op: &'a Scatter) -> Self {
        Slices {
            window: &op.update_window_dims,
            dropped: &op.inserted_dims,
            operand_batch: &op.operand_batch_dims,
            index_batch: &op.index_batch_dims,
            map: &op.index_map,
            vector_dim: op.index_vector_dim,
        }
    }
}

impl Slices<'_> {
    /// Returns true if an index vector or a batch index determines the position of slices along dimension `d` of the
    /// operand.
    pub(crate) fn is_positioned(&self, d: usize) -> bool {
        self.map.contains(&d) || self.operand_batch.contains(&d)
    }

    /// Returns the dimension of the slice array that runs over a slice along dimension `d` of the operand.
    pub(crate) fn window_of(&self, d: usize) -> Option<usize> {
        let is_slice = |d: &usize| !self.dropped.contains(d) && !self.operand_batch.contains(d);
        if is_slice(&d) { self.window.get((0..d).filter(is_slice).count()).copied() } else { None }
    }

    /// Returns the dimensions of the slice array that enumerate the slices.
    pub(crate) fn outer(&self, rank: usize) -> Vec<usize> {
        (0..rank).filter(|d| !self.window.contains(d)).collect()
    }

    /// Computes the start of a slice along each dimension of an operand of rank `rank`. `None` means that the slice is
    /// not positioned along the dimension.
    pub(crate) fn starts(
        &self,
        a: &mut Assembler,
        indices: &Operand,
        outer: &[Value],
        rank: usize,
    ) -> Vec<Option<Value>> {
        let mut outer = outer.iter().copied();
        let index_rank = indices.view.shape.len();
        let none = a.int(0);
        let mut at: Vec<Value> =
            (0..index_rank).map(|d| if d == self.vector_dim { none } else { outer.next().unwrap_or(none) }).collect();
        let mut starts = vec![None; rank];
        for (component, &d) in self.map.iter().enumerate() {
            if self.vector_dim < index_rank {
                at[self.vector_dim] = a.int(component);
            }
            starts[d] = Some(indices.load_index(a, &at));
        }
        for (&d, &i) in self.operand_batch.iter().zip(self.index_batch) {
            starts[d] = Some(at[i]);
        }
        starts
    }
}

/// Lowers `gather` to a kernel with one unit per element of the result.
pub(crate) fn gather(to: &mut Lowerer<'_>, id: OpId, op: &Gather) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [operand, indices] = &operands[..] else { return None };
    let out = &to.program.ty(to.program.ops[id].outs[0]).shape;
    let slices = Slices::from(op);
    let mut a = Assembler::default();
    let element = a.element();
    let at = a.indices(element, out);
    let outer: Vec<Value> = slices.outer(out.rank()).iter().map(|&d| at[d]).collect();
    let starts = slices.starts(&mut a, indices, &outer, operand.view.shape.len());
    let mut conditions = Vec::new();
    let mut positions = Vec::new();
    for (d, start) in starts.into_iter().enumerate() {
        let within = slices.window_of(d).map(|w| at[w]);
        let start = start.map(|start| {
            let last = operand.view.shape[d] - op.slice_sizes[d];
            if op.fill {
                conditions.push(a.is_inside(start, last + 1));
            }
            a.clamped(start, last)
        });
        positions.push(match (start, within) {
            (Some(start), Some(within)) => a.add(start, within),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => a.int(0),
        });
    }
    let found = operand.load(&mut a, &positions);
    let result = match a.conjunction(conditions) {
        Some(inside) => {
            let zero = a.bits(operand.class, 0);
            a.select(inside, found, zero)
        }
        None => found,
    };
    lowered.output(0).store_here(&mut a, result);
    lowered.pointwise(to, out.count(), a);
    Some(())
}

/// Computes the start of a slice, clamped so that the slice is within the operand.
fn clamped_starts(a: &mut Assembler, starts: &[Operand], shape: &[usize], sizes: &[usize]) -> Vec<Value> {
    let start = |(start, (&n, &size)): (&Operand, (&usize, &usize))| {
        let start = start.load_scalar(a);
        let start = as_index(a, start);
        a.clamped(start, n - size)
    };
    starts.iter().zip(shape.iter().zip(sizes)).map(start).collect()
}

/// Lowers `dynamic_slice`.
pub(crate) fn dynamic_slice(to: &mut Lowerer<'_>, id: OpId) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let (x, starts) = operands.split_first()?;
    let out = &to.program.ty(to.program.ops[id].outs[0]).shape;
    let mut a = Assembler::default();
    let element = a.element();
    let at = a.indices(element, out);
    let starts = clamped_starts(&mut a, starts, &x.view.shape, out);
    let positions: Vec<Value> = at.iter().zip(starts).map(|(&at, start)| a.add(at, start)).collect();
    let found = x.load(&mut a, &positions);
    lowered.output(0).store_here(&mut a, found);
    lowered.pointwise(to, out.count(), a);
    Some(())
}

/// Lowers `dynamic_update_slice`: elements in the slice are those of the update, all others those of the operand.
pub(crate) fn dynamic_update_slice(to: &mut Lowerer<'_>, id: OpId) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [x, update, starts @ ..] = &operands[..] else { return None };
    let out = &to.program.ty(to.program.ops[id].outs[0]).shape;
    let mut a = Assembler::default();
    let element = a.element();
    let at = a.indices(element, out);
    let old = x.load_here(&mut a);
    let mut result = old;
    if update.view.count() > 0 {
        let starts = clamped_starts(&mut a, starts, out, &update.view.shape);
        let within: Vec<Value> = at.iter().zip(starts).map(|(&at, start)| a.sub(at, start)).collect();
        let sizes = &update.view.shape;
        let conditions: Vec<Value> = within.iter().zip(sizes).map(|(&i, &size)| a.is_inside(i, size)).collect();
        let positions: Vec<Value> = within.iter().zip(sizes).map(|(&i, &size)| a.clamped(i, size - 1)).collect();
        let new = update.load(&mut a, &positions);
        result = match a.conjunction(conditions) {
            Some(inside) => a.select(inside, new, old),
            None => new,
        };
    }
    lowered.output(0).store_here(&mut a, result);
    lowered.pointwise(to, out.count(), a);
    Some(())
}

/// Lowers a bitcast between types of 32 bits.
pub(crate) fn bitcast(to: &mut Lowerer<'_>, id: OpId) -> Option<()> {
    let (lowered, operands) = LoweredOp::new(to, id)?;
    let [x] = &operands[..] else { return None };
    let out = to.program.ty(to.program.ops[id].outs[0]);
    if (x.dtype.bytes(), out.dtype.bytes()) != (4, 4) {
        return None;
    }
    let mut a = Assembler::default();
    let bits = x.load_here(&mut a);
    let bits = a.bitcast(RegClass::from_stored_dtype(out.dtype)?, bits);
    lowered.output(0).store_here(&mut a, bits);
    lowered.pointwise(to, out.shape.count(), a);
    Some(())
}

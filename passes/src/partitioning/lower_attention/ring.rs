//! Ring attention (Liu et al. 2023): shards of keys and values circulate among the devices.
//!
//! In step `j`, each device attends to the shard of the device `j` after it, while the next shard arrives. The results
//! are merged by log-sum-exp. In the backward pass, the gradients of a shard travel with it, one step behind, and
//! return to its device after the last step.

use super::merge::{Partial, convert_to, widen};
use super::placement::Order;
use super::{RowOperands, Site};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::dtype::{DType, Type};
use partita_ir::ops::{Attention, BinaryOp, DynamicSlice, Pad};
use partita_ir::program::Values;
use partita_ir::tensor::Scalar;

/// Keys and values of one device's shard of the columns.
#[derive(Clone, Copy)]
struct Block {
    k: ValueId,
    v: ValueId,
    /// Positions of the columns, if they are exchanged with the columns.
    columns: Option<ValueId>,
}

impl Block {
    fn map(self, mut f: impl FnMut(ValueId) -> ValueId) -> Block {
        Block { k: f(self.k), v: f(self.v), columns: self.columns.map(&mut f) }
    }
}

impl Site {
    /// Appends the forward pass for the placed queries `q`.
    pub(super) fn ring(&self, b: &mut Builder<'_>, q: ValueId) -> Values {
        let dtype = b.ty(q).dtype;
        let rows = self.placement.row_positions(b);
        let mask = self.padded_mask(b);
        let mut block = self.own_block(b);
        let mut merged: Option<Partial> = None;
        for step in 0..self.placement.ring.devices {
            // The next shard arrives during the attention to this one.
            let next = self.next_block(b, block, step);
            let (positions, mask) = (self.positions(b, rows, &block, step), self.block_mask(b, mask, step));
            let op = self.block_attention(positions, self.placement.visible_of_shard(step));
            let op = Attention { log_sum_exp: true, ..op };
            let outs = self.attend(b, op, [q, block.k, block.v], mask, positions);
            let partial = Partial::new(b, outs[0], outs[1]);
            merged = Some(match merged {
                Some(merged) => merged.merge(b, partial),
                None => partial,
            });
            block = next;
        }
        let Some(Partial { result, log_sum_exp }) = merged else { return Values::new() };
        let result = convert_to(b, result, dtype);
        [result].into_iter().chain(self.returns_log_sum_exp.then_some(log_sum_exp)).collect()
    }

    /// Appends the gradients.
    pub(super) fn ring_gradient(&self, b: &mut Builder<'_>, rows: &RowOperands) -> [ValueId; 3] {
        let dtype = b.ty(rows.q).dtype;
        let row_positions = self.placement.row_positions(b);
        let mask = self.padded_mask(b);
        let mut block = self.own_block(b);
        let mut sums: Option<[ValueId; 3]> = None;
        for step in 0..self.placement.ring.devices {
            let next = self.next_block(b, block, step);
            // The gradients of this shard from the steps before arrive during this step.
            let arrived =
                sums.map(|[q, k, v]| [q, self.placement.ring.send_back(b, k), self.placement.ring.send_back(b, v)]);
            let (positions, mask) = (self.positions(b, row_positions, &block, step), self.block_mask(b, mask, step));
            let op = self.block_attention(positions, self.placement.visible_of_shard(step));
            let gradients = self.attend_gradient(b, &op, rows, [block.k, block.v], mask, positions);
            let gradients = gradients.map(|x| widen(b, x));
            sums = Some(match arrived {
                Some(sums) => [0, 1, 2].map(|i| b.binary(BinaryOp::Add, sums[i], gradients[i])),
                None => gradients,
            });
            block = next;
        }
        let [q, k, v] = sums.unwrap_or([rows.q, self.k, self.v]);
        let [k, v] = [k, v].map(|x| {
            // The gradients of a shard are on the device before its own.
            let home = self.placement.ring.send_back(b, x);
            let home = self.placement.restore(b, home, 2);
            convert_to(b, home, dtype)
        });
        [convert_to(b, q, dtype), k, v]
    }

    /// Appends this device's shard of the columns, placed.
    fn own_block(&self, b: &mut Builder<'_>) -> Block {
        let [k, v] = [self.k, self.v].map(|x| {
            let x = self.placement.zero_padding(b, x, 2);
            self.placement.exchange(b, x, 2)
        });
        let columns = match self.placement.order {
            Order::Padded { .. } => self.placement.column_positions(b, 0),
            Order::Unordered | Order::Contiguous | Order::ZigZag => None,
        };
        Block { k, v, columns }
    }

    /// Appends the exchange after a step. After the last one there is none.
    fn next_block(&self, b: &mut Builder<'_>, block: Block, step: usize) -> Block {
        if step + 1 == self.placement.ring.devices { block } else { block.map(|x| self.placement.ring.send_back(b, x)) }
    }

    /// Returns the positions of the rows and of the columns in a step.
    fn positions(
        &self,
        b: &mut Builder<'_>,
        rows: Option<ValueId>,
        block: &Block,
        step: usize,
    ) -> Option<[ValueId; 2]> {
        let rows = rows?;
        let columns = match block.columns {
            Some(columns) => columns,
            None => self.placement.column_positions(b, step)?,
        };
        Some([rows, columns])
    }

    /// Returns the mask with columns appended such that a padded shard's columns exist. The positions hide them.
    fn padded_mask(&self, b: &mut Builder<'_>) -> Option<ValueId> {
        let mask = self.optional.mask?;
        let mut ty = b.ty(mask);
        let Order::Padded { .. } = self.placement.order else { return Some(mask) };
        let Some(dim) = column_dim(&ty) else { return Some(mask) };
        let mut high = vec![0; ty.shape.rank()];
        high[dim] = self.placement.local as i64;
        ty.shape[dim] += self.placement.local;
        let hidden = b.splat(Type::new(DType::Bool, []), Scalar::Int(0));
        let pad = Pad { low: vec![0; ty.shape.rank()], high, interior: Default::default() };
        Some(b.op("mask", pad, &[mask, hidden], ty))
    }

    /// Returns the mask of the columns in a step.
    fn block_mask(&self, b: &mut Builder<'_>, mask: Option<ValueId>, step: usize) -> Option<ValueId> {
        let mask = mask?;
        let mut ty = b.ty(mask);
        let Some(dim) = column_dim(&ty) else { return Some(mask) };
        let start = self.placement.column_start(b, step);
        ty.shape[dim] = self.placement.local;
        let zero = b.splat_like(start, Scalar::Int(0));
        let starts = (0..ty.shape.rank()).map(|i| if i == dim { start } else { zero });
        let args: Values = [mask].into_iter().chain(starts).collect();
        let slice = DynamicSlice { sizes: ty.shape.iter().copied().collect() };
        Some(b.op("mask", slice, &args, ty))
    }
}

/// Returns the dimension of a mask that has the columns. `None` if all columns have the same mask.
fn column_dim(mask: &Type) -> Option<usize> {
    mask.shape.last().filter(|n| **n > 1).map(|_| mask.shape.rank() - 1)
}

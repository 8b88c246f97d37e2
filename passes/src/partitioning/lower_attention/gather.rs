//! Attention of a device's rows to all columns, which are gathered if they are sharded.

use super::placement::Order;
use super::{RowOperands, Site, row_count};
use partita_ir::arena::ValueId;
use partita_ir::build::Builder;
use partita_ir::layout::Monoid;
use partita_ir::ops::{AllGather, Attention, ContextMethod, ReduceScatter};
use partita_ir::program::Values;

impl Site {
    /// Appends the forward pass for the placed queries `q`.
    pub(super) fn gathered(&self, b: &mut Builder<'_>, q: ValueId) -> Values {
        let [k, v] = self.all_columns(b);
        let positions = self.all_positions(b, row_count(&b.ty(k)));
        let op = Attention {
            log_sum_exp: self.returns_log_sum_exp,
            ..self.block_attention(positions, self.placement.visible_of_all())
        };
        self.attend(b, op, [q, k, v], self.optional.mask, positions)
    }

    /// Appends the gradients. Those of the gathered keys and values are summed over the devices and scattered.
    pub(super) fn gathered_gradient(&self, b: &mut Builder<'_>, rows: &RowOperands) -> [ValueId; 3] {
        let [k, v] = self.all_columns(b);
        let positions = self.all_positions(b, row_count(&b.ty(k)));
        let op = self.block_attention(positions, self.placement.visible_of_all());
        let [q, k, v] = self.attend_gradient(b, &op, rows, [k, v], self.optional.mask, positions);
        let [k, v] = [(k, self.k), (v, self.v)].map(|(gradient, operand)| {
            let ty = b.ty(operand);
            let (dim, axes) = (ty.shape.rank() - 2, self.placement.ring.axes.clone());
            b.op("gradient", ReduceScatter { monoid: Monoid::Sum, dim, axes }, &[gradient], ty)
        });
        [q, k, v]
    }

    /// Returns all keys and values.
    fn all_columns(&self, b: &mut Builder<'_>) -> [ValueId; 2] {
        if self.method == ContextMethod::Replicated {
            return [self.k, self.v];
        }
        [("keys", self.k), ("values", self.v)].map(|(name, value)| {
            let value = self.placement.zero_padding(b, value, 2);
            let dim = b.ty(value).shape.rank() - 2;
            self.all_gather(b, name, value, dim)
        })
    }

    fn all_gather(&self, b: &mut Builder<'_>, name: &str, value: ValueId, dim: usize) -> ValueId {
        let mut ty = b.ty(value);
        ty.shape[dim] *= self.placement.ring.devices;
        b.op(name, AllGather { dim, axes: self.placement.ring.axes.clone() }, &[value], ty)
    }

    /// Returns the positions of this device's rows and of all columns.
    fn all_positions(&self, b: &mut Builder<'_>, columns: usize) -> Option<[ValueId; 2]> {
        let rows = self.placement.row_positions(b)?;
        let columns = match (self.method, self.placement.order) {
            (ContextMethod::Gather, Order::Padded { .. }) => {
                let own = self.placement.column_positions(b, 0)?;
                self.all_gather(b, "position", own, 0)
            }
            (_, _) => self.placement.global_column_positions(b, columns)?,
        };
        Some([rows, columns])
    }
}

//! Lowering of dynamic slices, gathers and scatters, whose indices are run-time values.

use super::Importer;
use super::region::Reducer;
use crate::fault::{Fault, Result};
use crate::syntax::Op;
use partita_ir::arena::ValueId;
use partita_ir::layout::Monoid;
use partita_ir::ops::{Combine, DynamicSlice, Gather, Scatter};
use partita_ir::program::Values;

impl<'m, 'a> Importer<'m, 'a> {
    pub(super) fn dynamic_slice(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        self.emit(op, DynamicSlice { sizes: op.dims("slice_sizes")? }, args)
    }

    pub(super) fn gather(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let fields = op.fields("dimension_numbers")?;
        let kind = Gather {
            offset_dims: fields.dims("offset_dims")?,
            collapsed_dims: fields.dims("collapsed_slice_dims")?,
            operand_batch_dims: fields.dims("operand_batching_dims")?,
            index_batch_dims: fields.dims("start_indices_batching_dims")?,
            index_map: fields.dims("start_index_map")?,
            index_vector_dim: fields.dim("index_vector_dim")?,
            slice_sizes: op.dims("slice_sizes")?,
            fill: false,
        };
        self.emit(op, kind, args)
    }

    pub(super) fn scatter(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        if args.len() != 3 {
            let title = format!("`{}` of several operands is not supported", op.code.name());
            return Err(Fault::unsupported(title, op.span()).help("scatter into one tensor at a time"));
        }
        let combine = match self.classify_reducer(op)? {
            Reducer::Monoid(Monoid::Sum) => Combine::Sum,
            Reducer::Monoid(Monoid::Prod) => Combine::Prod,
            Reducer::Monoid(Monoid::Max) => Combine::Max,
            Reducer::Monoid(Monoid::Min) => Combine::Min,
            Reducer::Second => Combine::Set,
            Reducer::Monoid(Monoid::And | Monoid::Or) | Reducer::Other => {
                let title = format!("`{}` combines updates in a way that is not supported", op.code.name());
                return Err(Fault::unsupported(title, op.span()).help(
                    "updates may replace elements, be added or multiplied, or be combined by maximum or minimum",
                ));
            }
        };
        let fields = op.fields("scatter_dimension_numbers")?;
        let kind = Scatter {
            combine,
            update_window_dims: fields.dims("update_window_dims")?,
            inserted_dims: fields.dims("inserted_window_dims")?,
            operand_batch_dims: fields.dims("input_batching_dims")?,
            index_batch_dims: fields.dims("scatter_indices_batching_dims")?,
            index_map: fields.dims("scatter_dims_to_operand_dims")?,
            index_vector_dim: fields.dim("index_vector_dim")?,
        };
        self.emit(op, kind, args)
    }
}

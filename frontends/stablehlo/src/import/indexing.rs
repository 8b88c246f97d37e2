//! Lowering of dynamic slices, gathers and scatters, whose indices are run-time values.

use super::Importer;
use super::region::{LoweredRegion, Reducer};
use crate::counterparts::monoid;
use crate::fault::{Fault, Result};
use crate::syntax::Op;
use partita_ir::arena::ValueId;
use partita_ir::dtype::Type;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
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

    /// Lowers a scatter of one or more operands. An operand whose result depends on its own elements and updates only
    /// is scattered alone.
    pub(super) fn scatter(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let fields = op.fields("scatter_dimension_numbers")?;
        let kind = Scatter {
            combine: Combine::Set,
            update_window_dims: fields.dims("update_window_dims")?,
            inserted_dims: fields.dims("inserted_window_dims")?,
            operand_batch_dims: fields.dims("input_batching_dims")?,
            index_batch_dims: fields.dims("scatter_indices_batching_dims")?,
            index_map: fields.dims("scatter_dims_to_operand_dims")?,
            index_vector_dim: fields.dim("index_vector_dim")?,
        };
        if let (&[operand, _, _], Some(combine)) = (args, self.only_combination(op)?)
            && combine.supports(self.program.ty(operand).dtype)
        {
            return self.emit(op, Scatter { combine, ..kind }, args);
        }
        let count = args.len() / 2;
        let (&[ref operands @ .., indices], updates) = args.split_at(count + 1) else {
            return Err(self.op_fault(op, "takes operands, indices and updates"));
        };
        let update = self.scalar_region(op)?;
        self.has_unused_ops = true;
        let types: Vec<Type> = operands.iter().map(|&x| self.program.ty(x).clone()).collect();
        if types != op.types[..] {
            return Err(self.op_fault(op, "does not return the types of its operands"));
        }
        for (i, ty) in types.iter().enumerate() {
            let scatter = OpKind::from(kind.clone());
            self.check(op, &scatter, &[operands[i], indices, updates[i]], std::slice::from_ref(ty))?;
        }
        let combinations: Option<Vec<Combine>> = (0..count)
            .map(|i| self.combination(&update, i).filter(|combine| combine.supports(types[i].dtype)))
            .collect();
        let (combinations, updates) = match combinations {
            Some(combinations) => (combinations, updates.to_vec()),
            None if op.flag("unique_indices") => {
                let before: Vec<ValueId> =
                    operands.iter().zip(updates).map(|(&x, &u)| self.gathered(&kind, x, indices, u)).collect();
                (vec![Combine::Set; count], self.combined(op, &update, &before, updates)?)
            }
            None if kind.operand_batch_dims.is_empty() => {
                return self.sequential_scatter(op, &kind, &update, operands, indices, updates);
            }
            None => {
                let title = format!("`{}` combines updates in a way that is not supported", op.code.name());
                return Err(Fault::unsupported(title, op.span())
                    .note("it has batch dimensions, and its result could depend on the order of updates")
                    .help("pass `unique_indices=True` if no element is updated twice")
                    .help("or replace elements, add, multiply, or take the maximum or minimum"));
            }
        };
        let mut results = Values::new();
        for (i, combine) in combinations.into_iter().enumerate() {
            let scatter = OpKind::from(Scatter { combine, ..kind.clone() });
            results.push(self.temp("scatter", scatter, &[operands[i], indices, updates[i]], types[i].clone()));
        }
        Ok(results)
    }

    /// Returns the combination of a scatter of one operand whose region is a single operation.
    fn only_combination(&self, op: &Op<'a>) -> Result<Option<Combine>> {
        Ok(match self.classify_reducer(op)? {
            Reducer::Monoid(monoid) => combine_of(monoid),
            Reducer::Second => Some(Combine::Set),
            Reducer::Other => None,
        })
    }

    /// Returns how a lowered region combines element `i` with its update, if independently of other operands.
    fn combination(&self, update: &LoweredRegion, i: usize) -> Option<Combine> {
        let (old, new) = (update.inputs[i], update.inputs[update.inputs.len() / 2 + i]);
        let result = update.outputs[i];
        if result == new {
            return Some(Combine::Set);
        }
        let mut ops = update.body.iter().map(|&id| &self.program.ops[id]);
        let defining = ops.find(|op| op.outs.contains(&result))?;
        match (&defining.kind, &defining.args[..]) {
            (OpKind::Binary(binary), &[x, y]) if (x, y) == (old, new) || (x, y) == (new, old) => {
                combine_of(monoid(binary.op)?)
            }
            _ => None,
        }
    }

    /// Gathers the elements that a scatter updates, in the shape of its updates.
    pub(super) fn gathered(
        &mut self,
        scatter: &Scatter,
        operand: ValueId,
        indices: ValueId,
        updates: ValueId,
    ) -> ValueId {
        let ty = self.program.ty(updates).clone();
        let shape = &self.program.ty(operand).shape;
        let mut windows = scatter.update_window_dims.iter().map(|&dim| ty.shape[dim]);
        let single = |dim: &usize| scatter.inserted_dims.contains(dim) || scatter.operand_batch_dims.contains(dim);
        let slice_sizes =
            (0..shape.rank()).map(|dim| if single(&dim) { 1 } else { windows.next().unwrap_or(1) }).collect();
        let gather = Gather {
            offset_dims: scatter.update_window_dims.clone(),
            collapsed_dims: scatter.inserted_dims.clone(),
            operand_batch_dims: scatter.operand_batch_dims.clone(),
            index_batch_dims: scatter.index_batch_dims.clone(),
            index_map: scatter.index_map.clone(),
            index_vector_dim: scatter.index_vector_dim,
            slice_sizes,
            fill: true,
        };
        self.temp("before", gather, &[operand, indices], ty)
    }
}

/// Returns the combination of a scatter that a monoid defines.
const fn combine_of(monoid: Monoid) -> Option<Combine> {
    match monoid {
        Monoid::Sum => Some(Combine::Sum),
        Monoid::Prod => Some(Combine::Prod),
        Monoid::Max => Some(Combine::Max),
        Monoid::Min => Some(Combine::Min),
        Monoid::And | Monoid::Or => None,
    }
}

//! Lowering of a scatter whose result may depend on the order of the updates of an element: a loop over the index
//! vectors, each iteration of which reads a slice of the operands, combines it with the updates, and writes it.

use super::Importer;
use super::region::{LoweredRegion, Scope};
use crate::fault::Result;
use crate::syntax::Op;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Shape, Type};
use partita_ir::ops::{Binary, BinaryOp, Combine, Constant, DynamicSlice, Literal, Loop, Reshape, Scatter, Transpose};
use partita_ir::program::Values;
use partita_ir::syntax::attr::Dims;
use partita_ir::tensor::Scalar;

impl<'m, 'a> Importer<'m, 'a> {
    /// Lowers a scatter without batch dimensions that combines updates by any function of scalars, in row-major order
    /// of the index vectors.
    pub(super) fn sequential_scatter(
        &mut self,
        op: &'m Op<'a>,
        scatter: &Scatter,
        update: &LoweredRegion,
        operands: &[ValueId],
        indices: ValueId,
        updates: &[ValueId],
    ) -> Result<Values> {
        let indices = self.index_rows(scatter, indices);
        let updates: Vec<ValueId> = updates.iter().map(|&x| self.update_rows(scatter, x)).collect();
        let rows = self.program.ty(indices).shape[0];
        let row = Scatter {
            update_window_dims: (1..=scatter.update_window_dims.len()).collect(),
            index_vector_dim: 1,
            ..scatter.clone()
        };
        let start = self.temp("c", Constant { value: Literal::Splat(Scalar::Int(0)) }, &[], Type::new(DType::I32, []));
        let carried: Vec<ValueId> =
            operands.iter().copied().chain([start, indices]).chain(updates.iter().copied()).collect();
        let types: Vec<Type> = carried.iter().map(|&x| self.program.ty(x).clone()).collect();
        let count = operands.len();
        let body = self.lower_scope(Scope::INNERMOST, |importer| {
            let mut inputs = Vec::with_capacity(types.len());
            for ty in &types {
                let name = importer.namer.fresh("carried");
                inputs.push(importer.new_value(name, ty.clone()));
            }
            let (step, indices) = (inputs[count], inputs[count + 1]);
            let one = Constant { value: Literal::Splat(Scalar::Int(1)) };
            let one = importer.temp("c", one, &[], Type::new(DType::I32, []));
            let next = importer.temp("next", Binary { op: BinaryOp::Add }, &[step, one], Type::new(DType::I32, []));
            let index = importer.row(indices, step);
            let new: Vec<ValueId> = inputs[count + 2..].iter().map(|&x| importer.row(x, step)).collect();
            let old: Vec<ValueId> =
                inputs[..count].iter().zip(&new).map(|(&x, &new)| importer.gathered(&row, x, index, new)).collect();
            let combined = importer.combined(op, update, &old, &new)?;
            let mut outputs = Vec::with_capacity(inputs.len());
            for ((&x, combined), ty) in inputs.iter().zip(combined).zip(&types) {
                let set = Scatter { combine: Combine::Set, ..row.clone() };
                outputs.push(importer.temp("scatter", set, &[x, index, combined], ty.clone()));
            }
            outputs.push(next);
            outputs.extend_from_slice(&inputs[count + 1..]);
            Ok((inputs, outputs))
        })?;
        let body = self.add_func("scatter", body);
        let mut results = Values::new();
        for ty in types {
            let name = self.namer.fresh("scatter");
            results.push(self.new_value(name, ty));
        }
        self.push(Loop::counted(rows as u64, body).into(), &carried, results.clone());
        results.truncate(count);
        Ok(results)
    }

    /// Rearranges indices to one index vector per row.
    fn index_rows(&mut self, scatter: &Scatter, indices: ValueId) -> ValueId {
        let ty = self.program.ty(indices).clone();
        let vector = scatter.index_vector_dim;
        let others = (0..ty.shape.rank()).filter(|&d| d != vector);
        let rows = others.clone().map(|d| ty.shape[d]).product();
        let length = ty.shape.get(vector).copied().unwrap_or(1);
        let order: Dims = others.chain((vector < ty.shape.rank()).then_some(vector)).collect();
        self.rearranged(indices, order, [rows, length].into())
    }

    /// Rearranges updates to one slice per row.
    fn update_rows(&mut self, scatter: &Scatter, updates: ValueId) -> ValueId {
        let ty = self.program.ty(updates).clone();
        let window = &scatter.update_window_dims;
        let others = (0..ty.shape.rank()).filter(|d| !window.contains(d));
        let rows: usize = others.clone().map(|d| ty.shape[d]).product();
        let order: Dims = others.chain(window.iter().copied()).collect();
        let shape = [rows].into_iter().chain(window.iter().map(|&d| ty.shape[d])).collect();
        self.rearranged(updates, order, shape)
    }

    /// Transposes and reshapes a value.
    fn rearranged(&mut self, x: ValueId, order: Dims, shape: Shape) -> ValueId {
        let ty = self.program.ty(x).clone();
        let transposed = Type { shape: order.iter().map(|&d| ty.shape[d]).collect(), dtype: ty.dtype };
        let x = match order.iter().copied().eq(0..order.len()) {
            true => x,
            false => self.temp("rows", Transpose { perm: order }, &[x], transposed),
        };
        self.temp("rows", Reshape {}, &[x], Type { shape, dtype: ty.dtype })
    }

    /// Returns row number `step` of a value, as a tensor of one row.
    fn row(&mut self, x: ValueId, step: ValueId) -> ValueId {
        let mut ty = self.program.ty(x).clone();
        ty.shape[0] = 1;
        let zero = Constant { value: Literal::Splat(Scalar::Int(0)) };
        let zero = self.temp("c", zero, &[], Type::new(DType::I32, []));
        let mut args = vec![x, step];
        args.resize(1 + ty.shape.rank(), zero);
        self.temp("row", DynamicSlice { sizes: ty.shape.iter().copied().collect() }, &args, ty)
    }
}

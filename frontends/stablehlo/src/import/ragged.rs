//! Lowering of `chlo.ragged_dot`: products whose rows belong to groups of consecutive rows with sizes known at run
//! time, as those of the experts of a mixture of experts.

use super::Importer;
use crate::fault::{Fault, Result};
use crate::syntax::Op;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::Monoid;
use partita_ir::ops::{BinaryOp, Broadcast, Direction, DotGeneral, Iota, Reduce, Select, Transpose};
use partita_ir::program::Values;
use partita_ir::syntax::attr::{DimPairs, Dims};
use partita_ir::tensor::Scalar;
use smallvec::smallvec;

impl<'m, 'a> Importer<'m, 'a> {
    /// Lowers a ragged product `(lhs, rhs, group_sizes)` to a product with one masked copy of `lhs` for each group.
    ///
    /// If the ragged dimension is a row of `lhs`, each row is multiplied with the matrix of its group, a slice of
    /// `rhs`, and the groups are summed. If it is contracted, each group has a result of its own. If it is a batch
    /// dimension, groups have no effect. Rows after the last group give 0.
    pub(super) fn ragged_dot(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let &[lhs, rhs, sizes] = args else { return Err(self.op_fault(op, "takes three operands")) };
        let fields = op.fields("ragged_dot_dimension_numbers")?;
        let mut contract = DimPairs {
            lhs: fields.dims("lhs_contracting_dimensions")?,
            rhs: fields.dims("rhs_contracting_dimensions")?,
        };
        let mut batch =
            DimPairs { lhs: fields.dims("lhs_batching_dimensions")?, rhs: fields.dims("rhs_batching_dimensions")? };
        let (ragged, group_dims) = (fields.dims("lhs_ragged_dimensions")?, fields.dims("rhs_group_dimensions")?);
        let &[ragged] = &ragged[..] else {
            return Err(Fault::unsupported(
                format!("`{}` with {} ragged dimensions, not 1", op.code.name(), ragged.len()),
                op.span(),
            ));
        };
        let rank_of_sizes = self.program.ty(sizes).shape.rank();
        let dims_exist = ragged < self.program.ty(lhs).shape.rank();
        if batch.lhs.contains(&ragged) && group_dims.is_empty() {
            let args = self.widen_operands(op, &[lhs, rhs]);
            return self.emit(op, DotGeneral { contract, batch }, &args);
        }
        if rank_of_sizes != 1 || !dims_exist || !self.program.ty(sizes).dtype.is_int() {
            let title = format!("`{}` with group sizes of rank {rank_of_sizes}, not 1", op.code.name());
            return Err(Fault::unsupported(title, op.span()));
        }
        let masked = self.by_group(lhs, ragged, sizes);
        for dim in contract.lhs.iter_mut().chain(&mut batch.lhs) {
            *dim += 1;
        }
        let args = self.widen_operands(op, &[masked, rhs]);
        match &group_dims[..] {
            &[group] => {
                contract.lhs.insert(0, 0);
                contract.rhs.insert(0, group);
                self.emit(op, DotGeneral { contract, batch }, &args)
            }
            [] if contract.lhs.contains(&(ragged + 1)) => {
                self.with_groups_first(op, DotGeneral { contract, batch }, &args)
            }
            _ => Err(self.op_fault(op, "needs a group dimension of `rhs`, or a contracted ragged dimension")),
        }
    }

    /// Emits a product whose result has the dimension of the groups before those of the batch.
    fn with_groups_first(&mut self, op: &'m Op<'a>, product: DotGeneral, args: &[ValueId]) -> Result<Values> {
        let batch = product.batch.lhs.len();
        let [ty] = &op.types[..] else { return Err(self.op_fault(op, "has one result")) };
        if batch == 0 {
            return self.emit(op, product, args);
        }
        let rank = ty.shape.rank();
        if rank <= batch {
            return Err(self.op_fault(op, format!("returns a tensor of rank {rank}")));
        }
        // Batch, groups, others -> groups, batch, others.
        let mut shape = ty.shape.clone();
        shape[..=batch].rotate_left(1);
        let product_type = Type { shape, dtype: ty.dtype };
        self.check(op, &product.clone().into(), args, std::slice::from_ref(&product_type))?;
        let grouped = self.temp("grouped", product, args, product_type);
        let perm: Dims = std::iter::once(batch).chain(0..batch).chain(batch + 1..rank).collect();
        self.emit(op, Transpose { perm }, &[grouped])
    }

    /// Emits one copy of `x` for each group, as a new first dimension, in which rows of other groups are 0.
    fn by_group(&mut self, x: ValueId, ragged: usize, sizes: ValueId) -> ValueId {
        let ty = self.program.ty(x).clone();
        let sizes_type = self.program.ty(sizes).clone();
        let groups = sizes_type.shape[0];
        let rows = ty.shape[ragged];
        // The end of a group is the sum of the sizes up to its own.
        let square = Type::new(sizes_type.dtype, [groups, groups]);
        let [earlier, group] = [0, 1].map(|dim| self.temp("group", Iota { dim }, &[], square.clone()));
        let counts = self.comparison(Direction::Le, earlier, group);
        let all = self.temp("sizes", Broadcast { dims: smallvec![0] }, &[sizes], square.clone());
        let zero = self.filled_like(Scalar::Int(0), all);
        let counted = self.temp("counted", Select {}, &[counts, all, zero], square);
        let sum = Reduce { monoid: Monoid::Sum, dims: smallvec![0] };
        let ends = self.temp("ends", sum, &[counted], sizes_type.clone());
        let starts = self.binary_of(BinaryOp::Sub, ends, sizes);
        let table = Type::new(sizes_type.dtype, [groups, rows]);
        let row = self.temp("row", Iota { dim: 1 }, &[], table.clone());
        let [starts, ends] =
            [starts, ends].map(|v| self.temp("bound", Broadcast { dims: smallvec![0] }, &[v], table.clone()));
        let after = self.comparison(Direction::Ge, row, starts);
        let before = self.comparison(Direction::Lt, row, ends);
        let inside = self.binary_of(BinaryOp::And, after, before);
        let mut shape = ty.shape.clone();
        shape.0.insert(0, groups);
        let copies = Type { shape, dtype: ty.dtype };
        let mask_type = Type { dtype: DType::Bool, ..copies.clone() };
        let mask = self.temp("inside", Broadcast { dims: smallvec![0, ragged + 1] }, &[inside], mask_type);
        let dims: Dims = (1..=ty.shape.rank()).collect();
        let x = self.temp("copies", Broadcast { dims }, &[x], copies.clone());
        let zero = if ty.dtype.is_float() { Scalar::Float(0.0) } else { Scalar::Int(0) };
        let zeros = self.filled_like(zero, x);
        self.temp("masked", Select {}, &[mask, x, zeros], copies)
    }
}

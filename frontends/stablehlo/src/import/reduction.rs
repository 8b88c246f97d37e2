//! Lowering of reductions, windows and sorting.
//!
//! A program's reduction starts from the identity of its monoid. A StableHLO reduction has an initial value, which is
//! combined with the result unless it is the identity.

use super::Importer;
use super::contraction::{WindowNames, windows};
use super::region::Reducer;
use crate::fault::Result;
use crate::syntax::{Attr, Op};
use partita_ir::arena::ValueId;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Binary, Broadcast, Reduce, ReduceFunc, ReduceWindow, Sort};
use partita_ir::program::Values;
use partita_ir::tensor::Scalar;

impl<'m, 'a> Importer<'m, 'a> {
    /// Lowers a reduction. A reducer that is a monoid becomes `Reduce`, any other one `ReduceFunc` with a function.
    pub(super) fn reduce(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let dims = op.dims("dimensions")?;
        match (args, self.classify_reducer(op)?) {
            (&[operand, init], Reducer::Monoid(monoid)) => {
                self.reduce_from(op, Reduce { monoid, dims }, monoid, operand, init)
            }
            _ => {
                let body = self.scalar_func(op, "reducer")?;
                self.emit(op, ReduceFunc { dims, body }, args)
            }
        }
    }

    /// Lowers a reduction over sliding windows.
    ///
    /// Padding has the initial value, which may occur several times in a window. A monoid that starts from its identity
    /// or is idempotent is unaffected by the repetition and becomes `ReduceWindow`.
    pub(super) fn reduce_window(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let windows = self.window_attrs(op)?;
        match (args, self.classify_reducer(op)?) {
            (&[operand, init], Reducer::Monoid(monoid)) if monoid.is_idempotent() || self.is_identity(monoid, init) => {
                self.reduce_from(op, ReduceWindow { monoid, windows }, monoid, operand, init)
            }
            _ => self.general_reduce_window(op, &windows, args),
        }
    }

    /// Returns the windows in the attributes of an operation, one per dimension.
    pub(super) fn window_attrs(&mut self, op: &Op<'a>) -> Result<Vec<partita_ir::rule::Window>> {
        let sizes = op.dims("window_dimensions")?;
        let names = WindowNames {
            strides: "window_strides",
            padding: "padding",
            base: "base_dilations",
            dilation: "window_dilations",
        };
        windows(op, &sizes, names)
    }

    /// Emits a reduction that starts from `init`.
    fn reduce_from(
        &mut self,
        op: &Op<'a>,
        kind: impl Into<OpKind>,
        monoid: Monoid,
        operand: ValueId,
        init: ValueId,
    ) -> Result<Values> {
        if self.is_identity(monoid, init) {
            return self.emit(op, kind, &[operand]);
        }
        let kind = kind.into();
        self.check(op, &kind, &[operand], &op.types)?;
        let Some(ty) = op.types.first().cloned() else { return Err(self.op_fault(op, "has no result")) };
        let reduced = self.temp(monoid.name(), kind, &[operand], ty.clone());
        let init = self.temp("init", Broadcast { dims: Default::default() }, &[init], ty);
        self.emit(op, Binary { op: monoid.combining_op() }, &[reduced, init])
    }

    /// Returns true if a value is known to be the identity of the monoid.
    pub(super) fn is_identity(&self, monoid: Monoid, value: ValueId) -> bool {
        let dtype = self.program.ty(value).dtype;
        self.splat(value).is_some_and(|x| match (x, monoid.identity(dtype)) {
            // Positive and negative zero are both identities.
            (Scalar::Float(x), Scalar::Float(identity)) => x == identity,
            (x, identity) => x == identity,
        })
    }

    /// Lowers a sort of one or more operands along a dimension, with a comparator function.
    pub(super) fn sort(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let dim = op.attr("dimension").and_then(Attr::as_int).unwrap_or(-1);
        let rank = args.first().map_or(0, |&v| self.program.ty(v).shape.rank());
        let dim = if dim < 0 { dim + rank as i64 } else { dim };
        let Some(dim) = usize::try_from(dim).ok().filter(|&d| d < rank) else {
            return Err(self.op_fault(op, format!("sorts along dimension {dim} of a tensor of rank {rank}")));
        };
        let comparator = self.scalar_func(op, "comparator")?;
        self.emit(op, Sort { dim, stable: op.flag("is_stable"), comparator }, args)
    }

    /// Lowers a function that is applied to each element.
    pub(super) fn map(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let function = self.scalar_region(op)?;
        self.has_unused_ops = true;
        let results = self.combined(op, &function, args, &[])?;
        let types = results.iter().map(|&x| self.program.ty(x));
        if types.eq(&op.types) {
            Ok(results.into())
        } else {
            Err(self.op_fault(op, "does not return the declared type"))
        }
    }
}

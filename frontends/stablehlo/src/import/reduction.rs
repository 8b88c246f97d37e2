//! Reductions, windows and sorting.
//!
//! A reduction of ours starts from the identity of its monoid; one of StableHLO from an initial value, which is
//! combined with the result unless it is the identity.

use super::Importer;
use super::contraction::{WindowNames, windows};
use super::region::{Reducer, reducer};
use crate::counterparts::operation;
use crate::fault::{Fault, Result};
use crate::syntax::{Attr, Op, Opcode};
use partita_ir::arena::ValueId;
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Binary, Broadcast, Reduce, ReduceFunc, ReduceWindow, SelectAndScatter, Sort, TopK};
use partita_ir::program::Values;
use partita_ir::tensor::Scalar;

impl<'m, 'a> Importer<'m, 'a> {
    pub(super) fn reduce(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let dims = op.dims("dimensions")?;
        match (args, self.reducer_of(op)?) {
            (&[operand, init], Reducer::Monoid(monoid)) => {
                self.reduce_from(op, Reduce { monoid, dims }, monoid, operand, init)
            }
            _ => {
                let body = self.scalar_func(op, "reducer")?;
                self.emit(op, ReduceFunc { dims, body }, args)
            }
        }
    }

    pub(super) fn reduce_window(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let (&[operand, init], Reducer::Monoid(monoid)) = (args, self.reducer_of(op)?) else {
            let title = format!(
                "`{}` is supported for one operand and sum, product, maximum, minimum, and, or",
                op.code.name()
            );
            return Err(Fault::unsupported(title, op.span()));
        };
        let windows = self.window_attrs(op)?;
        // Padding counts as the initial value, and often: with another one than the identity, only idempotent
        // monoids give what combining it once gives.
        if !monoid.is_idempotent() && !self.is_identity(monoid, init) {
            let title = format!("`{}` starts from a value that is not the identity of the reduction", op.code.name());
            return Err(Fault::unsupported(title, op.span()).help("start a sum from 0 and a product from 1"));
        }
        self.reduce_from(op, ReduceWindow { monoid, windows }, monoid, operand, init)
    }

    fn window_attrs(&mut self, op: &Op<'a>) -> Result<Vec<partita_ir::rule::Window>> {
        let sizes = op.dims("window_dimensions")?;
        let names = WindowNames {
            strides: "window_strides",
            padding: "padding",
            base: "base_dilations",
            dilation: "window_dilations",
        };
        windows(op, &sizes, names)
    }

    /// A reduction that starts from `init`.
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
        let Some(ty) = op.types.first().cloned() else { return Err(self.misfit(op, "has no result")) };
        let reduced = self.temp(monoid.name(), kind, &[operand], ty.clone());
        let init = self.temp("init", Broadcast { dims: Default::default() }, &[init], ty);
        self.emit(op, Binary { op: operation(monoid) }, &[reduced, init])
    }

    /// Whether a value is known to be the identity of the monoid.
    fn is_identity(&self, monoid: Monoid, value: ValueId) -> bool {
        let dtype = self.program.ty(value).dtype;
        self.splat(value).is_some_and(|x| match (x, monoid.identity(dtype)) {
            // Both zeros will do.
            (Scalar::Float(x), Scalar::Float(identity)) => x == identity,
            (x, identity) => x == identity,
        })
    }

    pub(super) fn select_and_scatter(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let (&[operand, source, init], [select, scatter]) = (args, &op.regions[..]) else {
            return Err(self.misfit(op, "takes 3 operands and 2 regions"));
        };
        let selected = match &select.ops[..] {
            [compare, ret] if compare.code == Opcode::Compare && ret.operands[..] == [compare.first_result] => {
                let in_order = compare.operands.iter().copied().eq(select.args.iter().map(|a| a.value));
                let direction = compare.attr("comparison_direction").and_then(Attr::as_word).filter(|_| in_order);
                match direction {
                    Some("GE") => Some(Monoid::Max),
                    Some("LE") => Some(Monoid::Min),
                    _ => None,
                }
            }
            _ => None,
        };
        let adds = reducer(scatter) == Reducer::Monoid(Monoid::Sum) && self.is_identity(Monoid::Sum, init);
        let Some(monoid) = selected.filter(|_| adds) else {
            let title = format!("`{}` is supported as the gradient of max or min pooling only", op.code.name());
            return Err(
                Fault::unsupported(title, op.span()).note("it must select by GE or LE, and add what it scatters to 0")
            );
        };
        let windows = self.window_attrs(op)?;
        self.emit(op, SelectAndScatter { monoid, windows }, &[operand, source])
    }

    pub(super) fn sort(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        let dim = op.attr("dimension").and_then(Attr::as_int).unwrap_or(-1);
        let rank = args.first().map_or(0, |&v| self.program.ty(v).shape.rank());
        let dim = if dim < 0 { dim + rank as i64 } else { dim };
        let Some(dim) = usize::try_from(dim).ok().filter(|&d| d < rank) else {
            return Err(self.misfit(op, format!("sorts along dimension {dim} of a tensor of rank {rank}")));
        };
        let comparator = self.scalar_func(op, "comparator")?;
        self.emit(op, Sort { dim, stable: op.flag("is_stable"), comparator }, args)
    }

    pub(super) fn top_k(&mut self, op: &'m Op<'a>, args: &[ValueId]) -> Result<Values> {
        self.emit(op, TopK { k: op.size("k")? }, args)
    }
}

//! Lowering of reductions over sliding windows with any associative reducer and any initial value.
//!
//! A window of `a + b` elements combines a window of `a` with the window of `b` that follows it. Windows of every power
//! of two, and from them a window of any size, are thus computed by a logarithmic number of elementwise operations on
//! shifted tensors, one dimension after the other. A cumulative product along `n` elements takes `2 log2 n` of them.

use super::Importer;
use super::region::LoweredRegion;
use crate::fault::{Fault, Result};
use crate::syntax::Op;
use partita_ir::arena::ValueId;
use partita_ir::dtype::{Shape, Type};
use partita_ir::layout::Monoid;
use partita_ir::op::OpKind;
use partita_ir::ops::{Broadcast, Pad, ReduceWindow, Slice};
use partita_ir::program::Values;
use partita_ir::program::class::Class;
use partita_ir::rule::Window;
use partita_ir::syntax::attr::Dims;

impl<'m, 'a> Importer<'m, 'a> {
    /// Lowers a reduction of `args`, n tensors followed by n initial values, over one window per dimension. Padding has
    /// the initial values, with which the windows also start. Errors: a reducer with operations that are not
    /// elementwise.
    pub(super) fn general_reduce_window(
        &mut self,
        op: &'m Op<'a>,
        windows: &[Window],
        args: &[ValueId],
    ) -> Result<Values> {
        let (tensors, inits) = args.split_at(args.len() / 2);
        // The windows are those of a pooling operation on each tensor.
        let pooling = ReduceWindow { monoid: Monoid::Max, windows: windows.to_vec() };
        for (&tensor, ty) in tensors.iter().zip(&op.types) {
            self.check(op, &pooling.clone().into(), &[tensor], std::slice::from_ref(ty))?;
        }
        let reducer = self.scalar_region(op)?;
        self.has_unused_ops = true;
        let mut parts: Vec<ValueId> =
            tensors.iter().zip(inits).map(|(&x, &init)| self.padded(x, init, windows)).collect();
        // Last dimension first, so that elements are combined in row-major order.
        for (dim, window) in windows.iter().enumerate().rev() {
            parts = self.windows_along(op, &reducer, dim, window, parts)?;
        }
        let shape = self.program.ty(parts[0]).shape.clone();
        let starts: Vec<ValueId> = inits.iter().map(|&init| self.broadcast(init, &shape)).collect();
        let results = self.combined(op, &reducer, &starts, &parts)?;
        let types: Vec<Type> = results.iter().map(|&x| self.program.ty(x).clone()).collect();
        match types.iter().eq(&op.types) {
            true => Ok(results.into()),
            false => Err(self.op_fault(op, "does not return the declared types")),
        }
    }

    /// Pads a tensor with its initial value: around it, and between elements where a window has a base dilation.
    pub(super) fn padded(&mut self, x: ValueId, init: ValueId, windows: &[Window]) -> ValueId {
        if windows.iter().all(|w| (w.low, w.high, w.base) == (0, 0, 1)) {
            return x;
        }
        let pad = Pad {
            low: windows.iter().map(|w| w.low).collect(),
            high: windows.iter().map(|w| w.high).collect(),
            interior: windows.iter().map(|w| w.base - 1).collect(),
        };
        let ty = self.program.ty(x).clone();
        let size = |(w, &n): (&Window, &usize)| {
            let dilated = n.saturating_sub(1) * w.base + n.min(1);
            usize::try_from(dilated as i64 + w.low + w.high).unwrap_or(0)
        };
        let shape = windows.iter().zip(ty.shape.iter()).map(size).collect();
        self.temp("padded", pad, &[x, init], Type { shape, dtype: ty.dtype })
    }

    /// Replaces each element by the combination of the window that starts at it, and keeps every `stride`-th.
    fn windows_along(
        &mut self,
        op: &'m Op<'a>,
        reducer: &LoweredRegion,
        dim: usize,
        window: &Window,
        parts: Vec<ValueId>,
    ) -> Result<Vec<ValueId>> {
        let size = self.program.ty(parts[0]).shape[dim];
        let reach = (window.size - 1).saturating_mul(window.dilation);
        let Some(starts) = size.checked_sub(reach).filter(|&n| n > 0) else {
            return Err(self.op_fault(op, format!("has a window that is larger than dimension {dim}")));
        };
        // `power` combines 2^k elements; `sum` the elements that are already part of the window.
        let (mut power, mut width) = (parts, 1);
        let mut sum: Option<(Vec<ValueId>, usize)> = None;
        let mut rest = window.size;
        loop {
            if rest % 2 == 1 {
                sum = Some(match sum {
                    None => (power.clone(), width),
                    Some((before, taken)) => {
                        (self.joined(op, reducer, dim, taken * window.dilation, &before, &power)?, taken + width)
                    }
                });
            }
            rest /= 2;
            if rest == 0 {
                break;
            }
            power = self.joined(op, reducer, dim, width * window.dilation, &power, &power)?;
            width *= 2;
        }
        let (sum, _) = sum.unwrap_or((power, width));
        Ok(sum.into_iter().map(|x| self.sliced(x, dim, 0, starts, window.stride)).collect())
    }

    /// Combines each element of `before` with the element of `after` that is `shift` positions behind it.
    fn joined(
        &mut self,
        op: &'m Op<'a>,
        reducer: &LoweredRegion,
        dim: usize,
        shift: usize,
        before: &[ValueId],
        after: &[ValueId],
    ) -> Result<Vec<ValueId>> {
        let [size, after_size] = [before, after].map(|parts| self.program.ty(parts[0]).shape[dim]);
        let count = size.min(after_size.saturating_sub(shift));
        let before: Vec<ValueId> = before.iter().map(|&x| self.sliced(x, dim, 0, count, 1)).collect();
        let after: Vec<ValueId> = after.iter().map(|&x| self.sliced(x, dim, shift, count, 1)).collect();
        self.combined(op, reducer, &before, &after)
    }

    /// Takes every `stride`-th of `count` elements along a dimension.
    fn sliced(&mut self, x: ValueId, dim: usize, start: usize, count: usize, stride: usize) -> ValueId {
        let ty = self.program.ty(x).clone();
        if (start, count, stride) == (0, ty.shape[dim], 1) {
            return x;
        }
        let mut slice =
            Slice { start: Dims::from_elem(0, ty.shape.rank()), limit: ty.shape.0.clone(), stride: Dims::new() };
        slice.start[dim] = start;
        slice.limit[dim] = start + count;
        if stride > 1 {
            slice.stride = Dims::from_elem(1, ty.shape.rank());
            slice.stride[dim] = stride;
        }
        let mut shape = ty.shape;
        shape[dim] = count.div_ceil(stride);
        self.temp("window", slice, &[x], Type { shape, dtype: ty.dtype })
    }

    fn broadcast(&mut self, scalar: ValueId, shape: &Shape) -> ValueId {
        let ty = Type { shape: shape.clone(), dtype: self.program.ty(scalar).dtype };
        self.temp("init", Broadcast { dims: Dims::new() }, &[scalar], ty)
    }

    /// Applies a function of scalars to each pair of elements. Errors: an operation that is not elementwise.
    pub(super) fn combined(
        &mut self,
        op: &'m Op<'a>,
        reducer: &LoweredRegion,
        before: &[ValueId],
        after: &[ValueId],
    ) -> Result<Vec<ValueId>> {
        let shape = self.program.ty(before[0]).shape.clone();
        let args = before.iter().chain(after).copied();
        let mut values: rustc_hash::FxHashMap<ValueId, ValueId> = reducer.inputs.iter().copied().zip(args).collect();
        for &id in &reducer.body {
            let scalar_op = self.program.ops[id].clone();
            let elementwise = matches!(scalar_op.kind.class(), Class::Elementwise);
            let constant = matches!(scalar_op.kind, OpKind::Constant(_));
            let scalars = scalar_op.outs.iter().all(|&out| self.program.ty(out).shape.rank() == 0);
            if !elementwise && !constant || !scalars || scalar_op.outs.len() != 1 {
                let title = format!("the region of `{}` contains `{}`", op.code.name(), scalar_op.kind.name());
                return Err(Fault::unsupported(title, op.span())
                    .help("use operations on scalars, such as additions and comparisons, in the region"));
            }
            let out = scalar_op.outs[0];
            let ty = Type { shape: shape.clone(), dtype: self.program.ty(out).dtype };
            let args: Values = scalar_op.args.iter().map(|arg| values.get(arg).copied().unwrap_or(*arg)).collect();
            let name = self.program.values[out].name.clone();
            let lifted = self.temp(&name, scalar_op.kind, &args, ty);
            values.insert(out, lifted);
        }
        Ok(reducer.outputs.iter().map(|output| values.get(output).copied().unwrap_or(*output)).collect())
    }
}

//! Collectives on shards: local shapes, and the padding that uneven dimensions require.

use super::Localizer;
use partita_ir::arena::ValueId;
use partita_ir::class::Collective;
use partita_ir::dtype::{DType, Type};
use partita_ir::layout::{Layout, divides, local_size};
use partita_ir::mesh::{Axes, shard_count};
use partita_ir::op::OpKind;
use partita_ir::ops::{AllGather, AllToAll, Pad, ReduceScatter, Shard, Slice};
use partita_ir::tensor::Scalar;

impl Localizer<'_> {
    /// Appends an op that changes a layout. Unevenly sharded dimensions are processed one axis at a time: each shard is
    /// padded before it is split and trimmed after it is concatenated.
    pub(super) fn collective(&mut self, kind: &OpKind, arg: ValueId, out: ValueId, from: &Layout, to: &Layout) {
        let global = self.b.ty(out);
        let size = |dim: usize| global.shape[dim];
        let even = |dim: usize| divides(size(dim), &from.dims[dim].axes) && divides(size(dim), &to.dims[dim].axes);
        match kind.collective() {
            Some(Collective::AllGather(op)) if !even(op.dim) => {
                let mut at = arg;
                for axis in op.axes.iter().rev() {
                    at = self.gather_axis(at, op.dim, size(op.dim), from, &Axes::from_slice(&[*axis]));
                }
                self.define(out, at);
            }
            Some(Collective::ReduceScatter(op)) if !even(op.dim) => {
                let mut at = arg;
                for axis in &op.axes {
                    let padded = self.pad_to(at, op.dim, axis.size as usize);
                    let mut ty = self.local(padded);
                    ty.shape[op.dim] /= axis.size as usize;
                    let step = ReduceScatter { axes: Axes::from_slice(&[*axis]), ..op.clone() };
                    at = self.b.op("part", step, &[padded], ty);
                }
                self.define(out, at);
            }
            Some(Collective::AllToAll(op)) if !(even(op.from) && even(op.to)) => {
                self.uneven_all_to_all(op, arg, out, [from, to], &global)
            }
            Some(Collective::AllGather(_) | Collective::ReduceScatter(_) | Collective::AllToAll(_))
            | Some(Collective::AllReduce(_) | Collective::Permute(_))
            | None => {
                self.b.push(kind.clone(), &[arg], [out].into_iter().collect());
            }
        }
    }

    /// Returns the local type of a value, while values still have their global types.
    fn local(&self, value: ValueId) -> Type {
        self.b.program.values[value].local_type()
    }

    /// Gathers along `axis`, the minor-most remaining axis of `dim`, and trims to the enclosing shard.
    fn gather_axis(&mut self, at: ValueId, dim: usize, size: usize, from: &Layout, axis: &Axes) -> ValueId {
        let axes = &from.dims[dim].axes;
        let mut ty = self.local(at);
        ty.shape[dim] *= shard_count(axis);
        let outer = axes.iter().position(|a| axis.contains(a)).unwrap_or(axes.len());
        let full_size = if divides(size, axes) { ty.shape[dim] } else { local_size(size, &axes[..outer]) };
        let gathered = self.b.op("whole", AllGather { dim, axes: axis.clone() }, &[at], ty);
        self.trim(gathered, dim, full_size)
    }

    /// Slices the first `size` elements along `dim`.
    fn trim(&mut self, value: ValueId, dim: usize, size: usize) -> ValueId {
        let ty = self.local(value);
        if ty.shape[dim] == size {
            return value;
        }
        let mut limit = ty.shape.clone();
        limit[dim] = size;
        let slice = Slice {
            start: ty.shape.iter().map(|_| 0).collect(),
            limit: limit.iter().copied().collect(),
            stride: Default::default(),
        };
        self.b.op("trim", slice, &[value], Type { shape: limit, dtype: ty.dtype })
    }

    /// Appends zeros until `divisor` divides the dimension.
    fn pad_to(&mut self, value: ValueId, dim: usize, divisor: usize) -> ValueId {
        let ty = self.local(value);
        let more = ty.shape[dim].next_multiple_of(divisor) - ty.shape[dim];
        if more == 0 {
            return value;
        }
        let zero = self.b.splat(Type::new(ty.dtype, []), zero(ty.dtype));
        let mut high = vec![0; ty.shape.rank()];
        high[dim] = more as i64;
        let mut shape = ty.shape.clone();
        shape[dim] += more;
        let pad = Pad { low: vec![0; ty.shape.rank()], high, interior: Default::default() };
        self.b.op("padded", pad, &[value, zero], Type { shape, dtype: ty.dtype })
    }

    fn uneven_all_to_all(
        &mut self,
        op: &AllToAll,
        arg: ValueId,
        out: ValueId,
        [from, to]: [&Layout; 2],
        global: &Type,
    ) {
        let mut at = arg;
        if let [axis] = op.axes[..] {
            at = self.pad_to(at, op.to, axis.size as usize);
            let mut ty = self.local(at);
            ty.shape[op.to] /= axis.size as usize;
            ty.shape[op.from] *= axis.size as usize;
            at = self.b.op("moved", op.clone(), &[at], ty);
            at = self.trim(at, op.from, local_size(global.shape[op.from], &to.dims[op.from].axes));
        } else {
            // An exchange per axis would reverse the order of the axes.
            for axis in op.axes.iter().rev() {
                at = self.gather_axis(at, op.from, global.shape[op.from], from, &Axes::from_slice(&[*axis]));
            }
            let mut ty = self.local(at);
            ty.shape[op.to] = local_size(ty.shape[op.to], &op.axes);
            at = self.b.op("piece", Shard { dim: op.to, axes: op.axes.clone() }, &[at], ty);
        }
        self.define(out, at);
    }
}

fn zero(dtype: DType) -> Scalar {
    if dtype.is_float() { Scalar::Float(0.0) } else { Scalar::Int(0) }
}
